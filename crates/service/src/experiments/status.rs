//! Starting, pausing, resuming an experiment, or putting it aside.

use super::change::{Change, Target};
use crate::actor::Actor;
use crate::app::App;
use crate::error::Result;
use crate::starts::{start_plan, with_plan};
use crate::warnings::{codes, warnings};
use muriel_domain::Instant;
use muriel_domain::access::Scope;
use muriel_domain::experiment::Status;
use muriel_results::StartPlan;
use muriel_store::experiments::LoadedExperiment;
use std::sync::{Arc, OnceLock};

/// The status to have.
#[derive(Debug, Clone, Copy)]
pub struct StatusChange {
    /// Where the experiment is to stand.
    pub to: Status,
    /// Since when it is to count, for a first start in the past. Needs the scope `admin`.
    pub started_at: Option<Instant>,
}

/// An experiment whose status is as it was asked for.
#[derive(Debug, Clone)]
pub struct StatusChanged {
    /// The status it has now.
    pub status: Status,
    /// The version that it has now.
    pub version: String,
    /// The total of visitors that it was planned for, if it started now for the first time.
    pub planned_visitors: Option<i64>,
    /// What its owner should look at.
    pub warnings: Vec<String>,
}

/// Moves an experiment to a status; nothing happens where it is there already.
///
/// # Errors
/// `NotFound`; then what is wrong with `change`; `MissingScope`; `PreconditionFailed`; a step
/// that the lifecycle does not have; and when the database cannot be reached.
pub async fn set_status(
    app: &App,
    actor: &Actor,
    target: Target,
    status: Result<StatusChange>,
) -> Result<StatusChanged> {
    let change = Change::new(app, actor, target, "status");
    let starts = status.as_ref().is_ok_and(|status| status.to == Status::Live);
    let planned = if starts { plan(app, &change).await } else { None };
    let (actor, used) = (actor.clone(), Arc::new(OnceLock::new()));
    let plan_used = used.clone();
    let changed = change
        .apply(app, move |before, now| {
            let StatusChange { to, started_at } = status?;
            let moved = match started_at {
                None => before.experiment.moved(to, now)?,
                Some(started_at) => {
                    actor.require(Scope::Admin)?;
                    before.experiment.moved_since(to, started_at, now)?
                }
            };
            let (after, plan) = with_plan(moved, current(planned, before));
            if let Some(plan) = plan {
                let _ = plan_used.set(plan);
            }
            Ok(after)
        })
        .await?;
    let mut about = Vec::new();
    if changed.before.lifecycle.status() != changed.after.lifecycle.status() {
        app.rulesets.loop_guards.prepare(codes(&changed.after)).await;
        about = warnings(&changed.after, &app.rulesets.loop_guards);
    }
    let plan: Option<&StartPlan> = used.get();
    about.extend(plan.map(|plan| plan.message.clone()));
    Ok(StatusChanged {
        status: changed.after.lifecycle.status(),
        version: changed.version,
        planned_visitors: plan.and_then(|plan| plan.visitors),
        warnings: about,
    })
}

/// The plan of an experiment that is to start for the first time, and the revision that it is
/// of.
async fn plan(app: &App, change: &Change) -> Option<(i64, StartPlan)> {
    let project = &change.target.project;
    let found = super::find(app, project.id, change.target.id).await;
    let LoadedExperiment { experiment, primary_goal, .. } = found.ok()?;
    let revision = experiment.revision;
    let plan = start_plan(app, &project.key, experiment, primary_goal, change.now).await?;
    Some((revision, plan))
}

/// The plan, unless the experiment was changed since it was planned.
fn current(planned: Option<(i64, StartPlan)>, before: &LoadedExperiment) -> Option<StartPlan> {
    match planned {
        Some((revision, plan)) if revision == before.experiment.revision => Some(plan),
        Some(_) if before.experiment.epoch == 0 => Some(StartPlan::unmeasured()),
        _ => None,
    }
}
