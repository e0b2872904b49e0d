//! Stores when integrations succeeded, and tells webhooks of exposures and conversions.

use super::act_error;
use crate::task::{Context, Need, Progress, Task};
use muriel_service::jobs::{self, ConversionLooks, ExposureLooks};
use muriel_service::{App, integrations};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// How often successes are written.
const WRITE_PERIOD: Duration = Duration::from_secs(2);
/// How often the clock is looked at: webhooks are told once a minute.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// Reports take at most a fifth of the time, so that requests keep most of the warehouse.
const REST_FACTOR: u32 = 4;

/// Successes are collected in memory and written together.
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

/// Tells webhooks of the exposures in this node's log. Every node does so.
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
    // What comes before the first look is not told.
    task.at_once().needs(Need::Database).needs(Need::EventLog)
}

/// Tells webhooks of the conversions by this node's log. Every node does so.
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
