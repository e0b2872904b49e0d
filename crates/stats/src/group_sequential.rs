//! Group sequential boundaries: a few planned checks and a planned end.
//!
//! For experimenters who commit to a plan. The error is spent as information arrives. The amount that a check may spend
//! depends on its share of the planned information, not on the number of checks before it.

use crate::power::Sides;
use crate::quadrature::Panels;
use crate::special::{normal_isf, normal_pdf, normal_sf};
use crate::{Result, Undefined, checked_alpha};

/// Error spending function: the part of alpha that may be spent at information share t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spending {
    /// alpha t^rho, rho > 0. rho = 2 is a compromise, 3 is close to O'Brien and Fleming.
    Power {
        /// The exponent.
        rho: f64,
    },
    /// 4 (1 - Φ(z(alpha/4) / √t)): spends almost nothing early.
    ObrienFleming,
    /// alpha ln(1 + (e - 1) t): almost the same boundary at every check.
    Pocock,
}

impl Spending {
    /// Total error spent at information share `t`, 0..=alpha; alpha from t = 1 on.
    fn spent(self, alpha: f64, t: f64) -> f64 {
        let t = t.min(1.0);
        match self {
            Spending::Power { rho } => alpha * t.powf(rho),
            Spending::ObrienFleming => 4.0 * normal_sf(normal_isf(0.25 * alpha) / t.sqrt()),
            Spending::Pocock => alpha * ((std::f64::consts::E - 1.0) * t).ln_1p(),
        }
    }
}

/// Boundaries that stop the experiment in the calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// Each tail separately. A tail spends its half of a two-sided alpha, or all of a one-sided one, and ignores that
    /// the other tail may have stopped the experiment. Slightly conservative with two tails.
    OneSidedPerTail,
    /// Both boundaries together, symmetric. The spending is the total of both tails.
    TwoSidedSymmetric,
}

/// Boundaries for z at each check.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Rejects at check i when z (its absolute value with two sides) is at least `z[i]`; infinite when the check may
    /// spend nothing.
    pub z: Vec<f64>,
    /// Nominal p-value at that boundary: that of a fixed test with as many sides.
    pub nominal_p: Vec<f64>,
}

/// Smallest distance between two checks, as a share of the information.
const MIN_LOOK_SPACING: f64 = 1e-6;
/// Integration range of a density, in standard deviations. The probability outside is taken as zero.
const INTEGRATION_SDS: f64 = 12.0;
/// Panel width in standard deviations of the narrower of the two steps around a check.
const PANEL_SDS: f64 = 3.0;

/// Boundaries at the `information` shares, by error spending.
///
/// `information[i]` is the share of the planned information at check i, positive and ascending by at least a millionth.
/// The last may be below 1, for a running experiment. `alpha` is the total error of all tails. The distribution of the
/// score of experiments that have not yet crossed is propagated from check to check by quadrature. Bounds are accurate
/// to 1e-9.
///
/// # Errors
/// `InvalidInput` when shares are not as described, `alpha` is not between 0 and 1, rho is not positive, or one side is
/// combined with the symmetric recursion; `NoUnits` without a check.
///
/// # Source
/// Lan, DeMets, Discrete sequential boundaries for clinical trials, Biometrika 1983; Armitage, McPherson, Rowe 1969 for
/// the recursion; vectors `group_sequential` (spotify-confidence, SciPy).
pub fn bounds(
    information: &[f64],
    alpha: f64,
    sides: Sides,
    spending: Spending,
    recursion: Recursion,
) -> Result<Bounds> {
    let alpha = checked_alpha(alpha)?;
    let mut before = 0.0;
    for &t in information {
        // The negated condition also rejects NaN.
        if !(t - before >= MIN_LOOK_SPACING && t.is_finite()) {
            return Err(Undefined::InvalidInput);
        }
        before = t;
    }
    if matches!(spending, Spending::Power { rho } if !(rho > 0.0 && rho.is_finite())) {
        return Err(Undefined::InvalidInput);
    }
    let (tails, symmetric) = match (recursion, sides) {
        (Recursion::OneSidedPerTail, Sides::One) => (1.0, false),
        (Recursion::OneSidedPerTail, Sides::Two) => (2.0, false),
        (Recursion::TwoSidedSymmetric, Sides::Two) => (1.0, true),
        (Recursion::TwoSidedSymmetric, Sides::One) => return Err(Undefined::InvalidInput),
    };
    if information.is_empty() {
        return Err(Undefined::NoUnits);
    }

    let mut z = Vec::with_capacity(information.len());
    // The score at information t is Brownian motion. Before the first check it is 0.
    let mut score = ScoreDensity { points: vec![(0.0, 1.0)], symmetric };
    let (mut t_before, mut spent_before) = (0.0, 0.0);
    for (i, &t) in information.iter().enumerate() {
        let spent = spending.spent(alpha, t) / tails;
        let step = (t - t_before).sqrt();
        let boundary = score.boundary(spent - spent_before, t, step);
        z.push(boundary / t.sqrt());
        if let Some(&next) = information.get(i + 1) {
            score = score.survivors(boundary, t, step, (next - t).sqrt());
        }
        (t_before, spent_before) = (t, spent);
    }
    let nominal_p = z.iter().map(|z| sides.count() * normal_sf(*z)).map(|p| p.min(1.0)).collect();
    Ok(Bounds { z, nominal_p })
}

