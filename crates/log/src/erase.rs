//! Erases events from the log: the data of a visitor, or events older than a project's
//! retention.
//!
//! Only closed files are rewritten. A copy with the same blocks, without the events, is created
//! in the same directory and replaces the file in one step. After a crash there is either the
//! old or the new file, readers are not interrupted, and the new file contains nothing of the
//! erased events. The active file is rolled first if it has such events.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use muriel_domain::Instant;
use rusqlite::Connection;
use serde::Deserialize;
use uuid::Uuid;

use super::error::{Error, Result};
use super::files::{self, Closed};
use super::format::{Block, Columns, Hash, Head, Packer, Raw, Run, write_runs};
use super::rewrite::{self, Rewrite, RewriteKey, RewriteReason, VisitorMark};
use super::scan::is_damage;
use super::{Log, LogReader, Position, ReadError, failpoints};

/// Lock file, held while files of the log are rewritten.
const LOCK: &str = "rewrite.lock";
/// Suffix of a copy that is to replace the file of that name.
const COPY: &str = ".rewrite";
/// Maximum attempts to roll the active file while readers have it open, and the interval between
/// two.
const ROLL_ATTEMPTS: u32 = 100;
const ROLL_INTERVAL: Duration = Duration::from_millis(50);
/// Bytes of blocks between two calls of the caller's `pace`.
const PACE_BYTES: u64 = 4 << 20;
/// Difference between the modification times of a rewritten file and the one it replaces.
/// Retention depends on that time, so it must not become the present; backups must see that the
/// file has changed.
const MODIFIED_LATER: Duration = Duration::from_secs(1);
/// Maximum number of cached visitor marks while a file is read.
const MAX_KNOWN_MARKS: usize = 65_536;

/// A deletion of events from the log.
#[derive(Clone, Debug)]
pub struct Erasure {
    /// Id of the deletion; nil for retention.
    pub job: Uuid,
    /// Project of the events.
    pub project_key: Arc<str>,
    /// Selects events of the project.
    pub what: ErasedEvents,
}

/// The events of a project that an [`Erasure`] removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErasedEvents {
    /// All events of a visitor, at any time of receipt.
    OfVisitor(VisitorMark),
    /// All events in closed files whose blocks were all received before this time.
    ReceivedBefore(Instant),
}

impl ErasedEvents {
    fn reason(&self) -> RewriteReason {
        match self {
            ErasedEvents::OfVisitor(_) => RewriteReason::Visitor,
            ErasedEvents::ReceivedBefore(_) => RewriteReason::Retention,
        }
    }
}

/// Progress of an erasure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseProgress {
    /// Bytes of the files that are done.
    pub bytes: u64,
    /// Bytes of all files to be read.
    pub total: u64,
    /// Events removed so far.
    pub removed: u64,
}

/// Result of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EraseReport {
    /// The last block that was examined. Events in later blocks are not affected.
    pub examined: Position,
    /// Events removed by each [`Erasure`], in their order.
    pub removed: Vec<u64>,
    /// Number of blocks that were rewritten.
    pub blocks: u64,
    /// Number of files that were rewritten.
    pub files: u64,
    /// Number of blocks that could not be examined because they are damaged. Their bytes do not
    /// change.
    pub damaged: u64,
}

