//! Metrics with known true effects, drawn in batches.
//!
//! A report needs only the moments of a batch. They are drawn from their exact joint distribution where it is known (a
//! normal mean and its chi-squared squares, counts of a finite table). Otherwise they are drawn unit by unit (the
//! orders of buyers, the values under a quantile). Both give the same experiment; the first is a thousand times faster.

use super::Rng;
use muriel_stats::{Effect, JointMoments, Moments, QuantileSample, Result, Sample};
use rand_distr::{Binomial, ChiSquared, Distribution, LogNormal, StandardNormal, StandardUniform};

/// A simulated metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Metric {
    /// Normal values, mean 1 and standard deviation 2.
    Normal,
    /// Conversions with this rate.
    Binary(f64),
    /// Revenue: 4 % of the units buy, for a lognormal sum whose logarithm has this standard deviation.
    Revenue(f64),
    /// Clicks per page: one to six pages per visitor; half of the visitors are interested.
    Ratio,
    /// Normal values adjusted by an earlier value, with correlation 0.7.
    Adjusted,
    /// Conversions adjusted by earlier conversions.
    AdjustedBinary,
    /// Quantile at this level of lognormal values.
    Quantile(f64),
}

/// Data of one arm so far.
#[derive(Clone, Debug)]
pub(crate) enum Arm {
    Share { n: u64, successes: u64 },
    Mean(Moments),
    Joint(JointMoments),
    Values(Vec<f64>),
}

/// Share of units that buy.
const BUY: f64 = 0.04;
/// Correlation of a value with the earlier value.
const CORRELATION: f64 = 0.7;
/// Clicks per page of an interested visitor. The others never click.
const CLICKS: f64 = 0.4;

pub(crate) fn normal(rng: &mut Rng) -> f64 {
    StandardNormal.sample(rng)
}

pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    StandardUniform.sample(rng)
}

pub(crate) fn binomial(rng: &mut Rng, n: u64, p: f64) -> u64 {
    match n {
        0 => 0,
        _ => Binomial::new(n, p).expect("a share is between 0 and 1").sample(rng),
    }
}

/// Draws the sum of squares of `count` standard normal variables.
fn squares(rng: &mut Rng, count: u64) -> f64 {
    match count {
        0 => 0.0,
        _ => ChiSquared::new(count as f64).expect("the count is positive").sample(rng),
    }
}

/// Draws moments of `units` normal values. Mean and squares are independent.
pub(crate) fn normal_moments(rng: &mut Rng, units: u64, mean: f64, sd: f64) -> Moments {
    match units {
        0 => Moments::default(),
        n => Moments { n, mean: mean + sd * normal(rng) / (n as f64).sqrt(), m2: sd * sd * squares(rng, n - 1) },
    }
}

/// Draws moments of `units` pairs of normal values. Squares and products have a Wishart distribution (Bartlett).
fn joint_moments(rng: &mut Rng, units: u64, mean: f64) -> JointMoments {
    if units == 0 {
        return JointMoments::default();
    }
    let (rho, rest) = (CORRELATION, (1.0 - CORRELATION * CORRELATION).sqrt());
    let root = (units as f64).sqrt();
    let (u, v) = (normal(rng) / root, normal(rng) / root);
    let (a2, b, c2) = match units {
        1 => (0.0, 0.0, 0.0),
        n => (squares(rng, n - 1), normal(rng), squares(rng, n - 2)),
    };
    // Squares of the earlier value, its products with the independent part of the later value, and squares of that
    // part.
    let (s11, s12, s22) = (a2, a2.sqrt() * b, b * b + c2);
    JointMoments {
        n: units,
        mean_x: mean + rho * u + rest * v,
        mean_y: u,
        m2_x: rho * rho * s11 + 2.0 * rho * rest * s12 + rest * rest * s22,
        m2_y: s11,
        c: rho * s11 + rest * s12,
    }
}

/// Moments of integer pairs, given as (count, x, y).
fn counted(cells: impl Iterator<Item = (u64, u64, u64)>) -> JointMoments {
    let (mut n, mut sx, mut sy, mut sxx, mut syy, mut sxy) = (0, 0, 0, 0, 0, 0);
    for (count, x, y) in cells {
        n += count;
        sx += count * x;
        sy += count * y;
        sxx += count * x * x;
        syy += count * y * y;
        sxy += count * x * y;
    }
    JointMoments::from_sums(n, sx as f64, sxx as f64, sy as f64, syy as f64, sxy as f64).expect("the cells are real")
}

fn ratio_moments(rng: &mut Rng, units: u64, lift: f64) -> JointMoments {
    let p = CLICKS * (1.0 + lift);
    let mut cells = Vec::with_capacity(40);
    let mut left = units;
    for pages in 1..=6u64 {
        // One page with probability 1/2, two with 1/4 and so on; the rest six.
        let with = if pages == 6 { left } else { binomial(rng, left, 0.5) };
        left -= with;
        let interested = binomial(rng, with, 0.5);
        cells.push((with - interested, 0, pages));
        // P(clicks = x) by its recurrence; each count is drawn conditional on the ones before.
        let (mut at, mut rest, mut undecided) = ((1.0 - p).powi(pages as i32), 1.0f64, interested);
        for x in 0..=pages {
            let count = if x == pages { undecided } else { binomial(rng, undecided, (at / rest).clamp(0.0, 1.0)) };
            cells.push((count, x, pages));
            undecided -= count;
            rest -= at;
            at *= (pages - x) as f64 / (x + 1) as f64 * p / (1.0 - p);
        }
    }
    counted(cells.into_iter())
}

