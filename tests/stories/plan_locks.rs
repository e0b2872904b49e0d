//! The plan that the first start locks, and the results that are exploratory because of it.

use crate::mcp::tool;
use crate::recompute::{scene, verified};
use crate::results::{DAY, Shop, bought};
use crate::webhooks::{Receiver, made};
use muriel_domain::experiment::LockedPlan;
use muriel_store::plan_locks;
use muriel_tests::process::Process;
use muriel_tests::{Client, DEADLINE, On, eventually, scratch, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        the_first_lock_stays,
        where_nothing_was_locked_the_answer_says_so,
        a_start_of_the_past_is_locked_late,
        what_comes_later_is_exploratory,
    ],
    postgres_at_night: [
        every_first_start_locks_the_plan,
        a_goal_that_counts_something_else_is_noticed,
        another_primary_goal_is_told_wherever_a_verdict_is,
    ],
}

const HOUR: Duration = Duration::from_secs(3_600);
const LOCKED: &str = "2026-03-01T10:00:00.000Z";

fn result_of(client: &Client, test_id: i64, query: &str) -> Value {
    client.get(&format!("/experiment/{test_id}/result{query}")).ok()
}

/// Returns the plan of a result, after checking its hash against the manifest's content.
#[track_caller]
fn plan_of(result: &Value) -> Value {
    let (plan, facts) = (&result["plan"], &result["manifest"]["plan"]);
    let content: LockedPlan = serde_json::from_value(facts["content"].clone()).expect("a plan");
    assert_eq!(plan["hash"], plan_locks::hash(&content), "{plan}");
    assert_eq!((&plan["hash"], &plan["locked_at"]), (&facts["hash"], &facts["content"]["locked_at"]));
    plan.clone()
}

/// Returns the reason why something is exploratory; it has the label exactly if there is a reason.
#[track_caller]
fn why(labelled: &Value) -> Option<&str> {
    let reason = labelled.get("exploratory_reason").map(|reason| reason.as_str().expect("a sentence"));
    assert_eq!(labelled.get("exploratory"), reason.map(|_| json!(true)).as_ref(), "{labelled}");
    reason
}

#[track_caller]
fn says(labelled: &Value, expect: &str) {
    let reason = why(labelled).unwrap_or_else(|| panic!("no reason: {labelled}"));
    assert!(reason.contains(expect), "{reason}");
}

fn metric<'a>(result: &'a Value, key: &str) -> &'a Value {
    let metrics = result["metrics"].as_array().expect("metrics");
    metrics.iter().find(|metric| metric["key"] == key).unwrap_or_else(|| panic!("no metric {key}"))
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

fn every_first_start_locks_the_plan(on: On) {
    let shop = Shop::open(on, json!({ "plan": { "mde": 50, "visitors": 700 } }));
    let client = &shop.client;
    let plan = plan_of(&shop.result(""));
    assert_eq!((&plan["locked_at"], &plan["planned_visitors"]), (&json!(LOCKED), &json!(700)));
    assert_eq!((&plan["planned_from"], &plan["mde"]), (&json!("given"), &json!(50.0)));
    assert_eq!((&plan["primary_goal"]["goal_key"], &plan["arms"]), (&json!("bought"), &json!(["0", "1"])));
    // Traffic to plan with.
    shop.crowd("v", &[("0", 20, 5), ("1", 20, 5)], "2026-03-01T10:00:00Z", &bought());
    shop.app.pass(2 * DAY);
    let person = shop.app.signed_in_as(client, "admin");
    let draft = |besides: Value| {
        let mut body = json!({ "primary_goal_key": "bought", "plan": { "mde": 50 } });
        for (field, value) in besides.as_object().expect("fields") {
            body[field] = value.clone();
        }
        let test_id = client.experiment(body);
        let shown = result_of(client, test_id, "");
        if shown["status"] == "draft" {
            assert_eq!(shown["plan"], Value::Null);
            let note = shown["plan_note"].as_str().expect("a note");
            assert!(note.contains("locked at the first start"), "{note}");
        }
        test_id
    };
    let clock = draft(json!({ "configuration": { "start_test_date": "2026-03-03T11:00:00Z" } }));
    let created = draft(json!({ "status": 1 }));
    let patched = draft(json!({}));
    client.set_status(patched, 1).ok();
    let changed = draft(json!({}));
    let body = json!({ "status": 1, "changes": { "plan": { "mde": 40, "visitors": 900 }, "builtin_metrics": [] } });
    client.patch(&format!("/experiment/{changed}/status"), body).ok();
    let approved = draft(json!({}));
    shop.app.approval_rules(client, true, false);
    let made = client.post(&format!("/experiment/{approved}/proposals"), json!({ "status": 1 })).created();
    person.post(&format!("/proposals/{}/approve", made["proposal_id"]), json!({})).ok();
    shop.app.pass(HOUR);
    eventually("a start by the clock", DEADLINE, || client.details(clock)["status"] == 1);
    for (what, test_id, from) in [
        ("created live", created, "computed"),
        ("started", patched, "computed"),
        ("changed and started", changed, "given"),
        ("approved", approved, "computed"),
        ("started by the clock", clock, "computed"),
    ] {
        let result = result_of(client, test_id, "");
        let plan = plan_of(&result);
        assert_eq!(plan["planned_from"], from, "{what}");
        let planned = &result["manifest"]["experiment"]["planned_visitors"];
        assert!(planned.is_i64() && plan["planned_visitors"] == *planned, "{what}: {plan}");
        assert_eq!((&plan["changed_since"], result.get("plan_note")), (&json!([]), None), "{what}");
        assert_eq!(why(&result), None, "{what}");
        // The chain of the audit log contains the hash.
        let admin = shop.app.scoped(client, "admin");
        let mut company = admin.clone();
        company.base = String::new();
        let entries = company.get(&format!("/v2/audit?object=experiment:{test_id}")).ok();
        assert_eq!(entries.to_string().matches(plan["hash"].as_str().expect("a hash")).count(), 1, "{what}: {entries}");
    }
    let plan = plan_of(&result_of(client, changed, ""));
    assert_eq!((&plan["mde"], &plan["guardrails"]), (&json!(40.0), &json!([])));
    assert_eq!(plan_of(&result_of(client, clock, ""))["locked_at"], client.details(clock)["epochs"][0]["started_at"]);
}

