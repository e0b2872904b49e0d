//! Previews of changes.

use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        a_preview_says_what_a_change_does,
        a_preview_refuses_what_the_change_would,
        a_preview_changes_nothing,
    ],
}

fn preview(shop: &Client, test_id: i64, body: Value) -> Value {
    let call = shop.call("POST", &format!("/experiment/{test_id}/change-preview"));
    call.header("content-type", "application/merge-patch+json").body(body.to_string()).send().ok()
}

/// Returns the names of the fields that would change.
fn changed(preview: &Value) -> Vec<&str> {
    let changes = preview["changes"].as_array().expect("changes").iter();
    changes.map(|change| change["field"].as_str().expect("a field")).collect()
}

fn live(shop: &Client) -> i64 {
    shop.goal("bought");
    shop.experiment(json!({
        "status": 1, "primary_goal_key": "bought", "custom_css": ".all{}",
        "variants": [{ "name": "Variant 1" }, { "name": "Variant 2", "customJS": "b()" }],
    }))
}

fn a_preview_says_what_a_change_does(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = live(&shop);
    let bodies = [
        json!({ "test_name": "Renamed" }),
        json!({ "configuration": { "traffic_allocation": 60 } }),
        json!({ "targeting": { "device_rule": ["mobile"] } }),
        json!({ "custom_css": "", "variants": [{ "name": "Variant 1", "customJS": "a()" }] }),
    ];
    let expect = [
        (vec!["test_name"], json!([]), json!([]), json!([]), json!(0.0)),
        (vec!["configuration.traffic_allocation"], json!(["traffic"]), json!([]), json!([]), json!(40.0)),
        (vec!["targeting.device_rule"], json!(["targeting"]), json!([]), json!([]), Value::Null),
        (
            vec!["custom_css", "variants[0].customJS", "variants[1]"],
            json!(["variants"]),
            json!(["0", "1"]),
            json!(["custom_css", "variants[1].customJS"]),
            json!(33.33),
        ),
    ];
    for (body, (fields, reasons, redefines, removed, moved)) in bodies.iter().zip(expect) {
        let shown = preview(&shop, id, body.clone());
        assert_eq!(changed(&shown), fields, "{shown}");
        assert_eq!((&shown["reasons"], &shown["redefines"], &shown["removed_code"]), (&reasons, &redefines, &removed));
        assert_eq!(shown["opens_epoch"], json!(reasons != json!([])));
        assert_eq!((&shown["moved_visitors_percent"], &shown["needs_approval"]), (&moved, &json!(false)), "{body}");
    }
    let last = preview(&shop, id, bodies[3].clone());
    assert!(last["warnings"].to_string().contains("Variant 2 is deleted"), "{last}");
    assert_eq!(last["changes"][1]["before"], "");
    assert_eq!(last["changes"][1]["after"], "a()");
    assert_eq!(preview(&shop, id, json!({}))["changes"], json!([]));

    // The change has the previewed effects.
    for (at, body) in bodies.iter().enumerate() {
        let shown = preview(&shop, id, body.clone());
        let epochs = |details: &Value| details["epochs"].as_array().map_or(0, Vec::len);
        let before = shop.details(id);
        shop.merge(&format!("/experiment/{id}"), body.clone()).ok();
        let after = shop.details(id);
        assert_eq!(epochs(&after) > epochs(&before), shown["opens_epoch"] == true, "change {at}");
        if shown["opens_epoch"] == true {
            assert_eq!(after["epochs"][epochs(&after) - 1]["reasons"], shown["reasons"], "change {at}");
        }
        assert_eq!(preview(&shop, id, body.clone())["changes"], json!([]), "it was made");
    }
}

fn a_preview_refuses_what_the_change_would(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = live(&shop);
    let path = format!("/experiment/{id}/change-preview");
    shop.post(&path, json!({ "test_name": "", "nonsense": 1 })).invalid(&["nonsense", "test_name"]);
    shop.post(&path, json!({ "primary_goal_key": "nobody" })).invalid(&["primary_goal_key"]);
    shop.post("/experiment/9999/change-preview", json!({})).refused(404, "not_found");
    let call = shop.call("POST", &path).header("if-match", "\"other\"");
    call.json(json!({ "test_name": "X" })).send().refused(412, "precondition_failed");
    let reader = app.scoped(&shop, "read");
    reader.post(&path, json!({ "test_name": "X" })).ok();
    reader.post(&path, json!({ "custom_js": "x()" })).refused(403, "missing_scope");
    shop.post(&format!("/experiment/{id}/serve-winner"), json!({ "variant_id": "2" })).ok();
    shop.post(&path, json!({ "variants": [{ "name": "Variant 1" }] })).refused(409, "variant_is_served");
    // An object that is sent whole resets omitted fields to their defaults.
    let whole = shop.post(&path, json!({ "configuration": { "traffic_allocation": 50 } })).ok();
    assert_eq!(changed(&whole), ["configuration.traffic_allocation"]);
}

fn a_preview_changes_nothing(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = live(&shop);
    let before = (shop.details(id), shop.etag(id), app.history(id).len());
    let ruleset = || shop.anyone_here().get(&format!("/ruleset/{}", shop.project_key)).ok();
    let delivered = ruleset();
    let body = json!({ "custom_js": "x()", "configuration": { "traffic_allocation": 1 }, "variants": [{ "name": "Variant 1" }] });
    let answer = shop.post(&format!("/experiment/{id}/change-preview"), body);
    assert_eq!(answer.etag(), before.1, "the version that it is about");
    answer.ok();
    assert_eq!((shop.details(id), shop.etag(id), app.history(id).len()), before);
    assert_eq!(ruleset(), delivered);
}
