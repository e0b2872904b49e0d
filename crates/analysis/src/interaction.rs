//! Interactions: whether one experiment changes what another one does.
//!
//! An ordered pair is an experiment with its metric and another experiment that some of its visitors met too. Its question is
//! whether the effect of an arm, beside the control, depends on the arm of the other experiment. The effect in either arm of
//! the other is a difference of means, and the interaction is the difference of these two: of four cells of visitors,
//! (m₁₁ − m₀₁) − (m₁₀ − m₀₀), first index the own arm, second the other's. [`interaction`] tests it always-valid, and
//! [`found`] corrects for all pairs by e-BH.
//!
//! Arms of both experiments are drawn independently of each other and of all that went before. So without an interaction the
//! difference of differences has mean zero, whichever experiment a visitor met first, and though one of them changes who
//! comes to the other.

use crate::arms::stratum_of;
use crate::design::{AllocationPolicy, BANDIT_EPOCHS, Design};
use crate::health::{MIN_CONVERTED, MIN_VISITORS};
use muriel_stats::boundary::{self, Mixture, sequential};
use muriel_stats::multiplicity::{adjust_e_values, e_bh, interval_alpha};
use muriel_stats::{Effect, Epochs, Interval, Moments, Result, Undefined};
use std::collections::BTreeMap;

/// The share of false findings that is accepted among what is found in a look at all pairs of a project.
pub const LEVEL: f64 = 0.05;

/// Visitors that two experiments share at least before there is anything to judge: a hundred in each of four cells.
pub const MIN_SHARED: u64 = 4 * MIN_VISITORS;

/// Visitors in both experiments who came in the same epochs and met the same arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairCell {
    /// The epoch in which they entered the experiment whose metric it is.
    pub epoch: i64,
    /// Their arm of that experiment.
    pub arm: usize,
    /// The epoch in which they entered the other experiment.
    pub other_epoch: i64,
    /// Their arm of the other experiment.
    pub other_arm: usize,
    /// How many converted.
    pub converted: u64,
    /// The metric per visitor: 0 or 1, or a value. Only of visitors whose time to convert is over.
    pub outcome: Moments,
}

/// How much the effect of an arm differs between an arm of the other experiment and its control, where that stands out most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// The arm of the experiment whose metric it is, 1 for `Variant 1`.
    pub arm: usize,
    /// The arm of the other experiment, 1 for `Variant 1`.
    pub other_arm: usize,
    contrast: Contrast,
    /// Combinations of an arm of one and an arm of the other experiment, the controls left out.
    combinations: usize,
}

/// The interaction of one combination of arms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contrast {
    /// Difference of the differences. The baseline are those who met both controls; `n` counts visitors, or batches of a bandit.
    effect: Effect,
    boundary: Mixture,
    /// Visitors of the four cells.
    visitors: u64,
}

/// A pair that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Its place among the pairs.
    pub pair: usize,
    /// The arm whose effect it is, 1 for `Variant 1`.
    pub arm: usize,
    /// The arm of the other experiment in which it is another than in the control, 1 for `Variant 1`.
    pub other_arm: usize,
    /// By how much the arm's effect is more there: a share of visitors, or a value per visitor.
    pub difference: f64,
    /// Where that is; never with zero in it.
    pub interval: Interval,
    /// The p-value after the correction for all pairs.
    pub p_value: f64,
    /// Visitors of the four cells.
    pub visitors: u64,
}

/// Compares the effects of each arm of `own` between the arms of `other`. What stands out most speaks for the pair, and is paid
/// for by the number of combinations, so that more arms find no more by chance.
///
/// `None` while no combination has 100 visitors in each of its four cells and 40 conversions in all of them together, and for
/// arms that have audiences of their own: between audiences a difference is not an effect.
pub fn interaction(own: &Design, other: &Design, cells: &[PairCell]) -> Option<Interaction> {
    if [own, other].iter().any(|design| design.policy == AllocationPolicy::Personalization) {
        return None;
    }
    let combinations = own.arms.saturating_sub(1) * other.arms.saturating_sub(1);
    let pairs_of_arms = (1..own.arms).flat_map(|arm| (1..other.arms).map(move |other_arm| (arm, other_arm)));
    let tested = pairs_of_arms.filter_map(|(arm, other_arm)| {
        let contrast = contrast(own, other, cells, arm, other_arm).ok()?;
        Some(Interaction { arm, other_arm, contrast, combinations })
    });
    // Of equal ones the first: the same cells always give the same answer.
    tested.fold(None, |strongest: Option<Interaction>, next| match strongest {
        Some(strongest) if strongest.log_e() >= next.log_e() => Some(strongest),
        _ => Some(next),
    })
}

impl Interaction {
    /// Natural logarithm of the pair's e-value: that of the strongest combination over the number of combinations, which is at
    /// most their mean, and so is an e-value too.
    pub fn log_e(&self) -> f64 {
        let Contrast { effect, boundary, .. } = self.contrast;
        // The variance of a contrast is positive.
        boundary.log_e(effect.num / effect.var_num.sqrt(), effect.n) - (self.combinations.max(1) as f64).ln()
    }

    /// Always-valid p-value of the pair alone.
    pub fn p_value(&self) -> f64 {
        boundary::p_value(self.log_e())
    }
}

