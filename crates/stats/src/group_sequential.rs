//! Group sequential boundaries: a few planned looks, and an end.
//!
//! For those who commit to a plan. The error is spent as information arrives; what a look may spend depends on the share
//! of the information it has, not on how many looks there were.

use crate::power::Sides;
use crate::quadrature::Panels;
use crate::special::{normal_isf, normal_pdf, normal_sf};
use crate::{Result, Undefined, checked_alpha};

/// How much of alpha may be spent when a share t of the information is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spending {
    /// alpha t^rho, rho > 0; 2 is a middle way, 3 is close to O'Brien and Fleming.
    Power {
        /// The exponent.
        rho: f64,
    },
    /// 4 (1 - Φ(z(alpha/4) / √t)): hardly anything early.
    ObrienFleming,
    /// alpha ln(1 + (e - 1) t): almost the same boundary at every look.
    Pocock,
}

impl Spending {
    /// Total error spent at share `t` of the information, 0..=alpha; all of it from t = 1 on.
    fn spent(self, alpha: f64, t: f64) -> f64 {
        let t = t.min(1.0);
        match self {
            Spending::Power { rho } => alpha * t.powf(rho),
            Spending::ObrienFleming => 4.0 * normal_sf(normal_isf(0.25 * alpha) / t.sqrt()),
            Spending::Pocock => alpha * ((std::f64::consts::E - 1.0) * t).ln_1p(),
        }
    }
}

/// Which boundaries end the experiment in the calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// Each tail by itself: it spends its half of two, or all of one, and forgets that the other tail may have stopped
    /// the experiment. Slightly conservative with two tails.
    OneSidedPerTail,
    /// Both boundaries together, mirrored; the spending is the total of both tails.
    TwoSidedSymmetric,
}

/// Boundaries for z at each look.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Reject at look i when z (its absolute value with two sides) is at least `z[i]`; infinite when the look may spend
    /// nothing.
    pub z: Vec<f64>,
    /// The p-value of a fixed test at that boundary, of as many sides.
    pub nominal_p: Vec<f64>,
}

/// Looks closer than this share of the information are one look.
const MIN_LOOK_SPACING: f64 = 1e-6;
/// Standard deviations beyond which a density is taken as zero.
const INTEGRATION_SDS: f64 = 12.0;
/// Panel width in standard deviations of the narrower of the two steps around a look.
const PANEL_SDS: f64 = 3.0;

/// Boundaries at the `information` shares, by error spending.
///
/// `information[i]` is the share of the planned information at look i, positive and ascending by at least a millionth;
/// the last may be below 1, for an experiment under way. `alpha` is the total error of all tails. The distribution of
/// the score that has not yet crossed is carried from look to look by quadrature; bounds are good to 1e-9.
///
/// # Errors
/// `InvalidInput` when shares are not as described, `alpha` is not between 0 and 1, rho is not positive, or one side is
/// asked of the symmetric recursion; `NoUnits` without a look.
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
        // Written so that NaN fails.
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
    // The score at information t is Brownian motion; before the first look it is at 0.
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

/// Where the score of an experiment that still runs may be: position and probability, ascending.
struct ScoreDensity {
    points: Vec<(f64, f64)>,
    symmetric: bool,
}

impl ScoreDensity {
    /// Probability of being beyond `boundary` after a step of standard deviation `step`.
    fn crossing(&self, boundary: f64, step: f64) -> f64 {
        let beyond = |(y, p): &(f64, f64)| {
            let above = normal_sf((boundary - y) / step);
            p * if self.symmetric { above + normal_sf((boundary + y) / step) } else { above }
        };
        self.points.iter().map(beyond).sum()
    }

    /// The boundary at information `t` that is crossed with probability `spend`; infinite when there is nothing to
    /// spend or it is too little to represent.
    fn boundary(&self, spend: f64, t: f64, step: f64) -> f64 {
        let far = 38.0 * t.sqrt();
        let (mut low, mut high) = (if self.symmetric { 0.0 } else { -far }, far);
        if !(spend > 0.0 && self.crossing(high, step) < spend) {
            return f64::INFINITY;
        }
        // The crossing probability falls as the boundary rises; halving needs no derivative and cannot run away.
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

    /// Where the score is after the step at information `t` if it has not crossed `boundary`, on points close enough
    /// together for the `next` step.
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

    /// One look at the end is the fixed test, whatever the spending.
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

    /// The bounds that clinical textbooks print for five looks (Jennison, Turnbull 2000, table 7.6).
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

    /// A look that may spend nothing has no boundary and takes nothing from the next.
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

    /// Panels twice as fine would not tell: close looks, where the step is narrow, are as exact as distant ones.
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

        /// Everything spent adds up: crossing somewhere has probability alpha, by simulation-free recursion over a
        /// refined plan whose extra looks have the same boundary spending.
        #[test]
        fn two_sided_bounds_are_below_those_per_tail(looks in 1u32..8, alpha in 0.01..0.3f64, rho in 0.5..4.0f64) {
            let spending = Spending::Power { rho };
            let of = |recursion| bounds(&even(looks), alpha, Sides::Two, spending, recursion).unwrap().z;
            let (both, tail) = (of(Recursion::TwoSidedSymmetric), of(Recursion::OneSidedPerTail));
            for (b, t) in both.iter().zip(&tail) {
                prop_assert!(*b <= t + 1e-9, "{} {}", b, t);
            }
            // Never easier than a fixed test of the whole error.
            prop_assert!(both.iter().all(|z| *z >= normal_isf(0.5 * alpha) - 1e-9));
        }

        /// Independent check of the second look: its spending is the bivariate normal probability of staying in at the
        /// first and leaving at the second, integrated over the first score.
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
