//! Answers what visitors did: the events of the log as rows, and the questions
//! that experiments ask of them.
//!
//! The log is the truth. A warehouse is made from it, and made again whenever it
//! is missing, damaged, of another version or of another log, with the same
//! answers: they do not depend on how events were split into blocks or in which
//! order they came.
//!
//! [`WarehouseReader`] is what answers, [`WarehouseWriter`] what the [`Loader`] fills.
//! `question`, `answer`, `row` and `load` know no database; an engine is a module that
//! implements both traits and passes the checks of `conformance`. [`duckdb`] is one.

mod answer;
#[cfg(test)]
mod conformance;
pub mod duckdb;
mod load;
mod question;
mod row;
#[doc(hidden)]
pub mod testing;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::answer::{
    AppliedChange, Arrivals, Balance, ExperimentAnswer, GroupTotals, LargestOrder, LostBlocks, MAX_TRACKED_CHANGES,
    MAX_VALUE, MetricAnswer, OrderSummary, QuarterChange, QuarterClosing, Segment, Sums, Totals, TotalsChange,
    TrafficAnswer, VALUE_SCALE, VisitorTotals,
};
pub use self::duckdb::{DuckWarehouse, WarehouseOptions};
pub use self::load::{LoadProgress, LoadReport, Loader, load_log, rebuild, request_rebuild};
pub use self::question::{
    CountedOutcome, Dimension, ExchangeRates, ExperimentQuestion, Filter, MAX_ORDER_FACTOR, MIN_VOUCHED_ONE_IN, Metric,
    QUARTER_US, RateSpan, SEGMENTS_MAX, TrafficQuestion, VISIT_AFTER_ENTRY_US, VISIT_BEFORE_ENTRY_US, VisitorsQuestion,
};
pub use self::row::Rows;
use muriel_log::{LogId, Position};

/// `Result` with this module's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the engine behind a warehouse, for people and logs: whatever a program
/// decides by is a variant of [`Error`].
pub type EngineError = Box<dyn std::error::Error + Send + Sync>;

/// Why a warehouse does not answer, or takes no rows.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// [`StopToken::stop`] was called.
    #[error("the question was stopped")]
    Stopped,
    /// Another process has it open: only one can.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The warehouse.
        path: PathBuf,
    },
    /// A file or directory cannot be used: missing, no permission, disk full.
    #[error("cannot {action} {}", path.display())]
    File {
        /// Such as `open`.
        action: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// What was wrong.
        source: std::io::Error,
    },
    /// The log that it is made from cannot be read.
    #[error("the event log cannot be read")]
    Log(#[from] muriel_log::Error),
    /// The question cannot be answered by anybody; the sentence says why.
    #[error("{0}")]
    ExperimentQuestion(String),
    /// The question needs more memory than the warehouse may use.
    #[error("the question needs more memory than the warehouse may use")]
    Memory,
    /// It has the rows of [`LOGS_MAX`] logs already.
    #[error("the warehouse holds the events of {LOGS_MAX} logs, which is the most that it can")]
    TooManyLogs,
    /// Its files are damaged, or it gave up after an error: it has to be opened
    /// anew or rebuilt, which its loader does.
    #[error("the warehouse is damaged")]
    Damaged(#[source] Option<EngineError>),
    /// Any other error of the engine.
    #[error("the warehouse failed")]
    Engine(#[source] EngineError),
}

impl Error {
    fn file(action: &'static str, path: &Path, source: std::io::Error) -> Error {
        Error::File { action, path: path.to_owned(), source }
    }
}

/// The most logs whose rows one warehouse holds: a row names its log by one byte.
pub const LOGS_MAX: usize = 255;

/// The end of what is loaded of one log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The last block.
    pub position: Position,
    /// Its hash, unless it could not be read: the same number with another hash
    /// is another log.
    pub hash: Option<[u8; 32]>,
}

/// Up to where the rows of each log go, by the log's id. A log of which nothing was
/// loaded is absent. At most [`LOGS_MAX`].
pub type Marks = BTreeMap<LogId, Mark>;

/// Answers questions. Any thread may ask, also while rows are loaded: a question is
/// answered from the rows that were there when it began.
pub trait WarehouseReader: Send + Sync {
    /// Answers a question about an experiment.
    ///
    /// # Errors
    /// [`Error::Stopped`], [`Error::Memory`], and the engine's.
    fn ask(&self, question: &ExperimentQuestion, stop: &StopToken) -> Result<ExperimentAnswer>;

    /// Counts the visitors of a project, and those of them who converted.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`].
    fn traffic(&self, question: &TrafficQuestion, stop: &StopToken) -> Result<TrafficAnswer>;

    /// Calls `each` with what each of a project's visitors did, in the order of their
    /// hashes.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`]; `each` may have been called by then.
    fn visitors(
        &self,
        question: &VisitorsQuestion,
        stop: &StopToken,
        each: &mut dyn FnMut(VisitorTotals),
    ) -> Result<()>;
}

/// Which rows [`WarehouseWriter::load`] adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadTarget {
    /// Those that questions are answered from.
    Answering,
    /// Those that were begun with [`WarehouseWriter::begin_rebuild`].
    Rebuild,
}

