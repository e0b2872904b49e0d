//! Caches reports. Whoever asks the same shares one computation, and a report is given
//! again while nothing has changed.
//!
//! Every report has all events that were acknowledged before it was asked for: the
//! head of the event log is read from the log itself for each request, and nothing
//! that ends before it is given back, whether cached, shared or just computed.

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

/// Reports that are cached.
const CAPACITY: usize = 1_000;
/// Computations at one time. Each uses every core that the warehouse may have.
const CONCURRENT: usize = 2;
/// Computations that may wait for these.
const QUEUE: usize = 64;
/// Attempts before a request gives up. Another one is needed when the computation that
/// it joined began before its events were in, or when rows were taken away meanwhile.
const MAX_ATTEMPTS: usize = 10;
/// Microseconds for which a report is given again while no events come. It has them
/// all, but windows close as time passes.
const MAX_AGE_US: i64 = 60_000_000;
/// Reports that are kept warm.
const WARM_MAX: usize = 200;
/// How long after somebody asked for it a report is kept warm.
const WARM_FOR: Duration = Duration::from_secs(600);

/// Identifies a report: two requests with equal keys share one computation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReportKey {
    /// The key of the project.
    pub project_key: Arc<str>,
    /// What it is about.
    pub subject: SubjectId,
    /// What was asked: dates, filters, breakdown.
    pub inquiry: Inquiry,
    /// Whether the report has the top metric by quarter of an hour.
    pub by_quarter: bool,
}

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubjectId {
    /// An experiment.
    Experiment(ExperimentId),
    /// A holdout.
    Holdout(GroupId),
}

/// Why no report could be given.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReportError {
    /// More requests wait than the queue holds.
    #[error("too many reports are being made")]
    Busy,
    /// The events that were acknowledged are not in the warehouse yet: it is made
    /// anew from the log, or cannot be loaded.
    #[error("the events are being loaded: {done} of {of} blocks")]
    Loading {
        /// Blocks that are in.
        done: i64,
        /// Blocks that there are.
        of: i64,
    },
    /// Where the log ends cannot be told, so it is not known which events a report has
    /// to have.
    #[error("the event log cannot be read")]
    LogUnreadable(#[source] Option<Arc<warehouse::Error>>),
    /// The warehouse is damaged; its loader makes it again from the log.
    #[error("the warehouse is damaged")]
    Damaged,
    /// It could not be computed.
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
    /// Of the loader, when the computation began.
    generation: u64,
    computed: Arc<Computed>,
}

type ReportResult = Option<Result<Arc<Computed>, ReportError>>;

/// A computation that somebody waits for. With the last of them it stops.
struct InFlight {
    /// Up to where events were loaded when it began.
    loaded: Option<LogPosition>,
    version: String,
    result: watch::Receiver<ReportResult>,
    _stop: StopOnDrop,
}

/// Stops questions when it is dropped.
struct StopOnDrop(StopToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A report that somebody asked for lately.
struct Recent {
    project: ProjectId,
    asked: Ticks,
    /// The state of its project's events when it was last looked at.
    seen: Option<EventState>,
    /// The state of which it was last made in the background, or could not be.
    tried: Option<EventState>,
}

/// What changes with a project's rows: the loader's generation, and the last block
/// with events of the project.
type EventState = (u64, Position);

/// The last position that was read from the log, for all who asked before that read
/// began.
#[derive(Default)]
struct LogHead {
    /// Requests so far.
    requests: AtomicU64,
    /// How many requests had been made when the last read began, and what it gave.
    read: tokio::sync::Mutex<(u64, Option<LogPosition>)>,
}

/// How long a request for a report waits before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportTimeouts {
    /// To be told where the log ends.
    pub head: Duration,
    /// Then for the events up to there.
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
    /// Permits to compute or to wait for that.
    queue: Arc<Semaphore>,
    timeouts: ReportTimeouts,
}

impl ReportCache {
    /// Over a warehouse that `loader` fills.
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

    /// The same, whose requests wait so long.
    pub fn with_timeouts(self, timeouts: ReportTimeouts) -> Self {
        Self { timeouts, ..self }
    }

    /// The loader, which fills the warehouse.
    pub fn loader(&self) -> &Arc<Loader> {
        &self.loader
    }

    /// What answers questions.
    pub fn warehouse(&self) -> &Arc<dyn WarehouseReader> {
        &self.warehouse
    }

    /// The report about what is `known`, with every event that was acknowledged before
    /// this call. It is of the moment `now`, or, while nothing changes, of at most
    /// `MAX_AGE_US` before.
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

    /// The cached report, where it is of at most a minute before `now`, whatever events have come since. Nothing is computed
    /// or read.
    pub fn recent(&self, key: &ReportKey, known: &dyn ReportSubject, now: Instant) -> Option<Arc<Computed>> {
        let cached = self.cached.get(key)?;
        let age = now.us().saturating_sub(cached.computed.manifest.as_of.us());
        let holds = cached.version == known.version() && cached.generation == self.loader.generation();
        (holds && (-1_000..=MAX_AGE_US).contains(&age)).then(|| cached.computed.clone())
    }

    /// As [`ReportCache::report`], and not kept warm because of it.
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

    /// Reads where the log ends, once for all who came before the read began.
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
                // It ended without a word.
                Err(_) => None,
            };
            // What it says itself counts: when the warehouse is emptied, that is done
            // before it is known.
            let is_complete = match &result {
                Some(Ok(computed)) => computed.manifest.has_events_up_to(head),
                _ => is_loaded(flight.loaded, head),
            };
            match result {
                Some(result) if is_complete && flight.version == known.version() => return result,
                // Somebody else's, begun before our events were in; or rows went.
                Some(_) => {}
                None => return Err(ReportError::Busy),
            }
            drop(flight);
        }
        Err(ReportError::Busy)
    }

    /// The cached report, where it has the events up to `head` and still holds.
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
        // Blocks without events of the project change nothing, once they are known to be such.
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

    /// The computation that is under way, or a new one.
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
                // Nobody waits any more: the place is somebody else's.
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

    /// How often the events of a goal came, by day.
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

    /// The pages of a project that were viewed last.
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

    /// Asks the warehouse something else when there is room for it, and again until the
    /// answer, which says up to where it goes, has the events up to `head`. When nobody
    /// waits for the answer any more, the question is stopped.
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
                // Until it has stopped, whoever waits for it.
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

    /// Reports that are worth making before somebody asks, each with the project that it
    /// is of: somebody asked for them lately, events of their project came since they
    /// were made, and none came since the last call. While events keep coming a report
    /// would be outdated before it is asked for.
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
            // What could not be made is not tried again until there is something new.
            if is_quiet && !is_current && report.tried.replace(state) != Some(state) {
                outdated.push((key.clone(), report.project));
            }
        }
        outdated
    }

    /// Makes the report in the background, unless the cached one still holds.
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

/// Whether a loader that has come to `loaded` has the events up to `head`.
fn is_loaded(loaded: Option<LogPosition>, head: LogPosition) -> bool {
    let position = loaded.filter(|loaded| loaded.log == head.log).map_or(Position::default(), |loaded| loaded.position);
    position >= head.position
}

/// A manifest with the events of this warehouse: how a result is computed again.
///
/// # Errors
/// [`ComputeError`].
pub fn recompute(manifest: Manifest, warehouse: &dyn WarehouseReader) -> Result<Computed, ComputeError> {
    compute(manifest, false, warehouse, &StopToken::new())
}

/// The content of a mutex. Nothing here leaves it half changed, so a panic elsewhere
/// under it does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
