//! Change history and restoring earlier states.

use super::experiments::{id_in, reset_by, target};
use super::{Sent, goals, hypotheses, idempotency_key, read_body, rendered, stored};
use crate::answer::{if_match, json as answered, tagged, warned};
use crate::auth::{Caller, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::json::{self as gate, Json};
use crate::wire::experiment as wire;
use crate::wire::fields::{Mode, from_body, integer};
use crate::wire::query::Query;
use crate::wire::{goal, hypothesis, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::error::ConflictCode::{ApprovalNeeded, VariantIsServed};
use muriel_domain::Problems;
use muriel_domain::experiment::Experiment;
use muriel_domain::ids::MAX_SAFE;
use muriel_http::body::MediaType;
use muriel_service::experiments::{self, Changed, Edit, Target};
use muriel_service::{self as service, App};

/// Size after which a page of changes ends, in bytes: changes of code can be large.
const PAGE_BYTES: usize = 8 << 20;

/// Parses cursor and page size.
fn page_of(uri: &Uri) -> Result<(Option<i64>, usize), ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "cursor"]);
    let limit = usize::try_from(query.limit(20, 100)).unwrap_or(1);
    let before = query.cursor(|text| text.parse().ok().filter(|revision| *revision > 0));
    query.finish()?;
    Ok((before, limit))
}

/// Builds a page of as many changes as fit, with the cursor for the next one.
fn page(revisions: impl Iterator<Item = views::RevisionView>, has_more: bool) -> Result<views::History, ApiError> {
    let (mut shown, mut bytes, mut is_cut) = (Vec::new(), 0, has_more);
    for revision in revisions {
        bytes += serde_json::to_vec(&revision).map_err(ApiError::internal)?.len();
        if bytes > PAGE_BYTES && !shown.is_empty() {
            is_cut = true;
            break;
        }
        shown.push(revision);
    }
    let next_cursor = shown.last().filter(|_| is_cut).map(|last: &views::RevisionView| last.revision.to_string());
    Ok(views::History { success: true, revisions: shown, next_cursor })
}

/// Parses the revision in a body.
fn revision_in(sent: &Sent) -> Result<i64, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["revision"], &[]);
        fields.needed("revision", integer(1..=MAX_SAFE))
    })
}

async fn sent_revision(request: Request) -> Result<(Sent, i64), ApiError> {
    let sent = read_body(request, &[MediaType::Json]).await?;
    let revision = revision_in(&sent)?;
    Ok((sent, revision))
}

fn restored(revision: i64) -> Result<String, muriel_context::Error> {
    rendered(&views::Restored { success: true, revision })
}

fn unknown_revision() -> ApiError {
    ApiError::Invalid(Problems::one("revision", "must be a revision of the history"))
}

/// Converts stored fields to a body of an update.
fn as_body(fields: &impl serde::Serialize) -> Result<Json, ApiError> {
    gate::parse(&serde_json::to_vec(fields).map_err(ApiError::internal)?)
}

/// Update that restores the fields of a state.
fn edit_to(state: Experiment, project_key: &str) -> Result<Edit, ApiError> {
    Ok(wire::patch(&as_body(&views::patchable(state, project_key))?, Mode::Whole))
}

/// Lists the changes of an experiment, newest first, with values before and after.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/history", tag = "Experiments", operation_id = "getExperimentHistory",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 20 unless given, at most 100. Larger values count as 100."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::History)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_history(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (before, limit) = page_of(&uri)?;
    let found = experiments::history(&app, caller.project.id, id, before, limit).await?;
    let (names, key) = (found.names, &caller.project.key);
    let revisions = found.steps.into_iter().map(|step| views::RevisionView::of_experiment(step, &names, key));
    answered(StatusCode::OK, &page(revisions, found.has_more)?)
}

