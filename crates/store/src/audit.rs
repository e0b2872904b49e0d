//! The audit log of a company: who changed which object, with the values before and after.
//!
//! Rows are only added. The hash of each row covers the row and the hash of the row before, so [`verify`] finds a row
//! that was changed, removed or inserted. It cannot find that rows at the end were removed: for that, compare with a
//! last hash that was noted elsewhere.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::table::table;
use crate::{AUDIT_LOCK, Result};
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_sql::{Lock, LockName, Row, Tx, Value as SqlValue, params};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Maximum bytes of a text. A longer one is stored as its hash and length: history has the whole text.
const TEXT_MAX: usize = 4_096;
/// Rows that one call of [`verify`] reads.
const VERIFIED_AT_ONCE: i64 = 1_000;

/// Actor of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorRecord {
    /// `person`, `key` or `system`.
    pub kind: String,
    /// Id of the person or the key, or the name of the part of the program.
    pub id: String,
    /// Name of the person or the key at that time.
    pub name: String,
}

/// Object of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRecord {
    /// Kind of object, such as `experiment`.
    pub kind: String,
    /// Id of the object.
    pub id: String,
    /// Name of the object at that time; empty when it has none.
    pub name: String,
}

/// An entry to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// Company in which the change was made.
    pub company_id: CompanyId,
    /// Time of the change.
    pub at: Instant,
    /// Actor who made the change.
    pub actor: ActorRecord,
    /// Action in a word or two.
    pub action: String,
    /// Object that was changed.
    pub object: ObjectRecord,
    /// Project of the object; `None` when the change concerns the company.
    pub project_id: Option<ProjectId>,
    /// Changed fields with their old values; `None` when the object was created.
    pub before: Option<Map<String, Value>>,
    /// Changed fields with their new values; `None` when the object was removed.
    pub after: Option<Map<String, Value>>,
}

/// A stored entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Number of the entry within the company, from 1.
    pub number: i64,
    /// Time of the change.
    pub at: Instant,
    /// Actor who made the change.
    pub actor: ActorRecord,
    /// Action in a word or two.
    pub action: String,
    /// Object that was changed.
    pub object: ObjectRecord,
    /// Key of the object's project.
    pub project_key: Option<String>,
    /// Changed fields with their old values.
    pub before: Option<Value>,
    /// Changed fields with their new values.
    pub after: Option<Value>,
    /// Hash of this entry and the one before.
    pub hash: Vec<u8>,
}

table! {
    struct AuditRow of "audit" {
        generated {}
        key { company_id: i64, entry: i64 }
        fixed {
            at: Instant,
            actor_kind: String,
            actor_id: String,
            actor_name: String,
            action: String,
            object_kind: String,
            object_id: String,
            object_name: String,
            project_id: Option<i64>,
            before: Option<String>,
            after: Option<String>,
            hash: Vec<u8>,
        }
        changing {}
    }
}

impl AuditRow {
    /// SHA-256 of the hash before and this row without its own hash.
    fn hashed(&self, before: &[u8]) -> [u8; 32] {
        let text = json!([
            self.company_id,
            self.entry,
            self.at.us(),
            self.actor_kind,
            self.actor_id,
            self.actor_name,
            self.action,
            self.object_kind,
            self.object_id,
            self.object_name,
            self.project_id,
            self.before,
            self.after
        ]);
        Sha256::new().chain_update(before).chain_update(text.to_string()).finalize().into()
    }
}

/// Adds an entry. It is the last lock that a transaction takes, because it waits for every transaction that adds an
/// entry to the same company.
pub async fn record(tx: &mut dyn Tx, new: NewEntry) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(AuditRow::insert_sql);
    let company = new.company_id.0;
    tx.lock(Lock::Exclusive(LockName { kind: AUDIT_LOCK, id: company })).await?;
    let (last, hash) = head(tx, new.company_id).await?;
    let text = |fields: Option<Map<String, Value>>| fields.map(|fields| shortened(Value::Object(fields)).to_string());
    let mut row = AuditRow {
        company_id: company,
        entry: last + 1,
        at: new.at,
        actor_kind: new.actor.kind,
        actor_id: new.actor.id,
        actor_name: new.actor.name,
        action: new.action,
        object_kind: new.object.kind,
        object_id: new.object.id,
        object_name: new.object.name,
        project_id: new.project_id.map(|id| id.0),
        before: text(new.before),
        after: text(new.after),
        hash: Vec::new(),
    };
    row.hash = row.hashed(&hash).to_vec();
    tx.execute(&STATEMENT, row.insert_values()).await?;
    Ok(())
}

/// Number and hash of a company's last entry; 0 and an empty hash without entries.
pub async fn head(tx: &mut dyn Tx, company: CompanyId) -> Result<(i64, Vec<u8>)> {
    let sql = "SELECT entry, hash FROM audit WHERE company_id = $1 ORDER BY entry DESC LIMIT 1";
    match tx.query_opt(sql, params![company.0]).await? {
        Some(mut row) => Ok((row.int("entry")?, row.blob("hash")?)),
        None => Ok((0, Vec::new())),
    }
}

/// Replaces each long text in the value with an object of its hash and length.
fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT_MAX => {
            let hash: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "sha256": hash, "bytes": text.len() })
        }
        Value::Array(items) => items.into_iter().map(shortened).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, shortened(value))).collect(),
        other => other,
    }
}

