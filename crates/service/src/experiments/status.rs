//! Starting, pausing, resuming and stopping an experiment, optionally with changes of its fields in the same act.

use super::change::{Change, Changed, Target};
use super::update::{Edit, decide, warnings_of};
use crate::app::App;
use crate::starts::{start_plan, with_plan};
use crate::warnings::patch_codes;
use muriel_context::actor::Actor;
use muriel_context::error::{Error, Result};
use muriel_domain::access::Scope;
use muriel_domain::experiment::{Experiment, Status};
use muriel_domain::{Instant, Problems};
use muriel_results::StartPlan;
use muriel_store::experiments::{self, LoadedExperiment};
use muriel_store::goals;

/// A requested status.
#[derive(Debug, Clone)]
pub struct StatusChange {
    /// Status to move to.
    pub to: Status,
    /// Moment of the first start, for a start in the past. Needs the scope `admin`.
    pub started_at: Option<Instant>,
    /// Fields to change in the same act.
    pub edit: Option<Box<Edit>>,
}

impl StatusChange {
    /// Returns the experiment at the new status.
    fn moved(&self, actor: &Actor, experiment: &Experiment, now: Instant) -> Result<Experiment> {
        match self.started_at {
            None => Ok(experiment.moved(self.to, now)?),
            Some(started_at) => {
                actor.require(Scope::Admin)?;
                Ok(experiment.moved_since(self.to, started_at, now)?)
            }
        }
    }
}

/// The result of a status change.
#[derive(Debug)]
pub struct StatusChanged {
    /// The experiment before and after, with its version.
    pub changed: Changed,
    /// Total number of visitors that the test is planned for, if it started now for the first time.
    pub planned_visitors: Option<i64>,
    /// Warnings that the owner should review.
    pub warnings: Vec<String>,
}

/// Moves an experiment to a status and changes its fields, all or nothing. Nothing happens when the
/// experiment already is as requested.
///
/// # Errors
/// `NotFound`; then errors of `status`, with problems of its edit below `changes`; `MissingScope`;
/// `PreconditionFailed`; a transition that the lifecycle does not have, and conflicts of the edit; and
/// when the database cannot be reached.
pub async fn set_status(
    app: &App,
    actor: &Actor,
    target: Target,
    status: Result<StatusChange>,
) -> Result<StatusChanged> {
    let edit = status.as_ref().ok().and_then(|status| status.edit.as_ref());
    let has_edit = edit.is_some();
    if let (true, Some(edit)) = (actor.may(Scope::Code), edit) {
        // Analysed now, so that neither the transaction nor a visitor waits for it.
        app.rulesets.loop_guards.prepare(patch_codes(&edit.patch)).await;
    }
    let change = Change::new(app, actor, target, "status");
    let planned = match &status {
        Ok(StatusChange { to: Status::Live, edit, started_at }) => {
            plan(app, &change, edit.clone().map(|edit| *edit), *started_at).await
        }
        _ => None,
    };
    let (project, id, node) = (change.target.project.clone(), change.target.id, app.node_id());
    let (changed, dropped, plan) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                let mut status = status?;
                let (edited, dropped) = match status.edit.take() {
                    None => (before.experiment.clone(), None),
                    Some(edit) => {
                        let decided = decide(tx, &change, &before, Ok(*edit), node.as_deref()).await;
                        decided.map_err(below_changes)?
                    }
                };
                let moved = change.decided(&before, status.moved(&change.actor, &edited, change.now))?;
                let (after, plan) = with_plan(moved, current(planned, &before));
                change.approval(tx, &before.experiment, &after).await?;
                Ok((change.save(tx, before, after).await?, dropped, plan))
            })
        })
        .await?;
    changed.deliver(app, &project).await;
    let mut warnings = Vec::new();
    if has_edit || changed.before.lifecycle.status() != changed.after.lifecycle.status() {
        warnings = warnings_of(app, &project, id, (&changed.before, &changed.after), dropped).await;
    }
    warnings.extend(plan.as_ref().map(|plan| plan.message.clone()));
    Ok(StatusChanged { changed, planned_visitors: plan.and_then(|plan| plan.visitors), warnings })
}

/// Moves the problems of an edit below the field `changes`.
fn below_changes(error: Error) -> Error {
    match error {
        Error::Invalid(found) => {
            let mut problems = Problems::default();
            problems.extend_under("changes", &found);
            Error::Invalid(problems)
        }
        other => other,
    }
}

/// Returns the plan of an experiment that is about to start for the first time, perhaps at a past
/// moment, with the edit applied; and the revision that the plan was made for.
async fn plan(app: &App, change: &Change, edit: Option<Edit>, since: Option<Instant>) -> Option<(i64, StartPlan)> {
    let (project, id) = (change.target.project.clone(), change.target.id);
    let read = app.read(move |tx| {
        Box::pin(async move {
            let Some(LoadedExperiment { experiment, primary_goal, .. }) = experiments::find(tx, project.id, id).await?
            else {
                return Ok(None);
            };
            let revision = experiment.revision;
            let Some(Edit { patch, problems }) = edit else { return Ok(Some((revision, experiment, primary_goal))) };
            let hypothesis = patch.hypothesis_id.flatten();
            let known = experiments::known(tx, project.id, patch.goal_keys(), hypothesis).await?;
            // Errors are reported when the experiment is changed.
            let Ok(experiment) = experiment.patched(patch, problems, &known) else { return Ok(None) };
            let goal = match &experiment.primary_goal {
                Some(key) => goals::find_keyed(tx, project.id, key).await?,
                None => None,
            };
            Ok(Some((revision, experiment, goal)))
        })
    });
    let (revision, experiment, goal) = read.await.ok().flatten()?;
    // Only admins may start in the past, so past events are counted for nobody else.
    let since = since.filter(|since| *since <= change.now && change.actor.may(Scope::Admin));
    let plan = start_plan(app, &change.target.project.key, experiment, goal, since, change.now).await?;
    Some((revision, plan))
}

/// Returns the plan of an experiment that is about to have this status, and the revision that the plan was made for.
pub(crate) async fn plan_for(app: &App, change: &Change, to: Status) -> Option<(i64, StartPlan)> {
    if to == Status::Live { plan(app, change, None, None).await } else { None }
}

/// Adds the plan of the first start to the experiment.
pub(crate) fn planned(moved: Experiment, plan: Option<(i64, StartPlan)>, before: &LoadedExperiment) -> Experiment {
    with_plan(moved, current(plan, before)).0
}

/// Returns the plan, unless the experiment was changed after it was made.
fn current(planned: Option<(i64, StartPlan)>, before: &LoadedExperiment) -> Option<StartPlan> {
    match planned {
        Some((revision, plan)) if revision == before.experiment.revision => Some(plan),
        Some(_) if before.experiment.epoch == 0 => Some(StartPlan::unmeasured()),
        _ => None,
    }
}
