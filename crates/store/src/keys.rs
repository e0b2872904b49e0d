//! API keys: the grant of each, and the fingerprint of its secret.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::access::{Grant, Scopes};
use muriel_domain::ids::{CompanyId, PersonId, ProjectId};
use muriel_sql::{Row, Tx, Value, params};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A stored key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// Part of the key that is not secret.
    pub id: String,
    /// Name that the team gave it.
    pub name: String,
    /// HMAC-SHA-256 of the whole key.
    pub mac: Vec<u8>,
    /// Company, projects and scopes of the key.
    pub grant: Grant,
    /// Person who made it; `None` when the operator made it, or a release that did not
    /// store this.
    pub created_by: Option<PersonId>,
    /// Time of creation.
    pub created_at: Instant,
    /// Time of the last use, to the minute.
    pub last_used_at: Option<Instant>,
}

/// Stores a new key.
///
/// # Errors
/// `api_key_pkey` when the id is taken.
pub async fn insert(tx: &mut dyn Tx, key: &StoredKey) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(KeyRow::insert_sql);
    tx.execute(&STATEMENT, KeyRow::from(key).insert_values()).await?;
    for project in key.grant.projects.iter().flatten() {
        tx.execute(
            "INSERT INTO api_key_project (key_id, project_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            params![key.id.as_str(), project.0],
        )
        .await?;
    }
    Ok(())
}

table! {
    /// A key without the projects that it is limited to.
    struct KeyRow of "api_key" {
        generated {}
        key { key_id: String }
        fixed {
            company_id: i64,
            name: String,
            mac: Vec<u8>,
            scopes: String,
            limited: bool,
            created_by: Option<i64>,
            created_at: Instant,
            expires_at: Option<Instant>,
            revoked_at: Option<Instant>,
            last_used_at: Option<Instant>,
        }
        changing {}
    }
}

impl From<&StoredKey> for KeyRow {
    fn from(key: &StoredKey) -> Self {
        let key = key.clone();
        Self {
            key_id: key.id,
            company_id: key.grant.company_id.0,
            name: key.name,
            mac: key.mac,
            scopes: key.grant.scopes.to_string(),
            limited: key.grant.projects.is_some(),
            created_by: key.created_by.map(|person| person.0),
            created_at: key.created_at,
            expires_at: key.grant.expires_at,
            revoked_at: key.grant.revoked_at,
            last_used_at: key.last_used_at,
        }
    }
}

/// A statement that selects the keys `k`.
fn select(rest: &str) -> String {
    format!("SELECT {} FROM api_key k {rest}", KeyRow::columns("k"))
}

/// The key with this id.
pub async fn find(tx: &mut dyn Tx, key_id: &str) -> Result<Option<StoredKey>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("WHERE k.key_id = $1"));
    let row = tx.query_opt(&STATEMENT, params![key_id]).await?;
    match row {
        Some(row) => Ok(Some(read(tx, row).await?)),
        None => Ok(None),
    }
}

/// Every key of a company, oldest first.
pub async fn list(tx: &mut dyn Tx, company: CompanyId) -> Result<Vec<StoredKey>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| select("WHERE k.company_id = $1 ORDER BY k.created_at, k.key_id"));
    let rows = tx.query(&STATEMENT, params![company.0]).await?;
    let mut keys = Vec::with_capacity(rows.len());
    for row in rows {
        keys.push(read(tx, row).await?);
    }
    Ok(keys)
}

/// Names of the keys with these ids, also of revoked ones. Other ids are left out.
pub async fn names(tx: &mut dyn Tx, ids: &[&str]) -> Result<HashMap<String, String>> {
    /// Number of ids in one statement, whose text is the same for any number of them.
    const PLACES: usize = 50;
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let places: Vec<String> = (1..=PLACES).map(|number| format!("${number}")).collect();
        format!("SELECT key_id, name FROM api_key WHERE key_id IN ({})", places.join(","))
    });
    let mut names = HashMap::with_capacity(ids.len());
    for ids in ids.chunks(PLACES) {
        let mut values: Vec<Value> = ids.iter().map(|id| (*id).into()).collect();
        values.resize(PLACES, "".into());
        for mut row in tx.query(&STATEMENT, values).await? {
            names.insert(row.text("key_id")?, row.text("name")?);
        }
    }
    Ok(names)
}

async fn read(tx: &mut dyn Tx, mut row: Row) -> Result<StoredKey> {
    let row = KeyRow::try_from(&mut row)?;
    let scopes = Scopes::parse(&row.scopes).map_err(|_| row.damaged("scopes", "a list of scopes"))?;
    let projects = if row.limited {
        let sql = "SELECT project_id FROM api_key_project WHERE key_id = $1";
        let rows = tx.query(sql, params![row.key_id.as_str()]).await?;
        Some(rows.iter().map(|row| Ok(ProjectId(row.int("project_id")?))).collect::<Result<Vec<_>>>()?)
    } else {
        None
    };
    Ok(StoredKey {
        id: row.key_id,
        name: row.name,
        mac: row.mac,
        grant: Grant {
            company_id: CompanyId(row.company_id),
            projects,
            scopes,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
        },
        created_by: row.created_by.map(PersonId),
        created_at: row.created_at,
        last_used_at: row.last_used_at,
    })
}

/// Revokes the key. Returns whether it exists. A key that was revoked before keeps the
/// time of that.
pub async fn revoke(tx: &mut dyn Tx, key_id: &str, now: Instant) -> Result<bool> {
    let changed = tx
        .execute(
            "UPDATE api_key SET revoked_at = COALESCE(revoked_at, $2) WHERE key_id = $1",
            params![key_id, now.us()],
        )
        .await?;
    Ok(changed == 1)
}

/// Stores when keys were last used.
pub async fn touch(tx: &mut dyn Tx, used: &[(String, Instant)]) -> Result<()> {
    for (key_id, at) in used {
        tx.execute("UPDATE api_key SET last_used_at = $2 WHERE key_id = $1", params![key_id.as_str(), at.us()]).await?;
    }
    Ok(())
}
