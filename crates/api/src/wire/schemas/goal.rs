//! Goals.

use super::words::{GoalPurpose, GoalType};
use utoipa::ToSchema;

/// What a goal looks for: text, or an integer for `scrolling` and `duration`.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum GoalValue {
    /// Text.
    Text(String),
    /// Percent or seconds.
    Number(i64),
}

/// A new goal.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalBody {
    /// Display name.
    #[schema(min_length = 1, max_length = 255)]
    goal_name: String,
    /// What counts.
    goal_type: GoalType,
    /// The value that the type looks for.
    goal_value: GoalValue,
    /// Its permanent key; made from the name unless given.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    goal_key: Option<String>,
    /// `sell` unless given.
    #[schema(nullable = false)]
    goal_purpose: Option<GoalPurpose>,
    /// The page on which its element was picked.
    #[schema(max_length = 2048)]
    element_url: Option<String>,
    /// Days after exposure within which an event counts.
    #[schema(minimum = 1, maximum = 365)]
    window_days: Option<i64>,
    /// Events needed for a conversion; 1 unless given.
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    min_count: Option<i64>,
    /// Most value that one visitor contributes.
    #[schema(exclusive_minimum = 0)]
    cap: Option<f64>,
    /// Most that one order can plausibly be worth; larger ones do not count.
    #[schema(exclusive_minimum = 0, maximum = 100_000_000_000_i64)]
    max_order_value: Option<f64>,
    /// The currency that orders count in (ISO 4217).
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
}

/// Changes to a goal.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalPatch {
    /// Display name.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    goal_name: Option<String>,
    /// What counts.
    #[schema(nullable = false)]
    goal_type: Option<GoalType>,
    /// The value that the type looks for.
    #[schema(nullable = false)]
    goal_value: Option<GoalValue>,
    /// What it is for.
    #[schema(nullable = false)]
    goal_purpose: Option<GoalPurpose>,
    /// The page on which its element was picked.
    #[schema(max_length = 2048)]
    element_url: Option<String>,
    /// Days after exposure within which an event counts.
    #[schema(minimum = 1, maximum = 365)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    min_count: Option<i64>,
    /// Most value that one visitor contributes.
    #[schema(exclusive_minimum = 0)]
    cap: Option<f64>,
    /// Most that one order can plausibly be worth; larger ones do not count.
    #[schema(exclusive_minimum = 0, maximum = 100_000_000_000_i64)]
    max_order_value: Option<f64>,
    /// The currency that orders count in (ISO 4217).
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
}
