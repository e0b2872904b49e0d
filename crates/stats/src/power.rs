//! Planning: sample size for an effect, smallest effect for a sample size, and power.
//!
//! All functions solve one relation, power = Φ(d/se - k) + Φ(-d/se - k), for one of its parts. k is the critical value
//! of the decision rule. The root x = d/se is found numerically once; sizes and effects follow in closed form.

use crate::boundary::Mixture;
use crate::quadrature::Panels;
use crate::special::{ln_gamma, normal_isf, normal_pdf, normal_ppf, normal_sf, student_t_isf};
use crate::{Result, Undefined, both, checked_alpha};

/// Number of directions in which a test rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Rejects only when the treatment is larger. To plan for a metric that should fall, negate it.
    One,
    /// Rejects in either direction.
    Two,
}

impl Sides {
    /// Number of directions: 1 or 2.
    pub fn count(self) -> f64 {
        match self {
            Sides::One => 1.0,
            Sides::Two => 2.0,
        }
    }
}

/// Times at which the test may decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Looks {
    /// Once, at the end.
    Once,
    /// At any time, repeatedly. Power is given for one check at the end, a lower bound for repeated checks.
    Any {
        /// Units of both arms at which the boundary is narrowest. `None` tunes it to the size in question.
        planned_units: Option<f64>,
    },
}

/// Decision rule of a test: its error rate, sides and checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisionRule {
    /// Total error rate, between 0 and 1.
    pub alpha: f64,
    /// Directions in which the rule rejects.
    pub sides: Sides,
    /// Times at which the rule may decide.
    pub looks: Looks,
}

impl DecisionRule {
    /// Multiplier of the standard error at which the rule rejects, with `units` in both arms together.
    ///
    /// # Errors
    /// `InvalidInput` when alpha or the planned units are out of range, `NoUnits` without units.
    pub fn critical(&self, units: f64) -> Result<f64> {
        let alpha = checked_alpha(self.alpha)?;
        match (self.looks, self.sides) {
            (Looks::Once, sides) => Ok(normal_isf(alpha / sides.count())),
            (Looks::Any { .. }, _) if units == 0.0 => Err(Undefined::NoUnits),
            (Looks::Any { planned_units }, Sides::Two) => {
                Ok(Mixture::tuned(planned_units.unwrap_or(units), alpha)?.multiplier(units))
            }
            (Looks::Any { planned_units }, Sides::One) => {
                Ok(Mixture::tuned_one_sided(planned_units.unwrap_or(units), alpha)?.multiplier_one_sided(units))
            }
        }
    }
}

/// Units of each arm. Not integers, because plans need fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Units in control.
    pub control: f64,
    /// Units in treatment.
    pub treatment: f64,
}

impl Units {
    /// Splits `total` units; the share `treatment_share` of them is in treatment.
    pub fn split(total: f64, treatment_share: f64) -> Units {
        Units { control: total * (1.0 - treatment_share), treatment: total * treatment_share }
    }

    /// Units of both arms.
    pub fn total(&self) -> f64 {
        self.control + self.treatment
    }

    fn checked(&self) -> Result<()> {
        let sound = |n: f64| n.is_finite() && n >= 0.0;
        if !sound(self.control) || !sound(self.treatment) {
            Err(Undefined::InvalidInput)
        } else if self.control == 0.0 || self.treatment == 0.0 {
            Err(Undefined::NoUnits)
        } else {
            Ok(())
        }
    }
}

/// Baseline of the metric before the experiment. The treatment is assumed to have the same standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// Mean per unit.
    pub mean: f64,
    /// Standard deviation per unit, positive.
    pub sd: f64,
}

/// Exact solution, and the textbook approximation that drops the far tail of a two-sided test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved<T> {
    /// Solution of the full relation.
    pub exact: T,
    /// Solution of x = k + z(power), never smaller than the exact one.
    pub approximate: T,
}

impl<T> Solved<T> {
    fn map<U>(self, f: impl Fn(T) -> U) -> Solved<U> {
        Solved { exact: f(self.exact), approximate: f(self.approximate) }
    }
}

