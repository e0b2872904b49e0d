//! Acts of the clock: experiments that start and end by their dates and rules.

use crate::results::{DAY, Shop, bought, counts};
use crate::scene::{Collector, id};
use muriel_domain::Instant;
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, is_full, raw, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        a_start_date_starts_a_draft,
        an_end_date_ends_what_is_live,
        dates_that_have_passed_do_nothing_and_say_so,
        a_start_that_cannot_be_made_says_why_and_is_tried_again,
        what_was_missed_is_caught_up_once,
        rules_end_an_experiment_and_keep_their_numbers,
        a_bandit_moves_its_weights,
        autopilot_serves_a_winner_step_by_step,
    ],
    postgres_at_night: [
        dates_that_are_changed_are_followed,
        a_significant_result_ends_an_experiment,
        rules_leave_alone_what_is_concluded_served_or_deleted,
        jobs_are_told_to_operators,
        a_bandit_waits_until_it_knows_enough,
        autopilot_stops_what_turns_out_worse,
        autopilot_leaves_the_winner_to_people,
        thirty_days_of_experiments,
    ],
}

const HOUR: Duration = Duration::from_secs(3_600);
/// A story's clock starts at 2026-03-01T10:00:00Z.
const ELEVEN: &str = "2026-03-01T11:00:00.000Z";
const NOON: &str = "2026-03-01T12:00:00.000Z";

/// Waits until the clock's last act is by this rule, and returns the act.
#[track_caller]
fn acted(client: &Client, test_id: i64, rule: &str) -> Value {
    let mut last = Value::Null;
    eventually(&format!("an act by the rule {rule}"), DEADLINE, || {
        last = client.details(test_id)["schedule"]["last"].clone();
        last["rule"] == rule
    });
    last
}

/// Waits until the due jobs have run, by waiting for a job of another experiment that is due now.
#[track_caller]
fn settle(client: &Client, app: &TestApp) {
    let soon = app.settings.clock.now().plus_us(1_000).to_string();
    let other = client.experiment(json!({ "test_name": "Other", "configuration": { "start_test_date": soon } }));
    app.pass(Duration::from_secs(1));
    acted(client, other, "start_date");
}

fn scheduled(app: &TestApp, configuration: Value) -> (Client, i64) {
    let client = app.project("Acme", "Shop");
    let test_id = client.experiment(json!({ "configuration": configuration }));
    (client, test_id)
}

fn a_start_date_starts_a_draft(on: On) {
    let app = on.start();
    let (client, test_id) = scheduled(&app, json!({ "start_test_date": ELEVEN }));
    let details = client.details(test_id);
    assert_eq!(details["schedule"]["next"], json!({ "at": ELEVEN, "act": "start", "rule": "start_date" }));
    assert_eq!((&details["status"], &details["schedule"]["last"]), (&json!(9), &Value::Null));
    app.pass(HOUR - Duration::from_secs(2));
    settle(&client, &app);
    assert_eq!(client.details(test_id)["status"], 9, "not before its moment");

    app.pass(Duration::from_secs(2));
    let last = acted(&client, test_id, "start_date");
    assert_eq!(
        (&last["act"], &last["detail"]),
        (&json!("start"), &json!("the start date had come: 11:00 UTC on 1 Mar 2026"))
    );
    assert_eq!((&last["numbers"], last.get("failed")), (&json!({ "start_test_date": ELEVEN }), None));
    let details = client.details(test_id);
    assert_eq!((&details["status"], &details["schedule"]["next"]), (&json!(1), &Value::Null));
    assert_eq!(details["epochs"].as_array().map(Vec::len), Some(1));
    let history = app.history(test_id);
    assert_eq!((history.len(), history[0].actor.as_str(), history[0].action.as_str()), (2, "clock", "start"));
    let detail = history[0].detail.as_ref().expect("a detail");
    assert_eq!((&detail["rule"], &detail["numbers"]), (&json!("start_date"), &last["numbers"]));
    // Visitors get it.
    let decision = client.get(&format!("/experiment/{test_id}/explain?visitor=v-1")).ok();
    assert_eq!(decision["reason"], "split", "{decision}");

    // The date applies once: setting the experiment aside afterwards is deliberate.
    client.set_status(test_id, 0).ok();
    app.pass(DAY);
    settle(&client, &app);
    assert_eq!(client.details(test_id)["status"], 0);
}

