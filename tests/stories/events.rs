//! Intake of events.

use crate::scene::{Collector, gzip, holds, id, stored};
use muriel_tests::{On, TestApp, raw, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        an_id_counts_once_in_each_project,
        repeats_are_known_after_a_restart,
    ],
    postgres_at_night: [
        exposures_are_of_experiments_that_exist,
        events_of_servers_carry_a_key,
    ],
}

/// The time at which a story's clock stands.
const NOW: &str = "2026-03-01T10:00:00.000Z";

fn scene() -> (TestApp, Collector) {
    let app = On::Sqlite.start();
    let shop = Collector::of(&app.project("Acme", "Shop"));
    (app, shop)
}

/// Builds a custom event with the given fields.
fn custom(besides: Value) -> Value {
    let mut event = json!({ "id": id(), "type": "custom", "name": "x" });
    for (field, value) in besides.as_object().expect("fields") {
        event[field] = value.clone();
    }
    event
}

#[test]
fn events_of_every_type_are_stored_as_they_were_sent() {
    let (app, shop) = scene();
    let client = app.project("Acme", "Other");
    let test_id = client.experiment(json!({ "status": 1 }));
    let shop = if test_id > 0 { Collector::of(&client) } else { shop };
    let events = [
        json!({ "type": "exposure", "test_id": test_id, "variant_id": "1", "epoch": 1,
                "context": { "url": "https://shop.example/?utm_source=x", "visitor_type": "new" } }),
        json!({ "type": "exposure", "test_id": test_id, "variant_id": "0" }),
        json!({ "type": "pageview", "url": "https://shop.example/", "referrer": "https://search.example/" }),
        json!({ "type": "click", "by": "element", "trigger": "#buy" }),
        json!({ "type": "click", "by": "text", "trigger": "Buy now" }),
        json!({ "type": "click", "by": "link", "href": "https://elsewhere.example/" }),
        json!({ "type": "submit", "trigger": "form.order" }),
        json!({ "type": "appear", "trigger": "#footer" }),
        json!({ "type": "script", "trigger": "done" }),
        json!({ "type": "scroll", "value": 75.5, "url": "https://shop.example/a" }),
        json!({ "type": "duration", "value": 30.25 }),
        json!({ "type": "custom", "name": "signup" }),
        json!({ "type": "custom", "name": "rated", "value": -3.5 }),
        json!({ "type": "identify", "attributes": { "plan": "pro", "seats": 3, "trial": false } }),
        json!({ "type": "health", "test_id": test_id, "variant_id": "1", "apply_ms": 12.5, "hidden_ms": 30.25, "late": 1.0,
                "failed_selectors": 2.0, "errors": 3.0, "lcp_ms": 1832.0, "cls": 0.0312, "inp_ms": 88.0 }),
        json!({ "type": "order", "name": "Purchase", "value": 59.9, "currency": "EUR", "order_id": "A-77", "quantity": 2.0 }),
        json!({ "type": "order", "name": "Refund", "value": -5.5, "currency": "USD" }),
    ];
    let events: Vec<Value> = events
        .into_iter()
        .map(|mut event| {
            event["id"] = id().into();
            event["at"] = NOW.into();
            event["session"] = "s-1".into();
            event["properties"] =
                json!({ "text": "größer 😀", "number": 1, "half": 0.5, "yes": true, "nothing": null });
            event
        })
        .collect();
    let body = json!({ "sent_at": NOW, "consent": "granted", "events": events,
                       "visitor": { "id": "v-1", "attributes": { "plan": "pro" } } });
    assert_eq!(shop.send(&body).statuses(), vec!["ok"; events.len()]);
    let stored = stored(&app);
    assert_eq!(stored.len(), events.len());
    for (stored, sent) in stored.iter().zip(&events) {
        for (field, value) in sent.as_object().expect("fields") {
            assert_eq!(&stored[field], value, "{field} of {stored}");
        }
        assert_eq!(stored["visitor"], body["visitor"]);
        assert_eq!(
            (&stored["project_key"], &stored["received_at"], &stored["consent"]),
            (&json!(shop.project_key), &json!(NOW), &json!("granted"))
        );
    }
    // The results assign an exposure without an epoch by its time.
    assert_eq!(stored[1].get("epoch"), None);
}

