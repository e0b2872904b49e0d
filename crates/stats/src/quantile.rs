//! Quantiles: effects on a median or a 99th percentile, and exact intervals for one sample.

use crate::cap::{QuantileMethod, quantile};
use crate::special::{beta_cdf, normal_ppf};
use crate::{Effect, JointMoments, Result, Sample, Undefined, both, checked_alpha};

/// Upper 2.5 % point of the normal distribution. Neighbouring quantiles are always this many standard errors away,
/// independent of the report's level.
fn spread() -> f64 {
    -normal_ppf(0.025)
}

/// One arm of a comparison of quantiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileSample {
    /// Number of values, at least 2.
    pub n: u64,
    /// Number of values for which `lower` and `upper` were placed. A store with precomputed levels rounds it down.
    pub n_star: u64,
    /// Level ν of the quantile, between 0 and 1.
    pub level: f64,
    /// The sample quantile at ν.
    pub value: f64,
    /// The sample quantile at ν - z √(ν (1 - ν) / n_star), z = 1.96; see [`neighbour_levels`].
    pub lower: f64,
    /// The sample quantile at ν + z √(ν (1 - ν) / n_star).
    pub upper: f64,
    /// For units with several values each: per unit, `x` is the number of values at or below the quantile and `y` the
    /// number of all values.
    pub clusters: Option<JointMoments>,
}

/// Relative difference below which probabilities count as equal.
const TIE_TOLERANCE: f64 = 1e-12;

/// Levels, clipped to 0..=1, of the sample quantiles `lower` and `upper` of a [`QuantileSample`].
///
/// # Errors
/// `NoUnits` at `n_star` = 0, `InvalidInput` when `level` is not between 0 and 1.
pub fn neighbour_levels(n_star: u64, level: f64) -> Result<(f64, f64)> {
    let level = checked_alpha(level)?;
    if n_star == 0 {
        return Err(Undefined::NoUnits);
    }
    let half = spread() * (level * (1.0 - level) / n_star as f64).sqrt();
    Ok(((level - half).max(0.0), (level + half).min(1.0)))
}

impl QuantileSample {
    /// Creates the arm from `sorted` values, ascending and one per unit.
    ///
    /// # Errors
    /// `NoUnits` without values, `InvalidInput` when `level` is not between 0 and 1.
    pub fn of_sorted(sorted: &[f64], level: f64) -> Result<QuantileSample> {
        let n = sorted.len() as u64;
        let (below, above) = neighbour_levels(n, level)?;
        let at = |level| quantile(sorted, level, QuantileMethod::NearestRank);
        Ok(QuantileSample {
            n,
            n_star: n,
            level,
            value: at(level)?,
            lower: at(below)?,
            upper: at(above)?,
            clusters: None,
        })
    }

    /// Returns the quantile as a sample: its value, and n times its variance as the variance per value.
    ///
    /// The neighbouring quantiles measure the density f at the quantile: 1/f = (upper - lower) / (2 z
    /// √(ν(1-ν)/n_star)). The variance is ν(1-ν)/(n f²). When units have several values, it is v(R)/f², where v(R) is
    /// the ratio variance of the share at or below the quantile. Both are multiplied by (n - 1)/n, as in the reference.
    /// There is no lower bound on the variance: it would need the metric's unit, which is not known here.
    ///
    /// # Errors
    /// `NoUnits` and `TooFewUnits` by the values or clusters, `ZeroDenominator` when all clusters are empty,
    /// `InvalidInput` when a number is not finite, `lower` is above `upper` or `level` is not between 0 and 1.
    ///
    /// # Source
    /// Deng, Knoblich, Lu, Applying the delta method in metric analytics, KDD 2018; vectors `quantile_effect`.
    pub fn sample(&self) -> Result<Sample> {
        let level = checked_alpha(self.level)?;
        let finite = [self.value, self.lower, self.upper].iter().all(|x| x.is_finite());
        if !finite || self.lower > self.upper {
            return Err(Undefined::InvalidInput);
        }
        if self.n == 0 || self.n_star == 0 {
            return Err(Undefined::NoUnits);
        }
        let cluster_variance = self.clusters.as_ref().map(share_variance).transpose()?;
        if self.n == 1 {
            return Err(Undefined::TooFewUnits);
        }
        let n = self.n as f64;
        // (upper - lower)/(2 z) is the standard error at n_star. Squared and times n_star it is the variance per value.
        let half = (self.upper - self.lower) / (2.0 * spread());
        let per_value = half * half * self.n_star as f64;
        let design_effect = cluster_variance.map_or(1.0, |v| v * n / (level * (1.0 - level)));
        Ok(Sample { n: self.n, mean: self.value, variance: per_value * design_effect * ((n - 1.0) / n) })
    }
}

