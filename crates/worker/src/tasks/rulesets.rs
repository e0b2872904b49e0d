//! Brings rulesets up to date with what other processes and nodes write.

use super::act_error;
use crate::task::{Need, Progress, Task};
use muriel_service::App;
use std::time::Duration;

/// Failures do not lengthen the pause beyond this, because visitors are served what is in memory meanwhile.
const MAX_BACKOFF: Duration = Duration::from_secs(2);

/// Refreshes the rulesets of projects that others have changed, and writes changed rulesets to their files. On PostgreSQL
/// notifications do the same sooner, and this makes up for those that are lost.
pub fn refresh_rulesets(app: App) -> Task {
    let period = app.rulesets.poll_period();
    let task = Task::new("refresh_rulesets", period, move |_| {
        let app = app.clone();
        async move {
            app.rulesets.refresh_changed().await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database).max_backoff(MAX_BACKOFF)
}
