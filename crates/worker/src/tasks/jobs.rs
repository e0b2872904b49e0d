//! Runs the acts of the clock: starts and ends experiments, and checks their results.

use super::act_error;
use super::interactions::{LeftOutObserver, look_for_interactions};
use crate::task::{Context, Dependency, Progress, RunError, Task};
use muriel_domain::experiment::Rule;
use muriel_service::App;
use muriel_service::jobs::{self, FindingChecks, JobOutcome, Leadership, PageChecks, ResultChecks, SummaryChecks};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// Short enough for the effect of an act to be visible within two seconds.
const PERIOD: Duration = Duration::from_millis(500);
/// Period of searching for results that are due for a check: those reported to webhooks or watchers, each checked every
/// minute or every five, and those that may harm pages.
const FINDINGS_PERIOD: Duration = Duration::from_secs(1);
/// Period of searching for results whose summaries are due; each is checked once a minute.
const SUMMARIES_PERIOD: Duration = Duration::from_secs(2);
/// Checks take at most a fifth of the time, so that requests keep most of the warehouse.
pub(super) const REST_FACTOR: u32 = 4;

/// Observer that is notified of each job: its rule and its outcome.
pub type JobsObserver = Arc<dyn Fn(Rule, &JobOutcome) + Send + Sync>;

/// Leadership of this node, if it leads; shared by the tasks of the clock. No task holds the lock while it acts: a slow
/// report must not delay a start.
pub(super) type Leader = Arc<Mutex<Option<Arc<Leadership>>>>;

/// The tasks of the clock. One node at a time runs them.
pub fn clock(app: &App, observe: JobsObserver, left_out: LeftOutObserver) -> [Task; 6] {
    let leader = Leader::default();
    [
        run_jobs(app.clone(), leader.clone(), observe.clone()),
        check_completion_rules(app.clone(), leader.clone(), observe.clone()),
        stop_page_harm(app.clone(), leader.clone(), observe),
        report_findings(app.clone(), leader.clone()),
        look_for_interactions(app.clone(), leader.clone(), left_out),
        summarise_results(app.clone(), leader),
    ]
}

/// Starts and ends experiments at their scheduled times.
fn run_jobs(app: App, leader: Leader, observe: JobsObserver) -> Task {
    let task = Task::new("run_jobs", PERIOD, move |_: Context| {
        let (app, leader, observe) = (app.clone(), leader.clone(), observe.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let ran = run_due(&app, &leading, &observe).await;
            give_up_after(ran, &leader).await?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).max_backoff(PERIOD)
}

/// Ends experiments whose results meet one of their rules.
fn check_completion_rules(app: App, leader: Leader, observe: JobsObserver) -> Task {
    let checks = Arc::new(Mutex::new(ResultChecks::default()));
    let task = Task::new("check_completion_rules", PERIOD, move |_: Context| {
        let (app, leader, observe, checks) = (app.clone(), leader.clone(), observe.clone(), checks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let ended = jobs::check_results(&app, &leading, &mut *checks.lock().await).await;
            let ended = give_up_after(ended, &leader).await?;
            for (_, rule) in ended {
                observe(rule, &JobOutcome::Done);
            }
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR).max_backoff(PERIOD)
}

/// Ends experiments that harm pages, if their projects are set to do so.
fn stop_page_harm(app: App, leader: Leader, observe: JobsObserver) -> Task {
    let checks = Arc::new(Mutex::new(PageChecks::default()));
    let task = Task::new("stop_page_harm", FINDINGS_PERIOD, move |_: Context| {
        let (app, leader, observe, checks) = (app.clone(), leader.clone(), observe.clone(), checks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let ended = jobs::stop_page_harm(&app, &leading, &mut *checks.lock().await).await;
            for _ in give_up_after(ended, &leader).await? {
                observe(Rule::PageHarm, &JobOutcome::Done);
            }
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR)
}

/// Reports failing health checks and reached verdicts to webhooks and watchers.
fn report_findings(app: App, leader: Leader) -> Task {
    let checks = Arc::new(Mutex::new(FindingChecks::default()));
    let task = Task::new("tell_findings", FINDINGS_PERIOD, move |_: Context| {
        let (app, leader, checks) = (app.clone(), leader.clone(), checks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let sent = jobs::report_findings(&app, &leading, &mut *checks.lock().await).await;
            give_up_after(sent, &leader).await?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR)
}

/// Stores summaries of results, for the overview.
fn summarise_results(app: App, leader: Leader) -> Task {
    let checks = Arc::new(Mutex::new(SummaryChecks::default()));
    let task = Task::new("summarise_results", SUMMARIES_PERIOD, move |_: Context| {
        let (app, leader, checks) = (app.clone(), leader.clone(), checks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let kept = jobs::summarise_results(&app, &leading, &mut *checks.lock().await).await;
            give_up_after(kept, &leader).await?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Dependency::Database).needs(Dependency::Warehouse).rest_factor(REST_FACTOR)
}

/// The leadership, which is taken if no node has it; `None` while another node leads.
pub(super) async fn lead(app: &App, leader: &Leader) -> Result<Option<Arc<Leadership>>, RunError> {
    let mut leadership = leader.lock().await;
    if let Some(held) = &*leadership
        && !held.holds().await
    {
        tracing::warn!("the database connection of the leader is lost; another node may act from now on");
        *leadership = None;
    }
    if leadership.is_none() {
        *leadership = Leadership::take(app).await.map_err(|error| act_error(&error))?.map(Arc::new);
    }
    Ok(leadership.clone())
}

/// Gives up the leadership after a failure, because another node may have it by now.
pub(super) async fn give_up_after<T>(result: Result<T, muriel_context::Error>, leader: &Leader) -> Result<T, RunError> {
    if result.is_err() {
        *leader.lock().await = None;
    }
    result.map_err(|error| act_error(&error))
}

/// Runs all jobs that are due, including those that become due because of others.
async fn run_due(app: &App, leading: &Leadership, observe: &JobsObserver) -> Result<(), muriel_context::Error> {
    // A job that stays due, for example because somebody changes its experiment, waits for the next run.
    let mut tried = HashSet::new();
    loop {
        let mut due = jobs::due(app).await?;
        due.retain(|job| tried.insert((job.rule, job.experiment.0, job.due_at)));
        if due.is_empty() {
            return Ok(());
        }
        for job in due {
            let outcome = jobs::run(app, leading, &job).await?;
            if let JobOutcome::Failed(reason) = &outcome {
                tracing::warn!(rule = job.rule.word(), test_id = job.experiment.0, error = reason, "a job failed");
            }
            observe(job.rule, &outcome);
        }
    }
}
