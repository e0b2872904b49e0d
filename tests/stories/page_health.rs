//! Page health: measurements of arms' pages, their comparison, and experiments that end because they harm pages.

use crate::results::Shop;
use crate::scene::{Collector, id};
use crate::webhooks::{Receiver, made};
use muriel_tests::{Client, DEADLINE, On, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        pages_of_arms_are_compared,
        harm_is_stopped_once_by_one_of_two_nodes,
        harm_ends_an_experiment_where_the_project_says_so,
    ],
    postgres_at_night: [
        what_errors_say_is_in_the_result,
        measures_that_no_page_can_have_are_refused,
        harm_ends_nothing_elsewhere,
    ],
}

const AT: &str = "2026-03-01T10:00:00Z";
const MINUTE: Duration = Duration::from_secs(60);

/// Sends visitors of both arms with page measurements: the variant's pages are this much slower, and
/// its code fails for one visitor in `failing`.
fn visit(shop: &Shop, name: &str, each: u32, slower: u32, failing: u32) {
    // None of their events may be in the future.
    shop.app.pass(MINUTE);
    for arm in ["0", "1"] {
        let health = |fields: Value| {
            let mut event = json!({ "type": "health", "test_id": shop.test_id, "variant_id": arm, "at": AT });
            event.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
            event
        };
        let lines = (0..each).map(|number| {
            let is_failing = arm == "1" && failing > 0 && number % failing == 0;
            let lcp = 1_000 + 37 * (number % 41) + if arm == "1" { slower } else { 0 };
            let shown = json!({ "apply_ms": 1.5, "hidden_ms": 20, "late": 0, "errors": u8::from(is_failing) });
            let measured = health(json!({ "lcp_ms": lcp, "cls": 0.01, "inp_ms": 40 + number % 7 }));
            // A visitor counts once, with the first page.
            let next = health(json!({ "at": "2026-03-01T10:00:30Z", "lcp_ms": 60_000 }));
            let mut events = vec![shop.exposure(arm, AT), health(shown), measured, next];
            if arm == "1" {
                events.push(health(json!({ "changes": if number == 0 { "10" } else { "11" } })));
            }
            (format!("{name}-{arm}-{number}"), events)
        });
        send(&shop.client, lines);
    }
}

/// Sends events of many visitors in one request.
#[track_caller]
fn send(client: &Client, visits: impl Iterator<Item = (String, Vec<Value>)>) {
    let lines = visits.map(|(visitor, mut events)| {
        for event in &mut events {
            event["id"] = id().into();
        }
        json!({ "visitor": { "id": visitor }, "events": events }).to_string() + "\n"
    });
    let mut batch = client.clone();
    batch.base = format!("/events/{}/batch", client.project_key);
    let answer =
        batch.call("POST", "").header("content-type", "application/x-ndjson").body(lines.collect::<String>()).send();
    for line in answer.lines() {
        for result in line["results"].as_array().expect("results") {
            assert_eq!(result["status"], "ok", "{line}");
        }
    }
}

