//! The signed-in person's password, sessions, second factor and passkeys.

use super::read_body;
use crate::answer::json;
use crate::auth::{Member, Read};
use crate::error::{ApiError, conflict_codes};
use crate::sessions::OwnOrigin;
use crate::wire::query::Query;
use crate::wire::{person as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::TotpNotBegun;
use muriel_domain::ids::{PasskeyId, SessionId};
use muriel_http::body::MediaType;
use muriel_people as people;
use muriel_service::App;

/// Changes the caller's password, and ends all other sessions.
#[utoipa::path(
    post, path = "/v2/person/me/password", tag = "People", operation_id = "changePassword",
    request_body = schemas::PasswordBody,
    responses((status = 200, description = "The number of other sessions that were ended.", body = views::SessionsRevoked)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn password_change(
    State(app): State<App>,
    member: Member<Read>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let (current, password) = wire::password(&sent.json)?;
    let revoked = people::change_password(&app.people, &member.session, current, password).await?;
    json(StatusCode::OK, &views::SessionsRevoked { success: true, revoked })
}

/// Lists the caller's sessions, and refused second factors.
#[utoipa::path(
    get, path = "/v2/person/me/sessions", tag = "People", operation_id = "listSessions",
    responses((status = 200, description = "The sessions.", body = views::SessionList)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn session_list(State(app): State<App>, member: Member<Read>, uri: Uri) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let own = member.session.session.id;
    let found = people::sessions(&app.people, &member.session).await?;
    let sessions: Vec<_> = found.into_iter().map(|session| views::SessionItem::new(session, own)).collect();
    let refused =
        people::refused_second_factors(&app.people, &member.session).await?.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::SessionList { success: true, count: sessions.len(), sessions, refused })
}

/// Ends all sessions of the caller except the current one.
#[utoipa::path(
    delete, path = "/v2/person/me/sessions", tag = "People", operation_id = "revokeOtherSessions",
    responses((status = 200, description = "The number of sessions that were ended.", body = views::SessionsRevoked)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn sessions_revoke(State(app): State<App>, member: Member<Read>) -> Result<Response, ApiError> {
    let revoked = people::revoke_others(&app.people, &member.session).await?;
    json(StatusCode::OK, &views::SessionsRevoked { success: true, revoked })
}

/// Ends one session of the caller.
#[utoipa::path(
    delete, path = "/v2/person/me/sessions/{session_id}", tag = "People", operation_id = "revokeSession",
    responses((status = 200, description = "The session was ended.", body = views::SessionsRevoked)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn session_revoke(
    State(app): State<App>,
    member: Member<Read>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = SessionId::parse(&id).ok_or(ApiError::NotFound("session"))?;
    people::revoke(&app.people, &member.session, id).await?;
    json(StatusCode::OK, &views::SessionsRevoked { success: true, revoked: 1 })
}

/// Creates a secret for an authenticator (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds).
///
/// It becomes active when a code of it is confirmed. Until then an earlier authenticator stays
/// active.
#[utoipa::path(
    post, path = "/v2/person/me/totp", tag = "People", operation_id = "beginTotp",
    request_body = schemas::PasswordAgainBody,
    responses((status = 200, description = "The new authenticator secret.", body = views::TotpBegun)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn totp_begin(
    State(app): State<App>,
    member: Member<Read>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let password = wire::password_again(&sent.json)?;
    let (secret, uri) = people::begin_totp(&app.people, &member.session, password).await?;
    json(StatusCode::OK, &views::TotpBegun { success: true, secret, uri })
}

/// Enrols the authenticator with the secret created last, and ends all other sessions.
#[utoipa::path(
    post, path = "/v2/person/me/totp/confirm", tag = "People", operation_id = "confirmTotp",
    request_body = schemas::TotpCodeBody,
    responses((status = 200, description = "The second factor is required from now on.", body = views::TotpEnrolled)),
    extensions(
        ("x-scope" = json!("read")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[TotpNotBegun]))),
    )
)]
pub(crate) async fn totp_confirm(
    State(app): State<App>,
    member: Member<Read>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let recovery_codes = people::confirm_totp(&app.people, &member.session, &wire::code(&sent.json)?).await?;
    json(StatusCode::OK, &views::TotpEnrolled { success: true, recovery_codes })
}

/// Removes the caller's authenticator and recovery codes.
#[utoipa::path(
    post, path = "/v2/person/me/totp/remove", tag = "People", operation_id = "removeTotp",
    request_body = schemas::PasswordAgainBody,
    responses((status = 200, description = "The second factor was removed.", body = views::TotpRemoved)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn totp_remove(
    State(app): State<App>,
    member: Member<Read>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let removed = people::remove_totp(&app.people, &member.session, wire::password_again(&sent.json)?).await?;
    json(StatusCode::OK, &views::TotpRemoved { success: true, removed })
}

/// Lists the caller's passkeys.
#[utoipa::path(
    get, path = "/v2/person/me/passkeys", tag = "People", operation_id = "listPasskeys",
    responses((status = 200, description = "The passkeys.", body = views::PasskeyList)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn passkey_list(State(app): State<App>, member: Member<Read>, uri: Uri) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let passkeys: Vec<views::PasskeyItem> =
        people::passkeys(&app.people, &member.session).await?.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::PasskeyList { success: true, count: passkeys.len(), passkeys })
}

/// Returns the options with which a browser creates a passkey.
///
/// They are valid for five minutes. Browsers create passkeys for host names, not for addresses
/// such as 127.0.0.1.
#[utoipa::path(
    post, path = "/v2/person/me/passkeys/options", tag = "People", operation_id = "beginPasskey",
    request_body = schemas::PasswordAgainBody,
    responses((status = 200, description = "Options for `navigator.credentials`.", body = views::PasskeyOptions)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn passkey_begin(
    State(app): State<App>,
    member: Member<Read>,
    OwnOrigin(origin): OwnOrigin,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let password = wire::password_again(&sent.json)?;
    let options = people::passkey_creation(&app.people, &member.session, password, &origin).await?;
    json(StatusCode::OK, &views::PasskeyOptions { success: true, options })
}

/// Enrols a passkey that the browser has created.
#[utoipa::path(
    post, path = "/v2/person/me/passkeys", tag = "People", operation_id = "createPasskey",
    request_body = schemas::PasskeyBody,
    responses((status = 201, description = "The passkey can be used to sign in.", body = views::PasskeyEnrolled)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn passkey_create(
    State(app): State<App>,
    member: Member<Read>,
    OwnOrigin(origin): OwnOrigin,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let (name, credential) = wire::passkey(&sent.json)?;
    let passkey = people::passkey_enrol(&app.people, &member.session, name, &credential, &origin).await?;
    json(StatusCode::CREATED, &views::PasskeyEnrolled { success: true, passkey_id: passkey.id.0 })
}

/// Removes one of the caller's passkeys.
#[utoipa::path(
    delete, path = "/v2/person/me/passkeys/{passkey_id}", tag = "People", operation_id = "removePasskey",
    responses((status = 200, description = "The passkey was removed.", body = views::PasskeyRemoved)),
    extensions(("x-scope" = json!("read")), ("x-callers" = json!("session")))
)]
pub(crate) async fn passkey_remove(
    State(app): State<App>,
    member: Member<Read>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let id = PasskeyId::parse(&id).ok_or(ApiError::NotFound("passkey"))?;
    people::passkey_remove(&app.people, &member.session, id).await?;
    json(StatusCode::OK, &views::PasskeyRemoved { success: true, passkey_id: id.0, deleted: true })
}
