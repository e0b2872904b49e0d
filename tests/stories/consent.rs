//! Events stored by projects that require consent or respect Global Privacy Control.

use crate::scene::{Collector, gzip, id, stored};
use muriel_tests::{Answer, DEADLINE, On, TestApp, eventually, raw, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
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
