//! Query parameters that an operation does not have.

use crate::scene::good_body;
use muriel_tests::{Contract, On, stories};
use serde_json::json;
use std::collections::BTreeSet;

stories! {
    postgres_at_night: [
        unknown_parameters_are_refused,
    ],
}

/// Operations that accept unknown parameters, with the reason.
const OPEN: [(&str, &str); 12] = [
    ("listExperiments", "the interface ignores them"),
    ("listHypotheses", "the interface ignores them"),
    ("explainAssignment", "the visitor's context has arbitrary names"),
    ("finishOidcSignIn", "providers add their own"),
    ("getRuleset", "caches and proxies add some"),
    ("getPreview", "caches and proxies add some"),
    ("reportPreview", "caches and proxies add some"),
    ("getGeography", "caches and proxies add some"),
    ("sendEvents", "a refused event is lost"),
    ("getScript", "pages add a version to avoid caches"),
    ("getScriptTypes", "pages add a version to avoid caches"),
    ("getScriptPart", "pages add a version to avoid caches"),
];

fn unknown_parameters_are_refused(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let key = shop.outside();
    let owner = app.signed_in_as(&shop, "owner").outside();
    let anyone = key.with_key(None);
    let mut open = BTreeSet::new();
    for operation in &Contract::get().operations {
        let client = match operation.callers.as_str() {
            "session" => &owner,
            "" if !operation.is_public() => &key,
            _ => &anyone,
        };
        // The parameters are checked before the body, and before anything that a path names is looked for.
        let path = operation.path.replace("{project_key}", &shop.project_key).replace(['{', '}'], "");
        let request = client.call(&operation.method, &format!("{path}?nonsense=1"));
        let answer = if operation.takes_body { request.json(json!({})).send() } else { request.send() };
        let is_refused = answer.status == 400 && answer.text().contains("nonsense is not a parameter");
        if !is_refused {
            open.insert(operation.id.as_str());
        }
    }
    let expected = OPEN.iter().map(|(id, _)| *id).collect();
    let differences: Vec<_> = open.symmetric_difference(&expected).collect();
    assert!(differences.is_empty(), "{differences:?}");
    // A key is of a program, whose author can read the answer.
    let events = format!("/events/{}?nonsense=1", shop.project_key);
    let body = good_body(Contract::get().operation("sendEvents")).expect("a body");
    key.post(&events, body.clone()).refused(400, "invalid_parameter");
    anyone.post(&events, body).ok();
}
