//! Results of experiments.

use crate::scene::{Collector, id, keys};
use muriel_tests::{Answer, Client, On, TestApp, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    postgres_at_night: [
        a_result_counts_what_happened,
        an_arm_that_changed_nothing_is_named,
        goals_count_from_the_start_of_the_test,
        a_variant_that_became_another_is_marked,
        phases_end_with_the_deployment,
        queries_that_make_no_sense_are_refused,
    ],
}

pub(crate) const DAY: Duration = Duration::from_secs(86_400);

/// A shop with an experiment that went live on 2026-03-01 at 10:00.
pub(crate) struct Shop {
    pub(crate) app: TestApp,
    pub(crate) client: Client,
    pub(crate) collector: Collector,
    pub(crate) test_id: i64,
}

/// Actions of one visitor, as events without ids.
pub(crate) struct Visit<'a> {
    pub(crate) visitor: &'a str,
    pub(crate) events: Vec<Value>,
}

impl Visit<'_> {
    fn body(&self) -> Value {
        let with_id = |event: &Value| {
            let mut event = event.clone();
            if event.get("id").is_none() {
                event["id"] = id().into();
            }
            event
        };
        json!({ "visitor": { "id": self.visitor }, "events": self.events.iter().map(with_id).collect::<Vec<_>>() })
    }
}

impl Shop {
    pub(crate) fn open(on: On, besides: Value) -> Self {
        Self::open_in(on.start(), besides)
    }

    pub(crate) fn open_in(app: TestApp, besides: Value) -> Self {
        let client = app.project("Acme", "Shop");
        client.goal("bought");
        let mut experiment = json!({ "status": 1, "primary_goal_key": "bought" });
        for (field, value) in besides.as_object().expect("fields") {
            experiment[field] = value.clone();
        }
        let test_id = client.experiment(experiment);
        let collector = Collector::of(&client);
        Self { app, client, collector, test_id }
    }

    /// Sends visits as a server whose times are trusted.
    #[track_caller]
    pub(crate) fn send(&self, visits: &[Visit]) {
        for visit in visits {
            let results = self.collector.trusted.post("", visit.body()).ok()["results"].clone();
            for result in results.as_array().expect("results") {
                assert_ne!(result["status"], "invalid", "{result}");
            }
        }
    }

    /// Sends the visits of a crowd in one batch: thousands of single requests take longer than
    /// everything computed from them.
    #[track_caller]
    fn send_at_once(&self, visits: &[Visit]) {
        if visits.is_empty() {
            return;
        }
        let lines: String = visits.iter().map(|visit| format!("{}\n", visit.body())).collect();
        let batch = self.collector.trusted.call("POST", "/batch").header("content-type", "application/x-ndjson");
        let outcomes = batch.body(lines).send().has_status(200).lines();
        assert_eq!(outcomes.len(), visits.len());
        for outcome in outcomes {
            let results = outcome["results"].as_array();
            assert!(results.is_some_and(|all| all.iter().all(|one| one["status"] != "invalid")), "{outcome}");
        }
    }

    pub(crate) fn exposure(&self, arm: &str, at: &str) -> Value {
        json!({ "type": "exposure", "test_id": self.test_id, "variant_id": arm, "at": at })
    }

    /// Gives each arm this many visitors who enter at `at`. The first `converted` of them send `event` an hour later.
    pub(crate) fn crowd(&self, name: &str, arms: &[(&str, u32, u32)], at: &str, event: &Value) {
        let later = at.replacen("T10", "T11", 1);
        for (arm, visitors, converted) in arms {
            let visits: Vec<(String, Vec<Value>)> = (0..*visitors)
                .map(|number| {
                    let mut events = vec![self.exposure(arm, at)];
                    if number < *converted {
                        let mut event = event.clone();
                        event["at"] = later.clone().into();
                        events.push(event);
                    }
                    (format!("{name}-{arm}-{number}"), events)
                })
                .collect();
            let visits: Vec<Visit> =
                visits.iter().map(|(visitor, events)| Visit { visitor, events: events.clone() }).collect();
            self.send_at_once(&visits);
        }
    }

    #[track_caller]
    pub(crate) fn result(&self, query: &str) -> Value {
        self.client.get(&format!("/experiment/{}/result{query}", self.test_id)).ok()
    }
}

pub(crate) fn bought() -> Value {
    json!({ "type": "custom", "name": "bought" })
}

/// Asserts that only this parameter was refused.
#[track_caller]
fn refused(answer: &Answer, parameter: &str) {
    assert_eq!(answer.clone().refused(400, "invalid_parameter").fields(), [parameter]);
}

/// Returns visitors and conversions of each arm.
pub(crate) fn counts(result: &Value) -> Vec<(u64, u64)> {
    let variants = result["variants"].as_array().expect("variants");
    variants
        .iter()
        .map(|arm| (arm["visitors"].as_u64().expect("a number"), arm["conversions"].as_u64().expect("a number")))
        .collect()
}

fn verdict(result: &Value) -> &str {
    result["variants"][1]["analysis"]["verdict"].as_str().expect("a verdict")
}

