//! Bandit: the distribution of its visitors, and its regret.
//!
//! Each arm has a level, and each epoch has a level that all arms share. Arms are therefore compared within epochs
//! only, and a metric that rises or falls while weights move does not favour any arm. The levels are least-squares
//! estimates, weighted by precision. An arm's share of the traffic is its probability of being the best (Thompson
//! sampling), above a floor.

use crate::design::{AllocationPolicy, Design};
use crate::summary::{Arrivals, Measure, Metric, MetricRole, Summaries, Summary};
use muriel_stats::best_arm::{ArmPosterior, Direction, allocation, probabilities};
use muriel_stats::{Interval, Result, Sample, Undefined};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// Minimum share of an arm, which keeps its level known. Lower for each arm when there are more than [`FLOORED_ARMS`].
const FLOOR: f64 = 0.05;
/// Number of arms up to which each has the whole floor.
const FLOORED_ARMS: f64 = 4.0;
/// Visitors that each arm needs before weights move.
const MIN_VISITORS: u64 = 20;
/// Conversions that all arms together need before weights move.
const MIN_CONVERTED: u64 = 10;
/// Visitors after which weights may move again.
const MIN_BATCH: u64 = 100;
/// Like `MIN_BATCH`, as a share of all previous visitors. Growing batches keep the number of epochs small, and epochs
/// long enough to compare.
const MIN_BATCH_SHARE: f64 = 0.1;
/// Weight of the pooled variance in that of an epoch, which may have few conversions; in visitors.
const SHARED_VISITORS: f64 = 100.0;
/// Number of posterior draws of the levels. The seed is fixed, so the same data gives the same regret.
const DRAWS: usize = 4_000;
const SEED: u64 = 1;

/// State of an arm: its data and its share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BanditArm {
    /// Number of the arm, 0 for the control.
    pub arm: usize,
    /// Visitors whose conversion window has closed.
    pub visitors: u64,
    /// Probability that it is the best. 0 to 1.
    pub probability_best: f64,
    /// Deserved share of the traffic; the shares of all arms sum to 1. No share is below [`Bandit::floor`].
    pub share: f64,
}

/// Regret: the loss from sending visitors to arms that are not the best, in conversions or in the unit of the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regret {
    /// Posterior mean. Never negative.
    pub mean: f64,
    /// Posterior interval, at the requested confidence.
    pub interval: Interval,
}

/// Regret until some moment, based on current knowledge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    /// Regret of the actual distribution of visitors.
    pub sent: Regret,
    /// Regret of an even split of the same visitors. The arms of the split are those with weight, and paused ones with
    /// at least 20 visitors.
    pub even_split: Regret,
}

/// State of a bandit at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandit {
    /// The arms that have weight, in their order.
    pub arms: Vec<BanditArm>,
    /// Minimum share of an arm.
    pub floor: f64,
    /// Regret until now.
    pub losses: Losses,
}

/// Minimum share of each of `arms` arms.
///
/// 0.05 for up to four arms. With more arms, all floors together are a fifth of the traffic.
///
/// # Examples
///
/// ```
/// use muriel_analysis::bandit::floor;
///
/// assert_eq!(floor(3), 0.05);
/// assert_eq!(floor(8), 0.025);
/// ```
pub fn floor(arms: usize) -> f64 {
    FLOOR * (FLOORED_ARMS / arms.max(1) as f64).min(1.0)
}

/// Returns whether weights may move again: `before` visitors came before the current epoch, and `within` visitors in
/// it.
///
/// True from 100 visitors in the epoch on, provided that they are at least a tenth of those before.
pub fn has_batch(before: u64, within: u64) -> bool {
    within >= MIN_BATCH && within as f64 >= before as f64 * MIN_BATCH_SHARE
}

/// State of a bandit, and whether weights may move.
#[derive(Debug, Clone, PartialEq)]
pub struct BanditLook {
    /// State of the bandit, or the reason why there is none.
    pub bandit: Result<Bandit>,
    /// True when enough visitors came since weights last changed.
    pub has_batch: bool,
}

