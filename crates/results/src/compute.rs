//! Computes the numbers of a manifest: queries the warehouse, and has the answer analysed.

use crate::concentration::{self, Concentration};
use crate::inquiry::NETWORK;
use crate::manifest::{Manifest, MetricFacts};
use crate::unvouched::{self, UnvouchedVerdict};
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
    QuarterChange, QuarterClosing, Segment, StopToken, Totals, VALUE_SCALE, VisitorsByTrust, WarehouseReader,
};
use std::collections::BTreeMap;

/// Reason why a report could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum ComputeError {
    /// The warehouse cannot answer, or the query was stopped.
    #[error("the warehouse could not answer")]
    Warehouse(#[from] warehouse::Error),
    /// The manifest cannot have been made by this program; the flaw says why.
    #[error("the manifest {0}")]
    Manifest(Flaw),
    /// The computation panicked, which is a bug; the text is the panic message.
    #[error("the computation failed: {0}")]
    Panicked(String),
}

/// Numbers of an arm for one metric, over all visitors who entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numbers {
    /// Visitors who entered.
    pub visitors: u64,
    /// Visitors among them whose conversion window is still open.
    pub open: u64,
    /// Visitors who converted.
    pub converted: u64,
    /// Events, or orders, that counted.
    pub events: u64,
    /// Their total value before any cap, as an integer in units of 1 / [`VALUE_SCALE`]: exact, so that sums are rounded
    /// only once.
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

    /// Total value of the events, or orders, before any cap.
    pub fn value(&self) -> f64 {
        self.value_by(1)
    }

    /// Value divided by `number`, with one division of integers that are exact within the precision of a double.
    fn value_by(&self, number: u64) -> f64 {
        self.units as f64 / (VALUE_SCALE as f64 * number as f64)
    }

    /// Conversions per visitor; `None` without visitors.
    pub fn rate(&self) -> Option<f64> {
        (self.visitors > 0).then(|| self.converted as f64 / self.visitors as f64)
    }

    /// Value per visitor; `None` without visitors.
    pub fn value_per_visitor(&self) -> Option<f64> {
        (self.visitors > 0).then(|| self.value_by(self.visitors))
    }

    /// Value per order; `None` without orders.
    pub fn value_per_order(&self) -> Option<f64> {
        (self.events > 0).then(|| self.value_by(self.events))
    }
}

/// The numbers of a metric, before they are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricNumbers {
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// Largest value that a visitor contributes to the comparison.
    pub cap: Option<f64>,
    /// Visitors whose value was cut to the cap.
    pub capped: u64,
    /// Currency of the values; `None` when no order named one.
    pub currency: Option<String>,
    /// Counts of orders that were included or excluded, for revenue.
    pub orders: OrderSummary,
    /// Visitors whose event came within five seconds before they entered and does not count; only for the first metric.
    pub just_before: u64,
    /// Visitors whose submits were all prevented by the page; only for goals on forms, of the first metric.
    pub only_prevented: u64,
    /// True when nothing is known: the metric is about visits, and no visitor who entered sent a page view.
    pub is_unfed: bool,
}

/// The top metric among the visitors of one segment of the breakdown.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentNumbers {
    /// Segment of the visitors.
    pub segment: Segment,
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// Lift of each arm except the control.
    pub points: Vec<LiftEstimate>,
}

/// The top metric at the end of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayNumbers {
    /// Last day that is included, in the reader's time zone.
    pub day: Date,
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// Lift of each arm except the control.
    pub points: Vec<LiftEstimate>,
    /// Losses of a bandit up to this day, estimated with everything known at the end; `None` when weights do not follow
    /// the result, and when too little is known.
    pub losses: Option<Losses>,
}

