//! Check of whether the arms' changes match elements on pages. An arm that changes nothing looks like an arm without
//! effect.

use crate::check::{Grade, HealthCheck};
use crate::summary::{Applied, Summaries};
use std::collections::BTreeMap;

/// Minimum pages on which a change was due without a match before it is reported: fewer may be chance.
const MIN_PAGES: u64 = 20;
/// Maximum number of changes that the message lists; it counts the others.
const MAX_NAMED_CHANGES: usize = 5;

/// Checks whether the changes of all arms match elements.
///
/// An arm without any match is reported as a whole: it shows the original, so it has no effect, however good the idea
/// is. For other arms, each change without a match is reported by its index in `data`.
///
/// [`Grade::Unknown`] before the first report. The check warns and never fails, because the comparison remains valid.
pub(crate) fn changes(summaries: &Summaries) -> HealthCheck {
    let mut arms: BTreeMap<usize, Vec<&Applied>> = BTreeMap::new();
    for applied in &summaries.applied {
        arms.entry(applied.arm).or_default().push(applied);
    }
    if arms.is_empty() {
        return HealthCheck::new(Grade::Unknown, "No page has reported yet whether changes matched an element.");
    }
    let (mut idle, mut missing) = (Vec::new(), Vec::new());
    for (arm, all) in &arms {
        if let Some(pages) = self::idle(summaries, *arm) {
            idle.push(format!("{} changed nothing on {pages} pages", name(*arm)));
            continue;
        }
        let never = all.iter().filter(|applied| applied.pages >= MIN_PAGES && applied.matched == 0);
        missing.extend(
            never.map(|applied| format!("data[{}] of {} on {} pages", applied.change, name(*arm), applied.pages)),
        );
    }
    if idle.is_empty() && missing.is_empty() {
        return HealthCheck::new(Grade::Ok, "Changes match elements on the pages.");
    }
    let more = missing.len().saturating_sub(MAX_NAMED_CHANGES);
    missing.truncate(MAX_NAMED_CHANGES);
    if more > 0 {
        missing.push(format!("{more} more"));
    }
    let mut sentences: Vec<String> = idle.into_iter().map(|idle| format!("{idle}.")).collect();
    if !missing.is_empty() {
        sentences.push(format!("No match: {}.", missing.join(", ")));
    }
    sentences.push("Check the selectors.".to_owned());
    HealthCheck::new(Grade::Warn, sentences.join(" "))
}

/// Number of pages on which an arm changed nothing, when none of its changes ever matched and there is enough data.
pub(crate) fn idle(summaries: &Summaries, arm: usize) -> Option<u64> {
    let all = || summaries.applied.iter().filter(move |applied| applied.arm == arm);
    let pages = all().map(|applied| applied.pages).max()?;
    (pages >= MIN_PAGES && all().all(|applied| applied.matched == 0)).then_some(pages)
}

fn name(arm: usize) -> String {
    if arm == 0 { "Control".to_owned() } else { format!("Variant {arm}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(counts: &[(usize, usize, u64, u64)]) -> (Grade, String) {
        let applied = counts.iter().map(|&(arm, change, pages, matched)| Applied { arm, change, pages, matched });
        let check = changes(&Summaries { applied: applied.collect(), ..Summaries::default() });
        (check.grade, check.message)
    }

    #[test]
    fn what_found_nothing_is_named() {
        for (counts, grade, message) in [
            (&[] as &[_], Grade::Unknown, "No page has reported yet whether changes matched an element."),
            (&[(1, 0, 500, 480), (2, 0, 19, 0)], Grade::Ok, "Changes match elements on the pages."),
            (
                &[(1, 0, 500, 0), (1, 3, 20, 0), (2, 0, 510, 510)],
                Grade::Warn,
                "Variant 1 changed nothing on 500 pages. Check the selectors.",
            ),
            (
                &[(1, 0, 500, 0), (2, 0, 510, 510), (2, 1, 510, 0), (2, 2, 9, 0)],
                Grade::Warn,
                "Variant 1 changed nothing on 500 pages. No match: data[1] of Variant 2 on 510 pages. Check the selectors.",
            ),
        ] {
            assert_eq!(check(counts), (grade, message.to_owned()));
        }
        let many: Vec<_> = (0..8).map(|change| (1, change, 50, u64::from(change == 7))).collect();
        let (_, message) = check(&many);
        assert!(message.contains("data[4] of Variant 1 on 50 pages, 2 more."), "{message}");
    }
}
