//! Accept loop, and limits of connections.
//!
//! Every step has a timeout: a header must arrive within 10 s of its first byte (the first header within 10 s of the
//! connection), the next request within 75 s of the last response, and the client must read what is written. hyper has
//! a single timeout for all of these, so they are implemented here, with one timer per connection that is rescheduled
//! only when it fires.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::uri::Authority;
use http::{HeaderMap, StatusCode, header};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWrite;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, sleep_until, timeout};
use tracing::{debug, warn};

use crate::connection::{ConnectionActivity, ConnectionEnd, PeerAddr, ServerSettings};
use crate::limits::Network;
use crate::metrics::{HttpMetrics, MetricsFormat};
use crate::parse_errors::{InterceptedStream, answer, looks_like_head};

/// Service that never fails.
pub trait Answers:
    tower::Service<Request, Response = Response, Error = Infallible, Future: Send + 'static>
    + Clone
    + Send
    + Unpin
    + 'static
{
}

impl<S> Answers for S where
    S: tower::Service<Request, Response = Response, Error = Infallible, Future: Send + 'static>
        + Clone
        + Send
        + Unpin
        + 'static
{
}

/// Serves until `shutdown` completes and the in-flight requests have ended.
///
/// After `shutdown`, no connection is accepted, idle ones close, and in-flight requests have [`ServerSettings::grace`]
/// to finish. Returns how many connections had to be cut because they did not.
pub async fn serve(
    listener: TcpListener,
    service: impl Answers,
    metrics: Arc<HttpMetrics>,
    settings: ServerSettings,
    shutdown: impl Future<Output = ()>,
) -> usize {
    run(listener, service, Some(metrics), settings, shutdown).await
}

/// Serves `GET /metrics` and `GET /status` on a separate listener until `shutdown` completes. `metrics` returns the text
/// of all metrics in a format, `status` JSON.
pub async fn serve_metrics(
    listener: TcpListener,
    metrics: impl Fn(MetricsFormat) -> String + Send + Sync + 'static,
    status: impl Fn() -> BoxFuture<'static, String> + Send + Sync + 'static,
    shutdown: impl Future<Output = ()>,
) {
    type Render = Arc<dyn Fn(MetricsFormat) -> BoxFuture<'static, String> + Send + Sync>;
    // Prevents DNS rebinding: a page of another site could reach this address under its own host name.
    let local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
    let answering = move |render: Render, media_type: fn(MetricsFormat) -> &'static str| {
        get(move |headers: HeaderMap| async move {
            if local && !is_of_this_machine(&headers) {
                let refused =
                    "the Host of a request to this machine's own address must be localhost or an IP address\n";
                return (StatusCode::MISDIRECTED_REQUEST, refused).into_response();
            }
            let format = MetricsFormat::accepted(&headers);
            let mut response = Response::new(Body::from(render(format).await));
            let media_type = header::HeaderValue::from_static(media_type(format));
            response.headers_mut().insert(header::CONTENT_TYPE, media_type);
            response
        })
    };
    // With a body, because a response without one is taken for hyper's own error response.
    let nothing = || async { (StatusCode::NOT_FOUND, "only /metrics and /status are served here\n") };
    let render_metrics =
        move |format: MetricsFormat| -> BoxFuture<'static, String> { Box::pin(std::future::ready(metrics(format))) };
    let router = Router::new()
        .route("/metrics", answering(Arc::new(render_metrics), MetricsFormat::media_type))
        .route("/status", answering(Arc::new(move |_| status()), |_| "application/json"))
        .fallback(nothing);
    let settings = ServerSettings {
        max_connections: 64,
        max_connections_per_network: 16,
        grace: Duration::from_secs(1),
        ..ServerSettings::default()
    };
    run(listener, router, None, settings, shutdown).await;
}

/// Returns whether the host of a request is `localhost` or an IP address, which no other site can use as its name.
fn is_of_this_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host.and_then(|host| host.parse::<Authority>().ok()) else { return false };
    let name = host.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok()
}

/// State of the server, which all connections observe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Serving,
    Draining,
    Cut,
}

