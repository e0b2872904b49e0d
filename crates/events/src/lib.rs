//! Remembers what happened.

pub mod log;
mod record;

pub use record::{Consent, Kind, Properties, Record, Who};
