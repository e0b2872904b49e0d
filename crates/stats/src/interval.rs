//! Tests and intervals for a single check at a time that was fixed beforehand.

use crate::special::{beta_isf, beta_ppf, normal_isf, normal_sf, student_t_isf, student_t_sf};
use crate::{Effect, Interval, Result, Undefined, both, checked_alpha};

/// Alternative hypothesis of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// Treatment differs from control.
    TwoSided,
    /// Treatment is larger.
    Larger,
    /// Treatment is smaller.
    Smaller,
}

/// A test of "no difference" with the interval that agrees with it.
///
/// The interval excludes zero exactly when `p_value` is below alpha, up to rounding at equality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestResult {
    /// Standard error of the difference.
    pub std_error: f64,
    /// The difference in units of its standard error.
    pub statistic: f64,
    /// Degrees of freedom, infinite for a normal test.
    pub df: f64,
    /// Multiplier of the standard error: the quantile for alpha.
    pub critical: f64,
    /// Probability of a statistic at least this extreme when there is no difference.
    pub p_value: f64,
    /// Interval of the difference; one end is infinite for a one-sided alternative.
    pub interval: Interval,
}

/// Welch's t-test on an effect.
///
/// To test the lift by the delta method, pass [`Effect::relative`].
///
/// # Errors
/// `InvalidInput` when `alpha` is outside (0, 1), `ZeroVariance`.
pub fn t_test(effect: &Effect, alpha: f64, alternative: Alternative) -> Result<TestResult> {
    test(effect, alpha, alternative, effect.df)
}

/// The normal test on an effect, without the correction for estimated variances. For two proportions this is Wald's
/// test.
///
/// # Errors
/// As [`t_test`].
pub fn z_test(effect: &Effect, alpha: f64, alternative: Alternative) -> Result<TestResult> {
    test(effect, alpha, alternative, f64::INFINITY)
}

fn test(effect: &Effect, alpha: f64, alternative: Alternative, df: f64) -> Result<TestResult> {
    let alpha = checked_alpha(alpha)?;
    let std_error = effect.std_error()?;
    let statistic = effect.num / std_error;
    let tail = match alternative {
        Alternative::TwoSided => 0.5 * alpha,
        Alternative::Larger | Alternative::Smaller => alpha,
    };
    let critical = if df.is_infinite() { normal_isf(tail) } else { student_t_isf(tail, df) };
    let width = critical * std_error;
    let upper_tail = |t: f64| if df.is_infinite() { normal_sf(t) } else { student_t_sf(t, df) };
    let (below, above) = (effect.num - width, effect.num + width);
    let (p_value, lower, upper) = match alternative {
        Alternative::TwoSided => ((2.0 * upper_tail(statistic.abs())).min(1.0), below, above),
        Alternative::Larger => (upper_tail(statistic), below, f64::INFINITY),
        Alternative::Smaller => (upper_tail(-statistic), f64::NEG_INFINITY, above),
    };
    Ok(TestResult { std_error, statistic, df, critical, p_value, interval: Interval { lower, upper } })
}

/// Successes among units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proportion {
    /// Number of units.
    pub n: u64,
    /// Units that succeeded, at most `n`.
    pub successes: u64,
}

impl Proportion {
    /// The share that succeeded, or why it has no value.
    fn value(&self) -> Result<f64> {
        match self {
            Proportion { n, successes } if successes > n => Err(Undefined::InvalidInput),
            Proportion { n: 0, .. } => Err(Undefined::NoUnits),
            Proportion { n, successes } => Ok(*successes as f64 / *n as f64),
        }
    }

    /// The share that failed. Counting the failures keeps digits that 1 minus the success share would lose.
    fn rest(&self) -> f64 {
        (self.n - self.successes) as f64 / self.n as f64
    }
}

/// Test of two equal proportions with a pooled variance estimate.
///
/// It has no interval, because the pooled variance holds only where there is no difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PooledTest {
    /// Treatment share minus control share.
    pub difference: f64,
    /// Standard error of the difference when both shares are the pooled one.
    pub std_error: f64,
    /// The difference in units of its standard error.
    pub z: f64,
    /// P-value from the normal tail of `z`.
    pub p_value: f64,
}

