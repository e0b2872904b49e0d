//! The warehouse: the events of the log as rows, and the queries that experiments run on
//! them.
//!
//! The log is the source of truth. The warehouse is derived from it, and is rebuilt whenever it is missing, damaged, of
//! another version or of another log. A rebuild gives the same answers: they do not depend on how events were split
//! into blocks or on their order of arrival.
//!
//! [`WarehouseReader`] answers questions; the [`Loader`] writes through [`WarehouseWriter`]. The modules `question`,
//! `answer`, `row` and `load` do not depend on a database. An engine is a module that implements both traits and passes
//! the tests of `conformance`; [`duckdb`] is one.

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
    ActivityAnswer, ActivityDay, AppliedChange, Arrivals, Balance, CLS_CAP, CLS_SCALE, ERROR_CHARS, ExperimentAnswer,
    GroupTotals, HIDDEN_CAP_MS, INP_CAP_MS, LCP_CAP_MS, LOST_MAX, LargestOrder, LostBlocks, LostEvents,
    MAX_TRACKED_CHANGES, MAX_VALUE, MetricAnswer, OrderSummary, PageError, PageMeasure, PageTotals, PagesAnswer,
    PairAnswer, PairTotals, QuarterChange, QuarterClosing, RewrittenBlocks, Segment, SharedAnswer, SharedVisitors,
    Sums, TOP_ERRORS, Totals, TotalsChange, TrafficAnswer, VALUE_SCALE, VisitorTotals, VisitorsByTrust,
};
pub use self::duckdb::{DuckWarehouse, WarehouseOptions};
pub use self::load::{LoadProgress, LoadReport, Loader, load_log, rebuild, request_rebuild};
pub use self::question::{
    ActivityQuestion, CountedOutcome, Dimension, ExchangeRates, ExcludedBy, Exclusion, ExperimentQuestion, Filter,
    JUST_BEFORE_US, MAX_ORDER_FACTOR, MIN_TRUSTED_ONE_IN, Metric, PagesQuestion, PairQuestion, Policy, Population,
    QUARTER_US, RateSpan, SEGMENTS_MAX, SHARED_BY, SHARED_TESTS_MAX, SharedQuestion, TrafficQuestion,
    VISIT_AFTER_ENTRY_US, VISIT_BEFORE_ENTRY_US, VisitorsQuestion,
};
pub use self::row::{Rows, hash_of};
pub use muriel_assign::document::GroupRange;
use muriel_log::{LogId, Position};

/// `Result` with this module's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the database engine, for messages and logs only: every case that code must
/// distinguish is a variant of [`Error`].
pub type EngineError = Box<dyn std::error::Error + Send + Sync>;

/// Why a warehouse cannot answer a question or store rows.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// [`StopToken::stop`] was called.
    #[error("the query was stopped")]
    Stopped,
    /// Another process has the warehouse open; only one can at a time.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// File of the warehouse.
        path: PathBuf,
    },
    /// An operation on a file or directory failed: it is missing, permission is denied, or
    /// the disk is full.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The operation as a verb, such as `open`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The event log cannot be read.
    #[error("the event log cannot be read")]
    Log(#[from] muriel_log::Error),
    /// The question is not valid; the message says why.
    #[error("{0}")]
    ExperimentQuestion(String),
    /// The question needs more memory than the warehouse may use.
    #[error("the query needs more memory than the warehouse may use")]
    Memory,
    /// The warehouse already has the rows of [`LOGS_MAX`] logs.
    #[error("the warehouse holds the events of {LOGS_MAX} logs, which is the maximum")]
    TooManyLogs,
    /// The files are damaged, or the engine shut down after an error. The warehouse must be
    /// reopened or rebuilt, which its loader does.
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

/// Maximum number of logs whose rows one warehouse can hold. A row stores the number of its log in one byte, and 0 is
/// not used.
pub const LOGS_MAX: usize = 255;

/// Watermark: the position up to which one log has been loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watermark {
    /// The last loaded block.
    pub position: Position,
    /// Hash of that block, or `None` if it could not be read. If the log has another hash at this position, the rows
    /// come from a different history of the log.
    pub hash: Option<[u8; 32]>,
}

