//! Error bodies for requests that hyper cannot parse.
//!
//! hyper answers such a request itself, without a body and without calling the service.
//! [`InterceptedStream`] is between hyper and the socket. It recognises that response and
//! writes one with an error body instead. It also records what the connection is doing, for
//! the timeouts of the [server](crate::server).

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::{HeaderMap, Method, StatusCode};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tracing::info;

use crate::connection::ConnectionActivity;
use crate::error::{Failure, HttpError};
use crate::metrics::{HttpMetrics, UNMATCHED};
use crate::request::RequestId;

/// Length of the first line of a header so far. It distinguishes a request target that is
/// too long from header fields that are too long.
#[derive(Default)]
struct FirstLine {
    len: usize,
    ended: bool,
}

impl FirstLine {
    const LONG: usize = 8 << 10;

    fn read(&mut self, bytes: &[u8]) {
        if !self.ended {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            self.ended = end.is_some();
            self.len += end.unwrap_or(bytes.len());
        }
    }
}

/// Stream from which hyper reads requests and to which it writes responses.
pub(crate) struct InterceptedStream<S> {
    stream: S,
    progress: Arc<ConnectionActivity>,
    metrics: Option<Arc<HttpMetrics>>,
    /// First line of the header that is being read.
    line: FirstLine,
    /// Rest of the replacement response that is not written yet.
    ours: Option<Bytes>,
}

impl<S> InterceptedStream<S> {
    pub(crate) fn new(
        stream: S,
        progress: Arc<ConnectionActivity>,
        metrics: Option<Arc<HttpMetrics>>,
    ) -> InterceptedStream<S> {
        InterceptedStream { stream, progress, metrics, line: FirstLine::default(), ours: None }
    }

    pub(crate) fn into_inner(self) -> S {
        self.stream
    }

    /// Start of hyper's own error response in the bytes to be written, if they end with
    /// one.
    fn bare_start(&self, tail: &[u8]) -> Option<(usize, StatusCode)> {
        if !tail.ends_with(END) || self.progress.body_looks_like_head() {
            return None;
        }
        bare_answer(tail)
    }
}

