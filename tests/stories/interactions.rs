//! Experiments that change each other's effects.

use crate::recompute::verified_beside;
use crate::results::{DAY, counts};
use crate::scene::{Collector, id};
use muriel_tests::{Client, On, TestApp, stories};
use muriel_worker::Worker;
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        the_pairs_of_a_night_are_looked_at_once,
        an_experiment_that_changes_anothers_effect_is_named,
    ],
    postgres_at_night: [
        a_later_look_that_finds_no_effect_takes_it_back,
    ],
}

/// A shop whose clock acts only when the story runs it.
struct Shop {
    app: TestApp,
    /// Holds the server's state, so it is dropped before the server.
    worker: Option<Worker>,
    client: Client,
}

/// Visitors and conversions by the arm of the first and of the second experiment.
type Cells = [(usize, usize, u32, u32)];

/// Both variants together cancel the effect of the first alone.
const DISTURBED: &Cells = &[(0, 0, 200, 20), (0, 1, 200, 20), (1, 0, 200, 120), (1, 1, 200, 10)];

impl Shop {
    fn open(on: On) -> Self {
        let app = on.start_with(|settings| settings.worker = false);
        let client = app.project("Acme", "Shop");
        client.goal("bought");
        let worker = Some(app.clock_worker());
        Self { app, worker, client }
    }

    fn live(&self, name: &str) -> i64 {
        self.client.experiment(json!({ "test_name": name, "status": 1, "primary_goal_key": "bought" }))
    }

    /// Sends visitors who get the first two experiments in these arms, and the third in an independent arm.
    fn crowd(&self, name: &str, tests: [i64; 3], cells: &Cells) {
        let mut lines = String::new();
        let event = |mut event: Value, at: &str| {
            event["id"] = id().into();
            event["at"] = at.into();
            event
        };
        let exposure = |test_id: i64, arm: usize, at: &str| {
            event(json!({ "type": "exposure", "test_id": test_id, "variant_id": arm.to_string() }), at)
        };
        for &(one, other, visitors, converted) in cells {
            for number in 0..visitors {
                let mut events = vec![
                    exposure(tests[0], one, "2026-03-01T10:00:01Z"),
                    exposure(tests[1], other, "2026-03-01T10:00:02Z"),
                    exposure(tests[2], number as usize % 2, "2026-03-01T10:00:02Z"),
                ];
                if number < converted {
                    events.push(event(json!({ "type": "custom", "name": "bought" }), "2026-03-01T10:00:03Z"));
                }
                let visitor = format!("{name}-{one}-{other}-{number}");
                lines += &json!({ "visitor": { "id": visitor }, "events": events }).to_string();
                lines.push('\n');
            }
        }
        let trusted = Collector::of(&self.client).trusted;
        let batch = trusted.call("POST", "/batch").header("content-type", "application/x-ndjson");
        batch.body(lines).send().has_status(200);
    }

    fn pass(&self, time: Duration) {
        self.app.pass(time);
        self.app.run_clock(self.worker.as_ref().expect("a worker"));
    }

    /// Stops the server, advances the clock, and starts the server again.
    fn restart_after(&mut self, time: Duration) {
        self.worker = None;
        self.app.stop();
        self.app.pass(time);
        self.app.start_again();
        self.client = self.client.at(self.app.address);
        self.worker = Some(self.app.clock_worker());
    }

    #[track_caller]
    fn result(&self, test_id: i64) -> Value {
        self.client.get(&format!("/experiment/{test_id}/result")).ok()
    }
}

/// Returns the message of a result about other experiments.
fn interaction(result: &Value) -> Option<&str> {
    result["health"].get("interaction").map(|check| check["message"].as_str().expect("a sentence"))
}

