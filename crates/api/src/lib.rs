//! A request arrives.
//!
//! From the outside in: [`server`] accepts connections, [`edge`] is what every
//! request passes, `auth` says who asks, [`router`] has every route, `handlers`
//! do the work, and `wire` holds the published shapes.

mod answer;
pub mod api_key;
mod app;
mod auth;
pub mod body;
pub mod clock;
mod cookies;
pub mod directory;
mod docs;
pub mod edge;
pub mod error;
pub mod explain;
mod handlers;
pub mod health;
mod idempotency;
mod intake;
pub mod json;
pub mod limits;
mod lists;
pub mod metrics;
mod node;
mod openapi;
mod parse_errors;
pub mod preview;
#[cfg(test)]
mod processor_time;
mod room;
pub mod router;
pub mod rulesets;
pub mod script;
pub mod server;
pub mod site;
mod starts;
mod unread;
pub mod visitor;
pub mod warm;
mod warnings;
mod wire;

pub use app::{App, Traffic};
pub use node::NodeIdentity;
pub use wire::views::ResultAnswer;
