//! Page health: whether the pages of an arm fail, come late, or are slower than those of the control.
//!
//! Each arm is compared with the control by five measures: visitors with an error and visitors for whom the arm came too late,
//! as shares, and the largest contentful paint, the layout shift and the response to interactions, as means of one page per
//! visitor. All comparisons together are one family: a level of 5 % is split evenly among them (Bonferroni), so that at most
//! one experiment in twenty without any difference is ever called different, however often it is looked at. The tests are the
//! always-valid ones of [`report`](crate::report()), narrowest early: harm is worth finding soon.
//!
//! A measure that is known to have got worse is [`PageStatus::Worse`]; one that is known to be worse by more than a margin that
//! visitors notice is [`PageStatus::Harmed`]. The number of comparisons does not depend on the data.

mod words;

use crate::arms::{self, strata};
use crate::design::{AllocationPolicy, Design};
use crate::health::{Grade, HealthCheck, MIN_VISITORS};
use crate::summary::{Cell, Measure, Metric, MetricRole, PageCell, Summaries, Summary};
use muriel_stats::boundary::{Mixture, sequential};
use muriel_stats::strata::mantel_haenszel;
use muriel_stats::{Effect, Interval, Moments, Result};

/// Probability of any false alarm about the pages of an experiment, over all looks.
pub(crate) const PAGE_ALPHA: f64 = 0.05;
/// Visitors of both arms at which the comparisons are narrowest.
const TUNED_UNITS: f64 = 2_000.0;
/// Visitors of an arm whose pages told how it was shown, from which on silence means that nothing failed.
const MIN_HEARD: u64 = 10;
/// Visitors with an error, or with a late arm, of both arms together from which their shares are compared.
const MIN_EVENTS: u64 = 10;

/// What is compared between the pages of arms. Less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageMetric {
    /// Share of visitors for whom the arm's code failed.
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
    /// Every metric, in the order of answers.
    pub const ALL: [PageMetric; 5] =
        [PageMetric::Errors, PageMetric::Late, PageMetric::Lcp, PageMetric::LayoutShift, PageMetric::Inp];

    /// The name in answers: `errors`, `late`, `lcp_ms`, `layout_shift`, `inp_ms`.
    pub fn word(self) -> &'static str {
        match self {
            PageMetric::Errors => "errors",
            PageMetric::Late => "late",
            PageMetric::Lcp => "lcp_ms",
            PageMetric::LayoutShift => "layout_shift",
            PageMetric::Inp => "inp_ms",
        }
    }

    /// The difference beyond which it is harm: half a visitor in a hundred with errors, one in twenty for whom the arm is late,
    /// and of the others what a visitor begins to notice.
    fn margin(self) -> f64 {
        match self {
            PageMetric::Errors => 0.005,
            PageMetric::Late => 0.05,
            PageMetric::Lcp => 50.0,
            PageMetric::LayoutShift => 0.02,
            PageMetric::Inp => 20.0,
        }
    }

    /// Whether harm by it is a reason to stop. An arm that is late is not shown, which harms the test and no visitor.
    fn stops(self) -> bool {
        self != PageMetric::Late
    }

    fn is_share(self) -> bool {
        matches!(self, PageMetric::Errors | PageMetric::Late)
    }
}

/// What is known of a measure beside the control's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageStatus {
    /// There is too little to compare.
    Unknown,
    /// It is not known to be worse.
    Ok,
    /// It is known to be better.
    Better,
    /// It is known to be worse.
    Worse,
    /// It is known to be worse by more than the margin.
    Harmed,
}

impl PageStatus {
    /// `unknown`, `ok`, `better`, `worse` or `harmed`.
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

/// A measure of an arm's pages, and how it compares with the control's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageMeasurement {
    /// Which.
    pub metric: PageMetric,
    /// Visitors of whom it is known.
    pub visitors: u64,
    /// Of a share, how many of them.
    pub number: Option<u64>,
    /// The share, a fraction, or the mean; `None` without visitors.
    pub value: Option<f64>,
    /// How much more it is than the control's, taken among visitors who came under the same weights. `None` of the control and
    /// where it cannot be compared.
    pub difference: Option<f64>,
    /// Where the true difference is, whenever it is read.
    pub interval: Option<Interval>,
    /// What that means. `Unknown` of the control.
    pub status: PageStatus,
}

