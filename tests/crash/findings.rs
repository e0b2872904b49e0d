//! Violations that a run found, and its duration.

use crate::Result;
use crate::violation::{Kind, Violation};
use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

/// Maximum number of violations that are printed; all are counted.
const SHOWN: usize = 20;

/// Outcome of a run, printed for the person who started it.
pub(crate) trait Outcome: fmt::Display {
    /// Returns whether the run passed. A run that could not have found violations does not pass.
    fn is_well(&self) -> bool;
}

/// The violations of a run, cycle by cycle.
pub(crate) struct Findings {
    pub(crate) name: &'static str,
    /// Kinds of violations that a run of this type can find.
    kinds: &'static [Kind],
    started: Instant,
    took: Duration,
    pub(crate) cycles: u32,
    violations: Vec<Violation>,
    reported: HashSet<(Kind, String)>,
    /// Location of the data that is kept for inspection.
    kept: Option<String>,
}

impl Findings {
    pub(crate) fn new(name: &'static str, kinds: &'static [Kind]) -> Self {
        Self {
            name,
            kinds,
            started: Instant::now(),
            took: Duration::ZERO,
            cycles: 0,
            violations: Vec::new(),
            reported: HashSet::new(),
            kept: None,
        }
    }

    /// Counts violations. Returns those that are new: one that stays may be found again
    /// in every later cycle.
    pub(crate) fn add(&mut self, violations: Vec<Violation>) -> Vec<Violation> {
        let mut new = violations;
        new.retain(|violation| self.reported.insert((violation.kind, violation.about.clone())));
        self.violations.extend(new.iter().cloned());
        new
    }

    /// Ends the run. If there are violations, `keep` keeps the data for inspection and
    /// returns its location.
    pub(crate) fn finish(&mut self, keep: impl FnOnce() -> String) {
        self.took = self.started.elapsed();
        self.kept = (!self.is_empty()).then(keep);
    }

    /// Returns whether there are no violations.
    pub(crate) fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }

    /// All violations.
    pub(crate) fn all(&self) -> &[Violation] {
        &self.violations
    }

    /// Prints a line of progress, with what was `done` so far.
    pub(crate) fn progress(&self, cycles: u32, done: fmt::Arguments<'_>) {
        eprintln!("{}: {} of {cycles} cycles, {done}, {} violations", self.name, self.cycles, self.violations.len());
    }

    /// Writes the first line of a report.
    pub(crate) fn head(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.took.as_secs_f64();
        let each = seconds / f64::from(self.cycles.max(1));
        writeln!(out, "{}: {} cycles in {seconds:.0} s, {each:.2} s each", self.name, self.cycles)
    }

    /// Writes the last lines of a report: the number of violations of each kind, and the
    /// first of them. `idle` is the reason why the run proved nothing.
    pub(crate) fn tail(&self, out: &mut fmt::Formatter<'_>, idle: Option<&str>) -> fmt::Result {
        write!(out, "  violations           ")?;
        for (index, kind) in self.kinds.iter().enumerate() {
            let count = self.violations.iter().filter(|violation| violation.kind == *kind).count();
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma} {} {count}", kind.word())?;
        }
        for violation in self.violations.iter().take(SHOWN) {
            write!(out, "\n  {violation}")?;
        }
        if self.violations.len() > SHOWN {
            write!(out, "\n  and {} more", self.violations.len() - SHOWN)?;
        }
        if let Some(why) = idle {
            write!(out, "\n  {why}: this run proved nothing")?;
        }
        if let Some(kept) = &self.kept {
            write!(out, "\n  kept for a look: {kept}")?;
        }
        Ok(())
    }
}

/// Outcome of a control: for each planted fault, whether it was reported as its kind
/// and nothing else was reported.
pub(crate) struct Planted {
    name: &'static str,
    lines: Vec<(bool, String)>,
}

impl Planted {
    pub(crate) fn new(name: &'static str, lines: Vec<(bool, String)>) -> Self {
        Self { name, lines }
    }
}

impl Outcome for Planted {
    fn is_well(&self) -> bool {
        self.lines.iter().all(|(is_found, _)| *is_found)
    }
}

impl fmt::Display for Planted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.lines.iter().filter(|(is_found, _)| *is_found).count();
        write!(out, "{}: {found} of {} planted faults were found", self.name, self.lines.len())?;
        for (is_found, line) in &self.lines {
            write!(out, "\n  {}: {line}", if *is_found { "found" } else { "NOT FOUND" })?;
        }
        Ok(())
    }
}

/// Prints the outcome of a run. Returns whether the run passed.
pub(crate) fn print_outcome(outcome: Result<impl Outcome>) -> Result<bool> {
    let outcome = outcome?;
    println!("{outcome}");
    Ok(outcome.is_well())
}

/// Fails the test unless the run completed and passed.
#[cfg(test)]
#[track_caller]
pub(crate) fn expect_well(outcome: Result<impl Outcome>) {
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(outcome.is_well(), "{outcome}");
}

/// Path of the program of this build, for tests.
#[cfg(test)]
#[track_caller]
pub(crate) fn program() -> std::path::PathBuf {
    muriel_tests::process::program(None).unwrap_or_else(|error| panic!("{error}"))
}
