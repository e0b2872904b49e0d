//! Results in responses. Rates, lifts and shares are in percent.

mod arm;
mod breakdown;
mod csv;
pub(super) use csv::Csv;
pub(super) use numbers::percent;
mod health;
mod holdout;
mod locked;
mod metric;
mod numbers;
mod page;
mod plan;
mod shared;
mod timeseries;

pub use holdout::HoldoutResult;
pub(crate) use plan::PlanAnswer;
pub(crate) use shared::{SharedResult, SharedTimeseries};
pub(crate) use timeseries::TimeseriesAnswer;

use arm::{Revenue, VariantResult};
use breakdown::Breakdown;
use health::Health;
use locked::{Exploratory, ResultPlan};
use metric::MetricResult;
use muriel_results::{Computed, Counted, Labels, Manifest, MetricFacts, Numbers};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Result of an experiment.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResultAnswer {
    /// Always true.
    success: bool,
    /// Identifies the experiment.
    test_id: i64,
    /// Display name.
    test_name: String,
    /// `draft`, `live` or `inactive`.
    status: String,
    /// 9 draft, 1 live, 0 inactive.
    status_code: u8,
    /// First day of the result, in the requested time zone; null before the first start.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// Last day of the result; today while it is running.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Days from the start to the end, or to now; days that have begun count as whole.
    days_running: i64,
    /// Primary goal of the experiment.
    #[schema(required)]
    primary_goal: Option<GoalExcerpt>,
    /// Key of the goal for the numbers at the top.
    #[schema(required)]
    goal_key: Option<String>,
    /// `pre_deploy`, `post_deploy` or `all_time`.
    report_phase: Value,
    /// `bayesian` or `frequentist`: the view that the team uses.
    stats_engine: &'static str,
    /// Confidence threshold in percent.
    confidence_threshold_percent: i64,
    /// Variant that is served as the winner.
    #[schema(required)]
    serving_variant_id: Option<String>,
    /// 1 for a multi-armed bandit.
    is_mab: u8,
    /// Percentage of eligible visitors that enter.
    traffic_allocation: i64,
    /// `equal`, `custom` or `mab`.
    distribution_mode: String,
    /// Number of visitors in all arms.
    total_visitors: u64,
    /// Number of visitors who converted.
    total_conversions: u64,
    #[serde(flatten)]
    revenue: Revenue,
    /// The arms, the control first.
    variants: Vec<VariantResult>,
    /// The arms by the requested attribute, largest segment first, at most 50 segments and the rest.
    breakdowns: Vec<Breakdown>,
    /// Health checks of the data.
    health: Health,
    /// Page health of the arms, the control first.
    page_health: Vec<page::PageHealth>,
    /// The other metrics.
    metrics: Vec<MetricResult>,
    /// Data that the numbers were computed from; `muriel verify` recomputes them.
    #[schema(value_type = Object)]
    manifest: Manifest,
    /// Plan as locked at the first start; null if no plan was locked. Absent in results of releases that did not lock
    /// plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Option<ResultPlan>>,
    /// Note about the plan: why there is none, or that it was locked late.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_note: Option<String>,
    /// Label for the numbers at the top.
    #[serde(flatten)]
    exploratory: Exploratory,
}

/// Summary of a goal.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalExcerpt {
    /// Permanent key.
    goal_key: String,
    /// Display name.
    goal_name: String,
    /// Kind of event that counts as a conversion.
    goal_type: String,
    /// Value that the type looks for: text, or a number.
    #[schema(value_type = crate::wire::schemas::GoalValue)]
    goal_value: Value,
}

impl ResultAnswer {
    /// Response for `computed`.
    pub fn new(computed: &Computed) -> Self {
        let manifest = &computed.manifest;
        let facts = &manifest.experiment;
        let top = manifest.top();
        let days = manifest.days();
        let shown = top.and(computed.metrics.first());
        let arms: Vec<Numbers> = match shown {
            Some(shown) => shown.arms.clone(),
            None => {
                computed.visitors.iter().map(|visitors| Numbers { visitors: *visitors, ..Numbers::default() }).collect()
            }
        };
        let sum = |of: fn(&Numbers) -> u64| arms.iter().map(of).sum::<u64>();
        let total = Numbers {
            visitors: sum(|arm| arm.visitors),
            open: 0,
            converted: sum(|arm| arm.converted),
            events: sum(|arm| arm.events),
            units: arms.iter().map(|arm| arm.units).sum(),
        };
        let others = usize::from(top.is_some());
        let labels = Labels::of_result(computed);
        Self {
            success: true,
            test_id: facts.test_id,
            test_name: facts.test_name.clone(),
            status: facts.status.clone(),
            status_code: match facts.status.as_str() {
                "live" => 1,
                "draft" => 9,
                _ => 0,
            },
            start_date: days.first.map(|day| day.to_string()),
            end_date: days.last.map(|day| day.to_string()),
            days_running: days.count,
            primary_goal: manifest.metrics.iter().find(|metric| metric.role == "primary").and_then(GoalExcerpt::new),
            goal_key: top.map(|metric| metric.key.clone()),
            report_phase: serde_json::to_value(manifest.inquiry.report_phase).unwrap_or_default(),
            stats_engine: if facts.bayesian { "bayesian" } else { "frequentist" },
            confidence_threshold_percent: facts.confidence_percent,
            serving_variant_id: facts.serving_variant_id.clone(),
            is_mab: facts.is_mab.into(),
            traffic_allocation: facts.traffic_allocation,
            distribution_mode: facts.distribution_mode.clone(),
            total_visitors: total.visitors,
            total_conversions: total.converted,
            revenue: top.zip(shown).map(|(top, shown)| Revenue::new(top, shown, &total)).unwrap_or_default(),
            variants: (0..facts.arms.len()).map(|arm| VariantResult::new(computed, &arms, arm, &labels)).collect(),
            breakdowns: computed.parts.iter().map(|part| Breakdown::new(computed, part, &labels)).collect(),
            health: Health::new(computed),
            metrics: (others..manifest.metrics.len()).map(|at| MetricResult::new(computed, at, &labels)).collect(),
            exploratory: Exploratory::new(labels.top.as_ref()),
            plan_note: labels.note,
            plan: ResultPlan::of(manifest, labels.changed_since, labels.held_back),
            page_health: page::PageHealth::all(computed),
            manifest: manifest.clone(),
        }
    }
}

impl GoalExcerpt {
    /// Goal that a metric counts; `None` if it counts something else.
    fn new(facts: &MetricFacts) -> Option<Self> {
        let Counted::Goal { goal_type, goal_value, .. } = &facts.counted else { return None };
        Some(Self {
            goal_key: facts.key.clone(),
            goal_name: facts.name.clone(),
            goal_type: goal_type.clone(),
            goal_value: serde_json::to_value(goal_value).unwrap_or_default(),
        })
    }
}
