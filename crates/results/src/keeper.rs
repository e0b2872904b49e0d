//! Keeps answers: one computation at a time for whoever asks the same, answers
//! at hand while nothing has changed, reports of live experiments warm.

use crate::compute::{Computed, Failure, compute};
use crate::define::Known;
use crate::inquiry::Inquiry;
use crate::manifest::Manifest;
use muriel_domain::Instant;
use muriel_events::log::Position;
use muriel_events::warehouse::{Loader, Stop, Warehouse};
use quick_cache::sync::Cache;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant as Ticks};
use tokio::sync::{Semaphore, watch};

/// Answers that are kept.
const KEPT: usize = 1_000;
/// Computations at one time. Each uses every core that the warehouse may have.
const AT_ONCE: usize = 2;
/// Computations that may wait for these.
const WAITING: usize = 64;
/// How long an answer waits for events that were acknowledged before it was asked for.
const CATCH_UP: Duration = Duration::from_secs(3);
/// How often it is computed for somebody who cannot use what others began, or from
/// whom the rows were taken meanwhile.
const TRIES: usize = 10;
/// How long an answer holds while no events come: windows close as time passes.
const HOLDS_US: i64 = 10_000_000;
/// An answer about so many visitors that took so long may be given again while
/// events come, for as long as twenty times its making took, a minute at most. A
/// few more events do not change what it says.
const DEAR_VISITORS: u64 = 50_000;
const DEAR: Duration = Duration::from_millis(50);
const DEAR_TIMES: i64 = 20;
const DEAR_HOLDS_US: i64 = 60_000_000;

/// What an answer is to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Whose experiment.
    pub project_key: Arc<str>,
    /// Which one.
    pub test_id: i64,
    /// What of it.
    pub inquiry: Inquiry,
    /// Whether in steps of time.
    pub by_quarter: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Unanswered {
    /// Too many wait already.
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
    /// It could not be computed.
    #[error(transparent)]
    Failed(Arc<Failure>),
}

struct Kept {
    version: String,
    /// Of the loader, when it was asked.
    generation: u64,
    computed: Arc<Computed>,
    took: Duration,
}

type Outcome = Option<Result<Arc<Computed>, Unanswered>>;

/// A computation that somebody waits for. With the last of them it stops.
struct Flight {
    /// Up to where events were loaded when it began.
    position: Position,
    version: String,
    outcome: watch::Receiver<Outcome>,
    _stopping: Stopping,
}

/// Stops questions when it is dropped.
struct Stopping(Stop);

impl Drop for Stopping {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Answers questions about experiments, and keeps the answers.
pub struct Keeper {
    warehouse: Arc<dyn Warehouse>,
    loader: Arc<Loader>,
    kept: Arc<Cache<Key, Arc<Kept>>>,
    flights: Mutex<HashMap<Key, Weak<Flight>>>,
    room: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// As [`CATCH_UP`].
    patience: Duration,
}

impl Keeper {
    /// Over a warehouse that `loader` fills.
    pub fn new(warehouse: Arc<dyn Warehouse>, loader: Arc<Loader>) -> Self {
        Self {
            warehouse,
            loader,
            kept: Arc::new(Cache::new(KEPT)),
            flights: Mutex::default(),
            room: Arc::new(Semaphore::new(AT_ONCE)),
            queue: Arc::new(Semaphore::new(AT_ONCE + WAITING)),
            patience: CATCH_UP,
        }
    }

    /// What fills the warehouse.
    pub fn loader(&self) -> &Arc<Loader> {
        &self.loader
    }

    /// What answers.
    pub fn warehouse(&self) -> &Arc<dyn Warehouse> {
        &self.warehouse
    }

    /// The answer to `key` about what is `known`, with at least the events up to
    /// `head`, the last block that was acknowledged. An answer that took long may
    /// be some seconds older, and while another warehouse is made beside the one that
    /// answers, all are of when that began; its manifest says of when it is.
    ///
    /// # Errors
    /// When it cannot be computed, or too many wait, or the events are not loaded.
    pub async fn answer(
        &self,
        key: &Key,
        known: &Known,
        head: Position,
        now: Instant,
    ) -> Result<Arc<Computed>, Unanswered> {
        if let Some(kept) = self.holding(key, known.version(), head, now) {
            return Ok(kept);
        }
        for _ in 0..TRIES {
            let loaded = self.catch_up(head).await?;
            if let Some(kept) = self.holding(key, known.version(), head, now) {
                return Ok(kept);
            }
            let flight = self.flight(key, known, now)?;
            let mut outcome = flight.outcome.clone();
            let answer = match outcome.wait_for(Option::is_some).await {
                Ok(outcome) => outcome.clone(),
                // It ended without a word.
                Err(_) => None,
            };
            // What it says itself counts: when the warehouse is emptied, that is done
            // before it is known.
            let position = match &answer {
                Some(Ok(computed)) => Position { seq: computed.manifest.log_position },
                _ => flight.position,
            };
            match answer {
                Some(answer) if position >= loaded && flight.version == known.version() => return answer,
                // Somebody else's, begun before our events were in; or rows went.
                Some(_) => {}
                None => return Err(Unanswered::Busy),
            }
            drop(flight);
        }
        Err(Unanswered::Busy)
    }

