//! The identity of this node among several that share a database.

use std::sync::{Arc, PoisonError, RwLock};

/// Id of this server in the registry of nodes. It can change.
#[derive(Debug)]
pub struct NodeIdentity(RwLock<Arc<str>>);

impl NodeIdentity {
    /// Creates the identity of a node with this id.
    pub fn new(id: &str) -> Self {
        Self(RwLock::new(id.into()))
    }

    /// Returns the current id.
    pub fn get(&self) -> Arc<str> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the id, after a copy of this node has registered with the old one.
    pub fn set(&self, id: &str) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = id.into();
    }
}
