//! Tests of `muriel status` with and without a running server.

use crate::{DEADLINE, Running, json_output, muriel, refuses, says};
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[test]
fn the_tasks_of_a_running_server_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let address = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().to_string();
    let words = ["status", "--metrics-listen", &address];
    let (out, error) = refuses(&words, directory.path());
    assert!(
        out.is_empty() && error.contains(&format!("no muriel server answers at http://{address}/status")),
        "{error}"
    );
    let (_, error) = refuses(&["status", "--metrics-listen", "off"], directory.path());
    assert!(error.contains("metrics-listen is off"), "{error}");

    let mut command = muriel(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", &address], directory.path());
    command.args(["--log-level", "error"]);
    let running = Running::start(command);
    running.line();
    let deadline = Instant::now() + DEADLINE;
    let tasks = loop {
        let answer = json_output(&["status", "--json", "--metrics-listen", &address], directory.path());
        let tasks = answer["tasks"].as_array().unwrap().clone();
        if tasks.iter().any(|task| task["name"] == "measure_health" && task["outcome"] == "ok") {
            break tasks;
        }
        assert!(Instant::now() < deadline, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let text = says(&words, directory.path());
    let mut lines = text.lines();
    let titles: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(titles, ["TASK", "PERIOD", "OUTCOME", "LAST", "RUN", "TOOK", "NEXT", "RUN"]);
    for task in &tasks {
        let name = task["name"].as_str().unwrap();
        assert!(lines.any(|line| line.starts_with(&format!("{name} "))), "{name} is not in\n{text}");
    }
}
