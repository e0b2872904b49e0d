//! Proposals: changes that need the approval of a second person.

use super::experiments::{id_in, target};
use super::{Sent, idempotency_key, read_body, rendered, stored};
use crate::answer::json as answered;
use crate::auth::{Caller, PersonIn, Read, Write};
use crate::error::{ApiError, conflict_codes};
use crate::json as gate;
use crate::wire::fields::{Mode, from_body, parsed};
use crate::wire::query::Query;
use crate::wire::{proposal as wire, schemas, views};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use muriel_context::Actor;
use muriel_context::Precondition;
use muriel_context::error::ConflictCode::{
    Concluded, OwnProposal, ProposalDecided, ProposalOutdated, TransitionForbidden, VariantIsServed,
};
use muriel_context::idempotency::IdempotencyKey;
use muriel_domain::ids::{ExperimentId, ProposalId};
use muriel_domain::{Flaw, Problems, text};
use muriel_http::body::MediaType;
use muriel_service::App;
use muriel_service::experiments::{self, Proposed, Target};
use muriel_service::proposals::{self, Made};
use muriel_store::proposals::{Proposal, ProposalState};

const NOT_FOUND: ApiError = ApiError::NotFound("proposal");

fn proposal_id(path: &str) -> Result<ProposalId, ApiError> {
    ProposalId::parse(path).ok_or(NOT_FOUND)
}

/// Parses the stored body of a proposal.
fn proposed(proposal: &Proposal) -> Result<Proposed, ApiError> {
    let mode = if proposal.merges { Mode::Merge } else { Mode::Whole };
    Ok(wire::proposed(&gate::parse(proposal.body.as_bytes())?, mode)?)
}

async fn list(
    app: &App,
    caller: &Caller<Read>,
    experiment: Option<ExperimentId>,
    uri: &Uri,
) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["state", "limit", "cursor"]);
    let state = query.parsed("state", |word| {
        let found = ProposalState::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, state)| *state).ok_or(Flaw::new("must be open, approved, rejected or withdrawn"))
    });
    let limit = usize::try_from(query.limit(20, 100)).unwrap_or(1);
    let before = query.cursor(|text| ProposalId::parse(text).map(|id| id.0));
    query.finish()?;
    let found = proposals::page(app, caller.project.id, experiment, state, before, limit).await?;
    let next_cursor = found.proposals.last().filter(|_| found.has_more).map(|last| last.id.to_string());
    let mut shown = Vec::with_capacity(found.proposals.len());
    for proposal in found.proposals {
        let (changes, since) = match proposal.state {
            ProposalState::Open => compared(app, caller, &proposal).await?,
            _ => (Vec::new(), Vec::new()),
        };
        shown.push(views::Proposal::new(proposal, changes, since, &found.names)?);
    }
    answered(StatusCode::OK, &views::ProposalList { success: true, proposals: shown, next_cursor })
}

/// Fields that an open proposal would change now, and fields that have changed since it was made.
async fn compared(
    app: &App,
    caller: &Caller<Read>,
    proposal: &Proposal,
) -> Result<(Vec<views::FieldChange>, Vec<views::FieldChange>), ApiError> {
    let (project, id, key) = (&caller.project, proposal.experiment, &caller.project.key);
    let present = experiments::find(app, project.id, id).await?.experiment;
    let since = match present.revision == proposal.base_revision {
        true => Vec::new(),
        false => match experiments::state_at(app, project.id, id, proposal.base_revision).await? {
            Some(base) => views::compared(base, present.clone(), key),
            None => Vec::new(),
        },
    };
    let changes = match proposed(proposal)? {
        Proposed::Status(status) => {
            let after = present.moved(status.to, app.clock.now());
            after.map_or_else(|_| Vec::new(), |after| views::compared(present.clone(), after, key))
        }
        // Confirming a plan does not change fields.
        Proposed::Plan(_) => Vec::new(),
        Proposed::Edit(edit) => {
            let target = Target { project: project.clone(), id, precondition: Precondition::None };
            // Compared as the system, because readers need not have the scope for the change itself.
            match experiments::preview(app, &Actor::System("proposals"), target, Ok(*edit)).await {
                Ok(previewed) => views::compared(previewed.before.experiment, previewed.after, key),
                // The change is not possible any more: for example, a goal that it names was deleted.
                Err(muriel_context::Error::Invalid(_) | muriel_context::Error::Conflict { .. }) => Vec::new(),
                Err(error) => return Err(error.into()),
            }
        }
    };
    Ok((changes, since))
}

/// Parses the reason of a decision, and the idempotency key.
async fn decision(
    app: &App,
    caller: &Caller<Write>,
    operation: String,
    request: Request,
) -> (Result<Option<IdempotencyKey>, muriel_context::Error>, Result<String, muriel_context::Error>) {
    let headers: HeaderMap = request.headers().clone();
    match read_body(request, &[MediaType::Json]).await {
        Ok(sent) => {
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
            (key, reason(&sent).map_err(Into::into))
        }
        Err(error) => (Ok(None), Err(error.into())),
    }
}

fn reason(sent: &Sent) -> Result<String, Problems> {
    from_body(&sent.json, |fields| {
        fields.only(&["reason"], &[]);
        let reason = fields.read("reason", parsed(|said| text::at_most(said, proposals::TEXT_MAX)));
        Some(reason.unwrap_or_default())
    })
}

fn decided(id: ProposalId, experiment: ExperimentId, state: ProposalState) -> Result<String, muriel_context::Error> {
    rendered(&views::ProposalDecided { success: true, proposal_id: id.0, test_id: experiment.0, state: state.word() })
}

