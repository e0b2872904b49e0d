//! Parses people, sessions, projects, keys and conclusions in request bodies.

use super::fields::{Fields, boolean, from_body, integer, list, nullable, parsed, text, texts, word};
use crate::json::Json;
use muriel_domain::access::{Scope, Scopes};
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::HypothesisId;
use muriel_domain::page::{Base, ConsentMode, Percent};
use muriel_domain::person::{self, PASSWORD_MAX, PROJECTS_MAX, Role};
use muriel_domain::{Flaw, Problems, text as bounded};
use muriel_service::experiments::{NewConclusion, plan_reason};
use muriel_service::people::{Accepted, NewInvitation, PersonPatch, ProjectRole, SignIn};
use muriel_service::projects::{NAME_MAX, ProjectSettings};

/// Maximum length of a text in a conclusion, in characters.
const NOTE_MAX: usize = 10_000;
/// Default number of days until a key expires.
const EXPIRY_DAYS: i64 = 365;

/// Parses a password or code without checking its rules, which apply only where it is set.
fn secret(value: &Json) -> Result<String, Flaw> {
    bounded::at_most(text(value)?, PASSWORD_MAX)
}

/// Parses the reason for confirming a changed plan.
pub(crate) fn plan_confirmation(body: &Json) -> Result<String, Problems> {
    from_body(body, |fields| {
        fields.only(&["reason"], &[]);
        fields.needed("reason", parsed(plan_reason))
    })
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
        None => Err(Flaw::new("must be an object, as toJSON of a credential makes it")),
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

/// Parses the name of a new project.
pub(crate) fn project(body: &Json) -> Result<String, Problems> {
    from_body(body, |fields| {
        fields.only(&["name"], &[("project_key", "is made by the server")]);
        fields.needed("name", parsed(|text| bounded::name(text, NAME_MAX)))
    })
}

/// Changes to a project's settings.
#[derive(Debug, Default)]
pub(crate) struct SettingsPatch {
    name: Option<String>,
    consent: Option<ConsentMode>,
    gpc: Option<bool>,
    bots: Option<bool>,
    health: Option<Percent>,
    base: Option<Base>,
    editors_have_code: Option<bool>,
    approve_code: Option<bool>,
    approve_live: Option<bool>,
    stop_on_page_harm: Option<bool>,
}

impl SettingsPatch {
    /// Returns the settings with these changes.
    pub(crate) fn over(self, mut settings: ProjectSettings) -> ProjectSettings {
        let ProjectSettings { name, page, team, stop_on_page_harm } = &mut settings;
        replace(name, self.name);
        replace(&mut page.consent, self.consent);
        replace(&mut page.gpc, self.gpc);
        replace(&mut page.bots, self.bots);
        replace(&mut page.health, self.health);
        replace(&mut page.base, self.base);
        replace(&mut team.editors_have_code, self.editors_have_code);
        replace(&mut team.approve_code, self.approve_code);
        replace(&mut team.approve_live, self.approve_live);
        replace(stop_on_page_harm, self.stop_on_page_harm);
        settings
    }
}

fn replace<T>(value: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *value = new;
    }
}

/// Parses changes to a project's settings.
pub(crate) fn settings(body: &Json) -> Result<SettingsPatch, Problems> {
    from_body(body, |fields| {
        fields.only(
            &[
                "name",
                "consent",
                "gpc",
                "bots",
                "health",
                "base",
                "editors_have_code",
                "approve_code",
                "approve_live",
                "stop_on_page_harm",
            ],
            &[("project_key", "identifies the project and cannot be changed")],
        );
        let percent = |value: &Json| {
            let number = integer(0..=100)(value)?;
            Percent::new(u8::try_from(number).unwrap_or(u8::MAX))
        };
        Some(SettingsPatch {
            name: fields.read("name", parsed(|text| bounded::name(text, NAME_MAX))),
            consent: fields.read("consent", word(&ConsentMode::WORDS)),
            gpc: fields.read("gpc", boolean),
            bots: fields.read("bots", boolean),
            health: fields.read("health", percent),
            base: fields.read("base", parsed(Base::parse)),
            editors_have_code: fields.read("editors_have_code", boolean),
            approve_code: fields.read("approve_code", boolean),
            approve_live: fields.read("approve_live", boolean),
            stop_on_page_harm: fields.read("stop_on_page_harm", boolean),
        })
    })
}

