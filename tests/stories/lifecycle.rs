//! Creation, status, epochs, deletion.

use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        every_step_of_the_status_table,
        what_pages_would_not_do_is_told,
    ],
    postgres_at_night: [
        a_concluded_experiment_is_reopened_first,
        epochs_tell_what_changed,
        creation_may_start_or_put_aside,
        keys_are_made_from_names,
        inline_goals_are_reused,
        creation_needs_its_fields,
        what_is_deleted_is_gone,
    ],
}

fn every_step_of_the_status_table(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let in_status = |status: i64| {
        let id = shop.experiment(json!({}));
        match status {
            9 => {}
            1 => drop(shop.set_status(id, 1).ok()),
            _ => {
                shop.set_status(id, 1).ok();
                shop.set_status(id, 0).ok();
            }
        }
        id
    };
    for (from, to, status) in [
        (9, 9, 200),
        (9, 1, 200),
        (9, 0, 200),
        (1, 9, 409),
        (1, 1, 200),
        (1, 0, 200),
        (0, 9, 200),
        (0, 1, 200),
        (0, 0, 200),
    ] {
        let id = in_status(from);
        app.pass(Duration::from_secs(1));
        let before = (shop.details(id), shop.etag(id));
        let answer = shop.set_status(id, to).has_status(status);
        let after = (shop.details(id), shop.etag(id));
        if status == 409 {
            answer.refused(409, "transition_forbidden");
        } else {
            assert_eq!(answer.etag(), after.1);
            let body = answer.ok();
            assert_eq!((&body["test_id"], &body["status"]), (&json!(id), &json!(to)));
        }
        if from == to || status == 409 {
            assert_eq!(after, before, "{from} to {to} changes nothing");
        } else {
            assert_eq!(after.0["status"], to, "{from} to {to}");
            assert_ne!(after.0["updated_at"], before.0["updated_at"], "{from} to {to}");
        }
        assert_eq!(after.0["is_completed"], 0, "only the dashboard concludes");
    }
    let id = in_status(9);
    for wrong in [json!(2), json!("1"), json!(1.0), json!(true), json!(null), json!(-1), json!([1])] {
        shop.patch(&format!("/experiment/{id}/status"), json!({ "status": wrong })).invalid(&["status"]);
    }
    shop.patch(&format!("/experiment/{id}/status"), json!({})).invalid(&["status"]);
    shop.patch(&format!("/experiment/{id}/status"), json!({ "status": 1, "x": 1 })).invalid(&["x"]);
    assert_eq!(shop.details(id)["status"], 9);

    // A missing primary goal is allowed, with a warning.
    let warned = shop.set_status(id, 1).ok();
    assert_eq!(warned["warnings"].as_array().map(Vec::len), Some(1));
    assert!(warned["warnings"][0].as_str().is_some_and(|text| text.contains("primary goal")), "{warned}");
    shop.goal("g");
    let with_goal = shop.experiment(json!({ "primary_goal_key": "g", "plan": { "visitors": 1_000 } }));
    assert_eq!(shop.set_status(with_goal, 1).ok()["warnings"], json!([]));
}

fn a_concluded_experiment_is_reopened_first(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    app.conclude(id);
    let details = shop.details(id);
    assert_eq!((&details["is_completed"], &details["status"]), (&json!(1), &json!(0)));
    assert_eq!(shop.get("/experiments").ok()["experiments"][0]["is_completed"], 1);
    for to in [1, 9] {
        shop.set_status(id, to).refused(409, "concluded");
    }
    assert_eq!(shop.details(id), details);
    app.reopen(id);
    shop.set_status(id, 1).ok();
    assert_eq!(shop.details(id)["is_completed"], 0);
}

