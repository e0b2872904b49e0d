//! The programme, all concluded experiments together, in responses.

use super::results::{Csv, percent};
use crate::wire::schemas;
use muriel_analysis::programme::Estimate;
use muriel_domain::Instant;
use muriel_results::programme::{
    Month, NoEstimate, NoEstimateCounts, ProgrammeEntry, Rate, RatingCalibration, Sum, Totals,
};
use muriel_service::programme::ProgrammeAnswer;
use muriel_stats::Interval;
use muriel_store::programme::{ConcludedTexts, HoldoutRow};
use serde::Serialize;
use utoipa::ToSchema;

/// All concluded experiments together. Lifts are in percent; intervals contain their value with a probability of 95 %.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Programme {
    /// Always true.
    pub(crate) success: bool,
    /// Numbers of the experiments concluded between `from` and `to`.
    pub(crate) totals: ProgrammeTotals,
    /// Sums of the lifts of the winners among them.
    pub(crate) cumulative: ProgrammeCumulative,
    /// Number of concluded experiments, of all time, from which the expected lifts are estimated.
    pub(crate) learned_from: usize,
    /// Concluded experiments, of all time, that have no expected lift and are not used in the estimates.
    pub(crate) without_estimate: ProgrammeWithoutEstimate,
    /// True when there are more than 10,000 concluded experiments. The oldest are then ignored.
    pub(crate) truncated: bool,
    /// Results by the current ratings of hypotheses, with an entry for each rating and value that occurs.
    pub(crate) calibration: Vec<ProgrammeCalibration>,
    /// Holdouts of the projects, at most 100. They measure the combined effect of all experiments.
    pub(crate) holdouts: Vec<ProgrammeHoldout>,
    /// Number of experiments in `items` on all pages.
    pub(crate) total: usize,
    /// Concluded experiments, the newest first.
    pub(crate) items: Vec<ProgrammeItem>,
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// Numbers of concluded experiments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeTotals {
    /// Number of concluded experiments.
    concluded: usize,
    /// Numbers by outcome.
    outcomes: ProgrammeOutcomes,
    /// Percent that won, of experiments that are not invalid and were decided by the goal of their plan; null if there
    /// are none.
    #[schema(required, example = 31.2)]
    win_rate: Option<f64>,
    /// Wilson interval of the win rate.
    #[schema(required, example = json!([20.1, 45.0]))]
    win_rate_interval: Option<[f64; 2]>,
    /// Number of experiments decided by another goal than that of the plan locked at their first start. They are not in
    /// the win rate.
    exploratory: usize,
    /// Average number of experiments concluded per month, from `from` or the first of them to `to` or now, over at
    /// least one month; null if there are none.
    #[schema(required, example = 4.2)]
    per_month: Option<f64>,
    /// Months in UTC, from that of the first experiment, at most the last 120.
    months: Vec<ProgrammeMonth>,
}

/// Numbers of experiments by outcome.
#[derive(Serialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeOutcomes {
    won: usize,
    lost: usize,
    inconclusive: usize,
    stopped_early: usize,
    invalid: usize,
}

/// Numbers of experiments without an expected lift, by the words of `no_estimate`.
#[derive(Serialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeWithoutEstimate {
    invalid: usize,
    personalization: usize,
    no_result: usize,
    not_trusted: usize,
    too_few_conversions: usize,
}

/// A month.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeMonth {
    /// Year and month.
    #[schema(example = "2026-03")]
    month: String,
    /// Number of experiments that were concluded.
    concluded: usize,
    /// Number of those that won.
    won: usize,
}

/// Sums of lifts.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeCumulative {
    /// Experiments that won, or whose variant is served as the winner.
    won_or_served: ProgrammeSum,
    /// Experiments whose variant is served as the winner now.
    served: ProgrammeSum,
}

