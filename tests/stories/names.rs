//! Names that resolve to object ids, and versions of goals and hypotheses: the requests by which files are applied.

use crate::scene::snapshot;
use muriel_tests::{On, stories};
use serde_json::{Value, json};

stories! {
    always: [
        names_of_a_project_come_in_pages,
        goals_and_hypotheses_change_under_a_condition,
    ],
    postgres_at_night: [
        hypotheses_have_slugs,
        status_and_fields_change_in_one_step,
    ],
}

fn names_of_a_project_come_in_pages(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let other = app.project("Acme", "Other");
    other.experiment(json!({ "experiment_key": "elsewhere" }));
    let ids: Vec<i64> = (0..5).map(|n| shop.experiment(json!({ "experiment_key": format!("e-{n}") }))).collect();
    shop.call("DELETE", &format!("/experiment/{}", ids[1])).send().ok();
    let ideas: Vec<i64> = (0..3).map(|_| shop.hypothesis(json!({ "solution": "Same idea" }))).collect();

    let (mut seen, mut after) = (Vec::new(), json!(0));
    while !after.is_null() {
        let page = shop.get(&format!("/experiment-keys?limit=2&after={after}")).ok();
        let items = page["experiments"].as_array().expect("a page").clone();
        assert_eq!(page["count"], items.len());
        seen.extend(items.iter().map(|item| (item["test_id"].as_i64(), item["experiment_key"].clone())));
        after = page["next_after"].clone();
    }
    let expect: Vec<_> = [0, 2, 3, 4].iter().map(|n| (Some(ids[*n]), json!(format!("e-{n}")))).collect();
    assert_eq!(seen, expect);

    let slugs = shop.get("/hypothesis-slugs").ok();
    let names = ["same-idea", "same-idea-2", "same-idea-3"];
    let expect: Vec<Value> =
        ideas.iter().zip(names).map(|(id, slug)| json!({ "hypothesis_id": id, "slug": slug })).collect();
    assert_eq!((&slugs["hypotheses"], &slugs["next_after"]), (&json!(expect), &Value::Null));
    for bad in ["?limit=0", "?after=-1", "?after=x", "?limit=1&limit=2"] {
        shop.get(&format!("/experiment-keys{bad}")).refused(400, "invalid_parameter");
        shop.get(&format!("/hypothesis-slugs{bad}")).refused(400, "invalid_parameter");
    }
}

fn hypotheses_have_slugs(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let made = shop.post("/hypothesis", json!({ "problem": "P", "slug": "first", "archived": true })).created();
    assert_eq!(made["slug"], "first");
    let id = made["hypothesis_id"].as_i64().expect("an id");
    assert_eq!(shop.get("/hypotheses").ok()["total"], 0);
    assert_eq!(shop.get("/hypotheses?include_archived=1").ok()["total"], 1);
    let listed = shop.get("/hypotheses?include_archived=1").ok()["hypotheses"][0].clone();
    assert_eq!(listed.get("slug"), None, "the fields of the list are specified");
    let details = || shop.get(&format!("/hypothesis/{id}")).ok()["hypothesis"].clone();
    assert_eq!((&details()["slug"], &details()["archived"]), (&json!("first"), &json!(true)));

    shop.post("/hypothesis", json!({ "problem": "P", "slug": "first" })).refused(409, "key_taken");
    let second = shop.hypothesis(json!({ "problem": "P", "slug": "second" }));
    let path = format!("/hypothesis/{second}");
    shop.patch(&path, json!({ "slug": "first" })).refused(409, "key_taken");
    for bad in [json!("A"), json!("-a"), json!(""), json!(null), json!(1), json!("a".repeat(65))] {
        shop.patch(&path, json!({ "slug": bad })).refused(400, "invalid_field");
    }
    shop.patch(&path, json!({ "slug": "second" })).ok();
    shop.patch(&format!("/hypothesis/{id}"), json!({ "slug": "renamed" })).ok();
    shop.patch(&path, json!({ "slug": "first" })).ok();
    assert_eq!(details()["slug"], "renamed");
    // Another project has its own slugs.
    let other = app.project("Acme", "Other");
    other.hypothesis(json!({ "problem": "P", "slug": "first" }));
}