fn epochs_tell_what_changed(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "configuration": { "traffic_allocation": 50 } }));
    let path = format!("/experiment/{id}");
    let epochs = || shop.details(id)["epochs"].as_array().expect("epochs").clone();
    let half = json!({ "Control": 50, "Variant 1": 50 });
    let third = json!({ "Control": 33.34, "Variant 1": 33.33, "Variant 2": 33.33 });
    let seventy = json!({ "Control": 70, "Variant 1": 20, "Variant 2": 10 });
    let two = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let coded = json!([{ "name": "Variant 1", "customJS": "x()" }, { "name": "Variant 2" }]);
    let status = |to: i64| ("/status", json!({ "status": to }));
    let patch = |body: Value| ("", body);
    // Changes of a draft open no epoch.
    shop.patch(&path, json!({ "configuration": { "traffic_allocation": 60 } })).ok();
    assert_eq!(epochs(), Vec::<Value>::new());
    let mut expect = Vec::new();
    for ((below, body), opened) in [
        (status(1), Some((vec!["status"], 60, half.clone()))),
        (patch(json!({ "variants": two })), Some((vec!["variants", "distribution"], 60, third.clone()))),
        (patch(json!({ "variants": coded })), Some((vec!["variants"], 60, third.clone()))),
        (patch(json!({ "targeting": { "device_rule": ["mobile"] } })), Some((vec!["targeting"], 60, third.clone()))),
        (patch(json!({ "configuration": { "traffic_allocation": 10 } })), Some((vec!["traffic"], 10, third.clone()))),
        (
            patch(json!({ "configuration": { "traffic_allocation": 10, "distribution": seventy } })),
            Some((vec!["distribution"], 10, seventy.clone())),
        ),
        // Changes that visitors do not notice open no epoch, nor do equal values.
        (patch(json!({ "test_name": "Other", "tags": ["x"], "url": "https://shop.example/other" })), None),
        (patch(json!({ "variants": coded })), None),
        (
            patch(
                json!({ "targeting": { "os_rule": ["ios"] }, "configuration": { "traffic_allocation": 20, "distribution": seventy } }),
            ),
            Some((vec!["targeting", "traffic"], 20, seventy.clone())),
        ),
        (status(0), Some((vec!["status"], 20, seventy.clone()))),
        (patch(json!({ "configuration": { "traffic_allocation": 30, "distribution": seventy } })), None),
        (status(1), Some((vec!["status"], 30, seventy.clone()))),
        (status(1), None),
    ] {
        app.pass(Duration::from_secs(1));
        let shown = body.to_string();
        shop.patch(&format!("{path}{below}"), body).ok();
        if let Some((reasons, traffic, weights)) = opened {
            expect.push((reasons, traffic, weights));
        }
        let read = epochs();
        assert_eq!(read.len(), expect.len(), "after {shown}: {read:?}");
        for (number, (epoch, (reasons, traffic, weights))) in read.iter().zip(&expect).enumerate() {
            assert_eq!(epoch["epoch"], number + 1);
            let mut said: Vec<_> =
                epoch["reasons"].as_array().expect("reasons").iter().filter_map(Value::as_str).collect();
            let mut reasons = reasons.clone();
            said.sort_unstable();
            reasons.sort_unstable();
            // New arms may or may not count as a change of the distribution too.
            if reasons.contains(&"variants") {
                said.retain(|reason| *reason != "distribution");
                reasons.retain(|reason| *reason != "distribution");
            }
            assert_eq!(said, reasons, "epoch {}", number + 1);
            assert_eq!(
                (&epoch["traffic_allocation"], &epoch["weights"]),
                (&json!(traffic), weights),
                "epoch {}",
                number + 1
            );
        }
    }
    let started: Vec<_> = epochs().iter().map(|epoch| epoch["started_at"].as_str().map(str::to_owned)).collect();
    assert!(started.windows(2).all(|two| two[0] < two[1]), "{started:?}");
}

fn creation_may_start_or_put_aside(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let create = |status: Value| {
        let mut body =
            json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] });
        body["status"] = status;
        shop.post("/create-experiment", body)
    };
    for (status, epochs, warnings) in [(9, 0, 0), (1, 1, 1), (0, 0, 0)] {
        let made = create(json!(status)).created();
        assert_eq!(made["status"], status);
        assert_eq!(made["warnings"].as_array().map(Vec::len), Some(warnings), "{status}");
        let details = shop.details(made["test_id"].as_i64().expect("an id"));
        assert_eq!(details["status"], status);
        assert_eq!(details["epochs"].as_array().map(Vec::len), Some(epochs), "{status}");
    }
    for wrong in [json!(2), json!("1"), json!(null), json!(true)] {
        create(wrong).invalid(&["status"]);
    }
}

