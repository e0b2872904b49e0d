//! Changes that need a second person's approval.

use crate::scene::{code_changes, redirect_elsewhere, variants_with};
use muriel_tests::{Client, On, TestApp, stories};
use serde_json::{Value, json};

stories! {
    always: [
        a_second_person_approves,
        a_proposal_whose_experiment_has_changed,
        acts_that_start_something_are_starts,
        what_is_beside_a_live_experiment_is_guarded,
    ],
    postgres_at_night: [
        code_that_is_served_was_approved,
        proposals_that_cannot_be_made,
        what_runs_or_loads_needs_the_scope_code,
        what_runs_or_loads_needs_approval,
        a_key_acts_for_who_made_it,
    ],
}

fn proposals(shop: &Client, test_id: i64) -> Vec<Value> {
    shop.get(&format!("/experiment/{test_id}/proposals")).ok()["proposals"].as_array().expect("proposals").clone()
}

fn propose(shop: &Client, test_id: i64, body: Value) -> Value {
    shop.post(&format!("/experiment/{test_id}/proposals"), body).created()
}

/// Creates a program with a key, and a person of its company.
fn two(app: &TestApp) -> (Client, Client) {
    let shop = app.project("Acme", "Shop");
    let person = app.signed_in_as(&shop, "admin");
    (shop, person)
}

