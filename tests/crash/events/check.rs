//! Compares the log with what the clients know.

use super::journal::{Entry, Fate, Journal, about};
use super::traffic::{EventKey, PROJECTS, Recipe, visitor};
use crate::Result;
use crate::violation::{Kind, Violation};
use muriel_log::{Event, LogReader, Position};
use serde_json::Value;
use std::path::Path;

/// Outcome of a check of the log.
pub(crate) struct Seen {
    /// Position of the last block that was read.
    pub(crate) last: Position,
    /// Unanswered events that were found stored.
    pub(crate) stored: u64,
    /// Acknowledged events that are not in the log.
    pub(crate) lost: Vec<EventKey>,
    pub(crate) violations: Vec<Violation>,
}

/// Checks the blocks after `after`: they have to hold only events that were sent, once,
/// as they were sent. Every event that was acknowledged since the last check has to be
/// in the log. `Position::default()` checks everything again.
pub(crate) fn look(
    journal: &mut Journal,
    projects: &[&str; PROJECTS],
    data_dir: &Path,
    after: Position,
) -> Result<Seen> {
    let mut seen = Seen { last: after, stored: 0, lost: Vec::new(), violations: Vec::new() };
    let mut touched = std::mem::take(&mut journal.touched);
    if after == Position::default() {
        journal.entries.values_mut().for_each(|entry| entry.block = 0);
        touched = journal.entries.keys().copied().collect();
    }
    let reader = LogReader::open(data_dir)?;
    for block in reader.blocks(after)? {
        let block = match block {
            Ok(block) => block,
            Err(trouble) => {
                seen.violations.push(Violation::new(Kind::Damaged, "the log", trouble.to_string()));
                continue;
            }
        };
        seen.last.seq = block.seq;
        for event in block.events() {
            seen.violations.extend(event_of(journal, projects, &event, block.seq));
        }
    }
    if reader.last()? < seen.last {
        seen.violations.push(Violation::new(Kind::Damaged, "the log", "it ends before it did".to_owned()));
    }
    touched.sort_unstable();
    touched.dedup();
    for key in touched {
        let Some(entry) = journal.entries.get_mut(&key) else { continue };
        match (entry.fate, entry.block > 0) {
            (Fate::Acknowledged, true) => {}
            (Fate::Acknowledged, false) => {
                let sentence = "it was acknowledged and is not in the log".to_owned();
                seen.violations.push(Violation::new(Kind::Lost, &about(key), sentence));
                seen.lost.push(key);
            }
            (was, true) => {
                seen.stored += u64::from(was == Fate::Unanswered);
                entry.fate = Fate::Stored;
            }
            (_, false) => entry.fate = Fate::Absent,
        }
    }
    Ok(seen)
}

/// Checks one stored event, and records its block in the journal.
fn event_of(journal: &mut Journal, projects: &[&str; PROJECTS], event: &Event<'_>, block: i64) -> Option<Violation> {
    let project = projects.iter().position(|key| *key == &**event.project_key);
    let key = project.map(|project| EventKey { project, id: event.id });
    let recipe = journal.recipe;
    let Some((key, entry)) = key.and_then(|key| Some((key, journal.entries.get_mut(&key)?))) else {
        let sentence = format!("block {block} has it, and nobody sent it");
        return Some(Violation::new(Kind::Invented, &format!("event {}", event.id), sentence));
    };
    let before = std::mem::replace(entry, Entry { block, ..*entry }).block;
    if before > 0 {
        let sentence = format!("it is in block {before} and in block {block}");
        return Some(Violation::new(Kind::Duplicated, &about(key), sentence));
    }
    let differing = differing(key, &recipe, projects[key.project], event.line)?;
    Some(Violation::new(Kind::Mixed, &about(key), format!("in block {block}, {differing} is not what was sent")))
}

/// Name of the first field of a stored event that differs from what was sent.
fn differing(key: EventKey, recipe: &Recipe, project_key: &str, line: &[u8]) -> Option<String> {
    let Ok(stored) = serde_json::from_slice::<Value>(line) else { return Some("the JSON".to_owned()) };
    let sent = recipe.content(key);
    let own = [
        ("id", &key.id.to_string().into()),
        ("project_key", &project_key.into()),
        ("visitor", &serde_json::json!({ "id": visitor(key) })),
    ];
    let fields = sent.iter().map(|(name, value)| (name.as_str(), value)).chain(own);
    fields.into_iter().find(|(name, value)| stored[name] != **value).map(|(name, _)| name.to_owned())
}
