//! Acts on experiments.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod change;
mod conclude;
mod confirm;
mod create;
mod delete;
mod history;
mod plan_departures;
mod serve;
mod status;
mod update;

pub(crate) use change::Change;
pub use change::{Changed, Target};
pub use conclude::{NewConclusion, conclude, conclusion, reopen, store_result};
pub(crate) use confirm::confirmed;
pub use confirm::{Confirmation, confirm};
pub use create::{Created, NewExperiment, create};
pub use delete::{Deleted, delete};
pub use history::{HistoryPage, HistoryStep, archive, history, state_at};
pub use serve::{Winner, serve, set_rollout, stop_serving};
pub use status::{StatusChange, StatusChanged, set_status};
pub(crate) use status::{plan_for, planned};
pub use update::{Edit, Previewed, Proposed, Updated, preview, restore, update};
pub(crate) use update::{decide, prepare};

use crate::app::App;
use bytes::Bytes;
use muriel_context::actor::Actor;
use muriel_context::error::{Error, Result};
use muriel_context::list_cache::ListKey;
use muriel_domain::experiment::{Epoch, Experiment};
use muriel_domain::ids::{CompanyId, ExperimentId, ProjectId};
use muriel_store::experiments::{self, ListedExperiment, LoadedExperiment};

const NOT_FOUND: Error = Error::NotFound("experiment");

/// Returns a page of the company's experiments that the actor can see, newest created first, serialised by
/// `render`. Pages are cached until a change.
pub async fn list(
    app: &App,
    actor: &Actor,
    company: CompanyId,
    (limit, offset): (i64, i64),
    render: impl FnOnce(Vec<ListedExperiment>) -> Result<Bytes>,
) -> Result<Bytes> {
    let limited_to = actor.limited_to();
    let key = ListKey { company, limited_to: limited_to.clone(), limit, offset };
    // Taken before the list is read, so that a change during the read makes the page stale.
    let version = app.list_cache.version(company);
    if let Some(list) = version.and_then(|version| app.list_cache.get(&key, version)) {
        return Ok(list);
    }
    let listed = app
        .read(move |tx| {
            Box::pin(async move { Ok(experiments::list(tx, company, limited_to.as_ref(), limit, offset).await?) })
        })
        .await?;
    let list = render(listed)?;
    if let Some(version) = version {
        app.list_cache.put(key, version, list.clone());
    }
    Ok(list)
}

/// Returns ids and keys of the project's experiments after this id, lowest id first.
pub async fn keys(
    app: &App,
    project: ProjectId,
    after: ExperimentId,
    limit: i64,
) -> Result<Vec<(ExperimentId, String)>> {
    app.read(move |tx| Box::pin(async move { Ok(experiments::keys(tx, project, after, limit).await?) })).await
}

/// Returns an experiment with its hypothesis and primary goal.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn find(app: &App, project: ProjectId, id: ExperimentId) -> Result<LoadedExperiment> {
    let found = app.read(move |tx| Box::pin(async move { Ok(experiments::find(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)
}

/// Returns an experiment as it is or would be delivered to visitors, whatever its status.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn find_delivered(app: &App, project: ProjectId, id: ExperimentId) -> Result<Experiment> {
    let found = app.read(move |tx| Box::pin(async move { Ok(experiments::delivery(tx, project, id).await?) })).await?;
    found.ok_or(NOT_FOUND)
}

/// Returns an experiment with its epochs, oldest first, from one snapshot.
///
/// # Errors
/// Same as [`find`].
pub async fn details(app: &App, project: ProjectId, id: ExperimentId) -> Result<(LoadedExperiment, Vec<Epoch>)> {
    app.read(move |tx| {
        Box::pin(async move {
            let loaded = experiments::find(tx, project, id).await?.ok_or(NOT_FOUND)?;
            let epochs = experiments::epochs(tx, id).await?;
            Ok((loaded, epochs))
        })
    })
    .await
}
