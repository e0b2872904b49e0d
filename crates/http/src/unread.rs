//! Bodies that are not read to their end, because a request can be answered before.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use http::header;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};

/// Maximum number of bytes of the rest of a body that are read to keep the connection
/// usable.
const READ_OUT: usize = 64 << 10;
/// Timeout for reading them.
const READ_OUT_WITHIN: Duration = Duration::from_millis(500);

/// Body of a request that may be answered before the body is read. The rest is then read,
/// or the response announces that the connection closes. Otherwise the client's next
/// request would fail.
pub(crate) struct Unread {
    rest: Arc<Mutex<Option<Body>>>,
    /// True when the client waits for `100 Continue`.
    on_demand: bool,
}

impl Unread {
    /// Wraps the body of a request; `None` if it has no body.
    pub(crate) fn watch(request: &mut Request) -> Option<Unread> {
        if request.body().is_end_stream() {
            return None;
        }
        let on_demand = request.headers().contains_key(header::EXPECT);
        let rest = Arc::default();
        let body = std::mem::take(request.body_mut());
        *request.body_mut() = Body::new(RecoverableBody { body: Some(body), rest: Arc::clone(&rest) });
        Some(Unread { rest, on_demand })
    }

    /// Reads the rest of the body. Returns whether it was read to its end.
    pub(crate) async fn read_out(self) -> bool {
        let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut rest) = rest else { return true };
        if self.on_demand || rest.size_hint().lower() > READ_OUT as u64 {
            return false;
        }
        let reading = async {
            let mut read = 0;
            while let Some(frame) = rest.frame().await {
                let Ok(frame) = frame else { return false };
                read += frame.data_ref().map_or(0, Bytes::len);
                if read > READ_OUT {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(READ_OUT_WITHIN, reading).await.unwrap_or(false)
    }
}

/// Body that returns its unread rest when it is dropped.
struct RecoverableBody {
    body: Option<Body>,
    rest: Arc<Mutex<Option<Body>>>,
}

impl HttpBody for RecoverableBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(context);
        // After an error there is no more data.
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for RecoverableBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}