#[test]
fn an_invalid_event_is_told_what_is_wrong() {
    let (app, shop) = scene();
    let long = "x".repeat(129);
    let many: serde_json::Map<_, _> = (0..101).map(|number| (format!("k{number}"), json!(number))).collect();
    for (event, expect) in [
        (json!({ "type": "nothing" }), "type must be one of exposure, pageview, click"),
        (json!({ "type": "Pageview", "url": "/" }), "type must be one of"),
        (json!({}), "type is required"),
        (json!({ "type": 7 }), "type must be text"),
        (json!({ "id": "1", "type": "script", "trigger": "x" }), "id must be a UUID"),
        (json!({ "id": 1, "type": "script", "trigger": "x" }), "id must be text"),
        (json!({ "id": null, "type": "script", "trigger": "x" }), "id must be text"),
        (
            json!({ "id": "00000000-0000-0000-0000-000000000000", "type": "script", "trigger": "x" }),
            "id must be a UUID",
        ),
        (json!({ "id": "0195a2b47d3e7c119f602b8f1f0e6a55", "type": "script", "trigger": "x" }), "id must be a UUID"),
        (json!({ "type": "script", "trigger": "x", "at": "yesterday" }), "at must be an ISO 8601"),
        (json!({ "type": "script", "trigger": "x", "at": 1_700_000_000 }), "at must be text"),
        (json!({ "type": "script", "trigger": "x", "at": "1969-12-31T00:00:00Z" }), "at must not be before 1970"),
        (json!({ "type": "script", "trigger": "x", "session": "y".repeat(129) }), "session must have 0 to 128"),
        (json!({ "type": "script", "trigger": "x", "properties": [] }), "properties must be an object of at most 100"),
        (
            json!({ "type": "script", "trigger": "x", "properties": many }),
            "properties must be an object of at most 100",
        ),
        (json!({ "type": "script", "trigger": "x", "properties": { "a": {} } }), "properties a: must be a plain value"),
        (json!({ "type": "exposure", "variant_id": "1" }), "test_id is required"),
        (json!({ "type": "exposure", "test_id": 1 }), "variant_id is required"),
        (json!({ "type": "exposure", "test_id": "1", "variant_id": "1" }), "test_id must be an experiment's id"),
        (json!({ "type": "exposure", "test_id": 1, "variant_id": 1 }), "variant_id must be text"),
        (json!({ "type": "exposure", "test_id": 1, "variant_id": "-1" }), "variant_id must be \"0\""),
        (json!({ "type": "exposure", "test_id": 1, "variant_id": "1", "epoch": 0 }), "epoch must be an integer"),
        (json!({ "type": "exposure", "test_id": 1, "variant_id": "1", "context": 1 }), "context must be an object"),
        (json!({ "type": "pageview" }), "url is required"),
        (json!({ "type": "pageview", "url": "" }), "url must have 1 to 8192"),
        (json!({ "type": "pageview", "url": "x".repeat(8193) }), "url must have 1 to 8192"),
        (json!({ "type": "click", "trigger": "#a" }), "by is required"),
        (json!({ "type": "click", "by": "eye", "trigger": "#a" }), "by must be element, text or link"),
        (json!({ "type": "click", "by": "element" }), "trigger is required"),
        (json!({ "type": "click", "by": "link", "trigger": "#a" }), "href is required"),
        (json!({ "type": "submit" }), "trigger is required"),
        (json!({ "type": "appear", "trigger": "" }), "trigger must have 1 to 8192"),
        (json!({ "type": "script", "trigger": null }), "trigger must be text"),
        (json!({ "type": "scroll" }), "value is required"),
        (json!({ "type": "scroll", "value": 100.5 }), "value must be a number from 0 to 100"),
        (json!({ "type": "scroll", "value": "50" }), "value must be a number from 0 to 100"),
        (json!({ "type": "duration", "value": -1 }), "value must be a number from 0 to 10000000"),
        (json!({ "type": "custom" }), "name is required"),
        (json!({ "type": "custom", "name": long }), "name must have 1 to 128"),
        (json!({ "type": "custom", "name": "x", "value": 2e15 }), "value must be a number from"),
        (json!({ "type": "identify" }), "attributes is required"),
        (json!({ "type": "identify", "attributes": { "a": [1] } }), "attributes a: must be a plain value"),
        (json!({ "type": "health", "test_id": 1 }), "variant_id is required"),
        (json!({ "type": "health", "test_id": 1, "variant_id": "1", "late": -1 }), "late must be a number"),
        (json!({ "type": "order", "value": 1, "currency": "EUR" }), "name is required"),
        (json!({ "type": "order", "name": "x", "currency": "EUR" }), "value is required"),
        (json!({ "type": "order", "name": "x", "value": 1 }), "currency is required"),
        (json!({ "type": "order", "name": "x", "value": 1, "currency": "eur" }), "currency must be a currency code"),
        (json!({ "type": "order", "name": "x", "value": 1, "currency": "EURO" }), "currency must be a currency code"),
        (
            json!({ "type": "order", "name": "x", "value": 1, "currency": "EUR", "order_id": "y".repeat(257) }),
            "order_id must",
        ),
        (
            json!({ "type": "order", "name": "x", "value": 1, "currency": "EUR", "quantity": -1 }),
            "quantity must be a number",
        ),
        (
            json!({ "type": "custom", "name": "x", "properties": { "a": "x".repeat(33 << 10) } }),
            "must have at most 32 KiB",
        ),
        (json!("text"), "must be an object"),
        (json!([]), "must be an object"),
        (json!(null), "must be an object"),
    ] {
        let mut event = event;
        if event.is_object() && event.get("id").is_none() {
            event["id"] = id().into();
        }
        let shown: String = event.to_string().chars().take(200).collect();
        let answer = shop.take(&[event.clone()]);
        let result = &answer.results()[0];
        let message = result["message"].as_str().unwrap_or_default();
        assert_eq!(result["status"], "invalid", "{shown}");
        assert!(message.contains(expect), "{shown}: {message}");
        assert_eq!(result["id"].as_str(), event["id"].as_str(), "{shown}");
    }
    assert_eq!(stored(&app), Vec::<Value>::new());
}

