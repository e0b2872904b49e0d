//! Parses API keys in request bodies.

use super::fields::{from_body, integer, nullable, parsed, texts};
use crate::json::Json;
use muriel_domain::access::{Scope, Scopes};
use muriel_domain::person::PROJECTS_MAX;
use muriel_domain::{Problems, text as bounded};
use muriel_people::keys::NAME_MAX;

/// Default number of days until a key expires.
const EXPIRY_DAYS: i64 = 365;

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
                    found.add(place, "must have only read, write, code, evaluate and admin, one scope per entry");
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
