//! Everything that a result leaves out is counted, and every repair is reported.

use crate::results::{DAY, Shop, Visit, bought};
use crate::scene::id;
use muriel_tests::{On, stories};
use serde_json::{Value, json};

stories! {
    always: [
        order_numbers_that_are_none_take_no_orders_away,
        orders_and_refunds_that_take_no_part_are_counted,
        submits_that_pages_prevented_are_counted,
        what_pages_have_lost_is_counted,
        a_note_about_many_events_stands_once,
    ],
    postgres_at_night: [
        what_comes_just_before_entry_is_counted,
        a_time_in_the_future_is_told,
        what_nobody_sent_is_not_known,
        a_test_that_ran_elsewhere_is_planned_for_its_visitors,
    ],
}

const AT: &str = "2026-03-01T10:30:00Z";
const LATER: &str = "2026-03-01T11:00:00Z";

/// Opens a shop whose experiment decides by revenue.
fn shop_with_orders(on: On) -> Shop {
    let shop = Shop::open(on, json!({}));
    let revenue =
        json!({ "goal_name": "Revenue", "goal_type": "revenue", "goal_value": "Purchase", "goal_key": "revenue" });
    shop.client.post("/goal", revenue).created();
    shop.client.patch(&format!("/experiment/{}", shop.test_id), json!({ "primary_goal_key": "revenue" })).ok();
    shop.app.pass(DAY);
    shop
}

fn order(value: f64, more: Value) -> Value {
    let mut event = json!({ "type": "order", "name": "Purchase", "value": value, "currency": "EUR", "at": LATER });
    for (field, value) in more.as_object().expect("fields") {
        event[field] = value.clone();
    }
    event
}

/// Returns the outcome of one event, sent with a key.
fn answer(shop: &Shop, visitor: &str, mut event: Value) -> Value {
    event["id"] = id().into();
    let body = json!({ "visitor": { "id": visitor }, "events": [event] });
    shop.collector.trusted.post("", body).ok()["results"][0].clone()
}

fn note(answer: &Value) -> &str {
    assert_eq!(answer["status"], "ok", "{answer}");
    answer["note"].as_str().unwrap_or_default()
}

/// Returns orders and revenue of both arms together.
fn earned(result: &Value) -> (u64, f64) {
    let arms = result["variants"].as_array().expect("variants");
    let orders = arms.iter().map(|arm| arm["total_orders"].as_u64().expect("a number")).sum();
    (orders, arms.iter().map(|arm| arm["total_revenue"].as_f64().expect("a number")).sum())
}

/// Returns the status and the sentence of a check.
fn check<'a>(result: &'a Value, name: &str) -> (&'a str, &'a str) {
    let check = &result["health"][name];
    (check["status"].as_str().unwrap_or_default(), check["message"].as_str().unwrap_or_default())
}

fn order_numbers_that_are_none_take_no_orders_away(on: On) {
    let shop = shop_with_orders(on);
    let unfilled =
        ["undefined", " NULL ", "{{order.id}}", "${id}", "0", "000", "-", "(not set)", "[object Object]", "n/a"];
    for (number, text) in unfilled.iter().enumerate() {
        let visitor = format!("v-{number}");
        shop.send(&[Visit { visitor: &visitor, events: vec![shop.exposure("1", AT)] }]);
        for _ in 0..2 {
            let outcome = answer(&shop, &visitor, order(10.0, json!({ "order_id": text })));
            assert!(note(&outcome).starts_with("order_id looks like an unfilled template value"), "{text}: {outcome}");
        }
    }
    for number in ["A-0", "10", "00-1", "undefined-7", "nullable"] {
        let visitor = format!("w-{number}");
        shop.send(&[Visit { visitor: &visitor, events: vec![shop.exposure("0", AT)] }]);
        assert_eq!(note(&answer(&shop, &visitor, order(10.0, json!({ "order_id": number })))), "", "{number}");
    }
    let outcome = answer(&shop, "v-0", order(-5.0, json!({ "refund_of": "null" })));
    assert!(note(&outcome).starts_with("refund_of looks like an unfilled template value"), "{outcome}");
    let result = shop.result("");
    // A refund without an order counts for the visitor.
    assert_eq!(earned(&result), (25, 245.0), "{}", result["health"]["orders"]);
    assert_eq!(check(&result, "orders").0, "ok", "{}", result["health"]["orders"]);
}

