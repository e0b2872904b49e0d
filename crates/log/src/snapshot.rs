//! A copy of a log as of one moment, while others write it.

use std::path::{Path, PathBuf};

use muriel_sql::file;

use super::Position;
use super::error::{Error, Result};
use super::files::{self, ACTIVE};
use super::format::Head;

/// The files of a log as of one moment.
#[derive(Clone, Debug)]
pub struct LogSnapshot {
    /// The closed files, oldest first. Nobody writes them, but retention may delete them.
    pub closed: Vec<PathBuf>,
    /// Whether there was an active file. There is none if a process died while it rolled the
    /// log; the next writer completes the roll.
    pub has_active: bool,
    /// The last block.
    pub last: Position,
}

/// Copies the active file of the log in `dir` to the new file `active`, and lists the closed
/// files that precede it. `None` when there is no log. The log cannot be rolled meanwhile;
/// appends go on.
///
/// # Errors
/// [`Error::File`] when a file cannot be read or `active` cannot be written, and
/// [`Error::Unfit`] when the active file is not one of a log.
pub fn snapshot(dir: &Path, active: &Path) -> Result<Option<LogSnapshot>> {
    let lock = files::lock_to_read(dir)?;
    if let Some(lock) = &lock {
        files::lock_shared(dir, lock)?;
    }
    // The lock ends when its file is closed, also after an error.
    let closed = files::closed(dir)?;
    let path = dir.join(ACTIVE);
    let has_active = files::exists(&path)?;
    let last = if has_active {
        file::copy(&path, active).map_err(|error| Error::file("copy", &path, error))?;
        last_block(active, &path)?
    } else {
        closed.last().map_or(0, |file| file.last)
    };
    drop(lock);
    if !has_active && closed.is_empty() {
        return Ok(None);
    }
    let closed = closed.into_iter().map(|file| file.path).collect();
    Ok(Some(LogSnapshot { closed, has_active, last: Position { seq: last } }))
}

/// The last block of the copy. `source` is the file to name in errors.
fn last_block(copy: &Path, source: &Path) -> Result<i64> {
    let failed = |error| Error::file("read", copy, error);
    let conn = file::reader(copy).map_err(|error| Error::file("open", copy, error))?;
    let head = Head::read(&conn).map_err(failed)?.map_err(|problem| Error::unfit(source, problem))?;
    Ok(files::tip(&conn, &head).map_err(failed)?.seq)
}
