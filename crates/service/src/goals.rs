//! Goals of a project.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod activity;

pub(crate) use activity::matches;
pub use activity::{GoalActivity, activity};

use crate::app::App;
use crate::experiment_audit::audit_change;
use muriel_context::Precondition;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_context::names::{KEY_MAX, Keyed};
use muriel_context::object_history::{ObjectStep, changed, state_at as state, steps};
use muriel_domain::experiment::Revision;
use muriel_domain::goal::{Definition, Goal, Patch};
use muriel_domain::ids::{ExperimentId, GoalId, ProjectId};
use muriel_domain::{Instant, text};
use muriel_sql::Tx;
use muriel_store::audit::ObjectRecord;
use muriel_store::experiments::HistoryEntry;
use muriel_store::object_history::{self, Object};
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, experiments, goals, lock};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const NOT_FOUND: Error = Error::NotFound("goal");

/// A goal to create.
#[derive(Debug, Clone)]
pub struct NewGoal {
    /// Definition of the goal.
    pub definition: Definition,
    /// Goal key used in code; derived from the name by default.
    pub key: Option<String>,
}

/// Returns a page of the project's goals, oldest first.
pub async fn list(app: &App, project: ProjectId, (limit, offset): (i64, i64)) -> Result<Vec<Goal>> {
    app.read(move |tx| Box::pin(async move { Ok(goals::list(tx, project, limit, offset).await?) })).await
}

/// Returns a goal.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn find(app: &App, project: ProjectId, id: GoalId) -> Result<Goal> {
    let found = app.read(move |tx| Box::pin(async move { Ok(goals::find(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)
}

/// Creates a goal. `render` makes the response.
///
/// # Errors
/// A key that is taken, and when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    key: Option<IdempotencyKey>,
    new: NewGoal,
    render: impl FnOnce(&Goal) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let (now, id, actor, of) = (app.clock.now(), project.id, actor.clone(), project.clone());
    let response = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                lock(tx, id, Intent::Reshape).await?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                let goal_key = free_key(tx, id, &new).await?;
                let goal = insert(tx, id, &goal_key, &new.definition, now, &actor.reference()).await?;
                delivery::announce(tx, id).await?;
                let response = idempotency::store(tx, key.as_ref(), render(&goal)?).await?;
                Act::within(&actor, &of, now).made(tx, "create", thing(&goal), audit_value(&goal.definition)).await?;
                Ok(response)
            })
        })
        .await?;
    app.rulesets.refresh(project).await;
    Ok(response)
}

/// The audit log's reference to a goal.
fn thing(goal: &Goal) -> ObjectRecord {
    object("goal", goal.id, &goal.definition.name)
}

/// The audit log's fields of a goal.
fn audit_value(definition: &Definition) -> Value {
    json!({
        "goal_name": definition.name,
        "goal_type": definition.trigger.goal_type().word(),
        "goal_value": definition.trigger.value(),
        "goal_purpose": definition.purpose.word(),
        "element_url": definition.element_url,
        "window_days": definition.window_days,
        "min_count": definition.min_count,
        "cap": definition.cap,
        "max_order_value": definition.max_order_value,
        "currency": definition.currency,
    })
}

/// Returns the given key if it is free, or a key derived from the name.
async fn free_key(tx: &mut dyn Tx, project: ProjectId, new: &NewGoal) -> Result<String> {
    match &new.key {
        None => Keyed::Goal.free_key(tx, project, &text::slug(&new.definition.name, KEY_MAX, "goal")).await,
        Some(key) if Keyed::Goal.is_taken(tx, project, key).await? => Err(Error::conflict(
            ConflictCode::KeyTaken,
            "goal_key is taken, maybe by a deleted goal: keys of deleted goals are not used again",
        )),
        Some(key) => Ok(key.clone()),
    }
}

/// Returns the project's goal of this name and type, and creates it if it does not exist.
pub(crate) async fn find_or_insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    definition: &Definition,
    now: Instant,
    by: &str,
) -> Result<Goal> {
    let goal_type = definition.trigger.goal_type();
    if let Some(goal) = goals::find_named(tx, project, &definition.name, goal_type).await? {
        return Ok(goal);
    }
    let key = Keyed::Goal.free_key(tx, project, &text::slug(&definition.name, KEY_MAX, "goal")).await?;
    insert(tx, project, &key, definition, now, by).await
}

