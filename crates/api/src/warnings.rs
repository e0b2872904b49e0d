//! What an experiment's owner should look at: nothing that forbids it.

use crate::json::{self, Json};
use crate::script::Guards;
use crate::wire::fields::Mode;
use muriel_domain::experiment::{Experiment, Variant};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most warnings about code: a mistake is often made in every arm.
const ABOUT_CODE_MAX: usize = 10;
/// Code of people takes up to twenty steps for a kibibyte. What takes more than so
/// many is told.
const DEAR_STEPS: usize = 200;

/// Sentences about an experiment, each naming its field; none when all is well. Of
/// code they say what reading it has shown.
pub(crate) fn warnings(experiment: &Experiment, guards: &Guards) -> Vec<String> {
    let mut warnings = experiment.warnings();
    let about_code =
        code(experiment).filter_map(|(field, code)| about(code, guards).map(|says| format!("{field}: {says}")));
    warnings.extend(about_code.take(ABOUT_CODE_MAX));
    warnings
}

fn about(code: &str, guards: &Guards) -> Option<String> {
    if code.trim().is_empty() {
        return None;
    }
    let Some(reading) = guards.known(code) else {
        return Some("this code is still being read; visitors get it as soon as that is done".to_owned());
    };
    if let Some(lines) = &reading.mistake {
        let place = if lines.start() == lines.end() {
            format!("line {}", lines.start())
        } else {
            format!("lines {} to {}", lines.start(), lines.end())
        };
        return Some(format!("this is no JavaScript, so browsers will not run it; the first mistake is in {place}"));
    }
    let steps = reading.steps;
    if reading.is_unread {
        return Some(format!(
            "reading this code was given up after {steps} steps, so a loop without end in it cannot be stopped; make it simpler"
        ));
    }
    let kibibytes = code.len().div_ceil(1 << 10);
    (steps > DEAR_STEPS * kibibytes)
        .then(|| format!("reading this code takes {steps} steps, {} for each KiB; make it simpler", steps / kibibytes))
}

/// Every piece of JavaScript of an experiment.
pub(crate) fn codes(experiment: &Experiment) -> Vec<Arc<str>> {
    code(experiment).map(|(_, code)| code.clone()).collect()
}

/// Most fields that one sentence names.
const NAMED_MAX: usize = 20;

/// What went back to its default because an object that was sent whole left it out.
pub(crate) fn returned(sent: &Json, mode: Mode, before: &Experiment, after: &Experiment) -> Vec<String> {
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

/// What the owner of an experiment that started should know of arms that are gone.
/// `winners` are the arms that its result called better, if that is known.
pub(crate) fn about_dropped(arms: std::ops::Range<usize>, winners: Option<&[usize]>) -> Vec<String> {
    let about = |arm: usize| {
        let result = match winners {
            Some(winners) if winners.contains(&arm) => "; the result called it better than the control",
            Some(_) => "",
            None => "; whether the result called it better is not known, as it could not be computed in time",
        };
        format!("variants: Variant {arm} is deleted with its code, and its visitors get other arms{result}")
    };
    arms.map(about).collect()
}

/// Every piece of JavaScript with the field that holds it.
fn code(experiment: &Experiment) -> impl Iterator<Item = (String, &Arc<str>)> {
    let variants = experiment.variants.iter().enumerate();
    [("custom_js", &experiment.custom_code), ("control.customJS", &experiment.control.code)]
        .into_iter()
        .map(|(field, code)| (field.to_owned(), &code.js))
        .chain(variants.map(|(at, variant)| (format!("variants[{at}].customJS"), &variant.code.js)))
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

    async fn warned(experiment: &Experiment) -> Vec<String> {
        let guards = Guards::default();
        guards.read_all(codes(experiment)).await;
        warnings(experiment, &guards)
    }

    #[tokio::test]
    async fn code_that_is_none_is_told_with_its_field_and_line() {
        let told = |field: &str, place: &str| {
            format!("{field}: this is no JavaScript, so browsers will not run it; the first mistake is in {place}")
        };
        assert_eq!(warned(&experiment(&["", "a()"])).await, [""; 0]);
        let mut wrong = experiment(&["a()\n\nb((", "a()", "a(function () {\n  b()"]);
        wrong.custom_code.js = "a(;".into();
        wrong.control.code.js = "\nb }".into();
        let expect = [
            told("custom_js", "line 1"),
            told("control.customJS", "line 2"),
            told("variants[0].customJS", "line 3"),
            told("variants[2].customJS", "lines 1 to 2"),
        ];
        assert_eq!(warned(&wrong).await, expect);
        assert_eq!(warned(&experiment(&["a(("; 50])).await.len(), ABOUT_CODE_MAX);
    }

    #[test]
    fn what_a_sent_object_left_out_is_told() {
        let mut before = experiment(&["a()", "b()"]);
        before.configuration.is_mab = true;
        before.configuration.completion_visitor = 5;
        before.control.nickname = "Old".into();
        before.plan.visitors = Some(1_000);
        let mut after = before.clone();
        after.configuration = Default::default();
        after.control.nickname = String::new();
        after.variants[1].code = Code::default();
        let sent = r#"{"configuration": {"completion_visitor": 0}, "control_attr": "{\"js\": \"\"}",
                       "variants": [{"name": "Variant 1"}, {"name": "Variant 2"}]}"#;
        let sent = crate::json::parse(sent.as_bytes()).unwrap();
        let told = |mode| returned(&sent, mode, &before, &after).concat();
        let begin = |text: String| text.split(": ").next().unwrap().to_owned();
        assert_eq!(begin(told(Mode::Whole)), "configuration.is_mab, control_attr.name, variants[1].customJS");
        assert_eq!(begin(told(Mode::Merge)), "variants[1].customJS");
        assert_eq!(returned(&sent, Mode::Whole, &after, &after), [""; 0]);
    }

    #[test]
    fn dropped_arms_are_told_with_what_is_known_of_them() {
        assert!(about_dropped(1..2, Some(&[1]))[0].ends_with("called it better than the control"));
        assert!(about_dropped(1..2, Some(&[2]))[0].ends_with("get other arms"));
        assert!(about_dropped(1..2, None)[0].contains("not known"));
        assert_eq!(about_dropped(1..3, None).len(), 2);
        assert_eq!(about_dropped(3..3, None), [""; 0]);
    }

    #[test]
    fn code_that_is_not_read_yet_is_told() {
        let expect = "variants[0].customJS: this code is still being read; visitors get it as soon as that is done";
        assert_eq!(warnings(&experiment(&["a()"]), &Guards::default()), [expect]);
    }
}
