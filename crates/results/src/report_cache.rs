//! Caches reports. Requests with equal keys share one computation, and a cached report is returned again while nothing
//! has changed.
//!
//! Every report has all events that were acknowledged before it was requested: the head of the event log is read from
//! the log itself for each request, and no report that ends before it is returned, whether cached, shared or just
//! computed.

use crate::compute::{ComputeError, Computed, compute};
use crate::define::ReportSubject;
use crate::inquiry::Inquiry;
use crate::manifest::Manifest;
use muriel_domain::Instant;
use muriel_domain::ids::{ExperimentId, GroupId, ProjectId};
use muriel_log::{LogPosition, Position};
use muriel_warehouse::{
    self as warehouse, ActivityAnswer, ActivityQuestion, Loader, PagesAnswer, PagesQuestion, StopToken,
    WarehouseReader, Watermarks,
};
use quick_cache::sync::Cache;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant as Ticks};
use tokio::sync::{Semaphore, watch};

/// Maximum number of cached reports.
const CAPACITY: usize = 1_000;
/// Maximum number of computations at the same time. Each uses every core that the warehouse may use.
const CONCURRENT: usize = 2;
/// Maximum number of computations that wait for these.
const QUEUE: usize = 64;
/// Attempts before a request gives up. A retry is needed when the computation that it joined began before its events
/// were loaded, or when rows were removed in the meantime.
const MAX_ATTEMPTS: usize = 10;
/// Maximum age of a cached report when no events arrive, in microseconds. It has all events, but windows close as time
/// passes.
const MAX_AGE_US: i64 = 60_000_000;
/// Maximum number of reports that are kept warm.
const WARM_MAX: usize = 200;
/// Time after the last request during which a report is kept warm.
const WARM_FOR: Duration = Duration::from_secs(600);

/// Identifies a report: two requests with equal keys share one computation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReportKey {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Subject of the report.
    pub subject: SubjectId,
    /// Request: dates, filters, breakdown.
    pub inquiry: Inquiry,
    /// True when the report has the top metric by quarter of an hour.
    pub by_quarter: bool,
}

/// Subject of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubjectId {
    /// An experiment.
    Experiment(ExperimentId),
    /// A holdout.
    Holdout(GroupId),
}

/// Reason why no report could be returned.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReportError {
    /// More requests wait than the queue holds.
    #[error("too many reports are being made")]
    Busy,
    /// The events that were acknowledged are not in the warehouse yet: it is being rebuilt from the log, or cannot be
    /// loaded.
    #[error("the events are being loaded: {done} of {of} blocks")]
    Loading {
        /// Number of loaded blocks.
        done: i64,
        /// Number of all blocks.
        of: i64,
    },
    /// The head of the log cannot be read, so the server cannot tell whether a report would include all events.
    #[error("the event log cannot be read")]
    LogUnreadable(#[source] Option<Arc<warehouse::Error>>),
    /// The warehouse is damaged; its loader rebuilds it from the log.
    #[error("the warehouse is damaged")]
    Damaged,
    /// The report could not be computed.
    #[error(transparent)]
    Failed(Arc<ComputeError>),
}

impl From<ComputeError> for ReportError {
    fn from(failure: ComputeError) -> Self {
        match failure {
            ComputeError::Warehouse(warehouse::Error::Damaged(_)) => ReportError::Damaged,
            other => ReportError::Failed(Arc::new(other)),
        }
    }
}

struct CachedReport {
    version: String,
    /// Generation of the loader when the computation began.
    generation: u64,
    computed: Arc<Computed>,
}

type ReportResult = Option<Result<Arc<Computed>, ReportError>>;

/// A computation that requests wait for. It stops when the last of them gives up.
struct InFlight {
    /// Position up to which events were loaded when it began.
    loaded: Option<LogPosition>,
    version: String,
    result: watch::Receiver<ReportResult>,
    _stop: StopOnDrop,
}

