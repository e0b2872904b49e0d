//! PATCH of an experiment: every field with valid and invalid values, sent whole and merged.

use crate::scene::{keys, snapshot};
use muriel_tests::{Client, On, TestApp, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        good_values_read_back_as_sent,
        all_problems_are_told_at_once,
        lists_keep_their_order_and_count_duplicates_once,
    ],
    postgres_at_night: [
        one_unknown_goal_key_spoils_everything,
        bad_values_are_named_and_change_nothing,
        read_only_fields_name_the_operation_that_changes_them,
        unknown_fields_are_named_with_the_nearest_known_one,
        what_is_read_can_be_sent_back,
        an_empty_patch_changes_nothing,
        a_sent_object_is_whole_or_merged_by_content_type,
        a_merged_null_returns_to_the_default,
        control_and_its_attributes,
        linking_a_hypothesis_is_an_update_of_it,
    ],
}

const PATCH_FIELDS: [&str; 16] = [
    "test_name",
    "url",
    "variants",
    "variants_data_key",
    "control",
    "custom_js",
    "custom_css",
    "configuration",
    "targeting",
    "tags",
    "secondary_goal_keys",
    "primary_goal_key",
    "hypothesis_id",
    "builtin_metrics",
    "event_metrics",
    "plan",
];

/// A project with three goals, a hypothesis, and an experiment with a value in every field.
struct Rich {
    app: TestApp,
    shop: Client,
    id: i64,
    hypothesis_id: i64,
}

fn rich(on: On) -> Rich {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for key in ["a", "b", "c"] {
        shop.goal(key);
    }
    let hypothesis_id = shop.hypothesis(json!({ "observation": "O" }));
    let id = shop.experiment(json!({
        "test_name": "Rich",
        "variants": [
            { "name": "Variant 1", "nickname": "One", "customJS": "one()", "customCSS": ".one{}",
              "data": [{ "target": "#a", "innerText": "A", "kept": [1, null, { "x": 1.5 }] }] },
            { "name": "Variant 2", "nickname": "Two" },
        ],
        "control": { "nickname": "As is", "customJS": "c()", "customCSS": ".c{}" },
        "custom_js": "all()",
        "custom_css": ".all{}",
        "configuration": {
            "traffic_allocation": 80, "confidence_interval": 90, "start_test_date": "2026-04-01",
            "end_test_date": "2026-05-01T12:00:00+02:00", "is_autopilot": 1, "bayesian": 0,
            "distribution": { "Control": 50, "Variant 1": 25.5, "Variant 2": 24.5 },
            "dom_change_path": "observer", "trigger_variant_change": "history", "completion_visitor": 1000,
            "completion_conversion": 10, "completion_stats_significant_flag": 1, "completion_after_period": 14,
            "integration": [{ "kind": "ga4", "deep": { "x": [1] } }, "gtm"],
        },
        "targeting": {
            "device_rule": ["mobile", "desktop"],
            "parameter_rule": [[{ "criteria": "utm", "operator": "==", "value": "x" }]],
            "schedule_rule": { "schedule_groups": [{ "days": ["monday"], "time_ranges": [{ "start": "22:00", "end": "02:00" }] }] },
            "url_rule": [{ "url": "https://shop.example/*", "rule": "wildcard", "allowed": true }],
        },
        "tags": ["one", "two"],
        "primary_goal_key": "a",
        "secondary_goal_keys": ["c", "b"],
        "hypothesis_id": hypothesis_id,
        "builtin_metrics": ["engagement"],
        "event_metrics": ["scrolled"],
        "plan": { "mde": 1.5, "visitors": 20000 },
    }));
    app.pass(Duration::from_secs(1));
    Rich { app, shop, id, hypothesis_id }
}

impl Rich {
    fn path(&self) -> String {
        format!("/experiment/{}", self.id)
    }

    fn details(&self) -> Value {
        self.shop.details(self.id)
    }

    fn snapshot(&self) -> (Vec<u8>, String) {
        snapshot(&self.shop, self.id)
    }

    #[track_caller]
    fn patch(&self, body: Value) -> muriel_tests::Answer {
        self.shop.patch(&self.path(), body)
    }
}