fn pages_of_arms_are_compared(on: On) {
    let shop = Shop::open(on, json!({}));
    let empty = shop.result("");
    assert_eq!(empty["health"]["page"]["status"], "unknown");
    assert_eq!(
        (&empty["page_health"][1]["lcp_ms"]["mean"], &empty["page_health"][1]["lcp_ms"]["status"]),
        (&Value::Null, &json!("unknown"))
    );
    shop.app.pass(Duration::from_secs(3_600));
    visit(&shop, "v", 410, 300, 10);
    let result = shop.result("");
    let [control, variant] = [0, 1].map(|arm| &result["page_health"][arm]);
    assert_eq!(
        (&control["visitors"], &control["errors"]["visitors"], &variant["errors"]["visitors"]),
        (&json!(410), &json!(0), &json!(41))
    );
    assert_eq!((&variant["errors"]["percent"], &variant["errors"]["status"]), (&json!(10.0), &json!("harmed")));
    assert_eq!((&control["lcp_ms"]["mean"], &control["lcp_ms"]["status"]), (&json!(1_740.0), &json!("unknown")));
    let lcp = &variant["lcp_ms"];
    assert_eq!(
        (&lcp["visitors"], &lcp["mean"], &lcp["difference"], &lcp["status"]),
        (&json!(410), &json!(2_040.0), &json!(300.0), &json!("harmed"))
    );
    let [lower, upper] = [0, 1].map(|end| lcp["difference_interval"][end].as_f64().expect("an end"));
    assert!(50.0 < lower && lower < 300.0 && 300.0 < upper && upper < 450.0, "{lcp}");
    assert_eq!(
        (&variant["hidden_ms"]["mean"], &variant["layout_shift"]["status"], &variant["late"]["status"]),
        (&json!(20.0), &json!("ok"), &json!("ok"))
    );
    let change = &variant["changes"][1];
    assert_eq!((&change["index"], &change["pages"], &change["matched"]), (&json!(1), &json!(410), &json!(409)));
    assert!((change["matched_percent"].as_f64().expect("a number") - 100.0 * 409.0 / 410.0).abs() < 1e-9);
    let page = &result["health"]["page"];
    assert_eq!((&page["status"], &result["health"]["status"]), (&json!("fail"), &json!("fail")));
    let message = page["message"].as_str().expect("a sentence");
    assert!(
        message.contains("Variant 1 fails for 10.00 % of its visitors, 10.00 points more than the control ("),
        "{message}"
    );
    assert!(message.contains("show their largest content 300 ms later"), "{message}");
    // It does not invalidate a verdict. A segment is compared separately, and there are no phones.
    assert_ne!(result["variants"][1]["analysis"]["verdict"], "do_not_trust");
    assert_eq!(shop.result("?filter_by=mobile")["health"]["page"]["status"], "unknown");
}

