//! The writer thread. It stores all waiting batches with one commit (group commit) and
//! replies to them after it.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant as Clock};

use muriel_domain::Instant;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::erase::Replacement;
use super::error::{Error, Result, chain};
use super::files::{self, ACTIVE, Active, RollLimits, WAL_BYTES};
use super::format::{Packer, Raw, Run, Tip, write_runs};
use super::index::{self, Index, IndexError, project_hash};
use super::{
    AppendError, AppendOutcome, Batch, DiskSpace, Durability, LogOptions, LogState, PruneRefusal, PruneReport,
    PruneRequest, Shared, UnavailableReason, failpoints,
};

/// Maximum number of batches that share one commit.
const MAX_GROUP_BATCHES: usize = 1024;
/// Maximum bytes of lines in a block of several batches.
const MAX_BLOCK_BYTES: usize = 8 << 20;
/// Maximum microseconds between the `received_at` of batches in one block, which stores
/// one time for all of them.
const MAX_BLOCK_SPAN_US: u64 = 1_000_000;
/// Interval at which an idle writer checks the free space and whether it can write.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Delay before a roll is tried again after other processes had the file open.
const ROLL_RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(super) enum Message {
    Append(Pending),
    Prune(PruneRequest, oneshot::Sender<Result<PruneReport>>),
    /// Rolls the active file. The reply says whether that was possible.
    Roll(oneshot::Sender<Result<bool>>),
    /// Replaces a closed file. The reply says whether the file still existed.
    Replace(Replacement, oneshot::Sender<Result<bool>>),
    Close(oneshot::Sender<Result<()>>),
}

/// A batch in the queue.
pub(super) struct Pending {
    pub(super) batch: Batch,
    pub(super) reply: oneshot::Sender<Result<Vec<AppendOutcome>, AppendError>>,
    pub(super) _permit: OwnedSemaphorePermit,
}

/// Why a group of batches was not stored.
enum StoreError {
    /// Another process holds the write lock; waiting for it timed out.
    Busy,
    /// The log cannot be written: the kind of problem, and a sentence for the operator.
    Unavailable(UnavailableReason, Arc<str>),
}

pub(super) struct Writer {
    dir: PathBuf,
    options: LogOptions,
    shared: Arc<Shared>,
    lock: File,
    /// `None` after a failure, until it is opened again.
    active: Option<OpenFiles>,
    /// The last block whose batches were acknowledged. It must never disappear.
    acknowledged: Option<Tip>,
    /// Set when an acknowledged block is missing: the reason that batches are rejected until
    /// a restart.
    lost: Option<Arc<str>>,
    packer: Packer,
    /// Earliest time of the next attempt to roll.
    roll_after: Option<Clock>,
}

/// The active file and the index, while they are open.
struct OpenFiles {
    active: Active,
    /// Device and inode, to notice when the file's name refers to another file.
    identity: Option<(u64, u64)>,
    /// `None` after a failure, until it is opened again.
    index: Option<Index>,
}

/// Device and inode of the file at `path`; `None` if there is none. It does not open the
/// file, because closing it again would release SQLite's POSIX locks on it.
fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
    }
    #[cfg(not(unix))]
    {
        fs::metadata(path).ok().map(|_| (0, 0))
    }
}

fn step(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.raw_execute().map(drop)
}

impl Writer {
    /// Opens the log in `dir`, or creates it.
    pub(super) fn open(dir: &Path, options: LogOptions, shared: Arc<Shared>) -> Result<Writer> {
        let packer = Packer::new().map_err(|error| Error::file("compress for", dir, error))?;
        let lock = files::lock_file(dir)?;
        let mut writer = Writer {
            dir: dir.to_owned(),
            options,
            shared,
            lock,
            active: None,
            acknowledged: None,
            lost: None,
            packer,
            roll_after: None,
        };
        writer.open_active()?;
        if writer.options.durability == Durability::Full {
            // The last writing process may have died before its flush. Repeats of its events
            // are acknowledged from now on, so they must be durable first.
            files::flush_wal(dir)?;
        }
        writer.lengthen_wal();
        Ok(writer)
    }