fn one_unknown_goal_key_spoils_everything(on: On) {
    let rich = rich(on);
    let before = rich.snapshot();
    let history = rich.app.history(rich.id).len();
    let ten = json!({
        "test_name": "Changed", "url": "https://shop.example/changed", "variants": [{ "name": "Variant 1" }],
        "control": { "nickname": "Changed" }, "custom_js": "changed()", "custom_css": ".changed{}",
        "configuration": { "traffic_allocation": 1 }, "targeting": { "device_rule": ["tablet"] },
        "tags": ["changed"], "plan": { "mde": 9 }, "secondary_goal_keys": ["a", "nope", "b", "neither"],
    });
    for body in [ten.clone(), json!({ "secondary_goal_keys": ["nope", "a", "neither"] })] {
        let refused = rich.patch(body).refused(400, "invalid_field");
        let text = refused.text();
        assert!(text.contains("nope") && text.contains("neither"), "{text}");
        assert_eq!(refused.fields().len(), 2, "{text}");
        assert!(refused.fields().iter().all(|field| field.starts_with("secondary_goal_keys")), "{text}");
        assert_eq!(rich.snapshot(), before, "nothing was applied");
    }
    assert_eq!(rich.app.history(rich.id).len(), history);
    let mut good = ten;
    good["secondary_goal_keys"] = json!(["b"]);
    rich.patch(good).ok();
    let details = rich.details();
    assert_eq!((&details["test_name"], &details["secondary_goal_keys"]), (&json!("Changed"), &json!(["b"])));
}

fn good_values_read_back_as_sent(on: On) {
    let rich = rich(on);
    let long_url = format!("https://shop.example/{}", "a".repeat(2_048 - 21));
    let half_mebibyte = "é".repeat(256 << 10);
    let same = |field: &'static str, value: Value| (field, value.clone(), value);
    let configuration = |key: &str, value: Value| {
        let mut whole = json!({
            "traffic_allocation": 100, "confidence_interval": 95, "start_test_date": null, "end_test_date": null,
            "is_mab": 0, "is_autopilot": 0, "distribution": null, "bayesian": 1, "dom_change_path": null,
            "trigger_variant_change": null, "completion_visitor": 0, "completion_conversion": 0,
            "completion_stats_significant_flag": 0, "completion_after_period": 0, "integration": [],
        });
        whole[key] = value;
        whole
    };
    let mut cases = vec![
        same("test_name", json!("x")),
        same("test_name", json!("ß".repeat(255))),
        ("test_name", json!("  trimmed \n"), json!("trimmed")),
        ("test_name", json!(format!(" {} ", "x".repeat(255))), json!("x".repeat(255))),
        same("test_name", json!("<script>alert(1)</script> & \"quotes\" \u{1f600}")),
        same("url", json!("http://localhost:8080/a?b=c#d")),
        same("url", json!("https://shop.example")),
        same("url", json!(long_url)),
        same("custom_js", json!("")),
        same("custom_js", json!("// \u{2028} </script> \\ \t\n")),
        same("custom_js", json!(half_mebibyte)),
        same("custom_css", json!(".a{content:'\\201C'}")),
        same("tags", json!([])),
        same("tags", json!(["x".repeat(64), "ß", "a b"])),
        same("tags", json!((0..100).map(|n| n.to_string()).collect::<Vec<_>>())),
        same("secondary_goal_keys", json!([])),
        same("secondary_goal_keys", json!(["c", "a", "b"])),
        same("primary_goal_key", json!(null)),
        same("primary_goal_key", json!("c")),
        same("hypothesis_id", json!(null)),
        same("hypothesis_id", json!(rich.hypothesis_id)),
        same("builtin_metrics", json!([])),
        same("builtin_metrics", json!(["engagement", "bounce_rate"])),
        same("event_metrics", json!(["add to cart", "x".repeat(128)])),
        ("plan", json!({}), json!({ "mde": 2.0, "visitors": null })),
        same("plan", json!({ "mde": 0.1, "visitors": 1 })),
        ("plan", json!({ "visitors": null }), json!({ "mde": 2.0, "visitors": null })),
        ("control", json!({}), json!({ "nickname": "", "customJS": "", "customCSS": "" })),
        same("control", json!({ "nickname": "x".repeat(255), "customJS": "js", "customCSS": "css" })),
        ("configuration", json!({}), configuration("is_mab", json!(0))),
        ("configuration", json!({ "distribution": "equal" }), configuration("distribution", json!("equal"))),
        (
            "configuration",
            json!({ "start_test_date": "2026-04-01" }),
            configuration("start_test_date", json!("2026-04-01T00:00:00.000Z")),
        ),
        (
            "configuration",
            json!({ "start_test_date": "2026-04-01T10:30:00.123456+02:00" }),
            configuration("start_test_date", json!("2026-04-01T08:30:00.123Z")),
        ),
        (
            "configuration",
            json!({ "end_test_date": "2026-04-01T10:30:00Z" }),
            configuration("end_test_date", json!("2026-04-01T10:30:00.000Z")),
        ),
    ];
    for (key, values) in [
        ("traffic_allocation", vec![json!(0), json!(1), json!(100)]),
        ("confidence_interval", vec![json!(50), json!(99)]),
        ("is_mab", vec![json!(0), json!(1)]),
        ("is_autopilot", vec![json!(0), json!(1)]),
        ("bayesian", vec![json!(0), json!(1)]),
        ("completion_stats_significant_flag", vec![json!(0), json!(1)]),
        ("completion_visitor", vec![json!(0), json!(9_007_199_254_740_992_i64)]),
        ("completion_conversion", vec![json!(0), json!(1)]),
        ("completion_after_period", vec![json!(0), json!(365)]),
        ("start_test_date", vec![json!(null), json!("2026-04-01T00:00:00.000Z")]),
        ("end_test_date", vec![json!(null)]),
        ("dom_change_path", vec![json!(null), json!("observer")]),
        ("trigger_variant_change", vec![json!(null), json!("history")]),
        ("integration", vec![json!([]), json!([{ "any": { "thing": [true, null, 1.5] } }])]),
        ("distribution", vec![json!(null), json!({ "Control": 0, "Variant 1": 99.99, "Variant 2": 0.01 })]),
    ] {
        for value in values {
            cases.push(("configuration", json!({ key: value }), configuration(key, value)));
        }
    }
    for (field, sent, expect) in cases {
        let answer = rich.patch(json!({ field: sent }));
        assert_eq!(answer.status, 200, "{field}: {}", answer.text());
        assert_eq!(rich.details()[field], expect, "{field}");
    }
}

