//! Results in answers. Rates, lifts and shares are percent.

use muriel_analysis::{Analysis, Check, Health as Checks, Point, Ratio as Shares};
use muriel_domain::Instant;
use muriel_domain::experiment::Arm;
use muriel_domain::time::DAY_US;
use muriel_events::warehouse::Segment;
use muriel_results::{ArmFacts, Computed, Counted, Manifest, MetricFacts, Numbers, Part, Planned, Shown};
use muriel_stats::Interval;
use muriel_stats::srm::ChiSquared;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What is known of an experiment.
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
    /// The first day that counts, in the asked time zone; null before the first start.
    #[schema(required, format = Date)]
    start_date: Option<String>,
    /// The last day that counts; today while it goes on.
    #[schema(required, format = Date)]
    end_date: Option<String>,
    /// Days from the start to the end or to now, those begun counted whole.
    days_running: i64,
    /// The experiment's primary goal.
    #[schema(required)]
    primary_goal: Option<GoalExcerpt>,
    /// Key of the goal that the numbers at the top are of.
    #[schema(required)]
    goal_key: Option<String>,
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
    /// The arms, the control first.
    variants: Vec<VariantResult>,
    /// The arms by the attribute that was asked for; the largest part first, at
    /// most 50 and the rest.
    breakdowns: Vec<Breakdown>,
    /// Whether the data can be trusted.
    health: Health,
    /// The other metrics.
    metrics: Vec<MetricResult>,
    /// What the numbers were computed from; `muriel verify` computes them again.
    #[schema(value_type = Object)]
    manifest: Manifest,
}

/// A goal, in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalExcerpt {
    /// Its permanent name.
    goal_key: String,
    /// Display name.
    goal_name: String,
    /// What it counts.
    goal_type: String,
    /// The value of that type: text, or a number.
    #[schema(value_type = String)]
    goal_value: Value,
}

/// What was sold; of revenue goals only.
#[derive(Debug, Default, Serialize, ToSchema)]
struct Revenue {
    /// Value of the orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_revenue: Option<f64>,
    /// Orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_orders: Option<u64>,
    /// Revenue per visitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    rpv: Option<Option<f64>>,
    /// Average order value.
    #[serde(skip_serializing_if = "Option::is_none")]
    aov: Option<Option<f64>>,
    /// ISO 4217; null when no order names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Option<String>>,
}

/// An arm and what it did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantResult {
    /// `"0"` is the control.
    variant_id: String,
    /// `Control`, `Variant 1`…
    name: String,
    /// The team's name for it.
    nickname: String,
    /// Whether it is the control.
    is_control: bool,
    /// Percent of the traffic that it gets now.
    traffic_weight: f64,
    /// When its code was last changed or its name used again after the first
    /// start: what was recorded before belongs to what it was. Null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    redefined_at: Option<Instant>,
    #[serde(flatten)]
    result: ArmResult,
}

/// What an arm did by a metric.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArmResult {
    /// Visitors who entered.
    visitors: u64,
    /// Those of them who converted.
    conversions: u64,
    /// Percent; null without visitors.
    #[schema(required)]
    conversion_rate: Option<f64>,
    /// Visitors whose time to convert still runs: shown, and not compared yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_visitors: Option<u64>,
    #[serde(flatten)]
    revenue: Revenue,
    /// Percent that the arm does more than the control, as it is shown; not on the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    improvement: Option<Option<f64>>,
    /// The comparison with the control; not on the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<AnalysisResult>,
}

