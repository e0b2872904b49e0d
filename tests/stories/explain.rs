//! Explanations of decisions, in words.

use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        a_draft_tells_what_would_happen,
        a_live_experiment_tells_every_step,
        who_is_targeted_out_is_told_each_rule,
        a_served_winner_is_told,
        what_the_script_passes_over_elsewhere_is_told,
        queries_that_are_none,
    ],
}

/// Explains the decision for visitor `v-1` with these parameters.
#[track_caller]
fn explain(shop: &Client, id: i64, besides: &str) -> Value {
    shop.get(&format!("/experiment/{id}/explain?visitor=v-1{besides}")).ok()
}

/// Returns `check outcome: detail` of each step.
fn steps(explained: &Value) -> Vec<String> {
    let text = |step: &Value, field: &str| step[field].as_str().expect("text").to_owned();
    let line = |step: &Value| format!("{} {}: {}", text(step, "check"), text(step, "outcome"), text(step, "detail"));
    explained["steps"].as_array().expect("steps").iter().map(line).collect()
}

fn decided(explained: &Value) -> Value {
    json!([explained["variant"], explained["reason"], explained["in_experiment"]])
}

fn a_draft_tells_what_would_happen(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "experiment_key": "checkout" }));
    let explained = explain(&shop, id, "");
    assert_eq!(decided(&explained), json!([null, "disabled", false]));
    let said = steps(&explained);
    assert_eq!(said[0], "status fail: the experiment does not run; what follows is what would happen if it did");
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[1].starts_with("traffic pass: bucket "), "{said:?}");
    assert!(said[2].starts_with("variant pass: bucket "), "{said:?}");
    let known = ["success", "test_id", "experiment_key", "epoch", "visitor", "variant", "reason", "in_experiment"];
    let keys = crate::scene::keys(&explained);
    assert_eq!(keys[..8], known);
    assert_eq!((&explained["experiment_key"], &explained["visitor"]), (&json!("checkout"), &json!("v-1")));
}

fn a_live_experiment_tells_every_step(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({
        "status": 1, "configuration": { "distribution": { "Control": 0, "Variant 1": 100 } },
        "targeting": { "device_rule": ["mobile"], "cookie_rule": [[{ "criteria": "a", "operator": "ex" }]] },
    }));
    let explained = explain(&shop, id, "&device=mobile");
    assert_eq!(decided(&explained), json!(["Variant 1", "split", true]));
    assert_eq!(explained["unenforced"], json!(["cookie_rule"]));
    let said = steps(&explained);
    assert_eq!(said[0], "status pass: the experiment is live");
    assert!(
        said[1].starts_with("traffic pass: bucket ") && said[1].ends_with(" is within the first 1000000 that enter")
    );
    assert!(said[2].starts_with("device_rule pass: ") && said[2].contains("mobile"), "{said:?}");
    assert_eq!(said[3], "cookie_rule not_enforced: only the page can look; a server passes it over");
    assert!(said[4].starts_with("variant pass: ") && said[4].ends_with(" belongs to Variant 1"), "{said:?}");
    assert_eq!(said.len(), 5, "{said:?}");
    shop.merge(&format!("/experiment/{id}"), json!({ "configuration": { "traffic_allocation": 0 } })).ok();
    let outside = explain(&shop, id, "&device=mobile");
    assert_eq!(decided(&outside), json!([null, "traffic", false]));
    assert!(steps(&outside)[1].ends_with(" is outside the first 0 that enter"), "{outside}");
}

fn who_is_targeted_out_is_told_each_rule(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({
        "status": 1,
        "targeting": {
            "device_rule": ["mobile"],
            "allowed_country": [{ "name": "Denmark", "code": "DK", "rule": "whitelist" }],
            "url_rule": [{ "url": "https://shop.example/cart", "rule": "simple" }],
        },
    }));
    let out = explain(&shop, id, "&device=desktop&country=DK&url=https://shop.example/cart?a=1");
    assert_eq!(decided(&out), json!([null, "targeting", false]));
    let outcomes = |explained: &Value| -> Vec<String> {
        let line = |step: &Value| format!("{} {}", step["check"], step["outcome"]).replace('"', "");
        explained["steps"].as_array().expect("steps").iter().map(line).collect()
    };
    let expect = ["status pass", "traffic pass", "device_rule fail", "allowed_country pass", "url_rule pass"];
    assert_eq!(outcomes(&out), expect, "the rules after the one that decided too");
    assert_eq!(steps(&out)[2], "device_rule fail: the device is \"desktop\"; the rule keeps the visitor out");
    let unknown = explain(&shop, id, "&device=mobile&country=DK");
    assert_eq!(decided(&unknown), json!([null, "unknown", false]));
    assert_eq!(outcomes(&unknown)[4], "url_rule unknown");
}

