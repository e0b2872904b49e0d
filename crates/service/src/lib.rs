//! The application layer: the acts on experiments, goals, events and results.
//!
//! An act is a function of an [`App`], an actor and values that are parsed already. It loads
//! and locks the object it changes, decides with the pure functions of `domain`, saves, writes
//! history and announces the change. After the commit, it invalidates caches and
//! delivers the new ruleset. HTTP stays in `api`: nothing here knows a header, a status code
//! or the name of a published field.

mod app;
pub mod checklist;
mod clock_periods;
pub mod comments;
mod compute_queue;
pub mod exclusions;
mod experiment_audit;
pub mod experiments;
pub mod explain;
pub mod goals;
pub mod groups;
pub mod health;
pub mod hypotheses;
pub mod inbox;
pub mod install;
pub mod jobs;
mod loading_lag;
pub mod overview;
pub mod preview;
mod principal;
pub mod programme;
pub mod project_people;
pub mod projects;
pub mod proposals;
pub mod rates;
mod report_error;
pub mod results;
mod shared_reports;
pub mod shares;
pub mod simulation;
mod starts;
pub mod suspects;
pub mod visitor_data;
mod warnings;
pub mod watching;

pub use app::{App, Parts, Traffic};
pub use clock_periods::ClockPeriods;
pub use principal::Principal;
