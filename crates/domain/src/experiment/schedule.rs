//! Automation of an experiment: its dates, and the rules that end it.
//!
//! A rule acts once for each value that it is set to, and is settled afterwards. When a person starts the experiment
//! again, a settled rule does not act until it is set again. [`Rule::PageHarm`] instead acts once for each definition
//! of an arm; see [`Experiment::protected_arms`]. Due times are a pure function of the experiment; see
//! [`Experiment::due`]. Every change derives the database's jobs from it.

mod rule;

pub use rule::{ClockAct, Rule};

use super::{
    Arm, AutopilotRecord, ConfirmedPlan, Conflict, Distribution, Experiment, Lifecycle, Serving, Status, TestType,
    Weights,
};
use crate::Instant;
use crate::time::DAY_US;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Maximum age of a start date when it is set. A client that sends the current time means "now", and the request takes
/// a while. In microseconds: one minute.
const GRACE_US: i64 = 60_000_000;
/// Time for which visitors may still get an arm's previous version after a change. Browsers cache the script for half a
/// minute and use it for another half; the rest allows for intermediate caches and for clock differences. In
/// microseconds: two minutes.
const REDELIVERY_US: i64 = 120_000_000;

/// Log entry of an act of the clock, or of a failed attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockEntry {
    /// Time of the act.
    pub at: Instant,
    /// Act that was done or tried.
    pub act: ClockAct,
    /// Rule behind the act.
    pub rule: Rule,
    /// Reason why the act failed; the experiment is unchanged then. `None` when it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// A sentence with the rule and its numbers.
    pub detail: String,
    /// Numbers of `detail`, by name.
    #[serde(default)]
    pub numbers: Map<String, Value>,
}

impl ClockEntry {
    /// Entry of an act that succeeded. `detail` is a sentence with the `numbers`.
    pub(super) fn of(rule: Rule, detail: String, numbers: Map<String, Value>, now: Instant) -> Self {
        Self { at: now, act: rule.act(), rule, failed: None, detail, numbers }
    }

    /// Returns whether the clock did not act because it does not trust the result.
    pub fn is_held_back(&self) -> bool {
        self.failed.is_some() && self.act != ClockAct::Start
    }
}

/// State of an experiment's automation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// Rules that do not act until their setting changes.
    pub settled: BTreeSet<Rule>,
    /// True when the start failed. The next change retries it.
    pub is_start_blocked: bool,
    /// The last act, or failed attempt.
    pub last: Option<ClockEntry>,
    /// State of the bandit. Present once the experiment has been live with `is_mab`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandit: Option<BanditRecord>,
    /// The winner that the clock serves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autopilot: Option<AutopilotRecord>,
    /// Arms for which [`Rule::PageHarm`] ended the experiment, and whose definition has not changed since. They do not
    /// end it again.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub harmed: BTreeSet<Arm>,
    /// Plan that the clock uses instead of the one locked at the first start. Set when a person confirms a changed
    /// plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<ConfirmedPlan>,
    /// Rule by which the clock acts although its finding rests on a single network, because a person confirmed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_act: Option<ConfirmedAct>,
}

/// A person's confirmation of an act that the clock held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmedAct {
    /// The rule.
    pub rule: Rule,
    /// End of the confirmation.
    pub until: Instant,
}

/// State of an experiment whose weights follow its result, or did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BanditRecord {
    /// Last change of the weights by the clock.
    pub last_moved_at: Option<Instant>,
}

/// An arm whose pages are checked for harm, which ends the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtectedArm {
    /// Number of the arm; not the control.
    pub arm: Arm,
    /// Only visitors who entered from this moment on got the current version of both the arm and the control. `None`
    /// when all visitors did.
    pub since: Option<Instant>,
}

/// An act at a known time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// Due time; in the past when overdue.
    pub at: Instant,
    /// Rule of the act.
    pub rule: Rule,
}

