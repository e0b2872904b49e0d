//! Opens what keeps the events of a server: the event log and the warehouse.

use crate::config::Settings;
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_log::{Log, LogReader, Position};
use muriel_results::ReportCache;
use muriel_warehouse::{DuckWarehouse, Loader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

/// Clock step, in microseconds, up to which a clock set back is not reported: well-kept clocks move by less.
const CLOCK_STEP_US: i64 = 60_000_000;
/// Free space below which a disk counts as full, in bytes: opening the databases takes some.
const FULL: u64 = 4 << 20;

/// Opens the event log and the warehouse. `None` when the disk is full and rulesets are stored on it: visitors are
/// served nevertheless, and log and warehouse are opened later.
pub(crate) async fn open_events(settings: &Settings) -> Result<Option<(Log, Arc<ReportCache>)>> {
    let opened = async {
        let log = open_log(settings).await?;
        Ok((log, open_results(settings).await?))
    };
    let data_dir = &settings.storage.data_dir;
    match opened.await {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if is_full(data_dir) && data_dir.join("rulesets").is_dir() => {
            let error: Error = error;
            tracing::error!(
                error = crate::error::sentence(&error),
                data_dir = %data_dir.display(),
                "the disk is full: events and requests for results are refused until there is space"
            );
            Ok(None)
        }
        Err(error) => Err(explain_if_full(error, data_dir)),
    }
}

/// Returns whether a directory has so little free space that not even an existing database opens.
pub(crate) fn is_full(directory: &Path) -> bool {
    muriel_log::free_bytes(directory).is_ok_and(|free| free < FULL)
}

/// Replaces the error by one about the full disk, if the disk is full.
pub(crate) fn explain_if_full(error: Error, directory: &Path) -> Error {
    if !is_full(directory) {
        return error;
    }
    Error::Refused(format!(
        "the disk of {} is full, so nothing there can be opened; free some space and start again ({})",
        directory.display(),
        crate::error::sentence(&error)
    ))
}

/// Opens the event log. Blocks, for the longest time when the index has to be rebuilt.
pub(crate) async fn open_log(settings: &Settings) -> Result<Log> {
    let (directory, options) = (settings.storage.data_dir.clone(), settings.log.clone());
    let now = settings.clock.now();
    let opened = tokio::task::spawn_blocking(move || {
        let log = Log::open(&directory, options)?;
        if let Some(newest) = newest_event(&directory, log.last())
            && is_ahead(newest, now)
        {
            tracing::warn!(
                "the newest events were received on {newest}, but the clock says {now}: it is behind now, or was ahead \
                 then. New events get the clock's time; correct the clock and start again"
            );
        }
        Ok(log)
    })
    .await;
    opened.map_err(|error| Error::Other(error.into()))?.map_err(Error::Log)
}

/// Time of receipt of the log's last block. `None` if it is unknown, which the log reports itself.
fn newest_event(directory: &Path, last: Position) -> Option<Instant> {
    let reader = LogReader::open(directory).ok()?;
    let mut newest = reader.summaries(Position { seq: last.seq - 1 }).ok()?;
    newest.next()?.ok().map(|block| block.received_at)
}

/// Returns whether a time is later than a correct clock could show.
fn is_ahead(time: Instant, now: Instant) -> bool {
    time > now.plus_us(CLOCK_STEP_US)
}

/// Opens the warehouse, and starts the thread that loads it.
pub(crate) async fn open_results(settings: &Settings) -> Result<Arc<ReportCache>> {
    let (directory, options) = (settings.storage.data_dir.clone(), settings.warehouse.clone());
    let timeouts = settings.report_timeouts;
    let opened = tokio::task::spawn_blocking(move || {
        let path = crate::warehouse::path(&directory);
        let warehouse = Arc::new(DuckWarehouse::open(&path, &options)?);
        // DuckDB creates its files readable for everybody who has access to the directory.
        for ending in ["", ".wal"] {
            let mut file = path.clone().into_os_string();
            file.push(ending);
            let _ = std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600));
        }
        let request = crate::warehouse::request(&directory);
        let loader = Loader::start(&directory, warehouse.clone(), Some(&request))?;
        Ok::<_, muriel_warehouse::Error>(Arc::new(
            ReportCache::new(warehouse, Arc::new(loader)).with_timeouts(timeouts),
        ))
    });
    opened.await.map_err(|error| Error::Other(error.into()))?.map_err(|error| Error::Other(error.into()))
}