fn an_arm_that_changed_nothing_is_named(on: On) {
    let two = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let shop = Shop::open(on, json!({ "variants": two }));
    let at = "2026-03-01T10:00:00Z";
    shop.app.pass(DAY);
    let health = |arm: &str, at: &str, changes: &str| json!({ "type": "health", "test_id": shop.test_id, "variant_id": arm, "at": at, "changes": changes });
    for (arm, first) in [("0", None), ("1", Some("0--0")), ("2", Some("10"))] {
        for visitor in 0..25 {
            let mut events = vec![shop.exposure(arm, at)];
            events.extend(first.map(|changes| health(arm, at, changes)));
            // A visitor counts once, with the first page, in the arm that counts.
            events.push(health(arm, "2026-03-01T10:00:01Z", "1111"));
            events.push(health(if arm == "1" { "2" } else { "1" }, at, "1"));
            shop.send(&[Visit { visitor: &format!("{arm}-{visitor}"), events }]);
        }
    }
    shop.send(&[Visit { visitor: "nobody", events: vec![health("1", at, "1111")] }]);
    let result = shop.result("");
    let found = |arm: usize| {
        let changes = result["variants"][arm]["changes"].as_array().expect("changes");
        let counts = changes.iter().map(|change| [&change["index"], &change["pages"], &change["matched"]]);
        counts.map(|counts| counts.map(|count| count.as_u64().expect("a number"))).collect::<Vec<_>>()
    };
    assert_eq!(found(0), [[0, 25, 25], [1, 25, 25], [2, 25, 25], [3, 25, 25]]);
    assert_eq!((found(1), found(2)), (vec![[0, 25, 0], [3, 25, 0]], vec![[0, 25, 25], [1, 25, 0]]));
    let expect =
        "Variant 1 changed nothing on 25 pages. No match: data[1] of Variant 2 on 25 pages. Check the selectors.";
    assert_eq!(result["health"]["changes"], json!({ "status": "warn", "message": expect }));
    for bad in ["", "2", "1 0", &"1".repeat(61)] {
        let mut event = health("1", at, bad);
        event["id"] = id().into();
        let body = json!({ "visitor": { "id": "bad" }, "events": [event] });
        let result = shop.collector.trusted.post("", body).ok()["results"][0].clone();
        assert!(result["message"].as_str().is_some_and(|message| message.starts_with("changes must have")), "{result}");
    }
}

fn a_result_counts_what_happened(on: On) {
    let shop = Shop::open(on, json!({}));
    let empty = shop.result("");
    assert_eq!((counts(&empty), &empty["total_visitors"]), (vec![(0, 0), (0, 0)], &json!(0)));
    assert_eq!(verdict(&empty), "keep_running");
    let checks = empty["health"].as_object().expect("checks");
    let status = |name: &str| checks[name].get("status").unwrap_or(&checks[name]).as_str().expect("a word").to_owned();
    for name in checks.keys() {
        // The minimum data is a number, and 0 counts as one.
        let expect = if ["status", "minimum_data"].contains(&name.as_str()) { "warn" } else { "unknown" };
        assert_eq!(status(name), expect, "{name}");
    }
    shop.app.pass(9 * DAY);
    shop.crowd("v", &[("0", 300, 60), ("1", 300, 150)], "2026-03-01T10:00:00Z", &bought());
    shop.send(&[
        // An event before the entry is not part of the test.
        Visit {
            visitor: "early",
            events: vec![
                json!({ "type": "custom", "name": "bought", "at": "2026-03-02T09:00:00Z" }),
                shop.exposure("0", "2026-03-02T10:00:00Z"),
            ],
        },
        // Another goal, and two events of one visitor.
        Visit {
            visitor: "twice",
            events: vec![
                shop.exposure("1", "2026-03-02T10:00:00Z"),
                json!({ "type": "custom", "name": "bought", "at": "2026-03-02T10:00:00Z" }),
                json!({ "type": "custom", "name": "bought", "at": "2026-03-03T10:00:00Z" }),
                json!({ "type": "custom", "name": "looked", "at": "2026-03-03T10:00:00Z" }),
            ],
        },
        // A visitor who has not entered.
        Visit { visitor: "stranger", events: vec![json!({ "type": "custom", "name": "bought" })] },
    ]);
    let result = shop.result("");
    assert_eq!(
        keys(&result)[..25],
        [
            "success",
            "test_id",
            "test_name",
            "status",
            "status_code",
            "start_date",
            "end_date",
            "days_running",
            "primary_goal",
            "goal_key",
            "report_phase",
            "stats_engine",
            "confidence_threshold_percent",
            "serving_variant_id",
            "is_mab",
            "traffic_allocation",
            "distribution_mode",
            "total_visitors",
            "total_conversions",
            "variants",
            "breakdowns",
            "health",
            "page_health",
            "metrics",
            "manifest"
        ]
    );
    assert_eq!(counts(&result), [(301, 60), (301, 151)]);
    assert_eq!((&result["total_visitors"], &result["total_conversions"]), (&json!(602), &json!(211)));
    assert_eq!((&result["status"], &result["stats_engine"]), (&json!("live"), &json!("bayesian")));
    assert_eq!((&result["start_date"], &result["end_date"]), (&json!("2026-03-01"), &json!("2026-03-10")));
    assert_eq!(result["days_running"], 9);
    assert_eq!(result["primary_goal"]["goal_key"], "bought");
    let (control, variant) = (&result["variants"][0], &result["variants"][1]);
    assert_eq!((&control["variant_id"], &control["is_control"]), (&json!("0"), &json!(true)));
    assert!(control.get("improvement").is_none() && control.get("analysis").is_none());
    let rate = |arm: &Value| arm["conversion_rate"].as_f64().expect("a number");
    assert!((rate(control) - 100.0 * 60.0 / 301.0).abs() < 1e-9);
    let lift = 100.0 * (151.0 / 60.0 - 1.0);
    for (field, value) in [("improvement", &variant["improvement"]), ("lift", &variant["analysis"]["lift"])] {
        assert!((value.as_f64().expect("a number") - lift).abs() < 1e-9, "{field} is {value}");
    }
    assert_eq!(verdict(&result), "win");
    let ends = variant["analysis"]["lift_interval"].as_array().expect("an interval");
    assert!(ends[0].as_f64().expect("a number") > 0.0 && ends[1].as_f64().expect("a number") > lift);
    assert_eq!(result["health"]["sample_ratio"]["status"], "ok");
    let names: Vec<&str> =
        result["metrics"].as_array().expect("a list").iter().map(|m| m["key"].as_str().expect("text")).collect();
    assert_eq!(names, ["bounce_rate", "engagement"]);
    // Repeated requests return the same result; further events change it.
    assert_eq!(shop.result(""), result);
    shop.crowd("w", &[("0", 1, 1)], "2026-03-06T10:00:00Z", &bought());
    assert_eq!(counts(&shop.result("")), [(302, 61), (301, 151)]);
}

