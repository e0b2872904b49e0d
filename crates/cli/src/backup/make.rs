//! Makes backups.

use super::directory::failed;
use super::manifest::{
    self, BackupId, Database, FILES, Manifest, SourceState, StoredFile, StoredLog, StoredSegment, hex,
};
use super::prune::{self, Keep, NeededContents, PrunedBackups};
use super::store::{BackupStore, Digest, StoreLock};
use crate::config::StorageSettings;
use crate::scratch::{HeldDirectory, Purpose};
use crate::{Error, Result};
use muriel_context::clock::Clock;
use muriel_domain::Instant;
use muriel_log::{LogReader, LogSnapshot, Segment};
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum attempts to copy files that change or are deleted meanwhile.
const MAX_ATTEMPTS: u32 = 3;
/// A file changed more recently than this may change again with the same change time: file system
/// clocks tick up to every two seconds.
const SETTLED: Duration = Duration::from_secs(3);
/// Time for which a process that makes backups repeatedly relies on what it knows of the store and
/// of stored blocks.
const RECHECK: Duration = Duration::from_secs(600);

/// Makes backups of one data directory in one store, whose lock it holds.
pub(super) struct BackupMaker<'a> {
    storage: &'a StorageSettings,
    store: &'a dyn BackupStore,
    lock: Box<dyn StoreLock + 'a>,
    /// Temporary copies, before they are stored.
    staging: HeldDirectory,
    known: Known,
    /// Cache for pruning.
    needed: NeededContents,
}

/// Cached knowledge of the store.
struct Known {
    /// Newest backup whose manifest can be read.
    newest: Option<Rc<Manifest>>,
    /// Newest id, even if its manifest is damaged: new ids must be later.
    newest_id: Option<BackupId>,
    /// Size in bytes of each stored content, by SHA-256.
    stored: HashMap<String, u64>,
    /// Time at which this was read from the store.
    read_at: std::time::Instant,
    /// True when blocks of the log have been compared with stored segments since then.
    is_compared: bool,
}

/// Result of a backup.
pub(super) struct MadeBackup {
    pub(super) id: BackupId,
    pub(super) manifest: Rc<Manifest>,
    /// Numbers of stored contents and of their bytes.
    pub(super) copied: (usize, u64),
    /// Number of contents that were stored before.
    pub(super) unchanged: usize,
}

impl Known {
    fn read(store: &dyn BackupStore) -> Result<Self> {
        let ids = manifest::list(store)?;
        let mut newest = None;
        for id in ids.iter().rev() {
            match Manifest::read(store, id) {
                Ok(manifest) => newest = Some(Rc::new(manifest)),
                // A damaged manifest does not prevent a new backup.
                Err(Error::Refused(_)) => continue,
                Err(error) => return Err(error),
            }
            break;
        }
        let stored = store.list(FILES)?.into_iter().map(|file| (file.name, file.bytes)).collect();
        Ok(Self {
            newest,
            newest_id: ids.last().cloned(),
            stored,
            read_at: std::time::Instant::now(),
            is_compared: false,
        })
    }
}

impl<'a> BackupMaker<'a> {
    /// Locks the store and reads what it has.
    /// \n
    /// # Errors
    /// [`Error::Refused`] when there is no data, or another process holds the lock.
    pub(super) fn new(storage: &'a StorageSettings, store: &'a dyn BackupStore) -> Result<Self> {
        let data_dir = &storage.data_dir;
        if !data_dir.join("muriel.db").exists() && storage.database_url.is_none() {
            let sentence =
                format!("there is no Muriel data in {}; name its directory with --data-dir", data_dir.display());
            return Err(Error::Refused(sentence));
        }
        let lock = store.lock()?;
        let staging = HeldDirectory::new(Purpose::Backup)?;
        let known = Known::read(store)?;
        Ok(Self { storage, store, lock, staging, known, needed: NeededContents::default() })
    }

    /// Checks that the lock is still held.
    pub(super) fn check_lock(&self) -> Result<()> {
        self.lock.check()
    }

    /// Makes a backup.
    pub(super) fn make(&mut self) -> Result<MadeBackup> {
        if self.known.read_at.elapsed() > RECHECK {
            self.known = Known::read(self.store)?;
        }
        let mut run = Run { maker: self, files: Vec::new(), copied: (0, 0), unchanged: 0 };
        // Copy the database first, so that the log has every block that the database refers to.
        let database = run.database()?;
        let made_at = Clock::System.now();
        let at_database = last_block(&run.maker.storage.data_dir)?;
        if run.maker.storage.pepper_file == run.maker.storage.data_dir.join("pepper") {
            run.small_file("pepper")?;
        }
        run.small_file("node.json")?;
        let log = run.log(at_database)?;
        let Run { files, copied, unchanged, .. } = run;

        let manifest = Rc::new(Manifest::new(made_at, database, log, files));
        let id = BackupId::new(made_at, self.known.newest_id.as_ref());
        self.lock.check()?;
        manifest.write(self.store, &id)?;
        self.known.newest = Some(manifest.clone());
        self.known.newest_id = Some(id.clone());
        self.known.is_compared = true;
        Ok(MadeBackup { id, manifest, copied, unchanged })
    }

