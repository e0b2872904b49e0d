//! Change history in responses.

use super::change_preview::{compare, patchable};
use super::{ActorView, FieldChange};
use muriel_context::actors::Names;
use muriel_context::object_history::ObjectStep;
use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_service::experiments::HistoryStep;
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
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevisionView {
    /// Number of the change; 1 is the creation. The restore operations accept it.
    pub(crate) revision: i64,
    /// Time of the change.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Actor of the change.
    pub(crate) actor: ActorView,
    /// Action: `create`, `update`, `status`, `restore`…
    #[schema(example = "update")]
    pub(crate) action: String,
    /// Reason for an action of the clock, with its numbers, or the proposal that was approved; null for
    /// all other changes.
    #[schema(required, value_type = Option<Object>)]
    pub(crate) detail: Option<Value>,
    /// Fields that changed; empty for the creation.
    pub(crate) changes: Vec<FieldChange>,
}

/// An earlier state was restored.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restored {
    /// Always true.
    pub(crate) success: bool,
    /// Revision whose state was restored.
    pub(crate) revision: i64,
}

/// A copy was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Duplicated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the copy, a draft.
    pub(crate) test_id: i64,
    /// Key of the copy.
    pub(crate) experiment_key: String,
    /// Warnings for the owner of the copy.
    pub(crate) warnings: Vec<String>,
}

/// An experiment was archived, or taken out of the archive.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArchiveUpdated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// True when it is archived now.
    pub(crate) archived: bool,
}

impl RevisionView {
    /// Change of an experiment in the project with this key.
    pub(crate) fn of_experiment(step: HistoryStep, names: &Names, project_key: &str) -> Self {
        let HistoryStep { entry, before, after } = step;
        // The first change is the creation: there is no earlier state.
        let changes = if entry.revision > 1 { compared(before, after, project_key) } else { Vec::new() };
        Self::new(entry, changes, names)
    }

    /// Change of a goal or a hypothesis.
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

/// Fields in which two states of an experiment in the project with this key differ.
pub(crate) fn compared(before: Experiment, after: Experiment, project_key: &str) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    compare("", &reported_fields(before, project_key), &reported_fields(after, project_key), &mut changes);
    changes
}

/// Fields of an experiment that history reports: those that an update can change, and status, archive,
/// conclusion and serving.
fn reported_fields(experiment: Experiment, project_key: &str) -> Value {
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
