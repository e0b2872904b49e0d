//! Remembers what happened.

mod record;

pub use record::{Consent, Kind, Properties, Record, Who};
