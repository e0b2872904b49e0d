//! Events of strangers change no number of keyed events; effects of refunds.

use crate::scene::{Collector, Outcomes, id};
use muriel_tests::{Client, On, TestApp, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        a_goal_limits_and_names_its_orders,
    ],
    postgres_at_night: [
        orders_cannot_be_claimed,
        junk_currency_changes_nothing,
        one_huge_order_changes_nothing,
        event_ids_cannot_be_claimed,
        visitors_cannot_be_moved,
        visitors_without_a_key_enter_as_before,
        refunds_lower_revenue_alone,
    ],
}

const DAY: Duration = Duration::from_secs(86_400);
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
/// Time of all entries, and an hour later.
const ENTRY: &str = "2026-03-02T10:00:00Z";
const LATER: &str = "2026-03-02T11:00:00Z";

/// A shop with an experiment on revenue that went live on 2026-03-01 at 10:00, a day and a half hour ago.
struct Shop {
    _app: TestApp,
    client: Client,
    collector: Collector,
    goal_id: i64,
    test_id: i64,
}

impl Shop {
    fn open(on: On, goal: Value) -> Self {
        let app = on.start();
        let client = app.project("Acme", "Shop");
        let mut body =
            json!({ "goal_name": "Revenue", "goal_type": "revenue", "goal_value": "Purchase", "goal_key": "revenue" });
        body.as_object_mut().expect("fields").extend(goal.as_object().expect("fields").clone());
        let goal_id = client.post("/goal", body).created()["goal_profile_id"].as_i64().expect("an id");
        let test_id = client.experiment(json!({ "status": 1, "primary_goal_key": "revenue" }));
        let collector = Collector::of(&client);
        // Events without a key count for a day.
        app.pass(DAY + DAY / 16);
        Self { _app: app, client, collector, goal_id, test_id }
    }

    /// Sends 30 visitors per arm with a key, of whom 12 and 24 buy something for about 50 EUR.
    fn sells(&self) {
        for visitor in 0..60 {
            let mut events = vec![self.exposure(&(visitor % 2).to_string())];
            if buys(visitor) {
                events.push(order(&format!("A-{}", 1_000 + visitor), 40.0 + f64::from(visitor / 2)));
            }
            self.keyed(&format!("v-{visitor}"), events);
        }
    }

    fn exposure(&self, arm: &str) -> Value {
        json!({ "type": "exposure", "test_id": self.test_id, "variant_id": arm, "at": ENTRY })
    }

    /// Sends events of a visitor with a key. Returns their statuses.
    #[track_caller]
    fn keyed(&self, visitor: &str, events: Vec<Value>) -> Vec<String> {
        let answer = self.collector.trusted.post("", body(visitor, events));
        taken(Outcomes { answer })
    }

    /// Like [`Shop::keyed`], without a key.
    #[track_caller]
    fn anonymous(&self, visitor: &str, events: Vec<Value>) -> Vec<String> {
        let call = self.collector.call().header("user-agent", FIREFOX);
        taken(Outcomes { answer: call.json(body(visitor, events)).send() })
    }

    #[track_caller]
    fn result(&self) -> Value {
        self.report("result")
    }

    /// Returns a report about the experiment, and retries while the server is busy or loading.
    #[track_caller]
    fn report(&self, what: &str) -> Value {
        self.client.get_when_loaded(&format!("/experiment/{}/{what}", self.test_id)).ok()
    }

    /// Returns conversions, orders and revenue of buyers, in total and for each arm.
    #[track_caller]
    fn sold(&self) -> Value {
        let result = self.result();
        let of = |part: &Value, conversions: &str| {
            json!([part[conversions], part["total_orders"], part["total_revenue"], part["currency"]])
        };
        json!([
            of(&result, "total_conversions"),
            of(&result["variants"][0], "conversions"),
            of(&result["variants"][1], "conversions"),
        ])
    }

    /// Returns the result without the position in the log, in total and by device, and its days.
    #[track_caller]
    fn reports(&self) -> Vec<Value> {
        let report = |what: &str| {
            let mut report = self.report(what);
            report.as_object_mut().expect("fields").remove("manifest");
            report
        };
        ["result", "result?breakdown_by=device&end_date=2026-03-02", "timeseries"].map(report).to_vec()
    }

    /// Returns how many visitors entered each arm.
    #[track_caller]
    fn entered(&self) -> [i64; 2] {
        let result = self.result();
        [0, 1].map(|arm| result["variants"][arm]["visitors"].as_i64().expect("a count"))
    }