#[test]
fn good_events_are_taken_among_invalid_ones_and_answered_in_order() {
    let (app, shop) = scene();
    let twice = custom(json!({ "name": "twice" }));
    let events = [
        custom(json!({ "name": "first" })),
        json!({ "id": id(), "type": "nothing" }),
        twice.clone(),
        json!(7),
        twice,
        custom(json!({ "name": "last" })),
    ];
    let answer = shop.take(&events);
    assert_eq!(answer.statuses(), ["ok", "invalid", "ok", "invalid", "duplicate", "ok"]);
    for (result, event) in answer.results().iter().zip(&events) {
        assert_eq!(result["id"].as_str(), event["id"].as_str());
    }
    let names: Vec<Value> = stored(&app).iter().map(|event| event["name"].clone()).collect();
    assert_eq!(names, ["first", "twice", "last"]);
    assert_eq!(
        shop.take(&events).statuses(),
        ["duplicate", "invalid", "duplicate", "invalid", "duplicate", "duplicate"]
    );
    assert_eq!(shop.take(&[]).statuses(), Vec::<String>::new());
    assert_eq!(stored(&app).len(), 3);
}

#[test]
fn a_body_that_is_wrong_gives_nothing_to_the_log() {
    let (app, shop) = scene();
    let good = custom(json!({}));
    let with = |body: Value| {
        let mut whole = json!({ "visitor": { "id": "v" }, "events": [good] });
        for (field, value) in body.as_object().expect("fields") {
            whole[field] = value.clone();
        }
        whole
    };
    let many: Vec<Value> = (0..501).map(|_| custom(json!({}))).collect();
    for (body, field) in [
        (json!([]), "body"),
        (json!({ "events": [good] }), "visitor"),
        (json!({ "visitor": { "id": "v" } }), "events"),
        (with(json!({ "events": {} })), "events"),
        (with(json!({ "events": many })), "events"),
        (with(json!({ "visitor": "v" })), "visitor"),
        (with(json!({ "visitor": {} })), "visitor.id"),
        (with(json!({ "visitor": { "id": "" } })), "visitor.id"),
        (with(json!({ "visitor": { "id": 5 } })), "visitor.id"),
        (with(json!({ "visitor": { "id": "v".repeat(129) } })), "visitor.id"),
        (with(json!({ "visitor": { "id": "v", "attributes": [] } })), "visitor.attributes"),
        (with(json!({ "visitor": { "id": "v", "attributes": { "a": {} } } })), "visitor.attributes"),
        (with(json!({ "visitor": { "id": "v", "ip": "here" } })), "visitor.ip"),
        (with(json!({ "visitor": { "id": "v", "country": "Germany" } })), "visitor.country"),
        (with(json!({ "sent_at": "now" })), "sent_at"),
        (with(json!({ "sent_at": 1 })), "sent_at"),
        (with(json!({ "consent": "yes" })), "consent"),
        (with(json!({ "consent": true })), "consent"),
    ] {
        shop.send(&body).answer.invalid(&[field]);
    }
    let text = with(json!({})).to_string();
    for broken in
        [&text[..text.len() - 1], "", "{", "null garbage", &format!("{text}{text}"), &format!("\u{feff}{text}")]
    {
        shop.call().body(broken).send().refused(400, "malformed_body");
    }
    let padded = |size: usize| format!("{text}{}", " ".repeat(size - text.len()));
    shop.call().body(padded((512 << 10) + 1)).send().refused(413, "body_too_large");
    for media in [
        "application/x-www-form-urlencoded",
        "text/html",
        "application/json; charset=latin1",
        "text/plain; charset=utf-16",
    ] {
        let refused = shop.call().header("content-type", media).body(text.clone()).send();
        refused.refused(415, "unsupported_media_type");
    }
    for coding in ["br", "deflate", "gzip, gzip", "zstd"] {
        let refused = shop.call().header("content-encoding", coding).body(text.clone()).send();
        refused.refused(415, "unsupported_media_type");
    }
    assert_eq!(stored(&app), Vec::<Value>::new());
    // Bodies just within the limits are accepted.
    let most: Vec<Value> = (0..500).map(|_| custom(json!({}))).collect();
    assert_eq!(shop.take(&most).statuses(), vec!["ok"; 500]);
    shop.call().body(padded(512 << 10)).send().ok();
}

