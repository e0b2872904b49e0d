//! Tools for agents, over the Model Context Protocol.
//!
//! A tool is an operation of the API under a name for agents: `tools` has the list; `operation` converts the arguments
//! of a call to a request of the API, and its answer to that of the tool. The request goes through the API itself with
//! the caller's key, so keys, scopes, limits, checks, error sentences and shapes are those of the API, and none is
//! implemented here again. [`http`] answers at `/mcp`; [`bridge`] is for programs that start their server as a process.

pub mod bridge;
pub mod http;
mod operation;
mod schema;
mod server;
mod spec;
#[cfg(test)]
mod tests;
mod tools;

use ::http::{Request, Response};
use axum::body::Body;
use std::pin::Pin;
use std::sync::Arc;

pub use tools::Tools;

/// A future that can be sent to another thread.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The API as a function that answers requests.
pub type Api = Arc<dyn Fn(Request<Body>) -> BoxFuture<Response<Body>> + Send + Sync>;

/// The API's contract lacks something that a tool needs.
#[derive(Debug, thiserror::Error)]
#[error("the contract does not fit the tools: {0}")]
pub struct BadContract(String);
