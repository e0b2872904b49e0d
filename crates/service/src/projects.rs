//! Companies and their projects.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use crate::principal::Principal;
use muriel_context::actor::Actor;
use muriel_context::api_key::{ApiKey, random_text};
use muriel_context::audit::{Act, object};
use muriel_context::error::{ConflictCode, Error, Result};
use muriel_domain::access::{Grant, Scope, Scopes};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::page::PageSettings;
use muriel_domain::person::Role;
use muriel_domain::project::ProjectSettings;
use muriel_domain::{Problems, text};
use muriel_people::keys;
use muriel_sql::Tx;
use muriel_store::tenants::{self, Project};
use muriel_store::{Intent, delivery, keys as stored_keys, lock, overview};
use serde_json::{Value, json};
use std::sync::Arc;

/// Maximum length of a company or project name, in characters.
pub const NAME_MAX: usize = 255;
/// Most projects of a company.
const PROJECTS_MAX: usize = 1_000;
/// Field name for problems with a new project's name.
const NAME_FIELD: &str = "the name of the project";

/// A project to create.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Company name; the company is created if it is new.
    pub company: String,
    /// Project name, unique within the company.
    pub name: String,
    /// Project key used in paths and on pages; random by default.
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

/// Like [`create`], and also creates a key with every scope for all of the company, in one transaction.
///
/// # Errors
/// Same as [`create`], and when the system provides no random bytes.
pub async fn create_with_key(app: &App, actor: &Actor, new: NewProject) -> Result<(Project, ApiKey)> {
    let key = ApiKey::generate().map_err(Error::internal)?;
    let project = create_with(app, actor, new, Some(key.clone())).await?;
    Ok((project, key))
}

async fn create_with(app: &App, actor: &Actor, new: NewProject, key: Option<ApiKey>) -> Result<Project> {
    actor.require(Scope::Admin)?;
    let titled =
        |field: &str, name: &str| text::name(name, NAME_MAX).map_err(|flaw| Problems::one(field, flaw.to_string()));
    let company = titled("the name of the company", &new.company)?;
    let name = titled(NAME_FIELD, &new.name)?;
    let project_key = match new.key {
        Some(key) => key,
        None => format!("prj_{}", random_text(22).map_err(Error::internal)?),
    };
    let (now, acting, actor) = (app.clock.now(), app.clone(), actor.clone());
    let inserted = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let company_id = tenants::company_ensure(tx, &company, now).await?;
            let taken = format!("the company \"{company}\" has a project \"{name}\" already");
            if tenants::projects_of(tx, company_id).await?.len() >= PROJECTS_MAX {
                let message = format!("cannot be accepted: the company already has {PROJECTS_MAX} projects");
                return Err(Problems::one("body", message).into());
            }
            if let Some(there) = tenants::project_named(tx, company_id, &name).await? {
                return Err(Error::conflict(ConflictCode::KeyTaken, format!("{taken}; its key is {}", there.key)));
            }
            let inserted = tenants::project_insert(tx, company_id, &project_key, &name, now).await;
            let project = inserted.map_err(|error| match error.unique() {
                // Another transaction created it in the meantime.
                Some("project_company_id_name_key") => Error::conflict(ConflictCode::KeyTaken, taken),
                _ => error.into(),
            })?;
            if let Some(key) = &key {
                let grant =
                    Grant { company_id, projects: None, scopes: Scopes::all(), expires_at: None, revoked_at: None };
                stored_keys::insert(tx, &keys::stored(&acting, key, format!("project {name}"), grant)).await?;
            }
            delivery::announce(tx, project.id).await?;
            let after = json!({ "name": name, "company": company });
            Act::within(&actor, &project, now)
                .made(tx, "create", object("project", &project.key, &name), after)
                .await?;
            if let Some(key) = &key {
                let after = json!({ "scopes": Scopes::all().to_string() });
                let object = object("key", key.id(), &format!("project {name}"));
                Act::of(&actor, company_id, now).made(tx, "create", object, after).await?;
            }
            Ok(project)
        })
    });
    let project = inserted.await?;
    app.access_cache.invalidate();
    app.rulesets.refresh(&Arc::new(project.clone())).await;
    Ok(project)
}

/// Creates a project in an existing company, for one of its people.
///
/// # Errors
/// Same as [`create`].
pub async fn create_in(app: &App, actor: &Actor, company: CompanyId, name: String) -> Result<Project> {
    let company = app.read(move |tx| Box::pin(async move { Ok(tenants::company_name(tx, company).await?) })).await?;
    create(app, actor, NewProject { company, name, key: None }).await.map_err(|error| match error {
        Error::Invalid(problems) => {
            let mut renamed = Problems::default();
            for problem in problems.iter() {
                let field = if problem.field == NAME_FIELD { "name" } else { &problem.field };
                renamed.add(field, problem.message.clone());
            }
            Error::Invalid(renamed)
        }
        other => other,
    })
}

/// A project's name and settings, which are changed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSettings {
    /// Display name.
    pub name: String,
    /// The settings.
    pub settings: ProjectSettings,
}

impl NamedSettings {
    /// Value that the audit log keeps.
    fn audit_value(&self) -> Value {
        let mut value = serde_json::to_value(&self.settings).unwrap_or_default();
        value["name"] = json!(self.name);
        value
    }
}

/// The name and settings of a project.
pub async fn settings(app: &App, project: &Project) -> Result<NamedSettings> {
    let id = project.id;
    app.read(move |tx| Box::pin(async move { stored_settings(tx, id).await })).await
}

