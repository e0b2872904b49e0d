//! What can be wrong with the log as a whole.

use std::io;
use std::path::{Path, PathBuf};

/// `Result` with this module's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the log cannot be opened, read or rolled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory cannot be used: missing, no permission, disk full or
    /// failing.
    #[error("cannot {action} {}", path.display())]
    File {
        /// Such as `open`.
        action: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// What was wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The directory has no log.
    #[error("there is no event log in {}", dir.display())]
    Missing {
        /// Where it was looked for.
        dir: PathBuf,
    },
    /// A file is not what its name says, or too damaged to go on after.
    #[error("{} cannot be used: {problem}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do where that is known.
        problem: String,
    },
    /// It has been closed, or its writer ended.
    #[error("the event log is closed")]
    Closed,
}

impl Error {
    pub(super) fn file(
        action: &'static str,
        path: &Path,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::File { action, path: path.to_owned(), source: source.into() }
    }

    pub(super) fn unfit(path: &Path, problem: impl Into<String>) -> Error {
        Error::Unfit { path: path.to_owned(), problem: problem.into() }
    }

    pub(super) fn is_not_found(&self) -> bool {
        let Error::File { source, .. } = self else { return false };
        source.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}

/// An error and its causes in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
