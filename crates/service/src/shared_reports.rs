//! Reports for readers of shared links, who may send any number of requests: each report is computed at
//! most once a minute, one at a time, so that these readers use no more of the server than one slow
//! reader.

use crate::report_error::{LOADING_RETRY_S, report_error};
use muriel_context::clock::Clock;
use muriel_context::error::{Error, Result};
use muriel_results::{Computed, ReportCache, ReportInputs, ReportKey};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant as Ticks};
use tokio::sync::Semaphore;

/// Most requests that wait for a report at the same time.
const WAITING_MAX: usize = 64;
/// Seconds after which to retry when more requests would wait.
const BUSY_RETRY_S: u64 = 2;
/// Retry delay of a report that could not be computed.
const FAILED_FOR: Duration = Duration::from_secs(10);
/// Most reports whose failure is remembered.
const FAILED_MAX: usize = 1_000;

/// Limits the reports computed for readers of shared links.
#[derive(Debug)]
pub(crate) struct SharedReports {
    waiting: Arc<Semaphore>,
    computing: Arc<Semaphore>,
    failed: Arc<Mutex<HashMap<ReportKey, Ticks>>>,
}

impl Default for SharedReports {
    fn default() -> Self {
        Self {
            waiting: Arc::new(Semaphore::new(WAITING_MAX)),
            computing: Arc::new(Semaphore::new(1)),
            failed: Arc::default(),
        }
    }
}

impl SharedReports {
    /// Returns the report, at most a minute old.
    ///
    /// # Errors
    /// `Unavailable` and `NotYet` while no report can be computed.
    pub(crate) async fn report(
        &self,
        cache: Option<&Arc<ReportCache>>,
        clock: &Clock,
        key: ReportKey,
        inputs: ReportInputs,
    ) -> Result<Arc<Computed>> {
        let busy = |retry_after_s| Error::Unavailable { retry_after_s };
        let reports = cache.cloned().ok_or_else(|| busy(LOADING_RETRY_S))?;
        if let Some(recent) = reports.recent(&key, &inputs, clock.now()) {
            return Ok(recent);
        }
        let _place = self.waiting.try_acquire().map_err(|_| busy(BUSY_RETRY_S))?;
        let turn = self.computing.clone().acquire_owned().await.map_err(|_| busy(BUSY_RETRY_S))?;
        let now = clock.now();
        // A request that waited before this one has computed it.
        if let Some(recent) = reports.recent(&key, &inputs, now) {
            return Ok(recent);
        }
        if has_failed(&self.failed, &key) {
            return Err(busy(FAILED_FOR.as_secs()));
        }
        let failed = self.failed.clone();
        // The computation continues when its caller leaves, so that repeated cancelled requests cause no
        // repeated computation.
        let computed = tokio::spawn(async move {
            let _turn = turn;
            let computed = reports.report_once(&key, &inputs, now).await;
            if computed.is_err() {
                note_failure(&failed, key);
            }
            computed
        });
        computed.await.map_err(Error::internal)?.map_err(report_error)
    }
}

fn has_failed(failed: &Mutex<HashMap<ReportKey, Ticks>>, key: &ReportKey) -> bool {
    let failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
    failed.get(key).is_some_and(|at| at.elapsed() < FAILED_FOR)
}

fn note_failure(failed: &Mutex<HashMap<ReportKey, Ticks>>, key: ReportKey) {
    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
    failed.retain(|_, at| at.elapsed() < FAILED_FOR);
    if failed.len() < FAILED_MAX {
        failed.insert(key, Ticks::now());
    }
}
