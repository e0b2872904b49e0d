//! What every engine has to answer, whatever it stores rows in.
//!
//! [`check`] runs each check over an engine, which is given as a function that makes an
//! empty warehouse. Most of them hold its answers against [`reference`], which works
//! them out over records one at a time.

mod reference;

use std::sync::Arc;

use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    CountedOutcome, Dimension, Exchange, ExperimentAnswer, Filter, LoadTarget, LostBlocks, Mark, Marks, Metric,
    QUARTER_US, Question, RateSpan, Rows, Segment, Stop, Totals, Traffic, TrafficQuestion, Visitor, VisitorsQuestion,
    WarehouseReader, WarehouseWriter,
};
use muriel_log::{Kind, LogId, Position, Record};
use proptest::test_runner::{TestCaseResult, TestRunner};
use std::panic::{self, AssertUnwindSafe};
use std::thread;

/// What answers and is loaded.
pub(crate) trait Warehouse: WarehouseReader + WarehouseWriter {}

impl<W: WarehouseReader + WarehouseWriter> Warehouse for W {}

/// Makes an empty warehouse.
pub(crate) type Engine<'e> = &'e (dyn Fn() -> Box<dyn Warehouse> + Sync);

/// Panics when the engine answers something else than it should.
type Check = fn(Engine<'_>);

/// Every check, with its name.
const CHECKS: [(&str, Check); 12] = [
    ("answers are the reference's", answers_are_the_references),
    ("neither blocks nor their order matter", neither_blocks_nor_order_matter),
    ("changes by quarter add up to totals", steps_are_how_totals_came_about),
    ("the largest segments are distinguished", the_largest_segments_are_told_apart),
    ("of repeated events the first counts", an_event_told_again_later_happened_when_it_was_told_first),
    ("events without a key do not displace vouched ones", what_a_key_vouched_for_is_not_displaced),
    (
        "the end of a report does not displace vouched events",
        a_report_until_some_time_does_not_displace_what_a_key_says_later,
    ),
    ("texts are only texts", texts_are_only_texts),
    ("a stopped question is not answered", a_question_that_was_stopped_is_not_answered),
    ("traffic counts each visitor once", traffic_counts_each_visitor_once),
    ("logs are stored side by side", logs_are_stored_side_by_side),
    ("a rebuild answers once it is finished", a_rebuild_answers_once_it_is_finished),
];

/// Runs every check whose name `chosen` accepts, at the same time, and gives back the names of
/// those that failed, in the order of the list.
pub(crate) fn failures(engine: Engine<'_>, chosen: impl Fn(&str) -> bool) -> Vec<&'static str> {
    thread::scope(|scope| {
        let chosen = CHECKS.iter().filter(|(name, _)| chosen(name));
        let running: Vec<_> = chosen
            .map(|(name, check)| {
                (*name, scope.spawn(move || panic::catch_unwind(AssertUnwindSafe(|| check(engine))).is_ok()))
            })
            .collect();
        running.into_iter().filter_map(|(name, check)| (!check.join().unwrap_or(false)).then_some(name)).collect()
    })
}

/// Panics with the names of the checks that an engine fails; what each of them met is on
/// standard error.
pub(crate) fn check(engine: Engine<'_>) {
    assert_eq!(failures(engine, |_| true), [""; 0]);
}

/// When everything begins: the first quarter of a day.
const START: i64 = 1_767_225_600_000_000;
const SECOND: i64 = 1_000_000;

/// The log that records are of where it does not matter which.
const LOG: LogId = LogId::from_bytes([7; 16]);

/// Loads blocks of records, as the loader does.
fn load(warehouse: &dyn Warehouse, blocks: &[&[Record]]) {
    load_log(warehouse, LoadTarget::Answering, LOG, blocks);
}

fn load_log(warehouse: &dyn Warehouse, target: LoadTarget, log: LogId, blocks: &[&[Record]]) {
    for (block, seq) in blocks.iter().zip(1..) {
        let mut rows = Rows::default();
        for record in *block {
            rows.add(record, seq);
        }
        rows.sort();
        warehouse.load(target, log, &rows, Mark { position: Position { seq }, hash: None }).unwrap();
    }
}

fn record(value: Value) -> Record {
    serde_json::from_value(value).unwrap()
}

fn at(us: i64) -> Value {
    serde_json::to_value(Instant::from_us(us)).unwrap()
}

fn trigger(goal_type: GoalType, value: &str) -> CountedOutcome {
    CountedOutcome::Goal(Trigger::new(goal_type, GoalValue::Text(value.into())).unwrap())
}

fn question(metrics: Vec<Metric>) -> Question {
    Question {
        project_key: "shop".into(),
        test_id: 1,
        started_at: None,
        from: None,
        until: None,
        epoch: None,
        epochs: Vec::new(),
        arms: 3,
        filter: Filter::default(),
        breakdown: None,
        by_quarter: false,
        as_of: Instant::from_us(START + 100 * QUARTER_US),
        metrics,
    }
}

/// The answer, without the marks, which the reference does not know.
fn ask(warehouse: &dyn Warehouse, question: &Question) -> ExperimentAnswer {
    ExperimentAnswer { marks: Marks::new(), ..warehouse.ask(question, &Stop::new()).unwrap() }
}

/// Words of a few letters, so that events meet.
fn word(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(words)
}

const URLS: &[&str] = &[
    "https://shop.example/",
    "https://shop.example/thanks",
    "https://shop.example/a/b?c=d",
    "https://shop.example/größe'100%",
];

/// Within three hours, mostly at a few moments.
fn time() -> impl Strategy<Value = i64> {
    prop_oneof![(0i64..12).prop_map(|n| START + n * QUARTER_US), (0i64..2_160).prop_map(|n| START + n * 5 * SECOND),]
}

fn event() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        4 => Just("exposure"),
        8 => word(&["pageview", "click", "submit", "appear", "scroll", "duration", "custom", "script", "identify"]),
        4 => Just("order"),
        3 => Just("health"),
    ];
    let who = (word(&["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"]), proptest::bool::weighted(0.07), time());
    let how = (
        proptest::option::of(word(&["desktop", "mobile"])),
        proptest::option::of(word(&["firefox", "safari"])),
        proptest::option::of(word(&["DE", "FR", "US"])),
        proptest::option::of(word(&["new", "returning"])),
        proptest::option::of(word(&["s1", "s2"])),
        proptest::option::of(word(&["https://elsewhere.example/x"])),
    );
    let met = (
        word(&["0", "1", "2", "3"]),
        proptest::option::of(1i64..3),
        word(&["1", "1", "1", "2"]),
        word(&["1", "0", "01", "-1", "10-1", "--", ""]),
    );
    let what = (
        word(&["#buy", "Purchase"]),
        word(&["element", "text", "link"]),
        word(&["https://elsewhere.example/x", "/thanks", "https://shop.example/x"]),
        proptest::option::of(prop_oneof![
            word(&["0", "12", "75", "100", "-20.5", "-60", "-7", "-0.00001", "9.99995", "1e12"])
                .prop_map(|text| text.parse::<f64>().unwrap()),
            0.0..100.0,
        ]),
        proptest::option::of(word(&["A-1", "A-2", "A-3"])),
        proptest::option::of(word(&["EUR", "EUR", "USD"])),
        proptest::option::weighted(0.9, word(URLS)),
        word(&["shop", "shop", "shop", "shop", "shop", "other"]),
        (proptest::bool::weighted(0.4), proptest::option::weighted(0.3, word(&["A-1", "A-2", "A-3"]))),
    );
    (kind, who, how, met, what).prop_map(|(kind, who, how, met, what)| {
        let mut event = json!({
            "type": kind, "project_key": what.7, "at": at(who.2), "received_at": at(who.2),
            "visitor": { "id": who.0 }, "bot": who.1,
        });
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                event[name] = value;
            }
        };
        put("vouched", json!(what.8.0));
        put("device", json!(how.0));
        put("browser", json!(how.1));
        put("country", json!(how.2));
        put("session", json!(how.4));
        put("referrer", json!(how.5));
        let url = if kind == "pageview" { Some(what.6.unwrap_or(URLS[0])) } else { what.6 };
        put("url", json!(url));
        match kind {
            "exposure" => {
                put("test_id", json!(met.2.parse::<i64>().unwrap()));
                put("variant_id", json!(met.0));
                put("epoch", json!(met.1));
                let context = json!({ "visitor_type": how.3, "landing_page": URLS[1], "utm_campaign": how.2 });
                let context: serde_json::Map<String, Value> =
                    context.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
                put("context", Value::Object(context));
            }
            "health" => {
                put("test_id", json!(met.2.parse::<i64>().unwrap()));
                put("variant_id", json!(met.0));
                put("changes", json!(Some(met.3).filter(|told| !told.is_empty())));
            }
            "click" if what.1 == "link" => {
                put("by", json!(what.1));
                // On another page than the shop's it might lead elsewhere.
                put("url", json!(URLS[0]));
                put("href", json!(what.2));
            }
            "click" => {
                put("by", json!(what.1));
                put("trigger", json!(what.0));
            }
            "submit" | "appear" | "script" => put("trigger", json!(what.0)),
            "scroll" | "duration" => put("value", json!(what.3.unwrap_or(50.0))),
            "custom" => put("name", json!(what.0)),
            "order" => {
                put("name", json!(what.0));
                put("value", json!(what.3));
                put("order_id", json!(what.4));
                put("currency", json!(what.5));
                if what.3.is_some_and(|value| value < 0.0) {
                    put("refund_of", json!(what.8.1));
                }
            }
            _ => {}
        }
        event
    })
}

