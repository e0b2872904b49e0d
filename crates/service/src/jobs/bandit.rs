//! Moves the weights of bandits.

use super::{CLOCK, apply, object};
use crate::app::App;
use crate::clock_periods::ClockPeriods;
use crate::experiments::{Change, Target};
use muriel_analysis::bandit::Bandit;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, Experiment, Rule, Weights};
use muriel_results::Computed;
use serde_json::{Map, Value, json};

/// Smallest change of a weight for which weights move, in hundredths of a percent: each move opens an epoch.
const LEAST_MOVE: u32 = 100;

/// New weights, with the numbers that call for them.
pub(super) struct Move {
    in_force: Weights,
    weights: Weights,
    bandit: Bandit,
}

impl Move {
    /// Makes the move no larger than one to `other`, and none if that leads away from it.
    pub(super) fn limit_to(&mut self, other: &Weights) {
        let step = |to: &Weights| -> Vec<i64> {
            let both = to.hundredths().iter().zip(self.in_force.hundredths());
            both.map(|(to, from)| i64::from(*to) - i64::from(*from)).collect()
        };
        let (own, others) = (step(&self.weights), step(other));
        let length = |step: &[i64]| step.iter().map(|part| part.abs()).sum::<i64>();
        if own.iter().zip(&others).map(|(own, other)| own * other).sum::<i64>() <= 0 {
            self.weights = self.in_force.clone();
        } else if length(&others) < length(&own) {
            self.weights = other.clone();
        }
    }

    /// Returns whether any weight moves enough to open an epoch.
    pub(super) fn is_large_enough(&self) -> bool {
        let both = self.in_force.hundredths().iter().zip(self.weights.hundredths());
        both.into_iter().any(|(before, after)| before.abs_diff(*after) >= LEAST_MOVE)
    }

    /// Describes the move, as a clause and in numbers. `None` without arms.
    fn described(&self) -> Option<(String, Map<String, Value>)> {
        let Move { in_force, weights, bandit } = self;
        let leading =
            bandit.arms.iter().max_by(|one, other| one.probability_best.total_cmp(&other.probability_best))?;
        let detail = format!(
            "weights moved from {} to {} percent, the control first: {} is the best with a probability of {:.1} percent",
            in_words(in_force),
            in_words(weights),
            arm(leading.arm),
            leading.probability_best * 100.0,
        );
        let arms: Vec<Value> = bandit
            .arms
            .iter()
            .map(|known| {
                json!({
                    "variant_id": arm(known.arm).id(),
                    "visitors": known.visitors,
                    "probability_best": known.probability_best * 100.0,
                    "weight_before": percent(in_force.of(arm(known.arm))),
                    "weight": percent(weights.of(arm(known.arm))),
                })
            })
            .collect();
        Some((detail, object(json!({ "variants": arms, "floor": bandit.floor * 100.0 }))))
    }
}

/// Returns the weights that the result calls for; `None` where those in force are as good, too few
/// visitors have entered, or the period in which they were set is not over.
pub(super) fn due_move(
    periods: &ClockPeriods,
    experiment: &Experiment,
    computed: &Computed,
    now: Instant,
) -> Option<Move> {
    let look = computed.bandit.as_ref().filter(|_| experiment.follows(Rule::Bandit))?;
    // A broken split, or events stored on another node, would move visitors by wrong numbers.
    if computed.report.health.distrust().is_some() {
        return None;
    }
    let set_at = computed.manifest.epochs.last()?.started_at;
    if !look.has_batch || periods.bandit_period(now) <= periods.bandit_period(set_at) {
        return None;
    }
    let bandit = look.bandit.as_ref().ok()?;
    let moved = Move {
        in_force: experiment.weights(),
        weights: weights_of(bandit, experiment.arms())?,
        bandit: bandit.clone(),
    };
    moved.is_large_enough().then_some(moved)
}

/// Returns the weights that a result calls for, at any time. `None` when too few visitors have entered.
pub(super) fn called_for(experiment: &Experiment, computed: &Computed) -> Option<Weights> {
    weights_of(computed.bandit.as_ref()?.bandit.as_ref().ok()?, experiment.arms())
}

fn weights_of(bandit: &Bandit, arms: usize) -> Option<Weights> {
    let mut shares = vec![0.0; arms];
    for arm in &bandit.arms {
        *shares.get_mut(arm.arm)? = arm.share;
    }
    Weights::of_shares(&shares)
}

