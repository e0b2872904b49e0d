//! Why a command was not done, in sentences for whoever typed it.

use std::path::PathBuf;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a command was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is invalid; the sentence names it.
    #[error("{0}")]
    Setting(String),
    /// A file could not be read, written or locked.
    #[error("{doing} {}", path.display())]
    File {
        /// What was tried: `cannot read`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Another server works on the data directory.
    #[error("another muriel serve is running on {}; stop it first, or choose another --data-dir", .0.display())]
    Running(PathBuf),
    /// Another node works on the database, and its events are not ours.
    #[error(
        "another muriel node is running on this database ({0}); each node stores only the events that it receives, \
         so its results would cover only part of the visitors. Stop that node, or start this one with --alone; the \
         health check other_nodes of every result then fails"
    )]
    OtherNode(String),
    /// The pepper is not the one that the database was made with.
    #[error(
        "the pepper in {} is not the one that the database was created with, so every API key would be refused; name \
         the right file with --pepper-file",
        .0.display()
    )]
    ForeignPepper(PathBuf),
    /// The database has keys, and there is no pepper.
    #[error(
        "there is no pepper in {}, but the database has keys that were made with one; copy that file here or name it \
         with --pepper-file",
        .0.display()
    )]
    NoPepper(PathBuf),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The request cannot be carried out; the sentence says why.
    #[error("{0}")]
    Refused(String),
    /// Somebody asked the process to end.
    #[error("interrupted before it was done")]
    Interrupted,
    /// A store of objects did not do what was asked; the sentence says why.
    #[error("{0}")]
    ObjectStore(String),
    /// The database.
    #[error("the database cannot be used")]
    Database(#[source] muriel_sql::Error),
    /// The event log.
    #[error("the event log cannot be used")]
    Log(#[source] muriel_log::Error),
    /// The event log is not as it was written.
    #[error("the event log is damaged: {0}")]
    Damaged(String),
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

#[cfg(feature = "demo")]
impl From<muriel_demo::Error> for Error {
    fn from(error: muriel_demo::Error) -> Self {
        match error {
            muriel_demo::Error::Refused(reason) => Error::Refused(reason),
            muriel_demo::Error::Listen { address, source } => Error::Listen { address, source },
            muriel_demo::Error::Database(error) => Error::Database(error),
            muriel_demo::Error::Other(error) => Error::Other(error),
        }
    }
}

impl From<muriel_service::api_key::NoRandomness> for Error {
    fn from(error: muriel_service::api_key::NoRandomness) -> Self {
        Error::Other(error.into())
    }
}

impl From<muriel_service::Error> for Error {
    fn from(error: muriel_service::Error) -> Self {
        match error {
            muriel_service::Error::Unreadable(cause) => match cause.downcast::<Error>() {
                Ok(error) => *error,
                Err(cause) => Error::Other(cause),
            },
            muriel_service::Error::Internal(cause) => match cause.downcast::<muriel_sql::Error>() {
                Ok(error) => Error::Database(*error),
                Err(cause) => Error::Other(cause),
            },
            muriel_service::Error::Invalid(problems) => {
                let sentences: Vec<_> = problems.iter().map(|one| format!("{} {}", one.field, one.message)).collect();
                Error::Refused(sentences.join("; "))
            }
            refused @ (muriel_service::Error::Conflict { .. } | muriel_service::Error::NotFound(_)) => {
                Error::Refused(refused.to_string())
            }
            other => Error::Other(other.into()),
        }
    }
}

/// An error with its causes, in one line.
pub(crate) fn sentence(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}