/// An arm beside the control.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisResult {
    /// Difference over the control's mean, in percent; null where the control has none.
    #[schema(required)]
    lift: Option<f64>,
    /// Its lower and upper end at the confidence threshold, in percent; valid at
    /// any time it is read. Null while there is no bound.
    #[schema(required)]
    lift_interval: Option<[f64; 2]>,
    /// Difference to the control: in percentage points, or in units of value.
    #[schema(required)]
    difference: Option<f64>,
    /// Its lower and upper end; bounded also where the lift is not.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// Always-valid p-value.
    #[schema(required)]
    p_value: Option<f64>,
    /// After correction over arms and metrics.
    #[schema(required)]
    p_value_adjusted: Option<f64>,
    /// Percent of the posterior in which the arm is better.
    #[schema(required)]
    chance_to_beat_control: Option<f64>,
    /// Percent of lift lost on average by choosing the arm.
    #[schema(required)]
    expected_loss: Option<f64>,
    /// Where the posterior has the lift, in percent; for readers of the Bayesian
    /// view. Not valid under repeated looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    credible_interval: Option<[f64; 2]>,
    /// Always-valid p-value of the exact test, where conversions are rare.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_p_value: Option<f64>,
    /// Visitors that were compared, of both arms.
    visitors_compared: u64,
    /// Variance over that without what was known before entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    variance_ratio: Option<f64>,
    /// `win`, `loss`, `no_difference`, `keep_running` or `do_not_trust`.
    verdict: &'static str,
    /// Why, as a sentence.
    reason: String,
}

/// The arms in one part of the visitors.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Breakdown {
    /// Which attribute.
    dimension: String,
    /// Its value; null where it is not known, and for the rest.
    #[schema(required)]
    value: Option<String>,
    /// Whether it is everything beyond the largest 50.
    is_rest: bool,
    /// The arms, the control first.
    variants: Vec<PartResult>,
}

/// An arm in one part of the visitors. To look around, not to decide by: many
/// parts are compared, and no correction is made for it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartResult {
    /// `"0"` is the control.
    variant_id: String,
    #[serde(flatten)]
    result: ArmResult,
    /// As in `analysis`; null on the control.
    #[schema(required)]
    lift: Option<f64>,
    /// As in `analysis`.
    #[schema(required)]
    lift_interval: Option<[f64; 2]>,
    /// As in `analysis`; not corrected.
    #[schema(required)]
    p_value: Option<f64>,
}

/// A further metric.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetricResult {
    /// Key of a goal, or name of a built-in metric or an event.
    key: String,
    /// Display name.
    name: String,
    /// `goal`, `builtin` or `event`.
    kind: &'static str,
    /// `primary`, `secondary` or `guardrail`.
    role: String,
    /// Whether less is better.
    lower_is_better: bool,
    /// The arms, the control first.
    variants: Vec<MetricVariant>,
}

/// An arm by a further metric.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetricVariant {
    /// `"0"` is the control.
    variant_id: String,
    #[serde(flatten)]
    result: ArmResult,
    /// Whether a guardrail is known to have got worse; null elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    harmed: Option<bool>,
}

/// Whether the data can be trusted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Health {
    /// The worst of the checks.
    status: &'static str,
    /// Whether visitors were shared as the weights say. When it fails, every
    /// verdict is `do_not_trust`.
    sample_ratio: RatioCheck,
    /// Whether visitors stayed in their arm. When it fails, every verdict is `do_not_trust`.
    crossovers: HealthCheck,
    /// Whether there is enough to judge from.
    minimum_data: HealthCheck,
    /// Suspected programs, which are left out.
    bots: HealthCheck,
    /// Whether weights changed on the way.
    epochs: HealthCheck,
    /// Whether the arms resemble each other at entry.
    balance: HealthCheck,
    /// Whether built-in metrics got worse.
    guardrails: HealthCheck,
    /// Whether orders were in several currencies; of revenue goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<HealthCheck>,
}

/// One check.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HealthCheck {
    /// `ok`, `warn` or `fail`.
    status: &'static str,
    /// A sentence for a person.
    message: String,
}

/// The sample ratio test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatioCheck {
    /// `ok`, `warn` or `fail`.
    status: &'static str,
    /// A sentence for a person.
    message: String,
    /// Sequential test over all epochs, valid at any look; below 0.01 it fails.
    #[schema(required)]
    p_value: Option<f64>,
    /// Pearson's test for comparison, valid for one look.
    #[schema(required)]
    chi_squared_p_value: Option<f64>,
    /// Each epoch with visitors.
    epochs: Vec<EpochRatio>,
}

/// Visitors of an epoch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpochRatio {
    /// Its number; 0 for exposures before any known epoch.
    epoch: i64,
    /// Visitors per arm, the control first.
    observed: Vec<u64>,
    /// Visitors per arm by the weights.
    expected: Vec<f64>,
    /// Sequential test of this epoch alone.
    #[schema(required)]
    p_value: Option<f64>,
    /// Pearson's test of this epoch alone.
    #[schema(required)]
    chi_squared_p_value: Option<f64>,
}