/// Rounds up to a whole number of units. A rounding error above a whole number does not add a unit.
pub fn whole_units(units: f64) -> u64 {
    (units * (1.0 - 1e-12)).ceil() as u64
}

/// Whole days until `units` have arrived at `units_per_day`.
///
/// # Errors
/// `InvalidInput` when a number is negative or not finite, `Unbounded` when `units_per_day` is 0.
pub fn days(units: f64, units_per_day: f64) -> Result<u64> {
    if !(units >= 0.0 && units.is_finite() && units_per_day >= 0.0 && units_per_day.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    if units_per_day == 0.0 { Err(Undefined::Unbounded) } else { Ok(whole_units(units / units_per_day)) }
}

fn positive_sd(sd: f64) -> Result<f64> {
    if !sd.is_finite() || sd < 0.0 {
        Err(Undefined::InvalidInput)
    } else if sd == 0.0 {
        Err(Undefined::ZeroVariance)
    } else {
        Ok(sd)
    }
}

fn finite(x: f64) -> Result<f64> {
    if x.is_finite() { Ok(x) } else { Err(Undefined::InvalidInput) }
}

/// The critical value with these units, after checking both.
fn critical(units: &Units, rule: &DecisionRule) -> Result<f64> {
    checked_alpha(rule.alpha)?;
    units.checked()?;
    rule.critical(units.total())
}

/// Power when the effect is `shift` standard errors and the rule rejects at `critical`.
fn power_at(shift: f64, critical: f64, sides: Sides) -> f64 {
    match sides {
        Sides::One => normal_sf(critical - shift),
        Sides::Two => normal_sf(critical - shift) + normal_sf(critical + shift),
    }
}

/// Effect in standard errors that is found with probability `target`.
///
/// `InvalidInput` when the target is not between alpha and 1: at or below alpha no units are needed.
fn required_shift(rule: &DecisionRule, critical: f64, target: f64) -> Result<Solved<f64>> {
    // The negated condition also rejects NaN.
    if !(target > rule.alpha && target < 1.0) {
        return Err(Undefined::InvalidInput);
    }
    let approximate = critical + normal_ppf(target);
    if rule.sides == Sides::One {
        return Ok(Solved { exact: approximate, approximate });
    }
    // The far tail only adds power, so the root is below the approximation, and Newton's steps from there are short.
    // When the approximation is not positive, bisection within the bracket is used.
    let (mut low, mut high) = (0.0, approximate.max(1.0) + 1.0);
    let mut x = approximate.max(0.5);
    for _ in 0..200 {
        let off = power_at(x, critical, Sides::Two) - target;
        if off > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let slope = normal_pdf(critical - x) - normal_pdf(critical + x);
        let newton = x - off / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let step = (next - x).abs();
        x = next;
        if step <= 2.0 * f64::EPSILON * x {
            break;
        }
    }
    Ok(Solved { exact: x, approximate })
}

/// Standard error of a difference of means, from the variances of one unit of control and of one unit of treatment.
fn std_error(control: f64, treatment: f64, units: &Units) -> f64 {
    (control / units.control + treatment / units.treatment).sqrt()
}

/// Power to find a `difference` between two means, with standard deviation `sd` per unit in both arms.
///
/// # Errors
/// `InvalidInput`, `NoUnits`, and `ZeroVariance` when `sd` is zero.
///
/// # Source
/// The normal approximation; vectors `power`, `power_mean` (statsmodels).
pub fn power_of_mean(difference: f64, sd: f64, units: &Units, rule: &DecisionRule) -> Result<f64> {
    let difference = finite(difference)?;
    let (sd, critical) = both(positive_sd(sd), critical(units, rule))?;
    Ok(power_at(difference / std_error(sd * sd, sd * sd, units), critical, rule.sides))
}

/// Power of Student's t test with equal variances, for arms too small for the normal approximation.
///
/// `alpha` is the total error. The noncentral t distribution is integrated over the sampling distribution of the
/// standard deviation.
///
/// # Errors
/// `InvalidInput`, `NoUnits`, `TooFewUnits` when there is no degree of freedom, `ZeroVariance` when `sd` is zero.
///
/// # Source
/// Vectors `power`, `power_mean_t` (statsmodels, SciPy).
pub fn power_of_mean_t(difference: f64, sd: f64, units: &Units, alpha: f64, sides: Sides) -> Result<f64> {
    let alpha = checked_alpha(alpha)?;
    let difference = finite(difference)?;
    if !(sd >= 0.0 && sd.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    units.checked()?;
    let df = units.total() - 2.0;
    if df <= 0.0 {
        return Err(Undefined::TooFewUnits);
    }
    let sd = positive_sd(sd)?;
    let shift = difference / std_error(sd * sd, sd * sd, units);
    let critical = student_t_isf(alpha / sides.count(), df);
    // S is the estimated over the true standard deviation, √(χ²/df). Given S the test is normal.
    let half = 10.0 / df.sqrt();
    let (low, high) = ((1.0 - half).max(0.0), 1.0 + half);
    let mut breaks: Vec<f64> = (0..=40).map(|i| low + (high - low) * f64::from(i) / 40.0).collect();
    // The normal tails change within a few 1/critical around shift/critical; panels follow them.
    let turns = [shift, -shift].into_iter().flat_map(|s| (-9..=9).map(move |j| s + f64::from(j)));
    breaks.extend(turns.map(|x| x / critical).filter(|x| (low..=high).contains(x)));
    let ln_scale = std::f64::consts::LN_2 + 0.5 * df * (0.5 * df).ln() - ln_gamma(0.5 * df);
    let power = Panels::between(breaks).points.into_iter().map(|(s, weight)| {
        // In logarithms around s = 1, where the large terms are cancelled algebraically.
        let ln_density = ln_scale - 0.5 * df + (df - 1.0) * s.ln() - 0.5 * df * (s * s - 1.0);
        weight * ln_density.exp() * power_at(shift, critical * s, sides)
    });
    Ok(power.sum::<f64>().min(1.0))
}

/// Variance that the test of two proportions uses under the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullVariance {
    /// p (1 - p) of each arm, as in the tests of this crate.
    Unpooled,
    /// Variance of the pooled share in both arms, as in the textbook z test.
    Pooled,
}

fn share(p: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&p) { Ok(p) } else { Err(Undefined::InvalidInput) }
}

