//! Answers of a warehouse.
//!
//! All sums are integers, so that they do not depend on the order of addition. Values are in ten-thousandths, see
//! [`VALUE_SCALE`].

use std::ops::Add;
use std::sync::Arc;

use muriel_domain::Instant;
use muriel_stats::{JointMoments, Moments};

use super::Watermarks;
use super::question::Dimension;
use muriel_log::LogId;

/// Scale factor of fixed-point values: a value of 1 is stored as 10,000.
pub const VALUE_SCALE: i64 = 10_000;

/// Number of an arm's changes, from the first, for which the warehouse stores whether they matched: one bit each of a
/// signed 64-bit integer.
pub const MAX_TRACKED_CHANGES: usize = 60;
/// Maximum number of error messages per variant in an answer.
pub const TOP_ERRORS: usize = 5;
/// Maximum characters of such a message.
pub const ERROR_CHARS: usize = 200;

/// Scale factor of cumulative layout shifts: a shift of 1 is stored as 10,000.
pub const CLS_SCALE: i64 = 10_000;

/// Cap of largest contentful paint, in milliseconds. A larger measure counts as the cap. Otherwise one page that took
/// minutes would outweigh hundreds of others.
pub const LCP_CAP_MS: i64 = 10_000;
/// Cap of cumulative layout shift, times [`CLS_SCALE`]; see [`LCP_CAP_MS`].
pub const CLS_CAP: i64 = CLS_SCALE;
/// Cap of interaction to next paint, in milliseconds; see [`LCP_CAP_MS`].
pub const INP_CAP_MS: i64 = 2_000;
/// Cap of the time for which elements were hidden, in milliseconds; see [`LCP_CAP_MS`].
pub const HIDDEN_CAP_MS: i64 = 10_000;

/// Maximum absolute value of one visitor, times [`VALUE_SCALE`]. The sum of its squares over a hundred million visitors
/// fits in an `i128`.
pub const MAX_VALUE: i64 = 1_000_000_000_000_000;

/// The answer to an [`ExperimentQuestion`](super::question::ExperimentQuestion).
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentAnswer {
    /// Watermark of each log when the question was answered.
    pub marks: Watermarks,
    /// Unreadable blocks before a watermark, whose events are not in the answer: at most one entry per log, in the
    /// order of the logs' ids.
    pub lost: Vec<LostBlocks>,
    /// Deletions of the project's events from blocks before a watermark: at most one entry per log, in the order of the
    /// logs' ids.
    pub rewritten: Vec<RewrittenBlocks>,
    /// Visitors who entered, by epoch and variant.
    pub arrivals: Vec<Arrivals>,
    /// Entered visitors who were exposed to more than one arm within an epoch.
    pub crossed: u64,
    /// Entered visitors who were exposed to more than one arm, but to only one per epoch.
    pub moved: u64,
    /// Visitors who are not counted because all of their exposures were a bot's, regardless of
    /// epoch and filter.
    pub bots: u64,
    /// Visitors with an exposure before the experiment's first start, regardless of period,
    /// epoch and filter. Such exposures are ignored everywhere else.
    pub early: u64,
    /// Visitors with an exposure in the period of the question, whether the policy counts them or not; none for a
    /// holdout.
    pub trust: VisitorsByTrust,
    /// Totals of the first metric by [network](super::Dimension::Network) of the visitors at entry; empty unless
    /// [requested](super::WarehouseReader::ask_with_networks), and for a holdout.
    pub networks: Vec<GroupTotals>,
    /// Totals of the first metric for visitors who entered with a signed or keyed exposure. Present like `networks`, if
    /// there are other visitors.
    pub trusted: Vec<GroupTotals>,
    /// Visitors who would have entered in the period of the question without the [exclusions](super::Policy::exclusions),
    /// regardless of epoch and filter; none for a holdout.
    pub excluded: u64,
    /// Events that pages of entered visitors could not send or read, after entry.
    pub lost_events: LostEvents,
    /// Time at which the first visitor entered; `None` when nobody did.
    pub first_entry: Option<Instant>,
    /// Visitors per variant for each value of device, browser, OS, country and user type (the ten largest values of
    /// each), to check whether the arms are comparable.
    pub balance: Vec<Balance>,
    /// Matches of the changes of variants, by variant and index of the change. Changes without any report are omitted.
    pub applied: Vec<AppliedChange>,
    /// Measures and failures of entered visitors' pages, sorted by epoch and variant. Groups without any report are
    /// omitted.
    pub pages: Vec<PageTotals>,
    /// Error messages on pages of entered visitors: the [`TOP_ERRORS`] of each variant that most visitors had. Sorted
    /// by variant, then by number of visitors in descending order, then by message.
    pub errors: Vec<PageError>,
    /// One answer per metric of the question, in the same order.
    pub metrics: Vec<MetricAnswer>,
}

