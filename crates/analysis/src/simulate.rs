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
pub use replay::{PastVisitor, Replay};
pub use tally::{RunDistribution, RunShare, Tally};

use crate::design::{AllocationPolicy, Design};
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
pub struct StopRules {
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
    pub rules: StopRules,
    /// When it is ended if no rule did: after so many days, 1 to [`DAYS_MAX`].
    pub days: u32,
    /// Days that a visitor has to convert; 0 where there is no such window.
    /// Visitors are compared once they are over, so looking goes on for as many
    /// days after the end.
    pub window_days: u32,
}

/// What ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndReason {
    /// An arm was called.
    Significant,
    /// Enough visitors.
    Visitors,
    /// Enough conversions.
    Conversions,
    /// [`StopRules::period`].
    Period,
    /// No rule did: [`Schedule::days`].
    Days,
}

impl EndReason {
    /// All of them.
    pub const ALL: [EndReason; 5] =
        [EndReason::Significant, EndReason::Visitors, EndReason::Conversions, EndReason::Period, EndReason::Days];

    /// Its word: `significant`, `visitors`, `conversions`, `period`, `days`.
    pub fn word(self) -> &'static str {
        match self {
            EndReason::Significant => "significant",
            EndReason::Visitors => "visitors",
            EndReason::Conversions => "conversions",
            EndReason::Period => "period",
            EndReason::Days => "days",
        }
    }
}

/// The first time that an arm was called better or worse than the control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstCall {
    /// At the end of which day, 1 for the first.
    pub day: u32,
    /// [`Verdict::Win`] or [`Verdict::Loss`].
    pub verdict: Verdict,
}

/// What became of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArmOutcome {
    /// What was said of it at the last look.
    pub verdict: Verdict,
    /// When it was first called, if it ever was: at any look, not only the last.
    pub called: Option<FirstCall>,
}

/// An experiment from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Days on which visitors entered.
    pub days: u32,
    /// How many did, in all arms.
    pub visitors: u64,
    /// What ended it.
    pub ended: EndReason,
    /// Every arm but the control, in their order.
    pub fates: Vec<ArmOutcome>,
}

impl Run {
    /// Whether any arm was ever called: a false alarm where nothing differs.
    pub fn is_called(&self) -> bool {
        self.fates.iter().any(|fate| fate.called.is_some())
    }
}

/// Why a plan cannot be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulationError {
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

impl std::fmt::Display for SimulationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            SimulationError::NoVariant => "there is no variant to compare with the control",
            SimulationError::NoWeight => "the control and the first variant must both have a share of the traffic",
            SimulationError::Bandit => "its weights follow its results, and only fixed weights can be simulated",
            SimulationError::Days => return write!(f, "an experiment lasts 1 to {DAYS_MAX} days here"),
            SimulationError::Visitors => {
                return write!(f, "daily visitors must be more than 0 and at most {} million", DAILY_MAX / 1e6);
            }
            SimulationError::Rate => "the baseline rate must be more than 0 % and less than 100 %",
            SimulationError::Lift => "the effect must leave the variant's rate between 0 % and 100 %",
            SimulationError::Sigma => return write!(f, "the spread of order values must be from 0 to {SIGMA_MAX}"),
            SimulationError::NoPast => "there are no visitors in the past to replay",
        };
        f.write_str(text)
    }
}

impl std::error::Error for SimulationError {}

/// Checks what both ways of running have in common.
fn check(design: &Design, schedule: &Schedule) -> Result<(), SimulationError> {
    if design.arms < 2 {
        return Err(SimulationError::NoVariant);
    }
    if design.policy == AllocationPolicy::Bandit {
        return Err(SimulationError::Bandit);
    }
    let weights = design.weights(EPOCH);
    if weights[0] == 0 || weights[1] == 0 {
        return Err(SimulationError::NoWeight);
    }
    if !(1..=DAYS_MAX).contains(&schedule.days) {
        return Err(SimulationError::Days);
    }
    Ok(())
}

/// Weights do not change on the way: there is one epoch.
const EPOCH: i64 = 1;