fn an_end_date_ends_what_is_live(on: On) {
    let app = on.start();
    let (client, test_id) = scheduled(&app, json!({ "start_test_date": ELEVEN, "end_test_date": NOON }));
    app.pass(HOUR);
    acted(&client, test_id, "start_date");
    let next = client.details(test_id)["schedule"]["next"].clone();
    assert_eq!(next, json!({ "at": NOON, "act": "stop", "rule": "end_date" }));
    app.pass(HOUR);
    acted(&client, test_id, "end_date");
    let details = client.details(test_id);
    assert_eq!((&details["status"], &details["is_completed"]), (&json!(0), &json!(0)));
    assert_eq!(app.history(test_id).len(), 3);

    // Starting it again after the end date continues it.
    let answer = client.set_status(test_id, 1).ok();
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("end_test_date"), "{warnings}");
    app.pass(DAY);
    settle(&client, &app);
    assert_eq!(client.details(test_id)["status"], 1);
}

fn dates_that_are_changed_are_followed(on: On) {
    let app = on.start();
    let (client, test_id) = scheduled(&app, json!({ "start_test_date": ELEVEN }));
    let path = format!("/experiment/{test_id}");
    let later = "2026-03-02T10:00:00.000Z";
    client.patch(&path, json!({ "configuration": { "start_test_date": later } })).ok();
    app.pass(2 * HOUR);
    settle(&client, &app);
    assert_eq!(client.details(test_id)["status"], 9);
    client.patch(&path, json!({ "configuration": { "start_test_date": null } })).ok();
    assert_eq!(client.details(test_id)["schedule"]["next"], Value::Null);
    app.pass(2 * DAY);
    settle(&client, &app);
    assert_eq!(client.details(test_id)["status"], 9);

    // An experiment that was set aside starts at a newly set date.
    client.set_status(test_id, 1).ok();
    client.set_status(test_id, 0).ok();
    let again = app.settings.clock.now().plus_us(3_600_000_000);
    let end = again.plus_us(3_600_000_000);
    let dates = json!({ "start_test_date": again.to_string(), "end_test_date": end.to_string() });
    client.patch(&path, json!({ "configuration": dates })).ok();
    app.pass(HOUR);
    acted(&client, test_id, "start_date");
    // A live experiment ends when its end date is moved to the past.
    let now = app.settings.clock.now().plus_us(-1);
    let dates = json!({ "start_test_date": null, "end_test_date": now.to_string() });
    client.patch(&path, json!({ "configuration": dates })).ok();
    acted(&client, test_id, "end_date");
}

fn dates_that_have_passed_do_nothing_and_say_so(on: On) {
    let app = on.start();
    let client = app.project("Acme", "Shop");
    let past = "2026-02-01T00:00:00Z";
    let made = |besides: Value| {
        let mut body =
            json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] });
        for (field, value) in besides.as_object().expect("fields") {
            body[field] = value.clone();
        }
        let answer = client.post("/create-experiment", body).created();
        (answer["test_id"].as_i64().expect("an id"), answer["warnings"].to_string())
    };
    let (draft, warnings) = made(json!({ "status": 9, "configuration": { "start_test_date": past } }));
    assert!(
        warnings.contains("configuration.start_test_date: this moment has passed, so it has no effect"),
        "{warnings}"
    );
    let dates = json!({ "start_test_date": "2026-01-01T00:00:00Z", "end_test_date": past });
    let (live, warnings) = made(json!({ "status": 1, "configuration": dates }));
    assert!(warnings.contains("configuration.end_test_date: this moment had passed"), "{warnings}");
    // The current time counts as now, although the request took a moment.
    let now = app.settings.clock.now().plus_us(-30_000_000).to_string();
    let (present, warnings) = made(json!({ "configuration": { "start_test_date": now } }));
    assert_eq!(warnings, "[]");
    acted(&client, present, "start_date");
    settle(&client, &app);
    assert_eq!((&client.details(draft)["status"], &client.details(live)["status"]), (&json!(9), &json!(1)));
    for test_id in [draft, live] {
        assert_eq!(client.details(test_id)["schedule"], json!({ "next": null, "last": null }));
    }
}

fn a_start_that_cannot_be_made_says_why_and_is_tried_again(on: On) {
    let app = on.start();
    let client = app.project("Acme", "Shop");
    let coder = app.scoped(&client, "read,write,code");
    let broken = json!([{ "name": "Variant 1", "customJS": "let = {" }]);
    let test_id = coder.experiment(json!({ "variants": broken, "configuration": { "start_test_date": ELEVEN } }));
    app.pass(HOUR);
    let last = acted(&client, test_id, "start_date");
    let why = last["failed"].as_str().expect("a reason");
    assert!(why.starts_with("variants[0].customJS: this is not valid JavaScript"), "{why}");
    let details = client.details(test_id);
    assert_eq!((&details["status"], &details["schedule"]["next"]), (&json!(9), &Value::Null));
    let failures = |app: &TestApp| app.history(test_id).iter().filter(|entry| entry.actor == "clock").count();
    settle(&client, &app);
    assert_eq!(failures(&app), 1, "it is not tried again before something changes");

    let path = format!("/experiment/{test_id}");
    client.patch(&path, json!({ "test_name": "Another name" })).ok();
    eventually("another attempt", DEADLINE, || failures(&app) == 2);
    let mended = json!([{ "name": "Variant 1", "customJS": "let a = {}" }]);
    coder.patch(&path, json!({ "variants": mended })).ok();
    eventually("the start", DEADLINE, || client.details(test_id)["status"] == 1);
    assert_eq!(client.details(test_id)["schedule"]["last"].get("failed"), None);
}

