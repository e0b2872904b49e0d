//! Corrections for multiple comparisons: p-values and e-values of a family of tests.
//!
//! A result without a value, `None`, does not belong to the family: it is not rejected and does not count as a test.

use crate::{Result, Undefined};

/// Adjustment of the p-values of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Controls the family-wise error under any dependence: every p-value times the size of the family.
    Bonferroni,
    /// Controls the family-wise error under any dependence, step-down. Never weaker than Bonferroni.
    Holm,
    /// Controls the false discovery rate under independence or positive dependence, step-up.
    BenjaminiHochberg,
    /// Controls the false discovery rate under any dependence, step-up. Stricter by the factor 1 + 1/2 + … + 1/m.
    BenjaminiYekutieli,
}

/// P-values adjusted for their family, in the order given.
///
/// Rejecting where the adjusted value is at most alpha keeps the error that the correction names at alpha. `None` stays
/// `None`; the other values form the family. Adjusted values are in 0..=1 and have the order of the raw ones.
///
/// # Errors
/// `InvalidInput` when a p-value is outside 0..=1.
///
/// # Source
/// Holm 1979; Benjamini, Hochberg 1995; Benjamini, Yekutieli 2001; vectors `p_adjust` (statsmodels).
pub fn adjust(p_values: &[Option<f64>], correction: Correction) -> Result<Vec<Option<f64>>> {
    if p_values.iter().flatten().any(|p| !(0.0..=1.0).contains(p)) {
        return Err(Undefined::InvalidInput);
    }
    let mut family: Vec<(usize, f64)> = p_values.iter().enumerate().filter_map(|(i, p)| Some((i, (*p)?))).collect();
    family.sort_by(|a, b| a.1.total_cmp(&b.1));
    let m = family.len() as f64;
    let mut adjusted = vec![None; p_values.len()];
    match correction {
        Correction::Bonferroni => {
            for &(i, p) in &family {
                adjusted[i] = Some((p * m).min(1.0));
            }
        }
        Correction::Holm => {
            let mut reached: f64 = 0.0;
            for (rank, &(i, p)) in family.iter().enumerate() {
                reached = reached.max(p * (m - rank as f64)).min(1.0);
                adjusted[i] = Some(reached);
            }
        }
        Correction::BenjaminiHochberg | Correction::BenjaminiYekutieli => {
            let price = if correction == Correction::BenjaminiYekutieli { harmonic(family.len()) } else { 1.0 };
            let mut reached: f64 = 1.0;
            for (rank, &(i, p)) in family.iter().enumerate().rev() {
                reached = reached.min(p * m * price / (rank + 1) as f64);
                adjusted[i] = Some(reached);
            }
        }
    }
    Ok(adjusted)
}

/// The harmonic sum 1 + 1/2 + ... + 1/m.
fn harmonic(m: usize) -> f64 {
    (1..=m).rev().map(|i| 1.0 / i as f64).sum()
}

/// Ascending indices of the results that e-BH rejects at false discovery rate `fdr`.
///
/// `log_e_values[i]` is the natural logarithm of an e-value, because e-values overflow; infinite logarithms are
/// allowed. Among the m results with a value, the k largest are rejected, for the largest k at which the k-th e-value
/// is at least m / (fdr k). The rate holds under any dependence and at any stopping time.
///
/// # Errors
/// `InvalidInput` when `fdr` is not between 0 and 1 or a value is NaN.
///
/// # Source
/// Wang, Ramdas, False discovery rate control with e-values, JRSS B 2022; vectors `e_bh`.
pub fn e_bh(log_e_values: &[Option<f64>], fdr: f64) -> Result<Vec<usize>> {
    if !(fdr > 0.0 && fdr < 1.0) || log_e_values.iter().flatten().any(|e| e.is_nan()) {
        return Err(Undefined::InvalidInput);
    }
    let mut family: Vec<(usize, f64)> = log_e_values.iter().enumerate().filter_map(|(i, e)| Some((i, (*e)?))).collect();
    family.sort_by(|a, b| b.1.total_cmp(&a.1));
    let m = family.len() as f64;
    let passes = |k: usize| family[k - 1].1 >= (m / (fdr * k as f64)).ln();
    let rejections = (1..=family.len()).rev().find(|&k| passes(k)).unwrap_or(0);
    let mut rejected: Vec<usize> = family[..rejections].iter().map(|&(i, _)| i).collect();
    rejected.sort_unstable();
    Ok(rejected)
}

