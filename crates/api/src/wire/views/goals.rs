//! Goals in answers.

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
    /// The company that owns the project.
    pub(crate) company_id: i64,
    /// Goals in this page.
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
    /// Its permanent key.
    goal_key: String,
    /// Display name.
    goal_name: String,
    /// What counts.
    #[schema(value_type = schemas::GoalType)]
    goal_type: &'static str,
    /// The value that the type looks for, as it was sent.
    #[schema(value_type = schemas::GoalValue)]
    goal_value: GoalValue,
    /// What it is for.
    #[schema(value_type = schemas::GoalPurpose)]
    goal_purpose: &'static str,
    /// The page on which its element was picked.
    #[schema(required)]
    element_url: Option<String>,
    /// Days after exposure within which an event counts; null for the whole test.
    #[schema(required)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    min_count: i64,
    /// Most value that one visitor contributes.
    #[schema(required)]
    cap: Option<f64>,
    /// Most that one order can plausibly be worth; larger ones do not count. When null, orders that were sent
    /// without a key count up to ten times the largest order that was sent with one.
    #[schema(required)]
    max_order_value: Option<f64>,
    /// The currency that orders count in (ISO 4217). When null, it is that of most buyers whose orders were sent
    /// with a key, and then of most buyers.
    #[schema(required)]
    currency: Option<String>,
    /// When it was made.
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

/// A goal was made or changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalChanged {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) goal_profile_id: i64,
    /// Its key.
    pub(crate) goal_key: String,
    /// The company that owns the project.
    pub(crate) company_id: i64,
}

/// A goal was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalDeleted {
    /// Always true.
    pub(crate) success: bool,
    /// The id it had.
    pub(crate) goal_profile_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
}
