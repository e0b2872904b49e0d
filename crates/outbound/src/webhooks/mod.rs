//! Webhooks: notifications to other systems about events in a project.
//!
//! An act writes its events to the outbox in its own transaction, see [`muriel_store::webhooks`]. This
//! module creates and changes webhooks, and sends the messages of the outbox: at least once, in no
//! guaranteed order, with the same id each time.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod deliver;
mod secret;

pub use deliver::{DeliveryOutcome, attempt, due, purge, release};
pub use secret::Secret;

use crate::client::{self, Outbound};
use muriel_context::Context;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_context::sealed::seal;
use muriel_domain::ids::{DeliveryId, ProjectId, WebhookId};
use muriel_domain::webhook::{EventType, OLD_SECRET_US, TEST_EVENT, WEBHOOKS_MAX, Webhook, WebhookPatch};
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::tenants::Project;
use muriel_store::webhooks::{self, Delivery};
use muriel_store::{Intent, lock};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const NOT_FOUND: Error = Error::NotFound("webhook");

/// A webhook to create.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// URL that messages are sent to.
    pub url: String,
    /// Purpose of the webhook, in its owner's words.
    pub description: String,
    /// Event types that are sent.
    pub events: Vec<EventType>,
}

/// A webhook with a newly created secret.
#[derive(Debug, Clone)]
pub struct WebhookSecret {
    /// Webhook id.
    pub id: WebhookId,
    /// The secret, which is shown only once.
    pub secret: Secret,
    /// Moment until which the earlier secrets also sign.
    pub old_until: Instant,
}

/// Returns the project's webhooks, oldest first.
pub async fn list(context: &Context, project: ProjectId) -> Result<Vec<Webhook>> {
    context.read(move |tx| Box::pin(async move { Ok(webhooks::list(tx, project).await?) })).await
}

/// Creates a webhook. `render` makes the response, which contains the secret and is stored encrypted for a repeated
/// request.
///
/// # Errors
/// An address that may not be reached, too many webhooks, and when the database cannot be reached.
pub async fn create(
    context: &Context,
    outbound: &Outbound,
    actor: &Actor,
    project: &Arc<Project>,
    key: Option<IdempotencyKey>,
    new: NewWebhook,
    render: impl FnOnce(&WebhookSecret) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    check_address(outbound, &new.url).await?;
    let (of, actor) = (project.clone(), actor.clone());
    let (project, now, cipher) = (project.id, context.clock.now(), context.pepper.webhook_key());
    write(context, move |tx| {
        Box::pin(async move {
            lock(tx, project, Intent::Reshape).await?;
            if let Some(stored) = idempotency::replay_sealed(tx, &cipher, key.as_ref()).await? {
                return Ok(stored);
            }
            if webhooks::list(tx, project).await?.len() >= WEBHOOKS_MAX {
                let message =
                    format!("cannot be accepted: the project already has {WEBHOOKS_MAX} webhooks; delete one first");
                return Err(Problems::one("body", message).into());
            }
            let webhook = Webhook {
                id: WebhookId(0),
                project_id: project,
                url: new.url,
                description: new.description,
                events: new.events,
                created_at: now,
                failing_since: None,
                disabled: None,
            };
            let id = webhooks::insert(tx, &webhook).await?;
            let made = new_secret(tx, &cipher, id, now).await?;
            let response = idempotency::store_sealed(tx, &cipher, key.as_ref(), render(&made)?).await?;
            let act = Act::within(&actor, &of, now);
            act.made(tx, "create", object("webhook", id, &webhook.url), audit_value(&webhook)).await?;
            Ok(response)
        })
    })
    .await
}

/// The audit log's fields of a webhook.
fn audit_value(webhook: &Webhook) -> Value {
    let events: Vec<_> = webhook.events.iter().map(|event| event.word()).collect();
    let is_on = webhook.disabled.is_none();
    json!({ "url": webhook.url, "description": webhook.description, "events": events, "enabled": is_on })
}

/// Creates a new secret for a webhook. The old ones also sign for another day.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn rotate(
    context: &Context,
    actor: &Actor,
    project: &Arc<Project>,
    id: WebhookId,
    key: Result<Option<IdempotencyKey>>,
    render: impl FnOnce(&WebhookSecret) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, cipher, of, actor) = (context.clock.now(), context.pepper.webhook_key(), project.clone(), actor.clone());
    let project = project.id;
    write(context, move |tx| {
        Box::pin(async move {
            lock(tx, project, Intent::Reshape).await?;
            let webhook = webhooks::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            let key = key?;
            if let Some(stored) = idempotency::replay_sealed(tx, &cipher, key.as_ref()).await? {
                return Ok(stored);
            }
            let made = new_secret(tx, &cipher, id, now).await?;
            let response = idempotency::store_sealed(tx, &cipher, key.as_ref(), render(&made)?).await?;
            let act = Act::within(&actor, &of, now);
            act.record(tx, "rotate secret", object("webhook", id, &webhook.url), None, None).await?;
            Ok(response)
        })
    })
    .await
}

async fn new_secret(tx: &mut dyn Tx, cipher: &[u8; 32], id: WebhookId, now: Instant) -> Result<WebhookSecret> {
    let (secret, old_until) = (Secret::generate()?, now.plus_us(OLD_SECRET_US));
    let sealed = seal(cipher, &purpose(id), secret.bytes())?;
    webhooks::secret_insert(tx, id, sealed, old_until, now).await?;
    Ok(WebhookSecret { id, secret, old_until })
}