fn goals_count_from_the_start_of_the_test(on: On) {
    let shop = Shop::open(on, json!({}));
    let signed_up = json!({ "type": "custom", "name": "signed-up" });
    shop.crowd("v", &[("0", 3, 1), ("1", 4, 2)], "2026-03-01T10:00:00Z", &signed_up);
    shop.app.pass(10 * DAY);
    shop.client.goal("signed-up");
    shop.client.patch(&format!("/experiment/{}", shop.test_id), json!({ "secondary_goal_keys": ["signed-up"] })).ok();
    let result = shop.result("");
    assert_eq!(counts(&result), [(3, 0), (4, 0)]);
    let metric = &result["metrics"][0];
    assert_eq!((&metric["key"], &metric["role"]), (&json!("signed-up"), &json!("secondary")));
    assert_eq!(counts(metric), [(3, 1), (4, 2)]);
    assert_eq!(counts(&shop.result("?goal_key=signed-up")), [(3, 1), (4, 2)]);
}

fn a_variant_that_became_another_is_marked(on: On) {
    let shop = Shop::open(on, json!({ "variants": [{ "name": "Variant 1" }, { "name": "Variant 2" }] }));
    shop.crowd("v", &[("0", 2, 0), ("1", 2, 0), ("2", 2, 2)], "2026-03-01T10:00:00Z", &bought());
    let path = format!("/experiment/{}", shop.test_id);
    shop.app.pass(DAY);
    shop.client.patch(&path, json!({ "variants": [{ "name": "Variant 1", "nickname": "kept" }] })).ok();
    assert_eq!(counts(&shop.result("")), [(2, 0), (2, 0)]);
    shop.app.pass(DAY);
    let both = json!({ "variants": [{ "name": "Variant 1", "nickname": "kept" }, { "name": "Variant 2" }] });
    shop.client.patch(&path, both).ok();
    let result = shop.result("");
    assert_eq!(counts(&result), [(2, 0), (2, 0), (2, 2)], "a reused name inherits what was recorded");
    let marked: Vec<&Value> =
        result["variants"].as_array().expect("a list").iter().map(|arm| &arm["redefined_at"]).collect();
    assert_eq!(marked, [&Value::Null, &Value::Null, &json!("2026-03-03T10:00:00.000Z")]);
    // From that moment on it can be read by its epoch.
    let weights = |query: &str| -> Vec<f64> {
        let result = shop.result(query);
        let arms = result["variants"].as_array().expect("a list");
        arms.iter().map(|arm| arm["traffic_weight"].as_f64().expect("a number")).collect()
    };
    assert_eq!(weights(""), [33.34, 33.33, 33.33]);
    // The second epoch had one variant.
    assert_eq!(weights("?epoch=2"), [50.0, 50.0, 0.0]);
    let epoch =
        shop.client.details(shop.test_id)["epochs"].as_array().expect("a list").last().expect("one")["epoch"].clone();
    assert_eq!(counts(&shop.result(&format!("?epoch={epoch}"))), [(0, 0), (0, 0), (0, 0)]);
}

fn phases_end_with_the_deployment(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.crowd("v", &[("0", 3, 1), ("1", 3, 2)], "2026-03-01T10:00:00Z", &bought());
    shop.app.pass(2 * DAY);
    let path = format!("/experiment/{}/serve-winner", shop.test_id);
    shop.client.post(&path, json!({ "variant_id": "1" })).ok();
    shop.app.pass(2 * DAY);
    shop.crowd("w", &[("1", 5, 1)], "2026-03-04T10:00:00Z", &bought());
    for (query, expect) in [
        ("", [(3, 1), (3, 2)]),
        ("?report_phase=pre_deploy", [(3, 1), (3, 2)]),
        ("?report_phase=post_deploy", [(0, 0), (5, 1)]),
        ("?report_phase=all_time", [(3, 1), (8, 3)]),
    ] {
        assert_eq!(counts(&shop.result(query)), expect, "{query}");
    }
    assert_eq!(shop.result("")["serving_variant_id"], "1");
}