/// Variance of the share Σx / Σy by the delta method over clusters.
fn share_variance(clusters: &JointMoments) -> Result<f64> {
    let n = clusters.n as f64;
    clusters.x().variance()?;
    if clusters.mean_y == 0.0 {
        return Err(Undefined::ZeroDenominator);
    }
    let share = clusters.mean_x / clusters.mean_y;
    let m2 = clusters.m2_x - 2.0 * share * clusters.c + share * share * clusters.m2_y;
    let variance = m2.max(0.0) / (n - 1.0) / n / (clusters.mean_y * clusters.mean_y);
    if variance.is_finite() { Ok(variance) } else { Err(Undefined::InvalidInput) }
}

impl Effect {
    /// Effect on a quantile, of two independent arms. The baseline is the control's quantile.
    ///
    /// # Errors
    /// As [`QuantileSample::sample`], the first reason in the order of [`Undefined`]; `InvalidInput` when the arms have
    /// different levels.
    pub fn of_quantiles(control: &QuantileSample, treatment: &QuantileSample) -> Result<Effect> {
        if control.level != treatment.level {
            return Err(Undefined::InvalidInput);
        }
        let (control, treatment) = both(control.sample(), treatment.sample())?;
        Effect::of_samples(&control, &treatment)
    }
}

/// 1-based ranks of the order statistics that bound a quantile; `None` for an unbounded side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// Rank of the value that is the lower bound.
    pub lower: Option<u64>,
    /// Rank of the value that is the upper bound.
    pub upper: Option<u64>,
}

/// Ranks whose values enclose the quantile at `level` with probability at least 1 - alpha, for `n` independent values
/// of any distribution.
///
/// The number B of values below the quantile is binomial. The lower rank is the largest r with P(B < r) < alpha/2, the
/// upper rank the smallest with P(B ≥ r) ≤ alpha/2. With too few values a side is unbounded.
///
/// # Errors
/// `NoUnits` at n = 0, `InvalidInput` when `level` or `alpha` is not between 0 and 1.
///
/// # Source
/// Conover, Practical nonparametric statistics, 1999, section 3.2; vectors `quantile_ranks` (SciPy).
pub fn ranks(n: u64, level: f64, alpha: f64) -> Result<Ranks> {
    let (level, tail) = (checked_alpha(level)?, 0.5 * checked_alpha(alpha)?);
    if n == 0 {
        return Err(Undefined::NoUnits);
    }
    // The smallest number with P(B ≤ k) ≥ tail, and the smallest with P(B > k) ≤ tail; both hold at k = n. At small n a
    // decimal level can meet the tail exactly, and rounding must not break that tie.
    let low = first(n, |k| beta_cdf(1.0 - level, (n - k) as f64, k as f64 + 1.0) >= tail * (1.0 - TIE_TOLERANCE));
    let high = first(n, |k| beta_cdf(level, k as f64 + 1.0, (n - k) as f64) <= tail * (1.0 + TIE_TOLERANCE));
    Ok(Ranks { lower: (low > 0).then_some(low), upper: (high < n).then_some(high + 1) })
}

