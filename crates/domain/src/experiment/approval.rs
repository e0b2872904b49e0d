//! Approval rules: the changes that a second person has to approve.

use super::{Change, Experiment, Rule, Serving, Sites, Variant};

/// Kinds of change in a project that need approval.
///
/// By default nothing needs approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApprovalRules {
    /// Approval of code before visitors run it: code, HTML and script addresses that are delivered to visitors, or
    /// change there. For an experiment that has run, every change of them: any of its arms can be served at any time.
    pub code: bool,
    /// Approval of starting an experiment and of changing one that is delivered to visitors. Ending an experiment never
    /// needs approval: anybody who notices a problem can stop it.
    pub live: bool,
}

impl ApprovalRules {
    /// Returns whether the change from `before` (`None` for a new experiment) to `after` needs approval, whatever
    /// operation makes it. An experiment with a start date ahead counts as live, because the clock starts it without
    /// approval.
    ///
    /// The effect of the change counts, because rules per operation missed indirect ways. See
    /// `docs/decisions/0014-approvals.md`.
    pub fn apply_to(self, before: Option<&Experiment>, after: &Experiment) -> bool {
        self.live && concerns_visitors(before, after) || self.code && brings_code(before, after)
    }

    /// Returns whether a change from outside of the experiment, such as a change of its goals or groups, needs
    /// approval: the experiment is delivered to visitors, or the clock will start it. Only [`ApprovalRules::live`]
    /// matters.
    pub fn guard(self, experiment: &Experiment) -> bool {
        self.live && is_bound_for_visitors(Some(experiment), experiment)
    }

    /// Returns whether a decision about results, which concludes the experiment or serves an arm, needs approval. The
    /// team can make it alone as long as visitors keep getting what they got. `is_met` is true when `after` shows what
    /// visitors met last.
    pub fn apply_to_decision(self, before: &Experiment, after: &Experiment, is_met: bool) -> bool {
        let begins = after.is_delivered() && !before.is_delivered();
        // Each code change of an experiment that has run was approved when it was made.
        begins && (self.live && !is_met || self.code && before.epoch == 0 && has_code(after))
    }
}

/// Returns whether the change alters what visitors get or the clock does, other than by ending it.
fn concerns_visitors(before: Option<&Experiment>, after: &Experiment) -> bool {
    let was_bound = before.is_some_and(|before| is_bound_for_visitors(Some(before), before));
    match (was_bound, is_bound_for_visitors(before, after)) {
        (false, true) => true,
        (true, true) => !is_minor(before, after),
        // The change ends delivery. If visitors have met the experiment, only the end itself needs no approval.
        (_, false) => before.is_some_and(Experiment::is_delivered) && !is_minor(before, after),
    }
}

/// Returns whether the experiment is delivered to visitors after the change, or the clock will start it.
fn is_bound_for_visitors(before: Option<&Experiment>, after: &Experiment) -> bool {
    if after.is_delivered() {
        return true;
    }
    let mut after = after.clone();
    let date = |experiment: &Experiment| experiment.configuration.start_test_date;
    // A new date is not settled yet, and a change retries a failed start.
    if before.is_none_or(|before| date(before) != date(&after)) {
        after.schedule.settled.remove(&Rule::StartDate);
    }
    after.schedule.is_start_blocked = false;
    after.follows(Rule::StartDate)
}

/// Returns whether the change affects only labels, or takes something away from visitors. It must not change what the
/// clock does.
fn is_minor(before: Option<&Experiment>, after: &Experiment) -> bool {
    let Some(before) = before else { return false };
    let mut same = Experiment {
        name: after.name.clone(),
        tags: after.tags.clone(),
        hypothesis_id: after.hypothesis_id,
        ..before.clone()
    };
    if Rule::WORDS.iter().all(|(_, rule)| before.follows(*rule) == after.follows(*rule)) {
        same.conclusion = after.conclusion.clone();
    }
    if before.lifecycle.is_live() && !after.lifecycle.is_live() {
        same.lifecycle = after.lifecycle;
    }
    if matches!(before.serving, Serving::Winner { .. }) && after.serving == Serving::Stopped {
        same.serving = Serving::Stopped;
    }
    same == *after
}