/// Events that pages report as lost: events that the server did not accept, and unreadable orders of the data layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LostEvents {
    /// Number of visitors with lost events.
    pub visitors: u64,
    /// Number of events. One report counts at most [`LOST_MAX`].
    pub events: u64,
}

/// Maximum number of lost events that one report counts. Real pages buffer fewer, and anybody can send a report.
pub const LOST_MAX: i64 = 1_000;

/// Number of times that a change of a variant found its element. Each visitor counts once, with the first page that
/// reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedChange {
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Index of the change in the arm, from 0.
    pub change: u32,
    /// Visitors with a page to which the change applied.
    pub pages: u64,
    /// Visitors on whose page it matched an element, at most `pages`.
    pub matched: u64,
}

/// Measures and failures of an arm's pages. Each visitor counts once: for a measure with the first page that reported
/// it, for an error or lateness with any page that reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageTotals {
    /// Epoch in which the visitors entered.
    pub epoch: i64,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Visitors with a page on which the arm's code failed.
    pub failed: u64,
    /// Visitors with a page on which the arm was applied too late to be shown.
    pub late: u64,
    /// Time for which elements were hidden, in milliseconds.
    pub hidden: PageMeasure,
    /// Largest contentful paint, in milliseconds.
    pub lcp: PageMeasure,
    /// Cumulative layout shift, times [`CLS_SCALE`].
    pub cls: PageMeasure,
    /// Interaction to next paint, in milliseconds.
    pub inp: PageMeasure,
}

/// Errors of a variant with the same message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageError {
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Message, at most [`ERROR_CHARS`] characters.
    pub message: String,
    /// Page on which most of these visitors had it, without query and fragment; on a tie, the first by name. `None`
    /// when no page is known.
    pub url: Option<String>,
    /// Browser of most of these visitors; on a tie, the first by name.
    pub browser: Option<String>,
    /// Visitors who had the error.
    pub visitors: u64,
    /// Time of its first occurrence.
    pub first_at: Instant,
    /// Time of its last occurrence.
    pub last_at: Instant,
}

/// A measure of pages, one per visitor, limited to its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageMeasure {
    /// Visitors with a page that reported it.
    pub visitors: u64,
    /// Σ of the measures.
    pub sum: u64,
    /// Σ of the squared measures.
    pub squares: u64,
}

impl PageTotals {
    /// Returns whether any page reported something.
    pub(super) fn has_reports(&self) -> bool {
        *self != PageTotals { epoch: self.epoch, variant: self.variant, ..PageTotals::default() }
    }
}

impl PageMeasure {
    /// Mean and variance, with each measure divided by `scale`.
    pub fn moments(&self, scale: i64) -> Moments {
        let totals = Totals {
            visitors: self.visitors,
            value: i128::from(self.sum) * i128::from(VALUE_SCALE / scale),
            value_squared: i128::from(self.squares) * i128::from(VALUE_SCALE / scale).pow(2),
            ..Totals::default()
        };
        totals.moments()
    }
}

