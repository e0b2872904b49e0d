//! Exact successful responses of every operation.

use crate::scene::keys;
use muriel_tests::{On, stories};
use serde_json::json;
use std::time::Duration;

stories! {
    always: [
        experiments_from_creation_to_deletion,
        details_show_everything,
    ],
    postgres_at_night: [
        the_three_specified_operations,
        hypotheses,
        goals,
        preview_links,
        distributions,
    ],
}

const NOW: &str = "2026-03-01T10:00:00.000Z";

fn the_three_specified_operations(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let idea = shop.hypothesis(json!({ "observation": "O", "problem": " ", "confidence": 3 }));
    let bare = shop.experiment(json!({ "test_name": "Bare" }));
    let with = shop.experiment(json!({ "test_name": "With", "hypothesis_id": idea, "status": 1 }));

    let updated = shop.patch(&format!("/experiment/{bare}"), json!({ "test_name": "  Plain  " }));
    let etag = updated.etag();
    assert_eq!(updated.ok(), json!({ "success": true, "test_id": bare }));
    assert_eq!(etag, shop.etag(bare));

    assert_eq!(
        shop.get("/experiments").ok(),
        json!({
            "success": true,
            "company_id": shop.company_id,
            "count": 2,
            "experiments": [
                {
                    "test_id": with, "test_name": "With", "url": "https://shop.example/checkout", "status": 1,
                    "is_completed": 0, "hypothesis_id": idea,
                    "hypothesis": { "hypothesis_id": idea, "observation": "O" },
                    "created_at": NOW, "updated_at": NOW, "is_deploy": 0,
                },
                {
                    "test_id": bare, "test_name": "Plain", "url": "https://shop.example/checkout", "status": 9,
                    "is_completed": 0, "hypothesis_id": null, "created_at": NOW, "updated_at": NOW, "is_deploy": 0,
                },
            ],
        })
    );

    assert_eq!(
        shop.get("/hypotheses").ok(),
        json!({
            "success": true,
            "hypotheses": [{
                "hypothesis_id": idea, "observation": "O", "problem": " ", "solution": null, "confidence": 3,
                "importance": null, "difficulty": null, "hypothesis_url": null, "created_at": NOW, "updated_at": NOW,
                "linked_test_ids": [with],
            }],
            "count": 1, "total": 1, "limit": 50, "offset": 0, "has_more": false, "next_offset": 1,
        })
    );
}

fn experiments_from_creation_to_deletion(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let bought = shop.goal("bought");
    let created = shop.post(
        "/create-experiment",
        json!({
            "test_name": "Checkout",
            "url": "https://shop.example/checkout",
            "variants": [{ "name": "Variant 1" }],
            "primary_goal_key": "bought",
            "secondary_goals": [{ "goal_name": "Seen", "goal_type": "pageview", "goal_value": "/thanks" }],
        }),
    );
    let created = created.created();
    let id = created["test_id"].as_i64().expect("an id");
    assert_eq!(
        created,
        json!({
            "success": true, "test_id": id, "experiment_key": "checkout", "status": 9, "company_id": shop.company_id,
            "goal_profile_id": bought,
            "secondary_goals_count": 1, "warnings": [],
        })
    );
    let started = shop.set_status(id, 1).ok();
    assert_eq!((&started["test_id"], &started["status"]), (&json!(id), &json!(1)));

    let path = format!("/experiment/{id}");
    assert_eq!(
        shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok(),
        json!({ "success": true, "test_id": id, "serving_variant_id": "1", "traffic_allocation": 100, "is_serving": true })
    );
    assert_eq!(
        shop.patch(&format!("{path}/serving-rollout"), json!({ "traffic_allocation": 30 })).ok(),
        json!({ "success": true, "test_id": id, "serving_variant_id": "1", "traffic_allocation": 30, "is_serving": true })
    );
    let stopped = shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    assert_eq!(stopped, json!({ "success": true, "test_id": id, "serving_variant_id": null, "is_serving": false }));
    assert_eq!(shop.delete(&path).ok(), json!({ "success": true, "test_id": id, "deleted": true, "was_live": true }));
}

