//! Lag of the warehouse behind the log.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Measures how long events have waited for the warehouse.
#[derive(Debug, Default)]
pub(crate) struct LoadingLag {
    /// The last block of the log at this time, which was not loaded then.
    waiting: Mutex<Option<(i64, Instant)>>,
}

impl LoadingLag {
    /// Returns a lower bound of how long the oldest event has waited, when the warehouse has everything
    /// up to `loaded`. The time counts from the first call at which the log had that event.
    pub(crate) fn observe(&self, head: i64, loaded: i64, now: Instant) -> Duration {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match *waiting {
            Some((seq, since)) if loaded < seq => now.saturating_duration_since(since),
            _ => {
                *waiting = (loaded < head).then_some((head, now));
                Duration::ZERO
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_that_of_the_oldest_event() {
        let (lag, start) = (LoadingLag::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let observed = |head, loaded, seconds| lag.observe(head, loaded, at(seconds)).as_secs();
        assert_eq!([observed(5, 5, 0), observed(6, 5, 10), observed(7, 5, 20), observed(9, 5, 80)], [0, 0, 10, 70]);
        // Loading continues, and the lag counts only the events that came after the first observation.
        assert_eq!([observed(9, 6, 90), observed(9, 8, 100), observed(9, 9, 110)], [0, 10, 0]);
        assert_eq!(observed(9, 9, 500), 0);
    }
}
