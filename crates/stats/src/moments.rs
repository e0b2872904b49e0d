//! Moments of a variant's units: counts, means and sums of squared deviations.
//!
//! Stored as `{n, mean, m2}`, because sums of squares lose the variance of a metric with a large mean. Sums are
//! accepted too, and converted to moments in double-double arithmetic with one rounding.

use crate::{Result, Undefined};

/// Exact product as an unevaluated sum: `a * b = high + low`, barring overflow and underflow.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let high = a * b;
    (high, f64::mul_add(a, b, -high))
}

/// Exact sum as an unevaluated sum: `a + b = high + low`.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let high = a + b;
    let back = high - a;
    (high, (a - (high - back)) + (b - back))
}

/// The centred sum of products `q - a b / n`, rounded once, so that cancellation loses no digits.
fn centred(q: f64, a: f64, b: f64, n: f64) -> f64 {
    let (high, low) = two_product(a, b);
    let quotient = high / n;
    let remainder = f64::mul_add(-quotient, n, high);
    let rest = (remainder + low) / n;
    let (difference, error) = two_sum(q, -quotient);
    difference + (error - rest)
}

/// Bound on the error of a centred sum that comes from rounding its totals to doubles.
///
/// `q` is the total of products, `product` is `a b / n`.
fn rounding_of(q: f64, product: f64) -> f64 {
    f64::EPSILON * (q.abs() + 2.0 * product.abs())
}

/// Centred sum of squares, which must not be negative. A negative value within the rounding of the totals becomes zero.
fn centred_square(q: f64, s: f64, n: f64) -> Result<f64> {
    let m2 = centred(q, s, s, n);
    if m2 >= 0.0 {
        Ok(m2)
    } else if -m2 <= rounding_of(q, s / n * s) {
        Ok(0.0)
    } else {
        Err(Undefined::InvalidInput)
    }
}

/// Number, mean and sum of squared deviations of one value per unit.
///
/// The default is the moments of no units. Any split of the units merges to the same moments, up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Moments {
    /// Number of units.
    pub n: u64,
    /// Mean per unit; 0 without units.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub m2: f64,
}

impl Moments {
    /// Adds one unit's value.
    pub fn push(&mut self, x: f64) {
        self.n += 1;
        let d = x - self.mean;
        self.mean += d / self.n as f64;
        self.m2 += d * (x - self.mean);
    }

    /// Moments of the units of both together.
    ///
    /// # Source
    /// Chan, Golub, LeVeque, Algorithms for computing the sample variance, 1983.
    pub fn merge(&self, other: &Moments) -> Moments {
        if self.n == 0 {
            return *other;
        }
        if other.n == 0 {
            return *self;
        }
        let (a, b) = (self.n as f64, other.n as f64);
        let n = a + b;
        let d = other.mean - self.mean;
        Moments { n: self.n + other.n, mean: self.mean + d * (b / n), m2: self.m2 + other.m2 + d * d * (a / n * b) }
    }

    /// Moments from the number of units, the sum of their values and the sum of the squares.
    ///
    /// Accurate to the last bit for the given sums, even with cancellation. Rounding made while summing is not
    /// recovered.
    ///
    /// # Errors
    /// `InvalidInput` when a sum is not finite, when a sum is not zero without units, and when the sum of squares is
    /// below the squared sum over `n` by more than the sums' rounding error.
    pub fn from_sums(n: u64, sum: f64, sum_squares: f64) -> Result<Moments> {
        if !sum.is_finite() || !sum_squares.is_finite() || sum_squares < 0.0 {
            return Err(Undefined::InvalidInput);
        }
        if n == 0 {
            return if sum == 0.0 && sum_squares == 0.0 {
                Ok(Moments::default())
            } else {
                Err(Undefined::InvalidInput)
            };
        }
        let count = n as f64;
        Ok(Moments { n, mean: sum / count, m2: centred_square(sum_squares, sum, count)? })
    }

    /// Per-unit variance with the n - 1 divisor.
    ///
    /// # Errors
    /// `NoUnits` at n = 0, `TooFewUnits` at n = 1. A variance of zero is valid.
    pub fn variance(&self) -> Result<f64> {
        match self.n {
            0 => Err(Undefined::NoUnits),
            1 => Err(Undefined::TooFewUnits),
            n => Ok(self.m2 / (n - 1) as f64),
        }
    }

    /// Standard error of the mean; zero when nothing varies.
    ///
    /// # Errors
    /// As [`Moments::variance`].
    pub fn std_error(&self) -> Result<f64> {
        Ok((self.variance()? / self.n as f64).sqrt())
    }
}

/// Moments of two values per unit and of their product.
///
/// For a ratio metric, `x` is the numerator and `y` the denominator. For an adjusted metric, `x` is the value after
/// exposure and `y` the one before.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct JointMoments {
    /// Number of units.
    pub n: u64,
    /// Mean of the first value.
    pub mean_x: f64,
    /// Mean of the second value.
    pub mean_y: f64,
    /// Sum of squared deviations of the first.
    pub m2_x: f64,
    /// Sum of squared deviations of the second.
    pub m2_y: f64,
    /// Sum of products of deviations.
    pub c: f64,
}

impl JointMoments {
    /// Adds one unit's pair of values.
    pub fn push(&mut self, x: f64, y: f64) {
        self.n += 1;
        let n = self.n as f64;
        let (dx, dy) = (x - self.mean_x, y - self.mean_y);
        self.mean_x += dx / n;
        self.mean_y += dy / n;
        self.m2_x += dx * (x - self.mean_x);
        self.m2_y += dy * (y - self.mean_y);
        self.c += dx * (y - self.mean_y);
    }

