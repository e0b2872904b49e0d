//! Slow clients that send nothing, send half a header, send a body byte by byte, or
//! never read what they asked for: many of each, together with honest clients that
//! must not be affected.

use crate::Result;
use crate::findings::Outcome;
use crate::http::{Account, Connection};
use crate::place::{DataLocation, Database};
use crate::server::{self, Server};
use serde_json::json;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Number of honest clients.
const HONEST: usize = 4;
/// Minimum number of requests of each honest client, regardless of their duration.
const MIN_REQUESTS: usize = 13;
/// Minimum number of honest requests; with fewer, a run proves nothing.
const MIN_HONEST_REQUESTS: usize = 50;

/// Options of a run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) program: PathBuf,
    /// Number of slow connections of each kind.
    pub(crate) each: usize,
    /// Duration of the load.
    pub(crate) time: Duration,
    /// Time after the load within which the server has to close the slow connections. The
    /// longest of its own timeouts is 45 seconds; on a busy machine they take effect late.
    pub(crate) close_timeout: Duration,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Silent,
    HalfHeader,
    SlowBody,
    NotReading,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Silent, Kind::HalfHeader, Kind::SlowBody, Kind::NotReading];

    fn name(self) -> &'static str {
        match self {
            Kind::Silent => "sending nothing",
            Kind::HalfHeader => "half a header",
            Kind::SlowBody => "a byte each second",
            Kind::NotReading => "reading nothing",
        }
    }

    fn first_bytes(self, project_key: &str) -> String {
        match self {
            Kind::Silent => String::new(),
            Kind::HalfHeader => format!("POST /events/{project_key} HTTP/1.1\r\nhost: sl"),
            Kind::SlowBody => format!(
                "POST /events/{project_key} HTTP/1.1\r\nhost: slow\r\ncontent-type: text/plain\r\n\
                 content-length: 100000\r\n\r\n"
            ),
            Kind::NotReading => "GET /openapi.json HTTP/1.1\r\nhost: slow\r\n\r\n".repeat(10),
        }
    }
}

/// Outcome of the slow clients of one kind.
struct SlowClientsReport {
    kind: Kind,
    opened: usize,
    /// Connections that the server closed.
    closed: usize,
    /// Longest time for which one of these was open.
    last: Duration,
}

/// Outcome of a run.
pub(crate) struct Served {
    time: Duration,
    /// Durations of honest requests, ascending.
    honest: Vec<Duration>,
    failures: Vec<String>,
    met: Vec<SlowClientsReport>,
    memory: u64,
}

impl Served {
    fn percentile(&self, percent: usize) -> Duration {
        let place = (self.honest.len() * percent / 100).min(self.honest.len().saturating_sub(1));
        self.honest.get(place).copied().unwrap_or(Duration::MAX)
    }
}

impl Outcome for Served {
    /// Returns whether every honest request was answered and every slow connection closed.
    fn is_well(&self) -> bool {
        self.failures.is_empty()
            && self.honest.len() >= MIN_HONEST_REQUESTS
            && self.met.iter().all(|met| met.closed == met.opened)
    }
}

impl fmt::Display for Served {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            out,
            "slow clients, {:.0} s\n  honest requests       {}, p50 {:.1} ms, p99 {:.1} ms, at most {:.1} ms; {} failed",
            self.time.as_secs_f64(),
            self.honest.len(),
            ms(self.percentile(50)),
            ms(self.percentile(99)),
            ms(self.percentile(100)),
            self.failures.len()
        )?;
        for met in &self.met {
            write!(out, "\n  {:<22}{} connections", met.kind.name(), met.opened)?;
            if met.closed > 0 {
                write!(
                    out,
                    ", {} of them closed by the server, the last after {:.0} s",
                    met.closed,
                    met.last.as_secs_f64()
                )?;
            }
        }
        write!(out, "\n  memory of the server  {} MiB at most", self.memory >> 20)?;
        for failure in self.failures.iter().take(5) {
            write!(out, "\n  {failure}")?;
        }
        Ok(())
    }
}