    #[track_caller]
    fn health(&self, check: &str) -> (String, String) {
        let check = self.result()["health"][check].clone();
        let text = |field: &str| check[field].as_str().unwrap_or_else(|| panic!("{check}")).to_owned();
        (text("status"), text("message"))
    }
}

/// Returns whether this visitor of the shop buys.
fn buys(visitor: i32) -> bool {
    visitor / 2 < 12 * (visitor % 2 + 1)
}

fn body(visitor: &str, events: Vec<Value>) -> Value {
    let with_ids = events.into_iter().map(|mut event| {
        if event.get("id").is_none() {
            event["id"] = id().into();
        }
        event
    });
    json!({ "visitor": { "id": visitor }, "events": with_ids.collect::<Vec<_>>() })
}

#[track_caller]
fn taken(outcomes: Outcomes) -> Vec<String> {
    let results = outcomes.results();
    for result in &results {
        assert_ne!(result["status"], "invalid", "{result}");
    }
    outcomes.statuses()
}

fn order(number: &str, value: f64) -> Value {
    json!({
        "type": "order", "name": "Purchase", "value": value, "currency": "EUR", "order_id": number, "at": LATER,
    })
}

/// Returns an event with other fields.
fn with(mut event: Value, fields: Value) -> Value {
    event.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    event
}

fn orders_cannot_be_claimed(on: On) {
    let shop = Shop::open(on, json!({}));
    let claims = || {
        let buyers = (0..60).filter(|visitor| buys(*visitor));
        let claim = |visitor| with(order(&format!("A-{}", 1_000 + visitor), 0.0), json!({ "at": ENTRY }));
        buyers.map(claim).collect::<Vec<_>>()
    };
    // Order numbers that are still to come, sent by a visitor who entered before.
    shop.anonymous("early", [vec![shop.exposure("1")], claims()].concat());
    shop.sells();
    let sold = shop.sold();
    assert_eq!([&sold[0][0], &sold[0][1], &sold[1][1], &sold[2][1]], [36, 36, 12, 24]);
    // Numbers of existing orders, dated before them, also under the ids of visitors who ordered.
    shop.anonymous("late", [vec![shop.exposure("0")], claims()].concat());
    shop.anonymous("v-0", claims());
    shop.anonymous("v-1", claims());
    assert_eq!(shop.sold(), sold);

    // Without a key a number counts once for each visitor, so nobody can take it from another.
    let shop = Shop::open(on, json!({}));
    for visitor in ["a", "b", "a"] {
        shop.anonymous(visitor, vec![shop.exposure("1"), order("A-1", 20.0)]);
    }
    assert_eq!(shop.sold()[0], json!([2, 2, 40.0, "EUR"]));
}

fn junk_currency_changes_nothing(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.sells();
    let before = shop.sold();
    for number in 0..3 {
        let junk = |at: usize| with(order(&format!("Z-{number}-{at}"), 0.01), json!({ "currency": "ZWL" }));
        let events = std::iter::once(shop.exposure("1")).chain((0..499).map(junk)).collect();
        shop.anonymous(&format!("junk-{number}"), events);
    }
    assert_eq!(shop.sold(), before);
    assert_eq!(shop.health("currency").0, "warn");
    // Without keyed events, buyers count, not orders.
    let shop = Shop::open(on, json!({}));
    for visitor in ["a", "b"] {
        shop.anonymous(visitor, vec![shop.exposure("1"), order(visitor, 20.0)]);
    }
    let junk = |at: usize| with(order(&format!("Z-{at}"), 0.01), json!({ "currency": "ZWL" }));
    shop.anonymous("junk", std::iter::once(shop.exposure("1")).chain((0..99).map(junk)).collect());
    assert_eq!(shop.sold()[0], json!([2, 2, 40.0, "EUR"]));
    // The goal's own currency takes precedence over that of the buyers.
    shop.client.patch(&format!("/goal/{}", shop.goal_id), json!({ "currency": "ZWL" })).ok();
    assert_eq!(shop.sold()[0], json!([1, 99, 0.99, "ZWL"]));
}

