//! A node's work on deletions of visitors' data.

use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_log::{
    EraseError, EraseProgress, EraseReport, ErasedEvents, Erasure, Log, LogReader, LogState, Position, VisitorMark,
    erase,
};
use muriel_store::visitor_jobs::{self, Examined, ExaminedJob, ONLY_NODE, PendingJob, VisitorJobState};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant as Ticks};
use uuid::Uuid;

/// Deletions that are done together: the log is read once for all of them.
const MAX_AT_ONCE: i64 = 1_000;
/// Period at which progress is stored.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);
/// Timeout of waiting for the warehouse to follow; the next run checks it again.
const FOLLOW_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest pause of the rewriting thread, which pauses as long as it has worked.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Performs this node's deletions: removes the events of visitors from its log, waits until they are
/// out of the warehouse's results and file, and stores the progress. Returns whether there was anything
/// to do. `is_first` is true for the first run of a process.
///
/// # Errors
/// When the database cannot be reached, or the log cannot be read or rewritten. Completed work stays,
/// and the next run continues.
pub async fn run_jobs(app: &App, is_first: bool) -> Result<bool> {
    let node: Arc<str> = app.node_id().unwrap_or_else(|| ONLY_NODE.into());
    let Some(log) = app.log() else { return Err(Error::Unavailable { retry_after_s: 1 }) };
    if is_first {
        repeat_after_restore(app, &node, log).await?;
    }
    let pending = of_node(app, &node, VisitorJobState::Pending).await?;
    if !pending.is_empty() {
        erase_visitors(app, &node, log, &pending).await?;
    }
    let compacting = of_node(app, &node, VisitorJobState::Compacting).await?;
    if !compacting.is_empty() {
        finish(app, &node, &compacting).await?;
    }
    Ok(!pending.is_empty() || !compacting.is_empty())
}

async fn of_node(app: &App, node: &Arc<str>, state: VisitorJobState) -> Result<Vec<PendingJob>> {
    let node = node.clone();
    app.read(move |tx| Box::pin(async move { Ok(visitor_jobs::of_node(tx, &node, state, MAX_AT_ONCE).await?) })).await
}

async fn erase_visitors(app: &App, node: &Arc<str>, log: &Log, pending: &[PendingJob]) -> Result<()> {
    let ids: Vec<_> = pending.iter().map(|job| job.id).collect();
    let (begun, own) = (ids.clone(), node.clone());
    write(app, move |tx| {
        Box::pin(async move {
            for id in begun {
                visitor_jobs::begin(tx, id, &own).await?;
            }
            Ok(())
        })
    })
    .await?;
    let erasures = pending.iter().map(|job| {
        Ok(Erasure {
            job: Uuid::parse_str(&job.log_job).map_err(Error::internal)?,
            project_key: job.project_key.as_str().into(),
            what: ErasedEvents::OfVisitor(VisitorMark(job.visitor_mark)),
        })
    });
    let erasures: Vec<Erasure> = erasures.collect::<Result<_>>()?;
    let jobs: Vec<Uuid> = erasures.iter().map(|erasure| erasure.job).collect();
    match erase_gently(app, node, log, erasures).await? {
        Ok(report) => {
            let dir = log.dir().to_owned();
            let removed = tokio::task::spawn_blocking(move || LogReader::open(&dir)?.removed_by_job());
            let removed = removed.await.map_err(Error::internal)?.map_err(Error::internal)?;
            let found: Vec<_> = ids.into_iter().zip(jobs).collect();
            note_examined(app, node, report, found, removed).await
        }
        // The server is shutting down.
        Err(EraseError::Stopped) => Ok(()),
        Err(error) => {
            let (reason, own) = (sentence(&error), node.clone());
            write(app, move |tx| {
                Box::pin(async move {
                    for id in ids {
                        visitor_jobs::failed(tx, id, &own, &reason).await?;
                    }
                    Ok(())
                })
            })
            .await?;
            Err(Error::internal(error))
        }
    }
}

/// Returns the reason of a failed erasure for people, without file paths.
fn sentence(error: &EraseError) -> String {
    match error {
        EraseError::Log(_) => "the event log cannot be read or rewritten; the server's log says why".to_owned(),
        error => error.to_string(),
    }
}

async fn note_examined(
    app: &App,
    node: &Arc<str>,
    report: EraseReport,
    found: Vec<(muriel_domain::ids::VisitorJobId, Uuid)>,
    removed: BTreeMap<Uuid, u64>,
) -> Result<()> {
    let events: u64 = report.removed.iter().sum();
    tracing::info!(
        jobs = found.len(),
        events,
        blocks = report.blocks,
        damaged_blocks = report.damaged,
        "the data of visitors was deleted from the event log"
    );
    let node = node.clone();
    write(app, move |tx| {
        Box::pin(async move {
            for (id, job) in found {
                let events = removed.get(&job).copied().unwrap_or(0);
                let examined = Examined {
                    block: report.examined.seq,
                    events: i64::try_from(events).unwrap_or(i64::MAX),
                    damaged_blocks: i64::try_from(report.damaged).unwrap_or(i64::MAX),
                };
                visitor_jobs::examined(tx, id, &node, examined).await?;
            }
            Ok(())
        })
    })
    .await
}

