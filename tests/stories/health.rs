//! The server itself: health, metrics, its contract, start and stop.

use crate::scene::{Collector, Things, id};
use muriel_tests::process::{command, program};
use muriel_tests::{Contract, DEADLINE, On, eventually, raw, stories};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

stories! {
    always: [
        metrics_count_what_pages_lost,
        tasks_and_their_outcomes_can_be_seen,
        only_the_right_pepper_will_do,
        everything_is_there_after_a_restart,
    ],
    postgres_at_night: [
        it_lives_and_is_ready,
        metrics_have_a_listener_of_their_own,
        commands_find_the_server_of_a_data_directory,
        the_contract_is_the_published_one,
        one_server_per_data_directory,
    ],
}

fn it_lives_and_is_ready(on: On) {
    let app = on.start();
    for (path, status) in [("/livez", "live"), ("/readyz", "ready")] {
        let answer = app.anyone().get(path);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(path == "/readyz" || answer.ok()["status"] == status);
    }
    let ready = json!({
        "status": "ready", "database": "ok", "rulesets": "ok", "events": "ok", "disk": "ok", "warehouse": "ok", "log": "ok",
        "tasks": "ok",
    });
    // On a slow machine the database may take longer than the second it is given.
    let end = Instant::now() + DEADLINE;
    while app.anyone().get("/readyz").ok() != ready && Instant::now() < end {}
    assert_eq!(app.anyone().get("/readyz").ok(), ready);
    for path in [
        "/",
        "/docs/start",
        "/docs",
        "/docs/operations/createExperiment",
        "/docs/guides/openfeature",
        "/docs/search?q=goal",
    ] {
        let page = app.anyone().get(path).has_status(200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(page.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'")));
    }
    // The page is for people, so it is not in the contract's error format.
    let request = b"GET /docs/guides/nothing HTTP/1.1\r\nHost: story\r\nConnection: close\r\n\r\n";
    let missing = raw::unchecked(app.address, request).has_status(404);
    assert_eq!(missing.header("content-type"), Some("text/html; charset=utf-8"));
}

fn metrics_count_what_pages_lost(on: On) {
    let app = on.start_with(|settings| settings.metrics_listen = Some(([127, 0, 0, 1], 0).into()));
    let pages = Collector::of(&app.project("Acme", "Shop"));
    let lost = |count: f64| json!({ "id": id(), "type": "health", "dropped": count });
    let three = lost(3.0);
    assert_eq!(pages.take(&[three.clone(), lost(5e8), lost(-1.0)]).statuses(), ["ok", "ok", "invalid"]);
    assert_eq!(pages.take(&[three]).statuses(), ["duplicate"]);
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost:4171\r\nConnection: close\r\n\r\n";
    let metrics = raw::unchecked(app.metrics_address.expect("a listener"), request).has_status(200).text();
    assert!(metrics.lines().any(|line| line == "muriel_events_lost_by_pages_total 1003"), "{metrics}");
}

fn metrics_have_a_listener_of_their_own(on: On) {
    let app = on.start_with(|settings| settings.metrics_listen = Some(([127, 0, 0, 1], 0).into()));
    let shop = app.project("Acme", "Shop");
    shop.get("/goals").ok();
    let address = app.metrics_address.expect("a listener");
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost:4171\r\nConnection: close\r\n\r\n";
    let metrics = raw::unchecked(address, request).has_status(200).text();
    for component in ["database", "rulesets", "events", "disk", "warehouse", "log", "tasks"] {
        let ok = format!("muriel_component_ok{{component=\"{component}\"}} 1");
        eventually(component, DEADLINE, || raw::unchecked(address, request).text().lines().any(|line| line == ok));
    }
    let plain = b"GET /metrics HTTP/1.1\r\nHost: localhost:4171\r\nAccept: text/plain;version=0.0.4\r\nConnection: close\r\n\r\n";
    let (open, plain) = (raw::unchecked(address, request), raw::unchecked(address, plain).has_status(200));
    assert!(open.header("content-type").is_some_and(|kind| kind.starts_with("application/openmetrics-text")));
    assert_eq!(plain.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(plain.text().contains("\n# TYPE muriel_http_requests_total counter\n") && !plain.text().contains("# EOF"));
    // A page whose own name resolves to this server, as by DNS rebinding, cannot read the metrics.
    let rebound = b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert!(!raw::unchecked(address, rebound).has_status(421).text().contains("muriel_"));
    let line = metrics.lines().find(|line| line.contains("goals") && line.contains("200"));
    assert!(line.is_some_and(|line| line.contains("/v2/project/{project_key}/goals")), "{metrics}");
    assert!(!metrics.contains(&shop.project_key), "no key is in a label");
    raw::exchange(app.address, request).refused(404, "unknown_route");
    let other = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    raw::unchecked(address, other).has_status(404);
}

/// Returns the tasks in docs/running.md, each with its period in milliseconds.
fn documented_tasks(on: On) -> BTreeMap<String, u64> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/running.md");
    let guide = std::fs::read_to_string(guide).expect("a guide");
    let (_, tasks) = guide.split_once("| Task | Period |").expect("a table");
    let rows = tasks.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (name, period) = (cells.next().expect("a name"), cells.next().expect("a period"));
        let of_postgres = period.split_once("on PostgreSQL ").filter(|_| on == On::Postgres);
        let mut words = of_postgres.map_or(period, |(_, period)| period).split([' ', ',']);
        let number: u64 = words.next().and_then(|number| number.parse().ok()).expect("a number");
        let unit = match words.next() {
            Some("ms") => 1,
            Some("s") => 1_000,
            Some("min") => 60_000,
            Some("h") => 3_600_000,
            unit => panic!("{line}: {unit:?}"),
        };
        (name.trim_matches('`').to_owned(), number * unit)
    };
    rows.map(row).collect()
}

fn tasks_and_their_outcomes_can_be_seen(on: On) {
    let app = on.start_with(|settings| {
        settings.metrics_listen = Some(([127, 0, 0, 1], 0).into());
        settings.log_retention_days = Some(30);
    });
    let address = app.metrics_address.expect("a listener");
    let ask = |path: &str, host: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        raw::unchecked(address, request.as_bytes())
    };
    let tasks = || -> Vec<Value> {
        let answer = ask("/status", "localhost:4171").has_status(200);
        let status: Value = serde_json::from_str(&answer.text()).expect("JSON");
        status["tasks"].as_array().expect("tasks").clone()
    };
    let find = |name: &str| tasks().into_iter().find(|task| task["name"] == name).expect(name);
    eventually("a run", DEADLINE, || find("measure_health")["outcome"] == "ok");
    let ran = find("measure_health");
    assert_eq!((&ran["period_ms"], &ran["reason"], &ran["failures"]), (&json!(5_000), &Value::Null, &json!(0)));
    assert!(ran["last_started_at"].is_string() && ran["last_succeeded_at"].is_string(), "{ran}");
    assert!(ran["runs"].as_u64() > Some(0) && ran["last_duration_ms"].is_number(), "{ran}");
    // The task waits for an hour, in case the clock is wrong at the start.
    let waits = find("delete_old_events");
    assert_eq!((&waits["outcome"], &waits["last_started_at"]), (&json!("pending"), &Value::Null));
    assert!(waits["next_due_at"].is_string(), "{waits}");
    for name in ["refresh_rulesets", "write_key_uses", "warm_reports", "sweep_rate_limits"] {
        find(name);
    }
    let documented = documented_tasks(on);
    // Leases are longer in stories, so that a slow machine keeps them.
    for task in tasks().iter().filter(|task| task["name"] != "renew_node_lease") {
        let name = task["name"].as_str().expect("a name");
        assert_eq!(documented.get(name), task["period_ms"].as_u64().as_ref(), "{name} in docs/running.md");
    }
    let is_on_postgres = tasks().iter().any(|task| task["name"] == "renew_node_lease");
    assert_eq!(is_on_postgres, matches!(on, On::Postgres), "only nodes of one PostgreSQL database have leases");

    let metrics = ask("/metrics", "localhost:4171").has_status(200).text();
    let value = |name: &str| {
        let start = format!("{name}{{task=\"measure_health\"}} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&start)).expect(name);
        line.parse::<f64>().expect(name)
    };
    assert!(value("muriel_task_runs_total") >= 1.0 && value("muriel_task_failures_total") == 0.0);
    assert!(value("muriel_task_last_success_timestamp_seconds") > 1e9);
    assert!(value("muriel_task_last_duration_seconds") >= 0.0);
    assert!(!ask("/status", "evil.example").has_status(421).text().contains("tasks"));
    app.anyone().get("/status").has_status(404);
}

fn commands_find_the_server_of_a_data_directory(on: On) {
    let app = on.start_with(|settings| settings.metrics_listen = Some(([127, 0, 0, 1], 0).into()));
    let shop = app.project("Acme", "Shop");
    let data_dir = &app.settings.storage.data_dir;
    let key = shop.api_key.as_deref().expect("a key");
    // The database URL is in a file, as where it contains a password.
    let url_file = data_dir.with_file_name("database-url");
    let run = |words: &[&str], uses_database: bool| {
        let mut command = command(&program(None).expect("the program"), words, data_dir);
        if let Some(url) = app.settings.storage.database_url.as_ref().filter(|_| uses_database) {
            std::fs::write(&url_file, format!("{url}\n")).expect("a file");
            command.arg("--database-url-file").arg(&url_file);
        }
        let output = command.env("MURIEL_API_KEY", key).output().expect("a process");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(run(&["status"], true).contains("refresh_rulesets"));
    let link = format!("http://{}/invitation#", app.address);
    let added = run(&["person", "add", "--company", "Acme", "--email", "a@b.example", "--role", "editor"], true);
    assert!(added.contains(&link), "{added}");
    let reset = run(&["person", "reset", "--email", "a@b.example"], true);
    assert!(reset.contains(&format!("http://{}/", app.address)), "{reset}");
    let snippet = run(&["project", "snippet", &shop.project_key], true);
    assert!(snippet.contains(&format!("http://{}/js/{}.js", app.address, shop.project_key)), "{snippet}");
    let files = data_dir.with_file_name("files");
    run(&["export", "--project", &shop.project_key, "--dir", files.to_str().expect("a path")], false);
    assert!(files.join("project.toml").is_file());
}

fn the_contract_is_the_published_one(on: On) {
    let app = on.start();
    let served = app.anyone().get("/openapi.json").has_status(200);
    assert_eq!(served.text(), Contract::get().text, "every server of this run has the same");
    assert_eq!(served.body["openapi"], "3.1.0");
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/openapi.json");
    if committed.exists() {
        let committed = std::fs::read_to_string(committed).expect("the committed contract");
        let committed: Value = serde_json::from_str(&committed).expect("the committed contract");
        assert!(served.body == committed, "contract/openapi.json is stale: run scripts/fresh --write");
    }
    let operations = &Contract::get().operations;
    for id in ["updateExperiment", "listExperiments", "listHypotheses"] {
        assert!(operations.iter().any(|operation| operation.id == id), "{id}");
    }
    let is_of_admin = |path: &str| {
        ["/webhook", "/visitor/", "/visitor-job/", "/exclusions", "/exclusion/", "/suspects"]
            .iter()
            .any(|part| path.contains(part))
    };
    for operation in operations {
        let expect = match operation.method.as_str() {
            _ if operation.id == "sendEventBatch" => "write",
            // Operations on people and their own data have their own story: roles_hold_for_every_operation.
            _ if operation.path.starts_with("/v2/") && !operation.is_below_project() => continue,
            _ if !operation.is_below_project() => "none",
            _ if operation.id.starts_with("evaluate") => "evaluate",
            "GET" if !is_of_admin(&operation.path) => "read",
            _ if ["previewChange", "previewRestore", "simulateExperiment", "watchExperiment", "unwatchExperiment"]
                .contains(&operation.id.as_str()) =>
            {
                "read"
            }
            _ if ["setCurrencyRates", "updateProjectSettings"].contains(&operation.id.as_str())
                || is_of_admin(&operation.path) =>
            {
                "admin"
            }
            _ => "write",
        };
        assert_eq!(operation.scope, expect, "{}", operation.id);
    }
}

fn one_server_per_data_directory(on: On) {
    let app = on.start();
    let sentence = app.start_refused(|_| {});
    assert!(sentence.contains("another muriel serve is running"), "{sentence}");
    assert!(sentence.contains(&app.settings.storage.data_dir.display().to_string()), "{sentence}");
    app.anyone().get("/readyz").ok();
}

fn only_the_right_pepper_will_do(on: On) {
    let mut app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.get("/goals").ok();
    app.stop();
    let pepper = app.settings.storage.pepper_file.clone();
    let elsewhere = pepper.with_file_name("elsewhere");
    std::fs::rename(&pepper, &elsewhere).expect("the pepper moves");
    let missing = app.start_refused(|_| {});
    assert!(missing.contains("no pepper") && missing.contains(&pepper.display().to_string()), "{missing}");
    assert!(!pepper.exists(), "none is made for a database that has keys");
    std::fs::write(&pepper, "another pepper that is long enough to be one\n").expect("another pepper");
    let wrong = app.start_refused(|_| {});
    assert!(wrong.contains("is not the one that the database was created with"), "{wrong}");
    std::fs::write(&pepper, "short\n").expect("a short pepper");
    let short = app.start_refused(|_| {});
    assert!(short.contains("shorter than 32 characters"), "{short}");
    app.settings.storage.pepper_file = elsewhere;
    app.start_again();
    shop.at(app.address).get("/goals").ok();
}

fn everything_is_there_after_a_restart(on: On) {
    let mut app = on.start();
    let shop = app.project("Acme", "Shop");
    let things = Things::make(&shop, "kept");
    let gone = shop.experiment(json!({ "status": 1 }));
    shop.delete(&format!("/experiment/{gone}")).ok();
    let keyed = |shop: &muriel_tests::Client| {
        let call = shop.call("POST", "/hypothesis").header("idempotency-key", "key");
        call.json(json!({ "problem": "P" })).send().created()
    };
    let answered = keyed(&shop);
    let before = things.all(&shop);
    let etag = shop.etag(things.test_id);
    app.start_again();
    let shop = shop.at(app.address);
    assert_eq!(things.all(&shop), before);
    assert_eq!(shop.etag(things.test_id), etag);
    assert_eq!(keyed(&shop), answered, "what was answered is known");
    assert!(shop.experiment(json!({})) > gone, "ids are not used again");
}
