//! Layout of an exclusion group's slots.

use super::{GroupMember, WantedSlot};
use crate::experiment::WHOLE;

/// Assigns slots of the wanted sizes, in the order of `wanted`, so that as few visitors as possible change experiments.
/// An experiment that was in the group keeps as much of its range as the others leave it.
///
/// The sizes add up to at most the whole line. Each experiment has one contiguous slot. When the free space is
/// fragmented, neighbours move to make room, from the left or from the right, whichever moves fewer visitors.
///
/// When several layouts move equally few visitors, the one that keeps ranges in place is preferred.
pub fn assign_slots(before: &[GroupMember], wanted: &[WantedSlot]) -> Vec<GroupMember> {
    let kept: Vec<Option<GroupMember>> =
        wanted.iter().map(|slot| before.iter().copied().find(|member| member.experiment == slot.experiment)).collect();
    let layouts = [in_place(&kept, wanted), Some(packed(&kept, wanted)), Some(mirrored(&kept, wanted))];
    let fewest = layouts.into_iter().flatten().min_by_key(|layout| moved(&kept, layout));
    fewest.unwrap_or_default()
}

/// The amount of the line that experiments lose, in hundredths of a percent.
fn moved(kept: &[Option<GroupMember>], layout: &[GroupMember]) -> u32 {
    let lost = kept.iter().zip(layout).filter_map(|(before, after)| {
        let before = (*before)?;
        let shared = before.to.min(after.to).saturating_sub(before.from.max(after.from));
        Some(before.to - before.from - shared)
    });
    lost.sum()
}

/// Layout in which members keep their ranges. Growing members take free space next to them; new members get the first
/// gap that is large enough. `None` when that is not possible.
fn in_place(kept: &[Option<GroupMember>], wanted: &[WantedSlot]) -> Option<Vec<GroupMember>> {
    let mut slots: Vec<Option<GroupMember>> = kept
        .iter()
        .zip(wanted)
        .map(|(before, slot)| before.map(|before| GroupMember { to: before.to.min(before.from + slot.size), ..before }))
        .collect();
    for at in 0..slots.len() {
        let size = wanted[at].size;
        let taken = |slots: &[Option<GroupMember>]| -> Vec<(u32, u32)> {
            let others = slots.iter().enumerate().filter(|(other, _)| *other != at);
            let mut taken: Vec<_> = others.filter_map(|(_, slot)| slot.map(|slot| (slot.from, slot.to))).collect();
            taken.sort_unstable();
            taken
        };
        let taken = taken(&slots);
        slots[at] = Some(match slots[at] {
            Some(slot) => {
                let left = taken.iter().map(|(_, to)| *to).filter(|to| *to <= slot.from).max().unwrap_or(0);
                let right = taken.iter().map(|(from, _)| *from).filter(|from| *from >= slot.to).min().unwrap_or(WHOLE);
                let to = right.min(slot.from + size);
                let from = to.checked_sub(size).filter(|from| *from >= left)?.min(slot.from);
                GroupMember { from, to, ..slot }
            }
            None => {
                let starts = std::iter::once(0).chain(taken.iter().map(|(_, to)| *to));
                let ends = taken.iter().map(|(from, _)| *from).chain([WHOLE]);
                let (from, _) = starts.zip(ends).find(|(start, end)| end.saturating_sub(*start) >= size)?;
                GroupMember { experiment: wanted[at].experiment, from, to: from + size }
            }
        });
    }
    slots.into_iter().collect()
}

/// Layout from left to right, in the previous order. Each member stays where it was, or as near to it as possible:
/// after the members to its left, and with room for those to its right. New members are last.
fn packed(kept: &[Option<GroupMember>], wanted: &[WantedSlot]) -> Vec<GroupMember> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|at| kept[*at].map_or(u32::MAX, |before| before.from));
    let mut needed: u32 = wanted.iter().map(|slot| slot.size).sum();
    let mut end = 0;
    let mut slots: Vec<GroupMember> =
        wanted.iter().map(|slot| GroupMember { experiment: slot.experiment, from: 0, to: 0 }).collect();
    for at in order {
        let size = wanted[at].size;
        let latest = WHOLE.saturating_sub(needed);
        let from = kept[at].map_or(end, |before| before.from).min(latest).max(end);
        end = from + size;
        needed -= size;
        slots[at] = GroupMember { from, to: end, ..slots[at] };
    }
    slots
}

