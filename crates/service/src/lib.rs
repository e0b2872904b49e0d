//! The application layer: the acts on experiments, goals, events and results.
//!
//! An act is a function of an [`App`], an actor and values that are parsed already. It loads
//! and locks the object it changes, decides with the pure functions of `domain`, saves, writes
//! history and announces the change. After the commit, it invalidates caches and
//! delivers the new ruleset. HTTP stays in `api`: nothing here knows a header, a status code
//! or the name of a published field.

pub mod access_cache;
pub mod actor;
pub mod actors;
pub mod api_key;
mod app;
pub mod audit;
pub mod checklist;
pub mod clock;
pub mod comments;
mod compute_queue;
pub mod digest;
pub mod error;
pub mod evaluation;
pub mod experiments;
pub mod explain;
pub mod flag_template;
pub mod goals;
pub mod groups;
pub mod health;
pub mod hypotheses;
pub mod idempotency;
pub mod inbox;
pub mod install;
pub mod intake;
pub mod integrations;
pub mod jobs;
pub mod keys;
pub mod last_uses;
pub mod list_cache;
pub mod live;
pub mod memory_budget;
mod names;
mod node;
pub mod object_history;
pub mod overview;
pub mod people;
pub mod preview;
mod principal;
#[cfg(test)]
mod processor_time;
pub mod programme;
pub mod project_people;
pub mod projects;
pub mod proposals;
pub mod rates;
pub mod results;
pub mod rulesets;
pub mod script;
mod shared_reports;
pub mod shares;
pub mod simulation;
pub mod site;
mod starts;
pub mod tls;
pub mod visitor;
pub mod visitor_data;
mod warnings;
pub mod watching;
pub mod webhooks;

pub use actor::Actor;
pub use app::{App, Parts, Traffic};
pub use error::{Error, Result};
pub use node::NodeIdentity;
pub use principal::Principal;
