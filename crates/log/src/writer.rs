//! The one thread that writes: it takes whatever batches wait, stores them with
//! one commit, and answers them after it.

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

use super::error::{Error, Result, chain};
use super::files::{self, ACTIVE, Active, RollLimits, WAL_BYTES};
use super::format::{Packer, Raw, Run, Tip, write_runs};
use super::index::{self, Index, IndexError, project_hash};
use super::{
    AppendError, AppendOutcome, Batch, DiskSpace, Durability, LogOptions, LogState, PruneRefusal, PruneReport,
    PruneRequest, Shared, UnavailableReason, failpoints,
};

/// Batches that share one commit.
const MAX_GROUP_BATCHES: usize = 1024;
/// Bytes of lines after which a block takes no more batches.
const MAX_BLOCK_BYTES: usize = 8 << 20;
/// A block tells one time for all its batches.
const MAX_BLOCK_SPAN_US: u64 = 1_000_000;
/// How often an idle writer looks at the disk, and whether it can write again.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long until a roll that others were in the way of is tried again.
const ROLL_RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(super) enum Message {
    Append(Pending),
    Prune(PruneRequest, oneshot::Sender<Result<PruneReport>>),
    Close(oneshot::Sender<Result<()>>),
}

/// A batch in the queue.
pub(super) struct Pending {
    pub(super) batch: Batch,
    pub(super) reply: oneshot::Sender<Result<Vec<AppendOutcome>, AppendError>>,
    pub(super) _permit: OwnedSemaphorePermit,
}

/// Why a group was not stored.
enum StoreError {
    /// Another process is writing and has not finished for seconds.
    Busy,
    Unavailable(UnavailableReason, Arc<str>),
}

pub(super) struct Writer {
    dir: PathBuf,
    options: LogOptions,
    shared: Arc<Shared>,
    lock: File,
    /// `None` after a failure, until it is opened again.
    active: Option<OpenFiles>,
    /// The last block that was answered for. It must not disappear.
    acknowledged: Option<Tip>,
    /// Why nothing is taken until a restart.
    lost: Option<Arc<str>>,
    packer: Packer,
    /// Not before this a roll is tried.
    roll_after: Option<Clock>,
}

/// The active file and what belongs to it while it is open.
struct OpenFiles {
    active: Active,
    /// Tells whether the name still means this file.
    identity: Option<(u64, u64)>,
    /// `None` after a failure, until it is opened again.
    index: Option<Index>,
}

