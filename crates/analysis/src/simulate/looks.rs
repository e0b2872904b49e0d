//! A monitored experiment: visitors enter by day, each day is analysed, and a rule ends it.
//!
//! Data is aggregated as in the warehouse: a visitor is compared once the conversion window has closed, and large
//! values are cut by the default cap of all values so far, so the cap moves with the data.

use super::{ArmOutcome, EPOCH, EndReason, FirstCall, Run, Schedule};
use crate::design::Design;
use crate::report::{Verdict, report};
use crate::summary::{Arrivals, Cell, Measure, Metric, MetricRole, Summaries, Summary};
use muriel_domain::time::DAY_US;
use muriel_stats::Moments;
use muriel_stats::cap::{VALUES_PER_CAPPED, default_cap_rank};
use std::collections::VecDeque;

/// Visitors of one arm who entered on one day.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DailyEntries {
    /// Visitors who entered.
    pub(crate) visitors: u64,
    /// Visitors among these who convert within their window.
    pub(crate) converted: u64,
    /// Values other than 0, when values are measured.
    pub(crate) values: Vec<f64>,
}

/// Cap on large values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cap {
    /// No cap.
    None,
    /// Default quantile of all values so far; it changes as values arrive. A run has up to `values` values.
    Quantile { values: u64 },
}

/// An experiment during a run.
pub(crate) struct MonitoredRun<'a> {
    design: &'a Design,
    schedule: &'a Schedule,
    /// Days on which visitors entered so far.
    days: u32,
    /// Visitors of all arms so far.
    entered: u64,
    /// Conversions of all arms so far, including those in open windows: completion rules count them at once.
    converted: u64,
    /// Days whose visitors still have open windows, oldest first.
    open: VecDeque<Vec<DailyEntries>>,
    values: Values,
    /// Summaries for the report of the last check.
    summaries: Summaries,
    /// Outcome of each arm except the control.
    fates: Vec<ArmOutcome>,
}

impl<'a> MonitoredRun<'a> {
    /// Creates an experiment before its first day.
    pub(crate) fn new(design: &'a Design, schedule: &'a Schedule, measure: Measure, cap: Cap) -> Self {
        let of_arm = |arm| Cell { epoch: EPOCH, arm, open: false, summary: Summary::default() };
        let metric = Metric {
            role: MetricRole::Primary,
            measure,
            lower_is_better: false,
            cells: (0..design.arms).map(of_arm).collect(),
        };
        Self {
            design,
            schedule,
            days: 0,
            entered: 0,
            converted: 0,
            open: VecDeque::new(),
            values: Values::new(design.arms, cap),
            summaries: Summaries {
                arrivals: (0..design.arms).map(|arm| Arrivals { epoch: EPOCH, arm, visitors: 0 }).collect(),
                metrics: vec![metric],
                ..Summaries::default()
            },
            fates: vec![ArmOutcome { verdict: Verdict::KeepRunning, called: None }; design.arms - 1],
        }
    }

    /// Lets the visitors of a day enter and analyses the data at its end. Returns the reason when a rule ends the
    /// experiment. `day` has an item per arm.
    pub(crate) fn day(&mut self, day: Vec<DailyEntries>) -> Option<EndReason> {
        self.days += 1;
        for (arrivals, entered) in self.summaries.arrivals.iter_mut().zip(&day) {
            arrivals.visitors += entered.visitors;
            self.entered += entered.visitors;
            self.converted += entered.converted;
        }
        self.open.push_back(day);
        self.look(self.days);
        let rules = &self.schedule.rules;
        let is_called = |fate: &ArmOutcome| matches!(fate.verdict, Verdict::Win | Verdict::Loss);
        if rules.significant && self.fates.iter().any(is_called) {
            Some(EndReason::Significant)
        } else if rules.visitors.is_some_and(|enough| self.entered >= enough) {
            Some(EndReason::Visitors)
        } else if rules.conversions.is_some_and(|enough| self.converted >= enough) {
            Some(EndReason::Conversions)
        } else if rules.period.is_some_and(|days| self.days >= days) {
            Some(EndReason::Period)
        } else if self.days >= self.schedule.days {
            Some(EndReason::Days)
        } else {
            None
        }
    }

    /// Continues the daily checks until all conversion windows have closed.
    pub(crate) fn finish(mut self, ended: EndReason) -> Run {
        for after in 1..=self.schedule.window_days {
            self.look(self.days + after);
        }
        Run { days: self.days, visitors: self.entered, ended, fates: self.fates }
    }

