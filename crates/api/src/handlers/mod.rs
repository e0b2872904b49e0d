//! Handlers of the operations: parse the request, call the service, build the response.
//!
//! A body is parsed before the object that it is about is looked up, but an error in it is
//! reported afterwards: an unknown object is 404, whatever the body contains.

pub(crate) mod activity;
pub(crate) mod audit;
pub(crate) mod checklist;
pub(crate) mod comments;
pub(crate) mod conclusion;
pub(crate) mod copies;
pub(crate) mod evaluate;
pub(crate) mod events;
pub(crate) mod exclusions;
pub(crate) mod experiments;
pub(crate) mod explain;
pub(crate) mod goals;
pub(crate) mod groups;
pub(crate) mod history;
pub(crate) mod hypotheses;
pub(crate) mod inbox;
pub(crate) mod keys;
pub(crate) mod live;
pub(crate) mod me;
pub(crate) mod ofrep;
pub(crate) mod overview;
pub(crate) mod people;
pub(crate) mod programme;
pub(crate) mod projects;
pub(crate) mod proposals;
pub(crate) mod rates;
pub(crate) mod results;
pub(crate) mod script;
pub(crate) mod serving;
pub(crate) mod session;
pub(crate) mod shares;
pub(crate) mod simulation;
pub(crate) mod traffic;
pub(crate) mod visitor_data;
pub(crate) mod webhooks;

use crate::answer;
use crate::error::ApiError;
use crate::json::{self, Json};
use crate::wire::fields::Mode;
use crate::wire::query::Query;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use muriel_context::idempotency::{IdempotencyKey, StoredResponse};
use muriel_domain::Instant;
use muriel_domain::ids::ProjectId;
use muriel_http::body::{BODY_DEADLINE, BODY_LIMIT, MediaType, read_json_body};
use serde::Serialize;

/// JSON body of a request.
struct Sent {
    bytes: Bytes,
    json: Json,
    media_type: MediaType,
}

impl Sent {
    /// Returns whether objects in the body replace the stored ones or are merged into them.
    fn mode(&self) -> Mode {
        if self.media_type == MediaType::MergePatch { Mode::Merge } else { Mode::Whole }
    }
}

/// Reads the JSON body of a request.
async fn read_body(request: Request, accept: &[MediaType]) -> Result<Sent, ApiError> {
    let (media_type, bytes) = read_json_body(request, accept, BODY_LIMIT, BODY_DEADLINE).await?;
    Ok(Sent { json: json::parse(&bytes)?, bytes, media_type })
}

/// Parses the size of a page of names, and the id after which it begins.
fn page_of_names(query: Option<&str>) -> Result<(i64, i64), ApiError> {
    let mut query = Query::read(query, &["limit", "after"]);
    let page = (query.limit(500, 1_000), query.after());
    query.finish()?;
    Ok(page)
}

/// `after` for the next page; `None` when this page is not full.
fn next_after<T>(page: &[T], limit: i64, id: impl Fn(&T) -> i64) -> Option<i64> {
    page.last().filter(|_| i64::try_from(page.len()).is_ok_and(|count| count == limit)).map(id)
}

/// Idempotency key of a request, if it has one. `operation` names the operation and its
/// object.
fn idempotency_key(
    headers: &HeaderMap,
    project: ProjectId,
    operation: String,
    body: &[u8],
    now: Instant,
) -> Result<Option<IdempotencyKey>, muriel_context::Error> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(None) };
    // Several keys, and a key with characters that are not allowed, are refused as an empty
    // one is.
    let key = if keys.next().is_some() { "" } else { key.to_str().unwrap_or_default() };
    IdempotencyKey::new(key, project, operation, body, now).map(Some)
}

/// Serialises a response, so that it can be stored with the change.
fn rendered<T: Serialize>(answer: &T) -> Result<String, muriel_context::Error> {
    serde_json::to_string(answer).map_err(muriel_context::Error::internal)
}

/// Response to a POST, marked when it repeats the stored response of an earlier request.
fn stored(status: StatusCode, stored: StoredResponse) -> Response {
    let mut response = answer::written(status, stored.body.into());
    if stored.replayed {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    response
}