fn a_second_person_approves(on: On) {
    let app = on.start();
    let (shop, person) = two(&app);
    let test_id = shop.experiment(json!({ "variants": [{ "name": "Variant 1", "customJS": "a()" }] }));
    let path = format!("/experiment/{test_id}");
    app.approval_rules(&shop, true, false);
    // Visitors do not get a draft, so its code may be changed; a start needs a second person.
    shop.patch(&path, json!({ "custom_js": "b()" })).ok();
    let refused = shop.set_status(test_id, 1).refused(409, "approval_needed");
    assert!(refused.text().contains(&format!("/experiment/{test_id}/proposals")), "{}", refused.text());
    let live = json!({ "test_name": "N", "url": "https://shop.example/", "status": 1, "variants": [{ "name": "Variant 1", "customJS": "x" }] });
    shop.post("/create-experiment", live).refused(409, "approval_needed");

    // A start by the clock needs approval in advance.
    let dated = json!({ "configuration": { "start_test_date": "2031-03-01T09:00:00Z" } });
    app.approval_rules(&shop, false, true);
    shop.patch(&path, dated.clone()).refused(409, "approval_needed");
    let new = json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }], "configuration": dated["configuration"] });
    shop.post("/create-experiment", new).refused(409, "approval_needed");
    app.approval_rules(&shop, true, false);

    let made = propose(&shop, test_id, json!({ "status": 1, "note": "Ready" }));
    assert_eq!((&made["needs_approval"], &made["test_id"]), (&json!(true), &json!(test_id)));
    let id = made["proposal_id"].as_i64().expect("an id");
    let shown = proposals(&shop, test_id)[0].clone();
    assert_eq!(
        (&shown["state"], &shown["note"], &shown["body"]),
        (&json!("open"), &json!("Ready"), &json!({ "status": 1 }))
    );
    assert_eq!(shown["changes"], json!([{ "field": "status", "before": "draft", "after": "live" }]));
    assert_eq!((&shown["changed_since"], &shown["decided_at"]), (&json!([]), &Value::Null));
    let approve = format!("/proposals/{id}/approve");
    shop.post(&approve, json!({})).refused(403, "session_needed");
    person.post(&format!("/proposals/{id}/withdraw"), json!({})).refused(409, "own_proposal");
    app.scoped(&shop, "read").post(&approve, json!({})).refused(403, "missing_scope");
    let call = || person.call("POST", &approve).header("idempotency-key", "a").json(json!({ "reason": "Good" })).send();
    let answer = call().ok();
    assert_eq!(answer, json!({ "success": true, "proposal_id": id, "test_id": test_id, "state": "approved" }));
    assert_eq!(call().ok(), answer);
    person.post(&approve, json!({})).refused(409, "proposal_decided");
    assert_eq!(shop.details(test_id)["status"], 1);
    let shown = proposals(&shop, test_id)[0].clone();
    assert_eq!(
        (&shown["state"], &shown["reason"], &shown["decided_by"]["name"]),
        (&json!("approved"), &json!("Good"), &json!("The admin"))
    );
    let revision = shop.get(&format!("{path}/history")).ok()["revisions"][0].clone();
    assert_eq!((&revision["action"], &revision["detail"]["proposal_id"]), (&json!("approve"), &json!(id)));

    // Code of a live experiment needs a second person; other fields and an end do not.
    let code = json!({ "custom_js": "c()" });
    shop.patch(&path, code.clone()).refused(409, "approval_needed");
    let preview = shop.post(&format!("{path}/change-preview"), code.clone()).ok();
    assert_eq!(preview["needs_approval"], true);
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 50 } })).ok();
    app.approval_rules(&shop, false, true);
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 60 } })).refused(409, "approval_needed");
    shop.post(&format!("{path}/restore"), json!({ "revision": 1 })).refused(409, "approval_needed");
    shop.patch(&path, json!({ "tags": ["a"], "test_name": "Renamed" })).ok();
    // A proposal with merged fields changes only these fields.
    let call = shop.call("POST", &format!("{path}/proposals")).header("content-type", "application/merge-patch+json");
    let made = call.body(json!({ "configuration": { "traffic_allocation": 70 } }).to_string()).send().created();
    let id = made["proposal_id"].as_i64().expect("an id");
    let open = shop.get("/proposals?state=open").ok();
    assert_eq!(open["proposals"].as_array().map(Vec::len), Some(1));
    assert_eq!(open["proposals"][0]["content_type"], "application/merge-patch+json");
    person.post(&format!("/proposals/{id}/approve"), json!({})).ok();
    let configuration = shop.details(test_id)["configuration"].clone();
    assert_eq!(configuration["traffic_allocation"], 70);
    shop.set_status(test_id, 0).ok();
    shop.patch(&path, code).ok();

    // Nobody can decide their own proposal, in any browser.
    let id = propose(&person, test_id, json!({ "test_name": "Mine" }))["proposal_id"].as_i64().expect("an id");
    let elsewhere = shop.signed_in(&app.sign_in("admin@acme.example"));
    for what in ["approve", "reject"] {
        elsewhere.post(&format!("/proposals/{id}/{what}"), json!({})).refused(409, "own_proposal");
    }
    let shown = proposals(&shop, test_id)[0].clone();
    assert_eq!(shown["proposed_by"]["kind"], "person");
    let another = app.signed_in_as(&shop, "editor");
    another.post(&format!("/proposals/{id}/reject"), json!({})).ok();

    let made = propose(&shop, test_id, json!({ "test_name": "Other" }));
    assert_eq!(made["needs_approval"], false);
    let id = made["proposal_id"].as_i64().expect("an id");
    person.post(&format!("/proposals/{id}/reject"), json!({ "reason": "No" })).ok();
    assert_eq!(shop.details(test_id)["test_name"], "Renamed");
    let id = propose(&shop, test_id, json!({ "test_name": "Other" }))["proposal_id"].as_i64().expect("an id");
    shop.post(&format!("/proposals/{id}/withdraw"), json!({})).ok();
    let states: Vec<Value> = proposals(&shop, test_id).iter().map(|one| one["state"].clone()).collect();
    assert_eq!(json!(states), json!(["withdrawn", "rejected", "rejected", "approved", "approved"]));
    let page = shop.get("/proposals?limit=3").ok();
    let next = page["next_cursor"].as_str().expect("more");
    assert_eq!(
        shop.get(&format!("/proposals?limit=3&cursor={next}")).ok()["proposals"].as_array().map(Vec::len),
        Some(2)
    );
}