    fn open_active(&mut self) -> Result<()> {
        let active = files::open_active(&self.dir, &self.lock, self.options.durability, self.shared.last())?;
        let path = self.dir.join(ACTIVE);
        let failed = |error| Error::file("read", &path, error);
        let checked = active.tip().and_then(|tip| Ok((tip, active.check_tail()?)));
        let (tip, problem) = match checked {
            Ok(checked) => checked,
            Err(error) => {
                drop(active);
                files::unlock(&self.dir, &self.lock)?;
                return Err(failed(error));
            }
        };
        if let Some(problem) = problem {
            tracing::error!(
                seq = tip.seq,
                file = %path.display(),
                problem,
                "the last block of the event log is damaged; new blocks are chained to its stored hash"
            );
        }
        self.shared.set_last(tip.seq);
        self.active = Some(OpenFiles { active, identity: identity(&path), index: None });
        Ok(())
    }

    /// Processes messages until one asks to close, whose reply channel it returns, or
    /// until every handle is dropped (`None`).
    pub(super) fn serve(&mut self, queue: &Receiver<Message>) -> Option<oneshot::Sender<Result<()>>> {
        let mut waiting: VecDeque<Pending> = VecDeque::new();
        // A message that is not a batch is processed after the batches before it and
        // before any later message.
        let mut other = None;
        loop {
            let mut next = None;
            if waiting.is_empty() && other.is_none() {
                match queue.recv_timeout(POLL_INTERVAL) {
                    Ok(message) => next = Some(message),
                    Err(RecvTimeoutError::Timeout) => self.poll(),
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            }
            while other.is_none() && waiting.len() < MAX_GROUP_BATCHES {
                match next.take().or_else(|| queue.try_recv().ok()) {
                    Some(Message::Append(pending)) => waiting.push_back(pending),
                    Some(message) => other = Some(message),
                    None => break,
                }
            }
            if !waiting.is_empty() {
                self.group(&mut waiting);
                continue;
            }
            match other.take() {
                Some(Message::Prune(prune, reply)) => drop(reply.send(self.prune(prune))),
                Some(Message::Roll(reply)) => drop(reply.send(self.roll_now())),
                Some(Message::Replace(replacement, reply)) => drop(reply.send(self.replace(&replacement))),
                Some(Message::Close(reply)) => return Some(reply),
                Some(Message::Append(_)) | None => {}
            }
        }
    }

    /// Checkpoints and closes the active file, and releases the lock.
    pub(super) fn close(&mut self) -> Result<()> {
        let Some(OpenFiles { active, index, .. }) = self.active.take() else { return Ok(()) };
        drop(index);
        let closed = active.close(&self.dir);
        files::unlock(&self.dir, &self.lock)?;
        closed
    }

    /// Checks whether batches can be stored and publishes the result, so that the state is
    /// current even when no batches arrive. Runs at the start and while idle.
    pub(super) fn poll(&mut self) {
        let mut ready = self.ready();
        if ready.is_ok() && self.active.as_ref().is_none_or(|open| open.index.is_none()) {
            ready = self.store(&mut Vec::new());
        }
        if let (Ok(()), Some(open)) = (&ready, &self.active)
            && let Ok(tip) = open.active.tip()
        {
            self.shared.set_last(tip.seq);
        }
        self.publish_state(&ready);
    }

    /// Publishes whether batches are accepted, as [`Log::state`](super::Log::state).
    fn publish_state(&self, outcome: &Result<(), StoreError>) {
        match outcome {
            Ok(()) => self.shared.set_state(LogState::Accepting),
            // Temporary, so the state does not change.
            Err(StoreError::Busy) => {}
            Err(StoreError::Unavailable(reason, sentence)) => {
                self.shared.set_state(LogState::Unavailable { reason: *reason, sentence: sentence.clone() });
            }
        }
    }

    /// Stores as many of `waiting` as fit into one block, and replies to them.
    fn group(&mut self, waiting: &mut VecDeque<Pending>) {
        let mut group: Vec<Pending> = Vec::new();
        let (mut bytes, mut received_at) = (0, None);
        while let Some(next) = waiting.front() {
            let at = next.batch.received_at.us();
            let far = at.abs_diff(*received_at.get_or_insert(at)) > MAX_BLOCK_SPAN_US;
            bytes += next.batch.lines.len();
            if !group.is_empty() && (group.len() >= MAX_GROUP_BATCHES || bytes > MAX_BLOCK_BYTES || far) {
                break;
            }
            group.extend(waiting.pop_front());
        }
        // Sorting gives each project one run. The sort is stable, so the order within a
        // project stays.
        group.sort_by(|a, b| a.batch.project_key.cmp(&b.batch.project_key));

        let stored = self.ready().and_then(|()| self.store(&mut group));
        self.publish_state(&stored);
        let refused = match stored {
            Ok(()) => {
                self.roll_if_due();
                return;
            }
            Err(StoreError::Busy) => AppendError::Busy,
            Err(StoreError::Unavailable(reason, sentence)) => AppendError::Unavailable { reason, sentence },
        };
        for pending in group {
            let _ = pending.reply.send(Err(refused.clone()));
        }
    }

    /// Checks the free space and that the active file is open, opening it if needed.
    fn ready(&mut self) -> Result<(), StoreError> {
        if let Some(sentence) = &self.lost {
            return Err(StoreError::Unavailable(UnavailableReason::Io, sentence.clone()));
        }
        self.check_space()?;
        if let Some(open) = &self.active
            && open.identity != identity(&self.dir.join(ACTIVE))
        {
            tracing::error!("the file of the event log was moved or removed while it was written");
            self.close_active();
        }
        if self.active.is_none() {
            self.open_again()?;
        }
        Ok(())
    }

    /// Extends the write-ahead log in advance, if there is enough free space: commits are
    /// faster when the file does not grow.
    fn lengthen_wal(&self) {
        let most = WAL_BYTES.min(self.options.roll_bytes / 16);
        let (Some(OpenFiles { active, .. }), Ok((free, reserve))) = (&self.active, self.space()) else { return };
        if self.options.durability != Durability::Full || free < reserve.saturating_add(4 * most) {
            return;
        }
        if let Err(error) = active.lengthen_wal(&self.dir, most) {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the write-ahead log cannot be extended in advance, so commits to the event log stay slower"
            );
        }
    }

