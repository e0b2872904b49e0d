//! Checklist before a start.

use super::experiments::id_in;
use crate::answer::json as answered;
use crate::auth::{Caller, Read};
use crate::error::ApiError;
use crate::wire::views;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use muriel_service::{App, checklist};

/// Lists what to check before an experiment starts, and what prevents the start.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/checklist", tag = "Experiments", operation_id = "getChecklist",
    responses((status = 200, description = "Every check.", body = views::Checklist)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn checklist_show(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let items = checklist::checklist(&app, &caller.actor, &caller.project, id).await?;
    answered(StatusCode::OK, &views::Checklist::new(id, items))
}
