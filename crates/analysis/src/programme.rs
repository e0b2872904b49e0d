//! True lifts behind the results of concluded tests, corrected for the winner's curse.
//!
//! A test is called a winner when its result is high, so the results of winners are too high on average. The excess
//! depends on the distribution of true lifts. That distribution is estimated from *all* concluded tests of a team,
//! including losing and inconclusive ones. The model is hierarchical:
//!
//! ```text
//! result of test i  ~  Normal(true lift i, its standard error²)
//! true lift i       ~  none · Normal(0, 0.001²)
//!                      + (1 − none) · [(1 − tail) · Normal(mean, spread²) + tail · Normal(mean, (scale · spread)²)]
//! ```
//!
//! where lifts are logarithms, ln(1 + lift). On that scale a result and its standard error are uncorrelated. On the
//! scale of lifts, a control that happens to convert less increases both, so winners would seem less certain than
//! losers.
//!
//! The first part describes tests without effect, the last one the few that are far better or worse than most. The
//! parameters `none`, `tail`, `scale`, `spread` and `mean` are not single estimates, but a grid of values with weights.
//! Intervals are therefore wide after few tests. A test that was stopped early needs no correction: the likelihood of
//! its result does not depend on the reason for stopping.
//!
//! # Source
//! Bayesian Data Analysis, 3rd edition, sections 5.4 and 8.7 (hierarchical normal model, stopping rules); Azevedo et
//! al., A/B testing with fat tails, 2020 (heavy tails of true lifts).

use muriel_stats::special::{normal_cdf, normal_isf, normal_pdf};
use muriel_stats::{Interval, Result, Undefined};
use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// Grid values of the share of tests without an effect; equally likely a priori.
const NONE_SHARES: [f64; 8] = [0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.95];
/// Standard deviation of the true lifts of tests without an effect: a tenth of a percent has no practical effect.
const NONE_SPREAD: f64 = 0.001;
/// Grid values of the wide part: its share, its scale, and the prior weight of both.
const TAILS: [(f64, f64, f64); 3] = [(0.0, 1.0, 2.0), (0.1, 3.0, 1.0), (0.3, 2.5, 1.0)];
/// Smallest and largest `spread`, and the number of grid values including both, in geometric steps. Tests cannot
/// distinguish smaller effects from none.
const SPREADS: (f64, f64, usize) = (0.003, 0.25, 14);
/// Grid values of `mean ÷ spread`.
const MEANS: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];
/// Number of components of the prior for each pair of `spread` and `mean`: one per scale.
const SCALES: usize = TAILS.len();
/// Grid points with less than this fraction of the largest weight are left out.
const NEGLIGIBLE: f64 = 1e-6;
/// Smallest density of a result, relative to that of the component that explains it best. It makes a grid point that
/// does not explain a result very unlikely, but never impossible.
const MIN_DENSITY: f64 = 1e-40;
/// A product of densities below this is replaced by its logarithm. It is large enough that four more densities do not
/// underflow.
const SMALL_PRODUCT: f64 = 1e-140;
/// Maximum absolute logarithm of a lift: beyond it, the data is wrong.
const MAX_LOG: f64 = 10.0;
/// Maximum number of steps to find a quantile; seven are usual.
const MAX_STEPS: usize = 100;

/// The result of an arm of a concluded test, by the primary metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConcludedResult {
    /// Observed lift when the test was concluded, as a fraction with more being better: 0.02 is 2 %. Above -1.
    pub lift: f64,
    /// Standard error of the lift, as a fraction; above 0.
    pub std_error: f64,
}

/// An estimated value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Expected value.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// Interval that contains the value with the requested probability. The probability that remains is the same below
    /// and above it.
    pub interval: Interval,
}

/// Estimates of the true lifts behind the results of concluded tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Programme {
    /// Logarithms of the results: the mean is ln(1 + lift), the variance that of its error.
    results: Vec<Normal>,
    components: Vec<Normal>,
    /// Density of each result for each component, relative to that of the component that explains the result best.
    /// Indexed by component, then by result.
    densities: Vec<Vec<f64>>,
    /// Grid points that are not negligible; their weights sum to 1.
    points: Vec<Point>,
}

/// A normal distribution. In results of [`moments`], the mean and variance of any distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Normal {
    mean: f64,
    variance: f64,
}

/// A grid point: a prior of true lifts.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    weight: f64,
    /// Components with their shares, which sum to 1.
    parts: [(usize, f64); 3],
}

