//! Two companies with equal names for everything cannot see each other's objects.

use crate::scene::{Things, good_body, unknown_path};
use muriel_tests::{Answer, Client, Contract, On, stories};
use serde_json::{Value, json};

stories![
    what_is_foreign_answers_like_what_does_not_exist,
    bodies_that_name_foreign_things,
    equal_names_and_keys_do_not_meet,
];

/// Creates two companies with equal names for everything, and one distinct word in the texts of each.
fn two(app: &muriel_tests::TestApp) -> [(Client, Things); 2] {
    [("Acme", "aardvark"), ("Acme Ltd", "bumblebee")].map(|(company, word)| {
        let shop = app.project(company, "Shop");
        let things = Things::make(&shop, word);
        (shop, things)
    })
}

/// Returns status, header fields and body, without those that differ between responses, and without the
/// requested key, which errors of the OpenFeature protocol repeat.
fn comparable(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let differs = |name: &str| name == "date" || name == "content-length" || name.starts_with("ratelimit");
    let fields = answer.headers.iter().filter(|(name, _)| !differs(name)).cloned().collect();
    let key = format!("\"key\":{},", answer.body["key"]);
    (answer.status, fields, answer.text().replace(&key, ""))
}

fn what_is_foreign_answers_like_what_does_not_exist(on: On) {
    let app = on.start();
    let [(a, mine), (b, theirs)] = two(&app);
    let blog = app.project("Acme", "Blog");
    let elsewhere = Things::make(&blog, "cormorant");
    let before = theirs.all(&b);
    let bodies = |operation: &muriel_tests::Operation| {
        [good_body(operation), Some(json!({})), Some(json!({ "no_such_field": 1 })), None]
    };
    let call = |client: &Client, operation: &muriel_tests::Operation, path: &str, body: &Option<Value>| {
        let call = client.call(&operation.method, path).header("x-request-id", "same").header("if-match", "\"1\"");
        let answer = match body {
            Some(body) => call.json(body.clone()).send(),
            None => call.send(),
        };
        assert!(!comparable(&answer).2.contains("bumblebee"), "{}", answer.text());
        answer
    };
    for operation in Contract::get().keyed() {
        let unknown = unknown_path(operation);
        for body in bodies(operation) {
            if operation.names_a_thing() {
                let expect = operation.refused(call(&a, operation, &unknown, &body), 404, "not_found");
                for foreign in [&theirs, &elsewhere] {
                    let answer = call(&a, operation, &foreign.path(operation), &body);
                    assert_eq!(comparable(&answer), comparable(&expect), "{}", operation.id);
                }
            }
            let nowhere = a.in_project("prj_0000000000000000000000");
            for path in [&unknown, &mine.path(operation), &theirs.path(operation)] {
                let expect = operation.refused(call(&nowhere, operation, path, &body), 404, "not_found");
                let answer = call(&a.in_project(&b.project_key), operation, path, &body);
                assert_eq!(comparable(&answer), comparable(&expect), "{}", operation.id);
            }
        }
    }
    assert_eq!(theirs.all(&b), before, "nothing of the other changed");
    for bytes in mine.all(&a) {
        assert!(!String::from_utf8_lossy(&bytes).contains("bumblebee"));
    }
}

fn bodies_that_name_foreign_things(on: On) {
    let app = on.start();
    let [(a, mine), (b, theirs)] = two(&app);
    let only = b.goal("only-theirs");
    let before = theirs.all(&b);
    let path = format!("/experiment/{}", mine.test_id);
    let create = |field: &str, value: Value| {
        let mut body =
            json!({ "test_name": "N", "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] });
        body[field] = value;
        body
    };
    let text = |answer: Answer, of: &str| answer.text().replace(of, "…");
    for (field, foreign, unknown) in [
        ("hypothesis_id", json!(theirs.hypothesis_id), json!(9_999)),
        ("primary_goal_key", json!("only-theirs"), json!("nobody-has")),
        ("secondary_goal_keys", json!(["only-theirs"]), json!(["nobody-has"])),
    ] {
        let send = |value: &Value| {
            let patch = a.call("PATCH", &path).header("x-request-id", "same").json(json!({ field: value })).send();
            let made = a.call("POST", "/create-experiment").header("x-request-id", "same");
            let made = made.json(create(field, value.clone())).send();
            [patch, made].map(|answer| answer.refused(400, "invalid_field"))
        };
        let [theirs, nobodys] = [(send(&foreign), "only-theirs"), (send(&unknown), "nobody-has")];
        let (theirs, nobodys) = (theirs.0.map(|one| text(one, theirs.1)), nobodys.0.map(|one| text(one, nobodys.1)));
        assert_eq!(theirs, nobodys, "{field}");
    }
    let named = |key: &str| {
        let body = json!({ "experiment_keys": [key], "contexts": [{ "targetingKey": "v-1" }] });
        let answer = a.call("POST", "/evaluate-many").header("x-request-id", "same").json(body).send();
        answer.invalid(&["experiment_keys[0]"]).text()
    };
    assert_eq!(named(&theirs.experiment_key), named("nobody-has"));
    assert_eq!(theirs.all(&b), before);
    b.delete(&format!("/goal/{only}")).ok();
}

fn equal_names_and_keys_do_not_meet(on: On) {
    let app = on.start();
    let [(a, _), (b, _)] = two(&app);
    // One Idempotency-Key in two companies: each gets its own response.
    let made = [&a, &b].map(|shop| {
        let body = json!({ "problem": "same" });
        let answer = shop.call("POST", "/hypothesis").header("idempotency-key", "k").json(body).send();
        assert_eq!(answer.header("idempotent-replayed"), None);
        answer.created()["hypothesis_id"].as_i64().expect("an id")
    });
    assert_ne!(made[0], made[1]);
    a.get(&format!("/hypothesis/{}", made[1])).refused(404, "not_found");

    assert_eq!(a.get("/hypotheses?search=same").ok()["total"], 1);
    assert_eq!(a.get("/hypotheses?search=bumblebee").ok()["total"], 0);
    assert_eq!(b.get("/hypotheses?search=bumblebee").ok()["total"], 1);
    for (shop, word) in [(&a, "aardvark"), (&b, "bumblebee")] {
        let list = shop.get("/experiments").ok();
        assert_eq!(list["company_id"], shop.company_id);
        assert_eq!(list["count"], 1);
        assert_eq!(list["experiments"][0]["test_name"], format!("{word} test"));
        assert_eq!(shop.get("/goals").ok()["count"], 1);
    }
    assert_ne!(a.company_id, b.company_id);
}
