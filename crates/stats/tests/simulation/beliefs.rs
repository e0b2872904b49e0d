//! Calibration of the posterior: "90 % sure" is right nine times out of ten when effects are drawn from the prior.

use super::data::{Metric, normal};
use super::path::{ALPHA, DEFAULT_UNITS, every};
use super::{Accept, Row, Seen};
use muriel_stats::bayes::{Posterior, Prior, posterior};
use muriel_stats::boundary::{Mixture, chance_of_no_effect, sequential};

/// Standard deviation of the product's prior on the lift.
const PRIOR_SD: f64 = 0.1;
const SURE: f64 = 0.9;

/// Probability that the better-looking arm is better, and whether it is.
fn claim(view: &Posterior, lift: f64) -> (f64, bool) {
    let sure = view.chance_to_win.max(1.0 - view.chance_to_win);
    (sure, (view.chance_to_win > 0.5) == (lift > 0.0))
}

fn calibration(metric: Metric, daily: u64, days: usize) -> Row {
    let checks = [
        ("right, at the end, whatever was claimed", Accept::Claimed),
        ("right, at the end, among those at least 90 % sure", Accept::Claimed),
        ("right, at the first look at least 90 % sure", Accept::Claimed),
        ("credible interval holds the lift at the end", Accept::Near(1.0 - ALPHA)),
        ("credible interval holds the lift where it stopped", Accept::Near(1.0 - ALPHA)),
    ];
    let prior = Prior::Normal { mean: 0.0, sd: PRIOR_SD };
    Row::new(format!("{}, lifts as the prior says", metric.name()), days, &checks, move |rng, seen| {
        let lift = PRIOR_SD * normal(rng);
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        let (mut stopped, mut last) = (None, None);
        let mut before = 0;
        for units in every(daily, days as u64) {
            metric.more(&mut control, units - before, 0.0, rng);
            metric.more(&mut treatment, units - before, lift, rng);
            before = units;
            let Ok(effect) = metric.effect(&control, &treatment) else { continue };
            let Ok(view) = posterior(&effect, &prior, ALPHA, false) else { continue };
            let Ok(of_lift) = view.in_lift_units(&effect) else { continue };
            let (sure, right) = claim(&view, lift);
            let holds = of_lift.interval.contains(lift);
            last = Some((sure, right, holds));
            if stopped.is_none() && sure >= SURE {
                stopped = last;
            }
        }
        if let Some((sure, right, holds)) = last {
            seen[0] = Seen::claim(right, sure);
            seen[1] = if sure >= SURE { Seen::claim(right, sure) } else { None };
            seen[3] = Seen::event(holds);
        }
        if let Some((sure, right, holds)) = stopped {
            seen[2] = Seen::claim(right, sure);
            seen[4] = Seen::event(holds);
        }
    })
}

/// Calibration of the e-value as a Bayes factor: half of the experiments have no effect, the others one drawn from the
/// mixture's prior.
fn odds() -> Row {
    let units = 2_000u64;
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    // The prior is on the difference in units of its noise, so it is the same at every size.
    let checks = [
        ("no effect, after 14 looks", Accept::Claimed),
        ("no effect, at the first look with odds of 3 to 1", Accept::Claimed),
    ];
    let sd = 2.0 * 2.0 / mixture.r.sqrt();
    Row::new("even odds of no effect, the e-value as a Bayes factor", 14, &checks, move |rng, seen| {
        let none = super::data::uniform(rng) < 0.5;
        let lift = if none { 0.0 } else { sd * normal(rng) };
        let metric = Metric::Normal;
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        let mut stopped = false;
        for _ in 0..14 {
            metric.more(&mut control, units / 14, 0.0, rng);
            metric.more(&mut treatment, units / 14, lift, rng);
            let effect = metric.effect(&control, &treatment).expect("normal values");
            let chance = chance_of_no_effect(sequential(&effect, &mixture).expect("they vary").log_e);
            seen[0] = Seen::claim(none, chance);
            if !stopped && !(0.25..=0.75).contains(&chance) {
                stopped = true;
                seen[1] = Seen::claim(none, chance);
            }
        }
    })
}

pub(crate) fn rows() -> Vec<Row> {
    vec![
        calibration(Metric::Normal, 2_000, 1),
        calibration(Metric::Normal, 400, 14),
        calibration(Metric::Binary(0.05), 3_000, 14),
        odds(),
    ]
}
