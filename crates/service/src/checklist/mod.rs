//! Checklist before the start of an experiment.
//!
//! [`Check`]s are computed from the stored experiment, from previews and events, and from the other
//! live experiments. A check is blocked only where the start would be refused; everything else is for
//! people to judge.

mod checks;
mod collisions;

pub use checks::{Check, CheckStatus, ChecklistItem};

use crate::app::App;
use crate::goals::matches;
use crate::install::{self, SeenPage};
use crate::results;
use crate::warnings::{codes, invalid_code};
use checks::{Facts, GoalFacts, KnownPlaces};
use muriel_assign::Delivered;
use muriel_context::actor::Actor;
use muriel_context::error::{Error, Result};
use muriel_domain::experiment::Status;
use muriel_domain::goal::Goal;
use muriel_domain::ids::ExperimentId;
use muriel_domain::time::DAY_US;
use muriel_results::{PlanningReport, PlanningRequest};
use muriel_store::tenants::{self, Project};
use muriel_store::{experiments, previews};
use std::sync::Arc;
use std::time::Duration;

/// Timeout of each query of events. A result that takes longer counts as unknown.
const EVENTS_TIMEOUT: Duration = Duration::from_secs(5);
/// Most goals that are checked.
const GOALS_MAX: usize = 20;
/// Visitors a day, and percentage of them who convert, assumed where the project's data does not show it.
const DAILY_VISITORS: f64 = 1_000.0;
const BASELINE_RATE: f64 = 5.0;

/// Returns the checklist before a start of the experiment by `actor`.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn checklist(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    id: ExperimentId,
) -> Result<Vec<ChecklistItem>> {
    let project_id = project.id;
    let (loaded, goals, previews, rules) = app
        .read(move |tx| {
            Box::pin(async move {
                let loaded = experiments::find(tx, project_id, id).await?.ok_or(Error::NotFound("experiment"))?;
                let goals = experiments::attached_goals(tx, id).await?;
                let previews = previews::reports(tx, id).await?;
                Ok((loaded, goals, previews, tenants::approval_rules(tx, project_id).await?))
            })
        })
        .await?;
    let experiment = loaded.experiment;
    app.rulesets.loop_guards.prepare(codes(&experiment)).await;
    let started = experiment.moved(Status::Live, app.clock.now());
    let needs_approval = !matches!(actor, Actor::System(_))
        && started.as_ref().is_ok_and(|started| rules.apply_to(Some(&experiment), started));
    let candidate = Delivered::of(&experiment);
    let others = app.rulesets.of(project).await?;
    let collisions = collisions::find(&candidate, &experiment.url, others.delivered());
    let (pages, plan, goals) = tokio::join!(
        pages(app, project),
        plan(app, project, id, PlanningRequest::default()),
        goal_facts(app, project, goals)
    );
    let assumed = match &plan {
        Some(known) if known.days.is_none() => plan_for(app, project, id, known).await,
        _ => None,
    };
    let geography = &app.visitors.geography;
    let places = match (geography.is_on(), geography.has_regions()) {
        (false, _) => KnownPlaces::Nothing,
        (true, false) => KnownPlaces::Countries,
        (true, true) => KnownPlaces::Cities,
    };
    Ok(checks::all(&Facts {
        conflict: started.err().map(|conflict| conflict.to_string()),
        needs_approval,
        invalid_code: invalid_code(&experiment, &app.rulesets.loop_guards),
        previews,
        pages,
        plan,
        assumed,
        goals,
        places,
        collisions,
        experiment,
    }))
}

/// Pages on which the script was seen; `None` where events cannot be queried now.
async fn pages(app: &App, project: &Project) -> Option<Vec<SeenPage>> {
    let seen = tokio::time::timeout(EVENTS_TIMEOUT, install::seen(app, project)).await.ok()?;
    seen.ok().map(|(pages, _)| pages)
}

/// The plan, with missing traffic figures assumed: a site of medium traffic, as `muriel simulate` assumes.
async fn plan_for(app: &App, project: &Project, id: ExperimentId, known: &PlanningReport) -> Option<PlanningReport> {
    let assumed = PlanningRequest {
        daily_visitors: known.daily_visitors.filter(|daily| *daily > 0.0).or(Some(DAILY_VISITORS)),
        baseline_rate: known.baseline_rate.filter(|rate| *rate > 0.0).or(Some(BASELINE_RATE)),
        ..PlanningRequest::default()
    };
    plan(app, project, id, assumed).await
}

async fn plan(app: &App, project: &Project, id: ExperimentId, wanted: PlanningRequest) -> Option<PlanningReport> {
    let planned = results::plan(app, project, id, Ok(wanted));
    tokio::time::timeout(EVENTS_TIMEOUT, planned).await.ok()?.ok()
}

/// Attached goals, and whether each was matched within a day; `None` where events cannot be queried now.
async fn goal_facts(app: &App, project: &Project, (primary, secondary): (Option<Goal>, Vec<Goal>)) -> GoalFacts {
    let from = app.clock.now().plus_us(-DAY_US);
    let has_primary = primary.is_some();
    let mut fired = Some(Vec::new());
    for goal in primary.into_iter().chain(secondary).take(GOALS_MAX) {
        let asked = matches(app, project, &goal.definition.trigger, from);
        match tokio::time::timeout(EVENTS_TIMEOUT, asked).await {
            Ok(Ok(found)) => {
                if let Some(fired) = &mut fired {
                    fired.push((goal.definition.name, found.last_at.is_some()));
                }
            }
            Ok(Err(_)) | Err(_) => {
                fired = None;
                break;
            }
        }
    }
    GoalFacts { has_primary, fired }
}
