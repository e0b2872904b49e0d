//! Live views of visitors.

use crate::launch::view;
use crate::scene::{Collector, id};
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, raw, stories};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

stories! {
    postgres_at_night: [
        a_visitor_is_watched,
        watching_is_bounded_and_ends,
        one_company_leaves_live_views_to_others,
    ],
}

/// A stream of messages.
struct Watch {
    lines: BufReader<TcpStream>,
}

impl Watch {
    #[track_caller]
    fn open(app: &TestApp, shop: &Client, visitor: &str) -> Watch {
        let mut stream = TcpStream::connect(app.address).expect("a connection");
        stream.set_read_timeout(Some(DEADLINE)).expect("a socket");
        let (key, base) = (shop.api_key.as_deref().expect("a key"), &shop.base);
        let request =
            format!("GET {base}/live?visitor={visitor} HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).expect("a head") > 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
        Watch { lines }
    }

    /// Returns the name and the data of the next message; `None` at the end of the stream.
    fn next(&mut self) -> Option<(String, Value)> {
        let (mut name, mut line) = (String::new(), String::new());
        loop {
            line.clear();
            if self.lines.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            if let Some(event) = line.trim_end().strip_prefix("event: ") {
                name = event.to_owned();
            } else if let Some(data) = line.trim_end().strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).expect("JSON")));
            }
        }
    }
}

fn a_visitor_is_watched(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let test_id = shop.experiment(json!({ "status": 1, "targeting": { "device_rule": ["mobile"] } }));
    let collector = Collector::of(&shop);
    let mut watch = Watch::open(&app, &shop, "v-1");
    assert_eq!(watch.next().expect("a message").0, "hello");
    let send = |visitor: &str, events: &[Value]| {
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";
        let visitor = json!({ "id": visitor, "user_agent": phone, "attributes": { "plan": "pro" } });
        collector.trusted.post("", json!({ "visitor": visitor, "events": events })).ok();
    };
    let event = view("https://shop.example/checkout");
    send("somebody else", &[view("https://shop.example/a")]);
    send("v-1", std::slice::from_ref(&event));
    // A repeated event sends no message.
    send("v-1", std::slice::from_ref(&event));
    send("v-1", &[json!({ "id": id(), "type": "custom", "name": "x", "at": "2026-03-01T10:00:00Z" })]);
    let (name, message) = watch.next().expect("a message");
    assert_eq!(
        (name.as_str(), &message["event"]["id"], &message["event"]["visitor"]["id"]),
        ("event", &event["id"], &json!("v-1"))
    );
    assert_eq!(message["missed"], 0);
    let (name, message) = watch.next().expect("a message");
    assert_eq!(name, "decisions");
    let decision = &message["decisions"][0];
    assert_eq!(
        (&decision["test_id"], &decision["in_experiment"], &decision["elsewhere"]),
        (&json!(test_id), &json!(true), &Value::Null)
    );
    assert!(
        decision["steps"].as_array().expect("steps").iter().any(|step| step["check"] == "device_rule"),
        "{decision}"
    );
    let (name, message) = watch.next().expect("a message");
    assert_eq!((name.as_str(), &message["event"]["name"]), ("event", &json!("x")));
    for (query, status) in [("", 400), ("?visitor=", 400), (&format!("?visitor={}", "x".repeat(129)), 400)] {
        assert_eq!(shop.get(&format!("/live{query}")).status, status, "{query}");
    }
    app.scoped(&shop, "write").get("/live?visitor=v").refused(403, "missing_scope");
}

/// Returns the error of a request for one more stream.
#[track_caller]
fn refused(app: &TestApp, client: &Client) -> String {
    let key = client.api_key.as_deref().expect("a key");
    let target = format!("{}/live?visitor=v", client.base);
    let text =
        format!("GET {target} HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n");
    raw::unchecked(app.address, text.as_bytes()).refused(503, "unavailable").body["error"].to_string()
}

fn one_company_leaves_live_views_to_others(on: On) {
    let app = on.start();
    let mut open = Vec::new();
    for name in ["Shop", "Blog"] {
        let project = app.project("Acme", name);
        open.extend((0..20).map(|_| Watch::open(&app, &project, "v")));
        assert!(refused(&app, &project).contains("20 visitors of this project"));
    }
    // A third project has no stream, but the company has the maximum number.
    assert!(
        refused(&app, &app.project("Acme", "App")).contains("40 visitors are already watched in the projects of this")
    );
    let bolt = app.project("Bolt", "Other");
    open.extend((0..20).map(|_| Watch::open(&app, &bolt, "v")));
    assert_eq!(open.len(), 60);
}

fn watching_is_bounded_and_ends(on: On) {
    let mut app = on.start();
    let shop = app.project("Acme", "Shop");
    let mut open: Vec<Watch> = (0..20).map(|_| Watch::open(&app, &shop, "v")).collect();
    refused(&app, &shop);
    // A closed stream makes room, once the server notices it.
    let (last, events) = (open.pop(), Collector::of(&shop));
    drop(last);
    let event = json!({ "type": "custom", "name": "x" });
    eventually("there is room again", DEADLINE, || {
        let mut event = event.clone();
        event["id"] = id().into();
        event["at"] = "2026-03-01T10:00:00Z".into();
        events.trusted.post("", json!({ "visitor": { "id": "v" }, "events": [event] })).ok();
        // Twenty-one at once are one too many.
        let mut stream = TcpStream::connect(app.address).expect("a connection");
        let (key, base) = (shop.api_key.as_deref().expect("a key"), &shop.base);
        let text = format!("GET {base}/live?visitor=v HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\n\r\n");
        stream.write_all(text.as_bytes()).expect("a request");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("a line");
        line.contains(" 200 ")
    });
    // A stopping server ends the streams. One that waits until its grace period is over cuts them off
    // without a last message.
    let mut watch = open.remove(0);
    let end = std::thread::spawn(move || {
        let mut last = String::new();
        while let Some((name, _)) = watch.next() {
            last = name;
        }
        last
    });
    app.stop();
    assert_eq!(end.join().expect("an end"), "bye");
    app.start_again();
}