fn what_was_missed_is_caught_up_once(on: On) {
    let mut app = on.start();
    let (client, starts) = scheduled(&app, json!({ "start_test_date": ELEVEN }));
    let over = client.experiment(json!({ "configuration": { "start_test_date": ELEVEN, "end_test_date": NOON } }));
    let ends = client.experiment(json!({ "status": 1, "configuration": { "end_test_date": NOON } }));
    app.stop();
    app.pass(DAY);
    app.start_again();
    let client = client.at(app.address);
    assert_eq!(acted(&client, starts, "start_date").get("failed"), None);
    let missed = acted(&client, over, "start_date");
    assert_eq!(missed["failed"], "its end date had passed too before it could be started");
    acted(&client, ends, "end_date");
    let status = |test_id: i64| client.details(test_id)["status"].as_i64().expect("a status");
    assert_eq!([starts, over, ends].map(status), [1, 9, 0]);
    settle(&client, &app);
    assert_eq!([starts, over, ends].map(|test_id| app.history(test_id).len()), [2; 3]);
}

fn rules_end_an_experiment_and_keep_their_numbers(on: On) {
    let shop = Shop::open(on, json!({ "configuration": { "completion_visitor": 30 } }));
    let (client, path) = (&shop.client, format!("/experiment/{}", shop.test_id));
    shop.crowd("v", &[("0", 10, 2), ("1", 19, 3)], "2026-03-01T10:00:00Z", &bought());
    settle(client, &shop.app);
    shop.result("");
    assert_eq!(client.details(shop.test_id)["status"], 1);
    shop.crowd("w", &[("0", 1, 0)], "2026-03-01T10:00:00Z", &bought());
    let last = acted(client, shop.test_id, "visitors");
    assert_eq!(last["numbers"], json!({ "visitors": 30, "completion_visitor": 30 }));
    assert_eq!(client.details(shop.test_id)["status"], 0);
    let history = shop.app.history(shop.test_id);
    let detail = history[0].detail.as_ref().expect("a detail");
    assert_eq!((history[0].actor.as_str(), &detail["rule"]), ("clock", &json!("visitors")));
    // The manifest allows computing the numbers again.
    assert!(detail["manifest"]["logs"][0]["position"].as_i64().is_some_and(|position| position > 0), "{detail}");

    // An experiment that is started again continues until the rule is set anew.
    client.set_status(shop.test_id, 1).ok();
    settle(client, &shop.app);
    assert_eq!(client.details(shop.test_id)["status"], 1);
    client.patch(&path, json!({ "configuration": { "completion_conversion": 6 } })).ok();
    shop.crowd("x", &[("1", 1, 1)], "2026-03-01T10:00:00Z", &bought());
    let last = acted(client, shop.test_id, "conversions");
    assert_eq!(last["numbers"], json!({ "conversions": 6, "completion_conversion": 6 }));
    assert_eq!(counts(&shop.result("")), [(11, 2), (20, 4)]);

    // Days count from the first start, whatever happened in between.
    client.set_status(shop.test_id, 1).ok();
    client.patch(&path, json!({ "configuration": { "completion_after_period": 3 } })).ok();
    let next = client.details(shop.test_id)["schedule"]["next"].clone();
    assert_eq!((&next["rule"], &next["at"]), (&json!("period"), &json!("2026-03-04T10:00:00.000Z")));
    shop.app.pass(3 * DAY);
    let last = acted(client, shop.test_id, "period");
    assert_eq!(last["numbers"]["completion_after_period"], 3);
    assert_eq!(last["numbers"]["first_started_at"], "2026-03-01T10:00:00.000Z");
}

