//! Time budget of a request for the database, over all its transactions.

use std::cell::Cell;
use std::future::Future;
use std::time::{Duration, Instant};

tokio::task_local! {
    static LEFT: Cell<Duration>;
}

/// Runs `future` with a budget of `time` for all of its transactions together. A transaction without time left fails
/// with [`Error::Unavailable`](crate::Error::Unavailable), and a commit in progress at that moment with
/// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown).
///
/// Only time spent waiting for the database counts. Tasks that the future spawns are not limited.
pub async fn within<F: Future>(time: Duration, future: F) -> F::Output {
    LEFT.scope(Cell::new(time), future).await
}

/// Remaining budget of this request; `None` outside of [`within`].
pub(crate) fn left() -> Option<Duration> {
    LEFT.try_with(Cell::get).ok()
}

/// Subtracts the time since its creation from the request's budget when it is dropped.
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
