//! The tasks of the server that need only the application's state, one file each.
//!
//! The code that starts the server registers them with their settings, together with the tasks that need its own
//! wiring.

mod geography;
mod inbox;
mod integrations;
mod interactions;
mod jobs;
mod key_uses;
mod reports;
mod retention;
mod rulesets;
mod visitor_data;
mod webhooks;

pub use geography::refresh_geography;
pub use inbox::trim_inboxes;
pub use integrations::{report_conversions, report_exposures, write_integration_successes};
pub use interactions::LeftOutObserver;
pub use jobs::{JobsObserver, clock};
pub use key_uses::write_key_uses;
pub use reports::warm_reports;
pub use retention::delete_old_events;
pub use rulesets::refresh_rulesets;
pub use visitor_data::{delete_expired_events, delete_visitor_data};
pub use webhooks::deliver_webhooks;

use crate::task::{Dependency, RunError};

/// Converts the error of an act to that of a run: an unavailable database is waited for.
fn act_error(error: &muriel_context::Error) -> RunError {
    match error {
        muriel_context::Error::Unavailable { .. } => RunError::Waiting(Dependency::Database),
        error => RunError::failed(error),
    }
}
