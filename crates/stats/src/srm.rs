//! Sample ratio mismatch: tests whether the units arrived in the planned shares.
//!
//! On a mismatch, something between assignment and analysis loses units of one arm, and no other number of the
//! experiment can be trusted. The sequential test is valid after every unit; the χ² test is for comparison.

use crate::special::{chi_squared_sf, log1p_minus, stirling_error};
use crate::{Interval, Result, Undefined, checked_alpha};

/// Prior concentration of the alternative on the planned shares. It detects a 1 % fault at ordinary sizes about as fast
/// as any other value.
pub const CONCENTRATION: f64 = 10_000.0;
/// Prior units of the mixed test, for deviations of about 5, 1.5 and 0.5 percentage points from even shares.
pub const CONCENTRATIONS: [f64; 3] = [100.0, 1_000.0, 10_000.0];

/// Result of the χ² test of the shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChiSquared {
    /// Test of the arms with positive weight.
    Tested {
        /// Sum of (count - expected)² / expected.
        statistic: f64,
        /// Arms of positive weight - 1; 0 with a single arm, which has nothing to test.
        df: u32,
        /// Upper tail probability of χ².
        p_value: f64,
    },
    /// An arm of weight zero has units, which chance cannot explain: the p-value is 0.
    UnitsInZeroWeightArm,
}

impl ChiSquared {
    /// The p-value, 0 when an arm of weight zero has units.
    pub fn p_value(&self) -> f64 {
        match self {
            ChiSquared::Tested { p_value, .. } => *p_value,
            ChiSquared::UnitsInZeroWeightArm => 0.0,
        }
    }
}

/// Result of the sequential test after its checks.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRatio {
    /// Natural log of the Bayes factor against the planned shares at the last check; infinite when an arm of weight
    /// zero has units.
    pub log_bayes_factor: f64,
    /// The p-value after each check, 0..=1, never increasing. Each is valid at any stopping time.
    pub p_values: Vec<f64>,
}

impl SampleRatio {
    /// The last p-value; 1 before the first check.
    pub fn p_value(&self) -> f64 {
        self.p_values.last().copied().unwrap_or(1.0)
    }

    fn of_looks(log_bayes_factors: &[f64]) -> SampleRatio {
        let mut reached: f64 = 1.0;
        let p_values = log_bayes_factors.iter().map(|l| {
            reached = reached.min((-l).exp());
            reached
        });
        SampleRatio { p_values: p_values.collect(), log_bayes_factor: log_bayes_factors.last().copied().unwrap_or(0.0) }
    }
}

/// Shares that sum to 1 from weights of any scale.
fn shares(weights: &[f64], arms: usize) -> Result<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    let usable = weights.iter().all(|w| w.is_finite() && *w >= 0.0) && total > 0.0 && total.is_finite();
    if usable && weights.len() == arms {
        Ok(weights.iter().map(|w| w / total).collect())
    } else {
        Err(Undefined::InvalidInput)
    }
}

/// χ² test that `counts` arrived in the shares `weights`.
///
/// `counts[i]` units and `weights[i]` for arm `i`: equal length, weights not negative and of any scale. Valid for a
/// single check at a size fixed beforehand; use [`sequential`] otherwise.
///
/// # Errors
/// `InvalidInput` when lengths differ, a weight is negative or none is positive; `NoUnits` when nobody was counted,
/// because an empty test must not pass.
///
/// # Source
/// Fabijan et al., Diagnosing sample ratio mismatch, KDD 2019; vectors `srm_chi2` (SciPy).
pub fn chi_squared(counts: &[u64], weights: &[f64]) -> Result<ChiSquared> {
    let shares = shares(weights, counts.len())?;
    let total: f64 = counts.iter().map(|&c| c as f64).sum();
    if total == 0.0 {
        return Err(Undefined::NoUnits);
    }
    let (mut statistic, mut positive) = (0.0, 0);
    for (&count, share) in counts.iter().zip(shares) {
        if share == 0.0 {
            if count > 0 {
                return Ok(ChiSquared::UnitsInZeroWeightArm);
            }
            continue;
        }
        let expected = total * share;
        let off = count as f64 - expected;
        statistic += off * (off / expected);
        positive += 1;
    }
    let df = positive - 1;
    // With one arm there is nothing to test.
    let p_value = if df == 0 { 1.0 } else { chi_squared_sf(statistic, f64::from(df)) };
    Ok(ChiSquared::Tested { statistic, df, p_value })
}

