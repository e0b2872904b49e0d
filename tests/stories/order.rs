//! The order of checks: the fault that is reported first when a request has several.

use crate::scene::{Things, good_body, unknown_path};
use muriel_tests::{Contract, On, Operation, stories};
use serde_json::json;

stories! {
    postgres_at_night: [
        key_then_project_then_scope_then_thing_then_body,
        then_code_then_precondition_then_the_act,
        a_query_is_read_after_key_project_and_scope,
        ids_that_are_none,
    ],
}

/// Adds every fault that a request can have in addition to its sender and target.
fn all_wrong<'c>(call: muriel_tests::Call<'c>, operation: &Operation) -> muriel_tests::Call<'c> {
    let call = call.header("if-match", "\"other\"");
    if operation.takes_body { call.header("content-type", "text/plain").body("{\"a\":1,\"a\":2}") } else { call }
}

fn key_then_project_then_scope_then_thing_then_body(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let things = Things::make(&shop, "order");
    let before = things.all(&shop);
    let nobody = shop.with_key(Some("mk_nobody"));
    let (admin, reader) = (app.scoped(&shop, "admin"), app.scoped(&shop, "read"));
    for operation in Contract::get().keyed() {
        let scopeless = if operation.scope == "admin" { &reader } else { &admin };
        let unknown_thing = unknown_path(operation);
        let known_thing = things.path(operation);
        let send = |client: &muriel_tests::Client, path: &str| {
            all_wrong(client.call(&operation.method, path), operation).send()
        };
        let refused = |answer, status, code| operation.refused(answer, status, code);
        refused(send(&nobody.in_project("prj_unknown"), &unknown_thing), 401, "unauthorized");
        refused(send(&nobody, &known_thing), 401, "unauthorized");

        let project = refused(send(&scopeless.in_project("prj_unknown"), &unknown_thing), 404, "not_found");
        let sentence = if operation.is_ofrep() { "errorDetails" } else { "error" };
        assert_eq!(project.body[sentence], "project not found", "{}", operation.id);
        refused(send(scopeless, &unknown_thing), 403, "missing_scope");
        refused(send(scopeless, &known_thing), 403, "missing_scope");
        if operation.names_a_thing() {
            let thing = refused(send(&shop, &unknown_thing), 404, "not_found");
            // The request id is random, and may contain any digits.
            let text = thing.text().replace(thing.body["request_id"].as_str().unwrap_or_default(), "");
            assert!(!text.contains("9999"), "{text}");
            assert!(!text.contains(&shop.project_key), "{text}");
        }
        if !operation.takes_body {
            continue;
        }
        let call = || shop.call(&operation.method, &known_thing).header("if-match", "\"other\"");
        refused(send(&shop, &known_thing), 415, "unsupported_media_type");
        refused(call().untyped("{}").send(), 415, "unsupported_media_type");
        refused(call().body("{\"a\":1,\"a\":2}").send(), 400, "malformed_body");
        refused(call().body("").send(), 400, "malformed_body");
        refused(call().json(json!([])).send(), 400, "invalid_field");
        refused(call().json(json!({ "no_such_field": 1 })).send(), 400, "invalid_field");
        let mut body = good_body(operation).expect("a body");
        body["padding"] = json!("x".repeat(2 << 20));
        refused(call().json(body).send(), 413, "body_too_large");
    }
    assert_eq!(things.all(&shop), before);
}

