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

/// Months that are listed at most: ten years.
const MONTHS_MAX: usize = 120;
/// Days of a month on average.
const MONTH_DAYS: f64 = 30.436_875;

/// Numbers of concluded experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// All of them.
    pub concluded: usize,
    /// By outcome.
    pub outcomes: OutcomeCounts,
    /// How many won, of those that are not invalid and were decided by the goal of their plan.
    pub won: Rate,
    /// Those that were decided by another goal than the one of their plan, which was chosen when its numbers could be known.
    /// They are not in the win rate.
    pub exploratory: usize,
    /// Concluded in a month on average: since the first of them, or the beginning of the time that is asked for, until now or
    /// its end. `None` where none was.
    pub per_month: Option<f64>,
    /// From the month of the first to that of the last day that is asked for, at most the last ten years.
    pub months: Vec<Month>,
}

/// Experiments by outcome, in the order of [`ConclusionOutcome::WORDS`].
pub type OutcomeCounts = [(ConclusionOutcome, usize); ConclusionOutcome::WORDS.len()];

/// The share of experiments that won.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Experiments that won.
    pub count: usize,
    /// All experiments.
    pub of: usize,
    /// Wilson's interval of the share; `None` without experiments.
    pub interval: Option<Interval>,
}

impl Rate {
    pub(super) fn new(count: usize, of: usize) -> Self {
        let share = Proportion { n: of as u64, successes: count as u64 };
        Self { count, of, interval: wilson(&share, 1.0 - CONFIDENCE).ok() }
    }

    /// The share, from 0 to 1.
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}

/// A month in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    /// Its first day.
    pub first: Date,
    /// Experiments that were concluded in it.
    pub concluded: usize,
    /// Of these, how many won.
    pub won: usize,
}

impl Totals {
    /// The numbers of these experiments, which are those of the page's time, newest first. Each comes with whether it was decided
    /// by another goal than that of its plan.
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

/// The months from `first` to `end`, which is not in them any more.
fn months<'a>(rows: impl Iterator<Item = &'a ConcludedRow>, first: Instant, end: Instant) -> Vec<Month> {
    let last = month_of(end.plus_us(-1)).max(month_of(first));
    let number = |month: Date| usize::try_from(i64::from(month.year()) * 12 + i64::from(month.month())).unwrap_or(0);
    let count = number(last) - number(month_of(first)) + 1;
    let listed = count.min(MONTHS_MAX);
    let mut months: Vec<Month> =
        (0..listed).map(|back| Month { first: earlier(last, listed - 1 - back), concluded: 0, won: 0 }).collect();
    for row in rows {
        let back = number(last).saturating_sub(number(month_of(row.concluded_at)));
        // Of a clock that went back, a conclusion may be later than now.
        if let Some(month) = listed.checked_sub(back + 1).and_then(|at| months.get_mut(at)) {
            month.concluded += 1;
            month.won += usize::from(row.outcome == ConclusionOutcome::Won);
        }
    }
    months
}

/// The first day of the month.
fn month_of(at: Instant) -> Date {
    let day = Timestamp::from_microsecond(at.us()).map(|at| at.to_zoned(TimeZone::UTC).date());
    day.map_or(Date::ZERO, Date::first_of_month)
}

/// The first day of the month so many months before.
fn earlier(month: Date, months: usize) -> Date {
    let number = i64::from(month.year()) * 12 + i64::from(month.month()) - 1 - months as i64;
    let (year, month) = (number.div_euclid(12), number.rem_euclid(12) + 1);
    match (i16::try_from(year), i8::try_from(month)) {
        (Ok(year), Ok(month)) => Date::new(year, month, 1).unwrap_or(Date::ZERO),
        _ => Date::ZERO,
    }
}