/// Watermark of each log, by the log's id. A log without loaded blocks is absent. At most [`LOGS_MAX`] entries.
pub type Watermarks = BTreeMap<LogId, Watermark>;

/// Answers questions. Any thread may ask, also while rows are loaded: each question sees a snapshot of the rows, taken
/// when it starts.
pub trait WarehouseReader: Send + Sync {
    /// Answers a question about an experiment.
    ///
    /// # Errors
    /// [`Error::Stopped`], [`Error::Memory`], and the engine's [`Error::Damaged`] or [`Error::Engine`].
    fn ask(&self, question: &ExperimentQuestion, stop: &StopToken) -> Result<ExperimentAnswer> {
        self.ask_with_networks(question, stop, &mut |_| false)
    }

    /// Like [`WarehouseReader::ask`]. `wants` is called once with the answer. If it returns true, the answer also has
    /// [`ExperimentAnswer::networks`], from the same snapshot.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`].
    fn ask_with_networks(
        &self,
        question: &ExperimentQuestion,
        stop: &StopToken,
        wants: &mut dyn FnMut(&ExperimentAnswer) -> bool,
    ) -> Result<ExperimentAnswer>;

    /// Answers a question about the visitors of two experiments.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`]; [`Error::ExperimentQuestion`] for a question without a metric or about a holdout.
    fn pair(&self, question: &PairQuestion, stop: &StopToken) -> Result<PairAnswer>;

    /// Counts the visitors that each pair of experiments has in common. Pairs without any are left out.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`]; [`Error::ExperimentQuestion`] for more than [`SHARED_TESTS_MAX`] experiments.
    fn shared(&self, question: &SharedQuestion, stop: &StopToken) -> Result<SharedAnswer>;

    /// Counts the visitors of a project, and those who converted.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`].
    fn traffic(&self, question: &TrafficQuestion, stop: &StopToken) -> Result<TrafficAnswer>;

    /// Calls `each` once per visitor of a project, ordered by the hash of the visitor's id.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`]; `each` may have been called by then.
    fn visitors(
        &self,
        question: &VisitorsQuestion,
        stop: &StopToken,
        each: &mut dyn FnMut(VisitorTotals),
    ) -> Result<()>;

    /// Counts the events of a goal by day, excluding bots.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`].
    fn activity(&self, question: &ActivityQuestion, stop: &StopToken) -> Result<ActivityAnswer>;

    /// Returns the most recently viewed pages of a project, excluding views by bots.
    ///
    /// # Errors
    /// As [`WarehouseReader::ask`].
    fn pages(&self, question: &PagesQuestion, stop: &StopToken) -> Result<PagesAnswer>;
}

/// The set of rows to which [`WarehouseWriter::load`] adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadTarget {
    /// Rows that answer questions.
    Answering,
    /// Rows of the rebuild started with [`WarehouseWriter::begin_rebuild`].
    Rebuild,
}

/// Stores rows. Only one thread writes at a time.
pub trait WarehouseWriter: Send + Sync {
    /// Returns the watermark of each log in the answering rows.
    fn watermarks(&self) -> Watermarks;

