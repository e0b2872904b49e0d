//! The result of a holdout.

use super::arm::{Revenue, VariantResult};
use super::health::Health;
use super::metric::MetricResult;
use super::{GoalExcerpt, ResultAnswer};
use muriel_results::{Computed, Manifest};
use serde::Serialize;
use utoipa::ToSchema;

/// What all experiments of a holdout did together: those who are held out against everybody else.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoldoutResult {
    /// Always true.
    success: bool,
    /// Identifies the holdout.
    group_id: i64,
    /// Its display name.
    #[schema(example = "All of spring")]
    name: String,
    /// The first day that counts, in the asked time zone.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// The last day that counts; today while it goes on.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Days from the start to now, those begun counted whole.
    days_running: i64,
    /// The goal that most of its experiments have as their primary one.
    #[schema(required)]
    primary_goal: Option<GoalExcerpt>,
    /// Key of the goal that the numbers at the top are of.
    #[schema(required)]
    goal_key: Option<String>,
    /// Confidence threshold in percent.
    confidence_threshold_percent: i64,
    /// Everybody who did anything.
    total_visitors: u64,
    /// Visitors who converted.
    total_conversions: u64,
    #[serde(flatten)]
    revenue: Revenue,
    /// `"0"` are those who are held out, `"1"` is everybody else, whose lift is what the experiments did.
    variants: Vec<VariantResult>,
    /// Whether the data can be trusted.
    health: Health,
    /// The other metrics.
    metrics: Vec<MetricResult>,
    /// What the numbers were computed from; `muriel verify` computes them again.
    #[schema(value_type = Object)]
    manifest: Manifest,
}

impl HoldoutResult {
    /// The published shape of `computed`, which is about the holdout `group_id`.
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
