//! Reads the geographic file again when it was replaced.

use crate::task::{Progress, RunError, Task};
use muriel_service::visitor::Geography;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(60);

/// Lookups use the old file meanwhile. The reader logs a file that cannot be used once, and keeps the old one.
pub fn refresh_geography(geography: Geography) -> Task {
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
