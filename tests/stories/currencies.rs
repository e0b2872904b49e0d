//! Orders in several currencies, and their value in one currency.

use crate::scene::{Collector, id};
use muriel_tests::process::{command, program};
use muriel_tests::{Client, On, TestApp, stories};
use serde_json::{Value, json};

stories! {
    always: [
        rates_are_read_back_as_they_were_set,
        orders_count_in_the_currency_of_the_rates,
    ],
    postgres_at_night: [
        wrong_rates_are_refused,
    ],
}

fn rate(date: &str, currency: &str, rate: f64) -> Value {
    json!({ "date": date, "currency": currency, "rate": rate })
}

fn set(shop: &Client, body: Value) -> muriel_tests::Answer {
    shop.call("PUT", "/currency-rates").json(body).send()
}

fn rates_are_read_back_as_they_were_set(on: On) {
    let app = on.start();
    let (shop, blog) = (app.project("Acme", "Shop"), app.project("Acme", "Blog"));
    let none = json!({ "success": true, "currency": null, "count": 0, "rates": [] });
    assert_eq!(shop.get("/currency-rates").ok(), none);
    let rates = [rate("2026-03-02", "USD", 0.9), rate("2026-03-01", "USD", 0.92), rate("2026-03-01", "GBP", 1.15)];
    let changed = set(&shop, json!({ "currency": "EUR", "rates": rates })).ok();
    assert_eq!(changed, json!({ "success": true, "currency": "EUR", "count": 3 }));
    let read = shop.get("/currency-rates").ok();
    assert_eq!(read["rates"], json!([rates[2], rates[1], rates[0]]), "by currency, then by date");
    assert_eq!(blog.get("/currency-rates").ok(), none, "a table is its project's");
    // The response can be sent back unchanged.
    set(&shop, json!({ "currency": read["currency"], "rates": read["rates"] })).ok();
    assert_eq!(shop.get("/currency-rates").ok(), read);
    for scopes in ["read,write,code,evaluate", "read"] {
        set(&app.scoped(&shop, scopes), json!({ "currency": null, "rates": [] })).refused(403, "missing_scope");
    }
    set(&app.scoped(&shop, "admin"), json!({ "currency": null, "rates": [] })).ok();
    assert_eq!(shop.get("/currency-rates").ok(), none);
}

fn wrong_rates_are_refused(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let good = || rate("2026-03-01", "USD", 0.9);
    for (body, fields) in [
        (json!({}), &["currency", "rates"][..]),
        (json!({ "currency": "EUR", "rates": [] }), &["rates"]),
        (json!({ "currency": null, "rates": [good()] }), &["currency"]),
        (json!({ "currency": "EUR", "rates": [good(), good()] }), &["rates[1].date"]),
        (json!({ "currency": "USD", "rates": [good()] }), &["rates[0].currency"]),
        (
            json!({ "currency": "EUR", "rates": [rate("2026-02-30", "us", 0.0)] }),
            &["rates[0].currency", "rates[0].date", "rates[0].rate"],
        ),
        (
            json!({ "currency": "EUR", "rates": [{ "day": "2026-03-01", "currency": "USD", "rate": "1" }] }),
            &["rates[0].day", "rates[0].date", "rates[0].rate"],
        ),
        (json!({ "currency": "EUR", "rates": vec![good(); 10_001] }), &["rates"]),
    ] {
        let refused = set(&shop, body.clone()).refused(400, "invalid_field");
        assert_eq!(refused.fields(), fields, "{}", refused.text());
    }
    assert_eq!(shop.get("/currency-rates").ok()["count"], 0, "nothing was kept");
}

/// Creates a project with a live experiment and a revenue goal.
fn scene(app: &TestApp) -> (Client, i64) {
    let shop = app.project("Acme", "Shop");
    let goal =
        json!({ "goal_name": "Revenue", "goal_type": "revenue", "goal_value": "Purchase", "goal_key": "revenue" });
    shop.post("/goal", goal).created();
    let test_id = shop.experiment(json!({ "status": 1, "primary_goal_key": "revenue" }));
    (shop, test_id)
}