/// An experiment day by day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeseriesAnswer {
    /// Always true.
    success: bool,
    /// Identifies the experiment.
    test_id: i64,
    /// Key of the goal that the numbers are of.
    #[schema(required)]
    goal_key: Option<String>,
    /// Where days begin.
    tz: String,
    /// Cumulative, by day and then by arm.
    timeseries: Vec<SeriesPoint>,
}

/// An arm as of the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesPoint {
    /// The day.
    #[schema(format = Date)]
    date: String,
    /// `"0"` is the control.
    variant_id: String,
    /// Visitors who had entered.
    visitors: u64,
    /// Those who had converted.
    conversions: u64,
    /// Percent.
    #[schema(required)]
    conversion_rate: Option<f64>,
    /// Value of their orders; null for other goals.
    #[schema(required)]
    revenue: Option<f64>,
    /// As in the result; null on the control.
    #[schema(required)]
    lift: Option<f64>,
    /// As in the result: the intervals of all days hold together.
    #[schema(required)]
    lift_interval: Option<[f64; 2]>,
    /// As in the result.
    #[schema(required)]
    p_value: Option<f64>,
}

/// How many visitors an experiment needs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanAnswer {
    /// Always true.
    success: bool,
    /// Identifies the experiment.
    test_id: i64,
    /// Smallest lift to be found, in percent.
    mde: f64,
    /// Percent of such lifts that are found.
    power: f64,
    /// Visitors of all arms together; null where too little is known, or no number is enough.
    #[schema(required)]
    visitors_needed: Option<f64>,
    /// Whole days until they came.
    #[schema(required)]
    days: Option<i64>,
    /// Percent of the control's visitors who convert.
    #[schema(required)]
    baseline_rate: Option<f64>,
    /// `query`, `experiment` (its own visitors) or `project` (its last two weeks).
    #[schema(required)]
    baseline_rate_from: Option<&'static str>,
    /// Visitors who enter per day.
    #[schema(required)]
    daily_visitors: Option<f64>,
    /// As `baseline_rate_from`.
    #[schema(required)]
    daily_visitors_from: Option<&'static str>,
    /// The smallest lift that is found by the end of each day.
    mde_by_day: Vec<DayForecast>,
}

/// What can be found by the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DayForecast {
    /// Days since the start.
    day: i64,
    /// Visitors by then.
    visitors: f64,
    /// In percent; null while no lift is.
    #[schema(required)]
    mde: Option<f64>,
}

impl PlanAnswer {
    pub(crate) fn new(test_id: i64, planned: &Planned) -> Self {
        Self {
            success: true,
            test_id,
            mde: planned.mde,
            power: planned.power,
            visitors_needed: planned.visitors_needed,
            days: planned.days,
            baseline_rate: planned.baseline_rate,
            baseline_rate_from: planned.baseline_from,
            daily_visitors: planned.daily_visitors,
            daily_visitors_from: planned.daily_from,
            mde_by_day: planned
                .mde_by_day
                .iter()
                .map(|day| DayForecast { day: day.day, visitors: day.visitors, mde: day.mde })
                .collect(),
        }
    }
}

fn percent(fraction: f64) -> f64 {
    100.0 * fraction
}

fn rate(numbers: &Numbers) -> Option<f64> {
    (numbers.visitors > 0).then(|| 100.0 * numbers.converted as f64 / numbers.visitors as f64)
}