fn a_significant_result_ends_an_experiment(on: On) {
    let shop = Shop::open(on, json!({ "configuration": { "completion_stats_significant_flag": 1 } }));
    let client = &shop.client;
    let at = "2026-03-01T10:00:00Z";
    shop.crowd("v", &[("0", 150, 15), ("1", 150, 90)], at, &bought());
    settle(client, &shop.app);
    assert_eq!(shop.result("")["variants"][1]["analysis"]["verdict"], "keep_running");
    assert_eq!(client.details(shop.test_id)["status"], 1, "no day is over yet");
    // Only the end of the day is needed, without new events.
    shop.app.pass(2 * DAY);
    let last = acted(client, shop.test_id, "significant");
    assert_eq!(last["numbers"]["variants"][0]["verdict"], "win", "{last}");
    assert_eq!(client.details(shop.test_id)["status"], 0);
    assert_eq!(client.details(shop.test_id)["is_completed"], 0);

    // A result that cannot be trusted ends nothing.
    let other = Shop::open(on, json!({}));
    other.app.pass(2 * DAY);
    other.crowd("v", &[("0", 150, 15), ("1", 450, 270)], at, &bought());
    let rule = json!({ "configuration": { "completion_stats_significant_flag": 1 } });
    other.client.patch(&format!("/experiment/{}", other.test_id), rule).ok();
    settle(&other.client, &other.app);
    assert_eq!(other.result("")["variants"][1]["analysis"]["verdict"], "do_not_trust");
    assert_eq!(other.client.details(other.test_id)["status"], 1);
}

fn rules_leave_alone_what_is_concluded_served_or_deleted(on: On) {
    let app = on.start();
    let client = app.project("Acme", "Shop");
    let dates = || json!({ "status": 1, "configuration": { "end_test_date": NOON, "completion_after_period": 1 } });
    let [concluded, served, deleted] = [(); 3].map(|()| client.experiment(dates()));
    client.post(&format!("/experiment/{served}/serve-winner"), json!({ "variant_id": "1" })).ok();
    app.conclude(concluded);
    client.delete(&format!("/experiment/{deleted}")).ok();
    app.pass(2 * DAY);
    settle(&client, &app);
    let details = client.details(served);
    assert_eq!((&details["status"], &details["schedule"]["last"]), (&json!(1), &Value::Null));
    assert_eq!(client.details(concluded)["schedule"]["last"], Value::Null);
    assert!(app.history(deleted).iter().all(|entry| entry.actor != "clock"));
    // The end date applies again when the winner is no longer served; it is overdue then.
    client.post(&format!("/experiment/{served}/stop-serving"), json!({})).ok();
    acted(&client, served, "end_date");
}

fn jobs_are_told_to_operators(on: On) {
    let app = on.start_with(|settings| settings.metrics_listen = Some(([127, 0, 0, 1], 0).into()));
    let (_client, test_id) = scheduled(&app, json!({ "start_test_date": ELEVEN }));
    let ask = |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:4171\r\nConnection: close\r\n\r\n");
        raw::unchecked(app.metrics_address.expect("a listener"), request.as_bytes()).has_status(200).text()
    };
    let status: Value = serde_json::from_str(&ask("/status")).expect("JSON");
    let job = json!({ "test_id": test_id, "act": "start", "rule": "start_date", "due_at": ELEVEN, "attempts": 0,
        "retry_at": null, "reason": null });
    assert_eq!(status["jobs"], json!([job]));
    app.pass(HOUR);
    let done = r#"muriel_jobs_total{rule="start_date",outcome="done"} 1"#;
    eventually("the job is counted", DEADLINE, || ask("/metrics").lines().any(|line| line == done));
    let status: Value = serde_json::from_str(&ask("/status")).expect("JSON");
    assert_eq!(status["jobs"], json!([]));
}

