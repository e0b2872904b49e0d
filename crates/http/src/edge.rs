//! Outermost layer, through which every request passes.
//!
//! Requests get a request id; the length of the target, the rate limit of the network and a
//! deadline are enforced. Responses get error bodies and the header fields that all
//! responses carry; a log line is written and the counters are updated.

use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version, header};
use tracing::{error, info, warn};

use crate::body::BODY_LIMIT;
use crate::connection::PeerAddr;
use crate::error::{Failed, HttpError};
use crate::forwarding::{Forwarding, NoProxies};
use crate::limits::{Limits, Network};
use crate::metrics::HttpMetrics;
use crate::request::{RequestContext, RequestId, Shared, X_REQUEST_ID};
use crate::unread::Unread;

/// Limits of one request.
#[derive(Debug, Clone)]
pub struct EdgeSettings {
    /// Deadline of a request, from the end of its header to its response.
    pub deadline: Duration,
    /// Maximum time that a read (GET, HEAD) may wait for the database, over all its
    /// transactions.
    pub database_read: Duration,
    /// Maximum time that any other request may wait for the database, over all its
    /// transactions.
    pub database_write: Duration,
    /// Maximum length of the request target, in bytes.
    pub max_uri: usize,
    /// The proxies in front of the server.
    pub forwarding: Arc<dyn Forwarding>,
    /// Paths of which pages of every origin can read the responses, errors of the edge included. A segment with `{` stands
    /// for any segment.
    pub open_paths: Arc<[String]>,
}

impl Default for EdgeSettings {
    fn default() -> EdgeSettings {
        // Reads are answered within two seconds and writes within five, even when the
        // database hangs.
        EdgeSettings {
            deadline: Duration::from_secs(30),
            database_read: Duration::from_millis(1_800),
            database_write: Duration::from_millis(4_700),
            max_uri: 8 << 10,
            forwarding: Arc::new(NoProxies),
            open_paths: Arc::default(),
        }
    }
}

/// Router wrapped in the edge. Cloning is cheap.
#[derive(Clone)]
pub struct Edge {
    router: Router,
    settings: EdgeSettings,
    limits: Arc<Limits>,
    metrics: Arc<HttpMetrics>,
}

impl Edge {
    /// Wraps a router whose state is already set.
    pub fn new(router: Router, settings: EdgeSettings, limits: Arc<Limits>, metrics: Arc<HttpMetrics>) -> Edge {
        Edge { router: router.layer(NoteRoute), settings, limits, metrics }
    }

    /// Answers one request. Errors have the format of this API too.
    pub async fn answer(self, mut request: Request) -> Response {
        let context = RequestContext::new(RequestId::of(request.headers()), Arc::clone(&self.limits));
        let mut running = Running {
            metrics: &self.metrics,
            shared: &context.0,
            method: request.method().clone(),
            start: Instant::now(),
            answered: false,
        };
        self.metrics.in_flight.inc();

        let peer = request.extensions().get::<PeerAddr>().copied();
        let extensions = request.extensions_mut();
        extensions.insert(context.0.id.clone());
        extensions.insert(context.clone());

        let unread = Unread::watch(&mut request);
        let is_open = self.settings.open_paths.iter().any(|template| is_of(template, request.uri().path()));
        let admitted = self.admit(&context, &request, peer).and_then(|()| check_host(&request));
        let response = match admitted {
            Ok(()) => self.route(&context, request).await,
            Err(error) => {
                drop(request);
                error.into_response()
            }
        };
        let mut response = finish(response, &context.0);
        if is_open {
            open(response.headers_mut());
        }
        if let Some(unread) = unread
            && !unread.read_out().await
        {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        running.log(response.status());
        response
    }

    fn admit(&self, context: &RequestContext, request: &Request, peer: Option<PeerAddr>) -> Result<(), HttpError> {
        if uri_len(request.uri()) > self.settings.max_uri {
            return Err(HttpError::UriTooLong);
        }
        let client = |PeerAddr(address)| self.settings.forwarding.client(address.ip(), request.headers());
        let network = peer.map(|peer| Network::of(client(peer)));
        let taken = network.and_then(|network| self.limits.take_network(network));
        match taken {
            // The state of the network's bucket is sent only when it refuses the request.
            // Otherwise the response shows the key's limit.
            Some(allowance) if allowance.check().is_err() => context.0.allow(allowance),
            _ => Ok(()),
        }
    }

    async fn route(&self, context: &RequestContext, request: Request) -> Response {
        let mut router = self.router.clone();
        let database_time = match *request.method() {
            Method::GET | Method::HEAD => self.settings.database_read,
            _ => self.settings.database_write,
        };
        let routed = async move {
            let Ok(response) = tower::Service::call(&mut router, request).await;
            response
        };
        // Outlives the timeout, so that its state can still be read afterwards.
        let mut caught = pin!(AssertUnwindSafe(muriel_sql::within(database_time, routed)).catch_unwind());
        match tokio::time::timeout(self.settings.deadline, caught.as_mut()).await {
            Ok(Ok(response)) => response,
            Ok(Err(panic)) => {
                self.metrics.panics.inc();
                let message = panic_message(panic.as_ref());
                HttpError::internal(format!("panicked: {message}")).into_response()
            }
            Err(_) if context.0.reading_body.load(Ordering::Relaxed) => HttpError::Timeout.into_response(),
            Err(_) => {
                warn!(request_id = context.0.id.as_str(), route = context.0.route(), "no answer within the deadline");
                HttpError::Unavailable { retry_after_s: 1 }.into_response()
            }
        }
    }
}

impl tower::Service<Request> for Edge {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        Box::pin(self.clone().answer(request).map(Ok))
    }
}

