//! Tests of questions about all visitors of a project.

use super::Engine;
use super::fixtures::{START, at, exposure, load, record, trigger};
use crate::{
    ActivityAnswer, ActivityDay, ActivityQuestion, CountedOutcome, Metric, PagesAnswer, PagesQuestion, StopToken,
    TrafficAnswer, TrafficQuestion, VisitorTotals, VisitorsQuestion,
};
use muriel_domain::Instant;
use muriel_domain::goal::GoalType;
use serde_json::json;

/// Times of events have a resolution of a millisecond.
const MS: i64 = 1_000;

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
        // The largest value is reduced to the next.
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
        let mut totals: Vec<VisitorTotals> = Vec::new();
        let asked = VisitorsQuestion { project_key: "shop".into(), from, until, metric, limit };
        warehouse.visitors(&asked, &StopToken::new(), &mut |visitor| totals.push(visitor)).unwrap();
        totals
    };
    let found = ask(10, Metric::new(CountedOutcome::Event("buy".into())));
    let mut counts: Vec<_> =
        found.iter().map(|visitor| (visitor.day - START / day, visitor.count, visitor.converted)).collect();
    counts.sort_unstable();
    assert_eq!(counts, [(0, 3, true), (1, 0, false), (1, 0, false)]);
    assert!(found.is_sorted_by_key(|visitor| visitor.visitor));
    assert_eq!(ask(2, Metric::new(CountedOutcome::Event("buy".into()))), found[..2]);
    let bounced = ask(10, Metric::new(CountedOutcome::Bounce)).iter().filter(|visitor| visitor.converted).count();
    assert_eq!(bounced, 1);
}

/// An event of a visitor in the project `shop`.
fn event(visitor: &str, us: i64, what: serde_json::Value) -> muriel_log::Record {
    let mut event = json!({
        "id": uuid::Uuid::now_v7().to_string(), "project_key": "shop", "at": at(us), "received_at": at(us),
        "visitor": { "id": visitor }, "bot": false,
    });
    event.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
    record(event)
}

pub(super) fn matches_are_counted_by_day(engine: Engine<'_>) {
    let day = muriel_domain::time::DAY_US;
    let noon = START.div_euclid(day) * day + day / 2;
    let page = |url: &str| json!({ "type": "pageview", "url": url });
    let scroll = |url: &str, value: i64| json!({ "type": "scroll", "url": url, "value": value });
    let order = |order_id: &str, value: f64| json!({ "type": "order", "name": "Paid", "value": value, "currency": "EUR", "order_id": order_id });
    let twice = event("a", noon, page("https://shop.example/thanks"));
    let mut bot = event("robot", noon, page("https://shop.example/thanks"));
    bot.bot = true;
    let records = [
        twice.clone(),
        twice,
        bot,
        event("a", noon + MS, page("https://shop.example/thanks?again")),
        event("b", noon + day, page("https://shop.example/thanks")),
        event("b", noon + 3 * day, page("https://shop.example/thanks")),
        event("b", noon, page("https://shop.example/other")),
        event("a", noon, scroll("https://shop.example/", 50)),
        event("a", noon + MS, scroll("https://shop.example/", 80)),
        event("a", noon + 2 * MS, scroll("https://shop.example/more", 80)),
        event("b", noon, scroll("https://shop.example/", 49)),
        event("a", noon, order("A-1", 5.0)),
        event("a", noon + 5 * MS, order("A-1", 5.0)),
        event("a", noon + 6 * MS, order("A-2", 5.0)),
        event("a", noon + 7 * MS, order("A-2", -5.0)),
        event("c", noon, json!({ "type": "custom", "name": "Paid" })),
    ];
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    let today = noon.div_euclid(day);
    let on = |after: i64, matches: u64, visitors: u64| ActivityDay { day: today + after, matches, visitors };
    let (from, until) = (Instant::from_us(noon - MS), Instant::from_us(noon + 3 * day));
    let marks = warehouse.watermarks();
    let trigger = |goal_type: GoalType, value: &str| {
        let CountedOutcome::Goal(trigger) = trigger(goal_type, value) else { unreachable!("it is of a goal") };
        trigger
    };
    for (trigger, days, last) in [
        (trigger(GoalType::Pageview, "/thanks"), vec![on(0, 2, 1), on(1, 1, 1)], Some(noon + day)),
        (trigger(GoalType::Pageview, "/nowhere"), vec![], None),
        (trigger(GoalType::Scrolling, "50"), vec![on(0, 2, 1)], Some(noon + 2 * MS)),
        (trigger(GoalType::Revenue, "Paid"), vec![on(0, 2, 1)], Some(noon + 6 * MS)),
        (trigger(GoalType::Event, "Paid"), vec![on(0, 3, 2)], Some(noon + 6 * MS)),
    ] {
        let asked = ActivityQuestion { project_key: "shop".into(), from, until, trigger: trigger.clone() };
        let expect = ActivityAnswer { days, last_at: last.map(Instant::from_us), marks: marks.clone() };
        assert_eq!(warehouse.activity(&asked, &StopToken::new()).unwrap(), expect, "{trigger:?}");
        let elsewhere = ActivityQuestion { project_key: "blog".into(), ..asked };
        let nothing = ActivityAnswer { marks: marks.clone(), ..ActivityAnswer::default() };
        assert_eq!(warehouse.activity(&elsewhere, &StopToken::new()).unwrap(), nothing);
    }
}

pub(super) fn viewed_pages_are_known(engine: Engine<'_>) {
    let page = |visitor: &str, us: i64, url: &str| event(visitor, us, json!({ "type": "pageview", "url": url }));
    let records = [
        page("a", START, "https://shop.example/a"),
        page("b", START + 2 * MS, "https://shop.example/b"),
        page("b", START + 4 * MS, "https://shop.example/a"),
        page("a", START + 3 * MS, "https://shop.example/c"),
        event("a", START + 5 * MS, json!({ "type": "custom", "name": "x" })),
        page("a", START + 9 * MS, "https://shop.example/late"),
    ];
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    let (from, until) = (Instant::from_us(START), Instant::from_us(START + 9 * MS));
    let asked = PagesQuestion { project_key: "shop".into(), from, until, limit: 2 };
    let pages = [("https://shop.example/a", START + 4 * MS), ("https://shop.example/c", START + 3 * MS)];
    let expect = PagesAnswer {
        pages: pages.map(|(url, us)| (url.to_owned(), Instant::from_us(us))).to_vec(),
        last_event: Some(Instant::from_us(START + 5 * MS)),
        marks: warehouse.watermarks(),
    };
    assert_eq!(warehouse.pages(&asked, &StopToken::new()).unwrap(), expect);
    let elsewhere = PagesQuestion { project_key: "blog".into(), ..asked };
    assert_eq!(warehouse.pages(&elsewhere, &StopToken::new()).unwrap().last_event, None);
}
