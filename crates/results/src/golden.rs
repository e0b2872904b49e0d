//! Golden reports: fixed events and manifests with the whole report that they give, so that no value changes unnoticed.
//!
//! Each file of `tests/golden` is a report with the [`METHODS`] that it was computed by. `muriel verify` compares every
//! value of a result, its sentences too, with what this program computes by the same methods. So when a value changes,
//! [`METHODS`] has to change with it, and this test fails until it does:
//!
//! 1. Raise `METHODS` in `manifest.rs`, and say in the changelog what changed.
//! 2. Write the files again: `UPDATE_GOLDEN=1 cargo test -p muriel-results golden`.
//! 3. Read their difference: it is what users will see.
//!
//! A report that only has more fields than before needs only step 2.

mod scenarios;
mod show;

use crate::compute::compute;
use crate::manifest::METHODS;
use muriel_log::{LogId, Position, Record};
use muriel_warehouse::{DuckWarehouse, LoadTarget, Rows, StopToken, WarehouseOptions, WarehouseWriter, Watermark};
use scenarios::Scenario;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Relative tolerance of numbers: the last digits of `exp` and `ln` depend on the processor.
const TOLERANCE: f64 = 1e-12;
/// Maximum number of differences that a failure lists.
const MAX_LISTED: usize = 8;

/// The report of a scenario as JSON.
fn report(scenario: &Scenario) -> Value {
    let warehouse = DuckWarehouse::in_memory(&WarehouseOptions { memory_bytes: 256 << 20, threads: 1 }).unwrap();
    let mut rows = Rows::default();
    for (event, number) in scenario.events.iter().zip(0u128..) {
        let mut event = event.clone();
        event["id"] = json!(uuid::Uuid::from_u128(number).to_string());
        let record: Record = serde_json::from_value(event).unwrap();
        rows.add(&record, 1);
    }
    rows.sort();
    let mark = Watermark { position: Position { seq: 1 }, hash: None };
    warehouse.load(LoadTarget::Answering, LogId::from_bytes([7; 16]), &rows, mark).unwrap();
    show::computed(&compute(scenario.manifest.clone(), scenario.by_day, &warehouse, &StopToken::new()).unwrap())
}

/// Lists the differences of two reports in `changed`, as `place: before, now`, and places that only one of them has in
/// `moved`.
fn compare(place: &str, before: &Value, now: &Value, changed: &mut Vec<String>, moved: &mut Vec<String>) {
    let within = |key: &str| format!("{place}/{key}");
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            for (key, value) in before {
                match now.get(key) {
                    Some(other) => compare(&within(key), value, other, changed, moved),
                    None => moved.push(format!("{}: is gone", within(key))),
                }
            }
            moved.extend(
                now.keys().filter(|key| !before.contains_key(*key)).map(|key| format!("{}: is new", within(key))),
            );
        }
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            for (at, (value, other)) in before.iter().zip(now).enumerate() {
                compare(&within(&at.to_string()), value, other, changed, moved);
            }
        }
        (Value::Number(one), Value::Number(other)) if one != other => {
            let (a, b) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            let is_whole = one.is_i64() || one.is_u64() || other.is_i64() || other.is_u64();
            if is_whole || (a - b).abs() > TOLERANCE * a.abs().max(b.abs()) {
                changed.push(format!("{place}: {one}, now {other}"));
            }
        }
        _ if before != now => changed.push(format!("{place}: {before}, now {now}")),
        _ => {}
    }
}

