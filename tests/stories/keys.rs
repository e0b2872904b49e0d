//! API keys: transport, scopes and lifetime.

use crate::scene::{Things, send};
use muriel_tests::{Contract, DEADLINE, On, eventually, raw, stories};
use serde_json::json;
use std::time::Duration;

stories! {
    always: [
        a_limited_key_sees_its_projects_only,
        an_expired_key_is_no_key,
        a_revoked_key_is_refused,
    ],
    postgres_at_night: [
        one_bearer_header_and_nothing_else,
        scopes_hold_for_every_operation,
        code_is_a_scope_of_its_own,
    ],
}

fn one_bearer_header_and_nothing_else(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let key = shop.api_key.clone().expect("a key");
    let ask = |fields: &str| {
        let request = format!("GET {}/goals HTTP/1.1\r\nHost: story\r\n{fields}Connection: close\r\n\r\n", shop.base);
        raw::exchange(app.address, request.as_bytes())
    };
    for fields in [
        format!("Authorization: Bearer {key}\r\n"),
        format!("authorization: bearer {key}\r\n"),
        format!("AUTHORIZATION: BEARER {key}\r\n"),
    ] {
        ask(&fields).has_status(200);
    }
    let (start, rest) = key.split_at(key.len() - 1);
    let other = if rest == "a" { "b" } else { "a" };
    for fields in [
        String::new(),
        "Authorization:\r\n".to_owned(),
        "Authorization: Bearer\r\n".to_owned(),
        "Authorization: Bearer \r\n".to_owned(),
        format!("Authorization: {key}\r\n"),
        format!("Authorization: Basic {key}\r\n"),
        format!("Authorization: Bearer {key} extra\r\n"),
        format!("Authorization: Bearer Bearer {key}\r\n"),
        format!("Authorization: Bearer: {key}\r\n"),
        format!("Authorization: Bearer {key},{key}\r\n"),
        format!("Authorization: Bearer {key}\r\nAuthorization: Bearer {key}\r\n"),
        format!("Authorization: Bearer {key}\r\nauthorization: Basic x\r\n"),
        format!("Authorization: Bearer \"{key}\"\r\n"),
        format!("Authorization: Bearer {start}\r\n"),
        format!("Authorization: Bearer {start}{other}\r\n"),
        format!("Authorization: Bearer {}\r\n", key.to_uppercase()),
        "Authorization: Bearer k\u{e9}y\r\n".to_owned(),
        format!("Authorization: Bearer {}\r\n", shop.project_key),
        format!("X-Api-Key: {key}\r\n"),
        format!("Cookie: api_key={key}\r\n"),
    ] {
        let refused = ask(&fields).refused(401, "unauthorized");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"), "{fields}");
        assert!(!refused.text().contains(&key), "{fields}");
    }
    let without = shop.with_key(None);
    for query in ["api_key", "key", "access_token", "authorization"] {
        without.get(&format!("/goals?{query}={key}")).refused(401, "unauthorized");
    }
    without.in_project(&key).get("/goals").refused(401, "unauthorized");
}