/// Stores a new goal, with its first history entry.
async fn insert(
    tx: &mut dyn Tx,
    project: ProjectId,
    key: &str,
    definition: &Definition,
    now: Instant,
    by: &str,
) -> Result<Goal> {
    let goal = goals::insert(tx, project, key, definition, now).await?;
    keep(tx, &goal, goal.revision, ("create", by, now), Map::new()).await?;
    Ok(goal)
}

/// Stores the history entry of a change of a goal, which made this revision.
async fn keep(
    tx: &mut dyn Tx,
    goal: &Goal,
    revision: i64,
    (action, by, at): (&str, &str, Instant),
    before: Map<String, Value>,
) -> Result<()> {
    let entry = HistoryEntry { revision, at, actor: by.to_owned(), action: action.to_owned(), before, detail: None };
    Ok(object_history::insert(tx, Object::Goal(goal.id), &entry).await?)
}

/// Returns the changes of a goal before the one that made the revision `before`, newest first; whether
/// there are more; and the display names of the actors.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn history(
    app: &App,
    project: ProjectId,
    id: GoalId,
    before: Option<i64>,
    limit: usize,
) -> Result<(Vec<ObjectStep>, bool, Names)> {
    app.read(move |tx| {
        Box::pin(async move {
            let goal = goals::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            let (steps, has_more) = steps(tx, Object::Goal(id), goal.definition.fields(), before, limit).await?;
            let names = Names::of(tx, steps.iter().map(|step| step.entry.actor.as_str())).await?;
            Ok((steps, has_more, names))
        })
    })
    .await
}

/// Returns the fields of a goal after the change that made this revision; `None` when no change made it.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn state_at(app: &App, project: ProjectId, id: GoalId, revision: i64) -> Result<Option<Map<String, Value>>> {
    app.read(move |tx| {
        Box::pin(async move {
            let goal = goals::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            state(tx, Object::Goal(id), goal.definition.fields(), revision).await
        })
    })
    .await
}

/// Returns the version of a goal. It changes with every change of the goal's details.
pub fn version(goal: &Goal) -> String {
    goal.revision.to_string()
}

/// Changes fields of a goal, all of them or none. The key is permanent. Returns the goal after the change.
///
/// # Errors
/// `NotFound`; then a `patch` that could not be read or does not fit the goal; `PreconditionFailed`; and when the
/// database cannot be reached.
pub async fn update(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: GoalId,
    precondition: Precondition,
    patch: Result<Patch>,
) -> Result<Goal> {
    let edit = Edit::new(app, actor, project, "update");
    let goal = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = edit.open(tx, id).await?;
                edit.apply(tx, before, patch?, &precondition).await
            })
        })
        .await?;
    app.rulesets.refresh(project).await;
    Ok(goal)
}

/// Restores the fields of an earlier state of a goal, which `patch` holds. The response is `body`.
///
/// # Errors
/// Same as [`update`], and a `key` that could not be read.
pub async fn restore(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: GoalId,
    precondition: Precondition,
    patch: Result<Patch>,
    (key, body): (Result<Option<IdempotencyKey>>, String),
) -> Result<StoredResponse> {
    let edit = Edit::new(app, actor, project, "restore");
    let response = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = edit.open(tx, id).await?;
                let (patch, key) = (patch?, key?);
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                edit.apply(tx, before, patch, &precondition).await?;
                idempotency::store(tx, key.as_ref(), body).await
            })
        })
        .await?;
    app.rulesets.refresh(project).await;
    Ok(response)
}

/// A change of a goal in progress.
struct Edit {
    project: Arc<Project>,
    actor: Actor,
    now: Instant,
    action: &'static str,
}

impl Edit {
    fn new(app: &App, actor: &Actor, project: &Arc<Project>, action: &'static str) -> Self {
        Self { project: project.clone(), actor: actor.clone(), now: app.clock.now(), action }
    }

    /// Loads the goal, and locks it until this transaction ends.
    async fn open(&self, tx: &mut dyn Tx, id: GoalId) -> Result<Goal> {
        lock(tx, self.project.id, Intent::Reshape).await?;
        goals::find(tx, self.project.id, id).await?.ok_or(NOT_FOUND)
    }

