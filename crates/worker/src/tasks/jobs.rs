//! Does what is due at its moment: starts and ends experiments.

use super::act_error;
use super::interactions::{LeftOutObserver, look_for_interactions};
use crate::task::{Context, Need, Progress, RunError, Task};
use muriel_domain::experiment::Rule;
use muriel_service::App;
use muriel_service::jobs::{self, FindingLooks, JobOutcome, Leadership, Looks, PageLooks, SummaryLooks};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// An act is seen within two seconds of its moment.
const PERIOD: Duration = Duration::from_millis(500);
/// How often results are looked for that webhooks or watchers want to know of, each once a minute or every five, or that may harm pages.
const FINDINGS_PERIOD: Duration = Duration::from_secs(1);
/// How often results are looked for whose summaries are due; each is looked at once a minute.
const SUMMARIES_PERIOD: Duration = Duration::from_secs(2);
/// Reports take at most a fifth of the time, so that requests keep most of the warehouse.
pub(super) const REST_FACTOR: u32 = 4;

/// Is told of each job: its rule and what became of it.
pub type JobsObserver = Arc<dyn Fn(Rule, &JobOutcome) + Send + Sync>;

/// Whether this node leads, shared by the tasks that act. Neither holds it while it acts: a report that takes long must not
/// delay a start.
pub(super) type Leader = Arc<Mutex<Option<Arc<Leadership>>>>;

/// The tasks of the clock. One node at a time runs them.
pub fn clock(app: &App, observe: JobsObserver, left_out: LeftOutObserver) -> [Task; 6] {
    let leader = Leader::default();
    [
        run_jobs(app.clone(), leader.clone(), observe.clone()),
        check_completion_rules(app.clone(), leader.clone(), observe.clone()),
        stop_page_harm(app.clone(), leader.clone(), observe),
        tell_findings(app.clone(), leader.clone()),
        look_for_interactions(app.clone(), leader.clone(), left_out),
        summarise_results(app.clone(), leader),
    ]
}

/// Starts and ends experiments whose moment has come.
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
    task.needs(Need::Database).max_backoff(PERIOD)
}

/// Ends experiments whose results meet one of their rules.
fn check_completion_rules(app: App, leader: Leader, observe: JobsObserver) -> Task {
    let looks = Arc::new(Mutex::new(Looks::default()));
    let task = Task::new("check_completion_rules", PERIOD, move |_: Context| {
        let (app, leader, observe, looks) = (app.clone(), leader.clone(), observe.clone(), looks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let ended = jobs::check_results(&app, &leading, &mut *looks.lock().await).await;
            let ended = give_up_after(ended, &leader).await?;
            for (_, rule) in ended {
                observe(rule, &JobOutcome::Done);
            }
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database).needs(Need::Warehouse).rest_factor(REST_FACTOR).max_backoff(PERIOD)
}

/// Ends experiments that harm pages, where their projects say so.
fn stop_page_harm(app: App, leader: Leader, observe: JobsObserver) -> Task {
    let looks = Arc::new(Mutex::new(PageLooks::default()));
    let task = Task::new("stop_page_harm", FINDINGS_PERIOD, move |_: Context| {
        let (app, leader, observe, looks) = (app.clone(), leader.clone(), observe.clone(), looks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let ended = jobs::stop_page_harm(&app, &leading, &mut *looks.lock().await).await;
            for _ in give_up_after(ended, &leader).await? {
                observe(Rule::PageHarm, &JobOutcome::Done);
            }
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database).needs(Need::Warehouse).rest_factor(REST_FACTOR)
}

/// Tells webhooks and watchers of health checks that fail and verdicts that are reached.
fn tell_findings(app: App, leader: Leader) -> Task {
    let looks = Arc::new(Mutex::new(FindingLooks::default()));
    let task = Task::new("tell_findings", FINDINGS_PERIOD, move |_: Context| {
        let (app, leader, looks) = (app.clone(), leader.clone(), looks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let told = jobs::tell_findings(&app, &leading, &mut *looks.lock().await).await;
            give_up_after(told, &leader).await?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database).needs(Need::Warehouse).rest_factor(REST_FACTOR)
}

/// Keeps what results say in brief, for the overview.
fn summarise_results(app: App, leader: Leader) -> Task {
    let looks = Arc::new(Mutex::new(SummaryLooks::default()));
    let task = Task::new("summarise_results", SUMMARIES_PERIOD, move |_: Context| {
        let (app, leader, looks) = (app.clone(), leader.clone(), looks.clone());
        async move {
            let Some(leading) = lead(&app, &leader).await? else { return Ok(Progress::Continue) };
            let kept = jobs::summarise_results(&app, &leading, &mut *looks.lock().await).await;
            give_up_after(kept, &leader).await?;
            Ok(Progress::Continue)
        }
    });
    task.needs(Need::Database).needs(Need::Warehouse).rest_factor(REST_FACTOR)
}

/// The leadership, taken where nobody has it; `None` while another node leads.
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

/// Gives the lead up after a failure: perhaps another node has it by now.
pub(super) async fn give_up_after<T>(result: Result<T, muriel_service::Error>, leader: &Leader) -> Result<T, RunError> {
    if result.is_err() {
        *leader.lock().await = None;
    }
    result.map_err(|error| act_error(&error))
}

/// Does everything that is due, also what becomes due by that.
async fn run_due(app: &App, leading: &Leadership, observe: &JobsObserver) -> Result<(), muriel_service::Error> {
    // One that stays due, for instance because somebody changes its experiment, has to wait for the next run.
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
