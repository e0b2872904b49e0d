//! The actor of an act, and its scopes.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::access_cache::{KnownKey, KnownSession};
use crate::context::Context;
use crate::error::{Error, Result};
use muriel_domain::access::{Scope, Scopes};
use muriel_domain::ids::{PersonId, ProjectId};
use muriel_domain::person::Role;
use muriel_store::audit::ActorRecord;
use muriel_store::experiments::Limited;
use muriel_store::{keys, people};
use std::sync::Arc;

/// The actor of an act. History and the audit log record it, and its scopes limit what it may do.
#[derive(Clone)]
pub enum Actor {
    /// The holder of this API key.
    Key(Arc<KnownKey>),
    /// A signed-in person.
    Person(PersonActor),
    /// The operator or the server itself, under this name: the command line, the demo, a scheduled
    /// task. It has every scope.
    System(&'static str),
}

/// A signed-in person acting in a project or in the company.
#[derive(Clone)]
pub struct PersonActor {
    /// The session.
    pub session: Arc<KnownSession>,
    /// The person's role in that project or company.
    pub role: Role,
    /// The scopes of the role.
    pub scopes: Scopes,
}

impl Actor {
    /// The operator at the command line.
    pub const COMMAND_LINE: Actor = Actor::System("command line");

    /// Display name of the actor: the key's id, or a name.
    pub fn name(&self) -> &str {
        match self {
            Actor::Key(key) => &key.stored.id,
            Actor::Person(person) => &person.session.person.name,
            Actor::System(name) => name,
        }
    }

    /// The actor as the audit log stores it.
    pub fn record(&self) -> ActorRecord {
        let record = |kind: &str, id: &str, name: &str| ActorRecord {
            kind: kind.to_owned(),
            id: id.to_owned(),
            name: name.to_owned(),
        };
        match self {
            Actor::Key(key) => record("key", &key.stored.id, &key.stored.name),
            Actor::Person(PersonActor { session, .. }) => {
                record("person", &session.person.id.to_string(), &session.person.name)
            }
            Actor::System(name) => record("system", name, name),
        }
    }

    /// Stable reference to the actor, stored by history and other records. It does not change when the
    /// actor is renamed. [`Names`](crate::actors::Names) resolves it to a display name.
    pub fn reference(&self) -> String {
        match self {
            Actor::Key(key) => key.stored.id.clone(),
            Actor::Person(person) => muriel_store::people::reference(person.session.person.id),
            Actor::System(name) => (*name).to_owned(),
        }
    }

    /// The signed-in person; `None` for keys and the system.
    pub fn person(&self) -> Option<PersonId> {
        match self {
            Actor::Person(person) => Some(person.session.person.id),
            Actor::Key(_) | Actor::System(_) => None,
        }
    }

    /// The person responsible: the signed-in person, or the person who created the key. `None` for the
    /// operator and the operator's keys.
    pub fn maker(&self) -> Option<PersonId> {
        match self {
            Actor::Person(person) => Some(person.session.person.id),
            Actor::Key(key) => key.stored.created_by,
            Actor::System(_) => None,
        }
    }

    /// A short text for [`may_still_see`], stored by work that continues after the request: `p7` for a
    /// person, `k` and the id for a key, empty for the operator.
    pub fn holder(&self) -> String {
        match self {
            Actor::Person(person) => format!("p{}", person.session.person.id),
            Actor::Key(key) => format!("k{}", key.stored.id),
            Actor::System(_) => String::new(),
        }
    }

    /// Returns whether the actor has the scope.
    pub fn may(&self, scope: Scope) -> bool {
        match self {
            Actor::Key(key) => key.stored.grant.scopes.has(scope),
            Actor::Person(person) => person.scopes.has(scope),
            Actor::System(_) => true,
        }
    }

    /// Checks that the actor has the scope.
    ///
    /// # Errors
    /// `RoleLacksScope` for a person, `MissingScope` for a key.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.may(scope) { Ok(()) } else { Err(self.lacks(scope)) }
    }

    /// Returns the error for an actor that does not have a scope.
    pub fn lacks(&self, scope: Scope) -> Error {
        match self {
            Actor::Person(_) => Error::RoleLacksScope(scope),
            Actor::Key(_) | Actor::System(_) => Error::MissingScope(scope),
        }
    }

    /// Returns the actor with one scope removed.
    #[must_use]
    pub fn without(self, scope: Scope) -> Actor {
        match self {
            Actor::Key(key) => Actor::Key(Arc::new(key.without(scope))),
            Actor::Person(person) => Actor::Person(PersonActor { scopes: person.scopes.without(scope), ..person }),
            Actor::System(name) => Actor::System(name),
        }
    }

    /// The key or person when it sees only some of the company's projects; `None` when it sees all of them.
    pub fn limited_to(&self) -> Option<Limited> {
        match self {
            Actor::Key(key) => key.stored.grant.projects.as_ref().map(|_| Limited::Key(key.stored.id.clone())),
            Actor::Person(PersonActor { session, .. }) => {
                session.person.access.projects.as_ref().map(|_| Limited::Person(session.person.id))
            }
            Actor::System(_) => None,
        }
    }
}

/// Returns whether the actor with this [`Actor::holder`] may see the project now: a person who has not
/// been removed and has a role there, or a key that has not been revoked. The operator always may.
pub async fn may_still_see(context: &Context, holder: &str, project: ProjectId) -> Result<bool> {
    if holder.is_empty() {
        return Ok(true);
    }
    let holder = holder.to_owned();
    context
        .read(move |tx| {
            Box::pin(async move {
                if let Some(key) = holder.strip_prefix('k') {
                    return Ok(keys::find(tx, key).await?.is_some_and(|key| key.grant.revoked_at.is_none()));
                }
                let Some(id) = holder.strip_prefix('p').and_then(PersonId::parse) else { return Ok(false) };
                let person = people::find(tx, id).await?;
                Ok(person.is_some_and(|person| person.access.in_project(project).is_some()))
            })
        })
        .await
}

impl std::fmt::Debug for Actor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Actor({})", self.name())
    }
}
