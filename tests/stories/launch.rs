//! Before a start: the checklist, previews, activity of goals, the installation and simulations.

use crate::results::{Shop, bought};
use crate::scene::{Collector, id};
use muriel_tests::{Client, DEADLINE, On, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        what_blocks_a_start_makes_it_refused,
        previews_report_what_they_found,
        goals_tell_their_last_days,
        an_installation_is_seen,
    ],
    postgres_at_night: [
        a_checklist_before_a_start,
        plans_are_simulated,
    ],
}

const MINUTE: Duration = Duration::from_secs(60);

fn checklist(shop: &Client, test_id: i64) -> Value {
    shop.get(&format!("/experiment/{test_id}/checklist")).ok()
}

/// Returns the status and the sentence of a check.
fn check(list: &Value, name: &str) -> (String, String) {
    let items = list["items"].as_array().expect("items");
    let item = items.iter().find(|item| item["check"] == name).expect("a check");
    let text = |field: &str| item[field].as_str().expect("a text").to_owned();
    (text("status"), text("sentence"))
}

#[track_caller]
fn says(list: &Value, name: &str, status: &str, part: &str) {
    let (is, sentence) = check(list, name);
    assert_eq!(is, status, "{name}: {sentence}");
    assert!(sentence.contains(part), "{name}: {sentence}");
}

pub(crate) fn view(page: &str) -> Value {
    json!({ "id": id(), "type": "pageview", "url": page, "at": "2026-03-01T10:00:00Z" })
}

fn a_checklist_before_a_start(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let collector = Collector::of(&shop);
    let changes = json!([{ "target": "h1", "innerText": "New" }]);
    let draft = shop.experiment(json!({
        "primary_goal_key": "bought", "variants": [{ "name": "Variant 1", "data": changes, "customJS": "a((" }],
    }));
    let list = checklist(&shop, draft);
    assert_eq!((&list["can_start"], list["items"].as_array().map(Vec::len)), (&json!(true), Some(10)));
    says(&list, "lifecycle", "ok", "It can be started.");
    says(&list, "approval", "ok", "Nobody else");
    says(&list, "code", "warn", "not valid JavaScript");
    says(&list, "script", "unknown", "https://shop.example/checkout");
    says(&list, "preview", "unknown", "Variant 1");
    says(&list, "goals", "warn", "bought");
    says(&list, "audience", "ok", "Every visitor of its pages can enter.");
    says(&list, "weights", "ok", "Control 50 %, Variant 1 50 %.");
    // The traffic is unknown, but with typical traffic the default smallest lift takes years.
    says(&list, "power", "warn", "With 1000 visitors a day, of whom 5 % convert, a lift of 2 % takes about");
    let german = json!({ "allowed_country": [{ "name": "Germany", "code": "DE", "rule": "whitelist" }] });
    let abroad = shop.experiment(json!({ "targeting": german }));
    says(&checklist(&shop, abroad), "audience", "warn", "cannot locate visitors, so no visitor of a page matches");
    let planned = shop.experiment(json!({ "primary_goal_key": "bought", "plan": { "mde": 50, "visitors": null } }));
    says(&checklist(&shop, planned), "power", "unknown", "too little data for a plan");
    says(&list, "collisions", "ok", "No other live experiment");

    shop.patch(&format!("/experiment/{draft}"), json!({ "variants": [{ "name": "Variant 1", "data": changes }] })).ok();
    let buy = json!({ "id": id(), "type": "custom", "name": "bought", "at": "2026-03-01T10:00:00Z" });
    let events = [view("https://shop.example/checkout?step=2#x"), buy];
    collector.trusted.post("", json!({ "visitor": { "id": "v" }, "events": events })).ok();
    let live = shop.experiment(json!({
        "status": 1, "experiment_key": "beside", "variants": [{ "name": "Variant 1", "data": changes }],
    }));
    let list = checklist(&shop, draft);
    says(&list, "code", "ok", "no JavaScript");
    says(&list, "script", "ok", "was on https://shop.example/checkout at 2026-03-01T10:00:00.000Z");
    says(&list, "goals", "ok", "within the last day");
    says(&list, "collisions", "warn", "beside (h1)");
    shop.set_status(live, 0).ok();
    says(&checklist(&shop, draft), "collisions", "ok", "No other live experiment");
    says(&checklist(&shop, live), "goals", "warn", "no primary goal");
    // A day later no goal has been matched recently.
    app.pass(25 * 60 * MINUTE);
    says(&checklist(&shop, draft), "goals", "warn", "Not matched");
    shop.get("/experiment/9999/checklist").refused(404, "not_found");
}

