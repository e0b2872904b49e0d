//! Black-box stories over HTTP.

mod answers;
mod evaluate;
mod events;
mod explain;
mod goals;
mod health;
mod hostile;
mod keys;
mod layers;
mod lifecycle;
mod limits;
mod lists;
mod order;
mod outage;
mod patch;
mod recompute;
mod results;
mod retries;
mod rulesets;
mod scene;
mod script;
mod serving;
mod storage;
mod targeting;
mod tenants;
mod variants;
