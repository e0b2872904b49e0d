//! Serving a winner, changing its rollout, and stopping it.

use super::change::{Change, Changed, Target};
use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::error::Result;
use muriel_context::idempotency::{IdempotencyKey, StoredResponse};
use muriel_domain::Problems;

/// The arm to serve, and the share of visitors who get it.
#[derive(Debug, Clone)]
pub struct Winner {
    /// Id of the arm: `0` for the control, `1`…
    pub arm: String,
    /// Percentage of the visitors, 0 to 100.
    pub rollout: i64,
}

/// Serves a winner, whatever the experiment's status. `render` makes the response.
///
/// # Errors
/// `NotFound`; then errors of `key` or `winner`; `PreconditionFailed`; a draft; a winner that is
/// already served; a change that a second person has to approve before visitors get it; and when the
/// database cannot be reached.
pub async fn serve(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    winner: Result<Winner, Problems>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let change = Change::new(app, actor, target, "serve winner").deciding();
    let decide = move |before: &muriel_store::experiments::LoadedExperiment, _| {
        let Winner { arm, rollout } = winner?;
        Ok(before.experiment.serving(&arm, rollout)?)
    };
    change.apply_once(app, key, decide, render).await
}

/// Changes the percentage of visitors who get the served winner.
///
/// # Errors
/// `NotFound`; then errors of `rollout`; `PreconditionFailed`; no winner is served; and when the
/// database cannot be reached.
pub async fn set_rollout(app: &App, actor: &Actor, target: Target, rollout: Result<i64>) -> Result<Changed> {
    let change = Change::new(app, actor, target, "serving rollout").deciding();
    change.apply(app, move |before, _| Ok(before.experiment.rolled_out(rollout?)?)).await
}

/// Stops serving the winner. `render` makes the response.
///
/// # Errors
/// `NotFound`; then errors of `key`; `PreconditionFailed`; no winner is served; and
/// when the database cannot be reached.
pub async fn stop_serving(
    app: &App,
    actor: &Actor,
    target: Target,
    key: Result<Option<IdempotencyKey>>,
    render: impl FnOnce(&Changed) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    let change = Change::new(app, actor, target, "stop serving");
    change.apply_once(app, key, |before, _| Ok(before.experiment.stopped()?), render).await
}
