//! The plan that was locked at the first start, and labels of what is not part of it.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::experiment::{LockedGoal, LockedHypothesis, LockedPlan, StopRule};
use muriel_results::Manifest;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The plan of an experiment as it was at its first start.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultPlan {
    /// When it was locked.
    #[schema(value_type = String, format = DateTime)]
    locked_at: Instant,
    /// SHA-256 of its canonical form (RFC 8785), `manifest.plan.content`.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    hash: String,
    /// The hypothesis that it tests.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// That hypothesis as it was written then.
    #[schema(required)]
    hypothesis: Option<PlannedHypothesis>,
    /// The goal that decides.
    #[schema(required)]
    primary_goal: Option<PlannedGoal>,
    /// Further goals, in their order.
    secondary_goals: Vec<PlannedGoal>,
    /// Built-in metrics that must not get worse.
    #[schema(example = json!(["bounce_rate", "engagement"]))]
    guardrails: Vec<String>,
    /// Events that are reported.
    event_metrics: Vec<String>,
    /// Smallest lift worth acting on, in percent.
    #[schema(example = 5.0)]
    mde: f64,
    /// Confidence threshold in percent.
    confidence_threshold_percent: i64,
    /// What ends it.
    stop_rule: PlannedEnd,
    /// Planned total of visitors, for which the comparisons are tuned; null where none was given and none could be computed.
    #[schema(required)]
    planned_visitors: Option<i64>,
    /// `given`, or `computed` from the smallest lift and the project's traffic; null without a total.
    #[schema(required, value_type = Option<String>, pattern = "^(given|computed)$")]
    planned_from: Option<&'static str>,
    /// `variant_id` of each arm, the control first.
    #[schema(example = json!(["0", "1"]))]
    arms: Vec<String>,
    /// What differs from the plan by now, each in a sentence. Empty: everything is as it was planned.
    changed_since: Vec<String>,
    /// The last confirmation of such changes by a person; null without one.
    #[schema(required)]
    confirmed: Option<PlanConfirmedBefore>,
    /// What of these changes the clock does not act on, and what it goes by in place of them; null where it goes by everything, and
    /// where none of its rules goes by results.
    #[schema(required)]
    held_back: Option<String>,
}

/// A confirmation of a changed plan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanConfirmedBefore {
    /// When: the clock goes by what the experiment was then.
    #[schema(value_type = String, format = DateTime)]
    confirmed_at: Instant,
    /// Why, in the words of the person.
    reason: String,
}

/// A hypothesis as it was.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedHypothesis {
    /// What the team saw.
    #[schema(required)]
    observation: Option<String>,
    /// Why it is a problem.
    #[schema(required)]
    problem: Option<String>,
    /// The change to test.
    #[schema(required)]
    solution: Option<String>,
}

/// A goal, and what it counted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedGoal {
    /// Its permanent name.
    goal_key: String,
    /// Display name.
    goal_name: String,
    /// What it counts.
    goal_type: String,
    /// The value of that type: text, or a number.
    #[schema(value_type = schemas::GoalValue)]
    goal_value: Value,
    /// Days after entry within which an event counts; null until the end of the test.
    #[schema(required)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    min_count: i64,
    /// Most value that one visitor contributes.
    #[schema(required)]
    cap: Option<f64>,
    /// Most that one order can plausibly be worth.
    #[schema(required)]
    max_order_value: Option<f64>,
    /// The currency that orders count in.
    #[schema(required)]
    currency: Option<String>,
}

/// What ends an experiment by itself, as its configuration has it; 0 is off.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedEnd {
    /// The date.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    end_test_date: Option<Instant>,
    /// So many visitors have entered.
    completion_visitor: i64,
    /// So many visitors have converted on the primary goal.
    completion_conversion: i64,
    /// So many days have passed since the first start.
    completion_after_period: i64,
    /// 1: the verdict on the primary goal is reached.
    completion_stats_significant_flag: u8,
    /// 1: a winner is served by itself, and stopped.
    is_autopilot: u8,
}

impl ResultPlan {
    /// The plan of a manifest, and what became of it. The outer `None` is of manifests without any word of plans, the inner one of
    /// experiments whose plan was not locked.
    pub(super) fn of(
        manifest: &Manifest,
        changed_since: Vec<String>,
        held_back: Option<String>,
    ) -> Option<Option<Self>> {
        let facts = manifest.plan.as_ref()?;
        let known = facts.content.as_ref().zip(facts.hash.as_ref());
        let confirmed = facts.confirmed.as_ref().map(|confirmed| PlanConfirmedBefore {
            confirmed_at: confirmed.confirmed_at,
            reason: confirmed.reason.clone(),
        });
        Some(known.map(|(plan, hash)| Self { confirmed, held_back, ..Self::new(plan, hash, changed_since) }))
    }

    fn new(plan: &LockedPlan, hash: &str, changed_since: Vec<String>) -> Self {
        let StopRule {
            end_test_date,
            completion_visitor,
            completion_conversion,
            completion_after_period,
            completion_stats_significant_flag,
            is_autopilot,
        } = plan.stop_rule;
        Self {
            locked_at: plan.locked_at,
            hash: hash.to_owned(),
            hypothesis_id: plan.hypothesis.as_ref().map(|hypothesis| hypothesis.hypothesis_id),
            hypothesis: plan.hypothesis.as_ref().map(PlannedHypothesis::new),
            primary_goal: plan.primary_goal.as_ref().map(PlannedGoal::new),
            secondary_goals: plan.secondary_goals.iter().map(PlannedGoal::new).collect(),
            guardrails: plan.guardrails.clone(),
            event_metrics: plan.event_metrics.clone(),
            mde: plan.mde,
            confidence_threshold_percent: plan.confidence_percent,
            stop_rule: PlannedEnd {
                end_test_date,
                completion_visitor,
                completion_conversion,
                completion_after_period,
                completion_stats_significant_flag: completion_stats_significant_flag.into(),
                is_autopilot: is_autopilot.into(),
            },
            planned_visitors: plan.planned_visitors,
            planned_from: plan.planned_from.map(|from| from.word()),
            arms: plan.arms.clone(),
            changed_since,
            confirmed: None,
            held_back: None,
        }
    }
}

impl PlannedHypothesis {
    fn new(hypothesis: &LockedHypothesis) -> Self {
        let LockedHypothesis { observation, problem, solution, hypothesis_id: _ } = hypothesis.clone();
        Self { observation, problem, solution }
    }
}

impl PlannedGoal {
    fn new(goal: &LockedGoal) -> Self {
        Self {
            goal_key: goal.goal_key.clone(),
            goal_name: goal.goal_name.clone(),
            goal_type: goal.goal_type.clone(),
            goal_value: serde_json::to_value(&goal.goal_value).unwrap_or_default(),
            window_days: goal.window_days,
            min_count: goal.min_count,
            cap: goal.cap,
            max_order_value: goal.max_order_value,
            currency: goal.currency.clone(),
        }
    }
}

/// Whether something is not part of the plan. Absent where it is, and where no plan was locked.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub(crate) struct Exploratory {
    /// It was added, changed or chosen after the plan was locked: good for ideas, and no proof.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    exploratory: bool,
    /// Why, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    exploratory_reason: Option<String>,
}

impl Exploratory {
    /// The label with this reason, if there is one.
    pub(super) fn new(reason: Option<&String>) -> Self {
        Self { exploratory: reason.is_some(), exploratory_reason: reason.cloned() }
    }

    /// Why it is exploratory.
    pub(super) fn reason(&self) -> Option<&str> {
        self.exploratory_reason.as_deref()
    }
}
