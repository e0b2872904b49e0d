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

/// Smallest number of visitors in each variant of a concluded experiment of the demo. Fewer are too few for a verdict.
const MIN_VISITORS: u64 = 100;

/// The programme page sums up the findings of concluded experiments and describes each of them. An older version is
/// mentioned where a result was not stored, or a plan not locked.
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
        assert_ne!(item["no_estimate"], "no_result", "{item}");
        let result = company.get(&path.replace("/conclusion", "/result")).ok();
        let variants = result["variants"].as_array().expect("a list");
        assert!(variants.len() > 1, "{result}");
        for variant in variants {
            let visitors = variant["visitors"].as_u64().expect("a number");
            assert!(visitors >= MIN_VISITORS, "{}: {variant}", item["test_name"]);
            // The stored verdicts are about the same variants.
            let verdict = &conclusion["verdicts"][variant["variant_id"].as_str().expect("an id")];
            assert_eq!(verdict.is_string(), variant["is_control"] == false, "{item} {}", conclusion["verdicts"]);
        }
        let visitors: Option<u64> = variants.iter().map(|variant| variant["visitors"].as_u64()).sum();
        assert_eq!(item["visitors"].as_u64(), visitors, "the stored result has the same visitors: {item}");
        assert!(result["plan"]["locked_at"].is_string(), "{item}: {}", result["plan"]);
        assert_eq!(result["plan"]["held_back"], serde_json::Value::Null, "{item}");
        for shown in [&conclusion, &result, item] {
            let text = shown.to_string().to_lowercase();
            let about = ["older version", "earlier version", "older release", "earlier release"];
            assert!(about.iter().all(|words| !text.contains(words)), "{text}");
        }
        // The results agree with the team's conclusion, so no reason is needed.
        assert_eq!(conclusion["override_reason"], serde_json::Value::Null, "{item} {}", conclusion["verdicts"]);
    }
    assert_eq!(programme["without_estimate"]["no_result"], 0, "{}", programme["without_estimate"]);
    let won = &programme["cumulative"]["won_or_served"];
    assert_eq!((&won["without_lift"], won["expected"].is_number()), (&0.into(), true), "{won}");
}
