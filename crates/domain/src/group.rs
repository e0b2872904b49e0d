//! Exclusion groups, whose experiments share no visitors, and holdouts, whose visitors enter no experiment.
//!
//! Every group has a line of its own, on which each visitor has one place. Each experiment of an exclusion group has a
//! slot on that line. A holdout has the beginning of its line. Slots are measured in hundredths of a percent.

mod slots;

pub use slots::assign_slots;

use crate::experiment::WHOLE;
use crate::ids::{ExperimentId, GroupId};
use crate::{Flaw, Instant, Problems, text};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Maximum number of groups in a project.
pub const GROUPS_MAX: usize = 100;
/// Maximum number of experiments in a group.
pub const MEMBERS_MAX: usize = 100;
/// Allowed size of a holdout, in hundredths of a percent of the visitors. That is 0.1 % to 50 %.
const HELD_OUT: std::ops::RangeInclusive<u32> = 10..=5_000;

/// An exclusion group or a holdout.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Unique in the database, never reused.
    pub id: GroupId,
    /// Display name.
    pub name: String,
    /// Kind of group, with its experiments.
    pub kind: GroupKind,
    /// Time of creation.
    pub created_at: Instant,
}

/// Kind of a group, with its experiments.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupKind {
    /// The experiments share no visitors.
    Exclusion(Vec<GroupMember>),
    /// The held-out visitors enter none of the experiments in scope.
    Holdout {
        /// Size, in hundredths of a percent of the visitors.
        held_out: u32,
        /// Experiments that the held-out visitors do not enter.
        scope: HoldoutScope,
        /// Last change of the size or the scope, or the creation of the group.
        since: Instant,
    },
}

impl GroupKind {
    /// Word in the interface and the database.
    pub fn word(&self) -> &'static str {
        match self {
            GroupKind::Exclusion(_) => "exclusion",
            GroupKind::Holdout { .. } => "holdout",
        }
    }

    /// The experiments that the group lists. Empty for a holdout of the whole project.
    pub fn experiments(&self) -> Vec<ExperimentId> {
        match self {
            GroupKind::Exclusion(members) => members.iter().map(|member| member.experiment).collect(),
            GroupKind::Holdout { scope: HoldoutScope::Experiments(named), .. } => named.clone(),
            GroupKind::Holdout { scope: HoldoutScope::Project, .. } => Vec::new(),
        }
    }
}

/// An experiment of an exclusion group, and its slot.
///
/// Slots of one group do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupMember {
    /// Experiment id.
    pub experiment: ExperimentId,
    /// Start of the slot, inclusive, in hundredths of a percent.
    pub from: u32,
    /// End of the slot, exclusive.
    pub to: u32,
}

/// Experiments that a holdout's visitors do not enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldoutScope {
    /// All experiments of the project, including later ones.
    Project,
    /// Only these experiments.
    Experiments(Vec<ExperimentId>),
}

/// A slot to be assigned to an experiment in an exclusion group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedSlot {
    /// Experiment id.
    pub experiment: ExperimentId,
    /// Size of the slot, in hundredths of a percent; at least 1.
    pub size: u32,
}

/// A group to create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewGroup {
    /// Display name.
    pub name: String,
    /// Kind of group.
    pub kind: NewGroupKind,
}

/// Kind of a group to create.
#[derive(Debug, Clone, PartialEq)]
pub enum NewGroupKind {
    /// Experiments that share no visitors.
    Exclusion(Vec<WantedSlot>),
    /// Visitors who enter none of the experiments.
    Holdout {
        /// Size, in hundredths of a percent of the visitors.
        held_out: u32,
        /// Experiments that the held-out visitors do not enter.
        scope: HoldoutScope,
    },
}

