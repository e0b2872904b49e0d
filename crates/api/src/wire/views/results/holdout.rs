//! Results of holdouts.

use super::arm::{Revenue, VariantResult};
use super::health::Health;
use super::metric::MetricResult;
use super::{GoalExcerpt, ResultAnswer};
use muriel_results::{Computed, Manifest};
use serde::Serialize;
use utoipa::ToSchema;

/// Combined effect of all experiments of a holdout: held-out visitors compared with all others.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoldoutResult {
    /// Always true.
    success: bool,
    /// Identifies the holdout.
    group_id: i64,
    /// Display name.
    #[schema(example = "All of spring")]
    name: String,
    /// First day of the result, in the requested time zone.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// Last day of the result; today while it is running.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Days from the start to now; days that have begun count as whole.
    days_running: i64,
    /// Goal that most of its experiments have as their primary one.
    #[schema(required)]
    primary_goal: Option<GoalExcerpt>,
    /// Key of the goal for the numbers at the top.
    #[schema(required)]
    goal_key: Option<String>,
    /// Confidence threshold in percent.
    confidence_threshold_percent: i64,
    /// Number of visitors with any event.
    total_visitors: u64,
    /// Visitors who converted.
    total_conversions: u64,
    #[serde(flatten)]
    revenue: Revenue,
    /// `"0"` are the held-out visitors, `"1"` all others, whose lift is the effect of the experiments.
    variants: Vec<VariantResult>,
    /// Health checks of the data.
    health: Health,
    /// The other metrics.
    metrics: Vec<MetricResult>,
    /// Data that the numbers were computed from; `muriel verify` recomputes them.
    #[schema(value_type = Object)]
    manifest: Manifest,
}

impl HoldoutResult {
    /// Response for `computed`, the result of the holdout `group_id`.
    pub fn new(group_id: i64, computed: &Computed) -> Self {
        let ResultAnswer {
            success,
            test_name,
            start_date,
            end_date,
            days_running,
            primary_goal,
            goal_key,
            confidence_threshold_percent,
            total_visitors,
            total_conversions,
            revenue,
            variants,
            health,
            metrics,
            manifest,
            ..
        } = ResultAnswer::new(computed);
        Self {
            success,
            group_id,
            name: test_name,
            start_date,
            end_date,
            days_running,
            primary_goal,
            goal_key,
            confidence_threshold_percent,
            total_visitors,
            total_conversions,
            revenue,
            variants,
            health,
            metrics,
            manifest,
        }
    }
}
