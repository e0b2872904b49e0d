//! Labels that say which parts of a result were planned, and which were chosen later.
//!
//! All labels follow from the manifest, so that `muriel verify` computes the same ones. Without a locked plan nothing
//! is labelled, because it is not known what was planned.

use crate::compute::Computed;
use crate::inquiry::{Inquiry, Phase};
use crate::manifest::{ArmFacts, Counted, Manifest, MetricFacts, PlanFacts};
use muriel_analysis::{Analysis, Verdict};
use muriel_domain::Instant;
use muriel_domain::experiment::{ConfirmedPlan, Experiment, LockedGoal, LockedHypothesis, LockedPlan};
use muriel_domain::goal::Goal;
use muriel_store::plan_locks::PlanLock;

/// Criteria by which a plan judges an experiment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judgement<'a> {
    /// Time from which on it holds, in milliseconds.
    since: Instant,
    /// True when a change in the same millisecond came before it.
    has_last_change: bool,
    /// Goal that decides.
    pub(crate) primary_goal: Option<&'a LockedGoal>,
    /// Confidence threshold in percent.
    pub(crate) confidence_percent: i64,
    /// Smallest lift worth acting on, in percent.
    pub(crate) mde: f64,
    /// Ids of its arms.
    pub(crate) arms: &'a [String],
}

impl<'a> Judgement<'a> {
    /// Criteria of the plan that the first start locked.
    pub(crate) fn locked(plan: &'a LockedPlan) -> Self {
        Self {
            since: plan.locked_at,
            // Changes before the first start affected no visitor and are not recorded as changes of an arm.
            has_last_change: false,
            primary_goal: plan.primary_goal.as_ref(),
            confidence_percent: plan.confidence_percent,
            mde: plan.mde,
            arms: &plan.arms,
        }
    }

    /// Criteria of a plan that a person confirmed.
    pub(crate) fn confirmed(plan: &'a ConfirmedPlan) -> Self {
        Self {
            since: plan.confirmed_at,
            has_last_change: true,
            primary_goal: plan.primary_goal.as_ref(),
            confidence_percent: plan.confidence_percent,
            mde: plan.mde,
            arms: &plan.arms,
        }
    }

    /// The primary goals of all plans that an experiment may be judged by.
    pub(crate) fn planned_goals(experiment: &'a Experiment, lock: Option<&'a PlanLock>) -> Vec<&'a LockedGoal> {
        let confirmed = experiment.schedule.confirmed.as_ref().and_then(|plan| plan.primary_goal.as_ref());
        lock.and_then(|lock| lock.plan.primary_goal.as_ref()).into_iter().chain(confirmed).collect()
    }

    /// Returns whether a change at this time came after the plan.
    pub(crate) fn is_before(&self, change: Instant) -> bool {
        let change = change.to_ms();
        change > self.since || change == self.since && !self.has_last_change
    }

    /// Returns whether the experiment, with its current primary goal, is judged by other criteria.
    pub(crate) fn departs(&self, experiment: &Experiment, primary: Option<&Goal>) -> bool {
        let is_same_goal = match (self.primary_goal, primary.map(LockedGoal::of)) {
            (None, None) => true,
            (Some(planned), Some(now)) => planned.goal_key == now.goal_key && planned.counts_unlike(&now).is_empty(),
            _ => false,
        };
        !is_same_goal
            || self.confidence_percent != experiment.configuration.confidence_interval
            || self.mde != experiment.plan.mde
    }
}

/// Reasons why parts of a result were not planned, each in a sentence, and changes of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// Reason for the numbers at the top.
    pub top: Option<String>,
    /// Reason for each metric of the manifest.
    pub metrics: Vec<Option<String>>,
    /// Reason for each arm of the manifest.
    pub arms: Vec<Option<String>>,
    /// Reason for all parts of a breakdown.
    pub parts: Option<String>,
    /// Everything that differs from the plan now, whatever the inquiry is.
    pub changed_since: Vec<String>,
    /// Note on the plan for readers: that there is none, or that it proves less than it seems.
    pub note: Option<String>,
    /// Reason why a verdict of no difference is exploratory: the smallest lift worth acting on was changed.
    pub no_difference: Option<String>,
    /// Parts of the experiment that the clock does not act on, and what it follows in place of them; `None` when it
    /// follows everything, and when none of its rules depends on results.
    pub held_back: Option<String>,
}

