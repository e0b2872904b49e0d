//! Remembers what happened.

pub mod lines;
pub mod log;
mod record;
pub mod warehouse;

pub use record::{Consent, Kind, Properties, Record, Who};
