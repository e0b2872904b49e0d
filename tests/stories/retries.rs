//! Idempotent requests and concurrent writes: entity tags and idempotency keys.

use crate::scene::Things;
use muriel_tests::{Answer, Client, Contract, On, TestApp, stories};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

stories! {
    always: [
        a_known_version_is_not_sent_again,
        only_the_first_of_two_writers_wins,
        many_writers_at_once_are_all_kept,
        repeated_posts_at_once_are_done_once,
        keys_hold_for_one_operation_project_and_day,
        a_repeated_post_is_answered_as_before,
    ],
    postgres_at_night: [
        the_tag_changes_with_anything_in_the_details,
        errors_are_not_repeated,
        keys_that_are_none,
    ],
}

fn the_tag_changes_with_anything_in_the_details(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let things = Things::make(&shop, "tag");
    let id = things.test_id;
    let path = format!("/experiment/{id}");
    let goal = format!("/goal/{}", things.goal_id);
    let hypothesis = format!("/hypothesis/{}", things.hypothesis_id);
    let mut seen = BTreeSet::from([shop.etag(id)]);
    for (path, body) in [
        (path.clone(), json!({ "test_name": "Other" })),
        (path.clone(), json!({ "targeting": { "os_rule": ["ios"] } })),
        (format!("{path}/status"), json!({ "status": 1 })),
        (hypothesis.clone(), json!({ "observation": "Another" })),
        (hypothesis, json!({ "problem": "P" })),
        (goal.clone(), json!({ "goal_name": "Another" })),
        (goal, json!({ "window_days": 3 })),
        (path.clone(), json!({ "primary_goal_key": null })),
        (path.clone(), json!({ "hypothesis_id": null })),
        (path.clone(), json!({ "test_name": "tag test" })),
    ] {
        let before = shop.details(id);
        let stale = shop.etag(id);
        shop.patch(&path, body.clone()).ok();
        assert_ne!(shop.details(id), before, "{body}");
        assert!(seen.insert(shop.etag(id)), "the tag after {path} {body} was there before");
        let late =
            shop.call("PATCH", &format!("/experiment/{id}")).header("if-match", &stale).json(json!({ "tags": [] }));
        late.send().refused(412, "precondition_failed");
    }
    for (method, below, body) in [
        ("POST", "serve-winner", json!({ "variant_id": "1" })),
        ("PATCH", "serving-rollout", json!({ "traffic_allocation": 5 })),
        ("POST", "stop-serving", json!({})),
    ] {
        shop.call(method, &format!("{path}/{below}")).json(body).send().ok();
        assert!(seen.insert(shop.etag(id)), "{below}");
    }
    // A write without changes keeps the tag.
    let etag = shop.etag(id);
    assert_eq!(shop.patch(&path, json!({ "test_name": "tag test" })).etag(), etag);
    assert_eq!(shop.etag(id), etag);
}

fn a_known_version_is_not_sent_again(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    let etag = shop.etag(id);
    let read = |tag: &str| shop.call("GET", &path).header("if-none-match", tag).send();
    for known in [etag.clone(), format!("W/{etag}"), "*".to_owned(), format!("\"x\", {etag}")] {
        let answer = read(&known).has_status(304);
        assert_eq!((answer.etag(), answer.bytes.len()), (etag.clone(), 0), "{known}");
    }
    for unknown in ["\"x\"", "", "x"] {
        read(unknown).ok();
    }
    shop.patch(&path, json!({ "test_name": "Other" })).ok();
    assert_eq!(read(&etag).ok()["experiment"]["test_name"], "Other");

    let write = |tag: &str| shop.call("PATCH", &path).header("if-match", tag).json(json!({ "tags": [tag] })).send();
    let fresh = shop.etag(id);
    write(&etag).refused(412, "precondition_failed");
    write(&format!("W/{fresh}")).refused(412, "precondition_failed");
    write("x").refused(412, "precondition_failed");
    write(&format!("\"x\", {fresh}")).ok();
    write("*").ok();
    let now = shop.etag(id);
    assert_eq!(write(&now).has_status(200).etag(), shop.etag(id));
}

