//! Shared results: what people with a link see of a result.
//!
//! Both responses are built by destructuring the complete ones without `..`. So a new field of a result does not
//! compile here until it is decided whether shared results include it.

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

/// A shared result. It does not contain the manifest, experiment ids, and definitions of goals.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedResult {
    /// Always true.
    success: bool,
    /// Time of the result, at most a minute ago.
    #[schema(value_type = String, format = DateTime)]
    as_of: Instant,
    /// Time at which the link expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Instant,
    /// Visitors and goal of the result, fixed when the link was created.
    query: ShareQuery,
    /// Display name.
    test_name: String,
    /// `abtest`, `split` or `personalization`. Variants of a personalization have different audiences, so their
    /// differences are not effects.
    test_type: String,
    /// `draft`, `live` or `inactive`.
    status: String,
    /// 9 draft, 1 live, 0 inactive.
    status_code: u8,
    /// First day of the result, in the time zone of the query; null before the first start.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// Last day of the result; today while it is running.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Days from the start to the end, or to now; days that have begun count as whole.
    days_running: i64,
    /// Primary goal of the experiment.
    #[schema(required)]
    primary_goal: Option<SharedGoal>,
    /// Key of the goal for the numbers at the top.
    #[schema(required)]
    goal_key: Option<String>,
    /// Name of that goal.
    #[schema(required)]
    goal_name: Option<String>,
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
    /// Label for the numbers at the top.
    #[serde(flatten)]
    exploratory: Exploratory,
    /// The arms, the control first.
    variants: Vec<VariantResult>,
    /// The arms by the attribute of the query, largest segment first, at most 50 segments and the rest.
    breakdowns: Vec<Breakdown>,
    /// Health checks of the data. Messages about other experiments, single orders or the server have fewer details
    /// here.
    health: Health,
    /// Page health of the arms.
    page_health: Vec<PageHealth>,
    /// The other metrics.
    metrics: Vec<MetricResult>,
}

/// A goal without its definition.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedGoal {
    /// Permanent key.
    goal_key: String,
    /// Display name.
    goal_name: String,
}

impl SharedResult {
    /// Builds the response for a share.
    pub(crate) fn new(open: &OpenShare, computed: &Computed) -> Self {
        let ResultAnswer {
            success,
            // The id appears in addresses of the dashboard and the API, which people with a link do not need.
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
            // The plan contains the hypothesis in the team's words.
            plan: _,
            plan_note: _,
            // The manifest contains the project's key, goal definitions, other experiments and other nodes.
            manifest: _,
        } = ResultAnswer::new(computed);
        // When the data cannot be trusted, the reason of each verdict is the message of the failed check.
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
        // Type and value contain addresses, selectors and events of the site.
        let GoalExcerpt { goal_key, goal_name, goal_type: _, goal_value: _ } = goal;
        Self { goal_key, goal_name }
    }
}

/// A shared result day by day. It has no `health`, which is part of the shared result.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedTimeseries {
    /// Always true.
    success: bool,
    /// Key of the goal of the numbers.
    #[schema(required)]
    goal_key: Option<String>,
    /// Time zone of the days.
    tz: String,
    /// Label for the numbers of this goal.
    #[serde(flatten)]
    exploratory: Exploratory,
    /// Arms that are not part of the plan locked at the first start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    exploratory_arms: Vec<ExploratoryArm>,
    /// Cumulative numbers, by day and then by arm.
    timeseries: Vec<SeriesPoint>,
}

impl SharedTimeseries {
    /// Builds the response for a share; `computed` has numbers by day.
    pub(crate) fn new(computed: &Computed) -> Self {
        let TimeseriesAnswer {
            success,
            test_id: _,
            goal_key,
            tz,
            exploratory,
            exploratory_arms,
            timeseries,
            // The cost of the test is internal to the team.
            bandit: _,
        } = TimeseriesAnswer::new(computed);
        Self { success, goal_key, tz, exploratory, exploratory_arms, timeseries }
    }
}
