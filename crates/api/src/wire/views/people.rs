//! The people of a company, and links for new ones, in answers.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_service::people;
use muriel_store::invitations;
use serde::Serialize;
use utoipa::ToSchema;

/// Somebody who signs in.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Person {
    /// Identifies the person.
    pub(crate) person_id: i64,
    /// The address to sign in with.
    #[schema(example = "ada@example.com")]
    pub(crate) email: String,
    /// The name.
    #[schema(example = "Ada Lovelace")]
    pub(crate) name: String,
    /// The role in the company, and in each project unless `projects` says otherwise.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// The projects that the person is limited to; null for every project of the company.
    #[schema(required)]
    pub(crate) projects: Option<Vec<ProjectRole>>,
    /// Whether there is a password.
    pub(crate) has_password: bool,
    /// Whether signing in with the password needs an authenticator too.
    pub(crate) has_totp: bool,
    /// How many passkeys there are.
    pub(crate) passkeys: usize,
    /// When the person came in.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// When the person last did something, to the minute; null for never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_seen_at: Option<Instant>,
}

/// The role in a project.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectRole {
    /// The project's key.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
    /// The role there.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
}

/// The people of the company.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeopleList {
    /// Always true.
    pub(crate) success: bool,
    /// How many people there are.
    pub(crate) count: usize,
    /// Oldest first.
    pub(crate) people: Vec<Person>,
    /// Invitations that nobody has accepted and that have not expired, oldest first.
    pub(crate) invitations: Vec<Invitation>,
}

/// A link with which somebody may come in.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Invitation {
    /// Identifies the invitation.
    pub(crate) invitation_id: i64,
    /// Who is invited.
    #[schema(example = "grace@example.com")]
    pub(crate) email: String,
    /// The role that they will have.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// The projects that they will be limited to; null for every project of the company.
    #[schema(required)]
    pub(crate) projects: Option<Vec<ProjectRole>>,
    /// Who invited them: a name.
    #[schema(example = "Ada Lovelace")]
    pub(crate) invited_by: String,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// Until when the link can be used.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// Somebody was invited.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Identifies the invitation.
    pub(crate) invitation_id: i64,
    /// The link to give to the person. It is shown this once, and works once.
    #[schema(example = "https://muriel.example.com/invitation#Zx81…")]
    pub(crate) link: String,
    /// Until when it can be used.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// What a link is for.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// `first_owner` makes the first owner of the server, `invitation` a person, `reset` gives a person a new password.
    #[schema(value_type = schemas::LinkPurpose)]
    pub(crate) purpose: &'static str,
    /// Whom it is for; null for the first owner, who says it.
    #[schema(required, example = "grace@example.com")]
    pub(crate) email: Option<String>,
    /// The name of the company; null where the first owner says it.
    #[schema(required, example = "Acme")]
    pub(crate) company: Option<String>,
    /// The role that the person will have, or has.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// The fields that have to be sent.
    #[schema(value_type = Vec<schemas::LinkField>)]
    pub(crate) takes: Vec<&'static str>,
    /// Until when the link can be used.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// An invitation was withdrawn.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationWithdrawn {
    /// Always true.
    pub(crate) success: bool,
    /// The id it had.
    pub(crate) invitation_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
}

/// A person was changed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonChanged {
    /// Always true.
    pub(crate) success: bool,
    /// The person.
    pub(crate) person: Person,
}

/// A person was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonRemoved {
    /// Always true.
    pub(crate) success: bool,
    /// The id that the person had.
    pub(crate) person_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
    /// What ended with them.
    pub(crate) ended: EndedWithPerson,
}

/// What ended when a person was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndedWithPerson {
    /// Sessions of theirs.
    pub(crate) sessions: i64,
    /// Links that would have given them a new password.
    pub(crate) password_links: u64,
    /// Open invitations that they had made, or that were for them.
    pub(crate) invitations: u64,
    /// Links to results that they had made, also with their keys.
    pub(crate) shares: u64,
    /// API keys that they had made and that were in use. They are revoked: make others for the programs that used them.
    pub(crate) keys: Vec<EndedKey>,
}

/// An API key that was revoked because the person who made it was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndedKey {
    /// The 8 characters after `mrl_`, by which it is known.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// What it was for.
    #[schema(example = "nightly export")]
    pub(crate) name: String,
}

impl From<people::Ended> for EndedWithPerson {
    fn from(ended: people::Ended) -> Self {
        let people::Ended { sessions, password_links, invitations, shares, keys } = ended;
        let keys = keys.into_iter().map(|(prefix, name)| EndedKey { prefix, name }).collect();
        Self { sessions, password_links, invitations, shares, keys }
    }
}

impl From<people::ShownPerson> for Person {
    fn from(shown: people::ShownPerson) -> Self {
        let people::ShownPerson { person, projects, passkeys } = shown;
        Self {
            person_id: person.id.0,
            role: person.access.role.word(),
            projects: projects.map(shown_roles),
            has_password: person.password.is_some(),
            has_totp: person.totp.is_some(),
            passkeys,
            email: person.email,
            name: person.name,
            created_at: person.created_at,
            last_seen_at: person.last_seen_at,
        }
    }
}

fn shown_roles(projects: Vec<people::ProjectRole>) -> Vec<ProjectRole> {
    let shown = |one: people::ProjectRole| Some(ProjectRole { project_key: one.project_key, role: one.role?.word() });
    projects.into_iter().filter_map(shown).collect()
}

impl From<(invitations::Invitation, Option<Vec<people::ProjectRole>>)> for Invitation {
    fn from((invitation, projects): (invitations::Invitation, Option<Vec<people::ProjectRole>>)) -> Self {
        Self {
            invitation_id: invitation.id.0,
            email: invitation.email.unwrap_or_default(),
            role: invitation.access.role.word(),
            projects: projects.map(shown_roles),
            invited_by: invitation.invited_by,
            created_at: invitation.created_at,
            expires_at: invitation.expires_at,
        }
    }
}