/// Events with ids, and some of them twice, of which some are others' with the same id.
fn records() -> impl Strategy<Value = Vec<Record>> {
    (
        proptest::collection::vec((event(), any::<u64>()), 0..120),
        proptest::collection::vec(
            (any::<prop::sample::Index>(), proptest::option::of((word(&["v0", "v1", "v2"]), any::<bool>(), time()))),
            0..8,
        ),
    )
        .prop_map(|(events, repeats)| {
            let mut records: Vec<Record> = events
                .into_iter()
                .zip(0u128..)
                .map(|((mut event, id), number)| {
                    event["id"] = json!(uuid::Uuid::from_u128((u128::from(id) << 64) + number).to_string());
                    record(event)
                })
                .collect();
            if !records.is_empty() {
                for (repeat, another) in repeats {
                    let mut record = repeat.get(&records).clone();
                    if let Some((visitor, vouched, at)) = another {
                        record.vouched = vouched;
                        // An exposure's id is compared within its moment only.
                        if record.kind != Kind::Exposure {
                            record.visitor.id = visitor.to_owned();
                            record.at = Instant::from_us(at);
                        }
                    }
                    records.push(record);
                }
            }
            records
        })
}

fn outcome() -> impl Strategy<Value = CountedOutcome> {
    let goals: Vec<(GoalType, &'static str)> = vec![
        (GoalType::Pageview, "/thanks"),
        (GoalType::Pageview, "e'100%"),
        (GoalType::PageviewExact, "https://shop.example"),
        (GoalType::PageviewWildcard, "https://*/a/*=d"),
        (GoalType::PageviewWildcard, "*ö*%"),
        (GoalType::PageviewRegex, r"/(thanks|a/.)\b"),
        (GoalType::ClickOnElement, "#buy"),
        (GoalType::ClickOnText, "#buy"),
        (GoalType::ExternalLink, "/x"),
        (GoalType::FormSubmit, "#buy"),
        (GoalType::ElementAppears, "#buy"),
        (GoalType::Scrolling, "50"),
        (GoalType::Duration, "10"),
        (GoalType::Event, "Purchase"),
        (GoalType::Revenue, "Purchase"),
        (GoalType::Revenue, "Purchase"),
        (GoalType::Script, "#buy"),
    ];
    prop_oneof![
        8 => proptest::sample::select(goals).prop_map(|(goal_type, value)| trigger(goal_type, value)),
        1 => word(&["#buy", "Purchase"]).prop_map(|name| CountedOutcome::Event(name.into())),
        2 => Just(CountedOutcome::Bounce),
        2 => Just(CountedOutcome::Engagement),
    ]
}

