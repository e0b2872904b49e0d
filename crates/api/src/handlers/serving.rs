//! Serving a winner, changing its rollout, stopping.

use super::experiments::{Change, id_in};
use super::{Sent, boxed, given, read_body};
use crate::answer::{json, tagged};
use crate::app::App;
use crate::auth::{Caller, Write};
use crate::body::{BODY_LIMIT, MediaType};
use crate::error::ApiError;
use crate::idempotency::{Ticket, keep, replay};
use crate::wire::fields::{from_body, integer, text};
use crate::wire::{schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use muriel_domain::Problems;
use muriel_domain::experiment::{Experiment, Serving};
use muriel_domain::ids::ExperimentId;

fn served(id: ExperimentId, experiment: &Experiment) -> Result<views::WinnerServed, ApiError> {
    match experiment.serving {
        Serving::Winner { arm, rollout } => Ok(views::WinnerServed {
            success: true,
            test_id: id.0,
            serving_variant_id: arm.id(),
            traffic_allocation: rollout,
            is_serving: true,
        }),
        _ => Err(ApiError::internal("a winner was to be served and is not")),
    }
}

/// Serves a winner, whatever the experiment's status.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/serve-winner", tag = "Serving",
    operation_id = "serveWinner",
    request_body = schemas::ServeBody,
    responses((status = 200, description = "The winner is served.", body = views::WinnerServed)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn winner_serve(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let change = Change::new(&app, &caller, id, request.headers(), "serve winner");
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await;
    let (answer, delivery_changed) = app
        .write(caller.company_id(), move |tx| {
            boxed(async move {
                let before = change.open(tx).await?;
                let sent = sent?;
                let operation = format!("serve-winner {id}");
                let ticket = Ticket::of(&headers, change.project, operation, &sent.bytes, change.now)?;
                if let Some(given) = replay(tx, ticket.as_ref()).await? {
                    return Ok((given, false));
                }
                let (arm, rollout) = winner(&sent)?;
                let after = change.decided(&before, before.experiment.serving(&arm, rollout))?;
                let answer = served(id, &after)?;
                let saved = change.save(tx, &before, after).await?;
                Ok((keep(tx, ticket.as_ref(), &answer).await?, saved.delivery_changed))
            })
        })
        .await?;
    app.deliver(&caller, delivery_changed).await;
    Ok(given(StatusCode::OK, answer))
}

fn winner(sent: &Sent) -> Result<(String, i64), Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["variant_id", "traffic_allocation"], &[]);
        let arm = fields.needed("variant_id", text);
        let rollout = match fields.has("traffic_allocation") {
            true => fields.read("traffic_allocation", integer(0..=100)),
            false => Some(100),
        };
        Some((arm?.to_owned(), rollout?))
    })
}

/// Changes to how many visitors the winner is served.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/experiment/{test_id}/serving-rollout", tag = "Serving",
    operation_id = "updateServingRollout",
    request_body = schemas::RolloutBody,
    responses((status = 200, description = "The rollout it has now.", body = views::WinnerServed)),
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn rollout_update(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let change = Change::new(&app, &caller, id, request.headers(), "serving rollout");
    let sent = read_body(request, &[MediaType::Json]).await;
    let (answer, saved) = app
        .write(caller.company_id(), move |tx| {
            boxed(async move {
                let before = change.open(tx).await?;
                let after = change.decided(&before, before.experiment.rolled_out(rollout(&sent?)?))?;
                let answer = served(id, &after)?;
                let saved = change.save(tx, &before, after).await?;
                Ok((answer, saved))
            })
        })
        .await?;
    app.deliver(&caller, saved.delivery_changed).await;
    Ok(tagged(json(StatusCode::OK, &answer)?, &saved.version))
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
    extensions(("x-scope" = json!("write")))
)]
pub(crate) async fn serving_stop(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let change = Change::new(&app, &caller, id, request.headers(), "stop serving");
    let headers = request.headers().clone();
    // There is nothing to say in a body; one that is sent tells requests apart.
    let bytes = axum::body::to_bytes(request.into_body(), BODY_LIMIT).await;
    let (answer, delivery_changed) = app
        .write(caller.company_id(), move |tx| {
            boxed(async move {
                let before = change.open(tx).await?;
                let bytes = bytes.map_err(|_| ApiError::BodyTooLarge { limit: BODY_LIMIT })?;
                let ticket = Ticket::of(&headers, change.project, format!("stop-serving {id}"), &bytes, change.now)?;
                if let Some(given) = replay(tx, ticket.as_ref()).await? {
                    return Ok((given, false));
                }
                let after = change.decided(&before, before.experiment.stopped())?;
                let saved = change.save(tx, &before, after).await?;
                let answer =
                    views::ServingStopped { success: true, test_id: id.0, serving_variant_id: None, is_serving: false };
                Ok((keep(tx, ticket.as_ref(), &answer).await?, saved.delivery_changed))
            })
        })
        .await?;
    app.deliver(&caller, delivery_changed).await;
    Ok(given(StatusCode::OK, answer))
}