/// A normal distribution with its weight in a mixture.
#[derive(Debug, Clone, Copy)]
struct Part {
    weight: f64,
    normal: Normal,
}

impl ConcludedResult {
    /// Returns whether the result can be used: the lift is above -1 and within a factor of 20,000 in either direction,
    /// and the standard error is positive and finite.
    pub fn is_sound(&self) -> bool {
        let Normal { mean, variance } = self.logarithm();
        self.std_error > 0.0 && mean.abs() < MAX_LOG && variance > 0.0 && variance.is_finite()
    }

    /// The logarithm of the result, by the delta method.
    fn logarithm(&self) -> Normal {
        let error = self.std_error / (1.0 + self.lift);
        Normal { mean: self.lift.ln_1p(), variance: error * error }
    }
}

impl Programme {
    /// Estimates the model from all concluded tests, in any order. The time is proportional to their number: 10,000
    /// results take 70 ms.
    ///
    /// # Errors
    /// `NoUnits` without results; `InvalidInput` for a result that is not [sound](ConcludedResult::is_sound).
    pub fn learn(results: &[ConcludedResult]) -> Result<Programme> {
        if results.is_empty() {
            return Err(Undefined::NoUnits);
        }
        if !results.iter().all(ConcludedResult::is_sound) {
            return Err(Undefined::InvalidInput);
        }
        let results: Vec<Normal> = results.iter().map(ConcludedResult::logarithm).collect();
        let components = components();
        let densities = densities(&results, &components);
        let points = weighed(&densities);
        Ok(Programme { results, components, densities, points })
    }

    /// Estimates the true lift behind one result, as a fraction.
    ///
    /// `result` is the index among the results given to [`Programme::learn`]. `confidence` is the probability of the
    /// interval. The mean is that of the lift, not the lift at the mean logarithm.
    ///
    /// # Errors
    /// `InvalidInput` when the result does not exist, or `confidence` is outside (0, 1).
    pub fn lift(&self, result: usize, confidence: f64) -> Result<Estimate> {
        if result >= self.results.len() {
            return Err(Undefined::InvalidInput);
        }
        // Grid points share components, and a component has the same posterior in all of them, so their weights add up.
        let mut weights = vec![0.0; self.components.len()];
        for point in &self.points {
            let explained = self.explained(point, result);
            for (component, weight) in explained {
                weights[component] += point.weight * weight;
            }
        }
        let parts = weights.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0);
        let parts = parts.map(|(component, weight)| Part { weight, normal: self.posterior(component, result) });
        let logs: Vec<Part> = parts.collect();
        let Interval { lower, upper } = interval(&logs, confidence)?;
        let lifts: Vec<Part> = logs.iter().map(|part| Part { normal: part.normal.lift(), ..*part }).collect();
        let all = moments(&lifts);
        let interval = Interval { lower: lower.exp_m1(), upper: upper.exp_m1() };
        Ok(Estimate { mean: all.mean, sd: all.variance.sqrt(), interval })
    }

    /// Estimates the sum of the true lifts behind these results, as a fraction; 0 without results. A result that is
    /// listed twice counts twice, as if it were two tests.
    ///
    /// A single result gives the estimate of [`Programme::lift`]. For several, the sum is taken as normally distributed
    /// at each grid point. Estimates of different tests are correlated, because all share the estimated prior.
    ///
    /// # Errors
    /// `InvalidInput` when one of the results does not exist, or `confidence` is outside (0, 1).
    pub fn total(&self, results: &[usize], confidence: f64) -> Result<Estimate> {
        if let [result] = results {
            return self.lift(*result, confidence);
        }
        if results.iter().any(|result| *result >= self.results.len()) {
            return Err(Undefined::InvalidInput);
        }
        let of_point = |point: &Point| {
            let moments = results.iter().map(|result| self.moments(point, *result));
            // Given the prior, tests are independent, so means and variances add up.
            let sum = |sum: Normal, of_test: Normal| Normal {
                mean: sum.mean + of_test.mean,
                variance: sum.variance + of_test.variance,
            };
            Part { weight: point.weight, normal: moments.fold(Normal { mean: 0.0, variance: 0.0 }, sum) }
        };
        let parts: Vec<Part> = self.points.iter().map(of_point).collect();
        let all = moments(&parts);
        Ok(Estimate { mean: all.mean, sd: all.variance.sqrt(), interval: interval(&parts, confidence)? })
    }

    /// The components of a grid point, with the probabilities that the result came from each.
    fn explained(&self, point: &Point, result: usize) -> [(usize, f64); 3] {
        let joint = point.parts.map(|(component, share)| (component, share * self.densities[component][result]));
        let sum: f64 = joint.iter().map(|(_, density)| density).sum();
        joint.map(|(component, density)| (component, density / sum))
    }

    /// Posterior of the logarithm of the true lift, given a result and its component.
    fn posterior(&self, component: usize, result: usize) -> Normal {
        let (prior, result) = (self.components[component], self.results[result]);
        let kept = prior.variance / (prior.variance + result.variance);
        Normal { mean: prior.mean + kept * (result.mean - prior.mean), variance: kept * result.variance }
    }

    /// Mean and variance of the true lift behind a result, given a prior.
    fn moments(&self, point: &Point, result: usize) -> Normal {
        let explained = self.explained(point, result);
        moments(&explained.map(|(component, weight)| Part { weight, normal: self.posterior(component, result).lift() }))
    }
}

