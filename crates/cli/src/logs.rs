//! Logs: JSON lines on standard error, written by a thread of their own.

use crate::{Error, Result};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// Lines that may wait; more are dropped rather than kept or waited for.
const WAITING: usize = 16_384;

/// Starts logging; what is waiting is written when the guard goes.
pub(crate) fn start(level: &str) -> Result<WorkerGuard> {
    let known = ["error", "warn", "info", "debug", "trace"];
    if !known.contains(&level) {
        return Err(Error::Setting(format!("log-level must be one of {}", known.join(", "))));
    }
    let (writer, guard) =
        NonBlockingBuilder::default().buffered_lines_limit(WAITING).lossy(true).finish(std::io::stderr());
    let filter = EnvFilter::new(format!("{level},hyper=warn,tokio_postgres=warn"));
    // A second start, as in tests that run several commands, keeps the first.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_env_filter(filter)
        .with_writer(writer)
        .try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
    Ok(guard)
}
