//! Requests to other systems: a client that reaches only the networks it may, and webhooks, which notify others about
//! events in a project.

mod client;
pub mod tls;
pub mod webhooks;

pub use client::{AllowedNetworks, BadNetwork, Forbidden, Names, Outbound};
