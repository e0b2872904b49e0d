//! Brings the log into a warehouse: each block once, however often that is
//! interrupted.
//!
//! The rows of a load and the place in the log they go up to are stored in one
//! transaction. So a loader that comes after a crash goes on where the rows end,
//! and there is nothing to repair.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant as Clock};

use tokio::sync::watch;

use super::duck::{DuckWarehouse, Options};
use super::row::{Rows, Source};
use super::{Error, Mark, Result, Warehouse, lock};
use crate::Record;
use crate::log::{Block, Blocks, Damage, Event, Position, Reader, Trouble};

/// How long events wait to be loaded together when nobody asks.
const TICK: Duration = Duration::from_millis(500);
/// How long they do at least, however often somebody asks.
const LEAST: Duration = Duration::from_millis(20);
/// After how many rows a transaction ends, or bytes of them.
const BATCH: (usize, usize) = (50_000, 64 << 20);
/// How long to leave a failing disk in peace, at first and at last.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// How often to look for what the log has forgotten.
const PRUNE: Duration = Duration::from_secs(60);
/// Projects of which it is remembered where their last events are.
const PROJECTS: usize = 50_000;

/// A thread that keeps a warehouse up with the log.
pub struct Loader {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to do for the thread.
    nudged: Condvar,
    /// There is something new for those who wait.
    moved: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    position: Position,
    progress: Option<Progress>,
    generation: u64,
    touched: HashMap<Arc<str>, Position>,
    /// Where projects that are not in `touched` may have been touched last.
    floor: Position,
    is_nudged: bool,
    is_stopping: bool,
}

/// How far a loader is that has a long way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Where it is.
    pub position: Position,
    /// Where the log ended when it began.
    pub target: Position,
    /// Whether questions are answered from the rows there were before, meanwhile.
    /// Otherwise answers lack whatever comes after `position`.
    pub beside: bool,
}

