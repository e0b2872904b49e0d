//! Answers questions about experiments: asks the warehouse, and has the answer analysed.

mod compute;
mod days;
mod define;
mod inquiry;
mod keeper;
mod manifest;
mod planning;

pub use compute::{Computed, Failure, Numbers, Part, Shown, Stage};
pub use days::Days;
pub use define::{Known, Past, Unknown};
pub use inquiry::{Inquiry, Phase, Zone, parse_breakdown, parse_day, parse_filter};
pub use keeper::{Keeper, Key, Unanswered, recompute};
pub use manifest::{ArmFacts, Counted, Engine, EpochFacts, ExperimentFacts, METHODS, Manifest, MetricFacts};
pub use planning::{Forecast, Lately, Planned, SIGMA, Wanted, lately};