fn a_served_winner_is_told(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    let serve = format!("/experiment/{id}/serve-winner");
    shop.post(&serve, json!({ "variant_id": "1" })).ok();
    let served = explain(&shop, id, "");
    assert_eq!(decided(&served), json!(["Variant 1", "served", false]));
    let said = steps(&served);
    assert_eq!(said[0], "serving pass: Variant 1 won and is served to 100 % of the visitors");
    assert!(said[1].contains(" is within the first 1000000"), "{said:?}");
    shop.patch(&format!("/experiment/{id}/serving-rollout"), json!({ "traffic_allocation": 0 })).ok();
    let nobody = explain(&shop, id, "");
    assert_eq!(decided(&nobody), json!([null, "rollout", false]));
    assert_eq!(steps(&nobody)[0], "serving pass: Variant 1 won and is served to 0 % of the visitors");
}

fn what_the_script_passes_over_elsewhere_is_told(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let live = |key: &str, more: Value| {
        let mut body = json!({
            "experiment_key": key, "status": 1, "configuration": { "distribution": { "Control": 0, "Variant 1": 100 } },
        });
        let fields = body.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        shop.experiment(body)
    };
    let rule = json!([{ "url": "https://shop.example/cart", "rule": "simple" }]);
    let one = live("one", json!({}));
    let many = live("many", json!({ "variants_data_key": "https://shop.example/boots/*" }));
    let ruled = live("ruled", json!({ "targeting": { "url_rule": rule } }));
    for (id, page, is_elsewhere) in [
        (one, "https://shop.example/checkout?a=1%23b", false),
        (one, "http://www.shop.example/checkout/", false),
        (one, "https://shop.example/cart", true),
        (many, "https://shop.example/boots/red", false),
        (many, "https://shop.example/checkout", true),
        (ruled, "https://shop.example/cart", false),
    ] {
        let explained = explain(&shop, id, &format!("&url={page}"));
        assert_eq!(decided(&explained), json!(["Variant 1", "split", true]), "{page}: the decision is the same");
        assert_eq!(explained.get("elsewhere").is_some(), is_elsewhere, "{explained}");
        let names = |text: &str| text.contains(page) && text.contains("url_rule");
        assert!(explained.get("elsewhere").is_none_or(|text| text.as_str().is_some_and(names)), "{explained}");
    }
    // Page rules explain it themselves, and without a page there is nothing to say.
    for (id, besides) in [(ruled, "&url=https://shop.example/"), (one, "")] {
        assert_eq!(explain(&shop, id, besides).get("elsewhere"), None, "{besides}");
    }
}

fn queries_that_are_none(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let ask = |query: &str| shop.get(&format!("/experiment/{id}/explain{query}")).refused(400, "invalid_parameter");
    for (query, field) in [
        ("", "visitor"),
        ("?country=DK", "visitor"),
        ("?visitor=", "visitor"),
        ("?visitor=a&visitor=b", "visitor"),
        ("?visitor=a&targetingKey=b", "visitor"),
        ("?visitor=a&url=nowhere", "url"),
        ("?visitor=a&local_time=noon", "local_time"),
        ("?visitor=a&country=DK&country=SE", "country"),
    ] {
        let refused = ask(query);
        assert_eq!(refused.fields(), [field], "{query}: {}", refused.text());
    }
    ask("?visitor=%FF");
    let many: String = (0..201).map(|n| format!("&a{n}=1")).collect();
    ask(&format!("?visitor=a{many}"));
    shop.get("/experiment/9999/explain").refused(404, "not_found");
}