    /// Removes backups that `keep` does not keep, and contents that only they need.
    pub(super) fn prune(&mut self, keep: Keep) -> Result<PrunedBackups> {
        let pruned = prune::prune(self.store, &*self.lock, keep, &mut self.needed)?;
        for sha256 in &pruned.contents {
            self.known.stored.remove(sha256);
        }
        Ok(pruned)
    }
}

/// Backup in progress.
struct Run<'m, 'a> {
    maker: &'m mut BackupMaker<'a>,
    files: Vec<StoredFile>,
    copied: (usize, u64),
    unchanged: usize,
}

impl Run<'_, '_> {
    /// Path of a new temporary copy.
    fn staged(&self) -> Result<PathBuf> {
        let path = self.maker.staging.path().join("copy");
        for ending in ["", "-journal", "-wal", "-shm"] {
            let left = self.maker.staging.path().join(format!("copy{ending}"));
            match fs::remove_file(&left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("cannot remove", &left)(error));
                }
                _ => {}
            }
        }
        Ok(path)
    }

    fn database(&mut self) -> Result<Database> {
        if self.maker.storage.database_url.is_some() {
            return Ok(Database::PostgresqlNotIncluded);
        }
        let (source, copy) = (self.maker.storage.data_dir.join("muriel.db"), self.staged()?);
        muriel_sql::file::copy(&source, &copy)?;
        let now = fs::metadata(&source).map_err(failed("cannot inspect", &source))?;
        let content = Digest::of_file(&copy).map_err(failed("cannot read", &copy))?;
        if !self.store(&copy, &content)? {
            return Err(changing(&copy));
        }
        let name = "muriel.db".to_owned();
        self.files.push(StoredFile { name, content, modified_ns: modified_ns(&now), source: None });
        Ok(Database::Included)
    }

    /// Stores a file that is written atomically, if it exists.
    fn small_file(&mut self, name: &str) -> Result<()> {
        match self.file(name, None) {
            Err(error) if is_not_found(&error) => Ok(()),
            other => other,
        }
    }

    /// Stores a content unless the store has it. False when the file has another content.
    fn store(&mut self, path: &Path, content: &Digest) -> Result<bool> {
        if self.maker.known.stored.get(&content.sha256) == Some(&content.bytes) {
            self.unchanged += 1;
            return Ok(true);
        }
        self.maker.lock.check()?;
        if !self.maker.store.put(&content.path(), path, content)? {
            return Ok(false);
        }
        self.maker.known.stored.insert(content.sha256.clone(), content.bytes);
        self.copied = (self.copied.0 + 1, self.copied.1 + content.bytes);
        Ok(true)
    }

    /// Stores a file of the data directory. It is not read if it is unchanged since `before`.
    fn file(&mut self, name: &str, before: Option<&StoredFile>) -> Result<()> {
        let path = self.maker.storage.data_dir.join(name);
        for _ in 0..MAX_ATTEMPTS {
            let now = fs::metadata(&path).map_err(failed("cannot inspect", &path))?;
            let source = SourceState::of(&now);
            let is_stored =
                |file: &StoredFile| self.maker.known.stored.get(&file.content.sha256) == Some(&file.content.bytes);
            if let Some(before) = before.filter(|before| before.is_unchanged(&now) && is_stored(before)) {
                self.files.push(before.clone());
                self.unchanged += 1;
                return Ok(());
            }
            let source = source.filter(|_| is_settled(&now));
            let content = Digest::of_file(&path).map_err(failed("cannot read", &path))?;
            let after = fs::metadata(&path).map_err(failed("cannot inspect", &path))?;
            if SourceState::of(&after) == SourceState::of(&now) && self.store(&path, &content)? {
                self.files.push(StoredFile { name: name.to_owned(), content, modified_ns: modified_ns(&now), source });
                return Ok(());
            }
        }
        Err(changing(&path))
    }

    /// Stores the event log.
    fn log(&mut self, at_database: i64) -> Result<Option<StoredLog>> {
        let before = self.maker.known.newest.clone();
        let stored = &self.maker.known.stored;
        let before_log = before.as_ref().and_then(|manifest| manifest.log.as_ref());
        let is_stored = |one: &&StoredSegment| stored.get(&one.content.sha256) == Some(&one.content.bytes);
        let known: Vec<StoredSegment> =
            before_log.into_iter().flat_map(|log| &log.segments).take_while(is_stored).cloned().collect();
        let segments: Vec<Segment> = known.iter().map(|stored| stored.segment.clone()).collect();
        let before_files: HashMap<&str, &StoredFile> =
            before.iter().flat_map(|manifest| &manifest.files).map(|file| (&*file.name, file)).collect();

        let (others, copied, unchanged) = (self.files.len(), self.copied, self.unchanged);
        for _ in 0..MAX_ATTEMPTS {
            self.files.truncate(others);
            let copy = self.staged()?;
            let (data_dir, compare) = (&self.maker.storage.data_dir, !self.maker.known.is_compared);
            let snapshot = muriel_log::snapshot(data_dir, &segments, compare, &copy).map_err(Error::Log)?;
            let Some(snapshot) = snapshot else { return Ok(None) };
            if let Some(other) = before_log.filter(|log| log.id != snapshot.log) {
                return Err(Error::Refused(format!(
                    "{} has backups of another data directory, with the event log {}; this directory has the event log \
                     {}. Back up each data directory to a separate place",
                    self.maker.store.show(""),
                    other.id,
                    snapshot.log
                )));
            }
            match self.closed_files(&snapshot, &before_files) {
                // Retention deleted a file after it was listed.
                Err(error) if is_not_found(&error) => {}
                Err(error) => return Err(error),
                Ok(()) => return self.segments(snapshot, &known, &copy, at_database).map(Some),
            }
            (self.copied, self.unchanged) = (copied, unchanged);
        }
        let sentence = "files of the event log were deleted while they were copied; make the backup again";
        Err(Error::Refused(sentence.to_owned()))
    }

    fn closed_files(&mut self, snapshot: &LogSnapshot, before: &HashMap<&str, &StoredFile>) -> Result<()> {
        for path in &snapshot.closed {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.file(&name, before.get(&*name).copied())?;
        }
        Ok(())
    }

    fn segments(
        &mut self,
        snapshot: LogSnapshot,
        known: &[StoredSegment],
        copy: &Path,
        at_database: i64,
    ) -> Result<StoredLog> {
        let count = snapshot.segments.len();
        let mut segments = Vec::with_capacity(count);
        for (at, segment) in snapshot.segments.into_iter().enumerate() {
            let content = if snapshot.has_new_segment && at + 1 == count {
                let content = Digest::of_file(copy).map_err(failed("cannot read", copy))?;
                if !self.store(copy, &content)? {
                    return Err(changing(copy));
                }
                content
            } else {
                // Known segments are the first ones.
                self.unchanged += 1;
                known[at].content.clone()
            };
            segments.push(StoredSegment { segment, content });
        }
        let (last, hash) = (snapshot.last.seq, hex(&snapshot.hash));
        Ok(StoredLog { id: snapshot.log, at_database, last, hash, segments })
    }
}

