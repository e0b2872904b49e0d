//! Resources that pages fetch: rulesets, previews, geography.

use flate2::read::GzDecoder;
use muriel_tests::{Answer, Client, DEADLINE, On, TestApp, eventually, raw, stories};
use serde_json::{Value, json};
use std::io::Read;
use std::time::{Duration, Instant};

stories! {
    always: [
        what_others_write_is_delivered,
    ],
    postgres_at_night: [
        drafts_are_never_delivered,
        bodies_are_compressed_for_those_who_take_it,
        anybody_may_ask_and_nothing_is_told_of_others,
        previews_open_with_their_token_only,
    ],
}

/// Creates a project that pages can request: one created by the command line is known soon.
fn known(app: &TestApp, company: &str, name: &str) -> Client {
    let shop = app.project(company, name);
    let path = format!("/ruleset/{}", shop.project_key);
    eventually("its ruleset", DEADLINE, || app.anyone().get(&path).status == 200);
    shop
}

fn ruleset(app: &TestApp, shop: &Client) -> Answer {
    app.anyone().get(&format!("/ruleset/{}", shop.project_key)).has_status(200)
}

fn delivered(app: &TestApp, shop: &Client) -> Vec<i64> {
    let document = ruleset(app, shop).body;
    let experiments = document["experiments"].as_array().expect("experiments").clone();
    experiments.iter().filter_map(|one| one["test_id"].as_i64()).collect()
}

fn drafts_are_never_delivered(on: On) {
    let app = on.start();
    let shop = known(&app, "Acme", "Shop");
    let empty = ruleset(&app, &shop).body;
    assert_eq!(empty, json!({ "format": 1, "hash": 1, "project_key": shop.project_key, "experiments": [] }));
    let secret = json!([{ "name": "Variant 1", "nickname": "classified", "customJS": "classified()" }]);
    let draft = shop.experiment(json!({ "test_name": "classified", "variants": secret }));
    let paused = shop.experiment(json!({ "test_name": "classified", "variants": secret, "status": 0 }));
    let live = shop.experiment(json!({ "status": 1 }));
    assert_eq!(delivered(&app, &shop), [live]);
    shop.set_status(draft, 1).ok();
    assert_eq!(delivered(&app, &shop), [draft, live]);
    shop.set_status(draft, 0).ok();
    shop.set_status(draft, 9).ok();
    assert!(!ruleset(&app, &shop).text().contains("classified"));
    // A winner is served whatever the status.
    shop.post(&format!("/experiment/{paused}/serve-winner"), json!({ "variant_id": "1" })).ok();
    assert_eq!(delivered(&app, &shop), [paused, live]);
    let one = &ruleset(&app, &shop).body["experiments"][0];
    assert_eq!((&one["live"], &one["test_id"]), (&json!(false), &json!(paused)));
    assert!(one.get("test_name").is_none(), "{one}");
}

fn bodies_are_compressed_for_those_who_take_it(on: On) {
    let app = on.start();
    let shop = known(&app, "Acme", "Shop");
    let path = format!("/ruleset/{}", shop.project_key);
    let ask = |accept: &str| {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: {accept}\r\nConnection: close\r\n\r\n");
        let answer = raw::unchecked(app.address, request.as_bytes()).has_status(200);
        assert_eq!(answer.header("cache-control"), Some("public, max-age=30, stale-while-revalidate=30"));
        assert_eq!(answer.header("vary"), Some("accept-encoding"));
        assert_eq!(answer.header("x-muriel-stale"), None);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        answer
    };
    assert_eq!(ask("br, gzip").header("content-encoding"), None, "a small one gains nothing");
    let code = format!("say('{}')", "hello ".repeat(400));
    shop.experiment(json!({ "status": 1, "variants": [{ "name": "Variant 1", "customJS": code }] }));
    let plain = ask("identity");
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.body["experiments"][0]["variants"][0]["customJS"], json!(code));

    let gzip = ask("gzip, deflate");
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert!(gzip.bytes.len() < plain.bytes.len() / 2);
    let mut unpacked = Vec::new();
    GzDecoder::new(&gzip.bytes[..]).read_to_end(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, plain.bytes);

    let brotli = ask("gzip, br;q=0.9");
    assert_eq!(brotli.header("content-encoding"), Some("br"));
    let mut unpacked = Vec::new();
    brotli::Decompressor::new(&brotli.bytes[..], 4_096).read_to_end(&mut unpacked).expect("brotli");
    assert_eq!(unpacked, plain.bytes);
    let tag = plain.etag();
    let known = app.anyone().call("GET", &path).header("if-none-match", &format!("W/{tag}")).send().has_status(304);
    assert_eq!(known.header("cache-control"), Some("public, max-age=30, stale-while-revalidate=30"));
    assert_eq!(known.etag(), tag);
}

