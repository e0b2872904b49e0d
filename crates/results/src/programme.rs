//! The programme: the win rate, the pace and the value of all concluded experiments together.
//!
//! Lifts of different primary goals are summed as relative lifts: 2 % more of what each experiment was meant to
//! increase.

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
/// Maximum number of results that lifts are estimated from: those of 10,000 experiments with two variants each. With
/// many more, the estimates would take gigabytes.
pub const RESULTS_MAX: usize = 20_000;
/// Ratings of hypotheses, in the order of [`ConcludedRow::ratings`].
const RATINGS: [&str; 3] = ["confidence", "importance", "difficulty"];

/// Summary of a result that is stored when its experiment is concluded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcludedSummary {
    /// Key of the primary goal.
    pub goal_key: String,
    /// Name of the primary goal.
    pub goal_name: String,
    /// Visitors in all arms.
    pub visitors: u64,
    /// True when the health checks let the numbers be trusted.
    pub is_trusted: bool,
    /// Arms except the control that have a lift.
    pub arms: Vec<ConcludedArm>,
    /// True when it was concluded by another goal than the planned one. The numbers above are of the planned goal: when
    /// a goal is chosen after its numbers could be known, its lifts seem higher than they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exploratory: bool,
}

/// An arm at the conclusion of its experiment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConcludedArm {
    /// Number of the arm, 1 for `Variant 1`.
    pub arm: u32,
    /// Lift that the result showed, as a fraction.
    pub lift: f64,
    /// Interval of the lift, at the experiment's confidence.
    pub lift_interval: Option<[f64; 2]>,
    /// Standard error of the lift; `None` with too little data.
    pub std_error: Option<f64>,
}

impl ConcludedSummary {
    /// Summarises a result; `None` without a primary goal.
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

    /// Summary from which the programme learns: the result of the planned goal, where `shown` is the result that
    /// readers see. Without a planned goal, the summary of `shown` is kept without its arms.
    pub fn learned(shown: &Computed, planned: &Computed) -> Option<Self> {
        let goal = |computed: &Computed| computed.manifest.top().map(|top| (top.key.clone(), top.counted.clone()));
        let is_exploratory = goal(shown) != goal(planned);
        match Self::of(planned) {
            Some(summary) => Some(Self { is_exploratory, ..summary }),
            None => Self::of(shown).map(|summary| Self { is_exploratory, arms: Vec::new(), ..summary }),
        }
    }
}

/// A request for a page of the programme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgrammePage {
    /// Only experiments concluded at this time or later.
    pub from: Option<Instant>,
    /// Only experiments concluded before this time.
    pub to: Option<Instant>,
    /// Last experiment of the page before: time of its conclusion, and its id.
    pub after: Option<(Instant, i64)>,
    /// Maximum number of experiments on the page.
    pub limit: usize,
    /// Current time.
    pub now: Instant,
}

/// The numbers of a programme, and a page of its experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgrammeReport {
    /// Numbers of the experiments that were concluded in the requested period.
    pub totals: Totals,
    /// Sum of the lifts of those that won or are served.
    pub won_or_served: Sum,
    /// Sum of the lifts of those that are served.
    pub served: Sum,
    /// Number of experiments of all time whose results the expected lifts are estimated from.
    pub learned_from: usize,
    /// Numbers of experiments of all time without an expected lift, by reason, in the order of [`NoEstimate::WORDS`].
    pub without_estimate: NoEstimateCounts,
    /// Win rate and expected lift for each rating and value that occurs.
    pub calibration: Vec<RatingCalibration>,
    /// Number of experiments on all pages.
    pub listed: usize,
    /// Experiments of this page, newest first.
    pub entries: Vec<ProgrammeEntry>,
    /// True when there is another page.
    pub has_more: bool,
    /// True when older experiments were left out, because the newer ones have [`RESULTS_MAX`] results.
    pub is_truncated: bool,
}

/// Reason why an experiment has no expected lift, and is not used to estimate those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoEstimate {
    /// It was concluded as invalid.
    Invalid,
    /// The variants are for different audiences, so a difference between them is not an effect.
    Personalization,
    /// No result was stored: an older release concluded it, there was no primary goal, no goal was planned, or the
    /// result could not be computed.
    NoResult,
    /// A health check failed.
    NotTrusted,
    /// The arm has no lift, or it or the control has too few conversions for a standard error.
    TooFewConversions,
}

impl NoEstimate {
    /// Words of the reasons.
    pub const WORDS: [(&str, NoEstimate); 5] = [
        ("invalid", NoEstimate::Invalid),
        ("personalization", NoEstimate::Personalization),
        ("no_result", NoEstimate::NoResult),
        ("not_trusted", NoEstimate::NotTrusted),
        ("too_few_conversions", NoEstimate::TooFewConversions),
    ];

    /// Word in the interface.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, reason)| *reason == self).map_or("", |(word, _)| word)
    }
}

/// Numbers of experiments by reason.
pub type NoEstimateCounts = [(NoEstimate, usize); NoEstimate::WORDS.len()];

/// Sum of the lifts of some experiments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sum {
    /// Number of experiments in the sum.
    pub tests: usize,
    /// Number of experiments that belong to it, but have no expected lift.
    pub without_lift: usize,
    /// Estimated sum of the true lifts; `None` while there is nothing to estimate from.
    pub expected: Option<Estimate>,
    /// Sum of the lifts that the results showed. It is too high, as winners are chosen for a high result.
    pub shown: f64,
}

/// Experiments whose hypothesis has the same rating.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingCalibration {
    /// Rating: `confidence`, `importance` or `difficulty`.
    pub rating: &'static str,
    /// Value of the rating, 1 to 5.
    pub value: i64,
    /// Share of these experiments that won.
    pub won: Rate,
    /// Number of those with an expected lift.
    pub with_lift: usize,
    /// Estimate of their average true lift.
    pub expected: Option<Estimate>,
}

/// A concluded experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgrammeEntry {
    /// Stored columns.
    pub row: ConcludedRow,
    /// Result at the conclusion.
    pub summary: Option<ConcludedSummary>,
    /// Arm that is served, or else the one with the highest lift.
    pub arm: Option<ConcludedArm>,
    /// Estimate of this arm's true lift, or the reason why there is none.
    pub expected: Result<Estimate, NoEstimate>,
}

impl Test {
    /// Returns whether it was decided by another goal than the planned one.
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

/// Computes the programme of `rows`, which are all concluded experiments, newest first.
///
/// Expected lifts are estimated from all of them; `page` says which are counted and listed. Invalid experiments,
/// personalizations, and those whose health checks failed are counted in the totals, but left out of estimates and
/// sums.
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

/// Returns whether a variant won. If the control is served after all, no variant counts as the winner.
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
