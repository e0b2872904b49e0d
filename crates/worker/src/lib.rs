//! Runs periodic tasks.
//!
//! A [`Task`] has a name, a period and a function. A [`Worker`] runs each registered task on its own timer: a task
//! never overlaps with itself, a run that fails or panics does not end the task, and [`Worker::statuses`] returns the
//! state of each. Timers follow the monotonic clock, so setting the machine's clock neither skips a run nor repeats
//! one; only the times shown to people come from the machine's clock.
//!
//! Tests do not start timers: [`Worker::run_until_idle`] runs what is due by a clock that they move.

mod status;
mod task;
pub mod tasks;
mod worker;

pub use status::{TaskOutcome, TaskStatus};
pub use task::{BoxFuture, Context, Dependency, MAX_BACKOFF, Progress, RUN_LIMIT, RunError, Task};
pub use worker::{FAILING_AFTER, Now, RUNS_MAX, Stuck, Worker};
