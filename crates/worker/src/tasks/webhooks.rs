//! Sends webhooks.

use super::act_error;
use crate::task::{Need, Progress, RunError, Task};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use muriel_domain::ids::DeliveryId;
use muriel_domain::time::DAY_US;
use muriel_service::webhooks::{self, DeliveryOutcome};
use muriel_service::{App, Result};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_millis(500);
/// Requests to receivers at the same time.
const IN_FLIGHT_MAX: usize = 16;
/// Requests to one receiver at the same time: one that hangs must not hold up the others.
const PER_WEBHOOK: i64 = 2;
/// While requests are under way, what has become due is looked for as often.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// A run takes no further deliveries after this time, so that it ends.
const RUN_TIME: Duration = Duration::from_secs(60);

/// Sends what is in the outbox. Any number of nodes may: each delivery is leased.
pub fn deliver_webhooks(app: App) -> Task {
    let is_released = Arc::new(AtomicBool::new(false));
    let purged_day = Arc::new(AtomicI64::new(i64::MIN));
    let task = Task::new("deliver_webhooks", PERIOD, move |context| {
        let (app, is_released, purged_day) = (app.clone(), is_released.clone(), purged_day.clone());
        async move {
            if !is_released.load(Ordering::Relaxed) {
                webhooks::release(&app).await.map_err(|error| act_error(&error))?;
                is_released.store(true, Ordering::Relaxed);
            }
            let day = context.now.us().div_euclid(DAY_US);
            if purged_day.load(Ordering::Relaxed) != day {
                while webhooks::purge(&app).await.map_err(|error| act_error(&error))? {}
                purged_day.store(day, Ordering::Relaxed);
            }
            deliver(&app).await
        }
    });
    task.needs(Need::Database).max_backoff(PERIOD)
}

/// Tries everything that is due.
async fn deliver(app: &App) -> std::result::Result<Progress, RunError> {
    let began = Instant::now();
    let mut in_flight = FuturesUnordered::new();
    let mut trying: HashSet<DeliveryId> = HashSet::new();
    let mut failed = None;
    loop {
        let free = IN_FLIGHT_MAX - in_flight.len();
        if free > 0 && failed.is_none() && began.elapsed() < RUN_TIME {
            // Those under way are leased, and so are not due.
            match webhooks::due(app, PER_WEBHOOK, free as i64).await {
                Ok(due) => {
                    for id in due.into_iter().filter(|id| trying.insert(*id)) {
                        in_flight.push(attempt(app, id));
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        if in_flight.is_empty() {
            break;
        }
        let Ok(Some((id, outcome))) = tokio::time::timeout(LOOK_AGAIN, in_flight.next()).await else { continue };
        trying.remove(&id);
        if let Err(error) = outcome {
            failed = Some(error);
        }
    }
    failed.map_or(Ok(Progress::Continue), |error| Err(act_error(&error)))
}

async fn attempt(app: &App, id: DeliveryId) -> (DeliveryId, Result<DeliveryOutcome>) {
    let outcome = webhooks::attempt(app, id).await;
    if let Ok(DeliveryOutcome::GivenUp) = outcome {
        tracing::warn!(delivery_id = id.0, "a webhook's delivery was given up");
    }
    (id, outcome)
}
