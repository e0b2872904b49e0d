//! Measures questions to a warehouse: `warehouse DIRECTORY [events] [runs]`.
//!
//! Creates a warehouse in the directory with 10,000,000 events, or the given number,
//! unless there is one already. The data is the same every time: eight projects, of which
//! the queried one has 60 %; a visitor for every 20 events, with about three exposures to
//! the experiment each; 20,000 URLs; 2 % orders; one event in a hundred arrives late.
//!
//! Prints a JSON object per question: the minimum and the median of the runs (5 by
//! default), in milliseconds of wall clock and of processor time over all threads. The
//! first run of a question finds nothing prepared, because the warehouse caches no
//! answers.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant as Clock;

use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use muriel_domain::time::DAY_US;
use muriel_log::{EventKind, EventVisitor, Record};
use muriel_log::{LogId, Position};
use muriel_warehouse::{
    CountedOutcome, Dimension, DuckWarehouse, ExperimentQuestion, Filter, GroupRange, LoadTarget, Metric, Policy,
    Population, Rows, StopToken, WarehouseOptions, WarehouseReader, WarehouseWriter, Watermark,
};
use serde_json::json;
use uuid::Uuid;

const START: i64 = 1_790_000_000_000_000;
const DAYS: i64 = 30;
/// Events per transaction: the maximum of the loader.
const LOAD: u64 = 50_000;
const URLS: u64 = 20_000;
const LOG: LogId = LogId::from_bytes(*b"measuring events");

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("tell a directory")?);
    let events: u64 = arguments.next().map_or(Ok(10_000_000), |events| events.parse())?;
    let runs: usize = arguments.next().map_or(Ok(5), |runs| runs.parse())?;
    fs::create_dir_all(&dir)?;
    let path = dir.join("warehouse.duckdb");
    let warehouse = DuckWarehouse::open(&path, &WarehouseOptions::default())?;
    if warehouse.watermarks().is_empty() {
        make(&warehouse, events)?;
    }
    for (name, question) in questions() {
        measure(&warehouse, name, &question, false, runs)?;
    }
    let (name, report) = report();
    measure(&warehouse, name, &report, false, runs)?;
    measure(&warehouse, "report_with_networks", &report, true, runs)?;
    Ok(())
}

/// Pseudorandom number that is the same in every run.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The `n`th pseudorandom number of the event `number`.
fn draw(number: u64, n: u64) -> u64 {
    mix(mix(number) ^ n)
}

/// Project of a visitor: six of ten are in project 0, the others in one of seven.
fn project_of(visitor: u64) -> u64 {
    if visitor % 10 < 6 { 0 } else { 1 + visitor / 10 % 7 }
}