    /// Free bytes on the volume, and the reserve in bytes.
    fn space(&self) -> io::Result<(u64, u64)> {
        let volume = rustix::fs::statvfs(&self.dir)?;
        let free = super::free_bytes(&self.dir)?;
        Ok((free, self.options.reserve.bytes(volume.f_blocks.saturating_mul(volume.f_frsize))))
    }

    fn check_space(&self) -> Result<(), StoreError> {
        let (free, reserve) = self.space().map_err(|error| {
            let sentence = format!("the free space for the event log cannot be determined: {error}");
            StoreError::Unavailable(UnavailableReason::Io, sentence.into())
        })?;
        *super::lock(&self.shared.space) = DiskSpace { free, reserve };
        if free >= reserve {
            return Ok(());
        }
        let sentence = format!("the volume of the event log has {free} bytes free, but {reserve} are kept in reserve");
        Err(StoreError::Unavailable(UnavailableReason::DiskFull, sentence.into()))
    }

    /// Opens the active file again after a failure, and verifies that its content is on
    /// the disk.
    fn open_again(&mut self) -> Result<(), StoreError> {
        let failed = |error: &Error| {
            let sentence = format!("the event log cannot be opened: {}", chain(error));
            StoreError::Unavailable(UnavailableReason::Io, sentence.into())
        };
        let opened = failpoints::hit(&self.dir, "opening").map_err(|error| Error::file("open", &self.dir, error));
        opened.and_then(|()| self.open_active()).map_err(|error| failed(&error))?;
        let Some(open) = &self.active else { return Ok(()) };
        // After a failed flush, the operating system may treat unwritten pages as clean.
        // A checkpoint copies the content of the write-ahead log to the main file and
        // flushes that, before anything relies on it.
        let moved = failpoints::hit(&self.dir, "opened").and_then(|()| files::checkpoint(&open.active.conn));
        match moved {
            Ok(true) => {}
            other => {
                self.close_active();
                let sentence = match other {
                    Err(error) => format!("the event log cannot be flushed: {}", chain(&error)),
                    _ => "the event log cannot be flushed until its readers finish".to_owned(),
                };
                return Err(StoreError::Unavailable(UnavailableReason::Io, sentence.into()));
            }
        }
        self.check_acknowledged()?;
        self.lengthen_wal();
        Ok(())
    }

