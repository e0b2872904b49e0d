//! Reading and deleting the data of one visitor.
//!
//! A deletion has a row in the database for each node, because each node has its own event log. The row
//! contains a MAC of the visitor's id instead of the id. The node compares it with the MAC of every
//! visitor in its log; see [`muriel_log::erase`].
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

mod expire;
mod read;
mod work;

pub use expire::{ExpiryOutcome, delete_expired};
pub use read::{MAX_PAGE, PageCursor, VisitorPage, page};
pub use work::run_jobs;

use crate::app::App;
use crate::exclusions;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_domain::access::Scope;
use muriel_domain::ids::{ProjectId, VisitorJobId};
use muriel_store::tenants::Project;
use muriel_store::visitor_jobs::{self, IsNew, VisitorJob};
use uuid::Uuid;

/// Seconds after which to retry when too many deletions wait.
const BUSY_RETRY_S: u64 = 60;

/// Requests the deletion of a visitor's data on every node, and returns at once. Until a node has
/// begun, repeating the request returns the same deletion.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `Unavailable` while too many deletions wait, and when the database cannot
/// be reached.
pub async fn delete(app: &App, actor: &Actor, project: &Project, visitor_id: &str) -> Result<VisitorJob> {
    actor.require(Scope::Admin)?;
    let mark = app.pepper.rewrite_key().visitor(&project.key, visitor_id).0;
    let (project, own, now, visitor_id) = (project.clone(), app.node_id(), app.clock.now(), visitor_id.to_owned());
    let (log_job, by, actor) = (Uuid::now_v7().to_string(), actor.name().to_owned(), actor.clone());
    let written = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let id = visitor_jobs::insert(tx, project.id, mark, &log_job, (now, &by), own.as_deref()).await?;
            let (id, IsNew(is_new)) = id.ok_or(Error::Unavailable { retry_after_s: BUSY_RETRY_S })?;
            // Without events there is nothing to exclude, and an exclusion has the visitor's id.
            exclusions::forget_visitor(tx, project.id, &visitor_id).await?;
            if is_new {
                // The audit log is permanent, so it does not contain the visitor's id.
                let act = Act::within(&actor, &project, now);
                act.record(tx, "delete", object("visitor_data", id, ""), None, None).await?;
            }
            Ok(visitor_jobs::find(tx, project.id, id).await?)
        })
    });
    written.await?.ok_or(Error::NotFound("visitor job"))
}

/// Returns a deletion of the project.
///
/// # Errors
/// `NotFound`, and when the database cannot be reached.
pub async fn job(app: &App, project: ProjectId, id: VisitorJobId) -> Result<VisitorJob> {
    let found = app.read(move |tx| Box::pin(async move { Ok(visitor_jobs::find(tx, project, id).await?) })).await?;
    found.ok_or(Error::NotFound("visitor job"))
}

/// Returns the deletions of the project, newest first, at most `limit`.
pub async fn jobs(app: &App, project: ProjectId, limit: i64) -> Result<Vec<VisitorJob>> {
    app.read(move |tx| Box::pin(async move { Ok(visitor_jobs::list(tx, project, limit).await?) })).await
}
