//! Webhooks of a project.

use super::{idempotency_key, read_body, rendered, stored};
use crate::answer::json;
use crate::auth::{Admin, Caller};
use crate::error::{ApiError, conflict_codes};
use crate::wire::query::Query;
use crate::wire::{schemas, views, webhook as wire};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use muriel_context::error::ConflictCode::WebhookOff;
use muriel_domain::ids::{DeliveryId, WebhookId};
use muriel_http::body::MediaType;
use muriel_outbound::webhooks;
use muriel_outbound::webhooks::WebhookSecret;
use muriel_service::App;

fn id_in(path: &str) -> Result<WebhookId, ApiError> {
    WebhookId::parse(path).ok_or(ApiError::NotFound("webhook"))
}

/// Lists the project's webhooks, without their secrets.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/webhooks", tag = "Webhooks", operation_id = "listWebhooks",
    responses((status = 200, description = "Oldest first.", body = views::WebhookList)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn webhook_list(
    State(app): State<App>,
    caller: Caller<Admin>,
    uri: Uri,
) -> Result<Response, ApiError> {
    Query::read(uri.query(), &[]).finish()?;
    let webhooks = webhooks::list(&app, caller.project.id).await?.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::WebhookList { success: true, webhooks })
}

/// Creates a webhook. The response shows the secret with which its messages are signed, this once only.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/webhook", tag = "Webhooks", operation_id = "createWebhook",
    request_body = schemas::WebhookBody,
    responses((status = 201, description = "The webhook was created.", body = views::WebhookCreated)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn webhook_create(
    State(app): State<App>,
    caller: Caller<Admin>,
    request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers().clone();
    let sent = read_body(request, &[MediaType::Json]).await?;
    let new = wire::creation(&sent.json)?;
    let project = &caller.project;
    let key = idempotency_key(&headers, project.id, "webhook".to_owned(), &sent.bytes, app.clock.now())?;
    let render = |made: &WebhookSecret| rendered(&views::WebhookCreated::from(made));
    Ok(stored(
        StatusCode::CREATED,
        webhooks::create(&app, &app.outbound, &caller.actor, project, key, new, render).await?,
    ))
}

/// Updates a webhook. Only fields that are sent change.
#[utoipa::path(
    patch, path = "/v2/project/{project_key}/webhook/{webhook_id}", tag = "Webhooks", operation_id = "updateWebhook",
    request_body = schemas::WebhookPatch,
    responses((status = 200, description = "All changes were applied.", body = views::WebhookChanged)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn webhook_update(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let patch = read_body(request, &[MediaType::Json]).await.and_then(|sent| Ok(wire::patch(&sent.json)?));
    webhooks::update(&app, &app.outbound, &caller.actor, &caller.project, id, patch.map_err(Into::into)).await?;
    json(StatusCode::OK, &views::WebhookChanged { success: true, webhook_id: id.0 })
}

/// Deletes a webhook with its deliveries. Pending messages are not sent any more.
#[utoipa::path(
    delete, path = "/v2/project/{project_key}/webhook/{webhook_id}", tag = "Webhooks", operation_id = "deleteWebhook",
    responses((status = 200, description = "Deleted.", body = views::WebhookDeleted)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn webhook_delete(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    webhooks::delete(&app, &caller.actor, &caller.project, id).await?;
    json(StatusCode::OK, &views::WebhookDeleted { success: true, webhook_id: id.0, deleted: true })
}

/// Sends a message of the type `webhook.test`. Its outcome is listed among the deliveries.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/webhook/{webhook_id}/test", tag = "Webhooks", operation_id = "testWebhook",
    responses((status = 200, description = "The message was queued.", body = views::DeliveryQueued)),
    extensions(("x-scope" = json!("admin")), ("x-conflicts" = json!(conflict_codes(&[WebhookOff]))))
)]
pub(crate) async fn webhook_test(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (id, project) = (id_in(&id)?, caller.project.id);
    let key = idempotency_key(&headers, project, format!("webhook {id} test"), b"", app.clock.now());
    let render = move |delivery| rendered(&views::DeliveryQueued::new(id, delivery));
    Ok(stored(StatusCode::OK, webhooks::test(&app, project, id, key, render).await?))
}

/// Gives a webhook a new secret. Messages carry signatures of both secrets for 24 hours.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/webhook/{webhook_id}/rotate", tag = "Webhooks",
    operation_id = "rotateWebhookSecret",
    responses((status = 200, description = "Messages carry signatures of both secrets from now on.", body = views::WebhookRotated)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn webhook_rotate(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (id, project) = (id_in(&id)?, caller.project.id);
    let key = idempotency_key(&headers, project, format!("webhook {id} rotate"), b"", app.clock.now());
    let render = |made: &WebhookSecret| rendered(&views::WebhookRotated::from(made));
    Ok(stored(StatusCode::OK, webhooks::rotate(&app, &caller.actor, &caller.project, id, key, render).await?))
}

/// Lists the deliveries of a webhook.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/webhook/{webhook_id}/deliveries", tag = "Webhooks",
    operation_id = "listWebhookDeliveries",
    params(
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 50 unless given, at most 500. Larger values count as 500."),
        ("offset" = inline(Option<i64>), Query, minimum = 0, description = "Deliveries to skip."),
    ),
    responses((status = 200, description = "Newest first.", body = views::DeliveryList)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn webhook_deliveries(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let mut query = Query::read(uri.query(), &["limit", "offset"]);
    let page = (query.limit(50, 500), query.offset());
    query.finish()?;
    let deliveries: Vec<views::Delivery> =
        webhooks::deliveries(&app, caller.project.id, id, page).await?.into_iter().map(Into::into).collect();
    json(StatusCode::OK, &views::DeliveryList { success: true, count: deliveries.len(), deliveries })
}

/// Sends a delivery again, whatever its status. The message keeps its id.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/webhook/{webhook_id}/deliveries/{delivery_id}/resend", tag = "Webhooks",
    operation_id = "resendWebhookDelivery",
    responses((status = 200, description = "The message was queued.", body = views::DeliveryQueued)),
    extensions(("x-scope" = json!("admin")), ("x-conflicts" = json!(conflict_codes(&[WebhookOff]))))
)]
pub(crate) async fn webhook_resend(
    State(app): State<App>,
    caller: Caller<Admin>,
    Path((_, id, delivery)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (id, project) = (id_in(&id)?, caller.project.id);
    let delivery = DeliveryId::parse(&delivery).ok_or(ApiError::NotFound("delivery"))?;
    let operation = format!("webhook {id} resend {delivery}");
    let key = idempotency_key(&headers, project, operation, b"", app.clock.now());
    let render = move |delivery| rendered(&views::DeliveryQueued::new(id, delivery));
    Ok(stored(StatusCode::OK, webhooks::resend(&app, project, (id, delivery), key, render).await?))
}
