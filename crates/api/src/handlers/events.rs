//! Events from pages and from servers.

use crate::answer::{json as answered, json_lines, warned};
use crate::auth::{KeyCaller, Report, has_key};
use crate::client_address;
use crate::cookies;
use crate::error::ApiError;
use crate::event_batch;
use crate::event_body::{read_batch_body, read_events_body};
use crate::json::parse_events;
use crate::wire::event::{self, ClientHints, EventBatch, VALUES_MAX};
use axum::Extension;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::response::Response;
use http::header::SET_COOKIE;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use muriel_delivery::intake::{
    ConsentFacts, ConsentRefusal, IngestOutcome, consent_refusal, memory_to_read, memory_to_store, store,
};
use muriel_delivery::signatures::Signing;
use muriel_delivery::visitor::{Origin, Visitors};
use muriel_domain::trust::Trust;
use muriel_http::connection::PeerAddr;
use muriel_service::App;
use serde::Serialize;
use std::net::IpAddr;

/// Global Privacy Control: `1` when the visitor's browser asks sites not to share data.
const SEC_GPC: HeaderName = HeaderName::from_static("sec-gpc");

/// Response to events of one visitor.
#[derive(Serialize)]
struct EventsTaken<'j> {
    success: bool,
    results: Vec<IngestOutcome<'j>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visitor_signature: Option<String>,
}

/// Sender of one visitor's events: a page, or a server that is trusted because of its API key.
struct Sender {
    headers: HeaderMap,
    peer: IpAddr,
    /// Domain of the cookies that the page wants to be renewed.
    cookie_domain: Option<String>,
    /// True when the request has a key that may send events.
    is_trusted: bool,
}

impl Sender {
    /// Identifies the sender of a request.
    ///
    /// # Errors
    /// The error of [`KeyCaller`], when the request has a key that is not accepted for the project.
    async fn identify(parts: &mut Parts, app: &App, peer: IpAddr) -> Result<Self, ApiError> {
        let is_trusted = has_key(&parts.headers);
        if is_trusted {
            KeyCaller::<Report>::from_request_parts(parts, app).await?;
        }
        let cookie_domain = parameter(&parts.uri, "d").map(str::to_owned);
        Ok(Self { headers: parts.headers.clone(), peer, cookie_domain, is_trusted })
    }

    /// Origin of the visitor. Hints from a page are dropped: only a trusted server knows better than the connection.
    fn origin(&self, visitors: &Visitors, hints: &mut ClientHints<'_>) -> Origin {
        if self.is_trusted {
            return visitors.origin_of(hints.ip, hints.user_agent);
        }
        *hints = ClientHints::default();
        client_address::origin(visitors, self.peer, &self.headers)
    }

    /// Returns whether the browser sends Global Privacy Control.
    fn has_gpc(&self) -> bool {
        self.headers.get(SEC_GPC).is_some_and(|value| value == "1")
    }

    /// `Set-Cookie` fields of the response. None for requests with an API key, which carry no cookies.
    fn cookie_renewals(&self, app: &App, project_key: &str, batch: &EventBatch<'_>) -> Vec<HeaderValue> {
        if self.is_trusted {
            return Vec::new();
        }
        let prefix = app.site.page_api.as_str();
        cookies::renewals(&self.headers, prefix, project_key, &batch.visitor.id, self.cookie_domain.as_deref())
    }
}