/// Stores rows. One thread writes.
pub trait WarehouseWriter: Send + Sync {
    /// Up to where the rows go that questions are answered from, for each log.
    fn marks(&self) -> Marks;

    /// Adds rows of one log, those of all its blocks up to `mark` that were not loaded
    /// before, and remembers the mark: all of it or, on an error, nothing.
    ///
    /// # Errors
    /// The engine's, [`Error::TooManyLogs`], and [`Error::Damaged`] when no rebuild was
    /// begun that rows are loaded into.
    fn load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Mark) -> Result<()>;

    /// Removes the rows of a log's blocks before `oldest`, the first that the log still
    /// has. Returns the number of rows removed.
    ///
    /// # Errors
    /// The engine's.
    fn prune(&self, log: LogId, oldest: i64) -> Result<u64>;

    /// The first block of each run of blocks that could not be read from a log, in
    /// order, at most `limit` of them.
    ///
    /// # Errors
    /// The engine's.
    fn damaged_blocks(&self, log: LogId, limit: usize) -> Result<Vec<i64>>;

    /// Whether it met damage or gave up: then [`WarehouseWriter::recover`] is due.
    fn is_damaged(&self) -> bool;

    /// Opens it anew; empties it if that does not help or it is known to be damaged.
    ///
    /// # Errors
    /// As [`WarehouseWriter::reset`].
    fn recover(&self) -> Result<()>;

    /// Empties it, because nothing of it can be used.
    ///
    /// # Errors
    /// When its file cannot be moved away, or no new one be made.
    fn reset(&self) -> Result<()>;

    /// Begins an empty set of rows beside the one that answers, which goes on answering
    /// and being loaded. An earlier one is forgotten.
    ///
    /// # Errors
    /// When its file cannot be made.
    fn begin_rebuild(&self) -> Result<()>;

    /// Forgets the rows of a rebuild.
    fn abandon_rebuild(&self);

    /// Answers from the rows of the rebuild from now on, once questions that are being
    /// answered have been, and forgets the others. Does nothing when none was begun.
    ///
    /// # Errors
    /// When the files cannot be exchanged; the rows of the rebuild are forgotten then.
    fn finish_rebuild(&self) -> Result<()>;
}

/// Stops questions: a clone of it goes with them.
#[derive(Clone, Default)]
pub struct StopToken {
    inner: Arc<StopState>,
}

#[derive(Default)]
struct StopState {
    stopped: AtomicBool,
    /// What to do to each question that is being answered.
    running: Mutex<Vec<(u64, Interrupt)>>,
}

type Interrupt = Box<dyn Fn() + Send>;

impl StopToken {
    /// One that has not been used.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// Makes the questions that it goes with, now and later, answer
    /// [`Error::Stopped`]: within a statement, or after it if the call falls
    /// between two.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::Release);
        for (_, interrupt) in lock(&self.inner.running).iter() {
            interrupt();
        }
    }

    /// Whether it has been used.
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.load(Ordering::Acquire)
    }

    /// What to ask between two statements.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Has `interrupt` called by [`StopToken::stop`] until what this gives back is
    /// dropped.
    fn watch(&self, interrupt: impl Fn() + Send + 'static) -> StopCallback {
        let mut running = lock(&self.inner.running);
        let number = running.last().map_or(0, |(last, _)| last + 1);
        running.push((number, Box::new(interrupt)));
        StopCallback { stop: self.clone(), number }
    }
}

impl fmt::Debug for StopToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopToken").field("stopped", &self.is_stopped()).finish()
    }
}

struct StopCallback {
    stop: StopToken,
    number: u64,
}

impl Drop for StopCallback {
    fn drop(&mut self) {
        lock(&self.stop.inner.running).retain(|(number, _)| *number != self.number);
    }
}

/// The content of a mutex. Nothing here leaves it half changed, so a panic
/// elsewhere under it does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
