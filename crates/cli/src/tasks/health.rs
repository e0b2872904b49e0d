//! Measures the facts that `/readyz` reports, for the metrics.

use muriel_api::health::measure;
use muriel_api::metrics::Metrics;
use muriel_service::App;
use muriel_worker::{Progress, Task};
use std::sync::Arc;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(5);

/// Sets the gauges of the server's components. An unreachable database is one of them, and does not
/// make the task fail.
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