fn queries_that_make_no_sense_are_refused(on: On) {
    let shop = Shop::open(on, json!({}));
    let path = |name: &str, query: &str| format!("/experiment/{}/{name}{query}", shop.test_id);
    for (query, field) in [
        ("?start_date=yesterday", "start_date"),
        ("?start_date=2026-02-30", "start_date"),
        ("?end_date=2026-3-1", "end_date"),
        ("?start_date=2026-03-02&end_date=2026-03-01", "end_date"),
        ("?tz=Mars", "tz"),
        ("?tz=25", "tz"),
        ("?goal_key=nobody-has-this", "goal_key"),
        ("?goal_key=", "goal_key"),
        ("?filter_by=phone", "filter_by"),
        ("?filter_by=country-DEU", "filter_by"),
        ("?breakdown_by=colour", "breakdown_by"),
        ("?epoch=0", "epoch"),
        ("?epoch=99", "epoch"),
        ("?epoch=one", "epoch"),
        ("?report_phase=during", "report_phase"),
        ("?start_date=2026-03-01&start_date=2026-03-01", "start_date"),
    ] {
        refused(&shop.client.get(&path("result", query)), field);
        refused(&shop.client.get(&path("timeseries", query)), field);
    }
    shop.client.get(&path("result", "?breakdown_by=device")).has_status(200);
    refused(&shop.client.get(&path("timeseries", "?breakdown_by=device")), "breakdown_by");
    // The table is a separate operation.
    refused(&shop.client.get(&path("result", "?format=csv")), "format");
    refused(&shop.client.get(&path("result.csv", "?epoch=99")), "epoch");
    for (query, field) in [
        ("?mde=0", "mde"),
        ("?mde=-1", "mde"),
        ("?mde=NaN", "mde"),
        ("?power=100", "power"),
        ("?daily_visitors=0", "daily_visitors"),
        ("?baseline_rate=100", "baseline_rate"),
        ("?baseline_rate=1e1", "baseline_rate"),
    ] {
        refused(&shop.client.get(&path("plan", query)), field);
    }
    // A missing experiment is reported first.
    shop.client.get("/experiment/9999/result?tz=Mars").has_status(404);
}

#[test]
fn visitors_can_be_filtered_and_broken_down() {
    let shop = Shop::open(On::Sqlite, json!({}));
    let enter = |visitor: &str, arm: &str, agent: &str, country: &str, context: Value, buys: bool| {
        let mut exposure = shop.exposure(arm, "2026-03-01T10:00:00Z");
        exposure["context"] = context;
        let mut events = vec![exposure];
        events.extend(buys.then(bought));
        for event in &mut events {
            event["id"] = id().into();
        }
        let who = json!({ "id": visitor, "user_agent": agent, "country": country });
        shop.collector.trusted.post("", json!({ "visitor": who, "events": events })).ok();
    };
    let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
    let desk = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let robot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    let paid = json!({ "url": "https://shop.example/?gclid=1&utm_source=ads&utm_medium=cpc", "landing_page": "https://shop.example/a?gclid=1", "visitor_type": "new" });
    let direct = json!({ "url": "https://shop.example/", "visitor_type": "returning" });
    enter("a", "0", phone, "DE", paid.clone(), true);
    enter("b", "1", phone, "AT", paid, false);
    enter("c", "1", desk, "DE", direct.clone(), true);
    enter("d", "0", desk, "FR", direct.clone(), false);
    enter("e", "1", robot, "FR", direct, true);
    // Campaign fields count where the address has lost them.
    let campaign =
        json!({ "url": "https://shop.example/", "landing_page": "https://shop.example/a", "utm_medium": "cpc" });
    enter("f", "0", desk, "FR", campaign, false);
    for (query, expect) in [
        ("", [(3, 1), (2, 1)]),
        ("?filter_by=mobile", [(1, 1), (1, 0)]),
        ("?filter_by=desktop,returning", [(1, 0), (1, 1)]),
        ("?filter_by=new,country-DE", [(1, 1), (0, 0)]),
        ("?filter_by=country-DE,country-AT", [(1, 1), (2, 1)]),
        ("?filter_by=paid", [(2, 1), (1, 0)]),
        ("?filter_by=direct", [(1, 0), (1, 1)]),
        ("?filter_by=mobile,desktop", [(0, 0), (0, 0)]),
        ("?filter_by=search", [(0, 0), (0, 0)]),
    ] {
        assert_eq!(counts(&shop.result(query)), expect, "{query}");
    }
    for (by, expect) in [
        ("device", json!(["desktop", "mobile"])),
        ("browser", json!(["firefox", "safari"])),
        ("country", json!(["DE", "FR", "AT"])),
        ("user_type", json!(["new", "returning", null])),
        ("utm_source", json!([null, "ads"])),
        ("utm_medium", json!(["cpc", null])),
    ] {
        let result = shop.result(&format!("?breakdown_by={by}"));
        assert_eq!(counts(&result), [(3, 1), (2, 1)], "{by}");
        let parts = result["breakdowns"].as_array().expect("parts");
        let values: Vec<&Value> = parts.iter().map(|part| &part["value"]).collect();
        assert_eq!(json!(values), expect, "{by}");
        let sum: u64 = parts.iter().flat_map(counts).map(|(visitors, _)| visitors).sum();
        assert_eq!(sum, 5, "{by}");
    }
    let health = &shop.result("")["health"];
    assert!(health["bots"]["message"].as_str().expect("text").contains("left out: 1,"), "{health}");
}

