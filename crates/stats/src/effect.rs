//! The interface between metrics and inference: a difference, its baseline, and their variances.

use crate::{JointMoments, Result, Sample, Undefined, both};

/// Difference between treatment and control, with the baseline that turns it into a lift.
///
/// `num` estimates treatment minus control, `den` the control level. `var_num`, `var_den` and `cov` are the variances
/// of these two estimates and their covariance. Metrics of every kind are reduced to an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Treatment minus control.
    pub num: f64,
    /// The control level: mean, share, ratio or quantile.
    pub den: f64,
    /// Variance of `num`, never negative.
    pub var_num: f64,
    /// Variance of `den`, never negative.
    pub var_den: f64,
    /// Covariance of `num` and `den`.
    pub cov: f64,
    /// Units of both arms.
    pub n: f64,
    /// Welch-Satterthwaite degrees of freedom of `var_num`.
    pub df: f64,
}

/// An effect adjusted for a pre-exposure value; see [`Effect::of_adjusted`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjusted {
    /// The adjusted difference over the unadjusted baseline.
    pub effect: Effect,
    /// Regression slope on the pre-exposure value: the adjustment per unit of it; 0 when that value is constant.
    pub theta: f64,
    /// Adjusted over unadjusted variance of the difference; 1 when the unadjusted one is zero.
    pub variance_ratio: f64,
}

/// `value`, or zero when rounding of terms of total size `scale` explains it.
///
/// Used for differences of nearly equal variances: a perfect predictor must give a variance of zero, not 1e-17.
fn above_rounding(value: f64, scale: f64) -> f64 {
    if value <= 8.0 * f64::EPSILON * scale { 0.0 } else { value }
}

/// Variance of N - l D, and the determinant of the covariance matrix of N and D.
///
/// Near l = -1, where the treatment level is close to zero, N - l D is a small difference of two large terms. There
/// both results are computed from the treatment level T = N + D, for which the terms are small. A treatment of only
/// zeros then has a lift of exactly -1, without variance.
pub(crate) fn spread(var_num: f64, var_den: f64, cov: f64, l: f64) -> (f64, f64) {
    let (v, c, l) =
        if l < -0.5 { ((var_num + cov) + (cov + var_den), cov + var_den, 1.0 + l) } else { (var_num, cov, l) };
    let (middle, last) = (2.0 * l * c, l * l * var_den);
    let variance = above_rounding(v - middle + last, v + middle.abs() + last);
    (variance, above_rounding(v * var_den - c * c, v * var_den + c * c))
}

/// Welch-Satterthwaite degrees of freedom from pairs of a variance and its degrees of freedom.
///
/// Parts with zero variance do not count. When all are zero the degrees of freedom add up, as for equal variances.
pub(crate) fn welch(parts: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let largest = parts.clone().fold(0.0, |m: f64, (v, _)| m.max(v));
    if largest <= 0.0 {
        return parts.map(|(_, df)| df).sum();
    }
    // Scaled by the largest variance, so that squares of tiny variances do not underflow.
    let (mut total, mut squares) = (0.0, 0.0);
    for (v, df) in parts {
        let v = v / largest;
        if v > 0.0 {
            total += v;
            squares += v * v / df;
        }
    }
    total * total / squares
}

/// One arm's contribution: its size, its level and the variance of the level.
struct ArmEstimate {
    n: u64,
    level: f64,
    variance: f64,
}

impl Effect {
    fn of_arms(control: &ArmEstimate, treatment: &ArmEstimate) -> Result<Effect> {
        let (v_c, v_t) = (control.variance, treatment.variance);
        Effect {
            num: treatment.level - control.level,
            den: control.level,
            var_num: v_c + v_t,
            var_den: v_c,
            cov: -v_c,
            n: control.n as f64 + treatment.n as f64,
            df: welch([(v_c, control.n as f64 - 1.0), (v_t, treatment.n as f64 - 1.0)].into_iter()),
        }
        .checked()
    }

    /// Returns the effect when every number is finite and no variance is negative. Sums near the largest double may
    /// overflow.
    fn checked(self) -> Result<Effect> {
        let Effect { num, den, var_num, var_den, cov, n, df } = self;
        let finite = [num, den, var_num, var_den, cov, n].iter().all(|x| x.is_finite());
        if finite && var_num >= 0.0 && var_den >= 0.0 && df > 0.0 { Ok(self) } else { Err(Undefined::InvalidInput) }
    }

