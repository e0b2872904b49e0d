//! Checks that a result does not rest on a single network before the clock acts on it.
//!
//! Anybody can invent visitors, and each network gets a limited number of signatures. So the clock counts only visitors
//! who are signed or keyed, and acts only if the result also holds without each of the networks that matter most.

use crate::app::App;
use crate::results::{load, not_found, report_of};
use muriel_context::error::Result;
use muriel_domain::ids::ExperimentId;
use muriel_results::concentration::{self, Weight};
use muriel_results::{Computed, Inquiry, NETWORK, Numbers, PlanBasis, ReportInputs, Without};
use muriel_store::tenants::Project;
use muriel_warehouse::Segment;
use std::sync::Arc;

/// Greatest share of a limit of visitors or conversions for which one network counts.
const MOST_OF_LIMIT: f64 = 0.1;

/// A finding on which the clock would act.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// The result that has it.
    pub(super) inquiry: Inquiry,
    /// Plan by which the result is judged; `None` for the criteria that readers see.
    pub(super) basis: Option<PlanBasis>,
    /// Measure by which the most influential networks are found.
    pub(super) weight: Weight,
}

impl Judged {
    /// A finding in the usual result, judged by the plan in force.
    pub(super) fn in_force(weight: Weight) -> Self {
        Self { inquiry: Inquiry::default(), basis: Some(PlanBasis::InForce), weight }
    }
}

/// Returns a result with signed and keyed visitors only, judged by the plan of `basis`.
pub(super) async fn trusted_report(
    app: &App,
    project: &Arc<Project>,
    id: ExperimentId,
    inquiry: Inquiry,
    basis: Option<PlanBasis>,
) -> Result<(ReportInputs, Arc<Computed>)> {
    let inputs = load(app, project.id, id, &inquiry).await?.map_err(not_found)?;
    let inquiry = match basis {
        Some(basis) => inputs.judged_by(basis, inquiry),
        None => inquiry,
    };
    let inquiry = Inquiry { trusted_only: true, ..inquiry };
    let computed = report_of(app, project, id, inquiry, false, &inputs).await?;
    Ok((inputs, computed))
}

/// Returns why the clock does not act on a finding, as a clause. `None` when it may: `holds` is true for the result
/// without each of the networks with the most influence.
///
/// Visitors whose exposures have an API key have no network, so their results always hold.
pub(super) async fn rests_on_one_network(
    app: &App,
    project: &Arc<Project>,
    id: ExperimentId,
    judged: &Judged,
    mut holds: impl FnMut(&Computed) -> bool,
) -> Result<Option<String>> {
    let Judged { inquiry, basis, weight } = judged;
    let by_network = Inquiry { breakdown_by: Some(NETWORK.to_owned()), ..inquiry.clone() };
    let (_, computed) = trusted_report(app, project, id, by_network, *basis).await?;
    if computed.parts.is_empty() {
        return Ok(Some(UNKNOWN_NETWORKS.to_owned()));
    }
    for network in concentration::most_influential(&computed.parts, *weight) {
        let without = Inquiry { without: Some(Without::network(&network.hash)), ..inquiry.clone() };
        let (_, computed) = trusted_report(app, project, id, without, *basis).await?;
        if !holds(&computed) {
            let (share, mend) = ((100.0 * network.share).round(), mend(network.share));
            return Ok(Some(format!(
                "the result does not hold without one network, which has {share} % of the visitors{mend}"
            )));
        }
    }
    Ok(None)
}

const UNKNOWN_NETWORKS: &str = "the networks of its visitors are not known";

/// Says what to do if one network, with this share, stands for the site.
fn mend(share: f64) -> &'static str {
    if share > concentration::MOST { ". Name the site's proxies in --trusted-proxies" } else { "" }
}

/// Returns why the clock does not act on a limit of which `reached` are counted, as a clause. `None` when it may: the
/// limit is reached, too, when each network counts for at most a tenth of it. `count` is the number that the limit is
/// about.
pub(super) async fn reaches_by_one_network(
    app: &App,
    project: &Arc<Project>,
    id: ExperimentId,
    (reached, limit): (u64, u64),
    count: impl Fn(&Numbers) -> u64,
) -> Result<Option<String>> {
    let by_network = Inquiry { breakdown_by: Some(NETWORK.to_owned()), ..Inquiry::default() };
    let (_, computed) = trusted_report(app, project, id, by_network, Some(PlanBasis::InForce)).await?;
    if computed.parts.is_empty() {
        return Ok(Some(UNKNOWN_NETWORKS.to_owned()));
    }
    let networks = computed.parts.iter().filter(|part| matches!(part.segment, Segment::Value(_)));
    let counts: Vec<u64> = networks.map(|part| part.arms.iter().map(&count).sum()).collect();
    Ok(beyond_shares(&counts, reached, limit))
}

/// Returns why a limit is not reached when each of these networks, the largest ones, counts for at most a tenth of it.
fn beyond_shares(counts: &[u64], reached: u64, limit: u64) -> Option<String> {
    let most = (limit as f64 * MOST_OF_LIMIT).ceil() as u64;
    let excess: u64 = counts.iter().map(|count| count.saturating_sub(most)).sum();
    let counted = reached.saturating_sub(excess);
    let largest = counts.iter().max().copied().unwrap_or(0) as f64 / reached.max(1) as f64;
    (counted < limit).then(|| {
        format!(
            "at most a tenth of the limit counts from one network, which leaves {counted} of {reached}; the largest \
             network has {} % of all{}",
            (100.0 * largest).round(),
            mend(largest),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_counts_for_a_tenth_of_a_limit() {
        for (counts, reached, expect) in [
            (&[][..], 1_000, None),
            (&[100, 100, 40], 1_000, None),
            (&[130, 120, 40], 1_060, None),
            (&[130, 120, 40], 1_049, Some("leaves 999 of 1049; the largest network has 12 % of all")),
            (&[900], 1_000, Some("leaves 200 of 1000; the largest network has 90 % of all. Name the site's proxies")),
            (&[900], 1_800, None),
        ] {
            let why = beyond_shares(counts, reached, 1_000);
            assert_eq!(why.is_some(), expect.is_some(), "{counts:?} {reached}: {why:?}");
            assert!(expect.is_none_or(|part| why.is_some_and(|why| why.contains(part))), "{counts:?} {reached}");
        }
        assert_eq!(beyond_shares(&[1; 10], 10, 10), None, "each network may count once");
    }
}
