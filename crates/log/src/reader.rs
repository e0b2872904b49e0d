//! Reading the log: blocks in order, summaries without decompressing them, and
//! verification of the hash chain.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use muriel_domain::Instant;
use rusqlite::Connection;
use uuid::Uuid;

use super::Position;
use super::error::{Error, Result};
use super::files::{self, ACTIVE};
use super::format::{Block, Columns, Hash, Raw, Run, genesis};
use super::id::LogId;
use super::rewrite::{self, Rewrite, RewriteKey};
use super::scan::{Scan, ScanItem, is_damage};

/// Reads a log, also while other processes write and roll it. Calls block: files are read
/// on the calling thread.
#[derive(Clone, Debug)]
pub struct LogReader {
    dir: PathBuf,
    /// Key to check the signatures of rewrites. Without it, only the content of rewritten
    /// blocks is checked.
    key: Option<RewriteKey>,
}

/// A range of blocks that cannot be read, are missing or were changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedBlocks {
    /// The first damaged block.
    pub seq: i64,
    /// The last damaged block. `None`: up to the end of the file, whose number of blocks is
    /// unknown. Less than `seq`: only the header of a file is damaged.
    pub last: Option<i64>,
    /// The file that contains, or should contain, the blocks.
    pub path: PathBuf,
    /// Description of the damage.
    pub problem: String,
}

impl fmt::Display for DamagedBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) if last == self.seq => write!(f, "block {}", self.seq)?,
            Some(last) if last < self.seq => write!(f, "the header before block {}", self.seq)?,
            Some(last) => write!(f, "blocks {} to {last}", self.seq)?,
            None => write!(f, "block {} and the blocks after it", self.seq)?,
        }
        write!(f, " of {}: {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for DamagedBlocks {}

/// An error of an iterator over the log.
#[derive(Debug)]
pub enum ReadError {
    /// Blocks are damaged. The iterator continues after them.
    Damage(DamagedBlocks),
    /// A file cannot be opened or the disk fails. The iterator returns `None` next; a later
    /// call tries again.
    Failed(Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Damage(damage) => damage.fmt(f),
            ReadError::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Damage(_) => None,
            ReadError::Failed(error) => error.source(),
        }
    }
}

/// A block without its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSummary {
    /// Number of the block; see [`Block::seq`].
    pub seq: i64,
    /// Time of receipt; see [`Block::received_at`].
    pub received_at: Instant,
    /// Number of events.
    pub events: u64,
    /// The projects of the events, in order.
    pub runs: Vec<Run>,
}

/// A block with the ids of its events, without their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockIds {
    /// Number of the block; see [`Block::seq`].
    pub seq: i64,
    /// Time of receipt; see [`Block::received_at`].
    pub received_at: Instant,
    /// The projects of the events, in order.
    pub runs: Vec<Run>,
    ids: Vec<u8>,
}

impl BlockIds {
    /// Project key and id of each event, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, Uuid)> {
        let keys = self.runs.iter().flat_map(|run| (0..run.events).map(move |_| &run.project_key));
        keys.zip(self.ids.as_chunks::<16>().0.iter().map(|id| Uuid::from_bytes(*id)))
    }
}

/// The range of blocks in a log, returned by [`LogReader::extent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogExtent {
    /// Id of the log.
    pub log: LogId,
    /// The first block of the log, or the next one if the log is empty.
    pub first: i64,
    /// The last block that retention has deleted; 0 if none. Blocks between this and
    /// `first` are missing: retention did not delete them.
    pub pruned: i64,
    /// The last block; less than `first` if the log is empty.
    pub last: i64,
}

