//! Errors of acts that need a report which cannot be computed.

use muriel_context::error::Error;
use muriel_results::{ComputeError, ReportError};
use muriel_warehouse as warehouse;

/// Seconds after which to retry while the warehouse is opened or loaded.
pub(crate) const LOADING_RETRY_S: u64 = 5;
/// Seconds after which to retry a report that found the queue full.
const BUSY_RETRY_S: u64 = 1;

pub(crate) fn report_error(error: ReportError) -> Error {
    let not_yet = |why: String| Error::NotYet { why, retry_after_s: LOADING_RETRY_S };
    match error {
        ReportError::Busy => Error::Unavailable { retry_after_s: BUSY_RETRY_S },
        ReportError::Loading { done, of } => {
            not_yet(format!("the events are still being loaded from the event log, block {done} of {of}"))
        }
        ReportError::LogUnreadable(error) => {
            if let Some(error) = error {
                tracing::warn!(error = &*error as &dyn std::error::Error, "the end of the event log cannot be read");
            }
            not_yet(
                "the event log cannot be read, so the server cannot tell whether the result would include all events"
                    .to_owned(),
            )
        }
        ReportError::Damaged => not_yet("the warehouse is damaged and is being rebuilt from the event log".to_owned()),
        ReportError::Failed(failure) => match &*failure {
            ComputeError::Warehouse(warehouse::Error::Memory) => {
                tracing::warn!("a report needs more memory than --warehouse-memory allows");
                not_yet("the report needs more memory than the warehouse may use (--warehouse-memory)".to_owned())
            }
            _ => Error::internal(failure),
        },
    }
}