/// Changes to a group: `None` keeps a field. The kind is permanent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupPatch {
    /// New name.
    pub name: Option<String>,
    /// The complete new set of members of an exclusion group.
    pub members: Option<Vec<WantedSlot>>,
    /// New size of a holdout, in hundredths of a percent of the visitors.
    pub held_out: Option<u32>,
    /// New scope of a holdout.
    pub scope: Option<HoldoutScope>,
}

/// Reads the name of a group: 1 to 255 characters.
///
/// # Errors
/// Text that [`text::name`] refuses.
pub fn parse_group_name(name: &str) -> Result<String, Flaw> {
    text::name(name, 255)
}

impl NewGroup {
    /// Returns the group that is created at `now`, without an id.
    ///
    /// # Errors
    /// Experiments that are listed twice, slots that do not fit on the line, and a holdout that is too small or too
    /// large.
    pub fn group(self, now: Instant) -> Result<Group, Problems> {
        let kind = match self.kind {
            NewGroupKind::Exclusion(wanted) => GroupKind::Exclusion(members(&[], &wanted)?),
            NewGroupKind::Holdout { held_out, scope } => holdout(held_out, scope, now)?,
        };
        Ok(Group { id: GroupId(0), name: self.name, kind, created_at: now })
    }
}

impl Group {
    /// Returns the group after `patch` at `now`. In an exclusion group, as few visitors as possible move.
    ///
    /// The new members replace the old ones, so an experiment that is not among them leaves the group. `since` of a
    /// holdout changes with its size and scope, and not with its name.
    ///
    /// # Errors
    /// Errors of [`NewGroup::group`], and fields of the other kind of group.
    pub fn patched(&self, patch: GroupPatch, now: Instant) -> Result<Group, Problems> {
        let kind = match &self.kind {
            GroupKind::Exclusion(before) => {
                let mut problems = Problems::default();
                for (field, is_sent) in [("percent", patch.held_out.is_some()), ("scope", patch.scope.is_some())] {
                    if is_sent {
                        problems.add(field, "is only for holdouts; an exclusion group has members");
                    }
                }
                problems.none_or(())?;
                match &patch.members {
                    Some(wanted) => GroupKind::Exclusion(members(before, wanted)?),
                    None => self.kind.clone(),
                }
            }
            GroupKind::Holdout { held_out, scope, since } => {
                if patch.members.is_some() {
                    return Err(Problems::one("members", "is only for exclusion groups; a holdout has a scope"));
                }
                let next_scope = patch.scope.unwrap_or_else(|| scope.clone());
                let next = patch.held_out.unwrap_or(*held_out);
                let is_same = (next, &next_scope) == (*held_out, scope);
                holdout(next, next_scope, if is_same { *since } else { now })?
            }
        };
        Ok(Group { name: patch.name.unwrap_or_else(|| self.name.clone()), kind, ..self.clone() })
    }

    /// The experiment's slot in an exclusion group, or the range of a holdout that it belongs to.
    fn slot_of(&self, experiment: ExperimentId) -> Option<GroupSlot> {
        let slot = |from, to| GroupSlot { group_id: self.id, from, to };
        match &self.kind {
            GroupKind::Exclusion(members) => {
                let member = members.iter().find(|member| member.experiment == experiment)?;
                Some(slot(member.from, member.to))
            }
            GroupKind::Holdout { held_out, scope, .. } => {
                let is_in = match scope {
                    HoldoutScope::Project => true,
                    HoldoutScope::Experiments(named) => named.contains(&experiment),
                };
                is_in.then(|| slot(0, *held_out))
            }
        }
    }
}

