//! Projects and their settings in responses.

use crate::wire::schemas::{self, ConsentMode, TrustPolicy};
use muriel_domain::access::Scopes;
use muriel_domain::person::Role;
use muriel_domain::project_settings;
use muriel_service::projects::NamedSettings;
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

impl From<(Project, Option<Role>, Scopes)> for SessionProject {
    fn from((project, role, scopes): (Project, Option<Role>, Scopes)) -> Self {
        Self { project_key: project.key, name: project.name, role: role.map(Role::word), scopes: scopes.words() }
    }
}

macro_rules! settings_view {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr
            => $read:ident, takes [$($taken:tt)*] { $($limits:tt)* }, shows [$($shown:tt)*] { $($schema:tt)* };
    )*) => {
        /// A project's name and settings.
        #[derive(Serialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct ProjectSettings {
            /// Display name.
            #[schema(example = "Shop")]
            pub(crate) name: String,
            $($(#[doc = $doc])* #[schema(value_type = $($shown)*, $($schema)*)] pub(crate) $setting: $type,)*
        }

        impl From<NamedSettings> for ProjectSettings {
            fn from(named: NamedSettings) -> Self {
                let NamedSettings { name, settings } = named;
                Self { name, $($setting: settings.$setting,)* }
            }
        }
    };
}
project_settings!(settings_view);

impl ProjectSettingsAnswer {
    pub(crate) fn new(project: &Project, settings: NamedSettings) -> Self {
        Self { success: true, project_key: project.key.clone(), settings: settings.into() }
    }
}
