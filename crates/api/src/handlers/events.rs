//! What happened, from pages and from servers.

use crate::answer::{json, json_lines};
use crate::auth::{Caller, Report, brings_key};
use crate::body::{EventsBody, read_batch_body, read_events_body};
use crate::client_address;
use crate::cookies;
use crate::error::ApiError;
use crate::event_batch;
use crate::json::parse_events;
use crate::server::PeerAddr;
use crate::wire::event::{self, ClientHints, VALUES_MAX};
use axum::Extension;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_log::Consent;
use muriel_service::App;
use muriel_service::intake::{IngestOutcome, memory_to_read, memory_to_store, store};
use serde::Serialize;

#[derive(Serialize)]
struct Taken<'j> {
    success: bool,
    results: Vec<IngestOutcome<'j>>,
}

/// Takes events of one visitor.
///
/// Public; with a bearer key (scope `write`) the request is believed about times
/// and may tell its visitor's address, user agent and country.
#[utoipa::path(
    post, path = "/events/{project_key}", tag = "Visitor traffic", operation_id = "sendEvents",
    request_body = crate::wire::schemas::EventsBody,
    responses((status = 200, description = "One result per event in the order sent; each that is `ok` is durable.", body = crate::wire::schemas::EventsTaken)),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn events_take(
    State(app): State<App>,
    Path(project_key): Path<String>,
    Extension(PeerAddr(peer)): Extension<PeerAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let trusted = brings_key(&parts.headers);
    if trusted {
        Caller::<Report>::from_request_parts(&mut parts, &app).await?;
    }
    let delivery = app.public_delivery(&project_key)?;
    let headers = parts.headers.clone();
    let domain = parameter(&parts.uri, "d").map(str::to_owned);
    let EventsBody { bytes, arrived: _arrived, mut room } =
        read_events_body(Request::from_parts(parts, body), &app.intake).await?;
    room.resize(memory_to_read(bytes.len())).await?;
    let (body, anomalies) = parse_events(&bytes, VALUES_MAX)?;
    let mut batch = event::event_batch(&body, &anomalies)?;
    room.resize(memory_to_store(bytes.len(), batch.events.len(), &batch.visitor)).await?;
    let origin = if trusted {
        app.visitors.origin_of(batch.hints.ip, batch.hints.user_agent)
    } else {
        batch.hints = ClientHints::default();
        client_address::origin(&app.visitors, peer.ip(), &headers)
    };
    // Requests with an API key carry no cookie, and visitors who denied consent get none.
    let renewals = if trusted || batch.consent == Some(Consent::Denied) {
        Vec::new()
    } else {
        cookies::renewals(&headers, app.site.page_api.as_str(), &batch.visitor.id, domain.as_deref())
    };
    let (batch, events) = batch.into_incoming(origin, trusted);
    let results = store(&app, &delivery, batch, events).await?;
    let mut response = json(StatusCode::OK, &Taken { success: true, results })?;
    for renewal in renewals {
        response.headers_mut().append(cookies::RENEWS, renewal);
    }
    Ok(response)
}

/// Takes events of many visitors.
///
/// JSON lines, each a body as `sendEvents` takes it or one event with its visitor: up to 8 MiB as they are sent
/// and 64 MiB expanded, 100,000 lines and as many events, 4 MiB a line. A line that is wrong keeps no other out. With
/// 503 a part may have been stored: send the same lines again, what is there is a `duplicate`.
#[utoipa::path(
    post, path = "/events/{project_key}/batch", tag = "Visitor traffic", operation_id = "sendEventBatch",
    request_body(content = Vec<crate::wire::schemas::EventsLine>, content_type = "application/x-ndjson", description = "Each item is a line."),
    responses((
        status = 200, content_type = "application/x-ndjson", body = Vec<crate::wire::schemas::EventsLineTaken>,
        description = "Each item is a line: the outcome of a line that was sent, blank ones left out, in the order sent. Each event that is `ok` is durable."
    )),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn event_batch_take(
    State(app): State<App>,
    Path(project_key): Path<String>,
    _: Caller<Report>,
    request: Request,
) -> Result<Response, ApiError> {
    let delivery = app.public_delivery(&project_key)?;
    let body = read_batch_body(request, &app.intake).await?;
    Ok(json_lines(event_batch::take(&app, &delivery, body).await?))
}

/// The first parameter of this name, as it stands in the query. Others than this
/// server knows may come along: caches and proxies add theirs.
fn parameter<'u>(uri: &'u Uri, name: &str) -> Option<&'u str> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).next()
}