fn what_blocks_a_start_makes_it_refused(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    shop.set_status(id, 0).ok();
    app.conclude(id);
    let list = checklist(&shop, id);
    assert_eq!(list["can_start"], false);
    says(&list, "lifecycle", "blocked", "reopen it");
    shop.set_status(id, 1).refused(409, "concluded");
    app.reopen(id);
    assert_eq!(checklist(&shop, id)["can_start"], true);
    app.approval_rules(&shop, false, true);
    let list = checklist(&shop, id);
    assert_eq!(list["can_start"], false);
    says(&list, "approval", "blocked", "propose it");
    shop.set_status(id, 1).refused(409, "approval_needed");
}

/// Returns the token of an experiment's preview links.
fn token(shop: &Client, test_id: i64) -> String {
    let links = shop.get(&format!("/experiment/{test_id}/preview-urls")).ok();
    let link = links["variants"][0]["preview_url"].as_str().expect("a link");
    link.split("test-token=").nth(1).expect("a token").to_owned()
}

fn previews_report_what_they_found(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let variants = |text: &str| json!([{ "name": "Variant 1", "data": [{ "target": "h1", "innerText": text }] }]);
    let test_id = shop.experiment(json!({ "variants": variants("A") }));
    let anyone = Collector::of(&shop).anyone;
    let path = format!("/preview/{}/{test_id}/report", shop.project_key);
    let body = |token: &str, missing: Value| {
        json!({
            "token": token, "variant_id": 1, "url": "https://shop.example/checkout?secret=1#x",
            "matched": [], "missing": missing,
        })
    };
    let good = token(&shop, test_id);
    let send = |body: Value| anyone.call("POST", &path).header("origin", "https://shop.example").json(body).send();
    let other = shop.experiment(json!({}));
    for wrong in ["", "x", &token(&shop, other), &format!("{good}0")] {
        send(body(wrong, json!([]))).refused(404, "not_found");
    }
    for (field, value) in [
        ("variant_id", json!(2)),
        ("variant_id", json!("1")),
        ("url", json!("javascript:alert(1)")),
        ("missing", json!("h1")),
        ("missing", json!([1])),
        ("matched", json!(vec!["a"; 1_001])),
        ("more", json!(1)),
    ] {
        let mut bad = body(&good, json!([]));
        bad[field] = value;
        assert_eq!(send(bad).refused(400, "invalid_field").fields()[0].split('[').next(), Some(field));
    }
    send(json!({ "token": "x".repeat(300_000) })).refused(413, "body_too_large");
    says(&checklist(&shop, test_id), "preview", "unknown", "Nobody has opened");

    let answer = send(body(&good, json!(["h1"])));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    // Pages send it as text, so that browsers send no preflight request.
    let text = anyone.call("POST", &path).header("content-type", "text/plain;charset=UTF-8");
    text.body(body(&good, json!(["h1"])).to_string()).send().ok();
    assert_eq!(answer.ok(), json!({ "success": true }));
    says(&checklist(&shop, test_id), "preview", "warn", "Variant 1: h1.");
    send(body(&good, json!([]))).ok();
    says(&checklist(&shop, test_id), "preview", "ok", "Every variant was previewed");
    // The previewed arm has changed.
    app.pass(MINUTE);
    shop.patch(&format!("/experiment/{test_id}"), json!({ "variants": variants("B") })).ok();
    says(&checklist(&shop, test_id), "preview", "warn", "changed since");
    send(body(&good, json!([]))).ok();
    says(&checklist(&shop, test_id), "preview", "ok", "Every variant was previewed");
    shop.delete(&format!("/experiment/{test_id}")).ok();
    send(body(&good, json!([]))).refused(404, "not_found");
}

