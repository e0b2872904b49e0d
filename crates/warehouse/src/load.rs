//! Loads the log into a warehouse: each block exactly once, also after interruptions.
//!
//! The rows of a load and the watermark up to which they reach are stored in one transaction. So
//! after a crash a loader continues where the rows end, without a repair.

mod project;
mod rewrites;
mod rows;
mod state;

use std::collections::HashMap;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant as Clock};

use tokio::sync::watch;

pub use project::{LoadReport, load_log};

use super::{Error, Result, WarehouseWriter, lock};
use muriel_log::{LogPosition, LogReader, Position};
use state::{HasMore, LoadState};

/// Time between two loads when no report is requested.
const LOAD_INTERVAL: Duration = Duration::from_millis(500);
/// Minimum time between two loads, however often reports are requested. Events that arrive
/// meanwhile are loaded together.
const MIN_LOAD_INTERVAL: Duration = Duration::from_millis(20);
/// Delay before a failed load is retried: the initial delay, and the maximum after doubling.
const RETRY_BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// Maximum number of projects whose last block with events is kept in memory.
const MAX_TOUCHED_PROJECTS: usize = 50_000;

/// A thread that loads new blocks of one log into a warehouse.
pub struct Loader {
    /// Directory of the log.
    log: PathBuf,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the thread: a caller waits for a position, or the loader stops.
    wake: Condvar,
    /// Notifies callers that wait for a position.
    moved: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    /// The log and the position up to which it is loaded; `None` until the warehouse's rows are
    /// known to belong to this log.
    loaded: Option<LogPosition>,
    damaged: u64,
    progress: Option<LoadProgress>,
    generation: u64,
    touched: HashMap<Arc<str>, Position>,
    /// Upper bound of the last block with events of a project that is not in `touched`.
    floor: Position,
    is_load_requested: bool,
    /// Number of calls of [`Loader::follow_rewrites`], and the last call whose work is done.
    follows: (u64, u64),
    /// True when the file may have bytes of deleted data; see
    /// [`WarehouseWriter::has_erased_bytes`].
    has_erased_bytes: bool,
    is_stopping: bool,
}