fn a_bandit_moves_its_weights(on: On) {
    let mut shop = Shop::open(on, json!({ "configuration": { "is_mab": 1 } }));
    let path = format!("/experiment/{}", shop.test_id);
    let distribution = |shop: &Shop| shop.client.get(&format!("{path}/distribution")).ok();
    shop.crowd("first", &[("0", 200, 6), ("1", 200, 122)], "2026-03-01T10:10:00Z", &bought());
    let before = distribution(&shop);
    let bandit = &before["bandit"];
    assert_eq!(
        (&bandit["period_s"], &bandit["last_moved_at"], &bandit["floor"]),
        (&json!(3_600), &Value::Null, &json!(5.0))
    );
    assert_eq!((&bandit["arms"][0]["weight"], &bandit["arms"][1]["weight"]), (&json!(50.0), &json!(50.0)));
    assert!(bandit["arms"][1]["probability_best"].as_f64().expect("a number") > 99.0, "{bandit}");
    // So far the split was even, at a cost of about 116 conversions.
    assert_eq!(
        (&bandit["regret"], &bandit["regret_interval"]),
        (&bandit["even_split"]["regret"], &bandit["even_split"]["regret_interval"])
    );
    let regret = bandit["regret"].as_f64().expect("a number");
    assert!((100.0..130.0).contains(&regret), "{bandit}");
    let series = shop.client.get(&format!("{path}/timeseries")).ok();
    assert_eq!(
        series["bandit"],
        json!([{
            "date": "2026-03-01",
            "regret": bandit["regret"], "regret_interval": bandit["regret_interval"], "even_split": bandit["even_split"],
        }])
    );
    let details = shop.client.details(shop.test_id);
    assert_eq!(details["schedule"]["next"], json!({ "at": ELEVEN, "act": "reweight", "rule": "bandit" }));

    shop.app.pass(HOUR);
    let last = acted(&shop.client, shop.test_id, "bandit");
    assert_eq!((&last["act"], last.get("failed")), (&json!("reweight"), None));
    let detail = last["detail"].as_str().expect("a sentence");
    assert!(
        detail.starts_with("weights moved from 50 / 50 to 5 / 95 percent, the control first: Variant 1 is"),
        "{detail}"
    );
    assert_eq!(last["numbers"]["variants"][1]["weight"], 95.0);
    let moved = distribution(&shop);
    assert_eq!(moved["bandit"]["last_moved_at"], last["at"]);
    let weights = |answer: &Value| -> Vec<f64> {
        let arms = answer["variants"].as_array().expect("arms").iter();
        arms.map(|arm| arm["traffic_weight"].as_f64().expect("a weight")).collect()
    };
    assert_eq!((weights(&moved), &moved["distribution_mode"]), (vec![5.0, 95.0], &json!("mab")));
    let details = shop.client.details(shop.test_id);
    assert_eq!(details["schedule"]["next"]["at"], NOON);
    assert_eq!(
        (details["epochs"].as_array().map(Vec::len), &details["epochs"][1]["reasons"]),
        (Some(2), &json!(["distribution"]))
    );
    let history = shop.app.history(shop.test_id);
    assert_eq!((history[0].actor.as_str(), history[0].action.as_str()), ("clock", "reweight"));
    let kept = history[0].detail.as_ref().expect("a detail");
    assert_eq!((&kept["rule"], &kept["manifest"]["experiment"]["test_id"]), (&json!("bandit"), &json!(shop.test_id)));

    // Too few visitors have entered since: the weights stay for the next hours, even after a restart.
    shop.crowd("second", &[("0", 2, 0), ("1", 30, 18)], "2026-03-01T11:10:00Z", &bought());
    for hour in 0..3 {
        shop.app.pass(HOUR);
        if hour == 1 {
            shop.app.start_again();
            shop.client = shop.client.at(shop.app.address);
            shop.collector = Collector::of(&shop.client);
        }
        settle(&shop.client, &shop.app);
    }
    assert_eq!(
        (weights(&distribution(&shop)), shop.client.details(shop.test_id)["schedule"]["last"].clone()),
        (vec![5.0, 95.0], last)
    );
    // Many visitors that would reverse the result, but with a broken split: their numbers move nothing.
    shop.crowd("third", &[("0", 100, 98), ("1", 100, 5)], "2026-03-01T13:10:00Z", &bought());
    shop.app.pass(HOUR);
    settle(&shop.client, &shop.app);
    let held = distribution(&shop);
    assert_eq!(weights(&held), vec![5.0, 95.0]);
    let reason = held["bandit"]["reason"].as_str().expect("a sentence");
    assert!(reason.starts_with("Weights do not move while the numbers cannot be trusted. "), "{reason}");
    // With the missing visitors the split is correct again.
    shop.crowd("fourth", &[("0", 100, 97), ("1", 3_700, 190)], "2026-03-01T13:20:00Z", &bought());
    shop.app.pass(HOUR);
    eventually("weights move back", DEADLINE, || weights(&distribution(&shop))[0] > 50.0);

    // Turning the bandit off keeps the weights and its last figures.
    let kept = weights(&distribution(&shop));
    shop.client.merge(&path, json!({ "configuration": { "is_mab": 0 } })).ok();
    let off = distribution(&shop);
    assert_eq!((weights(&off), &off["distribution_mode"], &off["is_mab"]), (kept, &json!("custom"), &json!(0)));
    assert!(off["bandit"]["regret"].is_number(), "{off}");
    assert_eq!(shop.client.details(shop.test_id)["schedule"]["next"], Value::Null);
    shop.crowd("fifth", &[("0", 300, 10), ("1", 300, 290)], "2026-03-01T14:10:00Z", &bought());
    shop.app.pass(HOUR);
    settle(&shop.client, &shop.app);
    assert_eq!(weights(&distribution(&shop)), weights(&off));
}