/// Like [`packed`], from right to left.
fn mirrored(kept: &[Option<GroupMember>], wanted: &[WantedSlot]) -> Vec<GroupMember> {
    let mirror = |member: GroupMember| GroupMember { from: WHOLE - member.to, to: WHOLE - member.from, ..member };
    let kept: Vec<_> = kept.iter().map(|before| before.map(mirror)).collect();
    packed(&kept, wanted).into_iter().map(mirror).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ExperimentId;
    use proptest::prelude::*;

    fn wanted(sizes: &[(i64, u32)]) -> Vec<WantedSlot> {
        sizes.iter().map(|(id, size)| WantedSlot { experiment: ExperimentId(*id), size: *size }).collect()
    }

    /// The slots after each of these requests, one after the other.
    fn after(wishes: &[&[(i64, u32)]]) -> Vec<(i64, u32, u32)> {
        let slots = wishes.iter().fold(Vec::new(), |before, sizes| assign_slots(&before, &wanted(sizes)));
        slots.iter().map(|slot| (slot.experiment.0, slot.from, slot.to)).collect()
    }

    #[test]
    fn who_can_stay_stays() {
        for (wishes, expect) in [
            (vec![&[(1, 3_000), (2, 4_000)][..]], vec![(1, 0, 3_000), (2, 3_000, 7_000)]),
            // One grows into the free space on its right or its left.
            (vec![&[(1, 3_000), (2, 4_000)], &[(1, 3_000), (2, 7_000)]], vec![(1, 0, 3_000), (2, 3_000, 10_000)]),
            (
                vec![&[(1, 3_000), (2, 3_000), (3, 4_000)], &[(2, 5_000), (3, 4_000)]],
                vec![(2, 1_000, 6_000), (3, 6_000, 10_000)],
            ),
            // One leaves, and another takes its place.
            (
                vec![&[(1, 3_000), (2, 3_000), (3, 4_000)], &[(1, 3_000), (3, 4_000), (4, 2_000)]],
                vec![(1, 0, 3_000), (3, 6_000, 10_000), (4, 3_000, 5_000)],
            ),
            // The free space is fragmented. The fewest visitors move when the first makes room for the new one.
            (
                vec![
                    &[(1, 2_000), (2, 2_000), (3, 2_000), (4, 4_000)],
                    &[(1, 1_000), (2, 2_000), (3, 1_000), (4, 4_000)],
                    &[(1, 1_000), (2, 2_000), (3, 1_000), (4, 4_000), (5, 2_000)],
                ],
                vec![(1, 2_000, 3_000), (2, 3_000, 5_000), (3, 5_000, 6_000), (4, 6_000, 10_000), (5, 0, 2_000)],
            ),
        ] {
            assert_eq!(after(&wishes), expect, "{wishes:?}");
        }
    }

    proptest! {
        #[test]
        fn slots_are_apart_and_as_large_as_wanted(
            wishes in prop::collection::vec(prop::collection::vec((1i64..9, 1u32..4_000), 0..7), 1..6),
        ) {
            let mut before: Vec<GroupMember> = Vec::new();
            for mut sizes in wishes {
                sizes.sort_by_key(|(id, _)| *id);
                sizes.dedup_by_key(|(id, _)| *id);
                while sizes.iter().map(|(_, size)| size).sum::<u32>() > WHOLE {
                    sizes.pop();
                }
                let slots = assign_slots(&before, &wanted(&sizes));
                prop_assert_eq!(slots.len(), sizes.len());
                for (slot, (id, size)) in slots.iter().zip(&sizes) {
                    prop_assert_eq!((slot.experiment.0, slot.to - slot.from), (*id, *size));
                    prop_assert!(slot.to <= WHOLE);
                }
                let mut sorted = slots.clone();
                sorted.sort_by_key(|slot| slot.from);
                prop_assert!(sorted.windows(2).all(|pair| pair[0].to <= pair[1].from), "{:?}", slots);
                // A repeated assignment moves no visitors.
                prop_assert_eq!(assign_slots(&slots, &wanted(&sizes)), slots.clone());
                before = slots;
            }
        }
    }
}
