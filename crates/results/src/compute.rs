//! From a manifest to numbers: asks the warehouse, and has the answer analysed.

use crate::manifest::{Manifest, MetricFacts};
use jiff::ToSpan;
use jiff::civil::Date;
use muriel_analysis::bandit::{BanditLook, Losses, look, losses_by_day};
use muriel_analysis::{
    Applied, Arrivals, Balance, Cell, LiftEstimate, Measure, Metric, OtherNodes, PageCell, Report, Summaries, Summary,
    Verdict, lift_estimate, report,
};
use muriel_domain::{Flaw, Instant};
use muriel_warehouse::{
    self as warehouse, CLS_SCALE, ExperimentAnswer, LostEvents, MetricAnswer, OrderSummary, PageError, PageTotals,
    QuarterChange, QuarterClosing, Segment, StopToken, Totals, VALUE_SCALE, WarehouseReader,
};
use std::collections::BTreeMap;

/// Why a report could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum ComputeError {
    /// The warehouse cannot answer, or was told to stop.
    #[error("the warehouse could not answer")]
    Warehouse(#[from] warehouse::Error),
    /// The manifest cannot have been made by this program; the flaw says why.
    #[error("the manifest {0}")]
    Manifest(Flaw),
    /// The computation panicked, which is a bug; the text is the panic's.
    #[error("the computation failed: {0}")]
    Panicked(String),
}

/// The numbers of an arm by one metric, over everybody who entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numbers {
    /// Visitors who entered.
    pub visitors: u64,
    /// Of these, visitors whose conversion window is still open.
    pub open: u64,
    /// Visitors who converted.
    pub converted: u64,
    /// Events, or orders, that counted.
    pub events: u64,
    /// What they are worth, before any cap, in [`VALUE_SCALE`]: exact, so that it can be
    /// added and is rounded once.
    pub units: i128,
}

impl Numbers {
    fn add(&mut self, totals: &Totals, open: bool) {
        self.visitors += totals.visitors;
        self.open += if open { totals.visitors } else { 0 };
        self.converted += totals.converted;
        self.events += totals.count;
        self.units += totals.raw_value;
    }

    /// What the events, or orders, are worth, before any cap.
    pub fn value(&self) -> f64 {
        self.value_by(1)
    }

    /// The value shared among so many. One division of integers that are exact as
    /// far as a double is.
    fn value_by(&self, number: u64) -> f64 {
        self.units as f64 / (VALUE_SCALE as f64 * number as f64)
    }

    /// Conversions by visitor; `None` without visitors.
    pub fn rate(&self) -> Option<f64> {
        (self.visitors > 0).then(|| self.converted as f64 / self.visitors as f64)
    }

    /// Value by visitor; `None` without visitors.
    pub fn value_per_visitor(&self) -> Option<f64> {
        (self.visitors > 0).then(|| self.value_by(self.visitors))
    }

    /// Value by order; `None` without orders.
    pub fn value_per_order(&self) -> Option<f64> {
        (self.events > 0).then(|| self.value_by(self.events))
    }
}

/// The numbers of a metric, before they are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricNumbers {
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// The most that a visitor contributes to the comparison.
    pub cap: Option<f64>,
    /// Visitors whose value was cut to that.
    pub capped: u64,
    /// The currency of the values; `None` where no order named one.
    pub currency: Option<String>,
    /// Which orders count, of revenue.
    pub orders: OrderSummary,
    /// Visitors whose event came within five seconds before they entered, and does not count; of the first metric.
    pub just_before: u64,
    /// Visitors all of whose submits were prevented by the page; of goals of forms, of the first metric.
    pub only_prevented: u64,
    /// Whether nothing is known of it: it is about visits, and nobody who entered sent a page view.
    pub is_unfed: bool,
}

/// The top metric among the visitors of one segment of the breakdown.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentNumbers {
    /// Which visitors.
    pub segment: Segment,
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// The lift of each arm but the control.
    pub points: Vec<LiftEstimate>,
}