fn orders_count_in_the_currency_of_the_rates(on: On) {
    let app = on.start();
    let (shop, test_id) = scene(&app);
    let trusted = Collector::of(&shop).trusted;
    // Events dated in the future are stored with their time of receipt.
    app.pass(std::time::Duration::from_secs(3 * 86_400));
    let buys = |visitor: &str, at: &str, value: f64, currency: &str| {
        let enters = json!({ "id": id(), "type": "exposure", "test_id": test_id, "variant_id": "0",
                             "at": "2026-03-01T10:00:00Z" });
        let order = json!({ "id": id(), "type": "order", "name": "Purchase", "value": value, "currency": currency,
                            "order_id": visitor, "at": at });
        trusted.post("", json!({ "visitor": { "id": visitor }, "events": [enters, order] })).ok();
    };
    buys("a", "2026-03-01T11:00:00Z", 100.0, "EUR");
    buys("b", "2026-03-01T12:00:00Z", 100.0, "USD");
    buys("c", "2026-03-02T12:00:00Z", 100.0, "USD");
    buys("d", "2026-03-01T12:00:00Z", 10_000.0, "JPY");
    buys("e", "2026-03-01T12:00:00Z", 0.0001, "USD");
    let result = || shop.get(&format!("/experiment/{test_id}/result")).ok();
    let before = result();
    assert_eq!(before["health"]["currency"]["status"], "fail", "{before}");
    assert_eq!(before["manifest"].get("currency_rates"), None);

    let rates = [rate("2026-01-01", "USD", 0.5), rate("2026-03-02", "USD", 0.92), rate("2026-03-02", "JPY", 0.0061)];
    set(&shop, json!({ "currency": "EUR", "rates": rates })).ok();
    let after = result();
    // 100 + 100 × 0.5 + 100 × 0.92 + 0.0001 × 0.5, which rounds up; the yen has no rate on its day.
    let shown = (&after["total_revenue"], &after["total_orders"], &after["currency"]);
    assert_eq!(shown, (&json!(242.0001), &json!(4), &json!("EUR")), "{after}");
    assert!(after["health"]["currency"]["message"].as_str().is_some_and(|text| text.contains("1 order")), "{after}");
    let expect = json!({ "currency": "EUR", "rates": {
        "JPY": { "2026-03-02": 0.0061 }, "USD": { "2026-01-01": 0.5, "2026-03-02": 0.92 } } });
    assert_eq!(after["manifest"]["currency_rates"], expect);

    // The manifest's rates have to equal those of the table.
    let verified = |result: &Value| {
        let file = app.settings.storage.data_dir.join("result.json");
        std::fs::write(&file, result.to_string()).expect("a file");
        let words = ["verify", file.to_str().expect("a path")];
        let program = program(None).expect("the program");
        let output = command(&program, &words, &app.settings.storage.data_dir).output().expect("a process");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (output.status.success(), said)
    };
    app.pass(std::time::Duration::from_secs(600));
    let later = result();
    let mut forged = later.clone();
    forged["manifest"]["currency_rates"]["rates"]["USD"]["2026-01-01"] = json!(0.6);
    // PostgreSQL would have to be named on the command line.
    let is_verified = on == On::Sqlite;
    if is_verified {
        let (held, said) = verified(&forged);
        assert!(!held && said.contains("manifest.currency_rates.rates.USD.2026-01-01: the database says"), "{said}");
        let (held, said) = verified(&later);
        assert!(held && !said.contains("not checked"), "{said}");
    }

    // The rates are in the manifest, so the result can be recomputed after they change.
    let rates = [rate("2026-01-01", "USD", 0.5), rate("2026-01-01", "JPY", 0.006)];
    set(&shop, json!({ "currency": "EUR", "rates": rates })).ok();
    let all = result();
    assert_eq!(
        (&all["total_revenue"], &all["health"]["currency"]["status"]),
        (&json!(260.0001), &json!("ok")),
        "{all}"
    );
    if is_verified {
        let (held, said) = verified(&later);
        assert!(held && said.contains("the currency rates were changed since"), "{said}");
    }
    set(&shop, json!({ "currency": null, "rates": [] })).ok();
    let again = result();
    assert_eq!(again["total_revenue"], before["total_revenue"], "as without a table");
}