async fn close(
    app: &App,
    caller: &Caller<Write>,
    id: ProposalId,
    state: ProposalState,
    request: Request,
) -> Result<Response, ApiError> {
    let said = decision(app, caller, format!("proposal {id} {}", state.word()), request).await;
    let render = move |closed: &Proposal| decided(closed.id, closed.experiment, state);
    let response = proposals::close(app, &caller.actor, &caller.project, id, state, said, render).await?;
    Ok(stored(StatusCode::OK, response))
}

/// Lists the proposals of a project, newest first.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/proposals", tag = "Approval", operation_id = "listProposals",
    params(
        ("state" = inline(Option<String>), Query, description = "Only proposals in this state: `open`, `approved`, `rejected` or `withdrawn`."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 20 unless given, at most 100. Larger values count as 100."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::ProposalList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn proposal_list(
    State(app): State<App>,
    caller: Caller<Read>,
    uri: Uri,
) -> Result<Response, ApiError> {
    list(&app, &caller, None, &uri).await
}

/// Lists the proposals of an experiment, newest first.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/experiment/{test_id}/proposals", tag = "Approval", operation_id = "listExperimentProposals",
    params(
        ("state" = inline(Option<String>), Query, description = "Only proposals in this state: `open`, `approved`, `rejected` or `withdrawn`."),
        ("limit" = inline(Option<i64>), Query, minimum = 1, description = "Page size; 20 unless given, at most 100. Larger values count as 100."),
        ("cursor" = inline(Option<String>), Query, max_length = 512, description = "The `next_cursor` of the previous page."),
    ),
    responses((status = 200, description = "Newest first.", body = views::ProposalList)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn experiment_proposals(
    State(app): State<App>,
    caller: Caller<Read>,
    Path((_, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<Response, ApiError> {
    list(&app, &caller, Some(id_in(&id)?), &uri).await
}

/// Proposes a change for approval by a second person: the fields of an update or a status, with a reason.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/experiment/{test_id}/proposals", tag = "Approval", operation_id = "createProposal",
    request_body(
        content((schemas::ChangeProposal = "application/json"), (schemas::MergePatch = "application/merge-patch+json")),
        description = "As application/json, a field that is sent is replaced as a whole; as application/merge-patch+json, objects \
                       are merged (RFC 7396)."
    ),
    responses((status = 201, description = "The proposal is open.", body = views::ProposalCreated)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, Concluded, VariantIsServed]))),
        ("x-if-match" = json!("experiment")),
    )
)]
pub(crate) async fn proposal_create(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = id_in(&id)?;
    let (target, headers) = (target(&caller, id, request.headers()), request.headers().clone());
    let (key, new) = match read_body(request, &[MediaType::Json, MediaType::MergePatch]).await {
        Ok(sent) => {
            let operation = format!("experiment {id} proposal");
            let key = idempotency_key(&headers, caller.project.id, operation, &sent.bytes, app.clock.now());
            (key, wire::new_proposal(&sent.json, &sent.bytes, sent.mode()).map_err(Into::into))
        }
        Err(error) => (Ok(None), Err(error.into())),
    };
    let render = move |made: Made| {
        rendered(&views::ProposalCreated {
            success: true,
            proposal_id: made.id.0,
            test_id: id.0,
            needs_approval: made.needs_approval,
        })
    };
    Ok(stored(StatusCode::CREATED, proposals::create(&app, &caller.actor, target, key, new, render).await?))
}

/// Approves a proposal and makes its change. People cannot approve their own proposals, nor one whose experiment has
/// changed since.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/proposals/{proposal_id}/approve", tag = "Approval", operation_id = "approveProposal",
    request_body = schemas::DecisionBody,
    responses((status = 200, description = "The change was made.", body = views::ProposalDecided)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[TransitionForbidden, Concluded, VariantIsServed, ProposalDecided, ProposalOutdated, OwnProposal]))),
    )
)]
pub(crate) async fn proposal_approve(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let id = proposal_id(&id)?;
    let proposal = proposals::find(&app, caller.project.id, id).await?;
    let said = decision(&app, &caller, format!("proposal {id} approved"), request).await;
    let (what, experiment) = (proposed(&proposal)?, proposal.experiment);
    let render = move || decided(id, experiment, ProposalState::Approved);
    let response = proposals::approve(&app, &caller.actor, &caller.project, proposal, what, said, render).await?;
    Ok(stored(StatusCode::OK, response))
}

/// Rejects another person's proposal.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/proposals/{proposal_id}/reject", tag = "Approval", operation_id = "rejectProposal",
    request_body = schemas::DecisionBody,
    responses((status = 200, description = "Nothing was changed.", body = views::ProposalDecided)),
    extensions(
        ("x-scope" = json!("write")),
        ("x-callers" = json!("session")),
        ("x-conflicts" = json!(conflict_codes(&[ProposalDecided, OwnProposal]))),
    )
)]
pub(crate) async fn proposal_reject(
    State(app): State<App>,
    PersonIn(caller): PersonIn<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    close(&app, &caller, proposal_id(&id)?, ProposalState::Rejected, request).await
}

/// Withdraws the caller's own proposal.
#[utoipa::path(
    post, path = "/v2/project/{project_key}/proposals/{proposal_id}/withdraw", tag = "Approval", operation_id = "withdrawProposal",
    request_body = schemas::DecisionBody,
    responses((status = 200, description = "Nothing was changed.", body = views::ProposalDecided)),
    extensions(("x-scope" = json!("write")), ("x-conflicts" = json!(conflict_codes(&[ProposalDecided, OwnProposal]))))
)]
pub(crate) async fn proposal_withdraw(
    State(app): State<App>,
    caller: Caller<Write>,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    close(&app, &caller, proposal_id(&id)?, ProposalState::Withdrawn, request).await
}