/// Stops a warehouse question when it is dropped.
struct StopOnDrop(StopToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A report that was requested recently.
struct Recent {
    project: ProjectId,
    asked: Ticks,
    /// State of its project's events at the last check.
    seen: Option<EventState>,
    /// State for which it was last computed in the background, or could not be.
    tried: Option<EventState>,
}

/// State that changes with a project's rows: the loader's generation, and the last block with events of the project.
type EventState = (u64, Position);

/// The last position that was read from the log, shared by all requests that came before that read began.
#[derive(Default)]
struct LogHead {
    /// Number of requests so far.
    requests: AtomicU64,
    /// Number of requests when the last read began, and its result.
    read: tokio::sync::Mutex<(u64, Option<LogPosition>)>,
}

/// Timeouts of a request for a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportTimeouts {
    /// Timeout for reading the head of the log.
    pub head: Duration,
    /// Timeout for loading the events up to the head, after that.
    pub catch_up: Duration,
}

impl Default for ReportTimeouts {
    fn default() -> Self {
        Self { head: Duration::from_secs(2), catch_up: Duration::from_secs(3) }
    }
}

/// Answers questions about experiments, and caches the answers.
pub struct ReportCache {
    warehouse: Arc<dyn WarehouseReader>,
    loader: Arc<Loader>,
    head: LogHead,
    cached: Arc<Cache<ReportKey, Arc<CachedReport>>>,
    in_flight: Mutex<HashMap<ReportKey, Weak<InFlight>>>,
    recent: Mutex<HashMap<ReportKey, Recent>>,
    /// Permits to compute.
    computing: Arc<Semaphore>,
    /// Permits to compute, or to wait for a permit to compute.
    queue: Arc<Semaphore>,
    timeouts: ReportTimeouts,
}

impl ReportCache {
    /// Creates a cache over a warehouse that `loader` fills.
    pub fn new(warehouse: Arc<dyn WarehouseReader>, loader: Arc<Loader>) -> Self {
        Self {
            warehouse,
            loader,
            head: LogHead::default(),
            cached: Arc::new(Cache::new(CAPACITY)),
            in_flight: Mutex::default(),
            recent: Mutex::default(),
            computing: Arc::new(Semaphore::new(CONCURRENT)),
            queue: Arc::new(Semaphore::new(CONCURRENT + QUEUE)),
            timeouts: ReportTimeouts::default(),
        }
    }

    /// Sets the timeouts of requests.
    pub fn with_timeouts(self, timeouts: ReportTimeouts) -> Self {
        Self { timeouts, ..self }
    }

    /// The loader, which fills the warehouse.
    pub fn loader(&self) -> &Arc<Loader> {
        &self.loader
    }

    /// The reader, which answers questions.
    pub fn warehouse(&self) -> &Arc<dyn WarehouseReader> {
        &self.warehouse
    }

    /// The report about the subject `known`, with every event that was acknowledged before this call. It has the time
    /// `now`, or, while nothing changes, a time up to `MAX_AGE_US` before.
    ///
    /// # Errors
    /// When it cannot be computed, or too many wait, or the events are not loaded.
    pub async fn report(
        &self,
        key: &ReportKey,
        known: &dyn ReportSubject,
        now: Instant,
    ) -> Result<Arc<Computed>, ReportError> {
        self.note_request(key, known.project());
        self.report_once(key, known, now).await
    }

    /// The cached report, if its time is at most a minute before `now`, whatever events have come since. Computes and
    /// reads nothing.
    pub fn recent(&self, key: &ReportKey, known: &dyn ReportSubject, now: Instant) -> Option<Arc<Computed>> {
        let cached = self.cached.get(key)?;
        let age = now.us().saturating_sub(cached.computed.manifest.as_of.us());
        let holds = cached.version == known.version() && cached.generation == self.loader.generation();
        (holds && (-1_000..=MAX_AGE_US).contains(&age)).then(|| cached.computed.clone())
    }

