//! The files of a log: names, locks, and rolling from one file to the next.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use muriel_sql::file::{self, Durability};
use rusqlite::{Connection, OptionalExtension, ffi};
use uuid::Uuid;

use super::error::{Error, Result};
use super::format::{APPLICATION, Columns, Hash, Head, Raw, SCHEMA, Tip, VERSION, genesis};
use super::rewrite::REWRITE_TABLE;
use super::scan::is_damage;
use super::{failpoints, index};

/// Name of the active file, the only one that is written.
pub(super) const ACTIVE: &str = "log.db";
/// Name of the next active file until it is complete.
const NEXT: &str = "log.db.new";
/// Lock file: a shared lock for having the active file open, an exclusive one for renaming
/// it.
const LOCK: &str = "log.lock";
/// Time to wait for other processes to close a log whose active file is missing.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Time to wait for readers before a roll is postponed. It is short because appends wait
/// meanwhile.
const ROLL_LOCK_TIMEOUT: Duration = Duration::from_millis(20);
/// Pages in the write-ahead log at which it is checkpointed; 16 MiB. A checkpoint costs two
/// flushes, so it should be rare.
pub(super) const CHECKPOINT_PAGES: i32 = 4096;
/// Bytes of the write-ahead log at a checkpoint: pages of 4,096 bytes with frame headers of
/// 24 bytes, and 256 pages for the last group.
pub(super) const WAL_BYTES: u64 = (CHECKPOINT_PAGES as u64 + 256) * (4096 + 24);

/// A file that was rolled and is no longer written.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) path: PathBuf,
}

fn closed_name(first: i64, last: i64) -> String {
    format!("log-{first:019}-{last:019}.db")
}

/// Path of the closed file with these blocks.
pub(super) fn closed_path(dir: &Path, first: i64, last: i64) -> PathBuf {
    dir.join(closed_name(first, last))
}

fn parse_closed(name: &str) -> Option<(i64, i64)> {
    let (first, last) = name.strip_prefix("log-")?.strip_suffix(".db")?.split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first >= 1 && first <= last).then_some((first, last))
}

/// The closed files in `dir`, oldest first.
pub(super) fn closed(dir: &Path) -> Result<Vec<Closed>> {
    let mut found = Vec::new();
    let failed = |error| Error::file("list", dir, error);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Some((first, last)) = entry.file_name().to_str().and_then(parse_closed) {
            found.push(Closed { first, last, path: entry.path() });
        }
    }
    found.sort_by_key(|file| (file.first, file.last));
    Ok(found)
}

pub(super) fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|error| Error::file("examine", path, error))
}

/// `path` with a suffix appended, such as SQLite's `-wal`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Removes a SQLite file with its write-ahead log, shared memory and journal, whichever
/// exist.
pub(super) fn remove(path: &Path) -> Result<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let path = beside(path, ending);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::file("remove", &path, error)),
            _ => {}
        }
    }
    Ok(())
}

/// Flushes a directory, so that created and renamed files survive a power failure.
pub(super) fn sync_dir(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|error| Error::file("flush", dir, error))
}

/// Flushes the write-ahead log of the active file. SQLite holds no locks on that file, so
/// opening and closing it here releases none.
pub(super) fn flush_wal(dir: &Path) -> Result<()> {
    let path = beside(&dir.join(ACTIVE), "-wal");
    match File::open(&path).and_then(|left| left.sync_all()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("flush", &path, error)),
        _ => sync_dir(dir),
    }
}

pub(super) fn rename(dir: &Path, from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Error::file("rename", from, error))?;
    sync_dir(dir)
}

/// Opens the lock file for a writer, creating it if needed.
pub(super) fn lock_file(dir: &Path) -> Result<File> {
    let path = dir.join(LOCK);
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path).map_err(|error| Error::file("open", &path, error))
}

