//! Notifications about experiments: to webhooks, through the outbox, and to the people who watch them, in their
//! inboxes.
//!
//! Both are written in the transaction of the event, so that a restart or another node sends nothing twice.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::experiments::Act;
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

/// Records the events of a change of an experiment. `fields` are the names of the changed fields.
pub(crate) async fn record_change(
    tx: &mut dyn Tx,
    (before, after): (Option<&Experiment>, Option<&Experiment>),
    fields: Vec<&str>,
    act: &Act<'_>,
    at: Instant,
) -> Result<()> {
    let Some(experiment) = after.or(before) else { return Ok(()) };
    let events = ExperimentChange { before, after, fields, actor: act.actor }.events();
    record_events(tx, experiment, events, act.by, at).await
}
