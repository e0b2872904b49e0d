//! People: their roles and project access, and the rules for e-mail addresses, names and passwords.

use crate::access::{Scope, Scopes};
use crate::ids::ProjectId;
use crate::{Flaw, text};
use serde::{Deserialize, Serialize};

/// Maximum length of an e-mail address, in bytes (RFC 5321).
const EMAIL_MAX: usize = 254;
/// Maximum length of a person's name, in characters.
pub const NAME_MAX: usize = 255;
/// Minimum length of a password, in characters.
pub const PASSWORD_MIN: usize = 12;
/// Maximum length of a password, in characters.
pub const PASSWORD_MAX: usize = 256;
/// Maximum number of projects that a person can be limited to.
pub const PROJECTS_MAX: usize = 1_000;

/// Role of a person, in ascending order of rights. Each role includes the rights of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads everything.
    Viewer,
    /// Also creates and changes experiments, goals and hypotheses.
    Editor,
    /// Also changes settings, keys, webhooks and people.
    Admin,
    /// Also appoints and removes other owners. A company always has one.
    Owner,
}

impl Role {
    /// All roles with their words.
    pub const WORDS: [(&'static str, Role); 4] =
        [("viewer", Role::Viewer), ("editor", Role::Editor), ("admin", Role::Admin), ("owner", Role::Owner)];

    /// Word in the interface, on the command line and in the database.
    pub fn word(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Editor => "editor",
            Role::Admin => "admin",
            Role::Owner => "owner",
        }
    }

    /// Returns the role with this word.
    ///
    /// # Errors
    /// A word that is not one of [`Role::WORDS`].
    pub fn parse(word: &str) -> Result<Self, Flaw> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, role)| *role).ok_or_else(|| Flaw::new("must be viewer, editor, admin or owner"))
    }

    /// The scopes of a person with this role in a project. `editors_have_code` is the project's setting.
    ///
    /// ```
    /// use muriel_domain::person::Role;
    ///
    /// assert_eq!(Role::Editor.scopes(false).to_string(), "read,write,evaluate");
    /// assert_eq!(Role::Editor.scopes(true).to_string(), "read,write,code,evaluate");
    /// ```
    pub fn scopes(self, editors_have_code: bool) -> Scopes {
        match self {
            Role::Viewer => Scopes::of(&[Scope::Read]),
            Role::Editor if editors_have_code => Scopes::of(&[Scope::Read, Scope::Write, Scope::Code, Scope::Evaluate]),
            Role::Editor => Scopes::of(&[Scope::Read, Scope::Write, Scope::Evaluate]),
            Role::Admin | Role::Owner => Scopes::all(),
        }
    }

    /// Returns whether a person with this role may give or take `other`. Only admins and owners may, and only up to
    /// their own role.
    pub fn may_give(self, other: Role) -> bool {
        self >= Role::Admin && self >= other
    }
}

/// Role of a person, and the projects that it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Role in the company, and in each project unless `projects` is set.
    pub role: Role,
    /// The projects that the person is limited to, with the role in each. `None` for all projects of the company,
    /// including later ones.
    pub projects: Option<Vec<(ProjectId, Role)>>,
}

impl Access {
    /// Role in a project of the company. `None` when the person cannot see the project.
    ///
    /// Does not check that the project belongs to the company.
    pub fn in_project(&self, project: ProjectId) -> Option<Role> {
        match &self.projects {
            None => Some(self.role),
            Some(listed) => listed.iter().find(|(id, _)| *id == project).map(|(_, role)| *role),
        }
    }

    /// Role in matters of the whole company, such as its people and keys. `None` for a person who is limited to
    /// projects.
    pub fn in_company(&self) -> Option<Role> {
        self.projects.is_none().then_some(self.role)
    }
}

/// Reads the e-mail address that a person signs in with. Letter case does not matter: the result is in lower case.
///
/// White space at both ends is dropped. The domain need not have a dot, and is not looked up.
///
/// # Errors
/// Text without exactly one `@` and something on both sides of it, with blanks or hidden characters, or of more than
/// 254 bytes.
pub fn email(text: &str) -> Result<String, Flaw> {
    let text = text.trim();
    let is_plain = |part: &str| {
        let is_plain = |c: char| !text::is_hidden(c) && !c.is_whitespace() && !"<>()[],;:\\\"".contains(c);
        !part.is_empty() && part.chars().all(is_plain)
    };
    let has_parts = text
        .split_once('@')
        .is_some_and(|(local, domain)| is_plain(local) && is_plain(domain) && !domain.contains('@'));
    if !has_parts || text.len() > EMAIL_MAX {
        return Err(Flaw::new("must be an e-mail address such as ada@example.com, of at most 254 bytes"));
    }
    Ok(text.to_lowercase())
}

