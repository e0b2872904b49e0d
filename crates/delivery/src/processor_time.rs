//! Processor time for tests of cost. Wall-clock time would depend on the machine's other work.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Processor time that this thread has used.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap_or(0))
}