/// What a name stands for, without opening it: to close a file again would end
/// the locks SQLite holds on it.
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
    /// Opens the log, or makes it.
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
            // Whoever wrote it last may have died before the flush, and repeats of
            // what is found are answered for.
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
                "the last block of the event log is damaged; new blocks are chained to the hash it has"
            );
        }
        self.shared.set_last(tip.seq);
        self.active = Some(OpenFiles { active, identity: identity(&path), index: None });
        Ok(())
    }

    /// Runs until asked to close, and answers who asked, or until every handle is
    /// gone.
    pub(super) fn serve(&mut self, queue: &Receiver<Message>) -> Option<oneshot::Sender<Result<()>>> {
        let mut waiting: VecDeque<Pending> = VecDeque::new();
        // What is not a batch has its turn after those before it, and before any
        // more are taken from the queue.
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
                Some(Message::Close(reply)) => return Some(reply),
                Some(Message::Append(_)) | None => {}
            }
        }
    }

    /// Moves everything to its file and lets go of it.
    pub(super) fn close(&mut self) -> Result<()> {
        let Some(OpenFiles { active, index, .. }) = self.active.take() else { return Ok(()) };
        drop(index);
        let closed = active.close(&self.dir);
        files::unlock(&self.dir, &self.lock)?;
        closed
    }

    /// What an idle writer does now and then, and a new one first: it looks whether
    /// batches can be stored, so that everybody knows before the next one comes.
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

    /// Lets everybody know whether batches are taken.
    fn publish_state(&self, outcome: &Result<(), StoreError>) {
        match outcome {
            Ok(()) => self.shared.set_state(LogState::Accepting),
            // Passes by itself.
            Err(StoreError::Busy) => {}
            Err(StoreError::Unavailable(reason, sentence)) => {
                self.shared.set_state(LogState::Unavailable { reason: *reason, sentence: sentence.clone() });
            }
        }
    }

    /// Stores as many of `waiting` as go into one block, and answers them.
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
        // Makes one run of each project. The order within a project stays.
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

    /// Makes sure there is space, and a file to write to.
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

    /// Makes commits faster, where there is space for it.
    fn lengthen_wal(&self) {
        let most = WAL_BYTES.min(self.options.roll_bytes / 16);
        let (Some(OpenFiles { active, .. }), Ok((free, reserve))) = (&self.active, self.space()) else { return };
        if self.options.durability != Durability::Full || free < reserve.saturating_add(4 * most) {
            return;
        }
        if let Err(error) = active.lengthen_wal(&self.dir, most) {
            tracing::debug!(error = &error as &dyn std::error::Error, "commits to the event log stay slower");
        }
    }

    /// Bytes that are free on the volume, and that are to stay so.
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
        let sentence = format!("the volume of the event log has {free} bytes free, {reserve} are kept in reserve");
        Err(StoreError::Unavailable(UnavailableReason::DiskFull, sentence.into()))
    }

    /// Opens the active file after a failure, when what it has is trusted no
    /// further than it can be read again.
    fn open_again(&mut self) -> Result<(), StoreError> {
        let failed = |error: &Error| {
            let sentence = format!("the event log cannot be opened: {}", chain(error));
            StoreError::Unavailable(UnavailableReason::Io, sentence.into())
        };
        let opened = failpoints::hit(&self.dir, "opening").map_err(|error| Error::file("open", &self.dir, error));
        opened.and_then(|()| self.open_active()).map_err(|error| failed(&error))?;
        let Some(open) = &self.active else { return Ok(()) };
        // After a flush failed, the system may take pages for written that are not.
        // So what the write-ahead log holds is written once more, elsewhere and
        // flushed, before anything relies on it.
        let moved = failpoints::hit(&self.dir, "opened").and_then(|()| files::checkpoint(&open.active.conn));
        match moved {
            Ok(true) => {}
            other => {
                self.close_active();
                let sentence = match other {
                    Err(error) => format!("the event log cannot be flushed: {}", chain(&error)),
                    _ => "the event log waits for its readers to flush it".to_owned(),
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
            format!("block {} of the event log was acknowledged and is gone; restart after looking why", tip.seq)
                .into();
        tracing::error!(seq = tip.seq, "an acknowledged block of the event log is gone");
        self.lost = Some(sentence.clone());
        self.close_active();
        Err(StoreError::Unavailable(UnavailableReason::Io, sentence))
    }

    /// Closes the active file as it is.
    fn close_active(&mut self) {
        self.active = None;
        if let Err(error) = files::unlock(&self.dir, &self.lock) {
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot unlock the event log");
        }
    }

    /// Stores the group, answers it and empties it; or leaves it as it is, with
    /// nothing of it stored or answered. Without batches it only makes sure of the
    /// index.
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
                    tracing::warn!(problem, "the index of events is made anew");
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
        // Others may have written since.
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
            let mut insert = conn.prepare_cached("INSERT INTO block VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            insert.execute((raw.seq, raw.received_at, raw.events, raw.hash, &raw.runs, &raw.ids, &raw.body))?;
            failpoints::hit(dir, "commit")?;
            step(conn, "COMMIT")?;
            failpoints::hit(dir, "committed")?;
            stored = Tip { seq: raw.seq, hash: raw.hash };
            self.acknowledged = Some(stored);
        }
        self.shared.set_last(stored.seq);
        self.shared.set_state(LogState::Accepting);
        for (pending, answer) in group.drain(..).zip(answers) {
            // Nobody listening any more changes nothing.
            let _ = pending.reply.send(Ok(answer));
        }

        // The index comes after the answers: they are true without it, and what it
        // misses is read from the log before the next group.
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

    /// Says why nothing was stored, and lets go of what has failed.
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
            tracing::warn!("another process writes the event log for too long");
            return StoreError::Busy;
        }
        let what = if of_log { "event log" } else { "index of events" };
        tracing::error!(error = &error as &dyn std::error::Error, "the {what} cannot be written");
        let sentence = format!("the {what} cannot be written: {}", chain(&error)).into();
        if code == Some(ErrorCode::DiskFull) {
            // The file is as it was before.
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

    /// Begins a new file when the active one is large, unless others have it open.
    fn roll_if_due(&mut self) {
        let due = RollLimits { bytes: self.options.roll_bytes, span_us: self.options.roll_us };
        let Some(open) = &self.active else { return };
        if !open.active.is_due(due) || self.roll_after.is_some_and(|after| Clock::now() < after) {
            return;
        }
        let Some(OpenFiles { active, index, .. }) = self.active.take() else { return };
        match files::roll(&self.dir, &self.lock, active, due) {
            Ok(true) => self.roll_after = None,
            Ok(false) => self.roll_after = Some(Clock::now() + ROLL_RETRY_INTERVAL),
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the event log could not be rolled");
                self.roll_after = Some(Clock::now() + ROLL_RETRY_INTERVAL);
                // A lock that is still held alone would keep everybody out.
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
            // The next group opens it or is told why not.
            Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "the event log cannot be opened"),
        }
    }

    /// Deletes closed files, as [`Log::prune`](super::Log::prune) says.
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
        // Before they are gone, so that they are never taken for lost.
        let Some(open) = &self.active else {
            let problem = "it cannot be written, so what is deleted could not be noted in it";
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

    /// The closed files that are old enough, from the oldest on; and why the next one stays
    /// whose events are old enough as well, if there is one.
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
                // It goes with the next one, which is not older.
                (None, None) => damaged.push(closed),
                (Some(_), _) | (None, Some(_)) => break,
            }
        }
        Ok((old, None))
    }

    /// Why files of this size are not to be deleted as older than `before`, if it
    /// looks as if the clock that says so is wrong.
    fn looks_wrong(&self, before: Instant, bytes: u64) -> Result<Option<PruneRefusal>> {
        let mut newest = None;
        let mut total = file_bytes(&self.dir.join(ACTIVE));
        for closed in files::closed(&self.dir)? {
            newest = files::newest(&closed.path)?.max(newest);
            total += file_bytes(&closed.path);
        }
        // Of a file that cannot be opened at present nothing is known, so it is not new.
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

/// When the file system says that the file was last written to, if it does.
fn written_at(path: &Path) -> Option<Instant> {
    let modified = fs::metadata(path).and_then(|file| file.modified()).ok()?;
    let since_1970 = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Instant::from_us(i64::try_from(since_1970.as_micros()).ok()?))
}

/// Why an attempt came to nothing.
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

/// A block in the making.
#[derive(Default)]
struct BlockBuilder {
    runs: Vec<Run>,
    ids: Vec<u8>,
    lines: Vec<u8>,
}

impl BlockBuilder {
    /// Takes the new events of a batch, and tells of each whether it is.
    fn add(&mut self, batch: &Batch, seen: &mut index::Group<'_>) -> Result<Vec<AppendOutcome>, IndexError> {
        let project = project_hash(&batch.project_key);
        let mut answer = Vec::with_capacity(batch.events.len());
        // What is new is copied in long pieces, from `from` to the next repeat.
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
            seq: tip.seq.checked_add(1).ok_or_else(|| unfit("the numbers of blocks are used up"))?,
            received_at,
            events: self.runs.iter().map(|run| i64::from(run.events)).sum(),
            hash: Default::default(),
            runs: write_runs(&self.runs),
            ids: self.ids,
            body: packer.pack(&self.lines).map_err(|error| unfit(&error.to_string()))?,
        };
        raw.hash = raw.chained(&tip.hash);
        Ok(raw)
    }
}