fn bad_values_are_named_and_change_nothing(on: On) {
    let rich = rich(on);
    let too_long = "x".repeat((512 << 10) + 1);
    let mut cases: Vec<(Value, &str)> = vec![];
    for (field, values) in [
        (
            "test_name",
            vec![
                json!(""),
                json!("hidden \u{202e}"),
                json!("  \t"),
                json!("ß".repeat(256)),
                json!(null),
                json!(1),
                json!([]),
            ],
        ),
        (
            "url",
            vec![
                json!(""),
                json!("shop.example"),
                json!("/checkout"),
                json!("//shop.example/"),
                json!("ftp://shop.example/"),
                json!("javascript:alert(1)"),
                json!("data:text/html,x"),
                json!("https://"),
                json!("https://user@shop.example/"),
                json!("https://user:password@shop.example/"),
                json!("https://shop.example/*"),
                json!("https://*.shop.example/"),
                json!("*"),
                json!("https://shop.example/?q=*"),
                json!(format!("https://shop.example/{}", "a".repeat(2_048 - 20))),
                json!(null),
                json!(1),
                json!({}),
            ],
        ),
        (
            "variants",
            vec![
                json!(null),
                json!([]),
                json!({}),
                json!("Variant 1"),
                (1..=51).map(|n| json!({ "name": format!("Variant {n}") })).collect(),
            ],
        ),
        ("variants_data_key", vec![json!("https://shop.example/other"), json!("*"), json!(null), json!(1), json!("")]),
        ("control", vec![json!(null), json!("x"), json!([]), json!(1)]),
        ("control_attr", vec![json!(null), json!("x"), json!("[]"), json!("{"), json!(""), json!(1), json!([])]),
        ("custom_js", vec![json!(null), json!(1), json!({}), json!([])]),
        ("custom_css", vec![json!(null), json!(1), json!(true)]),
        ("configuration", vec![json!(null), json!([]), json!("x"), json!(1)]),
        ("targeting", vec![json!(null), json!([]), json!("x")]),
        ("tags", vec![json!(null), json!("x"), json!({}), (0..101).map(|n| json!(n.to_string())).collect::<Value>()]),
        ("tags[1]", vec![json!(["x", ""]), json!(["x", " "]), json!(["x", 1]), json!(["x", "y".repeat(65)])]),
        ("tags[0]", vec![json!([null]), json!([["x"]])]),
        ("secondary_goal_keys", vec![json!(null), json!("a"), json!({})]),
        ("secondary_goal_keys[1]", vec![json!(["a", 1]), json!(["a", null]), json!(["a", "A"]), json!(["a", ""])]),
        ("primary_goal_key", vec![json!("nope"), json!(1), json!(""), json!([])]),
        ("hypothesis_id", vec![json!(0), json!(-1), json!(999_999), json!("1"), json!(1.0), json!(true), json!([])]),
        ("builtin_metrics", vec![json!(null), json!("engagement")]),
        ("builtin_metrics[0]", vec![json!(["bounce"]), json!([1])]),
        ("event_metrics", vec![json!(null), json!("x")]),
        ("event_metrics[0]", vec![json!([""]), json!([1]), json!(["x".repeat(129)])]),
        ("plan", vec![json!(null), json!([]), json!(2)]),
    ] {
        let name = field.split('[').next().expect("a field");
        cases.extend(values.into_iter().map(|value| (json!({ name: value }), field)));
    }
    let flags =
        || vec![json!(true), json!(false), json!("1"), json!(1.0), json!(0.0), json!(2), json!(-1), json!(null)];
    let counts = || vec![json!(-1), json!(1.0), json!("1"), json!(null), json!(true), json!([])];
    let dates = || {
        vec![
            json!("tomorrow"),
            json!(""),
            json!("2026-13-01"),
            json!("2026-02-30"),
            json!("2026-04-01T10:00:00"),
            json!("2026-04-01T25:00:00Z"),
            json!("01.04.2026"),
            json!(1_775_037_600),
            json!(true),
        ]
    };
    let three =
        |control: Value, one: Value, two: Value| json!({ "Control": control, "Variant 1": one, "Variant 2": two });
    for (key, field, values) in [
        (
            "traffic_allocation",
            "configuration.traffic_allocation",
            vec![json!(101), json!(-1), json!(50.0), json!(50.5), json!("50"), json!(null), json!(true), json!([50])],
        ),
        (
            "confidence_interval",
            "configuration.confidence_interval",
            vec![json!(49), json!(100), json!(95.0), json!("95"), json!(null)],
        ),
        ("is_mab", "configuration.is_mab", flags()),
        ("is_autopilot", "configuration.is_autopilot", flags()),
        ("bayesian", "configuration.bayesian", flags()),
        ("completion_stats_significant_flag", "configuration.completion_stats_significant_flag", flags()),
        ("completion_visitor", "configuration.completion_visitor", counts()),
        ("completion_conversion", "configuration.completion_conversion", counts()),
        ("completion_after_period", "configuration.completion_after_period", counts()),
        ("start_test_date", "configuration.start_test_date", dates()),
        ("end_test_date", "configuration.end_test_date", dates()),
        ("dom_change_path", "configuration.dom_change_path", vec![json!(1), json!({}), json!([])]),
        ("trigger_variant_change", "configuration.trigger_variant_change", vec![json!(1), json!(true)]),
        ("integration", "configuration.integration", vec![json!(null), json!({}), json!("x"), json!(1)]),
        (
            "distribution",
            "configuration.distribution",
            vec![
                json!(1),
                json!(true),
                json!([]),
                json!("even"),
                json!(""),
                json!("[]"),
                json!("{"),
                json!({}),
                json!({ "Control": 50, "Variant 1": 50 }),
                three(json!(50), json!(25), json!(24.99)),
                three(json!(100), json!(100), json!(100)),
                three(json!(0), json!(0), json!(0)),
            ],
        ),
        (
            "distribution",
            "configuration.distribution.Variant 1",
            vec![
                three(json!(50), json!(-25), json!(75)),
                three(json!(50), json!(25.125), json!(25)),
                three(json!(50), json!("25"), json!(25)),
                three(json!(50), json!(null), json!(50)),
                three(json!(50), json!(101), json!(0)),
            ],
        ),
        (
            "distribution",
            "configuration.distribution.Variant 3",
            vec![json!({ "Control": 25, "Variant 1": 25, "Variant 2": 25, "Variant 3": 25 })],
        ),
        (
            "distribution",
            "configuration.distribution.control",
            vec![json!({ "Control": 50, "control": 0, "Variant 1": 25, "Variant 2": 25 })],
        ),
    ] {
        cases.extend(values.into_iter().map(|value| (json!({ "configuration": { key: value } }), field)));
    }
    cases.extend([
        (
            json!({ "configuration": { "start_test_date": "2026-05-01", "end_test_date": "2026-05-01" } }),
            "configuration.end_test_date",
        ),
        (
            json!({ "configuration": { "start_test_date": "2026-05-02", "end_test_date": "2026-05-01" } }),
            "configuration.end_test_date",
        ),
        (json!({ "control": { "nickname": null } }), "control.nickname"),
        (json!({ "control": { "nickname": "x".repeat(256) } }), "control.nickname"),
        (json!({ "control": { "customJS": 1 } }), "control.customJS"),
        (json!({ "control": { "customCSS": [] } }), "control.customCSS"),
        (json!({ "control_attr": { "js": 1 } }), "control_attr.js"),
        (json!({ "control_attr": "{\"js\":1}" }), "control_attr.js"),
        (json!({ "plan": { "mde": 0 } }), "plan.mde"),
        (json!({ "plan": { "mde": -1 } }), "plan.mde"),
        (json!({ "plan": { "mde": "2" } }), "plan.mde"),
        (json!({ "plan": { "mde": null } }), "plan.mde"),
        (json!({ "plan": { "visitors": 1.5 } }), "plan.visitors"),
        (json!({ "plan": { "visitors": -1 } }), "plan.visitors"),
        (json!({ "plan": { "visitors": "many" } }), "plan.visitors"),
    ]);
    let variant =
        |key: &str, value: Value| json!({ "variants": [{ "name": "Variant 1" }, { "name": "Variant 2", key: value }] });
    cases.extend([
        (json!({ "variants": [null] }), "variants[0]"),
        (json!({ "variants": ["Variant 1"] }), "variants[0]"),
        (json!({ "variants": [{}] }), "variants[0].name"),
        (json!({ "variants": [{ "name": "Variant 2" }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": "Variant 0" }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": "variant 1" }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": "Variant 01" }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": " Variant 1" }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": "Variant  1" }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": 1 }] }), "variants[0].name"),
        (json!({ "variants": [{ "name": "Control" }] }), "variants[0].name"),
        (variant("name", json!("Variant 1")), "variants[1].name"),
        (variant("name", json!("Variant 3")), "variants[1].name"),
        (variant("nickname", json!(null)), "variants[1].nickname"),
        (variant("nickname", json!("ß".repeat(256))), "variants[1].nickname"),
        (variant("customJS", json!(null)), "variants[1].customJS"),
        (variant("customJS", json!(1)), "variants[1].customJS"),
        (variant("customJS", json!(too_long)), "variants[1].customJS"),
        (variant("customCSS", json!(too_long)), "variants[1].customCSS"),
        (variant("customCSS", json!({})), "variants[1].customCSS"),
        (variant("data", json!(null)), "variants[1].data"),
        (variant("data", json!({})), "variants[1].data"),
        (variant("data", json!("")), "variants[1].data"),
        (variant("data", json!([1])), "variants[1].data[0]"),
        (variant("targeting", json!({})), "variants[1].targeting"),
        (variant("targeting", json!({ "device_rule": ["mobile"] })), "variants[1].targeting"),
    ]);

    let before = rich.snapshot();
    for (body, field) in cases {
        let shown = body.to_string();
        let shown = &shown[..shown.floor_char_boundary(200)];
        let answer = rich.patch(body.clone());
        assert_eq!(answer.status, 400, "{shown} was answered {}", answer.text());
        let mut named = answer.fields();
        named.dedup();
        assert_eq!(named, [field], "{shown} was answered {}", answer.text());
        assert!(answer.text().len() < 4_096, "{shown} was answered with {} bytes", answer.text().len());
        assert_eq!(rich.snapshot(), before, "{shown} changed something");
    }
    let control = rich.patch(json!({ "variants": [{ "name": "Control" }] }));
    assert!(control.message("variants[0].name").contains("use the field control"), "{}", control.text());
    assert_eq!(rich.app.history(rich.id).len(), 1);
}

