//! The durable event log. It is the source of truth: every acknowledged event is in
//! it, and every other store of events can be rebuilt from it.
//!
//! [`Log`] appends and [`LogReader`] reads; several processes can do both at the same
//! time. Appending is idempotent: an event with the same project, [`DedupScope`] and id
//! as a stored one is reported as repeated and is not stored again, for at least
//! [`LogOptions::dedup_window_us`] after the first.
//!
//! # Files
//!
//! `log.db` is the active file, the only one that is written. When it is larger than
//! [`LogOptions::roll_bytes`], or its blocks span more than [`LogOptions::roll_us`], it
//! is rolled: closed as `log-<first>-<last>.db`, with the numbers of its first and last
//! block in 19 digits, and replaced by a new `log.db`. Retention deletes closed files,
//! oldest first. All are SQLite files with `application_id` 0x4d6c6f67 and
//! `user_version` 1; `log.db` has a write-ahead log next to it, closed files have none.
//!
//! A process that has `log.db` open holds a shared lock on `log.lock`; rolling needs the
//! exclusive lock. So while two processes have `log.db` open for writing, it cannot be
//! rolled and only grows. `seen-<n>.db` is the deduplication index; it is rebuilt from
//! the log when it is missing or damaged.
//!
//! Each file has one row in `file`: the id of the log (`log`, 16 bytes, the same
//! in all files), and the number and hash of the block it begins after
//! (`after_seq`, `after_hash`). For the first file these are 0 and
//!
//! ```text
//! SHA-256( "muriel event log\n" ‖ log )
//! ```
//!
//! `pruned` has one row once retention has deleted something: the number of the last block
//! that it deleted (`last`), written before the file is deleted. The row in `log.db` is the
//! current one, and each new file copies it. Blocks up to `last` are pruned. Any other
//! absent block is missing, for example because its file was deleted manually.
//!
//! Each commit of events is one row in `block`:
//!
//! | column | |
//! |---|---|
//! | `seq` | number of the block, from 1, without gaps over all files |
//! | `received_at` | microseconds since 1970 UTC: when the last of its batches was received; the others were received within the second before, or in the same hour of UTC if imported |
//! | `events` | number of events |
//! | `hash` | 32 bytes, defined below |
//! | `runs` | JSON `[[project key, events], …]`: the project of consecutive events, in order |
//! | `ids` | 16 bytes for each event, in order |
//! | `body` | one zstd frame: a JSON object for each event, in order, each ended by a line feed |
//!
//! The hash chains a block to the one before it, or to `after_hash`:
//!
//! ```text
//! hash = SHA-256( hash of the block before              32 bytes
//!               ‖ seq ‖ received_at ‖ events            8 bytes each
//!               ‖ len(runs) ‖ runs as UTF-8             lengths in bytes, 8 bytes
//!               ‖ len(ids)  ‖ ids
//!               ‖ len(body) ‖ body as stored )
//! ```
//!
//! with every integer big-endian, in two's complement. A copy of one block's hash, kept
//! elsewhere, is enough to prove later that no block up to it has changed.
//!
//! # Rewritten blocks
//!
//! [`erase()`] removes events from blocks of closed files. A rewritten block keeps its row,
//! `seq`, `received_at` and `hash`, so the block after it still chains to it; `events`,
//! `runs`, `ids` and `body` are those of the remaining events, perhaps none. Each rewrite
//! is a row of `rewrite` in the same file, a table that other files lack:
//!
//! | column | |
//! |---|---|
//! | `seq`, `nth` | the block, and the number of its rewrite, from 1 |
//! | `at` | time of the rewrite, in microseconds since 1970 UTC |
//! | `project`, `reason` | key of the project, and `visitor` or `retention` |
//! | `job` | id of the deletion, 16 bytes; zeros for retention |
//! | `removed` | number of events that were removed |
//! | `content` | 32 bytes: digest of the block after this rewrite |
//! | `mac` | 32 bytes: signature, defined below |
//!
//! ```text
//! content = the hash of the block as above, with its own `hash` in place of that of the block before
//! mac     = HMAC-SHA-256( key, "muriel rewritten block\n"
//!               ‖ log ‖ seq ‖ nth ‖ at ‖ removed
//!               ‖ len(project) ‖ project ‖ len(reason) ‖ reason
//!               ‖ job ‖ hash ‖ content ‖ mac of the rewrite before, or 32 zero bytes )
//! ```
//!
//! The block must have the content of its last rewrite. Several rewrites made at the same
//! time, for example for two visitors, have the same content.
//!
//! # Durability
//!
//! A batch is acknowledged after the commit that stored it; with [`Durability::Full`]
//! that commit is flushed to the disk. A rejected batch is not stored, with one
//! exception: the write may fail after the data has reached the disk. Sending the batch
//! again is then safe, as its events are reported as repeated.
//!
//! [`Durability::Relaxed`] leaves the flush to SQLite's checkpoints: acknowledged events
//! survive a crash of the process, but a power failure can lose the most recent ones.
//! The log stays consistent.

