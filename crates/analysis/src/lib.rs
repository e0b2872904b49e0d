//! Analysis of an experiment: from a design and summaries to a report.
//!
//! [`report()`] is a pure function. The same design and the same summaries give the same report, bit for bit, whenever
//! and wherever it runs.
//!
//! # Examples
//!
//! ```
//! use muriel_analysis::{
//!     AllocationPolicy, Arrivals, Cell, Design, EpochPlan, Grade, Measure, Metric, MetricRole, Summaries, Summary,
//!     Verdict, report,
//! };
//!
//! let design = Design {
//!     policy: AllocationPolicy::Fixed,
//!     arms: 2,
//!     confidence: 0.95,
//!     visitors: Some(20_000.0),
//!     mde: 0.02,
//!     epochs: vec![EpochPlan { number: 1, weights: vec![5_000, 5_000] }],
//! };
//! let cell = |arm, visitors, converted| Cell {
//!     epoch: 1,
//!     arm,
//!     open: false,
//!     summary: Summary { visitors, converted, ..Summary::default() },
//! };
//! let conversions = Metric {
//!     role: MetricRole::Primary,
//!     measure: Measure::Conversion,
//!     lower_is_better: false,
//!     cells: vec![cell(0, 10_000, 1_000), cell(1, 10_020, 1_200)],
//! };
//! let summaries = Summaries {
//!     arrivals: vec![
//!         Arrivals { epoch: 1, arm: 0, visitors: 10_000 },
//!         Arrivals { epoch: 1, arm: 1, visitors: 10_020 },
//!     ],
//!     observed_us: 14 * 86_400_000_000,
//!     metrics: vec![conversions],
//!     ..Summaries::default()
//! };
//!
//! let report = report(&design, &summaries);
//! assert_eq!(report.health.sample_ratio.grade, Grade::Ok);
//! let analysis = &report.metrics[0].analyses[0];
//! assert_eq!(analysis.verdict, Verdict::Win);
//! assert!((analysis.lift.unwrap() - 0.1976).abs() < 1e-4);
//! // A reader who checks every day is wrong about "above 0" in at most 5 of 100 experiments without an effect.
//! assert!(analysis.lift_interval.unwrap().lower > 0.0);
//! ```

mod applied;
mod arms;
pub mod bandit;
mod check;
mod design;
mod health;
pub mod interaction;
mod page;
pub mod programme;
mod report;
pub mod simulate;
mod summary;

pub use check::{Grade, HealthCheck};
pub use design::{AllocationPolicy, Design, EpochPlan};
pub use health::{Health, SampleRatioTest, epoch_ratios};
pub use page::{PageArm, PageHarm, PageHealth, PageMeasurement, PageMetric, PageStatus, page_health};
pub use report::{Analysis, LiftEstimate, MetricReport, Report, Verdict, lift_estimate, report};

pub use summary::{
    Applied, Arrivals, Balance, Cell, Measure, Metric, MetricRole, OtherNodes, PageCell, Summaries, Summary,
};
