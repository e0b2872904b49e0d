//! The answers of a warehouse.
//!
//! Everything is an integer, so that sums do not depend on an order: values are
//! in ten-thousandths, see [`VALUE_SCALE`].

use std::ops::Add;
use std::sync::Arc;

use muriel_domain::Instant;
use muriel_stats::{JointMoments, Moments};

use super::Marks;
use super::question::Dimension;
use muriel_log::LogId;

/// Units that a value of 1 has: values are counted in ten-thousandths.
pub const VALUE_SCALE: i64 = 10_000;

/// Changes of an arm, from its first on, for which it is stored whether they matched: they are
/// the bits of a 64-bit integer.
pub const MAX_TRACKED_CHANGES: usize = 60;

/// The most that one visitor's value can be, in units, either way. Squares of it
/// can be added for a hundred million visitors.
pub const MAX_VALUE: i64 = 1_000_000_000_000_000;

/// ExperimentAnswer to a [`super::question::ExperimentQuestion`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentAnswer {
    /// Up to where the events of each log are in the answer.
    pub marks: Marks,
    /// What is not in the answer although it is before a mark, because it could not be
    /// read: at most one for each log, in the order of their ids.
    pub lost: Vec<LostBlocks>,
    /// Visitors who entered, by epoch and variant.
    pub arrivals: Vec<Arrivals>,
    /// Of these, visitors who met more than one arm within an epoch.
    pub crossed: u64,
    /// Of these, visitors who met more than one arm, but only one in each epoch.
    pub moved: u64,
    /// Visitors of the experiment, with no regard to epoch and filter, who are not
    /// counted because all of their exposures were a bot's.
    pub bots: u64,
    /// Visitors with an exposure that is dated before the experiment's first start, with no
    /// regard to dates, epoch and filter. Such exposures count nowhere else.
    pub early: u64,
    /// When the first visitor entered; `None` when nobody did.
    pub first_entry: Option<Instant>,
    /// How alike the arms are: visitors by variant for each value of device,
    /// browser, os, country (the ten largest) and user type.
    pub balance: Vec<Balance>,
    /// What the changes of variants found on pages, by variant and place; those of
    /// which nothing was told are left out.
    pub applied: Vec<AppliedChange>,
    /// For each metric of the question, in its order.
    pub metrics: Vec<MetricAnswer>,
}

/// Whether a change found what it changes. Each visitor counts once in their arm,
/// with the first page of which that was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedChange {
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Its place among the arm's changes, from 0.
    pub change: u32,
    /// Visitors on whose page it was due.
    pub pages: u64,
    /// Of these, on whose page it found something.
    pub matched: u64,
}

/// Blocks of one log whose events could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostBlocks {
    /// Of which log.
    pub log: LogId,
    /// Their number; 0 when no block is lost, but the log is not as it was written.
    pub blocks: u64,
    /// The first of them.
    pub first: i64,
    /// The last of them.
    pub last: i64,
}

/// Visitors who entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrivals {
    /// The number of the epoch.
    pub epoch: i64,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Their number, from 1.
    pub visitors: u64,
}

/// Visitors who entered with a value of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// What visitors differ by.
    pub dimension: Dimension,
    /// The value; `None` for visitors whose value is not known.
    pub value: Option<Arc<str>>,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Their number, from 1.
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

/// ExperimentAnswer to a [`super::question::Metric`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricAnswer {
    /// Totals by epoch, variant, segment and whether the window is open, in this
    /// order; each visitor is in exactly one, and all are there that have any.
    pub cells: Vec<GroupTotals>,
    /// The same over time, when that was asked for, in the order of time.
    pub steps: Vec<QuarterChange>,
    /// When windows closed, when that was asked for and there is a window, in the
    /// order of time.
    pub closings: Option<Vec<QuarterClosing>>,
    /// The cap in force, of an outcome with a value.
    pub cap: Option<f64>,
    /// Visitors whose value was above the cap.
    pub capped: u64,
    /// The currency of the values, if any order named one.
    pub currency: Option<String>,
    /// Which orders count, of revenue.
    pub orders: OrderSummary,
}

/// Which orders count towards revenue and which are left out. Zero and `None` of other metrics.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OrderSummary {
    /// Orders in other currencies, which are not counted.
    pub other_currency: u64,
    /// How many of these a key vouched for.
    pub other_currency_vouched: u64,
    /// Orders worth more than [`OrderSummary::limit`], which are not counted.
    pub implausible: u64,
    /// The most that an order may be worth, if there is a limit. Where [`Metric::max_order_value`] is `None`, it is for
    /// orders that no key vouched for.
    ///
    /// [`Metric::max_order_value`]: super::question::Metric::max_order_value
    pub limit: Option<f64>,
    /// Orders that are counted and that a key vouched for.
    pub vouched: u64,
    /// The order that is worth most, less what was refunded of it.
    pub largest: Option<LargestOrder>,
}

