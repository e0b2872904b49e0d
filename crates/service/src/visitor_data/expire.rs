//! Deleting what projects no longer keep.

use super::work::pacer;
use crate::app::App;
use crate::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_log::{EraseError, ErasedEvents, Erasure, PruneRefusal, erase, plan_expiry};
use muriel_store::tenants;
use std::collections::BTreeMap;
use uuid::Uuid;

/// What became of the old events of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiryOutcome {
    /// The key of the project.
    pub project_key: String,
    /// After how many days its events are deleted.
    pub days: i64,
    /// Events that were deleted.
    pub deleted: u64,
    /// Why events that are old enough were kept.
    pub held: Option<PruneRefusal>,
}

/// Deletes the events of closed files of this node's log that are older than their project keeps them, by a clock that says
/// `now`. Projects without anything to delete are left out of the answer.
///
/// # Errors
/// When the database cannot be reached, or the log cannot be read or rewritten. Files that were rewritten by then stay so.
pub async fn delete_expired(app: &App, now: Instant) -> Result<Vec<ExpiryOutcome>> {
    let Some(log) = app.log() else { return Err(Error::Unavailable { retry_after_s: 1 }) };
    let retentions = app.read(|tx| Box::pin(async move { Ok(tenants::retentions(tx).await?) })).await?;
    if retentions.is_empty() {
        return Ok(Vec::new());
    }
    let before: BTreeMap<String, Instant> = retentions
        .iter()
        .map(|(project_key, days)| (project_key.clone(), now.plus_us(-days.saturating_mul(DAY_US))))
        .collect();
    let (log, key) = (log.clone(), app.pepper.rewrite_key());
    let deleted = tokio::task::spawn_blocking(move || {
        let plans = plan_expiry(log.dir(), &before)?;
        let due = plans.iter().filter(|(_, plan)| plan.events > 0 && plan.held.is_none());
        let erasures: Vec<Erasure> = due
            .filter_map(|(project_key, _)| {
                let what = ErasedEvents::ReceivedBefore(*before.get(project_key)?);
                Some(Erasure { job: Uuid::nil(), project_key: project_key.as_str().into(), what })
            })
            .collect();
        let mut outcomes: BTreeMap<String, (u64, Option<PruneRefusal>)> = plans
            .into_iter()
            .filter(|(_, plan)| plan.events > 0)
            .map(|(project_key, plan)| (project_key, (0, plan.held)))
            .collect();
        if !erasures.is_empty() {
            let mut pace = pacer(&log, |_| ());
            let report = erase(&log, &key, now, &erasures, &mut pace)?;
            for (erasure, events) in erasures.iter().zip(report.removed) {
                outcomes.entry(erasure.project_key.to_string()).or_default().0 = events;
            }
        }
        Ok::<_, EraseError>(outcomes)
    });
    let mut outcomes = match deleted.await.map_err(Error::internal)? {
        Ok(outcomes) => outcomes,
        // The server stops, or a visitor's data is being deleted: the next run goes on.
        Err(EraseError::Stopped | EraseError::InProgress) => return Ok(Vec::new()),
        Err(error) => return Err(Error::internal(error)),
    };
    let outcome = |(project_key, days): (String, i64)| {
        let (deleted, held) = outcomes.remove(&project_key)?;
        Some(ExpiryOutcome { project_key, days, deleted, held })
    };
    Ok(retentions.into_iter().filter_map(outcome).collect())
}
