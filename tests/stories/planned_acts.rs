//! The clock acts on the plan, and on later changes once a person confirms them.

use crate::results::{DAY, Shop, bought};
use muriel_tests::{Client, DEADLINE, On, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        an_arm_that_was_changed_is_not_served_by_the_clock,
        a_second_person_approves_what_the_clock_goes_by,
    ],
    postgres_at_night: [
        a_threshold_that_was_changed_does_not_steer_the_clock,
        a_primary_goal_that_was_changed_does_not_steer_the_clock,
        a_primary_goal_that_was_changed_does_not_steer_a_bandit,
        the_programme_learns_from_the_planned_goal,
        a_smallest_lift_that_was_changed_labels_what_follows_from_it,
    ],
}

const HOUR: Duration = Duration::from_secs(3_600);
const CHANGED: &str = "The confidence threshold was changed from 95 % to 60 % after the plan was locked";

/// Runs one check of results.
fn look(shop: &Shop) {
    shop.app.run_task("check_completion_rules");
}

fn path(shop: &Shop) -> String {
    format!("/experiment/{}", shop.test_id)
}

fn says(labelled: &Value, expect: &str) {
    assert_eq!(labelled["exploratory"], true, "{labelled}");
    assert!(labelled["exploratory_reason"].as_str().is_some_and(|why| why.contains(expect)), "{labelled}");
}

fn verdict(result: &Value) -> &str {
    result["variants"][1]["analysis"]["verdict"].as_str().expect("a verdict")
}

fn served(shop: &Shop) -> Value {
    shop.client.details(shop.test_id)["serving_variant_id"].clone()
}

/// Confirms the plan as a person does, and returns the time of the confirmation.
fn confirm(person: &Client, shop: &Shop, reason: &str) -> Value {
    person.post(&format!("{}/confirm-plan", path(shop)), json!({ "reason": reason })).ok()["confirmed_at"].clone()
}

/// Opens a shop with a difference that may be due to chance, and this configuration of the clock's acts.
fn lucky(on: On, configuration: Value) -> Shop {
    let shop = Shop::open(on, json!({ "plan": { "mde": 5, "visitors": 2_000 }, "configuration": configuration }));
    shop.crowd("v", &[("0", 1_000, 100), ("1", 1_000, 131)], "2026-03-01T10:10:00Z", &bought());
    shop.app.pass(DAY + HOUR);
    assert_eq!(verdict(&shop.result("")), "keep_running");
    shop
}

fn a_threshold_that_was_changed_does_not_steer_the_clock(on: On) {
    let shop = lucky(on, json!({ "is_autopilot": 1 }));
    let path = path(&shop);
    let client = &shop.client;
    assert_eq!(shop.result("")["plan"]["held_back"], Value::Null);
    let changed = client.merge(&path, json!({ "configuration": { "confidence_interval": 60 } }));
    let warned = changed.header("x-muriel-warnings").expect("a header").to_owned();
    assert!(warned.contains(": a confidence threshold of 95 %") && warned.contains("confirm-plan"), "{warned}");
    let result = shop.result("");
    assert_eq!(verdict(&result), "win");
    let day = client.get(&format!("{path}/timeseries")).ok();
    for labelled in [&result, &result["variants"][1], &day, &day["exploratory_arms"][0].clone()] {
        let reason = labelled["exploratory_reason"].as_str().unwrap_or_default();
        assert!(reason.starts_with(CHANGED) && reason.matches(CHANGED).count() == 1, "{labelled}");
    }
    assert_eq!(result["variants"][0].get("exploratory"), None);
    let csv = client.get(&format!("{path}/result.csv")).text();
    let line = csv.lines().nth(2).expect("a line");
    assert_eq!(line.matches(CHANGED).count(), 1, "{line}");
    assert!(result["plan"]["held_back"].as_str().is_some_and(|it| it.contains("threshold of 95 %")), "{result}");
    look(&shop);
    assert_eq!(served(&shop), Value::Null, "the clock acts on a threshold that was lowered after a look");

    // A person confirms it, with a reason.
    let confirmation = format!("{path}/confirm-plan");
    let person = shop.app.signed_in_as(client, "editor");
    client.post(&confirmation, json!({ "reason": "Risk is small" })).refused(403, "session_needed");
    person.post(&confirmation, json!({ "reason": " " })).refused(400, "invalid_field");
    let draft = client.experiment(json!({}));
    let early = format!("/experiment/{draft}/confirm-plan");
    person.post(&early, json!({ "reason": "Early" })).refused(409, "transition_forbidden");
    let at = confirm(&person, &shop, "Risk is small");
    let revision = shop.app.history(shop.test_id)[0].clone();
    assert_eq!(revision.action, "confirm plan");
    assert_eq!(revision.detail.as_ref().expect("a detail")["reason"], "Risk is small");
    assert_eq!(confirm(&person, &shop, "Once more"), at, "nothing is left to confirm");
    look(&shop);
    assert_eq!(served(&shop), "1");
    let last = client.details(shop.test_id)["schedule"]["last"].clone();
    let said =
        "Variant 1 is better than the control, at any time you look. It is served to 10 percent of the visitors.";
    assert_eq!(last["detail"], said);
    // The late choice stays exploratory.
    let result = shop.result("");
    says(&result, CHANGED);
    let plan = &result["plan"];
    assert_eq!((&plan["confirmed"]["reason"], &plan["held_back"]), (&json!("Risk is small"), &Value::Null));
}