/// Returns whether a path has the segments of a template, in which those with `{` stand for any.
fn is_of(template: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    template.split('/').all(|wanted| segments.next().is_some_and(|segment| wanted.contains('{') || wanted == segment))
        && segments.next().is_none()
}

/// Lets pages of every origin read a response that no handler has made, such as 429: otherwise they could not tell it
/// from a server that cannot be reached, and would not know when to try again.
fn open(headers: &mut HeaderMap) {
    const EXPOSED: HeaderValue = HeaderValue::from_static("retry-after,x-request-id");
    if !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
}

/// An HTTP/1.1 request must have exactly one `Host` field (RFC 9112, section 3.2). With
/// none or two, a proxy and this server might take it for requests to different sites.
fn check_host(request: &Request) -> Result<(), HttpError> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if host.is_empty() || host.to_str().is_ok_and(is_host) => Ok(()),
        (None, None) if request.version() < Version::HTTP_11 => Ok(()),
        _ => Err(HttpError::MalformedRequest),
    }
}

/// Returns whether the text is a host, with or without a port, and nothing else.
fn is_host(text: &str) -> bool {
    !text.contains('@') && text.parse::<Authority>().is_ok()
}

/// Length of the target as sent, in bytes.
fn uri_len(uri: &Uri) -> usize {
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = uri.authority().map_or(0, |host| host.as_str().len());
    path + authority + uri.scheme_str().map_or(0, |scheme| scheme.len() + 3)
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a value that is not text")
}

/// Adds the error body, if the response is an error, and the common header fields.
fn finish(mut response: Response, shared: &Shared) -> Response {
    if response.status().as_u16() >= 400 {
        let failed = response.extensions_mut().remove::<Failed>();
        if let Some(failed) = failed.or_else(|| bare_error(&response)) {
            write_error(&mut response, failed, shared);
        }
    }
    let headers = response.headers_mut();
    // A request id contains only characters that a header value allows.
    if let Ok(id) = HeaderValue::from_str(shared.id.as_str()) {
        headers.insert(X_REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Some(allowance) = shared.allowance.get() {
        allowance.add_headers(headers);
    }
    response
}

/// Replaces the body of a response with an error. Other header fields stay, such as `Allow`
/// of a 405.
fn write_error(response: &mut Response, Failed { error, body }: Failed, shared: &Shared) {
    if let Some(cause) = error.source() {
        error!(request_id = shared.id.as_str(), route = shared.route(), error = with_sources(cause), "request failed");
    }
    *response.status_mut() = error.status();
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    error.add_headers(headers);
    *response.body_mut() = Body::from(body.unwrap_or_else(|| error.body(shared.id.as_str())));
}

/// Formats an error and its causes on one line.
fn with_sources(error: &(dyn std::error::Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        line += &format!(": {cause}");
        source = cause.source();
    }
    line
}

/// Error for a status that the framework returned without a body or with its own text.
/// Responses of handlers have other content types and are not changed.
fn bare_error(response: &Response) -> Option<Failed> {
    let by_framework = match response.headers().get(header::CONTENT_TYPE) {
        None => true,
        Some(content_type) => content_type.as_bytes().starts_with(b"text/plain"),
    };
    if !by_framework {
        return None;
    }
    let status = response.status();
    let error = match status {
        StatusCode::NOT_FOUND => HttpError::RouteNotFound,
        StatusCode::METHOD_NOT_ALLOWED => HttpError::MethodNotAllowed,
        StatusCode::REQUEST_TIMEOUT => HttpError::Timeout,
        StatusCode::PAYLOAD_TOO_LARGE => HttpError::BodyTooLarge { limit: BODY_LIMIT },
        StatusCode::URI_TOO_LONG => HttpError::UriTooLong,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => HttpError::UnsupportedMediaType { expected: "application/json" },
        StatusCode::TOO_MANY_REQUESTS => HttpError::RateLimited { retry_after_s: 1 },
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => HttpError::HeadersTooLarge,
        StatusCode::SERVICE_UNAVAILABLE => HttpError::Unavailable { retry_after_s: 1 },
        // Errors of operations, which have to say more than a status.
        StatusCode::UNAUTHORIZED | StatusCode::PRECONDITION_FAILED => {
            HttpError::internal(format!("a handler answered {status} without an error"))
        }
        _ if status.is_server_error() => HttpError::internal(format!("a handler answered {status} without an error")),
        _ => HttpError::MalformedRequest,
    };
    Some(Failed { error: Arc::new(error), body: None })
}

/// Request in progress. If it is dropped before it is answered, the client has
/// disconnected, and it counts as status 499.
struct Running<'a> {
    metrics: &'a HttpMetrics,
    shared: &'a Shared,
    method: Method,
    start: Instant,
    answered: bool,
}

impl Running<'_> {
    /// Writes the log line of this request.
    fn log(&mut self, status: StatusCode) {
        self.answered = true;
        let duration = self.start.elapsed();
        let route = self.shared.route();
        self.metrics.answered(route, &self.method, status, duration);
        let key = self.shared.key.get();
        info!(
            request_id = self.shared.id.as_str(),
            method = self.method.as_str(),
            route,
            status = status.as_u16(),
            duration_us = duration.as_micros() as u64,
            key_id = key.map(String::as_str),
            "request"
        );
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.metrics.in_flight.dec();
        if !self.answered
            && let Ok(gone) = StatusCode::from_u16(499)
        {
            self.log(gone);
        }
    }
}

