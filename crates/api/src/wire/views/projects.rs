//! Projects, their settings and API keys in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::access::Scopes;
use muriel_domain::ids::ProjectId;
use muriel_domain::person::Role;
use muriel_store::keys::StoredKey;
use muriel_store::tenants::Project;
use serde::Serialize;
use utoipa::ToSchema;

/// A project that the caller sees.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionProject {
    /// Key of the project.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
    /// Display name.
    #[schema(example = "Shop")]
    pub(crate) name: String,
    /// Role in the project; null in lists for an API key.
    #[schema(required, value_type = Option<schemas::RoleName>)]
    pub(crate) role: Option<&'static str>,
    /// Permissions in the project.
    #[schema(value_type = Vec<schemas::ScopeName>)]
    pub(crate) scopes: Vec<&'static str>,
}

/// Projects of the company that the caller sees.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of projects.
    pub(crate) count: usize,
    /// Oldest first.
    pub(crate) projects: Vec<SessionProject>,
}

/// A project was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Key of the project.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
}

/// A project's settings.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSettingsAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// Key of the project.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
    /// All settings.
    pub(crate) settings: ProjectSettings,
}

/// Settings of a project.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSettings {
    /// Display name.
    #[schema(example = "Shop")]
    pub(crate) name: String,
    /// Behaviour before a visitor has answered the consent question.
    #[schema(value_type = schemas::ConsentMode)]
    pub(crate) consent: &'static str,
    /// True when Global Privacy Control counts as a denial of consent.
    pub(crate) gpc: bool,
    /// True when automated browsers and crawlers take part in experiments.
    pub(crate) bots: bool,
    /// Percentage of page views for which health is reported.
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) health: u8,
    /// URL under which pages reach the server; empty for the server that delivered the script.
    #[schema(example = "https://muriel.example.com")]
    pub(crate) base: String,
    /// True when editors may change code that runs on pages.
    pub(crate) editors_have_code: bool,
    /// True when a second person must approve changes of code.
    pub(crate) approve_code: bool,
    /// True when a second person must approve changes of live experiments.
    pub(crate) approve_live: bool,
    /// True when the clock ends experiments that are known to harm their pages: see `page_health` of a
    /// result.
    pub(crate) stop_on_page_harm: bool,
}

/// The company's API keys.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of keys.
    pub(crate) count: usize,
    /// Oldest first, including revoked and expired ones.
    pub(crate) keys: Vec<ApiKeyItem>,
}

/// An API key without its secret.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiKeyItem {
    /// First 8 characters after `mrl_`, which identify the key.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// Purpose of the key.
    #[schema(example = "nightly export")]
    pub(crate) name: String,
    /// Permissions.
    #[schema(value_type = Vec<schemas::ScopeName>)]
    pub(crate) scopes: Vec<&'static str>,
    /// Keys of the projects to which it is limited; null for all projects of the company.
    #[schema(required)]
    pub(crate) projects: Option<Vec<String>>,
    /// Id of the person who created it, with whose removal it is revoked; null for the operator.
    #[schema(required)]
    pub(crate) created_by: Option<i64>,
    /// Time of creation.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// Time at which it expires; null if it does not expire.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) expires_at: Option<Instant>,
    /// Time of revocation; null if it is not revoked.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) revoked_at: Option<Instant>,
    /// Time of the last use, to the minute; null if never used.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_used_at: Option<Instant>,
}

/// An API key was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyCreated {
    /// Always true.
    pub(crate) success: bool,
    /// First 8 characters after `mrl_`, which identify the key.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// Complete key. It is shown only this once.
    #[schema(example = "mrl_Q2f8kX3m…")]
    pub(crate) api_key: String,
    /// Time at which it expires; null if it does not expire.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) expires_at: Option<Instant>,
}

/// An API key was revoked.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyRevoked {
    /// Always true.
    pub(crate) success: bool,
    /// First 8 characters of the key after `mrl_`.
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
    /// Key of the company with these projects.
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
