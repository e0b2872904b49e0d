//! Opens the event log and the warehouse, if a full disk prevented it when the server started.

use super::run_error;
use crate::config::Settings;
use crate::open_events::{is_full, open_log, open_results};
use muriel_service::App;
use muriel_worker::{Dependency, Progress, RunError, Task};
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(1);

/// Opens both once there is space, and then accepts events and answers queries about them.
pub(crate) fn open_event_log(app: App, settings: Settings) -> Task {
    let task = Task::new("open_event_log", PERIOD, move |_| {
        let (app, settings) = (app.clone(), settings.clone());
        async move {
            if is_full(&settings.storage.data_dir) {
                return Err(RunError::Waiting(Dependency::DiskSpace));
            }
            let log = open_log(&settings).await.map_err(run_error)?;
            match open_results(&settings).await {
                Ok(results) => app.attach(log, results),
                Err(error) => {
                    // The next run opens it again.
                    let _ = log.close().await;
                    return Err(run_error(error));
                }
            }
            tracing::info!("the disk has free space again: events are accepted");
            Ok(Progress::Finished)
        }
    });
    // There may be space for a moment only, so the interval does not grow after failures.
    task.needs(Dependency::DiskSpace).max_backoff(PERIOD)
}
