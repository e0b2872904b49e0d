//! Checks of the questions about all visitors of a project.

use super::Engine;
use super::fixtures::{START, at, exposure, load, record, trigger};
use crate::{CountedOutcome, Metric, StopToken, TrafficAnswer, TrafficQuestion, VisitorTotals, VisitorsQuestion};
use muriel_domain::Instant;
use muriel_domain::goal::GoalType;
use serde_json::json;

pub(super) fn traffic_counts_each_visitor_once(engine: Engine<'_>) {
    let event = |visitor: &str, us: i64, name: &str| {
        record(json!({
            "id": uuid::Uuid::now_v7().to_string(), "type": "custom", "project_key": "shop", "at": at(us),
            "received_at": at(us), "visitor": { "id": visitor }, "bot": false, "name": name,
        }))
    };
    let day = muriel_domain::time::DAY_US;
    let order = |visitor: &str, value: f64| {
        let us = START + 2 * day;
        record(json!({
            "id": uuid::Uuid::now_v7().to_string(), "type": "order", "project_key": "shop", "at": at(us),
            "received_at": at(us), "visitor": { "id": visitor }, "bot": false, "name": "Paid", "value": value,
        }))
    };
    let records = [
        event("a", START, "look"),
        event("a", START + 1, "buy"),
        event("a", START + 2, "buy"),
        event("b", START + day, "look"),
        event("a", START + day, "buy"),
        record(exposure("c", START + day, 0, json!({}))),
        event("a", START + 3 * day, "buy"),
        order("a", 3.0),
        order("b", 12.5),
    ];
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    let (from, until) = (Instant::from_us(START), Instant::from_us(START + 3 * day));
    let buys = |min_count: i64, window_us: Option<i64>| {
        Some(Metric { min_count, window_us, ..Metric::new(CountedOutcome::Event("buy".into())) })
    };
    let pays = |cap| Some(Metric { cap, ..Metric::new(trigger(GoalType::Revenue, "Paid")) });
    for (project, metric, visitors, converted, worth) in [
        ("shop", None, 3, 0, (0, 0)),
        ("shop", buys(1, None), 3, 1, (0, 0)),
        ("shop", buys(3, None), 3, 1, (0, 0)),
        ("shop", buys(4, None), 3, 0, (0, 0)),
        ("shop", buys(3, Some(day)), 3, 0, (0, 0)),
        ("shop", Some(Metric::new(CountedOutcome::Bounce)), 3, 1, (0, 0)),
        // The largest is cut to the next.
        ("shop", pays(None), 3, 2, (60_000, 2 * 30_000 * 30_000)),
        ("shop", pays(Some(10.0)), 3, 2, (130_000, 30_000 * 30_000 + 100_000 * 100_000)),
        ("another", buys(1, None), 0, 0, (0, 0)),
    ] {
        let asked = TrafficQuestion { project_key: project.into(), from, until, metric };
        let first_day = (visitors > 0).then_some(START / day);
        let (value, value_squared) = worth;
        let marks = warehouse.watermarks();
        let expect = TrafficAnswer { visitors, converted, value, value_squared, first_day, marks };
        assert_eq!(warehouse.traffic(&asked, &StopToken::new()).unwrap(), expect, "{asked:?}");
    }

    let ask = |limit: u64, metric: Metric| {
        let mut told: Vec<VisitorTotals> = Vec::new();
        let asked = VisitorsQuestion { project_key: "shop".into(), from, until, metric, limit };
        warehouse.visitors(&asked, &StopToken::new(), &mut |visitor| told.push(visitor)).unwrap();
        told
    };
    let told = ask(10, Metric::new(CountedOutcome::Event("buy".into())));
    let mut counts: Vec<_> = told.iter().map(|told| (told.day - START / day, told.count, told.converted)).collect();
    counts.sort_unstable();
    assert_eq!(counts, [(0, 3, true), (1, 0, false), (1, 0, false)]);
    assert!(told.is_sorted_by_key(|told| told.visitor));
    assert_eq!(ask(2, Metric::new(CountedOutcome::Event("buy".into()))), told[..2]);
    let bounced = ask(10, Metric::new(CountedOutcome::Bounce)).iter().filter(|told| told.converted).count();
    assert_eq!(bounced, 1);
}