/// Numbers of an experiment, and their analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// Manifest that they were computed from.
    pub manifest: Manifest,
    /// Visitors per arm, the control first.
    pub visitors: Vec<u64>,
    /// Time of the first entry.
    pub first_entry: Option<Instant>,
    /// Events that pages of these visitors lost after they entered.
    pub lost_events: LostEvents,
    /// Visitors who were exposed, whether the project counts them or not.
    pub trust: VisitorsByTrust,
    /// Visitors who are not counted because all of their visits are excluded.
    pub excluded: u64,
    /// Influence of single networks on the verdicts on the top metric, of each arm that had one.
    pub concentration: Vec<Concentration>,
    /// Verdicts on the top metric that would be others without unsigned visitors.
    pub unvouched: Vec<UnvouchedVerdict>,
    /// Analysis of the numbers.
    pub report: Report,
    /// Matches of the arms' changes on visitors' pages.
    pub applied: Vec<Applied>,
    /// Messages of errors on pages of the arms, at most [`TOP_ERRORS`](muriel_warehouse::TOP_ERRORS) of each arm.
    pub errors: Vec<PageError>,
    /// Bandit's proposal for the weights; `None` when they do not follow the result.
    pub bandit: Option<BanditLook>,
    /// Numbers of each metric, in the order of the manifest's metrics.
    pub metrics: Vec<MetricNumbers>,
    /// Spread of the values of the control's buyers in the top metric: mean square over squared mean.
    pub values_vary: Option<f64>,
    /// The top metric by the attribute of the breakdown.
    pub parts: Vec<SegmentNumbers>,
    /// The top metric by day, if that was requested.
    pub stages: Vec<DayNumbers>,
}

/// Queries the numbers of a manifest and analyses them. The manifest in the result names the log positions that were
/// included.
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
    let design = manifest.design();
    let is_judged = concentration::is_judged(&manifest, by_quarter);
    let mut analysed = None;
    let mut wants_networks = |answer: &ExperimentAnswer| {
        let summaries = summaries(&manifest, answer);
        let report = report(&design, &summaries);
        let is_wanted = is_judged && concentration::is_decided(&report);
        analysed = Some((summaries, report));
        is_wanted
    };
    let answer = warehouse.ask_with_networks(&question, stop, &mut wants_networks)?;
    let (summaries, mut report) = analysed.unwrap_or_else(|| {
        let summaries = summaries(&manifest, &answer);
        let report = report(&design, &summaries);
        (summaries, report)
    });
    let unvouched = unvouched::judge(&manifest, &design, &summaries, &answer, &report);
    let concentration = concentration::judge(&manifest, &design, &summaries, &answer.networks, &mut report);
    manifest.set_logs(&answer.marks, &answer.lost, &answer.rewritten);
    let arms = manifest.experiment.arms.len();
    let mut visitors = vec![0; arms];
    for arrivals in &answer.arrivals {
        if let Some(slot) = visitors.get_mut(arrivals.variant as usize) {
            *slot += arrivals.visitors;
        }
    }
    let facts = || manifest.metrics.iter().zip(&answer.metrics);
    let metrics = facts().map(|(_, metric)| shown(metric, arms)).collect();
    let top = manifest.top().and(facts().next());
    // The clock asks for networks where nothing is a goal, too: each metric has all visitors.
    let is_by_network = manifest.inquiry.breakdown_by.as_deref() == Some(NETWORK);
    let of_parts = if is_by_network { facts().next() } else { top };
    let parts = of_parts.map(|(facts, metric)| parts(facts, metric, &design)).unwrap_or_default();
    let mut stages = top.map(|(facts, metric)| stages(&manifest, facts, metric, &design)).unwrap_or_default();
    fill_losses(&mut stages, &design, &summaries);
    let values_vary = top.and_then(|(_, metric)| {
        let of_control = metric.cells.iter().filter(|cell| cell.variant == 0);
        let control = of_control.fold(Totals::default(), |sum, cell| sum.merge(&cell.totals));
        values_vary(control.converted, control.value, control.value_squared)
    });
    explain_unfed(&mut report, &answer);
    let bandit = manifest.top().and_then(|_| look(&design, &summaries));
    let (first_entry, lost_events) = (answer.first_entry, answer.lost_events);
    let (trust, excluded) = (answer.trust, answer.excluded);
    let applied = summaries.applied;
    let errors = answer.errors.iter().filter(|error| (error.variant as usize) < arms).cloned().collect();
    Ok(Computed {
        applied,
        errors,
        bandit,
        visitors,
        first_entry,
        lost_events,
        trust,
        excluded,
        concentration,
        unvouched,
        report,
        metrics,
        values_vary,
        parts,
        stages,
        manifest,
    })
}

