//! Minimal HTTP client. It does not use a library, so that the rig knows for certain
//! whether a request left and whether its answer came.

use crate::Result;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Timeout of a request, longer than the server may take.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A request. `path` follows the project's key in the address.
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Option<&'a Value>,
    pub(crate) idempotency_key: Option<&'a str>,
}

impl<'a> Request<'a> {
    pub(crate) fn get(path: String) -> Self {
        Self { method: "GET", path, body: None, idempotency_key: None }
    }

    pub(crate) fn patch(path: String, body: &'a Value) -> Self {
        Self { method: "PATCH", path, body: Some(body), idempotency_key: None }
    }

    pub(crate) fn post(path: &str, body: &'a Value, idempotency_key: &'a str) -> Self {
        Self { method: "POST", path: path.to_owned(), body: Some(body), idempotency_key: Some(idempotency_key) }
    }
}

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    /// True when the server says that it repeats an earlier answer.
    pub(crate) is_replayed: bool,
    pub(crate) body: Value,
}

impl Answer {
    /// Revision of the experiment, with which its entity tag begins.
    pub(crate) fn revision(&self) -> Option<i64> {
        self.etag.as_deref()?.trim_matches('"').split('-').next()?.parse().ok()
    }

    /// Status and beginning of the body, for a message.
    pub(crate) fn summary(&self) -> String {
        let body: String = self.body.to_string().chars().take(300).collect();
        format!("{} {body}", self.status)
    }
}

/// Keys that every request of a project carries.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) project_key: String,
    pub(crate) api_key: String,
}

/// A keep-alive connection.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    pub(crate) fn send(&mut self, account: &Account, request: &Request<'_>) -> io::Result<()> {
        let body = request.body.map(Value::to_string).unwrap_or_default();
        let mut head = format!(
            "{} /v2/project/{}{} HTTP/1.1\r\nhost: crash\r\nauthorization: Bearer {}\r\n",
            request.method, account.project_key, request.path, account.api_key
        );
        if request.body.is_some() {
            head += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        }
        if let Some(key) = request.idempotency_key {
            head += &format!("idempotency-key: {key}\r\n");
        }
        self.stream.get_mut().write_all(format!("{head}\r\n{body}").as_bytes())
    }

    /// Sends a request that is already serialized.
    pub(crate) fn send_bytes(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(request)
    }

    pub(crate) fn receive(&mut self) -> io::Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| Error::new(ErrorKind::InvalidData, first))?;
        let mut answer = Answer { status, etag: None, is_replayed: false, body: Value::Null };
        let mut length = 0;
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => length = value.parse().map_err(|_| ErrorKind::InvalidData)?,
                ("etag", value) => answer.etag = Some(value.to_owned()),
                ("idempotent-replayed", value) => answer.is_replayed = value == "true",
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        answer.body = serde_json::from_slice(&body)?;
        Ok(answer)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call(&mut self, account: &Account, request: &Request<'_>) -> Result<Answer> {
        let answer = self.send(account, request).and_then(|()| self.receive());
        answer.map_err(|error| format!("{} {}: {error}", request.method, request.path).into())
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        // An incomplete line means that the connection broke.
        line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }
}
