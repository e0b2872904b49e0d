//! The programme: the win rate, the pace and the value of all concluded experiments together.
//!
//! Lifts of different primary goals are added as relative ones: 2 % more of what each experiment was meant to increase.

#[cfg(test)]
mod tests;
mod totals;

pub use totals::{Month, OutcomeCounts, Rate, Totals};

use crate::compute::Computed;
use muriel_analysis::Verdict;
use muriel_analysis::programme::{ConcludedResult, Estimate, Programme};
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_stats::Interval;
use muriel_store::programme::ConcludedRow;
use serde::{Deserialize, Serialize};

/// Probability that an interval contains the true value.
pub const CONFIDENCE: f64 = 0.95;
/// Results that lifts are estimated from: those of 10,000 experiments with two variants each. With many more the estimates
/// would take gigabytes.
pub const RESULTS_MAX: usize = 20_000;
/// The ratings of hypotheses, in the order of [`ConcludedRow::ratings`].
const RATINGS: [&str; 3] = ["confidence", "importance", "difficulty"];

/// What is kept of a result when its experiment is concluded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcludedSummary {
    /// The key of the primary goal.
    pub goal_key: String,
    /// Its name.
    pub goal_name: String,
    /// Visitors in all arms.
    pub visitors: u64,
    /// Whether the health checks let the numbers be trusted.
    pub is_trusted: bool,
    /// The arms but the control that have a lift, as fractions.
    pub arms: Vec<ConcludedArm>,
    /// Whether it was concluded by another goal than the one of the plan. The numbers above are of the planned one: of a goal
    /// that was chosen when its numbers could be known, the lifts seem higher than they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exploratory: bool,
}

/// An arm when its experiment is concluded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConcludedArm {
    /// 1 for `Variant 1`.
    pub arm: u32,
    /// What the result showed.
    pub lift: f64,
    /// Its interval, with the experiment's confidence.
    pub lift_interval: Option<[f64; 2]>,
    /// Its standard error; `None` where there was too little data for one.
    pub std_error: Option<f64>,
}

impl ConcludedSummary {
    /// A result in brief; `None` without a primary goal.
    pub fn of(computed: &Computed) -> Option<Self> {
        let (facts, top) = computed.manifest.top().zip(computed.report.metrics.first())?;
        let finite = |interval: Interval| [interval.lower, interval.upper].map(|end| end.is_finite().then_some(end));
        let arms = top.analyses.iter().filter_map(|analysis| {
            Some(ConcludedArm {
                arm: u32::try_from(analysis.arm).ok()?,
                lift: analysis.lift.filter(|lift| lift.is_finite())?,
                lift_interval: match analysis.lift_interval.map(finite) {
                    Some([Some(lower), Some(upper)]) => Some([lower, upper]),
                    _ => None,
                },
                std_error: analysis.lift_std_error.filter(|error| error.is_finite()),
            })
        });
        Some(Self {
            goal_key: facts.key.clone(),
            goal_name: facts.name.clone(),
            visitors: computed.visitors.iter().sum(),
            is_trusted: top.analyses.iter().all(|analysis| analysis.verdict != Verdict::DoNotTrust),
            arms: arms.collect(),
            is_exploratory: false,
        })
    }

    /// What the programme learns from a conclusion: the result by the goal that was planned, where `shown` is the one that
    /// everybody reads. Of an experiment whose plan had no goal only that it was decided by one is kept.
    pub fn learned(shown: &Computed, planned: &Computed) -> Option<Self> {
        let goal = |computed: &Computed| computed.manifest.top().map(|top| (top.key.clone(), top.counted.clone()));
        let is_exploratory = goal(shown) != goal(planned);
        match Self::of(planned) {
            Some(summary) => Some(Self { is_exploratory, ..summary }),
            None => Self::of(shown).map(|summary| Self { is_exploratory, arms: Vec::new(), ..summary }),
        }
    }
}

/// A request for a part of the programme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgrammePage {
    /// Concluded at this moment or later.
    pub from: Option<Instant>,
    /// Concluded before this moment.
    pub to: Option<Instant>,
    /// The last experiment of the page before: when it was concluded, and its id.
    pub after: Option<(Instant, i64)>,
    /// Experiments on the page at most.
    pub limit: usize,
    /// The present moment.
    pub now: Instant,
}

/// The numbers of a programme, and a page of its experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgrammeReport {
    /// Numbers of the experiments that were concluded in the page's time.
    pub totals: Totals,
    /// The lifts of those that won or are served, added up.
    pub won_or_served: Sum,
    /// The lifts of those that are served, added up.
    pub served: Sum,
    /// Experiments of all time from whose results the expected lifts are estimated.
    pub learned_from: usize,
    /// Experiments of all time without an expected lift, by reason, in the order of [`NoEstimate::WORDS`].
    pub without_estimate: NoEstimateCounts,
    /// Win rate and expected lift for each rating and value that occurs.
    pub calibration: Vec<RatingCalibration>,
    /// Experiments on all pages.
    pub listed: usize,
    /// Those of this page, newest first.
    pub entries: Vec<ProgrammeEntry>,
    /// Whether there is another page.
    pub has_more: bool,
    /// Whether older experiments were left out, as those before them have [`RESULTS_MAX`] results.
    pub is_truncated: bool,
}

