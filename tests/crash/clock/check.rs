//! Checks that each act of the clock was done once.

use crate::Result;
use crate::violation::{Kind, Violation};
use muriel_sql::Row;

/// Every experiment, with the acts of the clock by its history, its epochs and its status.
pub(crate) const ACTS: &str = "\
    SELECT experiment_id, status, revision, epoch, \
      (SELECT COUNT(*) FROM experiment_history h WHERE h.experiment_id = e.experiment_id), \
      (SELECT COUNT(*) FROM experiment_history h WHERE h.experiment_id = e.experiment_id AND actor = 'clock' AND action = 'start'), \
      (SELECT COUNT(*) FROM experiment_history h WHERE h.experiment_id = e.experiment_id AND actor = 'clock' AND action = 'stop'), \
      (SELECT COUNT(*) FROM epoch p WHERE p.experiment_id = e.experiment_id), \
      (SELECT MIN(h.at) FROM experiment_history h WHERE h.experiment_id = e.experiment_id AND actor = 'clock' AND action = 'start'), \
      (SELECT MIN(h.at) FROM experiment_history h WHERE h.experiment_id = e.experiment_id AND actor = 'clock' AND action = 'stop'), \
      configuration \
    FROM experiment e ORDER BY experiment_id";
/// Current term: number of times that a node has become the leader.
pub(crate) const TERM: &str = "SELECT COALESCE(MAX(term), 0) FROM leader";
/// Experiments that were started and ended.
pub(crate) const COMPLETED: &str = "SELECT experiment_id FROM experiment WHERE status = 'inactive' AND epoch = 2";

/// Faults: name, kind of the violation that has to be reported, and the script that plants the fault.
pub(crate) const FAULTS: [(&str, Kind, &str); 4] = [
    (
        "an act in history twice",
        Kind::Duplicated,
        "INSERT INTO experiment_history (experiment_id, revision, at, actor, action, before, detail) \
         SELECT experiment_id, revision + 100, at, actor, action, before, detail FROM experiment_history \
         WHERE experiment_id = {id} AND actor = 'clock' AND action = 'start'",
    ),
    (
        "an act that is not in history",
        Kind::Lost,
        "DELETE FROM experiment_history WHERE experiment_id = {id} AND actor = 'clock' AND action = 'stop'",
    ),
    (
        "an epoch too many",
        Kind::Miscounted,
        "INSERT INTO epoch (experiment_id, epoch, started_at, reasons, traffic_allocation, weights) \
         SELECT experiment_id, 3, started_at, reasons, traffic_allocation, weights FROM epoch WHERE experiment_id = {id} AND epoch = 2",
    ),
    ("an end that was undone", Kind::Lost, "UPDATE experiment SET status = 'live' WHERE experiment_id = {id}"),
];

/// Outcome of a check of all experiments.
pub(crate) struct Looked {
    pub(crate) violations: Vec<Violation>,
    /// Number of starts and ends.
    pub(crate) acts: u64,
    /// Experiments whose start and end had both passed before a node could start them.
    pub(crate) missed: u64,
    /// Longest delay of an act, in microseconds.
    pub(crate) latest_us: i64,
}

/// Name of an experiment in violations.
pub(crate) fn label(id: i64) -> String {
    format!("experiment {id}")
}

/// Checks the rows of [`ACTS`]. Their number has to be `made`.
pub(crate) fn acts(rows: Vec<Row>, made: usize) -> Result<Looked> {
    let mut looked = Looked { violations: Vec::new(), acts: 0, missed: 0, latest_us: 0 };
    if rows.len() != made {
        let sentence = format!("{made} experiments were acknowledged, and {} are there", rows.len());
        looked.violations.push(Violation::new(Kind::Lost, "experiments", sentence));
    }
    for row in rows {
        one(row, &mut looked)?;
    }
    Ok(looked)
}

fn one(mut row: Row, looked: &mut Looked) -> Result<()> {
    let (id, status, revision, epoch) = (row.int(0)?, row.text(1)?, row.int(2)?, row.int(3)?);
    let (entries, starts, stops, epochs) = (row.int(4)?, row.int(5)?, row.int(6)?, row.int(7)?);
    let (started_at, ended_at) = (row.opt_int(8)?, row.opt_int(9)?);
    let mut add = |kind, sentence| looked.violations.push(Violation::new(kind, &label(id), sentence));
    // By the API's contract, an experiment that is over before it could be started stays a draft, and its history has
    // the attempt.
    let is_missed = epochs == 0 && status == "draft";
    let due = (1, i64::from(!is_missed));
    if starts > due.0 || stops > due.1 {
        add(Kind::Duplicated, format!("the clock started it {starts} times and ended it {stops} times"));
    }
    if starts < due.0 || stops < due.1 {
        add(Kind::Lost, format!("the clock started it {starts} times and ended it {stops} times"));
    }
    if !is_missed && status != "inactive" {
        add(Kind::Lost, format!("its end has passed, and its status is {status}"));
    }
    if entries != revision {
        add(Kind::Miscounted, format!("at revision {revision} its history has {entries} entries"));
    }
    // A start opens an epoch, and so does an end.
    if epochs != epoch || epochs > 2 {
        add(Kind::Miscounted, format!("its last epoch is {epoch}, and it has {epochs}"));
    }
    looked.missed += u64::from(is_missed);
    looked.acts += u64::try_from(starts + stops).unwrap_or(0);
    let configuration: serde_json::Value = serde_json::from_str(&row.text(10)?)?;
    let due = [("start_test_date", started_at), ("end_test_date", ended_at)];
    for (setting, at) in due.into_iter().filter(|_| !is_missed) {
        if let (Some(at), Some(moment)) = (at, super::moment(&configuration[setting])) {
            looked.latest_us = looked.latest_us.max(at - moment.us());
            if at < moment.us() {
                let sentence = format!("{setting} is {moment}, and the clock acted {} us before", moment.us() - at);
                looked.violations.push(Violation::new(Kind::Untrue, &label(id), sentence));
            }
        }
    }
    Ok(())
}