/// (1 + u) ln(1 + u) - u for u > -1, without cancellation for small u.
fn divergence(u: f64) -> f64 {
    if u.abs() < 0.3 { (1.0 + u) * log1p_minus(u) + u * u } else { (1.0 + u) * u.ln_1p() - u }
}

/// Natural log of the Bayes factor of "some other shares" against "the planned shares".
///
/// `counts[i]` units so far and `weights[i]` of any scale for arm `i`. The alternative is a Dirichlet distribution
/// centred on the planned shares p with `concentration` K: ln B(K p + x) - ln B(K p) - Σ x ln p, B the multivariate
/// beta function. It is 0 without units and infinite when an arm of weight zero has units. It depends only on the
/// totals, so batching does not matter.
///
/// Computed as Σ E h(u) - ½ Σ ln(1 + u) - (k - 1)/2 ln(1 + n/K) + Σ (δ(K p + x) - δ(K p)) - δ(K + n) + δ(K), with E = p
/// (K + n), u = (x - p n) / E, h(u) = (1 + u) ln(1 + u) - u and δ the remainder of Stirling's formula. The large terms
/// of ln Γ are cancelled algebraically, so a billion units lose no digits.
///
/// # Errors
/// `InvalidInput` when lengths differ, a weight is negative, none is positive, or the concentration is not positive.
///
/// # Source
/// Lindon, Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022; vectors `srm_sequential`.
pub fn log_bayes_factor(weights: &[f64], counts: &[u64], concentration: f64) -> Result<f64> {
    let counts: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
    log_bayes_factor_of(&shares(weights, counts.len())?, &counts, concentration)
}

