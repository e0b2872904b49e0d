//! Parses inbox marks in request bodies.

use super::fields::{boolean, from_body, integer};
use crate::json::Json;
use muriel_domain::Problems;
use muriel_domain::ids::MAX_SAFE;

/// Parses the mark of an entry: true when it is read.
pub(crate) fn entry(body: &Json) -> Result<bool, Problems> {
    from_body(body, |fields| {
        fields.only(&["read"], &[]);
        fields.needed("read", boolean)
    })
}

/// Parses the id of the last entry to mark as read; `None` for all.
pub(crate) fn until(body: &Json) -> Result<Option<i64>, Problems> {
    from_body(body, |fields| {
        fields.only(&["until"], &[]);
        Some(fields.read("until", integer(1..=MAX_SAFE)))
    })
}
