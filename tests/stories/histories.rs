//! History, restoring earlier states, copies, the archive, and comments.

use crate::overview::company_wide;
use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        the_history_of_an_experiment_has_every_change,
        an_earlier_state_is_restored_as_a_change,
        what_cannot_be_restored,
        goals_and_hypotheses_have_histories,
        comments_are_kept,
    ],
    postgres_at_night: [
        a_long_history_comes_in_pages,
        a_copy_is_a_draft_with_everything,
        the_archive_takes_what_nobody_meets,
    ],
}

const MINUTE: Duration = Duration::from_secs(60);

fn history(client: &Client, path: &str) -> Vec<Value> {
    client.get(&format!("{path}/history")).ok()["revisions"].as_array().expect("revisions").clone()
}

/// Returns the fields of a change with their values before and after.
fn changes(revision: &Value) -> Value {
    let changes = revision["changes"].as_array().expect("changes").iter();
    let pairs =
        changes.map(|it| (it["field"].as_str().expect("a field").to_owned(), json!([it["before"], it["after"]])));
    Value::Object(pairs.collect())
}

fn the_history_of_an_experiment_has_every_change(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let id = shop.experiment(json!({ "variants": [{ "name": "Variant 1", "customJS": "old()" }] }));
    let path = format!("/experiment/{id}");
    app.pass(MINUTE);
    let writer = app.key(&shop, |wanted| {
        wanted.name = "Deploys".to_owned();
        wanted.scopes = "read,write,code".to_owned();
    });
    writer.patch(&path, json!({ "variants": [{ "name": "Variant 1", "customJS": "new()" }], "tags": ["a"] })).ok();
    shop.set_status(id, 1).ok();
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 40 } })).ok();
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok();
    app.conclude(id);
    // A write without changes is not recorded.
    shop.patch(&path, json!({ "tags": ["a"] })).ok();

    let entries = history(&shop, &path);
    let revisions: Vec<&Value> = entries.iter().map(|one| &one["revision"]).collect();
    assert_eq!(revisions, [6, 5, 4, 3, 2, 1].map(|number| json!(number)).iter().collect::<Vec<_>>());
    let actions: Vec<&Value> = entries.iter().map(|one| &one["action"]).collect();
    assert_eq!(json!(actions), json!(["conclude", "serve winner", "update", "status", "update", "create"]));
    assert_eq!(changes(&entries[4]), json!({ "tags": [[], ["a"]], "variants[0].customJS": ["old()", "new()"] }));
    assert_eq!(entries[4]["actor"]["kind"], "key");
    assert_eq!(entries[4]["actor"]["name"], "Deploys");
    assert_eq!(entries[4]["at"], "2026-03-01T10:01:00.000Z");
    assert_eq!(changes(&entries[3]), json!({ "status": ["draft", "live"] }));
    assert_eq!(changes(&entries[2]), json!({ "configuration.traffic_allocation": [100, 40] }));
    let served = json!({ "traffic_allocation": 100, "variant_id": "1" });
    assert_eq!(changes(&entries[1])["serving"], json!([null, served]));
    assert_eq!(changes(&entries[0])["conclusion"][0], Value::Null);
    assert_eq!(entries[0]["actor"]["kind"], "system");
    assert_eq!(entries[5]["changes"], json!([]));
}

fn a_long_history_comes_in_pages(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    // More changes than are read at once.
    for number in 0..120 {
        shop.patch(&path, json!({ "test_name": format!("name {number}") })).ok();
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = shop.get(&format!("{path}/history?limit=50{cursor}")).ok();
        for one in page["revisions"].as_array().expect("revisions") {
            let number = one["revision"].as_i64().expect("a number");
            seen.push(number);
            if number > 2 {
                let expect = json!([format!("name {}", number - 3), format!("name {}", number - 2)]);
                assert_eq!(changes(one)["test_name"], expect);
            }
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, (1..=121).rev().collect::<Vec<_>>());
    // Changes with much code end a page sooner.
    let heavy = |code: char| json!({ "custom_js": format!("/*{}*/", code.to_string().repeat(500_000)) });
    for code in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'] {
        shop.patch(&path, heavy(code)).ok();
    }
    let page = shop.get(&format!("{path}/history?limit=100")).ok();
    let shown = page["revisions"].as_array().expect("revisions").len();
    assert!((5..10).contains(&shown), "{shown}");
    let next = page["next_cursor"].as_str().expect("more");
    let page = shop.get(&format!("{path}/history?limit=100&cursor={next}")).ok();
    let first = page["revisions"][0]["revision"].as_i64().expect("a number");
    assert_eq!(first, 131 - i64::try_from(shown).expect("few"));
    for (query, parameter) in [("limit=0", "limit"), ("cursor=0", "cursor"), ("cursor=x", "cursor")] {
        assert_eq!(
            shop.get(&format!("{path}/history?{query}")).refused(400, "invalid_parameter").fields(),
            [parameter]
        );
    }
}

