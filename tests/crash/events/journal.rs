//! Journal of the events that clients sent, with what the answers said about each.

use super::traffic::{Batch, EventKey, Item, Recipe};
use crate::violation::{Kind, Violation};
use serde_json::Value;
use std::collections::HashMap;

/// State of an event, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The answer was `ok` or `duplicate`: the event has to be in the log from now on.
    Acknowledged,
    /// Sent, but not answered.
    Unanswered,
    /// Not answered, and found in the log.
    Stored,
    /// Not answered, and not in the log.
    Absent,
}

impl Fate {
    /// Returns whether the event is in the log; `None` if only a check of the log can show it.
    pub(crate) fn is_stored(self) -> Option<bool> {
        match self {
            Fate::Acknowledged | Fate::Stored => Some(true),
            Fate::Unanswered => None,
            Fate::Absent => Some(false),
        }
    }
}

/// An event that was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) fate: Fate,
    /// Block of the log in which it was last found; 0 while none is known.
    pub(crate) block: i64,
}

/// Everything that all clients have sent.
#[derive(Clone, Default)]
pub(crate) struct Journal {
    pub(crate) recipe: Recipe,
    pub(crate) entries: HashMap<EventKey, Entry>,
    /// Events whose fate has changed since the log was last read.
    pub(crate) touched: Vec<EventKey>,
}

/// Changes that one client has observed, before the journal takes them over.
#[derive(Debug, Default)]
pub(crate) struct Notes(HashMap<EventKey, Fate>);

impl Journal {
    pub(crate) fn fate(&self, key: EventKey) -> Option<Fate> {
        self.entries.get(&key).map(|entry| entry.fate)
    }

    /// Takes over a client's notes. An acknowledged event stays acknowledged.
    pub(crate) fn learn(&mut self, notes: Notes) {
        for (key, fate) in notes.0 {
            let entry = self.entries.entry(key).or_insert(Entry { fate, block: 0 });
            if entry.fate != Fate::Acknowledged {
                entry.fate = fate;
            }
            self.touched.push(key);
        }
    }

    pub(crate) fn acknowledged(&self) -> u64 {
        self.entries.values().filter(|entry| entry.fate == Fate::Acknowledged).count() as u64
    }
}

impl Notes {
    /// State of an event before it is sent or sent again; `None` if it was never sent.
    fn fate(&self, journal: &Journal, key: EventKey) -> Option<Fate> {
        self.0.get(&key).copied().or_else(|| journal.fate(key))
    }

    /// Records that a batch was sent and not answered.
    pub(crate) fn unanswered(&mut self, journal: &Journal, batch: &Batch) {
        for key in batch.keys() {
            if self.fate(journal, key) != Some(Fate::Acknowledged) {
                self.0.insert(key, Fate::Unanswered);
            }
        }
    }

    /// Records an answer. Returns the number of events that it acknowledged for the first
    /// time, and a violation if it contradicts what is known.
    pub(crate) fn answered(&mut self, journal: &Journal, batch: &Batch, results: &[Value]) -> (u64, Option<Violation>) {
        let mut violation = None;
        if results.len() != batch.items.len() {
            let sentence = format!("{} results for {} events", results.len(), batch.items.len());
            return (0, Some(Violation::new(Kind::Untrue, "an answer", sentence)));
        }
        let mut first_time = 0;
        for (item, result) in batch.items.iter().zip(results) {
            let status = result["status"].as_str().unwrap_or_default();
            let Item::Event(id) = item else {
                if status != "invalid" || !result["message"].is_string() {
                    violation = Some(Violation::new(Kind::Untrue, "an invalid event", format!("answered {result}")));
                }
                continue;
            };
            let key = EventKey { project: batch.project, id: *id };
            let known = self.fate(journal, key);
            let due: &[&str] = match known {
                None | Some(Fate::Absent) => &["ok"],
                Some(Fate::Acknowledged | Fate::Stored) => &["duplicate"],
                Some(Fate::Unanswered) => &["ok", "duplicate"],
            };
            if !due.contains(&status) || result["id"] != id.to_string() {
                let sentence = format!("answered {result}, known was {known:?}");
                violation = Some(Violation::new(Kind::Untrue, &about(key), sentence));
            }
            if matches!(status, "ok" | "duplicate") {
                first_time += u64::from(known != Some(Fate::Acknowledged));
                self.0.insert(key, Fate::Acknowledged);
            }
        }
        (first_time, violation)
    }
}

/// Name of an event in violations.
pub(crate) fn about(key: EventKey) -> String {
    format!("event {} of project {}", key.id, key.project)
}
