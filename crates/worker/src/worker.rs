//! Runs tasks.

use crate::status::{TaskOutcome, TaskStatus};
use crate::task::{Context, Dependency, Progress, RunError, Task};
use futures_util::FutureExt;
use muriel_domain::Instant;
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant as Tick;

/// Number of failures in a row from which on a task counts as failing. One or two may be an interruption.
pub const FAILING_AFTER: u32 = 3;
/// Number of runs after which [`Worker::run_until_idle`] gives up, because a task that is always due would never end
/// it.
pub const RUNS_MAX: usize = 10_000;
/// Time for which [`Worker::stop`] waits for aborted runs to be dropped. A run that blocks its thread is never dropped.
const ABORT_TIMEOUT: Duration = Duration::from_millis(250);

/// Clock: returns the current time.
pub type Now = Arc<dyn Fn() -> Instant + Send + Sync>;

/// Error of [`Worker::run_until_idle`]: it made [`RUNS_MAX`] runs, and some task was still due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// Name of the task that was due next.
    pub task: &'static str,
}

type IsAvailable = Arc<dyn Fn(Dependency) -> bool + Send + Sync>;
type OnRun = Arc<dyn Fn(&TaskStatus) + Send + Sync>;

/// Runs tasks on their timers. Clones share the tasks.
#[derive(Clone)]
pub struct Worker {
    now: Now,
    is_available: IsAvailable,
    on_run: OnRun,
    slots: Arc<Mutex<Vec<Arc<Slot>>>>,
    running: Arc<Mutex<Vec<JoinHandle<()>>>>,
    stop: watch::Sender<bool>,
}

/// A registered task.
struct Slot {
    /// Locked while the task runs, so that it never overlaps with itself.
    task: tokio::sync::Mutex<Task>,
    /// Locked only briefly.
    state: Mutex<State>,
}

struct State {
    status: TaskStatus,
    /// Time of the next run by the monotonic clock; `None` for never.
    due: Option<Due>,
}

#[derive(Clone, Copy)]
struct Due {
    tick: Tick,
    /// Due time by the worker's clock, which may be moved.
    at: Instant,
    pause: Duration,
}

impl Worker {
    /// Creates a worker without tasks. `is_available` returns whether a dependency is available, as far as
    /// that is known without a request. A task that finds it unavailable later returns [`RunError::Waiting`].
    pub fn new(now: Now, is_available: impl Fn(Dependency) -> bool + Send + Sync + 'static) -> Self {
        Self {
            now,
            is_available: Arc::new(is_available),
            on_run: Arc::new(|_| {}),
            slots: Arc::default(),
            running: Arc::default(),
            stop: watch::channel(false).0,
        }
    }

    /// Sets an observer. It is called with a task's status after each run and each check of an unavailable
    /// dependency, and once when a run becomes overdue: then the status says that the task is running.
    #[must_use]
    pub fn on_run(mut self, observe: impl Fn(&TaskStatus) + Send + Sync + 'static) -> Self {
        self.on_run = Arc::new(observe);
        self
    }

    /// Adds a task. A task that is added after [`Worker::start`] starts at once.
    pub fn register(&self, task: Task) {
        let status = TaskStatus {
            name: task.name,
            period: task.period,
            needs: task.needs.clone(),
            is_running: false,
            is_overdue: false,
            outcome: TaskOutcome::Pending,
            consecutive_failures: 0,
            runs: 0,
            failures: 0,
            last_started_at: None,
            last_duration: None,
            last_succeeded_at: None,
            next_due_at: None,
        };
        let due = self.due_after(task.initial_delay);
        let state = Mutex::new(State { status, due: Some(due) });
        let slot = Arc::new(Slot { task: tokio::sync::Mutex::new(task), state });
        locked(&self.slots).push(slot.clone());
        let mut running = locked(&self.running);
        if !running.is_empty() && !*self.stop.borrow() {
            running.push(self.spawn(slot));
        }
    }

