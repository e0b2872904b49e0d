//! The changes of goals and hypotheses.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::experiments::HistoryEntry;
use crate::table::{Json, table};
use muriel_domain::Instant;
use muriel_domain::ids::{GoalId, HypothesisId};
use muriel_sql::{Tx, params};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Object of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// A goal.
    Goal(GoalId),
    /// A hypothesis.
    Hypothesis(HypothesisId),
}

impl Object {
    fn key(self) -> (&'static str, i64) {
        match self {
            Object::Goal(id) => ("goal", id.0),
            Object::Hypothesis(id) => ("hypothesis", id.0),
        }
    }
}

table! {
    /// One change of a goal or hypothesis.
    struct ChangeRow of "object_history" {
        generated {}
        key { kind: String, object_id: i64, revision: i64 }
        fixed {
            at: Instant,
            actor: String,
            action: String,
            before: Json<Map<String, Value>>,
        }
        changing {}
    }
}

/// Stores a change with the revision of the object that it made.
pub async fn insert(tx: &mut dyn Tx, object: Object, entry: &HistoryEntry) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(ChangeRow::insert_sql);
    let (kind, object_id) = object.key();
    let row = ChangeRow {
        kind: kind.to_owned(),
        object_id,
        revision: entry.revision,
        at: entry.at,
        actor: entry.actor.clone(),
        action: entry.action.clone(),
        before: Json(entry.before.clone()),
    };
    tx.execute(&STATEMENT, row.insert_values()).await?;
    Ok(())
}

/// Changes with a revision below `before`, newest first, at most `limit`.
pub async fn changes(tx: &mut dyn Tx, object: Object, before: i64, limit: i64) -> Result<Vec<HistoryEntry>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM object_history c WHERE c.kind = $1 AND c.object_id = $2 AND c.revision < $3 \
             ORDER BY c.revision DESC LIMIT $4",
            ChangeRow::columns("c")
        )
    });
    let (kind, id) = object.key();
    let rows = tx.query(&STATEMENT, params![kind, id, before, limit]).await?;
    rows.into_iter()
        .map(|mut row| {
            let row = ChangeRow::try_from(&mut row)?;
            Ok(HistoryEntry {
                revision: row.revision,
                at: row.at,
                actor: row.actor,
                action: row.action,
                before: row.before.0,
                detail: None,
            })
        })
        .collect()
}
