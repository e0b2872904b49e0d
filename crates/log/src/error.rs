//! Errors of the log as a whole, as opposed to damaged blocks and rejected batches.

use std::io;
use std::path::{Path, PathBuf};

/// `Result` with this module's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the log cannot be opened, read or rolled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operation on a file or directory failed: it is missing, permission is denied, or
    /// the disk is full or failing.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The operation as a verb, such as `open`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The directory contains no log.
    #[error("there is no event log in {}", dir.display())]
    Missing {
        /// The directory without a log.
        dir: PathBuf,
    },
    /// A file is not the log file that its name says, or is too damaged to continue after
    /// it.
    #[error("{} cannot be used: {problem}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Description of the problem and, where known, of the remedy.
        problem: String,
    },
    /// The log has been closed, or its writer thread has ended.
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

/// The messages of an error and all its causes, joined by `: `.
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
