//! Numbers of concluded experiments: by outcome, per month, and the win rate.

use super::{CONFIDENCE, ProgrammePage};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::time::DAY_US;
use muriel_stats::Interval;
use muriel_stats::interval::{Proportion, wilson};
use muriel_store::programme::ConcludedRow;

/// Maximum number of listed months: ten years.
const MONTHS_MAX: usize = 120;
/// Average number of days in a month.
const MONTH_DAYS: f64 = 30.436_875;

/// Numbers of concluded experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// Number of all experiments.
    pub concluded: usize,
    /// Numbers of experiments by outcome.
    pub outcomes: OutcomeCounts,
    /// Share that won, of those that are not invalid and were decided by the planned goal.
    pub won: Rate,
    /// Number of those that were decided by another goal than the planned one, chosen when its numbers could be known.
    /// They are not in the win rate.
    pub exploratory: usize,
    /// Average number concluded per month: from the first of them, or the start of the requested period, until now or
    /// the end of the period. `None` without any.
    pub per_month: Option<f64>,
    /// Months from that of the first experiment to that of the last requested day, at most the last ten years.
    pub months: Vec<Month>,
}

/// Numbers of experiments by outcome, in the order of [`ConclusionOutcome::WORDS`].
pub type OutcomeCounts = [(ConclusionOutcome, usize); ConclusionOutcome::WORDS.len()];

/// The share of experiments that won.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Number of experiments that won.
    pub count: usize,
    /// Number of all experiments.
    pub of: usize,
    /// Wilson interval of the share; `None` without experiments.
    pub interval: Option<Interval>,
}

impl Rate {
    pub(super) fn new(count: usize, of: usize) -> Self {
        let share = Proportion { n: of as u64, successes: count as u64 };
        Self { count, of, interval: wilson(&share, 1.0 - CONFIDENCE).ok() }
    }

    /// Share from 0 to 1; `None` without experiments.
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}

/// A month in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    /// First day of the month.
    pub first: Date,
    /// Number of experiments that were concluded in it.
    pub concluded: usize,
    /// Number of these that won.
    pub won: usize,
}

impl Totals {
    /// Numbers of these experiments, which are those of the requested period, newest first. The flag of each is true
    /// when it was decided by another goal than the planned one.
    pub(super) fn of<'a>(all: impl Iterator<Item = (&'a ConcludedRow, bool)> + Clone, page: &ProgrammePage) -> Self {
        let rows = all.clone().map(|(row, _)| row);
        let concluded = rows.clone().count();
        let count = |outcome| rows.clone().filter(|row| row.outcome == outcome).count();
        let outcomes = ConclusionOutcome::WORDS.map(|(_, outcome)| (outcome, count(outcome)));
        let judged = || all.clone().filter(|(row, _)| row.outcome != ConclusionOutcome::Invalid);
        let exploratory = judged().filter(|(_, is_exploratory)| *is_exploratory).count();
        let won = judged().filter(|(row, is_exploratory)| !is_exploratory && row.outcome == ConclusionOutcome::Won);
        let won = Rate::new(won.count(), judged().count() - exploratory);
        let end = page.to.map_or(page.now, |to| to.min(page.now));
        let first = rows.clone().map(|row| row.concluded_at).min();
        let per_month = first.map(|first| {
            let days = (end.us() - page.from.unwrap_or(first).us()) as f64 / DAY_US as f64;
            concluded as f64 * MONTH_DAYS / days.max(MONTH_DAYS)
        });
        let months = first.map(|first| months(rows, first, end)).unwrap_or_default();
        Self { concluded, outcomes, won, exploratory, per_month, months }
    }
}

/// The months from `first` to `end`, which is exclusive.
fn months<'a>(rows: impl Iterator<Item = &'a ConcludedRow>, first: Instant, end: Instant) -> Vec<Month> {
    let last = month_of(end.plus_us(-1)).max(month_of(first));
    let number = |month: Date| usize::try_from(i64::from(month.year()) * 12 + i64::from(month.month())).unwrap_or(0);
    let count = number(last) - number(month_of(first)) + 1;
    let listed = count.min(MONTHS_MAX);
    let mut months: Vec<Month> =
        (0..listed).map(|back| Month { first: earlier(last, listed - 1 - back), concluded: 0, won: 0 }).collect();
    for row in rows {
        let back = number(last).saturating_sub(number(month_of(row.concluded_at)));
        // If the clock was set back, a conclusion may be later than now.
        if let Some(month) = listed.checked_sub(back + 1).and_then(|at| months.get_mut(at)) {
            month.concluded += 1;
            month.won += usize::from(row.outcome == ConclusionOutcome::Won);
        }
    }
    months
}

/// First day of the month of a time.
fn month_of(at: Instant) -> Date {
    let day = Timestamp::from_microsecond(at.us()).map(|at| at.to_zoned(TimeZone::UTC).date());
    day.map_or(Date::ZERO, Date::first_of_month)
}

/// First day of the month that is `months` months earlier.
fn earlier(month: Date, months: usize) -> Date {
    let number = i64::from(month.year()) * 12 + i64::from(month.month()) - 1 - months as i64;
    let (year, month) = (number.div_euclid(12), number.rem_euclid(12) + 1);
    match (i16::try_from(year), i8::try_from(month)) {
        (Ok(year), Ok(month)) => Date::new(year, month, 1).unwrap_or(Date::ZERO),
        _ => Date::ZERO,
    }
}
