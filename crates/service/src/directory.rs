//! Who the keys and projects of a request are, from memory where that is exact.

use crate::api_key::{ApiKey, Pepper};
use crate::clock::Clock;
use crate::error::Error;
use muriel_domain::Instant;
use muriel_domain::time::DAY_US;
use muriel_sql::Db;
use muriel_store::keys::StoredKey;
use muriel_store::tenants::Project;
use muriel_store::{keys, tenants};
use quick_cache::sync::Cache;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Keys and projects kept in memory, each.
const ENTRIES: usize = 10_000;
/// How old an entry may be where others' writes cannot be seen.
const TRUSTED_FOR: Duration = Duration::from_millis(500);
/// Keys whose use waits to be noted.
const TOUCHED: usize = 10_000;
const MINUTE_US: i64 = 60_000_000;
/// How long an entry is good for while the database is away.
const REMEMBERED_US: i64 = DAY_US;
/// How long someone who is remembered waits for the database.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);

/// What holds while the database is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// Nothing: who asks is told to come again.
    Refuse,
    /// What was known within the last day.
    Remember,
}

/// Keys and projects, as of half a second ago at most.
///
/// On SQLite every write by another process is noticed, and nothing else
/// expires; on PostgreSQL entries expire by age. While the database is away they
/// stand for those who may rely on that ([`Outage::Remember`]).
pub struct Directory {
    db: Db,
    pepper: Pepper,
    clock: Clock,
    started: std::time::Instant,
    own_changes: AtomicU64,
    keys: Cache<String, Fresh<KnownKey>>,
    projects: Cache<String, Fresh<Project>>,
    touched: Mutex<HashMap<String, Instant>>,
    absence: Absence,
}

/// A key with the moment at which its use was noted last.
pub struct KnownKey {
    /// The key as it is stored.
    pub stored: StoredKey,
    touched_us: AtomicI64,
}

struct Fresh<T> {
    stamp: u64,
    read_at: Instant,
    value: Arc<T>,
}

impl<T> Clone for Fresh<T> {
    fn clone(&self) -> Self {
        Self { stamp: self.stamp, read_at: self.read_at, value: self.value.clone() }
    }
}

/// Whether the database was away when it was last asked: then one of those who
/// can do without it asks again every half a second, and nobody else of them
/// waits.
#[derive(Debug, Default)]
struct Absence {
    /// Milliseconds at which to ask next; 0 while it answers.
    ask_at_ms: AtomicU64,
}

impl Absence {
    /// Whether it is this caller's turn to ask.
    fn may_ask(&self, now_ms: u64) -> bool {
        let ask_at_ms = self.ask_at_ms.load(Ordering::Relaxed);
        ask_at_ms == 0
            || now_ms >= ask_at_ms
                && self
                    .ask_at_ms
                    .compare_exchange(ask_at_ms, Self::next(now_ms), Ordering::Relaxed, Ordering::Relaxed)
                    .is_ok()
    }

    fn note(&self, is_away: bool, now_ms: u64) {
        self.ask_at_ms.store(if is_away { Self::next(now_ms) } else { 0 }, Ordering::Relaxed);
    }

    fn next(now_ms: u64) -> u64 {
        now_ms + TRUSTED_FOR.as_millis() as u64
    }
}

impl Directory {
    /// An empty directory over this database.
    pub fn new(db: Db, pepper: Pepper, clock: Clock) -> Self {
        Self {
            db,
            pepper,
            clock,
            started: std::time::Instant::now(),
            own_changes: AtomicU64::new(0),
            keys: Cache::new(ENTRIES),
            projects: Cache::new(ENTRIES),
            touched: Mutex::default(),
            absence: Absence::default(),
        }
    }

    fn elapsed_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Changes whenever what is remembered may have become wrong.
    fn stamp(&self) -> u64 {
        match self.db.foreign_commits() {
            Some(commits) => commits + self.own_changes.load(Ordering::Acquire),
            None => self.elapsed_ms() / TRUSTED_FOR.as_millis() as u64,
        }
    }

    /// Forgets what is remembered, after a change to keys or projects.
    pub fn changed(&self) {
        self.own_changes.fetch_add(1, Ordering::Release);
    }

    /// What the key stands for.
    ///
    /// # Errors
    /// `Unauthorized` for unknown, expired and revoked keys, after the same work.
    pub async fn key(&self, text: &str, outage: Outage) -> Result<Arc<KnownKey>, Error> {
        let key = ApiKey::parse(text).ok_or(Error::Unauthorized)?;
        let known = self.known_key(key.id(), outage).await?;
        let stored: &[u8] = known.as_ref().map_or(&[0; 32], |known| &known.stored.mac);
        let fits = self.pepper.fits(&key, stored);
        let now = self.clock.now();
        let known = known.filter(|known| fits && known.stored.grant.is_valid(now)).ok_or(Error::Unauthorized)?;
        self.touch(&known, now);
        Ok(known)
    }

