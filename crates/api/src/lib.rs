//! A request arrives.

pub mod body;
pub mod edge;
pub mod error;
pub mod json;
pub mod limits;
pub mod metrics;
mod parse_errors;
pub mod server;