fn scopes_hold_for_every_operation(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let things = Things::make(&shop, "scopes");
    let keys = ["read", "write", "code", "evaluate", "admin", "read,code,evaluate,admin", "write,code,evaluate,admin"]
        .map(|scopes| (scopes, app.scoped(&shop, scopes)));
    let before = things.all(&shop);
    for operation in Contract::get().keyed() {
        let path = things.path(operation);
        for (scopes, client) in &keys {
            if scopes.split(',').any(|scope| scope == operation.scope) {
                // Webhooks, visitors' data and exclusions have their own stories.
                let is_tested_elsewhere = ["/webhook", "/visitor/", "/exclusions", "/exclusion/"]
                    .iter()
                    .any(|part| operation.path.contains(part))
                    || operation.is_stream();
                if operation.scope != "write" && !is_tested_elsewhere {
                    send(client, operation, &path).has_status(200);
                }
                continue;
            }
            let refused = operation.refused(send(client, operation, &path), 403, "missing_scope");
            let sentence = refused.text();
            assert!(sentence.contains(&operation.scope), "{} with {scopes}: {sentence}", operation.id);
        }
    }
    assert_eq!(things.all(&shop), before, "nobody without the scope changed anything");

    // Keys with write can call the rest.
    let writer = app.scoped(&shop, "write");
    for operation in Contract::get().keyed().filter(|operation| operation.scope == "write") {
        let things = Things::make(&app.project("Acme", &operation.id), "own");
        let project = app.project("Acme", &format!("{} 2", operation.id));
        drop((things, project));
        let fresh = writer.in_project(&app.project("Acme", &format!("{} 3", operation.id)).project_key);
        let all = shop.in_project(&fresh.project_key);
        let things = Things::make(&all, "own");
        match operation.id.as_str() {
            "serveWinner" => drop(all.set_status(things.test_id, 1).ok()),
            "updateServingRollout" | "stopServing" => {
                all.set_status(things.test_id, 1).ok();
                let path = format!("/experiment/{}/serve-winner", things.test_id);
                all.post(&path, json!({ "variant_id": "1" })).ok();
            }
            // A copy of code needs the scope for code.
            "duplicateExperiment" => {
                let plain = json!({ "variants": [{ "name": "Variant 1", "nickname": "own" }] });
                all.patch(&format!("/experiment/{}", things.test_id), plain).ok();
            }
            _ => {}
        }
        let answer = send(&fresh, operation, &things.path(operation));
        if operation.id == "withdrawProposal" {
            // The scope is sufficient, but only the author can withdraw a proposal.
            answer.refused(409, "own_proposal");
            continue;
        }
        assert!(matches!(answer.status, 200 | 201), "{} was answered {}", answer.said, answer.text());
    }
}

fn code_is_a_scope_of_its_own(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let writer = app.scoped(&shop, "read,write");
    let coder = app.scoped(&shop, "read,write,code");
    let variant = json!({
        "name": "Variant 1", "nickname": "N", "customJS": "js()", "customCSS": ".a{}",
        "data": [{ "target": "#a", "innerHTML": "<b>x</b>" }, { "target": "#b", "innerText": "x" }],
    });
    let code = json!({
        "variants": [variant], "control": { "nickname": "C", "customJS": "c()" }, "custom_js": "all()",
    });
    let mut body = json!({ "test_name": "Coded", "url": "https://shop.example/" });
    for (field, value) in code.as_object().expect("fields") {
        body[field] = value.clone();
    }
    writer.post("/create-experiment", body.clone()).refused(403, "missing_scope");
    let id = coder.post("/create-experiment", body).created()["test_id"].as_i64().expect("an id");
    let path = format!("/experiment/{id}");
    let sent = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut variant = variant.clone();
        change(&mut variant);
        json!({ "variants": [variant] })
    };
    for body in [
        json!({ "custom_js": "" }),
        json!({ "custom_js": "other()" }),
        json!({ "custom_css": "x" }),
        json!({ "control": { "nickname": "C" } }),
        json!({ "control_attr": { "js": "other()" } }),
        json!({ "variants": [{ "name": "Variant 1" }] }),
        sent(&|variant| variant["customJS"] = json!("js(2)")),
        sent(&|variant| variant["customCSS"] = json!("")),
        sent(&|variant| variant["data"] = json!([])),
        sent(&|variant| variant["data"][0]["innerHTML"] = json!("<b>y</b>")),
        sent(&|variant| variant["data"][1] = json!({ "target": "#b", "outerHTML": "<i></i>" })),
        sent(&|variant| variant["data"][1] = json!({ "refEl": "#b", "dir": "a", "htmlBlock": "<i></i>" })),
        json!({ "variants": [variant, { "name": "Variant 2", "customJS": "x" }] }),
        json!({ "test_name": "Other", "custom_js": "x" }),
    ] {
        let before = shop.details(id);
        let refused = writer.patch(&path, body.clone()).refused(403, "missing_scope");
        assert!(refused.body["error"].as_str().is_some_and(|text| text.contains("code")), "{body}");
        assert_eq!(shop.details(id), before, "{body}");
    }
    // Updates that leave the code unchanged do not need the scope, even if they contain the code.
    for body in [
        code.clone(),
        json!({ "test_name": "Other", "custom_js": "all()", "tags": ["t"] }),
        json!({ "control": { "nickname": "Other", "customJS": "c()" } }),
        sent(&|variant| variant["nickname"] = json!("Other")),
        sent(&|variant| variant["data"][1]["innerText"] = json!("y")),
        json!({ "variants": [variant, { "name": "Variant 2", "nickname": "No code" }] }),
    ] {
        writer.patch(&path, body).ok();
    }
    coder.patch(&path, json!({ "custom_js": "", "variants": [{ "name": "Variant 1" }] })).ok();
}

