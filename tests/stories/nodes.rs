//! Several servers on one PostgreSQL database: each keeps the events that it accepted.

use crate::outage::WaitingServer;
use crate::scene::{Collector, id};
use muriel_tests::process::{command, program};
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories![a_node_is_known_by_its_data_directory];

/// Longer than any story takes.
const LONG: Duration = Duration::from_secs(3_600);

/// Creates a project with a live experiment.
fn scene(app: &TestApp) -> (Client, i64) {
    let shop = app.project("Acme", "Shop");
    shop.goal("bought");
    let test_id = shop.experiment(json!({ "status": 1, "primary_goal_key": "bought" }));
    (shop, test_id)
}

fn result(shop: &Client, test_id: i64) -> Value {
    shop.get(&format!("/experiment/{test_id}/result")).ok()
}

/// Returns the status of the check, and the verdict.
fn checked(shop: &Client, test_id: i64) -> (String, String) {
    let result = result(shop, test_id);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let state = text(&result["health"]["other_nodes"]["status"]);
    (state, text(&result["variants"][1]["analysis"]["verdict"]))
}

fn is(state: &str, verdict: &str) -> (String, String) {
    (state.to_owned(), verdict.to_owned())
}

fn enters(shop: &Client, test_id: i64, visitor: &str) {
    let exposure =
        json!({ "id": id(), "type": "exposure", "test_id": test_id, "variant_id": "0", "at": "2026-03-01T10:00:00Z" });
    let sent = Collector::of(shop).trusted.post("", json!({ "visitor": { "id": visitor }, "events": [exposure] })).ok();
    assert_eq!(sent["results"][0]["status"], "ok");
}

fn elsewhere(app: &TestApp) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let data_dir = dir.path().join("data");
    assert_ne!(data_dir, app.settings.storage.data_dir);
    (dir, data_dir)
}

#[test]
fn a_second_node_does_not_start() {
    let mut app = On::Postgres.start();
    let (shop, test_id) = scene(&app);
    let (_dir, data_dir) = elsewhere(&app);
    for _ in 0..2 {
        let sentence = app.start_refused(|settings| settings.storage.data_dir = data_dir.clone());
        for part in ["another muriel node is running", "--alone", "other_nodes", "data directory"] {
            assert!(sentence.contains(part), "{part}: {sentence}");
        }
    }
    assert_eq!(checked(&shop, test_id), is("unknown", "keep_running"), "who was refused is none");
    // The first node releases its lease on stopping, so the second is admitted at once.
    app.stop();
    let first = app.settings.storage.data_dir.clone();
    app.settings.storage.data_dir = data_dir;
    app.start_again();
    assert_eq!(app.nodes().iter().filter(|node| node.is_live).count(), 1);
    // Now the first node is the extra one.
    assert!(app.start_refused(|settings| settings.storage.data_dir = first).contains("another muriel node"));
}

#[test]
fn results_of_nodes_side_by_side_fail_a_check() {
    let app = On::Postgres.start();
    let (shop, test_id) = scene(&app);
    enters(&shop, test_id, "one");
    assert_eq!(checked(&shop, test_id), is("ok", "keep_running"));
    let beside = app.start_beside();
    let there = shop.at(beside.address);
    eventually("what the other knows", DEADLINE, || there.get(&format!("/experiment/{test_id}/result")).status == 200);
    // Results cached a moment ago are not returned any more.
    for shop in [&shop, &there] {
        assert_eq!(checked(shop, test_id), is("fail", "do_not_trust"));
        let result = result(shop, test_id);
        assert_eq!(result["health"]["status"], "fail");
        let by_day = shop.get(&format!("/experiment/{test_id}/timeseries"));
        let warnings = by_day.header("x-muriel-warnings").expect("a header");
        assert!(warnings.contains("health.other_nodes: 1 other node runs"), "{warnings}");
        assert_eq!(result["manifest"]["other_nodes"].as_array().map(Vec::len), Some(1), "{}", result["manifest"]);
    }
    // Such a result is computed correctly, and says itself that it must not be trusted.
    let file = app.settings.storage.data_dir.with_file_name("result.json");
    std::fs::write(&file, result(&shop, test_id).to_string()).expect("a file");
    let words = ["verify", file.to_str().expect("a path")];
    let mut verify = command(&program(None).expect("the program"), &words, &app.settings.storage.data_dir);
    let url = app.settings.storage.database_url.as_ref().expect("a database");
    let output = verify.args(["--database-url", url]).output().expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("every value is the same"), "{said}");
    assert!(said.contains("Its health check other_nodes fails: 1 other node runs"), "{said}");
    drop(beside);
    assert_eq!(checked(&shop, test_id), is("ok", "keep_running"), "it took no events");

    let beside = app.start_beside();
    let there = shop.at(beside.address);
    enters(&there, test_id, "two");
    assert_eq!(result(&shop, test_id)["total_visitors"], 1, "the other is missing");
    drop(beside);
    assert_eq!(checked(&shop, test_id).0, "warn", "and stays so when its node is gone");
    assert_eq!(result(&shop, test_id)["health"]["status"], "warn");
    let gone = app.nodes().into_iter().find(|node| !node.is_live && node.blocks > 0).expect("a node");
    app.forget_node(&gone.id);
    assert_eq!(checked(&shop, test_id), is("ok", "keep_running"));
}

/// A newer release that is refused leaves the schema to the running node.
#[test]
fn a_node_that_is_refused_does_not_migrate() {
    let mut app = On::Postgres.start();
    app.stop();
    app.downgrade();
    let old = app.schema_version();
    app.leave_behind("old", 0, LONG);
    assert!(app.start_refused(|_| {}).contains("old on elsewhere"));
    assert_eq!(app.schema_version(), old);
    // A node that is forced to start, or is alone, migrates.
    app.settings.alone = true;
    app.start_again();
    assert_eq!(app.schema_version(), old + 1);

    app.stop();
    app.downgrade();
    app.leave_behind("old", 0, Duration::from_millis(1));
    app.settings.alone = false;
    app.start_again();
    assert_eq!(app.schema_version(), old + 1);
}

