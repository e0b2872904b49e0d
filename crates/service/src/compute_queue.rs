//! Queues for computations of one kind, so that other requests keep the processor.

use muriel_context::error::{Error, Result};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most simulations that wait or run at the same time.
pub(crate) const SIMULATIONS_MAX: usize = 4;
/// Most programmes that are computed or wait for it at the same time.
pub(crate) const PROGRAMMES_MAX: usize = 16;

/// Seconds after which a refused request may be sent again.
const RETRY_AFTER_S: u64 = 2;

/// Runs one computation at a time, and refuses requests while too many wait.
#[derive(Debug)]
pub(crate) struct ComputeQueue {
    places: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

/// Permission to compute. The next computation begins when it is dropped, so the computation has to own
/// it: a cancelled request does not end work that runs on another thread.
#[derive(Debug)]
pub(crate) struct ComputePermit {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl ComputeQueue {
    /// Creates a queue for this many computations, including the running one.
    pub(crate) fn new(places: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), running: Arc::new(Semaphore::new(1)) }
    }

    /// Waits until no other computation runs.
    ///
    /// # Errors
    /// `Unavailable` when the queue is full.
    pub(crate) async fn turn(&self) -> Result<ComputePermit> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| Self::full())?;
        let turn = self.running.clone().acquire_owned().await.map_err(|_| Self::full())?;
        Ok(ComputePermit { _place: place, _turn: turn })
    }

    /// Returns the error for a request that has to be sent again later.
    pub(crate) fn full() -> Error {
        Error::Unavailable { retry_after_s: RETRY_AFTER_S }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_runs_others_wait_and_the_rest_is_refused() {
        let queue = Arc::new(ComputeQueue::new(2));
        let first = queue.turn().await.expect("the first turn");
        let waiting = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.turn().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        assert!(matches!(queue.turn().await, Err(Error::Unavailable { retry_after_s: RETRY_AFTER_S })));
        drop(first);
        let second = waiting.await.expect("no panic").expect("the second turn");
        drop(second);
        queue.turn().await.expect("the queue is empty again");
    }
}
