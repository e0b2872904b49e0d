//! The HTTP API.
//!
//! From the outside in: [`server`] accepts connections, every request passes [`edge`],
//! [`router`] lists the routes, `auth` authenticates, `handlers` call functions of
//! `service`, and `wire` defines the published types.

mod answer;
mod auth;
pub mod body;
pub mod check;
mod client_address;
pub mod connection;
mod cookies;
mod dashboard;
mod docs;
pub mod edge;
pub mod error;
mod event_batch;
pub mod explain;
#[cfg(test)]
mod generator_names;
pub mod guard;
mod handlers;
pub mod health;
pub mod json;
pub mod limits;
pub mod metrics;
mod openapi;
mod parse_errors;
#[cfg(test)]
mod processor_time;
pub mod request;
pub mod router;
pub mod server;
mod sessions;
pub mod sizes;
mod unknown_query;
mod unread;
mod wire;

pub use auth::WithoutCode;
#[cfg(feature = "testing")]
pub use wire::samples::valid_patch;
pub use wire::views::{HoldoutResult, ResultAnswer};