/// A crashed node does not release its lease, which has to expire by the database's clock.
#[test]
fn who_died_is_waited_for() {
    let mut app = On::Postgres.start();
    let (shop, test_id) = scene(&app);
    app.stop();
    app.leave_behind("died", 3, Duration::from_millis(1));
    app.start_again();
    let shop = shop.at(app.address);
    assert_eq!(checked(&shop, test_id).0, "warn", "it took events");
    app.stop();
    app.leave_behind("hangs", 0, LONG);
    assert!(app.start_refused(|_| {}).contains("hangs on elsewhere"));
    // The clocks of nodes have no effect.
    app.pass(LONG * 48);
    assert!(app.start_refused(|_| {}).contains("hangs on elsewhere"));
    app.leave_behind("hangs", 0, Duration::from_millis(1));
    app.start_again();
}

fn a_node_is_known_by_its_data_directory(on: On) {
    let mut app = on.start();
    let (shop, test_id) = scene(&app);
    assert_eq!(checked(&shop, test_id), is("unknown", "keep_running"));
    let nodes = app.nodes();
    if on == On::Sqlite {
        assert_eq!(nodes, [], "one process serves a file");
        app.start_again();
        return;
    }
    let [own] = &nodes[..] else { panic!("{nodes:?}") };
    // As after a crash: its lease is still valid, and the same node takes over at once.
    app.stop();
    app.leave_behind(&own.id, 0, LONG);
    app.start_again();
    let shop = shop.at(app.address);
    assert_eq!(checked(&shop, test_id), is("unknown", "keep_running"));
    let again = app.nodes();
    assert_eq!(again.len(), 1, "{again:?}");
    assert_eq!((&again[0].id, again[0].started_at), (&own.id, own.started_at));
    assert_ne!(again[0].session, own.session);
}

/// A start that fails, or that is never heard of again, must not make other nodes forget which
/// events the node has.
#[test]
fn a_start_that_fails_hides_no_events() {
    let mut app = On::Postgres.start();
    let (shop, test_id) = scene(&app);
    enters(&shop, test_id, "one");
    app.stop();
    let before = app.nodes();
    assert!(before[0].blocks > 0 && !before[0].is_live, "{before:?}");
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = taken.local_addr().map(|address| (taken, address)).expect("an address");
    let url = app.settings.storage.database_url.clone().expect("a database");
    let words = ["serve", "--metrics-listen", "off", "--database-url", &url, "--listen", &taken.1.to_string()];
    let program = program(None).expect("the program");
    let failed = command(&program, &words, &app.settings.storage.data_dir).output().expect("a process");
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let after = app.nodes();
    assert_eq!((after[0].blocks, after[0].is_live), (before[0].blocks, false), "{after:?}");

    // A node that crashes before it has counted its blocks.
    app.leave_behind(&before[0].id, 0, Duration::from_millis(1));
    assert_eq!(app.nodes()[0].blocks, before[0].blocks);
    let (_dir, data_dir) = elsewhere(&app);
    app.settings.storage.data_dir = data_dir;
    app.start_again();
    assert_eq!(checked(&shop.at(app.address), test_id).0, "warn", "the first one's visitor is missing");
}

/// A data directory that was restored from a backup lacks acknowledged events.
#[test]
fn a_log_that_became_shorter_is_told() {
    let mut app = On::Postgres.start();
    let (shop, test_id) = scene(&app);
    enters(&shop, test_id, "one");
    app.stop();
    let own = app.nodes().remove(0);
    app.leave_behind(&own.id, own.blocks + 1, Duration::from_millis(1));
    let url = app.settings.storage.database_url.clone().expect("a database");
    let line = WaitingServer::start(&app.settings.storage.data_dir, &url).line();
    for part in ["fewer blocks than this node had before", &format!("\"most_blocks\":{}", own.blocks + 1)] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

/// A lease in the future has no effect once the database's clock is right again.
#[test]
fn a_database_clock_that_was_ahead_keeps_nobody_out() {
    let mut app = On::Postgres.start_with(|settings| settings.node_lease = Duration::from_secs(1));
    let (shop, test_id) = scene(&app);
    let days = Duration::from_secs(400 * 86_400);
    app.stop();
    app.leave_behind("ahead", 3, LONG);
    app.shift_node("ahead", days);
    app.start_again();
    let shop = shop.at(app.address);
    assert_eq!(checked(&shop, test_id).0, "warn", "it has events, and does not run");
    app.forget_node("ahead");
    assert_eq!(checked(&shop, test_id).0, "unknown");
    // A running node counts as seen again at once.
    let own = app.nodes()[0].id.clone();
    app.shift_node(&own, days);
    eventually("the next renewal", DEADLINE, || app.nodes()[0].is_live);
}

/// A copy of a data directory claims to be the same node; the first of the two notices, and from then
/// on they are two nodes.
#[test]
fn a_copy_of_a_node_is_another() {
    let app = On::Postgres.start_with(|settings| settings.node_lease = Duration::from_secs(1));
    let (shop, test_id) = scene(&app);
    let own = app.nodes()[0].id.clone();
    app.leave_behind(&own, 0, LONG);
    eventually("the notice", DEADLINE, || checked(&shop, test_id).0 == "fail");
    eventually("a lease of its own", DEADLINE, || {
        let nodes = app.nodes();
        nodes.len() == 2 && nodes.iter().all(|node| node.is_live)
    });
}