/// Computes the state of the bandit. `None` when the design's weights do not follow the result.
///
/// Also `None` for a design without epochs. The last epoch of the design is the current one. The state is `NoUnits`
/// when the first metric is not primary.
pub fn look(design: &Design, summaries: &Summaries) -> Option<BanditLook> {
    if design.policy != AllocationPolicy::Bandit {
        return None;
    }
    let present = design.epochs.last()?;
    let (within, before): (Vec<&Arrivals>, Vec<&Arrivals>) =
        summaries.arrivals.iter().partition(|arrivals| arrivals.epoch == present.number);
    let visitors = |arrivals: Vec<&Arrivals>| arrivals.iter().map(|arrivals| arrivals.visitors).sum();
    let metric = summaries.metrics.first().filter(|metric| metric.role == MetricRole::Primary);
    let weights = design.weights(present.number);
    Some(BanditLook {
        bandit: metric.ok_or(Undefined::NoUnits).and_then(|metric| bandit(metric, &weights, design.confidence)),
        has_batch: has_batch(visitors(before), visitors(within)),
    })
}

/// Computes the state of a bandit that follows this metric. `weights` are the effective weights of the arms, the
/// control first. An arm without weight is paused and gets no share, but the regret of its visitors counts.
/// `confidence` is that of the regret's interval.
///
/// # Errors
/// `TooFewUnits` until every arm has 20 visitors with a closed conversion window, and all arms together have ten
/// conversions; `NoUnits` when no arm has weight; and errors from summarising the metric's data.
pub fn bandit(metric: &Metric, weights: &[u32], confidence: f64) -> Result<Bandit> {
    let arms = known(metric, weights)?;
    let met = Met::of(metric, weights)?;
    let losses = losses(&met.shortfalls, &met.visitors, confidence);
    Ok(Bandit { floor: floor(arms.len()), arms, losses })
}

/// Computes the regret until the end of each day, based on current knowledge of the arms. `days` has the visitors of
/// each arm with a closed conversion window, the control first.
///
/// An arm that is missing in a day has no visitors on it.
///
/// # Errors
/// Errors of [`bandit`], and `NoUnits` when the weights do not follow the result.
pub fn losses_by_day(design: &Design, summaries: &Summaries, days: &[Vec<u64>]) -> Result<Vec<Losses>> {
    let metric = summaries.metrics.first().filter(|metric| metric.role == MetricRole::Primary);
    let is_bandit = design.policy == AllocationPolicy::Bandit;
    let (Some(metric), Some(present), true) = (metric, design.epochs.last(), is_bandit) else {
        return Err(Undefined::NoUnits);
    };
    let met = Met::of(metric, &design.weights(present.number))?;
    let of_day = |day: &Vec<u64>| {
        let visitors: Vec<u64> = met.arms.iter().map(|arm| day.get(*arm).copied().unwrap_or(0)).collect();
        losses(&met.shortfalls, &visitors, design.confidence)
    };
    Ok(days.iter().map(of_day).collect())
}

fn direction(metric: &Metric) -> Direction {
    if metric.lower_is_better { Direction::Min } else { Direction::Max }
}

/// Arms that visitors met: those with weight, and paused ones with enough data.
struct Met {
    arms: Vec<usize>,
    /// Visitors of each arm whose conversion window has closed.
    visitors: Vec<u64>,
    /// Shortfall of a visitor of each arm against the best arm, in posterior draws.
    shortfalls: Vec<Vec<f64>>,
}

impl Met {
    /// Fits the model to the arms that visitors met, and draws their shortfalls.
    ///
    /// # Errors
    /// Errors of [`Model::fit`].
    fn of(metric: &Metric, weights: &[u32]) -> Result<Self> {
        let visitors = |arm: usize| -> u64 {
            let closed = metric.cells.iter().filter(|cell| cell.arm == arm && !cell.open);
            closed.map(|cell| cell.summary.visitors).sum()
        };
        let arms: Vec<usize> =
            (0..weights.len()).filter(|arm| weights[*arm] > 0 || visitors(*arm) >= MIN_VISITORS).collect();
        let model = Model::fit(metric, &arms)?;
        let direction = direction(metric);
        let is_active: Vec<bool> = arms.iter().map(|arm| weights[*arm] > 0).collect();
        let shortfalls = shortfalls(&model.posteriors(direction)?, &is_active, direction);
        Ok(Self { arms, visitors: model.visitors, shortfalls })
    }
}

/// State of the arms that have weight.
fn known(metric: &Metric, weights: &[u32]) -> Result<Vec<BanditArm>> {
    let active: Vec<usize> = (0..weights.len()).filter(|arm| weights[*arm] > 0).collect();
    if active.is_empty() {
        return Err(Undefined::NoUnits);
    }
    let model = Model::fit(metric, &active)?;
    let posteriors = model.posteriors(direction(metric))?;
    let probable = probabilities(&posteriors, direction(metric))?;
    let shares = allocation(&probable, floor(active.len()))?;
    let arms = active.iter().enumerate().map(|(at, arm)| BanditArm {
        arm: *arm,
        visitors: model.visitors[at],
        probability_best: probable[at],
        share: shares[at],
    });
    Ok(arms.collect())
}

