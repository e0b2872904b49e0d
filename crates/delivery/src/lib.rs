//! Traffic of visitors and their pages: rulesets, the script, properties of visitors, and the intake of events.
//!
//! Nothing here knows people, and nothing waits for the database where a visitor waits: answers come from memory.

pub mod evaluation;
pub mod flag_template;
pub mod intake;
pub mod integrations;
pub mod live;
pub mod memory_budget;
#[cfg(test)]
mod processor_time;
pub mod rulesets;
pub mod script;
pub mod signatures;
pub mod site;
pub mod visitor;