/// Sum of the lifts of some experiments, each of its own primary goal. Invalid experiments are never included.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeSum {
    /// Number of experiments in the sum.
    tests: usize,
    /// Number of experiments that are missing in the sum because they have no expected lift.
    without_lift: usize,
    /// Expected sum of the true lifts, in percent; null if there is nothing to estimate from.
    #[schema(required, example = 12.9)]
    expected: Option<f64>,
    /// Interval of the sum of the true lifts.
    #[schema(required, example = json!([6.1, 20.4]))]
    expected_interval: Option<[f64; 2]>,
    /// Sum of the lifts that the results showed, in percent, for comparison. It is usually far too high, because
    /// winners are selected for high results.
    #[schema(example = 20.3)]
    shown: f64,
}

/// Results of the experiments whose hypothesis has this rating.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeCalibration {
    /// `confidence`, `importance` or `difficulty`.
    #[schema(example = "confidence")]
    rating: &'static str,
    /// Value of the rating, from 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    value: i64,
    /// Number of concluded experiments that are not invalid.
    tests: usize,
    /// Number of those that won.
    won: usize,
    /// Percent that won.
    #[schema(required)]
    win_rate: Option<f64>,
    /// Wilson interval of the win rate.
    #[schema(required)]
    win_rate_interval: Option<[f64; 2]>,
    /// Number of experiments with an expected lift.
    with_lift: usize,
    /// Average of their expected lifts, in percent.
    #[schema(required)]
    expected_lift: Option<f64>,
    /// Interval of the average of their true lifts.
    #[schema(required)]
    expected_interval: Option<[f64; 2]>,
}

/// A holdout.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeHoldout {
    /// Key of the project.
    project_key: String,
    /// Id of the holdout.
    group_id: i64,
    /// Name of the holdout.
    #[schema(example = "Everything new of 2026")]
    name: String,
    /// Percent of the visitors who are held out.
    percent: f64,
    /// Path of its result.
    #[schema(example = "/v2/project/prj_Q2f8kX3mD7tYwR5vB9cN1s/exclusion-group/3/result")]
    result: String,
}

/// A concluded experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeItem {
    /// Key of the project.
    project_key: String,
    /// Id of the experiment.
    test_id: i64,
    /// Name of the experiment.
    test_name: String,
    /// Permanent key for servers and files.
    experiment_key: String,
    /// Id of the hypothesis that it tested.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Outcome.
    #[schema(value_type = schemas::ConclusionOutcome)]
    outcome: &'static str,
    /// Time of the conclusion.
    #[schema(value_type = String, format = DateTime)]
    concluded_at: Instant,
    /// Name of the person who concluded it; null if an older release did not store it.
    #[schema(required)]
    concluded_by: Option<String>,
    /// Reasons in the team's words.
    #[schema(example = "Fewer fields, more orders.")]
    note: String,
    /// Lesson beyond this test.
    #[schema(example = "Visitors on phones leave at the address.")]
    learned: String,
    /// Variant that is served as the winner; null if no variant is served.
    #[schema(required)]
    serving_variant_id: Option<String>,
    /// Key of the primary goal; null if no result was stored.
    #[schema(required)]
    goal_key: Option<String>,
    /// Name of the primary goal.
    #[schema(required)]
    goal_name: Option<String>,
    /// Number of visitors in all variants.
    #[schema(required)]
    visitors: Option<u64>,
    /// Variant whose lifts are shown: the served one, or else the one with the highest lift. Null if no result was
    /// stored, as in earlier versions.
    #[schema(required)]
    variant_id: Option<String>,
    /// Lift in the result at the time of the conclusion, in percent.
    #[schema(required)]
    lift: Option<f64>,
    /// Interval of that lift, at the experiment's confidence.
    #[schema(required)]
    lift_interval: Option<[f64; 2]>,
    /// Expected true lift, in percent; null with the reason in `no_estimate`.
    #[schema(required)]
    expected_lift: Option<f64>,
    /// Interval of the true lift.
    #[schema(required)]
    expected_interval: Option<[f64; 2]>,
    /// Reason why there is no expected lift: the outcome is `invalid`; it is a `personalization`, whose variants have
    /// different audiences; `no_result` was stored; health checks failed, so the result is `not_trusted`; or
    /// `too_few_conversions`, fewer than 10 in the variant or the control. Null if there is one.
    #[schema(required, value_type = Option<schemas::NoEstimate>)]
    no_estimate: Option<&'static str>,
    /// Confidence of the team, 1 to 5, as rated in the hypothesis now; null if not rated.
    #[schema(required)]
    confidence: Option<i64>,
    /// Importance, 1 to 5.
    #[schema(required)]
    importance: Option<i64>,
    /// Difficulty, 1 to 5.
    #[schema(required)]
    difficulty: Option<i64>,
}

