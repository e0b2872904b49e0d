//! Data that was deleted from a result's logs after the result was computed.
//!
//! Numbers that differ for this reason are not wrong, but cannot be recomputed.

use muriel_results::{LogFacts, Manifest};
use serde_json::{Value, json};

/// Messages about logs from which events of the project were deleted after the result was computed, or which still have
/// events that had been deleted by then.
pub(super) fn since(given: &Manifest, computed: &Manifest) -> Vec<String> {
    let pairs = given.logs.iter().filter_map(|log| Some((log, computed.logs.iter().find(|other| other.id == log.id)?)));
    pairs.filter_map(|(given, computed)| sentence(given, computed)).collect()
}

fn sentence(given: &LogFacts, computed: &LogFacts) -> Option<String> {
    let events = |facts: &LogFacts| facts.rewritten.map_or(0, |rewritten| rewritten.events);
    let (before, now) = (events(given), events(computed));
    let LogFacts { id, position, rewritten, .. } = computed;
    match rewritten {
        _ if given.rewritten == *rewritten => None,
        Some(rewritten) if now > before => {
            let (deleted, last_at) = (now - before, rewritten.last_at);
            let (s, were) = if deleted == 1 { ("", "was") } else { ("s", "were") };
            Some(format!(
                "{deleted} event{s} of the project {were} deleted from the log {id} up to block {position} after the result \
                 was computed, the last on {last_at}"
            ))
        }
        _ => Some(format!(
            "the log {id} has events that had been deleted when the result was computed: it is an older copy, such as a \
             backup from before the deletion"
        )),
    }
}

/// Excludes deletions from the comparison: copies the facts about them from `computed` to each log of the result
/// `given`.
pub(super) fn leave_out(given: &mut Value, computed: &Manifest) {
    let Some(logs) = given["manifest"]["logs"].as_array_mut() else { return };
    for log in logs.iter_mut().filter_map(Value::as_object_mut) {
        let id = log.get("id").cloned().unwrap_or_default();
        match computed.logs.iter().find(|other| json!(other.id) == id).and_then(|other| other.rewritten) {
            Some(rewritten) => drop(log.insert("rewritten".to_owned(), json!(rewritten))),
            None => drop(log.remove("rewritten")),
        }
    }
}
