//! Reading and deleting the data of one visitor, traces that remain, and events after their retention.

use crate::recompute::{muriel, says, scene as day, verified};
use crate::scene::{Collector, files, holds, id, stored};
use muriel_tests::process::Process;
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, scratch, stories};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;

stories! {
    always: [
        a_deleted_visitor_leaves_nothing,
        a_deletion_goes_on_after_a_restart,
        a_log_from_a_backup_forgets_again,
        a_project_forgets_its_old_events,
        a_visitor_is_read_a_part_at_a_time,
    ],
    postgres_at_night: [
        what_cannot_be_asked_for,
    ],
}

/// Ids that occur nowhere else; one contains characters that JSON escapes.
const GONE: &str = "gone-visitor-4711";
const ODD: &str = "odd \"visitor\" \u{fc}\n4712";
const KEPT: &str = "kept-visitor-4713";

const DAY: Duration = Duration::from_secs(86_400);

struct Scene {
    app: TestApp,
    shop: Client,
    collector: Collector,
    test_id: i64,
}

impl Scene {
    fn new(on: On) -> Self {
        let app = on.start();
        let shop = app.project("Acme", "Shop");
        shop.goal("bought");
        let test_id = shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
        let collector = Collector::of(&shop);
        Self { app, shop, collector, test_id }
    }

    /// Sends a visit with an exposure, an order and a page view. Returns the event ids.
    fn visit(&self, visitor: &str, arm: &str) -> Vec<String> {
        let ids: Vec<String> = (0..3).map(|_| id()).collect();
        let events = json!([
            { "id": ids[0], "type": "exposure", "test_id": self.test_id, "variant_id": arm },
            { "id": ids[1], "type": "custom", "name": "bought" },
            { "id": ids[2], "type": "pageview", "url": format!("https://shop.example/{}", &ids[2]) },
        ]);
        let sent = self.collector.trusted.post("", json!({ "visitor": { "id": visitor }, "events": events })).ok();
        assert_eq!(sent["results"].as_array().map(Vec::len), Some(3));
        ids
    }

    fn result(&self) -> Value {
        self.shop.get(&format!("/experiment/{}/result", self.test_id)).ok()
    }

    fn data_dir(&self) -> &Path {
        &self.app.settings.storage.data_dir
    }
}

