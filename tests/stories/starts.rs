//! First starts: in the past, and the plan that they fix.

use crate::results::{DAY, Shop, Visit, bought, counts};
use crate::scene::id;
use muriel_tests::{On, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        a_test_that_ran_elsewhere_is_given_its_start,
        a_past_start_is_an_act_of_an_admin_before_the_first_start,
        a_first_start_settles_the_plan,
    ],
}

const BEGUN: &str = "2026-02-01T00:00:00.000Z";

/// Returns the outcome of an exposure dated at this moment.
fn answer(shop: &Shop, at: &str) -> Value {
    let mut event = shop.exposure("1", at);
    event["id"] = id().into();
    let body = json!({ "visitor": { "id": format!("at-{at}") }, "events": [event] });
    shop.collector.trusted.post("", body).ok()["results"][0].clone()
}

fn a_test_that_ran_elsewhere_is_given_its_start(on: On) {
    let shop = Shop::open(on, json!({ "status": 9, "plan": { "visitors": 500 } }));
    let path = format!("/experiment/{}", shop.test_id);
    shop.crowd("v", &[("0", 150, 15), ("1", 150, 60)], "2026-02-02T10:00:00Z", &bought());
    let note = answer(&shop, "2026-02-03T10:00:00Z");
    assert_eq!(note["status"], "ok");
    assert!(note["note"].as_str().is_some_and(|note| note.contains("has not started")), "{note}");
    let result = shop.result("");
    assert_eq!(counts(&result), [(0, 0), (0, 0)]);
    let early = &result["health"]["before_start"];
    assert_eq!(early["status"], "warn", "{early}");
    assert!(early["message"].as_str().is_some_and(|said| said.starts_with("301 visitors")), "{early}");

    // A change before the start is not a change of a running test.
    shop.app.pass(DAY);
    shop.client.patch(&path, json!({ "variants": [{ "name": "Variant 1", "customCSS": "a {}" }] })).ok();
    shop.app.pass(DAY);
    let body = json!({ "status": 1, "started_at": BEGUN });
    shop.client.patch(&format!("{path}/status"), body.clone()).ok();
    let details = shop.client.details(shop.test_id);
    assert_eq!((&details["status"], &details["epochs"][0]["started_at"]), (&json!(1), &json!(BEGUN)));
    let acts = shop.app.history(shop.test_id);
    assert_eq!((acts[0].action.as_str(), &acts[0].before["status"]["status"]), ("status", &json!("draft")));
    assert_eq!(acts[0].at.to_string(), "2026-03-03T10:00:00.000Z");
    let result = shop.result("");
    assert_eq!(counts(&result), [(150, 15), (151, 60)]);
    assert_eq!((&result["start_date"], &result["end_date"]), (&json!("2026-02-01"), &json!("2026-03-03")));
    assert_eq!(result["variants"][1]["analysis"]["verdict"], "win", "{result}");
    assert_eq!(result["health"]["before_start"]["status"], "ok");
    assert_eq!(result["health"]["sample_ratio"]["epochs"][0]["epoch"], 1);
    assert_eq!(result["variants"][1]["redefined_at"], Value::Null);
    assert_eq!(result["manifest"]["experiment"]["started_at"], BEGUN);
    // The plan is the one at the start, whatever it becomes later.
    shop.client.patch(&path, json!({ "plan": { "visitors": 9_000 } })).ok();
    assert_eq!(shop.result("")["manifest"]["experiment"]["planned_visitors"], 500);

    // From now on events dated before this start get a note.
    assert_eq!(answer(&shop, BEGUN).get("note"), None);
    let note = answer(&shop, "2026-01-31T23:59:59.999Z");
    assert_eq!(note["status"], "ok");
    assert!(note["note"].as_str().is_some_and(|note| note.contains("before the experiment first started")), "{note}");
    assert_eq!(counts(&shop.result("")), [(150, 15), (152, 60)]);
    // So do events of a visitor without a key, and of a paused experiment.
    shop.client.set_status(shop.test_id, 0).ok();
    assert!(answer(&shop, "2026-01-01T00:00:00Z").get("note").is_some());
    // The same request again, for instance after a lost response.
    shop.client.set_status(shop.test_id, 1).ok();
    let refused = shop.client.patch(&format!("{path}/status"), body).refused(409, "transition_forbidden");
    let said = refused.body["error"].as_str().expect("a sentence");
    assert!(said.contains("started_at can be given with the first start only"), "{said}");
}

fn a_past_start_is_an_act_of_an_admin_before_the_first_start(on: On) {
    let shop = Shop::open(on, json!({ "status": 9 }));
    let path = format!("/experiment/{}/status", shop.test_id);
    let body = |started_at: Value| json!({ "status": 1, "started_at": started_at });
    let writer = shop.app.scoped(&shop.client, "read,write");
    writer.patch(&path, body(json!(BEGUN))).refused(403, "missing_scope");
    for (body, said) in [
        (body(json!("2026-03-01T10:00:01Z")), "must not be in the future"),
        (body(json!("2022-01-20")), "must not be before"),
        (body(json!("yesterday")), "must be an ISO 8601"),
        (body(json!(null)), "must be text"),
        (body(json!(1_770_000_000)), "must be text"),
        (json!({ "status": 0, "started_at": BEGUN }), "can be sent with status 1"),
    ] {
        let refused = shop.client.patch(&path, body.clone()).refused(400, "invalid_field");
        assert_eq!(refused.fields(), ["started_at"], "{body}");
        assert!(refused.message("started_at").contains(said), "{body}: {}", refused.message("started_at"));
    }
    assert_eq!(shop.client.details(shop.test_id)["status"], 9);
    shop.client.patch(&path, body(json!(BEGUN))).ok();
    let (version, live) = (shop.app.history(shop.test_id).len(), shop.client.details(shop.test_id));
    shop.client.patch(&path, body(json!(BEGUN))).ok();
    assert_eq!((shop.app.history(shop.test_id).len(), shop.client.details(shop.test_id)), (version, live));
    shop.client.patch(&path, body(json!("2026-02-02"))).refused(409, "transition_forbidden");
    // Later starts have their own time.
    shop.client.set_status(shop.test_id, 0).ok();
    shop.client.patch(&path, body(json!(BEGUN))).refused(409, "transition_forbidden");
    shop.send(&[Visit { visitor: "v", events: vec![shop.exposure("0", "2026-02-10T10:00:00Z")] }]);
    assert_eq!(counts(&shop.result("")), [(1, 0), (0, 0)]);
}

