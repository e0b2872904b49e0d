//! Changes of experiments that wait for a second person.

use crate::app::App;
use crate::experiments::{self, Change, Proposed, StatusChange, Target};
use crate::inbox::deciders;
use muriel_context::Precondition;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::experiment::{Experiment, Revision};
use muriel_domain::ids::{ExperimentId, PersonId, ProjectId, ProposalId};
use muriel_domain::inbox::{Notice, excerpt};
use muriel_domain::{Instant, Problems};
use muriel_sql::Tx;
use muriel_store::audit::ObjectRecord;
use muriel_store::comments::Subject;
use muriel_store::inbox::NewEntry;
use muriel_store::people::of_reference;
use muriel_store::proposals::{self, Proposal, ProposalState};
use muriel_store::tenants::Project;
use muriel_store::{Intent, inbox, keys, lock};
use serde_json::json;
use std::sync::Arc;

const NOT_FOUND: Error = Error::NotFound("proposal");

/// Most open proposals of one experiment.
const OPEN_MAX: i64 = 100;
/// Maximum length of a note, and of the reason of a decision, in characters.
pub const TEXT_MAX: usize = 10_000;

/// A proposal to create.
#[derive(Debug, Clone)]
pub struct NewProposal {
    /// The proposed change.
    pub proposed: Proposed,
    /// The proposed change as a JSON body.
    pub body: String,
    /// True when objects in the body are merged with the existing ones.
    pub merges: bool,
    /// Note for the person who decides.
    pub note: String,
}

/// A proposal that was created.
#[derive(Debug, Clone, Copy)]
pub struct Made {
    /// Proposal id.
    pub id: ProposalId,
    /// True when the project requires a second person to approve the change.
    pub needs_approval: bool,
}

/// Proposes a change. `render` makes the response.
///
/// # Errors
/// `NotFound`; then a `new` that could not be read, is not valid or changes nothing; `MissingScope` for
/// a change of code without the scope `code`; `PreconditionFailed`; conflicts of the change; and when
/// the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    new: Result<NewProposal>,
    render: impl FnOnce(Made) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let change = Change::new(app, actor, target, "propose");
    let (project, id, node) = (change.target.project.clone(), change.target.id, app.node_id());
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            let before = change.open(tx).await?;
            let (new, key) = (new?, key?);
            if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                return Ok(stored);
            }
            let after = match new.proposed {
                Proposed::Edit(edit) => experiments::decide(tx, &change, &before, Ok(*edit), node.as_deref()).await?.0,
                Proposed::Status(status) => change.decided(&before, moved(&before.experiment, status, &change))?,
                Proposed::Plan(reason) => experiments::confirmed(tx, &change, &before, reason).await?,
            };
            if Revision::between(&before.experiment, after.clone(), change.now).is_none() {
                return Err(Problems::one("body", "changes nothing; the experiment already has these values").into());
            }
            if proposals::open_count(tx, id).await? >= OPEN_MAX {
                let full = format!(
                    "cannot be accepted: the experiment already has {OPEN_MAX} open proposals; decide one first"
                );
                return Err(Problems::one("body", full).into());
            }
            let needs_approval = change.rules(tx).await?.apply_to(Some(&before.experiment), &after);
            let with_code = before.experiment.changes_code(&after);
            let proposal = Proposal {
                id: ProposalId(0),
                experiment: id,
                base_revision: before.experiment.revision,
                body: new.body,
                merges: new.merges,
                note: new.note,
                proposed_at: change.now,
                proposed_by: change.actor.reference(),
                state: ProposalState::Open,
                decided_at: None,
                decided_by: None,
                reason: String::new(),
            };
            let audit_value = json!({ "note": proposal.note, "body": proposal.body });
            let (by, note) = (proposal.proposed_by.clone(), proposal.note.clone());
            let id = proposals::insert(tx, change.target.project.id, proposal).await?;
            let to = deciders(tx, change.target.project.id, before.experiment.id, with_code).await?;
            let about = About {
                experiment: (before.experiment.id, &before.experiment.name),
                proposal: id,
                by: &by,
                at: change.now,
            };
            about
                .notify(
                    tx,
                    change.target.project.id,
                    &to,
                    (Notice::Proposed, "a change was proposed that you may approve or reject"),
                    &note,
                )
                .await?;
            let response = idempotency::store(tx, key.as_ref(), render(Made { id, needs_approval })?).await?;
            let act = Act::within(&change.actor, &change.target.project, change.now);
            act.made(tx, "propose", of(id, &before.experiment.name), audit_value).await?;
            Ok(response)
        })
    })
    .await
}

fn moved(before: &Experiment, status: StatusChange, change: &Change) -> Result<Experiment> {
    match status.started_at {
        None => Ok(before.moved(status.to, change.now)?),
        Some(_) => Err(Problems::one("started_at", "cannot be proposed; send it when you set the status").into()),
    }
}

