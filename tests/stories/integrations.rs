//! Integrations: their delivery, their last success, and webhook messages about exposures and conversions.

use crate::results::{Shop, bought};
use crate::scene::{Collector, Outcomes, id};
use crate::webhooks::{Message, Receiver, deliveries, made};
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

stories! {
    always: [
        what_is_named_is_delivered_while_it_is_live,
        exposures_are_told_each_once,
        exposures_go_to_the_webhook_that_is_named,
        conversions_are_told_each_once,
        the_last_success_is_shown,
    ],
    postgres_at_night: [
        what_is_not_known_is_kept_and_warned_of,
    ],
}

/// A request without a browser's user agent counts as a bot, whose exposures and successes are not reported.
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const MINUTE: Duration = Duration::from_secs(60);

fn named(entries: Value) -> Value {
    json!({ "test_name": "Boots", "status": 1, "configuration": { "integration": entries } })
}

/// Returns the project's script and ruleset, as visitors get them.
fn delivered(shop: &Client) -> (String, Value) {
    let anyone = shop.anyone_here();
    let script = anyone.get(&format!("/js/{}.js", shop.project_key)).has_status(200).text();
    let ruleset = anyone.get(&format!("/ruleset/{}", shop.project_key)).has_status(200).text();
    (script, serde_json::from_str(&ruleset).expect("JSON"))
}

fn what_is_named_is_delivered_while_it_is_live(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    Collector::of(&shop);
    let plain = shop.experiment(json!({ "test_name": "Secret", "status": 1 }));
    let (script, ruleset) = delivered(&shop);
    assert!(!script.contains("experience_impression") && !script.contains("Secret"), "nothing asks for it");
    assert_eq!((ruleset["experiments"][0].get("name"), ruleset["experiments"][0].get("tools")), (None, None));
    let entries = json!([
        "ga4",
        { "name": "segment", "settings": { "global": "tracker", "write_key": "nowhere" }, "note": "nowhere" },
        "toaster",
        "webhook",
    ]);
    let test_id = shop.experiment(named(entries.clone()));
    let (script, ruleset) = delivered(&shop);
    let experiment = ruleset["experiments"].as_array().expect("a list").last().expect("it").clone();
    assert_eq!(experiment["name"], "Boots");
    assert_eq!(
        experiment["tools"],
        json!([{ "name": "ga4" }, { "name": "segment", "settings": { "global": "tracker" } }])
    );
    assert!(script.contains("experience_impression") && script.contains("\"Boots\""));
    assert!(!script.contains("nowhere") && !script.contains("Secret"));
    // The stored value equals the sent one.
    assert_eq!(shop.details(test_id)["configuration"]["integration"], entries);
    shop.set_status(test_id, 0).ok();
    let (script, ruleset) = delivered(&shop);
    assert!(!script.contains("experience_impression"), "of what is not live nothing is told");
    assert_eq!(ruleset["experiments"].as_array().map(Vec::len), Some(1));
    assert_eq!(ruleset["experiments"][0]["test_id"], plain);
    // Only the server sends to webhooks.
    shop.experiment(named(json!(["webhook"])));
    assert!(!delivered(&shop).0.contains("experience_impression"));
}

fn what_is_not_known_is_kept_and_warned_of(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let test_id = shop.experiment(json!({}));
    let path = format!("/experiment/{test_id}");
    for (entries, fields) in [
        (json!(["ga4", { "name": "gtm", "settings": { "event": "seen" } }, "webhook"]), &[] as &[&str]),
        (json!(["GA4"]), &["configuration.integration[0]"]),
        (json!(["ga4", { "kind": "x" }]), &["configuration.integration[1]"]),
        (json!([{ "name": "hotjar", "settings": { "id": 1 } }]), &["configuration.integration[0].settings.id"]),
    ] {
        let changed = shop.merge(&path, json!({ "configuration": { "integration": entries } })).has_status(200);
        let warnings: Vec<String> =
            serde_json::from_str(changed.header("x-muriel-warnings").unwrap_or("[]")).expect("sentences");
        let about: Vec<&str> = warnings.iter().map(|text| text.split_once(": ").expect("a field").0).collect();
        assert_eq!(about, fields, "{warnings:?}");
        assert_eq!(shop.details(test_id)["configuration"]["integration"], entries);
    }
}

