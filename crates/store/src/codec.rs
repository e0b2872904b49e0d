//! Encodes values that are more than a number or a text for columns and parameters.

use serde::Serialize;

/// JSON text for a column.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    // Serialisation fails only for maps with keys other than text, and no stored type has one.
    serde_json::to_string(value).unwrap_or_default()
}

/// Number of ids in one statement. Statements are cached by their text, so the text is the same for any number of ids.
/// Unused places hold 0, which is not an id.
pub(crate) const IDS: usize = 50;

/// Parameters for the first [`IDS`] ids, padded to as many places, and the ids that are left.
pub(crate) fn id_places(ids: &[i64]) -> (Vec<muriel_sql::Value>, &[i64]) {
    let (now, later) = ids.split_at(ids.len().min(IDS));
    let mut places: Vec<muriel_sql::Value> = now.iter().map(|&id| id.into()).collect();
    places.resize(IDS, 0.into());
    (places, later)
}

/// `$1, $2 … $50`, for use with [`id_places`].
pub(crate) fn places() -> String {
    let places: Vec<String> = (1..=IDS).map(|number| format!("${number}")).collect();
    places.join(",")
}
