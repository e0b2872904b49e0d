//! What must not happen, and did.

use std::fmt;

/// What must not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Not what was sent: parts of two changes at once, or something else.
    Mixed,
    /// Acknowledged, and not there.
    Lost,
    /// There, and never sent.
    Invented,
    /// There twice.
    Duplicated,
    /// Revisions, history or epochs that are not numbered 1 to n.
    Miscounted,
    /// An answer that a running server should not have given.
    Unexpected,
    /// An answer about an event that does not fit what is stored.
    Untrue,
    /// A file that is not as it was written.
    Damaged,
    /// A result that does not count what is stored.
    Misreported,
}

impl Kind {
    /// Those that a run over experiments can meet.
    pub(crate) const OF_EXPERIMENTS: [Kind; 6] =
        [Kind::Mixed, Kind::Lost, Kind::Invented, Kind::Duplicated, Kind::Miscounted, Kind::Unexpected];
    /// Those that a run over events can meet.
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

    /// Those that a run over acts of the clock can meet.
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

/// One thing that happened and must not.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    pub(crate) kind: Kind,
    /// Label of the experiment, id of the event, or whatever else it is about.
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
