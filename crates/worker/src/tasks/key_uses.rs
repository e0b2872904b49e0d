//! Stores when keys were last used.

use super::act_error;
use crate::task::{Need, Progress, Task};
use muriel_service::App;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(5);

/// Uses are collected in memory and written together; none are lost while the database is away.
pub fn write_key_uses(app: App) -> Task {
    let task = Task::new("write_key_uses", PERIOD, move |_| {
        let app = app.clone();
        async move {
            app.access_cache.flush().await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database)
}
