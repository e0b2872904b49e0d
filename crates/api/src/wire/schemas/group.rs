//! Exclusion groups and holdouts, as they are sent.

use super::words::{GroupKind, WholeProject};
use utoipa::ToSchema;

/// A new group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupBody {
    /// Display name.
    #[schema(min_length = 1, max_length = 255, example = "Checkout")]
    name: String,
    /// What it does; permanent.
    kind: GroupKind,
    /// The experiments of an exclusion group, which needs them: together at most 100 percent.
    #[schema(nullable = false, max_items = 100)]
    members: Option<Vec<GroupMemberBody>>,
    /// Percent of the visitors who are held out; a holdout needs it. At most two decimals.
    #[schema(nullable = false, minimum = 0.1, maximum = 50, example = 5)]
    percent: Option<f64>,
    /// Which experiments visitors of a holdout do not meet; a holdout needs it.
    #[schema(nullable = false)]
    scope: Option<HoldoutScope>,
}

/// Changes to a group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupPatch {
    /// Display name.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Checkout")]
    name: Option<String>,
    /// The complete new list of experiments of an exclusion group.
    #[schema(nullable = false, max_items = 100)]
    members: Option<Vec<GroupMemberBody>>,
    /// Percent of the visitors who are held out. At most two decimals.
    #[schema(nullable = false, minimum = 0.1, maximum = 50, example = 5)]
    percent: Option<f64>,
    /// Which experiments visitors of a holdout do not meet.
    #[schema(nullable = false)]
    scope: Option<HoldoutScope>,
    /// Whether visitors of live experiments may be moved; false unless sent.
    #[schema(nullable = false)]
    accept_moves: Option<bool>,
}

/// An experiment that is to be in an exclusion group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupMemberBody {
    /// The experiment's id.
    test_id: i64,
    /// Percent of all visitors that it gets. At most two decimals.
    #[schema(minimum = 0.01, maximum = 100, example = 30)]
    percent: f64,
}

/// Which experiments visitors of a holdout do not meet.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum HoldoutScope {
    /// Every experiment of the project.
    Project(WholeProject),
    /// Some.
    Tests(HoldoutTests),
}

/// Experiments by their ids.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HoldoutTests {
    /// Their ids.
    #[schema(max_items = 100)]
    tests: Vec<i64>,
}