/// Power to find the difference between the shares `control` and `treatment`.
///
/// # Errors
/// `InvalidInput`, `NoUnits`, and `ZeroVariance` when neither share varies.
///
/// # Source
/// Vectors `power`, `power_proportion` (statsmodels).
pub fn power_of_proportion(
    control: f64,
    treatment: f64,
    units: &Units,
    rule: &DecisionRule,
    null: NullVariance,
) -> Result<f64> {
    let (c, t) = (share(control)?, share(treatment)?);
    let critical = critical(units, rule)?;
    let se = std_error(c * (1.0 - c), t * (1.0 - t), units);
    if se == 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    let null_se = match null {
        NullVariance::Unpooled => se,
        NullVariance::Pooled => {
            let p = (c * units.control + t * units.treatment) / units.total();
            std_error(p * (1.0 - p), p * (1.0 - p), units)
        }
    };
    Ok(power_at((t - c) / se, critical * (null_se / se), rule.sides))
}

/// Standard error of a lift, delta method: √((s/m)² (1/n_t + (m_t/m_c)²/n_c)).
fn lift_std_error(baseline: &Baseline, lift: f64, units: &Units) -> Result<f64> {
    let (mean, lift) = (finite(baseline.mean)?, finite(lift)?);
    let nonzero = if mean == 0.0 { Err(Undefined::ZeroBaseline) } else { Ok(mean.abs()) };
    let (size, sd) = both(nonzero, positive_sd(baseline.sd))?;
    let variation = sd / size;
    let growth = 1.0 + lift * mean.signum();
    Ok(variation * std_error(growth * growth, 1.0, units))
}

