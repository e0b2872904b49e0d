//! Remembers what happened.

pub mod log;
