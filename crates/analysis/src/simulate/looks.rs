//! An experiment as it is watched: visitors enter by day, each day is judged,
//! and a rule ends it.
//!
//! Numbers are added up as the warehouse adds them up: a visitor is compared once the window to convert is over, and
//! large values are cut by the default cap of all values so far, so the cap moves with the data.

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
    /// How many entered.
    pub(crate) visitors: u64,
    /// How many of them convert within their window.
    pub(crate) converted: u64,
    /// Values that are not 0, where values are measured.
    pub(crate) values: Vec<f64>,
}

/// How large values may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cap {
    /// As they are.
    None,
    /// Up to the quantile that the product takes, which moves with the data. At
    /// most so many values come in a run.
    Quantile { values: u64 },
}

/// An experiment on its way.
pub(crate) struct MonitoredRun<'a> {
    design: &'a Design,
    schedule: &'a Schedule,
    /// Days on which visitors entered so far.
    days: u32,
    /// Visitors of all arms so far.
    entered: u64,
    /// Conversions of all arms so far, also of those whose window is open: completion rules count them at once.
    converted: u64,
    /// Days whose visitors still may convert, oldest first.
    open: VecDeque<Vec<DailyEntries>>,
    values: Values,
    /// What the report of the last look was made of.
    summaries: Summaries,
    /// Per arm but the control, what became of it.
    fates: Vec<ArmOutcome>,
}

impl<'a> MonitoredRun<'a> {
    /// An experiment before its first day.
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

    /// Lets the visitors of a day enter, looks at its end, and says what ended the
    /// experiment, if anything did. `day` has an item per arm.
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

    /// Goes on looking until everybody's time to convert is over.
    pub(crate) fn finish(mut self, ended: EndReason) -> Run {
        for after in 1..=self.schedule.window_days {
            self.look(self.days + after);
        }
        Run { days: self.days, visitors: self.entered, ended, fates: self.fates }
    }

    /// A look at the end of a day, 1 for the first: closes the windows that are over, and has the numbers judged.
    fn look(&mut self, day: u32) {
        // Who entered on a day has all of it and of the window's days to convert.
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
        // Nobody enters at the stroke of midnight.
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

/// Values of the arms, those that a cap may ever reach kept one by one.
struct Values {
    /// Per arm, the values that are not among the largest.
    rest: Vec<Moments>,
    /// The largest of all arms with their arms, the largest first.
    largest: Vec<(f64, usize)>,
    /// How many of these are kept.
    keep: usize,
}

impl Values {
    /// No value yet. As many of the largest values are kept as the cap can ever reach.
    fn new(arms: usize, cap: Cap) -> Self {
        let keep = match cap {
            Cap::None => 0,
            Cap::Quantile { values } => usize::try_from((values / VALUES_PER_CAPPED).max(1) + 1).unwrap_or(usize::MAX),
        };
        Self { rest: vec![Moments::default(); arms], largest: Vec::new(), keep }
    }

    /// Adds a value. It costs a search among the largest, which are one in a thousand.
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

    /// Per arm, the moments of its values with the largest thousandth of all arms
    /// together, and at least the largest value, cut to the next one.
    fn capped(&self) -> Vec<Moments> {
        let mut capped = self.rest.clone();
        let values = self.largest.len() as u64 + self.rest.iter().map(|moments| moments.n).sum::<u64>();
        // Values that are kept without a cap stay as they are.
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
