//! The server's worker, and tasks that need the server's own parts; [`muriel_worker::tasks`] has the others.

mod database;
mod event_log;
mod health;
mod node_lease;
mod rate_limits;

pub(crate) use database::prepare_database;
pub(crate) use event_log::open_event_log;
pub(crate) use health::measure_health;
pub(crate) use muriel_worker::tasks::{
    clock, delete_expired_events, delete_old_events, delete_visitor_data, deliver_webhooks, refresh_geography,
    refresh_rulesets, report_conversions, report_exposures, trim_inboxes, warm_reports, write_integration_successes,
    write_key_uses,
};
pub(crate) use node_lease::renew_node_lease;
pub(crate) use rate_limits::sweep_rate_limits;

use crate::Error;
use muriel_api::metrics::Metrics;
use muriel_service::{App, jobs};
use muriel_store::jobs::Job;
use muriel_worker::{Dependency, RunError, TaskOutcome, TaskStatus, Worker};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Worker that uses the clock of `app`. Counts the runs of its tasks in `metrics`, and tells `/readyz` how many tasks
/// are failing.
pub(crate) fn worker(app: &App, metrics: &Arc<Metrics>) -> Worker {
    let (clock, known, metrics, app) = (app.clock.clone(), app.clone(), metrics.clone(), app.clone());
    let failing: Mutex<HashSet<&'static str>> = Mutex::default();
    let is_available = move |need| match need {
        Dependency::EventLog => known.log().is_some(),
        Dependency::Warehouse => known.results().is_some(),
        // Only the task itself can find out.
        Dependency::Database | Dependency::DiskSpace => true,
    };
    Worker::new(Arc::new(move || clock.now()), is_available).on_run(move |status| {
        count(&metrics, status);
        let mut failing = failing.lock().unwrap_or_else(PoisonError::into_inner);
        match status.is_failing() {
            true => failing.insert(status.name),
            false => failing.remove(status.name),
        };
        app.failing_tasks.store(failing.len(), std::sync::atomic::Ordering::Relaxed);
    })
}

fn count(metrics: &Metrics, status: &TaskStatus) {
    if status.is_running {
        return;
    }
    let succeeded = match status.outcome {
        TaskOutcome::Ok | TaskOutcome::Finished => true,
        TaskOutcome::Failed(_) => false,
        TaskOutcome::Pending | TaskOutcome::Waiting(_) => return,
    };
    metrics.task_ran(status.name, status.last_duration.unwrap_or_default(), succeeded);
}

/// Converts an error of a task. While the database cannot be reached, the task waits.
fn run_error(error: Error) -> RunError {
    match error {
        Error::Database(error) if error.is_unavailable() => RunError::Waiting(Dependency::Database),
        error => RunError::Failed(crate::error::sentence(&error)),
    }
}

/// State of each task, the next jobs and the nightly interaction checks, for `muriel status`. `jobs` and `interactions`
/// are null while the database cannot be reached.
pub(crate) async fn status(app: &App, worker: &Worker) -> Value {
    let tasks: Vec<_> = worker.statuses().iter().map(task_json).collect();
    let next = jobs::next(app).await.ok().map(|jobs| jobs.iter().map(job_json).collect::<Vec<_>>());
    let pairs =
        |(pairs, left_out)| json!({ "pairs": pairs, "left_out": left_out, "most_per_project": jobs::PAIRS_MAX });
    let interactions = jobs::interaction_totals(app).await.ok().map(pairs);
    json!({ "tasks": tasks, "jobs": next, "interactions": interactions })
}

fn job_json(job: &Job) -> Value {
    json!({
        "test_id": job.experiment.0,
        "act": job.rule.act().word(),
        "rule": job.rule.word(),
        "due_at": job.due_at,
        "attempts": job.attempts,
        "retry_at": job.retry_at,
        "reason": job.error,
    })
}

fn task_json(status: &TaskStatus) -> Value {
    let reason = match &status.outcome {
        _ if status.is_overdue => Some("the current run has exceeded its time limit".to_owned()),
        TaskOutcome::Failed(reason) => Some(reason.clone()),
        TaskOutcome::Waiting(need) => Some(format!("it waits for {}", need.words())),
        TaskOutcome::Pending | TaskOutcome::Ok | TaskOutcome::Finished => None,
    };
    json!({
        "name": status.name,
        "period_ms": status.period.as_millis() as u64,
        "outcome": status.outcome.word(),
        "reason": reason,
        "is_running": status.is_running,
        "runs": status.runs,
        "failures": status.failures,
        "consecutive_failures": status.consecutive_failures,
        "last_started_at": status.last_started_at,
        "last_duration_ms": status.last_duration.map(|took| took.as_secs_f64() * 1e3),
        "last_succeeded_at": status.last_succeeded_at,
        "next_due_at": status.next_due_at,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// A server has only the tasks that its settings need, so the names are collected from the sources.
    #[test]
    fn the_table_of_tasks_has_each_task() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut names = BTreeSet::new();
        for folder in ["cli/src/tasks", "worker/src/tasks"] {
            for file in std::fs::read_dir(crates.join(folder)).unwrap() {
                let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
                let made = source.split("Task::new(\"").skip(1).filter_map(|rest| rest.split('"').next());
                names.extend(made.map(str::to_owned));
            }
        }
        let guide = include_str!("../../../docs/running.md");
        let (_, table) = guide.split_once("| Task | Period |").unwrap();
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let documented: BTreeSet<_> = rows.filter_map(|row| row.split('`').nth(1)).map(str::to_owned).collect();
        assert!(names.len() > 20, "{names:?}");
        assert_eq!(documented, names);
    }
}