/// Records the route that the router found. Only layers inside the router see it.
#[derive(Clone)]
struct NoteRoute;

impl<S> tower::Layer<S> for NoteRoute {
    type Service = NotedRoute<S>;

    fn layer(&self, inner: S) -> NotedRoute<S> {
        NotedRoute(inner)
    }
}

#[derive(Clone)]
struct NotedRoute<S>(S);

impl<S: tower::Service<Request>> tower::Service<Request> for NotedRoute<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> S::Future {
        let extensions = request.extensions();
        if let (Some(RequestContext(shared)), Some(route)) = (extensions.get(), extensions.get::<MatchedPath>()) {
            let _ = shared.route.set(route.clone());
        }
        self.0.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::RateLimits;
    use crate::metrics::{MetricsFormat, write};
    use axum::routing::{get, post};
    use http::HeaderMap;
    use http_body_util::BodyExt;
    use prometheus_client::registry::Registry;

    fn check_id(given: &str, kept: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(X_REQUEST_ID, HeaderValue::from_str(given).unwrap());
        let id = RequestId::of(&headers);
        assert_eq!(id.as_str() == given, kept, "for {given:?}");
        assert!((1..=64).contains(&id.as_str().len()));
    }

    #[test]
    fn request_ids() {
        check_id("a", true);
        check_id("Abc-1.2_3", true);
        check_id(&"x".repeat(64), true);
        check_id(&"x".repeat(65), false);
        check_id("", false);
        check_id("a b", false);
        check_id("a\"b", false);
        check_id("é", false);
        assert_ne!(RequestId::new(), RequestId::new());
        assert_eq!(RequestId::of(&HeaderMap::new()).as_str().len(), 36);
    }

    async fn panics() -> StatusCode {
        panic!("on purpose")
    }

    fn edge(limits: RateLimits) -> (Edge, Registry) {
        let router = Router::new()
            .route("/ok/{id}", get(|| async { "fine" }))
            .route("/cached", get(|| async { ([("cache-control", "max-age=5")], "fine") }))
            .route("/own", get(|| async { (StatusCode::BAD_REQUEST, [("content-type", "application/json")], "{}") }))
            .route("/bare", get(|| async { StatusCode::BAD_GATEWAY }))
            .route("/stranger", get(|| async { StatusCode::UNAUTHORIZED }))
            .route("/typed/{n}", get(|_: axum::extract::Path<u32>| async {}))
            .route("/panic", post(panics))
            .route("/slow", get(|| async { std::future::pending::<()>().await }))
            .route("/keyed", get(|context: RequestContext| async move { context.authenticated("k1") }));
        let mut registry = Registry::default();
        let metrics = Arc::new(HttpMetrics::new(&mut registry));
        let limits = Arc::new(Limits::new(limits, &metrics));
        let settings = EdgeSettings { deadline: Duration::from_millis(50), ..EdgeSettings::default() };
        (Edge::new(router, settings, limits, metrics), registry)
    }

