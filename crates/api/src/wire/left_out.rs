//! Fields that went back to their defaults because an object that was sent whole left them out.

use super::fields::Mode;
use crate::json::{self, Json};
use muriel_domain::experiment::{Experiment, Variant};
use serde_json::{Value, json};

/// Most fields that one sentence names.
const NAMED_MAX: usize = 20;

/// Sentences about fields that returned to their defaults because an object that was sent whole left them out.
pub(crate) fn reset_fields(sent: &Json, mode: Mode, before: &Experiment, after: &Experiment) -> Vec<String> {
    let sent_field = |name: &str| sent.as_object()?.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let mut fields = Vec::new();
    if mode == Mode::Whole {
        let stored = |experiment: &Experiment| {
            let json = |value: serde_json::Result<Value>| value.unwrap_or_default();
            [
                ("configuration", json(serde_json::to_value(&experiment.configuration))),
                ("targeting", json(serde_json::to_value(&experiment.targeting))),
                ("control", of_control(experiment, ["nickname", "customJS", "customCSS"])),
                ("control_attr", of_control(experiment, ["name", "js", "css"])),
                ("plan", json(serde_json::to_value(experiment.plan))),
            ]
        };
        for ((name, before), (_, after)) in stored(before).into_iter().zip(stored(after)) {
            // Attributes of the control may be sent as text that holds them.
            let parsed = match sent_field(name) {
                Some(Json::Text(text)) => json::parse(text.as_bytes()).ok(),
                _ => None,
            };
            let Some(sent) = parsed.as_ref().or(sent_field(name)) else { continue };
            left_out(sent, name, &before, &after, &mut fields);
        }
    }
    // Items of an array are whole in either mode.
    let sent_variants = sent_field("variants").and_then(Json::as_array).unwrap_or_default();
    for (at, sent) in sent_variants.iter().enumerate() {
        if let (Some(before), Some(after)) = (before.variants.get(at), after.variants.get(at)) {
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
        "{}{more}: back at the default, because the sent object left it out; to change one key of an object, send \
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

/// Fields of an object that were not sent and are not what they were.
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
        let told = |mode| reset_fields(&sent, mode, &before, &after).concat();
        let begin = |text: String| text.split(": ").next().unwrap().to_owned();
        assert_eq!(begin(told(Mode::Whole)), "configuration.is_mab, control_attr.name, variants[1].customJS");
        assert_eq!(begin(told(Mode::Merge)), "variants[1].customJS");
        assert_eq!(reset_fields(&sent, Mode::Whole, &after, &after), [""; 0]);
    }
}
