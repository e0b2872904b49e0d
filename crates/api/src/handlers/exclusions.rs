//! Exclusions of recorded visits from the results of a project.

use super::experiments::id_in;
use super::{Sent, idempotency_key, read_body, rendered, stored};
use crate::answer::json as answered;
use crate::auth::{Admin, Caller};
use crate::error::ApiError;
use crate::wire::fields::{from_body, nullable, parsed, text, word};
use crate::wire::query::Query;
use crate::wire::{schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use muriel_context::actors::Names;
use muriel_domain::exclusion::{Exclusion, ExclusionKind};
use muriel_domain::ids::ExclusionId;
use muriel_domain::{Instant, Problems};
use muriel_http::body::MediaType;
use muriel_service::{App, exclusions, suspects};
use muriel_store::exclusions::StoredExclusion;

/// Lists the visits that results of the project do not count.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/exclusions", tag = "Results", operation_id = "listExclusions",
    responses((status = 200, description = "Oldest first.", body = views::ExclusionList)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn exclusion_list(
    State(app): State<App>,
    caller: Caller<Admin>,
    uri: Uri,
) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let found = exclusions::list(&app, &caller.actor, caller.project.id).await?;
    let exclusions = found.exclusions.iter().map(|stored| views::Exclusion::new(stored, &found.names)).collect();
    answered(StatusCode::OK, &views::ExclusionList { success: true, exclusions })
}

/// Excludes recorded visits from the results of all experiments of the project, such as those of a load test. The
/// events stay in the log, and deleting the exclusion counts them again. Visitors who have other visits, which are not
/// excluded, enter with those.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/exclusions", tag = "Results", operation_id = "createExclusion",
    request_body = schemas::ExclusionBody,
    responses((status = 201, description = "The visits are excluded.", body = views::ExclusionCreated)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn exclusion_create(
    State(app): State<App>,
    caller: Caller<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = exclusion(&sent).map_err(Into::into);
    let operation = "exclusions".to_owned();
    let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
    let render = |stored: &StoredExclusion, names: &Names| {
        rendered(&views::ExclusionCreated { success: true, exclusion: views::Exclusion::new(stored, names) })
    };
    let response = exclusions::create(&app, &caller.actor, &caller.project, key, new, render).await?;
    Ok(stored(StatusCode::CREATED, response))
}

fn exclusion(sent: &Sent) -> Result<Exclusion, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["kind", "value", "from", "to", "reason"], &[]);
        let kind = fields.needed("kind", word(&ExclusionKind::WORDS));
        let value = fields.read("value", nullable(text)).flatten();
        let [from, to] = ["from", "to"].map(|name| fields.read(name, nullable(parsed(Instant::parse))).flatten());
        let reason = fields.needed("reason", text);
        let made = Exclusion::new(kind?, value, (from, to), reason?);
        made.map_err(|problems| problems.iter().for_each(|problem| fields.add(&problem.field, &*problem.message))).ok()
    })
}

/// Deletes an exclusion. Results count its visits again.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/exclusion/{exclusion_id}", tag = "Results", operation_id = "deleteExclusion",
    responses((status = 200, description = "The visits count again.", body = views::ExclusionDeleted)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn exclusion_delete(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = ExclusionId::parse(&id).ok_or(ApiError::NotFound("exclusion"))?;
    exclusions::delete(&app, &caller.actor, &caller.project, id).await?;
    answered(StatusCode::OK, &views::ExclusionDeleted { success: true, exclusion_id: id.0 })
}

/// Looks for visitors of an experiment who may be made up: those of one network, browser, system or device who differ
/// from all others by more than chance. Says what excluding each would change. Computes up to 15 reports, so it can take
/// that much longer than a result.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/suspects", tag = "Results", operation_id = "listSuspects",
    responses((status = 200, description = "The suspects. None is excluded yet.", body = views::SuspectList)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn suspect_list(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    Query::read(uri.query(), &[]).finish()?;
    let found = suspects::of_experiment(&app, &caller.actor, &caller.project, id).await?;
    answered(StatusCode::OK, &views::SuspectList::new(&found))
}
