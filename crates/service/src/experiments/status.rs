//! Starting, pausing, resuming an experiment, or putting it aside; with changes of its fields, where these are to be one act.

use super::change::{Change, Changed, Target};
use super::update::{Edit, decide, warnings_of};
use crate::actor::Actor;
use crate::app::App;
use crate::error::{Error, Result};
use crate::starts::{start_plan, with_plan};
use crate::warnings::patch_codes;
use muriel_domain::access::Scope;
use muriel_domain::experiment::{Experiment, Status};
use muriel_domain::{Instant, Problems};
use muriel_results::StartPlan;
use muriel_store::experiments::{self, LoadedExperiment};
use muriel_store::goals;

/// The status to have.
#[derive(Debug, Clone)]
pub struct StatusChange {
    /// Where the experiment is to stand.
    pub to: Status,
    /// Since when it is to count, for a first start in the past. Needs the scope `admin`.
    pub started_at: Option<Instant>,
    /// Fields that change in the same step.
    pub edit: Option<Box<Edit>>,
}

impl StatusChange {
    /// The experiment at the new status.
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

/// An experiment whose status, and whose fields, are as they were asked for.
#[derive(Debug)]
pub struct StatusChanged {
    /// What it was, what it is, and its version.
    pub changed: Changed,
    /// The total of visitors that it was planned for, if it started now for the first time.
    pub planned_visitors: Option<i64>,
    /// What its owner should look at.
    pub warnings: Vec<String>,
}

/// Moves an experiment to a status, and changes its fields with it, all of that or nothing; nothing happens where it is as
/// asked for already.
///
/// # Errors
/// `NotFound`; then what is wrong with `status`, problems of its edit below `changes`; `MissingScope`; `PreconditionFailed`; a step
/// that the lifecycle does not have, and conflicts of the edit; and when the database cannot be reached.
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

/// The error of an edit, as one of the field `changes`.
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

/// The plan of an experiment that is to start for the first time, perhaps since a moment of the past, as it will be with the
/// edit, and the revision that it is of.
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
            // What is wrong is reported when it is changed.
            let Ok(experiment) = experiment.patched(patch, problems, &known) else { return Ok(None) };
            let goal = match &experiment.primary_goal {
                Some(key) => goals::find_keyed(tx, project.id, key).await?,
                None => None,
            };
            Ok(Some((revision, experiment, goal)))
        })
    });
    let (revision, experiment, goal) = read.await.ok().flatten()?;
    // A start of the past is an act of admins, and of nobody else are events counted for it.
    let since = since.filter(|since| *since <= change.now && change.actor.may(Scope::Admin));
    let plan = start_plan(app, &change.target.project.key, experiment, goal, since, change.now).await?;
    Some((revision, plan))
}

/// The plan of an experiment that is to have this status, and the revision that it is of.
pub(crate) async fn plan_for(app: &App, change: &Change, to: Status) -> Option<(i64, StartPlan)> {
    if to == Status::Live { plan(app, change, None, None).await } else { None }
}

/// The experiment with the plan of its first start.
pub(crate) fn planned(moved: Experiment, plan: Option<(i64, StartPlan)>, before: &LoadedExperiment) -> Experiment {
    with_plan(moved, current(plan, before)).0
}

/// The plan, unless the experiment was changed since it was planned.
fn current(planned: Option<(i64, StartPlan)>, before: &LoadedExperiment) -> Option<StartPlan> {
    match planned {
        Some((revision, plan)) if revision == before.experiment.revision => Some(plan),
        Some(_) if before.experiment.epoch == 0 => Some(StartPlan::unmeasured()),
        _ => None,
    }
}