/// The result of [`LogReader::verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Number of intact blocks.
    pub blocks: u64,
    /// Number of events in the intact blocks.
    pub events: u64,
    /// The first and the last block, intact or not; `None` for an empty log.
    pub range: Option<(i64, i64)>,
    /// Hashes of the first and the last intact block.
    pub hashes: Option<([u8; 32], [u8; 32])>,
    /// The last block that retention has deleted; 0 if none.
    pub pruned: i64,
    /// Events that were removed from the intact blocks after they were written.
    pub rewritten: RewriteSummary,
    /// Number of blocks that are missing or damaged, as far as they can be counted.
    pub damaged: u64,
    /// The first missing or damaged blocks. `None`: the log is intact, apart from blocks
    /// deleted by retention.
    pub first_damage: Option<DamagedBlocks>,
}

/// Removals of events from blocks after they were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RewriteSummary {
    /// Number of rewritten blocks.
    pub blocks: u64,
    /// Number of events removed from them.
    pub removed: u64,
    /// Time of the latest rewrite; `None` without one.
    pub last_at: Option<Instant>,
}

impl RewriteSummary {
    /// Adds a block with these rewrites. Does nothing without rewrites.
    pub fn add<'r>(&mut self, rewrites: impl IntoIterator<Item = &'r Rewrite>) {
        let before = self.removed;
        for rewrite in rewrites {
            self.removed += rewrite.removed;
            self.last_at = self.last_at.max(Some(rewrite.at));
        }
        self.blocks += u64::from(self.removed > before);
    }
}

/// A closed file of a log and the number of its rewrite records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRewrites {
    /// First block of the file.
    pub first: i64,
    /// Last block of the file.
    pub last: i64,
    /// Number of rewrite records in it. It only grows while the file exists.
    pub records: i64,
}

impl LogReader {
    /// Opens the log in `dir` for reading.
    ///
    /// # Errors
    /// [`Error::Missing`] when `dir` contains no log, [`Error::File`] when it cannot be
    /// listed.
    pub fn open(dir: &Path) -> Result<LogReader> {
        if !files::exists(&dir.join(ACTIVE))? && files::closed(dir)?.is_empty() {
            return Err(Error::Missing { dir: dir.to_owned() });
        }
        Ok(LogReader { dir: dir.to_owned(), key: None })
    }

    /// Also checks that rewrites of blocks are signed with `key`. A wrong signature is
    /// [`ReadError::Damage`].
    #[must_use]
    pub fn with_key(self, key: RewriteKey) -> LogReader {
        LogReader { key: Some(key), ..self }
    }

    /// Closed files with rewritten blocks, oldest first.
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be read. Damaged files are left out.
    pub fn rewritten_files(&self) -> Result<Vec<FileRewrites>> {
        let mut found = Vec::new();
        for file in files::closed(&self.dir)? {
            if let Some(records) = read_closed(&file.path, rewrite::count)?.filter(|records| *records > 0) {
                found.push(FileRewrites { first: file.first, last: file.last, records });
            }
        }
        Ok(found)
    }

    /// Number of events that each deletion of a visitor's data has removed from the log, by the
    /// deletion's [`job`](super::Erasure::job).
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be read. Damaged files are left out.
    pub fn removed_by_job(&self) -> Result<BTreeMap<Uuid, u64>> {
        let mut removed = BTreeMap::new();
        for file in files::closed(&self.dir)? {
            for (job, events) in read_closed(&file.path, rewrite::removed_by_job)?.unwrap_or_default() {
                *removed.entry(job).or_default() += events;
            }
        }
        Ok(removed)
    }

    /// Rewritten blocks of a closed file in order, each with the number of its last rewrite.
    /// Empty when the file is gone or damaged.
    ///
    /// # Errors
    /// [`Error::File`] when the file cannot be read.
    pub fn rewritten_blocks(&self, file: FileRewrites) -> Result<Vec<(i64, i64)>> {
        let path = files::closed_path(&self.dir, file.first, file.last);
        Ok(read_closed(&path, rewrite::last_of_each)?.unwrap_or_default())
    }

