//! Effects over epochs: periods during which the allocation did not change.
//!
//! Pooling all data of a bandit would mix a drifting base rate with drifting shares and report the mixture as an
//! effect. Within an epoch the comparison is fair, so effects are computed per epoch and then combined.

use crate::special::normal_sf;
use crate::{Effect, Result, Undefined};

/// Two combinations of the epochs in which arms could be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epochs {
    /// Number of epochs that count.
    pub used: usize,
    /// Epochs weighted by 1 / standard error: Σ(d/se) / Σ(1/se), standard error √B / Σ(1/se). Use this one for tests
    /// when outcomes steered the allocation, because each epoch is studentised separately.
    pub studentised: Effect,
    /// Epochs weighted by their units: Σ N d / N, the effect on the visitors who came. Show this estimate for an
    /// experiment whose weights were changed by hand.
    pub share_weighted: Effect,
}

impl Epochs {
    /// Combines the effects of separate epochs, in any order.
    ///
    /// An epoch without an effect (too few units in an arm, nothing varying) is left out of both combinations.
    ///
    /// # Errors
    /// `InvalidInput` when an epoch has that error; `NoUnits` without epochs; the first reason in the order of
    /// [`Undefined`] when every epoch is left out.
    ///
    /// # Source
    /// Zhang, Janson, Murphy, Inference for batched bandits, NeurIPS 2020; vectors `epochs_effect`.
    pub fn combine(epochs: &[Result<Effect>]) -> Result<Epochs> {
        let mut used = Vec::with_capacity(epochs.len());
        let mut reason = None;
        for epoch in epochs {
            match epoch.and_then(|effect| Ok((effect.std_error()?, effect))) {
                Ok(part) => used.push(part),
                Err(Undefined::InvalidInput) => return Err(Undefined::InvalidInput),
                Err(other) => reason = Some(reason.map_or(other, |r: Undefined| r.min(other))),
            }
        }
        if used.is_empty() {
            return Err(reason.unwrap_or(Undefined::NoUnits));
        }
        let weighted = |weight: fn(&(f64, Effect)) -> f64| {
            let parts: Vec<(f64, Effect)> = used.iter().map(|part| (weight(part), part.1)).collect();
            Effect::weighted(&parts)
        };
        Ok(Epochs {
            used: used.len(),
            studentised: weighted(|(std_error, _)| 1.0 / std_error)?,
            share_weighted: weighted(|(_, effect)| effect.n)?,
        })
    }

    /// Two-sided normal p-value of the studentised combination, valid for a single check at its end.
    ///
    /// # Errors
    /// `ZeroVariance` when the standard error is zero.
    pub fn p_value(&self) -> Result<f64> {
        Ok((2.0 * normal_sf(self.studentised.z()?.abs())).min(1.0))
    }

    /// The studentised combination with epochs as its units. An always-valid test of it takes t = epochs used, and is
    /// tuned by the number of planned epochs.
    pub fn in_epochs(&self) -> Effect {
        Effect { n: self.used as f64, ..self.studentised }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;
    use proptest::prelude::*;

    fn rates(control: (u64, u64), treatment: (u64, u64)) -> Result<Effect> {
        let sample = |(n, successes)| Sample::of_proportion(n, successes);
        Effect::of_samples(&sample(control)?, &sample(treatment)?)
    }

    #[test]
    fn an_epoch_that_cannot_compare_is_left_out() {
        let good = rates((200, 20), (220, 30));
        let alone = Epochs::combine(&[good]).unwrap();
        for bad in [rates((0, 0), (50, 3)), rates((1, 0), (50, 3)), rates((50, 0), (50, 0))] {
            assert_eq!(Epochs::combine(&[bad, good]).unwrap(), alone);
        }
        assert_eq!(Epochs::combine(&[rates((5, 6), (5, 1)), good]), Err(Undefined::InvalidInput));
    }

    #[test]
    fn without_a_usable_epoch_the_reason_is_kept() {
        assert_eq!(Epochs::combine(&[]), Err(Undefined::NoUnits));
        assert_eq!(Epochs::combine(&[rates((50, 0), (50, 0))]), Err(Undefined::ZeroVariance));
        assert_eq!(Epochs::combine(&[rates((50, 0), (50, 0)), rates((1, 0), (9, 3))]), Err(Undefined::TooFewUnits));
    }

    proptest! {
        /// The studentised z is the sum of the z values of the epochs over √B, regardless of the epochs' sizes.
        #[test]
        fn every_epoch_has_one_vote(cells in prop::collection::vec((10u64..500, 10u64..500, 1u64..9, 1u64..9), 1..8)) {
            let epochs: Vec<_> = cells.iter().map(|&(a, b, x, y)| rates((a, x), (b, y))).collect();
            let got = Epochs::combine(&epochs).unwrap();
            let z: f64 = epochs.iter().map(|e| e.unwrap().z().unwrap()).sum();
            prop_assert!((got.studentised.z().unwrap() - z / (epochs.len() as f64).sqrt()).abs() < 1e-9);
        }

        /// Without a change of allocation or rate, splitting into epochs has no effect: the estimate is the pooled one.
        #[test]
        fn equal_epochs_merge(n in 20u64..500, m in 20u64..500, x in 1u64..19, y in 1u64..19, count in 1usize..6) {
            let got = Epochs::combine(&vec![rates((n, x), (m, y)); count]).unwrap();
            let k = count as u64;
            let pooled = rates((n * k, x * k), (m * k, y * k)).unwrap();
            for combined in [got.studentised, got.share_weighted] {
                prop_assert!((combined.num - pooled.num).abs() < 1e-12);
                prop_assert!((combined.var_num / pooled.var_num - 1.0).abs() < 1e-9);
            }
        }

        #[test]
        fn the_order_of_epochs_does_not_matter(cells in prop::collection::vec((10u64..500, 10u64..500, 1u64..9, 1u64..9), 1..8)) {
            let mut epochs: Vec<_> = cells.iter().map(|&(a, b, x, y)| rates((a, x), (b, y))).collect();
            let one = Epochs::combine(&epochs).unwrap();
            epochs.reverse();
            let other = Epochs::combine(&epochs).unwrap();
            prop_assert!((one.studentised.num - other.studentised.num).abs() < 1e-12);
            prop_assert!((one.share_weighted.num - other.share_weighted.num).abs() < 1e-12);
        }
    }
}
