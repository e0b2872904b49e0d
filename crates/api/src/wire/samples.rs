//! Generators of valid bodies, for tests.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

/// At least one valid value of each targeting rule.
pub(crate) fn rules() -> Vec<(&'static str, Value)> {
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

/// Generates a valid PATCH with any fields.
pub fn valid_patch() -> impl Strategy<Value = Value> {
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
