//! Measures the time of a report on one thread: all numbers of 10 metrics, and of 1,000 cells.
//!
//! `cargo run --release -p muriel-stats --example timing` prints the minimum of many repetitions: nanoseconds for an
//! experiment of 10 metrics and milliseconds for 50 metrics in 20 segments. For each cell it computes the effect from
//! sums, the t-test, the always-valid interval with Fieller's lift, the posterior and the sample ratio. e-BH runs over
//! the family.
//!
//! `--json` prints the same times and the results of each of the 1,000 cells, for the comparison in bench/stats.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use muriel_stats::bayes::{Posterior, Prior, posterior};
use muriel_stats::boundary::{Mixture, Sequential, sequential};
use muriel_stats::interval::{Alternative, TestResult, t_test};
use muriel_stats::multiplicity::e_bh;
use muriel_stats::srm::{CONCENTRATION, log_bayes_factor};
use muriel_stats::{Effect, Moments, Result, Sample, both};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const ALPHA: f64 = 0.05;

/// One arm, as a store provides it.
enum Arm {
    Conversions { n: u64, successes: u64 },
    Sums { n: u64, sum: f64, sum_squares: f64 },
}

impl Arm {
    fn n(&self) -> u64 {
        match *self {
            Arm::Conversions { n, .. } | Arm::Sums { n, .. } => n,
        }
    }

    fn sample(&self) -> Result<Sample> {
        match *self {
            Arm::Conversions { n, successes } => Sample::of_proportion(n, successes),
            Arm::Sums { n, sum, sum_squares } => Sample::of_mean(&Moments::from_sums(n, sum, sum_squares)?),
        }
    }
}

/// All results of a report for one cell.
struct View {
    effect: Effect,
    test: TestResult,
    sequential: Sequential,
    posterior: Posterior,
    sample_ratio: f64,
}

/// Cell `i` of 1,000: metric i / 20, segment i % 20.
fn cell(i: u64) -> (Arm, Arm) {
    let metric = i / 20;
    let (n_c, n_t) = (10_000 + 37 * i, 10_000 + 41 * i);
    if metric % 2 == 1 {
        let of = |n: u64, rate: u64| Arm::Conversions { n, successes: n * (rate + i % 40) / 1_000 };
        return (of(n_c, 50), of(n_t, 52));
    }
    let (k, v) = (20 + i % 13, 900 + i % 101);
    let of = |n: u64, sum: u64| {
        let sum_squares = u128::from(sum) * u128::from(sum) / u128::from(n) + u128::from((n - 1) * v);
        Arm::Sums { n, sum: sum as f64, sum_squares: sum_squares as f64 }
    };
    (of(n_c, n_c * k), of(n_t, n_t * k + n_t / 200))
}

fn view((control, treatment): &(Arm, Arm), mixture: &Mixture) -> Result<View> {
    let (c, t) = both(control.sample(), treatment.sample())?;
    let effect = Effect::of_samples(&c, &t)?;
    Ok(View {
        effect,
        test: t_test(&effect, ALPHA, Alternative::TwoSided)?,
        sequential: sequential(&effect, mixture)?,
        posterior: posterior(&effect, &Prior::Normal { mean: 0.0, sd: 0.1 }, ALPHA, false)?,
        sample_ratio: log_bayes_factor(&[0.5, 0.5], &[control.n(), treatment.n()], CONCENTRATION)?,
    })
}

/// Results of all cells, and the indices that e-BH rejects.
fn report(cells: &[(Arm, Arm)]) -> (Vec<Result<View>>, Vec<usize>) {
    let mixture = Mixture::tuned(10_000.0, ALPHA).expect("parameters are in range");
    let views: Vec<_> = cells.iter().map(|cell| view(cell, &mixture)).collect();
    let log_e: Vec<_> = views.iter().map(|v| v.as_ref().ok().map(|v| v.sequential.log_e)).collect();
    let rejected = e_bh(&log_e, ALPHA).expect("logarithms of e-values are numbers");
    (views, rejected)
}

/// Minimum of many reports, in seconds: wall clock and processor time of this thread. The two may come from different
/// reports.
#[derive(Clone, Copy)]
struct Least {
    wall: f64,
    cpu: f64,
}

fn least(cells: &[(Arm, Arm)], repetitions: usize) -> Least {
    (0..repetitions)
        .map(|_| {
            // Reading the processor time is a system call, which the wall time should not include.
            let (used, start) = (cpu(), Instant::now());
            black_box(report(black_box(cells)));
            let wall = start.elapsed().as_secs_f64();
            Least { wall, cpu: cpu() - used }
        })
        .fold(Least { wall: f64::INFINITY, cpu: f64::INFINITY }, |a, b| Least {
            wall: a.wall.min(b.wall),
            cpu: a.cpu.min(b.cpu),
        })
}

/// Processor time that this thread has used, in seconds.
fn cpu() -> f64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 * 1e-9
}

/// Results that are compared with other packages: the difference with its t-test and always-valid interval, the lift
/// and the posterior.
fn compared(view: &Result<View>) -> Value {
    let Ok(view) = view else { return Value::Null };
    json!({
        "difference": view.effect.num,
        "std_error": view.test.std_error,
        "interval": [view.test.interval.lower, view.test.interval.upper],
        "p_value": view.test.p_value,
        "always_valid_interval": [view.sequential.interval.lower, view.sequential.interval.upper],
        "lift": view.sequential.lift.ok(),
        "posterior_mean": view.posterior.mean,
        "posterior_sd": view.posterior.sd,
        "chance_to_win": view.posterior.chance_to_win,
        "sample_ratio_log_bayes_factor": view.sample_ratio,
    })
}

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = options.iter().find(|option| *option != "--json") {
        eprintln!("unknown option {unknown}; there is --json");
        return ExitCode::from(2);
    }
    let all: Vec<_> = (0..1_000).map(cell).collect();
    let one: Vec<_> = (0..10).map(|m| cell(20 * m)).collect();
    let (least_one, least_all) = (least(&one, 20_000), least(&all, 500));
    if options.is_empty() {
        println!("10 metrics: {:.0} ns an experiment", least_one.wall * 1e9);
        println!("1,000 cells: {:.3} ms", least_all.wall * 1e3);
        return ExitCode::SUCCESS;
    }
    let seconds = |least: Least| json!({ "wall": least.wall, "cpu": least.cpu });
    let (views, rejected) = report(&all);
    println!(
        "{}",
        json!({
            "seconds": { "10 metrics": seconds(least_one), "1,000 cells": seconds(least_all) },
            "cells": views.iter().map(compared).collect::<Vec<_>>(),
            "rejected": rejected,
        })
    );
    ExitCode::SUCCESS
}