/// Ends in percent; `None` where one is not finite, which JSON cannot say.
fn ends(interval: Option<Interval>) -> Option<[f64; 2]> {
    let interval = interval?;
    let ends = [percent(interval.lower), percent(interval.upper)];
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

fn revenue(facts: &MetricFacts, shown: &Shown, numbers: &Numbers) -> Revenue {
    if !facts.is_revenue() {
        return Revenue::default();
    }
    Revenue {
        total_revenue: Some(numbers.value),
        total_orders: Some(numbers.events),
        rpv: Some(numbers.value_per_visitor()),
        aov: Some(numbers.value_per_order()),
        currency: Some(shown.currency.clone()),
    }
}

fn improvement(facts: &MetricFacts, control: &Numbers, arm: &Numbers) -> Option<f64> {
    let of = |numbers: &Numbers| if facts.is_revenue() { numbers.value_per_visitor() } else { numbers.rate() };
    let (base, own) = (of(control)?, of(arm)?);
    (base != 0.0).then(|| percent((own - base) / base.abs()))
}

/// An arm by a metric, the comparison with it where there is one.
fn arm_result(
    facts: &MetricFacts,
    shown: &Shown,
    arms: &[Numbers],
    arm: usize,
    analysis: Option<AnalysisResult>,
) -> ArmResult {
    let numbers = arms[arm];
    ArmResult {
        visitors: numbers.visitors,
        conversions: numbers.converted,
        conversion_rate: rate(&numbers),
        open_visitors: (numbers.open > 0).then_some(numbers.open),
        revenue: revenue(facts, shown, &numbers),
        improvement: (arm > 0).then(|| improvement(facts, &arms[0], &numbers)),
        analysis,
    }
}

impl AnalysisResult {
    fn new(analysis: &Analysis, facts: &MetricFacts, bayesian: bool) -> Self {
        let scale = if facts.is_revenue() { 1.0 } else { 100.0 };
        Self {
            lift: analysis.lift.map(percent),
            lift_interval: ends(analysis.lift_interval),
            difference: analysis.difference.map(|difference| scale * difference),
            difference_interval: analysis.difference_interval.map(|ends| [scale * ends.lower, scale * ends.upper]),
            p_value: analysis.p_value,
            p_value_adjusted: analysis.p_value_adjusted,
            chance_to_beat_control: analysis.chance_to_beat_control.map(percent),
            expected_loss: analysis.expected_loss.map(percent),
            credible_interval: if bayesian { ends(analysis.credible_interval) } else { None },
            exact_p_value: analysis.exact_p_value,
            visitors_compared: analysis.visitors,
            variance_ratio: (analysis.variance_ratio < 1.0).then_some(analysis.variance_ratio),
            verdict: analysis.verdict.word(),
            reason: analysis.reason.clone(),
        }
    }
}

impl HealthCheck {
    fn new(check: &Check) -> Self {
        Self { status: check.grade.word(), message: check.message.clone() }
    }

    fn plain(status: &'static str, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl RatioCheck {
    fn new(check: &Check, ratios: &[Shares]) -> Self {
        let overall = ratios.iter().find(|ratio| ratio.epoch.is_none());
        let chi_squared = |ratio: &Shares| ratio.chi_squared.as_ref().map(ChiSquared::p_value);
        Self {
            status: check.grade.word(),
            message: check.message.clone(),
            p_value: overall.and_then(|ratio| ratio.p_value),
            chi_squared_p_value: overall.and_then(chi_squared),
            epochs: ratios
                .iter()
                .filter_map(|ratio| {
                    Some(EpochRatio {
                        epoch: ratio.epoch?,
                        observed: ratio.observed.clone(),
                        expected: ratio.expected.clone(),
                        p_value: ratio.p_value,
                        chi_squared_p_value: chi_squared(ratio),
                    })
                })
                .collect(),
        }
    }
}

fn health(computed: &Computed) -> Health {
    let checks: &Checks = &computed.report.health;
    let harmed: Vec<String> = computed
        .manifest
        .metrics
        .iter()
        .zip(&computed.report.metrics)
        .flat_map(|(facts, metric)| {
            let harmed = metric.analyses.iter().filter(|analysis| analysis.harmed);
            harmed.map(|analysis| format!("{} in {}", facts.name, name_of(analysis.arm)))
        })
        .collect();
    let guardrails = if harmed.is_empty() {
        HealthCheck::plain("ok", "No built-in metric is known to have got worse.")
    } else {
        HealthCheck::plain("warn", format!("Got worse: {}.", harmed.join(", ")))
    };
    let currency =
        computed.manifest.top().filter(|facts| facts.is_revenue()).and(computed.metrics.first()).map(|shown| {
            let currency = shown.currency.as_deref().unwrap_or("no currency");
            match shown.other_currency_orders {
                0 => HealthCheck::plain("ok", "All orders are in one currency."),
                others => HealthCheck::plain(
                    "warn",
                    format!(
                        "Left out, as their values are not in {currency}: {others} orders. Send values in one currency."
                    ),
                ),
            }
        });
    let worst = checks.grade().word();
    let warned = [Some(&guardrails), currency.as_ref()].into_iter().flatten().any(|check| check.status == "warn");
    Health {
        status: if worst == "ok" && warned { "warn" } else { worst },
        sample_ratio: RatioCheck::new(&checks.sample_ratio, &checks.ratios),
        crossovers: HealthCheck::new(&checks.crossovers),
        minimum_data: HealthCheck::new(&checks.minimum_data),
        bots: HealthCheck::new(&checks.bots),
        epochs: HealthCheck::new(&checks.epochs),
        balance: HealthCheck::new(&checks.balance),
        guardrails,
        currency,
    }
}

fn name_of(arm: usize) -> String {
    Arm(u32::try_from(arm).unwrap_or(u32::MAX)).to_string()
}

/// First and last day that count, and how many these are.
fn days(manifest: &Manifest, first_entry: Option<Instant>) -> (Option<String>, Option<String>, i64) {
    let (from, until) = manifest.span();
    let facts = &manifest.experiment;
    let zone = &manifest.inquiry.tz;
    // Events may tell of a time before the experiment was made here.
    let began = facts.started_at.into_iter().chain(first_entry).min();
    let Some(start) = from.max(began).or(began) else { return (None, None, 0) };
    let mut end = facts.ended_at.unwrap_or(manifest.as_of).min(manifest.as_of);
    if let Some(until) = until {
        end = end.min(until);
    }
    let lasts = end.us().saturating_sub(start.us());
    // The end of a day is the beginning of the next.
    let last = zone.day(end.plus_us(-1).max(start));
    (Some(zone.day(start).to_string()), Some(last.to_string()), if lasts <= 0 { 0 } else { (lasts - 1) / DAY_US + 1 })
}

fn excerpt(facts: &MetricFacts) -> Option<GoalExcerpt> {
    let Counted::Goal { goal_type, goal_value, .. } = &facts.counted else { return None };
    Some(GoalExcerpt {
        goal_key: facts.key.clone(),
        goal_name: facts.name.clone(),
        goal_type: goal_type.clone(),
        goal_value: serde_json::to_value(goal_value).unwrap_or_default(),
    })
}

impl ResultAnswer {
    /// The published shape of `computed`.
    pub fn new(computed: &Computed) -> Self {
        let manifest = &computed.manifest;
        let facts = &manifest.experiment;
        let top = manifest.top();
        let (start_date, end_date, days_running) = days(manifest, computed.first_entry);
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
            value: arms.iter().map(|arm| arm.value).sum(),
        };
        let others = usize::from(top.is_some());
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
            start_date,
            end_date,
            days_running,
            primary_goal: manifest.metrics.iter().find(|metric| metric.role == "primary").and_then(excerpt),
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
            revenue: top.zip(shown).map(|(top, shown)| revenue(top, shown, &total)).unwrap_or_default(),
            variants: facts.arms.iter().enumerate().map(|(arm, known)| variant(computed, &arms, arm, known)).collect(),
            breakdowns: computed.parts.iter().map(|part| breakdown(computed, part)).collect(),
            health: health(computed),
            metrics: (others..manifest.metrics.len()).map(|at| metric(computed, at)).collect(),
            manifest: manifest.clone(),
        }
    }
}