/// Runs slow and honest clients together, and measures the honest ones.
pub(crate) fn run(options: &Options) -> Result<Served> {
    let place = DataLocation::new(Database::Sqlite)?;
    let account = &server::make_project(&options.program, &place, "Rig")?;
    let server = Server::start(&options.program, &place, &[])?;
    let address = server.address;
    let end = Instant::now() + options.time;
    let mut outcome =
        Served { time: options.time, honest: Vec::new(), failures: Vec::new(), met: Vec::new(), memory: 0 };
    thread::scope(|scope| {
        let slow = Kind::ALL.map(|kind| scope.spawn(move || slow(kind, address, account, options, end)));
        let honest: Vec<_> = (0..HONEST).map(|_| scope.spawn(move || honest(address, account, end))).collect();
        for thread in honest {
            let (times, failure) = thread.join().map_err(|_| "an honest client panicked")?;
            outcome.honest.extend(times);
            outcome.failures.extend(failure.map(|failure| format!("an honest client: {failure}")));
        }
        for thread in slow {
            outcome.met.push(thread.join().map_err(|_| "a slow client panicked")??);
        }
        Ok::<_, crate::Error>(())
    })?;
    outcome.memory = server.most_memory()?;
    outcome.honest.sort_unstable();
    Ok(outcome)
}

/// Sends events and requests the ruleset until the end. Every fourth request needs a
/// new connection, which the server has to accept first.
fn honest(address: SocketAddr, account: &Account, end: Instant) -> (Vec<Duration>, Option<String>) {
    let mut times = Vec::new();
    let mut connection = None;
    while Instant::now() < end || times.len() < MIN_REQUESTS {
        let begun = Instant::now();
        match request(&mut connection, address, account, times.len()) {
            Ok(()) => times.push(begun.elapsed()),
            Err(error) => return (times, Some(error.to_string())),
        }
        if times.len().is_multiple_of(4) {
            connection = None;
        }
        thread::sleep(Duration::from_millis(10));
    }
    (times, None)
}

fn request(connection: &mut Option<Connection>, address: SocketAddr, account: &Account, number: usize) -> Result<()> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(Connection::open(address)?),
    };
    let key = &account.project_key;
    let request = if number.is_multiple_of(2) {
        let event = json!({ "id": Uuid::now_v7(), "type": "custom", "name": "x" });
        let body = json!({ "visitor": { "id": "v" }, "events": [event] }).to_string();
        format!("POST /events/{key} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    } else {
        format!("GET /ruleset/{key} HTTP/1.1\r\nhost: x\r\n\r\n")
    };
    connection.send_bytes(request.as_bytes())?;
    let answer = connection.receive()?;
    if answer.status == 200 { Ok(()) } else { Err(answer.summary().into()) }
}

/// Runs many slow clients of one kind, until the server has closed all of them or the time is up.
fn slow(
    kind: Kind,
    address: SocketAddr,
    account: &Account,
    options: &Options,
    end: Instant,
) -> Result<SlowClientsReport> {
    let (each, last) = (options.each, end + options.close_timeout);
    let first = kind.first_bytes(&account.project_key);
    let mut streams = Vec::with_capacity(each);
    let mut met = SlowClientsReport { kind, opened: 0, closed: 0, last: Duration::ZERO };
    while met.opened < each && Instant::now() < end {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nonblocking(true)?;
        // Bytes that the socket does not take are not needed.
        let _ = stream.write(first.as_bytes());
        streams.push((stream, Instant::now()));
        met.opened += 1;
    }
    while Instant::now() < last && !streams.is_empty() {
        streams.retain_mut(|(stream, since)| {
            if !is_closed(kind, stream) {
                return true;
            }
            met.closed += 1;
            met.last = met.last.max(since.elapsed());
            false
        });
        thread::sleep(Duration::from_secs(1).min(last.saturating_duration_since(Instant::now())));
    }
    Ok(met)
}

/// Does what such a client does each second. Returns whether the connection is closed.
fn is_closed(kind: Kind, stream: &mut TcpStream) -> bool {
    let would_block = |error: &std::io::Error| error.kind() == ErrorKind::WouldBlock;
    if matches!(kind, Kind::SlowBody | Kind::NotReading) && stream.write(b" ").is_err_and(|error| !would_block(&error))
    {
        return true;
    }
    if matches!(kind, Kind::NotReading) {
        return false;
    }
    loop {
        match stream.read(&mut [0; 4096]) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return !would_block(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::program;

    #[test]
    fn slow_clients_do_not_delay_others() {
        let outcome = run(&Options {
            program: program(),
            each: most(300),
            time: Duration::from_secs(4),
            close_timeout: Duration::ZERO,
        });
        let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
        // Durations depend on what else runs on the machine; a client that starved would have
        // met a timeout. Only the long form waits until the slow connections are closed.
        assert!(outcome.failures.is_empty() && outcome.honest.len() >= HONEST * MIN_REQUESTS, "{outcome}");
        eprintln!("{outcome}");
    }

    /// Returns `wanted` connections of each kind, or fewer if this process may not open so many files.
    fn most(wanted: usize) -> usize {
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
        let soft = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(1024);
        wanted.min(soft.saturating_sub(300) / Kind::ALL.len())
    }
}