/// Blocks of one log whose events could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostBlocks {
    /// Id of the log.
    pub log: LogId,
    /// Number of blocks; 0 if only the header of a file is damaged and no block is lost.
    pub blocks: u64,
    /// First of the blocks.
    pub first: i64,
    /// Last of the blocks.
    pub last: i64,
}

/// Blocks of one log from which events of a project were deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewrittenBlocks {
    /// Id of the log.
    pub log: LogId,
    /// Number of blocks.
    pub blocks: u64,
    /// Number of events that were deleted from them.
    pub removed: u64,
    /// Events among these that the project's retention deleted. The others belonged to visitors whose data was deleted.
    pub expired: u64,
    /// Time of the last deletion.
    pub last_at: Instant,
}

/// Visitors who entered, by epoch and variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrivals {
    /// Number of the epoch.
    pub epoch: i64,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Number of visitors, at least 1.
    pub visitors: u64,
}

/// Visitors who entered with a given value of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// The dimension.
    pub dimension: Dimension,
    /// The value; `None` for visitors whose value is unknown.
    pub value: Option<Arc<str>>,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Number of visitors, at least 1.
    pub visitors: u64,
}

/// A segment of the visitors by the breakdown's dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Visitors with this value.
    Value(Arc<str>),
    /// Visitors whose value is unknown.
    Unknown,
    /// Visitors with any other value, when there are more than
    /// [`SEGMENTS_MAX`](super::SEGMENTS_MAX).
    Rest,
}

/// The answer for one [`Metric`](super::question::Metric).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricAnswer {
    /// Totals by epoch, variant, segment and whether the window is open, sorted in this order. Each visitor is in
    /// exactly one cell; empty cells are omitted.
    pub cells: Vec<GroupTotals>,
    /// Changes of the totals over time, in order; empty unless the question asked for them.
    pub steps: Vec<QuarterChange>,
    /// Closings of windows over time, in order; `None` unless the question asked for them and the metric has a window.
    pub closings: Option<Vec<QuarterClosing>>,
    /// Cap that was applied, for an outcome with a value.
    pub cap: Option<f64>,
    /// Visitors whose value was above the cap.
    pub capped: u64,
    /// Currency of the values, if any order named one.
    pub currency: Option<String>,
    /// Visitors with an event within [`JUST_BEFORE_US`](super::question::JUST_BEFORE_US) before entry, which does not
    /// count. Computed for custom events and orders, and only for the first metric.
    pub just_before: u64,
    /// Visitors whose counted submits were all prevented by the page, because it sends the form itself or has found an
    /// input error. Computed for form goals, and only for the first metric.
    pub only_prevented: u64,
    /// True when a metric of visits has no data, because no entered visitor sent a page view. Every visitor would be a
    /// bounce.
    pub is_unfed: bool,
    /// Counted and excluded orders, for revenue.
    pub orders: OrderSummary,
}

/// Orders that count towards revenue and orders that are excluded. All fields are 0 or `None` for other metrics.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OrderSummary {
    /// Number of orders in other currencies, which are excluded.
    pub other_currency: u64,
    /// Orders among these that were sent with an API key (trusted).
    pub other_currency_trusted: u64,
    /// Number of orders above [`OrderSummary::limit`], which are excluded.
    pub implausible: u64,
    /// Maximum plausible order value that was applied; `None` without a limit. If [`Metric::max_order_value`] is
    /// `None`, it applies only to orders sent without a key.
    ///
    /// [`Metric::max_order_value`]: super::question::Metric::max_order_value
    pub limit: Option<f64>,
    /// Number of counted orders that were sent with an API key.
    pub trusted: u64,
    /// Number of orders that were left out because another order with the same number counts already.
    pub repeated: u64,
    /// Orders among these with a number that at least [`SHARED_BY`](super::question::SHARED_BY) visitors have sent.
    pub shared: u64,
    /// Number of refunds that name a missing order, or an order that they may not reduce.
    pub lost_refunds: u64,
    /// Number of custom events with the name of the orders: purchases without a readable amount and currency.
    pub unread: u64,
    /// Number of orders that the policy does not count because of who sent them.
    pub untrusted: u64,
    /// The counted order with the largest value after refunds.
    pub largest: Option<LargestOrder>,
}

