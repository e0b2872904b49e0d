//! Reads the rows of all log files in order and skips damaged ones.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use muriel_sql::file;
use rusqlite::{Connection, OptionalExtension};

use super::error::{Error, Result, chain};
use super::files::{self, ACTIVE};
use super::format::{Columns, Hash, Head, Raw};
use super::rewrite;

/// Maximum rows read under one lock, during which the log cannot be rolled.
const MAX_CHUNK_ROWS: usize = 1000;
/// Bytes of rows after which a chunk ends, even with fewer rows.
const MAX_CHUNK_BYTES: usize = 4 << 20;
/// An upper bound of the number of rows in one page.
const MAX_ROWS_PER_PAGE: i64 = 100;

/// One item of a scan.
pub(super) enum ScanItem {
    /// The following items are from this file and come after the block `seq`. `hash` is the
    /// hash of that block; `None` if the block cannot be read.
    File { path: Arc<Path>, oldest: bool, log: Option<[u8; 16]>, seq: i64, hash: Option<Hash> },
    /// The next row. Its number is greater than the last one plus 1 if rows are missing.
    Row(Raw),
    /// The blocks from `first` to `last` cannot be read; to the end of the file if `last` is
    /// `None`.
    Unreadable { first: i64, last: Option<i64>, problem: String },
}

pub(super) struct Scan {
    dir: PathBuf,
    /// The lock file; see [`files::lock_to_read`].
    lock: Option<File>,
    columns: Columns,
    /// The last block that was returned or skipped.
    after: i64,
    /// The file that contains this block, and the block after which it begins.
    at: Option<(PathBuf, i64)>,
    pieces: VecDeque<ScanItem>,
    /// True when the rest of the active file cannot be read, so that the scan returns no more
    /// items.
    stuck: bool,
}

/// One file of the log.
struct LogFile {
    path: PathBuf,
    /// The block after which it begins, if the file names show it.
    begins: Option<i64>,
    /// The last block of a closed file; `None` for the active one.
    last: Option<i64>,
    oldest: bool,
}

impl Scan {
    /// Creates a scan of the blocks after `after`.
    pub(super) fn new(dir: &Path, columns: Columns, after: i64) -> Result<Scan> {
        let lock = files::lock_to_read(dir)?;
        Ok(Scan { dir: dir.to_owned(), lock, columns, after, at: None, pieces: VecDeque::new(), stuck: false })
    }

    /// The next item, or `None` at the current end of the log.
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be opened or the disk fails.
    /// Damage is not an error but an item.
    pub(super) fn next(&mut self) -> Result<Option<ScanItem>> {
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                return Ok(Some(piece));
            }
            if self.stuck || !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// The last block that retention has deleted; `None` if it cannot be read. Retention
    /// records it before it deletes, so read it after blocks were found to be missing.
    pub(super) fn pruned(&self) -> Option<i64> {
        if let Some(lock) = &self.lock {
            files::lock_shared(&self.dir, lock).ok()?;
        }
        let pruned = files::newest_file(&self.dir).ok().and_then(|path| {
            let conn = file::reader(&path).ok()?;
            files::pruned(&conn).ok()
        });
        if let Some(lock) = &self.lock {
            files::unlock(&self.dir, lock).ok()?;
        }
        pruned
    }

    /// Reads the next chunk of items. False when there are none.
    fn fill(&mut self) -> Result<bool> {
        if let Some(lock) = &self.lock {
            files::lock_shared(&self.dir, lock)?;
        }
        let filled = self.fill_locked();
        if let Some(lock) = &self.lock {
            files::unlock(&self.dir, lock)?;
        }
        filled
    }

    fn fill_locked(&mut self) -> Result<bool> {
        loop {
            let Some(place) = self.place()? else { return Ok(false) };
            let read = self.read(&place);
            match read {
                Ok(()) => {}
                // Retention deleted the file after it was listed.
                Err(error) if error.is_not_found() && !files::exists(&place.path)? => continue,
                Err(error) => return Err(error),
            }
            if !self.pieces.is_empty() {
                return Ok(true);
            }
            if place.last.is_none() {
                return Ok(false);
            }
        }
    }

    /// The file that contains the block after `after`, or will contain it.
    fn place(&self) -> Result<Option<LogFile>> {
        let closed = files::closed(&self.dir)?;
        if let Some(i) = closed.iter().position(|file| file.last > self.after) {
            let file = &closed[i];
            let (begins, last) = (Some(file.first - 1), Some(file.last));
            return Ok(Some(LogFile { path: file.path.clone(), begins, last, oldest: i == 0 }));
        }
        let path = self.dir.join(ACTIVE);
        if !files::exists(&path)? {
            return Ok(None);
        }
        let begins = closed.last().map(|file| file.last);
        Ok(Some(LogFile { path, begins, last: None, oldest: begins.is_none() }))
    }