    /// Adds rows of one log and stores `mark`, in one transaction. `rows` must contain all
    /// blocks after the log's previous mark up to `mark`.
    ///
    /// # Errors
    /// [`Error::Engine`] or [`Error::Damaged`] of the engine; [`Error::TooManyLogs`]; [`Error::Damaged`] when `target`
    /// is a rebuild and none was started.
    fn load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Watermark) -> Result<()>;

    /// Removes the rows of a log's blocks before `oldest`, the first block that retention has kept. Returns the number
    /// of removed rows.
    ///
    /// # Errors
    /// [`Error::Engine`] or [`Error::Damaged`] of the engine.
    fn prune(&self, log: LogId, oldest: i64) -> Result<u64>;

    /// Returns the blocks from `first` to `last` of a log that were rewritten before they were loaded or
    /// [refreshed](WarehouseWriter::refresh), each with the number of its last rewrite, in order.
    ///
    /// # Errors
    /// [`Error::Engine`] or [`Error::Damaged`] of the engine; [`Error::Damaged`] when `target` is a rebuild and none
    /// was started.
    fn rewritten_blocks(&self, target: LoadTarget, log: LogId, first: i64, last: i64) -> Result<Vec<(i64, i64)>>;

    /// Replaces all rows of these blocks of a log, which were rewritten since they were loaded, by `rows`, in one
    /// transaction. `rows` contains only those records of rewrites that the warehouse lacks.
    ///
    /// # Errors
    /// As [`WarehouseWriter::load`].
    fn refresh(&self, target: LoadTarget, log: LogId, blocks: &[i64], rows: &Rows) -> Result<()>;

    /// Removes texts that no row refers to, such as ids of visitors and URLs.
    ///
    /// # Errors
    /// As [`WarehouseWriter::rewritten_blocks`].
    fn remove_unused_texts(&self, target: LoadTarget) -> Result<()>;

    /// Returns whether the answering file may still contain bytes of rows of visitors whose data was deleted. A rebuild
    /// removes them.
    ///
    /// # Errors
    /// [`Error::Engine`] or [`Error::Damaged`] of the engine.
    fn has_erased_bytes(&self) -> Result<bool>;

    /// Returns the first block of each range of blocks that could not be read from a log, in order, at most `limit` of
    /// them.
    ///
    /// # Errors
    /// [`Error::Engine`] or [`Error::Damaged`] of the engine.
    fn damaged_blocks(&self, log: LogId, limit: usize) -> Result<Vec<i64>>;

    /// Returns whether an operation found damage or the engine shut down. Then call [`WarehouseWriter::recover`].
    fn is_damaged(&self) -> bool;

    /// Reopens the warehouse; empties it if that fails or its file is known to be corrupt.
    ///
    /// # Errors
    /// As [`WarehouseWriter::reset`].
    fn recover(&self) -> Result<()>;

    /// Replaces the warehouse by an empty one.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Engine`] when the old file cannot be renamed or a new one cannot be created.
    fn reset(&self) -> Result<()>;

    /// Starts a rebuild: an empty set of rows in a second file. Questions are still answered from the current rows,
    /// which can still be loaded. Discards an unfinished rebuild.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Engine`] when the file cannot be created.
    fn begin_rebuild(&self) -> Result<()>;

    /// Discards an unfinished rebuild.
    fn abandon_rebuild(&self);

    /// Replaces the current rows by those of the rebuild, after waiting for running questions. A no-op without a
    /// rebuild.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Engine`] when the files cannot be exchanged; the rebuild is discarded then.
    fn finish_rebuild(&self) -> Result<()>;
}

/// Cancels running questions. A question takes a reference; clones share one state.
#[derive(Clone, Default)]
pub struct StopToken {
    inner: Arc<StopState>,
}

#[derive(Default)]
struct StopState {
    stopped: AtomicBool,
    /// Interrupts of the running questions, by callback number.
    running: Mutex<Vec<(u64, Interrupt)>>,
}

type Interrupt = Box<dyn Fn() + Send>;

impl StopToken {
    /// Creates a token that is not stopped.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// Makes all current and later questions with this token fail with [`Error::Stopped`]. A
    /// running statement is interrupted; otherwise the next check fails.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::Release);
        for (_, interrupt) in lock(&self.inner.running).iter() {
            interrupt();
        }
    }

    /// Returns whether [`StopToken::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.load(Ordering::Acquire)
    }

    /// Returns an error when the token is stopped. Called between two statements of a question.
    ///
    /// # Errors
    /// [`Error::Stopped`] after [`StopToken::stop`].
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Registers `interrupt`, which [`StopToken::stop`] calls until the returned guard is
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

/// Guard that unregisters an interrupt when it is dropped.
struct StopCallback {
    stop: StopToken,
    number: u64,
}

impl Drop for StopCallback {
    fn drop(&mut self) {
        lock(&self.stop.inner.running).retain(|(number, _)| *number != self.number);
    }
}

/// Locks a mutex, even a poisoned one: no code here leaves the content inconsistent when
/// it panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
