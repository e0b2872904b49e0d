//! Checks that a result has every event acknowledged before the request: a server that is queried
//! continuously, while its warehouse lags, answers 503 or the complete result.

use crate::scene::{Collector, id, stored_in};
use muriel_tests::process::{Process, command, program};
use muriel_tests::{Answer, Client, DEADLINE, eventually, scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

/// An experiment whose visitors are counted as they are sent.
struct Scene {
    client: Client,
    collector: Collector,
    test_id: i64,
    /// Number of visitors whose exposures were acknowledged.
    visitors: u64,
}

impl Scene {
    fn new(server: &Process) -> Self {
        let client = server.project("Acme", "Shop");
        client.goal("bought");
        let test_id = client.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
        let collector = Collector::of(&client);
        Self { client, collector, test_id, visitors: 0 }
    }

    /// Sends exposures of this many new visitors, one request each.
    fn send(&mut self, visitors: u64) {
        for _ in 0..visitors {
            let event = json!({
                "id": id(), "type": "exposure", "test_id": self.test_id, "variant_id": (self.visitors % 2).to_string(),
            });
            let body = json!({ "visitor": { "id": format!("v-{}", self.visitors) }, "events": [event] });
            self.collector.trusted.post("", body).ok();
            self.visitors += 1;
        }
    }

    /// Switches to a restarted server.
    fn at(&mut self, server: &Process) {
        self.client = self.client.at(server.address);
        self.collector.trusted = self.collector.trusted.at(server.address);
    }

    fn get(&self, what: &str) -> Answer {
        self.client.get(&format!("/experiment/{}/{what}", self.test_id))
    }

    /// Requests the result in each form until all have succeeded. Each response is a 503 or has all
    /// visitors. Returns the number of 503 responses.
    #[track_caller]
    fn wait_for_results(&self) -> u32 {
        let mut refused = 0;
        for form in ["result", "result?breakdown_by=device", "result.csv", "timeseries"] {
            eventually(form, DEADLINE, || match self.visitors_in(form) {
                Some(visitors) => {
                    assert_eq!(visitors, self.visitors, "{form}");
                    true
                }
                None => {
                    refused += 1;
                    false
                }
            });
        }
        refused
    }

    /// Returns the visitors in a response; `None` for a 503 with a retry delay.
    #[track_caller]
    fn visitors_in(&self, form: &str) -> Option<u64> {
        let answer = self.get(form);
        if answer.status == 503 {
            assert!((1..=60).contains(&answer.header_number("retry-after")), "{answer:?}");
            return None;
        }
        let answer = answer.has_status(200);
        Some(match form {
            "timeseries" => {
                let points = answer.body["timeseries"].as_array().expect("a list");
                let last: Vec<_> = points.iter().rev().take(2).collect();
                last.iter().map(|point| point["visitors"].as_u64().expect("a number")).sum()
            }
            "result.csv" => {
                let text = answer.text();
                let lines = text.lines().filter(|line| line.starts_with("bought,"));
                lines
                    .map(|line| line.split(',').nth(8).and_then(|cell| cell.parse::<u64>().ok()).expect("a number"))
                    .sum()
            }
            _ => answer.body["total_visitors"].as_u64().expect("a number"),
        })
    }
}

fn muriel(words: &[&str], data_dir: &Path) -> Output {
    let program = program(None).unwrap_or_else(|error| panic!("{error}"));
    command(&program, words, data_dir).output().expect("a process")
}

const WAREHOUSE: [&str; 2] = ["warehouse.duckdb", "warehouse.duckdb.wal"];

/// Reads those of these files that exist.
fn saved(data_dir: &Path, names: &[&'static str]) -> Vec<(&'static str, Option<Vec<u8>>)> {
    names.iter().map(|name| (*name, fs::read(data_dir.join(name)).ok())).collect()
}

/// Restores files to their earlier content.
fn restore(data_dir: &Path, files: &[(&'static str, Option<Vec<u8>>)]) {
    for (name, bytes) in files {
        let path = data_dir.join(name);
        let _ = fs::remove_file(&path);
        if let Some(bytes) = bytes {
            fs::write(path, bytes).expect("a file");
        }
    }
}

#[test]
fn a_result_is_whole_after_every_start() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let mut scene = Scene::new(&server);
    scene.send(20);
    scene.wait_for_results();
    assert_eq!(server.stop(), Some(0));
    let early = saved(&data_dir, &WAREHOUSE);

    let mut server = Process::start(&data_dir, &[]);
    for change in ["killed", "deleted", "older", "damaged", "another's", "empty"] {
        scene.at(&server);
        scene.send(5);
        scene.wait_for_results();
        // The last events may not be loaded yet when the server is killed.
        scene.send(5);
        drop(server);
        let path = data_dir.join(WAREHOUSE[0]);
        match change {
            "deleted" => restore(&data_dir, &WAREHOUSE.map(|name| (name, None))),
            "older" => restore(&data_dir, &early),
            "damaged" => {
                let mut bytes = fs::read(&path).expect("a file");
                let from = (3 * 4096).min(bytes.len());
                bytes[from..].iter_mut().step_by(1_000).for_each(|byte| *byte ^= 0x55);
                fs::write(&path, bytes).expect("a file");
            }
            "another's" => {
                let other = dir.path().join("other");
                let server = Process::start(&other, &[]);
                let mut scene = Scene::new(&server);
                scene.send(3);
                scene.wait_for_results();
                assert_eq!(server.stop(), Some(0));
                restore(&data_dir, &saved(&other, &WAREHOUSE));
            }
            "empty" => restore(&data_dir, &[(WAREHOUSE[0], Some(Vec::new())), (WAREHOUSE[1], None)]),
            _ => {}
        }
        server = Process::start(&data_dir, &[]);
        scene.at(&server);
        scene.wait_for_results();
    }
}

#[test]
fn a_restored_backup_is_told_as_it_is() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let mut scene = Scene::new(&server);
    scene.send(10);
    assert_eq!(server.stop(), Some(0));
    let (backup, visitors) = (saved(&data_dir, &["log.db", "log.db-wal"]), scene.visitors);
    for more in [3, 10, 20] {
        // The warehouse is ahead of the backup.
        let server = Process::start(&data_dir, &[]);
        scene.at(&server);
        scene.send(10);
        scene.wait_for_results();
        drop(server);
        restore(&data_dir, &backup);
        let _ = fs::remove_file(data_dir.join("log.db-shm"));
        scene.visitors = visitors;
        let server = Process::start(&data_dir, &[]);
        scene.at(&server);
        // New events take the positions of the lost ones and further ones.
        scene.send(more);
        scene.wait_for_results();
        drop(server);
        restore(&data_dir, &backup);
        let _ = fs::remove_file(data_dir.join("log.db-shm"));
        scene.visitors = visitors;
    }
}

#[test]
fn a_result_has_what_comes_during_a_rebuild() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let mut scene = Scene::new(&server);
    scene.send(20);
    let request = data_dir.join("warehouse.rebuild");
    // On a quick machine, a rebuild may end before the first request.
    let (mut rebuilt, mut answered) = (0, 0);
    while rebuilt < 3 || answered == 0 {
        assert!(rebuilt < 50, "no result came during a rebuild");
        fs::write(&request, "").expect("a file");
        while request.exists() {
            scene.send(1);
            if let Some(visitors) = scene.visitors_in("result") {
                assert_eq!(visitors, scene.visitors, "while the warehouse is made again");
                answered += 1;
            }
        }
        rebuilt += 1;
        scene.wait_for_results();
    }
}

#[test]
fn a_result_has_what_was_imported() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let mut scene = Scene::new(&server);
    scene.send(1);
    let event = stored_in(&data_dir).pop().expect("an event");
    let file = dir.path().join("events.jsonl");
    // Writes lines with this many further visitors, to import.
    let write = |from: u64, visitors: u64| {
        let lines = (from..from + visitors).map(|visitor| {
            let mut event: Value = event.clone();
            event["id"] = id().into();
            event["visitor"]["id"] = format!("v-{visitor}").into();
            event.to_string() + "\n"
        });
        fs::write(&file, lines.collect::<String>()).expect("a file");
    };
    let words = ["log", "import", file.to_str().expect("a path")];
    for visitors in [1, 50, 400] {
        write(scene.visitors, visitors);
        let output = muriel(&words, &data_dir);
        assert!(output.status.success(), "{output:?}");
        scene.visitors += visitors;
        // The very next response.
        let counted = scene.visitors_in("result");
        assert!(counted.is_none_or(|counted| counted == scene.visitors), "{counted:?} of {}", scene.visitors);
        scene.wait_for_results();
    }

    // During an import, responses have at least the earlier visitors. It may end before the first response.
    let program = program(None).unwrap_or_else(|error| panic!("{error}"));
    let (mut imported, mut answered) = (0, 0);
    while answered == 0 {
        assert!(imported < 20, "no result came during an import");
        imported += 1;
        write(scene.visitors, 2_000);
        let mut import = command(&program, &words, &data_dir).stdout(Stdio::null()).spawn().expect("a process");
        let mut least = scene.visitors;
        while import.try_wait().expect("a status").is_none() {
            if let Some(visitors) = scene.visitors_in("result") {
                assert!((least..=scene.visitors + 2_000).contains(&visitors), "{visitors} after {least}");
                least = visitors;
                answered += 1;
            }
        }
        assert!(import.wait().expect("a status").success());
        scene.visitors += 2_000;
        let counted = scene.visitors_in("result");
        assert!(counted.is_none_or(|counted| counted == scene.visitors), "{counted:?} of {}", scene.visitors);
        scene.wait_for_results();
    }

    // The same without a running server.
    assert_eq!(server.stop(), Some(0));
    write(scene.visitors, 300);
    assert!(muriel(&words, &data_dir).status.success());
    scene.visitors += 300;
    let server = Process::start(&data_dir, &[]);
    scene.at(&server);
    scene.wait_for_results();
}

