//! Memory budgets that requests share, so that a few large requests cannot take all of it.

use muriel_context::error::Error;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Timeout of a request that waits for memory.
const WAIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A memory budget, counted in KiB.
pub struct MemoryBudget {
    kib: usize,
    free: Semaphore,
}

impl MemoryBudget {
    /// Creates a budget of this many bytes, all of them free.
    pub fn new(bytes: usize) -> Self {
        let kib = bytes >> 10;
        Self { kib, free: Semaphore::new(kib) }
    }

    /// Returns an empty reservation, to be resized.
    pub fn reserve(&self) -> Reservation<'_> {
        Reservation { budget: self, held: None }
    }
}

/// The share of a [`MemoryBudget`] that one request holds. Dropping it returns the memory.
pub struct Reservation<'r> {
    budget: &'r MemoryBudget,
    held: Option<SemaphorePermit<'r>>,
}

impl Reservation<'_> {
    /// Resizes the reservation to this many bytes, or to the whole budget where that is smaller.
    ///
    /// # Errors
    /// `Unavailable` when the memory is not free within a second. The reservation stays as it was.
    pub async fn resize(&mut self, bytes: usize) -> Result<(), Error> {
        let held = self.held.as_ref().map_or(0, SemaphorePermit::num_permits);
        let wanted = bytes.div_ceil(1 << 10).min(self.budget.kib);
        if wanted <= held {
            drop(self.held.as_mut().and_then(|permit| permit.split(held - wanted)));
            return Ok(());
        }
        let more = u32::try_from(wanted - held).unwrap_or(u32::MAX);
        let more = tokio::time::timeout(WAIT_TIMEOUT, self.budget.free.acquire_many(more)).await;
        let Ok(Ok(more)) = more else { return Err(Error::Unavailable { retry_after_s: 1 }) };
        match &mut self.held {
            Some(permit) => permit.merge(more),
            None => self.held = Some(more),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reservations_grow_shrink_and_go_back() {
        let budget = MemoryBudget::new(10 << 10);
        let (mut one, mut other) = (budget.reserve(), budget.reserve());
        one.resize(6 << 10).await.unwrap();
        other.resize(4 << 10).await.unwrap();
        let more = tokio::time::timeout(Duration::from_millis(20), other.resize(5 << 10));
        assert!(more.await.is_err(), "it waits");
        one.resize(1).await.unwrap();
        other.resize(9 << 10).await.unwrap();
        assert_eq!(budget.free.available_permits(), 0);
        drop(one);
        // A request for more than the budget gets all of it.
        other.resize(1 << 30).await.unwrap();
        drop(other);
        assert_eq!(budget.free.available_permits(), 10);
    }
}
