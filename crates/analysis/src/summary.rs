//! What is known of the visitors, added up.

use muriel_stats::{JointMoments, Moments};

/// Visitors by where and when they entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrivals {
    /// The epoch of their first exposure; 0 where none is known.
    pub epoch: i64,
    /// Its arm, 0 for the control.
    pub arm: usize,
    /// How many.
    pub visitors: u64,
}

/// Visitors by an attribute that assignment knows nothing of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Which attribute.
    pub dimension: String,
    /// Its value.
    pub value: String,
    /// The arm.
    pub arm: usize,
    /// How many.
    pub visitors: u64,
}

/// What a metric is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricRole {
    /// It decides.
    Primary,
    /// It is looked at.
    Secondary,
    /// It must not get worse.
    Guardrail,
}

/// What a metric measures of each visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Whether the visitor converted: a proportion.
    Conversion,
    /// A value, most often 0: a mean.
    Value,
}

/// Visitors of one arm with what a metric says of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// How many.
    pub visitors: u64,
    /// How many of them converted.
    pub converted: u64,
    /// The value per visitor.
    pub value: Moments,
    /// The outcome (0 or 1, or the value) with the same outcome before entry.
    pub adjusted: JointMoments,
}

impl Summary {
    /// Both together.
    pub fn merge(&self, other: &Summary) -> Summary {
        Summary {
            visitors: self.visitors + other.visitors,
            converted: self.converted + other.converted,
            value: self.value.merge(&other.value),
            adjusted: self.adjusted.merge(&other.adjusted),
        }
    }
}

/// A summary with where it belongs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The epoch in which its visitors entered.
    pub epoch: i64,
    /// Their arm.
    pub arm: usize,
    /// Whether their time to convert still runs.
    pub open: bool,
    /// What is known of them.
    pub summary: Summary,
}

/// A metric with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// What it is for.
    pub role: MetricRole,
    /// What it measures.
    pub measure: Measure,
    /// Whether less is better.
    pub lower_is_better: bool,
    /// Its numbers by epoch and arm.
    pub cells: Vec<Cell>,
}

/// Servers that took events which are not among these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherNodes {
    /// How many run.
    pub running: u64,
    /// How many took events while the experiment ran, and run no more.
    pub gone: u64,
}

/// Whether a change of an arm found what it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// Of which arm.
    pub arm: usize,
    /// Its place among the arm's changes, from 0.
    pub change: usize,
    /// Visitors on whose page it was due.
    pub pages: u64,
    /// Of these, on whose page it found something.
    pub matched: u64,
}

/// What the pages of visitors of one epoch and arm told. Each visitor counts once.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PageCell {
    /// The epoch in which they entered.
    pub epoch: i64,
    /// Their arm.
    pub arm: usize,
    /// How many entered, whether their pages told anything or not.
    pub visitors: u64,
    /// Of these, for whom the arm's code failed.
    pub failed: u64,
    /// Of these, for whom the arm came too late on a page.
    pub late: u64,
    /// For how many milliseconds elements were hidden.
    pub hidden: Moments,
    /// Largest contentful paint, in milliseconds.
    pub lcp: Moments,
    /// Cumulative layout shift.
    pub cls: Moments,
    /// Interaction to next paint, in milliseconds.
    pub inp: Moments,
}

/// Everything that is known of an experiment's visitors, added up.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summaries {
    /// Who entered.
    pub arrivals: Vec<Arrivals>,
    /// Visitors who met several arms within one epoch.
    pub crossed: u64,
    /// Visitors who met several arms in different epochs.
    pub moved: u64,
    /// Visitors left out as programs.
    pub bots: u64,
    /// Visitors with exposures that are dated before the first start and do not count.
    pub early: u64,
    /// Visitors by attributes at entry.
    pub balance: Vec<Balance>,
    /// Servers whose events are missing.
    pub other_nodes: OtherNodes,
    /// What the changes of arms found on visitors' pages.
    pub applied: Vec<Applied>,
    /// How the pages of visitors fared; [`PageCell::visitors`] is not read, as it is in the arrivals.
    pub pages: Vec<PageCell>,
    /// Microseconds from the first entry to the moment of the report.
    pub observed_us: i64,
    /// The primary metric first.
    pub metrics: Vec<Metric>,
}
