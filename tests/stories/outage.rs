//! PostgreSQL goes away and comes back.

use muriel_tests::{Client, Link, On, TestApp, eventually};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A server whose way to PostgreSQL can be cut.
fn linked() -> (Link, TestApp) {
    let mut link = None;
    let app = On::Postgres.start_with(|settings| {
        let url = settings.place.database_url.as_mut().expect("a database");
        let (made, through) = Link::to(url);
        *url = through;
        link = Some(made);
    });
    (link.expect("a link"), app)
}

fn ask(shop: &Client, key: &str) -> muriel_tests::Answer {
    shop.post(&format!("/ofrep/v1/evaluate/flags/{key}"), json!({ "context": { "targetingKey": "v" } }))
}

fn health(app: &TestApp) -> Value {
    app.anyone().get("/readyz").ok()
}

const LIVE: &str = "live-one";
const PAUSED: &str = "paused-one";

/// A project with a live and a paused experiment.
fn scene(app: &TestApp) -> Client {
    let shop = app.project("Acme", "Shop");
    shop.experiment(json!({ "status": 1, "experiment_key": LIVE }));
    shop.experiment(json!({ "status": 0, "experiment_key": PAUSED }));
    shop
}

#[test]
fn visitors_are_served_while_the_database_is_away() {
    let (link, app) = linked();
    let shop = scene(&app);
    let unseen = app.scoped(&shop, "evaluate");
    let before = ask(&shop, LIVE).ok();
    let bulk = |shop: &Client| shop.post("/ofrep/v1/evaluate/flags", json!({ "context": { "targetingKey": "v" } }));
    let many = || shop.post("/evaluate-many", json!({ "contexts": [{ "targetingKey": "v" }] }));
    let ruleset = || app.anyone().get(&format!("/ruleset/{}", shop.project_key));
    let (all, tag) = (bulk(&shop).ok(), ruleset().etag());
    assert_eq!(health(&app)["status"], "ready");

    link.cut();
    // Longer than what is in memory counts as exact.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1_500) {
        let asked = Instant::now();
        assert_eq!(ask(&shop, LIVE).ok(), before);
        assert_eq!(bulk(&shop).ok(), all);
        many().ok();
        assert_eq!(ruleset().has_status(200).etag(), tag);
        assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    }
    assert_eq!(ask(&shop, PAUSED).has_status(503).body["errorCode"], "GENERAL", "what is not delivered is not known");
    assert_eq!(bulk(&unseen).has_status(503).header("retry-after"), Some("1"), "a key that nobody used");
    assert_eq!(bulk(&shop.with_key(Some("mrl_x"))).has_status(401).body["errorCode"], "GENERAL");
    for (method, path) in [("GET", "/experiments"), ("GET", "/goals"), ("POST", "/hypothesis")] {
        let call = shop.call(method, path);
        let call = if method == "POST" { call.json(json!({ "problem": "P" })) } else { call };
        let refused = call.send().refused(503, "unavailable");
        assert!(refused.header("retry-after").is_some());
    }
    let degraded = json!({ "status": "degraded", "database": "unavailable", "rulesets": "ok" });
    assert_eq!(health(&app), degraded);

    // Keys are good for a day without the database.
    app.pass(Duration::from_secs(24 * 60 * 60 - 1));
    assert_eq!(ask(&shop, LIVE).ok(), before);
    app.pass(Duration::from_secs(1));
    ask(&shop, LIVE).has_status(503);

    link.mend();
    eventually("the way back", Duration::from_secs(5), || shop.get("/goals").status == 200);
    eventually("readiness", Duration::from_secs(5), || health(&app)["status"] == "ready");
    assert_eq!(ruleset().header("x-muriel-stale"), None);
    assert_eq!(ask(&shop, LIVE).ok(), before);
    ask(&shop, PAUSED).ok();
    bulk(&unseen).ok();
    let made = shop.experiment(json!({ "status": 1, "experiment_key": "after" }));
    assert_eq!(ask(&shop, "after").ok()["metadata"]["test_id"], made);
}

#[test]
fn a_key_that_was_revoked_before_is_not_remembered() {
    let (link, app) = linked();
    let shop = scene(&app);
    let key = app.scoped(&shop, "evaluate");
    ask(&key, LIVE).ok();
    app.revoke(&key);
    eventually("the refusal", Duration::from_secs(1), || ask(&key, LIVE).status == 401);
    link.cut();
    for _ in 0..3 {
        ask(&key, LIVE).has_status(401);
    }
    link.mend();
}

#[test]
fn a_database_that_does_not_answer_is_waited_for_once() {
    let (link, app) = linked();
    let shop = scene(&app);
    ask(&shop, LIVE).ok();
    link.freeze();
    let start = Instant::now();
    for _ in 0..50 {
        ask(&shop, LIVE).ok();
    }
    // One of them asks every half a second, for a second at most.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(health(&app)["database"], "unavailable");
    link.cut();
    link.mend();
    eventually("the way back", Duration::from_secs(10), || shop.get("/goals").status == 200);
}

#[test]
fn a_server_starts_without_its_database() {
    let (link, mut app) = linked();
    let shop = scene(&app);
    let ruleset = |app: &TestApp| app.anyone().get(&format!("/ruleset/{}", shop.project_key));
    let before = ruleset(&app).has_status(200);
    app.stop();
    link.cut();
    app.start_again();
    let after = ruleset(&app).has_status(200);
    assert_eq!((&after.bytes, after.etag()), (&before.bytes, before.etag()));
    assert!(after.header_number("x-muriel-stale") >= 60, "stale at once");
    assert_eq!(health(&app), json!({ "status": "degraded", "database": "unavailable", "rulesets": "stale" }));
    let here = shop.at(app.address);
    ask(&here, LIVE).has_status(503);
    here.get("/goals").refused(503, "unavailable");
    app.anyone().get("/ruleset/prj_nowhere").refused(404, "not_found");

    link.mend();
    eventually("readiness", Duration::from_secs(5), || health(&app)["status"] == "ready");
    ask(&here, LIVE).ok();
    let id = here.experiment(json!({ "status": 1 }));
    assert!(ruleset(&app).text().contains(&format!("\"test_id\":{id},")));
}

#[test]
fn without_files_there_is_nothing_to_start_with() {
    let (link, mut app) = linked();
    app.stop();
    link.cut();
    std::fs::remove_dir_all(app.settings.place.data_dir.join("rulesets")).ok();
    let sentence = app.start_refused(|_| {});
    assert!(!sentence.is_empty());
    link.mend();
}