/// Power to find a `lift`, a fraction of the absolute baseline mean.
///
/// # Errors
/// `InvalidInput`, `NoUnits`, `ZeroBaseline` when the mean is zero, `ZeroVariance` when the deviation is zero.
///
/// # Source
/// Vectors `power`, `power_lift` and `power_lift_sequential`.
pub fn power_of_lift(baseline: &Baseline, lift: f64, units: &Units, rule: &DecisionRule) -> Result<f64> {
    let (std_error, critical) = both(lift_std_error(baseline, lift, units), critical(units, rule))?;
    Ok(power_at(lift / std_error, critical, rule.sides))
}

/// Smallest difference of means found with probability `target`, positive.
///
/// # Errors
/// `InvalidInput`, which includes a target that is not between alpha and 1, `NoUnits`, `ZeroVariance`.
///
/// # Source
/// Vectors `power`, `mde_mean` (statsmodels).
pub fn mde_of_mean(sd: f64, units: &Units, rule: &DecisionRule, target: f64) -> Result<Solved<f64>> {
    let shift = critical(units, rule).and_then(|critical| required_shift(rule, critical, target));
    let (sd, shift) = both(positive_sd(sd), shift)?;
    Ok(shift.map(|x| x * std_error(sd * sd, sd * sd, units)))
}

/// Smallest rise of a share found with probability `target`, positive: the root of d = x se(d), where the variance of
/// the treatment depends on its share.
///
/// # Errors
/// `InvalidInput`, which includes a target that is not between alpha and 1, `NoUnits`; `Unbounded` when even a share of
/// 1 would not be found.
pub fn mde_of_proportion(control: f64, units: &Units, rule: &DecisionRule, target: f64) -> Result<Solved<f64>> {
    let p = share(control)?;
    let shift = required_shift(rule, critical(units, rule)?, target)?;
    let solved = shift.map(|x| {
        let (c, t) = (x * x / units.control, x * x / units.treatment);
        // (1 + t) d² - t (1 - 2p) d - p (1 - p) (c + t) = 0.
        let linear = t * (1.0 - 2.0 * p);
        (linear + (linear * linear + 4.0 * (1.0 + t) * p * (1.0 - p) * (c + t)).sqrt()) / (2.0 * (1.0 + t))
    });
    if solved.exact <= 0.0 || solved.exact > 1.0 - p { Err(Undefined::Unbounded) } else { Ok(solved) }
}

/// Smallest positive lift found with probability `target`, by the closed root of lift = x se(lift).
///
/// With a = x² s² / (n_c m²) and b = x² s² / (n_t m²) it solves (1 - a) l² - 2 a l - (a + b) = 0. For equal arms the
/// root is (1 + √(1 - (1 - a)²)) / (1 - a) - 1. The standard error of a lift grows with the lift, so below some sample
/// size no lift is large enough. For a negative mean the middle term has the opposite sign. x ignores the far tail.
///
/// # Errors
/// `InvalidInput`, which includes a target that is not between alpha and 1, `NoUnits`, `ZeroBaseline`, `ZeroVariance`,
/// and `Unbounded` when no lift reaches the target.
///
/// # Source
/// Vectors `power`, `mde_lift`.
pub fn mde_of_lift(baseline: &Baseline, units: &Units, rule: &DecisionRule, target: f64) -> Result<f64> {
    let shift = critical(units, rule).and_then(|critical| required_shift(rule, critical, target));
    let (_, shift) = both(lift_std_error(baseline, 0.0, units), shift)?;
    let x = shift.approximate;
    let q = (x * baseline.sd / baseline.mean).powi(2);
    let (a, b) = (q / units.control, q / units.treatment);
    let square = a * a + (1.0 - a) * (a + b);
    if square < 0.0 {
        return Err(Undefined::Unbounded);
    }
    let lift = if baseline.mean > 0.0 {
        if a >= 1.0 {
            return Err(Undefined::Unbounded);
        }
        (a + square.sqrt()) / (1.0 - a)
    } else {
        (a + b) / (a + square.sqrt())
    };
    if lift.is_finite() { Ok(lift) } else { Err(Undefined::Unbounded) }
}