fn what_errors_say_is_in_the_result(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.app.pass(MINUTE);
    let failed = |arm: &str, at: &str, message: Option<&str>, url: &str| {
        let mut event = json!({
            "type": "health", "test_id": shop.test_id, "variant_id": arm, "at": at, "errors": 1, "url": url,
        });
        if let Some(message) = message {
            event["error_message"] = json!(message);
        }
        event
    };
    // Seven messages of the variant: eight visitors get the first one, seven the next, and so on.
    let lines = (0..8_usize).map(|visitor| {
        let mut events = vec![shop.exposure("1", AT)];
        for message in 0..7 - visitor.min(6) {
            let page = if visitor == 0 { "/other" } else { "/cart" };
            let url = format!("https://shop.example{page}?user=v-{visitor}#top");
            let at = format!("2026-03-01T10:00:0{visitor}Z");
            events.push(failed("1", &at, Some(&format!("TypeError {message}\u{202e}\nis null")), &url));
        }
        (format!("v-{visitor}"), events)
    });
    send(&shop.client, lines);
    // Visitors with errors only, without an entry, or in another arm than that of the entry.
    let strangers = [
        ("stranger".to_owned(), vec![failed("1", AT, Some("never seen"), "https://shop.example/")]),
        (
            "other".to_owned(),
            vec![shop.exposure("0", AT), failed("1", AT, Some("of another arm"), "https://shop.example/")],
        ),
        ("silent".to_owned(), vec![shop.exposure("0", AT), failed("0", AT, None, "https://shop.example/")]),
    ];
    send(&shop.client, strangers.into_iter());
    let result = shop.result("");
    let [control, variant] = [0, 1].map(|arm| &result["page_health"][arm]);
    assert_eq!((&control["errors"]["visitors"], &control["top_errors"]), (&json!(1), &json!([])));
    let errors = variant["top_errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 5);
    assert_eq!(
        errors[0],
        json!({
            "message": "TypeError 0  is null", "url": "https://shop.example/cart", "browser": null, "visitors": 8,
            "percent": 100.0, "first_seen": "2026-03-01T10:00:00.000Z", "last_seen": "2026-03-01T10:00:07.000Z",
        })
    );
    let visitors: Vec<_> = errors.iter().map(|error| (&error["message"], &error["visitors"])).collect();
    assert_eq!(visitors[4], (&json!("TypeError 4  is null"), &json!(3)));
    // A reader of a shared link sees no messages of the site's code.
    let shared = shop.client.post(&format!("/experiment/{}/shares", shop.test_id), json!({})).has_status(201);
    let token = shared.body["url"].as_str().and_then(|url| url.rsplit('/').next()).expect("a token");
    let seen = shop.app.anyone().get(&format!("/share/{token}/result")).ok();
    assert_eq!(
        (&seen["page_health"][1]["errors"]["visitors"], &seen["page_health"][1]["top_errors"]),
        (&json!(8), &json!([]))
    );
    let mut event = failed("1", AT, Some(&"x".repeat(201)), "https://shop.example/");
    event["id"] = id().into();
    let body = json!({ "visitor": { "id": "v-0" }, "events": [event] });
    let refused = shop.collector.trusted.post("", body).ok()["results"][0]["message"].clone();
    assert!(refused.as_str().is_some_and(|text| text.starts_with("error_message must have 1 to 200")), "{refused}");
}

fn measures_that_no_page_can_have_are_refused(on: On) {
    let shop = Shop::open(on, json!({}));
    for (field, bad) in [
        ("lcp_ms", json!(-1)),
        ("lcp_ms", json!(3_600_001)),
        ("lcp_ms", json!("1800")),
        ("cls", json!(-0.1)),
        ("cls", json!(1e9)),
        ("inp_ms", json!(null)),
        ("inp_ms", json!([1])),
        ("inp_ms", json!(1e300)),
    ] {
        let mut event = json!({ "id": id(), "type": "health", "test_id": shop.test_id, "variant_id": "1" });
        event[field] = bad.clone();
        let body = json!({ "visitor": { "id": "bad" }, "events": [event] });
        let result = shop.collector.trusted.post("", body).ok()["results"][0].clone();
        let message = result["message"].as_str().expect("a sentence");
        assert!(message.starts_with(&format!("{field} must be a number from 0 to ")), "{bad}: {message}");
    }
}

/// Returns the acts of the clock on the experiment, newest first.
fn acts(shop: &Shop) -> Vec<String> {
    let history = shop.app.history(shop.test_id);
    history.iter().filter(|it| it.actor == "clock").map(|it| it.action.clone()).collect()
}

#[track_caller]
fn stopped(shop: &Shop) -> Value {
    eventually("the experiment is stopped", DEADLINE, || shop.client.details(shop.test_id)["status"] == 0);
    shop.client.details(shop.test_id)["schedule"]["last"].clone()
}

/// Waits until the pages of all protected experiments have been checked, by waiting for another one to be ended.
#[track_caller]
fn looked_at(shop: &Shop, name: &str) {
    let other = shop.app.project("Acme", name);
    other.goal("bought");
    other.patch("/settings", json!({ "stop_on_page_harm": true })).ok();
    let test_id = other.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
    let visits =
        ["0", "1"].into_iter().flat_map(|arm| (0..120).map(move |number| (arm, number))).map(|(arm, number)| {
            let event = |kind: &str| json!({ "type": kind, "test_id": test_id, "variant_id": arm });
            let mut failed = event("health");
            failed["errors"] = json!(u8::from(arm == "1"));
            (format!("{arm}-{number}"), vec![event("exposure"), failed])
        });
    send(&other, visits);
    shop.app.pass(MINUTE);
    eventually("another experiment is stopped", DEADLINE, || other.details(test_id)["status"] == 0);
}

fn harm_ends_an_experiment_where_the_project_says_so(on: On) {
    let mut shop = Shop::open(on, json!({}));
    let receiver = Receiver::answering(&[204]);
    made(&shop.client, &receiver.url(), &["experiment.stopped"]);
    let settings = shop.client.patch("/settings", json!({ "stop_on_page_harm": true })).ok();
    assert_eq!(settings["settings"]["stop_on_page_harm"], true);
    shop.client.patch("/settings", json!({ "stop_on_page_harm": "yes" })).invalid(&["stop_on_page_harm"]);
    // Pages similar to the control's end nothing.
    visit(&shop, "even", 200, 0, 0);
    looked_at(&shop, "First");
    assert_eq!((shop.client.details(shop.test_id)["status"].as_i64(), acts(&shop).len()), (Some(1), 0));
    visit(&shop, "harmed", 400, 500, 20);
    shop.app.pass(MINUTE);
    let last = stopped(&shop);
    assert_eq!((&last["act"], &last["rule"]), (&json!("stop"), &json!("page_harm")));
    let harmed = &last["numbers"]["variants"][0];
    assert_eq!((&harmed["variant_id"], &harmed["harmed"][0]["metric"]), (&json!("1"), &json!("errors")));
    let detail = last["detail"].as_str().expect("a sentence");
    assert!(
        detail.contains("Variant 1 fails for 3.33 % of its visitors")
            && detail.contains("later than those of the control"),
        "{detail}"
    );
    let history = shop.app.history(shop.test_id);
    assert_eq!((history[0].actor.as_str(), history[0].action.as_str()), ("clock", "stop"));
    let kept = history[0].detail.as_ref().expect("a detail");
    assert_eq!(
        (&kept["rule"], &kept["manifest"]["experiment"]["test_id"]),
        (&json!("page_harm"), &json!(shop.test_id))
    );
    let message = receiver.wait(1)[0].json();
    assert_eq!((&message["type"], &message["data"]["test_id"]), (&json!("experiment.stopped"), &json!(shop.test_id)));
    assert!(message["data"]["sentence"].as_str().expect("a sentence").contains("fails for 3.33 %"), "{message}");

    // The person who starts it again has been warned, which a restarted server respects too.
    shop.client.set_status(shop.test_id, 1).ok();
    shop.app.start_again();
    shop.client = shop.client.at(shop.app.address);
    shop.collector = Collector::of(&shop.client);
    looked_at(&shop, "Second");
    shop.app.pass(MINUTE);
    looked_at(&shop, "Third");
    assert_eq!((shop.client.details(shop.test_id)["status"].as_i64(), acts(&shop)), (Some(1), vec!["stop".to_owned()]));
}

fn harm_ends_nothing_elsewhere(on: On) {
    let shop = Shop::open(on, json!({}));
    assert_eq!(shop.client.get("/settings").ok()["settings"]["stop_on_page_harm"], false);
    visit(&shop, "harmed", 400, 500, 20);
    looked_at(&shop, "First");
    assert_eq!(shop.result("")["health"]["page"]["status"], "fail");
    assert_eq!((shop.client.details(shop.test_id)["status"].as_i64(), acts(&shop).len()), (Some(1), 0));
    // A stopped experiment is left alone, whatever is enabled later.
    shop.client.set_status(shop.test_id, 0).ok();
    shop.client.patch("/settings", json!({ "stop_on_page_harm": true })).ok();
    looked_at(&shop, "Second");
    assert_eq!(acts(&shop).len(), 0);
}

fn harm_is_stopped_once_by_one_of_two_nodes(on: On) {
    let shop = Shop::open(on, json!({}));
    visit(&shop, "harmed", 400, 500, 20);
    let beside = matches!(on, On::Postgres).then(|| shop.app.start_beside());
    let admin = beside.as_ref().map_or(shop.client.clone(), |beside| shop.client.at(beside.address));
    admin.patch("/settings", json!({ "stop_on_page_harm": true })).ok();
    shop.app.pass(MINUTE);
    stopped(&shop);
    shop.app.pass(MINUTE);
    looked_at(&shop, "First");
    assert_eq!(acts(&shop), ["stop"]);
}
