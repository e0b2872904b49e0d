//! Reading the log: its blocks in order, what can be told without opening them,
//! and whether the chain holds.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use muriel_domain::Instant;
use uuid::Uuid;

use super::Position;
use super::error::{Error, Result};
use super::files::{self, ACTIVE};
use super::format::{Block, Columns, Hash, Raw, Run, genesis};
use super::id::LogId;
use super::scan::{Piece, Scan};

/// Reads a log, also while others write and roll it. It blocks, for a file is
/// read on the calling thread.
#[derive(Clone, Debug)]
pub struct LogReader {
    dir: PathBuf,
}

/// Blocks that cannot be read, or are not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedBlocks {
    /// The first of them.
    pub seq: i64,
    /// The last of them; `None` for all up to the end of the file, however many
    /// these are. Before `seq` when only the beginning of a file is wrong.
    pub last: Option<i64>,
    /// The file they are in, or should be.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for DamagedBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) if last == self.seq => write!(f, "block {}", self.seq)?,
            Some(last) if last < self.seq => write!(f, "the beginning, before block {},", self.seq)?,
            Some(last) => write!(f, "blocks {} to {last}", self.seq)?,
            None => write!(f, "block {} and what follows it", self.seq)?,
        }
        write!(f, " of {}: {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for DamagedBlocks {}

/// What a walk through the log meets.
#[derive(Debug)]
pub enum ReadError {
    /// Damage, after which the walk goes on.
    Damage(DamagedBlocks),
    /// A file cannot be opened or the disk fails. This ends the walk; asking it
    /// again tries again.
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

/// What is known of a block without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSummary {
    /// As [`Block::seq`].
    pub seq: i64,
    /// As [`Block::received_at`].
    pub received_at: Instant,
    /// How many events it has.
    pub events: u64,
    /// Whose they are.
    pub runs: Vec<Run>,
}

/// The events of a block by their ids, which is all that was read of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockIds {
    /// As [`Block::seq`].
    pub seq: i64,
    /// As [`Block::received_at`].
    pub received_at: Instant,
    /// Whose they are.
    pub runs: Vec<Run>,
    ids: Vec<u8>,
}

impl BlockIds {
    /// Project and id of each event, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, Uuid)> {
        let keys = self.runs.iter().flat_map(|run| (0..run.events).map(move |_| &run.project_key));
        keys.zip(self.ids.as_chunks::<16>().0.iter().map(|id| Uuid::from_bytes(*id)))
    }
}

/// What [`LogReader::extent`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogExtent {
    /// The id of the log.
    pub log: LogId,
    /// The first block that it has, or will have.
    pub first: i64,
    /// The last block that retention has deleted; 0 for none. What is missing between
    /// this and `first` was deleted by somebody else.
    pub pruned: i64,
    /// The last block; before `first` when there is none.
    pub last: i64,
}

/// What [`LogReader::verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Blocks that are as they were written.
    pub blocks: u64,
    /// Events in them.
    pub events: u64,
    /// The first and the last block there is, or should be.
    pub range: Option<(i64, i64)>,
    /// Hashes of the first and the last block that are as they were written.
    pub hashes: Option<([u8; 32], [u8; 32])>,
    /// The last block that retention has deleted; 0 for none.
    pub pruned: i64,
    /// Blocks that are missing or not as they were written, as far as they can be counted.
    pub damaged: u64,
    /// The first place that does not fit. `None`: the log is whole, but for what
    /// retention has deleted.
    pub first_damage: Option<DamagedBlocks>,
}

impl LogReader {
    /// The log in `dir`.
    ///
    /// # Errors
    /// [`Error::Missing`] when there is none.
    pub fn open(dir: &Path) -> Result<LogReader> {
        if !files::exists(&dir.join(ACTIVE))? && files::closed(dir)?.is_empty() {
            return Err(Error::Missing { dir: dir.to_owned() });
        }
        Ok(LogReader { dir: dir.to_owned() })
    }

