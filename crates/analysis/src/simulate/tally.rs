//! Many runs, counted.

use super::{EndReason, Run};
use crate::report::Verdict;
use muriel_stats::Interval;
use muriel_stats::interval::{self, wilson};

/// Confidence of the intervals of shares, which come from a limited number of runs.
const CONFIDENCE: f64 = 0.95;

/// A share of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunShare {
    /// How many.
    pub count: u64,
    /// Of how many, at least 1.
    pub of: u64,
}

impl RunShare {
    /// As a fraction.
    pub fn value(&self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }

    /// Where the share of endlessly many runs is, with a confidence of 95 %:
    /// Wilson's interval.
    pub fn interval(&self) -> Interval {
        let share = interval::Proportion { successes: self.count, n: self.of };
        // Without a run anything may be.
        wilson(&share, 1.0 - CONFIDENCE).unwrap_or(Interval { lower: 0.0, upper: 1.0 })
    }
}

/// How something varies over the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunDistribution {
    /// On average.
    pub mean: f64,
    /// In the middle.
    pub median: u64,
    /// Nine of ten runs have at most this.
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

/// What became of many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// How many.
    pub runs: u64,
    /// By what was said of the first variant at the end; all five verdicts.
    pub verdicts: Vec<(Verdict, u64)>,
    /// Runs in which any arm was called at any look: false alarms where nothing
    /// differs.
    pub called: u64,
    /// Runs in which another variant than the first was.
    pub others_called: u64,
    /// Runs in which the first variant was called a win at any look.
    pub ever_won: u64,
    /// By what ended them; all five reasons.
    pub ended: Vec<(EndReason, u64)>,
    /// Days on which visitors entered.
    pub days: RunDistribution,
    /// Visitors of all arms.
    pub visitors: RunDistribution,
}

impl Tally {
    /// Counts them; their order does not matter.
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

    /// Runs that ended with this said of the first variant.
    pub fn verdict(&self, verdict: Verdict) -> RunShare {
        let found = self.verdicts.iter().find(|(other, _)| *other == verdict);
        self.share(found.map_or(0, |(_, count)| *count))
    }

    /// Runs that this ended.
    pub fn ended(&self, reason: EndReason) -> RunShare {
        let found = self.ended.iter().find(|(other, _)| *other == reason);
        self.share(found.map_or(0, |(_, count)| *count))
    }

    /// Runs in which any arm was called at any look.
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
