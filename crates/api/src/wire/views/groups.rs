//! Exclusion groups and holdouts in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::group::{Group, GroupKind, GroupMember, HoldoutScope};
use muriel_service::groups::GroupChanged as Changed;
use serde::Serialize;
use utoipa::ToSchema;

/// Buckets per hundredth of a percent of the group line.
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

/// An exclusion group, whose experiments share no visitor, or a holdout, whose visitors do not enter its experiments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionGroup {
    /// Identifies the group.
    group_id: i64,
    /// Display name.
    #[schema(example = "Checkout")]
    name: String,
    /// Kind of group.
    #[schema(value_type = schemas::GroupKind)]
    kind: &'static str,
    /// Percent of the visitors who are held out; null for an exclusion group.
    #[schema(required, example = 5)]
    percent: Option<f64>,
    /// Time since which a holdout has these visitors and experiments, and from which its result counts; null for an
    /// exclusion group.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    since: Option<Instant>,
    /// Experiments that a holdout's visitors do not meet; null for an exclusion group.
    #[schema(required, value_type = Option<schemas::HoldoutScope>)]
    scope: Option<Scope>,
    /// Experiments of an exclusion group, by slot; empty for a holdout.
    members: Vec<ExclusionGroupMember>,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
}

/// Experiments that a holdout's visitors do not meet.
#[derive(Serialize)]
#[serde(untagged)]
enum Scope {
    Project(&'static str),
    Tests { tests: Vec<i64> },
}

/// An experiment of an exclusion group. It gets the visitors whose bucket, from 0 to 999,999, is in its slot.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExclusionGroupMember {
    /// Id of the experiment.
    test_id: i64,
    /// Percent of all visitors that the experiment gets.
    #[schema(example = 30)]
    percent: f64,
    /// First bucket of its slot.
    #[schema(minimum = 0, maximum = 1_000_000)]
    from: u32,
    /// First bucket after its slot.
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

/// A group was created or changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupChanged {
    /// Always true.
    success: bool,
    /// Id of the group.
    group_id: i64,
    /// Messages about visitors of live experiments whose assignment changes.
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
    /// Id of the deleted group.
    group_id: i64,
    /// Always true.
    deleted: bool,
    /// Messages about visitors of live experiments whose assignment changes.
    warnings: Vec<String>,
}

impl From<Changed> for GroupDeleted {
    fn from(changed: Changed) -> Self {
        Self { success: true, group_id: changed.id.0, deleted: true, warnings: changed.warnings }
    }
}
