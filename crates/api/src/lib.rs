//! The HTTP API.
//!
//! Behind `muriel_http`, which accepts connections and requests: [`router`] lists the routes, `auth` authenticates,
//! `handlers` call functions of `service`, and `wire` defines the published types.

mod answer;
mod auth;
pub mod check;
pub mod client_address;
mod cookies;
mod dashboard;
mod docs;
pub mod error;
mod event_batch;
mod event_body;
pub mod explain;
#[cfg(test)]
mod generator_names;
pub mod guard;
mod handlers;
pub mod health;
pub mod json;
pub mod metrics;
mod openapi;
#[cfg(test)]
mod processor_time;
pub mod router;
mod sessions;
mod sizes;
mod unknown_query;
mod wire;

pub use auth::WithoutCode;
#[cfg(feature = "testing")]
pub use wire::samples::valid_patch;
pub use wire::views::{HoldoutResult, ResultAnswer};
