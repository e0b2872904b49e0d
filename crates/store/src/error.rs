//! Errors of this crate.

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason why a query or a change failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database reported an error.
    #[error(transparent)]
    Sql(#[from] muriel_sql::Error),
    /// A stored row holds an invalid value.
    #[error("column {column} of table {table} is not {expected} in the row with the key {row}")]
    Damaged {
        /// Name of the table.
        table: &'static str,
        /// Key of the row; columns of a longer key are separated by commas.
        row: String,
        /// Name of the column.
        column: &'static str,
        /// Description of valid values.
        expected: &'static str,
    },
}

impl Error {
    /// Name of the unique constraint that a change violated.
    pub fn unique(&self) -> Option<&str> {
        match self {
            Error::Sql(muriel_sql::Error::Unique { constraint }) => Some(constraint),
            _ => None,
        }
    }
}
