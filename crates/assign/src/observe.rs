//! Observers: notified of each check during a decision.
//!
//! Deciding and explaining run the same code with different observers, so an explanation cannot differ from the
//! decision.

/// A check of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// The experiment is live.
    Status,
    /// A preview requests an arm.
    Forced,
    /// A holdout keeps the unit out of every experiment.
    Holdout,
    /// A winner is served.
    Serving,
    /// The unit is in the experiment's range of its exclusion group.
    Exclusion,
    /// The visitor was given an arm before.
    Sticky,
    /// The unit is in the traffic that enters.
    Traffic,
    /// A rule of targeting, by its name in the interface.
    Rule(&'static str),
    /// The audience of a personalization's variant.
    Audience,
    /// The range that has the unit's bucket.
    Variant,
}

impl Check {
    /// Name in explanations: that of the check, or that of the rule, such as `device_rule`.
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

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckOutcome {
    /// The visitor passes, or gets an arm.
    Pass,
    /// The visitor is kept out.
    Fail,
    /// A fact that the check needs is not known yet; the visitor is kept out for now.
    Unknown,
    /// A server cannot check this, so it is skipped.
    NotEnforced,
}

impl CheckOutcome {
    /// Name in explanations: `pass`, `fail`, `unknown` or `not_enforced`.
    pub fn name(self) -> &'static str {
        match self {
            CheckOutcome::Pass => "pass",
            CheckOutcome::Fail => "fail",
            CheckOutcome::Unknown => "unknown",
            CheckOutcome::NotEnforced => "not_enforced",
        }
    }
}

/// Observer of the checks of a decision.
///
/// A type parameter of the decision, so an observer that does nothing has no cost.
pub trait Observer {
    /// True to continue when the result is already certain: with rules after the deciding one, and with what would
    /// happen if a paused experiment were live. The decision is the same.
    const THOROUGH: bool;

    /// Called for each check, in order. `detail` creates a sentence about it; only observers that need the sentence
    /// call it.
    fn on_check(&mut self, check: Check, outcome: CheckOutcome, detail: impl FnOnce() -> String);
}

/// Ignores every check; used for deciding. The compiler removes the calls and their details.
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
    /// The check.
    pub check: Check,
    /// Result of the check.
    pub outcome: CheckOutcome,
    /// Sentence for people, with the numbers behind the result, such as buckets.
    pub detail: String,
}

/// Records every check; used for explaining a decision.
#[derive(Debug, Clone, Default)]
pub struct TraceObserver {
    /// The checks, in the order in which they were made.
    pub steps: Vec<TraceStep>,
}

impl Observer for TraceObserver {
    const THOROUGH: bool = true;

    fn on_check(&mut self, check: Check, outcome: CheckOutcome, detail: impl FnOnce() -> String) {
        self.steps.push(TraceStep { check, outcome, detail: detail() });
    }
}
