//! Published types: request bodies are converted to domain values here, and domain values
//! to response bodies.

pub(crate) mod comment;
pub(crate) mod conclusion;
pub(crate) mod context;
pub(crate) mod evaluation;
pub(crate) mod event;
pub(crate) mod experiment;
pub(crate) mod fields;
pub(crate) mod goal;
pub(crate) mod group;
pub(crate) mod hypothesis;
pub(crate) mod inbox;
pub(crate) mod key;
#[cfg(test)]
mod laws;
pub(crate) mod left_out;
pub(crate) mod person;
pub(crate) mod preview;
pub(crate) mod project;
pub(crate) mod proposal;
pub(crate) mod query;
pub(crate) mod rates;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod samples;
pub(crate) mod schemas;
mod targeting;
pub(crate) mod views;
pub(crate) mod webhook;
