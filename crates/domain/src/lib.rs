//! What an experiment, a hypothesis and a goal are, and what may happen to them.
//!
//! Everything here is pure: values in, values out. No clock, no randomness, no
//! database and no HTTP; `now` is an argument. Text from outside becomes a typed
//! value once, at a constructor that says in a sentence what is wrong with it.
//!
//! The shapes that the published interface leaves nested (targeting, the
//! configuration, a variant's changes) have one text form, used on the wire and
//! in columns alike; their types serialise to it.

pub mod access;
pub mod address;
pub mod experiment;
pub mod goal;
pub mod group;
pub mod hypothesis;
pub mod ids;
pub mod inbox;
pub mod mention;
pub mod page;
pub mod pattern;
pub mod person;
pub mod problem;
pub mod rates;
pub mod referral;
pub mod targeting;
pub mod text;
pub mod time;
pub mod webhook;

pub use problem::{Flaw, Problem, Problems};
pub use time::Instant;