/// E-values adjusted for their family, in the order given: the smallest false discovery rate at which e-BH rejects
/// each.
///
/// `log_e_values[i]` is the natural logarithm of an e-value. An adjusted value is at most `fdr` exactly where [`e_bh`]
/// at `fdr` rejects, up to rounding at equality, so one number per result gives the discoveries at every rate. Adjusted
/// values are in 0..=1 and fall as the e-value rises. `None` stays `None`; the other values form the family.
///
/// # Errors
/// `InvalidInput` when a value is NaN.
///
/// # Source
/// As [`e_bh`]. The smallest rate at which it rejects is the smallest of m / (k e) over the ranks k from the result's
/// own rank on.
pub fn adjust_e_values(log_e_values: &[Option<f64>]) -> Result<Vec<Option<f64>>> {
    if log_e_values.iter().flatten().any(|e| e.is_nan()) {
        return Err(Undefined::InvalidInput);
    }
    let mut family: Vec<(usize, f64)> = log_e_values.iter().enumerate().filter_map(|(i, e)| Some((i, (*e)?))).collect();
    family.sort_by(|a, b| b.1.total_cmp(&a.1));
    let m = family.len() as f64;
    let mut adjusted = vec![None; log_e_values.len()];
    let mut reached = f64::INFINITY;
    for (rank, &(i, log_e)) in family.iter().enumerate().rev() {
        let rate = ((m / (rank as f64 + 1.0)).ln() - log_e).exp();
        reached = reached.min(rate).min(1.0);
        adjusted[i] = Some(reached);
    }
    Ok(adjusted)
}