mod erase;
mod error;
mod expire;
mod failpoints;
mod files;
mod format;
mod id;
mod index;
pub mod lines;
mod reader;
mod record;
mod rewrite;
mod scan;
mod segment;
mod snapshot;
mod writer;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use tokio::sync::{Semaphore, oneshot};
use uuid::Uuid;

pub use self::erase::{EraseError, EraseProgress, EraseReport, ErasedEvents, Erasure, erase, visitor_of_line};
pub use self::error::{Error, Result};
pub use self::expire::{ExpiryPlan, plan_expiry};
pub use self::format::{Block, DedupScope, Event, Run};
pub use self::id::{InvalidLogId, LogId};
pub use self::reader::{
    BlockIds, BlockIdsIter, BlockSummaries, BlockSummary, Blocks, DamagedBlocks, FileRewrites, LogExtent, LogReader,
    ReadError, RewriteSummary, VerifyReport,
};
pub use self::record::{Consent, EventKind, EventVisitor, LATE_US, Properties, Record};
pub use self::rewrite::{Rewrite, RewriteKey, RewriteReason, VisitorMark};
pub use self::segment::{Segment, append_segment, cut};
pub use self::snapshot::{LogSnapshot, snapshot};
pub use muriel_sql::file::Durability;

use self::erase::Replacement;
use self::writer::{Message, Pending, Writer};

/// Maximum size of a batch's `lines`, in bytes.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// Time that a batch waits for space in the queue before it is rejected as busy.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(1);
/// Bytes of the queue that a batch takes in addition to its lines, and that each of its
/// events takes: an estimate of their memory.
const BATCH_OVERHEAD_BYTES: usize = 256;
const EVENT_OVERHEAD_BYTES: usize = 32;

/// Options for writing a log.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Failure that acknowledged events survive. Default: a power failure
    /// ([`Durability::Full`]).
    pub durability: Durability,
    /// Size in bytes above which the active file is rolled. Default: 1 GiB.
    pub roll_bytes: u64,
    /// Microseconds between the first and the last block of the active file above which it
    /// is rolled, whatever its size, because retention can delete only closed files.
    /// Default: 30 days.
    pub roll_us: i64,
    /// Free space below which batches are rejected.
    pub reserve: Reserve,
    /// Bytes of batches that may wait in the queue. Default: 64 MiB.
    pub queue_bytes: usize,
    /// Deduplication window: the minimum time, in microseconds between the `received_at`
    /// of two batches, for which a repeated event is recognised. The index keeps up to
    /// twice as much, so many repeats are recognised for longer. Default: 7 days.
    pub dedup_window_us: i64,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions {
            durability: Durability::Full,
            roll_bytes: 1 << 30,
            roll_us: 30 * DAY_US,
            reserve: Reserve::Usual,
            queue_bytes: 64 << 20,
            dedup_window_us: 7 * DAY_US,
        }
    }
}

/// Free space that the log leaves on its volume for other writers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reserve {
    /// 2 % of the volume, but at least 64 MiB and at most 4 GiB.
    #[default]
    Usual,
    /// This many bytes.
    Bytes(u64),
}

impl Reserve {
    /// Reserve in bytes, for a volume of `volume` bytes.
    fn bytes(self, volume: u64) -> u64 {
        match self {
            Reserve::Usual => (volume / 50).clamp(64 << 20, 4 << 30),
            Reserve::Bytes(bytes) => bytes,
        }
    }
}

/// Events of one project that were received together.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The project of all events of the batch.
    pub project_key: Arc<str>,
    /// Time at which the batch arrived, by the server's clock.
    pub received_at: Instant,
    /// The events, in the order of `lines`.
    pub events: Vec<BatchEvent>,
    /// One JSON object per event, each ended by a line feed and containing no other line
    /// feed. At most 8 MiB. The object need not contain the id, which is stored
    /// separately.
    pub lines: Vec<u8>,
}

/// One event of a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchEvent {
    /// Unique within the project and `scope`.
    pub id: Uuid,
    /// The events with which the id is compared. It must equal [`DedupScope::of_line`] of
    /// the line, because the index is rebuilt from the lines.
    pub scope: DedupScope,
    /// Byte offset in [`Batch::lines`] after the line feed of this event's line.
    pub end: usize,
}

