//! Tests of `muriel doctor` on pages of a small site and of the demo's shop, with a real server.

use crate::{Running, Server, json_output, muriel, says};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;

/// Test site. `answer` returns head and body for a path; `None` means no response.
struct Site {
    address: String,
}

impl Site {
    fn start(answer: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self::listening(None, answer)
    }

    /// Like `start`, with HTTPS and the host name localhost.
    fn safe(answer: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        let certificate = CertificateDer::from_pem_file(data("localhost.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(data("localhost.key")).unwrap();
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        Self::listening(Some(Arc::new(config)), answer)
    }

    fn listening(
        config: Option<Arc<ServerConfig>>,
        answer: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, answer) = (config.clone(), answer.clone());
                thread::spawn(move || match config {
                    None => serve(stream, &*answer),
                    Some(config) => serve(StreamOwned::new(ServerConnection::new(config).unwrap(), stream), &*answer),
                });
            }
        });
        Self { address }
    }
}

/// Answers one request. The client may have disconnected by then.
fn serve(mut stream: impl Read + Write, answer: &dyn Fn(&str) -> Option<Vec<u8>>) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    // Data that does not begin with a method is not HTTP.
    while !head.ends_with(b"\r\n\r\n") && head.first().is_none_or(u8::is_ascii_uppercase) {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    match answer(head.split(' ').nth(1).unwrap_or_default()) {
        Some(bytes) => drop(stream.write_all(&bytes).and_then(|()| stream.flush())),
        // Wait until the client closes the connection.
        None => drop(stream.read(&mut byte)),
    }
}

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/data").join(file)
}

fn html(fields: &str, body: &str) -> Option<Vec<u8>> {
    response("200 OK", &format!("Content-Type: text/html\r\n{fields}"), body.as_bytes())
}

fn response(status: &str, fields: &str, body: &[u8]) -> Option<Vec<u8>> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    Some(bytes)
}

fn doctor(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muriel"));
    command.arg("doctor").args(words).env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
}

fn run(words: &[&str]) -> Output {
    doctor(words).output().unwrap()
}

/// Output for a page with problems.
#[track_caller]
fn complains(url: &str, words: &[&str]) -> String {
    let output = run(&[&[url], words].concat());
    let (said, last) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{said}{last}");
    assert!(last.starts_with(&format!("muriel: {url} has ")) && last.contains("problem"), "{last}");
    said
}

/// Starts a server with a project.
fn shop(directory: &Path) -> (Server, String) {
    let made = json_output(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], directory);
    (Server::start(&[], directory), made["project_key"].as_str().unwrap().to_owned())
}

#[test]
fn the_demo_s_shop_is_in_good_health() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = muriel(&["demo", "--listen", "127.0.0.1:0", "--shop-listen", "127.0.0.1:0"], directory.path());
    command.args(["--no-visitors", "--metrics-listen", "off", "--log-level", "error"]);
    let demo = Running::start(command);
    let shop = loop {
        if let Some((_, url)) = demo.line().split_once("The shop ") {
            break url.trim().to_owned();
        }
    };
    for path in ["/", "/rental/kit-finder"] {
        let url = format!("{shop}{path}");
        let output = run(&[&url, "--project", "prj_northwind_shop"]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{said}");
        assert!(!said.lines().any(|line| line.starts_with("problem")), "{said}");
        assert!(
            said.contains("ok       policy    Content-Security-Policy lets the script and its events through"),
            "{said}"
        );
        assert!(said.lines().last().unwrap().starts_with(&format!("{url} takes part in experiments")), "{said}");
    }
}

#[test]
fn faults_of_a_page_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let (server, key) = shop(directory.path());
    let muriel = format!("http://{}", server.address);
    let tag = format!("<script src=\"{muriel}/js/{key}.js\"></script>");
    let unknown = tag.replace(&key, "prj_nowhere");
    let site = {
        let (tag, unknown) = (tag.clone(), unknown.clone());
        Site::start(move |path| match path {
            "/good" => html("", &format!("<!doctype html><head>\n{tag}")),
            "/without" => html("", "<head><title>Hello</title>"),
            "/late" => html("", &format!("<head></head><body><h1>Hello</h1>\n{tag}")),
            "/closed" => html("Content-Security-Policy: default-src 'self'\r\n", &tag),
            "/unknown" => html("", &unknown),
            _ => response("404 Not Found", "", b""),
        })
    };
    let url = |path: &str| format!("http://{}{path}", site.address);

    let output = run(&[&url("/good"), "--json"]);
    let good: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{good}");
    assert_eq!(good["script"]["project_key"], key.as_str());
    assert_eq!(good["script"]["experiments"], 0);
    assert_eq!(good["problems"], 0);
    let checks: Vec<_> =
        good["findings"].as_array().unwrap().iter().map(|one| one["check"].as_str().unwrap()).collect();
    assert_eq!(checks, ["page", "script", "position", "origin", "delivery", "project", "policy", "events"]);

    let without = complains(&url("/without"), &["--project", &key]);
    assert!(
        without.contains("the page does not load it") && without.contains(&format!("muriel project snippet {key}")),
        "{without}"
    );
    let late = complains(&url("/late"), &[]);
    assert!(late.contains("problem  position  line 2, in the body"), "{late}");
    let closed = complains(&url("/closed"), &[]);
    assert!(closed.contains("default-src does not allow the script"), "{closed}");
    assert!(closed.contains(&format!("default-src does not allow events to {muriel}")), "{closed}");
    let unknown = complains(&url("/unknown"), &[]);
    assert!(unknown.contains("Muriel does not know the project prj_nowhere"), "{unknown}");
    let other = complains(&url("/good"), &["--project", "prj_other"]);
    assert!(other.contains(&format!("the script belongs to project {key}, not prj_other")), "{other}");

    // None of these requests counts a visitor.
    drop(server);
    let counted = says(&["log", "count", "--json"], directory.path());
    assert_eq!(serde_json::from_str::<Value>(&counted).unwrap()["events"], 0, "{counted}");
}

