//! Decisions over HTTP: OpenFeature one by one and in bulk, evaluate-many, and the effects of changes
//! on them.

use muriel_tests::{Answer, Client, On, raw, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        one_bulk_many_and_explain_agree,
        every_state_in_the_words_of_the_protocol,
        changes_are_seen_by_the_next_request,
        rules_that_only_a_page_can_check_are_named,
        variants_given_before_are_kept,
        what_is_not_known_keeps_the_visitor_out,
        contexts_of_wrong_types_are_named,
        bodies_that_are_none,
        many_has_limits_and_places,
        a_bulk_answer_is_known_by_its_tag,
        equal_keys_of_two_companies_do_not_meet,
        the_key_may_come_in_another_field,
        browsers_ask_first,
    ],
}

const FLAGS: &str = "/ofrep/v1/evaluate/flags";

#[track_caller]
fn flag(shop: &Client, key: &str, context: &Value) -> Answer {
    shop.post(&format!("{FLAGS}/{key}"), json!({ "context": context }))
}

#[track_caller]
fn flags(shop: &Client, context: &Value) -> Answer {
    shop.post(FLAGS, json!({ "context": context }))
}

/// Returns `[variant, reason, our reason, in_experiment]` of a flag.
#[track_caller]
fn decision(shop: &Client, key: &str, context: &Value) -> Value {
    let flag = flag(shop, key, context).ok();
    let metadata = &flag["metadata"];
    json!([flag["variant"], flag["reason"], metadata["reason"], metadata["in_experiment"]])
}

fn visitor(n: usize) -> Value {
    json!({ "targetingKey": format!("visitor-{n}") })
}

/// Creates an experiment with this key and status.
#[track_caller]
fn make(shop: &Client, key: &str, status: i64, besides: Value) -> i64 {
    let mut body = json!({ "experiment_key": key, "status": status });
    for (field, value) in besides.as_object().expect("fields") {
        body[field] = value.clone();
    }
    shop.experiment(body)
}

fn one_bulk_many_and_explain_agree(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let three = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let split = make(&shop, "split", 1, json!({ "variants": three, "configuration": { "traffic_allocation": 60 } }));
    let danes = json!({ "allowed_country": [{ "name": "Denmark", "code": "DK", "rule": "whitelist" }] });
    let targeted = make(&shop, "targeted", 1, json!({ "targeting": danes }));
    let served = make(&shop, "served", 1, json!({ "variants": three }));
    let winner = json!({ "variant_id": "2", "traffic_allocation": 50 });
    shop.post(&format!("/experiment/{served}/serve-winner"), winner).ok();
    let paused = make(&shop, "paused", 0, json!({}));
    let draft = make(&shop, "draft", 9, json!({}));
    let experiments =
        [("split", split), ("targeted", targeted), ("served", served), ("paused", paused), ("draft", draft)];
    let keys: Vec<_> = experiments.iter().map(|(key, _)| *key).collect();

    let contexts: Vec<Value> = (0..60)
        .map(|n| {
            let mut context = visitor(n);
            context["country"] = json!(if n % 2 == 0 { "DK" } else { "SE" });
            context
        })
        .collect();
    let named = json!({ "experiment_keys": keys, "contexts": contexts });
    let many = shop.post("/evaluate-many", named).ok()["assignments"].clone();
    let unnamed = shop.post("/evaluate-many", json!({ "contexts": contexts })).ok()["assignments"].clone();
    assert_eq!(many.as_array().map(Vec::len), Some(contexts.len()));
    let mut variants = std::collections::BTreeSet::new();
    for (at, context) in contexts.iter().enumerate() {
        let bulk = flags(&shop, context).ok()["flags"].clone();
        let bulk = bulk.as_array().expect("flags");
        assert_eq!(bulk.iter().map(|flag| &flag["key"]).collect::<Vec<_>>(), ["split", "targeted", "served"]);
        assert_eq!(unnamed[at].as_array().map(Vec::len), Some(3));
        for (nth, (key, id)) in experiments.iter().enumerate() {
            let single = flag(&shop, key, context).ok();
            assert_eq!(single["value"], single["variant"]);
            assert_eq!(single["metadata"]["test_id"], *id);
            if let Some(same) = bulk.iter().find(|flag| flag["key"] == *key) {
                assert_eq!(*same, single);
                assert_eq!(unnamed[at][nth], many[at][nth]);
            }
            let assignment = &many[at][nth];
            assert_eq!(assignment["experiment_key"], *key);
            assert_eq!(assignment["variant"], single["variant"]);
            for field in ["in_experiment", "epoch", "reason"] {
                assert_eq!(assignment[field], single["metadata"][field], "{field} of {key}");
            }
            let query = format!(
                "visitor={}&country={}",
                context["targetingKey"].as_str().expect("text"),
                context["country"].as_str().expect("text")
            );
            let explained = shop.get(&format!("/experiment/{id}/explain?{query}")).ok();
            for field in ["in_experiment", "epoch", "reason"] {
                assert_eq!(explained[field], single["metadata"][field], "{field} of {key}");
            }
            match &explained["variant"] {
                Value::Null => assert_eq!(single["variant"], "Control"),
                variant => assert_eq!(*variant, single["variant"]),
            }
            variants.insert(format!("{key} {} {}", single["variant"], single["reason"]));
        }
    }
    let variants: Vec<_> = variants.into_iter().collect();
    assert_eq!(
        variants,
        [
            r#"draft "Control" "DISABLED""#,
            r#"paused "Control" "DISABLED""#,
            r#"served "Control" "DEFAULT""#,
            r#"served "Variant 2" "STATIC""#,
            r#"split "Control" "DEFAULT""#,
            r#"split "Control" "SPLIT""#,
            r#"split "Variant 1" "SPLIT""#,
            r#"split "Variant 2" "SPLIT""#,
            r#"targeted "Control" "DEFAULT""#,
            r#"targeted "Control" "SPLIT""#,
            r#"targeted "Variant 1" "SPLIT""#,
        ],
        "every case was met"
    );
}