#[test]
fn revenue_counts_each_order_once() {
    let shop = Shop::open(On::Sqlite, json!({}));
    let goal =
        json!({ "goal_name": "Revenue", "goal_type": "revenue", "goal_value": "Purchase", "goal_key": "revenue" });
    shop.client.post("/goal", goal).created();
    let order = |value: f64, id: &str, currency: &str| {
        json!({ "type": "order", "name": "Purchase", "value": value, "order_id": id, "currency": currency,
                "at": "2026-03-01T11:00:00Z" })
    };
    let enter = |arm| shop.exposure(arm, "2026-03-01T10:00:00Z");
    shop.send(&[
        Visit { visitor: "a", events: vec![enter("0"), order(10.0, "1", "EUR"), order(10.0, "1", "EUR")] },
        Visit { visitor: "b", events: vec![enter("0")] },
        Visit { visitor: "c", events: vec![enter("1"), order(30.25, "2", "EUR"), order(0.1, "3", "EUR")] },
        Visit { visitor: "d", events: vec![enter("1"), order(99.0, "4", "USD")] },
    ]);
    let result = shop.result("?goal_key=revenue");
    assert_eq!(
        (&result["total_revenue"], &result["total_orders"], &result["currency"]),
        (&json!(40.35), &json!(3), &json!("EUR"))
    );
    let of = |arm: usize, field: &str| result["variants"][arm][field].as_f64().expect("a number");
    assert_eq!((of(0, "total_revenue"), of(0, "rpv"), of(0, "aov")), (10.0, 5.0, 10.0));
    assert_eq!((of(1, "total_orders"), of(1, "rpv"), of(1, "aov")), (2.0, 30.35 / 2.0, 30.35 / 2.0));
    let health = &result["health"];
    assert_eq!(
        (&health["currency"]["status"], &health["status"]),
        (&json!("fail"), &json!("fail")),
        "a quarter is missing"
    );
    shop.client
        .post(
            "/goal",
            json!({ "goal_name": "Gifts", "goal_type": "revenue", "goal_value": "Gift", "goal_key": "gifts" }),
        )
        .created();
    assert_eq!(shop.result("?goal_key=gifts")["health"]["currency"]["status"], "unknown", "nobody ordered one");
    // Adding 10.01 and 30.58 as doubles gives 40.589999999999996.
    shop.send(&[
        Visit { visitor: "e", events: vec![enter("0"), order(0.01, "5", "EUR")] },
        Visit { visitor: "f", events: vec![enter("1"), order(0.23, "6", "EUR")] },
    ]);
    assert_eq!(shop.result("?goal_key=revenue")["total_revenue"], json!(40.59));
}

#[test]
fn a_fault_in_the_split_voids_every_verdict() {
    let shop = Shop::open(On::Sqlite, json!({}));
    shop.app.pass(2 * DAY);
    shop.crowd("v", &[("0", 300, 30), ("1", 150, 90)], "2026-03-01T10:00:00Z", &bought());
    let result = shop.result("");
    assert_eq!(result["health"]["sample_ratio"]["status"], "fail");
    assert_eq!(verdict(&result), "do_not_trust");
    for metric in result["metrics"].as_array().expect("a list") {
        assert_eq!(verdict(metric), "do_not_trust");
    }
}

#[test]
fn days_begin_where_the_reader_is() {
    let shop = Shop::open(On::Sqlite, json!({}));
    shop.app.pass(30 * DAY);
    let at = |visitor, arm, at: &str, buys: &str| Visit {
        visitor,
        events: vec![shop.exposure(arm, at), json!({ "type": "custom", "name": "bought", "at": buys })],
    };
    shop.send(&[
        at("a", "0", "2026-03-10T22:30:00Z", "2026-03-10T23:30:00Z"),
        at("b", "1", "2026-03-11T12:00:00Z", "2026-03-13T12:00:00Z"),
    ]);
    for (query, expect) in [
        ("?end_date=2026-03-10", [(1, 1), (0, 0)]),
        ("?end_date=2026-03-10&tz=2", [(0, 0), (0, 0)]),
        ("?end_date=2026-03-10&tz=Europe/Berlin", [(1, 0), (0, 0)]),
        ("?start_date=2026-03-11&end_date=2026-03-12", [(0, 0), (1, 0)]),
        ("?start_date=2026-03-11&tz=%2B02:00", [(1, 1), (1, 1)]),
    ] {
        assert_eq!(counts(&shop.result(query)), expect, "{query}");
    }
    let series = |query: &str| {
        let answer = shop.client.get(&format!("/experiment/{}/timeseries{query}", shop.test_id)).ok();
        let points = answer["timeseries"].as_array().expect("points").clone();
        points
            .iter()
            .map(|p| {
                let text = |name: &str| p[name].as_str().expect("text").to_owned();
                (
                    text("date"),
                    text("variant_id"),
                    p["visitors"].as_u64().expect("a number"),
                    p["conversions"].as_u64().expect("a number"),
                )
            })
            .collect::<Vec<_>>()
    };
    let day = |date: &str, arm: &str, visitors, conversions| (date.to_owned(), arm.to_owned(), visitors, conversions);
    assert_eq!(
        series(""),
        [
            day("2026-03-10", "0", 1, 1),
            day("2026-03-10", "1", 0, 0),
            day("2026-03-11", "0", 1, 1),
            day("2026-03-11", "1", 1, 0),
            day("2026-03-12", "0", 1, 1),
            day("2026-03-12", "1", 1, 0),
            day("2026-03-13", "0", 1, 1),
            day("2026-03-13", "1", 1, 1),
        ]
    );
    assert_eq!(series("?tz=2")[0], day("2026-03-11", "0", 1, 1));
}

