//! How a server is asked to end, and how it ends whatever hangs.
//!
//! The threads here need neither the runtime nor a destructor: a runtime whose threads all
//! block would notice neither a signal nor a timer, and libraries' handlers at exit may wait
//! for a disk that does not answer.

use crate::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// From the signal to the end at the latest. Schedulers wait ten seconds, and then kill. The
/// system keeps a process until its threads that wait for the disk have what they wait for,
/// so two of the ten are left for that.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);
/// From the last answer to the end at the latest. What is acknowledged is durable before:
/// closing only moves it from write-ahead logs into their files, which the next start does
/// otherwise. A busy disk takes seconds for each of some ten flushes.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a log line may take to be written.
const SAY_TIMEOUT: Duration = Duration::from_millis(100);

/// Catches SIGTERM and SIGINT. [`STOP_TIMEOUT`] after the first of them the process ends.
pub(crate) struct Signals {
    received: watch::Receiver<bool>,
}

impl Signals {
    pub(crate) fn new() -> Result<Self> {
        Self::listen(&[SIGTERM, SIGINT], STOP_TIMEOUT, || end_process(0))
    }

    /// Calls `end` once `timeout` has gone by since the first of these signals.
    fn listen(numbers: &[i32], timeout: Duration, end: impl FnOnce() + Send + 'static) -> Result<Self> {
        let failed = |error: std::io::Error| Error::Other(error.into());
        let mut signals = signal_hook::iterator::Signals::new(numbers).map_err(failed)?;
        let (tell, received) = watch::channel(false);
        let listening = thread::Builder::new().name("muriel-signals".to_owned()).spawn(move || {
            if signals.forever().next().is_some() {
                let signalled = Instant::now();
                tell.send_replace(true);
                thread::sleep(timeout.saturating_sub(signalled.elapsed()));
                end();
            }
        });
        listening.map_err(failed)?;
        Ok(Self { received })
    }

    /// Waits for one of them.
    pub(crate) async fn wait(&mut self) {
        if self.received.wait_for(|received| *received).await.is_err() {
            // The thread that would tell is gone without a signal.
            std::future::pending().await
        }
    }
}

/// Ends the process with this status after `timeout`, unless it has ended before.
pub(crate) fn end_after(timeout: Duration, status: i32) {
    // Where no thread can be had, that of the signals ends it, later.
    let _ = thread::Builder::new().name("muriel-end".to_owned()).spawn(move || {
        thread::sleep(timeout);
        end_process(status);
    });
}

/// Ends the process without its destructors and handlers at exit.
fn end_process(status: i32) {
    // Saying so must not be what hangs.
    let said = thread::Builder::new().spawn(|| {
        tracing::warn!(
            "the server did not stop in time and is ended as it is; nothing acknowledged is lost, and the next start \
             reads what was not moved into its file"
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
            // Blocks the only thread there is.
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
            // A later wait finds it as well: it may have come while nobody waited.
            tokio::time::timeout(DEADLINE, signals.wait()).await.expect("the signal");
        });
    }
}
