//! The design: what was settled before the data came, and decides how to read it.

use muriel_stats::boundary::Mixture;
use muriel_stats::{LiftPlan, Undefined};

/// The prior on the lift: most tests change a metric by less than a tenth.
pub(crate) const PRIOR_SD: f64 = 0.1;
/// Units that a comparison is tuned for where the team planned none.
pub(crate) const DEFAULT_UNITS: f64 = 10_000.0;
/// Epochs that a bandit is tuned for.
pub(crate) const BANDIT_EPOCHS: f64 = 30.0;

/// How visitors were shared among the arms, which decides what may be compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationPolicy {
    /// By weights that people set, and perhaps changed: strata of equal ratio, weighted by their visitors.
    Fixed,
    /// By weights that follow the results: each epoch by itself, studentised.
    Bandit,
    /// As by fixed weights: those whom a holdout keeps out of everything, as the control, and everybody else.
    Holdout,
    /// By audience first, and then by the weights of the matched arm and the control.
    Personalization,
}

/// The arms and the weights of an epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct EpochPlan {
    /// Its number, 1 for the first start.
    pub number: i64,
    /// A weight per arm in any unit, the control first.
    pub weights: Vec<u32>,
}

/// What was settled before the data came: how to read an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// How visitors were shared.
    pub policy: AllocationPolicy,
    /// How many arms there are, the control among them; at least 1.
    pub arms: usize,
    /// Probability that an interval covers, 0.5 to 0.99.
    pub confidence: f64,
    /// Planned total of visitors of all arms, as of the start.
    pub visitors: Option<f64>,
    /// The smallest lift worth acting on, as a fraction.
    pub mde: f64,
    /// The epochs, first one first. An epoch that is not here has even weights.
    pub epochs: Vec<EpochPlan>,
}

impl Design {
    /// Probability of a false call: one less the confidence.
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }

    /// The weights of an epoch, a weight per arm; even where it is not known.
    /// Arms that came later have none.
    pub fn weights(&self, epoch: i64) -> Vec<u32> {
        match self.epochs.iter().find(|plan| plan.number == epoch) {
            None => vec![1; self.arms],
            Some(plan) => {
                let mut weights = plan.weights.clone();
                // An arm of the epoch that is gone since is not asked about.
                weights.resize(self.arms, 0);
                weights
            }
        }
    }

    /// Units of the control and `arm` together for which their comparison is
    /// tuned: their share of the planned visitors by the first weights.
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

    /// The boundary by which `arm` is compared with the control, before the correction for several arms.
    ///
    /// # Errors
    /// `InvalidInput` when the confidence or the planned visitors are outside their range.
    pub fn boundary(&self, arm: usize) -> muriel_stats::Result<Mixture> {
        Mixture::tuned(self.planned_units(arm), self.alpha())
    }

    /// How many visitors find a lift of `arm`, where arms share visitors by these weights, the control's first.
    ///
    /// # Errors
    /// `NoUnits` when the control or the arm has no weight.
    pub fn lift_plan(&self, weights: &[f64], arm: usize) -> muriel_stats::Result<LiftPlan> {
        let all: f64 = weights.iter().sum();
        let (Some(control), Some(own)) = (weights.first(), weights.get(arm)) else { return Err(Undefined::NoUnits) };
        if *control <= 0.0 || *own <= 0.0 {
            return Err(Undefined::NoUnits);
        }
        // The surest of several arms must pass the strictest level of the correction.
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