/// One rate of a currency until some time, and another one from then on or never.
fn exchange() -> impl Strategy<Value = Arc<Exchange>> {
    (word(&["EUR", "USD", "GBP"]), word(&["EUR", "USD"]), time(), 1i64..40_000_000_000, any::<bool>()).prop_map(
        |(currency, other, then, rate, goes_on)| {
            let then = Instant::from_us(then);
            let span = |since, until, rate| RateSpan { currency: other.to_owned(), since, until, rate };
            let mut spans = vec![span(Instant::from_us(0), Some(then), rate)];
            if goes_on {
                spans.push(span(then, None, rate / 3 + 1));
            }
            spans.retain(|span| span.currency != currency);
            Arc::new(Exchange { currency: currency.to_owned(), spans })
        },
    )
}

fn metrics() -> impl Strategy<Value = Vec<Metric>> {
    let metric = (
        outcome(),
        proptest::option::of((1i64..100).prop_map(|n| n * 60 * SECOND)),
        1i64..4,
        proptest::option::of(1.0..200.0),
        proptest::option::of((1i64..100).prop_map(|n| n * 60 * SECOND)),
        (proptest::option::weighted(0.2, 1.0..200.0), proptest::option::weighted(0.2, word(&["EUR", "USD", "SEK"]))),
        proptest::option::weighted(0.3, exchange()),
    );
    proptest::collection::vec(
        metric.prop_map(|(outcome, window_us, min_count, cap, before_us, (max_order_value, currency), exchange)| {
            Metric {
                min_count: if matches!(outcome, CountedOutcome::Bounce | CountedOutcome::Engagement) {
                    1
                } else {
                    min_count
                },
                outcome,
                window_us,
                cap,
                max_order_value,
                currency: currency.map(str::to_owned),
                before_us,
                exchange,
            }
        }),
        1..4,
    )
}

