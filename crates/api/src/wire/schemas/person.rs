//! Bodies about people and sessions.

use super::words::RoleName;
use utoipa::ToSchema;

/// Credentials of a sign-in.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInBody {
    /// E-mail address, in any letter case.
    #[schema(max_length = 254, example = "ada@example.com")]
    email: String,
    /// Password.
    #[schema(max_length = 256, example = "correct horse battery")]
    password: String,
    /// Six digits of the authenticator, or a recovery code. Required for people who have enrolled an authenticator.
    #[schema(nullable = false, max_length = 64, example = "123456")]
    totp: Option<String>,
}

/// A project to which a person is limited.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectRoleBody {
    /// Key of the project.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    project_key: String,
    /// Role in the project. Default: the `role` next to `projects`.
    #[schema(nullable = false)]
    role: Option<RoleName>,
}

/// Invitation of a person.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationBody {
    /// E-mail address, not used by any account yet. An earlier invitation of the same address is withdrawn.
    #[schema(max_length = 254, example = "grace@example.com")]
    email: String,
    /// Role, not above the caller's own.
    role: RoleName,
    /// Projects to which the person is limited. Default: all projects of the company.
    #[schema(nullable = false, min_items = 1, max_items = 1000)]
    projects: Option<Vec<ProjectRoleBody>>,
}

/// Form of a person who accepts a link. `takes` of the invitation lists the required fields.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptBody {
    /// Name of the person.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Grace Hopper")]
    name: Option<String>,
    /// Password for signing in.
    #[schema(min_length = 12, max_length = 256, example = "correct horse battery")]
    password: String,
    /// E-mail address; only for the first owner.
    #[schema(nullable = false, max_length = 254, example = "grace@example.com")]
    email: Option<String>,
    /// Name of the company; only for the first owner of a server without a company.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Acme")]
    company: Option<String>,
}

/// Changes to a person.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonPatch {
    /// Name. Everybody may change their own.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Grace Hopper")]
    name: Option<String>,
    /// Role, not above the caller's own. The role of a person above the caller cannot be changed.
    #[schema(nullable = false)]
    role: Option<RoleName>,
    /// Projects to which the person is limited; null for all projects of the company. An owner cannot be limited.
    #[schema(min_items = 1, max_items = 1000)]
    projects: Option<Vec<ProjectRoleBody>>,
}

/// A new password.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordBody {
    /// Current password. Leave it out for people without a password, who use another sign-in.
    #[schema(nullable = false, max_length = 256, example = "an older password")]
    current: Option<String>,
    /// New password.
    #[schema(min_length = 12, max_length = 256, example = "correct horse battery")]
    password: String,
}

/// Current password, required again before a second factor changes.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordAgainBody {
    /// Current password. Leave it out for people without one.
    #[schema(nullable = false, max_length = 256, example = "correct horse battery")]
    password: Option<String>,
}

/// Six digits of the authenticator.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpCodeBody {
    /// Current digits of the authenticator.
    #[schema(max_length = 16, example = "123456")]
    code: String,
}

/// A passkey that the browser has created.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyBody {
    /// Name that the person gives it.
    #[schema(min_length = 1, max_length = 255, example = "Laptop")]
    name: String,
    /// Credential, as returned by its `toJSON`.
    #[schema(value_type = Object)]
    credential: serde_json::Value,
}

/// Credential of a sign-in with a passkey.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeySignInBody {
    /// Credential, as returned by its `toJSON`.
    #[schema(value_type = Object)]
    credential: serde_json::Value,
}
