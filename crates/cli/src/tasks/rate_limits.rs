//! Forgets the keys and networks that the rate limits need no longer.

use muriel_api::limits::{Limits, SWEEP_EVERY};
use muriel_worker::{Progress, Task};
use std::sync::Arc;

/// Forgets all whose bucket is full again, and gives their memory back.
pub(crate) fn sweep_rate_limits(limits: Arc<Limits>) -> Task {
    Task::new("sweep_rate_limits", SWEEP_EVERY, move |_| {
        limits.sweep();
        async { Ok(Progress::Continue) }
    })
}
