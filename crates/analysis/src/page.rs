//! Page health: whether the pages of an arm have errors, show it late, or are slower than those of the control.
//!
//! Each arm is compared with the control by five metrics. Two are shares: visitors with an error, and visitors for whom
//! the arm came too late. Three are means of one page per visitor: largest contentful paint, layout shift, and response
//! to interactions. All comparisons together are one family: a level of 5 % is split evenly among them (Bonferroni).
//! Without any difference, at most one experiment in twenty is therefore ever called different, however often it is
//! checked. The tests are the always-valid ones of [`report`](crate::report()), tuned to be narrowest early, because
//! harm should be found soon.
//!
//! A metric that is known to have got worse is [`PageStatus::Worse`]. A metric that is known to be worse by more than a
//! margin that visitors notice is [`PageStatus::Harmed`]. The number of comparisons does not depend on the data.

mod words;

use crate::arms::{self, strata};
use crate::check::{Grade, HealthCheck};
use crate::design::{AllocationPolicy, Design, MIN_VISITORS};
use crate::summary::{Cell, Measure, Metric, MetricRole, PageCell, Summaries, Summary};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::strata::mantel_haenszel;
use muriel_stats::{Effect, Interval, Moments, Result};

/// Probability of any false alarm about the pages of an experiment, over all checks.
pub(crate) const PAGE_ALPHA: f64 = 0.05;
/// Visitors of both arms together at which the comparisons are narrowest.
///
/// A constant, unlike the tuning of results, which follows the planned visitors.
const TUNED_UNITS: f64 = 2_000.0;
/// Minimum visitors of an arm who reported how it was shown. From then on, missing error reports mean that there were
/// no errors.
const MIN_HEARD: u64 = 10;
/// Minimum visitors with an error, or with a late arm, of both arms together for a comparison of shares.
///
/// With fewer, the status is `Ok` when the shares of both arms are within the margin and both arms reported how they
/// were shown, and `Unknown` otherwise.
const MIN_EVENTS: u64 = 10;

/// Metric that is compared between the pages of arms. Less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageMetric {
    /// Share of visitors with an error in the arm's code.
    Errors,
    /// Share of visitors for whom the arm came too late on a page.
    Late,
    /// Largest contentful paint, in milliseconds.
    Lcp,
    /// Cumulative layout shift.
    LayoutShift,
    /// Interaction to next paint, in milliseconds.
    Inp,
}

impl PageMetric {
    /// All metrics, in the order of answers.
    pub const ALL: [PageMetric; 5] =
        [PageMetric::Errors, PageMetric::Late, PageMetric::Lcp, PageMetric::LayoutShift, PageMetric::Inp];

    /// Name in answers: `errors`, `late`, `lcp_ms`, `layout_shift`, `inp_ms`.
    pub fn word(self) -> &'static str {
        match self {
            PageMetric::Errors => "errors",
            PageMetric::Late => "late",
            PageMetric::Lcp => "lcp_ms",
            PageMetric::LayoutShift => "layout_shift",
            PageMetric::Inp => "inp_ms",
        }
    }

    /// Difference above which a metric is harmed: 0.5 % of visitors with errors, 5 % of visitors with a late arm, and
    /// for the others the difference that a visitor begins to notice.
    ///
    /// The margins are not settings, because those would be set after the data was seen. See
    /// `docs/decisions/0016-page-health.md`.
    fn margin(self) -> f64 {
        match self {
            PageMetric::Errors => 0.005,
            PageMetric::Late => 0.05,
            PageMetric::Lcp => 50.0,
            PageMetric::LayoutShift => 0.02,
            PageMetric::Inp => 20.0,
        }
    }

    /// Returns whether harm by this metric is a reason to stop. A late arm is not shown, which harms the test but not
    /// the visitors.
    fn stops(self) -> bool {
        self != PageMetric::Late
    }

    fn is_share(self) -> bool {
        matches!(self, PageMetric::Errors | PageMetric::Late)
    }
}

/// Status of a metric compared with the control's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageStatus {
    /// Too little data to compare.
    Unknown,
    /// Not known to be worse.
    Ok,
    /// Known to be better.
    Better,
    /// Known to be worse.
    Worse,
    /// Known to be worse by more than the margin.
    Harmed,
}