/// Opens the lock file for a reader. `None` when there is none and none can be created, as
/// on a read-only volume: nothing can roll the log there.
pub(super) fn lock_to_read(dir: &Path) -> Result<Option<File>> {
    let path = dir.join(LOCK);
    match File::open(&path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(lock_file(dir).ok()),
        Err(error) => Err(Error::file("open", &path, error)),
    }
}

pub(super) fn lock_shared(dir: &Path, lock: &File) -> Result<()> {
    lock.lock_shared().map_err(|error| Error::file("lock", &dir.join(LOCK), error))
}

/// Tries to take the exclusive lock for up to `timeout`. Returns whether it succeeded.
fn lock_exclusive(dir: &Path, lock: &File, timeout: Duration) -> Result<bool> {
    let deadline = Instant::now() + timeout;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", &dir.join(LOCK), error)),
        }
    }
}

pub(super) fn unlock(dir: &Path, lock: &File) -> Result<()> {
    lock.unlock().map_err(|error| Error::file("unlock", &dir.join(LOCK), error))
}

/// The active file, opened for writing.
pub(super) struct Active {
    pub(super) conn: Connection,
    pub(super) head: Head,
}

impl Active {
    fn open(dir: &Path, durability: Durability) -> Result<Active> {
        let path = dir.join(ACTIVE);
        let failed = |error| Error::file("open", &path, error);
        let conn = file::writer(&path, durability).map_err(|error| Error::file("open", &path, error))?;
        conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES).map_err(failed)?;
        let head = Head::read(&conn).map_err(failed)?;
        let head = head.map_err(|problem| Error::unfit(&path, problem))?;
        Ok(Active { conn, head })
    }

    /// The last block.
    pub(super) fn tip(&self) -> rusqlite::Result<Tip> {
        tip(&self.conn, &self.head)
    }

    /// Records that retention is about to delete all blocks up to `last`.
    pub(super) fn note_pruned(&self, dir: &Path, last: i64) -> Result<()> {
        let path = dir.join(ACTIVE);
        // Files without this table exist, because it was added without a new format version.
        let table =
            "CREATE TABLE IF NOT EXISTS pruned (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL) STRICT";
        let note = "INSERT INTO pruned VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET last = max(last, ?1)";
        let noted = self.conn.execute_batch(table).and_then(|()| self.conn.execute(note, [last]));
        noted.map_err(|error| Error::file("write", &path, error))?;
        // Without the flush, a power failure could lose this record but keep the deletion.
        flush_wal(dir)
    }

    /// The hash of the block `seq`, from any file of the log. `None` when the log does not
    /// have the block or its file cannot be read.
    pub(super) fn hash_at(&self, dir: &Path, seq: i64) -> Option<Hash> {
        let after = self.head.after;
        if seq >= after.seq {
            return if seq == after.seq { Some(after.hash) } else { hash_at(&self.conn, seq).ok()? };
        }
        let closed = closed(dir).ok()?;
        let file = closed.iter().find(|file| (file.first..=file.last).contains(&seq))?;
        hash_at(&file::reader(&file.path).ok()?, seq).ok()?
    }

    /// Extends the write-ahead log to `bytes` with zeros, which SQLite reads as its end.
    /// Flushing overwritten bytes is an order of magnitude faster than flushing a file that
    /// grows.
    pub(super) fn lengthen_wal(&self, dir: &Path, bytes: u64) -> Result<()> {
        let path = beside(&dir.join(ACTIVE), "-wal");
        let failed = |error| Error::file("lengthen", &path, error);
        // The write lock keeps other processes from extending or truncating it meanwhile.
        self.conn.execute_batch("BEGIN IMMEDIATE").map_err(|error| Error::file("lengthen", &path, error))?;
        let fill = || -> io::Result<()> {
            let mut file = OpenOptions::new().append(true).open(&path)?;
            let zeros = vec![0; 1 << 18];
            let mut left = bytes.saturating_sub(file.metadata()?.len());
            while left > 0 {
                let piece = left.min(zeros.len() as u64);
                file.write_all(&zeros[..piece as usize])?;
                left -= piece;
            }
            file.sync_all()
        };
        let filled = fill();
        self.conn.execute_batch("ROLLBACK").map_err(|error| Error::file("lengthen", &path, error))?;
        filled.map_err(failed)
    }

    fn bytes(&self) -> rusqlite::Result<u64> {
        let mut count = self.conn.prepare_cached("PRAGMA page_count")?;
        let mut size = self.conn.prepare_cached("PRAGMA page_size")?;
        let pages: i64 = count.query_row([], |row| row.get(0))?;
        let page: i64 = size.query_row([], |row| row.get(0))?;
        Ok((pages * page).unsigned_abs())
    }

    /// Returns whether the file exceeds the limits. False if that cannot be determined.
    pub(super) fn is_due(&self, due: RollLimits) -> bool {
        due.is_met_by(self).unwrap_or(false)
    }

    /// Checks the last block against the hash chain. Returns what is wrong, if anything.
    pub(super) fn check_tail(&self) -> rusqlite::Result<Option<String>> {
        let tip = self.tip()?;
        if tip.seq == self.head.after.seq {
            return Ok(None);
        }
        let before = if tip.seq - 1 == self.head.after.seq {
            Some(self.head.after.hash)
        } else {
            hash_at(&self.conn, tip.seq - 1)?
        };
        let Some(before) = before else { return Ok(Some("the block before it is missing".to_owned())) };
        let sql = format!("SELECT {} FROM block WHERE seq = ?1", Columns::All.list());
        let raw = self.conn.query_row(&sql, [tip.seq], |row| Raw::read(row, Columns::All))?;
        Ok((raw.chained(&before) != raw.hash).then(|| "its hash does not match".to_owned()))
    }

    /// Checkpoints and closes the file.
    pub(super) fn close(self, dir: &Path) -> Result<()> {
        checkpoint_and_close(self.conn, &dir.join(ACTIVE))
    }
}

