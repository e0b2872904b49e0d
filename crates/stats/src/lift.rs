//! The lift: the difference relative to the control level.

use crate::effect::spread;
use crate::{Effect, Interval, Result, Undefined};

/// Fieller's interval of the lift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fieller {
    /// Uncertainty of the baseline: k^2 V_D / D^2. From 1 on, the data are consistent with a baseline of zero.
    pub g: f64,
    /// The interval, or `Unbounded` when `g` is at least 1.
    pub interval: Result<Interval>,
}

/// Fieller's interval: the lifts l at which num - l * den is within `k` of its standard errors.
///
/// `k` is the multiplier of the standard error that the test uses: a normal or t quantile, or that of a sequential
/// boundary. With the same `k`, the interval excludes zero exactly when |num| > k standard errors. The lift is relative
/// to the absolute baseline, so a negative baseline is reflected.
///
/// # Errors
/// `InvalidInput` when `k` is not positive and finite, `ZeroBaseline`, `ZeroVariance`.
///
/// # Source
/// Fieller, Some problems in interval estimation, JRSS B 1954.
pub fn fieller(effect: &Effect, k: f64) -> Result<Fieller> {
    if !(k > 0.0 && k.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    effect.lift()?;
    let std_error = effect.std_error()?;
    // Reflected so that the baseline is positive, and scaled so that it is 1.
    let scale = effect.den.abs();
    let num = effect.num / scale;
    let half = k * std_error / scale;
    let in_units = |variance: f64| variance / scale / scale;
    let (var_num, var_den) = (in_units(effect.var_num), in_units(effect.var_den));
    let cov = in_units(effect.cov * effect.den.signum());
    let g = k * k * var_den;
    if g >= 1.0 {
        return Ok(Fieller { g, interval: Err(Undefined::Unbounded) });
    }
    // Roots of a l^2 - 2 b l + e. The square of b in the discriminant is cancelled algebraically.
    let a = 1.0 - g;
    let b = num - k * k * cov;
    let e = (num - half) * (num + half);
    let (variance, determinant) = spread(var_num, var_den, cov, num);
    let discriminant = variance - k * k * determinant;
    let root = k * discriminant.max(0.0).sqrt();
    // The root of larger magnitude first, the other from their product. Its sign is then exactly that of e.
    let far = b + root.copysign(b);
    let (one, other) = (far / a, if far == 0.0 { 0.0 } else { e / far });
    Ok(Fieller { g, interval: Ok(Interval { lower: one.min(other), upper: one.max(other) }) })
}

/// The lift and its standard error by the delta method.
///
/// # Errors
/// `ZeroBaseline`, `ZeroVariance`.
pub fn delta_lift(effect: &Effect) -> Result<(f64, f64)> {
    let relative = effect.relative()?;
    Ok((relative.num, relative.std_error()?))
}
