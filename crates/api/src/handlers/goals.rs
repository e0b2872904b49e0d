//! Goals of a project.

use super::{idempotency_key, read_body, rendered, stored};
use crate::answer::{if_match, json, tagged};
use crate::auth::{Caller, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::wire::query::Query;
use crate::wire::{goal as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use muriel_context::error::ConflictCode::{ApprovalNeeded, GoalInUse, KeyTaken};
use muriel_domain::goal::Goal;
use muriel_domain::ids::GoalId;
use muriel_http::body::MediaType;
use muriel_service::{App, goals};

const NOT_FOUND: ApiError = ApiError::NotFound("goal");

pub(super) fn id_in(path: &str) -> Result<GoalId, ApiError> {
    GoalId::parse(path).ok_or(NOT_FOUND)
}

/// Lists the project's goals.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/goals", tag = "Goals", operation_id = "listGoals",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500. Larger values count as 500."),
        ("offset" = inline(Option<i64>), Query, minimum = 0, description = "Goals to skip."),
    ),
    responses((status = 200, description = "Oldest first.", body = views::GoalList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn goal_list(State(app): State<App>, caller: Caller<Read>, uri: Uri) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "offset"]);
    let (limit, offset) = (query.limit(50, 500), query.offset());
    query.finish()?;
    let goals = goals::list(&app, caller.project.id, (limit, offset)).await?;
    let list = views::GoalList {
        success: true,
        company_id: caller.company_id().0,
        count: goals.len(),
        goals: goals.into_iter().map(Into::into).collect(),
    };
    json(StatusCode::OK, &list)
}

/// Returns one goal.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/goal/{goal_profile_id}", tag = "Goals", operation_id = "getGoal",
    responses((status = 200, description = "The goal, with a strong ETag.", body = views::GoalAnswer)),
    extensions(("x-scope" = json!("read")), ("x-etag" = json!(true)))
)]
pub(crate) async fn goal_details(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let goal = goals::find(&app, caller.project.id, id_in(&id)?).await?;
    let version = goals::version(&goal);
    Ok(tagged(json(StatusCode::OK, &views::GoalAnswer { success: true, goal: goal.into() })?, &version))
}

fn changed(goal_id: GoalId, key: &str, company: i64) -> views::GoalChanged {
    views::GoalChanged { success: true, goal_profile_id: goal_id.0, goal_key: key.to_owned(), company_id: company }
}

/// Creates a goal.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/goal", tag = "Goals", operation_id = "createGoal",
    request_body = schemas::GoalBody,
    responses((status = 201, description = "The goal was created.", body = views::GoalChanged)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[KeyTaken]))))
)]
pub(crate) async fn goal_create(
    State(app): State<App>,
    caller: Caller<Write>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = wire::creation(&sent.json)?;
    let (project, company) = (&caller.project, caller.company_id());
    let key = idempotency_key(&headers, project.id, "goal".to_owned(), &sent.bytes, app.clock.now())?;
    let render = move |goal: &Goal| rendered(&changed(goal.id, &goal.key, company.0));
    let response = goals::create(&app, &caller.actor, project, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

/// Updates a goal. Only fields that are sent change; the key is permanent.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/goal/{goal_profile_id}", tag = "Goals", operation_id = "updateGoal",
    request_body = schemas::GoalPatch,
    responses((status = 200, description = "All changes were applied.", body = views::GoalChanged)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[ApprovalNeeded]))),
        ("x-if-match" = json!("goal")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn goal_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (id, precondition) = (id_in(&id)?, if_match(request.headers()));
    let patch = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wire::patch(&sent.json)?));
    let goal = goals::update(&app, &caller.actor, &caller.project, id, precondition, patch.map_err(Into::into)).await?;
    Ok(tagged(json(StatusCode::OK, &changed(id, &goal.key, caller.company_id().0))?, &goals::version(&goal)))
}

/// Deletes a goal. Experiments do not report it any more, and its key is never used
/// again.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/goal/{goal_profile_id}", tag = "Goals", operation_id = "deleteGoal",
    responses((status = 200, description = "Deleted.", body = views::GoalDeleted)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[GoalInUse, ApprovalNeeded]))),
        ("x-if-match" = json!("goal")),
    )
)]
pub(crate) async fn goal_delete(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    goals::delete(&app, &caller.actor, &caller.project, id, if_match(&headers)).await?;
    json(StatusCode::OK, &views::GoalDeleted { success: true, goal_profile_id: id.0, deleted: true })
}