/// Makes calls from this many threads at once.
fn at_once<T: Send>(shop: &Client, count: usize, call: impl Fn(&Client, usize) -> T + Sync) -> Vec<T> {
    let barrier = std::sync::Barrier::new(count);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                let (barrier, call) = (&barrier, &call);
                scope.spawn(move || {
                    barrier.wait();
                    call(shop, number)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    })
}

fn only_the_first_of_two_writers_wins(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    for round in 0..10 {
        let etag = shop.etag(id);
        let answers = at_once(&shop, 2, |shop, number| {
            let body = json!({ "tags": [format!("{round} {number}")] });
            shop.call("PATCH", &format!("/experiment/{id}")).header("if-match", &etag).json(body).send()
        });
        let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        let winner = statuses.iter().position(|status| *status == 200).expect("a winner");
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412]);
        assert_eq!(shop.details(id)["tags"], json!([format!("{round} {winner}")]));
        assert_eq!(answers[winner].etag(), shop.etag(id));
    }
}

fn many_writers_at_once_are_all_kept(on: On) {
    const WRITERS: usize = 64;
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    // Each writes several fields, so that a revision that mixed two writers would be visible.
    let sent = |number: usize| {
        json!({
            "test_name": format!("writer {number}"), "tags": [format!("writer {number}")],
            "custom_js": format!("writer({number})"), "configuration": { "traffic_allocation": number },
        })
    };
    // A database that is busy for a second answers 503, and the client retries.
    let tag = |number: usize| json!([format!("writer {number}")]);
    let write = |shop: &Client, number: usize| {
        let call = shop.call("PATCH", &format!("/experiment/{id}")).json(sent(number));
        let is_written = || {
            let before = app.history(id).into_iter().map(|entry| entry.before["tags"].clone());
            before.chain([shop.details(id)["tags"].clone()]).any(|tags| tags == tag(number))
        };
        call.send_until_taken(is_written).map(|answer| {
            let tag = answer.etag();
            answer.ok();
            tag
        })
    };
    let tags = at_once(&shop, WRITERS, write);
    let count = tags.iter().flatten().count();
    assert_eq!(tags.iter().flatten().collect::<BTreeSet<_>>().len(), count, "each has a revision of its own");

    let history = app.history(id);
    let revisions: Vec<_> = history.iter().map(|entry| entry.revision).collect();
    assert_eq!(revisions, (1..=WRITERS as i64 + 1).rev().collect::<Vec<_>>());
    // The earlier values of each entry, and the current values: every writer appears once, complete.
    let last = shop.details(id);
    let now = json!({
        "test_name": last["test_name"], "tags": last["tags"], "custom_js": last["custom_js"],
        "traffic": last["configuration"]["traffic_allocation"],
    });
    let before = history.iter().take(WRITERS - 1).map(|entry| {
        json!({
            "test_name": entry.before["test_name"], "tags": entry.before["tags"], "custom_js": entry.before["custom_js"],
            "traffic": entry.before["configuration"]["traffic_allocation"],
        })
    });
    let mut states: Vec<String> = before.chain([now]).map(|state| state.to_string()).collect();
    let whole = |number: usize| {
        let sent = sent(number);
        json!({
            "test_name": sent["test_name"], "tags": sent["tags"], "custom_js": sent["custom_js"], "traffic": number,
        })
        .to_string()
    };
    let mut expect: Vec<String> = (0..WRITERS).map(whole).collect();
    states.sort();
    expect.sort();
    assert_eq!(states, expect);
    let epochs: Vec<_> =
        last["epochs"].as_array().expect("epochs").iter().map(|epoch| epoch["epoch"].clone()).collect();
    assert_eq!(epochs, (1..=WRITERS + 1).map(|number| json!(number)).collect::<Vec<_>>());
}