/// Why an experiment has no expected lift, and no part in estimating those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEstimate {
    /// It was concluded as invalid.
    Invalid,
    /// Its variants are for different audiences, so that what lies between them is not an effect.
    Personalization,
    /// No result was kept: an older release concluded it, there was no primary goal, or none was planned, or the result could
    /// not be computed.
    NoResult,
    /// A health check failed.
    NotTrusted,
    /// The arm has no lift, or it or the control has too few conversions for a standard error.
    TooFewConversions,
}

impl NoEstimate {
    /// All reasons with their words.
    pub const WORDS: [(&str, NoEstimate); 5] = [
        ("invalid", NoEstimate::Invalid),
        ("personalization", NoEstimate::Personalization),
        ("no_result", NoEstimate::NoResult),
        ("not_trusted", NoEstimate::NotTrusted),
        ("too_few_conversions", NoEstimate::TooFewConversions),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, reason)| *reason == self).map_or("", |(word, _)| word)
    }
}

/// Experiments by reason.
pub type NoEstimateCounts = [(NoEstimate, usize); NoEstimate::WORDS.len()];

/// The lifts of some experiments together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sum {
    /// Experiments in the sum.
    pub tests: usize,
    /// Experiments that belong to it and have no expected lift.
    pub without_lift: usize,
    /// The sum of the true lifts; `None` while there is nothing to estimate from.
    pub expected: Option<Estimate>,
    /// The sum of the lifts that the results showed. It is too high, as winners are chosen for a high result.
    pub shown: f64,
}

/// Experiments whose hypothesis has the same rating.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingCalibration {
    /// `confidence`, `importance` or `difficulty`.
    pub rating: &'static str,
    /// 1 to 5.
    pub value: i64,
    /// How many of them won.
    pub won: Rate,
    /// Those that have an expected lift.
    pub with_lift: usize,
    /// Their average true lift.
    pub expected: Option<Estimate>,
}

/// A concluded experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgrammeEntry {
    /// The stored columns.
    pub row: ConcludedRow,
    /// Its result at the conclusion.
    pub summary: Option<ConcludedSummary>,
    /// The arm that is served, or else the one with the highest lift.
    pub arm: Option<ConcludedArm>,
    /// The true lift of this arm, or why there is no estimate of it.
    pub expected: Result<Estimate, NoEstimate>,
}

impl Test {
    /// Whether it was decided by another goal than the one of its plan.
    fn is_exploratory(&self) -> bool {
        self.summary.as_ref().is_some_and(|summary| summary.is_exploratory)
    }
}

struct Test {
    row: ConcludedRow,
    summary: Option<ConcludedSummary>,
    arm: Option<ConcludedArm>,
    /// Index of the arm's result among those that the estimates are made from.
    result: Result<usize, NoEstimate>,
}

/// The programme of `rows`, which are all concluded experiments, newest first.
///
/// Expected lifts are estimated from all of them; `page` says which are counted and listed. Invalid experiments,
/// personalizations, and those whose health checks failed, are counted in the totals but have no part in estimates and sums.
pub fn report(rows: Vec<ConcludedRow>, page: &ProgrammePage) -> ProgrammeReport {
    let mut results = Vec::new();
    let given = rows.len();
    let mut tests: Vec<Test> = Vec::with_capacity(given);
    for row in rows {
        let before = results.len();
        let test = test(row, &mut results);
        if results.len() > RESULTS_MAX {
            results.truncate(before);
            break;
        }
        tests.push(test);
    }
    let is_truncated = tests.len() < given;
    let learned_from = tests.iter().filter(|test| test.result.is_ok()).count();
    let without_estimate =
        NoEstimate::WORDS.map(|(_, reason)| (reason, tests.iter().filter(|test| test.result == Err(reason)).count()));
    // Without results there is nothing to estimate from.
    let programme = Programme::learn(&results).ok();
    let is_asked = |at: Instant| page.from.is_none_or(|from| at >= from) && page.to.is_none_or(|to| at < to);
    let asked: Vec<&Test> = tests.iter().filter(|test| is_asked(test.row.concluded_at)).collect();
    let sum = |is_in: fn(&ConcludedRow) -> bool| {
        let chosen: Vec<&Test> = asked.iter().copied().filter(|test| is_valid(&test.row) && is_in(&test.row)).collect();
        summed(&chosen, programme.as_ref())
    };
    let (won_or_served, served) = (sum(|row| has_won(row) || is_served(row)), sum(is_served));
    let totals = Totals::of(asked.iter().map(|test| (&test.row, test.is_exploratory())), page);
    let calibration = calibration(&asked, programme.as_ref());
    let listed = tests.iter().filter(|test| test.row.is_listed).count();
    let is_after = |row: &ConcludedRow| page.after.is_none_or(|after| (row.concluded_at, row.id.0) < after);
    let mut behind: Vec<Test> = tests.into_iter().filter(|test| test.row.is_listed && is_after(&test.row)).collect();
    let has_more = behind.len() > page.limit;
    behind.truncate(page.limit);
    let entries = behind.into_iter().map(|test| entry(test, programme.as_ref())).collect();
    ProgrammeReport {
        totals,
        won_or_served,
        served,
        learned_from,
        without_estimate,
        calibration,
        listed,
        entries,
        has_more,
        is_truncated,
    }
}