#[test]
fn a_result_is_a_table_too() {
    let shop = Shop::open(On::Sqlite, json!({ "variants": [{ "name": "Variant 1", "nickname": "=1+1, \"two\"" }] }));
    shop.crowd("v", &[("0", 2, 1), ("1", 2, 2)], "2026-03-01T10:00:00Z", &bought());
    let answer = shop.client.get(&format!("/experiment/{}/result.csv", shop.test_id)).has_status(200);
    assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = answer.text();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert!(
        lines[0].starts_with("metric,metric_name,role,breakdown,value,variant_id,name,nickname,visitors,conversions")
    );
    assert!(lines[1].starts_with("bought,bought,primary,,,0,Control,,2,1,50,"), "{}", lines[1]);
    assert!(
        lines[2].starts_with("bought,bought,primary,,,1,Variant 1,\"'=1+1, \"\"two\"\"\",2,2,100,100,"),
        "{}",
        lines[2]
    );
    assert_eq!(lines.len(), 1 + 3 * 2 + 1);
    // Every line names its experiment and state.
    let result = shop.result("");
    let (test_id, manifest) = (shop.test_id, &result["manifest"]);
    let (as_of, position) = (manifest["as_of"].as_str().expect("a time"), &manifest["logs"][0]["position"]);
    let name = result["test_name"].as_str().expect("a name");
    let health = result["health"].as_object().expect("checks");
    let status = health["status"].as_str().expect("a status");
    let checks = health.iter().filter_map(|(check, found)| Some((check, found["status"].as_str()?)));
    let not_ok: Vec<String> =
        checks.filter(|(_, status)| *status != "ok").map(|(check, status)| format!("{check}: {status}")).collect();
    assert!(not_ok.contains(&"minimum_data: warn".to_owned()), "{not_ok:?}");
    let origin = format!(",{test_id},{name},{as_of},{position},{status},{},", not_ok.join("; "));
    assert!(
        lines[0].ends_with(",test_id,test_name,as_of,log_position,health,health_checks,exploratory"),
        "{}",
        lines[0]
    );
    for line in &lines[1..lines.len() - 1] {
        assert!(line.ends_with(&origin), "{line} does not end with {origin}");
    }
}

