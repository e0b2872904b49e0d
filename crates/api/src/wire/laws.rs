//! Laws of PATCH, over experiments made by chance.

use super::experiment::{PATCH_FIELDS, patch};
use super::fields::Mode;
use super::views::ExperimentDetails;
use crate::json::Json;
use muriel_domain::experiment::{Experiment, References, Revision, TestType};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::targeting::AUDIENCE_KEYS;
use muriel_domain::{Instant, Problems};
use muriel_service::experiments::Edit;
use muriel_store::experiments::LoadedExperiment;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

const NOW: Instant = Instant::from_us(1_772_000_000_000_000);

fn known() -> References {
    References { goal_keys: ["purchase", "signup", "scrolled"].map(str::to_owned).into(), hypothesis: true }
}

fn apply(experiment: &Experiment, body: &Value, mode: Mode) -> Result<Experiment, Problems> {
    let Edit { patch, problems: found } = patch(&Json::from(body.clone()), mode);
    experiment.patched(patch, found, &known())
}

/// The details of an experiment as a client reads them.
fn details(experiment: &Experiment) -> Map<String, Value> {
    let loaded = LoadedExperiment { experiment: experiment.clone(), origin: None, primary_goal: None };
    match serde_json::to_value(ExperimentDetails::new(loaded, Vec::new(), "prj", NOW)).unwrap() {
        Value::Object(details) => details,
        _ => unreachable!(),
    }
}

/// A valid value of each targeting rule at least.
fn rules() -> Vec<(&'static str, Value)> {
    let groups = json!([[{"criteria": "utm_source", "operator": "==", "value": "ads"}, {"criteria": "x", "operator": "nx"}], [{"criteria": "n", "operator": ">", "value": "3"}]]);
    vec![
        ("referral_rule", json!([[{"criteria": "source", "operator": "==", "value": "paid"}]])),
        (
            "allowed_country",
            json!([{"name": "Germany", "code": "DE", "rule": "whitelist"}, {"name": "France", "code": "FR", "rule": "blacklist"}]),
        ),
        ("allowed_region", json!([{"name": "California (US)", "rule": "notEqual"}])),
        ("allowed_city", json!([{"name": "Berlin (Berlin)", "rule": "equal"}])),
        ("device_rule", json!(["mobile", "desktop"])),
        ("browser_rule", json!(["ie"])),
        ("os_rule", json!(["macOS", "ios"])),
        ("user_rule", json!("new")),
        ("user_rule", json!(["returning"])),
        ("browser_language_rule", json!(["en", "pt-BR"])),
        ("segment_rule", groups.clone()),
        (
            "event_rule",
            json!([{"rule": "equal", "name": "Purchase", "attributes": [[{"key": "total", "operand": "gte", "value": 10.5}, {"key": "gift", "operand": "bt"}]], "min_count": 2, "timeframe_days": 30}]),
        ),
        ("parameter_rule", groups.clone()),
        ("ga4_rule", json!(["Loyal"])),
        ("cookie_rule", groups),
        (
            "schedule_rule",
            json!({"schedule_groups": [{"days": ["monday"], "time_ranges": [{"start": "22:00", "end": "02:00"}]}]}),
        ),
    ]
}

fn targeting() -> impl Strategy<Value = Value> {
    let url = select(vec![
        json!([{"url": "https://a.example/", "rule": "simple", "allowed": true}]),
        json!([{"url": "^/x[0-9]+$", "rule": "regex", "allowed": false}, {"url": "*/y", "rule": "wildcard", "allowed": true}]),
        json!([]),
    ]);
    (prop::collection::vec(select(rules()), 0..5), url).prop_map(|(rules, url)| {
        let mut all: Map<String, Value> = rules.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        all.insert("url_rule".into(), url);
        Value::Object(all)
    })
}

