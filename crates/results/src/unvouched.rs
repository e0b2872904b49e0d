//! Verdicts without visitors who have neither a key nor a signature.
//!
//! Anybody can invent such visitors from many networks. If the verdict is another one without them, results say so; and
//! if the difference between the arms is another one among them, by more than chance, health warns.

use crate::compute::{metric_of, numbers};
use crate::concentration::is_decisive;
use crate::manifest::Manifest;
use crate::suspects::{ALPHA, LEAST, effect};
use muriel_analysis::{Design, Report, Summaries, Verdict, report};
use muriel_stats::special::normal_sf;
use muriel_warehouse::{ExperimentAnswer, GroupTotals, Totals};

/// A verdict that is another one without unsigned visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnvouchedVerdict {
    /// Number of the arm, 1 for `Variant 1`.
    pub arm: usize,
    /// The verdict with all visitors.
    pub verdict: Verdict,
    /// The verdict of signed and keyed visitors alone.
    pub trusted: Verdict,
    /// True when unsigned visitors differ by more than chance: the difference between the arm and the control is another
    /// one among them than among the others.
    pub is_odd: bool,
}

/// Judges the verdicts on the top metric without unsigned visitors. Returns those that are others.
pub(crate) fn judge(
    manifest: &Manifest,
    design: &Design,
    summaries: &Summaries,
    answer: &ExperimentAnswer,
    decided: &Report,
) -> Vec<UnvouchedVerdict> {
    let (Some(top), Some(facts)) = (decided.metrics.first(), manifest.metrics.first()) else { return Vec::new() };
    // Without networks, nothing is judged.
    if answer.networks.is_empty() || answer.trust.unsigned == 0 {
        return Vec::new();
    }
    let all = answer.metrics.first().map(|metric| metric.cells.as_slice()).unwrap_or_default();
    let trusted = answer.trusted.as_slice();
    let mut without = summaries.clone();
    without.metrics[0] =
        metric_of(facts, trusted.iter().map(|cell| (cell.epoch, cell.variant, cell.open, cell.totals)));
    let of_trusted = report(design, &without);
    let verdict_of_trusted = |arm: usize| {
        let analysis = of_trusted.metrics.first().and_then(|metric| metric.analyses.get(arm - 1));
        analysis.map_or(Verdict::KeepRunning, |analysis| analysis.verdict)
    };
    let decisive = top.analyses.iter().filter(|analysis| is_decisive(analysis.verdict));
    let differing = decisive.map(|analysis| (analysis, verdict_of_trusted(analysis.arm)));
    differing
        .filter(|(analysis, trusted)| analysis.verdict != *trusted)
        .map(|(analysis, of_trusted)| {
            let tests: &[Test] = if facts.is_revenue() { &[by_conversions, by_values] } else { &[by_conversions] };
            let p_values = tests.iter().map(|test| test(all, trusted, analysis.arm, design.arms));
            let p_value = p_values.fold(1.0, f64::min);
            let tests = tests.len() * (design.arms - 1);
            UnvouchedVerdict {
                arm: analysis.arm,
                verdict: analysis.verdict,
                trusted: of_trusted,
                is_odd: p_value * (tests as f64) < ALPHA,
            }
        })
        .collect()
}

/// Returns the p-value of the test that an arm differs from the control alike among trusted visitors and the others.
type Test = fn(all: &[GroupTotals], trusted: &[GroupTotals], arm: usize, arms: usize) -> f64;

fn by_conversions(all: &[GroupTotals], trusted: &[GroupTotals], arm: usize, arms: usize) -> f64 {
    let of = |cells: &[GroupTotals]| numbers(cells.iter().map(|cell| (cell.variant, cell.open, &cell.totals)), arms);
    let (mut others, trusted) = (of(all), of(trusted));
    for (other, trusted) in others.iter_mut().zip(&trusted) {
        other.visitors = other.visitors.saturating_sub(trusted.visitors);
        other.converted = other.converted.saturating_sub(trusted.converted);
    }
    if others.iter().map(|arm| arm.visitors).sum::<u64>() < LEAST {
        return 1.0;
    }
    effect(&others, &trusted, arm)
}

fn by_values(all: &[GroupTotals], trusted: &[GroupTotals], arm: usize, _: usize) -> f64 {
    let sum = |cells: &[GroupTotals], arm: usize| {
        let of_arm = cells.iter().filter(|cell| cell.variant as usize == arm);
        of_arm.fold(Totals::default(), |sum, cell| sum.merge(&cell.totals))
    };
    let (mut difference, mut variance) = (0.0, 0.0);
    for (arm, sign) in [(arm, 1.0), (0, -1.0)] {
        let (all, trusted) = (sum(all, arm), sum(trusted, arm));
        let others = Totals {
            visitors: all.visitors.saturating_sub(trusted.visitors),
            value: all.value - trusted.value,
            value_squared: all.value_squared - trusted.value_squared,
            ..Totals::default()
        };
        for (group, sign) in [(others, sign), (trusted, -sign)] {
            if group.visitors < LEAST {
                return 1.0;
            }
            let (moments, visitors) = (group.moments(), group.visitors as f64);
            difference += sign * moments.mean;
            variance += moments.m2 / (visitors - 1.0) / visitors;
        }
    }
    if variance > 0.0 { (2.0 * normal_sf(difference.abs() / variance.sqrt())).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(variant: u32, visitors: u64, converted: u64, each: i128) -> GroupTotals {
        // A quarter of the buyers pays nothing, so that values vary.
        let paying = converted - converted / 4;
        let totals = Totals {
            visitors,
            converted,
            value: each * i128::from(paying),
            value_squared: each.pow(2) * i128::from(paying),
            ..Totals::default()
        };
        GroupTotals { epoch: 1, variant, segment: None, open: false, totals }
    }

    #[test]
    fn other_visitors_are_odd_if_their_difference_is_another_one() {
        let trusted = [cell(0, 500, 50, 500_000), cell(1, 500, 52, 500_000)];
        for (others, by_rate, by_value) in [
            // As the trusted ones, and more of everything in both arms.
            ([cell(0, 300, 30, 500_000), cell(1, 300, 31, 500_000)], false, false),
            ([cell(0, 100, 90, 500_000), cell(1, 100, 92, 500_000)], false, false),
            // Only one arm converts.
            ([cell(0, 110, 0, 500_000), cell(1, 110, 110, 500_000)], true, true),
            // As many convert, and pay more in one arm.
            ([cell(0, 200, 20, 500_000), cell(1, 200, 20, 9_000_000)], false, true),
            ([cell(0, 4, 0, 500_000), cell(1, 4, 4, 500_000)], false, false),
        ] {
            let all: Vec<GroupTotals> = trusted.iter().chain(&others).cloned().collect();
            let is_odd = |test: Test| test(&all, &trusted, 1, 2) < ALPHA;
            assert_eq!((is_odd(by_conversions), is_odd(by_values)), (by_rate, by_value), "{others:?}");
        }
    }
}
