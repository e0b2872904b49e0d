//! Creating an experiment.

use super::change::locked;
use crate::app::App;
use crate::goals::{NewGoal, find_or_insert};
use crate::starts::{start_plan, with_plan};
use crate::warnings::{about_patch_code, patch_codes};
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_context::names::{KEY_MAX, Keyed};
use muriel_domain::access::Scope;
use muriel_domain::experiment::{DataKey, Experiment, ExperimentPatch, Revision, Status, TestType};
use muriel_domain::goal::Goal;
use muriel_domain::ids::{ExperimentId, GoalId};
use muriel_domain::{Instant, Problems, text};
use muriel_results::StartPlan;
use muriel_sql::Tx;
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, experiments, goals, lock};
use std::sync::Arc;

/// An experiment to create.
#[derive(Debug, Clone, Default)]
pub struct NewExperiment {
    /// Fields that an update can change as well.
    pub patch: ExperimentPatch,
    /// Initial status; a draft by default.
    pub status: Option<Status>,
    /// Type of the test; an A/B test by default.
    pub test_type: Option<TestType>,
    /// Experiment key used in code; derived from the name by default.
    pub key: Option<String>,
    /// Key that the variants are stored under; the page URL by default.
    pub variants_data_key: Option<DataKey>,
    /// The primary goal: the project's goal of this name and type, created if it does not exist.
    pub primary_goal: Option<NewGoal>,
    /// Secondary goals, found or created in the same way.
    pub secondary_goals: Vec<NewGoal>,
    /// True when it is a copy of another experiment.
    pub is_copy: bool,
    /// Problems with values that could not be read.
    pub problems: Problems,
}

impl NewExperiment {
    fn action(&self) -> &'static str {
        if self.is_copy { "duplicate" } else { "create" }
    }
}

/// An experiment that was created.
#[derive(Debug)]
pub struct Created {
    /// Experiment id.
    pub id: ExperimentId,
    /// The stored experiment.
    pub experiment: Experiment,
    /// Id of the primary goal.
    pub primary_goal: Option<GoalId>,
    /// Total number of visitors that the test is planned for, if it is live.
    pub planned_visitors: Option<i64>,
    /// Warnings that the owner should review.
    pub warnings: Vec<String>,
}

/// Creates an experiment in the project. `render` makes the response.
///
/// # Errors
/// Problems of `new`; `MissingScope` for code without the scope `code`; a key that is
/// taken; and when the database cannot be reached.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    key: Option<IdempotencyKey>,
    new: NewExperiment,
    render: impl FnOnce(&Created) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let now = app.clock.now();
    if actor.may(Scope::Code) {
        // Analysed now, so that neither the transaction nor a visitor waits for it.
        app.rulesets.loop_guards.prepare(patch_codes(&new.patch)).await;
    }
    let plan = match to_plan(app, project, &new, now).await {
        Some((experiment, goal)) => start_plan(app, &project.key, experiment, goal, None, now).await,
        None => None,
    };
    let about_code = about_patch_code(&new.patch, &app.rulesets.loop_guards);
    let creation =
        Creation { project: project.clone(), actor: actor.clone(), now, plan, about_code, action: new.action() };
    let (response, delivery_changed) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                lock(tx, creation.project.id, Intent::Reshape).await?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok((stored, false));
                }
                let project = creation.project.id;
                let created = creation.insert(tx, new).await?;
                // Visitors do not see a draft, but a goal created with it can already be measured.
                let delivery_changed = created.experiment.lifecycle.is_live()
                    || !created.experiment.secondary_goals.is_empty()
                    || created.primary_goal.is_some();
                if delivery_changed {
                    delivery::announce(tx, project).await?;
                }
                let response = idempotency::store(tx, key.as_ref(), render(&created)?).await?;
                Ok((response, delivery_changed))
            })
        })
        .await?;
    if delivery_changed {
        app.rulesets.refresh(project).await;
    }
    Ok(response)
}

/// Returns the experiment that will be live once it is created, with its primary goal, to plan it;
/// `None` when it will not be live or cannot be created.
async fn to_plan(
    app: &App,
    project: &Arc<Project>,
    new: &NewExperiment,
    now: Instant,
) -> Option<(Experiment, Option<Goal>)> {
    if new.status != Some(Status::Live) {
        return None;
    }
    let (project, new) = (project.clone(), new.clone());
    let read = app.read(move |tx| {
        Box::pin(async move {
            let Ok(experiment) = patched(tx, &project, &new, now).await else { return Ok(None) };
            let goal = match (new.primary_goal, &experiment.primary_goal) {
                (Some(NewGoal { definition, .. }), _) => {
                    let goal_type = definition.trigger.goal_type();
                    let found = goals::find_named(tx, project.id, &definition.name, goal_type).await?;
                    let made = Goal { id: GoalId(0), key: String::new(), definition, created_at: now, revision: 1 };
                    Some(found.unwrap_or(made))
                }
                (None, Some(key)) => goals::find_keyed(tx, project.id, key).await?,
                (None, None) => None,
            };
            Ok(Some((experiment, goal)))
        })
    });
    // Errors are reported when the experiment is created.
    read.await.ok().flatten()
}