fn one_huge_order_changes_nothing(on: On) {
    let shop = Shop::open(on, json!({}));
    shop.sells();
    let before = (shop.sold(), shop.result()["variants"][1]["analysis"]["verdict"].clone());
    assert_eq!(shop.health("orders").0, "ok");
    shop.anonymous("whale", vec![shop.exposure("1"), order("B-1", 1e11)]);
    shop.anonymous("hole", vec![shop.exposure("1"), order("B-2", -1e11)]);
    // A refund without a key has no effect on an order with one, no matter who sends it.
    shop.anonymous("thief", vec![shop.exposure("1"), order("A-1001", -1e11)]);
    shop.anonymous("v-1", vec![order("A-1001", -41.0), with(order("B-3", -41.0), json!({ "refund_of": "A-1001" }))]);
    let untied = json!({ "type": "order", "name": "Purchase", "value": -1e11, "currency": "EUR", "at": LATER });
    shop.anonymous("v-1", vec![untied]);
    assert_eq!((shop.sold(), shop.result()["variants"][1]["analysis"]["verdict"].clone()), before);
    let (status, message) = shop.health("orders");
    assert_eq!(status, "warn");
    assert!(message.starts_with("Left out: 1 order, which is worth more than 630 EUR"), "{message}");

    // Without any key it cannot be distinguished from a genuine order, but it is named, and capped
    // values are compared.
    let shop = Shop::open(on, json!({}));
    for visitor in 0..24 {
        let events = vec![shop.exposure(&(visitor % 2).to_string()), order(&visitor.to_string(), 50.0)];
        shop.anonymous(&format!("v-{visitor}"), events);
    }
    let compared = |result: Value| result["variants"][1]["analysis"]["difference_interval"].clone();
    let before = compared(shop.result());
    shop.anonymous("v-1", vec![order("huge", 1e11)]);
    let (status, message) = shop.health("orders");
    assert_eq!(status, "warn");
    let expect =
        "One order of 100000000000 EUR, made at 2026-03-02T11:00:00.000Z in Variant 1 and sent without a key, is 100 %";
    assert!(message.starts_with(expect), "{message}");
    assert_eq!(compared(shop.result()), before, "the largest buyer counts as much as the next one");
}

fn event_ids_cannot_be_claimed(on: On) {
    let shop = Shop::open(on, json!({}));
    let ids: Vec<String> = (0..4).map(|_| id()).collect();
    let claims = || {
        let page = |id: &String| json!({ "type": "pageview", "url": "https://shop.example/", "id": id, "at": ENTRY });
        ids.iter().map(page).collect::<Vec<_>>()
    };
    let genuine = || {
        let mut events = vec![with(shop.exposure("1"), json!({ "id": ids[0] }))];
        let orders = ids[1..].iter().zip(1..).map(|(id, n)| with(order(&n.to_string(), 10.0), json!({ "id": id })));
        events.extend(orders);
        events
    };
    // Before and after, as a stranger and under the buyer's id: each response is as if nobody else had
    // sent the event id.
    assert_eq!(shop.anonymous("stranger", claims()), ["ok"; 4]);
    assert_eq!(shop.anonymous("buyer", claims()), ["ok"; 4]);
    assert_eq!(shop.keyed("buyer", genuine()), ["ok"; 4]);
    assert_eq!(shop.keyed("buyer", genuine()), ["duplicate"; 4]);
    assert_eq!(shop.anonymous("third", claims()), ["ok"; 4]);
    assert_eq!(shop.anonymous("third", claims()), ["duplicate"; 4]);
    assert_eq!(shop.sold()[2], json!([1, 3, 30.0, "EUR"]));
    // Orders with the ids and numbers of keyed ones, of the buyer and of a stranger, change nothing either.
    for visitor in ["buyer", "another"] {
        let dear = |event: Value| with(event, json!({ "value": 1.0, "at": ENTRY }));
        shop.anonymous(visitor, genuine()[1..].iter().cloned().map(dear).collect());
    }
    assert_eq!(shop.sold()[2], json!([1, 3, 30.0, "EUR"]));
    let trusted: Vec<bool> =
        crate::scene::stored(&shop._app).iter().map(|event| event["vouched"] == json!(true)).collect();
    assert_eq!(trusted.iter().filter(|trusted| **trusted).count(), 4);
}

