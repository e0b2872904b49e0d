//! Whether the process lives, and whether it can do its work.

use crate::answer::json;
use crate::app::App;
use crate::error::ApiError;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'static str>,
}

/// 200 while the process answers; never asks a database, so that a supervisor
/// does not end a process that waits for one.
pub(crate) async fn live() -> Result<Response, ApiError> {
    json(StatusCode::OK, &Health { status: "live", database: None })
}

/// 200 when the database answers within a second, 503 otherwise.
pub(crate) async fn ready(State(app): State<App>) -> Result<Response, ApiError> {
    match tokio::time::timeout(Duration::from_secs(1), app.db.ping()).await {
        Ok(Ok(())) => json(StatusCode::OK, &Health { status: "ready", database: Some("ok") }),
        _ => json(StatusCode::SERVICE_UNAVAILABLE, &Health { status: "not_ready", database: Some("unavailable") }),
    }
}