/// A page of proposals.
#[derive(Debug)]
pub struct ProposalPage {
    /// The proposals, newest first.
    pub proposals: Vec<Proposal>,
    /// True when a further page exists.
    pub has_more: bool,
    /// Display names of the authors and of those who decided.
    pub names: Names,
}

/// Returns the proposals before the one with the id `before`, newest first.
///
/// # Errors
/// `NotFound` for an unknown experiment, and when the database cannot be reached.
pub async fn page(
    app: &App,
    project: ProjectId,
    experiment: Option<ExperimentId>,
    state: Option<ProposalState>,
    before: Option<i64>,
    limit: usize,
) -> Result<ProposalPage> {
    app.read(move |tx| {
        Box::pin(async move {
            if let Some(id) = experiment
                && muriel_store::experiments::shape(tx, project, id).await?.is_none()
            {
                return Err(Error::NotFound("experiment"));
            }
            let one_more = i64::try_from(limit).unwrap_or(0) + 1;
            let before = before.unwrap_or(i64::MAX);
            let mut proposals = proposals::page(tx, project, experiment, state, before, one_more).await?;
            let has_more = proposals.len() > limit;
            proposals.truncate(limit);
            let mut actors: Vec<&str> = proposals.iter().map(|one| one.proposed_by.as_str()).collect();
            actors.extend(proposals.iter().filter_map(|one| one.decided_by.as_deref()));
            let names = Names::of(tx, actors).await?;
            Ok(ProposalPage { proposals, has_more, names })
        })
    })
    .await
}

/// Returns a proposal.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn find(app: &App, project: ProjectId, id: ProposalId) -> Result<Proposal> {
    let found = app.read(move |tx| Box::pin(async move { Ok(proposals::find(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)
}

/// Approves a proposal and makes its change, `proposed`.
///
/// # Errors
/// `NotFound`; then a `reason` that could not be read; a proposal that was decided, is the actor's own,
/// or whose experiment has changed since; conflicts of the change; `MissingScope` for a change of code
/// without the scope `code`; and when the database cannot be reached.
pub async fn approve(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    proposal: Proposal,
    proposed: Proposed,
    (key, reason): (Result<Option<IdempotencyKey>>, Result<String>),
    render: impl FnOnce() -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let target = Target { project: project.clone(), id: proposal.experiment, precondition: Precondition::None };
    let detail = json!({ "proposal_id": proposal.id.0, "proposed_by": proposal.proposed_by });
    let (change, node) =
        (Change::new(app, actor, target, "approve").with_detail(Some(detail)).approved(), app.node_id());
    experiments::prepare(app, actor, &proposed).await;
    let planned = match &proposed {
        Proposed::Status(status) => experiments::plan_for(app, &change, status.to).await,
        Proposed::Edit(_) | Proposed::Plan(_) => None,
    };
    let id = proposal.id;
    let (response, changed) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let (reason, key) = (reason?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, None));
                }
                let present = proposals::find(tx, change.target.project.id, id).await?.ok_or(NOT_FOUND)?;
                decidable(tx, &present, &change.actor).await?;
                if present.base_revision != before.experiment.revision {
                    return Err(outdated(&present, before.experiment.revision));
                }
                let after = match proposed {
                    Proposed::Edit(edit) => {
                        experiments::decide(tx, &change, &before, Ok(*edit), node.as_deref()).await?.0
                    }
                    Proposed::Status(status) => {
                        let moved = change.decided(&before, moved(&before.experiment, status, &change))?;
                        experiments::planned(moved, planned, &before)
                    }
                    Proposed::Plan(reason) => experiments::confirmed(tx, &change, &before, reason).await?,
                };
                let by = change.actor.reference();
                if !proposals::decide(tx, id, ProposalState::Approved, change.now, &by, &reason).await? {
                    return Err(decided_before());
                }
                let about = About {
                    experiment: (before.experiment.id, &before.experiment.name),
                    proposal: id,
                    by: &by,
                    at: change.now,
                };
                let said = (Notice::Approved, "your proposal was approved");
                about.settle(tx, change.target.project.id, &present, said, &reason).await?;
                let changed = change.save(tx, before, after).await?;
                let response = idempotency::store(tx, key.as_ref(), render()?).await?;
                Ok((response, Some(changed)))
            })
        })
        .await?;
    if let Some(changed) = changed {
        changed.deliver(app, project).await;
    }
    Ok(response)
}