/// Request for a new key.
pub(crate) struct NewKey {
    pub(crate) name: String,
    pub(crate) scopes: Scopes,
    /// Project keys that it is limited to; `None` for all projects.
    pub(crate) projects: Option<Vec<String>>,
    pub(crate) expires_in_days: Option<i64>,
}

/// Parses a request for a new key.
pub(crate) fn key(body: &Json) -> Result<NewKey, Problems> {
    from_body(body, |fields| {
        fields.only(&["name", "scopes", "projects", "expires_in_days"], &[]);
        let name = fields.needed("name", parsed(|text| bounded::name(text, NAME_MAX)));
        fields.require("scopes");
        let scopes = fields.read_deep("scopes", |value, place| {
            let found = fields.found();
            let words = texts(value, &place, found)?;
            match Scopes::parse(&words.join(" ")) {
                Ok(scopes) if words.iter().all(|word| Scope::ALL.iter().any(|scope| scope.name() == *word)) => {
                    Some(scopes)
                }
                Ok(_) => {
                    found.add(place, "must be of read, write, code, evaluate and admin, one word each");
                    None
                }
                Err(flaw) => {
                    found.add(place, flaw.to_string());
                    None
                }
            }
        });
        let projects = fields.read_deep("projects", |value, place| match value {
            Json::Null => Some(None),
            value => {
                let names = texts(value, &place, fields.found())?;
                if !(1..=PROJECTS_MAX).contains(&names.len()) {
                    fields.found().add(place, format!("must name 1 to {PROJECTS_MAX} projects, or be null for all"));
                    return None;
                }
                Some(Some(names.into_iter().map(str::to_owned).collect()))
            }
        });
        let days = match fields.has("expires_in_days") {
            true => fields.read("expires_in_days", nullable(integer(1..=36_500)))?,
            false => Some(EXPIRY_DAYS),
        };
        Some(NewKey { name: name?, scopes: scopes?, projects: projects.flatten(), expires_in_days: days })
    })
}

/// Parses the conclusion of an experiment.
pub(crate) fn conclusion(body: &Json) -> Result<NewConclusion, Problems> {
    from_body(body, |fields| {
        let known = ["outcome", "note", "learned", "override_reason", "serve_variant_id", "traffic_allocation"];
        fields.only(&[&known[..], &["follow_up_hypothesis_id"]].concat(), &[]);
        let outcome = fields.needed("outcome", word(&ConclusionOutcome::WORDS));
        let note = fields.needed("note", parsed(|text| bounded::at_most(text, NOTE_MAX)));
        let learned = fields.read("learned", parsed(|text| bounded::at_most(text, NOTE_MAX)));
        let override_reason = fields.read("override_reason", parsed(|text| bounded::title(text, NOTE_MAX)));
        let arm = fields.read("serve_variant_id", parsed(|text| bounded::at_most(text, 16)));
        let rollout = fields.read("traffic_allocation", integer(1..=100));
        if fields.has("traffic_allocation") && !fields.has("serve_variant_id") {
            fields
                .found()
                .add("traffic_allocation", "needs serve_variant_id: it says to how many percent this arm is served");
        }
        let follow_up = fields.read("follow_up_hypothesis_id", integer(1..=i64::MAX)).map(HypothesisId);
        Some(NewConclusion {
            outcome: outcome?,
            note: note?,
            learned: learned.unwrap_or_default(),
            override_reason,
            winner: arm.map(|arm| (arm, rollout.unwrap_or(100))),
            follow_up,
            judged_later: false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn scopes_are_one_word_each() {
        let read = |scopes: &str| {
            let body = format!(r#"{{"name":"n","scopes":{scopes}}}"#);
            key(&json::parse(body.as_bytes()).unwrap()).map(|key| key.scopes.to_string())
        };
        assert_eq!(read(r#"["write","read"]"#).unwrap(), "read,write");
        for bad in [r#"[]"#, r#"["read,write"]"#, r#"["root"]"#, r#"[1]"#, r#""read""#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
