//! The actor of an act, and its scopes.

use crate::access_cache::KnownKey;
use crate::error::{Error, Result};
use muriel_domain::access::Scope;
use std::sync::Arc;

/// The actor of an act. History records it, and its scopes limit what it may do.
#[derive(Clone)]
pub enum Actor {
    /// The holder of this API key.
    Key(Arc<KnownKey>),
    /// The operator or the server itself, under this name: the command line, the demo, a task
    /// that runs at its time. It has every scope.
    System(&'static str),
}

impl Actor {
    /// The operator at the command line.
    pub const COMMAND_LINE: Actor = Actor::System("command line");

    /// What history records: a key's id, or a name.
    pub fn name(&self) -> &str {
        match self {
            Actor::Key(key) => &key.stored.id,
            Actor::System(name) => name,
        }
    }

    /// Whether the actor has the scope.
    pub fn may(&self, scope: Scope) -> bool {
        match self {
            Actor::Key(key) => key.stored.grant.scopes.has(scope),
            Actor::System(_) => true,
        }
    }

    /// Fails unless the actor has the scope.
    ///
    /// # Errors
    /// `MissingScope`.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.may(scope) { Ok(()) } else { Err(Error::MissingScope(scope)) }
    }

    /// The id of a key that sees only some of its company's projects; `None` for everybody who
    /// sees all of them.
    pub fn limited_to(&self) -> Option<&str> {
        match self {
            Actor::Key(key) if key.stored.grant.projects.is_some() => Some(&key.stored.id),
            Actor::Key(_) | Actor::System(_) => None,
        }
    }
}

impl std::fmt::Debug for Actor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Actor({})", self.name())
    }
}