fn variant(computed: &Computed, arms: &[Numbers], arm: usize, known: &ArmFacts) -> VariantResult {
    let bayesian = computed.manifest.experiment.bayesian;
    let result = match (computed.manifest.top(), computed.metrics.first()) {
        (Some(top), Some(shown)) => {
            let analyses = computed.report.metrics.first().map(|metric| &metric.analyses);
            let analysis = analyses.zip(arm.checked_sub(1)).and_then(|(analyses, at)| analyses.get(at));
            arm_result(top, shown, arms, arm, analysis.map(|analysis| AnalysisResult::new(analysis, top, bayesian)))
        }
        _ => ArmResult {
            visitors: arms[arm].visitors,
            conversions: 0,
            conversion_rate: None,
            open_visitors: None,
            revenue: Revenue::default(),
            improvement: (arm > 0).then_some(None),
            analysis: None,
        },
    };
    VariantResult {
        variant_id: known.variant_id.clone(),
        name: known.name.clone(),
        nickname: known.nickname.clone(),
        is_control: arm == 0,
        traffic_weight: known.traffic_weight,
        redefined_at: known.redefined_at,
        result,
    }
}

fn breakdown(computed: &Computed, part: &Part) -> Breakdown {
    let manifest = &computed.manifest;
    let variants = match (manifest.top(), computed.metrics.first()) {
        (Some(top), Some(shown)) => (0..part.arms.len())
            .map(|arm| {
                let point = arm.checked_sub(1).and_then(|at| part.points.get(at));
                PartResult {
                    variant_id: manifest.experiment.arms[arm].variant_id.clone(),
                    result: arm_result(top, shown, &part.arms, arm, None),
                    lift: point.and_then(|point| point.lift).map(percent),
                    lift_interval: ends(point.and_then(|point| point.lift_interval)),
                    p_value: point.and_then(|point| point.p_value),
                }
            })
            .collect(),
        _ => Vec::new(),
    };
    Breakdown {
        dimension: manifest.inquiry.breakdown_by.clone().unwrap_or_default(),
        value: match &part.segment {
            Segment::Value(value) => Some(value.to_string()),
            Segment::Unknown | Segment::Rest => None,
        },
        is_rest: part.segment == Segment::Rest,
        variants,
    }
}

