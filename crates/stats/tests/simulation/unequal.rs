//! Arms of very different sizes: one in ten visitors gets the variant.
//!
//! A small arm with rare conversions or skewed orders has a small variance exactly when its mean is small. Between arms
//! of equal size this cancels. Here it does not, so the small arm is found worse too often. The variance computed from
//! all units together does not have this error, so the larger of the two is used.

use super::data::{Arm, Metric};
use super::path::{ALPHA, DEFAULT_UNITS, every, log_spaced};
use super::{Accept, Row, Seen};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::{Effect, JointMoments, Result};

/// Per-unit variance of all units together, and the number of units of each arm.
fn common(control: &Arm, treatment: &Arm, theta: impl Fn(&JointMoments) -> f64) -> (f64, u64, u64) {
    match (control, treatment) {
        (Arm::Share { n: c, successes: x }, Arm::Share { n: t, successes: y }) => {
            let p = (x + y) as f64 / (c + t) as f64;
            (p * (1.0 - p), *c, *t)
        }
        (Arm::Mean(c), Arm::Mean(t)) => (c.merge(t).m2 / (c.n + t.n - 1) as f64, c.n, t.n),
        (Arm::Joint(c), Arm::Joint(t)) => {
            let all = c.merge(t);
            (all.residual_variance(theta(&all)).expect("two units"), c.n, t.n)
        }
        _ => unreachable!("the metrics of this page are none of quantiles"),
    }
}

/// The effect with the larger of two variances: from each arm separately, and from all units.
fn cautious(metric: Metric, control: &Arm, treatment: &Arm) -> Result<Effect> {
    let effect = metric.effect(control, treatment)?;
    let slope = |all: &JointMoments| if all.m2_y > 0.0 { all.c / all.m2_y } else { 0.0 };
    let (of_all, c, t) = common(control, treatment, slope);
    Ok(effect.with_min_variance(of_all, c, t))
}

/// Returns whether there are enough conversions for a verdict.
fn is_enough(control: &Arm, treatment: &Arm) -> bool {
    match (control, treatment) {
        (Arm::Share { n: c, successes: x }, Arm::Share { n: t, successes: y }) => {
            c.min(t) >= &100 && (x.min(y) >= &10 || x + y >= 100)
        }
        _ => false,
    }
}

fn row(metric: Metric, weights: [u64; 2], lift: f64, daily: bool) -> Row {
    let looks = if daily { every(200, 14) } else { log_spaced(120, 4_000) };
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    let test = format!(
        "{}, {} : {}, {}, {}",
        metric.name(),
        weights[0],
        weights[1],
        if lift == 0.0 { "A/A".to_owned() } else { format!("lift {:+.0} %", 100.0 * lift) },
        if daily { "daily" } else { "from 10 units" },
    );
    let mut checks = vec![
        ("larger variance, difference missed at any look", Accept::AtMost(ALPHA)),
        ("larger variance, lift missed at any look", Accept::AtMost(ALPHA)),
        ("each arm its own, difference missed", Accept::Shown),
    ];
    if lift == 0.0 && matches!(metric, Metric::Binary(_)) {
        checks.push(("each arm its own, with enough for a verdict", Accept::Shown));
    }
    let truth = lift * metric.level();
    Row::new(test, looks.len(), &checks, move |rng, seen| {
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        let (mut before, mut missed) = (0, [false; 4]);
        for &units in &looks {
            metric.more(&mut control, weights[0] * (units - before), 0.0, rng);
            metric.more(&mut treatment, weights[1] * (units - before), lift, rng);
            before = units;
            if let Ok(view) = cautious(metric, &control, &treatment).and_then(|effect| sequential(&effect, &mixture)) {
                missed[0] |= view.interval.excludes(truth);
                missed[1] |= view.lift_interval.is_ok_and(|interval| interval.excludes(lift));
            }
            if let Ok(view) = metric.effect(&control, &treatment).and_then(|effect| sequential(&effect, &mixture)) {
                let misses = view.interval.excludes(truth);
                missed[2] |= misses;
                missed[3] |= misses && is_enough(&control, &treatment);
            }
        }
        for (seen, missed) in seen.iter_mut().zip(missed) {
            *seen = Seen::event(missed);
        }
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let metrics = [
        Metric::Normal,
        Metric::Binary(0.05),
        Metric::Binary(0.005),
        Metric::Revenue(1.0),
        Metric::Revenue(2.0),
        Metric::AdjustedBinary,
    ];
    let mut rows = Vec::new();
    for metric in metrics {
        for weights in [[9, 1], [1, 9]] {
            rows.push(row(metric, weights, 0.0, true));
            rows.push(row(metric, weights, 0.0, false));
        }
        for lift in [-0.2, 0.2] {
            rows.push(row(metric, [9, 1], lift, true).only_full());
        }
    }
    rows
}