    /// Effect on a mean or a proportion, of two independent arms.
    ///
    /// # Errors
    /// `NoUnits` and `TooFewUnits` by the sizes, `InvalidInput` when a number is not finite or a variance is negative.
    pub fn of_samples(control: &Sample, treatment: &Sample) -> Result<Effect> {
        let arm = |s: &Sample| {
            if !s.mean.is_finite() || !s.variance.is_finite() || s.variance < 0.0 {
                return Err(Undefined::InvalidInput);
            }
            enough(s.n)?;
            Ok(ArmEstimate { n: s.n, level: s.mean, variance: s.var_of_mean() })
        };
        let (control, treatment) = both(arm(control), arm(treatment))?;
        Effect::of_arms(&control, &treatment)
    }

    /// Effect on a ratio of sums, `x` over `y`, by the delta method within each arm.
    ///
    /// # Errors
    /// `NoUnits`, `TooFewUnits`, `ZeroDenominator` when the `y` of an arm sum to zero, `InvalidInput` when a number is
    /// not finite.
    ///
    /// # Source
    /// Deng, Knoblich, Lu, Applying the delta method in metric analytics, KDD 2018.
    pub fn of_ratios(control: &JointMoments, treatment: &JointMoments) -> Result<Effect> {
        let arm = |m: &JointMoments| {
            finite(m)?;
            enough(m.n)?;
            let ratio = m.ratio()?;
            let (xx, xy, yy) = (m.m2_x, ratio * m.c, ratio * ratio * m.m2_y);
            let m2 = above_rounding(xx - 2.0 * xy + yy, xx + 2.0 * xy.abs() + yy);
            let n = m.n as f64;
            Ok(ArmEstimate { n: m.n, level: ratio, variance: m2 / (n - 1.0) / n / (m.mean_y * m.mean_y) })
        };
        let (control, treatment) = both(arm(control), arm(treatment))?;
        Effect::of_arms(&control, &treatment)
    }

    /// Effect on a mean, adjusted for a pre-exposure value (CUPED).
    ///
    /// `x` is the value after exposure, `y` the one before. The slope is the pooled covariance over the pooled variance
    /// of both arms together, or 0 when the earlier value is constant. The baseline stays the unadjusted control mean,
    /// so a lift is still relative to what control showed. A 0/1 metric is handled in the same way: its n - 1 variance
    /// differs from p (1 - p) by one part in n, and variance and covariance are consistent only with the same divisor.
    ///
    /// # Errors
    /// `NoUnits`, `TooFewUnits`, `InvalidInput` when a number is not finite.
    ///
    /// # Source
    /// Deng, Xu, Kohavi, Walker, Improving the sensitivity of online controlled experiments, WSDM 2013.
    pub fn of_adjusted(control: &JointMoments, treatment: &JointMoments) -> Result<Adjusted> {
        let check = |m: &JointMoments| finite(m).and_then(|()| enough(m.n));
        both(check(control), check(treatment))?;
        let pooled = control.merge(treatment);
        let theta = if pooled.m2_y > 0.0 { pooled.c / pooled.m2_y } else { 0.0 };
        let adjusted = |m: &JointMoments| {
            let (xx, xy, yy) = (m.m2_x, theta * m.c, theta * theta * m.m2_y);
            let m2 = above_rounding(xx - 2.0 * xy + yy, xx + 2.0 * xy.abs() + yy);
            m2 / (m.n as f64 - 1.0) / m.n as f64
        };
        let of_mean = |m2: f64, n: u64| m2 / (n as f64 - 1.0) / n as f64;
        let (v_c, v_t) = (adjusted(control), adjusted(treatment));
        let effect = Effect {
            num: (treatment.mean_x - control.mean_x) - theta * (treatment.mean_y - control.mean_y),
            den: control.mean_x,
            var_num: v_c + v_t,
            var_den: of_mean(control.m2_x, control.n),
            cov: -of_mean(control.m2_x - theta * control.c, control.n),
            n: control.n as f64 + treatment.n as f64,
            df: welch([(v_c, control.n as f64 - 1.0), (v_t, treatment.n as f64 - 1.0)].into_iter()),
        }
        .checked()?;
        let unadjusted = of_mean(control.m2_x, control.n) + of_mean(treatment.m2_x, treatment.n);
        let variance_ratio = if unadjusted > 0.0 { effect.var_num / unadjusted } else { 1.0 };
        Ok(Adjusted { effect, theta, variance_ratio })
    }

