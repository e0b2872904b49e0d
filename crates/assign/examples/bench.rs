//! Benchmark of decisions: `cargo run --release -p muriel-assign --example bench`.
//!
//! One project, 50 experiments, each with two conditions: the country is one of two, and the
//! attribute `plan` is `pro` or `team`. Every decision is for another visitor. Three in four
//! visitors are in one of the countries, and half have one of the plans. Prints three numbers per
//! decision: the nanoseconds of the best round; the CPU nanoseconds over all rounds, which other
//! processes hardly affect; and the allocations.

use muriel_assign::document::{Delivered, DeliveredVariant};
use muriel_assign::{Document, Experiment, Fact, NoopObserver, Ruleset, Scalar, Visitor};
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const VISITORS: usize = 20_000;
const ROUNDS: usize = 200;

fn main() {
    let experiments = (1..=50).map(|id| Arc::new(experiment(id))).collect();
    let ruleset = match Ruleset::compile(&Document::new("bench", experiments, Vec::new())) {
        Ok(ruleset) => ruleset,
        Err(problems) => panic!("{:?}", problems.first()),
    };
    let ids: Vec<String> = (0..VISITORS).map(|n| format!("visitor-{n}")).collect();
    let visitors: Vec<Visitor<'_>> = ids.iter().enumerate().map(|(n, id)| visitor(n, id)).collect();
    let experiments = ruleset.experiments();
    println!("one of fifty experiments, two conditions");
    report("a context that is there", || {
        let pairs = visitors.iter().zip(experiments.iter().cycle());
        pairs.map(|(visitor, experiment)| decided(experiment, visitor)).sum()
    });
    report("a context made for it", || {
        let pairs = ids.iter().enumerate().zip(experiments.iter().cycle());
        pairs.map(|((n, id), experiment)| decided(experiment, &visitor(n, id))).sum()
    });
    let keys: Vec<&str> = experiments.iter().map(|experiment| &*experiment.key).collect();
    report("found by its key", || {
        let pairs = visitors.iter().zip(keys.iter().cycle());
        pairs.map(|(visitor, key)| ruleset.experiment(key).map_or(0, |found| decided(found, visitor))).sum()
    });
}

fn experiment(id: i64) -> Delivered {
    let delivered = json!({
        "test_id": id, "experiment_key": format!("experiment-{id}"), "test_type": "abtest", "live": true, "epoch": 1,
        "salt": id.to_string(), "traffic_allocation": 90, "ranges": [[5_000, 0], [10_000, 1]],
        "targeting": {
            "allowed_country": [
                {"name": "Germany", "code": "DE", "rule": "whitelist"},
                {"name": "France", "code": "FR", "rule": "whitelist"},
            ],
            "segment_rule": [[
                {"criteria": "plan", "operator": "==", "value": "pro"},
                {"criteria": "plan", "operator": "==", "value": "team"},
            ]],
        },
        "variants_data_key": "https://example.com/", "variants": [DeliveredVariant::default()],
    });
    serde_json::from_value(delivered).unwrap_or_else(|error| panic!("{error}"))
}

fn visitor(n: usize, id: &str) -> Visitor<'_> {
    const COUNTRIES: [&str; 4] = ["DE", "FR", "US", "DE"];
    const PLANS: [&str; 4] = ["free", "pro", "team", "trial"];
    Visitor {
        id,
        country: Fact::Is(COUNTRIES[n % 4]),
        device: Fact::Is("desktop"),
        attributes: vec![("plan", Scalar::Text(PLANS[n / 4 % 4]))],
        ..Visitor::default()
    }
}

fn decided(experiment: &Experiment, visitor: &Visitor<'_>) -> usize {
    usize::from(black_box(experiment).decide(black_box(visitor), &mut NoopObserver).in_experiment())
}

fn report(what: &str, mut round: impl FnMut() -> usize) {
    let per_decision = |ns: f64, rounds: usize| ns / (rounds * VISITORS) as f64;
    let mut included = round();
    let mut best = f64::INFINITY;
    let before = cpu_ns();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        included = black_box(round());
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    let cpu = before.zip(cpu_ns()).map(|(before, after)| per_decision(after - before, ROUNDS));
    let made = allocation_counter::measure(|| included = black_box(round())).count_total;
    println!(
        "{what:<24} best round {:>5.1} ns, CPU {:>5.1} ns, {:.2} allocations, {:.1} % included",
        per_decision(best, 1),
        cpu.unwrap_or(f64::NAN),
        made as f64 / VISITORS as f64,
        100.0 * included as f64 / VISITORS as f64
    );
}

/// CPU time used by this thread, in nanoseconds. `None` where Linux does not provide it.
fn cpu_ns() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}
