//! People of a company and invitation links in responses.

use crate::wire::schemas;
use muriel_domain::Instant;
use muriel_people as people;
use muriel_store::invitations;
use serde::Serialize;
use utoipa::ToSchema;

/// A person with an account.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Person {
    /// Identifies the person.
    pub(crate) person_id: i64,
    /// E-mail address for signing in.
    #[schema(example = "ada@example.com")]
    pub(crate) email: String,
    /// Name.
    #[schema(example = "Ada Lovelace")]
    pub(crate) name: String,
    /// Role in the company, and in each project unless `projects` says otherwise.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// Projects to which the person is limited; null for all projects of the company.
    #[schema(required)]
    pub(crate) projects: Option<Vec<ProjectRole>>,
    /// True when the person has a password.
    pub(crate) has_password: bool,
    /// True when signing in with the password needs an authenticator too.
    pub(crate) has_totp: bool,
    /// Number of passkeys.
    pub(crate) passkeys: usize,
    /// Time at which the account was created.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// Time of the last activity, to the minute; null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) last_seen_at: Option<Instant>,
}

/// Role in a project.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectRole {
    /// Key of the project.
    #[schema(example = "prj_Q2f8kX3mD7tYwR5vB9cN1s")]
    pub(crate) project_key: String,
    /// Role in this project.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
}

/// The people of the company.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeopleList {
    /// Always true.
    pub(crate) success: bool,
    /// Number of people.
    pub(crate) count: usize,
    /// Oldest first.
    pub(crate) people: Vec<Person>,
    /// Open invitations, neither accepted nor expired, oldest first.
    pub(crate) invitations: Vec<Invitation>,
}

/// An invitation link.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Invitation {
    /// Identifies the invitation.
    pub(crate) invitation_id: i64,
    /// E-mail address of the invited person.
    #[schema(example = "grace@example.com")]
    pub(crate) email: String,
    /// Role that the person will have.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// Projects to which the person will be limited; null for all projects of the company.
    #[schema(required)]
    pub(crate) projects: Option<Vec<ProjectRole>>,
    /// Name of the person who sent the invitation.
    #[schema(example = "Ada Lovelace")]
    pub(crate) invited_by: String,
    /// Time of the invitation.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) created_at: Instant,
    /// Time at which the link expires.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// An invitation was created.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationCreated {
    /// Always true.
    pub(crate) success: bool,
    /// Identifies the invitation.
    pub(crate) invitation_id: i64,
    /// Link to give to the person. It is shown only this once, and works once.
    #[schema(example = "https://muriel.example.com/invitation#Zx81…")]
    pub(crate) link: String,
    /// Time at which it expires.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// Purpose of a link.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// `first_owner` creates the first owner of the server, `invitation` creates a person, `reset` sets a new password.
    #[schema(value_type = schemas::LinkPurpose)]
    pub(crate) purpose: &'static str,
    /// E-mail address of the recipient; null for the first owner, who enters it.
    #[schema(required, example = "grace@example.com")]
    pub(crate) email: Option<String>,
    /// Name of the company; null if the first owner enters it.
    #[schema(required, example = "Acme")]
    pub(crate) company: Option<String>,
    /// Role that the person has or will have.
    #[schema(value_type = schemas::RoleName)]
    pub(crate) role: &'static str,
    /// Required fields.
    #[schema(value_type = Vec<schemas::LinkField>)]
    pub(crate) takes: Vec<&'static str>,
    /// Time at which the link expires.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) expires_at: Instant,
}

/// An invitation was withdrawn.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationWithdrawn {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the withdrawn invitation.
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
    /// Id of the removed person.
    pub(crate) person_id: i64,
    /// Always true.
    pub(crate) deleted: bool,
    /// Access that was revoked with the person.
    pub(crate) ended: EndedWithPerson,
}

/// Access that was revoked when a person was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndedWithPerson {
    /// Number of the person's sessions.
    pub(crate) sessions: i64,
    /// Number of links for setting a new password.
    pub(crate) password_links: u64,
    /// Number of open invitations by or for the person.
    pub(crate) invitations: u64,
    /// Number of links to results that the person created, directly or with their keys.
    pub(crate) shares: u64,
    /// API keys in use that the person created. They are revoked: create new ones for the programs that used them.
    pub(crate) keys: Vec<EndedKey>,
}

/// An API key that was revoked because its creator was removed.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndedKey {
    /// First 8 characters after `mrl_`, which identify the key.
    #[schema(example = "Q2f8kX3m")]
    pub(crate) prefix: String,
    /// Purpose of the key.
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
