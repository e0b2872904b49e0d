//! The durable log of events: what has been acknowledged is in it, and every
//! other store of events can be made again from it.
//!
//! [`Log`] appends, [`LogReader`] reads, both also from several processes at once.
//! An event counts once per project, [`DedupScope`] and id: a repeat is told as such and
//! changes nothing, for [`LogOptions::dedup_window_us`] after the event at least.
//!
//! # Files
//!
//! `log.db` is written. When it is larger than [`LogOptions::roll_bytes`], or its
//! blocks span more than [`LogOptions::roll_us`], it is
//! closed as `log-<first>-<last>.db`, the numbers of its blocks in 19 digits, and
//! a new `log.db` goes on. Retention deletes closed files, from the oldest on. All
//! are SQLite files with `application_id` 0x4d6c6f67 and `user_version` 1;
//! `log.db` has a write-ahead log beside it, closed files stand alone. `log.lock`
//! is locked shared by whoever has `log.db` open, and alone by who rolls it: while
//! two have it open to write, it only grows.
//! `seen-<n>.db` is an index for recognising repeats; it is made again when it is
//! missing or damaged.
//!
//! Each file has one row in `file`: the id of the log (`log`, 16 bytes, the same
//! in all files), and the number and hash of the block it begins after
//! (`after_seq`, `after_hash`). For the first file these are 0 and
//!
//! ```text
//! SHA-256( "muriel event log\n" ‖ log )
//! ```
//!
//! `pruned` has one row once retention has deleted something: the number of the last
//! block that it deleted (`last`), written before the file goes. `log.db` has the
//! present one, and each file that is begun takes it over. So a file that somebody else
//! deleted is told apart: its blocks are missing.
//!
//! Each commit of events is one row in `block`:
//!
//! | column | |
//! |---|---|
//! | `seq` | number of the block, from 1, without gaps over all files |
//! | `received_at` | microseconds since 1970 UTC: when the last of its batches was received; the others within the second before, imported ones in the same hour of UTC |
//! | `events` | how many |
//! | `hash` | 32 bytes, below |
//! | `runs` | JSON `[[project key, events], …]`: whose they are, in order |
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
//! with every integer big-endian, in two's complement. Whoever keeps the hash of
//! a block can tell later that nothing up to it has been changed.
//!
//! # Durability
//!
//! A batch is answered after the commit that stored it, and with
//! [`Durability::Full`] that commit is flushed to the disk. Nothing of a batch
//! that is refused is stored, except when writing failed so late that the disk
//! has it: then sending it again finds its events repeated.
//!
//! [`Durability::Relaxed`] leaves the flush to SQLite's checkpoints: acknowledged
//! events outlive the process, but a power cut takes the last of them. The log
//! stays intact.

mod error;
mod files;
mod format;
mod id;
mod index;
pub mod lines;
mod points;
mod reader;
mod record;
mod scan;
mod writer;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use tokio::sync::{Semaphore, oneshot};
use uuid::Uuid;

pub use self::error::{Error, Result};
pub use self::format::{Block, DedupScope, Event, Run};
pub use self::id::{InvalidLogId, LogId};
pub use self::reader::{
    BlockIds, BlockIdsIter, BlockSummaries, BlockSummary, Blocks, DamagedBlocks, LogExtent, LogReader, ReadError,
    VerifyReport,
};
pub use self::record::{Consent, EventKind, EventVisitor, Properties, Record};
pub use muriel_sql::file::Durability;

use self::writer::{Message, Pending, Writer};

/// The longest `lines` of a batch.
const BATCH_BYTES: usize = 8 << 20;
/// How long a batch waits for a place in the queue.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(1);
/// What a batch takes of the queue besides its lines, and each event of it.
const COST: (usize, usize) = (256, 32);

