//! What can go wrong, in the same words for both databases.

use std::sync::Arc;

use crate::tls::HandshakeError;

/// A cause from below. Shared, since one failed commit answers several callers.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

/// `Result` with this crate's [`Error`] unless another is named.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a statement or a transaction failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A row with the same key exists.
    ///
    /// `constraint` is the name PostgreSQL gives by itself: `t_a_b_key` for
    /// `UNIQUE (a, b)` on table `t`, `t_pkey` for its primary key. SQLite knows
    /// only the columns, from which the same name is built. So unique constraints
    /// and unique indexes, partial ones too, are left unnamed or given just this
    /// name, within PostgreSQL's 63 bytes. A unique index over an expression has
    /// any name, which both tell.
    #[error("unique constraint {constraint} violated")]
    Unique {
        /// Such as `experiment_project_id_key_key`.
        constraint: String,
    },
    /// A row that is referred to does not exist, or one still referred to was
    /// deleted.
    #[error("foreign key {constraint} violated")]
    ForeignKey {
        /// Empty on SQLite, which does not tell.
        constraint: String,
    },
    /// A value breaks a rule of its table.
    #[error("check constraint {constraint} violated")]
    Check {
        /// The same on both for constraints that are named in the schema.
        constraint: String,
    },
    /// The database cannot be reached or cannot answer now: no connection, none
    /// free, connection lost, busy, disk full, input or output failed. Trying
    /// again later may help.
    #[error("the database is unavailable")]
    Unavailable {
        /// What was wrong.
        source: Source,
    },
    /// The database stopped answering while it committed, so a write may have
    /// happened. It is not to be repeated without a look.
    #[error("the database did not say whether it has written")]
    OutcomeUnknown {
        /// What was wrong.
        source: Source,
    },
    /// A column is not what its reader takes it for.
    #[error("column {name} (number {index}) is {found}, expected {expected}")]
    Column {
        /// Counted from 0.
        index: usize,
        /// As the statement names it; `?` past the last.
        name: String,
        /// What the reader asked for.
        expected: &'static str,
        /// What the row has.
        found: String,
    },
    /// A parameter that only one of the two databases could store.
    #[error("parameter ${number} is {problem}")]
    Parameter {
        /// As in `$1`.
        number: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A statement that always returns a row returned none.
    #[error("a statement returned no row")]
    NoRow,
    /// A body on SQLite awaited something else, which would keep all other
    /// writers waiting too.
    #[error("a transaction waited for something other than its database")]
    Waited,
    /// The address of a PostgreSQL server, or a file that it names, cannot be used; the sentence says why.
    #[error("{0}")]
    Address(String),
    /// The schema and the list of migrations do not fit together.
    #[error("{0}")]
    Migration(String),
    /// Anything else: wrong SQL, a write in a read, a damaged file.
    #[error("the database gave an unexpected error")]
    Unexpected {
        /// What was wrong.
        source: Source,
    },
}

/// Whether the driver gave up a connection for a reason that stays: its settings, the kind of authentication, or TLS.
fn is_refused_by_driver(error: &tokio_postgres::Error) -> bool {
    use std::error::Error as _;
    let lost = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<HandshakeError>().is_some_and(HandshakeError::is_lost_connection)
    };
    // The driver keeps the kinds of its errors to itself.
    let kinds = ["invalid configuration", "authentication error", "error performing TLS handshake"];
    let said = error.to_string();
    kinds.iter().any(|kind| said.starts_with(kind)) && !error.source().is_some_and(lost)
}

impl Error {
    /// Whether trying again later may help.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Error::Unavailable { .. } | Error::OutcomeUnknown { .. })
    }

    pub(crate) fn outcome_unknown(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let source = Source::from(source.into());
        Error::OutcomeUnknown { source }
    }

    /// The answer to a request whose time is over.
    pub(crate) fn out_of_time() -> Error {
        Error::unavailable("it did not answer in time")
    }

    /// Whether a PostgreSQL server answered that it does not let us in, or has no such
    /// database, or the two do not agree on TLS. Waiting does not help, a person does.
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

    /// The answer of a database that has been closed by its owner.
    pub(crate) fn closed() -> Error {
        Error::unavailable("it has been closed")
    }
}
