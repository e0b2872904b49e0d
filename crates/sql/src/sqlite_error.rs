//! Converts SQLite's errors to [`Error`].

use rusqlite::{ErrorCode, ffi};

use crate::Error;
use crate::dialect::unique_name;

/// Converts an error by its result code.
pub(crate) fn error(error: rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(code, message) = &error else {
        return Error::unexpected(error);
    };
    let message = message.as_deref().unwrap_or_default();
    match (code.code, code.extended_code) {
        (_, ffi::SQLITE_CONSTRAINT_UNIQUE) => Error::Unique { constraint: unique_name(message, false) },
        (_, ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID) => {
            Error::Unique { constraint: unique_name(message, true) }
        }
        (_, ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => Error::ForeignKey { constraint: String::new() },
        (_, ffi::SQLITE_CONSTRAINT_CHECK) => {
            Error::Check { constraint: message.strip_prefix("CHECK constraint failed: ").unwrap_or(message).to_owned() }
        }
        (
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory
            | ErrorCode::OperationInterrupted
            | ErrorCode::SystemIoFailure
            | ErrorCode::DiskFull
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::FileLockingProtocolFailed,
            _,
        ) => Error::unavailable(error),
        _ => Error::unexpected(error),
    }
}
