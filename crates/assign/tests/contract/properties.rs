//! Properties: shares within chance, no unnecessary moves, and always an answer.
//!
//! Within chance means p > 0.001 by χ². Among this many tests some would fail by chance alone. The salts are fixed, so
//! each test passes always or never. `MURIEL_SALTS=1000 cargo test --release -p muriel-assign shares` uses more salts,
//! and requires that no more of them are below 0.001 than chance allows.

use super::random;
use muriel_assign::document::{DeliveredVariant, GroupRange};
use muriel_assign::{
    ContextValue, Delivered, Document, Experiment, Fact, LocalTime, NoopObserver, PastEvent, Reason, Ruleset, Scalar,
    TraceObserver, Visitor,
};
use muriel_domain::experiment::{Allocation, Arm, WHOLE, Weights};
use proptest::prelude::*;
use serde_json::{Value, json};

const MILLION: usize = 1_000_000;

/// Upper 0.1 % points of χ² by degrees of freedom, from 1.
const CRITICAL: [f64; 9] = [10.828, 13.816, 16.266, 18.467, 20.515, 22.458, 24.322, 26.124, 27.877];

fn delivered(salt: &str, traffic: u32, ranges: &[(u32, u32)]) -> Delivered {
    let arms = ranges.iter().map(|(_, arm)| *arm).max().unwrap_or(0);
    Delivered {
        test_id: 1,
        experiment_key: "experiment".to_owned(),
        test_type: "abtest".to_owned(),
        live: true,
        epoch: 1,
        salt: salt.to_owned(),
        traffic_allocation: traffic,
        ranges: ranges.to_vec(),
        serving: None,
        exclusion: None,
        holdouts: Vec::new(),
        targeting: Default::default(),
        variants_data_key: "https://shop.example/".to_owned(),
        dom_change_path: None,
        trigger_variant_change: None,
        custom_js: "".into(),
        custom_css: "".into(),
        control: Default::default(),
        variants: vec![DeliveredVariant::default(); arms as usize],
        name: None,
        tools: Vec::new(),
    }
}

fn experiment(salt: &str, traffic: u32, ranges: &[(u32, u32)]) -> Experiment {
    Experiment::compile(&delivered(salt, traffic, ranges)).unwrap()
}

fn arm(experiment: &Experiment, id: &str) -> Option<u32> {
    experiment.decide(&Visitor { id, ..Visitor::default() }, &mut NoopObserver).arm.map(|arm| arm.0)
}

/// Pearson's χ² of counts against weights.
fn chi_squared(counts: &[u64], weights: &[f64]) -> f64 {
    let (all, whole) = (counts.iter().sum::<u64>() as f64, weights.iter().sum::<f64>());
    let term = |(count, weight): (&u64, &f64)| {
        let expected = all * weight / whole;
        (*count as f64 - expected).powi(2) / expected
    };
    counts.iter().zip(weights).map(term).sum()
}

fn is_chance(counts: &[u64], weights: &[f64]) -> bool {
    chi_squared(counts, weights) < CRITICAL[counts.len() - 2]
}

fn sequential(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("visitor-{n}")).collect()
}

const HALVES: &[(u32, u32)] = &[(5_000, 0), (10_000, 1)];