fn all_problems_are_told_at_once(on: On) {
    let rich = rich(on);
    let refused = rich.patch(json!({
        "test_name": "", "url": "*", "colour": 1, "configuration": { "bayesian": true, "completion_visitor": -1 },
        "tags": ["ok", 1, ""], "primary_goal_key": "nope",
    }));
    let mut fields = refused.refused(400, "invalid_field").fields().into_iter().map(str::to_owned).collect::<Vec<_>>();
    fields.sort();
    let mut expect = vec![
        "colour",
        "configuration.bayesian",
        "configuration.completion_visitor",
        "primary_goal_key",
        "tags[1]",
        "test_name",
        "url",
    ];
    // A tag that is not text prevents the check of the others.
    if fields.contains(&"tags[2]".to_owned()) {
        expect.push("tags[2]");
    }
    expect.sort_unstable();
    assert_eq!(fields, expect);
}

fn read_only_fields_name_the_operation_that_changes_them(on: On) {
    let rich = rich(on);
    rich.shop.set_status(rich.id, 1).ok();
    rich.shop.post(&format!("{}/serve-winner", rich.path()), json!({ "variant_id": "1" })).ok();
    let details = rich.details();
    let read_only: Vec<_> = keys(&details).into_iter().filter(|field| !PATCH_FIELDS.contains(field)).collect();
    for field in ["test_id", "status", "is_completed", "created_at", "updated_at", "epochs", "is_deploy", "hypothesis"]
    {
        assert!(read_only.contains(&field), "{field} is in {read_only:?}");
    }
    let before = rich.snapshot();
    for field in read_only {
        let refused = rich.patch(json!({ field: details[field], "test_name": "Other" })).invalid(&[field]);
        assert!(!refused.message(field).contains("not a known field"), "{field}: {}", refused.text());
        assert_eq!(rich.snapshot(), before, "{field}");
    }
    for (field, operation) in [
        ("status", "PATCH /experiment/{test_id}/status"),
        ("hypothesis", "PATCH /hypothesis/{hypothesis_id}"),
        ("primary_goal", "PATCH /goal/{goal_profile_id}"),
        ("serving_variant_id", "serve-winner"),
        ("is_deploy", "serve-winner"),
        ("serving_traffic_allocation", "serving-rollout"),
    ] {
        let refused = rich.patch(json!({ field: 1 })).invalid(&[field]);
        assert!(refused.message(field).contains(operation), "{field}: {}", refused.text());
    }
}

