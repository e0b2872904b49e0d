//! Events during failures of the disk or the database.

use crate::scene::{Collector, gzip, id, stored_in};
use muriel_tests::process::{Process, refused};
use muriel_tests::{Client, DEADLINE, Link, On, eventually, room};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn event(padding: usize) -> Value {
    // Random bytes, which do not compress well.
    let mut pad = String::with_capacity(padding);
    while pad.len() < padding {
        pad += &format!("{:016x}", fastrand::u64(..));
    }
    json!({ "id": id(), "type": "custom", "name": "x", "properties": { "pad": pad } })
}

fn ids(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| event["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Asserts a 503 with a retry delay that stored nothing.
#[track_caller]
fn is_refused(shop: &Collector, events: &[Value]) {
    let answer = shop.take(events).answer.refused(503, "unavailable");
    let wait: u32 = answer.header("retry-after").and_then(|wait| wait.parse().ok()).expect("Retry-After");
    assert!((1..=60).contains(&wait), "{wait}");
}

/// Asserts that everything except events works.
#[track_caller]
fn others_are_served(client: &Client, shop: &Collector) {
    shop.anyone.get(&format!("/ruleset/{}", shop.project_key)).ok();
    shop.anyone.get("/livez").ok();
    client.get("/experiments").ok();
}

#[track_caller]
fn run(program: &str, arguments: &[&str], paths: &[&Path]) {
    let said = Command::new(program).args(arguments).args(paths).output().expect("a process");
    assert!(said.status.success(), "{program}: {}", String::from_utf8_lossy(&said.stderr));
}

/// Mounts a small disk, in separate namespaces.
fn small_disk(mib: u32) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    run("mount", &["-t", "tmpfs", "-o", &format!("size={mib}m"), "muriel-story"], &[folder.path()]);
    folder
}

#[test]
fn a_full_disk_refuses_events_and_nothing_else() {
    room::run_isolated("storage::a_full_disk_refuses_events_and_nothing_else", || {
        let disk = small_disk(40);
        let data_dir = disk.path().join("data");
        let server = Process::start(&data_dir, &["--log-reserve", "8", "--log-roll", "1"]);
        let client = server.project("Acme", "Shop");
        let shop = Collector::of(&client);
        let mut taken = Vec::new();
        let mut take = |events: &[Value]| {
            assert_eq!(shop.take(events).statuses(), vec!["ok"; events.len()]);
            taken.extend(ids(events));
        };
        take(&[event(0)]);
        for within_reserve in [true, false, true] {
            let filler = disk.path().join("filler");
            fill(&filler, if within_reserve { 4 << 20 } else { 0 });
            let late = [event(0), event(1_000)];
            is_refused(&shop, &late);
            others_are_served(&client, &shop);
            let health = shop.anyone.get("/readyz").ok();
            let states = ["status", "events", "disk"].map(|part| health[part].as_str().unwrap_or_default());
            assert_eq!(states, ["degraded", "refused", "full"]);
            if within_reserve {
                client.experiment(json!({ "test_name": id() }));
            }
            is_refused(&shop, &late);
            fs::remove_file(&filler).expect("the filler goes");
            // It recovers automatically, without any of the refused events.
            eventually("events are taken again", DEADLINE, || {
                let answer = shop.take(&[event(0)]).answer;
                taken.extend(
                    (answer.status == 200).then(|| answer.body["results"][0]["id"].to_string().replace('"', "")),
                );
                answer.status == 200
            });
            assert_eq!(shop.take(&late).statuses(), ["ok", "ok"]);
            taken.extend(ids(&late));
        }
        // Events alone can fill it up to the reserve, too.
        loop {
            let events: Vec<Value> = (0..40).map(|_| event(8_000)).collect();
            let answer = shop.take(&events).answer;
            if answer.status == 503 {
                break;
            }
            answer.ok();
            taken.extend(ids(&events));
        }
        others_are_served(&client, &shop);
        client.experiment(json!({ "test_name": id() }));
        assert_eq!(ids(&stored_in(&data_dir)), taken);
        assert_eq!(server.stop(), Some(0));
        // With a smaller reserve it continues.
        let server = Process::start(&data_dir, &["--log-reserve", "1"]);
        let shop = Collector::of(&client.at(server.address));
        let last = [event(0)];
        assert_eq!(shop.take(&last).statuses(), ["ok"]);
        taken.extend(ids(&last));
        assert_eq!(ids(&stored_in(&data_dir)), taken);
    });
}

/// A batch that was stored in part when the disk was full is not reported as stored.
#[test]
fn a_batch_that_meets_a_full_disk_is_sent_again() {
    room::run_isolated("storage::a_batch_that_meets_a_full_disk_is_sent_again", || {
        let disk = small_disk(40);
        let data_dir = disk.path().join("data");
        let server = Process::start(&data_dir, &["--log-reserve", "8", "--log-roll", "1"]);
        let client = server.project("Acme", "Shop");
        let shop = Collector::of(&client);
        let batch = shop.trusted.call("POST", "/batch").header("content-type", "application/x-ndjson");
        let batch = batch.header("content-encoding", "gzip");
        let filler = disk.path().join("filler");
        fill(&filler, 9 << 20);
        // About 13 MiB, of which the log takes 4 at a time and stores half.
        let events: Vec<Value> = (0..450)
            .map(|_| {
                let mut event = event(30 << 10);
                event["visitor"] = json!({ "id": "v" });
                event
            })
            .collect();
        let lines = gzip(events.iter().map(|event| format!("{event}\n")).collect::<String>().as_bytes());
        let refused = batch.clone().body(lines.clone()).send().refused(503, "unavailable");
        assert!((1..=60).contains(&refused.header_number("retry-after")));
        let kept = stored_in(&data_dir).len();
        assert!((1..events.len()).contains(&kept), "{kept} events were stored before the disk was full");
        fs::remove_file(&filler).expect("the filler goes");
        let outcomes = batch.body(lines).send_until_taken(|| false).expect("an answer").has_status(200).lines();
        let statuses: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome["status"].as_str()).collect();
        assert_eq!(statuses, [vec!["duplicate"; kept], vec!["ok"; events.len() - kept]].concat());
        assert_eq!(ids(&stored_in(&data_dir)), ids(&events));
    });
}