/// Gives all visitors the variant; half of them would get the control otherwise.
fn all_to_variant() -> Value {
    json!({ "configuration": { "distribution": { "Control": 0, "Variant 1": 100 } } })
}

fn every_state_in_the_words_of_the_protocol(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = make(&shop, "checkout", 9, all_to_variant());
    let decision = |context: Value| decision(&shop, "checkout", &context);
    assert_eq!(decision(visitor(1)), json!(["Control", "DISABLED", "disabled", false]), "a draft");
    shop.set_status(id, 1).ok();
    let live = flag(&shop, "checkout", &visitor(1)).ok();
    assert_eq!(
        live,
        json!({
            "key": "checkout", "value": "Variant 1", "variant": "Variant 1", "reason": "SPLIT",
            "metadata": { "test_id": id, "variant_id": "1", "epoch": 1, "in_experiment": true, "reason": "split",
                          "unenforced": "" },
        })
    );
    let path = format!("/experiment/{id}");
    shop.patch(&path, json!({ "targeting": { "device_rule": ["mobile"] } })).ok();
    let on_a = |device: &str| json!({ "targetingKey": "visitor-1", "device": device });
    assert_eq!(decision(on_a("mobile")), json!(["Variant 1", "SPLIT", "split", true]));
    assert_eq!(decision(on_a("desktop")), json!(["Control", "DEFAULT", "targeting", false]));
    let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.5 Mobile/15E148 Safari/604.1";
    let by_browser = json!({ "targetingKey": "visitor-1", "user_agent": phone });
    assert_eq!(
        decision(by_browser),
        json!(["Variant 1", "SPLIT", "split", true]),
        "the device is told from the browser"
    );
    shop.patch(&path, json!({ "targeting": {} })).ok();
    shop.set_status(id, 0).ok();
    assert_eq!(decision(visitor(1)), json!(["Control", "DISABLED", "disabled", false]), "paused");
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok();
    assert_eq!(decision(visitor(1)), json!(["Variant 1", "STATIC", "served", false]), "served, whatever the status");
    shop.delete(&path).ok();
    let gone = flag(&shop, "checkout", &visitor(1)).has_status(404);
    let details = "the project has no experiment with this key";
    let not_found = json!({ "key": "checkout", "errorCode": "FLAG_NOT_FOUND", "errorDetails": details });
    assert_eq!(gone.body, not_found);
}