fn goals_tell_their_last_days(on: On) {
    let scene = Shop::open(on, json!({}));
    let shop = &scene.client;
    let goal = shop.get("/goals").ok()["goals"][0]["goal_profile_id"].as_i64().expect("an id");
    // The following events are dated before the current time.
    scene.app.pass(2 * 60 * MINUTE);
    scene.crowd("early", &[("0", 20, 4), ("1", 20, 6)], "2026-03-01T10:01:00Z", &bought());
    scene.app.pass(2 * 24 * 60 * MINUTE);
    let second = shop.experiment(json!({ "secondary_goal_keys": ["bought"] }));
    let activity = shop.get(&format!("/goal/{goal}/activity?days=3")).ok();
    assert_eq!(
        activity["days"],
        json!([
            { "date": "2026-03-01", "matches": 10, "visitors": 10 },
            { "date": "2026-03-02", "matches": 0, "visitors": 0 },
            { "date": "2026-03-03", "matches": 0, "visitors": 0 },
        ])
    );
    assert_eq!((&activity["goal_key"], &activity["last_seen"]), (&json!("bought"), &json!("2026-03-01T11:01:00.000Z")));
    let uses = activity["tests"].as_array().expect("tests").iter();
    let uses: Vec<_> = uses.map(|one| (one["test_id"].clone(), one["status"].clone(), one["role"].clone())).collect();
    let test_id = scene.test_id;
    assert_eq!(uses, [(json!(test_id), json!(1), json!("primary")), (json!(second), json!(9), json!("secondary"))]);
    let today = shop.get(&format!("/goal/{goal}/activity?days=1")).ok();
    assert_eq!((today["days"].as_array().map(Vec::len), &today["last_seen"]), (Some(1), &Value::Null));
    assert_eq!(shop.get(&format!("/goal/{goal}/activity")).ok()["days"].as_array().map(Vec::len), Some(14));
    for days in ["0", "91", "x", "-1"] {
        let answer = shop.get(&format!("/goal/{goal}/activity?days={days}"));
        assert_eq!(answer.refused(400, "invalid_parameter").fields(), ["days"]);
    }
    shop.get("/goal/9999/activity").refused(404, "not_found");
}

