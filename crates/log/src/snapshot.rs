//! Consistent snapshot of a log that other processes write.

use std::path::{Path, PathBuf};

use muriel_sql::file;
use rusqlite::Connection;

use super::error::{Error, Result};
use super::files::{self, ACTIVE};
use super::format::{Hash, Head, Tip};
use super::segment::{self, Segment};
use super::{LogId, Position};

/// Number of segments of one size class that are merged into one.
const FANOUT: usize = 8;
/// Bytes of the smallest size class. Each next one is [`FANOUT`] times as large.
const SMALLEST_CLASS: u64 = 64 << 10;

/// Files of a log at one point in time.
#[derive(Clone, Debug)]
pub struct LogSnapshot {
    /// Id of the log.
    pub log: LogId,
    /// The closed files, oldest first. They are not written any more, but retention may delete
    /// them.
    pub closed: Vec<PathBuf>,
    /// The blocks of the active file, oldest first. Empty if there is no active file: a process
    /// died while rolling the log, and the next writer completes the roll.
    pub segments: Vec<Segment>,
    /// True when the last segment was written by this snapshot, and is not one of the known ones.
    pub has_new_segment: bool,
    /// The last block.
    pub last: Position,
    /// Hash of the last block; in an empty log, the hash before the first block.
    pub hash: [u8; 32],
}

/// Lists the closed files of the log in `dir`, and writes those blocks of the active file that
/// are not in a `known` segment to the new file `to`. Returns `None` when there is no log. The
/// log cannot be rolled meanwhile; appends continue.
///
/// `known` are the segments of an earlier snapshot. Leading segments that the active file still
/// contains are reused. With `compare`, their content must also be identical byte for byte;
/// without it, only log id and block numbers are compared. Small segments are merged from time to
/// time, so there are never more than a few dozen.
///
/// # Errors
/// [`Error::File`] when a file cannot be read or `to` cannot be written, and
/// [`Error::Unfit`] when the active file is not one of a log.
pub fn snapshot(dir: &Path, known: &[Segment], compare: bool, to: &Path) -> Result<Option<LogSnapshot>> {
    let lock = files::lock_to_read(dir)?;
    if let Some(lock) = &lock {
        files::lock_shared(dir, lock)?;
    }
    // The lock is released when its file is closed, also after an error.
    let closed = files::closed(dir)?;
    let path = dir.join(ACTIVE);
    let found = if files::exists(&path)? {
        Some(read_active(&path, known, compare, to)?)
    } else {
        closed.last().map(|newest| read_newest(&newest.path)).transpose()?
    };
    drop(lock);
    Ok(found.map(|found| LogSnapshot { closed: closed.into_iter().map(|file| file.path).collect(), ..found }))
}

fn open(path: &Path) -> Result<(Connection, Head, Tip)> {
    let failed = |error| Error::file("read", path, error);
    let conn = file::reader(path).map_err(|error| Error::file("open", path, error))?;
    // One transaction, so that all reads see the same state.
    conn.execute_batch("BEGIN").map_err(failed)?;
    let head = Head::read(&conn).map_err(failed)?.map_err(|problem| Error::unfit(path, problem))?;
    let tip = files::tip(&conn, &head).map_err(failed)?;
    Ok((conn, head, tip))
}

/// Snapshot of a log that has only closed files.
fn read_newest(path: &Path) -> Result<LogSnapshot> {
    let (_, head, tip) = open(path)?;
    Ok(of(&head, tip, Vec::new(), false))
}

fn of(head: &Head, tip: Tip, segments: Vec<Segment>, has_new_segment: bool) -> LogSnapshot {
    let (log, last) = (LogId::from_bytes(head.log), Position { seq: tip.seq });
    LogSnapshot { log, closed: Vec::new(), segments, has_new_segment, last, hash: tip.hash }
}

fn read_active(path: &Path, known: &[Segment], compare: bool, to: &Path) -> Result<LogSnapshot> {
    let failed = |error| Error::file("read", path, error);
    let (conn, head, tip) = open(path)?;
    let mut segments = reusable(&conn, &head, tip, known, compare).map_err(failed)?;
    let start = segments.last().map_or(head.after.seq, |last| last.last);
    let tables = segment::tables_digest(&conn).map_err(failed)?;
    if start == tip.seq && segments.last().is_some_and(|last| last.tables == tables) {
        return Ok(of(&head, tip, segments, false));
    }
    let bytes = segment::bytes(&conn, start).map_err(failed)?;
    merge(&mut segments, bytes);
    let after = match segments.last() {
        Some(last) => Tip { seq: last.last, hash: hash_at(&conn, path, last.last)? },
        None => head.after,
    };
    let made = segment::write(&conn, &head.log, after, tip.seq, to)
        .map_err(|error| Error::file("copy blocks to", to, error))?;
    segments.push(made);
    Ok(of(&head, tip, segments, true))
}

fn hash_at(conn: &Connection, path: &Path, seq: i64) -> Result<Hash> {
    let found = files::hash_at(conn, seq).map_err(|error| Error::file("read", path, error))?;
    found.ok_or_else(|| Error::unfit(path, format!("the block {seq} is missing")))
}

/// Leading known segments that the active file still contains.
fn reusable(
    conn: &Connection,
    head: &Head,
    tip: Tip,
    known: &[Segment],
    compare: bool,
) -> rusqlite::Result<Vec<Segment>> {
    let mut after = head.after.seq;
    let mut found = Vec::new();
    for segment in known {
        let fits = segment.log == LogId::from_bytes(head.log) && segment.after == after && segment.last <= tip.seq;
        if !fits || (compare && segment::blocks_digest(conn, segment.after, segment.last)? != segment.blocks) {
            break;
        }
        after = segment.last;
        found.push(segment.clone());
    }
    Ok(found)
}

/// Removes the segments from the end of `segments` that are to be merged into a new one with
/// `bytes` of blocks. So each block is copied about once per size class, and no class has more
/// than [`FANOUT`] segments.
fn merge(segments: &mut Vec<Segment>, mut bytes: u64) {
    // A segment without blocks has only side tables, which the new segment contains too.
    while segments.pop_if(|last| last.last == last.after).is_some() {}
    loop {
        let small = segments.iter().rev().take_while(|segment| class(segment.bytes) <= class(bytes)).count();
        if small < FANOUT - 1 {
            return;
        }
        bytes += segments.drain(segments.len() - small..).map(|segment| segment.bytes).sum::<u64>();
    }
}

fn class(bytes: u64) -> u32 {
    (bytes / SMALLEST_CLASS).max(1).ilog(FANOUT as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stay_few_and_blocks_are_copied_seldom() {
        let (mut segments, mut copied, mut at): (Vec<Segment>, u64, i64) = (Vec::new(), 0, 0);
        let step = 100 << 10;
        let total = 10_000;
        for _ in 0..total {
            let end = at + 1;
            merge(&mut segments, step);
            let after = segments.last().map_or(0, |last| last.last);
            let bytes = (end - after).unsigned_abs() * step;
            segments.push(Segment { after, last: end, bytes, ..Segment::empty() });
            copied += bytes;
            at = end;
            assert!(segments.len() <= 40, "{}", segments.len());
            assert!(segments.windows(2).all(|two| two[0].last == two[1].after) && segments[0].after == 0);
        }
        assert!(copied < 7 * total * step, "{}", copied / (total * step));
    }

    #[test]
    fn a_segment_without_blocks_does_not_stay() {
        let mut segments = vec![Segment { after: 0, last: 0, ..Segment::empty() }];
        merge(&mut segments, 0);
        assert!(segments.is_empty());
    }
}
