//! What a run over events gave.

use crate::violation::{Kind, Violation};
use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

/// Violations that are printed; all are counted.
const SHOWN: usize = 20;

pub(crate) struct Report {
    name: &'static str,
    started: Instant,
    took: Duration,
    pub(crate) cycles: u32,
    /// Events that were acknowledged, each counted once.
    pub(crate) acknowledged: u64,
    /// Events that were sent again although they had been acknowledged.
    pub(crate) repeats: u64,
    /// Requests that were answered.
    pub(crate) requests: u64,
    /// Ends of the server that met a request.
    pub(crate) hits: u32,
    /// Requests that were sent and never answered.
    pub(crate) unanswered: u64,
    /// Of their events, those that were found stored.
    pub(crate) stored: u64,
    /// Requests that were sent again because they were not answered.
    pub(crate) again: u64,
    /// How often the index was removed or damaged.
    pub(crate) spoiled: u32,
    /// Blocks of the log.
    pub(crate) blocks: i64,
    /// Closed files of the log.
    pub(crate) files: usize,
    /// Where things are kept for somebody to look at.
    pub(crate) kept: Option<String>,
    violations: Vec<Violation>,
    told: HashSet<(Kind, String)>,
}

impl Report {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            started: Instant::now(),
            took: Duration::ZERO,
            cycles: 0,
            acknowledged: 0,
            repeats: 0,
            requests: 0,
            hits: 0,
            unanswered: 0,
            stored: 0,
            again: 0,
            spoiled: 0,
            blocks: 0,
            files: 0,
            kept: None,
            violations: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// Counts violations; those that are new, as one that stays may be seen again.
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

    /// Everything that was wrong.
    pub(crate) fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// A run whose kills met nothing proved nothing.
    fn is_idle(&self) -> bool {
        self.unanswered == 0 || self.acknowledged == 0
    }

    /// A line for whoever waits.
    pub(crate) fn progress(&self, cycles: u32) {
        eprintln!(
            "{}: {} of {cycles} cycles, {} events acknowledged, {} requests hit, {} violations",
            self.name,
            self.cycles,
            self.acknowledged,
            self.unanswered,
            self.violations.len()
        );
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.took.as_secs_f64();
        let each = seconds / f64::from(self.cycles.max(1));
        writeln!(out, "{}: {} cycles in {seconds:.0} s, {each:.2} s each", self.name, self.cycles)?;
        writeln!(
            out,
            "  acknowledged events   {} by {} answers; {} were sent again after that",
            self.acknowledged, self.requests, self.repeats
        )?;
        writeln!(
            out,
            "  requests in flight    {} without an answer, met by {} cycles; {} of their events were stored",
            self.unanswered, self.hits, self.stored
        )?;
        writeln!(out, "  sent again            {} of these requests", self.again)?;
        writeln!(
            out,
            "  log                   {} blocks, {} files closed; its index was spoiled {} times",
            self.blocks, self.files, self.spoiled
        )?;
        write!(out, "  violations           ")?;
        for (index, kind) in Kind::OF_EVENTS.into_iter().enumerate() {
            let count = self.violations.iter().filter(|violation| violation.kind == kind).count();
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma} {} {count}", kind.word())?;
        }
        for violation in self.violations.iter().take(SHOWN) {
            write!(out, "\n  {violation}")?;
        }
        if self.violations.len() > SHOWN {
            write!(out, "\n  and {} more", self.violations.len() - SHOWN)?;
        }
        if self.is_idle() {
            write!(out, "\n  no end met a request in flight: this run proved nothing")?;
        }
        if let Some(kept) = &self.kept {
            write!(out, "\n  kept for a look: {kept}")?;
        }
        Ok(())
    }
}
