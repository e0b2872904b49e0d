//! Which node of several on one database this is.

use std::sync::{Arc, PoisonError, RwLock};

/// What this server is called in the registry of nodes.
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

    /// Another id, for a node whose place a copy of it has taken.
    pub fn set(&self, id: &str) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = id.into();
    }
}