    fn read(&mut self, place: &LogFile) -> Result<()> {
        if !files::exists(&place.path)? {
            return Err(Error::file("open", &place.path, std::io::Error::from(std::io::ErrorKind::NotFound)));
        }
        let conn = file::reader(&place.path).map_err(|error| Error::file("open", &place.path, error))?;
        let read = self.rows(&conn, place);
        match read {
            Ok(()) => Ok(()),
            Err(error) if is_damage(&error) => {
                self.give_up(place, chain(&error));
                Ok(())
            }
            Err(error) => Err(Error::file("read", &place.path, error)),
        }
    }

    /// Skips the rest of a file.
    fn give_up(&mut self, place: &LogFile, problem: String) {
        if self.at.as_ref().is_none_or(|(path, _)| *path != place.path) {
            self.after = self.after.max(place.begins.unwrap_or(self.after));
            self.enter(place, None, None);
        }
        self.pieces.push_back(ScanItem::Unreadable { first: self.after + 1, last: place.last, problem });
        match place.last {
            Some(last) => self.after = last,
            None => self.stuck = true,
        }
    }

    /// Enters a file, after the block `after`.
    fn enter(&mut self, place: &LogFile, head: Option<&Head>, hash: Option<Hash>) {
        let begins = head.map_or(self.after, |head| head.after.seq);
        self.at = Some((place.path.clone(), begins));
        self.pieces.push_back(ScanItem::File {
            path: place.path.as_path().into(),
            oldest: place.oldest,
            log: head.map(|head| head.log),
            seq: self.after,
            hash,
        });
    }

    fn rows(&mut self, conn: &Connection, place: &LogFile) -> rusqlite::Result<()> {
        conn.execute_batch("BEGIN")?;
        let head = match Head::read(conn) {
            Ok(Ok(head)) => Some(head),
            Ok(Err(problem)) => {
                self.give_up(place, problem);
                return Ok(());
            }
            Err(error) if is_damage(&error) => None,
            Err(error) => return Err(error),
        };
        let last = last_row(conn)?;
        let first = match place.begins {
            Some(begins) => Some(begins),
            None => first_row(conn)?.map(|first| first - 1),
        };
        // A damaged header must not hide the rows that follow.
        let head = head.filter(|head| first.is_none_or(|first| first == head.after.seq));
        let same = self.at.as_ref().is_some_and(|(path, begins)| {
            // The active file may have been rolled and replaced by another.
            *path == place.path && head.as_ref().is_none_or(|head| head.after.seq == *begins)
        });
        if !same {
            let begins = head.as_ref().map(|head| head.after.seq).or(first).unwrap_or(self.after);
            let end = last.unwrap_or(begins);
            let short = place.last.is_none() && end < self.after;
            let hash = if begins >= self.after {
                self.after = begins;
                head.as_ref().map(|head| head.after.hash)
            } else {
                files::hash_at(conn, self.after).ok().flatten()
            };
            self.enter(place, head.as_ref(), hash);
            if short {
                let (first, last) = (end + 1, Some(self.after));
                let problem = "the log ends before them".to_owned();
                self.pieces.push_back(ScanItem::Unreadable { first, last, problem });
            }
        }

        // A damaged number must not make the scan look for more rows than the file can have.
        let pages: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let most = self.after.saturating_add(pages.saturating_mul(MAX_ROWS_PER_PAGE));
        let begins = self.at.as_ref().map_or(self.after, |(_, begins)| *begins);
        let (bound, sure) = match (place.last, last) {
            (Some(last), _) => (last, true),
            (None, Some(last)) if last > begins => (last.min(most), true),
            // The number of the last row is damaged: it is from before the file.
            (None, Some(_)) => (most, false),
            (None, None) => return Ok(()),
        };
        if bound <= self.after {
            return Ok(());
        }
        let (mut rows, whole, failed) = self.chunk(conn)?;
        add_rewrites(conn, rows.iter_mut().filter_map(|row| row.as_mut().ok()))?;
        self.sort_out(rows, bound, place.last);
        if let Some(problem) = failed {
            if sure {
                self.salvage(conn, bound, most, problem)?;
            } else {
                self.give_up(place, problem);
            }
        } else if whole && sure && self.after < bound {
            // The last rows are missing.
            let (first, last) = (self.after + 1, Some(bound));
            self.pieces.push_back(ScanItem::Unreadable { first, last, problem: "missing".to_owned() });
            self.after = bound;
        }
        Ok(())
    }

