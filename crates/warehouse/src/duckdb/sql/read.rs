//! Connection of a question, and reading its rows.

use duckdb::{Connection, Row};

use crate::{Result, StopToken};

/// Connection for one question. A stop takes effect between two statements, and
/// interrupts a running one.
pub(super) struct Db<'c> {
    pub(super) connection: &'c Connection,
    pub(super) stop: &'c StopToken,
}

impl Db<'_> {
    /// Runs statements that return nothing.
    pub(super) fn run(&self, sql: &str) -> Result<()> {
        self.stop.check()?;
        Ok(self.connection.execute_batch(sql)?)
    }

    /// Reads all rows of a query.
    pub(super) fn rows<T>(&self, sql: &str, mut read: impl FnMut(&Row<'_>) -> duckdb::Result<T>) -> Result<Vec<T>> {
        self.stop.check()?;
        let mut statement = self.connection.prepare(sql)?;
        let mut found = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = found.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    /// Reads the only row of a query.
    pub(super) fn row<T>(&self, sql: &str, read: impl FnOnce(&Row<'_>) -> duckdb::Result<T>) -> Result<T> {
        self.stop.check()?;
        Ok(self.connection.query_row(sql, [], read)?)
    }
}
