//! Projects, keys and explanations as they are asked for on the command line.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

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
fn told(words: &[&str], directory: &Path) -> Value {
    let output = run(words, directory);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn refused(words: &[&str], directory: &Path) -> String {
    let output = run(words, directory);
    assert_eq!(output.status.code(), Some(1), "{words:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Killed when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn projects_and_their_keys_are_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let shop = told(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], at);
    let blog = told(&["project", "create", "--company", "Other", "--name", "Blog", "--json"], at);
    let (shop, blog) = (shop["project_key"].as_str().unwrap(), blog["project_key"].as_str().unwrap());
    let said = refused(&["project", "create", "--company", "Acme", "--name", "Shop"], at);
    assert_eq!(said, format!("muriel: the company \"Acme\" has a project \"Shop\" already; its key is {shop}\n"));

    let all = told(&["project", "list", "--json"], at);
    assert_eq!(all["projects"].as_array().unwrap().len(), 2);
    let of_other = told(&["project", "list", "--company", "Other", "--json"], at);
    assert_eq!(
        of_other["projects"],
        json!([{ "company_id": 2, "company": "Other", "name": "Blog", "project_key": blog }])
    );
    let table = String::from_utf8(run(&["project", "list"], at).stdout).unwrap();
    assert_eq!(table, format!("COMPANY  PROJECT  KEY\nAcme     Shop     {shop}\nOther    Blog     {blog}\n"));
    assert!(refused(&["project", "list", "--company", "Nobody"], at).contains("there is no company \"Nobody\""));

    told(&["key", "create", "--company", "Acme", "--project", shop, "--json"], at);
    let keys = told(&["key", "list", "--company", "Acme", "--json"], at);
    let of: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| key["project_keys"].clone()).collect();
    assert!(of.contains(&Value::Null) && of.contains(&json!([shop])), "{of:?}");
}

#[test]
fn the_command_explains_as_the_api_does() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let made = told(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], at);
    let (project, key) = (made["project_key"].as_str().unwrap(), made["api_key"].as_str().unwrap());
    let mut server = muriel(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off"], at);
    server.args(["--log-level", "error"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Server(server.spawn().unwrap());
    let mut ready = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let address = ready.trim().strip_prefix("muriel ready http://").unwrap();
    let ask = |what: &str, body: &str| -> Value {
        let mut stream = TcpStream::connect(address).unwrap();
        let (method, path) = what.split_once(' ').unwrap();
        let head = format!("{method} /v2/project/{project}/{path} HTTP/1.1\r\nHost: x\r\nConnection: close");
        let about = format!("Content-Type: application/json\r\nContent-Length: {}", body.len());
        write!(stream, "{head}\r\nAuthorization: Bearer {key}\r\n{about}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let experiment = json!({
        "test_name": "Shorter form", "experiment_key": "short-form", "url": "https://shop.example/", "status": 1,
        "variants": [{ "name": "Variant 1", "nickname": "Four fields", "customCSS": ".x { color: red }" }],
        "targeting": { "allowed_country": [{ "name": "Germany", "code": "DE", "rule": "whitelist" }] },
    });
    let id = ask("POST create-experiment", &experiment.to_string())["test_id"].to_string();

    let file = at.join("context.json");
    std::fs::write(&file, r#"{"country": "FR", "targetingKey": "somebody-else"}"#).unwrap();
    let file = file.to_str().unwrap();
    for (context, query) in [
        (vec![], "visitor=v-1"),
        (vec!["--context", "country=DE"], "visitor=v-1&country=DE"),
        (vec!["--context-json", file], "visitor=v-1&country=FR"),
        (vec!["--context-json", file, "--context", "country=DE"], "visitor=v-1&country=DE"),
    ] {
        let api = ask(&format!("GET experiment/{id}/explain?{query}"), "");
        for which in ["short-form", id.as_str()] {
            let mut words = vec!["explain", "--project", project, "--experiment", which, "--visitor", "v-1", "--json"];
            words.extend(&context);
            assert_eq!(told(&words, at), api, "{words:?}");
        }
    }
    let words = ["explain", "--project", project, "--experiment", "short-form", "--visitor", "v-1"];
    let text = muriel(&words, at).env("LC_ALL", "C").output().unwrap().stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with(&format!("v-1 in experiment short-form (id {id}, epoch 1)\n\n  yes  status ")), "{text}");
    assert!(text.contains("?    allowed_country") && text.ends_with("(unknown)\n"), "{text}");

    let said = refused(&["explain", "--project", "prj_x", "--experiment", "a", "--visitor", "v"], at);
    assert_eq!(said, "muriel: there is no project with the key prj_x; muriel project list shows them\n");
    let said = refused(&["explain", "--project", project, "--experiment", "99", "--visitor", "v"], at);
    assert_eq!(said, "muriel: the project has no experiment 99\n");
    let said = refused(&["explain", "--project", project, "--experiment", &id, "--visitor", ""], at);
    assert!(said.contains("--visitor"), "{said}");
}
