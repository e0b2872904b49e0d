//! Stores summaries of results, for the overview of all experiments.
//!
//! Computing a report for each experiment of a list on request is too expensive. So the leader checks results
//! in turn, those that were not checked for the longest time first, and stores each summary with its time. A result
//! without changes is not computed again: its summary is valid for the present moment.

use super::{CHECK_AGAIN_US, Leadership, RunTime, check, fails_by_itself, look, project};
use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_domain::ids::ExperimentId;
use muriel_results::advice::Outlook;
use muriel_results::{Computed, Inquiry};
use muriel_store::overview::{self, ResultCheck};
use std::collections::HashMap;
use std::time::Duration;

/// Age at which the summary of a live experiment is checked again.
const PERIOD_US: i64 = 60_000_000;
/// Period of recomputation without new events: a result can change as days and times to convert end.
const RECOMPUTE_US: i64 = 3_600_000_000;
/// Experiments checked per run.
const PER_RUN: i64 = 200;
/// Time after which a run begins no further report.
const RUN_TIME: Duration = Duration::from_secs(20);
/// Most experiments whose state is remembered.
const REMEMBERED_MAX: usize = 20_000;

/// State of each experiment when its result was last computed.
#[derive(Debug, Default)]
pub struct SummaryChecks {
    seen: HashMap<ExperimentId, Seen>,
    /// Experiments whose check failed, with their revision and the period.
    failed: HashMap<ExperimentId, (i64, i64)>,
}

#[derive(Debug)]
struct Seen {
    revision: i64,
    generation: u64,
    last_block: i64,
    computed_at: Instant,
    check: ResultCheck,
}

/// Checks the results whose summaries are due. Returns the number of stored summaries.
///
/// # Errors
/// When the database cannot be reached. A result that cannot be computed now is checked again.
pub async fn summarise_results(app: &App, leadership: &Leadership, checks: &mut SummaryChecks) -> Result<usize> {
    let Some(reports) = app.results() else { return Ok(0) };
    let (time, before) = (RunTime::begin(app, RUN_TIME), app.clock.now().plus_us(-PERIOD_US));
    let due = app.read(move |tx| Box::pin(async move { Ok(overview::due_checks(tx, before, PER_RUN).await?) })).await?;
    if checks.seen.len() > REMEMBERED_MAX {
        checks.seen.clear();
    }
    let period = app.clock.now().us().div_euclid(CHECK_AGAIN_US);
    checks.failed.retain(|_, (_, of)| *of == period);
    let mut kept = Vec::new();
    for due in due {
        if time.is_over(app) {
            break;
        }
        if checks.failed.get(&due.id) == Some(&(due.revision, period)) {
            continue;
        }
        let Some(project) = project(app, due.project).await? else { continue };
        let (loader, now) = (reports.loader(), app.clock.now());
        let (generation, last_block) = (loader.generation(), loader.touched(&project.key).seq);
        let seen = checks.seen.get(&due.id).filter(|seen| {
            let state = (seen.revision, seen.generation, seen.last_block);
            let is_same = state == (due.revision, generation, last_block) && !due.is_outdated;
            is_same && now.us() - seen.computed_at.us() < RECOMPUTE_US
        });
        if let Some(seen) = seen {
            kept.push((due.id, ResultCheck { as_of: now, ..seen.check.clone() }));
            continue;
        }
        match look(app, &project, due.id, Inquiry::default()).await {
            Ok((experiment, computed)) => {
                let result_check = summary(&experiment, &computed, now)?;
                let revision = experiment.revision;
                let seen = Seen { revision, generation, last_block, computed_at: now, check: result_check.clone() };
                checks.seen.insert(due.id, seen);
                kept.push((due.id, result_check));
            }
            // The warehouse is busy.
            Err(Error::Unavailable { .. }) => {}
            Err(error) => {
                if fails_by_itself(due.id, "summarise_results", error)? {
                    checks.failed.insert(due.id, (due.revision, period));
                }
            }
        }
    }
    let (number, term) = (kept.len(), leadership.term);
    if number > 0 {
        let write = app.db.write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                check(tx, term).await?;
                for (id, result_check) in &kept {
                    overview::save_check(tx, *id, result_check).await?;
                }
                Ok(())
            })
        });
        write.await?;
    }
    Ok(number)
}

fn summary(experiment: &Experiment, computed: &Computed, now: Instant) -> Result<ResultCheck> {
    let outlook = Outlook::of(computed);
    let start = experiment.milestones.first_start.filter(|_| experiment.lifecycle.is_live());
    Ok(ResultCheck {
        as_of: now,
        revision: experiment.revision,
        verdict: outlook.verdict.clone().unwrap_or_default(),
        health: outlook.health.clone(),
        visitors: i64::try_from(outlook.visitors).unwrap_or(i64::MAX),
        ready_at: start.and_then(|start| outlook.ready_at(start.started_at, now)),
        summary: serde_json::to_value(&outlook).map_err(Error::internal)?,
    })
}
