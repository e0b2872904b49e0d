//! Answers about API keys.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_domain::ids::ProjectId;
use muriel_store::keys::StoredKey;
use muriel_store::tenants::Project;
use serde::Serialize;
use utoipa::ToSchema;

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