/// Returns the last success of each integration of an experiment, by name.
fn successes(shop: &Client, test_id: i64) -> BTreeMap<String, Option<String>> {
    let details = shop.details(test_id);
    let states = details["integrations"].as_array().expect("a list");
    states
        .iter()
        .map(|it| (it["name"].as_str().expect("a name").to_owned(), it["last_success_at"].as_str().map(str::to_owned)))
        .collect()
}

fn health(test_id: i64, integrations: &str) -> Value {
    json!({ "id": id(), "type": "health", "test_id": test_id, "variant_id": "1", "integrations": integrations })
}

fn the_last_success_is_shown(on: On) {
    let mut app = on.start();
    let mut shop = app.project("Acme", "Shop");
    let collector = Collector::of(&shop);
    let test_id = shop.experiment(named(json!(["ga4", { "name": "segment" }, "toaster", "webhook"])));
    let other = app.project("Acme", "Other");
    let elsewhere = other.experiment(named(json!(["ga4"])));
    let none: BTreeMap<String, Option<String>> =
        ["ga4", "segment", "webhook"].map(|name| (name.to_owned(), None)).into_iter().collect();
    assert_eq!(successes(&shop, test_id), none);
    let etag = shop.get(&format!("/experiment/{test_id}")).has_status(200).etag();
    for wrong in ["", "toaster", "webhook", "ga4,segment", "ga4  segment", "GA4"] {
        assert_eq!(take(&collector, &[health(test_id, wrong)]).statuses(), ["invalid"], "{wrong:?}");
    }
    assert_eq!(take(&collector, &[health(elsewhere, "ga4")]).statuses(), ["invalid"], "of another project");
    // A tool that the experiment does not name is stored, but not shown.
    assert_eq!(take(&collector, &[health(test_id, "ga4 hotjar")]).statuses(), ["ok"]);
    let is_at = |shop: &Client, name: &str, at: &str| {
        eventually(&format!("{name} at {at}"), DEADLINE, || successes(shop, test_id)[name].as_deref() == Some(at));
    };
    is_at(&shop, "ga4", "2026-03-01T10:00:00.000Z");
    assert_eq!(successes(&shop, test_id)["segment"], None);
    // It changes without the experiment: a request with the old ETag gets the whole response.
    shop.call("GET", &format!("/experiment/{test_id}")).header("if-none-match", &etag).send().has_status(200);
    app.pass(MINUTE);
    let repeated = health(test_id, "ga4 segment");
    take(&collector, std::slice::from_ref(&repeated));
    is_at(&shop, "segment", "2026-03-01T10:01:00.000Z");
    is_at(&shop, "ga4", "2026-03-01T10:01:00.000Z");
    // A duplicate changes nothing.
    app.pass(MINUTE);
    assert_eq!(take(&collector, &[repeated]).statuses(), ["duplicate"]);
    app.start_again();
    shop = shop.at(app.address);
    assert_eq!(successes(&shop, test_id)["ga4"].as_deref(), Some("2026-03-01T10:01:00.000Z"));
    assert_eq!(successes(&other.at(app.address), elsewhere)["ga4"], None);
    // The field cannot be set. The details that were read can be sent back.
    let refused = shop.patch(&format!("/experiment/{test_id}"), json!({ "integrations": [] }));
    refused.invalid(&["integrations"]);
}

/// Sends these events of a visitor with a browser's user agent.
#[track_caller]
fn take(collector: &Collector, events: &[Value]) -> Outcomes {
    let body = json!({ "visitor": { "id": "v" }, "events": events });
    Outcomes { answer: collector.call().header("user-agent", FIREFOX).json(body).send() }
}

fn exposure(test_id: i64, arm: &str) -> Value {
    json!({ "id": id(), "type": "exposure", "test_id": test_id, "variant_id": arm })
}

/// Returns the exposures of all messages so far, by arm.
fn exposures_by_arm(receiver: &Receiver) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for message in receiver.messages().iter().filter(|message| message.event() == "experiment.exposures") {
        for variant in message.json()["data"]["variants"].as_array().expect("a list") {
            let arm = variant["variant_id"].as_str().expect("an id").to_owned();
            *sums.entry(arm).or_default() += variant["exposures"].as_u64().expect("a number");
        }
    }
    sums
}

