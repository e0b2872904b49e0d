//! Permissions: scopes, and the access that an API key grants.

use crate::ids::{CompanyId, ProjectId};
use crate::{Flaw, Instant};

/// A permission that an API key carries.
///
/// The discriminants are the bits of [`Scopes`]. Keys are stored with the words of [`Scope::name`],
/// so a new scope does not change stored keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Scope {
    /// Read experiments, hypotheses, goals and results.
    Read = 1,
    /// Create, change and delete experiments, hypotheses and goals; send events from servers.
    Write = 2,
    /// Change code that runs on customers' pages. A scope of its own: code can do anything in the
    /// browser of every visitor of the site.
    Code = 4,
    /// Request decisions.
    Evaluate = 8,
    /// Change the basis of a whole project's results: currency rates, and start times in the past.
    Admin = 16,
}

impl Scope {
    /// All scopes, in the order in which [`Scopes`] are written.
    pub const ALL: [Scope; 5] = [Scope::Read, Scope::Write, Scope::Code, Scope::Evaluate, Scope::Admin];

    /// Word for the scope in requests, columns and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Code => "code",
            Scope::Evaluate => "evaluate",
            Scope::Admin => "admin",
        }
    }
}

/// A set of scopes. Its text form has the words in the order of [`Scope::ALL`]:
///
/// The default is the empty set, which permits nothing. [`Scopes::parse`] never returns it.
///
/// ```
/// use muriel_domain::access::{Scope, Scopes};
///
/// let scopes = Scopes::parse("write read").unwrap();
/// assert_eq!(scopes.to_string(), "read,write");
/// assert!(scopes.has(Scope::Write) && !scopes.has(Scope::Code));
/// assert!(Scopes::parse("everything").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    /// The set of all scopes.
    pub fn all() -> Self {
        Self::of(&Scope::ALL)
    }

    /// The set of the given scopes.
    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |set, &scope| set | scope as u8))
    }

    /// Returns whether the set has the scope.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & scope as u8 != 0
    }

    /// Returns whether the set has every scope of `other`. True for an empty `other`.
    pub fn include(self, other: Scopes) -> bool {
        self.0 & other.0 == other.0
    }

    /// The words of the set, in the order of [`Scope::ALL`].
    pub fn words(self) -> Vec<&'static str> {
        Scope::ALL.into_iter().filter(|&scope| self.has(scope)).map(Scope::name).collect()
    }

    /// The set without the scope.
    #[must_use]
    pub fn without(self, scope: Scope) -> Self {
        Self(self.0 & !(scope as u8))
    }

    /// Reads words separated by commas or blanks: `read,write`. Words may repeat.
    ///
    /// # Errors
    /// An unknown word, or no word at all: a key without a scope could not do anything.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let mut set = 0;
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            let scope = Scope::ALL.into_iter().find(|scope| scope.name() == word);
            set |= scope.ok_or_else(|| {
                Flaw::new(format!(
                    "must be one or more of read, write, code, evaluate and admin; \"{word}\" is not a scope"
                ))
            })? as u8;
        }
        if set == 0 { Err(Flaw::new("must name at least one scope")) } else { Ok(Self(set)) }
    }
}

impl std::fmt::Display for Scopes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.words().join(","))
    }
}

/// Access that a key grants once its secret has been checked.
///
/// Requests check it in this order: [`Grant::is_valid`] (401), [`Grant::sees`] (404),
/// [`Scopes::has`] (403). The order keeps a key from learning about projects that it cannot see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The company whose projects the key opens.
    pub company_id: CompanyId,
    /// The projects that the key is limited to. `None` for all projects of the company, including
    /// later ones.
    pub projects: Option<Vec<ProjectId>>,
    /// Scopes of the key in these projects.
    pub scopes: Scopes,
    /// The key is refused from this moment on. `None` when it does not expire.
    pub expires_at: Option<Instant>,
    /// Time at which the key was revoked. `None` while it is in use.
    pub revoked_at: Option<Instant>,
}

impl Grant {
    /// Returns whether the key may be used at `now`: neither revoked nor expired. A key is refused
    /// at the exact moment of its expiry.
    pub fn is_valid(&self, now: Instant) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| now < at)
    }

    /// Returns whether the key may know that the project exists. If not, requests answer as if it
    /// did not exist. An empty list of projects opens none.
    pub fn sees(&self, company: CompanyId, project: ProjectId) -> bool {
        self.company_id == company && self.projects.as_ref().is_none_or(|listed| listed.contains(&project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_read_back_as_written() {
        for (text, expect) in [
            ("read", Some("read")),
            ("write read,read", Some("read,write")),
            ("read,write,code,evaluate,admin", Some("read,write,code,evaluate,admin")),
            ("", None),
            ("root", None),
        ] {
            assert_eq!(Scopes::parse(text).ok().map(|set| set.to_string()).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn a_grant_ends_and_sees_only_its_own() {
        let grant = Grant {
            company_id: CompanyId(1),
            projects: Some(vec![ProjectId(3)]),
            scopes: Scopes::all(),
            expires_at: Some(Instant::from_us(10)),
            revoked_at: None,
        };
        assert!(grant.is_valid(Instant::from_us(9)));
        assert!(!grant.is_valid(Instant::from_us(10)));
        assert!(
            !Grant { revoked_at: Some(Instant::from_us(1)), expires_at: None, ..grant.clone() }
                .is_valid(Instant::from_us(9))
        );
        assert!(grant.sees(CompanyId(1), ProjectId(3)));
        assert!(!grant.sees(CompanyId(1), ProjectId(4)));
        assert!(!grant.sees(CompanyId(2), ProjectId(3)));
    }
}