    /// Position of the last block; 0 for an empty log.
    ///
    /// # Errors
    /// [`Error::File`] when the newest file cannot be read.
    pub fn last(&self) -> Result<Position> {
        let lock = files::lock_to_read(&self.dir)?;
        if let Some(lock) = &lock {
            files::lock_shared(&self.dir, lock)?;
        }
        let active = self.dir.join(ACTIVE);
        if files::exists(&active)? {
            let failed = |error| Error::file("read", &active, error);
            let conn = muriel_sql::file::reader(&active).map_err(|error| Error::file("open", &active, error))?;
            let head = super::format::Head::read(&conn).map_err(failed)?;
            let head = head.map_err(|problem| Error::unfit(&active, problem))?;
            let tip = files::tip(&conn, &head).map_err(failed)?;
            return Ok(Position { seq: tip.seq });
        }
        // Dropping `lock` releases it, also on an early return.
        Ok(Position { seq: files::closed(&self.dir)?.last().map_or(0, |file| file.last) })
    }

    /// Id of the log and the range of its blocks.
    ///
    /// # Errors
    /// [`Error::Unfit`] when the newest file is not a log file, [`Error::File`] when it
    /// cannot be read.
    pub fn extent(&self) -> Result<LogExtent> {
        let lock = files::lock_to_read(&self.dir)?;
        if let Some(lock) = &lock {
            files::lock_shared(&self.dir, lock)?;
        }
        let closed = files::closed(&self.dir)?;
        let active = self.dir.join(ACTIVE);
        let newest = match closed.last() {
            Some(file) if !files::exists(&active)? => &file.path,
            _ => &active,
        };
        let failed = |error| Error::file("read", newest, error);
        let conn = muriel_sql::file::reader(newest).map_err(|error| Error::file("open", newest, error))?;
        let head = super::format::Head::read(&conn).map_err(failed)?;
        let head = head.map_err(|problem| Error::unfit(newest, problem))?;
        let last = files::tip(&conn, &head).map_err(failed)?.seq;
        let pruned = files::pruned(&conn).map_err(failed)?;
        Ok(LogExtent {
            log: LogId::from_bytes(head.log),
            first: closed.first().map_or(head.after.seq + 1, |file| file.first),
            pruned,
            last,
        })
    }

    /// Stored hash of the block at `position`. `None` when the log no longer has the block or
    /// does not have it yet, or when its row cannot be read.
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be opened.
    pub fn hash_at(&self, position: Position) -> Result<Option<[u8; 32]>> {
        let lock = files::lock_to_read(&self.dir)?;
        if let Some(lock) = &lock {
            files::lock_shared(&self.dir, lock)?;
        }
        let closed = files::closed(&self.dir)?;
        let path = match closed.iter().find(|file| (file.first..=file.last).contains(&position.seq)) {
            Some(file) => file.path.clone(),
            None => self.dir.join(ACTIVE),
        };
        if !files::exists(&path)? {
            return Ok(None);
        }
        let conn = muriel_sql::file::reader(&path).map_err(|error| Error::file("open", &path, error))?;
        Ok(files::hash_at(&conn, position.seq).ok().flatten())
    }

    /// Iterates over the blocks after `after`, in order, and checks each against the hash
    /// chain. `Position::default()` gives all blocks.
    ///
    /// The iterator returns `None` at the end of the log, and blocks again once more have
    /// been written. It skips pruned blocks without an error. Other missing blocks are
    /// [`ReadError::Damage`], and so is a log that ends before `after`.
    ///
    /// # Errors
    /// [`Error::File`] when the lock file cannot be opened.
    pub fn blocks(&self, after: Position) -> Result<Blocks> {
        Ok(Blocks { walk: Walk { key: self.key.clone(), ..Walk::new(&self.dir, Columns::All, after.seq)? } })
    }

