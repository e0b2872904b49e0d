//! Processor time, for tests of cost. Elapsed time depends too much on the machine's other
//! work.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Processor time used by this thread.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap_or(0))
}
