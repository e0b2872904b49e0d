//! Signing in and out.

use super::read_body;
use crate::answer::json;
use crate::auth::{Member, Read};
use crate::error::ApiError;
use crate::sessions::{self, FromBrowser, OwnOrigin, OwnPage};
use crate::wire::query::Query;
use crate::wire::{person as wire, schemas, views};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use muriel_context::access_cache::KnownSession;
use muriel_http::body::MediaType;
use muriel_people as people;
use muriel_people::OidcFailure;
use muriel_service::{App, Principal, projects};
use std::sync::Arc;

/// Session as shown to its person.
pub(super) async fn shown(app: &App, session: &Arc<KnownSession>) -> Result<views::SessionAnswer, ApiError> {
    let person = people::shown_one(&app.people, session.person.id).await?;
    let principal = Principal::Session(session.clone());
    let projects = projects::seen_by(app, &principal).await?.into_iter().map(Into::into).collect();
    Ok(views::SessionAnswer {
        success: true,
        role: person.person.access.role.word(),
        person: person.into(),
        company: people::company_name(&app.people, session.person.company_id).await?,
        projects,
        csrf: session.csrf.clone(),
        expires_at: session.expires_at(),
    })
}

/// Lists the sign-in methods of this server.
#[utoipa::path(
    get, path = "/v2/session/methods", tag = "People", operation_id = "getSignInMethods",
    responses((status = 200, description = "The sign-in methods of this server.", body = views::SignInMethods)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn sign_in_methods(
    State(app): State<App>,
    origin: Result<OwnOrigin, ApiError>,
) -> Result<Response, ApiError> {
    let needs_first_owner = !people::any(&app.people).await?;
    let passkeys = origin.is_ok_and(|OwnOrigin(origin)| people::passkey_request(&app.people, &origin).is_ok());
    let oidc = app.people.provider().map(str::to_owned);
    let answer = views::SignInMethods { success: true, needs_first_owner, password: true, passkeys, oidc };
    json(StatusCode::OK, &answer)
}

/// Signs a person in.
///
/// The response sets the session cookie. Attempts are limited per person and per network; `Retry-After` of a 429 says
/// when to continue. An unknown e-mail address and a wrong password get the same response.
#[utoipa::path(
    post, path = "/v2/session", tag = "People", operation_id = "signIn",
    request_body = schemas::SignInBody,
    responses((status = 200, description = "The person is signed in.", body = views::SessionAnswer)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn sign_in(
    State(app): State<App>,
    _: OwnPage,
    FromBrowser(browser): FromBrowser,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let signed_in = people::sign_in(&app.people, wire::sign_in(&sent.json)?, &browser).await?;
    let answer = shown(&app, &signed_in.session).await?;
    Ok(sessions::signed_in(json(StatusCode::OK, &answer)?, &app, &signed_in))
}

/// Returns the signed-in person and their permissions.
#[utoipa::path(
    get, path = "/v2/session", tag = "People", operation_id = "getSession",
    responses((status = 200, description = "Who is signed in.", body = views::SessionAnswer)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn session_show(State(app): State<App>, member: Member<Read>) -> Result<Response, ApiError> {
    json(StatusCode::OK, &shown(&app, &member.session).await?)
}

/// Ends the session, and removes its cookie.
#[utoipa::path(
    delete, path = "/v2/session", tag = "People", operation_id = "signOut",
    responses((status = 200, description = "The session was ended.", body = views::SignedOut)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn sign_out(State(app): State<App>, member: Member<Read>) -> Result<Response, ApiError> {
    people::sign_out(&app.people, &member.session).await?;
    let response = json(StatusCode::OK, &views::SignedOut { success: true, signed_out: true })?;
    Ok(sessions::signed_out(response, &app))
}

/// Returns the options with which a browser signs in with a passkey.
///
/// They are valid for five minutes. They do not reveal who has an account: the device knows its own passkeys.
#[utoipa::path(
    post, path = "/v2/session/passkey/options", tag = "People", operation_id = "beginPasskeySignIn",
    responses((status = 200, description = "Options for `navigator.credentials`.", body = views::PasskeyOptions)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn passkey_begin(
    State(app): State<App>,
    _: OwnPage,
    OwnOrigin(origin): OwnOrigin,
) -> Result<Response, ApiError> {
    let options = people::passkey_request(&app.people, &origin)?;
    json(StatusCode::OK, &views::PasskeyOptions { success: true, options })
}

/// Signs a person in with a passkey instead of password and code.
///
/// The response sets the session cookie.
#[utoipa::path(
    post, path = "/v2/session/passkey", tag = "People", operation_id = "signInWithPasskey",
    request_body = schemas::PasskeySignInBody,
    responses((status = 200, description = "The person is signed in.", body = views::SessionAnswer)),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn passkey_sign_in(
    State(app): State<App>,
    _: OwnPage,
    OwnOrigin(origin): OwnOrigin,
    FromBrowser(browser): FromBrowser,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let credential = wire::passkey_sign_in(&sent.json)?;
    let signed_in = people::passkey_sign_in(&app.people, &credential, &origin, &browser).await?;
    let answer = shown(&app, &signed_in.session).await?;
    Ok(sessions::signed_in(json(StatusCode::OK, &answer)?, &app, &signed_in))
}

/// Begins a sign-in at the OpenID provider, by redirecting the browser there.
///
/// Sets a cookie that is needed to finish the sign-in. If the sign-in cannot begin, the browser is redirected to
/// `/sign-in?error=…`, with `oidc_failed` or `oidc_unavailable`.
#[utoipa::path(
    get, path = "/v2/session/oidc/start", tag = "People", operation_id = "beginOidcSignIn",
    responses((status = 303, description = "Redirects to the provider.", headers(("Location" = String)))),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn oidc_begin(State(app): State<App>, OwnOrigin(origin): OwnOrigin) -> Result<Response, ApiError> {
    match people::oidc_begin(&app.people, &origin).await? {
        Ok(begun) => Ok(sessions::oidc_begun(see_other(&begun.location), &app, &begun.cookie)),
        Err(failure) => Ok(see_other(&failed(failure))),
    }
}

/// Finishes a sign-in at the OpenID provider, which redirects the browser here.
///
/// The browser is redirected to `/`, signed in, or to `/sign-in?error=…`, with `oidc_expired`, `oidc_failed`,
/// `oidc_not_invited`, `oidc_busy` or `oidc_unavailable`.
#[utoipa::path(
    get, path = "/v2/session/oidc/callback", tag = "People", operation_id = "finishOidcSignIn",
    params(
        ("state" = inline(Option<String>), Query, description = "The `state` with which the sign-in began."),
        ("code" = inline(Option<String>), Query, description = "The provider's authorization code."),
    ),
    responses((status = 303, description = "Redirects to the dashboard.", headers(("Location" = String)))),
    extensions(("x-scope" = json!("none")), ("x-callers" = json!("anybody")))
)]
pub(crate) async fn oidc_finish(
    State(app): State<App>,
    FromBrowser(browser): FromBrowser,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["state", "code"]);
    let (state, code) = (query.text("state", 255), query.text("code", 4_096));
    query.finish()?;
    let cookie = sessions::oidc_cookie(&headers, &app);
    let answer = (state.as_deref(), code.as_deref());
    let response = match people::oidc_finish(&app.people, cookie.as_deref(), answer, &browser).await? {
        Ok(signed_in) => sessions::signed_in(see_other("/"), &app, &signed_in),
        Err(failure) => see_other(&failed(failure)),
    };
    Ok(sessions::oidc_finished(response, &app))
}

fn failed(failure: OidcFailure) -> String {
    format!("/sign-in?error={}", failure.word())
}

fn see_other(location: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