fn an_installation_is_seen(on: On) {
    let mut app = on.start();
    let shop = app.project("Acme", "Shop");
    let collector = Collector::of(&shop);
    let key = &shop.project_key;
    let before = shop.get("/install").ok();
    assert_eq!(
        (&before["last_script_fetch"], &before["last_event"], &before["pages"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
    let source = format!("http://{}/js/{key}.js", app.address);
    for snippet in ["snippet", "async_snippet"] {
        let text = before[snippet].as_str().expect("a snippet");
        assert!(text.contains(&format!("src=\"{source}\"")), "{text}");
    }
    collector.anyone.get(&format!("/js/{key}.js")).has_status(200);
    let events = [view("https://shop.example/a?token=secret"), view("https://shop.example/a#part")];
    collector.trusted.post("", json!({ "visitor": { "id": "v" }, "events": events })).ok();
    let seen = shop.get("/install").ok();
    assert_eq!(seen["last_script_fetch"], "2026-03-01T10:00:00.000Z");
    assert!(seen["last_event"].is_string());
    assert_eq!(seen["pages"].as_array().map(Vec::len), Some(1), "{seen}");
    assert_eq!(seen["pages"][0]["url"], "https://shop.example/a");
    assert!(!seen.to_string().contains("secret"));
    assert_eq!((&seen["knows_places"], &seen["knows_regions"]), (&json!(false), &json!(false)));
    // Another project has its own pages.
    let blog = app.project("Acme", "Blog");
    assert_eq!(blog.get("/install").ok()["pages"], json!([]));
    // A configured base is the address of the script.
    app.page_settings(&shop, |changes| changes.base = Some("https://ab.example".to_owned()));
    let text = shop.get("/install").ok()["snippet"].as_str().expect("a snippet").to_owned();
    assert!(text.contains(&format!("https://ab.example/js/{key}.js")), "{text}");
    app.start_again();
    let shop = shop.at(app.address);
    let after = || shop.get("/install");
    eventually("the events are there again", DEADLINE, || after().status == 200);
    let after = after().ok();
    assert_eq!(after["last_script_fetch"], "2026-03-01T10:00:00.000Z", "it was written at the end");
    assert_eq!(after["pages"], seen["pages"]);
}

fn plans_are_simulated(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let id = shop.experiment(json!({
        "primary_goal_key": "bought", "plan": { "mde": 20, "visitors": 4_000 },
        "configuration": { "completion_visitor": 4_000 },
    }));
    let path = format!("/experiment/{id}/simulate");
    let asked = json!({ "runs": 20, "baseline_rate": 10, "daily_visitors": 500, "lift": 30, "seed": 7 });
    let simulated = shop.post(&path, asked.clone()).ok();
    assert_eq!(simulated, shop.post(&path, asked).ok(), "the same seed gives the same");
    assert_eq!(simulated["experiment"], json!({ "test_id": id, "test_name": "Checkout", "goal_key": "bought" }));
    assert_eq!((&simulated["plan"]["weights"], &simulated["plan"]["mde"]), (&json!([50.0, 50.0]), &json!(20.0)));
    assert_eq!(simulated["plan"]["stops"]["visitors"], 4_000);
    assert_eq!(
        (&simulated["visitors"]["daily_from"], &simulated["visitors"]["baseline_rate"]),
        (&json!("flag"), &json!(10.0))
    );
    let with = &simulated["with_effect"];
    assert_eq!(
        (&with["runs"], &with["effect"], &simulated["without_effect"]["runs"]),
        (&json!(20), &json!(30.0), &json!(20))
    );
    let all: i64 = with["verdicts"]
        .as_object()
        .expect("verdicts")
        .values()
        .map(|one| one["count"].as_i64().expect("a count"))
        .sum();
    assert_eq!(all, 20);
    assert_eq!(shop.post(&path, json!({ "runs": 1, "days": 1, "lift": 0 })).ok()["with_effect"], Value::Null);
    let assumed = shop.post(&path, json!({ "runs": 1, "days": 1 })).ok();
    assert_eq!(
        (&assumed["visitors"]["daily_from"], &assumed["with_effect"]["effect"]),
        (&json!("default"), &json!(20.0))
    );
    for (body, field) in [
        (json!({ "runs": 0 }), "runs"),
        (json!({ "runs": 5_001 }), "runs"),
        (json!({ "runs": 5_000, "days": 365 }), "runs"),
        (json!({ "lift": -101 }), "lift"),
        (json!({ "baseline_rate": 0 }), "baseline_rate"),
        (json!({ "baseline_rate": 100 }), "baseline_rate"),
        (json!({ "daily_visitors": 0 }), "daily_visitors"),
        (json!({ "days": 366 }), "days"),
        (json!({ "seed": -1 }), "seed"),
        (json!({ "salts": 1 }), "salts"),
        // Lifts with which all visitors would convert, and more.
        (json!({ "baseline_rate": 60, "lift": 100 }), "body"),
    ] {
        shop.post(&path, body).invalid(&[field]);
    }
    shop.patch(&format!("/experiment/{id}"), json!({ "configuration": { "is_mab": 1 } })).ok();
    shop.post(&path, json!({ "runs": 1 })).invalid(&["body"]);
    shop.post("/experiment/9999/simulate", json!({ "runs": 0 })).refused(404, "not_found");
}
