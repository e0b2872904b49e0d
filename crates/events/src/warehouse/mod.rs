//! Answers what visitors did: the events of the log as rows, and the questions
//! that experiments ask of them.
//!
//! The log is the truth. A warehouse is made from it, and made again whenever it
//! is missing, damaged, of another version or of another log, with the same
//! answers: they do not depend on how events were split into blocks or in which
//! order they came.

mod answer;
mod duck;
mod load;
mod question;
mod row;
mod sql;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::answer::{
    Answer, Applied, Arrivals, Balance, CHANGES_TOLD, Cell, Change, Closing, LargestOrder, Lost, MetricAnswer, Segment,
    Step, Sums, Totals, Traffic, UNITS, VALUE_MAX, Visitor,
};
pub use self::duck::{DuckWarehouse, Options};
pub use self::load::{Loaded, Loader, Progress, load_log, rebuild, request_rebuild};
pub use self::question::{
    Dimension, Exchange, Filter, Metric, ORDER_TIMES, Outcome, QUARTER_US, Question, RateSpan, SEGMENTS_MAX,
    TrafficQuestion, VISIT_BEFORE_US, VISIT_US, VOUCHED_SHARE, VisitorsQuestion,
};
pub use self::row::{Rows, Source};
use crate::log::Position;

/// `Result` with this module's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a warehouse does not answer, or takes no rows.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// [`Stop::stop`] was called.
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
    Log(#[from] crate::log::Error),
    /// The question cannot be answered by anybody; the sentence says why.
    #[error("{0}")]
    Question(String),
    /// The question needs more memory than [`Options::memory_bytes`].
    #[error("the question needs more memory than the warehouse may use")]
    Memory,
    /// Its files are damaged, or it gave up after an error: it has to be opened
    /// anew or rebuilt, which its loader does.
    #[error("the warehouse is damaged")]
    Damaged(#[source] Option<duckdb::Error>),
    /// Any other error of the database.
    #[error("the warehouse failed")]
    Database(#[source] duckdb::Error),
}

impl From<duckdb::Error> for Error {
    fn from(error: duckdb::Error) -> Error {
        // The database tells its errors apart by the text they begin with.
        let text = error.to_string();
        if text.starts_with("INTERRUPT") {
            Error::Stopped
        } else if text.starts_with("Out of Memory") {
            Error::Memory
        } else if text.starts_with("FATAL") || text.contains("Corrupt") || text.contains("has been invalidated") {
            Error::Damaged(Some(error))
        } else {
            Error::Database(error)
        }
    }
}

impl Error {
    fn file(action: &'static str, path: &Path, source: std::io::Error) -> Error {
        Error::File { action, path: path.to_owned(), source }
    }
}

/// The end of what is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The last block.
    pub position: Position,
    /// Its hash, unless it could not be read: the same number with another hash
    /// is another log.
    pub hash: Option<[u8; 32]>,
}

/// The rows of a log, and who answers questions about them.
///
/// One thread loads, any may ask. A question is answered from the rows that were
/// there when it began.
pub trait Warehouse: Send + Sync {
    /// Up to where questions are answered.
    fn position(&self) -> Position {
        self.mark().position
    }

    /// The same, with the hash of the block.
    fn mark(&self) -> Mark;

    /// The id of the log whose rows these are; `None` before any were loaded.
    fn log(&self) -> Option<[u8; 16]>;

    /// Whether it met damage or gave up: then [`Warehouse::recover`] is due.
    fn is_damaged(&self) -> bool;

    /// Opens it anew; empties it if that does not help or it is known to be
    /// damaged.
    ///
    /// # Errors
    /// As [`Warehouse::reset`].
    fn recover(&self) -> Result<()>;

    /// The first of each run of blocks that could not be read from the log, in order,
    /// `most` of them.
    ///
    /// # Errors
    /// The database's.
    fn damaged_blocks(&self, most: usize) -> Result<Vec<i64>>;

    /// Answers a question about an experiment.
    ///
    /// # Errors
    /// [`Error::Stopped`], [`Error::Memory`], and the database's.
    fn ask(&self, question: &Question, stop: &Stop) -> Result<Answer>;

    /// Tells how many visitors a project had, and how many of them converted.
    ///
    /// # Errors
    /// As [`Warehouse::ask`].
    fn traffic(&self, question: &TrafficQuestion, stop: &Stop) -> Result<Traffic>;

    /// Tells what a project's visitors did, one after the other in the order of
    /// their hashes.
    ///
    /// # Errors
    /// As [`Warehouse::ask`]; some may have been told then.
    fn visitors(&self, question: &VisitorsQuestion, stop: &Stop, tell: &mut dyn FnMut(Visitor)) -> Result<()>;

    /// Adds rows of this log, those of all blocks up to `mark` that were not
    /// loaded before: all of them or, on an error, none.
    ///
    /// # Errors
    /// The database's.
    fn load(&self, log: [u8; 16], rows: &Rows, mark: Mark) -> Result<()>;

    /// The same for the warehouse that was begun beside this one.
    ///
    /// # Errors
    /// The database's, and [`Error::Damaged`] when none was begun.
    fn load_beside(&self, log: [u8; 16], rows: &Rows, mark: Mark) -> Result<()>;

    /// Removes the rows of blocks before `oldest`, the first that the log still
    /// has. Gives back how many rows went.
    ///
    /// # Errors
    /// The database's.
    fn prune(&self, oldest: i64) -> Result<u64>;

    /// Empties it, because nothing of it can be used.
    ///
    /// # Errors
    /// When its file cannot be moved away, or no new one be made.
    fn reset(&self) -> Result<()>;

    /// Begins an empty one beside it, which [`Warehouse::load_beside`] fills. Questions
    /// are still answered by this one, which goes on being loaded.
    ///
    /// # Errors
    /// When its file cannot be made.
    fn begin(&self) -> Result<()>;

    /// Forgets the one that was begun.
    fn abandon(&self);

    /// Puts the one that was begun in place of this one, once questions that are
    /// being answered have been.
    ///
    /// # Errors
    /// When the files cannot be exchanged; the one that was begun is forgotten.
    fn swap(&self) -> Result<()>;
}

/// Stops questions: a clone of it goes with them.
#[derive(Clone, Default)]
pub struct Stop {
    inner: Arc<Stopping>,
}

#[derive(Default)]
struct Stopping {
    stopped: AtomicBool,
    /// What to do to each question that is being answered.
    running: Mutex<Vec<(u64, Interrupt)>>,
}

type Interrupt = Box<dyn Fn() + Send>;

impl Stop {
    /// One that has not been used.
    pub fn new() -> Stop {
        Stop::default()
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

    /// Has `interrupt` called by [`Stop::stop`] until what this gives back is
    /// dropped.
    fn watch(&self, interrupt: impl Fn() + Send + 'static) -> Watch {
        let mut running = lock(&self.inner.running);
        let number = running.last().map_or(0, |(last, _)| last + 1);
        running.push((number, Box::new(interrupt)));
        Watch { stop: self.clone(), number }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("stopped", &self.is_stopped()).finish()
    }
}

struct Watch {
    stop: Stop,
    number: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&self.stop.inner.running).retain(|(number, _)| *number != self.number);
    }
}

/// The content of a mutex. Nothing here leaves it half changed, so a panic
/// elsewhere under it does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
