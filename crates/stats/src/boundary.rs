//! Always-valid inference: one boundary for every mode of monitoring a running test.
//!
//! The boundary is Robbins' normal mixture. Its multiplier of the standard error holds at all sample sizes at once, so
//! a report may be checked, and a test stopped, at any time.

use crate::interval::{Alternative, t_test};
use crate::lift::fieller;
use crate::special::log1p_minus;
use crate::{Effect, Interval, Result, Undefined, checked_alpha};

/// A normal mixture boundary: the size at which it is narrowest, and its error rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// Mixing parameter in units. The boundary is narrowest at a few times this many units.
    pub r: f64,
    /// Probability of ever crossing the boundary when there is no effect.
    pub alpha: f64,
}

/// Approximate ratio of planned units to r at which the boundary is narrowest: -2 ln a + ln(1 - 2 ln a).
fn narrowest(alpha: f64) -> f64 {
    let l = -2.0 * alpha.ln();
    l + l.ln_1p()
}

fn positive(x: f64) -> Result<f64> {
    if x > 0.0 && x.is_finite() { Ok(x) } else { Err(Undefined::InvalidInput) }
}

impl Mixture {
    /// The two-sided boundary that is narrowest at `planned_units` of both arms. Uses a closed form whose boundary is
    /// wider than the exact one by a ten-thousandth of a standard error there.
    ///
    /// # Errors
    /// `InvalidInput` when `planned_units` is not positive or `alpha` is outside (0, 1).
    pub fn tuned(planned_units: f64, alpha: f64) -> Result<Mixture> {
        let alpha = checked_alpha(alpha)?;
        Ok(Mixture { r: positive(planned_units)? / narrowest(alpha), alpha })
    }

    /// The two-sided boundary that is narrowest at `planned_units`, solved exactly.
    ///
    /// r = planned_units / (-1 - W(-a^2 / e)) on the lower branch of the Lambert W function.
    ///
    /// # Errors
    /// As [`Mixture::tuned`].
    pub fn exact(planned_units: f64, alpha: f64) -> Result<Mixture> {
        let alpha = checked_alpha(alpha)?;
        let target = -2.0 * alpha.ln();
        // x - ln(1 + x) = target is convex and increasing, so Newton's method converges to the root from above.
        let mut x = target + (2.0 * target).sqrt();
        for _ in 0..100 {
            let step = (-log1p_minus(x) - target) * (1.0 + x) / x;
            x -= step;
            if step.abs() <= 1e-15 * x {
                break;
            }
        }
        Ok(Mixture { r: positive(planned_units)? / x, alpha })
    }

    /// The boundary of the mixture sequential probability ratio test with mixing variance tau^2 of the effect and
    /// variance `unit_variance` per unit.
    ///
    /// # Errors
    /// `InvalidInput` when a variance is not positive or `alpha` is outside (0, 1).
    ///
    /// # Source
    /// Johari, Koomen, Pekelis, Walsh, Always valid inference, Operations Research 2022.
    pub fn msprt(mixing_variance: f64, unit_variance: f64, alpha: f64) -> Result<Mixture> {
        let alpha = checked_alpha(alpha)?;
        Ok(Mixture { r: positive(positive(unit_variance)? / positive(mixing_variance)?)?, alpha })
    }

    /// The one-sided boundary that is narrowest at `planned_units`; for [`Mixture::multiplier_one_sided`].
    ///
    /// # Errors
    /// `InvalidInput` when `planned_units` is not positive or `alpha` is outside (0, 0.5).
    pub fn tuned_one_sided(planned_units: f64, alpha: f64) -> Result<Mixture> {
        let doubled = checked_alpha(2.0 * alpha)?;
        Ok(Mixture { r: positive(planned_units)? / narrowest(doubled), alpha })
    }

    /// Returns the mixture at another error rate, for multiplicity corrections. r does not change, so the interval
    /// still excludes zero exactly when `log_e` exceeds -ln alpha.
    ///
    /// # Errors
    /// `InvalidInput` when `alpha` is outside (0, 1).
    pub fn at_level(&self, alpha: f64) -> Result<Mixture> {
        Ok(Mixture { r: self.r, alpha: checked_alpha(alpha)? })
    }

