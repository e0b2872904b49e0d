//! Simulated bandits with known conversion rates.

use super::*;
use crate::arms::compare;
use crate::design::EpochPlan;
use crate::summary::Cell;
use muriel_stats::Moments;
use proptest::prelude::*;
use rand_distr::Binomial;

/// Setting of a simulation, with known conversion rates.
#[derive(Debug, Clone)]
struct Setting {
    /// Conversion rate of each arm at the beginning.
    rates: Vec<f64>,
    /// Amount added to all rates until the end.
    drift: f64,
    /// Visitors per period.
    batch: u64,
    periods: u64,
}

/// A bandit, or an even split, at its end.
struct Ended {
    metric: Metric,
    design: Design,
    /// Conversions lost against the best arm.
    lost: f64,
    /// Number of visitors.
    visitors: u64,
}

fn of_conversions(visitors: u64, converted: u64) -> Summary {
    let (n, x) = (visitors as f64, converted as f64);
    let value = Moments { n: visitors, mean: if visitors == 0 { 0.0 } else { x / n }, m2: x * (n - x) / n.max(1.0) };
    Summary { visitors, converted, value, ..Summary::default() }
}

fn run(setting: &Setting, seed: u64, is_bandit: bool) -> Ended {
    let arms = setting.rates.len();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut weights = vec![10_000 / arms as u32; arms];
    let mut metric =
        Metric { role: MetricRole::Primary, measure: Measure::Conversion, lower_is_better: false, cells: Vec::new() };
    let mut epochs = vec![EpochPlan { number: 1, weights: weights.clone() }];
    let best = setting.rates.iter().copied().fold(0.0, f64::max);
    let (mut before, mut within, mut lost) = (0, 0, 0.0);
    for period in 0..setting.periods {
        let epoch = epochs.len() as i64;
        let drifted = setting.drift * period as f64 / setting.periods as f64;
        let (mut left, mut sum) = (setting.batch, weights.iter().sum::<u32>());
        for (arm, weight) in weights.iter().enumerate() {
            let share = if sum == 0 { 0.0 } else { f64::from(*weight) / f64::from(sum) };
            let visitors = Binomial::new(left, share.min(1.0)).unwrap().sample(&mut random);
            (left, sum) = (left - visitors, sum - weight);
            let converted = Binomial::new(visitors, setting.rates[arm] + drifted).unwrap().sample(&mut random);
            lost += visitors as f64 * (best - setting.rates[arm]);
            let summary = of_conversions(visitors, converted);
            match metric.cells.iter_mut().find(|cell| cell.epoch == epoch && cell.arm == arm) {
                Some(cell) => cell.summary = cell.summary.merge(&summary),
                None => metric.cells.push(Cell { epoch, arm, open: false, summary }),
            }
        }
        within += setting.batch;
        if !is_bandit || !has_batch(before, within) {
            continue;
        }
        let Ok(arms) = known(&metric, &weights) else { continue };
        weights = arms.iter().map(|arm| (arm.share * 10_000.0).round() as u32).collect();
        epochs.push(EpochPlan { number: epoch + 1, weights: weights.clone() });
        (before, within) = (before + within, 0);
    }
    let policy = if is_bandit { AllocationPolicy::Bandit } else { AllocationPolicy::Fixed };
    let design = Design { policy, arms, confidence: 0.95, visitors: None, mde: 0.02, epochs };
    Ended { metric, design, lost, visitors: setting.batch * setting.periods }
}