#[test]
fn a_plan_says_how_long() {
    let shop = Shop::open(On::Sqlite, json!({ "plan": { "mde": 10, "visitors": null } }));
    let plan = |query: &str| shop.client.get(&format!("/experiment/{}/plan{query}", shop.test_id)).ok();
    let nothing_known = plan("");
    assert_eq!((&nothing_known["visitors_needed"], &nothing_known["mde"]), (&Value::Null, &json!(10.0)));
    assert!(nothing_known["note"].as_str().is_some_and(|note| note.contains("give baseline_rate")), "{nothing_known}");
    let given = plan("?baseline_rate=5&daily_visitors=5000");
    let (needed, days) =
        (given["visitors_needed"].as_f64().expect("a number"), given["days"].as_i64().expect("a number"));
    // A test of fixed size needs 62,000 visitors; continuous monitoring costs about twice as many.
    assert!((110_000.0..160_000.0).contains(&needed), "{needed}");
    assert_eq!(days, (needed / 5000.0).ceil() as i64);
    assert!(given["visitors_needed"].is_i64() && given["mde_by_day"][0]["visitors"].is_i64(), "{given}");
    assert_eq!(given["note"], Value::Null);
    let by_day = given["mde_by_day"].as_array().expect("a list");
    assert_eq!(by_day.len() as i64, days);
    let mde: Vec<f64> = by_day.iter().map(|day| day["mde"].as_f64().expect("a number")).collect();
    assert!(mde.windows(2).all(|pair| pair[1] < pair[0]), "{mde:?}");
    assert!(mde[mde.len() - 1] <= 10.0 && mde[mde.len() - 2] > 10.0, "{mde:?}");
    // Lifts that plans of two, four and eight weeks would find, independent of this plan.
    let findable = |plan: &Value| -> Vec<(i64, i64, f64)> {
        let rows = plan["findable"].as_array().expect("a list").iter();
        rows.map(|row| {
            let number = |field: &str| row[field].as_i64().expect("a number");
            (number("day"), number("visitors"), row["mde"].as_f64().expect("a lift"))
        })
        .collect()
    };
    let found = findable(&given);
    assert_eq!(
        found.iter().map(|(day, visitors, _)| (*day, *visitors)).collect::<Vec<_>>(),
        [(14, 70_000), (28, 140_000), (56, 280_000)]
    );
    assert!(found.windows(2).all(|pair| pair[1].2 < pair[0].2), "{found:?}");
    // A slightly larger lift, because days are whole.
    let asked = plan(&format!("?baseline_rate=5&daily_visitors=5000&mde={}", 1.001 * found[1].2));
    assert_eq!((&asked["days"], findable(&asked)), (&json!(28), found));
    assert_eq!(nothing_known["findable"], json!([]));
    let surer = plan("?baseline_rate=5&daily_visitors=5000&power=95")["visitors_needed"].as_f64().expect("a number");
    assert!(surer > needed);
    assert_eq!(plan("?baseline_rate=60&daily_visitors=5000&mde=70")["visitors_needed"], Value::Null);
    // The project's own traffic: 20 new visitors a day, half of whom buy.
    for day in 20..28 {
        for visitor in 0..20 {
            let mut events = vec![
                json!({ "type": "pageview", "url": "https://shop.example/", "at": format!("2026-02-{day}T10:00:00Z") }),
            ];
            if visitor % 2 == 0 {
                events.push(json!({ "type": "custom", "name": "bought", "at": format!("2026-02-{day}T11:00:00Z") }));
            }
            shop.send(&[Visit { visitor: &format!("{day}-{visitor}"), events }]);
        }
    }
    let own = plan("");
    assert_eq!((&own["baseline_rate"], &own["baseline_rate_from"]), (&json!(50.0), &json!("project")));
    assert!(own["visitors_needed"].as_f64().is_some_and(|visitors| visitors > 1_000.0), "{own}");
    // A group leaves a fifth of them, and a holdout 90 percent of these.
    let daily = own["daily_visitors"].as_f64().expect("a number");
    for (body, left) in [
        (json!({ "name": "G", "kind": "exclusion", "members": [{ "test_id": shop.test_id, "percent": 20 }] }), 0.2),
        (json!({ "name": "H", "kind": "holdout", "percent": 10, "scope": "project" }), 0.18),
    ] {
        shop.client.post("/exclusion-group", body).created();
        let fewer = plan("")["daily_visitors"].as_f64().expect("a number");
        assert!((fewer - daily * left).abs() < 0.01, "{fewer} of {daily}");
    }
    let manifest = shop.client.get(&format!("/experiment/{}/result", shop.test_id)).ok()["manifest"].clone();
    assert!((manifest["experiment"]["visitors_percent"].as_f64().expect("a number") - 18.0).abs() < 1e-9, "{manifest}");
}

#[test]
fn windows_that_are_open_are_shown_and_wait() {
    let shop = Shop::open(On::Sqlite, json!({}));
    shop.app.pass(9 * DAY);
    let goal = json!({ "goal_name": "Soon", "goal_type": "event", "goal_value": "bought", "goal_key": "soon", "window_days": 3 });
    shop.client.post("/goal", goal).created();
    let buys = |at: &str| json!({ "type": "custom", "name": "bought", "at": at });
    shop.send(&[
        Visit {
            visitor: "in time",
            events: vec![shop.exposure("0", "2026-03-01T10:00:00Z"), buys("2026-03-04T09:59:59Z")],
        },
        Visit {
            visitor: "late",
            events: vec![shop.exposure("1", "2026-03-01T10:00:00Z"), buys("2026-03-04T10:00:00Z")],
        },
        Visit {
            visitor: "open",
            events: vec![shop.exposure("1", "2026-03-09T10:00:00Z"), buys("2026-03-09T11:00:00Z")],
        },
    ]);
    let result = shop.result("?goal_key=soon");
    assert_eq!(counts(&result), [(1, 1), (2, 1)]);
    assert_eq!(result["variants"][1]["open_visitors"], 1);
    assert_eq!(result["variants"][1]["analysis"]["visitors_compared"], 2);
    shop.app.pass(3 * DAY);
    let result = shop.result("?goal_key=soon");
    assert_eq!(
        (counts(&result), &result["variants"][1]["analysis"]["visitors_compared"]),
        (vec![(1, 1), (2, 1)], &json!(3))
    );
}

