//! The source of the current time.

use muriel_domain::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A clock: the system's, or one that tests move.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A clock that stands still until a test moves it, in microseconds since 1970.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The current time.
    pub fn now(&self) -> Instant {
        match self {
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Instant::from_us(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
            }
            Clock::Manual(us) => Instant::from_us(us.load(Ordering::SeqCst)),
        }
    }
}
