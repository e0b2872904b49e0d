//! Goals in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::goal::{Goal as DomainGoal, GoalValue};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of a project's goals.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalList {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the company that owns the project.
    pub(crate) company_id: i64,
    /// Number of goals on this page.
    pub(crate) count: usize,
    /// Oldest first.
    pub(crate) goals: Vec<Goal>,
}

/// A goal.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Goal {
    /// Identifies the goal.
    goal_profile_id: i64,
    /// Permanent key.
    goal_key: String,
    /// Display name.
    goal_name: String,
    /// Kind of event that counts as a conversion.
    #[schema(value_type = schemas::GoalType)]
    goal_type: &'static str,
    /// Value that the type looks for, as sent.
    #[schema(value_type = schemas::GoalValue)]
    goal_value: GoalValue,
    /// Purpose.
    #[schema(value_type = schemas::GoalPurpose)]
    goal_purpose: &'static str,
    /// Page on which the element was picked.
    #[schema(required)]
    element_url: Option<String>,
    /// Days after an exposure within which an event counts; null for the whole test.
    #[schema(required)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    min_count: i64,
    /// Maximum value that one visitor contributes.
    #[schema(required)]
    cap: Option<f64>,
    /// Largest plausible value of an order. Larger orders do not count. If null, orders sent without a key count
    /// up to ten times the largest order sent with one.
    #[schema(required)]
    max_order_value: Option<f64>,
    /// Currency in which orders are counted (ISO 4217). If null, the one of most buyers whose orders were sent
    /// with a key, or else of most buyers.
    #[schema(required)]
    currency: Option<String>,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
}

impl From<DomainGoal> for Goal {
    fn from(goal: DomainGoal) -> Self {
        let definition = goal.definition;
        Self {
            goal_profile_id: goal.id.0,
            goal_key: goal.key,
            goal_name: definition.name,
            goal_type: definition.trigger.goal_type().word(),
            goal_value: definition.trigger.value().clone(),
            goal_purpose: definition.purpose.word(),
            element_url: definition.element_url,
            window_days: definition.window_days,
            min_count: definition.min_count,
            cap: definition.cap,
            max_order_value: definition.max_order_value,
            currency: definition.currency,
            created_at: goal.created_at,
        }
    }
}

/// One goal.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// The goal.
    pub(crate) goal: Goal,
}

/// A goal was created or changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalChanged {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the goal.
    pub(crate) goal_profile_id: i64,
    /// Key of the goal.
    pub(crate) goal_key: String,
    /// Id of the company that owns the project.
    pub(crate) company_id: i64,
}

/// A goal was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalDeleted {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the deleted goal.
    pub(crate) goal_profile_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
}