impl PageStatus {
    /// Name in answers: `unknown`, `ok`, `better`, `worse` or `harmed`.
    pub fn word(self) -> &'static str {
        match self {
            PageStatus::Unknown => "unknown",
            PageStatus::Ok => "ok",
            PageStatus::Better => "better",
            PageStatus::Worse => "worse",
            PageStatus::Harmed => "harmed",
        }
    }
}

/// A metric of an arm's pages, compared with the control's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageMeasurement {
    /// The metric.
    pub metric: PageMetric,
    /// Visitors with data. For a share, these are all who entered; for a mean, those with a measured page.
    pub visitors: u64,
    /// For a share, the number of these visitors who count. `None` for a mean.
    pub number: Option<u64>,
    /// The share as a fraction, or the mean. `None` without visitors.
    pub value: Option<f64>,
    /// Difference from the control, among visitors who entered under the same weights. `None` for the control, and when
    /// it cannot be compared.
    pub difference: Option<f64>,
    /// Always-valid confidence interval of the difference. The level is 5 % divided by the number of all comparisons.
    /// `None` for the control, and without enough visitors, events or variance.
    pub interval: Option<Interval>,
    /// Interpretation of the difference. `Unknown` for the control.
    pub status: PageStatus,
}

/// Page health of an arm.
#[derive(Debug, Clone, PartialEq)]
pub struct PageArm {
    /// Number of the arm, 0 for the control.
    pub arm: usize,
    /// Visitors who entered.
    pub visitors: u64,
    /// Visitors with a page that reported how long elements were hidden.
    pub hidden_visitors: u64,
    /// Mean time for which elements were hidden, in milliseconds. `None` when no page reported it.
    pub hidden_ms: Option<f64>,
    /// One measurement for each of [`PageMetric::ALL`], in their order.
    pub measurements: [PageMeasurement; PageMetric::ALL.len()],
    /// Findings, in sentences; empty without findings.
    pub message: String,
}

impl PageArm {
    /// Returns the measurement of a metric.
    pub fn measurement(&self, metric: PageMetric) -> &PageMeasurement {
        &self.measurements[metric as usize]
    }
}

/// Page health of all arms.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHealth {
    /// All arms, the control first.
    pub arms: Vec<PageArm>,
    /// Summary for the health checks.
    pub check: HealthCheck,
}

impl PageHealth {
    /// Returns the arms whose pages are known to be so much worse than the control's that the experiment should be
    /// stopped.
    ///
    /// An arm that is shown late is not among them: that harms the test, but not the visitors.
    pub fn harm<'h>(&'h self, design: &'h Design) -> impl Iterator<Item = PageHarm<'h>> {
        let is_harm = |it: &&PageMeasurement| it.status == PageStatus::Harmed && it.metric.stops();
        self.arms.iter().filter_map(move |arm| {
            let by: Vec<&PageMeasurement> = arm.measurements.iter().filter(is_harm).collect();
            let message = words::of_harm(design, arm, &by);
            (!by.is_empty()).then_some(PageHarm { arm, by, message })
        })
    }
}

/// Harm of an arm's pages, a reason to stop the experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHarm<'h> {
    /// The arm.
    pub arm: &'h PageArm,
    /// The metrics that are harmed, at least one.
    pub by: Vec<&'h PageMeasurement>,
    /// The findings, in sentences.
    pub message: String,
}

/// Computes the page health of an experiment with this design.
///
/// Each arm is measured by itself, whatever the policy. The arms of personalizations and holdouts are not compared with
/// a control, and neither is a single arm. The check is [`Grade::Unknown`] then.
pub fn page_health(design: &Design, summaries: &Summaries) -> PageHealth {
    let cells = cells(design, summaries);
    let is_compared = not_compared(design).is_none();
    let mut arms: Vec<PageArm> = (0..design.arms)
        .map(|arm| {
            let of_arm = || cells.iter().filter(|cell| cell.arm == arm);
            let hidden = of_arm().fold(Moments::default(), |sum, cell| sum.merge(&cell.hidden));
            let measure = |metric: PageMetric| {
                let measured = measured(metric, of_arm());
                match is_compared && arm > 0 {
                    true => compared(design, metric, &cells, arm, measured),
                    false => measured,
                }
            };
            PageArm {
                arm,
                visitors: of_arm().map(|cell| cell.visitors).sum(),
                hidden_visitors: hidden.n,
                hidden_ms: (hidden.n > 0).then_some(hidden.mean),
                measurements: PageMetric::ALL.map(measure),
                message: String::new(),
            }
        })
        .collect();
    for arm in &mut arms {
        arm.message = words::of_arm(design, summaries, arm);
    }
    let check = check(design, &arms);
    PageHealth { arms, check }
}