#[test]
fn a_start_on_a_full_disk_serves_visitors() {
    room::run_isolated("storage::a_start_on_a_full_disk_serves_visitors", || {
        let disk = small_disk(40);
        let data_dir = disk.path().join("data");
        let server = Process::start(&data_dir, &["--log-reserve", "1"]);
        let client = server.project("Acme", "Shop");
        let shop = Collector::of(&client);
        client.experiment(json!({ "status": 1 }));
        let first = [event(0)];
        assert_eq!(shop.take(&first).statuses(), ["ok"]);
        let paths = [format!("/ruleset/{}", shop.project_key), format!("/js/{}.js", shop.project_key)];
        let before: Vec<_> = paths.iter().map(|path| shop.anyone.get(path).has_status(200).bytes).collect();
        assert_eq!(server.stop(), Some(0));

        let filler = disk.path().join("filler");
        fill(&filler, 0);
        let server = Process::start(&data_dir, &["--log-reserve", "1"]);
        let (client, shop) = (client.at(server.address), Collector::of(&client.at(server.address)));
        let after: Vec<_> = paths.iter().map(|path| shop.anyone.get(path).has_status(200).bytes).collect();
        assert_eq!(after, before);
        let health = shop.anyone.get("/readyz").ok();
        let states = ["status", "database", "rulesets", "events"].map(|part| health[part].as_str().unwrap_or_default());
        assert_eq!(states, ["degraded", "unavailable", "stale", "refused"]);
        client.get("/experiments").refused(503, "unavailable");
        shop.take(&[event(0)]).answer.has_status(503);
        // It recovers automatically once there is space.
        fs::remove_file(&filler).expect("the filler goes");
        eventually("the database is back", DEADLINE, || client.get("/experiments").status == 200);
        let late = [event(0)];
        eventually("events are taken", DEADLINE, || shop.take(&late).answer.status == 200);
        eventually("readiness", DEADLINE, || shop.anyone.get("/readyz").ok()["status"] == "ready");
        assert_eq!(ids(&stored_in(&data_dir)), [ids(&first), ids(&late)].concat());
        // Other users cannot read any file.
        for (path, _) in crate::scene::files(&data_dir) {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).expect("a file").permissions());
            assert_eq!(mode & 0o077, 0, "{}", path.display());
        }
        assert_eq!(server.stop(), Some(0));
    });
}

