//! Recomputing the same result: after a kill, after a rebuild, and from the log alone.

use crate::scene::{Collector, id};
use muriel_context::clock::Clock;
use muriel_tests::process::{Process, command, program};
use muriel_tests::{Client, TestApp, scratch};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

const HOUR_US: i64 = 3_600_000_000;

/// Creates a day's visitors of a live experiment with a revenue goal, and returns its id.
pub(crate) fn scene(client: &Client) -> i64 {
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
        if visitor % 2 == 1 {
            let changes = if visitor % 5 == 0 { "0-0" } else { "1-0" };
            events.push(json!({ "type": "health", "test_id": test_id, "variant_id": arm, "changes": changes }));
        }
        if visitor % 3 == 0 {
            events.push(json!({ "type": "order", "name": "Purchase", "value": f64::from(visitor) * 1.37 + 0.1, "currency": "EUR", "order_id": visitor.to_string() }));
            events.push(json!({ "type": "order", "name": "Purchase", "value": -0.05, "currency": "EUR", "refund_of": visitor.to_string() }));
            events.push(json!({ "type": "custom", "name": "bought" }));
        }
        for event in &mut events {
            event["id"] = id().into();
        }
        collector.trusted.post("", json!({ "visitor": { "id": format!("v-{visitor}") }, "events": events })).ok();
    }
    test_id
}

/// Removes the values of a result that depend on the time.
pub(crate) fn timeless(mut result: Value) -> Value {
    result["manifest"]["as_of"] = Value::Null;
    result["manifest"]["logs"][0]["position"] = Value::Null;
    // Midnight may pass.
    (result["end_date"], result["days_running"]) = (Value::Null, Value::Null);
    // Windows of visits close as time passes.
    result["metrics"] = Value::Null;
    result
}

pub(crate) fn muriel(words: &[&str], data_dir: &Path) -> Output {
    let program = program(None).unwrap_or_else(|error| panic!("{error}"));
    command(&program, words, data_dir).output().expect("a process")
}

pub(crate) fn says(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns whether `muriel verify` accepts a result, with its output as text and as JSON.
#[track_caller]
pub(crate) fn verified(result: &str, data_dir: &Path) -> (bool, String, Value) {
    let dir = scratch();
    let file = dir.path().join("result.json");
    std::fs::write(&file, result).expect("a file");
    let file = file.to_str().expect("a path");
    let (output, machine) = (muriel(&["verify", file], data_dir), muriel(&["verify", file, "--json"], data_dir));
    assert_eq!(output.status.code(), machine.status.code());
    let json: Value = serde_json::from_slice(&machine.stdout).unwrap_or_default();
    if !json.is_null() {
        assert_eq!(json["holds"], output.status.success(), "{json}");
    }
    (output.status.success(), says(&output), json)
}

/// Returns whether `muriel verify` accepts a result while the server runs, and its output.
pub(crate) fn verified_beside(app: &TestApp, result: &Value) -> (bool, String) {
    let storage = &app.settings.storage;
    let file = storage.data_dir.join("result.json");
    std::fs::write(&file, result.to_string()).expect("a file");
    let mut words = vec!["verify", file.to_str().expect("a path")];
    words.extend(storage.database_url.iter().flat_map(|url| ["--database-url", url.as_str()]));
    let output = muriel(&words, &storage.data_dir);
    (output.status.success(), says(&output))
}

/// Copies the data directory of a stopped server.
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
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let result = client.get_when_loaded(&format!("/experiment/{test_id}/result")).ok();
    // A block that is newer than the result.
    let late = json!({ "type": "custom", "name": "late", "id": id() });
    Collector::of(&client).trusted.post("", json!({ "visitor": { "id": "late" }, "events": [late] })).ok();
    drop(server);

    let position = result["manifest"]["logs"][0]["position"].as_i64().expect("a number");
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

/// Returns `result` with other values at these pointers.
#[track_caller]
fn forged(result: &Value, changes: &[(&str, Value)]) -> String {
    let mut forged = result.clone();
    for (pointer, value) in changes {
        let place = forged.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}"));
        assert_ne!(place, value, "{pointer}");
        *place = value.clone();
    }
    forged.to_string()
}

