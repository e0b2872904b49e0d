//! What a visitor does now.

use crate::wire::schemas;
use muriel_domain::Instant;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The data of one message of the stream. Its name, in the line `event:`, is `hello`, `event`, `decisions` or `bye`.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveMessage {
    /// When it was sent.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Messages that this reader was too slow for, since the last one.
    pub(crate) missed: u64,
    /// Of `event`: the event as it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    pub(crate) event: Option<Value>,
    /// Of `decisions`: what the visitor gets of each live experiment on the page that was seen, with the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) decisions: Option<Vec<LiveDecision>>,
    /// Of `hello` and `bye`: what to know about the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) note: Option<String>,
}

/// What a visitor gets of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveDecision {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Its key.
    pub(crate) experiment_key: String,
    /// `Control` or `Variant N`; null where the visitor is not included.
    #[schema(required)]
    pub(crate) variant: Option<String>,
    /// Why, in a word.
    #[schema(value_type = schemas::AssignmentReason)]
    pub(crate) reason: &'static str,
    /// Whether the visitor takes part and is counted.
    pub(crate) in_experiment: bool,
    /// Why pages show nothing of it at the address whatever was decided; null where it takes place there.
    #[schema(required)]
    pub(crate) elsewhere: Option<String>,
    /// Every check, in the order in which they are made.
    pub(crate) steps: Vec<super::ExplanationStep>,
}
