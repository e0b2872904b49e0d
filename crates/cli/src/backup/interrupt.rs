//! Ends a backup cleanly on SIGINT or SIGTERM: partial data is removed, and the lock is
//! released. A second signal ends the process at once.

use crate::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// Interval at which a wait checks for a signal.
const STEP: Duration = Duration::from_millis(100);

/// Catches SIGINT and SIGTERM from now on.
pub(super) fn catch() -> Result<()> {
    let asked = ASKED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM] {
        let shut_down = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, asked.clone());
        let noted = shut_down.and_then(|_| signal_hook::flag::register(signal, asked.clone()));
        noted.map_err(|error| Error::Other(error.into()))?;
    }
    Ok(())
}

pub(super) fn is_asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.load(Ordering::Relaxed))
}

/// Checks whether the process was asked to end.
/// \n
/// # Errors
/// [`Error::Interrupted`] when the process was asked to end.
pub(super) fn check() -> Result<()> {
    if is_asked() { Err(Error::Interrupted) } else { Ok(()) }
}

/// Like [`check`], for functions that copy.
pub(super) fn check_io() -> io::Result<()> {
    check().map_err(|error| io::Error::other(error.to_string()))
}

/// Waits for `time`, or less if the process is asked to end.
pub(super) fn sleep(time: Duration) {
    let end = Instant::now() + time;
    while !is_asked() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(STEP));
    }
}