/// Moves the weights, unless the experiment was changed since it was checked.
pub(super) async fn reweight(
    app: &App,
    term: i64,
    target: Target,
    revision: i64,
    moved: Move,
    computed: &Computed,
) -> Result<Option<Rule>> {
    let change = Change::new(app, &CLOCK, target, "reweight");
    let manifest = serde_json::to_value(&computed.manifest).map_err(Error::internal)?;
    let Some((detail, numbers)) = moved.described() else { return Ok(None) };
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.reweighted(moved.weights, detail, numbers, now)?))
    };
    let changed = apply(app, term, change, Rule::Bandit, None, Some(manifest), decide).await?;
    Ok(changed.map(|_| Rule::Bandit))
}

fn arm(number: usize) -> Arm {
    Arm(u32::try_from(number).unwrap_or(u32::MAX))
}

fn percent(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}

/// Formats weights, such as `50 / 50`.
fn in_words(weights: &Weights) -> String {
    let each: Vec<String> = weights.hundredths().iter().map(|weight| percent(*weight).to_string()).collect();
    each.join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_analysis::bandit::{BanditArm, Losses, Regret};
    use muriel_stats::Interval;

    fn known(arms: &[(usize, f64)]) -> Bandit {
        let regret = Regret { mean: 0.0, interval: Interval { lower: 0.0, upper: 0.0 } };
        let arms = arms.iter().map(|(arm, share)| BanditArm {
            arm: *arm,
            visitors: 9,
            probability_best: *share,
            share: *share,
        });
        Bandit { arms: arms.collect(), floor: 0.05, losses: Losses { sent: regret, even_split: regret } }
    }

    #[test]
    fn weights_move_by_points() {
        let even = Weights::even(2);
        let moved = |bandit: Bandit| {
            let weights = weights_of(&bandit, 2)?;
            Some(Move { in_force: even.clone(), weights, bandit }).filter(Move::is_large_enough)
        };
        for (arms, expect) in [
            (known(&[(0, 0.495), (1, 0.505)]), None),
            (known(&[(0, 0.49), (1, 0.51)]), Some(vec![4_900, 5_100])),
            // The control is paused.
            (known(&[(1, 1.0)]), Some(vec![0, 10_000])),
            (known(&[(0, 0.5), (7, 0.5)]), None),
        ] {
            let shown = format!("{arms:?}");
            assert_eq!(moved(arms).map(|moved| moved.weights.hundredths().to_vec()), expect, "{shown}");
        }
        let (detail, _) = moved(known(&[(0, 0.05), (1, 0.95)])).unwrap().described().unwrap();
        assert_eq!(
            detail,
            "weights moved from 50 / 50 to 5 / 95 percent, the control first: Variant 1 is the best with a probability of 95.0 percent"
        );
    }

    #[test]
    fn a_move_is_no_larger_than_without_any_network() {
        let weights = |hundredths: [f64; 3]| Weights::of_shares(&hundredths).unwrap();
        for (to, others, expect) in [
            ([0.1, 0.1, 0.8], vec![], [0.1, 0.1, 0.8]),
            ([0.1, 0.1, 0.8], vec![[0.05, 0.05, 0.9]], [0.1, 0.1, 0.8]),
            ([0.1, 0.1, 0.8], vec![[0.3, 0.2, 0.5], [0.2, 0.2, 0.6]], [0.3, 0.2, 0.5]),
            // Without the network, another arm would get more.
            ([0.1, 0.1, 0.8], vec![[0.1, 0.8, 0.1]], [0.4, 0.3, 0.3]),
            ([0.1, 0.1, 0.8], vec![[0.4, 0.3, 0.3], [0.1, 0.1, 0.8]], [0.4, 0.3, 0.3]),
        ] {
            let mut moved = Move { in_force: weights([0.4, 0.3, 0.3]), weights: weights(to), bandit: known(&[]) };
            for other in &others {
                moved.limit_to(&weights(*other));
            }
            assert_eq!(moved.weights, weights(expect), "{to:?} {others:?}");
        }
    }

    #[test]
    fn periods_begin_at_full_hours() {
        let periods = ClockPeriods::default();
        let at = |text: &str| Instant::parse(text).unwrap();
        for (now, next) in
            [("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"), ("2026-03-01T10:59:59.999Z", "2026-03-01T11:00:00Z")]
        {
            assert_eq!(periods.next_bandit_check(at(now)), at(next), "{now}");
        }
    }
}
