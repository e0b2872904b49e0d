//! Experiments: list, details, create, update, status, delete, preview, shares.

use super::{Sent, idempotency_key, next_after, page_of_names, read_body, rendered, stored};
use crate::answer::{if_match, is_known, json, tagged, warned, written};
use crate::auth::{Caller, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::wire::experiment::{self as wire, status_code};
use crate::wire::fields::Mode;
use crate::wire::left_out::reset_fields;
use crate::wire::query::Query;
use crate::wire::{schemas, views};
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use muriel_context::error::ConflictCode::{ApprovalNeeded, Concluded, KeyTaken, TransitionForbidden, VariantIsServed};
use muriel_delivery::integrations;
use muriel_domain::experiment::{Arm, Experiment, Rule};
use muriel_domain::ids::ExperimentId;
use muriel_http::body::MediaType;
use muriel_results::Inquiry;
use muriel_service::experiments::{self, Created, Edit, StatusChanged, Target};
use muriel_service::{App, preview, results};
use muriel_store::experiments::ListedExperiment;
use std::collections::BTreeMap;

const NOT_FOUND: ApiError = ApiError::NotFound("experiment");

/// Parses the id in a path. Text that is not an id gets 404, as an unknown id does.
pub(super) fn id_in(path: &str) -> Result<ExperimentId, ApiError> {
    ExperimentId::parse(path).ok_or(NOT_FOUND)
}

/// Experiment that a request changes, with the versions that its `If-Match` allows.
pub(super) fn target(caller: &Caller<Write>, id: ExperimentId, headers: &HeaderMap) -> Target {
    Target { project: caller.project.clone(), id, precondition: if_match(headers) }
}

/// Lists the experiments of the company that owns the project.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiments", tag = "Experiments", operation_id = "listExperiments",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500. Larger values count as 500."),
        ("offset" = inline(Option<i64>), Query, minimum = 0, description = "Experiments to skip."),
    ),
    responses((status = 200, description = "Newest created first, then highest id.", body = views::ExperimentList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_list(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["limit", "offset"]);
    let (limit, offset) = (query.limit(50, 500), query.offset());
    query.finish()?;
    let company = caller.company_id();
    let render = |listed: Vec<ListedExperiment>| {
        let list = views::ExperimentList {
            success: true,
            company_id: company.0,
            count: listed.len(),
            experiments: listed.into_iter().map(Into::into).collect(),
        };
        Ok(serde_json::to_vec(&list).map_err(muriel_context::Error::internal)?.into())
    };
    let list = experiments::list(&app, &caller.actor, company, (limit, offset), render).await?;
    Ok(written(StatusCode::OK, list))
}

/// Lists the ids and keys of the project's experiments.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment-keys", tag = "Experiments", operation_id = "listExperimentKeys",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 500 unless given, at most 1000. Larger values count as 1000."),
        ("after" = inline(Option<i64>), Query, minimum = 0, description = "Only experiments with a greater id; `next_after` of the previous page."),
    ),
    responses((status = 200, description = "Lowest id first.", body = views::ExperimentKeys)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_keys(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let (limit, after) = page_of_names(uri.query())?;
    let keys = experiments::keys(&app, caller.project.id, ExperimentId(after), limit).await?;
    let list = views::ExperimentKeys {
        success: true,
        count: keys.len(),
        next_after: next_after(&keys, limit, |(id, _)| id.0),
        experiments: keys
            .into_iter()
            .map(|(id, experiment_key)| views::ExperimentKey { test_id: id.0, experiment_key })
            .collect(),
    };
    json(StatusCode::OK, &list)
}

/// Returns one experiment with all its settings.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}", tag = "Experiments", operation_id = "getExperiment",
    responses(
        (status = 200, description = "The experiment, with a strong ETag.", body = views::ExperimentAnswer),
        (status = 304, description = "The version in If-None-Match is the current one."),
    ),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_details(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (loaded, epochs) = experiments::details(&app, caller.project.id, id_in(&id)?).await?;
    let version = loaded.version();
    let has_integrations = !loaded.experiment.configuration.integrations().is_empty();
    // The time of a bandit's next update and the last successes of integrations change without a change of the
    // experiment, so its version does not cover them.
    if is_known(&headers, &version) && !loaded.experiment.follows(Rule::Bandit) && !has_integrations {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(tagged(response, &version));
    }
    let id = loaded.experiment.id;
    let successes = if has_integrations { integrations::last_successes(&app, id).await? } else { BTreeMap::new() };
    let bandit_check = app.periods.next_bandit_check(app.clock.now());
    let experiment = views::ExperimentDetails::new(loaded, epochs, &caller.project.key, bandit_check, &successes);
    Ok(tagged(json(StatusCode::OK, &views::ExperimentAnswer { success: true, experiment })?, &version))
}

/// Creates an experiment.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/create-experiment", tag = "Experiments", operation_id = "createExperiment",
    request_body = schemas::ExperimentCreation,
    responses((status = 201, description = "The experiment was created.", body = views::ExperimentCreated)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[KeyTaken, ApprovalNeeded]))))
)]
pub(crate) async fn experiment_create(
    State(app): State<App>,
    caller: Caller<Write>,
    request: Request,
) -> Result<Response, ApiError> {
    let (project, headers) = (caller.project.clone(), request.headers().clone());
    let sent = read_body(request, &[MediaType::Json]).await?;
    let key = idempotency_key(&headers, project.id, "create-experiment".to_owned(), &sent.bytes, app.clock.now())?;
    let new = wire::creation(&sent.json);
    let company = caller.company_id();
    let render = move |created: &Created| rendered(&views::ExperimentCreated::new(created, company));
    let response = experiments::create(&app, &caller.actor, &project, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

/// Updates an experiment. Only fields that are sent change.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}", tag = "Experiments",
    operation_id = "updateExperiment",
    request_body(
        content((schemas::ExperimentPatch = "application/json"), (schemas::MergePatch = "application/merge-patch+json")),
        description = "As application/json, a field that is sent is replaced as a whole; as \
                       application/merge-patch+json, objects are merged (RFC 7396)."
    ),
    responses((
        status = 200, description = "All changes were applied; the new ETag.", body = views::ExperimentUpdated,
    )),
    extensions(
        ("x-change-warnings" = json!(true)),
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[VariantIsServed, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn experiment_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = target(&caller, id, request.headers());
    let (sent, edit) = sent_edit(request).await;
    let updated = experiments::update(&app, &caller.actor, target, edit).await?;
    let mut about = reset_by(sent.as_ref(), &updated.changed.before, &updated.changed.after);
    about.extend(updated.warnings);
    let body = views::ExperimentUpdated { success: true, test_id: id.0 };
    Ok(warned(tagged(json(StatusCode::OK, &body)?, &updated.changed.version), about))
}

/// Returns what an update would do, without changing anything.
///
/// Body, content type and errors are those of the update. The scope `read` is enough; `code` is needed too where the
/// update would change code.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/change-preview", tag = "Experiments",
    operation_id = "previewChange",
    request_body(
        content((schemas::ExperimentPatch = "application/json"), (schemas::MergePatch = "application/merge-patch+json")),
        description = "The same body as for the update."
    ),
    responses((status = 200, description = "The effects of the change, on the version that the ETag names.", body = views::ChangePreview)),
    extensions(
        ("x-scope" = json!("read")),
        ("x-conflicts" = json!(conflict_codes(&[VariantIsServed]))),
        ("x-if-match" = json!("experiment")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn change_preview(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = Target { project: caller.project.clone(), id, precondition: if_match(request.headers()) };
    let (sent, edit) = sent_edit(request).await;
    let previewed = experiments::preview(&app, &caller.actor, target, edit).await?;
    let version = previewed.before.version();
    let reset = reset_by(sent.as_ref(), &previewed.before.experiment, &previewed.after);
    let preview = views::ChangePreview::new(previewed, reset, &caller.project.key);
    Ok(tagged(json(StatusCode::OK, &preview)?, &version))
}

/// Parses the body of an update.
async fn sent_edit(request: Request) -> (Option<Sent>, Result<Edit, muriel_context::Error>) {
    match read_body(request, &[MediaType::Json, MediaType::MergePatch]).await {
        Ok(sent) => {
            let edit = wire::patch(&sent.json, sent.mode());
            (Some(sent), Ok(edit))
        }
        Err(error) => (None, Err(error.into())),
    }
}

/// Messages about fields that went back to their defaults.
pub(super) fn reset_by(sent: Option<&Sent>, before: &Experiment, after: &Experiment) -> Vec<String> {
    sent.map_or_else(Vec::new, |sent| reset_fields(&sent.json, sent.mode(), before, after))
}

/// Starts, pauses or resumes an experiment, or makes a draft inactive.
///
/// With `changes`, fields change in the same transaction: either everything is done, or nothing.
///
/// With `started_at` (scope `admin`) the first start is set to a time in the past, so that visitors of a test that ran
/// elsewhere count.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}/status", tag = "Experiments",
    operation_id = "updateExperimentStatus",
    request_body = schemas::StatusBody,
    responses((status = 200, description = "The new status.", body = views::StatusUpdated)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, Concluded, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn experiment_set_status(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = target(&caller, id, request.headers());
    let (sent, status) = match read_body(request, &[MediaType::Json]).await {
        Ok(sent) => {
            let status = wire::status_change(&sent.json).map_err(muriel_context::Error::Invalid);
            (Some(sent), status)
        }
        Err(error) => (None, Err(error.into())),
    };
    let StatusChanged { changed, planned_visitors, warnings } =
        experiments::set_status(&app, &caller.actor, target, status).await?;
    let edit = sent.as_ref().and_then(|sent| wire::changes_in(&sent.json));
    let reset = edit.map(|edit| reset_fields(edit, Mode::Whole, &changed.before, &changed.after));
    let body = views::StatusUpdated {
        success: true,
        test_id: id.0,
        status: status_code(changed.after.lifecycle.status()),
        planned_visitors,
        warnings: reset.unwrap_or_default().into_iter().chain(warnings).collect(),
    };
    Ok(tagged(json(StatusCode::OK, &body)?, &changed.version))
}

/// Deletes an experiment. It is not returned any more, and its delivery stops.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/experiment/{test_id}", tag = "Experiments",
    operation_id = "deleteExperiment",
    responses((status = 200, description = "Deleted.", body = views::ExperimentDeleted)),
    extensions(("x-scope" = json!("write")), ("x-if-match" = json!("experiment")))
)]
pub(crate) async fn experiment_delete(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let deleted = experiments::delete(&app, &caller.actor, target(&caller, id, &headers)).await?;
    let was_live = deleted.was_live;
    json(StatusCode::OK, &views::ExperimentDeleted { success: true, test_id: id.0, deleted: true, was_live })
}

/// Returns a link per variant that shows it on the page. The links are valid for seven days.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/preview-urls", tag = "Experiments",
    operation_id = "getPreviewUrls",
    responses((status = 200, description = "One link per variant, the control first.", body = views::PreviewLinks)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_preview_links(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let experiment = experiments::find(&app, caller.project.id, id_in(&id)?).await?.experiment;
    let token = preview::token(&app.pepper, caller.project.id, experiment.id, &caller.actor, app.clock.now());
    let variants = (0..experiment.arms() as u32)
        .map(Arm)
        .map(|arm| views::PreviewLink {
            variant_id: arm.0,
            name: arm.to_string(),
            preview_url: preview::link(&experiment.url, experiment.id, arm, &token),
        })
        .collect();
    let links = views::PreviewLinks {
        success: true,
        test_id: experiment.id.0,
        test_name: experiment.name,
        page_url: experiment.url,
        variants,
    };
    json(StatusCode::OK, &links)
}

/// Returns how an experiment's traffic is distributed.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/distribution", tag = "Experiments",
    operation_id = "getDistribution",
    responses((status = 200, description = "The shares in force.", body = views::DistributionAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_distribution(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let experiment = experiments::find(&app, caller.project.id, id_in(&id)?).await?.experiment;
    let bandit = if experiment.is_or_was_bandit() {
        let computed = results::report(&app, &caller.project, experiment.id, Ok(Inquiry::default())).await?;
        Some(views::Bandit::new(&experiment, &computed, app.periods.bandit.as_secs()))
    } else {
        None
    };
    json(StatusCode::OK, &views::DistributionAnswer::new(&experiment, bandit))
}
