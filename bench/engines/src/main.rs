//! Measures the time of one decision in the process: ours compared with eppo_core and unleash-yggdrasil.
//!
//! Each decision is for one of fifty experiments with two conditions (country and plan) and an even split, and for a
//! new visitor. With `facts shared`, the visitors differ only by their ids, and their other facts were created before.
//! With `facts built`, the facts of each visitor are created as for a request, and the time includes that.
//!
//! Every round measures every engine once, so that other load on the machine affects them all. The output for each
//! engine is its best round, the median of its rounds, the median of the rounds' ratios to ours, and the allocations
//! per decision.

mod allocations;
mod contenders;

use allocations::allocations;
use contenders::{Contender, Eppo, Muriel, Yggdrasil};
use std::time::Instant;

// Rounds are short, so that on a busy machine some of them are not disturbed.
const ROUNDS: usize = 201;
const DECISIONS: usize = 10_000;

/// Measurements of an engine, with one entry per round.
struct Measured {
    name: String,
    ns: Vec<f64>,
    allocated: f64,
}

/// Decides for every visitor and returns the time of one decision, in nanoseconds.
fn round<'v>(visitors: &'v [String], mut treated: impl FnMut(usize, &'v str) -> bool) -> f64 {
    let started = Instant::now();
    let hits = visitors.iter().enumerate().filter(|(n, id)| treated(n % contenders::EXPERIMENTS, id)).count();
    let ns = started.elapsed().as_nanos() as f64 / visitors.len() as f64;
    let share = hits as f64 / visitors.len() as f64;
    assert!((0.48..0.52).contains(&share), "an even split gave the treatment to {share}");
    ns
}

fn measure(contender: &mut dyn Contender, visitors: &[String]) -> [(f64, u64); 2] {
    let before = allocations();
    let shared = contender.shared(visitors);
    let between = allocations();
    let built = contender.built(visitors);
    [(shared, between - before), (built, allocations() - between)]
}

fn main() {
    let visitors: Vec<String> = (0..DECISIONS).map(|n| format!("user-{n}")).collect();
    let mut engines: Vec<(&str, Box<dyn Contender>)> = vec![
        ("muriel-assign", Box::new(Muriel::new())),
        ("eppo_core 10.0.0", Box::new(Eppo::new(&visitors))),
        ("unleash-yggdrasil 0.21.7", Box::new(Yggdrasil::new())),
    ];
    let kinds = ["facts shared", "facts built"];
    let mut measured: Vec<Measured> = kinds
        .iter()
        .flat_map(|kind| engines.iter().map(move |(name, _)| format!("{name}, {kind}")))
        .map(|name| Measured { name, ns: Vec::new(), allocated: 0.0 })
        .collect();

    // The first round warms up and does not count.
    for counts in std::iter::once(false).chain([true; ROUNDS]) {
        let others = engines.len();
        for (at, (_, engine)) in engines.iter_mut().enumerate() {
            for (kind, (ns, allocated)) in measure(engine.as_mut(), &visitors).into_iter().enumerate() {
                let one = &mut measured[kind * others + at];
                if counts {
                    one.ns.push(ns);
                }
                one.allocated = allocated as f64 / visitors.len() as f64;
            }
        }
    }

    println!("one decision in the process, {ROUNDS} rounds of {DECISIONS}");
    println!("  {:40} {:>7} {:>10} {:>14} {:>7}", "", "best ns", "median ns", "allocations", "× ours");
    for (at, one) in measured.iter().enumerate() {
        let ours = &measured[at / engines.len() * engines.len()];
        let ratios = one.ns.iter().zip(&ours.ns).map(|(theirs, ours)| theirs / ours).collect();
        let best = one.ns.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "  {:40} {best:>7.0} {:>10.0} {:>14.2} {:>7.1}",
            one.name,
            median(one.ns.clone()),
            one.allocated,
            median(ratios)
        );
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