fn unknown_fields_are_named_with_the_nearest_known_one(on: On) {
    let rich = rich(on);
    let before = rich.snapshot();
    for (body, field, near) in [
        (json!({ "testname": "x" }), "testname", Some("test_name")),
        (json!({ "tets_name": "x" }), "tets_name", Some("test_name")),
        (json!({ "customJs": "x" }), "customJs", Some("custom_js")),
        (json!({ "secondary_goals_keys": [] }), "secondary_goals_keys", Some("secondary_goal_keys")),
        (json!({ "colour": "x" }), "colour", None),
        (json!({ "": "x" }), "[\"\"]", None),
        (json!({ "plan": { "": "x" } }), "plan[\"\"]", None),
        (json!({ "test name": "x" }), "[\"test name\"]", Some("test_name")),
        (
            json!({ "configuration": { "trafficAllocation": 1 } }),
            "configuration.trafficAllocation",
            Some("traffic_allocation"),
        ),
        (json!({ "configuration": { "bayesien": 1 } }), "configuration.bayesien", Some("bayesian")),
        (json!({ "control": { "custom_js": "" } }), "control.custom_js", Some("customJS")),
        (json!({ "control": { "name": "" } }), "control.name", None),
        (json!({ "control_attr": { "nickname": "" } }), "control_attr.nickname", None),
        (json!({ "targeting": { "device_rules": [] } }), "targeting.device_rules", Some("device_rule")),
        (json!({ "targeting": { "browser": [] } }), "targeting.browser", None),
        (json!({ "variants": [{ "name": "Variant 1", "nickName": "" }] }), "variants[0].nickName", Some("nickname")),
        (json!({ "variants": [{ "name": "Variant 1", "customjs": "" }] }), "variants[0].customjs", Some("customJS")),
        (json!({ "variants": [{ "name": "Variant 1", "id": 1 }] }), "variants[0].id", None),
        (json!({ "plan": { "mda": 1 } }), "plan.mda", Some("mde")),
    ] {
        let refused = rich.patch(body.clone()).invalid(&[field]);
        if let Some(near) = near {
            assert!(refused.message(field).contains(&format!("\"{near}\"")), "{body}: {}", refused.text());
        }
        assert_eq!(rich.snapshot(), before, "{body}");
    }
    let long = "x".repeat(1 << 20);
    for body in [
        json!({ long.as_str(): 1 }),
        json!({ "configuration": { long.as_str(): 1 } }),
        json!({ "configuration": { "distribution": { long.as_str(): 1 } } }),
        json!({ "secondary_goal_keys": [long] }),
        json!({ "primary_goal_key": long }),
        json!({ "variants_data_key": long }),
        json!({ "builtin_metrics": [long] }),
    ] {
        let refused = rich.patch(body).refused(400, "invalid_field");
        assert!(refused.bytes.len() < 4_096, "{} bytes", refused.bytes.len());
    }
}