fn questions() -> impl Strategy<Value = Question> {
    let list = |words: &'static [&'static str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        prop_oneof![3 => Just(Vec::new()), 1 => proptest::sample::subsequence(words, 0..=1)]
    };
    let filter = (list(&["mobile"]), list(&["new"]), list(&["direct"]), list(&["DE"]), any::<bool>());
    let scope = (
        proptest::option::weighted(0.3, time()),
        proptest::option::weighted(0.3, time()),
        proptest::option::weighted(0.3, 1i64..3),
        proptest::collection::vec((1i64..4, time()), 0..3),
        1u32..4,
        time(),
        proptest::option::weighted(0.3, time()),
    );
    let breakdown =
        proptest::option::of(proptest::sample::select(Dimension::WORDS.map(|(_, dimension)| dimension).to_vec()));
    (scope, filter, breakdown, metrics()).prop_map(|(scope, filter, breakdown, metrics)| Question {
        from: scope.0.map(Instant::from_us),
        until: scope.1.map(Instant::from_us),
        epoch: scope.2,
        epochs: scope.3.into_iter().map(|(epoch, start)| (epoch, Instant::from_us(start))).collect(),
        arms: scope.4,
        filter: Filter {
            devices: filter.0,
            user_types: filter.1,
            sources: filter.2,
            countries: filter
                .3
                .into_iter()
                .flat_map(|de| [de, "FR".to_owned()])
                .take(1 + usize::from(filter.4))
                .collect(),
        },
        breakdown,
        as_of: Instant::from_us(scope.5),
        started_at: scope.6.map(Instant::from_us),
        ..question(metrics)
    })
}

/// Without values of the landing page's host, which the reference does not look
/// into.
fn comparable(mut question: Question) -> Question {
    if question.breakdown == Some(Dimension::Referrer) {
        question.breakdown = Some(Dimension::Country);
    }
    question
}

/// Runs a property over an engine, a few dozen cases of it.
fn property<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> TestCaseResult) {
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(failed) = TestRunner::new(config).run(&strategy, property) {
        panic!("{failed}");
    }
}

fn answers_are_the_references(engine: Engine<'_>) {
    property((records(), questions()), |(records, question)| {
        let question = comparable(question);
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        prop_assert_eq!(ask(&*warehouse, &question), reference::answer(&records, &question));
        Ok(())
    });
}

fn neither_blocks_nor_order_matter(engine: Engine<'_>) {
    let shuffled = records().prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle()));
    let cuts = proptest::collection::vec(any::<prop::sample::Index>(), 0..4);
    property((shuffled, cuts, questions()), |((records, shuffled), cuts, question)| {
        let question = Question { by_quarter: true, ..question };
        let (one, many) = (engine(), engine());
        load(&*one, &[&records]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(shuffled.len() + 1)).collect();
        cuts.extend([0, shuffled.len()]);
        cuts.sort_unstable();
        let blocks: Vec<&[Record]> = cuts.windows(2).map(|cut| &shuffled[cut[0]..cut[1]]).collect();
        load(&*many, &blocks);
        prop_assert_eq!(ask(&*one, &question), ask(&*many, &question));
        Ok(())
    });
}

