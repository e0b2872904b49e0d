//! Endpoints for pages, which need the project's key only: rulesets, previews, geography.

use crate::answer::{is_known, json, tagged};
use crate::client_address;
use crate::error::ApiError;
use crate::json as gate;
use crate::wire::query::Query;
use crate::wire::{preview as wire, views};
use axum::Extension;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use muriel_assign::Document;
use muriel_delivery::rulesets::{Encoded, Encoding};
use muriel_delivery::script::Part;
use muriel_domain::ids::ExperimentId;
use muriel_http::body::{BODY_DEADLINE, MediaType, read_json_body};
use muriel_http::connection::PeerAddr;
use muriel_service::App;
use muriel_service::preview;
use serde::Serialize;
use std::sync::Arc;

/// Time for which pages and caches may use a ruleset, and for which they may use a stale one while
/// they fetch the new one.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=30, stale-while-revalidate=30");
/// Header field with the seconds since the rulesets were last confirmed. Sent while they are stale.
const STALE: HeaderName = HeaderName::from_static("x-muriel-stale");
/// Minimum size for compression, in bytes. Smaller bodies gain nothing.
const COMPRESSED_FROM: usize = 860;

/// Maximum size of a preview report, in bytes.
const REPORT_LIMIT: usize = 256 << 10;

/// Path parameters, which may not be UTF-8.
pub(crate) type PathParams<T> = Result<Path<T>, PathRejection>;

/// Returns the parameters, or `NotFound` if they are not UTF-8.
pub(super) fn path_params<T>(path: PathParams<T>) -> Result<T, ApiError> {
    path.map(|Path(names)| names).map_err(|_| ApiError::NotFound("project"))
}

/// Best compression that the client accepts.
fn encoding(headers: &HeaderMap) -> Option<Encoding> {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let (mut brotli, mut gzip) = (false, false);
    for coding in accepted.flat_map(|value| value.split(',')) {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.trim().parse() == Ok(0.0_f32));
        match name.trim().to_ascii_lowercase().as_str() {
            "br" => brotli = !refused,
            "gzip" | "x-gzip" => gzip = !refused,
            _ => {}
        }
    }
    if brotli {
        Some(Encoding::Brotli)
    } else if gzip {
        Some(Encoding::Gzip)
    } else {
        None
    }
}

/// Returns the ruleset of a project: everything that its visitors can meet.
#[utoipa::path(
    get, path = "/ruleset/{project_key}", tag = "Visitor traffic", operation_id = "getRuleset",
    responses(
        (status = 200, description = "The ruleset, compressed if the client accepts that, with an ETag. It never contains drafts.", body = crate::wire::schemas::RulesetDocument),
        (status = 304, description = "The version in If-None-Match is the current one."),
    ),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn ruleset_show(
    State(app): State<App>,
    project_key: PathParams<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let delivery = app.rulesets.public(&path_params(project_key)?)?;
    let response = encoded(&headers, &delivery.etag, &delivery.body, "application/json").await;
    Ok(delivered(&app, response))
}

/// Response with a body in an encoding that the client accepts, or 304 if the client has it.
pub(crate) async fn encoded(headers: &HeaderMap, etag: &str, body: &Encoded, content_type: &'static str) -> Response {
    let mut response = Response::new(Body::empty());
    if is_known(headers, etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        let content_type = HeaderValue::from_static(content_type);
        response.headers_mut().insert(header::CONTENT_TYPE, content_type);
        match encoding(headers).filter(|_| body.plain.len() >= COMPRESSED_FROM) {
            None => *response.body_mut() = body.plain.clone().into(),
            Some(encoding) => {
                let name = match encoding {
                    Encoding::Brotli => "br",
                    Encoding::Gzip => "gzip",
                };
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
                *response.body_mut() = body.compressed(encoding).await.into();
            }
        }
    }
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    tagged(response, etag)
}

/// Adds the header fields about caching and the age of stale rulesets.
pub(super) fn delivered(app: &App, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, CACHED);
    if let Some(stale_s) = app.rulesets.stale_s() {
        headers.insert(STALE, HeaderValue::from(stale_s));
    }
    response
}

/// Content of a preview: a ruleset, and the parts of the script that it needs, which the script on
/// the page may lack.
#[derive(Serialize)]
struct Previewed {
    #[serde(flatten)]
    document: Document,
    parts: Vec<Part>,
}

