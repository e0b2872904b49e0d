//! Proposals in responses.

use super::{ActorView, FieldChange};
use crate::error::ApiError;
use crate::wire::schemas;
use muriel_context::actors::Names;
use muriel_domain::Instant;
use muriel_store::proposals;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A page of proposals.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalList {
    /// Always true.
    pub(crate) success: bool,
    /// Newest first.
    pub(crate) proposals: Vec<Proposal>,
    /// Value to send as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A proposed change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proposal {
    /// Identifies the proposal.
    pub(crate) proposal_id: i64,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// State of the proposal.
    #[schema(value_type = schemas::ProposalState)]
    pub(crate) state: &'static str,
    /// Reason for the proposal; may be empty.
    pub(crate) note: String,
    /// Time of the proposal.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) proposed_at: Instant,
    /// Author, who cannot approve it.
    pub(crate) proposed_by: ActorView,
    /// Body as sent, without the note: fields of an update, or the new status.
    #[schema(value_type = Object)]
    pub(crate) body: Value,
    /// Media type of the body, which says how its fields are applied: `application/json` or
    /// `application/merge-patch+json`.
    pub(crate) content_type: &'static str,
    /// Revision of the experiment for which it was made.
    pub(crate) base_revision: i64,
    /// Fields that it would change now; empty once it is decided.
    pub(crate) changes: Vec<FieldChange>,
    /// Other fields that have changed since it was made. If there are any, it cannot be approved: propose it
    /// again.
    pub(crate) changed_since: Vec<FieldChange>,
    /// Time of the decision; null while it is open.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) decided_at: Option<Instant>,
    /// Person who decided; null while it is open.
    #[schema(required)]
    pub(crate) decided_by: Option<ActorView>,
    /// Reason for the decision; may be empty.
    pub(crate) reason: String,
}

/// A change was proposed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the proposal.
    pub(crate) proposal_id: i64,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// True when the project requires a second person's approval; otherwise the change can also be made
    /// directly.
    pub(crate) needs_approval: bool,
}

/// A proposal was decided.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalDecided {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the proposal.
    pub(crate) proposal_id: i64,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// State of the proposal.
    #[schema(value_type = schemas::ProposalState)]
    pub(crate) state: &'static str,
}

impl Proposal {
    /// Proposal with the fields that it would change and those that have changed since.
    ///
    /// # Errors
    /// A stored body that is not JSON.
    pub(crate) fn new(
        proposal: proposals::Proposal,
        changes: Vec<FieldChange>,
        changed_since: Vec<FieldChange>,
        names: &Names,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            proposal_id: proposal.id.0,
            test_id: proposal.experiment.0,
            state: proposal.state.word(),
            note: proposal.note,
            proposed_at: proposal.proposed_at,
            proposed_by: names.get(&proposal.proposed_by).into(),
            body: serde_json::from_str(&proposal.body).map_err(ApiError::internal)?,
            content_type: if proposal.merges { "application/merge-patch+json" } else { "application/json" },
            base_revision: proposal.base_revision,
            changes,
            changed_since,
            decided_at: proposal.decided_at,
            decided_by: proposal.decided_by.map(|actor| names.get(&actor).into()),
            reason: proposal.reason,
        })
    }
}
