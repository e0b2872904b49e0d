//! What of a result was planned, and what was chosen later.
//!
//! Everything here follows from the manifest, so that `muriel verify` comes to the same labels. Where no plan was locked,
//! nothing is labelled: it is not known what was planned.

use crate::inquiry::{Inquiry, Phase};
use crate::manifest::{ArmFacts, Counted, Manifest, MetricFacts};
use muriel_domain::experiment::{LIST_MAX, LockedGoal, LockedHypothesis, LockedPlan, StopRule, VARIANTS_MAX};
use muriel_domain::{Flaw, Instant};
use muriel_store::plan_locks::{self, PlanLock};
use serde::{Deserialize, Serialize};

/// What was planned at the first start, and what the experiment says of it now besides the rest of the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFacts {
    /// SHA-256 of the canonical form of `content`; null where no plan was locked.
    pub hash: Option<String>,
    /// The plan; null before the first start, and where a release started it that locked no plans.
    pub content: Option<LockedPlan>,
    /// What can differ from it.
    pub now: PlanNow,
}

/// The parts of a plan that no other part of a manifest has, as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanNow {
    /// The hypothesis.
    pub hypothesis: Option<LockedHypothesis>,
    /// What ends it.
    pub stop_rule: StopRule,
    /// The planned total of visitors; results go on being tuned for that of the first start.
    pub planned_visitors: Option<i64>,
}

impl PlanFacts {
    pub(crate) fn new(lock: Option<&PlanLock>, now: PlanNow) -> Self {
        Self { hash: lock.map(|lock| lock.hash.clone()), content: lock.map(|lock| lock.plan.clone()), now }
    }

    /// Whether it can be one of ours, of the experiment with this id.
    ///
    /// # Errors
    /// The field, and what is wrong with it.
    pub(crate) fn check(&self, test_id: i64) -> Result<(), (&'static str, Flaw)> {
        let Some(content) = &self.content else {
            return match self.hash {
                Some(_) => Err(("hash", Flaw::new("must be null, as nothing was locked"))),
                None => Ok(()),
            };
        };
        if content.secondary_goals.len() > LIST_MAX || content.arms.len() > VARIANTS_MAX + 1 {
            return Err(("content", Flaw::new("has more goals or arms than an experiment has")));
        }
        if content.test_id != test_id {
            return Err(("content.test_id", Flaw::new("must be that of the experiment")));
        }
        if !self.fits() {
            return Err((
                "hash",
                Flaw::new("must be the SHA-256 of the canonical form of its content: one was changed"),
            ));
        }
        Ok(())
    }

    /// Takes over what `given` says of the same hypothesis, of whose past nothing is stored; whether that differs.
    pub(crate) fn believe_hypothesis(&mut self, given: &PlanFacts) -> bool {
        let (is, said) = (&self.now.hypothesis, &given.now.hypothesis);
        let is_same = is.as_ref().zip(said.as_ref()).is_some_and(|(is, said)| is.hypothesis_id == said.hypothesis_id);
        if !is_same || is == said {
            return false;
        }
        self.now.hypothesis.clone_from(said);
        true
    }

    /// Whether the hash is that of the content.
    fn fits(&self) -> bool {
        self.content.as_ref().is_none_or(|content| self.hash.as_ref() == Some(&plan_locks::hash(content)))
    }
}

/// Which parts of a result were not planned, each with the reason in a sentence, and what became of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// Of the numbers at the top.
    pub top: Option<String>,
    /// Of each metric of the manifest.
    pub metrics: Vec<Option<String>>,
    /// Of each arm of the manifest.
    pub arms: Vec<Option<String>>,
    /// Of every part of a breakdown.
    pub parts: Option<String>,
    /// All that differs from the plan by now, whatever was asked.
    pub changed_since: Vec<String>,
    /// What a reader has to know of the plan: that there is none, or that it proves less than it seems.
    pub note: Option<String>,
}

impl Labels {
    /// What `manifest` says was planned, and was not.
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
        let own: Vec<Option<String>> = manifest.metrics.iter().map(|metric| locked.metric(metric)).collect();
        let metrics: Vec<Option<String>> = own.iter().map(|own| own.clone().or(asked.clone())).collect();
        let arms: Vec<Option<String>> = (0..manifest.experiment.arms.len()).map(|arm| locked.arm(arm)).collect();
        let parts = "No part of the visitors was planned to be looked at by itself; many are compared, and no correction is \
                     made for that: look for ideas here, and do not decide by it.";
        // A goal that somebody asks for changes nothing about the experiment.
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
        changed_since.extend(arms.iter().flatten().cloned());
        let top = match manifest.top() {
            Some(_) => metrics.first().cloned().flatten(),
            None => None,
        };
        Labels { top, metrics, arms, parts: Some(parts.to_owned()), changed_since, note: note(manifest, facts, plan) }
    }

    /// Why a verdict on the arm at this place, by the numbers at the top, is exploratory: that of these numbers, and its own.
    pub fn of_verdict(&self, arm: usize) -> Option<String> {
        let of_arm = self.arms.get(arm).and_then(Option::as_deref);
        let reasons: Vec<&str> = self.top.as_deref().into_iter().chain(of_arm).collect();
        (!reasons.is_empty()).then(|| reasons.join(" "))
    }
}

/// Why there is no plan.
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

/// What makes a locked plan prove less than it seems.
fn note(manifest: &Manifest, facts: &PlanFacts, plan: &LockedPlan) -> Option<String> {
    if !facts.fits() {
        return Some(
            "The stored plan does not fit its hash: somebody has changed it in the database, so it proves nothing."
                .to_owned(),
        );
    }
    let started_at = manifest.experiment.started_at.filter(|started_at| *started_at < plan.locked_at)?;
    Some(format!(
        "It was given a start of the past: its visitors count from {}, and its plan was locked at {}, when it could be known \
         what they did.",
        started_at.in_words(),
        plan.locked_at.in_words()
    ))
}

/// Why an answer to the inquiry was not planned, whatever metric it is about.
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
    (!asked.is_empty()).then(|| format!("It is about other visitors than the plan, by {}.", asked.join(", ")))
}

/// The plan beside what the manifest says is.
struct Comparison<'a> {
    plan: &'a LockedPlan,
    manifest: &'a Manifest,
    /// When it was locked, in words.
    at: String,
}

impl Comparison<'_> {
    /// Why a metric was not planned as it is.
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
                "What the goal {key} counts ({fields}) was changed after the plan was locked at {at}."
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

    /// Why the arm at this place was not planned as it is.
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

    /// What of the plan itself is otherwise by now.
    fn plan(&self) -> Vec<String> {
        let (plan, facts) = (self.plan, &self.manifest.experiment);
        let mut changed = Vec::new();
        let Some(now) = self.manifest.plan.as_ref().map(|plan| &plan.now) else { return changed };
        if let Some(goal) = &plan.primary_goal {
            let key = &goal.goal_key;
            match self.reported(key).map(|metric| metric.role.as_str()) {
                Some("primary") => {}
                Some(_) => changed.push(format!("The primary goal of the plan, {key}, is the primary one no more.")),
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
        let unlike = plan.stop_rule.unlike(&now.stop_rule);
        if !unlike.is_empty() {
            changed.push(format!("What ends it (configuration: {}) is not as planned.", unlike.join(", ")));
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

/// The goal that a metric counts, as plans have goals.
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
