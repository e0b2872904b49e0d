//! Stored events of visitors with and without consent, and the stored parts of addresses.

use crate::scene::{Collector, gzip, id, stored};
use muriel_tests::{Answer, DEADLINE, On, TestApp, eventually, raw, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        addresses_keep_what_the_project_names,
        nothing_is_stored_without_consent,
    ],
}

/// Returns the metrics' counter of events with this outcome.
fn counted(app: &TestApp, outcome: &str) -> String {
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost:4171\r\nConnection: close\r\n\r\n";
    let metrics = raw::unchecked(app.metrics_address.expect("a listener"), request).has_status(200).text();
    let name = format!("muriel_events_total{{outcome=\"{outcome}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&name)).expect("a metric").to_owned()
}

fn nothing_is_stored_without_consent(on: On) {
    let app = on.start_with(|settings| settings.metrics_listen = Some(([127, 0, 0, 1], 0).into()));
    let shop = app.project("Acme", "Shop");
    let collector = Collector::of(&shop);
    let settings = |consent: &str, gpc: &str| {
        app.page_settings(&shop, |changes| {
            changes.consent = Some(consent.to_owned());
            changes.gpc = Some(gpc.to_owned());
        });
        let script = format!("\"consent\":\"{consent}\",\"gpc\":{}", gpc == "on");
        let path = format!("/js/{}.js", shop.project_key);
        eventually("the settings", DEADLINE, || collector.anyone.get(&path).text().contains(&script));
    };
    let body = |consent: Option<&str>| {
        let event = || json!({ "id": id(), "type": "custom", "name": "x" });
        let mut body = json!({ "visitor": { "id": "v-1" }, "events": [event(), event()] });
        if let Some(consent) = consent {
            body["consent"] = consent.into();
        }
        body
    };
    let send = |consent: Option<&str>, gpc: Option<&str>| -> Answer {
        let call = collector.call().header("cookie", "muriel_id=v-1");
        let call = gpc.into_iter().fold(call, |call, value| call.header("sec-gpc", value));
        call.json(body(consent)).send().has_status(200)
    };
    let is_stored = |answer: &Answer| {
        let ok = answer.body["results"].as_array().expect("results").iter().all(|result| result["status"] == "ok");
        assert_eq!(answer.header("set-cookie").is_some(), ok, "whoever is not recorded is not recognised either");
        assert_eq!(answer.header("x-muriel-warnings").is_none(), ok);
        ok
    };
    let (granted, unknown, denied) = (Some("granted"), Some("unknown"), Some("denied"));
    let mut expected = 0;
    for (consent, gpc_setting, said, header, expect) in [
        ("assumed", "off", None, None, true),
        ("assumed", "off", unknown, Some("1"), true),
        ("assumed", "off", denied, None, false),
        ("assumed", "on", None, None, true),
        ("assumed", "on", None, Some("0"), true),
        ("assumed", "on", None, Some("1"), false),
        ("assumed", "on", unknown, Some("1"), false),
        // The visitor's answer to the site takes precedence.
        ("assumed", "on", granted, Some("1"), true),
        ("required", "off", None, None, false),
        ("required", "off", unknown, None, false),
        ("required", "off", denied, None, false),
        ("required", "off", granted, Some("1"), true),
        ("required", "on", granted, Some("1"), true),
        ("memory", "off", None, None, false),
        ("memory", "off", granted, None, true),
    ] {
        settings(consent, gpc_setting);
        let case = format!("{consent}, gpc {gpc_setting}: {said:?} {header:?}");
        assert_eq!(is_stored(&send(said, header)), expect, "{case}");
        expected += if expect { 2 } else { 0 };
        assert_eq!(stored(&app).len(), expected, "{case}");
    }
    assert_eq!(
        [counted(&app, "consent_denied"), counted(&app, "consent_missing"), counted(&app, "gpc")],
        ["4", "6", "4"],
        "two events a request"
    );
    // The response says how many events were not stored, and why.
    settings("required", "on");
    let answer = send(None, None);
    let warnings: Vec<String> =
        serde_json::from_str(answer.header("x-muriel-warnings").expect("warnings")).expect("JSON");
    assert!(
        warnings.len() == 1 && warnings[0].starts_with("2 events were not stored: the project requires consent"),
        "{warnings:?}"
    );
    for result in answer.body["results"].as_array().expect("results") {
        assert_eq!(result["status"], "invalid");
        assert!(result["message"].as_str().expect("a message").contains("\"consent\": \"granted\""), "{result}");
    }
    let answer = send(None, Some("1"));
    assert!(answer.header("x-muriel-warnings").expect("warnings").contains("Sec-GPC: 1"));
    // A server with a key has asked the visitor, or knows why it need not.
    let trusted = |body: Value| collector.trusted.call("POST", "").header("sec-gpc", "1").json(body).send();
    assert_eq!(trusted(body(None)).ok()["results"][1]["status"], "ok");
    assert_eq!(trusted(body(denied)).ok()["results"][1]["status"], "invalid");
    let lines = format!("{}\n{}\n", body(unknown), body(denied));
    let call = collector.trusted.call("POST", "/batch").header("content-type", "application/x-ndjson");
    let lines = call.header("content-encoding", "gzip").body(gzip(lines.as_bytes())).send().has_status(200).lines();
    assert_eq!([&lines[0]["results"][0]["status"], &lines[1]["results"][0]["status"]], ["ok", "invalid"]);
    assert_eq!(stored(&app).len(), expected + 4);
}

fn addresses_keep_what_the_project_names(on: On) {
    let mut app = on.start();
    let mut shop = app.project("Acme", "Shop");
    let collector = Collector::of(&shop);
    let page = "https://shop.example/reset?token=CANARY&utm_source=mail&ref=a&gclid=CANARY#CANARY";
    let send = |collector: &Collector| {
        let events = json!([
            { "id": id(), "type": "pageview", "url": page, "referrer": page },
            { "id": id(), "type": "click", "by": "link", "trigger": "x", "href": page, "url": page },
        ]);
        let body = json!({ "visitor": { "id": "v-1" }, "events": events });
        let line = json!({ "visitor": { "id": "v-1" }, "id": id(), "type": "pageview", "url": page });
        collector.send(&body).results();
        collector.trusted.call("POST", "").json(body).send().ok();
        let call = collector.trusted.call("POST", "/batch").header("content-type", "application/x-ndjson");
        call.body(format!("{line}\n").into_bytes()).send().has_status(200);
    };
    // The addresses of the events that were stored since the last call.
    let seen = std::cell::Cell::new(0);
    let addresses = |app: &TestApp| -> Vec<String> {
        let events = stored(app);
        let new = &events[seen.replace(events.len())..];
        assert!(!new.is_empty() && !json!(new).to_string().contains("CANARY\n"));
        let fields = |event: &Value| ["url", "referrer", "href"].map(|field| event[field].as_str().map(str::to_owned));
        let mut all: Vec<String> = new.iter().flat_map(fields).flatten().collect();
        all.sort();
        all.dedup();
        all
    };
    send(&collector);
    assert_eq!(addresses(&app), ["https://shop.example/reset?utm_source=mail&gclid=1"]);
    // An exposure's context has addresses, too.
    let experiment = shop.experiment(json!({}));
    let context = json!({ "url": page, "landing_page": page, "referrer": "https://other.example/?q=CANARY" });
    let exposure =
        json!({ "id": id(), "type": "exposure", "test_id": experiment, "variant_id": "1", "context": context });
    collector.take(&[exposure]).results();
    let events = stored(&app);
    seen.set(events.len());
    let short = "https://shop.example/reset?utm_source=mail&gclid=1";
    let expect = json!({ "url": short, "landing_page": short, "referrer": "https://other.example/" });
    assert_eq!(events.last().expect("an event")["context"], expect);

    shop.patch("/settings", json!({ "keep_query": ["ref"] })).ok();
    send(&collector);
    assert_eq!(addresses(&app), ["https://shop.example/reset?ref=a&gclid=1"]);

    // A goal names a parameter, and a rule another one.
    let goal = |key: &str, kind: &str, value: &str| {
        let body = json!({ "goal_key": key, "goal_name": key, "goal_type": kind, "goal_value": value });
        shop.post("/goal", body).created()["goal_profile_id"].as_i64().expect("an id")
    };
    let source = goal("source", "pageview", "utm_source=mail");
    send(&collector);
    assert_eq!(addresses(&app), ["https://shop.example/reset?utm_source=mail&ref=a&gclid=1"]);
    // A goal that counts only addresses without a query must not count this one.
    shop.patch("/settings", json!({ "keep_query": [] })).ok();
    shop.delete(&format!("/goal/{source}")).ok();
    goal("bare", "pageviewExact", "https://shop.example/reset");
    send(&collector);
    assert_eq!(addresses(&app), ["https://shop.example/reset?gclid=1"]);
    goal("mark", "pageviewRegex", "token");
    send(&collector);
    assert_eq!(addresses(&app), ["https://shop.example/reset?token=&utm_source=&ref=&gclid=1"]);

    // After a restart, the same rules hold.
    app.start_again();
    shop = shop.at(app.address);
    let collector = Collector::of(&shop);
    send(&collector);
    assert_eq!(addresses(&app), ["https://shop.example/reset?token=&utm_source=&ref=&gclid=1"]);
    shop.patch("/settings", json!({ "keep_query": ["*"] })).ok();
    send(&collector);
    assert_eq!(addresses(&app), [page.trim_end_matches("#CANARY")]);
}
