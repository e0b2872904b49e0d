//! Planning a comparison by relative lift: visitors needed to find a lift, smallest lift that a number of visitors
//! finds, and power.
//!
//! [`crate::power`] plans with differences between arms of known spread. Here the spread follows from facts known
//! before the start: the share of the control's visitors who convert, and the spread of their values. The model of a
//! lift is that more visitors convert, with values like the others.

use crate::boundary::Mixture;
use crate::special::{normal_ppf, normal_sf};
use crate::{Result, Undefined, checked_alpha};

/// Maximum steps of the search for the smallest lift. Each step gains at least a digit.
const MAX_STEPS: usize = 100;
/// Relative error at which sizes and lifts count as solved.
const RELATIVE_ERROR: f64 = 1e-12;
/// Smallest number of units of both arms for which a boundary is tuned.
const MIN_UNITS: f64 = 2.0;

/// Spread of the values of converted visitors: the mean of the squares over the square of the mean, at least 1. Input
/// of [`LiftPlan::with_values`].
///
/// `sum` is the sum of the values of `converted` visitors, `sum_squares` the sum of their squares. The result does not
/// depend on the unit of the values.
///
/// # Errors
/// `NoUnits` when nobody converted, `InvalidInput` when the sums are not positive and finite.
pub fn value_spread(converted: u64, sum: f64, sum_squares: f64) -> Result<f64> {
    if converted == 0 {
        return Err(Undefined::NoUnits);
    }
    if !(sum > 0.0 && sum.is_finite() && sum_squares > 0.0 && sum_squares.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    Ok((sum_squares / sum * (converted as f64 / sum)).max(1.0))
}

/// Like [`value_spread`], for values whose logarithm is normal with standard deviation `sigma`: e^(sigma^2).
pub fn log_normal_value_spread(sigma: f64) -> f64 {
    (sigma * sigma).exp()
}

/// Plan for comparing one arm with the control by an always-valid boundary.
///
/// Power is that of a single check at the end. Earlier checks only find a lift sooner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiftPlan {
    control_share: f64,
    treatment_share: f64,
    level: f64,
    value_spread: f64,
    boundary: Option<Mixture>,
}

impl LiftPlan {
    /// Creates a plan for arms with these shares of all visitors, above 0 and together at most 1. `level` is the error
    /// rate of the interval: that of the test, divided by the number of comparisons when a correction for several arms
    /// applies.
    ///
    /// # Errors
    /// `NoUnits` when an arm's share is 0, `InvalidInput` when shares or level are outside their range.
    pub fn new(control_share: f64, treatment_share: f64, level: f64) -> Result<LiftPlan> {
        let level = checked_alpha(level)?;
        // The sum of exact shares may be rounded to above 1.
        if !(control_share >= 0.0 && treatment_share >= 0.0 && control_share + treatment_share <= 1.0 + 1e-9) {
            return Err(Undefined::InvalidInput);
        }
        if control_share == 0.0 || treatment_share == 0.0 {
            return Err(Undefined::NoUnits);
        }
        Ok(LiftPlan { control_share, treatment_share, level, value_spread: 1.0, boundary: None })
    }

    /// Returns the plan for a metric of values. `value_spread` is the mean of the squared values of those who convert
    /// over the square of their mean, at least 1. It is 1 when only conversions count, and e^(sigma^2) for log-normal
    /// values.
    ///
    /// # Errors
    /// `InvalidInput` when `value_spread` is below 1 or not finite.
    pub fn with_values(self, value_spread: f64) -> Result<LiftPlan> {
        // Sums of equal values may be rounded to just below 1.
        if value_spread.is_finite() && value_spread >= 1.0 - 1e-9 {
            Ok(LiftPlan { value_spread, ..self })
        } else {
            Err(Undefined::InvalidInput)
        }
    }

    /// Returns the plan with a fixed boundary: the one of the test, which does not change after the first start. Its
    /// level may differ. Without a fixed boundary, each answer uses the one that is narrowest at its own number of
    /// visitors.
    pub fn with_boundary(self, boundary: Mixture) -> LiftPlan {
        LiftPlan { boundary: Some(Mixture { alpha: self.level, ..boundary }), ..self }
    }

    /// Fixes the boundary that is narrowest at `visitors` of all arms, unless one is already fixed.
    ///
    /// # Errors
    /// `InvalidInput` when `visitors` is not a number.
    pub fn tuned_for(self, visitors: f64) -> Result<LiftPlan> {
        match self.boundary {
            Some(_) => Ok(self),
            None => Ok(self.with_boundary(Mixture::tuned((visitors * self.compared()).max(MIN_UNITS), self.level)?)),
        }
    }

