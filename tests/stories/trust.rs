//! Trust in events: signatures of visitors, policies of a project, and what the clock acts on.

use crate::results::{DAY, Shop, bought, counts};
use crate::scene::{id, stored};
use crate::webhooks::{Receiver, made};
use muriel_tests::{DEADLINE, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        a_project_counts_orders_that_are_trusted_enough,
        a_visitor_gets_a_signature,
    ],
    postgres_at_night: [
        a_network_gets_a_hundred_signatures_an_hour,
        a_project_counts_who_is_trusted_enough,
        unsigned_visitors_decide_nothing,
        one_network_decides_nothing,
        signed_visitors_of_many_networks_decide,
        a_proxy_that_is_not_trusted_changes_no_verdict,
        a_person_confirms_an_act_that_is_held_back,
        a_network_counts_for_a_tenth_of_a_limit,
        weights_move_no_further_than_without_any_network,
        a_verdict_is_sent_once_it_rests_on_no_network,
        events_of_the_past_count_only_with_a_key,
        pages_of_other_origins_do_not_count,
    ],
}

const AT: &str = "2026-03-01T10:10:00Z";
const HOUR: Duration = Duration::from_secs(3_600);
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// Starts a server that takes the addresses of visitors from a header.
fn start(on: On) -> TestApp {
    on.start_with(|settings| settings.trusted_proxies = "127.0.0.0/8".parse().expect("networks"))
}

/// Sends events of a visitor without a key from this address. Returns the answer.
#[track_caller]
fn send(shop: &Shop, address: &str, visitor: Value, events: &[Value]) -> Value {
    let with_id = |event: &Value| {
        let mut event = event.clone();
        event["id"] = id().into();
        event
    };
    let body = json!({ "visitor": visitor, "events": events.iter().map(with_id).collect::<Vec<_>>() });
    let call = shop.collector.call().header("x-forwarded-for", address).header("user-agent", FIREFOX);
    call.json(body).send().ok()
}

/// Lets visitors without a key enter each arm, `converted` of whom convert, each from the address that `of` returns.
fn strangers(shop: &Shop, name: &str, arms: &[(&str, u32, u32)], of: impl Fn(u32) -> String) {
    strangers_at(AT, shop, name, arms, of);
}

/// Like [`strangers`], at ten minutes past an hour.
fn strangers_at(at: &str, shop: &Shop, name: &str, arms: &[(&str, u32, u32)], of: impl Fn(u32) -> String) {
    for (arm, visitors, converted) in arms {
        for number in 0..*visitors {
            let mut events = vec![shop.exposure(arm, at)];
            if number < *converted {
                let mut event = bought();
                event["at"] = at.replace(":10:", ":11:").into();
                events.push(event);
            }
            let visitor = json!({ "id": format!("{name}-{arm}-{number}") });
            send(shop, &of(number), visitor, &events);
        }
    }
}

/// Uses up the signatures that a network gets in this hour.
fn exhaust(shop: &Shop, address: &str) {
    for number in 0..=100 {
        let answer = send(shop, address, json!({ "id": format!("filler-{address}-{number}") }), &[bought()]);
        assert_eq!(answer.get("visitor_signature").is_some(), number < 100, "{number}: {answer}");
    }
}

fn verdict(result: &Value) -> &str {
    result["variants"][1]["analysis"]["verdict"].as_str().expect("a verdict")
}

fn served(shop: &Shop) -> Value {
    shop.client.details(shop.test_id)["serving_variant_id"].clone()
}