/// Reason why the pages of the arms are not compared, whatever the data. `None` when they are.
fn not_compared(design: &Design) -> Option<&'static str> {
    match design.policy {
        AllocationPolicy::Personalization => {
            Some("Variants have audiences of their own, so their pages are not compared.")
        }
        AllocationPolicy::Holdout => Some("A holdout changes no page."),
        AllocationPolicy::Fixed | AllocationPolicy::Bandit if design.arms < 2 => Some("There is only one variant."),
        AllocationPolicy::Fixed | AllocationPolicy::Bandit => None,
    }
}

/// Page data of each epoch and arm, with all visitors who entered.
fn cells(design: &Design, summaries: &Summaries) -> Vec<PageCell> {
    let arrivals = summaries.arrivals.iter().filter(|arrivals| arrivals.arm < design.arms);
    let cells = arrivals.map(|arrivals| {
        let reported = summaries.pages.iter().find(|cell| (cell.epoch, cell.arm) == (arrivals.epoch, arrivals.arm));
        PageCell {
            epoch: arrivals.epoch,
            arm: arrivals.arm,
            visitors: arrivals.visitors,
            ..reported.copied().unwrap_or_default()
        }
    });
    cells.collect()
}

/// Summary of a cell for one metric.
fn summary(metric: PageMetric, cell: &PageCell) -> Summary {
    let share = |converted| Summary { visitors: cell.visitors, converted, ..Summary::default() };
    let mean = |value: Moments| Summary { visitors: value.n, value, ..Summary::default() };
    match metric {
        PageMetric::Errors => share(cell.failed),
        PageMetric::Late => share(cell.late),
        PageMetric::Lcp => mean(cell.lcp),
        PageMetric::LayoutShift => mean(cell.cls),
        PageMetric::Inp => mean(cell.inp),
    }
}

/// Measurement of an arm by itself.
fn measured<'c>(metric: PageMetric, cells: impl Iterator<Item = &'c PageCell>) -> PageMeasurement {
    let all = cells.fold(Summary::default(), |sum, cell| sum.merge(&summary(metric, cell)));
    let value = match metric.is_share() {
        true => all.converted as f64 / all.visitors as f64,
        false => all.value.mean,
    };
    PageMeasurement {
        metric,
        visitors: all.visitors,
        number: metric.is_share().then_some(all.converted),
        value: (all.visitors > 0).then_some(value),
        difference: None,
        interval: None,
        status: PageStatus::Unknown,
    }
}

/// Measurement of `arm` compared with the control.
///
/// An arm is not compared while it or the control has fewer than 100 visitors with data.
fn compared(
    design: &Design,
    metric: PageMetric,
    cells: &[PageCell],
    arm: usize,
    measured: PageMeasurement,
) -> PageMeasurement {
    let family = (PageMetric::ALL.len() * (design.arms - 1)) as f64;
    let level = PAGE_ALPHA / family;
    let heard =
        |side: usize| cells.iter().filter(|cell| cell.arm == side).map(|cell| cell.hidden.n).sum::<u64>() >= MIN_HEARD;
    let of_both = cells.iter().filter(|cell| cell.arm == 0 || cell.arm == arm);
    let of_both =
        of_both.map(|cell| Cell { epoch: cell.epoch, arm: cell.arm, open: false, summary: summary(metric, cell) });
    let metric_cells = Metric {
        role: MetricRole::Guardrail,
        measure: if metric.is_share() { Measure::Conversion } else { Measure::Value },
        lower_is_better: true,
        cells: of_both.collect(),
    };
    let Ok(Compared { effect, control, treatment }) = compare(design, &metric_cells, arm, level) else {
        return measured;
    };
    if control.visitors.min(treatment.visitors) < MIN_VISITORS {
        return measured;
    }
    let difference = Some(effect.num);
    let events = control.converted + treatment.converted;
    if metric.is_share() && events < MIN_EVENTS {
        // A handful among thousands does not matter; among a hundred it may. When the pages of both arms report
        // nothing, for example because a server decides, the absence of errors is not known.
        let is_rare = |side: &Summary| side.converted as f64 / side.visitors as f64 <= metric.margin();
        let is_known = is_rare(&control) && is_rare(&treatment) && heard(0) && heard(arm);
        let status = if is_known { PageStatus::Ok } else { PageStatus::Unknown };
        return PageMeasurement { difference, status, ..measured };
    }
    match interval(&effect, level) {
        Some(interval) => {
            let status = match interval {
                Interval { lower, .. } if lower > metric.margin() => PageStatus::Harmed,
                Interval { lower, .. } if lower > 0.0 => PageStatus::Worse,
                Interval { upper, .. } if upper < 0.0 => PageStatus::Better,
                _ => PageStatus::Ok,
            };
            PageMeasurement { difference, interval: Some(interval), status, ..measured }
        }
        // No variance in either arm: they are equal, or there is nothing to compare with.
        None if effect.num == 0.0 => PageMeasurement { difference, status: PageStatus::Ok, ..measured },
        None => PageMeasurement { difference, ..measured },
    }
}