async fn run(
    listener: TcpListener,
    service: impl Answers,
    metrics: Option<Arc<HttpMetrics>>,
    settings: ServerSettings,
    shutdown: impl Future<Output = ()>,
) -> usize {
    let mut builder = http1::Builder::new();
    // The timeouts are implemented here. 100 header fields are hyper's default limit, which is cheaper than the same
    // number set explicitly.
    builder.header_read_timeout(None).max_header_size(settings.max_header).max_buf_size(settings.max_buffer);
    let server = Arc::new(Server { builder, limiter: Arc::new(ConnectionLimiter::default()), metrics, settings });
    let (stage, _) = watch::channel(Stage::Serving);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(permit) = server.permit(peer) {
                    let connection =
                        Connection { server: Arc::clone(&server), peer, stage: stage.subscribe(), _seat: permit };
                    tokio::spawn(connection.run(stream, service.clone()));
                }
            }
            Err(error) if gone_before_accept(&error) => debug!(error = &error as &dyn std::error::Error, "accept"),
            Err(error) => {
                // Most likely no file descriptors are left. Other connections may close some meanwhile.
                warn!(error = &error as &dyn std::error::Error, "cannot accept a connection");
                tokio::select! {
                    () = &mut shutdown => break,
                    () = sleep(Duration::from_millis(100)) => {}
                }
            }
        }
    }
    drop(listener);
    stage.send_replace(Stage::Draining);
    if timeout(server.settings.grace, stage.closed()).await.is_ok() {
        return 0;
    }
    let cut = stage.receiver_count();
    warn!(connections = cut, "requests did not end in time");
    stage.send_replace(Stage::Cut);
    // They only have to be dropped, but a busy runtime may take a moment.
    let _ = timeout(Duration::from_secs(1), stage.closed()).await;
    cut
}

