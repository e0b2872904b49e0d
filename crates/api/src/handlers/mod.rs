//! What is done for each request: parse, load, decide, save, show.
//!
//! The body is read before the thing it is about is looked up, but what is wrong
//! with it is told after: a thing that is not there is 404 whatever was sent.

pub(crate) mod evaluate;
pub(crate) mod events;
pub(crate) mod experiments;
pub(crate) mod explain;
pub(crate) mod goals;
pub(crate) mod hypotheses;
pub(crate) mod ofrep;
pub(crate) mod rates;
pub(crate) mod results;
pub(crate) mod script;
pub(crate) mod serving;
pub(crate) mod traffic;

use crate::answer;
use crate::body::{BODY_DEADLINE, BODY_LIMIT, MediaType, read_json_body};
use crate::error::ApiError;
use crate::idempotency::Given;
use crate::json::{self, Json};
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use muriel_sql::{BoxFuture, Tx};
use muriel_store::goals as stored_goals;
use std::future::Future;

/// A transaction's body as the database takes it.
pub(crate) fn boxed<'t, T>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 't,
) -> BoxFuture<'t, Result<T, ApiError>> {
    Box::pin(work)
}

/// A body that was read, with its bytes.
struct Sent {
    bytes: Bytes,
    json: Json,
    media_type: MediaType,
}

/// The JSON body of a request.
async fn read_body(request: Request, accept: &[MediaType]) -> Result<Sent, ApiError> {
    let (media_type, bytes) = read_json_body(request, accept, BODY_LIMIT, BODY_DEADLINE).await?;
    Ok(Sent { json: json::parse(&bytes)?, bytes, media_type })
}

/// The answer to a POST, marked when it was given before.
fn given(status: StatusCode, given: Given) -> Response {
    let mut response = answer::written(status, given.body.into());
    if given.replayed {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    response
}

/// Things of a project that have a key of their own.
#[derive(Debug, Clone, Copy)]
enum Keyed {
    Experiment,
    Goal,
}

impl Keyed {
    async fn is_taken(
        self,
        tx: &mut dyn Tx,
        project: muriel_domain::ids::ProjectId,
        key: &str,
    ) -> Result<bool, ApiError> {
        Ok(match self {
            Keyed::Experiment => muriel_store::experiments::key_is_taken(tx, project, key).await?,
            Keyed::Goal => stored_goals::key_is_taken(tx, project, key).await?,
        })
    }

    /// `base`, or `base-2`, `base-3`… where taken: found by doubling, so that the
    /// thousandth thing of one name is no slower to make.
    async fn free_key(
        self,
        tx: &mut dyn Tx,
        project: muriel_domain::ids::ProjectId,
        base: &str,
    ) -> Result<String, ApiError> {
        if !self.is_taken(tx, project, base).await? {
            return Ok(base.to_owned());
        }
        let numbered = |number| muriel_domain::text::numbered(base, number, 64);
        let (mut taken, mut free) = (1, 2);
        while self.is_taken(tx, project, &numbered(free)).await? {
            (taken, free) = (free, free * 2);
        }
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2;
            if self.is_taken(tx, project, &numbered(middle)).await? {
                taken = middle;
            } else {
                free = middle;
            }
        }
        Ok(numbered(free))
    }
}
