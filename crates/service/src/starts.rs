//! First starts: what an experiment is planned for that has no planned total of visitors.

use crate::app::App;
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_domain::goal::Goal;
use muriel_results::{ReportInputs, StartPlan};
use std::sync::Arc;
use std::time::Duration;

/// How long a start waits for the project's traffic to be looked at.
const PLAN_TIMEOUT: Duration = Duration::from_secs(2);

/// The plan of `experiment`, if it starts for the first time, without a planned total of
/// visitors and with a goal to plan for. It is asked for before the transaction that
/// starts the experiment, which must not wait for the warehouse.
///
/// A warehouse that does not answer within [`PLAN_TIMEOUT`] does not keep anything from starting.
pub(crate) async fn start_plan(
    app: &App,
    project_key: &str,
    experiment: Experiment,
    primary_goal: Option<Goal>,
    now: Instant,
) -> Option<StartPlan> {
    let is_planned = experiment.epoch > 0 || experiment.plan.visitors.is_some();
    if is_planned || primary_goal.is_none() {
        return None;
    }
    let Some(reports) = app.results() else { return Some(StartPlan::unmeasured()) };
    let known = ReportInputs::unstarted(experiment, primary_goal);
    let project_key = Arc::from(project_key);
    match tokio::time::timeout(PLAN_TIMEOUT, reports.start_plan(&project_key, &known, now)).await {
        Ok(Ok(plan)) => plan,
        Ok(Err(problem)) => {
            tracing::warn!(%problem, "an experiment starts without a plan from the project's traffic");
            Some(StartPlan::unmeasured())
        }
        Err(_) => Some(StartPlan::unmeasured()),
    }
}

/// The experiment with what its first start settles, where it has started and has no planned
/// total of its own; and what to say about that.
pub(crate) fn settled(started: Experiment, plan: Option<StartPlan>) -> (Experiment, Option<StartPlan>) {
    let Some(plan) = plan.filter(|_| started.lifecycle.is_live() && started.plan.visitors.is_none()) else {
        return (started, None);
    };
    let mut settled = started;
    settled.plan.visitors = plan.visitors;
    (settled, Some(plan))
}
