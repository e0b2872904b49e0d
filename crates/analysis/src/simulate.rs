//! What a plan would do if it were run many times: how often it finds an effect
//! that is there, and how often it calls one that is not.
//!
//! A [`Simulation`] makes visitors up; a [`Replay`] takes those of the past and
//! shares them anew. Both let them enter day by day, have each day judged by
//! [`report`](crate::report()), as the product does, and end by the rules of the
//! experiment. Nothing of the judging is written a second time here.
//!
//! Drawing is a function of a seed and the number of the run, so runs can be made
//! in any order and on any number of threads, and are the same again later.

mod draw;
mod looks;
mod replay;
mod tally;
#[cfg(test)]
mod tests;

pub use draw::{Scenario, Simulation};
pub use replay::{Past, Replay};
pub use tally::{Share, Spread, Tally};

use crate::design::{Design, Trial};
use crate::report::Verdict;

/// Days of a simulated experiment at most.
pub const DAYS_MAX: u32 = 365;
/// Visitors of a simulated day at most.
pub const DAILY_MAX: f64 = 1e8;
/// The widest spread of order values: at 3 a single order is worth as much as
/// tens of thousands of others.
pub const SIGMA_MAX: f64 = 3.0;

/// When nobody enters any more. Rules that are not there do not end anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// When an arm is called better or worse than the control.
    pub significant: bool,
    /// When so many entered, in all arms.
    pub visitors: Option<u64>,
    /// When so many of them converted.
    pub conversions: Option<u64>,
    /// After so many days.
    pub period: Option<u32>,
}

/// How long an experiment is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// When it ends by itself.
    pub rules: Rules,
    /// When it is ended if no rule did: after so many days, 1 to [`DAYS_MAX`].
    pub days: u32,
    /// Days that a visitor has to convert; 0 where there is no such window.
    /// Visitors are compared once they are over, so looking goes on for as many
    /// days after the end.
    pub window_days: u32,
}

/// What ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ended {
    /// An arm was called.
    Significant,
    /// Enough visitors.
    Visitors,
    /// Enough conversions.
    Conversions,
    /// [`Rules::period`].
    Period,
    /// No rule did: [`Schedule::days`].
    Days,
}

impl Ended {
    /// All of them.
    pub const ALL: [Ended; 5] = [Ended::Significant, Ended::Visitors, Ended::Conversions, Ended::Period, Ended::Days];

    /// Its word: `significant`, `visitors`, `conversions`, `period`, `days`.
    pub fn word(self) -> &'static str {
        match self {
            Ended::Significant => "significant",
            Ended::Visitors => "visitors",
            Ended::Conversions => "conversions",
            Ended::Period => "period",
            Ended::Days => "days",
        }
    }
}

/// The first time that an arm was called better or worse than the control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// At the end of which day, 1 for the first.
    pub day: u32,
    /// [`Verdict::Win`] or [`Verdict::Loss`].
    pub verdict: Verdict,
}

/// What became of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fate {
    /// What was said of it at the last look.
    pub verdict: Verdict,
    /// When it was first called, if it ever was: at any look, not only the last.
    pub called: Option<Call>,
}

/// An experiment from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Days on which visitors entered.
    pub days: u32,
    /// How many did, in all arms.
    pub visitors: u64,
    /// What ended it.
    pub ended: Ended,
    /// Every arm but the control, in their order.
    pub fates: Vec<Fate>,
}

impl Run {
    /// Whether any arm was ever called: a false alarm where nothing differs.
    pub fn is_called(&self) -> bool {
        self.fates.iter().any(|fate| fate.called.is_some())
    }
}

/// Why a plan cannot be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impossible {
    /// There is nothing beside the control.
    NoVariant,
    /// The control or the first variant gets nobody.
    NoWeight,
    /// The weights follow the results.
    Bandit,
    /// Not from 1 to [`DAYS_MAX`] days.
    Days,
    /// Not more than 0 and up to [`DAILY_MAX`] visitors a day.
    Visitors,
    /// A conversion rate that is not between 0 and 1.
    Rate,
    /// A lift with which an arm's rate is not between 0 and 1, or not one lift per arm.
    Lift,
    /// Order values whose spread is not from 0 to [`SIGMA_MAX`].
    Sigma,
    /// Nobody came in the past.
    NoPast,
}

impl std::fmt::Display for Impossible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Impossible::NoVariant => "there is no variant to compare with the control",
            Impossible::NoWeight => "the control and the first variant must both have a share of the traffic",
            Impossible::Bandit => "its weights follow its results, and only fixed weights can be simulated",
            Impossible::Days => return write!(f, "an experiment lasts 1 to {DAYS_MAX} days here"),
            Impossible::Visitors => {
                return write!(f, "daily visitors must be more than 0 and at most {} million", DAILY_MAX / 1e6);
            }
            Impossible::Rate => "the baseline rate must be more than 0 % and less than 100 %",
            Impossible::Lift => "the effect must leave the variant's rate between 0 % and 100 %",
            Impossible::Sigma => return write!(f, "the spread of order values must be from 0 to {SIGMA_MAX}"),
            Impossible::NoPast => "there are no visitors in the past to replay",
        };
        f.write_str(text)
    }
}

impl std::error::Error for Impossible {}

/// Checks what both ways of running have in common.
fn check(design: &Design, schedule: &Schedule) -> Result<(), Impossible> {
    if design.arms < 2 {
        return Err(Impossible::NoVariant);
    }
    if design.trial == Trial::Bandit {
        return Err(Impossible::Bandit);
    }
    let weights = design.weights(EPOCH);
    if weights[0] == 0 || weights[1] == 0 {
        return Err(Impossible::NoWeight);
    }
    if !(1..=DAYS_MAX).contains(&schedule.days) {
        return Err(Impossible::Days);
    }
    Ok(())
}

/// Weights do not change on the way: there is one epoch.
const EPOCH: i64 = 1;