/// Encodes an id as a path segment.
fn encoded(visitor: &str) -> String {
    visitor.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn delete(shop: &Client, visitor: &str) -> i64 {
    let job = shop.delete(&format!("/visitor/{}", encoded(visitor))).has_status(202);
    assert_eq!(job.body["requested_by"], shop.api_key.as_deref().expect("a key")[4..12], "{}", job.body);
    job.body["visitor_job_id"].as_i64().expect("an id")
}

/// Waits until a deletion is done.
#[track_caller]
fn done(shop: &Client, job: i64) -> Value {
    let mut last = Value::Null;
    eventually("the deletion", DEADLINE, || {
        last = shop.get(&format!("/visitor-job/{job}")).ok();
        last["status"] == "done"
    });
    last
}

/// Returns everything by which a visitor's data could be found: the id, as text and in JSON, and the
/// numbers that represent it in the warehouse and in an index.
fn traces(visitor: &str) -> Vec<Vec<u8>> {
    let hash: [u8; 32] = Sha256::digest(visitor).into();
    let number = u64::from_be_bytes(hash[..8].try_into().expect("8 bytes"));
    let json = serde_json::to_string(visitor).expect("JSON");
    vec![
        visitor.as_bytes().to_vec(),
        json.trim_matches('"').as_bytes().to_vec(),
        number.to_le_bytes().to_vec(),
        number.to_be_bytes().to_vec(),
        (number | 1).to_be_bytes().to_vec(),
    ]
}

/// Returns the files of a directory that contain one of these.
fn files_with(directory: &Path, needles: &[Vec<u8>]) -> Vec<String> {
    let has = |bytes: &[u8]| needles.iter().any(|needle| holds(bytes, needle));
    let found = files(directory).into_iter().filter(|(_, bytes)| has(bytes));
    found.map(|(path, _)| path.display().to_string()).collect()
}

fn visitors(events: &[Value], visitor: &str) -> usize {
    events.iter().filter(|event| event["visitor"]["id"] == visitor).count()
}

fn a_visitor_is_read_a_part_at_a_time(on: On) {
    let scene = Scene::new(on);
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.extend(scene.visit(ODD, "0"));
        scene.visit(KEPT, if n % 2 == 0 { "0" } else { "1" });
    }
    let path = format!("/visitor/{}", encoded(ODD));
    let whole = scene.shop.get(&path).ok();
    assert_eq!((&whole["count"], &whole["cursor"], &whole["damaged_blocks"]), (&json!(15), &Value::Null, &json!(0)));
    assert_eq!(whole["other_nodes"], 0);
    let expect: Vec<Value> = stored(&scene.app).into_iter().filter(|event| event["visitor"]["id"] == ODD).collect();
    assert_eq!(whole["events"], json!(expect), "as they are stored");

    let (mut read, mut cursor, mut parts) = (Vec::new(), String::new(), 0);
    loop {
        let page = scene.shop.get(&format!("{path}?limit=4{cursor}")).ok();
        read.extend(page["events"].as_array().expect("events").iter().map(|event| event["id"].clone()));
        parts += 1;
        match page["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!((json!(read), parts), (json!(ids), 4));
    assert_eq!(scene.shop.get("/visitor/nobody").ok()["count"], 0);

    if on == On::Sqlite {
        let words = ["visitor", "export", "--project", &scene.shop.project_key, "--visitor", ODD];
        let export = muriel(&words, scene.data_dir());
        assert!(export.status.success(), "{}", says(&export));
        let lines = String::from_utf8(export.stdout).expect("text");
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines, expect);
    }
}

fn a_deleted_visitor_leaves_nothing(on: On) {
    let scene = Scene::new(on);
    for n in 0..40 {
        scene.visit(&format!("v-{n}"), if n % 2 == 0 { "0" } else { "1" });
        if n % 10 == 0 {
            scene.visit(GONE, "1");
            scene.visit(ODD, "0");
        }
    }
    let ids = scene.visit(GONE, "1");
    // Another project has a visitor with the same id.
    let other = scene.app.project("Acme", "Other");
    let blog = Collector::of(&other);
    let sent = blog.trusted.post("", json!({ "visitor": { "id": KEPT }, "events": [{ "id": id(), "type": "pageview", "url": "https://blog.example/" }] })).ok();
    assert_eq!(sent["results"][0]["status"], "ok");
    scene.visit(KEPT, "0");
    let before = scene.result();
    assert_eq!((before["total_visitors"].as_i64(), before["manifest"]["logs"][0].get("rewritten")), (Some(43), None));
    assert_ne!(files_with(scene.data_dir(), &traces(GONE)), [""; 0], "the search finds what is there");

    let jobs = [delete(&scene.shop, GONE), delete(&scene.shop, ODD)];
    // A deleted visitor may return meanwhile: new events are either deleted too or stay.
    let jobs = jobs.map(|job| done(&scene.shop, job));
    assert_eq!((jobs[0]["events"].as_i64(), jobs[1]["events"].as_i64()), (Some(15), Some(12)), "{jobs:?}");
    assert_eq!(jobs[0]["damaged_blocks"], 0);
    assert!(jobs[0]["finished_at"].is_string() && jobs[0]["nodes"][0]["examined_block"].as_i64() > Some(0), "{jobs:?}");
    for visitor in [GONE, ODD] {
        assert_eq!(files_with(scene.data_dir(), &traces(visitor)), [""; 0], "{visitor}");
        assert_eq!(scene.shop.get(&format!("/visitor/{}", encoded(visitor))).ok()["count"], 0);
        assert_eq!(visitors(&stored(&scene.app), visitor), 0);
    }
    assert_eq!(visitors(&stored(&scene.app), KEPT), 4, "of both projects");

    let after = scene.result();
    assert_eq!(after["total_visitors"], 41);
    let rewritten = &after["manifest"]["logs"][0]["rewritten"];
    assert_eq!((&rewritten["events"], &rewritten["expired"]), (&json!(27), &json!(0)), "{rewritten}");
    assert!(rewritten["last_at"].is_string());
    assert!(after["manifest"]["logs"][0]["hash"].is_string());

    // A deleted event is recognised as a duplicate; a new one stays.
    let again = json!({ "id": ids[1], "type": "custom", "name": "bought" });
    let new = json!({ "id": id(), "type": "custom", "name": "bought" });
    let sent = scene.collector.trusted.post("", json!({ "visitor": { "id": GONE }, "events": [again, new] })).ok();
    assert_eq!((&sent["results"][0]["status"], &sent["results"][1]["status"]), (&json!("duplicate"), &json!("ok")));
    assert_eq!(scene.shop.get(&format!("/visitor/{GONE}")).ok()["count"], 1);
    assert_eq!(scene.result()["total_visitors"], 41, "it has no exposure any more");
    // Another deletion deletes the new event.
    assert_eq!(done(&scene.shop, delete(&scene.shop, GONE))["events"], 1);
    assert_eq!(files_with(scene.data_dir(), &traces(GONE)), [""; 0]);
    assert_eq!(done(&scene.shop, delete(&scene.shop, GONE))["events"], 0);

    // The chain verifies, and records the deletion.
    let verify = muriel(&["log", "verify", "--json"], scene.data_dir());
    let report: Value = serde_json::from_slice(&verify.stdout).expect("JSON");
    assert_eq!((&report["whole"], &report["deleted_events"]), (&json!(true), &json!(28)), "{}", says(&verify));
}

fn a_deletion_goes_on_after_a_restart(on: On) {
    let mut scene = Scene::new(on);
    for n in 0..10 {
        scene.visit(&format!("v-{n}"), "0");
        scene.visit(GONE, "1");
    }
    let job = delete(&scene.shop, GONE);
    // Whatever part of the work was done before.
    scene.app.start_again();
    let shop = scene.shop.at(scene.app.address);
    assert_eq!(done(&shop, job)["events"], 30);
    assert_eq!(files_with(scene.data_dir(), &traces(GONE)), [""; 0]);
    assert_eq!(stored(&scene.app).len(), 30);
    assert_eq!(shop.get(&format!("/experiment/{}/result", scene.test_id)).ok()["total_visitors"], 10);
}

/// The log of an old backup contains the visitor again, and the database knows of the deletion.
fn a_log_from_a_backup_forgets_again(on: On) {
    let mut scene = Scene::new(on);
    for n in 0..5 {
        scene.visit(&format!("v-{n}"), "0");
        scene.visit(GONE, "1");
    }
    scene.app.stop();
    let data_dir = scene.data_dir().to_owned();
    let is_of_log = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("log") && name.ends_with(".db")
    };
    let backup: Vec<_> = files(&data_dir).into_iter().filter(|(path, _)| is_of_log(path)).collect();
    assert_eq!(backup.len(), 1);
    scene.app.start_again();
    let shop = scene.shop.at(scene.app.address);
    let job = delete(&shop, GONE);
    assert_eq!(done(&shop, job)["events"], 15);

    scene.app.stop();
    for (path, _) in files(&data_dir).into_iter().filter(|(path, _)| is_of_log(path)) {
        std::fs::remove_file(path).expect("a file");
    }
    for (path, bytes) in backup {
        std::fs::write(path, bytes).expect("a file");
    }
    assert_eq!(visitors(&stored(&scene.app), GONE), 15);
    scene.app.start_again();
    let shop = scene.shop.at(scene.app.address);
    eventually("the visitor is gone again", DEADLINE, || shop.get(&format!("/visitor/{GONE}")).ok()["count"] == 0);
    let again = done(&shop, job);
    assert_eq!((&again["events"], &again["nodes"][0]["attempts"]), (&json!(15), &json!(2)), "{again}");
    assert_eq!(files_with(&data_dir, &traces(GONE)), [""; 0]);
    assert_eq!(stored(&scene.app).len(), 15);
}