/// Returns the answers of three endpoints about a visitor, and the ruleset's tag.
fn seen(app: &muriel_tests::TestApp, shop: &Client, key: &str) -> (Vec<Value>, String) {
    let context = visitor(1);
    let single = flag(shop, key, &context);
    let single = if single.status == 404 { json!("gone") } else { decision(shop, key, &context) };
    let bulk = flags(shop, &context).ok()["flags"].clone();
    let bulk = bulk.as_array().expect("flags").iter().find(|flag| flag["key"] == *key).cloned();
    let bulk = bulk.map_or(Value::Null, |flag| flag["variant"].clone());
    let many = shop.post("/evaluate-many", json!({ "contexts": [context] })).ok()["assignments"][0].clone();
    let many = many.as_array().expect("assignments").iter().find(|one| one["experiment_key"] == *key).cloned();
    let many = many.map_or(Value::Null, |one| one["variant"].clone());
    let ruleset = app.anyone().get(&format!("/ruleset/{}", shop.project_key)).has_status(200);
    (vec![single, bulk, many], ruleset.etag())
}

fn changes_are_seen_by_the_next_request(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let ruleset = format!("/ruleset/{}", shop.project_key);
    let anyone = app.anyone();
    // Pages hear of the project's changes only once the server does, and a request with a key makes it do so.
    flags(&shop, &visitor(1)).ok();
    let mut last = anyone.get(&ruleset).has_status(200).etag();
    let mut check = |what: &str, expect: [Value; 3], changes: bool| {
        let known = anyone.call("GET", &ruleset).header("if-none-match", &last).send();
        known.has_status(if changes { 200 } else { 304 });
        let (found, tag) = seen(&app, &shop, "checkout");
        assert_eq!(found, expect, "{what}");
        assert_eq!(tag != last, changes, "{what}");
        last = tag;
        let known = anyone.call("GET", &ruleset).header("if-none-match", &last).send().has_status(304);
        assert!(known.bytes.is_empty());
    };
    let one = || [json!(["Variant 1", "SPLIT", "split", true]), json!("Variant 1"), json!("Variant 1")];
    let two = || [json!(["Variant 2", "SPLIT", "split", true]), json!("Variant 2"), json!("Variant 2")];
    let out = |why: &str| [json!(["Control", "DEFAULT", why, false]), json!("Control"), json!("Control")];
    let hidden = || [json!(["Control", "DISABLED", "disabled", false]), json!(null), json!(null)];

    let variants = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let to_one = json!({ "distribution": { "Control": 0, "Variant 1": 100, "Variant 2": 0 } });
    let id = make(&shop, "checkout", 1, json!({ "variants": variants, "configuration": to_one }));
    check("created live", one(), true);
    let path = format!("/experiment/{id}");
    let danes = json!({ "allowed_country": [{ "name": "Denmark", "code": "DK", "rule": "whitelist" }] });
    shop.patch(&path, json!({ "targeting": danes })).ok();
    check("targeting", out("unknown"), true);
    shop.patch(&path, json!({ "targeting": {} })).ok();
    check("no targeting", one(), true);
    let to_two = json!({ "distribution": { "Control": 0, "Variant 1": 0, "Variant 2": 100 } });
    shop.patch(&path, json!({ "configuration": to_two })).ok();
    check("weights", two(), true);
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 0 } })).ok();
    check("traffic", out("traffic"), true);
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 100 } })).ok();
    check("traffic again", two(), true);
    shop.patch(&path, json!({ "tags": ["a"] })).ok();
    check("what visitors do not meet", two(), false);
    shop.patch(&path, json!({ "test_name": "Renamed" })).ok();
    check("a new name, without tools", two(), false);
    shop.merge(&path, json!({ "configuration": { "integration": ["ga4"] } })).ok();
    check("a tool", two(), true);
    shop.patch(&path, json!({ "test_name": "Renamed again" })).ok();
    check("a new name, with a tool", two(), true);
    shop.merge(&path, json!({ "configuration": { "integration": [] } })).ok();
    check("no tool", two(), true);
    shop.set_status(id, 0).ok();
    check("paused", hidden(), true);
    shop.set_status(id, 1).ok();
    check("resumed", two(), true);
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok();
    check("served", [json!(["Variant 1", "STATIC", "served", false]), json!("Variant 1"), json!("Variant 1")], true);
    shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 0 })).ok();
    check("served to nobody", out("rollout"), true);
    shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    check("serving stopped", two(), true);
    shop.delete(&path).ok();
    check("deleted", [json!("gone"), json!(null), json!(null)], true);
    let draft = make(&shop, "checkout-2", 9, json!({}));
    check("a draft", [json!("gone"), json!(null), json!(null)], false);
    shop.goal("bought");
    check("a goal that no page watches for", [json!("gone"), json!(null), json!(null)], false);
    let click = json!({ "goal_name": "Clicked", "goal_type": "clickOnElement", "goal_value": "#buy" });
    shop.post("/goal", click).created();
    check("a goal that pages watch for", [json!("gone"), json!(null), json!(null)], true);
    shop.delete(&format!("/experiment/{draft}")).ok();
    check("a draft deleted", [json!("gone"), json!(null), json!(null)], false);
}

