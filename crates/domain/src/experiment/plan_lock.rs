//! The plan of an experiment at its first start.
//!
//! It is stored unchanged, with a hash of its [canonical form](canonical). Reports compare it with the current
//! experiment: additions and changes after the start were made when data could be known, and are weaker evidence.

use super::configuration::flag;
use super::{Configuration, Experiment};
use crate::Instant;
use crate::goal::{Goal, GoalType, GoalValue};
use crate::hypothesis::Hypothesis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;

/// Locked plan: the plan of an experiment at its first start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPlan {
    /// Experiment id.
    pub test_id: i64,
    /// Time of the first start, to the millisecond.
    pub locked_at: Instant,
    /// Hypothesis to test.
    pub hypothesis: Option<LockedHypothesis>,
    /// Goal for the verdict.
    pub primary_goal: Option<LockedGoal>,
    /// Further goals to report, in their order.
    pub secondary_goals: Vec<LockedGoal>,
    /// Built-in metrics that must not get worse.
    pub guardrails: Vec<String>,
    /// Events to report.
    pub event_metrics: Vec<String>,
    /// Smallest lift worth acting on, in percent.
    pub mde: f64,
    /// Confidence threshold in percent.
    pub confidence_percent: i64,
    /// Rules that end the experiment.
    pub stop_rule: StopRule,
    /// Planned total number of visitors. `None` when it was not given and could not be computed.
    pub planned_visitors: Option<i64>,
    /// Source of the total. `None` without a total.
    pub planned_from: Option<PlannedFrom>,
    /// Ids of the arms, the control first.
    pub arms: Vec<String>,
    /// True when the weights follow the result. `None` in locks from releases that did not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_mab: Option<bool>,
}

/// Maximum length of the reason for confirming a changed plan, in characters.
pub const PLAN_REASON_MAX: usize = 2_000;

/// The part of a plan that the clock uses, as a person confirmed it after the first start.
///
/// The lock stays unchanged: results keep labelling later changes as exploratory. The clock does not act on anything
/// that was changed after the lock; it uses these confirmed values instead of the locked ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfirmedPlan {
    /// Time of the confirmation, to the millisecond.
    pub confirmed_at: Instant,
    /// Reason for the change, as the person wrote it.
    pub reason: String,
    /// Goal for the verdict.
    pub primary_goal: Option<LockedGoal>,
    /// Smallest lift worth acting on, in percent.
    pub mde: f64,
    /// Confidence threshold in percent.
    pub confidence_percent: i64,
    /// Ids of the arms, the control first.
    pub arms: Vec<String>,
}

impl ConfirmedPlan {
    /// Returns the current experiment and primary goal, confirmed at `at`. The time is cut to milliseconds.
    pub fn of(experiment: &Experiment, primary: Option<&Goal>, reason: String, at: Instant) -> Self {
        Self {
            confirmed_at: at.to_ms(),
            reason,
            primary_goal: primary.map(LockedGoal::of),
            mde: experiment.plan.mde,
            confidence_percent: experiment.configuration.confidence_interval,
            arms: arm_ids(experiment),
        }
    }
}

/// Ids of the arms, the control first.
fn arm_ids(experiment: &Experiment) -> Vec<String> {
    (0..experiment.arms()).map(|number| number.to_string()).collect()
}

/// Source of a planned total of visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannedFrom {
    /// A person gave it.
    Given,
    /// The first start computed it from the smallest lift and the project's traffic.
    Computed,
}

impl PlannedFrom {
    /// Word in the interface.
    pub fn word(self) -> &'static str {
        match self {
            PlannedFrom::Given => "given",
            PlannedFrom::Computed => "computed",
        }
    }
}

/// A hypothesis as it was at the first start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedHypothesis {
    /// Hypothesis id.
    pub hypothesis_id: i64,
    /// Observation: what the team noticed.
    pub observation: Option<String>,
    /// Problem: why the observation matters.
    pub problem: Option<String>,
    /// Solution: the change to test.
    pub solution: Option<String>,
}

impl LockedHypothesis {
    /// Returns the hypothesis in its current state.
    pub fn of(hypothesis: &Hypothesis) -> Self {
        let content = &hypothesis.content;
        Self {
            hypothesis_id: hypothesis.id.0,
            observation: content.observation.clone(),
            problem: content.problem.clone(),
            solution: content.solution.clone(),
        }
    }
}

/// A goal with its definition at the first start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedGoal {
    /// Permanent name.
    pub goal_key: String,
    /// Display name, which does not affect what the goal counts.
    pub goal_name: String,
    /// Word of the goal's type.
    pub goal_type: String,
    /// Value of the goal.
    pub goal_value: GoalValue,
    /// Days after entry within which an event counts.
    pub window_days: Option<i64>,
    /// Events needed for a conversion.
    pub min_count: i64,
    /// Maximum value that a visitor contributes.
    pub cap: Option<f64>,
    /// Largest plausible value of an order.
    pub max_order_value: Option<f64>,
    /// Currency that orders are counted in.
    pub currency: Option<String>,
}

