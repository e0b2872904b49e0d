//! Deletes old files of the event log.

use muriel_api::metrics::Metrics;
use muriel_domain::time::DAY_US;
use muriel_log::{Prune, Pruned};
use muriel_service::App;
use muriel_worker::{Context, Need, Progress, RunError, Task};
use std::sync::Arc;
use std::time::Duration;

/// Also the pause before the first run: a clock that was wrong at the start has been set right by then.
const PERIOD: Duration = Duration::from_secs(3_600);

/// Deletes files of the event log whose events are all older than `days`.
pub(crate) fn delete_old_events(app: App, metrics: Arc<Metrics>, days: i64) -> Task {
    let task = Task::new("delete_old_events", PERIOD, move |context| {
        let (app, metrics) = (app.clone(), metrics.clone());
        async move { prune(&app, &metrics, days, context).await }
    });
    task.needs(Need::EventLog)
}

async fn prune(app: &App, metrics: &Metrics, days: i64, context: Context) -> Result<Progress, RunError> {
    let Some(log) = app.log() else { return Err(RunError::Waiting(Need::EventLog)) };
    let before = context.now.plus_us(-days.saturating_mul(DAY_US));
    let pruned = log.prune(Prune { before, force: false }).await;
    metrics.event_log_retention_held.set(pruned.as_ref().is_ok_and(|pruned| pruned.held.is_some()).into());
    match pruned {
        Ok(Pruned { held: Some(held), .. }) => {
            tracing::warn!(
                retention_days = days,
                "old files of the event log are not deleted: {held}. Check whether the machine's clock is right; if it \
                 is, run muriel log prune --older-than {days} --force"
            );
        }
        Ok(pruned) if pruned.files > 0 => {
            tracing::info!(files = pruned.files, bytes = pruned.bytes, "old files of the event log are deleted");
        }
        Ok(_) => {}
        Err(error) => return Err(RunError::failed(&error)),
    }
    Ok(Progress::Continue)
}