fn rules_that_only_a_page_can_check_are_named(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let cookie = json!([[{ "criteria": "seen", "operator": "==", "value": "yes" }]]);
    let hours =
        json!({ "schedule_groups": [{ "days": ["monday"], "time_ranges": [{ "start": "09:00", "end": "10:00" }] }] });
    let mut besides = all_to_variant();
    besides["targeting"] = json!({ "cookie_rule": cookie, "schedule_rule": hours, "device_rule": ["mobile"] });
    make(&shop, "pages", 1, besides);
    let context = json!({ "targetingKey": "v", "device": "mobile" });
    let inside = flag(&shop, "pages", &context).ok();
    assert_eq!((&inside["variant"], &inside["reason"]), (&json!("Variant 1"), &json!("SPLIT")));
    assert_eq!(inside["metadata"]["unenforced"], "cookie_rule,schedule_rule");
    // A server's claims about page rules have no effect, because these rules are evaluated on the page.
    let claimed = json!({ "targetingKey": "v", "device": "mobile", "cookies": {}, "local_time": "sunday 12:00" });
    assert_eq!(flag(&shop, "pages", &claimed).ok(), inside);
    let outside = flag(&shop, "pages", &json!({ "targetingKey": "v", "device": "tablet" })).ok();
    assert_eq!(outside["metadata"]["reason"], "targeting");
}

fn variants_given_before_are_kept(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let variants = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let weights = json!({ "Control": 0, "Variant 1": 100, "Variant 2": 0 });
    let configuration = json!({ "traffic_allocation": 0, "distribution": weights });
    let id = make(&shop, "sticky", 1, json!({ "variants": variants, "configuration": configuration }));
    let given = |variant: &str| {
        decision(
            &shop,
            "sticky",
            &json!({ "targetingKey": "v", "sticky": { "sticky": variant, "other": "Variant 1" } }),
        )
    };
    assert_eq!(decision(&shop, "sticky", &visitor(1)), json!(["Control", "DEFAULT", "traffic", false]));
    assert_eq!(given("Variant 2"), json!(["Variant 2", "SPLIT", "sticky", true]), "past traffic and weights");
    assert_eq!(given("Control"), json!(["Control", "SPLIT", "sticky", true]));
    assert_eq!(given("Variant 7"), json!(["Control", "DEFAULT", "variant_gone", false]));
    shop.patch(&format!("/experiment/{id}"), json!({ "targeting": { "device_rule": ["mobile"] } })).ok();
    assert_eq!(given("Variant 2"), json!(["Control", "DEFAULT", "unknown", false]), "not past targeting");
}

fn what_is_not_known_keeps_the_visitor_out(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let rules = json!({
        "allowed_country": [{ "name": "Denmark", "code": "DK", "rule": "whitelist" }],
        "browser_language_rule": ["da"],
    });
    let mut besides = all_to_variant();
    besides["targeting"] = rules;
    make(&shop, "danish", 1, besides);
    for (facts, reason) in [
        (json!({}), "unknown"),
        (json!({ "country": "DK" }), "unknown"),
        (json!({ "country": "DK", "language": "da-DK" }), "split"),
        (json!({ "country": "dk", "language": "da" }), "split"),
        (json!({ "country": "DK", "language": "en" }), "targeting"),
        (json!({ "country": "SE" }), "targeting"),
        (json!({ "country": null, "language": "da" }), "targeting"),
        (json!({ "language": "en" }), "targeting"),
    ] {
        let mut context = facts.clone();
        context["targetingKey"] = json!("v");
        assert_eq!(decision(&shop, "danish", &context)[2], reason, "{facts}");
    }
}