impl LockedGoal {
    /// Returns the goal in its current state.
    pub fn of(goal: &Goal) -> Self {
        let definition = &goal.definition;
        Self {
            goal_key: goal.key.clone(),
            goal_name: definition.name.clone(),
            goal_type: definition.trigger.goal_type().word().to_owned(),
            goal_value: definition.trigger.value().clone(),
            window_days: definition.window_days,
            min_count: definition.min_count,
            cap: definition.cap,
            max_order_value: definition.max_order_value,
            currency: definition.currency.clone(),
        }
    }

    /// Returns the fields that make the two count differently; empty when they count alike. Cap, largest order and
    /// currency matter only for revenue. Names do not matter.
    pub fn counts_unlike(&self, other: &LockedGoal) -> Vec<&'static str> {
        let is_revenue = [self, other].iter().any(|goal| goal.goal_type == GoalType::Revenue.word());
        let fields = [
            ("goal_type", self.goal_type != other.goal_type),
            ("goal_value", self.goal_value != other.goal_value),
            ("window_days", self.window_days != other.window_days),
            ("min_count", self.min_count != other.min_count),
            ("cap", is_revenue && self.cap != other.cap),
            ("max_order_value", is_revenue && self.max_order_value != other.max_order_value),
            ("currency", is_revenue && self.currency != other.currency),
        ];
        fields.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
    }
}

/// Rules that end an experiment automatically. Published as in its configuration: rules that are off are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRule {
    /// End date, to the millisecond.
    pub end_test_date: Option<Instant>,
    /// Number of visitors that end it.
    pub completion_visitor: i64,
    /// Number of converted visitors that ends it.
    pub completion_conversion: i64,
    /// Days after the first start that end it.
    pub completion_after_period: i64,
    /// True when the verdict on the primary goal ends it.
    #[serde(with = "flag")]
    pub completion_stats_significant_flag: bool,
    /// True when a winner is served, and stopped, automatically.
    #[serde(with = "flag")]
    pub is_autopilot: bool,
}

impl StopRule {
    /// Returns the stop rules of a configuration.
    pub fn of(configuration: &Configuration) -> Self {
        Self {
            end_test_date: configuration.end_test_date.map(Instant::to_ms),
            completion_visitor: configuration.completion_visitor.unwrap_or(0),
            completion_conversion: configuration.completion_conversion.unwrap_or(0),
            completion_after_period: configuration.completion_after_period.unwrap_or(0),
            completion_stats_significant_flag: configuration.completion_stats_significant_flag,
            is_autopilot: configuration.is_autopilot,
        }
    }

    /// Returns the settings in which the two differ, by configuration key. Empty when they are equal.
    pub fn unlike(&self, other: &StopRule) -> Vec<&'static str> {
        let settings = [
            ("end_test_date", self.end_test_date != other.end_test_date),
            ("completion_visitor", self.completion_visitor != other.completion_visitor),
            ("completion_conversion", self.completion_conversion != other.completion_conversion),
            ("completion_after_period", self.completion_after_period != other.completion_after_period),
            (
                "completion_stats_significant_flag",
                self.completion_stats_significant_flag != other.completion_stats_significant_flag,
            ),
            ("is_autopilot", self.is_autopilot != other.is_autopilot),
        ];
        settings.into_iter().filter(|(_, differs)| *differs).map(|(setting, _)| setting).collect()
    }
}

impl LockedPlan {
    /// Returns the plan of an experiment that starts for the first time at `locked_at`, with these goals and this
    /// hypothesis.
    pub fn of(
        experiment: &Experiment,
        locked_at: Instant,
        hypothesis: Option<&Hypothesis>,
        (primary, secondary): (Option<&Goal>, &[Goal]),
    ) -> Self {
        let plan = &experiment.plan;
        let from = if plan.is_computed { PlannedFrom::Computed } else { PlannedFrom::Given };
        Self {
            test_id: experiment.id.0,
            locked_at: locked_at.to_ms(),
            hypothesis: hypothesis.map(LockedHypothesis::of),
            primary_goal: primary.map(LockedGoal::of),
            secondary_goals: secondary.iter().map(LockedGoal::of).collect(),
            guardrails: experiment.builtin_metrics.clone(),
            event_metrics: experiment.event_metrics.clone(),
            mde: plan.mde,
            confidence_percent: experiment.configuration.confidence_interval,
            stop_rule: StopRule::of(&experiment.configuration),
            planned_visitors: plan.visitors,
            planned_from: plan.visitors.map(|_| from),
            arms: arm_ids(experiment),
            is_mab: Some(experiment.configuration.is_mab),
        }
    }

