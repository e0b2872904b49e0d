//! Records and questions that the tests share.

use super::Warehouse;
use crate::{
    CountedOutcome, ExperimentAnswer, ExperimentQuestion, Filter, LoadTarget, Metric, Policy, Population, QUARTER_US,
    Rows, StopToken, Watermark, Watermarks,
};
use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use muriel_log::{LogId, Position, Record};
use serde_json::{Value, json};

/// Start of all data: the first quarter of an hour of a day.
pub(super) const START: i64 = 1_767_225_600_000_000;
pub(super) const SECOND: i64 = 1_000_000;

/// Log of records whose log does not matter.
pub(super) const LOG: LogId = LogId::from_bytes([7; 16]);

/// Loads blocks of records, like the loader.
pub(super) fn load(warehouse: &dyn Warehouse, blocks: &[&[Record]]) {
    load_log(warehouse, LoadTarget::Answering, LOG, blocks);
}

pub(super) fn load_log(warehouse: &dyn Warehouse, target: LoadTarget, log: LogId, blocks: &[&[Record]]) {
    for (block, seq) in blocks.iter().zip(1..) {
        let mut rows = Rows::default();
        for record in *block {
            rows.add(record, seq);
        }
        rows.sort();
        warehouse.load(target, log, &rows, Watermark { position: Position { seq }, hash: None }).unwrap();
    }
}

pub(super) fn record(value: Value) -> Record {
    serde_json::from_value(value).unwrap()
}

pub(super) fn at(us: i64) -> Value {
    serde_json::to_value(Instant::from_us(us)).unwrap()
}

pub(super) fn trigger(goal_type: GoalType, value: &str) -> CountedOutcome {
    CountedOutcome::Goal(Trigger::new(goal_type, GoalValue::Text(value.into())).unwrap())
}

pub(super) fn question(metrics: Vec<Metric>) -> ExperimentQuestion {
    ExperimentQuestion {
        project_key: "shop".into(),
        population: Population::Exposed { test_id: 1 },
        started_at: None,
        from: None,
        until: None,
        epoch: None,
        epochs: Vec::new(),
        arms: 3,
        policy: Policy::default(),
        filter: Filter::default(),
        breakdown: None,
        by_quarter: false,
        as_of: Instant::from_us(START + 100 * QUARTER_US),
        metrics,
    }
}

/// Returns the answer without the watermarks, which the reference does not have.
pub(super) fn ask(warehouse: &dyn Warehouse, question: &ExperimentQuestion) -> ExperimentAnswer {
    ExperimentAnswer { marks: Watermarks::new(), ..warehouse.ask(question, &StopToken::new()).unwrap() }
}

pub(super) fn exposure(visitor: &str, us: i64, variant: u32, context: Value) -> Value {
    json!({
        "id": uuid::Uuid::now_v7().to_string(), "type": "exposure", "project_key": "shop", "at": at(us),
        "received_at": at(us), "visitor": { "id": visitor }, "bot": false, "test_id": 1,
        "variant_id": variant.to_string(), "context": context,
    })
}

/// A record with additional fields, sent with an API key.
pub(super) fn trusted(mut event: Value, fields: &Value) -> Record {
    event["vouched"] = json!(true);
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record(event)
}
