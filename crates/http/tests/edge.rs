//! Tests of the edge and the accept loop over real connections, with raw bytes.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as tests do; clippy knows only functions marked as tests"
)]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::routing::{get, post};
use muriel_http::body::{MediaType, read_json_body};
use muriel_http::connection::{PeerAddr, ServerSettings};
use muriel_http::edge::{Edge, EdgeSettings};
use muriel_http::error::HttpError;
use muriel_http::limits::{Limits, RateLimits};
use muriel_http::metrics::{HttpMetrics, MetricsFormat, write};
use muriel_http::request::RequestContext;
use muriel_http::server::{serve, serve_metrics};
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

/// Long enough for a busy machine; a test that reaches it has failed.
const TIMEOUT: Duration = Duration::from_secs(180);
const BODY_LIMIT: usize = 64 << 10;

struct Server {
    runtime: Runtime,
    address: SocketAddr,
    registry: Arc<Registry>,
    /// Each permit lets one request to `/held` finish.
    gate: Arc<Semaphore>,
    shutdown: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<usize>>,
}

struct Settings {
    edge: EdgeSettings,
    server: ServerSettings,
    limits: RateLimits,
    body_deadline: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            edge: EdgeSettings::default(),
            server: ServerSettings::default(),
            limits: RateLimits::OFF,
            body_deadline: TIMEOUT,
        }
    }
}

async fn panics() -> &'static str {
    panic!("on purpose")
}

fn router(gate: Arc<Semaphore>, body_deadline: Duration) -> Router {
    let echo = move |request: Request| async move {
        let accept = [MediaType::Json];
        let (_, bytes) = read_json_body(request, &accept, BODY_LIMIT, body_deadline).await?;
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|_| HttpError::MalformedRequest)?;
        Ok::<_, HttpError>(value.to_string())
    };
    let held = move || async move {
        let permit = gate.acquire().await.map_err(HttpError::internal)?;
        permit.forget();
        Ok::<_, HttpError>("held")
    };
    Router::new()
        .route("/hello/{name}", get(|| async { "hello" }))
        .route("/echo", post(echo))
        .route("/held", get(held))
        .route("/panic", get(panics))
        .route("/peer", get(peer))
        .route("/forged", get(|| async { FORGED }))
        .route("/large", get(|| async { "x".repeat(64 << 20) }))
        .route("/keyed/{key}", get(keyed))
}

async fn peer(request: Request) -> String {
    let peer = request.extensions().get::<PeerAddr>();
    peer.map_or_else(String::new, |PeerAddr(address)| address.ip().to_string())
}

async fn keyed(
    axum::extract::Path(key): axum::extract::Path<String>,
    context: RequestContext,
) -> Result<&'static str, HttpError> {
    context.authenticated(&key)?;
    Ok("keyed")
}

/// A body that looks like hyper's own error response.
const FORGED: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\
                      date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n";

impl Server {
    fn start(settings: Settings) -> Server {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let mut registry = Registry::default();
        let metrics = Arc::new(HttpMetrics::new(&mut registry));
        let limits = Arc::new(Limits::new(settings.limits, &metrics));
        let gate = Arc::new(Semaphore::new(0));
        let router = router(Arc::clone(&gate), settings.body_deadline);
        let edge = Edge::new(router, settings.edge, limits, metrics.clone());
        let (shutdown, stop) = oneshot::channel();
        let served = runtime.spawn(serve(listener, edge, metrics, settings.server, async {
            let _ = stop.await;
        }));
        Server { runtime, address, registry: Arc::new(registry), gate, shutdown: Some(shutdown), served: Some(served) }
    }

    fn metrics(&self) -> String {
        write(&self.registry, MetricsFormat::OpenMetrics)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    fn send(&self, bytes: impl AsRef<[u8]>) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(bytes.as_ref()).unwrap();
        stream
    }

    /// Opens a connection and waits for the first response. With short timeouts, a
    /// slow machine may need several attempts.
    fn greeted(&self) -> TcpStream {
        for _ in 0..100 {
            let mut stream = self.send(HELLO);
            let answer = Answer::read(&mut stream);
            if answer.status == 200 {
                return stream;
            }
            answer.is_error(408, "request_timeout");
        }
        panic!("no header arrives in time");
    }

    /// Sends bytes and reads the single response.
    fn ask(&self, bytes: impl AsRef<[u8]>) -> Answer {
        Answer::read(&mut self.send(bytes))
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n"))
    }

    fn begin_shutdown(&mut self) {
        self.shutdown.take().unwrap().send(()).unwrap();
    }

    fn wait(&mut self) -> usize {
        let served = self.served.take().unwrap();
        let served = self.runtime.block_on(async { tokio::time::timeout(TIMEOUT, served).await });
        served.expect("the server ends").unwrap()
    }

