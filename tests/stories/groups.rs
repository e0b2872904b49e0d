//! Exclusion groups and holdouts.

use muriel_tests::{Client, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

stories![
    groups_are_made_changed_and_deleted,
    what_groups_cannot_be,
    live_experiments_are_moved_when_that_is_accepted,
    experiments_of_a_group_share_no_visitor,
    a_holdout_meets_nothing,
    a_deleted_experiment_leaves_its_slot,
];

fn shop(app: &TestApp) -> Client {
    app.project("Acme", "Shop")
}

/// As many experiments, live or drafts.
fn experiments<const N: usize>(shop: &Client, status: i64) -> [i64; N] {
    [(); N].map(|()| shop.experiment(json!({ "status": status })))
}

fn members(of: &[(i64, f64)]) -> Value {
    of.iter().map(|(test_id, percent)| json!({ "test_id": test_id, "percent": percent })).collect()
}

fn exclusion(shop: &Client, of: &[(i64, f64)]) -> Value {
    shop.post("/exclusion-group", json!({ "name": "Checkout", "kind": "exclusion", "members": members(of) })).created()
}

fn path(made: &Value) -> String {
    format!("/exclusion-group/{}", made["group_id"])
}

/// The members of the project's only group: experiment, first bucket, first bucket after.
fn slots(shop: &Client) -> Vec<(i64, i64, i64)> {
    let groups = shop.get("/exclusion-groups").ok();
    let number = |member: &Value, field: &str| member[field].as_i64().expect("a number");
    let members = groups["exclusion_groups"][0]["members"].as_array().expect("members");
    members.iter().map(|it| (number(it, "test_id"), number(it, "from"), number(it, "to"))).collect()
}

/// Why each of a thousand visitors gets what it gets, by experiment key.
fn reasons(shop: &Client) -> Vec<HashMap<String, String>> {
    let contexts: Vec<Value> = (0..1_000).map(|at| json!({ "targetingKey": format!("visitor-{at}") })).collect();
    let answer = shop.post("/evaluate-many", json!({ "contexts": contexts })).ok();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let of = |visitor: &Value| {
        let each = visitor.as_array().expect("a list").iter();
        each.map(|it| (text(&it["experiment_key"]), text(&it["reason"]))).collect()
    };
    answer["assignments"].as_array().expect("a list").iter().map(of).collect()
}

fn count(reasons: &[HashMap<String, String>], key: &Value, reason: &str) -> usize {
    reasons.iter().filter(|visitor| visitor[key.as_str().expect("a key")] == reason).count()
}

fn groups_are_made_changed_and_deleted(on: On) {
    let mut app = on.start();
    let mut shop = shop(&app);
    let [a, b, c] = experiments(&shop, 9);
    assert_eq!(shop.get("/exclusion-groups").ok()["exclusion_groups"], json!([]));
    let body = json!({ "name": "Checkout", "kind": "exclusion", "members": members(&[(a, 30.0), (b, 45.5)]) });
    let send = || shop.call("POST", "/exclusion-group").header("idempotency-key", "k").json(body.clone()).send();
    let made = send().created();
    assert_eq!(made["warnings"], json!([]), "drafts have no visitors to move");
    assert_eq!(send().created(), made, "sent again");
    let listed = |shop: &Client| shop.get("/exclusion-groups").ok()["exclusion_groups"].clone();
    let group = listed(&shop)[0].clone();
    assert_eq!(
        (&group["name"], &group["kind"], &group["percent"]),
        (&json!("Checkout"), &json!("exclusion"), &Value::Null)
    );
    assert_eq!(
        group["members"],
        json!([
            { "test_id": a, "percent": 30.0, "from": 0, "to": 300_000 },
            { "test_id": b, "percent": 45.5, "from": 300_000, "to": 755_000 },
        ])
    );
    let holdout = json!({ "name": "Nobody", "kind": "holdout", "percent": 5, "scope": { "tests": [c, a] } });
    let held = shop.post("/exclusion-group", holdout).created();
    let found = listed(&shop)[1].clone();
    assert_eq!((&found["percent"], &found["members"]), (&json!(5.0), &json!([])));
    assert_eq!(found["scope"], json!({ "tests": [a, c] }));

    shop.patch(&path(&made), json!({ "name": "Basket" })).ok();
    shop.patch(&path(&made), json!({ "members": members(&[(b, 45.5), (c, 30.0)]) })).ok();
    shop.patch(&path(&held), json!({ "percent": 0.1, "scope": "project" })).ok();
    let after = listed(&shop);
    assert_eq!(after[0]["name"], "Basket");
    assert_eq!(slots(&shop), [(c, 0, 300_000), (b, 300_000, 755_000)], "the free slot is used, and nobody moves");
    assert_eq!((&after[1]["percent"], &after[1]["scope"]), (&json!(0.1), &json!("project")));

    app.start_again();
    shop = shop.at(app.address);
    assert_eq!(listed(&shop), after);
    let gone = shop.delete(&path(&held)).ok();
    assert_eq!((&gone["deleted"], &gone["warnings"]), (&json!(true), &json!([])));
    shop.delete(&path(&held)).refused(404, "not_found");
    shop.patch(&path(&held), json!({})).refused(404, "not_found");
    let next = shop.post("/exclusion-group", json!({ "name": "N", "kind": "exclusion", "members": [] })).created();
    assert!(next["group_id"].as_i64() > held["group_id"].as_i64(), "ids are never used again");
    // Reading is for every key, changing is not.
    let reader = app.scoped(&shop, "read");
    reader.get("/exclusion-groups").ok();
    reader.delete(&path(&made)).refused(403, "missing_scope");
}

fn what_groups_cannot_be(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let other = app.project("Acme", "Other");
    let [a, b] = experiments(&shop, 9);
    let [foreign] = experiments(&other, 9);
    let made = exclusion(&shop, &[(a, 60.0)]);
    let refuse = |body: Value, fields: &[&str]| shop.post("/exclusion-group", body).invalid(fields);
    let group = |of: &[(i64, f64)]| json!({ "name": "N", "kind": "exclusion", "members": members(of) });
    refuse(group(&[(b, 60.0), (foreign, 10.0)]), &["members[1].test_id"]);
    refuse(group(&[(b, 60.0), (b, 10.0)]), &["members[1].test_id"]);
    let elsewhere = refuse(group(&[(b, 10.0), (a, 10.0)]), &["members[1].test_id"]);
    assert!(elsewhere.message("members[1].test_id").contains("(Checkout); take it out there first"));
    refuse(group(&[(b, 0.0)]), &["members[0].percent"]);
    refuse(group(&[(b, 12.345)]), &["members[0].percent"]);
    refuse(json!({ "name": "N", "kind": "holdout", "percent": 50.01, "scope": "project" }), &["percent"]);
    refuse(
        json!({ "name": "N", "kind": "holdout", "percent": 5, "scope": { "tests": [foreign] } }),
        &["scope.tests[0]"],
    );
    let change = |body: Value, fields: &[&str]| shop.patch(&path(&made), body).invalid(fields);
    change(json!({ "members": members(&[(a, 60.0), (b, 40.01)]) }), &["members"]);
    change(json!({ "kind": "holdout" }), &["kind"]);
    change(json!({ "percent": 5, "scope": "project" }), &["percent", "scope"]);
    other.patch(&path(&made), json!({ "name": "x" })).refused(404, "not_found");
    assert_eq!(slots(&shop), [(a, 0, 600_000)], "nothing was changed");
    let many = json!({ "name": "N", "kind": "exclusion", "members": [] });
    for _ in 1..100 {
        shop.post("/exclusion-group", many.clone()).created();
    }
    let full = shop.post("/exclusion-group", many).invalid(&["body"]);
    assert!(full.message("body").contains("100 groups"), "{}", full.text());
}

fn live_experiments_are_moved_when_that_is_accepted(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let [a, b] = experiments(&shop, 1);
    let [draft] = experiments(&shop, 9);
    let etag = shop.etag(a);
    let made = exclusion(&shop, &[(a, 30.0), (b, 50.0), (draft, 20.0)]);
    let warnings = made["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), 2, "{made}");
    let expect = format!("the live experiment {a} (");
    assert!(warnings[0].as_str().expect("a sentence").starts_with(&expect), "{made}");
    assert!(warnings[0].as_str().expect("a sentence").ends_with("70 percent of all visitors can no longer enter it"));
    assert_ne!(shop.etag(a), etag);
    let epochs = |id: i64| shop.details(id)["epochs"].clone();
    assert_eq!(epochs(a)[1]["reasons"], json!(["groups"]));
    let entry = &app.history(a)[0];
    assert_eq!((entry.action.as_str(), &entry.before["groups"]["exclusion"]), ("exclusion group", &Value::Null));
    let explained = shop.get(&format!("/experiment/{a}/explain?visitor=v-1")).ok();
    let step = explained["steps"].as_array().expect("steps").iter().find(|step| step["check"] == "exclusion");
    let detail = step.expect("a step about the group")["detail"].as_str().expect("a sentence");
    assert!(
        detail.ends_with(&format!("this experiment's part of its exclusion group {}", made["group_id"])),
        "{detail}"
    );

    // Not without a word.
    let before = (shop.details(a), shop.details(b), slots(&shop));
    let wish = members(&[(a, 50.0), (b, 50.0)]);
    let refused = shop.patch(&path(&made), json!({ "members": wish })).refused(409, "moves_visitors");
    let sentence = refused.text();
    assert!(
        sentence.contains(&format!("the live experiment {a} (")) && sentence.contains("accept_moves"),
        "{sentence}"
    );
    shop.delete(&path(&made)).refused(409, "moves_visitors");
    shop.patch(&path(&made), json!({ "members": wish, "accept_moves": false })).refused(409, "moves_visitors");
    assert_eq!((shop.details(a), shop.details(b), slots(&shop)), before, "nothing was changed");
    // What moves nobody needs no word: the draft's slot, the name, the same again.
    shop.patch(&path(&made), json!({ "name": "Basket", "members": members(&[(a, 30.0), (b, 50.0)]) })).ok();
    assert_eq!(epochs(a).as_array().map(Vec::len), Some(2));

    let moved = shop.patch(&path(&made), json!({ "members": wish, "accept_moves": true })).ok();
    assert_eq!(moved["warnings"].as_array().map(Vec::len), Some(2), "{moved}");
    assert_eq!(slots(&shop), [(a, 0, 500_000), (b, 500_000, 1_000_000)]);
    assert_eq!(epochs(a).as_array().map(Vec::len), Some(3));
    // One that is paused meanwhile starts with its place of then.
    shop.set_status(b, 0).ok();
    shop.patch(&path(&made), json!({ "members": members(&[(a, 50.0), (b, 10.0)]) })).ok();
    shop.set_status(b, 1).ok();
    let ruleset = shop.anyone_here().get(&format!("/ruleset/{}", shop.project_key)).ok();
    let part = ruleset["experiments"].as_array().expect("a list").iter().find(|it| it["test_id"] == b);
    let salt = format!("g{}", made["group_id"]);
    let stretch = json!({ "group_id": made["group_id"], "salt": salt, "from": 5_000, "to": 6_000 });
    assert_eq!(part.expect("the experiment")["exclusion"], stretch);
    assert_eq!(ruleset["format"], 1, "who cannot read holdouts can read this");

    shop.call("DELETE", &path(&made)).json(json!({ "accept_moves": 1 })).send().invalid(&["accept_moves"]);
    let gone = shop.delete(&format!("{}?accept_moves=true", path(&made))).ok();
    assert_eq!(gone["warnings"].as_array().map(Vec::len), Some(2), "{gone}");
    let ruleset = shop.anyone_here().get(&format!("/ruleset/{}", shop.project_key)).ok();
    assert!(!ruleset.to_string().contains("exclusion"), "{ruleset}");
}

fn experiments_of_a_group_share_no_visitor(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let [a, b, c] = experiments(&shop, 1);
    exclusion(&shop, &[(a, 20.0), (b, 30.0), (c, 50.0)]);
    let keys = [a, b, c].map(|id| shop.details(id)["experiment_key"].clone());
    let met = reasons(&shop);
    for visitor in &met {
        let within = keys.iter().filter(|key| visitor[key.as_str().expect("a key")] == "split").count();
        assert_eq!(within, 1, "{visitor:?}");
    }
    assert_eq!(keys.iter().map(|key| count(&met, key, "excluded")).sum::<usize>(), 2_000);
    // Another server decides the same.
    if matches!(on, On::Postgres) {
        let beside = app.start_beside();
        let there = shop.at(beside.address);
        eventually("the other server knows", Duration::from_secs(60), || reasons(&there) == met);
    }
}

fn a_holdout_meets_nothing(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let [live, served] = experiments(&shop, 1);
    shop.post(&format!("/experiment/{served}/serve-winner"), json!({ "variant_id": "1" })).ok();
    shop.set_status(served, 0).ok();
    let body = json!({ "name": "Ten percent", "kind": "holdout", "percent": 10, "scope": "project" });
    let made = shop.post("/exclusion-group", body).created();
    let warnings = made["warnings"].to_string();
    assert!(warnings.contains("10 percent of all visitors can no longer enter it"), "{made}");
    assert!(warnings.contains("the served winner of experiment") && warnings.contains("no longer get it"), "{made}");
    // One that is made later is part of it, without anybody saying so.
    let later = shop.experiment(json!({ "status": 1 }));
    let keys = [live, served, later].map(|id| shop.details(id)["experiment_key"].clone());
    let met = reasons(&shop);
    let held_out: Vec<_> = met.iter().filter(|it| it[keys[0].as_str().expect("a key")] == "holdout").collect();
    assert!((60..150).contains(&held_out.len()), "{}", held_out.len());
    for visitor in &held_out {
        assert!(visitor.values().all(|reason| reason == "holdout"), "{visitor:?}");
    }
    assert_eq!(count(&met, &keys[1], "served"), 1_000 - held_out.len());
    let ruleset = shop.anyone_here().get(&format!("/ruleset/{}", shop.project_key)).ok();
    assert_eq!(ruleset["format"], 2, "who cannot read holdouts refuses it");
    let at = met.iter().position(|it| it[keys[0].as_str().expect("a key")] == "holdout").expect("somebody");
    let explained = shop.get(&format!("/experiment/{live}/explain?visitor=visitor-{at}")).ok();
    assert_eq!((&explained["variant"], &explained["reason"]), (&Value::Null, &json!("holdout")));
    let detail = explained["steps"].to_string();
    assert!(detail.contains(&format!("whom the holdout {} keeps out", made["group_id"])), "{detail}");
    // A larger holdout keeps those who were in it.
    shop.patch(&path(&made), json!({ "percent": 20 })).refused(409, "moves_visitors");
    shop.patch(&path(&made), json!({ "percent": 20, "accept_moves": true })).ok();
    let more = reasons(&shop);
    for (before, after) in met.iter().zip(&more) {
        assert!(before.values().all(|it| it != "holdout") || after.values().all(|it| it == "holdout"), "{after:?}");
    }
    assert!(count(&more, &keys[0], "holdout") > held_out.len());
    // Of some experiments only.
    let some = json!({ "scope": { "tests": [later] }, "accept_moves": true });
    shop.patch(&path(&made), some).ok();
    let some = reasons(&shop);
    assert_eq!(
        (count(&some, &keys[0], "holdout"), count(&some, &keys[2], "holdout")),
        (0, count(&more, &keys[2], "holdout"))
    );
}

fn a_deleted_experiment_leaves_its_slot(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let [a, b, c] = experiments(&shop, 1);
    let made = exclusion(&shop, &[(a, 50.0), (b, 50.0)]);
    shop.delete(&format!("/experiment/{a}")).ok();
    assert_eq!(slots(&shop), [(b, 500_000, 1_000_000)]);
    let changed = json!({ "members": members(&[(b, 50.0), (c, 50.0)]), "accept_moves": true });
    let warnings = shop.patch(&path(&made), changed).ok()["warnings"].clone();
    assert_eq!(warnings.as_array().map(Vec::len), Some(1), "{warnings}");
    assert_eq!(slots(&shop), [(c, 0, 500_000), (b, 500_000, 1_000_000)]);
}
