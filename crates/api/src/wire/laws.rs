//! Property tests of PATCH, with generated experiments.

use super::experiment::{PATCH_FIELDS, patch};
use super::fields::Mode;
use super::samples::{rules, valid_patch};
use super::views::ExperimentDetails;
use crate::json::Json;
use muriel_domain::experiment::{Experiment, References, Revision, TestType};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::targeting::AUDIENCE_KEYS;
use muriel_domain::{Instant, Problems};
use muriel_service::experiments::Edit;
use muriel_store::experiments::LoadedExperiment;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const NOW: Instant = Instant::from_us(1_772_000_000_000_000);

fn known() -> References {
    References { goal_keys: ["purchase", "signup", "scrolled"].map(str::to_owned).into(), hypothesis: true }
}

fn apply(experiment: &Experiment, body: &Value, mode: Mode) -> Result<Experiment, Problems> {
    let Edit { patch, problems: found } = patch(&Json::from(body.clone()), mode);
    experiment.patched(patch, found, &known())
}

/// Details of an experiment as a client gets them.
fn details(experiment: &Experiment) -> Map<String, Value> {
    let loaded = LoadedExperiment { experiment: experiment.clone(), origin: None, primary_goal: None };
    match serde_json::to_value(ExperimentDetails::new(loaded, Vec::new(), "prj", NOW, &BTreeMap::new())).unwrap() {
        Value::Object(details) => details,
        _ => unreachable!(),
    }
}

/// Experiment as it is created.
fn base() -> Experiment {
    let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "base".into(), NOW);
    let body = json!({"test_name": "Base", "url": "https://base.example/", "variants": [{"name": "Variant 1"}, {"name": "Variant 2"}]});
    let mut experiment = apply(&draft, &body, Mode::Whole).unwrap();
    experiment.variants_data_key = muriel_domain::experiment::DataKey::stored(experiment.url.clone());
    experiment
}

#[test]
fn every_targeting_rule_is_tried() {
    let tried: Vec<_> = rules().into_iter().map(|(key, _)| key).collect();
    for key in AUDIENCE_KEYS {
        assert!(tried.contains(key), "{key} has no value in rules()");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_details_show_changes_nothing_when_sent_back(first in valid_patch(), second in valid_patch()) {
        let base = base();
        let experiment = apply(&base, &first, Mode::Whole).expect("the patch is valid");
        // The second patch may set weights for variants that do not exist. Then it is refused
        // as a whole.
        let experiment = apply(&experiment, &second, Mode::Merge).unwrap_or(experiment);
        let shown = details(&experiment);
        for mode in [Mode::Whole, Mode::Merge] {
            let mut whole = Map::new();
            // `control_attr` is another form of `control`, which the details do not show.
            for field in PATCH_FIELDS.into_iter().filter(|field| *field != "control_attr") {
                // A merged null restores the default, which is what a field with null shows.
                let body = json!({ field: shown[field] });
                prop_assert_eq!(&apply(&experiment, &body, mode).expect(field), &experiment, "{} {:?}", field, mode);
                whole.insert(field.to_owned(), shown[field].clone());
            }
            prop_assert_eq!(&apply(&experiment, &Value::Object(whole), mode).expect("all fields"), &experiment);
        }
        prop_assert!(Revision::between(&experiment, experiment.clone(), NOW).is_none());
    }

    #[test]
    fn a_patch_applied_twice_is_applied_once(body in valid_patch()) {
        let once = apply(&base(), &body, Mode::Whole).expect("the patch is valid");
        prop_assert_eq!(&apply(&once, &body, Mode::Whole).expect("it still is"), &once);
    }

    #[test]
    fn one_bad_field_refuses_all_the_good_ones(body in valid_patch(), bad in select(vec![
        ("test_name", json!(" ")), ("url", json!("https://*.example/")), ("tags", json!([""])), ("no_such", json!(1)),
        ("status", json!(1)), ("secondary_goal_keys", json!(["nowhere"])), ("custom_js", json!(null)),
        ("configuration", json!({"traffic_allocation": 101})), ("targeting", json!({"device_rule": ["watch"]})),
    ])) {
        let mut body = body.as_object().cloned().unwrap_or_default();
        body.insert(bad.0.to_owned(), bad.1);
        match apply(&base(), &Value::Object(body), Mode::Whole) {
            Err(problems) => {
                prop_assert!(problems.iter().any(|problem| problem.field.starts_with(bad.0)), "{:?}", problems);
            }
            other => prop_assert!(false, "{:?}", other.map(|experiment| experiment.name)),
        }
    }

    #[test]
    fn any_json_is_read_without_panic(text in "\\PC{0,40}", key in select(PATCH_FIELDS.to_vec())) {
        for value in [json!(text), json!([text]), json!({ &text: [null, {}] }), json!([[{"name": text, "criteria": 1}]])] {
            for mode in [Mode::Whole, Mode::Merge] {
                let Edit { .. } = patch(&Json::from(json!({ key: value })), mode);
            }
        }
    }
}