/// The last block of a file, or the block it begins after if it has none.
///
/// # Errors
/// `SQLITE_CORRUPT` when the number of the last block is not greater than that of the block
/// before the file, so that no next number can be given.
pub(super) fn tip(conn: &Connection, head: &Head) -> rusqlite::Result<Tip> {
    let mut last = conn.prepare_cached("SELECT seq, hash FROM block ORDER BY seq DESC LIMIT 1")?;
    let last = last.query_row([], |row| Ok(Tip { seq: row.get(0)?, hash: row.get(1)? })).optional()?;
    match last {
        Some(tip) if tip.seq <= head.after.seq => {
            let problem = format!("its last block has the number {}, but it begins after {}", tip.seq, head.after.seq);
            Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(problem)))
        }
        last => Ok(last.unwrap_or(head.after)),
    }
}

/// The last block that retention had deleted when this file was last written; 0 if none.
pub(super) fn pruned(conn: &Connection) -> rusqlite::Result<i64> {
    let known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'pruned'";
    if conn.query_row(known, [], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    Ok(conn.query_row("SELECT max(last) FROM pruned", [], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0))
}

/// The newest file: the active one or, if it is missing, the last closed one.
pub(super) fn newest_file(dir: &Path) -> Result<PathBuf> {
    let active = dir.join(ACTIVE);
    if exists(&active)? {
        return Ok(active);
    }
    Ok(closed(dir)?.pop().map_or(active, |file| file.path))
}

pub(super) fn hash_at(conn: &Connection, seq: i64) -> rusqlite::Result<Option<Hash>> {
    let mut block = conn.prepare_cached("SELECT hash FROM block WHERE seq = ?1")?;
    block.query_row([seq], |row| row.get(0)).optional()
}

/// Latest `received_at` in a closed file, in microseconds since 1970 UTC. `None` when the file
/// has no block or is damaged.
pub(super) fn newest(path: &Path) -> Result<Option<i64>> {
    let conn = file::reader(path).map_err(|error| Error::file("open", path, error))?;
    match newest_of(&conn) {
        Ok(newest) => Ok(newest),
        Err(error) if is_damage(&error) => Ok(None),
        Err(error) => Err(Error::file("read", path, error)),
    }
}

/// The latest `received_at` in an open file, in microseconds since 1970 UTC; `None` if it has
/// no block.
pub(super) fn newest_of(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    conn.query_row("SELECT max(received_at) FROM block", [], |row| row.get(0))
}

/// Moves the write-ahead log to the main file and truncates it. False when readers prevented
/// a complete checkpoint.
pub(super) fn checkpoint(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).map(|busy| busy == 0)
}

