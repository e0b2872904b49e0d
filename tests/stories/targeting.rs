//! Targeting: valid rules are read back as sent, invalid ones are named with their place.

use muriel_tests::{On, stories};
use serde_json::{Value, json};

stories! {
    always: [
        good_rules_read_back_as_sent,
        what_has_a_default_reads_back_with_it,
    ],
    postgres_at_night: [
        bad_rules_are_named_with_their_place,
    ],
}

const OPERATORS_WITH_TEXT: [&str; 4] = ["==", "!=", "**", "!*"];
const OPERATORS_WITH_A_NUMBER: [&str; 12] =
    ["gt", "gte", "lt", "lte", ">", ">=", "<", "<=", "days_gt", "days_gte", "days_lt", "days_lte"];
const OPERATORS_ALONE: [&str; 4] = ["ex", "nx", "bt", "bf"];

fn every_operator(criteria: &str) -> Value {
    let with = |operator: &&str, value: &str| json!({ "criteria": criteria, "operator": operator, "value": value });
    let text = OPERATORS_WITH_TEXT.iter().map(|operator| with(operator, "x"));
    let number = OPERATORS_WITH_A_NUMBER.iter().map(|operator| with(operator, "3.5"));
    let alone = OPERATORS_ALONE.iter().map(|operator| json!({ "criteria": criteria, "operator": operator }));
    json!([text.chain(number).collect::<Vec<_>>(), alone.collect::<Vec<_>>()])
}

fn good_rules_read_back_as_sent(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    let fresh = shop.details(id)["targeting"].clone();
    let rules = json!({
        "referral_rule": [
            [{ "criteria": "host", "operator": "==", "value": "search.example" }, { "criteria": "url", "operator": "**", "value": "/ads" }],
            [{ "criteria": "source", "operator": "!=", "value": "email" }],
        ],
        "allowed_country": [
            { "name": "Germany", "code": "DE", "rule": "whitelist" }, { "name": "France", "code": "FR", "rule": "blacklist" },
        ],
        "allowed_region": [{ "name": "California (US)", "rule": "equal" }, { "name": "Bayern (DE)", "rule": "notEqual" }],
        "allowed_city": [{ "name": "Berlin (Berlin)", "rule": "equal" }],
        "device_rule": ["tablet", "desktop", "mobile"],
        "browser_rule": ["opera", "chrome", "safari", "firefox", "edge", "ie"],
        "os_rule": ["android", "windows", "macOS", "linux", "chromeOS", "ios"],
        "user_rule": ["new"],
        "browser_language_rule": ["en", "pt-BR", "zh-Hant-TW"],
        "segment_rule": every_operator("plan"),
        "parameter_rule": every_operator("utm_source"),
        "cookie_rule": every_operator("seen"),
        "event_rule": [
            { "rule": "equal", "name": "signup", "attributes": [[{ "key": "a", "operand": "==", "value": "x" },
              { "key": "b", "operand": "gt", "value": 3 }], [{ "key": "c", "operand": "ex" }]], "min_count": 2, "timeframe_days": 30 },
            { "rule": "notEqual", "name": "refund", "attributes": [], "min_count": 1, "timeframe_days": 0 },
        ],
        "ga4_rule": ["Buyers", "Käufer"],
        "schedule_rule": { "schedule_groups": [
            { "days": ["monday", "sunday"], "time_ranges": [{ "start": "09:00", "end": "17:30" }, { "start": "22:00", "end": "02:00" }] },
            { "days": ["friday"], "time_ranges": [] },
        ] },
        "url_rule": [
            { "url": "https://shop.example/a", "rule": "simple", "allowed": true },
            { "url": "https://shop.example/b?x=1", "rule": "exact", "allowed": false },
            { "url": "/checkout", "rule": "contain", "allowed": true },
            { "url": "https://*.shop.example/*", "rule": "wildcard", "allowed": true },
            { "url": "^https://shop\\.example/[0-9]+$", "rule": "regex", "allowed": false },
        ],
    });
    for (key, rule) in rules.as_object().expect("rules") {
        shop.patch(&path, json!({ "targeting": { key: rule } })).ok();
        let mut expect = fresh.clone();
        expect[key] = rule.clone();
        assert_eq!(shop.details(id)["targeting"], expect, "{key}");
    }
    assert_eq!(rules.as_object().map(serde_json::Map::len), fresh.as_object().map(serde_json::Map::len));
    shop.patch(&path, json!({ "targeting": rules })).ok();
    let read = shop.details(id)["targeting"].clone();
    for (key, rule) in rules.as_object().expect("rules") {
        assert_eq!(&read[key], rule, "{key} among all");
    }
    let etag = shop.etag(id);
    shop.patch(&path, json!({ "targeting": read })).ok();
    assert_eq!(shop.etag(id), etag);
    shop.patch(&path, json!({ "targeting": {} })).ok();
    assert_eq!(shop.details(id)["targeting"], fresh);
}

