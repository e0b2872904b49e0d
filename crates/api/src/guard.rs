//! Checks for routes of other crates: authentication, the key's rate limit, and limits on JSON.

use crate::auth::{bearer, without_session};
use crate::error::ApiError;
use crate::json;
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::MethodRouter;
use muriel_context::access_cache::OutagePolicy;
use muriel_http::body::{BODY_DEADLINE, BODY_LIMIT, MediaType, read_json_body};
use muriel_http::request::RequestContext;
use muriel_service::App;

/// Route that only requests with a valid key and a JSON body reach. Scopes and projects are not checked here: the
/// operations that the route calls check them.
pub fn guarded(app: App, path: &str, methods: MethodRouter) -> Router {
    // Other methods get 405 before the key is checked, as on every route.
    Router::new().route(path, methods.route_layer(from_fn_with_state(app, guard)))
}

async fn guard(State(app): State<App>, request: Request, next: Next) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let context = RequestContext::from_request_parts(&mut parts, &app).await?;
    let key = bearer(&parts.headers).map_err(without_session)?;
    let key = app.access_cache.key(key, OutagePolicy::Refuse).await;
    let key = key.map_err(|error| without_session(error.into()))?;
    context.authenticated(&key.stored.id)?;
    let unread = Request::from_parts(parts.clone(), body);
    let (_, bytes) = read_json_body(unread, &[MediaType::Json], BODY_LIMIT, BODY_DEADLINE).await?;
    json::parse(&bytes)?;
    Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await)
}