    /// Like [`LogReader::blocks`], but does not read ids and bodies, and so cannot check
    /// the hash chain.
    ///
    /// # Errors
    /// As [`LogReader::blocks`].
    pub fn summaries(&self, after: Position) -> Result<BlockSummaries> {
        Ok(BlockSummaries { walk: Walk::new(&self.dir, Columns::Small, after.seq)? })
    }

    /// Like [`LogReader::summaries`], with the ids of the events.
    ///
    /// # Errors
    /// As [`LogReader::blocks`].
    pub fn ids(&self, after: Position) -> Result<BlockIdsIter> {
        Ok(BlockIdsIter { walk: Walk::new(&self.dir, Columns::Ids, after.seq)? })
    }

    /// Number of events per project key in blocks with `received_at` in `time`.
    ///
    /// # Errors
    /// [`Error::File`]. Damaged blocks are logged and not counted.
    pub fn count(&self, time: Range<Instant>) -> Result<BTreeMap<Arc<str>, u64>> {
        let mut counts = BTreeMap::new();
        for summary in self.summaries(Position::default())? {
            match summary {
                Ok(summary) if time.contains(&summary.received_at) => {
                    for run in summary.runs {
                        *counts.entry(run.project_key).or_default() += u64::from(run.events);
                    }
                }
                Ok(_) => {}
                Err(ReadError::Damage(damage)) => tracing::warn!(%damage, "damaged blocks are not counted"),
                Err(ReadError::Failed(error)) => return Err(error),
            }
        }
        Ok(counts)
    }

    /// Reads the whole log and checks every block against the hash chain.
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be opened or the disk fails. Damage is not an
    /// error here; the report contains it.
    pub fn verify(&self) -> Result<VerifyReport> {
        let mut verified = VerifyReport::default();
        for block in self.blocks(Position::default())? {
            let (first, last) = match block {
                Ok(block) => {
                    verified.blocks += 1;
                    let first = verified.hashes.map_or(block.hash, |(first, _)| first);
                    verified.hashes = Some((first, block.hash));
                    verified.rewritten.add(&block.rewrites);
                    verified.events += block.runs.iter().map(|run| u64::from(run.events)).sum::<u64>();
                    (block.seq, block.seq)
                }
                Err(ReadError::Damage(damage)) => {
                    let (first, last) = (damage.seq, damage.last.unwrap_or(damage.seq));
                    verified.damaged += u64::try_from(last - first + 1).unwrap_or(0);
                    verified.first_damage.get_or_insert(damage);
                    if last < first {
                        continue;
                    }
                    (first, last)
                }
                Err(ReadError::Failed(error)) => return Err(error),
            };
            let oldest = verified.range.map_or(first, |(oldest, _)| oldest);
            verified.range = Some((oldest, last));
        }
        // If the newest file cannot be read, the damage is in the report already.
        verified.pruned = self.extent().map_or(0, |extent| extent.pruned);
        Ok(verified)
    }
}

/// Reads a closed file; `None` when it is gone or damaged.
fn read_closed<T>(path: &Path, read: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<Option<T>> {
    if !files::exists(path)? {
        return Ok(None);
    }
    let conn = muriel_sql::file::reader(path).map_err(|error| Error::file("open", path, error))?;
    match read(&conn) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_damage(&error) => Ok(None),
        Err(error) => Err(Error::file("read", path, error)),
    }
}

/// Iterator over blocks; see [`LogReader::blocks`].
pub struct Blocks {
    walk: Walk,
}

impl Blocks {
    /// Position of the iterator, and the hash of the block there if it is known. That block may
    /// not have been returned, because it is damaged or was pruned.
    pub fn passed(&self) -> (Position, Option<[u8; 32]>) {
        (Position { seq: self.walk.seq }, self.walk.stored)
    }
}

impl Iterator for Blocks {
    type Item = Result<Block, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.walk.next(Raw::open)
    }
}

/// Iterator over summaries; see [`LogReader::summaries`].
pub struct BlockSummaries {
    walk: Walk,
}

