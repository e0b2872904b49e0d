//! Output of a plan, for people and programs.

use super::api::printable;
use super::content::Kind;
use super::diff::{Act, Change};
use super::plan::Planned;
use serde_json::{Value, json};
use std::fmt::Write;

/// Maximum length of a value in a plan, in characters.
const VALUE: usize = 60;

/// Formats the plan as text.
pub(crate) fn text(planned: &[Planned], notes: &[String]) -> String {
    let mut out = String::new();
    for kind in Kind::ALL {
        let of_kind: Vec<&Planned> = planned.iter().filter(|planned| planned.change.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}", plural(kind));
        for planned in of_kind {
            object(&mut out, planned);
        }
        out.push('\n');
    }
    for note in notes {
        let _ = writeln!(out, "note: {}", printable(note));
    }
    let count = |act: &Act| planned.iter().filter(|planned| planned.change.act == *act).count();
    let (create, update, remove) = (count(&Act::Create), count(&Act::Update), count(&Act::Remove));
    if create + update + remove == 0 {
        out.push_str("The project matches the files. Nothing to do.\n");
    } else {
        let _ = writeln!(out, "{create} to create, {update} to change, {remove} to remove.");
    }
    out
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Goal => "Goals",
        Kind::Hypothesis => "Hypotheses",
        Kind::Experiment => "Experiments",
    }
}

fn object(out: &mut String, planned: &Planned) {
    let (change, effects) = (&planned.change, &planned.effects);
    let (mark, verb) = match change.act {
        Act::Create => ("+", "create"),
        Act::Update => ("~", "change"),
        Act::Remove if change.kind == Kind::Hypothesis => ("-", "archive"),
        Act::Remove => ("-", "delete"),
    };
    let _ = writeln!(out, "  {mark} {}  {verb}", printable(&change.name));
    for difference in &change.differences {
        let (before, after) = (value(&difference.before), value(&difference.after));
        let _ = writeln!(out, "      {}: {before} -> {after}", printable(&difference.field));
    }
    for sentence in sentences(change) {
        let _ = writeln!(out, "      ! {sentence}");
    }
    if !effects.reasons.is_empty() {
        let _ = writeln!(out, "      ! opens a new epoch ({})", effects.reasons.join(", "));
    }
    match effects.moved_visitors_percent {
        Some(percent) if percent > 0.0 => {
            let _ =
                writeln!(out, "      ! moves {percent} % of its visitors to another variant, or out of the experiment");
        }
        None => out.push_str("      ! moves visitors; the share is unknown, because it depends on their attributes\n"),
        Some(_) => {}
    }
    for sentence in &effects.exploratory {
        let _ = writeln!(out, "      ! exploratory: {}", printable(sentence));
    }
    if !effects.redefines.is_empty() {
        let arms: Vec<&str> = effects.redefines.iter().map(|arm| printable_arm(arm)).collect();
        let _ = writeln!(out, "      ! redefines {}", arms.join(", "));
    }
    if !effects.removed_code.is_empty() {
        let _ = writeln!(out, "      ! removes code: {}", printable(&effects.removed_code.join(", ")));
    }
    for warning in &effects.warnings {
        let _ = writeln!(out, "      warning: {}", printable(warning));
    }
}

fn printable_arm(arm: &str) -> &str {
    if arm == "0" { "the control" } else { arm }
}

/// Messages about effects of a change that its fields do not show.
fn sentences(change: &Change) -> Vec<String> {
    let mut said = Vec::new();
    match (&change.act, change.status.as_deref()) {
        (Act::Remove, _) if change.stored.as_ref().is_some_and(|stored| stored.is_live()) => {
            said.push("is live: visitors stop seeing it at once".to_owned());
        }
        (_, Some("live")) => said.push("starts: visitors see it".to_owned()),
        (_, Some(_)) if change.stops() => said.push("stops: visitors no longer see it".to_owned()),
        (_, Some(word)) => said.push(format!("status becomes {word}")),
        (_, None) => {}
    }
    let is_defined_anew = |field: &str| ["goal_type", "goal_value", "window_days", "min_count", "cap"].contains(&field);
    if change.kind == Kind::Goal && change.differences.iter().any(|one| is_defined_anew(&one.field)) {
        said.push("counts past events by the new definition too: goals are matched when a result is read".to_owned());
    }
    said
}

/// Formats a value on one line. Texts of several lines, which are mostly code, are shown by their
/// number of lines.
fn value(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\n') => format!("({} lines)", text.lines().count()),
        value => {
            let text = printable(&value.to_string());
            match text.char_indices().nth(VALUE) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

/// Formats the plan as JSON.
pub(crate) fn json(project_key: &str, planned: &[Planned], notes: &[String]) -> Value {
    let changes: Vec<Value> = planned.iter().map(change_json).collect();
    json!({ "project_key": project_key, "changes": changes, "notes": notes })
}

fn change_json(planned: &Planned) -> Value {
    let (change, effects) = (&planned.change, &planned.effects);
    let fields: Vec<Value> = change
        .differences
        .iter()
        .map(|one| json!({ "field": one.field, "before": one.before, "after": one.after }))
        .collect();
    let was_live = change.stored.as_ref().is_some_and(|stored| stored.is_live());
    json!({
        "kind": change.kind.word(),
        "name": change.name,
        "action": match change.act { Act::Create => "create", Act::Update => "update", Act::Remove => "remove" },
        "fields": fields,
        "status": change.status,
        "is_live": was_live,
        "opens_epoch": !effects.reasons.is_empty(),
        "reasons": effects.reasons,
        "redefines": effects.redefines,
        "exploratory": effects.exploratory,
        "removed_code": effects.removed_code,
        "moved_visitors_percent": effects.moved_visitors_percent,
        "warnings": effects.warnings,
    })
}
