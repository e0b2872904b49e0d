//! Loads the log into a warehouse: each block exactly once, also after interruptions.
//!
//! The rows of a load and the position in the log up to which they go are stored in one
//! transaction. So a loader continues after a crash where the rows end, and there is nothing
//! to repair.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant as Clock};

use tokio::sync::watch;

use super::row::Rows;
use super::{Error, LoadTarget, Mark, Result, WarehouseWriter, lock};
use muriel_log::Record;
use muriel_log::{Block, Blocks, DamagedBlocks, Event, LogId, LogPosition, LogReader, Position, ReadError};

/// Time between two loads when nobody asks for a report.
const LOAD_INTERVAL: Duration = Duration::from_millis(500);
/// Shortest time between two loads, however often reports are asked for: events that come
/// meanwhile are loaded together.
const MIN_LOAD_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum rows of one transaction, and maximum bytes of these rows in memory.
const MAX_BATCH: (usize, usize) = (50_000, 64 << 20);
/// Delay before a failed load is tried again: the first, and the longest after doubling.
const RETRY_BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// Time between two checks for blocks that retention has deleted from the log.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60);
/// Delay before a rebuild that failed is begun again.
const REBUILD_RETRY_DELAY: Duration = Duration::from_secs(30);
/// Maximum number of damaged block ranges that are counted.
const MAX_DAMAGED_PLACES: usize = 10_000;
/// Maximum number of projects whose last block with events is kept in memory.
const MAX_TOUCHED_PROJECTS: usize = 50_000;

/// A thread that loads new blocks of one log into a warehouse.
pub struct Loader {
    /// The directory of the log.
    log: PathBuf,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the thread: a caller waits for a position, or the loader stops.
    nudged: Condvar,
    /// Notifies callers that wait for a position.
    moved: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    /// The log and the position up to which it is loaded; `None` until the warehouse's rows
    /// are known to be of this log.
    loaded: Option<LogPosition>,
    damaged: u64,
    progress: Option<LoadProgress>,
    generation: u64,
    touched: HashMap<Arc<str>, Position>,
    /// Upper bound of the last block with events of a project that is not in `touched`.
    floor: Position,
    is_nudged: bool,
    is_stopping: bool,
}

/// How far loading has come when there is a backlog. Rows for events after `position` are
/// missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// The last block that is loaded.
    pub position: Position,
    /// The last block of the log when loading began.
    pub target: Position,
}

