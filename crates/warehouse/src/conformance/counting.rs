//! Tests of counting: segments, repeated events, and texts with special characters.

use super::fixtures::{SECOND, START, ask, at, exposure, load, question, record, trigger};
use super::{Engine, reference};
use crate::{CountedOutcome, Dimension, ExperimentQuestion, Filter, Metric, Segment, Totals};
use muriel_domain::goal::GoalType;
use serde_json::json;
use std::sync::Arc;

pub(super) fn the_largest_segments_are_distinguished(engine: Engine<'_>) {
    let mut records = Vec::new();
    for campaign in 0..60 {
        for visitor in 0..=campaign % 7 {
            let context = json!({ "utm_campaign": format!("c{campaign:02}") });
            records.push(record(exposure(&format!("v{campaign}-{visitor}"), START, visitor % 2, context)));
        }
    }
    records.push(record(exposure("unknown", START, 0, json!({}))));
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    let question = ExperimentQuestion {
        breakdown: Some(Dimension::UtmCampaign),
        ..question(vec![Metric::new(CountedOutcome::Bounce)])
    };
    let answer = ask(&*warehouse, &question);
    assert_eq!(answer, reference::answer(&records, &question));
    let mut segments: Vec<_> = answer.metrics[0].cells.iter().filter_map(|cell| cell.segment.clone()).collect();
    segments.sort();
    segments.dedup();
    assert_eq!(segments.len(), 52);
    // The smallest values are in the rest; on a tie, the alphabetically last ones.
    assert!(segments.contains(&Segment::Rest) && segments.contains(&Segment::Unknown));
    assert!(!segments.contains(&Segment::Value("c56".into())));
}

pub(super) fn the_first_of_repeated_events_counts(engine: Engine<'_>) {
    let pageview = |us: i64| {
        json!({
            "id": "0195fb5c-6bfe-7e2a-b4a9-1d3a6a0c1d11", "type": "pageview", "project_key": "shop", "at": at(us),
            "received_at": at(us), "visitor": { "id": "v" }, "bot": false, "url": "https://shop.example/thanks",
        })
    };
    let records =
        [pageview(START), exposure("v", START + SECOND, 0, json!({})), pageview(START + 2 * SECOND)].map(record);
    for blocks in [vec![&records[..]], vec![&records[2..], &records[..2]]] {
        let warehouse = engine();
        load(&*warehouse, &blocks);
        let answer = ask(&*warehouse, &question(vec![Metric::new(trigger(GoalType::Pageview, "thanks"))]));
        assert_eq!(answer.metrics[0].cells[0].totals, Totals { visitors: 1, ..Totals::default() });
    }
}

pub(super) fn texts_are_data(engine: Engine<'_>) {
    for name in ["it's", "'; DROP TABLE events; --", "a\0b", "\\", "%_", "$1 ? :x"] {
        let order = json!({
            "id": uuid::Uuid::now_v7().to_string(), "type": "order", "project_key": name, "at": at(START + SECOND),
            "received_at": at(START), "visitor": { "id": "v" }, "bot": false, "name": name, "currency": name,
            "value": 1.5,
        });
        let mut met = exposure("v", START, 0, json!({}));
        met["project_key"] = json!(name);
        met["country"] = json!(name);
        let warehouse = engine();
        load(&*warehouse, &[&[record(met), record(order)]]);
        let answer = ask(
            &*warehouse,
            &ExperimentQuestion {
                project_key: name.into(),
                filter: Filter { countries: vec![name.into()], ..Filter::default() },
                breakdown: Some(Dimension::Country),
                ..question(vec![Metric::new(trigger(GoalType::Revenue, name))])
            },
        );
        assert_eq!(answer.metrics[0].currency.as_deref(), Some(name));
        assert_eq!(answer.metrics[0].cells[0].segment, Some(Segment::Value(Arc::from(name))));
        assert_eq!(answer.metrics[0].cells[0].totals.value, 15_000);
    }
}
