//! Changes that wait for a second person.

use super::{ActorView, FieldChange};
use crate::error::ApiError;
use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_service::actors::Names;
use muriel_store::proposals;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The proposals of an experiment.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalList {
    /// Always true.
    pub(crate) success: bool,
    /// Newest first.
    pub(crate) proposals: Vec<Proposal>,
    /// What to pass as `cursor` for the next page; null on the last one.
    #[schema(required)]
    pub(crate) next_cursor: Option<String>,
}

/// A proposed change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proposal {
    /// Identifies it.
    pub(crate) proposal_id: i64,
    /// The experiment.
    pub(crate) test_id: i64,
    /// What became of it.
    #[schema(value_type = schemas::ProposalState)]
    pub(crate) state: &'static str,
    /// Why it is proposed; may be empty.
    pub(crate) note: String,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) proposed_at: Instant,
    /// By whom, who cannot approve it.
    pub(crate) proposed_by: ActorView,
    /// The body that was sent, without the note: fields as an update takes them, or the status to have.
    #[schema(value_type = Object)]
    pub(crate) body: Value,
    /// How its fields are applied: `application/json` or `application/merge-patch+json`.
    pub(crate) content_type: &'static str,
    /// The revision of the experiment for which it was made.
    pub(crate) base_revision: i64,
    /// What it would change now; empty once it is decided.
    pub(crate) changes: Vec<FieldChange>,
    /// What else has changed since it was made. Where this is not empty it cannot be approved: propose it again.
    pub(crate) changed_since: Vec<FieldChange>,
    /// When it was decided; null while it is open.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) decided_at: Option<Instant>,
    /// By whom.
    #[schema(required)]
    pub(crate) decided_by: Option<ActorView>,
    /// What the one who decided says; may be empty.
    pub(crate) reason: String,
}

/// A change was proposed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) proposal_id: i64,
    /// The experiment.
    pub(crate) test_id: i64,
    /// Whether the project asks for a second person for it; if not, it can be made at once too.
    pub(crate) needs_approval: bool,
}

/// A proposal was decided.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalDecided {
    /// Always true.
    pub(crate) success: bool,
    /// Its id.
    pub(crate) proposal_id: i64,
    /// The experiment.
    pub(crate) test_id: i64,
    /// What became of it.
    #[schema(value_type = schemas::ProposalState)]
    pub(crate) state: &'static str,
}

impl Proposal {
    /// The proposal, with what it would change and what has changed since.
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