/// Level at which intervals of rejected results agree with the rejections: alpha R / m.
///
/// `m` is the size of the family and `rejections` the number rejected at rate `alpha`. Without rejections the strictest
/// level, alpha / m, is given: the interval of an unrejected result must not exclude zero.
///
/// # Errors
/// `InvalidInput` when alpha is not between 0 and 1 or `rejections` exceeds `m`, `NoUnits` for an empty family.
///
/// # Source
/// Benjamini, Yekutieli, False discovery rate adjusted multiple confidence intervals, JASA 2005.
pub fn interval_alpha(alpha: f64, rejections: usize, m: usize) -> Result<f64> {
    if !(alpha > 0.0 && alpha < 1.0) || rejections > m {
        return Err(Undefined::InvalidInput);
    }
    if m == 0 {
        return Err(Undefined::NoUnits);
    }
    Ok(alpha * rejections.max(1) as f64 / m as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Correction; 4] =
        [Correction::Bonferroni, Correction::Holm, Correction::BenjaminiHochberg, Correction::BenjaminiYekutieli];

    #[test]
    fn undefined_results_do_not_count() {
        let with = adjust(&[Some(0.01), None, Some(0.04)], Correction::Bonferroni).unwrap();
        assert_eq!(with, [Some(0.02), None, Some(0.08)]);
        assert_eq!(adjust(&[None, None], Correction::Holm).unwrap(), [None, None]);
        assert_eq!(e_bh(&[None, Some(3.0), None], 0.05).unwrap(), [1]);
        assert_eq!(e_bh(&[], 0.05).unwrap(), Vec::<usize>::new());
    }

    #[test]
    fn what_cannot_be_a_p_value_is_refused() {
        for p in [-0.1, 1.1, f64::NAN] {
            assert_eq!(adjust(&[Some(p)], Correction::Holm), Err(Undefined::InvalidInput));
        }
        assert_eq!(e_bh(&[Some(f64::NAN)], 0.05), Err(Undefined::InvalidInput));
        assert_eq!(adjust_e_values(&[Some(f64::NAN)]), Err(Undefined::InvalidInput));
        assert_eq!(e_bh(&[Some(1.0)], 0.0), Err(Undefined::InvalidInput));
    }

    #[test]
    fn infinite_evidence_is_evidence() {
        let logs = [Some(f64::INFINITY), None, Some(f64::NEG_INFINITY)];
        assert_eq!(e_bh(&logs, 0.05).unwrap(), [0]);
        assert_eq!(adjust_e_values(&logs).unwrap(), [Some(0.0), None, Some(1.0)]);
    }

    proptest! {
        #[test]
        fn adjusting_keeps_order_and_never_helps(ps in prop::collection::vec(0.0..=1.0f64, 0..20)) {
            let given: Vec<_> = ps.iter().copied().map(Some).collect();
            for correction in ALL {
                let adjusted: Vec<f64> = adjust(&given, correction).unwrap().into_iter().flatten().collect();
                prop_assert_eq!(adjusted.len(), ps.len());
                for i in 0..ps.len() {
                    prop_assert!(ps[i] <= adjusted[i] * (1.0 + 1e-15) && adjusted[i] <= 1.0);
                    for j in 0..ps.len() {
                        prop_assert!(ps[i] > ps[j] || adjusted[i] <= adjusted[j]);
                    }
                }
            }
        }

        #[test]
        fn holm_is_between_hochberg_and_bonferroni(ps in prop::collection::vec(0.0..=1.0f64, 1..20)) {
            let given: Vec<_> = ps.iter().copied().map(Some).collect();
            let of = |c| adjust(&given, c).unwrap().into_iter().flatten().collect::<Vec<f64>>();
            let (b, h, f) = (of(ALL[0]), of(ALL[1]), of(ALL[2]));
            for i in 0..ps.len() {
                prop_assert!(f[i] <= h[i] * (1.0 + 1e-14) && h[i] <= b[i] * (1.0 + 1e-14));
            }
        }

        #[test]
        fn adjusted_e_values_are_at_most_the_rate_where_e_bh_rejects(
            logs in prop::collection::vec(prop::option::weighted(0.9, -3.0..9.0f64), 0..20), fdr in 0.01..0.5f64
        ) {
            let adjusted = adjust_e_values(&logs).unwrap();
            prop_assert!(adjusted.iter().zip(&logs).all(|(p, e)| p.is_some() == e.is_some()));
            let found: Vec<usize> = (0..logs.len()).filter(|i| adjusted[*i].is_some_and(|p| p <= fdr)).collect();
            prop_assert_eq!(found, e_bh(&logs, fdr).unwrap());
        }

        /// More evidence for any result never removes a rejection.
        #[test]
        fn e_bh_is_monotone(
            es in prop::collection::vec(-3.0..8.0f64, 1..20), which in any::<prop::sample::Index>(), more in 0.0..5.0f64
        ) {
            let mut given: Vec<_> = es.iter().copied().map(Some).collect();
            let before = e_bh(&given, 0.1).unwrap();
            let i = which.index(es.len());
            given[i] = Some(es[i] + more);
            let after = e_bh(&given, 0.1).unwrap();
            prop_assert!(before.iter().all(|r| after.contains(r)));
        }

        /// Rejected results satisfy the threshold, and e-BH rejects at least as many as Bonferroni on 1/e.
        #[test]
        fn e_bh_is_self_consistent(es in prop::collection::vec(-3.0..8.0f64, 1..20)) {
            let given: Vec<_> = es.iter().copied().map(Some).collect();
            let rejected = e_bh(&given, 0.1).unwrap();
            let m = es.len() as f64;
            let threshold = (m / (0.1 * rejected.len().max(1) as f64)).ln();
            for (i, e) in es.iter().enumerate() {
                if rejected.contains(&i) {
                    prop_assert!(*e >= threshold - 1e-12);
                } else {
                    prop_assert!(*e < (m / 0.1).ln());
                }
            }
        }
    }
}