fn log_bayes_factor_of(shares: &[f64], counts: &[f64], concentration: f64) -> Result<f64> {
    let k = concentration;
    if !(k > 0.0 && k.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    if shares.iter().zip(counts).any(|(&p, &x)| p == 0.0 && x > 0.0) {
        return Ok(f64::INFINITY);
    }
    let n: f64 = counts.iter().sum();
    if n == 0.0 {
        return Ok(0.0);
    }
    let (mut sum, mut active) = (0.0, 0.0);
    for (&p, &x) in shares.iter().zip(counts).filter(|(p, _)| **p > 0.0) {
        let expected = p * (k + n);
        let u = (x - p * n) / expected;
        sum += expected * divergence(u) - 0.5 * u.ln_1p();
        sum += stirling_error(k * p + x) - stirling_error(k * p);
        active += 1.0;
    }
    Ok(sum - 0.5 * (active - 1.0) * (n / k).ln_1p() - stirling_error(k + n) + stirling_error(k))
}

/// The sequential test over batches of counts in time order, all with the same weights.
///
/// `batches[b][i]` is the number of units of arm `i` in batch `b`, not a running total. Returns one p-value per batch.
/// The p-value of an empty first batch is 1.
///
/// # Errors
/// As [`log_bayes_factor`], and `NoUnits` when all batches together are empty.
///
/// # Source
/// Lindon, Malek 2022; vectors `srm_sequential` (ssrm-test).
pub fn sequential(weights: &[f64], batches: &[Vec<u64>], concentration: f64) -> Result<SampleRatio> {
    let mut totals = vec![0u64; weights.len()];
    let mut looks = Vec::with_capacity(batches.len());
    for batch in batches {
        if batch.len() != totals.len() {
            return Err(Undefined::InvalidInput);
        }
        for (total, &count) in totals.iter_mut().zip(batch) {
            *total = total.checked_add(count).ok_or(Undefined::InvalidInput)?;
        }
        looks.push(log_bayes_factor(weights, &totals, concentration)?);
    }
    // Weights are checked even without a batch.
    log_bayes_factor(weights, &totals, concentration)?;
    if totals.iter().all(|&t| t == 0) { Err(Undefined::NoUnits) } else { Ok(SampleRatio::of_looks(&looks)) }
}

/// Epoch: a period during which the weights did not change.
#[derive(Clone, Debug, PartialEq)]
pub struct Epoch {
    /// Weight per arm, not negative, of any scale. An arm that is not yet or no longer served has weight zero.
    pub weights: Vec<f64>,
    /// Units per arm that were first exposed in this epoch.
    pub counts: Vec<u64>,
}

/// The sequential test over epochs with different weights.
///
/// Each epoch starts from its own weights. The Bayes factors are multiplied (the logarithms added), so a change of
/// allocation is not mistaken for a fault. Returns one p-value per epoch.
///
/// # Errors
/// As [`log_bayes_factor`], and `NoUnits` when all epochs together are empty.
///
/// # Source
/// Lindon, Malek 2022, products of independent Bayes factors; vectors `srm_epochs`.
pub fn over_epochs(epochs: &[Epoch], concentration: f64) -> Result<SampleRatio> {
    let mut sum = 0.0;
    let mut looks = Vec::with_capacity(epochs.len());
    for epoch in epochs {
        sum += log_bayes_factor(&epoch.weights, &epoch.counts, concentration)?;
        looks.push(sum);
    }
    if epochs.iter().all(|e| e.counts.iter().all(|&c| c == 0)) {
        return Err(Undefined::NoUnits);
    }
    Ok(SampleRatio::of_looks(&looks))
}

/// Log of an e-value against the weights of these epochs: the mean of the Bayes factors of [`CONCENTRATIONS`], each
/// multiplied over the epochs. It exceeds ln(1 / alpha) at some check with probability at most alpha.
///
/// A single prior detects a gross fault late or a slight one never. With 300 of 450 visitors in one of two even arms,
/// the Bayes factor is 3 with 10,000 prior units, and more than a million in the mean.
///
/// # Errors
/// As [`over_epochs`].
///
/// # Source
/// As [`over_epochs`]; a mean of e-values is an e-value.
pub fn mixed_over_epochs(epochs: &[Epoch]) -> Result<f64> {
    let mut logs = [0.0; CONCENTRATIONS.len()];
    for (log, concentration) in logs.iter_mut().zip(CONCENTRATIONS) {
        *log = over_epochs(epochs, concentration)?.log_bayes_factor;
    }
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return Ok(largest);
    }
    let mean = logs.iter().map(|log| (log - largest).exp()).sum::<f64>() / logs.len() as f64;
    Ok(largest + mean.ln())
}

/// Always-valid interval for the share of the first of two arms: the shares p whose Bayes factor stays below 1 / alpha.
///
/// `counts` units arrived under `weights`, both positive and of any scale. With more than two arms, pass the arm of
/// interest and the sum of the others. The alternative stays centred on the planned shares, so they are outside exactly
/// when the test rejects them at alpha. The interval contains the observed share, narrows with the units and covers the
/// true share at all checks together with probability 1 - alpha. Without units in the arm it starts at 0; with all
/// units in the arm it ends at 1.
///
/// # Errors
/// `InvalidInput` when a weight is not positive, alpha is not between 0 and 1 or the concentration is not positive;
/// `NoUnits` when nobody was counted.
///
/// # Source
/// Lindon, Malek 2022; vectors `srm_sequential_interval`.
pub fn share_interval(weights: [f64; 2], counts: [u64; 2], concentration: f64, alpha: f64) -> Result<Interval> {
    let limit = -checked_alpha(alpha)?.ln();
    let shares = shares(&weights, 2)?;
    if shares.contains(&0.0) {
        return Err(Undefined::InvalidInput);
    }
    let x = counts.map(|c| c as f64);
    let planned = log_bayes_factor_of(&shares, &x, concentration)?;
    let n = x[0] + x[1];
    if n == 0.0 {
        return Err(Undefined::NoUnits);
    }
    // The log Bayes factor against any p is the one against the planned share plus Σ x ln(planned / p), a difference of
    // two divergences from the observed shares. `budget` is the largest allowed divergence of p.
    let budget = limit - planned + divergence_from(x, [shares[0], shares[1]]);
    // The upper end is one minus the lower end of the other arm, which keeps its digits near 1.
    Ok(Interval { lower: lowest_share(x, budget), upper: 1.0 - lowest_share([x[1], x[0]], budget) })
}

