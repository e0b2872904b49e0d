//! Reports for strangers, who may ask as often as they like: each is computed at most once a minute, one at a time, so that
//! they take no more of the server than one slow reader.

use crate::app::App;
use crate::error::{Error, Result};
use crate::results::{LOADING_RETRY_S, report_error};
use muriel_results::{Computed, ReportInputs, ReportKey};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant as Ticks};
use tokio::sync::Semaphore;

/// Requests that wait for a report at the same time.
const WAITING_MAX: usize = 64;
/// Seconds after which to ask again when more would wait.
const BUSY_RETRY_S: u64 = 2;
/// How long a report that could not be computed is not tried again.
const FAILED_FOR: Duration = Duration::from_secs(10);
/// Reports of which that is remembered.
const FAILED_MAX: usize = 1_000;

/// Limits what is computed for strangers.
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

/// The report, of at most a minute ago.
///
/// # Errors
/// `Unavailable` and `NotYet` while no report can be computed.
pub(crate) async fn shared_report(app: &App, key: ReportKey, inputs: ReportInputs) -> Result<Arc<Computed>> {
    let shared = &app.shared_reports;
    let busy = |retry_after_s| Error::Unavailable { retry_after_s };
    let reports = app.results().cloned().ok_or_else(|| busy(LOADING_RETRY_S))?;
    if let Some(recent) = reports.recent(&key, &inputs, app.clock.now()) {
        return Ok(recent);
    }
    let _place = shared.waiting.try_acquire().map_err(|_| busy(BUSY_RETRY_S))?;
    let turn = shared.computing.clone().acquire_owned().await.map_err(|_| busy(BUSY_RETRY_S))?;
    let now = app.clock.now();
    // Somebody who waited before us had it computed.
    if let Some(recent) = reports.recent(&key, &inputs, now) {
        return Ok(recent);
    }
    if has_failed(&shared.failed, &key) {
        return Err(busy(FAILED_FOR.as_secs()));
    }
    let failed = shared.failed.clone();
    // It goes on when whoever asked has left: asking and leaving makes nothing be computed again.
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
