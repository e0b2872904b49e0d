//! Black-box stories over HTTP.

mod answers;
mod events;
mod goals;
mod health;
mod hostile;
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
mod storage;
mod targeting;
mod tenants;
mod variants;
