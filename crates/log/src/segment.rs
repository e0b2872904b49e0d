//! Segments: consecutive blocks of the active file, copied to a separate file; and restoring a log from
//! segments.
//!
//! A segment has the format of a log file; `file` holds the block after which it begins. Tables and
//! columns are copied as found, so data that a later version adds is kept.

use std::fs::{self, File};
use std::path::Path;

use muriel_domain::Instant;
use muriel_sql::file;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params_from_iter};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::{Error, Result};
use super::files::{self, ACTIVE};
use super::format::{APPLICATION, Head, Tip, VERSION};
use super::{LogId, Position};

/// Table with the last block that retention has deleted.
const PRUNED: &str = "pruned";

/// Consecutive blocks of the active file that were copied to a separate file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Id of the log.
    pub log: LogId,
    /// The block that precedes the first one.
    pub after: i64,
    /// The last block; equal to `after` if the segment has none.
    pub last: i64,
    /// Approximate bytes of its blocks in the active file.
    pub bytes: u64,
    /// SHA-256 of the rows of its blocks, in hexadecimal.
    pub blocks: String,
    /// SHA-256 of the rows of all tables other than `file` and `block`, in hexadecimal.
    pub tables: String,
}

#[cfg(test)]
impl Segment {
    pub(super) fn empty() -> Segment {
        let log = LogId::from_bytes([0; 16]);
        Segment { log, after: 0, last: 0, bytes: 0, blocks: String::new(), tables: String::new() }
    }
}

/// Digest of rows.
struct RowsDigest(Sha256);

impl RowsDigest {
    fn new() -> Self {
        Self(Sha256::new())
    }

