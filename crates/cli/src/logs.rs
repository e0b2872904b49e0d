//! Logs: JSON lines on standard error, written by a separate thread.

use crate::{Error, Result};
use serde_json::{Map, Value};
use std::fmt;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Maximum number of queued lines. More are dropped, so that logging uses bounded
/// memory and does not block.
const MAX_QUEUED_LINES: usize = 16_384;

/// Starts logging. Dropping the guard writes the queued lines.
pub(crate) fn start(level: &str) -> Result<WorkerGuard> {
    let known = ["error", "warn", "info", "debug", "trace"];
    if !known.contains(&level) {
        return Err(Error::Setting(format!("log-level must be one of {}", known.join(", "))));
    }
    let (writer, guard) =
        NonBlockingBuilder::default().buffered_lines_limit(MAX_QUEUED_LINES).lossy(true).finish(std::io::stderr());
    let filter = EnvFilter::new(format!("{level},hyper=warn,tokio_postgres=warn,rmcp=error"));
    // A second start, as in tests that run several commands, keeps the first
    // configuration.
    let _ = tracing_subscriber::fmt().event_format(JsonLine).with_env_filter(filter).with_writer(writer).try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
    Ok(guard)
}

/// Formats an event as a line of JSON. The subscriber's own format prints an error
/// without its causes, and "the database is unavailable" alone does not help.
struct JsonLine;

impl<S, N> FormatEvent<S, N> for JsonLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut timestamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
        let metadata = event.metadata();
        let mut line = JsonFields(Map::new());
        line.0.insert("timestamp".to_owned(), timestamp.into());
        line.0.insert("level".to_owned(), metadata.level().as_str().into());
        event.record(&mut line);
        line.0.insert("target".to_owned(), metadata.target().into());
        writeln!(writer, "{}", Value::Object(line.0))
    }
}

/// Fields of an event, in the order in which they were recorded.
struct JsonFields(Map<String, Value>);

impl JsonFields {
    fn insert(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for JsonFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.insert(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.insert(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.insert(field, crate::error::sentence(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.insert(field, format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_has_the_fields_and_the_causes_of_an_error() {
        let lines = Lines::default();
        let to = lines.clone();
        let subscriber = tracing_subscriber::fmt().event_format(JsonLine).with_writer(move || to.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "nobody \"listens\"\n");
            let error = Error::Listen { address: "127.0.0.1:1".to_owned(), source: refused };
            tracing::warn!(error = &error as &dyn std::error::Error, tries = 3, share = 0.5, ok = false, "it waits");
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.matches('\n').count(), 1, "one line: {text}");
        let line: Value = serde_json::from_str(&text).unwrap();
        let names: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["timestamp", "level", "message", "error", "tries", "share", "ok", "target"]);
        assert!(line["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{line}");
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["message"], "it waits");
        assert_eq!(line["error"], "cannot listen on 127.0.0.1:1: nobody \"listens\"\n");
        assert_eq!((&line["tries"], &line["share"], &line["ok"]), (&3.into(), &0.5.into(), &false.into()));
        assert_eq!(line["target"], "muriel_cli::logs::tests");
    }

    /// Database drivers put the database's message into the source of their error.
    #[test]
    fn a_database_that_refuses_is_quoted() {
        let lines = Lines::default();
        let to = lines.clone();
        let subscriber = tracing_subscriber::fmt().event_format(JsonLine).with_writer(move || to.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            for is_known in [true, false] {
                let said = std::io::Error::other("FATAL: no pg_hba.conf entry");
                let source = Arc::new(Error::Listen { address: "db error".to_owned(), source: said });
                let error = match is_known {
                    true => muriel_sql::Error::Unavailable { source },
                    false => muriel_sql::Error::OutcomeUnknown { source },
                };
                let _ = muriel_context::Error::from(error);
            }
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().all(|line| line.contains("db error: FATAL: no pg_hba.conf entry")), "{text}");
    }
}