    async fn ask(edge: &Edge, method: &str, uri: &str) -> (u16, HeaderMap, String) {
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .header(X_REQUEST_ID, "r1")
            .header(header::HOST, "h")
            .extension(PeerAddr(([192, 0, 2, 1], 9).into()))
            .body(Body::empty())
            .unwrap();
        let response = edge.clone().answer(request).await;
        let (parts, body) = response.into_parts();
        assert_eq!(parts.headers["x-request-id"], "r1");
        assert_eq!(parts.headers["x-content-type-options"], "nosniff");
        let body = body.collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        (parts.status.as_u16(), parts.headers, body)
    }

    async fn check(method: &str, uri: &str, status: u16, contains: &str) {
        let (edge, _) = edge(RateLimits::default());
        let (got, headers, body) = ask(&edge, method, uri).await;
        assert_eq!(got, status, "{method} {uri}");
        assert!(body.contains(contains), "{method} {uri}: {body}");
        if contains.starts_with("\"code\"") {
            assert_eq!(headers["content-type"], "application/json");
            assert!(body.contains(r#""request_id":"r1""#));
        }
    }

    #[tokio::test]
    async fn answers_take_one_form() {
        check("GET", "/ok/1", 200, "fine").await;
        check("GET", "/nowhere", 404, r#""code":"unknown_route""#).await;
        check("POST", "/ok/1", 405, r#""code":"method_not_allowed""#).await;
        check("GET", "/own", 400, "{}").await;
        check("GET", "/bare", 500, r#""code":"internal""#).await;
        check("GET", "/stranger", 500, r#""code":"internal""#).await;
        check("GET", "/typed/x", 400, r#""code":"malformed_request""#).await;
        check("POST", "/panic", 500, r#""code":"internal""#).await;
        check("GET", "/slow", 503, r#""code":"unavailable""#).await;
        let long = format!("/ok/{}", "x".repeat(8 << 10));
        check("GET", &long, 414, r#""code":"uri_too_long""#).await;
        check("GET", &long[..8 << 10], 200, "fine").await;
    }

    #[tokio::test]
    async fn headers_stay_and_are_added() {
        let (edge, _) = edge("key=1/2,network=off".parse().unwrap());
        let (_, headers, _) = ask(&edge, "POST", "/ok/1").await;
        assert_eq!(headers["allow"], "GET,HEAD");
        assert_eq!(headers["cache-control"], "no-store");
        assert!(!headers.contains_key("ratelimit"));
        let (_, headers, _) = ask(&edge, "GET", "/cached").await;
        assert_eq!(headers["cache-control"], "max-age=5");

        let (status, headers, _) = ask(&edge, "GET", "/keyed").await;
        assert_eq!(status, 200);
        assert_eq!(headers["ratelimit-policy"], "\"key\";q=2;w=2");
        assert_eq!(headers["ratelimit"], "\"key\";r=1;t=1");
        ask(&edge, "GET", "/keyed").await;
        let (status, headers, body) = ask(&edge, "GET", "/keyed").await;
        assert_eq!((status, &headers["retry-after"]), (429, &HeaderValue::from_static("1")));
        assert_eq!(headers["ratelimit"], "\"key\";r=0;t=2");
        assert!(body.contains(r#""code":"rate_limited""#));
    }

    #[tokio::test]
    async fn networks_are_limited_before_routing() {
        let (edge, registry) = edge("key=off,network=1/2".parse().unwrap());
        for status in [200, 404, 429] {
            let uri = if status == 404 { "/nowhere" } else { "/ok/1" };
            let (got, headers, _) = ask(&edge, "GET", uri).await;
            assert_eq!(got, status);
            assert_eq!(headers.contains_key("ratelimit"), status == 429);
        }
        let text = write(&registry, MetricsFormat::OpenMetrics);
        for line in [
            r#"muriel_http_requests_total{route="/ok/{id}",method="GET",status="200"} 1"#,
            r#"muriel_http_requests_total{route="unmatched",method="GET",status="429"} 1"#,
            r#"muriel_http_rate_limited_total{limit="network"} 1"#,
            "muriel_http_requests_in_flight 0",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[tokio::test]
    async fn requests_that_are_dropped_are_counted() {
        let (edge, registry) = edge(RateLimits::OFF);
        let request = Request::builder().uri("/slow").header(header::HOST, "h").body(Body::empty()).unwrap();
        drop(edge.clone().answer(request).now_or_never());
        let text = write(&registry, MetricsFormat::OpenMetrics);
        assert!(text.contains(r#"route="/slow",method="GET",status="499"} 1"#), "{text}");
        assert!(text.contains("muriel_http_requests_in_flight 0"));
    }
}
