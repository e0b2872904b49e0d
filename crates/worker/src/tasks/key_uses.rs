//! Stores when keys and sessions were last used, scripts last fetched, and shares last opened.

use super::act_error;
use crate::task::{Dependency, Progress, Task};
use muriel_service::{App, install, shares};
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(5);

/// Writes the uses of keys and sessions, the fetches of scripts and the openings of shares that were
/// collected in memory, each kind in a transaction of its own. Uses of keys are dropped when their
/// transaction fails; a later use records them again.
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
    task.needs(Dependency::Database)
}
