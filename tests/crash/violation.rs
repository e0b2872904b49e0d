//! Violations: differences between what the server acknowledged and what it stored or answered.

use std::fmt;

/// Kind of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Stored differently from what was sent, for example with parts of two changes.
    Mixed,
    /// Acknowledged, but not stored.
    Lost,
    /// Stored, but never sent.
    Invented,
    /// Stored twice.
    Duplicated,
    /// Revisions, history or epochs that are not numbered 1 to n.
    Miscounted,
    /// An answer that a running server should not have given.
    Unexpected,
    /// An answer about an event that contradicts what is stored, or an act of the clock before its time.
    Untrue,
    /// A file that is not as it was written.
    Damaged,
    /// A result that does not count what is stored.
    Misreported,
}

impl Kind {
    /// Kinds that a run over experiments can find.
    pub(crate) const OF_EXPERIMENTS: [Kind; 6] =
        [Kind::Mixed, Kind::Lost, Kind::Invented, Kind::Duplicated, Kind::Miscounted, Kind::Unexpected];
    /// Kinds that a run over events can find.
    pub(crate) const OF_EVENTS: [Kind; 8] = [
        Kind::Lost,
        Kind::Invented,
        Kind::Duplicated,
        Kind::Mixed,
        Kind::Untrue,
        Kind::Damaged,
        Kind::Misreported,
        Kind::Unexpected,
    ];

    /// Kinds that a run over acts of the clock can find.
    pub(crate) const OF_THE_CLOCK: [Kind; 4] = [Kind::Lost, Kind::Duplicated, Kind::Miscounted, Kind::Untrue];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Mixed => "mixed",
            Kind::Lost => "lost",
            Kind::Invented => "invented",
            Kind::Duplicated => "duplicated",
            Kind::Miscounted => "miscounted",
            Kind::Unexpected => "unexpected",
            Kind::Untrue => "untrue",
            Kind::Damaged => "damaged",
            Kind::Misreported => "misreported",
        }
    }
}

/// A violation, with its subject.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    pub(crate) kind: Kind,
    /// Subject: label of the experiment, id of the event, or another name.
    pub(crate) about: String,
    pub(crate) sentence: String,
}

impl Violation {
    pub(crate) fn new(kind: Kind, about: &str, sentence: String) -> Self {
        Self { kind, about: about.to_owned(), sentence }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.kind.word(), self.about, self.sentence)
    }
}
