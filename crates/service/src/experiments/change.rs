//! A change of one experiment: lock and load, decide, check the precondition, save, write
//! history, announce; after the commit, invalidate lists and deliver rulesets.

use super::NOT_FOUND;
use super::history::Walk;
use crate::app::App;
use crate::experiment_audit::audit_change;
use muriel_assign::Delivered;
use muriel_context::Precondition;
use muriel_context::actor::Actor;
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::Instant;
use muriel_domain::experiment::{ApprovalRules, Experiment, Revision, Serving};
use muriel_domain::ids::ExperimentId;
use muriel_sql::Tx;
use muriel_store::experiments::{self, Act, LoadedExperiment};
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, lock, plan_locks};
use serde_json::{Map, Value};
use std::sync::Arc;

/// An experiment to change: its project, and the versions that may be changed.
#[derive(Debug, Clone)]
pub struct Target {
    /// The project.
    pub project: Arc<Project>,
    /// The experiment.
    pub id: ExperimentId,
    /// The versions that may be changed.
    pub precondition: Precondition,
}

/// The result of a change. `before` and `after` are equal when nothing had to change.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The experiment before the change.
    pub before: Experiment,
    /// The experiment after the change.
    pub after: Experiment,
    /// The version after the change.
    pub version: String,
    /// True when visitors get something different now.
    delivery_changed: bool,
}

/// A change in progress.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) target: Target,
    pub(crate) now: Instant,
    pub(crate) actor: Actor,
    action: &'static str,
    /// Details for history, such as why a scheduled job acts.
    detail: Option<serde_json::Value>,
    /// Additional fields for the audit log, besides the changed ones.
    audit_fields: Map<String, Value>,
    approval: Approval,
}

/// Scope of the approval by a second person that the project may require.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Approval {
    /// Nothing: a second person approves it with this act, or a scheduled job performs what was approved.
    Given,
    /// Everything that the project's rules name.
    Rules,
    /// Only what visitors have not seen before: the act is a decision about results.
    Decision,
}

impl Change {
    /// Creates a change called `action` in history. Unless it [is approved](Self::approved), it is
    /// refused where the project requires a second person to approve its effect on visitors or on
    /// scheduled jobs.
    pub(crate) fn new(app: &App, actor: &Actor, target: Target, action: &'static str) -> Self {
        Self {
            target,
            now: app.clock.now(),
            actor: actor.clone(),
            action,
            detail: None,
            audit_fields: Map::new(),
            approval: match actor {
                Actor::System(_) => Approval::Given,
                Actor::Key(_) | Actor::Person(_) => Approval::Rules,
            },
        }
    }

    /// Adds details for history.
    pub(crate) fn with_detail(self, detail: Option<serde_json::Value>) -> Self {
        Self { detail, ..self }
    }

    /// Adds fields for the audit log, besides the changed ones.
    pub(crate) fn with_audit_fields(self, audit_fields: Map<String, Value>) -> Self {
        Self { audit_fields, ..self }
    }

    /// Marks the change as approved: somebody else proposed it, and the actor approves it.
    pub(crate) fn approved(self) -> Self {
        Self { approval: Approval::Given, ..self }
    }

    /// Marks the change as a decision about results, which needs no approval as long as visitors get
    /// what they saw before.
    pub(crate) fn deciding(self) -> Self {
        match self.approval {
            Approval::Given => self,
            Approval::Rules | Approval::Decision => Self { approval: Approval::Decision, ..self },
        }
    }

    /// The project's rules about approval by a second person.
    pub(crate) async fn rules(&self, tx: &mut dyn Tx) -> Result<ApprovalRules> {
        Ok(tenants::approval_rules(tx, self.target.project.id).await?)
    }

    /// Checks that the project does not require a second person to approve this change.
    pub(crate) async fn approval(&self, tx: &mut dyn Tx, before: &Experiment, after: &Experiment) -> Result<()> {
        if self.approval == Approval::Given {
            return Ok(());
        }
        let rules = self.rules(tx).await?;
        let (is_asked, way) = match self.approval {
            Approval::Decision if rules.code || rules.live => {
                let is_met = was_met(tx, before).await?;
                let way = "visitors have not seen what it would serve, so propose its start, status 1,";
                (rules.apply_to_decision(before, after, is_met), way)
            }
            _ => (rules.apply_to(Some(before), after), "propose it"),
        };
        if !is_asked {
            return Ok(());
        }
        Err(Error::conflict(
            ConflictCode::ApprovalNeeded,
            format!("a second person has to approve this: {way} with POST /experiment/{}/proposals", self.target.id),
        ))
    }

    /// Loads the experiment, and locks it until this transaction ends.
    pub(crate) async fn open(&self, tx: &mut dyn Tx) -> Result<LoadedExperiment> {
        lock(tx, self.target.project.id, Intent::ChangeExperiment(self.target.id)).await?;
        experiments::find(tx, self.target.project.id, self.target.id).await?.ok_or(NOT_FOUND)
    }

    /// Checks the precondition and returns the decision. The precondition is checked after the input and before the
    /// current state, so that invalid input is reported first, and conflicts and unavailable results last.
    pub(crate) fn decided<T>(&self, before: &LoadedExperiment, decision: Result<T>) -> Result<T> {
        if matches!(decision, Ok(_) | Err(Error::Conflict { .. } | Error::NotYet { .. } | Error::Unavailable { .. })) {
            self.target.precondition.check(&before.version())?;
        }
        decision
    }