    /// Like [`ReportCache::report`], but does not keep the report warm.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn report_once(
        &self,
        key: &ReportKey,
        known: &dyn ReportSubject,
        now: Instant,
    ) -> Result<Arc<Computed>, ReportError> {
        let head = self.head().await?;
        self.report_at(key, known, head, now).await
    }

    /// The last block of the log that was acknowledged before this call.
    pub(crate) async fn head(&self) -> Result<LogPosition, ReportError> {
        let read = tokio::time::timeout(self.timeouts.head, self.read_head()).await;
        read.unwrap_or(Err(ReportError::LogUnreadable(None)))
    }

    /// Reads the head of the log, once for all requests that came before the read began.
    async fn read_head(&self) -> Result<LogPosition, ReportError> {
        let request = self.head.requests.fetch_add(1, Ordering::SeqCst) + 1;
        let mut read = self.head.read.lock().await;
        if let (requests, Some(head)) = *read
            && requests >= request
        {
            return Ok(head);
        }
        let requests = self.head.requests.load(Ordering::SeqCst);
        let loader = self.loader.clone();
        match tokio::task::spawn_blocking(move || loader.head()).await {
            Ok(Ok(head)) => {
                *read = (requests, Some(head));
                Ok(head)
            }
            Ok(Err(error)) => Err(ReportError::LogUnreadable(Some(Arc::new(error)))),
            Err(panicked) => Err(ComputeError::Panicked(panicked.to_string()).into()),
        }
    }

    /// The report with the events up to `head` at least.
    pub(crate) async fn report_at(
        &self,
        key: &ReportKey,
        known: &dyn ReportSubject,
        head: LogPosition,
        now: Instant,
    ) -> Result<Arc<Computed>, ReportError> {
        if let Some(cached) = self.cached(key, known.version(), head, now) {
            return Ok(cached);
        }
        for _ in 0..MAX_ATTEMPTS {
            self.catch_up(head).await?;
            if let Some(cached) = self.cached(key, known.version(), head, now) {
                return Ok(cached);
            }
            let flight = self.join_or_begin(key, known, now)?;
            let mut result = flight.result.clone();
            let result = match result.wait_for(Option::is_some).await {
                Ok(result) => result.clone(),
                // The computation ended without a result.
                Err(_) => None,
            };
            // The positions in the report itself decide: when the warehouse is emptied, that happens before the
            // loader's state shows it.
            let holds = match &result {
                Some(Ok(computed)) => computed.manifest.has_events_up_to(head) && !is_old(computed, now),
                _ => is_loaded(flight.loaded, head),
            };
            match result {
                Some(result) if holds && flight.version == known.version() => return result,
                // Another request's computation that began before these events were loaded, or long ago; or rows were
                // removed. Try again.
                Some(_) => {}
                None => return Err(ReportError::Busy),
            }
            drop(flight);
        }
        Err(ReportError::Busy)
    }

    /// The cached report, if it has the events up to `head` and is still valid.
    fn cached(&self, key: &ReportKey, version: &str, head: LogPosition, now: Instant) -> Option<Arc<Computed>> {
        let cached = self.cached.get(key)?;
        let manifest = &cached.computed.manifest;
        let age = now.us().saturating_sub(manifest.as_of.us());
        if cached.version != version
            || cached.generation != self.loader.generation()
            || !(-1_000..=MAX_AGE_US).contains(&age)
        {
            return None;
        }
        // Later blocks do not matter once they are loaded and known to have no events of the project.
        let is_complete = manifest.has_events_up_to(head)
            || (is_loaded(self.loader.loaded(), head)
                && self.loader.touched(&key.project_key) <= manifest.position_in(head.log));
        is_complete.then(|| cached.computed.clone())
    }

    /// Waits until the events up to `head` are loaded.
    async fn catch_up(&self, head: LogPosition) -> Result<(), ReportError> {
        if let Ok(true) = tokio::time::timeout(self.timeouts.catch_up, self.loader.wait_for(head.position)).await {
            return Ok(());
        }
        Err(match self.loader.progress() {
            Some(progress) => {
                ReportError::Loading { done: progress.position.seq, of: progress.target.max(head.position).seq }
            }
            None => ReportError::Loading { done: self.loader.position().seq, of: head.position.seq },
        })
    }

    /// Joins the computation that is in flight, or begins a new one.
    fn join_or_begin(
        &self,
        key: &ReportKey,
        known: &dyn ReportSubject,
        now: Instant,
    ) -> Result<Arc<InFlight>, ReportError> {
        let mut in_flight = lock(&self.in_flight);
        if let Some(flight) = in_flight.get(key).and_then(Weak::upgrade)
            && flight.result.borrow().is_none()
        {
            return Ok(flight);
        }
        let place = self.queue.clone().try_acquire_owned().map_err(|_| ReportError::Busy)?;
        let (sender, result) = watch::channel(None);
        let stop = StopToken::new();
        let version = known.version().to_owned();
        let flight = Arc::new(InFlight {
            loaded: self.loader.loaded(),
            version: version.clone(),
            result,
            _stop: StopOnDrop(stop.clone()),
        });
        in_flight.retain(|_, flight| flight.strong_count() > 0);
        in_flight.insert(key.clone(), Arc::downgrade(&flight));
        drop(in_flight);
        let manifest = known.manifest(&key.project_key, &key.inquiry, now);
        let (warehouse, computing) = (self.warehouse.clone(), self.computing.clone());
        let (cache, key) = (self.cached.clone(), key.clone());
        let (generation, loaded) = (self.loader.generation(), flight.loaded);
        tokio::spawn(async move {
            let _place = place;
            let computing = tokio::select! {
                computing = computing.acquire_owned() => computing,
                // No request waits any more: the place in the queue is free for another.
                () = sender.closed() => return,
            };
            let Ok(_computing) = computing else { return };
            let by_quarter = key.by_quarter;
            let computed =
                tokio::task::spawn_blocking(move || compute(manifest, by_quarter, warehouse.as_ref(), &stop)).await;
            let result = match computed {
                Ok(Ok(computed)) => {
                    let computed = Arc::new(computed);
                    if loaded.is_none_or(|loaded| computed.manifest.has_events_up_to(loaded)) {
                        let computed = computed.clone();
                        cache.insert(key, Arc::new(CachedReport { version, generation, computed }));
                    }
                    Ok(computed)
                }
                Ok(Err(failure)) => Err(failure.into()),
                Err(panicked) => Err(ComputeError::Panicked(panicked.to_string()).into()),
            };
            let _ = sender.send(Some(result));
        });
        Ok(flight)
    }

    /// Number of events of a goal, by day.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn activity(&self, question: ActivityQuestion) -> Result<ActivityAnswer, ReportError> {
        let head = self.head().await?;
        let ask = move |warehouse: &dyn WarehouseReader, stop: &StopToken| {
            let answer = warehouse.activity(&question, stop)?;
            Ok((answer.marks.clone(), answer))
        };
        self.ask(head, ask).await
    }

    /// The most recently viewed pages of a project.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub async fn pages(&self, question: PagesQuestion) -> Result<PagesAnswer, ReportError> {
        let head = self.head().await?;
        let ask = move |warehouse: &dyn WarehouseReader, stop: &StopToken| {
            let answer = warehouse.pages(&question, stop)?;
            Ok((answer.marks.clone(), answer))
        };
        self.ask(head, ask).await
    }

    /// Asks the warehouse another question when there is a permit for it, and again until the answer, which states its
    /// position, has the events up to `head`. The question is stopped when no request waits for the answer any more.
    ///
    /// # Errors
    /// As [`ReportCache::report`].
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        head: LogPosition,
        ask: impl Fn(&dyn WarehouseReader, &StopToken) -> Result<(Watermarks, T), ComputeError> + Clone + Send + 'static,
    ) -> Result<T, ReportError> {
        for _ in 0..MAX_ATTEMPTS {
            self.catch_up(head).await?;
            let place = self.queue.clone().try_acquire_owned().map_err(|_| ReportError::Busy)?;
            let computing = self.computing.clone().acquire_owned().await.map_err(|_| ReportError::Busy)?;
            let stop = StopToken::new();
            let _stop = StopOnDrop(stop.clone());
            let (warehouse, ask) = (self.warehouse.clone(), ask.clone());
            let asked = tokio::task::spawn_blocking(move || {
                // Held until the question has ended, even if no request waits for it any more.
                let _permits = (place, computing);
                ask(warehouse.as_ref(), &stop)
            });
            let (marks, answer) =
                asked.await.map_err(|panicked| ComputeError::Panicked(panicked.to_string())).and_then(|asked| asked)?;
            let position = marks.get(&head.log).map_or(Position::default(), |mark| mark.position);
            if position >= head.position {
                return Ok(answer);
            }
        }
        Err(ReportError::Busy)
    }

    fn note_request(&self, key: &ReportKey, project: ProjectId) {
        let mut recent = lock(&self.recent);
        if let Some(known) = recent.get_mut(key) {
            known.asked = Ticks::now();
            return;
        }
        if recent.len() >= WARM_MAX {
            let oldest = recent.iter().min_by_key(|(_, report)| report.asked).map(|(key, _)| key.clone());
            oldest.and_then(|key| recent.remove(&key));
        }
        recent.insert(key.clone(), Recent { project, asked: Ticks::now(), seen: None, tried: None });
    }

    /// Reports that are worth computing before the next request, each with its project: they were requested recently,
    /// events of their project came since they were computed, and none came since the last call. While events keep
    /// coming, a report would be outdated before it is requested.
    pub fn outdated(&self) -> Vec<(ReportKey, ProjectId)> {
        let mut recent = lock(&self.recent);
        recent.retain(|_, report| report.asked.elapsed() < WARM_FOR);
        if self.loader.progress().is_some() {
            return Vec::new();
        }
        let Some(loaded) = self.loader.loaded() else { return Vec::new() };
        let generation = self.loader.generation();
        let mut outdated = Vec::new();
        for (key, report) in recent.iter_mut() {
            let state = (generation, self.loader.touched(&key.project_key));
            let is_quiet = report.seen.replace(state) == Some(state);
            let is_current = self.cached.peek(key).is_some_and(|cached| {
                cached.generation == generation && cached.computed.manifest.position_in(loaded.log) >= state.1
            });
            // A report that could not be computed is not tried again until there are new events.
            if is_quiet && !is_current && report.tried.replace(state) != Some(state) {
                outdated.push((key.clone(), report.project));
            }
        }
        outdated
    }

    /// Computes the report in the background, unless the cached one is still valid.
    pub async fn warm(&self, key: &ReportKey, known: &dyn ReportSubject, now: Instant) {
        let made = match self.head().await {
            Ok(head) => self.report_at(key, known, head, now).await.map(drop),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = made {
            tracing::debug!(%problem, subject = ?key.subject, "a report could not be kept warm");
        }
    }
}

/// Returns whether a report was computed for a time too long before `now`, by which windows may have closed.
fn is_old(computed: &Computed, now: Instant) -> bool {
    now.us().saturating_sub(computed.manifest.as_of.us()) > MAX_AGE_US
}

/// Returns whether a loader that has loaded up to `loaded` has the events up to `head`.
fn is_loaded(loaded: Option<LogPosition>, head: LogPosition) -> bool {
    let position = loaded.filter(|loaded| loaded.log == head.log).map_or(Position::default(), |loaded| loaded.position);
    position >= head.position
}

/// Computes the result of a manifest again, with the events of this warehouse.
///
/// # Errors
/// [`ComputeError`].
pub fn recompute(manifest: Manifest, warehouse: &dyn WarehouseReader) -> Result<Computed, ComputeError> {
    compute(manifest, false, warehouse, &StopToken::new())
}

/// Locks a mutex, even after a panic of another thread that held it: no code here leaves its content half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