#[test]
fn what_a_manifest_says_is_held_against_log_and_history() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let experiment = format!("/experiment/{test_id}");
    let result = client.get_when_loaded(&format!("{experiment}/result")).ok();

    // It still verifies after changes of the experiment, its goals and the log.
    client.set_status(test_id, 0).ok();
    client
        .patch(
            &experiment,
            json!({
                "test_name": "Another", "plan": { "mde": 9, "visitors": 500 }, "secondary_goal_keys": [],
                "builtin_metrics": [], "variants": [{ "name": "Variant 1", "nickname": "Other", "customJS": "1" }],
                "configuration": { "traffic_allocation": 50, "confidence_interval": 80 },
            }),
        )
        .ok();
    client.set_status(test_id, 1).ok();
    let late = json!({ "type": "custom", "name": "late", "id": id() });
    Collector::of(&client).trusted.post("", json!({ "visitor": { "id": "late" }, "events": [late] })).ok();
    let (held, said, json) = verified(&result.to_string(), &data_dir);
    assert!(held, "{said}");
    assert_eq!((&json["notes"], &json["differences"]), (&json!([]), &json!([])));

    let position = result["manifest"]["logs"][0]["position"].as_i64().expect("a number");
    let zeros = "0".repeat(64);
    let a_node = json!({ "node": "n", "started_at": "2020-01-01T00:00:00.000Z", "ended_at": null });
    let a_table = json!({ "currency": "EUR", "rates": { "USD": { "2026-01-01": 0.5 } } });
    let with = |part: &str, value: Value| {
        let mut manifest = result["manifest"].clone();
        manifest[part] = value;
        manifest
    };
    let named =
        |name: &str| [("/manifest/experiment/arms/1/nickname", json!(name)), ("/variants/1/nickname", json!(name))];
    for (place, changes) in [
        ("manifest.logs[0].hash", &[("/manifest/logs/0/hash", json!(zeros))][..]),
        ("manifest.logs[0].hash", &[("/manifest/logs/0/hash", Value::Null)]),
        ("manifest.logs[0].hash", &[("/manifest/logs/0/position", json!(position + 1))]),
        ("which was not given", &[("/manifest/logs/0/id", json!("7d444840-9dc0-11d1-b245-5ffdce74fad2"))]),
        ("must be the id of a log", &[("/manifest/logs/0/id", json!("log"))]),
        ("inquiry.tz must be an IANA time zone", &[("/manifest/inquiry/tz", json!("UTx"))]),
        ("logs[0].position must be at least 1", &[("/manifest/logs/0/position", json!(0))]),
        ("ends with block", &[("/manifest/logs/0/position", json!(position + 1_000))]),
        ("manifest.epochs[0].weights[0]", &[("/manifest/epochs/0/weights", json!([9_000, 1_000]))]),
        ("manifest.epochs[0].started_at", &[("/manifest/epochs/0/started_at", json!("2020-01-01T00:00:00.000Z"))]),
        ("manifest.experiment.mde_percent", &[("/manifest/experiment/mde_percent", json!(7.0))]),
        ("manifest.experiment.planned_visitors", &[("/manifest/experiment/planned_visitors", json!(500))]),
        ("manifest.experiment.started_at", &[("/manifest/experiment/started_at", json!("2020-01-01T00:00:00.000Z"))]),
        ("manifest.experiment.arms[1].nickname", &named("Ours")),
        ("manifest.metrics[0].cap", &[("/manifest/metrics/0/cap", json!(1e9))]),
        ("manifest.metrics", &[("/manifest/metrics/1/role", json!("guardrail"))]),
        ("manifest.other_nodes", &[("/manifest", with("other_nodes", json!([a_node])))]),
        ("manifest.currency_rates", &[("/manifest", with("currency_rates", a_table.clone()))]),
        ("variants[1].changes[0].matched", &[("/variants/1/changes/0/matched", json!(30))]),
        ("manifest.experiment", &[("/manifest/as_of", json!("2020-01-01T00:00:00.000Z"))]),
        ("has a manifest.as_of in the future", &[("/manifest/as_of", json!("2099-01-01T00:00:00.000Z"))]),
        ("does not know", &[("/manifest/engine/version", json!("9.9.9"))]),
        ("does not know", &[("/manifest/engine/name", json!("other"))]),
        ("methods 0", &[("/manifest/engine/methods", json!("0"))]),
        (r#"its manifest has a goal "bought" whose value"#, &{
            [("/manifest/metrics/1/goal_type", json!("pageviewRegex")), ("/manifest/metrics/1/goal_value", json!("("))]
        }),
        ("has a manifest with 100000 variants", &{
            let arm = &result["manifest"]["experiment"]["arms"][0];
            [("/manifest/experiment/arms", json!(vec![arm; 100_000]))]
        }),
    ] {
        let (held, said, _) = verified(&forged(&result, changes), &data_dir);
        assert!(!held && said.contains(place), "{place}: {said}");
    }
    let twice = result.to_string().replacen('{', r#"{"total_visitors":1,"#, 1);
    let (held, said, _) = verified(&twice, &data_dir);
    assert!(!held && said.contains(r#"the key "total_visitors" appears twice"#), "{said}");

    // A note lists facts that are no longer known and were not checked.
    let revenue = client.get("/goals").ok()["goals"].as_array().and_then(|goals| {
        goals.iter().find(|goal| goal["goal_key"] == "revenue").and_then(|goal| goal["goal_profile_id"].as_i64())
    });
    let goal = format!("/goal/{}", revenue.expect("the goal"));
    client.patch(&goal, json!({ "goal_name": "Money" })).ok();
    let (held, said, json) = verified(&result.to_string(), &data_dir);
    assert!(held && said.contains("the goal revenue was changed since"), "{said}");
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(1), "{json}");
    drop(server);
    let copy = dir.path().join("log");
    copied(&data_dir, &copy);
    std::fs::remove_file(copy.join("muriel.db")).expect("removed");
    let (held, said, _) = verified(&result.to_string(), &copy);
    assert!(held && said.contains("not checked: the data directory has no database"), "{said}");
    let (held, said, _) = verified(&forged(&result, &[("/manifest/logs/0/hash", json!(zeros))]), &copy);
    assert!(!held && said.contains("manifest.logs[0].hash"), "{said}");

    // A result of the previous release identifies the log by its position alone.
    let mut former = result.clone();
    let logs = former["manifest"].as_object_mut().and_then(|manifest| manifest.remove("logs")).expect("logs");
    former["manifest"]["log_position"] = logs[0]["position"].clone();
    former["manifest"]["log_hash"] = logs[0]["hash"].clone();
    let (held, said, _) = verified(&former.to_string(), &copy);
    assert!(held, "{said}");
    let (held, said, _) = verified(&forged(&former, &[("/manifest/log_hash", json!(zeros))]), &copy);
    assert!(!held && said.contains("manifest.logs[0].hash"), "{said}");

    // Logs are also given by their directories: each of them once, and all that the result was computed from.
    let other = dir.path().join("other");
    drop(Process::start(&other, &[]));
    let file = dir.path().join("result.json");
    let path = |path: &Path| path.to_str().expect("a path").to_owned();
    let verify = |result: &Value, directories: &[&Path]| {
        std::fs::write(&file, result.to_string()).expect("a file");
        let mut words = vec!["verify".to_owned(), path(&file)];
        words.extend(directories.iter().flat_map(|directory| ["--log-dir".to_owned(), path(directory)]));
        let output = muriel(&words.iter().map(String::as_str).collect::<Vec<_>>(), &copy);
        (output.status.success(), says(&output))
    };
    let elsewhere = dir.path().join("nothing");
    for (result, directories, expect) in [
        (&result, &[&*copy][..], "every value is the same"),
        (&result, &[&*other, &*copy], "is not part of the result"),
        (&result, &[&*copy, &*copy], "hold the same log"),
        (&result, &[&*other], "which was not given"),
        (&result, &[&*copy, &*elsewhere], "name its directory with --log-dir"),
        (&former, &[&*other, &*copy], "did not record the ids of logs"),
    ] {
        let (held, said) = verify(result, directories);
        assert_eq!(held, said.contains("every value is the same"), "{directories:?}: {said}");
        assert!(said.contains(expect), "{directories:?}: {said}");
    }
}

/// The log alone determines who is held out.
#[test]
fn a_holdouts_result_is_computed_again() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    scene(&client);
    let holdout = json!({ "name": "Nothing", "kind": "holdout", "percent": 50, "scope": "project" });
    let group = client.post("/exclusion-group", holdout).created()["group_id"].clone();
    let collector = Collector::of(&client);
    for visitor in 0..20 {
        let order = json!({ "type": "order", "name": "Purchase", "value": 7.25, "currency": "EUR", "order_id": format!("h-{visitor}"), "id": id() });
        collector.trusted.post("", json!({ "visitor": { "id": format!("h-{visitor}") }, "events": [order] })).ok();
    }
    let held = client.get_when_loaded(&format!("/exclusion-group/{group}/result")).ok();
    assert_eq!(held["total_visitors"], 20, "{held}");
    let (holds, said, json) = verified(&held.to_string(), &data_dir);
    assert!(holds && json["notes"][0].as_str().is_some_and(|note| note.contains("no history of holdouts")), "{said}");
    for (place, changes) in [
        ("variants[0].visitors", &[("/variants/0/visitors", json!(21))][..]),
        ("variants[0].visitors", &[("/manifest/holdout/held_out", json!(10_000))]),
        ("variants[0].visitors", &[("/manifest/holdout/salt", json!("g0"))]),
        ("holdout.held_out must be from 1 to 10000", &[("/manifest/holdout/held_out", json!(0))]),
        ("as it is about a holdout", &[("/manifest/inquiry/filter_by", json!(["mobile"]))]),
    ] {
        let (holds, said, _) = verified(&forged(&held, changes), &data_dir);
        assert!(!holds && said.contains(place), "{place}: {said}");
    }

    // Rebuilds the warehouse.
    let output = muriel(&["warehouse", "rebuild"], &data_dir);
    assert!(output.status.success(), "{}", says(&output));
    let again = client.get_when_loaded(&format!("/exclusion-group/{group}/result")).ok();
    assert_eq!((&again["variants"], &again["total_revenue"]), (&held["variants"], &held["total_revenue"]));
}

