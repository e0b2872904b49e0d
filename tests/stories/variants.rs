//! Variants: their content, the key they are stored under, and their traffic.

use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};

stories! {
    always: [
        a_deleted_variant_is_never_returned_again,
        visual_changes,
    ],
    postgres_at_night: [
        what_is_sent_is_the_complete_new_set,
        fifty_variants_and_no_more,
        the_data_key_of_a_single_page,
        the_data_key_of_a_pattern,
        weights_follow_the_variants,
        weights_in_other_words,
        redirects_belong_to_split_tests,
        personalization_variants_have_audiences,
    ],
}

fn named(count: usize) -> Value {
    (1..=count).map(|n| json!({ "name": format!("Variant {n}") })).collect()
}

fn weights(shop: &Client, id: i64) -> Value {
    shop.details(id)["configuration"]["distribution"].clone()
}

fn what_is_sent_is_the_complete_new_set(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "variants": [{ "name": "Variant 1", "nickname": "A", "customJS": "a()" }] }));
    let path = format!("/experiment/{id}");
    let mut variants = shop.details(id)["variants"].clone();
    assert_eq!(
        variants,
        json!([{ "name": "Variant 1", "nickname": "A", "customJS": "a()", "customCSS": "", "data": [] }])
    );
    // Read, append, send back.
    let all = variants.as_array_mut().expect("variants");
    all.push(json!({ "name": "Variant 2", "nickname": "B", "customJS": "b()", "customCSS": ".b{}", "data": [] }));
    shop.patch(&path, json!({ "variants": variants })).ok();
    assert_eq!(shop.details(id)["variants"], variants);
    // The set is replaced, neither merged nor appended to.
    shop.patch(&path, json!({ "variants": [{ "name": "Variant 1" }, { "name": "Variant 2", "nickname": "B" }] })).ok();
    let read = shop.details(id)["variants"].clone();
    assert_eq!((&read[0]["nickname"], &read[0]["customJS"]), (&json!(""), &json!("")));
    assert_eq!((&read[1]["nickname"], &read[1]["customCSS"]), (&json!("B"), &json!("")));
}

fn a_deleted_variant_is_never_returned_again(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({
        "variants": [{ "name": "Variant 1" }, { "name": "Variant 2", "nickname": "doomed", "customJS": "doomed()" }],
    }));
    let path = format!("/experiment/{id}");
    shop.patch(&path, json!({ "variants": named(1) })).ok();
    for read in
        [path.clone(), format!("{path}/distribution"), format!("{path}/preview-urls"), "/experiments".to_owned()]
    {
        let text = shop.get(&read).has_status(200).text();
        assert!(!text.contains("doomed") && !text.contains("Variant 2"), "{text}");
    }
    let kept = &app.history(id)[0].before["variants"][1];
    assert_eq!(kept["customJS"], "doomed()", "history keeps it for the dashboard");
    // A reused name starts empty.
    shop.patch(&path, json!({ "variants": named(2) })).ok();
    assert_eq!(
        shop.details(id)["variants"][1],
        json!({ "name": "Variant 2", "nickname": "", "customJS": "", "customCSS": "", "data": [] })
    );
}

fn fifty_variants_and_no_more(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({ "variants": named(50) }));
    let path = format!("/experiment/{id}");
    assert_eq!(shop.details(id)["variants"].as_array().map(Vec::len), Some(50));
    shop.patch(&path, json!({ "variants": named(51) })).invalid(&["variants"]);
    shop.patch(&path, json!({ "variants": named(0) })).invalid(&["variants"]);
    let shares = shop.get(&format!("{path}/distribution")).ok();
    let sum: f64 =
        shares["variants"].as_array().expect("arms").iter().filter_map(|arm| arm["traffic_weight"].as_f64()).sum();
    assert!((sum - 100.0).abs() < 1e-9, "{sum}");
    let code = "x".repeat(512 << 10);
    let big = json!([{ "name": "Variant 1", "customJS": code, "customCSS": code, "nickname": "ß".repeat(255) }]);
    shop.patch(&path, json!({ "variants": big })).ok();
    assert_eq!(shop.details(id)["variants"][0]["customCSS"], code);
}