#[test]
fn bodies_come_as_json_as_text_or_in_gzip() {
    let (app, shop) = scene();
    let body = || json!({ "visitor": { "id": "v" }, "events": [custom(json!({}))] }).to_string();
    for media in
        ["application/json", "application/json; charset=utf-8", "text/plain", "text/plain;charset=UTF-8", "TEXT/PLAIN"]
    {
        shop.call().header("content-type", media).body(body()).send().ok();
    }
    // A beacon of raw bytes has no content type.
    shop.call().untyped(body()).send().ok();
    let zipped = |bytes: Vec<u8>| shop.call().header("content-encoding", "gzip").body(bytes).send();
    zipped(gzip(body().as_bytes())).ok();
    shop.call().header("content-encoding", "identity").body(body()).send().ok();
    let taken = stored(&app).len();
    assert_eq!(taken, 8);

    let mut broken = gzip(body().as_bytes());
    let length = broken.len();
    broken[length / 2] ^= 0xff;
    zipped(broken).refused(400, "malformed_body");
    let mut checksum = gzip(body().as_bytes());
    checksum[length - 6] ^= 1;
    zipped(checksum).refused(400, "malformed_body");
    let whole = gzip(body().as_bytes());
    zipped(whole[..whole.len() - 1].to_vec()).refused(400, "malformed_body");
    zipped(Vec::new()).refused(400, "malformed_body");
    zipped(body().into_bytes()).refused(400, "malformed_body");
    let two = [gzip(body().as_bytes()), gzip(b" ")].concat();
    zipped(two).refused(400, "malformed_body");
    zipped(gzip(&gzip(body().as_bytes()))).refused(400, "malformed_body");
    let spaces = gzip(&[body().into_bytes(), vec![b' '; 4 << 20]].concat());
    assert!(spaces.len() < 8 << 10);
    zipped(spaces).refused(413, "body_too_large");
    assert_eq!(stored(&app).len(), taken);
    let nearly = body();
    zipped(gzip(&[nearly.as_bytes(), &vec![b' '; (4 << 20) - nearly.len()]].concat())).ok();
}

