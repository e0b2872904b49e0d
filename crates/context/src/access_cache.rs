//! The cache of API keys, sessions and projects, which are looked up for every request.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::api_key::{ApiKey, Pepper};
use crate::clock::Clock;
use crate::digest::hex;
use crate::error::Error;
use muriel_domain::Instant;
use muriel_domain::access::{Scope, Scopes};
use muriel_domain::ids::{PersonId, ProjectId, SessionId};
use muriel_domain::person::Role;
use muriel_domain::time::DAY_US;
use muriel_sql::Db;
use muriel_store::keys::StoredKey;
use muriel_store::people::Person;
use muriel_store::sessions::Session;
use muriel_store::tenants::Project;
use muriel_store::{keys, people, sessions, tenants};
use quick_cache::sync::Cache;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Capacity of each cache: of keys, of sessions and of projects.
const CAPACITY: usize = 10_000;
/// Maximum age of an entry where commits of other processes cannot be detected.
const MAX_AGE: Duration = Duration::from_millis(500);
/// Most keys, and most sessions, whose last use is not written yet.
const PENDING_USES_MAX: usize = 10_000;
/// Idle timeout of a session.
pub const SESSION_IDLE_US: i64 = 12 * 3_600_000_000;
/// Maximum lifetime of a session, however often it is used.
pub const SESSION_MAX_US: i64 = 30 * DAY_US;
/// Characters of a session token: 256 random bits.
pub const TOKEN_LEN: usize = 43;
const MINUTE_US: i64 = 60_000_000;
/// Maximum age of an entry that is used while the database is unavailable.
const OUTAGE_MAX_AGE_US: i64 = DAY_US;
/// Timeout of a database lookup when a cached entry can be used instead.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);

/// Policy for expired entries while the database is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutagePolicy {
    /// Use none: the request is answered with `Unavailable`.
    Refuse,
    /// Use entries that were read within the last day.
    UseCached,
}

/// Cache of keys, sessions and projects, at most half a second out of date.
///
/// On SQLite, entries are valid until any process commits; on PostgreSQL they expire by age. While the
/// database is unavailable, expired entries serve the requests that allow it
/// ([`OutagePolicy::UseCached`]).
pub struct AccessCache {
    db: Db,
    pepper: Pepper,
    clock: Clock,
    started: std::time::Instant,
    own_changes: AtomicU64,
    keys: Cache<String, Cached<KnownKey>>,
    sessions: Cache<String, Cached<KnownSession>>,
    projects: Cache<String, Cached<Project>>,
    /// Last uses of keys that are not written yet, by key id.
    pending_uses: Mutex<HashMap<String, Instant>>,
    /// Last uses of sessions that are not written yet, with the person.
    pending_sessions: Mutex<HashMap<SessionId, (PersonId, Instant)>>,
    /// Number of times that last uses of sessions were written.
    session_flushes: AtomicU64,
    retry_gate: RetryGate,
}

/// A key, and when its use was last recorded.
pub struct KnownKey {
    /// The stored key.
    pub stored: StoredKey,
    used_us: AtomicI64,
}

impl KnownKey {
    /// Returns the key with one scope removed.
    pub fn without(&self, scope: Scope) -> KnownKey {
        let mut stored = self.stored.clone();
        stored.grant.scopes = stored.grant.scopes.without(scope);
        KnownKey { stored, used_us: AtomicI64::new(self.used_us.load(Ordering::Relaxed)) }
    }
}

/// A session, and the person who is signed in.
pub struct KnownSession {
    /// The stored session.
    pub session: Session,
    /// The person, as of when the session was read.
    pub person: Person,
    /// CSRF token that state-changing requests must send.
    pub csrf: String,
    /// The projects in which editors may change code.
    code_projects: Vec<ProjectId>,
    used_us: AtomicI64,
}

impl KnownSession {
    /// Builds the entry of a stored session. Editors may change code in `code_projects`.
    pub fn new(session: Session, person: Person, csrf: String, code_projects: Vec<ProjectId>) -> Self {
        let used_us = AtomicI64::new(session.last_seen_at.us());
        Self { session, person, csrf, code_projects, used_us }
    }

    /// Moment at which the session ends unless it is used again: by the idle timeout or the maximum lifetime.
    pub fn expires_at(&self) -> Instant {
        let idle = self.used_us.load(Ordering::Relaxed).saturating_add(SESSION_IDLE_US);
        Instant::from_us(idle).min(self.session.created_at.plus_us(SESSION_MAX_US))
    }

    /// The person's role in a project of the company, with its scopes; `None` when the person cannot see the project.
    pub fn in_project(&self, project: ProjectId) -> Option<(Role, Scopes)> {
        let role = self.person.access.in_project(project)?;
        Some((role, role.scopes(self.code_projects.contains(&project))))
    }
}