/// Progress of loading a backlog. Rows of events after `position` are missing.
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
        let mut load = LoadState { request: request.map(Path::to_owned), ..LoadState::new(log, warehouse) };
        // The thread retries failed steps and logs their errors.
        load.main.blocks = load.open_log().ok();
        let marks = load.warehouse.watermarks();
        let floor = marks.values().map(|mark| mark.position).max().unwrap_or_default();
        let state = State { floor, ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state), ..Shared::default() });
        shared.publish(&mut load);
        let its = shared.clone();
        let thread = thread::Builder::new().name("muriel-loader".to_owned()).spawn(move || its.run(load));
        let thread = thread.map_err(|error| Error::file("start a thread for", log, error))?;
        Ok(Loader { log: log.to_owned(), shared, thread: Mutex::new(Some(thread)) })
    }

    /// Returns the last block of the log, including blocks of other processes: every event
    /// acknowledged before this call is at or before it. Blocks, because it reads the file.
    ///
    /// # Errors
    /// [`Error::Log`] when there is no log, or its newest file cannot be read.
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

    /// Opens a reader of the log.
    ///
    /// # Errors
    /// [`Error::Log`] when there is no log.
    pub fn log_reader(&self) -> Result<LogReader> {
        Ok(LogReader::open(&self.log)?)
    }

    /// Returns the log and the position up to which it is loaded; `None` until the warehouse's
    /// rows are known to belong to this log.
    pub fn loaded(&self) -> Option<LogPosition> {
        lock(&self.shared.state).loaded
    }

    /// Returns the position up to which the log is loaded; the beginning until the warehouse's
    /// rows are known to belong to this log.
    pub fn position(&self) -> Position {
        self.loaded().map_or(Position::default(), |loaded| loaded.position)
    }

    /// Returns a position after which no event of this project has been loaded. An answer about
    /// the project from the same [`Loader::generation`], given at this position or later, is
    /// still valid.
    pub fn touched(&self, project_key: &str) -> Position {
        let state = lock(&self.shared.state);
        state.touched.get(project_key).copied().unwrap_or(state.floor)
    }

    /// Returns the number of times that rows were removed, by a rebuild or by retention. Answers
    /// from an earlier generation are not valid.
    pub fn generation(&self) -> u64 {
        lock(&self.shared.state).generation
    }

    /// Returns the progress while there is a backlog, after a start or after the warehouse was
    /// emptied; `None` otherwise.
    pub fn progress(&self) -> Option<LoadProgress> {
        lock(&self.shared.state).progress
    }

    /// Returns the number of damaged or missing block ranges whose events the warehouse lacks.
    /// The warehouse stores them, so the number survives a restart.
    pub fn damaged(&self) -> u64 {
        lock(&self.shared.state).damaged
    }

    /// Checks the log for rewritten blocks now, and waits until their rows are replaced.
    /// `Some(true)` means that the warehouse's file may still contain bytes of deleted data,
    /// which an already scheduled rebuild removes. `None` when the loader is stopped first.
    pub async fn follow_rewrites(&self) -> Option<bool> {
        let mut moved = self.shared.moved.subscribe();
        let wanted = {
            let mut state = lock(&self.shared.state);
            state.follows.0 += 1;
            state.is_load_requested = true;
            state.follows.0
        };
        loop {
            {
                let state = lock(&self.shared.state);
                if state.follows.1 >= wanted {
                    return Some(state.has_erased_bytes);
                }
                if state.is_stopping {
                    return None;
                }
            }
            self.shared.wake.notify_one();
            moved.changed().await.ok()?;
        }
    }

    /// Returns whether the warehouse's file may still contain bytes of deleted data, as of the
    /// last check.
    pub fn has_erased_bytes(&self) -> bool {
        lock(&self.shared.state).has_erased_bytes
    }

    /// Loads immediately and waits until the log is loaded up to `position`. False when the
    /// loader is stopped first.
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
                state.is_load_requested = true;
            }
            self.shared.wake.notify_one();
            if moved.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Stops the thread after its current transaction and waits for its end.
    pub fn stop(&self) {
        lock(&self.shared.state).is_stopping = true;
        self.shared.wake.notify_all();
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
    fn run(&self, mut load: LoadState) {
        let (mut pause, mut last_error) = (RETRY_BACKOFF.0, String::new());
        loop {
            let began = Clock::now();
            let follow = lock(&self.state).follows;
            load.is_follow_requested = follow.0 > follow.1;
            load.has_followed = false;
            let stepped = load.step();
            if load.has_followed {
                lock(&self.state).follows.1 = follow.0;
            }
            self.publish(&mut load);
            match stepped {
                Ok(HasMore(more)) => {
                    if !last_error.is_empty() {
                        tracing::info!("the warehouse is loaded again");
                    }
                    (pause, last_error) = (RETRY_BACKOFF.0, String::new());
                    if !self.wait(
                        |state| more || state.is_load_requested && began.elapsed() >= MIN_LOAD_INTERVAL,
                        began,
                        LOAD_INTERVAL,
                    ) {
                        break;
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    if last_error != text {
                        let error = &error as &dyn std::error::Error;
                        tracing::warn!(error, "the warehouse cannot be loaded; loading is retried");
                        last_error = text;
                    }
                    if !self.wait(|_| false, Clock::now(), pause) {
                        break;
                    }
                    pause = (2 * pause).min(RETRY_BACKOFF.1);
                }
            }
        }
    }

    /// Waits until `due` returns true or `most` has elapsed since `since`. False when the loader
    /// is stopping.
    fn wait(&self, due: impl Fn(&State) -> bool, since: Clock, most: Duration) -> bool {
        let mut state = lock(&self.state);
        loop {
            if state.is_stopping {
                return false;
            }
            let left = most.saturating_sub(since.elapsed());
            if left.is_zero() || due(&state) {
                state.is_load_requested = false;
                return true;
            }
            let left = if state.is_load_requested { left.min(MIN_LOAD_INTERVAL) } else { left };
            state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn publish(&self, load: &mut LoadState) {
        let mut state = lock(&self.state);
        if let Some(log) = load.log_id {
            let position = load.stored_watermark(log).position;
            state.loaded = Some(LogPosition { log, position });
        }
        state.progress = load.progress();
        state.generation = load.generation;
        state.damaged = load.damaged.len() as u64;
        state.has_erased_bytes = load.has_erased_bytes;
        // A rebuild loads early blocks again, so keep the later position.
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

/// Asks the loader of a running server to rebuild its warehouse, by creating the file that was
/// passed to [`Loader::start`] as `request`.
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
/// [`Error::Log`] when the log cannot be read; [`Error::Engine`] or [`Error::File`] when the
/// warehouse cannot be written.
pub fn rebuild(
    log: &Path,
    warehouse: Arc<dyn WarehouseWriter>,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<Position> {
    let mut load = LoadState::new(log, warehouse);
    // No questions are answered meanwhile, so only the rebuild is loaded.
    while load.step_rebuild(true)? {
        let Some(cursor) = &load.rebuild else { break };
        let position = cursor.mark.position;
        progress(LoadProgress { position, target: cursor.target.max(position) });
    }
    let position = load.main.mark.position;
    progress(LoadProgress { position, target: position });
    Ok(position)
}

#[cfg(test)]
mod tests;