#[test]
fn nothing_is_stored_of_who_does_not_want_it() {
    let (app, shop) = scene();
    let mut body = json!({ "visitor": { "id": "v-secret" }, "events": [custom(json!({})), custom(json!({}))] });
    body["consent"] = "denied".into();
    assert_eq!(shop.send(&body).statuses(), ["invalid", "invalid"]);
    assert_eq!(stored(&app), Vec::<Value>::new());
    for consent in ["granted", "unknown"] {
        body["consent"] = consent.into();
        body["events"] = json!([custom(json!({}))]);
        assert_eq!(shop.send(&body).statuses(), ["ok"]);
    }
    let stored = stored(&app);
    assert_eq!([&stored[0]["consent"], &stored[1]["consent"]], ["granted", "unknown"]);
}

#[test]
fn times_are_those_of_our_clock() {
    let (app, shop) = scene();
    for (sent_at, at, expect) in [
        // A correct clock.
        (Some("2026-03-01T10:00:00Z"), Some("2026-03-01T09:59:59.250Z"), "2026-03-01T09:59:59.250Z"),
        // An hour behind, and a day ahead.
        (Some("2026-03-01T09:00:00Z"), Some("2026-03-01T08:59:50Z"), "2026-03-01T09:59:50.000Z"),
        (Some("2026-03-02T10:00:00Z"), Some("2026-03-02T09:30:00+00:00"), "2026-03-01T09:30:00.000Z"),
        (Some("2026-03-01T12:00:00+02:00"), Some("2026-03-01T11:00:00+02:00"), "2026-03-01T09:00:00.000Z"),
        // Network delay is not a clock error, and does not change the correction of one.
        (Some("2026-03-01T09:59:57Z"), Some("2026-03-01T09:59:56.500Z"), "2026-03-01T09:59:56.500Z"),
        (Some("2026-03-01T08:59:57Z"), Some("2026-03-01T08:59:56.500Z"), "2026-03-01T09:59:56.500Z"),
        (Some("2026-03-01T10:59:57Z"), Some("2026-03-01T10:59:56.500Z"), "2026-03-01T09:59:56.500Z"),
        // Events cannot happen after their arrival.
        (Some("2026-03-01T10:00:00Z"), Some("2026-03-01T10:00:01Z"), NOW),
        (None, Some("2099-01-01T00:00:00Z"), NOW),
        (Some("9999-12-30T21:59:59Z"), Some("1970-01-01T00:00:00Z"), "1970-01-01T00:00:00.000Z"),
        (Some("1970-01-01T00:00:00Z"), Some("9999-12-30T21:59:59Z"), NOW),
        (None, Some("2026-02-01T00:00:00Z"), "2026-02-01T00:00:00.000Z"),
        (None, None, NOW),
        (Some("2026-03-01T09:00:00Z"), None, NOW),
    ] {
        let id = id();
        let mut event = json!({ "id": id, "type": "custom", "name": "x" });
        let mut body = json!({ "visitor": { "id": "v" } });
        if let Some(at) = at {
            event["at"] = at.into();
        }
        if let Some(sent_at) = sent_at {
            body["sent_at"] = sent_at.into();
        }
        body["events"] = json!([event]);
        assert_eq!(shop.send(&body).statuses(), ["ok"]);
        let stored = stored(&app);
        let last = stored.last().expect("an event");
        assert_eq!((&last["id"], &last["at"]), (&json!(id), &json!(expect)), "{sent_at:?} {at:?}");
        assert_eq!(last["received_at"], NOW);
    }
}

