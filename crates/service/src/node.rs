//! The identity of this node among several that share a database.

use std::sync::{Arc, PoisonError, RwLock};

/// The id of this server in the registry of nodes. It can change.
#[derive(Debug)]
pub struct NodeIdentity(RwLock<Arc<str>>);

impl NodeIdentity {
    /// A node of this id.
    pub fn new(id: &str) -> Self {
        Self(RwLock::new(id.into()))
    }

    /// The id that it has now.
    pub fn get(&self) -> Arc<str> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets another id, after a copy of this node has registered with the old one.
    pub fn set(&self, id: &str) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = id.into();
    }
}
