//! Just enough HTTP for simulated visitors of the own server.

use crate::{Error, Result};
use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// A persistent connection, which is opened again when the server has closed it.
pub(super) struct Wire {
    address: SocketAddr,
    open: Option<BufReader<TcpStream>>,
}

/// Answer of the server.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Wire {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { address, open: None }
    }

    /// Sends a request; each header is a line without its end.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub(super) async fn send(&mut self, what: &str, headers: &[&str], body: &[u8]) -> Result<HttpResponse> {
        let mut request = format!("{what} HTTP/1.1\r\nHost: {}\r\n", self.address).into_bytes();
        for header in headers {
            request.extend_from_slice(header.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        if !body.is_empty() && !headers.iter().any(|header| header.starts_with("Content-Type:")) {
            request.extend_from_slice(b"Content-Type: application/json\r\n");
        }
        request.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        request.extend_from_slice(body);
        let kept = self.open.is_some();
        let answered = match self.exchange(&request).await {
            // The connection may have been closed while it was idle. The server recognises repeated events.
            Err(_) if kept => self.exchange(&request).await,
            answered => answered,
        };
        answered.map_err(|error| Error::Other(format!("the demo's server cannot be reached: {error}").into()))
    }

    async fn exchange(&mut self, request: &[u8]) -> io::Result<HttpResponse> {
        let mut stream = match self.open.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.address).await?;
                stream.set_nodelay(true)?;
                BufReader::new(stream)
            }
        };
        stream.get_mut().write_all(request).await?;
        let strange = || io::Error::from(io::ErrorKind::InvalidData);
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(strange)?;
        let mut length = 0;
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Err(strange());
            }
            match line.trim_end().split_once(':') {
                None => break,
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().map_err(|_| strange())?;
                }
                Some((name, _)) if name.eq_ignore_ascii_case("transfer-encoding") => return Err(strange()),
                Some(_) => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        self.open = Some(stream);
        Ok(HttpResponse { status, body })
    }
}
