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
    /// The warehouse is made anew from the log.
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
    /// What it has at least.
    position: Position,
    version: String,
    outcome: watch::Receiver<Outcome>,
    stop: Stop,
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.stop.stop();
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
    /// be some seconds older; its manifest says of when it is.
    ///
    /// # Errors
    /// When it cannot be computed, or too many wait.
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
        self.catch_up(head).await?;
        loop {
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
            let current = flight.position >= head.min(self.loader.position()) && flight.version == known.version();
            match answer {
                Some(answer) if current => return answer,
                // Somebody else's, begun before our events were in.
                Some(_) => {}
                None => return Err(Unanswered::Busy),
            }
            drop(flight);
        }
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

    async fn catch_up(&self, head: Position) -> Result<(), Unanswered> {
        if self.loader.position() >= head {
            return Ok(());
        }
        let loader = self.loader.clone();
        let reached = tokio::task::spawn_blocking(move || loader.wait_for(head, CATCH_UP)).await.unwrap_or(false);
        if reached {
            return Ok(());
        }
        // A little behind is an answer of a moment ago; a loader that has a long way
        // to go, and no older rows to answer from, has none.
        match self.loader.progress() {
            Some(progress) if !progress.beside => {
                Err(Unanswered::Loading { done: progress.position.seq, of: progress.target.seq })
            }
            _ => Ok(()),
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
            stop: stop.clone(),
        });
        flights.retain(|_, flight| flight.strong_count() > 0);
        flights.insert(key.clone(), Arc::downgrade(&flight));
        drop(flights);
        let manifest = known.manifest(&key.project_key, &key.inquiry, now);
        let (warehouse, room, kept, key) = (self.warehouse.clone(), self.room.clone(), self.kept.clone(), key.clone());
        let generation = self.loader.generation();
        tokio::spawn(async move {
            let _place = place;
            let Ok(_room) = room.acquire_owned().await else { return };
            let by_quarter = key.by_quarter;
            let began = Ticks::now();
            let computed =
                tokio::task::spawn_blocking(move || compute(manifest, by_quarter, warehouse.as_ref(), &stop)).await;
            let answer = match computed {
                Ok(Ok(computed)) => {
                    let computed = Arc::new(computed);
                    kept.insert(
                        key,
                        Arc::new(Kept { version, generation, computed: computed.clone(), took: began.elapsed() }),
                    );
                    Ok(computed)
                }
                Ok(Err(failure)) => Err(Unanswered::Failed(Arc::new(failure))),
                Err(panicked) => Err(Unanswered::Failed(Arc::new(Failure::Panicked(panicked.to_string())))),
            };
            let _ = sender.send(Some(answer));
        });
        Ok(flight)
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
