//! Answers and the headers that go with them.

use crate::api_key::hex;
use crate::error::ApiError;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// A body as JSON.
pub(crate) fn json<T: Serialize>(status: StatusCode, body: &T) -> Result<Response, ApiError> {
    Ok(written(status, serde_json::to_vec(body).map_err(ApiError::internal)?.into()))
}

/// A body that is JSON already.
pub(crate) fn written(status: StatusCode, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The same answer with a strong entity tag.
pub(crate) fn tagged(mut response: Response, version: &str) -> Response {
    if let Ok(tag) = HeaderValue::from_str(&tag(version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// A version for a body: equal bodies have equal ones.
pub(crate) fn etag_of(body: &[u8]) -> String {
    hex(&Sha256::digest(body)[..16])
}

fn tag(version: &str) -> String {
    format!("\"{version}\"")
}

/// What a request demands of the present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Precondition(Option<Vec<String>>);

impl Precondition {
    /// The tags in `If-Match`.
    pub(crate) fn if_match(headers: &HeaderMap) -> Self {
        Self(tags(headers, &header::IF_MATCH))
    }

    /// # Errors
    /// `PreconditionFailed` when tags are named and the version's is not among them.
    pub(crate) fn check(&self, version: &str) -> Result<(), ApiError> {
        match &self.0 {
            Some(tags) if !tags.iter().any(|named| named == "*" || *named == tag(version)) => {
                Err(ApiError::PreconditionFailed)
            }
            _ => Ok(()),
        }
    }
}

/// Whether the client says that it has this version already.
pub(crate) fn is_known(headers: &HeaderMap, version: &str) -> bool {
    // A weak tag is as good here: it says the same of the content.
    tags(headers, &header::IF_NONE_MATCH).is_some_and(|tags| {
        tags.iter().any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == tag(version))
    })
}

/// `None` without the header; what is no tag matches nothing.
fn tags(headers: &HeaderMap, name: &HeaderName) -> Option<Vec<String>> {
    headers.contains_key(name).then(|| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().to_owned())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preconditions() {
        for (header, passes) in [
            (None, true),
            (Some("\"1-0\""), true),
            (Some("*"), true),
            (Some("\"2\", \"1-0\""), true),
            (Some("\"2\""), false),
            (Some("W/\"1-0\""), false),
            (Some("1-0"), false),
            (Some(""), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(value) = header {
                headers.insert(header::IF_MATCH, HeaderValue::from_static(value));
            }
            assert_eq!(Precondition::if_match(&headers).check("1-0").is_ok(), passes, "{header:?}");
        }
    }
}
