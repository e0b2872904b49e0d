//! Exclusions: recorded visits that results do not count, and count again.

use crate::recompute::verified_beside;
use crate::results::{DAY, Shop, bought, counts};
use crate::scene::{Collector, id};
use muriel_tests::{DEADLINE, On, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        an_excluded_network_leaves_the_result_as_it_was,
    ],
    postgres_at_night: [
        visits_are_excluded_by_each_kind,
        suspects_are_named_with_what_they_change,
        the_list_of_experiments_follows,
        exclusions_are_checked,
        a_deleted_visitor_is_named_by_no_exclusion,
    ],
}

const HOUR: Duration = Duration::from_secs(3_600);
const AT: &str = "2026-03-01T10:10:00Z";
const LATER: &str = "2026-03-01T10:20:00Z";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const PHONE: &str = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Mobile Safari/537.36";

fn open(on: On) -> Shop {
    let app = on.start_with(|settings| settings.trusted_proxies = "127.0.0.0/8".parse().expect("networks"));
    let shop = Shop::open_in(app, json!({}));
    // Events are not later than their receipt.
    shop.app.pass(HOUR);
    shop
}

/// Origin of a visitor without a key.
struct From<'a> {
    address: &'a str,
    agent: &'a str,
    url: &'a str,
    at: &'a str,
}

/// A usual visitor.
const USUAL: From<'_> = From { address: "198.51.100.7", agent: FIREFOX, url: "https://shop.example/", at: AT };

/// Lets a visitor enter this arm and convert.
#[track_caller]
fn visit(shop: &Shop, visitor: &str, arm: &str, from: &From<'_>) {
    let mut events = [shop.exposure(arm, from.at), bought()];
    for event in &mut events {
        event["id"] = id().into();
        event["at"] = from.at.into();
        event["url"] = from.url.into();
    }
    let call = shop.collector.call().header("x-forwarded-for", from.address).header("user-agent", from.agent);
    let answer = call.json(json!({ "visitor": { "id": visitor }, "events": events })).send().ok();
    assert!(answer["results"].as_array().is_some_and(|all| all.iter().all(|one| one["status"] == "ok")), "{answer}");
}

fn exclude(shop: &Shop, mut body: Value) -> i64 {
    if body.get("reason").is_none() {
        body["reason"] = "A load test".into();
    }
    shop.client.post("/exclusions", body).created()["exclusion"]["exclusion_id"].as_i64().expect("an id")
}

fn include(shop: &Shop, id: i64) {
    shop.client.delete(&format!("/exclusion/{id}")).ok();
}

fn sentence(result: &Value) -> &str {
    result["health"]["exclusions"]["message"].as_str().unwrap_or_default()
}

fn an_excluded_network_leaves_the_result_as_it_was(on: On) {
    let shop = open(on);
    shop.crowd("keyed", &[("0", 30, 6), ("1", 30, 9)], AT, &bought());
    visit(&shop, "honest", "1", &USUAL);
    // Events without a key count for a day.
    shop.app.pass(20 * HOUR);
    let numbers = |result: &Value| {
        let mut kept = result.clone();
        // What is about the log and the moment, and the sentences about who was left out.
        kept["manifest"] = Value::Null;
        for check in ["exclusions", "unvouched"] {
            kept["health"].as_object_mut().expect("checks").shift_remove(check);
        }
        kept
    };
    let before = shop.result("");
    for number in 0..40 {
        visit(&shop, &format!("attack-{number}"), "1", &From { address: "203.0.113.7", ..USUAL });
    }
    let attacked = shop.result("");
    assert_eq!(counts(&attacked), [(30, 6), (71, 50)]);
    assert_eq!((attacked["health"].get("exclusions"), attacked["manifest"].get("exclusions")), (None, None));

    let id = exclude(&shop, json!({ "kind": "network", "value": "203.0.113.200" }));
    let result = shop.result("");
    assert_eq!(numbers(&result), numbers(&before));
    assert_eq!(sentence(&result), "Left out by the project's exclusion: 40 visitors (39.6 %).");
    let named = &result["manifest"]["exclusions"][0];
    assert_eq!((&named["exclusion_id"], &named["kind"]), (&json!(id), &json!("network")));
    // A manifest has no address.
    assert_eq!(named["value"].as_str().map(str::len), Some(16), "{named}");
    let listed = shop.client.get("/exclusions").ok()["exclusions"][0].take();
    assert_eq!((&listed["value"], &listed["reason"]), (&json!("203.0.113.0"), &json!("A load test")));
    // The hash names it, too.
    include(&shop, id);
    assert_eq!(numbers(&shop.result("")), numbers(&attacked));
    exclude(&shop, json!({ "kind": "network", "value": named["value"] }));
    assert_eq!(numbers(&shop.result("")), numbers(&before));

    // The result of a past exclusion can be verified, and says what could not be checked.
    let (holds, said) = verified_beside(&shop.app, &result);
    assert!(holds && said.contains("exclusions were deleted since"), "{said}");
    let (holds, said) = verified_beside(&shop.app, &shop.result(""));
    assert!(holds && !said.contains("exclusions"), "{said}");
    let mut forged = result.clone();
    forged["manifest"]["exclusions"][0]["value"] = "0000000000000000".into();
    let (holds, said) = verified_beside(&shop.app, &forged);
    assert!(!holds, "{said}");
    forged["manifest"]["exclusions"][0]["kind"] = "colour".into();
    let (holds, said) = verified_beside(&shop.app, &forged);
    assert!(!holds && said.contains("unknown kind"), "{said}");
    let mut without = shop.result("");
    without["manifest"].as_object_mut().expect("a manifest").shift_remove("exclusions");
    let (holds, said) = verified_beside(&shop.app, &without);
    assert!(!holds, "{said}");
}

