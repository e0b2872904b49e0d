//! The state of tasks, for operators.

use crate::task::Need;
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
    /// It waits for this.
    Waiting(Need),
    /// It failed, for this reason.
    Failed(String),
}

impl TaskOutcome {
    /// In one word: `pending`, `ok`, `finished`, `waiting` or `failed`.
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
    /// As given to [`Task::new`](crate::Task::new): lower case with underscores.
    pub name: &'static str,
    /// From the end of a run to the start of the next, when all goes well.
    pub period: Duration,
    /// What the task cannot work without.
    pub needs: Vec<Need>,
    /// Whether it runs at this moment.
    pub is_running: bool,
    /// Whether the run under way has taken longer than [`RUN_LIMIT`](crate::RUN_LIMIT), or the task's period if that is
    /// longer.
    pub is_overdue: bool,
    /// The result of the latest run, or of the latest look at what the task needs.
    pub outcome: TaskOutcome,
    /// Failures since the last run that succeeded.
    pub consecutive_failures: u32,
    /// Runs that ended, failed ones included. Waiting for something that is away is not a run.
    pub runs: u64,
    /// Runs that failed.
    pub failures: u64,
    /// When the latest run started, by the clock.
    pub last_started_at: Option<Instant>,
    /// How long the latest run took, of those that have ended.
    pub last_duration: Option<Duration>,
    /// When the latest successful run ended, by the clock.
    pub last_succeeded_at: Option<Instant>,
    /// When it runs again, by the clock; `None` while it runs and after it has finished.
    pub next_due_at: Option<Instant>,
}

impl TaskStatus {
    /// Whether somebody should look: it has failed several times in a row, or its run does not end.
    pub fn is_failing(&self) -> bool {
        self.is_overdue || self.consecutive_failures >= crate::FAILING_AFTER
    }
}