/// The pairs that e-BH finds at `level`, in their order: of those that are found, whenever it is looked, at most this share is
/// false on average, however pairs depend on each other. A pair without a value leaves the family.
///
/// The interval of each is at the level of its part in what was found, so that it never has zero in it.
///
/// # Errors
/// `InvalidInput` when the level is not between 0 and 1.
pub fn found(pairs: &[Option<Interaction>], level: f64) -> Result<Vec<Found>> {
    let logs: Vec<Option<f64>> = pairs.iter().map(|pair| pair.as_ref().map(Interaction::log_e)).collect();
    let rejected = e_bh(&logs, level)?;
    let p_values = adjust_e_values(&logs)?;
    let family = logs.iter().flatten().count();
    let of_pair = |pair: usize| {
        let Interaction { arm, other_arm, contrast: Contrast { effect, boundary, visitors }, combinations } =
            pairs[pair]?;
        let alpha = interval_alpha(level, rejected.len(), family).ok()? / combinations.max(1) as f64;
        let interval = boundary.at_level(alpha).and_then(|boundary| sequential(&effect, &boundary)).ok()?.interval;
        Some(Found { pair, arm, other_arm, difference: effect.num, interval, p_value: p_values[pair]?, visitors })
    };
    Ok(rejected.iter().copied().filter_map(of_pair).collect())
}

/// The four cells of one combination in one stratum: own control and arm, each with the other's control and arm.
#[derive(Debug, Clone, Copy, Default)]
struct Cells([[Moments; 2]; 2]);

impl Cells {
    fn each(&self) -> impl Iterator<Item = &Moments> {
        self.0.iter().flatten()
    }

    /// The difference of differences. Its variance is at least what the variance of all visitors makes it, as a small cell of
    /// rare conversions has a small variance just when its mean is small; and just that with `one_variance`.
    fn effect(&self, one_variance: bool) -> Result<Effect> {
        let all = self.each().fold(Moments::default(), |sum, cell| sum.merge(cell));
        let (mut own, mut least) = (0.0, 0.0);
        let of_all = all.variance()?;
        for cell in self.each() {
            own += cell.variance()? / cell.n as f64;
            least += of_all / cell.n as f64;
        }
        let var_num = if one_variance { least } else { own.max(least) };
        if var_num <= 0.0 {
            return Err(Undefined::ZeroVariance);
        }
        let [[m_00, m_01], [m_10, m_11]] = self.0.map(|row| row.map(|cell| cell.mean));
        let var_den = self.0[0][0].variance()? / self.0[0][0].n as f64;
        let n = all.n as f64;
        Ok(Effect { num: (m_11 - m_01) - (m_10 - m_00), den: m_00, var_num, var_den, cov: var_den, n, df: n })
    }
}

/// The difference of differences of one combination, and the boundary of its test.
///
/// Visitors who came under the same weights of both experiments are compared among themselves, as the effect of an arm may
/// move with time, and the differences are put together by visitors; or by their precision where a bandit's weights follow the
/// data.
fn contrast(own: &Design, other: &Design, cells: &[PairCell], arm: usize, other_arm: usize) -> Result<Contrast> {
    let mut strata: BTreeMap<_, Cells> = BTreeMap::new();
    let (mut visitors, mut converted) = ([[0; 2]; 2], 0);
    let side = |at: usize, of: usize| match at {
        0 => Some(0),
        at if at == of => Some(1),
        _ => None,
    };
    for cell in cells {
        let Some((row, column)) = side(cell.arm, arm).zip(side(cell.other_arm, other_arm)) else { continue };
        let key = stratum_of(own, cell.epoch, arm).zip(stratum_of(other, cell.other_epoch, other_arm));
        let Some(key) = key else { continue };
        let known = &mut strata.entry(key).or_default().0[row][column];
        *known = known.merge(&cell.outcome);
        visitors[row][column] += cell.outcome.n;
        converted += cell.converted;
    }
    if visitors.iter().flatten().any(|n| *n < MIN_VISITORS) || converted < 4 * MIN_CONVERTED {
        return Err(Undefined::TooFewUnits);
    }
    let is_bandit = [own, other].iter().any(|design| design.policy == AllocationPolicy::Bandit) && strata.len() > 1;
    // A stratum in which one of the cells has too few is left out.
    let effects = strata.values().filter_map(|cells| cells.effect(is_bandit).ok());
    let parts: Vec<(f64, Effect)> = effects.map(|effect| (effect.n, effect)).collect();
    let visitors = parts.iter().map(|(n, _)| *n as u64).sum();
    let (effect, boundary) = if is_bandit && parts.len() > 1 {
        let batches: Vec<Result<Effect>> = parts.iter().map(|(_, effect)| Ok(*effect)).collect();
        (Epochs::combine(&batches)?.in_epochs(), Mixture::tuned(BANDIT_EPOCHS, LEVEL)?)
    } else {
        // Nobody is in both who is not in each.
        let planned = own.planned_units(arm).min(other.planned_units(other_arm));
        (Effect::weighted(&parts)?, Mixture::tuned(planned, LEVEL)?)
    };
    Ok(Contrast { effect, boundary, visitors })
}

#[cfg(test)]
mod tests;
