//! Serving a winner, changing its rollout, stopping it.

use super::experiments::{id_in, target};
use super::{Sent, idempotency_key, read_body, rendered, stored};
use crate::answer::{json, tagged};
use crate::auth::{Caller, Write};
use crate::error::{ApiError, conflict_codes};
use crate::wire::fields::{from_body, integer, text};
use crate::wire::{schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_context::error::ConflictCode::{AlreadyServing, ApprovalNeeded, DraftCannotServe, NotServing};
use muriel_domain::Problems;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_domain::ids::ExperimentId;
use muriel_http::body::{BODY_LIMIT, MediaType};
use muriel_http::error::HttpError;
use muriel_service::App;
use muriel_service::experiments::{self, Changed, Winner};

fn served(id: ExperimentId, experiment: &Experiment) -> Result<views::WinnerServed, muriel_context::Error> {
    match experiment.serving {
        Serving::Winner { arm, rollout } => Ok(views::WinnerServed {
            success: true,
            test_id: id.0,
            serving_variant_id: arm.id(),
            traffic_allocation: rollout,
            is_serving: true,
        }),
        _ => Err(muriel_context::Error::internal("no winner is served after serving has started")),
    }
}

/// Serves a winner, independent of the experiment's status.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/serve-winner", tag = "Serving",
    operation_id = "serveWinner",
    request_body = schemas::ServeBody,
    responses((status = 200, description = "The winner is served.", body = views::WinnerServed)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[DraftCannotServe, AlreadyServing, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn winner_serve(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (target, headers) = (target(&caller, id, request.headers()), request.headers().clone());
    let sent = read_body(request, &[MediaType::Json]).await;
    let (key, winner) = match &sent {
        Ok(sent) => {
            let operation = format!("serve-winner {id}");
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
            (key, winner(sent))
        }
        Err(_) => (Ok(None), Err(Problems::default())),
    };
    let key = sent.map_err(Into::into).and(key);
    let render = move |changed: &Changed| rendered(&served(id, &changed.after)?);
    let response = experiments::serve(&app, &caller.actor, target, key, winner, render).await?;
    Ok(stored(StatusCode::OK, response))
}

fn winner(sent: &Sent) -> Result<Winner, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["variant_id", "traffic_allocation"], &[]);
        let arm = fields.needed("variant_id", text);
        let rollout = match fields.has("traffic_allocation") {
            true => fields.read("traffic_allocation", integer(0..=100)),
            false => Some(100),
        };
        Some(Winner { arm: arm?.to_owned(), rollout: rollout? })
    })
}

/// Changes the share of visitors who get the winner.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}/serving-rollout", tag = "Serving",
    operation_id = "updateServingRollout",
    request_body = schemas::RolloutBody,
    responses((status = 200, description = "The new rollout.", body = views::WinnerServed)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[NotServing]))),
        ("x-if-match" = json!("experiment")),
        ("x-etag" = json!(true)),
    )
)]
pub(crate) async fn rollout_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let target = target(&caller, id, request.headers());
    let to = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(rollout(&sent)?));
    let changed = experiments::set_rollout(&app, &caller.actor, target, to.map_err(Into::into)).await?;
    Ok(tagged(json(StatusCode::OK, &served(id, &changed.after)?)?, &changed.version))
}

fn rollout(sent: &Sent) -> Result<i64, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["traffic_allocation"], &[]);
        fields.needed("traffic_allocation", integer(0..=100))
    })
}

/// Stops serving the winner.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/stop-serving", tag = "Serving",
    operation_id = "stopServing",
    responses((status = 200, description = "No winner is served any more.", body = views::ServingStopped)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[NotServing, ApprovalNeeded]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn serving_stop(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (target, headers) = (target(&caller, id, request.headers()), request.headers().clone());
    // The operation needs no body. If one is sent, it is part of the
    // idempotency key's fingerprint.
    let key = match axum::body::to_bytes(request.into_body(), BODY_LIMIT).await {
        Ok(bytes) => {
            let operation = format!("stop-serving {id}");
            idempotency_key(&headers, caller.project.id, operation, &bytes, app.clock.now())
        }
        Err(_) => Err(ApiError::from(HttpError::BodyTooLarge { limit: BODY_LIMIT }).into()),
    };
    let answer = views::ServingStopped { success: true, test_id: id.0, serving_variant_id: None, is_serving: false };
    let response = experiments::stop_serving(&app, &caller.actor, target, key, move |_| rendered(&answer)).await?;
    Ok(stored(StatusCode::OK, response))
}
