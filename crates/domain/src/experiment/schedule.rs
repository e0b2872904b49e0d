//! Automation of an experiment: its dates, and the rules that end it.
//!
//! A rule acts once for each value that it is set to, and is settled afterwards. When a person starts the experiment
//! again, a settled rule does not act until it is set again. [`Rule::PageHarm`] instead acts once for each definition
//! of an arm; see [`Experiment::protected_arms`]. Due times are a pure function of the experiment; see
//! [`Experiment::due`]. Every change derives the database's jobs from it.

use super::{
    Arm, AutopilotRecord, Configuration, ConfirmedPlan, Conflict, Distribution, Experiment, Lifecycle, Serving, Status,
    TestType, Weights,
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
    fn is_set(self, configuration: &Configuration) -> bool {
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
    fn is_same(self, one: &Configuration, other: &Configuration) -> bool {
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
mod tests {
    use super::*;
    use crate::experiment::{Revision, TestType};
    use crate::ids::{CompanyId, ProjectId};
    use proptest::prelude::*;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    fn draft(configuration: Configuration) -> Experiment {
        let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".to_owned(), NOW);
        Revision::first(Experiment { configuration, ..draft }, NOW).experiment
    }

    fn changed(before: &Experiment, now: Instant, change: impl FnOnce(&mut Experiment)) -> Experiment {
        let mut after = before.clone();
        change(&mut after);
        Revision::between(before, after, now).map_or_else(|| before.clone(), |revision| revision.experiment)
    }

    fn clocked(before: &Experiment, rule: Rule, now: Instant) -> Experiment {
        let after = before.clocked(rule, String::new(), Map::new(), now).unwrap();
        Revision::between(before, after, now).unwrap().experiment
    }

    fn at(days: i64) -> Option<Instant> {
        Some(NOW.plus_us(days * DAY_US))
    }

    #[test]
    fn words_are_those_of_json() {
        for (word, rule) in Rule::WORDS {
            assert_eq!((rule.word(), serde_json::to_value(rule).unwrap()), (word, Value::from(word)));
        }
    }

    #[test]
    fn what_is_due_follows_from_the_experiment() {
        let configuration = Configuration {
            start_test_date: at(1),
            end_test_date: at(9),
            completion_after_period: Some(5),
            completion_visitor: Some(10),
            ..Configuration::default()
        };
        let due = |experiment: &Experiment| -> Vec<(Rule, Option<Instant>)> {
            experiment.due().into_iter().map(|due| (due.rule, Some(due.at))).collect()
        };
        let draft = draft(configuration);
        assert_eq!((due(&draft), draft.follows_results()), (vec![(Rule::StartDate, at(1))], false));
        let live = clocked(&draft, Rule::StartDate, NOW.plus_us(DAY_US));
        assert_eq!(due(&live), [(Rule::EndDate, at(9)), (Rule::Period, at(6))]);
        assert_eq!((live.next_due().map(|due| due.rule), live.follows_results()), (Some(Rule::Period), true));
        let ended = clocked(&live, Rule::Period, NOW.plus_us(6 * DAY_US));
        assert_eq!((due(&ended), ended.follows_results()), (vec![], false));
        // After another start, only the rules that have not acted are left.
        let again = changed(&ended, NOW.plus_us(7 * DAY_US), |it| {
            *it = it.moved(Status::Live, NOW.plus_us(7 * DAY_US)).unwrap()
        });
        assert_eq!((due(&again), again.follows_results()), (vec![(Rule::EndDate, at(9))], true));
        let longer = changed(&again, NOW.plus_us(8 * DAY_US), |it| it.configuration.completion_after_period = Some(30));
        assert_eq!(due(&longer), [(Rule::EndDate, at(9)), (Rule::Period, at(31))]);
    }

    #[test]
    fn a_bandit_moves_while_it_is_live_and_open() {
        let mut draft = draft(Configuration { is_mab: true, ..Configuration::default() });
        draft.variants.push(Default::default());
        assert!(!draft.follows(Rule::Bandit) && draft.is_or_was_bandit() && draft.schedule.bandit.is_none());
        let live = changed(&draft, NOW, |it| *it = it.moved(Status::Live, NOW).unwrap());
        assert!(live.follows(Rule::Bandit) && live.due().is_empty() && !live.follows_results());
        let weights = Weights::of_shares(&[0.25, 0.75]).unwrap();
        let later = NOW.plus_us(DAY_US);
        for _ in 0..2 {
            let moved = live.reweighted(weights.clone(), "why".to_owned(), Map::new(), later).unwrap();
            let revision = Revision::between(&live, moved, later).unwrap();
            let opened = revision.epoch.unwrap();
            assert_eq!((opened.number, &opened.weights), (2, &weights));
            let after = revision.experiment;
            assert_eq!(after.schedule.bandit.unwrap().last_moved_at, Some(later));
            assert_eq!(after.schedule.last.as_ref().unwrap().act.word(), "reweight");
            // The bandit rule is not settled: it acts as often as necessary.
            assert!(after.follows(Rule::Bandit));
            let off = changed(&after, later, |it| it.configuration.is_mab = false);
            assert!(!off.follows(Rule::Bandit) && off.is_or_was_bandit() && off.weights() == weights);
        }
    }

    #[test]
    fn a_confirmation_ends_after_a_day() {
        let draft = draft(Configuration { completion_visitor: Some(10), ..Configuration::default() });
        let live = changed(&draft, NOW, |it| *it = it.moved(Status::Live, NOW).unwrap());
        assert_eq!(live.act_confirmed(NOW).unwrap_err(), Conflict::NothingHeldBack);
        let held = live.held_back(Rule::Visitors, "one network".to_owned(), NOW);
        assert!(held.schedule.last.as_ref().is_some_and(ClockEntry::is_held_back));
        let confirmed = held.act_confirmed(NOW).unwrap();
        let end = NOW.plus_us(DAY_US);
        for (rule, at, expect) in [
            (Rule::Visitors, NOW, true),
            (Rule::Visitors, end.plus_us(-1), true),
            (Rule::Visitors, end, false),
            (Rule::Conversions, NOW, false),
        ] {
            assert_eq!(confirmed.is_act_confirmed(rule, at), expect, "{rule:?} {at}");
        }
        // A check that began before the confirmation asks for nothing.
        assert_eq!(confirmed.held_back(Rule::Visitors, "one network".to_owned(), NOW), confirmed);
        assert_ne!(confirmed.held_back(Rule::Visitors, "one network".to_owned(), end), confirmed);
    }

    #[test]
    fn a_blocked_start_waits_for_a_change() {
        let draft = draft(Configuration { start_test_date: at(1), ..Configuration::default() });
        let now = NOW.plus_us(DAY_US);
        let blocked = Revision::between(&draft, draft.start_blocked("why".to_owned(), now), now).unwrap().experiment;
        assert_eq!(blocked.due(), []);
        let renamed = changed(&blocked, now, |it| it.name = "Another".to_owned());
        assert_eq!(renamed.due().len(), 1);
        let again = Revision::between(&renamed, renamed.start_blocked("why".to_owned(), now), now).unwrap().experiment;
        assert_eq!(again.due(), []);
    }

    fn protected(experiment: &Experiment) -> Vec<(u32, Option<i64>)> {
        let seconds = |at: Instant| (at.us() - NOW.us()) / 1_000_000;
        experiment.protected_arms().into_iter().map(|it| (it.arm.0, it.since.map(seconds))).collect()
    }

    #[test]
    fn harm_is_judged_by_who_got_what_visitors_get_now() {
        let mut draft = draft(Configuration::default());
        draft.variants.extend([Default::default(), Default::default()]);
        let seconds = |seconds: i64| NOW.plus_us(seconds * 1_000_000);
        let written = changed(&draft, seconds(1), |it| it.variants[0].code.js = "one".into());
        let live = changed(&written, seconds(2), |it| *it = it.moved(Status::Live, seconds(2)).unwrap());
        assert_eq!(protected(&live), [(1, None), (2, None)], "nobody met what changed before the first start");
        // Visitors who still have the cached script get the previous version.
        let repaired = changed(&live, seconds(10), |it| it.variants[0].code.js = "two".into());
        assert_eq!(protected(&repaired), [(1, Some(130)), (2, None)]);
        let renamed = changed(&repaired, seconds(20), |it| it.name = "Another".to_owned());
        assert_eq!(protected(&renamed), protected(&repaired));
        let of_control = changed(&repaired, seconds(30), |it| it.control.code.js = "zero".into());
        assert_eq!(protected(&of_control), [(1, Some(150)), (2, Some(150))]);
        let of_all = changed(&repaired, seconds(40), |it| it.custom_code.css = "p {}".into());
        assert_eq!(protected(&of_all), [(1, Some(160)), (2, Some(160))]);
        // An arm without weight cannot harm visitors.
        let paused = changed(&repaired, seconds(50), |it| {
            it.configuration.distribution = Distribution::Weights(Weights::of_shares(&[0.5, 0.0, 0.5]).unwrap());
        });
        assert_eq!(protected(&paused), [(2, None)]);
    }

    #[test]
    fn harm_by_the_same_ends_it_once() {
        let mut draft = draft(Configuration::default());
        draft.variants.extend([Default::default(), Default::default()]);
        let seconds = |seconds: i64| NOW.plus_us(seconds * 1_000_000);
        let live = changed(&draft, NOW, |it| *it = it.moved(Status::Live, NOW).unwrap());
        let ended = live.ended_by_harm([Arm(1)], "why".to_owned(), Map::new(), seconds(10)).unwrap();
        let ended = Revision::between(&live, ended, seconds(10)).unwrap().experiment;
        assert_eq!((ended.lifecycle.is_live(), ended.follows(Rule::PageHarm)), (false, false));
        assert_eq!(ended.schedule.last.as_ref().unwrap().rule, Rule::PageHarm);
        let start = |it: &Experiment| changed(it, seconds(20), |it| *it = it.moved(Status::Live, seconds(20)).unwrap());
        let is_warned = |it: &Experiment| it.schedule_warnings().iter().any(|warning| warning.contains("Variant 1"));
        // Unchanged, it keeps running, with a warning. The other variant is still protected.
        let again = start(&ended);
        assert_eq!(
            (again.follows(Rule::PageHarm), protected(&again), is_warned(&again)),
            (true, vec![(2, None)], true)
        );
        assert!(!is_warned(&ended));
        let text = serde_json::to_string(&again.schedule).unwrap();
        assert_eq!(serde_json::from_str::<Schedule>(&text).unwrap(), again.schedule);
        // Changed before or after the restart, the arm is protected again.
        let repair = |it: &Experiment| changed(it, seconds(30), |it| it.variants[0].code.js = "repaired".into());
        for (what, repaired) in [("before", start(&repair(&ended))), ("after", repair(&again))] {
            assert_eq!(
                (protected(&repaired), is_warned(&repaired)),
                (vec![(1, Some(150)), (2, None)], false),
                "{what}"
            );
        }
        let of_control = changed(&again, seconds(30), |it| it.control.code.js = "zero".into());
        assert_eq!(protected(&of_control), [(1, Some(150)), (2, Some(150))]);
        // A removed arm's record does not apply to a later arm with the same number.
        let fewer = changed(&ended, seconds(30), |it| it.variants.clear());
        assert!(fewer.schedule.harmed.is_empty());
    }

    /// A step by a person or the clock.
    #[derive(Debug, Clone)]
    enum Step {
        Pass(i64),
        Status(bool),
        Start(Option<i64>),
        End(Option<i64>),
        Period(Option<i64>),
        /// The clock does all due acts.
        Clock,
    }

    fn step() -> impl Strategy<Value = Step> {
        let day = || prop::option::of(-3..9_i64);
        prop_oneof![
            (0..4_i64).prop_map(Step::Pass),
            any::<bool>().prop_map(Step::Status),
            day().prop_map(Step::Start),
            day().prop_map(Step::End),
            prop::option::of(1..5_i64).prop_map(Step::Period),
            Just(Step::Clock),
        ]
    }

    proptest! {
        #[test]
        fn what_is_due_comes_to_an_end(steps in prop::collection::vec(step(), 1..40)) {
            let (mut now, mut experiment) = (NOW, draft(Configuration::default()));
            let mut acts: Vec<(Rule, Configuration)> = Vec::new();
            for step in steps {
                let after = |days: Option<i64>| days.map(|days| now.plus_us(days * DAY_US));
                experiment = match step {
                    Step::Pass(days) => {
                        now = now.plus_us(days * DAY_US);
                        experiment
                    }
                    Step::Status(live) => {
                        let to = if live { Status::Live } else { Status::Inactive };
                        changed(&experiment, now, |it| *it = it.moved(to, now).unwrap())
                    }
                    Step::Start(days) => changed(&experiment, now, |it| it.configuration.start_test_date = after(days)),
                    Step::End(days) => changed(&experiment, now, |it| it.configuration.end_test_date = after(days)),
                    Step::Period(days) => changed(&experiment, now, |it| it.configuration.completion_after_period = days),
                    Step::Clock => {
                        // The loop ends because each act settles its rule.
                        let mut rounds = 0;
                        while let Some(due) = experiment.due().into_iter().find(|due| due.at <= now) {
                            let next = clocked(&experiment, due.rule, now);
                            prop_assert_eq!(next.lifecycle.is_live(), due.rule.act() == ClockAct::Start);
                            prop_assert!(!next.follows(due.rule));
                            acts.push((due.rule, experiment.configuration.clone()));
                            experiment = next;
                            rounds += 1;
                            prop_assert!(rounds <= 3, "{:?}", acts);
                        }
                        experiment
                    }
                };
                // Rules are due only when they can act.
                for due in experiment.due() {
                    prop_assert_eq!(experiment.lifecycle.is_live(), due.rule.act() == ClockAct::Stop);
                }
                let text = serde_json::to_string(&experiment.schedule).unwrap();
                prop_assert_eq!(&serde_json::from_str::<Schedule>(&text).unwrap().settled, &experiment.schedule.settled);
            }
        }
    }
}
