//! The audit log in responses.

use super::results::Csv;
use crate::wire::schemas;
use muriel_context::digest::hex;
use muriel_domain::Instant;
use muriel_store::audit::Entry;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A page of the audit log.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditPage {
    /// Always true.
    pub(crate) success: bool,
    /// Entries in this page.
    pub(crate) count: usize,
    /// Newest first.
    pub(crate) entries: Vec<AuditEntry>,
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// An action in the audit log.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditEntry {
    /// Number of the entry within the company, from 1, without gaps.
    pub(crate) entry: i64,
    /// Time of the action.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Actor of the action.
    pub(crate) actor: AuditActor,
    /// Name of the action.
    #[schema(example = "update")]
    pub(crate) action: String,
    /// Object of the action.
    pub(crate) object: AuditObject,
    /// Key of the object's project; null for actions on the company.
    #[schema(required, example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: Option<String>,
    /// Changed fields with their previous values; null if the object was created. A text of more than 4 KiB is replaced
    /// by an object with its `sha256` and `bytes`.
    #[schema(required)]
    pub(crate) before: Option<Value>,
    /// New values of these fields; null if the object was removed.
    #[schema(required)]
    pub(crate) after: Option<Value>,
    /// SHA-256 of this entry and the one before, in hexadecimal digits.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub(crate) hash: String,
}

/// Actor of an action.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditActor {
    /// Kind of actor.
    #[schema(value_type = schemas::ActorKind)]
    pub(crate) kind: String,
    /// Id of the person, first 8 characters of the key, or name of the server's component.
    #[schema(example = "12")]
    pub(crate) id: String,
    /// Name of the person or key at that time.
    #[schema(example = "Ada Lovelace")]
    pub(crate) name: String,
}

/// Object of an action.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditObject {
    /// Kind of object: `experiment`, `goal`, `hypothesis`, `group`, `webhook`, `rates`, `project`, `key`, `person`,
    /// `invitation` or `session`.
    #[schema(example = "experiment")]
    pub(crate) kind: String,
    /// Id of the object.
    #[schema(example = "17")]
    pub(crate) id: String,
    /// Name of the object at that time; empty without one.
    #[schema(example = "Shorter checkout form")]
    pub(crate) name: String,
}

impl From<Entry> for AuditEntry {
    fn from(entry: Entry) -> Self {
        Self {
            entry: entry.number,
            at: entry.at,
            actor: AuditActor { kind: entry.actor.kind, id: entry.actor.id, name: entry.actor.name },
            action: entry.action,
            object: AuditObject { kind: entry.object.kind, id: entry.object.id, name: entry.object.name },
            project_key: entry.project_key,
            before: entry.before,
            after: entry.after,
            hash: hex(&entry.hash),
        }
    }
}

/// Columns of the audit log as CSV, in order.
const AUDIT_COLUMNS: [&str; 13] = [
    "entry",
    "at",
    "actor_kind",
    "actor_id",
    "actor_name",
    "action",
    "object_kind",
    "object_id",
    "object_name",
    "project_key",
    "before",
    "after",
    "hash",
];

/// Formats entries of the audit log as CSV.
pub(crate) fn audit_csv(entries: &[AuditEntry]) -> String {
    let mut csv = Csv::default();
    csv.line(AUDIT_COLUMNS.iter().map(|column| (*column).to_owned()));
    let json = |value: &Option<Value>| value.as_ref().map(Value::to_string).unwrap_or_default();
    for entry in entries {
        let cells = [
            entry.entry.to_string(),
            entry.at.to_string(),
            entry.actor.kind.clone(),
            entry.actor.id.clone(),
            entry.actor.name.clone(),
            entry.action.clone(),
            entry.object.kind.clone(),
            entry.object.id.clone(),
            entry.object.name.clone(),
            entry.project_key.clone().unwrap_or_default(),
            json(&entry.before),
            json(&entry.after),
            entry.hash.clone(),
        ];
        csv.line(cells.into_iter());
    }
    csv.finish()
}
