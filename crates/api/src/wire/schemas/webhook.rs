//! Webhooks, as they are sent.

use super::words::EventName;
use utoipa::ToSchema;

/// A new webhook.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookBody {
    /// Where messages are sent to: an http or https URL that the public internet can reach.
    #[schema(max_length = 2048, example = "https://hooks.example.com/muriel")]
    url: String,
    /// What it is told.
    #[schema(min_items = 1)]
    events: Vec<EventName>,
    /// What it is for.
    #[schema(nullable = false, max_length = 255, example = "Posts to the team's channel")]
    description: Option<String>,
}

/// Changes to a webhook.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookPatch {
    /// Where messages are sent to: an http or https URL that the public internet can reach.
    #[schema(nullable = false, max_length = 2048, example = "https://hooks.example.com/muriel")]
    url: Option<String>,
    /// The complete new list of what it is told.
    #[schema(nullable = false, min_items = 1)]
    events: Option<Vec<EventName>>,
    /// What it is for.
    #[schema(nullable = false, max_length = 255, example = "Posts to the team's channel")]
    description: Option<String>,
    /// Whether it is on. Switching it off gives up the deliveries that wait; each can be sent again.
    #[schema(nullable = false)]
    enabled: Option<bool>,
}
