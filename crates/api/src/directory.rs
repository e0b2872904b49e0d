//! Who the keys and projects of a request are, from memory where that is exact.

use crate::api_key::{ApiKey, Pepper};
use crate::clock::Clock;
use crate::error::ApiError;
use muriel_domain::Instant;
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

/// Keys and projects, as of half a second ago at most.
///
/// On SQLite every write by another process is noticed, and nothing else
/// expires; on PostgreSQL entries expire by age.
pub struct Directory {
    db: Db,
    pepper: Pepper,
    clock: Clock,
    started: std::time::Instant,
    own_changes: AtomicU64,
    keys: Cache<String, Fresh<KnownKey>>,
    projects: Cache<String, Fresh<Project>>,
    touched: Mutex<HashMap<String, Instant>>,
}

/// A key with the moment at which its use was noted last.
pub struct KnownKey {
    /// The key as it is stored.
    pub stored: StoredKey,
    touched_us: AtomicI64,
}

struct Fresh<T> {
    stamp: u64,
    value: Arc<T>,
}

impl<T> Clone for Fresh<T> {
    fn clone(&self) -> Self {
        Self { stamp: self.stamp, value: self.value.clone() }
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
        }
    }

    /// Changes whenever what is remembered may have become wrong.
    fn stamp(&self) -> u64 {
        match self.db.foreign_commits() {
            Some(commits) => commits + self.own_changes.load(Ordering::Acquire),
            None => (self.started.elapsed().as_millis() / TRUSTED_FOR.as_millis()) as u64,
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
    pub async fn key(&self, text: &str) -> Result<Arc<KnownKey>, ApiError> {
        let key = ApiKey::parse(text).ok_or(ApiError::Unauthorized)?;
        let known = self.known_key(key.id()).await?;
        let stored: &[u8] = known.as_ref().map_or(&[0; 32], |known| &known.stored.mac);
        let fits = self.pepper.fits(&key, stored);
        let now = self.clock.now();
        let known = known.filter(|known| fits && known.stored.grant.is_valid(now)).ok_or(ApiError::Unauthorized)?;
        self.touch(&known, now);
        Ok(known)
    }

    async fn known_key(&self, id: &str) -> Result<Option<Arc<KnownKey>>, ApiError> {
        let stamp = self.stamp();
        if let Some(fresh) = self.keys.get(id).filter(|fresh| fresh.stamp == stamp) {
            return Ok(Some(fresh.value));
        }
        let wanted = id.to_owned();
        let found = self
            .db
            .read::<_, ApiError, _>(move |tx| Box::pin(async move { Ok(keys::find(tx, &wanted).await?) }))
            .await?;
        let Some(stored) = found else { return Ok(None) };
        let touched_us = AtomicI64::new(stored.last_used_at.map_or(0, Instant::us));
        let value = Arc::new(KnownKey { stored, touched_us });
        self.keys.insert(id.to_owned(), Fresh { stamp, value: value.clone() });
        Ok(Some(value))
    }

    /// The project with this key, whoever owns it.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn project(&self, key: &str) -> Result<Option<Arc<Project>>, ApiError> {
        let stamp = self.stamp();
        if let Some(fresh) = self.projects.get(key).filter(|fresh| fresh.stamp == stamp) {
            return Ok(Some(fresh.value));
        }
        if key.contains('\0') || key.len() > 64 {
            return Ok(None);
        }
        let wanted = key.to_owned();
        let found = self
            .db
            .read::<_, ApiError, _>(move |tx| Box::pin(async move { Ok(tenants::project_by_key(tx, &wanted).await?) }))
            .await?;
        let Some(project) = found else { return Ok(None) };
        let value = Arc::new(project);
        self.projects.insert(key.to_owned(), Fresh { stamp, value: value.clone() });
        Ok(Some(value))
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
    pub async fn flush(&self) -> Result<(), ApiError> {
        let touched = std::mem::take(&mut *self.touched.lock().unwrap_or_else(PoisonError::into_inner));
        if touched.is_empty() {
            return Ok(());
        }
        let used: Vec<_> = touched.into_iter().collect();
        self.db.write(move |tx| Box::pin(async move { Ok(keys::touch(tx, &used).await?) })).await
    }
}
