//! The overview of all experiments.

use crate::results::{Shop, bought};
use muriel_domain::Instant;
use muriel_tests::{Client, DEADLINE, On, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        filters_and_orders,
        pages_are_stable_while_others_write,
        it_is_kept_over_a_restart,
        what_was_there_before_is_filled_in,
    ],
    postgres_at_night: [
        what_the_overview_shows_of_a_draft,
        what_needs_somebody_comes_first,
        keys_see_their_own,
        results_are_of_their_moment,
    ],
}

const MINUTE: Duration = Duration::from_secs(60);

/// Returns the client with the same key, for paths without a project.
pub(crate) fn company_wide(client: &Client) -> Client {
    let mut client = client.clone();
    client.base = "/v2".to_owned();
    client
}

fn overview(client: &Client, query: &str) -> Value {
    company_wide(client).get(&format!("/overview{query}")).ok()
}

fn names(overview: &Value) -> Vec<String> {
    let items = overview["items"].as_array().expect("items").iter();
    items.map(|item| item["test_name"].as_str().expect("a name").to_owned()).collect()
}

fn what_the_overview_shows_of_a_draft(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let hypothesis = shop.hypothesis(json!({ "observation": "O" }));
    let id = shop.experiment(json!({ "tags": ["a", "b"], "hypothesis_id": hypothesis }));
    let listed = shop.get("/experiments").ok()["experiments"][0].clone();
    let seen = overview(&shop, "");
    assert_eq!((&seen["total"], &seen["next_cursor"]), (&json!(1), &Value::Null));
    let item = &seen["items"][0];
    for (field, value) in listed.as_object().expect("fields") {
        assert_eq!(&item[field], value, "{field}");
    }
    let key = shop.api_key.as_deref().expect("a key");
    let me = json!({ "kind": "key", "id": &key[4..12], "name": item["owner"]["name"] });
    assert_eq!(item["owner"], me);
    assert!(!me["name"].as_str().expect("a name").is_empty());
    for (field, expect) in [
        ("experiment_key", json!("checkout")),
        ("project_key", json!(shop.project_key)),
        ("tags", json!(["a", "b"])),
        ("archived", json!(false)),
        ("outcome", Value::Null),
        ("verdict", Value::Null),
        ("health", json!("unknown")),
        ("visitors", Value::Null),
        ("days", Value::Null),
        ("days_left", Value::Null),
        ("as_of", Value::Null),
        ("sentence", json!("Finish the draft, go through its checklist and start it.")),
        ("last_change", json!({ "at": item["created_at"], "actor": me, "action": "create" })),
    ] {
        assert_eq!(item[field], expect, "{field}");
    }
    app.pass(MINUTE);
    shop.patch(&format!("/experiment/{id}"), json!({ "test_name": "Renamed" })).ok();
    let item = overview(&shop, "")["items"][0].clone();
    assert_eq!((&item["test_name"], &item["last_change"]["action"]), (&json!("Renamed"), &json!("update")));
    assert_eq!(item["last_change"]["at"], item["updated_at"]);
    shop.delete(&format!("/experiment/{id}")).ok();
    assert_eq!(overview(&shop, "?archived=include")["total"], 0);
}