/// How to write a log.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// What an acknowledged event outlives. A power cut, unless said otherwise.
    pub durability: Durability,
    /// Bytes after which a file is closed and the next begun. 1 GiB.
    pub roll_bytes: u64,
    /// Microseconds from the first to the last block of a file after which it is
    /// closed, however small: closed files are what retention deletes. 30 days.
    pub roll_us: i64,
    /// What to leave free on the volume.
    pub reserve: Reserve,
    /// Bytes of batches that may wait. 64 MiB.
    pub queue_bytes: usize,
    /// For how long after an event its repeats are recognised, in microseconds by
    /// the `received_at` of batches. 7 days. Many are for longer.
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

/// What to leave free on a volume, for everything else that has to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reserve {
    /// 2 % of the volume, but at least 64 MiB and at most 4 GiB.
    #[default]
    Usual,
    /// So many bytes.
    Bytes(u64),
}

impl Reserve {
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
    /// Whose they are.
    pub project_key: Arc<str>,
    /// When they arrived, by the clock of the server.
    pub received_at: Instant,
    /// The events in the order of `lines`.
    pub events: Vec<BatchEvent>,
    /// A JSON object for each event, each ended by a line feed and without any
    /// other. The id need not be in it, it is kept beside it.
    pub lines: Vec<u8>,
}

/// One event of a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchEvent {
    /// What it counts once under, within its scope.
    pub id: Uuid,
    /// Whose events its id is compared with. It has to be that of the line, from
    /// which the index is made again: [`DedupScope::of_line`].
    pub scope: DedupScope,
    /// Where its line ends in [`Batch::lines`], past the line feed.
    pub end: usize,
}

impl Batch {
    fn check(&self) -> Result<(), AppendError> {
        if self.lines.len() > BATCH_BYTES {
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

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// It is in the log.
    Stored,
    /// It was there already, or is earlier in the same batch.
    Repeated,
}

/// Why nothing of a batch was taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// More arrives than can be written: try again in a second.
    #[error("the event log is busy")]
    Busy,
    /// Nothing can be written at present.
    #[error("the event log is unavailable: {sentence}")]
    Unavailable {
        /// What kind of obstacle.
        reason: UnavailableReason,
        /// The obstacle, for people who run the server.
        sentence: Arc<str>,
    },
    /// The lines have more than 8 MiB, or more than the queue may hold.
    #[error("the batch is too large")]
    TooLarge,
    /// `lines` are not one line for each event, which is a mistake of the caller.
    #[error("the lines of the batch are not those of its events")]
    Malformed,
}

/// Whether batches are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogState {
    /// Yes.
    Accepting,
    /// No, for now.
    Unavailable {
        /// What kind of obstacle.
        reason: UnavailableReason,
        /// The obstacle, for people who run the server.
        sentence: Arc<str>,
    },
}

/// What keeps a log from taking batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// The reserve has been reached, or the volume is full. Passes by itself once
    /// there is space.
    DiskFull,
    /// The disk or the file fails. The file is opened again for the next batch and
    /// every second; when something acknowledged is gone from it, not before a
    /// restart.
    Io,
    /// The index of events does not know all of the log and cannot be brought up
    /// to it, so repeats would not be recognised.
    Behind,
    /// It has been closed.
    Closed,
}

/// How much is free on the volume of the log, and how much of it the log leaves free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that are free.
    pub free: u64,
    /// Bytes below which no event is taken; see [`LogOptions::reserve`].
    pub reserve: u64,
}

impl DiskSpace {
    /// Whether events are refused soon: less than twice the reserve is free.
    pub fn is_short(self) -> bool {
        self.free < self.reserve.saturating_mul(2)
    }
}

/// Bytes that are free on the volume of a directory.
///
/// # Errors
/// When the system does not tell.
pub fn free_bytes(dir: &Path) -> std::io::Result<u64> {
    let volume = rustix::fs::statvfs(dir)?;
    Ok(volume.f_bavail.saturating_mul(volume.f_frsize))
}

