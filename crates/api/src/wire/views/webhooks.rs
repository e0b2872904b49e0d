//! Webhooks in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::ids::{DeliveryId, WebhookId};
use muriel_domain::webhook::Webhook as Stored;
use muriel_outbound::webhooks::WebhookSecret;
use muriel_store::webhooks::Delivery as StoredDelivery;
use serde::Serialize;
use utoipa::ToSchema;

/// A project's webhooks.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookList {
    /// Always true.
    pub(crate) success: bool,
    /// Oldest first; at most 20.
    pub(crate) webhooks: Vec<Webhook>,
}

/// A webhook: a URL to which events of the project are sent.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Webhook {
    /// Identifies the webhook.
    webhook_id: i64,
    /// URL to which messages are sent.
    #[schema(example = "https://hooks.example.com/muriel")]
    url: String,
    /// Events that are sent to it.
    #[schema(value_type = Vec<schemas::EventName>)]
    events: Vec<&'static str>,
    /// Purpose.
    #[schema(example = "Posts to the team's channel")]
    description: String,
    /// True when it is enabled.
    enabled: bool,
    /// Time at which it was disabled; null while it is enabled.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    disabled_at: Option<Instant>,
    /// Reason why it was disabled; null while it is enabled.
    #[schema(required, example = "every attempt of five days failed, the last one: answered 500")]
    disabled_reason: Option<String>,
    /// Time of the first failure; null while the last attempt succeeded.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    failing_since: Option<Instant>,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    created_at: Instant,
}

impl From<Stored> for Webhook {
    fn from(webhook: Stored) -> Self {
        let (disabled_at, disabled_reason) = webhook.disabled.map_or((None, None), |(at, why)| (Some(at), Some(why)));
        Self {
            webhook_id: webhook.id.0,
            url: webhook.url,
            events: webhook.events.iter().map(|event| event.word()).collect(),
            description: webhook.description,
            enabled: disabled_at.is_none(),
            disabled_at,
            disabled_reason,
            failing_since: webhook.failing_since,
            created_at: webhook.created_at,
        }
    }
}

/// A webhook was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookCreated {
    /// Always true.
    success: bool,
    /// Id of the webhook.
    webhook_id: i64,
    /// Secret that signs its messages. It is shown only this once.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfhXLp0Y2E=")]
    secret: String,
}

impl From<&WebhookSecret> for WebhookCreated {
    fn from(made: &WebhookSecret) -> Self {
        Self { success: true, webhook_id: made.id.0, secret: made.secret.reveal() }
    }
}

/// The secret of a webhook was rotated.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookRotated {
    /// Always true.
    success: bool,
    /// Id of the webhook.
    webhook_id: i64,
    /// New secret that signs its messages. It is shown only this once.
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfhXLp0Y2E=")]
    secret: String,
    /// Time until which messages are also signed with the old secret.
    #[schema(value_type = String, format = DateTime)]
    old_secret_until: Instant,
}

impl From<&WebhookSecret> for WebhookRotated {
    fn from(made: &WebhookSecret) -> Self {
        Self { success: true, webhook_id: made.id.0, secret: made.secret.reveal(), old_secret_until: made.old_until }
    }
}

/// A webhook was changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookChanged {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the webhook.
    pub(crate) webhook_id: i64,
}

/// A webhook was deleted.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookDeleted {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the deleted webhook.
    pub(crate) webhook_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
}

/// A message was queued for delivery.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeliveryQueued {
    /// Always true.
    success: bool,
    /// Id of the webhook.
    webhook_id: i64,
    /// Id of the delivery.
    delivery_id: i64,
}

impl DeliveryQueued {
    pub(crate) fn new(webhook: WebhookId, delivery: DeliveryId) -> Self {
        Self { success: true, webhook_id: webhook.0, delivery_id: delivery.0 }
    }
}

/// Deliveries of a webhook.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeliveryList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of deliveries on this page.
    pub(crate) count: usize,
    /// Newest first.
    pub(crate) deliveries: Vec<Delivery>,
}

/// A delivery of an event to a webhook. Finished deliveries are listed for 30
/// days.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Delivery {
    /// Identifies the delivery.
    delivery_id: i64,
    /// Type of the event.
    #[schema(example = "experiment.started")]
    event: String,
    /// Time of the event.
    #[schema(value_type = String, format = DateTime)]
    at: Instant,
    /// Number of attempts.
    attempts: i64,
    /// State of the delivery.
    #[schema(value_type = schemas::DeliveryStatus)]
    status: String,
    /// HTTP status of the last response; null without one.
    #[schema(required)]
    response_code: Option<i64>,
    /// Reason why the last attempt failed; null if it did not.
    #[schema(required, example = "answered 500")]
    reason: Option<String>,
    /// Time of the next attempt; null if there is none.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    next_at: Option<Instant>,
}

impl From<StoredDelivery> for Delivery {
    fn from(delivery: StoredDelivery) -> Self {
        Self {
            delivery_id: delivery.id.0,
            event: delivery.event,
            at: delivery.at,
            attempts: delivery.attempts,
            status: delivery.status,
            response_code: delivery.response_code,
            reason: delivery.reason,
            next_at: delivery.next_at,
        }
    }
}