fn contexts_of_wrong_types_are_named(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    make(&shop, "checkout", 1, json!({}));
    for (field, value) in [
        ("country", json!(1)),
        ("device", json!(["mobile"])),
        ("language", json!(true)),
        ("url", json!("not an address")),
        ("url", json!("ftp://shop.example/")),
        ("referrer", json!({})),
        ("audiences", json!("Buyers")),
        ("audiences", json!([1])),
        ("events", json!([{ "name": "signup" }])),
        ("cookies", json!([])),
        ("local_time", json!("noon")),
        ("sticky", json!({ "checkout": "variant 1" })),
        ("attributes", json!({ "plan": [] })),
        ("region", json!("x".repeat(8_193))),
    ] {
        let mut context = visitor(1);
        context[field] = value;
        for answer in [flag(&shop, "checkout", &context), flags(&shop, &context)] {
            let body = answer.has_status(400).body;
            assert_eq!(body["errorCode"], "INVALID_CONTEXT", "{body}");
            let details = body["errorDetails"].as_str().expect("details");
            assert!(details.starts_with(&format!("{field} must be ")), "{details}");
        }
        let many = shop.post("/evaluate-many", json!({ "contexts": [visitor(0), context] }));
        many.invalid(&[&format!("contexts[1].{field}")]);
    }
    for (key, code) in [
        (None, "TARGETING_KEY_MISSING"),
        (Some(json!("")), "INVALID_CONTEXT"),
        (Some(json!(7)), "INVALID_CONTEXT"),
        (Some(json!(null)), "INVALID_CONTEXT"),
        (Some(json!("x".repeat(513))), "INVALID_CONTEXT"),
    ] {
        let context = key.map_or(json!({}), |key| json!({ "targetingKey": key }));
        for answer in [flag(&shop, "checkout", &context), flags(&shop, &context)] {
            let body = answer.has_status(400).body;
            assert_eq!(body["errorCode"], code, "{context}");
            assert!(body["errorDetails"].as_str().is_some_and(|text| text.contains("targetingKey")), "{body}");
        }
    }
    // Unknown context fields are attributes, or have no effect.
    let odd = json!({ "targetingKey": "v", "plan": "pro", "nested": { "deep": [1] }, "none": null });
    flag(&shop, "checkout", &odd).ok();
}

fn bodies_that_are_none(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    make(&shop, "checkout", 1, json!({}));
    let single = format!("{FLAGS}/checkout");
    for path in [FLAGS, &single] {
        for (body, code) in [
            ("{\"context\":{\"targetingKey\":\"v\"}", "PARSE_ERROR"),
            ("", "PARSE_ERROR"),
            ("[]", "PARSE_ERROR"),
            ("{}", "TARGETING_KEY_MISSING"),
            ("{\"context\":null}", "TARGETING_KEY_MISSING"),
            ("{\"context\":\"v\"}", "INVALID_CONTEXT"),
            ("{\"context\":{\"targetingKey\":\"v\",\"targetingKey\":\"w\"}}", "PARSE_ERROR"),
        ] {
            let answer = shop.call("POST", path).body(body).send().has_status(400);
            assert_eq!(answer.body["errorCode"], code, "{body}");
            let key = (path == single).then_some("checkout");
            assert_eq!(answer.body.get("key").and_then(Value::as_str), key);
        }
    }
    for key in ["nobody", "Checkout", "checkout%20", "%00", "a%2Fb", &"x".repeat(65)] {
        let answer = flag(&shop, key, &visitor(1)).has_status(404);
        assert_eq!(answer.body["errorCode"], "FLAG_NOT_FOUND", "{key}");
    }
    flag(&shop, "%FF", &visitor(1)).has_status(404);
    shop.call("POST", &format!("{FLAGS}/a/b")).send().refused(404, "unknown_route");
    shop.get(FLAGS).refused(405, "method_not_allowed");
}

