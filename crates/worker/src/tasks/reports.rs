//! Computes recently requested reports before they are requested again.

use super::act_error;
use crate::task::{Dependency, Progress, Task};
use muriel_service::{App, results};
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(5);
/// The task takes at most a fifth of the time, so that requests keep most of the warehouse.
const REST_FACTOR: u32 = 4;

/// Computes outdated reports again once events of their project have come. Without requests or changes, it queries
/// neither the database nor the warehouse.
pub fn warm_reports(app: App) -> Task {
    let task = Task::new("warm_reports", PERIOD, move |_| {
        let app = app.clone();
        async move {
            results::refresh_outdated(&app).await.map_err(|error| act_error(&error))?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR)
}