/// Rejects a proposal, or withdraws it; the experiment is not changed.
///
/// # Errors
/// `NotFound`; then a `reason` that could not be read; a proposal that was decided; rejecting one's
/// own, or withdrawing another person's; and when the database cannot be reached.
pub async fn close(
    app: &App,
    actor: &Actor,
    project: &Project,
    id: ProposalId,
    state: ProposalState,
    (key, reason): (Result<Option<IdempotencyKey>>, Result<String>),
    render: impl FnOnce(&Proposal) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (of_project, project_id, now, actor) = (project.clone(), project.id, app.clock.now(), actor.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let found = proposals::find(tx, project_id, id).await?.ok_or(NOT_FOUND)?;
                let (reason, key) = (reason?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                lock(tx, project_id, Intent::ChangeExperiment(found.experiment)).await?;
                let found = proposals::find(tx, project_id, id).await?.ok_or(NOT_FOUND)?;
                let by = actor.reference();
                match state {
                    ProposalState::Withdrawn if found.state == ProposalState::Open && found.proposed_by != by => {
                        return Err(Error::conflict(
                            ConflictCode::OwnProposal,
                            "only the author of a proposal can withdraw it; reject it instead",
                        ));
                    }
                    ProposalState::Withdrawn if found.state == ProposalState::Open => {}
                    _ => decidable(tx, &found, &actor).await?,
                }
                if !proposals::decide(tx, id, state, now, &by, &reason).await? {
                    return Err(decided_before());
                }
                let name = muriel_store::experiments::name(tx, project_id, found.experiment).await?.unwrap_or_default();
                let about = About { experiment: (found.experiment, &name), proposal: id, by: &by, at: now };
                // A withdrawn proposal notifies nobody, because its author is the actor.
                let said = (Notice::Rejected, "your proposal was rejected");
                about.settle(tx, project_id, &found, said, &reason).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&found)?).await?;
                let (was, is) =
                    (json!({ "state": found.state.word() }), json!({ "state": state.word(), "reason": reason }));
                let action = if state == ProposalState::Withdrawn { "withdraw" } else { "reject" };
                let act = Act::within(&actor, &of_project, now);
                act.changed(tx, action, of(id, &name), was, is).await?;
                Ok(response)
            })
        })
        .await
}

/// A proposal that people are notified of.
struct About<'a> {
    experiment: (ExperimentId, &'a str),
    proposal: ProposalId,
    by: &'a str,
    at: Instant,
}

impl About<'_> {
    async fn notify(
        &self,
        tx: &mut dyn Tx,
        project: ProjectId,
        to: &[PersonId],
        (notice, sentence): (Notice, &str),
        written: &str,
    ) -> Result<()> {
        let (id, name) = self.experiment;
        let entry = NewEntry {
            project,
            subject: Subject::Experiment(id),
            name,
            notice,
            at: self.at,
            by: self.by,
            sentence,
            excerpt: Some(excerpt(written)).filter(|text| !text.is_empty()),
            comment: None,
            proposal: Some(self.proposal),
        };
        Ok(inbox::notify(tx, to, &entry).await?)
    }

    /// Marks the requests for a decision as read, and notifies the author of the outcome.
    async fn settle(
        &self,
        tx: &mut dyn Tx,
        project: ProjectId,
        proposal: &Proposal,
        said: (Notice, &str),
        reason: &str,
    ) -> Result<()> {
        inbox::settle(tx, self.proposal).await?;
        let author = of_reference(&proposal.proposed_by);
        self.notify(tx, project, author.as_slice(), said, reason).await
    }
}

/// The audit log's reference to a proposal, by the name of its experiment.
fn of(id: ProposalId, experiment: &str) -> ObjectRecord {
    object("proposal", id, experiment)
}

/// Checks that the actor may decide the proposal: it is open, and not the actor's own. A key acts for
/// the person who made it.
async fn decidable(tx: &mut dyn Tx, proposal: &Proposal, actor: &Actor) -> Result<()> {
    if proposal.state != ProposalState::Open {
        return Err(decided_before());
    }
    let author = match of_reference(&proposal.proposed_by) {
        Some(person) => Some(person),
        None => keys::find(tx, &proposal.proposed_by).await?.and_then(|key| key.created_by),
    };
    if proposal.proposed_by == actor.reference() || author.is_some() && author == actor.maker() {
        return Err(Error::conflict(
            ConflictCode::OwnProposal,
            "you cannot decide your own proposal; ask somebody else, or withdraw it",
        ));
    }
    Ok(())
}

fn decided_before() -> Error {
    Error::conflict(ConflictCode::ProposalDecided, "the proposal is already decided")
}

fn outdated(proposal: &Proposal, revision: i64) -> Error {
    let (id, experiment, base) = (proposal.id, proposal.experiment, proposal.base_revision);
    Error::conflict(
        ConflictCode::ProposalOutdated,
        format!(
            "the proposal was made for revision {base} of the experiment, which has revision {revision} now; GET \
             /experiment/{experiment}/proposals shows both under proposal {id}, in changes and changed_since; propose it again"
        ),
    )
}
