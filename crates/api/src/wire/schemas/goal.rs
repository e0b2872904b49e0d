//! Goals.

use super::words::{GoalPurpose, GoalType};
use utoipa::ToSchema;

/// Value that a goal looks for: text, or an integer for `scrolling` and
/// `duration`.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum GoalValue {
    /// Text, such as a selector, a URL or an event's name.
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
    /// Kind of event that counts as a conversion.
    goal_type: GoalType,
    /// Value that the type looks for, such as a selector.
    goal_value: GoalValue,
    /// Permanent key; generated from the name unless given.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    goal_key: Option<String>,
    /// Purpose; `sell` unless given.
    #[schema(nullable = false)]
    goal_purpose: Option<GoalPurpose>,
    /// Page on which the element was picked.
    #[schema(max_length = 2048)]
    element_url: Option<String>,
    /// Days after an exposure within which an event counts.
    #[schema(minimum = 1, maximum = 365)]
    window_days: Option<i64>,
    /// Events needed for a conversion; 1 unless given.
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    min_count: Option<i64>,
    /// Maximum value that one visitor contributes.
    #[schema(exclusive_minimum = 0)]
    cap: Option<f64>,
    /// Largest plausible value of an order. Larger orders do not count.
    #[schema(exclusive_minimum = 0, maximum = 100_000_000_000_i64)]
    max_order_value: Option<f64>,
    /// Currency in which orders are counted (ISO 4217).
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
    /// Kind of event that counts as a conversion.
    #[schema(nullable = false)]
    goal_type: Option<GoalType>,
    /// Value that the type looks for, such as a selector.
    #[schema(nullable = false)]
    goal_value: Option<GoalValue>,
    /// Purpose.
    #[schema(nullable = false)]
    goal_purpose: Option<GoalPurpose>,
    /// Page on which the element was picked.
    #[schema(max_length = 2048)]
    element_url: Option<String>,
    /// Days after an exposure within which an event counts.
    #[schema(minimum = 1, maximum = 365)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    #[schema(nullable = false, minimum = 1, maximum = 1000)]
    min_count: Option<i64>,
    /// Maximum value that one visitor contributes.
    #[schema(exclusive_minimum = 0)]
    cap: Option<f64>,
    /// Largest plausible value of an order. Larger orders do not count.
    #[schema(exclusive_minimum = 0, maximum = 100_000_000_000_i64)]
    max_order_value: Option<f64>,
    /// Currency in which orders are counted (ISO 4217).
    #[schema(pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
}
