//! Strata: groups known before exposure, which reduce variance, and periods with different traffic ratios, which are
//! compared separately.

use crate::effect::welch;
use crate::{Effect, Moments, Result, Undefined};

/// The effect over all strata, each weighted by its share of all units.
///
/// `strata` holds one effect per stratum, of any metric kind, on separate units. Cell levels are weighted by the shares
/// ν of the units of both arms, which removes chance imbalance between the arms. The shares are estimated too, which
/// adds the covariance A (diag ν - ν ν') A' / n, where A is the cell values of difference and baseline.
///
/// # Errors
/// `NoUnits` without strata, `InvalidInput` when the numbers are not finite.
///
/// # Source
/// Xie, Aurisset, Improving the sensitivity of online controlled experiments, KDD 2016; vectors `post_stratified`.
pub fn post_stratified(strata: &[Effect]) -> Result<Effect> {
    let weighted: Vec<(f64, Effect)> = strata.iter().map(|e| (e.n, *e)).collect();
    let mut effect = Effect::weighted(&weighted)?;
    let (num, den, n) = (effect.num, effect.den, effect.n);
    for (units, stratum) in &weighted {
        let share = units / n;
        let (d_num, d_den) = (stratum.num - num, stratum.den - den);
        effect.var_num += share * d_num * d_num / n;
        effect.var_den += share * d_den * d_den / n;
        effect.cov += share * d_num * d_den / n;
    }
    let finite = [effect.var_num, effect.var_den, effect.cov].iter().all(|x| x.is_finite());
    if finite { Ok(effect) } else { Err(Undefined::InvalidInput) }
}

/// The difference within strata that have different traffic ratios, each weighted by w = c t / (c + t) of its c control
/// and t treatment units (Mantel and Haenszel). `strata` holds the control and the treatment of each stratum.
///
/// The weights depend on the numbers of units and not on their values, so no stratum is left out because of its
/// outcome. A stratum in which an arm is rare gets little weight. The variance of each arm is taken over all strata,
/// about one mean, and is at least the variance from the units of both arms, because the variance within a single
/// stratum is useless for rare values. A mean that changes between strata adds to the variance.
///
/// `n` of the effect is 4 Σw, the number of units of an even split with the same information. The variance of the sum
/// of the weighted differences grows in proportion to it, for any ratios and any rule of choosing them, as long as they
/// were chosen before the stratum's units arrived. So it is the time of an always-valid test.
///
/// # Errors
/// `NoUnits` when no stratum has units of both arms, `TooFewUnits` when an arm has a single unit.
///
/// # Source
/// Greenland, Robins, Estimation of a common effect parameter from sparse follow-up data, Biometrics 1985.
pub fn mantel_haenszel(strata: &[(Moments, Moments)]) -> Result<Effect> {
    let used = strata.iter().filter(|(control, treatment)| control.n > 0 && treatment.n > 0);
    let (mut of_control, mut of_treatment, mut of_all) =
        (WeightedUnits::default(), WeightedUnits::default(), WeightedUnits::default());
    let (mut total, mut num, mut den, mut units) = (0.0, 0.0, 0.0, (0.0, 0.0));
    for (control, treatment) in used {
        let all = control.merge(treatment);
        let (c, t) = (control.n as f64, treatment.n as f64);
        let weight = c / (c + t) * t;
        total += weight;
        num += weight * (treatment.mean - control.mean);
        den += weight * control.mean;
        units = (units.0 + c, units.1 + t);
        // The square of a unit's weight in the sum of the differences, by which its variance counts.
        of_control.add(control, (weight / c).powi(2));
        of_treatment.add(treatment, (weight / t).powi(2));
        of_all.add(&all, weight / (c + t));
    }
    if total <= 0.0 {
        return Err(Undefined::NoUnits);
    }
    let of_side = |side: &WeightedUnits| Ok(side.total() / (total * total) * side.variance()?);
    let (var_control, var_treatment) = (of_side(&of_control)?, of_side(&of_treatment)?);
    let least = of_all.variance()? / total;
    let effect = Effect {
        num: num / total,
        den: den / total,
        var_num: (var_control + var_treatment).max(least),
        var_den: var_control,
        cov: -var_control,
        n: 4.0 * total,
        df: welch([(var_control, units.0 - 1.0), (var_treatment, units.1 - 1.0)].into_iter()),
    };
    let finite = [effect.num, effect.den, effect.var_num, effect.n].iter().all(|x| x.is_finite());
    if finite && effect.df > 0.0 { Ok(effect) } else { Err(Undefined::InvalidInput) }
}