fn what_is_read_can_be_sent_back(on: On) {
    let rich = rich(on);
    let before = rich.snapshot();
    let details = rich.details();
    let mut whole = json!({});
    for field in PATCH_FIELDS {
        whole[field] = details[field].clone();
        rich.patch(json!({ field: details[field] })).ok();
        assert_eq!(rich.snapshot(), before, "{field}");
        rich.shop.merge(&rich.path(), json!({ field: details[field] })).ok();
        assert_eq!(rich.snapshot(), before, "{field}, merged");
    }
    rich.patch(whole.clone()).ok();
    assert_eq!(rich.snapshot(), before, "all at once");
    rich.shop.merge(&rich.path(), whole.clone()).ok();
    assert_eq!(rich.snapshot(), before, "all at once, merged");
    assert_eq!(rich.app.history(rich.id).len(), 1);

    // Reading, editing and sending back changes only the edited fields.
    whole["configuration"]["traffic_allocation"] = json!(10);
    whole["variants"][1]["nickname"] = json!("Zwei");
    rich.patch(whole.clone()).ok();
    let after = rich.details();
    for field in PATCH_FIELDS {
        assert_eq!(after[field], whole[field], "{field}");
    }
}

fn an_empty_patch_changes_nothing(on: On) {
    let rich = rich(on);
    let before = rich.snapshot();
    let answer = rich.patch(json!({}));
    assert_eq!(answer.etag(), before.1);
    assert_eq!(answer.ok(), json!({ "success": true, "test_id": rich.id }));
    rich.shop.merge(&rich.path(), json!({})).ok();
    rich.shop.merge(&rich.path(), json!({ "configuration": {}, "targeting": {}, "control": {}, "plan": {} })).ok();
    assert_eq!(rich.snapshot(), before);
    for nothing in ["", " ", "\n"] {
        let call = rich.shop.call("PATCH", &rich.path()).body(nothing);
        call.send().refused(400, "malformed_body");
    }
    for none in ["null", "[]", "\"\"", "1", "true", "[{}]"] {
        let call = rich.shop.call("PATCH", &rich.path()).body(none);
        call.send().has_status(400);
    }
    assert_eq!(rich.snapshot(), before);
}