fn entry(test: Test, programme: Option<&Programme>) -> ProgrammeEntry {
    let expected = test.result.and_then(|at| {
        let estimate = programme.and_then(|programme| programme.lift(at, CONFIDENCE).ok());
        estimate.ok_or(NoEstimate::NoResult)
    });
    ProgrammeEntry { row: test.row, summary: test.summary, arm: test.arm, expected }
}

/// Reads the stored result of an experiment, and appends the results of all its arms to `results`: with the best arm alone
/// true lifts would seem higher than they are.
fn test(row: ConcludedRow, results: &mut Vec<ConcludedResult>) -> Test {
    // JSON of another shape was stored by a later release; this one cannot use it.
    let summary: Option<ConcludedSummary> = row.result.clone().and_then(|kept| serde_json::from_value(kept).ok());
    let arms = summary.as_ref().map_or(&[][..], |summary| &summary.arms);
    let served = row.served_arm.filter(|arm| *arm > 0);
    let arm = match served {
        _ if row.is_personalization => None,
        Some(number) => arms.iter().find(|arm| i64::from(arm.arm) == number),
        None => arms.iter().max_by(|a, b| a.lift.total_cmp(&b.lift)),
    };
    let arm = arm.copied();
    let result = match &summary {
        _ if !is_valid(&row) => Err(NoEstimate::Invalid),
        _ if row.is_personalization => Err(NoEstimate::Personalization),
        None => Err(NoEstimate::NoResult),
        Some(summary) if !summary.is_trusted => Err(NoEstimate::NotTrusted),
        Some(summary) if summary.is_exploratory && summary.arms.is_empty() => Err(NoEstimate::NoResult),
        Some(summary) => {
            let first = results.len();
            let usable: Vec<_> = summary.arms.iter().filter_map(|one| Some((one.arm, usable(one)?))).collect();
            results.extend(usable.iter().map(|(_, result)| result));
            let at = usable.iter().position(|(number, _)| arm.is_some_and(|arm| arm.arm == *number));
            at.map(|at| first + at).ok_or(NoEstimate::TooFewConversions)
        }
    };
    Test { row, summary, arm, result }
}

/// The result of an arm, if lifts can be estimated from it.
fn usable(arm: &ConcludedArm) -> Option<ConcludedResult> {
    Some(ConcludedResult { lift: arm.lift, std_error: arm.std_error? }).filter(ConcludedResult::is_sound)
}

fn is_valid(row: &ConcludedRow) -> bool {
    row.outcome != ConclusionOutcome::Invalid
}

fn is_served(row: &ConcludedRow) -> bool {
    row.served_arm.is_some_and(|arm| arm > 0)
}

/// Whether a variant won. Where the control is served after all, none counts as the winner.
fn has_won(row: &ConcludedRow) -> bool {
    row.outcome == ConclusionOutcome::Won && row.served_arm != Some(0)
}

fn summed(tests: &[&Test], programme: Option<&Programme>) -> Sum {
    let results: Vec<usize> = tests.iter().filter_map(|test| test.result.ok()).collect();
    let known = tests.iter().filter(|test| test.result.is_ok());
    Sum {
        tests: results.len(),
        without_lift: tests.len() - results.len(),
        expected: programme.and_then(|programme| programme.total(&results, CONFIDENCE).ok()),
        shown: known.filter_map(|test| test.arm).map(|arm| arm.lift).sum(),
    }
}

fn calibration(tests: &[&Test], programme: Option<&Programme>) -> Vec<RatingCalibration> {
    let mut found = Vec::new();
    for (at, rating) in RATINGS.into_iter().enumerate() {
        for value in 1..=5 {
            let has_rating = |test: &&&Test| test.row.ratings[at] == Some(value);
            let rated: Vec<&Test> =
                tests.iter().filter(|test| is_valid(&test.row)).filter(has_rating).copied().collect();
            if rated.is_empty() {
                continue;
            }
            let planned = || rated.iter().filter(|test| !test.is_exploratory());
            let won = planned().filter(|test| test.row.outcome == ConclusionOutcome::Won).count();
            let Sum { tests: with_lift, expected, .. } = summed(&rated, programme);
            found.push(RatingCalibration {
                rating,
                value,
                won: Rate::new(won, planned().count()),
                with_lift,
                expected: expected.filter(|_| with_lift > 0).map(|sum| mean(sum, with_lift)),
            });
        }
    }
    found
}

/// The average of `count` lifts with this sum.
fn mean(sum: Estimate, count: usize) -> Estimate {
    let each = |value: f64| value / count as f64;
    let Interval { lower, upper } = sum.interval;
    Estimate { mean: each(sum.mean), sd: each(sum.sd), interval: Interval { lower: each(lower), upper: each(upper) } }
}
