//! Temporary directories, and the removal of those that killed processes have left.

use crate::{Error, Result};
use muriel_warehouse::{DuckWarehouse, WarehouseOptions};
use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Suffix of directories whose owner holds a lock on them.
const HELD: &str = ".held";
/// Age after which a directory without a lock, of a backup or restore by an earlier release, counts as abandoned.
/// `backup --every` writes to its own at least once a day.
const UNLOCKED_AGE: Duration = Duration::from_secs(2 * 86_400);
/// Maximum attempts to create a directory. Another process may consider one abandoned before it is locked.
const ATTEMPTS: usize = 10;

/// Purpose of a temporary directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Copies that a backup stores.
    Backup,
    /// Data directory that is being restored, next to its destination.
    Restore,
    /// A warehouse for one command.
    Warehouse,
    /// The data of a demo.
    #[cfg_attr(not(feature = "demo"), expect(dead_code, reason = "only the demo makes one"))]
    Demo,
}

impl Purpose {
    const ALL: [Purpose; 4] = [Purpose::Backup, Purpose::Restore, Purpose::Warehouse, Purpose::Demo];

    fn prefix(self) -> &'static str {
        match self {
            Self::Backup => "muriel-backup-",
            Self::Restore => ".muriel-restore-",
            Self::Warehouse => "muriel-warehouse-",
            Self::Demo => "muriel-demo-",
        }
    }
}

/// Temporary directory that is deleted when the value is dropped. Its owner holds a lock on it, which ends with the
/// process in any case. The next process to create one removes those without a lock holder.
#[derive(Debug)]
pub(crate) struct HeldDirectory {
    directory: TempDir,
    /// Holds the lock.
    _handle: File,
}

impl HeldDirectory {
    /// Creates a directory in the system's temporary directory.
    ///
    /// # Errors
    /// A directory that cannot be written.
    pub(crate) fn new(purpose: Purpose) -> Result<Self> {
        Self::new_in(purpose, &std::env::temp_dir())
    }

    /// Creates a directory in `parent`, and removes abandoned ones of its kind there.
    ///
    /// # Errors
    /// A directory that cannot be written.
    pub(crate) fn new_in(purpose: Purpose, parent: &Path) -> Result<Self> {
        let failed = |source| Error::File { doing: "cannot create a directory in", path: parent.to_owned(), source };
        for _ in 0..ATTEMPTS {
            let directory = tempfile::Builder::new().prefix(purpose.prefix()).suffix(HELD).tempdir_in(parent);
            let directory = directory.map_err(failed)?;
            let Ok(handle) = File::open(directory.path()) else { continue };
            let is_held = handle.try_lock().is_ok() && is_same(&handle, directory.path());
            if is_held {
                if let Ok(about) = handle.metadata() {
                    remove_abandoned(&[purpose], parent, about.uid());
                }
                return Ok(Self { directory, _handle: handle });
            }
        }
        Err(failed(io::Error::other("other processes keep removing it")))
    }

    /// Path of the directory.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Keeps the directory, even if it was renamed.
    pub(crate) fn keep(self) {
        let _ = self.directory.keep();
    }
}

/// Returns whether the path still leads to the directory that was opened.
fn is_same(handle: &File, path: &Path) -> bool {
    let id = |about: fs::Metadata| (about.dev(), about.ino());
    matches!((handle.metadata().map(id), fs::symlink_metadata(path).map(id)), (Ok(one), Ok(other)) if one == other)
}

/// Removes directories that killed commands have left in the temporary directory and next to `data_dir`.
pub(crate) fn remove_abandoned_near(data_dir: &Path) {
    let Ok(owner) = fs::metadata(data_dir).map(|about| about.uid()) else { return };
    remove_abandoned(&Purpose::ALL, &std::env::temp_dir(), owner);
    if let Ok(path) = std::path::absolute(data_dir)
        && let Some(parent) = path.parent()
    {
        remove_abandoned(&[Purpose::Restore], parent, owner);
    }
}

/// Removes directories of `owner` without a lock holder. Those that cannot be removed are kept.
fn remove_abandoned(purposes: &[Purpose], parent: &Path, owner: u32) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.filter_map(io::Result::ok) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some(purpose) = purposes.iter().find(|purpose| name.starts_with(purpose.prefix())) {
            let max_age = match purpose {
                _ if name.ends_with(HELD) => None,
                Purpose::Backup | Purpose::Restore => Some(UNLOCKED_AGE),
                // A demo can run for weeks without changing its directory.
                Purpose::Warehouse | Purpose::Demo => continue,
            };
            remove_if_abandoned(&entry.path(), max_age, owner);
        }
    }
}

/// Removes a directory of `owner` without a lock holder, if it is older than `max_age` (where given).
fn remove_if_abandoned(path: &Path, max_age: Option<Duration>, owner: u32) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    // Anybody may create links and directories in the system's temporary directory.
    if !about.is_dir() || about.uid() != owner {
        return;
    }
    // Hold the lock until the directory is deleted, so that two processes do not remove it at once.
    let Ok(handle) = File::open(path) else { return };
    if handle.try_lock().is_err() || !is_same(&handle, path) {
        return;
    }
    let age = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    if max_age.is_some_and(|max_age| age.is_none_or(|age| age < max_age)) {
        return;
    }
    if fs::remove_dir_all(path).is_ok() {
        tracing::info!(path = %path.display(), "removed a temporary directory that a killed command had left");
    }
}

