//! Checks that `muriel-doctor`, which reads the script and the snippet on pages, recognises them.

use super::tests::document;
use super::{Mount, RUNTIME, ScriptSettings, compose, snippet};
use crate::site::Site;
use muriel_doctor::{DeliveredScript, is_snippet};
use muriel_domain::experiment::Change;
use serde_json::json;

#[test]
fn contents_of_a_script_can_be_read_back() {
    let site = Site { page_api: "shop".parse().unwrap(), visitor_prefix: "/x".parse().unwrap() };
    let beside = ScriptSettings {
        settings: serde_json::from_value(json!({ "base": "https://m.example" })).unwrap(),
        ..ScriptSettings::default()
    };
    let html = json!({ "refEl": "h1", "dir": "a", "htmlBlock": "</script>\u{2028}" });
    for (fields, under, live, with_code, with_html, base, events) in [
        (json!({}), Mount::Root, 1, 0, 0, "https://m.example", "/events/prj_1"),
        (json!({ "live": false }), Mount::Prefix, 0, 0, 0, "", "/x/events/prj_1"),
        (json!({ "variants": [{ "data": [html] }] }), Mount::Prefix, 1, 0, 1, "", "/x/events/prj_1"),
        (json!({ "variants": [{ "customJS": "for (;;) a()" }] }), Mount::Prefix, 1, 1, 0, "", "/x/events/prj_1"),
        (
            json!({ "custom_js": "a()", "targeting": { "url_rule": [], "__proto__": 1 } }),
            Mount::Prefix,
            1,
            1,
            0,
            "",
            "/x/events/prj_1",
        ),
    ] {
        let script = compose(&document(fields.clone()), &beside, &site, under);
        let expect = DeliveredScript {
            project_key: "prj_1".to_owned(),
            live,
            served: 1 - live,
            goals: 0,
            with_code,
            with_html,
            base: base.to_owned(),
            events: events.to_owned(),
            page_api: "shop".to_owned(),
        };
        assert_eq!(DeliveredScript::read(&script), Some(expect), "{fields}");
    }
}

/// The doctor counts experiments with HTML by the keys of changes that insert HTML.
#[test]
fn html_is_found_by_its_keys() {
    for key in Change::keys() {
        let fields = json!({ "variants": [{ "data": [{ "target": "h1", key: "x" }] }] });
        let script = compose(&document(fields), &ScriptSettings::default(), &Site::default(), Mount::Root);
        let found = DeliveredScript::read(&script).unwrap();
        assert_eq!(found.with_html == 1, key.ends_with("HTML") || key == "htmlBlock", "{key}");
    }
}

#[test]
fn only_a_whole_script_can_be_read() {
    let script = compose(&document(json!({})), &ScriptSettings::default(), &Site::default(), Mount::Root);
    // Cut within the settings.
    let cut = &script[..script.rfind("\"prefix\"").unwrap()];
    let (_, code) = cut.split_once('\n').unwrap();
    for (text, is_script) in [
        ("", false),
        ("<!doctype html>", false),
        ("// a comment\n(function(a,b,c){", false),
        (cut, true),
        (code, true),
        (RUNTIME, true),
    ] {
        assert_eq!((DeliveredScript::is_script(text), DeliveredScript::read(text)), (is_script, None), "{text:.40}");
    }
}

#[test]
fn the_snippet_is_known() {
    let snippet = snippet("muriel", "[data-muriel]");
    assert!(is_snippet(&snippet) && snippet.contains("[\"muriel\"]"));
    assert!(!is_snippet(&format!("(function(RULESET,SETTINGS,PARTS){{{snippet}}})")));
}
