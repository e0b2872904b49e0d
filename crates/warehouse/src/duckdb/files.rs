//! Files of a warehouse: the database, its write-ahead log, its temporary directory, its lock,
//! and the files with the suffixes `.new` (a rebuild) and `.old` (a replaced database).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Appends the suffix `ending` to `path`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Path of DuckDB's write-ahead log.
pub(super) fn log_of(path: &Path) -> PathBuf {
    beside(path, ".wal")
}

pub(super) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", path, error)),
        _ => Ok(()),
    }
}

/// Removes a database with its write-ahead log and temporary directory.
pub(super) fn remove(path: &Path) -> Result<()> {
    remove_file(&log_of(path))?;
    remove_file(path)?;
    let temporary = beside(path, ".tmp");
    match fs::remove_dir_all(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", &temporary, error)),
        _ => Ok(()),
    }
}

/// Renames a database to its name with the suffix `.old`, replacing an earlier one.
pub(super) fn move_away(path: &Path) -> Result<()> {
    let old = beside(path, ".old");
    remove(&old)?;
    for (from, to) in [(log_of(path), log_of(&old)), (path.to_owned(), old)] {
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::file("rename", &from, error)),
            _ => {}
        }
    }
    sync_dir(path)
}

/// Flushes the directory of `path`, so that created and renamed files survive a power failure.
pub(super) fn sync_dir(path: &Path) -> Result<()> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|error| Error::file("flush", dir, error))
}

/// Locks the warehouse against being opened a second time, by another process or by this one.
pub(super) fn lock_exclusively(path: &Path) -> Result<File> {
    let name = beside(path, ".lock");
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&name).map_err(|error| Error::file("open", &name, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(error)) => Err(Error::file("lock", &name, error)),
    }
}
