//! Stores when keys were last used, scripts last fetched, and shares last opened.

use super::act_error;
use crate::task::{Need, Progress, Task};
use muriel_service::{App, install, shares};
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(5);

/// Writes uses of keys, scripts and shares, which are collected in memory, in one batch. None are lost while the
/// database is unavailable.
pub fn write_key_uses(app: App) -> Task {
    let task = Task::new("write_key_uses", PERIOD, move |_| {
        let app = app.clone();
        async move {
            app.access_cache.flush().await.map_err(|error| act_error(&error))?;
            install::write_fetches(&app).await.map_err(|error| act_error(&error))?;
            shares::write_openings(&app).await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database)
}
