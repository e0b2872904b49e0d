//! Exclusion groups and holdouts in answers.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::group::{Group, GroupKind, GroupMember, HoldoutScope};
use muriel_service::groups::GroupChanged as Changed;
use serde::Serialize;
use utoipa::ToSchema;

/// Buckets of a hundredth of a percent of the line.
const PER_HUNDREDTH: u32 = 100;

/// A project's exclusion groups and holdouts.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupList {
    /// Always true.
    pub(crate) success: bool,
    /// Oldest first; at most 100.
    pub(crate) exclusion_groups: Vec<ExclusionGroup>,
}

/// An exclusion group, whose experiments share no visitor, or a holdout, whose visitors meet none of its experiments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionGroup {
    /// Identifies the group.
    group_id: i64,
    /// Display name.
    #[schema(example = "Checkout")]
    name: String,
    /// What it does.
    #[schema(value_type = schemas::GroupKind)]
    kind: &'static str,
    /// Percent of the visitors whom a holdout keeps out; null for an exclusion group.
    #[schema(required, example = 5)]
    percent: Option<f64>,
    /// Since when a holdout has these visitors and experiments: its result counts from then on; null for an exclusion group.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    since: Option<Instant>,
    /// Which experiments visitors of a holdout do not meet; null for an exclusion group.
    #[schema(required, value_type = Option<schemas::HoldoutScope>)]
    scope: Option<Scope>,
    /// The experiments of an exclusion group, by their slots; empty for a holdout.
    members: Vec<ExclusionGroupMember>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
}

/// Which experiments visitors of a holdout do not meet.
#[derive(Serialize)]
#[serde(untagged)]
enum Scope {
    Project(&'static str),
    Tests { tests: Vec<i64> },
}

/// An experiment of an exclusion group. Its visitors are those whose bucket, of a million, is in its slot.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionGroupMember {
    /// The experiment's id.
    test_id: i64,
    /// Percent of all visitors that it gets.
    #[schema(example = 30)]
    percent: f64,
    /// The first bucket of its slot.
    #[schema(minimum = 0, maximum = 1_000_000)]
    from: u32,
    /// The first bucket after its slot.
    #[schema(minimum = 0, maximum = 1_000_000)]
    to: u32,
}

impl From<GroupMember> for ExclusionGroupMember {
    fn from(member: GroupMember) -> Self {
        Self {
            test_id: member.experiment.0,
            percent: percent(member.to.saturating_sub(member.from)),
            from: member.from * PER_HUNDREDTH,
            to: member.to * PER_HUNDREDTH,
        }
    }
}

fn percent(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}

impl From<Group> for ExclusionGroup {
    fn from(group: Group) -> Self {
        let kind = group.kind.word();
        let (held_out, scope, members) = match group.kind {
            GroupKind::Exclusion(members) => (None, None, members),
            GroupKind::Holdout { held_out, scope, since } => (Some((held_out, since)), Some(scope), Vec::new()),
        };
        Self {
            group_id: group.id.0,
            name: group.name,
            kind,
            percent: held_out.map(|(held_out, _)| percent(held_out)),
            since: held_out.map(|(_, since)| since),
            scope: scope.map(|scope| match scope {
                HoldoutScope::Project => Scope::Project("project"),
                HoldoutScope::Experiments(named) => Scope::Tests { tests: named.iter().map(|id| id.0).collect() },
            }),
            members: members.into_iter().map(Into::into).collect(),
            created_at: group.created_at,
        }
    }
}

/// A group was made or changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupChanged {
    /// Always true.
    success: bool,
    /// Its id.
    group_id: i64,
    /// Which visitors of which experiments meet something else now, a sentence each.
    warnings: Vec<String>,
}

impl From<Changed> for GroupChanged {
    fn from(changed: Changed) -> Self {
        Self { success: true, group_id: changed.id.0, warnings: changed.warnings }
    }
}

/// A group was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupDeleted {
    /// Always true.
    success: bool,
    /// The id it had.
    group_id: i64,
    /// Always true.
    deleted: bool,
    /// Which visitors of which experiments meet something else now, a sentence each.
    warnings: Vec<String>,
}

impl From<Changed> for GroupDeleted {
    fn from(changed: Changed) -> Self {
        Self { success: true, group_id: changed.id.0, deleted: true, warnings: changed.warnings }
    }
}
