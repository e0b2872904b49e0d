//! Parses events as sent by pages and servers.
//!
//! The part that all events of a request share must be valid, or the request is refused. Events are checked
//! individually: an invalid event does not affect the others.

use crate::json::{Anomalies, Json};
use crate::wire::fields::{Fields, ProblemCollector, from_body, join, text};
use muriel_delivery::intake::{EventTemplate, IncomingBatch, PendingEvent, ReadEvent};
use muriel_delivery::visitor::Origin;
use muriel_domain::experiment::integration::ToolSet;
use muriel_domain::trust::Trust;
use muriel_domain::{Flaw, Instant, Problems};
use muriel_log::{Consent, EventKind, EventVisitor, Properties, Record};
use muriel_warehouse::MAX_TRACKED_CHANGES;
use std::net::IpAddr;
use uuid::Uuid;

/// Maximum number of events in a request.
pub(crate) const EVENTS_MAX: usize = 500;
/// Maximum number of JSON values in a body of events: 500 events with everything that they can have.
pub(crate) const VALUES_MAX: usize = 200_000;
/// Maximum number of properties of an event or visitor.
const PROPERTIES_MAX: usize = 100;
/// Longest accepted duration of a page, in milliseconds: an hour.
const VITAL_MS_MAX: f64 = 3_600_000.0;
/// Largest accepted cumulative layout shift of a page. Values above 0.25 are rated poor.
const CLS_MAX: f64 = 10_000.0;
/// Maximum length of a text, in bytes.
const TEXT_MAX: usize = 8 << 10;
/// Maximum length of an error's message, in characters.
const ERROR_CHARS_MAX: usize = 200;

/// Request whose events are not parsed yet.
pub(crate) struct EventBatch<'j> {
    /// Time of sending, by the client's clock.
    pub(crate) sent_at: Option<Instant>,
    pub(crate) consent: Option<Consent>,
    pub(crate) visitor: EventVisitor,
    /// Address, user agent and country of the visitor, from a trusted server.
    pub(crate) hints: ClientHints<'j>,
    /// Signature of the visitor's id, as sent.
    pub(crate) signature: Option<&'j str>,
    pub(crate) events: &'j [Json],
    /// Values in the events that were repaired or make their event invalid.
    pub(crate) anomalies: &'j Anomalies,
}

/// Connection and device of the visitor, as a trusted server describes them.
#[derive(Default)]
pub(crate) struct ClientHints<'j> {
    pub(crate) ip: Option<IpAddr>,
    pub(crate) user_agent: Option<&'j str>,
    pub(crate) country: Option<&'j str>,
}

/// Parses the part that the events of a request share.
///
/// # Errors
/// Every problem of the shared part.
pub(crate) fn event_batch<'j>(body: &'j Json, anomalies: &'j Anomalies) -> Result<EventBatch<'j>, Problems> {
    let (sent_at, consent, visitor) = from_body(body, |fields| {
        let (sent_at, consent) = (sent_at(fields), consent(fields));
        fields.require("visitor");
        fields.require("events");
        fields.read("events", |value| match value.as_array() {
            None => Err(Flaw::new("must be an array of events")),
            Some(events) if events.len() > EVENTS_MAX => {
                Err(Flaw::new(format!("must have at most {EVENTS_MAX} entries")))
            }
            Some(_) => Ok(()),
        });
        let visitor = fields.read_deep("visitor", |value, place| visitor(value, place, fields.found()))?;
        Some((sent_at, consent, visitor))
    })?;
    let hints = body.get("visitor").map(client_hints).unwrap_or_default();
    let events = body.get("events").and_then(Json::as_array).unwrap_or_default();
    let signature = body.get("visitor").and_then(|visitor| visitor.get("signature")).and_then(Json::as_str);
    Ok(EventBatch { sent_at, consent, visitor, hints, signature, events, anomalies })
}

/// Parses a line of a batch: a body as for [`event_batch`], or a single event that has the visitor, and optionally the
/// consent, among its own fields.
///
/// # Errors
/// Every problem of the shared part.
pub(crate) fn line<'j>(line: &'j Json, anomalies: &'j Anomalies) -> Result<EventBatch<'j>, Problems> {
    if is_body(line) {
        return event_batch(line, anomalies);
    }
    let (consent, visitor) = from_body(line, |fields| {
        let consent = consent(fields);
        fields.require("visitor");
        let visitor = fields.read_deep("visitor", |value, place| visitor(value, place, fields.found()))?;
        Some((consent, visitor))
    })?;
    let hints = line.get("visitor").map(client_hints).unwrap_or_default();
    let events = std::slice::from_ref(line);
    Ok(EventBatch { sent_at: None, consent, visitor, hints, signature: None, events, anomalies })
}

