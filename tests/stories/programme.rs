//! The programme: all concluded experiments together.

use crate::overview::company_wide;
use crate::results::{Shop, bought};
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::time::Duration;

stories! {
    always: [
        nothing_was_concluded,
        pages_go_on_while_others_conclude,
        conclusions_of_before_have_no_lift,
        what_winners_bring_together,
    ],
    postgres_at_night: [
        what_is_listed,
        keys_see_their_own_programme,
        personalizations_have_no_lift,
    ],
}

const DAY: Duration = Duration::from_secs(86_400);

fn programme(client: &Client, query: &str) -> Value {
    company_wide(client).get(&format!("/programme{query}")).ok()
}

fn names(programme: &Value) -> Vec<&str> {
    let items = programme["items"].as_array().expect("items").iter();
    items.map(|item| item["test_name"].as_str().expect("a name")).collect()
}

/// Concludes an experiment as a person does.
fn conclude(person: &Client, id: i64, body: Value) {
    let mut whole = json!({ "note": "", "override_reason": "The story says so." });
    whole.as_object_mut().expect("fields").extend(body.as_object().expect("fields").clone());
    person.post(&format!("/experiment/{id}/conclude"), whole).ok();
}

/// Advances the clock by a day and signs the editor in again, because sessions end earlier.
fn next_day(app: &TestApp, shop: &Client) -> Client {
    app.pass(DAY);
    shop.signed_in(&app.sign_in("editor@acme.example"))
}

fn nothing_was_concluded(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    shop.experiment(json!({ "status": 1 }));
    let none = json!({ "tests": 0, "without_lift": 0, "expected": null, "expected_interval": null, "shown": 0.0 });
    assert_eq!(
        programme(&shop, ""),
        json!({
            "success": true,
            "totals": {
                "concluded": 0,
                "outcomes": { "won": 0, "lost": 0, "inconclusive": 0, "stopped_early": 0, "invalid": 0 },
                "win_rate": null,
                "win_rate_interval": null,
                "exploratory": 0,
                "per_month": null,
                "months": [],
            },
            "cumulative": { "won_or_served": none, "served": none },
            "learned_from": 0,
            "without_estimate": { "invalid": 0, "personalization": 0, "no_result": 0, "not_trusted": 0, "too_few_conversions": 0 },
            "truncated": false,
            "calibration": [],
            "holdouts": [],
            "total": 0,
            "items": [],
            "next_cursor": null,
        })
    );
}