/// Why an erasure did not complete. Files rewritten until then stay rewritten; the erasure can
/// be started again.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The caller's `pace` returned false.
    #[error("the deletion was stopped")]
    Stopped,
    /// Another erasure of this log is running.
    #[error("events are being deleted from the log already")]
    InProgress,
    /// Other processes have the active file open, so it cannot be closed.
    #[error("the active file of the event log is in use by another process")]
    InUse,
    /// There is not enough space for the copy of a file.
    #[error("rewriting a file of the event log needs {needed} bytes, and {free} are free beyond the reserve")]
    NoSpace {
        /// Bytes that the copy needs.
        needed: u64,
        /// Free bytes, without the reserve.
        free: u64,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Log(#[from] Error),
}

type EraseResult<T> = std::result::Result<T, EraseError>;

/// Removes the events of `erasures` from all blocks that the log has at the call, and signs the
/// records of it with `key`. `now` is the time in these records.
///
/// Appends and reads continue meanwhile. Blocks the calling thread, which must not run async
/// tasks. Calls `pace` about every 4 MiB: the caller can pause there, or stop by returning
/// false.
///
/// Events are found by the id of their visitor, not by other values that identify the visitor.
///
/// # Errors
/// [`EraseError`]. Files rewritten until then stay rewritten.
pub fn erase(
    log: &Log,
    key: &RewriteKey,
    now: Instant,
    erasures: &[Erasure],
    pace: &mut dyn FnMut(EraseProgress) -> bool,
) -> EraseResult<EraseReport> {
    let dir = log.dir();
    // The lock is released when its file is closed.
    let _lock = lock(dir)?;
    remove_copies(dir)?;
    let reader = LogReader::open(dir)?;
    let examined = reader.last()?;
    let mut erasing = Erasing {
        log,
        dir,
        key,
        now,
        erasures,
        visitors: VisitorMatcher::new(key, erasures),
        packer: Packer::new().map_err(|error| Error::file("compress for", dir, error))?,
        report: EraseReport { examined, removed: vec![0; erasures.len()], ..EraseReport::default() },
        progress: EraseProgress::default(),
        unpaced: 0,
        pace,
    };
    erasing.close_active(&reader)?;
    let closed: Vec<Closed> = files::closed(dir)?.into_iter().filter(|file| file.first <= examined.seq).collect();
    erasing.progress.total = closed.iter().map(|file| file_bytes(&file.path)).sum();
    for file in &closed {
        let done = erasing.progress.bytes + file_bytes(&file.path);
        erasing.file(file)?;
        erasing.progress.bytes = done;
    }
    Ok(erasing.report)
}

fn lock(dir: &Path) -> EraseResult<File> {
    let path = dir.join(LOCK);
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let lock = options.open(&path).map_err(|error| Error::file("open", &path, error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(EraseError::InProgress),
        Err(TryLockError::Error(error)) => Err(Error::file("lock", &path, error).into()),
    }
}

/// Holds the lock like another erasure.
#[cfg(test)]
pub(super) fn lock_for_tests(dir: &Path) -> File {
    lock(dir).unwrap()
}

/// Removes copies left by an interrupted erasure.
fn remove_copies(dir: &Path) -> Result<()> {
    let failed = |error| Error::file("list", dir, error);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with("log-") && name.ends_with(COPY)) {
            files::remove(&entry.path())?;
        }
    }
    Ok(())
}

fn file_bytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// A running erasure.
struct Erasing<'a> {
    log: &'a Log,
    dir: &'a Path,
    key: &'a RewriteKey,
    now: Instant,
    erasures: &'a [Erasure],
    visitors: VisitorMatcher<'a>,
    packer: Packer,
    report: EraseReport,
    progress: EraseProgress,
    /// Bytes since the last call of `pace`.
    unpaced: u64,
    pace: &'a mut dyn FnMut(EraseProgress) -> bool,
}

/// Result of reading a file.
enum Found {
    /// The blocks to rewrite, in order.
    Blocks(Vec<i64>),
    /// Part of the file cannot be read, so the file is not changed.
    Damaged,
}