impl Iterator for BlockSummaries {
    type Item = Result<BlockSummary, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.walk.next(|raw| {
            let runs = raw.check_runs(Columns::Small)?;
            let events = runs.iter().map(|run| u64::from(run.events)).sum();
            Ok(BlockSummary { seq: raw.seq, received_at: Instant::from_us(raw.received_at), events, runs })
        })
    }
}

/// Iterator over the ids of blocks; see [`LogReader::ids`].
pub struct BlockIdsIter {
    walk: Walk,
}

impl Iterator for BlockIdsIter {
    type Item = Result<BlockIds, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.walk.next(|raw| {
            let (runs, received_at) = (raw.check_runs(Columns::Ids)?, Instant::from_us(raw.received_at));
            Ok(BlockIds { seq: raw.seq, received_at, runs, ids: raw.ids })
        })
    }
}

/// A [`Scan`] that also checks the hash chain.
struct Walk {
    scan: Scan,
    /// Key to check signatures; see [`LogReader::key`].
    key: Option<RewriteKey>,
    columns: Columns,
    path: Arc<Path>,
    /// The last block that was read or skipped.
    seq: i64,
    log: Option<[u8; 16]>,
    /// The stored hash of that block. The next block is intact if it chains to this.
    stored: Option<Hash>,
    /// The hash computed for that block, if it differs from the stored one. When only the
    /// stored hash was damaged, the next block chains to this.
    computed: Option<Hash>,
    /// A row that has been read but not returned, because damage before it is reported
    /// first.
    ahead: Option<Raw>,
    /// The scan has failed; the next call returns `None`.
    failed: bool,
}

impl Walk {
    fn new(dir: &Path, columns: Columns, after: i64) -> Result<Walk> {
        let after = after.max(0);
        let scan = Scan::new(dir, columns, after)?;
        let path = dir.join(ACTIVE).as_path().into();
        Ok(Walk {
            scan,
            key: None,
            columns,
            path,
            seq: after,
            log: None,
            stored: None,
            computed: None,
            ahead: None,
            failed: false,
        })
    }

    fn next<T>(&mut self, open: impl Fn(Raw) -> Result<T, String>) -> Option<Result<T, ReadError>> {
        if std::mem::take(&mut self.failed) {
            return None;
        }
        loop {
            if let Some(raw) = self.ahead.take() {
                let seq = raw.seq;
                return Some(self.row(raw, &open).map_err(|problem| self.damage(seq, Some(seq), problem)));
            }
            match self.scan.next() {
                Err(error) => {
                    self.failed = true;
                    return Some(Err(ReadError::Failed(error)));
                }
                Ok(None) => return None,
                Ok(Some(ScanItem::Row(mut raw))) => {
                    let (missed, seq) = (self.seq + 1, raw.seq);
                    if missed < seq && self.is_next_but_for_number(&mut raw) {
                        self.lose(seq);
                        self.stored = Some(raw.hash);
                        let problem = format!("the next block has the number {seq}");
                        return Some(Err(self.damage(missed, Some(seq), problem)));
                    }
                    self.ahead = Some(raw);
                    if missed < seq {
                        self.lose(seq - 1);
                        return Some(Err(self.damage(missed, Some(seq - 1), "missing".to_owned())));
                    }
                }
                Ok(Some(ScanItem::Unreadable { first, last, problem })) => {
                    self.lose(last.unwrap_or(first));
                    return Some(Err(self.damage(first, last, problem)));
                }
                Ok(Some(ScanItem::File { path, oldest, log, seq, hash })) => {
                    let mut missed = self.seq + 1;
                    if oldest && missed <= seq {
                        // Blocks that retention has deleted are not missing.
                        missed = missed.max(self.scan.pruned().unwrap_or(seq) + 1);
                    }
                    let was = std::mem::replace(&mut self.path, path);
                    if let Some(problem) = self.enter(log, seq, hash) {
                        return Some(Err(self.damage(seq + 1, Some(seq), problem)));
                    }
                    if missed <= seq {
                        let (path, problem) = match self.path.parent() {
                            // The name of the deleted file is unknown, so name the directory.
                            Some(dir) if oldest => (dir, "missing, and retention did not delete them"),
                            _ => (&*was, "missing"),
                        };
                        let (path, problem) = (path.to_path_buf(), problem.to_owned());
                        return Some(Err(ReadError::Damage(DamagedBlocks {
                            seq: missed,
                            last: Some(seq),
                            path,
                            problem,
                        })));
                    }
                }
            }
        }
    }