fn filters_and_orders(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    let make = |client: &Client, name: &str, besides: Value| {
        app.pass(MINUTE);
        let mut body = json!({ "test_name": name });
        body.as_object_mut().expect("fields").extend(besides.as_object().expect("fields").clone());
        client.experiment(body)
    };
    let draft = make(&shop, "Straße 50%_\\", json!({ "tags": ["Home", "x"] }));
    let live = make(&shop, "apple", json!({ "status": 1, "tags": ["home"] }));
    let stopped = make(&shop, "Banana", json!({ "status": 1, "url": "https://shop.example/PRICES" }));
    let other = make(&blog, "cherry", json!({ "experiment_key": "pie", "tags": ["Home page"] }));
    app.pass(MINUTE);
    shop.set_status(stopped, 0).ok();
    app.conclude(stopped);
    let writer = app.scoped(&shop, "read,write");
    let theirs = writer.experiment(json!({ "test_name": "Damson" }));
    let filed = make(&shop, "elder", json!({}));
    shop.patch(&format!("/experiment/{filed}/archive"), json!({ "archived": true })).ok();

    let (shop_key, blog_key) = (&shop.project_key, &blog.project_key);
    for (query, expect) in [
        ("", vec!["Damson", "Banana", "cherry", "apple", "Straße 50%_\\"]),
        ("?search=STRASSE", vec!["Straße 50%_\\"]),
        ("?search=50%25_", vec!["Straße 50%_\\"]),
        ("?search=%25", vec!["Straße 50%_\\"]),
        ("?search=_", vec!["Straße 50%_\\"]),
        ("?search=%5C", vec!["Straße 50%_\\"]),
        ("?search=prices", vec!["Banana"]),
        ("?search=pie", vec!["cherry"]),
        ("?search=%20HOME%20", vec!["cherry", "apple", "Straße 50%_\\"]),
        (&format!("?search=%23{draft}"), vec!["Straße 50%_\\"]),
        ("?search='%20OR%201=1%20--", vec![]),
        ("?tag=Home", vec!["Straße 50%_\\"]),
        ("?tag=home", vec!["apple"]),
        ("?tag=Home%20pa", vec![]),
        ("?status=live", vec!["apple"]),
        ("?status=live,inactive", vec!["Banana", "apple"]),
        ("?status=draft&search=an", vec![]),
        (&format!("?project={blog_key}"), vec!["cherry"]),
        (&format!("?project={blog_key},{shop_key}&status=draft"), vec!["Damson", "cherry", "Straße 50%_\\"]),
        ("?project=prj_nobody", vec![]),
        ("?outcome=none&status=inactive", vec![]),
        ("?outcome=none,inconclusive&status=live", vec!["apple"]),
        ("?health=unknown&status=live", vec!["apple"]),
        ("?health=ok", vec![]),
        ("?verdict=unknown&status=live", vec!["apple"]),
        ("?verdict=win", vec![]),
        ("?archived=only", vec!["elder"]),
        ("?archived=include&status=draft", vec!["elder", "Damson", "cherry", "Straße 50%_\\"]),
        ("?sort=test_name", vec!["apple", "Banana", "cherry", "Damson", "Straße 50%_\\"]),
        ("?sort=-test_name&status=draft", vec!["Straße 50%_\\", "Damson", "cherry"]),
        ("?sort=created_at", vec!["Straße 50%_\\", "apple", "Banana", "cherry", "Damson"]),
        ("?sort=status", vec!["apple", "Straße 50%_\\", "cherry", "Damson", "Banana"]),
        // The value is known for the live one only: the others come last in either direction.
        ("?sort=days&status=live,inactive", vec!["Banana", "apple"]),
        ("?sort=-days&status=live,draft", vec!["apple", "Damson", "cherry", "Straße 50%_\\"]),
        ("?sort=-visitors&status=draft", vec!["Damson", "cherry", "Straße 50%_\\"]),
    ] {
        let seen = overview(&shop, query);
        assert_eq!(names(&seen), expect, "{query}");
        assert_eq!(seen["total"], json!(expect.len()), "{query}");
    }
    let mine = overview(&writer, "?owner=me");
    assert_eq!(mine["items"][0]["test_id"], theirs);
    let owner = mine["items"][0]["owner"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(names(&overview(&shop, &format!("?owner={owner}"))), ["Damson"]);
    assert_eq!(overview(&shop, "?sort=days&status=inactive")["items"][0]["days"], 0);
    for (query, parameter) in [
        ("?status=1", "status"),
        ("?status=", "status"),
        ("?status=live&status=live", "status"),
        ("?outcome=good", "outcome"),
        ("?verdict=won", "verdict"),
        ("?health=green", "health"),
        ("?archived=yes", "archived"),
        ("?sort=size", "sort"),
        ("?sort=", "sort"),
        ("?limit=0", "limit"),
        ("?cursor=x", "cursor"),
        ("?cursor=5.x61", "cursor"),
        ("?cursor=5.5&sort=test_name", "cursor"),
        (&format!("?search={}", "x".repeat(201)), "search"),
        (&format!("?project={}", vec!["p"; 101].join(",")), "project"),
    ] {
        assert_eq!(
            company_wide(&shop).get(&format!("/overview{query}")).refused(400, "invalid_parameter").fields(),
            [parameter]
        );
    }
    for id in [draft, live, stopped, other] {
        assert!(id > 0);
    }
}

fn what_needs_somebody_comes_first(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let make = |name: &str, status: i64| {
        app.pass(MINUTE);
        shop.experiment(json!({ "test_name": name, "status": status, "plan": { "mde": 5, "visitors": 1_000 } }))
    };
    let [lost, draft, broken, runs, won, complete, waits, ended, done, served] = [
        ("lost", 1),
        ("draft", 9),
        ("broken", 1),
        ("runs", 1),
        ("won", 1),
        ("complete", 1),
        ("waits", 1),
        ("ended", 1),
        ("done", 1),
        ("served", 1),
    ]
    .map(|(name, status)| make(name, status));
    app.pass(MINUTE);
    shop.set_status(ended, 0).ok();
    shop.set_status(done, 0).ok();
    app.conclude(done);
    shop.post(&format!("/experiment/{served}/serve-winner"), json!({ "variant_id": "1" })).ok();
    shop.post(&format!("/experiment/{waits}/proposals"), json!({ "tags": ["later"] })).has_status(201);
    for (id, verdict, health, is_ready) in [
        (lost, "loss", "ok", false),
        (broken, "do_not_trust", "fail", false),
        (runs, "keep_running", "ok", false),
        (won, "win", "ok", true),
        (complete, "keep_running", "warn", true),
        (waits, "keep_running", "ok", false),
        (ended, "keep_running", "ok", false),
        (done, "win", "ok", true),
        (served, "win", "ok", false),
    ] {
        app.looked_at(id, verdict, health, is_ready);
    }
    for (query, expect) in [
        ("?sort=need", vec!["broken", "won", "lost", "waits", "ended", "complete", "served", "runs", "draft", "done"]),
        ("?sort=-need", vec!["done", "draft", "runs", "served", "complete", "ended", "waits", "lost", "won", "broken"]),
        ("?sort=test_name&served=true", vec!["served"]),
        ("?sort=test_name&complete=true", vec!["complete", "ended", "won"]),
        ("?sort=test_name&complete=true&verdict=keep_running", vec!["complete", "ended"]),
        ("?sort=test_name&waiting=1", vec!["waits"]),
        ("?sort=test_name&verdict=win&outcome=none&served=false", vec!["won"]),
        ("?sort=test_name&complete=false&served=0&waiting=false&status=live", vec!["broken", "lost", "runs"]),
    ] {
        assert_eq!(names(&overview(&shop, query)), expect, "{query}");
    }
    // The order is the same across pages.
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = overview(&shop, &format!("?limit=3&sort=need{cursor}"));
        seen.extend(names(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, names(&overview(&shop, "?sort=need")));
    assert!(draft > 0);
    for (query, parameter) in [("?served=yes", "served"), ("?complete=", "complete"), ("?waiting=2", "waiting")] {
        let refused = company_wide(&shop).get(&format!("/overview{query}")).refused(400, "invalid_parameter");
        assert_eq!(refused.fields(), [parameter]);
    }
}

fn pages_are_stable_while_others_write(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let ids: Vec<i64> = (0..23)
        .map(|number| {
            // Several are created at the same moment, so that the id decides.
            if number % 4 == 0 {
                app.pass(MINUTE);
            }
            shop.experiment(json!({ "test_name": format!("test {}", number % 3) }))
        })
        .collect();
    for sort in [
        "need",
        "-need",
        "-last_change",
        "last_change",
        "test_name",
        "-test_name",
        "days",
        "-days",
        "-visitors",
        "days_left",
    ] {
        let (mut seen, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let page = overview(&shop, &format!("?limit=5&sort={sort}{cursor}"));
            seen.extend(
                page["items"].as_array().expect("items").iter().map(|item| item["test_id"].as_i64().expect("an id")),
            );
            pages += 1;
            // A new experiment would sort to the front or the end, and a listed one changes.
            if pages == 2 {
                let new = shop.experiment(json!({ "test_name": "zz" }));
                shop.patch(&format!("/experiment/{}", seen[0]), json!({ "tags": [sort] })).ok();
                shop.delete(&format!("/experiment/{new}")).ok();
            }
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
            assert!(pages < 20);
        }
        let mut once = seen.clone();
        // The changed experiment may appear once more where the order is by the last change.
        once.sort_unstable();
        once.dedup();
        assert_eq!(once, ids, "{sort}");
        assert!(seen.len() <= ids.len() + 1, "{sort}: {seen:?}");
    }
}

fn keys_see_their_own(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    let foreign = app.project("Other", "Shop");
    for (client, name) in [(&shop, "ours"), (&blog, "blog's"), (&foreign, "theirs")] {
        client.experiment(json!({ "test_name": name }));
    }
    assert_eq!(names(&overview(&shop, "?sort=test_name")), ["blog's", "ours"]);
    assert_eq!(names(&overview(&foreign, "")), ["theirs"]);
    assert_eq!(overview(&shop, &format!("?project={}", foreign.project_key))["total"], 0);
    let shop_key = shop.project_key.clone();
    let limited = app.key(&shop, |wanted| wanted.projects = vec![shop_key]);
    assert_eq!(names(&overview(&limited, "")), ["ours"]);
    assert_eq!(overview(&limited, &format!("?project={}", blog.project_key))["total"], 0);
    company_wide(&shop.with_key(None)).get("/overview").refused(401, "unauthorized");
    company_wide(&shop.with_key(Some("mk_nobody"))).get("/overview?limit=0").refused(401, "unauthorized");
    company_wide(&app.scoped(&shop, "write")).get("/overview?limit=0").refused(403, "missing_scope");
}

fn results_are_of_their_moment(on: On) {
    let scene = Shop::open(on, json!({ "plan": { "mde": 5, "visitors": 2_000 } }));
    let shop = &scene.client;
    let until = |what: &str, is_so: &dyn Fn(&Value) -> bool| {
        eventually(what, DEADLINE, || is_so(&overview(shop, "")["items"][0]));
        overview(shop, "")["items"][0].clone()
    };
    let item = until("a first look", &|item| item["as_of"].is_string());
    assert_eq!((&item["visitors"], &item["sentence"]), (&json!(0), &json!("Nobody has entered yet.")));
    assert_eq!((&item["health"], &item["verdict"]), (&json!("unknown"), &json!("keep_running")));

    // Half of the planned visitors in twelve hours.
    scene.crowd("early", &[("0", 500, 100), ("1", 500, 200)], "2026-03-01T10:01:00Z", &bought());
    scene.app.pass(12 * 60 * MINUTE);
    let item = until("a look at the visitors", &|item| item["visitors"] == 1_000);
    assert_eq!((&item["verdict"], &item["days"], &item["days_left"]), (&json!("keep_running"), &json!(0), &json!(1)));
    scene.app.pass(24 * 60 * MINUTE);
    let item = until("a verdict", &|item| item["verdict"] == "win");
    let sentence = item["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("Serve Variant 1: it beats the control by 100.0 %, from "), "{sentence}");
    assert_eq!(overview(shop, "?verdict=win")["total"], 1);
    assert_eq!(overview(shop, "?verdict=loss,unknown")["total"], 0);
    let result = scene.result("");
    assert_eq!(item["visitors"], result["total_visitors"]);

    // After a change, the summary is about the experiment before the change, until the next check.
    shop.patch(&format!("/experiment/{}", scene.test_id), json!({ "test_name": "Renamed" })).ok();
    let item = overview(shop, "")["items"][0].clone();
    let sentence = item["sentence"].as_str().expect("a sentence");
    let as_of = Instant::parse(item["as_of"].as_str().expect("a moment")).expect("a moment").in_words();
    assert!(sentence.starts_with(&format!("As of {as_of}, before the last change: ")) || sentence.starts_with("Serve"));
    scene.app.pass(2 * MINUTE);
    until("a look after the change", &|item| item["sentence"].as_str().is_some_and(|it| it.starts_with("Serve")));
    shop.set_status(scene.test_id, 0).ok();
    scene.app.pass(2 * MINUTE);
    let item = until("a look after the end", &|item| {
        item["sentence"].as_str().is_some_and(|it| it.starts_with("Variant 1 beat the control"))
    });
    assert_eq!((&item["days"], &item["days_left"]), (&json!(1), &Value::Null));
}

fn it_is_kept_over_a_restart(on: On) {
    let mut scene = Shop::open(on, json!({}));
    scene.crowd("early", &[("0", 20, 2), ("1", 20, 2)], "2026-03-01T10:01:00Z", &bought());
    scene.app.pass(2 * MINUTE);
    let seen = |client: &Client| overview(client, "")["items"][0].clone();
    eventually("a look", DEADLINE, || seen(&scene.client)["visitors"] == 40);
    scene.app.start_again();
    let shop = scene.client.at(scene.app.address);
    // Available at once, before any event is loaded.
    assert_eq!(seen(&shop)["visitors"], 40);
}

fn what_was_there_before_is_filled_in(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1, "tags": ["old"], "test_name": "ÄLTER" }));
    let before = overview(&shop, "")["items"][0].clone();
    app.refill_overview();
    let mut after = overview(&shop, "?search=%C3%A4lter&tag=old&status=live")["items"][0].clone();
    for field in ["as_of", "sentence", "visitors", "verdict", "health"] {
        after[field] = before[field].clone();
    }
    assert_eq!(after, before);
    assert_eq!(after["test_id"], id);
}
