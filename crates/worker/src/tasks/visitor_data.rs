//! Deletes the data of visitors, and events beyond their project's retention.

use super::act_error;
use crate::task::{Dependency, Progress, Task};
use muriel_service::App;
use muriel_service::visitor_data::{self, ExpiryOutcome};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const DELETION_PERIOD: Duration = Duration::from_secs(1);
/// Period, and the pause before the first run: a clock that was wrong at the start has been set right by then.
const EXPIRY_PERIOD: Duration = Duration::from_secs(3_600);
/// One day: reading a whole log at half speed takes hours.
const RUN_LIMIT: Duration = Duration::from_secs(86_400);

/// Does this node's part of the deletions of visitors' data.
pub fn delete_visitor_data(app: App) -> Task {
    let is_begun = Arc::new(AtomicBool::new(false));
    let task = Task::new("delete_visitor_data", DELETION_PERIOD, move |_| {
        let (app, is_begun) = (app.clone(), is_begun.clone());
        async move {
            let is_first = !is_begun.load(Ordering::Relaxed);
            visitor_data::run_jobs(&app, is_first).await.map_err(|error| act_error(&error))?;
            is_begun.store(true, Ordering::Relaxed);
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::EventLog).needs(Dependency::Database).run_limit(RUN_LIMIT)
}

/// Deletes events that are older than their project's retention. After each run it calls `observe` with whether events
/// that are old enough were kept because the clock looks wrong, see [`muriel_log::PruneRefusal`].
pub fn delete_expired_events(app: App, observe: impl Fn(bool) + Send + Sync + 'static) -> Task {
    let observe = Arc::new(observe);
    let task = Task::new("delete_expired_events", EXPIRY_PERIOD, move |context| {
        let (app, observe) = (app.clone(), observe.clone());
        async move {
            let outcomes = visitor_data::delete_expired(&app, context.now).await.map_err(|error| act_error(&error))?;
            outcomes.iter().for_each(log_outcome);
            observe(outcomes.iter().any(|outcome| outcome.held.is_some()));
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::EventLog).needs(Dependency::Database).run_limit(RUN_LIMIT)
}

fn log_outcome(outcome: &ExpiryOutcome) {
    let ExpiryOutcome { project_key, days, deleted, held } = outcome;
    // Shortened as in the server's other log lines.
    let project = project_key.chars().take(8).collect::<String>();
    match held {
        Some(held) => tracing::warn!(
            project,
            retention_days = days,
            "old events of the project are not deleted: {held}. Check whether the machine's clock is right; if it is, run \
             muriel log prune --project KEY --older-than {days} --force"
        ),
        None if *deleted > 0 => {
            tracing::info!(project, retention_days = days, events = deleted, "old events of the project are deleted");
        }
        None => {}
    }
}