/// States the reason for unknown metrics of visits when no page view was sent.
fn explain_unfed(report: &mut Report, answer: &ExperimentAnswer) {
    let unfed = report.metrics.iter_mut().zip(&answer.metrics).filter(|(_, metric)| metric.is_unfed);
    for analysis in unfed.flat_map(|(metric, _)| &mut metric.analyses) {
        if analysis.verdict == Verdict::KeepRunning {
            "This metric cannot be computed, because no page view of these visitors was sent."
                .clone_into(&mut analysis.reason);
        }
    }
}

/// Mean square over squared mean of the values of those who converted: 1 when all values are equal, and greater the
/// more the largest stand out. `None` below [`VARY_FROM`] conversions, where the largest values are not likely to have
/// occurred yet, and without values.
pub(crate) fn values_vary(converted: u64, value: i128, value_squared: i128) -> Option<f64> {
    let spread = || muriel_stats::value_spread(converted, value as f64, value_squared as f64).ok();
    (converted >= VARY_FROM && value > 0).then(spread).flatten()
}

/// Minimum number of converted visitors for stating how their values vary.
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

/// Measurements of pages, for the analysis.
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

/// Builds a metric for the analysis; totals of the same epoch, arm and window state are merged.
pub(crate) fn metric_of(facts: &MetricFacts, totals: impl Iterator<Item = (i64, u32, bool, Totals)>) -> Metric {
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

/// Sums the cells of each arm.
pub(crate) fn numbers<'a>(cells: impl Iterator<Item = (u32, bool, &'a Totals)>, arms: usize) -> Vec<Numbers> {
    let mut numbers = vec![Numbers::default(); arms];
    for (variant, open, totals) in cells {
        if let Some(numbers) = numbers.get_mut(variant as usize) {
            numbers.add(totals, open);
        }
    }
    numbers
}

/// The visitors of each arm, without their conversions and values.
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
    // Largest segment first, the rest last.
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

/// The metric at the end of each day, from its first day on; of more than [`STAGES_MAX`] days, only the last ones.
///
/// Visitors are shown from their entry on, and compared once their window is over, as in a result that ends on that
/// day.
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

/// Fills in what a bandit had lost by the end of each day.
fn fill_losses(stages: &mut [DayNumbers], design: &muriel_analysis::Design, summaries: &Summaries) {
    let over = |arm: &Numbers| arm.visitors.saturating_sub(arm.open);
    let visitors: Vec<Vec<u64>> = stages.iter().map(|stage| stage.arms.iter().map(over).collect()).collect();
    let losses = losses_by_day(design, summaries, &visitors).unwrap_or_default();
    for (stage, losses) in stages.iter_mut().zip(losses) {
        stage.losses = Some(losses);
    }
}

/// Maximum number of days of a series.
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
        for (days, expected, earlier) in
            [(0, 1, 1), (9, 10, 1), (1_499, 1_500, 1), (1_500, 1_500, 2), (20_000, 1_500, 2)]
        {
            let entered = |day: i64| QuarterChange {
                quarter: day * DAY_US / warehouse::QUARTER_US,
                epoch: 1,
                variant: 0,
                totals: TotalsChange { visitors: 1, ..TotalsChange::default() },
            };
            // One visitor on the first day, one on the second, one on the last.
            let mut steps = vec![entered(0)];
            steps.extend((days > 1).then(|| entered(1)));
            steps.extend((days > 0).then(|| entered(days)));
            let metric = MetricAnswer { steps, ..MetricAnswer::default() };
            let stages = stages(&manifest, &facts, &metric, &manifest.design());
            assert_eq!(stages.len(), expected, "{days}");
            let visitors = |stage: Option<&DayNumbers>| stage.map(|stage| stage.arms[0].visitors);
            assert_eq!(visitors(stages.first()), Some(earlier), "{days}");
            assert_eq!(visitors(stages.last()), Some(1 + u64::from(days > 0) + u64::from(days > 1)), "{days}");
        }
    }
}
