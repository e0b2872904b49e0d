//! People, sessions, projects, keys and conclusions, as they are sent.

use super::words::{ConclusionOutcome, ConsentMode, RoleName, ScopeName};
use utoipa::ToSchema;

/// Who signs in.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInBody {
    /// The e-mail address, in any letter case.
    #[schema(max_length = 254, example = "ada@example.com")]
    email: String,
    /// The password.
    #[schema(max_length = 256, example = "correct horse battery")]
    password: String,
    /// The six digits of the authenticator, or a recovery code; needed by who has enrolled one.
    #[schema(nullable = false, max_length = 64, example = "123456")]
    totp: Option<String>,
}

/// A project that somebody is limited to.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectRoleBody {
    /// The project's key.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    project_key: String,
    /// The role there; `role` beside `projects` unless sent.
    #[schema(nullable = false)]
    role: Option<RoleName>,
}

/// Who is to be invited.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationBody {
    /// The e-mail address, which nobody has signed up with yet. An invitation for the same address before is withdrawn.
    #[schema(max_length = 254, example = "grace@example.com")]
    email: String,
    /// The role; none above one's own.
    role: RoleName,
    /// The projects that the person is limited to; every project of the company unless sent.
    #[schema(nullable = false, min_items = 1, max_items = 1000)]
    projects: Option<Vec<ProjectRoleBody>>,
}

/// What somebody with a link tells of themselves. `takes` of the invitation says which fields are needed.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptBody {
    /// The person's name.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Grace Hopper")]
    name: Option<String>,
    /// The password to sign in with.
    #[schema(min_length = 12, max_length = 256, example = "correct horse battery")]
    password: String,
    /// The e-mail address; only for the first owner.
    #[schema(nullable = false, max_length = 254, example = "grace@example.com")]
    email: Option<String>,
    /// The name of the company; only for the first owner of a server without a company.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Acme")]
    company: Option<String>,
}

/// Changes to a person.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonPatch {
    /// The name. Everybody may change their own.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Grace Hopper")]
    name: Option<String>,
    /// The role; none above one's own, and of nobody who has one above one's own.
    #[schema(nullable = false)]
    role: Option<RoleName>,
    /// The projects that the person is limited to; null for every project of the company. An owner cannot be limited.
    #[schema(min_items = 1, max_items = 1000)]
    projects: Option<Vec<ProjectRoleBody>>,
}

/// A new password.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordBody {
    /// The present password; left out by who has none, having come in through another sign-in.
    #[schema(nullable = false, max_length = 256, example = "an older password")]
    current: Option<String>,
    /// The new password.
    #[schema(min_length = 12, max_length = 256, example = "correct horse battery")]
    password: String,
}

/// The present password, which is asked for again before a second factor changes.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordAgainBody {
    /// The present password; left out by who has none.
    #[schema(nullable = false, max_length = 256, example = "correct horse battery")]
    password: Option<String>,
}

/// Six digits of the authenticator.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TotpCodeBody {
    /// The digits that it shows now.
    #[schema(max_length = 16, example = "123456")]
    code: String,
}

/// A passkey that the browser has made.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeyBody {
    /// What the person calls it.
    #[schema(min_length = 1, max_length = 255, example = "Laptop")]
    name: String,
    /// The credential, as its `toJSON` has it.
    #[schema(value_type = Object)]
    credential: serde_json::Value,
}

/// A passkey that answers.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasskeySignInBody {
    /// The credential, as its `toJSON` has it.
    #[schema(value_type = Object)]
    credential: serde_json::Value,
}

/// A new project.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectBody {
    /// Display name, new in the company.
    #[schema(min_length = 1, max_length = 255, example = "Shop")]
    name: String,
}

/// Changes to a project's settings.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSettingsPatch {
    /// Display name, new in the company.
    #[schema(nullable = false, min_length = 1, max_length = 255, example = "Shop")]
    name: Option<String>,
    /// What happens before a visitor has answered whether they may be recorded.
    #[schema(nullable = false)]
    consent: Option<ConsentMode>,
    /// Whether Global Privacy Control counts as a denial.
    #[schema(nullable = false)]
    gpc: Option<bool>,
    /// Whether automated browsers and crawlers take part in experiments.
    #[schema(nullable = false)]
    bots: Option<bool>,
    /// Percentage of page views whose health is reported.
    #[schema(nullable = false, minimum = 0, maximum = 100)]
    health: Option<i64>,
    /// Where pages reach the server, such as `https://muriel.example` or `/x`; empty for the server that delivered the script.
    #[schema(nullable = false, max_length = 512, example = "https://muriel.example.com")]
    base: Option<String>,
    /// Whether editors may change code that runs on pages.
    #[schema(nullable = false)]
    editors_have_code: Option<bool>,
    /// Whether a second person has to approve changes of code.
    #[schema(nullable = false)]
    approve_code: Option<bool>,
    /// Whether a second person has to approve changes of live experiments.
    #[schema(nullable = false)]
    approve_live: Option<bool>,
    /// Whether the clock ends experiments whose pages are known to be harmed: see `page_health` of a result.
    #[schema(nullable = false)]
    stop_on_page_harm: Option<bool>,
}

/// A new API key.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyBody {
    /// What it is for.
    #[schema(min_length = 1, max_length = 255, example = "nightly export")]
    name: String,
    /// What it may do.
    #[schema(min_items = 1)]
    scopes: Vec<ScopeName>,
    /// The keys of the projects that it is limited to; null or left out for every project of the company.
    #[schema(min_items = 1, max_items = 1000)]
    projects: Option<Vec<String>>,
    /// Days until it expires; null for a key that does not expire, 365 unless sent.
    #[schema(minimum = 1, maximum = 36500, example = 365)]
    expires_in_days: Option<i64>,
}

/// How an experiment ends.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionBody {
    /// What came out.
    outcome: ConclusionOutcome,
    /// Why, in the team's words.
    #[schema(max_length = 10000, example = "Fewer fields, more orders.")]
    note: String,
    /// What was learned beyond this test.
    #[schema(nullable = false, max_length = 10000, example = "Visitors on phones leave at the address.")]
    learned: Option<String>,
    /// Why the outcome is right although the verdict contradicts it; needed then.
    #[schema(nullable = false, min_length = 1, max_length = 10000, example = "A study with users said the same.")]
    override_reason: Option<String>,
    /// The arm to serve from now on: `0` for the control, `1` for `Variant 1`. Without it the experiment stops.
    #[schema(nullable = false, example = "1")]
    serve_variant_id: Option<String>,
    /// To how many percent of the visitors the arm is served; only with `serve_variant_id`.
    #[schema(nullable = false, minimum = 1, maximum = 100, default = 100)]
    traffic_allocation: Option<i64>,
    /// The hypothesis that continues this test.
    #[schema(nullable = false, minimum = 1, example = 12)]
    follow_up_hypothesis_id: Option<i64>,
}
