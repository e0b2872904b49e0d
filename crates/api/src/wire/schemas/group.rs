//! Bodies of exclusion groups and holdouts.

use super::words::{GroupKind, WholeProject};
use utoipa::ToSchema;

/// A new group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupBody {
    /// Display name.
    #[schema(min_length = 1, max_length = 255, example = "Checkout")]
    name: String,
    /// Kind of group. It cannot be changed.
    kind: GroupKind,
    /// Experiments of an exclusion group, required for that kind. Their percentages sum to at
    /// most 100.
    #[schema(nullable = false, max_items = 100)]
    members: Option<Vec<GroupMemberBody>>,
    /// Percent of the visitors who are held out, required for a holdout. At most two
    /// decimals.
    #[schema(nullable = false, minimum = 0.1, maximum = 50, example = 5)]
    percent: Option<f64>,
    /// Experiments that a holdout's visitors do not meet, required for a holdout.
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
    /// Complete new list of an exclusion group's experiments.
    #[schema(nullable = false, max_items = 100)]
    members: Option<Vec<GroupMemberBody>>,
    /// Percent of the visitors who are held out. At most two decimals.
    #[schema(nullable = false, minimum = 0.1, maximum = 50, example = 5)]
    percent: Option<f64>,
    /// Experiments that a holdout's visitors do not meet.
    #[schema(nullable = false)]
    scope: Option<HoldoutScope>,
    /// true allows moving visitors of live experiments. Default: false.
    #[schema(nullable = false)]
    accept_moves: Option<bool>,
}

/// An experiment of an exclusion group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupMemberBody {
    /// Id of the experiment.
    test_id: i64,
    /// Percent of all visitors that the experiment gets. At most two decimals.
    #[schema(minimum = 0.01, maximum = 100, example = 30)]
    percent: f64,
}

/// Experiments that a holdout's visitors do not meet.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum HoldoutScope {
    /// All experiments of the project.
    Project(WholeProject),
    /// The listed experiments only.
    Tests(HoldoutTests),
}

/// Experiments by their ids.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HoldoutTests {
    /// Ids of the experiments.
    #[schema(max_items = 100)]
    tests: Vec<i64>,
}
