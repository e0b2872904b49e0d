//! The arms by further metrics.

use super::arm::{AnalysisResult, ArmResult};
use super::locked::Exploratory;
use super::numbers::beside_control;
use muriel_results::{Computed, Counted, Labels};
use serde::Serialize;
use utoipa::ToSchema;

/// A further metric.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetricResult {
    /// Key of a goal, or name of a built-in metric or an event.
    pub(super) key: String,
    /// Display name.
    pub(super) name: String,
    /// `goal`, `builtin` or `event`.
    kind: &'static str,
    /// `primary`, `secondary` or `guardrail`.
    pub(super) role: String,
    /// True when less is better.
    lower_is_better: bool,
    #[serde(flatten)]
    pub(super) exploratory: Exploratory,
    /// The arms, the control first.
    pub(super) variants: Vec<MetricVariant>,
}

/// An arm by a further metric.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetricVariant {
    /// `"0"` is the control.
    pub(super) variant_id: String,
    #[serde(flatten)]
    pub(super) result: ArmResult,
    /// True when a guardrail is known to have become worse; null for other
    /// metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    harmed: Option<bool>,
}

impl MetricResult {
    /// Result of the metric at index `at` of the manifest.
    pub(super) fn new(computed: &Computed, at: usize, labels: &Labels) -> Self {
        let manifest = &computed.manifest;
        let facts = &manifest.metrics[at];
        let (shown, report) = (&computed.metrics[at], &computed.report.metrics[at]);
        let guards = facts.role == "guardrail";
        Self {
            key: facts.key.clone(),
            name: facts.name.clone(),
            kind: match facts.counted {
                Counted::Goal { .. } => "goal",
                Counted::Builtin => "builtin",
                Counted::Event => "event",
            },
            role: facts.role.clone(),
            lower_is_better: facts.lower_is_better(),
            exploratory: Exploratory::new(labels.metrics.get(at).and_then(Option::as_ref)),
            variants: (0..shown.arms.len())
                .map(|arm| {
                    let analysis = beside_control(&report.analyses, arm);
                    let compared =
                        analysis.map(|analysis| AnalysisResult::new(analysis, facts, manifest.experiment.bayesian));
                    MetricVariant {
                        variant_id: manifest.experiment.arms[arm].variant_id.clone(),
                        result: ArmResult::new(facts, shown, &shown.arms, arm, compared),
                        harmed: analysis.filter(|_| guards).map(|analysis| analysis.harmed),
                    }
                })
                .collect(),
        }
    }
}
