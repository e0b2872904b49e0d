//! Effects of a change on visitors and results, for a preview before it is made.

use super::{Arm, Code, Experiment, Reason, Revision, Sites, Variant, WHOLE};

/// Effects of a change, beyond the fields that it sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeEffect {
    /// Reasons why it opens an epoch; empty when it opens none.
    pub epoch_reasons: Vec<Reason>,
    /// Arms whose meaning changes for their visitors, in an experiment that has started.
    pub redefines: Vec<Arm>,
    /// Fields whose code the change removes, such as `variants[1].customCSS`; `variants[1].data` when its changes
    /// carried code.
    pub removed_code: Vec<String>,
    /// Percentage of the experiment's visitors who would get another arm, or none. `None` when that depends on the
    /// visitors, as it does when targeting changes. 0 unless the experiment is live.
    pub moved_visitors: Option<f64>,
}

impl ChangeEffect {
    /// Returns the effects of `revision` on the experiment `before`.
    pub fn of(before: &Experiment, revision: &Revision) -> Self {
        let after = &revision.experiment;
        let has_started = before.milestones.first_start.is_some();
        let is_redefined = |arm: usize| after.milestones.redefined_at(arm) != before.milestones.redefined_at(arm);
        let redefined = (0..after.arms()).filter(|arm| has_started && is_redefined(*arm));
        Self {
            epoch_reasons: revision.epoch.as_ref().map_or_else(Vec::new, |epoch| epoch.reasons.clone()),
            redefines: redefined.filter_map(|arm| u32::try_from(arm).ok().map(Arm)).collect(),
            removed_code: removed_code(before, after),
            moved_visitors: moved_visitors(before, after),
        }
    }
}

/// Fields that had code before and have none after.
fn removed_code(before: &Experiment, after: &Experiment) -> Vec<String> {
    let mut removed = Vec::new();
    let mut compare = |prefix: &str, names: [&str; 2], was: &Code, is: &Code| {
        for (name, was, is) in [(names[0], &was.js, &is.js), (names[1], &was.css, &is.css)] {
            if !was.trim().is_empty() && is.trim().is_empty() {
                removed.push(format!("{prefix}{name}"));
            }
        }
    };
    compare("", ["custom_js", "custom_css"], &before.custom_code, &after.custom_code);
    compare("control.", ["customJS", "customCSS"], &before.control.code, &after.control.code);
    let none = Variant::default();
    for (at, was) in before.variants.iter().enumerate() {
        let is = after.variants.get(at).unwrap_or(&none);
        compare(&format!("variants[{at}]."), ["customJS", "customCSS"], &was.code, &is.code);
    }
    for (at, was) in before.variants.iter().enumerate() {
        let has_code = |experiment: &Experiment, variant: &Variant| {
            variant.changes.iter().any(|change| change.carries_code(&Sites::of(experiment)))
        };
        if has_code(before, was) && !after.variants.get(at).is_some_and(|is| has_code(after, is)) {
            removed.push(format!("variants[{at}].data"));
        }
    }
    removed
}

/// Percentage of a live experiment's visitors whom the change gives another arm, or none. `None` when it is unknown.
fn moved_visitors(before: &Experiment, after: &Experiment) -> Option<f64> {
    if !before.lifecycle.is_live() {
        return Some(0.0);
    }
    let mut both = before.variants.iter().zip(&after.variants);
    if before.targeting != after.targeting || both.any(|(was, is)| was.audience != is.audience) {
        return None;
    }
    let [was, is] = [before, after].map(|experiment| experiment.configuration.traffic_allocation.clamp(0, 100) as f64);
    // Less traffic keeps the visitors at the beginning of the traffic line, so they stay in.
    let staying = if was > 0.0 { was.min(is) / was } else { 1.0 };
    let same_arm = f64::from(before.allocation.in_common(&after.allocation)) / f64::from(WHOLE);
    Some((1.0 - staying * same_arm) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instant;
    use crate::experiment::{Change, Distribution, Lifecycle, Milestones, Status, TestType, Weights};
    use crate::ids::{CompanyId, ProjectId};
    use serde_json::json;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    fn experiment(status: Status) -> Experiment {
        let mut draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".into(), NOW);
        draft.variants = vec![Variant::default(), Variant::default()];
        draft.milestones = Milestones::new(2);
        let draft = Revision::first(draft, NOW).experiment;
        let started = draft.moved(status, NOW).unwrap();
        Revision::between(&draft, started, NOW).map_or(draft, |revision| revision.experiment)
    }

    fn effect(before: &Experiment, change: impl FnOnce(&mut Experiment)) -> ChangeEffect {
        let mut after = before.clone();
        change(&mut after);
        let revision = Revision::between(before, after, NOW).expect("a change");
        ChangeEffect::of(before, &revision)
    }

    fn weights(hundredths: &[u32]) -> Distribution {
        Distribution::Weights(serde_json::from_value::<Weights>(json!(hundredths)).unwrap())
    }

    #[test]
    fn what_a_live_experiment_would_lose() {
        let live = experiment(Status::Live);
        let renamed = effect(&live, |it| it.name = "Other".into());
        assert_eq!((renamed.epoch_reasons, renamed.moved_visitors), (vec![], Some(0.0)));

        let less = effect(&live, |it| it.configuration.traffic_allocation = 75);
        assert_eq!((less.epoch_reasons, less.moved_visitors), (vec![Reason::Traffic], Some(25.0)));

        let shares = effect(&live, |it| it.configuration.distribution = weights(&[5_000, 2_500, 2_500]));
        let moved = shares.moved_visitors.expect("a number");
        assert!((moved - 16.67).abs() < 0.02, "{moved}");
        assert_eq!(shares.epoch_reasons, [Reason::Distribution]);

        let narrower = effect(&live, |it| it.targeting.audience.device_rule = vec!["mobile".into()]);
        assert_eq!((narrower.epoch_reasons, narrower.moved_visitors), (vec![Reason::Targeting], None));

        let coded = effect(&live, |it| it.variants[1].code.js = "a()".into());
        assert_eq!((coded.redefines, coded.moved_visitors), (vec![Arm(2)], Some(0.0)));
        let all = effect(&live, |it| it.custom_code.css = ".a{}".into());
        assert_eq!(all.redefines, [Arm(0), Arm(1), Arm(2)]);
    }

    #[test]
    fn what_a_draft_would_lose() {
        let mut draft = experiment(Status::Draft);
        draft.custom_code.js = "a()".into();
        draft.variants[1].code.css = ".a{}".into();
        let html = json!({ "target": "#a", "innerHTML": "<b>x</b>" });
        draft.variants[1].changes = vec![Change::new(html.as_object().unwrap().clone()).unwrap()];
        let dropped = effect(&draft, |it| {
            it.variants.pop();
            it.custom_code.js = " ".into();
        });
        assert_eq!(dropped.removed_code, ["custom_js", "variants[1].customCSS", "variants[1].data"]);
        assert_eq!((dropped.redefines, dropped.moved_visitors, dropped.epoch_reasons), (vec![], Some(0.0), vec![]));
        assert!(matches!(draft.lifecycle, Lifecycle::Draft));
    }
}
