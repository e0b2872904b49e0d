//! What an experiment's owner should look at: nothing that forbids it.

use crate::script::first_error;
use muriel_domain::experiment::Experiment;

/// Most bytes of code, of all arms together, that are read while a request waits.
const READ_MAX: usize = 256 << 10;
/// Most warnings about code: a mistake is often made in every arm.
const ABOUT_CODE_MAX: usize = 10;

/// Sentences about an experiment, each naming its field; none when all is well.
pub(crate) fn warnings(experiment: &Experiment) -> Vec<String> {
    let mut warnings = experiment.warnings();
    let mut left = READ_MAX;
    let read = code(experiment).take_while(|(_, code)| {
        let fits = code.len() <= left;
        left = left.saturating_sub(code.len());
        fits
    });
    let about_code = read.filter_map(|(field, code)| {
        let lines = first_error(code)?;
        let place = if lines.start() == lines.end() {
            format!("line {}", lines.start())
        } else {
            format!("lines {} to {}", lines.start(), lines.end())
        };
        Some(format!("{field}: this is no JavaScript, so browsers will not run it; the first mistake is in {place}"))
    });
    warnings.extend(about_code.take(ABOUT_CODE_MAX));
    warnings
}

/// Every piece of JavaScript with the field that holds it.
fn code(experiment: &Experiment) -> impl Iterator<Item = (String, &str)> {
    let variants = experiment.variants.iter().enumerate();
    [("custom_js", &experiment.custom_code), ("control.customJS", &experiment.control.code)]
        .into_iter()
        .map(|(field, code)| (field.to_owned(), &*code.js))
        .chain(variants.map(|(at, variant)| (format!("variants[{at}].customJS"), &*variant.code.js)))
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

    #[test]
    fn code_that_is_none_is_told_with_its_field_and_line() {
        let told = |field: &str, place: &str| {
            format!("{field}: this is no JavaScript, so browsers will not run it; the first mistake is in {place}")
        };
        assert_eq!(warnings(&experiment(&["", "a()"])), [""; 0]);
        let mut wrong = experiment(&["a()\n\nb((", "a()", "a(function () {\n  b()"]);
        wrong.custom_code.js = "a(;".into();
        wrong.control.code.js = "\nb }".into();
        let expect = [
            told("custom_js", "line 1"),
            told("control.customJS", "line 2"),
            told("variants[0].customJS", "line 3"),
            told("variants[2].customJS", "lines 1 to 2"),
        ];
        assert_eq!(warnings(&wrong), expect);
        assert_eq!(warnings(&experiment(&["a(("; 50])).len(), ABOUT_CODE_MAX);
    }

    #[test]
    fn more_code_than_a_request_may_wait_for_is_not_read() {
        let long = "/**/".repeat(READ_MAX / 4);
        assert_eq!(warnings(&experiment(&["a((", &long, "b(("])).len(), 1);
    }
}
