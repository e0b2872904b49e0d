//! Capping of outliers, so that one very large value does not decide an experiment.
//!
//! The cap is a quantile of the pooled arms. A separate cap per arm would remove part of the effect.

use crate::{Moments, Result, Undefined};

/// Definition of the sample quantile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantileMethod {
    /// The value at rank ⌈n q⌉. It is always an observed value, so every store finds the same one.
    NearestRank,
    /// Linear interpolation between the two values next to position (n - 1) q.
    Linear,
}

/// The quantile at `level` of `sorted` ascending values.
///
/// # Errors
/// `InvalidInput` when `level` is outside 0..=1, `NoUnits` without a value.
///
/// # Source
/// Hyndman, Fan, Sample quantiles in statistical packages, 1996, types 1 and 7.
pub fn quantile(sorted: &[f64], level: f64, rule: QuantileMethod) -> Result<f64> {
    if !(0.0..=1.0).contains(&level) {
        return Err(Undefined::InvalidInput);
    }
    let last = sorted.len().checked_sub(1).ok_or(Undefined::NoUnits)?;
    Ok(match rule {
        QuantileMethod::NearestRank => {
            let rank = (sorted.len() as f64 * level).ceil() as usize;
            sorted[rank.clamp(1, sorted.len()) - 1]
        }
        QuantileMethod::Linear => {
            let position = last as f64 * level;
            let below = (position.floor() as usize).min(last);
            let (a, b) = (sorted[below], sorted[(below + 1).min(last)]);
            let part = position - below as f64;
            // Interpolates from the nearer value, so that rounding cannot take the result past the other one.
            if part < 0.5 { a + (b - a) * part } else { b - (b - a) * (1.0 - part) }
        }
    })
}

/// The cap: the quantile at `level` of the values of all arms together.
///
/// One value per unit, in any order. With `ignore_zeros` only nonzero values count. That is Muriel's default:
/// among a thousand visitors of whom ten buy, the 99th percentile of all values would cap every purchase.
///
/// # Errors
/// `InvalidInput` when `level` is outside 0..=1 or a value is not finite; `NoUnits` when no value counts. In that case
/// there is nothing to cap.
///
/// # Source
/// Vectors `winsorize` (NumPy).
pub fn threshold(arms: &[&[f64]], level: f64, rule: QuantileMethod, ignore_zeros: bool) -> Result<f64> {
    let mut pooled: Vec<f64> = arms.iter().flat_map(|arm| arm.iter().copied()).collect();
    if pooled.iter().any(|x| !x.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    pooled.retain(|x| !ignore_zeros || *x != 0.0);
    pooled.sort_by(f64::total_cmp);
    quantile(&pooled, level, rule)
}

/// One in this many values is above the default cap.
pub const VALUES_PER_CAPPED: u64 = 1_000;

/// 0-based rank of the default cap from the largest value down, among `n` values: the number of values that are ranked
/// before it. `None` without values.
///
/// The largest thousandth of the values, and at least the largest one, is reduced to the next value. A single value is
/// its own cap. From [`VALUES_PER_CAPPED`] values on, the cap is the quantile at 0.999 by
/// [`QuantileMethod::NearestRank`]. With fewer values that quantile would be the largest value and cap nothing.
///
/// A store that keeps its values sorted finds the cap from this rank alone, so all stores find the same cap.
pub fn default_cap_rank(n: u64) -> Option<u64> {
    let others = n.checked_sub(1)?;
    Some((n / VALUES_PER_CAPPED).max(1).min(others))
}

/// An arm after capping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capped {
    /// Moments of the capped values.
    pub moments: Moments,
    /// Units whose value was above the cap.
    pub capped_units: u64,
}

/// Moments of `values` with those above `cap` set to it.
pub fn winsorize(values: &[f64], cap: f64) -> Capped {
    let mut capped = Capped { moments: Moments::default(), capped_units: 0 };
    for &value in values {
        capped.moments.push(value.min(cap));
        capped.capped_units += u64::from(value > cap);
    }
    capped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_and_single_values() {
        for rule in [QuantileMethod::NearestRank, QuantileMethod::Linear] {
            assert_eq!(quantile(&[4.0], 0.3, rule).unwrap(), 4.0);
            assert_eq!(quantile(&[1.0, 2.0, 3.0], 0.0, rule).unwrap(), 1.0);
            assert_eq!(quantile(&[1.0, 2.0, 3.0], 1.0, rule).unwrap(), 3.0);
            assert_eq!(quantile(&[], 0.5, rule), Err(Undefined::NoUnits));
            assert_eq!(quantile(&[1.0], 1.5, rule), Err(Undefined::InvalidInput));
        }
        assert_eq!(quantile(&[1.0, 2.0], 0.5, QuantileMethod::NearestRank).unwrap(), 1.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.5, QuantileMethod::Linear).unwrap(), 1.5);
    }

    #[test]
    fn the_default_cap_is_the_quantile_at_999_and_cuts_one_value_at_least() {
        assert_eq!(default_cap_rank(0), None);
        assert_eq!([1, 2, 3, 999].map(|n| default_cap_rank(n).unwrap()), [0, 1, 1, 1]);
        for n in (1_000u32..12_000).chain([99_999, 100_000, 123_456]) {
            let sorted: Vec<f64> = (1..=n).map(f64::from).collect();
            let rank = default_cap_rank(u64::from(n)).unwrap();
            let cap = sorted[sorted.len() - 1 - rank as usize];
            assert_eq!(cap, quantile(&sorted, 0.999, QuantileMethod::NearestRank).unwrap(), "{n}");
        }
    }

    #[test]
    fn zeros_are_asked_only_when_wanted() {
        let (a, b) = ([0.0, 0.0, 10.0], [0.0, 4.0]);
        assert_eq!(threshold(&[&a, &b], 0.5, QuantileMethod::NearestRank, false).unwrap(), 0.0);
        assert_eq!(threshold(&[&a, &b], 0.5, QuantileMethod::NearestRank, true).unwrap(), 4.0);
        assert_eq!(threshold(&[&[0.0], &[]], 0.5, QuantileMethod::NearestRank, true), Err(Undefined::NoUnits));
        assert_eq!(threshold(&[&[f64::NAN], &[]], 0.5, QuantileMethod::Linear, false), Err(Undefined::InvalidInput));
    }

    proptest! {
        #[test]
        fn at_most_the_upper_share_is_capped(values in prop::collection::vec(-10.0..100.0f64, 1..60), level in 0.0..=1.0f64) {
            for rule in [QuantileMethod::NearestRank, QuantileMethod::Linear] {
                let cap = threshold(&[&values], level, rule, false).unwrap();
                let capped = winsorize(&values, cap);
                prop_assert!(capped.capped_units as f64 <= (1.0 - level) * values.len() as f64 + 1.0);
                prop_assert_eq!(capped.moments.n, values.len() as u64);
                prop_assert!(capped.moments.mean <= cap + 1e-9);
            }
        }

        /// The cap depends on the pool of values only: moving units between arms does not change it.
        #[test]
        fn the_cap_belongs_to_all_arms(values in prop::collection::vec(0.0..100.0f64, 2..60), cut in any::<prop::sample::Index>()) {
            let (a, b) = values.split_at(cut.index(values.len()));
            for rule in [QuantileMethod::NearestRank, QuantileMethod::Linear] {
                prop_assert_eq!(threshold(&[a, b], 0.9, rule, true), threshold(&[b, a], 0.9, rule, true));
            }
        }
    }
}