/// Distribution of the score of an experiment that is still running: pairs of position and probability, ascending.
struct ScoreDensity {
    points: Vec<(f64, f64)>,
    symmetric: bool,
}

impl ScoreDensity {
    /// Probability that the score is beyond `boundary` after a step of standard deviation `step`.
    fn crossing(&self, boundary: f64, step: f64) -> f64 {
        let beyond = |(y, p): &(f64, f64)| {
            let above = normal_sf((boundary - y) / step);
            p * if self.symmetric { above + normal_sf((boundary + y) / step) } else { above }
        };
        self.points.iter().map(beyond).sum()
    }

    /// The boundary at information `t` that is crossed with probability `spend`; infinite when `spend` is zero or too
    /// small to represent.
    fn boundary(&self, spend: f64, t: f64, step: f64) -> f64 {
        let far = 38.0 * t.sqrt();
        let (mut low, mut high) = (if self.symmetric { 0.0 } else { -far }, far);
        if !(spend > 0.0 && self.crossing(high, step) < spend) {
            return f64::INFINITY;
        }
        // The crossing probability falls as the boundary rises. Bisection needs no derivative and cannot diverge.
        while high - low > 1e-13 * t.sqrt() {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.crossing(middle, step) > spend {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Distribution of the score after the step at information `t`, if it has not crossed `boundary`, on points close
    /// enough together for the `next` step.
    fn survivors(&self, boundary: f64, t: f64, step: f64, next: f64) -> ScoreDensity {
        let far = INTEGRATION_SDS * t.sqrt();
        let high = boundary.min(far);
        let low = if self.symmetric { -high } else { -far };
        if low >= high {
            return ScoreDensity { points: Vec::new(), symmetric: self.symmetric };
        }
        let mut points = Panels::of_width(low, high, PANEL_SDS * step.min(next)).points;
        for (x, weight) in &mut points {
            let from = self.points.partition_point(|(y, _)| *y < *x - INTEGRATION_SDS * step);
            let near = self.points[from..].iter().take_while(|(y, _)| *y <= *x + INTEGRATION_SDS * step);
            let density: f64 = near.map(|(y, p)| p * normal_pdf((*x - y) / step)).sum();
            *weight *= density / step;
        }
        ScoreDensity { points, symmetric: self.symmetric }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn even(looks: u32) -> Vec<f64> {
        (1..=looks).map(|i| f64::from(i) / f64::from(looks)).collect()
    }

    /// A single check at the end is the fixed test, with any spending function.
    #[test]
    fn one_look_is_the_fixed_test() {
        for spending in [Spending::Power { rho: 2.0 }, Spending::ObrienFleming, Spending::Pocock] {
            for (sides, recursion, p) in [
                (Sides::Two, Recursion::TwoSidedSymmetric, 0.025),
                (Sides::Two, Recursion::OneSidedPerTail, 0.025),
                (Sides::One, Recursion::OneSidedPerTail, 0.05),
            ] {
                let got = bounds(&[1.0], 0.05, sides, spending, recursion).unwrap();
                assert!((got.z[0] - normal_isf(p)).abs() < 1e-10, "{spending:?} {got:?}");
                assert!((got.nominal_p[0] - 0.05).abs() < 1e-10);
            }
        }
    }

    /// Textbook bounds for five checks (Jennison, Turnbull 2000, table 7.6).
    #[test]
    fn five_looks_of_obrien_and_fleming() {
        let got = bounds(&even(5), 0.05, Sides::Two, Spending::ObrienFleming, Recursion::TwoSidedSymmetric).unwrap();
        for (got, want) in got.z.iter().zip([4.8769, 3.3569, 2.6803, 2.2898, 2.0310]) {
            assert!((got - want).abs() < 2e-4, "{got} {want}");
        }
    }

    #[test]
    fn impossible_plans_are_refused() {
        let of = |information: &[f64], sides, spending| {
            bounds(information, 0.05, sides, spending, Recursion::TwoSidedSymmetric).unwrap_err()
        };
        assert_eq!(of(&[], Sides::Two, Spending::Pocock), Undefined::NoUnits);
        for bad in [&[0.5, 0.5][..], &[0.6, 0.5], &[0.0, 1.0], &[-0.1], &[f64::NAN]] {
            assert_eq!(of(bad, Sides::Two, Spending::Pocock), Undefined::InvalidInput);
        }
        assert_eq!(of(&[1.0], Sides::One, Spending::Pocock), Undefined::InvalidInput);
        assert_eq!(of(&[1.0], Sides::Two, Spending::Power { rho: 0.0 }), Undefined::InvalidInput);
    }

    /// A check that may spend nothing has an infinite boundary and leaves the next one unchanged.
    #[test]
    fn a_look_without_budget_is_no_look() {
        let of = |information: &[f64]| {
            bounds(information, 0.05, Sides::Two, Spending::ObrienFleming, Recursion::TwoSidedSymmetric).unwrap()
        };
        let early = of(&[0.001, 0.5, 1.0]);
        assert_eq!((early.z[0], early.nominal_p[0]), (f64::INFINITY, 0.0));
        let without = of(&[0.5, 1.0]);
        assert!((early.z[1] - without.z[0]).abs() < 1e-9 && (early.z[2] - without.z[1]).abs() < 1e-9);
    }

    /// Closely spaced checks, where the step is narrow, are as accurate as distant ones. A comparison with a finer
    /// panel grid would not detect an error here.
    #[test]
    fn a_look_just_before_the_end_hardly_changes_it() {
        let spending = Spending::Power { rho: 2.0 };
        let of = |information: &[f64]| {
            bounds(information, 0.05, Sides::Two, spending, Recursion::TwoSidedSymmetric).unwrap().z
        };
        let (two, one) = (of(&[0.999, 1.0]), of(&[1.0]));
        assert!(two[1] > one[0] && two[1] < one[0] + 0.1, "{two:?}");
        assert!((of(&[0.999_999, 1.0])[0] - one[0]).abs() < 1e-5);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Two-sided bounds are at most those per tail, because crossing one tail excludes crossing the other.
        #[test]
        fn two_sided_bounds_are_below_those_per_tail(looks in 1u32..8, alpha in 0.01..0.3f64, rho in 0.5..4.0f64) {
            let spending = Spending::Power { rho };
            let of = |recursion| bounds(&even(looks), alpha, Sides::Two, spending, recursion).unwrap().z;
            let (both, tail) = (of(Recursion::TwoSidedSymmetric), of(Recursion::OneSidedPerTail));
            for (b, t) in both.iter().zip(&tail) {
                prop_assert!(*b <= t + 1e-9, "{} {}", b, t);
            }
            // Never easier to cross than a fixed test with the whole error.
            prop_assert!(both.iter().all(|z| *z >= normal_isf(0.5 * alpha) - 1e-9));
        }

        /// Independent verification of the second check: its spending is the bivariate normal probability of staying
        /// inside at the first check and leaving at the second, integrated over the first score.
        #[test]
        fn the_second_look_spends_its_share(first in 0.05..0.95f64, alpha in 0.01..0.3f64) {
            let got = bounds(&[first, 1.0], alpha, Sides::Two, Spending::Pocock, Recursion::TwoSidedSymmetric).unwrap();
            let (a, b) = (got.z[0], got.z[1]);
            let n = 20_000;
            let h = 2.0 * a / f64::from(n);
            let sum: f64 = (0..n).map(|i| {
                let x = -a + (f64::from(i) + 0.5) * h;
                let (m, s) = (x * first.sqrt(), (1.0 - first).sqrt());
                normal_pdf(x) * (normal_sf((b - m) / s) + normal_sf((b + m) / s)) * h
            }).sum();
            let want = alpha - 2.0 * normal_sf(a);
            prop_assert!((sum - want).abs() < 1e-7, "{} {}", sum, want);
        }
    }
}
