//! Goals used by experiments.

use muriel_tests::{On, stories};
use serde_json::json;
use std::time::Duration;

stories! {
    always: [
        keys_are_permanent_and_never_used_again,
    ],
    postgres_at_night: [
        deleting_detaches,
        a_live_experiment_keeps_its_goals,
    ],
}

fn deleting_detaches(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let [a, b] = ["a", "b"].map(|key| shop.goal(key));
    let id = shop.experiment(json!({ "primary_goal_key": "a", "secondary_goal_keys": ["b", "a"] }));
    app.pass(Duration::from_secs(1));
    let etag = shop.etag(id);
    shop.delete(&format!("/goal/{a}")).ok();
    let details = shop.details(id);
    assert_eq!((&details["primary_goal"], &details["primary_goal_key"]), (&json!(null), &json!(null)));
    assert_eq!(details["secondary_goal_keys"], json!(["b"]));
    assert_ne!(shop.etag(id), etag);
    let goals = shop.get("/goals").ok();
    assert_eq!((&goals["count"], &goals["goals"][0]["goal_profile_id"]), (&json!(1), &json!(b)));
    shop.get(&format!("/goal/{a}")).refused(404, "not_found");
    shop.patch(&format!("/goal/{a}"), json!({ "goal_name": "x" })).refused(404, "not_found");
    shop.delete(&format!("/goal/{a}")).refused(404, "not_found");
    shop.patch(&format!("/experiment/{id}"), json!({ "primary_goal_key": "a" })).invalid(&["primary_goal_key"]);
}

fn a_live_experiment_keeps_its_goals(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let [primary, secondary] = ["primary", "secondary"].map(|key| shop.goal(key));
    let draft = shop.experiment(json!({ "primary_goal_key": "primary" }));
    let id = shop.experiment(json!({
        "status": 1, "primary_goal_key": "primary", "secondary_goal_keys": ["secondary"],
    }));
    let before = (shop.details(id), shop.details(draft));
    for goal in [primary, secondary] {
        shop.delete(&format!("/goal/{goal}")).refused(409, "goal_in_use");
    }
    assert_eq!((shop.details(id), shop.details(draft)), before, "nothing was detached");
    shop.patch(&format!("/experiment/{id}"), json!({ "secondary_goal_keys": [] })).ok();
    shop.delete(&format!("/goal/{secondary}")).ok();
    shop.set_status(id, 0).ok();
    shop.delete(&format!("/goal/{primary}")).ok();
    assert_eq!(shop.details(id)["primary_goal_key"], json!(null));
    assert_eq!(shop.details(draft)["primary_goal_key"], json!(null));
}

fn keys_are_permanent_and_never_used_again(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let body =
        |key: &str| json!({ "goal_name": "Big Order", "goal_type": "event", "goal_value": "x", "goal_key": key });
    let unkeyed = json!({ "goal_name": "Big Order", "goal_type": "event", "goal_value": "x" });
    let made = |body: &serde_json::Value| shop.post("/goal", body.clone()).created();
    let keys = [(); 3].map(|()| made(&unkeyed)["goal_key"].clone());
    assert_eq!(keys, ["big-order", "big-order-2", "big-order-3"]);
    shop.post("/goal", body("big-order-2")).refused(409, "key_taken");
    let taken = shop.get("/goals").ok()["goals"][1]["goal_profile_id"].clone();
    shop.delete(&format!("/goal/{taken}")).ok();
    shop.post("/goal", body("big-order-2")).refused(409, "key_taken");
    assert_eq!(made(&unkeyed)["goal_key"], "big-order-4");
    for wrong in [json!(""), json!("a b"), json!("ü"), json!("k".repeat(65)), json!(1), json!(null)] {
        let mut body = unkeyed.clone();
        body["goal_key"] = wrong;
        shop.post("/goal", body).invalid(&["goal_key"]);
    }
    shop.post("/goal", json!({})).invalid(&["goal_name", "goal_type", "goal_value"]);
    let blog = app.project("Acme", "Blog");
    blog.post("/goal", body("big-order-2")).created();
}
