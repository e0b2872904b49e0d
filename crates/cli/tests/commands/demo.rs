//! Tests `muriel demo` as somebody who tries Muriel sees it.

use crate::{DEADLINE, Running, Server, muriel};
use serde_json::Value;
use std::fs::{self, File};
use std::thread;
use std::time::{Duration, Instant};

/// The first page that people open is that of the concluded experiments. Each has a result, and the demo prints neither
/// a warning nor an error until then.
#[test]
fn the_demo_begins_without_a_warning_and_stores_every_result() {
    let directory = tempfile::tempdir().unwrap();
    let errors = directory.path().join("stderr");
    let data_dir = directory.path().join("data");
    let mut command = muriel(&["demo", "--listen", "127.0.0.1:0", "--shop-listen", "127.0.0.1:0"], &data_dir);
    command.args(["--metrics-listen", "off", "--visitors-per-day", "200", "--days", "1", "--live-rate", "0"]);
    let running = Running::with_stderr(command, File::create(&errors).unwrap().into());
    let printed = || fs::read_to_string(&errors).unwrap();

    let first = running.line();
    let address = first.strip_prefix("muriel ready http://").unwrap_or_else(|| panic!("{first}")).to_owned();
    assert_eq!(printed(), "", "before the address");
    let mut welcome = String::new();
    while !welcome.contains(" visitors of the last 1 days") {
        welcome += &(running.line() + "\n");
    }
    for word in ["warn", "error", "fail", "older version", "earlier version"] {
        assert!(!welcome.to_lowercase().contains(word), "{word}: {welcome}");
    }
    let key = welcome.lines().find_map(|line| line.trim().strip_prefix("API key")).unwrap().trim();
    let server = Server { address, _running: running };

    let end = Instant::now() + DEADLINE;
    let programme = loop {
        let answer = server.answer("GET /v2/programme?limit=200", &[&format!("Authorization: Bearer {key}")], "");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        let programme: Value = serde_json::from_str(body).unwrap();
        if programme["without_estimate"]["no_result"] == 0 {
            break programme;
        }
        assert!(Instant::now() < end, "{}", programme["without_estimate"]);
        thread::sleep(Duration::from_millis(100));
    };
    let items = programme["items"].as_array().unwrap();
    assert!(items.len() > 6, "{items:?}");
    for item in items {
        assert!(item["visitors"].as_u64().is_some_and(|visitors| visitors > 0), "{item}");
        assert!(item["goal_key"].is_string() && item["lift"].is_number(), "{item}");
    }
    assert_eq!(printed(), "", "until every result is stored");
}