    async fn known_key(&self, id: &str, outage: Outage) -> Result<Option<Arc<KnownKey>>, Error> {
        self.look_up(&self.keys, id, outage, async {
            let wanted = id.to_owned();
            let found = self
                .db
                .read::<_, Error, _>(move |tx| Box::pin(async move { Ok(keys::find(tx, &wanted).await?) }))
                .await?;
            Ok(found.map(|stored| {
                let touched_us = AtomicI64::new(stored.last_used_at.map_or(0, Instant::us));
                KnownKey { stored, touched_us }
            }))
        })
        .await
    }

    /// The project with this key, whoever owns it.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn project(&self, key: &str, outage: Outage) -> Result<Option<Arc<Project>>, Error> {
        if key.contains('\0') || key.len() > 64 {
            return Ok(None);
        }
        self.look_up(&self.projects, key, outage, async {
            let wanted = key.to_owned();
            self.db
                .read::<_, Error, _>(move |tx| Box::pin(async move { Ok(tenants::project_by_key(tx, &wanted).await?) }))
                .await
        })
        .await
    }

    /// From memory while that is exact, else what `ask` finds; while the database
    /// is away, from memory again for those who may rely on it.
    async fn look_up<T>(
        &self,
        cache: &Cache<String, Fresh<T>>,
        key: &str,
        outage: Outage,
        ask: impl Future<Output = Result<Option<T>, Error>>,
    ) -> Result<Option<Arc<T>>, Error> {
        let stamp = self.stamp();
        let known = cache.get(key);
        if let Some(fresh) = known.as_ref().filter(|fresh| fresh.stamp == stamp) {
            return Ok(Some(fresh.value.clone()));
        }
        let read_at = self.clock.now();
        let remembered = known.filter(|known| {
            outage == Outage::Remember && read_at.us().saturating_sub(known.read_at.us()) < REMEMBERED_US
        });
        let answer = match &remembered {
            None => ask.await,
            Some(known) if !self.absence.may_ask(self.elapsed_ms()) => return Ok(Some(known.value.clone())),
            Some(_) => match tokio::time::timeout(LOOKUP_TIMEOUT, ask).await {
                Ok(answer) => answer,
                Err(_) => Err(Error::Unavailable { retry_after_s: 1 }),
            },
        };
        let is_away = matches!(answer, Err(Error::Unavailable { .. }));
        self.absence.note(is_away, self.elapsed_ms());
        match (answer, remembered) {
            (Ok(Some(value)), _) => {
                let value = Arc::new(value);
                cache.insert(key.to_owned(), Fresh { stamp, read_at, value: value.clone() });
                Ok(Some(value))
            }
            (Ok(None), _) => {
                cache.remove(key);
                Ok(None)
            }
            (Err(_), Some(known)) if is_away => Ok(Some(known.value)),
            (Err(error), _) => Err(error),
        }
    }

    /// Notes that a key was used, once a minute; [`Directory::flush`] writes it.
    fn touch(&self, key: &KnownKey, now: Instant) {
        let last = key.touched_us.load(Ordering::Relaxed);
        if now.us() - last >= MINUTE_US {
            key.touched_us.store(now.us(), Ordering::Relaxed);
            let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
            if touched.len() < TOUCHED {
                touched.insert(key.stored.id.clone(), now);
            }
        }
    }

    /// Writes down which keys were used. What cannot be written is dropped: a
    /// later use notes it again.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn flush(&self) -> Result<(), Error> {
        let touched = std::mem::take(&mut *self.touched.lock().unwrap_or_else(PoisonError::into_inner));
        if touched.is_empty() {
            return Ok(());
        }
        let used: Vec<_> = touched.into_iter().collect();
        self.db.write(move |tx| Box::pin(async move { Ok(keys::touch(tx, &used).await?) })).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_asks_again_every_half_second() {
        let absence = Absence::default();
        assert!(absence.may_ask(0) && absence.may_ask(0), "while it answers, everyone asks");
        absence.note(true, 1_000);
        assert!(!absence.may_ask(1_499));
        assert!(absence.may_ask(1_500));
        assert!(!absence.may_ask(1_500), "one is asking");
        assert!(absence.may_ask(2_000), "who asked gave up without a word");
        absence.note(false, 2_001);
        assert!(absence.may_ask(2_001));
    }
}