fn a_primary_goal_that_was_changed_does_not_steer_the_clock(on: On) {
    let rule = json!({ "completion_stats_significant_flag": 1 });
    let other = json!({ "type": "custom", "name": "wished" });
    let shop = Shop::open(on, json!({ "plan": { "mde": 5, "visitors": 2_000 }, "configuration": rule }));
    let (path, client) = (path(&shop), &shop.client);
    client.goal("wished");
    client.patch(&path, json!({ "secondary_goal_keys": ["wished"] })).ok();
    shop.crowd("v", &[("0", 500, 50), ("1", 500, 200)], "2026-03-01T10:10:00Z", &other);
    shop.app.pass(DAY + HOUR);
    client.patch(&path, json!({ "primary_goal_key": "wished", "secondary_goal_keys": ["bought"] })).ok();
    let result = shop.result("");
    assert_eq!(verdict(&result), "win");
    says(&result, "The goal wished is not in the plan");
    look(&shop);
    assert_eq!(client.details(shop.test_id)["status"], 1, "the clock acts on a goal that was chosen after a look");
    // The plan still applies: its own goal ends the experiment, even after the goal left the metrics
    // and its definition changed.
    client.patch(&path, json!({ "secondary_goal_keys": [] })).ok();
    let goals = client.get("/goals").ok();
    let goal = goals["goals"].as_array().expect("goals").iter().find(|goal| goal["goal_key"] == "bought");
    let goal = format!("/goal/{}", goal.expect("the goal")["goal_profile_id"]);
    client.patch(&goal, json!({ "goal_value": "sold" })).ok();
    shop.crowd("late", &[("0", 700, 70), ("1", 700, 280)], "2026-03-02T10:10:00Z", &bought());
    shop.app.pass(DAY);
    look(&shop);
    let details = client.details(shop.test_id);
    assert_eq!((&details["status"], &details["schedule"]["last"]["rule"]), (&json!(0), &json!("significant")));
    let manifest = shop.app.history(shop.test_id)[0].detail.clone().expect("a detail")["manifest"].clone();
    let top = &manifest["metrics"][0];
    assert_eq!((&manifest["inquiry"]["judged_by"], &top["key"]), (&json!("in_force"), &json!("bought")));
    assert_eq!((&top["role"], &top["goal_value"]), (&json!("primary"), &json!("bought")));
}

fn a_primary_goal_that_was_changed_does_not_steer_a_bandit(on: On) {
    let bandit = json!({ "is_mab": 1 });
    let other = json!({ "type": "custom", "name": "wished" });
    let shop = Shop::open(on, json!({ "plan": { "mde": 5 }, "configuration": bandit }));
    let (path, client) = (path(&shop), &shop.client);
    client.goal("wished");
    client.patch(&path, json!({ "secondary_goal_keys": ["wished"] })).ok();
    // By the planned goal the control is better, by the other one Variant 1.
    shop.crowd("v", &[("0", 200, 122), ("1", 200, 6)], "2026-03-01T10:10:00Z", &bought());
    shop.crowd("w", &[("0", 200, 6), ("1", 200, 182)], "2026-03-01T10:10:00Z", &other);
    client.patch(&path, json!({ "primary_goal_key": "wished", "secondary_goal_keys": ["bought"] })).ok();
    let weights = || {
        let distribution = client.get(&format!("{path}/distribution")).ok();
        let weight = |arm: usize| distribution["variants"][arm]["traffic_weight"].as_f64().expect("a weight");
        (weight(0), weight(1))
    };
    shop.app.pass(HOUR);
    eventually("weights move by the planned goal", DEADLINE, || weights() == (95.0, 5.0));
    let person = shop.app.signed_in_as(client, "editor");
    confirm(&person, &shop, "Wishes lead to purchases");
    shop.crowd("x", &[("0", 1_900, 20), ("1", 100, 95)], "2026-03-01T11:10:00Z", &other);
    shop.app.pass(HOUR);
    eventually("weights move by the confirmed goal", DEADLINE, || weights() == (5.0, 95.0));
}