/// Returns one experiment, even a draft, to clients with a preview link.
#[utoipa::path(
    get, path = "/preview/{project_key}/{test_id}", tag = "Visitor traffic", operation_id = "getPreview",
    params(("token" = inline(String), Query, description = "The `test-token` of the preview link; it expires after seven days.")),
    responses((status = 200, description = "A ruleset with this one experiment, whose loops can be stopped as in the script.", body = crate::wire::schemas::PreviewDocument)),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn preview_show(
    State(app): State<App>,
    path: PathParams<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    // The same error for every cause: an invalid token must not reveal what exists.
    const NOT_FOUND: ApiError = ApiError::NotFound("preview");
    let hidden = |error| match error {
        ApiError::NotFound(_) => NOT_FOUND,
        other => other,
    };
    let (project_key, id) = path_params(path).map_err(hidden)?;
    let delivery = app.rulesets.public(&project_key).map_err(ApiError::from).map_err(hidden)?;
    let id = ExperimentId::parse(&id).ok_or(NOT_FOUND)?;
    let mut query = Query::read(uri.query(), &["token"]);
    let token = query.text("token", 256).unwrap_or_default();
    query.finish()?;
    let project = delivery.project.id;
    if !preview::opens(&app, &token, project, id).await? {
        return Err(NOT_FOUND);
    }
    let delivered = app.rulesets.preview(project, id).await?.ok_or(NOT_FOUND)?;
    let document = Document::new(&project_key, vec![Arc::new(delivered)], Vec::new());
    let document = app.rulesets.loop_guards.guarded(&document).await?;
    json(StatusCode::OK, &Previewed { parts: Part::of(&document, false, false), document })
}

/// Receives what a preview of a variant found on the page, for the checklist of its experiment.
#[utoipa::path(
    post, path = "/preview/{project_key}/{test_id}/report", tag = "Visitor traffic", operation_id = "reportPreview",
    request_body(content(
        (crate::wire::schemas::PreviewReport = "application/json"), (crate::wire::schemas::PreviewReport = "text/plain")
    )),
    responses((status = 200, description = "Recorded.", body = crate::wire::views::PreviewReported)),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn preview_report(
    State(app): State<App>,
    path: PathParams<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    const NOT_FOUND: ApiError = ApiError::NotFound("preview");
    let (project_key, id) = path_params(path).map_err(|_| NOT_FOUND)?;
    let delivery = app.rulesets.public(&project_key).map_err(ApiError::from).map_err(|error| match error {
        ApiError::NotFound(_) => NOT_FOUND,
        other => other,
    })?;
    let id = ExperimentId::parse(&id).ok_or(NOT_FOUND)?;
    let (_, bytes) = read_json_body(request, &[MediaType::Json, MediaType::Plain], REPORT_LIMIT, BODY_DEADLINE).await?;
    let (token, report) = wire::preview_report(&gate::parse(&bytes)?)?;
    let project = delivery.project.id;
    if !preview::opens(&app, &token, project, id).await? {
        return Err(NOT_FOUND);
    }
    preview::report(&app, project, id, report).await?;
    json(StatusCode::OK, &views::PreviewReported { success: true })
}

#[derive(Serialize)]
struct Geography<'a> {
    country: Option<&'a str>,
    region: Option<&'a str>,
    city: Option<&'a str>,
}

/// Returns the location of the connection, for targeting by geography.
#[utoipa::path(
    get, path = "/geo/{project_key}", tag = "Visitor traffic", operation_id = "getGeography",
    responses((status = 200, description = "Null if the location is not known. Never cached.", body = crate::wire::schemas::GeographyAnswer)),
    extensions(("x-scope" = json!("none")))
)]
pub(crate) async fn geography_show(
    State(app): State<App>,
    project_key: PathParams<String>,
    Extension(PeerAddr(peer)): Extension<PeerAddr>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    app.rulesets.public(&path_params(project_key)?)?;
    let origin = client_address::origin(&app.visitors, peer.ip(), &headers);
    let location = origin.location();
    let geography = Geography {
        country: location.and_then(|location| location.country.as_deref()),
        region: location.and_then(|location| location.region.as_deref()),
        city: location.and_then(|location| location.city.as_deref()),
    };
    json(StatusCode::OK, &geography)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressions_that_clients_take() {
        for (accept, expect) in [
            ("gzip, deflate, br", Some(Encoding::Brotli)),
            ("gzip", Some(Encoding::Gzip)),
            ("br;q=0, GZIP;q=0.5", Some(Encoding::Gzip)),
            ("br; q=0.0", None),
            ("identity", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accept));
            assert_eq!(encoding(&headers), expect, "{accept}");
        }
    }
}