fn a_bandit_waits_until_it_knows_enough(on: On) {
    let shop = Shop::open(on, json!({ "configuration": { "is_mab": 1 } }));
    let distribution =
        |test_id: i64| shop.client.get(&format!("/experiment/{test_id}/distribution")).ok()["bandit"].clone();
    // Nine conversions.
    shop.crowd("few", &[("0", 200, 0), ("1", 200, 9)], "2026-03-01T10:10:00Z", &bought());
    shop.app.pass(HOUR);
    settle(&shop.client, &shop.app);
    let bandit = distribution(shop.test_id);
    assert_eq!((&bandit["regret"], &bandit["arms"][0]["probability_best"]), (&Value::Null, &Value::Null));
    assert!(bandit["reason"].as_str().expect("a sentence").contains("10 conversions"), "{bandit}");
    assert_eq!(shop.client.details(shop.test_id)["schedule"]["last"], Value::Null);
    // A draft, an experiment without a goal, and one with fixed arms.
    let configuration = json!({ "is_mab": 1 });
    let draft = shop.client.experiment(json!({ "configuration": configuration, "primary_goal_key": "bought" }));
    assert_eq!(distribution(draft)["last_moved_at"], Value::Null);
    let body = |more: Value| {
        let mut body = json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }],
            "status": 1, "configuration": { "is_mab": 1 } });
        body.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        shop.client.post("/create-experiment", body).created()
    };
    for (more, warning, reason) in [
        (json!({}), "configuration.is_mab: this needs a primary goal", "and the experiment has none"),
        (
            json!({ "primary_goal_key": "bought", "test_type": "personalization" }),
            "configuration.is_mab: each variant of",
            "each variant of a personalization",
        ),
    ] {
        let made = body(more);
        assert!(made["warnings"].to_string().contains(warning), "{made}");
        let bandit = distribution(made["test_id"].as_i64().expect("an id"));
        assert!(bandit["reason"].as_str().expect("a sentence").contains(reason), "{bandit}");
    }
}

/// Opens a shop whose Variant 1 has won after its first day and is served by the clock.
fn piloted(on: On) -> Shop {
    let shop = Shop::open(on, json!({ "configuration": { "is_autopilot": 1 } }));
    shop.crowd("first", &[("0", 600, 60), ("1", 600, 150)], "2026-03-01T10:10:00Z", &bought());
    // A variant cannot win within the first day.
    shop.app.pass(HOUR);
    settle(&shop.client, &shop.app);
    assert_eq!(shop.client.details(shop.test_id)["schedule"]["last"], Value::Null);
    shop.app.pass(DAY);
    let last = acted(&shop.client, shop.test_id, "autopilot");
    assert_eq!((&last["act"], &last["numbers"]["traffic_allocation"]), (&json!("ramp"), &json!(10)));
    let detail = last["detail"].as_str().expect("a sentence");
    assert!(detail.starts_with("Variant 1 is better than the control, at any time you look. "), "{detail}");
    assert!(detail.ends_with("It is served to 10 percent of the visitors."), "{detail}");
    shop
}

fn served(shop: &Shop) -> (Value, Value, Value) {
    let details = shop.client.details(shop.test_id);
    let field = |name: &str| details[name].clone();
    (field("serving_variant_id"), field("serving_traffic_allocation"), field("is_deploy"))
}

fn autopilot_serves_a_winner_step_by_step(on: On) {
    let mut shop = piloted(on);
    assert_eq!(served(&shop), (json!("1"), json!(10), json!(1)));
    let history = shop.app.history(shop.test_id);
    assert_eq!((history[0].actor.as_str(), history[0].action.as_str()), ("clock", "serve winner"));
    assert_eq!(history[0].detail.as_ref().expect("a detail")["manifest"]["experiment"]["test_id"], shop.test_id);
    let details = shop.client.details(shop.test_id);
    assert_eq!(details["status"], 1, "serving leaves the status alone");
    let next = &details["schedule"]["next"];
    assert_eq!((&next["act"], &next["rule"]), (&json!("ramp"), &json!("autopilot")));
    // After downtime, the server continues where it stopped.
    shop.app.pass(DAY / 2);
    shop.app.start_again();
    shop.client = shop.client.at(shop.app.address);
    settle(&shop.client, &shop.app);
    assert_eq!(served(&shop).1, 10);
    for rollout in [50, 100] {
        shop.app.pass(DAY);
        eventually(&format!("{rollout} percent"), DEADLINE, || served(&shop).1 == rollout);
        assert_eq!(shop.client.details(shop.test_id)["schedule"]["last"]["numbers"]["traffic_allocation"], rollout);
    }
    assert_eq!(shop.client.details(shop.test_id)["schedule"]["next"], Value::Null);
    let acts: Vec<String> =
        shop.app.history(shop.test_id).iter().filter(|it| it.actor == "clock").map(|it| it.action.clone()).collect();
    assert_eq!(acts, ["serving rollout", "serving rollout", "serve winner"]);
}

