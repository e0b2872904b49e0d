//! Periods in which the clock moves the weights of bandits and the share of a served winner.

use muriel_domain::Instant;
use std::time::Duration;

/// Periods and steps by which the clock controls experiments by their results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockPeriods {
    /// Shortest period between moves of a bandit's weights.
    pub bandit: Duration,
    /// Rollout steps of a served winner, in percent of the visitors: at least one, increasing.
    pub autopilot_steps: Vec<i64>,
    /// Duration of each step.
    pub autopilot: Duration,
}

impl Default for ClockPeriods {
    fn default() -> Self {
        Self {
            bandit: Duration::from_secs(3_600),
            autopilot_steps: vec![10, 50, 100],
            autopilot: Duration::from_secs(86_400),
        }
    }
}

impl ClockPeriods {
    /// Number of the bandit period that contains this moment. Periods are counted in UTC.
    pub(crate) fn bandit_period(&self, at: Instant) -> i64 {
        at.us().div_euclid(self.bandit_us())
    }

    pub(crate) fn bandit_us(&self) -> i64 {
        i64::try_from(self.bandit.as_micros()).unwrap_or(i64::MAX).max(1)
    }

    /// Moment of the next check of bandits.
    pub fn next_bandit_check(&self, now: Instant) -> Instant {
        Instant::from_us((self.bandit_period(now) + 1).saturating_mul(self.bandit_us()))
    }
}
