//! Deletes old files of the event log.

use crate::task::{Context, Dependency, Progress, RunError, Task};
use muriel_domain::time::DAY_US;
use muriel_log::{PruneReport, PruneRequest};
use muriel_service::App;
use std::sync::Arc;
use std::time::Duration;

/// Period, and the pause before the first run: a clock that was wrong at the start has been set right by then.
const PERIOD: Duration = Duration::from_secs(3_600);

/// Deletes files of the event log whose events are all older than `days`. After each run it calls `observe` with
/// whether files that are old enough were kept because the clock looks wrong, see [`muriel_log::PruneRefusal`].
pub fn delete_old_events(app: App, days: i64, observe: impl Fn(bool) + Send + Sync + 'static) -> Task {
    let observe = Arc::new(observe);
    let task = Task::new("delete_old_events", PERIOD, move |context| {
        let (app, observe) = (app.clone(), observe.clone());
        async move { prune(&app, days, &*observe, context).await }
    });
    task.needs(Dependency::EventLog)
}

async fn prune(app: &App, days: i64, observe: &(impl Fn(bool) + Sync), context: Context) -> Result<Progress, RunError> {
    let Some(log) = app.log() else { return Err(RunError::Waiting(Dependency::EventLog)) };
    let before = context.now.plus_us(-days.saturating_mul(DAY_US));
    let pruned = log.prune(PruneRequest { before, force: false }).await;
    observe(pruned.as_ref().is_ok_and(|pruned| pruned.held.is_some()));
    match pruned {
        Ok(PruneReport { held: Some(held), .. }) => {
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