fn metric(computed: &Computed, at: usize) -> MetricResult {
    let manifest = &computed.manifest;
    let facts = &manifest.metrics[at];
    let (shown, report) = (&computed.metrics[at], &computed.report.metrics[at]);
    let guards = facts.role == "guardrail";
    MetricResult {
        key: facts.key.clone(),
        name: facts.name.clone(),
        kind: match facts.counted {
            Counted::Goal { .. } => "goal",
            Counted::Builtin => "builtin",
            Counted::Event => "event",
        },
        role: facts.role.clone(),
        lower_is_better: facts.lower_is_better(),
        variants: (0..shown.arms.len())
            .map(|arm| {
                let analysis = arm.checked_sub(1).and_then(|at| report.analyses.get(at));
                let compared =
                    analysis.map(|analysis| AnalysisResult::new(analysis, facts, manifest.experiment.bayesian));
                MetricVariant {
                    variant_id: manifest.experiment.arms[arm].variant_id.clone(),
                    result: arm_result(facts, shown, &shown.arms, arm, compared),
                    harmed: analysis.filter(|_| guards).map(|analysis| analysis.harmed),
                }
            })
            .collect(),
    }
}

impl TimeseriesAnswer {
    pub(crate) fn new(computed: &Computed) -> Self {
        let manifest = &computed.manifest;
        let top = manifest.top();
        let is_revenue = top.is_some_and(MetricFacts::is_revenue);
        let of_stage = |stage: &muriel_results::Stage| -> Vec<SeriesPoint> {
            let point_of = |arm: usize| -> Option<&Point> { stage.points.get(arm.checked_sub(1)?) };
            (0..stage.arms.len())
                .map(|arm| {
                    let (numbers, point) = (&stage.arms[arm], point_of(arm));
                    SeriesPoint {
                        date: stage.day.to_string(),
                        variant_id: manifest.experiment.arms[arm].variant_id.clone(),
                        visitors: numbers.visitors,
                        conversions: numbers.converted,
                        conversion_rate: rate(numbers),
                        revenue: is_revenue.then_some(numbers.value),
                        lift: point.and_then(|point| point.lift).map(percent),
                        lift_interval: ends(point.and_then(|point| point.lift_interval)),
                        p_value: point.and_then(|point| point.p_value),
                    }
                })
                .collect()
        };
        Self {
            success: true,
            test_id: manifest.experiment.test_id,
            goal_key: top.map(|top| top.key.clone()),
            tz: manifest.inquiry.tz.as_str().to_owned(),
            timeseries: computed.stages.iter().flat_map(of_stage).collect(),
        }
    }
}