fn what_comes_later_is_exploratory(on: On) {
    let mut shop = Shop::open(on, json!({ "status": 9 }));
    let client = shop.client.clone();
    for key in ["looked", "later"] {
        client.goal(key);
    }
    let hypothesis = client.hypothesis(json!({ "observation": "Few buy", "solution": "A larger button" }));
    let path = format!("/experiment/{}", shop.test_id);
    let planned = json!({
        "secondary_goal_keys": ["looked"], "builtin_metrics": ["bounce_rate"], "event_metrics": ["wish"],
        "hypothesis_id": hypothesis, "plan": { "mde": 10, "visitors": 400 },
        "variants": [{ "name": "Variant 1" }, { "name": "Variant 2" }],
        "configuration": { "completion_visitor": 400 },
    });
    client.merge(&path, planned).ok();
    let preview = |body: &Value| {
        let call = client.call("POST", &format!("{path}/change-preview"));
        let call = call.header("content-type", "application/merge-patch+json");
        call.body(body.to_string()).send().ok()["exploratory"].clone()
    };
    assert_eq!(preview(&json!({ "plan": { "mde": 11 } })), json!([]), "nothing is locked");
    client.set_status(shop.test_id, 1).ok();
    shop.crowd("v", &[("0", 20, 2), ("1", 20, 4), ("2", 20, 3)], "2026-03-01T10:00:01Z", &bought());
    let result = shop.result("");
    let plan = plan_of(&result);
    assert_eq!(
        (&plan["hypothesis_id"], &plan["hypothesis"]["solution"]),
        (&json!(hypothesis), &json!("A larger button"))
    );
    assert_eq!((&plan["guardrails"], &plan["event_metrics"]), (&json!(["bounce_rate"]), &json!(["wish"])));
    assert_eq!(plan["secondary_goals"][0]["goal_key"], "looked");
    assert_eq!(plan["stop_rule"]["completion_visitor"], 400);
    assert!(!result["metrics"].to_string().contains("exploratory"), "{}", result["metrics"]);

    // A hypothesis that is rewritten to fit the result is detected.
    let rewrite = |solution: &str| {
        client.patch(&format!("/hypothesis/{hypothesis}"), json!({ "solution": solution })).ok();
        shop.result("")["plan"].clone()
    };
    let rewritten = rewrite("A smaller button");
    assert!(texts(&rewritten["changed_since"])[0].contains("The hypothesis was rewritten"), "{rewritten}");
    assert_eq!(rewritten["hypothesis"], plan["hypothesis"]);
    assert_eq!(rewrite("A larger button"), plan);

    // Other visitors than planned make the result exploratory, but they are not a change of the plan.
    for query in
        ["filter_by=mobile", "start_date=2026-03-01", "end_date=2026-03-01", "epoch=1", "report_phase=all_time"]
    {
        let cut = shop.result(&format!("?{query}"));
        says(&cut, query.split('=').next().unwrap_or_default());
        says(metric(&cut, "looked"), "other visitors than the plan");
        assert_eq!(cut["plan"], plan, "{query}");
    }
    let parts = shop.result("?breakdown_by=device");
    says(&parts["breakdowns"][0], "No segment is part of the plan");
    assert_eq!(why(&parts), None);
    let asked = shop.result("?goal_key=later");
    says(&asked, "The goal later is not in the plan that was locked at 10:00 UTC on 1 Mar 2026");
    assert_eq!((&asked["plan"]["changed_since"], why(metric(&asked, "bought"))), (&json!([]), None));
    assert_eq!(why(&shop.result("?goal_key=looked")), None);

    let steps = [
        (json!({ "secondary_goal_keys": ["looked", "later"] }), "The goal later is not in the plan"),
        (json!({ "builtin_metrics": ["bounce_rate", "engagement"] }), "The guardrail engagement is not in the plan"),
        (json!({ "event_metrics": ["wish", "zoom"] }), "The event zoom is not in the plan"),
        (json!({ "plan": { "mde": 20 } }), "plan.mde) is 20 % now; the plan has 10 %"),
        (json!({ "plan": { "visitors": 300 } }), "plan.visitors) is 300 now; the plan has 400"),
        (json!({ "configuration": { "completion_visitor": 300, "completion_after_period": 3 } }), {
            "The rules that end it (configuration: completion_visitor, completion_after_period)"
        }),
        (json!({ "configuration": { "confidence_interval": 80 } }), "is 80 % now; the plan has 95 %"),
        (json!({ "hypothesis_id": null }), "another hypothesis than the plan, or to none"),
        (json!({ "event_metrics": ["zoom"] }), "The event wish of the plan is no longer reported"),
        (json!({ "variants": [{ "name": "Variant 1", "customCSS": "a {}" }, { "name": "Variant 2" }] }), {
            "Variant 1 was changed at 10:00 UTC on 1 Mar 2026, after the plan was locked"
        }),
        (
            json!({ "variants": [
                { "name": "Variant 1", "customCSS": "a {}" }, { "name": "Variant 2" }, { "name": "Variant 3" },
            ] }),
            "Variant 3 was added after the plan was locked",
        ),
    ];
    let count = steps.len();
    for (body, expect) in &steps {
        let shown = preview(body);
        let shown = texts(&shown);
        assert!(shown.len() == 1 && shown[0].contains(expect), "{body}: {shown:?}");
        client.merge(&path, body.clone()).ok();
        assert_eq!(preview(body), json!([]), "it was made");
        let now = shop.result("")["plan"]["changed_since"].clone();
        assert!(texts(&now).iter().any(|it| it.contains(expect)), "{body}: {now}");
    }
    let result = shop.result("");
    assert_eq!(texts(&result["plan"]["changed_since"]).len(), count, "{}", result["plan"]);
    // The threshold affects every interval and every verdict.
    let threshold = "The confidence threshold was changed from 95 % to 80 % after the plan was locked";
    let compared = || result["variants"].as_array().expect("arms").iter().skip(1);
    for labelled in result["metrics"].as_array().expect("metrics").iter().chain(compared()).chain([&result]) {
        assert!(why(labelled).is_some_and(|it| it.contains(threshold)), "{labelled}");
    }
    assert_eq!(why(&result["variants"][0]), None);
    client.merge(&path, json!({ "configuration": { "confidence_interval": 95 } })).ok();
    let result = shop.result("");
    assert_eq!(texts(&result["plan"]["changed_since"]).len(), count - 1, "{}", result["plan"]);
    assert_eq!((plan_of(&result)["hash"].clone(), why(&result)), (plan["hash"].clone(), None));
    for (key, is_planned) in
        [("looked", true), ("later", false), ("bounce_rate", true), ("engagement", false), ("zoom", false)]
    {
        assert_eq!(why(metric(&result, key)).is_none(), is_planned, "{key}");
    }
    let arms: Vec<bool> = result["variants"].as_array().expect("arms").iter().map(|arm| why(arm).is_some()).collect();
    assert_eq!(arms, [false, true, false, true]);
    let days = client.get(&format!("{path}/timeseries")).ok();
    assert_eq!((why(&days), &days["exploratory_arms"][0]["variant_id"]), (None, &json!("1")));
    assert_eq!(days["exploratory_arms"].as_array().map(Vec::len), Some(2));
    says(&client.get(&format!("{path}/timeseries?goal_key=later")).ok(), "The goal later");
    let csv = client.get(&format!("{path}/result.csv")).text();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].ends_with(",exploratory"), "{csv}");
    assert!(lines[1].starts_with("bought") && lines[1].ends_with(','), "{csv}");
    assert!(lines[2].contains("Variant 1 was changed"), "{csv}");
    assert!(csv.contains("The goal later is not in the plan"), "{csv}");

    // Every arm is compared with the control.
    client.merge(&path, json!({ "control": { "customCSS": "b {}" } })).ok();
    let result = shop.result("");
    says(&result["variants"][0], "The control was changed");
    says(&result["variants"][2], "The control, with which it is compared, was changed");
    // Unchanged after a restart.
    shop.app.start_again();
    let again = client.at(shop.app.address);
    let after = result_of(&again, shop.test_id, "");
    assert_eq!((&after["plan"], &after["variants"]), (&result["plan"], &result["variants"]));
}

