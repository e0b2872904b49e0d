//! Removes keys and networks that the rate limits do not need any more.

use muriel_http::limits::{Limits, SWEEP_EVERY};
use muriel_worker::{Progress, Task};
use std::sync::Arc;

/// Removes all with a full bucket, and frees their memory.
pub(crate) fn sweep_rate_limits(limits: Arc<Limits>) -> Task {
    Task::new("sweep_rate_limits", SWEEP_EVERY, move |_| {
        limits.sweep();
        async { Ok(Progress::Continue) }
    })
}