fn many_has_limits_and_places(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for n in 0..3 {
        make(&shop, &format!("test-{n}"), 1, json!({}));
    }
    let ask = |body: Value| shop.post("/evaluate-many", body);
    let contexts = |count: usize| (0..count).map(visitor).collect::<Value>();
    let all = ask(json!({ "contexts": contexts(1_000) })).ok();
    let all = all["assignments"].as_array().expect("assignments");
    assert_eq!(all.len(), 1_000);
    assert!(all.iter().all(|one| one.as_array().is_some_and(|one| one.len() == 3)));
    ask(json!({ "contexts": contexts(1_001) })).invalid(&["contexts"]);
    assert_eq!(ask(json!({ "contexts": [] })).ok(), json!({ "success": true, "assignments": [] }));
    let none = ask(json!({ "experiment_keys": [], "contexts": contexts(2) })).ok();
    assert_eq!(none["assignments"], json!([[], []]));

    let named = ask(json!({ "experiment_keys": ["test-2", "test-0"], "contexts": contexts(1) })).ok();
    let keys: Vec<_> =
        named["assignments"][0].as_array().expect("a list").iter().map(|one| &one["experiment_key"]).collect();
    assert_eq!(keys, ["test-2", "test-0"], "in the order asked for");

    ask(json!({})).invalid(&["contexts"]);
    ask(json!({ "contexts": null })).invalid(&["contexts"]);
    ask(json!({ "contexts": [1] })).invalid(&["contexts[0]"]);
    ask(json!({ "contexts": contexts(1), "keys": [] })).invalid(&["keys"]);
    ask(json!({ "contexts": contexts(1), "experiment_keys": "test-0" })).invalid(&["experiment_keys"]);
    ask(json!({ "contexts": contexts(1), "experiment_keys": ["test-0", 1] })).invalid(&["experiment_keys[1]"]);
    let unknown = json!({ "contexts": [visitor(1), {}], "experiment_keys": ["test-0", "x", "test-1", "y"] });
    ask(unknown).invalid(&["experiment_keys[1]", "experiment_keys[3]", "contexts[1].targetingKey"]);
    let too_many: Value = (0..501).map(|n| json!(format!("test-{n}"))).collect();
    ask(json!({ "contexts": contexts(1), "experiment_keys": too_many })).invalid(&["experiment_keys"]);
}

fn a_bulk_answer_is_known_by_its_tag(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = make(&shop, "checkout", 1, all_to_variant());
    let ask = |context: &Value, tag: &str| {
        shop.call("POST", FLAGS).header("if-none-match", tag).json(json!({ "context": context })).send()
    };
    let first = flags(&shop, &visitor(1)).has_status(200);
    assert!(first.header("cache-control").is_some_and(|control| control.contains("private")), "{first:?}");
    let tag = first.etag();
    let known = ask(&visitor(1), &tag).has_status(304);
    assert_eq!(known.etag(), tag);
    assert!(known.bytes.is_empty());
    ask(&visitor(1), "\"other\"").has_status(200);
    // Equal decisions have equal responses, for any visitor.
    ask(&visitor(2), &tag).has_status(304);
    shop.patch(&format!("/experiment/{id}"), json!({ "targeting": { "device_rule": ["mobile"] } })).ok();
    let changed = ask(&visitor(1), &tag).has_status(200);
    assert_ne!(changed.etag(), tag);
    let mobile = json!({ "targetingKey": "visitor-1", "device": "mobile" });
    ask(&mobile, &changed.etag()).has_status(200);
}

fn equal_keys_of_two_companies_do_not_meet(on: On) {
    let app = on.start();
    let (acme, other) = (app.project("Acme", "Shop"), app.project("Other", "Shop"));
    let mine = make(&acme, "checkout", 1, all_to_variant());
    let theirs = make(&other, "checkout", 1, json!({ "configuration": { "traffic_allocation": 0 } }));
    for n in 0..5 {
        let found = [&acme, &other].map(|shop| {
            let single = flag(shop, "checkout", &visitor(n)).ok();
            assert_eq!(flags(shop, &visitor(n)).ok()["flags"], json!([single]));
            (single["metadata"]["test_id"].clone(), single["variant"].clone())
        });
        assert_eq!(found, [(json!(mine), json!("Variant 1")), (json!(theirs), json!("Control"))]);
    }
    let foreign = other.with_key(acme.api_key.as_deref());
    let answers = [&foreign, &acme.in_project("prj_nowhere")].map(|client| {
        let body = json!({ "context": visitor(1) });
        let call = client.call("POST", &format!("{FLAGS}/checkout")).header("x-request-id", "same").json(body);
        call.send().has_status(404).bytes
    });
    assert_eq!(answers[0], answers[1]);
}

