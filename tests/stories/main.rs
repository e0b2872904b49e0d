//! Black-box stories over HTTP.

mod answers;
mod goals;
mod health;
mod keys;
mod layers;
mod lifecycle;
mod limits;
mod lists;
mod order;
mod patch;
mod retries;
mod scene;
mod serving;
mod targeting;
mod tenants;
mod variants;