    /// Starts a timer for each task.
    pub fn start(&self) {
        let slots = locked(&self.slots).clone();
        let mut running = locked(&self.running);
        running.extend(slots.into_iter().map(|slot| self.spawn(slot)));
    }

    fn spawn(&self, slot: Arc<Slot>) -> JoinHandle<()> {
        let (worker, mut stopped) = (self.clone(), self.stop.subscribe());
        tokio::spawn(async move {
            loop {
                let Some(due) = locked(&slot.state).due else { return };
                tokio::select! {
                    biased;
                    _ = stopped.wait_for(|set| *set) => return,
                    () = tokio::time::sleep_until(due.tick) => {}
                }
                worker.run(&slot).await;
            }
        })
    }

    /// Prevents further runs. Does not wait for runs in progress: [`Worker::stop`] does.
    pub fn signal_stop(&self) {
        self.stop.send_replace(true);
    }

    /// Prevents further runs, and waits for those in progress. Runs that take longer than `timeout` are dropped at the
    /// point where they wait. A run that never waits keeps its thread, but not the caller, as long as another thread of
    /// the runtime drives its timers.
    pub async fn stop(&self, timeout: Duration) {
        self.signal_stop();
        let mut running = std::mem::take(&mut *locked(&self.running));
        let end = Tick::now() + timeout;
        for task in &mut running {
            if tokio::time::timeout_at(end, &mut *task).await.is_err() {
                task.abort();
            }
        }
        let end = Tick::now() + ABORT_TIMEOUT;
        for task in running.into_iter().filter(|task| !task.is_finished()) {
            let _ = tokio::time::timeout_at(end, task).await;
        }
    }

    /// Runs every task that is due by the clock until none is: the one that has been due longest first, and those due
    /// at the same time in the order of their registration. For tests with a clock that stands still: no timer runs. A
    /// task that was due several times runs once. Returns the number of runs.
    ///
    /// # Errors
    /// [`Stuck`] when there is always another task due.
    pub async fn run_until_idle(&self) -> Result<usize, Stuck> {
        let mut runs = 0;
        while let Some(slot) = self.next_due() {
            if runs == RUNS_MAX {
                return Err(Stuck { task: locked(&slot.state).status.name });
            }
            self.run(&slot).await;
            runs += 1;
        }
        Ok(runs)
    }

    /// Runs the task of this name at once, after its run in progress. Returns false when there is no such task. For
    /// tests: if the task ran and changed nothing, there was nothing to do.
    pub async fn run_now(&self, name: &str) -> bool {
        let slot = locked(&self.slots).iter().find(|slot| locked(&slot.state).status.name == name).cloned();
        let Some(slot) = slot else { return false };
        self.run(&slot).await;
        true
    }

    fn next_due(&self) -> Option<Arc<Slot>> {
        let now = (self.now)();
        let slots = locked(&self.slots).clone();
        let due = slots.into_iter().filter_map(|slot| {
            let mut state = locked(&slot.state);
            let due = state.due.as_mut()?;
            // The clock was set back: the task waits for its pause, not for the days in between.
            due.at = due.at.min(later(now, due.pause));
            let at = due.at;
            drop(state);
            (at <= now).then_some((at, slot))
        });
        // Of equal times, the first is taken.
        due.min_by_key(|(at, _)| *at).map(|(_, slot)| slot)
    }

    fn due_after(&self, pause: Duration) -> Due {
        Due { tick: Tick::now() + pause, at: later((self.now)(), pause), pause }
    }