/// The top metric as it was at the end of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayNumbers {
    /// The last day that is in, as the reader's clock has it.
    pub day: Date,
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// The lift of each arm but the control.
    pub points: Vec<LiftEstimate>,
    /// What a bandit had lost by then, by what is known at the end; `None` where weights are not to follow the result, and
    /// where too little is known.
    pub losses: Option<Losses>,
}

/// An experiment in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// What they were computed from.
    pub manifest: Manifest,
    /// Visitors per arm, the control first.
    pub visitors: Vec<u64>,
    /// When the first of them entered.
    pub first_entry: Option<Instant>,
    /// What pages of those who entered have lost since.
    pub lost_events: LostEvents,
    /// What they mean.
    pub report: Report,
    /// What the changes of the arms found on visitors' pages.
    pub applied: Vec<Applied>,
    /// What the errors on pages of the arms say, at most [`TOP_ERRORS`](muriel_warehouse::TOP_ERRORS) of each arm.
    pub errors: Vec<PageError>,
    /// Where the weights of a bandit should go; `None` where they are not to follow the result.
    pub bandit: Option<BanditLook>,
    /// In the order of the manifest's metrics.
    pub metrics: Vec<MetricNumbers>,
    /// How the values of the control's buyers vary by the top metric.
    pub values_vary: Option<f64>,
    /// The top metric by the attribute that was asked for.
    pub parts: Vec<SegmentNumbers>,
    /// The top metric by day, where that was asked for.
    pub stages: Vec<DayNumbers>,
}

/// Asks for the numbers of a manifest and says what they mean. The manifest that
/// comes back names the position of the log that went in.
///
/// # Errors
/// [`ComputeError`].
pub(crate) fn compute(
    mut manifest: Manifest,
    by_quarter: bool,
    warehouse: &dyn WarehouseReader,
    stop: &StopToken,
) -> Result<Computed, ComputeError> {
    let question = manifest.question(by_quarter).map_err(ComputeError::Manifest)?;
    let answer = warehouse.ask(&question, stop)?;
    manifest.set_logs(&answer.marks, &answer.lost, &answer.rewritten);
    let arms = manifest.experiment.arms.len();
    let design = manifest.design();
    let summaries = summaries(&manifest, &answer);
    let mut visitors = vec![0; arms];
    for arrivals in &answer.arrivals {
        if let Some(slot) = visitors.get_mut(arrivals.variant as usize) {
            *slot += arrivals.visitors;
        }
    }
    let facts = || manifest.metrics.iter().zip(&answer.metrics);
    let metrics = facts().map(|(_, metric)| shown(metric, arms)).collect();
    let top = manifest.top().and(facts().next());
    let parts = top.map(|(facts, metric)| parts(facts, metric, &design)).unwrap_or_default();
    let mut stages = top.map(|(facts, metric)| stages(&manifest, facts, metric, &design)).unwrap_or_default();
    tell_losses(&mut stages, &design, &summaries);
    let values_vary = top.and_then(|(_, metric)| {
        let of_control = metric.cells.iter().filter(|cell| cell.variant == 0);
        let control = of_control.fold(Totals::default(), |sum, cell| sum.merge(&cell.totals));
        values_vary(control.converted, control.value, control.value_squared)
    });
    let mut report = report(&design, &summaries);
    tell_unfed(&mut report, &answer);
    let bandit = manifest.top().and_then(|_| look(&design, &summaries));
    let (first_entry, lost_events) = (answer.first_entry, answer.lost_events);
    let applied = summaries.applied;
    let errors = answer.errors.iter().filter(|error| (error.variant as usize) < arms).cloned().collect();
    Ok(Computed {
        applied,
        errors,
        bandit,
        visitors,
        first_entry,
        lost_events,
        report,
        metrics,
        values_vary,
        parts,
        stages,
        manifest,
    })
}

/// Says of metrics of visits without any page view why they are not known.
fn tell_unfed(report: &mut Report, answer: &ExperimentAnswer) {
    let unfed = report.metrics.iter_mut().zip(&answer.metrics).filter(|(_, metric)| metric.is_unfed);
    for analysis in unfed.flat_map(|(metric, _)| &mut metric.analyses) {
        if analysis.verdict == Verdict::KeepRunning {
            "It is not known, as no page view of these visitors was sent.".clone_into(&mut analysis.reason);
        }
    }
}

