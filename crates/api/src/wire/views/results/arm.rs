//! Arms: numbers of each by a metric, and comparison with the control.

use super::locked::Exploratory;
use super::numbers::{beside_control, ends, percent, rate};
use muriel_analysis::Analysis;
use muriel_domain::Instant;
use muriel_results::{Computed, Labels, MetricFacts, MetricNumbers, Numbers};
use serde::Serialize;
use utoipa::ToSchema;

/// An arm with its numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantResult {
    /// `"0"` is the control.
    pub(super) variant_id: String,
    /// `Control`, `Variant 1`…
    pub(super) name: String,
    /// Label for people.
    pub(super) nickname: String,
    /// True for the control.
    is_control: bool,
    /// Percent of the traffic that it gets now, or got in the requested epoch.
    traffic_weight: f64,
    /// Time at which its code was last changed, or its name was reused, after the first start. Data recorded
    /// before belongs to the earlier version. Null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    redefined_at: Option<Instant>,
    /// Match counts of its first 60 changes. Changes that no page has reported are left out.
    changes: Vec<ChangeFound>,
    #[serde(flatten)]
    pub(super) exploratory: Exploratory,
    #[serde(flatten)]
    pub(super) result: ArmResult,
}

/// Number of visitors' pages on which a change matched an element. Each visitor counts once, with the first page
/// that reported it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeFound {
    /// Index in the variant's `data`, from 0.
    index: usize,
    /// Visitors on whose page the change was due.
    pages: u64,
    /// Number of those on whose page it matched an element.
    matched: u64,
}

/// Numbers of an arm by a metric.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArmResult {
    /// Visitors who entered.
    pub(super) visitors: u64,
    /// Number of those who converted.
    pub(super) conversions: u64,
    /// Conversion rate, in percent; null without visitors, and for a built-in metric when no page view was sent.
    #[schema(required)]
    pub(super) conversion_rate: Option<f64>,
    /// Visitors whose conversion window is still open: shown, but not compared yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_visitors: Option<u64>,
    #[serde(flatten)]
    pub(super) revenue: Revenue,
    /// Improvement over the control in the shown numbers, in percent; absent on the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) improvement: Option<Option<f64>>,
    /// Comparison with the control; absent on the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) analysis: Option<AnalysisResult>,
}

/// Comparison of an arm with the control.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisResult {
    /// Difference divided by the absolute mean of the control, in percent; null if that mean is 0 or nothing can
    /// be compared.
    #[schema(required)]
    pub(super) lift: Option<f64>,
    /// Lower and upper bound of the lift at the confidence threshold, in percent. Valid whenever it is read.
    /// Null if there is no bound yet.
    #[schema(required)]
    pub(super) lift_interval: Option<[f64; 2]>,
    /// Difference from the control, in percentage points or units of value.
    #[schema(required)]
    difference: Option<f64>,
    /// Lower and upper bound of the difference. Can be bounded where the lift is not.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// Always-valid p-value.
    #[schema(required)]
    pub(super) p_value: Option<f64>,
    /// p-value corrected for multiple comparisons over arms and metrics.
    #[schema(required)]
    pub(super) p_value_adjusted: Option<f64>,
    /// Posterior probability that the arm is better, in percent.
    #[schema(required)]
    pub(super) chance_to_beat_control: Option<f64>,
    /// Expected loss of lift from choosing the arm, in percent.
    #[schema(required)]
    pub(super) expected_loss: Option<f64>,
    /// Posterior interval of the lift, in percent, for the Bayesian view. Not valid under repeated checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    credible_interval: Option<[f64; 2]>,
    /// Always-valid p-value of the exact test, used when conversions are rare.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_p_value: Option<f64>,
    /// Number of visitors compared, of both arms.
    visitors_compared: u64,
    /// Ratio of the variance to that without adjustment for data from before entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    variance_ratio: Option<f64>,
    /// `win`, `loss`, `no_difference`, `keep_running` or `do_not_trust`.
    pub(super) verdict: &'static str,
    /// Reason for the verdict, as a sentence.
    reason: String,
}

