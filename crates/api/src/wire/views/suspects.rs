//! Suspects: visitors who may be made up.

use crate::wire::schemas;
use muriel_analysis::Analysis;
use muriel_results::Computed;
use muriel_service::suspects::{Suspect as Found, Suspects};
use serde::Serialize;
use utoipa::ToSchema;

/// Visitors of an experiment who may be made up.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuspectList {
    /// Always true.
    success: bool,
    /// At most 10, with those that change a verdict first. Each can be excluded with its `kind` and `value`.
    suspects: Vec<Suspect>,
}

/// Visitors who differ from all others by more than chance, and what excluding them would change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suspect {
    /// Kind of the exclusion that leaves them out.
    #[schema(value_type = schemas::ExclusionKind)]
    kind: &'static str,
    /// Value of the exclusion: a word for a browser, system or device, or the hash of a network.
    #[schema(example = "aff7bb5fdef8f52a")]
    value: String,
    /// Property by which they stand out. `split`: the variants have other shares of them than of all others. `effect`:
    /// the conversion rates of the variants differ in another way. `verdict`: a verdict does not hold without them.
    #[schema(value_type = schemas::SuspectOddity)]
    oddity: &'static str,
    /// Number of these visitors.
    visitors: u64,
    /// Visitors among them who converted on the goal at the top; null without such a goal.
    #[schema(required)]
    converted: Option<u64>,
    /// The variants, the control first.
    variants: Vec<SuspectVariant>,
}

/// A variant with suspects and without them.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuspectVariant {
    /// `"0"` is the control.
    variant_id: String,
    /// Number of suspects in the variant.
    visitors: u64,
    /// Verdict on the goal at the top as in the result; null on the control, and without such a goal.
    #[schema(required, value_type = Option<schemas::VerdictWord>)]
    verdict: Option<&'static str>,
    /// Verdict without the suspects.
    #[schema(required, value_type = Option<schemas::VerdictWord>)]
    verdict_without: Option<&'static str>,
    /// Lift as in the result, in percent.
    #[schema(required)]
    lift: Option<f64>,
    /// Lift without the suspects, in percent.
    #[schema(required)]
    lift_without: Option<f64>,
}

impl SuspectList {
    pub(crate) fn new(found: &Suspects) -> Self {
        let suspects = found.suspects.iter().map(|suspect| Suspect::new(&found.result, suspect)).collect();
        Self { success: true, suspects }
    }
}

impl Suspect {
    fn new(result: &Computed, found: &Found) -> Self {
        let (arms, without) = (&found.arms, &found.without);
        let top = result.manifest.top();
        Self {
            kind: found.kind.word(),
            value: found.value.clone(),
            oddity: found.oddity.word(),
            visitors: arms.iter().map(|arm| arm.visitors).sum(),
            converted: top.map(|_| arms.iter().map(|arm| arm.converted).sum()),
            variants: (0..result.visitors.len())
                .map(|arm| {
                    let lift = |analysis: &Analysis| analysis.lift.map(|lift| 100.0 * lift);
                    let (with, rest) = (analysis(result, arm), analysis(without, arm));
                    SuspectVariant {
                        variant_id: result.manifest.experiment.arms[arm].variant_id.clone(),
                        visitors: arms.get(arm).map_or(0, |numbers| numbers.visitors),
                        verdict: with.map(|analysis| analysis.verdict.word()),
                        verdict_without: rest.map(|analysis| analysis.verdict.word()),
                        lift: with.and_then(lift),
                        lift_without: rest.and_then(lift),
                    }
                })
                .collect(),
        }
    }
}

fn analysis(computed: &Computed, arm: usize) -> Option<&Analysis> {
    let top = computed.manifest.top().and(computed.report.metrics.first())?;
    top.analyses.iter().find(|analysis| analysis.arm == arm)
}
