//! Projects, their settings and API keys in answers.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::access::Scopes;
use muriel_domain::ids::ProjectId;
use muriel_domain::person::Role;
use muriel_store::keys::StoredKey;
use muriel_store::tenants::Project;
use serde::Serialize;
use utoipa::ToSchema;

/// A project that somebody sees.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionProject {
    /// The project's key.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
    /// Display name.
    #[schema(example = "Shop")]
    pub(crate) name: String,
    /// The role there; null in the list of an API key.
    #[schema(required, value_type = Option<schemas::RoleName>)]
    pub(crate) role: Option<&'static str>,
    /// What may be done there.
    #[schema(value_type = Vec<schemas::ScopeName>)]
    pub(crate) scopes: Vec<&'static str>,
}

/// The projects of the company that the caller sees.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectList {
    /// Always true.
    pub(crate) success: bool,
    /// How many there are.
    pub(crate) count: usize,
    /// Oldest first.
    pub(crate) projects: Vec<SessionProject>,
}

/// A project was made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectCreated {
    /// Always true.
    pub(crate) success: bool,
    /// The project's key.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
}

/// A project's settings.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSettingsAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// The project's key.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
    /// The settings, all of them.
    pub(crate) settings: ProjectSettings,
}

/// How a project behaves.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSettings {
    /// Display name.
    #[schema(example = "Shop")]
    pub(crate) name: String,
    /// What happens before a visitor has answered whether they may be recorded.
    #[schema(value_type = schemas::ConsentMode)]
    pub(crate) consent: &'static str,
    /// Whether Global Privacy Control counts as a denial.
    pub(crate) gpc: bool,
    /// Whether automated browsers and crawlers take part in experiments.
    pub(crate) bots: bool,
    /// Percentage of page views whose health is reported.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) health: u8,
    /// Where pages reach the server; empty for the server that delivered the script.
    #[schema(example = "https://muriel.example.com")]
    pub(crate) base: String,
    /// Whether editors may change code that runs on pages.
    pub(crate) editors_have_code: bool,
    /// Whether a second person has to approve changes of code.
    pub(crate) approve_code: bool,
    /// Whether a second person has to approve changes of live experiments.
    pub(crate) approve_live: bool,
    /// Whether the clock ends experiments whose pages are known to be harmed: see `page_health` of a result.
    pub(crate) stop_on_page_harm: bool,
}

/// The company's API keys.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyList {
    /// Always true.
    pub(crate) success: bool,
    /// How many there are.
    pub(crate) count: usize,
    /// Oldest first; revoked and expired ones too.
    pub(crate) keys: Vec<ApiKeyItem>,
}

/// An API key without its secret.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiKeyItem {
    /// The 8 characters after `mrl_`, by which it is known.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// What it is for.
    #[schema(example = "nightly export")]
    pub(crate) name: String,
    /// What it may do.
    #[schema(value_type = Vec<schemas::ScopeName>)]
    pub(crate) scopes: Vec<&'static str>,
    /// The keys of the projects that it is limited to; null for every project of the company.
    #[schema(required)]
    pub(crate) projects: Option<Vec<String>>,
    /// The id of the person who made it, with whom it ends; null for the operator.
    #[schema(required)]
    pub(crate) created_by: Option<i64>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// When it is refused; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) expires_at: Option<Instant>,
    /// When it was revoked; null for not.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) revoked_at: Option<Instant>,
    /// When it was last used, to the minute; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_used_at: Option<Instant>,
}

/// An API key was made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyCreated {
    /// Always true.
    pub(crate) success: bool,
    /// The 8 characters by which it is known.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// The key. It is shown this once.
    #[schema(example = "mrl_Q2f8kX3m…")]
    pub(crate) api_key: String,
    /// When it is refused; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) expires_at: Option<Instant>,
}

/// An API key was revoked.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyRevoked {
    /// Always true.
    pub(crate) success: bool,
    /// The key's 8 characters.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// Always true.
    pub(crate) revoked: bool,
}

impl From<(Project, Option<Role>, Scopes)> for SessionProject {
    fn from((project, role, scopes): (Project, Option<Role>, Scopes)) -> Self {
        Self { project_key: project.key, name: project.name, role: role.map(Role::word), scopes: scopes.words() }
    }
}

impl ProjectSettingsAnswer {
    pub(crate) fn new(project: &Project, settings: muriel_service::projects::ProjectSettings) -> Self {
        let (page, team) = (settings.page, settings.team);
        Self {
            success: true,
            project_key: project.key.clone(),
            settings: ProjectSettings {
                name: settings.name,
                consent: page.consent.word(),
                gpc: page.gpc,
                bots: page.bots,
                health: page.health.get(),
                base: page.base.as_str().to_owned(),
                editors_have_code: team.editors_have_code,
                approve_code: team.approve_code,
                approve_live: team.approve_live,
                stop_on_page_harm: settings.stop_on_page_harm,
            },
        }
    }
}

impl ApiKeyItem {
    /// A key of the company with these projects.
    pub(crate) fn new(key: StoredKey, projects: &[Project]) -> Self {
        let named = |ids: Vec<ProjectId>| {
            let of = projects.iter().filter(|project| ids.contains(&project.id));
            of.map(|project| project.key.clone()).collect()
        };
        Self {
            prefix: key.id,
            name: key.name,
            scopes: key.grant.scopes.words(),
            projects: key.grant.projects.map(named),
            created_by: key.created_by.map(|person| person.0),
            created_at: key.created_at,
            expires_at: key.grant.expires_at,
            revoked_at: key.grant.revoked_at,
            last_used_at: key.last_used_at,
        }
    }
}
