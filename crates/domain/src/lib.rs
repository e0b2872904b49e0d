//! Experiments, hypotheses and goals, and the operations on them.
//!
//! Everything here is pure: values in, values out. It uses no clock, no randomness, no database and
//! no HTTP; `now` is an argument. Text from outside becomes a typed value once, at a constructor
//! whose error is a sentence about the flaw.
//!
//! The shapes that the published interface leaves nested (targeting, the configuration, a variant's
//! changes) have one text form, used both on the wire and in columns. Their types serialise to it.

pub mod access;
pub mod address;
pub mod exclusion;
pub mod experiment;
pub mod goal;
pub mod group;
pub mod hypothesis;
pub mod ids;
pub mod inbox;
pub mod kept_query;
pub mod mention;
pub mod network;
pub mod page;
pub mod page_origins;
pub mod page_pattern;
pub mod pattern;
pub mod person;
pub mod problem;
pub mod project;
pub mod rates;
pub mod referral;
pub mod targeting;
pub mod text;
pub mod time;
pub mod trust;
pub mod webhook;

pub use problem::{Flaw, Problem, Problems};
pub use time::Instant;
