//! A connection: its peer, its limits, and what it is doing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

use crate::forwarding::{Forwarding, NoProxies};

/// Address of the connection's peer, in the extensions of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// Limits of connections.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Timeout for a header, from its first byte; for the first one, from the start of the connection.
    pub header_timeout: Duration,
    /// Timeout for the next request on an idle connection.
    pub idle_timeout: Duration,
    /// Timeout for a client that does not read what is written.
    pub write_timeout: Duration,
    /// Time that in-flight requests get when the server shuts down.
    pub grace: Duration,
    /// Maximum number of open connections.
    pub max_connections: usize,
    /// Maximum number of open connections per network. Loopback and proxies are exempt.
    pub max_connections_per_network: usize,
    /// The proxies in front of the server.
    pub forwarding: Arc<dyn Forwarding>,
    /// Maximum size of a request's header, including its first line, in bytes.
    pub max_header: usize,
    /// Maximum number of bytes that are read ahead, or written but not yet sent.
    pub max_buffer: usize,
}

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        ServerSettings {
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(6),
            max_connections: 10_000,
            max_connections_per_network: 1_024,
            forwarding: Arc::new(NoProxies),
            max_header: 32 << 10,
            max_buffer: 64 << 10,
        }
    }
}

/// Reason why a connection ends.
pub(crate) enum ConnectionEnd {
    /// hyper has finished the connection.
    Done,
    /// A header did not arrive in time.
    HeaderLate,
    /// The connection is closed without a response.
    Drop,
}

/// Activity of a connection. The stream, the service and the response body update it; the connection's timer reads it.
///
/// All of this happens on the connection's task, so the atomics need no ordering.
pub(crate) struct ConnectionActivity {
    start: Instant,
    doing: AtomicU8,
    /// Milliseconds from `start` to the beginning of the current activity.
    since_ms: AtomicU64,
    /// Milliseconds from `start`, plus one, to the time when writing was blocked; 0 while it is not blocked.
    blocked_ms: AtomicU64,
    body_looks_like_head: AtomicBool,
}

/// Nothing has been read yet.
const NEW: u8 = 0;
/// A header is being read.
const HEADER: u8 = 1;
/// A request is in flight.
const BUSY: u8 = 2;
/// The response is written, or waits for the socket to accept it.
const IDLE: u8 = 3;

impl ConnectionActivity {
    pub(crate) fn new() -> ConnectionActivity {
        ConnectionActivity {
            start: Instant::now(),
            doing: AtomicU8::new(NEW),
            since_ms: AtomicU64::new(0),
            blocked_ms: AtomicU64::new(0),
            body_looks_like_head: AtomicBool::new(false),
        }
    }

    fn now_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    /// Records that bytes arrived. Returns whether they begin a header.
    pub(crate) fn bytes_read(&self) -> bool {
        match self.doing.load(Ordering::Relaxed) {
            // The first header's time counts from the connection's start, so `since_ms` does not change.
            NEW => {}
            IDLE => self.since_ms.store(self.now_ms(), Ordering::Relaxed),
            _ => return false,
        }
        self.doing.store(HEADER, Ordering::Relaxed);
        true
    }

    pub(crate) fn busy(&self) {
        self.doing.store(BUSY, Ordering::Relaxed);
    }

    pub(crate) fn answered(&self) {
        self.since_ms.store(self.now_ms(), Ordering::Relaxed);
        self.doing.store(IDLE, Ordering::Relaxed);
    }

    pub(crate) fn write_blocked(&self, blocked: bool) {
        let before = self.blocked_ms.load(Ordering::Relaxed);
        if blocked != (before > 0) {
            let since = if blocked { self.now_ms() + 1 } else { 0 };
            self.blocked_ms.store(since, Ordering::Relaxed);
        }
    }

    /// Records whether a body that is written could be mistaken for a header.
    pub(crate) fn wrote_body(&self, looks_like_head: bool) {
        self.body_looks_like_head.store(looks_like_head, Ordering::Relaxed);
    }

    /// Returns whether the last body written could be mistaken for a header.
    pub(crate) fn body_looks_like_head(&self) -> bool {
        self.body_looks_like_head.load(Ordering::Relaxed)
    }

    fn at(&self, since_ms: u64, allowed: Duration) -> Instant {
        self.start + Duration::from_millis(since_ms) + allowed
    }

    /// Deadline of the header that is being read or of the write that is blocked; a time far in the future when there
    /// is neither.
    pub(crate) fn urgent_deadline(&self, settings: &ServerSettings) -> Instant {
        let far_off = Duration::from_secs(365 * 86_400);
        let header = match self.doing.load(Ordering::Relaxed) {
            NEW | HEADER => {
                let since = self.since_ms.load(Ordering::Relaxed);
                self.at(since, settings.header_timeout)
            }
            _ => self.start + far_off,
        };
        match self.blocked_ms.load(Ordering::Relaxed) {
            0 => header,
            blocked => header.min(self.at(blocked, settings.write_timeout)),
        }
    }

    /// Time at which the timer fires next.
    pub(crate) fn deadline(&self, settings: &ServerSettings) -> Instant {
        let urgent = self.urgent_deadline(settings);
        match self.doing.load(Ordering::Relaxed) {
            NEW | HEADER => urgent,
            IDLE => {
                let since = self.since_ms.load(Ordering::Relaxed);
                urgent.min(self.at(since, settings.idle_timeout))
            }
            _ => urgent.min(Instant::now() + settings.idle_timeout),
        }
    }

    /// Returns how the connection ends if its deadline has passed.
    pub(crate) fn expired(&self, settings: &ServerSettings) -> Option<ConnectionEnd> {
        let now = Instant::now();
        let blocked = self.blocked_ms.load(Ordering::Relaxed);
        if blocked > 0 && self.at(blocked, settings.write_timeout) <= now {
            return Some(ConnectionEnd::Drop);
        }
        let doing = self.doing.load(Ordering::Relaxed);
        if doing == BUSY || self.deadline(settings) > now {
            return None;
        }
        Some(if doing == HEADER { ConnectionEnd::HeaderLate } else { ConnectionEnd::Drop })
    }
}
