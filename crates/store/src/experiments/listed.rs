//! Columns of an experiment that lists show, for statements of other modules.

use super::ListedExperiment;
use super::rows::{self, ListedRow};
use crate::Result;
use muriel_sql::Row;

/// The columns of the hypothesis that an experiment came from, under the alias `h`.
pub(crate) const ORIGIN: &str = rows::ORIGIN_COLUMNS;

/// The columns of an experiment under the alias `e`.
pub(crate) fn columns() -> String {
    ListedRow::columns("e")
}

/// The experiment in a row with these columns and those of its hypothesis.
pub(crate) fn read(row: &mut Row) -> Result<ListedExperiment> {
    let origin = rows::origin(row)?;
    ListedRow::try_from(row)?.listed(origin)
}