    /// Runs a task once, unless one of its dependencies is unavailable.
    async fn run(&self, slot: &Slot) {
        let mut task = slot.task.lock().await;
        let away = task.needs.iter().copied().find(|dependency| !(self.is_available)(*dependency));
        let started = Tick::now();
        let result = match away {
            Some(need) => Err(RunError::Waiting(need)),
            None => {
                let now = (self.now)();
                {
                    let mut state = locked(&slot.state);
                    state.status.is_running = true;
                    state.status.last_started_at = Some(now);
                    state.due = None;
                }
                let limit = task.run_limit;
                // The future is created inside, because creating it may panic too.
                let run = AssertUnwindSafe(async { (task.run)(Context { now }).await }).catch_unwind();
                let mut run = std::pin::pin!(run);
                let ended = match tokio::time::timeout(limit, &mut run).await {
                    Ok(ended) => ended,
                    Err(_) => {
                        self.report_overdue(slot, limit);
                        run.await
                    }
                };
                ended.unwrap_or_else(|panic| Err(panicked(&*panic)))
            }
        };
        let status = self.finish(slot, &task, result, started.elapsed());
        (self.on_run)(&status);
    }

    /// Marks a run that takes longer than `limit` as failing. The run continues, because dropping it could leave its
    /// work half done.
    fn report_overdue(&self, slot: &Slot, limit: Duration) {
        let mut state = locked(&slot.state);
        state.status.is_overdue = true;
        let status = state.status.clone();
        drop(state);
        tracing::warn!(task = status.name, limit_s = limit.as_secs(), "the task has been running for too long");
        (self.on_run)(&status);
    }

    /// Stores the result of a run, logs the first failure and the first success after failures, and sets the time of the
    /// next run.
    fn finish(&self, slot: &Slot, task: &Task, result: Result<Progress, RunError>, took: Duration) -> TaskStatus {
        let ended_at = (self.now)();
        let mut state = locked(&slot.state);
        let State { status, due } = &mut *state;
        status.is_running = false;
        let was_overdue = std::mem::take(&mut status.is_overdue);
        let was_failing = matches!(status.outcome, TaskOutcome::Failed(_)) || status.consecutive_failures > 0;
        if !matches!(result, Err(RunError::Waiting(_))) {
            status.runs += 1;
            status.last_duration = Some(took);
        }
        let mut pause = task.period;
        status.outcome = match result {
            Ok(progress) => {
                if was_failing || was_overdue {
                    tracing::info!(task = task.name, failures = status.consecutive_failures, "the task works again");
                }
                status.consecutive_failures = 0;
                status.last_succeeded_at = Some(ended_at);
                pause = task.pause(0, took);
                match progress {
                    Progress::Continue => TaskOutcome::Ok,
                    Progress::Finished => TaskOutcome::Finished,
                }
            }
            Err(RunError::Waiting(need)) => TaskOutcome::Waiting(need),
            Err(RunError::Failed(reason)) => {
                status.failures += 1;
                status.consecutive_failures = status.consecutive_failures.saturating_add(1);
                if !was_failing {
                    tracing::warn!(task = task.name, error = reason, "the task failed and is retried");
                }
                pause = task.pause(status.consecutive_failures, took);
                TaskOutcome::Failed(reason)
            }
        };
        *due = (status.outcome != TaskOutcome::Finished).then(|| self.due_after(pause));
        let mut status = status.clone();
        status.next_due_at = due.map(|due| due.at);
        status
    }

    /// State of each task, in the order of their registration.
    pub fn statuses(&self) -> Vec<TaskStatus> {
        let (now, tick) = ((self.now)(), Tick::now());
        let has_timers = !locked(&self.running).is_empty();
        let slots = locked(&self.slots).clone();
        slots
            .iter()
            .map(|slot| {
                let state = locked(&slot.state);
                let next_due_at = state.due.map(|due| match has_timers {
                    // The clock may have been set since then.
                    true => later(now, due.tick.saturating_duration_since(tick)),
                    false => due.at,
                });
                TaskStatus { next_due_at, ..state.status.clone() }
            })
            .collect()
    }
}

fn later(at: Instant, by: Duration) -> Instant {
    Instant::from_us(at.us().saturating_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX)))
}

fn panicked(panic: &(dyn Any + Send)) -> RunError {
    let message = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    RunError::Failed(format!("it panicked: {}", message.unwrap_or("without a message")))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