/// The wanted members, with slots assigned.
///
/// # Errors
/// Experiments that are named twice, more than 100 members, and sizes that sum to more than 100 percent.
fn members(before: &[GroupMember], wanted: &[WantedSlot]) -> Result<Vec<GroupMember>, Problems> {
    let mut problems = Problems::default();
    let mut seen = HashSet::new();
    for (at, slot) in wanted.iter().enumerate() {
        if !seen.insert(slot.experiment) {
            problems.add(format!("members[{at}].test_id"), "is named twice");
        }
    }
    if wanted.len() > MEMBERS_MAX {
        problems.add("members", format!("must have at most {MEMBERS_MAX} entries"));
    }
    let sum: u64 = wanted.iter().map(|slot| u64::from(slot.size)).sum();
    if sum > u64::from(WHOLE) {
        problems.add("members", format!("have {} percent together; must be at most 100", percent_of(sum)));
    }
    problems.none_or(())?;
    Ok(assign_slots(before, wanted))
}

/// Converts hundredths of a percent to percent.
fn percent_of(hundredths: u64) -> f64 {
    hundredths as f64 / 100.0
}

/// Checks the size and scope of a holdout. `since` is stored as given.
///
/// # Errors
/// `percent` outside 0.1 to 50, an experiment that is named twice, and more than 100 experiments.
fn holdout(held_out: u32, scope: HoldoutScope, since: Instant) -> Result<GroupKind, Problems> {
    let mut problems = Problems::default();
    if !HELD_OUT.contains(&held_out) {
        problems.add("percent", "must be a number from 0.1 to 50");
    }
    if let HoldoutScope::Experiments(named) = &scope {
        let mut seen = HashSet::new();
        for (at, experiment) in named.iter().enumerate() {
            if !seen.insert(*experiment) {
                problems.add(format!("scope.tests[{at}]"), "is named twice");
            }
        }
        if named.len() > MEMBERS_MAX {
            problems.add("scope.tests", format!("must have at most {MEMBERS_MAX} entries"));
        }
    }
    problems.none_or(GroupKind::Holdout { held_out, scope, since })
}

/// Visitors that groups leave to an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GroupPlaces {
    /// Slot in an exclusion group: only the visitors in it enter.
    #[serde(default)]
    pub exclusion: Option<GroupSlot>,
    /// Ranges of the holdouts that it belongs to, in ascending order of group id: the visitors in them do not enter.
    #[serde(default)]
    pub holdouts: Vec<GroupSlot>,
}

/// A range on a group's line, in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupSlot {
    /// Group id.
    pub group_id: GroupId,
    /// Start, inclusive.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
}

impl GroupSlot {
    /// Size of the range.
    fn size(self) -> u32 {
        self.to.saturating_sub(self.from)
    }

    /// Size of the overlap of two ranges of the same group.
    fn overlap(self, other: GroupSlot) -> u32 {
        self.to.min(other.to).saturating_sub(self.from.max(other.from))
    }
}

impl GroupPlaces {
    /// The places of an experiment when `group` is in the given state.
    ///
    /// The former place in this group is dropped. An experiment has one slot at most: a slot in an exclusion group
    /// replaces the one in another.
    #[must_use]
    pub fn with(&self, group: &Group, experiment: ExperimentId) -> Self {
        let mut places = self.without(group.id);
        let Some(slot) = group.slot_of(experiment) else { return places };
        match group.kind {
            GroupKind::Exclusion(_) => places.exclusion = Some(slot),
            GroupKind::Holdout { .. } => {
                places.holdouts.push(slot);
                places.holdouts.sort_by_key(|holdout| holdout.group_id);
            }
        }
        places
    }

    /// The places of an experiment without this group.
    #[must_use]
    pub fn without(&self, group: GroupId) -> Self {
        let others = |slot: &GroupSlot| slot.group_id != group;
        Self {
            exclusion: self.exclusion.filter(others),
            holdouts: self.holdouts.iter().copied().filter(others).collect(),
        }
    }

    /// Returns the shares of all visitors that leave and join the experiment in a change of groups. Places on the lines
    /// of different groups are independent.
    ///
    /// The places can be multiplied because each group has a salt of its own.
    pub fn moved_to(&self, after: &GroupPlaces) -> Moved {
        let (before_share, after_share) = (self.share(), after.share());
        let both = shared_exclusion(self.exclusion, after.exclusion) * shared_holdouts(&self.holdouts, &after.holdouts);
        Moved { leaving: (before_share - both) * 100.0, joining: (after_share - both) * 100.0 }
    }