#[test]
fn who_sent_an_event_is_told_by_the_connection() {
    let (app, shop) = scene();
    let person = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
    let robot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    for (agent, is_bot) in [(Some(person), false), (Some(robot), true), (Some("curl/8.0"), true), (None, true)] {
        // Claims of an untrusted body about its sender are ignored.
        let visitor = json!({ "id": "v", "ip": "198.51.100.23", "user_agent": person, "country": "FR" });
        let body = json!({ "visitor": visitor, "events": [custom(json!({}))] }).to_string();
        let agent = agent.map(|agent| format!("User-Agent: {agent}\r\n")).unwrap_or_default();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: story\r\n{agent}X-Forwarded-For: 198.51.100.24\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            shop.path(),
            body.len()
        );
        raw::exchange(app.address, request.as_bytes()).ok();
        let stored = stored(&app);
        let last = stored.last().expect("an event");
        assert_eq!(last["bot"], is_bot, "{agent:?}: {last}");
        assert_eq!(last["network"], "127.0.0.0");
        assert_eq!(last.get("country"), None);
        if !is_bot {
            let seen = (&last["browser"], &last["os"], &last["device"]);
            assert_eq!(seen, (&json!("chrome"), &json!("windows"), &json!("desktop")), "{last}");
        }
    }
}

#[test]
fn no_whole_address_is_kept_anywhere() {
    let mut app = On::Sqlite.start_with(|settings| settings.trusted_proxies = "127.0.0.0/8".parse().expect("networks"));
    let client = app.project("Acme", "Shop");
    let shop = Collector::of(&client);
    let test_id = client.experiment(json!({ "status": 1, "test_name": "Kept" }));
    let addresses = ["203.0.113.77", "2001:db8:77:77:77:77:77:77", "198.51.100.177", "2001:db8:99:99:99:99:99:99"];
    for address in &addresses[..2] {
        let body = json!({ "visitor": { "id": "v" }, "events": [custom(json!({}))] });
        shop.call().header("x-forwarded-for", address).json(body).send().ok();
        shop.anyone
            .call("GET", &format!("/ruleset/{}", shop.project_key))
            .header("x-forwarded-for", address)
            .send()
            .ok();
        shop.anyone.call("GET", &format!("/geo/{}", shop.project_key)).header("x-forwarded-for", address).send().ok();
        client.call("GET", &format!("/experiment/{test_id}")).header("x-forwarded-for", address).send().ok();
    }
    for address in &addresses[2..] {
        let body = json!({ "visitor": { "id": "v", "ip": address }, "events": [custom(json!({}))] });
        shop.trusted.call("POST", "").json(body).send().ok();
    }
    let networks: Vec<Value> = stored(&app).iter().map(|event| event["network"].clone()).collect();
    assert_eq!(networks, ["203.0.113.0", "2001:db8:77::", "198.51.100.0", "2001:db8:99::"]);
    app.stop();
    // As text, and as the bytes of the address.
    let mut needles: Vec<Vec<u8>> = addresses.iter().map(|address| address.as_bytes().to_vec()).collect();
    needles.extend(addresses.iter().map(|address| match address.parse().expect("an address") {
        std::net::IpAddr::V4(address) => address.octets().to_vec(),
        std::net::IpAddr::V6(address) => address.octets().to_vec(),
    }));
    let mut files = 0;
    for (path, bytes) in crate::scene::files(&app.settings.storage.data_dir) {
        files += 1;
        for needle in &needles {
            assert!(!holds(&bytes, needle), "{} holds {}", path.display(), String::from_utf8_lossy(needle));
        }
    }
    // The lines of the log are compressed in its file, so the events themselves are searched.
    for (needle, event) in needles.iter().zip(stored(&app).iter().cycle()) {
        assert!(!holds(event.to_string().as_bytes(), needle), "{event}");
    }
    assert!(files >= 3, "{files} files were searched");
}