/// Various settings: few and many arms, rare and frequent conversions, small and large lifts, with and without drift,
/// each with enough traffic to find the difference.
fn settings() -> Vec<Setting> {
    let setting = |rates: &[f64], drift, batch, periods| Setting { rates: rates.to_vec(), drift, batch, periods };
    vec![
        setting(&[0.10, 0.12], 0.0, 400, 60),
        setting(&[0.10, 0.08], 0.0, 400, 60),
        setting(&[0.10, 0.13], 0.05, 200, 60),
        setting(&[0.03, 0.04], 0.0, 1_000, 60),
        setting(&[0.03, 0.045], 0.02, 500, 60),
        setting(&[0.02, 0.03], 0.0, 1_000, 40),
        setting(&[0.30, 0.35], 0.0, 200, 60),
        setting(&[0.50, 0.60], 0.0, 100, 60),
        setting(&[0.50, 0.56], -0.2, 400, 40),
        setting(&[0.05, 0.06, 0.08], 0.0, 500, 60),
        setting(&[0.05, 0.08, 0.06], 0.05, 500, 60),
        setting(&[0.10, 0.10, 0.14], 0.0, 300, 60),
        setting(&[0.20, 0.15, 0.15], 0.0, 300, 60),
        setting(&[0.05, 0.05, 0.05, 0.08], 0.0, 600, 60),
        setting(&[0.03, 0.61, 0.05], 0.0, 100, 30),
        setting(&[0.10, 0.05, 0.15, 0.08], 0.0, 300, 60),
        setting(&[0.08, 0.06, 0.07, 0.11, 0.05], 0.04, 800, 60),
        setting(&[0.02, 0.04, 0.02, 0.02], 0.0, 1_000, 60),
        setting(&[0.10, 0.11, 0.12, 0.13, 0.16, 0.10], 0.0, 1_500, 60),
        setting(&[0.04, 0.07], 0.0, 5_000, 30),
    ]
}

#[test]
fn regret_is_below_a_third_of_an_even_split() {
    const RUNS: u64 = 20;
    for (at, setting) in settings().iter().enumerate() {
        let lost = |is_bandit| (0..RUNS).map(|seed| run(setting, seed, is_bandit).lost).sum::<f64>() / RUNS as f64;
        let (sent, even) = (lost(true), lost(false));
        println!("{at}: {sent:.1} of {even:.1}, {:.3}", sent / even);
        assert!(even > 0.0 && sent < even / 3.0, "{setting:?}: {sent} of {even}");
    }
}

/// The reported difference is not biased by the way the weights moved.
#[test]
fn reported_differences_are_not_biased() {
    const RUNS: u64 = 500;
    for (rates, drift) in
        [([0.10, 0.10], 0.0), ([0.10, 0.10], 0.10), ([0.10, 0.12], 0.0), ([0.10, 0.12], -0.05), ([0.12, 0.10], 0.08)]
    {
        let setting = Setting { rates: rates.to_vec(), drift, batch: 200, periods: 60 };
        let mut in_errors = 0.0;
        for seed in 0..RUNS {
            let ended = run(&setting, seed, true);
            let compared = compare(&ended.design, &ended.metric, 1, 0.05).unwrap();
            in_errors += (compared.effect.num - (rates[1] - rates[0])) / compared.effect.var_num.sqrt();
        }
        let bias = in_errors / RUNS as f64;
        println!("{rates:?} {drift}: {bias:.3} standard errors");
        assert!(bias.abs() < 0.2, "{rates:?} {drift}: {bias}");
    }
}

/// The reported regret agrees with the actual loss.
#[test]
fn regret_is_told_as_it_is() {
    const RUNS: u64 = 100;
    for setting in [&settings()[0], &settings()[4], &settings()[9]] {
        let (mut covered, mut even_covered) = (0, 0);
        for seed in 0..RUNS {
            let ended = run(setting, seed, true);
            let weights = &ended.design.epochs.last().unwrap().weights;
            let known = bandit(&ended.metric, weights, 0.95).unwrap();
            let best = setting.rates.iter().copied().fold(0.0, f64::max);
            let each = ended.visitors as f64 / setting.rates.len() as f64;
            let even: f64 = setting.rates.iter().map(|rate| (best - rate) * each).sum();
            covered += u32::from(known.losses.sent.interval.contains(ended.lost));
            even_covered += u32::from(known.losses.even_split.interval.contains(even));
        }
        println!("{:?}: {covered} and {even_covered} of {RUNS}", setting.rates);
        assert!(covered >= 85 && even_covered >= 85, "{setting:?}: {covered} {even_covered}");
    }
}

