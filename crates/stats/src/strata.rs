//! Post-stratification: groups known before exposure explain variance away.

use crate::{Effect, Result, Undefined};

/// The effect over all strata, each counted by its share of all units.
///
/// `strata` holds one effect per stratum, of any metric kind, on separate units. Cell levels are weighted by the shares
/// ν of the units of both arms, which removes the chance imbalance of the arms between strata; that the shares
/// themselves are estimated adds the covariance A (diag ν - ν ν') A' / n, A the cell values of difference and baseline.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Moments, Sample};
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

    proptest! {
        /// With equal allocation in every stratum the estimate is the plain difference, and never less precise than it
        /// by more than the n - 1 divisors.
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