impl<S: AsyncWrite + Unpin> InterceptedStream<S> {
    /// Writes the replacement response, and then reports hyper's `bare` one as written.
    fn poll_replace(&mut self, context: &mut Context<'_>, status: StatusCode, bare: &[u8]) -> Poll<io::Result<usize>> {
        let metrics = self.metrics.as_deref();
        let status = match status {
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE if self.line.len > FirstLine::LONG => StatusCode::URI_TOO_LONG,
            other => other,
        };
        let ours = self.ours.get_or_insert_with(|| answer(status, date_line(bare), metrics));
        while ours.has_remaining() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, ours))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            ours.advance(written);
        }
        Poll::Ready(Ok(bare.len()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for InterceptedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        if !read.is_empty() {
            if self.progress.bytes_read() {
                self.line = FirstLine::default();
            }
            self.line.read(read);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for InterceptedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let polled = match this.bare_start(buffer) {
            None => Pin::new(&mut this.stream).poll_write(context, buffer),
            Some((0, status)) => this.poll_replace(context, status, buffer),
            // Bytes before it belong to an earlier response and are written first.
            Some((start, _)) => Pin::new(&mut this.stream).poll_write(context, &buffer[..start]),
        };
        this.progress.write_blocked(polled.is_pending());
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = buffers.iter().filter(|buffer| !buffer.is_empty());
        let first = filled.next().map_or(&[][..], |first| first);
        let last = filled.next_back().map_or(first, |last| last);
        if self.bare_start(last).is_some() {
            return self.poll_write(context, first);
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.progress.write_blocked(polled.is_pending());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// End of all responses that hyper itself creates. Hardly anything else ends so.
const END: &[u8] = b" GMT\r\n\r\n";

/// Returns whether a chunk of a body could be mistaken for the end of a bare response, or
/// could complete one that the previous chunk began. The last chunk decides.
pub(crate) fn looks_like_head(piece: &[u8]) -> bool {
    piece.ends_with(END) || END.ends_with(piece)
}

/// Finds a response without body and with no other fields than `Connection: close`, a
/// length of zero and the date, at the end of the bytes to be written. All other responses
/// have more header fields.
fn bare_answer(tail: &[u8]) -> Option<(usize, StatusCode)> {
    const LONGEST: usize = 192;
    let window = tail.len().saturating_sub(LONGEST);
    let start = window + tail[window..].windows(7).rposition(|seven| seven == b"HTTP/1.")?;
    let text = std::str::from_utf8(&tail[start..]).ok()?;
    let (status_line, fields) = text.strip_suffix("\r\n\r\n")?.split_once("\r\n")?;
    let only_these = fields
        .split("\r\n")
        .all(|field| field == "connection: close" || field == "content-length: 0" || field.starts_with("date: "));
    let code = status_line.split(' ').nth(1)?;
    let status = StatusCode::from_bytes(code.as_bytes()).ok()?;
    (only_these && status.is_client_error()).then_some((start, status))
}

/// Header field `Date` of a bare response, with its line end.
fn date_line(bare: &[u8]) -> &str {
    let text = std::str::from_utf8(bare).unwrap_or_default();
    let mut lines = text.split_inclusive("\r\n");
    lines.find(|line| line.starts_with("date: ")).unwrap_or_default()
}

/// Builds a whole response to a request that no service has seen, and logs and counts it.
///
/// `date_line` is a header field with its line end, or empty.
pub(crate) fn answer(status: StatusCode, date_line: &str, metrics: Option<&HttpMetrics>) -> Bytes {
    let error = match status {
        StatusCode::REQUEST_TIMEOUT => HttpError::Timeout,
        StatusCode::URI_TOO_LONG => HttpError::UriTooLong,
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => HttpError::HeadersTooLarge,
        _ => HttpError::MalformedRequest,
    };
    let status = error.status();
    let id = RequestId::new();
    if let Some(metrics) = metrics {
        // The method may be the part that could not be parsed.
        let unknown = Method::TRACE;
        metrics.answered(UNMATCHED, &unknown, status, Duration::ZERO);
    }
    info!(
        request_id = id.as_str(),
        route = UNMATCHED,
        status = status.as_u16(),
        code = error.code(),
        "request could not be read"
    );
    let body = error.body(id.as_str());
    let mut headers = HeaderMap::new();
    error.add_headers(&mut headers);
    headers.remove(http::header::CONNECTION);
    let mut whole = format!(
        "HTTP/1.1 {status}\r\n\
         content-type: application/json\r\n\
         content-length: {}\r\n\
         connection: close\r\n\
         cache-control: no-store\r\n\
         x-content-type-options: nosniff\r\n\
         x-request-id: {id}\r\n\
         {date_line}",
        body.len()
    )
    .into_bytes();
    for (name, value) in &headers {
        whole.extend_from_slice(name.as_str().as_bytes());
        whole.extend_from_slice(b": ");
        whole.extend_from_slice(value.as_bytes());
        whole.extend_from_slice(b"\r\n");
    }
    whole.extend_from_slice(b"\r\n");
    whole.extend_from_slice(&body);
    whole.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n";

    fn check(written: &str, expect: Option<(usize, u16)>) {
        let found = bare_answer(written.as_bytes());
        assert_eq!(found.map(|(start, status)| (start, status.as_u16())), expect, "for {written}");
    }

    #[test]
    fn bare_answers_are_found() {
        let bare = format!("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n{DATE}");
        check(&bare, Some((0, 400)));
        check(&format!("{{\"a\":1}}{bare}"), Some((7, 400)));
        check(&format!("{}{bare}", "x".repeat(5000)), Some((5000, 400)));
        check(
            &format!(
                "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n{DATE}"
            ),
            Some((0, 431)),
        );
        check(&format!("HTTP/1.1 404 Not Found\r\nx-request-id: 1\r\ncontent-length: 0\r\n{DATE}"), None);
        check(&format!("HTTP/1.1 204 No Content\r\n{DATE}"), None);
        check(&format!("{bare}{{}}"), None);
        check("", None);
    }

    #[test]
    fn bodies_that_could_be_taken_for_one() {
        assert!(!looks_like_head(b"{\"success\":true}"));
        assert!(looks_like_head(DATE.as_bytes()));
        assert!(looks_like_head(b"\r\n"));
        assert!(looks_like_head(b""));
        assert!(!looks_like_head(b"hello"));
    }
}