    fn check_acknowledged(&mut self) -> Result<(), StoreError> {
        let (Some(tip), Some(open)) = (self.acknowledged, &self.active) else { return Ok(()) };
        if open.active.hash_at(&self.dir, tip.seq) == Some(tip.hash) {
            return Ok(());
        }
        let sentence: Arc<str> =
            format!("block {} of the event log was acknowledged but is gone; find the cause, then restart", tip.seq)
                .into();
        tracing::error!(seq = tip.seq, "an acknowledged block of the event log is gone");
        self.lost = Some(sentence.clone());
        self.close_active();
        Err(StoreError::Unavailable(UnavailableReason::Io, sentence))
    }

    /// Closes the active file without a checkpoint.
    fn close_active(&mut self) {
        self.active = None;
        if let Err(error) = files::unlock(&self.dir, &self.lock) {
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot unlock the event log");
        }
    }

    /// Stores the group, replies to its batches and empties it. On an error the group is
    /// unchanged, and none of its batches is stored or replied to. An empty group only
    /// brings the index up to date.
    fn store(&mut self, group: &mut Vec<Pending>) -> Result<(), StoreError> {
        let mut rebuild = false;
        loop {
            let failure = match self.attempt(group, rebuild) {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            self.roll_back();
            match failure {
                AttemptError::Index(IndexError::Unusable(problem)) if !rebuild => {
                    tracing::warn!(problem, "the index of events is rebuilt");
                    rebuild = true;
                }
                failure => return Err(self.explain(failure)),
            }
        }
    }

    fn attempt(&mut self, group: &mut Vec<Pending>, rebuild: bool) -> Result<(), AttemptError> {
        let Some(OpenFiles { active, index: place, .. }) = &mut self.active else {
            return Err(AttemptError::Log(rusqlite::Error::InvalidQuery));
        };
        let (dir, conn) = (&self.dir, &active.conn);
        step(conn, "BEGIN IMMEDIATE")?;
        failpoints::hit(dir, "begun")?;
        // Another process may have written since the last commit.
        let tip = active.tip()?;
        if rebuild || place.is_none() {
            let open_index = if rebuild { Index::rebuild } else { Index::open };
            *place = None;
            *place = Some(open_index(dir, active.head.log, self.options.dedup_window_us, tip)?);
        }
        let Some(index) = place else { return Err(AttemptError::Log(rusqlite::Error::InvalidQuery)) };
        let received_at = group.iter().map(|pending| pending.batch.received_at.us()).max();
        let mut seen = index.begin(tip, received_at, |seq| active.hash_at(dir, seq))?;

        let mut draft = BlockBuilder::default();
        let mut answers = Vec::with_capacity(group.len());
        for pending in &*group {
            answers.push(draft.add(&pending.batch, &mut seen)?);
        }
        let mut stored = tip;
        if draft.runs.is_empty() {
            step(conn, "ROLLBACK")?;
        } else {
            let raw = draft.block(tip, received_at.unwrap_or_default(), &mut self.packer)?;
            failpoints::hit(dir, "insert")?;
            files::insert_block(conn, &raw)?;
            failpoints::hit(dir, "commit")?;
            step(conn, "COMMIT")?;
            failpoints::hit(dir, "committed")?;
            stored = Tip { seq: raw.seq, hash: raw.hash };
            self.acknowledged = Some(stored);
        }
        self.shared.set_last(stored.seq);
        self.shared.set_state(LogState::Accepting);
        for (pending, answer) in group.drain(..).zip(answers) {
            // The caller may have dropped its future; the batch is stored all the same.
            let _ = pending.reply.send(Ok(answer));
        }

        // The index is committed after the replies, which do not depend on it. Entries
        // missing from it are read from the log before the next group.
        if let Err(fault) = seen.finish(stored) {
            tracing::warn!(problem = fault.to_string(), seq = stored.seq, "the index of events has fallen behind");
            index.abandon();
            *place = None;
        }
        Ok(())
    }

    fn roll_back(&mut self) {
        let Some(open) = &self.active else { return };
        if let Some(index) = &open.index {
            index.abandon();
        }
        if !open.active.conn.is_autocommit()
            && let Err(error) = step(&open.active.conn, "ROLLBACK")
        {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot roll back");
            self.close_active();
        }
    }

    /// Converts the failure of an attempt, logs it, and closes the file that failed.
    fn explain(&mut self, failure: AttemptError) -> StoreError {
        let (error, of_log) = match failure {
            AttemptError::Log(error) => (error, true),
            AttemptError::Index(IndexError::Sql(error)) => (error, false),
            AttemptError::Index(fault) => {
                if let Some(open) = &mut self.active {
                    open.index = None;
                }
                let sentence = format!("the index of events cannot catch up with the log: {fault}");
                tracing::error!(problem = fault.to_string(), "the index of events cannot catch up with the log");
                return StoreError::Unavailable(UnavailableReason::Behind, sentence.into());
            }
        };
        let code = error.sqlite_error_code();
        if matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) {
            tracing::warn!("another process has been writing the event log for too long");
            return StoreError::Busy;
        }
        let what = if of_log { "event log" } else { "index of events" };
        tracing::error!(error = &error as &dyn std::error::Error, "the {what} cannot be written");
        let sentence = format!("the {what} cannot be written: {}", chain(&error)).into();
        if code == Some(ErrorCode::DiskFull) {
            // SQLite has left the file unchanged, so it can stay open.
            return StoreError::Unavailable(UnavailableReason::DiskFull, sentence);
        }
        if of_log {
            self.close_active();
            return StoreError::Unavailable(UnavailableReason::Io, sentence);
        }
        if let Some(open) = &mut self.active {
            open.index = None;
        }
        StoreError::Unavailable(UnavailableReason::Behind, sentence)
    }