    /// Two-sided multiplier of the standard error at `t` units of both arms; infinite without units.
    ///
    /// # Source
    /// Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, arXiv 2103.06476, with rho^2 = 1 / r.
    pub fn multiplier(&self, t: f64) -> f64 {
        if t <= 0.0 {
            return f64::INFINITY;
        }
        ((1.0 + self.r / t) * ((t / self.r).ln_1p() - 2.0 * self.alpha.ln())).sqrt()
    }

    /// One-sided multiplier of the standard error at `t` units of both arms; infinite without units.
    ///
    /// # Source
    /// arXiv 2103.06476, equation 134.
    pub fn multiplier_one_sided(&self, t: f64) -> f64 {
        if t <= 0.0 {
            return f64::INFINITY;
        }
        (2.0 * (1.0 + self.r / t) * ((1.0 + t / self.r).sqrt() / (2.0 * self.alpha)).ln_1p()).sqrt()
    }

    /// Natural logarithm of the e-value of `z` standard errors at `t` units. It equals the log Bayes factor against no
    /// effect under a normal prior of the difference with variance `var_num` n / r.
    pub fn log_e(&self, z: f64, t: f64) -> f64 {
        0.5 * (z * z * (t / (t + self.r)) - (t / self.r).ln_1p())
    }
}

/// P-value from the logarithm of an e-value, valid at any stopping time.
pub fn p_value(log_e: f64) -> f64 {
    (-log_e).exp().min(1.0)
}

/// Posterior probability of no effect, given even prior odds and the logarithm of the Bayes factor.
pub fn chance_of_no_effect(log_e: f64) -> f64 {
    1.0 / (1.0 + log_e.exp())
}

/// Always-valid inference about an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sequential {
    /// Standard error of the difference.
    pub std_error: f64,
    /// Multiplier of the standard error that gives half the interval's width.
    pub multiplier: f64,
    /// Interval of the difference, valid at all checks simultaneously.
    pub interval: Interval,
    /// Natural logarithm of the e-value.
    pub log_e: f64,
    /// P-value; below alpha exactly when `interval` excludes zero.
    pub p_value: f64,
    /// The lift, or why it has no value.
    pub lift: Result<f64>,
    /// Fieller's interval of the lift with the same multiplier, or why it has no value.
    pub lift_interval: Result<Interval>,
    /// Uncertainty of the baseline, as in [`crate::lift::Fieller`]; infinite when the baseline is zero.
    pub g: f64,
}

/// Always-valid inference about an effect at its `n` units.
///
/// # Errors
/// `ZeroVariance`; `InvalidInput` when the mixture was not made by one of its constructors.
pub fn sequential(effect: &Effect, mixture: &Mixture) -> Result<Sequential> {
    checked_alpha(mixture.alpha)?;
    positive(mixture.r)?;
    let std_error = effect.std_error()?;
    let multiplier = mixture.multiplier(effect.n);
    let width = multiplier * std_error;
    let log_e = mixture.log_e(effect.num / std_error, effect.n);
    let (lift, lift_interval, g) = lifts(effect, multiplier);
    Ok(Sequential {
        std_error,
        multiplier,
        interval: Interval { lower: effect.num - width, upper: effect.num + width },
        log_e,
        p_value: p_value(log_e),
        lift,
        lift_interval,
        g,
    })
}

fn lifts(effect: &Effect, multiplier: f64) -> (Result<f64>, Result<Interval>, f64) {
    match fieller(effect, multiplier) {
        Ok(f) => (effect.lift(), f.interval, f.g),
        Err(reason) => (effect.lift(), Err(reason), f64::INFINITY),
    }
}

/// Finite end of a one-sided interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundSide {
    /// Bounds the effect from below.
    Lower,
    /// Bounds the effect from above.
    Upper,
}

/// A one-sided always-valid bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneSidedBound {
    /// Standard error of the difference.
    pub std_error: f64,
    /// Multiplier of the standard error.
    pub multiplier: f64,
    /// The finite end of the interval.
    pub bound: f64,
}

