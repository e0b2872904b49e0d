//! Tests of `muriel log …`.

use crate::{Running, Server, json_output, muriel, refuses, run, says};
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, Reserve};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uuid::Uuid;

const DAY: &str = "2026-03-01T10:00:00.000Z";

fn counted(directory: &Path, words: &[&str]) -> Value {
    let words: Vec<_> = ["log", "count", "--json"].iter().chain(words).copied().collect();
    json_output(&words, directory)
}

fn record(project_key: &str, number: u128, received_at: Instant) -> Value {
    json!({
        "id": Uuid::from_u128(number + 1).to_string(),
        "type": "order",
        "project_key": project_key,
        "at": "2026-02-27T09:59:58.125Z",
        "received_at": received_at,
        "visitor": { "id": format!("v-{number}") },
        "bot": false,
        "name": "Purchase",
        "value": 0.1 + number as f64,
        "currency": "EUR",
    })
}

/// Stores events of a project in batches of 100.
fn store(directory: &Path, project_key: &str, numbers: std::ops::Range<u128>, received_at: Instant, roll_bytes: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let options = LogOptions { roll_bytes, reserve: Reserve::Bytes(0), ..LogOptions::default() };
    let log = Log::open(directory, options).unwrap();
    for hundred in numbers.clone().step_by(100) {
        let mut batch = Batch { project_key: project_key.into(), received_at, events: Vec::new(), lines: Vec::new() };
        for number in hundred..(hundred + 100).min(numbers.end) {
            batch.lines.extend_from_slice(record(project_key, number, received_at).to_string().as_bytes());
            batch.lines.push(b'\n');
            batch.events.push(BatchEvent {
                id: Uuid::from_u128(number + 1),
                scope: DedupScope::PROJECT,
                end: batch.lines.len(),
            });
        }
        runtime.block_on(log.append(batch)).unwrap();
    }
    runtime.block_on(log.close()).unwrap();
}

fn moment(text: &str) -> Instant {
    Instant::parse(text).unwrap()
}

fn now() -> Instant {
    Instant::from_us(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as i64)
}

const USUAL: u64 = 1 << 30;

#[test]
fn what_is_not_there_is_said_in_a_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    for what in ["count", "tail", "verify", "export", "prune"] {
        let words = if what == "prune" { vec!["log", what, "--older-than", "7"] } else { vec!["log", what] };
        let (_, said) = refuses(&words, &missing);
        assert_eq!(
            said,
            format!("muriel: there is no Muriel data in {}; name its directory with --data-dir\n", missing.display())
        );
        let (_, said) = refuses(&words, directory.path());
        assert!(
            said.starts_with(&format!("muriel: there is no event log in {}; ", directory.path().display())),
            "{said}"
        );
    }
    assert!(!missing.exists());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "nothing was begun");
    let (_, said) = refuses(&["log", "import", "no-such-file"], directory.path());
    assert!(said.starts_with("muriel: cannot read no-such-file: "), "{said}");
    let said = run(&["log", "count", "--from", "yesterday"], directory.path());
    assert!(String::from_utf8_lossy(&said.stderr).contains("must be an ISO 8601 date"));
}

#[test]
fn events_are_counted_by_project_and_day() {
    let directory = tempfile::tempdir().unwrap();
    store(directory.path(), "prj_a", 0..250, moment(DAY), USUAL);
    store(directory.path(), "prj_b", 0..30, moment("2026-03-02T00:00:00Z"), USUAL);
    assert_eq!(
        says(&["log", "count"], directory.path()),
        "PROJECT        EVENTS\nprj_a             250\nprj_b              30\ntotal             280\n"
    );
    let counts = counted(directory.path(), &["--by", "day"]);
    assert_eq!(counts["counts"][1], json!({ "day": "2026-03-02", "project_key": "prj_b", "events": 30 }));
    for (words, expect) in [
        (vec!["--project", "prj_a"], 250),
        (vec!["--project", "prj_none"], 0),
        (vec!["--from", "2026-03-02"], 30),
        (vec!["--to", "2026-03-02"], 250),
        (vec!["--from", "2026-03-01T10:00:00Z", "--to", "2026-03-01T10:00:01Z"], 250),
        (vec!["--from", "2026-03-01T12:00:00+01:00"], 30),
    ] {
        assert_eq!(counted(directory.path(), &words)["events"], expect, "{words:?}");
    }
}