struct Cached<T> {
    /// The generation of the cache in which the value was read.
    generation: u64,
    read_at: Instant,
    value: Arc<T>,
}

impl<T> Clone for Cached<T> {
    fn clone(&self) -> Self {
        Self { generation: self.generation, read_at: self.read_at, value: self.value.clone() }
    }
}

/// Limits queries while the database is unavailable: of the requests that have a cached entry,
/// only one every half a second queries the database, and the others do not wait.
#[derive(Debug, Default)]
struct RetryGate {
    /// Milliseconds since the start at which the next query is due; 0 while the database answers.
    retry_at_ms: AtomicU64,
}

impl RetryGate {
    /// Returns whether this caller may query the database. A caller that may has claimed the attempt.
    fn may_query(&self, now_ms: u64) -> bool {
        let retry_at_ms = self.retry_at_ms.load(Ordering::Relaxed);
        retry_at_ms == 0
            || now_ms >= retry_at_ms
                && self
                    .retry_at_ms
                    .compare_exchange(retry_at_ms, Self::next(now_ms), Ordering::Relaxed, Ordering::Relaxed)
                    .is_ok()
    }

    /// Records whether the database answered.
    fn note(&self, is_away: bool, now_ms: u64) {
        self.retry_at_ms.store(if is_away { Self::next(now_ms) } else { 0 }, Ordering::Relaxed);
    }

    fn next(now_ms: u64) -> u64 {
        now_ms + MAX_AGE.as_millis() as u64
    }
}

impl AccessCache {
    /// Creates an empty cache over this database.
    pub fn new(db: Db, pepper: Pepper, clock: Clock) -> Self {
        Self {
            db,
            pepper,
            clock,
            started: std::time::Instant::now(),
            own_changes: AtomicU64::new(0),
            keys: Cache::new(CAPACITY),
            sessions: Cache::new(CAPACITY),
            projects: Cache::new(CAPACITY),
            pending_uses: Mutex::default(),
            pending_sessions: Mutex::default(),
            session_flushes: AtomicU64::new(0),
            retry_gate: RetryGate::default(),
        }
    }

    fn elapsed_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Changes whenever cached entries may be out of date.
    fn generation(&self) -> u64 {
        // Both parts only grow, so the sum never returns to an earlier value.
        let others = self.db.foreign_commits().unwrap_or_else(|| self.elapsed_ms() / MAX_AGE.as_millis() as u64);
        others + self.own_changes.load(Ordering::Acquire)
    }

    /// Invalidates all entries, after a change of keys, projects, people or sessions.
    pub fn invalidate(&self) {
        self.own_changes.fetch_add(1, Ordering::Release);
    }

    /// Returns the key with this text.
    ///
    /// # Errors
    /// `Unauthorized` for unknown, expired and revoked keys. The check takes the same time for each of them.
    pub async fn key(&self, text: &str, outage: OutagePolicy) -> Result<Arc<KnownKey>, Error> {
        let key = ApiKey::parse(text).ok_or(Error::Unauthorized)?;
        let known = self.known_key(key.id(), outage).await?;
        let stored: &[u8] = known.as_ref().map_or(&[0; 32], |known| &known.stored.mac);
        let fits = self.pepper.fits(&key, stored);
        let now = self.clock.now();
        let known = known.filter(|known| fits && known.stored.grant.is_valid(now)).ok_or(Error::Unauthorized)?;
        self.note_use(&known, now);
        Ok(known)
    }

    async fn known_key(&self, id: &str, outage: OutagePolicy) -> Result<Option<Arc<KnownKey>>, Error> {
        self.look_up(&self.keys, id, outage, async {
            let wanted = id.to_owned();
            let found = self
                .db
                .read::<_, Error, _>(move |tx| Box::pin(async move { Ok(keys::find(tx, &wanted).await?) }))
                .await?;
            Ok(found.map(|stored| {
                let used_us = AtomicI64::new(stored.last_used_at.map_or(0, Instant::us));
                KnownKey { stored, used_us }
            }))
        })
        .await
    }