impl StoredFile {
    fn is_unchanged(&self, now: &Metadata) -> bool {
        let is_same = self.source.is_some() && self.source == SourceState::of(now);
        is_same && self.content.bytes == now.len() && self.modified_ns == modified_ns(now)
    }
}

impl SourceState {
    fn of(meta: &Metadata) -> Option<Self> {
        let changed_ns = meta.ctime().checked_mul(1_000_000_000)?.checked_add(meta.ctime_nsec())?;
        Some(Self { device: meta.dev(), inode: meta.ino(), changed_ns })
    }
}

/// Returns whether any later change of the file will have a different change time.
fn is_settled(meta: &Metadata) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = Duration::from_secs(meta.ctime().unsigned_abs());
    now.checked_sub(changed).is_some_and(|age| age > SETTLED)
}

fn modified_ns(meta: &Metadata) -> u64 {
    let modified = meta.modified().unwrap_or(UNIX_EPOCH).duration_since(UNIX_EPOCH);
    // Times before 1970 become 0. The range ends in the year 2554.
    modified.unwrap_or_default().as_nanos() as u64
}

/// Last block of the event log, or 0 if there is none.
fn last_block(data_dir: &Path) -> Result<i64> {
    match LogReader::open(data_dir).and_then(|log| log.last()) {
        Ok(last) => Ok(last.seq),
        Err(muriel_log::Error::Missing { .. }) => Ok(0),
        Err(error) => Err(Error::Log(error)),
    }
}

fn is_not_found(error: &Error) -> bool {
    matches!(error, Error::File { source, .. } if source.kind() == io::ErrorKind::NotFound)
}

fn changing(path: &Path) -> Error {
    Error::Refused(format!("{} changes while it is copied; make the backup again", path.display()))
}

/// Formats a time for messages, without milliseconds: `2026-03-01T09:00:00Z`.
pub(super) fn second(time: Instant) -> String {
    format!("{}Z", &time.to_string()[..19])
}