fn the_data_key_of_a_single_page(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let page = "https://shop.example/checkout";
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    assert_eq!(shop.details(id)["variants_data_key"], page);
    shop.patch(&path, json!({ "variants": named(2) })).ok();
    // The page of the editor changes; the key does not.
    let moved = "https://shop.example/moved";
    shop.patch(&path, json!({ "url": moved })).ok();
    let details = shop.details(id);
    assert_eq!((&details["url"], &details["variants_data_key"]), (&json!(moved), &json!(page)));
    shop.patch(&path, json!({ "variants": named(3) })).ok();
    shop.patch(&path, json!({ "variants": named(2), "variants_data_key": page })).ok();
    shop.patch(&path, json!({ "variants_data_key": page })).ok();
    for body in [
        json!({ "variants_data_key": moved }),
        json!({ "variants": named(1), "variants_data_key": moved }),
        json!({ "variants_data_key": format!("{page}/") }),
        json!({ "url": moved, "variants_data_key": "https://*" }),
    ] {
        let refused = shop.patch(&path, body).invalid(&["variants_data_key"]);
        assert!(refused.message("variants_data_key").contains(page), "{}", refused.text());
    }
    assert_eq!(shop.details(id)["variants"].as_array().map(Vec::len), Some(2));
    assert_eq!(shop.details(id)["variants_data_key"], page);
}

fn the_data_key_of_a_pattern(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for key in ["https://*", "https://shop.example/product/*", "*"] {
        let id = shop.experiment(json!({ "variants_data_key": key }));
        let path = format!("/experiment/{id}");
        assert_eq!(shop.details(id)["variants_data_key"], key);
        for body in [
            json!({ "variants": named(2) }),
            json!({ "variants": named(2), "variants_data_key": "https://shop.example/checkout" }),
            json!({ "variants": named(2), "variants_data_key": "http://*" }),
            json!({ "variants_data_key": "http://*" }),
        ] {
            let before = shop.details(id);
            let refused = shop.patch(&path, body).invalid(&["variants_data_key"]);
            assert!(refused.message("variants_data_key").contains(key), "{}", refused.text());
            assert_eq!(shop.details(id), before);
        }
        shop.patch(&path, json!({ "variants": named(2), "variants_data_key": key })).ok();
        assert_eq!(shop.details(id)["variants"].as_array().map(Vec::len), Some(2));
        // Only variants need the key, and url accepts no pattern.
        shop.patch(&path, json!({ "url": "https://shop.example/other", "tags": ["x"] })).ok();
        shop.patch(&path, json!({ "url": key, "variants_data_key": key })).invalid(&["url"]);
        assert_eq!(shop.details(id)["variants_data_key"], key);
    }
    for wrong in [json!(""), json!(1), json!(null), json!("not a page"), json!("ftp://shop.example/")] {
        let body = json!({ "test_name": "N", "url": "https://shop.example/", "variants": named(1), "variants_data_key": wrong });
        shop.post("/create-experiment", body).invalid(&["variants_data_key"]);
    }
}

fn weights_follow_the_variants(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for (before, to, expect) in [
        // Added arms get 100 divided by the new number of arms, and the others scale down.
        (
            json!({ "Control": 50, "Variant 1": 50 }),
            2,
            json!({ "Control": 33.34, "Variant 1": 33.33, "Variant 2": 33.33 }),
        ),
        (
            json!({ "Control": 80, "Variant 1": 20 }),
            3,
            json!({ "Control": 40, "Variant 1": 10, "Variant 2": 25, "Variant 3": 25 }),
        ),
        (
            json!({ "Control": 0, "Variant 1": 100 }),
            3,
            json!({ "Control": 0, "Variant 1": 50, "Variant 2": 25, "Variant 3": 25 }),
        ),
        // When arms are removed, the others scale up.
        (json!({ "Control": 40, "Variant 1": 40, "Variant 2": 20 }), 1, json!({ "Control": 50, "Variant 1": 50 })),
        (
            json!({ "Control": 50, "Variant 1": 25, "Variant 2": 25 }),
            1,
            json!({ "Control": 66.67, "Variant 1": 33.33 }),
        ),
        (json!({ "Control": 10, "Variant 1": 30, "Variant 2": 60 }), 1, json!({ "Control": 25, "Variant 1": 75 })),
        // With an equal number of arms, the weights stay.
        (json!({ "Control": 12.34, "Variant 1": 87.66 }), 1, json!({ "Control": 12.34, "Variant 1": 87.66 })),
    ] {
        let arms = before.as_object().map_or(0, serde_json::Map::len);
        let id = shop.experiment(json!({ "variants": named(arms - 1), "configuration": { "distribution": before } }));
        assert_eq!(weights(&shop, id), before);
        shop.patch(&format!("/experiment/{id}"), json!({ "variants": named(to) })).ok();
        assert_eq!(weights(&shop, id), expect, "{before} to {to}");
    }
    // Weights that are given together with variants are those of the new arms.
    let id = shop.experiment(json!({ "configuration": { "distribution": { "Control": 10, "Variant 1": 90 } } }));
    let path = format!("/experiment/{id}");
    let three = json!({ "Control": 20, "Variant 1": 30, "Variant 2": 50 });
    let configuration = json!({ "distribution": three });
    shop.patch(&path, json!({ "configuration": configuration })).refused(400, "invalid_field");
    shop.patch(&path, json!({ "variants": named(2), "configuration": configuration })).ok();
    assert_eq!(weights(&shop, id), three);
    // Even splits stay even.
    shop.patch(&path, json!({ "configuration": { "distribution": "equal" } })).ok();
    shop.patch(&path, json!({ "variants": named(3) })).ok();
    assert_eq!(weights(&shop, id), "equal");
}