#[test]
fn losses_by_day_end_with_those_of_now() {
    let ended = run(&settings()[0], 1, true);
    let weights = &ended.design.epochs.last().unwrap().weights;
    let known = bandit(&ended.metric, weights, ended.design.confidence).unwrap();
    let mut now = vec![0; weights.len()];
    known.arms.iter().for_each(|arm| now[arm.arm] = arm.visitors);
    let half: Vec<u64> = now.iter().map(|visitors| visitors / 2).collect();
    let days = [vec![0; weights.len()], half, now];
    let summaries = Summaries { metrics: vec![ended.metric.clone()], ..Summaries::default() };
    let losses = losses_by_day(&ended.design, &summaries, &days).unwrap();
    assert_eq!((losses[0].sent.mean, losses[0].sent.interval.upper), (0.0, 0.0));
    assert!(losses[1].sent.mean > 0.0 && losses[1].sent.mean < losses[2].sent.mean, "{losses:?}");
    assert_eq!(losses[2], known.losses);
    let fixed = Design { policy: AllocationPolicy::Fixed, ..ended.design };
    assert!(losses_by_day(&fixed, &summaries, &days).is_err());
}

#[test]
fn weights_wait_for_enough_visitors() {
    let of = |cells: &[(usize, u64, u64)]| Metric {
        role: MetricRole::Primary,
        measure: Measure::Conversion,
        lower_is_better: false,
        cells: cells
            .iter()
            .map(|(arm, visitors, converted)| Cell {
                epoch: 1,
                arm: *arm,
                open: false,
                summary: of_conversions(*visitors, *converted),
            })
            .collect(),
    };
    for (cells, expect) in [
        (vec![(0, 19, 10), (1, 40, 10)], Some(Undefined::TooFewUnits)),
        (vec![(0, 200, 4), (1, 200, 5)], Some(Undefined::TooFewUnits)),
        (vec![(0, 200, 4)], Some(Undefined::TooFewUnits)),
        (vec![(0, 200, 200), (1, 200, 200)], Some(Undefined::ZeroVariance)),
        (vec![(0, 20, 4), (1, 20, 6)], None),
    ] {
        assert_eq!(bandit(&of(&cells), &[5_000, 5_000], 0.95).err(), expect, "{cells:?}");
    }
    assert_eq!(bandit(&of(&[]), &[0, 0], 0.95).err(), Some(Undefined::NoUnits));
    for (before, within, expect) in [(0, 99, false), (0, 100, true), (1_001, 100, false), (10_000, 1_000, true)] {
        assert_eq!(has_batch(before, within), expect, "{before} {within}");
    }
    // A paused arm gets no share.
    let known = bandit(&of(&[(0, 200, 20), (1, 200, 40), (2, 200, 90)]), &[5_000, 5_000, 0], 0.95).unwrap();
    assert_eq!(known.arms.iter().map(|arm| arm.arm).collect::<Vec<_>>(), [0, 1]);
    assert!(known.arms[1].probability_best > 0.99 && known.arms[1].share > 0.94, "{known:?}");
}