fn exposures_are_of_experiments_that_exist(on: On) {
    let app = on.start();
    let client = app.project("Acme", "Shop");
    let shop = Collector::of(&client);
    let stranger = app.project("Other", "Shop");
    let live = client.experiment(json!({ "status": 1 }));
    let draft = client.experiment(json!({ "test_name": "Draft" }));
    let foreign = stranger.experiment(json!({ "status": 1 }));
    let gone = client.experiment(json!({ "test_name": "Gone" }));
    client.delete(&format!("/experiment/{gone}")).has_status(200);
    for (test_id, variant_id, epoch, expect) in [
        (live, "0", Some(1), None),
        (live, "1", None, None),
        (live, "2", None, Some("variant_id is not a variant of this experiment")),
        (live, "999", None, Some("variant_id is not a variant of this experiment")),
        // The ruleset of another node may be newer than ours.
        (live, "1", Some(2), None),
        (live, "2", Some(2), None),
        (live, "50", Some(9_007_199_254_740_992_i64), None),
        (live, "51", Some(2), Some("variant_id is not a variant of this experiment")),
        (live, "2", Some(1), Some("variant_id is not a variant of this experiment")),
        (draft, "1", None, None),
        (draft, "1", Some(1), None),
        (draft, "2", None, Some("variant_id is not a variant of this experiment")),
        (foreign, "1", None, Some("test_id is not an experiment of this project")),
        (gone, "1", None, Some("test_id is not an experiment of this project")),
        (999_999, "1", None, Some("test_id is not an experiment of this project")),
        (9_007_199_254_740_992, "1", None, Some("test_id is not an experiment of this project")),
    ] {
        for kind in ["exposure", "health"] {
            let mut event = json!({ "id": id(), "type": kind, "test_id": test_id, "variant_id": variant_id });
            if let Some(epoch) = epoch.filter(|_| kind == "exposure") {
                event["epoch"] = epoch.into();
            } else if epoch.is_some() {
                continue;
            }
            let answer = shop.take(&[event.clone()]);
            let result = &answer.results()[0];
            let due = if expect.is_some() { "invalid" } else { "ok" };
            assert_eq!((result["status"].as_str(), result["message"].as_str()), (Some(due), expect), "{event}");
        }
    }
    // Later epochs count as soon as they begin.
    client.patch(&format!("/experiment/{live}"), json!({ "traffic_allocation": 50 }));
    client.set_status(live, 0).ok();
    client.set_status(live, 1).ok();
    let epoch = client.details(live)["epochs"].as_array().expect("epochs").len();
    let event = json!({ "id": id(), "type": "exposure", "test_id": live, "variant_id": "1", "epoch": epoch });
    assert_eq!(shop.take(&[event]).statuses(), ["ok"]);
    // The same holds for an arm, although it was refused a moment ago.
    let more = json!({ "variants": [{ "name": "Variant 1" }, { "name": "Variant 2" }] });
    client.patch(&format!("/experiment/{live}"), more).ok();
    let event = json!({ "id": id(), "type": "exposure", "test_id": live, "variant_id": "2" });
    assert_eq!(shop.take(&[event]).statuses(), ["ok"]);
}