/// The smallest k in 0..n for which `holds` is true, or n. `holds` must be monotone in k.
fn first(n: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut from, mut to) = (0, n);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(n: u64, level: f64, value: f64, half: f64) -> QuantileSample {
        QuantileSample { n, n_star: n, level, value, lower: value - half, upper: value + half, clusters: None }
    }

    #[test]
    fn few_values_leave_sides_open() {
        assert_eq!(ranks(1, 0.5, 0.05).unwrap(), Ranks { lower: None, upper: None });
        assert_eq!(ranks(5, 0.9, 0.05).unwrap().upper, None);
        assert_eq!(ranks(5, 0.1, 0.05).unwrap().lower, None);
        assert_eq!(ranks(6, 0.5, 0.05).unwrap(), Ranks { lower: Some(1), upper: Some(6) });
        assert_eq!(ranks(1, 0.1, 0.2).unwrap(), Ranks { lower: None, upper: Some(1) });
        assert_eq!(ranks(1, 0.9, 0.2).unwrap(), Ranks { lower: None, upper: None });
        assert_eq!(ranks(0, 0.5, 0.05), Err(Undefined::NoUnits));
        assert_eq!(ranks(9, 1.0, 0.05), Err(Undefined::InvalidInput));
    }

    #[test]
    fn a_billion_values_follow_the_normal_approximation() {
        let n = 1_000_000_000u64;
        let r = ranks(n, 0.9, 0.05).unwrap();
        let half = spread() * (n as f64 * 0.09).sqrt();
        assert!((r.lower.unwrap() as f64 - (0.9 * n as f64 - half)).abs() < 3.0);
        assert!((r.upper.unwrap() as f64 - (0.9 * n as f64 + half)).abs() < 3.0);
    }

    #[test]
    fn arms_name_what_they_lack() {
        let good = sample(100, 0.5, 3.0, 0.5);
        let of = |bad: QuantileSample| Effect::of_quantiles(&good, &bad).unwrap_err();
        assert_eq!(of(sample(0, 0.5, 3.0, 0.5)), Undefined::NoUnits);
        assert_eq!(of(sample(1, 0.5, 3.0, 0.5)), Undefined::TooFewUnits);
        assert_eq!(of(sample(100, 0.5, 3.0, -0.5)), Undefined::InvalidInput);
        assert_eq!(of(sample(100, 0.9, 3.0, 0.5)), Undefined::InvalidInput);
        assert_eq!(of(QuantileSample { clusters: Some(JointMoments::default()), ..good }), Undefined::NoUnits);
        let flat = sample(100, 0.5, 3.0, 0.0);
        assert_eq!(Effect::of_quantiles(&flat, &flat).unwrap().std_error(), Err(Undefined::ZeroVariance));
    }

    /// With one value per cluster the formula matches the one without clusters, up to the n - 1 divisor of the cluster
    /// variance and the sample share.
    #[test]
    fn clusters_of_one_change_next_to_nothing() {
        let mut clusters = JointMoments::default();
        for i in 0..1_000 {
            clusters.push(f64::from(u8::from(i % 10 < 3)), 1.0);
        }
        let plain = sample(1_000, 0.3, 3.0, 0.5);
        let ratio = QuantileSample { clusters: Some(clusters), ..plain }.sample().unwrap().variance
            / plain.sample().unwrap().variance;
        assert!((ratio - 1_000.0 / 999.0).abs() < 1e-12, "{ratio}");
    }

    /// The median of n uniform values has variance about 1/(4 n).
    #[test]
    fn the_variance_is_that_of_the_quantile() {
        let values: Vec<f64> = (0..10_000).map(|i| (f64::from(i) + 0.5) / 10_000.0).collect();
        let got = QuantileSample::of_sorted(&values, 0.5).unwrap().sample().unwrap();
        assert!((got.mean - 0.5).abs() < 1e-4);
        assert!((got.var_of_mean() * 4.0 * 10_000.0 - 1.0).abs() < 0.02, "{got:?}");
    }

    proptest! {
        /// The ranks have the promised coverage, and one rank further inside would not.
        #[test]
        fn ranks_cover(n in 1u64..400, level in 0.01..0.99f64, alpha in 0.001..0.5f64) {
            let got = ranks(n, level, alpha).unwrap();
            // Binomial probabilities from their logarithms, in plain sums.
            let mut p = vec![0.0f64; n as usize + 1];
            for (k, p) in p.iter_mut().enumerate() {
                let k = k as f64;
                let ln = libm::lgamma(n as f64 + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n as f64 - k + 1.0);
                *p = (ln + k * level.ln() + (n as f64 - k) * (-level).ln_1p()).exp();
            }
            let below = |r: u64| p[..r as usize].iter().sum::<f64>();
            let least = |r: u64| p[r as usize..].iter().sum::<f64>();
            let lower = got.lower.unwrap_or(0);
            prop_assert!(below(lower) <= 0.5 * alpha + 1e-9);
            prop_assert!(below(lower + 1) >= 0.5 * alpha - 1e-9);
            let upper = got.upper.unwrap_or(n + 1);
            prop_assert!(upper > n || least(upper) <= 0.5 * alpha + 1e-9);
            prop_assert!(least(upper - 1) >= 0.5 * alpha - 1e-9);
        }
    }
}