impl Schedule {
    /// Returns the schedule after a change from `before` (`None` for a new experiment) to `after`, made at `now`. The
    /// schedule of `after` already includes acts of the clock itself.
    #[must_use]
    pub(super) fn moved_on(before: Option<&Experiment>, after: &Experiment, now: Instant) -> Self {
        let mut schedule = after.schedule.clone();
        let configuration = &after.configuration;
        let is_new = |rule: Rule| before.is_none_or(|before| !rule.is_same(&before.configuration, configuration));
        for (_, rule) in Rule::WORDS {
            if is_new(rule) || !rule.is_set(configuration) {
                schedule.settled.remove(&rule);
            }
        }
        let redefined = |arm: Arm| {
            let at = |experiment: &Experiment| experiment.milestones.redefined_at(arm.0 as usize);
            before.is_none_or(|before| at(before) != at(after))
        };
        let is_control_redefined = redefined(Arm::CONTROL);
        schedule.harmed.retain(|arm| (arm.0 as usize) < after.arms() && !is_control_redefined && !redefined(*arm));
        let is_live = after.lifecycle.is_live();
        let starts = is_live && before.is_none_or(|before| !before.lifecycle.is_live());
        let passed = |moment: Option<Instant>, grace_us: i64| moment.is_some_and(|at| at < now.plus_us(-grace_us));
        let mut settle = |rule: Rule, is_settled: bool| {
            if is_settled && rule.is_set(configuration) {
                schedule.settled.insert(rule);
            }
        };
        // A start, by anyone, settles the start date.
        settle(Rule::StartDate, is_live);
        settle(Rule::StartDate, is_new(Rule::StartDate) && passed(configuration.start_test_date, GRACE_US));
        // Rules whose moment has passed at the start do not end the experiment at once.
        settle(Rule::EndDate, starts && passed(configuration.end_test_date, 0));
        settle(Rule::Period, starts && passed(after.period_end(), 0));
        // A person who changes or stops the winner that is served takes over from the clock.
        let was_served = before.is_some_and(|before| matches!(before.serving, Serving::Winner { .. }));
        let is_served = matches!(after.serving, Serving::Winner { .. });
        let is_taken = schedule.autopilot.is_some_and(|record| !record.is_served(after.serving));
        settle(Rule::Autopilot, is_taken || (was_served && !is_served));
        if is_taken {
            schedule.autopilot = None;
        }
        if is_live && configuration.is_mab {
            schedule.bandit.get_or_insert_default();
        }
        if before.is_some_and(|before| before.schedule.is_start_blocked) {
            schedule.is_start_blocked = false;
        }
        schedule
    }
}

impl Experiment {
    /// Returns whether the rule is enabled and can act when its condition is met. While the experiment is concluded or
    /// a winner is served, rules do nothing; and they end only live experiments.
    ///
    /// [`Rule::Guardrail`] acts only while the winner is served that the clock chose, and so does [`Rule::Autopilot`]
    /// from the first step on.
    pub fn follows(&self, rule: Rule) -> bool {
        if rule == Rule::Guardrail || (rule == Rule::Autopilot && self.schedule.autopilot.is_some()) {
            return self.piloted().is_some();
        }
        let is_open = self.conclusion.is_none() && !matches!(self.serving, Serving::Winner { .. });
        let fits = match rule.act() {
            ClockAct::Start => !self.lifecycle.is_live() && !self.archived && !self.schedule.is_start_blocked,
            ClockAct::Stop | ClockAct::Reweight | ClockAct::Ramp => self.lifecycle.is_live(),
        };
        is_open && fits && rule.is_set(&self.configuration) && !self.schedule.settled.contains(&rule)
    }

    /// The acts of the clock at known times, by rule. Times in the past are overdue.
    ///
    /// Rules that depend on results have no known time and are not among them.
    pub fn due(&self) -> Vec<Due> {
        let moments = [
            (Rule::StartDate, self.configuration.start_test_date),
            (Rule::EndDate, self.configuration.end_test_date),
            (Rule::Period, self.period_end()),
            (Rule::Autopilot, self.piloted().and_then(|record| record.next_at)),
        ];
        let due = moments.into_iter().filter(|(rule, _)| self.follows(*rule));
        due.filter_map(|(rule, at)| Some(Due { at: at?, rule })).collect()
    }

    /// The next act of the clock at a known time. Of several at the same time, the first in the order of [`Rule`].
    pub fn next_due(&self) -> Option<Due> {
        self.due().into_iter().min()
    }

    /// Returns whether rules that depend on results can end the experiment.
    pub fn follows_results(&self) -> bool {
        [Rule::Visitors, Rule::Conversions, Rule::Significant].into_iter().any(|rule| self.follows(rule))
    }

    /// The time at which `completion_after_period` ends the experiment. `None` before its first start, and without that
    /// rule.
    fn period_end(&self) -> Option<Instant> {
        let started_at = match (self.milestones.first_start, self.lifecycle) {
            (Some(first), _) => first.started_at,
            (None, Lifecycle::Live { started_at }) => started_at,
            (None, _) => return None,
        };
        let days = self.configuration.completion_after_period?;
        Some(started_at.plus_us(days.saturating_mul(DAY_US)))
    }

