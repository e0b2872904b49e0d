//! The plan that was locked at the first start, and labels for what is not part of it.

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
    /// Time at which it was locked.
    #[schema(value_type = String, format = DateTime)]
    locked_at: Instant,
    /// SHA-256 of the plan's canonical form (RFC 8785), `manifest.plan.content`.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    hash: String,
    /// Id of the hypothesis that it tests.
    #[schema(required)]
    hypothesis_id: Option<i64>,
    /// Texts of that hypothesis at that time.
    #[schema(required)]
    hypothesis: Option<PlannedHypothesis>,
    /// Primary goal, which decides the result.
    #[schema(required)]
    primary_goal: Option<PlannedGoal>,
    /// Secondary goals, in order.
    secondary_goals: Vec<PlannedGoal>,
    /// Built-in metrics that must not get worse.
    #[schema(example = json!(["bounce_rate", "engagement"]))]
    guardrails: Vec<String>,
    /// Events to report.
    event_metrics: Vec<String>,
    /// Smallest lift worth acting on, in percent.
    #[schema(example = 5.0)]
    mde: f64,
    /// Confidence threshold in percent.
    confidence_threshold_percent: i64,
    /// Rules that end it.
    stop_rule: PlannedEnd,
    /// Planned total of visitors, for which the comparisons are tuned; null if none was given and none could be
    /// computed.
    #[schema(required)]
    planned_visitors: Option<i64>,
    /// `given`, or `computed` from the smallest lift and the project's traffic; null without a total.
    #[schema(required, value_type = Option<String>, pattern = "^(given|computed)$")]
    planned_from: Option<&'static str>,
    /// `variant_id` of each arm, the control first.
    #[schema(example = json!(["0", "1"]))]
    arms: Vec<String>,
    /// Messages about differences from the plan since then. Empty if everything is as planned.
    changed_since: Vec<String>,
    /// Last confirmation of such changes by a person; null if there is none.
    #[schema(required)]
    confirmed: Option<PlanConfirmedBefore>,
    /// Message about changes that the clock does not act on, and what it acts on instead; null if it acts on
    /// everything, or if none of its rules depends on results.
    #[schema(required)]
    held_back: Option<String>,
}

/// A confirmation of a changed plan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanConfirmedBefore {
    /// Time of the confirmation. The clock acts on the experiment as it was then.
    #[schema(value_type = String, format = DateTime)]
    confirmed_at: Instant,
    /// Reason, in the person's words.
    reason: String,
}

/// Texts of a hypothesis when the plan was locked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedHypothesis {
    /// Observation of the team.
    #[schema(required)]
    observation: Option<String>,
    /// Reason why the observation is a problem.
    #[schema(required)]
    problem: Option<String>,
    /// The change to test.
    #[schema(required)]
    solution: Option<String>,
}

/// Definition of a goal when the plan was locked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedGoal {
    /// Permanent key.
    goal_key: String,
    /// Display name.
    goal_name: String,
    /// Kind of event that counts as a conversion.
    goal_type: String,
    /// Value that the type looks for: text, or a number.
    #[schema(value_type = schemas::GoalValue)]
    goal_value: Value,
    /// Days after entry within which an event counts; null for the whole test.
    #[schema(required)]
    window_days: Option<i64>,
    /// Events needed for a conversion.
    min_count: i64,
    /// Maximum value that one visitor contributes.
    #[schema(required)]
    cap: Option<f64>,
    /// Largest plausible value of an order.
    #[schema(required)]
    max_order_value: Option<f64>,
    /// Currency in which orders are counted.
    #[schema(required)]
    currency: Option<String>,
}

/// Rules by which the clock ends an experiment or serves a winner, as configured; 0 turns a rule off.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlannedEnd {
    /// End date.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    end_test_date: Option<Instant>,
    /// Ends when this many visitors have entered.
    completion_visitor: i64,
    /// Ends when this many visitors have converted on the primary goal.
    completion_conversion: i64,
    /// Ends when this many days have passed since the first start.
    completion_after_period: i64,
    /// 1: ends when there is a verdict on the primary goal.
    completion_stats_significant_flag: u8,
    /// 1: the clock serves a winner, and stops serving it when a guardrail gets worse.
    is_autopilot: u8,
}

impl ResultPlan {
    /// Plan of a manifest, with later changes. The outer `None` is for manifests that do not mention plans, the inner
    /// one for experiments without a locked plan.
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

/// Label for parts that are not in the plan. Absent if they are, and if no plan was locked.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub(crate) struct Exploratory {
    /// True when it was added, changed or chosen after the plan was locked: useful for ideas, but not evidence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    exploratory: bool,
    /// Reason, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    exploratory_reason: Option<String>,
}

impl Exploratory {
    /// Creates the label, with a reason if it is exploratory.
    pub(super) fn new(reason: Option<&String>) -> Self {
        Self { exploratory: reason.is_some(), exploratory_reason: reason.cloned() }
    }

    /// Reason why it is exploratory.
    pub(super) fn reason(&self) -> Option<&str> {
        self.exploratory_reason.as_deref()
    }
}