#[test]
fn what_is_exported_can_be_imported_elsewhere() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(from.path(), "prj_a", 0..1_234, moment(DAY), 1 << 14);
    store(from.path(), "prj_b", 0..30, moment("2026-03-20"), USUAL);
    let exported = says(&["log", "export"], from.path());
    assert_eq!(exported.lines().count(), 1_264);
    assert_eq!(
        serde_json::from_str::<Value>(exported.lines().next().unwrap()).unwrap(),
        record("prj_a", 0, moment(DAY))
    );
    assert_eq!(says(&["log", "export", "--project", "prj_b"], from.path()).lines().count(), 30);

    let file = to.path().join("events.jsonl");
    fs::write(&file, &exported).unwrap();
    let other = to.path().join("made/here");
    assert_eq!(says(&["log", "import", file.to_str().unwrap()], &other), "1264 new, 0 repeated, 0 refused\n");
    assert_eq!(counted(&other, &["--by", "day"]), counted(from.path(), &["--by", "day"]));
    assert_eq!(says(&["log", "export"], &other), exported, "to the byte");
    says(&["log", "verify"], &other);

    // Again, through a pipe, after the time for which the log itself detects repeats.
    let mut again =
        muriel(&["log", "import", "-", "--json"], &other).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    again.stdin.take().unwrap().write_all(exported.as_bytes()).unwrap();
    let said: Value = serde_json::from_slice(&again.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(said, json!({ "new": 0, "repeated": 1_264, "refused": 0 }));
    assert_eq!(counted(&other, &[])["events"], 1_264);

    let words = ["log", "import", file.to_str().unwrap(), "--project", "prj_c"];
    // Both projects have events with the same ids; in one project they count once.
    assert_eq!(says(&words, &other), "1234 new, 30 repeated, 0 refused\n");
    let moved = says(&["log", "export", "--project", "prj_c"], &other);
    let moved: Value = serde_json::from_str(moved.lines().last().unwrap()).unwrap();
    assert_eq!(moved, record("prj_c", 1_233, moment(DAY)));
}

#[test]
fn lines_that_are_no_events_are_told_and_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let good = |number| record("prj_a", number, moment(DAY)).to_string();
    let with = |name: &str, value: Value| {
        let mut record = record("prj_a", 9, moment(DAY));
        record[name] = value;
        record.to_string()
    };
    let long = "x".repeat(70_000);
    let lines = [
        good(0),
        String::new(),
        "{\"id\":".to_owned(),
        "[]".to_owned(),
        with("type", "other".into()),
        with("visitor", json!({ "id": "" })),
        with("id", Uuid::nil().to_string().into()),
        with("at", "yesterday".into()),
        with("session", long.into()),
        good(1),
        good(1),
    ];
    let file = directory.path().join("events.jsonl");
    fs::write(&file, lines.join("\n")).unwrap();
    let log = directory.path().join("log");
    let (said, complained) = refuses(&["log", "import", file.to_str().unwrap()], &log);
    assert_eq!(said, "2 new, 1 repeated, 7 refused\n");
    for number in 3..=9 {
        assert!(complained.contains(&format!("muriel: line {number} is not an event: ")), "{complained}");
    }
    assert!(complained.ends_with("muriel: 7 lines were refused; every other event is in the log\n"), "{complained}");
    assert_eq!(counted(&log, &[])["events"], 2);
}

#[test]
fn all_that_is_wrong_with_a_line_is_told_by_its_fields() {
    let directory = tempfile::tempdir().unwrap();
    let mut record = record("prj_a", 9, moment(DAY));
    record["visitor"] = "v".into();
    record["value"] = "12".into();
    record.as_object_mut().unwrap().remove("received_at");
    let file = directory.path().join("events.jsonl");
    fs::write(&file, record.to_string()).unwrap();
    let (_, complained) = refuses(&["log", "import", file.to_str().unwrap()], &directory.path().join("log"));
    let expect =
        "muriel: line 1 is not an event: received_at is required; visitor must be an object; value must be a number\n";
    assert!(complained.starts_with(expect), "{complained}");
}