/// Rewrites the log on a thread of its own, which works half of the time, and stores the progress.
async fn erase_gently(
    app: &App,
    node: &Arc<str>,
    log: &Log,
    erasures: Vec<Erasure>,
) -> Result<std::result::Result<EraseReport, EraseError>> {
    let percent = Arc::new(AtomicI64::new(0));
    let (log, key, now, reported) = (log.clone(), app.pepper.rewrite_key(), app.clock.now(), percent.clone());
    let mut erasing = tokio::task::spawn_blocking(move || {
        let mut pace = pacer(&log, move |progress| {
            let EraseProgress { bytes, total, .. } = progress;
            let percent = i64::try_from(bytes.saturating_mul(100) / total.max(1)).unwrap_or(0);
            reported.store(percent.min(99), Ordering::Relaxed);
        });
        erase(&log, &key, now, &erasures, &mut pace)
    });
    let mut written = 0;
    loop {
        if let Ok(erased) = tokio::time::timeout(PROGRESS_INTERVAL, &mut erasing).await {
            return erased.map_err(Error::internal);
        }
        let percent = percent.load(Ordering::Relaxed);
        if percent > written {
            written = percent;
            let node = node.clone();
            // Progress is only informative, so the work continues without it.
            let noted =
                write(app, move |tx| Box::pin(async move { Ok(visitor_jobs::progress(tx, &node, percent).await?) }));
            if let Err(error) = noted.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "the progress was not stored");
            }
        }
    }
}

/// Pauses for as long as it worked since the last call, and stops with the log.
pub(super) fn pacer(log: &Log, mut report: impl FnMut(EraseProgress)) -> impl FnMut(EraseProgress) -> bool {
    let (log, mut since) = (log.clone(), Ticks::now());
    move |progress| {
        report(progress);
        std::thread::sleep(since.elapsed().min(MAX_PAUSE));
        since = Ticks::now();
        !matches!(log.state(), LogState::Unavailable { reason: muriel_log::UnavailableReason::Closed, .. })
    }
}

/// Finishes deletions once the warehouse has no data of the visitors.
async fn finish(app: &App, node: &Arc<str>, compacting: &[PendingJob]) -> Result<()> {
    let Some(results) = app.results() else { return Ok(()) };
    let loader = results.loader();
    if loader.has_erased_bytes() {
        return Ok(());
    }
    match tokio::time::timeout(FOLLOW_TIMEOUT, loader.follow_rewrites()).await {
        Ok(Some(false)) => {}
        // The rebuild is in progress or scheduled; or the loader is busy or stopped.
        Ok(Some(true) | None) | Err(_) => return Ok(()),
    }
    let (ids, node, now): (Vec<_>, _, Instant) =
        (compacting.iter().map(|job| job.id).collect(), node.clone(), app.clock.now());
    write(app, move |tx| Box::pin(async move { Ok(visitor_jobs::finish(tx, &ids, &node, now).await?) })).await
}

/// Repeats deletions that removed events from the log but are not recorded in it: the log was restored from an older
/// backup.
async fn repeat_after_restore(app: &App, node: &Arc<str>, log: &Log) -> Result<()> {
    let own = node.clone();
    let done: Vec<ExaminedJob> =
        app.read(move |tx| Box::pin(async move { Ok(visitor_jobs::with_events(tx, &own).await?) })).await?;
    if done.is_empty() {
        return Ok(());
    }
    let dir = log.dir().to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let reader = LogReader::open(&dir)?;
        Ok::<_, muriel_log::Error>((reader.removed_by_job()?, Position { seq: reader.extent()?.pruned }))
    });
    let (removed, pruned) = read.await.map_err(Error::internal)?.map_err(Error::internal)?;
    let is_unknown = |job: &ExaminedJob| {
        // Retention deletes the records together with the blocks.
        job.examined_block > pruned.seq
            && Uuid::parse_str(&job.log_job).is_ok_and(|log_job| !removed.contains_key(&log_job))
    };
    let unknown: Vec<_> = done.iter().filter(|job| is_unknown(job)).map(|job| job.id).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    tracing::warn!(
        jobs = unknown.len(),
        "the event log was restored from an older backup and has data that was deleted since; the data is deleted again"
    );
    let node = node.clone();
    write(app, move |tx| {
        Box::pin(async move {
            for id in unknown {
                visitor_jobs::repeat(tx, id, &node).await?;
            }
            Ok(())
        })
    })
    .await
}

async fn write<T: Send + 'static>(
    app: &App,
    body: impl for<'t> FnOnce(&'t mut dyn muriel_sql::Tx) -> muriel_sql::BoxFuture<'t, Result<T>> + Send + 'static,
) -> Result<T> {
    app.db.write::<_, Error, _>(body).await
}