impl Labels {
    /// Labels that follow from `manifest`.
    pub fn of(manifest: &Manifest) -> Labels {
        let none = Labels {
            metrics: vec![None; manifest.metrics.len()],
            arms: vec![None; manifest.experiment.arms.len()],
            ..Labels::default()
        };
        let Some(facts) = &manifest.plan else { return none };
        let Some(plan) = &facts.content else { return Labels { note: Some(unlocked(manifest)), ..none } };
        let locked = Comparison { plan, manifest, at: plan.locked_at.in_words() };
        let asked = of_inquiry(&manifest.inquiry);
        let threshold = locked.threshold();
        let own: Vec<Option<String>> = manifest.metrics.iter().map(|metric| locked.metric(metric)).collect();
        let of_arms: Vec<Option<String>> = (0..manifest.experiment.arms.len()).map(|arm| locked.arm(arm)).collect();
        let parts = "No segment is part of the plan. Many are compared here, without a correction for that: use them \
                     to find ideas, not to decide.";
        // A requested goal changes nothing about the experiment.
        let is_asked = |metric: &MetricFacts| {
            metric.role != "primary" && metric.is_goal() && manifest.inquiry.goal_key.as_ref() == Some(&metric.key)
        };
        let of_metrics = manifest
            .metrics
            .iter()
            .zip(&own)
            .filter(|(metric, _)| !is_asked(metric))
            .filter_map(|(_, own)| own.clone());
        let mut changed_since: Vec<String> = locked.plan();
        changed_since.extend(of_metrics);
        changed_since.extend(of_arms.iter().flatten().cloned());
        // The threshold affects every interval and verdict, of every metric and of every arm except the control.
        let metrics: Vec<Option<String>> =
            own.into_iter().map(|own| both(own.or_else(|| asked.clone()), threshold.as_ref())).collect();
        let arms = of_arms
            .into_iter()
            .enumerate()
            .map(|(arm, own)| if arm == 0 { own } else { both(own, threshold.as_ref()) });
        let top = match manifest.top() {
            Some(_) => metrics.first().cloned().flatten(),
            None => None,
        };
        Labels {
            top,
            metrics,
            arms: arms.collect(),
            parts: Some(parts.to_owned()),
            changed_since,
            note: note(manifest, facts, plan),
            no_difference: locked.smallest_lift(),
            held_back: held_back(manifest, facts, plan),
        }
    }

    /// The labels of a result: those of its manifest, and those of verdicts of no difference, which depend on the
    /// smallest lift worth acting on.
    pub fn of_result(computed: &Computed) -> Labels {
        let mut labels = Labels::of(&computed.manifest);
        let Some(why) = labels.no_difference.clone() else { return labels };
        let is_called = |analysis: &&Analysis| analysis.verdict == Verdict::NoDifference;
        for (label, metric) in labels.metrics.iter_mut().zip(&computed.report.metrics) {
            if metric.analyses.iter().any(|analysis| is_called(&analysis)) {
                *label = both(label.take(), Some(&why));
            }
        }
        if computed.manifest.top().is_some() {
            labels.top = labels.metrics.first().cloned().flatten();
            let top = computed.report.metrics.first();
            for analysis in top.into_iter().flat_map(|metric| &metric.analyses).filter(is_called) {
                if let Some(label) = labels.arms.get_mut(analysis.arm) {
                    *label = both(label.take(), Some(&why));
                }
            }
        }
        labels
    }

    /// Reason why the verdict on the arm with this index, by the numbers at the top, is exploratory: the reasons of
    /// both.
    pub fn of_verdict(&self, arm: usize) -> Option<String> {
        let of_arm = self.arms.get(arm).and_then(Option::as_ref);
        Self::joined(self.top.iter().chain(of_arm).map(String::as_str))
    }