    /// What is kept, where it still holds.
    fn holding(&self, key: &Key, version: &str, head: Position, now: Instant) -> Option<Arc<Computed>> {
        let kept = self.kept.get(key)?;
        let manifest = &kept.computed.manifest;
        let age = now.us().saturating_sub(manifest.as_of.us());
        if kept.version != version || kept.generation != self.loader.generation() || age < -1_000 {
            return None;
        }
        let unchanged = manifest.log_position >= head.seq
            || (self.loader.position() >= head && self.loader.touched(&key.project_key).seq <= manifest.log_position);
        let took = i64::try_from(kept.took.as_micros()).unwrap_or(i64::MAX);
        let visitors: u64 = kept.computed.visitors.iter().sum();
        let dear = if kept.took > DEAR && visitors >= DEAR_VISITORS {
            took.saturating_mul(DEAR_TIMES).min(DEAR_HOLDS_US)
        } else {
            0
        };
        let holds = if unchanged { HOLDS_US.max(dear) } else { dear };
        (age <= holds && (unchanged || dear > 0)).then(|| kept.computed.clone())
    }

    /// Waits for the events up to `head`. Gives back what an answer has to have: these,
    /// or those before another warehouse was begun beside this one.
    async fn catch_up(&self, head: Position) -> Result<Position, Unanswered> {
        if let Ok(true) = tokio::time::timeout(self.patience, self.loader.wait_for(head)).await {
            return Ok(head);
        }
        let position = self.loader.position();
        match self.loader.progress() {
            Some(progress) if progress.beside => Ok(position.min(head)),
            Some(progress) => Err(Unanswered::Loading { done: progress.position.seq, of: progress.target.seq }),
            None => Err(Unanswered::Loading { done: position.seq, of: head.seq }),
        }
    }

    /// The computation that is under way, or a new one.
    fn flight(&self, key: &Key, known: &Known, now: Instant) -> Result<Arc<Flight>, Unanswered> {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flights.get(key).and_then(Weak::upgrade)
            && flight.outcome.borrow().is_none()
        {
            return Ok(flight);
        }
        let place = self.queue.clone().try_acquire_owned().map_err(|_| Unanswered::Busy)?;
        let (sender, outcome) = watch::channel(None);
        let stop = Stop::new();
        let version = known.version().to_owned();
        let flight = Arc::new(Flight {
            position: self.loader.position(),
            version: version.clone(),
            outcome,
            _stopping: Stopping(stop.clone()),
        });
        flights.retain(|_, flight| flight.strong_count() > 0);
        flights.insert(key.clone(), Arc::downgrade(&flight));
        drop(flights);
        let manifest = known.manifest(&key.project_key, &key.inquiry, now);
        let (warehouse, room, kept, key) = (self.warehouse.clone(), self.room.clone(), self.kept.clone(), key.clone());
        let (generation, position) = (self.loader.generation(), flight.position.seq);
        tokio::spawn(async move {
            let _place = place;
            let room = tokio::select! {
                room = room.acquire_owned() => room,
                // Nobody waits any more: the place is somebody else's.
                () = sender.closed() => return,
            };
            let Ok(_room) = room else { return };
            let by_quarter = key.by_quarter;
            let began = Ticks::now();
            let computed =
                tokio::task::spawn_blocking(move || compute(manifest, by_quarter, warehouse.as_ref(), &stop)).await;
            let answer = match computed {
                Ok(Ok(computed)) => {
                    let computed = Arc::new(computed);
                    if computed.manifest.log_position >= position {
                        let (computed, took) = (computed.clone(), began.elapsed());
                        kept.insert(key, Arc::new(Kept { version, generation, computed, took }));
                    }
                    Ok(computed)
                }
                Ok(Err(failure)) => Err(Unanswered::Failed(Arc::new(failure))),
                Err(panicked) => Err(Unanswered::Failed(Arc::new(Failure::Panicked(panicked.to_string())))),
            };
            let _ = sender.send(Some(answer));
        });
        Ok(flight)
    }

