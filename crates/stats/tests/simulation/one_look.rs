//! Tests that are checked once, at a size fixed beforehand.

use super::data::Metric;
use super::path::ALPHA;
use super::{Accept, Row, Seen, count};
use muriel_stats::interval::{Alternative, t_test};

/// Units per arm: large enough for the normal approximation.
const UNITS: u64 = 20_000;

fn row(metric: Metric, units: u64, accept: Accept, uniform: bool) -> Row {
    let mut checks = vec![("fixed test rejects", accept)];
    if uniform {
        checks.push(("p-values uniform", Accept::Uniform));
    }
    Row::new(format!("{}, A/A, {} units per arm", metric.name(), count(units)), 1, &checks, move |rng, seen| {
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        metric.more(&mut control, units, 0.0, rng);
        metric.more(&mut treatment, units, 0.0, rng);
        let test = metric.effect(&control, &treatment).and_then(|effect| t_test(&effect, ALPHA, Alternative::TwoSided));
        let p = test.map(|test| test.p_value);
        seen[0] = Seen::event(p.is_ok_and(|p| p < ALPHA));
        if let (Some(seen), Ok(p)) = (seen.get_mut(1), p) {
            *seen = Seen::value(p);
        }
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let near = Accept::Near(ALPHA);
    vec![
        row(Metric::Normal, UNITS, near, true),
        row(Metric::Normal, 100, near, true),
        // With so few units Welch's degrees of freedom are conservative.
        row(Metric::Normal, 10, Accept::AtMost(ALPHA), false),
        // Conversion counts are integers, so their p-values have steps. A uniformity test detects them with enough
        // values, except at a rate of one half, where the steps are too small.
        row(Metric::Binary(0.5), 40 * UNITS, near, true),
        row(Metric::Binary(0.05), UNITS, near, false),
        row(Metric::Binary(0.005), 5 * UNITS, near, false),
        row(Metric::Revenue(1.0), 5 * UNITS, near, true),
        // A few orders make up most of such a sum and of its variance, so the variance is large when the mean is wrong.
        row(Metric::Revenue(1.5), UNITS, Accept::AtMost(ALPHA), false),
        row(Metric::Revenue(2.0), UNITS, Accept::AtMost(ALPHA), false),
        row(Metric::Ratio, UNITS, near, true),
        row(Metric::Adjusted, UNITS, near, true),
        row(Metric::AdjustedBinary, UNITS, near, true),
        row(Metric::Quantile(0.5), 2_000, near, true),
        // The variance of an extreme quantile comes from few values. Forty thousand p-values show that in a uniformity
        // test, but the rejection rate at 5 % does not.
        row(Metric::Quantile(0.9), 2_000, near, false),
    ]
}