/// Receives events of one visitor.
///
/// Needs no key. With a bearer key (scope `write`) the request is trusted: it may set the times of events, and its
/// visitor's address, user agent and country.
#[utoipa::path(
    post, path = "/events/{project_key}", tag = "Visitor traffic", operation_id = "sendEvents",
    request_body = crate::wire::schemas::EventsBody,
    responses((
        status = 200, description = "One result per event, in the order sent. Each event that is `ok` is stored durably.",
        body = crate::wire::schemas::EventsTaken,
        headers((
            "X-Muriel-Warnings" = String,
            description = "Present only when events were not stored because consent is missing: a JSON array with one sentence \
                           that gives their number and the reason."
        ))
    )),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn events_take(
    State(app): State<App>,
    Path(project_key): Path<String>,
    Extension(PeerAddr(peer)): Extension<PeerAddr>,
    request: Request,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let sender = Sender::identify(&mut parts, &app, peer.ip()).await?;
    let delivery = app.rulesets.public(&project_key)?;
    let mut body = read_events_body(Request::from_parts(parts, body), &app.intake).await?;
    body.memory.resize(memory_to_read(body.bytes.len())).await?;
    let (json, anomalies) = parse_events(&body.bytes, VALUES_MAX)?;
    let mut batch = event::event_batch(&json, &anomalies)?;
    body.memory.resize(memory_to_store(body.bytes.len(), batch.events.len(), &batch.visitor)).await?;
    let origin = sender.origin(&app.visitors, &mut batch.hints);
    let facts = ConsentFacts { consent: batch.consent, trusted: sender.is_trusted, gpc: sender.has_gpc() };
    let refusal = consent_refusal(delivery.page_settings(), &facts);
    let renewals = match refusal {
        None => sender.cookie_renewals(&app, &project_key, &batch),
        // A visitor who may not be recorded must not be recognised on the next page either.
        Some(_) => Vec::new(),
    };
    let signing = match refusal {
        None if !sender.is_trusted => app.intake.sign(&delivery, (&batch.visitor.id, batch.signature), &origin),
        _ => Signing::Exhausted,
    };
    let trust = match (sender.is_trusted, &signing) {
        (true, _) => Trust::Keyed,
        (false, Signing::Exhausted) => Trust::Unsigned,
        (false, Signing::Verified | Signing::Issued(_)) => Trust::Signed,
    };
    let (batch, events) = batch.into_incoming(origin, trust, facts.gpc);
    let results = store(&app.intake, &delivery, batch, events).await?;
    let left_out = refusal.filter(|_| !results.is_empty()).map(|refusal| left_out(results.len(), refusal));
    let visitor_signature = if let Signing::Issued(signature) = signing { Some(signature) } else { None };
    let mut response = answered(StatusCode::OK, &EventsTaken { success: true, results, visitor_signature })?;
    if let Some(sentence) = left_out {
        response = warned(response, vec![sentence]);
    }
    for renewal in renewals {
        response.headers_mut().append(SET_COOKIE, renewal);
    }
    Ok(response)
}

/// Receives events of many visitors.
///
/// The body has JSON lines, each a body of `sendEvents` or one event with its visitor: up to 8 MiB as sent and 64 MiB
/// expanded, 100,000 lines, 100,000 events, and 4 MiB per line. An invalid line does not affect other lines. After a
/// 503 a part may have been stored: send the same lines again, and events that are already stored are reported as
/// `duplicate`.
#[utoipa::path(
    post, path = "/events/{project_key}/batch", tag = "Visitor traffic", operation_id = "sendEventBatch",
    request_body(content = Vec<crate::wire::schemas::EventsLine>, content_type = "application/x-ndjson", description = "Each item is a line."),
    responses((
        status = 200, content_type = "application/x-ndjson", body = Vec<crate::wire::schemas::EventsLineTaken>,
        description = "Each item is a line: the outcome of a line that was sent, in the order sent, without blank lines. Each event that is `ok` is stored durably."
    )),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn event_batch_take(
    State(app): State<App>,
    Path(project_key): Path<String>,
    _: KeyCaller<Report>,
    request: Request,
) -> Result<Response, ApiError> {
    let delivery = app.rulesets.public(&project_key)?;
    let body = read_batch_body(request, &app.intake).await?;
    Ok(json_lines(event_batch::take(&app, &delivery, body).await?))
}

/// Message about the events of a request that are not stored because consent is missing.
fn left_out(count: usize, refusal: ConsentRefusal) -> String {
    let events = if count == 1 { "1 event was".to_owned() } else { format!("{count} events were") };
    format!("{events} {}", refusal.message())
}

/// First parameter of this name, not decoded. Unknown parameters are ignored: caches and proxies add their own.
fn parameter<'u>(uri: &'u Uri, name: &str) -> Option<&'u str> {
    let pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).next()
}
