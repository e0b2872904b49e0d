//! The tools over HTTP: the streamable transport without sessions, so that any node can answer any request.

use crate::server::ToolServer;
use crate::{Api, BadContract};
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use http::{HeaderValue, StatusCode, header};
use http_body_util::BodyExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::sync::Arc;

/// Settings of the tools over HTTP.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Hosts that requests may name, with or without a port. Pages on these hosts may send requests.
    pub hosts: Vec<String>,
    /// True when calls may change code, if the key may.
    pub allows_code: bool,
    /// Maximum size of a request, in bytes.
    pub body_limit: usize,
}

/// Handlers for the path of the tools. Keys are checked before them.
///
/// # Errors
/// When the contract lacks something that the tools need.
pub fn methods<S: Clone + Send + Sync + 'static>(
    contract: &Value,
    api: Api,
    settings: &HttpSettings,
) -> Result<MethodRouter<S>, BadContract> {
    let server = ToolServer::new(contract, api, settings.allows_code)?;
    let origins = settings.hosts.iter().flat_map(|host| origins(host));
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_max_request_body_bytes(settings.body_limit)
        .with_allowed_hosts(settings.hosts.iter().cloned())
        .with_allowed_origins(origins)
        .enforce_origin_validation();
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::<NeverSessionManager>::default(), config);
    Ok(post(move |request: Request| {
        let service = service.clone();
        async move { with_protocol_errors(service.handle(request).await.map(Body::new)).await }
    }))
}

/// The origins of pages on a host; with any port if the host names none.
fn origins(host: &str) -> [String; 2] {
    let is_bare_v6 = host.parse::<std::net::Ipv6Addr>().is_ok();
    let bracketed = if is_bare_v6 { format!("[{host}]") } else { host.to_owned() };
    let has_port = bracketed.parse::<http::uri::Authority>().is_ok_and(|host| host.port_u16().is_some());
    let port = if has_port { "" } else { ":*" };
    ["http", "https"].map(|scheme| format!("{scheme}://{bracketed}{port}"))
}

/// Message for JSON that is not a valid MCP message. The transport's own text names one of its Rust types.
const NO_MESSAGE: &str = "the body must be a request or notification of the Model Context Protocol: one message with \
    `jsonrpc` \"2.0\" and a `method`";

/// Passes on an answer of the transport. Refusals in plain text become errors of the protocol.
async fn with_protocol_errors(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if response.status().is_success() || is_json {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let mut message = String::from_utf8_lossy(&text);
    // The media type was checked before, so the error is about the content of the body.
    if parts.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        parts.status = StatusCode::BAD_REQUEST;
        message = NO_MESSAGE.into();
    }
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": message } });
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_allowed_hosts() {
        for (host, expect) in [
            ("localhost", "https://localhost:*"),
            ("muriel.example:8443", "https://muriel.example:8443"),
            ("::1", "https://[::1]:*"),
            ("[::1]:4170", "https://[::1]:4170"),
            ("127.0.0.1", "https://127.0.0.1:*"),
        ] {
            assert_eq!(origins(host)[1], expect);
        }
    }
}
