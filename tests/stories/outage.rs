//! Outages of PostgreSQL.

use muriel_http::edge::EdgeSettings;
use muriel_sql::PostgresOptions;
use muriel_tests::process::{command, program, ready};
use muriel_tests::{Client, DEADLINE, Link, On, TestApp, eventually, raw};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a server whose connection to PostgreSQL can be cut.
fn linked() -> (Link, TestApp) {
    let mut link = None;
    let app = On::Postgres.start_with(|settings| {
        let url = settings.storage.database_url.as_mut().expect("a database");
        let (made, through) = Link::to(url);
        *url = through;
        link = Some(made);
        settings.metrics_listen = Some(([127, 0, 0, 1], 0).into());
        settings.node_lease = Duration::from_secs(8);
    });
    (link.expect("a link"), app)
}

fn ask(shop: &Client, key: &str) -> muriel_tests::Answer {
    shop.post(&format!("/ofrep/v1/evaluate/flags/{key}"), json!({ "context": { "targetingKey": "v" } }))
}

fn health(app: &TestApp) -> Value {
    app.anyone().get("/readyz").ok()
}

const LIVE: &str = "live-one";
const PAUSED: &str = "paused-one";

/// Creates a project with a live and a paused experiment.
fn scene(app: &TestApp) -> Client {
    let shop = app.project("Acme", "Shop");
    shop.experiment(json!({ "status": 1, "experiment_key": LIVE }));
    shop.experiment(json!({ "status": 0, "experiment_key": PAUSED }));
    shop
}

#[test]
fn visitors_are_served_while_the_database_is_away() {
    let (link, app) = linked();
    let shop = scene(&app);
    let unseen = app.scoped(&shop, "evaluate");
    let before = ask(&shop, LIVE).ok();
    let bulk = |shop: &Client| shop.post("/ofrep/v1/evaluate/flags", json!({ "context": { "targetingKey": "v" } }));
    let many = || shop.post("/evaluate-many", json!({ "contexts": [{ "targetingKey": "v" }] }));
    let ruleset = || app.anyone().get(&format!("/ruleset/{}", shop.project_key));
    let (all, tag) = (bulk(&shop).ok(), ruleset().etag());
    eventually("readiness", DEADLINE, || health(&app)["status"] == "ready");

    link.cut();
    // Longer than entries in memory count as up to date.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1_500) {
        assert_eq!(ask(&shop, LIVE).ok(), before);
        assert_eq!(bulk(&shop).ok(), all);
        many().ok();
        assert_eq!(ruleset().has_status(200).etag(), tag);
    }
    assert_eq!(ask(&shop, PAUSED).has_status(503).body["errorCode"], "GENERAL", "what is not delivered is not known");
    assert_eq!(bulk(&unseen).has_status(503).header("retry-after"), Some("1"), "a key that nobody used");
    assert_eq!(bulk(&shop.with_key(Some("mrl_x"))).has_status(401).body["errorCode"], "GENERAL");
    for (method, path) in [("GET", "/experiments"), ("GET", "/goals"), ("POST", "/hypothesis")] {
        let call = shop.call(method, path);
        let call = if method == "POST" { call.json(json!({ "problem": "P" })) } else { call };
        let refused = call.send().refused(503, "unavailable");
        assert!(refused.header("retry-after").is_some());
    }
    let degraded = health(&app);
    let states = ["status", "database", "rulesets", "events"].map(|part| degraded[part].as_str().unwrap_or_default());
    assert_eq!(states, ["degraded", "unavailable", "ok", "ok"]);

    // Keys are valid for a day without the database.
    app.pass(Duration::from_secs(24 * 60 * 60 - 1));
    assert_eq!(ask(&shop, LIVE).ok(), before);
    app.pass(Duration::from_secs(1));
    ask(&shop, LIVE).has_status(503);

    link.mend();
    eventually("the way back", DEADLINE, || shop.get("/goals").status == 200);
    eventually("readiness", DEADLINE, || health(&app)["status"] == "ready");
    assert_eq!(ruleset().header("x-muriel-stale"), None);
    assert_eq!(ask(&shop, LIVE).ok(), before);
    ask(&shop, PAUSED).ok();
    bulk(&unseen).ok();
    let made = shop.experiment(json!({ "status": 1, "experiment_key": "after" }));
    assert_eq!(ask(&shop, "after").ok()["metadata"]["test_id"], made);
}