    /// Rolls the active file when it exceeds the limits, unless another process has it open.
    fn roll_if_due(&mut self) {
        let due = RollLimits { bytes: self.options.roll_bytes, span_us: self.options.roll_us };
        let Some(open) = &self.active else { return };
        if !open.active.is_due(due) || self.roll_after.is_some_and(|after| Clock::now() < after) {
            return;
        }
        self.roll(due);
    }

    /// Rolls the active file whatever its size. False when it has no block, other processes
    /// have it open, or it cannot be opened at present.
    fn roll_now(&mut self) -> Result<bool> {
        let before = files::closed(&self.dir)?.last().map_or(0, |file| file.last);
        // The state is published with the next batch.
        if self.ready().is_err() {
            return Ok(false);
        }
        self.roll(RollLimits::NONE);
        Ok(files::closed(&self.dir)?.last().map_or(0, |file| file.last) > before)
    }

    /// Replaces a closed file by a copy, unless retention has deleted it or is about to.
    fn replace(&mut self, replacement: &Replacement) -> Result<bool> {
        let Replacement { file, copy } = replacement;
        let failed = |error| Error::file("replace", &file.path, error);
        let Some(open) = &self.active else {
            return Err(Error::unfit(&self.dir.join(ACTIVE), "it cannot be written at present"));
        };
        // Retention first records its deletions in the active file. While this holds the
        // write lock, retention cannot begin, so this cannot bring a deleted file back.
        let conn = &open.active.conn;
        step(conn, "BEGIN IMMEDIATE").map_err(failed)?;
        let replaced = files::pruned(conn).map_err(failed).and_then(|pruned| {
            if pruned >= file.last || !files::exists(&file.path)? {
                return Ok(false);
            }
            files::rename(&self.dir, copy, &file.path)?;
            Ok(true)
        });
        step(conn, "ROLLBACK").map_err(failed)?;
        if let Ok(true) = replaced {
            failpoints::hit(&self.dir, "rewrite: replaced").map_err(failed)?;
        }
        replaced
    }