/// Pooled z-test of two proportions, for comparison with tools that pool.
///
/// # Errors
/// `InvalidInput` when there are more successes than units, `NoUnits` when an arm is empty, `ZeroVariance` when all or
/// none succeeded in both arms.
pub fn pooled_z_test(control: &Proportion, treatment: &Proportion, alternative: Alternative) -> Result<PooledTest> {
    let (p_c, p_t) = both(control.value(), treatment.value())?;
    let (n_c, n_t) = (control.n as f64, treatment.n as f64);
    let n = n_c + n_t;
    let successes = control.successes as f64 + treatment.successes as f64;
    let failures = (control.n - control.successes) as f64 + (treatment.n - treatment.successes) as f64;
    let std_error = (successes / n * (failures / n) * (1.0 / n_c + 1.0 / n_t)).sqrt();
    if std_error <= 0.0 {
        return Err(Undefined::ZeroVariance);
    }
    let difference = p_t - p_c;
    let z = difference / std_error;
    let p_value = match alternative {
        Alternative::TwoSided => (2.0 * normal_sf(z.abs())).min(1.0),
        Alternative::Larger => normal_sf(z),
        Alternative::Smaller => normal_sf(-z),
    };
    Ok(PooledTest { difference, std_error, z, p_value })
}

/// Wilson's score interval of a proportion: never empty, never outside [0, 1].
///
/// # Errors
/// `InvalidInput` when there are more successes than units or `alpha` is outside (0, 1), `NoUnits`.
pub fn wilson(share: &Proportion, alpha: f64) -> Result<Interval> {
    let alpha = checked_alpha(alpha)?;
    let p = share.value()?;
    let z = normal_isf(0.5 * alpha);
    let k = z * z / share.n as f64;
    // Upper root of (1 + k) x^2 - (2 p + k) x + p^2, a sum of positive terms. The lower root follows from their
    // product.
    let upper = (p + 0.5 * k + (0.25 * k * k + k * p * share.rest()).sqrt()) / (1.0 + k);
    let lower = if p == 0.0 { 0.0 } else { p * p / ((1.0 + k) * upper) };
    Ok(Interval { lower, upper: if share.successes == share.n { 1.0 } else { upper.min(1.0) } })
}

/// Clopper-Pearson interval of a proportion. It is exact, so on average it is wider than alpha requires.
///
/// # Errors
/// As [`wilson`].
pub fn clopper_pearson(share: &Proportion, alpha: f64) -> Result<Interval> {
    let alpha = checked_alpha(alpha)?;
    share.value()?;
    let (x, rest) = (share.successes as f64, (share.n - share.successes) as f64);
    let lower = if share.successes == 0 { 0.0 } else { beta_ppf(0.5 * alpha, x, rest + 1.0) };
    let upper = if share.successes == share.n { 1.0 } else { beta_isf(0.5 * alpha, x + 1.0, rest) };
    Ok(Interval { lower, upper })
}

/// Equal-tailed interval of a proportion under Jeffreys' prior, Beta(1/2, 1/2). Its ends are always inside (0, 1).
///
/// # Errors
/// As [`wilson`].
pub fn jeffreys(share: &Proportion, alpha: f64) -> Result<Interval> {
    let alpha = checked_alpha(alpha)?;
    share.value()?;
    let (a, b) = (share.successes as f64 + 0.5, (share.n - share.successes) as f64 + 0.5);
    Ok(Interval { lower: beta_ppf(0.5 * alpha, a, b), upper: beta_isf(0.5 * alpha, a, b) })
}

/// Newcombe's interval of the difference of two proportions, from the Wilson intervals of both.
///
/// Shown with the fixed test when an arm has fewer than ten successes or failures.
///
/// # Errors
/// `InvalidInput` when there are more successes than units or `alpha` is outside (0, 1), `NoUnits` when an arm is
/// empty.
///
/// # Source
/// Newcombe, Interval estimation for the difference between independent proportions, 1998, method 10.
pub fn newcombe(control: &Proportion, treatment: &Proportion, alpha: f64) -> Result<Interval> {
    let (p_c, p_t) = both(control.value(), treatment.value())?;
    let (c, t) = both(wilson(control, alpha), wilson(treatment, alpha))?;
    let difference = p_t - p_c;
    Ok(Interval {
        lower: difference - (p_t - t.lower).hypot(c.upper - p_c),
        upper: difference + (t.upper - p_t).hypot(p_c - c.lower),
    })
}

/// Agresti-Caffo interval of the difference of two proportions: Wald's interval after adding one success and one
/// failure to each arm.
///
/// # Errors
/// As [`newcombe`].
pub fn agresti_caffo(control: &Proportion, treatment: &Proportion, alpha: f64) -> Result<Interval> {
    let alpha = checked_alpha(alpha)?;
    both(control.value(), treatment.value())?;
    let more = |s: &Proportion| {
        let n = s.n as f64 + 2.0;
        let p = (s.successes as f64 + 1.0) / n;
        (p, p * ((s.n - s.successes) as f64 + 1.0) / n / n)
    };
    let ((p_c, v_c), (p_t, v_t)) = (more(control), more(treatment));
    let width = normal_isf(0.5 * alpha) * (v_c + v_t).sqrt();
    Ok(Interval { lower: p_t - p_c - width, upper: p_t - p_c + width })
}
