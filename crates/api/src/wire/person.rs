//! Parses people and sessions in request bodies.

use super::fields::{Fields, from_body, list, parsed, text, word};
use crate::json::Json;
use muriel_domain::person::{self, PASSWORD_MAX, PROJECTS_MAX, Role};
use muriel_domain::{Flaw, Problems, text as bounded};
use muriel_people::{Accepted, NewInvitation, PersonPatch, ProjectRole, SignIn};

/// Parses a password or code without checking its rules, which apply only where it is set.
fn secret(value: &Json) -> Result<String, Flaw> {
    bounded::at_most(text(value)?, PASSWORD_MAX)
}

/// Parses the credentials of a sign-in.
pub(crate) fn sign_in(body: &Json) -> Result<SignIn, Problems> {
    from_body(body, |fields| {
        fields.only(&["email", "password", "totp"], &[]);
        let email = fields.needed("email", parsed(person::email));
        let password = fields.needed("password", secret);
        let code = fields.read("totp", parsed(|text| bounded::at_most(text, 64)));
        Some(SignIn { email: email?, password: password?, code })
    })
}

/// Parses a new invitation.
pub(crate) fn invitation(body: &Json) -> Result<NewInvitation, Problems> {
    from_body(body, |fields| {
        fields.only(&["email", "role", "projects"], &[]);
        let email = fields.needed("email", parsed(person::email));
        let role = fields.needed("role", word(&Role::WORDS));
        let projects = fields.read_deep("projects", |value, place| project_roles(fields, value, place));
        Some(NewInvitation { email: email?, role: role?, projects })
    })
}

fn project_roles(fields: &Fields<'_>, value: &Json, place: String) -> Option<Vec<ProjectRole>> {
    let found = fields.found();
    list(value, &place, PROJECTS_MAX, found, |item, place| {
        let item = Fields::new(item, place, found)?;
        item.only(&["project_key", "role"], &[]);
        let project_key = item.needed("project_key", parsed(|text| bounded::at_most(text, 64)));
        let role = item.read("role", word(&Role::WORDS));
        Some(ProjectRole { project_key: project_key?, role })
    })
}

/// Parses the form of a person who accepts a link. The link decides which fields are required.
pub(crate) fn accepted(body: &Json) -> Result<Accepted, Problems> {
    from_body(body, |fields| {
        fields.only(&["name", "password", "email", "company"], &[]);
        let name = fields.read("name", parsed(|text| Ok(text.to_owned())));
        let email = fields.read("email", parsed(|text| Ok(text.to_owned())));
        let company = fields.read("company", parsed(|text| Ok(text.to_owned())));
        let password = fields.needed("password", parsed(|text| Ok(text.to_owned())));
        Some(Accepted { name, password: password?, email, company })
    })
}

/// Parses changes to a person.
pub(crate) fn patch(body: &Json) -> Result<PersonPatch, Problems> {
    from_body(body, |fields| {
        fields.only(
            &["name", "role", "projects"],
            &[
                ("email", "identifies the person and cannot be changed"),
                ("password", "is changed by POST /v2/person/me/password"),
                ("person_id", "identifies the person and cannot be changed"),
            ],
        );
        let projects = fields.read_deep("projects", |value, place| match value {
            Json::Null => Some(None),
            value => project_roles(fields, value, place).map(Some),
        });
        Some(PersonPatch {
            name: fields.read("name", parsed(person::name)),
            role: fields.read("role", word(&Role::WORDS)),
            projects,
        })
    })
}

/// Parses the current and the new password.
pub(crate) fn password(body: &Json) -> Result<(Option<String>, String), Problems> {
    from_body(body, |fields| {
        fields.only(&["current", "password"], &[]);
        let current = fields.read("current", secret);
        let password = fields.needed("password", parsed(person::password));
        Some((current, password?))
    })
}

/// Parses the current password, which is required again for some changes.
pub(crate) fn password_again(body: &Json) -> Result<Option<String>, Problems> {
    from_body(body, |fields| {
        fields.only(&["password"], &[]);
        Some(fields.read("password", secret))
    })
}

/// Parses a code of the authenticator.
pub(crate) fn code(body: &Json) -> Result<String, Problems> {
    from_body(body, |fields| {
        fields.only(&["code"], &[]);
        fields.needed("code", parsed(|text| bounded::at_most(text, 16)))
    })
}

/// Parses a browser's credential: an object, whose content is not checked here.
fn credential(value: &Json) -> Result<serde_json::Value, Flaw> {
    match value.as_object() {
        Some(_) => serde_json::from_str(&value.to_compact_string()).map_err(|_| Flaw::new("cannot be read")),
        None => Err(Flaw::new("must be an object, as returned by PublicKeyCredential.toJSON()")),
    }
}

/// Parses a passkey that the browser has created, with its name.
pub(crate) fn passkey(body: &Json) -> Result<(String, serde_json::Value), Problems> {
    from_body(body, |fields| {
        fields.only(&["name", "credential"], &[]);
        let name = fields.needed("name", parsed(person::name));
        let credential = fields.needed("credential", credential);
        Some((name?, credential?))
    })
}

/// Parses the credential of a sign-in with a passkey.
pub(crate) fn passkey_sign_in(body: &Json) -> Result<serde_json::Value, Problems> {
    from_body(body, |fields| {
        fields.only(&["credential"], &[]);
        fields.needed("credential", credential)
    })
}