    /// Share of all visitors that can enter, in percent. 100 without groups.
    pub fn percent_of_visitors(&self) -> f64 {
        self.share() * 100.0
    }

    /// Share of all visitors that can enter, 0 to 1.
    fn share(&self) -> f64 {
        shared_exclusion(self.exclusion, self.exclusion) * shared_holdouts(&self.holdouts, &self.holdouts)
    }
}

/// Visitors that a change of groups moves, in percent of all visitors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// Visitors who could enter before, and cannot after the change.
    pub leaving: f64,
    /// Visitors who can enter after the change, and could not before.
    pub joining: f64,
}

/// Converts hundredths of a percent to a share, 0 to 1.
fn share(hundredths: u32) -> f64 {
    f64::from(hundredths) / f64::from(WHOLE)
}

/// Share of all visitors that are in both slots. An absent slot has all visitors.
fn shared_exclusion(one: Option<GroupSlot>, other: Option<GroupSlot>) -> f64 {
    match (one, other) {
        (None, None) => 1.0,
        (Some(slot), None) | (None, Some(slot)) => share(slot.size()),
        (Some(one), Some(other)) if one.group_id == other.group_id => share(one.overlap(other)),
        (Some(one), Some(other)) => share(one.size()) * share(other.size()),
    }
}

