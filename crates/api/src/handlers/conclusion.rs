//! Concluding an experiment, and reopening it.

use super::experiments::{id_in, target};
use super::{idempotency_key, read_body, rendered, stored};
use crate::answer::json;
use crate::auth::{Caller, PersonIn, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::wire::experiment::status_code;
use crate::wire::{conclusion as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use muriel_context::error::ConflictCode::{
    AlreadyServing, ApprovalNeeded, Concluded, DraftCannotServe, TransitionForbidden, VerdictContradicted,
};
use muriel_domain::Problems;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_domain::ids::ExperimentId;
use muriel_http::body::MediaType;
use muriel_service::App;
use muriel_service::experiments::{self, Changed, Confirmation};

/// Response about a concluded experiment.
fn concluded(id: ExperimentId, experiment: &Experiment) -> Result<views::Concluded, muriel_context::Error> {
    let outcome = experiment.conclusion.as_ref().map(|conclusion| conclusion.outcome.word());
    let outcome = outcome
        .ok_or_else(|| muriel_context::Error::internal("the experiment is not concluded after its conclusion"))?;
    let served = match experiment.serving {
        Serving::Winner { arm, rollout } => Some((arm.id(), rollout)),
        Serving::Never | Serving::Stopped => None,
    };
    Ok(views::Concluded {
        success: true,
        test_id: id.0,
        is_completed: 1,
        status: status_code(experiment.lifecycle.status()),
        outcome,
        serving_traffic_allocation: served.as_ref().map(|(_, rollout)| *rollout),
        serving_variant_id: served.map(|(arm, _)| arm),
    })
}

/// Concludes an experiment: a person records its outcome.
///
/// The experiment becomes inactive unless a variant is to be served. The current verdict and the data that it was
/// computed from are stored.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/conclude", tag = "Conclusion", operation_id = "concludeExperiment",
    request_body = schemas::ConclusionBody,
    responses((status = 200, description = "The experiment was concluded.", body = views::Concluded)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[Concluded, DraftCannotServe, AlreadyServing, VerdictContradicted, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn experiment_conclude(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (target, headers) = (target(&caller, id, request.headers()), request.headers().clone());
    let sent = read_body(request, &[MediaType::Json]).await;
    let (key, conclusion) = match &sent {
        Ok(sent) => {
            let operation = format!("conclude {id}");
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
            (key, wire::conclusion(&sent.json).map_err(Into::into))
        }
        Err(_) => (Ok(None), Err(Problems::default().into())),
    };
    let key = sent.map_err(Into::into).and(key);
    let render = move |changed: &Changed| rendered(&concluded(id, &changed.after)?);
    let response = experiments::conclude(&app, &caller.actor, target, key, conclusion, render).await?;
    Ok(stored(StatusCode::OK, response))
}

/// Withdraws a conclusion. The experiment's status does not change.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/reopen", tag = "Conclusion", operation_id = "reopenExperiment",
    responses((status = 200, description = "The experiment was reopened.", body = views::Reopened)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn experiment_reopen(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Write>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = target(&caller, id, &headers);
    let key = idempotency_key(&headers, caller.project.id, format!("reopen {id}"), b"", app.clock.now());
    let render = move |changed: &Changed| {
        let status = status_code(changed.after.lifecycle.status());
        rendered(&views::Reopened { success: true, test_id: id.0, is_completed: 0, status })
    };
    Ok(stored(StatusCode::OK, experiments::reopen(&app, &caller.actor, target, key, render).await?))
}

/// Confirms the changes of the plan since the first start. From then on the clock acts on the changed plan.
///
/// Results continue to label the changes as exploratory.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/confirm-plan", tag = "Conclusion", operation_id = "confirmPlan",
    request_body = schemas::PlanConfirmation,
    responses((status = 200, description = "From now on the clock acts on the current plan.", body = views::PlanConfirmed)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, Concluded, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn experiment_plan_confirm(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let render = move |changed: &Changed| {
        let confirmed = changed.after.schedule.confirmed.as_ref();
        let confirmed_at = confirmed.map(|confirmed| confirmed.confirmed_at);
        rendered(&views::PlanConfirmed { success: true, test_id: id.0, confirmed_at })
    };
    confirm(&app, &caller, id, Confirmation::Plan, request, render).await
}

/// Confirms something with the reason in the body.
async fn confirm(
    app: &App,
    caller: &Caller<Write>,
    id: ExperimentId,
    what: Confirmation,
    request: Request,
    render: impl FnOnce(&Changed) -> Result<String, muriel_context::Error> + Send + 'static,
) -> Result<Response, ApiError> {
    let (target, headers) = (target(caller, id, request.headers()), request.headers().clone());
    let (key, reason) = match read_body(request, &[MediaType::Json]).await {
        Ok(sent) => {
            let operation = format!("{} {id}", what.action());
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
            (key, wire::confirmation(what, &sent.json).map_err(Into::into))
        }
        Err(error) => (Ok(None), Err(error.into())),
    };
    let response = experiments::confirm(app, &caller.actor, target, what, key, reason, render).await?;
    Ok(stored(StatusCode::OK, response))
}

/// Confirms an act that the clock holds back because the result does not hold without a single network, as
/// `schedule.last.failed` says. For a day, the clock acts by this rule without that check.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/confirm-act", tag = "Conclusion", operation_id = "confirmAct",
    request_body = schemas::ActConfirmation,
    responses((status = 200, description = "The clock acts at its next check, if the rule is still met.", body = views::ActConfirmed)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, Concluded, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn experiment_act_confirm(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let render = move |changed: &Changed| {
        let confirmed = changed.after.schedule.confirmed_act;
        let confirmed = confirmed.ok_or_else(|| muriel_context::Error::internal("no act is confirmed"))?;
        let (rule, confirmed_until) = (confirmed.rule.word(), confirmed.until);
        rendered(&views::ActConfirmed { success: true, test_id: id.0, rule, confirmed_until })
    };
    confirm(&app, &caller, id, Confirmation::Act, request, render).await
}

/// Returns how an experiment ended.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/conclusion", tag = "Conclusion", operation_id = "getConclusion",
    responses((status = 200, description = "The conclusion.", body = views::ConclusionAnswer)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn conclusion_show(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (loaded, record) = experiments::conclusion(&app, caller.project.id, id).await?;
    let conclusion = loaded.experiment.conclusion.map(|conclusion| views::ConclusionShown::new(conclusion, record));
    json(StatusCode::OK, &views::ConclusionAnswer { success: true, test_id: id.0, conclusion })
}
