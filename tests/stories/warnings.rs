//! Warnings: for settings when they are set, and for effects of a change.

use crate::scene::{Collector, id};
use muriel_tests::{Answer, On, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        a_change_tells_what_it_did_besides,
    ],
    postgres_at_night: [
        settings_that_nothing_acts_on_are_told,
        an_arm_that_was_winning_is_told,
    ],
}

/// Returns the warnings of a response to a change.
#[track_caller]
fn warnings_of(answer: &Answer) -> Vec<String> {
    let header = answer.header("x-muriel-warnings").expect("a header");
    assert!(header.is_ascii(), "{header}");
    serde_json::from_str(header).expect("a JSON array of sentences")
}

fn texts(warnings: &Value) -> Vec<String> {
    serde_json::from_value(warnings.clone()).expect("sentences")
}

/// Returns the field of each sentence.
fn about(sentences: &[String]) -> Vec<&str> {
    sentences.iter().map(|text| text.split_once(": ").expect("a field").0).collect()
}

const IDLE: [&str; 1] = ["configuration.integration[0]"];

fn idle() -> Value {
    json!({ "integration": ["toaster"] })
}

fn settings_that_nothing_acts_on_are_told(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("g");
    let body = |configuration: Value| {
        json!({
            "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }],
            "primary_goal_key": "g", "configuration": configuration,
        })
    };
    let made = shop.post("/create-experiment", body(idle())).created();
    assert_eq!(about(&texts(&made["warnings"])), IDLE, "{made}");
    let test_id = made["test_id"].as_i64().expect("an id");
    let started = shop.set_status(test_id, 1).ok();
    // A first start also describes its plan.
    assert_eq!(about(&texts(&started["warnings"]))[..IDLE.len()], IDLE);

    let plain = shop
        .post(
            "/create-experiment",
            body(json!({
                "traffic_allocation": 50, "start_test_date": "2026-03-02", "end_test_date": "2026-04-01",
                "completion_visitor": 5, "completion_conversion": 3, "completion_after_period": 1,
                "completion_stats_significant_flag": 1,
            })),
        )
        .created();
    assert_eq!(plain["warnings"], json!([]));
    let path = format!("/experiment/{}", plain["test_id"]);
    for (key, value) in idle().as_object().expect("settings") {
        let changed = shop.merge(&path, json!({ "configuration": { key: value } })).has_status(200);
        assert!(
            warnings_of(&changed).iter().any(|text| text.contains(&format!("configuration.{key}"))),
            "{key}: {changed:?}"
        );
        let back = shop.merge(&path, json!({ "configuration": { key: null } })).has_status(200);
        assert_eq!(warnings_of(&back), [""; 0], "{key}");
    }
}

fn a_change_tells_what_it_did_besides(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("g");
    let test_id = shop.experiment(json!({
        "primary_goal_key": "g",
        "configuration": { "integration": ["toaster"], "confidence_interval": 90 },
        "control": { "nickname": "Caf\u{e9}", "customCSS": "a{}" },
    }));
    let path = format!("/experiment/{test_id}");
    let nothing = shop.patch(&path, json!({})).has_status(200);
    assert_eq!(about(&warnings_of(&nothing)), IDLE);
    assert_eq!(nothing.ok(), json!({ "success": true, "test_id": test_id }), "and the answer is as it was specified");

    let merged = shop.merge(&path, json!({ "configuration": { "traffic_allocation": 60 } })).has_status(200);
    assert_eq!(about(&warnings_of(&merged)), IDLE);
    let whole = shop.patch(&path, json!({ "configuration": { "traffic_allocation": 50 } })).has_status(200);
    let expect = "configuration.confidence_interval, configuration.integration";
    let sentences = warnings_of(&whole);
    let mut fields: Vec<&str> = about(&sentences)[0].split(", ").collect();
    fields.sort_unstable();
    assert_eq!((fields.join(", "), sentences.len()), (expect.to_owned(), 1));
    assert!(sentences[0].contains("application/merge-patch+json"));
    assert_eq!(warnings_of(&shop.patch(&path, json!({ "configuration": { "traffic_allocation": 50 } }))), [""; 0]);

    let control = shop.patch(&path, json!({ "control": { "customCSS": "b{}" } })).has_status(200);
    assert_eq!(about(&warnings_of(&control)), ["control.nickname"]);
    let broken = shop.patch(&path, json!({ "variants": [{ "name": "Variant 1", "customJS": "a((" }] }));
    assert_eq!(about(&warnings_of(&broken.has_status(200))), ["variants[0].customJS"]);
    let gone = shop.patch(&path, json!({ "variants": [{ "name": "Variant 1" }] })).has_status(200);
    assert_eq!(about(&warnings_of(&gone)), ["variants[0].customJS"]);
    let refused = shop.patch(&path, json!({ "configuration": { "traffic_allocation": 500 } })).has_status(400);
    assert_eq!(refused.header("x-muriel-warnings"), None);
}

fn an_arm_that_was_winning_is_told(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let arms = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let test_id = shop.experiment(json!({ "status": 1, "primary_goal_key": "bought", "variants": arms }));
    let path = format!("/experiment/{test_id}");
    let trusted = Collector::of(&shop).trusted;
    for (arm, converted) in [("0", 10), ("1", 10), ("2", 90)] {
        for number in 0..150 {
            let at = "2026-03-01T10:00:00Z";
            let mut events =
                vec![json!({ "id": id(), "type": "exposure", "test_id": test_id, "variant_id": arm, "at": at })];
            if number < converted {
                events.push(json!({ "id": id(), "type": "custom", "name": "bought", "at": "2026-03-01T11:00:00Z" }));
            }
            trusted.post("", json!({ "visitor": { "id": format!("{arm}-{number}") }, "events": events })).ok();
        }
    }
    app.pass(Duration::from_secs(2 * 86_400));
    let result = shop.get(&format!("{path}/result")).ok();
    assert_eq!(result["variants"][2]["analysis"]["verdict"], "win", "{result}");
    let fewer = shop.patch(&path, json!({ "variants": [{ "name": "Variant 1" }] })).has_status(200);
    let sentences = warnings_of(&fewer);
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    assert!(sentences[0].contains("Variant 2 is deleted"), "{sentences:?}");
    assert!(sentences[0].contains("called it better than the control"), "{sentences:?}");

    // Visitors did not see the arms of a draft.
    let draft = shop.experiment(json!({ "primary_goal_key": "bought", "variants": arms }));
    let fewer = shop.patch(&format!("/experiment/{draft}"), json!({ "variants": [{ "name": "Variant 1" }] }));
    assert_eq!(warnings_of(&fewer.has_status(200)), [""; 0]);
}
