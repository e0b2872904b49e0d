//! The handler of each operation: parse, call the act, show.
//!
//! A body is read before the thing it is about is looked up, but an error in it is reported
//! after: a thing that does not exist is 404 whatever was sent.

pub(crate) mod activity;
pub(crate) mod audit;
pub(crate) mod checklist;
pub(crate) mod comments;
pub(crate) mod conclusion;
pub(crate) mod copies;
pub(crate) mod evaluate;
pub(crate) mod events;
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
use crate::body::{BODY_DEADLINE, BODY_LIMIT, MediaType, read_json_body};
use crate::error::ApiError;
use crate::json::{self, Json};
use crate::wire::fields::Mode;
use crate::wire::query::Query;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use muriel_domain::Instant;
use muriel_domain::ids::ProjectId;
use muriel_service as service;
use muriel_service::idempotency::{IdempotencyKey, StoredResponse};
use serde::Serialize;

/// The JSON body of a request.
struct Sent {
    bytes: Bytes,
    json: Json,
    media_type: MediaType,
}

impl Sent {
    /// Whether objects in the body replace the stored ones, or are merged.
    fn mode(&self) -> Mode {
        if self.media_type == MediaType::MergePatch { Mode::Merge } else { Mode::Whole }
    }
}

/// Reads the JSON body of a request.
async fn read_body(request: Request, accept: &[MediaType]) -> Result<Sent, ApiError> {
    let (media_type, bytes) = read_json_body(request, accept, BODY_LIMIT, BODY_DEADLINE).await?;
    Ok(Sent { json: json::parse(&bytes)?, bytes, media_type })
}

/// The size of a page of names, and the id after which it begins.
fn page_of_names(query: Option<&str>) -> Result<(i64, i64), ApiError> {
    let mut query = Query::read(query, &["limit", "after"]);
    let page = (query.limit(500, 1_000), query.after());
    query.finish()?;
    Ok(page)
}

/// The `after` of the page that follows this one; `None` when this one is not full.
fn next_after<T>(page: &[T], limit: i64, id: impl Fn(&T) -> i64) -> Option<i64> {
    page.last().filter(|_| i64::try_from(page.len()).is_ok_and(|count| count == limit)).map(id)
}

/// The key of a request that may be sent again, if it has one. `operation` names what is done
/// and to what.
fn idempotency_key(
    headers: &HeaderMap,
    project: ProjectId,
    operation: String,
    body: &[u8],
    now: Instant,
) -> Result<Option<IdempotencyKey>, service::Error> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(None) };
    // Two keys, and one with other characters, are as wrong as an empty one.
    let key = if keys.next().is_some() { "" } else { key.to_str().unwrap_or_default() };
    IdempotencyKey::new(key, project, operation, body, now).map(Some)
}

/// A response's JSON, to be stored with what was done.
fn rendered<T: Serialize>(answer: &T) -> Result<String, service::Error> {
    serde_json::to_string(answer).map_err(service::Error::internal)
}

/// The answer to a POST, marked when an earlier request got it.
fn stored(status: StatusCode, stored: StoredResponse) -> Response {
    let mut response = answer::written(status, stored.body.into());
    if stored.replayed {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    response
}