/// Conditions on the entries that [`list`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only entries by the actor with this id.
    pub actor: Option<String>,
    /// Only entries about this kind of object.
    pub object_kind: Option<String>,
    /// Only entries about the object with this id.
    pub object_id: Option<String>,
    /// Only entries of this project.
    pub project: Option<ProjectId>,
    /// Only entries from this moment on.
    pub from: Option<Instant>,
    /// Only entries before this moment.
    pub to: Option<Instant>,
    /// Only entries with a lower number.
    pub below: Option<i64>,
}

/// Entries of a company, newest first, at most `limit`.
pub async fn list(tx: &mut dyn Tx, company: CompanyId, filter: &Filter, limit: i64) -> Result<Vec<Entry>> {
    // The statement contains only the conditions that are set, so that each of them can use its index.
    let mut sql = format!(
        "SELECT {}, p.project_key FROM audit a LEFT JOIN project p ON p.project_id = a.project_id \
         WHERE a.company_id = $1",
        AuditRow::columns("a")
    );
    let mut values: Vec<SqlValue> = params![company.0];
    let filters: [(&str, Option<SqlValue>); 7] = [
        ("a.actor_id =", filter.actor.clone().map(Into::into)),
        ("a.object_kind =", filter.object_kind.clone().map(Into::into)),
        ("a.object_id =", filter.object_id.clone().map(Into::into)),
        ("a.project_id =", filter.project.map(|id| id.0.into())),
        ("a.at >=", filter.from.map(|at| at.us().into())),
        ("a.at <", filter.to.map(|at| at.us().into())),
        ("a.entry <", filter.below.map(Into::into)),
    ];
    for (condition, value) in filters {
        if let Some(value) = value {
            values.push(value);
            sql += &format!(" AND {condition} ${}", values.len());
        }
    }
    values.push(limit.into());
    sql += &format!(" ORDER BY a.entry DESC LIMIT ${}", values.len());
    tx.query(&sql, values).await?.into_iter().map(entry).collect()
}

/// Entries of one action on one object from a moment on, newest first, at most `limit`.
pub async fn of_action(
    tx: &mut dyn Tx,
    company: CompanyId,
    (kind, id): (&str, &str),
    (action, from): (&str, Instant),
    limit: i64,
) -> Result<Vec<Entry>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {}, p.project_key FROM audit a LEFT JOIN project p ON p.project_id = a.project_id \
             WHERE a.company_id = $1 AND a.object_kind = $2 AND a.object_id = $3 AND a.action = $4 AND a.at >= $5 \
             ORDER BY a.entry DESC LIMIT $6",
            AuditRow::columns("a")
        )
    });
    let values = params![company.0, kind, id, action, from.us(), limit];
    tx.query(&STATEMENT, values).await?.into_iter().map(entry).collect()
}

fn entry(mut row: Row) -> Result<Entry> {
    let project_key = row.opt_text("project_key")?;
    let row = AuditRow::try_from(&mut row)?;
    let parsed = |text: &Option<String>, column| match text {
        None => Ok(None),
        Some(text) => serde_json::from_str(text).map(Some).map_err(|_| row.damaged(column, "readable JSON")),
    };
    let (before, after) = (parsed(&row.before, "before")?, parsed(&row.after, "after")?);
    Ok(Entry {
        number: row.entry,
        at: row.at,
        actor: ActorRecord { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
        action: row.action,
        object: ObjectRecord { kind: row.object_kind, id: row.object_id, name: row.object_name },
        project_key,
        before,
        after,
        hash: row.hash,
    })
}

/// Progress of [`verify`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Number of the last entry that is intact.
    pub entries: i64,
    /// Hash of that entry.
    pub hash: Vec<u8>,
    /// True when there may be further entries.
    pub more: bool,
    /// Reason why the entry after it is not intact.
    pub flaw: Option<String>,
}

/// Verifies the entries of a company that follow those of `so_far`, at most 1,000.
pub async fn verify(tx: &mut dyn Tx, company: CompanyId, so_far: Verified) -> Result<Verified> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let columns = AuditRow::columns("a");
        format!("SELECT {columns} FROM audit a WHERE a.company_id = $1 AND a.entry > $2 ORDER BY a.entry LIMIT $3")
    });
    let rows = tx.query(&STATEMENT, params![company.0, so_far.entries, VERIFIED_AT_ONCE]).await?;
    let more = rows.len() as i64 == VERIFIED_AT_ONCE;
    let mut verified = Verified { more, ..so_far };
    for mut row in rows {
        let row = AuditRow::try_from(&mut row)?;
        let expected = verified.entries + 1;
        let flaw = if row.entry != expected {
            Some(format!("entry {expected} is missing"))
        } else if row.hashed(&verified.hash).as_slice() != row.hash {
            Some(format!("entry {expected} has been changed since it was written"))
        } else {
            None
        };
        if flaw.is_some() {
            return Ok(Verified { flaw, more: false, ..verified });
        }
        (verified.entries, verified.hash) = (row.entry, row.hash);
    }
    Ok(verified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_kept_as_their_hash() {
        let long = "x".repeat(TEXT_MAX + 1);
        let kept = shortened(json!({ "short": "x", "in": [long, 1, null] }));
        assert_eq!(kept["short"], "x");
        assert_eq!(kept["in"][0]["bytes"], TEXT_MAX + 1);
        assert_eq!(kept["in"][0]["sha256"].as_str().map(str::len), Some(64));
        assert_eq!((&kept["in"][1], &kept["in"][2]), (&json!(1), &Value::Null));
    }
}