fn a_visitor_gets_a_signature(on: On) {
    let shop = Shop::open_in(start(on), json!({}));
    let send = |visitor: Value| send(&shop, "203.0.113.7", visitor, &[bought()]);
    let first = send(json!({ "id": "v-1" }));
    let signature = first["visitor_signature"].as_str().expect("a signature").to_owned();
    assert_eq!(signature.len(), 24);
    let known = send(json!({ "id": "v-1", "signature": signature }));
    assert_eq!(known.get("visitor_signature"), None);
    // It is the visitor's own.
    let other = send(json!({ "id": "v-2", "signature": signature }));
    assert!(other["visitor_signature"].as_str().is_some_and(|own| own != signature), "{other}");
    let again = send(json!({ "id": "v-1", "signature": null }));
    assert_eq!(again["visitor_signature"], signature);
    let body = json!({ "visitor": { "id": "v-3", "signature": 7 }, "events": [] });
    shop.collector.call().json(body).send().invalid(&["visitor.signature"]);
    // Neither a bot nor a server with a key gets one.
    let event = |kind: &str| json!([{ "id": id(), "type": "custom", "name": kind }]);
    let bot = json!({ "visitor": { "id": "v-4" }, "events": event("of a bot") });
    let bot = shop.collector.call().header("user-agent", "Googlebot/2.1").json(bot).send().ok();
    assert_eq!(bot.get("visitor_signature"), None);
    let keyed = json!({ "visitor": { "id": "v-5", "signature": "x" }, "events": event("of a server") });
    assert_eq!(shop.collector.trusted.post("", keyed).ok().get("visitor_signature"), None);
    let of = |event: &Value| (event["visitor"]["id"].clone(), event["signed"] == true, event["vouched"] == true);
    let expected = [
        ("v-1", true, false),
        ("v-1", true, false),
        ("v-2", true, false),
        ("v-1", true, false),
        ("v-4", false, false),
        ("v-5", false, true),
    ];
    assert_eq!(stored(&shop.app).iter().map(of).collect::<Vec<_>>(), expected.map(|(v, s, k)| (json!(v), s, k)));
    // A restarted server knows the signature again.
    let mut shop = shop;
    shop.app.start_again();
    shop.client = shop.client.at(shop.app.address);
    shop.collector = crate::scene::Collector::of(&shop.client);
    let known = self::send(&shop, "203.0.113.7", json!({ "id": "v-1", "signature": signature }), &[bought()]);
    assert_eq!(known.get("visitor_signature"), None);
}

fn a_network_gets_a_hundred_signatures_an_hour(on: On) {
    let shop = Shop::open_in(start(on), json!({}));
    exhaust(&shop, "203.0.113.7");
    let send = |address: &str| send(&shop, address, json!({ "id": "late" }), &[bought()]);
    assert_eq!(send("203.0.113.200").get("visitor_signature"), None, "another address of the network");
    assert!(send("198.51.100.7").get("visitor_signature").is_some(), "another network");
    shop.app.pass(HOUR);
    assert!(send("203.0.113.200").get("visitor_signature").is_some(), "the next hour");
}

fn a_project_counts_who_is_trusted_enough(on: On) {
    let shop = Shop::open_in(start(on), json!({}));
    shop.crowd("keyed", &[("0", 30, 6), ("1", 30, 9)], AT, &bought());
    strangers(&shop, "signed", &[("0", 5, 1), ("1", 5, 2)], |_| "198.51.100.7".to_owned());
    exhaust(&shop, "203.0.113.7");
    strangers(&shop, "unsigned", &[("0", 3, 0), ("1", 7, 7)], |_| "203.0.113.7".to_owned());
    shop.app.pass(DAY);
    let patch = |visitors: &str| shop.client.patch("/settings", json!({ "visitors": visitors }));
    let message = |result: &Value| {
        let check = &result["health"]["unvouched"];
        assert_eq!(check["status"], "ok");
        check["message"].as_str().expect("a sentence").to_owned()
    };
    let all = shop.result("");
    assert_eq!(counts(&all), [(38, 7), (42, 18)]);
    assert!(message(&all).starts_with("10 visitors (12.5 %) are neither signed nor keyed"), "{all}");
    assert_eq!(all["manifest"].get("policy"), None);
    for (visitors, expected, said) in [
        ("signed", [(35, 7), (35, 11)], "Left out: 10 visitors (12.5 %), who are neither signed nor keyed, because"),
        ("keyed", [(30, 6), (30, 9)], "Left out: 20 visitors (25.0 %), who are not keyed, because"),
    ] {
        assert_eq!(patch(visitors).ok()["settings"]["visitors"], visitors);
        let result = shop.result("");
        assert_eq!(counts(&result), expected, "{visitors}");
        assert!(message(&result).starts_with(said), "{result}");
        assert_eq!(result["manifest"]["policy"], json!({ "visitors": visitors, "orders": "any" }));
    }
    patch("any").ok();
    assert_eq!(counts(&shop.result("")), counts(&all));
    patch("some").invalid(&["visitors"]);
}

