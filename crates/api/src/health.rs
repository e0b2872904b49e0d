//! Liveness and readiness.

use crate::answer::json;
use crate::error::ApiError;
use crate::metrics::Metrics;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use muriel_service::App;
use muriel_service::health::{Readiness, facts};
use serde::Serialize;

#[derive(Serialize)]
struct Alive {
    status: &'static str,
}

/// 200 while the process responds. It does not query the database, so that a supervisor
/// does not kill a process that waits for the database.
pub(crate) async fn live() -> Result<Response, ApiError> {
    json(StatusCode::OK, &Alive { status: "live" })
}

/// 503 while visitors cannot be served because no ruleset is known. Otherwise 200, even if
/// other components fail.
pub(crate) async fn ready(State(app): State<App>) -> Result<Response, ApiError> {
    let readiness = Readiness::of(&facts(&app).await);
    let status = if readiness.status == "not_ready" { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    json(status, &readiness)
}

/// Sets the gauges with the facts that `/readyz` reports.
pub async fn measure(app: &App, metrics: &Metrics) {
    let facts = facts(app).await;
    let readiness = Readiness::of(&facts);
    for (component, word) in readiness.components() {
        metrics.component(component).set((word == "ok").into());
    }
    metrics.event_log_taking.set(facts.takes_events.into());
    metrics.rulesets_stale_seconds.set(app.rulesets.stale_s().unwrap_or(0));
    let bytes = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    if let Some(space) = facts.space {
        metrics.disk_free_bytes.set(bytes(space.free));
        metrics.disk_reserve_bytes.set(bytes(space.reserve));
    }
    let lag_s = facts.lag.map_or(0, |lag| lag.as_secs());
    metrics.warehouse_lag_seconds.set(bytes(lag_s));
    metrics.event_log_damaged_blocks.set(bytes(facts.damaged_blocks));
}