fn code_that_is_served_was_approved(on: On) {
    let app = on.start();
    let (shop, person) = two(&app);
    let test_id = shop.experiment(json!({ "variants": [{ "name": "Variant 1", "customJS": "a()" }] }));
    let path = format!("/experiment/{test_id}");
    let serve = |path: &str| person.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" }));
    let end = |path: &str| {
        let body = json!({ "outcome": "stopped_early", "note": "", "serve_variant_id": "1", "override_reason": "Yes" });
        person.post(&format!("{path}/conclude"), body)
    };
    app.approval_rules(&shop, true, false);
    // An arm that never ran was not approved; an arm that has run can be served without approval.
    shop.set_status(test_id, 0).ok();
    shop.patch(&path, json!({ "custom_js": "b()" })).ok();
    for refused in [serve(&path), end(&path)] {
        let refused = refused.refused(409, "approval_needed");
        assert!(refused.text().contains("propose its start"), "{}", refused.text());
    }
    let approve = |body: Value| {
        let id = propose(&shop, test_id, body)["proposal_id"].as_i64().expect("an id");
        person.post(&format!("/proposals/{id}/approve"), json!({})).ok();
    };
    approve(json!({ "status": 1 }));
    shop.set_status(test_id, 0).ok();
    let code = json!({ "custom_js": "c()" });
    shop.patch(&path, code.clone()).refused(409, "approval_needed");
    shop.post(&format!("{path}/restore"), json!({ "revision": 1 })).refused(409, "approval_needed");
    assert_eq!(shop.post(&format!("{path}/change-preview"), code.clone()).ok()["needs_approval"], true);
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 50 } })).ok();
    approve(code);
    end(&path).ok();
    assert_eq!(shop.details(test_id)["is_deploy"], 1);
    // The rule for live experiments covers what visitors have not seen; what they have seen needs no approval.
    app.approval_rules(&shop, true, true);
    let plain = shop.experiment(json!({ "variants": [{ "name": "Variant 1" }] }));
    let path = format!("/experiment/{plain}");
    shop.set_status(plain, 0).ok();
    serve(&path).refused(409, "approval_needed");
    app.approval_rules(&shop, true, false);
    serve(&path).ok();
    person.post(&format!("{path}/stop-serving"), json!({})).ok();
    app.approval_rules(&shop, true, true);
    serve(&path).ok();
    person.post(&format!("{path}/stop-serving"), json!({})).ok();
    let words = json!([{ "name": "Variant 1", "data": [{ "target": "h1", "innerText": "New" }] }]);
    shop.patch(&path, json!({ "variants": words })).ok();
    serve(&path).refused(409, "approval_needed");
}

fn a_proposal_whose_experiment_has_changed(on: On) {
    let app = on.start();
    let (shop, person) = two(&app);
    let test_id = shop.experiment(json!({ "tags": ["a"] }));
    let made = propose(&shop, test_id, json!({ "test_name": "Proposed" }));
    let id = made["proposal_id"].as_i64().expect("an id");
    shop.patch(&format!("/experiment/{test_id}"), json!({ "tags": ["b"] })).ok();
    let refused = person.post(&format!("/proposals/{id}/approve"), json!({})).refused(409, "proposal_outdated");
    assert!(refused.text().contains("revision 1") && refused.text().contains("revision 2"), "{}", refused.text());
    assert_eq!(shop.details(test_id)["test_name"], "Checkout");
    // Both changes are shown.
    let shown = proposals(&shop, test_id)[0].clone();
    assert_eq!(shown["changes"], json!([{ "field": "test_name", "before": "Checkout", "after": "Proposed" }]));
    assert_eq!(shown["changed_since"], json!([{ "field": "tags", "before": ["a"], "after": ["b"] }]));
    // Of many concurrent approvals, one succeeds.
    let id = propose(&shop, test_id, json!({ "test_name": "Anew" }))["proposal_id"].as_i64().expect("an id");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let approving: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| person.post(&format!("/proposals/{id}/approve"), json!({})).status))
            .collect();
        approving.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(shop.details(test_id)["test_name"], "Anew");
}

