//! Answers questions about experiments: asks the warehouse, and has the answer analysed.

mod compute;
mod days;
mod define;
mod inquiry;
mod manifest;
mod planning;
mod report_cache;
mod starting;

pub use compute::{Computed, Failure, Numbers, Part, Shown, Stage};
pub use days::Days;
pub use define::{Known, Past, Unknown};
pub use inquiry::{Inquiry, Phase, Zone, parse_breakdown, parse_day, parse_filter};
pub use manifest::{
    ArmFacts, Counted, Engine, EpochFacts, ExperimentFacts, LogDamage, METHODS, Manifest, MetricFacts, NodeFacts,
    RateFacts,
};
pub use planning::{Forecast, Lately, Planned, SIGMA, Wanted, lately};
pub use report_cache::{ReportCache, ReportKey, Unanswered, recompute};
pub use starting::StartPlan;
