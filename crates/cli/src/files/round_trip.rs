//! Property tests with generated projects: an export describes the project exactly.

use super::content::{Fields, Kind, Stored};
use super::diff::{Act, Choices, Project, changes, resolved};
use super::{parse, render};
use muriel_api::{check, valid_patch};
use muriel_domain::text::is_hidden;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::HashMap;

const IDEA: i64 = 7;

/// Details of an object that `kind`'s create operation makes from a body.
fn details(kind: Kind, body: &Value) -> Fields {
    let made = match kind {
        Kind::Goal => check::goal(body),
        Kind::Hypothesis => check::hypothesis(body),
        Kind::Experiment => check::experiment(body),
    };
    let mut details = made.unwrap_or_else(|problems| panic!("{problems:?}: {body}"));
    if kind == Kind::Experiment {
        // Set here, because setting it on the server needs a project.
        details.insert("status".to_owned(), body.get("status").cloned().unwrap_or(json!(9)));
    }
    details
}

fn slugs() -> HashMap<i64, String> {
    HashMap::from([(IDEA, "idea".to_owned())])
}

fn stored(kind: Kind, name: &str, body: &Value) -> Stored {
    Stored::new(kind, name, &details(kind, body), &slugs())
}

/// Body that creates an experiment.
fn experiment_body() -> impl Strategy<Value = Value> {
    let text = "[\\PC\n\r\t\"\\\\]{0,20}";
    let seen = text.prop_map(|text| text.replace(is_hidden, ""));
    let more = (select(vec!["abtest", "split", "personalization"]), select(vec![9, 1, 0]), text, seen, any::<bool>());
    (valid_patch(), more).prop_map(|(patch, (test_type, status, js, nickname, is_pattern))| {
        let mut body = json!({
            "test_name": "Base", "url": "https://base.example/", "status": status, "test_type": test_type,
            "variants": [{ "name": "Variant 1", "nickname": nickname, "customCSS": js, "data": [] }, { "name": "Variant 2" }],
            "custom_js": js,
        });
        let fields = body.as_object_mut().unwrap();
        for (name, value) in patch.as_object().unwrap() {
            fields.insert(name.clone(), value.clone());
        }
        if is_pattern {
            fields.insert("variants_data_key".to_owned(), json!("https://*.example/*"));
        }
        if fields.get("hypothesis_id").is_some_and(|id| !id.is_null()) {
            fields.insert("hypothesis_id".to_owned(), json!(IDEA));
        }
        if test_type == "personalization" {
            let rules = json!({ "device_rule": ["mobile"], "user_rule": "new" });
            fields["variants"][0].as_object_mut().unwrap().insert("targeting".to_owned(), rules);
        }
        // Values that the API keeps unchanged: null, numbers and names of every kind.
        if is_pattern {
            let integration = json!([{ "name": "ga4", "": null, "a.b": [1.0, -0.5e-7, { "c": null }] }, "hotjar"]);
            let configuration = fields.entry("configuration").or_insert_with(|| json!({}));
            configuration.as_object_mut().unwrap().insert("integration".to_owned(), integration);
        }
        body
    })
}

fn goal_body() -> impl Strategy<Value = Value> {
    let value = select(vec![("scrolling", json!(50)), ("event", json!("50")), ("pageviewRegex", json!("^/a\\d\"$"))]);
    let cap = prop::option::of(select(vec![0.1, 1e12, 3.0, 1e-300]));
    (value, "[a-z\"\\\\é]{1,9}", cap, prop::option::of(1..365i64)).prop_map(|((kind, value), name, cap, days)| {
        json!({ "goal_name": name, "goal_type": kind, "goal_value": value, "cap": cap, "window_days": days, "max_order_value": cap.map(|cap: f64| cap.min(1e11)) })
    })
}

fn idea_body() -> impl Strategy<Value = Value> {
    ("[\\PC\n\r\"\\\\]{0,40}", prop::option::of(1..=5i64), any::<bool>()).prop_map(|(text, rating, archived)| {
        json!({ "problem": text, "solution": "s", "confidence": rating, "archived": archived, "observation": null })
    })
}

fn whole_project() -> impl Strategy<Value = Vec<Stored>> {
    let key = select(vec!["short-form", "Short-Form", "a.b", ".", "nul", "x_1"]);
    let experiments = prop::collection::hash_map(key, experiment_body(), 0..3);
    (experiments, prop::collection::vec(goal_body(), 3), idea_body()).prop_map(|(experiments, goals, idea)| {
        let names = ["purchase", "signup", "scrolled"];
        let mut objects: Vec<Stored> =
            names.iter().zip(&goals).map(|(key, body)| stored(Kind::Goal, key, body)).collect();
        objects.push(stored(Kind::Hypothesis, "idea", &idea));
        let mut keyed: Vec<_> = experiments.into_iter().collect();
        keyed.sort_by_key(|(key, _)| *key);
        objects.extend(keyed.iter().map(|(key, body)| stored(Kind::Experiment, key, body)));
        objects
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_plan_of_an_export_is_empty(objects in whole_project()) {
        let files = render::files("prj_1", &objects).unwrap();
        let tree = parse::read(&files).map_err(|found| TestCaseError::fail(format!("{found}\n{files:#?}")))?;
        prop_assert_eq!(tree.project.as_deref(), Some("prj_1"));
        let names = objects.iter().map(|object| (object.kind, object.name.clone())).collect();
        let project = Project { objects, names };
        let all = changes(&tree, &project, Choices { prune: true, resume: true }).map_err(|found| TestCaseError::fail(found.to_string()))?;
        prop_assert_eq!(&all.changes, &vec![], "{:#?}", files);
        prop_assert_eq!(all.notes, Vec::<String>::new());
    }

    #[test]
    fn what_is_applied_elsewhere_is_exported_to_the_byte(objects in whole_project()) {
        let files = render::files("prj_1", &objects).unwrap();
        let tree = parse::read(&files).map_err(|found| TestCaseError::fail(found.to_string()))?;
        let all = changes(&tree, &Project::default(), Choices::default()).map_err(|found| TestCaseError::fail(found.to_string()))?;
        prop_assert_eq!(all.changes.len(), objects.len());
        let ids = HashMap::from([((Kind::Hypothesis, "idea".to_owned()), IDEA)]);
        let mut made = Vec::new();
        for change in &all.changes {
            prop_assert_eq!(&change.act, &Act::Create);
            made.push(stored(change.kind, &change.name, &Value::Object(resolved(change, change.body(), &ids))));
        }
        prop_assert_eq!(render::files("prj_1", &made).unwrap(), files);
    }
}