#[test]
fn tasks_wait_for_a_database_that_is_away() {
    let (link, app) = linked();
    let address = app.metrics_address.expect("a listener");
    let request = b"GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let lease = || {
        let status: Value = serde_json::from_str(&raw::unchecked(address, request).text()).expect("JSON");
        let tasks = status["tasks"].as_array().expect("tasks").clone();
        tasks.into_iter().find(|task| task["name"] == "renew_node_lease").expect("a task")
    };
    eventually("the first renewal", DEADLINE, || lease()["outcome"] == "ok");
    link.cut();
    eventually("the wait", DEADLINE, || lease()["outcome"] == "waiting");
    let waiting = lease();
    assert_eq!((&waiting["reason"], &waiting["failures"]), (&json!("it waits for the database"), &json!(0)));
    // The outage is reported once, and does not count as a failure of the tasks.
    let degraded = health(&app);
    assert_eq!((&degraded["database"], &degraded["tasks"]), (&json!("unavailable"), &json!("ok")));
    link.mend();
    eventually("another renewal", DEADLINE, || lease()["outcome"] == "ok");
    eventually("readiness", DEADLINE, || health(&app)["status"] == "ready");
}

#[test]
fn a_key_that_was_revoked_before_is_not_remembered() {
    let (link, app) = linked();
    let shop = scene(&app);
    let key = app.scoped(&shop, "evaluate");
    ask(&key, LIVE).ok();
    app.revoke(&key);
    eventually("the refusal", DEADLINE, || ask(&key, LIVE).status == 401);
    link.cut();
    for _ in 0..3 {
        ask(&key, LIVE).has_status(401);
    }
    link.mend();
}

#[test]
fn a_database_that_does_not_answer_is_waited_for_once() {
    let (link, app) = linked();
    let shop = scene(&app);
    ask(&shop, LIVE).ok();
    link.freeze();
    // One of the requests queries the database every half a second, for at most a second; the others do not
    // wait. A slow machine delays all of them, but not each by a second.
    let took: Vec<Duration> = (0..50)
        .map(|_| {
            let start = Instant::now();
            ask(&shop, LIVE).ok();
            start.elapsed()
        })
        .collect();
    assert!(took.iter().any(|took| *took < Duration::from_millis(900)), "each waits for the database: {took:?}");
    assert_eq!(health(&app)["database"], "unavailable");
    link.cut();
    link.mend();
    eventually("the way back", DEADLINE, || shop.get("/goals").status == 200);
}

/// Like [`linked`], with the timeouts that servers have.
fn bounded() -> (Link, TestApp) {
    let mut link = None;
    let app = On::Postgres.start_with(|settings| {
        let url = settings.storage.database_url.as_mut().expect("a database");
        let (made, through) = Link::to(url);
        *url = through;
        link = Some(made);
        settings.edge = EdgeSettings::default();
        settings.storage.postgres = PostgresOptions::default();
    });
    (link.expect("a link"), app)
}

#[test]
fn a_database_that_hangs_holds_no_request() {
    let (link, app) = bounded();
    let shop = scene(&app);
    let id = shop.experiment(json!({}));
    link.freeze();
    // Reads have a timeout of two seconds and writes of five; otherwise all of them would take thirty.
    for (method, path) in [
        ("GET", "/experiments".to_owned()),
        ("GET", format!("/experiment/{id}/result")),
        ("PATCH", format!("/experiment/{id}")),
        ("POST", "/hypothesis".to_owned()),
    ] {
        let start = Instant::now();
        let call = shop.call(method, &path);
        let call = if method == "GET" { call } else { call.json(json!({ "tags": [], "problem": "P" })) };
        let refused = call.send().has_status(503);
        assert_eq!(refused.body["code"], "unavailable", "{method} {path}: nothing was begun");
        assert!(start.elapsed() < Duration::from_secs(20), "{method} {path} took {:?}", start.elapsed());
    }
    link.thaw();
    eventually("the way back", DEADLINE, || shop.get("/goals").status == 200);
}