fn ends(interval: Interval) -> [f64; 2] {
    [percent(interval.lower), percent(interval.upper)]
}

/// Expected value and interval, in percent.
fn expected(estimate: Option<Estimate>) -> (Option<f64>, Option<[f64; 2]>) {
    (estimate.map(|it| percent(it.mean)), estimate.map(|it| ends(it.interval)))
}

impl From<NoEstimateCounts> for ProgrammeWithoutEstimate {
    fn from(counts: NoEstimateCounts) -> Self {
        let mut shown = Self::default();
        for (reason, count) in counts {
            match reason {
                NoEstimate::Invalid => shown.invalid = count,
                NoEstimate::Personalization => shown.personalization = count,
                NoEstimate::NoResult => shown.no_result = count,
                NoEstimate::NotTrusted => shown.not_trusted = count,
                NoEstimate::TooFewConversions => shown.too_few_conversions = count,
            }
        }
        shown
    }
}

impl Programme {
    pub(crate) fn new(answer: ProgrammeAnswer, next_cursor: Option<String>) -> Self {
        let ProgrammeAnswer { report, mut texts, holdouts, is_truncated } = answer;
        // An experiment that was deleted or reopened meanwhile has no texts any more.
        let item = |entry: ProgrammeEntry| texts.remove(&entry.row.id).map(|texts| ProgrammeItem::new(entry, texts));
        Self {
            success: true,
            totals: report.totals.into(),
            cumulative: ProgrammeCumulative {
                won_or_served: report.won_or_served.into(),
                served: report.served.into(),
            },
            learned_from: report.learned_from,
            without_estimate: report.without_estimate.into(),
            truncated: is_truncated,
            calibration: report.calibration.into_iter().map(ProgrammeCalibration::from).collect(),
            holdouts: holdouts.into_iter().map(ProgrammeHoldout::from).collect(),
            total: report.listed,
            items: report.entries.into_iter().filter_map(item).collect(),
            next_cursor,
        }
    }
}

impl From<Totals> for ProgrammeTotals {
    fn from(totals: Totals) -> Self {
        let count =
            |word: &str| totals.outcomes.iter().filter(|(outcome, _)| outcome.word() == word).map(|it| it.1).sum();
        let (win_rate, win_rate_interval) = rate(&totals.won);
        Self {
            concluded: totals.concluded,
            outcomes: ProgrammeOutcomes {
                won: count("won"),
                lost: count("lost"),
                inconclusive: count("inconclusive"),
                stopped_early: count("stopped_early"),
                invalid: count("invalid"),
            },
            win_rate,
            win_rate_interval,
            exploratory: totals.exploratory,
            per_month: totals.per_month,
            months: totals.months.into_iter().map(ProgrammeMonth::from).collect(),
        }
    }
}

fn rate(rate: &Rate) -> (Option<f64>, Option<[f64; 2]>) {
    (rate.share().map(percent), rate.interval.map(ends))
}

impl From<Month> for ProgrammeMonth {
    fn from(month: Month) -> Self {
        let Month { first, concluded, won } = month;
        Self { month: format!("{:04}-{:02}", first.year(), first.month()), concluded, won }
    }
}

impl From<Sum> for ProgrammeSum {
    fn from(sum: Sum) -> Self {
        let (expected, expected_interval) = expected(sum.expected);
        let Sum { tests, without_lift, shown, .. } = sum;
        Self { tests, without_lift, expected, expected_interval, shown: percent(shown) }
    }
}