fn a_project_counts_orders_that_are_trusted_enough(on: On) {
    let shop = Shop::open_in(start(on), json!({}));
    let goal =
        json!({ "goal_name": "Revenue", "goal_type": "revenue", "goal_value": "Purchase", "goal_key": "revenue" });
    shop.client.post("/goal", goal).created();
    shop.client.patch(&format!("/experiment/{}", shop.test_id), json!({ "primary_goal_key": "revenue" })).ok();
    let order = |number: &str, value: f64| json!({ "type": "order", "name": "Purchase", "currency": "EUR", "value": value, "order_id": number, "at": AT });
    for (arm, number) in [("0", "A-1"), ("1", "A-2")] {
        let events = [shop.exposure(arm, AT), order(number, 10.0)].map(|mut event| {
            event["id"] = id().into();
            event
        });
        let body = json!({ "visitor": { "id": format!("keyed-{arm}") }, "events": events });
        shop.collector.trusted.post("", body).ok();
    }
    send(&shop, "198.51.100.7", json!({ "id": "signed" }), &[shop.exposure("1", AT), order("A-3", 20.0)]);
    exhaust(&shop, "203.0.113.7");
    send(&shop, "203.0.113.7", json!({ "id": "unsigned" }), &[shop.exposure("1", AT), order("A-4", 40.0)]);
    shop.app.pass(DAY);
    let one = "1 order that was sent neither with a key nor by a visitor with a signature";
    let two = "2 orders that were sent without a key";
    for (orders, revenue, left_out) in [("any", 80.0, None), ("signed", 40.0, Some(one)), ("keyed", 20.0, Some(two))] {
        shop.client.patch("/settings", json!({ "orders": orders })).ok();
        let result = shop.result("");
        assert_eq!(result["total_revenue"], revenue, "{orders}");
        assert_eq!(
            result["variants"][0]["visitors"].as_u64().zip(result["variants"][1]["visitors"].as_u64()),
            Some((1, 3))
        );
        let message = result["health"]["orders"]["message"].as_str().expect("a message").to_owned();
        let expected = left_out
            .map(|what| format!(" Not counted: {what}, because the project's setting orders is {orders}."))
            .unwrap_or_default();
        assert!(message.ends_with(&expected), "{message}");
        assert_eq!(message.contains("Not counted"), left_out.is_some(), "{message}");
    }
}

/// Opens a shop where the clock serves a winner, with keyed visitors among whom nothing differs.
fn calm(on: On) -> Shop {
    let besides = json!({ "plan": { "mde": 5 }, "configuration": { "is_autopilot": 1 } });
    let shop = Shop::open_in(start(on), besides);
    shop.crowd("keyed", &[("0", 300, 30), ("1", 300, 30)], AT, &bought());
    shop
}

