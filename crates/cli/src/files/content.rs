//! Content of objects in files: the same fields, whether read from the files or from the project.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// Files by path below the directory, with `/` as the separator.
pub(crate) type Files = BTreeMap<String, String>;

/// Fields of an object.
pub(crate) type Fields = Map<String, Value>;

/// Kinds of objects, in the order of creation: experiments refer to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Goal,
    Hypothesis,
    Experiment,
}

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Goal, Kind::Hypothesis, Kind::Experiment];

    /// Name of the kind in messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Goal => "goal",
            Kind::Hypothesis => "hypothesis",
            Kind::Experiment => "experiment",
        }
    }
}

/// Fields of a goal in files, without `goal_key`.
pub(crate) const GOAL_FIELDS: [&str; 10] = [
    "goal_name",
    "goal_type",
    "goal_value",
    "goal_purpose",
    "element_url",
    "window_days",
    "min_count",
    "cap",
    "max_order_value",
    "currency",
];

/// Fields of a hypothesis in files. Its slug is the file's name.
pub(crate) const HYPOTHESIS_FIELDS: [&str; 8] =
    ["observation", "problem", "solution", "confidence", "importance", "difficulty", "hypothesis_url", "archived"];

/// Fields of an experiment in files, with those that have their own files last. Its key is the directory's
/// name.
const EXPERIMENT_FIELDS: [&str; 18] = [
    "test_name",
    "url",
    "status",
    "test_type",
    "variants_data_key",
    "hypothesis",
    "primary_goal_key",
    "secondary_goal_keys",
    "tags",
    "builtin_metrics",
    "event_metrics",
    "plan",
    "configuration",
    "targeting",
    "control",
    "variants",
    "custom_js",
    "custom_css",
];

/// Fields of an experiment that can be set only at creation.
pub(crate) const PERMANENT: [&str; 2] = ["test_type", "variants_data_key"];

/// Words of the statuses, with the API's numbers.
pub(crate) const STATUSES: [(&str, i64); 3] = [("draft", 9), ("live", 1), ("inactive", 0)];

/// Word of a status number; `draft` for a missing one.
pub(crate) fn status_word(number: &Value) -> &'static str {
    STATUSES.iter().find(|(_, code)| number.as_i64() == Some(*code)).map_or("draft", |(word, _)| *word)
}

/// Object of the project.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stored {
    pub(crate) kind: Kind,
    pub(crate) id: i64,
    /// Key or slug.
    pub(crate) name: String,
    pub(crate) fields: Fields,
    /// True for an experiment that has had visitors.
    pub(crate) has_run: bool,
    /// True for a concluded experiment.
    pub(crate) is_concluded: bool,
}

impl Stored {
    /// Converts the details of an object. `slugs` has the slugs of hypotheses by id.
    pub(crate) fn new(kind: Kind, name: &str, details: &Fields, slugs: &HashMap<i64, String>) -> Self {
        let (id, fields) = match kind {
            Kind::Goal => ("goal_profile_id", chosen(details, &GOAL_FIELDS)),
            Kind::Hypothesis => ("hypothesis_id", chosen(details, &HYPOTHESIS_FIELDS)),
            Kind::Experiment => {
                let hypothesis = details.get("hypothesis_id").and_then(Value::as_i64);
                ("test_id", experiment(details, hypothesis.and_then(|id| slugs.get(&id)).map(String::as_str)))
            }
        };
        Self {
            kind,
            id: details.get(id).and_then(Value::as_i64).unwrap_or_default(),
            name: name.to_owned(),
            fields,
            has_run: details.get("epochs").and_then(Value::as_array).is_some_and(|epochs| !epochs.is_empty()),
            is_concluded: details.get("is_completed") == Some(&json!(1)),
        }
    }

    /// Returns whether it is a live experiment.
    pub(crate) fn is_live(&self) -> bool {
        self.fields.get("status") == Some(&json!("live"))
    }
}

fn chosen(details: &Fields, names: &[&str]) -> Fields {
    names.iter().map(|name| ((*name).to_owned(), details.get(*name).cloned().unwrap_or_default())).collect()
}

/// Fields of an experiment from its details, with the slug of its hypothesis.
pub(crate) fn experiment(details: &Fields, hypothesis: Option<&str>) -> Fields {
    let mut fields = chosen(details, &EXPERIMENT_FIELDS);
    fields.insert("hypothesis".to_owned(), hypothesis.into());
    fields.insert("status".to_owned(), status_word(&details.get("status").cloned().unwrap_or_default()).into());
    // The clock moves a bandit's weights, so they are not a setting.
    if is_bandit(&fields)
        && let Some(configuration) = fields.get_mut("configuration").and_then(Value::as_object_mut)
    {
        configuration.shift_remove("distribution");
    }
    fields
}

/// Returns whether the fields are those of a bandit.
pub(crate) fn is_bandit(fields: &Fields) -> bool {
    fields.get("configuration").and_then(|configuration| configuration.get("is_mab")) == Some(&json!(1))
}

/// Goal keys that an experiment refers to, with the path of each.
pub(crate) fn goal_keys(fields: &Fields) -> Vec<(String, &str)> {
    let primary = fields.get("primary_goal_key").and_then(Value::as_str);
    let secondary = fields.get("secondary_goal_keys").and_then(Value::as_array).into_iter().flatten();
    let secondary =
        secondary.enumerate().filter_map(|(at, key)| Some((format!("secondary_goal_keys[{at}]"), key.as_str()?)));
    primary.map(|key| ("primary_goal_key".to_owned(), key)).into_iter().chain(secondary).collect()
}