    fn roll(&mut self, due: RollLimits) {
        let Some(OpenFiles { active, index, .. }) = self.active.take() else { return };
        match files::roll(&self.dir, &self.lock, active, due) {
            Ok(true) => self.roll_after = None,
            Ok(false) => self.roll_after = Some(Clock::now() + ROLL_RETRY_INTERVAL),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the event log could not be rolled");
                self.roll_after = Some(Clock::now() + ROLL_RETRY_INTERVAL);
                // An exclusive lock that is still held would block all other processes.
                self.close_active();
            }
        }
        match self.open_active() {
            Ok(()) => {
                if let Some(open) = &mut self.active {
                    open.index = index;
                }
                let checked = self.check_acknowledged();
                self.publish_state(&checked);
                self.lengthen_wal();
            }
            // The next group tries again and fails with the reason.
            Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "the event log cannot be opened"),
        }
    }

    /// Deletes closed files; see [`Log::prune`](super::Log::prune).
    fn prune(&mut self, prune: PruneRequest) -> Result<PruneReport> {
        let (old, stopped_at) = self.old_files(prune)?;
        let mut pruned = PruneReport::default();
        let bytes = old.iter().map(|file| file_bytes(&file.path)).sum();
        if old.is_empty() {
            pruned.held = stopped_at;
        } else if !prune.force {
            pruned.held = self.looks_wrong(prune.before, bytes)?;
        }
        if old.is_empty() || pruned.held.is_some() {
            return Ok(pruned);
        }
        // Recorded before the files are deleted, so that pruned blocks never look lost.
        let Some(open) = &self.active else {
            let problem = "it cannot be written, so the deletion could not be recorded in it";
            return Err(Error::unfit(&self.dir.join(ACTIVE), problem));
        };
        open.active.note_pruned(&self.dir, old.iter().map(|file| file.last).max().unwrap_or(0))?;
        for closed in old {
            pruned.bytes += file_bytes(&closed.path);
            files::remove(&closed.path)?;
            pruned.files += 1;
            pruned.blocks += closed.first.abs_diff(closed.last) + 1;
        }
        files::sync_dir(&self.dir)?;
        Ok(pruned)
    }

    /// The closed files to delete, oldest first, and why the next file is kept, if its
    /// events are old enough too.
    fn old_files(&self, prune: PruneRequest) -> Result<(Vec<files::Closed>, Option<PruneRefusal>)> {
        let PruneRequest { before, force } = prune;
        let (mut old, mut damaged) = (Vec::new(), Vec::new());
        for closed in files::closed(&self.dir)? {
            let written = written_at(&closed.path).filter(|written| !force && *written >= before);
            match (files::newest(&closed.path)?, written) {
                (Some(newest), Some(written)) if newest < before.us() => {
                    let held = PruneRefusal::WrittenSince { first: closed.first, last: closed.last, written, before };
                    return Ok((old, Some(held)));
                }
                (Some(newest), None) if newest < before.us() => {
                    old.append(&mut damaged);
                    old.push(closed);
                }
                // The time of a damaged file is unknown. It is deleted together with the
                // next file, which is newer.
                (None, None) => damaged.push(closed),
                (Some(_), _) | (None, Some(_)) => break,
            }
        }
        Ok((old, None))
    }

    /// Checks whether the clock may be wrong. `Some` is the reason not to delete files with
    /// `bytes` in total as older than `before`.
    fn looks_wrong(&self, before: Instant, bytes: u64) -> Result<Option<PruneRefusal>> {
        let mut newest = None;
        let mut total = file_bytes(&self.dir.join(ACTIVE));
        for closed in files::closed(&self.dir)? {
            newest = files::newest(&closed.path)?.max(newest);
            total += file_bytes(&closed.path);
        }
        // An active file that is not open does not count as new.
        if let Some(open) = &self.active {
            newest = files::newest_of(&open.active.conn)
                .map_err(|error| Error::file("read", &self.dir.join(ACTIVE), error))?
                .max(newest);
        }
        Ok(match newest.map(Instant::from_us) {
            Some(newest) if newest < before => Some(PruneRefusal::NewestIsOld { newest, before }),
            _ if bytes > total / 10 => Some(PruneRefusal::TooMuch { bytes, total, before }),
            _ => None,
        })
    }
}