/// Empty warehouse in a temporary directory. Data that exceeds its memory is spilled to disk. It is deleted when the
/// value is dropped.
pub(crate) struct Scratch {
    // Declared first, so that it is closed before its directory is deleted.
    warehouse: DuckWarehouse,
    _directory: HeldDirectory,
}

impl Scratch {
    /// Creates the warehouse.
    /// \n
    /// # Errors
    /// A temporary directory that cannot be written.
    pub(crate) fn new(options: &WarehouseOptions) -> Result<Self> {
        let failed = |error: muriel_warehouse::Error| Error::Other(error.into());
        let directory = HeldDirectory::new(Purpose::Warehouse)?;
        let warehouse = DuckWarehouse::open(&directory.path().join("warehouse.duckdb"), options).map_err(failed)?;
        Ok(Self { warehouse, _directory: directory })
    }
}

impl Deref for Scratch {
    type Target = DuckWarehouse;

    fn deref(&self) -> &DuckWarehouse {
        &self.warehouse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_log::{LogId, Position, Record};
    use muriel_warehouse::{LoadTarget, Rows, StopToken, TrafficQuestion, WarehouseReader, WarehouseWriter, Watermark};
    use serde_json::json;
    use std::path::PathBuf;

    /// Directory as left by a killed process.
    fn abandoned(purpose: Purpose, parent: &Path) -> PathBuf {
        let held = HeldDirectory::new_in(purpose, parent).unwrap();
        let path = held.path().to_owned();
        fs::write(path.join("copy"), "x").unwrap();
        held.keep();
        path
    }

    #[test]
    fn what_killed_processes_leave_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let parent = place.path();
        for purpose in Purpose::ALL {
            let held = HeldDirectory::new_in(purpose, parent).unwrap();
            let left = abandoned(purpose, parent);
            let old = parent.join(format!("{}old", purpose.prefix()));
            let recent = parent.join(format!("{}recent", purpose.prefix()));
            let foreign = parent.join(format!("other-{}{HELD}", purpose.prefix()));
            for directory in [&old, &recent, &foreign] {
                fs::create_dir(directory).unwrap();
            }
            let long_ago = SystemTime::now() - UNLOCKED_AGE - Duration::from_secs(1);
            File::open(&old).unwrap().set_modified(long_ago).unwrap();
            let link = parent.join(format!("{}link{HELD}", purpose.prefix()));
            std::os::unix::fs::symlink(&foreign, &link).unwrap();
            let next = HeldDirectory::new_in(purpose, parent).unwrap();
            let stay =
                [held.path(), next.path(), &recent, &foreign, &link].map(|path| fs::symlink_metadata(path).is_ok());
            let old_stays = matches!(purpose, Purpose::Warehouse | Purpose::Demo);
            assert_eq!((stay, left.exists(), old.exists()), ([true; 5], false, old_stays), "{purpose:?}");
            let paths = [held.path().to_owned(), next.path().to_owned()];
            drop((held, next));
            assert!(paths.iter().all(|path| !path.exists()));
        }
    }

    #[test]
    fn a_server_removes_what_a_restore_left_beside_its_data() {
        let place = tempfile::tempdir().unwrap();
        let data_dir = place.path().join("data");
        fs::create_dir(&data_dir).unwrap();
        let (left, copy) = (abandoned(Purpose::Restore, place.path()), abandoned(Purpose::Backup, place.path()));
        remove_abandoned_near(&data_dir);
        assert!(!left.exists() && copy.exists(), "copies for backups are in the system's temporary directory");
    }

    #[test]
    fn more_events_fit_than_memory_holds() {
        let now = Instant::from_us(1_772_359_200_000_000);
        let mut record: Record = serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "type": "custom", "project_key": "prj", "at": now, "received_at": now,
            "visitor": { "id": "" }, "bot": false, "name": "look",
        }))
        .unwrap();
        let warehouse = Scratch::new(&WarehouseOptions { memory_bytes: 24 << 20, threads: 1 }).unwrap();
        let directory = warehouse._directory.path().to_owned();
        let (blocks, each) = (8, 50_000);
        for block in 1..=blocks {
            let mut rows = Rows::default();
            for n in 0..each {
                let n = block * each + n;
                record.id = uuid::Uuid::from_u128(n as u128);
                record.visitor.id = n.to_string();
                rows.add(&record, block);
            }
            rows.sort();
            let mark = Watermark { position: Position { seq: block }, hash: None };
            warehouse.load(LoadTarget::Answering, LogId::from_bytes([7; 16]), &rows, mark).unwrap();
        }
        let question = TrafficQuestion { project_key: "prj".into(), from: now, until: now.plus_us(1), metric: None };
        let traffic = warehouse.traffic(&question, &StopToken::new()).unwrap();
        assert_eq!(traffic.visitors, (blocks * each) as u64);
        assert!(directory.exists());
        drop(warehouse);
        assert!(!directory.exists());
    }
}