/// Returns every POST with two different valid bodies, each on its own objects.
fn posts(app: &TestApp, shop: &Client) -> Vec<(String, String, Value, Value)> {
    let mut posts = Vec::new();
    let colleague = app.scoped(shop, "read,write,code");
    let changing = Contract::get().keyed().filter(|operation| operation.scope == "write");
    for operation in changing.filter(|operation| operation.method == "POST") {
        let id =
            shop.experiment(json!({ "status": 1, "variants": [{ "name": "Variant 1" }, { "name": "Variant 2" }] }));
        let (one, other) = match operation.id.as_str() {
            "createExperiment" => {
                let body = |name: &str| json!({ "test_name": name, "url": "https://shop.example/", "variants": [{ "name": "Variant 1" }] });
                (body("one"), body("other"))
            }
            "createHypothesis" => (json!({ "problem": "one" }), json!({ "problem": "other" })),
            "createGoal" => {
                let body = |name: &str| json!({ "goal_name": name, "goal_type": "event", "goal_value": name });
                (body("one"), body("other"))
            }
            "createExclusionGroup" => {
                let body = |name: &str| json!({ "name": name, "kind": "exclusion", "members": [] });
                (body("one"), body("other"))
            }
            "serveWinner" => (json!({ "variant_id": "1" }), json!({ "variant_id": "2" })),
            "stopServing" => {
                shop.post(&format!("/experiment/{id}/serve-winner"), json!({ "variant_id": "1" })).ok();
                (json!({}), json!({ "x": 1 }))
            }
            "restoreExperiment" | "restoreHypothesis" | "restoreGoal" => {
                (json!({ "revision": 1 }), json!({ "revision": 2 }))
            }
            "duplicateExperiment" => (json!({ "test_name": "one" }), json!({ "test_name": "other" })),
            "createExperimentComment" | "createHypothesisComment" => {
                (json!({ "text": "one" }), json!({ "text": "other" }))
            }
            "createExclusion" => {
                let body = |visitor: &str| json!({ "kind": "visitor", "value": visitor, "reason": "N" });
                (body("one"), body("other"))
            }
            "createShare" => (json!({ "expires_in_days": 1 }), json!({ "expires_in_days": 2 })),
            "createProposal" => (json!({ "test_name": "one" }), json!({ "test_name": "other" })),
            "approveProposal" | "rejectProposal" | "withdrawProposal" => {
                (json!({ "reason": "one" }), json!({ "reason": "other" }))
            }
            other => panic!("no bodies for {other}"),
        };
        let path = operation.below_project(|parameter| match parameter {
            "hypothesis_id" => {
                let id = shop.hypothesis(json!({ "problem": "one" }));
                shop.patch(&format!("/hypothesis/{id}"), json!({ "problem": "other" })).ok();
                id.to_string()
            }
            "goal_profile_id" => {
                let id = shop.goal(&format!("for-{}", operation.id.to_lowercase()));
                shop.patch(&format!("/goal/{id}"), json!({ "goal_name": "Other" })).ok();
                id.to_string()
            }
            "proposal_id" => {
                let by = if operation.id == "withdrawProposal" { shop } else { &colleague };
                let made =
                    by.post(&format!("/experiment/{id}/proposals"), json!({ "test_name": "Proposed" })).created();
                made["proposal_id"].to_string()
            }
            _ => {
                if operation.id == "restoreExperiment" {
                    shop.patch(&format!("/experiment/{id}"), json!({ "tags": ["two"] })).ok();
                }
                id.to_string()
            }
        });
        posts.push((operation.id.clone(), path, one, other));
    }
    posts
}

#[track_caller]
fn keyed(shop: &Client, path: &str, key: &str, body: &Value) -> Answer {
    shop.call("POST", path).header("idempotency-key", key).json(body.clone()).send()
}

fn a_repeated_post_is_answered_as_before(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let counts =
        || ["/experiments?limit=500", "/hypotheses", "/goals"].map(|list| shop.get(list).ok()["count"].clone());
    for (id, path, body, other) in posts(&app, &shop) {
        let first = keyed(&shop, &path, "key", &body);
        assert!(matches!(first.status, 200 | 201), "{}", first.text());
        assert_eq!(first.header("idempotent-replayed"), None, "{id}");
        let after = counts();
        for _ in 0..2 {
            let again = keyed(&shop, &path, "key", &body);
            assert_eq!((again.status, &again.bytes), (first.status, &first.bytes), "{id}");
            assert_eq!(again.header("idempotent-replayed"), Some("true"), "{id}");
        }
        keyed(&shop, &path, "key", &other).refused(409, "idempotency_key_reused");
        assert_eq!(counts(), after, "{id}: nothing was done again");
    }
}

