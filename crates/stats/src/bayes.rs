//! Bayesian inference on an effect: chance to win and expected loss of a wrong choice.
//!
//! The results are not valid under repeated checks. With a flat prior, stopping at the first "97.5 % sure" errs as
//! often as stopping at the first p < 0.05. Show these numbers, and decide by [`crate::boundary`].

use crate::interval::Proportion;
use crate::special::{beta_tails, beta_weight, normal_cdf, normal_isf, normal_loss};
use crate::{Effect, Interval, Result, Undefined, checked_alpha};

/// Prior belief about the lift, before the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// Flat prior: no information about the lift.
    Flat,
    /// A normal distribution of the lift, as a fraction of the control level: sd 0.1 is ten per cent.
    Normal {
        /// Mean of the lift.
        mean: f64,
        /// Standard deviation of the lift, above zero.
        sd: f64,
    },
}

/// Posterior of the effect: a normal distribution and the decision numbers derived from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posterior {
    /// Mean of the effect.
    pub mean: f64,
    /// Standard deviation of the effect.
    pub sd: f64,
    /// Equal-tailed interval with probability 1 - alpha.
    pub interval: Interval,
    /// Chance that the treatment is better than control.
    pub chance_to_win: f64,
    /// Expected loss from choosing control, in units of the effect.
    pub expected_loss_control: f64,
    /// Expected loss from choosing the treatment, in units of the effect.
    pub expected_loss_treatment: f64,
}

impl Posterior {
    /// Converts the posterior of the difference to one of the lift: divides everything by the absolute control level.
    ///
    /// # Errors
    /// `ZeroBaseline` when the control level is zero.
    pub fn in_lift_units(&self, effect: &Effect) -> Result<Posterior> {
        if effect.den == 0.0 {
            return Err(Undefined::ZeroBaseline);
        }
        let scale = effect.den.abs();
        Ok(Posterior {
            mean: self.mean / scale,
            sd: self.sd / scale,
            interval: Interval { lower: self.interval.lower / scale, upper: self.interval.upper / scale },
            chance_to_win: self.chance_to_win,
            expected_loss_control: self.expected_loss_control / scale,
            expected_loss_treatment: self.expected_loss_treatment / scale,
        })
    }
}

/// Posterior of the difference. The prior on the lift is scaled by the absolute control level.
///
/// `lower_is_better` swaps winning and losing; the effect itself keeps its sign.
///
/// # Errors
/// `InvalidInput` when `alpha` is outside (0, 1), or the prior's mean is not finite or its sd not positive;
/// `ZeroBaseline` when a prior on the lift is given and the control level is zero; `ZeroVariance`.
pub fn posterior(effect: &Effect, prior: &Prior, alpha: f64, lower_is_better: bool) -> Result<Posterior> {
    let alpha = checked_alpha(alpha)?;
    let (mean, sd) = match *prior {
        Prior::Flat => (effect.num, effect.std_error()?),
        Prior::Normal { mean, sd } => {
            if !(mean.is_finite() && sd > 0.0 && sd.is_finite()) {
                return Err(Undefined::InvalidInput);
            }
            effect.lift()?;
            let std_error = effect.std_error()?;
            let scale = effect.den.abs();
            // Weights of prior and data from the ratio of their standard deviations, because a precision may overflow.
            let ratio = std_error / (sd * scale);
            let of_prior = ratio * ratio / (1.0 + ratio * ratio);
            let of_data = 1.0 / (1.0 + ratio * ratio);
            if ratio < 1e100 {
                (of_data * effect.num + of_prior * mean * scale, std_error * of_data.sqrt())
            } else {
                (mean * scale, sd * scale)
            }
        }
    };
    let width = normal_isf(0.5 * alpha) * sd;
    let score = mean / sd;
    // Only the smaller loss is computed from the tail. The larger one exceeds it by the mean.
    let small = sd * normal_loss(score.abs());
    let large = small + mean.abs();
    let (if_lower, if_higher) = if mean >= 0.0 { (small, large) } else { (large, small) };
    let (treatment, control, win) = if lower_is_better {
        (if_higher, if_lower, normal_cdf(-score))
    } else {
        (if_lower, if_higher, normal_cdf(score))
    };
    Ok(Posterior {
        mean,
        sd,
        interval: Interval { lower: mean - width, upper: mean + width },
        chance_to_win: win,
        expected_loss_control: control,
        expected_loss_treatment: treatment,
    })
}