fn unsigned_visitors_decide_nothing(on: On) {
    let shop = calm(on);
    let networks = ["203.0.113.7", "198.51.100.7", "192.0.2.7", "203.0.114.7"];
    networks.iter().for_each(|network| exhaust(&shop, network));
    strangers(&shop, "attack", &[("0", 110, 0), ("1", 110, 110)], |number| networks[number as usize % 4].to_owned());
    shop.app.pass(DAY + HOUR);
    let result = shop.result("");
    assert_eq!(verdict(&result), "win", "readers see what the project's policy counts");
    let check = &result["health"]["unvouched"];
    let message = check["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("220 visitors"), "{check}");
    let differs = "Without them, the verdict on Variant 1 would be keep_running instead of win; their effect differs \
                   from that of all others by more than chance.";
    assert!(check["status"] == "warn" && message.contains(differs), "{check}");
    shop.app.run_task("check_completion_rules");
    assert_eq!(served(&shop), Value::Null);
}

fn one_network_decides_nothing(on: On) {
    let shop = calm(on);
    strangers(&shop, "attack", &[("0", 50, 0), ("1", 50, 50)], |_| "203.0.113.7".to_owned());
    shop.app.pass(DAY + HOUR);
    let result = shop.result("");
    assert_eq!((verdict(&result), result["health"].get("unvouched")), ("keep_running", None));
    let reason = result["variants"][1]["analysis"]["reason"].as_str().expect("a sentence");
    let expected = "It is concentrated: the verdict would be win, but does not hold without one network, which has 14 % of \
                    the visitors and makes 100 % of the difference.";
    assert_eq!(reason, expected);
    assert_eq!(result["health"]["concentration"]["status"], "warn", "{}", result["health"]["concentration"]);
    shop.app.run_task("check_completion_rules");
    assert_eq!(served(&shop), Value::Null);
}

fn signed_visitors_of_many_networks_decide(on: On) {
    let shop = calm(on);
    strangers(&shop, "page", &[("0", 150, 10), ("1", 150, 90)], |number| format!("203.0.{number}.7"));
    shop.app.pass(DAY + HOUR);
    let result = shop.result("");
    assert_eq!(verdict(&result), "win");
    let check = &result["health"]["concentration"];
    assert!(check["message"].as_str().is_some_and(|it| it.starts_with("Every verdict holds without any")), "{check}");
    assert_eq!(check["status"], "ok");
    let is_served = || {
        shop.app.run_task("check_completion_rules");
        served(&shop) == "1"
    };
    eventually("the winner is served", DEADLINE, is_served);
}

fn a_proxy_that_is_not_trusted_changes_no_verdict(on: On) {
    let shop = Shop::open_in(start(on), json!({ "plan": { "mde": 5 } }));
    strangers(&shop, "site", &[("0", 120, 12), ("1", 120, 60)], |_| "198.51.100.7".to_owned());
    shop.app.pass(DAY + HOUR);
    let result = shop.result("");
    let check = &result["health"]["concentration"];
    assert_eq!((verdict(&result), &check["status"]), ("win", &json!("unknown")), "{check}");
    assert!(check["message"].as_str().is_some_and(|it| it.contains("100 % of the visitors")), "{check}");
    // Behind the proxy, a network of its own is judged as anywhere.
    strangers(&shop, "attack", &[("0", 100, 100), ("1", 100, 0)], |_| "203.0.113.7".to_owned());
    shop.app.pass(HOUR);
    let result = shop.result("");
    assert_ne!(verdict(&result), "loss", "{result}");
}

fn a_person_confirms_an_act_that_is_held_back(on: On) {
    let shop = calm(on);
    let receiver = Receiver::answering(&[204]);
    made(&shop.client, &receiver.url(), &["experiment.act_held_back", "experiment.start_failed"]);
    shop.app.person("Acme", "editor@acme.example", "editor");
    let path = format!("/experiment/{}/confirm-act", shop.test_id);
    let confirm = |reason: &str| {
        // Sessions end while days pass.
        let person = shop.client.signed_in(&shop.app.sign_in("editor@acme.example"));
        person.post(&path, json!({ "reason": reason }))
    };
    confirm("nothing is held back").refused(409, "transition_forbidden");
    strangers(&shop, "office", &[("0", 50, 0), ("1", 50, 50)], |_| "203.0.113.7".to_owned());
    shop.app.pass(DAY + HOUR);
    shop.app.run_task("check_completion_rules");
    let last = shop.client.details(shop.test_id)["schedule"]["last"].clone();
    assert!(last["failed"].as_str().is_some_and(|it| it.contains("does not hold without one network")), "{last}");
    let message = receiver.wait(1)[0].json();
    assert_eq!((&message["type"], &message["data"]["rule"]), (&json!("experiment.act_held_back"), &json!("autopilot")));
    assert_eq!(message["data"]["reason"], last["failed"]);
    confirm(" ").invalid(&["reason"]);
    shop.client.post(&path, json!({ "reason": "a key" })).refused(403, "session_needed");

    let confirmed = confirm("The network is our office").ok();
    assert_eq!(confirmed["rule"], "autopilot");
    assert!(confirmed["confirmed_until"].is_string());
    shop.app.pass(HOUR);
    let is_served = || {
        shop.app.run_task("check_completion_rules");
        served(&shop) == "1"
    };
    eventually("the winner is served", DEADLINE, is_served);
    confirm("again").refused(409, "transition_forbidden");
    let history = shop.app.history(shop.test_id);
    let confirmed: Vec<_> = history.iter().filter(|entry| entry.action == "confirm act").collect();
    assert_eq!(confirmed.len(), 1);
    let detail = confirmed[0].detail.as_ref().expect("a detail");
    assert_eq!(detail["reason"], "The network is our office");
}

fn a_network_counts_for_a_tenth_of_a_limit(on: On) {
    for (rule, setting) in [("visitors", "completion_visitor"), ("conversions", "completion_conversion")] {
        let shop = Shop::open_in(start(on), json!({ "configuration": { setting: 40 } }));
        strangers(&shop, "attack", &[("0", 20, 20), ("1", 20, 20)], |_| "203.0.113.7".to_owned());
        shop.app.pass(HOUR);
        let held_back = || {
            let last = shop.client.details(shop.test_id)["schedule"]["last"].clone();
            last["rule"] == rule
                && last["failed"]
                    .as_str()
                    .is_some_and(|it| it.contains("leaves 4 of 40; the largest network has 100 % of all"))
        };
        eventually("the reason", DEADLINE, held_back);
        assert_eq!(shop.client.details(shop.test_id)["status"], 1);
        strangers(&shop, "page", &[("0", 20, 20), ("1", 20, 20)], |number| format!("203.0.{number}.7"));
        eventually("the end", DEADLINE, || shop.client.details(shop.test_id)["status"] == 0);
        let last = shop.client.details(shop.test_id)["schedule"]["last"].clone();
        assert_eq!((&last["rule"], last.get("failed"), &last["numbers"][rule]), (&json!(rule), None, &json!(80)));
    }
}

fn weights_move_no_further_than_without_any_network(on: On) {
    let weight_with = |of: &dyn Fn(u32) -> String| {
        // The clock does not look before all visitors have come.
        let app = on.start_with(|settings| {
            settings.trusted_proxies = "127.0.0.0/8".parse().expect("networks");
            settings.worker = false;
        });
        let shop = Shop::open_in(app, json!({ "configuration": { "is_mab": 1 } }));
        shop.crowd("keyed", &[("0", 300, 60), ("1", 300, 66)], AT, &bought());
        strangers(&shop, "page", &[("0", 50, 0), ("1", 50, 50)], of);
        shop.app.pass(HOUR);
        let clock = shop.app.clock_worker();
        let moved = || {
            shop.app.pass(Duration::from_secs(60));
            shop.app.run_clock(&clock);
            shop.client.details(shop.test_id)["schedule"]["last"]["rule"] == "bandit"
        };
        eventually("a move", DEADLINE, moved);
        let distribution = shop.client.get(&format!("/experiment/{}/distribution", shop.test_id)).ok();
        distribution["variants"][1]["traffic_weight"].as_f64().expect("a weight")
    };
    // Without the visitors of pages, Variant 1 is the best with a probability of about 0.7.
    let of_one = weight_with(&|_| "203.0.113.7".to_owned());
    assert!((60.0..80.0).contains(&of_one), "{of_one}");
    let of_many = weight_with(&|number| format!("203.0.{number}.7"));
    assert!(of_many > 90.0, "{of_many}");
}

fn a_verdict_is_sent_once_it_rests_on_no_network(on: On) {
    let shop = Shop::open_in(start(on), json!({ "plan": { "mde": 5 } }));
    shop.crowd("keyed", &[("0", 300, 30), ("1", 300, 30)], AT, &bought());
    strangers(&shop, "attack", &[("0", 50, 0), ("1", 50, 50)], |_| "203.0.113.7".to_owned());
    let receiver = Receiver::answering(&[204]);
    let (webhook, _) = made(&shop.client, &receiver.url(), &["verdict.reached"]);
    shop.app.pass(DAY + HOUR);
    assert_eq!(verdict(&shop.result("")), "keep_running");
    shop.app.run_task("tell_findings");
    // Messages keep their order, so the verdict would have come before this one.
    crate::webhooks::test(&shop.client, webhook);
    assert_eq!(receiver.wait(1)[0].event(), "webhook.test");
    // Events without a key count for a day.
    let at = "2026-03-02T10:10:00Z";
    strangers_at(at, &shop, "page", &[("0", 150, 10), ("1", 150, 90)], |number| format!("203.0.{number}.7"));
    shop.app.pass(HOUR);
    assert_eq!(receiver.wait(2)[1].json()["data"]["verdict"], "win");
}

fn events_of_the_past_count_only_with_a_key(on: On) {
    let shop = Shop::open_in(start(on), json!({}));
    let status = |status: u8| {
        shop.client.patch(&format!("/experiment/{}/status", shop.test_id), json!({ "status": status })).ok();
    };
    let counts = || {
        let result = shop.result("");
        [0, 1].map(|arm| result["variants"][arm]["visitors"].as_u64().expect("a count"))
    };
    let sentence = || shop.result("")["health"]["unvouched"]["message"].as_str().unwrap_or_default().to_owned();
    shop.app.pass(HOUR);
    strangers(&shop, "prompt", &[("0", 3, 1)], |_| "203.0.113.7".to_owned());
    status(0);
    // From a queue: within a day.
    shop.app.pass(23 * HOUR);
    strangers(&shop, "waiting", &[("0", 2, 1)], |_| "203.0.113.7".to_owned());
    assert_eq!((counts(), sentence().contains("Left out")), ([5, 0], false), "{}", sentence());
    let before = shop.result("")["total_conversions"].clone();

    shop.app.pass(HOUR);
    let mut purchase = bought();
    purchase["at"] = AT.into();
    let late = &[shop.exposure("1", AT), purchase.clone()];
    let answer = send(&shop, "203.0.113.9", json!({ "id": "late" }), late);
    for result in answer["results"].as_array().expect("results") {
        let note = result["note"].as_str().unwrap_or_default();
        assert!(result["status"] == "ok" && note.contains("more than 24 hours before the receipt"), "{result}");
    }
    strangers(&shop, "late", &[("1", 4, 4)], |_| "203.0.113.9".to_owned());
    // Visitors who entered in time convert no more, either.
    send(&shop, "203.0.113.7", json!({ "id": "prompt-0-2" }), &[purchase]);
    assert_eq!((counts(), &shop.result("")["total_conversions"]), ([5, 0], &before));
    // Their late events are among those that are lost.
    let lost = shop.result("")["health"]["lost_events"]["message"].clone();
    assert!(lost.as_str().is_some_and(|it| it.contains("1 ")), "{lost}");
    assert!(
        sentence().ends_with(
            "Left out: 5 visitors whose exposures were received without a key, more than 24 hours after \
         their time."
        ),
        "{}",
        sentence()
    );
    // A server can report later.
    shop.crowd("keyed", &[("1", 2, 1)], AT, &bought());
    assert_eq!(counts(), [5, 2]);
    // Repeats of late events with a key count; the visitor is then no longer left out.
    let mut exposure = shop.exposure("1", AT);
    exposure["id"] = id().into();
    shop.collector.trusted.post("", json!({ "visitor": { "id": "late" }, "events": [exposure] })).ok();
    assert_eq!(counts(), [5, 3]);
    assert!(sentence().contains("Left out: 4 visitors"), "{}", sentence());
}

fn pages_of_other_origins_do_not_count(on: On) {
    let shop = Shop::open_in(start(on), json!({}));
    shop.app.pass(HOUR);
    let enters = |visitor: &str, url: Option<&str>, context: Option<&str>| {
        let mut exposure = shop.exposure("1", AT);
        if let Some(url) = url {
            exposure["url"] = url.into();
        }
        if let Some(url) = context {
            exposure["context"] = json!({ "url": url });
        }
        let mut purchase = bought();
        purchase["at"] = "2026-03-01T10:11:00Z".into();
        purchase["url"] = "https://elsewhere.example/thanks".into();
        send(&shop, "203.0.113.7", json!({ "id": visitor }), &[exposure, purchase]);
    };
    enters("here", Some("https://shop.example/a"), None);
    enters("here too", None, Some("https://Shop.example:443/b?c"));
    enters("unknown", None, None);
    enters("insecure", Some("http://shop.example/a"), None);
    enters("test", Some("https://test.shop.example/a"), None);
    enters("both", Some("https://test.shop.example/a"), None);
    enters("both", Some("https://shop.example/a"), None);
    shop.crowd("keyed", &[("1", 1, 1)], AT, &bought());
    let counts = || {
        let result = shop.result("");
        assert_eq!(result["variants"][1]["visitors"], result["variants"][1]["conversions"]);
        let policy = result["manifest"]["policy"]["page_origins"].clone();
        let message = result["health"]["unvouched"]["message"].as_str().unwrap_or_default().to_owned();
        (result["variants"][1]["visitors"].as_u64().expect("a count"), policy, message)
    };
    let set = |origins: Value| shop.client.patch("/settings", json!({ "page_origins": origins }));
    let (all, policy, message) = counts();
    assert_eq!((all, policy, message.contains("page_origins")), (7, Value::Null, false), "{message}");
    set(json!(["shop.example"])).invalid(&["page_origins"]);
    set(json!([7])).invalid(&["page_origins"]);
    set(json!(["https://shop.example/checkout"])).ok();
    let (some, policy, message) = counts();
    assert_eq!((some, policy), (5, json!(["https://shop.example"])));
    assert!(message.contains("Left out: 2 visitors on pages that are not in"), "{message}");
    set(json!(["https://shop.example", "http://shop.example", "https://test.shop.example"])).ok();
    assert_eq!(counts().0, 7);
    set(json!([])).ok();
    assert_eq!(counts().1, Value::Null);
}