/// Each node deletes from its own log; a stopped node does so once it runs again.
#[test]
fn every_node_deletes_its_own() {
    let scene = Scene::new(On::Postgres);
    scene.visit(GONE, "0");
    let beside = scene.app.start_beside();
    let there = scene.shop.at(beside.address);
    let collector = Collector::of(&there);
    eventually("the other server knows the project", DEADLINE, || {
        let event = json!({ "id": id(), "type": "custom", "name": "bought" });
        let sent = collector.trusted.post("", json!({ "visitor": { "id": GONE }, "events": [event] }));
        sent.status == 200
    });
    let page = there.get(&format!("/visitor/{GONE}")).ok();
    assert_eq!((&page["count"], &page["other_nodes"]), (&json!(1), &json!(1)), "each answers for itself");
    let job = done(&scene.shop, delete(&scene.shop, GONE));
    assert_eq!((job["nodes"].as_array().map(Vec::len), &job["events"]), (Some(2), &json!(4)), "{job}");
    assert_eq!(there.get(&format!("/visitor/{GONE}")).ok()["count"], 0);

    drop(beside);
    let waits = delete(&scene.shop, GONE);
    eventually("this node is done", DEADLINE, || {
        let job = scene.shop.get(&format!("/visitor-job/{waits}")).ok();
        job["nodes"].as_array().expect("nodes").iter().any(|node| node["status"] == "done")
    });
    assert_eq!(scene.shop.get(&format!("/visitor-job/{waits}")).ok()["status"], "pending", "the other is not");
    let gone = scene.app.nodes().into_iter().find(|node| !node.is_live).expect("a node");
    scene.app.forget_node(&gone.id);
    assert_eq!(done(&scene.shop, waits)["nodes"].as_array().map(Vec::len), Some(1), "nobody will do it any more");
}