/// The mean square over the squared mean of the values of those who converted: 1
/// where all are alike, and the more the dearest stand out. `None` below
/// [`VARY_FROM`] of them, of whom the dearest is not to be expected yet, and without
/// values.
pub(crate) fn values_vary(converted: u64, value: i128, value_squared: i128) -> Option<f64> {
    let spread = || muriel_stats::value_spread(converted, value as f64, value_squared as f64).ok();
    (converted >= VARY_FROM && value > 0).then(spread).flatten()
}

/// Who must have converted before it is said how their values vary.
const VARY_FROM: u64 = 100;

fn summaries(manifest: &Manifest, answer: &ExperimentAnswer) -> Summaries {
    let until = manifest.span().1.map_or(manifest.as_of, |until| until.min(manifest.as_of));
    Summaries {
        arrivals: answer
            .arrivals
            .iter()
            .map(|row| Arrivals { epoch: row.epoch, arm: row.variant as usize, visitors: row.visitors })
            .collect(),
        crossed: answer.crossed,
        moved: answer.moved,
        bots: answer.bots,
        early: answer.early,
        applied: answer
            .applied
            .iter()
            .filter(|row| (row.variant as usize) < manifest.experiment.arms.len())
            .map(|row| Applied {
                arm: row.variant as usize,
                change: row.change as usize,
                pages: row.pages,
                matched: row.matched,
            })
            .collect(),
        pages: answer.pages.iter().map(page_cell).collect(),
        balance: answer
            .balance
            .iter()
            .map(|row| Balance {
                dimension: row.dimension.word().to_owned(),
                value: row.value.as_deref().unwrap_or_default().to_owned(),
                arm: row.variant as usize,
                visitors: row.visitors,
            })
            .collect(),
        other_nodes: manifest.other_nodes.iter().fold(OtherNodes::default(), |sum, node| match node.ended_at {
            None => OtherNodes { running: sum.running + 1, ..sum },
            Some(_) => OtherNodes { gone: sum.gone + 1, ..sum },
        }),
        observed_us: answer.first_entry.map_or(0, |first| until.us().saturating_sub(first.us()).max(0)),
        metrics: manifest
            .metrics
            .iter()
            .zip(&answer.metrics)
            .map(|(facts, metric)| {
                let known = if metric.is_unfed { &[][..] } else { &metric.cells[..] };
                metric_of(facts, known.iter().map(|cell| (cell.epoch, cell.variant, cell.open, cell.totals)))
            })
            .collect(),
    }
}

/// What pages told, for the analysis.
fn page_cell(totals: &PageTotals) -> PageCell {
    PageCell {
        epoch: totals.epoch,
        arm: totals.variant as usize,
        visitors: 0,
        failed: totals.failed,
        late: totals.late,
        hidden: totals.hidden.moments(1),
        lcp: totals.lcp.moments(1),
        cls: totals.cls.moments(CLS_SCALE),
        inp: totals.inp.moments(1),
    }
}

/// Totals for the analysis, those of one place together.
fn metric_of(facts: &MetricFacts, totals: impl Iterator<Item = (i64, u32, bool, Totals)>) -> Metric {
    let mut places: BTreeMap<(i64, u32, bool), Totals> = BTreeMap::new();
    for (epoch, variant, open, totals) in totals {
        let place = places.entry((epoch, variant, open)).or_default();
        *place = place.merge(&totals);
    }
    let measure = if facts.is_revenue() { Measure::Value } else { Measure::Conversion };
    Metric {
        role: facts.role(),
        measure,
        lower_is_better: facts.lower_is_better(),
        cells: places
            .into_iter()
            .map(|((epoch, variant, open), totals)| Cell {
                epoch,
                arm: variant as usize,
                open,
                summary: summary(&totals, measure),
            })
            .collect(),
    }
}