#[test]
fn whatever_a_server_answers_there_is_a_sentence() {
    let site = Site::start(|path| match path {
        "/hangs" => None,
        "/circle" => response("302 Found", "Location: /circle\r\n", b""),
        "/mail" => response("302 Found", "Location: mailto:a@example.com\r\n", b""),
        "/gone" => response("410 Gone", "", b""),
        "/data" => response("200 OK", "Content-Type: application/json\r\n", b"{}"),
        "/words" => html("", "just words"),
        "/empty" => html("", ""),
        "/broken" => html("Content-Encoding: gzip\r\n", "no gzip"),
        "/other" => Some(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()),
        "/garbage" => response("200 OK", "Content-Type: text/html\r\n", &[0, 0xFF, b'<', 0xC3].repeat(50_000)),
        "/huge" => html("", &format!("<p>{}", "Hello ".repeat(3 << 19))),
        // Redirects without end.
        further => response("302 Found", &format!("Location: {further}x\r\n"), b""),
    });
    for (path, expect) in [
        ("/hangs", "did not answer within 1 s"),
        ("/circle", "redirects in a circle"),
        ("/mail", "redirects to \"mailto:a@example.com\", which is not the address of a page"),
        ("/gone", "it answers 410"),
        ("/data", "it is application/json, and not HTML"),
        ("/words", "there is no HTML in it"),
        ("/empty", "there is no HTML in it"),
        ("/broken", "its connection or compression breaks"),
        ("/other", "answers something that is not HTTP"),
        ("/garbage", "there is no HTML in it"),
        ("/more", "redirects more than 10 times"),
    ] {
        let patience: &[&str] = if path == "/hangs" { &["--timeout", "1"] } else { &[] };
        let said = complains(&format!("http://{}{path}", site.address), patience);
        assert!(said.contains("problem  page") && said.contains(expect), "{path}: {said}");
    }
    let huge = complains(&format!("http://{}/huge", site.address), &[]);
    assert!(huge.contains("8.3 MB of HTML, and more"), "{huge}");
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let nobody = complains(&format!("http://{free}/"), &[]);
    assert!(nobody.contains("nothing listens at"), "{nobody}");
    let output = run(&["ftp://shop.example/"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("\"ftp://shop.example/\" is not the address of a page"));
}

#[test]
fn pages_with_https_are_read_by_whoever_trusts_them() {
    let site = Site::safe(|path| match path {
        "/" => html("", "<head><script src=/js/prj_1.js></script>"),
        "/js/prj_1.js" => response(
            "200 OK",
            "Content-Type: text/javascript\r\n",
            b"(function(RULESET,SETTINGS,PARTS){})({\"format\":1,\"project_key\":\"prj_1\",\"experiments\":[]},\
              {\"base\":\"\",\"events\":\"/events/prj_1\",\"global\":\"muriel\"},{});",
        ),
        _ => response("200 OK", "", b"{\"success\":true,\"results\":[]}"),
    });
    let url = format!("https://{}/", site.address.replace("127.0.0.1", "localhost"));
    let output = doctor(&[&url]).env("SSL_CERT_FILE", data("localhost.pem")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("ok       origin    the page's own") && said.contains("ok       events"), "{said}");

    let unknown = complains(&url, &[]);
    assert!(unknown.contains("has no trusted certificate: its issuer is unknown"), "{unknown}");
    let plain = Site::start(|_| html("", "<p>Hello"));
    let unsafe_one = complains(&format!("https://{}/", plain.address), &[]);
    assert!(unsafe_one.contains("answers, but not with https"), "{unsafe_one}");
}
