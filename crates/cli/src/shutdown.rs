//! Shutdown: receives signals, and ends the process even if something hangs.
//!
//! The threads here need neither the runtime nor destructors. A runtime whose threads all
//! block would notice neither signals nor timers, and exit handlers of libraries may wait
//! for a disk that does not respond.

use crate::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Maximum time from the signal to the end. Schedulers wait ten seconds before they kill.
/// The kernel keeps a process until its threads that wait for the disk can continue, so two
/// of the ten seconds are left for that.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);
/// Maximum time from the last response to the end. Acknowledged data is durable before:
/// closing only moves it from write-ahead logs to their files, which the next start does
/// otherwise. A busy disk takes seconds for each of about ten flushes.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for writing a log line.
const SAY_TIMEOUT: Duration = Duration::from_millis(100);

/// Catches SIGTERM and SIGINT. The process ends [`STOP_TIMEOUT`] after the first of them at
/// the latest.
pub(crate) struct Signals {
    received: watch::Receiver<bool>,
}

impl Signals {
    pub(crate) fn new() -> Result<Self> {
        Self::listen(&[SIGTERM, SIGINT], STOP_TIMEOUT, || end_process(0))
    }

    /// Calls `end` when `timeout` has passed since the first of these signals.
    fn listen(numbers: &[i32], timeout: Duration, end: impl FnOnce() + Send + 'static) -> Result<Self> {
        let failed = |error: std::io::Error| Error::Other(error.into());
        let mut signals = signal_hook::iterator::Signals::new(numbers).map_err(failed)?;
        let (sender, received) = watch::channel(false);
        let listening = thread::Builder::new().name("muriel-signals".to_owned()).spawn(move || {
            if signals.forever().next().is_some() {
                let signalled = Instant::now();
                sender.send_replace(true);
                thread::sleep(timeout.saturating_sub(signalled.elapsed()));
                end();
            }
        });
        listening.map_err(failed)?;
        Ok(Self { received })
    }

    /// Waits for a signal.
    pub(crate) async fn wait(&mut self) {
        if self.received.wait_for(|received| *received).await.is_err() {
            // The signal thread has ended without a signal.
            std::future::pending().await
        }
    }
}

/// Ends the process with this status after `timeout`, unless it ends before.
pub(crate) fn end_after(timeout: Duration, status: i32) {
    // If no thread can be started, the signal thread ends the process, later.
    let _ = thread::Builder::new().name("muriel-end".to_owned()).spawn(move || {
        thread::sleep(timeout);
        end_process(status);
    });
}

/// Ends the process without destructors and exit handlers.
fn end_process(status: i32) {
    // Logging must not hang either.
    let said = thread::Builder::new().spawn(|| {
        tracing::warn!(
            "the server did not stop in time and is ended now; no acknowledged data is lost, and the next start reads \
             the rest from the write-ahead logs"
        );
    });
    if said.is_ok() {
        thread::sleep(SAY_TIMEOUT);
    }
    signal_hook::low_level::exit(status);
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::consts::{SIGUSR1, SIGUSR2};
    use signal_hook::low_level::raise;
    use std::sync::mpsc;

    const DEADLINE: Duration = Duration::from_secs(60);

    #[test]
    fn the_end_comes_while_every_thread_of_the_runtime_hangs() {
        let (end, ended) = mpsc::channel();
        let timeout = Duration::from_millis(50);
        let _signals =
            Signals::listen(&[SIGUSR1], timeout, move || end.send(()).expect("the test waits")).expect("signals");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let signalled = Instant::now();
            raise(SIGUSR1).expect("a signal");
            // Blocks the only thread of the runtime.
            ended.recv_timeout(DEADLINE).expect("the end");
            assert!(signalled.elapsed() >= timeout);
        });
    }

    #[test]
    fn who_waits_is_told_of_a_signal_once_and_for_all() {
        let mut signals = Signals::listen(&[SIGUSR2], DEADLINE, || {}).expect("signals");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            raise(SIGUSR2).expect("a signal");
            tokio::time::timeout(DEADLINE, signals.wait()).await.expect("the signal");
            // A later wait also returns: the signal may have arrived while nobody waited.
            tokio::time::timeout(DEADLINE, signals.wait()).await.expect("the signal");
        });
    }
}
