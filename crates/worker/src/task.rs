//! Tasks, and the results of their runs.

use muriel_domain::Instant;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

/// A future on the heap.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Longest pause after a failure, unless the task's period is longer.
pub const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// Time that a run may take before the task counts as failing, unless the task's period is longer. A run is not
/// cancelled: a migration or a rebuilt index may need the time.
pub const RUN_LIMIT: Duration = Duration::from_secs(600);

/// Dependency of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dependency {
    /// The database with experiments, people and keys.
    Database,
    /// The event log. A full disk keeps it closed at the start.
    EventLog,
    /// The warehouse, which answers questions about events.
    Warehouse,
    /// Free space on the disk of the data directory.
    DiskSpace,
}

impl Dependency {
    /// Name for people, such as `the database`.
    pub fn words(self) -> &'static str {
        match self {
            Dependency::Database => "the database",
            Dependency::EventLog => "the event log",
            Dependency::Warehouse => "the warehouse",
            Dependency::DiskSpace => "free disk space",
        }
    }
}

/// Input of a run.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Time by the worker's clock at the start of the run.
    pub now: Instant,
}

/// Continuation of a task after a successful run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It runs again after its period.
    Continue,
    /// The work is done for the lifetime of the process.
    Finished,
}

/// Reason why a run did not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunError {
    /// Something that it needs is not available. This is not a failure of the task: it is tried again after the period.
    Waiting(Dependency),
    /// It failed, for the reason given.
    Failed(String),
}

impl RunError {
    /// Converts an error to a failure, with its causes in one sentence.
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

/// A function that runs periodically.
pub struct Task {
    pub(crate) name: &'static str,
    pub(crate) period: Duration,
    pub(crate) initial_delay: Duration,
    pub(crate) max_backoff: Duration,
    pub(crate) rest_factor: u32,
    pub(crate) run_limit: Duration,
    pub(crate) needs: Vec<Dependency>,
    pub(crate) run: Run,
}

impl Task {
    /// Creates a task that runs every `period`, counted from the end of a run to the start of the next. The first run
    /// is one period after the start. `name` is lower case with underscores; it is a label of metrics. A period of zero
    /// counts as a millisecond.
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

    /// Makes the first run start at once.
    #[must_use]
    pub fn at_once(self) -> Self {
        Self { initial_delay: Duration::ZERO, ..self }
    }

    /// Adds a dependency. The task does not run while the dependency is known to be unavailable.
    #[must_use]
    pub fn needs(mut self, dependency: Dependency) -> Self {
        self.needs.push(dependency);
        self
    }

    /// Sets the time that a run may take before the task counts as failing, if that is longer than its period.
    #[must_use]
    pub fn run_limit(self, limit: Duration) -> Self {
        Self { run_limit: limit.max(self.period), ..self }
    }

    /// Sets the longest pause after failures, which is at least the period.
    #[must_use]
    pub fn max_backoff(self, longest: Duration) -> Self {
        Self { max_backoff: longest.max(self.period), ..self }
    }

    /// Makes the pause after a run at least `factor` times as long as the run, so that the task takes at most 1 /
    /// (`factor` + 1) of the time.
    #[must_use]
    pub fn rest_factor(self, factor: u32) -> Self {
        Self { rest_factor: factor, ..self }
    }

    /// Pause after a run that took `duration`, the last of `failures` failures in a row.
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