/// Restores the state that an experiment had after an earlier change.
///
/// This is an update: fields that an update can change get their old values, with the same checks. Status, winner and
/// conclusion do not change. `restore-preview` returns what it would do.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/restore", tag = "Experiments", operation_id = "restoreExperiment",
    request_body = schemas::RestoreBody,
    responses((
        status = 200, description = "Restored.", body = views::Restored,
    )),
    extensions(
        ("x-change-warnings" = json!(true)),
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[VariantIsServed, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn experiment_restore(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (target, headers) = (target(&caller, id, request.headers()), request.headers().clone());
    let sent = sent_revision(request).await;
    // An unknown experiment is reported before errors in the body.
    experiments::find(&app, caller.project.id, id).await?;
    let (sent, revision) = sent?;
    let operation = format!("experiment {id} restore");
    let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
    let state = experiments::state_at(&app, caller.project.id, id, revision).await?.ok_or_else(unknown_revision)?;
    let edit = edit_to(state, &caller.project.key)?;
    let render = move |_: &Changed| restored(revision);
    let (response, done) = experiments::restore(&app, &caller.actor, target, revision, Ok(edit), key, render).await?;
    let response = stored(StatusCode::OK, response);
    Ok(match done {
        Some(updated) => warned(tagged(response, &updated.changed.version), updated.warnings),
        None => response,
    })
}

/// Lists the changes of a hypothesis, newest first, with values before and after.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/hypothesis/{hypothesis_id}/history", tag = "Hypotheses", operation_id = "getHypothesisHistory",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 20 unless given, at most 100. Larger values count as 100."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::History)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn hypothesis_history(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = hypotheses::id_in(&id)?;
    let (before, limit) = page_of(&uri)?;
    let (steps, has_more, names) = service::hypotheses::history(&app, caller.project.id, id, before, limit).await?;
    let revisions = steps.into_iter().map(|step| views::RevisionView::of_object(step, &names));
    answered(StatusCode::OK, &page(revisions, has_more)?)
}

/// Restores the state that a hypothesis had after an earlier change.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/hypothesis/{hypothesis_id}/restore", tag = "Hypotheses", operation_id = "restoreHypothesis",
    request_body = schemas::RestoreBody,
    responses((status = 200, description = "Restored.", body = views::Restored)),
    extensions(("x-scope" = json!("write")), ("x-if-match" = json!("hypothesis")))
)]
pub(crate) async fn hypothesis_restore(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (id, headers, project) = (hypotheses::id_in(&id)?, request.headers().clone(), &caller.project);
    let sent = sent_revision(request).await;
    service::hypotheses::find(&app, project.id, id).await?;
    let (sent, revision) = sent?;
    let key = idempotency_key(&headers, project.id, format!("hypothesis {id} restore"), &sent.bytes, app.clock.now());
    let state = service::hypotheses::state_at(&app, project.id, id, revision).await?.ok_or_else(unknown_revision)?;
    let patch = hypothesis::patch(&as_body(&state)?)?;
    let body = restored(revision)?;
    let response =
        service::hypotheses::restore(&app, &caller.actor, project, id, if_match(&headers), Ok(patch), (key, body))
            .await?;
    Ok(stored(StatusCode::OK, response))
}

/// Lists the changes of a goal, newest first, with values before and after.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/goal/{goal_profile_id}/history", tag = "Goals", operation_id = "getGoalHistory",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 20 unless given, at most 100. Larger values count as 100."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::History)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn goal_history(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = goals::id_in(&id)?;
    let (before, limit) = page_of(&uri)?;
    let (steps, has_more, names) = service::goals::history(&app, caller.project.id, id, before, limit).await?;
    let revisions = steps.into_iter().map(|step| views::RevisionView::of_object(step, &names));
    answered(StatusCode::OK, &page(revisions, has_more)?)
}

/// Restores the state that a goal had after an earlier change.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/goal/{goal_profile_id}/restore", tag = "Goals", operation_id = "restoreGoal",
    request_body = schemas::RestoreBody,
    responses((status = 200, description = "Restored.", body = views::Restored)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[ApprovalNeeded]))),
        ("x-if-match" = json!("goal")),
    )
)]
pub(crate) async fn goal_restore(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (id, headers, project) = (goals::id_in(&id)?, request.headers().clone(), &caller.project);
    let sent = sent_revision(request).await;
    service::goals::find(&app, project.id, id).await?;
    let (sent, revision) = sent?;
    let key = idempotency_key(&headers, project.id, format!("goal {id} restore"), &sent.bytes, app.clock.now());
    let state = service::goals::state_at(&app, project.id, id, revision).await?.ok_or_else(unknown_revision)?;
    let patch = goal::patch(&as_body(&state)?)?;
    let body = restored(revision)?;
    let response =
        service::goals::restore(&app, &caller.actor, project, id, if_match(&headers), Ok(patch), (key, body)).await?;
    Ok(stored(StatusCode::OK, response))
}

/// Returns what restoring an earlier state would do, without changing anything.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/restore-preview", tag = "Experiments", operation_id = "previewRestore",
    request_body = schemas::RestoreBody,
    responses((status = 200, description = "The effects of the change, on the version that the ETag names.", body = views::ChangePreview)),
    extensions(
        ("x-scope" = json!("read")),
        ("x-conflicts" = json!(conflict_codes(&[VariantIsServed]))),
        ("x-if-match" = json!("experiment")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn restore_preview(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = Target { project: caller.project.clone(), id, precondition: if_match(request.headers()) };
    let sent = sent_revision(request).await;
    experiments::find(&app, caller.project.id, id).await?;
    let (_, revision) = sent?;
    let state = experiments::state_at(&app, caller.project.id, id, revision).await?.ok_or_else(unknown_revision)?;
    let edit = edit_to(state, &caller.project.key)?;
    let previewed = experiments::preview(&app, &caller.actor, target, Ok(edit)).await?;
    let version = previewed.before.version();
    let reset = reset_by(None, &previewed.before.experiment, &previewed.after);
    let preview = views::ChangePreview::new(previewed, reset, &caller.project.key);
    Ok(tagged(answered(StatusCode::OK, &preview)?, &version))
}
