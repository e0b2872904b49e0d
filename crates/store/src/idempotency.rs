//! Stored responses of requests that may be sent again.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use muriel_domain::Instant;
use muriel_domain::ids::ProjectId;
use muriel_domain::time::DAY_US;
use muriel_sql::{Tx, params};

/// An operation that was completed under an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedOperation {
    /// SHA-256 of the request body.
    pub fingerprint: Vec<u8>,
    /// Response that was sent.
    pub response: String,
}

/// The operation completed under this key within the last 24 hours.
pub async fn find(
    tx: &mut dyn Tx,
    project: ProjectId,
    operation: &str,
    key: &str,
    now: Instant,
) -> Result<Option<CompletedOperation>> {
    let row = tx
        .query_opt(
            "SELECT fingerprint, response FROM idempotency \
             WHERE project_id = $1 AND operation = $2 AND idempotency_key = $3 AND created_at > $4",
            params![project.0, operation, key, now.plus_us(-DAY_US).us()],
        )
        .await?;
    row.map(|mut row| Ok(CompletedOperation { fingerprint: row.blob("fingerprint")?, response: row.text("response")? }))
        .transpose()
}

/// Stores a completed operation, and deletes those older than 24 hours.
pub async fn insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    operation: &str,
    key: &str,
    done: &CompletedOperation,
    now: Instant,
) -> Result<()> {
    tx.execute("DELETE FROM idempotency WHERE created_at <= $1", params![now.plus_us(-DAY_US).us()]).await?;
    tx.execute(
        "INSERT INTO idempotency (project_id, operation, idempotency_key, fingerprint, response, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![project.0, operation, key, done.fingerprint.clone(), done.response.as_str(), now.us()],
    )
    .await?;
    Ok(())
}