#[track_caller]
fn sums(receiver: &Receiver, expect: &[(&str, u64)]) {
    let expect: BTreeMap<String, u64> = expect.iter().map(|(arm, count)| ((*arm).to_owned(), *count)).collect();
    eventually(&format!("{expect:?}, there is {:?}", exposures_by_arm(receiver)), DEADLINE, || {
        exposures_by_arm(receiver) == expect
    });
}

/// The first two tasks write the webhooks' events, and the last one sends them.
const TASKS: [&str; 3] = ["tell_exposures", "tell_conversions", "deliver_webhooks"];

/// Advances the clock by a minute, and runs the reporting tasks.
fn minute(app: &TestApp) {
    app.pass(MINUTE);
    TASKS.iter().for_each(|task| app.run_task(task));
}

/// Advances the clock a minute, after which the webhook has this many messages. Those recorded are compared first: they
/// tell a report that was not made from a delivery that failed.
#[track_caller]
fn told(app: &TestApp, shop: &Client, webhook: i64, receiver: &Receiver, count: usize) -> Vec<Message> {
    minute(app);
    let recorded = deliveries(shop, webhook);
    assert_eq!(recorded.len(), count, "{recorded:?}");
    receiver.wait(count)
}

fn exposures_are_told_each_once(on: On) {
    let mut app = on.start();
    let shop = app.project("Acme", "Shop");
    let collector = Collector::of(&shop);
    let receiver = Receiver::answering(&[204]);
    let (webhook, _) = made(&shop, &receiver.url(), &["winner.served"]);
    let test_id = shop.experiment(named(json!([{ "name": "webhook" }])));
    let silent = shop.experiment(named(json!(["ga4"])));
    let robot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    let bot = json!({ "visitor": { "id": "bot" }, "events": [exposure(test_id, "1")] });
    collector.call().header("user-agent", robot).json(bot).send().ok();
    let repeated = exposure(test_id, "0");
    take(&collector, &[exposure(test_id, "1"), repeated.clone(), exposure(silent, "1"), exposure(test_id, "1")]);
    take(&collector, &[repeated, json!({ "id": id(), "type": "custom", "name": "exposure" })]);
    app.pass(MINUTE);
    let message = receiver.wait(1)[0].json();
    assert_eq!(message["type"], "experiment.exposures");
    let data = &message["data"];
    assert_eq!((&data["test_id"], &data["project_key"]), (&json!(test_id), &json!(shop.project_key)));
    assert_eq!((&data["test_name"], &data["sentence"]), (&json!("Boots"), &json!("3 exposures were recorded")));
    let variant = |id: &str, name: &str, count: u64| json!({ "variant_id": id, "name": name, "exposures": count });
    assert_eq!(data["variants"], json!([variant("0", "Control", 1), variant("1", "Variant 1", 2)]));
    assert_eq!((&data["from"], &data["to"]), (&json!("2026-03-01T10:00:00.000Z"), &json!("2026-03-01T10:00:00.000Z")));
    assert_eq!(successes(&shop, test_id)["webhook"].as_deref(), Some("2026-03-01T10:01:00.000Z"));
    // Minutes without exposures are not reported, and a restart repeats nothing.
    minute(&app);
    app.start_again();
    let (shop, collector) = (shop.at(app.address), Collector::of(&shop.at(app.address)));
    minute(&app);
    assert_eq!(receiver.messages().len(), 1);
    // Exposures just before a stop are reported after it.
    take(&collector, &[exposure(test_id, "0")]);
    app.start_again();
    let (shop, collector) = (shop.at(app.address), Collector::of(&shop.at(app.address)));
    sums(&receiver, &[("0", 2), ("1", 2)]);
    // A disabled webhook gets nothing for the time in which it is disabled. Another one shows when that
    // time has been reported.
    let other = Receiver::answering(&[204]);
    made(&shop, &other.url(), &["winner.served"]);
    shop.patch(&format!("/webhook/{webhook}"), json!({ "enabled": false })).ok();
    take(&collector, &[exposure(test_id, "1")]);
    app.pass(MINUTE);
    sums(&other, &[("0", 0), ("1", 1)]);
    shop.patch(&format!("/webhook/{webhook}"), json!({ "enabled": true })).ok();
    take(&collector, &[exposure(test_id, "0")]);
    app.pass(MINUTE);
    sums(&receiver, &[("0", 3), ("1", 2)]);
    if matches!(on, On::Postgres) {
        // Each node reports its own log.
        let beside = app.start_beside();
        // Exposures before its first check are not reported.
        eventually("its first look", DEADLINE, || app.count("SELECT count(*) FROM exposures_told") == 2);
        let there = shop.at(beside.address);
        let second = Collector::of(&there);
        take(&second, &[exposure(test_id, "1"), exposure(test_id, "1")]);
        take(&collector, &[exposure(test_id, "0")]);
        let both = || {
            minute(&app);
            TASKS.iter().for_each(|task| beside.run_task(task));
        };
        both();
        sums(&receiver, &[("0", 4), ("1", 4)]);
        both();
        sums(&receiver, &[("0", 4), ("1", 4)]);
    }
}