#[test]
fn a_write_whose_outcome_is_unknown_is_told_to_be() {
    let (link, app) = bounded();
    let shop = scene(&app);
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    link.keep_answer_to_commit_of("written");
    let unknown = shop.patch(&path, json!({ "tags": ["written"] })).refused(503, "outcome_unknown");
    assert!(unknown.header("retry-after").is_some());
    assert!(unknown.text().contains("read it again before repeating"), "{}", unknown.text());
    link.thaw();
    // This write was stored; repeating it is safe and changes nothing more.
    eventually("the way back", DEADLINE, || shop.get(&path).status == 200);
    assert_eq!(shop.details(id)["tags"], json!(["written"]));
    let before = shop.etag(id);
    eventually("the repeat", DEADLINE, || shop.patch(&path, json!({ "tags": ["written"] })).status == 200);
    assert_eq!(shop.etag(id), before);
}

#[test]
fn a_server_starts_without_its_database() {
    let (link, mut app) = linked();
    let shop = scene(&app);
    let ruleset = |app: &TestApp| app.anyone().get(&format!("/ruleset/{}", shop.project_key));
    let before = ruleset(&app).has_status(200);
    app.stop();
    link.cut();
    app.start_again();
    let after = ruleset(&app).has_status(200);
    assert_eq!((&after.bytes, after.etag()), (&before.bytes, before.etag()));
    assert!(after.header_number("x-muriel-stale") >= 60, "stale at once");
    let degraded = health(&app);
    let states = ["status", "database", "rulesets", "events"].map(|part| degraded[part].as_str().unwrap_or_default());
    assert_eq!(states, ["degraded", "unavailable", "stale", "ok"]);
    let here = shop.at(app.address);
    ask(&here, LIVE).has_status(503);
    here.get("/goals").refused(503, "unavailable");
    app.anyone().get("/ruleset/prj_nowhere").refused(404, "not_found");

    link.mend();
    eventually("readiness", DEADLINE, || health(&app)["status"] == "ready");
    ask(&here, LIVE).ok();
    let id = here.experiment(json!({ "status": 1 }));
    assert!(ruleset(&app).text().contains(&format!("\"test_id\":{id},")));
}

/// A server process that waits for its database, and its log output.
pub(crate) struct WaitingServer {
    child: std::process::Child,
    said: BufReader<std::process::ChildStderr>,
}

impl WaitingServer {
    pub(crate) fn start(data_dir: &Path, url: &str) -> Self {
        let program = program(None).expect("the program");
        let mut serve = command(&program, &["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off"], data_dir);
        serve.args(["--log-level", "error", "--database-url", url]);
        let mut child = serve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
        let said = BufReader::new(child.stderr.take().expect("its output"));
        Self { child, said }
    }

    /// Returns the next line that it logs.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("a line");
        line
    }
}

impl Drop for WaitingServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Containers start in any order, so neither a pepper nor rulesets exist yet.
#[test]
fn the_first_start_waits_for_its_database() {
    let (link, mut app) = linked();
    app.stop();
    link.cut();
    let url = app.settings.storage.database_url.clone().expect("a database");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let place = dir.path().join("data");
    std::fs::create_dir(&place).expect("a directory");
    std::fs::copy(&app.settings.storage.pepper_file, place.join("pepper")).expect("a pepper");
    for data_dir in [dir.path().join("without-a-pepper"), place.clone()] {
        let mut waiting = WaitingServer::start(&data_dir, &url);
        let line = waiting.line();
        assert!(line.contains("the database does not answer; the server waits for it"), "{line}");
        assert!(!line.contains("pepper"), "{line}");
        // It stops on SIGTERM although it is waiting.
        let asked = Command::new("kill").arg(waiting.child.id().to_string()).status().expect("a process");
        assert!(asked.success());
        assert_eq!(waiting.child.wait().expect("a status").code(), Some(0));
    }
    let mut waiting = WaitingServer::start(&place, &url);
    waiting.line();
    link.mend();
    let out = waiting.child.stdout.take().expect("its output");
    let address = ready(out, DEADLINE).expect("an address");
    let request = b"GET /readyz HTTP/1.1\r\nHost: story\r\nConnection: close\r\n\r\n";
    eventually("nothing is behind any more", DEADLINE, || {
        raw::unchecked(address, request).has_status(200).body["status"] == "ready"
    });
}

