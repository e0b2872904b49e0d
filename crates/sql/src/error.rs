//! Errors of both databases, in one type.

use std::sync::Arc;

use crate::tls::HandshakeError;

/// Underlying cause. Shared, because one failed commit is reported to several callers.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

/// `Result` with this crate's [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a statement or a transaction failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A row with the same key exists.
    ///
    /// `constraint` has the form of PostgreSQL's automatic names: `t_a_b_key` for `UNIQUE (a, b)` on table `t`,
    /// `t_pkey` for its primary key. SQLite reports only the columns, from which the same name is built. So unique
    /// constraints and unique indexes, including partial ones, must be unnamed or have exactly this name, within
    /// PostgreSQL's 63 bytes. A unique index over an expression may have any name, which both databases report.
    #[error("unique constraint {constraint} violated")]
    Unique {
        /// Name of the constraint, such as `experiment_project_id_key_key`.
        constraint: String,
    },
    /// A referenced row does not exist, or a deleted row is still referenced.
    #[error("foreign key {constraint} violated")]
    ForeignKey {
        /// Name of the constraint. Empty on SQLite, which does not report it.
        constraint: String,
    },
    /// A value violates a check constraint of its table.
    #[error("check constraint {constraint} violated")]
    Check {
        /// Name of the constraint. The same on both databases when the schema names it.
        constraint: String,
    },
    /// The database cannot be reached or cannot execute now: no connection, no free connection, connection lost, busy,
    /// disk full, I/O failure. A later retry may succeed.
    #[error("the database is unavailable")]
    Unavailable {
        /// The cause.
        source: Source,
    },
    /// The database stopped responding during a commit, so the write may have happened. Check before repeating it.
    #[error("the database did not confirm whether it has written")]
    OutcomeUnknown {
        /// The cause.
        source: Source,
    },
    /// A column does not have the type that its reader expects.
    #[error("column {name} (number {index}) is {found}, expected {expected}")]
    Column {
        /// Position of the column, from 0.
        index: usize,
        /// Name in the statement; `?` for a position past the last.
        name: String,
        /// Description of the expected type.
        expected: &'static str,
        /// Description of the value found.
        found: String,
    },
    /// A parameter that only one of the two databases could store.
    #[error("parameter ${number} is {problem}")]
    Parameter {
        /// Number of the parameter, as in `$1`.
        number: usize,
        /// Description of the problem.
        problem: &'static str,
    },
    /// A statement that always returns a row returned none.
    #[error("a statement returned no row")]
    NoRow,
    /// A body on SQLite awaited something other than its transaction, which would block all other writers.
    #[error("a transaction waited for something other than its database")]
    Waited,
    /// The address of a PostgreSQL server, or a file that it names, cannot be used. The message says why.
    #[error("{0}")]
    Address(String),
    /// The schema and the list of migrations do not match. The message says why.
    #[error("{0}")]
    Migration(String),
    /// Any other error: wrong SQL, a write in a read transaction, a damaged file.
    #[error("the database gave an unexpected error")]
    Unexpected {
        /// The cause.
        source: Source,
    },
}

/// Returns whether the driver failed to connect for a permanent reason: its settings, the authentication method, or
/// TLS.
fn is_refused_by_driver(error: &tokio_postgres::Error) -> bool {
    use std::error::Error as _;
    let lost = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<HandshakeError>().is_some_and(HandshakeError::is_lost_connection)
    };
    // The driver does not export the kinds of its errors, only their texts.
    let kinds = ["invalid configuration", "authentication error", "error performing TLS handshake"];
    let said = error.to_string();
    kinds.iter().any(|kind| said.starts_with(kind)) && !error.source().is_some_and(lost)
}

impl Error {
    /// Returns whether a later retry may succeed.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Error::Unavailable { .. } | Error::OutcomeUnknown { .. })
    }

    pub(crate) fn outcome_unknown(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let source = Source::from(source.into());
        Error::OutcomeUnknown { source }
    }

    /// Error of a request whose time budget is used up.
    pub(crate) fn out_of_time() -> Error {
        Error::unavailable("it did not answer in time")
    }

    /// Returns whether a PostgreSQL server rejected the login, does not have the database, or does not agree on TLS.
    /// Retrying does not help; an operator must act.
    pub fn is_refusal(&self) -> bool {
        let Error::Unavailable { source } = self else { return false };
        let Some(error) = source.downcast_ref::<tokio_postgres::Error>() else { return false };
        match error.code() {
            Some(state) => ["28", "3D"].contains(&&state.code()[..2]),
            None => is_refused_by_driver(error),
        }
    }

    pub(crate) fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let source = Source::from(source.into());
        Error::Unavailable { source }
    }

    pub(crate) fn unexpected(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let source = Source::from(source.into());
        Error::Unexpected { source }
    }

    /// Error of a database that has been closed.
    pub(crate) fn closed() -> Error {
        Error::unavailable("it has been closed")
    }
}
