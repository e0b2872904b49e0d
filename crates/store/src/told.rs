//! Who is told what happens to experiments: webhooks, through the outbox, and the people who watch them, in their inboxes.
//!
//! Both are written in the transaction in which it happens, so that a restart or another node tells nothing twice.

use crate::experiments::Act;
use crate::{Result, inbox, webhooks};
use muriel_domain::Instant;
use muriel_domain::experiment::Experiment;
use muriel_domain::webhook::{Event, ExperimentChange};
use muriel_sql::Tx;

/// Tells what happened to an experiment. `by` is who did it, as history has them.
///
/// # Errors
/// When the database cannot be reached.
pub async fn tell(tx: &mut dyn Tx, experiment: &Experiment, events: Vec<Event>, by: &str, at: Instant) -> Result<()> {
    inbox::tell_watchers(tx, experiment, &events, by, at).await?;
    webhooks::tell(tx, experiment.project_id, events, at).await
}

/// Tells what a change of an experiment is, with the names of the fields that changed.
///
/// # Errors
/// When the database cannot be reached.
pub(crate) async fn tell_change(
    tx: &mut dyn Tx,
    (before, after): (Option<&Experiment>, Option<&Experiment>),
    fields: Vec<&str>,
    act: &Act<'_>,
    at: Instant,
) -> Result<()> {
    let Some(experiment) = after.or(before) else { return Ok(()) };
    let events = ExperimentChange { before, after, fields, actor: act.actor }.events();
    tell(tx, experiment, events, act.by, at).await
}
