//! Any split of the units gives the same report.

use super::data::{normal, uniform};
use super::path::{ALPHA, DEFAULT_UNITS};
use super::{Accept, Rng, Row, Seen};
use muriel_stats::bayes::{Prior, posterior};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::{Effect, JointMoments, Moments, Sample};

const UNITS: usize = 300;

/// A unit: its arm, its value after exposure and its value before.
type Unit = (usize, f64, f64);

/// Moments of both arms from the units, computed in `count` parts that are merged in a random tree.
fn parts(units: &[Unit], count: usize, rng: &mut Rng) -> [JointMoments; 2] {
    [0, 1].map(|arm| {
        let mut parts = vec![JointMoments::default(); count];
        for (of, x, y) in units {
            if *of == arm {
                parts[(uniform(rng) * count as f64) as usize].push(*x, *y);
            }
        }
        while parts.len() > 1 {
            let one = parts.swap_remove((uniform(rng) * parts.len() as f64) as usize);
            let other = (uniform(rng) * parts.len() as f64) as usize;
            parts[other] = parts[other].merge(&one);
        }
        parts[0]
    })
}

/// All numbers of a report on these arms.
fn report(arms: &[JointMoments; 2]) -> Vec<f64> {
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    let sample = |m: Moments| Sample::of_mean(&m).expect("a hundred units");
    let effects = [
        Effect::of_samples(&sample(arms[0].x()), &sample(arms[1].x())).expect("real numbers"),
        Effect::of_ratios(&arms[0], &arms[1]).expect("real numbers"),
        Effect::of_adjusted(&arms[0], &arms[1]).expect("real numbers").effect,
    ];
    let prior = Prior::Normal { mean: 0.0, sd: 0.1 };
    let mut numbers = Vec::new();
    for effect in effects {
        let view = sequential(&effect, &mixture).expect("they vary");
        let lift = view.lift_interval.expect("the baseline is far from zero");
        let belief = posterior(&effect, &prior, ALPHA, false).expect("they vary");
        numbers.extend([view.interval.lower, view.interval.upper, view.log_e, view.p_value, view.std_error]);
        numbers.extend([lift.lower, lift.upper, belief.chance_to_win, belief.expected_loss_treatment, belief.sd]);
    }
    numbers
}

/// `lost` is the number of units missing from the split report.
fn row(test: &str, level: f64, lost: usize) -> Row {
    let checks = [("largest difference to the report on all units at once", Accept::Largest(1e-12))];
    Row::new(test, 1, &checks, move |rng, seen| {
        let draw = |rng: &mut Rng| {
            let before = level + normal(rng);
            (usize::from(uniform(rng) < 0.5), level + 0.5 * before + normal(rng), before)
        };
        let units: Vec<Unit> = (0..UNITS).map(|_| draw(rng)).collect();
        let whole = report(&parts(&units, 1, rng));
        let count = 1 + (uniform(rng) * 20.0) as usize;
        let split = report(&parts(&units[lost..], count, rng));
        // Relative to the size of the number, or to that of the metric when cancellation makes a number nearly zero.
        let off = whole.iter().zip(&split).map(|(a, b)| (a - b).abs() / a.abs().max(1.0));
        seen[0] = Seen::value(off.fold(0.0, |most, off| if off > most || off.is_nan() { off } else { most }));
    })
}

pub(crate) fn rows() -> Vec<Row> {
    vec![row("300 units in up to 20 parts, merged in any order", 5.0, 0)]
}

/// Fails on purpose: one unit of the split is lost.
pub(crate) fn broken() -> Row {
    row("a unit is lost", 5.0, 1)
}
