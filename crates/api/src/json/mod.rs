//! The JSON gate: every body passes it before anything reads a field.
//!
//! serde_json alone would let through what the store cannot keep or what two
//! readers understand differently: keys that appear twice, NUL characters,
//! integers that quietly become floats, values nested without end. The gate
//! refuses these with a sentence that names the place, and hands on a value
//! that still knows `1` from `1.0` and the order of keys.
//!
//! Bodies of events hold what many pages and servers sent, so one invalid value must
//! not refuse the others: [`parse_events`] repairs it or refuses its event alone.

mod anomalies;
mod parser;
mod path;
#[cfg(test)]
mod tests;
mod value;

pub use anomalies::{Anomalies, Anomaly};
pub(crate) use path::step;
pub use value::Json;

use crate::error::ApiError;
use muriel_domain::problem::Problem;

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 32;
/// How many values one body may hold, counting containers and their items.
pub const MAX_VALUES: usize = 50_000;
/// The largest magnitude of a number, 2⁵³: up to it every integer is exact everywhere.
pub const MAX_NUMBER: i64 = 1 << 53;
/// What messages call the text.
const THE_BODY: &str = "the body";
const THE_LINE: &str = "the line";

/// Parses a body.
///
/// Takes time in proportion to the length of the body, times the logarithm of
/// the size of its largest object.
///
/// # Errors
/// [`ApiError::Malformed`] with the path, for: no bytes at all, text that is
/// not UTF-8 or not JSON, more than [`MAX_DEPTH`] levels or [`MAX_VALUES`]
/// values, NUL characters and lone surrogates in strings or keys, one key
/// twice in an object (compared after unescaping), numbers beyond ±2⁵³.
pub fn parse(bytes: &[u8]) -> Result<Json, ApiError> {
    parser::parse_document(bytes, THE_BODY, MAX_VALUES, None).map(|(value, _)| value)
}

/// As [`parse`], with another limit of values.
pub(crate) fn parse_with(bytes: &[u8], max_values: usize) -> Result<Json, ApiError> {
    parser::parse_document(bytes, THE_BODY, max_values, None).map(|(value, _)| value)
}

/// Parses a body of events. Values for which [`parse`] refuses the whole body are repaired,
/// or make their event invalid: NUL characters and lone surrogates become U+FFFD, numbers
/// beyond ±2⁵³ become [`Json::Beyond`], and an entry of `events` in which a key appears twice
/// or that nests too deeply is refused alone. The [`Anomalies`] list them.
///
/// # Errors
/// As [`parse`] for text that is not UTF-8 or not JSON, for too many values, for
/// a key twice or levels too deep outside of `events`, and for a `visitor.id`
/// that would have to be repaired: another visitor could have the repaired one.
pub fn parse_events(bytes: &[u8], max_values: usize) -> Result<(Json, Anomalies), ApiError> {
    read_events(bytes, THE_BODY, max_values)
}

/// Parses a line of a batch: a body of events, or one event, which has no `events` and so
/// nothing that could be refused alone.
///
/// # Errors
/// As [`parse_events`]; messages speak of the line, and give the column in it.
pub fn parse_events_line(bytes: &[u8], max_values: usize) -> Result<(Json, Anomalies), ApiError> {
    read_events(bytes, THE_LINE, max_values)
}

fn read_events(bytes: &[u8], what: &'static str, max_values: usize) -> Result<(Json, Anomalies), ApiError> {
    let (value, anomalies) = parser::parse_document(bytes, what, max_values, Some(Anomalies::default()))?;
    if let Some(anomaly) = anomalies.elsewhere.iter().find(|anomaly| anomaly.path == "visitor.id") {
        let (field, message) = (anomaly.path.clone(), anomaly.message.to_owned());
        return Err(ApiError::Malformed(Problem { field, message }));
    }
    Ok((value, anomalies))
}