/// Kills at random moments of a deletion, while events arrive: in the end only the visitor's events are gone.
#[test]
fn a_deletion_survives_kills() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let mut server = Process::start(&data_dir, &["--log-roll", "1"]);
    let client = server.project("Acme", "Shop");
    let key = client.project_key.clone();
    let mut kept = 0;
    let mut send = |client: &Client, visitors: usize| {
        let collector = Collector::of(client);
        for n in 0..visitors {
            // Incompressible texts, so that there are several files.
            let event = |_| json!({ "id": id(), "type": "custom", "name": id() + &id() + &id() });
            let visitor = if n % 5 == 0 { GONE.to_owned() } else { format!("v-{n}") };
            let events: Vec<Value> = (0..100).map(event).collect();
            collector.trusted.post("", json!({ "visitor": { "id": visitor }, "events": events })).ok();
            kept += if n % 5 == 0 { 0 } else { 100 };
        }
    };
    send(&client, 60);
    muriel(&["visitor", "delete", "--project", &key, "--visitor", GONE], &data_dir);
    for kill in 0..6 {
        std::thread::sleep(Duration::from_millis(150 * kill));
        drop(server);
        let verify = muriel(&["log", "verify"], &data_dir);
        assert!(verify.status.success(), "after kill {kill}: {}", says(&verify));
        server = Process::start(&data_dir, &["--log-roll", "1"]);
        send(&client.at(server.address), 3);
    }
    let last = muriel(&["visitor", "delete", "--project", &key, "--visitor", GONE, "--wait", "--json"], &data_dir);
    assert!(last.status.success(), "{}", says(&last));
    assert_eq!(files_with(&data_dir, &traces(GONE)), [""; 0]);
    let verify = muriel(&["log", "verify", "--json"], &data_dir);
    let report: Value = serde_json::from_slice(&verify.stdout).expect("JSON");
    assert_eq!((&report["whole"], report["events"].as_i64()), (&json!(true), Some(kept)), "{report}");
    drop(server);
}

fn what_cannot_be_asked_for(on: On) {
    let scene = Scene::new(on);
    let (shop, other) = (&scene.shop, scene.app.project("Beta", "Blog"));
    let job = delete(shop, GONE);
    for (path, field) in [
        ("/visitor/v?limit=0", "limit"),
        ("/visitor/v?cursor=", "cursor"),
        ("/visitor/v?cursor=1", "cursor"),
        ("/visitor/v?cursor=01-1", "cursor"),
    ] {
        assert_eq!(shop.get(path).refused(400, "invalid_parameter").fields(), [field], "{path}");
    }
    for wrong in ["x".repeat(129), "%00".to_owned()] {
        for answer in [shop.get(&format!("/visitor/{wrong}")), shop.delete(&format!("/visitor/{wrong}"))] {
            answer.invalid(&["visitor_id"]);
        }
    }
    shop.get("/visitor/%FF").refused(404, "not_found");
    for path in ["/visitor-job/0", "/visitor-job/9999", "/visitor-job/x"] {
        shop.get(path).refused(404, "not_found");
    }
    other.get(&format!("/visitor-job/{job}")).refused(404, "not_found");
    for scopes in ["read", "write", "read,write,code,evaluate"] {
        let key = scene.app.scoped(shop, scopes);
        key.get("/visitor/v").refused(403, "missing_scope");
        key.delete("/visitor/v").refused(403, "missing_scope");
        key.get(&format!("/visitor-job/{job}")).refused(403, "missing_scope");
    }
    assert_eq!(done(shop, job)["events"], 0, "nobody of this id was there");
    // The records do not reveal who the visitor was.
    assert_eq!(files_with(scene.data_dir(), &traces(GONE)), [""; 0]);
}