async fn stored_settings(tx: &mut dyn Tx, id: ProjectId) -> Result<NamedSettings> {
    let name = tenants::project_by_id(tx, id).await?.ok_or(Error::NotFound("project"))?.name;
    Ok(NamedSettings { name, settings: tenants::settings(tx, id).await? })
}

/// Upper limit of a project's retention, in days.
const RETENTION_DAYS_MAX: i64 = 36_500;

/// Changes the number of days after which the project's events are deleted; with `None` the log's own
/// retention applies. Returns the previous number.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `NotFound`, days that are not from 1 to 36,500, and when
/// the database cannot be reached.
pub async fn set_retention(app: &App, actor: &Actor, project_key: &str, days: Option<i64>) -> Result<Option<i64>> {
    actor.require(Scope::Admin)?;
    if days.is_some_and(|days| !(1..=RETENTION_DAYS_MAX).contains(&days)) {
        let message = format!("must be from 1 to {RETENTION_DAYS_MAX}");
        return Err(Problems::one("retention_days", message).into());
    }
    let (project_key, actor, now) = (project_key.to_owned(), actor.clone(), app.clock.now());
    let written = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let project = tenants::project_by_key(tx, &project_key).await?.ok_or(Error::NotFound("project"))?;
            lock(tx, project.id, Intent::Reshape).await?;
            let before = tenants::retention_days(tx, project.id).await?;
            if before != days {
                tenants::retention_days_set(tx, project.id, days).await?;
                let (was, is) = (json!({ "retention_days": before }), json!({ "retention_days": days }));
                let act = Act::within(&actor, &project, now);
                act.changed(tx, "settings", object("project", &project.key, &project.name), was, is).await?;
            }
            Ok(before)
        })
    });
    written.await
}

/// Changes the behaviour of the script on the project's pages: `change` derives the new settings from the
/// current ones. Returns the new settings.
///
/// # Errors
/// Same as [`change_settings`].
pub async fn change_page_settings(
    app: &App,
    actor: &Actor,
    project_key: &str,
    change: impl FnOnce(PageSettings) -> Result<PageSettings> + Send + 'static,
) -> Result<PageSettings> {
    let change = |NamedSettings { name, settings }| {
        let page = change(settings.page())?;
        Ok(NamedSettings { name, settings: settings.with_page(page) })
    };
    Ok(change_settings(app, actor, project_key, change).await?.settings.page())
}

/// Changes settings of a project: `change` derives the new ones from the current ones. Returns the new settings.
///
/// # Errors
/// `MissingScope` without the scope `admin`, `NotFound`, errors of `change`, a name that another
/// project of the company has, and when the database cannot be reached.
pub async fn change_settings(
    app: &App,
    actor: &Actor,
    project_key: &str,
    change: impl FnOnce(NamedSettings) -> Result<NamedSettings> + Send + 'static,
) -> Result<NamedSettings> {
    actor.require(Scope::Admin)?;
    let (actor, project_key, now) = (actor.clone(), project_key.to_owned(), app.clock.now());
    let written = app.db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let project = tenants::project_by_key(tx, &project_key).await?.ok_or(Error::NotFound("project"))?;
            // The lock serialises concurrent changes.
            lock(tx, project.id, Intent::Reshape).await?;
            let before = stored_settings(tx, project.id).await?;
            let after = change(before.clone())?;
            if after.name != before.name {
                rename(tx, &project, &after.name).await?;
            }
            if after.settings != before.settings && tenants::settings_set(tx, project.id, &after.settings).await? {
                delivery::announce(tx, project.id).await?;
            }
            let counted = |named: &NamedSettings| {
                let ProjectSettings { visitors, orders, page_origins, .. } = &named.settings;
                (*visitors, *orders, page_origins.clone())
            };
            if counted(&after) != counted(&before) {
                overview::outdate_checks(tx, project.id).await?;
            }
            let act = Act::within(&actor, &project, now);
            act.changed(
                tx,
                "settings",
                object("project", &project.key, &after.name),
                before.audit_value(),
                after.audit_value(),
            )
            .await?;
            Ok((Project { name: after.name.clone(), ..project }, after))
        })
    });
    let (project, settings) = written.await?;
    app.access_cache.invalidate();
    app.rulesets.refresh(&Arc::new(project)).await;
    Ok(settings)
}

async fn rename(tx: &mut dyn Tx, project: &Project, name: &str) -> Result<()> {
    let taken = || Error::conflict(ConflictCode::KeyTaken, "another project of the company has this name");
    if tenants::project_named(tx, project.company_id, name).await?.is_some() {
        return Err(taken());
    }
    tenants::project_rename(tx, project.id, name).await.map_err(|error| match error.unique() {
        Some("project_company_id_name_key") => taken(),
        _ => error.into(),
    })
}

/// Returns the projects of a company that the caller can see, oldest first, each with the caller's role
/// there, if it is a person, and the scopes.
pub async fn seen_by(app: &App, principal: &Principal) -> Result<Vec<(Project, Option<Role>, Scopes)>> {
    let company = principal.company_id();
    let all = app.read(move |tx| Box::pin(async move { Ok(tenants::projects_of(tx, company).await?) })).await?;
    let seen = |project: Project| {
        let scopes = principal.scopes_in(project.id)?;
        let role = match principal {
            Principal::Key(_) => None,
            Principal::Session(session) => session.in_project(project.id).map(|(role, _)| role),
        };
        Some((project, role, scopes))
    };
    Ok(all.into_iter().filter_map(seen).collect())
}