fn a_limited_key_sees_its_projects_only(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    let in_shop = shop.experiment(json!({ "test_name": "In the shop" }));
    let in_blog = blog.experiment(json!({ "test_name": "In the blog" }));
    let limited = app.key(&shop, |wanted| wanted.projects = vec![shop.project_key.clone()]);

    let names = |client: &muriel_tests::Client| -> Vec<_> {
        let list = client.get("/experiments").ok()["experiments"].clone();
        list.as_array().expect("a list").iter().map(|one| one["test_name"].clone()).collect()
    };
    assert_eq!(names(&shop), ["In the blog", "In the shop"]);
    assert_eq!(names(&limited), ["In the shop"]);
    assert_eq!(limited.get("/experiments?offset=1").ok()["count"], 0);
    limited.get(&format!("/experiment/{in_shop}")).ok();
    limited.get(&format!("/experiment/{in_blog}")).refused(404, "not_found");

    let elsewhere = limited.in_project(&blog.project_key);
    let nowhere = limited.in_project("prj_nowhere");
    for operation in Contract::get().keyed() {
        let path = operation.below_project(|parameter| match parameter {
            "test_id" => in_blog.to_string(),
            "experiment_key" => "in-the-blog".to_owned(),
            _ => "1".to_owned(),
        });
        let answers = [&elsewhere, &nowhere].map(|client| {
            let call = client.call(&operation.method, &path).header("x-request-id", "same");
            operation.refused(call.send(), 404, "not_found").bytes
        });
        assert_eq!(answers[0], answers[1], "{}", operation.id);
    }
}

fn an_expired_key_is_no_key(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let brief = app.key(&shop, |wanted| wanted.expires_in_days = "1".to_owned());
    let lasting = app.key(&shop, |wanted| wanted.expires_in_days = "never".to_owned());
    let day = Duration::from_secs(24 * 60 * 60);
    brief.get("/goals").ok();
    app.pass(day - Duration::from_millis(1));
    brief.get("/goals").ok();
    app.pass(Duration::from_millis(1));
    brief.get("/goals").refused(401, "unauthorized");
    app.pass(day * 36_500);
    lasting.get("/goals").ok();
}

fn a_revoked_key_is_refused(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let key = app.key(&shop, |_| {});
    let other = app.key(&shop, |_| {});
    key.get("/goals").ok();
    app.revoke(&key);
    eventually("the refusal", DEADLINE, || key.get("/goals").status == 401);
    let unknown = key.with_key(Some(&format!("{}x", key.api_key.as_deref().unwrap_or_default())));
    let answers = [&key, &unknown].map(|client| {
        client.call("GET", "/goals").header("x-request-id", "same").send().refused(401, "unauthorized").bytes
    });
    assert_eq!(answers[0], answers[1], "revoked and unknown answer alike");
    other.get("/goals").ok();
}