fn anybody_may_ask_and_nothing_is_told_of_others(on: On) {
    let app = on.start();
    let (acme, other) = (app.project("Acme", "Shop"), app.project("Other", "Shop"));
    let mine = acme.experiment(json!({ "status": 1, "experiment_key": "same" }));
    let theirs = other.experiment(json!({ "status": 1, "experiment_key": "same", "tags": ["theirs"] }));
    assert_eq!((delivered(&app, &acme), delivered(&app, &other)), (vec![mine], vec![theirs]));
    let anyone = app.anyone();
    for path in ["/ruleset", "/geo"] {
        for key in ["prj_nowhere", "%00", "%FF", "a%2Fb", &"x".repeat(300)] {
            anyone.get(&format!("{path}/{key}")).refused(404, "not_found");
        }
        // Keys and cookies are neither needed nor read.
        let call = anyone.call("GET", &format!("{path}/{}", acme.project_key));
        call.header("authorization", "Bearer nonsense").header("cookie", "a=b").send().has_status(200);
    }
    let nowhere = anyone.get(&format!("/geo/{}", acme.project_key)).has_status(200);
    assert_eq!(nowhere.header("cache-control"), Some("no-store"));
    assert_eq!(nowhere.body, json!({ "country": null, "region": null, "city": null }));
}

/// The other writer is another server on PostgreSQL, and another process on SQLite: here, the
/// command line.
fn what_others_write_is_delivered(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    if on == On::Sqlite {
        app.conclude(id);
        eventually("what the other process wrote", DEADLINE, || delivered(&app, &shop).is_empty());
        return;
    }
    let other = app.start_beside();
    let there = shop.at(other.address);
    let context = json!({ "context": { "targetingKey": "v" } });
    let flags = |shop: &Client| shop.post("/ofrep/v1/evaluate/flags", context.clone()).ok()["flags"].clone();
    assert_eq!(flags(&there), flags(&shop), "the same pepper, the same keys");
    let (mut rounds, mut at_once) = (0, 0);
    while rounds < 5 || at_once == 0 {
        let round = rounds;
        rounds += 1;
        let made = there.experiment(json!({ "status": 1, "experiment_key": format!("round-{round}") }));
        assert!(flags(&there).to_string().contains(&format!("round-{round}")), "at once where it was written");
        let start = Instant::now();
        eventually("what the other server wrote", DEADLINE, || delivered(&app, &shop).contains(&made));
        // Sooner than a server polls, so it was notified. A slow machine may miss that moment a few
        // times, but not always.
        at_once += usize::from(start.elapsed() < Duration::from_secs(1));
        assert!(rounds < 50, "nobody tells the other server that something was written");
        shop.set_status(made, 0).ok();
        eventually("the way back", DEADLINE, || !flags(&there).to_string().contains(&format!("round-{round}")));
    }
}

fn previews_open_with_their_token_only(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    let anyone = app.anyone();
    let token_of = |shop: &Client, id: i64| {
        let links = shop.get(&format!("/experiment/{id}/preview-urls")).ok();
        let link = links["variants"][0]["preview_url"].as_str().expect("a link").to_owned();
        link.rsplit_once("test-token=").expect("a token").1.to_owned()
    };
    let ask = |project: &str, id: &str, token: &str| {
        let path = format!("/preview/{project}/{id}?token={token}");
        anyone.call("GET", &path).header("x-request-id", "same").send()
    };
    let draft = shop.experiment(json!({ "variants": [{ "name": "Variant 1", "customJS": "draft()" }] }));
    let live = shop.experiment(json!({ "status": 1 }));
    for id in [draft, live] {
        let document = ask(&shop.project_key, &id.to_string(), &token_of(&shop, id)).has_status(200);
        assert_eq!(document.header("cache-control"), Some("no-store"));
        let ids: Vec<Value> =
            document.body["experiments"].as_array().expect("one").iter().map(|one| one["test_id"].clone()).collect();
        assert_eq!(ids, [json!(id)]);
    }
    let draft_id = draft.to_string();
    let token = token_of(&shop, draft);
    let elsewhere = token_of(&blog, blog.experiment(json!({})));
    let nothing = ask("prj_nowhere", "1", "x").refused(404, "not_found");
    let refused = |answer: Answer, why: &str| {
        let answer = answer.refused(404, "not_found");
        assert_eq!(answer.text(), nothing.text(), "{why}");
    };
    refused(ask(&shop.project_key, &draft_id, ""), "no token");
    refused(
        anyone.call("GET", &format!("/preview/{}/{draft}", shop.project_key)).header("x-request-id", "same").send(),
        "none",
    );
    refused(ask(&shop.project_key, &draft_id, &format!("{token}0")), "a longer token");
    refused(ask(&shop.project_key, &draft_id, &token.replacen(['1', '2'], "3", 1)), "a later token");
    refused(ask(&shop.project_key, &draft_id, &elsewhere), "a token of another project");
    refused(ask(&shop.project_key, &live.to_string(), &token), "a token of another experiment");
    refused(ask(&blog.project_key, &draft_id, &token), "in another project");
    for id in ["0", "x", "9999", "%FF", "%00"] {
        refused(ask(&shop.project_key, id, &token), id);
    }
    app.pass(Duration::from_secs(7 * 24 * 60 * 60 - 1));
    ask(&shop.project_key, &draft_id, &token).has_status(200);
    app.pass(Duration::from_secs(1));
    refused(ask(&shop.project_key, &draft_id, &token), "an expired token");
    let token = token_of(&shop, draft);
    ask(&shop.project_key, &draft_id, &token).has_status(200);
    shop.delete(&format!("/experiment/{draft}")).ok();
    refused(ask(&shop.project_key, &draft_id, &token), "a deleted experiment");
    let twice = anyone.get(&format!("/preview/{}/{live}?token=a&token=b", shop.project_key));
    twice.refused(400, "invalid_parameter");
}