/// How the pages of an arm fared.
#[derive(Debug, Clone, PartialEq)]
pub struct PageArm {
    /// The arm, 0 for the control.
    pub arm: usize,
    /// Visitors who entered.
    pub visitors: u64,
    /// Visitors with a page that told for how long elements were hidden.
    pub hidden_visitors: u64,
    /// For how many milliseconds they were, on average.
    pub hidden_ms: Option<f64>,
    /// One for each of [`PageMetric::ALL`], in their order.
    pub measurements: [PageMeasurement; PageMetric::ALL.len()],
    /// What is found, in sentences; empty where nothing is.
    pub message: String,
}

impl PageArm {
    /// What is known by a metric.
    pub fn measurement(&self, metric: PageMetric) -> &PageMeasurement {
        &self.measurements[metric as usize]
    }
}

/// How the pages of all arms fared.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHealth {
    /// All of them, the control first.
    pub arms: Vec<PageArm>,
    /// What it means.
    pub check: HealthCheck,
}

impl PageHealth {
    /// The arms whose pages are known to be worse than the control's by so much that the experiment should be stopped.
    pub fn harm<'h>(&'h self, design: &'h Design) -> impl Iterator<Item = PageHarm<'h>> {
        let is_harm = |it: &&PageMeasurement| it.status == PageStatus::Harmed && it.metric.stops();
        self.arms.iter().filter_map(move |arm| {
            let by: Vec<&PageMeasurement> = arm.measurements.iter().filter(is_harm).collect();
            let message = words::of_harm(design, arm, &by);
            (!by.is_empty()).then_some(PageHarm { arm, by, message })
        })
    }
}

/// An arm whose pages are a reason to stop the experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHarm<'h> {
    /// Which.
    pub arm: &'h PageArm,
    /// The measures by which, at least one.
    pub by: Vec<&'h PageMeasurement>,
    /// What they say, in sentences.
    pub message: String,
}

/// How the pages of an experiment of this design fared.
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

/// Why the pages of the arms are not compared, whatever they tell.
fn not_compared(design: &Design) -> Option<&'static str> {
    match design.policy {
        AllocationPolicy::Personalization => Some("Arms have audiences of their own, so their pages are not compared."),
        AllocationPolicy::Holdout => Some("A holdout changes no page."),
        AllocationPolicy::Fixed | AllocationPolicy::Bandit if design.arms < 2 => Some("There is one arm only."),
        AllocationPolicy::Fixed | AllocationPolicy::Bandit => None,
    }
}

/// What the pages of each epoch and arm told, with everybody who entered.
fn cells(design: &Design, summaries: &Summaries) -> Vec<PageCell> {
    let arrivals = summaries.arrivals.iter().filter(|arrivals| arrivals.arm < design.arms);
    let cells = arrivals.map(|arrivals| {
        let told = summaries.pages.iter().find(|cell| (cell.epoch, cell.arm) == (arrivals.epoch, arrivals.arm));
        PageCell {
            epoch: arrivals.epoch,
            arm: arrivals.arm,
            visitors: arrivals.visitors,
            ..told.copied().unwrap_or_default()
        }
    });
    cells.collect()
}

/// What a metric says of a cell.
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

/// The measure of an arm by itself.
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

/// The measure of `arm` beside the control's.
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
        // A handful among thousands is no matter; among a hundred it may be one. And where pages tell nothing of both arms, as
        // where servers decide, that nothing failed is not known.
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
        // Nothing varies in either arm: they are alike, or there is nothing to go by.
        None if effect.num == 0.0 => PageMeasurement { difference, status: PageStatus::Ok, ..measured },
        None => PageMeasurement { difference, ..measured },
    }
}

/// A measure of an arm beside the control.
struct Compared {
    effect: Effect,
    /// Who is compared: without those of strata in which one of the arms had too few.
    control: Summary,
    treatment: Summary,
}

/// Compares by a metric, within strata. Those of a bandit are its epochs, of which many are short, and in most of these no page
/// of a rare arm fails: what happened in an epoch must not decide whether and how much it counts.
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

/// Where the true difference is, at this level.
fn interval(effect: &Effect, level: f64) -> Option<Interval> {
    let boundary = Mixture::tuned(TUNED_UNITS, level).ok()?;
    Some(sequential(effect, &boundary).ok()?.interval)
}

/// What the measures of all arms mean together.
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
