//! Links to results: creation, visible data, and end.

use crate::results::{DAY, Shop, bought, counts};
use crate::scene::keys;
use muriel_tests::{Answer, Client, DEADLINE, On, eventually, raw, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        a_link_is_revoked,
        a_link_outlives_changes_but_not_its_experiment,
        links_are_bounded,
        a_link_shows_the_result_to_anybody,
        what_is_computed_for_strangers_is_bounded,
    ],
    postgres_at_night: [
        what_a_link_shows_is_fixed,
        strangers_see_no_more_than_the_result,
        a_link_expires,
        texts_that_are_no_link_are_answered_alike,
        who_makes_links,
        queries_are_those_of_results,
        links_are_of_the_host_of_people,
    ],
}

const AT: &str = "2026-03-01T10:00:00Z";

fn open(on: On) -> Shop {
    // Readers of a link get a report that somebody requested within the last minute, and the clock would request one.
    let app = on.start_with(|settings| settings.worker = false);
    let shop = Shop::open_in(app, json!({ "test_name": "Shorter checkout" }));
    shop.crowd("c", &[("0", 40, 10), ("1", 40, 20)], AT, &bought());
    shop
}

impl Shop {
    fn shares(&self) -> String {
        format!("/experiment/{}/shares", self.test_id)
    }

    /// Creates a link, and returns the response and its path.
    #[track_caller]
    fn share(&self, body: Value) -> (Value, String) {
        let made = self.client.post(&self.shares(), body).created();
        let url = made["url"].as_str().expect("a link");
        let path = url.strip_prefix(&self.client.origin()).expect("a link to this server").to_owned();
        (made["share"].clone(), path)
    }
}

fn has_private_fields(answer: &Answer) {
    for (field, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(field), Some(value), "{}", answer.said);
    }
    for field in ["set-cookie", "access-control-allow-origin", "vary"] {
        assert_eq!(answer.header(field), None, "{}", answer.said);
    }
}