fn an_earlier_state_is_restored_as_a_change(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let variants = json!([
        { "name": "Variant 1", "customJS": "one()" },
        { "name": "Variant 2", "customCSS": ".two{}", "data": [{ "target": "#a", "innerText": "A" }] },
    ]);
    let id = shop.experiment(json!({ "variants": variants, "primary_goal_key": "bought", "status": 1, "tags": ["x"] }));
    let path = format!("/experiment/{id}");
    let before = shop.details(id);
    shop.patch(&path, json!({ "variants": [{ "name": "Variant 1" }], "test_name": "Shorter", "tags": [] })).ok();
    shop.merge(&path, json!({ "configuration": { "traffic_allocation": 10 } })).ok();
    let version = shop.etag(id);

    let restore = |client: &Client, revision: i64| {
        let call = client.call("POST", &format!("{path}/restore")).header("if-match", &version);
        call.json(json!({ "revision": revision })).send()
    };
    let preview = shop.post(&format!("{path}/restore-preview"), json!({ "revision": 1 })).ok();
    assert_eq!((&preview["opens_epoch"], &preview["reasons"]), (&json!(true), &json!(["variants", "traffic"])));
    assert_eq!(shop.etag(id), version, "a preview changes nothing");
    restore(&app.scoped(&shop, "read,write"), 1).refused(403, "missing_scope");
    app.scoped(&shop, "read")
        .post(&format!("{path}/restore-preview"), json!({ "revision": 1 }))
        .refused(403, "missing_scope");

    let answer = restore(&shop, 1);
    let etag = answer.etag();
    assert_eq!(answer.ok()["revision"], 1);
    assert_eq!(shop.etag(id), etag);
    let after = shop.details(id);
    for field in ["variants", "test_name", "tags", "configuration", "targeting", "primary_goal_key", "status"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    let epochs = after["epochs"].as_array().expect("epochs").len();
    assert_eq!(epochs, before["epochs"].as_array().expect("epochs").len() + 3);
    let last = history(&shop, &path)[0].clone();
    assert_eq!((&last["action"], &last["detail"]["revision"]), (&json!("restore"), &json!(1)));
    // A restore for another version is refused.
    restore(&shop, 2).refused(412, "precondition_failed");
    // Restores the state of the revision in between, and then of the present one.
    shop.post(&format!("{path}/restore"), json!({ "revision": 2 })).ok();
    assert_eq!(shop.details(id)["test_name"], "Shorter");
    assert_eq!(shop.details(id)["configuration"]["traffic_allocation"], 100);
    let version = shop.etag(id);
    shop.post(&format!("{path}/restore"), json!({ "revision": 5 })).ok();
    assert_eq!(shop.etag(id), version);
}

fn what_cannot_be_restored(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let goal = shop.goal("bought");
    let two = json!([{ "name": "Variant 1" }, { "name": "Variant 2" }]);
    let id = shop.experiment(json!({ "secondary_goal_keys": ["bought"] }));
    let path = format!("/experiment/{id}/restore");
    shop.delete(&format!("/goal/{goal}")).ok();
    // The goal is permanently deleted, so a state with it cannot be restored.
    shop.post(&path, json!({ "revision": 1 })).refused(400, "invalid_field").invalid(&["secondary_goal_keys[0]"]);
    for revision in [json!(0), json!(-1), json!("1"), json!(1.0), json!(null)] {
        shop.post(&path, json!({ "revision": revision })).invalid(&["revision"]);
    }
    shop.post(&path, json!({ "revision": 9_999 })).invalid(&["revision"]);
    shop.post(&path, json!({})).invalid(&["revision"]);

    let id = shop.experiment(json!({}));
    shop.patch(&format!("/experiment/{id}"), json!({ "variants": two })).ok();
    shop.set_status(id, 1).ok();
    shop.post(&format!("/experiment/{id}/serve-winner"), json!({ "variant_id": "2" })).ok();
    shop.post(&format!("/experiment/{id}/restore"), json!({ "revision": 1 })).refused(409, "variant_is_served");
}

fn goals_and_hypotheses_have_histories(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let goal = shop.goal("bought");
    let goal = format!("/goal/{goal}");
    let before = shop.get(&goal).ok()["goal"].clone();
    app.pass(MINUTE);
    shop.patch(&goal, json!({ "goal_name": "Paid", "goal_type": "revenue", "goal_value": "Purchase", "cap": 50 })).ok();
    shop.patch(&goal, json!({ "goal_name": "Paid" })).ok();
    let entries = history(&shop, &goal);
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!(changes(&entries[0])["goal_name"], json!([before["goal_name"], "Paid"]));
    assert_eq!(changes(&entries[0])["cap"], json!([null, 50.0]));
    assert_eq!((&entries[1]["action"], &entries[0]["at"]), (&json!("create"), &json!("2026-03-01T10:01:00.000Z")));
    shop.post(&format!("{goal}/restore"), json!({ "revision": 1 })).ok();
    assert_eq!(shop.get(&goal).ok()["goal"], before);
    assert_eq!(history(&shop, &goal)[0]["action"], "restore");
    shop.post(&format!("{goal}/restore"), json!({ "revision": 9 })).invalid(&["revision"]);
    // A goal that is created with an experiment has a history, too.
    let inline = json!({ "goal_name": "Seen", "goal_type": "pageview", "goal_value": "/a" });
    let made = shop.post("/create-experiment", json!({
        "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }], "primary_goal": inline,
    }));
    let id = made.created()["goal_profile_id"].as_i64().expect("an id");
    assert_eq!(history(&shop, &format!("/goal/{id}"))[0]["action"], "create");

    let id = shop.hypothesis(json!({ "observation": "O", "confidence": 2 }));
    let hypothesis = format!("/hypothesis/{id}");
    let before = shop.get(&hypothesis).ok()["hypothesis"].clone();
    shop.patch(&hypothesis, json!({ "observation": null, "problem": "P", "archived": true })).ok();
    // Linking an experiment is not a change of the hypothesis's texts.
    shop.experiment(json!({ "hypothesis_id": id }));
    shop.patch(&hypothesis, json!({ "confidence": null })).ok();
    let entries = history(&shop, &hypothesis);
    assert_eq!(entries.len(), 3);
    assert_eq!(changes(&entries[0]), json!({ "confidence": [2, null] }));
    assert_eq!(
        changes(&entries[1]),
        json!({ "archived": [false, true], "observation": ["O", null], "problem": [null, "P"] })
    );
    let page = shop.get(&format!("{hypothesis}/history?limit=1")).ok();
    let next = page["next_cursor"].as_str().expect("more");
    let page = shop.get(&format!("{hypothesis}/history?limit=2&cursor={next}")).ok();
    assert_eq!(page["revisions"], json!(entries[1..]));
    assert_eq!(page["next_cursor"], Value::Null);
    shop.post(&format!("{hypothesis}/restore"), json!({ "revision": entries[2]["revision"] })).ok();
    let after = shop.get(&hypothesis).ok()["hypothesis"].clone();
    for field in ["observation", "problem", "confidence", "archived"] {
        assert_eq!(after[field], before[field], "{field}");
    }
}

fn a_copy_is_a_draft_with_everything(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let hypothesis = shop.hypothesis(json!({ "problem": "P" }));
    let id = shop.experiment(json!({
        "status": 1, "primary_goal_key": "bought", "hypothesis_id": hypothesis, "tags": ["t"], "custom_css": ".a{}",
        "variants_data_key": "https://shop.example/*", "url": "https://shop.example/list",
        "variants": [{ "name": "Variant 1", "nickname": "N", "customJS": "a()", "data": [{ "target": "#a", "innerText": "A" }] }],
        "configuration": {
            "traffic_allocation": 50, "distribution": { "Control": 20, "Variant 1": 80 },
            "start_test_date": "2026-02-01T00:00:00Z", "end_test_date": "2027-01-01T00:00:00Z",
        },
        "targeting": { "device_rule": ["mobile"] }, "plan": { "mde": 7, "visitors": 500 },
    }));
    let path = format!("/experiment/{id}/duplicate");
    let call = || shop.call("POST", &path).header("idempotency-key", "copy");
    let made = call().json(json!({})).send().created();
    let again = call().json(json!({})).send().created();
    assert_eq!(made, again, "a repeated request makes one");
    let (original, copy) = (shop.details(id), shop.details(made["test_id"].as_i64().expect("an id")));
    for field in [
        "variants",
        "control",
        "tags",
        "custom_css",
        "targeting",
        "plan",
        "primary_goal_key",
        "hypothesis_id",
        "url",
        "variants_data_key",
        "test_type",
        "builtin_metrics",
    ] {
        assert_eq!(copy[field], original[field], "{field}");
    }
    assert_eq!((&copy["status"], &copy["epochs"]), (&json!(9), &json!([])));
    assert_eq!(copy["test_name"], "Checkout (copy)");
    assert_ne!(copy["experiment_key"], original["experiment_key"]);
    assert_eq!(copy["configuration"]["traffic_allocation"], 50);
    assert_eq!(copy["configuration"]["distribution"], original["configuration"]["distribution"]);
    for date in ["start_test_date", "end_test_date"] {
        assert_eq!(copy["configuration"][date], Value::Null, "{date}");
    }
    assert_eq!(history(&shop, &format!("/experiment/{}", copy["test_id"]))[0]["action"], "duplicate");
    let named = shop.post(&path, json!({ "test_name": " Second " })).created();
    assert_eq!(shop.details(named["test_id"].as_i64().expect("an id"))["test_name"], "Second");
    let long = shop.experiment(json!({ "test_name": "ß".repeat(255) }));
    let made = shop.post(&format!("/experiment/{long}/duplicate"), json!({})).created();
    let name = shop.details(made["test_id"].as_i64().expect("an id"))["test_name"].clone();
    assert_eq!(name, format!("{} (copy)", "ß".repeat(248)));

    app.scoped(&shop, "read,write").post(&path, json!({})).refused(403, "missing_scope");
    shop.post(&path, json!({ "test_name": " " })).invalid(&["test_name"]);
    shop.call("POST", &path).header("if-match", "\"other\"").json(json!({})).send().refused(412, "precondition_failed");
}

fn the_archive_takes_what_nobody_meets(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    let (path, archive) = (format!("/experiment/{id}"), format!("/experiment/{id}/archive"));
    let total = |query: &str| company_wide(&shop).get(&format!("/overview{query}")).ok()["total"].clone();
    shop.patch(&archive, json!({ "archived": true })).refused(409, "transition_forbidden");
    shop.patch(&archive, json!({ "archived": 1 })).invalid(&["archived"]);
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok();
    shop.set_status(id, 0).ok();
    shop.patch(&archive, json!({ "archived": true })).refused(409, "transition_forbidden");
    shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    assert_eq!(
        shop.patch(&archive, json!({ "archived": true })).ok(),
        json!({ "success": true, "test_id": id, "archived": true })
    );
    assert_eq!((total(""), total("?archived=only"), total("?archived=include")), (json!(0), json!(1), json!(1)));
    assert_eq!(shop.details(id)["archived"], true);
    assert_eq!(shop.get("/experiments").ok()["count"], 1, "the list of all experiments has it all the same");
    let version = shop.etag(id);
    shop.patch(&archive, json!({ "archived": true })).ok();
    assert_eq!(shop.etag(id), version);
    // A start removes it from the archive.
    shop.set_status(id, 1).ok();
    assert_eq!(total(""), 1);
    assert_eq!(shop.details(id)["archived"], Value::Null);

    // An archived experiment does not start at its date, and does once it is unarchived.
    let date = json!({ "configuration": { "start_test_date": "2026-03-01T11:00:00Z" } });
    let late = shop.experiment(date);
    shop.patch(&format!("/experiment/{late}/archive"), json!({ "archived": true })).ok();
    assert_eq!(shop.details(late)["schedule"]["next"], Value::Null);
    shop.patch(&format!("/experiment/{late}/archive"), json!({ "archived": false })).ok();
    assert_eq!(shop.details(late)["schedule"]["next"]["act"], "start");
    shop.patch(&path, json!({ "archived": true })).invalid(&["archived"]);
}

fn comments_are_kept(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let things = [
        format!("/experiment/{}/comments", shop.experiment(json!({}))),
        format!("/hypothesis/{}/comments", shop.hypothesis(json!({ "problem": "P" }))),
    ];
    for path in &things {
        assert_eq!(shop.get(path).ok(), json!({ "success": true, "total": 0, "comments": [], "next_cursor": null }));
        let texts = ["<script>alert(1)</script>", " two\nlines ", &"ß".repeat(10_000)];
        for text in texts {
            app.pass(MINUTE);
            shop.post(path, json!({ "text": text })).created();
        }
        let call = || shop.call("POST", path).header("idempotency-key", "c").json(json!({ "text": "once" })).send();
        assert_eq!(call().created(), call().created());
        let page = shop.get(&format!("{path}?limit=2")).ok();
        assert_eq!(page["total"], 4);
        assert_eq!(page["comments"][0]["text"], "once");
        assert_eq!(page["comments"][0]["actor"]["kind"], "key");
        let next = page["next_cursor"].as_str().expect("more");
        let page = shop.get(&format!("{path}?limit=2&cursor={next}")).ok();
        assert_eq!((&page["comments"][0]["text"], &page["comments"][1]["text"]), (&json!(texts[1]), &json!(texts[0])));
        assert_eq!(page["next_cursor"], Value::Null);
        for text in [json!(""), json!(" \n"), json!("x".repeat(10_001)), json!(1), json!(null)] {
            shop.post(path, json!({ "text": text })).invalid(&["text"]);
        }
        app.scoped(&shop, "read").post(path, json!({ "text": "x" })).refused(403, "missing_scope");
    }
    // Each object has its own comments.
    assert_eq!(shop.get(&things[0]).ok()["total"], 4);
}
