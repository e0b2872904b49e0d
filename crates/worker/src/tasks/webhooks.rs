//! Sends webhooks.

use super::act_error;
use crate::task::{Dependency, Progress, RunError, Task};
use muriel_context::Result;
use muriel_domain::ids::DeliveryId;
use muriel_domain::time::DAY_US;
use muriel_domain::webhook::Slot;
use muriel_outbound::webhooks::{self, DeliveryOutcome};
use muriel_service::App;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

const PERIOD: Duration = Duration::from_millis(500);
/// While requests are in flight, due deliveries are searched for at this interval.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Time after which a run ends, and leaves the requests in flight to the next one. If it waited for them, a receiver
/// that hangs would hold up all others.
const RUN_TIME: Duration = Duration::from_secs(5);

/// The requests in flight, with the slots that they take.
#[derive(Default)]
struct Requests {
    in_flight: JoinSet<(DeliveryId, Result<DeliveryOutcome>)>,
    slots: HashMap<DeliveryId, Slot>,
}

/// Sends the deliveries in the outbox. Any number of nodes may do so, because each delivery is leased.
pub fn deliver_webhooks(app: App) -> Task {
    let is_released = Arc::new(AtomicBool::new(false));
    let purged_day = Arc::new(AtomicI64::new(i64::MIN));
    let under_way = Arc::new(Mutex::new(Requests::default()));
    let task = Task::new("deliver_webhooks", PERIOD, move |context| {
        let (app, is_released, purged_day) = (app.clone(), is_released.clone(), purged_day.clone());
        let under_way = under_way.clone();
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
            let mut under_way = under_way.lock().await;
            // Taken out, so that a run that panics leaves no requests behind.
            let mut requests = std::mem::take(&mut *under_way);
            let delivered = deliver(&app, &mut requests).await;
            *under_way = requests;
            delivered
        }
    });
    task.needs(Dependency::Database).max_backoff(PERIOD)
}

/// Attempts every delivery that is due.
async fn deliver(app: &App, requests: &mut Requests) -> std::result::Result<Progress, RunError> {
    let began = Instant::now();
    loop {
        // Deliveries in flight are leased, and so are not due.
        let in_flight = requests.slots.values().copied().collect();
        for (id, slot) in webhooks::due(app, in_flight).await.map_err(|error| act_error(&error))? {
            if requests.slots.insert(id, slot).is_none() {
                requests.in_flight.spawn(attempt(app.clone(), id));
            }
        }
        if requests.in_flight.is_empty() || began.elapsed() >= RUN_TIME {
            return Ok(Progress::Continue);
        }
        let next = tokio::time::timeout(LOOK_AGAIN, requests.in_flight.join_next());
        match next.await {
            Err(_) | Ok(None) => {}
            Ok(Some(Ok((id, outcome)))) => {
                requests.slots.remove(&id);
                outcome.map_err(|error| act_error(&error))?;
            }
            Ok(Some(Err(error))) => {
                // The attempt panicked, and it is not known which one it was.
                *requests = Requests::default();
                return Err(RunError::failed(&error));
            }
        }
    }
}

async fn attempt(app: App, id: DeliveryId) -> (DeliveryId, Result<DeliveryOutcome>) {
    let outcome = webhooks::attempt(&app, &app.outbound, id).await;
    if let Ok(DeliveryOutcome::GivenUp) = outcome {
        tracing::warn!(delivery_id = id.0, "a webhook's delivery was given up");
    }
    (id, outcome)
}
