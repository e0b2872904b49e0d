//! Notifications about experiments: to webhooks, through the outbox, and to the people who watch them, in their
//! inboxes.
//!
//! Both are written in the transaction of the event, so that a restart or another node sends nothing twice.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::{Result, inbox, webhooks};
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_domain::webhook::{Event, ExperimentChange};
use muriel_sql::Tx;

/// Records events of an experiment for its watchers and for webhooks. `by` is the actor, in the form that history uses.
pub async fn record_events(
    tx: &mut dyn Tx,
    experiment: &Experiment,
    events: Vec<Event>,
    by: &str,
    at: Instant,
) -> Result<()> {
    inbox::notify_watchers(tx, experiment, &events, by, at).await?;
    webhooks::send_events(tx, experiment.project_id, events, at).await
}

/// Records the events of a change of an experiment. `by` is the actor, in the form that history uses.
pub(crate) async fn record_change(tx: &mut dyn Tx, change: &ExperimentChange<'_>, by: &str, at: Instant) -> Result<()> {
    let Some(experiment) = change.after.or(change.before) else { return Ok(()) };
    record_events(tx, experiment, change.events(), by, at).await
}