fn an_experiment_that_changes_anothers_effect_is_named(on: On) {
    let mut shop = Shop::open(on);
    let tests = [shop.live("Short form"), shop.live("Trust \"row\""), shop.live("Footer")];
    let [form, row, footer] = tests;
    let apart = shop.live("Elsewhere");
    shop.pass(Duration::from_secs(1));
    shop.crowd("v", tests, DISTURBED);
    shop.pass(Duration::from_secs(60));
    let before = shop.result(form);
    assert_eq!((interaction(&before), before["manifest"].get("interactions")), (None, None), "not before the night");

    shop.pass(DAY);
    let found = shop.result(form);
    let facts = &found["manifest"]["interactions"][0];
    assert_eq!((&facts["test_id"], &facts["test_name"]), (&json!(row), &json!("Trust \"row\"")), "{found}");
    assert_eq!((&facts["variant_id"], &facts["other_variant_id"]), (&json!("1"), &json!("1")));
    assert_eq!((&facts["goal_key"], &facts["visitors"]), (&json!("bought"), &json!(800)));
    // (5 − 10) − (60 − 10) percent.
    assert_eq!(facts["difference"].as_f64().map(|it| (it * 1e6).round()), Some(-550_000.0));
    assert_eq!(facts["logs"][0]["position"], found["manifest"]["logs"][0]["position"]);
    assert_eq!((&facts["as_of"], facts.get("is_separated")), (&json!("2026-03-02T10:01:01.000Z"), None));
    let message = interaction(&found).expect("a finding");
    let expect = format!(
        "for visitors who met Variant 1 of \"Trust \"row\"\" (experiment {row}) than for those who met its control. \
         The effect of this experiment depends on that one: put both into an exclusion group, or end one first."
    );
    let begins = "The effect of Variant 1 on bought is 55.00 percentage points lower (interval -";
    assert!(message.starts_with(begins) && message.ends_with(&expect), "{message}");
    assert_eq!(found["health"]["interaction"]["status"], "warn");
    let numbers = |result: &Value| (counts(result), result["variants"][1]["analysis"]["p_value"].clone());
    assert_eq!(numbers(&found), numbers(&before), "it changes no number");
    let csv = shop.client.get(&format!("/experiment/{form}/result.csv")).has_status(200).text();
    assert!(csv.contains("interaction"), "{csv}");

    // The other experiment's result has it as well; experiments without an effect, or without shared
    // visitors, do not.
    assert_eq!(shop.result(row)["manifest"]["interactions"][0]["test_id"], form);
    for test_id in [footer, apart] {
        let silent = shop.result(test_id);
        assert_eq!((interaction(&silent), silent["manifest"].get("interactions")), (None, None));
    }

    // Each result can be computed again, before and after the check.
    for (result, note) in [(&before, true), (&found, false)] {
        let (holds, said) = verified_beside(&shop.app, result);
        assert!(holds, "{said}");
        assert_eq!(said.contains("interactions were checked again since"), note, "{said}");
    }
    // A result some time after a check has to agree with its findings.
    shop.pass(Duration::from_secs(120));
    let mut forged = shop.result(form);
    forged["manifest"]["interactions"][0]["difference"] = json!(-0.5);
    let (holds, said) = verified_beside(&shop.app, &forged);
    assert!(!holds && said.contains("manifest.interactions[0].difference: the database says"), "{said}");
    forged["manifest"]["interactions"][0]["interval"] = json!([-0.6, 0.1]);
    let (holds, said) = verified_beside(&shop.app, &forged);
    assert!(!holds && said.contains("manifest whose interactions[0].interval"), "{said}");

    forged["manifest"]["interactions"] = json!([]);
    let (holds, said) = verified_beside(&shop.app, &forged);
    assert!(!holds && said.contains("manifest.interactions[0]: the database says"), "{said}");

    // The finding is stored, and survives the experiment's end.
    shop.restart_after(Duration::ZERO);
    assert_eq!(shop.result(form)["manifest"]["interactions"], found["manifest"]["interactions"]);

    // The next check marks pairs that a group separates by now.
    let members = json!([{ "test_id": form, "percent": 50 }, { "test_id": row, "percent": 50 }]);
    let group = json!({ "name": "Forms", "kind": "exclusion", "members": members });
    shop.client.post("/exclusion-group", group).created();
    shop.pass(DAY);
    shop.client.set_status(row, 0).ok();
    let after = shop.result(form);
    let message = interaction(&after).expect("it stays");
    assert!(message.ends_with("share no new visitors: use epoch= for the visitors since then."), "{message}");
    assert_eq!(
        after["manifest"]["interactions"][0]["as_of"], facts["as_of"],
        "the numbers are of the look that found it"
    );
    let (holds, said) = verified_beside(&shop.app, &after);
    assert!(holds && !said.contains("checked again"), "{said}");
}

