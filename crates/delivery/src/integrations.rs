//! Last successes of integrations, as pages report them with their `health` events.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use muriel_context::Context;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::integration;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_store::integrations::{self, Success};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

/// Most successes that wait to be written. Further ones are dropped: a later success is recorded again.
const PENDING_MAX: usize = 10_000;

/// An integration of an experiment of a project.
type IntegrationKey = (ProjectId, ExperimentId, &'static str);

/// Successes that are not written yet.
#[derive(Debug, Default)]
pub struct IntegrationSuccesses {
    pending: Mutex<HashMap<IntegrationKey, Instant>>,
}

/// The tools that a page notified, according to a `health` event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotifiedTools {
    /// Project of the event.
    pub project: ProjectId,
    /// Experiment of the event.
    pub experiment: ExperimentId,
    /// Tools that were notified.
    pub tools: integration::ToolSet,
    /// Time of receipt of the event.
    pub at: Instant,
}

impl IntegrationSuccesses {
    /// Records which tools were notified. [`flush`] writes it to the database.
    pub fn note(&self, notified: &NotifiedTools) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for name in notified.tools.names() {
            let key = (notified.project, notified.experiment, name);
            if let Some(at) = pending.get_mut(&key) {
                *at = notified.at.max(*at);
            } else if pending.len() < PENDING_MAX {
                pending.insert(key, notified.at);
            }
        }
    }
}

/// Writes the recorded successes. Those that cannot be written are dropped: later ones are recorded again.
pub async fn flush(context: &Context, successes: &IntegrationSuccesses) -> Result<()> {
    let pending = std::mem::take(&mut *successes.pending.lock().unwrap_or_else(PoisonError::into_inner));
    if pending.is_empty() {
        return Ok(());
    }
    let mut noted: Vec<Success> = pending
        .into_iter()
        .map(|((project, experiment, name), at)| Success { project, experiment, name, at })
        .collect();
    // All nodes write in the same order, so that they cannot deadlock.
    noted.sort_by_key(|success| (success.experiment.0, success.name));
    context
        .db
        .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(integrations::succeeded(tx, &noted).await?) }))
        .await
}

/// Returns the last success of each integration of an experiment, by name.
pub async fn last_successes(context: &Context, id: ExperimentId) -> Result<BTreeMap<String, Instant>> {
    context.read(move |tx| Box::pin(async move { Ok(integrations::last_successes(tx, id).await?) })).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_success_is_noted_and_the_number_is_bounded() {
        let successes = IntegrationSuccesses::default();
        let notified = |id: i64, at: i64| NotifiedTools {
            project: ProjectId(1),
            experiment: ExperimentId(id),
            tools: integration::ToolSet::read("ga4 segment").unwrap(),
            at: Instant::from_us(at),
        };
        successes.note(&notified(1, 5));
        successes.note(&notified(1, 3));
        let at = |id: i64| {
            let key = (ProjectId(1), ExperimentId(id), "segment");
            successes.pending.lock().unwrap().get(&key).map(|at| at.us())
        };
        assert_eq!((at(1), at(2)), (Some(5), None));
        for id in 2..=PENDING_MAX as i64 {
            successes.note(&notified(id, 1));
        }
        assert_eq!(successes.pending.lock().unwrap().len(), PENDING_MAX);
        successes.note(&notified(1, 9));
        assert_eq!(at(1), Some(9));
    }
}
