//! Serving a winner.

use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        what_reads_show_of_serving,
        what_stands_in_the_way,
        bad_bodies,
        the_served_variant_stays,
    ],
}

/// Returns the two fields as the list and the details show them.
fn shown(shop: &Client, id: i64) -> [(Option<Value>, Value); 2] {
    let fields = |one: &Value| (one.get("serving_variant_id").cloned(), one["is_deploy"].clone());
    let list = shop.get("/experiments").ok();
    let listed = list["experiments"].as_array().expect("a list").iter().find(|one| one["test_id"] == id).cloned();
    [fields(&listed.expect("the experiment")), fields(&shop.details(id))]
}

fn what_reads_show_of_serving(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1, "configuration": { "traffic_allocation": 42 } }));
    let path = format!("/experiment/{id}");
    let null = Some(json!(null));
    let one = Some(json!("1"));
    assert_eq!(shown(&shop, id), [(None, json!(0)), (None, json!(0))], "never served");

    let served = shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok();
    assert_eq!(served["traffic_allocation"], 100);
    assert_eq!(shown(&shop, id), [(one.clone(), json!(1)), (one.clone(), json!(1))], "at 100 %");
    assert_eq!(shop.details(id)["status"], 1, "the status stays");
    assert_eq!(shop.details(id)["configuration"]["traffic_allocation"], 42, "the rollout is apart");

    shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 50 })).ok();
    assert_eq!(shown(&shop, id), [(null.clone(), json!(1)), (one.clone(), json!(1))], "at 50 % details show it");
    shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 0 })).ok();
    assert_eq!(shown(&shop, id)[0], (null.clone(), json!(1)));
    shop.set_status(id, 0).ok();
    shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 100 })).ok();
    assert_eq!(shown(&shop, id), [(one.clone(), json!(1)), (one, json!(1))], "whatever the status");

    shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    assert_eq!(shown(&shop, id), [(null.clone(), json!(0)), (null, json!(0))], "stopped");

    // Serves again, now the control, to some of the visitors.
    let control =
        shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "0", "traffic_allocation": 10 })).ok();
    assert_eq!((&control["serving_variant_id"], &control["traffic_allocation"]), (&json!("0"), &json!(10)));
    assert_eq!(shown(&shop, id)[1], (Some(json!("0")), json!(1)));
}

fn what_stands_in_the_way(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    let serve = || shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" }));
    let rollout = || shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 50 }));
    let stop = || shop.call("POST", &format!("{path}/stop-serving")).send();
    serve().refused(409, "draft_cannot_serve");
    rollout().refused(409, "not_serving");
    stop().refused(409, "not_serving");
    shop.set_status(id, 1).ok();
    rollout().refused(409, "not_serving");
    serve().ok();
    let before = shop.details(id);
    serve().refused(409, "already_serving");
    assert_eq!(shop.details(id), before);
    stop().ok();
    stop().refused(409, "not_serving");
    rollout().refused(409, "not_serving");
    serve().ok();
}

fn bad_bodies(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    let serve = format!("/experiment/{id}/serve-winner");
    for wrong in ["2", "-1", "01", "", "Variant 1", "control", " 1", "1.0"] {
        shop.post(&serve, json!({ "variant_id": wrong })).invalid(&["variant_id"]);
    }
    for wrong in [json!(1), json!(null), json!(["1"]), json!(true)] {
        shop.post(&serve, json!({ "variant_id": wrong })).invalid(&["variant_id"]);
    }
    shop.post(&serve, json!({})).invalid(&["variant_id"]);
    shop.post(&serve, json!({ "variant_id": "1", "rollout": 50 })).invalid(&["rollout"]);
    let percents = [json!(101), json!(-1), json!(50.0), json!("50"), json!(null), json!(true)];
    for wrong in &percents {
        shop.post(&serve, json!({ "variant_id": "1", "traffic_allocation": wrong })).invalid(&["traffic_allocation"]);
    }
    assert_eq!(shop.details(id)["is_deploy"], 0);
    shop.post(&serve, json!({ "variant_id": "1" })).ok();
    let rollout = format!("/experiment/{id}/serving-rollout");
    for wrong in percents {
        shop.patch(&rollout, json!({ "traffic_allocation": wrong })).invalid(&["traffic_allocation"]);
    }
    shop.patch(&rollout, json!({})).invalid(&["traffic_allocation"]);
    assert_eq!(shop.details(id)["serving_traffic_allocation"], 100);
}

fn the_served_variant_stays(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let named = |count: usize| -> Value { (1..=count).map(|n| json!({ "name": format!("Variant {n}") })).collect() };
    let id = shop.experiment(json!({ "status": 1, "variants": named(3) }));
    let path = format!("/experiment/{id}");
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "2" })).ok();
    let before = shop.details(id);
    shop.patch(&path, json!({ "variants": named(1), "test_name": "Other" })).refused(409, "variant_is_served");
    assert_eq!(shop.details(id), before, "nothing of it is applied");
    shop.patch(&path, json!({ "variants": named(2) })).ok();
    shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    shop.patch(&path, json!({ "variants": named(1) })).ok();
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "2" })).invalid(&["variant_id"]);
}
