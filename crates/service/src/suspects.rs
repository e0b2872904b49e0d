//! Suspects of an experiment: visitors who may be made up, with what excluding them would change.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use crate::results::{load, not_found, report_of};
use muriel_analysis::Verdict;
use muriel_context::actor::Actor;
use muriel_context::error::Result;
use muriel_domain::access::Scope;
use muriel_domain::exclusion::ExclusionKind;
use muriel_domain::ids::ExperimentId;
use muriel_results::suspects::{OddSegment, Oddity, odd_segments};
use muriel_results::{Computed, Inquiry, NETWORK, Numbers, SegmentNumbers, Without};
use muriel_store::tenants::Project;
use muriel_warehouse::Segment;
use std::sync::Arc;

/// Attributes whose values are tested, with the kind of exclusion for each.
const ATTRIBUTES: [(&str, ExclusionKind); 4] = [
    (NETWORK, ExclusionKind::Network),
    ("browser", ExclusionKind::UserAgent),
    ("os", ExclusionKind::UserAgent),
    ("device", ExclusionKind::UserAgent),
];
/// Most suspects of an experiment. Each needs a report.
pub const SUSPECTS_MAX: usize = 10;

/// The suspects of an experiment.
#[derive(Debug)]
pub struct Suspects {
    /// The result with all visitors.
    pub result: Arc<Computed>,
    /// The suspects, with those that change a verdict first.
    pub suspects: Vec<Suspect>,
}

/// Visitors who may be made up.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// Kind of the exclusion that leaves them out.
    pub kind: ExclusionKind,
    /// Value of the exclusion.
    pub value: String,
    /// Property by which they stand out.
    pub oddity: Oddity,
    /// Their numbers on the goal at the top, by arm.
    pub arms: Vec<Numbers>,
    /// The result without them.
    pub without: Arc<Computed>,
}

/// Looks for suspects among the visitors of an experiment.
///
/// # Errors
/// `MissingScope` without the scope `admin`; `NotFound`; `Unavailable` and `NotYet` while no report can be computed.
pub async fn of_experiment(app: &App, actor: &Actor, project: &Project, id: ExperimentId) -> Result<Suspects> {
    actor.require(Scope::Admin)?;
    let inputs = load(app, project.id, id, &Inquiry::default()).await?.map_err(not_found)?;
    let report = |inquiry| report_of(app, project, id, inquiry, false, &inputs);
    let result = report(Inquiry::default()).await?;
    let mut found: Vec<(ExclusionKind, OddSegment)> = Vec::new();
    for (attribute, kind) in ATTRIBUTES {
        let by = report(Inquiry { breakdown_by: Some(attribute.to_owned()), ..Inquiry::default() }).await?;
        let concentrated = if kind == ExclusionKind::Network { in_verdicts(&result, &by) } else { Vec::new() };
        for odd in concentrated.into_iter().chain(odd_segments(&by.parts, SUSPECTS_MAX)) {
            if !found.iter().any(|(known, one)| *known == kind && one.value == odd.value) {
                found.push((kind, odd));
            }
        }
    }
    found.sort_by(|(_, one), (_, other)| one.p_value.total_cmp(&other.p_value));
    found.truncate(SUSPECTS_MAX);
    let mut suspects = Vec::new();
    for (kind, OddSegment { value, oddity, arms, .. }) in found {
        let without = Without { kind: kind.word().to_owned(), value: value.to_string() };
        let without = report(Inquiry { without: Some(without), ..Inquiry::default() }).await?;
        suspects.push(Suspect { kind, value: value.to_string(), oddity, arms, without });
    }
    suspects.sort_by_key(|suspect| verdicts(&suspect.without) == verdicts(&result));
    Ok(Suspects { result, suspects })
}

/// The networks without which a verdict does not hold. They come before everything that is merely unlikely.
fn in_verdicts(result: &Computed, by_network: &Computed) -> Vec<OddSegment> {
    let numbers = |network: &str| {
        let is_it = |part: &&SegmentNumbers| matches!(&part.segment, Segment::Value(value) if **value == *network);
        by_network.parts.iter().find(is_it).map(|part| part.arms.clone()).unwrap_or_default()
    };
    let concentrated = result.concentration.iter().filter(|one| !one.holds);
    concentrated
        .map(|one| OddSegment {
            value: one.network.clone(),
            oddity: Oddity::Verdict,
            p_value: 0.0,
            arms: numbers(&one.network),
        })
        .collect()
}

/// The verdicts on the goal at the top, by arm.
fn verdicts(computed: &Computed) -> Vec<Verdict> {
    let first = computed.report.metrics.first();
    first.map(|metric| metric.analyses.iter().map(|analysis| analysis.verdict).collect()).unwrap_or_default()
}
