//! Opens SQLite files, for callers that need their own connection instead of a [`Db`](crate::Db).

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use crate::sqlite_error::error;
use crate::{Error, Result};

/// Time that a statement waits for another writing process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Cached prepared statements per connection.
const STATEMENTS: usize = 256;
/// Oldest supported version of SQLite, 3.51.3. Earlier ones can lose a commit when a checkpoint coincides with a write.
const OLDEST: i32 = 3_051_003;

/// Failures that a commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Survives a power failure: the disk is flushed before a commit returns.
    #[default]
    Full,
    /// Survives the end of the process. A power failure can lose the most recent commits, each completely; the file
    /// stays intact.
    Relaxed,
}

/// Creates the file, readable by its owner only, if it is missing. SQLite gives
/// its write-ahead log the same mode.
///
/// An existing file is not even opened, because closing it again would release every lock that this process holds on
/// it.
///
/// # Errors
/// An [`io::Error`] when the file cannot be created.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

/// Opens a writing connection to the existing file at `path`. The file has a write-ahead log from then on.
///
/// # Errors
/// [`Error::Unavailable`] when it cannot be opened or is locked for five seconds, [`Error::Unexpected`] when it is not
/// a database or cannot have a write-ahead log.
pub fn writer(path: &Path, durability: Durability) -> Result<Connection> {
    if rusqlite::version_number() < OLDEST {
        let version = rusqlite::version();
        return Err(Error::unexpected(format!("SQLite {version} is linked, but 3.51.3 or newer is needed")));
    }
    // See `reader`. A write-ahead log with content belongs to a lost file, so a writer must not delete it.
    let size = |path: &Path| std::fs::metadata(path).map(|file| file.len()).ok();
    if size(path) == Some(0) && size(&beside(path, "-wal")).is_some_and(|log| log > 0) {
        return Err(Error::unexpected("the file is empty, but its write-ahead log has content of another file"));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = open(path, flags)?;
    let mode = keep_log(&conn)?;
    if mode != "wal" {
        return Err(Error::unexpected(format!("the file cannot keep a write-ahead log; its journal mode is {mode}")));
    }
    conn.execute_batch(match durability {
        Durability::Full => "PRAGMA synchronous = FULL",
        Durability::Relaxed => "PRAGMA synchronous = NORMAL",
    })
    .map_err(error)?;
    conn.execute_batch(
        "PRAGMA foreign_keys = ON;
         PRAGMA journal_size_limit = 67108864;",
    )
    .map_err(error)?;
    Ok(conn)
}

/// Path of a file that SQLite keeps next to `path`, with this suffix.
fn beside(path: &Path, ending: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Opens a read-only connection to the file at `path`.
///
/// # Errors
/// As [`writer`], and [`Error::Unavailable`] when the file is empty. A file that is not a database is reported by the
/// first statement.
pub fn reader(path: &Path) -> Result<Connection> {
    // SQLite treats an empty file as a new database and deletes an existing write-ahead log as a leftover, even with a
    // read-only connection and whatever the log contains.
    if std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Err(Error::unavailable("the file is empty"));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = open(path, flags)?;
    if has_hot_journal(&conn) {
        // A process died while it changed the file's journal mode. The next process that opens the file must roll back
        // that change, which only a writer can do.
        let writer = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        read_something(&writer).map_err(error)?;
        conn = open(path, flags)?;
    }
    conn.execute_batch("PRAGMA query_only = ON").map_err(error)?;
    Ok(conn)
}

/// Copies the database at `from` into the new file `to`, as of one point in time, while other connections read and
/// write it. The copy has no write-ahead log and no remains of deleted rows. It is flushed to the disk.
///
/// # Errors
/// As [`reader`], and [`Error::Unavailable`] or [`Error::Unexpected`] when `to` exists or
/// cannot be written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    // Opening a reader also rolls back the unfinished work of a dead process.
    drop(reader(from)?);
    let name = to.to_str().ok_or_else(|| Error::unexpected("the path of the copy is not valid UTF-8"))?;
    // Not `query_only`, which would reject writing the copy too.
    let conn = open(from, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.execute("VACUUM INTO ?1", [name]).map_err(error)?;
    let flushed = std::fs::File::open(to).and_then(|file| file.sync_all());
    flushed.map_err(|error| Error::unavailable(format!("the copy cannot be flushed: {error}")))
}

/// Returns whether a process that died left a rollback journal of the file.
fn has_hot_journal(conn: &Connection) -> bool {
    let read = read_something(conn);
    matches!(read, Err(rusqlite::Error::SqliteFailure(code, _)) if code.extended_code == ffi::SQLITE_READONLY_ROLLBACK)
}

/// Makes SQLite read the file, which opening it does not do.
fn read_something(conn: &Connection) -> rusqlite::Result<()> {
    conn.query_row("SELECT count(*) FROM sqlite_schema WHERE rowid = 1", [], |_| Ok(()))
}

/// Enables the write-ahead log and returns the resulting journal mode.
///
/// SQLite fails immediately when another process does the same with a new file, because waiting could deadlock. Here
/// the other process finishes soon, so a retry is safe.
fn keep_log(conn: &Connection) -> Result<String> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)) {
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(5));
            }
            other => return other.map_err(error),
        }
    }
}

/// Opens a connection with the settings that writers and readers share: busy timeout, protection against a manipulated
/// file, and PostgreSQL's rules for quotes and `LIKE`.
fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let conn = Connection::open_with_flags(path, flags).map_err(error)?;
    conn.busy_timeout(BUSY_TIMEOUT).map_err(error)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        // Without it, SQLite plans each statement for its bound values and prepares a cached statement again when the
        // values change.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
    ] {
        conn.set_db_config(setting, on).map_err(error)?;
    }
    conn.execute_batch("PRAGMA case_sensitive_like = ON").map_err(error)?;
    Ok(conn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_costs_no_write_ahead_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        create_private(&path).unwrap();
        let conn = writer(&path, Durability::Relaxed).unwrap();
        conn.execute_batch("CREATE TABLE t (x)").unwrap();
        let log = beside(&path, "-wal");
        let length = std::fs::metadata(&log).unwrap().len();
        assert!(length > 0);
        let aside = dir.path().join("aside");
        std::fs::rename(&path, &aside).unwrap();
        create_private(&path).unwrap();
        assert!(matches!(reader(&path), Err(Error::Unavailable { .. })));
        assert!(matches!(writer(&path, Durability::Relaxed), Err(Error::Unexpected { .. })));
        assert_eq!(std::fs::metadata(&log).unwrap().len(), length);
        std::fs::rename(&aside, &path).unwrap();
        assert!(reader(&path).unwrap().prepare("SELECT x FROM t").is_ok());
    }

    #[test]
    fn a_reader_undoes_what_a_dead_process_began() {
        let dir = tempfile::tempdir().unwrap();
        let (path, copy) = (dir.path().join("a.db"), dir.path().join("copy.db"));
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1); PRAGMA cache_size = 1; BEGIN").unwrap();
        // More than fits into the cache, so that part of it is written to the file before the commit.
        for _ in 0..100 {
            conn.execute("INSERT INTO t VALUES (zeroblob(4096))", []).unwrap();
        }
        std::fs::copy(&path, &copy).unwrap();
        std::fs::copy(beside(&path, "-journal"), beside(&copy, "-journal")).unwrap();
        drop(conn);

        let plain = Connection::open_with_flags(&copy, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        assert!(has_hot_journal(&plain));
        drop(plain);
        let rows = reader(&copy).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(rows, 1);
        assert!(!beside(&copy, "-journal").exists());
    }
}