/// The counted order with the largest value after refunds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargestOrder {
    /// Value after refunds, times [`VALUE_SCALE`].
    pub units: i64,
    /// Time of the order.
    pub at: Instant,
    /// Arm of its visitor, 0 for the control.
    pub variant: u32,
    /// True when it was sent with an API key.
    pub trusted: bool,
}

/// Totals of one cell: visitors with the same epoch, variant, segment and window state.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupTotals {
    /// Epoch in which they entered.
    pub epoch: i64,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Segment of the breakdown; `None` without a breakdown.
    pub segment: Option<Segment>,
    /// True when their window is still open: it ends after `as_of` or `until` of the question. Always false without a
    /// window.
    pub open: bool,
    /// Totals of these visitors.
    pub totals: Totals,
}

/// The answer to a [`PairQuestion`](super::question::PairQuestion).
#[derive(Debug, Clone, PartialEq)]
pub struct PairAnswer {
    /// Watermark of each log when the question was answered.
    pub marks: Watermarks,
    /// Totals by epoch and variant of both experiments and whether the window is open, sorted in this order. Each
    /// visitor who entered both is in exactly one cell; empty cells are omitted. A visitor who entered the other
    /// experiment after the metric's window had closed could not be influenced by it, and is in no cell.
    pub cells: Vec<PairTotals>,
}

/// Totals of visitors with the same epoch and arm in both experiments and the same window state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairTotals {
    /// Epoch in which they entered the experiment of the metric.
    pub epoch: i64,
    /// Arm in that experiment, 0 for the control.
    pub variant: u32,
    /// Epoch in which they entered the other experiment.
    pub other_epoch: i64,
    /// Arm in the other experiment, 0 for the control.
    pub other_variant: u32,
    /// True when their window is still open, as in [`GroupTotals::open`].
    pub open: bool,
    /// Totals of these visitors.
    pub totals: Totals,
}

/// The answer to a [`SharedQuestion`](super::question::SharedQuestion).
#[derive(Debug, Clone, PartialEq)]
pub struct SharedAnswer {
    /// Watermark of each log when the question was answered.
    pub marks: Watermarks,
    /// Pairs of experiments that share visitors, in the order of the question.
    pub pairs: Vec<SharedVisitors>,
}

/// Number of visitors that two experiments have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedVisitors {
    /// Id of one experiment, the earlier one in the question.
    pub test_id: i64,
    /// Id of the other experiment.
    pub other_test_id: i64,
    /// Visitors with an exposure to each of them that was not a bot's, at any time; at least 1.
    pub visitors: u64,
}

/// Sums over a group of visitors.
pub type Totals = Sums<u64, u128>;

/// Difference between two [`Totals`]; sums may be negative.
pub type TotalsChange = Sums<i64, i128>;

/// Sums over a group of visitors, with counts of type `N` and squared counts of type `S`: [`Totals`] or a
/// [`TotalsChange`]. Values are multiplied by [`VALUE_SCALE`].
///
/// `value` is 0 for outcomes without a value. A visitor's value is the sum of the orders'
/// values, limited to ±[`MAX_VALUE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums<N, S> {
    /// Number of visitors.
    pub visitors: N,
    /// Number of visitors who converted. Each visitor adds 0 or 1, so this is also the sum of squares.
    pub converted: N,
    /// Number of events that count.
    pub count: N,
    /// Σ of each visitor's count squared.
    pub count_squared: S,
    /// Σ of values after the cap.
    pub value: i128,
    /// Σ of squared values after the cap.
    pub value_squared: i128,
    /// Σ of values before the cap.
    pub raw_value: i128,
    /// Σ count × value after the cap.
    pub count_value: i128,
    /// Σ of the covariate: the value before entry after the cap, or 1 for a conversion before entry.
    pub before: i128,
    /// Σ of the squared covariate.
    pub before_squared: i128,
    /// Σ covariate × (value after the cap, or 1 for a conversion).
    pub outcome_before: i128,
}

