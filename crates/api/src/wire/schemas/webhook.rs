//! Bodies of webhooks.

use super::words::EventName;
use utoipa::ToSchema;

/// A new webhook.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookBody {
    /// URL to which messages are sent: http or https, reachable from the public internet.
    #[schema(max_length = 2048, example = "https://hooks.example.com/muriel")]
    url: String,
    /// Events that are sent to it.
    #[schema(min_items = 1)]
    events: Vec<EventName>,
    /// Purpose.
    #[schema(nullable = false, max_length = 255, example = "Posts to the team's channel")]
    description: Option<String>,
}

/// Changes to a webhook.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookPatch {
    /// URL to which messages are sent: http or https, reachable from the public internet.
    #[schema(nullable = false, max_length = 2048, example = "https://hooks.example.com/muriel")]
    url: Option<String>,
    /// Complete new list of events that are sent to it.
    #[schema(nullable = false, min_items = 1)]
    events: Option<Vec<EventName>>,
    /// Purpose.
    #[schema(nullable = false, max_length = 255, example = "Posts to the team's channel")]
    description: Option<String>,
    /// true enables it. false also cancels pending deliveries; each can be resent.
    #[schema(nullable = false)]
    enabled: Option<bool>,
}
