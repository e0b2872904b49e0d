//! Design: the settings that were made before the data came, and determine its analysis.

use muriel_stats::boundary::Mixture;
use muriel_stats::{LiftPlan, Undefined};

/// Standard deviation of the prior on the lift: most tests change a metric by less than a tenth.
///
/// In units of the lift: 0.1 is ten percent. The mean of the prior is 0. See "The Bayesian view" in `docs/methods.md`.
pub(crate) const PRIOR_SD: f64 = 0.1;
/// Number of units that a comparison is tuned for when the team planned none. Units of both arms together.
pub(crate) const DEFAULT_UNITS: f64 = 10_000.0;
/// Number of epochs that a bandit is tuned for.
pub(crate) const BANDIT_EPOCHS: f64 = 30.0;
/// Minimum visitors of each arm for a verdict.
///
/// Only visitors with a closed conversion window count. Page health requires the same number of each arm, and an
/// interaction requires it in each of its four cells.
pub(crate) const MIN_VISITORS: u64 = 100;
/// Minimum conversions of each arm for a verdict.
///
/// An arm with fewer can get a verdict when both arms together have ten times as many: no conversion in one arm and a
/// hundred in the other is not a lack of data.
pub(crate) const MIN_CONVERTED: u64 = 10;
/// Minimum time from the first entry to a verdict, in microseconds: a full day, as behaviour depends on the hour.
pub(crate) const MIN_OBSERVED_US: i64 = 86_400_000_000;

/// Distribution of visitors among the arms, which determines what may be compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationPolicy {
    /// By weights that people set, and perhaps changed: strata of equal ratio, weighted by their visitors.
    Fixed,
    /// By weights that follow the results: each epoch separately, studentised.
    Bandit,
    /// Like fixed weights, with the held-out visitors as the control and all others as the arm.
    Holdout,
    /// By audience first, and then by the weights of the matched arm and the control.
    Personalization,
}

/// Number and weights of an epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct EpochPlan {
    /// Number of the epoch, 1 for the first start.
    pub number: i64,
    /// Weight of each arm in any unit, the control first. An arm that was added after the epoch has no entry, and
    /// [`Design::weights`] returns 0 for it.
    pub weights: Vec<u32>,
}

/// Design of an experiment: the settings that determine its analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// Distribution of visitors among the arms.
    pub policy: AllocationPolicy,
    /// Number of arms, including the control; at least 1.
    pub arms: usize,
    /// Coverage probability of intervals, 0.5 to 0.99.
    pub confidence: f64,
    /// Planned total number of visitors of all arms, as of the start. `None` without a plan: each comparison is then
    /// tuned for 10,000 units.
    pub visitors: Option<f64>,
    /// Smallest lift worth acting on (MDE), as a fraction.
    pub mde: f64,
    /// Epochs, the first one first. An epoch that is missing here has even weights.
    pub epochs: Vec<EpochPlan>,
}

impl Design {
    /// Error probability: 1 minus the confidence.
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }

    /// Weights of the arms in an epoch; even when the epoch is unknown. Arms that were added later have weight 0.
    ///
    /// The result has exactly [`Design::arms`] entries, so weights of arms that were removed since are left out.
    pub fn weights(&self, epoch: i64) -> Vec<u32> {
        match self.epochs.iter().find(|plan| plan.number == epoch) {
            None => vec![1; self.arms],
            Some(plan) => {
                let mut weights = plan.weights.clone();
                // Drops the weights of arms that were removed since.
                weights.resize(self.arms, 0);
                weights
            }
        }
    }

    /// Display name of an arm: `Control`, `Variant 1`; for a holdout, the meaning of its arms.
    pub(crate) fn arm_name(&self, arm: usize) -> String {
        match (self.policy, arm) {
            (AllocationPolicy::Holdout, 0) => "Held out".to_owned(),
            (AllocationPolicy::Holdout, _) => "Everybody else".to_owned(),
            (_, 0) => "Control".to_owned(),
            (_, number) => format!("Variant {number}"),
        }
    }

    /// Units of the control and `arm` together for which their comparison is tuned: their share of the planned
    /// visitors, by the first weights.
    ///
    /// `arm` is 1 for `Variant 1`. The first weights are those of the first epoch in which the arm had weight. Without
    /// such an epoch, the arms count as even. The result is at least 2, and 10,000 when no visitors are planned.
    pub fn planned_units(&self, arm: usize) -> f64 {
        let Some(visitors) = self.visitors else { return DEFAULT_UNITS };
        let first = self.epochs.iter().map(|epoch| &epoch.weights).find(|weights| {
            weights.get(arm).is_some_and(|weight| *weight > 0)
                && weights.iter().copied().map(u64::from).sum::<u64>() > 0
        });
        let share = match first {
            None => 2.0 / self.arms.max(2) as f64,
            Some(weights) => {
                let all: u64 = weights.iter().copied().map(u64::from).sum();
                (u64::from(weights[0]) + u64::from(weights[arm])) as f64 / all as f64
            }
        };
        (visitors * share).max(2.0)
    }

    /// Boundary of the comparison of `arm` with the control, before the correction for several arms.
    ///
    /// Two-sided at the error probability [`Design::alpha`], and narrowest at [`Design::planned_units`].
    ///
    /// # Errors
    /// `InvalidInput` when the confidence or the planned visitors are outside their range.
    pub fn boundary(&self, arm: usize) -> muriel_stats::Result<Mixture> {
        Mixture::tuned(self.planned_units(arm), self.alpha())
    }

    /// Plan for detecting a lift of `arm`, for arms that share visitors by these weights, the control's first.
    ///
    /// Weights may be in any unit. The level is [`Design::alpha`] divided by the number of arms with weight besides the
    /// control.
    ///
    /// # Errors
    /// `NoUnits` when the control or the arm has no weight.
    pub fn lift_plan(&self, weights: &[f64], arm: usize) -> muriel_stats::Result<LiftPlan> {
        let all: f64 = weights.iter().sum();
        let (Some(control), Some(own)) = (weights.first(), weights.get(arm)) else { return Err(Undefined::NoUnits) };
        if *control <= 0.0 || *own <= 0.0 {
            return Err(Undefined::NoUnits);
        }
        // Even the arm with the smallest p-value must pass the strictest level of the correction.
        let compared = weights.iter().skip(1).filter(|weight| **weight > 0.0).count();
        LiftPlan::new(control / all, own / all, self.alpha() / compared.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_tuned_for_their_share_of_the_plan() {
        let design = |visitors, weights: Vec<u32>| Design {
            policy: AllocationPolicy::Fixed,
            arms: weights.len(),
            confidence: 0.95,
            visitors,
            mde: 0.02,
            epochs: vec![EpochPlan { number: 1, weights }],
        };
        for (visitors, weights, arm, expect) in [
            (None, vec![50, 50], 1, DEFAULT_UNITS),
            (Some(1_000.0), vec![50, 50], 1, 1_000.0),
            (Some(1_000.0), vec![50, 25, 25], 2, 750.0),
            (Some(1_000.0), vec![80, 20, 0], 2, 1_000.0 * 2.0 / 3.0),
            (Some(1.0), vec![50, 50], 1, 2.0),
        ] {
            assert_eq!(design(visitors, weights.clone()).planned_units(arm), expect, "{visitors:?} {weights:?} {arm}");
        }
    }
}