impl Loader {
    /// Starts to load the log in the directory `log` into `warehouse`.
    ///
    /// A warehouse that has rows of another log, or more than the log, is emptied
    /// before this comes back. When there is a file `request`, see [`request_rebuild`], another one is
    /// made beside it and put in its place.
    ///
    /// # Errors
    /// [`Error::File`] when no thread can be started. Everything else is tried
    /// again, and logged.
    pub fn start(log: &Path, warehouse: Arc<dyn Warehouse>, source: Source, request: Option<&Path>) -> Result<Loader> {
        let mut load = Load { request: request.map(Path::to_owned), ..Load::new(log, warehouse, source) };
        // What fails now is tried again by the thread, and logged then.
        load.walk = load.begin_walk().ok();
        let state = State { floor: load.warehouse.position(), ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state), ..Shared::default() });
        shared.tell(&mut load);
        let its = shared.clone();
        let thread = thread::Builder::new().name("muriel-loader".to_owned()).spawn(move || its.run(load));
        let thread = thread.map_err(|error| Error::file("start a thread for", log, error))?;
        Ok(Loader { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Up to where questions are answered; the beginning until it is known that the
    /// rows are of this log.
    pub fn position(&self) -> Position {
        lock(&self.shared.state).position
    }

    /// A place in the log after which no event of this project has been loaded: an
    /// answer of this [`Loader::generation`] about it that was given there or later
    /// still holds.
    pub fn touched(&self, project_key: &str) -> Position {
        let state = lock(&self.shared.state);
        state.touched.get(project_key).copied().unwrap_or(state.floor)
    }

    /// Counts how often rows went: when the warehouse was made again, or lost what
    /// the log has forgotten.
    pub fn generation(&self) -> u64 {
        lock(&self.shared.state).generation
    }

    /// How far it is, when it has a way to go: after a start, or when the warehouse
    /// is made again.
    pub fn progress(&self) -> Option<Progress> {
        lock(&self.shared.state).progress
    }

    /// Loads at once, and waits until that has come to `position`. `false` as soon as
    /// it will not: when it is stopped, or makes another warehouse beside this one,
    /// which gets no rows meanwhile.
    pub async fn wait_for(&self, position: Position) -> bool {
        let mut moved = self.shared.moved.subscribe();
        loop {
            {
                let mut state = lock(&self.shared.state);
                if state.position >= position {
                    return true;
                }
                if state.is_stopping || state.progress.is_some_and(|progress| progress.beside) {
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

    /// Ends the thread after the transaction that it is in.
    pub fn stop(&self) {
        lock(&self.shared.state).is_stopping = true;
        self.shared.nudged.notify_all();
        self.shared.moved.send_replace(());
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            // What it had to say it has logged.
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
        let (mut pause, mut said) = (PAUSES.0, String::new());
        loop {
            let began = Clock::now();
            let stepped = load.step();
            self.tell(&mut load);
            match stepped {
                Ok(More(more)) => {
                    if !said.is_empty() {
                        tracing::info!("the warehouse is loaded again");
                    }
                    (pause, said) = (PAUSES.0, String::new());
                    if !self.wait(|state| more || state.is_nudged && began.elapsed() >= LEAST, began, TICK) {
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
                    pause = (2 * pause).min(PAUSES.1);
                }
            }
        }
    }

    /// Waits until `due` or until `most` after `since`; `false` when it is time to
    /// stop.
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
            let left = if state.is_nudged { left.min(LEAST) } else { left };
            state = self.nudged.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn tell(&self, load: &mut Load) {
        let mut state = lock(&self.state);
        if load.is_known {
            state.position = load.warehouse.position();
        }
        state.progress = load.progress();
        state.generation = load.generation;
        // A rebuild comes by early blocks again.
        for (project, position) in load.touched.drain() {
            let last = state.touched.entry(project).or_default();
            *last = position.max(*last);
        }
        if state.touched.len() > PROJECTS {
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

/// What the thread does, step by step.
struct Load {
    log: PathBuf,
    warehouse: Arc<dyn Warehouse>,
    source: Source,
    request: Option<PathBuf>,
    /// Where the walk goes on; `None` when it has to be begun anew.
    walk: Option<([u8; 16], Blocks)>,
    /// Whether the rows of the warehouse are known to be of this log.
    is_known: bool,
    /// Up to where the warehouse is loaded, or the one beside it.
    mark: Mark,
    target: Position,
    is_beside: bool,
    generation: u64,
    touched: HashMap<Arc<str>, Position>,
    rows: Rows,
    /// As [`BATCH`].
    batch: (usize, usize),
    pruned: Option<Clock>,
}

impl Load {
    fn new(log: &Path, warehouse: Arc<dyn Warehouse>, source: Source) -> Load {
        Load {
            log: log.to_owned(),
            mark: warehouse.mark(),
            warehouse,
            source,
            request: None,
            walk: None,
            is_known: false,
            target: Position::default(),
            is_beside: false,
            generation: 0,
            touched: HashMap::new(),
            rows: Rows::default(),
            batch: BATCH,
            pruned: None,
        }
    }

    fn progress(&self) -> Option<Progress> {
        let (position, target) = (self.mark.position, self.target);
        (position < target || self.is_beside).then_some(Progress { position, target, beside: self.is_beside })
    }

    /// Loads one transaction of what there is. After an error the walk begins anew
    /// behind what is stored.
    fn step(&mut self) -> Result<More> {
        let stepped = self.try_step();
        if stepped.is_err() {
            self.walk = None;
            self.rows.clear();
            // Begun anew while it is still asked for.
            if mem::take(&mut self.is_beside) {
                self.warehouse.abandon();
            }
        }
        stepped
    }

    fn try_step(&mut self) -> Result<More> {
        if self.warehouse.is_damaged() && !self.is_beside {
            self.walk = None;
        }
        if !self.is_beside && self.request.as_deref().is_some_and(Path::exists) {
            self.begin_beside("it was asked for")?;
        }
        let (log, mut walk) = match self.walk.take() {
            Some(walk) => walk,
            None => {
                let generation = self.generation;
                let walk = self.begin_walk()?;
                if self.generation != generation {
                    // Rows went: that is told before others come.
                    self.walk = Some(walk);
                    return Ok(More(true));
                }
                walk
            }
        };
        let (mark, more) = self.read(&mut walk)?;
        if mark != self.mark {
            self.rows.sort();
            self.warehouse.load(log, &self.rows, mark)?;
            self.rows.clear();
            self.mark = mark;
        }
        self.walk = Some((log, walk));
        if !more {
            self.target = Position::default();
            if self.is_beside {
                self.end_beside()?;
            }
            if self.pruned.is_none_or(|pruned| pruned.elapsed() >= PRUNE) {
                self.prune()?;
                self.pruned = Some(Clock::now());
            }
        }
        Ok(More(more))
    }

    /// Opens the log behind what is stored; empties the warehouse if that is not of
    /// this log.
    fn begin_walk(&mut self) -> Result<([u8; 16], Blocks)> {
        let reader = Reader::open(&self.log)?;
        let extent = reader.extent()?;
        if !self.is_beside {
            if self.warehouse.is_damaged() {
                tracing::warn!("the warehouse failed, it is opened anew");
                self.warehouse.recover()?;
                self.generation += 1;
            }
            let mark = self.warehouse.mark();
            let stored = reader.hash_at(mark.position)?;
            let problem = match self.warehouse.log() {
                Some(log) if log != extent.log => Some("it has events of another log"),
                _ if mark.position.seq > extent.last => Some("it has events that the log does not have"),
                _ if mark.hash.is_some() && stored.is_some() && mark.hash != stored => {
                    Some("it has other events than the log")
                }
                _ => None,
            };
            if let Some(problem) = problem {
                tracing::warn!(
                    problem,
                    blocks = extent.last,
                    "the warehouse cannot be used, it is made again from the log"
                );
                self.warehouse.reset()?;
                self.generation += 1;
            }
            self.mark = self.warehouse.mark();
            self.is_known = true;
        }
        self.target = Position { seq: extent.last };
        Ok((extent.log, reader.blocks(self.mark.position)?))
    }

    /// Makes rows until there are enough for a transaction. Gives back up to where
    /// they are, and whether there may be more.
    fn read(&mut self, walk: &mut Blocks) -> Result<(Mark, bool)> {
        let mut mark = self.mark;
        while self.rows.len() < self.batch.0 && self.rows.bytes() < self.batch.1 {
            match walk.next() {
                None => return Ok((mark, false)),
                Some(Ok(block)) => {
                    add(&mut self.rows, &block, block.events(), self.source);
                    let position = Position { seq: block.seq };
                    mark = Mark { position, hash: Some(block.hash) };
                    for run in block.runs {
                        self.touched.insert(run.project_key, position);
                    }
                }
                Some(Err(Trouble::Damage(damage))) => {
                    tracing::warn!(%damage, "damaged events are not in the warehouse");
                    mark = past(mark, &damage);
                }
                Some(Err(Trouble::Failed(error))) => return Err(error.into()),
            }
        }
        Ok((mark, true))
    }

    fn begin_beside(&mut self, reason: &str) -> Result<()> {
        self.warehouse.begin()?;
        tracing::info!(reason, "the warehouse is made again from the log");
        self.walk = None;
        self.mark = Mark::default();
        self.is_beside = true;
        Ok(())
    }

    fn end_beside(&mut self) -> Result<()> {
        self.warehouse.swap()?;
        self.is_beside = false;
        self.generation += 1;
        if let Some(request) = &self.request {
            match fs::remove_file(request) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::file("remove", request, error));
                }
                _ => {}
            }
        }
        tracing::info!(blocks = self.mark.position.seq, "the warehouse has been made again");
        Ok(())
    }

    /// Removes what the log has forgotten.
    fn prune(&mut self) -> Result<()> {
        let oldest = Reader::open(&self.log)?.extent()?.first;
        let rows = self.warehouse.prune(oldest)?;
        if rows > 0 {
            tracing::info!(rows, before = oldest, "events that the log has forgotten were removed from the warehouse");
            self.generation += 1;
        }
        Ok(())
    }
}

/// Adds the rows of `events`, which are all of `block` or some. What is not a
/// record is passed over: nothing this program wrote.
fn add<'b>(rows: &mut Rows, block: &Block, events: impl Iterator<Item = Event<'b>>, source: Source) -> u64 {
    let (mut read, mut unread) = (0, 0);
    for event in events {
        match serde_json::from_slice::<Record>(event.line) {
            Ok(mut record) => {
                // What counts is what the block says, which is what it is found by.
                record.id = event.id;
                record.project_key = event.project_key.clone();
                rows.add(&record, block.seq, source);
                read += 1;
            }
            Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        tracing::warn!(block = block.seq, events = unread, "events that cannot be understood are not in the warehouse");
    }
    read
}

/// Where a walk is after damage.
fn past(mark: Mark, damage: &Damage) -> Mark {
    let last = damage.last.unwrap_or(damage.seq);
    if last <= mark.position.seq {
        return mark;
    }
    Mark { position: Position { seq: last }, hash: None }
}

/// What [`load_log`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Up to where the log was read.
    pub position: Position,
    /// Events of the project that were read.
    pub events: u64,
    /// The first damage that was met and passed, if any.
    pub damage: Option<Damage>,
}

/// Loads the events of one project from the beginning of the log up to `up_to`
/// into an empty warehouse, and tells `progress` where it is.
///
/// # Errors
/// The log's and the database's.
pub fn load_log(
    reader: &Reader,
    warehouse: &dyn Warehouse,
    project_key: &str,
    up_to: Position,
    source: Source,
    progress: &mut dyn FnMut(Position),
) -> Result<Loaded> {
    let log = reader.extent()?.log;
    let (mut mark, mut loaded, mut rows) = (Mark::default(), Loaded::default(), Rows::default());
    let mut walk = reader.blocks(Position::default())?;
    loop {
        let ended = match walk.next() {
            None => true,
            Some(Ok(block)) if block.seq > up_to.seq => true,
            // Damage behind the end has nothing to say about what is before it.
            Some(Err(Trouble::Damage(damage))) if damage.seq > up_to.seq => true,
            Some(Ok(block)) => {
                loaded.events += add(&mut rows, &block, block.of(project_key), source);
                mark = Mark { position: Position { seq: block.seq }, hash: Some(block.hash) };
                false
            }
            Some(Err(Trouble::Damage(damage))) => {
                mark = past(mark, &damage);
                loaded.damage.get_or_insert(damage);
                false
            }
            Some(Err(Trouble::Failed(error))) => return Err(error.into()),
        };
        if ended || rows.len() >= BATCH.0 || rows.bytes() >= BATCH.1 {
            rows.sort();
            warehouse.load(log, &rows, mark)?;
            rows.clear();
            progress(mark.position);
        }
        if ended {
            loaded.position = mark.position;
            return Ok(loaded);
        }
    }
}

/// Asks the loader of a running server to make its warehouse again: puts the file
/// there that it was started to look for.
///
/// # Errors
/// [`Error::File`].
pub fn request_rebuild(request: &Path) -> Result<()> {
    fs::write(request, b"").map_err(|error| Error::file("write", request, error))
}

/// Makes the warehouse at `path` again from the log in the directory `log`, while
/// nothing else has it open. What was there before stays until that is done.
///
/// # Errors
/// [`Error::InUse`] when a server runs: [`request_rebuild`] asks that.
pub fn rebuild(
    log: &Path,
    path: &Path,
    options: &Options,
    source: Source,
    progress: &mut dyn FnMut(Progress),
) -> Result<Position> {
    let warehouse = Arc::new(DuckWarehouse::open(path, options)?);
    let mut load = Load::new(log, warehouse.clone(), source);
    load.begin_beside("it was asked for")?;
    while load.is_beside {
        load.step()?;
        let position = load.mark.position;
        progress(Progress { position, target: load.target.max(position), beside: true });
    }
    Ok(warehouse.position())
}

#[cfg(test)]
mod tests;