fn visits_are_excluded_by_each_kind(on: On) {
    let shop = open(on);
    visit(&shop, "usual", "0", &USUAL);
    visit(&shop, "phone", "1", &From { agent: PHONE, ..USUAL });
    visit(&shop, "elsewhere", "1", &From { url: "https://copy.example/page", ..USUAL });
    visit(&shop, "paid", "1", &From { url: "https://shop.example/?utm_medium=cpc", ..USUAL });
    visit(&shop, "late", "1", &From { at: LATER, ..USUAL });
    // Has a visit that is not excluded as well, and enters with it.
    visit(&shop, "twice", "1", &From { url: "https://copy.example/", ..USUAL });
    visit(&shop, "twice", "1", &From { at: LATER, ..USUAL });
    shop.app.pass(DAY);
    let all = [(1, 1), (5, 5)];
    assert_eq!(counts(&shop.result("")), all);
    for (kind, value, left) in [
        ("visitor", "usual", [(0, 0), (5, 5)]),
        ("user_agent", "chrome android mobile", [(1, 1), (4, 4)]),
        ("user_agent", "chrome desktop", all),
        ("origin", "https://copy.example/", [(1, 1), (4, 4)]),
        ("source", "paid", [(1, 1), (4, 4)]),
        ("source", "email", all),
        ("network", "198.51.100.1", [(0, 0), (0, 0)]),
    ] {
        let id = exclude(&shop, json!({ "kind": kind, "value": value }));
        assert_eq!(counts(&shop.result("")), left, "{kind} {value}");
        include(&shop, id);
        assert_eq!(counts(&shop.result("")), all);
    }
    let (from, to) = ("2026-03-01T10:15:00Z", "2026-03-01T10:25:00Z");
    exclude(&shop, json!({ "kind": "time", "from": from, "to": to }));
    assert_eq!(counts(&shop.result("")), [(1, 1), (4, 4)], "late");
    exclude(&shop, json!({ "kind": "visitor", "value": "phone", "to": AT }));
    assert_eq!(counts(&shop.result("")), [(1, 1), (4, 4)], "the visit was not before");
    exclude(&shop, json!({ "kind": "visitor", "value": "phone", "from": AT }));
    assert_eq!(counts(&shop.result("")), [(1, 1), (3, 3)]);
    assert_eq!(sentence(&shop.result("")), "Left out by the project's 3 exclusions: 2 visitors (33.3 %).");
    // The series of days and the table count the same visitors.
    let days = shop.client.get(&format!("/experiment/{}/timeseries", shop.test_id)).ok();
    assert!(days.to_string().contains("\"visitors\":3"), "{days}");
}

fn suspects_are_named_with_what_they_change(on: On) {
    let shop = open(on);
    let suspects = || shop.client.get(&format!("/experiment/{}/suspects", shop.test_id)).ok()["suspects"].take();
    shop.crowd("keyed", &[("0", 300, 30), ("1", 300, 30)], AT, &bought());
    for number in 0..25 {
        visit(
            &shop,
            &format!("phone-{number}"),
            if number % 2 > 0 { "1" } else { "0" },
            &From { agent: PHONE, ..USUAL },
        );
    }
    shop.app.pass(20 * HOUR);
    assert_eq!(suspects(), json!([]), "everybody is alike");
    for number in 0..60 {
        visit(&shop, &format!("attack-{number}"), "1", &From { address: "203.0.113.7", agent: PHONE, ..USUAL });
    }
    let found = suspects();
    let found = found.as_array().expect("a list");
    let network = found.iter().find(|one| one["kind"] == "network").expect("the network");
    assert_eq!((&network["visitors"], &network["converted"]), (&json!(60), &json!(60)), "{network}");
    let arm = &network["variants"][1];
    assert_eq!((&arm["variant_id"], &arm["visitors"]), (&json!("1"), &json!(60)));
    let lift = |name: &str| arm[name].as_f64().expect("a number");
    assert!(lift("lift") > 90.0 && lift("lift_without").abs() < 20.0, "{network}");
    // What is proposed can be sent as it is.
    exclude(&shop, json!({ "kind": network["kind"], "value": network["value"] }));
    assert_eq!(counts(&shop.result("")), [(313, 43), (312, 42)]);
    assert_eq!(suspects(), json!([]));
    shop.client.get("/experiment/999999/suspects").refused(404, "not_found");
    shop.app
        .scoped(&shop.client, "read,write")
        .get(&format!("/experiment/{}/suspects", shop.test_id))
        .refused(403, "missing_scope");
}