    /// Moments of the units of both; see [`Moments::merge`].
    pub fn merge(&self, other: &JointMoments) -> JointMoments {
        if self.n == 0 {
            return *other;
        }
        if other.n == 0 {
            return *self;
        }
        let (a, b) = (self.n as f64, other.n as f64);
        let (dx, dy) = (other.mean_x - self.mean_x, other.mean_y - self.mean_y);
        let c = self.c + other.c + dx * dy * (a / (a + b) * b);
        JointMoments::of(self.x().merge(&other.x()), self.y().merge(&other.y()), c)
    }

    /// Moments from the number of units, the sums of both values, of their squares and of their products.
    ///
    /// # Errors
    /// `InvalidInput` as [`Moments::from_sums`], and when the products would imply a correlation beyond 1.
    pub fn from_sums(
        n: u64,
        sum_x: f64,
        sum_squares_x: f64,
        sum_y: f64,
        sum_squares_y: f64,
        sum_products: f64,
    ) -> Result<JointMoments> {
        let x = Moments::from_sums(n, sum_x, sum_squares_x)?;
        let y = Moments::from_sums(n, sum_y, sum_squares_y)?;
        if !sum_products.is_finite() {
            return Err(Undefined::InvalidInput);
        }
        if n == 0 {
            return if sum_products == 0.0 { Ok(JointMoments::default()) } else { Err(Undefined::InvalidInput) };
        }
        let count = n as f64;
        let c = centred(sum_products, sum_x, sum_y, count);
        // The largest possible |c| for deviations of these sizes, each size widened by the rounding of its totals.
        let widened = |m2: f64, q: f64, s: f64| (m2 + rounding_of(q, s / count * s)).sqrt();
        let limit = widened(x.m2, sum_squares_x, sum_x) * widened(y.m2, sum_squares_y, sum_y)
            + rounding_of(sum_products, sum_x / count * sum_y);
        if c.abs() > limit * (1.0 + 1e-12) {
            return Err(Undefined::InvalidInput);
        }
        Ok(JointMoments::of(x, y, c))
    }

    /// Exchanges the two values of each unit.
    pub fn swap(&self) -> JointMoments {
        JointMoments {
            n: self.n,
            mean_x: self.mean_y,
            mean_y: self.mean_x,
            m2_x: self.m2_y,
            m2_y: self.m2_x,
            c: self.c,
        }
    }

    /// Combines the moments of each value of the same units with the sum of products of their deviations.
    fn of(x: Moments, y: Moments, c: f64) -> JointMoments {
        JointMoments { n: x.n, mean_x: x.mean, mean_y: y.mean, m2_x: x.m2, m2_y: y.m2, c }
    }

    /// Moments of the first value alone.
    pub fn x(&self) -> Moments {
        Moments { n: self.n, mean: self.mean_x, m2: self.m2_x }
    }

    /// Moments of the second value alone.
    pub fn y(&self) -> Moments {
        Moments { n: self.n, mean: self.mean_y, m2: self.m2_y }
    }

    /// Per-unit variance of the first value less `slope` times the second, with the n - 1 divisor.
    ///
    /// With the slope of a regression this is the variance that the second value leaves unexplained.
    ///
    /// # Errors
    /// `NoUnits` at n = 0, `TooFewUnits` at n = 1.
    pub fn residual_variance(&self, slope: f64) -> Result<f64> {
        let m2 = self.m2_x - 2.0 * slope * self.c + slope * slope * self.m2_y;
        Moments { n: self.n, mean: 0.0, m2 }.variance()
    }

    /// Ratio of the sums, first over second.
    ///
    /// # Errors
    /// `NoUnits` without units, `ZeroDenominator` when the second values sum to zero.
    pub fn ratio(&self) -> Result<f64> {
        if self.n == 0 {
            Err(Undefined::NoUnits)
        } else if self.mean_y == 0.0 {
            Err(Undefined::ZeroDenominator)
        } else {
            Ok(self.mean_x / self.mean_y)
        }
    }
}

/// One arm of a comparison of means or proportions: its size, mean and per-unit variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Units, at least 2.
    pub n: u64,
    /// Mean per unit, or the share that converted.
    pub mean: f64,
    /// Per-unit variance: n - 1 divisor for a mean, p (1 - p) for a proportion.
    pub variance: f64,
}

impl Sample {
    /// Returns the arm of a mean metric.
    ///
    /// # Errors
    /// `NoUnits` at n = 0, `TooFewUnits` at n = 1, `InvalidInput` when a moment is not finite or `m2` is negative.
    pub fn of_mean(moments: &Moments) -> Result<Sample> {
        if !moments.mean.is_finite() || !moments.m2.is_finite() || moments.m2 < 0.0 {
            return Err(Undefined::InvalidInput);
        }
        Ok(Sample { n: moments.n, mean: moments.mean, variance: moments.variance()? })
    }

    /// Returns the arm of a conversion metric: `successes` of `n` units.
    ///
    /// # Errors
    /// `InvalidInput` when there are more successes than units, `NoUnits` at n = 0, `TooFewUnits` at n = 1, where the
    /// variance p (1 - p) is always 0 and there are no degrees of freedom.
    pub fn of_proportion(n: u64, successes: u64) -> Result<Sample> {
        if successes > n {
            return Err(Undefined::InvalidInput);
        }
        match n {
            0 => Err(Undefined::NoUnits),
            1 => Err(Undefined::TooFewUnits),
            _ => {
                let count = n as f64;
                let p = successes as f64 / count;
                Ok(Sample { n, mean: p, variance: p * ((n - successes) as f64 / count) })
            }
        }
    }

    /// Variance of the mean: the per-unit variance over n.
    pub fn var_of_mean(&self) -> f64 {
        self.variance / self.n as f64
    }
}
