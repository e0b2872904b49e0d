//! Many comparisons at once.

use muriel_stats::multiplicity::{Correction, adjust};

/// P-values that stay valid when the smallest of a few comparisons is picked:
/// Holm's, in the order given. Always-valid p-values stay so.
pub(crate) fn of_arms(p_values: &[Option<f64>]) -> Vec<Option<f64>> {
    adjust(p_values, Correction::Holm).unwrap_or_else(|_| vec![None; p_values.len()])
}

/// P-values of a family in which the share of false discoveries is bounded, by
/// e-BH: at most `alpha` exactly where the comparison is a discovery at `alpha`.
/// Holds under any dependence, and at any time.
pub(crate) fn of_discoveries(log_e_values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<usize> = (0..log_e_values.len()).filter(|at| log_e_values[*at].is_some()).collect();
    order.sort_by(|a, b| log_e_values[*b].partial_cmp(&log_e_values[*a]).unwrap_or(std::cmp::Ordering::Equal));
    let of_all = order.len() as f64;
    let mut adjusted = vec![None; log_e_values.len()];
    let mut least = f64::INFINITY;
    for (rank, at) in order.iter().enumerate().rev() {
        let log_e = log_e_values[*at].unwrap_or(f64::NEG_INFINITY);
        let bound = (of_all / (rank as f64 + 1.0)).ln() - log_e;
        least = least.min(bound.exp()).min(1.0);
        adjusted[*at] = Some(least);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn discoveries_are_those_of_e_bh(
            logs in prop::collection::vec(prop::option::weighted(0.9, -3.0..9.0f64), 0..20),
            alpha in 0.01..0.5f64,
        ) {
            let adjusted = of_discoveries(&logs);
            let found: Vec<usize> = (0..logs.len()).filter(|at| adjusted[*at].is_some_and(|p| p <= alpha)).collect();
            let mut expect = muriel_stats::multiplicity::e_bh(&logs, alpha).unwrap();
            expect.sort_unstable();
            prop_assert_eq!(found, expect);
        }
    }
}