fn gone_before_accept(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

struct Server {
    builder: http1::Builder,
    limiter: Arc<ConnectionLimiter>,
    metrics: Option<Arc<HttpMetrics>>,
    settings: ServerSettings,
}

/// Counts open connections, in total and per network.
#[derive(Default)]
struct ConnectionLimiter {
    total: AtomicUsize,
    networks: Mutex<HashMap<Network, usize>>,
}

/// Permit for one open connection. Dropping it releases it.
struct Permit {
    limiter: Arc<ConnectionLimiter>,
    network: Option<Network>,
    metrics: Option<Arc<HttpMetrics>>,
}

impl Server {
    /// Permit for one more connection; `None` when a limit is reached.
    fn permit(&self, peer: SocketAddr) -> Option<Permit> {
        let metrics = self.metrics.as_deref();
        if self.limiter.total.load(Ordering::Relaxed) >= self.settings.max_connections {
            metrics.inspect(|metrics| {
                metrics.rejected_total.inc();
            });
            return None;
        }
        let address = peer.ip().to_canonical();
        let is_exempt = address.is_loopback() || self.settings.forwarding.is_proxy(address);
        let network = (!is_exempt).then(|| Network::of(address));
        if let Some(network) = network {
            let networks = self.limiter.networks.lock();
            let mut networks = networks.unwrap_or_else(PoisonError::into_inner);
            let open = networks.entry(network).or_default();
            if *open >= self.settings.max_connections_per_network {
                metrics.inspect(|metrics| {
                    metrics.rejected_network.inc();
                });
                return None;
            }
            *open += 1;
        }
        self.limiter.total.fetch_add(1, Ordering::Relaxed);
        metrics.inspect(|metrics| {
            metrics.connections.inc();
        });
        Some(Permit { limiter: Arc::clone(&self.limiter), network, metrics: self.metrics.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.limiter.total.fetch_sub(1, Ordering::Relaxed);
        if let Some(metrics) = &self.metrics {
            metrics.connections.dec();
        }
        if let Some(network) = self.network {
            let networks = self.limiter.networks.lock();
            let mut networks = networks.unwrap_or_else(PoisonError::into_inner);
            if let Some(open) = networks.get_mut(&network) {
                *open -= 1;
                if *open == 0 {
                    networks.remove(&network);
                }
            }
        }
    }
}

struct Connection {
    server: Arc<Server>,
    peer: SocketAddr,
    stage: watch::Receiver<Stage>,
    _seat: Permit,
}

impl Connection {
    async fn run(mut self, stream: TcpStream, service: impl Answers) {
        if let Err(error) = stream.set_nodelay(true) {
            debug!(error = &error as &dyn std::error::Error, "the peer is gone already");
            return;
        }
        let settings = &self.server.settings;
        let metrics = self.server.metrics.clone();
        let progress = Arc::new(ConnectionActivity::new());
        let watched = InterceptedStream::new(stream, Arc::clone(&progress), metrics.clone());
        let peer = PeerAddr(self.peer);
        let noted = Arc::clone(&progress);
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            noted.busy();
            let noted = Arc::clone(&noted);
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            let answer = service.clone().call(request);
            Box::pin(async move {
                let Ok(response) = answer.await;
                Ok::<_, Infallible>(response.map(|body| TrackedBody { body, progress: noted }))
            })
        });
        let io = TokioIo::new(watched);
        let mut connection = self.server.builder.serve_connection(io, service);

        let mut armed = progress.deadline(settings);
        let mut timer = pin!(sleep_until(armed));
        let mut draining = false;
        let end = loop {
            // Resolves when hyper is done, or when the timer is set too late.
            let driven = std::future::poll_fn(|context| match connection.poll_without_shutdown(context) {
                Poll::Ready(_) => Poll::Ready(true),
                Poll::Pending if progress.urgent_deadline(settings) < armed => Poll::Ready(false),
                Poll::Pending => Poll::Pending,
            });
            tokio::select! {
                // Checked first, so that a response that is ready now announces that the connection closes.
                biased;
                changed = self.stage.changed() => {
                    if changed.is_err() || *self.stage.borrow_and_update() == Stage::Cut {
                        break ConnectionEnd::Drop;
                    }
                    draining = true;
                    // An idle connection ends here; a busy one ends after its response.
                    Pin::new(&mut connection).graceful_shutdown();
                },
                done = driven => if done {
                    break ConnectionEnd::Done;
                },
                () = &mut timer => {}
            }
            match progress.expired(settings) {
                Some(end) => break end,
                None => {
                    armed = progress.deadline(settings);
                    timer.as_mut().reset(armed);
                }
            }
        };

        let mut stream = connection.into_parts().io.into_inner().into_inner();
        match end {
            ConnectionEnd::Drop => {}
            ConnectionEnd::Done if draining => {}
            ConnectionEnd::Done => linger(&mut stream, &mut self.stage).await,
            ConnectionEnd::HeaderLate => {
                let answer = answer(StatusCode::REQUEST_TIMEOUT, "", metrics.as_deref());
                // Bytes that the socket does not accept at once are not worth waiting for.
                let _ = stream.try_write(&answer);
                linger(&mut stream, &mut self.stage).await;
            }
        }
    }
}

/// Shuts down writing, and reads for a moment. Closing while the peer still sends would reset the connection before
/// the peer has read the response.
async fn linger(stream: &mut TcpStream, stage: &mut watch::Receiver<Stage>) {
    const MOST_BYTES: usize = 8 << 20;
    const MOST_TIME: Duration = Duration::from_secs(2);
    let shut = std::future::poll_fn(|context| Pin::new(&mut *stream).poll_shutdown(context)).await;
    if shut.is_err() {
        return;
    }
    let drain = async {
        let mut read = 0;
        let mut buffer = Vec::new();
        while read < MOST_BYTES && stream.readable().await.is_ok() {
            // Most peers send nothing more and need no large buffer.
            buffer.resize(if read == 0 { 512 } else { 16 << 10 }, 0);
            match stream.try_read(&mut buffer) {
                Ok(0) => return,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    };
    tokio::select! {
        _ = timeout(MOST_TIME, drain) => {}
        _ = stage.changed() => {}
    }
}

/// Body of a response. The connection is idle once hyper drops it.
struct TrackedBody {
    body: Body,
    progress: Arc<ConnectionActivity>,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.progress.wrote_body(looks_like_head(data));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.progress.answered();
    }
}
