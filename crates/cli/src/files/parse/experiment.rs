//! Parses experiments: `experiment.toml`, with code in files next to it.

use super::{Origin, Wanted, object, only, toml};
use crate::files::content::{self, Files, Kind, STATUSES};
use crate::files::names::key_of;
use crate::files::problems::FileProblems;
use muriel_api::check;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// File with an experiment's settings.
pub(crate) const SETTINGS: &str = "experiment.toml";
/// File with integrations whose settings TOML cannot represent.
pub(crate) const INTEGRATIONS: &str = "integration.json";
/// Maximum number of variants, which limits the known file names.
const VARIANTS_MAX: usize = 50;

/// Keys of `experiment.toml`.
const KNOWN: [&str; 16] = [
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
];

/// Keys of `[control]`, and of `[[variants]]`.
const CONTROL: [&str; 1] = ["nickname"];
const VARIANT: [&str; 3] = ["name", "nickname", "targeting"];

/// Fields of the API that are elsewhere in the files.
const ELSEWHERE: [(&str, &str); 8] = [
    ("experiment_key", "is the name of the directory; leave it out"),
    ("hypothesis_id", "differs from project to project; write hypothesis with a slug"),
    ("control_attr", "is written as [control]"),
    ("primary_goal", "is written in goals.toml; name it with primary_goal_key"),
    ("secondary_goals", "are written in goals.toml; name them with secondary_goal_keys"),
    ("custom_js", "belongs in custom.js next to this file"),
    ("custom_css", "belongs in custom.css next to this file"),
    ("test_id", "differs from project to project; the directory's name identifies the experiment"),
];

/// All experiments of the files.
pub(super) fn all(files: &Files, found: &mut FileProblems) -> Vec<Wanted> {
    let mut directories: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (path, text) in files {
        let Some((directory, name)) = path.strip_prefix("experiments/").and_then(|path| path.split_once('/')) else {
            continue;
        };
        directories.entry(directory).or_default().insert(name, text);
    }
    let mut names = HashMap::new();
    let mut wanted = Vec::new();
    for (directory, parts) in directories {
        let path = format!("experiments/{directory}");
        let Some(key) = key_of(directory) else {
            let rule = "the name of the directory is the experiment_key: 1 to 64 of the characters A-Z a-z 0-9 . _ -";
            found.add(&path, 0, rule);
            continue;
        };
        if let Some(other) = names.insert(key.clone(), directory) {
            found.add(&path, 0, format!("experiments/{other} is the same experiment, {key}"));
        }
        wanted.extend(Directory { path, parts }.read(key, found));
    }
    wanted
}

/// Name of the file with an arm's code, such as `variant-1.js`. Arm 0 is the control.
pub(crate) fn arm_file(arm: usize, ending: &str) -> String {
    if arm == 0 { format!("control.{ending}") } else { format!("variant-{arm}.{ending}") }
}

/// Returns whether an experiment's directory can have a file of this name.
pub(crate) fn is_part(name: &str) -> bool {
    let arm = |name: &str| {
        let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
        let number = stem.strip_prefix("variant-").and_then(|number| number.parse::<usize>().ok());
        let number = number.filter(|number| (1..=VARIANTS_MAX).contains(number));
        match (stem, ending) {
            ("control" | "custom", "js" | "css") => true,
            (_, "js" | "css" | "changes.json") => number.is_some_and(|number| arm_file(number, ending) == name),
            _ => false,
        }
    };
    matches!(name, SETTINGS | INTEGRATIONS) || arm(name)
}

/// Files of an experiment.
struct Directory<'a> {
    path: String,
    parts: BTreeMap<&'a str, &'a str>,
}