/// Returns the exit status of `muriel log verify`, and its output.
fn log_verify(data_dir: &Path) -> (Option<i32>, String) {
    let output = muriel(&["log", "verify"], data_dir);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code(), said)
}

/// Returns the state of the event log from the first available result, and the number of visitors.
fn event_log(scene: &Scene) -> (Value, u64) {
    let mut loaded = None;
    eventually("a result", DEADLINE, || {
        let answer = scene.get("result");
        loaded = (answer.status == 200).then_some(answer.body);
        loaded.is_some()
    });
    let result = loaded.expect("a result");
    assert_eq!(result["health"]["event_log"]["status"] != "ok", result["manifest"]["logs"][0]["damage"].is_object());
    (result["health"]["event_log"].clone(), result["total_visitors"].as_u64().expect("a number"))
}

#[test]
fn what_the_log_has_lost_is_named() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let settings = ["--log-roll", "1"];
    let server = Process::start(&data_dir, &settings);
    let mut scene = Scene::new(&server);
    scene.send(10);
    // Enough events that the file is closed.
    let closed = || {
        let entries = fs::read_dir(&data_dir).expect("a directory");
        let mut names = entries.map(|entry| entry.expect("an entry").path());
        names.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log-")))
    };
    eventually("a file of the log is closed", DEADLINE, || {
        let noise = || (0..1_000).map(|_| fastrand::alphanumeric()).collect::<String>();
        let event = || json!({ "id": id(), "type": "custom", "name": "x", "properties": { "pad": noise() } });
        let events: Vec<Value> = (0..200).map(|_| event()).collect();
        scene.collector.trusted.post("", json!({ "visitor": { "id": "pad" }, "events": events })).ok();
        closed().is_some()
    });
    scene.send(10);
    assert_eq!((event_log(&scene).0["status"].as_str(), event_log(&scene).1), (Some("ok"), 20));
    // Stopped, so that the file alone has all data.
    assert_eq!(server.stop(), Some(0));
    assert_eq!(log_verify(&data_dir).0, Some(0));
    let log = fs::read(data_dir.join("log.db")).expect("a file");

    // Corrupts a block, and rebuilds the warehouse.
    let conn = rusqlite::Connection::open(data_dir.join("log.db")).expect("a log");
    let last: i64 = conn.query_row("SELECT max(seq) FROM block", [], |row| row.get(0)).expect("a block");
    let flip = "UPDATE block SET body = zeroblob(length(body)) WHERE seq = ?1";
    assert_eq!(conn.execute(flip, [last - 1]), Ok(1));
    drop(conn);
    let without_warehouse = WAREHOUSE.map(|name| (name, None));
    restore(&data_dir, &without_warehouse);
    let server = Process::start(&data_dir, &settings);
    scene.at(&server);
    let (check, visitors) = event_log(&scene);
    assert!(check["message"].as_str().is_some_and(|text| text.contains(&format!("Block {} ", last - 1))), "{check}");
    assert_eq!(visitors, 19);
    let log_state = |scene: &Scene| scene.client.anyone_here().get("/readyz").ok()["log"].clone();
    assert_eq!(log_state(&scene), "damaged");
    // The damage is remembered even if the block is not read again.
    assert_eq!(server.stop(), Some(0));
    let server = Process::start(&data_dir, &settings);
    scene.at(&server);
    assert_eq!((log_state(&scene), event_log(&scene)), (json!("damaged"), (check, visitors)));
    let answer = scene.get("result.csv").has_status(200);
    assert!(answer.text().contains("event_log: "), "{}", answer.text());
    drop(server);
    let (status, said) = log_verify(&data_dir);
    assert!(status == Some(1) && said.contains(&format!("block {}", last - 1)), "{said}");

    // Restored, and the oldest file deleted manually.
    fs::write(data_dir.join("log.db"), log).expect("a file");
    let _ = fs::remove_file(data_dir.join("log.db-wal"));
    let _ = fs::remove_file(data_dir.join("log.db-shm"));
    assert_eq!(log_verify(&data_dir).0, Some(0));
    fs::remove_file(closed().expect("a file")).expect("removed");
    restore(&data_dir, &without_warehouse);
    let server = Process::start(&data_dir, &settings);
    scene.at(&server);
    let (check, visitors) = event_log(&scene);
    assert_eq!((check["status"].as_str(), visitors), (Some("fail"), 10), "{check}");
    drop(server);
    let (status, said) = log_verify(&data_dir);
    assert!(status == Some(1) && said.contains("retention did not delete them"), "{said}");
}

#[test]
fn a_warehouse_that_is_found_damaged_is_503_until_it_is_whole() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let mut scene = Scene::new(&server);
    scene.send(50);
    scene.wait_for_results();
    assert_eq!(server.stop(), Some(0));
    let path = data_dir.join(WAREHOUSE[0]);
    let whole = fs::read(&path).expect("a file");
    for step in [1_000, 5_000, 20_000, 100_000] {
        let mut bytes = whole.clone();
        bytes[3 * 4096..].iter_mut().step_by(step).for_each(|byte| *byte ^= 0x55);
        fs::write(&path, bytes).expect("a file");
        let server = Process::start(&data_dir, &[]);
        scene.at(&server);
        scene.wait_for_results();
        assert_eq!(server.stop(), Some(0));
    }
}
