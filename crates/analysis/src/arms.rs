//! Comparison of one arm with the control: from cells to an effect.
//!
//! Visitors are compared within strata, that is, among those who entered under the same ratio of weights. The effects
//! of the strata are then combined. A change of weights therefore cannot look like an effect, however the metric moves
//! with time.

use crate::design::{AllocationPolicy, BANDIT_EPOCHS, Design};
use crate::summary::{Measure, Metric, Summary};
use muriel_stats::boundary::Mixture;
use muriel_stats::{Effect, Epochs, Result, Sample, Undefined};

/// Minimum visitors of both arms together for the use of a covariate; with fewer, it adds noise. The visitors are those
/// of one stratum.
const MIN_COVARIATE_VISITORS: u64 = 200;

/// A comparison, with what its test needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    pub(crate) effect: Effect,
    /// Boundary of the test, tuned for the comparison, before any correction.
    pub(crate) boundary: Mixture,
    /// Progress of the comparison on the boundary's scale: units of both arms, or epochs of a bandit.
    pub(crate) time: f64,
    /// Number of strata that could be compared.
    pub(crate) strata: usize,
    /// Summary of the control's visitors, without strata in which one of the arms had too few.
    pub(crate) control: Summary,
    /// Like `control`, for the arm.
    pub(crate) treatment: Summary,
    /// Weights of control and arm in the first stratum, in lowest terms. Meaningless for a bandit, as each of its
    /// epochs is a stratum.
    pub(crate) ratio: (u64, u64),
    /// Variance divided by that without the covariate; 1 when no covariate was used.
    pub(crate) variance_ratio: f64,
}

/// Both arms of one stratum.
#[derive(Default)]
pub(crate) struct Stratum {
    /// Epochs with the same ratio belong to the same stratum.
    ratio: (u64, u64),
    pub(crate) control: Summary,
    pub(crate) treatment: Summary,
}

/// Compares `arm` with the control, among visitors whose conversion window has closed.
///
/// Visitors who entered under different weights are first compared separately. Pooled, a change of weights would look
/// like an effect whenever the metric moves with time. The differences are then weighted by their share of visitors.
/// For a bandit, whose weights follow the data, they are weighted by their precision.
///
/// # Errors
/// The reason why the arms cannot be compared. `NoUnits` without any stratum, otherwise that of the first stratum.
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

/// Groups the cells with closed conversion windows by the ratio of their weights. Leaves out epochs in which
/// one of the arms had no weight: no visitors were assigned to it then, so nothing can be compared.
///
/// Strata are sorted by ratio, so their order does not depend on that of the cells.
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

/// Key of an epoch's stratum in a comparison of `arm` with the control: the ratio of their weights. `None` when one of
/// them had no weight.
pub(crate) fn stratum_of(design: &Design, epoch: i64, arm: usize) -> Option<(u64, u64)> {
    let weights = design.weights(epoch);
    let (of_control, of_arm) = (weights[0], weights.get(arm).copied().unwrap_or(0));
    if of_control == 0 || of_arm == 0 {
        return None;
    }
    Some(match design.policy {
        // Each epoch of a bandit is a stratum of its own.
        AllocationPolicy::Bandit => (epoch.unsigned_abs(), 0),
        AllocationPolicy::Fixed | AllocationPolicy::Holdout | AllocationPolicy::Personalization => {
            reduced(of_control, of_arm)
        }
    })
}

/// Reduces two weights to lowest terms: 50 : 50 and 40 : 40 are the same ratio.
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
/// A small arm with rare conversions or skewed orders has a small variance exactly when its mean is small, and would
/// look significantly worse by chance. The variance of the difference is therefore at least the one estimated from all
/// visitors together. With `one_variance` it is exactly that: an arm that a bandit rarely shows has a handful of
/// conversions per epoch, and the errors of thirty epochs would add up to a false winner.
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
    // A covariate that does not reduce the variance is not used.
    Ok(if effect.var_num < plain.var_num { (effect, effect.var_num / plain.var_num) } else { (plain, 1.0) })
}