    /// Returns the effect with a lower bound on the variance of the difference: per-unit variance `of_all` of all units
    /// together, times (1 / `control` + 1 / `treatment`) units.
    ///
    /// A small arm with rare conversions or skewed values has a small variance exactly when its mean is small. Between
    /// arms of equal size this cancels. A small arm compared with a large one would be found worse too often.
    ///
    /// # Source
    /// tests/simulation/unequal.rs: error rates with and without the bound, at weights from 1 : 1 to 1 : 99.
    #[must_use]
    pub fn with_min_variance(self, of_all: f64, control: u64, treatment: u64) -> Effect {
        let least = of_all * (1.0 / control as f64 + 1.0 / treatment as f64);
        Effect { var_num: self.var_num.max(least), ..self }
    }

    /// Weighted mean of effects on separate units, such as the epochs of a changing allocation.
    ///
    /// Weights are not negative and of any scale; the parts must be independent. Degrees of freedom follow from
    /// Welch-Satterthwaite over the parts. The units of the parts are added.
    ///
    /// # Errors
    /// `NoUnits` when every weight is zero, `InvalidInput` when a weight is negative or not finite.
    pub fn weighted(parts: &[(f64, Effect)]) -> Result<Effect> {
        if parts.iter().any(|(w, _)| !w.is_finite() || *w < 0.0) {
            return Err(Undefined::InvalidInput);
        }
        let total: f64 = parts.iter().map(|(w, _)| w).sum();
        if total <= 0.0 {
            return Err(Undefined::NoUnits);
        }
        let mut sum = Effect { num: 0.0, den: 0.0, var_num: 0.0, var_den: 0.0, cov: 0.0, n: 0.0, df: 0.0 };
        for (w, part) in parts {
            let w = w / total;
            sum.num += w * part.num;
            sum.den += w * part.den;
            sum.var_num += w * w * part.var_num;
            sum.var_den += w * w * part.var_den;
            sum.cov += w * w * part.cov;
            sum.n += part.n;
        }
        let counted = parts.iter().filter(|(w, _)| *w > 0.0);
        sum.df = welch(counted.map(|(w, part)| ((w / total) * (w / total) * part.var_num, part.df)));
        sum.checked()
    }

    /// The lift: difference over the absolute baseline, so that it has the sign of the difference.
    ///
    /// # Errors
    /// `ZeroBaseline` when the control level is zero.
    pub fn lift(&self) -> Result<f64> {
        if self.den == 0.0 { Err(Undefined::ZeroBaseline) } else { Ok(self.num / self.den.abs()) }
    }

    /// Standard error of the difference.
    ///
    /// # Errors
    /// `ZeroVariance` when it is zero.
    pub fn std_error(&self) -> Result<f64> {
        if self.var_num > 0.0 { Ok(self.var_num.sqrt()) } else { Err(Undefined::ZeroVariance) }
    }

    /// The difference in units of its standard error.
    ///
    /// # Errors
    /// `ZeroVariance` when the standard error is zero.
    pub fn z(&self) -> Result<f64> {
        Ok(self.num / self.std_error()?)
    }

    /// The lift as an effect of its own, with the delta method's variance and a baseline of exactly 1.
    ///
    /// For comparison with tools that decide on this scale. On rare and skewed metrics it rejects too often: decide on
    /// the difference, and show the interval of [`crate::Effect::lift`].
    ///
    /// # Errors
    /// `ZeroBaseline` when the control level is zero.
    pub fn relative(&self) -> Result<Effect> {
        let lift = self.lift()?;
        let signed = self.num / self.den;
        let (variance, _) = spread(self.var_num, self.var_den, self.cov, signed);
        let var_num = variance / (self.den * self.den);
        Effect { num: lift, den: 1.0, var_num, var_den: 0.0, cov: 0.0, n: self.n, df: self.df }.checked()
    }
}

/// Checks that an arm has the two units that a variance needs.
fn enough(n: u64) -> Result<()> {
    match n {
        0 => Err(Undefined::NoUnits),
        1 => Err(Undefined::TooFewUnits),
        _ => Ok(()),
    }
}

fn finite(m: &JointMoments) -> Result<()> {
    let all = [m.mean_x, m.mean_y, m.m2_x, m.m2_y, m.c].iter().all(|x| x.is_finite());
    if all && m.m2_x >= 0.0 && m.m2_y >= 0.0 { Ok(()) } else { Err(Undefined::InvalidInput) }
}
