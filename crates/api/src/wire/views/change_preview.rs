//! Previews of changes in responses.

use super::ExperimentDetails;
use crate::wire::experiment::PATCH_FIELDS;
use crate::wire::schemas;
use muriel_domain::experiment::{Experiment, Reason};
use muriel_service::experiments::Previewed;
use muriel_store::experiments::LoadedExperiment;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// Effects of a change that was not made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePreview {
    /// Always true.
    success: bool,
    /// Fields that would change; empty if none would.
    changes: Vec<FieldChange>,
    /// True when a new epoch would begin. Visitors are compared within epochs.
    opens_epoch: bool,
    /// Reasons for the new epoch.
    #[schema(value_type = Vec<schemas::Reason>)]
    reasons: Vec<Reason>,
    /// Variants of a started experiment that would mean something else to their visitors, by `variant_id`. Their
    /// previous data would be counted as another variant's.
    #[schema(example = json!(["1"]))]
    redefines: Vec<String>,
    /// Fields whose code would be removed.
    #[schema(example = json!(["variants[1].customJS"]))]
    removed_code: Vec<String>,
    /// Percent of the visitors in the live experiment who would get another variant or none, unless they have a stored
    /// assignment; null when targeting changes, because the effect depends on who they are.
    #[schema(required, example = 16.67)]
    moved_visitors_percent: Option<f64>,
    /// Messages about what would be exploratory because the plan locked at the first start does not contain it, and
    /// about other departures from that plan. Empty too if no plan was locked.
    #[schema(example = json!(["The goal signed_up is not in the plan that was locked at 09:00 UTC on 1 Mar 2026: it was chosen later."]))]
    exploratory: Vec<String>,
    /// Warnings, each with the name of the field.
    warnings: Vec<String>,
    /// True when the project requires a second person's approval. The change can then be proposed, but not made
    /// directly.
    needs_approval: bool,
}

/// A field that would change.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// Path in the experiment's details.
    #[schema(example = "configuration.traffic_allocation")]
    pub field: String,
    /// Current value; null if it does not exist.
    #[schema(required, value_type = Value, example = json!(100))]
    pub before: Value,
    /// New value; null if it would not exist.
    #[schema(required, value_type = Value, example = json!(50))]
    pub after: Value,
}

/// Differences between the fields of two values: objects by member, variants one by one, all other values as a whole.
pub fn differences(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    compare("", before, after, &mut changes);
    changes
}

impl ChangePreview {
    /// Preview of a change in the project with this key. `reset` has messages about fields that would return to their
    /// defaults.
    pub(crate) fn new(previewed: Previewed, reset: Vec<String>, project_key: &str) -> Self {
        let Previewed { before, after, effect, exploratory, warnings, needs_approval } = previewed;
        let changes = differences(&patchable(before.experiment, project_key), &patchable(after, project_key));
        let (reasons, redefines, removed_code, moved) = match effect {
            Some(effect) => (effect.epoch_reasons, effect.redefines, effect.removed_code, effect.moved_visitors),
            None => (Vec::new(), Vec::new(), Vec::new(), Some(0.0)),
        };
        Self {
            success: true,
            changes,
            opens_epoch: !reasons.is_empty(),
            reasons,
            redefines: redefines.into_iter().map(|arm| arm.id()).collect(),
            removed_code,
            moved_visitors_percent: moved.map(|percent| (percent * 100.0).round() / 100.0),
            exploratory,
            warnings: reset.into_iter().chain(warnings).collect(),
            needs_approval,
        }
    }
}

/// Fields that an update can change, as the details show them.
pub(crate) fn patchable(experiment: Experiment, project_key: &str) -> Value {
    let now = experiment.updated_at;
    let loaded = LoadedExperiment { experiment, origin: None, primary_goal: None };
    let details = serde_json::to_value(ExperimentDetails::new(loaded, Vec::new(), project_key, now, &BTreeMap::new()));
    let Ok(Value::Object(details)) = details else { return Value::Null };
    let fields = details.into_iter().filter(|(field, _)| PATCH_FIELDS.contains(&field.as_str()));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Adds the differences below `path`.
pub(super) fn compare(path: &str, before: &Value, after: &Value, changes: &mut Vec<FieldChange>) {
    if before == after {
        return;
    }
    let null = Value::Null;
    match (before, after) {
        (Value::Object(was), Value::Object(is)) => {
            let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            for name in names {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(&inner, was.get(name).unwrap_or(&null), is.get(name).unwrap_or(&null), changes);
            }
        }
        (Value::Array(was), Value::Array(is)) if path == "variants" => {
            for at in 0..was.len().max(is.len()) {
                let inner = format!("{path}[{at}]");
                compare(&inner, was.get(at).unwrap_or(&null), is.get(at).unwrap_or(&null), changes);
            }
        }
        _ => changes.push(FieldChange { field: path.to_owned(), before: before.clone(), after: after.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_compared_where_they_differ() {
        for (before, after, expect) in [
            (json!({ "a": 1 }), json!({ "a": 1 }), vec![]),
            (json!({ "a": 1, "b": [1, 2] }), json!({ "a": 2, "b": [2] }), vec!["a", "b"]),
            (json!({ "c": { "x": 1, "y": { "z": 1 } } }), json!({ "c": { "x": 1, "y": { "z": 2 } } }), vec!["c.y.z"]),
            (json!({ "c": { "x": 1 } }), json!({ "c": {} }), vec!["c.x"]),
            (
                json!({ "variants": [{ "n": 1, "data": [1] }, { "n": 2 }] }),
                json!({ "variants": [{ "n": 1, "data": [2] }] }),
                vec!["variants[0].data", "variants[1]"],
            ),
        ] {
            let changes = differences(&before, &after);
            assert_eq!(changes.iter().map(|it| it.field.as_str()).collect::<Vec<_>>(), expect, "{before} {after}");
        }
    }
}