fn a_link_shows_the_result_to_anybody(on: On) {
    let shop = open(on);
    let (share, path) = shop.share(json!({}));
    assert_eq!(
        (&share["state"], &share["created_at"], &share["expires_at"], &share["opened_at"]),
        (&json!("open"), &json!("2026-03-01T10:00:00.000Z"), &json!("2026-03-31T10:00:00.000Z"), &Value::Null)
    );
    let token = path.strip_prefix("/share/").expect("a token");
    assert!(token.len() >= 43 && token.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{token}");

    let anyone = shop.app.anyone();
    let shown = anyone.get(&format!("{path}/result")).has_status(200);
    has_private_fields(&shown);
    assert_eq!(counts(&shown.body), [(40, 10), (40, 20)]);
    let whole = shop.result("");
    for field in
        ["test_name", "status", "total_visitors", "variants", "metrics", "goal_key", "confidence_threshold_percent"]
    {
        assert_eq!(shown.body[field], whole[field], "{field}");
    }
    assert_eq!((&shown.body["goal_name"], &shown.body["expires_at"]), (&json!("bought"), &share["expires_at"]));
    assert_eq!(shown.body["as_of"], whole["manifest"]["as_of"]);
    let series = anyone.get(&format!("{path}/timeseries")).has_status(200);
    has_private_fields(&series);
    let of_team = shop.client.get(&format!("/experiment/{}/timeseries", shop.test_id)).ok();
    assert_eq!(series.body["timeseries"], of_team["timeseries"]);

    let page = anyone.get(&path).has_status(200);
    has_private_fields(&page);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").expect("a policy");
    for part in [
        "default-src 'none'",
        "script-src 'nonce-",
        "'strict-dynamic'",
        "connect-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("report"), "{policy}");
    assert_ne!(anyone.get(&path).header("content-security-policy"), Some(policy), "each has a nonce of its own");
    // The page contains nothing about the experiment, so link previews reveal nothing.
    assert!(!page.text().contains("checkout") && !page.text().contains(token), "{}", page.text());

    // The time of opening is shown by the hour, and not the reader.
    let listed = || shop.client.get(&shop.shares()).ok()["shares"][0].clone();
    shop.app.pass(Duration::from_secs(3_600 + 50 * 60));
    anyone.get(&format!("{path}/result")).ok();
    assert_eq!(listed()["opened_at"], "2026-03-01T11:00:00.000Z");
    assert!(listed().get("url").is_none(), "the link is told once");
    let mut app = shop.app;
    app.start_again();
    let client = shop.client.at(app.address);
    let path_of_list = format!("/experiment/{}/shares", shop.test_id);
    assert_eq!(client.get(&path_of_list).ok()["shares"][0]["opened_at"], "2026-03-01T11:00:00.000Z");
    let anyone = app.anyone();
    eventually("the events are there again", DEADLINE, || anyone.get(&format!("{path}/result")).status == 200);
}

fn what_a_link_shows_is_fixed(on: On) {
    let shop = open(on);
    shop.app.pass(2 * DAY);
    shop.crowd("late", &[("0", 10, 1), ("1", 10, 2)], "2026-03-02T10:00:00Z", &bought());
    let query = json!({ "end_date": "2026-03-01", "tz": "Europe/Berlin", "breakdown_by": "device", "epoch": 1 });
    let (share, path) = shop.share(json!({ "expires_in_days": 7, "query": query }));
    let fixed = json!({
        "start_date": null, "end_date": "2026-03-01", "tz": "Europe/Berlin", "goal_key": null, "filter_by": null,
        "breakdown_by": "device", "epoch": 1, "report_phase": "pre_deploy",
    });
    assert_eq!(share["query"], fixed);
    let anyone = shop.app.anyone();
    let plain = anyone.get(&format!("{path}/result")).ok();
    assert_eq!((counts(&plain), &plain["query"]), (vec![(40, 10), (40, 20)], &fixed));
    assert_eq!(plain["breakdowns"][0]["dimension"], "device");
    for query in ["end_date=2026-03-02", "goal_key=nothing", "epoch=all", "format=csv", "project_key=x"] {
        for below in ["result", "timeseries"] {
            anyone.get(&format!("{path}/{below}?{query}")).refused(400, "invalid_parameter");
        }
    }
    let days = anyone.get(&format!("{path}/timeseries")).ok();
    let dates: Vec<_> = days["timeseries"].as_array().expect("points").iter().map(|point| &point["date"]).collect();
    assert_eq!(dates, [&json!("2026-03-01"); 2]);
    // The query of a share creates the same share again.
    assert_eq!(shop.share(json!({ "query": fixed })).0["query"], fixed);
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        for below in ["", "/result", "/timeseries"] {
            anyone.call(method, &format!("{path}{below}")).send().refused(405, "method_not_allowed");
        }
    }
    for below in ["/details", "/result/", "/result/x", "/../v2/session", "/shares", "/manifest"] {
        anyone.get(&format!("{path}{below}")).refused(404, "unknown_route");
    }
    // The token is neither a key nor a session.
    let token = path.trim_start_matches("/share/");
    shop.client.with_key(Some(token)).get(&format!("/experiment/{}/result", shop.test_id)).refused(401, "unauthorized");
    let cookie = format!("muriel={token}");
    let list = shop.client.with_key(None);
    list.call("GET", "/experiments").header("cookie", &cookie).send().refused(401, "unauthorized");
}

fn strangers_see_no_more_than_the_result(on: On) {
    let shop = Shop::open(
        on,
        json!({
            "test_name": "Shorter checkout",
            "variants": [{ "name": "Variant 1", "nickname": "short", "customJS": "secretCode()", "data": [] }],
            "custom_js": "secretShared()",
            "targeting": { "url_rule": [] },
            "url": "https://secret.example/checkout",
            "tags": ["secretTag"],
        }),
    );
    let goal = json!({ "goal_name": "Signed up", "goal_type": "pageviewExact", "goal_value": "https://secret.example/thanks", "goal_key": "signed" });
    shop.client.post("/goal", goal).created();
    shop.client.patch(&format!("/experiment/{}", shop.test_id), json!({ "primary_goal_key": "signed" })).ok();
    shop.crowd("c", &[("0", 40, 10), ("1", 40, 20)], AT, &bought());
    let owner = shop.app.signed_in_as(&shop.client, "owner");
    let made = owner.post(&shop.shares(), json!({})).created();
    let url = made["url"].as_str().expect("a link");
    let path = url.strip_prefix(&shop.client.origin()).expect("a link");
    let result = shop.app.anyone().get(&format!("{path}/result")).has_status(200);
    let days = shop.app.anyone().get(&format!("{path}/timeseries")).has_status(200);
    let page = shop.app.anyone().get(path).has_status(200);
    let name = made["share"]["created_by"]["name"].as_str().expect("a name");
    for answer in [&result, &days, &page] {
        let text = answer.text();
        for secret in ["secret", &shop.client.project_key, "acme", name, "manifest", "test_id", "hash", "Run muriel"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        // Nor in the header fields.
        assert!(answer.headers.iter().all(|(_, value)| !value.contains("secret")), "{answer:?}");
    }
    assert_eq!(keys(&result.body["primary_goal"]), ["goal_key", "goal_name"]);
    assert!(result.text().contains("short") && result.text().contains("Signed up"), "{}", result.text());
    // Every new field of the result has to be decided on here, too.
    let whole = shop.result("");
    let (mut ours, theirs) = (keys(&result.body), keys(&whole));
    ours.retain(|field| !["as_of", "expires_at", "query", "goal_name", "test_type"].contains(field));
    let left_out: Vec<_> = theirs.into_iter().filter(|field| !ours.contains(field)).collect();
    assert_eq!(left_out, ["test_id", "manifest", "plan"]);
}

fn a_link_expires(on: On) {
    let shop = open(on);
    let (_, path) = shop.share(json!({ "expires_in_days": 2 }));
    let (_, longer) = shop.share(json!({ "expires_in_days": 365 }));
    let anyone = shop.app.anyone();
    shop.app.pass(2 * DAY - Duration::from_millis(1));
    anyone.get(&format!("{path}/result")).ok();
    shop.app.pass(Duration::from_millis(1));
    for below in ["/result", "/timeseries"] {
        let refused = anyone.get(&format!("{path}{below}")).refused(410, "share_expired");
        assert!(refused.body["error"].as_str().is_some_and(|error| error.contains("ask the sender")));
        assert!(!refused.text().contains("checkout"));
    }
    let page = anyone.get(&path).has_status(410);
    has_private_fields(&page);
    assert!(page.text().contains("This link has expired. Ask the sender for a new one."), "{}", page.text());
    anyone.get(&format!("{longer}/result")).ok();
    let states: Vec<_> = shop.client.get(&shop.shares()).ok()["shares"]
        .as_array()
        .expect("links")
        .iter()
        .map(|share| share["state"].clone())
        .collect();
    assert_eq!(states, ["open", "expired"]);
    for days in [json!(0), json!(366), json!(-1), json!(1.5), json!("7"), json!(null)] {
        shop.client.post(&shop.shares(), json!({ "expires_in_days": days })).invalid(&["expires_in_days"]);
    }
}

fn a_link_is_revoked(on: On) {
    let shop = open(on);
    let beside = matches!(on, On::Postgres).then(|| shop.app.start_beside());
    let (share, path) = shop.share(json!({}));
    let (_, other) = shop.share(json!({}));
    let anyone = shop.app.anyone();
    let elsewhere = beside.as_ref().map(|beside| anyone.at(beside.address));
    anyone.get(&format!("{path}/result")).ok();
    if let Some(elsewhere) = &elsewhere {
        eventually("the link works on the other node", DEADLINE, || {
            elsewhere.get(&format!("{path}/result")).status == 200
        });
    }
    let id = share["share_id"].as_i64().expect("an id");
    if beside.is_some() {
        eventually("the other node is known, and strangers are not told of it", DEADLINE, || {
            let shown = anyone.get(&format!("{path}/result")).ok();
            let said = [&shown["health"]["other_nodes"]["message"], &shown["variants"][1]["analysis"]["reason"]];
            assert_eq!(said[0] == said[1], shown["health"]["other_nodes"]["status"] == "fail", "{said:?}");
            assert!(!shown.to_string().contains("Run one node"), "{said:?}");
            said[0] == said[1]
        });
    }
    let revoke = || shop.client.delete(&format!("/share/{id}"));
    assert_eq!(revoke().ok()["share_id"], id);
    for reader in [Some(&anyone), elsewhere.as_ref()].into_iter().flatten() {
        reader.get(&format!("{path}/result")).refused(410, "share_revoked");
        reader.get(&format!("{path}/timeseries")).refused(410, "share_revoked");
        let page = reader.get(&path).has_status(410);
        assert!(page.text().contains("This link was revoked."), "{}", page.text());
    }
    anyone.get(&format!("{other}/result")).ok();
    let listed = || shop.client.get(&shop.shares()).ok()["shares"][1].clone();
    let revoked = listed();
    assert_eq!((&revoked["state"], &revoked["revoked_at"]), (&json!("revoked"), &json!("2026-03-01T10:00:00.000Z")));
    assert_eq!(revoked["revoked_by"], revoked["created_by"]);
    // Revoking again changes nothing, and the status stays revoked after the expiry.
    shop.app.pass(31 * DAY);
    revoke().ok();
    assert_eq!(listed(), revoked);
    anyone.get(&format!("{path}/result")).refused(410, "share_revoked");

    let owner = shop.app.signed_in_as(&shop.client, "owner").outside();
    let audit = owner.get(&format!("/v2/audit?object=share:{id}")).ok();
    let acts: Vec<_> = audit["entries"].as_array().expect("entries").iter().map(|entry| &entry["action"]).collect();
    assert_eq!(acts, ["revoke", "share"]);
    // The audit log names the experiment.
    let name = &shop.client.details(shop.test_id)["test_name"];
    for entry in audit["entries"].as_array().expect("entries") {
        assert_eq!(&entry["object"]["name"], name);
    }
    assert!(!audit.to_string().contains(path.trim_start_matches("/share/")), "the token is nowhere");
    shop.client.delete("/share/9999").refused(404, "not_found");
    shop.client.delete("/share/x").refused(404, "not_found");
}

fn texts_that_are_no_link_are_answered_alike(on: On) {
    let shop = open(on);
    let (_, path) = shop.share(json!({}));
    let token = path.trim_start_matches("/share/");
    let other = format!("{}{}", &token[1..], if token.ends_with('x') { 'y' } else { 'x' });
    let anyone = shop.app.anyone();
    let long = "x".repeat(7_000);
    let ask = |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: story\r\nX-Request-Id: same\r\nConnection: close\r\n\r\n");
        let mut answer = raw::exchange(shop.app.address, request.as_bytes());
        answer.headers.retain(|(name, _)| name != "date" && name != "content-security-policy");
        answer
    };
    let strangers = [
        other.as_str(),
        "1",
        "-",
        "%00",
        "%ff%fe",
        "%2e%2e",
        "..%2f..%2fetc%2fpasswd",
        "'%20OR%201=1",
        "%F0%9F%98%80",
        &long,
    ];
    for below in ["", "/result", "/timeseries"] {
        let answers = strangers.map(|text| ask(&format!("/share/{text}{below}")).has_status(404));
        let plain = |answer: &Answer| {
            // The page has its own nonce.
            let text = answer.text();
            match text.split_once("nonce=\"") {
                Some((before, after)) => format!("{before}{}", &after[32..]),
                None => text,
            }
        };
        for (answer, text) in answers.iter().zip(strangers) {
            assert_eq!(plain(answer), plain(&answers[0]), "{text}");
            assert_eq!(answer.headers, answers[0].headers, "{text}");
        }
    }
    anyone.get(&format!("/share/{other}/result")).refused(404, "not_found");
    let page = anyone.get(&format!("/share/{other}"));
    assert!(page.text().contains("Check that the whole link was copied"), "{}", page.text());
    anyone.get("/share/").refused(404, "unknown_route");
    anyone.get("/share").refused(404, "unknown_route");
}

fn a_link_outlives_changes_but_not_its_experiment(on: On) {
    let shop = open(on);
    shop.client.goal("clicked");
    let (_, path) = shop.share(json!({}));
    let (_, of_goal) = shop.share(json!({ "query": { "goal_key": "clicked" } }));
    let anyone = shop.app.anyone();
    let read = |path: &str| anyone.get(&format!("{path}/result"));
    assert_eq!(read(&of_goal).ok()["goal_key"], "clicked");
    let experiment = format!("/experiment/{}", shop.test_id);
    shop.client.patch(&experiment, json!({ "test_name": "Renamed" })).ok();
    assert_eq!(read(&path).ok()["test_name"], "Renamed");
    shop.client.set_status(shop.test_id, 0).ok();
    shop.client.patch(&format!("{experiment}/archive"), json!({ "archived": true })).ok();
    assert_eq!(read(&path).ok()["status"], "inactive", "the archive is not the end of it");
    // A deleted goal is no longer part of the result.
    let goals = shop.client.get("/goals").ok();
    let goals = goals["goals"].as_array().expect("goals");
    let clicked = goals.iter().find(|goal| goal["goal_key"] == "clicked").expect("the goal");
    shop.client.delete(&format!("/goal/{}", clicked["goal_profile_id"])).ok();
    read(&of_goal).refused(410, "share_outdated");
    read(&path).ok();
    shop.client.delete(&experiment).ok();
    for path in [&path, &of_goal] {
        read(path).refused(404, "not_found");
        anyone.get(path).has_status(404);
    }
    shop.client.get(&shop.shares()).refused(404, "not_found");
}

fn who_makes_links(on: On) {
    let shop = open(on);
    let [viewer, editor, admin] = ["viewer", "editor", "admin"].map(|role| shop.app.signed_in_as(&shop.client, role));
    viewer.post(&shop.shares(), json!({})).refused(403, "missing_scope");
    let made = editor.post(&shop.shares(), json!({})).created();
    let id = made["share"]["share_id"].clone();
    viewer.delete(&format!("/share/{id}")).refused(403, "missing_scope");
    let listed = viewer.get(&shop.shares()).ok();
    assert_eq!(listed["shares"][0]["created_by"]["kind"], "person");
    assert!(!listed.to_string().contains("/share/"), "{listed}");
    // Another project and another company cannot access it.
    let blog = shop.app.project("Acme", "Blog");
    let elsewhere = shop.app.project("Beta", "Shop");
    for other in [&blog, &elsewhere] {
        other.delete(&format!("/share/{id}")).refused(404, "not_found");
        other.get(&shop.shares()).refused(404, "not_found");
        other.post(&shop.shares(), json!({})).refused(404, "not_found");
    }
    admin.delete(&format!("/share/{id}")).ok();

    // A session has no effect, neither of a person who may read the project, nor of one who may not.
    let (_, path) = shop.share(json!({}));
    let nobody = shop.app.anyone();
    let plain = nobody.get(&format!("{path}/result")).has_status(200);
    let stranger = shop.app.signed_in_as(&elsewhere, "owner").outside();
    let mut wrong = stranger.clone();
    wrong.session.as_mut().expect("a session").cookie = "muriel=wrong".to_owned();
    let keyed = shop.client.outside().with_key(Some("mrl_wrong"));
    for client in [&viewer.outside(), &stranger, &wrong, &keyed] {
        let answer = client.get(&format!("{path}/result")).has_status(200);
        assert_eq!(answer.body, plain.body);
        assert_eq!(answer.header("set-cookie"), None);
    }
    // A repeated request gets the same link.
    let again = |client: &Client| {
        client.call("POST", &shop.shares()).header("idempotency-key", "once").json(json!({})).send().has_status(201)
    };
    let (first, second) = (again(&editor), again(&editor));
    assert_eq!((first.bytes, second.header("idempotent-replayed")), (second.bytes.clone(), Some("true")));
}

fn queries_are_those_of_results(on: On) {
    let shop = open(on);
    for (query, field) in [
        (json!({ "start_date": "yesterday" }), "query.start_date"),
        (json!({ "start_date": "2026-03-02", "end_date": "2026-03-01" }), "query.end_date"),
        (json!({ "tz": "Mars/Base" }), "query.tz"),
        (json!({ "goal_key": "nobody" }), "query.goal_key"),
        (json!({ "goal_key": "" }), "query.goal_key"),
        (json!({ "goal_key": "<script>alert(1)</script>" }), "query.goal_key"),
        (json!({ "filter_by": "mobile,phone" }), "query.filter_by"),
        (json!({ "filter_by": ["mobile"] }), "query.filter_by"),
        (json!({ "breakdown_by": "visitor_id" }), "query.breakdown_by"),
        (json!({ "epoch": 0 }), "query.epoch"),
        (json!({ "epoch": 9 }), "query.epoch"),
        (json!({ "epoch": 1.5 }), "query.epoch"),
        (json!({ "report_phase": "later" }), "query.report_phase"),
        (json!({ "format": "csv" }), "query.format"),
        (json!({ "project_key": "x" }), "query.project_key"),
        (json!({ "start_date": true }), "query.start_date"),
        (json!([]), "query"),
        (json!("end_date=2026-03-01"), "query"),
        (Value::Null, "query"),
    ] {
        let answer = shop.client.post(&shop.shares(), json!({ "query": query }));
        assert_eq!(answer.clone().refused(400, "invalid_field").fields(), [field], "{query}");
    }
    shop.client.post(&shop.shares(), json!({ "token": "mine" })).invalid(&["token"]);
    let nothing = json!({
        "start_date": null, "end_date": null, "tz": null, "goal_key": null, "filter_by": null, "breakdown_by": null,
        "epoch": null, "report_phase": null,
    });
    let (share, _) = shop.share(json!({ "query": nothing }));
    assert_eq!(share["query"], shop.share(json!({})).0["query"]);
    let (share, _) = shop.share(json!({ "query": { "epoch": "1", "filter_by": "Mobile, country-de,mobile" } }));
    assert_eq!((&share["query"]["epoch"], &share["query"]["filter_by"]), (&json!(1), &json!("mobile,country-DE")));
}

fn links_are_bounded(on: On) {
    let shop = open(on);
    let made: Vec<i64> = (0..50).map(|_| shop.share(json!({})).0["share_id"].as_i64().expect("an id")).collect();
    let refused = shop.client.post(&shop.shares(), json!({})).refused(400, "invalid_field");
    assert!(refused.message("body").contains("50 open links; revoke one first"), "{}", refused.text());
    shop.client.delete(&format!("/share/{}", made[0])).ok();
    shop.share(json!({}));
    shop.client.post(&shop.shares(), json!({})).refused(400, "invalid_field");
    // Ended shares are deleted in time, the oldest first.
    for _ in 0..4 {
        shop.app.pass(31 * DAY);
        (0..50).for_each(|_| drop(shop.share(json!({}))));
    }
    let all = shop.client.get(&shop.shares()).ok();
    let all: Vec<i64> = all["shares"]
        .as_array()
        .expect("links")
        .iter()
        .map(|share| share["share_id"].as_i64().expect("an id"))
        .collect();
    assert!((200..=201).contains(&all.len()), "{}", all.len());
    assert!(!all.contains(&made[0]) && all.is_sorted_by(|one, next| one > next), "{all:?}");
}

fn what_is_computed_for_strangers_is_bounded(on: On) {
    let shop = open(on);
    let (_, path) = shop.share(json!({}));
    let anyone = shop.app.anyone();
    let read = || anyone.get(&format!("{path}/result")).ok();
    let first = read();
    shop.crowd("more", &[("0", 5, 1), ("1", 5, 1)], AT, &bought());
    assert_eq!(read(), first, "within a minute nothing is computed again, whatever comes");
    assert_eq!(counts(&shop.result("")), [(45, 11), (45, 21)], "who belongs to the team has all events");
    shop.app.pass(Duration::from_secs(61));
    assert_eq!(counts(&read()), [(45, 11), (45, 21)]);
    // Many concurrent requests share one computation.
    shop.crowd("still-more", &[("0", 5, 1)], AT, &bought());
    shop.app.pass(Duration::from_secs(61));
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..16).map(|_| scope.spawn(|| shop.app.anyone().get(&format!("{path}/result")))).collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let as_of = answers[0].body["as_of"].clone();
    for answer in answers {
        assert_eq!(answer.ok()["as_of"], as_of);
    }
}

fn links_are_of_the_host_of_people(on: On) {
    let app = on.start_with(|settings| {
        settings.dashboard_listen = Some(([127, 0, 0, 1], 0).into());
        settings.people.public_url = Some("https://muriel.example".parse().expect("an address"));
    });
    let shop = app.project("Acme", "Shop");
    let test_id = shop.experiment(json!({}));
    let made = shop.post(&format!("/experiment/{test_id}/shares"), json!({})).created();
    let url = made["url"].as_str().expect("a link");
    let path = url.strip_prefix("https://muriel.example").expect("the host of people");
    let (visitors, people) = (app.anyone(), app.anyone().at(app.dashboard_address().expect("an address")));
    people.get(path).has_status(200);
    people.get(&format!("{path}/result")).ok();
    for below in ["", "/result", "/timeseries"] {
        visitors.get(&format!("{path}{below}")).refused(404, "unknown_route");
    }
}