impl Directory<'_> {
    fn read(&self, key: String, found: &mut FileProblems) -> Option<Wanted> {
        let file = format!("{}/{SETTINGS}", self.path);
        let Some(text) = self.parts.get(SETTINGS) else {
            found.add(&file, 0, "the file is missing; each directory of an experiment needs it");
            return None;
        };
        let located = toml(&file, text, found)?;
        let members = located.members.clone();
        let mut origin = Origin { file, located: Some(located.into()), ..Origin::default() };
        let before = found.iter().count();
        keys(&members, &origin, found);
        let mut body = members.clone();
        keep_known(&mut body);
        self.add_parts(&mut body, &mut origin, found);
        let (status, hypothesis) = (body.shift_remove("status"), body.shift_remove("hypothesis"));
        let status = status.map(|word| status_of(&word, &origin, found));
        if hypothesis.as_ref().is_some_and(|slug| !slug.is_string()) {
            origin.add(found, "hypothesis", "hypothesis must be the slug of a hypothesis");
        }
        let (unset_visitors, unset_data_key) =
            (object(&members, "plan").get("visitors").is_none(), !members.contains_key("variants_data_key"));
        if object(&members, "configuration").get("is_mab") == Some(&json!(1))
            && object(&members, "configuration").contains_key("distribution")
        {
            let message = "configuration.distribution is set by the clock while is_mab is 1; leave it out";
            origin.add(found, "configuration.distribution", message);
        }
        let mut details = match check::experiment(&Value::Object(body)) {
            Ok(details) => details,
            Err(problems) => {
                origin.add_all(found, &problems);
                return None;
            }
        };
        if found.iter().count() > before {
            return None;
        }
        let left_alone =
            [("status", status.is_none()), ("plan.visitors", unset_visitors), ("variants_data_key", unset_data_key)];
        if let Some(code) = status.flatten() {
            details.insert("status".to_owned(), code.into());
        }
        let fields = content::experiment(&details, hypothesis.as_ref().and_then(Value::as_str));
        Some(Wanted {
            kind: Kind::Experiment,
            name: key,
            fields,
            left_alone: left_alone.into_iter().filter(|(_, left)| *left).map(|(name, _)| name).collect(),
            origin,
        })
    }

    /// Adds the content of separate files to the body.
    fn add_parts(&self, body: &mut Map<String, Value>, origin: &mut Origin, found: &mut FileProblems) {
        let arms = body.get("variants").and_then(Value::as_array).map_or(0, Vec::len);
        for (name, text) in &self.parts {
            let file = format!("{}/{name}", self.path);
            let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
            let field = match ending {
                "js" => "customJS",
                "css" => "customCSS",
                _ => "data",
            };
            match stem {
                "experiment" => {}
                "integration" => {
                    let Some(value) = json_of(&file, text, found) else { continue };
                    if object(body, "configuration").contains_key("integration") {
                        origin.add(
                            found,
                            "configuration.integration",
                            format!("integration is in {INTEGRATIONS} too; remove one of the two"),
                        );
                    }
                    origin.parts.push(("configuration.integration".to_owned(), file));
                    set(body, "configuration", "integration", value);
                }
                "custom" => {
                    origin.parts.push((format!("custom_{ending}"), file));
                    body.insert(format!("custom_{ending}"), (*text).into());
                }
                "control" => {
                    origin.parts.push((format!("control.{field}"), file));
                    set(body, "control", field, (*text).into());
                }
                _ => {
                    let number: usize = stem.strip_prefix("variant-").and_then(|n| n.parse().ok()).unwrap_or_default();
                    if number > arms {
                        let many = format!("{SETTINGS} has {arms} [[variants]], so there is no variant {number}");
                        found.add(&file, 0, many);
                        continue;
                    }
                    let value = match field {
                        "data" => json_of(&file, text, found),
                        _ => Some((*text).into()),
                    };
                    let variants = body.get_mut("variants").and_then(Value::as_array_mut);
                    let variant = variants.and_then(|all| all.get_mut(number - 1)).and_then(Value::as_object_mut);
                    if let (Some(variant), Some(value)) = (variant, value) {
                        origin.parts.push((format!("variants[{}].{field}", number - 1), file));
                        variant.insert(field.to_owned(), value);
                    }
                }
            }
        }
        for (at, variant) in body.get_mut("variants").and_then(Value::as_array_mut).into_iter().flatten().enumerate() {
            if let Some(variant) = variant.as_object_mut() {
                variant.entry("name").or_insert_with(|| format!("Variant {}", at + 1).into());
            }
        }
    }
}

/// Adds a problem for each key that is unknown or belongs elsewhere.
fn keys(members: &Map<String, Value>, origin: &Origin, found: &mut FileProblems) {
    let mut left = members.clone();
    for (name, hint) in ELSEWHERE {
        if left.shift_remove(name).is_some() {
            origin.add(found, name, format!("{name} {hint}"));
        }
    }
    only(&left, &KNOWN, origin, "", found);
    let mut control = object(members, "control");
    code_is_beside(&mut control, "control", 0, origin, found);
    only(&control, &CONTROL, origin, "control", found);
    for (at, variant) in members.get("variants").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let (path, mut variant) = (format!("variants[{at}]"), variant.as_object().cloned().unwrap_or_default());
        code_is_beside(&mut variant, &path, at + 1, origin, found);
        only(&variant, &VARIANT, origin, &path, found);
    }
}

/// Removes the keys that [`keys`] has reported.
fn keep_known(body: &mut Map<String, Value>) {
    body.retain(|name, _| KNOWN.contains(&name.as_str()));
    if let Some(control) = body.get_mut("control").and_then(Value::as_object_mut) {
        control.retain(|name, _| CONTROL.contains(&name.as_str()));
    }
    for variant in body.get_mut("variants").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(variant) = variant.as_object_mut() {
            variant.retain(|name, _| VARIANT.contains(&name.as_str()));
        }
    }
}

/// Adds a problem for each field of an arm that belongs in a separate file.
fn code_is_beside(arm: &mut Map<String, Value>, path: &str, number: usize, origin: &Origin, found: &mut FileProblems) {
    for (field, ending) in [("customJS", "js"), ("customCSS", "css"), ("data", "changes.json")] {
        if arm.shift_remove(field).is_some() {
            let field = format!("{path}.{field}");
            origin.add(found, &field, format!("{field} belongs in {} next to this file", arm_file(number, ending)));
        }
    }
}

/// Number of a status word.
fn status_of(word: &Value, origin: &Origin, found: &mut FileProblems) -> Option<i64> {
    let code = STATUSES.iter().find(|(known, _)| word.as_str() == Some(known)).map(|(_, code)| *code);
    if code.is_none() {
        origin.add(found, "status", "status must be \"draft\", \"live\" or \"inactive\"");
    }
    code
}

/// Sets a member of an object, which is created if missing. A value that is not an object is kept, and reported as a
/// problem of the body.
fn set(body: &mut Map<String, Value>, name: &str, field: &str, value: Value) {
    if let Some(members) = body.entry(name).or_insert_with(|| json!({})).as_object_mut() {
        members.insert(field.to_owned(), value);
    }
}

/// Parses a file as JSON.
fn json_of(file: &str, text: &str, found: &mut FileProblems) -> Option<Value> {
    check::json(text).map_err(|problems| problems.iter().for_each(|one| found.add(file, 0, one.to_string()))).ok()
}