/// Returns the draft with every given field.
async fn patched(tx: &mut dyn Tx, project: &Project, new: &NewExperiment, now: Instant) -> Result<Experiment> {
    let patch = new.patch.clone();
    let known = experiments::known(tx, project.id, patch.goal_keys(), patch.hypothesis_id.flatten()).await?;
    let test_type = new.test_type.unwrap_or(TestType::AbTest);
    let draft = Experiment::draft(project.company_id, project.id, test_type, String::new(), now);
    Ok(draft.patched(patch, new.problems.clone(), &known)?)
}

/// A creation in progress.
struct Creation {
    project: Arc<Project>,
    actor: Actor,
    now: Instant,
    plan: Option<StartPlan>,
    about_code: Vec<String>,
    /// Name of the action in history.
    action: &'static str,
}

impl Creation {
    async fn insert(self, tx: &mut dyn Tx, new: NewExperiment) -> Result<Created> {
        let (project, by) = (self.project.id, self.actor.reference());
        let mut experiment = patched(tx, &self.project, &new, self.now).await?;
        let empty = Experiment::draft(self.project.company_id, project, experiment.test_type, String::new(), self.now);
        // The check for redirects that leave the site depends on it.
        experiment.variants_data_key = new.variants_data_key.unwrap_or_else(|| DataKey::stored(experiment.url.clone()));
        if empty.changes_code(&experiment) {
            self.actor.require(Scope::Code)?;
        }
        experiment.key = self.key(tx, new.key, &experiment.name).await?;
        if let Some(goal) = new.primary_goal {
            experiment.primary_goal = Some(find_or_insert(tx, project, &goal.definition, self.now, &by).await?.key);
        }
        for goal in new.secondary_goals {
            let key = find_or_insert(tx, project, &goal.definition, self.now, &by).await?.key;
            if !experiment.secondary_goals.contains(&key) {
                experiment.secondary_goals.push(key);
            }
        }
        let experiment = experiment.moved(new.status.unwrap_or(Status::Draft), self.now)?;
        if !matches!(self.actor, Actor::System(_))
            && tenants::approval_rules(tx, project).await?.apply_to(None, &experiment)
        {
            return Err(Error::conflict(
                ConflictCode::ApprovalNeeded,
                "a second person has to approve this: create a draft, and propose its start with POST \
                 /experiment/{test_id}/proposals",
            ));
        }
        let (experiment, plan) = with_plan(experiment, self.plan);
        let first = Revision::first(experiment, self.now);
        let by = self.actor.reference();
        let act = experiments::Act { actor: self.actor.name(), by: &by, action: self.action, detail: None };
        let id = experiments::insert(tx, &first, &act).await?;
        if let Actor::Person(person) = &self.actor {
            experiments::owner_set(tx, id, person.session.person.id).await?;
        }
        let first = Revision { experiment: Experiment { id, ..first.experiment }, ..first };
        let plan_hash = locked(tx, &first).await?;
        let experiment = first.experiment;
        let act = Act::within(&self.actor, &self.project, self.now);
        let mut after = experiment.fields_unlike(&empty);
        after.insert("experiment_key".to_owned(), experiment.key.clone().into());
        after.extend(plan_hash);
        act.record(tx, "create", object("experiment", id, &experiment.name), None, Some(after)).await?;
        let primary_goal = match &experiment.primary_goal {
            Some(key) => goals::id_of(tx, project, key).await?,
            None => None,
        };
        let planned_visitors = plan.as_ref().and_then(|plan| plan.visitors);
        let mut warnings = experiment.warnings();
        warnings.extend(self.about_code);
        warnings.extend(plan.map(|plan| plan.message));
        Ok(Created { id, experiment, primary_goal, planned_visitors, warnings })
    }

    /// Returns the given key if it is free, or a key derived from the name.
    async fn key(&self, tx: &mut dyn Tx, given: Option<String>, name: &str) -> Result<String> {
        let project = self.project.id;
        match given {
            None => Keyed::Experiment.free_key(tx, project, &text::slug(name, KEY_MAX, "experiment")).await,
            Some(key) if Keyed::Experiment.is_taken(tx, project, &key).await? => Err(Error::conflict(
                ConflictCode::KeyTaken,
                "experiment_key is taken by another experiment of this project",
            )),
            Some(key) => Ok(key),
        }
    }
}
