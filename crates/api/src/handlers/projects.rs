//! Projects of a company, and their settings.

use super::read_body;
use crate::answer::json;
use crate::auth::{Admin, Caller, CompanyCaller, Read};
use crate::error::{ApiError, conflict_codes};
use crate::wire::query::Query;
use crate::wire::{project as wire, schemas, views};
use axum::extract::{Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::KeyTaken;
use muriel_http::body::MediaType;
use muriel_service::{App, projects};

/// Lists the projects of the company that the caller sees.
#[utoipa::path(
    get, path = "/v2/projects", tag = "Projects and keys", operation_id = "listProjects",
    responses((status = 200, description = "The projects.", body = views::ProjectList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn project_list(
    State(app): State<App>,
    caller: CompanyCaller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let seen = projects::seen_by(&app, &caller.principal).await?;
    let projects: Vec<views::SessionProject> = seen.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::ProjectList { success: true, count: projects.len(), projects })
}

/// Creates a project.
#[utoipa::path(
    post, path = "/v2/projects", tag = "Projects and keys", operation_id = "createProject",
    request_body = schemas::ProjectBody,
    responses((status = 201, description = "The project was created.", body = views::ProjectCreated)),
    extensions(("x-scope" = json!("admin")), ("x-conflicts" = json!(conflict_codes(&[KeyTaken]))))
)]
pub(crate) async fn project_create(
    State(app): State<App>,
    caller: CompanyCaller<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let name = wire::project(&sent.json)?;
    let project = projects::create_in(&app, &caller.actor, caller.principal.company_id(), name).await?;
    json(StatusCode::CREATED, &views::ProjectCreated { success: true, project_key: project.key })
}

/// Returns a project's settings.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/settings", tag = "Projects and keys", operation_id = "getProjectSettings",
    responses((status = 200, description = "The settings.", body = views::ProjectSettingsAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn settings_show(State(app): State<App>, caller: Caller<Read>) -> Result<Response, ApiError> {
    let settings = projects::settings(&app, &caller.project).await?;
    json(StatusCode::OK, &views::ProjectSettingsAnswer::new(&caller.project, settings))
}

/// Updates a project's settings. Only fields that are sent change. Pages get the new settings
/// within a second.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/settings", tag = "Projects and keys", operation_id = "updateProjectSettings",
    request_body = schemas::ProjectSettingsPatch,
    responses((status = 200, description = "The new settings.", body = views::ProjectSettingsAnswer)),
    extensions(("x-scope" = json!("admin")), ("x-conflicts" = json!(conflict_codes(&[KeyTaken]))))
)]
pub(crate) async fn settings_update(
    State(app): State<App>,
    caller: Caller<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let patch = wire::settings(&sent.json)?;
    let key = &caller.project.key;
    let settings = projects::change_settings(&app, &caller.actor, key, move |before| Ok(patch.over(before))).await?;
    json(StatusCode::OK, &views::ProjectSettingsAnswer::new(&caller.project, settings))
}
