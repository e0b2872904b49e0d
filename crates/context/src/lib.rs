//! State and helpers that acts of all kinds share: the database, the clock, secrets, caches of access, the actor with its
//! scopes, the audit log, and errors. No act is known here.
//!
//! An act takes a [`Context`], or a part of the service that has one and derefs to it.

pub mod access_cache;
pub mod actor;
pub mod actors;
pub mod api_key;
pub mod audit;
pub mod clock;
mod context;
pub mod digest;
pub mod error;
pub mod idempotency;
pub mod last_uses;
pub mod list_cache;
pub mod names;
mod node;
pub mod object_history;
mod precondition;
pub mod sealed;

pub use actor::Actor;
pub use context::{Context, Shared};
pub use error::{Error, Result};
pub use node::NodeIdentity;
pub use precondition::Precondition;
