//! Exclusion groups and holdouts.

use crate::scene::{Collector, id};
use muriel_tests::{Client, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

stories! {
    always: [
        experiments_of_a_group_share_no_visitor,
        what_has_no_holdouts_result,
        groups_are_made_changed_and_deleted,
        those_who_are_held_out_are_compared_with_everybody_else,
    ],
    postgres_at_night: [
        what_groups_cannot_be,
        live_experiments_are_moved_when_that_is_accepted,
        a_holdout_meets_nothing,
        a_deleted_experiment_leaves_its_slot,
        a_holdouts_result_begins_anew_with_other_visitors,
    ],
}

fn shop(app: &TestApp) -> Client {
    app.project("Acme", "Shop")
}

/// Creates `N` experiments with this status.
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

/// Returns the members of the project's only group: experiment, first bucket, first bucket after.
fn slots(shop: &Client) -> Vec<(i64, i64, i64)> {
    let groups = shop.get("/exclusion-groups").ok();
    let number = |member: &Value, field: &str| member[field].as_i64().expect("a number");
    let members = groups["exclusion_groups"][0]["members"].as_array().expect("members");
    members.iter().map(|it| (number(it, "test_id"), number(it, "from"), number(it, "to"))).collect()
}

/// Returns the reason of each of a thousand visitors' decisions, by experiment key.
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
    // Every key may read groups, but not change them.
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
    assert!(elsewhere.message("members[1].test_id").contains("(Checkout); remove it there first"));
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

    // Moves have to be accepted explicitly.
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
    // Changes that move nobody need no acceptance: the draft's slot, the name, equal values.
    shop.patch(&path(&made), json!({ "name": "Basket", "members": members(&[(a, 30.0), (b, 50.0)]) })).ok();
    assert_eq!(epochs(a).as_array().map(Vec::len), Some(2));

    let moved = shop.patch(&path(&made), json!({ "members": wish, "accept_moves": true })).ok();
    assert_eq!(moved["warnings"].as_array().map(Vec::len), Some(2), "{moved}");
    assert_eq!(slots(&shop), [(a, 0, 500_000), (b, 500_000, 1_000_000)]);
    assert_eq!(epochs(a).as_array().map(Vec::len), Some(3));
    // A paused experiment starts with its place at the time of the start.
    shop.set_status(b, 0).ok();
    shop.patch(&path(&made), json!({ "members": members(&[(a, 50.0), (b, 10.0)]) })).ok();
    shop.set_status(b, 1).ok();
    let ruleset = shop.anyone_here().get(&format!("/ruleset/{}", shop.project_key)).ok();
    let part = ruleset["experiments"].as_array().expect("a list").iter().find(|it| it["test_id"] == b);
    let salt = format!("g{}", made["group_id"]);
    let range = json!({ "group_id": made["group_id"], "salt": salt, "from": 5_000, "to": 6_000 });
    assert_eq!(part.expect("the experiment")["exclusion"], range);
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
    // Another server makes the same decisions.
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
    // An experiment that is created later is part of the holdout automatically.
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
    // Enlarging a holdout keeps the visitors who were in it.
    shop.patch(&path(&made), json!({ "percent": 20 })).refused(409, "moves_visitors");
    shop.patch(&path(&made), json!({ "percent": 20, "accept_moves": true })).ok();
    let more = reasons(&shop);
    for (before, after) in met.iter().zip(&more) {
        assert!(before.values().all(|it| it != "holdout") || after.values().all(|it| it == "holdout"), "{after:?}");
    }
    assert!(count(&more, &keys[0], "holdout") > held_out.len());
    // Holdout of some experiments only.
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

fn holdout(shop: &Client, percent: f64, scope: &Value) -> Value {
    shop.post("/exclusion-group", json!({ "name": "Nothing", "kind": "holdout", "percent": percent, "scope": scope }))
        .created()
}

fn held_out_of(shop: &Client, key: &Value) -> Vec<bool> {
    reasons(shop).iter().map(|visitor| visitor[key.as_str().expect("a key")] == "holdout").collect()
}

/// Returns visitors and conversions of the two arms at the top of a result.
fn arms(result: &Value) -> [(u64, u64); 2] {
    let number = |arm: usize, field: &str| result["variants"][arm][field].as_u64().expect("a number");
    [0, 1].map(|arm| (number(arm, "visitors"), number(arm, "conversions")))
}

fn those_who_are_held_out_are_compared_with_everybody_else(on: On) {
    let mut app = on.start();
    let shop = shop(&app);
    for key in ["bought", "seen", "rare"] {
        shop.goal(key);
    }
    let [test_id] = [shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }))];
    shop.experiment(json!({ "status": 9, "primary_goal_key": "rare" }));
    let key = shop.details(test_id)["experiment_key"].clone();
    // All visitors came before the holdout: their actions from then on count.
    let collector = Collector::of(&shop);
    let send = |visitor: usize, events: &[Value]| {
        let events: Vec<Value> = events
            .iter()
            .map(|event| {
                let mut event = event.clone();
                event["id"] = id().into();
                event
            })
            .collect();
        let body = json!({ "visitor": { "id": format!("visitor-{visitor}") }, "events": events });
        collector.trusted.post("", body).ok();
    };
    let (view, bought) =
        (json!({ "type": "pageview", "url": "https://example.com/" }), json!({ "type": "custom", "name": "bought" }));
    send(0, std::slice::from_ref(&bought));
    let made = holdout(&shop, 20.0, &json!("project"));
    app.pass(Duration::from_secs(1));
    let held_out = held_out_of(&shop, &key);
    let mut expect = [(0, 0); 2];
    for (visitor, is_held_out) in held_out.iter().enumerate().take(400) {
        // One in five held-out visitors buys, and two in five of the others.
        let buys = visitor % 5 == 0 || (!is_held_out && visitor % 5 == 1);
        let arm = json!({ "type": "exposure", "test_id": test_id, "variant_id": (visitor % 2).to_string() });
        let mut events = vec![view.clone()];
        events.extend((!is_held_out).then_some(arm));
        events.extend(buys.then(|| bought.clone()));
        send(visitor, &events);
        let place = &mut expect[usize::from(!is_held_out)];
        *place = (place.0 + 1, place.1 + u64::from(buys));
    }
    // A visitor with an exposure only does not count, because held-out visitors cannot have any.
    let exposed = json!({ "type": "exposure", "test_id": test_id, "variant_id": "1" });
    send(900, &[exposed]);
    let path = format!("{}/result", path(&made));
    let result = shop.get(&path).ok();
    assert_eq!(arms(&result), expect, "{result}");
    assert_eq!(
        (&result["group_id"], &result["name"], &result["goal_key"], &result["total_visitors"]),
        (&made["group_id"], &json!("Nothing"), &json!("bought"), &json!(400))
    );
    let names: Vec<&Value> = [0, 1].map(|arm| &result["variants"][arm]["name"]).into();
    assert_eq!(names, ["Held out", "Everybody else"]);
    assert_eq!(result["health"]["sample_ratio"]["status"], "ok", "{}", result["health"]);
    let analysis = &result["variants"][1]["analysis"];
    let lift = analysis["lift"].as_f64().expect("a lift");
    let rate = |(visitors, conversions): (u64, u64)| conversions as f64 / visitors as f64;
    assert!((lift - 100.0 * (rate(expect[1]) / rate(expect[0]) - 1.0)).abs() < 1e-6, "{analysis}");
    let metrics: Vec<&str> =
        result["metrics"].as_array().expect("a list").iter().filter_map(|it| it["key"].as_str()).collect();
    assert_eq!(metrics, ["bounce_rate", "engagement"]);
    // The same on any goal.
    let other = shop.get(&format!("{path}?goal_key=seen")).ok();
    assert_eq!((&other["goal_key"], arms(&other)), (&json!("seen"), expect.map(|(visitors, _)| (visitors, 0))));
    assert_eq!(other["primary_goal"]["goal_key"], "bought");
    // The result grows, and is unchanged after a restart.
    let next = (400..1_000).find(|at| held_out[*at]).expect("one who is held out");
    send(next, &[view, bought]);
    expect[0] = (expect[0].0 + 1, expect[0].1 + 1);
    assert_eq!(arms(&shop.get(&path).ok()), expect);
    app.start_again();
    assert_eq!(arms(&shop.at(app.address).get(&path).ok()), expect);
}

