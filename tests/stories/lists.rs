//! Lists: order, pages, search.

use muriel_tests::{Client, On, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        experiments_come_newest_first_and_in_pages,
        hypotheses_come_by_their_update_and_in_pages,
        search_is_literal_and_ignores_case,
        pages_that_make_no_sense,
    ],
    postgres_at_night: [
        archived_hypotheses_only_when_asked_for,
        a_page_is_cut_to_its_maximum,
    ],
}

fn ids(list: &Value, id: &str) -> Vec<i64> {
    list.as_array().expect("a list").iter().map(|item| item[id].as_i64().expect("an id")).collect()
}

fn listed(shop: &Client, query: &str) -> Vec<i64> {
    ids(&shop.get(&format!("/experiments{query}")).ok()["experiments"], "test_id")
}

fn backlog(shop: &Client, query: &str) -> Vec<i64> {
    ids(&shop.get(&format!("/hypotheses{query}")).ok()["hypotheses"], "hypothesis_id")
}

fn experiments_come_newest_first_and_in_pages(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    let other = app.project("Other", "Shop");
    assert_eq!(shop.get("/experiments").ok()["experiments"], json!([]));
    let a = shop.experiment(json!({}));
    let b = shop.experiment(json!({}));
    app.pass(Duration::from_secs(1));
    let c = blog.experiment(json!({}));
    other.experiment(json!({}));
    shop.patch(&format!("/experiment/{a}"), json!({ "tags": ["later"] })).ok();

    // Lists cover the whole company; an update does not move an experiment.
    assert_eq!(listed(&shop, ""), [c, b, a]);
    assert_eq!(listed(&blog, ""), [c, b, a]);
    for (query, expect) in [
        ("?limit=2", &[c, b][..]),
        ("?limit=2&offset=2", &[a]),
        ("?limit=2&offset=3", &[]),
        ("?offset=1", &[b, a]),
        ("?limit=1&offset=1&unknown=x&unknown=y", &[b]),
        ("?offset=9007199254740992", &[]),
    ] {
        let answer = shop.get(&format!("/experiments{query}")).ok();
        assert_eq!(ids(&answer["experiments"], "test_id"), expect, "{query}");
        assert_eq!(answer["count"], expect.len(), "{query}");
    }
    blog.delete(&format!("/experiment/{c}")).ok();
    assert_eq!(listed(&shop, ""), [b, a]);
}

fn hypotheses_come_by_their_update_and_in_pages(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let blog = app.project("Acme", "Blog");
    blog.hypothesis(json!({ "problem": "elsewhere" }));
    let [a, b, c] = ["a", "b", "c"].map(|text| shop.hypothesis(json!({ "problem": text })));
    assert_eq!(backlog(&shop, ""), [c, b, a], "of one moment the highest id first");
    app.pass(Duration::from_secs(1));
    shop.patch(&format!("/hypothesis/{a}"), json!({ "confidence": 5 })).ok();
    assert_eq!(backlog(&shop, ""), [a, c, b]);
    app.pass(Duration::from_secs(1));
    let test = shop.experiment(json!({ "hypothesis_id": b }));
    assert_eq!(backlog(&shop, ""), [b, a, c], "linking is an update");
    app.pass(Duration::from_secs(1));
    shop.patch(&format!("/experiment/{test}"), json!({ "hypothesis_id": c })).ok();
    assert_eq!(backlog(&shop, "?limit=1"), [c]);

    for (query, count, limit, offset, has_more, next) in [
        ("", 3, 50, 0, false, 3),
        ("?limit=2", 2, 2, 0, true, 2),
        ("?limit=2&offset=2", 1, 2, 2, false, 3),
        ("?limit=3", 3, 3, 0, false, 3),
        ("?offset=3", 0, 50, 3, false, 3),
        ("?offset=10", 0, 50, 10, false, 10),
    ] {
        let answer = shop.get(&format!("/hypotheses{query}")).ok();
        let page = ["count", "total", "limit", "offset", "has_more", "next_offset"].map(|field| answer[field].clone());
        let expect = [json!(count), json!(3), json!(limit), json!(offset), json!(has_more), json!(next)];
        assert_eq!(page, expect, "{query}");
        assert_eq!(answer["hypotheses"].as_array().map(Vec::len), Some(count), "{query}");
    }
}

