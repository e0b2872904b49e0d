//! The inbox: its notices and its limits.

use crate::webhook::{Event, EventType};

/// Entries kept per person. A task deletes the excess every minute: the oldest read entries first, then the oldest
/// unread ones.
pub const ENTRIES_MAX: i64 = 500;
/// Maximum count of unread entries that is reported.
pub const UNREAD_MAX: i64 = 100;
/// Maximum number of people who watch one experiment.
pub const WATCHERS_MAX: i64 = 500;
/// Maximum number of people who are asked to decide one proposal.
pub const ASKED_MAX: usize = 100;
/// Maximum length of the excerpt of a person's text in an entry, in characters.
pub const EXCERPT_MAX: usize = 280;

/// Reason for an inbox entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// An event of an experiment that the person watches.
    Experiment(EventType),
    /// A comment on an experiment that the person watches.
    Commented,
    /// A comment mentions the person.
    Mentioned,
    /// A change waits for approval, and the person may approve it.
    Proposed,
    /// The person's proposal was approved.
    Approved,
    /// The person's proposal was rejected.
    Rejected,
}

impl Notice {
    /// The notices that have no webhook event, with their names.
    const OWN: [(&'static str, Notice); 5] = [
        ("comment.added", Notice::Commented),
        ("comment.mentioned", Notice::Mentioned),
        ("proposal.opened", Notice::Proposed),
        ("proposal.approved", Notice::Approved),
        ("proposal.rejected", Notice::Rejected),
    ];

    /// Name in the interface and the database.
    pub fn word(self) -> &'static str {
        match self {
            Notice::Experiment(event) => event.word(),
            own => Self::OWN.iter().find(|(_, known)| *known == own).map_or("", |(word, _)| word),
        }
    }

    /// All names. `conversion` is not among them, because it has no notice.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let of_webhooks = EventType::WORDS.iter().filter(|(_, event)| *event != EventType::Conversion);
        of_webhooks.map(|(word, _)| *word).chain(Self::OWN.iter().map(|(word, _)| *word))
    }

    /// The notice that an experiment's watchers get for an event. `None` for frequent events that need no attention:
    /// counts of conversions, and weights that the clock moves.
    pub fn of(event: &Event) -> Option<Notice> {
        let is_notified = event.event != EventType::Conversion && !event.is_routine;
        is_notified.then_some(Notice::Experiment(event.event))
    }
}

/// The beginning of a text: whole words up to [`EXCERPT_MAX`] characters, followed by `…` when the text is longer.
///
/// The result has at most 281 characters. White space at both ends is dropped, so blank text gives empty text.
pub fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(EXCERPT_MAX) {
        None => text.to_owned(),
        Some((end, _)) => {
            let whole = &text[..end];
            // A text without a blank in its second half is cut within a word.
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
