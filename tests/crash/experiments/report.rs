//! What a run gave.

use crate::place::Database;
use crate::violation::{Kind, Violation};
use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

/// Violations that are printed; all are counted.
const SHOWN: usize = 20;

pub(crate) struct Report {
    database: Database,
    started: Instant,
    took: Duration,
    pub(crate) cycles: u32,
    /// Changes that were acknowledged.
    pub(crate) patches: u64,
    /// Experiments whose creation was acknowledged, at once or when sent again.
    pub(crate) creates: u64,
    /// Of these, those that were acknowledged only when sent again.
    pub(crate) creates_again: u64,
    /// Kills that met a request.
    pub(crate) hits: u32,
    /// Requests that were sent and never answered.
    pub(crate) unanswered: u64,
    /// Of these, those that were found applied.
    pub(crate) applied: u64,
    /// What `PRAGMA integrity_check` thought in the end, on SQLite.
    pub(crate) file_is_sound: Option<bool>,
    /// Where things are kept for somebody to look at.
    pub(crate) kept: Option<String>,
    violations: Vec<Violation>,
    told: HashSet<(Kind, String)>,
}

impl Report {
    pub(crate) fn new(database: Database) -> Self {
        Self {
            database,
            started: Instant::now(),
            took: Duration::ZERO,
            cycles: 0,
            patches: 0,
            creates: 0,
            creates_again: 0,
            hits: 0,
            unanswered: 0,
            applied: 0,
            file_is_sound: None,
            kept: None,
            violations: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// Counts violations; those that are new, as one that stays is seen again in
    /// every later cycle.
    pub(crate) fn add(&mut self, violations: Vec<Violation>) -> Vec<Violation> {
        let mut new = violations;
        new.retain(|violation| self.told.insert((violation.kind, violation.about.clone())));
        self.violations.extend(new.iter().cloned());
        new
    }

    pub(crate) fn finish(&mut self) {
        self.took = self.started.elapsed();
    }

    /// Whether nothing was wrong, and the run could have found it.
    pub(crate) fn is_well(&self) -> bool {
        self.violations.is_empty() && !self.is_idle()
    }

    pub(crate) fn has_violations(&self) -> bool {
        !self.violations.is_empty()
    }

    /// A run whose kills met nothing proved nothing.
    fn is_idle(&self) -> bool {
        self.unanswered == 0 || self.patches == 0
    }

    /// A line for whoever waits.
    pub(crate) fn progress(&self, cycles: u32) {
        eprintln!(
            "{}: {} of {cycles} cycles, {} patches acknowledged, {} requests hit, {} violations",
            self.database.name(),
            self.cycles,
            self.patches,
            self.unanswered,
            self.violations.len()
        );
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.took.as_secs_f64();
        let each = seconds / f64::from(self.cycles.max(1));
        writeln!(out, "{}: {} cycles in {seconds:.0} s, {each:.2} s each", self.database.name(), self.cycles)?;
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
        write!(out, "  violations           ")?;
        for (index, kind) in Kind::OF_EXPERIMENTS.into_iter().enumerate() {
            let count = self.violations.iter().filter(|violation| violation.kind == kind).count();
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma} {} {count}", kind.word())?;
        }
        if let Some(is_sound) = self.file_is_sound {
            write!(out, "\n  integrity_check       {}", if is_sound { "ok" } else { "failed" })?;
        }
        for violation in self.violations.iter().take(SHOWN) {
            write!(out, "\n  {violation}")?;
        }
        if self.violations.len() > SHOWN {
            write!(out, "\n  and {} more", self.violations.len() - SHOWN)?;
        }
        if self.is_idle() {
            write!(out, "\n  no kill met a request in flight: this run proved nothing")?;
        }
        if let Some(kept) = &self.kept {
            write!(out, "\n  kept for a look: {kept}")?;
        }
        Ok(())
    }
}