fn archived_hypotheses_only_when_asked_for(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let [kept, gone] = ["kept", "gone"].map(|text| shop.hypothesis(json!({ "problem": text })));
    shop.patch(&format!("/hypothesis/{gone}"), json!({ "archived": true })).ok();
    for query in ["", "?include_archived=false", "?include_archived=0"] {
        let answer = shop.get(&format!("/hypotheses{query}")).ok();
        assert_eq!(ids(&answer["hypotheses"], "hypothesis_id"), [kept]);
        assert_eq!(answer["total"], 1);
        assert_eq!(answer["hypotheses"][0].get("archived"), None);
    }
    for query in ["?include_archived=true", "?include_archived=1"] {
        let answer = shop.get(&format!("/hypotheses{query}")).ok();
        assert_eq!(answer["total"], 2);
        let archived: Vec<_> = ids(&answer["hypotheses"], "hypothesis_id")
            .into_iter()
            .zip(answer["hypotheses"].as_array().expect("a list").iter().map(|one| one["archived"].clone()))
            .collect();
        assert_eq!(archived, [(gone, json!(true)), (kept, json!(false))]);
    }
    for query in ["?include_archived=yes", "?include_archived=", "?include_archived=TRUE", "?include_archived"] {
        let refused = shop.get(&format!("/hypotheses{query}")).refused(400, "invalid_parameter");
        assert_eq!(refused.fields(), ["include_archived"], "{query}");
    }
    shop.patch(&format!("/hypothesis/{gone}"), json!({ "archived": false })).ok();
    assert_eq!(backlog(&shop, "").len(), 2);
}

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn search_is_literal_and_ignores_case(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let texts = [
        "100% of visitors",
        "100 of visitors",
        "snake_case",
        "snakeXcase",
        r"back\slash",
        "Die Straße",
        "ΟΔΥΣΣΕΥΣ kam heim",
        "Съешь ещё этих мягких",
        "İstanbul",
        "ﬁne print",
        "ends here",
    ];
    let by_text: Vec<_> = texts.iter().map(|text| shop.hypothesis(json!({ "observation": text }))).collect();
    let id = |text: &str| by_text[texts.iter().position(|known| *known == text).expect("a text")];
    let in_problem = shop.hypothesis(json!({ "observation": "x", "problem": "Needle here" }));
    let in_solution = shop.hypothesis(json!({ "observation": "x", "solution": "the nEEdle" }));

    for (search, expect) in [
        ("100% o", vec!["100% of visitors"]),
        ("%", vec!["100% of visitors"]),
        ("e_c", vec!["snake_case"]),
        ("_", vec!["snake_case"]),
        (r"k\s", vec![r"back\slash"]),
        (r"\", vec![r"back\slash"]),
        ("STRASSE", vec!["Die Straße"]),
        ("straße", vec!["Die Straße"]),
        ("STRAẞE", vec!["Die Straße"]),
        ("οδυσσευς", vec!["ΟΔΥΣΣΕΥΣ kam heim"]),
        ("οδυσσευσ", vec!["ΟΔΥΣΣΕΥΣ kam heim"]),
        ("ΣΥΕΣ", vec![]),
        ("СЪЕШЬ ЕЩЁ", vec!["Съешь ещё этих мягких"]),
        ("FINE PRINT", vec!["ﬁne print"]),
        ("ends  here", vec![]),
        ("'; DROP TABLE hypothesis; --", vec![]),
        ("100*", vec![]),
        ("[a-z]", vec![]),
    ] {
        let answer = shop.get(&format!("/hypotheses?search={}", encode(search))).ok();
        let expect: Vec<_> = expect.into_iter().map(id).collect();
        assert_eq!(ids(&answer["hypotheses"], "hypothesis_id"), expect, "{search}");
        assert_eq!(answer["total"], expect.len(), "{search}");
    }
    assert_eq!(backlog(&shop, "?search=NEEDLE"), [in_solution, in_problem]);
    assert_eq!(backlog(&shop, "?search=needle+here"), [in_problem]);
    // Each field is searched separately, not across the end of one and the start of the next.
    assert!(backlog(&shop, "?search=xneedle").is_empty());
    assert!(backlog(&shop, "?search=x%0Aneedle").is_empty());
    let all = texts.len() + 2;
    for blank in ["", "+", "%20%09", "%E3%80%80"] {
        assert_eq!(backlog(&shop, &format!("?search={blank}")).len(), all, "{blank:?}");
    }
    assert!(backlog(&shop, &format!("?search={}", encode(&"ß".repeat(200)))).is_empty());
    let long = shop.get(&format!("/hypotheses?search={}", encode(&"ß".repeat(201))));
    assert_eq!(long.refused(400, "invalid_parameter").fields(), ["search"]);
    for broken in ["%FF", "%00", "%C3%28"] {
        let refused = shop.get(&format!("/hypotheses?search={broken}")).refused(400, "invalid_parameter");
        assert_eq!(refused.fields(), ["search"], "{broken}");
    }
    // The current text is searched, not the earlier one.
    shop.patch(&format!("/hypothesis/{in_problem}"), json!({ "problem": "Pin" })).ok();
    assert_eq!(backlog(&shop, "?search=needle"), [in_solution]);
    assert_eq!(backlog(&shop, "?search=PIN"), [in_problem]);
    shop.patch(&format!("/hypothesis/{in_problem}"), json!({ "archived": true })).ok();
    assert!(backlog(&shop, "?search=PIN").is_empty());
    assert_eq!(backlog(&shop, "?search=PIN&include_archived=1"), [in_problem]);
}

fn pages_that_make_no_sense(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for list in ["/experiments", "/hypotheses", "/goals"] {
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=-1", "limit"),
            ("limit=1.5", "limit"),
            ("limit=1.0", "limit"),
            ("limit=", "limit"),
            ("limit", "limit"),
            ("limit=ten", "limit"),
            ("limit=1e2", "limit"),
            ("limit=0x10", "limit"),
            ("limit=%2B5", "limit"),
            ("limit=+5", "limit"),
            ("limit=5%20", "limit"),
            ("limit=%D9%A5", "limit"),
            ("limit=9007199254740993", "limit"),
            ("limit=99999999999999999999999", "limit"),
            ("limit=5&limit=5", "limit"),
            ("limit=5&offset=1&limit=6", "limit"),
            ("offset=-1", "offset"),
            ("offset=ten", "offset"),
            ("offset=1.5", "offset"),
            ("offset=", "offset"),
            ("offset=9007199254740993", "offset"),
            ("offset=0&offset=0", "offset"),
        ] {
            let refused = shop.get(&format!("{list}?{query}")).refused(400, "invalid_parameter");
            assert_eq!(refused.fields(), [field], "{list}?{query}");
        }
        let both = shop.get(&format!("{list}?limit=0&offset=-1")).refused(400, "invalid_parameter");
        assert_eq!(both.fields(), ["limit", "offset"], "all that is wrong is told");
        shop.get(&format!("{list}?limit=9007199254740992")).ok();
        shop.get(&format!("{list}?limit=007")).ok();
    }
}

fn a_page_is_cut_to_its_maximum(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    for _ in 0..51 {
        shop.goal(&format!("g{}", shop.get("/goals?limit=500").ok()["count"]));
    }
    assert_eq!(shop.get("/goals").ok()["count"], 50);
    assert_eq!(shop.get("/goals?limit=1000").ok()["count"], 51);
    let page = shop.get("/hypotheses?limit=1000").ok();
    assert_eq!(page["limit"], 200);
    assert_eq!(shop.get("/hypotheses?limit=200").ok()["limit"], 200);
}
