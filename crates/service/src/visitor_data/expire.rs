//! Deletion of events whose retention has ended.

use super::work::pacer;
use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_log::{EraseError, ErasedEvents, Erasure, PruneRefusal, erase, plan_expiry};
use muriel_store::tenants;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Outcome of deleting a project's expired events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiryOutcome {
    /// Project key.
    pub project_key: String,
    /// Retention of the project, in days.
    pub days: i64,
    /// Number of deleted events.
    pub deleted: u64,
    /// Reason why expired events were kept.
    pub held: Option<PruneRefusal>,
}

/// Deletes events older than the project's retention at the time `now`, from closed files of this node's log.
/// Projects without expired events are left out of the result.
///
/// # Errors
/// When the database cannot be reached, or the log cannot be read or rewritten. Files that are already
/// rewritten stay so.
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
        // The server stops, or a visitor's data is being deleted: the next run continues.
        Err(EraseError::Stopped | EraseError::InProgress) => return Ok(Vec::new()),
        Err(error) => return Err(Error::internal(error)),
    };
    let outcome = |(project_key, days): (String, i64)| {
        let (deleted, held) = outcomes.remove(&project_key)?;
        Some(ExpiryOutcome { project_key, days, deleted, held })
    };
    Ok(retentions.into_iter().filter_map(outcome).collect())
}
