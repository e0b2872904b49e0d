//! Strict JSON parser: every body passes it before any field is read.
//!
//! serde_json alone would accept values that the store cannot keep or that parsers interpret
//! differently: duplicate keys, NUL characters, integers that silently become floats,
//! unlimited nesting. This parser refuses them with a message that names the place. Its
//! values distinguish `1` from `1.0` and keep the order of keys.
//!
//! Bodies of events contain data of many pages and servers, so one invalid value must not
//! make the others fail: [`parse_events`] repairs it or refuses its event alone.

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

/// Maximum nesting of arrays and objects.
pub const MAX_DEPTH: usize = 32;
/// Maximum number of values in a body, counting containers and their items.
pub const MAX_VALUES: usize = 50_000;
/// Largest magnitude of a number, 2⁵³. Up to it every integer is exact in all programs.
pub const MAX_NUMBER: i64 = 1 << 53;
/// Name of the text in messages.
const THE_BODY: &str = "the body";
const THE_LINE: &str = "the line";

/// Parses a body.
///
/// Time: proportional to the length of the body, times the logarithm of the size of its
/// largest object.
///
/// # Errors
/// [`ApiError::Malformed`] with the path, for: an empty body, text that is not UTF-8 or not
/// JSON, more than [`MAX_DEPTH`] levels or [`MAX_VALUES`] values, NUL characters and lone
/// surrogates in strings or keys, duplicate keys in an object (compared after unescaping),
/// numbers beyond ±2⁵³.
pub fn parse(bytes: &[u8]) -> Result<Json, ApiError> {
    parser::parse_document(bytes, THE_BODY, MAX_VALUES, None).map(|(value, _)| value)
}

/// Like [`parse`], with `max_values` as the limit of values.
pub(crate) fn parse_with(bytes: &[u8], max_values: usize) -> Result<Json, ApiError> {
    parser::parse_document(bytes, THE_BODY, max_values, None).map(|(value, _)| value)
}

/// Parses a body of events. Values for which [`parse`] refuses the whole body are repaired,
/// or make their event invalid: NUL characters and lone surrogates become U+FFFD, numbers
/// beyond ±2⁵³ become [`Json::Beyond`], and an entry of `events` with a duplicate key or too
/// many levels is refused alone. The [`Anomalies`] list them.
///
/// # Errors
/// As [`parse`] for text that is not UTF-8 or not JSON, for too many values, for duplicate
/// keys or too many levels outside of `events`, and for a `visitor.id` that would have to be
/// repaired: the repaired id could be another visitor's.
pub fn parse_events(bytes: &[u8], max_values: usize) -> Result<(Json, Anomalies), ApiError> {
    read_events(bytes, THE_BODY, max_values)
}

/// Parses a line of a batch: a body of events, or one event. A line with one event has no
/// `events`, so no part of it can be refused alone.
///
/// # Errors
/// As [`parse_events`]; messages name the line, and the column in it.
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