fn goals_and_hypotheses_change_under_a_condition(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let goal = json!({ "goal_name": "G", "goal_type": "event", "goal_value": "g" });
    let goal = shop.post("/goal", goal).created()["goal_profile_id"].as_i64().expect("an id");
    let idea = shop.hypothesis(json!({ "problem": "P" }));
    for (path, first, second) in [
        (format!("/goal/{goal}"), json!({ "goal_name": "H" }), json!({ "goal_name": "I" })),
        (format!("/hypothesis/{idea}"), json!({ "problem": "Q" }), json!({ "problem": "R" })),
    ] {
        let etag = shop.get(&path).has_status(200).etag();
        let patch =
            |body: &Value, tag: &str| shop.call("PATCH", &path).header("if-match", tag).json(body.clone()).send();
        let changed = patch(&first, &etag);
        let now = changed.etag();
        changed.ok();
        assert_ne!(now, etag);
        assert_eq!(shop.get(&path).etag(), now);
        patch(&second, &etag).refused(412, "precondition_failed");
        // Errors of the body are reported first.
        patch(&json!({ "no_such": 1 }), &etag).refused(400, "invalid_field");
        assert_eq!(shop.get(&path).etag(), now, "nothing changed");
        let same = patch(&first, &now);
        assert_eq!(same.etag(), now, "nothing was there to change");
        shop.patch(&path, second).ok();
    }
    let path = format!("/goal/{goal}");
    shop.call("DELETE", &path).header("if-match", "\"0\"").send().refused(412, "precondition_failed");
    let etag = shop.get(&path).etag();
    shop.call("DELETE", &path).header("if-match", &etag).send().ok();
}

fn status_and_fields_change_in_one_step(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let id = shop.experiment(json!({ "custom_js": "old()" }));
    let path = format!("/experiment/{id}/status");
    let step = |body: Value| shop.patch(&path, body);
    let epochs = || shop.details(id)["epochs"].as_array().expect("epochs").clone();

    // All changes are made, or none.
    let before = snapshot(&shop, id);
    for (body, field) in [
        (json!({ "status": 1, "changes": 1 }), "changes"),
        (json!({ "status": 1, "changes": { "test_names": "x" } }), "changes.test_names"),
        (json!({ "status": 1, "changes": { "primary_goal_key": "nowhere" } }), "changes.primary_goal_key"),
        (json!({ "status": 7, "changes": { "custom_js": null } }), "changes.custom_js"),
        (json!({ "status": 1, "changes": { "variants": [] } }), "changes.variants"),
        (json!({ "status": 1, "change": {} }), "change"),
    ] {
        let refused = step(body.clone()).refused(400, "invalid_field");
        let errors = refused.body["errors"].as_array().expect("errors");
        assert!(errors.iter().any(|one| one["field"] == field), "{body}: {errors:?}");
    }
    assert_eq!(snapshot(&shop, id), before);

    let started = step(json!({ "status": 1, "changes": { "primary_goal_key": "bought", "plan": { "mde": 50 } } }));
    let etag = started.etag();
    let started = started.ok();
    assert_eq!(started["status"], 1);
    let details = shop.details(id);
    assert_eq!((&details["primary_goal_key"], &details["plan"]["mde"]), (&json!("bought"), &json!(50.0)));
    // The plan of the start is that of the experiment as it starts.
    assert_eq!(details["plan"]["visitors"], started.get("planned_visitors").cloned().unwrap_or_default());
    assert_eq!((epochs().len(), &epochs()[0]["reasons"]), (1, &json!(["status"])));
    assert_eq!(snapshot(&shop, id).1, etag);

    // A forbidden transition prevents its field changes too, and so does an outdated version.
    step(json!({ "status": 9, "changes": { "test_name": "No" } })).refused(409, "transition_forbidden");
    let call = shop.call("PATCH", &path).header("if-match", "\"0\"");
    call.json(json!({ "status": 0, "changes": { "test_name": "No" } })).send().refused(412, "precondition_failed");
    assert_ne!(shop.details(id)["test_name"], "No");

    let stopped = step(json!({ "status": 0, "changes": { "custom_js": "new()", "configuration": {} } })).ok();
    assert_eq!(stopped["status"], 0);
    assert_eq!((shop.details(id)["custom_js"].clone(), epochs().len()), (json!("new()"), 2));
    step(json!({ "status": 0, "changes": { "test_name": "Yes" } })).ok();
    assert_eq!((shop.details(id)["test_name"].clone(), epochs().len()), (json!("Yes"), 2));

    // Code needs its scope here too.
    let writer = app.scoped(&shop, "read,write");
    let body = json!({ "status": 1, "changes": { "custom_js": "mine()" } });
    writer.patch(&path, body).refused(403, "missing_scope");
    assert_eq!(shop.details(id)["status"], 0);
}
