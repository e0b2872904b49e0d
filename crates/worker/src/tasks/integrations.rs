//! Stores successes of integrations, and reports exposures and conversions to webhooks.

use super::act_error;
use crate::task::{Context, Dependency, Progress, Task};
use muriel_delivery::integrations;
use muriel_service::App;
use muriel_service::jobs::{self, ConversionChecks, ExposureChecks};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Period of writing successes.
const WRITE_PERIOD: Duration = Duration::from_secs(2);
/// Period of checking the clock: webhooks receive a report once a minute.
const CHECK_PERIOD: Duration = Duration::from_secs(1);
/// The tasks take at most a fifth of the time, so that requests keep most of the warehouse.
const REST_FACTOR: u32 = 4;

/// Writes successes, which are collected in memory, in one batch.
pub fn write_integration_successes(app: App) -> Task {
    let task = Task::new("write_integration_successes", WRITE_PERIOD, move |_: Context| {
        let app = app.clone();
        async move {
            integrations::flush(&app, &app.intake.successes).await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database)
}

/// Reports the exposures in this node's log to webhooks. Every node does so.
pub fn report_exposures(app: App) -> Task {
    let checks = Arc::new(Mutex::new(ExposureChecks::default()));
    let task = Task::new("tell_exposures", CHECK_PERIOD, move |_: Context| {
        let (app, checks) = (app.clone(), checks.clone());
        async move {
            let sent = jobs::report_exposures(&app, &mut *checks.lock().await).await;
            sent.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    // At once, because events before the first check are not reported.
    task.at_once().needs(Dependency::Database).needs(Dependency::EventLog)
}

/// Reports the conversions in this node's log to webhooks. Every node does so.
pub fn report_conversions(app: App) -> Task {
    let checks = Arc::new(Mutex::new(ConversionChecks::default()));
    let task = Task::new("tell_conversions", CHECK_PERIOD, move |_: Context| {
        let (app, checks) = (app.clone(), checks.clone());
        async move {
            let sent = jobs::report_conversions(&app, &mut *checks.lock().await).await;
            sent.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR)
}