    /// Returns whether the row after a gap is the next block, whose number is damaged, rather than a later
    /// block. The hash of such a row is correct with the expected number.
    fn is_next_but_for_number(&self, raw: &mut Raw) -> bool {
        if self.columns != Columns::All {
            return false;
        }
        let number = std::mem::replace(&mut raw.seq, self.seq + 1);
        let mut known = [self.stored, self.computed].into_iter().flatten();
        let fits = known.any(|before| raw.chained(&before) == raw.hash);
        raw.seq = number;
        fits
    }

    fn damage(&self, seq: i64, last: Option<i64>, problem: String) -> ReadError {
        ReadError::Damage(DamagedBlocks { seq, last, path: self.path.to_path_buf(), problem })
    }

    /// Skips blocks up to `seq`, whose hashes are unknown.
    fn lose(&mut self, seq: i64) {
        self.seq = seq;
        self.stored = None;
        self.computed = None;
    }

    /// Enters a file whose header says that it begins after the block `seq` with `hash`.
    /// Returns a description of any inconsistency with the file before.
    fn enter(&mut self, log: Option<[u8; 16]>, seq: i64, hash: Option<Hash>) -> Option<String> {
        let known = [self.stored, self.computed];
        let follows = self.seq == seq;
        self.seq = seq;
        let foreign = matches!((self.log, log), (Some(was), Some(is)) if was != is);
        self.log = log.or(self.log);
        if !follows {
            self.stored = hash;
            self.computed = None;
        } else if let Some(hash) = hash {
            // The next block may chain to either hash.
            self.stored = Some(hash);
            self.computed = known.into_iter().flatten().find(|known| *known != hash);
            let fits = known[0].is_none() || known.contains(&Some(hash));
            if self.columns == Columns::All && !fits {
                return Some("it does not begin where the file before it ends".to_owned());
            }
        }
        if foreign {
            return Some("it belongs to another log".to_owned());
        }
        let first = log.filter(|_| seq == 0).map(|log| genesis(&log));
        if self.columns == Columns::All && matches!((first, hash), (Some(first), Some(hash)) if first != hash) {
            return Some("its first hash does not match its id".to_owned());
        }
        None
    }

    fn row<T>(&mut self, raw: Raw, open: impl Fn(Raw) -> Result<T, String>) -> Result<T, String> {
        self.seq = raw.seq;
        if self.columns != Columns::All {
            return open(raw);
        }
        if !raw.rewrites.is_empty() {
            // The next block chains to the hash that this block had before it was rewritten.
            (self.stored, self.computed) = (Some(raw.hash), None);
            return raw.check_rewrites(self.log.as_ref(), self.key.as_ref()).and_then(|()| open(raw));
        }
        let known = [self.stored, self.computed].into_iter().flatten();
        let mut chained = known.map(|before| raw.chained(&before));
        let first = chained.next();
        let fits = first.is_none() || first == Some(raw.hash) || chained.any(|hash| hash == raw.hash);
        drop(chained);
        self.stored = Some(raw.hash);
        self.computed = first.filter(|hash| !fits && *hash != raw.hash);
        if fits { open(raw) } else { Err("its hash does not match".to_owned()) }
    }
}
