//! The cache of serialised lists of experiments.
//!
//! Lists are cached only where this process detects every change: on SQLite, where it makes
//! the changes or sees that another process committed. On PostgreSQL, where other nodes write
//! too, each list is read from the database.

use bytes::Bytes;
use muriel_domain::ids::CompanyId;
use muriel_sql::Db;
use muriel_store::experiments::Limited;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Capacity of the cache, in bytes of lists.
const CAPACITY: u64 = 32 << 20;
/// Number of change counters. Companies share them by id: a change of one company also
/// invalidates the lists of a few others.
const STRIPES: usize = 1_024;

/// Identifies a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ListKey {
    /// The company that owns the experiments.
    pub company: CompanyId,
    /// The API key or person, when they can see only some of the projects.
    pub limited_to: Option<Limited>,
    /// Maximum number of experiments.
    pub limit: i64,
    /// Number of experiments to skip.
    pub offset: i64,
}

/// Counters of changes at the time a list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListVersion {
    foreign: u64,
    own: u64,
}

#[derive(Clone)]
struct BySize;

impl Weighter<ListKey, (ListVersion, Bytes)> for BySize {
    fn weight(&self, _: &ListKey, (_, list): &(ListVersion, Bytes)) -> u64 {
        list.len() as u64 + 128
    }
}

/// Cached lists, each with its version.
pub struct ListCache {
    db: Db,
    changes: Arc<[AtomicU64]>,
    lists: Cache<ListKey, (ListVersion, Bytes), BySize>,
}

/// Counts a change when dropped, whether or not the change was committed.
pub struct ChangeGuard {
    changes: Arc<[AtomicU64]>,
    stripe: usize,
}

impl Drop for ChangeGuard {
    fn drop(&mut self) {
        self.changes[self.stripe].fetch_add(1, Ordering::Release);
    }
}

fn stripe(company: CompanyId) -> usize {
    company.0.unsigned_abs() as usize % STRIPES
}

impl ListCache {
    /// Creates an empty cache.
    pub fn new(db: Db) -> Self {
        Self {
            db,
            changes: std::iter::repeat_with(AtomicU64::default).take(STRIPES).collect(),
            lists: Cache::with_weighter(1_000, CAPACITY, BySize),
        }
    }

    /// Returns a guard to hold during a change of the company's experiments or hypotheses.
    pub fn begin_change(&self, company: CompanyId) -> ChangeGuard {
        ChangeGuard { changes: self.changes.clone(), stripe: stripe(company) }
    }

    /// Returns the version of a list that is read after this call. `None` where changes cannot
    /// be counted.
    pub fn version(&self, company: CompanyId) -> Option<ListVersion> {
        let foreign = self.db.foreign_commits()?;
        Some(ListVersion { foreign, own: self.changes[stripe(company)].load(Ordering::Acquire) })
    }

    /// Returns the cached list, if it has this version.
    pub fn get(&self, key: &ListKey, version: ListVersion) -> Option<Bytes> {
        self.lists.get(key).filter(|(known, _)| *known == version).map(|(_, list)| list)
    }

    /// Caches a list that was read after its version was taken.
    pub fn put(&self, key: ListKey, version: ListVersion, list: Bytes) {
        self.lists.insert(key, (version, list));
    }
}