#[test]
fn another_server_follows_at_once() {
    let shop = open(On::Postgres);
    let beside = shop.app.start_beside();
    let there = shop.client.at(beside.address);
    let collector = Collector::of(&there);
    for visitor in ["one", "two"] {
        let mut exposure = shop.exposure("0", AT);
        exposure["id"] = id().into();
        collector.trusted.post("", json!({ "visitor": { "id": visitor }, "events": [exposure] })).ok();
    }
    let visitors = || there.get(&format!("/experiment/{}/result", shop.test_id)).ok()["total_visitors"].clone();
    assert_eq!(visitors(), 2);
    let exclusion = exclude(&shop, json!({ "kind": "visitor", "value": "two" }));
    assert_eq!(visitors(), 1);
    include(&shop, exclusion);
    assert_eq!(visitors(), 2);
}

fn the_list_of_experiments_follows(on: On) {
    let shop = open(on);
    shop.crowd("keyed", &[("0", 30, 6), ("1", 30, 9)], AT, &bought());
    visit(&shop, "paid", "1", &From { url: "https://shop.example/?utm_medium=cpc", ..USUAL });
    shop.client.patch(&format!("/experiment/{}/status", shop.test_id), json!({ "status": 0 })).ok();
    // Ended experiments are looked at for a day after their end.
    shop.app.pass(2 * DAY);
    let has = |visitors: u64| {
        eventually(&format!("{visitors} visitors in the list"), DEADLINE, || {
            shop.app.pass(HOUR / 30);
            shop.client.outside().get("/v2/overview").ok()["items"][0]["visitors"] == visitors
        });
    };
    has(61);
    let id = exclude(&shop, json!({ "kind": "source", "value": "paid" }));
    has(60);
    include(&shop, id);
    has(61);
    shop.client.patch("/settings", json!({ "visitors": "keyed" })).ok();
    has(60);
}

fn exclusions_are_checked(on: On) {
    let shop = open(on);
    let post = |body: Value| shop.client.post("/exclusions", body);
    post(json!({})).invalid(&["kind", "reason"]);
    post(json!({ "kind": "colour", "value": "red", "reason": "x" })).invalid(&["kind"]);
    post(json!({ "kind": "origin", "value": "shop.example", "reason": "x" })).invalid(&["value"]);
    post(json!({ "kind": "time", "reason": "x" })).invalid(&["from", "to"]);
    post(json!({ "kind": "time", "value": "x", "from": LATER, "to": AT, "reason": " " }))
        .invalid(&["value", "to", "reason"]);
    post(json!({ "kind": "source", "value": "paid", "reason": "x", "until": AT })).invalid(&["until"]);
    post(json!({ "kind": "source", "value": "paid", "from": 7, "reason": "x" })).invalid(&["from"]);
    assert_eq!(shop.client.get("/exclusions").ok()["exclusions"], json!([]));

    let id = exclude(&shop, json!({ "kind": "source", "value": "paid", "from": null }));
    let refused = post(json!({ "kind": "source", "value": "paid", "reason": "again" }));
    assert!(refused.body["error"].as_str().is_some_and(|error| error.contains(&format!("exclusion {id}"))));
    refused.invalid(&["body"]);
    let audit = shop.client.outside().get("/v2/audit?object=exclusion").ok();
    assert_eq!(audit["entries"][0]["after"]["value"], "paid", "{audit}");

    let full = (0..199).all(|number| exclude(&shop, json!({ "kind": "visitor", "value": format!("v-{number}") })) > 0);
    assert!(full);
    post(json!({ "kind": "visitor", "value": "one more", "reason": "x" })).invalid(&["body"]);
    visit(&shop, "v-198", "1", &USUAL);
    visit(&shop, "v-199", "1", &USUAL);
    shop.app.pass(DAY);
    assert_eq!(counts(&shop.result("")), [(0, 0), (1, 1)]);
    include(&shop, id);
    shop.client.delete(&format!("/exclusion/{id}")).refused(404, "not_found");
    exclude(&shop, json!({ "kind": "visitor", "value": "one more" }));
}

fn a_deleted_visitor_is_named_by_no_exclusion(on: On) {
    let shop = open(on);
    for visitor in ["a secret id", "another"] {
        exclude(&shop, json!({ "kind": "visitor", "value": visitor }));
    }
    exclude(&shop, json!({ "kind": "source", "value": "paid" }));
    shop.client.delete("/visitor/a%20secret%20id").has_status(202);
    let listed = shop.client.get("/exclusions").ok();
    let values: Vec<&Value> =
        listed["exclusions"].as_array().expect("a list").iter().map(|one| &one["value"]).collect();
    assert_eq!(values, ["another", "paid"]);
    let audit = shop.client.outside().get("/v2/audit").ok().to_string();
    assert!(audit.contains("exclusion") && !audit.contains("a secret id"), "{audit}");
}