impl Erasing<'_> {
    fn pace(&mut self, bytes: usize) -> EraseResult<()> {
        self.unpaced += bytes as u64;
        if self.unpaced < PACE_BYTES {
            return Ok(());
        }
        self.unpaced = 0;
        if (self.pace)(self.progress) { Ok(()) } else { Err(EraseError::Stopped) }
    }

    /// Rolls the active file if it has events to remove.
    fn close_active(&mut self, reader: &LogReader) -> EraseResult<()> {
        let examined = self.report.examined;
        let last_closed = || Ok::<_, Error>(files::closed(self.dir)?.last().map_or(0, |file| file.last));
        let after = last_closed()?;
        if self.visitors.is_empty() || after >= examined.seq {
            return Ok(());
        }
        let (mut is_affected, mut damaged) = (false, 0);
        for block in reader.blocks(Position { seq: after })? {
            match block {
                Ok(block) if block.seq > examined.seq => break,
                Ok(block) => {
                    is_affected |=
                        block.events().any(|event| self.visitors.find(event.project_key, event.line).is_some());
                    self.pace(block.lines.len())?;
                }
                Err(ReadError::Damage(damage)) => damaged += damage.last.unwrap_or(damage.seq).abs_diff(damage.seq) + 1,
                Err(ReadError::Failed(error)) => return Err(error.into()),
            }
            if is_affected {
                break;
            }
        }
        if !is_affected {
            self.report.damaged += damaged;
            return Ok(());
        }
        for _ in 0..ROLL_ATTEMPTS {
            // Another process may have rolled it.
            if self.log.roll()? || last_closed()? >= examined.seq {
                return Ok(());
            }
            thread::sleep(ROLL_INTERVAL);
        }
        Err(EraseError::InUse)
    }

    /// Indices in `erasures` of those that apply to a closed file.
    fn concerning(&self, file: &Closed) -> Result<Vec<usize>> {
        let mut newest = None;
        let mut concerning = Vec::new();
        for (place, erasure) in self.erasures.iter().enumerate() {
            match erasure.what {
                ErasedEvents::OfVisitor(_) => concerning.push(place),
                ErasedEvents::ReceivedBefore(before) => {
                    let newest = match newest {
                        Some(newest) => newest,
                        None => *newest.insert(files::newest(&file.path)?),
                    };
                    if newest.is_some_and(|newest| newest < before.us()) {
                        concerning.push(place);
                    }
                }
            }
        }
        Ok(concerning)
    }

    fn file(&mut self, file: &Closed) -> EraseResult<()> {
        if !files::exists(&file.path)? {
            // Retention has deleted it since it was listed.
            return Ok(());
        }
        let concerning = self.concerning(file)?;
        if concerning.is_empty() {
            return Ok(());
        }
        let conn = muriel_sql::file::reader(&file.path).map_err(|error| Error::file("open", &file.path, error))?;
        let failed = |error| Error::file("read", &file.path, error);
        let head = match Head::read(&conn) {
            Ok(Ok(head)) => head,
            Err(error) if !is_damage(&error) => return Err(failed(error).into()),
            Ok(Err(_)) | Err(_) => {
                self.report.damaged += file.first.abs_diff(file.last) + 1;
                return Ok(());
            }
        };
        let found = self.find(&conn, &head, file, &concerning)?;
        match found {
            Found::Damaged => Ok(()),
            Found::Blocks(blocks) if blocks.is_empty() => Ok(()),
            Found::Blocks(blocks) => self.rewrite(&conn, &head, file, &concerning, &blocks),
        }
    }

    /// Finds the blocks to rewrite in a file, and counts its damaged blocks.
    fn find(&mut self, conn: &Connection, head: &Head, file: &Closed, concerning: &[usize]) -> EraseResult<Found> {
        let mut found = Vec::new();
        let (mut before, mut examined) = (head.after.hash, 0);
        let damaged = walk(conn, &mut |raw| {
            let hash = std::mem::replace(&mut before, raw.hash);
            self.pace(raw.body.len())?;
            examined += 1;
            if raw.seq > self.report.examined.seq {
                return Ok(());
            }
            match self.concerned(&raw, concerning) {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(_) => {
                    self.report.damaged += 1;
                    return Ok(());
                }
            }
            // A block that differs from its written form must not be signed.
            let (seq, is_whole) = (raw.seq, self.is_whole(&raw, &hash, head));
            match raw.open() {
                Ok(block) if is_whole => {
                    if block.events().any(|event| self.which(concerning, event.project_key, event.line).is_some()) {
                        found.push(seq);
                    }
                }
                _ => self.report.damaged += 1,
            }
            Ok(())
        });
        match damaged {
            Ok(()) => Ok(Found::Blocks(found)),
            Err(WalkError::Erase(error)) => Err(error),
            Err(WalkError::Sql(error)) if is_damage(&error) => {
                self.report.damaged += (file.first.abs_diff(file.last) + 1).saturating_sub(examined);
                Ok(Found::Damaged)
            }
            Err(WalkError::Sql(error)) => Err(Error::file("read", &file.path, error).into()),
        }
    }

    fn is_whole(&self, raw: &Raw, before: &Hash, head: &Head) -> bool {
        match raw.rewrites.is_empty() {
            true => raw.chained(before) == raw.hash,
            false => raw.check_rewrites(Some(&head.log), Some(self.key)).is_ok(),
        }
    }

    /// Returns whether a block has events of the erasures' projects.
    fn concerned(&self, raw: &Raw, concerning: &[usize]) -> Result<bool, String> {
        let runs = raw.check_runs(Columns::All)?;
        let is_concerned =
            |run: &Run| concerning.iter().any(|place| self.erasures[*place].project_key == run.project_key);
        Ok(runs.iter().any(is_concerned))
    }

    /// Index of the erasure among `concerning` that removes an event; `None` when the event
    /// stays.
    fn which(&mut self, concerning: &[usize], project_key: &Arc<str>, line: &[u8]) -> Option<usize> {
        let expired = concerning.iter().find(|place| {
            let erasure = &self.erasures[**place];
            erasure.project_key == *project_key && matches!(erasure.what, ErasedEvents::ReceivedBefore(_))
        });
        expired.copied().or_else(|| self.visitors.find(project_key, line))
    }

    /// Replaces a file by one in which `blocks` lack the events.
    fn rewrite(
        &mut self,
        conn: &Connection,
        head: &Head,
        file: &Closed,
        concerning: &[usize],
        blocks: &[i64],
    ) -> EraseResult<()> {
        let needed = file_bytes(&file.path);
        let space = self.log.space();
        let free = super::free_bytes(self.dir).map_err(|error| Error::file("examine", self.dir, error))?;
        let free = free.saturating_sub(space.reserve);
        if free < needed {
            return Err(EraseError::NoSpace { needed, free });
        }
        let path = files::beside(&file.path, COPY);
        let copied = self.copy(conn, head, &path, concerning, blocks);
        let removed = match copied {
            Ok(removed) => removed,
            Err(error) => {
                // A failure is ignored: the next erasure removes the copy too.
                let _ = files::remove(&path);
                return Err(error);
            }
        };
        keep_time(&file.path, &path)?;
        failpoints::hit(self.dir, "rewrite: copied").map_err(|error| Error::file("replace", &file.path, error))?;
        if !self.log.replace(Replacement { file: file.clone(), copy: path.clone() })? {
            files::remove(&path)?;
            return Ok(());
        }
        for (place, events) in removed {
            self.report.removed[place] += events;
            self.progress.removed += events;
        }
        self.report.blocks += blocks.len() as u64;
        self.report.files += 1;
        Ok(())
    }

    /// Writes the copy and flushes it. Returns the number of events that each erasure removed.
    fn copy(
        &mut self,
        conn: &Connection,
        head: &Head,
        path: &Path,
        concerning: &[usize],
        blocks: &[i64],
    ) -> EraseResult<HashMap<usize, u64>> {
        let failed = |error| EraseError::from(Error::file("write", path, error));
        let pruned = files::pruned(conn).map_err(|error| Error::file("read", path, error))?;
        let to = files::create_closed(path, head, pruned)?;
        let mut removed = HashMap::new();
        let walked = walk(conn, &mut |mut raw| {
            self.pace(raw.body.len())?;
            if blocks.binary_search(&raw.seq).is_ok() {
                raw = self.without(raw, head, concerning, &mut removed).map_err(|error| Error::unfit(path, error))?;
            }
            files::insert_block(&to, &raw).map_err(failed)?;
            for row in &raw.rewrites {
                row.insert(&to, raw.seq).map_err(failed)?;
            }
            Ok(())
        });
        match walked {
            Ok(()) => {}
            Err(WalkError::Erase(error)) => return Err(error),
            Err(WalkError::Sql(error)) => return Err(Error::file("read", path, error).into()),
        }
        to.execute_batch("COMMIT").map_err(failed)?;
        failpoints::hit(self.dir, "rewrite: written").map_err(failed)?;
        to.close().map_err(|(_, error)| failed(error))?;
        File::open(path).and_then(|file| file.sync_all()).map_err(|error| Error::file("flush", path, error))?;
        Ok(removed)
    }

    /// Returns the block without the events, with records of their removal. `Err` says what is
    /// wrong with the block.
    fn without(
        &mut self,
        raw: Raw,
        head: &Head,
        concerning: &[usize],
        removed: &mut HashMap<usize, u64>,
    ) -> Result<Raw, String> {
        let mut kept = Raw {
            events: 0,
            runs: String::new(),
            ids: Vec::new(),
            body: Vec::new(),
            rewrites: raw.rewrites.clone(),
            ..raw
        };
        let block: Block = Raw { seq: raw.seq, received_at: raw.received_at, hash: raw.hash, ..raw }.open()?;
        let (mut runs, mut lines) = (Vec::<Run>::new(), Vec::with_capacity(block.lines.len()));
        let mut gone: Vec<(usize, u64)> = Vec::new();
        for event in block.events() {
            if let Some(place) = self.which(concerning, event.project_key, event.line) {
                match gone.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, events)) => *events += 1,
                    None => gone.push((place, 1)),
                }
                continue;
            }
            kept.events += 1;
            kept.ids.extend_from_slice(event.id.as_bytes());
            lines.extend_from_slice(event.line);
            lines.push(b'\n');
            match runs.last_mut() {
                Some(run) if run.project_key == *event.project_key => run.events += 1,
                _ => runs.push(Run { project_key: event.project_key.clone(), events: 1 }),
            }
        }
        kept.runs = write_runs(&runs);
        kept.body = self.packer.pack(&lines).map_err(|error| error.to_string())?;
        for (place, events) in gone {
            let erasure = &self.erasures[place];
            let rewrite = Rewrite {
                nth: kept.rewrites.last().map_or(0, |row| row.rewrite.nth) + 1,
                at: self.now,
                project_key: erasure.project_key.clone(),
                reason: erasure.what.reason(),
                job: erasure.job,
                removed: events,
            };
            let row = self.key.sign(&head.log, &kept, rewrite, kept.rewrites.last());
            kept.rewrites.push(row);
            *removed.entry(place).or_default() += events;
        }
        Ok(kept)
    }
}

