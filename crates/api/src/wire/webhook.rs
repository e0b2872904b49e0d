//! Parses webhooks in request bodies.

use super::fields::{Fields, boolean, from_body, parsed, texts};
use crate::json::Json;
use muriel_domain::webhook::{DESCRIPTION_MAX, EventType, WebhookPatch, parse_webhook_url};
use muriel_domain::{Problems, text};
use muriel_service::webhooks::NewWebhook;

/// Parses a create body.
pub(crate) fn creation(body: &Json) -> Result<NewWebhook, Problems> {
    from_body(body, |fields| {
        fields.only(&["url", "events", "description"], &[("secret", "is made by the server; it is in the answer")]);
        let url = fields.needed("url", parsed(parse_webhook_url));
        fields.require("events");
        let events = events(fields);
        let description = fields.read("description", parsed(|text| text::at_most(text, DESCRIPTION_MAX)));
        Some(NewWebhook { url: url?, events: events?, description: description.unwrap_or_default() })
    })
}

/// Parses a PATCH body.
pub(crate) fn patch(body: &Json) -> Result<WebhookPatch, Problems> {
    from_body(body, |fields| {
        fields.only(
            &["url", "events", "description", "enabled"],
            &[
                ("secret", "is changed by POST …/rotate"),
                ("webhook_id", "identifies the webhook and cannot be changed"),
                ("created_at", "cannot be changed"),
            ],
        );
        Some(WebhookPatch {
            url: fields.read("url", parsed(parse_webhook_url)),
            events: events(fields),
            description: fields.read("description", parsed(|text| text::at_most(text, DESCRIPTION_MAX))),
            is_enabled: fields.read("enabled", boolean),
        })
    })
}

/// Parses the events: at least one; repeats count once.
fn events(fields: &Fields<'_>) -> Option<Vec<EventType>> {
    fields.read_deep("events", |value, place| {
        let found = fields.found();
        let names = texts(value, &place, found)?;
        if names.is_empty() {
            found.add(place, "must name at least one event");
            return None;
        }
        let mut events = Vec::new();
        let mut is_good = true;
        for (index, name) in names.into_iter().enumerate() {
            match EventType::parse(name) {
                Ok(event) if events.contains(&event) => {}
                Ok(event) => events.push(event),
                Err(flaw) => {
                    is_good = false;
                    found.add(format!("{place}[{index}]"), flaw.to_string());
                }
            }
        }
        is_good.then_some(events)
    })
}
