//! Concentration: whether a verdict rests on a single network.
//!
//! Anybody can invent visitors, and a single sender has few networks. So a verdict counts only if it also holds without
//! each of the networks that change it most. Visitors who were sent with an API key belong to no network.

use crate::compute::{Numbers, SegmentNumbers, metric_of, numbers};
use crate::inquiry::NETWORK;
use crate::manifest::Manifest;
use muriel_analysis::{Design, Report, Summaries, Verdict, report};
use muriel_warehouse::{GroupTotals, Segment};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Networks without each of which a result must hold.
const NETWORKS: usize = 3;
/// Share of the visitors from which on one network stands for the site: a proxy that is not trusted, or an
/// intranet.
pub const MOST: f64 = 0.5;

/// Influence of a network on the verdict about an arm: of the one without which the verdict does not hold, or else of
/// the one with the most influence.
#[derive(Debug, Clone, PartialEq)]
pub struct Concentration {
    /// Hash of the network. Results do not show it.
    pub network: Arc<str>,
    /// Number of the arm, 1 for `Variant 1`.
    pub arm: usize,
    /// The verdict with all networks.
    pub verdict: Verdict,
    /// Share of the visitors that belong to this network. 0 to 1.
    pub visitors: f64,
    /// Share of the difference between the arm and the control that is due to this network. 0 to 1; `None` where a
    /// difference is not known.
    pub difference: Option<f64>,
    /// True when the verdict holds without this network.
    pub holds: bool,
}

impl Concentration {
    /// Returns whether the network stands for the site, so that networks do not separate its visitors.
    pub fn is_whole_site(&self) -> bool {
        self.visitors > MOST
    }
}

/// Measure of a network's influence on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The change of the difference between this arm and the control on the primary goal.
    Outcome(usize),
    /// The largest of these changes.
    Outcomes,
    /// The number of visitors of the arm: parts of a result have no measures of pages.
    Visitors(usize),
}

/// A network with influence on a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Influence {
    /// Hash of the network.
    pub hash: Arc<str>,
    /// Share of the visitors.
    pub share: f64,
    /// Key of the order of networks.
    weight: f64,
}

/// Returns whether the verdicts of a report are judged without single networks. The clock does that itself, for what it
/// acts on; holdouts have no networks; and series show no verdicts.
pub(crate) fn is_judged(manifest: &Manifest, by_quarter: bool) -> bool {
    let inquiry = &manifest.inquiry;
    let is_clocks =
        inquiry.trusted_only || inquiry.without.is_some() || inquiry.breakdown_by.as_deref() == Some(NETWORK);
    !by_quarter && !is_clocks && manifest.holdout.is_none() && manifest.top().is_some()
}

/// Returns whether the report has a verdict on the top metric that could rest on a network.
pub(crate) fn is_decided(report: &Report) -> bool {
    let analyses = report.metrics.first().map(|metric| metric.analyses.as_slice()).unwrap_or_default();
    analyses.iter().any(|analysis| is_decisive(analysis.verdict))
}

pub(crate) fn is_decisive(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Win | Verdict::Loss | Verdict::NoDifference)
}

/// Judges the verdicts on the top metric without each of the networks with the most influence, from its totals by
/// network. A verdict that does not hold becomes [`Verdict::KeepRunning`], unless the network stands for the site.
pub(crate) fn judge(
    manifest: &Manifest,
    design: &Design,
    summaries: &Summaries,
    networks: &[GroupTotals],
    decided: &mut Report,
) -> Vec<Concentration> {
    let Some(top) = decided.metrics.first_mut().filter(|_| !networks.is_empty()) else { return Vec::new() };
    let parts = by_network(networks, design.arms);
    let mut found = Vec::new();
    for analysis in top.analyses.iter_mut().filter(|analysis| is_decisive(analysis.verdict)) {
        let mut most: Option<Concentration> = None;
        for network in most_influential(&parts, Weight::Outcome(analysis.arm)) {
            let rest =
                networks.iter().filter(|cell| cell.segment.as_ref() != Some(&Segment::Value(network.hash.clone())));
            let cells = rest.map(|cell| (cell.epoch, cell.variant, cell.open, cell.totals));
            let mut without = summaries.clone();
            without.metrics[0] = metric_of(&manifest.metrics[0], cells);
            let report = report(design, &without);
            let other = report.metrics.first().and_then(|metric| metric.analyses.get(analysis.arm - 1));
            let share =
                |all: f64, rest: f64| if all == 0.0 { None } else { Some(((all - rest) / all).clamp(0.0, 1.0)) };
            let difference = analysis.difference.zip(other.and_then(|other| other.difference));
            let concentration = Concentration {
                network: network.hash.clone(),
                arm: analysis.arm,
                verdict: analysis.verdict,
                visitors: network.share,
                difference: difference.and_then(|(all, rest)| share(all, rest)),
                holds: other.is_some_and(|other| other.verdict == analysis.verdict),
            };
            // The first one has the most influence. One that stands for the site hides no other.
            let is_concentrated = !concentration.holds && !concentration.is_whole_site();
            if most.is_none() || is_concentrated {
                most = Some(concentration);
            }
            if is_concentrated {
                break;
            }
        }
        if let Some(concentration) = most {
            if !concentration.holds && !concentration.is_whole_site() {
                analysis.verdict = Verdict::KeepRunning;
                analysis.reason = reason(&concentration);
            }
            found.push(concentration);
        }
    }
    found
}