    /// Returns the session whose cookie has this token.
    ///
    /// # Errors
    /// `Unauthorized` for text that is not a token, and for unknown, ended and expired sessions.
    /// `Unavailable` when the database cannot be reached.
    pub async fn session(&self, token: &str) -> Result<Arc<KnownSession>, Error> {
        if token.len() != TOKEN_LEN || !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Error::Unauthorized);
        }
        let mac = self.pepper.session_mac(token);
        let (csrf, cached_as) = (self.pepper.csrf(token), hex(&mac));
        let known = self.look_up(&self.sessions, &cached_as, OutagePolicy::Refuse, async {
            loop {
                let flushes = self.session_flushes.load(Ordering::SeqCst);
                let found = self.db.read::<_, Error, _>(move |tx| {
                    Box::pin(async move {
                        let Some(session) = sessions::find(tx, &mac).await? else { return Ok(None) };
                        let Some(person) = people::find(tx, session.person).await? else { return Ok(None) };
                        let code_projects = tenants::with_code_for_editors(tx, person.company_id).await?;
                        Ok(Some((session, person, code_projects)))
                    })
                });
                let Some((mut session, person, code_projects)) = found.await? else { return Ok(None) };
                let pending = self.pending_sessions.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((_, used)) = pending.get(&session.id) {
                    session.last_seen_at = session.last_seen_at.max(*used);
                }
                // Otherwise the last use may have gone from memory to the database after the row was read there.
                if self.session_flushes.load(Ordering::SeqCst) == flushes {
                    return Ok(Some(KnownSession::new(session, person, csrf, code_projects)));
                }
            }
        });
        let known = known.await?.ok_or(Error::Unauthorized)?;
        let now = self.clock.now();
        if now >= known.expires_at() {
            return Err(Error::Unauthorized);
        }
        if now.us() - known.used_us.load(Ordering::Relaxed) >= MINUTE_US {
            known.used_us.store(now.us(), Ordering::Relaxed);
            let mut pending = self.pending_sessions.lock().unwrap_or_else(PoisonError::into_inner);
            if pending.len() < PENDING_USES_MAX {
                pending.insert(known.session.id, (known.person.id, now));
            }
        }
        Ok(known)
    }

    /// Returns the project with this key, of any company.
    pub async fn project(&self, key: &str, outage: OutagePolicy) -> Result<Option<Arc<Project>>, Error> {
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

    /// Returns the cached value while it is up to date, and otherwise the result of `query`. While the
    /// database is unavailable, returns an expired value if `outage` allows that.
    async fn look_up<T>(
        &self,
        cache: &Cache<String, Cached<T>>,
        key: &str,
        outage: OutagePolicy,
        query: impl Future<Output = Result<Option<T>, Error>>,
    ) -> Result<Option<Arc<T>>, Error> {
        let generation = self.generation();
        let known = cache.get(key);
        if let Some(cached) = known.as_ref().filter(|cached| cached.generation == generation) {
            return Ok(Some(cached.value.clone()));
        }
        let read_at = self.clock.now();
        let fallback = known.filter(|known| {
            outage == OutagePolicy::UseCached && read_at.us().saturating_sub(known.read_at.us()) < OUTAGE_MAX_AGE_US
        });
        let answer = match &fallback {
            None => query.await,
            Some(known) if !self.retry_gate.may_query(self.elapsed_ms()) => return Ok(Some(known.value.clone())),
            Some(_) => match tokio::time::timeout(LOOKUP_TIMEOUT, query).await {
                Ok(answer) => answer,
                Err(_) => Err(Error::Unavailable { retry_after_s: 1 }),
            },
        };
        let is_away = matches!(answer, Err(Error::Unavailable { .. }));
        self.retry_gate.note(is_away, self.elapsed_ms());
        match (answer, fallback) {
            (Ok(Some(value)), _) => {
                let value = Arc::new(value);
                cache.insert(key.to_owned(), Cached { generation, read_at, value: value.clone() });
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

    /// Records a use of the key, at most once a minute. [`AccessCache::flush`] writes it to the database.
    fn note_use(&self, key: &KnownKey, now: Instant) {
        let last = key.used_us.load(Ordering::Relaxed);
        if now.us() - last >= MINUTE_US {
            key.used_us.store(now.us(), Ordering::Relaxed);
            let mut pending = self.pending_uses.lock().unwrap_or_else(PoisonError::into_inner);
            if pending.len() < PENDING_USES_MAX {
                pending.insert(key.stored.id.clone(), now);
            }
        }
    }

    /// Writes the recorded uses of keys and sessions. They stay pending until they are written, so that none is lost, and
    /// a session that is read again meanwhile keeps its last use.
    pub async fn flush(&self) -> Result<(), Error> {
        let sessions = self.pending_sessions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !sessions.is_empty() {
            let used: Vec<_> = sessions.iter().map(|(id, (person, at))| (*id, *person, *at)).collect();
            self.db
                .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(sessions::touch(tx, &used).await?) }))
                .await?;
            let mut pending = self.pending_sessions.lock().unwrap_or_else(PoisonError::into_inner);
            self.session_flushes.fetch_add(1, Ordering::SeqCst);
            remove_written(&mut pending, &sessions);
        }
        let keys = self.pending_uses.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !keys.is_empty() {
            let used: Vec<_> = keys.iter().map(|(id, at)| (id.clone(), *at)).collect();
            self.db.write::<_, Error, _>(move |tx| Box::pin(async move { Ok(keys::touch(tx, &used).await?) })).await?;
            remove_written(&mut self.pending_uses.lock().unwrap_or_else(PoisonError::into_inner), &keys);
        }
        Ok(())
    }
}

