//! Errors of requests.
//!
//! An error attaches itself to a response with [`failed`]. The [edge](crate::edge) writes its body, since only the edge
//! knows the request id. [`HttpError`] has the errors that any operation can return; the operations' own ones implement
//! [`Failure`] too.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;

/// A field of the request with an invalid value.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FieldError<'a> {
    /// Path of the field.
    pub field: &'a str,
    /// Continuation of a sentence that begins with the field.
    pub message: &'a str,
}

/// An error that is sent as the response to a request.
pub trait Failure: Error + Send + Sync + 'static {
    /// Status, code and sentence of the response.
    fn facts(&self) -> (StatusCode, &'static str, Cow<'_, str>);

    /// Fields that the body lists; none for most errors.
    fn fields(&self) -> Vec<FieldError<'_>> {
        Vec::new()
    }

    /// Sets the header fields of this error.
    fn add_headers(&self, headers: &mut HeaderMap);

    /// Status of the response.
    fn status(&self) -> StatusCode {
        self.facts().0
    }

    /// Code in the response's body.
    fn code(&self) -> &'static str {
        self.facts().1
    }

    /// Body of the response, as JSON.
    fn body(&self, request_id: &str) -> Bytes {
        let (_, code, error) = self.facts();
        let wire = Wire { success: false, error: &error, code, errors: self.fields(), request_id };
        // Strings and lists always serialise. If not, an empty body would still have the status.
        serde_json::to_vec(&wire).unwrap_or_default().into()
    }
}

/// Body of every error. The field order is the one on the wire.
#[derive(Serialize)]
struct Wire<'a> {
    success: bool,
    error: &'a str,
    code: &'a str,
    errors: Vec<FieldError<'a>>,
    request_id: &'a str,
}

/// Errors that any operation can return.
#[derive(Debug)]
pub enum HttpError {
    /// No operation has this path.
    RouteNotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// The request is not valid HTTP.
    MalformedRequest,
    /// The body is longer than `limit` bytes.
    BodyTooLarge {
        /// Maximum number of bytes that this operation accepts.
        limit: usize,
    },
    /// The body has another media type or coding than the operation accepts.
    UnsupportedMediaType {
        /// Continuation of "the body must be": `application/json`.
        expected: &'static str,
    },
    /// The request target is longer than 8 KiB.
    UriTooLong,
    /// The header block is too large or has too many fields.
    HeadersTooLarge,
    /// The request did not arrive in time.
    Timeout,
    /// The key, or the network of the client, has exceeded its rate limit.
    RateLimited {
        /// Seconds until one more request is accepted, at least 1.
        retry_after_s: u64,
    },
    /// The server cannot answer at present.
    Unavailable {
        /// Seconds until a retry is worthwhile.
        retry_after_s: u64,
    },
    /// Fault of the server. The cause is logged and never sent to the client.
    Internal(Box<dyn Error + Send + Sync>),
}

impl HttpError {
    /// Fault of the server with its cause.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> HttpError {
        HttpError::Internal(cause.into())
    }
}

impl Failure for HttpError {
    fn facts(&self) -> (StatusCode, &'static str, Cow<'_, str>) {
        use StatusCode as S;
        match self {
            HttpError::RouteNotFound => (S::NOT_FOUND, "unknown_route", "no operation has this path".into()),
            HttpError::MethodNotAllowed => {
                (S::METHOD_NOT_ALLOWED, "method_not_allowed", "this path does not take this method".into())
            }
            HttpError::MalformedRequest => {
                (S::BAD_REQUEST, "malformed_request", "the request is not valid HTTP".into())
            }
            HttpError::BodyTooLarge { limit } => {
                (S::PAYLOAD_TOO_LARGE, "body_too_large", format!("the body is over the limit of {limit} bytes").into())
            }
            HttpError::UnsupportedMediaType { expected } => {
                (S::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", format!("the body must be {expected}").into())
            }
            HttpError::UriTooLong => {
                (S::URI_TOO_LONG, "uri_too_long", "the request target is over the limit of 8 KiB".into())
            }
            HttpError::HeadersTooLarge => (
                S::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "headers_too_large",
                "the request's header fields are too large or too many".into(),
            ),
            HttpError::Timeout => (S::REQUEST_TIMEOUT, "request_timeout", "the request took too long to arrive".into()),
            HttpError::RateLimited { retry_after_s } => (
                S::TOO_MANY_REQUESTS,
                "rate_limited",
                format!("too many requests; try again after {retry_after_s} s").into(),
            ),
            HttpError::Unavailable { retry_after_s } => (
                S::SERVICE_UNAVAILABLE,
                "unavailable",
                format!("the server cannot answer now; try again after {retry_after_s} s").into(),
            ),
            HttpError::Internal(_) => (
                S::INTERNAL_SERVER_ERROR,
                "internal",
                "the server failed; quote the request id when you report it".into(),
            ),
        }
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            HttpError::RateLimited { retry_after_s } | HttpError::Unavailable { retry_after_s } => {
                retry_after(headers, *retry_after_s);
            }
            // The rest of the request may still be in transit, so the connection cannot be reused.
            HttpError::Timeout => {
                headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
    }
}

/// Sets `Retry-After`, to at least a second.
pub fn retry_after(headers: &mut HeaderMap, seconds: u64) {
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.facts().2)
    }
}

impl Error for HttpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            HttpError::Internal(cause) => Some(cause.as_ref()),
            _ => None,
        }
    }
}

/// Error in the extensions of a response, for the edge.
#[derive(Debug, Clone)]
pub struct Failed {
    /// Error to write and log.
    pub error: Arc<dyn Failure>,
    /// Error body of protocols that define their own format; none for the usual one.
    pub body: Option<Bytes>,
}

/// Response whose error the edge writes, with `body` instead of the usual one if given.
pub fn failed(error: impl Failure, body: Option<Bytes>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = error.status();
    response.extensions_mut().insert(Failed { error: Arc::new(error), body });
    response
}

impl IntoResponse for HttpError {
    /// Sets the status and attaches the error; the edge adds the header fields and the body.
    fn into_response(self) -> Response {
        failed(self, None)
    }
}
