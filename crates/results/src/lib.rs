//! Computes results of experiments: queries the warehouse, and has the answers analysed.

pub mod advice;
mod compute;
pub mod concentration;
mod days;
mod define;
#[cfg(test)]
mod golden;
mod holdout;
mod inquiry;
mod interaction;
mod locked;
mod manifest;
mod planning;
pub mod programme;
mod report_cache;
mod simulation;
mod starting;
pub mod suspects;
mod unvouched;

pub use compute::{ComputeError, Computed, DayNumbers, MetricNumbers, Numbers, SegmentNumbers};
pub use days::Days;
pub use define::{NotFound, Past, ReportInputs, ReportSubject};
pub use holdout::{HoldoutInputs, NoHoldout};
pub use inquiry::{Inquiry, NETWORK, Phase, PlanBasis, Without, Zone, parse_breakdown, parse_day, parse_filter};
pub use interaction::PairCheck;
pub use locked::Labels;
pub use manifest::{
    ArmFacts, Counted, Engine, EpochFacts, ExperimentFacts, HoldoutFacts, InteractionFacts, LogDamage, LogFacts,
    LogPlaceFacts, LogRewrites, METHODS, Manifest, MetricFacts, NodeFacts, PlanFacts, PlanNow, PolicyFacts, RateFacts,
};
pub use planning::{Forecast, Lately, PlanningReport, PlanningRequest, SIGMA, lately};
pub use report_cache::{ReportCache, ReportError, ReportKey, ReportTimeouts, SubjectId, recompute};
pub use simulation::{
    DEFAULT_RATE, NumberSource, PlannedExperiment, SimulateError, Simulated, SimulatedPlan, SimulationRefusal,
    SimulationRequest, Traffic, TriedPlan, USUAL_POWER, simulate,
};
pub use starting::StartPlan;
pub use unvouched::UnvouchedVerdict;