fn reason(concentration: &Concentration) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let difference = concentration.difference.map(|share| format!(" and makes {} of the difference", percent(share)));
    format!(
        "It is concentrated: the verdict would be {}, but does not hold without one network, which has {} of the \
         visitors{}.",
        concentration.verdict.word(),
        percent(concentration.visitors),
        difference.unwrap_or_default()
    )
}

/// Numbers of each network, from the totals.
fn by_network(networks: &[GroupTotals], arms: usize) -> Vec<SegmentNumbers> {
    let mut parts: BTreeMap<&Segment, Vec<&GroupTotals>> = BTreeMap::new();
    for cell in networks {
        if let Some(segment) = &cell.segment {
            parts.entry(segment).or_default().push(cell);
        }
    }
    let part = |(segment, cells): (&Segment, Vec<&GroupTotals>)| SegmentNumbers {
        segment: segment.clone(),
        arms: numbers(cells.iter().map(|cell| (cell.variant, cell.open, &cell.totals)), arms),
        points: Vec::new(),
    };
    parts.into_iter().map(part).collect()
}

/// The networks with the most influence on a finding, with the largest first.
pub fn most_influential(parts: &[SegmentNumbers], weight: Weight) -> Vec<Influence> {
    let arms: Vec<usize> = match weight {
        Weight::Outcome(arm) | Weight::Visitors(arm) => vec![arm],
        Weight::Outcomes => (1..parts.first().map_or(0, |part| part.arms.len())).collect(),
    };
    // Conversions and values have different units, so each counts relative to its sum.
    let measures: [fn(&Numbers) -> f64; 2] = [|arm| arm.converted as f64, |arm| arm.value().abs()];
    let measures = measures.map(|of| Measured::new(parts, of));
    let all: f64 = parts.iter().flat_map(|part| &part.arms).map(visitors).sum();
    let influence = |part: &SegmentNumbers| {
        let Segment::Value(hash) = &part.segment else { return None };
        Some(Influence {
            hash: hash.clone(),
            share: part.arms.iter().map(visitors).sum::<f64>() / all.max(1.0),
            weight: match weight {
                Weight::Outcome(_) | Weight::Outcomes => {
                    measures.iter().map(|measure| measure.influence(part, &arms)).fold(0.0, f64::max)
                }
                Weight::Visitors(arm) => visitors(&part.arms[arm]),
            },
        })
    };
    let mut found: Vec<Influence> = parts.iter().filter_map(influence).collect();
    found.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.hash.cmp(&other.hash)));
    found.truncate(NETWORKS);
    found
}

fn visitors(numbers: &Numbers) -> f64 {
    numbers.visitors as f64
}

/// A measure of visitors, with its sums over all segments.
struct Measured {
    of: fn(&Numbers) -> f64,
    /// Visitors of each arm, and the sum of their measures.
    sums: Vec<(f64, f64)>,
}

impl Measured {
    fn new(parts: &[SegmentNumbers], of: fn(&Numbers) -> f64) -> Self {
        let arms = parts.first().map_or(0, |part| part.arms.len());
        let sum = |arm: usize| {
            let numbers = || parts.iter().map(|part| &part.arms[arm]);
            (numbers().map(visitors).sum(), numbers().map(of).sum())
        };
        Self { of, sums: (0..arms).map(sum).collect() }
    }

    /// By how much a segment changes the differences between these arms and the control, relative to the sum of the
    /// measures.
    fn influence(&self, part: &SegmentNumbers, arms: &[usize]) -> f64 {
        let scale: f64 = self.sums[0].1 + arms.iter().map(|arm| self.sums[*arm].1).sum::<f64>();
        // By how much the segment moves the mean of an arm away from that of its other visitors.
        let moved = |arm: usize| {
            let (all, sum) = self.sums[arm];
            let (own, value) = (visitors(&part.arms[arm]), (self.of)(&part.arms[arm]));
            let others = if all > own { (sum - value) / (all - own) } else { 0.0 };
            (value - others * own) / all.max(1.0)
        };
        let most = arms.iter().map(|arm| (moved(*arm) - moved(0)).abs()).fold(0.0, f64::max);
        if scale > 0.0 { most / scale } else { 0.0 }
    }
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
        let found = most_influential(&parts, Weight::Outcome(1));
        let names: Vec<&str> = found.iter().map(|one| &*one.hash).collect();
        assert_eq!(names[0], "attack");
        assert_eq!(found.len(), NETWORKS);
        assert!((found[0].share - 220.0 / 9_260.0).abs() < 1e-9, "{found:?}");
        assert!(found[0].weight > 5.0 * found[1].weight, "{found:?}");
        assert_eq!(most_influential(&parts, Weight::Visitors(1))[0].hash.as_ref(), "large");
        assert_eq!(most_influential(&parts, Weight::Outcomes), found, "of two arms");
        assert!(most_influential(&parts[1..2], Weight::Outcome(1)).is_empty(), "visitors without a network");
    }
}