    fn wait_for_metric(&self, line: &str) {
        eventually(line, || self.metrics().lines().any(|l| l == line));
    }
}

/// Waits for a condition by polling.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < deadline, "never came true: {what}");
        std::thread::yield_now();
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Answer {
    fn read(stream: &mut TcpStream) -> Answer {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            let read = stream.read(&mut byte).unwrap();
            assert!(read == 1, "the connection ended in {:?}", String::from_utf8_lossy(&head));
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers: Vec<_> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut answer = Answer { status: status.parse().unwrap(), headers, body: String::new() };
        let length = answer.header("content-length").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        answer.body = String::from_utf8(body).unwrap();
        answer
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(key, _)| key == name);
        let first = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} twice in {self:?}");
        first
    }

    #[track_caller]
    fn is_error(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(body["success"], false);
        assert_eq!(body["code"], code, "{self:?}");
        assert!(body["errors"].is_array());
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"));
    }
}

/// Asserts that the server has closed the connection and nothing is left to read.
#[track_caller]
fn is_closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest)),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
}

fn post_echo(headers: &str, body: &str) -> String {
    format!("POST /echo HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n{headers}\r\n{body}")
}

const HELLO: &str = "GET /hello/you HTTP/1.1\r\nhost: h\r\n\r\n";
const HELD: &str = "GET /held HTTP/1.1\r\nhost: h\r\n\r\n";

#[test]
fn requests_and_their_ids() {
    let server = Server::start(Settings::default());
    let answer = server.ask("GET /hello/you HTTP/1.1\r\nhost: h\r\nx-request-id: mine.1\r\n\r\n");
    assert_eq!((answer.status, answer.body.as_str()), (200, "hello"));
    assert_eq!(answer.header("x-request-id"), Some("mine.1"));
    let answer = server.ask("GET /hello/you HTTP/1.1\r\nhost: h\r\nx-request-id: not mine\r\n\r\n");
    assert_eq!(answer.header("x-request-id").map(str::len), Some(36));
    assert_eq!(server.get("/peer").body, "127.0.0.1");
    let echoed = server.ask(post_echo("content-length: 7\r\n", "{\"a\":1}"));
    assert_eq!(echoed.body, "{\"a\":1}");
    let chunked = "transfer-encoding: chunked\r\n";
    let echoed = server.ask(post_echo(chunked, "3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n"));
    assert_eq!(echoed.body, "{\"a\":1}");
}

#[test]
fn errors_have_one_body() {
    let server = Server::start(Settings::default());
    server.get("/nowhere").is_error(404, "unknown_route");
    let answer = server.ask("DELETE /echo HTTP/1.1\r\nhost: h\r\n\r\n");
    answer.is_error(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), Some("POST"));
    server.get("/panic").is_error(500, "internal");
    server.wait_for_metric("muriel_http_panics_total 1");
    let long = format!("/hello/{}", "x".repeat(9_000));
    server.get(&long).is_error(414, "uri_too_long");
    let untyped = "POST /echo HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}";
    server.ask(untyped).is_error(415, "unsupported_media_type");
    server.ask(post_echo("content-length: 1\r\n", "{")).is_error(400, "malformed_request");
}

#[test]
fn oversized_bodies_are_refused_and_the_answer_arrives() {
    let server = Server::start(Settings::default());
    let huge = "x".repeat(BODY_LIMIT * 40);
    let announced = post_echo(&format!("content-length: {}\r\n", huge.len()), "");
    server.ask(&announced).is_error(413, "body_too_large");

    let mut stream = server.send(announced);
    stream.write_all(huge.as_bytes()).unwrap();
    Answer::read(&mut stream).is_error(413, "body_too_large");

    let chunk = format!("{:x}\r\n{huge}\r\n0\r\n\r\n", huge.len());
    server.ask(post_echo("transfer-encoding: chunked\r\n", &chunk)).is_error(413, "body_too_large");
}

