//! What can go wrong between here and the database.

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a question was not answered or a change not made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database said no.
    #[error(transparent)]
    Sql(#[from] muriel_sql::Error),
    /// A row holds what it must not.
    #[error("column {column} of table {table} is not {expected} in the row with the key {row}")]
    Damaged {
        /// The table.
        table: &'static str,
        /// The row's key; columns of a longer key are separated by commas.
        row: String,
        /// The column.
        column: &'static str,
        /// What it must hold.
        expected: &'static str,
    },
}

impl Error {
    /// The unique constraint that a change ran into, by its name.
    pub fn unique(&self) -> Option<&str> {
        match self {
            Error::Sql(muriel_sql::Error::Unique { constraint }) => Some(constraint),
            _ => None,
        }
    }
}
