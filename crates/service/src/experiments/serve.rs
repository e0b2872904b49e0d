//! Serving a winner, changing its rollout, stopping.

use super::change::{Change, Changed, Target};
use crate::actor::Actor;
use crate::app::App;
use crate::error::Result;
use crate::idempotency::{IdempotencyKey, StoredResponse};
use muriel_domain::Problems;

/// Which arm to serve, and to how many visitors.
#[derive(Debug, Clone)]
pub struct Winner {
    /// The arm's id: `0` for the control, `1`…
    pub arm: String,
    /// Percent of the visitors, 0 to 100.
    pub rollout: i64,
}

/// Serves a winner, whatever the experiment's status. The response is what `render` makes.
///
/// # Errors
/// `NotFound`; then what is wrong with `key` or `winner`; `PreconditionFailed`; a draft, a
/// winner that is served already, what a second person has to approve before visitors meet it; and when the database cannot be reached.
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

/// Changes to how many percent of the visitors the winner is served.
///
/// # Errors
/// `NotFound`; then what is wrong with `rollout`; `PreconditionFailed`; no winner is served;
/// and when the database cannot be reached.
pub async fn set_rollout(app: &App, actor: &Actor, target: Target, rollout: Result<i64>) -> Result<Changed> {
    let change = Change::new(app, actor, target, "serving rollout").deciding();
    change.apply(app, move |before, _| Ok(before.experiment.rolled_out(rollout?)?)).await
}

/// Stops serving the winner. The response is what `render` makes.
///
/// # Errors
/// `NotFound`; then what is wrong with `key`; `PreconditionFailed`; no winner is served; and
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
