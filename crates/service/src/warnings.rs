//! Warnings about an experiment for its owner. They do not prevent anything.

use muriel_delivery::script::LoopGuards;
use muriel_domain::experiment::{Experiment, ExperimentPatch};
use std::sync::Arc;

/// Most warnings about code: a mistake is often made in every arm.
const ABOUT_CODE_MAX: usize = 10;
/// Steps per KiB above which code is reported. Ordinary code takes up to twenty.
const EXPENSIVE_STEPS: usize = 200;

/// Returns sentences about an experiment, each with its field. Those about code come from its
/// analysis.
pub(crate) fn warnings(experiment: &Experiment, guards: &LoopGuards) -> Vec<String> {
    let mut warnings = experiment.warnings();
    warnings.extend(about_code(code(experiment), guards));
    warnings
}

/// Returns a sentence about the first piece of JavaScript that browsers cannot run, with its field.
pub(crate) fn invalid_code(experiment: &Experiment, guards: &LoopGuards) -> Option<String> {
    let is_invalid = |code: &str| guards.cached(code).is_some_and(|analysis| analysis.syntax_error.is_some());
    let (field, code) = code(experiment).find(|(_, code)| is_invalid(code))?;
    about(code, guards).map(|says| format!("{field}: {says}"))
}

/// Returns the warnings about the code of an experiment that is to be created from this patch.
pub(crate) fn about_patch_code(patch: &ExperimentPatch, guards: &LoopGuards) -> Vec<String> {
    about_code(patch_code(patch), guards)
}

fn about_code<'a>(code: impl Iterator<Item = (String, &'a Arc<str>)>, guards: &LoopGuards) -> Vec<String> {
    code.filter_map(|(field, code)| about(code, guards).map(|says| format!("{field}: {says}")))
        .take(ABOUT_CODE_MAX)
        .collect()
}

fn about(code: &str, guards: &LoopGuards) -> Option<String> {
    if code.trim().is_empty() {
        return None;
    }
    let Some(analysis) = guards.cached(code) else {
        return Some("this code is still being analysed; visitors get it as soon as that is done".to_owned());
    };
    if let Some(lines) = &analysis.syntax_error {
        let place = if lines.start() == lines.end() {
            format!("line {}", lines.start())
        } else {
            format!("lines {} to {}", lines.start(), lines.end())
        };
        return Some(format!(
            "this is not valid JavaScript, so browsers will not run it; the first error is in {place}"
        ));
    }
    let steps = analysis.steps;
    if analysis.is_too_complex {
        return Some(format!(
            "the analysis of this code was given up after {steps} steps, so an endless loop in it cannot be stopped; make it simpler"
        ));
    }
    let kibibytes = code.len().div_ceil(1 << 10);
    (steps > EXPENSIVE_STEPS * kibibytes).then(|| {
        format!("analysing this code takes {steps} steps, {} for each KiB; make it simpler", steps / kibibytes)
    })
}

/// Returns every piece of JavaScript of an experiment.
pub(crate) fn codes(experiment: &Experiment) -> Vec<Arc<str>> {
    code(experiment).map(|(_, code)| code.clone()).collect()
}

/// Returns every piece of JavaScript in a patch.
pub(crate) fn patch_codes(patch: &ExperimentPatch) -> Vec<Arc<str>> {
    patch_code(patch).map(|(_, code)| code.clone()).filter(|code| !code.is_empty()).collect()
}

/// Returns warnings about arms that were removed from a started experiment. `winners` are the arms that its report
/// judges better than the control, if the report is known.
pub(crate) fn about_dropped(arms: std::ops::Range<usize>, winners: Option<&[usize]>) -> Vec<String> {
    let about = |arm: usize| {
        let result = match winners {
            Some(winners) if winners.contains(&arm) => "; the result called it better than the control",
            Some(_) => "",
            None => "; it is not known whether it was better, because the result could not be computed in time",
        };
        format!("variants: Variant {arm} is deleted with its code, and its visitors get other variants{result}")
    };
    arms.map(about).collect()
}

/// Every piece of JavaScript with the field that holds it.
fn code(experiment: &Experiment) -> impl Iterator<Item = (String, &Arc<str>)> {
    let variants = experiment.variants.iter().enumerate();
    [("custom_js", &experiment.custom_code), ("control.customJS", &experiment.control.code)]
        .into_iter()
        .map(|(field, code)| (field.to_owned(), &code.js))
        .chain(variants.map(|(at, variant)| (format!("variants[{at}].customJS"), &variant.code.js)))
}

/// Like [`code`], for a patch.
fn patch_code(patch: &ExperimentPatch) -> impl Iterator<Item = (String, &Arc<str>)> {
    let variants = patch.variants.iter().flatten().enumerate();
    [("custom_js", patch.custom_js.as_ref()), ("control.customJS", patch.control.as_ref().and_then(|c| c.js.as_ref()))]
        .into_iter()
        .filter_map(|(field, js)| Some((field.to_owned(), js?)))
        .chain(variants.map(|(at, variant)| (format!("variants[{at}].customJS"), &variant.code.js)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_domain::experiment::{Code, TestType, Variant};
    use muriel_domain::ids::{CompanyId, ProjectId};

    fn experiment(arms: &[&str]) -> Experiment {
        let now = Instant::from_us(0);
        let mut experiment = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".into(), now);
        let code = |js: &&str| Code { js: (*js).into(), ..Code::default() };
        experiment.variants =
            arms.iter().map(|js| Variant { code: code(js), ..Variant::default() }).collect::<Vec<_>>();
        experiment
    }

    async fn warned(experiment: &Experiment) -> Vec<String> {
        let guards = LoopGuards::default();
        guards.prepare(codes(experiment)).await;
        warnings(experiment, &guards)
    }

    #[tokio::test]
    async fn code_that_is_none_is_told_with_its_field_and_line() {
        let warning = |field: &str, place: &str| {
            format!("{field}: this is not valid JavaScript, so browsers will not run it; the first error is in {place}")
        };
        assert_eq!(warned(&experiment(&["", "a()"])).await, [""; 0]);
        let mut wrong = experiment(&["a()\n\nb((", "a()", "a(function () {\n  b()"]);
        wrong.custom_code.js = "a(;".into();
        wrong.control.code.js = "\nb }".into();
        let expect = [
            warning("custom_js", "line 1"),
            warning("control.customJS", "line 2"),
            warning("variants[0].customJS", "line 3"),
            warning("variants[2].customJS", "lines 1 to 2"),
        ];
        assert_eq!(warned(&wrong).await, expect);
        assert_eq!(warned(&experiment(&["a(("; 50])).await.len(), ABOUT_CODE_MAX);
    }

    #[test]
    fn dropped_arms_are_told_with_what_is_known_of_them() {
        assert!(about_dropped(1..2, Some(&[1]))[0].ends_with("called it better than the control"));
        assert!(about_dropped(1..2, Some(&[2]))[0].ends_with("get other variants"));
        assert!(about_dropped(1..2, None)[0].contains("not known"));
        assert_eq!(about_dropped(1..3, None).len(), 2);
        assert_eq!(about_dropped(3..3, None), [""; 0]);
    }

    #[test]
    fn code_that_is_not_read_yet_is_told() {
        let expect = "variants[0].customJS: this code is still being analysed; visitors get it as soon as that is done";
        assert_eq!(warnings(&experiment(&["a()"]), &LoopGuards::default()), [expect]);
    }
}