fn proposals_that_cannot_be_made(on: On) {
    let app = on.start();
    let (shop, person) = two(&app);
    let test_id = shop.experiment(json!({}));
    let path = format!("/experiment/{test_id}/proposals");
    for (body, field) in [
        (json!({}), "body"),
        (json!({ "note": "only" }), "body"),
        (json!({ "test_name": "Checkout" }), "body"),
        (json!({ "status": 9 }), "body"),
        (json!({ "status": 2 }), "status"),
        (json!({ "status": 1, "tags": [] }), "tags"),
        (json!({ "test_name": "" }), "test_name"),
        (json!({ "test_name": "N", "note": 1 }), "note"),
        (json!({ "test_name": "N", "note": "x".repeat(10_001) }), "note"),
        (json!({ "primary_goal_key": "nobody-has" }), "primary_goal_key"),
        (json!({ "no_such_field": 1 }), "no_such_field"),
    ] {
        shop.post(&path, body).invalid(&[field]);
    }
    let writer = app.scoped(&shop, "read,write");
    writer.post(&path, json!({ "custom_js": "a()" })).refused(403, "missing_scope");
    // Approving code needs the scope for code too.
    let id = propose(&shop, test_id, json!({ "custom_js": "a()" }))["proposal_id"].as_i64().expect("an id");
    let editor = app.signed_in_as(&shop, "editor");
    editor.post(&format!("/proposals/{id}/approve"), json!({})).refused(403, "missing_scope");
    assert_eq!(proposals(&shop, test_id)[0]["state"], "open");
    person.post(&format!("/proposals/{id}/approve"), json!({ "reason": 1 })).invalid(&["reason"]);
    person.post(&format!("/proposals/{id}/approve"), json!({})).ok();
    for number in 0..100 {
        propose(&shop, test_id, json!({ "test_name": format!("N {number}") }));
    }
    shop.post(&path, json!({ "test_name": "One more" })).invalid(&["body"]);
    // Proposals of a deleted experiment are deleted with it.
    let id = proposals(&shop, test_id)[0]["proposal_id"].as_i64().expect("an id");
    shop.delete(&format!("/experiment/{test_id}")).ok();
    person.post(&format!("/proposals/{id}/approve"), json!({})).refused(404, "not_found");
    assert_eq!(shop.get("/proposals").ok()["proposals"], json!([]));
}

/// The kind of a change decides, not its value: the selector matches an element of the page.
fn what_runs_or_loads_needs_the_scope_code(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let writer = app.scoped(&shop, "read,write");
    let test_id = shop.experiment(json!({}));
    let path = format!("/experiment/{test_id}");
    let harmless = [
        json!({ "target": "a.cta", "href": "/pricing" }),
        json!({ "target": "body", "style": "color:red" }),
        json!({ "target": "input", "attributes": { "placeholder": "Name" } }),
        json!({ "target": "h1", "innerText": "Hi", "code": true }),
    ];
    let code = code_changes().into_iter().map(|item| (item, true));
    for (item, is_code) in code.chain(harmless.map(|item| (item, false))) {
        // Removing code needs the scope, too.
        shop.patch(&path, json!({ "variants": [{ "name": "Variant 1" }] })).ok();
        let body = json!({ "variants": variants_with(&[item]) });
        let answer = writer.patch(&path, body.clone());
        if is_code {
            answer.refused(403, "missing_scope");
        } else {
            answer.ok();
        }
        shop.patch(&path, body).ok();
        shop.set_status(test_id, 1).ok();
        let ruleset = app.anyone().get(&format!("/ruleset/{}", shop.project_key)).ok();
        let delivered = &ruleset["experiments"][0]["variants"][0]["data"][0];
        assert_eq!(delivered["code"] == true, is_code, "{delivered}");
        shop.set_status(test_id, 0).ok();
    }
    let mut split = redirect_elsewhere();
    writer.post("/create-experiment", split.clone()).refused(403, "missing_scope");
    split["variants"][0]["data"][0]["refEl"] = Value::Null;
    writer.post("/create-experiment", split.clone()).refused(403, "missing_scope");
    split["variants"][0]["data"][0]["url"] = json!("https://shop.example/b");
    writer.post("/create-experiment", split).created();
    shop.post("/create-experiment", redirect_elsewhere()).created();
}

/// Each kind of code needs approval, in a start and in a change of a live experiment.
fn what_runs_or_loads_needs_approval(on: On) {
    let app = on.start();
    let (shop, person) = two(&app);
    app.approval_rules(&shop, true, false);
    let live = shop.experiment(json!({}));
    shop.set_status(live, 1).ok();
    for item in code_changes() {
        let body = json!({ "variants": variants_with(&[item]) });
        shop.patch(&format!("/experiment/{live}"), body.clone()).refused(409, "approval_needed");
        let mut new = body.clone();
        new["status"] = json!(1);
        new["test_name"] = json!("New");
        new["url"] = json!("https://shop.example/");
        shop.post("/create-experiment", new).refused(409, "approval_needed");
        let draft = shop.experiment(body);
        shop.set_status(draft, 1).refused(409, "approval_needed");
        let made = propose(&shop, draft, json!({ "status": 1 }));
        assert_eq!(made["needs_approval"], true);
        let ruleset = app.anyone().get(&format!("/ruleset/{}", shop.project_key)).ok();
        let delivered: Vec<_> = ruleset["experiments"].as_array().expect("experiments").iter().collect();
        assert!(delivered.iter().all(|it| it["test_id"] == live), "{ruleset}");
        assert!(!ruleset.to_string().contains("evil"), "{ruleset}");
        person.post(&format!("/proposals/{}/approve", made["proposal_id"]), json!({})).ok();
        assert_eq!(shop.details(draft)["status"], 1);
        shop.set_status(draft, 0).ok();
    }
    let split = shop.post("/create-experiment", redirect_elsewhere()).created()["test_id"].as_i64().expect("an id");
    shop.set_status(split, 1).refused(409, "approval_needed");
}

