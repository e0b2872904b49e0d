//! Tests of applying with a server that was changed, redirects, or disconnects.

use super::*;
use crate::files::content::{Fields, Stored};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use url::Url;

/// Stub server. Answers a request that begins with the given text with a status, fields and a body, and records the
/// requests. `None` closes the connection without a response.
struct Stub {
    address: Url,
    requests: Arc<Mutex<Vec<String>>>,
}

type Answers = Vec<(&'static str, Option<(&'static str, String)>)>;

impl Stub {
    fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let request = read(&stream);
                let answer = answers.iter().find(|(begin, _)| request.starts_with(begin)).map(|(_, answer)| answer);
                seen.lock().unwrap().push(request);
                let Some(Some((head, body))) = answer else { continue };
                let length = body.len();
                let _ =
                    write!(&stream, "HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
            }
        });
        Self { address, requests }
    }

    fn api(&self) -> Api {
        Api::at(self.address.clone(), "key".to_owned(), "p")
    }

    /// Number of requests that begin with `begin`.
    fn count(&self, begin: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|request| request.starts_with(begin)).count()
    }
}

/// Reads a whole request.
fn read(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(bytes) = line.to_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap();
        }
        text.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    text + &String::from_utf8(body).unwrap()
}

fn goal(name: &str) -> Fields {
    let mut fields = Fields::new();
    fields.insert("goal_name".to_owned(), name.into());
    fields
}

/// Change of a goal that the plan saw as `Seen`.
fn change(act: Act) -> Change {
    let stored = Stored::new(Kind::Goal, "g", &details("Seen"), &HashMap::new());
    let fields = Stored::new(Kind::Goal, "g", &goal("New"), &HashMap::new()).fields;
    let before = Value::Object(stored.fields.clone());
    let differences = muriel_api::check::differences(&before, &Value::Object(fields.clone()));
    let stored = (act != Act::Create).then_some(stored);
    Change { kind: Kind::Goal, name: "g".to_owned(), act, stored, fields, differences, status: None }
}

fn details(name: &str) -> Fields {
    let mut details = goal(name);
    details.insert("goal_profile_id".to_owned(), 5.into());
    details
}

fn found(name: &str) -> Option<(&'static str, String)> {
    Some(("200 OK\r\nETag: \"v2\"", json!({ "success": true, "goal": details(name) }).to_string()))
}

fn done() -> Option<(&'static str, String)> {
    Some(("200 OK\r\nETag: \"v3\"", json!({ "success": true, "goal_profile_id": 5 }).to_string()))
}

fn applied(stub: &Stub, changes: &[Change]) -> (std::result::Result<(), String>, usize) {
    let mut made = 0;
    let applied = apply(&stub.api(), changes, &Names::default(), |_| made += 1);
    (applied.map_err(|stopped| format!("{} {}", stopped.object, stopped.reason)), made)
}

const GET: &str = "GET /v2/project/p/goal/5 ";
const PATCH: &str = "PATCH /v2/project/p/goal/5 ";
const DELETE: &str = "DELETE /v2/project/p/goal/5 ";

#[test]
fn what_the_plan_saw_is_changed_under_its_version() {
    let stub = Stub::start(vec![(GET, found("Seen")), (PATCH, done()), (DELETE, done())]);
    assert_eq!(applied(&stub, &[change(Act::Update), change(Act::Remove)]), (Ok(()), 2));
    for request in stub.requests.lock().unwrap().iter().filter(|request| !request.starts_with("GET")) {
        assert!(request.to_lowercase().contains("if-match: \"v2\"\r\n"), "{request}");
    }
}

#[test]
fn what_was_changed_since_is_left_alone_and_named() {
    let gone = Some(("404 Not Found", json!({ "success": false, "error": "not found" }).to_string()));
    for (answer, act) in [(found("Theirs"), Act::Update), (found("Theirs"), Act::Remove), (gone, Act::Update)] {
        let stub = Stub::start(vec![(GET, answer), (PATCH, done()), (DELETE, done())]);
        let (stopped, made) = applied(&stub, &[change(act), change(Act::Update)]);
        assert_eq!((stopped, made), (Err(format!("goal g {CHANGED}")), 0));
        assert_eq!((stub.count("PATCH"), stub.count("DELETE"), stub.count("GET")), (0, 0, 1));
    }
    // Changed between the check and the update: the server refuses the version.
    let late = Some(("412 Precondition Failed", json!({ "success": false, "error": "changed" }).to_string()));
    let stub = Stub::start(vec![(GET, found("Seen")), (PATCH, late)]);
    assert_eq!(applied(&stub, &[change(Act::Update)]), (Err(format!("goal g {CHANGED}")), 0));
}

#[test]
fn a_creation_that_is_lost_is_repeated_and_a_change_is_not() {
    let stub = Stub::start(vec![("POST", None)]);
    let (stopped, _) = applied(&stub, &[change(Act::Create)]);
    assert!(stopped.is_err_and(|reason| reason.starts_with("goal g may have been created or not")));
    let keys: Vec<String> = (stub.requests.lock().unwrap().iter())
        .filter_map(|request| request.lines().find(|line| line.to_lowercase().starts_with("idempotency-key:")))
        .map(str::to_owned)
        .collect();
    assert!(keys.len() >= 3 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");

    let stub = Stub::start(vec![(GET, found("Seen")), (PATCH, None)]);
    let (stopped, _) = applied(&stub, &[change(Act::Update), change(Act::Update)]);
    assert!(stopped.is_err_and(|reason| reason.starts_with("goal g may have been changed or not")));
    assert_eq!(stub.count("GET"), 1, "it stops there");
}

#[test]
fn the_key_goes_nowhere_else() {
    let elsewhere = Stub::start(vec![("GET", found("Seen"))]);
    let head: &'static str = format!("307 Temporary Redirect\r\nLocation: {}v2/x", elsewhere.address).leak();
    let stub = Stub::start(vec![("GET", Some((head, String::new())))]);
    let (stopped, _) = applied(&stub, &[change(Act::Update)]);
    assert!(stopped.is_err_and(|reason| reason.contains("not like a muriel server")));
    assert_eq!(elsewhere.count(""), 0);
}

#[test]
fn a_busy_server_is_waited_for() {
    let busy = Some(("429 Too Many Requests\r\nRetry-After: 0", json!({ "error": "too many\u{1b}[31m" }).to_string()));
    let stub = Stub::start(vec![("POST", busy)]);
    let (stopped, _) = applied(&stub, &[change(Act::Create)]);
    let reason = stopped.unwrap_err();
    assert!(reason.contains("too many") && !reason.contains('\u{1b}'), "{reason}");
    assert_eq!(stub.count("POST"), 6);
}