fn a_sent_object_is_whole_or_merged_by_content_type(on: On) {
    let rich = rich(on);
    let before = rich.details();
    // A merge changes only the given key.
    rich.shop.merge(&rich.path(), json!({ "configuration": { "traffic_allocation": 7 } })).ok();
    let mut expect = before["configuration"].clone();
    expect["traffic_allocation"] = json!(7);
    assert_eq!(rich.details()["configuration"], expect);

    rich.shop
        .merge(&rich.path(), json!({ "configuration": { "distribution": { "Control": 49.5, "Variant 2": 25 } } }))
        .ok();
    expect["distribution"] = json!({ "Control": 49.5, "Variant 1": 25.5, "Variant 2": 25 });
    assert_eq!(rich.details()["configuration"], expect);
    rich.shop
        .merge(&rich.path(), json!({ "configuration": { "distribution": { "Control": 50 } } }))
        .invalid(&["configuration.distribution"]);
    rich.shop
        .merge(&rich.path(), json!({ "configuration": { "distribution": { "Control": null } } }))
        .invalid(&["configuration.distribution"]);
    assert_eq!(rich.details()["configuration"], expect);

    rich.shop.merge(&rich.path(), json!({ "control": { "nickname": "Other" } })).ok();
    assert_eq!(rich.details()["control"], json!({ "nickname": "Other", "customJS": "c()", "customCSS": ".c{}" }));
    rich.shop.merge(&rich.path(), json!({ "targeting": { "device_rule": ["tablet"] } })).ok();
    let mut targeting = before["targeting"].clone();
    targeting["device_rule"] = json!(["tablet"]);
    assert_eq!(rich.details()["targeting"], targeting);
    rich.shop.merge(&rich.path(), json!({ "plan": { "visitors": 5 } })).ok();
    assert_eq!(rich.details()["plan"], json!({ "mde": 1.5, "visitors": 5 }));
    // Arrays are not objects: they are replaced as a whole in both forms.
    rich.shop.merge(&rich.path(), json!({ "variants": [{ "name": "Variant 1" }] })).ok();
    assert_eq!(
        rich.details()["variants"],
        json!([{ "name": "Variant 1", "nickname": "", "customJS": "", "customCSS": "", "data": [] }])
    );

    // In an object that is sent whole, omitted fields return to their defaults.
    rich.patch(json!({
        "configuration": { "traffic_allocation": 7 }, "control": { "nickname": "C" },
        "targeting": { "os_rule": ["ios"] }, "plan": { "visitors": 6 },
    }))
    .ok();
    let after = rich.details();
    assert_eq!(after["configuration"]["traffic_allocation"], 7);
    assert_eq!(after["configuration"]["confidence_interval"], 95);
    assert_eq!(after["configuration"]["distribution"], json!(null));
    assert_eq!(after["configuration"]["integration"], json!([]));
    assert_eq!(after["control"], json!({ "nickname": "C", "customJS": "", "customCSS": "" }));
    assert_eq!(after["targeting"]["device_rule"], json!([]));
    assert_eq!(after["targeting"]["schedule_rule"], json!(null));
    assert_eq!(after["targeting"]["os_rule"], json!(["ios"]));
    assert_eq!(after["plan"], json!({ "mde": 2.0, "visitors": 6 }));
    for untouched in ["test_name", "custom_js", "tags", "secondary_goal_keys", "primary_goal_key", "event_metrics"] {
        assert_eq!(after[untouched], before[untouched], "{untouched}");
    }
}

fn a_merged_null_returns_to_the_default(on: On) {
    let rich = rich(on);
    let fresh = rich.shop.experiment(json!({ "variants": [{ "name": "Variant 1" }, { "name": "Variant 2" }] }));
    let defaults = rich.shop.details(fresh);
    let before = rich.snapshot();
    let without_default = ["test_name", "url", "variants", "variants_data_key"];
    for field in without_default {
        rich.shop.merge(&rich.path(), json!({ field: null })).invalid(&[field]);
        assert_eq!(rich.snapshot(), before, "{field}");
    }
    for object in ["configuration", "targeting", "control", "plan"] {
        let names: Vec<_> = keys(&defaults[object]).into_iter().map(str::to_owned).collect();
        for key in names {
            rich.shop.merge(&rich.path(), json!({ object: { key.as_str(): null } })).ok();
            assert_eq!(rich.details()[object][&key], defaults[object][&key], "{object}.{key}");
        }
        assert_eq!(rich.details()[object], defaults[object], "{object}");
    }
    let rich = self::rich(on);
    for field in PATCH_FIELDS.into_iter().filter(|field| !without_default.contains(field)) {
        rich.shop.merge(&rich.path(), json!({ field: null })).ok();
        assert_eq!(rich.details()[field], defaults[field], "{field}");
    }
    assert_eq!(rich.details()["test_name"], "Rich");
}