fn details_show_everything(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let answer = shop.get(&format!("/experiment/{id}")).ok();
    assert_eq!(keys(&answer), ["success", "experiment"]);
    assert_eq!(
        answer["experiment"],
        json!({
            "test_id": id, "test_name": "Checkout", "url": "https://shop.example/checkout", "status": 9,
            "is_completed": 0, "hypothesis_id": null, "created_at": NOW, "updated_at": NOW, "is_deploy": 0,
            "company_id": shop.company_id, "project_key": shop.project_key, "test_type": "abtest",
            "experiment_key": "checkout",
            "control": { "nickname": "", "customJS": "", "customCSS": "" },
            "variants": [{ "name": "Variant 1", "nickname": "", "customJS": "", "customCSS": "", "data": [] }],
            "variants_data_key": "https://shop.example/checkout",
            "custom_js": "", "custom_css": "",
            "configuration": {
                "traffic_allocation": 100, "confidence_interval": 95, "start_test_date": null, "end_test_date": null,
                "is_mab": 0, "is_autopilot": 0, "distribution": null, "bayesian": 1, "dom_change_path": null,
                "trigger_variant_change": null, "completion_visitor": 0, "completion_conversion": 0,
                "completion_stats_significant_flag": 0, "completion_after_period": 0, "integration": [],
            },
            "targeting": {
                "referral_rule": [], "allowed_country": [], "allowed_region": [], "allowed_city": [],
                "device_rule": [], "browser_rule": [], "os_rule": [], "user_rule": [], "browser_language_rule": [],
                "segment_rule": [], "event_rule": [], "parameter_rule": [], "ga4_rule": [], "cookie_rule": [],
                "schedule_rule": null, "url_rule": [],
            },
            "tags": [], "plan": { "mde": 2.0, "visitors": null },
            "primary_goal": null, "primary_goal_key": null, "secondary_goal_keys": [],
            "builtin_metrics": ["bounce_rate", "engagement"], "event_metrics": [], "epochs": [],
            "schedule": { "next": null, "last": null }, "integrations": [],
        })
    );
}

fn hypotheses(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let whole = json!({
        "observation": "O", "problem": "P", "solution": "S", "confidence": 1, "importance": 5, "difficulty": 3,
        "hypothesis_url": "https://research.example/1",
    });
    let created = shop.post("/hypothesis", whole.clone()).created();
    let id = created["hypothesis_id"].as_i64().expect("an id");
    assert_eq!(created, json!({ "success": true, "hypothesis_id": id, "slug": "s" }));
    let path = format!("/hypothesis/{id}");

    let mut expect = json!({ "hypothesis_id": id, "slug": "s" });
    for (field, value) in whole.as_object().expect("fields") {
        expect[field] = value.clone();
    }
    expect["archived"] = json!(false);
    expect["created_at"] = json!(NOW);
    expect["updated_at"] = json!(NOW);
    expect["linked_test_ids"] = json!([]);
    assert_eq!(shop.get(&path).ok(), json!({ "success": true, "hypothesis": expect }));

    app.pass(Duration::from_millis(1_500));
    let unchanged = shop.patch(&path, json!({ "observation": "O" })).ok();
    assert_eq!(unchanged, json!({ "success": true, "hypothesis_id": id }));
    assert_eq!(shop.get(&path).ok()["hypothesis"]["updated_at"], NOW, "nothing changed");
    shop.patch(&path, json!({ "problem": null, "confidence": null, "archived": true })).ok();
    expect["problem"] = json!(null);
    expect["confidence"] = json!(null);
    expect["archived"] = json!(true);
    expect["updated_at"] = json!("2026-03-01T10:00:01.500Z");
    assert_eq!(shop.get(&path).ok()["hypothesis"], expect);

    for (body, field) in [
        (json!({ "observation": 1 }), "observation"),
        (json!({ "observation": "x".repeat(10_001) }), "observation"),
        (json!({ "observation": null, "solution": " " }), "observation"),
        (json!({ "confidence": 0 }), "confidence"),
        (json!({ "confidence": 6 }), "confidence"),
        (json!({ "importance": 1.0 }), "importance"),
        (json!({ "difficulty": "3" }), "difficulty"),
        (json!({ "difficulty": true }), "difficulty"),
        (json!({ "hypothesis_url": "javascript:alert(1)" }), "hypothesis_url"),
        (json!({ "hypothesis_url": "" }), "hypothesis_url"),
        (json!({ "archived": 1 }), "archived"),
        (json!({ "archived": null }), "archived"),
        (json!({ "observations": "x" }), "observations"),
        (json!({ "hypothesis_id": 2 }), "hypothesis_id"),
        (json!({ "linked_test_ids": [] }), "linked_test_ids"),
    ] {
        shop.patch(&path, body).invalid(&[field]);
        assert_eq!(shop.get(&path).ok()["hypothesis"], expect);
    }
    for body in [json!({}), json!({ "observation": "" }), json!({ "problem": null, "confidence": 1 })] {
        shop.post("/hypothesis", body).refused(400, "invalid_field");
    }
    let long = shop.hypothesis(json!({ "solution": "ß".repeat(10_000) }));
    let read = shop.get(&format!("/hypothesis/{long}")).ok();
    assert_eq!(read["hypothesis"]["solution"], "ß".repeat(10_000));
}