fn a_project_forgets_its_old_events(on: On) {
    let app = on.start_with(|settings| settings.log.roll_bytes = 1);
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    shop.goal("bought");
    let test_id = shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
    let send = |client: &Client, visitor: &str| {
        let exposure = json!({ "id": id(), "type": "exposure", "test_id": test_id, "variant_id": "0" });
        let page = json!({ "id": id(), "type": "pageview", "url": "https://shop.example/" });
        Collector::of(client)
            .trusted
            .post("", json!({ "visitor": { "id": visitor }, "events": [exposure, page] }))
            .ok();
    };
    send(&shop, "old");
    send(&blog, "old");
    // The age of files is by the machine's clock, not by the story's.
    app.pass(3_000 * DAY);
    for n in 0..4 {
        send(&shop, &format!("new-{n}"));
    }
    let result = |client: &Client| client.get(&format!("/experiment/{test_id}/result")).ok();
    assert_eq!(app.expire_events(), [], "no project has a retention");
    app.keep_events(&shop, Some(30));
    let outcomes = app.expire_events();
    assert!(outcomes[0].held.is_some(), "two of ten events are more than a tenth: {outcomes:?}");
    assert_eq!((outcomes[0].deleted, result(&shop)["total_visitors"].as_i64()), (0, Some(5)));
    for n in 4..10 {
        send(&shop, &format!("new-{n}"));
    }
    let outcomes = app.expire_events();
    assert_eq!((outcomes.len(), outcomes[0].deleted, outcomes[0].held), (1, 2, None));
    assert_eq!(app.expire_events(), []);
    let left = stored(&app);
    assert_eq!((left.len(), visitors(&left, "old")), (21, 1), "the other project keeps its own");
    let mut last = Value::Null;
    // The warehouse looks for rewrites once a minute, or with the next deletion.
    done(&shop, delete(&shop, "nobody"));
    eventually("the warehouse has followed", DEADLINE, || {
        last = result(&shop);
        last["total_visitors"] == 10
    });
    let rewritten = &last["manifest"]["logs"][0]["rewritten"];
    assert_eq!((&rewritten["events"], &rewritten["expired"]), (&json!(2), &json!(2)), "{rewritten}");
    app.keep_events(&shop, None);
    assert_eq!(app.expire_events(), []);
}

/// Results from before a deletion are distinguished from wrong ones; a rewrite without the pepper is damage.
#[test]
fn results_before_and_after_are_told_apart() {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    let server = Process::start(&data_dir, &[]);
    let client = server.project("Acme", "Shop");
    let test_id = day(&client);
    let path = format!("/experiment/{test_id}/result");
    let before = client.get_when_loaded(&path).ok();
    assert!(verified(&before.to_string(), &data_dir).0);

    let key = &*client.project_key;
    let deletion = muriel(&["visitor", "delete", "--project", key, "--visitor", "v-3", "--wait", "--json"], &data_dir);
    assert!(deletion.status.success(), "{}", says(&deletion));
    let deletion: Value = serde_json::from_slice(&deletion.stdout).expect("JSON");
    assert_eq!((&deletion["status"], &deletion["requested_by"]), (&json!("done"), &json!("command line")));
    assert!(deletion["events"].as_i64() > Some(3), "{deletion}");
    let listed = muriel(&["visitor", "jobs", "--project", key, "--json"], &data_dir);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    assert_eq!(listed["jobs"][0]["visitor_job_id"], deletion["visitor_job_id"]);

    let (held, said, report) = verified(&before.to_string(), &data_dir);
    assert!(!held && said.contains("cannot be recomputed") && said.contains("deleted later"), "{said}");
    assert_eq!(report["deleted_since"].as_array().map(Vec::len), Some(1), "{report}");
    let after = client.get_when_loaded(&path).ok();
    assert_eq!(after["total_visitors"].as_i64(), before["total_visitors"].as_i64().map(|visitors| visitors - 1));
    let (held, said, report) = verified(&after.to_string(), &data_dir);
    assert!(held, "{said}");
    assert_eq!(report["deleted_since"], json!([]));

    // Removes another visitor without the pepper.
    drop(server);
    let verify = || muriel(&["log", "verify"], &data_dir);
    assert!(verify().status.success() && says(&verify()).contains("rewritten"), "{}", says(&verify()));
    let closed = files(&data_dir)
        .into_iter()
        .map(|(path, _)| path)
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log-")));
    let conn = rusqlite::Connection::open(closed.expect("a closed file")).expect("a log");
    let changed = conn.execute("UPDATE rewrite SET removed = removed + 1", []).expect("a table");
    assert!(changed > 0);
    drop(conn);
    assert!(!verify().status.success());
    assert!(says(&verify()).contains("not signed"), "{}", says(&verify()));
    assert!(!verified(&after.to_string(), &data_dir).0);
}
