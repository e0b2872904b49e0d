//! Experiments with planned checks or a planned end.

use super::data::normal_moments;
use super::path::{ALPHA, DEFAULT_UNITS};
use super::{Accept, Row, Seen};
use muriel_stats::boundary::{Mode, decide};
use muriel_stats::group_sequential::{Recursion, Spending, bounds};
use muriel_stats::{Effect, Moments, Sample, Sides};

const DAILY: u64 = 1_000;

fn row(test: String, looks: usize, accept: Accept, mode: impl Fn(usize) -> Mode + Sync + Send + 'static) -> Row {
    Row::new(test, looks, &[("false winners by the end", accept)], move |rng, seen| {
        let mut arms = [Moments::default(); 2];
        let mut found = false;
        for look in 0..looks {
            for arm in &mut arms {
                *arm = arm.merge(&normal_moments(rng, DAILY, 1.0, 2.0));
            }
            let sample = |arm: usize| Sample::of_mean(&arms[arm]).expect("a thousand values");
            let effect = Effect::of_samples(&sample(0), &sample(1)).expect("normal values");
            found |= decide(&effect, &mode(look), ALPHA).expect("a mode").interval.excludes(0.0);
        }
        seen[0] = Seen::event(found);
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let spendings = [
        ("O'Brien and Fleming", Spending::ObrienFleming),
        ("Pocock", Spending::Pocock),
        ("quadratic", Spending::Power { rho: 2.0 }),
    ];
    for (name, spending) in spendings {
        for looks in [5, 14] {
            let shares: Vec<f64> = (1..=looks).map(|look| look as f64 / looks as f64).collect();
            let plan = bounds(&shares, ALPHA, Sides::Two, spending, Recursion::TwoSidedSymmetric).expect("a plan");
            let mode = move |look: usize| Mode::GroupSequential { z_bound: plan.z[look] };
            rows.push(row(format!("group sequential, {name}"), looks, Accept::Near(ALPHA), mode));
        }
    }
    let hybrid = |look: usize| Mode::Hybrid { planned_units: DEFAULT_UNITS, ended: look == 13 };
    rows.push(row("hybrid, half for the planned end".into(), 14, Accept::AtMost(ALPHA), hybrid));
    rows.push(row("fixed, peeked at daily".into(), 14, Accept::Shown, |_| Mode::Fixed));
    rows
}