/// Why a walk over the rows of a file ended early.
enum WalkError {
    Sql(rusqlite::Error),
    Erase(EraseError),
}

impl From<rusqlite::Error> for WalkError {
    fn from(error: rusqlite::Error) -> WalkError {
        WalkError::Sql(error)
    }
}

/// Calls `each` with every row of the file, in order.
fn walk(conn: &Connection, each: &mut dyn FnMut(Raw) -> EraseResult<()>) -> Result<(), WalkError> {
    let has_records = rewrite::has_records(conn)?;
    let mut statement = conn.prepare(&format!("SELECT {} FROM block ORDER BY seq", Columns::All.list()))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut raw = Raw::read(row, Columns::All)?;
        if has_records {
            let records = rewrite::records(conn, raw.seq, raw.seq)?;
            raw.rewrites = records.into_iter().map(|(_, record)| record).collect();
        }
        each(raw).map_err(WalkError::Erase)?;
    }
    Ok(())
}

/// Sets the copy's modification time slightly later than that of the file it replaces.
fn keep_time(from: &Path, to: &Path) -> Result<()> {
    let modified = fs::metadata(from).and_then(|file| file.modified());
    let set = modified.and_then(|modified| {
        let file = OpenOptions::new().append(true).open(to)?;
        file.set_modified(modified + MODIFIED_LATER)?;
        file.sync_all()
    });
    set.map_err(|error| Error::file("set the time of", to, error))
}