fn file_bytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// The modification time of a file; `None` if it cannot be read.
fn written_at(path: &Path) -> Option<Instant> {
    let modified = fs::metadata(path).and_then(|file| file.modified()).ok()?;
    let since_1970 = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Instant::from_us(i64::try_from(since_1970.as_micros()).ok()?))
}

/// Why an attempt to store a group failed.
enum AttemptError {
    Log(rusqlite::Error),
    Index(IndexError),
}

impl From<rusqlite::Error> for AttemptError {
    fn from(error: rusqlite::Error) -> AttemptError {
        AttemptError::Log(error)
    }
}

impl From<IndexError> for AttemptError {
    fn from(fault: IndexError) -> AttemptError {
        AttemptError::Index(fault)
    }
}

/// Collects the new events of a group for one block.
#[derive(Default)]
struct BlockBuilder {
    runs: Vec<Run>,
    ids: Vec<u8>,
    lines: Vec<u8>,
}

impl BlockBuilder {
    /// Adds the new events of a batch. Returns one outcome per event, in order.
    fn add(&mut self, batch: &Batch, seen: &mut index::Group<'_>) -> Result<Vec<AppendOutcome>, IndexError> {
        let project = project_hash(&batch.project_key);
        let mut answer = Vec::with_capacity(batch.events.len());
        // Lines of consecutive new events are copied together: `from..to`.
        let (mut from, mut to, mut new) = (0, 0, 0);
        for entry in &batch.events {
            if seen.add(project, entry.id.as_bytes(), entry.scope)? {
                self.ids.extend_from_slice(entry.id.as_bytes());
                answer.push(AppendOutcome::Stored);
                new += 1;
            } else {
                self.lines.extend_from_slice(&batch.lines[from..to]);
                answer.push(AppendOutcome::Repeated);
                from = entry.end;
            }
            to = entry.end;
        }
        self.lines.extend_from_slice(&batch.lines[from..to]);
        match self.runs.last_mut() {
            _ if new == 0 => {}
            Some(run) if run.project_key == batch.project_key => run.events += new,
            _ => self.runs.push(Run { project_key: batch.project_key.clone(), events: new }),
        }
        Ok(answer)
    }

    fn block(self, tip: Tip, received_at: i64, packer: &mut Packer) -> rusqlite::Result<Raw> {
        let unfit = |error: &str| rusqlite::Error::ToSqlConversionFailure(error.into());
        let mut raw = Raw {
            seq: tip.seq.checked_add(1).ok_or_else(|| unfit("no block numbers are left"))?,
            received_at,
            events: self.runs.iter().map(|run| i64::from(run.events)).sum(),
            hash: Default::default(),
            runs: write_runs(&self.runs),
            ids: self.ids,
            body: packer.pack(&self.lines).map_err(|error| unfit(&error.to_string()))?,
            rewrites: Vec::new(),
        };
        raw.hash = raw.chained(&tip.hash);
        Ok(raw)
    }
}