/// Reads a person's name.
///
/// # Errors
/// Text that [`text::name`] refuses, and more than 255 characters.
pub fn name(text: &str) -> Result<String, Flaw> {
    text::name(text, NAME_MAX)
}

/// Reads a new password. Every character counts, including blanks at the ends.
///
/// The text is returned unchanged, neither trimmed nor normalised.
///
/// # Errors
/// Fewer than 12 or more than 256 characters, text of fewer than four different characters, and common passwords.
pub fn password(text: &str) -> Result<String, Flaw> {
    let length = text.chars().take(PASSWORD_MAX + 1).count();
    if !(PASSWORD_MIN..=PASSWORD_MAX).contains(&length) {
        return Err(Flaw::new(format!("must have {PASSWORD_MIN} to {PASSWORD_MAX} characters")));
    }
    if is_guessable(text) {
        return Err(Flaw::new("is easy to guess; choose another"));
    }
    Ok(text.to_owned())
}

/// Common parts of long passwords. A password of fewer than 24 characters that has fewer than five other letters and
/// digits is refused.
const COMMON: [&str; 30] = [
    "password",
    "passwort",
    "motdepasse",
    "contrasena",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "1q2w3e4r5t6y",
    "1q2w3e4r",
    "qazwsxedc",
    "1234567890",
    "0987654321",
    "123456789",
    "12345678",
    "0123456789",
    "abcdefgh",
    "abcd1234",
    "iloveyou",
    "letmein",
    "welcome",
    "sunshine",
    "princess",
    "football",
    "administrator",
    "administrateur",
    "superman",
    "trustno1",
    "changeme",
    "muriel",
];

/// Returns whether a password has fewer than four different characters, or consists mostly of common parts.
///
/// The common parts are removed from its letters and digits. In a password of fewer than 24 characters, at least five
/// have to remain. A password without any letter or digit is not checked for common parts.
fn is_guessable(text: &str) -> bool {
    let mut rest: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    // A password without letters and digits is unusual enough.
    let had_some = !rest.is_empty();
    for common in COMMON {
        rest = rest.replace(common, "");
    }
    let mut different: Vec<char> = text.chars().collect();
    different.sort_unstable();
    different.dedup();
    different.len() < 4 || had_some && rest.chars().count() < 5 && text.chars().count() < 24
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_lower_case_and_plain() {
        for (text, expect) in [
            (" Ada@Example.com ", Some("ada@example.com")),
            ("a+b@x", Some("a+b@x")),
            ("ünä@bücher.example", Some("ünä@bücher.example")),
            ("ada", None),
            ("@x", None),
            ("a@", None),
            ("a@b@c", None),
            ("a b@c", None),
            ("a@b\n", Some("a@b")),
            ("a@b\nc", None),
            ("<a@b>", None),
            ("a\u{200b}@b", None),
            ("a@b\u{202e}c", None),
            ("", None),
        ] {
            assert_eq!(email(text).ok().as_deref(), expect, "{text}");
        }
        assert!(email(&format!("{}@x", "a".repeat(252))).is_ok());
        assert!(email(&format!("{}@x", "a".repeat(253))).is_err());
    }

    #[test]
    fn passwords_are_long_and_not_the_first_to_be_tried() {
        for (text, good) in [
            ("correct horse battery", true),
            ("x8#kQ!mZ2v@r", true),
            ("a sentence in words", true),
            ("short", false),
            ("aaaaaaaaaaaaaaaa", false),
            ("abababababab", false),
            ("password1234", false),
            ("Password-123!", false),
            ("123456789012", false),
            ("qwertyuiop[]", false),
            ("muriel-muriel", false),
        ] {
            assert_eq!(password(text).is_ok(), good, "{text}");
        }
        assert!(password(&"aB3$".repeat(64)).is_ok());
        assert!(password(&"aB3$".repeat(65)).is_err());
    }

    #[test]
    fn nobody_gives_a_role_above_their_own() {
        let rows = [
            (Role::Viewer, [false; 4]),
            (Role::Editor, [false; 4]),
            (Role::Admin, [true, true, true, false]),
            (Role::Owner, [true; 4]),
        ];
        for (role, expect) in rows {
            assert_eq!(Role::WORDS.map(|(_, other)| role.may_give(other)), expect, "{role:?}");
        }
    }

    #[test]
    fn a_limited_person_has_no_role_in_the_company() {
        let everywhere = Access { role: Role::Editor, projects: None };
        assert_eq!(
            (everywhere.in_project(ProjectId(7)), everywhere.in_company()),
            (Some(Role::Editor), Some(Role::Editor))
        );
        let limited = Access { role: Role::Viewer, projects: Some(vec![(ProjectId(7), Role::Admin)]) };
        assert_eq!((limited.in_project(ProjectId(7)), limited.in_company()), (Some(Role::Admin), None));
        assert_eq!(limited.in_project(ProjectId(8)), None);
    }
}
