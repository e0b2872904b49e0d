//! Errors of creating and visiting the demo.

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason why the demo could not be created or visited.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database is not the demo's, or the API refused something of its data.
    #[error("{0}")]
    Refused(String),
    /// The shop's address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// Address to listen on.
        address: String,
        /// Cause of the failure.
        source: std::io::Error,
    },
    /// The database reported an error.
    #[error("the database cannot be used")]
    Database(#[source] muriel_sql::Error),
    /// Anything else.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl From<muriel_sql::Error> for Error {
    fn from(error: muriel_sql::Error) -> Self {
        Error::Database(error)
    }
}

impl From<muriel_store::Error> for Error {
    fn from(error: muriel_store::Error) -> Self {
        match error {
            muriel_store::Error::Sql(error) => Error::Database(error),
            other => Error::Other(other.into()),
        }
    }
}

impl From<muriel_context::Error> for Error {
    fn from(error: muriel_context::Error) -> Self {
        match error {
            muriel_context::Error::Invalid(problems) => {
                let sentences: Vec<_> = problems.iter().map(ToString::to_string).collect();
                Error::Refused(sentences.join("; "))
            }
            refused @ (muriel_context::Error::Conflict { .. } | muriel_context::Error::NotFound(_)) => {
                Error::Refused(refused.to_string())
            }
            other => Error::Other(other.into()),
        }
    }
}