impl Loader {
    /// Starts to load the log in the directory `log` into `warehouse`.
    ///
    /// If the warehouse has rows of another log, or of blocks that the log does not have, it
    /// is emptied before this returns. Whenever the file `request` exists (see
    /// [`request_rebuild`]), the loader builds a second warehouse and replaces the first.
    ///
    /// # Errors
    /// [`Error::File`] when the thread cannot be started. Other errors are logged and retried.
    pub fn start(log: &Path, warehouse: Arc<dyn WarehouseWriter>, request: Option<&Path>) -> Result<Loader> {
        let mut load = Load { request: request.map(Path::to_owned), ..Load::new(log, warehouse) };
        // What fails now is tried again by the thread, and logged then.
        load.main.walk = load.begin_walk().ok();
        let marks = load.warehouse.marks();
        let floor = marks.values().map(|mark| mark.position).max().unwrap_or_default();
        let state = State { floor, ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state), ..Shared::default() });
        shared.tell(&mut load);
        let its = shared.clone();
        let thread = thread::Builder::new().name("muriel-loader".to_owned()).spawn(move || its.run(load));
        let thread = thread.map_err(|error| Error::file("start a thread for", log, error))?;
        Ok(Loader { log: log.to_owned(), shared, thread: Mutex::new(Some(thread)) })
    }

    /// The last block of the log, including blocks of other processes: every event that was
    /// acknowledged before this call is at or before it. Blocks, because it reads the file.
    ///
    /// # Errors
    /// When there is no log, or its newest file cannot be read.
    pub fn head(&self) -> Result<LogPosition> {
        let reader = LogReader::open(&self.log)?;
        let known = lock(&self.shared.state).loaded.map(|loaded| loaded.log);
        match known {
            Some(log) => Ok(LogPosition { log, position: reader.last()? }),
            None => {
                let extent = reader.extent()?;
                Ok(LogPosition { log: extent.log, position: Position { seq: extent.last } })
            }
        }
    }

    /// The log and the position up to which it is loaded; `None` until the warehouse's rows
    /// are known to be of this log.
    pub fn loaded(&self) -> Option<LogPosition> {
        lock(&self.shared.state).loaded
    }

    /// The position up to which the log is loaded; the beginning until the warehouse's rows
    /// are known to be of this log.
    pub fn position(&self) -> Position {
        self.loaded().map_or(Position::default(), |loaded| loaded.position)
    }

    /// A position after which no event of this project has been loaded. An answer about the
    /// project from the same [`Loader::generation`], given at this position or later, is
    /// still valid.
    pub fn touched(&self, project_key: &str) -> Position {
        let state = lock(&self.shared.state);
        state.touched.get(project_key).copied().unwrap_or(state.floor)
    }

    /// Number of times that rows were removed, by a rebuild or by retention. Answers from an
    /// earlier generation are not valid.
    pub fn generation(&self) -> u64 {
        lock(&self.shared.state).generation
    }

    /// Progress while there is a backlog, after a start or after the warehouse was emptied;
    /// `None` otherwise.
    pub fn progress(&self) -> Option<LoadProgress> {
        lock(&self.shared.state).progress
    }

    /// Number of damaged or missing block ranges whose events the warehouse lacks. The
    /// warehouse stores them, so the number survives a restart.
    pub fn damaged(&self) -> u64 {
        lock(&self.shared.state).damaged
    }

    /// Loads at once and waits until the log is loaded up to `position`. False when the
    /// loader is stopped before.
    pub async fn wait_for(&self, position: Position) -> bool {
        let mut moved = self.shared.moved.subscribe();
        loop {
            {
                let mut state = lock(&self.shared.state);
                if state.loaded.map_or(Position::default(), |loaded| loaded.position) >= position {
                    return true;
                }
                if state.is_stopping {
                    return false;
                }
                state.is_nudged = true;
            }
            self.shared.nudged.notify_one();
            if moved.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Stops the thread after its current transaction, and waits for it.
    pub fn stop(&self) {
        lock(&self.shared.state).is_stopping = true;
        self.shared.nudged.notify_all();
        self.shared.moved.send_replace(());
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            // The thread has logged its errors.
            let _ = thread.join();
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn run(&self, mut load: Load) {
        let (mut pause, mut said) = (RETRY_BACKOFF.0, String::new());
        loop {
            let began = Clock::now();
            let stepped = load.step();
            self.tell(&mut load);
            match stepped {
                Ok(More(more)) => {
                    if !said.is_empty() {
                        tracing::info!("the warehouse is loaded again");
                    }
                    (pause, said) = (RETRY_BACKOFF.0, String::new());
                    if !self.wait(
                        |state| more || state.is_nudged && began.elapsed() >= MIN_LOAD_INTERVAL,
                        began,
                        LOAD_INTERVAL,
                    ) {
                        break;
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    if said != text {
                        let error = &error as &dyn std::error::Error;
                        tracing::warn!(error, "the warehouse cannot be loaded, it is tried again");
                        said = text;
                    }
                    if !self.wait(|_| false, Clock::now(), pause) {
                        break;
                    }
                    pause = (2 * pause).min(RETRY_BACKOFF.1);
                }
            }
        }
    }

    /// Waits until `due` returns true or `most` has passed since `since`. False when the loader
    /// is stopping.
    fn wait(&self, due: impl Fn(&State) -> bool, since: Clock, most: Duration) -> bool {
        let mut state = lock(&self.state);
        loop {
            if state.is_stopping {
                return false;
            }
            let left = most.saturating_sub(since.elapsed());
            if left.is_zero() || due(&state) {
                state.is_nudged = false;
                return true;
            }
            let left = if state.is_nudged { left.min(MIN_LOAD_INTERVAL) } else { left };
            state = self.nudged.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn tell(&self, load: &mut Load) {
        let mut state = lock(&self.state);
        if let Some(log) = load.log_id {
            let position = load.stored_mark(log).position;
            state.loaded = Some(LogPosition { log, position });
        }
        state.progress = load.progress();
        state.generation = load.generation;
        state.damaged = load.damaged.len() as u64;
        // After a rebuild, early blocks are loaded again; keep the later position.
        for (project, position) in load.touched.drain() {
            let last = state.touched.entry(project).or_default();
            *last = position.max(*last);
        }
        if state.touched.len() > MAX_TOUCHED_PROJECTS {
            let last = mem::take(&mut state.touched).into_values().max();
            state.floor = state.floor.max(last.unwrap_or_default());
        }
        drop(state);
        self.moved.send_replace(());
    }
}

/// Whether there is more to load at once.
#[derive(Debug, PartialEq, Eq)]
struct More(bool);

/// The state of the loader thread.
struct Load {
    log: PathBuf,
    warehouse: Arc<dyn WarehouseWriter>,
    /// The file whose presence asks for a rebuild.
    request: Option<PathBuf>,
    /// The warehouse that answers.
    main: Track,
    /// The warehouse that is being built during a rebuild.
    beside: Option<Track>,
    /// Whether the answering warehouse could not be loaded and is left as it is until the
    /// rebuild replaces it.
    is_main_left: bool,
    /// Earliest time at which a failed rebuild is begun again.
    rebuild_after: Option<Clock>,
    /// The id of the log, once the rows of the warehouse are known to be of it.
    log_id: Option<LogId>,
    generation: u64,
    touched: HashMap<Arc<str>, Position>,
    /// First blocks of damaged ranges. A set, because a rebuild finds the same ranges again.
    damaged: HashSet<i64>,
    rows: Rows,
    /// As [`MAX_BATCH`].
    batch: (usize, usize),
    /// When the loader last checked for blocks that retention has deleted.
    pruned: Option<Clock>,
    /// The first block that retention had kept at that check.
    oldest: Option<i64>,
}

/// An iterator over the log, and how far one warehouse is loaded from it.
#[derive(Default)]
struct Track {
    /// The id of the log and the iterator; `None` when iteration must be restarted.
    walk: Option<(LogId, Blocks)>,
    /// How far the warehouse is loaded.
    mark: Mark,
    /// The end of the log when the iteration began; 0 once it was reached.
    target: Position,
}

impl Track {
    fn progress(&self) -> Option<LoadProgress> {
        let (position, target) = (self.mark.position, self.target);
        (position < target).then_some(LoadProgress { position, target })
    }
}

impl Load {
    fn new(log: &Path, warehouse: Arc<dyn WarehouseWriter>) -> Load {
        Load {
            log: log.to_owned(),
            main: Track::default(),
            warehouse,
            request: None,
            beside: None,
            is_main_left: false,
            rebuild_after: None,
            log_id: None,
            generation: 0,
            damaged: HashSet::new(),
            touched: HashMap::new(),
            rows: Rows::default(),
            batch: MAX_BATCH,
            pruned: None,
            oldest: None,
        }
    }

    fn progress(&self) -> Option<LoadProgress> {
        self.main.progress()
    }

    /// How far a log is loaded into the warehouse.
    fn stored_mark(&self, log: LogId) -> Mark {
        self.warehouse.marks().get(&log).copied().unwrap_or_default()
    }

    /// Loads one transaction, and during a rebuild one into the new warehouse too. After an
    /// error the next step restarts from the stored mark.
    fn step(&mut self) -> Result<More> {
        let main = if self.is_main_left { Ok(false) } else { self.step_main() };
        if main.is_err() {
            self.main.walk = None;
            self.rows.clear();
        }
        if self.beside.is_none() && !self.is_rebuild_due() {
            return main.map(More);
        }
        let is_at_end = match &main {
            Ok(more) => !more,
            Err(error) => {
                let error = error as &dyn std::error::Error;
                tracing::warn!(error, "the warehouse cannot be loaded; the one that is made beside it replaces it");
                self.is_main_left = true;
                true
            }
        };
        match self.step_beside(is_at_end) {
            Ok(more) => Ok(More(more || !is_at_end)),
            // A failed rebuild does not stop loading of the answering warehouse.
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "the warehouse could not be made again, it is tried again");
                self.rebuild_after = Some(Clock::now() + REBUILD_RETRY_DELAY);
                Ok(More(!is_at_end))
            }
        }
    }

    fn is_rebuild_due(&self) -> bool {
        self.rebuild_after.is_none_or(|after| Clock::now() >= after)
            && self.request.as_deref().is_some_and(Path::exists)
    }

    /// Loads one transaction into the answering warehouse. Returns whether there is more.
    fn step_main(&mut self) -> Result<bool> {
        if self.warehouse.is_damaged() {
            // Reopening it would abort the rebuild, which repairs it as well.
            if self.beside.is_some() {
                return Err(Error::Damaged(None));
            }
            self.main.walk = None;
        }
        let (log, mut walk) = match self.main.walk.take() {
            Some(walk) => walk,
            None => {
                let generation = self.generation;
                let walk = self.begin_walk()?;
                if self.generation != generation {
                    // Publish the new generation before rows are added.
                    self.main.walk = Some(walk);
                    return Ok(true);
                }
                walk
            }
        };
        let (mark, more) = self.read(&mut walk, self.main.mark, true)?;
        if mark != self.main.mark {
            self.rows.sort();
            self.warehouse.load(LoadTarget::Answering, log, &self.rows, mark)?;
            self.rows.clear();
            self.main.mark = mark;
        }
        self.main.walk = Some((log, walk));
        if !more {
            self.main.target = Position::default();
            if self.pruned.is_none_or(|pruned| pruned.elapsed() >= PRUNE_INTERVAL) {
                self.prune()?;
                self.pruned = Some(Clock::now());
            }
        }
        Ok(more)
    }

    /// Loads one transaction into the warehouse of the rebuild, which it begins if needed, and
    /// replaces the answering one when both are at the end of the log. Returns whether there
    /// is more. An error aborts the rebuild.
    fn step_beside(&mut self, is_main_at_end: bool) -> Result<bool> {
        let stepped = self.try_step_beside(is_main_at_end);
        if stepped.is_err() {
            self.beside = None;
            self.rows.clear();
            self.is_main_left = false;
            self.warehouse.abandon_rebuild();
        }
        stepped
    }

    fn try_step_beside(&mut self, is_main_at_end: bool) -> Result<bool> {
        let mut track = match self.beside.take() {
            Some(track) => track,
            None => {
                self.warehouse.begin_rebuild()?;
                tracing::info!("the warehouse is made again from the log, as was asked for");
                Track::default()
            }
        };
        let (log, mut walk) = match track.walk.take() {
            Some(walk) => walk,
            None => {
                let reader = LogReader::open(&self.log)?;
                let extent = reader.extent()?;
                track.target = Position { seq: extent.last };
                (extent.log, reader.blocks(track.mark.position)?)
            }
        };
        let (mark, more) = self.read(&mut walk, track.mark, false)?;
        if mark != track.mark {
            self.rows.sort();
            self.warehouse.load(LoadTarget::Rebuild, log, &self.rows, mark)?;
            self.rows.clear();
            track.mark = mark;
        }
        track.walk = Some((log, walk));
        if more || !is_main_at_end {
            self.beside = Some(track);
            return Ok(more);
        }
        // It was read to the end after the answering one, so no answer gets older.
        self.warehouse.finish_rebuild()?;
        tracing::info!(blocks = mark.position.seq, "the warehouse has been made again");
        self.main = Track { target: Position::default(), ..track };
        self.is_main_left = false;
        self.log_id = Some(log);
        self.rows_went();
        self.recall_damage(log);
        if let Some(request) = &self.request {
            match fs::remove_file(request) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::file("remove", request, error));
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// Opens the log after the stored mark; empties the warehouse first if its rows are not of
    /// this log.
    fn begin_walk(&mut self) -> Result<(LogId, Blocks)> {
        let reader = LogReader::open(&self.log)?;
        let extent = reader.extent()?;
        if self.warehouse.is_damaged() {
            tracing::warn!("the warehouse failed, it is opened anew");
            self.warehouse.recover()?;
            self.rows_went();
        }
        let marks = self.warehouse.marks();
        let mark = marks.get(&extent.log).copied().unwrap_or_default();
        let stored = reader.hash_at(mark.position)?;
        let problem = if marks.keys().any(|log| *log != extent.log) {
            Some("it has events of another log")
        } else if mark.position.seq > extent.last {
            Some("it has events that the log does not have")
        } else if mark.hash.is_some() && stored.is_some() && mark.hash != stored {
            Some("it has other events than the log")
        } else {
            None
        };
        if let Some(problem) = problem {
            tracing::warn!(
                problem,
                blocks = extent.last,
                "the warehouse cannot be used, it is made again from the log"
            );
            self.warehouse.reset()?;
            self.rows_went();
        }
        self.main.mark = self.stored_mark(extent.log);
        self.recall_damage(extent.log);
        self.log_id = Some(extent.log);
        self.main.target = Position { seq: extent.last };
        Ok((extent.log, reader.blocks(self.main.mark.position)?))
    }

    /// Reads the damaged ranges from the warehouse.
    fn recall_damage(&mut self, log: LogId) {
        match self.warehouse.damaged_blocks(log, MAX_DAMAGED_PLACES) {
            Ok(blocks) => self.damaged = blocks.into_iter().collect(),
            // Keep the ranges found since the start.
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "which blocks are damaged cannot be read from the warehouse");
            }
        }
    }

    /// Starts a new generation: earlier answers are no longer valid.
    fn rows_went(&mut self) {
        self.generation += 1;
        self.oldest = None;
    }

    /// Converts blocks after `mark` to rows until there are enough for a transaction. Returns
    /// the new mark, and whether there may be more.
    fn read(&mut self, walk: &mut Blocks, mut mark: Mark, is_main: bool) -> Result<(Mark, bool)> {
        while self.rows.len() < self.batch.0 && self.rows.bytes() < self.batch.1 {
            match walk.next() {
                None => {
                    // Retention may have deleted the last blocks; the next load begins after
                    // them.
                    let (position, hash) = walk.passed();
                    let end = Mark { position, hash };
                    return Ok((if end.position > mark.position { end } else { mark }, false));
                }
                Some(Ok(block)) => {
                    add(&mut self.rows, &block, block.events());
                    let position = Position { seq: block.seq };
                    mark = Mark { position, hash: Some(block.hash) };
                    // A rebuild does not track projects: finishing it invalidates all answers.
                    if is_main {
                        for run in block.runs {
                            self.touched.insert(run.project_key, position);
                        }
                    }
                }
                Some(Err(ReadError::Damage(damage))) => {
                    tracing::warn!(%damage, "damaged events are not in the warehouse");
                    self.rows.add_damage(None, damage.seq, damage.last.unwrap_or(damage.seq));
                    if self.damaged.len() < MAX_DAMAGED_PLACES {
                        self.damaged.insert(damage.seq);
                    }
                    mark = past(mark, &damage);
                }
                Some(Err(ReadError::Failed(error))) => return Err(error.into()),
            }
        }
        Ok((mark, true))
    }

    /// Removes rows of blocks that retention has deleted since the last check.
    fn prune(&mut self) -> Result<()> {
        // Rows of blocks that are missing for another reason are kept until a rebuild.
        let extent = LogReader::open(&self.log)?.extent()?;
        let oldest = extent.pruned + 1;
        if self.oldest == Some(oldest) {
            return Ok(());
        }
        let rows = self.warehouse.prune(extent.log, oldest)?;
        if rows > 0 {
            tracing::info!(rows, before = oldest, "events that the log has forgotten were removed from the warehouse");
            self.rows_went();
        }
        self.recall_damage(extent.log);
        self.oldest = Some(oldest);
        Ok(())
    }
}

/// Adds the rows of `events`, some or all of `block`. A line that is not a [`Record`] is
/// recorded as damage. Returns the number of events read.
fn add<'b>(rows: &mut Rows, block: &Block, events: impl Iterator<Item = Event<'b>>) -> u64 {
    let (mut read, mut unread) = (0, HashMap::new());
    for event in events {
        match serde_json::from_slice::<Record>(event.line) {
            Ok(mut record) => {
                // The block's columns take precedence over the line: events are found by them.
                record.id = event.id;
                record.project_key = event.project_key.clone();
                rows.add(&record, block.seq);
                read += 1;
            }
            Err(_) => *unread.entry(event.project_key).or_insert(0) += 1,
        }
    }
    for (project_key, events) in unread {
        tracing::warn!(block = block.seq, events, "events that cannot be understood are not in the warehouse");
        rows.add_damage(Some(&**project_key), block.seq, block.seq);
    }
    read
}

/// The mark after skipping damaged blocks.
fn past(mark: Mark, damage: &DamagedBlocks) -> Mark {
    let last = damage.last.unwrap_or(damage.seq);
    if last <= mark.position.seq {
        return mark;
    }
    Mark { position: Position { seq: last }, hash: None }
}

/// The result of [`load_log`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// The last block that was read.
    pub position: Position,
    /// Number of events of the project that were read.
    pub events: u64,
    /// The first damaged blocks, which were skipped.
    pub damage: Option<DamagedBlocks>,
}