impl Batch {
    fn check(&self) -> Result<(), AppendError> {
        if self.lines.len() > MAX_BATCH_BYTES {
            return Err(AppendError::TooLarge);
        }
        let mut start = 0;
        for entry in &self.events {
            match self.lines.get(start..entry.end) {
                Some([line @ .., b'\n']) if !line.contains(&b'\n') => start = entry.end,
                _ => return Err(AppendError::Malformed),
            }
        }
        if start == self.lines.len() { Ok(()) } else { Err(AppendError::Malformed) }
    }
}

/// Result for one appended event: new or repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// The event is new and is in the log now.
    Stored,
    /// The event was in the log already, or occurs earlier in the same batch.
    Repeated,
}

/// Why a batch was rejected. None of its events was stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Batches arrive faster than they can be written. Try again in a second.
    #[error("the event log is busy")]
    Busy,
    /// The log cannot be written at present.
    #[error("the event log is unavailable: {sentence}")]
    Unavailable {
        /// The kind of problem.
        reason: UnavailableReason,
        /// The problem as a sentence for the operator of the server.
        sentence: Arc<str>,
    },
    /// The lines have more than 8 MiB, or the batch is larger than the whole queue.
    #[error("the batch is too large")]
    TooLarge,
    /// `lines` does not have exactly one line for each event: a bug of the caller.
    #[error("the batch does not have one line for each event")]
    Malformed,
}

/// State of a log: whether it accepts batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    /// Batches are accepted.
    Accepting,
    /// Batches are rejected with [`AppendError::Unavailable`].
    Unavailable {
        /// The kind of problem.
        reason: UnavailableReason,
        /// The problem as a sentence for the operator of the server.
        sentence: Arc<str>,
    },
}

/// Why a log rejects batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// The free space is below the reserve, or the volume is full. The log accepts
    /// batches again once there is space.
    DiskFull,
    /// The disk or the file fails. The log opens the file again for the next batch and
    /// every second. If an acknowledged block is missing from the file, the log stays
    /// unavailable until a restart.
    Io,
    /// The deduplication index lags behind the log and cannot catch up, so repeats would
    /// not be recognised.
    Behind,
    /// The log has been closed.
    Closed,
}

/// Free space on the log's volume, and the part of it that the log does not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskSpace {
    /// Free bytes.
    pub free: u64,
    /// Free bytes below which batches are rejected; see [`LogOptions::reserve`].
    pub reserve: u64,
}

impl DiskSpace {
    /// Returns whether batches will be rejected soon: less than twice the reserve is free.
    pub fn is_short(self) -> bool {
        self.free < self.reserve.saturating_mul(2)
    }
}

/// Free bytes on the volume of `dir` that an unprivileged process may use.
///
/// # Errors
/// The `std::io::Error` of `statvfs`.
pub fn free_bytes(dir: &Path) -> std::io::Result<u64> {
    let volume = rustix::fs::statvfs(dir)?;
    Ok(volume.f_bavail.saturating_mul(volume.f_frsize))
}

/// A position in the log: after the block `seq`. The default is the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The number of a block, from 1; 0 is the beginning of the log.
    pub seq: i64,
}

/// A position together with the log it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogPosition {
    /// Id of the log.
    pub log: LogId,
    /// Position in that log.
    pub position: Position,
}

/// Selects the closed files that [`Log::prune`] deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruneRequest {
    /// Delete files whose blocks were all received before this time.
    pub before: Instant,
    /// Skip the safety checks against a wrong clock; see [`PruneRefusal`].
    pub force: bool,
}

/// Why [`Log::prune`] deleted nothing although files are old enough. The checks guard
/// against a wrong clock: one that is a year ahead makes every file look old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PruneRefusal {
    /// Even the newest block is old enough to be deleted, so nothing confirms that the
    /// clock is right.
    #[error(
        "the newest events were received on {newest}, also before {before}: either none have arrived since, or the clock is wrong"
    )]
    NewestIsOld {
        /// Time at which the newest block was received.
        newest: Instant,
        /// [`PruneRequest::before`].
        before: Instant,
    },
    /// The events of the files are old enough, but the first file was modified after
    /// `before`. Either it was copied without its modification time, or its events got
    /// their times from a wrong clock.
    #[error(
        "the blocks {first} to {last} were received before {before}, but their file was written on {written}: either it was copied, or the clock was or is wrong"
    )]
    WrittenSince {
        /// The first block of that file.
        first: i64,
        /// The last block of that file.
        last: i64,
        /// The modification time of the file.
        written: Instant,
        /// [`PruneRequest::before`].
        before: Instant,
    },
    /// The files are more than a tenth of the log.
    #[error("{bytes} of the {total} bytes of the log are from before {before}, which is more than a tenth")]
    TooMuch {
        /// Bytes of the files that would be deleted.
        bytes: u64,
        /// Bytes of all files of the log.
        total: u64,
        /// [`PruneRequest::before`].
        before: Instant,
    },
    /// The events are more than a tenth of those that the log has of the project.
    #[error("{events} of the {total} events of the project are from before {before}, which is more than a tenth")]
    TooManyEvents {
        /// Events that would be deleted.
        events: u64,
        /// All events of the project in the log.
        total: u64,
        /// As [`PruneRequest::before`].
        before: Instant,
    },
}

