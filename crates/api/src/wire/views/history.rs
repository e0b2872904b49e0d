//! What was changed, by whom.

use super::change_preview::{compare, patchable};
use super::{ActorView, FieldChange};
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_service::actors::Names;
use muriel_service::experiments::HistoryStep;
use muriel_service::object_history::ObjectStep;
use muriel_store::experiments::HistoryEntry;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A page of changes.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct History {
    /// Always true.
    pub(crate) success: bool,
    /// Newest first.
    pub(crate) revisions: Vec<RevisionView>,
    /// What to pass as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevisionView {
    /// Counts the changes; 1 is the creation. Restoring takes it.
    pub(crate) revision: i64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// By whom.
    pub(crate) actor: ActorView,
    /// What was done: `create`, `update`, `status`, `restore`…
    #[schema(example = "update")]
    pub(crate) action: String,
    /// Why the clock did it, with its numbers, or which proposal it was; null of everything else.
    #[schema(required, value_type = Option<Object>)]
    pub(crate) detail: Option<Value>,
    /// What is different since; empty for the creation.
    pub(crate) changes: Vec<FieldChange>,
}

/// An earlier state was restored.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restored {
    /// Always true.
    pub(crate) success: bool,
    /// The revision whose state it has again.
    pub(crate) revision: i64,
}

/// A copy was made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Duplicated {
    /// Always true.
    pub(crate) success: bool,
    /// The id of the copy, a draft.
    pub(crate) test_id: i64,
    /// Its key.
    pub(crate) experiment_key: String,
    /// What its owner should look at.
    pub(crate) warnings: Vec<String>,
}

/// An experiment was put into the archive, or taken out of it.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArchiveUpdated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) test_id: i64,
    /// Whether it is in the archive now.
    pub(crate) archived: bool,
}

impl RevisionView {
    /// A change of an experiment of the project with this key.
    pub(crate) fn of_experiment(step: HistoryStep, names: &Names, project_key: &str) -> Self {
        let HistoryStep { entry, before, after } = step;
        // The first change made it: there is nothing before.
        let changes = if entry.revision > 1 { compared(before, after, project_key) } else { Vec::new() };
        Self::new(entry, changes, names)
    }

    /// A change of a goal or a hypothesis.
    pub(crate) fn of_object(step: ObjectStep, names: &Names) -> Self {
        let changes = step.changes.into_iter();
        let changes = changes.map(|(field, before, after)| FieldChange { field, before, after }).collect();
        Self::new(step.entry, changes, names)
    }

    fn new(entry: HistoryEntry, changes: Vec<FieldChange>, names: &Names) -> Self {
        Self {
            revision: entry.revision,
            at: entry.at,
            actor: names.get(&entry.actor).into(),
            action: entry.action,
            detail: entry.detail,
            changes,
        }
    }
}

/// The fields in which two states of an experiment of the project with this key differ.
pub(crate) fn compared(before: Experiment, after: Experiment, project_key: &str) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    compare("", &told(before, project_key), &told(after, project_key), &mut changes);
    changes
}

/// The fields of an experiment that history tells of: those that an update changes, and where it stands.
fn told(experiment: Experiment, project_key: &str) -> Value {
    let standing = json!({
        "status": experiment.lifecycle.status().word(),
        "archived": experiment.archived,
        "conclusion": experiment.conclusion.as_ref().map(|conclusion| {
            json!({ "outcome": conclusion.outcome.word(), "note": conclusion.note })
        }),
        "serving": match experiment.serving {
            Serving::Never => Value::Null,
            Serving::Stopped => json!("stopped"),
            Serving::Winner { arm, rollout } => json!({ "variant_id": arm.id(), "traffic_allocation": rollout }),
        },
        "groups": experiment.groups,
    });
    let mut fields = patchable(experiment, project_key);
    if let (Value::Object(fields), Value::Object(standing)) = (&mut fields, standing) {
        fields.extend(standing);
    }
    fields
}
