//! Renders a project as files: only values that differ from the defaults, in a stable order.

use super::content::{Fields, Files, Kind, Stored};
use super::names::file_names;
use super::parse::FORMAT;
use super::parse::experiment::{INTEGRATIONS, SETTINGS, arm_file};
use super::toml_writer::{Toml, fits};
use muriel_api::check;
use muriel_domain::Problems;
use serde_json::{Value, json};

/// Fields of an experiment that are top-level lines of its file.
const TOP: [&str; 11] = [
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
];

/// Files that describe the objects. On error, the kind and name of an object for which there is no valid file name.
pub(crate) fn files(project_key: &str, objects: &[Stored]) -> Result<Files, (Kind, String)> {
    let mut files = Files::new();
    let mut project = Toml::default();
    project.comment("Written by muriel export. muriel plan and muriel apply read this directory.");
    project.set("format", &json!(FORMAT));
    project.set("project_key", &json!(project_key));
    files.insert("project.toml".to_owned(), project.into_text());
    let of = |kind| objects.iter().filter(move |object| object.kind == kind);
    files.insert("goals.toml".to_owned(), goals(of(Kind::Goal)));
    for kind in [Kind::Hypothesis, Kind::Experiment] {
        let names = file_names(&of(kind).map(|object| object.name.as_str()).collect::<Vec<_>>());
        for (object, name) in of(kind).zip(names) {
            let name = name.ok_or_else(|| (kind, object.name.clone()))?;
            match kind {
                Kind::Hypothesis => {
                    files.insert(format!("hypotheses/{name}.toml"), hypothesis(&object.fields));
                }
                _ => {
                    let parts = experiment(&object.fields);
                    files.extend(parts.into_iter().map(|(part, text)| (format!("experiments/{name}/{part}"), text)));
                }
            }
        }
    }
    Ok(files)
}

fn goals<'a>(goals: impl Iterator<Item = &'a Stored>) -> String {
    let least = defaults(check::goal(&json!({ "goal_name": "G", "goal_type": "event", "goal_value": "g" })));
    let mut sorted: Vec<_> = goals.collect();
    sorted.sort_by_key(|goal| &goal.name);
    let mut toml = Toml::default();
    for goal in sorted {
        toml.head("[[goal]]");
        toml.set("goal_key", &json!(goal.name));
        for (name, value) in &goal.fields {
            if ["goal_name", "goal_type", "goal_value"].contains(&name.as_str()) || least.get(name) != Some(value) {
                toml.set(name, value);
            }
        }
    }
    toml.into_text()
}

fn hypothesis(fields: &Fields) -> String {
    let mut toml = Toml::default();
    for (name, value) in fields.iter().filter(|(_, value)| **value != json!(false)) {
        toml.set(name, value);
    }
    toml.into_text()
}

/// Files of an experiment, by name.
fn experiment(fields: &Fields) -> Vec<(String, String)> {
    let least = defaults(check::experiment(&json!({
        "test_name": "T", "url": "https://example.com/", "variants": [{ "name": "Variant 1" }],
    })));
    let mut parts = Vec::new();
    let mut toml = Toml::default();
    let nothing = Value::Null;
    let field = |name: &str| fields.get(name).unwrap_or(&nothing);
    for name in TOP {
        let value = field(name);
        let is_default = match name {
            "test_name" | "url" | "status" => false,
            "variants_data_key" => value == field("url"),
            name => least.get(name) == Some(value),
        };
        if !is_default {
            toml.set(name, value);
        }
    }
    for name in ["plan", "configuration", "targeting"] {
        let mut table = changed(field(name), least.get(name).unwrap_or(&nothing));
        if let Some(integration) = table.get("integration").filter(|value| !fits(value)).cloned() {
            table.shift_remove("integration");
            parts.push((INTEGRATIONS.to_owned(), pretty(&integration)));
        }
        write_table(&mut toml, &format!("[{name}]"), &table);
    }
    let nickname = |arm: &Value| -> Fields {
        let nickname = arm.get("nickname").filter(|nickname| **nickname != json!(""));
        nickname.map(|nickname| ("nickname".to_owned(), nickname.clone())).into_iter().collect()
    };
    write_table(&mut toml, "[control]", &nickname(field("control")));
    parts.extend(code(0, field("control")));
    for (at, variant) in field("variants").as_array().into_iter().flatten().enumerate() {
        toml.head("[[variants]]");
        toml.set_all(&nickname(variant));
        if let Some(targeting) = variant.get("targeting") {
            // A variant's rules have the same defaults as the experiment's, which has one more.
            let targeting = changed(targeting, least.get("targeting").unwrap_or(&nothing));
            write_table(&mut toml, "[variants.targeting]", &targeting);
        }
        parts.extend(code(at + 1, variant));
    }
    for (name, field_name) in [("custom.js", "custom_js"), ("custom.css", "custom_css")] {
        parts.extend(part(name.to_owned(), field(field_name)));
    }
    parts.push((SETTINGS.to_owned(), toml.into_text()));
    parts
}

fn write_table(toml: &mut Toml, head: &str, members: &Fields) {
    if !members.is_empty() {
        toml.head(head);
        toml.set_all(members);
    }
}

/// Members of an object that differ from those of another.
fn changed(value: &Value, from: &Value) -> Fields {
    let members = value.as_object().into_iter().flatten();
    let differs = |name: &str, value: &Value| from.get(name) != Some(value);
    members.filter(|(name, value)| differs(name, value)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Code and visual changes of an arm, as files.
fn code(arm: usize, fields: &Value) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    for (field, ending) in [("customJS", "js"), ("customCSS", "css")] {
        parts.extend(part(arm_file(arm, ending), &fields[field]));
    }
    if let Some(changes) = fields.get("data").filter(|data| data.as_array().is_some_and(|items| !items.is_empty())) {
        parts.push((arm_file(arm, "changes.json"), pretty(changes)));
    }
    parts
}

/// File with text; none for empty text.
fn part(name: String, text: &Value) -> Option<(String, String)> {
    text.as_str().filter(|text| !text.is_empty()).map(|text| (name, text.to_owned()))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Defaults, which result from the minimal body. Empty if it is refused, so that everything is written.
fn defaults(least: Result<Fields, Problems>) -> Fields {
    least.unwrap_or_default()
}
