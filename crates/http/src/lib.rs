//! Connections and requests of an HTTP server: what holds whatever is asked for.
//!
//! From the outside in: [`server`] accepts connections and gives every step a timeout, [`edge`] gives every request an
//! id, limits, a deadline, a log line and metrics, and writes the bodies of [errors](error); [`body`] reads bodies. The
//! operations themselves are a router, which this crate is given.

pub mod body;
pub mod connection;
pub mod edge;
pub mod error;
pub mod forwarding;
pub mod limits;
pub mod metrics;
mod parse_errors;
pub mod request;
pub mod server;
mod unread;
