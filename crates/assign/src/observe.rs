//! Who listens while a decision is made.

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// Whether the experiment runs.
    Status,
    /// Whether a preview asks for an arm.
    Forced,
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
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Check::Status => "status",
            Check::Forced => "forced",
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
pub enum Outcome {
    /// The visitor goes on, or is decided for.
    Pass,
    /// The visitor stays out.
    Fail,
    /// What it asks about is not known yet: the visitor stays out for now.
    Unknown,
    /// A server cannot look; passed over.
    NotEnforced,
}

impl Outcome {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Unknown => "unknown",
            Outcome::NotEnforced => "not_enforced",
        }
    }
}

/// Hears of each check as it is made.
pub trait Observer {
    /// Whether it wants to hear of rules after the one that decided, and of
    /// what would happen if a paused experiment ran. The decision is the same.
    const THOROUGH: bool;

    /// A check was made. The detail is written only for those who keep it.
    fn saw(&mut self, check: Check, outcome: Outcome, detail: impl FnOnce() -> String);
}

/// Hears nothing, and costs nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    const THOROUGH: bool = false;

    #[inline(always)]
    fn saw(&mut self, _: Check, _: Outcome, _: impl FnOnce() -> String) {}
}

/// One check, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What was looked at.
    pub check: Check,
    /// How it went.
    pub outcome: Outcome,
    /// In words.
    pub detail: String,
}

/// Keeps every check.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// In their order.
    pub steps: Vec<Step>,
}

impl Observer for Recording {
    const THOROUGH: bool = true;

    fn saw(&mut self, check: Check, outcome: Outcome, detail: impl FnOnce() -> String) {
        self.steps.push(Step { check, outcome, detail: detail() });
    }
}
