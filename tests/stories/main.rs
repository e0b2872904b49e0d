//! Black-box stories over HTTP.

mod answers;
mod goals;
mod keys;
mod lifecycle;
mod lists;
mod order;
mod patch;
mod retries;
mod scene;
mod serving;
mod targeting;
mod tenants;
mod variants;
