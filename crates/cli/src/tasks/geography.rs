//! Reads the geographic file again when it was replaced.

use muriel_service::visitor::Geography;
use muriel_worker::{Progress, RunError, Task};
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(60);

/// Lookups go on in the old file meanwhile. A file that cannot be used is logged once by the reader, and the old one stays
/// in use.
pub(crate) fn refresh_geography(geography: Geography) -> Task {
    Task::new("refresh_geography", PERIOD, move |_| {
        let geography = geography.clone();
        async move {
            // Reading blocks for as long as the file takes.
            let read = tokio::task::spawn_blocking(move || geography.refresh());
            read.await.map_err(|error| RunError::failed(&error))?;
            Ok(Progress::Continue)
        }
    })
}
