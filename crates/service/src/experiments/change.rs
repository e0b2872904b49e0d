//! A change of one experiment: open under lock, decide, check the precondition, save, write
//! history, announce; once that is committed, invalidate lists and deliver rulesets.

use super::NOT_FOUND;
use super::history::Walk;
use crate::actor::Actor;
use crate::app::App;
use crate::audit::{Act as AuditAct, object};
use crate::error::{ConflictCode, Error, Result};
use crate::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_assign::Delivered;
use muriel_domain::Instant;
use muriel_domain::experiment::{ApprovalRules, Experiment, Revision, Serving};
use muriel_domain::ids::ExperimentId;
use muriel_sql::Tx;
use muriel_store::experiments::{self, Act, LoadedExperiment};
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, lock, plan_locks};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Which versions of an experiment, a goal or a hypothesis may be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Any version.
    None,
    /// One of these. An empty list fits nothing.
    OneOf(Vec<String>),
}

impl Precondition {
    /// # Errors
    /// `PreconditionFailed` for another version.
    pub fn check(&self, version: &str) -> Result<()> {
        match self {
            Precondition::OneOf(versions) if !versions.iter().any(|one| one == version) => {
                Err(Error::PreconditionFailed)
            }
            _ => Ok(()),
        }
    }
}

/// An experiment to change: whose it is and which versions may be changed.
#[derive(Debug, Clone)]
pub struct Target {
    /// The project.
    pub project: Arc<Project>,
    /// The experiment.
    pub id: ExperimentId,
    /// The versions that may be changed.
    pub precondition: Precondition,
}

/// An experiment that was changed, or was as it should be already.
#[derive(Debug, Clone)]
pub struct Changed {
    /// What it was.
    pub before: Experiment,
    /// What it is.
    pub after: Experiment,
    /// The version that it has now.
    pub version: String,
    /// Whether visitors meet something else now.
    delivery_changed: bool,
}

/// A change under way.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) target: Target,
    pub(crate) now: Instant,
    pub(crate) actor: Actor,
    action: &'static str,
    /// Why the clock acts, for history.
    detail: Option<serde_json::Value>,
    /// What the audit log keeps besides the fields that changed.
    told: Map<String, Value>,
    approval: Approval,
}

/// What the project may ask a second person for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Approval {
    /// Nothing: a second person approves it with this act, or the clock does what was approved.
    Given,
    /// Whatever its rules say.
    Rules,
    /// What visitors have not met before: a decision about results.
    Decision,
}

impl Change {
    /// A change called `action` in history. Unless it [is approved](Self::approved), it is refused where the project asks for a
    /// second person for what it does to visitors and the clock.
    pub(crate) fn new(app: &App, actor: &Actor, target: Target, action: &'static str) -> Self {
        Self {
            target,
            now: app.clock.now(),
            actor: actor.clone(),
            action,
            detail: None,
            told: Map::new(),
            approval: match actor {
                Actor::System(_) => Approval::Given,
                Actor::Key(_) | Actor::Person(_) => Approval::Rules,
            },
        }
    }

    /// The change with what history keeps about it.
    pub(crate) fn with_detail(self, detail: Option<serde_json::Value>) -> Self {
        Self { detail, ..self }
    }

    /// The change with what the audit log keeps besides the fields that changed.
    pub(crate) fn with_told(self, told: Map<String, Value>) -> Self {
        Self { told, ..self }
    }

    /// The change, which somebody else has proposed and the actor approves.
    pub(crate) fn approved(self) -> Self {
        Self { approval: Approval::Given, ..self }
    }

    /// The change as a decision about results, which the team makes as long as visitors get what they met before.
    pub(crate) fn deciding(self) -> Self {
        match self.approval {
            Approval::Given => self,
            Approval::Rules | Approval::Decision => Self { approval: Approval::Decision, ..self },
        }
    }

    /// What a second person has to approve in the project.
    pub(crate) async fn rules(&self, tx: &mut dyn Tx) -> Result<ApprovalRules> {
        Ok(tenants::approval_rules(tx, self.target.project.id).await?)
    }