fn events_of_servers_carry_a_key(on: On) {
    let app = on.start();
    let client = app.project("Acme", "Shop");
    let shop = Collector::of(&client);
    let visitor = json!({ "id": "v", "ip": "198.51.100.23", "country": "FR",
        "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0" });
    // A request with a key is trusted about the past, whatever `sent_at` says.
    let body = json!({ "sent_at": "2026-03-01T09:00:00Z", "visitor": visitor,
        "events": [custom(json!({ "at": "2026-02-01T00:00:00Z" })), custom(json!({ "at": "2027-01-01T00:00:00Z" })), custom(json!({}))] });
    shop.trusted.call("POST", "").json(body.clone()).send().ok();
    let stored_events = stored(&app);
    let times: Vec<&Value> = stored_events.iter().map(|event| &event["at"]).collect();
    assert_eq!(times, ["2026-02-01T00:00:00.000Z", NOW, NOW]);
    for event in &stored_events {
        let fields = [&event["network"], &event["country"], &event["browser"], &event["os"]];
        assert_eq!(fields, ["198.51.100.0", "FR", "firefox", "linux"]);
        assert_eq!(event["bot"], false);
        assert_eq!(event["visitor"], json!({ "id": "v" }));
    }
    // Omitted facts are unknown.
    let bare = json!({ "visitor": { "id": "w", "ip": null }, "events": [custom(json!({}))] });
    shop.trusted.call("POST", "").json(bare).send().ok();
    let last = stored(&app).pop().expect("an event");
    assert_eq!((last.get("network"), last.get("country"), &last["bot"]), (None, None, &json!(false)));

    let post = |key: Option<&str>| shop.trusted.with_key(key).call("POST", "").json(body.clone()).send();
    post(Some("mk_nobody")).refused(401, "unauthorized");
    // Credentials of a browser for the site are not one of our keys, so nothing in the request is trusted.
    let browsers = json!({ "visitor": visitor, "events": [custom(json!({}))] });
    shop.anyone.call("POST", &shop.path()).header("authorization", "Basic eDp5").json(browsers).send().ok();
    assert_ne!(stored(&app).pop().expect("an event").get("network"), Some(&json!("198.51.100.0")));
    let taken = stored(&app).len();
    let stranger = app.project("Other", "Shop");
    post(stranger.api_key.as_deref()).refused(404, "not_found");
    let reader = app.scoped(&client, "read");
    post(reader.api_key.as_deref()).refused(403, "missing_scope");
    let elsewhere = app.project("Acme", "Elsewhere");
    let limited = app.key(&client, |wanted| wanted.projects = vec![elsewhere.project_key.clone()]);
    post(limited.api_key.as_deref()).refused(404, "not_found");
    shop.anyone.call("POST", "/events/nobody").json(body.clone()).send().refused(404, "not_found");
    assert_eq!(stored(&app).len(), taken);
}

fn an_id_counts_once_in_each_project(on: On) {
    let app = on.start();
    let shop = Collector::of(&app.project("Acme", "Shop"));
    let other = Collector::of(&app.project("Other", "Shop"));
    let id = id();
    let event = |name: &str| custom(json!({ "id": id, "name": name }));
    assert_eq!(shop.take(&[event("ours")]).statuses(), ["ok"]);
    assert_eq!(other.take(&[event("theirs")]).statuses(), ["ok"]);
    assert_eq!(shop.take(&[event("ours again")]).statuses(), ["duplicate"]);
    assert_eq!(other.take(&[event("theirs again")]).statuses(), ["duplicate"]);
    // Ids are compared without regard to case.
    let loud = json!({ "id": id.to_uppercase(), "type": "custom", "name": "loud" });
    assert_eq!(shop.take(&[loud]).statuses(), ["duplicate"]);
    let mut stored: Vec<(String, String)> = stored(&app)
        .iter()
        .map(|event| [&event["project_key"], &event["name"]].map(|text| text.as_str().unwrap_or_default().to_owned()))
        .map(|[project, name]| (project, name))
        .collect();
    stored.sort();
    let mut expect = vec![(shop.project_key, "ours".to_owned()), (other.project_key, "theirs".to_owned())];
    expect.sort();
    assert_eq!(stored, expect);
}

fn repeats_are_known_after_a_restart(on: On) {
    let mut app = on.start();
    let client = app.project("Acme", "Shop");
    let events: Vec<Value> = (0..20).map(|_| custom(json!({}))).collect();
    assert_eq!(Collector::of(&client).take(&events).statuses(), vec!["ok"; 20]);
    for spoil in [false, true] {
        app.stop();
        if spoil {
            for (path, _) in crate::scene::files(&app.settings.storage.data_dir) {
                if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("seen-")) {
                    std::fs::remove_file(path).expect("an index to remove");
                }
            }
        }
        app.start_again();
        app.pass(Duration::from_secs(6 * 86_400 / 2));
        let shop = Collector::of(&client.at(app.address));
        assert_eq!(shop.take(&events).statuses(), vec!["duplicate"; 20]);
        assert_eq!(shop.take(&[custom(json!({}))]).statuses(), ["ok"]);
    }
    assert_eq!(stored(&app).len(), 22);
}
