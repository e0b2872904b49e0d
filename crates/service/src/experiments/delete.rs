//! Deleting an experiment.

use super::change::{Change, Target};
use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::audit::{Act as AuditAct, object};
use muriel_context::error::Result;
use muriel_store::experiments::Act;
use muriel_store::{delivery, experiments};
use serde_json::json;

/// A deleted experiment.
#[derive(Debug, Clone, Copy)]
pub struct Deleted {
    /// True when the experiment was live.
    pub was_live: bool,
}

/// Deletes an experiment: it no longer appears in any read, and is no longer delivered.
///
/// # Errors
/// `NotFound`, `PreconditionFailed`, and when the database cannot be reached.
pub async fn delete(app: &App, actor: &Actor, target: Target) -> Result<Deleted> {
    let change = Change::new(app, actor, target, "delete");
    let project = change.target.project.clone();
    let (was_live, was_delivered) = app
        .write(project.company_id, move |tx| {
            Box::pin(async move {
                let before = change.open(tx).await?;
                change.decided(&before, Ok(()))?;
                let by = change.actor.reference();
                let act = Act { actor: change.actor.name(), by: &by, action: "delete", detail: None };
                experiments::delete(tx, &before.experiment, &act, change.now).await?;
                let was_delivered = before.experiment.is_delivered();
                let act = AuditAct::within(&change.actor, &change.target.project, change.now);
                let thing = object("experiment", before.experiment.id, &before.experiment.name);
                let status = before.experiment.lifecycle.status().word();
                act.removed(tx, "delete", thing, json!({ "status": status })).await?;
                if was_delivered {
                    delivery::announce(tx, change.target.project.id).await?;
                }
                Ok((before.experiment.lifecycle.is_live(), was_delivered))
            })
        })
        .await?;
    if was_delivered {
        app.rulesets.refresh(&project).await;
    }
    Ok(Deleted { was_live })
}