/// Returns whether a line of a batch is a body of events; otherwise it is a single event.
pub(crate) fn is_body(line: &Json) -> bool {
    line.get("events").is_some()
}

fn sent_at(fields: &Fields<'_>) -> Option<Instant> {
    fields.read("sent_at", |value| Instant::parse(text(value)?))
}

fn consent(fields: &Fields<'_>) -> Option<Consent> {
    fields.read("consent", |value| match text(value)? {
        "granted" => Ok(Consent::Granted),
        "denied" => Ok(Consent::Denied),
        "unknown" => Ok(Consent::Unknown),
        _ => Err(Flaw::new("must be granted, denied or unknown")),
    })
}

fn visitor(value: &Json, place: String, found: &ProblemCollector) -> Option<EventVisitor> {
    let fields = Fields::new(value, place, found)?;
    let id = fields.needed("id", |value| bounded(text(value)?, 1, 128));
    let attributes = match fields.has("attributes") {
        true => fields.read("attributes", properties),
        false => Some(Properties::new()),
    };
    for name in ["ip", "user_agent", "country", "signature"] {
        fields.read(name, |value| match value {
            Json::Null => Ok(()),
            value => text(value).map(drop),
        });
    }
    fields.read("ip", |value| match value.as_str() {
        Some(ip) if ip.parse::<IpAddr>().is_err() => Err(Flaw::new("must be an IP address")),
        _ => Ok(()),
    });
    fields.read("country", |value| match value.as_str() {
        Some(code) if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            Err(Flaw::new("must be a country code of ISO 3166-1 in capitals, such as DE"))
        }
        _ => Ok(()),
    });
    Some(EventVisitor { id: id?, attributes: attributes? })
}

fn client_hints(visitor: &Json) -> ClientHints<'_> {
    let text = |name: &str| visitor.get(name).and_then(Json::as_str);
    ClientHints {
        ip: text("ip").and_then(|ip| ip.parse().ok()),
        user_agent: text("user_agent"),
        country: text("country"),
    }
}

impl<'j> EventBatch<'j> {
    /// Returns the shared part, and the events to be parsed one by one. `origin` is where the visitor comes from.
    /// `gpc` is true when the browser sent Global Privacy Control.
    pub(crate) fn into_incoming(
        self,
        origin: Origin,
        trust: Trust,
        gpc: bool,
    ) -> (
        IncomingBatch<'j>,
        impl ExactSizeIterator<Item = PendingEvent<'j, impl FnOnce(&EventTemplate) -> Result<ReadEvent, String> + 'j>>,
    ) {
        let EventBatch { sent_at, consent, visitor, hints, signature: _, events, anomalies } = self;
        let batch = IncomingBatch { sent_at, consent, visitor, country: hints.country, origin, trust, gpc };
        let pending = events.iter().enumerate().map(move |(index, event)| PendingEvent {
            id: id_of(event),
            read: move |template: &EventTemplate| match anomalies.refusal(index) {
                Some(refusal) => Err(refusal),
                None => record(event, template),
            },
            note: anomalies.note(index),
        });
        (batch, pending)
    }
}

/// Event id as sent, for the response.
pub(crate) fn id_of(event: &Json) -> Option<&str> {
    event.get("id").and_then(Json::as_str)
}

/// Parses an event to its stored form.
///
/// # Errors
/// The reason why it is invalid, as a message.
pub(crate) fn record(event: &Json, template: &EventTemplate) -> Result<ReadEvent, String> {
    if event.as_object().is_none() {
        return Err("must be an object".to_owned());
    }
    from_body(event, |fields| read(fields, template)).map_err(|problems| sentence(&problems))
}

/// Joins the first five problems into one message.
pub(crate) fn sentence(problems: &Problems) -> String {
    let all: Vec<_> = problems.iter().take(5).map(|problem| problem.to_string()).collect();
    all.join("; ")
}

