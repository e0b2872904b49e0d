//! Changes of goals and hypotheses, and the states before and after them.

use crate::error::Result;
use muriel_sql::Tx;
use muriel_store::experiments::HistoryEntry;
use muriel_store::object_history::{self, Object};
use serde_json::{Map, Value};

/// Changes per read.
const PER_READ: i64 = 100;

/// A change, with the fields that it changed.
#[derive(Debug, Clone)]
pub struct ObjectStep {
    /// The history entry.
    pub entry: HistoryEntry,
    /// Fields that differ, with the values before and after.
    pub changes: Vec<(String, Value, Value)>,
}

/// Returns the fields in which `before` and `after` differ, with the values of `before`.
pub fn changed(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let differs = |(name, value): &(&String, &Value)| after.get(*name) != Some(*value);
    before.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns a page of the changes, newest first, and whether there are more. `present` holds the current
/// fields; `before` is the revision of the last change of the previous page.
pub async fn steps(
    tx: &mut dyn Tx,
    object: Object,
    present: Map<String, Value>,
    before: Option<i64>,
    limit: usize,
) -> Result<(Vec<ObjectStep>, bool)> {
    let (mut state, mut steps, mut read_to) = (present, Vec::new(), i64::MAX);
    loop {
        let entries = object_history::changes(tx, object, read_to, PER_READ).await?;
        let Some(last) = entries.last() else { return Ok((steps, false)) };
        read_to = last.revision;
        for entry in entries {
            let changes = undo(&mut state, &entry);
            if before.is_some_and(|before| entry.revision >= before) {
                continue;
            }
            if steps.len() == limit {
                return Ok((steps, true));
            }
            steps.push(ObjectStep { entry, changes });
        }
    }
}

/// Returns the fields after the change that made this revision; `None` when no change made it.
pub async fn state_at(
    tx: &mut dyn Tx,
    object: Object,
    present: Map<String, Value>,
    revision: i64,
) -> Result<Option<Map<String, Value>>> {
    let (mut state, mut read_to) = (present, i64::MAX);
    loop {
        let entries = object_history::changes(tx, object, read_to, PER_READ).await?;
        let Some(last) = entries.last() else { return Ok(None) };
        read_to = last.revision;
        for entry in entries {
            if entry.revision <= revision {
                return Ok((entry.revision == revision).then_some(state));
            }
            undo(&mut state, &entry);
        }
    }
}

/// Undoes a change. Returns the changed fields, with the values before and after.
fn undo(state: &mut Map<String, Value>, entry: &HistoryEntry) -> Vec<(String, Value, Value)> {
    let mut changes = Vec::with_capacity(entry.before.len());
    for (name, before) in &entry.before {
        let after = state.insert(name.clone(), before.clone()).unwrap_or(Value::Null);
        changes.push((name.clone(), before.clone(), after));
    }
    changes
}
