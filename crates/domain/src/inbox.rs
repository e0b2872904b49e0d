//! The inbox: what people are told of, and how much of it is kept.

use crate::webhook::{Event, EventType};

/// Entries that are kept for one person. Of more, which a task deletes each minute, the oldest that were read go first, and then the
/// oldest.
pub const ENTRIES_MAX: i64 = 500;
/// Unread entries that are counted at most.
pub const UNREAD_MAX: i64 = 100;
/// People who watch one experiment at most.
pub const WATCHERS_MAX: i64 = 500;
/// People who are asked to decide one proposal at most.
pub const ASKED_MAX: usize = 100;
/// Characters of what somebody wrote that an entry shows.
pub const EXCERPT_MAX: usize = 280;

/// Why somebody is told something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// Something happened to an experiment that they watch.
    Experiment(EventType),
    /// Somebody commented on an experiment that they watch.
    Commented,
    /// A comment mentions them.
    Mentioned,
    /// A change waits for somebody who may approve it, as they may.
    Proposed,
    /// Their proposal was approved.
    Approved,
    /// Their proposal was rejected.
    Rejected,
}

impl Notice {
    /// What webhooks are not told of, with the words.
    const OWN: [(&'static str, Notice); 5] = [
        ("comment.added", Notice::Commented),
        ("comment.mentioned", Notice::Mentioned),
        ("proposal.opened", Notice::Proposed),
        ("proposal.approved", Notice::Approved),
        ("proposal.rejected", Notice::Rejected),
    ];

    /// The name that the interface and the database have for it.
    pub fn word(self) -> &'static str {
        match self {
            Notice::Experiment(event) => event.word(),
            own => Self::OWN.iter().find(|(_, known)| *known == own).map_or("", |(word, _)| word),
        }
    }

    /// Every name.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let of_webhooks = EventType::WORDS.iter().filter(|(_, event)| *event != EventType::Conversion);
        of_webhooks.map(|(word, _)| *word).chain(Self::OWN.iter().map(|(word, _)| *word))
    }

    /// Why the watchers of an experiment are told an event. `None` for what comes again and again and asks for nothing: counts
    /// of conversions, and weights that the clock moves.
    pub fn of(event: &Event) -> Option<Notice> {
        let is_told = event.event != EventType::Conversion && !event.is_routine;
        is_told.then_some(Notice::Experiment(event.event))
    }
}

/// The beginning of a text: its first words up to [`EXCERPT_MAX`] characters, with `…` where it goes on.
pub fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(EXCERPT_MAX) {
        None => text.to_owned(),
        Some((end, _)) => {
            let whole = &text[..end];
            // A text without blanks is cut anywhere.
            let cut = whole.rfind(char::is_whitespace).filter(|at| *at > end / 2).map_or(whole, |at| &whole[..at]);
            format!("{}…", cut.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    #[test]
    fn every_notice_has_a_name_of_its_own() {
        let mut words: Vec<&str> = Notice::words().collect();
        for (word, notice) in Notice::OWN {
            assert_eq!(notice.word(), word);
        }
        assert!(words.contains(&"health.failed") && !words.contains(&"conversion"));
        let all = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), all);
    }

    #[test]
    fn what_comes_again_and_again_is_not_told() {
        for (event, is_routine, expect) in [
            (EventType::Started, false, Some("experiment.started")),
            (EventType::Changed, false, Some("experiment.changed")),
            (EventType::Changed, true, None),
            (EventType::Conversion, false, None),
        ] {
            let event = Event { event, data: Map::new(), is_routine };
            assert_eq!(Notice::of(&event).map(Notice::word), expect, "{event:?}");
        }
    }

    #[test]
    fn an_excerpt_ends_with_a_word() {
        let long = "word ".repeat(100);
        for (text, expect) in [
            (" two\nlines ", "two\nlines".to_owned()),
            ("", String::new()),
            (&"ß".repeat(EXCERPT_MAX), "ß".repeat(EXCERPT_MAX)),
            (&"ß".repeat(EXCERPT_MAX + 1), format!("{}…", "ß".repeat(EXCERPT_MAX))),
            (&long, format!("{}…", "word ".repeat(56).trim_end())),
        ] {
            assert_eq!(excerpt(text), expect);
        }
    }
}