fn weights_in_other_words(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    let set =
        |distribution: Value| shop.patch(&path, json!({ "configuration": { "distribution": distribution } })).ok();
    set(json!("{ \"Control\": 30, \"Variant 1\": 70.0 }"));
    assert_eq!(weights(&shop, id), json!({ "Control": 30, "Variant 1": 70 }));
    set(json!("manual"));
    assert_eq!(weights(&shop, id), json!({ "Control": 30, "Variant 1": 70 }), "the weights in force stay");
    shop.patch(&path, json!({ "variants": named(2), "configuration": { "distribution": "manual" } })).ok();
    assert_eq!(weights(&shop, id), json!({ "Control": 20.01, "Variant 1": 46.66, "Variant 2": 33.33 }));
    set(json!("equal"));
    assert_eq!(weights(&shop, id), "equal");
    set(json!(null));
    assert_eq!(weights(&shop, id), json!(null));
    shop.patch(
        &path,
        json!({ "configuration": { "distribution": { "Variant 2": 1, "Control": 98.99, "Variant 1": 0.01 } } }),
    )
    .ok();
    assert_eq!(weights(&shop, id), json!({ "Control": 98.99, "Variant 1": 0.01, "Variant 2": 1 }));
}

fn visual_changes(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let path = format!("/experiment/{id}");
    let sent = |data: Value| json!({ "variants": [{ "name": "Variant 1", "data": data }] });
    let good = json!([
        { "target": "#a", "innerText": "x" },
        { "target": "#a", "textContent": "x" },
        { "target": "#a", "innerHTML": "<b>x</b>" },
        { "target": "#a", "outerHTML": "<b>x</b>" },
        { "target": "img", "src": "https://shop.example/a.png" },
        { "target": "a", "href": "/b" },
        { "target": "#a", "style": { "color": "red" } },
        { "target": "#a", "style": "color: red" },
        { "target": "#a", "class": "x y" },
        { "target": "#a", "innerText": "", "note": { "kept": [1, 2.5, null, true] }, "pageUrl": "https://shop.example/a", "sitewide": false },
        { "rm": "#a" },
        { "refEl": "#a", "dir": "b", "htmlBlock": "<b></b>" },
        { "refEl": "#a", "dir": "a", "htmlBlock": "<b></b>" },
        { "refEl": "#a", "dir": "p", "htmlBlock": "<b></b>" },
        { "oriEl": "#a", "refEl": "#b", "dir": "a" },
    ]);
    shop.patch(&path, sent(good.clone())).ok();
    assert_eq!(shop.details(id)["variants"][0]["data"], good);
    let text = shop.get(&path).text();
    let first = text.find("\"note\"").zip(text.find("\"pageUrl\""));
    assert!(first.is_some_and(|(note, page)| note < page), "keys stay in the order sent");
    for wrong in [
        json!({}),
        json!({ "target": "#a", "style": { "color": { "of": "red" } } }),
        json!({ "target": "#a", "class": ["x"] }),
        json!({ "rm": "#a", "pageUrl": 5 }),
        json!({ "rm": "#a", "sitewide": "no" }),
        json!({ "target": "#a" }),
        json!({ "innerText": "x" }),
        json!({ "target": "", "innerText": "x" }),
        json!({ "target": 1, "innerText": "x" }),
        json!({ "target": "#a", "innerText": 1 }),
        json!({ "rm": "" }),
        json!({ "rm": true }),
        json!({ "refEl": "#a", "dir": "x", "htmlBlock": "" }),
        json!({ "refEl": "#a", "htmlBlock": "" }),
        json!({ "refEl": "#a", "dir": "b" }),
        json!({ "oriEl": "#a", "dir": "b" }),
        json!({ "further": "keys" }),
        json!([]),
        json!("x"),
        json!(null),
    ] {
        let refused = shop.patch(&path, sent(json!([{ "rm": "#ok" }, wrong]))).refused(400, "invalid_field");
        let fields = refused.fields();
        assert!(!fields.is_empty(), "{wrong}: {}", refused.text());
        assert!(fields.iter().all(|field| field.starts_with("variants[0].data[1]")), "{wrong}: {}", refused.text());
        assert_eq!(shop.details(id)["variants"][0]["data"], good, "{wrong}");
    }
    for (wrong, known) in
        [("tarket", "target"), ("innertext", "innerText"), ("html_block", "htmlBlock"), ("ref-el", "refEl")]
    {
        let refused = shop.patch(&path, sent(json!([{ wrong: "#a" }]))).refused(400, "invalid_field");
        let message = format!("is not a known field; did you mean \"{known}\"?");
        let field = refused.fields().into_iter().find(|field| field.len() > "variants[0].data[0]".len());
        let field = field.unwrap_or_else(|| panic!("{wrong}: {}", refused.text()));
        assert_eq!(refused.message(field), message);
    }
}

