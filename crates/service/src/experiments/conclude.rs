//! Concluding an experiment, and taking that back.

use super::change::{Change, Changed, Target};
use crate::actor::Actor;
use crate::app::App;
use crate::error::Result;
use muriel_domain::experiment::Conclusion;

/// Concludes an experiment, serving the arm with the id `winner` to everybody if one is given.
/// It becomes inactive unless a winner is served.
///
/// # Errors
/// `NotFound`, `PreconditionFailed`, an arm that it does not have, an experiment that is
/// concluded already or cannot serve, and when the database cannot be reached.
pub async fn conclude(
    app: &App,
    actor: &Actor,
    target: Target,
    conclusion: Conclusion,
    winner: Option<String>,
) -> Result<Changed> {
    let change = Change::new(app, actor, target, "conclude");
    change.apply(app, move |before, _| Ok(before.experiment.concluded(conclusion, winner.as_deref())?)).await
}

/// Takes a conclusion back; the experiment's status stays.
///
/// # Errors
/// `NotFound`, `PreconditionFailed`, an experiment that is not concluded, and when the database
/// cannot be reached.
pub async fn reopen(app: &App, actor: &Actor, target: Target) -> Result<Changed> {
    let change = Change::new(app, actor, target, "reopen");
    change.apply(app, |before, _| Ok(before.experiment.reopened()?)).await
}
