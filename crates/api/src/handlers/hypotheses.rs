//! Backlog of hypotheses.

use super::{idempotency_key, next_after, page_of_names, read_body, rendered, stored};
use crate::answer::{if_match, json, tagged};
use crate::auth::{Caller, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::wire::query::Query;
use crate::wire::{hypothesis as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::KeyTaken;
use muriel_domain::ids::HypothesisId;
use muriel_http::body::MediaType;
use muriel_service::{App, hypotheses};

const NOT_FOUND: ApiError = ApiError::NotFound("hypothesis");

pub(super) fn id_in(path: &str) -> Result<HypothesisId, ApiError> {
    HypothesisId::parse(path).ok_or(NOT_FOUND)
}

/// Lists the project's hypotheses.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/hypotheses", tag = "Hypotheses", operation_id = "listHypotheses",
    params(
        ("search" = inline(Option<String>), Query, max_length = 200, description = "Only hypotheses whose observation, problem or solution contains this text, in any letter case."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 200. Larger values count as 200."),
        ("offset" = inline(Option<i64>), Query, minimum = 0, description = "Hypotheses to skip."),
        ("include_archived" = inline(Option<bool>), Query, description = "Whether to also return archived hypotheses; true, false, 1 or 0."),
    ),
    responses((status = 200, description = "Newest update first, then highest id.", body = views::HypothesisList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn hypothesis_list(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["search", "limit", "offset", "include_archived"]);
    let search = query.text("search", 200);
    let (limit, offset) = (query.limit(50, 200), query.offset());
    let archived_too = query.switch("include_archived");
    query.finish()?;
    let project = caller.project.id;
    let page = hypotheses::page(&app, project, search.as_deref(), archived_too, (limit, offset)).await?;
    let count = page.hypotheses.len() as i64;
    let next_offset = offset + count;
    let list = views::HypothesisList {
        success: true,
        hypotheses: page.hypotheses.into_iter().map(|one| views::Hypothesis::listed(one, archived_too)).collect(),
        count,
        total: page.total,
        limit,
        offset,
        has_more: next_offset < page.total,
        next_offset,
    };
    json(StatusCode::OK, &list)
}

/// Lists the ids and slugs of the project's hypotheses, archived ones too.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/hypothesis-slugs", tag = "Hypotheses", operation_id = "listHypothesisSlugs",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 500 unless given, at most 1000. Larger values count as 1000."),
        ("after" = inline(Option<i64>), Query, minimum = 0, description = "Only hypotheses with a greater id; `next_after` of the previous page."),
    ),
    responses((status = 200, description = "Lowest id first.", body = views::HypothesisSlugs)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn hypothesis_slugs(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let (limit, after) = page_of_names(uri.query())?;
    let slugs = hypotheses::slugs(&app, caller.project.id, HypothesisId(after), limit).await?;
    let list = views::HypothesisSlugs {
        success: true,
        count: slugs.len(),
        next_after: next_after(&slugs, limit, |(id, _)| id.0),
        hypotheses: slugs.into_iter().map(|(id, slug)| views::HypothesisSlug { hypothesis_id: id.0, slug }).collect(),
    };
    json(StatusCode::OK, &list)
}

/// Returns one hypothesis.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/hypothesis/{hypothesis_id}", tag = "Hypotheses",
    operation_id = "getHypothesis",
    responses((status = 200, description = "The hypothesis, with a strong ETag.", body = views::HypothesisAnswer)),
    extensions(("x-scope" = json!("read")), ("x-etag" = json!(true)))
)]
pub(crate) async fn hypothesis_details(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let found = hypotheses::find(&app, caller.project.id, id_in(&id)?).await?;
    let version = hypotheses::version(&found);
    let hypothesis = views::Hypothesis::details(found);
    Ok(tagged(json(StatusCode::OK, &views::HypothesisAnswer { success: true, hypothesis })?, &version))
}

/// Creates a hypothesis.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/hypothesis", tag = "Hypotheses", operation_id = "createHypothesis",
    request_body = schemas::HypothesisBody,
    responses((status = 201, description = "The hypothesis was created.", body = views::HypothesisCreated)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[KeyTaken]))))
)]
pub(crate) async fn hypothesis_create(
    State(app): State<App>,
    caller: Caller<Write>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = wire::creation(&sent.json)?;
    let (project, operation) = (&caller.project, "hypothesis".to_owned());
    let key = idempotency_key(&headers, project.id, operation, &sent.bytes, app.clock.now())?;
    let render = |id: HypothesisId, slug: String| {
        rendered(&views::HypothesisCreated { success: true, hypothesis_id: id.0, slug })
    };
    let response = hypotheses::create(&app, &caller.actor, project, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

/// Updates a hypothesis. Only fields that are sent change.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/hypothesis/{hypothesis_id}", tag = "Hypotheses",
    operation_id = "updateHypothesis",
    request_body = schemas::HypothesisPatch,
    responses((status = 200, description = "All changes were applied.", body = views::HypothesisChanged)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[KeyTaken]))),
        ("x-if-match" = json!("hypothesis")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn hypothesis_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (id, precondition) = (id_in(&id)?, if_match(request.headers()));
    let patch = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wire::patch(&sent.json)?));
    let version =
        hypotheses::update(&app, &caller.actor, &caller.project, id, precondition, patch.map_err(Into::into)).await?;
    Ok(tagged(json(StatusCode::OK, &views::HypothesisChanged { success: true, hypothesis_id: id.0 })?, &version))
}
