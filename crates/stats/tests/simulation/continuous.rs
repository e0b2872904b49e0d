//! Worst case: the test is checked after every unit and stopped at the first difference.

use super::data::{Metric, normal, uniform};
use super::path::{ALPHA, DEFAULT_UNITS, Watched, every, no_effect};
use super::{Accept, Row, Seen};
use muriel_stats::boundary::Mixture;
use muriel_stats::special::normal_isf;
use muriel_stats::{Effect, Moments, Sample};

/// Units of both arms at the last check.
const UNITS: usize = 20_000;

/// A check after every unit; each unit goes to a random arm.
fn every_unit(name: &str, draw: fn(&mut super::Rng) -> f64, proportion: bool) -> Row {
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    let squares: Vec<f64> = (0..=UNITS).map(|t| mixture.multiplier(t as f64).powi(2)).collect();
    let fixed = normal_isf(0.5 * ALPHA).powi(2);
    let checks = [
        ("false winners", Accept::AtMost(ALPHA)),
        // Fails for a boundary that is never crossed, which would prove nothing.
        ("the same, not never", Accept::AtLeast(0.01)),
        ("fixed interval at every look", Accept::Shown),
    ];
    Row::new(format!("{name}, A/A, every unit"), UNITS, &checks, move |rng, seen| {
        let mut arms = [Moments::default(); 2];
        let sample = |m: &Moments| match proportion {
            true => Sample::of_proportion(m.n, (m.mean * m.n as f64).round() as u64),
            false => Sample::of_mean(m),
        };
        let (mut samples, mut found, mut fixed_found) = ([None; 2], false, false);
        for square in &squares[1..] {
            let arm = usize::from(uniform(rng) < 0.5);
            arms[arm].push(draw(rng));
            samples[arm] = sample(&arms[arm]).ok();
            let [Some(control), Some(treatment)] = &samples else { continue };
            let Ok(effect) = Effect::of_samples(control, treatment) else { continue };
            // z² > k² without a square root. Without variance nothing is found.
            found |= effect.num * effect.num > square * effect.var_num && effect.var_num > 0.0;
            fixed_found |= effect.num * effect.num > fixed * effect.var_num && effect.var_num > 0.0;
        }
        seen[0] = Seen::event(found);
        seen[1] = seen[0];
        seen[2] = Seen::event(fixed_found);
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = vec![
        every_unit("normal", normal, false),
        every_unit("conversions 5 %", |rng| f64::from(u8::from(uniform(rng) < 0.05)), true).only_full(),
        every_unit("conversions 0.5 %", |rng| f64::from(u8::from(uniform(rng) < 0.005)), true).only_full(),
    ];
    // Also the lift, for metrics on which it can fail differently.
    for metric in [Metric::Binary(0.005), Metric::Revenue(2.0)] {
        let watched = Watched { metric, looks: every(20, 1_000), lift: 0.0, alpha: ALPHA, planned: DEFAULT_UNITS };
        rows.push(no_effect(format!("{}, A/A, every 20 units per arm", metric.name()), watched, ALPHA));
    }
    rows
}