/// Comparison of an arm with the control for one metric.
struct Compared {
    effect: Effect,
    /// Compared visitors, without those in strata in which one of the arms had too few.
    control: Summary,
    treatment: Summary,
}

/// Compares by a metric, within strata. The strata of a bandit are its epochs. Many epochs are short, and in most of
/// them no page of a rarely shown arm fails. The weight of an epoch must therefore not depend on its outcomes.
fn compare(design: &Design, metric: &Metric, arm: usize, level: f64) -> Result<Compared> {
    if design.policy != AllocationPolicy::Bandit {
        let arms::Compared { effect, control, treatment, .. } = arms::compare(design, metric, arm, level)?;
        return Ok(Compared { effect, control, treatment });
    }
    let values = |summary: &Summary| match metric.measure {
        Measure::Value => summary.value,
        Measure::Conversion => {
            let (n, number) = (summary.visitors as f64, summary.converted as f64);
            let mean = if summary.visitors > 0 { number / n } else { 0.0 };
            Moments { n: summary.visitors, mean, m2: number * (1.0 - mean) }
        }
    };
    let mut strata = strata(design, metric, arm);
    strata.retain(|stratum| stratum.control.visitors > 0 && stratum.treatment.visitors > 0);
    let moments: Vec<_> = strata.iter().map(|stratum| (values(&stratum.control), values(&stratum.treatment))).collect();
    let sum = |side: fn(&arms::Stratum) -> &Summary| {
        strata.iter().fold(Summary::default(), |sum, stratum| sum.merge(side(stratum)))
    };
    let (control, treatment) = (sum(|stratum| &stratum.control), sum(|stratum| &stratum.treatment));
    Ok(Compared { effect: mantel_haenszel(&moments)?, control, treatment })
}

/// Always-valid interval of the difference at this level.
fn interval(effect: &Effect, level: f64) -> Option<Interval> {
    let boundary = Mixture::tuned(TUNED_UNITS, level).ok()?;
    Some(sequential(effect, &boundary).ok()?.interval)
}

/// Combines the measurements of all arms to one check.
///
/// [`Grade::Fail`] needs harm that is a reason to stop. [`Grade::Unknown`] means that no metric of any arm could be
/// compared.
fn check(design: &Design, arms: &[PageArm]) -> HealthCheck {
    if let Some(why) = not_compared(design) {
        return HealthCheck::new(Grade::Unknown, why);
    }
    let grade = |it: &PageMeasurement| match it.status {
        PageStatus::Harmed if it.metric.stops() => Grade::Fail,
        PageStatus::Harmed | PageStatus::Worse => Grade::Warn,
        PageStatus::Ok | PageStatus::Better => Grade::Ok,
        PageStatus::Unknown => Grade::Unknown,
    };
    let all = || arms.iter().skip(1).flat_map(|arm| &arm.measurements);
    let grade = all().map(grade).fold(Grade::Unknown, |worst, next| match worst {
        Grade::Unknown => next,
        worst => worst.with(next),
    });
    HealthCheck::new(grade, words::of_all(design, arms, grade))
}

#[cfg(test)]
mod tests;