#[test]
fn what_a_paused_arm_lost_stays_lost() {
    let cell = |epoch, arm, visitors, converted| Cell {
        epoch,
        arm,
        open: false,
        summary: of_conversions(visitors, converted),
    };
    let metric = Metric {
        role: MetricRole::Primary,
        measure: Measure::Conversion,
        lower_is_better: false,
        cells: vec![cell(1, 0, 2_000, 400), cell(1, 1, 2_000, 400), cell(1, 2, 2_000, 100)],
    };
    let lost = |weights: &[u32]| bandit(&metric, weights, 0.95).unwrap().losses.sent.mean;
    let (before, paused) = (lost(&[1, 1, 1]), lost(&[1, 1, 0]));
    assert!(before > 280.0 && (before - paused).abs() < 1.0, "{before} {paused}");
    // A paused arm is not the reference for the others, even when it was the best.
    assert!(lost(&[0, 0, 1]).abs() < 1e-9, "{}", lost(&[0, 0, 1]));
    // A paused arm with too little data does not count.
    let few =
        Metric { cells: vec![cell(1, 0, 2_000, 400), cell(1, 1, 2_000, 400), cell(1, 2, 19, 0)], ..metric.clone() };
    assert!(bandit(&few, &[1, 1, 0], 0.95).is_ok());
}

#[test]
fn a_rising_metric_favours_nobody() {
    // Both arms rise equally. Pooled, the arm with most of the late visitors would look far better.
    let cell = |epoch, arm, visitors, converted| Cell {
        epoch,
        arm,
        open: false,
        summary: of_conversions(visitors, converted),
    };
    let cells = vec![cell(1, 0, 9_000, 900), cell(1, 1, 1_000, 100), cell(2, 0, 1_000, 200), cell(2, 1, 9_000, 1_800)];
    let metric = Metric { role: MetricRole::Primary, measure: Measure::Conversion, lower_is_better: false, cells };
    let known = bandit(&metric, &[5_000, 5_000], 0.95).unwrap();
    assert!((known.arms[0].probability_best - 0.5).abs() < 0.01, "{known:?}");
}

#[test]
fn less_can_be_better() {
    let cell = |arm, value: &[f64]| {
        let mut moments = Moments::default();
        value.iter().for_each(|value| moments.push(*value));
        let summary = Summary { visitors: moments.n, converted: moments.n, value: moments, ..Summary::default() };
        Cell { epoch: 1, arm, open: false, summary }
    };
    let values = |level: f64| -> Vec<f64> { (0..200).map(|i| level + f64::from(i % 7)).collect() };
    for (lower_is_better, best) in [(false, 1), (true, 0)] {
        let metric = Metric {
            role: MetricRole::Primary,
            measure: Measure::Value,
            lower_is_better,
            cells: vec![cell(0, &values(1.0)), cell(1, &values(4.0))],
        };
        let known = bandit(&metric, &[1, 1], 0.95).unwrap();
        assert!(known.arms[best].probability_best > 0.999, "{known:?}");
        assert!((known.losses.even_split.mean - 200.0 * 3.0).abs() < 60.0, "{known:?}");
    }
}

proptest! {
    #[test]
    fn shares_are_shares(
        cells in prop::collection::vec((0i64..4, 0usize..5, 0u64..500, 0.0..1.0f64), 1..20),
        weights in prop::collection::vec(0u32..3, 1..6),
        lower_is_better: bool,
    ) {
        let cells = cells.into_iter().map(|(epoch, arm, visitors, rate)| Cell {
            epoch, arm, open: false, summary: of_conversions(visitors, (visitors as f64 * rate) as u64),
        });
        let metric = Metric { role: MetricRole::Primary, measure: Measure::Conversion, lower_is_better, cells: cells.collect() };
        if let Ok(known) = bandit(&metric, &weights, 0.9) {
            prop_assert!((known.arms.iter().map(|arm| arm.share).sum::<f64>() - 1.0).abs() < 1e-6, "{:?}", known);
            prop_assert!(known.arms.iter().all(|arm| arm.share >= known.floor - 1e-9 && weights[arm.arm] > 0));
            for regret in [known.losses.sent, known.losses.even_split] {
                prop_assert!(regret.mean >= 0.0 && regret.mean.is_finite() && regret.interval.lower <= regret.interval.upper);
            }
        }
    }
}
