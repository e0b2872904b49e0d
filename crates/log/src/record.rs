//! An event, as it is stored.
//!
//! One JSON object per event, in the shape in which clients send it, with what
//! the server added. Whoever reads the log needs nothing else.

use crate::DedupScope;
use muriel_domain::Instant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use uuid::Uuid;

/// Names and plain values.
pub type Properties = Map<String, Value>;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// The visitor met a variant.
    Exposure,
    /// A page was looked at.
    Pageview,
    /// Something was clicked.
    Click,
    /// A form was submitted.
    Submit,
    /// An element became visible.
    Appear,
    /// A depth of a page was reached.
    Scroll,
    /// Time was spent visibly on a page.
    Duration,
    /// Something of the customer's own.
    Custom,
    /// Something was bought.
    Order,
    /// Page code called a trigger.
    Script,
    /// The visitor was told more about.
    Identify,
    /// How applying a variant went.
    Health,
}

impl EventKind {
    /// Every kind with its word on the wire.
    pub const WORDS: [(&'static str, EventKind); 12] = [
        ("exposure", EventKind::Exposure),
        ("pageview", EventKind::Pageview),
        ("click", EventKind::Click),
        ("submit", EventKind::Submit),
        ("appear", EventKind::Appear),
        ("scroll", EventKind::Scroll),
        ("duration", EventKind::Duration),
        ("custom", EventKind::Custom),
        ("order", EventKind::Order),
        ("script", EventKind::Script),
        ("identify", EventKind::Identify),
        ("health", EventKind::Health),
    ];
}

/// What the visitor said about being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consent {
    /// Yes.
    Granted,
    /// No: nothing is stored.
    Denied,
    /// Nothing yet.
    Unknown,
}

/// Whose event it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EventVisitor {
    /// 1 to 128 characters.
    pub id: String,
    /// What is known of the visitor.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Properties,
}

/// An event of a visitor of a project.
///
/// Which of the optional fields there are depends on the kind; the interface
/// says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Made by the client; counts once per project.
    pub id: Uuid,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// In which project.
    pub project_key: Arc<str>,
    /// When it happened: the client's time, corrected by its clock's error.
    pub at: Instant,
    /// When it arrived.
    pub received_at: Instant,
    /// Whose it is.
    pub visitor: EventVisitor,
    /// Whether a program, not a person, sent it.
    pub bot: bool,
    /// Whether it was sent with a key. Nothing that a request says sets this; a line
    /// of an imported log does. Written only when it is true, so events that were
    /// stored before the field existed read as not vouched for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub vouched: bool,
    /// What the visitor said about being recorded, if that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<Consent>,
    /// `desktop`, `mobile` or `tablet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Arc<str>>,
    /// `chrome`, `safari`…, or another browser's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Arc<str>>,
    /// `windows`, `macOS`…, or another system's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<Arc<str>>,
    /// ISO 3166-1 alpha-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Arc<str>>,
    /// `California (US)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Arc<str>>,
    /// `Berlin (Berlin)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<Arc<str>>,
    /// The address, cut to its network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Arc<str>>,
    /// The page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where the visitor came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<String>,
    /// The visit that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Which experiment, of exposures and health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_id: Option<i64>,
    /// Which arm: `"0"` is the control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_id: Option<String>,
    /// In which epoch the arm was assigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i64>,
    /// How things were at an exposure.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Properties,
    /// How a click was recognised: `element`, `text` or `link`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The goal's value that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Where a link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// Name of a custom event or an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A depth, seconds, an amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// ISO 4217.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// One order counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// The `order_id` of the order that a negative order refunds, where it is not
    /// its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_of: Option<String>,
    /// Pieces bought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<f64>,
    /// What an `identify` tells of the visitor.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Properties,
    /// Milliseconds that applying a variant's changes took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply_ms: Option<f64>,
    /// Milliseconds for which elements were hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_ms: Option<f64>,
    /// Changes that came too late and were not applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<f64>,
    /// Selectors that matched nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_selectors: Option<f64>,
    /// Errors of the variant's code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<f64>,
    /// Of each change of the variant whether it found what it changes: `1`, `0`, or
    /// `-` where it is not for this page. Of the first 60 changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// Events of the page that were not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<f64>,
    /// Whatever the customer adds.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub properties: Properties,
}

impl Record {
    /// Within what its id counts once.
    pub fn scope(&self) -> DedupScope {
        if self.vouched { DedupScope::PROJECT } else { DedupScope::visitor(&self.visitor.id) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_false(flag: &bool) -> bool {
    !flag
}