    /// Returns the experiment after the clock's act by a rule. `detail` is a sentence with the rule's `numbers`.
    ///
    /// A rule that starts or ends the experiment is settled afterwards, except [`Rule::PageHarm`]. Rules that change
    /// weights or the rollout act repeatedly, so they are not settled.
    ///
    /// # Errors
    /// Moves that [`Experiment::moved`] refuses.
    pub fn clocked(
        &self,
        rule: Rule,
        detail: String,
        numbers: Map<String, Value>,
        now: Instant,
    ) -> Result<Self, Conflict> {
        let act = rule.act();
        let mut next = match act {
            ClockAct::Start => self.moved(Status::Live, now)?,
            ClockAct::Stop => self.moved(Status::Inactive, now)?,
            ClockAct::Reweight | ClockAct::Ramp => self.clone(),
        };
        // Page harm is not settled: `ended_by_harm` records the arms instead.
        if matches!(act, ClockAct::Start | ClockAct::Stop) && rule != Rule::PageHarm {
            next.schedule.settled.insert(rule);
        }
        next.schedule.last = Some(ClockEntry::of(rule, detail, numbers, now));
        Ok(next)
    }

    /// The arms whose pages are checked for [`Rule::PageHarm`]: those with traffic that have not ended the experiment
    /// in their current definition. Data from before the last change of an arm's code, or of the control's, does not
    /// count. The control is never among them.
    pub fn protected_arms(&self) -> Vec<ProtectedArm> {
        let weights = self.weights();
        let opened_at = self.milestones.first_start.map(|start| start.opened_at);
        // No visitor met versions from before the first start.
        let redefined_at = |arm: Arm| {
            let at = self.milestones.redefined_at(arm.0 as usize);
            at.filter(|at| opened_at.is_some_and(|opened_at| *at >= opened_at))
        };
        let arms = (1..self.arms()).filter_map(|number| u32::try_from(number).ok()).map(Arm);
        let protected = arms.filter(|arm| weights.of(*arm) > 0 && !self.schedule.harmed.contains(arm));
        protected
            .map(|arm| {
                let since = redefined_at(arm).max(redefined_at(Arm::CONTROL));
                ProtectedArm { arm, since: since.map(|at| at.plus_us(REDELIVERY_US)) }
            })
            .collect()
    }

    /// Returns the experiment after the clock ended it by [`Rule::PageHarm`] for these arms. In their current
    /// definition, they do not end it again. `detail` is a sentence with the `numbers`.
    ///
    /// # Errors
    /// Errors of [`Experiment::clocked`].
    pub fn ended_by_harm(
        &self,
        arms: impl IntoIterator<Item = Arm>,
        detail: String,
        numbers: Map<String, Value>,
        now: Instant,
    ) -> Result<Self, Conflict> {
        let mut next = self.clocked(Rule::PageHarm, detail, numbers, now)?;
        next.schedule.harmed.extend(arms);
        Ok(next)
    }

    /// Returns the experiment after the clock changed its weights by [`Rule::Bandit`]. `detail` is a sentence with the
    /// `numbers`.
    ///
    /// # Errors
    /// Errors of [`Experiment::clocked`].
    pub fn reweighted(
        &self,
        weights: Weights,
        detail: String,
        numbers: Map<String, Value>,
        now: Instant,
    ) -> Result<Self, Conflict> {
        let mut next = self.clocked(Rule::Bandit, detail, numbers, now)?;
        next.configuration.distribution = Distribution::Weights(weights);
        next.schedule.bandit = Some(BanditRecord { last_moved_at: Some(now) });
        Ok(next)
    }

    /// Returns whether the weights follow the result, or did. Results then compare the arms within each epoch.
    pub fn is_or_was_bandit(&self) -> bool {
        self.configuration.is_mab || self.schedule.bandit.is_some()
    }

    /// Returns the experiment after the clock failed to start it, for the reason `why`. The next change of the
    /// experiment retries the start.
    #[must_use]
    pub fn start_blocked(&self, why: String, now: Instant) -> Self {
        let mut next = self.clone();
        next.schedule.is_start_blocked = true;
        next.schedule.last = Some(ClockEntry {
            at: now,
            act: ClockAct::Start,
            rule: Rule::StartDate,
            detail: format!("the experiment could not be started at its start date: {why}"),
            failed: Some(why),
            numbers: Map::new(),
        });
        next
    }

    /// Returns the experiment after its start date passed without a start, for the reason `why`. The start is not
    /// retried.
    #[must_use]
    pub fn start_missed(&self, why: String, now: Instant) -> Self {
        let mut next = self.start_blocked(why, now);
        next.schedule.is_start_blocked = false;
        next.schedule.settled.insert(Rule::StartDate);
        next
    }