    /// Returns an experiment that reports the goal and that only a second person's approval may change.
    async fn guarded_use(&self, tx: &mut dyn Tx, id: GoalId) -> Result<Option<ExperimentId>> {
        if matches!(self.actor, Actor::System(_)) {
            return Ok(None);
        }
        let rules = tenants::approval_rules(tx, self.project.id).await?;
        for id in goals::users(tx, id).await? {
            let used = experiments::find(tx, self.project.id, id).await?;
            if used.is_some_and(|used| rules.guard(&used.experiment)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Applies the patch, stores the goal with its history, and returns it.
    async fn apply(&self, tx: &mut dyn Tx, before: Goal, patch: Patch, precondition: &Precondition) -> Result<Goal> {
        let after = patch.apply(&before.definition)?;
        precondition.check(&version(&before))?;
        if after == before.definition {
            return Ok(before);
        }
        if (Definition { name: before.definition.name.clone(), ..after.clone() }) != before.definition {
            let used = self.guarded_use(tx, before.id).await?;
            if let Some(id) = used {
                let message = format!(
                    "experiment {id} counts this goal, so a second person has to approve the change, but goals cannot \
                     be proposed: create another goal, or end the experiment first"
                );
                return Err(Error::conflict(ConflictCode::ApprovalNeeded, message));
            }
        }
        goals::update(tx, before.id, &after).await?;
        let fields = changed(&before.definition.fields(), &after.fields());
        let by = self.actor.reference();
        keep(tx, &before, before.revision + 1, (self.action, &by, self.now), fields).await?;
        delivery::announce(tx, self.project.id).await?;
        let (was, is) = (audit_value(&before.definition), audit_value(&after));
        let act = Act::within(&self.actor, &self.project, self.now);
        act.changed(tx, self.action, object("goal", before.id, &after.name), was, is).await?;
        Ok(Goal { definition: after, revision: before.revision + 1, ..before })
    }
}

/// Deletes a goal: experiments no longer report it, and its key is never used again.
///
/// # Errors
/// `NotFound`; `PreconditionFailed`; a live experiment that uses the goal; and when the database cannot be reached.
pub async fn delete(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: GoalId,
    precondition: Precondition,
) -> Result<()> {
    let (project_id, now, actor, of) = (project.id, app.clock.now(), actor.clone(), project.clone());
    app.write(project.company_id, move |tx| {
        Box::pin(async move {
            lock(tx, project_id, Intent::Reshape).await?;
            let goal = goals::find(tx, project_id, id).await?.ok_or(NOT_FOUND)?;
            precondition.check(&version(&goal))?;
            detach(tx, project_id, &goal, &actor, now).await?;
            goals::delete(tx, id, now).await?;
            let by = actor.reference();
            keep(tx, &goal, goal.revision + 1, ("delete", &by, now), Map::new()).await?;
            delivery::announce(tx, project_id).await?;
            Act::within(&actor, &of, now).removed(tx, "delete", thing(&goal), audit_value(&goal.definition)).await
        })
    })
    .await?;
    app.rulesets.refresh(project).await;
    Ok(())
}

/// Removes the goal from every experiment, unless a live one uses it.
async fn detach(tx: &mut dyn Tx, project: ProjectId, goal: &Goal, actor: &Actor, now: Instant) -> Result<()> {
    for id in goals::users(tx, goal.id).await? {
        let Some(loaded) = experiments::find(tx, project, id).await? else { continue };
        let before = loaded.experiment;
        if before.lifecycle.is_live() {
            return Err(Error::conflict(
                ConflictCode::GoalInUse,
                format!("the goal is used by the live experiment {id}; detach it there first"),
            ));
        }
        let mut after = before.clone();
        after.primary_goal = after.primary_goal.filter(|key| *key != goal.key);
        after.secondary_goals.retain(|key| *key != goal.key);
        let is_asked = !matches!(actor, Actor::System(_)) && tenants::approval_rules(tx, project).await?.guard(&before);
        if is_asked {
            return Err(Error::conflict(
                ConflictCode::ApprovalNeeded,
                format!(
                    "experiment {id} counts this goal; propose to detach it with POST /experiment/{id}/proposals first"
                ),
            ));
        }
        if let Some(revision) = Revision::between(&before, after, now) {
            let by = actor.reference();
            let act = experiments::Act { actor: actor.name(), by: &by, action: "goal deleted", detail: None };
            experiments::update(tx, &before, &revision, &act).await?;
            audit_change(tx, actor, now, "goal deleted", (&before, &revision.experiment), Map::new()).await?;
        }
    }
    Ok(())
}