#[test]
fn requests_that_cannot_be_read() {
    let server = Server::start(Settings::default());
    let many: String = (0..200).map(|n| format!("h{n}: v\r\n")).collect();
    let large = format!("h: {}\r\n", "v".repeat(100_000));
    let bad = (400, "malformed_request");
    let too_large = (431, "headers_too_large");
    let too_long = (414, "uri_too_long");
    let target = |len| format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(len));
    for (request, (status, code)) in [
        ("\u{1}\u{2}\u{3} garbage\r\n\r\n".to_owned(), bad),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), bad),
        ("GET /\u{1} HTTP/1.1\r\n\r\n".to_owned(), bad),
        ("GET / HTTP/1.1\r\nbad header\r\n\r\n".to_owned(), bad),
        ("GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_owned(), bad),
        (format!("GET / HTTP/1.1\r\n{many}\r\n"), too_large),
        (format!("GET / HTTP/1.1\r\n{large}\r\n"), too_large),
        (target(9_000), too_long),
        (target(40_000), too_long),
        (target(66_000), too_long),
        (target(200_000), too_long),
        // Pipelined after a valid request on the same connection.
        (format!("{HELLO}nonsense\r\n\r\n"), bad),
    ] {
        let mut stream = server.send(&request);
        if request.starts_with(HELLO) {
            assert_eq!(Answer::read(&mut stream).body, "hello");
        }
        let answer = Answer::read(&mut stream);
        answer.is_error(status, code);
        if request.len() < 10_000 && status == 414 {
            // Read completely and refused by the edge, so the connection can be
            // reused.
            continue;
        }
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(answer.header("date").is_some());
        is_closed(&mut stream);
    }
    server.wait_for_metric(r#"muriel_http_requests_total{route="unmatched",method="other",status="431"} 2"#);
}

#[test]
fn a_body_that_reads_like_an_answer_is_left_alone() {
    let server = Server::start(Settings::default());
    let twice = "GET /forged HTTP/1.1\r\nhost: h\r\n\r\n".repeat(2);
    let mut stream = server.send(twice);
    assert_eq!(Answer::read(&mut stream).body, FORGED);
    assert_eq!(Answer::read(&mut stream).body, FORGED);
}

fn short_header_timeout() -> Settings {
    Settings {
        server: ServerSettings { header_timeout: Duration::from_millis(100), ..ServerSettings::default() },
        ..Settings::default()
    }
}

#[test]
fn silent_connections_are_closed() {
    let server = Server::start(short_header_timeout());
    is_closed(&mut server.connect());
}

#[test]
fn half_a_header_times_out_with_an_answer() {
    let server = Server::start(short_header_timeout());
    let mut stream = server.send("GET /hello/you HTTP/1.1\r\nho");
    Answer::read(&mut stream).is_error(408, "request_timeout");
    is_closed(&mut stream);
    drop(stream);

    // The same for the next request of a connection with a long idle timeout.
    let mut stream = server.greeted();
    stream.write_all(b"GET /hel").unwrap();
    Answer::read(&mut stream).is_error(408, "request_timeout");
    is_closed(&mut stream);
    drop(stream);
    server.wait_for_metric("muriel_http_connections 0");
}