const COLUMNS: [&str; 25] = [
    "metric",
    "metric_name",
    "role",
    "breakdown",
    "value",
    "variant_id",
    "name",
    "nickname",
    "visitors",
    "conversions",
    "conversion_rate_percent",
    "improvement_percent",
    "revenue",
    "orders",
    "revenue_per_visitor",
    "average_order_value",
    "currency",
    "lift_percent",
    "lift_lower_percent",
    "lift_upper_percent",
    "p_value",
    "p_value_adjusted",
    "chance_to_beat_control_percent",
    "expected_loss_percent",
    "verdict",
];

impl ResultAnswer {
    /// The same as a table: a line per metric, part and arm.
    pub(crate) fn csv(&self) -> String {
        let mut csv = Csv(String::with_capacity(4_096));
        csv.line(COLUMNS.iter().map(|column| (*column).to_owned()));
        let name = |variant_id: &str| {
            let known = self.variants.iter().find(|variant| variant.variant_id == variant_id);
            known.map(|variant| (variant.name.clone(), variant.nickname.clone())).unwrap_or_default()
        };
        let mut row =
            |metric: [&str; 3], part: [&str; 2], variant_id: &str, arm: &ArmResult, point: Option<&PartResult>| {
                let (name, nickname) = name(variant_id);
                let analysis = arm.analysis.as_ref();
                let lift = analysis.map_or(point.and_then(|p| p.lift), |a| a.lift);
                let interval = analysis.map_or(point.and_then(|p| p.lift_interval), |a| a.lift_interval);
                let p_value = analysis.map_or(point.and_then(|p| p.p_value), |a| a.p_value);
                let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
                let mut cells: Vec<String> = metric.iter().chain(&part).map(|text| (*text).to_owned()).collect();
                cells.extend([
                    variant_id.to_owned(),
                    name,
                    nickname,
                    arm.visitors.to_string(),
                    arm.conversions.to_string(),
                    number(arm.conversion_rate),
                    number(arm.improvement.flatten()),
                    number(arm.revenue.total_revenue),
                    arm.revenue.total_orders.map(|orders| orders.to_string()).unwrap_or_default(),
                    number(arm.revenue.rpv.flatten()),
                    number(arm.revenue.aov.flatten()),
                    arm.revenue.currency.clone().flatten().unwrap_or_default(),
                    number(lift),
                    number(interval.map(|ends| ends[0])),
                    number(interval.map(|ends| ends[1])),
                    number(p_value),
                    number(analysis.and_then(|a| a.p_value_adjusted)),
                    number(analysis.and_then(|a| a.chance_to_beat_control)),
                    number(analysis.and_then(|a| a.expected_loss)),
                    analysis.map(|a| a.verdict.to_owned()).unwrap_or_default(),
                ]);
                csv.line(cells.into_iter());
            };
        let top = self.manifest.top();
        let metric = top.map_or(["", "", ""], |top| [top.key.as_str(), top.name.as_str(), top.role.as_str()]);
        for variant in &self.variants {
            row(metric, ["", ""], &variant.variant_id, &variant.result, None);
        }
        for part in &self.breakdowns {
            let value = part.value.as_deref().unwrap_or(if part.is_rest { "(rest)" } else { "(unknown)" });
            for variant in &part.variants {
                row(metric, [&part.dimension, value], &variant.variant_id, &variant.result, Some(variant));
            }
        }
        for metric in &self.metrics {
            for variant in &metric.variants {
                row([&metric.key, &metric.name, &metric.role], ["", ""], &variant.variant_id, &variant.result, None);
            }
        }
        csv.0
    }
}

/// Lines of quoted cells (RFC 4180).
struct Csv(String);

impl Csv {
    fn line(&mut self, cells: impl Iterator<Item = String>) {
        for (at, cell) in cells.enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            // Spreadsheets run what looks like a formula; a number is none.
            let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
            let cell = if formula { format!("'{cell}") } else { cell };
            if cell.contains([',', '"', '\n', '\r']) {
                self.0.push('"');
                self.0.push_str(&cell.replace('"', "\"\""));
                self.0.push('"');
            } else {
                self.0.push_str(&cell);
            }
        }
        self.0.push_str("\r\n");
    }
}
