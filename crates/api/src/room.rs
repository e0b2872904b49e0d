//! Memory that requests share, so that many large ones cannot have it all.

use crate::error::ApiError;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How long a request waits for its share.
const PATIENCE: Duration = Duration::from_secs(1);

/// So much memory.
pub(crate) struct Room {
    kib: usize,
    free: Semaphore,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        let kib = bytes >> 10;
        Self { kib, free: Semaphore::new(kib) }
    }

    /// A share that is empty yet.
    pub(crate) fn share(&self) -> Share<'_> {
        Share { room: self, held: None }
    }
}

/// What one request has of a [`Room`]; it goes back with this.
pub(crate) struct Share<'r> {
    room: &'r Room,
    held: Option<SemaphorePermit<'r>>,
}

impl Share<'_> {
    /// Makes it as large as this, or as all there is.
    ///
    /// # Errors
    /// `Unavailable` when there is no room for a second; it stays as it was.
    pub(crate) async fn resize(&mut self, bytes: usize) -> Result<(), ApiError> {
        let held = self.held.as_ref().map_or(0, SemaphorePermit::num_permits);
        let wanted = bytes.div_ceil(1 << 10).min(self.room.kib);
        if wanted <= held {
            drop(self.held.as_mut().and_then(|permit| permit.split(held - wanted)));
            return Ok(());
        }
        let more = u32::try_from(wanted - held).unwrap_or(u32::MAX);
        let more = tokio::time::timeout(PATIENCE, self.room.free.acquire_many(more)).await;
        let Ok(Ok(more)) = more else { return Err(ApiError::Unavailable { retry_after_s: 1 }) };
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
    async fn shares_grow_shrink_and_go_back() {
        let room = Room::new(10 << 10);
        let (mut one, mut other) = (room.share(), room.share());
        one.resize(6 << 10).await.unwrap();
        other.resize(4 << 10).await.unwrap();
        let more = tokio::time::timeout(Duration::from_millis(20), other.resize(5 << 10));
        assert!(more.await.is_err(), "it waits");
        one.resize(1).await.unwrap();
        other.resize(9 << 10).await.unwrap();
        assert_eq!(room.free.available_permits(), 0);
        drop(one);
        // More than all there is means all of it.
        other.resize(1 << 30).await.unwrap();
        drop(other);
        assert_eq!(room.free.available_permits(), 10);
    }
}
