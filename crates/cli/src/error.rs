//! Errors of commands, worded for the person who ran them.

use std::path::PathBuf;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid setting, named by the message.
    #[error("{0}")]
    Setting(String),
    /// A file could not be read, written or locked.
    #[error("{doing} {}", path.display())]
    File {
        /// Failed action: `cannot read`.
        doing: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// Another server uses the data directory.
    #[error("another muriel serve is running on {}; stop it first, or choose another --data-dir", .0.display())]
    Running(PathBuf),
    /// Another node uses the database, and this node does not have its events.
    #[error(
        "another muriel node is running on this database ({0}); each node stores only the events that it receives, \
         so its results would cover only part of the visitors. Stop that node, or start this one with --alone; the \
         health check other_nodes of every result then fails"
    )]
    OtherNode(String),
    /// The pepper is not the one with which the database was created.
    #[error(
        "the pepper in {} is not the one that the database was created with, so every API key would be refused; name \
         the right file with --pepper-file",
        .0.display()
    )]
    ForeignPepper(PathBuf),
    /// The database has keys, but there is no pepper.
    #[error(
        "there is no pepper in {}, but the database has keys that were made with one; copy the pepper there or name \
         its file with --pepper-file",
        .0.display()
    )]
    NoPepper(PathBuf),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// Address.
        address: String,
        /// Cause.
        source: std::io::Error,
    },
    /// The command cannot be carried out, for the reason in the message.
    #[error("{0}")]
    Refused(String),
    /// The process was asked to end.
    #[error("interrupted before it was finished")]
    Interrupted,
    /// An object store failed, for the reason in the message.
    #[error("{0}")]
    ObjectStore(String),
    /// Error of the database.
    #[error("the database cannot be used")]
    Database(#[source] muriel_sql::Error),
    /// Error of the event log.
    #[error("the event log cannot be used")]
    Log(#[source] muriel_log::Error),
    /// The event log is damaged.
    #[error("the event log is damaged: {0}")]
    Damaged(String),
    /// Any other error.
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

impl From<muriel_context::api_key::NoRandomness> for Error {
    fn from(error: muriel_context::api_key::NoRandomness) -> Self {
        Error::Other(error.into())
    }
}

impl From<muriel_context::Error> for Error {
    fn from(error: muriel_context::Error) -> Self {
        match error {
            muriel_context::Error::Unreadable(cause) => match cause.downcast::<Error>() {
                Ok(error) => *error,
                Err(cause) => Error::Other(cause),
            },
            muriel_context::Error::Internal(cause) => match cause.downcast::<muriel_sql::Error>() {
                Ok(error) => Error::Database(*error),
                Err(cause) => Error::Other(cause),
            },
            muriel_context::Error::Invalid(problems) => {
                let sentences: Vec<_> = problems.iter().map(|one| format!("{} {}", one.field, one.message)).collect();
                Error::Refused(sentences.join("; "))
            }
            refused @ (muriel_context::Error::Conflict { .. } | muriel_context::Error::NotFound(_)) => {
                Error::Refused(refused.to_string())
            }
            other => Error::Other(other.into()),
        }
    }
}

/// Formats an error with its causes on one line.
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
