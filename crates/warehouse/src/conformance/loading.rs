//! Tests of loading, retention, rebuilds, and stopped questions.

use super::Engine;
use super::fixtures::{LOG, START, ask, exposure, load, load_log, question, record};
use super::reference;
use crate::{
    CountedOutcome, ExperimentAnswer, LoadTarget, LostBlocks, Metric, RewrittenBlocks, Rows, StopToken, Watermark,
    Watermarks,
};
use muriel_domain::Instant;
use muriel_log::{LogId, Position, Record, Rewrite, RewriteReason};
use serde_json::json;

pub(super) fn a_stopped_question_is_not_answered(engine: Engine<'_>) {
    let warehouse = engine();
    load(&*warehouse, &[&[record(exposure("v", START, 0, json!({})))]]);
    let stop = StopToken::new();
    stop.stop();
    let answer = warehouse.ask(&question(vec![Metric::new(CountedOutcome::Bounce)]), &stop);
    assert!(matches!(answer, Err(crate::Error::Stopped)), "{answer:?}");
    // The next question, with another token, is answered.
    assert_eq!(ask(&*warehouse, &question(Vec::new())).arrivals[0].visitors, 1);
}

/// Two logs with the same block numbers: watermarks, damage and retention of one do not affect
/// the other, and a question is answered from both.
pub(super) fn logs_are_stored_side_by_side(engine: Engine<'_>) {
    let warehouse = engine();
    let (one, other) = (LogId::from_bytes([1; 16]), LogId::from_bytes([2; 16]));
    let records: Vec<Record> =
        ["a", "b", "c", "d"].map(|visitor| record(exposure(visitor, START, 0, json!({})))).into_iter().collect();
    assert_eq!(warehouse.watermarks(), Watermarks::new());
    load_log(&*warehouse, LoadTarget::Answering, other, &[&records[2..3], &records[3..]]);
    load_log(&*warehouse, LoadTarget::Answering, one, &[&records[..1], &records[1..2]]);
    let mut rows = Rows::default();
    rows.add_damage(None, 3, 4);
    let end = Watermark { position: Position { seq: 4 }, hash: Some([9; 32]) };
    warehouse.load(LoadTarget::Answering, one, &rows, end).unwrap();
    let expected = Watermarks::from([(one, end), (other, Watermark { position: Position { seq: 2 }, hash: None })]);
    assert_eq!(warehouse.watermarks(), expected);
    let answer = warehouse.ask(&question(Vec::new()), &StopToken::new()).unwrap();
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
    let answer = warehouse.ask(&question(Vec::new()), &StopToken::new()).unwrap();
    assert_eq!((answer.arrivals[0].visitors, answer.lost.len(), answer.marks), (3, 1, expected));
    assert_eq!(warehouse.prune(one, 9).unwrap(), 2);
    let answer = warehouse.ask(&question(Vec::new()), &StopToken::new()).unwrap();
    assert_eq!((answer.arrivals[0].visitors, answer.lost), (1, Vec::new()));
}

pub(super) fn a_rebuild_answers_once_it_is_finished(engine: Engine<'_>) {
    let warehouse = engine();
    let records = ["a", "b", "c"].map(|visitor| record(exposure(visitor, START, 0, json!({}))));
    let visitors = || ask(&*warehouse, &question(Vec::new())).arrivals.first().map_or(0, |arrivals| arrivals.visitors);
    let beside = |records: &[Record]| load_log(&*warehouse, LoadTarget::Rebuild, LOG, &[records]);
    load(&*warehouse, &[&records[..1]]);
    let none = warehouse.load(LoadTarget::Rebuild, LOG, &Rows::default(), Watermark::default());
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
    assert_eq!((visitors(), warehouse.watermarks().len(), warehouse.is_damaged()), (3, 1, false));
    warehouse.recover().unwrap();
    warehouse.reset().unwrap();
    assert_eq!((visitors(), warehouse.watermarks()), (0, Watermarks::new()));
}

/// Rows of a block from which a visitor's events were deleted, in the answering rows and in
/// those of a rebuild: the rows of other visitors stay, and the answer reports the deletions of
/// the question's project.
pub(super) fn rows_of_rewritten_blocks_are_replaced(engine: Engine<'_>) {
    let warehouse = engine();
    let records: Vec<Record> =
        ["a", "b", "c", "d"].map(|visitor| record(exposure(visitor, START, 0, json!({})))).into();
    let rewrite = |nth, project: &str, removed, reason| Rewrite {
        nth,
        at: Instant::from_us(START + nth),
        project_key: project.into(),
        reason,
        job: uuid::Uuid::nil(),
        removed,
    };
    let asked = || warehouse.ask(&question(Vec::new()), &StopToken::new()).unwrap();
    let visitors = |answer: &ExperimentAnswer| answer.arrivals.iter().map(|arrivals| arrivals.visitors).sum::<u64>();
    load_log(&*warehouse, LoadTarget::Answering, LOG, &[&records[..2], &records[2..]]);
    assert_eq!((visitors(&asked()), asked().rewritten, warehouse.has_erased_bytes().unwrap()), (4, Vec::new(), false));

    let mut rows = Rows::default();
    rows.add(&records[1], 1);
    rows.add_rewrite(1, &rewrite(1, &records[0].project_key, 1, RewriteReason::Visitor));
    rows.add_rewrite(1, &rewrite(2, "another project", 7, RewriteReason::Retention));
    warehouse.refresh(LoadTarget::Answering, LOG, &[1], &rows).unwrap();
    warehouse.remove_unused_texts(LoadTarget::Answering).unwrap();
    let last_at = Instant::from_us(START + 1);
    let expected = vec![RewrittenBlocks { log: LOG, blocks: 1, removed: 1, expired: 0, last_at }];
    assert_eq!((visitors(&asked()), &asked().rewritten), (3, &expected));
    assert_eq!(warehouse.rewritten_blocks(LoadTarget::Answering, LOG, 1, 9).unwrap(), [(1, 2)]);
    assert_eq!(warehouse.rewritten_blocks(LoadTarget::Answering, LOG, 2, 9).unwrap(), []);
    assert_eq!(warehouse.rewritten_blocks(LoadTarget::Answering, LogId::from_bytes([3; 16]), 1, 9).unwrap(), []);
    assert!(warehouse.has_erased_bytes().unwrap());

    // A rebuild reads the remaining events only, and never had the others.
    assert!(matches!(warehouse.refresh(LoadTarget::Rebuild, LOG, &[1], &rows), Err(crate::Error::Damaged(_))));
    warehouse.begin_rebuild().unwrap();
    load_log(&*warehouse, LoadTarget::Rebuild, LOG, &[&records[1..2], &records[2..]]);
    let mut rows = Rows::default();
    rows.add(&records[3], 2);
    rows.add_rewrite(2, &rewrite(1, &records[0].project_key, 1, RewriteReason::Retention));
    warehouse.refresh(LoadTarget::Rebuild, LOG, &[2], &rows).unwrap();
    warehouse.finish_rebuild().unwrap();
    assert_eq!((visitors(&asked()), warehouse.has_erased_bytes().unwrap()), (2, false), "retention leaves bytes");
    assert_eq!(warehouse.prune(LOG, 3).unwrap(), 2);
    assert_eq!(asked().rewritten, Vec::new());
}