impl Totals {
    /// Adds the totals of another group.
    pub fn merge(&self, other: &Totals) -> Totals {
        self.plus(other, u64::add, u128::add)
    }

    /// Adds a change to these totals. Counts saturate at 0, which happens only when earlier changes were not applied.
    pub fn after(&self, change: &TotalsChange) -> Totals {
        self.plus(change, u64::saturating_add_signed, u128::saturating_add_signed)
    }

    /// Adds field by field. `number` adds counts and `square` adds squared counts, which are unsigned here and may be
    /// signed in `other`.
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

/// Moments, computed in integers and rounded once, so that the same visitors always give identical bits.
impl Totals {
    /// Moments of the value per visitor, after the cap.
    pub fn moments(&self) -> Moments {
        let value = Sum { of: self.value, units: VALUE_SCALE };
        Moments {
            n: self.visitors,
            mean: value.mean(self.visitors),
            m2: value.deviations(value, self.value_squared, self.visitors),
        }
    }

    /// Joint moments of the value after the cap (`x`) and the number of events (`y`) per visitor, for a value per
    /// order.
    pub fn orders_and_value(&self) -> JointMoments {
        let value = Sum { of: self.value, units: VALUE_SCALE };
        let count = Sum { of: i128::from(self.count), units: 1 };
        // Saturates, because more would need more events than a warehouse can store.
        let count_squared = i128::try_from(self.count_squared).unwrap_or(i128::MAX);
        joint(self.visitors, value, self.value_squared, count, count_squared, self.count_value)
    }

