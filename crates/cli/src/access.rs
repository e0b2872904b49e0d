//! Projects and API keys from the command line.

use crate::config::{Common, StorageSettings};
use crate::named::no_project;
use crate::open::{Opened, open, open_existing};
use crate::say::say;
use crate::{Error, Result, page};
use clap::{Args, Subcommand};
use muriel_context::Actor;
use muriel_context::api_key::ApiKey;
use muriel_context::clock::Clock;
use muriel_domain::Instant;
use muriel_domain::access::{Grant, Scopes};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::page::PageSettings;
use muriel_domain::text::one_line;
use muriel_domain::time::DAY_US;
use muriel_people::keys;
use muriel_service::projects;
use muriel_sql::Tx;
use muriel_store::keys::StoredKey;
use muriel_store::tenants::{self, Project};
use serde_json::json;
use std::collections::HashMap;

/// `muriel project …`
#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Create a project, its company if that is new, and an API key for the whole company.
    Create {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Name of the company; created if it is new.
        #[arg(long)]
        company: String,
        /// Name of the project.
        #[arg(long)]
        name: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List projects with their companies, keys and settings for pages.
    List {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Only projects of the company with this name.
        #[arg(long)]
        company: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Change how the script behaves on a project's pages; running servers deliver it within a second.
    Set {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// The project's key.
        key: String,
        /// Settings to change.
        #[command(flatten)]
        changes: page::Changes,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set the number of days after which a project's events are deleted, if that is sooner than the event log's own
    /// retention.
    Retention {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// The project's key.
        key: String,
        /// Days, from 1 to 36500, or off: events are kept as long as the log keeps its files.
        #[arg(value_name = "DAYS|off", value_parser = retention)]
        days: Retention,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the HTML to put into the head of every page.
    Snippet(page::Snippet),
}

/// `muriel key …`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it; it is not shown again.
    Create {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Name, scopes, projects and expiry.
        #[command(flatten)]
        wanted: WantedKey,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List a company's keys, without their secrets.
    List {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Name of the company.
        #[arg(long)]
        company: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; running servers refuse it within a second.
    Revoke {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// The key, or its id: the 8 characters after mrl_.
        key_id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Number of days after which a project's events are deleted; `None` for off.
#[derive(Debug, Clone, Copy)]
pub struct Retention(Option<i64>);

fn retention(text: &str) -> Result<Retention, String> {
    if text == "off" {
        return Ok(Retention(None));
    }
    let days = text.parse::<i64>().ok().filter(|days| (1..=36_500).contains(days));
    days.map(|days| Retention(Some(days))).ok_or_else(|| "must be from 1 to 36500, or off".to_owned())
}

/// Properties of a new key.
#[derive(Debug, Clone, Args)]
pub struct WantedKey {
    /// Name of the company.
    #[arg(long)]
    pub company: String,
    /// Purpose of the key, in your words.
    #[arg(long, default_value = "command line")]
    pub name: String,
    /// Scopes, separated by commas: read, write, code, evaluate, admin.
    #[arg(long, default_value = "read,write")]
    pub scopes: String,
    /// Limit the key to this project (its key); may be given several times.
    #[arg(long = "project", value_name = "PROJECT_KEY")]
    pub projects: Vec<String>,
    /// Days until it expires, or never.
    #[arg(long, default_value = "365", value_name = "DAYS")]
    pub expires_in_days: String,
}

/// A new project, with a key for its company.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Id of the project.
    pub project_id: ProjectId,
    /// Key of the project in paths and on pages.
    pub project_key: String,
    /// Key with every scope for the whole company.
    pub api_key: ApiKey,
}

/// Runs a project command.
///
/// # Errors
/// An error that says what prevents it.
pub async fn project(command: ProjectCommand) -> Result<()> {
    match command {
        ProjectCommand::Create { common, company, name, json } => {
            let opened = open(&StorageSettings::load(&common)?).await?;
            let made = project_create(&opened, &company, &name, &Clock::System).await?;
            opened.db.close().await?;
            if json {
                let made = json!({
                    "company_id": made.company_id,
                    "project_key": made.project_key,
                    "api_key": made.api_key.reveal(),
                });
                say!("{made}")?;
            } else {
                say!("company_id   {}", made.company_id)?;
                say!("project_key  {}", made.project_key)?;
                say!("api_key      {}", made.api_key.reveal())?;
                say!("\nThe API key has every scope for the whole company, and is not shown again.")?;
            }
        }
        ProjectCommand::List { common, company, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let projects = project_list(&opened, company).await?;
            opened.db.close().await?;
            print_projects(&projects, json)?;
        }
        ProjectCommand::Set { common, key, changes, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let settings = page::set(&opened, key.clone(), changes).await?;
            opened.db.close().await?;
            if json {
                say!("{}", json!({ "project_key": key, "settings": settings }))?;
            } else {
                say!("{key}  {}", page::line(&settings))?;
            }
        }
        ProjectCommand::Retention { common, key, days: Retention(days), json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let set = projects::set_retention(&opened.app(Clock::System), &Actor::COMMAND_LINE, &key, days).await;
            opened.db.close().await?;
            set.map_err(|error| match error {
                muriel_context::Error::NotFound(_) => no_project(&key),
                other => other.into(),
            })?;
            if json {
                say!("{}", json!({ "project_key": key, "retention_days": days }))?;
            } else {
                match days {
                    Some(days) => say!("{key}  events are deleted after {days} days, with the file they are in")?,
                    None => say!("{key}  events are kept as long as the event log keeps its files")?,
                }
            }
        }
        ProjectCommand::Snippet(asked) => page::snippet(asked).await?,
    }
    Ok(())
}

/// Project in a listing: the name of its company, the project, its settings for pages, and the number of days after
/// which its events are deleted.
pub type ListedProject = (String, Project, PageSettings, Option<i64>);

/// Lists projects with their companies' names and settings: of one company, or all.
///
/// # Errors
/// An unknown company.
pub async fn project_list(opened: &Opened, company: Option<String>) -> Result<Vec<ListedProject>> {
    opened
        .db
        .read::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let wanted = match &company {
                    Some(name) => Some(company_named(tx, name).await?),
                    None => None,
                };
                let mut projects = tenants::all_projects(tx).await?;
                projects.retain(|(_, project)| wanted.is_none_or(|company| company == project.company_id));
                let mut settings = tenants::all_settings(tx).await?;
                let retentions: HashMap<String, i64> = tenants::retentions(tx).await?.into_iter().collect();
                let listed = |(company, project): (String, Project)| {
                    let of = settings.remove(&project.id).unwrap_or_default().page();
                    let days = retentions.get(&project.key).copied();
                    (company, project, of, days)
                };
                Ok(projects.into_iter().map(listed).collect())
            })
        })
        .await
}

fn print_projects(projects: &[ListedProject], as_json: bool) -> Result<()> {
    if as_json {
        let projects: Vec<_> = projects
            .iter()
            .map(|(company, project, settings, days)| {
                json!({
                    "company_id": project.company_id,
                    "company": company,
                    "name": project.name,
                    "project_key": project.key,
                    "settings": settings,
                    "retention_days": days,
                })
            })
            .collect();
        return say!("{}", json!({ "projects": projects }));
    }
    // Names created by earlier versions can contain any characters.
    let wide = |text: &str| one_line(text).chars().count();
    let company = projects.iter().map(|(company, ..)| wide(company)).fold(7, usize::max);
    let name = projects.iter().map(|(_, project, ..)| wide(&project.name)).fold(7, usize::max);
    let key = projects.iter().map(|(_, project, ..)| wide(&project.key)).fold(3, usize::max);
    say!("{:<company$}  {:<name$}  {:<key$}  SETTINGS", "COMPANY", "PROJECT", "KEY")?;
    for (of, project, settings, days) in projects {
        let retention = days.map_or_else(String::new, |days| format!(" retention={days}"));
        let (of, called, settings) = (one_line(of), one_line(&project.name), page::line(settings));
        say!("{of:<company$}  {called:<name$}  {:<key$}  {settings}{retention}", project.key)?;
    }
    Ok(())
}

/// Creates a project, its company if that is new, and a key with every scope.
///
/// # Errors
/// Names that are blank or too long, and a project of this name in the company.
pub async fn project_create(opened: &Opened, company: &str, name: &str, clock: &Clock) -> Result<NewProject> {
    let new = projects::NewProject { company: company.to_owned(), name: name.to_owned(), key: None };
    let (project, api_key) = projects::create_with_key(&opened.app(clock.clone()), &Actor::COMMAND_LINE, new).await?;
    let Project { id, company_id, key, .. } = project;
    Ok(NewProject { company_id, project_id: id, project_key: key, api_key })
}

/// Runs a key command.
///
/// # Errors
/// An error that says what prevents it.
pub async fn key(command: KeyCommand) -> Result<()> {
    match command {
        KeyCommand::Create { common, wanted, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let (key, grant) = key_create(&opened, wanted, &Clock::System).await?;
            opened.db.close().await?;
            let expires = grant.expires_at.map(|at| at.to_string());
            if json {
                let made = json!({
                    "key_id": key.id(),
                    "api_key": key.reveal(),
                    "scopes": grant.scopes.to_string(),
                    "expires_at": expires,
                });
                say!("{made}")?;
            } else {
                say!("api_key     {}", key.reveal())?;
                say!("scopes      {}", grant.scopes)?;
                say!("expires_at  {}", expires.as_deref().unwrap_or("never"))?;
                say!("\nThe key is not shown again.")?;
            }
            Ok(())
        }
        KeyCommand::List { common, company, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let (keys, projects) = key_list(&opened, company).await?;
            opened.db.close().await?;
            print_keys(&keys, &projects, json)
        }
        KeyCommand::Revoke { common, key_id, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            // People usually have the whole key at hand. Only its id is used and printed.
            let key_id: String = key_id.strip_prefix("mrl_").unwrap_or(&key_id).chars().take(8).collect();
            let revoked = keys::revoke(&opened.app(Clock::System), &Actor::COMMAND_LINE, None, &key_id).await;
            opened.db.close().await?;
            revoked.map_err(|error| match error {
                muriel_context::Error::NotFound(_) => {
                    Error::Refused(format!("there is no key {key_id}; muriel key list shows all keys"))
                }
                other => other.into(),
            })?;
            if json {
                say!("{}", json!({ "key_id": key_id, "revoked": true }))?;
            } else {
                say!("{key_id} is revoked")?;
            }
            Ok(())
        }
    }
}

/// Creates a key. Returns it with its grant.
///
/// # Errors
/// An unknown company, project or scope, and an invalid expiry.
pub async fn key_create(opened: &Opened, wanted: WantedKey, clock: &Clock) -> Result<(ApiKey, Grant)> {
    let now = clock.now();
    let scopes = Scopes::parse(&wanted.scopes).map_err(|flaw| Error::Refused(format!("--scopes {flaw}")))?;
    let expires_at = match wanted.expires_in_days.as_str() {
        "never" => None,
        days => match days.parse::<i64>() {
            Ok(days @ 1..=36_500) => Some(now.plus_us(days * DAY_US)),
            _ => return Err(Error::Refused("--expires-in-days must be from 1 to 36500, or never".to_owned())),
        },
    };
    let found = opened.db.read::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let company_id = company_named(tx, &wanted.company).await?;
            Ok((company_id, listed(tx, company_id, &wanted.projects).await?, wanted.name))
        })
    });
    let (company_id, projects, name) = found.await?;
    let grant = Grant { company_id, projects, scopes, expires_at, revoked_at: None };
    let key = keys::create(&opened.app(clock.clone()), &Actor::COMMAND_LINE, name, grant.clone()).await?;
    Ok((key, grant))
}

