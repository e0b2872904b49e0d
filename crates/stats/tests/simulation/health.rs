//! Health tests that also run at every check: sample ratio, guardrails, exact test of conversions.

use super::data::{Metric, binomial};
use super::path::{ALPHA, DEFAULT_UNITS, every};
use super::{Accept, Rng, Row, Seen};
use muriel_stats::boundary::Mixture;
use muriel_stats::srm::{self, chi_squared, conversions_log_bayes_factor, mixed_over_epochs};

/// Level of the sample ratio alarm.
const ALARM: f64 = 0.01;
/// Level of the χ² test that other tools use.
const CHI_SQUARED_ALARM: f64 = 0.001;

/// Adds `units`, distributed over the arms by `shares`.
fn arrive(counts: &mut [u64], units: u64, shares: &[f64], rng: &mut Rng) {
    let (mut left, mut rest) = (units, 1.0);
    let last = counts.len() - 1;
    for (arm, (count, share)) in counts.iter_mut().zip(shares).enumerate() {
        let here = if arm == last { left } else { binomial(rng, left, (share / rest).clamp(0.0, 1.0)) };
        *count += here;
        left -= here;
        rest -= share;
    }
}

/// A period with planned weights and true shares.
struct Epoch {
    promised: Vec<f64>,
    true_shares: Vec<f64>,
}

fn honest(shares: &[f64]) -> Epoch {
    Epoch { promised: shares.to_vec(), true_shares: shares.to_vec() }
}

/// Visitors arrive in `looks` batches of `units`, one epoch after the other.
fn ratio(test: &str, looks: usize, units: u64, epochs: Vec<Epoch>, accept: Accept) -> Row {
    let checks = [("sequential alarm at 0.01", accept), ("χ² below 0.001 at some look", Accept::Shown)];
    Row::new(test, looks, &checks, move |rng, seen| {
        let (mut alarm, mut chi_squared_alarm) = (false, false);
        let arms = epochs[0].promised.len();
        let (mut all, mut expected) = (vec![0; arms], vec![0.0; arms]);
        let mut so_far: Vec<srm::Epoch> = Vec::with_capacity(epochs.len());
        for (i, epoch) in epochs.iter().enumerate() {
            so_far.push(srm::Epoch { weights: epoch.promised.clone(), counts: vec![0; arms] });
            for _ in looks * i / epochs.len()..looks * (i + 1) / epochs.len() {
                let seen_before = so_far[i].counts.clone();
                arrive(&mut so_far[i].counts, units, &epoch.true_shares, rng);
                alarm |= mixed_over_epochs(&so_far).expect("the counts are real") > -ALARM.ln();
                for arm in 0..arms {
                    all[arm] += so_far[i].counts[arm] - seen_before[arm];
                    expected[arm] += units as f64 * epoch.promised[arm];
                }
                chi_squared_alarm |=
                    chi_squared(&all, &expected).expect("the counts are real").p_value() < CHI_SQUARED_ALARM;
            }
        }
        seen[0] = Seen::event(alarm);
        seen[1] = Seen::event(chi_squared_alarm);
    })
}

/// A guardrail without an effect must not be reported as worse.
fn guardrail(metric: Metric, looks: Vec<u64>) -> Row {
    let mixture = Mixture::tuned_one_sided(DEFAULT_UNITS, ALPHA).expect("a plan");
    let test = format!("guardrail, {}, A/A", metric.name());
    let checks = [("said to be worse at some look", Accept::AtMost(ALPHA))];
    Row::new(test, looks.len(), &checks, move |rng, seen| {
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        let (mut before, mut harmed) = (0, false);
        for &units in &looks {
            metric.more(&mut control, units - before, 0.0, rng);
            metric.more(&mut treatment, units - before, 0.0, rng);
            before = units;
            if let Ok(effect) = metric.effect(&control, &treatment)
                && let Ok(z) = effect.z()
            {
                harmed |= -z > mixture.multiplier_one_sided(effect.n);
            }
        }
        seen[0] = Seen::event(harmed);
    })
}

/// The exact test of conversions, for rare conversions.
fn exact(rate: f64, times: f64, weights: [f64; 2], check: (&'static str, Accept)) -> Row {
    let (looks, units) = (30, 1_000);
    let test = format!(
        "exact test, conversions {} % and {} %, {:.0} : {:.0}",
        100.0 * rate,
        (1e5 * rate * times).round() / 1e3,
        weights[0],
        weights[1]
    );
    let checks = [check];
    let share = weights[0] / (weights[0] + weights[1]);
    Row::new(test, looks, &checks, move |rng, seen| {
        let (mut conversions, mut found) = ([0; 2], false);
        for _ in 0..looks {
            let here = binomial(rng, units, share);
            conversions[0] += binomial(rng, here, rate);
            conversions[1] += binomial(rng, units - here, rate * times);
            let log_e = conversions_log_bayes_factor(&weights, &conversions, 100.0).expect("the counts are real");
            found |= log_e > -ALPHA.ln();
        }
        seen[0] = Seen::event(found);
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let (at_most, at_most_alpha) = (Accept::AtMost(ALARM), Accept::AtMost(ALPHA));
    let three = || vec![honest(&[0.5, 0.3, 0.2]), honest(&[0.1, 0.1, 0.8]), honest(&[0.4, 0.4, 0.2])];
    let fault = || vec![Epoch { promised: vec![0.5, 0.5], true_shares: vec![0.495, 0.505] }];
    vec![
        ratio("sample ratio, daily, 50 : 50", 30, 2_000, vec![honest(&[0.5, 0.5])], at_most),
        ratio("sample ratio, hourly, 50 : 50", 720, 84, vec![honest(&[0.5, 0.5])], at_most),
        ratio("sample ratio, daily, three epochs", 30, 2_000, three(), at_most),
        ratio("sample ratio, hourly, three epochs", 720, 84, three(), at_most),
        ratio("sample ratio, daily, 49.5 : 50.5 seen, 20,000 a day", 14, 20_000, fault(), Accept::AtLeast(0.95)),
        guardrail(Metric::Binary(0.05), every(1_000, 14)),
        guardrail(Metric::Normal, every(100, 120)),
        exact(0.001, 1.0, [50.0, 50.0], ("false winners at any look", at_most_alpha)),
        exact(0.001, 1.0, [90.0, 10.0], ("false winners at any look", at_most_alpha)),
        exact(0.001, 5.0, [50.0, 50.0], ("found at some look", Accept::AtLeast(0.8))),
    ]
}