    fn add(&mut self, row: &Row<'_>, columns: usize) -> rusqlite::Result<()> {
        for column in 0..columns {
            let number;
            let (kind, bytes): (u8, &[u8]) = match row.get_ref(column)? {
                ValueRef::Null => (0, &[]),
                ValueRef::Integer(value) => {
                    number = value.to_be_bytes();
                    (1, &number)
                }
                ValueRef::Real(value) => {
                    number = value.to_bits().to_be_bytes();
                    (2, &number)
                }
                ValueRef::Text(text) => (3, text),
                ValueRef::Blob(blob) => (4, blob),
            };
            self.0.update([kind]);
            self.0.update((bytes.len() as u64).to_be_bytes());
            self.0.update(bytes);
        }
        Ok(())
    }

    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Approximate bytes of the blocks after `after`.
pub(super) fn bytes(conn: &Connection, after: i64) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(sum(length(body) + length(ids) + length(runs) + 64), 0) FROM block WHERE seq > ?1";
    conn.query_row(sql, [after], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

/// Computes [`Segment::blocks`] of these blocks.
pub(super) fn blocks_digest(conn: &Connection, after: i64, last: i64) -> rusqlite::Result<String> {
    let mut digest = RowsDigest::new();
    each_block(conn, after, last, |row, columns| digest.add(row, columns))?;
    Ok(digest.finish())
}

fn each_block(
    conn: &Connection,
    after: i64,
    last: i64,
    mut each: impl FnMut(&Row<'_>, usize) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut statement = conn.prepare("SELECT * FROM block WHERE seq > ?1 AND seq <= ?2 ORDER BY seq")?;
    let columns = statement.column_count();
    let mut rows = statement.query([after, last])?;
    while let Some(row) = rows.next()? {
        each(row, columns)?;
    }
    Ok(())
}

/// Computes [`Segment::tables`] of a file.
pub(super) fn tables_digest(conn: &Connection) -> rusqlite::Result<String> {
    let mut digest = RowsDigest::new();
    for table in side_tables(conn)? {
        digest.0.update(format!("{table}\n"));
        let mut statement = conn.prepare(&format!("SELECT * FROM {}", quoted(&table)))?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            digest.add(row, columns)?;
        }
    }
    Ok(digest.finish())
}

/// Names of the tables other than `file` and `block`, such as `pruned`. They are small.
fn side_tables(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('file', 'block') \
         AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Opens a file that no other process has open. Changes are flushed only by [`close`]: an incomplete
/// file is discarded.
fn open_unshared(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    Ok(conn)
}

fn close(conn: Connection, path: &Path) -> Result<()> {
    conn.close().map_err(|(_, error)| Error::file("close", path, error))?;
    File::open(path).and_then(|file| file.sync_all()).map_err(|error| Error::file("flush", path, error))
}

/// Writes the blocks after `after` up to `last` to the new file `to`.
pub(super) fn write(conn: &Connection, log: &[u8; 16], after: Tip, last: i64, to: &Path) -> Result<Segment> {
    let failed = |error| Error::file("copy blocks to", to, error);
    let bytes = bytes(conn, after.seq).map_err(failed)?;
    file::create_private(to).map_err(|error| Error::file("create", to, error))?;
    let copy = open_unshared(to).map_err(failed)?;
    copy.execute_batch("BEGIN").map_err(failed)?;
    let written = (|| {
        let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid";
        let mut schema = conn.prepare(schema)?;
        let mut statements = schema.query([])?;
        while let Some(row) = statements.next()? {
            copy.execute_batch(&row.get::<_, String>(0)?)?;
        }
        copy.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; DELETE FROM file;"
        ))?;
        copy.execute("INSERT INTO file VALUES (1, ?1, ?2, ?3)", (log, after.seq, after.hash))?;
        let blocks = copy_blocks(conn, &copy, after.seq, last)?;
        copy_side_tables(conn, &copy)?;
        copy.execute_batch("COMMIT")?;
        Ok((blocks, tables_digest(conn)?))
    })();
    let (blocks, tables) = written.map_err(failed)?;
    close(copy, to)?;
    Ok(Segment { log: LogId::from_bytes(*log), after: after.seq, last, bytes, blocks, tables })
}

/// Copies blocks and returns the digest of their rows.
fn copy_blocks(from: &Connection, to: &Connection, after: i64, last: i64) -> rusqlite::Result<String> {
    let mut digest = RowsDigest::new();
    let mut insert = None;
    each_block(from, after, last, |row, columns| {
        digest.add(row, columns)?;
        let insert = match &mut insert {
            Some(insert) => insert,
            None => insert.insert(to.prepare(&insert_into("block", columns))?),
        };
        insert_row(insert, row, columns)
    })?;
    Ok(digest.finish())
}

fn insert_into(table: &str, columns: usize) -> String {
    format!("INSERT INTO {} VALUES ({})", quoted(table), vec!["?"; columns].join(", "))
}

fn insert_row(insert: &mut rusqlite::Statement<'_>, row: &Row<'_>, columns: usize) -> rusqlite::Result<()> {
    let values = (0..columns).map(|column| row.get_ref(column)).collect::<rusqlite::Result<Vec<_>>>()?;
    insert.execute(params_from_iter(values.into_iter().map(rusqlite::types::ToSqlOutput::Borrowed))).map(drop)
}

/// Replaces the rows of all side tables in `to` by those in `from`, and creates missing tables.
fn copy_side_tables(from: &Connection, to: &Connection) -> rusqlite::Result<()> {
    side_tables(from)?.iter().try_for_each(|table| copy_table(from, to, table))
}

fn copy_table(from: &Connection, to: &Connection, table: &str) -> rusqlite::Result<()> {
    if side_tables(to)?.iter().any(|known| known == table) {
        to.execute_batch(&format!("DELETE FROM {}", quoted(table)))?;
    } else {
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        to.execute_batch(&from.query_row(sql, [table], |row| row.get::<_, String>(0))?)?;
    }
    let mut statement = from.prepare(&format!("SELECT * FROM {}", quoted(table)))?;
    let columns = statement.column_count();
    let mut insert = to.prepare(&insert_into(table, columns))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        insert_row(&mut insert, row, columns)?;
    }
    Ok(())
}

fn head_and_tip(conn: &Connection, path: &Path) -> Result<(Head, Tip)> {
    let failed = |error| Error::file("read", path, error);
    let head = Head::read(conn).map_err(failed)?.map_err(|problem| Error::unfit(path, problem))?;
    let tip = files::tip(conn, &head).map_err(failed)?;
    Ok((head, tip))
}