#[test]
fn a_result_outlives_the_warehouse() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let path = format!("/experiment/{test_id}/result?breakdown_by=device");
    let first = client.get_when_loaded(&path).ok();
    assert_eq!((&first["total_visitors"], &first["total_conversions"]), (&json!(60), &json!(20)));

    // The log alone gives the same result, next to the running server.
    let file = dir.path().join("result.json");
    std::fs::write(&file, first.to_string()).expect("a file");
    let output = muriel(&["verify", file.to_str().expect("a path")], &data_dir);
    assert!(output.status.success() && says(&output).contains("every value is the same"), "{}", says(&output));

    // A changed number is detected, in the manifest too.
    for (pointer, value) in [
        ("/variants/1/conversions", json!(11)),
        ("/variants/1/analysis/p_value", json!(0.049)),
        ("/breakdowns/0/variants/0/visitors", json!(29)),
        ("/manifest/experiment/confidence_percent", json!(90)),
    ] {
        let mut forged = first.clone();
        *forged.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        std::fs::write(&file, forged.to_string()).expect("a file");
        let output = muriel(&["verify", file.to_str().expect("a path")], &data_dir);
        let place = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        assert!(!output.status.success(), "{pointer}: {}", says(&output));
        if place != "manifest" {
            assert!(says(&output).contains(place), "{pointer}: {}", says(&output));
        }
    }
    for (text, expect) in [
        ("{", "is not valid JSON"),
        ("{}", "has no manifest"),
        (r#"{"manifest": {"engine": 1}}"#, "manifest that cannot be read"),
    ] {
        std::fs::write(&file, text).expect("a file");
        let output = muriel(&["verify", file.to_str().expect("a path")], &data_dir);
        assert!(!output.status.success() && says(&output).contains(expect), "{text}: {}", says(&output));
    }

    // A running server rebuilds on request.
    let output = muriel(&["warehouse", "rebuild"], &data_dir);
    assert!(output.status.success() && says(&output).contains("has rebuilt"), "{}", says(&output));
    assert_eq!(timeless(client.get_when_loaded(&path).ok()), timeless(first.clone()));

    // Killed and restarted.
    drop(server);
    let server = Process::start(&data_dir, &[]);
    let again = client.at(server.address);
    assert_eq!(timeless(again.get_when_loaded(&path).ok()), timeless(first.clone()), "after a kill");
    drop(server);

    // The warehouse is rebuilt without a server, and deleted.
    let output = muriel(&["warehouse", "rebuild"], &data_dir);
    assert!(output.status.success() && says(&output).contains("holds the log up to block"), "{}", says(&output));
    for entry in std::fs::read_dir(&data_dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("warehouse")) {
            std::fs::remove_file(path).expect("removed");
        }
    }
    let server = Process::start(&data_dir, &[]);
    assert_eq!(timeless(client.at(server.address).get_when_loaded(&path).ok()), timeless(first), "without a warehouse");
}

