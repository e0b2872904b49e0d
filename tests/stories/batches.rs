//! Events of many visitors in one request.

use crate::results::{DAY, Shop, bought, counts};
use crate::scene::{Collector, gzip, id, stored, stored_in};
use muriel_log::Reserve;
use muriel_tests::process::Process;
use muriel_tests::{Answer, Call, Client, On, TestApp, scratch, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        bodies_and_events_share_a_batch,
        a_line_that_is_wrong_keeps_no_other_out,
        what_is_sent_again_is_a_duplicate,
        history_counts_in_the_epochs_of_its_times,
        only_a_key_with_write_sends_a_batch,
        a_log_that_refuses_takes_nothing,
    ],
}

/// A customer's server, which sends batches of a project.
struct Server {
    client: Client,
}

impl Server {
    fn of(client: &Client) -> Self {
        let path = format!("/events/{}/batch", client.project_key);
        Collector::of(client);
        let mut client = client.clone();
        client.base = path;
        Self { client }
    }

    fn call(&self) -> Call<'_> {
        self.client.call("POST", "").header("content-type", "application/x-ndjson")
    }

    #[track_caller]
    fn send(&self, body: impl Into<Vec<u8>>) -> Answer {
        self.call().body(body).send()
    }

    #[track_caller]
    fn send_gzip(&self, body: &[u8]) -> Answer {
        self.call().header("content-encoding", "gzip").body(gzip(body)).send()
    }
}

fn scene(on: On) -> (TestApp, Server) {
    let app = on.start();
    let server = Server::of(&app.project("Acme", "Shop"));
    (app, server)
}

/// Builds an event of this visitor.
fn event(visitor: &str) -> Value {
    json!({ "id": id(), "type": "custom", "name": "x", "visitor": { "id": visitor } })
}