    /// Stores the changed experiment with its history, and announces a changed delivery to other nodes.
    pub(crate) async fn save(&self, tx: &mut dyn Tx, before: LoadedExperiment, after: Experiment) -> Result<Changed> {
        let project = self.target.project.id;
        let Some(revision) = Revision::between(&before.experiment, after, self.now) else {
            let version = before.version();
            let after = before.experiment.clone();
            return Ok(Changed { before: before.experiment, after, version, delivery_changed: false });
        };
        let by = self.actor.reference();
        let act = Act { actor: self.actor.name(), by: &by, action: self.action, detail: self.detail.clone() };
        experiments::update(tx, &before.experiment, &revision, &act).await?;
        let delivery_changed = delivered(&before.experiment) != delivered(&revision.experiment);
        if delivery_changed {
            delivery::announce(tx, project).await?;
        }
        let relinked = before.experiment.hypothesis_id != revision.experiment.hypothesis_id
            || before.experiment.primary_goal != revision.experiment.primary_goal;
        let mut audit_fields = self.audit_fields.clone();
        audit_fields.extend(locked(tx, &revision).await?);
        let both = (&before.experiment, &revision.experiment);
        audit_change(tx, &self.actor, self.now, self.action, both, audit_fields).await?;
        let version = match relinked {
            // The version also covers the hypothesis and the goal that are linked now.
            true => experiments::find(tx, project, self.target.id).await?.ok_or(NOT_FOUND)?.version(),
            false => before.version_of(revision.experiment.revision),
        };
        Ok(Changed { before: before.experiment, after: revision.experiment, version, delivery_changed })
    }

    /// Runs the whole change in one transaction, as `decide` decides. The result is delivered when this returns.
    pub(crate) async fn apply(
        self,
        app: &App,
        decide: impl FnOnce(&LoadedExperiment, Instant) -> Result<Experiment> + Send + 'static,
    ) -> Result<Changed> {
        let project = self.target.project.clone();
        let changed = app
            .write(project.company_id, move |tx| {
                Box::pin(async move {
                    let before = self.open(tx).await?;
                    let after = self.decided(&before, decide(&before, self.now))?;
                    self.approval(tx, &before.experiment, &after).await?;
                    self.save(tx, before, after).await
                })
            })
            .await?;
        changed.deliver(app, &project).await;
        Ok(changed)
    }

    /// Like [`Change::apply`], for a request that may be sent again: the response that `render`
    /// makes is stored with the change, and a repeated request gets it without another change.
    pub(crate) async fn apply_once(
        self,
        app: &App,
        key: Result<Option<IdempotencyKey>>,
        decide: impl FnOnce(&LoadedExperiment, Instant) -> Result<Experiment> + Send + 'static,
        render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
    ) -> Result<StoredResponse> {
        let project = self.target.project.clone();
        let (response, changed) = app
            .write(project.company_id, move |tx| {
                Box::pin(async move {
                    let before = self.open(tx).await?;
                    let key = key?;
                    if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                        return Ok((stored, None));
                    }
                    let after = self.decided(&before, decide(&before, self.now))?;
                    self.approval(tx, &before.experiment, &after).await?;
                    let changed = self.save(tx, before, after).await?;
                    let response = idempotency::store(tx, key.as_ref(), render(&changed)?).await?;
                    Ok((response, Some(changed)))
                })
            })
            .await?;
        if let Some(changed) = changed {
            changed.deliver(app, &project).await;
        }
        Ok(response)
    }
}

/// The delivered form of an experiment. All of it is compared, so that a delivered field cannot be forgotten here.
fn delivered(experiment: &Experiment) -> Option<Delivered> {
    experiment.is_delivered().then(|| Delivered::of(experiment))
}

/// Maximum number of past changes that are searched for what visitors last saw: the database is locked meanwhile.
/// Beyond that it counts as unknown, and a second person has to approve.
const MET_CHANGES_MAX: usize = 200;

/// Returns whether the last delivered version had the same arms for the same visitors as the present one.
async fn was_met(tx: &mut dyn Tx, present: &Experiment) -> Result<bool> {
    let shown = |experiment: &Experiment| Delivered {
        live: true,
        epoch: 0,
        serving: None,
        name: None,
        tools: Vec::new(),
        ..Delivered::of(experiment)
    };
    if present.is_delivered() {
        return Ok(true);
    }
    if present.epoch == 0 && present.serving == Serving::Never {
        return Ok(false);
    }
    let mut walk = Walk::from(present.clone());
    for _ in 0..MET_CHANGES_MAX {
        let Some(step) = walk.next(tx).await? else { break };
        if step.before.is_delivered() {
            return Ok(shown(&step.before) == shown(present));
        }
    }
    Ok(false)
}

/// Audit log entry for the plan that the first start locked: its hash, which reveals a later change of
/// the plan in the database. `None` for other changes.
pub(crate) async fn locked(tx: &mut dyn Tx, revision: &Revision) -> Result<Option<(String, Value)>> {
    if revision.epoch.as_ref().is_none_or(|epoch| epoch.number != 1) {
        return Ok(None);
    }
    let lock = plan_locks::find(tx, revision.experiment.id).await?;
    Ok(lock.map(|lock| ("plan_hash".to_owned(), lock.hash.into())))
}

impl Changed {
    /// Delivers the saved change before the request is answered.
    pub(crate) async fn deliver(&self, app: &App, project: &Arc<Project>) {
        if self.delivery_changed {
            app.rulesets.refresh(project).await;
        }
    }
}