fn orders_and_refunds_that_take_no_part_are_counted(on: On) {
    let shop = shop_with_orders(on);
    let numbered = |number: u32| order(10.0, json!({ "order_id": format!("A-{number}") }));
    // Reloaded pages commonly send an order twice.
    for number in 0..40 {
        let events =
            vec![shop.exposure(if number % 2 == 0 { "0" } else { "1" }, AT), numbered(number), numbered(number)];
        shop.send(&[Visit { visitor: &format!("v-{number}"), events }]);
    }
    let result = shop.result("");
    assert_eq!(earned(&result), (40, 400.0));
    let (status, message) = check(&result, "orders");
    assert_eq!(status, "ok", "{message}");
    assert!(message.ends_with("Counted once: 40 orders with a number that was already counted."), "{message}");

    // One order number shared by several visitors is not common.
    for number in 0..4 {
        let events = vec![shop.exposure("1", AT), order(10.0, json!({ "order_id": "SALE" }))];
        shop.send(&[Visit { visitor: &format!("s-{number}"), events }]);
    }
    let outcome = answer(&shop, "v-1", order(-5.0, json!({ "order_id": "CN-1" })));
    assert!(note(&outcome).contains("name the order in refund_of"), "{outcome}");
    let outcome = answer(&shop, "v-1", order(-5.0, json!({ "order_id": "CN-2", "refund_of": "A-1" })));
    assert_eq!(note(&outcome), "");
    let unread =
        json!({ "type": "custom", "name": "Purchase", "at": LATER, "properties": { "unread_value": "4.245" } });
    shop.send(&[Visit { visitor: "v-2", events: vec![unread] }]);
    let result = shop.result("");
    assert_eq!(earned(&result), (41, 405.0));
    let (status, message) = check(&result, "orders");
    assert_eq!(status, "warn", "{message}");
    for said in [
        "Left out: 1 event with the name of the orders without an amount",
        "Left out: 3 orders, because three visitors or more sent the same order number",
        "Left out: 1 refund, because no order has the number that they name",
    ] {
        assert!(message.contains(said), "{said}: {message}");
    }
    let shared = shop.client.post(&format!("/experiment/{}/shares", shop.test_id), json!({})).created();
    assert!(shared["share"]["share_id"].is_i64());
}

fn what_comes_just_before_entry_is_counted(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.app.pass(DAY);
    for (visitor, at) in [("a", "2026-03-01T10:30:00Z"), ("b", "2026-03-01T10:29:55Z"), ("c", "2026-03-01T10:29:54Z")] {
        let mut event = bought();
        event["at"] = at.into();
        shop.send(&[Visit { visitor, events: vec![event, shop.exposure("1", "2026-03-01T10:30:00.400Z")] }]);
    }
    let result = shop.result("");
    assert_eq!(result["total_conversions"], 0);
    let (status, message) = check(&result, "before_entry");
    assert_eq!(status, "warn");
    assert!(message.starts_with("1 visitor had an event of the goal within five seconds before entry"), "{message}");
}

fn submits_that_pages_prevented_are_counted(on: On) {
    let shop = Shop::open(on, json!({}));
    let form = json!({ "goal_name": "Form", "goal_type": "formSubmit", "goal_value": "#signup", "goal_key": "form" });
    shop.client.post("/goal", form).created();
    shop.client.patch(&format!("/experiment/{}", shop.test_id), json!({ "primary_goal_key": "form" })).ok();
    shop.app.pass(DAY);
    let submit = |prevented: bool| {
        let properties = if prevented { json!({ "prevented": true }) } else { json!({}) };
        json!({ "type": "submit", "trigger": "#signup", "at": LATER, "properties": properties })
    };
    let submits_of = |visitor: &str, submits: &[bool]| {
        let mut events = vec![shop.exposure("1", AT)];
        events.extend(submits.iter().map(|prevented| submit(*prevented)));
        shop.send(&[Visit { visitor, events }]);
    };
    submits_of("sent", &[true, false]);
    assert_eq!(shop.result("")["health"].get("prevented_submits"), None);
    submits_of("mistaken", &[true, true]);
    submits_of("mistaken-too", &[true]);
    let result = shop.result("");
    assert_eq!(result["total_conversions"], 3);
    let (status, message) = check(&result, "prevented_submits");
    assert_eq!(status, "warn");
    assert!(message.starts_with("The page prevented all submissions of 2 visitors, out of 3 who count"), "{message}");
}

fn what_pages_have_lost_is_counted(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.app.pass(DAY);
    let lost = |dropped: f64, at: &str| json!({ "type": "health", "dropped": dropped, "at": at });
    let early = lost(4.0, "2026-03-01T10:00:00Z");
    shop.send(&[
        Visit { visitor: "a", events: vec![early, shop.exposure("1", AT), lost(2.0, LATER), lost(1.0, LATER)] },
        Visit { visitor: "b", events: vec![shop.exposure("0", AT)] },
        // A visitor who has not entered.
        Visit { visitor: "c", events: vec![lost(9.0, LATER)] },
    ]);
    let (result, expect) = (shop.result(""), "Pages of 1 visitor lost 3 events: an order whose amount");
    let (status, message) = check(&result, "lost_events");
    assert_eq!(status, "warn");
    assert!(message.starts_with(expect), "{message}");
}