/// Returns whether, after the change, visitors run code that was not approved, or may run it later without a further
/// approval.
fn brings_code(before: Option<&Experiment>, after: &Experiment) -> bool {
    let has_run = before.is_some_and(|before| before.epoch > 0);
    if !is_bound_for_visitors(before, after) && !has_run {
        return false;
    }
    let was_bound = before.is_some_and(|before| is_bound_for_visitors(Some(before), before));
    match before {
        // Each start is approved separately. Serving an arm is not, as its code was approved.
        Some(before) if was_bound || has_run && !after.lifecycle.is_live() => before.changes_code(after),
        _ => has_code(after),
    }
}

/// Returns whether any arm has code, or a change that carries code.
fn has_code(experiment: &Experiment) -> bool {
    let sites = Sites::of(experiment);
    let carries = |change: &Change| change.carries_code(&sites);
    let cargo = |variant: &Variant| !variant.code.is_blank() || variant.changes.iter().any(carries);
    !experiment.custom_code.is_blank() || !experiment.control.code.is_blank() || experiment.variants.iter().any(cargo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instant;
    use crate::experiment::{Arm, AutopilotRecord, Conclusion, ConclusionOutcome, Status, TestType};
    use crate::ids::{CompanyId, ProjectId};
    use crate::time::DAY_US;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    #[test]
    fn what_a_second_person_is_asked_for() {
        let mut draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".into(), NOW);
        draft.variants = vec![Variant::default()];
        let coded = |mut experiment: Experiment| {
            experiment.variants[0].code.js = "a()".into();
            experiment
        };
        let to = |experiment: &Experiment, status| experiment.moved(status, NOW).unwrap();
        // The state after its start was saved.
        let ran = |experiment: &Experiment| Experiment { epoch: 1, ..experiment.clone() };
        let live = ran(&to(&draft, Status::Live));
        let live_coded = coded(live.clone());
        let traffic = |mut experiment: Experiment| {
            experiment.configuration.traffic_allocation = 50;
            experiment
        };
        let labelled = |experiment| Experiment { name: "Other".into(), tags: vec!["a".into()], ..experiment };
        let stopped = to(&live_coded, Status::Inactive);
        let plain = to(&draft, Status::Inactive);
        let aside = to(&coded(draft.clone()), Status::Inactive);
        let serving = |experiment: &Experiment| experiment.serving("1", 100).unwrap();
        let recoded = |mut experiment: Experiment| {
            experiment.variants[0].code.js = "b()".into();
            experiment
        };
        let dated = |mut experiment: Experiment, days: i64| {
            experiment.configuration.start_test_date = Some(NOW.plus_us(days * DAY_US));
            experiment
        };
        let waiting = dated(coded(draft.clone()), 3);
        let filed = |experiment: &Experiment, archived| experiment.filed(archived).unwrap();
        let conclusion = Conclusion { outcome: ConclusionOutcome::Invalid, note: "Invalid.".into(), concluded_at: NOW };
        let concluded =
            |experiment: &Experiment| Experiment { conclusion: Some(conclusion.clone()), ..experiment.clone() };
        let served = serving(&stopped);
        let ended = Experiment { serving: Serving::Stopped, ..served.clone() };
        let mut piloted = served.clone();
        piloted.configuration.is_autopilot = true;
        piloted.schedule.autopilot = Some(AutopilotRecord { arm: Arm(1), rollout: 100, next_at: None });
        let mut settled = waiting.clone();
        settled.schedule.settled.insert(Rule::StartDate);
        // The change, and whether the rules about code and about live experiments apply to it; below, also both
        // together.
        for (what, before, after, code, on_live) in [
            ("code of a draft", Some(&draft), coded(draft.clone()), false, false),
            ("a start", Some(&draft), live.clone(), false, true),
            ("a start with code", Some(&coded(draft.clone())), live_coded.clone(), true, true),
            ("a new one that is live", None, live_coded.clone(), true, true),
            ("a new draft", None, coded(draft.clone()), false, false),
            ("new code", Some(&live), live_coded.clone(), true, true),
            ("no code any more", Some(&live_coded), live.clone(), true, true),
            ("traffic", Some(&live_coded), traffic(live_coded.clone()), false, true),
            ("labels", Some(&live_coded), labelled(live_coded.clone()), false, false),
            ("an end", Some(&live_coded), stopped.clone(), false, false),
            ("an end with less traffic", Some(&live_coded), traffic(stopped.clone()), false, true),
            ("a start date", Some(&draft), dated(draft.clone(), 3), false, true),
            ("a start date and code", Some(&draft), waiting.clone(), true, true),
            ("a new one with a start date", None, waiting.clone(), true, true),
            ("an earlier start date", Some(&waiting), dated(waiting.clone(), 1), false, true),
            ("a date in place of one that has passed", Some(&settled), dated(settled.clone(), 4), true, true),
            ("a change after the date was dealt with", Some(&settled), traffic(settled.clone()), false, false),
            ("traffic before the start date", Some(&waiting), traffic(waiting.clone()), false, true),
            ("labels before the start date", Some(&waiting), labelled(waiting.clone()), false, false),
            ("no start date any more", Some(&waiting), coded(draft.clone()), false, false),
            ("a start before the date", Some(&waiting), to(&waiting, Status::Live), false, true),
            ("a change after the end", Some(&stopped), traffic(stopped.clone()), false, false),
            ("code after the end", Some(&stopped), recoded(stopped.clone()), true, false),
            ("a start once more", Some(&stopped), to(&stopped, Status::Live), true, true),
            (
                "an archived one with a start date",
                Some(&filed(&draft, true)),
                dated(filed(&draft, true), 3),
                false,
                false,
            ),
            (
                "an archive that is left with a start date",
                Some(&dated(filed(&coded(draft.clone()), true), 3)),
                waiting.clone(),
                true,
                true,
            ),
            ("an archive that is left", Some(&filed(&draft, true)), draft.clone(), false, false),
            ("the archive with a start date", Some(&waiting), filed(&waiting, true), false, false),
            ("a start date of a concluded one", Some(&concluded(&draft)), dated(concluded(&draft), 3), false, false),
            (
                "a reopened one with a start date",
                Some(&dated(concluded(&coded(draft.clone())), 3)),
                waiting.clone(),
                true,
                true,
            ),
            ("a reopened one", Some(&concluded(&stopped)), stopped.clone(), false, false),
            ("a reopened one whose winner is served", Some(&concluded(&served)), served.clone(), false, false),
            ("a reopened one that the clock pilots", Some(&concluded(&piloted)), piloted.clone(), false, true),
            ("less of what is served", Some(&served), ended.clone(), false, false),
            ("traffic of what is served", Some(&served), traffic(served.clone()), false, true),
            ("an arm that is served after the end", Some(&stopped), serving(&stopped), false, true),
            ("code of what is served", Some(&serving(&stopped)), recoded(serving(&stopped)), true, true),
            ("code of what never ran", Some(&aside), recoded(aside.clone()), false, false),
            ("an arm that is served of what never ran", Some(&aside), serving(&aside), true, true),
            ("an arm without code of what never ran", Some(&plain), serving(&plain), false, true),
        ] {
            let asked = |code, live| ApprovalRules { code, live }.apply_to(before, &after);
            assert!(!asked(false, false), "{what}");
            assert_eq!(
                (asked(true, false), asked(false, true), asked(true, true)),
                (code, on_live, code || on_live),
                "{what}"
            );
        }
        for (what, experiment, is_guarded) in [
            ("a draft", &draft, false),
            ("a live one", &live, true),
            ("one with a start date", &waiting, true),
            ("a stopped one", &stopped, false),
            ("a served one", &served, true),
            ("an archived one with a date", &filed(&waiting, true), false),
        ] {
            assert_eq!(ApprovalRules { code: false, live: true }.guard(experiment), is_guarded, "{what}");
            assert!(!ApprovalRules { code: true, live: false }.guard(experiment), "{what}");
        }
        // A decision, and whether the rules about code and about live experiments apply to it.
        for (what, before, after, is_met, code, on_live) in [
            ("an arm that was live", &live_coded, serving(&live_coded), true, false, false),
            ("an arm that was live, after the end", &stopped, serving(&stopped), true, false, false),
            ("an arm that changed after the end", &stopped, serving(&stopped), false, false, true),
            ("an arm of what never ran", &plain, serving(&plain), false, false, true),
            ("code of what never ran", &aside, serving(&aside), false, true, true),
            ("an end", &live_coded, concluded(&stopped), true, false, false),
            ("a conclusion of a draft", &draft, concluded(&draft), false, false, false),
        ] {
            let asked = |code, live| ApprovalRules { code, live }.apply_to_decision(before, &after, is_met);
            assert!(!asked(false, false), "{what}");
            assert_eq!((asked(true, false), asked(false, true)), (code, on_live), "{what}");
        }
    }
}
