//! Which changes a second person has to approve.

use super::{Change, Experiment, Serving, Variant};

/// What a project asks a second person for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApprovalRules {
    /// For code before visitors run it: code, HTML and script addresses that come to visitors or change there.
    pub code: bool,
    /// For starting an experiment and for changing one that visitors meet. Ending one is never asked for: whoever sees that
    /// something is wrong can stop it.
    pub live: bool,
}

impl ApprovalRules {
    /// Whether a second person has to approve that `before`, `None` for a new experiment, becomes `after`.
    pub fn apply_to(self, before: Option<&Experiment>, after: &Experiment) -> bool {
        let was_met = before.is_some_and(Experiment::is_delivered);
        if !was_met && !after.is_delivered() {
            return false;
        }
        self.live && !is_minor(before, after) || self.code && brings_code(before, after)
    }
}

/// Whether the change is of labels alone, or takes something from visitors.
fn is_minor(before: Option<&Experiment>, after: &Experiment) -> bool {
    let Some(before) = before else { return false };
    let mut same = Experiment {
        name: after.name.clone(),
        tags: after.tags.clone(),
        hypothesis_id: after.hypothesis_id,
        archived: after.archived,
        ..before.clone()
    };
    if before.lifecycle.is_live() && !after.lifecycle.is_live() {
        same.lifecycle = after.lifecycle;
    }
    if matches!(before.serving, Serving::Winner { .. }) && after.serving == Serving::Stopped {
        same.serving = Serving::Stopped;
    }
    same == *after
}

/// Whether visitors run code after the change that they did not run before.
fn brings_code(before: Option<&Experiment>, after: &Experiment) -> bool {
    if !after.is_delivered() {
        return false;
    }
    match before.filter(|before| before.is_delivered()) {
        Some(before) => before.changes_code(after),
        None => has_code(after),
    }
}

fn has_code(experiment: &Experiment) -> bool {
    let cargo = |variant: &Variant| !variant.code.is_blank() || variant.changes.iter().any(Change::carries_code);
    !experiment.custom_code.is_blank() || !experiment.control.code.is_blank() || experiment.variants.iter().any(cargo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instant;
    use crate::experiment::{Status, TestType};
    use crate::ids::{CompanyId, ProjectId};

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
        let live = to(&draft, Status::Live);
        let live_coded = coded(live.clone());
        let traffic = |mut experiment: Experiment| {
            experiment.configuration.traffic_allocation = 50;
            experiment
        };
        let renamed = Experiment { name: "Other".into(), tags: vec!["a".into()], ..live_coded.clone() };
        let stopped = to(&live_coded, Status::Inactive);
        // The change, and whether it is asked for by the rules about code, live experiments, and both.
        for (what, before, after, code, on_live) in [
            ("code of a draft", Some(&draft), coded(draft.clone()), false, false),
            ("a start", Some(&draft), live.clone(), false, true),
            ("a start with code", Some(&coded(draft.clone())), live_coded.clone(), true, true),
            ("a new one that is live", None, live_coded.clone(), true, true),
            ("a new draft", None, coded(draft.clone()), false, false),
            ("new code", Some(&live), live_coded.clone(), true, true),
            ("no code any more", Some(&live_coded), live.clone(), true, true),
            ("traffic", Some(&live_coded), traffic(live_coded.clone()), false, true),
            ("labels", Some(&live_coded), renamed, false, false),
            ("an end", Some(&live_coded), stopped.clone(), false, false),
            ("an end with less traffic", Some(&live_coded), traffic(stopped.clone()), false, true),
            ("a change after the end", Some(&stopped), traffic(stopped.clone()), false, false),
        ] {
            let asked = |code, live| ApprovalRules { code, live }.apply_to(before, &after);
            assert!(!asked(false, false), "{what}");
            assert_eq!(
                (asked(true, false), asked(false, true), asked(true, true)),
                (code, on_live, code || on_live),
                "{what}"
            );
        }
        let served =
            Experiment { serving: Serving::Winner { arm: crate::experiment::Arm(1), rollout: 100 }, ..stopped };
        let ended = Experiment { serving: Serving::Stopped, ..served.clone() };
        assert!(!ApprovalRules { code: true, live: true }.apply_to(Some(&served), &ended));
        assert!(ApprovalRules { code: false, live: true }.apply_to(Some(&served), &traffic(served.clone())));
    }
}
