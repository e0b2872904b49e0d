//! Report of a run over acts of the clock.

use crate::findings::{Findings, Outcome};
use crate::violation::Kind;
use std::fmt;

pub(crate) struct Report {
    pub(crate) findings: Findings,
    /// Number of starts and ends.
    pub(crate) acts: u64,
    /// Experiments whose start and end had both passed before a node could start them.
    pub(crate) missed: u64,
    /// Number of times that a node took the lead from the other.
    pub(crate) takeovers: i64,
    /// Longest delay of an act, in microseconds.
    pub(crate) latest_us: i64,
}

impl Report {
    pub(crate) fn new() -> Self {
        let findings = Findings::new("clock", &Kind::OF_THE_CLOCK);
        Self { findings, acts: 0, missed: 0, takeovers: 0, latest_us: 0 }
    }

    /// Returns whether the run proved nothing: too few kills met the leader, or too many experiments were not started.
    fn is_idle(&self) -> bool {
        self.takeovers < i64::from(self.findings.cycles) / 5 || self.missed * 4 > self.acts
    }

    /// Prints a line of progress.
    pub(crate) fn progress(&self, cycles: u32) {
        self.findings.progress(cycles, format_args!("two nodes"));
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
        writeln!(
            out,
            "  acts                  {}, the latest {} ms after its moment",
            self.acts,
            self.latest_us / 1_000
        )?;
        writeln!(out, "  takeovers             {}", self.takeovers)?;
        writeln!(out, "  over before a start   {}", self.missed)?;
        self.findings.tail(out, self.is_idle().then_some("the node that led was hardly killed, or nothing was started"))
    }
}
