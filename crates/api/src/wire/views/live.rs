//! Live events of a visitor in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Data of one message of the stream. Its name, in the line `event:`, is `hello`, `event`, `decisions` or `bye`.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveMessage {
    /// Time of sending.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Instant,
    /// Number of messages dropped since the last one because the reader was too slow.
    pub(crate) missed: u64,
    /// `event`: the event as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    pub(crate) event: Option<Value>,
    /// `decisions`: the visitor's assignment in each live experiment on the page viewed, with the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) decisions: Option<Vec<LiveDecision>>,
    /// `hello` and `bye`: information about the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) note: Option<String>,
}

/// Assignment of a visitor in an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveDecision {
    /// Identifies the experiment.
    pub(crate) test_id: i64,
    /// Key of the experiment.
    pub(crate) experiment_key: String,
    /// `Control` or `Variant N`; null if the visitor is not included.
    #[schema(required)]
    pub(crate) variant: Option<String>,
    /// Reason for the assignment.
    #[schema(value_type = schemas::AssignmentReason)]
    pub(crate) reason: &'static str,
    /// True when the visitor takes part and is counted.
    pub(crate) in_experiment: bool,
    /// Reason why the script does nothing on this page, whatever was decided; null if the experiment runs there.
    #[schema(required)]
    pub(crate) elsewhere: Option<String>,
    /// All checks, in the order in which they are made.
    pub(crate) steps: Vec<super::ExplanationStep>,
}
