//! Schemas of documents that pages fetch: rulesets, previews, geography.

use super::goal::GoalValue;
use super::words::{GoalType, PartName};
use utoipa::ToSchema;

/// A project's ruleset, as described in docs/assignment.md.
#[derive(ToSchema)]
pub(crate) struct RulesetDocument {
    /// Format version: 2, or 1 if no experiment has a holdout.
    format: i64,
    /// Version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
    /// Goals that only the page can observe. Absent if there are none.
    #[schema(nullable = false)]
    goals: Option<Vec<WatchedGoal>>,
}

/// A goal that only the page can observe.
#[derive(ToSchema)]
pub(crate) struct WatchedGoal {
    goal_key: String,
    goal_type: GoalType,
    goal_value: GoalValue,
}

/// Content of a preview.
#[derive(ToSchema)]
pub(crate) struct PreviewDocument {
    /// Format version: 2, or 1 if no experiment has a holdout.
    format: i64,
    /// Version of hashing, 1.
    hash: i64,
    project_key: String,
    #[schema(value_type = Vec<Object>)]
    experiments: Vec<()>,
    /// Parts of the script that the preview needs, files of `/js/parts/`.
    parts: Vec<PartName>,
}

/// Location of a connection.
#[derive(ToSchema)]
pub(crate) struct GeographyAnswer {
    /// Country as an ISO 3166-1 alpha-2 code.
    country: Option<String>,
    /// Region, such as `California (US)`.
    region: Option<String>,
    /// City, such as `Berlin (Berlin)`.
    city: Option<String>,
}