/// Removes the uses that were written, except those that a later use has replaced meanwhile.
fn remove_written<K: Eq + Hash, V: PartialEq>(pending: &mut HashMap<K, V>, written: &HashMap<K, V>) {
    pending.retain(|key, value| written.get(key) != Some(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::person::Access;
    use muriel_sql::SqliteOptions;
    use muriel_store::people::NewPerson;

    const HOUR_US: i64 = 3_600_000_000;

    async fn sign_in(db: &Db, pepper: &Pepper, token: &str, now: Instant) {
        let mac = pepper.session_mac(token);
        let signed_in = db.write::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move {
                let company_id = tenants::company_ensure(tx, "Acme", now).await?;
                let new = NewPerson {
                    company_id,
                    email: format!("{}@example.com", now.us()),
                    name: "Ada".to_owned(),
                    access: Access { role: Role::Owner, projects: None },
                    password: None,
                    oidc: None,
                };
                let session = Session {
                    id: SessionId(0),
                    person: people::insert(tx, &new, now).await?.id,
                    method: "password".to_owned(),
                    user_agent: String::new(),
                    network: String::new(),
                    created_at: now,
                    last_seen_at: now,
                };
                sessions::insert(tx, &session, &mac).await
            })
        });
        signed_in.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_session_in_use_outlives_the_write_of_its_last_use() {
        let clock_us = Arc::new(AtomicI64::new(0));
        let directory = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&directory.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        muriel_store::migrate(&db).await.unwrap();
        let pepper = || Pepper::new(&[7; 32]);
        let cache = Arc::new(AccessCache::new(db.clone(), pepper(), Clock::Manual(clock_us.clone())));
        for number in 0..60 {
            let token = format!("{number:0TOKEN_LEN$}");
            sign_in(&db, &pepper(), &token, Instant::from_us(clock_us.load(Ordering::SeqCst))).await;
            for round in 0..25 {
                // The row in the database is of an idle session by now; only memory knows better.
                for _ in 0..2 {
                    clock_us.fetch_add(11 * HOUR_US, Ordering::SeqCst);
                    cache.session(&token).await.unwrap();
                }
                clock_us.fetch_add(HOUR_US, Ordering::SeqCst);
                let reads = (0..4).map(|_| {
                    let (cache, token) = (cache.clone(), token.clone());
                    tokio::spawn(async move {
                        cache.invalidate();
                        cache.session(&token).await.map(|_| ())
                    })
                });
                let reads: Vec<_> = reads.collect();
                cache.flush().await.unwrap();
                for read in reads {
                    read.await.unwrap().unwrap_or_else(|error| panic!("session {number}, round {round}: {error}"));
                }
            }
        }
    }

    #[tokio::test]
    async fn uses_that_cannot_be_written_stay_pending() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&directory.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        muriel_store::migrate(&db).await.unwrap();
        let cache = AccessCache::new(db.clone(), Pepper::new(&[7; 32]), Clock::System);
        let rename = async |from: &'static str, to: &'static str| {
            let sql = format!("ALTER TABLE {from} RENAME TO {to}");
            let renamed =
                db.write::<_, muriel_store::Error, _>(move |tx| Box::pin(async move { Ok(tx.batch(&sql).await?) }));
            renamed.await.unwrap();
        };
        let pending = || cache.pending_uses.lock().unwrap().len();
        cache.pending_uses.lock().unwrap().insert("key".to_owned(), Instant::from_us(1));
        rename("api_key", "elsewhere").await;
        cache.flush().await.unwrap_err();
        assert_eq!(pending(), 1);
        rename("elsewhere", "api_key").await;
        cache.flush().await.unwrap();
        assert_eq!(pending(), 0);
    }

    #[test]
    fn one_request_queries_again_every_half_second() {
        let gate = RetryGate::default();
        assert!(gate.may_query(0) && gate.may_query(0), "while it answers, every request queries");
        gate.note(true, 1_000);
        assert!(!gate.may_query(1_499));
        assert!(gate.may_query(1_500));
        assert!(!gate.may_query(1_500), "one is querying");
        assert!(gate.may_query(2_000), "the one that queried was cancelled");
        gate.note(false, 2_001);
        assert!(gate.may_query(2_001));
    }
}
