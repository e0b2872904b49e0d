//! What a change of an experiment would do.

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

/// What a change would do. Nothing was changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePreview {
    /// Always true.
    success: bool,
    /// The fields that would change; empty when nothing would.
    changes: Vec<FieldChange>,
    /// Whether a new epoch would begin, within which visitors are compared.
    opens_epoch: bool,
    /// Why it would begin.
    #[schema(value_type = Vec<schemas::Reason>)]
    reasons: Vec<Reason>,
    /// Arms of a started experiment that would be something else to their visitors, by `variant_id`: what they did before was
    /// by another arm.
    #[schema(example = json!(["1"]))]
    redefines: Vec<String>,
    /// Fields with code that would be gone.
    #[schema(example = json!(["variants[1].customJS"]))]
    removed_code: Vec<String>,
    /// How many of those who are in the live experiment would get another arm, or none, in percent, where nothing remembers
    /// what they were given; null when targeting changes, as it depends on who they are.
    #[schema(required, example = 16.67)]
    moved_visitors_percent: Option<f64>,
    /// What would be exploratory, as the plan that was locked at the first start does not have it, and what else would depart
    /// from that plan, each in a sentence. Empty too where no plan was locked.
    #[schema(example = json!(["The goal signed_up is not in the plan that was locked at 09:00 UTC on 1 Mar 2026: it was chosen later."]))]
    exploratory: Vec<String>,
    /// What to look at, sentences that name the field.
    warnings: Vec<String>,
    /// Whether the project asks for a second person for it: then it can be proposed, and not made at once.
    needs_approval: bool,
}

/// A field that would change.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// Its path in the experiment's details.
    #[schema(example = "configuration.traffic_allocation")]
    pub field: String,
    /// What it is; null where it is not there.
    #[schema(required, value_type = Value, example = json!(100))]
    pub before: Value,
    /// What it would be; null where it would not be there.
    #[schema(required, value_type = Value, example = json!(50))]
    pub after: Value,
}

/// What differs between the fields of two things: objects by their members, variants one by one, everything else whole.
pub fn differences(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    compare("", before, after, &mut changes);
    changes
}

impl ChangePreview {
    /// The preview of a change of the project with this key. `reset` is about fields that would go back to their defaults.
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

/// The fields that an update can change, as details show them.
pub(crate) fn patchable(experiment: Experiment, project_key: &str) -> Value {
    let now = experiment.updated_at;
    let loaded = LoadedExperiment { experiment, origin: None, primary_goal: None };
    let details = serde_json::to_value(ExperimentDetails::new(loaded, Vec::new(), project_key, now, &BTreeMap::new()));
    let Ok(Value::Object(details)) = details else { return Value::Null };
    let fields = details.into_iter().filter(|(field, _)| PATCH_FIELDS.contains(&field.as_str()));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Adds what differs below `path`.
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
