//! Reloads the geographic file when it was replaced.

use crate::task::{Progress, RunError, Task};
use muriel_delivery::visitor::Geography;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(60);

/// Reloads the file. Lookups use the old one in the meantime. The reader logs an unusable file once, and keeps the old
/// one.
pub fn refresh_geography(geography: Geography) -> Task {
    Task::new("refresh_geography", PERIOD, move |_| {
        let geography = geography.clone();
        async move {
            // Reading the file blocks the thread.
            let read = tokio::task::spawn_blocking(move || geography.refresh());
            read.await.map_err(|error| RunError::failed(&error))?;
            Ok(Progress::Continue)
        }
    })
}