fn keys_hold_for_one_operation_project_and_day(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    let body = json!({ "problem": "P" });
    let made = |shop: &Client| keyed(shop, "/hypothesis", "key", &body);
    let first = made(&shop).created()["hypothesis_id"].clone();
    assert_ne!(made(&blog).created()["hypothesis_id"], first, "another project");
    let goal = json!({ "goal_name": "N", "goal_type": "event", "goal_value": "n" });
    assert_eq!(
        keyed(&shop, "/goal", "key", &goal).has_status(201).header("idempotent-replayed"),
        None,
        "another operation"
    );
    let ids = [(); 2].map(|()| shop.experiment(json!({ "status": 1 })));
    for id in ids {
        let answer = keyed(&shop, &format!("/experiment/{id}/serve-winner"), "key", &json!({ "variant_id": "1" }));
        assert_eq!(answer.ok()["test_id"], id, "another experiment");
    }
    assert_ne!(keyed(&shop, "/hypothesis", "KEY", &body).created()["hypothesis_id"], first, "another key");

    let day = Duration::from_secs(24 * 60 * 60);
    app.pass(day - Duration::from_secs(1));
    assert_eq!(made(&shop).created()["hypothesis_id"], first, "just within a day");
    app.pass(Duration::from_secs(2));
    let later = made(&shop);
    assert_eq!(later.header("idempotent-replayed"), None);
    let later = later.created()["hypothesis_id"].clone();
    assert_ne!(later, first, "a day later it is done again");
    assert_eq!(made(&shop).created()["hypothesis_id"], later);
}

fn errors_are_not_repeated(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let serve = format!("/experiment/{id}/serve-winner");
    let body = json!({ "variant_id": "1" });
    keyed(&shop, &serve, "key", &body).refused(409, "draft_cannot_serve");
    shop.set_status(id, 1).ok();
    let served = keyed(&shop, &serve, "key", &body);
    assert_eq!(served.header("idempotent-replayed"), None);
    served.ok();
    keyed(&shop, "/hypothesis", "other", &json!({ "problem": "" })).refused(400, "invalid_field");
    keyed(&shop, "/hypothesis", "other", &json!({ "problem": "P" })).created();
    // Without permission the error says so, and the stored response is not returned.
    let reader = app.scoped(&shop, "read");
    keyed(&reader, "/hypothesis", "other", &json!({ "problem": "P" })).refused(403, "missing_scope");
    keyed(&shop.with_key(None), "/hypothesis", "other", &json!({ "problem": "P" })).refused(401, "unauthorized");
}

fn keys_that_are_none(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let body = json!({ "problem": "P" });
    for wrong in ["", "a\tb", &"k".repeat(256)] {
        keyed(&shop, "/hypothesis", wrong, &body).invalid(&["Idempotency-Key"]);
    }
    let call = shop.call("POST", "/hypothesis").header("idempotency-key", "a").header("idempotency-key", "a");
    call.json(body.clone()).send().invalid(&["Idempotency-Key"]);
    assert_eq!(shop.get("/hypotheses").ok()["total"], 0);
    keyed(&shop, "/hypothesis", &"k".repeat(255), &body).created();
    keyed(&shop, "/hypothesis", "create it once", &body).created();
}

fn repeated_posts_at_once_are_done_once(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let answers = at_once(&shop, 8, |shop, _| keyed(shop, "/hypothesis", "key", &json!({ "problem": "P" })));
    let ids: BTreeSet<_> = answers.iter().map(|answer| answer.text()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed") == Some("true")).count();
    assert_eq!((replayed, &shop.get("/hypotheses").ok()["total"]), (7, &json!(1)));
}
