//! Allocation: the bucket ranges of each arm.

use super::distribution::{WHOLE, Weights};
use super::variant::Arm;
use serde::{Deserialize, Serialize};

/// A line of 10,000 hundredths of a percent, divided into ranges. Each range ends before
/// `end` and belongs to an arm. The ends ascend, and the last one is 10,000.
///
/// The allocation depends on the history of the weights. When they change, only as much of the line
/// changes arms as necessary, so that no visitor moves needlessly.
///
/// ```
/// use muriel_domain::experiment::{Allocation, Arm, Weights};
///
/// let even = Allocation::contiguous(&Weights::even(2));
/// assert_eq!(even.ranges(), [(5_000, Arm(0)), (10_000, Arm(1))]);
/// // A third arm takes its share from the others; what they keep stays where it was.
/// let three = even.moved_to(&Weights::even(3));
/// assert!(three.fits(&Weights::even(3)));
/// assert_eq!(three.ranges()[0].1, Arm(0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Allocation(Vec<(u32, Arm)>);

impl Allocation {
    /// One range per arm with a weight above 0, in the order of the arms.
    pub fn contiguous(weights: &Weights) -> Self {
        let mut end = 0;
        let arms = (0..).map(Arm).zip(weights.hundredths());
        Self(
            arms.filter(|(_, weight)| **weight > 0)
                .map(|(arm, weight)| {
                    end += weight;
                    (end, arm)
                })
                .collect(),
        )
    }

    /// The end of each range (exclusive) and its arm, from left to right.
    pub fn ranges(&self) -> &[(u32, Arm)] {
        &self.0
    }

    /// Returns whether each arm has as much of the line as its weight says.
    pub fn fits(&self, weights: &Weights) -> bool {
        self.lengths(weights.arms()).is_some_and(|lengths| lengths == weights.hundredths())
    }

    /// Size of the part of the line with the same arm in both, in hundredths of a percent.
    /// [`WHOLE`] when they are equal.
    pub fn in_common(&self, other: &Allocation) -> u32 {
        let (mut common, mut start) = (0, 0);
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(&&(our_end, our_arm)), Some(&&(their_end, their_arm))) = (ours.peek(), theirs.peek()) {
            let end = our_end.min(their_end);
            if our_arm == their_arm {
                common += end - start;
            }
            start = end;
            if our_end == end {
                ours.next();
            }
            if their_end == end {
                theirs.next();
            }
        }
        common
    }

    /// Total length of each arm's ranges, for `arms` arms. `None` when the line has a further arm.
    fn lengths(&self, arms: usize) -> Option<Vec<u32>> {
        let mut lengths = vec![0; arms];
        let mut start = 0;
        for &(end, arm) in &self.0 {
            *lengths.get_mut(arm.0 as usize)? += end.checked_sub(start)?;
            start = end;
        }
        Some(lengths)
    }

    /// Returns the line after a change of weights. An arm that grows keeps all of its ranges; an
    /// arm that shrinks gets no new ones. Borders move before new ranges are cut, so the number of
    /// ranges stays small.
    ///
    /// Ranges of an arm without a weight go to the others. An allocation whose ends do not ascend
    /// is replaced by a contiguous one.
    #[must_use]
    pub fn moved_to(&self, weights: &Weights) -> Self {
        let arms = self.0.iter().map(|(_, arm)| arm.0 as usize + 1).max().unwrap_or(0).max(weights.arms());
        let Some(mut surplus) =
            self.lengths(arms).map(|lengths| lengths.into_iter().map(i64::from).collect::<Vec<_>>())
        else {
            return Self::contiguous(weights);
        };
        for (arm, surplus) in surplus.iter_mut().enumerate() {
            *surplus -= i64::from(weights.hundredths().get(arm).copied().unwrap_or(0));
        }
        let mut pieces = Vec::with_capacity(self.0.len());
        let mut start = 0;
        for &(end, arm) in &self.0 {
            pieces.push((end - start, arm));
            start = end;
        }
        // Neighbours first: moving a border does not create a range.
        for at in 1..pieces.len() {
            shift(&mut pieces, at - 1, at, &mut surplus);
            shift(&mut pieces, at, at - 1, &mut surplus);
        }
        // The remaining surplus is taken from the end of the line backwards, and given to the first
        // arm that still lacks some.
        let mut cut = Vec::with_capacity(pieces.len());
        for (mut length, arm) in pieces.into_iter().rev() {
            let mut given = Vec::new();
            while length > 0 && surplus[arm.0 as usize] > 0 {
                let Some(to) = (0..arms).find(|&other| surplus[other] < 0) else { break };
                let amount = surplus[arm.0 as usize].min(-surplus[to]).min(i64::from(length));
                surplus[arm.0 as usize] -= amount;
                surplus[to] += amount;
                length -= amount as u32;
                given.push((amount as u32, Arm(to as u32)));
            }
            cut.extend(given);
            cut.push((length, arm));
        }
        let mut ranges: Vec<(u32, Arm)> = Vec::with_capacity(cut.len());
        let mut end = 0;
        for (length, arm) in cut.into_iter().rev().filter(|(length, _)| *length > 0) {
            end += length;
            match ranges.last_mut() {
                Some((last, same)) if *same == arm => *last = end,
                _ => ranges.push((end, arm)),
            }
        }
        debug_assert_eq!(end, WHOLE);
        Self(ranges)
    }
}

