//! Events: bodies, batches and their results.

use super::words::{ConsentWord, EventStatus, EventType, Moment};
use utoipa::ToSchema;

/// Events of one visitor.
#[derive(ToSchema)]
pub(crate) struct EventsBody {
    /// When the client sends this, by its own clock: its error is taken out of `at`.
    sent_at: Option<Moment>,
    /// The visitor's answer. With `denied` nothing is stored. Where the project requires consent, or counts the browser's
    /// `Sec-GPC: 1` as a denial, requests without an API key need `granted`.
    consent: Option<ConsentWord>,
    visitor: EventsVisitor,
    #[schema(max_items = 500)]
    events: Vec<EventBody>,
}

/// Whose events they are.
#[derive(ToSchema)]
pub(crate) struct EventsVisitor {
    #[schema(min_length = 1, max_length = 128)]
    id: String,
    /// At most 100 texts, numbers and booleans.
    #[schema(value_type = Option<Object>)]
    attributes: Option<()>,
    /// With a bearer key only.
    ip: Option<String>,
    /// With a bearer key only.
    user_agent: Option<String>,
    /// With a bearer key only: ISO 3166-1 alpha-2.
    country: Option<String>,
}

/// One event. Which fields it has besides `id`, `type` and `at` depends on its type; those of other types are ignored.
#[derive(ToSchema)]
pub(crate) struct EventBody {
    /// A UUID made by the client, version 7 preferred; it counts once per project.
    id: String,
    #[schema(rename = "type")]
    kind: EventType,
    /// The client's time; the time of arrival unless given.
    at: Option<String>,
    /// Any type: the address of the page. A `pageview` needs it.
    #[schema(max_length = 8192)]
    url: Option<String>,
    /// Any type: the visit, in the client's words.
    #[schema(max_length = 128)]
    session: Option<String>,
    /// Any type: at most 100 texts, numbers and booleans of your own.
    #[schema(value_type = Option<Object>)]
    properties: Option<()>,
    /// Of an `exposure`, which needs it, and `health`: the experiment.
    #[schema(minimum = 1)]
    test_id: Option<i64>,
    /// Of an `exposure`, which needs it, and `health`: `"0"` for the control, or the number of a variant, as text.
    variant_id: Option<String>,
    /// Of an `exposure`: the epoch that came with the decision; that of its time unless given.
    #[schema(minimum = 1)]
    epoch: Option<i64>,
    /// Of an `exposure`: what was known of the visitor, as texts, numbers and booleans.
    #[schema(value_type = Option<Object>)]
    context: Option<()>,
    /// Of a `custom` event and an `order`, which need it: what goals ask for.
    #[schema(max_length = 128)]
    name: Option<String>,
    /// Of an `order`, which needs it: the amount, negative for a refund. Of `scroll` (percent) and `duration` (seconds),
    /// which need it. Of a `custom` event: any number.
    value: Option<f64>,
    /// Of an `order`, which needs it: ISO 4217 in capitals.
    currency: Option<String>,
    /// Of an `order`: its number in your shop. Orders of one number count once.
    #[schema(max_length = 256)]
    order_id: Option<String>,
    /// Of an `order` with a negative value: the `order_id` of the order that is paid back.
    #[schema(max_length = 256)]
    refund_of: Option<String>,
    /// Of an `order`: how many items.
    #[schema(minimum = 0)]
    quantity: Option<f64>,
    /// Of a `click`, which needs it: `element`, `text` or `link`.
    by: Option<String>,
    /// Of `submit`, `appear` and `script`, which need it, and of a `click` on an element or a text: the goal's value, such
    /// as a selector.
    #[schema(max_length = 8192)]
    trigger: Option<String>,
    /// Of a `click` on a link, which needs it: where the link leads.
    #[schema(max_length = 8192)]
    href: Option<String>,
    /// Of a `pageview`: the address that led there.
    #[schema(max_length = 8192)]
    referrer: Option<String>,
    /// Of `identify`, which needs it: what is known of the visitor from now on, at most 100 texts, numbers and booleans.
    #[schema(value_type = Option<Object>)]
    attributes: Option<()>,
}

/// A line of a batch: events of one visitor, or one event with its visitor.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum EventsLine {
    /// As `sendEvents` takes it.
    Body(EventsBody),
    /// One event.
    Event(EventWithVisitor),
}

/// An event with its visitor. Which further fields it has depends on its type.
#[derive(ToSchema)]
pub(crate) struct EventWithVisitor {
    /// A UUID made by the client, version 7 preferred; it counts once per project.
    id: String,
    #[schema(rename = "type")]
    kind: EventType,
    /// When it happened, which the key vouches for; the time of arrival unless given.
    at: Option<String>,
    visitor: EventsVisitor,
    /// With `denied` nothing is stored.
    consent: Option<ConsentWord>,
}

/// What became of a line of a batch.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum EventsLineTaken {
    /// Of a body.
    Body(BodyLineTaken),
    /// Of one event, or of a line that could not be read.
    Event(EventLineTaken),
}

/// What became of each event of a line.
#[derive(ToSchema)]
pub(crate) struct BodyLineTaken {
    /// The number of the line, from 1; blank lines count.
    #[schema(minimum = 1)]
    line: i64,
    results: Vec<EventResult>,
}

/// What became of the event of a line. A line that could not be read is `invalid`.
#[derive(ToSchema)]
pub(crate) struct EventLineTaken {
    /// The number of the line, from 1; blank lines count.
    #[schema(minimum = 1)]
    line: i64,
    /// As it was sent; null where there is none, or one of more than 64 bytes.
    id: Option<String>,
    status: EventStatus,
    /// Why it is invalid.
    message: Option<String>,
    /// As in the results of `sendEvents`, at the first event of the batch that it is about, with the number of the others.
    note: Option<String>,
}

/// What became of each event.
#[derive(ToSchema)]
pub(crate) struct EventsTaken {
    success: bool,
    results: Vec<EventResult>,
}

/// What became of one event.
#[derive(ToSchema)]
pub(crate) struct EventResult {
    /// As it was sent.
    id: Option<String>,
    status: EventStatus,
    /// Why it is invalid.
    message: Option<String>,
    /// What to know of an event that is `ok`: an exposure that is dated before the experiment first started is stored, and no
    /// result counts it; a time in the future is that of the receipt; an order number that a template left unfilled is none; a
    /// refund names no order; half of a surrogate pair or NUL became U+FFFD; or a number beyond ±2⁵³ became text.
    note: Option<String>,
}