fn what_winners_bring_together(on: On) {
    let mut scene = Shop::open(on, json!({ "test_name": "Winner" }));
    let shop = scene.client.clone();
    scene.app.signed_in_as(&shop, "editor");
    let hypothesis = shop.hypothesis(json!({ "observation": "O", "confidence": 4, "importance": 2 }));
    shop.patch(&format!("/experiment/{}", scene.test_id), json!({ "hypothesis_id": hypothesis })).ok();
    let holdout =
        shop.post("/exclusion-group", json!({ "name": "All", "kind": "holdout", "percent": 5, "scope": "project" }));
    let holdout = holdout.created()["group_id"].clone();
    let winner = scene.test_id;
    scene.crowd("winner", &[("0", 500, 100), ("1", 500, 200)], "2026-03-01T10:01:00Z", &bought());
    let start = |name: &str| shop.experiment(json!({ "test_name": name, "status": 1, "primary_goal_key": "bought" }));
    let (loser, few) = (start("Loser"), start("Few"));
    scene.test_id = loser;
    scene.crowd("loser", &[("0", 400, 100), ("1", 400, 90)], "2026-03-01T10:05:00Z", &bought());
    scene.test_id = few;
    scene.crowd("few", &[("0", 40, 9), ("1", 40, 12)], "2026-03-01T10:05:00Z", &bought());
    scene.app.pass(DAY);
    let editor = next_day(&scene.app, &shop);

    scene.test_id = winner;
    let analysis = scene.result("")["variants"][1]["analysis"].clone();
    conclude(
        &editor,
        winner,
        json!({ "outcome": "won", "note": "=Yes", "learned": "Ask for less.", "serve_variant_id": "1" }),
    );
    conclude(&editor, loser, json!({ "outcome": "lost" }));
    conclude(&editor, few, json!({ "outcome": "won" }));

    let check = |client: &Client| {
        let seen = programme(client, "");
        assert_eq!(names(&seen), ["Few", "Loser", "Winner"]);
        assert_eq!((&seen["totals"]["concluded"], &seen["totals"]["outcomes"]["won"]), (&json!(3), &json!(2)));
        assert_eq!(seen["totals"]["months"], json!([{ "month": "2026-03", "concluded": 3, "won": 2 }]));
        assert!((seen["totals"]["win_rate"].as_f64().expect("a rate") - 66.667).abs() < 0.01);
        assert_eq!(seen["learned_from"], 2);
        let item = &seen["items"][2];
        for (field, expect) in [
            ("project_key", json!(client.project_key)),
            ("test_id", json!(winner)),
            ("hypothesis_id", json!(hypothesis)),
            ("outcome", json!("won")),
            ("concluded_by", json!("The editor")),
            ("note", json!("=Yes")),
            ("learned", json!("Ask for less.")),
            ("serving_variant_id", json!("1")),
            ("goal_key", json!("bought")),
            ("visitors", json!(1_000)),
            ("variant_id", json!("1")),
            ("lift", analysis["lift"].clone()),
            ("lift_interval", analysis["lift_interval"].clone()),
            ("confidence", json!(4)),
            ("importance", json!(2)),
            ("difficulty", Value::Null),
        ] {
            assert_eq!(item[field], expect, "{field}");
        }
        let number = |value: &Value| value.as_f64().expect("a number");
        let (expected, interval) = (number(&item["expected_lift"]), &item["expected_interval"]);
        assert!(expected > 10.0 && expected < number(&item["lift"]), "{item}");
        assert!(number(&interval[0]) < expected && expected < number(&interval[1]), "{item}");
        // Fewer than ten conversions in an arm are too few.
        let few = &seen["items"][0];
        assert_eq!((&few["expected_lift"], &few["visitors"]), (&Value::Null, &json!(80)));
        assert_eq!((&few["no_estimate"], &item["no_estimate"]), (&json!("too_few_conversions"), &Value::Null));
        assert_eq!(seen["without_estimate"]["too_few_conversions"], 1);
        let (won, served) = (&seen["cumulative"]["won_or_served"], &seen["cumulative"]["served"]);
        assert_eq!((&won["tests"], &won["without_lift"], &won["shown"]), (&json!(1), &json!(1), &item["lift"]));
        assert_eq!((&served["tests"], &served["expected"]), (&json!(1), &item["expected_lift"]));
        let rated: Vec<_> =
            seen["calibration"].as_array().expect("ratings").iter().map(|it| (&it["rating"], &it["value"])).collect();
        assert_eq!(rated, [(&json!("confidence"), &json!(4)), (&json!("importance"), &json!(2))]);
        assert_eq!(seen["calibration"][0]["expected_lift"], item["expected_lift"]);
        assert_eq!(seen["holdouts"][0]["percent"], 5.0);
        let result = seen["holdouts"][0]["result"].as_str().expect("a path");
        assert_eq!(result, format!("/v2/project/{}/exclusion-group/{holdout}/result", client.project_key));
        seen
    };
    let before = check(&shop);
    let csv = company_wide(&shop).get("/programme.csv").has_status(200);
    assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"programme.csv\""));
    let text = csv.text();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.lines().next().expect("a line").starts_with("project_key,test_id,test_name,"), "{text}");
    // Text that a spreadsheet would run as a formula is escaped.
    assert!(text.contains(",'=Yes,Ask for less."), "{text}");

    scene.app.start_again();
    let shop = shop.at(scene.app.address);
    assert_eq!(check(&shop), before);

    // A winner that is no longer served still counts as won. A reopened experiment is not part of the
    // programme, and its lift is not learned from.
    let stop = || shop.call("POST", &format!("/experiment/{winner}/stop-serving")).send();
    // A busy database refuses the request, and then nothing has changed.
    eventually("serving is stopped", DEADLINE, || stop().status != 503);
    let seen = programme(&shop, "");
    assert_eq!(seen["items"][2]["serving_variant_id"], Value::Null);
    assert_eq!((&seen["cumulative"]["served"]["tests"], &seen["learned_from"]), (&json!(0), &json!(2)));
    assert_eq!(seen["cumulative"]["won_or_served"]["tests"], 1);
    scene.app.reopen(winner);
    let seen = programme(&shop, "");
    assert_eq!((names(&seen), &seen["learned_from"]), (vec!["Few", "Loser"], &json!(1)));
    assert_eq!(programme(&shop, "?search=ask")["total"], 0);
    shop.delete(&format!("/experiment/{loser}")).ok();
    assert_eq!(programme(&shop, "")["learned_from"], 0);
}