fn a_holdouts_result_begins_anew_with_other_visitors(on: On) {
    let app = on.start();
    let shop = shop(&app);
    shop.goal("bought");
    let [test_id] = [shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }))];
    let made = holdout(&shop, 20.0, &json!("project"));
    let result = format!("{}/result", path(&made));
    let since = || shop.get("/exclusion-groups").ok()["exclusion_groups"][0]["since"].clone();
    let collector = Collector::of(&shop);
    let view = |visitor: &str| {
        let view = json!({ "type": "pageview", "url": "https://example.com/", "id": id() });
        collector.trusted.post("", json!({ "visitor": { "id": visitor }, "events": [view] })).ok();
    };
    let total = || shop.get(&result).ok()["total_visitors"].clone();
    app.pass(Duration::from_secs(1));
    view("a");
    assert_eq!(total(), 1);
    let before = since();
    app.pass(Duration::from_secs(3_600));
    shop.patch(&path(&made), json!({ "name": "Other", "percent": 20 })).ok();
    assert_eq!((since(), total()), (before.clone(), json!(1)), "its visitors are the same");
    for change in [json!({ "percent": 30 }), json!({ "scope": { "tests": [test_id] } })] {
        let mut change = change;
        change["accept_moves"] = true.into();
        shop.patch(&path(&made), change).ok();
        assert_ne!(since(), before);
        assert_eq!(total(), 0, "those who came before met something else");
        app.pass(Duration::from_secs(1));
        view("a");
        assert_eq!(total(), 1);
        app.pass(Duration::from_secs(3_600));
    }
}

