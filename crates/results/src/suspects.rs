//! Suspects: visitors of one network, browser, system or device who differ from all others by more than chance.
//!
//! Made-up visitors rarely arrive, or convert, in the proportions of real ones. Two tests compare the visitors of a
//! segment with all others: whether the arms have the same shares of them, and whether the arms differ by the same
//! conversion rate. A segment that merely converts more or less in all arms does not stand out, because it moves no
//! comparison.

use crate::compute::{Numbers, SegmentNumbers};
use muriel_stats::contingency::independence;
use muriel_stats::special::normal_sf;
use muriel_warehouse::Segment;
use std::sync::Arc;

/// Visitors from which on a segment is tested.
pub(crate) const LEAST: u64 = 20;
/// Probability of any false suspect in a breakdown.
pub(crate) const ALPHA: f64 = 0.001;

/// Property by which a segment stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// The arms have other shares of these visitors than of all others.
    Split,
    /// The conversion rates of the arms differ in another way than those of all others.
    Effect,
    /// A verdict does not hold without these visitors.
    Verdict,
}

impl Oddity {
    /// All of them with their words in the interface.
    pub const WORDS: [(&'static str, Oddity); 3] =
        [("split", Oddity::Split), ("effect", Oddity::Effect), ("verdict", Oddity::Verdict)];

    /// Word in the interface.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

/// A segment that stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct OddSegment {
    /// Value of the breakdown's attribute.
    pub value: Arc<str>,
    /// The property by which it stands out most.
    pub oddity: Oddity,
    /// p-value of the test, corrected for the number of tests of the breakdown.
    pub p_value: f64,
    /// Numbers of the segment on the goal at the top, by arm.
    pub arms: Vec<Numbers>,
}

/// Returns the segments of a breakdown that stand out, with the one that stands out most first, and at most `most`. Each
/// is compared with the segments that remain after it: otherwise those that differ from a large odd one would be named.
pub fn odd_segments(parts: &[SegmentNumbers], most: usize) -> Vec<OddSegment> {
    let mut remaining: Vec<&SegmentNumbers> = parts.iter().collect();
    let mut found = Vec::new();
    while found.len() < most
        && let Some((at, odd)) = oddest(&remaining)
    {
        remaining.remove(at);
        found.push(odd);
    }
    found
}

/// The segment that stands out most, with its place. `None` when none does.
fn oddest(parts: &[&SegmentNumbers]) -> Option<(usize, OddSegment)> {
    let arms = parts.first().map_or(0, |part| part.arms.len());
    let is_tested = |part: &SegmentNumbers| matches!(part.segment, Segment::Value(_)) && visitors_of(part) >= LEAST;
    let tested: Vec<usize> = (0..parts.len()).filter(|at| is_tested(parts[*at])).collect();
    let tests = (tested.len() * arms).max(1) as f64;
    let odd = |at: usize| {
        let Segment::Value(value) = &parts[at].segment else { return None };
        let own = &parts[at].arms;
        let rest: Vec<Numbers> = (0..arms).map(|arm| rest_of(parts, at, arm)).collect();
        let effects = (1..arms).map(|arm| (Oddity::Effect, effect(own, &rest, arm)));
        let tested = effects.chain([(Oddity::Split, split(own, &rest))]);
        let (oddity, p_value) = tested.min_by(|one, other| one.1.total_cmp(&other.1))?;
        let p_value = (p_value * tests).min(1.0);
        Some((at, OddSegment { value: value.clone(), oddity, p_value, arms: own.clone() }))
    };
    let found = tested.into_iter().filter_map(odd).filter(|(_, segment)| segment.p_value < ALPHA);
    found.min_by(|(at, one), (other_at, other)| {
        let larger = || visitors_of(parts[*other_at]).cmp(&visitors_of(parts[*at]));
        one.p_value.total_cmp(&other.p_value).then_with(larger).then_with(|| one.value.cmp(&other.value))
    })
}

fn visitors_of(part: &SegmentNumbers) -> u64 {
    part.arms.iter().map(|arm| arm.visitors).sum()
}

/// Numbers of an arm in all segments but the one at `but`.
fn rest_of(parts: &[&SegmentNumbers], but: usize, arm: usize) -> Numbers {
    let rest = || parts.iter().enumerate().filter(|(at, _)| *at != but).filter_map(|(_, part)| part.arms.get(arm));
    Numbers {
        visitors: rest().map(|numbers| numbers.visitors).sum(),
        converted: rest().map(|numbers| numbers.converted).sum(),
        ..Numbers::default()
    }
}

/// p-value of the test that the arms have the same shares of both groups of visitors; 1 where it does not apply.
fn split(own: &[Numbers], rest: &[Numbers]) -> f64 {
    let counts = |arms: &[Numbers]| arms.iter().map(|arm| arm.visitors as f64).collect::<Vec<_>>();
    independence(&[&counts(own), &counts(rest)]).unwrap_or(1.0)
}

/// p-value of the test that an arm differs from the control by the same conversion rate in both groups of visitors; 1
/// where it does not apply. The variances are those under the hypothesis that each arm has one rate.
pub(crate) fn effect(own: &[Numbers], rest: &[Numbers], arm: usize) -> f64 {
    let (mut difference, mut variance) = (0.0, 0.0);
    for (at, sign) in [(arm, 1.0), (0, -1.0)] {
        let (Some(own), Some(rest)) = (own.get(at), rest.get(at)) else { return 1.0 };
        let (of_own, of_rest) = (own.visitors as f64, rest.visitors as f64);
        if of_own == 0.0 || of_rest == 0.0 {
            return 1.0;
        }
        let pooled = (own.converted + rest.converted) as f64 / (of_own + of_rest);
        difference += sign * (own.converted as f64 / of_own - rest.converted as f64 / of_rest);
        variance += pooled * (1.0 - pooled) * (1.0 / of_own + 1.0 / of_rest);
    }
    if variance > 0.0 { (2.0 * normal_sf(difference.abs() / variance.sqrt())).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(value: Option<&str>, arms: [(u64, u64); 2]) -> SegmentNumbers {
        let arms = arms.map(|(visitors, converted)| Numbers { visitors, converted, ..Numbers::default() });
        let segment = value.map_or(Segment::Unknown, |value| Segment::Value(value.into()));
        SegmentNumbers { segment, arms: arms.to_vec(), points: Vec::new() }
    }

    #[test]
    fn made_up_visitors_stand_out() {
        let honest = |name| part(Some(name), [(500, 50), (510, 55)]);
        // More of everything in both arms moves no comparison.
        let eager = part(Some("eager"), [(100, 90), (100, 92)]);
        for (attack, oddity) in [
            (part(Some("attack"), [(50, 0), (50, 50)]), Some(Oddity::Effect)),
            (part(Some("attack"), [(0, 0), (60, 6)]), Some(Oddity::Split)),
            (part(Some("attack"), [(10, 0), (9, 9)]), None),
            (part(Some("attack"), [(5_000, 0), (5_000, 5_000)]), Some(Oddity::Effect)),
            (part(None, [(50, 0), (50, 50)]), None),
        ] {
            let found = odd_segments(&[honest("one"), honest("two"), eager.clone(), attack.clone()], 10);
            let named = found.first().map(|one| (&*one.value, one.oddity));
            assert_eq!(named, oddity.map(|oddity| ("attack", oddity)), "{attack:?}");
            assert!(found.len() < 2, "{found:?}");
        }
        assert!(odd_segments(&[], 10).is_empty());
    }
}