fn what_pages_would_not_do_is_told(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("g");
    let variant = |name: &str, code: &str| json!({ "name": name, "customJS": code });
    let body = |code: &str, test_type: &str, trigger: &str| {
        json!({
            "test_name": "N", "url": "https://shop.example/", "primary_goal_key": "g", "test_type": test_type,
            "custom_js": code, "control": { "customJS": code },
            "variants": [variant("Variant 1", "a()"), variant("Variant 2", &format!("a()\n{code}"))],
            "configuration": { "trigger_variant_change": trigger }, "plan": { "visitors": 1_000 },
        })
    };
    let good = shop.post("/create-experiment", body("b()", "abtest", "element:#late")).created();
    assert_eq!(good["warnings"], json!([]));

    let made = shop.post("/create-experiment", body("b((", "split", "whenever")).created();
    let begin = |answer: &Value| -> Vec<String> {
        let texts = answer["warnings"].as_array().expect("warnings").iter();
        texts.map(|text| text.as_str().expect("text").split([':', ' ']).next().unwrap_or_default().to_owned()).collect()
    };
    let fields =
        ["variants", "configuration.trigger_variant_change", "custom_js", "control.customJS", "variants[1].customJS"];
    assert_eq!(begin(&made), fields, "{made}");
    let of_variant = made["warnings"][4].as_str().expect("text");
    assert!(of_variant.ends_with("line 2"), "{of_variant}");

    // The warning is repeated when visitors are about to get the code, and prevents nothing.
    let id = made["test_id"].as_i64().expect("an id");
    let started = shop.set_status(id, 1).ok();
    assert_eq!((&started["status"], &started["warnings"]), (&json!(1), &made["warnings"]));
    let mended = json!({ "custom_js": "", "control": { "customJS": "" }, "variants": [variant("Variant 1", "a()")] });
    shop.patch(&format!("/experiment/{id}"), mended).ok();
    assert_eq!(begin(&shop.set_status(id, 0).ok()), fields[..2]);
}

fn keys_are_made_from_names(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let key = |body: Value| shop.details(shop.experiment(body))["experiment_key"].clone();
    for expect in ["shorter-form", "shorter-form-2", "shorter-form-3", "shorter-form-4"] {
        assert_eq!(key(json!({ "test_name": "Shorter  Form!" })), expect);
    }
    assert_eq!(key(json!({ "experiment_key": "A.b_c-1" })), "A.b_c-1");
    assert_eq!(key(json!({ "experiment_key": "k".repeat(64) })), "k".repeat(64));
    let body = |key: Value| json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }], "experiment_key": key });
    shop.post("/create-experiment", body(json!("shorter-form-3"))).refused(409, "key_taken");
    for wrong in [json!(""), json!("a b"), json!("ä"), json!("k".repeat(65)), json!("a/b"), json!(1), json!(null)] {
        shop.post("/create-experiment", body(wrong)).invalid(&["experiment_key"]);
    }
    // Names without ASCII letters get a key as well, and long names a shortened one.
    for name in
        ["日本語", "日本語", "!!!", "ß".repeat(255).as_str(), "x".repeat(255).as_str(), "x".repeat(255).as_str()]
    {
        let key = key(json!({ "test_name": name }));
        let key = key.as_str().expect("a key");
        let good = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        assert!(good && (1..=64).contains(&key.len()), "{name}: {key}");
    }
    // Another project has its own keys.
    let blog = app.project("Acme", "Blog");
    let there = blog.experiment(json!({ "experiment_key": "shorter-form" }));
    assert_eq!(blog.details(there)["experiment_key"], "shorter-form");
    // An update cannot change the key.
    let id = shop.experiment(json!({}));
    shop.patch(&format!("/experiment/{id}"), json!({ "experiment_key": "new" })).invalid(&["experiment_key"]);
}