fn summary(totals: &Totals, measure: Measure) -> Summary {
    Summary {
        visitors: totals.visitors,
        converted: totals.converted,
        value: totals.moments(),
        adjusted: totals.adjusted(measure == Measure::Value),
    }
}

/// Per arm, from cells.
fn numbers<'a>(cells: impl Iterator<Item = (u32, bool, &'a Totals)>, arms: usize) -> Vec<Numbers> {
    let mut numbers = vec![Numbers::default(); arms];
    for (variant, open, totals) in cells {
        if let Some(numbers) = numbers.get_mut(variant as usize) {
            numbers.add(totals, open);
        }
    }
    numbers
}

/// The visitors of each arm, without what they are said to have done.
fn unfed(arms: Vec<Numbers>) -> Vec<Numbers> {
    let visitors = |arm: Numbers| Numbers { visitors: arm.visitors, open: arm.open, ..Numbers::default() };
    arms.into_iter().map(visitors).collect()
}

fn shown(metric: &MetricAnswer, arms: usize) -> MetricNumbers {
    MetricNumbers {
        arms: match metric.is_unfed {
            true => unfed(numbers(metric.cells.iter().map(|cell| (cell.variant, cell.open, &cell.totals)), arms)),
            false => numbers(metric.cells.iter().map(|cell| (cell.variant, cell.open, &cell.totals)), arms),
        },
        is_unfed: metric.is_unfed,
        cap: metric.cap,
        capped: metric.capped,
        currency: metric.currency.clone(),
        orders: metric.orders,
        just_before: metric.just_before,
        only_prevented: metric.only_prevented,
    }
}

fn parts(facts: &MetricFacts, metric: &MetricAnswer, design: &muriel_analysis::Design) -> Vec<SegmentNumbers> {
    let mut segments: Vec<(&Segment, u64)> = Vec::new();
    for cell in &metric.cells {
        let Some(segment) = &cell.segment else { continue };
        match segments.iter_mut().find(|(known, _)| *known == segment) {
            Some((_, visitors)) => *visitors += cell.totals.visitors,
            None => segments.push((segment, cell.totals.visitors)),
        }
    }
    // The largest first, what is left over last.
    segments.sort_by(|(a, of_a), (b, of_b)| {
        (*a == &Segment::Rest).cmp(&(*b == &Segment::Rest)).then(of_b.cmp(of_a)).then(a.cmp(b))
    });
    segments
        .into_iter()
        .map(|(segment, _)| {
            let cells = || metric.cells.iter().filter(|cell| cell.segment.as_ref() == Some(segment));
            let of_part = metric_of(facts, cells().map(|cell| (cell.epoch, cell.variant, cell.open, cell.totals)));
            SegmentNumbers {
                segment: segment.clone(),
                arms: numbers(cells().map(|cell| (cell.variant, cell.open, &cell.totals)), design.arms),
                points: (1..design.arms).map(|arm| lift_estimate(design, &of_part, arm)).collect(),
            }
        })
        .collect()
}

