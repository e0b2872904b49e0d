//! Exclusion groups and holdouts of a project.

use super::{idempotency_key, read_body, rendered, stored};
use crate::answer::json;
use crate::auth::{Caller, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::wire::query::Query;
use crate::wire::{group as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::{ApprovalNeeded, MovesVisitors};
use muriel_domain::ids::GroupId;
use muriel_http::body::MediaType;
use muriel_service::groups::GroupChanged;
use muriel_service::{App, groups};

fn id_in(path: &str) -> Result<GroupId, ApiError> {
    GroupId::parse(path).ok_or(ApiError::NotFound("exclusion group"))
}

/// Lists the project's exclusion groups and holdouts.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/exclusion-groups", tag = "Exclusion groups", operation_id = "listExclusionGroups",
    responses((status = 200, description = "Oldest first.", body = views::GroupList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn group_list(State(app): State<App>, caller: Caller<Read>, uri: Uri) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let groups = groups::list(&app, caller.project.id).await?;
    let exclusion_groups = groups.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::GroupList { success: true, exclusion_groups })
}

/// Creates an exclusion group or a holdout. Live experiments in it get fewer visitors at once, as the warnings say, and
/// each starts a new epoch.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/exclusion-group", tag = "Exclusion groups", operation_id = "createExclusionGroup",
    request_body = schemas::GroupBody,
    responses((status = 201, description = "The group was created.", body = views::GroupChanged)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[ApprovalNeeded]))))
)]
pub(crate) async fn group_create(
    State(app): State<App>,
    caller: Caller<Write>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = wire::creation(&sent.json)?;
    let project = &caller.project;
    let key = idempotency_key(&headers, project.id, "exclusion-group".to_owned(), &sent.bytes, app.clock.now())?;
    let render = |changed: &GroupChanged| rendered(&views::GroupChanged::from(changed.clone()));
    let response = groups::create(&app, &caller.actor, project, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

/// Updates a group. Only fields that are sent change. Experiments keep as many of their visitors as possible. Where
/// visitors of live experiments would move, `accept_moves` is required.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/exclusion-group/{group_id}", tag = "Exclusion groups",
    operation_id = "updateExclusionGroup", request_body = schemas::GroupPatch,
    responses((status = 200, description = "All changes were applied.", body = views::GroupChanged)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[MovesVisitors, ApprovalNeeded]))))
)]
pub(crate) async fn group_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let update = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wire::update(&sent.json)?));
    let changed = groups::update(&app, &caller.actor, &caller.project, id, update.map_err(Into::into)).await?;
    json(StatusCode::OK, &views::GroupChanged::from(changed))
}

/// Deletes a group. Its experiments get all visitors again. Where visitors of live experiments would move, the query
/// parameter `accept_moves` is required.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/exclusion-group/{group_id}", tag = "Exclusion groups",
    operation_id = "deleteExclusionGroup",
    params(
        ("accept_moves" = inline(Option<bool>), Query, description = "Whether visitors of live experiments may be moved; false unless sent. A JSON body with this field is also accepted."),
    ),
    responses((status = 200, description = "Deleted.", body = views::GroupDeleted)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[MovesVisitors, ApprovalNeeded]))))
)]
pub(crate) async fn group_delete(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let accept_moves = acceptance(&uri, request).await;
    let changed = groups::delete(&app, &caller.actor, &caller.project, id, accept_moves.map_err(Into::into)).await?;
    json(StatusCode::OK, &views::GroupDeleted::from(changed))
}

/// Returns whether the query or the body allows moving visitors.
async fn acceptance(uri: &Uri, request: Request) -> Result<bool, ApiError> {
    let mut query = Query::read(uri.query(), &["accept_moves"]);
    let by_query = query.switch("accept_moves");
    query.finish()?;
    if !request.headers().contains_key(http::header::CONTENT_TYPE) {
        return Ok(by_query);
    }
    let sent = read_body(request, &[MediaType::Json]).await?;
    Ok(wire::acceptance(&sent.json)? || by_query)
}
