//! Goals of a project.

use super::{Keyed, boxed, given, read_body};
use crate::answer::json;
use crate::app::App;
use crate::auth::{Caller, Read, Write};
use crate::body::MediaType;
use crate::error::{ApiError, ConflictCode};
use crate::idempotency::{Ticket, keep, replay};
use crate::wire::query::Query;
use crate::wire::{goal as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_domain::experiment::Revision;
use muriel_domain::goal::Goal;
use muriel_domain::ids::{GoalId, ProjectId};
use muriel_domain::{Instant, text};
use muriel_sql::Tx;
use muriel_store::{Intent, delivery, experiments, goals, lock};

const NOT_FOUND: ApiError = ApiError::NotFound("goal");

fn id_in(path: &str) -> Result<GoalId, ApiError> {
    GoalId::parse(path).ok_or(NOT_FOUND)
}

/// Lists the project's goals.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/goals", tag = "Goals", operation_id = "listGoals",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500: more is cut to that."),
        ("offset" = inline(Option<i64>), Query, minimum = 0, description = "Goals to skip."),
    ),
    responses((status = 200, description = "Oldest first.", body = views::GoalList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn goal_list(State(app): State<App>, caller: Caller<Read>, uri: Uri) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "offset"]);
    let (limit, offset) = (query.limit(50, 500), query.offset());
    query.finish()?;
    let project = caller.project.id;
    let goals = app.read(move |tx| boxed(async move { Ok(goals::list(tx, project, limit, offset).await?) })).await?;
    let list = views::GoalList {
        success: true,
        company_id: caller.company_id().0,
        count: goals.len(),
        goals: goals.into_iter().map(Into::into).collect(),
    };
    json(StatusCode::OK, &list)
}

/// Reads one goal.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/goal/{goal_profile_id}", tag = "Goals", operation_id = "getGoal",
    responses((status = 200, description = "The goal.", body = views::GoalAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn goal_details(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (id, project) = (id_in(&id)?, caller.project.id);
    let found = app.read(move |tx| boxed(async move { Ok(goals::find(tx, project, id).await?) })).await?;
    json(StatusCode::OK, &views::GoalAnswer { success: true, goal: found.ok_or(NOT_FOUND)?.into() })
}

fn changed(goal_id: GoalId, key: &str, company: i64) -> views::GoalChanged {
    views::GoalChanged { success: true, goal_profile_id: goal_id.0, goal_key: key.to_owned(), company_id: company }
}

/// Creates a goal.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/goal", tag = "Goals", operation_id = "createGoal",
    request_body = schemas::GoalBody,
    responses((status = 201, description = "The goal was made.", body = views::GoalChanged)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn goal_create(
    State(app): State<App>,
    caller: Caller<Write>,
    request: Request,
) -> Result<Response, ApiError> {
    let (now, project, company) = (app.clock.now(), caller.project.id, caller.company_id());
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await?;
    let body = wire::creation(&sent.json)?;
    let ticket = Ticket::of(&headers, project, "goal".to_owned(), &sent.bytes, now)?;
    let made = app
        .write(company, move |tx| {
            boxed(async move {
                lock(tx, project, Intent::Reshape).await?;
                if let Some(given) = replay(tx, ticket.as_ref()).await? {
                    return Ok(given);
                }
                let key = free_key(tx, project, &body).await?;
                let goal = goals::insert(tx, project, &key, &body.definition, now).await?;
                delivery::announce(tx, project).await?;
                keep(tx, ticket.as_ref(), &changed(goal.id, &key, company.0)).await
            })
        })
        .await?;
    app.deliver(&caller, true).await;
    Ok(given(StatusCode::CREATED, made))
}

/// The key that was given, if it is free, or one made from the name.
async fn free_key(tx: &mut dyn Tx, project: ProjectId, body: &wire::GoalBody) -> Result<String, ApiError> {
    match &body.key {
        None => Keyed::Goal.free_key(tx, project, &text::slug(&body.definition.name, 64, "goal")).await,
        Some(key) if Keyed::Goal.is_taken(tx, project, key).await? => Err(ApiError::Conflict {
            code: ConflictCode::KeyTaken,
            message: "goal_key is taken, or was once: keys of deleted goals are not used again".to_owned(),
        }),
        Some(key) => Ok(key.clone()),
    }
}

/// Updates a goal. Only fields that are sent change; the key is permanent.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/goal/{goal_profile_id}", tag = "Goals", operation_id = "updateGoal",
    request_body = schemas::GoalPatch,
    responses((status = 200, description = "Applied whole.", body = views::GoalChanged)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn goal_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (id, project, company) = (id_in(&id)?, caller.project.id, caller.company_id());
    let sent = read_body(request, &[MediaType::Json]).await;
    let key = app
        .write(company, move |tx| {
            boxed(async move {
                lock(tx, project, Intent::Reshape).await?;
                let before = goals::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
                let after = wire::patch(&sent?.json)?.apply(&before.definition)?;
                if after != before.definition {
                    goals::update(tx, id, &after).await?;
                    delivery::announce(tx, project).await?;
                }
                Ok(before.key)
            })
        })
        .await?;
    app.deliver(&caller, true).await;
    json(StatusCode::OK, &changed(id, &key, company.0))
}

/// Deletes a goal: experiments no longer report it, and its key is never used again.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/goal/{goal_profile_id}", tag = "Goals", operation_id = "deleteGoal",
    responses((status = 200, description = "It is gone.", body = views::GoalDeleted)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn goal_delete(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (id, project, now) = (id_in(&id)?, caller.project.id, app.clock.now());
    let actor = caller.key_id().to_owned();
    app.write(caller.company_id(), move |tx| {
        boxed(async move {
            lock(tx, project, Intent::Reshape).await?;
            let goal = goals::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            detach(tx, project, &goal, &actor, now).await?;
            goals::delete(tx, id, now).await?;
            Ok(delivery::announce(tx, project).await?)
        })
    })
    .await?;
    app.deliver(&caller, true).await;
    json(StatusCode::OK, &views::GoalDeleted { success: true, goal_profile_id: id.0, deleted: true })
}

/// Takes the goal out of every experiment, unless a live one uses it.
async fn detach(tx: &mut dyn Tx, project: ProjectId, goal: &Goal, actor: &str, now: Instant) -> Result<(), ApiError> {
    for id in goals::users(tx, goal.id).await? {
        let Some(loaded) = experiments::find(tx, project, id).await? else { continue };
        let before = loaded.experiment;
        if before.lifecycle.is_live() {
            return Err(ApiError::Conflict {
                code: ConflictCode::GoalInUse,
                message: format!("the goal is used by the live experiment {id}; detach it there first"),
            });
        }
        let mut after = before.clone();
        after.primary_goal = after.primary_goal.filter(|key| *key != goal.key);
        after.secondary_goals.retain(|key| *key != goal.key);
        if let Some(revision) = Revision::between(&before, after, now) {
            experiments::update(tx, &before, &revision, actor, "goal deleted").await?;
        }
    }
    Ok(())
}
