//! Shared results: creating links that show a result without signing in, and reading those results.
//!
//! Reading a shared result ignores cookies, keys and parameters. The link alone decides what is shown.

use super::experiments::id_in;
use super::results::shared_inquiry;
use super::traffic::PathParams;
use super::{Sent, idempotency_key, read_body, rendered, stored};
use crate::answer::json as answered;
use crate::auth::{Caller, Read, Write};
use crate::error::ApiError;
use crate::wire::fields::{from_body, integer};
use crate::wire::{schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode};
use muriel_domain::Problems;
use muriel_domain::ids::ShareId;
use muriel_http::body::MediaType;
use muriel_http::request::RequestContext;
use muriel_results::Inquiry;
use muriel_service::App;
use muriel_service::shares::{self, MadeShare, NewShare, OpenShare};

/// Lists the links to an experiment's result.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/shares", tag = "Results", operation_id = "listShares",
    responses((status = 200, description = "Newest first.", body = views::ShareList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn share_list(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let found = shares::list(&app, caller.project.id, id_in(&id)?).await?;
    let now = app.clock.now();
    let shares = found.shares.iter().map(|share| views::Share::new(share, &found.names, now)).collect();
    answered(StatusCode::OK, &views::ShareList { success: true, shares })
}

/// Creates a link with which anybody reads the result, with the parameters given, without signing in.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/shares", tag = "Results", operation_id = "createShare",
    request_body = schemas::ShareBody,
    responses((status = 201, description = "The link was created.", body = views::ShareCreated)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn share_create(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let headers = request.headers().clone();
    let now = app.clock.now();
    let (key, new) = match read_body(request, &[MediaType::Json]).await {
        Ok(sent) => {
            let operation = format!("experiment {id} share");
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, now);
            (key, new_share(&sent).map_err(Into::into))
        }
        Err(error) => (Ok(None), Err(muriel_context::Error::from(error))),
    };
    let render = move |made: MadeShare| {
        let share = views::Share::new(&made.known, &made.names, now);
        rendered(&views::ShareCreated { success: true, share, url: made.url })
    };
    let response = shares::create(&app, &caller.actor, &caller.project, id, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

fn new_share(sent: &Sent) -> Result<NewShare, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["expires_in_days", "query"], &[]);
        let days = fields.read("expires_in_days", integer(shares::DAYS));
        let inquiry = match fields.has("query") {
            true => fields.read_deep("query", |query, place| shared_inquiry(query, place, fields.found()))?,
            false => Inquiry::default(),
        };
        Some(NewShare { expires_in_days: days.unwrap_or(shares::DEFAULT_DAYS), inquiry })
    })
}

/// Revokes a link. It shows nothing from now on.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/share/{share_id}", tag = "Results", operation_id = "revokeShare",
    responses((status = 200, description = "The link was revoked.", body = views::ShareRevoked)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn share_revoke(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = ShareId::parse(&id).ok_or(ApiError::NotFound("share"))?;
    shares::revoke(&app, &caller.actor, &caller.project, id).await?;
    answered(StatusCode::OK, &views::ShareRevoked { success: true, share_id: id.0 })
}

/// Returns the result that a link shows. No sign-in is needed, and there are no query parameters.
#[utoipa::path(
    get, path = "/share/{token}/result", tag = "Results", operation_id = "getSharedResult",
    responses((status = 200, description = "The result, of at most a minute ago.", body = views::SharedResult)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("link")))
)]
pub(crate) async fn shared_result(
    State(app): State<App>,
    context: RequestContext,
    token: PathParams<String>,
) -> Result<Response, ApiError> {
    let open = opened(&app, &context, token).await?;
    let computed = shares::report(&app, &open).await?;
    Ok(private(answered(StatusCode::OK, &views::SharedResult::new(&open, &computed))?))
}

/// Returns the result that a link shows, day by day. No sign-in is needed, and there are no query parameters.
#[utoipa::path(
    get, path = "/share/{token}/timeseries", tag = "Results", operation_id = "getSharedTimeseries",
    responses((status = 200, description = "A point per day and variant, of at most a minute ago.", body = views::SharedTimeseries)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("link")))
)]
pub(crate) async fn shared_timeseries(
    State(app): State<App>,
    context: RequestContext,
    token: PathParams<String>,
) -> Result<Response, ApiError> {
    let open = opened(&app, &context, token).await?;
    let computed = shares::timeseries(&app, &open).await?;
    Ok(private(answered(StatusCode::OK, &views::SharedTimeseries::new(&computed))?))
}

/// Finds the share with this token, which can be any text. Each share has its own rate limit, as an API key has.
pub(crate) async fn opened(
    app: &App,
    context: &RequestContext,
    token: PathParams<String>,
) -> Result<OpenShare, ApiError> {
    // A token that is not UTF-8 is treated as unknown.
    let token = token.map(|Path(token)| token).unwrap_or_default();
    let open = shares::open(app, &token).await?;
    context.authenticated(&format!("share {}", open.share.id))?;
    Ok(open)
}

/// Adds header fields that keep the response out of caches and search engines.
pub(crate) fn private(mut response: Response) -> Response {
    for (name, value) in [
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow"),
    ] {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