/// Result of [`Log::prune`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// Number of deleted files.
    pub files: u64,
    /// Number of blocks in them.
    pub blocks: u64,
    /// Size of the deleted files in bytes.
    pub bytes: u64,
    /// Reason that nothing was deleted, when files were old enough but a safety check
    /// failed.
    pub held: Option<PruneRefusal>,
}

/// A log that is open for writing. Clones share one writer thread.
#[derive(Clone)]
pub struct Log {
    handle: Arc<Handle>,
}

struct Handle {
    dir: PathBuf,
    /// One permit per free byte of the queue.
    queue_space: Arc<Semaphore>,
    queue_bytes: usize,
    /// Messages to the writer thread, which ends when this is dropped.
    queue: Sender<Message>,
    writer: Mutex<Option<JoinHandle<()>>>,
    shared: Arc<Shared>,
}

/// State that the writer thread publishes to all handles.
struct Shared {
    state: Mutex<LogState>,
    last: AtomicI64,
    space: Mutex<DiskSpace>,
}

impl Shared {
    fn set_state(&self, state: LogState) {
        let mut was = lock(&self.state);
        if *was == state {
            return;
        }
        match (&*was, &state) {
            (_, LogState::Unavailable { reason: UnavailableReason::Closed, .. }) => {}
            (LogState::Unavailable { .. }, LogState::Accepting) => {
                tracing::info!("the event log accepts batches again")
            }
            (LogState::Accepting, LogState::Unavailable { reason, sentence }) => {
                tracing::warn!(?reason, sentence = &**sentence, "the event log rejects batches");
            }
            _ => {}
        }
        *was = state;
    }

    fn last(&self) -> i64 {
        self.last.load(Ordering::Acquire)
    }

    fn set_last(&self, seq: i64) {
        self.last.store(seq, Ordering::Release);
    }
}

impl LogState {
    fn closed() -> LogState {
        LogState::Unavailable { reason: UnavailableReason::Closed, sentence: "the event log is closed".into() }
    }
}

impl AppendError {
    fn closed() -> AppendError {
        AppendError::Unavailable { reason: UnavailableReason::Closed, sentence: "the event log is closed".into() }
    }
}

/// Guard that marks the log as closed when the writer thread ends, also after a panic.
struct CloseGuard(Arc<Shared>);

impl Drop for CloseGuard {
    fn drop(&mut self) {
        self.0.set_state(LogState::closed());
    }
}