#[test]
fn nobody_enters_before_the_start() {
    let shop = Shop::open(On::Sqlite, json!({}));
    shop.app.pass(Duration::from_secs(3_600));
    shop.crowd("v", &[("0", 200, 20), ("1", 200, 90)], "2026-03-01T10:00:00Z", &bought());
    let before = shop.result("");
    assert_eq!((counts(&before), verdict(&before)), (vec![(200, 20), (200, 90)], "keep_running"));
    // Exposures dated before the start, sent by somebody who wants a winner today, and by a preview of
    // the draft.
    for (visitor, at) in [("forger", "2026-02-28T09:00:00Z"), ("older", "1970-01-01T00:00:00Z")] {
        shop.send(&[Visit { visitor, events: vec![shop.exposure("1", at)] }]);
    }
    shop.send(&[Visit {
        visitor: "previewer",
        events: vec![shop.exposure("1", "2026-03-01T09:59:59.999Z"), shop.exposure("0", "2026-03-01T10:30:00Z")],
    }]);
    let result = shop.result("");
    assert_eq!((counts(&result), verdict(&result)), (vec![(201, 20), (200, 90)], "keep_running"));
    assert_eq!((&result["start_date"], &result["days_running"]), (&json!("2026-03-01"), &json!(1)));
    assert!(result["health"]["minimum_data"]["message"].as_str().expect("text").contains("a full day"), "{result}");
    let series = shop.client.get(&format!("/experiment/{}/timeseries", shop.test_id)).ok();
    let days: Vec<&Value> = series["timeseries"].as_array().expect("points").iter().map(|p| &p["date"]).collect();
    assert_eq!(days, ["2026-03-01", "2026-03-01"]);
    // A day later the same visitors are enough.
    shop.app.pass(DAY);
    assert_eq!(verdict(&shop.result("")), "win");
}

#[test]
fn nobody_enters_a_draft() {
    let shop = Shop::open(On::Sqlite, json!({ "status": 9 }));
    shop.send(&[Visit { visitor: "previewer", events: vec![shop.exposure("1", "2026-03-01T10:00:00Z")] }]);
    let result = shop.result("");
    assert_eq!((counts(&result), &result["start_date"]), (vec![(0, 0), (0, 0)], &Value::Null));
}

/// Each day of a series equals a result whose last day it is.
#[test]
fn a_series_is_what_was_seen_each_day() {
    let shop = Shop::open(On::Sqlite, json!({}));
    let goal = |key: &str, kind: &str, value: &str, window: Value| {
        let goal =
            json!({ "goal_name": key, "goal_type": kind, "goal_value": value, "goal_key": key, "window_days": window });
        shop.client.post("/goal", goal).created();
    };
    goal("soon", "event", "bought", json!(2));
    goal("paid", "revenue", "Purchase", json!(1));
    shop.app.pass(10 * DAY);
    let order = json!({ "type": "order", "name": "Purchase", "value": 12.5, "currency": "EUR" });
    for (day, control, variant) in [(1, 3, 5), (2, 4, 9), (5, 6, 2)] {
        let at = format!("2026-03-0{day}T10:00:00Z");
        shop.crowd(&format!("e{day}"), &[("0", 20, control), ("1", 21, variant)], &at, &bought());
        shop.crowd(&format!("o{day}"), &[("0", 12, variant), ("1", 11, control)], &at, &order);
    }
    for goal in ["bought", "soon", "paid"] {
        let path = format!("/experiment/{}/timeseries?goal_key={goal}", shop.test_id);
        let series = shop.client.get(&path).ok()["timeseries"].as_array().expect("points").clone();
        assert!(series.iter().any(|point| point["p_value"].is_number()), "{goal}");
        for point in series {
            let day = point["date"].as_str().expect("a date").to_owned();
            let result = shop.result(&format!("?goal_key={goal}&end_date={day}"));
            let arm = result["variants"].as_array().expect("arms");
            let arm = arm.iter().find(|arm| arm["variant_id"] == point["variant_id"]).expect("the arm");
            for (of_point, of_result) in [
                (&point["visitors"], &arm["visitors"]),
                (&point["conversions"], &arm["conversions"]),
                (&point["lift"], &arm["analysis"]["lift"]),
                (&point["lift_interval"], &arm["analysis"]["lift_interval"]),
                (&point["p_value"], &arm["analysis"]["p_value"]),
            ] {
                assert_eq!(of_point, of_result, "{goal} {point} {arm}");
            }
        }
    }
}

#[test]
fn code_that_changed_marks_the_arms_that_run_it() {
    for (change, marked) in [
        (json!({ "control": { "customJS": "say('hello')" } }), [true, false]),
        (json!({ "control": { "nickname": "as it was" } }), [false, false]),
        (json!({ "variants": [{ "name": "Variant 1", "customJS": "say('hello')" }] }), [false, true]),
        (json!({ "custom_js": "say('hello')" }), [true, true]),
        (json!({ "custom_css": "p { color: red }" }), [true, true]),
    ] {
        let shop = Shop::open(On::Sqlite, json!({}));
        shop.app.pass(DAY);
        shop.client.patch(&format!("/experiment/{}", shop.test_id), change.clone()).ok();
        let result = shop.result("");
        for (arm, marked) in result["variants"].as_array().expect("arms").iter().zip(marked) {
            let expect = if marked { json!("2026-03-02T10:00:00.000Z") } else { Value::Null };
            assert_eq!(arm["redefined_at"], expect, "{change} {arm}");
        }
    }
}

#[test]
fn the_plan_of_the_start_stays() {
    let shop = Shop::open(On::Sqlite, json!({ "plan": { "mde": 10, "visitors": 1_000 } }));
    let path = format!("/experiment/{}", shop.test_id);
    // More changes than are searched for any other purpose.
    for visitors in 0..205 {
        shop.app.pass(Duration::from_secs(10));
        shop.client.patch(&path, json!({ "plan": { "mde": 10, "visitors": 2_000 + visitors } })).ok();
    }
    assert_eq!(shop.result("")["manifest"]["experiment"]["planned_visitors"], 1_000);
}