/// Units at which a difference is found, given the variance of one unit of each arm.
///
/// With `treatment_share` s the squared standard error is (v_c/(1 - s) + v_t/s)/N.
fn size(
    difference: f64,
    control: f64,
    treatment: f64,
    treatment_share: f64,
    rule: &DecisionRule,
    target: f64,
) -> Result<Solved<Units>> {
    let s = treatment_share;
    if !(s > 0.0 && s < 1.0) {
        return Err(Undefined::InvalidInput);
    }
    let variance = control / (1.0 - s) + treatment / s;
    let shift_at = |total: f64| required_shift(rule, rule.critical(total)?, target);
    // When the critical value does not depend on the size, or the boundary is tuned to it, one root is enough.
    let at_one = shift_at(1.0)?;
    if variance == 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    // A one-sided rule never finds a fall.
    if difference == 0.0 || (rule.sides == Sides::One && difference < 0.0) {
        return Err(Undefined::Unbounded);
    }
    let needed = |x: f64| x * x * (variance / (difference * difference));
    let totals = match rule.looks {
        Looks::Once | Looks::Any { planned_units: None } => at_one.map(needed),
        // The boundary falls more slowly than the standard error, so N - needed(x(N)) rises through zero exactly once.
        Looks::Any { planned_units: Some(_) } => Solved {
            exact: crossing(|n| Ok(needed(shift_at(n)?.exact)))?,
            approximate: crossing(|n| Ok(needed(shift_at(n)?.approximate)))?,
        },
    };
    if totals.exact.is_finite() { Ok(totals.map(|n| Units::split(n, s))) } else { Err(Undefined::Unbounded) }
}

