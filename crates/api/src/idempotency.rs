//! Requests that may be sent again: the first good answer is given once more.

use crate::error::{ApiError, ConflictCode};
use muriel_domain::ids::ProjectId;
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::idempotency::{self, Done};
use sha2::{Digest, Sha256};

/// What a request with an `Idempotency-Key` is known by.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    project: ProjectId,
    operation: String,
    key: String,
    fingerprint: Vec<u8>,
    now: Instant,
}

/// An answer's JSON, and whether it was given before.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) body: String,
    pub(crate) replayed: bool,
}

impl Ticket {
    /// The ticket of a request, if it carries a key. `operation` names what is
    /// done and to what.
    ///
    /// # Errors
    /// A key that is not 1 to 255 printable ASCII characters, or two of them.
    pub(crate) fn of(
        headers: &http::HeaderMap,
        project: ProjectId,
        operation: String,
        body: &[u8],
        now: Instant,
    ) -> Result<Option<Self>, ApiError> {
        let mut keys = headers.get_all("idempotency-key").iter();
        let Some(key) = keys.next() else { return Ok(None) };
        let key = key.to_str().unwrap_or_default();
        if key.is_empty() || key.len() > 255 || keys.next().is_some() {
            let message = "must be given once, with 1 to 255 printable ASCII characters";
            return Err(Problems::one("Idempotency-Key", message).into());
        }
        let fingerprint = Sha256::digest(body).to_vec();
        Ok(Some(Self { project, operation, key: key.to_owned(), fingerprint, now }))
    }
}

/// The answer that the ticket's request was given before.
///
/// # Errors
/// A conflict when it was another request.
pub(crate) async fn replay(tx: &mut dyn Tx, ticket: Option<&Ticket>) -> Result<Option<Given>, ApiError> {
    let Some(ticket) = ticket else { return Ok(None) };
    match idempotency::find(tx, ticket.project, &ticket.operation, &ticket.key, ticket.now).await? {
        None => Ok(None),
        Some(done) if done.fingerprint == ticket.fingerprint => Ok(Some(Given { body: done.response, replayed: true })),
        Some(_) => Err(ApiError::Conflict {
            code: ConflictCode::IdempotencyKeyReused,
            message: "the Idempotency-Key was used with another body; take a new key for a new request".to_owned(),
        }),
    }
}

/// The answer, kept for the next time under the ticket.
///
/// # Errors
/// When the database cannot be reached.
pub(crate) async fn keep<T: serde::Serialize>(
    tx: &mut dyn Tx,
    ticket: Option<&Ticket>,
    answer: &T,
) -> Result<Given, ApiError> {
    let body = serde_json::to_string(answer).map_err(ApiError::internal)?;
    if let Some(ticket) = ticket {
        let done = Done { fingerprint: ticket.fingerprint.clone(), response: body.clone() };
        idempotency::insert(tx, ticket.project, &ticket.operation, &ticket.key, &done, ticket.now).await?;
    }
    Ok(Given { body, replayed: false })
}