/// Posterior of the lift with a delta method likelihood, for comparison with tools that work on this scale.
///
/// # Errors
/// `InvalidInput`, `ZeroBaseline`, `ZeroVariance`.
pub fn posterior_relative(effect: &Effect, prior: &Prior, alpha: f64, lower_is_better: bool) -> Result<Posterior> {
    checked_alpha(alpha)?;
    posterior(&effect.relative()?, prior, alpha, lower_is_better)
}

/// Posterior comparison of two conversion rates, exact: without a normal approximation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaBinomial {
    /// Chance that the treatment converts at a higher rate.
    pub chance_to_win: f64,
    /// Expected loss from choosing control, as a rate.
    pub expected_loss_control: f64,
    /// Expected loss from choosing the treatment, as a rate.
    pub expected_loss_treatment: f64,
}

/// Posterior comparison of two conversion rates under the same Beta prior. Its parameters need not be integers.
///
/// The posterior of an arm without units is the prior. Integrates over the narrower of the two posteriors on the logit
/// scale, with a hyperbolic sine substitution under which the trapezoid rule loses no digits. The inner expectation has
/// a closed form.
///
/// # Errors
/// `InvalidInput` when more units converted than there are, or a prior parameter is not positive and finite.
pub fn beta_binomial(control: &Proportion, treatment: &Proportion, prior: (f64, f64)) -> Result<BetaBinomial> {
    let (a, b) = prior;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if control.successes > control.n || treatment.successes > treatment.n || !positive(a) || !positive(b) {
        return Err(Undefined::InvalidInput);
    }
    let posterior = |s: &Proportion| (a + s.successes as f64, b + (s.n - s.successes) as f64);
    let (c, t) = (posterior(control), posterior(treatment));
    let spread = |(a, b): (f64, f64)| (1.0 / a + 1.0 / b).sqrt();
    let swapped = spread(c) < spread(t);
    let (inner, outer) = if swapped { (t, c) } else { (c, t) };
    let over = compare(outer, inner);
    Ok(if swapped {
        BetaBinomial {
            chance_to_win: over.below,
            expected_loss_control: over.loss_of_outer,
            expected_loss_treatment: over.loss_of_inner,
        }
    } else {
        BetaBinomial {
            chance_to_win: over.above,
            expected_loss_control: over.loss_of_inner,
            expected_loss_treatment: over.loss_of_outer,
        }
    })
}

/// Comparison of two independent beta variables: the outer one is integrated over numerically, the inner one in closed
/// form.
struct Comparison {
    /// P(outer > inner).
    above: f64,
    /// P(outer < inner).
    below: f64,
    /// E max(inner - outer, 0).
    loss_of_outer: f64,
    /// E max(outer - inner, 0).
    loss_of_inner: f64,
}

fn compare(outer: (f64, f64), inner: (f64, f64)) -> Comparison {
    const STEP: f64 = 1.0 / 32.0;
    let (a, b) = inner;
    let mean = a / (a + b);
    let centre = (outer.0 / outer.1).ln();
    let scale = (1.0 / outer.0 + 1.0 / outer.1).sqrt();
    let mut total = 0.0;
    let mut sum = Comparison { above: 0.0, below: 0.0, loss_of_outer: 0.0, loss_of_inner: 0.0 };
    let mut add = |k: i32| {
        let w = f64::from(k) * STEP;
        let u = centre + scale * w.sinh();
        let e = (-u.abs()).exp();
        let (small, large) = (e / (1.0 + e), 1.0 / (1.0 + e));
        let (x, y) = if u < 0.0 { (small, large) } else { (large, small) };
        if small == 0.0 {
            return false;
        }
        let weight = beta_weight(outer.0, outer.1, x, y) * w.cosh();
        let (below, above) = beta_tails(a, b, x, y);
        let density = beta_weight(a, b, x, y) / (a + b);
        total += weight;
        sum.above += weight * below;
        sum.below += weight * above;
        // E max(X - x, 0) and E max(x - X, 0) of the inner variable, from the identity for Beta(a + 1, b).
        sum.loss_of_outer += weight * ((mean - x) * above + density).max(0.0);
        sum.loss_of_inner += weight * ((x - mean) * below + density).max(0.0);
        weight > 1e-18 * total
    };
    add(0);
    for direction in [-1, 1] {
        // Bounds the argument of the hyperbolic sine at 16, which is beyond the range that any parameter needs.
        let mut k = 1;
        while k < 512 && add(direction * k) {
            k += 1;
        }
    }
    Comparison {
        above: sum.above / total,
        below: sum.below / total,
        loss_of_outer: sum.loss_of_outer / total,
        loss_of_inner: sum.loss_of_inner / total,
    }
}