fn a_time_in_the_future_is_told(on: On) {
    let shop = Shop::open(on, json!({}));
    let now = "2026-03-01T10:00:00Z";
    let outcome = answer(&shop, "v", shop.exposure("1", "2099-01-01T00:00:00Z"));
    assert!(note(&outcome).starts_with("at is in the future by the server's clock"), "{outcome}");
    // Clocks differ.
    assert_eq!(note(&answer(&shop, "w", shop.exposure("1", "2026-03-01T10:04:00Z"))), "");
    assert_eq!(note(&answer(&shop, "x", shop.exposure("1", now))), "");
    let result = shop.result("");
    assert_eq!(result["total_visitors"], 3);
    assert_eq!(result["end_date"], "2026-03-01");
}

fn a_note_about_many_events_stands_once(on: On) {
    let shop = Shop::open(on, json!({ "status": 9 }));
    let line = |visitor: u32| {
        let mut event = shop.exposure("1", "2026-02-02T10:00:00Z");
        event["id"] = id().into();
        event["visitor"] = json!({ "id": format!("v-{visitor}") });
        event
    };
    let mut lines: Vec<Value> = (0..50).map(line).collect();
    let mut refund = order(-5.0, json!({ "order_id": "CN-1" }));
    (refund["id"], refund["visitor"]) = (id().into(), json!({ "id": "v-1" }));
    lines.push(refund);
    let events = [line(50), line(51)].map(|mut event| {
        event.as_object_mut().expect("an event").remove("visitor");
        event
    });
    lines.push(json!({ "visitor": { "id": "v-50" }, "events": events }));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let batch = shop.collector.trusted.call("POST", "/batch").header("content-type", "application/x-ndjson");
    let outcomes = batch.body(text).send().has_status(200).lines();
    assert_eq!(outcomes.len(), 52);
    let said = note(&outcomes[0]);
    assert!(said.starts_with("the experiment has not started"), "{said}");
    assert!(said.ends_with(" (and of 51 other events of this batch)"), "{said}");
    assert!(outcomes[1..50].iter().all(|outcome| outcome.get("note").is_none()), "{outcomes:?}");
    assert!(note(&outcomes[50]).ends_with("name the order in refund_of"), "{}", outcomes[50]);
    let body = outcomes[51]["results"].as_array().expect("results");
    assert!(body.iter().all(|outcome| outcome.get("note").is_none()), "{body:?}");
}

fn what_nobody_sent_is_not_known(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.crowd("v", &[("0", 150, 15), ("1", 150, 30)], "2026-03-01T10:00:00Z", &bought());
    shop.app.pass(2 * DAY);
    let result = shop.result("");
    let bounce = &result["metrics"][0];
    assert_eq!(bounce["key"], "bounce_rate");
    for metric in result["metrics"].as_array().expect("metrics") {
        let arm = &metric["variants"][1];
        assert_eq!((&arm["conversion_rate"], &arm["improvement"]), (&Value::Null, &Value::Null), "{metric}");
        assert_eq!((&arm["visitors"], &arm["analysis"]["verdict"]), (&json!(150), &json!("keep_running")), "{metric}");
        let reason = &arm["analysis"]["reason"];
        assert_eq!(
            reason, "This metric cannot be computed, because no page view of these visitors was sent.",
            "{metric}"
        );
    }
    assert_eq!(check(&result, "guardrails").0, "unknown", "{}", result["health"]["guardrails"]);
    // From the first page view on it is known.
    let view = json!({ "type": "pageview", "url": "https://shop.example/", "at": "2026-03-01T10:00:00Z" });
    shop.send(&[Visit { visitor: "v-1-0", events: vec![view] }]);
    let known = shop.result("");
    assert!(known["metrics"][0]["variants"][1]["conversion_rate"].is_number(), "{}", known["metrics"][0]);
}

fn a_test_that_ran_elsewhere_is_planned_for_its_visitors(on: On) {
    let shop = Shop::open(on, json!({ "status": 9 }));
    let other = shop.client.experiment(json!({ "status": 9, "primary_goal_key": "bought" }));
    shop.crowd("v", &[("0", 150, 15), ("1", 160, 60)], "2026-02-02T10:00:00Z", &bought());
    // These came before the start, so they are not part of the test.
    shop.crowd("early", &[("0", 20, 0)], "2026-01-02T10:00:00Z", &bought());
    let begun = |test_id: i64| {
        let body = json!({ "status": 1, "started_at": "2026-02-01T00:00:00Z" });
        shop.client.patch(&format!("/experiment/{test_id}/status"), body).ok()
    };
    let answer = begun(shop.test_id);
    assert_eq!(answer["planned_visitors"], 310, "{answer}");
    let warned = answer["warnings"].to_string();
    assert!(warned.contains("tuned for the 310 visitors whose exposures were sent before this start"), "{warned}");
    let result = shop.result("");
    assert_eq!(result["total_visitors"], 310);
    assert_eq!(result["manifest"]["experiment"]["planned_visitors"], 310);
    assert_eq!(
        (&result["plan"]["planned_visitors"], &result["plan"]["planned_from"]),
        (&json!(310), &json!("computed"))
    );
    // No events were imported for the other experiment.
    assert_eq!(begun(other).get("planned_visitors"), None);
}