fn goals(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for (goal_type, good, bad) in [
        ("pageview", json!("/thanks"), json!("")),
        ("pageviewExact", json!("https://shop.example/thanks"), json!(1)),
        ("pageviewWildcard", json!("*/thanks/*"), json!(null)),
        ("pageviewRegex", json!("^/order/[0-9]+$"), json!("(?=look)")),
        ("pageviewRegex", json!("a|b"), json!("a".repeat(513))),
        ("pageviewRegex", json!("a".repeat(512)), json!("(")),
        ("clickOnElement", json!("#buy"), json!(["#buy"])),
        ("clickOnText", json!("Buy"), json!(" ")),
        ("externalLink", json!("partner.example"), json!(true)),
        ("formSubmit", json!("form.order"), json!("")),
        ("elementAppears", json!(".done"), json!({})),
        ("scrolling", json!(75), json!(101)),
        ("scrolling", json!("1"), json!(0)),
        ("duration", json!(30), json!(-1)),
        ("duration", json!("30"), json!("soon")),
        ("event", json!("signup"), json!("")),
        ("revenue", json!("Purchase"), json!(5)),
        ("script", json!("trigger"), json!("")),
    ] {
        let body = |value| json!({ "goal_name": "Goal", "goal_type": goal_type, "goal_value": value });
        let created = shop.post("/goal", body(good.clone())).created();
        let id = created["goal_profile_id"].as_i64().expect("an id");
        let goal = shop.get(&format!("/goal/{id}")).ok();
        assert_eq!(
            goal,
            json!({ "success": true, "goal": {
                "goal_profile_id": id, "goal_key": created["goal_key"], "goal_name": "Goal", "goal_type": goal_type,
                "goal_value": good, "goal_purpose": "sell", "element_url": null, "window_days": null, "min_count": 1,
                "cap": null, "max_order_value": null, "currency": null, "created_at": NOW,
            } })
        );
        shop.post("/goal", body(bad)).invalid(&["goal_value"]);
    }

    let created = shop.post(
        "/goal",
        json!({
            "goal_name": "Big order", "goal_type": "revenue", "goal_value": "Purchase", "goal_purpose": "generate",
            "element_url": "https://shop.example/", "window_days": 7, "min_count": 2, "cap": 99.5,
            "max_order_value": 5000, "currency": "EUR",
        }),
    );
    let created = created.created();
    let id = created["goal_profile_id"].as_i64().expect("an id");
    let expect = json!({
        "success": true, "goal_profile_id": id, "goal_key": "big-order", "company_id": shop.company_id,
    });
    assert_eq!(created, expect);
    let path = format!("/goal/{id}");
    assert_eq!(
        shop.patch(&path, json!({ "goal_name": "Bigger", "element_url": null, "goal_purpose": "engage" })).ok(),
        expect
    );
    let goal = shop.get(&path).ok()["goal"].clone();
    assert_eq!(goal["goal_name"], "Bigger");
    assert_eq!(goal["element_url"], json!(null));
    assert_eq!(goal["goal_purpose"], "engage");
    assert_eq!(goal["cap"], 99.5);
    assert_eq!((&goal["max_order_value"], &goal["currency"]), (&json!(5000.0), &json!("EUR")));

    for (body, field) in [
        (json!({ "goal_name": "" }), "goal_name"),
        (json!({ "goal_name": null }), "goal_name"),
        (json!({ "goal_type": "click" }), "goal_type"),
        (json!({ "goal_purpose": "buy" }), "goal_purpose"),
        (json!({ "element_url": "nowhere" }), "element_url"),
        (json!({ "window_days": 0 }), "window_days"),
        (json!({ "min_count": 0 }), "min_count"),
        (json!({ "cap": -1 }), "cap"),
        (json!({ "goal_key": "other" }), "goal_key"),
        (json!({ "goal_profile_id": 9 }), "goal_profile_id"),
        (json!({ "goalname": "x" }), "goalname"),
    ] {
        shop.patch(&path, body).invalid(&[field]);
        assert_eq!(shop.get(&path).ok()["goal"], goal);
    }

    let count = 19;
    let list = shop.get("/goals").ok();
    assert_eq!(keys(&list), ["success", "company_id", "count", "goals"]);
    assert_eq!((&list["company_id"], &list["count"]), (&json!(shop.company_id), &json!(count)));
    let page = shop.get("/goals?limit=1&offset=18").ok();
    assert_eq!(page["goals"], json!([goal]));
    assert_eq!(shop.delete(&path).ok()["success"], true);
    shop.get(&path).refused(404, "not_found");
}

