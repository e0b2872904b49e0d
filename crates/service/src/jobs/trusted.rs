//! Checks that a result does not rest on a single network before the clock acts on it.
//!
//! Anybody can invent visitors, and each network gets a limited number of signatures. So the clock counts only visitors
//! who are signed or keyed, and acts only if the result also holds without each of the networks that matter most.

use crate::app::App;
use crate::results::{load, not_found, report_of};
use muriel_context::error::Result;
use muriel_domain::experiment::Arm;
use muriel_domain::ids::ExperimentId;
use muriel_results::{Computed, Inquiry, NETWORK, Numbers, PlanBasis, ReportInputs, SegmentNumbers};
use muriel_store::tenants::Project;
use muriel_warehouse::Segment;
use std::sync::Arc;

/// Networks without each of which a result must hold.
const NETWORKS: usize = 3;
/// Share of the visitors with a network from which on one network stands for the site: a proxy that is not trusted, or an
/// intranet.
const MOST: f64 = 0.5;

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

/// Measure of a network's influence on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The change of the difference between the arm and the control on the primary goal.
    Outcome(Arm),
    /// The largest of these changes.
    Outcomes,
    /// The number of visitors of the arm: parts of a result have no measures of pages.
    Visitors(Arm),
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
    for network in most_influential(&computed.parts, *weight) {
        let without = Inquiry { without_network: Some(network.hash.clone()), ..inquiry.clone() };
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
    if share > MOST { ". Name the site's proxies in --trusted-proxies" } else { "" }
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

/// A network with influence on a result.
#[derive(Debug, Clone, PartialEq)]
struct Influence {
    hash: String,
    /// Share of the visitors that have a network.
    share: f64,
    /// Key of the order of networks.
    weight: f64,
}

/// The networks with the most influence on a finding, with the largest first.
fn most_influential(parts: &[SegmentNumbers], weight: Weight) -> Vec<Influence> {
    let arms: Vec<usize> = match weight {
        Weight::Outcome(arm) | Weight::Visitors(arm) => vec![arm.0 as usize],
        Weight::Outcomes => (1..parts.first().map_or(0, |part| part.arms.len())).collect(),
    };
    let sum = |of: &dyn Fn(&Numbers) -> f64, arm: usize| parts.iter().map(|part| of(&part.arms[arm])).sum::<f64>();
    let visitors = |numbers: &Numbers| numbers.visitors as f64;
    let known = || parts.iter().filter(|part| part.segment != Segment::Unknown);
    let all: f64 = known().flat_map(|part| &part.arms).map(visitors).sum();
    let mut found: Vec<Influence> = known()
        .filter_map(|part| {
            let Segment::Value(hash) = &part.segment else { return None };
            // By how much the outcomes of the network move the mean of each arm away from that of its other visitors.
            let moved = |of: &dyn Fn(&Numbers) -> f64, at: usize| {
                let (own, rest) = (visitors(&part.arms[at]), sum(&visitors, at) - visitors(&part.arms[at]));
                let value = of(&part.arms[at]);
                let others = if rest > 0.0 { (sum(of, at) - value) / rest } else { 0.0 };
                (value - others * own) / (own + rest).max(1.0)
            };
            let by = |of: &dyn Fn(&Numbers) -> f64| {
                arms.iter().map(|arm| (moved(of, *arm) - moved(of, 0)).abs()).fold(0.0, f64::max)
            };
            let scale = |of: &dyn Fn(&Numbers) -> f64| sum(of, 0) + arms.iter().map(|arm| sum(of, *arm)).sum::<f64>();
            // Conversions and values have different units, so each counts relative to its sum.
            let relative = |of: &dyn Fn(&Numbers) -> f64| {
                let scale = scale(of);
                if scale > 0.0 { by(of) / scale } else { 0.0 }
            };
            let converted = |numbers: &Numbers| numbers.converted as f64;
            let value = |numbers: &Numbers| numbers.value().abs();
            let own: f64 = part.arms.iter().map(visitors).sum();
            Some(Influence {
                hash: hash.to_string(),
                share: own / all.max(1.0),
                weight: match weight {
                    Weight::Outcome(_) | Weight::Outcomes => relative(&converted).max(relative(&value)),
                    Weight::Visitors(arm) => visitors(&part.arms[arm.0 as usize]),
                },
            })
        })
        .collect();
    found.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.hash.cmp(&other.hash)));
    found.truncate(NETWORKS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(network: Option<&str>, arms: [(u64, u64); 2]) -> SegmentNumbers {
        let arms = arms.map(|(visitors, converted)| Numbers { visitors, converted, ..Numbers::default() });
        let segment = network.map_or(Segment::Unknown, |network| Segment::Value(network.into()));
        SegmentNumbers { segment, arms: arms.to_vec(), points: Vec::new() }
    }

    #[test]
    fn networks_that_move_the_difference_come_first() {
        let parts = [
            part(Some("large"), [(500, 50), (500, 50)]),
            part(None, [(4_000, 400), (4_000, 400)]),
            part(Some("attack"), [(110, 0), (110, 110)]),
            part(Some("a"), [(10, 1), (10, 2)]),
            part(Some("b"), [(10, 1), (10, 1)]),
        ];
        let found = most_influential(&parts, Weight::Outcome(Arm(1)));
        let names: Vec<&str> = found.iter().map(|one| one.hash.as_str()).collect();
        assert_eq!(names[0], "attack");
        assert_eq!(found.len(), NETWORKS);
        assert!((found[0].share - 220.0 / 1_260.0).abs() < 1e-9, "{found:?}");
        assert!(found[0].weight > 5.0 * found[1].weight, "{found:?}");
        assert_eq!(most_influential(&parts, Weight::Visitors(Arm(1)))[0].hash, "large");
        assert_eq!(most_influential(&parts, Weight::Outcomes), found, "of two arms");
        assert!(most_influential(&parts[1..2], Weight::Outcome(Arm(1))).is_empty(), "visitors without a network");
    }

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