    /// Joint moments of the outcome (`x`) and the covariate (`y`) per visitor. If the metric
    /// [has values](super::CountedOutcome::has_value), the outcome is the value after the cap; otherwise it
    /// is 1 for a visitor who converted, and 0 for others.
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

/// Σ of a number per visitor, in multiples of 1 / `units`.
#[derive(Clone, Copy)]
struct Sum {
    of: i128,
    units: i64,
}

impl Sum {
    /// The mean over `n` visitors; 0 without visitors.
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
    /// With Σx = q n + r and Σy = s n + t, the subtrahend is q s n + q t + s r, which is an integer, plus r t / n.
    fn deviations(self, other: Sum, products: i128, n: u64) -> f64 {
        if n == 0 {
            return 0.0;
        }
        let count = i128::from(n);
        let (q, r) = (self.of.div_euclid(count), self.of.rem_euclid(count));
        let (s, t) = (other.of.div_euclid(count), other.of.rem_euclid(count));
        // Grouped so that no term exceeds the size of a sum of squares.
        let integer = products - (q * other.of + s * r);
        let taken = r * t;
        // floor(integer − taken / n), and the remaining fraction in units of 1 / n.
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

/// The double nearest to `whole + part / per`, where `part` is below `per` and `per` is below 2¹²⁷.
fn rounded(whole: u128, mut part: u128, per: u128) -> f64 {
    let (mut digits, mut places) = (whole, 0);
    // More binary digits than a double has, and one more for whether any digits follow.
    while digits >> 64 == 0 && part > 0 {
        part *= 2;
        digits = digits * 2 + u128::from(part >= per);
        part -= if part >= per { per } else { 0 };
        places += 1;
    }
    digits |= u128::from(part > 0);
    digits as f64 * 2f64.powi(-places)
}

/// Change of the totals within a quarter of an hour.
///
/// The sum of all steps up to a quarter is the totals as of its end: a visitor is added at entry, converts at the event
/// that reaches the required count, and stops being a bounce at the first event that rules it out. The sum of all steps
/// is the totals of the cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarterChange {
    /// Quarters of an hour from 1970-01-01T00:00:00Z to the beginning of this one.
    pub quarter: i64,
    /// Epoch in which the visitors entered.
    pub epoch: i64,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Change of the totals.
    pub totals: TotalsChange,
}

/// Totals of visitors whose windows closed within a quarter of an hour.
///
/// A window that ends with a quarter closes in it. So the sum of all closings up to a quarter is the totals of the
/// visitors whose windows had closed by its end, and the sum of all closings is that of the cells that are not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarterClosing {
    /// Quarter of an hour; see [`QuarterChange::quarter`].
    pub quarter: i64,
    /// Epoch in which the visitors entered.
    pub epoch: i64,
    /// The arm, 0 for the control.
    pub variant: u32,
    /// Totals of these visitors.
    pub totals: Totals,
}

/// The answer to a [`TrafficQuestion`](super::question::TrafficQuestion).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrafficAnswer {
    /// Visitors with at least one event.
    pub visitors: u64,
    /// Visitors who converted, each counted once.
    pub converted: u64,
    /// Σ of their values after the cap, times [`VALUE_SCALE`]; 0 for an outcome without a value.
    pub value: i128,
    /// Σ of the squares of these values.
    pub value_squared: i128,
    /// Days from 1970-01-01 UTC to the first event of all visitors; `None` without visitors.
    pub first_day: Option<i64>,
    /// Watermark of each log when the question was answered.
    pub marks: Watermarks,
}

/// The events of one visitor, for a [`VisitorsQuestion`](super::question::VisitorsQuestion).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitorTotals {
    /// Hash of the visitor's id: the first 8 bytes of its SHA-256, big-endian.
    pub visitor: u64,
    /// Day of the first event, as days since 1970-01-01 UTC.
    pub day: i64,
    /// Number of events that count.
    pub count: u64,
    /// True when these events are a conversion.
    pub converted: bool,
    /// Value after the cap, times [`VALUE_SCALE`].
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
        // 1e11 and twice 1e11 minus a ten-thousandth: sums of squares in doubles would lose the difference.
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
            // Just above half a unit in the last place: only the following digits decide the rounding.
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
            // Numerator and denominator are exact doubles, so this is a single division, rounded once.
            prop_assert_eq!(x.deviations(y, products.into(), n as u64), exact);
        }
    }
}

/// The answer to an [`ActivityQuestion`](super::question::ActivityQuestion).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActivityAnswer {
    /// Days with matches, in ascending order.
    pub days: Vec<ActivityDay>,
    /// Time of the last match.
    pub last_at: Option<Instant>,
    /// Watermark of each log when the question was answered.
    pub marks: Watermarks,
}

/// Matches of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityDay {
    /// Days since 1970-01-01 UTC.
    pub day: i64,
    /// Matching events, each counted once. A scroll depth or duration counts once per visitor and page, and orders with
    /// the same number count once.
    pub matches: u64,
    /// Number of visitors with these events.
    pub visitors: u64,
}

/// The answer to a [`PagesQuestion`](super::question::PagesQuestion).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagesAnswer {
    /// Pages with the time of their last view, the latest first.
    pub pages: Vec<(String, Instant)>,
    /// Time of the last event of any kind.
    pub last_event: Option<Instant>,
    /// Watermark of each log when the question was answered.
    pub marks: Watermarks,
}

/// Numbers of visitors by the most trusted of their exposures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VisitorsByTrust {
    /// Visitors with an exposure that was sent with an API key.
    pub keyed: u64,
    /// Other visitors with an exposure that was sent with a signature.
    pub signed: u64,
    /// Others with an exposure that was in time, on the project's pages.
    pub unsigned: u64,
    /// Others with an exposure that was in time. All of these were on pages of other origins, so they do not count.
    pub elsewhere: u64,
    /// All others: their exposures were received too long after their time to count.
    pub late: u64,
}
