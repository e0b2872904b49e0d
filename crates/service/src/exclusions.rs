//! Exclusions: recorded visits that a project does not count in results.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use muriel_context::actor::Actor;
use muriel_context::actors::Names;
use muriel_context::audit::{Act, object};
use muriel_context::error::{Error, Result};
use muriel_context::idempotency::{self, IdempotencyKey, StoredResponse};
use muriel_domain::Problems;
use muriel_domain::access::Scope;
use muriel_domain::exclusion::{EXCLUSIONS_MAX, Exclusion, ExclusionKind};
use muriel_domain::ids::{ExclusionId, ProjectId};
use muriel_sql::Tx;
use muriel_store::audit::ObjectRecord;
use muriel_store::exclusions::{self, StoredExclusion};
use muriel_store::tenants::Project;
use muriel_store::{Intent, lock, overview};
use serde_json::{Value, json};
use std::sync::Arc;

/// The exclusions of a project.
#[derive(Debug)]
pub struct Exclusions {
    /// The exclusions, oldest first.
    pub exclusions: Vec<StoredExclusion>,
    /// Display names of the authors.
    pub names: Names,
}

/// Returns the exclusions of a project.
///
/// # Errors
/// `MissingScope` without the scope `admin`.
pub async fn list(app: &App, actor: &Actor, project: ProjectId) -> Result<Exclusions> {
    actor.require(Scope::Admin)?;
    app.read(move |tx| {
        Box::pin(async move {
            let exclusions = exclusions::of_project(tx, project).await?;
            let names = Names::of(tx, exclusions.iter().map(|stored| stored.created_by.as_str())).await?;
            Ok(Exclusions { exclusions, names })
        })
    })
    .await
}

/// Creates an exclusion. All results of the project are computed without these visits from now on. `render` makes the
/// response, which is stored for a repeated request.
///
/// # Errors
/// `MissingScope` without the scope `admin`; then a `new` or a `key` that could not be read; an exclusion that exists;
/// too many exclusions.
pub async fn create(
    app: &App,
    actor: &Actor,
    project: &Arc<Project>,
    key: Result<Option<IdempotencyKey>>,
    new: Result<Exclusion>,
    render: impl FnOnce(&StoredExclusion, &Names) -> Result<String> + Send + 'static,
) -> Result<StoredResponse> {
    actor.require(Scope::Admin)?;
    let (new, key) = (new?, key?);
    let (now, actor, project) = (app.clock.now(), actor.clone(), project.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                lock(tx, project.id, Intent::Reshape).await?;
                if let Some(stored) = idempotency::replay(tx, key.as_ref()).await? {
                    return Ok(stored);
                }
                check_room(&exclusions::of_project(tx, project.id).await?, &new)?;
                let created_by = actor.reference();
                let id = exclusions::insert(tx, project.id, &new, now, &created_by).await?;
                let stored = StoredExclusion { id, exclusion: new, created_at: now, created_by };
                let names = Names::of(tx, [stored.created_by.as_str()]).await?;
                let rendered = render(&stored, &names)?;
                let response = idempotency::store(tx, key.as_ref(), rendered).await?;
                overview::outdate_checks(tx, project.id).await?;
                Act::within(&actor, &project, now).made(tx, "create", of(&stored), audit_value(&stored)).await?;
                Ok(response)
            })
        })
        .await
}

fn check_room(existing: &[StoredExclusion], new: &Exclusion) -> Result<()> {
    let is_same = |known: &Exclusion| {
        (known.kind, &known.value, known.from, known.until) == (new.kind, &new.value, new.from, new.until)
    };
    if let Some(same) = existing.iter().find(|stored| is_same(&stored.exclusion)) {
        let message = format!("cannot be accepted: exclusion {} excludes the same visits", same.id);
        return Err(Problems::one("body", message).into());
    }
    if existing.len() >= EXCLUSIONS_MAX {
        let message =
            format!("cannot be accepted: the project already has {EXCLUSIONS_MAX} exclusions; delete one first");
        return Err(Problems::one("body", message).into());
    }
    Ok(())
}

/// Deletes an exclusion. Results count its visits again.
///
/// # Errors
/// `MissingScope` without the scope `admin`; `NotFound`.
pub async fn delete(app: &App, actor: &Actor, project: &Arc<Project>, id: ExclusionId) -> Result<()> {
    actor.require(Scope::Admin)?;
    let (now, actor, project) = (app.clock.now(), actor.clone(), project.clone());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                lock(tx, project.id, Intent::Reshape).await?;
                let all = exclusions::of_project(tx, project.id).await?;
                let stored = all.into_iter().find(|stored| stored.id == id).ok_or(Error::NotFound("exclusion"))?;
                exclusions::delete(tx, project.id, id).await?;
                overview::outdate_checks(tx, project.id).await?;
                Act::within(&actor, &project, now).removed(tx, "delete", of(&stored), audit_value(&stored)).await
            })
        })
        .await
}

/// Deletes the exclusions that name a visitor whose data is deleted.
pub(crate) async fn forget_visitor(tx: &mut dyn Tx, project: ProjectId, visitor_id: &str) -> Result<()> {
    Ok(exclusions::forget_visitor(tx, project, visitor_id).await?)
}

/// The audit log's reference to an exclusion.
fn of(stored: &StoredExclusion) -> ObjectRecord {
    object("exclusion", stored.id, &stored.exclusion.reason)
}

/// The audit log's fields of an exclusion. The log is permanent, so it does not contain a visitor's id.
fn audit_value(stored: &StoredExclusion) -> Value {
    let Exclusion { kind, value, from, until, reason } = &stored.exclusion;
    let mut fields = json!({ "kind": kind.word(), "from": from, "to": until, "reason": reason });
    if *kind != ExclusionKind::Visitor {
        fields["value"] = json!(value);
    }
    fields
}