/// Share of all visitors that are in no holdout of either list.
///
/// Ranges of the same group overlap, so their union counts. Different groups are independent.
fn shared_holdouts(before: &[GroupSlot], after: &[GroupSlot]) -> f64 {
    let only_after = after.iter().filter(|slot| before.iter().all(|other| other.group_id != slot.group_id));
    let in_before = before.iter().map(|slot| {
        let other = after.iter().find(|other| other.group_id == slot.group_id);
        other.map_or(slot.size(), |other| slot.size() + other.size() - slot.overlap(*other))
    });
    in_before.chain(only_after.map(|slot| slot.size())).map(|held_out| 1.0 - share(held_out)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(group: i64, from: u32, to: u32) -> GroupSlot {
        GroupSlot { group_id: GroupId(group), from, to }
    }

    fn places(exclusion: Option<GroupSlot>, holdouts: &[GroupSlot]) -> GroupPlaces {
        GroupPlaces { exclusion, holdouts: holdouts.to_vec() }
    }

    #[test]
    fn changes_say_whom_they_move() {
        for (before, after, leaving, joining) in [
            (places(None, &[]), places(None, &[]), 0.0, 0.0),
            (places(None, &[]), places(Some(slot(1, 0, 3_000)), &[]), 70.0, 0.0),
            (places(Some(slot(1, 0, 3_000)), &[]), places(None, &[]), 0.0, 70.0),
            (places(Some(slot(1, 0, 3_000)), &[]), places(Some(slot(1, 1_000, 5_000)), &[]), 10.0, 20.0),
            (places(Some(slot(1, 0, 5_000)), &[]), places(Some(slot(2, 0, 5_000)), &[]), 25.0, 25.0),
            (places(None, &[]), places(None, &[slot(3, 0, 500)]), 5.0, 0.0),
            (places(None, &[slot(3, 0, 500)]), places(None, &[slot(3, 0, 800)]), 3.0, 0.0),
            (places(None, &[slot(3, 0, 500)]), places(None, &[slot(4, 0, 500)]), 4.75, 4.75),
            (places(Some(slot(1, 0, 5_000)), &[]), places(Some(slot(1, 0, 5_000)), &[slot(3, 0, 1_000)]), 5.0, 0.0),
        ] {
            let moved = before.moved_to(&after);
            let near = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
            assert!(near(moved.leaving, leaving) && near(moved.joining, joining), "{before:?} {after:?} {moved:?}");
        }
    }

    #[test]
    fn places_follow_their_groups() {
        let group = |id, kind| Group { id: GroupId(id), name: "N".into(), kind, created_at: Instant::from_us(0) };
        let scope = HoldoutScope::Project;
        let since = Instant::from_us(0);
        let holdout = group(7, GroupKind::Holdout { held_out: 500, scope, since });
        let named = HoldoutScope::Experiments(vec![ExperimentId(2)]);
        let other = group(3, GroupKind::Holdout { held_out: 100, scope: named, since });
        let member = GroupMember { experiment: ExperimentId(1), from: 0, to: 4_000 };
        let exclusion = group(5, GroupKind::Exclusion(vec![member]));
        let of = |experiment| {
            let none = GroupPlaces::default();
            [&holdout, &other, &exclusion]
                .iter()
                .fold(none, |places, group| places.with(group, ExperimentId(experiment)))
        };
        assert_eq!(of(1), places(Some(slot(5, 0, 4_000)), &[slot(7, 0, 500)]));
        assert_eq!(of(2), places(None, &[slot(3, 0, 100), slot(7, 0, 500)]));
        assert_eq!(of(1).with(&holdout, ExperimentId(1)), of(1), "a group is there once");
        assert_eq!(of(1).without(GroupId(5)).without(GroupId(7)), GroupPlaces::default());
    }

    #[test]
    fn a_holdout_begins_anew_with_other_visitors_or_experiments() {
        let at = Instant::from_us;
        let whole = NewGroupKind::Holdout { held_out: 500, scope: HoldoutScope::Project };
        let made = NewGroup { name: "N".into(), kind: whole }.group(at(1)).unwrap();
        let named = HoldoutScope::Experiments(vec![ExperimentId(1)]);
        for (patch, expect) in [
            (GroupPatch::default(), 1),
            (GroupPatch { name: Some("M".into()), ..GroupPatch::default() }, 1),
            (GroupPatch { held_out: Some(500), scope: Some(HoldoutScope::Project), ..GroupPatch::default() }, 1),
            (GroupPatch { held_out: Some(600), ..GroupPatch::default() }, 2),
            (GroupPatch { scope: Some(named), ..GroupPatch::default() }, 2),
        ] {
            let GroupKind::Holdout { since, .. } = made.patched(patch.clone(), at(2)).unwrap().kind else { panic!() };
            assert_eq!(since, at(expect), "{patch:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wanted = |sizes: &[(i64, u32)]| -> Vec<_> {
            sizes.iter().map(|(id, size)| WantedSlot { experiment: ExperimentId(*id), size: *size }).collect()
        };
        let refused = |kind: NewGroupKind| -> Vec<String> {
            let made = NewGroup { name: "N".into(), kind }.group(Instant::from_us(0));
            made.err().map_or_else(Vec::new, |problems| problems.iter().map(|it| it.field.to_string()).collect())
        };
        let none: [&str; 0] = [];
        assert_eq!(refused(NewGroupKind::Exclusion(wanted(&[(1, 5_000), (2, 5_000)]))), none);
        assert_eq!(refused(NewGroupKind::Exclusion(wanted(&[(1, 5_000), (2, 5_001)]))), ["members"]);
        assert_eq!(refused(NewGroupKind::Exclusion(wanted(&[(1, 50), (1, 50)]))), ["members[1].test_id"]);
        for (held_out, expect) in [(9, vec!["percent"]), (10, vec![]), (5_000, vec![]), (5_001, vec!["percent"])] {
            let scope = HoldoutScope::Project;
            assert_eq!(refused(NewGroupKind::Holdout { held_out, scope }), expect, "{held_out}");
        }
        let twice = HoldoutScope::Experiments(vec![ExperimentId(1), ExperimentId(1)]);
        assert_eq!(refused(NewGroupKind::Holdout { held_out: 500, scope: twice }), ["scope.tests[1]"]);
    }
}