#[test]
fn shares_are_within_chance() {
    let salts = std::env::var("MURIEL_SALTS").map_or(50, |text| text.parse::<u32>().unwrap());
    let ids = sequential(MILLION);
    // Traffic, ranges, and the weight of each outcome. With traffic below 100, the last outcome is "not assigned".
    type Plan = (&'static str, u32, &'static [(u32, u32)], &'static [f64]);
    let plans: [Plan; 4] = [
        ("two arms", 100, HALVES, &[50.0, 50.0]),
        ("three arms", 100, &[(3_334, 0), (6_667, 1), (10_000, 2)], &[33.34, 33.33, 33.33]),
        ("90, 5 and 5", 100, &[(9_000, 0), (9_500, 1), (10_000, 2)], &[90.0, 5.0, 5.0]),
        ("37 % of two arms", 37, HALVES, &[18.5, 18.5, 63.0]),
    ];
    let mut failures = Vec::new();
    let mut worst = 0.0_f64;
    for salt in 1..=salts {
        for (name, traffic, ranges, weights) in plans {
            let experiment = experiment(&salt.to_string(), traffic, ranges);
            let mut counts = vec![0; weights.len()];
            for id in &ids {
                let outcome = arm(&experiment, id).map_or(weights.len() - 1, |arm| arm as usize);
                counts[outcome] += 1;
            }
            let share = counts[0] as f64 / MILLION as f64 - weights[0] / 100.0;
            worst = worst.max(share.abs());
            if !is_chance(&counts, weights) {
                failures.push(format!("{name}, salt {salt}: {counts:?}"));
            }
        }
    }
    println!("{} tests, {} below 0.001, first arm off by {:.4} % at most", 4 * salts, failures.len(), 100.0 * worst);
    // None with the default number of salts; otherwise the mean plus four standard deviations.
    let expected = f64::from(4 * salts) * 0.001;
    let most = if salts == 50 { 0.0 } else { expected + 4.0 * expected.sqrt() };
    assert!(failures.len() as f64 <= most, "{failures:#?}");
}

#[test]
fn every_kind_of_id_is_shared_alike() {
    const COUNT: usize = 200_000;
    let mut random = random::Random::new(1);
    let uuid = |random: &mut random::Random| {
        let (high, low) = (random.next(), random.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        )
    };
    let kinds: [(&str, Vec<String>); 7] = [
        ("numbers", (1..=COUNT).map(|n| n.to_string()).collect()),
        ("large numbers", (0..COUNT).map(|n| (8_400_000_000_000_u64 + 8 * n as u64).to_string()).collect()),
        ("padded numbers", (0..COUNT).map(|n| format!("{n:012}")).collect()),
        ("uuids", (0..COUNT).map(|_| uuid(&mut random)).collect()),
        ("emails", (0..COUNT).map(|n| format!("user{n}@example.com")).collect()),
        ("names", (0..COUNT).map(|n| format!("użytkownik-{n}")).collect()),
        ("prefixed", (0..COUNT).map(|n| format!("GA1.2.1234567890.{}", 1_700_000_000 + n)).collect()),
    ];
    for (kind, ids) in kinds {
        for salt in ["1", "2", "77", "100000", "homepage"] {
            let experiment = experiment(salt, 50, &[(2_500, 0), (5_000, 1), (10_000, 2)]);
            let mut counts = [0; 4];
            ids.iter().for_each(|id| counts[arm(&experiment, id).unwrap_or(3) as usize] += 1);
            assert!(is_chance(&counts, &[0.125, 0.125, 0.25, 0.5]), "{kind}, salt {salt}: {counts:?}");
        }
    }
}

#[test]
fn experiments_are_independent() {
    let ids = sequential(MILLION);
    for (one, other) in
        [("1", "2"), ("2", "3"), ("9", "10"), ("41", "42"), ("99", "100"), ("1", "11"), ("7", "7000"), ("a", "b")]
    {
        let (left, right) = (experiment(one, 100, &[(3_000, 0), (10_000, 1)]), experiment(other, 100, HALVES));
        let mut table = [0; 4];
        for id in &ids {
            table[2 * arm(&left, id).unwrap() as usize + arm(&right, id).unwrap() as usize] += 1;
        }
        assert!(is_chance(&table, &[0.15, 0.15, 0.35, 0.35]), "{one} and {other}: {table:?}");
    }
    // Within an experiment: traffic, arm, and range of a group.
    let open = experiment("5", 100, HALVES);
    let half = experiment("5", 50, HALVES);
    let part = GroupRange { group_id: None, salt: "5".to_owned(), from: 0, to: 5_000 };
    let grouped = Experiment::compile(&Delivered { exclusion: Some(part), ..delivered("5", 100, HALVES) }).unwrap();
    let mut table = [0; 8];
    for id in &ids {
        let (enters, within) = (arm(&half, id).is_some(), arm(&grouped, id).is_some());
        table[4 * usize::from(enters) + 2 * usize::from(within) + arm(&open, id).unwrap() as usize] += 1;
    }
    assert!(is_chance(&table, &[1.0; 8]), "{table:?}");
}

#[test]
fn more_traffic_adds_and_moves_nobody() {
    let shares: Vec<_> =
        (0..=100).map(|traffic| experiment("12", traffic, &[(2_000, 0), (7_000, 2), (10_000, 1)])).collect();
    for id in sequential(20_000) {
        let arms: Vec<_> = shares.iter().map(|share| arm(share, &id)).collect();
        let first = arms.iter().position(Option::is_some).unwrap();
        assert!(first > 0, "{id}");
        assert!(arms[first..].iter().all(|arm| *arm == arms[first]), "{id}: {arms:?}");
    }
}

#[test]
fn weights_move_only_whom_they_must() {
    let weights = |hundredths: &[u32]| serde_json::from_value::<Weights>(json!(hundredths)).unwrap();
    let arms_of = |allocation: &Allocation| {
        let ranges: Vec<_> = allocation.ranges().iter().map(|(end, arm)| (*end, arm.0)).collect();
        let delivered = Delivered { variants: vec![DeliveredVariant::default(); 3], ..delivered("31", 100, &ranges) };
        Experiment::compile(&delivered).unwrap()
    };
    let ids = sequential(100_000);
    let mut before = weights(&[2_500, 2_500, 2_500, 2_500]);
    let mut allocation = Allocation::contiguous(&before);
    for after in [
        [4_000, 2_000, 2_000, 2_000],
        [1_000, 2_000, 2_000, 5_000],
        [0, 0, 5_000, 5_000],
        [3_333, 3_333, 3_334, 0],
        [9_000, 500, 500, 0],
        [2_500; 4],
    ] {
        let after = weights(&after);
        let moved = allocation.moved_to(&after);
        let (old, new) = (arms_of(&allocation), arms_of(&moved));
        let mut changed = 0;
        for id in &ids {
            let (from, to) = (Arm(arm(&old, id).unwrap()), Arm(arm(&new, id).unwrap()));
            if from != to {
                changed += 1;
                assert!(after.of(from) < before.of(from) && after.of(to) > before.of(to), "{id} from {from} to {to}");
            }
        }
        let must: u32 = (0..4).map(Arm).map(|arm| after.of(arm).saturating_sub(before.of(arm))).sum();
        let weighed = [f64::from(must), f64::from(WHOLE - must)];
        assert!(is_chance(&[changed, ids.len() as u64 - changed], &weighed), "{changed} moved for {must}");
        (before, allocation) = (after, moved);
    }
}

#[test]
fn groups_share_nobody() {
    let parts = [(0, 2_000), (2_000, 2_001), (2_001, 7_500), (7_500, 10_000)].map(|(from, to)| {
        let part = GroupRange { group_id: None, salt: "group".to_owned(), from, to };
        // With the same salt as each other and the group, which must not matter.
        Experiment::compile(&Delivered { exclusion: Some(part), ..delivered("group", 100, HALVES) }).unwrap()
    });
    let mut counts = [0; 4];
    for id in sequential(MILLION) {
        let members: Vec<_> = (0..4).filter(|part| arm(&parts[*part], &id).is_some()).collect();
        assert_eq!(members.len(), 1, "{id}");
        counts[members[0]] += 1;
    }
    assert!(is_chance(&counts, &[2_000.0, 1.0, 5_499.0, 2_500.0]), "{counts:?}");
}

/// Forty experiments in five groups, and a holdout of 5 % of the visitors.
#[test]
fn a_holdout_and_groups_together_share_nobody() {
    // In hundredths of a percent. The last two groups leave part of their line free.
    let sizes: [[u32; 8]; 5] = [
        [1_250; 8],
        [3_000, 2_000, 1_500, 1_200, 1_000, 700, 400, 200],
        [1, 10, 100, 1_000, 2_000, 3_000, 3_000, 889],
        [1_000; 8],
        [2_500, 500, 250, 125, 62, 31, 15, 7],
    ];
    let holdout = || vec![GroupRange { group_id: Some(1), salt: "g1".to_owned(), from: 0, to: 500 }];
    let groups: Vec<Vec<Experiment>> = (2i64..)
        .zip(sizes)
        .map(|(group, sizes)| {
            let mut end = 0;
            let members = (10 * group..).zip(sizes).map(|(test_id, size)| {
                let part = GroupRange { group_id: None, salt: format!("g{group}"), from: end, to: end + size };
                end += size;
                let delivered = delivered(&test_id.to_string(), 100, HALVES);
                Experiment::compile(&Delivered { exclusion: Some(part), holdouts: holdout(), ..delivered }).unwrap()
            });
            members.collect()
        })
        .collect();
    let (mut held_out, mut counts, mut arms) = (0, [[0u64; 9]; 5], [[0u64; 2]; 40]);
    for id in sequential(MILLION) {
        let visitor = Visitor { id: &id, ..Visitor::default() };
        let reasons: Vec<_> = groups.iter().flatten().map(|it| it.decide(&visitor, &mut NoopObserver)).collect();
        if reasons[0].reason == Reason::Holdout {
            assert!(reasons.iter().all(|decision| *decision == reasons[0]), "{id} meets some");
            held_out += 1;
            continue;
        }
        for (at, decisions) in reasons.chunks(8).enumerate() {
            let mut members = (0..8).filter(|member| decisions[*member].in_experiment());
            counts[at][members.next().unwrap_or(8)] += 1;
            assert_eq!(members.next(), None, "{id} meets two of a group");
        }
        for (at, decision) in reasons.iter().enumerate() {
            if let Some(arm) = decision.arm {
                arms[at][arm.0 as usize] += 1;
            }
        }
    }
    assert!(is_chance(&[held_out, MILLION as u64 - held_out], &[5.0, 95.0]), "{held_out}");
    for (sizes, counts) in sizes.iter().zip(&counts) {
        let free = f64::from(10_000 - sizes.iter().sum::<u32>());
        let weights: Vec<f64> = sizes.iter().map(|size| f64::from(*size)).chain([free]).collect();
        let (counts, weights): (Vec<u64>, Vec<f64>) =
            counts.iter().zip(weights).filter(|(_, weight)| *weight > 0.0).unzip();
        assert!(is_chance(&counts, &weights), "{counts:?}");
    }
    for arms in arms.iter().filter(|arms| arms.iter().sum::<u64>() > 1_000) {
        assert!(is_chance(arms, &[0.5, 0.5]), "{arms:?}");
    }
}

#[test]
fn deciding_allocates_nothing() {
    let targeting = json!({
        "allowed_country": [{"name": "Germany", "code": "DE", "rule": "whitelist"}],
        "allowed_city": [{"name": "Berlin", "rule": "equal"}],
        "device_rule": ["mobile"],
        "user_rule": "new",
        "browser_language_rule": ["de"],
        "segment_rule": [[
            {"criteria": "plan", "operator": "**", "value": "x"},
            {"criteria": "visits", "operator": "==", "value": "7"},
            {"criteria": "since", "operator": "days_lt", "value": 7},
        ]],
        "event_rule": [
            {"rule": "equal", "name": "View", "attributes": [], "min_count": 1, "timeframe_days": 7},
        ],
        "url_rule": [{"url": "https://shop.example/*", "rule": "wildcard", "allowed": true}],
        "parameter_rule": [[{"criteria": "utm_source", "operator": "==", "value": "ads"}]],
        "schedule_rule": {"schedule_groups": [{"days": ["monday"], "time_ranges": []}]},
    });
    let part = GroupRange { group_id: None, salt: "group".to_owned(), from: 0, to: WHOLE };
    let delivered = Delivered {
        targeting: serde_json::from_value(targeting).unwrap(),
        exclusion: Some(part),
        ..delivered("1", 99, HALVES)
    };
    let experiment = Experiment::compile(&delivered).unwrap();
    let context = json!({
        "country": "DE", "city": "Berlin (Berlin)", "device": "mobile", "visitor_type": "new", "language": "de-AT",
        "url": "https://shop.example/checkout?utm_source=ads", "local_time": "monday 12:00", "plan": "pro", "visits": 8,
        "since": "1970-01-01", "events": [{"name": "View", "at": 0}], "targetingKey": "visitor-1",
    });
    let context = context.as_object().unwrap().iter().map(|(name, value)| (name.as_str(), ContextValue::from(value)));
    let visitor = Visitor { side: muriel_assign::EvaluationSide::Browser, ..Visitor::read(context).unwrap() };
    let mut decision = None;
    let made =
        allocation_counter::measure(|| decision = Some(experiment.decide(&visitor, &mut NoopObserver))).count_total;
    assert_eq!((decision.unwrap().reason, made), (Reason::Split, 0));
}

/// Any JSON.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-20i64..20_000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[ -~]{0,3}[*(\\[{?#/:@%.]{0,4}[ -~]{0,3}".prop_map(Value::from),
        "[0-9+-]{1,4}-[0-9]{2}-[0-9]{2}[T ]?[0-9:.Z+-]{0,9}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,8}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Follows a path of steps through nested members, and returns the value at its end.
fn place_in<'v>(mut value: &'v mut Value, steps: &[usize]) -> &'v mut Value {
    for step in steps {
        let size = match &*value {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if size == 0 {
            break;
        }
        value = match value {
            Value::Array(items) => &mut items[step % size],
            Value::Object(members) => members.values_mut().nth(step % size).unwrap(),
            _ => unreachable!("it has members"),
        };
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Valid documents and contexts with some parts replaced. Whatever compiles can decide, and its explanation agrees
    /// with its decision.
    #[test]
    fn an_answer_always(
        seed: u64,
        spoilt in prop::collection::vec((any::<bool>(), prop::collection::vec(0usize..40, 1..9), anything()), 0..4),
        now_ms: i64,
    ) {
        let mut line = random::Random::new(seed).line();
        for (in_document, steps, value) in spoilt {
            *place_in(&mut line[if in_document { "ruleset" } else { "visitor" }], &steps) = value;
        }
        let Ok(document) = serde_json::from_value::<Document>(line["ruleset"].clone()) else { return Ok(()) };
        let Ok(ruleset) = Ruleset::compile(&document) else { return Ok(()) };
        let Some(context) = line["visitor"].as_object() else { return Ok(()) };
        let context = context.iter().map(|(name, value)| (name.as_str(), ContextValue::from(value)));
        let Ok(mut visitor) = Visitor::read(context) else { return Ok(()) };
        visitor.now_ms = now_ms;
        for experiment in ruleset.experiments() {
            let decision = experiment.decide(&visitor, &mut NoopObserver);
            prop_assert_eq!(experiment.decide(&visitor, &mut TraceObserver::default()), decision);
            prop_assert!(decision.arm.is_none_or(|arm| arm.0 < experiment.arms));
            prop_assert_eq!(decision.in_experiment(), matches!(decision.reason, Reason::Split | Reason::Sticky));
            // A document that is published and read again gives the same decisions.
            let again: Document = serde_json::from_value(serde_json::to_value(&document).unwrap()).unwrap();
            let again = Ruleset::compile(&again).unwrap();
            prop_assert_eq!(again.experiment(&experiment.key).unwrap().decide(&visitor, &mut NoopObserver), decision);
        }
    }

    /// Visitors that no context can describe.
    #[test]
    fn no_visitor_is_too_odd(seed: u64, weekday: u8, minute: u16, at_ms: i64, now_ms: i64, number: f64, id: String) {
        let line = random::Random::new(seed).line();
        let ruleset = Ruleset::compile(&serde_json::from_value(line["ruleset"].clone()).unwrap()).unwrap();
        let attributes = vec![("plan", Scalar::Number(number)), ("since", Scalar::Number(f64::NAN))];
        let visitor = Visitor {
            id: &id,
            now_ms,
            local_time: Fact::Is(LocalTime { weekday, minute }),
            events: Fact::Is(vec![PastEvent { name: "Purchase", at_ms, attributes: attributes.clone() }]),
            attributes,
            ..Visitor::default()
        };
        for experiment in ruleset.experiments() {
            let decision = experiment.decide(&visitor, &mut NoopObserver);
            prop_assert_eq!(experiment.decide(&visitor, &mut TraceObserver::default()), decision);
        }
    }
}