/// Appends a segment to the active file of the restored log in `dir`. Without an active file, the
/// segment becomes it. Removes the file at `segment`. No other process may have the log open.
///
/// # Errors
/// [`Error::Unfit`] when the segment does not begin where the file ends, and [`Error::File`].
pub fn append_segment(dir: &Path, segment: &Path) -> Result<()> {
    let active = dir.join(ACTIVE);
    if !files::exists(&active)? {
        return fs::rename(segment, &active).map_err(|error| Error::file("rename", segment, error));
    }
    let failed = |error| Error::file("append to", &active, error);
    let from = file::reader(segment).map_err(|error| Error::file("open", segment, error))?;
    let to = open_unshared(&active).map_err(failed)?;
    let ((ours, tip), (theirs, last)) = (head_and_tip(&to, &active)?, head_and_tip(&from, segment)?);
    if ours.log != theirs.log || tip != theirs.after {
        let problem = format!("it begins after block {}, but the log ends with block {}", theirs.after.seq, tip.seq);
        return Err(Error::unfit(segment, problem));
    }
    let appended = to.execute_batch("BEGIN").and_then(|()| {
        copy_blocks(&from, &to, tip.seq, last.seq)?;
        copy_side_tables(&from, &to)?;
        to.execute_batch("COMMIT")
    });
    appended.map_err(failed)?;
    close(to, &active)?;
    drop(from);
    files::remove(segment)
}

/// Truncates the restored log in `dir`: removes the first block after `keep` that was received later
/// than `until`, and all blocks after it. Returns the last remaining block. No other process may have
/// the log open.
///
/// # Errors
/// [`Error::File`] and [`Error::Unfit`].
pub fn cut(dir: &Path, keep: Position, until: Instant) -> Result<Position> {
    let active = dir.join(ACTIVE);
    let closed = files::closed(dir)?;
    let is_late = |path: &Path| -> Result<Option<i64>> {
        let conn = file::reader(path).map_err(|error| Error::file("open", path, error))?;
        let sql = "SELECT seq FROM block WHERE seq > ?1 AND received_at > ?2 ORDER BY seq LIMIT 1";
        let first = conn.query_row(sql, [keep.seq, until.us()], |row| row.get(0)).optional();
        first.map_err(|error| Error::file("read", path, error))
    };
    for (at, file) in closed.iter().enumerate() {
        if file.last <= keep.seq {
            continue;
        }
        let Some(first) = is_late(&file.path)? else { continue };
        if files::exists(&active)? {
            let from = file::reader(&active).map_err(|error| Error::file("open", &active, error))?;
            let to = open_unshared(&file.path).map_err(|error| Error::file("open", &file.path, error))?;
            // The newest file has the latest record of pruned blocks. Other tables describe the blocks
            // of their own file.
            if side_tables(&from).map_err(|error| Error::file("read", &active, error))?.contains(&PRUNED.to_owned()) {
                copy_table(&from, &to, PRUNED).map_err(|error| Error::file("write", &file.path, error))?;
            }
            close(to, &file.path)?;
        }
        files::remove(&active)?;
        for later in &closed[at + 1..] {
            files::remove(&later.path)?;
        }
        fs::rename(&file.path, &active).map_err(|error| Error::file("rename", &file.path, error))?;
        return delete_from(&active, first);
    }
    if !files::exists(&active)? {
        return Ok(Position { seq: closed.last().map_or(0, |file| file.last) });
    }
    match is_late(&active)? {
        Some(first) => delete_from(&active, first),
        None => {
            let conn = file::reader(&active).map_err(|error| Error::file("open", &active, error))?;
            head_and_tip(&conn, &active).map(|(_, tip)| Position { seq: tip.seq })
        }
    }
}

/// Deletes the block `first` and all blocks after it.
fn delete_from(path: &Path, first: i64) -> Result<Position> {
    let failed = |error| Error::file("cut", path, error);
    let conn = open_unshared(path).map_err(failed)?;
    conn.execute("DELETE FROM block WHERE seq >= ?1", [first]).map_err(failed)?;
    for table in side_tables(&conn).map_err(failed)? {
        let seq_column = "SELECT 1 FROM pragma_table_info(?1) WHERE name = 'seq'";
        if conn.query_row(seq_column, [&table], |_| Ok(())).optional().map_err(failed)?.is_some() {
            conn.execute(&format!("DELETE FROM {} WHERE seq >= ?1", quoted(&table)), [first]).map_err(failed)?;
        }
    }
    // Removes the deleted data from the file's free pages.
    conn.execute_batch("VACUUM").map_err(failed)?;
    let (_, tip) = head_and_tip(&conn, path)?;
    close(conn, path)?;
    Ok(Position { seq: tip.seq })
}
