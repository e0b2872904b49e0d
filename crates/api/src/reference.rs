//! The contract for machines and for people, from this server alone.

use crate::answer::written;
use crate::app::App;
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use bytes::Bytes;
use http::StatusCode;
use utoipa::openapi::OpenApi;

/// `/openapi.json` and `/docs`.
pub(crate) fn routes(contract: &OpenApi) -> Router<App> {
    let json = Bytes::from(contract.to_json().unwrap_or_default());
    let page = Bytes::from("<!doctype html>");
    Router::new()
        .route("/openapi.json", get(move || async move { written(StatusCode::OK, json) }))
        .route("/docs", get(move || async move { Html(page) }))
}
