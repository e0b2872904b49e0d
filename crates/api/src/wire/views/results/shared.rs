//! Results for strangers: what somebody with a link sees of a result.
//!
//! Both answers are made from the whole ones, taken apart field by field and without `..`: a field that a result gets does not
//! compile here until somebody has decided whether strangers see it.

use super::arm::{Revenue, VariantResult};
use super::breakdown::Breakdown;
use super::health::Health;
use super::locked::Exploratory;
use super::metric::MetricResult;
use super::page::PageHealth;
use super::timeseries::{ExploratoryArm, SeriesPoint};
use super::{GoalExcerpt, ResultAnswer, TimeseriesAnswer};
use crate::wire::views::ShareQuery;
use muriel_domain::Instant;
use muriel_results::Computed;
use muriel_service::shares::OpenShare;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What somebody with a link sees of a result. The manifest, ids of experiments and what goals match are not in it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedResult {
    /// Always true.
    success: bool,
    /// The moment that the result is of; it may be a minute ago.
    #[schema(value_type = String, format = DateTime)]
    as_of: Instant,
    /// Until when the link works.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Instant,
    /// Which visitors the result is about; fixed when the link was made.
    query: ShareQuery,
    /// Display name.
    test_name: String,
    /// `abtest`, `split` or `personalization`: arms of the last have audiences of their own, so their differences are not effects.
    test_type: String,
    /// `draft`, `live` or `inactive`.
    status: String,
    /// 9 draft, 1 live, 0 inactive.
    status_code: u8,
    /// The first day that counts, in the time zone of the query; null before the first start.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// The last day that counts; today while it goes on.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Days from the start to the end or to now, those begun counted whole.
    days_running: i64,
    /// The experiment's primary goal.
    #[schema(required)]
    primary_goal: Option<SharedGoal>,
    /// Key of the goal that the numbers at the top are of.
    #[schema(required)]
    goal_key: Option<String>,
    /// Its name.
    #[schema(required)]
    goal_name: Option<String>,
    /// `pre_deploy`, `post_deploy` or `all_time`.
    report_phase: Value,
    /// `bayesian` or `frequentist`: which view the team reads.
    stats_engine: &'static str,
    /// Confidence threshold in percent.
    confidence_threshold_percent: i64,
    /// The arm that is served as the winner.
    #[schema(required)]
    serving_variant_id: Option<String>,
    /// 1 for a multi-armed bandit.
    is_mab: u8,
    /// Percentage of eligible visitors that enter.
    traffic_allocation: i64,
    /// `equal`, `custom` or `mab`.
    distribution_mode: String,
    /// Visitors of all arms.
    total_visitors: u64,
    /// Visitors who converted.
    total_conversions: u64,
    #[serde(flatten)]
    revenue: Revenue,
    /// About the numbers at the top.
    #[serde(flatten)]
    exploratory: Exploratory,
    /// The arms, the control first.
    variants: Vec<VariantResult>,
    /// The arms by the attribute of the query; the largest part first, at most 50 and the rest.
    breakdowns: Vec<Breakdown>,
    /// Whether the data can be trusted. Sentences that name other experiments, single orders or the server say less here.
    health: Health,
    /// How the pages of the arms fared.
    page_health: Vec<PageHealth>,
    /// The other metrics.
    metrics: Vec<MetricResult>,
}

/// The name of a goal. What it matches is not told.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedGoal {
    /// Its permanent name.
    goal_key: String,
    /// Display name.
    goal_name: String,
}

impl SharedResult {
    /// What the share shows.
    pub(crate) fn new(open: &OpenShare, computed: &Computed) -> Self {
        let ResultAnswer {
            success,
            // It stands in addresses of the dashboard and the interface, which are of no use to strangers.
            test_id: _,
            test_name,
            status,
            status_code,
            start_date,
            end_date,
            days_running,
            primary_goal,
            goal_key,
            report_phase,
            stats_engine,
            confidence_threshold_percent,
            serving_variant_id,
            is_mab,
            traffic_allocation,
            distribution_mode,
            total_visitors,
            total_conversions,
            revenue,
            mut variants,
            breakdowns,
            health,
            page_health,
            mut metrics,
            exploratory,
            // It has the hypothesis, in the team's words.
            plan: _,
            plan_note: _,
            // It has the project's key, what goals match, other experiments and other nodes.
            manifest: _,
        } = ResultAnswer::new(computed);
        // Where nothing can be trusted, the reason of each verdict is the sentence of the check that failed.
        let reason = health.about_other_nodes().to_owned();
        let health = health.for_strangers();
        let arms = variants.iter_mut().map(|arm| &mut arm.result);
        let of_metrics = metrics.iter_mut().flat_map(|metric| metric.variants.iter_mut().map(|arm| &mut arm.result));
        let analyses = arms.chain(of_metrics).filter_map(|result| result.analysis.as_mut());
        analyses.for_each(|analysis| analysis.reword(&reason, health.about_other_nodes()));
        Self {
            success,
            as_of: computed.manifest.as_of,
            expires_at: open.share.expires_at,
            query: ShareQuery::new(&open.inquiry),
            test_name,
            test_type: computed.manifest.experiment.test_type.clone(),
            status,
            status_code,
            start_date,
            end_date,
            days_running,
            primary_goal: primary_goal.map(SharedGoal::of),
            goal_key,
            goal_name: computed.manifest.top().map(|top| top.name.clone()),
            report_phase,
            stats_engine,
            confidence_threshold_percent,
            serving_variant_id,
            is_mab,
            traffic_allocation,
            distribution_mode,
            total_visitors,
            total_conversions,
            revenue,
            exploratory,
            variants,
            breakdowns,
            page_health: page_health.into_iter().map(PageHealth::for_strangers).collect(),
            health,
            metrics,
        }
    }
}

impl SharedGoal {
    fn of(goal: GoalExcerpt) -> Self {
        // The type and the value are addresses, selectors and events of the site.
        let GoalExcerpt { goal_key, goal_name, goal_type: _, goal_value: _ } = goal;
        Self { goal_key, goal_name }
    }
}

/// The result of a link, day by day. It has no `health`: the result has.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedTimeseries {
    /// Always true.
    success: bool,
    /// Key of the goal that the numbers are of.
    #[schema(required)]
    goal_key: Option<String>,
    /// Where days begin.
    tz: String,
    /// About the numbers of this goal.
    #[serde(flatten)]
    exploratory: Exploratory,
    /// Arms that are not part of the plan that was locked at the first start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    exploratory_arms: Vec<ExploratoryArm>,
    /// Cumulative, by day and then by arm.
    timeseries: Vec<SeriesPoint>,
}

impl SharedTimeseries {
    /// What the share shows, where `computed` was asked for by day.
    pub(crate) fn new(computed: &Computed) -> Self {
        let TimeseriesAnswer {
            success,
            test_id: _,
            goal_key,
            tz,
            exploratory,
            exploratory_arms,
            timeseries,
            // What the test cost is the team's.
            bandit: _,
        } = TimeseriesAnswer::new(computed);
        Self { success, goal_key, tz, exploratory, exploratory_arms, timeseries }
    }
}
