//! Observers: what sees each check while a decision is made.
//!
//! Deciding and explaining are one walk with two observers, so an explanation cannot differ from the decision.

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// Whether the experiment runs.
    Status,
    /// Whether a preview asks for an arm.
    Forced,
    /// Whether a holdout keeps the unit out of every experiment.
    Holdout,
    /// Whether a winner is served.
    Serving,
    /// Whether the unit is in the experiment's part of its exclusion group.
    Exclusion,
    /// Whether the visitor was given an arm before.
    Sticky,
    /// Whether the unit is in the share that enters.
    Traffic,
    /// A rule of targeting, by its name in the interface.
    Rule(&'static str),
    /// A personalization variant's own rules.
    Audience,
    /// Which arm the unit's bucket is in.
    Variant,
}

impl Check {
    /// The name in explanations: that of the check, or of the rule, such as `device_rule`.
    pub fn name(self) -> &'static str {
        match self {
            Check::Status => "status",
            Check::Forced => "forced",
            Check::Holdout => "holdout",
            Check::Serving => "serving",
            Check::Exclusion => "exclusion",
            Check::Sticky => "sticky",
            Check::Traffic => "traffic",
            Check::Rule(name) => name,
            Check::Audience => "audience",
            Check::Variant => "variant",
        }
    }
}

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckOutcome {
    /// The visitor goes on, or is decided for.
    Pass,
    /// The visitor stays out.
    Fail,
    /// What it asks about is not known yet: the visitor stays out for now.
    Unknown,
    /// A server cannot look; passed over.
    NotEnforced,
}

impl CheckOutcome {
    /// The name in explanations: `pass`, `fail`, `unknown` or `not_enforced`.
    pub fn name(self) -> &'static str {
        match self {
            CheckOutcome::Pass => "pass",
            CheckOutcome::Fail => "fail",
            CheckOutcome::Unknown => "unknown",
            CheckOutcome::NotEnforced => "not_enforced",
        }
    }
}

/// Sees each check as it is made.
///
/// A type parameter of deciding, so that an observer that does nothing costs nothing.
pub trait Observer {
    /// Whether the walk goes on where the decision is already certain: to rules after the one that decided, and to what
    /// would happen if a paused experiment ran. The decision is the same.
    const THOROUGH: bool;

    /// Called for each check, in order. `detail` makes a sentence about it, which only an observer that keeps it pays
    /// for.
    fn on_check(&mut self, check: Check, outcome: CheckOutcome, detail: impl FnOnce() -> String);
}

/// Ignores every check, for deciding: the calls and their details are compiled away.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoopObserver;

impl Observer for NoopObserver {
    const THOROUGH: bool = false;

    #[inline(always)]
    fn on_check(&mut self, _: Check, _: CheckOutcome, _: impl FnOnce() -> String) {}
}

/// One check of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    /// What was checked.
    pub check: Check,
    /// How it went.
    pub outcome: CheckOutcome,
    /// A sentence for a person, with the numbers that decided, such as buckets.
    pub detail: String,
}

/// Keeps every check, for explaining a decision.
#[derive(Debug, Clone, Default)]
pub struct TraceObserver {
    /// In the order in which they were made.
    pub steps: Vec<TraceStep>,
}

impl Observer for TraceObserver {
    const THOROUGH: bool = true;

    fn on_check(&mut self, check: Check, outcome: CheckOutcome, detail: impl FnOnce() -> String) {
        self.steps.push(TraceStep { check, outcome, detail: detail() });
    }
}
