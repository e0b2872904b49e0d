//! Teamwork: owners, projects, keys, conclusions, and the audit log.

use crate::scene::Things;
use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};

stories! {
    always: [
        the_last_owner_stays,
        people_are_limited_to_projects,
        keys_and_projects_are_made_by_admins,
        what_people_do_is_told_under_their_name,
        the_audit_log_is_a_chain,
        conclusions_are_of_people,
    ],
    postgres_at_night: [
        editors_have_code_where_the_project_says_so,
    ],
}

fn the_last_owner_stays(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let first = app.signed_in_as(&shop, "owner").outside();
    let admin = app.signed_in_as(&shop, "admin").outside();
    let id = |client: &Client| client.get("/v2/session").ok()["person"]["person_id"].as_i64().expect("an id");
    let (of_first, of_admin) = (id(&first), id(&admin));
    first.patch(&format!("/v2/person/{of_first}"), json!({ "role": "admin" })).refused(409, "last_owner");
    first.delete(&format!("/v2/person/{of_first}")).refused(409, "last_owner");
    admin.patch(&format!("/v2/person/{of_first}"), json!({ "role": "viewer" })).refused(403, "role_too_low");
    admin.patch(&format!("/v2/person/{of_first}"), json!({ "name": "X" })).refused(403, "role_too_low");
    admin.delete(&format!("/v2/person/{of_first}")).refused(403, "role_too_low");
    admin.patch(&format!("/v2/person/{of_admin}"), json!({ "role": "owner" })).refused(403, "role_too_low");
    let limited = json!({ "projects": [{ "project_key": shop.project_key }] });
    first.patch(&format!("/v2/person/{of_first}"), limited).invalid(&["projects"]);
    first.patch(&format!("/v2/person/{of_admin}"), json!({ "role": "owner" })).ok();

    // When two owners remove each other at once, one stays.
    let second = &admin;
    let statuses = std::thread::scope(|scope| {
        let one = scope.spawn(|| first.delete(&format!("/v2/person/{of_admin}")).status);
        let two = scope.spawn(|| second.delete(&format!("/v2/person/{of_first}")).status);
        [one.join().expect("an answer"), two.join().expect("an answer")]
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    let left = if statuses[0] == 200 { &first } else { second };
    let people = left.get("/v2/people").ok();
    let owners = people["people"].as_array().expect("people").iter().filter(|one| one["role"] == "owner").count();
    assert_eq!(owners, 1);
    // The address of a removed person can be invited again.
    let gone = if statuses[0] == 200 { "admin@acme.example" } else { "owner@acme.example" };
    left.post("/v2/invitation", json!({ "email": gone, "role": "viewer" })).created();
    let own = id(left);
    left.patch(&format!("/v2/person/{own}"), json!({ "name": "Renamed" })).ok();
    left.patch("/v2/person/9999", json!({ "name": "X" })).refused(404, "not_found");
    let viewer = app.signed_in_as(&shop, "viewer").outside();
    viewer.patch("/v2/person/9999", json!({ "name": "X" })).refused(403, "missing_scope");
    viewer.patch(&format!("/v2/person/{own}"), json!({ "name": "X" })).refused(403, "missing_scope");
    let of_viewer = id(&viewer);
    viewer.patch(&format!("/v2/person/{of_viewer}"), json!({ "role": "admin" })).refused(403, "role_too_low");
    let named = viewer.patch(&format!("/v2/person/{of_viewer}"), json!({ "name": "Vera" })).ok();
    assert_eq!(named["person"]["name"], "Vera");
}

fn people_are_limited_to_projects(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    let (in_shop, in_blog) = (shop.experiment(json!({})), blog.experiment(json!({})));
    let owner = app.signed_in_as(&shop, "owner").outside();
    let person = app.signed_in_as(&shop, "viewer");
    let id = person.outside().get("/v2/session").ok()["person"]["person_id"].clone();
    let path = format!("/v2/person/{id}");
    let only_shop = json!({ "projects": [{ "project_key": shop.project_key, "role": "admin" }] });
    owner.patch(&path, only_shop).ok();
    person.get(&format!("/experiment/{in_shop}")).ok();
    person.in_project(&blog.project_key).get(&format!("/experiment/{in_blog}")).refused(404, "not_found");
    person.patch("/settings", json!({ "gpc": true })).ok();
    let mine = person.get("/experiments").ok();
    assert_eq!(mine["count"], 1, "the list of the company has only what the person sees");
    assert_eq!(shop.get("/experiments").ok()["count"], 2);
    let company = person.outside();
    let projects = company.get("/v2/projects").ok();
    assert_eq!((&projects["count"], &projects["projects"][0]["role"]), (&json!(1), &json!("admin")));
    company.get("/v2/people").refused(403, "missing_scope");
    company.get("/v2/audit").refused(403, "missing_scope");
    company.post("/v2/projects", json!({ "name": "Mine" })).refused(403, "missing_scope");
    owner.patch(&path, json!({ "projects": [{ "project_key": blog.project_key }], "role": "viewer" })).ok();
    person.get(&format!("/experiment/{in_shop}")).refused(404, "not_found");
    assert_eq!(person.in_project(&blog.project_key).get("/experiments").ok()["experiments"][0]["test_id"], in_blog);
    owner.patch(&path, json!({ "projects": null })).ok();
    assert_eq!(person.get("/experiments").ok()["count"], 2);
    for body in [
        json!({ "projects": [] }),
        json!({ "projects": [{ "project_key": shop.project_key }, { "project_key": shop.project_key }] }),
        json!({ "projects": [{ "project_key": shop.project_key, "role": "owner" }] }),
        json!({ "projects": [{ "project_key": "x" }] }),
        json!({ "projects": [{}] }),
        json!({ "projects": "all" }),
        json!({ "role": null }),
        json!({ "email": "x@example.com" }),
    ] {
        owner.patch(&path, body).refused(400, "invalid_field");
    }
}

fn keys_and_projects_are_made_by_admins(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let admin = app.signed_in_as(&shop, "admin").outside();
    let body = json!({ "name": "export", "scopes": ["read"], "projects": [shop.project_key], "expires_in_days": 1 });
    let made = admin.post("/v2/keys", body).created();
    let key = shop.with_key(made["api_key"].as_str());
    key.get("/experiments").ok();
    key.post("/hypothesis", json!({ "problem": "P" })).refused(403, "missing_scope");
    let prefix = made["prefix"].as_str().expect("a prefix");
    let listed = admin.get("/v2/keys").ok();
    let found = listed["keys"].as_array().expect("keys").iter().find(|one| one["prefix"] == prefix).expect("the key");
    assert_eq!((&found["name"], &found["projects"]), (&json!("export"), &json!([shop.project_key])));
    assert!(!admin.get("/v2/keys").text().contains(made["api_key"].as_str().expect("a key")));
    admin.delete(&format!("/v2/key/{prefix}")).ok();
    key.get("/experiments").refused(401, "unauthorized");
    admin.delete(&format!("/v2/key/{prefix}")).ok();
    for unknown in ["nosuchky", "x", "%20", "aaaaaaaaaaaaaaaa"] {
        admin.delete(&format!("/v2/key/{unknown}")).refused(404, "not_found");
    }
    // Keys of another company are unknown.
    let beta = app.project("Beta", "Shop");
    let theirs = &beta.api_key.as_deref().expect("a key")[4..12];
    admin.delete(&format!("/v2/key/{theirs}")).refused(404, "not_found");
    beta.get("/experiments").ok();
    admin
        .post("/v2/keys", json!({ "name": " ", "scopes": [], "projects": ["x"], "expires_in_days": 0 }))
        .refused(400, "invalid_field");
    admin
        .post("/v2/keys", json!({ "name": "k", "scopes": ["read"], "projects": [beta.project_key] }))
        .invalid(&["projects[0]"]);
    // A key cannot create keys or people; it can create projects if it has every scope.
    shop.outside().post("/v2/keys", json!({ "name": "k", "scopes": ["read"] })).refused(403, "session_needed");
    let project = shop.outside().post("/v2/projects", json!({ "name": "Second" })).created();
    shop.outside().post("/v2/projects", json!({ "name": "Second" })).refused(409, "key_taken");
    shop.outside().post("/v2/projects", json!({ "name": "" })).invalid(&["name"]);
    let second = admin.in_project(project["project_key"].as_str().expect("a key"));
    let settings = second.get("/settings").ok();
    let defaults = json!({ "name": "Second", "consent": "assumed", "gpc": false, "bots": false, "health": 10, "base": "",
        "keep_query": ["utm_*"],
        "editors_have_code": false, "approve_code": false, "approve_live": false, "stop_on_page_harm": false, "visitors": "any",
        "orders": "any", "page_origins": [] });
    assert_eq!(settings["settings"], defaults);
    let changed = second
        .patch("/settings", json!({ "name": "2nd", "consent": "required", "health": 0, "approve_live": true }))
        .ok();
    assert_eq!((&changed["settings"]["name"], &changed["settings"]["approve_live"]), (&json!("2nd"), &json!(true)));
    assert_eq!(second.get("/settings").ok()["settings"], changed["settings"]);
    second.patch("/settings", json!({ "name": "Shop" })).refused(409, "key_taken");
    second
        .patch(
            "/settings",
            json!({ "health": 101, "base": "//x", "consent": "maybe", "gpc": 1, "keep_query": ["a b"] }),
        )
        .refused(400, "invalid_field");
    assert_eq!(second.get("/settings").ok()["settings"], changed["settings"]);
}

fn what_people_do_is_told_under_their_name(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let editor = app.signed_in_as(&shop, "editor");
    let id = editor.experiment(json!({ "test_name": "Mine" }));
    editor.patch(&format!("/experiment/{id}"), json!({ "test_name": "Still mine" })).ok();
    let person = editor.outside().get("/v2/session").ok()["person"]["person_id"].to_string();
    let by_editor = json!({ "kind": "person", "id": person, "name": "The editor" });
    let history = editor.get(&format!("/experiment/{id}/history")).ok();
    let actors: Vec<_> = history["revisions"].as_array().expect("revisions").iter().map(|one| &one["actor"]).collect();
    assert_eq!(actors, [&by_editor; 2]);
    let admin = app.signed_in_as(&shop, "admin").outside();
    let page = admin.get(&format!("/v2/audit?object=experiment:{id}")).ok();
    let entries = page["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["actor"], by_editor);
    assert_eq!(
        (&entries[0]["before"], &entries[0]["after"]),
        (&json!({ "test_name": "Mine" }), &json!({ "test_name": "Still mine" }))
    );
    assert_eq!((&entries[1]["action"], &entries[1]["before"]), (&json!("create"), &Value::Null));
    assert_eq!(entries[1]["after"]["test_name"], "Mine");
    assert_eq!(entries[1]["project_key"], shop.project_key.as_str());
}

fn the_audit_log_is_a_chain(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    app.project("Beta", "Shop");
    let admin = app.signed_in_as(&shop, "admin").outside();
    let things = Things::make(&shop, "audited");
    shop.patch("/settings", json!({ "gpc": true })).ok();
    shop.patch("/settings", json!({ "gpc": true })).ok();
    shop.patch(&format!("/goal/{}", things.goal_id), json!({ "goal_name": "=cmd()" })).ok();
    shop.patch(&format!("/hypothesis/{}", things.hypothesis_id), json!({ "confidence": 5 })).ok();
    shop.patch(&format!("/exclusion-group/{}", things.group_id), json!({ "name": "Other" })).ok();
    shop.patch(&format!("/webhook/{}", things.webhook_id), json!({ "enabled": false })).ok();
    shop.delete(&format!("/experiment/{}", things.test_id)).ok();
    shop.get("/visitor/audited-visitor").ok();
    let all = admin.get("/v2/audit?limit=500").ok();
    let entries = all["entries"].as_array().expect("entries");
    let kinds: Vec<_> = entries
        .iter()
        .rev()
        .map(|one| format!("{} {}", one["object"]["kind"], one["action"]).replace('"', ""))
        .collect();
    for expect in [
        "project create",
        "key create",
        "person add",
        "session sign in",
        "goal create",
        "hypothesis create",
        "experiment create",
        "group create",
        "webhook create",
        "visitor_data delete",
        "visitor_data export",
        "project settings",
        "goal update",
        "hypothesis update",
        "group update",
        "webhook update",
        "experiment delete",
    ] {
        assert!(kinds.iter().any(|kind| kind == expect), "{expect} is not in {kinds:?}");
    }
    assert!(!all.to_string().contains("audited-visitor"), "who it was is not told for ever");
    assert_eq!(kinds.iter().filter(|kind| *kind == "project settings").count(), 1, "what changes nothing is not told");
    let numbers: Vec<_> = entries.iter().rev().map(|one| one["entry"].as_i64().expect("a number")).collect();
    assert_eq!(numbers, (1..=numbers.len() as i64).collect::<Vec<_>>());

    // Pages are contiguous, and filters apply.
    let mut paged = Vec::new();
    let mut path = "/v2/audit?limit=4".to_owned();
    loop {
        let page = admin.get(&path).ok();
        paged.extend(page["entries"].as_array().expect("entries").iter().cloned());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v2/audit?limit=4&cursor={cursor}");
    }
    assert_eq!(&paged, entries);
    let count = |query: &str| admin.get(&format!("/v2/audit?{query}")).ok()["count"].as_u64().expect("a count");
    assert_eq!(count("object=goal"), 2);
    assert_eq!(count(&format!("object=goal:{}", things.goal_id)), 2);
    assert_eq!(count("actor=admin@acme.example"), 1);
    assert_eq!(
        count("actor=command%20line") as usize,
        kinds.iter().filter(|kind| ["project create", "key create", "person add"].contains(&kind.as_str())).count()
    );
    assert_eq!(count("project=prj_nowhere"), 0);
    assert!(count(&format!("project={}", shop.project_key)) > 5);
    assert_eq!(count("from=2026-03-02"), 0);
    assert_eq!(count("to=2026-03-01"), 0);
    admin.get("/v2/audit?cursor=x&from=yesterday").refused(400, "invalid_parameter");
    let csv = admin.get("/v2/audit.csv").has_status(200).text();
    assert!(csv.starts_with("entry,at,actor_kind,"), "{csv}");
    assert!(csv.contains(",'=cmd(),"), "a name is no formula: {csv}");
    assert_eq!(csv.matches("\r\n").count(), entries.len() + 1);

    assert_eq!(app.audit("Acme"), (entries.len() as i64, None));
    app.tamper("UPDATE audit SET actor_name = 'somebody else' WHERE entry = 5 AND company_id = 1");
    assert_eq!(app.audit("Acme"), (4, Some("entry 5 has been changed since it was written".to_owned())));
    app.tamper("DELETE FROM audit WHERE entry = 3 AND company_id = 1");
    assert_eq!(app.audit("Acme"), (2, Some("entry 3 is missing".to_owned())));
    assert_eq!(app.audit("Beta").1, None);
}

fn conclusions_are_of_people(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let editor = app.signed_in_as(&shop, "editor");
    shop.goal("bought");
    let id = shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
    let path = format!("/experiment/{id}/conclude");
    let next = shop.hypothesis(json!({ "problem": "Still too long" }));
    let elsewhere = app.project("Acme", "Blog").hypothesis(json!({ "problem": "Of another project" }));
    let body = json!({
        "outcome": "stopped_early", "note": "No time.", "learned": "Plan more.", "follow_up_hypothesis_id": next,
    });
    shop.post(&path, body.clone()).refused(403, "session_needed");
    editor.post("/experiment/9999/conclude", json!({})).refused(404, "not_found");
    editor.post(&path, json!({ "outcome": "win" })).invalid(&["outcome", "note"]);
    for (arm, share, next, field) in [
        (Some("9"), None, None, "serve_variant_id"),
        (Some("1"), Some(0), None, "traffic_allocation"),
        (None, Some(50), None, "traffic_allocation"),
        (None, None, Some(9_999), "follow_up_hypothesis_id"),
        (None, None, Some(elsewhere), "follow_up_hypothesis_id"),
    ] {
        let mut body = json!({ "outcome": "won", "note": "" });
        if let Some(arm) = arm {
            body["serve_variant_id"] = json!(arm);
        }
        if let Some(share) = share {
            body["traffic_allocation"] = json!(share);
        }
        if let Some(next) = next {
            body["follow_up_hypothesis_id"] = json!(next);
        }
        editor.post(&path, body).invalid(&[field]);
    }
    assert_eq!(shop.get(&format!("/experiment/{id}/conclusion")).ok()["conclusion"], Value::Null);
    let call = || editor.call("POST", &path).header("idempotency-key", "once").json(body.clone());
    editor
        .call("POST", &path)
        .header("if-match", "\"other\"")
        .json(body.clone())
        .send()
        .refused(412, "precondition_failed");
    let done = call().send().ok();
    assert_eq!(
        (&done["status"], &done["is_completed"], &done["outcome"]),
        (&json!(0), &json!(1), &json!("stopped_early"))
    );
    let again = call().send();
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.ok(), done);
    editor.post(&path, body).refused(409, "concluded");
    let shown = shop.get(&format!("/experiment/{id}/conclusion")).ok()["conclusion"].clone();
    assert_eq!((&shown["learned"], &shown["concluded_by"]), (&json!("Plan more."), &json!("The editor")));
    assert_eq!(shown["follow_up_hypothesis_id"], next);
    assert_eq!(shop.details(id)["is_completed"], 1);
    shop.set_status(id, 1).refused(409, "concluded");
    let reopen = format!("/experiment/{id}/reopen");
    shop.call("POST", &reopen).send().refused(403, "session_needed");
    let open = editor.call("POST", &reopen).send().ok();
    assert_eq!((&open["is_completed"], &open["status"]), (&json!(0), &json!(0)));
    editor.call("POST", &reopen).send().refused(409, "transition_forbidden");
    assert_eq!(shop.get(&format!("/experiment/{id}/conclusion")).ok()["conclusion"], Value::Null);

    // With a winner that is served to some visitors. Without visitors, the numbers do not support it.
    shop.set_status(id, 1).ok();
    let won = json!({ "outcome": "won", "note": "It won.", "serve_variant_id": "1", "traffic_allocation": 20 });
    let refused = editor.post(&path, won.clone());
    if refused.status == 409 {
        refused.refused(409, "verdict_contradicted");
        let mut won = won;
        won["override_reason"] = json!("A study said so.");
        let done = editor.post(&path, won).ok();
        assert_eq!((&done["status"], &done["serving_variant_id"]), (&json!(1), &json!("1")));
        assert_eq!(done["serving_traffic_allocation"], 20);
        assert_eq!(shop.details(id)["serving_traffic_allocation"], 20);
        let shown = shop.get(&format!("/experiment/{id}/conclusion")).ok()["conclusion"].clone();
        assert_eq!(shown["override_reason"], "A study said so.");
        assert!(shown["verdicts"].is_object() && shown["manifest"].is_object(), "{shown}");
    } else {
        panic!("a result of nobody wins nothing: {}", refused.text());
    }
}

fn editors_have_code_where_the_project_says_so(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let (editor, admin) = (app.signed_in_as(&shop, "editor"), app.signed_in_as(&shop, "admin"));
    let coded = json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1", "customJS": "x()" }] });
    editor.post("/create-experiment", coded.clone()).refused(403, "missing_scope");
    admin.post("/create-experiment", coded.clone()).created();
    editor.patch("/settings", json!({ "editors_have_code": true })).refused(403, "missing_scope");
    admin.patch("/settings", json!({ "editors_have_code": true })).ok();
    let scopes = editor.outside().get("/v2/session").ok()["projects"][0]["scopes"].clone();
    assert_eq!(scopes, json!(["read", "write", "code", "evaluate"]));
    editor.post("/create-experiment", coded.clone()).created();
    let blog = app.project("Acme", "Blog");
    editor.in_project(&blog.project_key).post("/create-experiment", coded.clone()).refused(403, "missing_scope");
    admin.patch("/settings", json!({ "editors_have_code": false })).ok();
    editor.post("/create-experiment", coded).refused(403, "missing_scope");
}
