//! API keys: what each stands for, and the fingerprint of its secret.

use crate::codec::moment;
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::access::{Grant, Scopes};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_sql::{Tx, params};

/// A key as it is kept: never its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// The part that is no secret.
    pub id: String,
    /// What it is for, in the team's words.
    pub name: String,
    /// HMAC-SHA-256 of the whole key.
    pub mac: Vec<u8>,
    /// What it stands for.
    pub grant: Grant,
    /// When it was made.
    pub created_at: Instant,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Instant>,
}

/// Stores a new key.
///
/// # Errors
/// `api_key_pkey` when the id is taken.
pub async fn insert(tx: &mut dyn Tx, key: &StoredKey) -> Result<()> {
    tx.execute(
        "INSERT INTO api_key (key_id, company_id, name, mac, scopes, limited, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![
            key.id.as_str(),
            key.grant.company_id.0,
            key.name.as_str(),
            key.mac.clone(),
            key.grant.scopes.to_string(),
            key.grant.projects.is_some(),
            key.created_at.us(),
            key.grant.expires_at.map(Instant::us)
        ],
    )
    .await?;
    for project in key.grant.projects.iter().flatten() {
        tx.execute(
            "INSERT INTO api_key_project (key_id, project_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            params![key.id.as_str(), project.0],
        )
        .await?;
    }
    Ok(())
}

const COLUMNS: &str = "SELECT key_id, company_id, name, mac, scopes, limited, created_at, expires_at, revoked_at, \
                       last_used_at FROM api_key";

/// The key with this id.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find(tx: &mut dyn Tx, key_id: &str) -> Result<Option<StoredKey>> {
    let row = tx.query_opt(&format!("{COLUMNS} WHERE key_id = $1"), params![key_id]).await?;
    match row {
        Some(row) => Ok(Some(read(tx, row).await?)),
        None => Ok(None),
    }
}

/// Every key of a company, oldest first.
///
/// # Errors
/// When the database cannot be reached.
pub async fn list(tx: &mut dyn Tx, company: CompanyId) -> Result<Vec<StoredKey>> {
    let rows =
        tx.query(&format!("{COLUMNS} WHERE company_id = $1 ORDER BY created_at, key_id"), params![company.0]).await?;
    let mut keys = Vec::with_capacity(rows.len());
    for row in rows {
        keys.push(read(tx, row).await?);
    }
    Ok(keys)
}

async fn read(tx: &mut dyn Tx, mut row: muriel_sql::Row) -> Result<StoredKey> {
    let id = row.text(0)?;
    let projects = if row.flag(5)? {
        let rows = tx.query("SELECT project_id FROM api_key_project WHERE key_id = $1", params![id.as_str()]).await?;
        Some(rows.iter().map(|row| Ok(ProjectId(row.int(0)?))).collect::<Result<Vec<_>>>()?)
    } else {
        None
    };
    let scopes = Scopes::parse(&row.text(4)?).map_err(|_| Error::Damaged {
        table: "api_key",
        column: "scopes",
        expected: "list of scopes",
    })?;
    Ok(StoredKey {
        name: row.text(2)?,
        mac: row.blob(3)?,
        grant: Grant {
            company_id: CompanyId(row.int(1)?),
            projects,
            scopes,
            expires_at: moment(row.opt_int(7)?),
            revoked_at: moment(row.opt_int(8)?),
        },
        created_at: Instant::from_us(row.int(6)?),
        last_used_at: moment(row.opt_int(9)?),
        id,
    })
}

/// Refuses the key from now on. Whether there is such a key; one revoked before
/// keeps its moment.
///
/// # Errors
/// When the database cannot be reached.
pub async fn revoke(tx: &mut dyn Tx, key_id: &str, now: Instant) -> Result<bool> {
    let changed = tx
        .execute(
            "UPDATE api_key SET revoked_at = COALESCE(revoked_at, $2) WHERE key_id = $1",
            params![key_id, now.us()],
        )
        .await?;
    Ok(changed == 1)
}

/// Notes that keys were used, each at its moment.
///
/// # Errors
/// When the database cannot be reached.
pub async fn touch(tx: &mut dyn Tx, used: &[(String, Instant)]) -> Result<()> {
    for (key_id, at) in used {
        tx.execute("UPDATE api_key SET last_used_at = $2 WHERE key_id = $1", params![key_id.as_str(), at.us()]).await?;
    }
    Ok(())
}
