//! The plan of a first start: a planned number of visitors for experiments without one.

use crate::app::App;
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_domain::goal::Goal;
use muriel_results::{ReportInputs, StartPlan};
use std::sync::Arc;
use std::time::Duration;

/// Timeout of measuring the project's traffic for a start.
const PLAN_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout for a start in the past: events imported just before it have to be loaded first.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(20);

/// Computes the plan of `experiment`, if it starts for the first time, has no planned number of
/// visitors and has a goal to plan for. It is computed before the transaction that starts the
/// experiment, which must not wait for the warehouse. An experiment that started elsewhere at `since`
/// is planned for the visitors whose exposures were imported.
///
/// If the warehouse does not answer within [`PLAN_TIMEOUT`], the experiment starts without measured traffic.
pub(crate) async fn start_plan(
    app: &App,
    project_key: &str,
    experiment: Experiment,
    primary_goal: Option<Goal>,
    since: Option<Instant>,
    now: Instant,
) -> Option<StartPlan> {
    let is_planned = experiment.epoch > 0 || experiment.plan.visitors.is_some();
    if is_planned || primary_goal.is_none() {
        return None;
    }
    let Some(reports) = app.results() else { return Some(StartPlan::unmeasured()) };
    let known = ReportInputs::unstarted(experiment, primary_goal);
    let project_key = Arc::from(project_key);
    let timeout = if since.is_some() { IMPORT_TIMEOUT } else { PLAN_TIMEOUT };
    match tokio::time::timeout(timeout, reports.start_plan(&project_key, &known, since, now)).await {
        Ok(Ok(plan)) => plan,
        Ok(Err(problem)) => {
            tracing::warn!(%problem, "an experiment starts without a plan from the project's traffic");
            Some(StartPlan::unmeasured())
        }
        Err(_) => Some(StartPlan::unmeasured()),
    }
}

/// Applies the plan to an experiment that has started without a planned number of visitors.
/// Returns the plan if it was applied.
pub(crate) fn with_plan(started: Experiment, plan: Option<StartPlan>) -> (Experiment, Option<StartPlan>) {
    let Some(plan) = plan.filter(|_| started.lifecycle.is_live() && started.plan.visitors.is_none()) else {
        return (started, None);
    };
    let mut planned = started;
    planned.plan.visitors = plan.visitors;
    planned.plan.is_computed = plan.visitors.is_some();
    (planned, Some(plan))
}
