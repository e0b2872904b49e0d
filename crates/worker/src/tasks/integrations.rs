//! Stores successes of integrations, and reports exposures and conversions to webhooks.

use super::act_error;
use crate::task::{Context, Need, Progress, Task};
use muriel_service::jobs::{self, ConversionLooks, ExposureLooks};
use muriel_service::{App, integrations};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Period of writing successes.
const WRITE_PERIOD: Duration = Duration::from_secs(2);
/// Period of checking the clock: webhooks receive a report once a minute.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// The tasks take at most a fifth of the time, so that requests keep most of the warehouse.
const REST_FACTOR: u32 = 4;

/// Writes successes, which are collected in memory, in one batch.
pub fn write_integration_successes(app: App) -> Task {
    let task = Task::new("write_integration_successes", WRITE_PERIOD, move |_: Context| {
        let app = app.clone();
        async move {
            integrations::flush(&app).await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database)
}

/// Reports the exposures in this node's log to webhooks. Every node does so.
pub fn tell_exposures(app: App) -> Task {
    let looks = Arc::new(Mutex::new(ExposureLooks::default()));
    let task = Task::new("tell_exposures", LOOK_PERIOD, move |_: Context| {
        let (app, looks) = (app.clone(), looks.clone());
        async move {
            let told = jobs::tell_exposures(&app, &mut *looks.lock().await).await;
            told.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    // At once, because events before the first check are not reported.
    task.at_once().needs(Need::Database).needs(Need::EventLog)
}

/// Reports the conversions in this node's log to webhooks. Every node does so.
pub fn tell_conversions(app: App) -> Task {
    let looks = Arc::new(Mutex::new(ConversionLooks::default()));
    let task = Task::new("tell_conversions", LOOK_PERIOD, move |_: Context| {
        let (app, looks) = (app.clone(), looks.clone());
        async move {
            let told = jobs::tell_conversions(&app, &mut *looks.lock().await).await;
            told.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database).needs(Need::Warehouse).rest_factor(REST_FACTOR)
}