/// The order that is worth most of all that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargestOrder {
    /// What it is worth, in [`VALUE_SCALE`].
    pub units: i64,
    /// When it was made.
    pub at: Instant,
    /// In which arm its visitor is.
    pub variant: u32,
    /// Whether a key vouched for it.
    pub vouched: bool,
}

/// A group of visitors.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupTotals {
    /// In which epoch they entered.
    pub epoch: i64,
    /// In which arm.
    pub variant: u32,
    /// With which value of the breakdown; `None` without one.
    pub segment: Option<Segment>,
    /// Whether it is too early to tell: their window ends after `as_of`, or after
    /// `until`, from which on nothing counts. Never without a window.
    pub open: bool,
    /// What they did.
    pub totals: Totals,
}

/// What a group of visitors did.
pub type Totals = Sums<u64, u128>;

/// What is added to [`Totals`]; may be negative.
pub type TotalsChange = Sums<i64, i128>;

/// What a group of visitors did, with numbers `N` and their squares `S`: either
/// [`Totals`], or what is added to them, a [`TotalsChange`]. Values are in [`VALUE_SCALE`].
///
/// `value` is 0 for outcomes that are only counted. A visitor's value is the sum
/// of the orders', and counts with at most [`MAX_VALUE`] either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums<N, S> {
    /// How many they are.
    pub visitors: N,
    /// How many of them had as many events as a conversion needs. 0 or 1 of each,
    /// so this is also the sum of its squares.
    pub converted: N,
    /// Events that count.
    pub count: N,
    /// Σ of each visitor's count squared.
    pub count_squared: S,
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
        self.plus(other, u64::add, u128::add)
    }

    /// These totals after a change. What would fall below 0 and cannot be, is 0:
    /// this happens only when changes are left out that come earlier.
    pub fn after(&self, change: &TotalsChange) -> Totals {
        self.plus(change, u64::saturating_add_signed, u128::saturating_add_signed)
    }

    /// Each sum with the other of its name; those of numbers and of their squares,
    /// which are never negative here, as they are to be added.
    fn plus<N: Copy, S: Copy>(
        &self,
        other: &Sums<N, S>,
        number: impl Fn(u64, N) -> u64,
        square: impl Fn(u128, S) -> u128,
    ) -> Totals {
        Totals {
            visitors: number(self.visitors, other.visitors),
            converted: number(self.converted, other.converted),
            count: number(self.count, other.count),
            count_squared: square(self.count_squared, other.count_squared),
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

/// Moments, worked out in integers and rounded once: of the same visitors they are
/// the same to the last bit.
impl Totals {
    /// Of the value per visitor, after the cap.
    pub fn moments(&self) -> Moments {
        let value = Sum { of: self.value, units: VALUE_SCALE };
        Moments {
            n: self.visitors,
            mean: value.mean(self.visitors),
            m2: value.deviations(value, self.value_squared, self.visitors),
        }
    }

    /// Of the value after the cap (`x`) and the number of events (`y`) per visitor:
    /// what a value per order is made of.
    pub fn orders_and_value(&self) -> JointMoments {
        let value = Sum { of: self.value, units: VALUE_SCALE };
        let count = Sum { of: i128::from(self.count), units: 1 };
        // More would be the square of more events than a warehouse holds.
        let count_squared = i128::try_from(self.count_squared).unwrap_or(i128::MAX);
        joint(self.visitors, value, self.value_squared, count, count_squared, self.count_value)
    }

    /// Of the outcome (`x`) and the covariate (`y`) per visitor. The outcome is the
    /// value after the cap if it [has one](super::CountedOutcome::has_value), else 0 or 1
    /// for a conversion.
    pub fn adjusted(&self, has_value: bool) -> JointMoments {
        let units = if has_value { VALUE_SCALE } else { 1 };
        let (outcome, squared) = if has_value {
            (self.value, self.value_squared)
        } else {
            (i128::from(self.converted), i128::from(self.converted))
        };
        let (outcome, before) = (Sum { of: outcome, units }, Sum { of: self.before, units });
        joint(self.visitors, outcome, squared, before, self.before_squared, self.outcome_before)
    }
}

fn joint(n: u64, x: Sum, squares_x: i128, y: Sum, squares_y: i128, products: i128) -> JointMoments {
    JointMoments {
        n,
        mean_x: x.mean(n),
        mean_y: y.mean(n),
        m2_x: x.deviations(x, squares_x, n),
        m2_y: y.deviations(y, squares_y, n),
        c: x.deviations(y, products, n),
    }
}

/// Σ of a number per visitor, counted in so many units.
#[derive(Clone, Copy)]
struct Sum {
    of: i128,
    units: i64,
}

impl Sum {
    /// The mean of `n`; 0 of none.
    fn mean(self, n: u64) -> f64 {
        let per = u128::from(n) * self.units.unsigned_abs() as u128;
        if per == 0 {
            return 0.0;
        }
        let whole = self.of.unsigned_abs();
        let mean = rounded(whole / per, whole % per, per);
        if self.of < 0 { -mean } else { mean }
    }

    /// Σ (x − mean of x)(y − mean of y) = Σxy − Σx Σy / n.
    ///
    /// With Σx = q n + r and Σy = s n + t, what is taken away is
    /// q s n + q t + s r, which is an integer, and r t / n.
    fn deviations(self, other: Sum, products: i128, n: u64) -> f64 {
        if n == 0 {
            return 0.0;
        }
        let count = i128::from(n);
        let (q, r) = (self.of.div_euclid(count), self.of.rem_euclid(count));
        let (s, t) = (other.of.div_euclid(count), other.of.rem_euclid(count));
        // Grouped so that nothing is larger than a sum of squares can be.
        let integer = products - (q * other.of + s * r);
        let taken = r * t;
        // floor(integer − taken / n), and what is left of n.
        let floor = integer - taken / count - i128::from(taken % count > 0);
        let part = (count - taken % count) % count;
        let (negative, whole, part) = match (floor < 0, part) {
            (false, part) => (false, floor, part),
            (true, 0) => (true, -floor, 0),
            (true, part) => (true, -floor - 1, count - part),
        };
        let units = (self.units * other.units).unsigned_abs() as u128;
        let per = units * u128::from(n);
        let left = (whole.unsigned_abs() % units) * u128::from(n) + part.unsigned_abs();
        let deviations = rounded(whole.unsigned_abs() / units, left, per);
        if negative { -deviations } else { deviations }
    }
}

/// `whole + part / per`, `part` below `per` and `per` below 2¹²⁷, as the nearest
/// double.
fn rounded(whole: u128, mut part: u128, per: u128) -> f64 {
    let (mut digits, mut places) = (whole, 0);
    // More binary digits than a double keeps, and one more that says whether any
    // follow.
    while digits >> 64 == 0 && part > 0 {
        part *= 2;
        digits = digits * 2 + u128::from(part >= per);
        part -= if part >= per { per } else { 0 };
        places += 1;
    }
    digits |= u128::from(part > 0);
    digits as f64 * 2f64.powi(-places)
}

/// What changed within a quarter of an hour.
///
/// The sums of all steps up to a quarter are the totals as of its end: a visitor
/// is added at entry, converts at the event that makes enough, and stops to be a
/// bounce at what makes it none. The sums of all steps are the totals of the cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarterChange {
    /// Quarters of an hour from 1970-01-01T00:00:00Z to the beginning of this one.
    pub quarter: i64,
    /// In which epoch the visitors entered.
    pub epoch: i64,
    /// In which arm.
    pub variant: u32,
    /// What was added.
    pub totals: TotalsChange,
}

/// Visitors whose windows closed within a quarter of an hour, with all that they
/// did.
///
/// A window that ends with a quarter closes in it, so the sums of all closings up
/// to a quarter are the totals of the visitors whose windows had closed by its end,
/// and the sums of all are those of the cells that are not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarterClosing {
    /// As [`QuarterChange::quarter`].
    pub quarter: i64,
    /// In which epoch the visitors entered.
    pub epoch: i64,
    /// In which arm.
    pub variant: u32,
    /// What they did.
    pub totals: Totals,
}