/// The n at which `needed(n)` = n.
fn crossing(needed: impl Fn(f64) -> Result<f64>) -> Result<f64> {
    let (mut low, mut high) = (1.0, 2.0);
    while needed(high)? > high {
        (low, high) = (high, high * 2.0);
        if !high.is_finite() {
            return Err(Undefined::Unbounded);
        }
    }
    while low > 1e-9 && needed(low)? < low {
        (low, high) = (low * 0.5, low);
    }
    while high - low > 1e-12 * high {
        let middle = 0.5 * (low + high);
        if needed(middle)? > middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

/// Units at which the `difference` of two means is found with probability `target`.
///
/// The smallest such size, split by `treatment_share`. [`whole_units`] rounds it.
///
/// # Errors
/// `InvalidInput`, which includes a target that is not between alpha and 1, `ZeroVariance`, `Unbounded` when the
/// difference is zero, or negative with a one-sided rule.
///
/// # Source
/// Vectors `power`, `sample_size_mean` (statsmodels) and `sample_size_total_mean` (spotify-confidence).
pub fn units_for_mean(
    difference: f64,
    sd: f64,
    treatment_share: f64,
    rule: &DecisionRule,
    target: f64,
) -> Result<Solved<Units>> {
    let difference = finite(difference)?;
    if !(sd >= 0.0 && sd.is_finite()) {
        return Err(Undefined::InvalidInput);
    }
    size(difference, sd * sd, sd * sd, treatment_share, rule, target)
}

/// Variance of the treatment in a plan for proportions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreatmentVariance {
    /// Variance of the treatment's own share, as in the test.
    Own,
    /// Variance of the control's share, as in some calculators.
    OfControl,
}

/// Units at which a rise of the share `control` by `difference` is found with probability `target`.
///
/// # Errors
/// As [`units_for_mean`]; `InvalidInput` also when the treatment's share would leave 0..=1.
///
/// # Source
/// Vectors `power`, `sample_size_total_proportion` (spotify-confidence).
pub fn units_for_proportion(
    control: f64,
    difference: f64,
    variance: TreatmentVariance,
    treatment_share: f64,
    rule: &DecisionRule,
    target: f64,
) -> Result<Solved<Units>> {
    let (c, t) = (share(control)?, share(control + difference)?);
    let of_treatment = match variance {
        TreatmentVariance::Own => t * (1.0 - t),
        TreatmentVariance::OfControl => c * (1.0 - c),
    };
    size(difference, c * (1.0 - c), of_treatment, treatment_share, rule, target)
}

/// Units at which a `lift`, a fraction of the absolute baseline mean, is found with probability `target`.
///
/// # Errors
/// As [`units_for_mean`], and `ZeroBaseline` when the mean is zero.
///
/// # Source
/// Closed form of the module's relation, with the delta method's variance of the lift.
pub fn units_for_lift(
    baseline: &Baseline,
    lift: f64,
    treatment_share: f64,
    rule: &DecisionRule,
    target: f64,
) -> Result<Solved<Units>> {
    // Called only to check the arguments, with one unit in each arm.
    lift_std_error(baseline, lift, &Units { control: 1.0, treatment: 1.0 })?;
    let variation = (baseline.sd / baseline.mean).powi(2);
    let growth = 1.0 + lift * baseline.mean.signum();
    size(lift, variation * growth * growth, variation, treatment_share, rule, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fixed(alpha: f64) -> DecisionRule {
        DecisionRule { alpha, sides: Sides::Two, looks: Looks::Once }
    }

    fn any_look(planned_units: Option<f64>) -> DecisionRule {
        DecisionRule { alpha: 0.05, sides: Sides::Two, looks: Looks::Any { planned_units } }
    }

    const ARMS: Units = Units { control: 900.0, treatment: 1_100.0 };

    #[test]
    fn impossible_plans_name_what_they_lack() {
        let none = Units { control: 0.0, treatment: 10.0 };
        assert_eq!(power_of_mean(1.0, 1.0, &none, &fixed(0.05)), Err(Undefined::NoUnits));
        assert_eq!(power_of_mean(1.0, 0.0, &ARMS, &fixed(0.05)), Err(Undefined::ZeroVariance));
        assert_eq!(power_of_mean(1.0, -1.0, &ARMS, &fixed(0.05)), Err(Undefined::InvalidInput));
        assert_eq!(power_of_mean(1.0, 1.0, &ARMS, &fixed(1.5)), Err(Undefined::InvalidInput));
        assert_eq!(
            power_of_proportion(0.1, 1.2, &ARMS, &fixed(0.05), NullVariance::Pooled),
            Err(Undefined::InvalidInput)
        );
        assert_eq!(mde_of_mean(1.0, &ARMS, &fixed(0.05), 0.05), Err(Undefined::InvalidInput));
        assert_eq!(units_for_mean(0.0, 1.0, 0.5, &fixed(0.05), 0.8), Err(Undefined::Unbounded));
        let one = DecisionRule { sides: Sides::One, ..fixed(0.05) };
        assert_eq!(units_for_mean(-1.0, 1.0, 0.5, &one, 0.8), Err(Undefined::Unbounded));
        let zero = Baseline { mean: 0.0, sd: 1.0 };
        assert_eq!(mde_of_lift(&zero, &ARMS, &fixed(0.05), 0.8), Err(Undefined::ZeroBaseline));
        let pair = Units { control: 1.0, treatment: 1.0 };
        assert_eq!(power_of_mean_t(1.0, 1.0, &pair, 0.05, Sides::Two), Err(Undefined::TooFewUnits));
        assert_eq!(days(100.0, 0.0), Err(Undefined::Unbounded));
        assert_eq!(days(100.0, 30.0), Ok(4));
        assert_eq!(days(90.0, 30.0), Ok(3));
    }

    #[test]
    fn some_lifts_are_never_found() {
        let rare = Baseline { mean: 0.01, sd: 1.0 };
        let few = Units { control: 500.0, treatment: 500.0 };
        assert_eq!(mde_of_lift(&rare, &few, &fixed(0.05), 0.8), Err(Undefined::Unbounded));
        let few = Units { control: 3.0, treatment: 3.0 };
        assert_eq!(mde_of_proportion(0.5, &few, &fixed(0.05), 0.8), Err(Undefined::Unbounded));
    }

    /// With many degrees of freedom the t test has the power of the normal approximation.
    #[test]
    fn student_becomes_normal() {
        let many = Units { control: 2e6, treatment: 1e6 };
        let t = power_of_mean_t(0.004, 1.0, &many, 0.05, Sides::Two).unwrap();
        let z = power_of_mean(0.004, 1.0, &many, &fixed(0.05)).unwrap();
        assert!((t - z).abs() < 1e-6, "{t} {z}");
    }

    /// Without an effect a test rejects at its level, at any size and with any sides.
    #[test]
    fn no_effect_is_found_as_often_as_alpha() {
        for n in [2.0, 3.0, 10.0, 1e4] {
            for sides in [Sides::One, Sides::Two] {
                for alpha in [0.001, 0.05, 0.4] {
                    let units = Units { control: n, treatment: n };
                    let got = power_of_mean_t(0.0, 1.0, &units, alpha, sides).unwrap();
                    assert!((got - alpha).abs() < 1e-9, "{n} {sides:?} {alpha} {got}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn size_effect_and_power_agree(
            alpha in 0.001..0.3f64, gain in 0.01..0.99f64, sd in 0.1..50.0f64, d in 0.01..5.0f64, s in 0.05..0.95f64
        ) {
            let target = alpha + (0.999 - alpha) * gain;
            for rule in [fixed(alpha), DecisionRule { sides: Sides::One, ..fixed(alpha) }, DecisionRule { alpha, ..any_look(None) }] {
                let units = units_for_mean(d, sd, s, &rule, target).unwrap();
                let power = power_of_mean(d, sd, &units.exact, &rule).unwrap();
                prop_assert!((power - target).abs() < 1e-9, "{:?} {} {}", rule, power, target);
                let mde = mde_of_mean(sd, &units.exact, &rule, target).unwrap();
                prop_assert!((mde.exact / d - 1.0).abs() < 1e-9);
                prop_assert!(units.approximate.total() >= units.exact.total() * (1.0 - 1e-9));
            }
        }

        #[test]
        fn a_plan_made_for_another_size_is_solved_too(planned in 100.0..1e6f64, d in 0.05..0.5f64) {
            let rule = any_look(Some(planned));
            let units = units_for_mean(d, 1.0, 0.5, &rule, 0.8).unwrap().exact;
            prop_assert!((power_of_mean(d, 1.0, &units, &rule).unwrap() - 0.8).abs() < 1e-6);
            let own = units_for_mean(d, 1.0, 0.5, &any_look(None), 0.8).unwrap().exact;
            prop_assert!(own.total() <= units.total() * (1.0 + 1e-3));
        }

        #[test]
        fn lifts_and_proportions_solve_their_relation(
            mean in prop_oneof![0.5..5.0f64, -5.0..-0.5f64], sd in 0.1..5.0f64, n in 500.0..1e6f64, s in 0.1..0.9f64, p in 0.01..0.9f64
        ) {
            let units = Units::split(n, s);
            let rule = DecisionRule { sides: Sides::One, ..fixed(0.05) };
            let baseline = Baseline { mean, sd };
            if let Ok(lift) = mde_of_lift(&baseline, &units, &rule, 0.8) {
                prop_assert!((power_of_lift(&baseline, lift, &units, &rule).unwrap() - 0.8).abs() < 1e-9);
                let back = units_for_lift(&baseline, lift, s, &rule, 0.8).unwrap().exact;
                prop_assert!((back.total() / n - 1.0).abs() < 1e-9);
            }
            if let Ok(rise) = mde_of_proportion(p, &units, &rule, 0.8) {
                let power = power_of_proportion(p, p + rise.exact, &units, &rule, NullVariance::Unpooled).unwrap();
                prop_assert!((power - 0.8).abs() < 1e-9, "{}", power);
                let own = TreatmentVariance::Own;
                let back = units_for_proportion(p, rise.exact, own, s, &rule, 0.8).unwrap().exact;
                prop_assert!((back.total() / n - 1.0).abs() < 1e-9);
            }
        }

        #[test]
        fn peeking_costs_power(n in 100.0..1e6f64, d in 0.0..0.2f64) {
            let units = Units::split(n, 0.5);
            let once = power_of_mean(d, 1.0, &units, &fixed(0.05)).unwrap();
            let any = power_of_mean(d, 1.0, &units, &any_look(Some(1e4))).unwrap();
            prop_assert!(any <= once);
        }
    }
}
