//! Converts DuckDB's errors to those of a warehouse. DuckDB's error kinds are recognised
//! by the beginning of their texts.

use crate::Error;

impl From<duckdb::Error> for Error {
    fn from(error: duckdb::Error) -> Error {
        let text = error.to_string();
        if text.starts_with("INTERRUPT") {
            Error::Stopped
        } else if text.starts_with("Out of Memory") {
            Error::Memory
        } else if text.starts_with("FATAL") || text.contains("Corrupt") || text.contains("has been invalidated") {
            Error::Damaged(Some(error.into()))
        } else {
            Error::Engine(error.into())
        }
    }
}

/// Returns whether an error is about the content of a file, so that reopening it does not
/// help.
pub(super) fn is_corruption(error: &Error) -> bool {
    matches!(error, Error::Damaged(Some(cause)) if cause.to_string().contains("Corrupt"))
}

/// Why a database could not be opened.
pub(super) enum OpenError {
    /// The file itself is not usable and must be replaced. The text is the reason.
    Unfit(String),
    /// Another reason, which may be temporary.
    Failed(Error),
}

impl OpenError {
    pub(super) fn into_error(self) -> Error {
        match self {
            OpenError::Unfit(problem) => Error::Damaged(Some(problem.into())),
            OpenError::Failed(error) => error,
        }
    }
}

/// Distinguishes errors of the file itself from temporary errors on opening, after which
/// the warehouse must not be replaced.
pub(super) fn classify_open_error(error: Error) -> OpenError {
    const TRANSIENT: [&str; 5] =
        ["Could not set lock", "Cannot open file", "No space left", "Too many open files", "Invalid Input"];
    match error {
        Error::Engine(error) | Error::Damaged(Some(error)) => {
            let text = error.to_string();
            if TRANSIENT.iter().any(|transient| text.contains(transient)) {
                return OpenError::Failed(Error::Engine(error));
            }
            OpenError::Unfit(text.lines().next().unwrap_or_default().to_owned())
        }
        error => OpenError::Failed(error),
    }
}
