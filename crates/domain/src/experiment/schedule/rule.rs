//! Rules with which the clock acts, and their acts.

use crate::experiment::Configuration;
use serde::{Deserialize, Serialize};

/// A rule with which the clock acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// `start_test_date` has passed.
    StartDate,
    /// `end_test_date` has passed.
    EndDate,
    /// `completion_visitor` visitors have entered.
    Visitors,
    /// `completion_conversion` visitors have converted.
    Conversions,
    /// `completion_after_period` days have passed since the first start.
    Period,
    /// `completion_stats_significant_flag`: the verdict on the primary goal is reached.
    Significant,
    /// `is_mab`: the weights follow the result.
    Bandit,
    /// `is_autopilot`: a winner is served to more and more visitors.
    Autopilot,
    /// `is_autopilot`: the winner that the clock serves made a metric worse.
    Guardrail,
    /// `stop_on_page_harm` of the project: a variant harms its pages.
    PageHarm,
}

impl Rule {
    /// All rules with their words.
    pub const WORDS: [(&'static str, Rule); 10] = [
        ("start_date", Rule::StartDate),
        ("end_date", Rule::EndDate),
        ("visitors", Rule::Visitors),
        ("conversions", Rule::Conversions),
        ("period", Rule::Period),
        ("significant", Rule::Significant),
        ("bandit", Rule::Bandit),
        ("autopilot", Rule::Autopilot),
        ("guardrail", Rule::Guardrail),
        ("page_harm", Rule::PageHarm),
    ];

    /// Word in the interface and in history.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// Configuration setting that controls the rule. For [`Rule::PageHarm`], a setting of the project.
    pub fn setting(self) -> &'static str {
        match self {
            Rule::StartDate => "start_test_date",
            Rule::EndDate => "end_test_date",
            Rule::Visitors => "completion_visitor",
            Rule::Conversions => "completion_conversion",
            Rule::Period => "completion_after_period",
            Rule::Significant => "completion_stats_significant_flag",
            Rule::Bandit => "is_mab",
            Rule::Autopilot | Rule::Guardrail => "is_autopilot",
            Rule::PageHarm => "stop_on_page_harm",
        }
    }

    /// The act of the rule.
    pub fn act(self) -> ClockAct {
        match self {
            Rule::StartDate => ClockAct::Start,
            Rule::EndDate
            | Rule::Visitors
            | Rule::Conversions
            | Rule::Period
            | Rule::Significant
            | Rule::Guardrail
            | Rule::PageHarm => ClockAct::Stop,
            Rule::Bandit => ClockAct::Reweight,
            Rule::Autopilot => ClockAct::Ramp,
        }
    }

    /// Returns whether the configuration enables the rule.
    pub(super) fn is_set(self, configuration: &Configuration) -> bool {
        match self {
            Rule::StartDate => configuration.start_test_date.is_some(),
            Rule::EndDate => configuration.end_test_date.is_some(),
            Rule::Visitors => configuration.completion_visitor.is_some(),
            Rule::Conversions => configuration.completion_conversion.is_some(),
            Rule::Period => configuration.completion_after_period.is_some(),
            Rule::Significant => configuration.completion_stats_significant_flag,
            Rule::Bandit => configuration.is_mab,
            Rule::Autopilot | Rule::Guardrail => configuration.is_autopilot,
            // Enabled by the project, for all of its experiments.
            Rule::PageHarm => true,
        }
    }

    /// Returns whether both configurations have the same setting for the rule. Always true for [`Rule::PageHarm`],
    /// which the project sets.
    pub(super) fn is_same(self, one: &Configuration, other: &Configuration) -> bool {
        match self {
            Rule::StartDate => one.start_test_date == other.start_test_date,
            Rule::EndDate => one.end_test_date == other.end_test_date,
            Rule::Visitors => one.completion_visitor == other.completion_visitor,
            Rule::Conversions => one.completion_conversion == other.completion_conversion,
            Rule::Period => one.completion_after_period == other.completion_after_period,
            Rule::Significant => one.completion_stats_significant_flag == other.completion_stats_significant_flag,
            Rule::Bandit => one.is_mab == other.is_mab,
            Rule::Autopilot | Rule::Guardrail => one.is_autopilot == other.is_autopilot,
            Rule::PageHarm => true,
        }
    }
}

/// An act of the clock on an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockAct {
    /// The experiment becomes live.
    Start,
    /// The experiment becomes inactive. For [`Rule::Guardrail`], its winner is not served any more.
    Stop,
    /// The weights of its arms change.
    Reweight,
    /// The winner is served, or served to more visitors.
    Ramp,
}

impl ClockAct {
    /// All acts with their words in the interface.
    pub const WORDS: [(&'static str, ClockAct); 4] = [
        ("start", ClockAct::Start),
        ("stop", ClockAct::Stop),
        ("reweight", ClockAct::Reweight),
        ("ramp", ClockAct::Ramp),
    ];

    /// Word in the interface.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}
