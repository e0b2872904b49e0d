//! The programme: all concluded experiments together.

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
    /// Numbers of the experiments that were concluded between `from` and `to`.
    pub(crate) totals: ProgrammeTotals,
    /// The lifts of the winners among them, added up.
    pub(crate) cumulative: ProgrammeCumulative,
    /// Concluded experiments of all time from whose results the expected lifts are estimated.
    pub(crate) learned_from: usize,
    /// Concluded experiments of all time that have no expected lift and no part in the estimates.
    pub(crate) without_estimate: ProgrammeWithoutEstimate,
    /// Whether there are more than 10,000 concluded experiments. The oldest are ignored then.
    pub(crate) truncated: bool,
    /// Results by the ratings of hypotheses, as they are now: an entry for each rating and value that occurs.
    pub(crate) calibration: Vec<ProgrammeCalibration>,
    /// The holdouts of the projects, at most 100: they measure the effect of all experiments together.
    pub(crate) holdouts: Vec<ProgrammeHoldout>,
    /// Experiments in `items` on all pages.
    pub(crate) total: usize,
    /// Concluded experiments, the newest first.
    pub(crate) items: Vec<ProgrammeItem>,
    /// What to pass as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// Numbers of concluded experiments.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeTotals {
    /// All of them.
    concluded: usize,
    /// By outcome.
    outcomes: ProgrammeOutcomes,
    /// Percent that won, of those that are not invalid and were decided by the goal of their plan; null without such experiments.
    #[schema(required, example = 31.2)]
    win_rate: Option<f64>,
    /// Wilson's interval of the win rate.
    #[schema(required, example = json!([20.1, 45.0]))]
    win_rate_interval: Option<[f64; 2]>,
    /// Experiments that were decided by another goal than that of the plan which their first start locked: they are not in the
    /// win rate.
    exploratory: usize,
    /// Experiments concluded per month on average, from `from` or the first of them to `to` or now, over at least one month;
    /// null without any.
    #[schema(required, example = 4.2)]
    per_month: Option<f64>,
    /// Months in UTC, from that of the first experiment on, at most the last 120.
    months: Vec<ProgrammeMonth>,
}

/// Experiments by outcome.
#[derive(Serialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeOutcomes {
    won: usize,
    lost: usize,
    inconclusive: usize,
    stopped_early: usize,
    invalid: usize,
}

/// Experiments without an expected lift, by the words of `no_estimate`.
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
    /// Experiments that were concluded.
    concluded: usize,
    /// Of these, how many won.
    won: usize,
}

/// Sums of lifts.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeCumulative {
    /// Of experiments that won, or whose variant is served as the winner.
    won_or_served: ProgrammeSum,
    /// Of experiments whose variant is served as the winner now.
    served: ProgrammeSum,
}

/// The lifts of some experiments added up, each of its own primary goal. Invalid experiments are never part of it.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeSum {
    /// Experiments in the sum.
    tests: usize,
    /// Experiments that would be in the sum if they had an expected lift.
    without_lift: usize,
    /// The expected sum of the true lifts, in percent; null while there is nothing to estimate from.
    #[schema(required, example = 12.9)]
    expected: Option<f64>,
    /// Interval of the sum of the true lifts.
    #[schema(required, example = json!([6.1, 20.4]))]
    expected_interval: Option<[f64; 2]>,
    /// The sum of the lifts that the results showed, in percent, for comparison. It is usually far too high, as winners are
    /// chosen for a high result.
    #[schema(example = 20.3)]
    shown: f64,
}

/// Results of the experiments whose hypothesis has a rating of this value.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeCalibration {
    /// `confidence`, `importance` or `difficulty`.
    #[schema(example = "confidence")]
    rating: &'static str,
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    value: i64,
    /// Concluded experiments that are not invalid.
    tests: usize,
    /// Of these, how many won.
    won: usize,
    /// The same in percent.
    #[schema(required)]
    win_rate: Option<f64>,
    /// Wilson's interval of the win rate.
    #[schema(required)]
    win_rate_interval: Option<[f64; 2]>,
    /// Experiments with an expected lift.
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
    /// The key of its project.
    project_key: String,
    /// Its id.
    group_id: i64,
    /// Its name.
    #[schema(example = "Everything new of 2026")]
    name: String,
    /// Percent of the visitors that it keeps out.
    percent: f64,
    /// The path of its result.
    #[schema(example = "/v2/project/prj_Q2f8kX3mD7tYwR5vB9cN1s/exclusion-group/3/result")]
    result: String,
}

/// A concluded experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgrammeItem {
    /// The key of its project.
    project_key: String,
    /// Its id.
    test_id: i64,
    /// Its name.
    test_name: String,
    /// Its permanent name for server-side use.
    experiment_key: String,
    /// The hypothesis that it tested.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// The outcome.
    #[schema(value_type = schemas::ConclusionOutcome)]
    outcome: &'static str,
    /// When it was concluded.
    #[schema(value_type = String, format = DateTime)]
    concluded_at: Instant,
    /// Who concluded it: a name; null where that was an older release.
    #[schema(required)]
    concluded_by: Option<String>,
    /// The team's reasons.
    #[schema(example = "Fewer fields, more orders.")]
    note: String,
    /// What was learned beyond this test.
    #[schema(example = "Visitors on phones leave at the address.")]
    learned: String,
    /// The variant that is served as the winner; null where none is.
    #[schema(required)]
    serving_variant_id: Option<String>,
    /// The primary goal; null where no result was kept.
    #[schema(required)]
    goal_key: Option<String>,
    /// Its name.
    #[schema(required)]
    goal_name: Option<String>,
    /// Visitors in all arms.
    #[schema(required)]
    visitors: Option<u64>,
    /// The variant that the lifts are of: the one that is served, or else the one with the highest lift. Null where no result
    /// was kept, as before this version.
    #[schema(required)]
    variant_id: Option<String>,
    /// The lift that the result showed when it was concluded, in percent.
    #[schema(required)]
    lift: Option<f64>,
    /// Its interval, with the experiment's confidence.
    #[schema(required)]
    lift_interval: Option<[f64; 2]>,
    /// The expected true lift, in percent; null where `no_estimate` says why.
    #[schema(required)]
    expected_lift: Option<f64>,
    /// Interval of the true lift.
    #[schema(required)]
    expected_interval: Option<[f64; 2]>,
    /// Why there is no expected lift: it was concluded as `invalid`; it is a `personalization`, whose variants are for different
    /// audiences; `no_result` was kept; health checks failed, so the result is `not_trusted`; or `too_few_conversions`, fewer
    /// than 10 in the variant or the control. Null where there is one.
    #[schema(required, value_type = Option<schemas::NoEstimate>)]
    no_estimate: Option<&'static str>,
    /// How sure the team was, 1 to 5, as the hypothesis has it now; null without one.
    #[schema(required)]
    confidence: Option<i64>,
    /// How much it would matter.
    #[schema(required)]
    importance: Option<i64>,
    /// How much work it was.
    #[schema(required)]
    difficulty: Option<i64>,
}

fn ends(interval: Interval) -> [f64; 2] {
    [percent(interval.lower), percent(interval.upper)]
}

/// Value and interval in percent.
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
        // One that was deleted or reopened meanwhile has no texts any more.
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

/// The columns of the programme as a table.
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

/// Experiments as a table.
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

/// The text of a cell; empty for null.
fn cell<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