fn what_has_a_default_reads_back_with_it(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    for (key, sent, expect) in [
        ("user_rule", json!("returning"), json!("returning")),
        ("user_rule", json!([]), json!([])),
        ("schedule_rule", json!(null), json!(null)),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [] }]),
            json!([{ "rule": "equal", "name": "x", "attributes": [], "min_count": 1, "timeframe_days": 0 }]),
        ),
        (
            "url_rule",
            json!([{ "url": "/a", "rule": "contain" }]),
            json!([{ "url": "/a", "rule": "contain", "allowed": true }]),
        ),
        (
            "cookie_rule",
            json!([[{ "criteria": "a", "operator": "ex", "value": "ignored" }, { "criteria": "b", "operator": "bf", "value": null }]]),
            json!([[{ "criteria": "a", "operator": "ex" }, { "criteria": "b", "operator": "bf" }]]),
        ),
    ] {
        shop.patch(&path, json!({ "targeting": { key: sent } })).ok();
        assert_eq!(shop.details(id)["targeting"][key], expect, "{key}");
    }
}

fn bad_rules_are_named_with_their_place(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "targeting": { "device_rule": ["mobile"] } }));
    let path = format!("/experiment/{id}");
    let before = shop.get(&path).bytes;
    let condition = |key: &str, value: Value| {
        let mut item = json!({ "criteria": "host", "operator": "==", "value": "x" });
        if value == json!("absent") {
            item.as_object_mut().expect("an item").remove(key);
        } else {
            item[key] = value;
        }
        json!([[{ "criteria": "url", "operator": "ex" }, item]])
    };
    let mut cases = vec![
        ("allowed_country", json!({}), ""),
        ("allowed_country", json!(null), ""),
        ("allowed_country", json!("DE"), ""),
        ("allowed_country", json!(["DE"]), "[0]"),
        ("allowed_country", json!([{ "code": "DE", "rule": "whitelist" }]), "[0].name"),
        ("allowed_country", json!([{ "name": "Germany", "rule": "whitelist" }]), "[0].code"),
        ("allowed_country", json!([{ "name": "Germany", "code": "DE" }]), "[0].rule"),
        ("allowed_country", json!([{ "name": "Germany", "code": "de", "rule": "whitelist" }]), "[0].code"),
        ("allowed_country", json!([{ "name": "Germany", "code": "DEU", "rule": "whitelist" }]), "[0].code"),
        ("allowed_country", json!([{ "name": "Nowhere", "code": "XX", "rule": "whitelist" }]), "[0].code"),
        ("allowed_country", json!([{ "name": "Germany", "code": "DE", "rule": "equal" }]), "[0].rule"),
        ("allowed_country", json!([{ "name": "Germany", "code": "DE", "rule": "whitelist", "x": 1 }]), "[0].x"),
        ("allowed_region", json!([{ "name": "Bayern", "rule": "whitelist" }]), "[0].rule"),
        ("allowed_region", json!([{ "rule": "equal" }]), "[0].name"),
        ("allowed_region", json!(["Bayern"]), "[0]"),
        ("allowed_city", json!([{ "name": "Berlin" }]), "[0].rule"),
        ("allowed_city", json!([{ "name": 1, "rule": "equal" }]), "[0].name"),
        ("device_rule", json!("mobile"), ""),
        ("device_rule", json!(["mobile", "phone"]), "[1]"),
        ("device_rule", json!(["Mobile"]), "[0]"),
        ("device_rule", json!([1]), "[0]"),
        ("browser_rule", json!(["netscape"]), "[0]"),
        ("os_rule", json!(["macos"]), "[0]"),
        ("user_rule", json!("old"), ""),
        ("user_rule", json!(["new", "returning"]), ""),
        ("user_rule", json!(null), ""),
        ("user_rule", json!([1]), ""),
        ("browser_language_rule", json!(["en_GB"]), "[0]"),
        ("browser_language_rule", json!([""]), "[0]"),
        ("browser_language_rule", json!("en"), ""),
        ("ga4_rule", json!([""]), "[0]"),
        ("ga4_rule", json!([1]), "[0]"),
        ("ga4_rule", json!(null), ""),
        ("event_rule", json!([{ "name": "x", "attributes": [] }]), "[0].rule"),
        ("event_rule", json!([{ "rule": "equal", "attributes": [] }]), "[0].name"),
        ("event_rule", json!([{ "rule": "equal", "name": "x" }]), "[0].attributes"),
        ("event_rule", json!([{ "rule": "is", "name": "x", "attributes": [] }]), "[0].rule"),
        ("event_rule", json!([{ "rule": "equal", "name": "x", "attributes": {} }]), "[0].attributes"),
        ("event_rule", json!([{ "rule": "equal", "name": "x", "attributes": [], "min_count": 0 }]), "[0].min_count"),
        ("event_rule", json!([{ "rule": "equal", "name": "x", "attributes": [], "min_count": "1" }]), "[0].min_count"),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [], "timeframe_days": -1 }]),
            "[0].timeframe_days",
        ),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [[{ "operand": "==", "value": 1 }]] }]),
            "[0].attributes[0][0].key",
        ),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [[{ "key": "a", "value": 1 }]] }]),
            "[0].attributes[0][0].operand",
        ),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [[{ "key": "a", "operand": "==" }]] }]),
            "[0].attributes[0][0].value",
        ),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [[{ "key": "a", "operand": "gt", "value": "many" }]] }]),
            "[0].attributes[0][0].value",
        ),
        (
            "event_rule",
            json!([{ "rule": "equal", "name": "x", "attributes": [[{ "key": "a", "operand": "==", "value": [1] }]] }]),
            "[0].attributes[0][0].value",
        ),
        ("url_rule", json!([{ "url": "/a", "rule": "equal" }]), "[0].rule"),
        ("url_rule", json!([{ "url": "/a" }]), "[0].rule"),
        ("url_rule", json!([{ "rule": "contain" }]), "[0].url"),
        ("url_rule", json!([{ "url": "", "rule": "contain" }]), "[0].url"),
        ("url_rule", json!([{ "url": "(?<=look)", "rule": "regex" }]), "[0].url"),
        ("url_rule", json!([{ "url": "(", "rule": "regex" }]), "[0].url"),
        ("url_rule", json!([{ "url": "/a", "rule": "contain", "allowed": 1 }]), "[0].allowed"),
        ("schedule_rule", json!([]), ""),
        ("schedule_rule", json!({}), ".schedule_groups"),
        ("schedule_rule", json!({ "schedule_groups": [{ "days": ["monday"] }] }), ".schedule_groups[0].time_ranges"),
        ("schedule_rule", json!({ "schedule_groups": [{ "time_ranges": [] }] }), ".schedule_groups[0].days"),
        (
            "schedule_rule",
            json!({ "schedule_groups": [{ "days": ["Monday"], "time_ranges": [] }] }),
            ".schedule_groups[0].days[0]",
        ),
        (
            "schedule_rule",
            json!({ "schedule_groups": [{ "days": [], "time_ranges": [{ "start": "9:00", "end": "10:00" }] }] }),
            ".schedule_groups[0].time_ranges[0].start",
        ),
        (
            "schedule_rule",
            json!({ "schedule_groups": [{ "days": [], "time_ranges": [{ "start": "09:00", "end": "25:00" }] }] }),
            ".schedule_groups[0].time_ranges[0].end",
        ),
        (
            "schedule_rule",
            json!({ "schedule_groups": [{ "days": [], "time_ranges": [{ "start": "09:00" }] }] }),
            ".schedule_groups[0].time_ranges[0].end",
        ),
        ("referral_rule", condition("criteria", json!("path")), "[0][1].criteria"),
    ];
    for key in ["parameter_rule", "cookie_rule", "segment_rule", "referral_rule"] {
        cases.extend([
            (key, json!({}), ""),
            (key, json!([{ "criteria": "host", "operator": "==", "value": "x" }]), "[0]"),
            (key, json!([["x"]]), "[0][0]"),
            (key, condition("criteria", json!("absent")), "[0][1].criteria"),
            (key, condition("criteria", json!("")), "[0][1].criteria"),
            (key, condition("criteria", json!(1)), "[0][1].criteria"),
            (key, condition("operator", json!("absent")), "[0][1].operator"),
            (key, condition("operator", json!("=")), "[0][1].operator"),
            (key, condition("operator", json!("contains")), "[0][1].operator"),
            (key, condition("operator", json!("days_lt")), "[0][1].value"),
            (key, condition("value", json!("absent")), "[0][1].value"),
            (key, condition("value", json!(1)), "[0][1].value"),
            (key, condition("value", json!(null)), "[0][1].value"),
            (key, condition("extra", json!(1)), "[0][1].extra"),
        ]);
    }
    for (key, rule, place) in cases {
        let field = format!("targeting.{key}{place}");
        shop.patch(&path, json!({ "targeting": { key: rule } })).invalid(&[field.as_str()]);
        assert_eq!(shop.get(&path).bytes, before, "{key} {rule}");
    }
    for key in ["geo_rule", "Device_rule", "weather"] {
        shop.patch(&path, json!({ "targeting": { key: [] } })).invalid(&[format!("targeting.{key}").as_str()]);
    }
}