fn checkpoint_and_close(conn: Connection, path: &Path) -> Result<()> {
    let moved = checkpoint(&conn).map(drop);
    conn.flush_prepared_statement_cache();
    let closed = conn.close().map_err(|(_, error)| error);
    moved.and(closed).map_err(|error| Error::file("close", path, error))
}

/// Opens the active file, creating it if it is missing. Holds the shared `lock` on success
/// and no lock on failure.
///
/// `known` is a block that the log is known to have. If a new file would begin before it, this
/// fails instead of creating the file.
pub(super) fn open_active(dir: &Path, lock: &File, durability: Durability, known: i64) -> Result<Active> {
    let path = dir.join(ACTIVE);
    loop {
        lock_shared(dir, lock)?;
        if exists(&path)? {
            let active = refuse_empty(&path).and_then(|()| Active::open(dir, durability));
            if active.is_err() {
                unlock(dir, lock)?;
            }
            return active;
        }
        unlock(dir, lock)?;
        if !wait_to_create(dir, lock, &path)? {
            continue;
        }
        let made = if exists(&path)? { Ok(()) } else { create(dir, known) };
        unlock(dir, lock)?;
        made?;
    }
}

/// Waits for the exclusive `lock`, under which the missing active file can be created.
/// False when another process has created the file meanwhile; then `lock` is not held.
///
/// # Errors
/// [`Error::Unfit`] when the file is still missing after other processes have had the log
/// open for [`LOCK_TIMEOUT`].
fn wait_to_create(dir: &Path, lock: &File, path: &Path) -> Result<bool> {
    let mut deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        if lock_exclusive(dir, lock, Duration::ZERO)? {
            return Ok(true);
        }
        if exists(path)? {
            return Ok(false);
        }
        match lock.try_lock_shared() {
            // Other processes hold shared locks: they have the log open, and its file was
            // moved or deleted.
            Ok(()) => unlock(dir, lock)?,
            // Another process holds the exclusive lock and is creating the file. A slow
            // disk is not an error, so the time starts again.
            Err(TryLockError::WouldBlock) => deadline = Instant::now() + LOCK_TIMEOUT,
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", &dir.join(LOCK), error)),
        }
        if Instant::now() >= deadline {
            return Err(Error::unfit(path, "it is missing while another process has the log open"));
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Rejects an empty active file with a write-ahead log that is not empty: something other
/// than this program has replaced the file.
fn refuse_empty(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() && file.len() == 0 => refuse_orphaned_wal(path, "empty"),
        _ => Ok(()),
    }
}

/// Fails if a write-ahead log is left from a file that is gone: SQLite would apply it to the
/// new file.
fn refuse_orphaned_wal(path: &Path, what: &str) -> Result<()> {
    let left = beside(path, "-wal");
    if fs::metadata(&left).is_ok_and(|left| left.len() > 0) {
        return Err(Error::unfit(path, format!("it is {what}, but {} has blocks of it", left.display())));
    }
    Ok(())
}

/// Creates the active file: the first of a new log, or the one after the newest closed
/// file if a roll was interrupted.
fn create(dir: &Path, known: i64) -> Result<()> {
    let path = dir.join(ACTIVE);
    refuse_orphaned_wal(&path, "missing")?;
    let (log, after, pruned, seen) = match closed(dir)?.last() {
        Some(newest) => {
            let failed = |error| Error::file("read", &newest.path, error);
            let conn = file::reader(&newest.path).map_err(|error| Error::file("open", &newest.path, error))?;
            let head = Head::read(&conn).map_err(failed)?.map_err(|problem| Error::unfit(&newest.path, problem))?;
            let tip = tip(&conn, &head).map_err(failed)?;
            if tip.seq != newest.last {
                return Err(Error::unfit(&newest.path, format!("its last block is {}, not {}", tip.seq, newest.last)));
            }
            (head.log, tip, pruned(&conn).map_err(failed)?, index::last_seen(dir, Some(&head.log)))
        }
        None => {
            let log = Uuid::now_v7().into_bytes();
            (log, Tip { seq: 0, hash: genesis(&log) }, 0, index::last_seen(dir, None))
        }
    };
    if after.seq < known {
        return Err(Error::unfit(&path, format!("it is missing, and with it the blocks up to {known}")));
    }
    if after.seq < seen {
        // A file that begins here would reuse the numbers of the lost blocks, and a rebuilt
        // warehouse would lack their events.
        let problem = format!(
            "it is missing, and with it the blocks {} to {seen}: put it back; to continue without them for good, \
             delete the files seen-*.db next to it",
            after.seq + 1
        );
        return Err(Error::unfit(&path, problem));
    }
    if after.seq > 0 {
        tracing::info!(seq = after.seq, "the event log continues in a new file");
    }
    prepare_next(dir, &log, after, pruned)?;
    rename(dir, &dir.join(NEXT), &path)
}

/// Creates the next active file under a temporary name, complete and flushed.
fn prepare_next(dir: &Path, log: &[u8; 16], after: Tip, pruned: i64) -> Result<()> {
    let path = dir.join(NEXT);
    let failed = |error| Error::file("create", &path, error);
    remove(&path)?;
    file::create_private(&path).map_err(|error| Error::file("create", &path, error))?;
    let conn = file::writer(&path, Durability::Full).map_err(|error| Error::file("create", &path, error))?;
    let settings = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
    conn.execute_batch(&format!("BEGIN; {settings} {SCHEMA}")).map_err(failed)?;
    conn.execute("INSERT INTO file VALUES (1, ?1, ?2, ?3)", (log, after.seq, after.hash)).map_err(failed)?;
    if pruned > 0 {
        conn.execute("INSERT INTO pruned VALUES (1, ?1)", [pruned]).map_err(failed)?;
    }
    conn.execute_batch("COMMIT").map_err(failed)?;
    checkpoint_and_close(conn, &path)
}

/// Creates the file that is to replace a closed one, in an open transaction. It has no journal,
/// because it is not used before it is complete and flushed.
pub(super) fn create_closed(path: &Path, head: &Head, pruned: i64) -> Result<Connection> {
    let failed = |error| Error::file("create", path, error);
    remove(path)?;
    file::create_private(path).map_err(|error| Error::file("create", path, error))?;
    let conn = Connection::open(path).map_err(failed)?;
    let settings = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
    conn.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF;")
        .map_err(failed)?;
    conn.execute_batch(&format!("BEGIN; {settings} {SCHEMA} {REWRITE_TABLE}")).map_err(failed)?;
    conn.execute("INSERT INTO file VALUES (1, ?1, ?2, ?3)", (head.log, head.after.seq, head.after.hash))
        .map_err(failed)?;
    if pruned > 0 {
        conn.execute("INSERT INTO pruned VALUES (1, ?1)", [pruned]).map_err(failed)?;
    }
    Ok(conn)
}

/// Adds a block to an open file.
pub(super) fn insert_block(conn: &Connection, raw: &Raw) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO block VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    insert.execute((raw.seq, raw.received_at, raw.events, raw.hash, &raw.runs, &raw.ids, &raw.body))?;
    Ok(())
}