    /// Reads up to [`MAX_CHUNK_ROWS`] rows after `after`, in table order. An unreadable row
    /// is represented by its number. Also returns whether these are the last rows, and the
    /// error that ended the chunk, if any.
    #[expect(clippy::type_complexity, reason = "taken apart at once by the only caller")]
    fn chunk(&self, conn: &Connection) -> rusqlite::Result<(Vec<Result<Raw, i64>>, bool, Option<String>)> {
        // At the beginning of a file, scan without an index lookup, which a damaged number
        // can misdirect.
        let begins = self.at.as_ref().is_some_and(|(_, begins)| *begins == self.after);
        let which = if begins { "?1 IS NOT NULL" } else { "seq > ?1" };
        let sql = format!("SELECT {} FROM block WHERE {which} ORDER BY seq", self.columns.list());
        let mut statement = conn.prepare_cached(&sql)?;
        let mut found = statement.query([self.after])?;
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while rows.len() < MAX_CHUNK_ROWS && bytes < MAX_CHUNK_BYTES {
            match found.next() {
                Ok(Some(row)) => match Raw::read(row, self.columns) {
                    Ok(raw) => {
                        bytes += raw.body.len() + raw.ids.len();
                        rows.push(Ok(raw));
                    }
                    Err(error) if is_damage(&error) => rows.push(Err(row.get(0).unwrap_or(i64::MAX))),
                    Err(error) => return Err(error),
                },
                Ok(None) => return Ok((rows, true, None)),
                Err(error) if is_damage(&error) => return Ok((rows, false, Some(chain(&error)))),
                Err(error) => return Err(error),
            }
        }
        Ok((rows, false, None))
    }

    /// Turns rows into items, in the order in which they were found: a damaged number must
    /// not hide the rows after it.
    fn sort_out(&mut self, rows: Vec<Result<Raw, i64>>, bound: i64, end: Option<i64>) {
        let numbers: Vec<i64> = rows.iter().map(|row| row.as_ref().map_or_else(|seq| *seq, |raw| raw.seq)).collect();
        for (i, row) in rows.into_iter().enumerate() {
            let (seq, expected) = (numbers[i], self.after + 1);
            let next = numbers.get(i + 1).copied();
            // A gap is real if the next row's number follows this one's.
            let gap = seq > expected && seq <= bound && next.is_none_or(|next| next == seq + 1);
            match row {
                Ok(raw) if seq == expected || gap => {
                    self.after = seq;
                    self.pieces.push_back(ScanItem::Row(raw));
                }
                row => {
                    let problem = match row {
                        Ok(_) => format!("the next block has the number {seq}"),
                        Err(_) => "a column has the wrong type".to_owned(),
                    };
                    if end.is_some_and(|end| expected > end) {
                        return;
                    }
                    self.pieces.push_back(ScanItem::Unreadable { first: expected, last: Some(expected), problem });
                    self.after = expected;
                }
            }
        }
    }

    /// Looks up one number at a time, up to `most`, until a row can be read. The scan
    /// continues from that row.
    fn salvage(&mut self, conn: &Connection, bound: i64, most: i64, problem: String) -> rusqlite::Result<()> {
        let sql = format!("SELECT {} FROM block WHERE seq = ?1", self.columns.list());
        let mut statement = conn.prepare_cached(&sql)?;
        let first = self.after + 1;
        let mut found = None;
        while self.after < bound && found.is_none() {
            if self.after >= most {
                self.after = bound;
                break;
            }
            match statement.query_row([self.after + 1], |row| Raw::read(row, self.columns)).optional() {
                Ok(Some(mut raw)) if raw.seq == self.after + 1 => {
                    add_rewrites(conn, std::iter::once(&mut raw))?;
                    found = Some(raw);
                }
                Ok(_) => self.after += 1,
                Err(error) if is_damage(&error) => self.after += 1,
                Err(error) => return Err(error),
            }
        }
        if self.after >= first {
            self.pieces.push_back(ScanItem::Unreadable { first, last: Some(self.after), problem });
        }
        // Added here, because reading it as part of a chunk may fail again.
        if let Some(raw) = found {
            self.after = raw.seq;
            self.pieces.push_back(ScanItem::Row(raw));
        }
        Ok(())
    }
}

/// Adds the records of rewrites to rows of the file.
fn add_rewrites<'r>(conn: &Connection, rows: impl Iterator<Item = &'r mut Raw>) -> rusqlite::Result<()> {
    let mut rows: Vec<&mut Raw> = rows.collect();
    let numbers = rows.iter().map(|raw| raw.seq);
    let (Some(first), Some(last)) = (numbers.clone().min(), numbers.max()) else { return Ok(()) };
    if !rewrite::has_records(conn)? {
        return Ok(());
    }
    for (seq, record) in rewrite::records(conn, first, last)? {
        if let Some(raw) = rows.iter_mut().find(|raw| raw.seq == seq) {
            raw.rewrites.push(record);
        }
    }
    Ok(())
}

/// The number of the first row; `None` if there are no rows.
fn first_row(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    conn.query_row("SELECT min(seq) FROM block", [], |row| row.get(0))
}

/// The number of the last row; `None` if there are no rows.
pub(super) fn last_row(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    conn.query_row("SELECT max(seq) FROM block", [], |row| row.get(0))
}

/// Returns whether the error means that the content of a file is damaged, as opposed to a
/// failing disk or a busy lock.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    use rusqlite::ErrorCode as C;
    match error {
        E::SqliteFailure(code, _) => {
            matches!(
                code.code,
                C::DatabaseCorrupt
                | C::NotADatabase
                | C::TypeMismatch
                | C::SchemaChanged
                | C::TooBig
                | C::OutOfMemory
                // SQLite's code for "no such table" and for a malformed schema.
                | C::Unknown
            ) || code.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ
        }
        _ => true,
    }
}
