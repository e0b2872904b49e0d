//! Checks that a result does not rest on a single network before the clock acts on it.
//!
//! Anybody can invent visitors, and each network gets a limited number of signatures. So the clock counts only visitors
//! who are signed or keyed, and acts only if the result also holds without each of the networks that matter most.

use super::judge;
use crate::app::App;
use muriel_context::error::Result;
use muriel_domain::experiment::Arm;
use muriel_domain::ids::ExperimentId;
use muriel_results::{Computed, Inquiry, NETWORK, Numbers, SegmentNumbers};
use muriel_store::tenants::Project;
use muriel_warehouse::Segment;
use std::sync::Arc;

/// Networks without each of which a result must hold.
const NETWORKS: usize = 3;
/// Share of the visitors with a network from which on one network stands for the site: a proxy that is not trusted, or an
/// intranet.
const MOST: f64 = 0.5;

/// A finding about an arm on which the clock would act.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// The result that has it.
    pub(super) inquiry: Inquiry,
    /// The arm.
    pub(super) arm: Arm,
    /// Measure by which the most influential networks are found.
    pub(super) weight: Weight,
}

/// Measure of a network's influence on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The change of the difference between the arm and the control on the primary goal.
    Outcome,
    /// The number of visitors of the arm: parts of a result have no measures of pages.
    Visitors,
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
    holds: impl Fn(&Computed) -> bool,
) -> Result<Option<String>> {
    let Judged { inquiry, arm, weight } = judged;
    let by_network = Inquiry { breakdown_by: Some(NETWORK.to_owned()), ..inquiry.clone() };
    let (_, computed) = judge(app, project, id, by_network).await?;
    if computed.parts.is_empty() {
        return Ok(Some("the networks of its visitors are not known".to_owned()));
    }
    for network in most_influential(&computed.parts, arm.0 as usize, *weight) {
        let without = Inquiry { without_network: Some(network.hash.clone()), ..inquiry.clone() };
        let (_, computed) = judge(app, project, id, without).await?;
        if !holds(&computed) {
            let share = (100.0 * network.share).round();
            let mend = if network.share > MOST { ". Name the site's proxies in --trusted-proxies" } else { "" };
            return Ok(Some(format!(
                "the result does not hold without one network, which has {share} % of the visitors{mend}"
            )));
        }
    }
    Ok(None)
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

/// The networks with the most influence on a finding about an arm, with the largest first.
fn most_influential(parts: &[SegmentNumbers], arm: usize, weight: Weight) -> Vec<Influence> {
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
            let by = |of: &dyn Fn(&Numbers) -> f64| (moved(of, arm) - moved(of, 0)).abs();
            let scale = |of: &dyn Fn(&Numbers) -> f64| sum(of, 0) + sum(of, arm);
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
                    Weight::Outcome => relative(&converted).max(relative(&value)),
                    Weight::Visitors => visitors(&part.arms[arm]),
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
        let found = most_influential(&parts, 1, Weight::Outcome);
        let names: Vec<&str> = found.iter().map(|one| one.hash.as_str()).collect();
        assert_eq!(names[0], "attack");
        assert_eq!(found.len(), NETWORKS);
        assert!((found[0].share - 220.0 / 1_260.0).abs() < 1e-9, "{found:?}");
        assert!(found[0].weight > 5.0 * found[1].weight, "{found:?}");
        assert_eq!(most_influential(&parts, 1, Weight::Visitors)[0].hash, "large");
        assert!(most_influential(&parts[1..2], 1, Weight::Outcome).is_empty(), "visitors without a network");
    }
}
