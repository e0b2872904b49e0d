//! Comments on experiments and hypotheses.

use super::experiments::id_in;
use super::{hypotheses, idempotency_key, read_body, rendered, stored};
use crate::answer::json as answered;
use crate::auth::{Caller, Read, Write};
use crate::error::ApiError;
use crate::wire::query::Query;
use crate::wire::{comment as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_domain::ids::CommentId;
use muriel_http::body::MediaType;
use muriel_service::comments::Written;
use muriel_service::{App, comments};
use muriel_store::comments::Subject;

async fn list(app: &App, caller: &Caller<Read>, subject: Subject, uri: &Uri) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "cursor"]);
    let limit = usize::try_from(query.limit(50, 200)).unwrap_or(1);
    let before = query.cursor(|text| CommentId::parse(text).map(|id| id.0));
    query.finish()?;
    let found = comments::page(app, caller.project.id, subject, before, limit).await?;
    let next_cursor = found.comments.last().filter(|_| found.has_more).map(|last| last.id.to_string());
    let (names, total) = (found.names, found.total);
    let comments = found.comments.into_iter().map(|comment| views::Comment::new(comment, &names)).collect();
    answered(StatusCode::OK, &views::CommentList { success: true, total, comments, next_cursor })
}

async fn create(
    app: &App,
    caller: &Caller<Write>,
    subject: Subject,
    operation: String,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await;
    let (key, new) = match sent {
        Ok(sent) => {
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
            (key, wire::comment(&sent.json).map_err(Into::into))
        }
        Err(error) => (Ok(None), Err(muriel_context::Error::from(error))),
    };
    let render = |written: &Written| rendered(&views::CommentCreated::from(written));
    let response = comments::create(app, &caller.actor, &caller.project, subject, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

/// Lists the comments on an experiment, newest first.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/comments", tag = "Experiments", operation_id = "listExperimentComments",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 200. Larger values count as 200."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::CommentList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_comments(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    list(&app, &caller, Subject::Experiment(id_in(&id)?), &uri).await
}

/// Comments on an experiment.
///
/// `@` and the full name of a person who sees the project mentions them, and so does `mentions`. Mentioned people are
/// notified, and watch the experiment from then on. All watchers are notified too.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/comments", tag = "Experiments", operation_id = "createExperimentComment",
    request_body = schemas::CommentBody,
    responses((status = 201, description = "The comment was stored.", body = views::CommentCreated)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn experiment_comment(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    create(&app, &caller, Subject::Experiment(id), format!("experiment {id} comment"), request).await
}

/// Lists the comments on a hypothesis, newest first.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/hypothesis/{hypothesis_id}/comments", tag = "Hypotheses", operation_id = "listHypothesisComments",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 200. Larger values count as 200."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::CommentList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn hypothesis_comments(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    list(&app, &caller, Subject::Hypothesis(hypotheses::id_in(&id)?), &uri).await
}

/// Comments on a hypothesis.
///
/// `@` and the full name of a person who sees the project mentions them, and so does `mentions`. Mentioned people are
/// notified.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/hypothesis/{hypothesis_id}/comments", tag = "Hypotheses", operation_id = "createHypothesisComment",
    request_body = schemas::CommentBody,
    responses((status = 201, description = "The comment was stored.", body = views::CommentCreated)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn hypothesis_comment(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = hypotheses::id_in(&id)?;
    create(&app, &caller, Subject::Hypothesis(id), format!("hypothesis {id} comment"), request).await
}
