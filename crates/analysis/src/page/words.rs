//! Sentences about page health, for people.

use super::{PageArm, PageMeasurement, PageMetric, PageStatus};
use crate::check::Grade;
use crate::design::{Design, MIN_VISITORS};
use crate::summary::Summaries;
use muriel_stats::Interval;

/// Maximum number of sentences about arms in a check's message.
const SENTENCES_MAX: usize = 6;

/// Findings about an arm's pages: changes that never matched, and metrics that got worse.
pub(super) fn of_arm(design: &Design, summaries: &Summaries, arm: &PageArm) -> String {
    let mut sentences = Vec::new();
    sentences.extend(crate::applied::idle(summaries, arm.arm).map(|pages| {
        format!("{} changed nothing on {pages} pages: its selectors match nothing there.", design.arm_name(arm.arm))
    }));
    sentences.extend(arm.measurements.iter().filter_map(|it| worse(design, arm, it)));
    sentences.join(" ")
}

/// Findings of harm, one sentence for each metric.
pub(super) fn of_harm(design: &Design, arm: &PageArm, by: &[&PageMeasurement]) -> String {
    let sentences: Vec<String> = by.iter().filter_map(|it| worse(design, arm, it)).collect();
    sentences.join(" ")
}

/// Sentence about a metric. `None` unless it got worse.
fn worse(design: &Design, arm: &PageArm, it: &PageMeasurement) -> Option<String> {
    if it.status < PageStatus::Worse {
        return None;
    }
    let (name, interval, difference) = (design.arm_name(arm.arm), it.interval?, it.difference?);
    let ms = |between: Interval| format!("{:.0} to {:.0} ms", between.lower, between.upper);
    let points = |between: Interval| format!("{:.2} to {:.2}", 100.0 * between.lower, 100.0 * between.upper);
    let share = || 100.0 * it.value.unwrap_or(0.0);
    Some(match it.metric {
        PageMetric::Errors => format!(
            "{name} fails for {:.2} % of its visitors, {:.2} points more than the control ({}). The error messages \
             are listed with the pages of the variants: check the code and the selectors that they name.",
            share(),
            100.0 * difference,
            points(interval)
        ),
        PageMetric::Late => format!(
            "{name} comes too late for {:.2} % of its visitors, {:.2} points more than the control ({}). They saw the original. \
             Put the script first in the head, and avoid anything that delays it.",
            share(),
            100.0 * difference,
            points(interval)
        ),
        PageMetric::Lcp => format!(
            "Pages of {name} show their largest content {difference:.0} ms later than those of the control ({}). Look at what its \
             changes load, hide or move: images, fonts, code that waits.",
            ms(interval)
        ),
        PageMetric::LayoutShift => format!(
            "The layout of pages of {name} shifts by {difference:.3} more than that of the control ({:.3} to {:.3}). \
             Reserve space for the elements that its changes insert.",
            interval.lower, interval.upper
        ),
        PageMetric::Inp => format!(
            "Pages of {name} take {difference:.0} ms longer to respond than those of the control ({}). Check what its \
             code does on clicks and key presses.",
            ms(interval)
        ),
    })
}

/// Message of the check over all arms.
pub(super) fn of_all(design: &Design, arms: &[PageArm], grade: Grade) -> String {
    let unknown: Vec<&str> = PageMetric::ALL
        .into_iter()
        .filter(|metric| arms.iter().skip(1).all(|arm| arm.measurement(*metric).status == PageStatus::Unknown))
        .map(of_metric)
        .collect();
    match grade {
        Grade::Unknown => format!(
            "There is too little data to compare the pages of the variants: each variant needs at least \
             {MIN_VISITORS} visitors with a measured page."
        ),
        Grade::Ok if unknown.is_empty() => {
            "No variant is known to fail more often than the control, or to make pages slower.".to_owned()
        }
        Grade::Ok => {
            format!("No measure is known to be worse than in the control. Not compared yet: {}.", unknown.join(", "))
        }
        Grade::Warn | Grade::Fail => {
            // The worst findings first.
            let mut found: Vec<(PageStatus, String)> = arms
                .iter()
                .flat_map(|arm| arm.measurements.iter().map(move |it| (arm, it)))
                .filter_map(|(arm, it)| Some((it.status, worse(design, arm, it)?)))
                .collect();
            found.sort_by_key(|(status, _)| std::cmp::Reverse(*status));
            let more = found.len().saturating_sub(SENTENCES_MAX);
            found.truncate(SENTENCES_MAX);
            let mut sentences: Vec<String> = found.into_iter().map(|(_, sentence)| sentence).collect();
            if more > 0 {
                sentences.push(format!("{more} more measures got worse."));
            }
            sentences.join(" ")
        }
    }
}

fn of_metric(metric: PageMetric) -> &'static str {
    match metric {
        PageMetric::Errors => "errors",
        PageMetric::Late => "late variants",
        PageMetric::Lcp => "when the largest content is shown",
        PageMetric::LayoutShift => "layout shifts",
        PageMetric::Inp => "how fast pages respond",
    }
}