fn redirects_belong_to_split_tests(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let redirect = json!({ "url": "https://shop.example/b", "relay_param": true });
    let variants = |data: Value| json!([{ "name": "Variant 1", "data": data }]);
    let id = shop.experiment(json!({ "test_type": "split", "variants": variants(json!([redirect])) }));
    let path = format!("/experiment/{id}");
    let details = shop.details(id);
    assert_eq!((&details["test_type"], &details["variants"][0]["data"]), (&json!("split"), &json!([redirect])));
    shop.patch(&path, json!({ "variants": details["variants"] })).ok();
    let late = shop.patch(&path, json!({ "variants": variants(json!([{ "rm": "#a" }, redirect])) }));
    late.invalid(&["variants[0].data[1]"]);
    for url in [json!("javascript:alert(1)"), json!("/b"), json!(1), json!(null)] {
        let refused = shop.patch(&path, json!({ "variants": variants(json!([{ "url": url }])) }));
        assert!(refused.refused(400, "invalid_field").fields()[0].starts_with("variants[0].data[0]"));
    }
    for test_type in ["abtest", "personalization"] {
        let body = json!({ "test_name": "N", "url": "https://shop.example/", "test_type": test_type, "variants": variants(json!([redirect])) });
        shop.post("/create-experiment", body).invalid(&["variants[0].data[0]"]);
    }
}

fn personalization_variants_have_audiences(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({
        "test_type": "personalization",
        "variants": [{ "name": "Variant 1", "targeting": { "device_rule": ["mobile"] } }, { "name": "Variant 2" }],
    }));
    let path = format!("/experiment/{id}");
    let variants = shop.details(id)["variants"].clone();
    assert_eq!(variants[0]["targeting"]["device_rule"], json!(["mobile"]));
    assert_eq!(variants[1]["targeting"]["device_rule"], json!([]));
    let keys = variants[1]["targeting"].as_object().expect("targeting");
    assert_eq!(keys.len(), 15, "every key but url_rule");
    assert!(!keys.contains_key("url_rule"));
    let before = shop.etag(id);
    shop.patch(&path, json!({ "variants": variants })).ok();
    assert_eq!(shop.etag(id), before);
    for (targeting, field) in [
        (json!({ "url_rule": [] }), "variants[0].targeting.url_rule"),
        (json!({ "device_rule": ["phone"] }), "variants[0].targeting.device_rule[0]"),
        (json!({ "devices": [] }), "variants[0].targeting.devices"),
        (json!([]), "variants[0].targeting"),
        (json!(null), "variants[0].targeting"),
    ] {
        let body = json!({ "variants": [{ "name": "Variant 1", "targeting": targeting }] });
        shop.patch(&path, body).invalid(&[field]);
    }
    for test_type in ["abtest", "split"] {
        let body = json!({ "test_name": "N", "url": "https://shop.example/", "test_type": test_type, "variants": [{ "name": "Variant 1", "targeting": {} }] });
        shop.post("/create-experiment", body).invalid(&["variants[0].targeting"]);
        let plain = shop.experiment(json!({ "test_type": test_type }));
        assert_eq!(shop.details(plain)["variants"][0].get("targeting"), None);
    }
}
