//! Tests of questions about two experiments.

use super::Engine;
use super::fixtures::{SECOND, START, at, exposure, load, question, record, trigger};
use crate::{
    CountedOutcome, Error, ExperimentQuestion, Filter, GroupRange, Metric, PairQuestion, Population, SHARED_TESTS_MAX,
    SharedQuestion, SharedVisitors, StopToken,
};
use muriel_domain::goal::GoalType;
use muriel_log::Record;
use serde_json::json;

fn met(test_id: i64, visitor: &str, us: i64, variant: u32) -> Record {
    let mut event = exposure(visitor, us, variant, json!({}));
    event["test_id"] = test_id.into();
    record(event)
}

fn order(visitor: &str, us: i64, value: f64) -> Record {
    record(json!({
        "id": uuid::Uuid::now_v7().to_string(), "type": "order", "project_key": "shop", "at": at(us),
        "received_at": at(us), "visitor": { "id": visitor }, "bot": false, "name": "Paid", "value": value,
    }))
}

fn asked(metric: Metric) -> PairQuestion {
    let of = |test_id, metrics| ExperimentQuestion { population: Population::Exposed { test_id }, ..question(metrics) };
    PairQuestion { experiment: of(1, vec![metric]), other: of(2, Vec::new()) }
}

pub(super) fn pairs_count_who_met_the_other_in_time(engine: Engine<'_>) {
    let minute = 60 * SECOND;
    let (start, window) = (START + 10 * minute, 30 * minute);
    let records = [
        // Entry into the other experiment before, within and after the metric's window,
        // and never.
        met(2, "before", start - minute, 1),
        met(1, "before", start, 0),
        order("before", start + minute, 4.0),
        met(1, "within", start, 0),
        // Counts from the entry into the metric's own experiment.
        order("within", start + minute, 3.0),
        met(2, "within", start + window - 1, 1),
        met(1, "after", start, 0),
        met(2, "after", start + window, 1),
        order("after", start + minute, 50.0),
        met(1, "never", start, 1),
        order("never", start + minute, 90.0),
        met(2, "only the other", start, 1),
        // The first arm of the other experiment counts.
        met(1, "twice", start, 1),
        met(2, "twice", start + minute, 0),
        met(2, "twice", start + 2 * minute, 1),
    ];
    let warehouse = engine();
    load(&*warehouse, &[&records]);
    let cells_of = |question: &PairQuestion| -> Vec<(u32, u32, bool, u64, i128)> {
        let answer = warehouse.pair(question, &StopToken::new()).unwrap();
        let cells = answer.cells.iter();
        cells
            .map(|cell| (cell.variant, cell.other_variant, cell.open, cell.totals.visitors, cell.totals.value))
            .collect()
    };
    let pays = Metric { window_us: Some(window), ..Metric::new(trigger(GoalType::Revenue, "Paid")) };
    // The cap is computed over all visitors: the largest value is reduced to the next.
    let capped = Metric { cap: None, ..pays.clone() };
    assert_eq!(cells_of(&asked(capped)), [(0, 1, false, 2, 70_000), (1, 0, false, 1, 0)]);
    let endless = Metric { window_us: None, ..pays.clone() };
    assert_eq!(cells_of(&asked(endless)), [(0, 1, false, 3, 570_000), (1, 0, false, 1, 0)]);
    let mut early = asked(pays.clone());
    early.experiment.as_of = muriel_domain::Instant::from_us(start + window - 1);
    assert_eq!(cells_of(&early), [(0, 1, true, 2, 70_000), (1, 0, true, 1, 0)]);
    // A visitor who did not enter the other experiment, by its own start and filter, is
    // in no cell.
    let mut later = asked(pays.clone());
    later.other.started_at = Some(muriel_domain::Instant::from_us(start));
    assert_eq!(cells_of(&later), [(0, 1, false, 1, 30_000), (1, 0, false, 1, 0)]);
    let mut nobody = asked(pays);
    nobody.other.filter = Filter { devices: vec!["mobile".into()], ..Filter::default() };
    assert_eq!(cells_of(&nobody), []);

    let shared = |test_ids: Vec<i64>| {
        let answer = warehouse.shared(&SharedQuestion { project_key: "shop".into(), test_ids }, &StopToken::new());
        answer.map(|answer| answer.pairs)
    };
    let both = SharedVisitors { test_id: 2, other_test_id: 1, visitors: 4 };
    assert_eq!(shared(vec![2, 1]).unwrap(), [both]);
    assert_eq!(shared(vec![1]).unwrap(), []);
    assert_eq!(shared(vec![]).unwrap(), []);
    let most = (1..=SHARED_TESTS_MAX as i64).rev().collect::<Vec<_>>();
    assert_eq!(shared(most.clone()).unwrap(), [both]);
    assert!(matches!(shared([most, vec![61]].concat()), Err(Error::ExperimentQuestion(_))));

    let bounces = Metric::new(CountedOutcome::Bounce);
    let mut wrong = asked(bounces.clone());
    wrong.experiment.metrics.clear();
    assert!(matches!(warehouse.pair(&wrong, &StopToken::new()), Err(Error::ExperimentQuestion(_))));
    let mut wrong = asked(bounces);
    let range = GroupRange { group_id: None, salt: "g1".to_owned(), from: 0, to: 1 };
    wrong.other.population = Population::Holdout(range);
    assert!(matches!(warehouse.pair(&wrong, &StopToken::new()), Err(Error::ExperimentQuestion(_))));
    let stopped = StopToken::new();
    stopped.stop();
    let question = SharedQuestion { project_key: "shop".into(), test_ids: vec![1, 2] };
    assert!(matches!(warehouse.shared(&question, &stopped), Err(Error::Stopped)));
}