fn read(fields: &Fields<'_>, template: &EventTemplate) -> Option<ReadEvent> {
    let id = fields.needed("id", |value| {
        match text(value)? {
            id if id.len() == 36 => Uuid::parse_str(id).ok().filter(|id| !id.is_nil()),
            _ => None,
        }
        .ok_or_else(|| Flaw::new("must be a UUID such as 0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a55"))
    });
    let kind = fields.needed("type", |value| {
        let word = text(value)?;
        EventKind::WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind).ok_or_else(|| {
            let known: Vec<_> = EventKind::WORDS.iter().map(|(word, _)| *word).collect();
            Flaw::new(format!("must be one of {}", known.join(", ")))
        })
    });
    let at = match fields.has("at") {
        true => fields.read("at", |value| Instant::parse(text(value)?)),
        false => Some(template.received_at),
    };
    let mut record = template.record.clone();
    record.url = address(fields, "url");
    record.session = limited(fields, "session", 128);
    if let Some(properties) = fields.read("properties", properties) {
        record.properties = properties;
    }
    (record.id, record.kind) = (id?, kind?);
    // An event cannot happen after it was received.
    let at = at?.plus_us(template.behind_us);
    record.at = at.clamp(Instant::from_us(0), template.received_at);
    of_kind(fields, &mut record);
    let unfilled = take_unfilled(&mut record);
    Some(ReadEvent { record, ahead_us: at.us().saturating_sub(template.received_at.us()).max(0), unfilled })
}

/// Removes order numbers that a template left unfilled, and keeps them as properties, as the script does. Returns the
/// field of the first one.
fn take_unfilled(record: &mut Record) -> Option<&'static str> {
    let mut found = None;
    for (field, number) in [("order_id", &mut record.order_id), ("refund_of", &mut record.refund_of)] {
        let Some(sent) = number.take_if(|number| is_unfilled(number)) else { continue };
        if record.properties.len() < PROPERTIES_MAX {
            record.properties.insert(format!("unread_{field}"), sent.into());
        }
        found = found.or(Some(field));
    }
    found
}

/// Returns whether an order number is a placeholder or the text of a missing value. The script has the same rule,
/// `UNFILLED` in `order.ts`.
fn is_unfilled(number: &str) -> bool {
    const WORDS: [&str; 12] = [
        "nan",
        "null",
        "none",
        "undefined",
        "true",
        "false",
        "n/a",
        "not set",
        "(not set",
        "not set)",
        "(not set)",
        "(none)",
    ];
    const PARTS: [&str; 4] = ["{{", "${", "<%", "[object "];
    let number = number.trim().to_ascii_lowercase();
    number.bytes().all(|byte| matches!(byte, b'0' | b'-'))
        || WORDS.contains(&number.as_str())
        || PARTS.iter().any(|part| number.contains(part))
}

fn of_kind(fields: &Fields<'_>, record: &mut Record) {
    match record.kind {
        EventKind::Exposure => {
            arm(fields, record);
            record.epoch = fields.read("epoch", |value| match value.as_int() {
                Some(epoch) if epoch >= 1 => Ok(epoch),
                _ => Err(Flaw::new("must be an integer of at least 1")),
            });
            if let Some(context) = fields.read("context", properties) {
                record.context = context;
            }
        }
        EventKind::Pageview => {
            fields.require("url");
            record.referrer = limited(fields, "referrer", TEXT_MAX);
        }
        EventKind::Click => {
            record.by = fields.needed("by", |value| match text(value)? {
                by @ ("element" | "text" | "link") => Ok(by.to_owned()),
                _ => Err(Flaw::new("must be element, text or link")),
            });
            record.trigger = limited(fields, "trigger", TEXT_MAX);
            record.href = limited(fields, "href", TEXT_MAX);
            match record.by.as_deref() {
                Some("link") => fields.require("href"),
                Some(_) => fields.require("trigger"),
                None => {}
            }
        }
        EventKind::Submit | EventKind::Appear | EventKind::Script => {
            record.trigger = fields.needed("trigger", |value| bounded(text(value)?, 1, TEXT_MAX));
        }
        EventKind::Scroll => record.value = fields.needed("value", |value| number(value, 0.0, 100.0)),
        EventKind::Duration => record.value = fields.needed("value", |value| number(value, 0.0, 1e7)),
        EventKind::Custom => {
            record.name = fields.needed("name", |value| bounded(text(value)?, 1, 128));
            record.value = fields.read("value", |value| number(value, -1e15, 1e15));
        }
        EventKind::Order => {
            record.name = fields.needed("name", |value| bounded(text(value)?, 1, 128));
            record.value = fields.needed("value", |value| number(value, -1e15, 1e15));
            record.currency = fields.needed("currency", |value| match text(value)? {
                code if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) => Ok(code.to_owned()),
                _ => Err(Flaw::new("must be a currency code of ISO 4217 in capitals, such as EUR")),
            });
            record.order_id = limited(fields, "order_id", 256);
            record.refund_of = limited(fields, "refund_of", 256);
            if record.refund_of.is_some() && record.value.is_some_and(|value| value >= 0.0) {
                fields.add("refund_of", "is only for refunds: send a negative value");
            }
            record.quantity = fields.read("quantity", |value| number(value, 0.0, 1e9));
        }
        EventKind::Identify => {
            if let Some(attributes) = fields.needed("attributes", properties) {
                record.attributes = attributes;
            }
        }
        EventKind::Health => {
            let count = |name| fields.read(name, |value| number(value, 0.0, 1e9));
            record.dropped = count("dropped");
            // Dropped events belong to the page and need not belong to an experiment.
            if record.dropped.is_none() || fields.has("test_id") || fields.has("variant_id") {
                arm(fields, record);
            }
            record.apply_ms = count("apply_ms");
            record.hidden_ms = count("hidden_ms");
            record.late = count("late");
            record.failed_selectors = count("failed_selectors");
            record.errors = count("errors");
            record.error_message = fields.read("error_message", |value| bounded(text(value)?, 1, ERROR_CHARS_MAX));
            let vital = |name, most| fields.read(name, |value| number(value, 0.0, most));
            record.lcp_ms = vital("lcp_ms", VITAL_MS_MAX);
            record.cls = vital("cls", CLS_MAX);
            record.inp_ms = vital("inp_ms", VITAL_MS_MAX);
            record.integrations = fields.read("integrations", |value| match text(value)? {
                names if names.len() <= TEXT_MAX && ToolSet::read(names).is_some() => Ok(names.to_owned()),
                _ => Err(Flaw::new("must be names of integrations that pages report, separated by spaces")),
            });
            record.changes = fields.read("changes", |value| match text(value)? {
                letters
                    if (1..=MAX_TRACKED_CHANGES).contains(&letters.len())
                        && letters.bytes().all(|byte| b"01-".contains(&byte)) =>
                {
                    Ok(letters.to_owned())
                }
                _ => Err(Flaw::new(format!(
                    "must have 1, 0 or - for each of the first {MAX_TRACKED_CHANGES} changes of the variant"
                ))),
            });
        }
    }
}

