//! Interactions: whether one experiment changes the effect of another one.
//!
//! An ordered pair consists of an experiment with its metric, and another experiment that shares visitors with it. The
//! question is whether the effect of an arm, compared with the control, depends on the arm of the other experiment. The
//! effect within each arm of the other is a difference of means. The interaction is the difference of these two
//! effects. With four cells of visitors it is (m₁₁ − m₀₁) − (m₁₀ − m₀₀): the first index is the own arm, the second the
//! other's. [`interaction`] tests it with an always-valid test, and [`found`] corrects for all pairs by e-BH.
//!
//! Arms of both experiments are drawn independently of each other and of everything before. Without an interaction, the
//! difference of differences therefore has mean zero. That holds whichever experiment a visitor met first, even if one
//! of them changes who enters the other.

use crate::arms::stratum_of;
use crate::design::{AllocationPolicy, BANDIT_EPOCHS, Design, MIN_CONVERTED, MIN_VISITORS};
use muriel_stats::boundary::{self, Mixture, sequential};
use muriel_stats::multiplicity::{adjust_e_values, e_bh, interval_alpha};
use muriel_stats::{Effect, Epochs, Interval, Moments, Result, Undefined};
use std::collections::BTreeMap;

/// Accepted rate of false discoveries among all findings in a check of a project's pairs. The confidence of the
/// experiments' designs does not change it.
pub const LEVEL: f64 = 0.05;

/// Minimum visitors that two experiments must share: a hundred in each of four cells. With fewer, [`interaction`]
/// returns `None`.
pub const MIN_SHARED: u64 = 4 * MIN_VISITORS;

/// Visitors in both experiments who entered in the same epochs and met the same arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairCell {
    /// Epoch of entry into the experiment whose metric is measured.
    pub epoch: i64,
    /// Arm in that experiment.
    pub arm: usize,
    /// Epoch of entry into the other experiment.
    pub other_epoch: i64,
    /// Arm in the other experiment.
    pub other_arm: usize,
    /// Number of visitors who converted.
    pub converted: u64,
    /// Moments of the metric per visitor: 0 or 1, or a value. Only for visitors whose conversion window has closed.
    pub outcome: Moments,
}

/// Difference of an arm's effect between an arm of the other experiment and its control, for the combination with the
/// strongest evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// Arm of the experiment whose metric is measured, 1 for `Variant 1`.
    pub arm: usize,
    /// Arm of the other experiment, 1 for `Variant 1`.
    pub other_arm: usize,
    contrast: Contrast,
    /// Number of combinations of an arm of either experiment, without the controls.
    combinations: usize,
}

/// The interaction of one combination of arms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contrast {
    /// Difference of differences. The baseline is the cell of both controls. `n` counts visitors or, for a bandit,
    /// batches.
    effect: Effect,
    boundary: Mixture,
    /// Visitors in the four cells.
    visitors: u64,
}

/// A pair with a significant interaction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Index among the pairs.
    pub pair: usize,
    /// Arm whose effect differs, 1 for `Variant 1`.
    pub arm: usize,
    /// Arm of the other experiment in which the effect differs from that in its control, 1 for `Variant 1`.
    pub other_arm: usize,
    /// Additional effect of the arm there: a share of visitors, or a value per visitor.
    pub difference: f64,
    /// Confidence interval of the difference; never contains zero.
    pub interval: Interval,
    /// P-value after the correction for all pairs.
    pub p_value: f64,
    /// Visitors in the four cells.
    pub visitors: u64,
}

/// Compares the effects of each arm of `own` between the arms of `other`. The strongest combination represents the
/// pair. Its evidence is divided by the number of combinations, so that more arms do not lead to more chance findings.
///
/// `None` while no combination has 100 visitors in each of its four cells and 40 conversions in all of them together.
/// Also `None` for personalizations: a difference between audiences is not an effect.
///
/// Cells with the same epochs and arms are merged. Cells of an epoch in which one of the compared arms had no weight
/// are left out.
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
    // The first of equal ones, so that the same cells always give the same result.
    tested.fold(None, |strongest: Option<Interaction>, next| match strongest {
        Some(strongest) if strongest.log_e() >= next.log_e() => Some(strongest),
        _ => Some(next),
    })
}

impl Interaction {
    /// Natural logarithm of the pair's e-value. The e-value is that of the strongest combination divided by the number
    /// of combinations. This is at most their mean, and therefore an e-value too.
    pub fn log_e(&self) -> f64 {
        let Contrast { effect, boundary, .. } = self.contrast;
        // The variance of a contrast is always positive.
        boundary.log_e(effect.num / effect.var_num.sqrt(), effect.n) - (self.combinations.max(1) as f64).ln()
    }

    /// Always-valid p-value of the pair alone. Not corrected for other pairs; see [`found`].
    pub fn p_value(&self) -> f64 {
        boundary::p_value(self.log_e())
    }
}

/// Returns the pairs that e-BH finds at `level`, in their order. On average at most this share of the findings is
/// false, at any time and however pairs depend on each other. A pair without a value is not part of the family.
///
/// The level of each interval follows from the share of pairs that were found, so the interval never contains zero.
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

/// Four cells of one combination in one stratum: own control and arm, each with the other's control and arm.
#[derive(Debug, Clone, Copy, Default)]
struct Cells([[Moments; 2]; 2]);

impl Cells {
    fn each(&self) -> impl Iterator<Item = &Moments> {
        self.0.iter().flatten()
    }

    /// Difference of differences. Its variance is at least the one based on the variance of all visitors, because a
    /// small cell with rare conversions has a small variance exactly when its mean is small. With `one_variance` it is
    /// exactly that one.
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

/// Difference of differences of one combination, and the boundary of its test.
///
/// The effect of an arm may change with time, so visitors who entered under the same weights of both experiments are
/// compared within their stratum. The differences are then weighted by visitors, or by their precision when a bandit's
/// weights follow the data.
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
    // Strata in which one of the cells has too few visitors are left out.
    let effects = strata.values().filter_map(|cells| cells.effect(is_bandit).ok());
    let parts: Vec<(f64, Effect)> = effects.map(|effect| (effect.n, effect)).collect();
    let visitors = parts.iter().map(|(n, _)| *n as u64).sum();
    let (effect, boundary) = if is_bandit && parts.len() > 1 {
        let batches: Vec<Result<Effect>> = parts.iter().map(|(_, effect)| Ok(*effect)).collect();
        (Epochs::combine(&batches)?.in_epochs(), Mixture::tuned(BANDIT_EPOCHS, LEVEL)?)
    } else {
        // Visitors in both are at most those of the smaller one.
        let planned = own.planned_units(arm).min(other.planned_units(other_arm));
        (Effect::weighted(&parts)?, Mixture::tuned(planned, LEVEL)?)
    };
    Ok(Contrast { effect, boundary, visitors })
}

#[cfg(test)]
mod tests;
