//! Bodies about people, sessions, projects, keys and conclusions.

use super::words::{ConclusionOutcome, ConsentMode, RoleName, ScopeName};
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
    /// Role in the project. Unless given, the `role` next to `projects`.
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
    /// Projects to which the person is limited. Unless given, all projects of the company.
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

/// A new project.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectBody {
    /// Display name, unique in the company.
    #[schema(min_length = 1, max_length = 255, example = "Shop")]
    name: String,
}

/// Changes to a project's settings.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSettingsPatch {
    /// Display name, unique in the company.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Shop")]
    name: Option<String>,
    /// Behaviour before a visitor has answered the consent question.
    #[schema(nullable = false)]
    consent: Option<ConsentMode>,
    /// true counts Global Privacy Control as a denial of consent.
    #[schema(nullable = false)]
    gpc: Option<bool>,
    /// true includes automated browsers and crawlers in experiments.
    #[schema(nullable = false)]
    bots: Option<bool>,
    /// Percentage of page views for which health is reported.
    #[schema(nullable = false, minimum = 0, maximum = 100)]
    health: Option<i64>,
    /// URL under which pages reach the server, such as `https://muriel.example` or `/x`; empty for the server that
    /// delivered the script.
    #[schema(nullable = false, max_length = 512, example = "https://muriel.example.com")]
    base: Option<String>,
    /// true lets editors change code that runs on pages.
    #[schema(nullable = false)]
    editors_have_code: Option<bool>,
    /// true requires a second person to approve changes of code.
    #[schema(nullable = false)]
    approve_code: Option<bool>,
    /// true requires a second person to approve changes of live experiments.
    #[schema(nullable = false)]
    approve_live: Option<bool>,
    /// true lets the clock end experiments that are known to harm their pages: see `page_health` of a result.
    #[schema(nullable = false)]
    stop_on_page_harm: Option<bool>,
}

/// A new API key.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyBody {
    /// Purpose of the key.
    #[schema(min_length = 1, max_length = 255, example = "nightly export")]
    name: String,
    /// Permissions.
    #[schema(min_items = 1)]
    scopes: Vec<ScopeName>,
    /// Keys of the projects to which it is limited; null or left out for all projects of the company.
    #[schema(min_items = 1, max_items = 1000)]
    projects: Option<Vec<String>>,
    /// Days until it expires; null for a key that does not expire. Unless given, 365.
    #[schema(minimum = 1, maximum = 36500, example = 365)]
    expires_in_days: Option<i64>,
}

/// Conclusion of an experiment.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionBody {
    /// Outcome.
    outcome: ConclusionOutcome,
    /// Reason for the outcome, in the team's words.
    #[schema(max_length = 10000, example = "Fewer fields, more orders.")]
    note: String,
    /// Lesson beyond this test.
    #[schema(nullable = false, max_length = 10000, example = "Visitors on phones leave at the address.")]
    learned: Option<String>,
    /// Reason why the outcome is right although the verdict contradicts it. Required in that case.
    #[schema(nullable = false, min_length = 1, max_length = 10000, example = "A study with users said the same.")]
    override_reason: Option<String>,
    /// Variant to serve from now on: `0` for the control, `1` for `Variant 1`. If it is left out, the experiment stops.
    #[schema(nullable = false, example = "1")]
    serve_variant_id: Option<String>,
    /// Percent of the visitors who get the served variant; only with `serve_variant_id`.
    #[schema(nullable = false, minimum = 1, maximum = 100, default = 100)]
    traffic_allocation: Option<i64>,
    /// Id of the hypothesis that continues this test.
    #[schema(nullable = false, minimum = 1, example = 12)]
    follow_up_hypothesis_id: Option<i64>,
}
