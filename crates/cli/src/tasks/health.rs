//! Measures what `/readyz` says, for metrics.

use muriel_api::health::measure;
use muriel_api::metrics::Metrics;
use muriel_service::App;
use muriel_worker::{Progress, Task};
use std::sync::Arc;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(5);

/// Sets the gauges of the server's parts; a database that is away is one of them, and not a failure.
pub(crate) fn measure_health(app: App, metrics: Arc<Metrics>) -> Task {
    let task = Task::new("measure_health", PERIOD, move |_| {
        let (app, metrics) = (app.clone(), metrics.clone());
        async move {
            measure(&app, &metrics).await;
            Ok(Progress::Continue)
        }
    });
    task.at_once()
}