    /// Asks the warehouse something else when there is room for it. When nobody waits
    /// for the answer any more, the question is stopped.
    ///
    /// # Errors
    /// [`Unanswered::Busy`] and [`Unanswered::Failed`].
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Warehouse, &Stop) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Unanswered> {
        let place = self.queue.clone().try_acquire_owned().map_err(|_| Unanswered::Busy)?;
        let room = self.room.clone().acquire_owned().await.map_err(|_| Unanswered::Busy)?;
        let stop = Stop::new();
        let _stopping = Stopping(stop.clone());
        let warehouse = self.warehouse.clone();
        let asked = tokio::task::spawn_blocking(move || {
            // Until it has stopped, whoever waits for it.
            let _held = (place, room);
            ask(warehouse.as_ref(), &stop)
        });
        let failed = |failure| Unanswered::Failed(Arc::new(failure));
        asked.await.map_err(|panicked| failed(Failure::Panicked(panicked.to_string())))?.map_err(failed)
    }

    /// Makes the answer to `key` anew where it no longer holds, unless that was
    /// dear and not long ago. For live experiments, in the background.
    pub async fn warm(&self, key: &Key, known: &Known, now: Instant) {
        let head = self.loader.position();
        if self.holding(key, known.version(), head, now).is_none()
            && let Err(problem) = self.answer(key, known, head, now).await
        {
            tracing::debug!(%problem, test_id = key.test_id, "a report could not be kept warm");
        }
    }
}

