//! Finds fields that returned to their defaults because a replacing object left them out.

use super::fields::Mode;
use crate::json::{self, Json};
use muriel_domain::experiment::{Experiment, Variant};
use serde_json::{Value, json};

/// Maximum number of fields named in a message.
const NAMED_MAX: usize = 20;

/// Converts one field of an experiment to JSON.
type ToJson = fn(&Experiment) -> Value;

/// Fields that are objects, with their stored values.
const OBJECTS: [(&str, ToJson); 5] = [
    ("configuration", |experiment| json!(experiment.configuration)),
    ("targeting", |experiment| json!(experiment.targeting)),
    ("control", |experiment| of_control(experiment, ["nickname", "customJS", "customCSS"])),
    ("control_attr", |experiment| of_control(experiment, ["name", "js", "css"])),
    ("plan", |experiment| json!(experiment.plan)),
];

/// Messages about fields that returned to their defaults because a replacing object left them out.
pub(crate) fn reset_fields(sent: &Json, mode: Mode, before: &Experiment, after: &Experiment) -> Vec<String> {
    let sent_field = |name: &str| sent.as_object()?.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let mut fields = Vec::new();
    let objects = if mode == Mode::Whole { &OBJECTS[..] } else { &[] };
    for (name, stored) in objects {
        let Some(sent) = sent_field(name) else { continue };
        // `control_attr` may be sent as a JSON string.
        let parsed = match sent {
            Json::Text(text) => json::parse(text.as_bytes()).ok(),
            _ => None,
        };
        left_out(parsed.as_ref().unwrap_or(sent), name, &stored(before), &stored(after), &mut fields);
    }
    // Items of an array replace the stored ones in either mode.
    let sent_variants = sent_field("variants").and_then(Json::as_array).unwrap_or_default();
    for (at, sent) in sent_variants.iter().enumerate() {
        let variants = before.variants.get(at).zip(after.variants.get(at));
        if let Some((before, after)) = variants.filter(|(before, after)| before != after) {
            left_out(sent, &format!("variants[{at}]"), &of_variant(before), &of_variant(after), &mut fields);
        }
    }
    if fields.is_empty() {
        return Vec::new();
    }
    let more = fields.len().saturating_sub(NAMED_MAX);
    fields.truncate(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![format!(
        "{}{more}: reset to the default because the sent object left it out; to change one key of an object, send \
         application/merge-patch+json",
        fields.join(", ")
    )]
}

fn of_control(experiment: &Experiment, [nickname, js, css]: [&str; 3]) -> Value {
    let control = &experiment.control;
    json!({ nickname: control.nickname, js: control.code.js, css: control.code.css })
}

fn of_variant(variant: &Variant) -> Value {
    let (code, changes) = (&variant.code, &variant.changes);
    json!({ "nickname": variant.nickname, "customJS": code.js, "customCSS": code.css, "data": changes,
            "targeting": variant.audience })
}

/// Adds fields of an object that were not sent and whose values have changed.
fn left_out(sent: &Json, place: &str, before: &Value, after: &Value, fields: &mut Vec<String>) {
    let (Some(sent), Some(before)) = (sent.as_object(), before.as_object()) else { return };
    for (name, was) in before {
        if !sent.iter().any(|(key, _)| key == name) && after.get(name) != Some(was) {
            fields.push(format!("{place}.{name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_domain::experiment::{Code, TestType};
    use muriel_domain::ids::{CompanyId, ProjectId};

    fn experiment(arms: &[&str]) -> Experiment {
        let now = Instant::from_us(0);
        let mut experiment = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".into(), now);
        let code = |js: &&str| Code { js: (*js).into(), ..Code::default() };
        experiment.variants =
            arms.iter().map(|js| Variant { code: code(js), ..Variant::default() }).collect::<Vec<_>>();
        experiment
    }

    #[test]
    fn what_a_sent_object_left_out_is_told() {
        let mut before = experiment(&["a()", "b()"]);
        before.configuration.is_mab = true;
        before.configuration.completion_visitor = Some(5);
        before.control.nickname = "Old".into();
        before.plan.visitors = Some(1_000);
        let mut after = before.clone();
        after.configuration = Default::default();
        after.control.nickname = String::new();
        after.variants[1].code = Code::default();
        let sent = r#"{"configuration": {"completion_visitor": 0}, "control_attr": "{\"js\": \"\"}",
                       "variants": [{"name": "Variant 1"}, {"name": "Variant 2"}]}"#;
        let sent = crate::json::parse(sent.as_bytes()).unwrap();
        let reset = |mode| reset_fields(&sent, mode, &before, &after).concat();
        let begin = |text: String| text.split(": ").next().unwrap().to_owned();
        assert_eq!(begin(reset(Mode::Whole)), "configuration.is_mab, control_attr.name, variants[1].customJS");
        assert_eq!(begin(reset(Mode::Merge)), "variants[1].customJS");
        assert_eq!(reset_fields(&sent, Mode::Whole, &after, &after), [""; 0]);
    }
}
