//! Companies and their projects.

use crate::actor::Actor;
use crate::api_key::{ApiKey, random_text};
use crate::app::App;
use crate::error::{ConflictCode, Error, Result};
use crate::keys;
use muriel_domain::access::{Grant, Scope, Scopes};
use muriel_domain::page::PageSettings;
use muriel_domain::{Problems, text};
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, keys as stored_keys, lock};
use std::sync::Arc;

/// The longest name of a company or project, in characters.
const NAME_MAX: usize = 255;

/// A project to create.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Name of the company; it is created if it is new.
    pub company: String,
    /// Name of the project, new in its company.
    pub name: String,
    /// What paths and pages call it; random by default.
    pub key: Option<String>,
}

/// Creates a project, and its company if that is new.
///
/// # Errors
/// `MissingScope` without the scope `admin`; names that are blank or too long; a project of this
/// name in the company; and when the database cannot be reached.
pub async fn create(app: &App, actor: &Actor, new: NewProject) -> Result<Project> {
    create_with(app, actor, new, None).await
}

/// As [`create`], with a key that has every scope for all of the company, in one step.
///
/// # Errors
/// As [`create`], and when the system gives no random bytes.
pub async fn create_with_key(app: &App, actor: &Actor, new: NewProject) -> Result<(Project, ApiKey)> {
    let key = ApiKey::generate().map_err(Error::internal)?;
    let project = create_with(app, actor, new, Some(key.clone())).await?;
    Ok((project, key))
}

async fn create_with(app: &App, actor: &Actor, new: NewProject, key: Option<ApiKey>) -> Result<Project> {
    actor.require(Scope::Admin)?;
    let titled =
        |field: &str, name: &str| text::title(name, NAME_MAX).map_err(|flaw| Problems::one(field, flaw.to_string()));
    let company = titled("the name of the company", &new.company)?;
    let name = titled("the name of the project", &new.name)?;
    let project_key = match new.key {
        Some(key) => key,
        None => format!("prj_{}", random_text(22).map_err(Error::internal)?),
    };
    let (now, acting) = (app.clock.now(), app.clone());
    let inserted = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let company_id = tenants::company_ensure(tx, &company, now).await?;
            let taken = format!("the company \"{company}\" has a project \"{name}\" already");
            if let Some(there) = tenants::project_named(tx, company_id, &name).await? {
                return Err(Error::conflict(ConflictCode::KeyTaken, format!("{taken}; its key is {}", there.key)));
            }
            let inserted = tenants::project_insert(tx, company_id, &project_key, &name, now).await;
            let project = inserted.map_err(|error| match error.unique() {
                // Another transaction created it just now.
                Some("project_company_id_name_key") => Error::conflict(ConflictCode::KeyTaken, taken),
                _ => error.into(),
            })?;
            if let Some(key) = &key {
                let grant =
                    Grant { company_id, projects: None, scopes: Scopes::all(), expires_at: None, revoked_at: None };
                stored_keys::insert(tx, &keys::stored(&acting, key, format!("project {name}"), grant)).await?;
            }
            delivery::announce(tx, project.id).await?;
            Ok(project)
        })
    });
    let project = inserted.await?;
    app.access_cache.invalidate();
    app.rulesets.refresh(&Arc::new(project.clone())).await;
    Ok(project)
}

/// The most days for which a project can say that its events are kept.
const RETENTION_DAYS_MAX: i64 = 36_500;

/// Changes after how many days the project's events are deleted; `None` is when the log's own retention deletes them.
/// Returns the days that held before.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `NotFound`, days that are not from 1 to 36,500, and when the database cannot be
/// reached.
pub async fn set_retention(app: &App, actor: &Actor, project_key: &str, days: Option<i64>) -> Result<Option<i64>> {
    actor.require(Scope::Admin)?;
    if days.is_some_and(|days| !(1..=RETENTION_DAYS_MAX).contains(&days)) {
        let message = format!("must be from 1 to {RETENTION_DAYS_MAX}");
        return Err(Problems::one("retention_days", message).into());
    }
    let project_key = project_key.to_owned();
    let written = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let project = tenants::project_by_key(tx, &project_key).await?.ok_or(Error::NotFound("project"))?;
            lock(tx, project.id, Intent::Reshape).await?;
            let before = tenants::retention_days(tx, project.id).await?;
            if before != days {
                tenants::retention_days_set(tx, project.id, days).await?;
            }
            Ok(before)
        })
    });
    written.await
}

/// Changes how the script behaves on the project's pages: `change` makes the new settings of the
/// present ones. Returns the settings that the project has then.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `NotFound`, what `change` returns, and when the
/// database cannot be reached.
pub async fn change_page_settings(
    app: &App,
    actor: &Actor,
    project_key: &str,
    change: impl FnOnce(PageSettings) -> Result<PageSettings> + Send + 'static,
) -> Result<PageSettings> {
    actor.require(Scope::Admin)?;
    let project_key = project_key.to_owned();
    let written = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let project = tenants::project_by_key(tx, &project_key).await?.ok_or(Error::NotFound("project"))?;
            // Two changes at once are one after the other.
            lock(tx, project.id, Intent::Reshape).await?;
            let before = tenants::page_settings(tx, project.id).await?;
            let after = change(before.clone())?;
            if after != before {
                tenants::page_settings_set(tx, project.id, &after).await?;
                delivery::announce(tx, project.id).await?;
            }
            Ok((project, after))
        })
    });
    let (project, settings) = written.await?;
    app.rulesets.refresh(&Arc::new(project)).await;
    Ok(settings)
}