fn make(warehouse: &DuckWarehouse, events: u64) -> Result<(), Box<dyn Error>> {
    let projects: Vec<Arc<str>> = (0..8).map(|project| format!("shop-{project}").into()).collect();
    let exposures = events * 145 / 1_000;
    let visitors = (events / 20).max(10);
    // Events and exposures are interleaved, as in real traffic.
    let all = events + exposures;
    let mut record = empty();
    let mut rows = Rows::default();
    let began = Clock::now();
    let (mut events_so_far, mut exposures_so_far) = (0, 0);
    for number in 0..all {
        let at = START + (number as i128 * i128::from(DAYS * DAY_US) / i128::from(all)) as i64;
        let is_exposure = (number + 1) * exposures / all > exposures_so_far;
        let visitor = draw(number, 1) % visitors;
        record.id = Uuid::from_u64_pair(mix(number), draw(number, 0));
        record.visitor.id.clear();
        record.visitor.id.push_str(&format!("visitor-{visitor}"));
        record.project_key = projects[project_of(visitor) as usize].clone();
        record.received_at = Instant::from_us(at);
        let late = if draw(number, 2).is_multiple_of(100) { (draw(number, 3) % DAY_US as u64) as i64 } else { 0 };
        record.at = Instant::from_us(at - late);
        record.session = Some(format!("{visitor}-{}", number * 60 / all));
        record.url = Some(url(draw(number, 4)));
        record.bot = draw(number, 5).is_multiple_of(200);
        if is_exposure {
            exposures_so_far += 1;
            met(&mut record, visitor);
        } else {
            events_so_far += 1;
            did(&mut record, draw(number, 6), draw(number, 7));
        }
        rows.add(&record, (number / 2_000) as i64 + 1);
        if rows.len() as u64 >= LOAD || number + 1 == all {
            rows.sort();
            let position = Position { seq: (number / 2_000) as i64 + 1 };
            warehouse.load(LoadTarget::Answering, LOG, &rows, Watermark { position, hash: None })?;
            rows.clear();
            eprint!("\r{events_so_far} events, {exposures_so_far} exposures");
        }
    }
    eprintln!(" in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}

fn empty() -> Record {
    let mut record: Record = serde_json::from_value(json!({
        "id": Uuid::nil(), "type": "pageview", "project_key": "", "at": "2026-01-01", "received_at": "2026-01-01",
        "visitor": { "id": "" }, "bot": false,
    }))
    .unwrap_or_else(|error| unreachable!("{error}"));
    record.visitor = EventVisitor::default();
    record
}

/// A URL; a few are viewed often and most rarely.
fn url(draw: u64) -> String {
    let page = (draw % 100_000) * (draw / 100_000 % 100_000) / 100_000 * URLS / 100_000;
    format!("https://shop.example/category-{}/product-{page}?ref={}", page % 50, page % 7)
}

/// Makes the record an exposure. A visitor's attributes do not change.
fn met(record: &mut Record, visitor: u64) {
    let is = |n: u64, of: &[&str]| of[(draw(visitor, 100 + n) % of.len() as u64) as usize].into();
    record.kind = EventKind::Exposure;
    record.test_id = Some(1);
    record.variant_id = Some((draw(visitor, 99) % 2).to_string());
    record.device = (!draw(visitor, 98).is_multiple_of(50)).then(|| is(0, &["desktop", "mobile", "mobile", "tablet"]));
    record.browser = Some(is(1, &["chrome", "safari", "firefox", "edge", "opera"]));
    record.os = Some(is(2, &["windows", "macOS", "linux", "ios", "android"]));
    record.country = Some(format!("C{}", draw(visitor, 97) % 60).into());
    // Some networks have many visitors: the product of two draws is often small.
    let network = draw(visitor, 95) % 256 * (draw(visitor, 94) % 256);
    record.network = Some(format!("10.{}.{}.0", network / 256, network % 256).into());
    let kind = if draw(visitor, 96).is_multiple_of(3) { "returning" } else { "new" };
    record.context.insert("visitor_type".into(), kind.into());
}

fn did(record: &mut Record, which: u64, how: u64) {
    record.context.clear();
    record.variant_id = None;
    record.test_id = None;
    record.name = None;
    record.value = None;
    record.order_id = None;
    record.currency = None;
    record.by = None;
    record.trigger = None;
    record.kind = match which % 100 {
        0..2 => EventKind::Order,
        2..8 => EventKind::Custom,
        8..60 => EventKind::Pageview,
        60..75 => EventKind::Click,
        75..85 => EventKind::Scroll,
        85..95 => EventKind::Duration,
        _ => EventKind::Submit,
    };
    match record.kind {
        EventKind::Order => {
            record.name = Some("Purchase".into());
            record.value = Some((how % 20_000) as f64 / 100.0);
            record.order_id = Some(format!("order-{how}"));
            record.currency = Some("EUR".into());
        }
        EventKind::Custom => record.name = Some(format!("signup-{}", how % 5)),
        EventKind::Click => {
            record.by = Some("element".into());
            record.trigger = Some(format!("#button-{}", how % 40));
        }
        EventKind::Submit => record.trigger = Some(format!("#form-{}", how % 10)),
        EventKind::Scroll | EventKind::Duration => record.value = Some((how % 101) as f64),
        _ => {}
    }
}

fn questions() -> Vec<(&'static str, ExperimentQuestion)> {
    let goal = |goal_type, value: &str| {
        let trigger = Trigger::new(goal_type, GoalValue::Text(value.into()));
        vec![CountedOutcome::Goal(trigger.unwrap_or_else(|flaw| unreachable!("{value}: {flaw}")))]
    };
    let question = |outcomes: Vec<CountedOutcome>| ExperimentQuestion {
        project_key: "shop-0".into(),
        population: Population::Exposed { test_id: 1 },
        started_at: None,
        from: None,
        until: None,
        epoch: None,
        epochs: Vec::new(),
        arms: 2,
        policy: Policy::default(),
        filter: Filter::default(),
        breakdown: Some(Dimension::Device),
        by_quarter: false,
        as_of: Instant::from_us(START + DAYS * DAY_US),
        metrics: outcomes.into_iter().map(Metric::new).collect(),
    };
    let range = GroupRange { group_id: None, salt: "g1".into(), from: 0, to: 500 };
    let holdout = Population::Holdout(range);
    let series =
        ExperimentQuestion { by_quarter: true, breakdown: None, ..question(goal(GoalType::Event, "Purchase")) };
    let mut covariate = question(goal(GoalType::Revenue, "Purchase"));
    covariate.metrics[0].before_us = Some(14 * DAY_US);
    vec![
        ("arrivals", question(Vec::new())),
        (
            "holdout",
            ExperimentQuestion { population: holdout, breakdown: None, ..question(goal(GoalType::Event, "Purchase")) },
        ),
        ("name", question(goal(GoalType::Event, "Purchase"))),
        ("revenue", question(goal(GoalType::Revenue, "Purchase"))),
        ("revenue_with_covariate", covariate),
        ("url_contains", question(goal(GoalType::Pageview, "/product-12"))),
        ("url_wildcard", question(goal(GoalType::PageviewWildcard, "*/category-1*/product-1*?ref=3"))),
        ("url_regex", question(goal(GoalType::PageviewRegex, r"/product-1[0-9]{2}\?ref=[0-4]$"))),
        ("bounce_and_engagement", question(vec![CountedOutcome::Bounce, CountedOutcome::Engagement])),
        ("time_series", series),
    ]
}

/// The question of a usual report: a primary goal, two others and the built-in metrics.
fn report() -> (&'static str, ExperimentQuestion) {
    let questions = questions();
    let of = |name: &str| {
        let question = questions.iter().find(|(known, _)| *known == name).map(|(_, question)| question);
        question.map(|question| question.metrics.clone()).unwrap_or_default()
    };
    let metrics = ["revenue_with_covariate", "name", "url_contains", "bounce_and_engagement"].map(of).concat();
    let plain = questions.into_iter().next().map(|(_, question)| question);
    let plain = plain.unwrap_or_else(|| unreachable!("there are questions"));
    ("report", ExperimentQuestion { breakdown: None, metrics, ..plain })
}

fn measure(
    warehouse: &DuckWarehouse,
    name: &str,
    question: &ExperimentQuestion,
    with_networks: bool,
    runs: usize,
) -> Result<(), Box<dyn Error>> {
    let stop = StopToken::new();
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    let (mut visitors, mut converted) = (0, 0);
    for _ in 0..runs.max(1) {
        let (clock, used) = (Clock::now(), cpu_ms());
        let answer = warehouse.ask_with_networks(question, &stop, &mut |_| with_networks)?;
        wall.push(clock.elapsed().as_secs_f64() * 1e3);
        cpu.push(cpu_ms() - used);
        visitors = answer.arrivals.iter().map(|arrivals| arrivals.visitors).sum();
        converted = answer.metrics.iter().flat_map(|metric| &metric.cells).map(|cell| cell.totals.converted).sum();
    }
    let summary = |mut of: Vec<f64>| {
        of.sort_by(f64::total_cmp);
        json!({ "min": of[0].round(), "median": of[of.len() / 2].round() })
    };
    let line = json!({
        "question": name, "runs": wall.len(), "wall_ms": summary(wall), "cpu_ms": summary(cpu), "visitors": visitors,
        "converted": converted,
    });
    println!("{line}");
    Ok(())
}

/// Processor time of all threads, in milliseconds; 0 on systems that do not report it.
fn cpu_ms() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    times.sum::<f64>() / 1e6
}