/// Neither the archive nor a conclusion bypasses the approval.
fn acts_that_start_something_are_starts(on: On) {
    let app = on.start();
    let (shop, person) = two(&app);
    app.approval_rules(&shop, false, true);
    let dated = json!({ "configuration": { "start_test_date": "2026-03-01T12:00:00Z" } });
    let archived = shop.experiment(json!({}));
    let path = format!("/experiment/{archived}");
    shop.patch(&format!("{path}/archive"), json!({ "archived": true })).ok();
    shop.merge(&path, dated.clone()).ok();
    shop.patch(&format!("{path}/archive"), json!({ "archived": false })).refused(409, "approval_needed");
    shop.merge(&path, json!({ "configuration": { "start_test_date": null } })).ok();
    shop.patch(&format!("{path}/archive"), json!({ "archived": false })).ok();

    let concluded = shop.experiment(json!({}));
    let path = format!("/experiment/{concluded}");
    let end = json!({ "outcome": "invalid", "note": "n", "override_reason": "r" });
    person.post(&format!("{path}/conclude"), end).ok();
    shop.merge(&path, dated).ok();
    person.post(&format!("{path}/reopen"), json!({})).refused(409, "approval_needed");
    shop.merge(&path, json!({ "configuration": { "start_test_date": null } })).ok();
    person.post(&format!("{path}/reopen"), json!({})).ok();
}

fn what_is_beside_a_live_experiment_is_guarded(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let goal = shop.goal("bought");
    let live = shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
    let holdout = json!({ "name": "H", "kind": "holdout", "percent": 50, "scope": "project" });
    app.approval_rules(&shop, false, true);
    shop.post("/exclusion-group", holdout.clone()).refused(409, "approval_needed");
    let members = json!([{ "test_id": live, "percent": 1 }]);
    let group = json!({ "name": "E", "kind": "exclusion", "members": members });
    shop.post("/exclusion-group", group).refused(409, "approval_needed");
    shop.patch(&format!("/goal/{goal}"), json!({ "goal_value": "other" })).refused(409, "approval_needed");
    shop.patch(&format!("/goal/{goal}"), json!({ "goal_name": "Purchases" })).ok();
    shop.set_status(live, 0).ok();
    shop.patch(&format!("/goal/{goal}"), json!({ "goal_value": "other" })).ok();
    app.approval_rules(&shop, false, false);
    let start = json!({ "start_test_date": "2099-01-01T00:00:00Z" });
    let dated = shop.experiment(json!({ "configuration": start }));
    app.approval_rules(&shop, false, true);
    shop.post("/exclusion-group", holdout.clone()).refused(409, "approval_needed");
    shop.merge(&format!("/experiment/{dated}"), json!({ "configuration": { "start_test_date": null } })).ok();
    let made = shop.post("/exclusion-group", holdout).created();
    shop.delete(&format!("/exclusion-group/{}", made["group_id"])).ok();
}

fn a_key_acts_for_who_made_it(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner");
    let another = app.signed_in_as(&shop, "admin");
    let test_id = shop.experiment(json!({}));
    app.approval_rules(&shop, false, true);
    let body = json!({ "name": "mine", "scopes": ["read", "write"] });
    let made = owner.outside().post("/v2/keys", body).created();
    let key = made["api_key"].as_str().expect("a key");
    let program = shop.with_key(Some(key));
    let id = propose(&program, test_id, json!({ "status": 1 }))["proposal_id"].as_i64().expect("an id");
    for what in ["approve", "reject"] {
        owner.post(&format!("/proposals/{id}/{what}"), json!({})).refused(409, "own_proposal");
    }
    another.post(&format!("/proposals/{id}/approve"), json!({})).ok();
    assert_eq!(shop.details(test_id)["status"], 1);
}
