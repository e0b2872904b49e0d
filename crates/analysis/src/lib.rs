//! What the numbers of an experiment mean: plan and summaries in, report out.
//!
//! [`report()`] is a pure function. The same design and the same summaries give
//! the same report, bit for bit, whenever and wherever it runs.

mod applied;
mod arms;
mod design;
mod family;
mod health;
mod report;
pub mod simulate;
mod summary;

pub use design::{Design, EpochPlan, Trial};
pub use health::{Check, Grade, Health, Ratio, epoch_ratios};
pub use report::{Analysis, MetricReport, Point, Report, Verdict, point, report};

pub use summary::{Applied, Arrivals, Balance, Cell, Measure, Metric, OtherNodes, Role, Summaries, Summary};