fn autopilot_stops_what_turns_out_worse(on: On) {
    let mut shop = piloted(on);
    shop.collector = Collector::of(&shop.client);
    // Late visitors who had entered before, and for whom the control is far better.
    shop.crowd("late", &[("0", 900, 880), ("1", 900, 9)], "2026-03-02T10:10:00Z", &bought());
    shop.app.pass(HOUR);
    let last = acted(&shop.client, shop.test_id, "guardrail");
    assert_eq!((&last["act"], &last["numbers"]["variant_id"]), (&json!("stop"), &json!("1")));
    assert_eq!(last["detail"], "Variant 1 is no longer served: it is worse than the control on the primary goal");
    assert_eq!((served(&shop).0, served(&shop).2), (Value::Null, json!(0)));
    let history = shop.app.history(shop.test_id);
    assert_eq!((history[0].actor.as_str(), history[0].action.as_str()), ("clock", "stop serving"));
    // It is not retried until somebody sets it anew.
    shop.crowd("later", &[("0", 3_000, 30), ("1", 3_000, 2_900)], "2026-03-02T10:20:00Z", &bought());
    shop.app.pass(DAY);
    settle(&shop.client, &shop.app);
    assert_eq!(served(&shop).0, Value::Null);
    let path = format!("/experiment/{}", shop.test_id);
    shop.client.merge(&path, json!({ "configuration": { "is_autopilot": 0 } })).ok();
    shop.client.merge(&path, json!({ "configuration": { "is_autopilot": 1 } })).ok();
    eventually("a winner is served", DEADLINE, || served(&shop).1 == 10);
}

fn autopilot_leaves_the_winner_to_people(on: On) {
    let shop = piloted(on);
    let path = format!("/experiment/{}", shop.test_id);
    shop.client.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 30 })).ok();
    assert_eq!(shop.client.details(shop.test_id)["schedule"]["next"], Value::Null);
    shop.app.pass(DAY * 2);
    settle(&shop.client, &shop.app);
    assert_eq!(served(&shop).1, 30);
    shop.client.post(&format!("{path}/stop-serving"), json!({})).ok();
    shop.app.pass(DAY);
    settle(&shop.client, &shop.app);
    assert_eq!(served(&shop).0, Value::Null);
}

/// The rule that must end an experiment of [`thirty_days_of_experiments`], and the time at which it is met.
struct Planned {
    test_id: i64,
    starts_at: Instant,
    rule: &'static str,
    /// The known moment; `None` where it follows from the visitors.
    ends_at: Option<Instant>,
}

/// Visitors who enter each arm of each live experiment a day, at noon.
const DAILY: i64 = 10;
/// Number of visitors per converting visitor.
const CONVERTING: i64 = 5;
/// Returns the numbers of the experiments, out of fifty, and the clock's runs per day. Most of the time
/// is spent on the reports of each run, so only the full form has all experiments. The others are those
/// that end first and last by each rule, and the two changes to daylight saving time.
fn numbers_and_runs_a_day() -> (Vec<i64>, i64) {
    if is_full() {
        return ((0..50).collect(), 8);
    }
    ([0, 1, 2, 3, 6, 9].into_iter().chain(45..50).collect(), 2)
}