async fn company_named(tx: &mut dyn Tx, name: &str) -> Result<CompanyId> {
    let company = tenants::company_named(tx, name.trim()).await?;
    company.ok_or_else(|| Error::Refused(format!("there is no company \"{name}\"; muriel project create creates one")))
}

/// Finds the company's projects with these keys; `None`, which means all, if no keys are given.
async fn listed(tx: &mut dyn Tx, company: CompanyId, project_keys: &[String]) -> Result<Option<Vec<ProjectId>>> {
    let mut projects = Vec::with_capacity(project_keys.len());
    for key in project_keys {
        match tenants::project_by_key(tx, key).await? {
            Some(project) if project.company_id == company => projects.push(project.id),
            _ => return Err(Error::Refused(format!("the company has no project with the key {key}"))),
        }
    }
    Ok((!projects.is_empty()).then_some(projects))
}

/// Lists the keys and the projects of a company.
async fn key_list(opened: &Opened, company: String) -> Result<(Vec<StoredKey>, Vec<Project>)> {
    let company =
        opened.db.read::<_, Error, _>(move |tx| Box::pin(async move { company_named(tx, &company).await })).await?;
    Ok(keys::list(&opened.app(Clock::System), company).await?)
}

fn print_keys(keys: &[StoredKey], projects: &[Project], as_json: bool) -> Result<()> {
    let moment = |at: Option<Instant>| at.map(|at| at.to_string());
    let limited = |key: &StoredKey| {
        let ids = key.grant.projects.as_ref()?;
        let of = projects.iter().filter(|project| ids.contains(&project.id));
        Some(of.map(|project| project.key.clone()).collect::<Vec<_>>())
    };
    if as_json {
        let keys: Vec<_> = keys
            .iter()
            .map(|key| {
                json!({
                    "key_id": key.id,
                    "name": key.name,
                    "scopes": key.grant.scopes.to_string(),
                    "project_ids": key.grant.projects,
                    "project_keys": limited(key),
                    "created_at": key.created_at,
                    "expires_at": key.grant.expires_at,
                    "revoked_at": key.grant.revoked_at,
                    "last_used_at": key.last_used_at,
                })
            })
            .collect();
        return say!("{}", json!({ "keys": keys }));
    }
    let of = |key: &StoredKey| limited(key).map_or_else(|| "all".to_owned(), |keys| keys.join(","));
    let wide = keys.iter().map(|key| of(key).len()).fold(8, usize::max);
    say!("{:<10} {:<32} {:<26} {:<26} {:<wide$} NAME", "KEY", "SCOPES", "EXPIRES", "LAST USED", "PROJECTS")?;
    for key in keys {
        let expires = match key.grant.revoked_at {
            Some(_) => "revoked".to_owned(),
            None => moment(key.grant.expires_at).unwrap_or_else(|| "never".to_owned()),
        };
        let used = moment(key.last_used_at).unwrap_or_else(|| "never".to_owned());
        let scopes = key.grant.scopes.to_string();
        say!("{:<10} {scopes:<32} {expires:<26} {used:<26} {:<wide$} {}", key.id, of(key), one_line(&key.name))?;
    }
    Ok(())
}
