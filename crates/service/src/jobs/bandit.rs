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

/// New weights, with the reason.
pub(super) struct Move {
    weights: Weights,
    detail: String,
    numbers: Map<String, Value>,
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
    weights_for(look.bandit.as_ref().ok()?, &experiment.weights())
}

fn weights_for(bandit: &Bandit, in_force: &Weights) -> Option<Move> {
    let mut shares = vec![0.0; in_force.arms()];
    for arm in &bandit.arms {
        *shares.get_mut(arm.arm)? = arm.share;
    }
    let weights = Weights::of_shares(&shares)?;
    let both = || in_force.hundredths().iter().zip(weights.hundredths());
    if both().all(|(before, after)| before.abs_diff(*after) < LEAST_MOVE) {
        return None;
    }
    let leading = bandit.arms.iter().max_by(|one, other| one.probability_best.total_cmp(&other.probability_best))?;
    let detail = format!(
        "weights moved from {} to {} percent, the control first: {} is the best with a probability of {:.1} percent",
        in_words(in_force),
        in_words(&weights),
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
    let numbers = object(json!({ "variants": arms, "floor": bandit.floor * 100.0 }));
    Some(Move { weights, detail, numbers })
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
    let decide = move |before: &Experiment, now: Instant| -> Result<Option<Experiment>> {
        if before.revision != revision {
            return Ok(None);
        }
        Ok(Some(before.reweighted(moved.weights, moved.detail, moved.numbers, now)?))
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
        for (arms, expect) in [
            (known(&[(0, 0.495), (1, 0.505)]), None),
            (known(&[(0, 0.49), (1, 0.51)]), Some(vec![4_900, 5_100])),
            // The control is paused.
            (known(&[(1, 1.0)]), Some(vec![0, 10_000])),
            (known(&[(0, 0.5), (7, 0.5)]), None),
        ] {
            let moved = weights_for(&arms, &even);
            assert_eq!(moved.as_ref().map(|moved| moved.weights.hundredths().to_vec()), expect, "{arms:?}");
        }
        let moved = weights_for(&known(&[(0, 0.05), (1, 0.95)]), &even).unwrap();
        assert_eq!(
            moved.detail,
            "weights moved from 50 / 50 to 5 / 95 percent, the control first: Variant 1 is the best with a probability of 95.0 percent"
        );
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