fn inline_goals_are_reused(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let goal = |name: &str, goal_type: &str, value: Value| json!({ "goal_name": name, "goal_type": goal_type, "goal_value": value });
    let create = |primary: Value, secondary: Value| {
        shop.post(
            "/create-experiment",
            json!({
                "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }],
                "primary_goal": primary, "secondary_goals": secondary,
            }),
        )
    };
    let count = || shop.get("/goals").ok()["count"].clone();
    let first =
        create(goal("Bought", "event", json!("buy")), json!([goal("Seen", "pageview", json!("/thanks"))])).created();
    assert_eq!((&first["secondary_goals_count"], count()), (&json!(1), json!(2)));
    let again = create(
        goal("Bought", "event", json!("other value")),
        json!([goal("Seen", "pageview", json!("/x")), goal("Bought", "revenue", json!("Purchase"))]),
    );
    let again = again.created();
    assert_eq!(again["goal_profile_id"], first["goal_profile_id"], "same name and type");
    assert_eq!((&again["secondary_goals_count"], count()), (&json!(2), json!(3)));
    let details = shop.details(again["test_id"].as_i64().expect("an id"));
    assert_eq!(details["primary_goal"]["goal_value"], "buy");
    assert_eq!(
        (&details["primary_goal_key"], &details["secondary_goal_keys"]),
        (&json!("bought"), &json!(["seen", "bought-2"]))
    );

    // An invalid goal prevents the creation of all of them.
    create(goal("", "event", json!("x")), json!([])).invalid(&["primary_goal.goal_name"]);
    create(goal("New", "click", json!("x")), json!([])).invalid(&["primary_goal.goal_type"]);
    create(goal("New", "scrolling", json!(0)), json!([])).invalid(&["primary_goal.goal_value"]);
    let later = json!([goal("New", "event", json!("x")), goal("New 2", "event", json!(""))]);
    create(goal("New 3", "event", json!("x")), later).invalid(&["secondary_goals[1].goal_value"]);
    create(json!(null), json!([])).refused(400, "invalid_field");
    let both = json!({
        "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }],
        "primary_goal": goal("New", "event", json!("x")), "primary_goal_key": "bought",
    });
    shop.post("/create-experiment", both).refused(400, "invalid_field");
    assert_eq!(count(), 3);
}

fn creation_needs_its_fields(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    let elsewhere = blog.hypothesis(json!({ "problem": "P" }));
    let good = json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] });
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    shop.post("/create-experiment", json!({})).invalid(&["test_name", "url", "variants"]);
    for field in ["test_name", "url", "variants"] {
        let mut body = good.clone();
        body.as_object_mut().expect("a body").remove(field);
        shop.post("/create-experiment", body).invalid(&[field]);
        shop.post("/create-experiment", with(field, json!(null))).invalid(&[field]);
    }
    for (field, value) in [
        ("url", json!("https://shop.example/*")),
        ("variants", json!([])),
        ("test_type", json!("ab")),
        ("test_type", json!(null)),
        ("hypothesis_id", json!(elsewhere)),
        ("hypothesis_id", json!(999_999)),
        ("is_completed", json!(0)),
        ("test_id", json!(1)),
        ("created_at", json!("2026-01-01")),
        ("colour", json!("red")),
    ] {
        shop.post("/create-experiment", with(field, value)).invalid(&[field]);
    }
    shop.post("/create-experiment", with("secondary_goal_keys", json!(["nope"]))).invalid(&["secondary_goal_keys[0]"]);
    shop.post("/create-experiment", with("plan", json!({ "mde": 0 }))).invalid(&["plan.mde"]);
    assert_eq!(shop.get("/experiments").ok()["count"], 0, "nothing was made");
    for test_type in ["abtest", "split", "personalization"] {
        let id = shop.experiment(json!({ "test_type": test_type }));
        assert_eq!(shop.details(id)["test_type"], test_type);
    }
}

fn gone(shop: &Client, id: i64) {
    let path = format!("/experiment/{id}");
    for below in ["", "/distribution", "/preview-urls"] {
        shop.get(&format!("{path}{below}")).refused(404, "not_found");
    }
    shop.patch(&path, json!({ "test_name": "x" })).refused(404, "not_found");
    shop.set_status(id, 1).refused(404, "not_found");
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).refused(404, "not_found");
    shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 1 })).refused(404, "not_found");
    shop.call("POST", &format!("{path}/stop-serving")).send().refused(404, "not_found");
    shop.delete(&path).refused(404, "not_found");
}

fn what_is_deleted_is_gone(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let goal = shop.goal("g");
    let draft = shop.experiment(json!({ "experiment_key": "draft", "primary_goal_key": "g" }));
    let live = shop.experiment(json!({ "experiment_key": "live", "status": 1 }));
    for (id, was_live) in [(draft, false), (live, true)] {
        assert_eq!(shop.delete(&format!("/experiment/{id}")).ok()["was_live"], was_live);
        gone(&shop, id);
    }
    assert_eq!(shop.get("/experiments").ok()["experiments"], json!([]));
    let next = shop.experiment(json!({ "experiment_key": "live" }));
    assert!(next > live, "{next} is a new id");
    assert_eq!(shop.details(next)["experiment_key"], "live", "its key is free again");
    gone(&shop, live);
    shop.delete(&format!("/goal/{goal}")).ok();
}