fn variants() -> impl Strategy<Value = Value> {
    let change = select(vec![
        json!({"target": "h1", "innerHTML": "<b>x</b>", "extra": [1, {"deep": null}]}),
        json!({"rm": ".banner"}),
        json!({"refEl": "#a", "dir": "p", "htmlBlock": "<i></i>"}),
        json!({"oriEl": "#a", "refEl": "#b", "dir": "a", "pageUrl": "/x", "sitewide": false}),
    ]);
    let variant = ("[a-zé ]{0,8}", "[a-z{}]{0,8}", prop::collection::vec(change, 0..3));
    prop::collection::vec(variant, 1..6).prop_map(|variants| {
        (1..)
            .zip(variants)
            .map(|(n, (nickname, code, data))| json!({"name": format!("Variant {n}"), "nickname": nickname, "customJS": code, "data": data}))
            .collect()
    })
}

fn configuration(arms: usize) -> impl Strategy<Value = Value> {
    let weights = prop::collection::vec(1u32..100, arms).prop_map(|parts| {
        let sum: u32 = parts.iter().sum();
        let mut weights: Vec<u32> = parts.iter().map(|part| part * 10_000 / sum).collect();
        weights[0] += 10_000 - weights.iter().sum::<u32>();
        let name = |arm: usize| if arm == 0 { "Control".to_owned() } else { format!("Variant {arm}") };
        let object: Map<_, _> =
            weights.iter().enumerate().map(|(arm, weight)| (name(arm), json!(f64::from(*weight) / 100.0))).collect();
        Value::Object(object)
    });
    let distribution = prop_oneof![Just(Value::Null), Just(json!("equal")), Just(json!("manual")), weights];
    let keys = subsequence(
        vec![
            ("confidence_interval", json!(90)),
            ("start_test_date", json!("2026-03-01")),
            ("end_test_date", json!("2026-04-01T12:00:00+02:00")),
            ("is_mab", json!(1)),
            ("bayesian", json!(0)),
            ("dom_change_path", json!("observe")),
            ("completion_visitor", json!(10_000)),
            ("completion_stats_significant_flag", json!(1)),
            ("integration", json!([{"name": "ga4", "id": "G-1"}, "hotjar"])),
        ],
        0..9,
    );
    (keys, 0..=100i64, distribution).prop_map(|(keys, traffic, distribution)| {
        let mut all: Map<String, Value> = keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        all.insert("traffic_allocation".into(), json!(traffic));
        all.insert("distribution".into(), distribution);
        Value::Object(all)
    })
}

/// A valid PATCH of any fields.
fn valid_patch() -> impl Strategy<Value = Value> {
    let body = variants().prop_flat_map(|variants| {
        let arms = variants.as_array().map_or(1, Vec::len) + 1;
        (Just(variants), configuration(arms), targeting(), "[a-z]{1,12}", prop::option::of(1i64..100))
    });
    (body, subsequence(vec!["purchase", "signup", "scrolled"], 0..4), any::<[bool; 8]>()).prop_map(
        |((variants, configuration, targeting, word, number), goals, sent)| {
            let fields = [
                json!({"variants": variants, "configuration": configuration}),
                json!({"targeting": targeting}),
                json!({"test_name": word, "url": format!("https://{word}.example/?q=1#x")}),
                json!({"control": {"nickname": word, "customJS": "a()"}, "custom_css": word}),
                json!({"tags": [word, "b", "b"], "event_metrics": [word]}),
                json!({"secondary_goal_keys": goals, "primary_goal_key": goals.first()}),
                json!({"hypothesis_id": number, "plan": {"mde": 1.5, "visitors": number}}),
                json!({"builtin_metrics": ["engagement"], "custom_js": "b()"}),
            ];
            let mut body = Map::new();
            for (fields, _) in fields.into_iter().zip(sent).filter(|(_, sent)| *sent) {
                let Value::Object(fields) = fields else { unreachable!() };
                body.extend(fields);
            }
            Value::Object(body)
        },
    )
}

/// An experiment as creation makes it.
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
        // A second one may set weights for other arms than there are; then it is refused whole.
        let experiment = apply(&experiment, &second, Mode::Merge).unwrap_or(experiment);
        let shown = details(&experiment);
        for mode in [Mode::Whole, Mode::Merge] {
            let mut whole = Map::new();
            // That is control in other words, which no details show.
            for field in PATCH_FIELDS.into_iter().filter(|field| *field != "control_attr") {
                // Merged, a null is the default, which a field that shows null has.
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