/// Finds the events of visitors whose data is to be deleted.
struct VisitorMatcher<'a> {
    key: &'a RewriteKey,
    /// By project: the marks, each with the index of its erasure.
    marks: HashMap<Arc<str>, HashMap<VisitorMark, usize>>,
    /// Cache of results by visitor id, so that not every event needs a MAC.
    known: HashMap<Arc<str>, HashMap<String, Option<usize>>>,
}

impl<'a> VisitorMatcher<'a> {
    fn new(key: &'a RewriteKey, erasures: &[Erasure]) -> VisitorMatcher<'a> {
        let mut marks: HashMap<Arc<str>, HashMap<VisitorMark, usize>> = HashMap::new();
        for (place, erasure) in erasures.iter().enumerate() {
            if let ErasedEvents::OfVisitor(mark) = erasure.what {
                marks.entry(erasure.project_key.clone()).or_default().entry(mark).or_insert(place);
            }
        }
        VisitorMatcher { key, marks, known: HashMap::new() }
    }

    fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Index of the erasure for the visitor of this line.
    fn find(&mut self, project_key: &Arc<str>, line: &[u8]) -> Option<usize> {
        let marks = self.marks.get(project_key)?;
        let id = visitor_of_line(line)?;
        let known = self.known.entry(project_key.clone()).or_default();
        if let Some(place) = known.get(&*id) {
            return *place;
        }
        if known.len() >= MAX_KNOWN_MARKS {
            known.clear();
        }
        let place = marks.get(&self.key.visitor(project_key, &id)).copied();
        known.insert(id.into_owned(), place);
        place
    }
}

/// Visitor id of a stored event, from its line. `None` if the line has none.
pub fn visitor_of_line(line: &[u8]) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Sender<'l> {
        #[serde(borrow)]
        visitor: VisitorId<'l>,
    }
    #[derive(Deserialize)]
    struct VisitorId<'l> {
        #[serde(borrow)]
        id: Cow<'l, str>,
    }
    serde_json::from_slice::<Sender<'_>>(line).ok().map(|sender| sender.visitor.id)
}

/// A copy that is to replace a closed file.
pub(super) struct Replacement {
    pub(super) file: Closed,
    pub(super) copy: PathBuf,
}
