//! One arm beside the control: from cells to an effect.
//!
//! Visitors are compared within strata, that is, among those who came under the same ratio of weights, and the effects of
//! the strata are combined. A change of weights then cannot look like an effect, however the metric moves with time.

use crate::design::{AllocationPolicy, BANDIT_EPOCHS, Design};
use crate::summary::{Measure, Metric, Summary};
use muriel_stats::boundary::Mixture;
use muriel_stats::{Effect, Epochs, Result, Sample, Undefined};

/// Visitors of both arms together from which a covariate is worth its noise.
const MIN_COVARIATE_VISITORS: u64 = 200;

/// What is compared, and how it is to be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    pub(crate) effect: Effect,
    /// The boundary of the test, tuned for the comparison, before any correction.
    pub(crate) boundary: Mixture,
    /// How far the comparison has come on the boundary's scale: units of both arms, or epochs of a bandit.
    pub(crate) time: f64,
    /// Strata that could be compared.
    pub(crate) strata: usize,
    /// Their visitors, without those of strata in which one of the arms had too few.
    pub(crate) control: Summary,
    /// As `control`, of the arm.
    pub(crate) treatment: Summary,
    /// Weights of control and arm in the first stratum, in lowest terms. Of a bandit it says nothing: each epoch is a
    /// stratum of its own.
    pub(crate) ratio: (u64, u64),
    /// Variance over that without the covariate; 1 where none was used.
    pub(crate) variance_ratio: f64,
}

/// Both arms of a stratum.
#[derive(Default)]
pub(crate) struct Stratum {
    /// Epochs with the same ratio belong together.
    ratio: (u64, u64),
    pub(crate) control: Summary,
    pub(crate) treatment: Summary,
}

/// Compares `arm` with the control, where visitors' time to convert is over.
///
/// Visitors who came under different weights are compared among themselves
/// first: pooled, a change of weights would look like an effect whenever the
/// metric moves with time. The differences are then weighted by the share of
/// visitors, or by their precision for a bandit, whose weights follow the data.
///
/// # Errors
/// Why the arms cannot be compared.
pub(crate) fn compare(design: &Design, metric: &Metric, arm: usize, level: f64) -> Result<Compared> {
    let strata = strata(design, metric, arm);
    let mut parts: Vec<(f64, Effect)> = Vec::with_capacity(strata.len());
    let (mut control, mut treatment, mut ratio) = (Summary::default(), Summary::default(), None);
    let mut adjusted_variance = (0.0, 0.0);
    let mut first_problem = None;
    for stratum in &strata {
        let visitors = stratum.control.visitors + stratum.treatment.visitors;
        let one_variance = design.policy == AllocationPolicy::Bandit && strata.len() > 1;
        match effect(metric.measure, &stratum.control, &stratum.treatment, one_variance) {
            Ok((effect, left)) => {
                let weight = visitors as f64;
                adjusted_variance.0 += weight * weight * effect.var_num;
                adjusted_variance.1 += weight * weight * effect.var_num / left;
                parts.push((weight, effect));
                (control, treatment) = (control.merge(&stratum.control), treatment.merge(&stratum.treatment));
                ratio = ratio.or(Some(stratum.ratio));
            }
            Err(problem) => first_problem = first_problem.or(Some(problem)),
        }
    }
    let Some(ratio) = ratio else { return Err(first_problem.unwrap_or(Undefined::NoUnits)) };
    let (effect, boundary, time) = match design.policy {
        AllocationPolicy::Bandit if parts.len() > 1 => {
            let epochs: Vec<Result<Effect>> = parts.iter().map(|(_, effect)| Ok(*effect)).collect();
            let effect = Epochs::combine(&epochs)?.studentised;
            (effect, Mixture::tuned(BANDIT_EPOCHS, level)?, parts.len() as f64)
        }
        _ => {
            let effect = Effect::weighted(&parts)?;
            (effect, Mixture::tuned(design.planned_units(arm), level)?, effect.n)
        }
    };
    let variance_ratio = match adjusted_variance {
        (adjusted, plain) if plain > 0.0 => adjusted / plain,
        _ => 1.0,
    };
    Ok(Compared { effect, boundary, time, strata: parts.len(), control, treatment, ratio, variance_ratio })
}

