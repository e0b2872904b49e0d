//! The changes of goals and hypotheses, and the states that they lead back to.

use crate::error::Result;
use muriel_sql::Tx;
use muriel_store::experiments::HistoryEntry;
use muriel_store::object_history::{self, Object};
use serde_json::{Map, Value};

/// Changes that are read at once.
const PER_READ: i64 = 100;

/// A change with what it changed.
#[derive(Debug, Clone)]
pub struct ObjectStep {
    /// What history keeps.
    pub entry: HistoryEntry,
    /// The fields that differ, with the values before and after.
    pub changes: Vec<(String, Value, Value)>,
}

/// The fields in which `before` and `after` differ, with the values of `before`.
pub(crate) fn changed(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let differs = |(name, value): &(&String, &Value)| after.get(*name) != Some(*value);
    before.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A page of the changes, newest first, and whether there are more. `present` are the fields as they are now; `before` is the
/// revision of the last change of the page before.
pub(crate) async fn steps(
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

/// The fields after the change that made this revision; `None` when no change did.
pub(crate) async fn state_at(
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

/// Takes a change back; what it had changed.
fn undo(state: &mut Map<String, Value>, entry: &HistoryEntry) -> Vec<(String, Value, Value)> {
    let mut changes = Vec::with_capacity(entry.before.len());
    for (name, before) in &entry.before {
        let after = state.insert(name.clone(), before.clone()).unwrap_or(Value::Null);
        changes.push((name.clone(), before.clone(), after));
    }
    changes
}