    /// Joins reasons, with each sentence once; `None` without any.
    pub fn joined<'a>(reasons: impl Iterator<Item = &'a str>) -> Option<String> {
        let mut all: Vec<&str> = Vec::new();
        for sentence in reasons.flat_map(|reason| reason.split_inclusive(". ")).map(str::trim_end) {
            if !all.contains(&sentence) {
                all.push(sentence);
            }
        }
        (!all.is_empty()).then(|| all.join(" "))
    }
}

/// Joins two reasons, if both are given.
fn both(one: Option<String>, other: Option<&String>) -> Option<String> {
    Labels::joined(one.iter().chain(other).map(String::as_str))
}

/// States in a sentence what of the experiment the clock does not follow.
fn held_back(manifest: &Manifest, facts: &PlanFacts, lock: &LockedPlan) -> Option<String> {
    let (experiment, rules) = (&manifest.experiment, &facts.now.stop_rule);
    let goes_by_results = rules.completion_conversion > 0
        || rules.completion_stats_significant_flag
        || rules.is_autopilot
        || experiment.is_mab;
    if !goes_by_results || manifest.inquiry.judged_by.is_some() {
        return None;
    }
    let plan = facts.confirmed.as_ref().map_or_else(|| Judgement::locked(lock), Judgement::confirmed);
    let mut by = Vec::new();
    let now = manifest.metrics.iter().find(|metric| metric.role == "primary" && metric.is_goal()).and_then(goal_of);
    match (plan.primary_goal, &now) {
        (Some(planned), Some(now)) if planned.goal_key == now.goal_key && planned.counts_unlike(now).is_empty() => {}
        (None, None) => {}
        (Some(planned), _) => by.push(format!("the goal {} as defined at that time", planned.goal_key)),
        (None, Some(_)) => by.push("no primary goal".to_owned()),
    }
    if plan.confidence_percent != experiment.confidence_percent {
        by.push(format!("a confidence threshold of {} %", plan.confidence_percent));
    }
    if plan.mde != experiment.mde_percent {
        by.push(format!("a smallest lift of {} %", plan.mde));
    }
    let redefined = |arm: &ArmFacts| arm.redefined_at.is_some_and(|at| plan.is_before(at));
    let is_control = experiment.arms.first().is_some_and(redefined);
    let is_held = |arm: &&ArmFacts| is_control || redefined(arm) || !plan.arms.contains(&arm.variant_id);
    let held: Vec<&str> = experiment.arms.iter().skip(1).filter(is_held).map(|arm| arm.name.as_str()).collect();
    if !held.is_empty() {
        by.push(format!("no verdict on {}, as the variant or the control was changed since", held.join(", ")));
    }
    if by.is_empty() {
        return None;
    }
    let (done, at) = match &facts.confirmed {
        Some(confirmed) => ("confirmed", confirmed.confirmed_at),
        None => ("locked", lock.locked_at),
    };
    Some(format!(
        "The clock follows the plan that was {done} at {}: {}; a person confirms the later changes with POST \
         /experiment/{}/confirm-plan.",
        at.in_words(),
        by.join(", "),
        experiment.test_id
    ))
}

/// Reason why there is no plan.
fn unlocked(manifest: &Manifest) -> String {
    match manifest.experiment.started_at {
        None => "It has not started: its plan is locked at the first start.".to_owned(),
        Some(_) => {
            "Its plan was not locked: an earlier release started it. So it is not known what was planned, and nothing \
                    is labelled as exploratory."
                .to_owned()
        }
    }
}

/// Reason why a locked plan proves less than it seems.
fn note(manifest: &Manifest, facts: &PlanFacts, plan: &LockedPlan) -> Option<String> {
    if !facts.fits() {
        return Some(
            "The stored plan does not match its hash: it was changed in the database, so it proves nothing.".to_owned(),
        );
    }
    let started_at = manifest.experiment.started_at.filter(|started_at| *started_at < plan.locked_at)?;
    Some(format!(
        "It was started with a date in the past: its visitors count from {}, but its plan was locked at {}, when their \
         behaviour could already be known.",
        started_at.in_words(),
        plan.locked_at.in_words()
    ))
}