    /// The last block. 0 in a log without any.
    ///
    /// # Errors
    /// When the newest file cannot be read.
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
        // Closing the file lets go of the lock, and so does an early return.
        Ok(Position { seq: files::closed(&self.dir)?.last().map_or(0, |file| file.last) })
    }

    /// Which log it is, and from where to where it goes.
    ///
    /// # Errors
    /// [`Error::Unfit`] when the newest file is none of a log, [`Error::File`] when
    /// it cannot be read.
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

    /// The hash of a block. `None` when the log does not have it, any more or yet,
    /// or that cannot be told.
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

    /// The blocks after `after`, in order, each checked against its hash; all of
    /// them after `Position::default()`.
    ///
    /// At the end the walk answers `None`, and blocks again once there are more.
    /// Blocks that were pruned are passed over in silence. Others that are missing are
    /// damage, and so is a log that ends before `after`.
    ///
    /// # Errors
    /// [`Error::File`] when the lock of the log cannot be opened.
    pub fn blocks(&self, after: Position) -> Result<Blocks> {
        Ok(Blocks { walk: Walk::new(&self.dir, Columns::All, after.seq)? })
    }

    /// The same without opening the blocks, and so without knowing whether they
    /// are as they were written.
    ///
    /// # Errors
    /// As [`LogReader::blocks`].
    pub fn summaries(&self, after: Position) -> Result<BlockSummaries> {
        Ok(BlockSummaries { walk: Walk::new(&self.dir, Columns::Small, after.seq)? })
    }

    /// The same with the ids of the events, without their lines.
    ///
    /// # Errors
    /// As [`LogReader::blocks`].
    pub fn ids(&self, after: Position) -> Result<BlockIdsIter> {
        Ok(BlockIdsIter { walk: Walk::new(&self.dir, Columns::Ids, after.seq)? })
    }

    /// How many events of each project were received in `time`.
    ///
    /// # Errors
    /// [`Error::File`]. Damaged blocks do not count, and are logged.
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

    /// Reads everything and compares it with the chain of hashes.
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be opened or the disk fails. Damage is
    /// no error, it is what this looks for.
    pub fn verify(&self) -> Result<VerifyReport> {
        let mut verified = VerifyReport::default();
        for block in self.blocks(Position::default())? {
            let (first, last) = match block {
                Ok(block) => {
                    verified.blocks += 1;
                    let first = verified.hashes.map_or(block.hash, |(first, _)| first);
                    verified.hashes = Some((first, block.hash));
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
        // A log whose newest file cannot be read has named that as damage.
        verified.pruned = self.extent().map_or(0, |extent| extent.pruned);
        Ok(verified)
    }
}

/// What [`LogReader::blocks`] walks over.
pub struct Blocks {
    walk: Walk,
}

impl Blocks {
    /// The last block that the walk has passed, and its hash where that is known.
    /// It may be one that was not given back: damaged, or deleted by retention.
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

/// What [`LogReader::summaries`] walks over.
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

/// What [`LogReader::ids`] walks over.
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

/// A scan and the chain along it.
struct Walk {
    scan: Scan,
    columns: Columns,
    path: Arc<Path>,
    /// The last block that was passed, readable or not.
    seq: i64,
    log: Option<[u8; 16]>,
    /// The hash that is stored for it. A block that fits it is as it was written.
    stored: Option<Hash>,
    /// The hash it should have, where that is another one: when only the stored
    /// hash was damaged, this is what the next block fits.
    computed: Option<Hash>,
    /// Read, but something else comes first.
    ahead: Option<Raw>,
    /// The scan has failed, and the walk is to end once.
    failed: bool,
}

impl Walk {
    fn new(dir: &Path, columns: Columns, after: i64) -> Result<Walk> {
        let after = after.max(0);
        let scan = Scan::new(dir, columns, after)?;
        let path = dir.join(ACTIVE).as_path().into();
        Ok(Walk {
            scan,
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
                Ok(Some(Piece::Row(mut raw))) => {
                    let (missed, seq) = (self.seq + 1, raw.seq);
                    if missed < seq && self.is_next_but_for_number(&mut raw) {
                        self.lose(seq);
                        self.stored = Some(raw.hash);
                        let problem = format!("the number {seq} is in its place");
                        return Some(Err(self.damage(missed, Some(seq), problem)));
                    }
                    self.ahead = Some(raw);
                    if missed < seq {
                        self.lose(seq - 1);
                        return Some(Err(self.damage(missed, Some(seq - 1), "missing".to_owned())));
                    }
                }
                Ok(Some(Piece::Unreadable { first, last, problem })) => {
                    self.lose(last.unwrap_or(first));
                    return Some(Err(self.damage(first, last, problem)));
                }
                Ok(Some(Piece::File { path, oldest, log, seq, hash })) => {
                    let mut missed = self.seq + 1;
                    if oldest && missed <= seq {
                        // What retention has deleted is not missed.
                        missed = missed.max(self.scan.pruned().unwrap_or(seq) + 1);
                    }
                    let was = std::mem::replace(&mut self.path, path);
                    if let Some(problem) = self.enter(log, seq, hash) {
                        return Some(Err(self.damage(seq + 1, Some(seq), problem)));
                    }
                    if missed <= seq {
                        let (path, problem) = match self.path.parent() {
                            // The file that they were in is gone, and its name with it.
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

    /// Whether a row after a gap is none of later blocks, but the next one under a
    /// wrong number. With the block before it missing its hash would not tell.
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

    /// Passes over blocks that are not known.
    fn lose(&mut self, seq: i64) {
        self.seq = seq;
        self.stored = None;
        self.computed = None;
    }

    /// Comes into a file that says it begins after `seq` and `hash`, and tells what
    /// does not fit about that.
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
            // With both at hand the next block may fit either.
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
            return Some("it begins with another hash than its id gives".to_owned());
        }
        None
    }

    fn row<T>(&mut self, raw: Raw, open: impl Fn(Raw) -> Result<T, String>) -> Result<T, String> {
        self.seq = raw.seq;
        if self.columns != Columns::All {
            return open(raw);
        }
        let known = [self.stored, self.computed].into_iter().flatten();
        let mut chained = known.map(|before| raw.chained(&before));
        let first = chained.next();
        let fits = first.is_none() || first == Some(raw.hash) || chained.any(|hash| hash == raw.hash);
        drop(chained);
        self.stored = Some(raw.hash);
        self.computed = first.filter(|hash| !fits && *hash != raw.hash);
        if fits { open(raw) } else { Err("its hash does not fit".to_owned()) }
    }
}