/// A month with the change to daylight saving time in America and Europe. Every experiment starts at
/// its date and ends by its rule, each at the first check after the moment.
fn thirty_days_of_experiments(on: On) {
    let app = on.start_with(|settings| settings.worker = false);
    let client = app.project("Acme", "Shop");
    client.goal("bought");
    let collector = Collector::of(&client);
    let worker = app.clock_worker();
    let begin = app.settings.clock.now();
    let hours = |hours: i64| begin.plus_us(hours * 3_600_000_000);
    let (numbers, runs_a_day) = numbers_and_runs_a_day();
    let planned: Vec<Planned> = numbers
        .iter()
        .map(|&number| {
            let (group, start) = (number / 5, number * 5 % 120);
            // The hour after the change to daylight saving time in Berlin (29 March) and New York (8
            // March), in local time.
            let (start, text) = match number {
                2 => (27 * 24 + 15, "2026-03-29T03:00:00+02:00".to_owned()),
                6 => (6 * 24 + 21, "2026-03-08T03:00:00-04:00".to_owned()),
                _ => (start, hours(start).to_string()),
            };
            let mut configuration = json!({ "start_test_date": text });
            let (rule, ends_at) = match number % 5 {
                4 if group % 2 > 0 => {
                    configuration["completion_stats_significant_flag"] = 1.into();
                    ("significant", None)
                }
                0 | 4 => {
                    let ends_at = hours(start + 24 * (3 + group) + 1);
                    configuration["end_test_date"] = ends_at.to_string().into();
                    ("end_date", Some(ends_at))
                }
                1 => {
                    let days = 2 + group;
                    configuration["completion_after_period"] = days.into();
                    ("period", Some(hours(start + 24 * days)))
                }
                2 => {
                    configuration["completion_visitor"] = (2 * DAILY * (2 + group)).into();
                    ("visitors", None)
                }
                _ => {
                    configuration["completion_conversion"] = (2 * DAILY / CONVERTING * (2 + group)).into();
                    ("conversions", None)
                }
            };
            let body = json!({ "test_name": format!("Test {number}"), "primary_goal_key": "bought", "configuration": configuration });
            Planned { test_id: client.experiment(body), starts_at: hours(start), rule, ends_at }
        })
        .collect();

    let mut live_noons = vec![0; planned.len()];
    let pause = 24 * HOUR / u32::try_from(runs_a_day).expect("a few");
    for step in 0..=30 * runs_a_day {
        if step > 0 {
            app.pass(pause);
        }
        app.pass(Duration::from_millis(600));
        app.run_clock(&worker);
        let now = app.settings.clock.now();
        if step % runs_a_day == 1 {
            let status = |planned: &Planned| client.details(planned.test_id)["status"] == 1;
            let live: Vec<(usize, &Planned)> = planned.iter().enumerate().filter(|(_, it)| status(it)).collect();
            let mut lines = String::new();
            for (at, planned) in &live {
                live_noons[*at] += 1;
                lines += &visits(planned, step, now);
            }
            if !live.is_empty() {
                collector
                    .trusted
                    .call("POST", "/batch")
                    .header("content-type", "application/x-ndjson")
                    .body(lines)
                    .send()
                    .has_status(200);
                // Reading the result loads the events, so that the clock sees them at its next check.
                client.get(&format!("/experiment/{}/result", live[0].1.test_id)).ok();
            }
        }
    }

    let step_us = i64::try_from(pause.as_micros()).expect("a short time") + 600_000;
    for ((number, planned), live_noons) in numbers.iter().zip(&planned).zip(live_noons) {
        let acts = app.history(planned.test_id);
        let actions: Vec<_> = acts.iter().rev().map(|act| (act.actor.as_str(), act.action.as_str())).collect();
        assert_eq!(actions[1..], [("clock", "start"), ("clock", "stop")], "{number} {}", planned.rule);
        let (started, ended) = (&acts[1], &acts[0]);
        assert_eq!(ended.detail.as_ref().expect("a detail")["rule"], planned.rule);
        // The first check at or after a moment.
        let is_first_look = |at: Instant, due: Instant| at >= due && at < due.plus_us(step_us);
        assert!(is_first_look(started.at, planned.starts_at), "{number} {} {}", started.at, planned.starts_at);
        match planned.ends_at {
            Some(ends_at) => {
                let ends_at = if planned.rule == "period" {
                    ends_at.plus_us(started.at.us() - planned.starts_at.us())
                } else {
                    ends_at
                };
                assert!(is_first_look(ended.at, ends_at), "{number} {} {} {ends_at}", planned.rule, ended.at);
            }
            None if planned.rule == "significant" => {
                let verdict = &ended.detail.as_ref().expect("a detail")["numbers"]["variants"][0]["verdict"];
                assert_eq!(verdict, "win", "{number}");
            }
            None => {
                let noons = 2 + number / 5;
                assert_eq!(live_noons, noons, "{number} {}", planned.rule);
            }
        }
    }
}

/// Builds a day's visitors of an experiment, as lines of a batch. With the rule about significance the
/// variant is much better.
fn visits(planned: &Planned, step: i64, now: Instant) -> String {
    let (at, later) = (now.plus_us(-2_000_000), now.plus_us(-1_000_000));
    let mut lines = String::new();
    for arm in 0..2 {
        for number in 0..DAILY {
            let converts = match (planned.rule, arm) {
                ("significant", 0) => number == 0,
                ("significant", _) => number > 0,
                _ => number % CONVERTING == 0,
            };
            let mut events = vec![
                json!({ "id": id(), "type": "exposure", "test_id": planned.test_id, "variant_id": arm.to_string(), "at": at }),
            ];
            if converts {
                events.push(json!({ "id": id(), "type": "custom", "name": "bought", "at": later }));
            }
            let visitor = format!("{}-{step}-{arm}-{number}", planned.test_id);
            lines += &json!({ "visitor": { "id": visitor }, "events": events }).to_string();
            lines.push('\n');
        }
    }
    lines
}