/// Moves the border between two neighbours, as far as one has a surplus and the other a deficit.
fn shift(pieces: &mut [(u32, Arm)], from: usize, to: usize, surplus: &mut [i64]) {
    let (giver, taker) = (pieces[from].1.0 as usize, pieces[to].1.0 as usize);
    let amount = surplus[giver].min(-surplus[taker]).min(i64::from(pieces[from].0));
    if amount > 0 {
        pieces[from].0 -= amount as u32;
        pieces[to].0 += amount as u32;
        surplus[giver] -= amount;
        surplus[taker] += amount;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(shares: &[u32]) -> Weights {
        let sum: u32 = shares.iter().sum::<u32>().max(1);
        let mut hundredths: Vec<u32> =
            shares.iter().map(|share| (u64::from(*share) * u64::from(WHOLE) / u64::from(sum)) as u32).collect();
        hundredths[0] += WHOLE - hundredths.iter().sum::<u32>();
        serde_json::from_value(serde_json::json!(hundredths)).unwrap()
    }

    fn owner(allocation: &Allocation, slot: u32) -> Arm {
        allocation.ranges().iter().find(|(end, _)| slot < *end).map(|(_, arm)| *arm).unwrap()
    }

    #[test]
    fn two_arms_move_their_border() {
        let half = Allocation::contiguous(&weights(&[50, 50]));
        let more = half.moved_to(&weights(&[60, 40]));
        assert_eq!(more.ranges(), [(6_000, Arm(0)), (10_000, Arm(1))]);
        assert_eq!(more.moved_to(&weights(&[50, 50])), half);
        assert_eq!(half.moved_to(&weights(&[0, 100])).ranges(), [(10_000, Arm(1))]);
    }

    proptest! {
        #[test]
        fn no_more_moves_than_must(
            changes in prop::collection::vec(prop::collection::vec(0u32..100, 1..8), 1..12)
        ) {
            let mut before = Allocation::contiguous(&weights(&changes[0]));
            let mut old = weights(&changes[0]);
            for change in &changes[1..] {
                let new = weights(change);
                let after = before.moved_to(&new);
                prop_assert!(after.fits(&new));
                let arms = old.arms().max(new.arms());
                let must: u32 = (0..arms as u32).map(|arm| new.of(Arm(arm)).saturating_sub(old.of(Arm(arm)))).sum();
                let moved = (0..WHOLE).filter(|slot| owner(&before, *slot) != owner(&after, *slot)).count();
                prop_assert_eq!(moved as u32, must);
                (before, old) = (after, new);
            }
        }
    }
}