/// Purpose under which a webhook's secrets are encrypted: a secret of one webhook cannot be decrypted as another's.
fn purpose(id: WebhookId) -> String {
    format!("webhook {id}")
}

/// Changes a webhook.
///
/// # Errors
/// `NotFound`; then a `patch` that could not be read; an address that may not be reached; and when the database cannot
/// be reached.
pub async fn update(
    context: &Context,
    outbound: &Outbound,
    actor: &Actor,
    project: &Arc<Project>,
    id: WebhookId,
    patch: Result<WebhookPatch>,
) -> Result<()> {
    let (of, actor, project) = (project.clone(), actor.clone(), project.id);
    let found = context.read(move |tx| Box::pin(async move { Ok(webhooks::find(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)?;
    let (patch, now) = (patch?, context.clock.now());
    if let Some(url) = &patch.url {
        check_address(outbound, url).await?;
    }
    write(context, move |tx| {
        Box::pin(async move {
            lock(tx, project, Intent::Reshape).await?;
            let before = webhooks::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            let after = before.patched(patch, now);
            if after != before {
                webhooks::update(tx, &after).await?;
                let act = Act::within(&actor, &of, now);
                act.changed(tx, "update", object("webhook", id, &after.url), audit_value(&before), audit_value(&after))
                    .await?;
            }
            Ok(())
        })
    })
    .await
}

/// Deletes a webhook with its deliveries.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn delete(context: &Context, actor: &Actor, project: &Arc<Project>, id: WebhookId) -> Result<()> {
    let (of, actor, project, now) = (project.clone(), actor.clone(), project.id, context.clock.now());
    write(context, move |tx| {
        Box::pin(async move {
            lock(tx, project, Intent::Reshape).await?;
            let webhook = webhooks::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            webhooks::delete(tx, id).await?;
            let act = Act::within(&actor, &of, now);
            act.removed(tx, "delete", object("webhook", id, &webhook.url), audit_value(&webhook)).await
        })
    })
    .await
}

/// Sends a test message. `render` makes the response from the delivery.
///
/// # Errors
/// `NotFound`, a webhook that is disabled, and when the database cannot be reached.
pub async fn test(
    context: &Context,
    project: ProjectId,
    id: WebhookId,
    key: Result<Option<IdempotencyKey>>,
    render: impl FnOnce(DeliveryId) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let now = context.clock.now();
    write(context, move |tx| {
        Box::pin(async move {
            lock(tx, project, Intent::Reshape).await?;
            let webhook = webhooks::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            let key = key?;
            if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                return Ok(stored);
            }
            check_on(&webhook)?;
            let mut data = Map::new();
            data.insert("webhook_id".to_owned(), json!(id));
            data.insert("sentence".to_owned(), json!("this message tests the webhook; nothing has happened"));
            let sent = webhooks::send(tx, project, &[id], (TEST_EVENT, data), now).await?;
            let delivery = sent.first().copied().ok_or_else(|| Error::internal("a delivery was not stored"))?;
            idempotency::store(tx, key.as_ref(), render(delivery)?).await
        })
    })
    .await
}

/// Sends a delivery again, with the same message id. `render` makes the response from it.
///
/// # Errors
/// `NotFound`, a webhook that is disabled, and when the database cannot be reached.
pub async fn resend(
    context: &Context,
    project: ProjectId,
    (id, delivery): (WebhookId, DeliveryId),
    key: Result<Option<IdempotencyKey>>,
    render: impl FnOnce(DeliveryId) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let now = context.clock.now();
    write(context, move |tx| {
        Box::pin(async move {
            lock(tx, project, Intent::Reshape).await?;
            let webhook = webhooks::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            if !webhooks::has_delivery(tx, id, delivery).await? {
                return Err(Error::NotFound("delivery"));
            }
            let key = key?;
            if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                return Ok(stored);
            }
            check_on(&webhook)?;
            webhooks::resend(tx, id, delivery, now).await?;
            idempotency::store(tx, key.as_ref(), render(delivery)?).await
        })
    })
    .await
}

fn check_on(webhook: &Webhook) -> Result<()> {
    match &webhook.disabled {
        None => Ok(()),
        Some((_, why)) => Err(Error::conflict(
            ConflictCode::WebhookOff,
            format!("the webhook is off: {why}; switch it on first, with enabled: true"),
        )),
    }
}

/// Returns a page of a webhook's deliveries, newest first.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn deliveries(
    context: &Context,
    project: ProjectId,
    id: WebhookId,
    page: (i64, i64),
) -> Result<Vec<Delivery>> {
    context
        .read(move |tx| {
            Box::pin(async move {
                webhooks::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
                Ok(webhooks::deliveries(tx, id, page).await?)
            })
        })
        .await
}

/// Refuses a URL whose host has an address that may not be reached.
async fn check_address(outbound: &Outbound, url: &str) -> Result<()> {
    let url = url::Url::parse(url).map_err(|_| Problems::one("url", "must be an absolute http or https URL"))?;
    let checked = outbound.check(&url, client::LOOKUP_TIMEOUT).await;
    checked.map_err(|why| Problems::one("url", why).into())
}

/// Runs a transaction that does not affect lists of experiments.
async fn write<T, F>(context: &Context, body: F) -> Result<T>
where
    F: for<'t> FnOnce(&'t mut dyn Tx) -> muriel_sql::BoxFuture<'t, Result<T>> + Send + 'static,
    T: Send + 'static,
{
    context.db.write::<_, Error, _>(body).await
}