/// One-sided always-valid bound of the difference, for guardrails. `mixture` comes from [`Mixture::tuned_one_sided`].
///
/// # Errors
/// `ZeroVariance`; `InvalidInput` when the mixture's alpha is not in (0, 0.5).
pub fn sequential_bound(effect: &Effect, mixture: &Mixture, side: BoundSide) -> Result<OneSidedBound> {
    checked_alpha(2.0 * mixture.alpha)?;
    positive(mixture.r)?;
    let std_error = effect.std_error()?;
    let multiplier = mixture.multiplier_one_sided(effect.n);
    let bound = match side {
        BoundSide::Lower => effect.num - multiplier * std_error,
        BoundSide::Upper => effect.num + multiplier * std_error,
    };
    Ok(OneSidedBound { std_error, multiplier, bound })
}

/// Monitoring mode of a test, chosen before it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Checked at any time; narrowest at the planned units of both arms.
    AlwaysValid {
        /// Planned units of the comparison.
        planned_units: f64,
    },
    /// Checked once, at the planned end.
    Fixed,
    /// Checked on planned days; see [`crate::boundary::decide`] for the bound.
    GroupSequential {
        /// The boundary of |z| at this check.
        z_bound: f64,
    },
    /// Half of alpha is spent on checks at any time, half on the planned end.
    Hybrid {
        /// Planned units of the comparison.
        planned_units: f64,
        /// True when the planned end has been reached.
        ended: bool,
    },
}

/// Result of a monitoring mode for an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Standard error of the difference.
    pub std_error: f64,
    /// Multiplier of the standard error that gives half the interval's width.
    pub multiplier: f64,
    /// Interval of the difference. A difference is found when the interval excludes zero.
    pub interval: Interval,
    /// P-value, below alpha exactly when a difference is found; `None` for a group sequential check.
    pub p_value: Option<f64>,
    /// Natural logarithm of the e-value; `None` for modes without one.
    pub log_e: Option<f64>,
    /// The lift, or why it has no value.
    pub lift: Result<f64>,
    /// Fieller's interval of the lift with the same multiplier, or why it has no value.
    pub lift_interval: Result<Interval>,
    /// Uncertainty of the baseline, as in [`crate::lift::Fieller`]; infinite when the baseline is zero.
    pub g: f64,
}

/// Decides about an effect by a mode, at two-sided error rate `alpha`.
///
/// A group sequential bound comes from the error spending of the plan, which is computed once for all its checks.
///
/// # Errors
/// `ZeroVariance`; `InvalidInput` when `alpha` is outside (0, 1) or a number of the mode is not positive.
pub fn decide(effect: &Effect, mode: &Mode, alpha: f64) -> Result<Decision> {
    let alpha = checked_alpha(alpha)?;
    match *mode {
        Mode::AlwaysValid { planned_units } => running(effect, &Mixture::tuned(planned_units, alpha)?, 1.0),
        Mode::Hybrid { planned_units, ended: false } => {
            running(effect, &Mixture::tuned(planned_units, 0.5 * alpha)?, 2.0)
        }
        Mode::Hybrid { planned_units, ended: true } => {
            positive(planned_units)?;
            fixed(effect, 0.5 * alpha, 2.0)
        }
        Mode::Fixed => fixed(effect, alpha, 1.0),
        Mode::GroupSequential { z_bound } => found(effect, positive(z_bound)?, None, None),
    }
}

/// The always-valid part of a mode. `times` undoes the division of alpha between the parts.
fn running(effect: &Effect, mixture: &Mixture, times: f64) -> Result<Decision> {
    let log_e = mixture.log_e(effect.z()?, effect.n);
    found(effect, mixture.multiplier(effect.n), Some((times * p_value(log_e)).min(1.0)), Some(log_e))
}

/// The fixed part of a mode, at its planned end.
fn fixed(effect: &Effect, alpha: f64, times: f64) -> Result<Decision> {
    let test = t_test(effect, alpha, Alternative::TwoSided)?;
    found(effect, test.critical, Some((times * test.p_value).min(1.0)), None)
}

fn found(effect: &Effect, multiplier: f64, p_value: Option<f64>, log_e: Option<f64>) -> Result<Decision> {
    let std_error = effect.std_error()?;
    let width = multiplier * std_error;
    let interval = Interval { lower: effect.num - width, upper: effect.num + width };
    let (lift, lift_interval, g) = lifts(effect, multiplier);
    Ok(Decision { std_error, multiplier, interval, p_value, log_e, lift, lift_interval, g })
}