fn then_code_then_precondition_then_the_act(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let writer = app.scoped(&shop, "read,write");
    let id = shop.experiment(json!({
        "status": 1, "variants": [{ "name": "Variant 1" }, { "name": "Variant 2", "customJS": "x()" }],
    }));
    let path = format!("/experiment/{id}");
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "2" })).ok();
    let stale = |client: &muriel_tests::Client, method: &str, path: &str, body: serde_json::Value| {
        client.call(method, path).header("if-match", "\"other\"").json(body).send()
    };
    let before = shop.details(id);
    // A request that changes code, fails the precondition, and removes the served variant.
    let removal = json!({ "variants": [{ "name": "Variant 1" }] });
    stale(&writer, "PATCH", &path, json!({ "variants": [], "custom_js": "x" })).refused(400, "invalid_field");
    stale(&writer, "PATCH", &path, removal.clone()).refused(403, "missing_scope");
    writer.patch(&path, removal.clone()).refused(403, "missing_scope");
    stale(&shop, "PATCH", &path, removal.clone()).refused(412, "precondition_failed");
    shop.patch(&path, removal).refused(409, "variant_is_served");
    stale(&shop, "PATCH", &path, json!({})).refused(412, "precondition_failed");

    let status = format!("{path}/status");
    stale(&shop, "PATCH", &status, json!({ "status": 2 })).invalid(&["status"]);
    stale(&shop, "PATCH", &status, json!({ "status": 9 })).refused(412, "precondition_failed");
    shop.patch(&status, json!({ "status": 9 })).refused(409, "transition_forbidden");

    let serve = format!("{path}/serve-winner");
    stale(&shop, "POST", &serve, json!({ "variant_id": 1 })).invalid(&["variant_id"]);
    stale(&shop, "POST", &serve, json!({ "variant_id": "1" })).refused(412, "precondition_failed");
    shop.post(&serve, json!({ "variant_id": "3" })).invalid(&["variant_id"]);
    shop.post(&serve, json!({ "variant_id": "1" })).refused(409, "already_serving");

    let stop = format!("{path}/stop-serving");
    stale(&shop, "POST", &stop, json!({})).refused(412, "precondition_failed");
    let rollout = format!("{path}/serving-rollout");
    stale(&shop, "PATCH", &rollout, json!({ "traffic_allocation": 101 })).invalid(&["traffic_allocation"]);
    stale(&shop, "PATCH", &rollout, json!({ "traffic_allocation": 1 })).refused(412, "precondition_failed");
    shop.call("DELETE", &path).header("if-match", "\"other\"").send().refused(412, "precondition_failed");
    assert_eq!(shop.details(id), before);

    shop.call("POST", &stop).send().ok();
    stale(&shop, "POST", &stop, json!({})).refused(412, "precondition_failed");
    stale(&shop, "PATCH", &rollout, json!({ "traffic_allocation": 1 })).refused(412, "precondition_failed");
    shop.call("POST", &stop).send().refused(409, "not_serving");
    shop.patch(&rollout, json!({ "traffic_allocation": 1 })).refused(409, "not_serving");
}

fn a_query_is_read_after_key_project_and_scope(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let writer = app.scoped(&shop, "write");
    for list in ["/experiments", "/hypotheses", "/goals"] {
        let path = format!("{list}?limit=0&offset=-1");
        shop.with_key(None).get(&path).refused(401, "unauthorized");
        writer.in_project("prj_unknown").get(&path).refused(404, "not_found");
        writer.get(&path).refused(403, "missing_scope");
        shop.get(&path).refused(400, "invalid_parameter");
    }
}

fn ids_that_are_none(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let things = Things::make(&shop, "ids");
    // Any text can be the id of a visitor.
    let has_id = |path: &str| path.contains("_id}") && !path.contains("{visitor_id}");
    let operations = Contract::get().keyed().filter(|operation| has_id(&operation.path));
    for operation in operations {
        let path = things.path(operation);
        let id = path.split('/').nth(2).expect("an id").to_owned();
        for wrong in [
            "0".to_owned(),
            "-1".to_owned(),
            format!("+{id}"),
            format!("{id}.0"),
            format!("{id}%20"),
            format!("{id}x"),
            "x".to_owned(),
            "9007199254740993".to_owned(),
            "18446744073709551617".to_owned(),
            "%00".to_owned(),
            "%FF".to_owned(),
        ] {
            let path = path.replacen(&format!("/{id}"), &format!("/{wrong}"), 1);
            shop.call(&operation.method, &path).send().refused(404, "not_found");
        }
    }
    for project in ["%00", "%FF", "a%2Fb", "x".repeat(300).as_str()] {
        shop.in_project(project).get("/goals").refused(404, "not_found");
    }
}
