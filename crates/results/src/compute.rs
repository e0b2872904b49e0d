//! From a manifest to numbers: asks the warehouse, and has the answer analysed.

use crate::manifest::{Manifest, MetricFacts};
use muriel_analysis::{Arrivals, Balance, Cell, Measure, Metric, Point, Report, Summaries, Summary, point, report};
use muriel_domain::{Flaw, Instant};
use muriel_events::warehouse::{self, Answer, MetricAnswer, Segment, Stop, Totals, UNITS, Warehouse};
use std::collections::BTreeMap;

/// Why something could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The warehouse cannot answer, or was told to stop.
    #[error("the events could not be asked")]
    Warehouse(#[from] warehouse::Error),
    /// A manifest that is not ours.
    #[error("the manifest {0}")]
    Manifest(Flaw),
    /// A bug.
    #[error("the computation failed: {0}")]
    Panicked(String),
}

/// An arm by one metric, as it is shown: everybody who entered.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numbers {
    /// How many entered.
    pub visitors: u64,
    /// How many of them may still convert within their window.
    pub open: u64,
    /// How many converted.
    pub converted: u64,
    /// Events, or orders, that counted.
    pub events: u64,
    /// What they are worth, before any cap.
    pub value: f64,
}

impl Numbers {
    fn add(&mut self, totals: &Totals, open: bool) {
        self.visitors += totals.visitors;
        self.open += if open { totals.visitors } else { 0 };
        self.converted += totals.converted;
        self.events += totals.count;
    }

    /// Conversions by visitor; `None` without visitors.
    pub fn rate(&self) -> Option<f64> {
        (self.visitors > 0).then(|| self.converted as f64 / self.visitors as f64)
    }

    /// Value by visitor; `None` without visitors.
    pub fn value_per_visitor(&self) -> Option<f64> {
        (self.visitors > 0).then(|| self.value / self.visitors as f64)
    }

    /// Value by order; `None` without orders.
    pub fn value_per_order(&self) -> Option<f64> {
        (self.events > 0).then(|| self.value / self.events as f64)
    }
}

/// A metric as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// The most that a visitor contributes to the comparison.
    pub cap: Option<f64>,
    /// Visitors whose value was cut to that.
    pub capped: u64,
    /// What the values are in.
    pub currency: Option<String>,
    /// Orders in other currencies, which are left out.
    pub other_currency_orders: u64,
}

/// A part of the visitors, by an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Which.
    pub segment: Segment,
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// The lift of each arm but the control.
    pub points: Vec<Point>,
}

/// The top metric as of a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The last day that is in, as the reader's clock has it.
    pub day: jiff::civil::Date,
    /// Per arm, the control first.
    pub arms: Vec<Numbers>,
    /// The lift of each arm but the control.
    pub points: Vec<Point>,
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
    /// What they mean.
    pub report: Report,
    /// In the order of the manifest's metrics.
    pub metrics: Vec<Shown>,
    /// The top metric by the attribute that was asked for.
    pub parts: Vec<Part>,
    /// The top metric by day, where that was asked for.
    pub stages: Vec<Stage>,
}

/// Asks for the numbers of a manifest and says what they mean. The manifest that
/// comes back names the position of the log that went in.
///
/// # Errors
/// [`Failure`].
pub(crate) fn compute(
    mut manifest: Manifest,
    by_quarter: bool,
    warehouse: &dyn Warehouse,
    stop: &Stop,
) -> Result<Computed, Failure> {
    let question = manifest.question(by_quarter).map_err(Failure::Manifest)?;
    let answer = warehouse.ask(&question, stop)?;
    manifest.ends_at(answer.position, answer.hash);
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
    let stages = top.map(|(facts, metric)| stages(&manifest, facts, metric, &design)).unwrap_or_default();
    let report = report(&design, &summaries);
    Ok(Computed { visitors, first_entry: answer.first_entry, report, metrics, parts, stages, manifest })
}

fn summaries(manifest: &Manifest, answer: &Answer) -> Summaries {
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
        observed_us: answer.first_entry.map_or(0, |first| until.us().saturating_sub(first.us()).max(0)),
        metrics: manifest
            .metrics
            .iter()
            .zip(&answer.metrics)
            .map(|(facts, metric)| {
                metric_of(facts, metric.cells.iter().map(|cell| (cell.epoch, cell.variant, cell.open, cell.totals)))
            })
            .collect(),
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

/// Ten-thousandths as units. Exact as far as a double is.
fn units(value: i128) -> f64 {
    value as f64 / UNITS as f64
}

/// Per arm, from cells.
fn numbers<'a>(cells: impl Iterator<Item = (u32, bool, &'a Totals)>, arms: usize) -> Vec<Numbers> {
    let mut numbers = vec![(Numbers::default(), 0_i128); arms];
    for (variant, open, totals) in cells {
        if let Some((numbers, value)) = numbers.get_mut(variant as usize) {
            numbers.add(totals, open);
            *value += totals.raw_value;
        }
    }
    numbers.into_iter().map(|(numbers, value)| Numbers { value: units(value), ..numbers }).collect()
}

fn shown(metric: &MetricAnswer, arms: usize) -> Shown {
    Shown {
        arms: numbers(metric.cells.iter().map(|cell| (cell.variant, cell.open, &cell.totals)), arms),
        cap: metric.cap,
        capped: metric.capped,
        currency: metric.currency.clone(),
        other_currency_orders: metric.other_currency_orders,
    }
}

fn parts(facts: &MetricFacts, metric: &MetricAnswer, design: &muriel_analysis::Design) -> Vec<Part> {
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
            Part {
                segment: segment.clone(),
                arms: numbers(cells().map(|cell| (cell.variant, cell.open, &cell.totals)), design.arms),
                points: (1..design.arms).map(|arm| point(design, &of_part, arm)).collect(),
            }
        })
        .collect()
}

/// The metric as it was at the end of each day, from its first day on.
fn stages(
    manifest: &Manifest,
    facts: &MetricFacts,
    metric: &MetricAnswer,
    design: &muriel_analysis::Design,
) -> Vec<Stage> {
    let zone = &manifest.inquiry.tz;
    let day_of = |quarter: i64| zone.day(Instant::from_us(quarter.saturating_mul(warehouse::QUARTER_US)));
    let mut days: BTreeMap<jiff::civil::Date, Vec<usize>> = BTreeMap::new();
    for (at, step) in metric.steps.iter().enumerate() {
        days.entry(day_of(step.quarter)).or_default().push(at);
    }
    let Some(mut day) = days.keys().next().copied() else { return Vec::new() };
    let last = days.keys().next_back().copied().unwrap_or(day);
    let mut totals: BTreeMap<(i64, u32, bool), Totals> = BTreeMap::new();
    let mut stages = Vec::new();
    loop {
        for at in days.get(&day).into_iter().flatten() {
            let step = &metric.steps[*at];
            let place = totals.entry((step.epoch, step.variant, step.open)).or_default();
            *place = place.after(&step.totals);
        }
        let of_day =
            metric_of(facts, totals.iter().map(|((epoch, variant, open), totals)| (*epoch, *variant, *open, *totals)));
        stages.push(Stage {
            day,
            arms: numbers(totals.iter().map(|((_, variant, open), totals)| (*variant, *open, totals)), design.arms),
            points: (1..design.arms).map(|arm| point(design, &of_day, arm)).collect(),
        });
        match day.tomorrow() {
            Ok(next) if day < last && stages.len() < STAGES_MAX => day = next,
            _ => return stages,
        }
    }
}

/// Days of a series at most.
const STAGES_MAX: usize = 1_500;
