//! The audit log in answers.

use super::results::Csv;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_service::digest::hex;
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
    /// What to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// Something that was done.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditEntry {
    /// Counts the company's entries from 1, without gaps.
    pub(crate) entry: i64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Who.
    pub(crate) actor: AuditActor,
    /// What was done.
    #[schema(example = "update")]
    pub(crate) action: String,
    /// To what.
    pub(crate) object: AuditObject,
    /// The key of the project that it is in; null for what concerns the company.
    #[schema(required, example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: Option<String>,
    /// The fields that changed, with the values they had; null where it was made. A text of more than 4 KiB is an object with
    /// its `sha256` and `bytes`.
    #[schema(required)]
    pub(crate) before: Option<Value>,
    /// The values that they have now; null where it was removed.
    #[schema(required)]
    pub(crate) after: Option<Value>,
    /// SHA-256 of this entry and the one before, in hexadecimal digits.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub(crate) hash: String,
}

/// Who did something.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditActor {
    /// What kind of actor it was.
    #[schema(value_type = schemas::ActorKind)]
    pub(crate) kind: String,
    /// The person's id, the key's 8 characters, or the name of the part of the program.
    #[schema(example = "12")]
    pub(crate) id: String,
    /// The name that the person or key had then.
    #[schema(example = "Ada Lovelace")]
    pub(crate) name: String,
}

/// What something was done to.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditObject {
    /// What kind of thing it is: `experiment`, `goal`, `hypothesis`, `group`, `webhook`, `rates`, `project`, `key`, `person`,
    /// `invitation` or `session`.
    #[schema(example = "experiment")]
    pub(crate) kind: String,
    /// Its id.
    #[schema(example = "17")]
    pub(crate) id: String,
    /// The name that it had then; empty without one.
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

/// What each line of the audit log as a table says, in order.
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

/// Entries of the audit log as a table.
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
