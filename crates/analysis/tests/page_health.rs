//! What page health promises, on simulated visitors: false alarms under daily looks, and what is found how soon.
//!
//! A few hundred experiments in every check, and thousands by `make page-health`.

#![allow(clippy::unwrap_used, reason = "tests")]

use muriel_analysis::{
    AllocationPolicy, Arrivals, Design, EpochPlan, PageCell, PageMetric, PageStatus, Summaries, page_health,
};
use rand_distr::{Distribution, LogNormal, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Every experiment is looked at daily for four weeks.
const DAYS: usize = 28;
/// The share of page views whose health is measured: the default of projects.
const SAMPLED: f64 = 0.1;

/// What a variant does to its pages.
#[derive(Clone, Copy, Default)]
struct Harm {
    /// How much later the largest content is shown, in milliseconds.
    later_ms: f64,
    /// On what share of page views code throws, besides the few on which it always does.
    throws: f64,
}

/// How an experiment is visited.
#[derive(Clone, Copy)]
struct Traffic {
    /// Visitors of each arm a day.
    daily: usize,
    arms: usize,
    /// Whether weights are changed after two weeks, from even ones to 80 for the control.
    moved: bool,
}

fn unit(source: &mut Xoshiro256PlusPlus) -> f64 {
    (source.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// What the pages of a visitor tell, added to the cell: views, layout shifts and response times are as skewed as those of
/// shops.
fn visit(source: &mut Xoshiro256PlusPlus, cell: &mut PageCell, harm: Harm) {
    cell.visitors += 1;
    let views = 1.0 + Poisson::new(1.4).unwrap().sample(source);
    let any = |source: &mut Xoshiro256PlusPlus, share: f64| unit(source) < 1.0 - (1.0 - share).powf(views);
    cell.failed += u64::from(any(source, 0.001) || (harm.throws > 0.0 && any(source, harm.throws)));
    cell.late += u64::from(any(source, 0.004));
    if !any(source, SAMPLED) {
        return;
    }
    let lcp = LogNormal::new(1_900f64.ln(), 0.55).unwrap().sample(source) + harm.later_ms;
    cell.lcp.push(lcp.round().min(10_000.0));
    let shifts = unit(source) < 0.45;
    let cls = if shifts { LogNormal::new(0.03f64.ln(), 1.3).unwrap().sample(source) } else { 0.0 };
    cell.cls.push(cls.min(1.0));
    if unit(source) < 0.5 {
        cell.inp.push(LogNormal::new(90f64.ln(), 0.9).unwrap().sample(source).round().min(2_000.0));
    }
}

/// What was found in an experiment at its daily looks.
#[derive(Default)]
struct Found {
    /// Anything at all that differs.
    differs: bool,
    /// The first day on which harm by each metric is known, from 1.
    harmed: [Option<usize>; 5],
}

fn run(traffic: Traffic, harm: Harm, seed: u64) -> Found {
    let Traffic { daily, arms, moved } = traffic;
    let even = vec![1u32; arms];
    let mut uneven = even.clone();
    uneven[0] = 4 * (arms as u32 - 1);
    let weights = [even, uneven];
    let design = Design {
        policy: AllocationPolicy::Fixed,
        arms,
        confidence: 0.95,
        visitors: None,
        mde: 0.02,
        epochs: weights
            .iter()
            .zip(1..)
            .map(|(weights, number)| EpochPlan { number, weights: weights.clone() })
            .collect(),
    };
    let mut source = Xoshiro256PlusPlus::seed_from_u64(seed);
    let empty = |epoch: i64, arm| PageCell { epoch, arm, ..PageCell::default() };
    let mut cells: Vec<PageCell> = (0..2 * arms).map(|at| empty(1 + (at / arms) as i64, at % arms)).collect();
    let mut found = Found::default();
    for day in 1..=DAYS {
        let epoch = usize::from(moved && day > 14);
        let all: u32 = weights[epoch].iter().sum();
        for arm in 0..arms {
            let number = daily * arms * weights[epoch][arm] as usize / all as usize;
            for _ in 0..number {
                let harm = if arm == 1 { harm } else { Harm::default() };
                visit(&mut source, &mut cells[epoch * arms + arm], harm);
            }
        }
        let arrivals = cells.iter().filter(|cell| cell.visitors > 0);
        let summaries = Summaries {
            arrivals: arrivals
                .map(|cell| Arrivals { epoch: cell.epoch, arm: cell.arm, visitors: cell.visitors })
                .collect(),
            pages: cells.clone(),
            ..Summaries::default()
        };
        let health = page_health(&design, &summaries);
        for measured in health.arms.iter().flat_map(|arm| &arm.measurements) {
            found.differs |= measured.status >= PageStatus::Better;
            if measured.status == PageStatus::Harmed {
                let at = PageMetric::ALL.iter().position(|metric| *metric == measured.metric).unwrap();
                found.harmed[at].get_or_insert(day);
            }
        }
    }
    found
}

const TRAFFICS: [(&str, Traffic); 5] = [
    ("60 visitors a day and arm", Traffic { daily: 60, arms: 2, moved: false }),
    ("300 visitors a day and arm", Traffic { daily: 300, arms: 2, moved: false }),
    ("300 of three arms", Traffic { daily: 300, arms: 3, moved: false }),
    ("300, weights moved", Traffic { daily: 300, arms: 2, moved: true }),
    ("1,000 visitors a day and arm", Traffic { daily: 1_000, arms: 2, moved: false }),
];

/// Without a difference, at most one in twenty is ever called different.
fn false_alarms(runs: u64, traffics: &[(&str, Traffic)]) {
    for (name, traffic) in traffics {
        let alarms = (0..runs).filter(|seed| run(*traffic, Harm::default(), *seed).differs).count();
        let rate = alarms as f64 / runs as f64;
        let margin = 3.0 * (0.05 * 0.95 / runs as f64).sqrt();
        println!("{name}: {:.2} % of {runs} called different at any of {DAYS} daily looks", 100.0 * rate);
        assert!(rate <= 0.05 + margin, "{name}: {rate}");
    }
}

/// The day by which harm is known in half of the experiments, and in nine of ten.
fn found_by(runs: u64, traffic: Traffic, harm: Harm, metric: PageMetric) -> (usize, usize) {
    let at = PageMetric::ALL.iter().position(|known| *known == metric).unwrap();
    let mut days: Vec<usize> =
        (0..runs).map(|seed| run(traffic, harm, 1_000_000 + seed).harmed[at].unwrap_or(usize::MAX)).collect();
    days.sort_unstable();
    (days[days.len() / 2], days[days.len() * 9 / 10])
}

fn harm_is_found(runs: u64) {
    let slow = (Harm { later_ms: 300.0, ..Harm::default() }, PageMetric::Lcp);
    let broken = (Harm { throws: 0.02, ..Harm::default() }, PageMetric::Errors);
    for (harm, metric, daily, within) in [(slow.0, slow.1, 300, 21), (broken.0, broken.1, 300, 7)] {
        let traffic = Traffic { daily, arms: 2, moved: false };
        let (half, most) = found_by(runs, traffic, harm, metric);
        let word = metric.word();
        println!(
            "{word}: known on day {half} in half, on day {most} in 9 of 10, of {runs} with {daily} visitors a day and arm"
        );
        assert!(most <= within, "{word}: day {most}");
    }
}

#[test]
fn alarms_are_rarely_false_however_often_one_looks() {
    false_alarms(150, &TRAFFICS[..4]);
}

#[test]
fn a_slow_arm_and_one_that_throws_are_found() {
    harm_is_found(40);
}

#[test]
#[ignore = "takes minutes: make page-health"]
fn on_thousands_of_experiments() {
    false_alarms(4_000, &TRAFFICS);
    harm_is_found(1_000);
}
