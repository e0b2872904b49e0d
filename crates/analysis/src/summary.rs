//! Summaries: aggregated data about the visitors.

use muriel_stats::{JointMoments, Moments};

/// Number of visitors by epoch and arm of their entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrivals {
    /// Epoch of the first exposure; 0 when unknown.
    pub epoch: i64,
    /// Arm of the first exposure, 0 for the control.
    pub arm: usize,
    /// Number of visitors.
    pub visitors: u64,
}

/// Number of visitors by an attribute that assignment does not use.
///
/// Rows of arms that the design does not have are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Name of the attribute.
    pub dimension: String,
    /// Value of the attribute.
    pub value: String,
    /// Number of the arm.
    pub arm: usize,
    /// Number of visitors.
    pub visitors: u64,
}

/// Role of a metric in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricRole {
    /// Basis of the verdict.
    Primary,
    /// Reported in addition.
    Secondary,
    /// Must not get worse.
    Guardrail,
}

/// Kind of value that a metric has per visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Conversion, yes or no: analysed as a proportion.
    Conversion,
    /// A value, most often 0: analysed as a mean.
    Value,
}

/// Aggregated outcomes of visitors of one arm, for one metric.
///
/// A comparison by [`Measure::Conversion`] uses `visitors` and `converted`, one by
/// [`Measure::Value`] uses `value`. `adjusted` is used only when the outcome before entry varies in
/// both arms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Number of visitors.
    pub visitors: u64,
    /// Number of visitors who converted. Also counted for a [`Measure::Value`], because a verdict
    /// needs a minimum of conversions.
    pub converted: u64,
    /// Moments of the value per visitor.
    pub value: Moments,
    /// Joint moments of the outcome (0 or 1, or the value) and the same outcome before entry.
    pub adjusted: JointMoments,
}

impl Summary {
    /// Merges two summaries.
    ///
    /// The default summary is the neutral element. Up to rounding, the order of merging does not
    /// matter.
    pub fn merge(&self, other: &Summary) -> Summary {
        Summary {
            visitors: self.visitors + other.visitors,
            converted: self.converted + other.converted,
            value: self.value.merge(&other.value),
            adjusted: self.adjusted.merge(&other.adjusted),
        }
    }
}

/// A summary with its epoch and arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Epoch in which the visitors entered.
    pub epoch: i64,
    /// Arm of the visitors.
    pub arm: usize,
    /// True while the visitors' conversion window is still open. Open cells are not compared yet.
    pub open: bool,
    /// Aggregated outcomes.
    pub summary: Summary,
}

/// A metric with its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Role of the metric.
    pub role: MetricRole,
    /// Kind of value.
    pub measure: Measure,
    /// True when less is better.
    pub lower_is_better: bool,
    /// Data by epoch and arm. Several cells of the same epoch and arm are merged.
    pub cells: Vec<Cell>,
}

/// Other servers that took events, which are missing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherNodes {
    /// Number of servers that are running. While it is above 0, every verdict is `do_not_trust`.
    pub running: u64,
    /// Number of servers that took events while the experiment ran, and do not run any more. It
    /// causes a warning only, because their events may have been imported.
    pub gone: u64,
}

/// Matches of one change of an arm on pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// Number of the arm.
    pub arm: usize,
    /// Index among the arm's changes, from 0.
    pub change: usize,
    /// Visitors on whose page the change was due. With fewer than 20, a change without a match is
    /// not reported.
    pub pages: u64,
    /// Visitors among these on whose page it matched an element.
    pub matched: u64,
}

/// Page data of the visitors of one epoch and arm. Each visitor counts once.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PageCell {
    /// Epoch in which the visitors entered.
    pub epoch: i64,
    /// Arm of the visitors.
    pub arm: usize,
    /// Visitors who entered, whether or not their pages reported anything.
    pub visitors: u64,
    /// Visitors among these with an error in the arm's code.
    pub failed: u64,
    /// Visitors among these for whom the arm came too late on a page.
    pub late: u64,
    /// Time for which elements were hidden, in milliseconds. The count of these moments is the
    /// number of visitors whose pages reported how the arm was shown.
    pub hidden: Moments,
    /// Largest contentful paint, in milliseconds.
    pub lcp: Moments,
    /// Cumulative layout shift.
    pub cls: Moments,
    /// Interaction to next paint, in milliseconds.
    pub inp: Moments,
}

/// All aggregated data about an experiment's visitors.
///
/// Without any data, as in the default value, no check passes or fails. All grades are `Unknown`
/// then, except that of the minimum data, which warns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summaries {
    /// Visitors who entered.
    pub arrivals: Vec<Arrivals>,
    /// Visitors who met several arms within one epoch. The check warns above 0.1 % of all visitors
    /// and fails above 1 %.
    pub crossed: u64,
    /// Visitors who met several arms in different epochs. They count in the arm in which they
    /// entered, and are not a fault.
    pub moved: u64,
    /// Visitors left out as bots. No other number here includes them.
    pub bots: u64,
    /// Visitors with exposures dated before the first start. They do not count.
    pub early: u64,
    /// Visitors by attributes at entry.
    pub balance: Vec<Balance>,
    /// Servers whose events are missing.
    pub other_nodes: OtherNodes,
    /// Matches of the arms' changes on visitors' pages.
    pub applied: Vec<Applied>,
    /// Page data of the visitors. [`PageCell::visitors`] is not used here, because the arrivals
    /// have it.
    pub pages: Vec<PageCell>,
    /// Microseconds from the first entry to the time of the report. A verdict needs a full day,
    /// that is 86,400,000,000.
    pub observed_us: i64,
    /// Metrics, the primary one first. A bandit follows the first one, provided that it is primary.
    pub metrics: Vec<Metric>,
}