fn exposures_go_to_the_webhook_that_is_named(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let collector = Collector::of(&shop);
    let (one, two) = (Receiver::answering(&[204]), Receiver::answering(&[204]));
    made(&shop, &one.url(), &["winner.served"]);
    let (webhook, _) = made(&shop, &two.url(), &["winner.served"]);
    let of = |settings: Value| named(json!([{ "name": "webhook", "settings": settings }]));
    let test_id = shop.experiment(of(json!({ "webhook_id": webhook })));
    let nobody = shop.experiment(of(json!({ "webhook_id": 9_999 })));
    take(&collector, &[exposure(test_id, "1"), exposure(nobody, "1")]);
    minute(&app);
    two.wait(1);
    assert_eq!((one.messages().len(), two.messages().len()), (0, 1));
    assert_eq!(deliveries(&shop, webhook)[0]["event"], "experiment.exposures");
}

fn conversions_are_told_each_once(on: On) {
    let mut scene = Shop::open(on, json!({}));
    let receiver = Receiver::answering(&[204]);
    let shop = scene.client.clone();
    // Two hours later, so that visitors who convert after an hour have converted.
    scene.app.pass(Duration::from_secs(7_200));
    scene.crowd("early", &[("0", 5, 2), ("1", 5, 3)], "2026-03-01T10:01:00Z", &bought());
    let uninterested = Receiver::answering(&[204]);
    made(&shop, &uninterested.url(), &["verdict.reached"]);
    let (webhook, _) = made(&shop, &receiver.url(), &["conversion"]);
    let first = told(&scene.app, &shop, webhook, &receiver, 1)[0].json();
    let variant = |id: &str, new: u64, total: u64| json!({ "variant_id": id, "conversions": new, "total": total });
    let goals = |control: Value, treatment: Value| json!([{ "goal_key": "bought", "variants": [control, treatment] }]);
    assert_eq!((&first["type"], &first["data"]["test_id"]), (&json!("conversion"), &json!(scene.test_id)));
    assert_eq!(first["data"]["goals"], goals(variant("0", 2, 2), variant("1", 3, 3)));
    assert_eq!(first["data"]["sentence"], "there were 5 conversions since the last message");
    // Repeated conversions of known visitors are not reported, and a restart repeats nothing.
    scene.crowd("early", &[("1", 1, 1)], "2026-03-01T10:02:00Z", &bought());
    minute(&scene.app);
    scene.app.start_again();
    let shop = shop.at(scene.app.address);
    (scene.client, scene.collector) = (shop.clone(), Collector::of(&shop));
    minute(&scene.app);
    assert_eq!(receiver.messages().len(), 1);
    scene.crowd("late", &[("1", 4, 1)], "2026-03-01T10:03:00Z", &bought());
    let second = told(&scene.app, &shop, webhook, &receiver, 2)[1].json();
    assert_eq!(second["data"]["goals"], goals(variant("0", 0, 2), variant("1", 1, 4)));
    assert_eq!(second["data"]["sentence"], "there was 1 conversion since the last message");
    // Conversions in the last minute of an experiment are reported after its end.
    scene.crowd("last", &[("0", 1, 1)], "2026-03-01T10:04:00Z", &bought());
    shop.set_status(scene.test_id, 0).ok();
    let third = told(&scene.app, &shop, webhook, &receiver, 3)[2].json();
    assert_eq!(third["data"]["goals"], goals(variant("0", 1, 3), variant("1", 0, 4)));
    assert_eq!(third["data"]["status"], "inactive");
    assert!(uninterested.messages().is_empty());
}