fn preview_links(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({
        "url": "https://shop.example/checkout?step=1#form",
        "variants": [{ "name": "Variant 1" }, { "name": "Variant 2" }],
    }));
    let links = shop.get(&format!("/experiment/{id}/preview-urls")).ok();
    assert_eq!(keys(&links), ["success", "test_id", "test_name", "page_url", "variants"]);
    assert_eq!(links["page_url"], "https://shop.example/checkout?step=1#form");
    let variants = links["variants"].as_array().expect("links");
    assert_eq!(variants.len(), 3);
    for (number, (link, (name, sent))) in
        variants.iter().zip([("Control", "0"), ("Variant 1", "Variant_1"), ("Variant 2", "Variant_2")]).enumerate()
    {
        assert_eq!(keys(link), ["variant_id", "name", "preview_url"]);
        assert_eq!((&link["variant_id"], &link["name"]), (&json!(number), &json!(name)));
        let url = link["preview_url"].as_str().expect("a link");
        assert!(url.starts_with("https://shop.example/checkout?step=1&") && url.ends_with("#form"), "{url}");
        assert!(url.contains(&format!("test-preview={id}&")), "{url}");
        assert!(url.contains(&format!("test-variant={sent}&")), "{url}");
        assert!(url.contains("test-token="), "{url}");
    }
}

fn distributions(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}/distribution");
    let arm = |id: &str, name: &str, weight: f64| {
        let status = if weight == 0.0 { "paused" } else { "active" };
        json!({ "variant_id": id, "name": name, "traffic_weight": weight, "variant_status": status })
    };
    for (configuration, mode, is_mab, control) in [
        (json!({}), "equal", 0, 50.0),
        (json!({ "distribution": "equal" }), "equal", 0, 50.0),
        (json!({ "distribution": { "Control": 0, "Variant 1": 100 } }), "custom", 0, 0.0),
        (json!({ "is_mab": 1 }), "mab", 1, 50.0),
    ] {
        shop.patch(&format!("/experiment/{id}"), json!({ "configuration": configuration })).ok();
        let answer = shop.get(&path).ok();
        let mut expected = vec!["success", "test_id", "traffic_allocation", "distribution_mode", "is_mab", "variants"];
        expected.extend((is_mab == 1).then_some("bandit"));
        assert_eq!(keys(&answer), expected);
        assert_eq!(
            (&answer["distribution_mode"], &answer["is_mab"], &answer["traffic_allocation"]),
            (&json!(mode), &json!(is_mab), &json!(100)),
        );
        assert_eq!(answer["variants"], json!([arm("0", "Control", control), arm("1", "Variant 1", 100.0 - control)]));
    }
}
