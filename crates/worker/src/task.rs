//! What a task is.

use muriel_domain::Instant;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

/// A future on the heap.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The longest pause after a failure, unless the task's period is longer.
pub const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How long a run may take before the task counts as failing, unless the task's period is longer. A run is not cut short:
/// a migration or an index that is built anew may need the time.
pub const RUN_LIMIT: Duration = Duration::from_secs(600);

/// Something that a task cannot work without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// The database with experiments, people and keys.
    Database,
    /// The event log. A full disk keeps it closed at the start.
    EventLog,
    /// What answers questions about events.
    Warehouse,
    /// Free space on the disk of the data directory.
    DiskSpace,
}

impl Need {
    /// In words, for people: `the database`.
    pub fn words(self) -> &'static str {
        match self {
            Need::Database => "the database",
            Need::EventLog => "the event log",
            Need::Warehouse => "the warehouse",
            Need::DiskSpace => "free disk space",
        }
    }
}

/// What a run is given.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The time by the worker's clock when the run started.
    pub now: Instant,
}

/// Whether a task goes on after a successful run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It runs again after its period.
    Continue,
    /// Its work is done for as long as the process lives.
    Finished,
}

/// Why a run did not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// Something that it needs is away. This is not a failure of the task: it is tried again after the period.
    Waiting(Need),
    /// It failed, for this reason.
    Failed(String),
}

impl RunError {
    /// A failure, with the causes of the error in one sentence.
    pub fn failed(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let sentence = error.to_string();
            // Some errors repeat their cause in their own text.
            if !text.ends_with(&sentence) {
                text.push_str(": ");
                text.push_str(&sentence);
            }
            cause = error.source();
        }
        Self::Failed(text)
    }
}

pub(crate) type Run = Box<dyn FnMut(Context) -> BoxFuture<Result<Progress, RunError>> + Send>;

/// Something that is done again and again.
pub struct Task {
    pub(crate) name: &'static str,
    pub(crate) period: Duration,
    pub(crate) initial_delay: Duration,
    pub(crate) max_backoff: Duration,
    pub(crate) rest_factor: u32,
    pub(crate) run_limit: Duration,
    pub(crate) needs: Vec<Need>,
    pub(crate) run: Run,
}

impl Task {
    /// A task that runs every `period`, counted from the end of a run to the start of the next, and for the first time one
    /// period after the start. `name` is lower case with underscores; it is a label of metrics. A period of zero counts as
    /// a millisecond.
    pub fn new<F, R>(name: &'static str, period: Duration, mut run: F) -> Self
    where
        F: FnMut(Context) -> R + Send + 'static,
        R: Future<Output = Result<Progress, RunError>> + Send + 'static,
    {
        let period = period.max(Duration::from_millis(1));
        Self {
            name,
            period,
            initial_delay: period,
            max_backoff: MAX_BACKOFF.max(period),
            rest_factor: 0,
            run_limit: RUN_LIMIT.max(period),
            needs: Vec::new(),
            run: Box::new(move |context| Box::pin(run(context))),
        }
    }

    /// Runs for the first time at once.
    #[must_use]
    pub fn at_once(self) -> Self {
        Self { initial_delay: Duration::ZERO, ..self }
    }

    /// The task does not run while this is known to be away.
    #[must_use]
    pub fn needs(mut self, need: Need) -> Self {
        self.needs.push(need);
        self
    }

    /// A run may take this long before the task counts as failing, if that is longer than its period.
    #[must_use]
    pub fn run_limit(self, limit: Duration) -> Self {
        Self { run_limit: limit.max(self.period), ..self }
    }

    /// Failures lengthen the pause no further than this, which is at least the period.
    #[must_use]
    pub fn max_backoff(self, longest: Duration) -> Self {
        Self { max_backoff: longest.max(self.period), ..self }
    }

    /// The pause after a run is at least so many times as long as the run, so that the task takes at most
    /// 1 / (`factor` + 1) of the time.
    #[must_use]
    pub fn rest_factor(self, factor: u32) -> Self {
        Self { rest_factor: factor, ..self }
    }

    /// How long to wait after a run that took `duration`, the last of `failures` failures in a row.
    pub(crate) fn pause(&self, failures: u32, duration: Duration) -> Duration {
        let doubled = self.period.saturating_mul(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX));
        let backoff = if failures == 0 { self.period } else { doubled.min(self.max_backoff) };
        backoff.max(duration.saturating_mul(self.rest_factor))
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("name", &self.name).field("period", &self.period).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn every(period: Duration) -> Task {
        Task::new("test", period, |_| async { Ok(Progress::Continue) })
    }

    #[test]
    fn pauses_double_up_to_a_minute() {
        let pauses =
            |task: Task| [0, 1, 2, 3, 4, 5, 6, 40].map(|failures| task.pause(failures, Duration::ZERO).as_secs());
        assert_eq!(pauses(every(Duration::from_secs(5))), [5, 5, 10, 20, 40, 60, 60, 60]);
        assert_eq!(pauses(every(Duration::from_secs(3_600))), [3_600; 8]);
        assert_eq!(pauses(every(Duration::from_secs(5)).max_backoff(Duration::from_secs(5))), [5; 8]);
    }

    #[test]
    fn a_task_rests_for_a_multiple_of_its_run() {
        let task = every(Duration::from_secs(5)).rest_factor(4);
        assert_eq!(task.pause(0, Duration::from_secs(1)), Duration::from_secs(5));
        assert_eq!(task.pause(0, Duration::from_secs(10)), Duration::from_secs(40));
    }

    proptest! {
        #[test]
        fn a_pause_is_never_shorter_than_the_period(
            period_ms in 0_u64..10_000_000, failures: u32, took_ms in 0_u64..10_000_000, factor in 0_u32..10,
        ) {
            let task = every(Duration::from_millis(period_ms)).rest_factor(factor);
            let took = Duration::from_millis(took_ms);
            let pause = task.pause(failures, took);
            prop_assert!(pause >= task.period && pause >= took * factor && pause > Duration::ZERO);
            prop_assert!(pause <= task.max_backoff.max(took * factor));
        }
    }
}