/// A manifest with the events of this warehouse: how a result is computed again.
///
/// # Errors
/// [`Failure`].
pub fn recompute(manifest: Manifest, warehouse: &dyn Warehouse) -> Result<Computed, Failure> {
    compute(manifest, false, warehouse, &Stop::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::Wanted;
    use muriel_domain::experiment::{Experiment, TestType};
    use muriel_domain::ids::{CompanyId, ProjectId};
    use muriel_events::log::{Batch, Entry, Log, LogOptions, Reserve};
    use muriel_events::warehouse::{
        Answer, DuckWarehouse, Error, Mark, Options, Question, Rows, Traffic, TrafficQuestion, Visitor,
        VisitorsQuestion,
    };
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    type Result<T> = std::result::Result<T, Error>;

    /// How long a test waits for what has to come.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Lets questions pass when it is open, and counts.
    #[derive(Default)]
    struct Gate {
        asked: AtomicUsize,
        stopped: AtomicUsize,
        open: AtomicBool,
    }

    impl Gate {
        fn pass(&self, stop: &Stop) -> Result<()> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let began = Ticks::now();
            while !self.open.load(Ordering::SeqCst) {
                // A test that failed waits for its threads.
                if began.elapsed() > PATIENCE {
                    return Err(Error::Memory);
                }
                if stop.is_stopped() {
                    self.stopped.fetch_add(1, Ordering::SeqCst);
                    return Err(Error::Stopped);
                }
                std::thread::yield_now();
            }
            Ok(())
        }

        fn open(&self) {
            self.open.store(true, Ordering::SeqCst);
        }

        fn asked(&self) -> usize {
            self.asked.load(Ordering::SeqCst)
        }

        fn stopped(&self) -> usize {
            self.stopped.load(Ordering::SeqCst)
        }
    }

    /// A warehouse that answers only when it is let.
    struct Gated {
        inner: DuckWarehouse,
        reports: Gate,
        traffic: Gate,
        /// The next answer is of no rows.
        is_emptied: AtomicBool,
        /// It takes no rows.
        is_full: AtomicBool,
    }

    impl Warehouse for Gated {
        fn ask(&self, question: &Question, stop: &Stop) -> Result<Answer> {
            self.reports.pass(stop)?;
            let answer = self.inner.ask(question, stop)?;
            let is_emptied = self.is_emptied.swap(false, Ordering::SeqCst);
            Ok(Answer { position: if is_emptied { Position::default() } else { answer.position }, ..answer })
        }

        fn mark(&self) -> Mark {
            self.inner.mark()
        }

        fn log(&self) -> Option<[u8; 16]> {
            self.inner.log()
        }

        fn is_damaged(&self) -> bool {
            self.inner.is_damaged()
        }

        fn recover(&self) -> Result<()> {
            self.inner.recover()
        }

        fn traffic(&self, question: &TrafficQuestion, stop: &Stop) -> Result<Traffic> {
            self.traffic.pass(stop)?;
            self.inner.traffic(question, stop)
        }

        fn visitors(&self, question: &VisitorsQuestion, stop: &Stop, tell: &mut dyn FnMut(Visitor)) -> Result<()> {
            self.inner.visitors(question, stop, tell)
        }

        fn load(&self, log: [u8; 16], rows: &Rows, mark: Mark) -> Result<()> {
            if self.is_full.load(Ordering::SeqCst) {
                return Err(Error::Memory);
            }
            self.inner.load(log, rows, mark)
        }

        fn prune(&self, oldest: i64) -> Result<u64> {
            self.inner.prune(oldest)
        }

        fn reset(&self) -> Result<()> {
            self.inner.reset()
        }

        fn begin(&self) -> Result<()> {
            self.inner.begin()
        }

        fn abandon(&self) {
            self.inner.abandon();
        }

        fn swap(&self) -> Result<()> {
            self.inner.swap()
        }
    }

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    fn scene(directory: &std::path::Path) -> (Arc<Gated>, Arc<Keeper>, Key, Known) {
        let inner = DuckWarehouse::in_memory(&Options { memory_bytes: 256 << 20, threads: 1 }).unwrap();
        let (reports, traffic) = (Gate::default(), Gate::default());
        let (is_emptied, is_full) = (AtomicBool::new(false), AtomicBool::new(false));
        let warehouse = Arc::new(Gated { inner, reports, traffic, is_emptied, is_full });
        let loader = Loader::start(directory, warehouse.clone(), |_, _, _| "direct", None).unwrap();
        let keeper = Arc::new(Keeper::new(warehouse.clone(), Arc::new(loader)));
        let key = key(1);
        let known =
            Known::of(Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), NOW), "1");
        (warehouse, keeper, key, known)
    }

    fn key(test_id: i64) -> Key {
        Key { project_key: "prj".into(), test_id, inquiry: Inquiry::default(), by_quarter: false }
    }

    /// A log, to which blocks of one event are added.
    fn log(directory: &std::path::Path) -> Log {
        Log::open(directory, LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }).unwrap()
    }

    async fn block(log: &Log) -> Position {
        let id = uuid::Uuid::from_u128(log.last().seq as u128);
        let line = format!(
            r#"{{"id":"{id}","type":"pageview","project_key":"prj","at":"{NOW}","received_at":"{NOW}","visitor":{{"id":"v"}},"bot":false}}"#
        ) + "\n";
        let (lines, events) = (line.clone().into_bytes(), vec![Entry { id, end: line.len() }]);
        log.append(Batch { project_key: "prj".into(), received_at: NOW, events, lines }).await.unwrap();
        log.last()
    }

    async fn until(so: impl Fn() -> bool) {
        tokio::time::timeout(PATIENCE, async {
            while !so() {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("it becomes so");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn whoever_asks_the_same_waits_for_one_computation() {
        let directory = tempfile::tempdir().unwrap();
        let (warehouse, keeper, key, known) = scene(directory.path());
        let asking: Vec<_> = (0..10)
            .map(|_| {
                let (keeper, key, known) = (keeper.clone(), key.clone(), known.clone());
                tokio::spawn(async move { keeper.answer(&key, &known, Position::default(), NOW).await })
            })
            .collect();
        until(|| warehouse.reports.asked() == 1).await;
        warehouse.reports.open();
        let mut answers = Vec::new();
        for asking in asking {
            answers.push(asking.await.unwrap().unwrap());
        }
        assert!(answers.iter().all(|answer| Arc::ptr_eq(answer, &answers[0])));
        assert_eq!(warehouse.reports.asked(), 1);
        // It is kept, until the experiment is another or time has passed.
        let again = keeper.answer(&key, &known, Position::default(), NOW.plus_us(1_000_000)).await.unwrap();
        assert!(Arc::ptr_eq(&again, &answers[0]));
        keeper.answer(&key, &known, Position::default(), NOW.plus_us(HOLDS_US + 1_000)).await.unwrap();
        assert_eq!(warehouse.reports.asked(), 2);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_computation_ends_with_the_last_who_waits() {
        let directory = tempfile::tempdir().unwrap();
        let (warehouse, keeper, key, known) = scene(directory.path());
        let ask = || {
            let (keeper, key, known) = (keeper.clone(), key.clone(), known.clone());
            tokio::spawn(async move { keeper.answer(&key, &known, Position::default(), NOW).await.is_ok() })
        };
        let (one, other) = (ask(), ask());
        let wait = || keeper.flights.lock().unwrap().get(&key).is_some_and(|flight| flight.strong_count() == 2);
        until(|| warehouse.reports.asked() == 1 && wait()).await;
        one.abort();
        let _ = one.await;
        assert_eq!(warehouse.reports.stopped(), 0, "somebody still waits");
        other.abort();
        let _ = other.await;
        until(|| warehouse.reports.stopped() == 1).await;
        // Whoever asks now gets an answer all the same.
        warehouse.reports.open();
        assert!(ask().await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_place_in_the_queue_is_left_with_the_question() {
        let directory = tempfile::tempdir().unwrap();
        let (warehouse, keeper, _, known) = scene(directory.path());
        let ask = |test_id: usize| {
            let (keeper, key, known) = (keeper.clone(), key(test_id as i64), known.clone());
            tokio::spawn(async move { keeper.answer(&key, &known, Position::default(), NOW).await.is_ok() })
        };
        let running: Vec<_> = (0..AT_ONCE).map(ask).collect();
        until(|| warehouse.reports.asked() == AT_ONCE).await;
        let waiting: Vec<_> = (AT_ONCE..AT_ONCE + WAITING).map(ask).collect();
        until(|| keeper.queue.available_permits() == 0).await;
        let more = keeper.answer(&key(-1), &known, Position::default(), NOW).await;
        assert!(matches!(more, Err(Unanswered::Busy)), "{more:?}");
        waiting.iter().for_each(|waiting| waiting.abort());
        until(|| keeper.queue.available_permits() == WAITING).await;
        warehouse.reports.open();
        for running in running {
            assert!(running.await.unwrap());
        }
        assert_eq!(warehouse.reports.asked(), AT_ONCE);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn plans_wait_for_room_and_end_with_who_asks() {
        let directory = tempfile::tempdir().unwrap();
        let (warehouse, keeper, key, known) = scene(directory.path());
        warehouse.reports.open();
        let plan = || {
            let (keeper, project, known) = (keeper.clone(), key.project_key.clone(), known.clone());
            tokio::spawn(async move {
                keeper.plan(&project, &known, Wanted::default(), Position::default(), NOW).await.is_ok()
            })
        };
        let all = AT_ONCE + WAITING;
        let running: Vec<_> = (0..AT_ONCE).map(|_| plan()).collect();
        until(|| warehouse.traffic.asked() == AT_ONCE).await;
        let waiting: Vec<_> = (0..3).map(|_| plan()).collect();
        until(|| keeper.queue.available_permits() == all - AT_ONCE - 3).await;
        // The places are left one after the other: nobody may come to run by that.
        waiting.iter().for_each(|waiting| waiting.abort());
        until(|| keeper.queue.available_permits() == all - AT_ONCE).await;
        running.iter().for_each(|running| running.abort());
        let places = || (keeper.queue.available_permits(), keeper.room.available_permits());
        until(|| warehouse.traffic.stopped() == AT_ONCE && places() == (all, AT_ONCE)).await;
        assert_eq!(warehouse.traffic.asked(), AT_ONCE);
        warehouse.traffic.open();
        assert!(plan().await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn rows_that_go_while_it_is_asked_are_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let log = log(directory.path());
        let head = block(&log).await;
        let (warehouse, keeper, key, known) = scene(directory.path());
        warehouse.reports.open();
        warehouse.is_emptied.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let answer = keeper.answer(&key, &known, head, NOW).await.unwrap();
            assert_eq!(answer.manifest.log_position, head.seq);
            // What lacks the rows is not kept either.
            assert_eq!(warehouse.reports.asked(), 2);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn there_is_no_answer_without_the_events_that_were_acknowledged() {
        let directory = tempfile::tempdir().unwrap();
        let log = log(directory.path());
        let head = block(&log).await;
        let (warehouse, keeper, key, known) = scene(directory.path());
        let keeper = Keeper { patience: Duration::from_millis(1), ..Arc::into_inner(keeper).unwrap() };
        warehouse.reports.open();
        until(|| keeper.loader.position() == head).await;
        assert!(keeper.answer(&key, &known, head, NOW).await.is_ok());
        warehouse.is_full.store(true, Ordering::SeqCst);
        let head = block(&log).await;
        let answer = keeper.answer(&key, &known, head, NOW).await;
        assert!(matches!(answer, Err(Unanswered::Loading { done: 1, of: 2 })), "{answer:?}");
    }
}