fn a_goal_that_counts_something_else_is_noticed(on: On) {
    let shop = Shop::open(on, json!({ "secondary_goal_keys": [] }));
    let client = &shop.client;
    let goals = client.get("/goals").ok();
    let goal = format!("/goal/{}", goals["goals"][0]["goal_profile_id"]);
    for (change, back, fields) in [
        (json!({ "goal_value": "sold" }), json!({ "goal_value": "bought" }), "(goal_value)"),
        (json!({ "window_days": 3, "min_count": 2 }), json!({ "window_days": null, "min_count": 1 }), {
            "(window_days, min_count)"
        }),
        (
            json!({ "goal_type": "revenue", "cap": 50 }),
            json!({ "goal_type": "event", "cap": null }),
            "(goal_type, cap)",
        ),
    ] {
        client.patch(&goal, change).ok();
        let result = shop.result("");
        says(&result, &format!("The definition of the goal bought {fields} was changed after the plan was locked"));
        assert_eq!(texts(&result["plan"]["changed_since"]).len(), 1);
        assert_eq!(result["plan"]["primary_goal"]["goal_value"], "bought");
        says(&client.get(&format!("/experiment/{}/timeseries", shop.test_id)).ok(), "The definition of the goal");
        client.patch(&goal, back).ok();
        assert_eq!(why(&shop.result("")), None, "{fields}: as it was");
    }
    // A new name changes nothing about that.
    client.patch(&goal, json!({ "goal_name": "Orders" })).ok();
    let result = shop.result("");
    assert_eq!((why(&result), &result["plan"]["changed_since"]), (None, &json!([])));
}