#[test]
fn idle_connections_may_wait_longer_than_slow_ones() {
    let server = Server::start(Settings {
        server: ServerSettings {
            header_timeout: Duration::from_millis(20),
            idle_timeout: Duration::from_millis(300),
            ..ServerSettings::default()
        },
        ..Settings::default()
    });
    let start = Instant::now();
    let mut stream = server.greeted();
    is_closed(&mut stream);
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_request_names_its_host_once() {
    let server = Server::start(Settings::default());
    for (fields, status) in [
        ("host: h\r\n", 200),
        ("host: h:8080\r\n", 200),
        ("host: [::1]:80\r\n", 200),
        ("host:\r\n", 200),
        ("", 400),
        ("host: h\r\nhost: h\r\n", 400),
        ("host: h\r\nhost: other\r\n", 400),
        ("host: a b\r\n", 400),
        ("host: a@b\r\n", 400),
        ("host: a/b\r\n", 400),
    ] {
        let answer = server.ask(format!("GET /hello/you HTTP/1.1\r\n{fields}\r\n"));
        assert_eq!(answer.status, status, "{fields:?}");
        if status == 400 {
            answer.is_error(400, "malformed_request");
        }
    }
    assert_eq!(server.ask("GET /hello/you HTTP/1.0\r\n\r\n").status, 200);
}

#[test]
fn slow_bodies_time_out() {
    let body = Server::start(Settings { body_deadline: Duration::from_millis(50), ..Settings::default() });
    let overall = Server::start(Settings {
        edge: EdgeSettings { deadline: Duration::from_millis(50), ..EdgeSettings::default() },
        ..Settings::default()
    });
    for server in [body, overall] {
        let mut stream = server.send(post_echo("content-length: 10\r\n", "{"));
        let answer = Answer::read(&mut stream);
        answer.is_error(408, "request_timeout");
        assert_eq!(answer.header("connection"), Some("close"));
        is_closed(&mut stream);
    }
}

#[test]
fn a_handler_without_end_is_unavailable() {
    let server = Server::start(Settings {
        edge: EdgeSettings { deadline: Duration::from_millis(50), ..EdgeSettings::default() },
        ..Settings::default()
    });
    let answer = server.get("/held");
    answer.is_error(503, "unavailable");
    assert_eq!(answer.header("retry-after"), Some("1"));
}

#[test]
fn clients_that_take_nothing_are_cut() {
    let server = Server::start(Settings {
        server: ServerSettings { write_timeout: Duration::from_millis(100), ..ServerSettings::default() },
        ..Settings::default()
    });
    let _never_read = server.send("GET /large HTTP/1.1\r\nhost: h\r\n\r\n");
    server.wait_for_metric(r#"muriel_http_requests_total{route="/large",method="GET",status="200"} 1"#);
    server.wait_for_metric("muriel_http_connections 0");
}

#[test]
fn limited_keys_and_networks() {
    let server = Server::start(Settings { limits: "key=1/2,network=off".parse().unwrap(), ..Settings::default() });
    let answer = server.get("/keyed/a");
    assert_eq!(answer.header("ratelimit-policy"), Some("\"key\";q=2;w=2"));
    assert_eq!(answer.header("ratelimit"), Some("\"key\";r=1;t=1"));
    // On a slow machine the bucket may refill once; not all requests can pass.
    let limited = (0..50).map(|_| server.get("/keyed/a"));
    let limited = limited.into_iter().find(|answer| answer.status == 429);
    let limited = limited.expect("the key is limited");
    limited.is_error(429, "rate_limited");
    assert_eq!(limited.header("retry-after"), Some("1"));
    assert_eq!(limited.header("ratelimit"), Some("\"key\";r=0;t=2"));
    assert_eq!(server.get("/keyed/b").status, 200);

    let server = Server::start(Settings { limits: "network=1/5".parse().unwrap(), ..Settings::default() });
    let mut answers = (0..50).map(|_| server.get("/nowhere"));
    let limited = answers.find(|answer| answer.status == 429);
    let limited = limited.expect("the network is limited");
    limited.is_error(429, "rate_limited");
    assert_eq!(limited.header("ratelimit-policy"), Some("\"network\";q=5;w=5"));
}

#[test]
fn connections_over_the_cap_are_turned_away() {
    let server = Server::start(Settings {
        server: ServerSettings { max_connections: 2, ..ServerSettings::default() },
        ..Settings::default()
    });
    let mut open: Vec<_> = (0..2).map(|_| server.send(HELLO)).collect();
    for stream in &mut open {
        assert_eq!(Answer::read(stream).status, 200);
    }
    is_closed(&mut server.connect());
    server.wait_for_metric(r#"muriel_http_connections_rejected_total{reason="total"} 1"#);
    drop(open);
    server.wait_for_metric("muriel_http_connections 0");
    assert_eq!(server.get("/hello/you").status, 200);
}

#[test]
fn shutdown_lets_running_requests_finish() {
    let mut server = Server::start(Settings::default());
    let mut silent = server.connect();
    let mut idle = server.send(HELLO);
    assert_eq!(Answer::read(&mut idle).status, 200);
    let mut running = server.send(HELD);
    server.wait_for_metric("muriel_http_requests_in_flight 1");
    server.wait_for_metric("muriel_http_connections 3");
    server.begin_shutdown();
    is_closed(&mut silent);
    is_closed(&mut idle);
    eventually("no new connections", || TcpStream::connect(server.address).is_err());
    server.gate.add_permits(1);
    let answer = Answer::read(&mut running);
    assert_eq!((answer.status, answer.body.as_str()), (200, "held"));
    assert_eq!(answer.header("connection"), Some("close"));
    is_closed(&mut running);
    assert_eq!(server.wait(), 0);
}

#[test]
fn shutdown_cuts_what_does_not_finish() {
    let mut server = Server::start(Settings {
        server: ServerSettings { grace: Duration::from_millis(50), ..ServerSettings::default() },
        ..Settings::default()
    });
    let mut running = server.send(HELD);
    server.wait_for_metric("muriel_http_requests_in_flight 1");
    server.begin_shutdown();
    assert_eq!(server.wait(), 1);
    is_closed(&mut running);
    server.wait_for_metric("muriel_http_requests_in_flight 0");
}

#[test]
fn metrics_have_a_listener_of_their_own() {
    let server = Server::start(Settings::default());
    let listener = server.runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let (shutdown, stop) = oneshot::channel::<()>();
    let registry = Arc::clone(&server.registry);
    let metrics = move |format| write(&registry, format);
    let served =
        server.runtime.spawn(serve_metrics(listener, metrics, || Box::pin(async { "{}".to_owned() }), async {
            let _ = stop.await;
        }));
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let answer = Answer::read(&mut stream);
    assert_eq!(answer.status, 200);
    assert!(answer.body.ends_with("# EOF\n"));
    assert!(answer.body.contains("muriel_http_connections 0"));
    shutdown.send(()).unwrap();
    is_closed(&mut stream);
    server.runtime.block_on(served).unwrap();
}