fn visitors_cannot_be_moved(on: On) {
    let shop = Shop::open(on, json!({}));
    // Each of these, sent under a guessed visitor id, would move or remove the visitor if it were trusted.
    let moves = |visitor: i32| {
        let other = shop.exposure(if visitor % 2 == 0 { "1" } else { "0" });
        let dated = |at: &str| with(other.clone(), json!({ "at": at }));
        vec![
            dated("2026-03-01T12:00:00Z"),
            dated(ENTRY),
            dated("2026-03-02T10:00:01Z"),
            with(dated("2026-03-02T09:00:00Z"), json!({ "epoch": 1 })),
            // Into the same arm, but with other attributes, or later than the purchase.
            with(
                shop.exposure(&(visitor % 2).to_string()),
                json!({ "at": "2026-03-01T13:00:00Z", "context": { "visitor_type": "returning", "country": "DE" } }),
            ),
            with(shop.exposure(&(visitor % 2).to_string()), json!({ "at": "2026-03-05T10:00:00Z" })),
            dated("2026-02-28T10:00:00Z"),
        ]
    };
    let shows = |visitor: i32, expected: &[Value]| {
        assert_eq!(shop.reports(), expected, "after v-{visitor}");
        assert_eq!(shop.entered(), [30, 30]);
    };
    // Sent before the visitors entered.
    for visitor in 0..60 {
        shop.anonymous(&format!("v-{visitor}"), moves(visitor));
    }
    assert_ne!(shop.entered(), [0, 0]);
    shop.sells();
    let before = shop.reports();
    let sold = shop.sold();
    assert_eq!([&sold[0][0], &sold[0][1], &sold[1][1], &sold[2][1]], [36, 36, 12, 24]);
    for check in ["sample_ratio", "crossovers", "before_start", "bots"] {
        assert_eq!(shop.health(check).0, "ok", "{check}");
    }
    // Sent after that: for half of them, for all, and once more by a bot.
    for visitors in [0..30, 30..60] {
        let last = visitors.end - 1;
        for visitor in visitors {
            shop.anonymous(&format!("v-{visitor}"), moves(visitor));
        }
        shows(last, &before);
    }
    let call = shop.collector.call().header("user-agent", "Googlebot/2.1 (+http://www.google.com/bot.html)");
    taken(Outcomes { answer: call.json(body("v-7", moves(7))).send() });
    shows(7, &before);
    // A key is trusted with all that: the first keyed exposure counts, and the second arm is noticed.
    shop.keyed("v-7", moves(7)[..1].to_vec());
    assert_eq!(shop.entered(), [31, 29]);
    assert!(shop.health("crossovers").1.starts_with("1 visitor"), "{:?}", shop.health("crossovers"));
}

fn visitors_without_a_key_enter_as_before(on: On) {
    let shop = Shop::open(on, json!({}));
    let earlier = |arm: &str| with(shop.exposure(arm), json!({ "at": "2026-03-01T12:00:00Z" }));
    shop.anonymous("v", vec![shop.exposure("1")]);
    assert_eq!(shop.entered(), [0, 1]);
    shop.anonymous("v", vec![earlier("0")]);
    assert_eq!(shop.entered(), [1, 0]);
    // Keyed orders do not determine the arm, nor do keyed exposures dated before the start.
    shop.keyed("v", vec![order("A-1", 10.0)]);
    shop.keyed("v", vec![with(shop.exposure("1"), json!({ "at": "2026-02-28T10:00:00Z" }))]);
    assert_eq!(shop.entered(), [1, 0]);
    // The first keyed exposure does, and earlier actions no longer count.
    assert_eq!(shop.sold()[0][1], 1);
    shop.keyed("v", vec![with(shop.exposure("1"), json!({ "at": "2026-03-02T12:00:00Z" }))]);
    assert_eq!((shop.entered(), &shop.sold()[0][1]), ([0, 1], &json!(0)));
    // Nor can anybody turn a visitor that a server marks as a bot into a person.
    let agent = json!({ "id": "crawler", "user_agent": "Googlebot/2.1 (+http://www.google.com/bot.html)" });
    let bot = with(body("crawler", vec![shop.exposure("0")]), json!({ "visitor": agent }));
    taken(Outcomes { answer: shop.collector.trusted.post("", bot) });
    shop.anonymous("crawler", vec![earlier("0"), shop.exposure("0")]);
    assert_eq!(shop.entered(), [0, 1]);
}