impl Log {
    /// Opens the log in the existing directory `dir`, or creates one there. Other
    /// processes may have it open too. Blocks the calling thread; rebuilding the
    /// deduplication index takes longest, about a second per million events.
    ///
    /// A full disk or a failing index is not an error here: [`Log::state`] reports it.
    ///
    /// # Errors
    /// [`Error::File`] when the files cannot be created, opened or written;
    /// [`Error::Unfit`] when they are not a log that can be continued.
    pub fn open(dir: &Path, options: LogOptions) -> Result<Log> {
        let shared = Arc::new(Shared {
            state: Mutex::new(LogState::Accepting),
            last: AtomicI64::new(0),
            space: Mutex::default(),
        });
        let queue_bytes = options.queue_bytes.min(Semaphore::MAX_PERMITS);
        let mut writer = Writer::open(dir, options, shared.clone())?;
        writer.poll();

        let (queue, messages) = mpsc::channel();
        let close_guard = CloseGuard(shared.clone());
        let thread = thread::Builder::new().name("muriel-log-writer".to_owned()).spawn(move || {
            let asked = writer.serve(&messages);
            let closed = writer.close();
            drop(writer);
            drop(close_guard);
            match (asked, closed) {
                (Some(asked), closed) => drop(asked.send(closed)),
                (None, Ok(())) => {}
                (None, Err(error)) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "the event log was not closed properly");
                }
            }
        });
        let writer = thread.map_err(|error| Error::file("start a thread for", dir, error))?;
        Ok(Log {
            handle: Arc::new(Handle {
                dir: dir.to_owned(),
                queue_space: Arc::new(Semaphore::new(queue_bytes)),
                queue_bytes,
                queue,
                writer: Mutex::new(Some(writer)),
                shared,
            }),
        })
    }

    /// Stores the new events of `batch`. Returns one outcome per event, in order. The
    /// events are durable when this returns.
    ///
    /// The batch may be stored even if the future is dropped before it completes.
    ///
    /// # Errors
    /// [`AppendError`]; no event of the batch was stored. When the queue is full, the call
    /// waits up to one second before it returns [`AppendError::Busy`].
    pub async fn append(&self, batch: Batch) -> Result<Vec<AppendOutcome>, AppendError> {
        batch.check()?;
        if batch.events.is_empty() {
            return Ok(Vec::new());
        }
        let handle = &*self.handle;
        let cost = BATCH_OVERHEAD_BYTES + EVENT_OVERHEAD_BYTES * batch.events.len() + batch.lines.len();
        let cost = u32::try_from(cost).ok().filter(|cost| *cost as usize <= handle.queue_bytes);
        let cost = cost.ok_or(AppendError::TooLarge)?;
        let permit = handle.queue_space.clone().acquire_many_owned(cost);
        let permit = match tokio::time::timeout(QUEUE_TIMEOUT, permit).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) => return Err(AppendError::closed()),
            Err(_) => return Err(AppendError::Busy),
        };
        let (reply, answer) = oneshot::channel();
        let pending = Pending { batch, reply, _permit: permit };
        handle.queue.send(Message::Append(pending)).map_err(|_| AppendError::closed())?;
        answer.await.unwrap_or_else(|_| Err(AppendError::closed()))
    }

    /// The directory of the log.
    pub fn dir(&self) -> &Path {
        &self.handle.dir
    }

    /// Returns whether the log accepts batches. The result is at most about one second old, even when no
    /// batches arrive.
    pub fn state(&self) -> LogState {
        lock(&self.handle.shared.state).clone()
    }

    /// Free space on the volume. At most about one second old.
    pub fn space(&self) -> DiskSpace {
        *lock(&self.handle.shared.space)
    }

    /// The last block. Blocks of other writing processes appear within about one second.
    pub fn last(&self) -> Position {
        Position { seq: self.handle.shared.last() }
    }

    /// Deletes closed files whose blocks were all received before `prune.before`,
    /// oldest first. The active file is never deleted.
    ///
    /// Without `prune.force` this deletes nothing when the newest block is that old too, or
    /// when more than a tenth of the log would be deleted. It also keeps files whose
    /// modification time is not before `prune.before`.
    ///
    /// # Errors
    /// [`Error::File`] when a file cannot be read or deleted; older files may have been
    /// deleted by then.
    pub async fn prune(&self, prune: PruneRequest) -> Result<PruneReport> {
        let (reply, answer) = oneshot::channel();
        self.handle.queue.send(Message::Prune(prune, reply)).map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Rolls the active file whatever its size. False when it has no block, or other
    /// processes have it open. Blocks.
    fn roll(&self) -> Result<bool> {
        let (reply, answer) = oneshot::channel();
        self.handle.queue.send(Message::Roll(reply)).map_err(|_| Error::Closed)?;
        answer.blocking_recv().map_err(|_| Error::Closed)?
    }

    /// Replaces a closed file. False when retention has deleted it. Blocks.
    fn replace(&self, replacement: Replacement) -> Result<bool> {
        let (reply, answer) = oneshot::channel();
        self.handle.queue.send(Message::Replace(replacement, reply)).map_err(|_| Error::Closed)?;
        answer.blocking_recv().map_err(|_| Error::Closed)?
    }

    /// Stores the batches in the queue, then closes the files. Later calls, also on
    /// clones, fail as closed.
    ///
    /// # Errors
    /// [`Error::File`] when a file could not be closed cleanly; no acknowledged event is
    /// lost.
    pub async fn close(self) -> Result<()> {
        self.handle.queue_space.close();
        let (reply, answer) = oneshot::channel();
        if self.handle.queue.send(Message::Close(reply)).is_err() {
            return Ok(());
        }
        let closed = answer.await.unwrap_or(Ok(()));
        let writer = lock(&self.handle.writer).take();
        if let Some(writer) = writer {
            // The thread replies as its last action, so this does not block.
            let _ = writer.join();
        }
        closed
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("last", &self.last()).field("state", &self.state()).finish()
    }
}

/// Locks a mutex, even a poisoned one: no code here leaves the content inconsistent when
/// it panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