fn the_first_lock_stays(on: On) {
    let shop = Shop::open(on, json!({}));
    let client = &shop.client;
    client.goal("other");
    let path = format!("/experiment/{}", shop.test_id);
    let hash = plan_of(&shop.result(""))["hash"].clone();
    client.set_status(shop.test_id, 0).ok();
    client.patch(&path, json!({ "primary_goal_key": "other", "plan": { "mde": 30 } })).ok();
    shop.app.pass(HOUR);
    client.set_status(shop.test_id, 1).ok();
    let result = shop.result("");
    assert_eq!((&plan_of(&result)["hash"], &result["plan"]["locked_at"]), (&hash, &json!(LOCKED)));
    says(&result, "The goal other is not in the plan");
    assert!(texts(&result["plan"]["changed_since"])[0].contains("The primary goal of the plan, bought, is no longer"));
    // A copy gets its own plan, once it starts.
    let copy = client.post(&format!("{path}/duplicate"), json!({})).created()["test_id"].as_i64().expect("an id");
    assert_eq!(result_of(client, copy, "")["plan"], Value::Null);
    client.set_status(copy, 1).ok();
    let of_copy = plan_of(&result_of(client, copy, ""));
    assert_eq!((&of_copy["primary_goal"]["goal_key"], &of_copy["changed_since"]), (&json!("other"), &json!([])));
    assert_ne!(of_copy["hash"], hash);
    // A restored experiment follows the plan again.
    client.post(&format!("{path}/restore"), json!({ "revision": 1 })).ok();
    let result = shop.result("");
    assert_eq!((&plan_of(&result)["hash"], why(&result)), (&hash, None));
    assert_eq!(result["plan"]["changed_since"], json!([]));
    shop.app.conclude(shop.test_id);
    shop.app.reopen(shop.test_id);
    assert_eq!(plan_of(&shop.result(""))["hash"], hash);
}