fn an_arm_that_was_changed_is_not_served_by_the_clock(on: On) {
    let shop = Shop::open(on, json!({ "plan": { "mde": 5 }, "configuration": { "is_autopilot": 1 } }));
    let path = path(&shop);
    shop.crowd("v", &[("0", 500, 50), ("1", 500, 200)], "2026-03-01T10:10:00Z", &bought());
    shop.app.pass(HOUR);
    let changed = json!({ "variants": [{ "name": "Variant 1", "customCSS": "a {}" }] });
    let warned = shop.client.merge(&path, changed);
    let warned = warned.header("x-muriel-warnings").expect("a header");
    assert!(warned.contains("no verdict on Variant 1"), "{warned}");
    shop.app.pass(DAY);
    let result = shop.result("");
    assert_eq!(verdict(&result), "win");
    says(&result["variants"][1], "Variant 1 was changed");
    look(&shop);
    assert_eq!(served(&shop), Value::Null);
    let person = shop.app.signed_in_as(&shop.client, "editor");
    confirm(&person, &shop, "A typing error, which no visitor noticed");
    look(&shop);
    assert_eq!(served(&shop), "1");
}

fn a_second_person_approves_what_the_clock_goes_by(on: On) {
    let shop = lucky(on, json!({ "is_autopilot": 1 }));
    let (path, client) = (path(&shop), &shop.client);
    client.merge(&path, json!({ "configuration": { "confidence_interval": 60 } })).ok();
    shop.app.approval_rules(client, false, true);
    let editor = shop.app.signed_in_as(client, "editor");
    let admin = shop.app.signed_in_as(client, "admin");
    let reason = json!({ "reason": "Risk is small" });
    editor.post(&format!("{path}/confirm-plan"), reason).refused(409, "approval_needed");
    let proposals = format!("{path}/proposals");
    let both = json!({ "confirm_plan": "Risk is small", "test_name": "Other" });
    editor.post(&proposals, both).refused(400, "invalid_field");
    let made = editor.post(&proposals, json!({ "confirm_plan": "Risk is small", "note": "Please" })).created();
    assert_eq!(made["needs_approval"], true);
    let approve = format!("/proposals/{}/approve", made["proposal_id"]);
    editor.post(&approve, json!({})).refused(409, "own_proposal");
    look(&shop);
    assert_eq!(served(&shop), Value::Null);
    let open = admin.get(&format!("{proposals}?state=open")).ok();
    assert_eq!(open["proposals"][0]["body"]["confirm_plan"], "Risk is small");
    admin.post(&approve, json!({})).ok();
    look(&shop);
    assert_eq!(served(&shop), "1");
}

fn the_programme_learns_from_the_planned_goal(on: On) {
    let shop = Shop::open(on, json!({}));
    let client = &shop.client;
    client.goal("wished");
    shop.crowd("v", &[("0", 600, 120), ("1", 600, 126)], "2026-03-01T10:10:00Z", &bought());
    let other = json!({ "type": "custom", "name": "wished" });
    shop.crowd("w", &[("0", 400, 40), ("1", 400, 200)], "2026-03-01T10:10:00Z", &other);
    shop.app.pass(DAY + HOUR);
    client.patch(&path(&shop), json!({ "primary_goal_key": "wished" })).ok();
    assert_eq!(verdict(&shop.result("")), "win");
    let person = shop.app.signed_in_as(client, "editor");
    person.post(&format!("{}/conclude", path(&shop)), json!({ "outcome": "won", "note": "" })).ok();
    let mut all = client.clone();
    all.base = "/v2".to_owned();
    let programme = all.get("/programme").ok();
    let totals = &programme["totals"];
    assert_eq!((&totals["exploratory"], &totals["win_rate"]), (&json!(1), &Value::Null), "{totals}");
    assert_eq!(totals["outcomes"]["won"], 1);
    let item = &programme["items"][0];
    assert_eq!(item["goal_key"], "bought", "{item}");
    assert!(item["lift"].as_f64().is_some_and(|lift| (lift - 5.0).abs() < 0.1), "{item}");
}

fn a_smallest_lift_that_was_changed_labels_what_follows_from_it(on: On) {
    let shop = Shop::open(on, json!({ "plan": { "mde": 5, "visitors": 2_000 } }));
    shop.crowd("v", &[("0", 1_000, 300), ("1", 1_000, 300)], "2026-03-01T10:10:00Z", &bought());
    shop.app.pass(DAY + HOUR);
    let before = shop.result("");
    assert_eq!((verdict(&before), before.get("exploratory")), ("keep_running", None));
    shop.client.patch(&path(&shop), json!({ "plan": { "mde": 60, "visitors": 2_000 } })).ok();
    let result = shop.result("");
    assert_eq!(verdict(&result), "no_difference");
    let why = "The smallest lift worth acting on was changed from 5 % to 60 %";
    says(&result, why);
    says(&result["variants"][1], why);
    let mut all = shop.client.clone();
    all.base = "/v2".to_owned();
    // The worker may have checked the result just before the change; it checks each result once a minute.
    shop.app.pass(HOUR);
    shop.app.run_task("summarise_results");
    let sentence = || all.get("/overview").ok()["items"][0]["sentence"].clone();
    eventually("the sentence", DEADLINE, || sentence().as_str().is_some_and(|it| it.contains(why)));
}