fn steps_are_how_totals_came_about(engine: Engine<'_>) {
    property((records(), questions(), 0i64..13), |(records, mut question, when)| {
        question.by_quarter = true;
        for metric in &mut question.metrics {
            // A cap of the values themselves is another one at another time.
            metric.cap = Some(metric.cap.unwrap_or(50.0));
        }
        // And so is the currency.
        let records: Vec<Record> = records
            .into_iter()
            .map(|mut record| {
                record.currency = record.currency.map(|_| "EUR".to_owned());
                record
            })
            .collect();
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        let whole = ask(&*warehouse, &question);
        let end = START + when * QUARTER_US;
        let until = question.until.map_or(end, |until| until.us().min(end));
        // A visit goes on with its session, whatever its window is.
        let visit = |metric: &Metric| matches!(metric.outcome, CountedOutcome::Bounce | CountedOutcome::Engagement);
        let visits: Vec<bool> = question.metrics.iter().map(visit).collect();
        let then = ask(&*warehouse, &Question { until: Some(Instant::from_us(until)), by_quarter: false, ..question });
        for ((whole, then), visit) in whole.metrics.iter().zip(&then.metrics).zip(visits) {
            for (epoch, variant) in (0..4).flat_map(|epoch| (0..3).map(move |variant| (epoch, variant))) {
                let of = |cells: &[crate::GroupTotals]| {
                    cells
                        .iter()
                        .filter(|cell| (cell.epoch, cell.variant) == (epoch, variant))
                        .fold(Totals::default(), |sum, cell| sum.merge(&cell.totals))
                };
                let up_to = |quarter: i64| {
                    whole
                        .steps
                        .iter()
                        .filter(|step| (step.epoch, step.variant) == (epoch, variant) && step.quarter < quarter)
                        .fold(Totals::default(), |sum, step| sum.after(&step.totals))
                };
                prop_assert_eq!(up_to(i64::MAX), of(&whole.cells));
                prop_assert_eq!(up_to(end / QUARTER_US), of(&then.cells));
                let Some(closings) = &whole.closings else { continue };
                let closed = |cells: &[crate::GroupTotals]| {
                    of(&cells.iter().filter(|cell| !cell.open).cloned().collect::<Vec<_>>())
                };
                let by = |quarter: i64| {
                    closings
                        .iter()
                        .filter(|closing| {
                            (closing.epoch, closing.variant) == (epoch, variant) && closing.quarter < quarter
                        })
                        .fold(Totals::default(), |sum, closing| sum.merge(&closing.totals))
                };
                prop_assert_eq!(by(i64::MAX), closed(&whole.cells));
                if !visit {
                    prop_assert_eq!(by(end / QUARTER_US), closed(&then.cells));
                }
            }
        }
        Ok(())
    });
}

fn exposure(visitor: &str, us: i64, variant: u32, context: Value) -> Value {
    json!({
        "id": uuid::Uuid::now_v7().to_string(), "type": "exposure", "project_key": "shop", "at": at(us),
        "received_at": at(us), "visitor": { "id": visitor }, "bot": false, "test_id": 1,
        "variant_id": variant.to_string(), "context": context,
    })
}

fn the_largest_segments_are_told_apart(engine: Engine<'_>) {
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
    let question =
        Question { breakdown: Some(Dimension::UtmCampaign), ..question(vec![Metric::new(CountedOutcome::Bounce)]) };
    let answer = ask(&*warehouse, &question);
    assert_eq!(answer, reference::answer(&records, &question));
    let mut segments: Vec<_> = answer.metrics[0].cells.iter().filter_map(|cell| cell.segment.clone()).collect();
    segments.sort();
    segments.dedup();
    assert_eq!(segments.len(), 52);
    // Of the smallest nine, some of one visitor, the alphabet's last are the rest.
    assert!(segments.contains(&Segment::Rest) && segments.contains(&Segment::Unknown));
    assert!(!segments.contains(&Segment::Value("c56".into())));
}

