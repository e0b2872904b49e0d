//! Where a bandit sends its visitors, and what that costs.
//!
//! Every arm has a level, and every epoch a level of its own that all arms share: arms are compared within epochs only, so a
//! metric that rises or falls while weights move favours nobody. The levels are those of least squares, weighted by
//! precision; an arm gets as much of the traffic as it is probable to be the best (Thompson sampling), above a floor.

use crate::design::{AllocationPolicy, Design};
use crate::summary::{Arrivals, Measure, Metric, MetricRole, Summaries, Summary};
use muriel_stats::best_arm::{ArmPosterior, Direction, allocation, probabilities};
use muriel_stats::{Interval, Result, Sample, Undefined};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// The least share of an arm, so that its level stays known; less each where they are more than [`FLOORED_ARMS`].
const FLOOR: f64 = 0.05;
/// So many arms keep the whole floor.
const FLOORED_ARMS: f64 = 4.0;
/// Visitors that each arm needs before weights move.
const MIN_VISITORS: u64 = 20;
/// Conversions that all arms together need before weights move.
const MIN_CONVERTED: u64 = 10;
/// Visitors after which weights may move again.
const MIN_BATCH: u64 = 100;
/// The same as a part of all visitors before. Batches that grow keep the epochs few, and an epoch long enough to compare.
const MIN_BATCH_SHARE: f64 = 0.1;
/// Visitors that the variance of all epochs weighs in that of one, which may have few conversions.
const SHARED_VISITORS: f64 = 100.0;
/// Draws from what is known of the levels; as they begin with the same seed, the same numbers give the same cost.
const DRAWS: usize = 4_000;
const SEED: u64 = 1;

/// What is known of an arm, and what it deserves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BanditArm {
    /// Which arm, 0 for the control.
    pub arm: usize,
    /// Its visitors whose time to convert is over.
    pub visitors: u64,
    /// Probability that it is the best.
    pub probability_best: f64,
    /// The part of the traffic that it deserves; all arms' sum to 1.
    pub share: f64,
}

/// What was lost by sending visitors to arms that are not the best, in conversions or in the unit of the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regret {
    /// On average over what is known of the levels.
    pub mean: f64,
    /// Where it is, with the confidence asked for.
    pub interval: Interval,
}

/// What was lost until some moment, by what is known now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    /// By the way that visitors were sent.
    pub sent: Regret,
    /// Had all arms had the same number of them.
    pub even_split: Regret,
}

/// A bandit as of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandit {
    /// The arms that have weight, in their order.
    pub arms: Vec<BanditArm>,
    /// The least share of an arm.
    pub floor: f64,
    /// What was lost.
    pub losses: Losses,
}

/// The least share of each of `arms` arms.
pub fn floor(arms: usize) -> f64 {
    FLOOR * (FLOORED_ARMS / arms.max(1) as f64).min(1.0)
}

/// Whether weights may move again, after so many visitors before the present epoch and so many within it.
pub fn has_batch(before: u64, within: u64) -> bool {
    within >= MIN_BATCH && within as f64 >= before as f64 * MIN_BATCH_SHARE
}

/// A bandit's numbers, and whether it is time to act on them.
#[derive(Debug, Clone, PartialEq)]
pub struct BanditLook {
    /// What is known, or why nothing is.
    pub bandit: Result<Bandit>,
    /// Whether enough visitors have come since weights last changed.
    pub has_batch: bool,
}

/// The bandit of this design as of these summaries; `None` where weights are not to follow the result.
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

/// What a bandit by this metric knows and does. `weights` are those in force, a weight per arm, the control first: an arm
/// without weight was paused and gets no share, and what its visitors lost was lost all the same. `confidence` is that of the
/// regret's interval.
///
/// # Errors
/// `TooFewUnits` until every arm has 20 visitors whose time to convert is over, and all together have ten
/// conversions; `NoUnits` when no arm has weight; what the metric's numbers cannot be summed up for.
pub fn bandit(metric: &Metric, weights: &[u32], confidence: f64) -> Result<Bandit> {
    let arms = known(metric, weights)?;
    let met = Met::of(metric, weights)?;
    let losses = losses(&met.shortfalls, &met.visitors, confidence);
    Ok(Bandit { floor: floor(arms.len()), arms, losses })
}

/// What was lost until the end of each day, by what is known of the arms now. `days` has the visitors of each arm, the control
/// first, whose time to convert is over.
///
/// # Errors
/// As of [`bandit`], and where weights are not to follow the result.
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

/// The arms that visitors met: those that have weight, and those that had it and are known.
struct Met {
    arms: Vec<usize>,
    /// Visitors of each whose time to convert is over.
    visitors: Vec<u64>,
    /// How much less than the best a visitor of each brings, in draws.
    shortfalls: Vec<Vec<f64>>,
}

impl Met {
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

/// The arms that have weight, and what is known of them.
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

/// Levels of the arms by least squares: an additive level of each epoch and of each arm.
struct Model {
    visitors: Vec<u64>,
    /// Relative to their mean.
    levels: Vec<f64>,
    /// Covariances of the levels, of which differences are meaningful.
    covariances: Vec<Vec<f64>>,
    /// The precision of each arm where the levels of the epochs were known.
    precisions: Vec<f64>,
}

impl Model {
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
                // A single visitor has a mean, and no variance that `sample` could give.
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
        // Only differences of levels are determined: their mean is set to 0.
        let scale = (0..arms).map(|i| normal[i][i]).sum::<f64>() / (arms * arms) as f64;
        let scale = if scale > 0.0 { scale } else { 1.0 };
        normal.iter_mut().flatten().for_each(|entry| *entry += scale);
        let covariances = inverse(normal).ok_or(Undefined::TooFewUnits)?;
        let levels = covariances.iter().map(|row| row.iter().zip(&right).map(|(c, b)| c * b).sum()).collect();
        let visitors = totals.iter().map(|summary| summary.visitors).collect();
        Ok(Self { visitors, levels, covariances, precisions })
    }

    /// What is known of each arm on its own, such that the difference of each to the leading one is as certain as it
    /// is together: levels of epochs that shift make arms less certain than their visitors would.
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
        let stretch = others().map(|k| apart(k) / (alone(k) + alone(leading))).fold(f64::INFINITY, f64::min);
        let of_leading = alone(leading) * if stretch.is_finite() { stretch } else { 1.0 };
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

/// The inverse of a symmetric positive matrix, by elimination; `None` where it has none.
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

/// How much less than the best of the active arms a visitor of each arm brings, in draws from what is known of the arms.
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

/// What was lost as so many visitors were sent to each arm, and as an even split would have sent them.
fn losses(shortfalls: &[Vec<f64>], visitors: &[u64], confidence: f64) -> Losses {
    let each = visitors.iter().sum::<u64>() as f64 / visitors.len() as f64;
    let of_sent = |draw: &Vec<f64>| draw.iter().zip(visitors).map(|(less, n)| less * *n as f64).sum();
    let of_even = |draw: &Vec<f64>| draw.iter().map(|less| less * each).sum();
    Losses {
        sent: regret(shortfalls.iter().map(of_sent).collect(), confidence),
        even_split: regret(shortfalls.iter().map(of_even).collect(), confidence),
    }
}

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