/// Units of several strata; all units of a stratum have the same weight.
#[derive(Default)]
struct WeightedUnits(Vec<(Moments, f64)>);

impl WeightedUnits {
    fn add(&mut self, units: &Moments, weight: f64) {
        self.0.push((*units, weight));
    }

    fn sum(&self, of: impl Fn(&Moments, f64) -> f64) -> f64 {
        self.0.iter().map(|(units, weight)| of(units, *weight)).sum()
    }

    fn total(&self) -> f64 {
        self.sum(|units, weight| units.n as f64 * weight)
    }

    /// Weighted variance about the weighted mean, unbiased when the mean is the same in all strata.
    fn variance(&self) -> Result<f64> {
        let total = self.total();
        let mean = self.sum(|units, weight| units.n as f64 * weight * units.mean) / total;
        let squares =
            self.sum(|units, weight| weight * (units.m2 + units.n as f64 * (units.mean - mean) * (units.mean - mean)));
        let lost = self.sum(|units, weight| units.n as f64 * weight * weight) / total;
        let divisor = total - lost;
        if divisor > 1e-9 * total { Ok(squares / divisor) } else { Err(Undefined::TooFewUnits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;
    use proptest::prelude::*;

    fn effect(control: (u64, f64, f64), treatment: (u64, f64, f64)) -> Effect {
        let arm = |(n, mean, variance)| Sample { n, mean, variance };
        Effect::of_samples(&arm(control), &arm(treatment)).unwrap()
    }

    #[test]
    fn one_stratum_is_no_stratification() {
        let only = effect((100, 2.0, 3.0), (90, 2.5, 4.0));
        assert_eq!(post_stratified(&[only]).unwrap(), only);
        assert_eq!(post_stratified(&[]), Err(Undefined::NoUnits));
    }

    /// Moments of `n` units, `number` of which are 1 and the others 0.
    fn share(n: u64, number: u64) -> Moments {
        let p = number as f64 / n as f64;
        Moments { n, mean: p, m2: n as f64 * p * (1.0 - p) }
    }

    #[test]
    fn a_stratum_counts_whatever_happened_in_it() {
        // Two of ten strata had an event. The difference and its variance are over all ten.
        let quiet = (share(950, 0), share(50, 0));
        let loud = (share(950, 0), share(50, 1));
        let all: Vec<_> = [loud, loud].into_iter().chain(std::iter::repeat_n(quiet, 8)).collect();
        let (alone, whole) = (mantel_haenszel(&[loud, loud]).unwrap(), mantel_haenszel(&all).unwrap());
        assert!((alone.num - 0.02).abs() < 1e-12 && (whole.num - 0.004).abs() < 1e-12, "{alone:?} {whole:?}");
        let expect = 0.004 * 0.996 / 500.0;
        assert!((whole.var_num / expect - 1.0).abs() < 0.01, "{}", whole.var_num);
        assert!((whole.n - 4.0 * 10.0 * 950.0 * 50.0 / 1_000.0).abs() < 1e-9);
        // Without any event the difference is zero, with zero variance.
        let nothing = mantel_haenszel(&[quiet, quiet]).unwrap();
        assert_eq!((nothing.num, nothing.var_num), (0.0, 0.0));
    }

    #[test]
    fn strata_without_an_arm_say_nothing() {
        let both = (share(90, 9), share(60, 3));
        let alone = mantel_haenszel(&[both]).unwrap();
        assert_eq!(mantel_haenszel(&[both, (share(90, 30), Moments::default())]), Ok(alone));
        assert_eq!(mantel_haenszel(&[(share(90, 30), Moments::default())]), Err(Undefined::NoUnits));
        assert_eq!(mantel_haenszel(&[]), Err(Undefined::NoUnits));
        assert_eq!(mantel_haenszel(&[(share(90, 3), share(1, 0))]), Err(Undefined::TooFewUnits));
    }

    proptest! {
        /// One stratum is a plain comparison.
        #[test]
        fn of_one_stratum_it_is_the_difference(
            c in (20u64..500, -5.0..5.0f64, 0.5..2.0f64), t in (20u64..500, -5.0..5.0f64, 0.5..2.0f64)
        ) {
            let arm = |(n, mean, var): (u64, f64, f64)| Moments { n, mean, m2: var * (n - 1) as f64 };
            let sample = |arm: &Moments| Sample::of_mean(arm).unwrap();
            let (c, t) = (arm(c), arm(t));
            let plain = Effect::of_samples(&sample(&c), &sample(&t)).unwrap();
            let plain = plain.with_min_variance(sample(&c.merge(&t)).variance, c.n, t.n);
            let got = mantel_haenszel(&[(c, t)]).unwrap();
            prop_assert!((got.num - plain.num).abs() < 1e-9 && (got.den - plain.den).abs() < 1e-9);
            prop_assert!((got.var_num / plain.var_num - 1.0).abs() < 1e-9);
            prop_assert!((got.df / plain.df - 1.0).abs() < 1e-9);
        }

        /// Strata with equal ratios and means give the same result as one merged stratum.
        #[test]
        fn a_stratum_may_be_cut(n in 10u64..200, c in 1u64..10, t in 1u64..10, parts in 2u64..5) {
            let (control, treatment) = (share(n, c), share(2 * n, t));
            let of = |times: u64| (share(times * n, times * c), share(2 * times * n, times * t));
            let cut = mantel_haenszel(&vec![(control, treatment); parts as usize]).unwrap();
            let whole = mantel_haenszel(&[of(parts)]).unwrap();
            prop_assert!((cut.num - whole.num).abs() < 1e-12 && (cut.n / whole.n - 1.0).abs() < 1e-9);
            prop_assert!((cut.var_num / whole.var_num - 1.0).abs() < 1e-9);
        }

        /// With equal allocation in every stratum the estimate is the plain difference. Its precision is at most lower
        /// by the effect of the n - 1 divisors.
        #[test]
        fn balanced_strata_keep_the_difference(
            cells in prop::collection::vec((50u64..500, -5.0..5.0f64, 0.5..2.0f64, 0.0..1.0f64), 1..5)
        ) {
            let strata: Vec<Effect> =
                cells.iter().map(|&(n, mean, var, d)| effect((n, mean, var), (n, mean + d, var))).collect();
            let merged = |lift: f64| {
                let parts = cells.iter().map(|&(n, mean, var, d)| Moments {
                    n,
                    mean: mean + lift * d,
                    m2: var * (n - 1) as f64,
                });
                Sample::of_mean(&parts.fold(Moments::default(), |a, b| a.merge(&b))).unwrap()
            };
            let plain = Effect::of_samples(&merged(0.0), &merged(1.0)).unwrap();
            let got = post_stratified(&strata).unwrap();
            prop_assert!((got.num - plain.num).abs() < 1e-9);
            prop_assert!((got.den - plain.den).abs() < 1e-9);
            prop_assert!(got.var_num <= plain.var_num * 1.05);
        }

        #[test]
        fn the_order_of_strata_does_not_matter(
            cells in prop::collection::vec((2u64..500, 2u64..500, -5.0..5.0f64, 0.5..2.0f64), 1..6)
        ) {
            let mut strata: Vec<Effect> =
                cells.iter().map(|&(a, b, mean, var)| effect((a, mean, var), (b, mean * 1.1, var))).collect();
            let one = post_stratified(&strata).unwrap();
            strata.reverse();
            let other = post_stratified(&strata).unwrap();
            prop_assert!((one.num - other.num).abs() < 1e-12);
            prop_assert!((one.var_num / other.var_num - 1.0).abs() < 1e-12);
        }
    }
}
