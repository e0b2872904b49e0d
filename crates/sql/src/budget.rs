//! How long a request may wait for the database, over all its transactions.

use std::cell::Cell;
use std::future::Future;
use std::time::{Duration, Instant};

tokio::task_local! {
    static LEFT: Cell<Duration>;
}

/// Runs `future` with so much time for all of its transactions together. Those that
/// find none left answer [`Error::Unavailable`](crate::Error::Unavailable), and a commit that is under way then
/// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown).
///
/// Only time that is spent waiting for the database counts. What the future spawns has
/// no such bound.
pub async fn within<F: Future>(time: Duration, future: F) -> F::Output {
    LEFT.scope(Cell::new(time), future).await
}

/// What is left of the time of this request; `None` outside of one.
pub(crate) fn left() -> Option<Duration> {
    LEFT.try_with(Cell::get).ok()
}

/// Takes from the time of this request what has passed since it was made.
pub(crate) struct Spending(Instant);

impl Spending {
    pub(crate) fn begin() -> Spending {
        Spending(Instant::now())
    }
}

impl Drop for Spending {
    fn drop(&mut self) {
        let spent = self.0.elapsed();
        let _ = LEFT.try_with(|left| left.set(left.get().saturating_sub(spent)));
    }
}
