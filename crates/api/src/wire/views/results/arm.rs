//! Arms: what each did by a metric, and how it compares with the control.

use super::locked::Exploratory;
use super::numbers::{beside_control, ends, percent, rate};
use muriel_analysis::Analysis;
use muriel_domain::Instant;
use muriel_results::{Computed, Labels, MetricFacts, MetricNumbers, Numbers};
use serde::Serialize;
use utoipa::ToSchema;

/// An arm and what it did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantResult {
    /// `"0"` is the control.
    pub(super) variant_id: String,
    /// `Control`, `Variant 1`…
    pub(super) name: String,
    /// The team's name for it.
    pub(super) nickname: String,
    /// Whether it is the control.
    is_control: bool,
    /// Percent of the traffic that it gets now, or got in the epoch that was asked for.
    traffic_weight: f64,
    /// When its code was last changed or its name used again after the first
    /// start: what was recorded before belongs to what it was. Null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    redefined_at: Option<Instant>,
    /// What its changes found on visitors' pages, of the first 60; those of which no page has told are left out.
    changes: Vec<ChangeFound>,
    #[serde(flatten)]
    pub(super) exploratory: Exploratory,
    #[serde(flatten)]
    pub(super) result: ArmResult,
}

/// Whether a change found what it changes. Each visitor counts once, with the first page of which that was told.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeFound {
    /// Its place in the variant's `data`, from 0.
    index: usize,
    /// Visitors on whose page it was due.
    pages: u64,
    /// Of these, on whose page it found something.
    matched: u64,
}

/// What an arm did by a metric.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArmResult {
    /// Visitors who entered.
    pub(super) visitors: u64,
    /// Those of them who converted.
    pub(super) conversions: u64,
    /// Percent; null without visitors, and of a built-in metric where nobody sent a page view.
    #[schema(required)]
    pub(super) conversion_rate: Option<f64>,
    /// Visitors whose time to convert still runs: shown, and not compared yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_visitors: Option<u64>,
    #[serde(flatten)]
    pub(super) revenue: Revenue,
    /// Percent that the arm does more than the control, as it is shown; not on the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) improvement: Option<Option<f64>>,
    /// The comparison with the control; not on the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) analysis: Option<AnalysisResult>,
}

/// An arm beside the control.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisResult {
    /// Difference over the control's mean, in percent; null where the control has none.
    #[schema(required)]
    pub(super) lift: Option<f64>,
    /// Its lower and upper end at the confidence threshold, in percent; valid at
    /// any time it is read. Null while there is no bound.
    #[schema(required)]
    pub(super) lift_interval: Option<[f64; 2]>,
    /// Difference to the control: in percentage points, or in units of value.
    #[schema(required)]
    difference: Option<f64>,
    /// Its lower and upper end; bounded also where the lift is not.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// Always-valid p-value.
    #[schema(required)]
    pub(super) p_value: Option<f64>,
    /// After correction over arms and metrics.
    #[schema(required)]
    pub(super) p_value_adjusted: Option<f64>,
    /// Percent of the posterior in which the arm is better.
    #[schema(required)]
    pub(super) chance_to_beat_control: Option<f64>,
    /// Percent of lift lost on average by choosing the arm.
    #[schema(required)]
    pub(super) expected_loss: Option<f64>,
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
    pub(super) verdict: &'static str,
    /// Why, as a sentence.
    reason: String,
}

/// What was sold; of revenue goals only.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Revenue {
    /// Value of the orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_revenue: Option<f64>,
    /// Orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_orders: Option<u64>,
    /// Revenue per visitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rpv: Option<Option<f64>>,
    /// Average order value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aov: Option<Option<f64>>,
    /// ISO 4217; null when no order names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) currency: Option<Option<String>>,
}

impl VariantResult {
    /// The arm at the place `arm`; `arms` are the numbers of all, the control first.
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
    /// The arm at the place `arm` by a metric, the comparison with it where there is one.
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
    /// The comparison as it is shown; `facts` are of its metric.
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

    /// Says `instead` where the verdict has this reason.
    pub(super) fn reword(&mut self, reason: &str, instead: &str) {
        if self.reason == reason {
            instead.clone_into(&mut self.reason);
        }
    }
}

impl Revenue {
    /// Of a revenue goal, what `numbers` say was sold; nothing of other metrics.
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

/// Percent that an arm does more than the control; `None` where the control does nothing, or one of
/// them has no visitors.
fn improvement(facts: &MetricFacts, control: &Numbers, arm: &Numbers) -> Option<f64> {
    let of = |numbers: &Numbers| if facts.is_revenue() { numbers.value_per_visitor() } else { numbers.rate() };
    let (base, own) = (of(control)?, of(arm)?);
    (base != 0.0).then(|| percent((own - base) / base.abs()))
}