    /// Returns the goal of the plan with this key. `None` for a goal that was not part of it at the first start.
    pub fn goal(&self, key: &str) -> Option<&LockedGoal> {
        self.primary_goal.iter().chain(&self.secondary_goals).find(|goal| goal.goal_key == key)
    }

    /// The canonical text, of which the hash is computed.
    ///
    /// A plan that is read back from this text is equal, and has the same text.
    pub fn canonical(&self) -> String {
        // Only maps with keys other than text fail, and there are none here.
        serde_json::to_value(self).map_or_else(|_| String::new(), |value| canonical(&value))
    }
}

/// Canonical JSON: no blanks, members sorted by name, numbers as in JavaScript. Member names are ASCII here.
///
/// # Source
/// RFC 8785, JSON Canonicalization Scheme.
fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Number(number) => write_number(number, text),
        Value::Array(entries) => {
            text.push('[');
            for (at, entry) in entries.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write(entry, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (at, (name, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                let _ = write!(text, "{}:", Value::from(name.as_str()));
                write(member, text);
            }
            text.push('}');
        }
        plain => {
            let _ = write!(text, "{plain}");
        }
    }
}

/// Writes a number as JavaScript does, for the numbers that a plan can have: whole ones without a fraction, and an
/// exponent only below 10⁻⁶.
fn write_number(number: &serde_json::Number, text: &mut String) {
    // Whole numbers are written the same however they were read; all of ours are below 2^53.
    let _ = match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => write!(text, "{whole}"),
        (None, Some(0.0)) => write!(text, "0"),
        (None, Some(number)) if number.abs() < 1e-6 => write!(text, "{number:e}"),
        (None, Some(number)) => write!(text, "{number}"),
        (None, None) => write!(text, "{number}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::TestType;
    use crate::goal::{Definition, Purpose, Trigger};
    use crate::ids::{CompanyId, GoalId, ProjectId};
    use serde_json::json;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_123);

    fn goal(key: &str) -> Goal {
        Goal {
            id: GoalId(1),
            key: key.to_owned(),
            definition: Definition {
                name: key.to_owned(),
                trigger: Trigger::new(GoalType::Event, GoalValue::Text(key.to_owned())).unwrap(),
                purpose: Purpose::Engage,
                element_url: None,
                window_days: Some(7),
                min_count: 1,
                cap: None,
                max_order_value: None,
                currency: None,
            },
            created_at: NOW,
            revision: 1,
        }
    }

    #[test]
    fn the_canonical_form_is_that_of_rfc_8785() {
        for (value, expect) in [
            (json!({ "b": 1, "a": [true, null, "x"] }), r#"{"a":[true,null,"x"],"b":1}"#),
            (json!({ "text": "a\"\\\n\t\u{1}é€" }), "{\"text\":\"a\\\"\\\\\\n\\t\\u0001é€\"}"),
            (json!([2.0, 2, 2.5, 0.1, -0.0, 1e-6, 1e-7, 1.5e-7, 1e12, 4.35]), {
                "[2,2,2.5,0.1,0,0.000001,1e-7,1.5e-7,1000000000000,4.35]"
            }),
            (json!({ "nested": { "z": {}, "A": [] } }), r#"{"nested":{"A":[],"z":{}}}"#),
        ] {
            assert_eq!(canonical(&value), expect);
        }
    }

    #[test]
    fn a_plan_that_was_read_back_has_the_same_canonical_form() {
        let mut experiment = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".into(), NOW);
        experiment.plan.mde = 5.0;
        experiment.plan.visitors = Some(12_000);
        experiment.configuration.end_test_date = Some(NOW);
        let plan = LockedPlan::of(&experiment, NOW, None, (Some(&goal("buy")), &[goal("look")]));
        let text = plan.canonical();
        assert!(text.contains(r#""locked_at":"2026-03-01T10:00:00.000Z","mde":5,"planned_from":"given""#), "{text}");
        let read: LockedPlan = serde_json::from_str(&text).unwrap();
        assert_eq!((&read, read.canonical()), (&plan, text));
    }

    #[test]
    fn goals_differ_by_what_they_count() {
        let locked = LockedGoal::of(&goal("buy"));
        let now = |change: fn(&mut LockedGoal)| {
            let mut now = locked.clone();
            change(&mut now);
            locked.counts_unlike(&now)
        };
        assert_eq!(now(|_| ()), [""; 0]);
        assert_eq!(now(|goal| goal.goal_name = "Other".into()), [""; 0]);
        assert_eq!(now(|goal| goal.cap = Some(5.0)), [""; 0]);
        assert_eq!(now(|goal| goal.goal_value = GoalValue::Text("sold".into())), ["goal_value"]);
        let sold = |goal: &mut LockedGoal| {
            goal.goal_type = "revenue".into();
            goal.cap = Some(5.0);
            goal.window_days = None;
        };
        assert_eq!(now(sold), ["goal_type", "window_days", "cap"]);
    }
}