/// Builds a body of this visitor with this many events.
fn body(visitor: &str, events: usize) -> Value {
    let events: Vec<Value> = (0..events).map(|_| json!({ "id": id(), "type": "custom", "name": "x" })).collect();
    json!({ "visitor": { "id": visitor }, "events": events })
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Returns the outcomes of a 200.
#[track_caller]
fn outcomes(answer: Answer) -> Vec<Value> {
    let answer = answer.has_status(200);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    answer.lines()
}

/// Returns the statuses of all events, in order.
#[track_caller]
fn statuses(answer: Answer) -> Vec<String> {
    let of = |outcome: &Value| match outcome["results"].as_array() {
        Some(results) => results.clone(),
        None => vec![outcome.clone()],
    };
    let all = outcomes(answer).iter().flat_map(of).collect::<Vec<_>>();
    all.iter().map(|one| one["status"].as_str().expect("a status").to_owned()).collect()
}

fn bodies_and_events_share_a_batch(on: On) {
    let (app, server) = scene(on);
    let (one, other) = (body("v-1", 2), event("v-2"));
    let odd = json!({
        "id": id(), "type": "order", "name": "Purchase", "value": 5, "currency": "EUR", "at": "2025-12-24T18:00:00Z",
        "visitor": {
            "id": "v-3", "attributes": { "plan": "pro" }, "country": "DE", "ip": "203.0.113.9",
            "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        },
    });
    let quiet = json!({ "visitor": { "id": "v-4" }, "events": [] });
    let mut denied = event("v-5");
    denied["consent"] = "denied".into();
    let text = format!("\u{feff}{one}\r\n\n \t\n  {other}  \n{quiet}\n{denied}\n{odd}");
    let results = outcomes(server.send(text));
    let ok = |event: &Value| json!({ "id": event["id"], "status": "ok" });
    let at = |line: u32, mut outcome: Value| {
        outcome["line"] = line.into();
        outcome
    };
    let not_stored = json!({
        "id": denied["id"], "status": "invalid", "message": "not stored: the visitor's consent is denied",
    });
    assert_eq!(
        results,
        [
            json!({ "line": 1, "results": [ok(&one["events"][0]), ok(&one["events"][1])] }),
            at(4, ok(&other)),
            json!({ "line": 5, "results": [] }),
            at(6, not_stored),
            at(7, ok(&odd)),
        ]
    );
    let stored = stored(&app);
    let visitors: Vec<_> = stored.iter().map(|event| event["visitor"]["id"].as_str().unwrap_or_default()).collect();
    assert_eq!(visitors, ["v-1", "v-1", "v-2", "v-3"]);
    assert!(stored.iter().all(|event| event["vouched"] == true), "{stored:?}");
    let last = &stored[3];
    assert_eq!(last["at"], "2025-12-24T18:00:00.000Z");
    let fields = ["country", "browser", "network"].map(|field| last[field].as_str().unwrap_or_default());
    assert_eq!(fields, ["DE", "firefox", "203.0.113.0"]);
    assert_eq!(last["visitor"], json!({ "id": "v-3", "attributes": { "plan": "pro" } }));

    // Compressed bodies, also of several gzip members, and the other content type.
    let pieces = [gzip(lines(&[event("v-6")]).as_bytes()), gzip(lines(&[body("v-7", 3)]).as_bytes())].concat();
    let call = || server.client.call("POST", "").header("content-encoding", "gzip");
    let answer = call().header("content-type", "application/jsonl; charset=utf-8").body(pieces).send();
    assert_eq!(statuses(answer), ["ok"; 4]);
}

fn a_line_that_is_wrong_keeps_no_other_out(on: On) {
    let (app, server) = scene(on);
    let good = || event("v").to_string().into_bytes();
    let with = |fields: Value| {
        let mut event = event("v");
        event.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
        event.to_string().into_bytes()
    };
    let an_event = "4f1c2d1e-7d3e-4c11-9f60-2b8f1f0e6a55";
    let five_hundred = body("v", 501).to_string();
    let wrong: Vec<(Vec<u8>, &str)> = vec![
        (b"id,visitor".to_vec(), "the line is not JSON at column 1: 'i' where a value should be"),
        (b"{\"id\":\"caf\xe9\"}".to_vec(), "the line is not UTF-8 at column 11"),
        (b"[]".to_vec(), "the line must be a JSON object: an event with its visitor, or a body of events"),
        (b"{\"a\":1}{\"a\":1}".to_vec(), "the line is not JSON at column 8: '{' where the end of the line should be"),
        (b"{\"a\":1,\"a\":2}".to_vec(), "a appears twice"),
        (b"{\"a\":\"\x00\"}".to_vec(), "the line is not JSON at column 7: '\\0' where an escaped character should be"),
        (b"\xef\xbb\xbf{}".to_vec(), "the line is not JSON at column 1: '\\u{feff}' where a value should be"),
        (b"{}".to_vec(), "visitor is required"),
        (br#"{"visitor":{"id":"\u0000"}}"#.to_vec(), "visitor.id holds a NUL character"),
        (
            br#"{"visitor":{"id":""},"events":{}}"#.to_vec(),
            "events must be an array of events; visitor.id must have 1 to 128 characters",
        ),
        (five_hundred.into_bytes(), "events must have at most 500 entries"),
        (with(json!({ "visitor": { "id": "v", "ip": "here" } })), "visitor.ip must be an IP address"),
        (with(json!({ "consent": "yes" })), "consent must be granted, denied or unknown"),
        (
            with(json!({ "type": "exposure", "test_id": 9, "variant_id": "1" })),
            "test_id is not an experiment of this project",
        ),
        (with(json!({ "name": null, "at": "yesterday" })), "at must be"),
        (with(json!({ "properties": { "long": "x".repeat(33 << 10) } })), "must have at most 32 KiB"),
        (with(json!({ "properties": { "k".repeat(2_000): [] } })), "properties kkk"),
    ];
    let mut text = Vec::new();
    for (line, _) in &wrong {
        text.extend([line.clone(), b"\n".to_vec(), good(), b"\n".to_vec()].concat());
    }
    let results = outcomes(server.send(text));
    assert_eq!(results.len(), 2 * wrong.len());
    for (pair, ((line, expect), number)) in results.chunks(2).zip(wrong.iter().zip((1..).step_by(2))) {
        let line = String::from_utf8_lossy(&line[..line.len().min(100)]);
        assert_eq!((&pair[0]["line"], &pair[0]["status"]), (&json!(number), &json!("invalid")), "{line}");
        let message = pair[0]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(expect) && message.chars().count() <= 501, "{line}: {message}");
        assert_eq!((&pair[1]["line"], &pair[1]["status"]), (&json!(number + 1), &json!("ok")), "{line}");
    }
    assert_eq!(stored(&app).len(), wrong.len());

    // An error names the event's id if there is one, unless it is longer than ids may be.
    let no_visitor = |id: &str| json!({ "id": id, "type": "custom", "name": "x" });
    let results = outcomes(server.send(lines(&[no_visitor(an_event), no_visitor(&"x".repeat(65)), event("v")])));
    assert_eq!([&results[0]["id"], &results[1]["id"]], [&json!(an_event), &json!(null)]);
    // Repairs of an event are reported as in a single body.
    let mended = json!({ "id": id(), "type": "custom", "name": "x", "visitor": { "id": "v" } }).to_string();
    let mended = mended.replace("\"x\"", "\"\\u0000\"");
    let results = outcomes(server.send(mended));
    assert_eq!(
        (&results[0]["status"], &results[0]["note"]),
        (&json!("ok"), &json!("name holds a NUL character; it became U+FFFD"))
    );
}

fn what_is_sent_again_is_a_duplicate(on: On) {
    let (mut app, server) = scene(on);
    // More than the log takes at a time.
    let pad = || "x".repeat(30 << 10);
    let padded = |visitor: &str| {
        let mut event = event(visitor);
        event["properties"] = json!({ "pad": pad() });
        event
    };
    let mut all: Vec<Value> = (0..300).map(|number| padded(&format!("v-{number}"))).collect();
    all.push(body("v", 3));
    all.push(all[0].clone());
    let text = lines(&all);
    let results = statuses(server.send_gzip(text.as_bytes()));
    assert_eq!((results.len(), &results[..303]), (304, &vec!["ok".to_owned(); 303][..]));
    assert_eq!(results[303], "duplicate");
    assert_eq!(statuses(server.send_gzip(text.as_bytes())), vec!["duplicate"; 304]);
    // Duplicates are recognised in a body of one visitor as well, and after a restart.
    let mut single = server.client.clone();
    single.base = format!("/events/{}", server.client.project_key);
    let again = single.post("", all[300].clone()).ok()["results"].clone();
    assert!(again.as_array().expect("results").iter().all(|result| result["status"] == "duplicate"), "{again}");
    app.stop();
    app.start_again();
    let server = Server { client: server.client.at(app.address) };
    assert_eq!(statuses(server.send_gzip(text.as_bytes())), vec!["duplicate"; 304]);
    assert_eq!(stored(&app).len(), 303);
}

/// Builds lines with exposures of this many visitors per arm. The first of them send `event` an hour later.
fn crowd(shop: &Shop, name: &str, arms: &[(&str, u32, u32)], at: &str, event: &Value) -> Vec<Value> {
    let later = at.replacen("T10", "T11", 1);
    let mut lines = Vec::new();
    for (arm, visitors, converted) in arms {
        for number in 0..*visitors {
            let visitor = json!({ "id": format!("{name}-{arm}-{number}") });
            let line = |mut event: Value| {
                event["id"] = id().into();
                event["visitor"] = visitor.clone();
                event
            };
            lines.push(line(shop.exposure(arm, at)));
            if number < *converted {
                let mut event = event.clone();
                event["at"] = later.clone().into();
                lines.push(line(event));
            }
        }
    }
    lines
}

fn history_counts_in_the_epochs_of_its_times(on: On) {
    // A test that ran elsewhere: a month of its events arrives before it is started here, with a start in the past.
    let shop = Shop::open(on, json!({ "status": 9, "plan": { "visitors": 500 } }));
    let server = Server::of(&shop.client);
    let history = crowd(&shop, "old", &[("0", 100, 10), ("1", 100, 30)], "2026-02-02T10:00:00Z", &bought());
    let results = outcomes(server.send_gzip(lines(&history).as_bytes()));
    assert_eq!(results.len(), history.len());
    assert!(results.iter().all(|outcome| outcome["status"] == "ok"), "{results:?}");
    let note = results[0]["note"].as_str().unwrap_or_default();
    assert!(note.starts_with("the experiment has not started"), "{note}");
    let start = json!({ "status": 1, "started_at": "2026-02-01T00:00:00.000Z" });
    shop.client.patch(&format!("/experiment/{}/status", shop.test_id), start).ok();
    assert_eq!(counts(&shop.result("")), [(100, 10), (100, 30)]);

    // After the weights change, events dated earlier count in the epoch of their time, whenever they arrive.
    shop.app.pass(DAY);
    let uneven = json!({ "configuration": { "distribution": { "Control": 90, "Variant 1": 10 } } });
    shop.client.patch(&format!("/experiment/{}", shop.test_id), uneven).ok();
    shop.app.pass(DAY);
    let late = crowd(&shop, "late", &[("0", 20, 0), ("1", 20, 5)], "2026-02-20T10:00:00Z", &bought());
    let new = crowd(&shop, "new", &[("0", 90, 9), ("1", 10, 2)], "2026-03-02T10:30:00Z", &bought());
    assert!(statuses(server.send(lines(&[late, new].concat()))).iter().all(|status| status == "ok"));
    assert_eq!(counts(&shop.result("?epoch=1")), [(120, 10), (120, 35)]);
    assert_eq!(counts(&shop.result("?epoch=2")), [(90, 9), (10, 2)]);
}

fn only_a_key_with_write_sends_a_batch(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    let other = app.project("Other", "Shop");
    let good = lines(&[event("v")]);
    let send = |client: &Client| Server::of(client).send(good.clone());
    send(&shop.with_key(None)).refused(401, "unauthorized");
    send(&shop.with_key(Some("mk_nobody"))).refused(401, "unauthorized");
    for scopes in ["read", "evaluate", "admin", "code"] {
        let refused = send(&app.scoped(&shop, scopes)).refused(403, "missing_scope");
        assert_eq!(refused.body["error"], "the API key lacks the scope write");
    }
    // Keys of another company, and a key that is limited to another project.
    let nowhere = Server { client: Server::of(&shop).client.with_key(other.api_key.as_deref()) };
    nowhere.send(good.clone()).refused(404, "not_found");
    let limited = app.key(&shop, |wanted| wanted.projects = vec![shop.project_key.clone()]);
    send(&limited.in_project(&blog.project_key)).refused(404, "not_found");
    let mut unknown = Server::of(&shop).client;
    unknown.base = "/events/prj_unknown/batch".to_owned();
    Server { client: unknown }.send(good.clone()).refused(404, "not_found");
    assert_eq!(stored(&app), Vec::<Value>::new());
    assert_eq!(statuses(send(&limited)), ["ok"]);
    // Pages of other origins cannot send batches.
    let answer = Server::of(&shop).call().header("origin", "https://shop.example").body(good.clone()).send();
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

fn a_log_that_refuses_takes_nothing(on: On) {
    let mut app = on.start_with(|settings| settings.log.reserve = Reserve::Bytes(u64::MAX));
    let client = app.project("Acme", "Shop");
    let batch = lines(&[event("v"), body("w", 2)]);
    let refused = Server::of(&client).send(batch.clone()).refused(503, "unavailable");
    assert!((1..=60).contains(&refused.header_number("retry-after")));
    app.stop();
    app.settings.log.reserve = Reserve::Usual;
    app.start_again();
    assert_eq!(stored(&app), Vec::<Value>::new());
    let server = Server::of(&client.at(app.address));
    assert_eq!(statuses(server.send(batch.clone())), ["ok"; 3]);
    assert_eq!(statuses(server.send(batch)), ["duplicate"; 3]);
}

#[test]
fn what_cannot_be_read_to_its_end_stores_nothing() {
    let (app, server) = scene(On::Sqlite);
    let good = lines(&[event("v")]);
    let whole = gzip(good.as_bytes());
    let zipped = |bytes: Vec<u8>| server.call().header("content-encoding", "gzip").body(bytes).send();
    let mut broken = whole.clone();
    let at = broken.len() - 6;
    broken[at] ^= 1;
    for bytes in [
        whole[..whole.len() - 1].to_vec(),
        whole[..whole.len() / 2].to_vec(),
        broken,
        good.clone().into_bytes(),
        [whole.clone(), b"more".to_vec()].concat(),
        Vec::new(),
    ] {
        let refused = zipped(bytes).refused(400, "malformed_body");
        assert_eq!(refused.body["error"], "the body is not valid gzip, or is incomplete");
    }
    for nothing in ["", "\n", " \r\n\t\n", "\u{feff}"] {
        let refused = server.send(nothing).refused(400, "malformed_body");
        assert_eq!(refused.body["error"], "the body has no lines; send one JSON object per line");
    }
    // None of these lines can be parsed, so the body is not JSON lines.
    let utf_16: Vec<u8> = format!("\u{feff}{good}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let pretty = serde_json::to_string_pretty(&json!([event("v")])).expect("JSON");
    for (text, why) in [
        (b"id,type,visitor\n1,custom,v\n".to_vec(), "the line is not JSON at column 1: 'i' where a value should be"),
        (utf_16, "the line is not UTF-8 at column 1"),
        (pretty.into_bytes(), "the line is not JSON at column 2: it ends where a value should be"),
        (b"\xff\xfe".to_vec(), "the line is not UTF-8 at column 1"),
        (b"{}\n[]\n".to_vec(), "visitor is required"),
    ] {
        let refused = server.send(text).refused(400, "malformed_body");
        assert_eq!(refused.body["error"], format!("no line of the body can be read; line 1: {why}"));
    }
    let too_many = [good.clone().into_bytes(), b"\n".repeat(100_000)].concat();
    let refused = server.send(too_many).refused(400, "malformed_body");
    assert_eq!(refused.body["error"], "the body has more than 100000 lines; send them in several requests");
    for media in ["application/json", "text/plain", "application/x-ndjson; charset=latin1", ""] {
        let refused = server.client.call("POST", "").header("content-type", media).body(good.clone()).send();
        refused.refused(415, "unsupported_media_type");
    }
    server.client.call("POST", "").untyped(good.clone()).send().refused(415, "unsupported_media_type");
    for coding in ["br", "deflate", "gzip, gzip", "zstd"] {
        let refused = server.call().header("content-encoding", coding).body(good.clone()).send();
        refused.refused(415, "unsupported_media_type");
    }
    assert_eq!(stored(&app), Vec::<Value>::new());
    // Just within the limits.
    let most = [good.into_bytes(), b"\n".repeat(99_999)].concat();
    assert_eq!(statuses(server.send(most)), ["ok"]);
}

#[test]
fn a_batch_has_at_most_100_000_events() {
    let (_app, server) = scene(On::Sqlite);
    let nothing = format!("{{\"visitor\":{{\"id\":\"v\"}},\"events\":[0{}]}}\n", ",0".repeat(499));
    let text = [nothing.repeat(200), lines(&[event("late")])].concat();
    let results = outcomes(server.send_gzip(text.as_bytes()));
    assert_eq!(results.len(), 201);
    assert_eq!(results[199]["results"].as_array().map(Vec::len), Some(500));
    assert_eq!(
        results[199]["results"][499],
        json!({ "id": null, "status": "invalid", "message": "must be an object" })
    );
    let message = results[200]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("not stored: this line takes the batch over 100000 events"), "{message}");
}

#[test]
fn a_bomb_takes_little_memory() {
    /// Maximum memory growth of a request, in addition to the program's own memory.
    const MAX_MEMORY_GROWTH: u64 = 64 << 20;
    let folder = scratch();
    let data_dir = folder.path().join("data");
    let process = Process::start(&data_dir, &[]);
    let server = Server::of(&process.project("Acme", "Shop"));
    let good = || lines(&[event("v")]).into_bytes();
    assert_eq!(statuses(server.send(good())), ["ok"]);
    let (before, _) = process.memory();
    let many = |line: &str, bytes: usize| line.repeat(bytes / line.len()).into_bytes();
    for (what, bomb, expect) in [
        ("one line of 64 MiB", many("[", (64 << 20) - 400), 200),
        ("more than 64 MiB", many(" ", 64 << 20), 413),
        ("many blank lines", many("\n", 64 << 20), 400),
        ("deep lines of 4 MiB", [many("[", 4 << 20), b"\n".to_vec()].concat().repeat(15), 200),
        ("lines of many values", [many("[0,", 4 << 20), b"\n".to_vec()].concat().repeat(15), 200),
    ] {
        let bomb = gzip(&[good(), bomb].concat());
        assert!(bomb.len() <= 256 << 10, "{what}: {} bytes", bomb.len());
        let answer = server.call().header("content-encoding", "gzip").body(bomb).send().has_status(expect);
        if expect == 200 {
            let results = answer.lines();
            assert_eq!((&results[0]["status"], &results[1]["status"]), (&json!("ok"), &json!("invalid")), "{what}");
        }
        let (_, most) = process.memory();
        assert!(
            most.saturating_sub(before) <= MAX_MEMORY_GROWTH,
            "{what}: from {} to {} MiB",
            before >> 20,
            most >> 20
        );
    }
    // Too large uncompressed.
    let refused = server.send(many(" ", (8 << 20) + 1));
    refused.refused(413, "body_too_large");
    assert_eq!(statuses(server.send(good())), ["ok"]);
    assert_eq!(stored_in(&data_dir).len(), 5);
}