impl From<RatingCalibration> for ProgrammeCalibration {
    fn from(it: RatingCalibration) -> Self {
        let ((win_rate, win_rate_interval), (expected_lift, expected_interval)) =
            (rate(&it.won), expected(it.expected));
        Self {
            rating: it.rating,
            value: it.value,
            tests: it.won.of,
            won: it.won.count,
            win_rate,
            win_rate_interval,
            with_lift: it.with_lift,
            expected_lift,
            expected_interval,
        }
    }
}

impl From<HoldoutRow> for ProgrammeHoldout {
    fn from(row: HoldoutRow) -> Self {
        let HoldoutRow { project_key, group_id, name, held_out } = row;
        let result = format!("/v2/project/{project_key}/exclusion-group/{group_id}/result");
        Self { project_key, group_id, name, percent: held_out as f64 / 100.0, result }
    }
}

impl ProgrammeItem {
    fn new(entry: ProgrammeEntry, texts: ConcludedTexts) -> Self {
        let ProgrammeEntry { row, summary, arm, expected: estimate } = entry;
        let (expected_lift, expected_interval) = expected(estimate.ok());
        let [confidence, importance, difficulty] = row.ratings;
        let visitors = summary.as_ref().map(|it| it.visitors);
        let (goal_key, goal_name) = summary.map(|it| (it.goal_key, it.goal_name)).unzip();
        Self {
            project_key: texts.project_key,
            test_id: row.id.0,
            test_name: texts.name,
            experiment_key: texts.key,
            hypothesis_id: texts.hypothesis.map(|id| id.0),
            outcome: row.outcome.word(),
            concluded_at: row.concluded_at,
            concluded_by: texts.concluded_by,
            note: texts.note,
            learned: texts.learned,
            serving_variant_id: row.served_arm.map(|arm| arm.to_string()),
            goal_key,
            goal_name,
            visitors,
            variant_id: arm.map(|arm| arm.arm.to_string()),
            lift: arm.map(|arm| percent(arm.lift)),
            lift_interval: arm.and_then(|arm| arm.lift_interval).map(|ends| ends.map(percent)),
            expected_lift,
            expected_interval,
            no_estimate: estimate.err().map(NoEstimate::word),
            confidence,
            importance,
            difficulty,
        }
    }
}

/// Columns of the programme as CSV.
const COLUMNS: [&str; 25] = [
    "project_key",
    "test_id",
    "test_name",
    "experiment_key",
    "hypothesis_id",
    "outcome",
    "concluded_at",
    "concluded_by",
    "serving_variant_id",
    "goal_key",
    "goal_name",
    "visitors",
    "variant_id",
    "lift",
    "lift_lower",
    "lift_upper",
    "expected_lift",
    "expected_lower",
    "expected_upper",
    "no_estimate",
    "confidence",
    "importance",
    "difficulty",
    "note",
    "learned",
];

/// Formats experiments as CSV.
pub(crate) fn programme_csv(items: &[ProgrammeItem]) -> String {
    let mut csv = Csv::default();
    csv.line(COLUMNS.iter().map(|column| (*column).to_owned()));
    let end = |interval: Option<[f64; 2]>, at: usize| cell(interval.map(|ends| ends[at]));
    for item in items {
        let cells = [
            item.project_key.clone(),
            item.test_id.to_string(),
            item.test_name.clone(),
            item.experiment_key.clone(),
            cell(item.hypothesis_id),
            item.outcome.to_owned(),
            item.concluded_at.to_string(),
            cell(item.concluded_by.as_deref()),
            cell(item.serving_variant_id.as_deref()),
            cell(item.goal_key.as_deref()),
            cell(item.goal_name.as_deref()),
            cell(item.visitors),
            cell(item.variant_id.as_deref()),
            cell(item.lift),
            end(item.lift_interval, 0),
            end(item.lift_interval, 1),
            cell(item.expected_lift),
            end(item.expected_interval, 0),
            end(item.expected_interval, 1),
            cell(item.no_estimate),
            cell(item.confidence),
            cell(item.importance),
            cell(item.difficulty),
            item.note.clone(),
            item.learned.clone(),
        ];
        csv.line(cells.into_iter());
    }
    csv.finish()
}

/// Text of a cell; empty for null.
fn cell<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
