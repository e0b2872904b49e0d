//! Calls the API in process, without a socket.

use super::data::{Body, Project};
use crate::{Error, Result};
use axum::body::to_bytes;
use axum::http::{Method, Request};
use muriel_context::api_key::ApiKey;
use muriel_http::edge::{Edge, EdgeSettings};
use muriel_http::limits::{Limits, RateLimits};
use muriel_http::metrics::HttpMetrics;
use muriel_service::App;
use serde_json::Value;
use std::sync::Arc;

/// A caller of the API with a key.
pub(super) struct Client {
    edge: Edge,
    authorization: String,
}

impl Client {
    /// Creates a caller of the API of `app`.
    pub(super) fn new(app: App, key: &ApiKey) -> Self {
        let metrics = Arc::new(HttpMetrics::default());
        let limits = Arc::new(Limits::new(RateLimits::OFF, &metrics));
        let edge = Edge::new(
            muriel_api::router::router(app, muriel_api::router::Listener::Everybody),
            EdgeSettings::default(),
            limits,
            metrics,
        );
        Self { edge, authorization: format!("Bearer {}", key.reveal()) }
    }

    /// Sends a `GET` request about the project and returns the answer.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub(super) async fn get(&self, project: Project, path: &str) -> Result<Value> {
        self.ask(Method::GET, project, path, "application/json", String::new()).await
    }

    /// Sends `body` to the project and returns the answer. A `PATCH` that is not a
    /// merge replaces whole fields.
    ///
    /// # Errors
    /// A refusal, in the API's words.
    pub(super) async fn send(&self, method: Method, project: Project, path: &str, body: &Body) -> Result<Value> {
        self.ask(method, project, path, "application/json", Value::Object(body.clone()).to_string()).await
    }

    /// Like [`Client::send`], as a `PATCH` that merges objects.
    ///
    /// # Errors
    /// A refusal, in the API's words.
    pub(super) async fn merge(&self, project: Project, path: &str, body: &Body) -> Result<Value> {
        let text = Value::Object(body.clone()).to_string();
        self.ask(Method::PATCH, project, path, "application/merge-patch+json", text).await
    }

    async fn ask(&self, method: Method, project: Project, path: &str, media_type: &str, body: String) -> Result<Value> {
        let other = |error: axum::Error| Error::Other(error.into());
        let what = format!("{method} {path}");
        let request = Request::builder()
            .method(method)
            .uri(format!("/v2/project/{}/{path}", project.key()))
            .header("host", "localhost")
            .header("authorization", &self.authorization)
            .header("content-type", media_type)
            .body(body.into())
            .map_err(|error| Error::Other(error.into()))?;
        let response = self.edge.clone().answer(request).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.map_err(other)?;
        let answer: Value = serde_json::from_slice(&bytes).map_err(|error| Error::Other(error.into()))?;
        if status.is_success() {
            return Ok(answer);
        }
        let sentence = answer["error"].as_str().unwrap_or("it gave no reason");
        Err(Error::Refused(format!("the API refused {what} ({status}): {sentence}")))
    }
}
