//! Bodies about projects.

use super::words::{ConsentMode, TrustPolicy};
use muriel_domain::project_settings;
use utoipa::ToSchema;

/// A new project.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectBody {
    /// Display name, unique in the company.
    #[schema(min_length = 1, max_length = 255, example = "Shop")]
    name: String,
}

macro_rules! settings_schema {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr
            => $read:ident, takes [$($taken:tt)*] { $($limits:tt)* }, shows [$($shown:tt)*] { $($schema:tt)* };
    )*) => {
        /// Changes to a project's settings.
        #[derive(ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct ProjectSettingsPatch {
            /// Display name, unique in the company.
            #[schema(nullable = false, min_length = 1, max_length = 255, example = "Shop")]
            name: Option<String>,
            $($(#[doc = $doc])* #[schema(nullable = false, $($limits)*)] $setting: Option<$($taken)*>,)*
        }
    };
}
project_settings!(settings_schema);