/// Cells of visitors whose time is over, by the ratio of their weights, where both
/// arms had some: whoever was seen in an arm without weight was lost on the way there.
pub(crate) fn strata(design: &Design, metric: &Metric, arm: usize) -> Vec<Stratum> {
    let mut strata: Vec<Stratum> = Vec::new();
    for cell in metric.cells.iter().filter(|cell| !cell.open && (cell.arm == 0 || cell.arm == arm)) {
        let Some(ratio) = stratum_of(design, cell.epoch, arm) else { continue };
        let at = strata.iter().position(|stratum| stratum.ratio == ratio).unwrap_or_else(|| {
            strata.push(Stratum { ratio, ..Stratum::default() });
            strata.len() - 1
        });
        let side = if cell.arm == 0 { &mut strata[at].control } else { &mut strata[at].treatment };
        *side = side.merge(&cell.summary);
    }
    strata.sort_by_key(|stratum| stratum.ratio);
    strata
}

/// What tells the stratum of an epoch from others in a comparison of `arm` with the control: the ratio of their weights.
/// `None` where one of them had none.
pub(crate) fn stratum_of(design: &Design, epoch: i64, arm: usize) -> Option<(u64, u64)> {
    let weights = design.weights(epoch);
    let (of_control, of_arm) = (weights[0], weights.get(arm).copied().unwrap_or(0));
    if of_control == 0 || of_arm == 0 {
        return None;
    }
    Some(match design.policy {
        // Each epoch of a bandit is a batch of its own.
        AllocationPolicy::Bandit => (epoch.unsigned_abs(), 0),
        AllocationPolicy::Fixed | AllocationPolicy::Holdout | AllocationPolicy::Personalization => {
            reduced(of_control, of_arm)
        }
    })
}

/// Two weights in lowest terms: 50 : 50 and 40 : 40 are one ratio.
fn reduced(a: u32, b: u32) -> (u64, u64) {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let divisor = x.max(1);
    (u64::from(a / divisor), u64::from(b / divisor))
}

/// The effect in one stratum, and the share of the variance that the covariate left.
///
/// A small arm of rare conversions or skewed orders has a small variance just when
/// its mean is small, and would look surely worse by chance. So the variance of the
/// difference is at least what all visitors together give it. With `one_variance` it
/// is just that: an arm that a bandit starves has a handful of conversions an epoch,
/// and the errors of thirty epochs would add up to a false winner.
fn effect(measure: Measure, control: &Summary, treatment: &Summary, one_variance: bool) -> Result<(Effect, f64)> {
    let sample = |summary: &Summary| match measure {
        Measure::Conversion => Sample::of_proportion(summary.visitors, summary.converted),
        Measure::Value => Sample::of_mean(&summary.value),
    };
    let (arms, all) = ((sample(control)?, sample(treatment)?), sample(&control.merge(treatment))?);
    if one_variance {
        let arm = |arm: Sample| Sample { variance: all.variance, ..arm };
        return Ok((Effect::of_samples(&arm(arms.0), &arm(arms.1))?, 1.0));
    }
    let (in_control, in_treatment) = (control.visitors, treatment.visitors);
    let plain = Effect::of_samples(&arms.0, &arms.1)?.with_min_variance(all.variance, in_control, in_treatment);
    let varies = |summary: &Summary| summary.adjusted.m2_y > 0.0;
    if in_control + in_treatment < MIN_COVARIATE_VISITORS
        || !(varies(control) && varies(treatment))
        || plain.var_num <= 0.0
    {
        return Ok((plain, 1.0));
    }
    let adjusted = match Effect::of_adjusted(&control.adjusted, &treatment.adjusted) {
        Ok(adjusted) if adjusted.effect.var_num > 0.0 => adjusted,
        _ => return Ok((plain, 1.0)),
    };
    let of_all = control.adjusted.merge(&treatment.adjusted).residual_variance(adjusted.theta)?;
    let effect = adjusted.effect.with_min_variance(of_all, in_control, in_treatment);
    // A covariate that does not help is left out.
    Ok(if effect.var_num < plain.var_num { (effect, effect.var_num / plain.var_num) } else { (plain, 1.0) })
}