/// Least-squares estimates of additive levels of each epoch and each arm.
struct Model {
    visitors: Vec<u64>,
    /// Levels of the arms, relative to their mean.
    levels: Vec<f64>,
    /// Covariances of the levels; only those of differences are meaningful.
    covariances: Vec<Vec<f64>>,
    /// Precision of each arm if the levels of the epochs were known.
    precisions: Vec<f64>,
}

impl Model {
    /// Estimates the levels of the `active` arms from cells with a closed conversion window.
    ///
    /// # Errors
    /// `TooFewUnits` while an arm has fewer than 20 visitors or all arms together have fewer than ten conversions, and
    /// when the levels are not determined. `ZeroVariance` when all outcomes are equal.
    fn fit(metric: &Metric, active: &[usize]) -> Result<Self> {
        let arms = active.len();
        let mut epochs: BTreeMap<i64, Vec<Summary>> = BTreeMap::new();
        for cell in metric.cells.iter().filter(|cell| !cell.open) {
            let Some(at) = active.iter().position(|arm| *arm == cell.arm) else { continue };
            let of_epoch = epochs.entry(cell.epoch).or_insert_with(|| vec![Summary::default(); arms]);
            of_epoch[at] = of_epoch[at].merge(&cell.summary);
        }
        let totals = epochs.values().fold(vec![Summary::default(); arms], |sum, epoch| {
            sum.iter().zip(epoch).map(|(sum, summary)| sum.merge(summary)).collect()
        });
        let all = totals.iter().fold(Summary::default(), |sum, summary| sum.merge(summary));
        if totals.iter().any(|summary| summary.visitors < MIN_VISITORS) || all.converted < MIN_CONVERTED {
            return Err(Undefined::TooFewUnits);
        }
        let shared = sample(metric.measure, &all)?.variance;
        if shared <= 0.0 {
            return Err(Undefined::ZeroVariance);
        }
        let (mut normal, mut right, mut precisions) = (vec![vec![0.0; arms]; arms], vec![0.0; arms], vec![0.0; arms]);
        for epoch in epochs.values() {
            let pooled = epoch.iter().fold(Summary::default(), |sum, summary| sum.merge(summary));
            if pooled.visitors < 2 {
                continue;
            }
            let (n, own) = (pooled.visitors as f64, sample(metric.measure, &pooled)?.variance);
            let variance = (n * own + SHARED_VISITORS * shared) / (n + SHARED_VISITORS);
            let weight: Vec<f64> = epoch.iter().map(|summary| summary.visitors as f64 / variance).collect();
            let sum: f64 = weight.iter().sum();
            let means = epoch.iter().map(|summary| match summary.visitors {
                0 => Ok(0.0),
                // A single visitor has a mean, but `sample` cannot estimate a variance.
                1 => Ok(if metric.measure == Measure::Conversion {
                    summary.converted as f64
                } else {
                    summary.value.mean
                }),
                _ => sample(metric.measure, summary).map(|sample| sample.mean),
            });
            let means: Vec<f64> = means.collect::<Result<_>>()?;
            let level = weight.iter().zip(&means).map(|(w, mean)| w * mean).sum::<f64>() / sum;
            for i in 0..arms {
                precisions[i] += weight[i];
                right[i] += weight[i] * (means[i] - level);
                normal[i][i] += weight[i];
                for j in 0..arms {
                    normal[i][j] -= weight[i] * weight[j] / sum;
                }
            }
        }
        // Only differences of levels are determined, so their mean is set to 0.
        let scale = (0..arms).map(|i| normal[i][i]).sum::<f64>() / (arms * arms) as f64;
        let scale = if scale > 0.0 { scale } else { 1.0 };
        normal.iter_mut().flatten().for_each(|entry| *entry += scale);
        let covariances = inverse(normal).ok_or(Undefined::TooFewUnits)?;
        let levels = covariances.iter().map(|row| row.iter().zip(&right).map(|(c, b)| c * b).sum()).collect();
        let visitors = totals.iter().map(|summary| summary.visitors).collect();
        Ok(Self { visitors, levels, covariances, precisions })
    }

