//! Lists of experiments that were written out before, while they are exact.
//!
//! Only where this process learns of every change: on SQLite, where it makes
//! them or sees that another process committed. On PostgreSQL other nodes write
//! too, and each list is read anew.

use bytes::Bytes;
use muriel_domain::ids::CompanyId;
use muriel_sql::Db;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of lists kept.
const CAPACITY: u64 = 32 << 20;
/// Companies share counters by their ids: a change of one company drops the
/// lists of few others.
const STRIPES: usize = 1_024;

/// Which list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ListKey {
    /// Whose experiments.
    pub company: CompanyId,
    /// The key that sees only some of the projects.
    pub limited_to: Option<String>,
    /// Experiments at most.
    pub limit: i64,
    /// Experiments to skip.
    pub offset: i64,
}

/// When a list was read, in changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    foreign: u64,
    own: u64,
}

#[derive(Clone)]
struct BySize;

impl Weighter<ListKey, (Stamp, Bytes)> for BySize {
    fn weight(&self, _: &ListKey, (_, list): &(Stamp, Bytes)) -> u64 {
        list.len() as u64 + 128
    }
}

/// Written lists with the moment, counted in changes, at which each was read.
pub struct Lists {
    db: Db,
    changes: Arc<[AtomicU64]>,
    written: Cache<ListKey, (Stamp, Bytes), BySize>,
}

/// Counts a change when it is over, however it ended.
pub struct Changing {
    changes: Arc<[AtomicU64]>,
    stripe: usize,
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.changes[self.stripe].fetch_add(1, Ordering::Release);
    }
}

fn stripe(company: CompanyId) -> usize {
    company.0.unsigned_abs() as usize % STRIPES
}

impl Lists {
    /// No lists yet.
    pub fn new(db: Db) -> Self {
        Self {
            db,
            changes: std::iter::repeat_with(AtomicU64::default).take(STRIPES).collect(),
            written: Cache::with_weighter(1_000, CAPACITY, BySize),
        }
    }

    /// To be held over a change of the company's experiments or hypotheses.
    pub fn changing(&self, company: CompanyId) -> Changing {
        Changing { changes: self.changes.clone(), stripe: stripe(company) }
    }

    /// The state of changes now; taken before a list is read. `None` where
    /// changes cannot be counted.
    pub fn stamp(&self, company: CompanyId) -> Option<Stamp> {
        let foreign = self.db.foreign_commits()?;
        Some(Stamp { foreign, own: self.changes[stripe(company)].load(Ordering::Acquire) })
    }

    /// The list, if nothing changed since it was read.
    pub fn get(&self, key: &ListKey, stamp: Stamp) -> Option<Bytes> {
        self.written.get(key).filter(|(at, _)| *at == stamp).map(|(_, list)| list)
    }

    /// Caches a list that was read after `stamp` was taken.
    pub fn put(&self, key: ListKey, stamp: Stamp, list: Bytes) {
        self.written.insert(key, (stamp, list));
    }
}