fn a_goal_limits_and_names_its_orders(on: On) {
    let shop = Shop::open(on, json!({ "max_order_value": 100.0, "currency": "EUR" }));
    let goal = shop.client.get(&format!("/goal/{}", shop.goal_id)).ok()["goal"].clone();
    assert_eq!((&goal["max_order_value"], &goal["currency"]), (&json!(100.0), &json!("EUR")));
    assert_eq!(shop.health("orders").0, "unknown");
    shop.sells();
    let before = shop.sold();
    // With a key too: a price in cents is a mistake, not an attack.
    shop.keyed("v-1", vec![order("C-1", 4_990.0), order("C-2", 100.0)]);
    let after = shop.sold();
    assert_eq!(after[0][1].as_i64(), before[0][1].as_i64().map(|orders| orders + 1));
    let (status, message) = shop.health("orders");
    assert_eq!(
        (&*status, &*message),
        ("warn", "Left out: 1 order, which is worth more than the goal's max_order_value of 100 EUR.")
    );
    // Without the limit it counts, and is named.
    shop.client.patch(&format!("/goal/{}", shop.goal_id), json!({ "max_order_value": null })).ok();
    assert_eq!(shop.sold()[0][1].as_i64(), before[0][1].as_i64().map(|orders| orders + 2));
    let (status, message) = shop.health("orders");
    assert_eq!(status, "warn");
    assert!(message.contains("One order of 4990 EUR") && message.contains("sent with a key"), "{message}");
    // A full refund ends that.
    shop.keyed("desk", vec![order("C-1", -4_990.0)]);
    assert_eq!(shop.health("orders").0, "ok");
    for (field, value) in [
        ("max_order_value", json!(0)),
        ("max_order_value", json!(-1)),
        ("max_order_value", json!(1e12)),
        ("max_order_value", json!("100")),
        ("currency", json!("eur")),
        ("currency", json!("EURO")),
        ("currency", json!(978)),
    ] {
        shop.client.patch(&format!("/goal/{}", shop.goal_id), json!({ field: value })).invalid(&[field]);
    }
}

fn refunds_lower_revenue_alone(on: On) {
    let shop = Shop::open(on, json!({ "window_days": 3 }));
    shop._app.pass(8 * DAY);
    let refund =
        |fields: Value| with(json!({ "type": "order", "name": "Refund", "currency": "EUR", "at": LATER }), fields);
    let early = json!({ "at": "2026-03-02T09:00:00Z" });
    shop.keyed("buyer", vec![shop.exposure("1"), order("A-1", 100.0), with(order("A-0", 70.0), early)]);
    shop.keyed("other", vec![shop.exposure("1"), order("A-2", 10.0)]);
    let sold = || shop.sold()[2].clone();
    assert_eq!(sold(), json!([2, 2, 110.0, "EUR"]));
    for (what, visitor, event, revenue) in [
        ("in part, by the order's own number", "buyer", refund(json!({ "order_id": "A-1", "value": -30.0 })), 80.0),
        ("once more, of another visitor", "desk", refund(json!({ "order_id": "A-1", "value": -20.0 })), 60.0),
        (
            "with a number of its own",
            "desk",
            refund(json!({ "order_id": "R-1", "refund_of": "A-1", "value": -5.0 })),
            55.0,
        ),
        ("the same again", "desk", refund(json!({ "order_id": "R-1", "refund_of": "A-1", "value": -5.0 })), 55.0),
        ("what was bought before entry", "buyer", refund(json!({ "order_id": "A-0", "value": -70.0 })), 55.0),
        ("an order that nobody knows", "buyer", refund(json!({ "order_id": "A-9", "value": -9.0 })), 55.0),
        ("in another currency", "buyer", refund(json!({ "order_id": "A-1", "value": -9.0, "currency": "USD" })), 55.0),
        (
            "after the window",
            "buyer",
            refund(json!({ "order_id": "A-1", "value": -9.0, "at": "2026-03-06T10:00:00Z" })),
            55.0,
        ),
        ("more than it was worth", "buyer", refund(json!({ "order_id": "A-1", "value": -900.0 })), 10.0),
        ("of another name, tied to nothing", "other", refund(json!({ "value": -1.0 })), 10.0),
        ("of the goal's name, tied to nothing", "other", refund(json!({ "name": "Purchase", "value": -4.0 })), 6.0),
        ("of somebody who bought nothing", "nobody", refund(json!({ "name": "Purchase", "value": -4.0 })), 6.0),
    ] {
        if visitor == "nobody" {
            shop.keyed(visitor, vec![shop.exposure("0")]);
        }
        shop.keyed(visitor, vec![event]);
        assert_eq!(sold(), json!([2, 2, revenue, "EUR"]), "{what}");
        // Each day of the series agrees.
        let series = shop.report("timeseries");
        let last = series["timeseries"].as_array().expect("days").iter().rev().find(|day| day["variant_id"] == "1");
        assert_eq!(last.expect("a day")["revenue"], json!(revenue), "{what}");
    }
    assert_eq!(shop.sold()[1], json!([0, 0, 0.0, "EUR"]));
    let positive =
        json!({ "type": "order", "name": "Purchase", "value": 5, "currency": "EUR", "refund_of": "A-1", "id": id() });
    let answer = shop.collector.trusted.post("", json!({ "visitor": { "id": "buyer" }, "events": [positive] }));
    let message = Outcomes { answer }.results()[0]["message"].clone();
    assert_eq!(message, "refund_of is only for refunds: send a negative value");
}