impl Normal {
    /// Mean and variance of the lift, when this is the distribution of its logarithm.
    fn lift(self) -> Normal {
        let growth = (self.mean + 0.5 * self.variance).exp();
        Normal { mean: (self.mean + 0.5 * self.variance).exp_m1(), variance: self.variance.exp_m1() * growth * growth }
    }
}

/// All components of the distributions of true lifts: the one for no effect, then those of each pair of `spread` and
/// `mean`.
fn components() -> Vec<Normal> {
    let mut components = vec![Normal { mean: 0.0, variance: NONE_SPREAD * NONE_SPREAD }];
    let (least, greatest, count) = SPREADS;
    for step in 0..count {
        let spread = least * (greatest / least).powf(step as f64 / (count - 1) as f64);
        for mean in MEANS {
            let of_scale = |(_, scale, _): (f64, f64, f64)| Normal {
                mean: mean * spread,
                variance: scale * scale * spread * spread,
            };
            components.extend(TAILS.map(of_scale));
        }
    }
    components
}

/// A distribution of the true lifts of tests with an effect: two components, and the share of the second.
struct Effects {
    narrow: usize,
    wide: usize,
    wide_share: f64,
    /// Prior weight.
    weight: f64,
}

/// All such distributions on the grid. Components are indices into [`components`].
fn effects() -> impl Iterator<Item = Effects> {
    (0..SPREADS.2 * MEANS.len()).flat_map(|pair| {
        let mean = MEANS[pair % MEANS.len()];
        let narrow = 1 + pair * SCALES;
        TAILS.into_iter().enumerate().map(move |(tail, (wide_share, _, likely))| Effects {
            narrow,
            wide: narrow + tail,
            wide_share,
            weight: likely * (-2.0 * mean * mean).exp(),
        })
    })
}

/// Density of each result for each component, relative to that of the component that explains the result best. Indexed
/// by component, then by result.
fn densities(results: &[Normal], components: &[Normal]) -> Vec<Vec<f64>> {
    // Components share variances, and logarithms take most of the time.
    let mut of_variance: HashMap<u64, Vec<(f64, f64)>> = HashMap::new();
    let mut logs: Vec<Vec<f64>> = Vec::with_capacity(components.len());
    for component in components {
        let known = of_variance.entry(component.variance.to_bits()).or_insert_with(|| {
            let variances = results.iter().map(|result| component.variance + result.variance);
            variances.map(|variance| (0.5 / variance, 0.5 * variance.ln())).collect()
        });
        let log = |(result, (half_precision, half_log)): (&Normal, &(f64, f64))| {
            let distance = result.mean - component.mean;
            // Without the constant, which is the same for all. Infinite distances are limited to the range of doubles.
            (-distance * distance * half_precision - half_log).max(f64::MIN)
        };
        logs.push(results.iter().zip(known.iter()).map(log).collect());
    }
    let mut best = vec![f64::NEG_INFINITY; results.len()];
    for log in &logs {
        best.iter_mut().zip(log).for_each(|(best, log)| *best = best.max(*log));
    }
    for log in &mut logs {
        log.iter_mut().zip(&best).for_each(|(log, best)| *log = (*log - best).exp().max(MIN_DENSITY));
    }
    logs
}