/// Revenue; present for revenue goals only.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Revenue {
    /// Total value of the orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_revenue: Option<f64>,
    /// Number of orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_orders: Option<u64>,
    /// Revenue per visitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rpv: Option<Option<f64>>,
    /// Average order value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aov: Option<Option<f64>>,
    /// ISO 4217 code; null when no order names a currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) currency: Option<Option<String>>,
}

impl VariantResult {
    /// Result of the arm at index `arm`. `arms` has the numbers of all arms, the control first.
    pub(super) fn new(computed: &Computed, arms: &[Numbers], arm: usize, labels: &Labels) -> Self {
        let facts = &computed.manifest.experiment;
        let known = &facts.arms[arm];
        let result = match (computed.manifest.top(), computed.metrics.first()) {
            (Some(top), Some(shown)) => {
                let report = computed.report.metrics.first();
                let analysis = report.and_then(|report| beside_control(&report.analyses, arm));
                let compared = analysis.map(|analysis| AnalysisResult::new(analysis, top, facts.bayesian));
                ArmResult::new(top, shown, arms, arm, compared)
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
        Self {
            variant_id: known.variant_id.clone(),
            name: known.name.clone(),
            nickname: known.nickname.clone(),
            is_control: arm == 0,
            traffic_weight: known.traffic_weight,
            redefined_at: known.redefined_at,
            changes: computed
                .applied
                .iter()
                .filter(|applied| applied.arm == arm)
                .map(|applied| ChangeFound { index: applied.change, pages: applied.pages, matched: applied.matched })
                .collect(),
            exploratory: Exploratory::new(labels.arms.get(arm).and_then(Option::as_ref)),
            result,
        }
    }
}

impl ArmResult {
    /// Result of the arm at index `arm` by a metric, with its comparison if there is one.
    pub(super) fn new(
        facts: &MetricFacts,
        shown: &MetricNumbers,
        arms: &[Numbers],
        arm: usize,
        analysis: Option<AnalysisResult>,
    ) -> Self {
        let numbers = arms[arm];
        Self {
            visitors: numbers.visitors,
            conversions: numbers.converted,
            conversion_rate: rate(&numbers).filter(|_| !shown.is_unfed),
            open_visitors: (numbers.open > 0).then_some(numbers.open),
            revenue: Revenue::new(facts, shown, &numbers),
            improvement: (arm > 0).then(|| improvement(facts, &arms[0], &numbers).filter(|_| !shown.is_unfed)),
            analysis,
        }
    }
}

impl AnalysisResult {
    /// Comparison for a response. `facts` are of its metric.
    pub(super) fn new(analysis: &Analysis, facts: &MetricFacts, bayesian: bool) -> Self {
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

    /// Replaces the reason by `instead` if it equals `reason`.
    pub(super) fn reword(&mut self, reason: &str, instead: &str) {
        if self.reason == reason {
            instead.clone_into(&mut self.reason);
        }
    }
}

impl Revenue {
    /// Revenue in `numbers` for a revenue goal; empty for other metrics.
    pub(super) fn new(facts: &MetricFacts, shown: &MetricNumbers, numbers: &Numbers) -> Self {
        if !facts.is_revenue() {
            return Self::default();
        }
        Self {
            total_revenue: Some(numbers.value()),
            total_orders: Some(numbers.events),
            rpv: Some(numbers.value_per_visitor()),
            aov: Some(numbers.value_per_order()),
            currency: Some(shown.currency.clone()),
        }
    }
}

/// Improvement of an arm over the control, in percent. `None` if the control's value is 0, or one of them has no
/// visitors.
fn improvement(facts: &MetricFacts, control: &Numbers, arm: &Numbers) -> Option<f64> {
    let of = |numbers: &Numbers| if facts.is_revenue() { numbers.value_per_visitor() } else { numbers.rate() };
    let (base, own) = (of(control)?, of(arm)?);
    (base != 0.0).then(|| percent((own - base) / base.abs()))
}