/// Returns the sentence of a response about the plan, if it has one.
fn about_plan(answer: &Value) -> Option<&str> {
    let warnings = answer["warnings"].as_array().expect("warnings");
    warnings.iter().filter_map(Value::as_str).find(|warning| warning.starts_with("plan.visitors"))
}

fn a_first_start_settles_the_plan(on: On) {
    let shop = Shop::open(on, json!({ "status": 9 }));
    let client = &shop.client;
    // Without visitors, too little is known about the project.
    let begun = client.set_status(shop.test_id, 1).ok();
    assert_eq!(begun.get("planned_visitors"), None);
    assert!(about_plan(&begun).is_some_and(|said| said.contains("tuned for 10000 visitors")), "{begun}");
    let planned = |test_id: i64| {
        let result = client.get(&format!("/experiment/{test_id}/result")).ok();
        result["manifest"]["experiment"]["planned_visitors"].clone()
    };
    assert_eq!(planned(shop.test_id), Value::Null);

    shop.crowd("v", &[("0", 20, 5), ("1", 20, 5)], "2026-03-01T10:00:00Z", &bought());
    shop.app.pass(2 * DAY);
    let experiment = |besides: Value| {
        let mut body = json!({ "test_name": "Two", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }],
                               "primary_goal_key": "bought", "plan": { "mde": 50 } });
        for (field, value) in besides.as_object().expect("fields") {
            body[field] = value.clone();
        }
        let body = body.as_object_mut().expect("fields");
        body.retain(|_, value| !value.is_null());
        client.post("/create-experiment", json!(body)).created()
    };
    let draft = experiment(json!({}));
    assert_eq!((draft.get("planned_visitors"), about_plan(&draft)), (None, None));
    let test_id = draft["test_id"].as_i64().expect("an id");
    let path = format!("/experiment/{test_id}");
    let needed = client.get(&format!("{path}/plan")).ok()["visitors_needed"].clone();
    assert!(needed.as_i64().is_some_and(|needed| (500..2_000).contains(&needed)), "{needed}");
    let begun = client.set_status(test_id, 1).ok();
    assert_eq!(begun["planned_visitors"], needed);
    let said = about_plan(&begun).expect("a sentence");
    assert!(said.contains("a lift of 50 % (plan.mde) of the 25 % of visitors"), "{said}");
    assert!(said.contains(&format!("needs {needed} visitors")), "{said}");
    assert_eq!(client.details(test_id)["plan"], json!({ "mde": 50.0, "visitors": needed }));
    assert_eq!(planned(test_id), needed);
    // The plan is fixed: neither a later plan nor a later start changes it.
    client.patch(&path, json!({ "plan": { "visitors": null } })).ok();
    for status in [1, 0, 1] {
        let answer = client.set_status(test_id, status).ok();
        assert_eq!((answer.get("planned_visitors"), about_plan(&answer)), (None, None), "{answer}");
    }
    assert_eq!(planned(test_id), needed);

    // The same holds where an experiment is created live, even with a goal that is created with it.
    let made = experiment(json!({ "status": 1, "experiment_key": "made" }));
    assert_eq!(made["planned_visitors"], needed, "{made}");
    assert_eq!(planned(made["test_id"].as_i64().expect("an id")), needed);
    let goal = json!({ "goal_name": "Buys", "goal_type": "event", "goal_value": "bought" });
    let inline =
        experiment(json!({ "status": 1, "primary_goal_key": null, "primary_goal": goal, "experiment_key": "in" }));
    assert_eq!(inline["planned_visitors"], needed, "{inline}");
    // A plan of the team stays, and without a goal there is nothing to plan for.
    let given = experiment(json!({ "status": 1, "plan": { "visitors": 777 }, "experiment_key": "given" }));
    assert_eq!((given.get("planned_visitors"), about_plan(&given)), (None, None), "{given}");
    assert_eq!(planned(given["test_id"].as_i64().expect("an id")), 777);
    let aimless = experiment(json!({ "status": 1, "primary_goal_key": null, "experiment_key": "aimless" }));
    assert_eq!((aimless.get("planned_visitors"), about_plan(&aimless)), (None, None), "{aimless}");
}

/// While events cannot be queried, the amount of traffic is unknown.
#[test]
fn a_start_while_the_events_cannot_be_read_says_so() {
    let app = On::Sqlite.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let test_id = shop.experiment(json!({ "status": 9, "primary_goal_key": "bought" }));
    std::fs::remove_file(app.settings.storage.data_dir.join("log.db")).expect("a log");
    let started = shop.patch(&format!("/experiment/{test_id}/status"), json!({ "status": 1 })).ok();
    let said = about_plan(&started).expect("a warning");
    assert!(said.contains("the project's traffic could not be read in time"), "{said}");
}