/// Creates the experiments of the projects, concluded a day apart each.
fn concluded(app: &TestApp, shop: &Client, blog: &Client) {
    app.signed_in_as(shop, "editor");
    for (client, name, outcome, note, learned) in [
        (shop, "Straße", "won", "GRÜSSE", "50%_\\ more"),
        (shop, "apple", "lost", "", "Nobody reads."),
        (blog, "Banana", "inconclusive", "", ""),
        (blog, "cherry", "invalid", "The pixel was off.", ""),
        (shop, "Damson", "stopped_early", "", "nothing"),
    ] {
        let editor = next_day(app, shop);
        let id = client.experiment(json!({ "test_name": name, "tags": ["fruit"] }));
        conclude(
            &editor.in_project(&client.project_key),
            id,
            json!({ "outcome": outcome, "note": note, "learned": learned }),
        );
    }
}

fn what_is_listed(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    concluded(&app, &shop, &blog);
    let (shop_key, blog_key) = (&shop.project_key, &blog.project_key);
    let all = programme(&shop, "");
    let moment = |at: usize| all["items"][at]["concluded_at"].as_str().expect("a moment").to_owned();
    for (query, expect, concluded) in [
        (String::new(), vec!["Damson", "cherry", "Banana", "apple", "Straße"], 5),
        ("?outcome=won,invalid".to_owned(), vec!["cherry", "Straße"], 5),
        ("?search=grüsse".to_owned(), vec!["Straße"], 5),
        ("?search=STRASSE".to_owned(), vec!["Straße"], 5),
        ("?search=50%25_%5C".to_owned(), vec!["Straße"], 5),
        ("?search=READS".to_owned(), vec!["apple"], 5),
        ("?search=pixel&outcome=won".to_owned(), vec![], 5),
        ("?search=Fruit".to_owned(), vec!["Damson", "cherry", "Banana", "apple", "Straße"], 5),
        ("?search='%20OR%201=1".to_owned(), vec![], 5),
        (format!("?project={blog_key}"), vec!["cherry", "Banana"], 2),
        (format!("?project={blog_key},{shop_key}&outcome=lost"), vec!["apple"], 5),
        ("?project=prj_nobody".to_owned(), vec![], 0),
        (format!("?from={}", moment(2)), vec!["Damson", "cherry", "Banana"], 3),
        (format!("?to={}", moment(2)), vec!["apple", "Straße"], 2),
        (format!("?from={}&to={}", moment(3), moment(1)), vec!["Banana", "apple"], 2),
        ("?from=2030-01-01".to_owned(), vec![], 0),
    ] {
        let seen = programme(&shop, &query);
        assert_eq!(names(&seen), expect, "{query}");
        assert_eq!(
            (&seen["total"], &seen["totals"]["concluded"]),
            (&json!(expect.len()), &json!(concluded)),
            "{query}"
        );
    }
    // The invalid one is not counted in the win rate.
    assert_eq!(all["totals"]["win_rate"], 25.0);
    assert_eq!(
        (&all["without_estimate"], &all["items"][1]["no_estimate"]),
        (
            &json!({ "invalid": 1, "personalization": 0, "no_result": 4, "not_trusted": 0, "too_few_conversions": 0 }),
            &json!("invalid")
        )
    );
    for (query, parameter) in [
        ("?outcome=none", "outcome"),
        ("?outcome=", "outcome"),
        ("?from=yesterday", "from"),
        ("?from=0000-01-01", "from"),
        ("?to=x", "to"),
        ("?limit=0", "limit"),
        ("?cursor=x", "cursor"),
        ("?cursor=5.x61", "cursor"),
        ("?format=csv", "format"),
        (&format!("?search={}", "x".repeat(201)), "search"),
        (&format!("?project={}", vec!["p"; 101].join(",")), "project"),
    ] {
        let refused = company_wide(&shop).get(&format!("/programme{query}")).refused(400, "invalid_parameter");
        assert_eq!(refused.fields(), [parameter], "{query}");
    }
    // Extreme cursors and times are valid.
    for query in ["?cursor=1.-9223372036854775808", "?cursor=9007199254740991.9223372036854775807", "?from=1970-01-01"]
    {
        assert_eq!(programme(&shop, query)["totals"]["concluded"], 5, "{query}");
    }
}