/// The metric as it was at the end of each day, from its first day on; of a life of
/// more than [`STAGES_MAX`] days at the end of the last of them.
///
/// Visitors are shown from entry on, and compared once their window is over, as in
/// a result whose last day it is.
fn stages(
    manifest: &Manifest,
    facts: &MetricFacts,
    metric: &MetricAnswer,
    design: &muriel_analysis::Design,
) -> Vec<DayNumbers> {
    let zone = &manifest.inquiry.tz;
    let day_of = |quarter: i64| zone.day(Instant::from_us(quarter.saturating_mul(warehouse::QUARTER_US)));
    let mut days: BTreeMap<Date, (Vec<&QuarterChange>, Vec<&QuarterClosing>)> = BTreeMap::new();
    for step in &metric.steps {
        days.entry(day_of(step.quarter)).or_default().0.push(step);
    }
    for closing in metric.closings.iter().flatten() {
        days.entry(day_of(closing.quarter)).or_default().1.push(closing);
    }
    let (Some(first), Some(last)) = (days.keys().next().copied(), days.keys().next_back().copied()) else {
        return Vec::new();
    };
    let earliest = last.saturating_sub((STAGES_MAX - 1).days());
    let mut shown: BTreeMap<(i64, u32), Totals> = BTreeMap::new();
    let mut closed: BTreeMap<(i64, u32), Totals> = BTreeMap::new();
    let mut stages = Vec::new();
    let mut day = first;
    loop {
        let (steps, closings) = days.remove(&day).unwrap_or_default();
        for step in steps {
            let place = shown.entry((step.epoch, step.variant)).or_default();
            *place = place.after(&step.totals);
        }
        for closing in closings {
            let place = closed.entry((closing.epoch, closing.variant)).or_default();
            *place = place.merge(&closing.totals);
        }
        if day >= earliest {
            let compared = if metric.closings.is_some() { &closed } else { &shown };
            let of_day = metric_of(facts, compared.iter().map(|((epoch, arm), totals)| (*epoch, *arm, false, *totals)));
            let mut arms = numbers(shown.iter().map(|((_, arm), totals)| (*arm, false, totals)), design.arms);
            let over = numbers(compared.iter().map(|((_, arm), totals)| (*arm, false, totals)), design.arms);
            for (arm, over) in arms.iter_mut().zip(over) {
                arm.open = arm.visitors.saturating_sub(over.visitors);
            }
            stages.push(DayNumbers {
                day,
                arms,
                points: (1..design.arms).map(|arm| lift_estimate(design, &of_day, arm)).collect(),
                losses: None,
            });
        }
        match day.tomorrow() {
            Ok(next) if day < last => day = next,
            _ => return stages,
        }
    }
}

/// Says of each day what a bandit had lost by then.
fn tell_losses(stages: &mut [DayNumbers], design: &muriel_analysis::Design, summaries: &Summaries) {
    let over = |arm: &Numbers| arm.visitors.saturating_sub(arm.open);
    let visitors: Vec<Vec<u64>> = stages.iter().map(|stage| stage.arms.iter().map(over).collect()).collect();
    let losses = losses_by_day(design, summaries, &visitors).unwrap_or_default();
    for (stage, losses) in stages.iter_mut().zip(losses) {
        stage.losses = Some(losses);
    }
}

/// Days of a series at most.
const STAGES_MAX: i64 = 1_500;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::define::ReportInputs;
    use crate::inquiry::Inquiry;
    use crate::manifest::Counted;
    use muriel_domain::experiment::{Experiment, TestType};
    use muriel_domain::ids::{CompanyId, ProjectId};
    use muriel_domain::time::DAY_US;
    use muriel_warehouse::TotalsChange;

    #[test]
    fn of_a_long_life_the_last_days_are_told() {
        let now = Instant::from_us(0);
        let draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now);
        let manifest = ReportInputs::of(draft, "1").manifest(&"shop".into(), &Inquiry::default(), now);
        let facts = MetricFacts { key: "e".into(), name: "e".into(), role: "primary".into(), counted: Counted::Event };
        for (days, told, earlier) in [(0, 1, 1), (9, 10, 1), (1_499, 1_500, 1), (1_500, 1_500, 2), (20_000, 1_500, 2)] {
            let entered = |day: i64| QuarterChange {
                quarter: day * DAY_US / warehouse::QUARTER_US,
                epoch: 1,
                variant: 0,
                totals: TotalsChange { visitors: 1, ..TotalsChange::default() },
            };
            // One on the first day, one on the second, one on the last.
            let mut steps = vec![entered(0)];
            steps.extend((days > 1).then(|| entered(1)));
            steps.extend((days > 0).then(|| entered(days)));
            let metric = MetricAnswer { steps, ..MetricAnswer::default() };
            let stages = stages(&manifest, &facts, &metric, &manifest.design());
            assert_eq!(stages.len(), told, "{days}");
            let visitors = |stage: Option<&DayNumbers>| stage.map(|stage| stage.arms[0].visitors);
            assert_eq!(visitors(stages.first()), Some(earlier), "{days}");
            assert_eq!(visitors(stages.last()), Some(1 + u64::from(days > 0) + u64::from(days > 1)), "{days}");
        }
    }
}