    /// Posterior of each arm on its own, such that its difference from the leading arm is as uncertain as in the joint
    /// estimate. Shifting levels of epochs make arms less certain than their number of visitors suggests.
    fn posteriors(&self, direction: Direction) -> Result<Vec<ArmPosterior>> {
        let sign = if direction == Direction::Max { 1.0 } else { -1.0 };
        let arms = self.levels.len();
        let leading = (0..arms).max_by(|i, j| (sign * self.levels[*i]).total_cmp(&(sign * self.levels[*j])));
        let leading = leading.ok_or(Undefined::NoUnits)?;
        let apart = |k: usize| {
            let c = &self.covariances;
            c[k][k] + c[leading][leading] - 2.0 * c[k][leading]
        };
        let alone = |k: usize| 1.0 / self.precisions[k];
        let others = || (0..arms).filter(|k| *k != leading);
        let ratio = others().map(|k| apart(k) / (alone(k) + alone(leading))).fold(f64::INFINITY, f64::min);
        let of_leading = alone(leading) * if ratio.is_finite() { ratio } else { 1.0 };
        let variance = |k: usize| if k == leading { of_leading } else { (apart(k) - of_leading).max(0.0) };
        Ok((0..arms).map(|k| ArmPosterior { mean: self.levels[k], std_error: variance(k).sqrt() }).collect())
    }
}

fn sample(measure: Measure, summary: &Summary) -> Result<Sample> {
    match measure {
        Measure::Conversion => Sample::of_proportion(summary.visitors, summary.converted),
        Measure::Value => Sample::of_mean(&summary.value),
    }
}

/// Inverse of a symmetric positive definite matrix, by elimination. `None` when it is singular.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let unit = |i: usize| (0..size).map(move |j| f64::from(u8::from(i == j))).collect();
    let mut inverse: Vec<Vec<f64>> = (0..size).map(unit).collect();
    for column in 0..size {
        let pivot = (column..size).max_by(|i, j| matrix[*i][column].abs().total_cmp(&matrix[*j][column].abs()))?;
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let divisor = matrix[column][column];
        if !(divisor.abs() > 0.0 && divisor.is_finite()) {
            return None;
        }
        for entry in matrix[column].iter_mut().chain(&mut inverse[column]) {
            *entry /= divisor;
        }
        let (of_matrix, of_inverse) = (matrix[column].clone(), inverse[column].clone());
        for row in (0..size).filter(|row| *row != column) {
            let factor = matrix[row][column];
            for j in 0..size {
                matrix[row][j] -= factor * of_matrix[j];
                inverse[row][j] -= factor * of_inverse[j];
            }
        }
    }
    Some(inverse)
}

/// Shortfall of a visitor of each arm against the best active arm, in posterior draws.
fn shortfalls(arms: &[ArmPosterior], is_active: &[bool], direction: Direction) -> Vec<Vec<f64>> {
    let sign = if direction == Direction::Max { 1.0 } else { -1.0 };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut level = |arm: &ArmPosterior| {
        let normal: f64 = StandardNormal.sample(&mut random);
        sign * arm.mean + arm.std_error * normal
    };
    let mut draw = || {
        let levels: Vec<f64> = arms.iter().map(&mut level).collect();
        let active = levels.iter().zip(is_active).filter(|(_, is_active)| **is_active);
        let best = active.map(|(level, _)| *level).fold(f64::NEG_INFINITY, f64::max);
        levels.into_iter().map(|level| (best - level).max(0.0)).collect()
    };
    (0..DRAWS).map(|_| draw()).collect()
}

/// Regret of sending this many visitors to each arm, and of an even split of them.
fn losses(shortfalls: &[Vec<f64>], visitors: &[u64], confidence: f64) -> Losses {
    let each = visitors.iter().sum::<u64>() as f64 / visitors.len() as f64;
    let of_sent = |draw: &Vec<f64>| draw.iter().zip(visitors).map(|(less, n)| less * *n as f64).sum();
    let of_even = |draw: &Vec<f64>| draw.iter().map(|less| less * each).sum();
    Losses {
        sent: regret(shortfalls.iter().map(of_sent).collect(), confidence),
        even_split: regret(shortfalls.iter().map(of_even).collect(), confidence),
    }
}

/// Mean of the draws, and the interval that leaves out the same number of draws at both ends.
fn regret(mut draws: Vec<f64>, confidence: f64) -> Regret {
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    draws.sort_by(f64::total_cmp);
    let tail = (draws.len() as f64 * (1.0 - confidence.clamp(0.0, 1.0)) / 2.0) as usize;
    let last = draws.len() - 1;
    let interval = Interval { lower: draws[tail.min(last)], upper: draws[last - tail.min(last)] };
    Regret { mean, interval }
}

#[cfg(test)]
mod tests;
