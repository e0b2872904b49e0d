//! What a warehouse answers.
//!
//! Everything is an integer, so that sums do not depend on an order: values are
//! in ten-thousandths, see [`UNITS`].

use std::sync::Arc;

use muriel_domain::Instant;

use super::question::Dimension;
use crate::log::Position;

/// How many of its units a value of 1 has.
pub const UNITS: i64 = 10_000;

/// The most that one visitor's value can be, in units, either way. Squares of it
/// can be added for more visitors than there are people.
pub const VALUE_MAX: i64 = 1_000_000_000_000_000;

/// Answer to a [`super::question::Question`].
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// All events of the log up to here were known.
    pub position: Position,
    /// How many entered, by epoch and variant.
    pub arrivals: Vec<Arrivals>,
    /// Of these, how many met more than one arm within an epoch.
    pub crossed: u64,
    /// Of these, how many met more than one arm, but one only in each epoch.
    pub moved: u64,
    /// Visitors of the experiment, with no regard to epoch and filter, who are not
    /// counted because all of their exposures were a bot's.
    pub bots: u64,
    /// When the first visitor entered.
    pub first_entry: Option<Instant>,
    /// When the last visitor entered.
    pub last_entry: Option<Instant>,
    /// How alike the arms are: visitors by variant for each value of device,
    /// browser, os, country (the ten largest) and user type.
    pub balance: Vec<Balance>,
    /// For each metric of the question, in its order.
    pub metrics: Vec<MetricAnswer>,
}

/// Visitors who entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrivals {
    /// In which epoch.
    pub epoch: i64,
    /// In which arm.
    pub variant: u32,
    /// How many.
    pub visitors: u64,
}

/// Visitors who entered with a value of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Of what.
    pub dimension: Dimension,
    /// Which value; unknown when `None`.
    pub value: Option<Arc<str>>,
    /// In which arm.
    pub variant: u32,
    /// How many.
    pub visitors: u64,
}

/// Which of the visitors, by the dimension that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Those with this value.
    Value(Arc<str>),
    /// Those of whom it is not known.
    Unknown,
    /// All others, when there are too many values to tell apart.
    Rest,
}

/// Answer to a [`super::question::Metric`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricAnswer {
    /// Totals by epoch, variant, segment and whether the window is open, in this
    /// order; each visitor is in exactly one, and all are there that have any.
    pub cells: Vec<Cell>,
    /// The same over time, when that was asked for, in the order of time.
    pub steps: Vec<Step>,
    /// The cap in force, of an outcome with a value.
    pub cap: Option<f64>,
    /// Visitors whose value was above the cap.
    pub capped: u64,
    /// The currency of the values, if any order named one.
    pub currency: Option<String>,
    /// Orders in other currencies, which are not counted.
    pub other_currency_orders: u64,
}

/// A group of visitors.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// In which epoch they entered.
    pub epoch: i64,
    /// In which arm.
    pub variant: u32,
    /// With which value of the breakdown; `None` without one.
    pub segment: Option<Segment>,
    /// Whether what they do can still count: their window ends after `as_of`.
    pub open: bool,
    /// What they did.
    pub totals: Totals,
}

/// What a group of visitors did. Values are in [`UNITS`].
///
/// `value` is 0 for outcomes that are only counted. A visitor's value is the sum
/// of the orders', and counts with at most [`VALUE_MAX`] either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// How many they are.
    pub visitors: u64,
    /// How many of them had as many events as a conversion needs. 0 or 1 of each,
    /// so this is also the sum of its squares.
    pub converted: u64,
    /// Events that count.
    pub count: u64,
    /// Σ of each visitor's count squared.
    pub count_squared: u128,
    /// Σ of values after the cap.
    pub value: i128,
    /// Σ of their squares.
    pub value_squared: i128,
    /// Σ of values before the cap.
    pub raw_value: i128,
    /// Σ count × value after the cap.
    pub count_value: i128,
    /// Σ of the covariate: the value before entry after the cap, or 1 for a
    /// conversion before entry.
    pub before: i128,
    /// Σ of its squares.
    pub before_squared: i128,
    /// Σ covariate × (value after the cap, or 1 for a conversion).
    pub outcome_before: i128,
}

impl Totals {
    /// Of both groups together.
    pub fn merge(&self, other: &Totals) -> Totals {
        Totals {
            visitors: self.visitors + other.visitors,
            converted: self.converted + other.converted,
            count: self.count + other.count,
            count_squared: self.count_squared + other.count_squared,
            value: self.value + other.value,
            value_squared: self.value_squared + other.value_squared,
            raw_value: self.raw_value + other.raw_value,
            count_value: self.count_value + other.count_value,
            before: self.before + other.before,
            before_squared: self.before_squared + other.before_squared,
            outcome_before: self.outcome_before + other.outcome_before,
        }
    }
}

/// What changed within a quarter of an hour.
///
/// The sums of all steps up to a quarter are the totals as of its end: a visitor
/// is added at entry, converts at the event that makes enough, and stops to be a
/// bounce at what makes it none. The sums of all steps are the totals of the cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Quarters of an hour from 1970-01-01T00:00:00Z to the beginning of this one.
    pub quarter: i64,
    /// In which epoch the visitors entered.
    pub epoch: i64,
    /// In which arm.
    pub variant: u32,
    /// As [`Cell::open`].
    pub open: bool,
    /// What was added.
    pub totals: Change,
}

/// What is added to [`Totals`], with their names; may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "each is a change of the field of that name")]
pub struct Change {
    pub visitors: i64,
    pub converted: i64,
    pub count: i64,
    pub count_squared: i128,
    pub value: i128,
    pub value_squared: i128,
    pub raw_value: i128,
    pub count_value: i128,
    pub before: i128,
    pub before_squared: i128,
    pub outcome_before: i128,
}

impl Totals {
    /// These totals after a change. What would fall below 0 and cannot be, is 0:
    /// this happens only when changes are left out that come earlier.
    pub fn after(&self, change: &Change) -> Totals {
        Totals {
            visitors: self.visitors.saturating_add_signed(change.visitors),
            converted: self.converted.saturating_add_signed(change.converted),
            count: self.count.saturating_add_signed(change.count),
            count_squared: self.count_squared.saturating_add_signed(change.count_squared),
            value: self.value + change.value,
            value_squared: self.value_squared + change.value_squared,
            raw_value: self.raw_value + change.raw_value,
            count_value: self.count_value + change.count_value,
            before: self.before + change.before,
            before_squared: self.before_squared + change.before_squared,
            outcome_before: self.outcome_before + change.outcome_before,
        }
    }
}

/// A day of a project's traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    /// Visitors who did anything on it.
    pub visitors: u64,
    /// Visitors whose first event of the whole time was on it.
    pub first_visitors: u64,
    /// Visitors with the outcome on it.
    pub converted: u64,
}

/// What one visitor did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visitor {
    /// Hash of the visitor's id.
    pub visitor: u64,
    /// Days from 1970-01-01 to the first event, in UTC.
    pub day: i64,
    /// Events that count.
    pub count: u64,
    /// Whether they were enough.
    pub converted: bool,
    /// The value, after the cap, in [`UNITS`].
    pub value: i64,
}