fn an_event_told_again_later_happened_when_it_was_told_first(engine: Engine<'_>) {
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

/// A record with other fields, sent with a key.
fn vouched(mut event: Value, fields: &Value) -> Record {
    event["vouched"] = json!(true);
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record(event)
}

fn what_a_key_vouched_for_is_not_displaced(engine: Engine<'_>) {
    let event = |kind: &str, id: u128, us: i64, fields: Value| {
        let mut event = exposure("v", us, 0, json!({}));
        event["id"] = json!(uuid::Uuid::from_u128(id).to_string());
        event["type"] = json!(kind);
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    };
    let later = |seconds: i64| START + seconds * SECOND;
    let scroll = |id, us, page: &str| event("scroll", id, us, json!({ "value": 80.0, "url": page }));
    let told = |id, us, changes: &str| event("health", id, us, json!({ "changes": changes }));
    let view = |id, us| event("pageview", id, us, json!({ "url": URLS[0] }));
    let key = json!({});
    let genuine = [
        vouched(exposure("v", START, 0, json!({})), &key),
        vouched(scroll(1, later(1), URLS[1]), &key),
        vouched(scroll(2, later(2), URLS[2]), &key),
        vouched(told(3, later(3), "01"), &key),
        vouched(view(4, later(4)), &key),
        // Of somebody who did nothing else.
        vouched(exposure("w", START, 1, json!({})), &key),
        vouched(view(5, later(4)), &json!({ "visitor": { "id": "w" } })),
    ];
    let claims = [
        exposure("v", START - SECOND, 1, json!({})),
        exposure("v", START, 2, json!({})),
        exposure("v", later(9), 1, json!({})),
        // As if one page had been scrolled twice.
        scroll(1, later(1), URLS[2]),
        told(6, later(1), "10"),
        event("click", 5, later(2), json!({ "visitor": { "id": "w" }, "trigger": "#buy" })),
    ]
    .map(record);
    let metrics = vec![
        Metric { min_count: 2, ..Metric::new(trigger(GoalType::Scrolling, "50")) },
        Metric::new(CountedOutcome::Bounce),
        Metric::new(CountedOutcome::Engagement),
    ];
    let question = Question { by_quarter: true, ..question(metrics) };
    let (honest, attacked) = (engine(), engine());
    load(&*honest, &[&genuine]);
    load(&*attacked, &[&claims[..3], &genuine, &claims[3..]]);
    let answer = ask(&*honest, &question);
    assert_eq!(answer.metrics[0].cells[0].totals.converted, 1);
    assert_eq!(answer.metrics[1].cells[1].totals.converted, 1);
    assert_eq!(ask(&*attacked, &question), answer);
}

fn a_report_until_some_time_does_not_displace_what_a_key_says_later(engine: Engine<'_>) {
    let records = [
        vouched(exposure("v", START + 9 * SECOND, 0, json!({})), &json!({})),
        record(exposure("v", START, 1, json!({}))),
    ];
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    for (until, visitors) in [(None, 1), (Some(START + 10 * SECOND), 1), (Some(START + 9 * SECOND), 0)] {
        let question = Question { until: until.map(Instant::from_us), ..question(Vec::new()) };
        let answer = ask(&*warehouse, &question);
        let arrived: Vec<_> = answer.arrivals.iter().map(|arrivals| (arrivals.variant, arrivals.visitors)).collect();
        assert_eq!(arrived, [(0, visitors)].into_iter().filter(|(_, visitors)| *visitors > 0).collect::<Vec<_>>());
        assert_eq!(answer, reference::answer(&records, &question));
    }
}

fn texts_are_only_texts(engine: Engine<'_>) {
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
            &Question {
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

fn a_question_that_was_stopped_is_not_answered(engine: Engine<'_>) {
    let warehouse = engine();
    load(&*warehouse, &[&[record(exposure("v", START, 0, json!({})))]]);
    let stop = Stop::new();
    stop.stop();
    let answer = warehouse.ask(&question(vec![Metric::new(CountedOutcome::Bounce)]), &stop);
    assert!(matches!(answer, Err(crate::Error::Stopped)), "{answer:?}");
    // And the next is.
    assert_eq!(ask(&*warehouse, &question(Vec::new())).arrivals[0].visitors, 1);
}

fn traffic_counts_each_visitor_once(engine: Engine<'_>) {
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
        let marks = warehouse.marks();
        let expect = Traffic { visitors, converted, value, value_squared, first_day, marks };
        assert_eq!(warehouse.traffic(&asked, &Stop::new()).unwrap(), expect, "{asked:?}");
    }

    let ask = |limit: u64, metric: Metric| {
        let mut told: Vec<Visitor> = Vec::new();
        let asked = VisitorsQuestion { project_key: "shop".into(), from, until, metric, limit };
        warehouse.visitors(&asked, &Stop::new(), &mut |visitor| told.push(visitor)).unwrap();
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

/// Two logs with the same numbers of blocks: marks, damage and retention of one are nothing to
/// the other, and a question is answered from both.
fn logs_are_stored_side_by_side(engine: Engine<'_>) {
    let warehouse = engine();
    let (one, other) = (LogId::from_bytes([1; 16]), LogId::from_bytes([2; 16]));
    let records: Vec<Record> =
        ["a", "b", "c", "d"].map(|visitor| record(exposure(visitor, START, 0, json!({})))).into_iter().collect();
    assert_eq!(warehouse.marks(), Marks::new());
    load_log(&*warehouse, LoadTarget::Answering, other, &[&records[2..3], &records[3..]]);
    load_log(&*warehouse, LoadTarget::Answering, one, &[&records[..1], &records[1..2]]);
    let mut rows = Rows::default();
    rows.add_damage(None, 3, 4);
    let end = Mark { position: Position { seq: 4 }, hash: Some([9; 32]) };
    warehouse.load(LoadTarget::Answering, one, &rows, end).unwrap();
    let expected = Marks::from([(one, end), (other, Mark { position: Position { seq: 2 }, hash: None })]);
    assert_eq!(warehouse.marks(), expected);
    let answer = warehouse.ask(&question(Vec::new()), &Stop::new()).unwrap();
    assert_eq!((answer.arrivals[0].visitors, &answer.marks), (4, &expected));
    assert_eq!(
        answer,
        ExperimentAnswer {
            marks: expected.clone(),
            lost: vec![LostBlocks { log: one, blocks: 2, first: 3, last: 4 }],
            ..reference::answer(&records, &question(Vec::new()))
        }
    );
    assert_eq!(warehouse.damaged_blocks(one, 9).unwrap(), [3]);
    assert_eq!(warehouse.damaged_blocks(other, 9).unwrap(), [0; 0]);
    assert_eq!(warehouse.prune(LogId::from_bytes([3; 16]), 9).unwrap(), 0);
    assert_eq!(warehouse.prune(other, 2).unwrap(), 1);
    let answer = warehouse.ask(&question(Vec::new()), &Stop::new()).unwrap();
    assert_eq!((answer.arrivals[0].visitors, answer.lost.len(), answer.marks), (3, 1, expected));
    assert_eq!(warehouse.prune(one, 9).unwrap(), 2);
    let answer = warehouse.ask(&question(Vec::new()), &Stop::new()).unwrap();
    assert_eq!((answer.arrivals[0].visitors, answer.lost), (1, Vec::new()));
}

fn a_rebuild_answers_once_it_is_finished(engine: Engine<'_>) {
    let warehouse = engine();
    let records = ["a", "b", "c"].map(|visitor| record(exposure(visitor, START, 0, json!({}))));
    let visitors = || ask(&*warehouse, &question(Vec::new())).arrivals.first().map_or(0, |arrivals| arrivals.visitors);
    let beside = |records: &[Record]| load_log(&*warehouse, LoadTarget::Rebuild, LOG, &[records]);
    load(&*warehouse, &[&records[..1]]);
    let none = warehouse.load(LoadTarget::Rebuild, LOG, &Rows::default(), Mark::default());
    assert!(matches!(none, Err(crate::Error::Damaged(_))), "{none:?}");
    warehouse.begin_rebuild().unwrap();
    beside(&records);
    assert_eq!(visitors(), 1);
    warehouse.abandon_rebuild();
    warehouse.finish_rebuild().unwrap();
    assert_eq!(visitors(), 1, "there was nothing to answer from");
    warehouse.begin_rebuild().unwrap();
    beside(&records);
    warehouse.finish_rebuild().unwrap();
    assert_eq!((visitors(), warehouse.marks().len(), warehouse.is_damaged()), (3, 1, false));
    warehouse.recover().unwrap();
    warehouse.reset().unwrap();
    assert_eq!((visitors(), warehouse.marks()), (0, Marks::new()));
}

mod faults;