#[test]
fn history_is_stored_in_few_blocks() {
    let directory = tempfile::tempdir().unwrap();
    // Two projects in turn, an event every twenty seconds, past midnight.
    let projects = ["prj_a", "prj_b"];
    let lines: Vec<String> = (0..3_600_u128)
        .map(|number| {
            let received_at = moment(DAY).plus_us(number as i64 * 20_000_000);
            record(projects[(number % 2) as usize], number, received_at).to_string()
        })
        .collect();
    let file = directory.path().join("events.jsonl");
    fs::write(&file, lines.join("\n")).unwrap();
    let log = directory.path().join("log");
    assert_eq!(says(&["log", "import", file.to_str().unwrap()], &log), "3600 new, 0 repeated, 0 refused\n");
    let verified = json_output(&["log", "verify", "--json"], &log);
    assert_eq!(verified["events"], 3_600);
    assert!(verified["blocks"].as_u64().unwrap() <= 2 * 21, "{verified}");
    // Each event counts on its day of receipt: an hour begins at midnight.
    assert_eq!(counted(&log, &["--to", "2026-03-02"])["events"], 14 * 180);
    assert_eq!(counted(&log, &["--from", "2026-03-02"])["events"], 6 * 180);
    // Repeated events are detected.
    assert_eq!(says(&["log", "import", file.to_str().unwrap()], &log), "0 new, 3600 repeated, 0 refused\n");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    store(directory.path(), "prj_a", 0..3_000, moment(DAY), USUAL);
    let mut export =
        muriel(&["log", "export"], directory.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(export.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with('{'));
    let ended = export.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(ended.stderr.is_empty());
}

#[test]
fn damage_is_found_and_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    store(directory.path(), "prj_a", 0..300, moment(DAY), USUAL);
    let whole = says(&["log", "verify"], directory.path());
    assert!(whole.starts_with("blocks      3, from 1 to 3\nevents      300\nfirst hash  "), "{whole}");
    let verified = json_output(&["log", "verify", "--json"], directory.path());
    assert_eq!((&verified["whole"], verified["last_hash"].as_str().unwrap().len()), (&json!(true), 64));

    let path = directory.path().join("log.db");
    let mut bytes = fs::read(&path).unwrap();
    let frame = bytes.windows(4).position(|four| four == [0x28, 0xb5, 0x2f, 0xfd]).unwrap();
    // SQLite keeps copies of moved rows, of which one is valid.
    let body = bytes[frame..frame + 200].to_vec();
    let copies = bytes.windows(200).enumerate().filter(|(_, part)| *part == body).map(|(at, _)| at);
    for copy in copies.collect::<Vec<_>>() {
        bytes[copy + 50] ^= 0x55;
    }
    fs::write(&path, bytes).unwrap();
    let (said, complained) = refuses(&["log", "verify"], directory.path());
    assert!(said.contains("\ndamaged     1\n"), "{said}");
    assert!(complained.starts_with("muriel: the event log is damaged: block "), "{complained}");
    let (exported, complained) = refuses(&["log", "export"], directory.path());
    assert_eq!(exported.lines().count(), 200);
    assert!(complained.starts_with("muriel: damaged: block "), "{complained}");
    // Counting, which does not open blocks, still works.
    assert_eq!(counted(directory.path(), &[])["events"], 300);
}

