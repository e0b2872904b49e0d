//! Simulation of a plan: how often it finds an existing effect, and how often it reports an effect
//! that does not exist.
//!
//! A [`Simulation`] generates visitors; a [`Replay`] takes past visitors and assigns them again. In
//! both, visitors enter day by day, [`report`](crate::report()) analyses each day, as in the
//! product, and the experiment ends by its rules. The analysis is not implemented a second time
//! here.
//!
//! The random draws are a function of a seed and the number of the run. Runs can therefore be made
//! in any order and on any number of threads, and are reproducible.

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

/// Maximum number of days of a simulated experiment.
pub const DAYS_MAX: u32 = 365;
/// Maximum number of visitors on a simulated day.
pub const DAILY_MAX: f64 = 1e8;
/// Maximum spread of order values: at 3, a single order can be worth as much as tens of thousands
/// of others.
pub const SIGMA_MAX: f64 = 3.0;

/// Rules that end the entry of visitors. An absent rule does not end anything.
///
/// Rules are checked at the end of each day, so a run can have more visitors than a rule requires.
/// When several are met on the same day, the first in the order of [`EndReason`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StopRules {
    /// Ends when an arm is significantly better or worse than the control.
    pub significant: bool,
    /// Ends when this many visitors have entered, in all arms.
    pub visitors: Option<u64>,
    /// Ends when this many of them have converted. Conversions count at once, although their
    /// windows are still open.
    pub conversions: Option<u64>,
    /// Ends after this many days.
    pub period: Option<u32>,
}

/// Duration of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Rules that end it.
    pub rules: StopRules,
    /// Days after which it ends if no rule ended it before, 1 to [`DAYS_MAX`].
    pub days: u32,
    /// Conversion window in days; 0 for none. Visitors are compared once their window has closed,
    /// so daily checks continue for this many days after the end.
    pub window_days: u32,
}

/// Reason for the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndReason {
    /// An arm was significantly better or worse.
    Significant,
    /// Enough visitors entered.
    Visitors,
    /// Enough visitors converted.
    Conversions,
    /// The period of [`StopRules::period`] was over.
    Period,
    /// No rule ended it before [`Schedule::days`].
    Days,
}

impl EndReason {
    /// All reasons.
    pub const ALL: [EndReason; 5] =
        [EndReason::Significant, EndReason::Visitors, EndReason::Conversions, EndReason::Period, EndReason::Days];

    /// Word in answers: `significant`, `visitors`, `conversions`, `period`, `days`.
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

/// First verdict that an arm is better or worse than the control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstCall {
    /// Day at whose end it was reached, 1 for the first. Later than the last day of entry when it
    /// was reached while windows were still open.
    pub day: u32,
    /// [`Verdict::Win`] or [`Verdict::Loss`].
    pub verdict: Verdict,
}

/// Outcome of an arm in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArmOutcome {
    /// Verdict at the last check.
    pub verdict: Verdict,
    /// First win or loss at any check, not only the last. `None` when there was none.
    pub called: Option<FirstCall>,
}

/// A simulated experiment from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Days on which visitors entered.
    pub days: u32,
    /// Visitors who entered, in all arms.
    pub visitors: u64,
    /// Reason for the end.
    pub ended: EndReason,
    /// Outcomes of all arms except the control, in their order.
    pub fates: Vec<ArmOutcome>,
}

impl Run {
    /// Returns whether any arm ever had a win or a loss: a false alarm when the arms do not differ.
    pub fn is_called(&self) -> bool {
        self.fates.iter().any(|fate| fate.called.is_some())
    }
}

/// Reason why a plan cannot be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulationError {
    /// There is no arm besides the control.
    NoVariant,
    /// The control or the first variant has no weight.
    NoWeight,
    /// The weights follow the results.
    Bandit,
    /// The number of days is not from 1 to [`DAYS_MAX`].
    Days,
    /// The number of daily visitors is not above 0 and at most [`DAILY_MAX`].
    Visitors,
    /// The conversion rate is not between 0 and 1.
    Rate,
    /// A lift leads to a rate that is not between 0 and 1, or there is not one lift per arm.
    Lift,
    /// The spread of order values is not from 0 to [`SIGMA_MAX`].
    Sigma,
    /// There are no past visitors.
    NoPast,
}

impl std::fmt::Display for SimulationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            SimulationError::NoVariant => "there is no variant to compare with the control",
            SimulationError::NoWeight => "the control and the first variant must both have a share of the traffic",
            SimulationError::Bandit => "its weights follow its results, and only fixed weights can be simulated",
            SimulationError::Days => return write!(f, "a simulated experiment must last 1 to {DAYS_MAX} days"),
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

/// Checks the conditions that simulation and replay have in common.
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

/// Weights do not change during a run, so there is one epoch.
const EPOCH: i64 = 1;
