//! API keys of a company.

use super::read_body;
use crate::answer::json;
use crate::auth::{Admin, CompanyCaller, Member};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::{key as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_domain::time::DAY_US;
use muriel_http::body::MediaType;
use muriel_people::keys;
use muriel_service::App;

/// Lists the company's API keys, without their secrets.
#[utoipa::path(
    get, path = "/v2/keys", tag = "Projects and keys", operation_id = "listKeys",
    responses((status = 200, description = "The keys.", body = views::KeyList)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn key_list(
    State(app): State<App>,
    caller: CompanyCaller<Admin>,
    uri: Uri,
) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let (keys, projects) = keys::list(&app, caller.principal.company_id()).await?;
    let keys: Vec<_> = keys.into_iter().map(|key| views::ApiKeyItem::new(key, &projects)).collect();
    json(StatusCode::OK, &views::KeyList { success: true, count: keys.len(), keys })
}

/// Creates an API key. The response shows the key, this once only.
#[utoipa::path(
    post, path = "/v2/keys", tag = "Projects and keys", operation_id = "createKey",
    request_body = schemas::KeyBody,
    responses((status = 201, description = "The key was created.", body = views::KeyCreated)),
    extensions(("x-scope" = json!("admin")), ("x-callers" = json!("session")))
)]
pub(crate) async fn key_create(
    State(app): State<App>,
    member: Member<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = wire::key(&sent.json)?;
    let expires_at = new.expires_in_days.map(|days| app.clock.now().plus_us(days * DAY_US));
    let wanted = keys::Wanted { scopes: new.scopes, projects: new.projects, expires_at };
    let key = keys::create_in(&app, &member.actor, member.company_id(), new.name, wanted).await?;
    let (prefix, api_key) = (key.id().to_owned(), key.reveal().to_owned());
    json(StatusCode::CREATED, &views::KeyCreated { success: true, prefix, api_key, expires_at })
}

/// Revokes an API key. Every server refuses it within a second.
#[utoipa::path(
    delete, path = "/v2/key/{prefix}", tag = "Projects and keys", operation_id = "revokeKey",
    responses((status = 200, description = "The key was revoked.", body = views::KeyRevoked)),
    extensions(("x-scope" = json!("admin")), ("x-callers" = json!("session")))
)]
pub(crate) async fn key_revoke(
    State(app): State<App>,
    member: Member<Admin>,
    Path(prefix): Path<String>,
) -> Result<Response, ApiError> {
    if prefix.len() != 8 || !prefix.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(ApiError::NotFound("key"));
    }
    keys::revoke(&app, &member.actor, Some(member.company_id()), &prefix).await?;
    json(StatusCode::OK, &views::KeyRevoked { success: true, prefix, revoked: true })
}
