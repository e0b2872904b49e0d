//! The demo's data on both databases.

use muriel_context::clock::Clock;
use muriel_tests::{On, stories};

stories![the_demo_has_a_consistent_past];

/// Half a year of starts, changes, pauses and winners. At the end of a story, the stored milestones of
/// each experiment are compared with its history.
fn the_demo_has_a_consistent_past(on: On) {
    // The demo starts its clock only after the history is created.
    let app = on.start_with(|settings| settings.worker = false);
    let live = app.seed_demo();
    assert!(live.len() > 5, "{live:?}");
    assert!(live.iter().all(|id| !app.history(*id).is_empty()), "{live:?}");
}

/// The programme page sums up the findings of concluded experiments and describes each of them.
#[test]
fn concluded_experiments_of_the_demo_have_results() {
    let app = On::Sqlite.start_with(|settings| {
        settings.worker = false;
        // The demo's dates count back from today.
        settings.clock = Clock::System;
    });
    let company = app.visit_demo(1_000);
    let programme = company.get("/programme?limit=200").ok();
    let items = programme["items"].as_array().expect("a list");
    assert!(items.len() > 6, "{items:?}");
    for item in items {
        let path = format!(
            "/project/{}/experiment/{}/conclusion",
            item["project_key"].as_str().unwrap_or(""),
            item["test_id"]
        );
        let conclusion = company.get(&path).ok()["conclusion"].take();
        assert!(conclusion["manifest"].is_object() && item["lift"].is_number(), "{item}");
        company.get(&path.replace("/conclusion", "/result")).ok();
        // The results agree with the team's conclusion, so no reason is needed.
        assert_eq!(conclusion["override_reason"], serde_json::Value::Null, "{item} {}", conclusion["verdicts"]);
    }
    let won = &programme["cumulative"]["won_or_served"];
    assert_eq!((&won["without_lift"], won["expected"].is_number()), (&0.into(), true), "{won}");
}