/// Fills a disk except for this many bytes.
fn fill(filler: &Path, left: u64) {
    let mut file = File::create(filler).expect("a file");
    let block = vec![0x5a; 256 << 10];
    loop {
        match file.write(&block) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
            Err(error) => panic!("{error}"),
        }
    }
    let length = file.metadata().expect("a file").len();
    file.set_len(length.saturating_sub(left)).expect("a shorter file");
}

#[test]
fn a_log_that_cannot_be_written_refuses_events_and_nothing_else() {
    room::run_isolated("storage::a_log_that_cannot_be_written_refuses_events_and_nothing_else", || {
        let disk = small_disk(256);
        let data_dir = disk.path().join("data");
        let server = Process::start(&data_dir, &["--log-reserve", "1"]);
        let client = server.project("Acme", "Shop");
        let shop = Collector::of(&client);
        let first = [event(0)];
        assert_eq!(shop.take(&first).statuses(), ["ok"]);
        // Replaces the log by a file that cannot be written.
        let other = disk.path().join("other");
        File::create(&other).expect("a file");
        let log = data_dir.join("log.db");
        run("mount", &["--bind"], &[&other, &log]);
        run("mount", &["-o", "remount,ro,bind"], &[&log]);
        let late = [event(0)];
        is_refused(&shop, &late);
        others_are_served(&client, &shop);
        client.experiment(json!({ "test_name": "While the log is away" }));
        is_refused(&shop, &late);
        run("umount", &[], &[&log]);
        eventually("events are taken again", DEADLINE, || shop.take(&late).answer.status == 200);
        let stored = ids(&stored_in(&data_dir));
        assert_eq!(stored, [ids(&first), ids(&late)].concat());
    });
}

#[test]
fn a_directory_that_cannot_be_written_is_refused_at_once() {
    room::run_isolated("storage::a_directory_that_cannot_be_written_is_refused_at_once", || {
        let disk = small_disk(64);
        let data_dir = disk.path().join("data");
        with_one_event(&data_dir);
        run("mount", &["-o", "remount,ro"], &[disk.path()]);
        is_refused_at_once(&data_dir, "a disk that is only for reading");
    });
}

/// Creates the data directory of a stopped server.
fn with_one_event(data_dir: &Path) {
    let server = Process::start(data_dir, &["--log-reserve", "1"]);
    let shop = Collector::of(&server.project("Acme", "Shop"));
    assert_eq!(shop.take(&[event(0)]).statuses(), ["ok"]);
    assert_eq!(server.stop(), Some(0));
}

/// Asserts that the server refuses to start with one sentence, and changes nothing.
#[track_caller]
fn is_refused_at_once(data_dir: &Path, what: &str) -> String {
    let before = all(data_dir);
    let output = refused(data_dir, &["--log-reserve", "1"], DEADLINE);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.status.code().is_some(), "{what}: {:?}", output.status);
    assert_eq!(said.trim().lines().count(), 1, "{what}: {said}");
    assert!(said.contains(&data_dir.display().to_string()), "{what}: {said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{what}");
    assert_eq!(all(data_dir), before, "{what}");
    said.into_owned()
}