#[test]
fn old_files_are_deleted_when_asked() {
    let directory = tempfile::tempdir().unwrap();
    store(directory.path(), "prj_a", 0..200, now().plus_us(-40 * DAY_US), 1);
    // File times as if written when the events arrived.
    let written = SystemTime::now() - Duration::from_secs(40 * 86_400);
    for entry in fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with("log-") {
            fs::File::options().append(true).open(entry.path()).unwrap().set_modified(written).unwrap();
        }
    }
    store(directory.path(), "prj_a", 200..400, now(), 1);
    let files = || {
        let names = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("log-")).count()
    };
    let before = files();
    assert!(before >= 2, "{before}");
    let none = says(&["log", "prune", "--older-than", "60"], directory.path());
    assert!(none.starts_with("No closed file is older than 60 days"), "{none}");
    // Deleting half of the log at once suggests a clock that is ahead.
    let (_, refused) = refuses(&["log", "prune", "--older-than", "30"], directory.path());
    assert!(refused.contains("more than a tenth. Check the machine's clock"), "{refused}");
    assert_eq!((files(), &*refused.matches("--force").collect::<String>()), (before, "--force"));
    let said = says(&["log", "prune", "--older-than", "30", "--force"], directory.path());
    assert!(said.starts_with("Deleted ") && files() < before, "{said}");
    assert_eq!(counted(directory.path(), &[])["events"], 200);
    let wrong = run(&["log", "prune", "--older-than", "0"], directory.path());
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn tail_follows_a_server_and_import_works_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let made = json_output(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], directory.path());
    let project_key = made["project_key"].as_str().unwrap();
    // Rolls the log file after each MiB.
    let server = Server::start(&["--log-roll", "1"], directory.path());
    let send = |number: u128, pad: usize| {
        let id = Uuid::from_u128((0x0195 << 112) + (7 << 76) + (8 << 60) + number);
        let body = json!({
            "visitor": { "id": "v" },
            "events": [{
                "id": id.to_string(), "type": "custom", "name": format!("n{number}"),
                // Data that cannot be compressed.
                "properties": { "pad": (0..pad).map(|at| Uuid::now_v7().as_u128().rotate_left(at as u32).to_string()).collect::<String>() },
            }],
        })
        .to_string();
        let answer = server.answer(&format!("POST /events/{project_key}"), &["User-Agent: Mozilla/5.0"], &body);
        assert!(answer.contains("\"status\":\"ok\""), "{answer}");
    };
    for number in 0..5 {
        send(number, 0);
    }
    let name = |line: String| serde_json::from_str::<Value>(&line).unwrap()["name"].as_str().unwrap().to_owned();
    let tail = Running::start(muriel(&["log", "tail", "-n", "2", "--project", project_key], directory.path()));
    assert_eq!([name(tail.line()), name(tail.line())], ["n3", "n4"]);
    let rolled = || {
        let mut names = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.any(|name| name.to_string_lossy().starts_with("log-"))
    };
    let mut sent = 5;
    while !rolled() || sent < 20 {
        assert!(sent < 5_000, "the log was not rolled");
        send(sent, 500);
        sent += 1;
    }
    send(sent, 0);
    for number in 5..=sent {
        assert_eq!(name(tail.line()), format!("n{number}"));
    }

    let file = directory.path().join("events.jsonl");
    let lines: Vec<String> = (0..50).map(|number| record(project_key, number, moment(DAY)).to_string()).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let words = ["log", "import", file.to_str().unwrap()];
    // Events are not stored in a project where no result would count them.
    let (_, complained) = refuses(&[&words[..], &["--project", "prj_typo"]].concat(), directory.path());
    assert!(complained.contains("there is no project with the key prj_typo"), "{complained}");
    assert_eq!(says(&words, directory.path()), "50 new, 0 repeated, 0 refused\n");
    send(sent + 1, 0);
    for _ in 0..50 {
        assert_eq!(name(tail.line()), "Purchase");
    }
    assert_eq!(name(tail.line()), format!("n{}", sent + 1));
    assert_eq!(counted(directory.path(), &[])["events"], 52 + sent as u64);
    says(&["log", "verify"], directory.path());
}

#[test]
fn a_start_with_a_clock_behind_the_newest_events_is_told() {
    const DAY_US: i64 = 86_400_000_000;
    for (ahead_us, is_warned) in [(DAY_US, true), (-DAY_US, false)] {
        let directory = tempfile::tempdir().unwrap();
        store(directory.path(), "prj_a", 0..1, now().plus_us(ahead_us), USUAL);
        let words = ["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--log-level", "warn"];
        let mut child = muriel(&words, directory.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        assert!(line.starts_with("muriel ready"), "{said}");
        assert_eq!(said.contains("the newest events were received on"), is_warned, "{ahead_us}: {said}");
        assert_eq!(counted(directory.path(), &[])["events"], 1);
    }
}
