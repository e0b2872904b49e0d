//! Tests of commands on the command line.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

mod demo;
mod doctor;
mod explain;
mod files;
mod log;
mod readme;
mod status;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// Longer than any test takes.
const DEADLINE: Duration = Duration::from_secs(180);

fn muriel(words: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muriel"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MURIEL_") {
            command.env_remove(name);
        }
    }
    command.args(words).arg("--data-dir").arg(directory).stdin(Stdio::null());
    command
}

fn run(words: &[&str], directory: &Path) -> Output {
    muriel(words, directory).output().unwrap()
}

#[track_caller]
fn says(words: &[&str], directory: &Path) -> String {
    let output = run(words, directory);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// JSON output of a command.
#[track_caller]
fn json_output(words: &[&str], directory: &Path) -> Value {
    serde_json::from_str(&says(words, directory)).unwrap()
}

/// Standard output and error of a command that fails.
#[track_caller]
fn refuses(words: &[&str], directory: &Path) -> (String, String) {
    let output = run(words, directory);
    assert_eq!(output.status.code(), Some(1), "{words:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Process that is stopped when dropped, and the lines that it prints.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(command: Command) -> Self {
        Self::with_stderr(command, Stdio::null())
    }

    fn with_stderr(mut command: Command, stderr: Stdio) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let (out, (sender, lines)) = (child.stdout.take().unwrap(), mpsc::channel());
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(DEADLINE).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Running server.
struct Server {
    address: String,
    _running: Running,
}

impl Server {
    fn start(flags: &[&str], directory: &Path) -> Self {
        let mut command = muriel(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off"], directory);
        command.args(["--log-level", "error"]).args(flags);
        let running = Running::start(command);
        let address = running.line().strip_prefix("muriel ready http://").unwrap().to_owned();
        Self { address, _running: running }
    }

    /// Response, head and body, to a request such as `GET /`.
    fn answer(&self, request: &str, fields: &[&str], body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = format!("Content-Length: {}", body.len());
        let mut head = vec![format!("{request} HTTP/1.1"), "Host: x".into(), "Connection: close".into(), length];
        head.extend(fields.iter().map(|field| (*field).to_owned()));
        write!(stream, "{}\r\n\r\n{body}", head.join("\r\n")).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

/// Runs a command whose reader closes the pipe before anything is written. Returns
/// its exit status and its standard error.
fn unread(words: &[&str], directory: &Path) -> (Option<i32>, String) {
    let mut child = muriel(words, directory).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn whoever_stops_reading_gets_no_complaint() {
    let directory = tempfile::tempdir().unwrap();
    says(&["project", "create", "--company", "Acme", "--name", "Shop"], directory.path());
    drop(Server::start(&[], directory.path()));
    for words in [
        &["project", "list"][..],
        &["key", "list", "--company", "Acme"],
        &["log", "count"],
        &["log", "count", "--json"],
        &["log", "verify"],
        &["openapi"],
        &["simulate", "--visitors", "1000", "--runs", "10"],
        &["warehouse", "rebuild"],
    ] {
        let (code, said) = match words {
            ["openapi"] => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_muriel"));
                let mut child = command.arg("openapi").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
                drop(child.stdout.take());
                let output = child.wait_with_output().unwrap();
                (output.status.code(), String::from_utf8(output.stderr).unwrap())
            }
            words => unread(words, directory.path()),
        };
        assert_eq!((code, said.as_str()), (Some(0), ""), "{words:?}");
    }
    // Errors keep their exit status.
    let (code, said) = unread(&["project", "list", "--company", "Nobody"], directory.path());
    assert_eq!(code, Some(1), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