/// A place in the log: after the block `seq`. The default is before everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The number of a block, or 0.
    pub seq: i64,
}

/// A place in one of several logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogPosition {
    /// Which log.
    pub log: LogId,
    /// Where in it.
    pub position: Position,
}

/// Which closed files [`Log::prune`] deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruneRequest {
    /// Those whose blocks were all received before this time.
    pub before: Instant,
    /// Delete them even where that looks like the mistake of a clock; see [`PruneRefusal`].
    pub force: bool,
}

/// Why [`Log::prune`] deleted nothing although files are old enough: a clock that is
/// ahead by a year makes every file old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PruneRefusal {
    /// Even the newest block would be old enough, so nothing shows that the clock is
    /// right.
    #[error(
        "the newest events were received on {newest}, which is before {before} too: either nothing has come since, or the clock is wrong"
    )]
    NewestIsOld {
        /// When the newest block was received.
        newest: Instant,
        /// The time from [`PruneRequest`].
        before: Instant,
    },
    /// Their events are old enough, but the first of them was written to since: it was copied
    /// without its time, or its events got the time of a wrong clock.
    #[error(
        "the blocks {first} to {last} were received before {before}, but their file was written on {written}: either it was copied, or the clock was or is wrong"
    )]
    WrittenSince {
        /// The first block of that file.
        first: i64,
        /// Its last block.
        last: i64,
        /// When the file system says that it was written to.
        written: Instant,
        /// The time from [`PruneRequest`].
        before: Instant,
    },
    /// They are more than a tenth of the log.
    #[error("{bytes} of the {total} bytes of the log are from before {before}, which is more than a tenth")]
    TooMuch {
        /// Bytes of the files that are old enough.
        bytes: u64,
        /// Bytes of all files of the log.
        total: u64,
        /// The time from [`PruneRequest`].
        before: Instant,
    },
}

/// What [`Log::prune`] deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// Files.
    pub files: u64,
    /// Blocks in them.
    pub blocks: u64,
    /// Their size.
    pub bytes: u64,
    /// Why nothing was deleted although files are old enough.
    pub held: Option<PruneRefusal>,
}

/// A log that is open to be written. Clones share the one writer.
#[derive(Clone)]
pub struct Log {
    handle: Arc<Handle>,
}

struct Handle {
    /// Bytes left in the queue.
    places: Arc<Semaphore>,
    queue_bytes: usize,
    /// To the writer, which ends when this is dropped.
    queue: Sender<Message>,
    writer: Mutex<Option<JoinHandle<()>>>,
    shared: Arc<Shared>,
}

/// What the writer tells everybody.
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
            (LogState::Unavailable { .. }, LogState::Accepting) => tracing::info!("the event log takes batches again"),
            (LogState::Accepting, LogState::Unavailable { reason, sentence }) => {
                tracing::warn!(?reason, sentence = &**sentence, "the event log refuses batches");
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

/// Says that the log is closed, however its writer ended.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.set_state(LogState::closed());
    }
}