/// Compares a golden file with a current report. The error states in a sentence what is wrong.
fn judge(name: &str, golden: &Value, report: &Value, methods: &str) -> Result<(), String> {
    let (mut changed, mut moved) = (Vec::new(), Vec::new());
    compare("", &golden["report"], report, &mut changed, &mut moved);
    let was = golden["methods"].as_str().unwrap_or_default();
    let list = |differences: &[String]| {
        let more = differences.len().saturating_sub(MAX_LISTED);
        let mut lines = differences[..differences.len() - more].join("\n  ");
        if more > 0 {
            lines += &format!("\n  and {more} more");
        }
        lines
    };
    if was == methods && !changed.is_empty() {
        Err(format!(
            "The report {name:?} has other values than before, but METHODS is still {methods:?}, so `muriel verify` \
             would reject correct results of earlier builds. If the change is intended, raise METHODS in \
             crates/results/src/manifest.rs, then run UPDATE_GOLDEN=1 cargo test -p muriel-results golden.\n  {}",
            list(&changed)
        ))
    } else if was != methods {
        Err(format!(
            "The report {name:?} was computed by methods {was:?}, and METHODS is {methods:?}. Run UPDATE_GOLDEN=1 \
             cargo test -p muriel-results golden, and read the difference."
        ))
    } else if !moved.is_empty() {
        Err(format!(
            "The report {name:?} has other fields than before. Run UPDATE_GOLDEN=1 cargo test -p muriel-results \
             golden.\n  {}",
            list(&moved)
        ))
    } else {
        Ok(())
    }
}

/// Returns whether a golden file may be replaced by a report: not when a value changed under the same methods.
fn may_replace(golden: &Value, report: &Value, methods: &str) -> bool {
    let (mut changed, mut moved) = (Vec::new(), Vec::new());
    compare("", &golden["report"], report, &mut changed, &mut moved);
    golden["methods"] != methods || changed.is_empty()
}

#[test]
fn values_change_only_with_their_methods() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut names: Vec<String> = Vec::new();
    let mut problems = Vec::new();
    for scenario in scenarios::all() {
        let file = directory.join(format!("{}.json", scenario.name));
        let report = report(&scenario);
        let golden: Value = match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).unwrap(),
            Err(_) => json!({ "methods": "none", "report": {} }),
        };
        if std::env::var_os("UPDATE_GOLDEN").is_some() && may_replace(&golden, &report, METHODS) {
            let text = serde_json::to_string_pretty(&json!({ "methods": METHODS, "report": report })).unwrap();
            std::fs::write(&file, text + "\n").unwrap();
        } else if let Err(problem) = judge(scenario.name, &golden, &report, METHODS) {
            problems.push(problem);
        }
        names.push(format!("{}.json", scenario.name));
    }
    for entry in std::fs::read_dir(&directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !names.contains(&name) {
            problems.push(format!("tests/golden/{name} does not belong to a scenario; delete it."));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn a_changed_value_is_told_from_a_new_one() {
    let golden = |methods: &str, report: Value| json!({ "methods": methods, "report": report });
    let before = json!({ "lift": 0.5, "visitors": [3, 4] });
    let judged = |methods: &str, now: Value| judge("one", &golden(methods, before.clone()), &now, "3");
    assert_eq!(judged("3", before.clone()), Ok(()));
    // The last digits depend on the processor; whole numbers must be equal.
    assert_eq!(judged("3", json!({ "lift": 0.5 * (1.0 + 1e-14), "visitors": [3, 4] })), Ok(()));
    for (now, says) in [
        (json!({ "lift": 0.51, "visitors": [3, 4] }), "/lift: 0.5, now 0.51"),
        (json!({ "lift": null, "visitors": [3, 4] }), "/lift: 0.5, now null"),
        (json!({ "lift": 0.5, "visitors": [3, 5] }), "/visitors/1: 4, now 5"),
        (json!({ "lift": 0.5, "visitors": [3] }), "/visitors: [3,4], now [3]"),
    ] {
        let problem = judged("3", now.clone()).unwrap_err();
        assert!(problem.contains("raise METHODS") && problem.contains(says), "{problem}");
        assert!(!may_replace(&golden("3", before.clone()), &now, "3"), "{now}");
        assert!(may_replace(&golden("2", before.clone()), &now, "3"), "{now}");
    }
    let more = json!({ "lift": 0.5, "visitors": [3, 4], "events": 9 });
    assert!(judged("3", more.clone()).unwrap_err().contains("/events: is new"));
    assert!(may_replace(&golden("3", before.clone()), &more, "3"));
    assert!(judged("2", before.clone()).unwrap_err().contains("computed by methods \"2\""));
    let mut none = Map::new();
    none.insert("lift".into(), json!(0.5));
    assert!(judged("3", Value::Object(none)).unwrap_err().contains("/visitors: is gone"));
}
