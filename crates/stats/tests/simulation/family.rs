//! Multiple metrics, and multiple arms, of one experiment.

use super::data::{normal, normal_moments};
use super::path::{ALPHA, DEFAULT_UNITS};
use super::{Accept, Row, Seen};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::multiplicity::{Correction, adjust, e_bh};
use muriel_stats::{Effect, Moments, Sample};

const METRICS: usize = 20;
const CORRELATION: f64 = 0.5;
const DAYS: usize = 14;
const DAILY: u64 = 500;

/// Twenty correlated metrics; the first `real` of them have an effect.
fn discoveries(real: usize, effect: f64) -> Row {
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    let mut checks = vec![
        ("false share of discoveries, stopped at the first", Accept::AtMost(ALPHA)),
        ("false share of discoveries, after 14 days", Accept::AtMost(ALPHA)),
        ("uncorrected: any false discovery after 14 days", Accept::Shown),
        ("uncorrected fixed test: the same", Accept::Shown),
    ];
    if real > 0 {
        checks.push(("real effects found after 14 days", Accept::Shown));
    }
    Row::new(format!("20 metrics, correlated 0.5, {real} real"), DAYS, &checks, move |rng, seen| {
        let mut arms = [[Moments::default(); METRICS]; 2];
        let (mut stopped, mut views) = (false, Vec::new());
        let false_share =
            |found: &[usize]| found.iter().filter(|metric| **metric >= real).count() as f64 / found.len().max(1) as f64;
        let mut at_stop = 0.0;
        let mut found = Vec::new();
        for _ in 0..DAYS {
            for (arm, metrics) in arms.iter_mut().enumerate() {
                let shared = normal(rng) * (CORRELATION / DAILY as f64).sqrt();
                for (i, moments) in metrics.iter_mut().enumerate() {
                    let level = if arm == 1 && i < real { effect } else { 0.0 };
                    // The means have the wanted correlation. Squares are drawn with unit variance.
                    let own = normal_moments(rng, DAILY, 0.0, 1.0);
                    let mean = level + shared + own.mean * (1.0 - CORRELATION).sqrt();
                    *moments = moments.merge(&Moments { mean, ..own });
                }
            }
            let view = |i: usize| {
                let sample = |arm: usize| Sample::of_mean(&arms[arm][i]);
                sequential(&Effect::of_samples(&sample(0)?, &sample(1)?)?, &mixture)
            };
            views = (0..METRICS).map(|i| view(i).expect("normal values vary")).collect();
            let logs: Vec<Option<f64>> = views.iter().map(|view| Some(view.log_e)).collect();
            found = e_bh(&logs, ALPHA).expect("e-values");
            if !stopped && !found.is_empty() {
                stopped = true;
                at_stop = false_share(&found);
            }
        }
        let zs = views.iter().map(|view| 0.5 * (view.interval.lower + view.interval.upper) / view.std_error);
        seen[0] = Seen::value(at_stop);
        seen[1] = Seen::value(false_share(&found));
        if real > 0 {
            seen[4] = Seen::value(found.iter().filter(|i| **i < real).count() as f64 / real as f64);
        }
        seen[2] = Seen::event(views[real..].iter().any(|view| view.p_value < ALPHA));
        seen[3] = Seen::event(zs.skip(real).any(|z| z.abs() > 1.96));
    })
}

/// Several arms and one control, all without an effect. The smallest p-value is picked.
fn arms(count: usize) -> Row {
    let mixture = Mixture::tuned(DEFAULT_UNITS, ALPHA).expect("a plan");
    let checks = [("any false winner at any look, Holm", Accept::AtMost(ALPHA)), ("uncorrected", Accept::Shown)];
    Row::new(format!("{count} arms beside a control, A/A"), DAYS, &checks, move |rng, seen| {
        let mut moments = vec![Moments::default(); count + 1];
        let (mut found, mut plain) = (false, false);
        for _ in 0..DAYS {
            for arm in &mut moments {
                *arm = arm.merge(&normal_moments(rng, DAILY, 1.0, 2.0));
            }
            let p_value = |arm: &Moments| -> muriel_stats::Result<f64> {
                let effect = Effect::of_samples(&Sample::of_mean(&moments[0])?, &Sample::of_mean(arm)?)?;
                Ok(sequential(&effect, &mixture)?.p_value)
            };
            let p_values: Vec<Option<f64>> = moments[1..].iter().map(|arm| p_value(arm).ok()).collect();
            let adjusted = adjust(&p_values, Correction::Holm).expect("p-values");
            found |= adjusted.iter().flatten().any(|p| *p < ALPHA);
            plain |= p_values.iter().flatten().any(|p| *p < ALPHA);
        }
        seen[0] = Seen::event(found);
        seen[1] = Seen::event(plain);
    })
}

pub(crate) fn rows() -> Vec<Row> {
    vec![discoveries(5, 0.1), discoveries(0, 0.0), arms(4)]
}