/// Parses the experiment and the variant. Their existence in the project is checked later.
fn arm(fields: &Fields<'_>, record: &mut Record) {
    record.test_id = fields.needed("test_id", |value| match value.as_int() {
        Some(id) if id >= 1 => Ok(id),
        _ => Err(Flaw::new("must be an experiment's id")),
    });
    record.variant_id = fields.needed("variant_id", |value| match text(value)? {
        id if !id.is_empty() && id.len() <= 3 && id.bytes().all(|byte| byte.is_ascii_digit()) => Ok(id.to_owned()),
        _ => Err(Flaw::new("must be \"0\" for the control or the number of a variant, as text")),
    });
}

fn address(fields: &Fields<'_>, name: &str) -> Option<String> {
    fields.read(name, |value| bounded(text(value)?, 1, TEXT_MAX))
}

fn limited(fields: &Fields<'_>, name: &str, max: usize) -> Option<String> {
    fields.read(name, |value| bounded(text(value)?, 0, max)).filter(|text| !text.is_empty())
}

fn bounded(text: &str, least: usize, most: usize) -> Result<String, Flaw> {
    let characters = text.chars().take(most + 1).count();
    if characters < least || characters > most {
        return Err(Flaw::new(format!("must have {least} to {most} characters")));
    }
    Ok(text.to_owned())
}

fn number(value: &Json, least: f64, most: f64) -> Result<f64, Flaw> {
    match value.as_number() {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(Flaw::new(format!("must be a number from {least} to {most}"))),
    }
}

/// Parses an object of names with plain values.
fn properties(value: &Json) -> Result<Properties, Flaw> {
    let flaw = || Flaw::new(format!("must be an object of at most {PROPERTIES_MAX} texts, numbers and booleans"));
    let members = value.as_object().filter(|members| members.len() <= PROPERTIES_MAX).ok_or_else(flaw)?;
    let mut properties = Properties::new();
    for (name, value) in members {
        let value = match value {
            Json::Null => serde_json::Value::Null,
            Json::Bool(flag) => (*flag).into(),
            Json::Int(number) => (*number).into(),
            Json::Float(number) => (*number).into(),
            // As text, 64-bit ids keep all their digits.
            Json::Text(text) | Json::Beyond(text) => text.as_str().into(),
            Json::Array(_) | Json::Object(_) => {
                return Err(Flaw::new(format!("{}: must be a plain value", join("", name))));
            }
        };
        properties.insert(name.clone(), value);
    }
    Ok(properties)
}