fn the_key_may_come_in_another_field(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    make(&shop, "checkout", 1, json!({}));
    let key = app.scoped(&shop, "evaluate").api_key.expect("a key");
    let reader = app.scoped(&shop, "read").api_key.expect("a key");
    let nobody = shop.with_key(None);
    let ask = |client: &Client, path: &str, key: &str| {
        let body = json!({ "context": visitor(1), "contexts": [] });
        client.call("POST", path).header("x-api-key", key).json(body).send()
    };
    let single = format!("{FLAGS}/checkout");
    for path in [FLAGS, &single] {
        ask(&nobody, path, &key).ok();
        let refused = ask(&nobody, path, "mrl_nobody").has_status(401);
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        assert_eq!(refused.body["errorCode"], "GENERAL");
        ask(&nobody, path, "").has_status(401);
        ask(&shop, path, &key).has_status(401);
        let lacks = ask(&nobody, path, &reader).has_status(403);
        assert!(lacks.body["errorDetails"].as_str().is_some_and(|text| text.contains("evaluate")), "{}", lacks.text());
    }
    ask(&nobody, "/evaluate-many", &key).refused(401, "unauthorized");
    nobody.call("GET", "/goals").header("x-api-key", &reader).send().refused(401, "unauthorized");
}

fn browsers_ask_first(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    make(&shop, "checkout", 1, json!({}));
    let preflight = |target: &str, method: &str, headers: &str| {
        let request = format!(
            "OPTIONS {target} HTTP/1.1\r\nHost: muriel.example\r\nOrigin: https://shop.example\r\n\
             Access-Control-Request-Method: {method}\r\nAccess-Control-Request-Headers: {headers}\r\n\
             Sec-Fetch-Mode: cors\r\nConnection: close\r\n\r\n"
        );
        raw::exchange(app.address, request.as_bytes()).has_status(200)
    };
    let lists = |answer: &Answer, name: &str, wanted: &str| {
        let listed = answer.header(name).unwrap_or_default().to_lowercase();
        let listed: Vec<_> = listed.split(',').map(str::trim).collect();
        for one in wanted.split(',') {
            assert!(listed.contains(&one), "{name}: {listed:?} has no {one}");
        }
    };
    let headers = "authorization,content-type,if-none-match,x-api-key";
    let flags_path = format!("{}{FLAGS}", shop.base);
    for target in [flags_path.clone(), format!("{flags_path}/checkout"), format!("{flags_path}?flagConfigEtag=x")] {
        let answer = preflight(&target, "POST", headers);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-max-age"), Some("7200"));
        lists(&answer, "access-control-allow-headers", headers);
        lists(&answer, "access-control-allow-methods", "post");
    }
    let answer = preflight(&format!("/ruleset/{}", shop.project_key), "GET", "if-none-match");
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    lists(&answer, "access-control-allow-headers", "if-none-match");

    let asked = shop.call("POST", FLAGS).header("origin", "https://shop.example");
    let answer = asked.json(json!({ "context": visitor(1) })).send().has_status(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    lists(&answer, "access-control-expose-headers", "etag,retry-after,x-request-id");
    assert_eq!(answer.header("vary"), None);
    let nobody = shop.with_key(None);
    let refused = nobody.call("POST", FLAGS).header("origin", "https://shop.example").json(json!({})).send();
    assert_eq!(refused.has_status(401).header("access-control-allow-origin"), Some("*"), "a page may read why");
    // The rest of the API is for servers.
    let request = format!(
        "OPTIONS {}/goals HTTP/1.1\r\nHost: muriel.example\r\nOrigin: https://shop.example\r\n\
         Access-Control-Request-Method: GET\r\nConnection: close\r\n\r\n",
        shop.base
    );
    let closed = raw::exchange(app.address, request.as_bytes()).refused(405, "method_not_allowed");
    assert_eq!(closed.header("access-control-allow-origin"), None);
}
