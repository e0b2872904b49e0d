//! Counts over many runs.

use super::{EndReason, Run};
use crate::report::Verdict;
use muriel_stats::Interval;
use muriel_stats::interval::{self, wilson};

/// Confidence of the intervals of shares, which come from a limited number of runs.
const CONFIDENCE: f64 = 0.95;

/// A share of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunShare {
    /// Number of runs that count.
    pub count: u64,
    /// Total number of runs.
    pub of: u64,
}

impl RunShare {
    /// The share as a fraction. 0 without runs.
    pub fn value(&self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }

    /// 95 % confidence interval of the share in infinitely many runs (Wilson's interval).
    pub fn interval(&self) -> Interval {
        let share = interval::Proportion { successes: self.count, n: self.of };
        // Without runs, any share is possible.
        wilson(&share, 1.0 - CONFIDENCE).unwrap_or(Interval { lower: 0.0, upper: 1.0 })
    }
}

/// Distribution of a number over the runs.
///
/// All values are 0 without runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunDistribution {
    /// Mean.
    pub mean: f64,
    /// Median. With an even number of runs, the lower of the two in the middle.
    pub median: u64,
    /// 90th percentile: nine of ten runs have at most this.
    pub nine_of_ten: u64,
}

impl RunDistribution {
    fn of(mut values: Vec<u64>) -> RunDistribution {
        values.sort_unstable();
        let ranked =
            |part: usize| values.get((values.len() * part).div_ceil(10).saturating_sub(1)).copied().unwrap_or(0);
        RunDistribution {
            mean: values.iter().map(|value| *value as f64).sum::<f64>() / values.len().max(1) as f64,
            median: ranked(5),
            nine_of_ten: ranked(9),
        }
    }
}

/// Outcomes of many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// Number of runs.
    pub runs: u64,
    /// Runs by the last verdict about the first variant; all five verdicts.
    pub verdicts: Vec<(Verdict, u64)>,
    /// Runs in which any arm had a win or a loss at any check: false alarms when the arms do not
    /// differ.
    pub called: u64,
    /// Runs in which a variant other than the first had a win or a loss at any check.
    pub others_called: u64,
    /// Runs in which the first variant had a win at any check.
    pub ever_won: u64,
    /// Runs by the reason for their end; all five reasons.
    pub ended: Vec<(EndReason, u64)>,
    /// Days on which visitors entered.
    pub days: RunDistribution,
    /// Visitors of all arms.
    pub visitors: RunDistribution,
}

impl Tally {
    /// Counts the runs; their order does not matter.
    pub fn of(runs: &[Run]) -> Tally {
        let count = |holds: &dyn Fn(&Run) -> bool| runs.iter().filter(|run| holds(run)).count() as u64;
        let first = |run: &Run| run.fates.first().copied();
        let verdicts =
            Verdict::ALL.map(|verdict| (verdict, count(&|run| first(run).is_some_and(|fate| fate.verdict == verdict))));
        Tally {
            runs: runs.len() as u64,
            verdicts: verdicts.to_vec(),
            called: count(&Run::is_called),
            others_called: count(&|run| run.fates.iter().skip(1).any(|fate| fate.called.is_some())),
            ever_won: count(&|run| {
                first(run).and_then(|fate| fate.called).is_some_and(|call| call.verdict == Verdict::Win)
            }),
            ended: EndReason::ALL.map(|reason| (reason, count(&|run| run.ended == reason))).to_vec(),
            days: RunDistribution::of(runs.iter().map(|run| u64::from(run.days)).collect()),
            visitors: RunDistribution::of(runs.iter().map(|run| run.visitors).collect()),
        }
    }

    /// A count as a share of the runs.
    pub fn share(&self, count: u64) -> RunShare {
        RunShare { count, of: self.runs }
    }

    /// Share of runs with this last verdict about the first variant.
    pub fn verdict(&self, verdict: Verdict) -> RunShare {
        let found = self.verdicts.iter().find(|(other, _)| *other == verdict);
        self.share(found.map_or(0, |(_, count)| *count))
    }

    /// Share of runs that ended for this reason.
    pub fn ended(&self, reason: EndReason) -> RunShare {
        let found = self.ended.iter().find(|(other, _)| *other == reason);
        self.share(found.map_or(0, |(_, count)| *count))
    }

    /// Share of runs in which any arm had a win or a loss at any check.
    pub fn called(&self) -> RunShare {
        self.share(self.called)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest() {
        for (values, median, nine_of_ten, mean) in
            [(vec![], 0, 0, 0.0), (vec![7], 7, 7, 7.0), ((1..=10).collect(), 5, 9, 5.5), (vec![3, 1, 2], 2, 3, 2.0)]
        {
            assert_eq!(
                RunDistribution::of(values.clone()),
                RunDistribution { mean, median, nine_of_ten },
                "{values:?}"
            );
        }
    }
}