    /// Check at the end of a day, 1 for the first: closes the windows that are over, and computes the report.
    fn look(&mut self, day: u32) {
        // Visitors have the rest of their day of entry, and the days of the window, to convert.
        let over = day.saturating_sub(self.schedule.window_days).min(self.days);
        let closed = self.days - self.open.len() as u32;
        for entered in self.open.drain(..(over - closed.min(over)) as usize) {
            for (arm, entered) in entered.into_iter().enumerate() {
                let summary = &mut self.summaries.metrics[0].cells[arm].summary;
                summary.visitors += entered.visitors;
                summary.converted += entered.converted;
                for value in entered.values {
                    self.values.push(arm, value);
                }
            }
        }
        if self.summaries.metrics[0].measure == Measure::Value {
            let values = self.values.capped();
            for (cell, values) in self.summaries.metrics[0].cells.iter_mut().zip(values) {
                let without = Moments { n: cell.summary.visitors.saturating_sub(values.n), ..Moments::default() };
                cell.summary.value = values.merge(&without);
            }
        }
        // Visitors enter after midnight, so the time since the first entry is less than whole days.
        self.summaries.observed_us = i64::from(day) * DAY_US - 1;
        let report = report(self.design, &self.summaries);
        for (fate, analysis) in self.fates.iter_mut().zip(&report.metrics[0].analyses) {
            fate.verdict = analysis.verdict;
            if fate.called.is_none() && matches!(analysis.verdict, Verdict::Win | Verdict::Loss) {
                fate.called = Some(FirstCall { day, verdict: analysis.verdict });
            }
        }
    }
}

/// Values of the arms. Values that a cap may ever reach are kept individually.
struct Values {
    /// Moments of the values that are not among the largest, per arm.
    rest: Vec<Moments>,
    /// The largest values of all arms with their arms, in descending order.
    largest: Vec<(f64, usize)>,
    /// Maximum number of values in `largest`.
    keep: usize,
}

impl Values {
    /// Creates an empty set. Keeps as many of the largest values as the cap can ever reach.
    fn new(arms: usize, cap: Cap) -> Self {
        let keep = match cap {
            Cap::None => 0,
            Cap::Quantile { values } => usize::try_from((values / VALUES_PER_CAPPED).max(1) + 1).unwrap_or(usize::MAX),
        };
        Self { rest: vec![Moments::default(); arms], largest: Vec::new(), keep }
    }

    /// Adds a value. Costs a search among the largest values, which are one in a thousand.
    fn push(&mut self, arm: usize, value: f64) {
        if self.largest.len() == self.keep && self.largest.last().is_none_or(|(least, _)| value <= *least) {
            self.rest[arm].push(value);
            return;
        }
        let at = self.largest.partition_point(|(other, _)| *other >= value);
        self.largest.insert(at, (value, arm));
        if self.largest.len() > self.keep
            && let Some((value, arm)) = self.largest.pop()
        {
            self.rest[arm].push(value);
        }
    }

    /// Moments of each arm's values. The largest thousandth of all arms' values, and at least the largest value, is cut
    /// to the next one.
    fn capped(&self) -> Vec<Moments> {
        let mut capped = self.rest.clone();
        let values = self.largest.len() as u64 + self.rest.iter().map(|moments| moments.n).sum::<u64>();
        // Without a cap, values that are kept individually stay as they are.
        let rank = default_cap_rank(values).and_then(|rank| usize::try_from(rank).ok());
        let cap = rank.and_then(|rank| self.largest.get(rank)).map_or(f64::INFINITY, |(value, _)| *value);
        for (value, arm) in &self.largest {
            capped[*arm].push(value.min(cap));
        }
        capped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_largest_values_are_cut_to_the_next(values in prop::collection::vec((0_usize..2, 0.1..100.0f64), 1..4_000)) {
            let mut kept = Values::new(2, Cap::Quantile { values: values.len() as u64 });
            for (arm, value) in &values {
                kept.push(*arm, *value);
            }
            let mut sorted: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let rank = default_cap_rank(values.len() as u64).unwrap() as usize;
            let cap = sorted[values.len() - 1 - rank];
            for (arm, moments) in kept.capped().iter().enumerate() {
                let own: Vec<f64> = values.iter().filter(|(of, _)| *of == arm).map(|(_, value)| value.min(cap)).collect();
                prop_assert_eq!(moments.n, own.len() as u64);
                let sum: f64 = own.iter().sum();
                prop_assert!((moments.mean * moments.n as f64 - sum).abs() <= 1e-9 * sum);
            }
        }
    }

    #[test]
    fn without_a_cap_values_are_as_they_are() {
        let mut values = Values::new(1, Cap::None);
        for value in [-3.0, 7.0, 2.0] {
            values.push(0, value);
        }
        let moments = values.capped()[0];
        assert_eq!((moments.n, moments.mean), (3, 2.0));
    }
}
