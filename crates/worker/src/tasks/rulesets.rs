//! Updates rulesets with changes by other processes and nodes.

use super::act_error;
use crate::task::{Dependency, Progress, Task};
use muriel_service::App;
use std::time::Duration;

/// Longest pause after failures. It is short because visitors are served from memory in the meantime.
const MAX_BACKOFF: Duration = Duration::from_secs(2);

/// Refreshes the rulesets of projects that others have changed, and writes changed rulesets to their files. On
/// PostgreSQL, notifications do the same sooner, and this task makes up for lost notifications.
pub fn refresh_rulesets(app: App) -> Task {
    let period = app.rulesets.poll_period();
    let task = Task::new("refresh_rulesets", period, move |_| {
        let app = app.clone();
        async move {
            app.rulesets.refresh_changed().await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).max_backoff(MAX_BACKOFF)
}
