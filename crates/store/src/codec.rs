//! Columns that hold more than a number or a text.

use crate::{Error, Result};
use muriel_domain::Instant;
use serde::{Serialize, de::DeserializeOwned};

/// JSON text for a column.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    // Only maps with keys other than text fail, and no stored type has one.
    serde_json::to_string(value).unwrap_or_default()
}

/// The value of a JSON column.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str, table: &'static str, column: &'static str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| Error::Damaged { table, column, expected: "readable JSON" })
}

/// The value that a word stands for.
pub(crate) fn from_word<T: Copy>(
    words: &[(&'static str, T)],
    word: &str,
    table: &'static str,
    column: &'static str,
) -> Result<T> {
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|(_, value)| *value).ok_or(Error::Damaged { table, column, expected: "known word" })
}

/// A moment that may be absent.
pub(crate) fn moment(us: Option<i64>) -> Option<Instant> {
    us.map(Instant::from_us)
}

/// How many ids one statement takes: its text is the same for any number, and
/// places that are not needed hold 0, which is no id.
pub(crate) const IDS: usize = 50;

/// The parameters of [`IDS`] places for the first ids, and the ids that are left.
pub(crate) fn id_places(ids: &[i64]) -> (Vec<muriel_sql::Value>, &[i64]) {
    let (now, later) = ids.split_at(ids.len().min(IDS));
    let mut places: Vec<muriel_sql::Value> = now.iter().map(|&id| id.into()).collect();
    places.resize(IDS, 0.into());
    (places, later)
}

/// `$1, $2 … $50`, for use with [`id_places`].
macro_rules! fifty {
    () => {
        "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,\
         $26,$27,$28,$29,$30,$31,$32,$33,$34,$35,$36,$37,$38,$39,$40,$41,$42,$43,$44,$45,$46,$47,$48,$49,$50"
    };
}
pub(crate) use fifty;
