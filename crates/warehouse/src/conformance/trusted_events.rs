//! Tests that events without a key do not overrule events sent with an API key.

use super::fixtures::{SECOND, START, ask, exposure, load, question, record, trigger, trusted};
use super::generators::URLS;
use super::{Engine, reference};
use crate::{CountedOutcome, ExperimentQuestion, Metric};
use muriel_domain::Instant;
use muriel_domain::goal::GoalType;
use serde_json::{Value, json};

pub(super) fn vouched_events_are_not_displaced(engine: Engine<'_>) {
    let event = |kind: &str, id: u128, us: i64, fields: Value| {
        let mut event = exposure("v", us, 0, json!({}));
        event["id"] = json!(uuid::Uuid::from_u128(id).to_string());
        event["type"] = json!(kind);
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    };
    let later = |seconds: i64| START + seconds * SECOND;
    let scroll = |id, us, page: &str| event("scroll", id, us, json!({ "value": 80.0, "url": page }));
    let report = |id, us, changes: &str| event("health", id, us, json!({ "changes": changes }));
    let view = |id, us| event("pageview", id, us, json!({ "url": URLS[0] }));
    let key = json!({});
    let genuine = [
        trusted(exposure("v", START, 0, json!({})), &key),
        trusted(scroll(1, later(1), URLS[1]), &key),
        trusted(scroll(2, later(2), URLS[2]), &key),
        trusted(report(3, later(3), "01"), &key),
        trusted(event("health", 7, later(4), json!({ "lcp_ms": 900, "errors": 0 })), &key),
        trusted(view(4, later(4)), &key),
        // A visitor without any other event.
        trusted(exposure("w", START, 1, json!({})), &key),
        trusted(view(5, later(4)), &json!({ "visitor": { "id": "w" } })),
    ];
    let claims = [
        exposure("v", START - SECOND, 1, json!({})),
        exposure("v", START, 2, json!({})),
        exposure("v", later(9), 1, json!({})),
        // Claims that one page was scrolled twice.
        scroll(1, later(1), URLS[2]),
        report(6, later(1), "10"),
        event("health", 8, later(2), json!({ "lcp_ms": 9_000, "errors": 5, "late": 1 })),
        event("click", 5, later(2), json!({ "visitor": { "id": "w" }, "trigger": "#buy" })),
    ]
    .map(record);
    let metrics = vec![
        Metric { min_count: 2, ..Metric::new(trigger(GoalType::Scrolling, "50")) },
        Metric::new(CountedOutcome::Bounce),
        Metric::new(CountedOutcome::Engagement),
    ];
    let question = ExperimentQuestion { by_quarter: true, ..question(metrics) };
    let (honest, attacked) = (engine(), engine());
    load(&*honest, &[&genuine]);
    load(&*attacked, &[&claims[..3], &genuine, &claims[3..]]);
    let answer = ask(&*honest, &question);
    assert_eq!(answer.metrics[0].cells[0].totals.converted, 1);
    assert_eq!(answer.metrics[1].cells[1].totals.converted, 1);
    assert_eq!((answer.pages[0].lcp.sum, answer.pages[0].failed, answer.pages[0].late), (900, 0, 0));
    assert_eq!(ask(&*attacked, &question), answer);
}

pub(super) fn the_end_of_a_report_does_not_displace_vouched_events(engine: Engine<'_>) {
    let records = [
        trusted(exposure("v", START + 9 * SECOND, 0, json!({})), &json!({})),
        record(exposure("v", START, 1, json!({}))),
    ];
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    for (until, visitors) in [(None, 1), (Some(START + 10 * SECOND), 1), (Some(START + 9 * SECOND), 0)] {
        let question = ExperimentQuestion { until: until.map(Instant::from_us), ..question(Vec::new()) };
        let answer = ask(&*warehouse, &question);
        let arrived: Vec<_> = answer.arrivals.iter().map(|arrivals| (arrivals.variant, arrivals.visitors)).collect();
        assert_eq!(arrived, [(0, visitors)].into_iter().filter(|(_, visitors)| *visitors > 0).collect::<Vec<_>>());
        assert_eq!(answer, reference::answer(&records, &question));
    }
}