    /// Number of visitors of all arms, not rounded, that finds the lift in its direction with probability `power`.
    /// `rate` is the share of the control's visitors who convert; `lift` is relative, 0.02 for 2 %.
    ///
    /// # Errors
    /// `InvalidInput` when `rate` or `power` are not between 0 and 1, `ZeroBaseline` when `rate` is 0, `Unbounded` when
    /// no number suffices: the lift is 0, or more visitors would convert than there are.
    pub fn visitors(&self, rate: f64, lift: f64, power: f64) -> Result<f64> {
        let variance = self.variance(rate, lift)?;
        let z = normal_quantile(power)?;
        let enough = |multiplier: f64| ((multiplier + z) / (rate * lift)).powi(2) * variance;
        // A boundary that is tuned for its own size has the same multiplier at every size.
        let tuned = enough(Mixture::tuned(1.0, self.level)?.multiplier(1.0));
        let Some(boundary) = self.boundary else { return finite(tuned) };
        // Intervals only become narrower with more visitors, so bisection finds the size.
        let suffices = |visitors: f64| enough(boundary.multiplier(visitors * self.compared())) <= visitors;
        let (mut few, mut many) = (0.0, tuned);
        while many.is_finite() && !suffices(many) {
            (few, many) = (many, 2.0 * many);
        }
        while many - few > RELATIVE_ERROR * many {
            let middle = few + (many - few) / 2.0;
            if suffices(middle) { many = middle } else { few = middle }
        }
        finite(many)
    }

    /// The smallest positive lift that `visitors` of all arms find with probability `power`.
    ///
    /// # Errors
    /// As [`LiftPlan::visitors`], and `NoUnits` without visitors.
    pub fn mde(&self, rate: f64, visitors: f64, power: f64) -> Result<f64> {
        let k = self.multiplier(visitors)? + normal_quantile(power)?;
        let mut lift = 0.0;
        for _ in 0..MAX_STEPS {
            let next = k * (self.variance(rate, lift)? / visitors).sqrt() / rate;
            if (next - lift).abs() <= RELATIVE_ERROR * next {
                return Ok(next);
            }
            lift = next;
        }
        finite(lift)
    }

    /// Probability, 0 to 1, that `visitors` of all arms find the lift in its direction.
    ///
    /// # Errors
    /// As [`LiftPlan::mde`].
    pub fn power(&self, rate: f64, lift: f64, visitors: f64) -> Result<f64> {
        let z = (rate * lift).abs() / (self.variance(rate, lift)? / visitors).sqrt();
        Ok(normal_sf(self.multiplier(visitors)? - z))
    }

    /// Multiplier of the standard error at `visitors` of all arms.
    fn multiplier(&self, visitors: f64) -> Result<f64> {
        if visitors <= 0.0 {
            return Err(Undefined::NoUnits);
        }
        let tuned = self.tuned_for(visitors)?;
        let units = (visitors * self.compared()).max(1.0);
        tuned.boundary.map(|boundary| boundary.multiplier(units)).ok_or(Undefined::InvalidInput)
    }

    /// Squared standard error of the difference of the means, times the visitors of all arms, in units of the mean
    /// value of those who convert.
    fn variance(&self, rate: f64, lift: f64) -> Result<f64> {
        if !(0.0..1.0).contains(&rate) || !lift.is_finite() {
            return Err(Undefined::InvalidInput);
        }
        if rate == 0.0 {
            return Err(Undefined::ZeroBaseline);
        }
        let treated = rate * (1.0 + lift);
        if !(0.0..1.0).contains(&treated) {
            return Err(Undefined::Unbounded);
        }
        let of_arm = |rate: f64| rate * (self.value_spread - rate);
        Ok(of_arm(rate) / self.control_share + of_arm(treated) / self.treatment_share)
    }

    /// Share of all visitors who are in one of the two arms.
    fn compared(&self) -> f64 {
        self.control_share + self.treatment_share
    }
}

fn finite(number: f64) -> Result<f64> {
    if number.is_finite() { Ok(number) } else { Err(Undefined::Unbounded) }
}

fn normal_quantile(power: f64) -> Result<f64> {
    if power > 0.0 && power < 1.0 { Ok(normal_ppf(power)) } else { Err(Undefined::InvalidInput) }
}
