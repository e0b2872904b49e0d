//! Removes old backups from a store.

use super::manifest::{self, BackupId, FILES, Manifest};
use super::store::{BackupStore, StoreLock};
use crate::Result;
use std::collections::{HashMap, HashSet};

/// Rule for the backups to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keep {
    /// Number of newest backups.
    pub(super) newest: u32,
    /// Number of days (UTC) with backups, of each of which the last backup is kept.
    pub(super) daily: u32,
}

/// Cache of the contents that backups need, so that repeated pruning reads each manifest once.
#[derive(Debug, Default)]
pub(super) struct NeededContents(HashMap<BackupId, Vec<String>>);

impl NeededContents {
    /// Contents that these backups need. Entries of other backups are dropped.
    fn of(&mut self, store: &dyn BackupStore, kept: &[&BackupId]) -> Result<HashSet<&str>> {
        self.0.retain(|id, _| kept.contains(&id));
        for id in kept {
            if !self.0.contains_key(id) {
                let manifest = Manifest::read(store, id)?;
                let contents = manifest.contents().map(|(_, content)| content.sha256.clone()).collect();
                self.0.insert((*id).clone(), contents);
            }
        }
        Ok(self.0.values().flatten().map(String::as_str).collect())
    }
}

/// Result of pruning.
#[derive(Debug, Default)]
pub(super) struct PrunedBackups {
    pub(super) backups: usize,
    /// SHA-256 of removed contents.
    pub(super) contents: Vec<String>,
    pub(super) bytes: u64,
    /// Number of backups that are left.
    pub(super) kept: usize,
}

impl Keep {
    /// Backups to remove from `ids`, which are in order of time.
    fn outdated<'i>(&self, ids: &'i [BackupId]) -> Vec<&'i BackupId> {
        let mut days = HashSet::new();
        let newest_first = ids.iter().rev().enumerate();
        let mut outdated: Vec<_> = newest_first
            .filter(|(at, id)| {
                let is_daily = days.len() < self.daily as usize && days.insert(id.day());
                *at >= self.newest as usize && !is_daily
            })
            .map(|(_, id)| id)
            .collect();
        outdated.reverse();
        outdated
    }
}

/// Removes backups that `keep` does not keep, and contents that no other backup needs.
pub(super) fn prune(
    store: &dyn BackupStore,
    lock: &dyn StoreLock,
    keep: Keep,
    needed: &mut NeededContents,
) -> Result<PrunedBackups> {
    let ids = manifest::list(store)?;
    let outdated = keep.outdated(&ids);
    // Read all manifests before anything is removed: without its manifest, the contents that a
    // backup needs are unknown.
    let kept: Vec<_> = ids.iter().filter(|id| !outdated.contains(id)).collect();
    let needed = needed.of(store, &kept)?;
    for id in &outdated {
        lock.check()?;
        store.remove(&id.path())?;
    }
    let mut pruned = PrunedBackups { backups: outdated.len(), kept: kept.len(), ..PrunedBackups::default() };
    if kept.is_empty() {
        return Ok(pruned);
    }
    for file in store.list(FILES)? {
        if !needed.contains(&*file.name) {
            lock.check()?;
            store.remove(&format!("{FILES}{}", file.name))?;
            pruned.bytes += file.bytes;
            pruned.contents.push(file.name);
        }
    }
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_and_one_of_each_day_stay() {
        let times = ["01T080000", "01T090000", "02T080000", "04T080000", "04T090000", "04T100000"];
        let ids: Vec<_> = times.iter().map(|time| BackupId::parse(&format!("2026-03-{time}Z.json")).unwrap()).collect();
        for (newest, daily, expect) in [
            (1, 0, vec!["01T080000", "01T090000", "02T080000", "04T080000", "04T090000"]),
            (2, 0, vec!["01T080000", "01T090000", "02T080000", "04T080000"]),
            (9, 0, vec![]),
            (1, 1, vec!["01T080000", "01T090000", "02T080000", "04T080000", "04T090000"]),
            (1, 2, vec!["01T080000", "01T090000", "04T080000", "04T090000"]),
            (2, 9, vec!["01T080000", "04T080000"]),
        ] {
            let outdated: Vec<_> = Keep { newest, daily }.outdated(&ids).iter().map(ToString::to_string).collect();
            let expect: Vec<_> = expect.iter().map(|time| format!("2026-03-{time}Z")).collect();
            assert_eq!(outdated, expect, "{newest} {daily}");
        }
    }
}