    /// Fails if the project asks for a second person for this change.
    pub(crate) async fn approval(&self, tx: &mut dyn Tx, before: &Experiment, after: &Experiment) -> Result<()> {
        if self.approval == Approval::Given {
            return Ok(());
        }
        let rules = self.rules(tx).await?;
        let (is_asked, way) = match self.approval {
            Approval::Decision if rules.code || rules.live => {
                let is_met = was_met(tx, before).await?;
                let way = "visitors have not met what it would serve, so propose its start, status 1,";
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

    /// The experiment, locked until this transaction ends.
    pub(crate) async fn open(&self, tx: &mut dyn Tx) -> Result<LoadedExperiment> {
        lock(tx, self.target.project.id, Intent::ChangeExperiment(self.target.id)).await?;
        experiments::find(tx, self.target.project.id, self.target.id).await?.ok_or(NOT_FOUND)
    }

    /// The decision about it. The precondition is checked after the input and before the
    /// present state: invalid input is reported first, conflicts and what is not there yet last.
    pub(crate) fn decided<T>(&self, before: &LoadedExperiment, decision: Result<T>) -> Result<T> {
        if matches!(decision, Ok(_) | Err(Error::Conflict { .. } | Error::NotYet { .. } | Error::Unavailable { .. })) {
            self.target.precondition.check(&before.version())?;
        }
        decision
    }

    /// Stores what became of it, with its history, and announces what has to be delivered.
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
        let mut told = self.told.clone();
        told.extend(locked(tx, &revision).await?);
        let both = (&before.experiment, &revision.experiment);
        audit_change(tx, &self.actor, self.now, self.action, both, told).await?;
        let version = match relinked {
            // The version covers the hypothesis and the goal that are linked now.
            true => experiments::find(tx, project, self.target.id).await?.ok_or(NOT_FOUND)?.version(),
            false => before.version_of(revision.experiment.revision),
        };
        Ok(Changed { before: before.experiment, after: revision.experiment, version, delivery_changed })
    }

    /// The whole change in its transaction, which `decide` decides; delivered when this returns.
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

    /// As [`Change::apply`], for a request that may be sent again: the response that `render`
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

/// What visitors get of an experiment: the whole of it, so that nothing that is delivered can be forgotten here.
fn delivered(experiment: &Experiment) -> Option<Delivered> {
    experiment.is_delivered().then(|| Delivered::of(experiment))
}

/// How many changes are looked through for what visitors met last, while the database is locked. Before that it counts as
/// forgotten, and a second person is asked.
const MET_CHANGES_MAX: usize = 200;

/// Whether visitors met the experiment as it is, last: with the same arms, for the same visitors.
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

/// What the audit log keeps of the plan that the first start locked: its hash, so that a plan which somebody changes in the
/// database later is known by it. Nothing for other changes.
pub(crate) async fn locked(tx: &mut dyn Tx, revision: &Revision) -> Result<Option<(String, Value)>> {
    if revision.epoch.as_ref().is_none_or(|epoch| epoch.number != 1) {
        return Ok(None);
    }
    let lock = plan_locks::find(tx, revision.experiment.id).await?;
    Ok(lock.map(|lock| ("plan_hash".to_owned(), lock.hash.into())))
}

/// Records a change of an experiment in the audit log: the fields that changed, and what is `told` besides.
pub(crate) async fn audit_change(
    tx: &mut dyn Tx,
    actor: &Actor,
    now: Instant,
    action: &str,
    (before, after): (&Experiment, &Experiment),
    told: Map<String, Value>,
) -> Result<()> {
    let act = AuditAct { actor, company: after.company_id, project: Some(after.project_id), now };
    let mut fields = after.fields_unlike(before);
    fields.extend(told);
    let before = before.fields_unlike(after);
    act.record(tx, action, object("experiment", after.id, &after.name), Some(before), Some(fields)).await
}

impl Changed {
    /// Delivers what was saved, before it is answered.
    pub(crate) async fn deliver(&self, app: &App, project: &Arc<Project>) {
        if self.delivery_changed {
            app.rulesets.refresh(project).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preconditions() {
        let one_of = |versions: &[&str]| Precondition::OneOf(versions.iter().map(|one| (*one).to_owned()).collect());
        for (precondition, holds) in [
            (Precondition::None, true),
            (one_of(&["1-0"]), true),
            (one_of(&["2", "1-0"]), true),
            (one_of(&["2"]), false),
            (one_of(&[]), false),
        ] {
            assert_eq!(precondition.check("1-0").is_ok(), holds, "{precondition:?}");
        }
    }
}