#[test]
fn a_result_of_a_test_that_ran_elsewhere_holds() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    client.goal("bought");
    let test_id = client.experiment(json!({ "primary_goal_key": "bought", "plan": { "visitors": 40 } }));
    let path = format!("/experiment/{test_id}");
    let collector = Collector::of(&client);
    let now = Clock::System.now();
    for number in 0..4 {
        let exposure = json!({ "id": id(), "type": "exposure", "test_id": test_id,
                               "variant_id": (number % 2).to_string(), "at": now.plus_us(-HOUR_US) });
        let body = json!({ "visitor": { "id": format!("v-{number}") }, "events": [exposure] });
        collector.trusted.post("", body).ok();
    }
    // Changes before the start belong to the start, however far in the past it is set.
    client
        .patch(&path, json!({ "plan": { "visitors": 50 }, "variants": [{ "name": "Variant 1", "customJS": "1" }] }))
        .ok();
    let before = client.get_when_loaded(&format!("{path}/result")).ok();
    let body = json!({ "status": 1, "started_at": now.plus_us(-2 * HOUR_US) });
    client.patch(&format!("{path}/status"), body).ok();
    client.patch(&path, json!({ "plan": { "visitors": 60 } })).ok();
    let result = client.get_when_loaded(&format!("{path}/result")).ok();
    assert_eq!((&before["total_visitors"], &result["total_visitors"]), (&json!(0), &json!(4)));
    assert_eq!(result["manifest"]["experiment"]["planned_visitors"], 50);
    drop(server);
    for result in [&before, &result] {
        let (held, said, json) = verified(&result.to_string(), &data_dir);
        assert!(held, "{said}");
        assert_eq!((&json["notes"], &json["differences"]), (&json!([]), &json!([])), "{said}");
    }
}
