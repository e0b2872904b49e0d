//! Report of a run over experiments.

use crate::findings::{Findings, Outcome};
use crate::place::Database;
use crate::violation::Kind;
use std::fmt;

pub(crate) struct Report {
    pub(crate) findings: Findings,
    /// Changes that were acknowledged.
    pub(crate) patches: u64,
    /// Experiments whose creation was acknowledged, at once or when sent again.
    pub(crate) creates: u64,
    /// Part of `creates`: acknowledged only when they were sent again.
    pub(crate) creates_again: u64,
    /// Number of kills that met a request.
    pub(crate) hits: u32,
    /// Requests that were sent and never answered.
    pub(crate) unanswered: u64,
    /// Unanswered requests that were found applied.
    pub(crate) applied: u64,
    /// Result of the last `PRAGMA integrity_check`; `None` on PostgreSQL.
    pub(crate) file_is_sound: Option<bool>,
}

impl Report {
    pub(crate) fn new(database: Database) -> Self {
        Self {
            findings: Findings::new(database.name(), &Kind::OF_EXPERIMENTS),
            patches: 0,
            creates: 0,
            creates_again: 0,
            hits: 0,
            unanswered: 0,
            applied: 0,
            file_is_sound: None,
        }
    }

    /// Returns whether the run proved nothing, because no kill met a request or no change was acknowledged.
    fn is_idle(&self) -> bool {
        self.unanswered == 0 || self.patches == 0
    }

    /// Prints a line of progress.
    pub(crate) fn progress(&self, cycles: u32) {
        let Self { patches, unanswered, .. } = self;
        self.findings.progress(cycles, format_args!("{patches} patches acknowledged, {unanswered} requests hit"));
    }
}

impl Outcome for Report {
    fn is_well(&self) -> bool {
        self.findings.is_empty() && !self.is_idle()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.findings.head(out)?;
        writeln!(out, "  acknowledged patches  {}", self.patches)?;
        writeln!(
            out,
            "  acknowledged creates  {}, {} of them when sent again after the kill",
            self.creates, self.creates_again
        )?;
        writeln!(
            out,
            "  requests in flight    {} without an answer, met by {} kills; {} had been applied",
            self.unanswered, self.hits, self.applied
        )?;
        if let Some(is_sound) = self.file_is_sound {
            writeln!(out, "  integrity_check       {}", if is_sound { "ok" } else { "failed" })?;
        }
        self.findings.tail(out, self.is_idle().then_some("no kill met a request in flight"))
    }
}