/// Conversions before and after: three in ten converted before, and these convert ten times as often.
fn adjusted_binary_moments(rng: &mut Rng, units: u64, lift: f64) -> JointMoments {
    let before = binomial(rng, units, 0.3);
    let again = binomial(rng, before, 0.5 * (1.0 + lift));
    let first = binomial(rng, units - before, 0.05 * (1.0 + lift));
    counted([(again, 1, 1), (before - again, 0, 1), (first, 1, 0), (units - before - first, 0, 0)].into_iter())
}

impl Metric {
    pub(crate) fn name(self) -> String {
        match self {
            Metric::Normal => "normal".into(),
            Metric::Binary(rate) => format!("conversions {} %", 100.0 * rate),
            Metric::Revenue(sigma) => format!("revenue, σ {sigma}"),
            Metric::Ratio => "ratio".into(),
            Metric::Adjusted => "adjusted (CUPED)".into(),
            Metric::AdjustedBinary => "adjusted conversions".into(),
            Metric::Quantile(level) => format!("quantile {} %", 100.0 * level),
        }
    }

    /// Creates an arm without units.
    pub(crate) fn nobody(self) -> Arm {
        match self {
            Metric::Binary(_) => Arm::Share { n: 0, successes: 0 },
            Metric::Normal | Metric::Revenue(_) => Arm::Mean(Moments::default()),
            Metric::Ratio | Metric::Adjusted | Metric::AdjustedBinary => Arm::Joint(JointMoments::default()),
            Metric::Quantile(_) => Arm::Values(Vec::new()),
        }
    }

    /// Adds `units` to an arm whose level is 1 + `lift` times that of control.
    pub(crate) fn more(self, arm: &mut Arm, units: u64, lift: f64, rng: &mut Rng) {
        match (self, arm) {
            (Metric::Binary(rate), Arm::Share { n, successes }) => {
                *n += units;
                *successes += binomial(rng, units, rate * (1.0 + lift));
            }
            (Metric::Normal, Arm::Mean(moments)) => {
                *moments = moments.merge(&normal_moments(rng, units, 1.0 + lift, 2.0));
            }
            (Metric::Revenue(sigma), Arm::Mean(moments)) => {
                let orders = LogNormal::new(0.0, sigma).expect("a standard deviation");
                let buyers = binomial(rng, units, BUY * (1.0 + lift));
                *moments = moments.merge(&Moments { n: units - buyers, mean: 0.0, m2: 0.0 });
                let mut bought = Moments::default();
                for _ in 0..buyers {
                    bought.push(orders.sample(rng));
                }
                *moments = moments.merge(&bought);
            }
            (Metric::Ratio, Arm::Joint(joint)) => *joint = joint.merge(&ratio_moments(rng, units, lift)),
            (Metric::Adjusted, Arm::Joint(joint)) => *joint = joint.merge(&joint_moments(rng, units, 1.0 + lift)),
            (Metric::AdjustedBinary, Arm::Joint(joint)) => {
                *joint = joint.merge(&adjusted_binary_moments(rng, units, lift));
            }
            (Metric::Quantile(_), Arm::Values(values)) => {
                let of_unit = LogNormal::new(0.0, 1.0).expect("a standard deviation");
                values.extend((0..units).map(|_| (1.0 + lift) * of_unit.sample(rng)));
                // The values are mostly sorted already, which makes this sort fast.
                values.sort_by(f64::total_cmp);
            }
            _ => unreachable!("an arm is of its metric"),
        }
    }

    /// The effect as a report computes it.
    pub(crate) fn effect(self, control: &Arm, treatment: &Arm) -> Result<Effect> {
        match (self, control, treatment) {
            (_, Arm::Share { n: c, successes: x }, Arm::Share { n: t, successes: y }) => {
                Effect::of_samples(&Sample::of_proportion(*c, *x)?, &Sample::of_proportion(*t, *y)?)
            }
            (_, Arm::Mean(c), Arm::Mean(t)) => Effect::of_samples(&Sample::of_mean(c)?, &Sample::of_mean(t)?),
            (Metric::Ratio, Arm::Joint(c), Arm::Joint(t)) => Effect::of_ratios(c, t),
            (_, Arm::Joint(c), Arm::Joint(t)) => Ok(Effect::of_adjusted(c, t)?.effect),
            (Metric::Quantile(level), Arm::Values(c), Arm::Values(t)) => {
                Effect::of_quantiles(&QuantileSample::of_sorted(c, level)?, &QuantileSample::of_sorted(t, level)?)
            }
            _ => unreachable!("both arms are of their metric"),
        }
    }

    /// The true level of control.
    pub(crate) fn level(self) -> f64 {
        match self {
            Metric::Normal | Metric::Adjusted => 1.0,
            Metric::Binary(rate) => rate,
            Metric::Revenue(sigma) => BUY * (0.5 * sigma * sigma).exp(),
            Metric::Ratio => 0.5 * CLICKS,
            Metric::AdjustedBinary => 0.3 * 0.5 + 0.7 * 0.05,
            Metric::Quantile(level) => muriel_stats::special::normal_ppf(level).exp(),
        }
    }
}