/// Background work with the database, which continues without requests, must end with
/// the server.
#[test]
fn a_database_that_hangs_holds_up_neither_the_end_nor_a_start() {
    let (link, mut app) = linked();
    let shop = scene(&app);
    app.stop();
    let (place, url) = (&app.settings.storage, app.settings.storage.database_url.clone().expect("a database"));
    let mut server = WaitingServer::start(&place.data_dir, &url);
    let address = ready(server.child.stdout.take().expect("its output"), DEADLINE).expect("an address");
    let get = |address, path: &str| {
        raw::unchecked(address, format!("GET {path} HTTP/1.1\r\nHost: story\r\nConnection: close\r\n\r\n").as_bytes())
    };
    link.freeze();
    // Each request waits a second for the database. By then all tasks with periods of a few seconds wait for it too.
    for _ in 0..7 {
        get(address, "/readyz");
    }
    let asked = Command::new("kill").arg(server.child.id().to_string()).status().expect("a process");
    assert!(asked.success());
    assert_eq!(server.child.wait().expect("a status").code(), Some(0), "it had to be ended by force");

    // It serves from files, without waiting for half a minute first.
    let start = Instant::now();
    let mut server = WaitingServer::start(&place.data_dir, &url);
    let address = ready(server.child.stdout.take().expect("its output"), DEADLINE).expect("an address");
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    get(address, &format!("/ruleset/{}", shop.project_key)).has_status(200);
}

/// Waiting cannot create a missing database or fix wrong credentials.
#[test]
fn a_database_that_says_no_is_not_waited_for() {
    let app = On::Postgres.start();
    let url = app.settings.storage.database_url.clone().expect("a database");
    let (server, _) = url.rsplit_once('/').expect("a database's name");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut waiting = WaitingServer::start(dir.path(), &format!("{server}/nobody_made_this"));
    assert_eq!(waiting.child.wait().expect("a status").code(), Some(1));
    let line = waiting.line();
    assert!(line.contains("nobody_made_this") && !line.contains("pepper"), "{line}");
}

/// A command would write to a SQLite file there, which the server does not use.
#[test]
fn commands_beside_a_server_on_postgres_are_told_where_it_keeps_its_data() {
    let mut app = On::Postgres.start();
    let data_dir = app.settings.storage.data_dir.clone();
    let program = program(None).expect("the program");
    let url = app.settings.storage.database_url.clone().expect("a database");
    for runs in [true, false] {
        if !runs {
            app.stop();
        }
        for words in [
            &["project", "create", "--company", "Acme", "--name", "Stray"][..],
            &["project", "list"],
            &["key", "create", "--company", "Acme"],
            &["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off"],
        ] {
            if runs && words[0] == "serve" {
                continue;
            }
            let output = command(&program, words, &data_dir).output().expect("a process");
            let sentence = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{words:?}: {sentence}");
            for part in ["PostgreSQL", "--config", "--database-url"] {
                assert!(sentence.contains(part), "{words:?}: {sentence}");
            }
            assert!(!data_dir.join("muriel.db").exists(), "{words:?}");
        }
    }
    let words = ["project", "create", "--company", "Acme", "--name", "Known", "--database-url", &url];
    assert!(command(&program, &words, &data_dir).output().expect("a process").status.success());
}
