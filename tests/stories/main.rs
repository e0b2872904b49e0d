//! Black-box stories over HTTP.

mod answers;
mod keys;
mod lists;
mod order;
mod patch;
mod scene;
mod targeting;
mod tenants;
mod variants;