fn all(data_dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    match fs::read(data_dir) {
        Ok(bytes) => [(data_dir.to_owned(), bytes)].into(),
        Err(_) => crate::scene::files(data_dir).into_iter().collect(),
    }
}

/// An open reader prevents a write-ahead log from being moved into its file, as a hanging
/// disk does. Stopping a server does not wait for that.
#[test]
fn a_server_ends_well_while_its_files_cannot_be_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let data_dir = folder.path().join("data");
    let server = Process::start(&data_dir, &["--log-reserve", "1"]);
    let client = server.project("Acme", "Shop");
    let readers = ["muriel.db", "log.db"].map(|name| {
        let conn = rusqlite::Connection::open(data_dir.join(name)).expect("a database");
        conn.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").expect("a snapshot");
        conn
    });
    // Newer than the snapshots, which block it.
    client.experiment(json!({}));
    let sent = [event(0), event(0)];
    assert_eq!(Collector::of(&client).take(&sent).statuses(), ["ok"; 2]);
    assert_eq!(server.stop(), Some(0));
    drop(readers);
    let server = Process::start(&data_dir, &["--log-reserve", "1"]);
    assert_eq!(Collector::of(&client.at(server.address)).take(&sent).statuses(), ["duplicate"; 2]);
    assert_eq!(ids(&stored_in(&data_dir)), ids(&sent));
    assert_eq!(server.stop(), Some(0));
}

/// A new log would accept duplicates as new events, and results would silently lack the lost events.
#[test]
fn a_log_that_is_missing_is_not_begun_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let data_dir = folder.path().join("data");
    let server = Process::start(&data_dir, &["--log-reserve", "1"]);
    let client = server.project("Acme", "Shop");
    let sent = [event(0), event(0)];
    assert_eq!(Collector::of(&client).take(&sent).statuses(), ["ok"; 2]);
    assert_eq!(server.stop(), Some(0));
    let (log, away) = (data_dir.join("log.db"), folder.path().join("away"));
    fs::rename(&log, &away).expect("renamed");
    for _ in 0..2 {
        let said = is_refused_at_once(&data_dir, "the log is gone");
        assert!(said.contains("log.db") && said.contains("the blocks 1 to 1: put it back"), "{said}");
    }
    fs::rename(&away, &log).expect("renamed");
    let server = Process::start(&data_dir, &["--log-reserve", "1"]);
    assert_eq!(Collector::of(&client.at(server.address)).take(&sent).statuses(), ["duplicate"; 2]);
    assert_eq!(stored_in(&data_dir).len(), 2);
}

#[test]
fn what_is_no_log_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = folder.path().join("good");
    with_one_event(&good);
    let spoilt = |what: &str, spoil: &dyn Fn(&Path)| {
        let data_dir = folder.path().join(what.replace(' ', "-"));
        run("cp", &["-r"], &[&good, &data_dir]);
        spoil(&data_dir);
        is_refused_at_once(&data_dir, what);
    };
    spoilt("the directory is a file", &|data_dir| {
        fs::remove_dir_all(data_dir).expect("removed");
        fs::write(data_dir, "a file").expect("a file");
    });
    spoilt("the log is a directory", &|data_dir| {
        fs::remove_file(data_dir.join("log.db")).expect("removed");
        fs::create_dir(data_dir.join("log.db")).expect("a directory");
    });
    spoilt("the log is no database", &|data_dir| {
        fs::write(data_dir.join("log.db"), "something that is no database, and long enough to be looked at as one")
            .expect("a file");
    });
    spoilt("the log is another database", &|data_dir| {
        fs::copy(data_dir.join("muriel.db"), data_dir.join("log.db")).map(drop).expect("a copy");
    });
    spoilt("the log is of a later version", &|data_dir| {
        let conn = rusqlite::Connection::open(data_dir.join("log.db")).expect("a database");
        conn.pragma_update(None, "user_version", 2).expect("a version");
    });
    spoilt("the lock is a directory", &|data_dir| {
        fs::remove_file(data_dir.join("log.lock")).expect("removed");
        fs::create_dir(data_dir.join("log.lock")).expect("a directory");
    });
    spoilt("the log is gone and its write-ahead log is not", &|data_dir| {
        fs::rename(data_dir.join("log.db"), data_dir.join("log.db-wal")).expect("renamed");
    });
}

