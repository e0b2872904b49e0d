//! One arm beside the control: from cells to an effect.

use crate::design::{BANDIT_EPOCHS, Design, Trial};
use crate::summary::{Measure, Metric, Summary};
use muriel_stats::boundary::Mixture;
use muriel_stats::{Effect, Result, Sample, Undefined};

/// Visitors of both arms together from which a covariate is worth its noise.
const ADJUSTED_FROM: u64 = 200;

/// What is compared, and how it is to be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    pub(crate) effect: Effect,
    /// Tuned for the comparison; its time runs in `time`.
    pub(crate) boundary: Mixture,
    /// Units, or epochs of a bandit.
    pub(crate) time: f64,
    /// How many strata of equal weights went in.
    pub(crate) strata: usize,
    /// Their visitors, without those of strata in which one of the arms had too few.
    pub(crate) control: Summary,
    pub(crate) treatment: Summary,
    /// How the first of them shared, the control first; of a bandit it says nothing.
    pub(crate) ratio: (u64, u64),
    /// Variance over that without the covariate; 1 where none was used.
    pub(crate) variance_ratio: f64,
}

/// Both arms of a stratum.
#[derive(Default)]
struct Stratum {
    /// Epochs with the same ratio belong together.
    ratio: (u64, u64),
    control: Summary,
    treatment: Summary,
}

/// Compares `arm` with the control, where visitors' time to convert is over.
///
/// Visitors who came under different weights are compared among themselves
/// first: pooled, a change of weights would look like an effect whenever the
/// metric moves with time. The differences are then weighted by the share of
/// visitors, or by their precision for a bandit, whose weights follow the data.
///
/// # Errors
/// Why there is nothing to compare.
pub(crate) fn compare(design: &Design, metric: &Metric, arm: usize, level: f64) -> Result<Compared> {
    let strata = strata(design, metric, arm);
    let mut parts: Vec<(f64, Effect)> = Vec::with_capacity(strata.len());
    let (mut control, mut treatment, mut ratio) = (Summary::default(), Summary::default(), None);
    let mut adjusted_variance = (0.0, 0.0);
    let mut first_problem = None;
    for stratum in &strata {
        let visitors = stratum.control.visitors + stratum.treatment.visitors;
        let one_variance = design.trial == Trial::Bandit && strata.len() > 1;
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
    let (effect, boundary, time) = match design.trial {
        Trial::Bandit if parts.len() > 1 => {
            let effect = studentised(&parts)?;
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
fn strata(design: &Design, metric: &Metric, arm: usize) -> Vec<Stratum> {
    let mut strata: Vec<Stratum> = Vec::new();
    for cell in metric.cells.iter().filter(|cell| !cell.open && (cell.arm == 0 || cell.arm == arm)) {
        let weights = design.weights(cell.epoch);
        let (of_control, of_arm) = (weights[0], weights.get(arm).copied().unwrap_or(0));
        if of_control == 0 || of_arm == 0 {
            continue;
        }
        let ratio = match design.trial {
            // Each epoch of a bandit is a batch of its own.
            Trial::Bandit => (cell.epoch.unsigned_abs(), 0),
            Trial::Fixed | Trial::Personalization => reduced(of_control, of_arm),
        };
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
    let of_both = 1.0 / control.visitors as f64 + 1.0 / treatment.visitors as f64;
    let at_least = |effect: Effect, variance: f64| Effect { var_num: effect.var_num.max(variance * of_both), ..effect };
    let plain = at_least(Effect::of_samples(&arms.0, &arms.1)?, all.variance);
    let both = control.visitors + treatment.visitors;
    let varies = |summary: &Summary| summary.adjusted.m2_y > 0.0;
    if both < ADJUSTED_FROM || !(varies(control) && varies(treatment)) || plain.var_num <= 0.0 {
        return Ok((plain, 1.0));
    }
    let adjusted = match Effect::of_adjusted(&control.adjusted, &treatment.adjusted) {
        Ok(adjusted) if adjusted.effect.var_num > 0.0 => adjusted,
        _ => return Ok((plain, 1.0)),
    };
    let (joint, theta) = (control.adjusted.merge(&treatment.adjusted), adjusted.theta);
    let m2 = joint.m2_x - 2.0 * theta * joint.c + theta * theta * joint.m2_y;
    let effect = at_least(adjusted.effect, m2 / (joint.n as f64 - 1.0));
    // A covariate that does not help is left out.
    Ok(if effect.var_num < plain.var_num { (effect, effect.var_num / plain.var_num) } else { (plain, 1.0) })
}

/// Epochs weighted by their precision: the z of each is standard normal whatever
/// the allocation was, as it was settled before the epoch began.
fn studentised(parts: &[(f64, Effect)]) -> Result<Effect> {
    let parts: Vec<(f64, Effect)> = parts
        .iter()
        .filter(|(_, effect)| effect.var_num > 0.0)
        .map(|(_, effect)| (1.0 / effect.var_num.sqrt(), *effect))
        .collect();
    if parts.is_empty() { Err(Undefined::ZeroVariance) } else { Effect::weighted(&parts) }
}