fn a_later_look_that_finds_no_effect_takes_it_back(on: On) {
    let shop = Shop::open(on);
    let tests = [shop.live("Short form"), shop.live("Trust row"), shop.live("Footer")];
    let [form, row, _] = tests;
    shop.crowd("v", tests, DISTURBED);
    shop.pass(DAY);
    assert!(interaction(&shop.result(form)).is_some());

    // The finding is about the former primary goal.
    shop.client.goal("signed_up");
    let path = format!("/experiment/{form}");
    shop.client.patch(&path, json!({ "primary_goal_key": "signed_up" })).ok();
    assert_eq!(interaction(&shop.result(form)), None);
    shop.client.patch(&path, json!({ "primary_goal_key": "bought" })).ok();
    assert!(interaction(&shop.result(form)).is_some());
    // The next night, with a goal that nobody reaches, there is no significant effect.
    shop.client.patch(&path, json!({ "primary_goal_key": "signed_up" })).ok();
    shop.pass(DAY);
    shop.client.patch(&path, json!({ "primary_goal_key": "bought" })).ok();
    assert_eq!(interaction(&shop.result(form)), None, "it was of another goal");
    assert!(interaction(&shop.result(row)).is_some(), "the other order has its own goal");
    shop.pass(DAY);
    assert!(interaction(&shop.result(form)).is_some(), "it is found again");

    // More visitors, with equal conversion rates in all four cells.
    shop.crowd("w", tests, &[(0, 0, 400, 180), (0, 1, 400, 180), (1, 0, 400, 80), (1, 1, 400, 190)]);
    assert!(interaction(&shop.result(form)).is_some(), "until the next look");
    shop.pass(DAY);
    for test_id in [form, row] {
        let result = shop.result(test_id);
        assert_eq!((interaction(&result), result["manifest"].get("interactions")), (None, None));
    }
}

fn the_pairs_of_a_night_are_looked_at_once(on: On) {
    let mut shop = Shop::open(on);
    let tests = [shop.live("Short form"), shop.live("Trust row"), shop.live("Footer")];
    // The first check is immediate; the second one is in the night, at two.
    shop.pass(Duration::from_secs(1));
    shop.crowd("v", tests, DISTURBED);
    let hour = Duration::from_secs(3_600);
    shop.pass(15 * hour);
    assert_eq!(interaction(&shop.result(tests[0])), None, "at one in the night");
    shop.pass(hour);
    let found = shop.result(tests[0]);
    assert_eq!(found["manifest"]["interactions"][0]["as_of"], "2026-03-02T02:00:01.000Z", "{found}");
    shop.pass(hour);
    assert_eq!(shop.result(tests[0])["manifest"]["interactions"], found["manifest"]["interactions"]);

    // One check covers the nights in which no server ran.
    shop.restart_after(3 * DAY);
    shop.pass(Duration::from_secs(1));
    let again = shop.result(tests[0]);
    assert_eq!(again["manifest"]["interactions"][0]["as_of"], "2026-03-05T03:00:02.000Z", "{again}");
    assert_eq!(again["manifest"]["interactions"][0]["difference"], found["manifest"]["interactions"][0]["difference"]);
}