/// Reason why the answer to an inquiry was not planned, for every metric.
fn of_inquiry(inquiry: &Inquiry) -> Option<String> {
    let Inquiry { start_date, end_date, filter_by, epoch, report_phase, .. } = inquiry;
    let asked = [
        ("start_date", start_date.is_some()),
        ("end_date", end_date.is_some()),
        ("filter_by", !filter_by.is_empty()),
        ("epoch", epoch.is_some()),
        ("report_phase", *report_phase != Phase::default()),
    ];
    let asked: Vec<&str> = asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(name, _)| name).collect();
    (!asked.is_empty()).then(|| format!("It is about other visitors than the plan, because of {}.", asked.join(", ")))
}

/// Compares the plan with the current values in the manifest.
struct Comparison<'a> {
    plan: &'a LockedPlan,
    manifest: &'a Manifest,
    /// Time of the lock, in words.
    at: String,
}

impl Comparison<'_> {
    /// Reason why a metric differs from the plan.
    fn metric(&self, metric: &MetricFacts) -> Option<String> {
        let (key, at) = (&metric.key, &self.at);
        let (what, is_known) = match &metric.counted {
            Counted::Builtin => ("guardrail", self.plan.guardrails.contains(key)),
            Counted::Event => ("event", self.plan.event_metrics.contains(key)),
            Counted::Goal { .. } => ("goal", self.plan.goal(key).is_some()),
        };
        if !is_known {
            return Some(format!("The {what} {key} is not in the plan that was locked at {at}: it was chosen later."));
        }
        let (Some(locked), Some(now)) = (self.plan.goal(key), goal_of(metric)) else { return None };
        let unlike = locked.counts_unlike(&now);
        if !unlike.is_empty() {
            let fields = unlike.join(", ");
            return Some(format!(
                "The definition of the goal {key} ({fields}) was changed after the plan was locked at {at}."
            ));
        }
        let planned = self.plan.primary_goal.as_ref().map(|goal| goal.goal_key.as_str());
        if metric.role == "primary" && planned != Some(key) {
            let planned = planned.map_or_else(|| "none".to_owned(), |planned| format!("the goal {planned}"));
            return Some(format!(
                "The goal {key} became the primary one after the plan was locked at {at}; the plan has {planned} as its primary goal."
            ));
        }
        None
    }

    /// Reason why all intervals and verdicts differ from the plan.
    fn threshold(&self) -> Option<String> {
        let (planned, is) = (self.plan.confidence_percent, self.manifest.experiment.confidence_percent);
        (planned != is).then(|| {
            let at = &self.at;
            format!(
                "The confidence threshold was changed from {planned} % to {is} % after the plan was locked at {at}."
            )
        })
    }

    /// Reason why verdicts of no difference differ from the plan.
    fn smallest_lift(&self) -> Option<String> {
        let (planned, is) = (self.plan.mde, self.manifest.experiment.mde_percent);
        (planned != is).then(|| {
            let at = &self.at;
            format!("The smallest lift worth acting on was changed from {planned} % to {is} % after the plan was locked at {at}.")
        })
    }

    /// Reason why the arm with this index differs from the plan.
    fn arm(&self, arm: usize) -> Option<String> {
        let arms = &self.manifest.experiment.arms;
        let ArmFacts { variant_id, name, redefined_at, .. } = arms.get(arm)?;
        let at = &self.at;
        if !self.plan.arms.contains(variant_id) {
            return Some(format!("{name} was added after the plan was locked at {at}."));
        }
        let changed = |name: &str, when: Instant| {
            let when = when.in_words();
            format!("{name} was changed at {when}, after the plan was locked at {at}.")
        };
        let control = arms.first().filter(|_| arm > 0).and_then(|control| control.redefined_at);
        match (redefined_at, control) {
            (Some(when), _) if arm == 0 => Some(changed("The control", *when)),
            (Some(when), _) => Some(changed(name, *when)),
            (None, Some(when)) => Some(changed("The control, with which it is compared,", when)),
            (None, None) => None,
        }
    }

    /// Parts of the plan itself that have changed since.
    fn plan(&self) -> Vec<String> {
        let (plan, facts) = (self.plan, &self.manifest.experiment);
        let mut changed = Vec::new();
        let Some(now) = self.manifest.plan.as_ref().map(|plan| &plan.now) else { return changed };
        if let Some(goal) = &plan.primary_goal {
            let key = &goal.goal_key;
            match self.reported(key).map(|metric| metric.role.as_str()) {
                Some("primary") => {}
                Some(_) => changed.push(format!("The primary goal of the plan, {key}, is no longer the primary goal.")),
                None => changed.push(format!("The primary goal of the plan, {key}, is no longer reported.")),
            }
        }
        let goals = plan.secondary_goals.iter().map(|goal| ("secondary goal", &goal.goal_key));
        let goals = goals.filter(|(_, key)| self.reported(key).is_none());
        let is_reported = |key: &String, kind: &Counted| {
            self.manifest.metrics.iter().any(|metric| metric.key == *key && metric.counted == *kind)
        };
        let builtin = plan.guardrails.iter().filter(|key| !is_reported(key, &Counted::Builtin));
        let events = plan.event_metrics.iter().filter(|key| !is_reported(key, &Counted::Event));
        for (what, key) in goals.chain(builtin.map(|key| ("guardrail", key))).chain(events.map(|key| ("event", key))) {
            changed.push(format!("The {what} {key} of the plan is no longer reported."));
        }
        let mut differs = |what: &str, planned: String, is: String| {
            if planned != is {
                changed.push(format!("{what} is {is} now; the plan has {planned}."));
            }
        };
        let percent = |number: f64| format!("{number} %");
        let visitors = |number: Option<i64>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
        differs("The smallest lift worth acting on (plan.mde)", percent(plan.mde), percent(facts.mde_percent));
        differs(
            "The confidence threshold (configuration.confidence_interval)",
            percent(plan.confidence_percent as f64),
            percent(facts.confidence_percent as f64),
        );
        differs(
            "The planned total of visitors (plan.visitors)",
            visitors(plan.planned_visitors),
            visitors(now.planned_visitors),
        );
        if plan.is_mab.is_some_and(|planned| planned != facts.is_mab) {
            let (is, planned) =
                if facts.is_mab { ("follow the result", "are fixed") } else { ("are fixed", "follow the result") };
            changed.push(format!("The weights (configuration.is_mab) {is} now; in the plan they {planned}."));
        }
        let unlike = plan.stop_rule.unlike(&now.stop_rule);
        if !unlike.is_empty() {
            changed.push(format!("The rules that end it (configuration: {}) differ from the plan.", unlike.join(", ")));
        }
        let id = |hypothesis: &Option<LockedHypothesis>| hypothesis.as_ref().map(|hypothesis| hypothesis.hypothesis_id);
        if id(&plan.hypothesis) != id(&now.hypothesis) {
            changed.push("It is linked to another hypothesis than the plan, or to none.".to_owned());
        } else if plan.hypothesis != now.hypothesis {
            changed.push("The hypothesis was rewritten after the plan was locked.".to_owned());
        }
        let is_gone = |id: &&String| !facts.arms.iter().any(|arm| arm.variant_id == **id);
        let gone = plan.arms.iter().filter(is_gone);
        changed.extend(gone.map(|id| format!("Variant {id} of the plan was removed.")));
        changed
    }

    /// The goal of this key, if it is reported.
    fn reported(&self, key: &str) -> Option<&MetricFacts> {
        self.manifest.metrics.iter().find(|metric| metric.key == key && metric.is_goal())
    }
}

/// Converts the goal that a metric counts to the form of plans.
fn goal_of(facts: &MetricFacts) -> Option<LockedGoal> {
    let Counted::Goal { goal_type, goal_value, window_days, min_count, cap, max_order_value, currency } =
        &facts.counted
    else {
        return None;
    };
    Some(LockedGoal {
        goal_key: facts.key.clone(),
        goal_name: facts.name.clone(),
        goal_type: goal_type.clone(),
        goal_value: goal_value.clone(),
        window_days: *window_days,
        min_count: *min_count,
        cap: *cap,
        max_order_value: *max_order_value,
        currency: currency.clone(),
    })
}