fn control_and_its_attributes(on: On) {
    let rich = rich(on);
    let read = || rich.details()["control"].clone();
    let control =
        |nickname: &str, js: &str, css: &str| json!({ "nickname": nickname, "customJS": js, "customCSS": css });
    rich.patch(json!({ "control_attr": { "name": "N", "js": "j()", "css": ".c{}" } })).ok();
    assert_eq!(read(), control("N", "j()", ".c{}"));
    rich.patch(json!({ "control_attr": "{ \"name\": \"M\", \"js\": \"k()\" }" })).ok();
    assert_eq!(read(), control("M", "k()", ""));
    rich.shop.merge(&rich.path(), json!({ "control_attr": { "css": ".d{}" } })).ok();
    assert_eq!(read(), control("M", "k()", ".d{}"));
    rich.patch(json!({ "control_attr": {} })).ok();
    assert_eq!(read(), control("", "", ""));
    rich.patch(json!({ "control": { "nickname": "A" }, "control_attr": { "name": "B" } })).invalid(&["control_attr"]);
    for twice in ["{\"js\":\"a\",\"js\":\"b\"}", "{\"name\":\"\\u0000\"}"] {
        rich.patch(json!({ "control_attr": twice })).invalid(&["control_attr"]);
    }
    assert_eq!(read(), control("", "", ""));
    let id = rich.shop.experiment(json!({ "control_attr": { "name": "At creation" } }));
    assert_eq!(rich.shop.details(id)["control"], control("At creation", "", ""));
}

fn linking_a_hypothesis_is_an_update_of_it(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    let elsewhere = blog.hypothesis(json!({ "problem": "P" }));
    let idea = shop.hypothesis(json!({ "observation": "O", "problem": "", "solution": "S", "confidence": 5 }));
    let other = shop.hypothesis(json!({ "problem": "P" }));
    let read = |id: i64| shop.get(&format!("/hypothesis/{id}")).ok()["hypothesis"].clone();
    let second = |n: i64| format!("2026-03-01T10:00:0{n}.000Z");

    app.pass(Duration::from_secs(1));
    let first = shop.experiment(json!({ "hypothesis_id": idea }));
    assert_eq!(read(idea)["linked_test_ids"], json!([first]));
    assert_eq!(read(idea)["updated_at"], second(1));
    assert_eq!(
        shop.details(first)["hypothesis"],
        json!({ "hypothesis_id": idea, "observation": "O", "solution": "S" }),
        "blank texts and ratings are left out"
    );

    app.pass(Duration::from_secs(1));
    let next = shop.experiment(json!({}));
    shop.patch(&format!("/experiment/{next}"), json!({ "hypothesis_id": idea })).ok();
    assert_eq!(read(idea)["linked_test_ids"], json!([first, next]));
    assert_eq!(read(idea)["updated_at"], second(2));

    app.pass(Duration::from_secs(1));
    shop.patch(&format!("/experiment/{next}"), json!({ "hypothesis_id": idea, "test_name": "Again" })).ok();
    assert_eq!(read(idea)["updated_at"], second(2), "it was linked already");
    shop.patch(&format!("/experiment/{next}"), json!({ "hypothesis_id": other })).ok();
    assert_eq!(read(other)["updated_at"], second(3));
    assert_eq!(read(idea)["linked_test_ids"], json!([first]));
    assert_eq!(read(other)["linked_test_ids"], json!([next]));

    shop.patch(&format!("/experiment/{next}"), json!({ "hypothesis_id": elsewhere })).invalid(&["hypothesis_id"]);
    shop.patch(&format!("/experiment/{next}"), json!({ "hypothesis_id": null })).ok();
    let details = shop.details(next);
    assert_eq!((details.get("hypothesis"), &details["hypothesis_id"]), (None, &json!(null)));
    assert_eq!(read(other)["linked_test_ids"], json!([]));
    shop.delete(&format!("/experiment/{first}")).ok();
    assert_eq!(read(idea)["linked_test_ids"], json!([]));
}

fn lists_keep_their_order_and_count_duplicates_once(on: On) {
    let rich = rich(on);
    for (field, sent, expect) in [
        ("secondary_goal_keys", json!(["b", "a", "b", "c", "a"]), json!(["b", "a", "c"])),
        ("tags", json!(["y", "x", "y"]), json!(["y", "x"])),
        ("event_metrics", json!(["y", "x", "y"]), json!(["y", "x"])),
        ("builtin_metrics", json!(["engagement", "bounce_rate", "engagement"]), json!(["engagement", "bounce_rate"])),
    ] {
        rich.patch(json!({ field: sent })).ok();
        assert_eq!(rich.details()[field], expect, "{field}");
    }
    // This field controls goals only; built-in metrics and raw events stay.
    rich.patch(json!({ "secondary_goal_keys": [] })).ok();
    let details = rich.details();
    assert_eq!(details["secondary_goal_keys"], json!([]));
    assert_eq!(details["builtin_metrics"], json!(["engagement", "bounce_rate"]));
    assert_eq!(details["event_metrics"], json!(["y", "x"]));
    assert_eq!(details["primary_goal_key"], "a");
}
