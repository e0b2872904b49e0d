//! The data of one visitor.

use crate::answer::json;
use crate::auth::{Admin, Caller};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::views;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::Error;
use muriel_domain::ids::VisitorJobId;
use muriel_domain::{Flaw, Problems};
use muriel_service::App;
use muriel_service::visitor_data::{self, MAX_PAGE, PageCursor};

/// Maximum length of a visitor's id, in characters, as in events.
const VISITOR_ID_MAX: usize = 128;

fn visitor_in(path: String) -> Result<String, ApiError> {
    let characters = path.chars().take(VISITOR_ID_MAX + 1).count();
    if (1..=VISITOR_ID_MAX).contains(&characters) && !path.contains('\0') {
        return Ok(path);
    }
    let message = format!("must have 1 to {VISITOR_ID_MAX} characters, none of them NUL");
    Err(Error::from(Problems::one("visitor_id", message)).into())
}

/// Returns the stored events of a visitor that this server received. Repeat the request with the `cursor` of the
/// response until that is null.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/visitor/{visitor_id}", tag = "Visitor data", operation_id = "getVisitorData",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Maximum number of events in a response; 100 unless given, at most 1000. Larger values count as 1000."),
        ("cursor" = inline(Option<String>), Query, description = "Position to continue from: the `cursor` of the previous response. The beginning unless given."),
    ),
    responses((status = 200, description = "Oldest first. An unknown visitor has no events.", body = views::VisitorEvents)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn visitor_show(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, visitor)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "cursor"]);
    let limit = query.limit(100, MAX_PAGE as i64);
    let cursor = query.parsed("cursor", |text| {
        PageCursor::parse(text).ok_or_else(|| Flaw::new("must be the cursor of an earlier response"))
    });
    query.finish()?;
    let visitor = visitor_in(visitor)?;
    let (actor, project, cursor) = (&caller.actor, &caller.project, cursor.unwrap_or_default());
    let page = visitor_data::page(&app, actor, project, visitor, cursor, limit as usize).await?;
    json(StatusCode::OK, &views::VisitorEvents::from(page))
}

/// Deletes all data of a visitor, on every server. The response is immediate; the visitor job reports the progress.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/visitor/{visitor_id}", tag = "Visitor data",
    operation_id = "deleteVisitorData",
    responses((status = 202, description = "The deletion is recorded and will be carried out.", body = views::VisitorJobAnswer)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn visitor_delete(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, visitor)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let visitor = visitor_in(visitor)?;
    let job = visitor_data::delete(&app, &caller.actor, &caller.project, &visitor).await?;
    json(StatusCode::ACCEPTED, &views::VisitorJobAnswer::from(job))
}

/// Returns the progress of a deletion of a visitor's data.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/visitor-job/{visitor_job_id}", tag = "Visitor data",
    operation_id = "getVisitorJob",
    responses((status = 200, description = "Progress of each node. The job stays on record after it is done.", body = views::VisitorJobAnswer)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn visitor_job_show(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = VisitorJobId::parse(&id).ok_or(ApiError::NotFound("visitor job"))?;
    let job = visitor_data::job(&app, caller.project.id, id).await?;
    json(StatusCode::OK, &views::VisitorJobAnswer::from(job))
}
