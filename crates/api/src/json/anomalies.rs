//! Invalid values in a body of events that do not make the whole body invalid.

use super::path::JsonPath;
use std::collections::BTreeMap;

/// Maximum number of anomalies reported per event, and for the part that all events share.
pub(super) const REPORTED_MAX: usize = 5;

/// Values of a body of events that were repaired or make their event invalid.
#[derive(Debug, Default, PartialEq)]
pub struct Anomalies {
    /// Anomalies within entries of `events`, by index.
    pub(super) events: BTreeMap<usize, Vec<Anomaly>>,
    /// Anomalies elsewhere, such as in `visitor.attributes`.
    pub(super) elsewhere: Vec<Anomaly>,
}

/// Value that was repaired, or that makes its event invalid.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomaly {
    /// Path within its event, or within the body where it is outside of `events`.
    pub(super) path: String,
    pub(super) message: &'static str,
    /// Description of the repair; `None` where the event is refused.
    repair: Option<&'static str>,
}

impl Anomalies {
    /// Reason why an entry of `events` is refused; `None` if it is not.
    pub fn refusal(&self, event: usize) -> Option<String> {
        let anomaly = self.events.get(&event)?.iter().find(|anomaly| anomaly.repair.is_none())?;
        Some(format!("{} {}", anomaly.path, anomaly.message))
    }

    /// Messages about values that were repaired in an entry of `events` and in the part that all entries share.
    pub fn note(&self, event: usize) -> Option<String> {
        let own = self.events.get(&event).into_iter().flatten();
        let notes: Vec<_> = own
            .chain(&self.elsewhere)
            .filter_map(|anomaly| Some(format!("{} {}; {}", anomaly.path, anomaly.message, anomaly.repair?)))
            .collect();
        (!notes.is_empty()).then(|| notes.join(". "))
    }

    /// Adds an anomaly. At most [`REPORTED_MAX`] per event are kept, and always the first that makes it invalid.
    pub(super) fn add(&mut self, path: &JsonPath<'_>, message: &'static str, repair: Option<&'static str>) {
        let event = path.event();
        let known = match event {
            Some(event) => self.events.entry(event).or_default(),
            None => &mut self.elsewhere,
        };
        if known.len() < REPORTED_MAX || repair.is_none() && known.iter().all(|anomaly| anomaly.repair.is_some()) {
            let whole = path.to_string();
            let path = match event.map(|event| format!("events[{event}]")) {
                Some(prefix) => whole.strip_prefix(&prefix).unwrap_or(&whole).trim_start_matches('.').to_owned(),
                None => whole,
            };
            known.push(Anomaly { path: if path.is_empty() { "the event".to_owned() } else { path }, message, repair });
        }
    }
}
