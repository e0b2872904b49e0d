//! The same result again: after a kill, after a rebuild, from the log alone.

use crate::scene::{Collector, id};
use muriel_tests::Client;
use muriel_tests::process::{Process, command, program};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

/// A day's visitors of a live experiment with a revenue goal; its id.
fn scene(client: &Client) -> i64 {
    client.goal("bought");
    let revenue =
        json!({ "goal_name": "Revenue", "goal_type": "revenue", "goal_value": "Purchase", "goal_key": "revenue" });
    client.post("/goal", revenue).created();
    let test_id = client.experiment(json!({
        "status": 1, "primary_goal_key": "revenue", "secondary_goal_keys": ["bought"],
    }));
    let collector = Collector::of(client);
    for visitor in 0..60 {
        let arm = (visitor % 2).to_string();
        let mut events = vec![json!({ "type": "exposure", "test_id": test_id, "variant_id": arm })];
        if visitor % 3 == 0 {
            events.push(json!({ "type": "order", "name": "Purchase", "value": f64::from(visitor) * 1.37 + 0.1, "currency": "EUR" }));
            events.push(json!({ "type": "custom", "name": "bought" }));
        }
        for event in &mut events {
            event["id"] = id().into();
        }
        collector.trusted.post("", json!({ "visitor": { "id": format!("v-{visitor}") }, "events": events })).ok();
    }
    test_id
}

/// A result without what changes with the time.
fn timeless(mut result: Value) -> Value {
    result["manifest"]["as_of"] = Value::Null;
    result["manifest"]["log_position"] = Value::Null;
    // Windows of a visit close as time passes.
    result["metrics"] = Value::Null;
    result
}

fn muriel(words: &[&str], data_dir: &Path) -> Output {
    let program = program(None).unwrap_or_else(|error| panic!("{error}"));
    command(&program, words, data_dir).output().expect("a process")
}

fn says(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What `muriel verify` says of a result, in words and as JSON, and whether it holds.
#[track_caller]
fn verified(result: &str, data_dir: &Path) -> (bool, String, Value) {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("result.json");
    std::fs::write(&file, result).expect("a file");
    let file = file.to_str().expect("a path");
    let (told, machine) = (muriel(&["verify", file], data_dir), muriel(&["verify", file, "--json"], data_dir));
    assert_eq!(told.status.code(), machine.status.code());
    let json: Value = serde_json::from_slice(&machine.stdout).unwrap_or_default();
    if !json.is_null() {
        assert_eq!(json["holds"], told.status.success(), "{json}");
    }
    (told.status.success(), says(&told), json)
}

/// A copy of a data directory whose server does not run.
fn copied(data_dir: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(data_dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
}

#[test]
fn a_damaged_log_does_not_hold() {
    let dir = tempfile::tempdir().expect("a directory");
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let result = client.get(&format!("/experiment/{test_id}/result")).ok();
    // A block that the result does not know of.
    let late = json!({ "type": "custom", "name": "late", "id": id() });
    Collector::of(&client).trusted.post("", json!({ "visitor": { "id": "late" }, "events": [late] })).ok();
    drop(server);

    let position = result["manifest"]["log_position"].as_i64().expect("a number");
    let middle = position / 2;
    for (what, statement, holds) in [
        ("deleted", format!("DELETE FROM block WHERE seq = {middle}"), false),
        ("flipped", format!("UPDATE block SET body = zeroblob(length(body)) WHERE seq = {middle}"), false),
        ("flipped at the end", format!("UPDATE block SET body = zeroblob(length(body)) WHERE seq = {position}"), false),
        ("flipped behind it", format!("UPDATE block SET body = zeroblob(length(body)) WHERE seq > {position}"), true),
    ] {
        let copy = dir.path().join(what);
        copied(&data_dir, &copy);
        let changed = rusqlite::Connection::open(copy.join("log.db")).expect("a log").execute(&statement, []);
        assert_eq!(changed, Ok(1), "{what}");
        let (held, said, json) = verified(&result.to_string(), &copy);
        assert_eq!(held, holds, "{what}: {said}");
        assert_eq!(said.contains(" holds: "), holds, "{what}: {said}");
        assert_eq!(said.contains("the event log is damaged"), !holds, "{what}: {said}");
        assert_eq!(json["damaged"].is_string(), !holds, "{what}: {json}");
    }
}

#[test]
fn a_result_outlives_the_warehouse() {
    let dir = tempfile::tempdir().expect("a directory");
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let path = format!("/experiment/{test_id}/result?breakdown_by=device");
    let first = client.get(&path).ok();
    assert_eq!((&first["total_visitors"], &first["total_conversions"]), (&json!(60), &json!(20)));

    // The log alone says the same, beside the running server.
    let file = dir.path().join("result.json");
    std::fs::write(&file, first.to_string()).expect("a file");
    let told = muriel(&["verify", file.to_str().expect("a path")], &data_dir);
    assert!(told.status.success() && says(&told).contains("every value is the same"), "{}", says(&told));

    // A number that was changed is found, the manifest's too.
    for (pointer, value) in [
        ("/variants/1/conversions", json!(11)),
        ("/variants/1/analysis/p_value", json!(0.049)),
        ("/breakdowns/0/variants/0/visitors", json!(29)),
        ("/manifest/experiment/confidence_percent", json!(90)),
    ] {
        let mut forged = first.clone();
        *forged.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        std::fs::write(&file, forged.to_string()).expect("a file");
        let told = muriel(&["verify", file.to_str().expect("a path")], &data_dir);
        let place = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        assert!(!told.status.success(), "{pointer}: {}", says(&told));
        if place != "manifest" {
            assert!(says(&told).contains(place), "{pointer}: {}", says(&told));
        }
    }
    for (text, expect) in [
        ("{", "is no JSON"),
        ("{}", "has no manifest"),
        (r#"{"manifest": {"engine": 1}}"#, "manifest that cannot be read"),
    ] {
        std::fs::write(&file, text).expect("a file");
        let told = muriel(&["verify", file.to_str().expect("a path")], &data_dir);
        assert!(!told.status.success() && says(&told).contains(expect), "{text}: {}", says(&told));
    }

    // A running server rebuilds when it is told to.
    let told = muriel(&["warehouse", "rebuild"], &data_dir);
    assert!(told.status.success() && says(&told).contains("has rebuilt"), "{}", says(&told));
    assert_eq!(timeless(client.get(&path).ok()), timeless(first.clone()));

    // Killed without a word, and started again.
    drop(server);
    let server = Process::start(&data_dir, &[]);
    let again = client.at(server.address);
    assert_eq!(timeless(again.get(&path).ok()), timeless(first.clone()), "after a kill");
    drop(server);

    // Rebuilt while nothing runs, and gone altogether.
    let told = muriel(&["warehouse", "rebuild"], &data_dir);
    assert!(told.status.success() && says(&told).contains("holds the log up to block"), "{}", says(&told));
    for entry in std::fs::read_dir(&data_dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("warehouse")) {
            std::fs::remove_file(path).expect("removed");
        }
    }
    let server = Process::start(&data_dir, &[]);
    assert_eq!(timeless(client.at(server.address).get(&path).ok()), timeless(first), "without a warehouse");
}