impl Log {
    /// Opens the log in `dir`, which exists, or begins one there. Others may have
    /// it open too. Blocks; longest when the index has to be made again, about a
    /// second for each million events.
    ///
    /// A full disk or a failing index is told by [`Log::state`].
    ///
    /// # Errors
    /// When its files cannot be made, opened and written, or are no log that can
    /// be gone on with.
    pub fn open(dir: &Path, options: LogOptions) -> Result<Log> {
        let shared = Arc::new(Shared {
            state: Mutex::new(LogState::Accepting),
            last: AtomicI64::new(0),
            space: Mutex::default(),
        });
        let queue_bytes = options.queue_bytes.min(Semaphore::MAX_PERMITS);
        let mut writer = Writer::open(dir, options, shared.clone())?;
        writer.look();

        let (queue, messages) = mpsc::channel();
        let ending = Ending(shared.clone());
        let thread = thread::Builder::new().name("muriel-log-writer".to_owned()).spawn(move || {
            let asked = writer.serve(&messages);
            let closed = writer.close();
            drop(writer);
            drop(ending);
            match (asked, closed) {
                (Some(asked), closed) => drop(asked.send(closed)),
                (None, Ok(())) => {}
                (None, Err(error)) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "the event log was not closed in order");
                }
            }
        });
        let writer = thread.map_err(|error| Error::file("start a thread for", dir, error))?;
        Ok(Log {
            handle: Arc::new(Handle {
                places: Arc::new(Semaphore::new(queue_bytes)),
                queue_bytes,
                queue,
                writer: Mutex::new(Some(writer)),
                shared,
            }),
        })
    }

    /// Stores the new events of `batch`, and tells of each, in order, whether it
    /// was new. They are durable when this returns.
    ///
    /// A call that is dropped before it answers may have happened.
    ///
    /// # Errors
    /// Nothing of the batch was taken; see [`AppendError`]. A full queue is waited for
    /// one second.
    pub async fn append(&self, batch: Batch) -> Result<Vec<AppendOutcome>, AppendError> {
        batch.check()?;
        if batch.events.is_empty() {
            return Ok(Vec::new());
        }
        let handle = &*self.handle;
        let cost = COST.0 + COST.1 * batch.events.len() + batch.lines.len();
        let cost = u32::try_from(cost).ok().filter(|cost| *cost as usize <= handle.queue_bytes);
        let cost = cost.ok_or(AppendError::TooLarge)?;
        let place = handle.places.clone().acquire_many_owned(cost);
        let place = match tokio::time::timeout(QUEUE_TIMEOUT, place).await {
            Ok(Ok(place)) => place,
            Ok(Err(_)) => return Err(AppendError::closed()),
            Err(_) => return Err(AppendError::Busy),
        };
        let (reply, answer) = oneshot::channel();
        let pending = Pending { batch, reply, _place: place };
        handle.queue.send(Message::Append(pending)).map_err(|_| AppendError::closed())?;
        answer.await.unwrap_or_else(|_| Err(AppendError::closed()))
    }

    /// Whether batches are taken; known a second after it changes, also when none
    /// come.
    pub fn state(&self) -> LogState {
        lock(&self.handle.shared.state).clone()
    }

    /// What is free on the volume; as old as a second.
    pub fn space(&self) -> DiskSpace {
        *lock(&self.handle.shared.space)
    }

    /// The last block, of which others that write may be a second ahead.
    pub fn last(&self) -> Position {
        Position { seq: self.handle.shared.last() }
    }

    /// Deletes closed files, from the oldest on, whose blocks were all received
    /// before a time. The file that is written always stays.
    ///
    /// Unless it is forced, this deletes nothing when the newest block is as old, or
    /// when more than a tenth of the log would go; and no file that was written to
    /// after that time by the clock of the file system.
    ///
    /// # Errors
    /// When a file cannot be read or deleted; those before it are gone.
    pub async fn prune(&self, prune: PruneRequest) -> Result<PruneReport> {
        let (reply, answer) = oneshot::channel();
        self.handle.queue.send(Message::Prune(prune, reply)).map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Stores what waits, then closes the files. Later calls, on clones too, are
    /// refused.
    ///
    /// # Errors
    /// When a file could not be closed in order; nothing is lost by that.
    pub async fn close(self) -> Result<()> {
        self.handle.places.close();
        let (reply, answer) = oneshot::channel();
        if self.handle.queue.send(Message::Close(reply)).is_err() {
            return Ok(());
        }
        let closed = answer.await.unwrap_or(Ok(()));
        let writer = lock(&self.handle.writer).take();
        if let Some(writer) = writer {
            // It has answered as its last act, so this does not block.
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

/// The content of a mutex. Nothing here leaves it half changed, so a panic
/// elsewhere under it does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