/// The grid points that are not negligible after the results, with their posterior weights.
fn weighed(densities: &[Vec<f64>]) -> Vec<Point> {
    let mut points = Vec::with_capacity(SPREADS.2 * MEANS.len() * TAILS.len() * NONE_SHARES.len());
    for Effects { narrow, wide, wide_share, weight } in effects() {
        let pairs = densities[narrow].iter().zip(&densities[wide]);
        let with_effect: Vec<f64> = pairs.map(|(narrow, wide)| narrow + wide_share * (wide - narrow)).collect();
        for none in NONE_SHARES {
            let rest = 1.0 - none;
            let parts = [(0, none), (narrow, rest * (1.0 - wide_share)), (wide, rest * wide_share)];
            // The logarithm of the weight, until it is normalised below.
            points.push(Point { weight: weight.ln() + log_likelihood(none, &densities[0], &with_effect), parts });
        }
    }
    let best = points.iter().map(|point| point.weight).fold(f64::NEG_INFINITY, f64::max);
    let weighed = points.into_iter().map(|point| Point { weight: (point.weight - best).exp(), ..point });
    let kept: Vec<_> = weighed.filter(|point| point.weight >= NEGLIGIBLE).collect();
    let sum: f64 = kept.iter().map(|point| point.weight).sum();
    kept.into_iter().map(|point| Point { weight: point.weight / sum, ..point }).collect()
}

/// Logarithm of the density of all results, up to a constant, when a share of `none` tests has no effect.
fn log_likelihood(none: f64, without_effect: &[f64], with_effect: &[f64]) -> f64 {
    let (mut log, mut product) = (0.0_f64, 1.0_f64);
    // Four at a time, so that multiplications do not wait for each other.
    for (without, with) in without_effect.chunks(4).zip(with_effect.chunks(4)) {
        let mixed = without.iter().zip(with).map(|(without, with)| with + none * (without - with));
        product *= mixed.product::<f64>();
        if product < SMALL_PRODUCT {
            log += product.ln();
            product = 1.0;
        }
    }
    log + product.ln()
}

/// Mean and variance of a mixture whose weights sum to 1.
fn moments(parts: &[Part]) -> Normal {
    let mean: f64 = parts.iter().map(|part| part.weight * part.normal.mean).sum();
    let around = |part: &Part| part.normal.variance + (part.normal.mean - mean) * (part.normal.mean - mean);
    Normal { mean, variance: parts.iter().map(|part| part.weight * around(part)).sum() }
}

/// Interval with this probability, and equal probabilities below and above it.
fn interval(parts: &[Part], confidence: f64) -> Result<Interval> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(Undefined::InvalidInput);
    }
    let outside = (1.0 - confidence) / 2.0;
    Ok(Interval { lower: quantile(parts, outside), upper: quantile(parts, 1.0 - outside) })
}

/// Value below which the mixture has this probability. Uses Newton's method, and bisection when a step leaves the
/// bracket or is not shorter than half the step before it: where the density bends, Newton's method alone can jump back
/// and forth between two values for ever.
fn quantile(parts: &[Part], probability: f64) -> f64 {
    let z = normal_isf(1.0 - probability);
    // The quantile of the mixture is between those of its parts.
    let ends = || parts.iter().map(|part| part.normal.mean + z * part.normal.variance.sqrt());
    let mut lower = ends().fold(f64::INFINITY, f64::min);
    let mut upper = ends().fold(f64::NEG_INFINITY, f64::max);
    let tolerance = 1e-10 * moments(parts).variance.sqrt();
    let mut at = lower + (upper - lower) / 2.0;
    let mut step = upper - lower;
    for _ in 0..MAX_STEPS {
        if upper - lower <= tolerance {
            break;
        }
        let (below, density) = at_point(parts, at);
        if below < probability {
            lower = at;
        } else {
            upper = at;
        }
        let newton = at - (below - probability) / density;
        let converges = newton > lower && newton < upper && (newton - at).abs() <= step / 2.0;
        let next = if converges { newton } else { lower + (upper - lower) / 2.0 };
        step = (next - at).abs();
        if step <= tolerance {
            return next;
        }
        at = next;
    }
    at
}

/// Probability below a value, and the density at it.
fn at_point(parts: &[Part], x: f64) -> (f64, f64) {
    let sum = parts.iter().map(|part| {
        let sd = part.normal.variance.sqrt();
        let z = (x - part.normal.mean) / sd;
        (part.weight * normal_cdf(z), part.weight * normal_pdf(z) / sd)
    });
    sum.fold((0.0, 0.0), |sum, of_part| (sum.0 + of_part.0, sum.1 + of_part.1))
}
