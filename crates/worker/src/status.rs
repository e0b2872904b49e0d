//! The state of tasks, for operators.

use crate::task::Dependency;
use muriel_domain::Instant;
use std::time::Duration;

/// The result of a task's latest run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskOutcome {
    /// It has not run yet.
    Pending,
    /// It did its work.
    Ok,
    /// It did its work and does not run again.
    Finished,
    /// It waits for this dependency.
    Waiting(Dependency),
    /// It failed, for the reason given.
    Failed(String),
}

impl TaskOutcome {
    /// Result in one word: `pending`, `ok`, `finished`, `waiting` or `failed`.
    pub fn word(&self) -> &'static str {
        match self {
            TaskOutcome::Pending => "pending",
            TaskOutcome::Ok => "ok",
            TaskOutcome::Finished => "finished",
            TaskOutcome::Waiting(_) => "waiting",
            TaskOutcome::Failed(_) => "failed",
        }
    }
}

/// The state of a task at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskStatus {
    /// Name, as given to [`Task::new`](crate::Task::new): lower case with underscores.
    pub name: &'static str,
    /// Pause from the end of a run to the start of the next, when all goes well.
    pub period: Duration,
    /// Dependencies without which the task cannot run.
    pub needs: Vec<Dependency>,
    /// True while it runs.
    pub is_running: bool,
    /// True when the current run has taken longer than [`RUN_LIMIT`](crate::RUN_LIMIT), or the task's period if that is
    /// longer.
    pub is_overdue: bool,
    /// Result of the latest run, or of the latest check of the task's dependencies.
    pub outcome: TaskOutcome,
    /// Number of failures since the last successful run.
    pub consecutive_failures: u32,
    /// Number of runs that ended, including failed ones. Waiting for a dependency is not a run.
    pub runs: u64,
    /// Number of runs that failed.
    pub failures: u64,
    /// Start of the latest run, by the clock.
    pub last_started_at: Option<Instant>,
    /// Duration of the latest run that has ended.
    pub last_duration: Option<Duration>,
    /// End of the latest successful run, by the clock.
    pub last_succeeded_at: Option<Instant>,
    /// Time of the next run, by the clock; `None` while it runs and after it has finished.
    pub next_due_at: Option<Instant>,
}

impl TaskStatus {
    /// Returns whether the task needs attention: it has failed several times in a row, or its run does not end.
    pub fn is_failing(&self) -> bool {
        self.is_overdue || self.consecutive_failures >= crate::FAILING_AFTER
    }
}