/// The limits above which the active file is rolled.
#[derive(Clone, Copy, Debug)]
pub(super) struct RollLimits {
    /// Maximum size in bytes.
    pub(super) bytes: u64,
    /// Maximum microseconds between its first and its last block.
    pub(super) span_us: i64,
}

impl RollLimits {
    /// Limits that any file with a block exceeds.
    pub(super) const NONE: RollLimits = RollLimits { bytes: 0, span_us: 0 };

    fn is_met_by(&self, active: &Active) -> rusqlite::Result<bool> {
        if active.bytes()? > self.bytes {
            return Ok(true);
        }
        let mut ends = active.conn.prepare_cached(
            "SELECT (SELECT received_at FROM block ORDER BY seq LIMIT 1), \
                    (SELECT received_at FROM block ORDER BY seq DESC LIMIT 1)",
        )?;
        let ends: (Option<i64>, Option<i64>) = ends.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (Some(first), Some(last)) = ends else { return Ok(false) };
        Ok(last.saturating_sub(first) > self.span_us)
    }
}

/// Rolls the active file if it exceeds the limits and no other process has it open: renames
/// it to its final name and creates the next one. Returns whether it was rolled. The shared
/// `lock` is held before the call and no lock after it.
///
/// If the process dies at any step, [`open_active`] completes the roll.
pub(super) fn roll(dir: &Path, lock: &File, active: Active, due: RollLimits) -> Result<bool> {
    // Close the file before releasing the lock: a process with the exclusive lock relies
    // on no other process having the file open.
    active.close(dir)?;
    unlock(dir, lock)?;
    if !lock_exclusive(dir, lock, ROLL_LOCK_TIMEOUT)? {
        return Ok(false);
    }
    let rolled = roll_exclusive(dir, due);
    unlock(dir, lock)?;
    rolled
}