/// A project's traffic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficAnswer {
    /// Visitors with at least one event.
    pub visitors: u64,
    /// Visitors who converted, each counted once.
    pub converted: u64,
    /// Σ of their values after the cap, in [`VALUE_SCALE`]; 0 where the outcome has no value.
    pub value: i128,
    /// Σ of the squares of these.
    pub value_squared: i128,
    /// Days from 1970-01-01 to the first event of them all, in UTC; `None` without
    /// visitors.
    pub first_day: Option<i64>,
    /// Up to where the events of each log went in.
    pub marks: Marks,
}

/// What one visitor did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitorTotals {
    /// Hash of the visitor's id.
    pub visitor: u64,
    /// Days from 1970-01-01 to the first event, in UTC.
    pub day: i64,
    /// Events that count.
    pub count: u64,
    /// Whether these events were enough for a conversion.
    pub converted: bool,
    /// The value, after the cap, in [`VALUE_SCALE`].
    pub value: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Totals of visitors with a count, a value and a covariate.
    fn totals(visitors: &[(u32, i64, i64)]) -> Totals {
        visitors.iter().fold(Totals::default(), |sum, &(count, value, before)| {
            let (value, before) = (i128::from(value), i128::from(before));
            sum.merge(&Totals {
                visitors: 1,
                converted: u64::from(count > 0),
                count: count.into(),
                count_squared: u128::from(count) * u128::from(count),
                value,
                value_squared: value * value,
                raw_value: value,
                count_value: i128::from(count) * value,
                before,
                before_squared: before * before,
                outcome_before: value * before,
            })
        })
    }

    #[test]
    fn moments_keep_a_spread_that_is_small_beside_the_mean() {
        // 1e11 and twice 1e11 less a ten-thousandth: sums of squares in doubles
        // know nothing of the difference.
        let most = MAX_VALUE;
        let moments = totals(&[(1, most, 0), (1, most - 1, 0), (1, most - 1, 0)]).moments();
        assert_eq!(moments.n, 3);
        assert_eq!(moments.m2, 2.0 / 3e8);
        assert_eq!(moments.mean, (3.0 * most as f64 - 2.0) / 3e4);
    }

    #[test]
    fn nobody_has_no_moments() {
        assert_eq!(Totals::default().moments(), Moments::default());
        assert_eq!(Totals::default().adjusted(true), JointMoments::default());
    }

    #[test]
    fn fractions_round_to_the_nearest_double() {
        for (whole, part, per, expect) in [
            (0, 1, 3, 1.0 / 3.0),
            (0, 2, 3, 2.0 / 3.0),
            (1, 1, 10, 1.1),
            (123_456_789, 7, 16, 123_456_789.437_5),
            (1 << 60, 0, 7, (1u64 << 60) as f64),
            // Just above half of the last place: only what follows tells.
            ((1 << 53) + 1, 1, 1_000_000_007, ((1u64 << 53) + 2) as f64),
            ((1 << 53) + 1, 0, 1, (1u64 << 53) as f64),
            ((1 << 80) + (1 << 27), 1, 1_000_000_007, 2f64.powi(80) + 2f64.powi(28)),
            ((1 << 80) + (1 << 27), 0, 1, 2f64.powi(80)),
            (0, 1, 1 << 100, 2f64.powi(-100)),
        ] {
            assert_eq!(rounded(whole, part, per), expect, "{whole} {part}/{per}");
        }
    }

    proptest! {
        #[test]
        fn moments_are_those_of_the_visitors(
            visitors in proptest::collection::vec((0u32..5, -5_000_000i64..5_000_000, -9_000_000i64..9_000_000), 1..40),
        ) {
            let totals = totals(&visitors);
            let (mut adjusted, mut orders) = (JointMoments::default(), JointMoments::default());
            for &(count, value, before) in &visitors {
                adjusted.push(value as f64 / 1e4, before as f64 / 1e4);
                orders.push(value as f64 / 1e4, count.into());
            }
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs() + b.abs());
            let alike = |a: JointMoments, b: JointMoments| {
                let squares = (1.0 + b.m2_x * b.m2_y).sqrt();
                a.n == b.n && near(a.mean_x, b.mean_x) && near(a.mean_y, b.mean_y) && near(a.m2_x, b.m2_x)
                    && near(a.m2_y, b.m2_y) && (a.c - b.c).abs() <= 1e-9 * squares
            };
            prop_assert!(alike(totals.adjusted(true), adjusted), "{:?} {adjusted:?}", totals.adjusted(true));
            prop_assert!(alike(totals.orders_and_value(), orders), "{:?} {orders:?}", totals.orders_and_value());
            prop_assert_eq!(totals.moments(), totals.adjusted(true).x());
        }

        #[test]
        fn deviations_are_exact(
            x in proptest::collection::vec(-1_000i64..1_000, 1..9), y in proptest::collection::vec(-1_000i64..1_000, 9),
        ) {
            let n = x.len() as i64;
            let sum = |all: &[i64]| all.iter().sum::<i64>();
            let products: i64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            let y = &y[..x.len()];
            let exact = (products * n - sum(&x) * sum(y)) as f64 / n as f64;
            let (x, y) = (Sum { of: sum(&x).into(), units: 1 }, Sum { of: sum(y).into(), units: 1 });
            // Numerator and denominator are exact doubles: one division, rounded once.
            prop_assert_eq!(x.deviations(y, products.into(), n as u64), exact);
        }
    }
}