/// Loads the events of one project from the beginning of a log up to `up_to`. The warehouse
/// must have no rows of this log. Calls `progress` with the position after each transaction.
///
/// # Errors
/// The log's and the database's.
pub fn load_log(
    reader: &LogReader,
    warehouse: &dyn WarehouseWriter,
    project_key: &str,
    up_to: Position,
    progress: &mut dyn FnMut(Position),
) -> Result<LoadReport> {
    let log = reader.extent()?.log;
    let (mut mark, mut loaded, mut rows) = (Mark::default(), LoadReport::default(), Rows::default());
    let mut walk = reader.blocks(Position::default())?;
    loop {
        let ended = match walk.next() {
            None => true,
            Some(Ok(block)) if block.seq > up_to.seq => true,
            // Damage after `up_to` does not affect the result.
            Some(Err(ReadError::Damage(damage))) if damage.seq > up_to.seq => true,
            Some(Ok(block)) => {
                loaded.events += add(&mut rows, &block, block.of(project_key));
                mark = Mark { position: Position { seq: block.seq }, hash: Some(block.hash) };
                false
            }
            Some(Err(ReadError::Damage(damage))) => {
                rows.add_damage(None, damage.seq, damage.last.unwrap_or(damage.seq));
                mark = past(mark, &damage);
                loaded.damage.get_or_insert(damage);
                false
            }
            Some(Err(ReadError::Failed(error))) => return Err(error.into()),
        };
        if ended || rows.len() >= MAX_BATCH.0 || rows.bytes() >= MAX_BATCH.1 {
            rows.sort();
            warehouse.load(LoadTarget::Answering, log, &rows, mark)?;
            rows.clear();
            progress(mark.position);
        }
        if ended {
            loaded.position = mark.position;
            return Ok(loaded);
        }
    }
}

/// Asks the loader of a running server to rebuild its warehouse, by creating the file that
/// was given to [`Loader::start`] as `request`.
///
/// # Errors
/// [`Error::File`] when the file cannot be written.
pub fn request_rebuild(request: &Path) -> Result<()> {
    fs::write(request, b"").map_err(|error| Error::file("write", request, error))
}

/// Rebuilds a warehouse from the log in the directory `log`. No other process may use the
/// warehouse; while a server runs, use [`request_rebuild`]. The previous rows are kept until
/// the rebuild is complete. Returns the end of the log.
///
/// # Errors
/// The log's and the engine's.
pub fn rebuild(
    log: &Path,
    warehouse: Arc<dyn WarehouseWriter>,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<Position> {
    let mut load = Load::new(log, warehouse);
    // Nobody asks the one that is there.
    while load.step_beside(true)? {
        let Some(track) = &load.beside else { break };
        let position = track.mark.position;
        progress(LoadProgress { position, target: track.target.max(position) });
    }
    let position = load.main.mark.position;
    progress(LoadProgress { position, target: position });
    Ok(position)
}

#[cfg(test)]
mod tests;