    /// Returns the experiment after the clock did not act by a rule about its result, for the reason `why`. It acts once
    /// the reason is gone. Later checks with the same outcome change nothing.
    #[must_use]
    pub fn held_back(&self, rule: Rule, why: String, now: Instant) -> Self {
        let mut next = self.clone();
        let is_recorded = self.schedule.last.as_ref().is_some_and(|last| last.rule == rule && last.failed.is_some());
        // A person may have confirmed the act since the result was judged.
        if !is_recorded && !self.is_act_confirmed(rule, now) {
            let detail = format!("the rule {} does not act: {why}", rule.word());
            next.schedule.last =
                Some(ClockEntry { failed: Some(why), ..ClockEntry::of(rule, detail, Map::new(), now) });
        }
        next
    }

    /// Returns the experiment after a person confirmed the act that the clock holds back: for a day, the clock acts by
    /// the rule although its finding rests on a single network.
    ///
    /// # Errors
    /// The clock holds back no act, or the experiment is concluded.
    pub fn act_confirmed(&self, now: Instant) -> Result<Self, Conflict> {
        if self.conclusion.is_some() {
            return Err(Conflict::Concluded);
        }
        let held_back = self.schedule.last.as_ref().filter(|last| last.is_held_back());
        let rule = held_back.map(|last| last.rule).filter(|rule| self.follows(*rule));
        let rule = rule.ok_or(Conflict::NothingHeldBack)?;
        let mut next = self.clone();
        next.schedule.last = None;
        next.schedule.confirmed_act = Some(ConfirmedAct { rule, until: now.plus_us(DAY_US) });
        Ok(next)
    }

    /// Returns whether a person confirmed that the clock acts by this rule now.
    pub fn is_act_confirmed(&self, rule: Rule, now: Instant) -> bool {
        self.schedule.confirmed_act.is_some_and(|confirmed| confirmed.rule == rule && now < confirmed.until)
    }

    /// Warnings for the owner about dates and rules that will not act.
    pub(super) fn schedule_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let settled = |rule: Rule| self.schedule.settled.contains(&rule);
        let is_live = self.lifecycle.is_live();
        if settled(Rule::StartDate) && !is_live && self.epoch == 0 {
            warnings.push(
                "configuration.start_test_date: this moment has passed, so it has no effect; set a later one, or \
                 start the experiment with PATCH /experiment/{test_id}/status"
                    .to_owned(),
            );
        }
        let over = [Rule::EndDate, Rule::Period].into_iter().filter(|rule| is_live && settled(*rule));
        warnings.extend(over.map(|rule| {
            format!(
                "configuration.{}: this moment had passed before the experiment was started, so it has no effect; set \
                 a later one",
                rule.setting()
            )
        }));
        if self.configuration.is_autopilot && settled(Rule::Autopilot) {
            warnings.push(
                "configuration.is_autopilot: the winner that was served was stopped or changed by a person, so the \
                 clock serves none until this is set to 0 and then to 1 again"
                    .to_owned(),
            );
        }
        let spent =
            [Rule::Visitors, Rule::Conversions, Rule::Significant].into_iter().filter(|rule| is_live && settled(*rule));
        warnings.extend(spent.map(|rule| {
            format!(
                "configuration.{}: this has ended the experiment once, and does not end it again until it is changed",
                rule.setting()
            )
        }));
        if is_live && !self.schedule.harmed.is_empty() {
            let names: Vec<String> = self.schedule.harmed.iter().map(Arm::to_string).collect();
            warnings.push(format!(
                "stop_on_page_harm: the experiment was ended because these variants harmed pages, and was started \
                 again. They do not end it again until what visitors get from them, or the control, is changed: {}",
                names.join(", ")
            ));
        }
        let of_goal = [Rule::Conversions, Rule::Significant, Rule::Bandit, Rule::Autopilot];
        if self.configuration.is_mab && self.test_type == TestType::Personalization {
            warnings.push(
                "configuration.is_mab: each variant of a personalization has an audience of its own, so weights do not follow \
                 the results"
                    .to_owned(),
            );
        }
        let aimless =
            of_goal.into_iter().filter(|rule| rule.is_set(&self.configuration) && self.primary_goal.is_none());
        warnings.extend(aimless.map(|rule| {
            format!("configuration.{}: this needs a primary goal; attach one with primary_goal_key", rule.setting())
        }));
        warnings
    }
}

#[cfg(test)]
mod tests;