fn what_has_no_holdouts_result(on: On) {
    let app = on.start();
    let shop = shop(&app);
    shop.goal("bought");
    let [a] = experiments(&shop, 9);
    let group = exclusion(&shop, &[(a, 50.0)]);
    shop.get(&format!("{}/result", path(&group))).refused(409, "no_holdout");
    shop.get("/exclusion-group/999999/result").refused(404, "not_found");
    shop.get("/exclusion-group/x/result").refused(404, "not_found");
    let made = holdout(&shop, 5.0, &json!({ "tests": [a] }));
    let result = format!("{}/result", path(&made));
    // Without visitors, and without a goal on any experiment.
    let empty = shop.get(&result).ok();
    assert_eq!((&empty["total_visitors"], &empty["goal_key"]), (&json!(0), &Value::Null));
    assert_eq!(empty["health"]["sample_ratio"]["status"], "unknown");
    let of_a_goal = shop.get(&format!("{result}?goal_key=bought")).ok();
    let little = of_a_goal["health"]["minimum_data"]["message"].as_str().expect("a sentence");
    assert!(little.contains("Held out has 0 of 100 visitors; Everybody else has 0"), "{little}");
    for (query, parameter) in [
        ("filter_by=mobile", "filter_by"),
        ("breakdown_by=device", "breakdown_by"),
        ("epoch=1", "epoch"),
        ("report_phase=all_time", "report_phase"),
        ("format=csv", "format"),
        ("goal_key=nothing", "goal_key"),
        ("tz=Mars", "tz"),
    ] {
        let refused = shop.get(&format!("{result}?{query}")).refused(400, "invalid_parameter");
        assert_eq!(refused.fields(), [parameter]);
    }
    app.scoped(&shop, "evaluate").get(&result).refused(403, "missing_scope");
    let other = app.project("Acme", "Other");
    other.get(&result).refused(404, "not_found");
    shop.delete(&path(&made)).ok();
    shop.get(&result).refused(404, "not_found");
}