/// Σ x ln(observed / p): n times the divergence of the shares `p` from the observed ones.
fn divergence_from(x: [f64; 2], p: [f64; 2]) -> f64 {
    let n = x[0] + x[1];
    // x ln(x / (n p)) - x + n p; the last two terms cancel over the arms.
    x.iter().zip(p).map(|(x, p)| if *x == 0.0 { n * p } else { n * p * divergence((x - n * p) / (n * p)) }).sum()
}

/// The smallest share of the first arm whose divergence is within a positive `budget`.
fn lowest_share(x: [f64; 2], budget: f64) -> f64 {
    if x[0] == 0.0 {
        return 0.0;
    }
    let excluded = |p: f64| divergence_from(x, [p, 1.0 - p]) >= budget;
    let observed = x[0] / (x[0] + x[1]);
    let (mut low, mut high) = (observed * 0.5, observed);
    while low > 0.0 && !excluded(low) {
        (low, high) = (low * 0.5, low);
    }
    // Bisects until there is no double in between, because a very small share has few neighbours.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if excluded(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Natural log of the Bayes factor against equal conversion rates, exact at any number of conversions.
///
/// `conversions[i]` converted units of arm `i`, whose units arrived in the shares `weights`. Under equal rates the
/// conversions are distributed over the arms like the units, so this is [`log_bayes_factor`] on conversions. It is
/// always valid, needs no approximation that fails at small numbers, and is not affected by seasonal rates. It assumes
/// that the units arrived in the planned shares, so the test on units must pass.
///
/// # Errors
/// As [`log_bayes_factor`]; a conversion in an arm of weight zero is `InvalidInput`, because the arm has no rate.
///
/// # Source
/// Lindon, Malek 2022, section on conversion rates.
pub fn conversions_log_bayes_factor(weights: &[f64], conversions: &[u64], concentration: f64) -> Result<f64> {
    let log_e = log_bayes_factor(weights, conversions, concentration)?;
    if log_e.is_finite() { Ok(log_e) } else { Err(Undefined::InvalidInput) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::ln_gamma;
    use proptest::prelude::*;

    fn plain(weights: &[f64], counts: &[u64], k: f64) -> f64 {
        let total: f64 = weights.iter().sum();
        let n: u64 = counts.iter().sum();
        let arms = weights.iter().zip(counts).map(|(w, &x)| {
            let p = w / total;
            ln_gamma(k * p + x as f64) - ln_gamma(k * p) - x as f64 * p.ln()
        });
        arms.sum::<f64>() - ln_gamma(k + n as f64) + ln_gamma(k)
    }

    #[test]
    fn an_arm_without_weight_takes_no_part_until_it_has_units() {
        let without = log_bayes_factor(&[0.5, 0.5], &[100, 130], 1e4).unwrap();
        assert_eq!(log_bayes_factor(&[0.5, 0.0, 0.5], &[100, 0, 130], 1e4).unwrap(), without);
        let with = sequential(&[0.5, 0.0, 0.5], &[vec![100, 0, 130], vec![0, 1, 0]], 1e4).unwrap();
        assert_eq!(with.log_bayes_factor, f64::INFINITY);
        assert_eq!(with.p_value(), 0.0);
        assert_eq!(chi_squared(&[5, 5, 1], &[1.0, 1.0, 0.0]).unwrap(), ChiSquared::UnitsInZeroWeightArm);
    }

    #[test]
    fn a_single_arm_has_nothing_to_test() {
        assert_eq!(chi_squared(&[7], &[1.0]).unwrap(), ChiSquared::Tested { statistic: 0.0, df: 0, p_value: 1.0 });
        assert_eq!(log_bayes_factor(&[1.0], &[7], 1e4).unwrap(), 0.0);
    }

    #[test]
    fn nobody_reassures_no_one() {
        assert_eq!(chi_squared(&[0, 0], &[1.0, 1.0]), Err(Undefined::NoUnits));
        assert_eq!(sequential(&[1.0, 1.0], &[], 1e4), Err(Undefined::NoUnits));
        assert_eq!(sequential(&[1.0, 1.0], &[vec![0, 0]], 1e4), Err(Undefined::NoUnits));
        assert_eq!(over_epochs(&[], 1e4), Err(Undefined::NoUnits));
        assert_eq!(share_interval([1.0, 1.0], [0, 0], 1e4, 0.05), Err(Undefined::NoUnits));
        assert_eq!(sequential(&[1.0, 1.0], &[vec![0, 0], vec![3, 4]], 1e4).unwrap().p_values[0], 1.0);
    }

    #[test]
    fn impossible_input_is_named() {
        let invalid = Err(Undefined::InvalidInput);
        assert_eq!(chi_squared(&[1, 2, 3], &[1.0, 1.0]), invalid);
        assert_eq!(chi_squared(&[1, 2], &[1.0, -1.0]), invalid);
        assert_eq!(chi_squared(&[1, 2], &[0.0, 0.0]), invalid);
        assert_eq!(sequential(&[1.0, 1.0], &[vec![1]], 1e4), Err(Undefined::InvalidInput));
        assert_eq!(log_bayes_factor(&[1.0, 1.0], &[1, 2], 0.0), Err(Undefined::InvalidInput));
        assert_eq!(share_interval([1.0, 0.0], [3, 2], 1e4, 0.05), Err(Undefined::InvalidInput));
        assert_eq!(conversions_log_bayes_factor(&[1.0, 0.0], &[2, 1], 1e4), Err(Undefined::InvalidInput));
    }

    #[test]
    fn the_interval_reaches_the_ends_it_cannot_exclude() {
        let none = share_interval([1.0, 1.0], [0, 500], 100.0, 0.05).unwrap();
        // The shares p of the other arm for which 500 ln(1/p) is within the remaining part of ln(1 / alpha).
        let left = 20f64.ln() - plain(&[0.5, 0.5], &[0, 500], 100.0) + 500.0 * 2f64.ln();
        assert!(none.lower == 0.0 && (none.upper + (-left / 500.0).exp_m1()).abs() < 1e-12);
        let all = share_interval([1.0, 1.0], [500, 0], 100.0, 0.05).unwrap();
        assert!(all.upper == 1.0 && (all.lower - (1.0 - none.upper)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn agrees_with_the_formula_as_printed(
            arms in prop::collection::vec((0.01..1.0f64, 0u64..2_000), 1..6), k in 1.0..20_000.0f64
        ) {
            let (weights, counts): (Vec<f64>, Vec<u64>) = arms.into_iter().unzip();
            let got = log_bayes_factor(&weights, &counts, k).unwrap();
            let want = plain(&weights, &counts, k);
            prop_assert!((got - want).abs() <= 1e-8 * (1.0 + want.abs()), "{} {}", got, want);
        }

        #[test]
        fn batching_does_not_matter(
            batches in prop::collection::vec(prop::collection::vec(0u64..1_000_000, 3), 1..6), scale in 0.1..50.0f64
        ) {
            prop_assume!(batches.iter().flatten().any(|&x| x > 0));
            let weights = [0.5, 0.3, 0.2];
            let totals: Vec<u64> = (0..3).map(|i| batches.iter().map(|b| b[i]).sum()).collect();
            let split = sequential(&weights, &batches, 1e4).unwrap();
            let whole = sequential(&weights.map(|w| w * scale), &[totals], 1e4).unwrap();
            let (a, b) = (split.log_bayes_factor, whole.log_bayes_factor);
            prop_assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()));
            prop_assert!(split.p_value() <= whole.p_value() * (1.0 + 1e-9 * (1.0 + b.abs())));
            prop_assert!(split.p_values.windows(2).all(|w| w[0] >= w[1]));
        }

        /// Under the planned shares the next unit leaves the Bayes factor unchanged on average.
        #[test]
        fn the_bayes_factor_is_a_martingale(
            weights in prop::collection::vec(0.05..1.0f64, 2..5), seed in prop::collection::vec(0u64..300, 5), k in 1.0..1e4f64
        ) {
            let counts = &seed[..weights.len()];
            let total: f64 = weights.iter().sum();
            let now = log_bayes_factor(&weights, counts, k).unwrap();
            let mut mean = 0.0;
            for (i, w) in weights.iter().enumerate() {
                let mut next = counts.to_vec();
                next[i] += 1;
                mean += w / total * (log_bayes_factor(&weights, &next, k).unwrap() - now).exp();
            }
            prop_assert!((mean - 1.0).abs() < 1e-8, "{}", mean);
        }

        #[test]
        fn epochs_merge(counts in prop::collection::vec(1u64..10_000, 4), k in 10.0..1e5f64) {
            let a = Epoch { weights: vec![0.9, 0.1], counts: counts[..2].to_vec() };
            let b = Epoch { weights: vec![0.5, 0.5], counts: counts[2..].to_vec() };
            let both = over_epochs(&[a.clone(), b.clone()], k).unwrap();
            let swapped = over_epochs(&[b.clone(), a.clone()], k).unwrap();
            let alone = over_epochs(&[a], k).unwrap().log_bayes_factor + over_epochs(&[b], k).unwrap().log_bayes_factor;
            prop_assert!((both.log_bayes_factor - alone).abs() <= 1e-9 * (1.0 + alone.abs()));
            prop_assert!((swapped.log_bayes_factor - alone).abs() <= 1e-9 * (1.0 + alone.abs()));
        }

        /// At the ends the Bayes factor, in its published form, is 1 / alpha. The planned share is outside exactly when
        /// the test rejects it.
        #[test]
        fn the_interval_is_the_test_turned_around(
            count in 1u64..100_000, rest in 1u64..100_000, w in 0.05..0.95f64, k in 10.0..1e5f64, alpha in 0.001..0.5f64
        ) {
            let interval = share_interval([w, 1.0 - w], [count, rest], k, alpha).unwrap();
            let (x, y) = (count as f64, rest as f64);
            prop_assert!(interval.contains(x / (x + y)));
            let planned = log_bayes_factor(&[w, 1.0 - w], &[count, rest], k).unwrap();
            // An end too close to 1 for a double is rounded to 1, and a subnormal end has few digits.
            let has_digits = |end: &f64| (f64::MIN_POSITIVE..1.0 - 1e-6).contains(end);
            for end in [interval.lower, interval.upper].into_iter().filter(has_digits) {
                let log = planned + x * (w / end).ln() + y * ((1.0 - w) / (1.0 - end)).ln();
                prop_assert!((log + alpha.ln()).abs() < 1e-6 + 1e-9 * planned.abs(), "{}", log);
            }
            let margin = planned + alpha.ln();
            prop_assert!(margin.abs() < 1e-6 || interval.excludes(w) == (margin > 0.0));
        }
    }
}
