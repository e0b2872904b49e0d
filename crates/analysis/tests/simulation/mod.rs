//! Simulated programmes of tests, which compare the estimated sum of the winners with the true sum.
//!
//! Each test has visitors who convert or not. It is checked thirty times by the always-valid test of reports, and
//! stopped at the first significant check. Its lift and standard error are those at that check, as stored for concluded
//! tests.

#![allow(dead_code, reason = "the example uses what the test does not")]

use muriel_analysis::programme::{ConcludedResult, Programme};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::lift::delta_lift;
use muriel_stats::{Effect, Sample};
use rand_distr::{Binomial, Distribution, Exp, StandardNormal, StandardUniform, StudentT};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

type Rng = Xoshiro256PlusPlus;

/// Conversion rate of the control.
const RATE: f64 = 0.05;
const ALPHA: f64 = 0.05;
/// True lifts are clamped to this range.
const MIN_LIFT: f64 = -0.9;
const MAX_LIFT: f64 = 3.0;
/// Number of checks of a test, at equal intervals.
const READS: u64 = 30;
/// Median standard error of the lift in a test that runs to its end, and the standard deviation of its logarithm.
const ERROR: (f64, f64) = (0.02, 0.35);

const VARIED: (f64, f64) = (0.1, 0.95);
const FIXED: (f64, f64) = (0.8, 0.9);
/// Different, because the estimator ignores that the arms of a test share a control.
const THREE_ARMS: (f64, f64) = (0.15, 0.93);
/// Minimum ratio of the sum of the winners' results to the true sum: the estimator is needed.
const MIN_NAIVE: f64 = 1.4;

/// A distribution of true lifts.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Maximum bias in standard deviations, and minimum share of intervals that contain the true sum. Fixed kinds are
    /// allowed more bias: the prior is an average over kinds, so it cannot be right for each of them.
    pub(crate) promise: (f64, f64),
    /// Number of arms of each test, without the control.
    arms: usize,
    /// Draws the true lifts of this many arms.
    lifts: fn(&mut Rng, usize) -> Vec<f64>,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind {
        name: "normal",
        about: "Normal(0, 3 %)",
        promise: FIXED,
        arms: 1,
        lifts: |rng, count| (0..count).map(|_| 0.03 * normal(rng)).collect(),
    },
    Kind {
        name: "better than nothing",
        about: "Normal(1 %, 3 %)",
        promise: FIXED,
        arms: 1,
        lifts: |rng, count| (0..count).map(|_| 0.01 + 0.03 * normal(rng)).collect(),
    },
    Kind {
        name: "seven in ten do nothing",
        about: "0, or Normal(0, 5 %)",
        promise: FIXED,
        arms: 1,
        lifts: |rng, count| (0..count).map(|_| if uniform(rng) < 0.7 { 0.0 } else { 0.05 * normal(rng) }).collect(),
    },
    Kind {
        name: "nine in ten do nothing",
        about: "0, or Normal(2 %, 6 %)",
        promise: FIXED,
        arms: 1,
        lifts: |rng, count| {
            (0..count).map(|_| if uniform(rng) < 0.9 { 0.0 } else { 0.02 + 0.06 * normal(rng) }).collect()
        },
    },
    Kind {
        name: "heavy tails",
        about: "2 % · t, 3 degrees of freedom",
        promise: FIXED,
        arms: 1,
        lifts: |rng, count| (0..count).map(|_| 0.02 * student(rng, 3.0)).collect(),
    },
    Kind {
        name: "many small ones",
        about: "Laplace(0, 2 %)",
        promise: FIXED,
        arms: 1,
        lifts: |rng, count| (0..count).map(|_| 0.02 * laplace(rng)).collect(),
    },
    Kind { name: "varied", about: "another one for each programme", promise: VARIED, arms: 1, lifts: varied },
    Kind { name: "varied, three arms", about: "the best winner counts", promise: THREE_ARMS, arms: 3, lifts: varied },
];

