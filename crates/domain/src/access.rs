//! Who may do what: scopes, and what an API key stands for.

use crate::ids::{CompanyId, ProjectId};
use crate::{Flaw, Instant};

/// A permission that an API key carries.
///
/// The discriminants are the bits of [`Scopes`]. Keys are stored with the words of
/// [`Scope::name`], so a new scope changes no stored key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Scope {
    /// Read experiments, hypotheses, goals and results.
    Read = 1,
    /// Create, change and delete them; send events from servers.
    Write = 2,
    /// Change code that runs on customers' pages, which is a right of its own:
    /// whoever has it owns every visitor of the site.
    Code = 4,
    /// Ask for decisions.
    Evaluate = 8,
    /// Change what results of a whole project rest on: currency rates, and a start in
    /// the past.
    Admin = 16,
}

impl Scope {
    /// Every scope, in the order in which [`Scopes`] are written.
    pub const ALL: [Scope; 5] = [Scope::Read, Scope::Write, Scope::Code, Scope::Evaluate, Scope::Admin];

    /// The word for the scope in requests, columns and on the command line.
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
    /// Every scope there is.
    pub fn all() -> Self {
        Self::of(&Scope::ALL)
    }

    /// The set of these.
    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |set, &scope| set | scope as u8))
    }

    /// Whether the set holds the scope.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & scope as u8 != 0
    }

    /// Whether the set holds every scope of `other`.
    pub fn include(self, other: Scopes) -> bool {
        self.0 & other.0 == other.0
    }

    /// The words of the set, in the order of [`Scope::ALL`].
    pub fn words(self) -> Vec<&'static str> {
        Scope::ALL.into_iter().filter(|&scope| self.has(scope)).map(Scope::name).collect()
    }

    /// The set less the scope.
    #[must_use]
    pub fn without(self, scope: Scope) -> Self {
        Self(self.0 & !(scope as u8))
    }

    /// Reads words separated by commas or blanks: `read,write`. A word may be repeated.
    ///
    /// # Errors
    /// An unknown word, or no word at all: a key without a scope could do nothing.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let mut set = 0;
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            let scope = Scope::ALL.into_iter().find(|scope| scope.name() == word);
            set |= scope.ok_or_else(|| {
                Flaw::new(format!("must be of read, write, code, evaluate and admin; \"{word}\" is not a scope"))
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

/// What a key stands for once its secret has been checked.
///
/// It says nothing about a request yet: [`Grant::is_valid`] gives 401, [`Grant::sees`] 404,
/// [`Scopes::has`] 403, asked in this order so that a key learns nothing about projects that
/// it cannot see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The company whose projects it opens.
    pub company_id: CompanyId,
    /// The projects it is limited to; `None` for all of the company, also those
    /// that are made later.
    pub projects: Option<Vec<ProjectId>>,
    /// What it may do there.
    pub scopes: Scopes,
    /// The moment from which on the key is refused; `None` for a key that does not expire.
    pub expires_at: Option<Instant>,
    /// When somebody revoked the key; `None` for one that is in use.
    pub revoked_at: Option<Instant>,
}

impl Grant {
    /// Whether the key may be used at `now`: not revoked, and not expired. At the moment of
    /// expiry it is refused already.
    pub fn is_valid(&self, now: Instant) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| now < at)
    }

    /// Whether this key may know that the project exists. If not, requests answer as if the
    /// project did not exist.
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
