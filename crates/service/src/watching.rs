//! Watching experiments: watchers are notified of events of an experiment.

use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::Problems;
use muriel_domain::ids::{ExperimentId, PersonId, ProjectId};
use muriel_domain::inbox::WATCHERS_MAX;
use muriel_sql::Tx;
use muriel_store::{experiments, watches};

const NOT_FOUND: Error = Error::NotFound("experiment");

/// State of a person's watch, and the number of watchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watching {
    /// True when the person watches the experiment.
    pub watching: bool,
    /// Number of watchers who can see the project.
    pub watchers: usize,
}

/// Returns whether the person watches the experiment.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn show(app: &App, project: ProjectId, id: ExperimentId, person: PersonId) -> Result<Watching> {
    app.read(move |tx| {
        Box::pin(async move {
            exists(tx, project, id).await?;
            shown(tx, project, id, person).await
        })
    })
    .await
}

/// Starts or ends a person's watch of the experiment.
///
/// # Errors
/// `NotFound`; too many watchers; and when the database cannot be reached.
pub async fn set(
    app: &App,
    project: ProjectId,
    id: ExperimentId,
    person: PersonId,
    watching: bool,
) -> Result<Watching> {
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                exists(tx, project, id).await?;
                let before = watches::state(tx, id, person).await?;
                if before != Some(watching) {
                    if watching && watches::count_all(tx, id).await? >= WATCHERS_MAX {
                        let full = format!("cannot be accepted: {WATCHERS_MAX} people already watch the experiment");
                        return Err(Problems::one("body", full).into());
                    }
                    watches::set(tx, id, person, watching).await?;
                }
                shown(tx, project, id, person).await
            })
        })
        .await
}

async fn exists(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId) -> Result<()> {
    experiments::shape(tx, project, id).await?.map(|_| ()).ok_or(NOT_FOUND)
}

async fn shown(tx: &mut dyn Tx, project: ProjectId, id: ExperimentId, person: PersonId) -> Result<Watching> {
    let watchers = watches::watchers(tx, project, id).await?;
    Ok(Watching { watching: watchers.contains(&person), watchers: watchers.len() })
}