fn normal(rng: &mut Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn uniform(rng: &mut Rng) -> f64 {
    StandardUniform.sample(rng)
}

fn student(rng: &mut Rng, df: f64) -> f64 {
    StudentT::new(df).expect("degrees of freedom").sample(rng)
}

fn laplace(rng: &mut Rng) -> f64 {
    let size: f64 = Exp::new(1.0).expect("a rate").sample(rng);
    if uniform(rng) < 0.5 { -size } else { size }
}

/// Programmes that differ in the share of tests without effect, in the size of the other effects, and in the heaviness
/// of the tails.
fn varied(rng: &mut Rng, count: usize) -> Vec<f64> {
    let none = [0.0, 0.3, 0.5, 0.7, 0.85][(uniform(rng) * 5.0) as usize];
    let spread = (0.015_f64.ln() + uniform(rng) * (0.08_f64 / 0.015).ln()).exp();
    let mean = 0.2 * spread * normal(rng);
    let has_heavy_tails = uniform(rng) < 0.3;
    let lift = |rng: &mut Rng| match (uniform(rng) < none, has_heavy_tails) {
        (true, _) => 0.0,
        (false, true) => mean + spread * student(rng, 4.0) / 2.0_f64.sqrt(),
        (false, false) => mean + spread * normal(rng),
    };
    (0..count).map(|_| lift(rng)).collect()
}

/// Result of an arm.
struct Arm {
    result: ConcludedResult,
    true_lift: f64,
    is_winner: bool,
}

/// Runs a test to its first significant check, or to its end.
fn test(rng: &mut Rng, lifts: &[f64]) -> Vec<Arm> {
    let error = ERROR.0 * (ERROR.1 * normal(rng)).exp();
    let planned = 2.0 * (1.0 - RATE) / (RATE * error * error);
    let per_read = (planned / READS as f64) as u64;
    // As in reports, each arm is tested at its part of the level. Bonferroni's correction is more conservative than
    // Holm's.
    let boundary = Mixture::tuned(2.0 * planned, ALPHA / lifts.len() as f64).expect("a boundary");
    let entered = |rng: &mut Rng, lift: f64| Binomial::new(per_read, RATE * (1.0 + lift)).expect("a share").sample(rng);
    let mut converted = vec![0; lifts.len() + 1];
    for read in 1..=READS {
        converted[0] += entered(rng, 0.0);
        for (converted, lift) in converted[1..].iter_mut().zip(lifts) {
            *converted += entered(rng, *lift);
        }
        let sample = |converted| Sample::of_proportion(read * per_read, converted).expect("a sample");
        let looks: Vec<_> = converted[1..]
            .iter()
            .map(|treatment| {
                let effect = Effect::of_samples(&sample(converted[0]), &sample(*treatment)).expect("an effect");
                (effect, sequential(&effect, &boundary).expect("a test"))
            })
            .collect();
        let is_significant = looks.iter().any(|(_, look)| look.p_value < boundary_alpha(lifts.len()));
        if is_significant || read == READS {
            let arm = |((effect, look), true_lift): (&(Effect, _), &f64)| {
                let look: &muriel_stats::boundary::Sequential = look;
                let (lift, std_error) = delta_lift(effect).expect("a lift");
                Arm {
                    result: ConcludedResult { lift, std_error },
                    true_lift: *true_lift,
                    is_winner: look.p_value < boundary_alpha(lifts.len()) && lift > 0.0,
                }
            };
            return looks.iter().zip(lifts).map(arm).collect();
        }
    }
    Vec::new()
}

fn boundary_alpha(arms: usize) -> f64 {
    ALPHA / arms as f64
}

/// Sums of the winners of a programme that has any.
#[derive(Clone, Copy)]
pub(crate) struct WinnerSums {
    winners: usize,
    pub(crate) truth: f64,
    /// Expected by the estimator.
    pub(crate) expected: f64,
    sd: f64,
    is_covered: bool,
    /// Naive sum: the sum of the results.
    pub(crate) shown: f64,
}

fn programme(kind: &Kind, tests: usize, seed: u64) -> Option<WinnerSums> {
    let mut rng = Rng::seed_from_u64(seed);
    // Heavy tails reach below -1, where no conversion rate exists.
    let lifts: Vec<f64> =
        (kind.lifts)(&mut rng, tests * kind.arms).into_iter().map(|lift| lift.clamp(MIN_LIFT, MAX_LIFT)).collect();
    let mut results = Vec::new();
    let mut winners = Vec::new();
    let (mut truth, mut shown) = (0.0, 0.0);
    for lifts in lifts.chunks(kind.arms) {
        let arms = test(&mut rng, lifts);
        let best = (0..arms.len()).filter(|at| arms[*at].is_winner);
        let best = best.max_by(|a, b| arms[*a].result.lift.total_cmp(&arms[*b].result.lift));
        if let Some(best) = best {
            winners.push(results.len() + best);
            truth += arms[best].true_lift;
            shown += arms[best].result.lift;
        }
        results.extend(arms.iter().map(|arm| arm.result));
    }
    if winners.is_empty() {
        return None;
    }
    let total = Programme::learn(&results).expect("a programme").total(&winners, 0.95).expect("a sum");
    Some(WinnerSums {
        winners: winners.len(),
        truth,
        expected: total.mean,
        sd: total.sd,
        is_covered: total.interval.lower <= truth && truth <= total.interval.upper,
        shown,
    })
}

/// Performance of the estimator on the programmes of a kind.
pub(crate) struct Measured {
    /// Programmes with a winner.
    pub(crate) programmes: Vec<WinnerSums>,
    /// Mean number of winners of a programme.
    pub(crate) winners: f64,
    /// Bias: expected sum minus true sum, in standard deviations of the estimate; mean over programmes.
    pub(crate) bias: f64,
    /// Standard error of `bias`.
    pub(crate) bias_error: f64,
    /// Share of programmes whose 95 % interval contains the true sum.
    pub(crate) coverage: f64,
    /// Expected sum divided by true sum, both added up over programmes.
    pub(crate) expected: f64,
    /// Naive sum divided by true sum, both added up over programmes.
    pub(crate) naive: f64,
}

impl Measured {
    /// Returns whether the kind's promise holds within three standard errors of the simulation, and whether the
    /// estimator is needed.
    pub(crate) fn keeps(&self, kind: &Kind) -> bool {
        let (bias, coverage) = kind.promise;
        let margin = 3.0 * (coverage * (1.0 - coverage) / self.programmes.len() as f64).sqrt();
        let is_unbiased = self.bias.abs() < bias + 3.0 * self.bias_error;
        is_unbiased && self.coverage > coverage - margin && self.naive >= MIN_NAIVE
    }
}

/// Simulates programmes of a kind with this many tests each. The same arguments give the same numbers.
pub(crate) fn measure(kind: &Kind, programmes: usize, tests: usize) -> Measured {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; programmes]);
    // FNV-1a hash of the name, so that adding a kind does not change the others.
    let seed = kind
        .name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= programmes {
                        return;
                    }
                    let seen = programme(kind, tests, seed.wrapping_add(number as u64));
                    found.lock().expect("no panic")[number] = seen;
                }
            });
        }
    });
    let seen: Vec<WinnerSums> = found.into_inner().expect("no panic").into_iter().flatten().collect();
    let count = seen.len() as f64;
    let mean = |of: &dyn Fn(&WinnerSums) -> f64| seen.iter().map(of).sum::<f64>() / count;
    let standard = |seen: &WinnerSums| (seen.expected - seen.truth) / seen.sd;
    let bias = mean(&standard);
    let variance = mean(&|seen| (standard(seen) - bias).powi(2));
    let truth = mean(&|seen| seen.truth);
    Measured {
        winners: mean(&|seen| seen.winners as f64),
        bias,
        bias_error: (variance / count).sqrt(),
        coverage: mean(&|seen| f64::from(u8::from(seen.is_covered))),
        expected: mean(&|seen| seen.expected) / truth,
        naive: mean(&|seen| seen.shown) / truth,
        programmes: seen,
    }
}