fn where_nothing_was_locked_the_answer_says_so(on: On) {
    let shop = Shop::open(on, json!({}));
    // As an earlier release left the database.
    shop.app.tamper("DELETE FROM plan_lock");
    shop.client.set_status(shop.test_id, 0).ok();
    shop.client.set_status(shop.test_id, 1).ok();
    shop.client.goal("later");
    let result = shop.result("?goal_key=later&filter_by=mobile&breakdown_by=device");
    let note = result["plan_note"].as_str().expect("a note");
    assert!(note.contains("Its plan was not locked: an earlier release started it"), "{note}");
    assert_eq!((&result["plan"], &result["manifest"]["plan"]["content"]), (&Value::Null, &Value::Null));
    assert!(!result.to_string().contains("exploratory\""), "{result}");
    // A rewritten lock is not accepted.
    let other = shop.client.experiment(json!({ "status": 1, "primary_goal_key": "bought", "plan": { "mde": 10 } }));
    shop.app.tamper(r#"UPDATE plan_lock SET content = REPLACE(content, '"mde":10', '"mde":20')"#);
    let result = result_of(&shop.client, other, "");
    assert_eq!(result["plan"]["mde"], 20.0);
    assert!(result["plan_note"].as_str().is_some_and(|note| note.contains("does not match its hash")), "{result}");
}

fn a_start_of_the_past_is_locked_late(on: On) {
    let shop = Shop::open(on, json!({ "status": 9 }));
    let body = json!({ "status": 1, "started_at": "2026-02-01T00:00:00Z" });
    shop.client.patch(&format!("/experiment/{}/status", shop.test_id), body).ok();
    let result = shop.result("");
    assert_eq!(plan_of(&result)["locked_at"], LOCKED);
    let note = result["plan_note"].as_str().expect("a note");
    assert!(note.contains("count from 00:00 UTC on 1 Feb 2026, but its plan was locked at 10:00 UTC"), "{note}");
}

fn another_primary_goal_is_told_wherever_a_verdict_is(on: On) {
    let shop = Shop::open(on, json!({ "plan": { "mde": 5, "visitors": 2_000 } }));
    let client = &shop.client;
    let other = json!({ "goal_name": "Other", "goal_type": "event", "goal_value": "bought", "goal_key": "other" });
    client.post("/goal", other).created();
    client.patch(&format!("/experiment/{}", shop.test_id), json!({ "primary_goal_key": "other" })).ok();
    shop.crowd("early", &[("0", 500, 100), ("1", 500, 200)], "2026-03-01T10:01:00Z", &bought());
    let receiver = Receiver::answering(&[204]);
    made(client, &receiver.url(), &["verdict.reached"]);
    shop.app.pass(36 * HOUR);
    let why = "The goal other is not in the plan";
    let data = receiver.wait(1)[0].json()["data"].clone();
    assert_eq!((&data["verdict"], &data["exploratory"]), (&json!("win"), &json!(true)), "{data}");
    assert!(data["exploratory_reason"].as_str().is_some_and(|it| it.starts_with(why)), "{data}");
    let reason = shop.result("")["variants"][1]["analysis"]["reason"].as_str().expect("a sentence").to_owned();
    let said = data["sentence"].as_str().expect("a sentence");
    assert!(said.starts_with(&reason) && said.contains(&format!("This is exploratory: {why}")), "{said}");
    let shown = tool(client, "get_result", json!({ "test_id": shop.test_id }));
    says(&shown["data"], why);
    assert_eq!(plan_of(&shown["data"])["primary_goal"]["goal_key"], "bought");
    let mut all = client.clone();
    all.base = "/v2".to_owned();
    let sentence = || all.get("/overview").ok()["items"][0]["sentence"].as_str().expect("a sentence").to_owned();
    eventually("a verdict", DEADLINE, || sentence().starts_with("Serve Variant 1"));
    assert!(sentence().contains(&format!("This is exploratory: {why}")), "{}", sentence());
    // The same holds for a win of a changed arm.
    let changed = json!({ "variants": [{ "name": "Variant 1", "customCSS": "a {}" }] });
    client.merge(&format!("/experiment/{}", shop.test_id), changed).ok();
    shop.app.pass(HOUR);
    eventually("a verdict on the changed arm", DEADLINE, || {
        let said = sentence();
        said.starts_with("Serve Variant 1") && said.contains(why) && said.contains(" Variant 1 was changed at ")
    });
}

/// Returns `result` with another plan in its manifest.
fn with_plan(result: &Value, change: impl FnOnce(&mut Value)) -> String {
    let mut forged = result.clone();
    change(&mut forged);
    assert_ne!(forged, *result);
    forged.to_string()
}

#[test]
fn a_plan_that_was_changed_does_not_hold() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = scene(&client);
    let hypothesis = client.hypothesis(json!({ "solution": "A larger button" }));
    let path = format!("/experiment/{test_id}");
    client.patch(&path, json!({ "hypothesis_id": hypothesis, "plan": { "mde": 30 } })).ok();
    let result = client.get_when_loaded(&format!("{path}/result")).ok();
    assert_eq!(texts(&result["plan"]["changed_since"]).len(), 2, "{}", result["plan"]);
    let (held, said, _) = verified(&result.to_string(), &data_dir);
    assert!(held, "{said}");

    let refit = |forged: &mut Value| {
        let content: LockedPlan =
            serde_json::from_value(forged["manifest"]["plan"]["content"].clone()).expect("a plan");
        forged["manifest"]["plan"]["hash"] = plan_locks::hash(&content).into();
        forged["plan"]["hash"] = forged["manifest"]["plan"]["hash"].clone();
    };
    for (place, forged) in [
        (
            "plan.hash must be the SHA-256",
            with_plan(&result, |it| it["manifest"]["plan"]["content"]["mde"] = 30.0.into()),
        ),
        (
            "plan.hash must be the SHA-256",
            with_plan(&result, |it| it["manifest"]["plan"]["hash"] = "0".repeat(64).into()),
        ),
        (
            "plan.content.test_id must be",
            with_plan(&result, |it| it["manifest"]["plan"]["content"]["test_id"] = 9.into()),
        ),
        ("plan.hash must be null", with_plan(&result, |it| it["manifest"]["plan"]["content"] = Value::Null)),
        ("plan.mde", with_plan(&result, |it| it["plan"]["mde"] = 30.0.into())),
        ("plan.changed_since", with_plan(&result, |it| it["plan"]["changed_since"] = json!([]))),
        ("manifest.plan.content.mde: the database says", {
            with_plan(&result, |it| {
                it["manifest"]["plan"]["content"]["mde"] = 30.0.into();
                it["plan"]["mde"] = 30.0.into();
                refit(it);
            })
        }),
        ("manifest.plan.now.planned_visitors: the database says", {
            with_plan(&result, |it| it["manifest"]["plan"]["now"]["planned_visitors"] = 5.into())
        }),
        ("manifest.plan: the database says", {
            with_plan(&result, |it| {
                it["manifest"].as_object_mut().expect("a manifest").remove("plan");
                it.as_object_mut().expect("a result").retain(|field, _| !field.starts_with("plan"));
            })
        }),
    ] {
        let (held, said, _) = verified(&forged, &data_dir);
        assert!(!held && said.contains(place), "{place}: {said}");
    }

    // The earlier text of a hypothesis is not stored.
    client.patch(&format!("/hypothesis/{hypothesis}"), json!({ "solution": "A smaller button" })).ok();
    let (held, said, _) = verified(&result.to_string(), &data_dir);
    assert!(held && said.contains("the hypothesis was changed since"), "{said}");

    // A change made directly in the database is detected by earlier results.
    drop(server);
    let database = rusqlite::Connection::open(data_dir.join("muriel.db")).expect("a database");
    let stored: String = database.query_row("SELECT content FROM plan_lock", [], |row| row.get(0)).expect("a plan");
    let mut plan: LockedPlan = serde_json::from_str(&stored).expect("a plan");
    plan.mde = 30.0;
    let changed = database.execute("UPDATE plan_lock SET content = ?1", [plan.canonical()]).expect("a change");
    assert_eq!(changed, 1);
    let (held, said, _) = verified(&result.to_string(), &data_dir);
    assert!(!held && said.contains("manifest.plan.content.mde: the database says 30"), "{said}");
    // Without a locked plan, results of releases that locked none verify.
    database.execute("DELETE FROM plan_lock", []).expect("a change");
    drop(database);
    let former = with_plan(&result, |it| {
        it["manifest"].as_object_mut().expect("a manifest").remove("plan");
        it.as_object_mut().expect("a result").retain(|field, _| !field.starts_with("plan"));
    });
    let (held, said, _) = verified(&former, &data_dir);
    assert!(held, "{said}");
}