#[test]
fn a_second_process_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let data_dir = folder.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let shop = Collector::of(&server.project("Acme", "Shop"));
    assert_eq!(shop.take(&[event(0)]).statuses(), ["ok"]);
    let output = refused(&data_dir, &[], DEADLINE);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.status.code().is_some(), "{:?}", output.status);
    assert!(said.contains("another muriel serve is running") && said.trim().lines().count() == 1, "{said}");
    assert_eq!(shop.take(&[event(0)]).statuses(), ["ok"]);
    assert_eq!(stored_in(&data_dir).len(), 2);
}

mod postgres {
    use super::*;

    #[test]
    fn events_are_taken_while_the_database_is_away() {
        let mut link = None;
        let app = On::Postgres.start_with(|settings| {
            let url = settings.storage.database_url.clone().expect("an address");
            let (made, through) = Link::to(&url);
            link = Some(made);
            settings.storage.database_url = Some(through);
        });
        let link = link.expect("a link");
        let client = app.project("Acme", "Shop");
        let live = client.experiment(json!({ "status": 1 }));
        let draft = client.experiment(json!({ "test_name": "Draft" }));
        let shop = Collector::of(&client);
        let exposure = |test_id: i64, variant: &str| json!({ "id": id(), "type": "exposure", "test_id": test_id, "variant_id": variant });
        let mut taken = 0;
        let mut take = |events: &[Value]| {
            let statuses = shop.take(events).statuses();
            taken += statuses.iter().filter(|status| *status == "ok").count();
            statuses
        };
        assert_eq!(take(&[event(0), exposure(live, "1")]), ["ok", "ok"]);

        link.cut();
        client.get(&format!("/experiment/{live}")).has_status(503);
        // An unknown arm may be new, which cannot be checked now.
        let events = [event(0), exposure(live, "1"), exposure(live, "7"), event(100)];
        assert_eq!(take(&events), ["ok"; 4]);
        assert_eq!(take(&events), ["duplicate"; 4]);
        // Events of experiments that only the database knows are accepted unchecked,
        // and many of them do not wait longer than one.
        let unknown = |from: i64| -> Vec<Value> { (from..from + 200).map(|test_id| exposure(test_id, "1")).collect() };
        // Two hundred that waited for the database one after the other would take
        // two hundred seconds.
        let soon = Duration::from_secs(150);
        assert_eq!(take(&[exposure(draft, "7")]), ["ok"]);
        let begun = Instant::now();
        assert_eq!(take(&unknown(1_000)), vec!["ok"; 200]);
        assert!(begun.elapsed() < soon, "{:?}", begun.elapsed());
        shop.anyone.get(&format!("/ruleset/{}", shop.project_key)).ok();

        link.mend();
        eventually("the database is asked again", DEADLINE, || take(&[exposure(draft, "7")]) == ["invalid"]);
        // The same while the database is reachable but does not answer.
        link.freeze();
        let begun = Instant::now();
        assert_eq!(take(&unknown(2_000)), vec!["ok"; 200]);
        assert!(begun.elapsed() < soon, "{:?}", begun.elapsed());
        link.cut();
        link.mend();
        assert_eq!(crate::scene::stored(&app).len(), taken);
    }
}
