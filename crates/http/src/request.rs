//! Id and state of one request.

use crate::error::HttpError;
use crate::limits::{Allowance, Limits};
use crate::metrics::UNMATCHED;
use axum::extract::{FromRequestParts, MatchedPath};
use http::request::Parts;
use http::{HeaderMap, HeaderName};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

/// Header field with the request id, in requests and responses.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Id of one request, in its response and in every log line about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Id that the client sent, if it has 1 to 64 letters, digits, `.`, `_` or `-`;
    /// otherwise a new UUID that sorts by time.
    pub fn of(headers: &HeaderMap) -> RequestId {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        let given = headers
            .get(X_REQUEST_ID)
            .filter(|value| (1..=64).contains(&value.len()) && value.as_bytes().iter().all(plain))
            .and_then(|value| value.to_str().ok());
        match given {
            Some(id) => RequestId(id.into()),
            None => RequestId::new(),
        }
    }

    /// New UUID that sorts by time.
    pub fn new() -> RequestId {
        let mut buffer = Uuid::encode_buffer();
        let text: &str = Uuid::now_v7().hyphenated().encode_lower(&mut buffer);
        RequestId(text.into())
    }

    /// Id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for RequestId {
    fn default() -> RequestId {
        RequestId::new()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// State of one request, shared by the edge and the inner layers.
///
/// Every request carries it in its extensions, with its [`RequestId`]. It is also an
/// extractor.
#[derive(Clone)]
pub struct RequestContext(pub(crate) Arc<Shared>);

/// The state that clones of a [`RequestContext`] share.
pub(crate) struct Shared {
    pub(crate) id: RequestId,
    pub(crate) limits: Arc<Limits>,
    pub(crate) route: OnceLock<MatchedPath>,
    pub(crate) key: OnceLock<String>,
    pub(crate) allowance: OnceLock<Allowance>,
    pub(crate) reading_body: AtomicBool,
}

impl RequestContext {
    pub(crate) fn new(id: RequestId, limits: Arc<Limits>) -> RequestContext {
        RequestContext(Arc::new(Shared {
            id,
            limits,
            route: OnceLock::new(),
            key: OnceLock::new(),
            allowance: OnceLock::new(),
            reading_body: AtomicBool::new(false),
        }))
    }

    /// The id of the request.
    pub fn request_id(&self) -> &RequestId {
        &self.0.id
    }

    /// Records the authenticated key for the log, and takes the request from the key's
    /// bucket. The response will show the state of the bucket.
    ///
    /// # Errors
    /// [`HttpError::RateLimited`] when the bucket is empty.
    pub fn authenticated(&self, key_id: &str) -> Result<(), HttpError> {
        let _ = self.0.key.set(key_id.to_owned());
        match self.0.limits.take_key(key_id) {
            Some(allowance) => self.0.allow(allowance),
            None => Ok(()),
        }
    }

    /// Marks the body as being read while the guard lives. If the deadline passes
    /// meanwhile, the client gets 408 instead of a server error.
    pub fn reading_body(&self) -> ReadingBody {
        self.0.reading_body.store(true, Ordering::Relaxed);
        ReadingBody(self.clone())
    }
}

impl Shared {
    pub(crate) fn allow(&self, allowance: Allowance) -> Result<(), HttpError> {
        let verdict = allowance.check();
        let _ = self.allowance.set(allowance);
        verdict
    }

    pub(crate) fn route(&self) -> &str {
        self.route.get().map_or(UNMATCHED, MatchedPath::as_str)
    }
}

impl<S: Sync> FromRequestParts<S> for RequestContext {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<RequestContext, HttpError> {
        let context = parts.extensions.get::<RequestContext>();
        context.cloned().ok_or_else(|| HttpError::internal("the request did not pass the edge"))
    }
}

/// Guard that marks the body as being read.
pub struct ReadingBody(RequestContext);

impl Drop for ReadingBody {
    fn drop(&mut self) {
        self.0.0.reading_body.store(false, Ordering::Relaxed);
    }
}