fn roll_exclusive(dir: &Path, due: RollLimits) -> Result<bool> {
    let path = dir.join(ACTIVE);
    let failed = |error| Error::file("roll", &path, error);
    let active = Active::open(dir, Durability::Full)?;
    let tip = active.tip().map_err(failed)?;
    let Head { log, after } = active.head;
    let pruned = pruned(&active.conn).map_err(failed)?;
    // Another process may have rolled it before this one got the lock.
    if tip.seq == after.seq || !due.is_met_by(&active).map_err(failed)? {
        active.close(dir)?;
        return Ok(false);
    }
    // Without a write-ahead log the file is self-contained and can be read on a read-only
    // volume. SQLite refuses to change the mode while the file is open elsewhere, so this
    // also protects programs that do not use the lock file.
    active.conn.busy_timeout(Duration::ZERO).map_err(failed)?;
    let mode = active.conn.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
    match mode {
        Ok(mode) if mode == "delete" => {}
        other => {
            tracing::debug!(answer = ?other, "the event log is not rolled while others have it open");
            active.close(dir)?;
            return Ok(false);
        }
    }
    active.conn.close().map_err(|(_, error)| failed(error))?;
    failpoints::hit(dir, "roll: closed").map_err(failed)?;

    let name = dir.join(closed_name(after.seq + 1, tip.seq));
    if exists(&name)? {
        return Err(Error::unfit(&name, "it has the name that log.db needs"));
    }
    prepare_next(dir, &log, tip, pruned)?;
    failpoints::hit(dir, "roll: next made").map_err(failed)?;
    rename(dir, &path, &name)?;
    failpoints::hit(dir, "roll: renamed").map_err(failed)?;
    rename(dir, &dir.join(NEXT), &path)?;
    failpoints::hit(dir, "roll: done").map_err(failed)?;
    tracing::info!(first = after.seq + 1, last = tip.seq, "the event log was rolled");
    Ok(true)
}