fn personalizations_have_no_lift(on: On) {
    let mut scene = Shop::open(on, json!({ "test_name": "Headline" }));
    let shop = scene.client.clone();
    let returning = json!({ "name": "Variant 1", "targeting": { "device_rule": ["mobile"] } });
    let personal = json!({
        "test_name": "Returning", "test_type": "personalization", "status": 1, "primary_goal_key": "bought", "variants": [returning],
    });
    let personal = shop.experiment(personal);
    let compared = scene.test_id;
    let editor = scene.app.signed_in_as(&shop, "editor");
    for test_id in [compared, personal] {
        scene.test_id = test_id;
        let at = "2026-03-01T10:00:00Z";
        scene.crowd(&format!("of-{test_id}"), &[("0", 200, 40), ("1", 200, 80)], at, &bought());
        conclude(&editor, test_id, json!({ "outcome": "won", "serve_variant_id": "1" }));
    }
    let seen = programme(&shop, "");
    assert_eq!(names(&seen), ["Returning", "Headline"]);
    let item = &seen["items"][0];
    assert_eq!(
        (&item["lift"], &item["expected_lift"], &item["no_estimate"]),
        (&Value::Null, &Value::Null, &json!("personalization"))
    );
    assert_eq!((&seen["learned_from"], &seen["without_estimate"]["personalization"]), (&json!(1), &json!(1)));
    let served = &seen["cumulative"]["served"];
    assert_eq!((&served["tests"], &served["without_lift"]), (&json!(1), &json!(1)));
    assert_eq!(served["shown"], seen["items"][1]["lift"]);
}

fn pages_go_on_while_others_conclude(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let editor = RefCell::new(app.signed_in_as(&shop, "editor"));
    let make = |number: usize| {
        // Several are concluded at the same moment, so that the id decides.
        if number.is_multiple_of(3) {
            editor.replace(next_day(&app, &shop));
        }
        let id = shop.experiment(json!({ "test_name": format!("test {number}") }));
        conclude(&editor.borrow(), id, json!({ "outcome": "lost" }));
        id
    };
    let mut ids: Vec<i64> = (0..11).map(make).collect();
    ids.reverse();
    for table in ["", ".csv"] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = company_wide(&shop).get(&format!("/programme{table}?limit=4{cursor}")).has_status(200);
            let next = if table == ".csv" {
                let text = page.text();
                seen.extend(text.lines().skip(1).map(|line| line.split(',').nth(1).expect("an id").to_owned()));
                page.header("x-muriel-cursor").map(str::to_owned)
            } else {
                let page = page.ok();
                seen.extend(page["items"].as_array().expect("items").iter().map(|item| item["test_id"].to_string()));
                page["next_cursor"].as_str().map(str::to_owned)
            };
            // An experiment concluded meanwhile sorts to the front.
            make(1);
            match next {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let before: Vec<i64> = seen.iter().map(|id| id.parse().expect("an id")).filter(|id| ids.contains(id)).collect();
        assert_eq!(before, ids, "{table}");
    }
}

fn keys_see_their_own_programme(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    let foreign = app.project("Other", "Shop");
    concluded(&app, &shop, &blog);
    assert_eq!(programme(&foreign, "")["totals"]["concluded"], 0);
    assert_eq!(programme(&foreign, &format!("?project={}", shop.project_key))["total"], 0);
    let blog_key = blog.project_key.clone();
    let limited = app.key(&shop, |wanted| wanted.projects = vec![blog_key]);
    assert_eq!(names(&programme(&limited, "")), ["cherry", "Banana"]);
    assert_eq!(programme(&limited, &format!("?project={}", shop.project_key))["totals"]["concluded"], 0);
    let viewer = app.signed_in_as(&shop, "viewer");
    assert_eq!(company_wide(&viewer).get("/programme").ok()["total"], 5);
    company_wide(&shop.with_key(None)).get("/programme").refused(401, "unauthorized");
    company_wide(&app.scoped(&shop, "write")).get("/programme?limit=0").refused(403, "missing_scope");
}

/// For experiments concluded before the migration, the search finds the texts, and no other data was stored.
fn conclusions_of_before_have_no_lift(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    concluded(&app, &shop, &blog);
    let before = programme(&shop, "");
    app.refill_overview();
    assert_eq!(programme(&shop, ""), before);
    assert_eq!(names(&programme(&shop, "?search=reads")), ["apple"]);
    app.tamper("DELETE FROM conclusion_result");
    let item = programme(&shop, "?search=straße")["items"][0].clone();
    for field in ["goal_key", "visitors", "variant_id", "lift", "lift_interval", "expected_lift", "expected_interval"] {
        assert_eq!(item[field], Value::Null, "{field}");
    }
    app.tamper("DELETE FROM conclusion");
    let item = programme(&shop, "?search=straße")["items"][0].clone();
    assert_eq!((&item["learned"], &item["concluded_by"], &item["note"]), (&json!(""), &Value::Null, &json!("GRÜSSE")));
}
