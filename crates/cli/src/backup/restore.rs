//! Restores a data directory from a backup.

use super::directory::{failed, flush_directory};
use super::interrupt;
use super::manifest::{self, Manifest, StoredFile, StoredLog, hex};
use super::store::{BackupStore, Digest};
use super::verify::no_backup;
use crate::scratch::{HeldDirectory, Purpose};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_log::{LogReader, Position};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Result of a restoration.
pub(super) struct Restored {
    /// Backup that the database was restored from.
    pub(super) manifest: Manifest,
    /// Last block of the event log, or 0 if there is none.
    pub(super) log_position: i64,
    /// Time at which that block was received.
    pub(super) received_at: Option<Instant>,
}

/// Backups to restore from.
struct Choice {
    /// Backup for the database and everything but the log.
    database: Manifest,
    /// Backup for the log, if another one has more of it.
    log: Option<Manifest>,
}

/// Creates the data directory `data_dir` from the newest backup, or with the state at `until`.
pub(super) fn restore(store: &dyn BackupStore, until: Option<Instant>, data_dir: &Path) -> Result<Restored> {
    // Report missing backups before content that would be overwritten.
    let choice = choose(store, until)?;
    refuse_content(data_dir)?;
    // Created in a temporary directory and renamed, so that a partial result is never taken for a
    // complete one.
    let path = std::path::absolute(data_dir).map_err(failed("cannot find", data_dir))?;
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(failed("cannot create", parent))?;
    let beside = HeldDirectory::new_in(Purpose::Restore, parent)?;

    let Choice { database: manifest, log } = choice;
    for stored in manifest.files.iter().filter(|file| !is_log(file)) {
        restore_file(store, stored, &beside.path().join(&stored.name))?;
    }
    let last = restore_log(store, log.as_ref().unwrap_or(&manifest), beside.path())?;
    if let (Some(later), Some(own)) = (&log, &manifest.log)
        && !has_last_block(beside.path(), own)?
    {
        return Err(Error::Refused(format!(
            "the event log of the backup made at {} does not continue that of the one made at {}: another backup was \
             restored in between. To restore the earlier one completely, use --until {1}",
            later.made_at, manifest.made_at
        )));
    }
    let last = match (until, &last) {
        (Some(until), Some(_)) => cut(manifest.log.as_ref(), until, beside.path())?,
        _ => last.map_or(0, |log| log.last),
    };
    let received_at = if last == 0 { None } else { received_at(beside.path(), last) };
    flush_directory(beside.path())?;
    fs::rename(beside.path(), &path).map_err(failed("cannot rename the restored directory to", &path))?;
    flush_directory(parent)?;
    // It was renamed, so there is nothing to delete.
    beside.keep();
    Ok(Restored { manifest, log_position: last, received_at })
}

fn refuse_content(data_dir: &Path) -> Result<()> {
    match fs::read_dir(data_dir).map(|mut entries| entries.next().is_some()) {
        Ok(false) => Ok(()),
        Ok(true) => {
            let sentence = format!("{} is not empty; name a new directory with --data-dir", data_dir.display());
            Err(Error::Refused(sentence))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed("cannot list", data_dir)(error)),
    }
}

/// Chooses the newest backup. For a time, chooses the newest one made until then and the next one,
/// whose log has the events in between.
fn choose(store: &dyn BackupStore, until: Option<Instant>) -> Result<Choice> {
    let ids = manifest::list(store)?;
    let Some(newest) = ids.last() else { return Err(no_backup(store)) };
    let Some(until) = until else {
        return Ok(Choice { database: Manifest::read(store, newest)?, log: None });
    };
    // Ids have a precision of seconds and can be later than the time of the backup, but never
    // earlier.
    let mut next = None;
    for id in ids.iter().rev() {
        let manifest = Manifest::read(store, id)?;
        if manifest.made_at <= until {
            let log = next.filter(|_| manifest.made_at < until);
            return Ok(Choice { database: manifest, log });
        }
        next = Some(manifest);
    }
    let oldest = next.map(|manifest| manifest.made_at.to_string()).unwrap_or_default();
    Err(Error::Refused(format!(
        "the oldest backup in {} was made at {oldest}, after {until}; name a later time with --until",
        store.show("")
    )))
}

fn is_log(file: &StoredFile) -> bool {
    file.name.starts_with("log")
}

fn restore_file(store: &dyn BackupStore, stored: &StoredFile, to: &Path) -> Result<()> {
    let file = restore_content(store, &stored.content, to)?;
    let modified = UNIX_EPOCH.checked_add(Duration::from_nanos(stored.modified_ns)).unwrap_or(SystemTime::now());
    file.set_modified(modified).and_then(|()| file.sync_all()).map_err(failed("cannot write", to))
}

/// Copies a content to the new file `to`, without flushing it.
fn restore_content(store: &dyn BackupStore, content: &Digest, to: &Path) -> Result<File> {
    let mut file = File::create_new(to).map_err(failed("cannot create", to))?;
    let place = || store.show(&content.path());
    let unusable = |problem: String| Error::Refused(format!("the backup cannot be restored: {}: {problem}", place()));
    let mut source = Source { from: store.open(&content.path(), content.bytes)?, has_failed: false };
    match Digest::copy(&mut source, &mut file) {
        Err(_) if interrupt::is_asked() => Err(Error::Interrupted),
        Err(error) if source.has_failed => Err(unusable(error.to_string())),
        Err(error) => Err(failed("cannot write", to)(error)),
        Ok(found) => match content.problem(&found) {
            Some(problem) => Err(unusable(problem)),
            None => Ok(file),
        },
    }
}

/// Reader that records whether an error came from reading.
struct Source<R> {
    from: R,
    has_failed: bool,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.from.read(to).inspect_err(|error| self.has_failed |= error.kind() != ErrorKind::Interrupted)
    }
}

/// Restores the event log, and checks that it ends as in the manifest.
fn restore_log<'m>(store: &dyn BackupStore, manifest: &'m Manifest, dir: &Path) -> Result<Option<&'m StoredLog>> {
    for stored in manifest.files.iter().filter(|file| is_log(file)) {
        restore_file(store, stored, &dir.join(&stored.name))?;
    }
    let Some(log) = &manifest.log else { return Ok(None) };
    for stored in &log.segments {
        let segment = dir.join("segment");
        restore_content(store, &stored.content, &segment)?.sync_all().map_err(failed("cannot write", &segment))?;
        muriel_log::append_segment(dir, &segment).map_err(Error::Log)?;
    }
    if !has_last_block(dir, log)? {
        return Err(Error::Damaged(format!("block {} is missing or differs from the backup's manifest", log.last)));
    }
    Ok(Some(log))
}

/// Returns whether the restored log has the last block of `log`.
fn has_last_block(dir: &Path, log: &StoredLog) -> Result<bool> {
    if log.last == 0 {
        return Ok(true);
    }
    let found = LogReader::open(dir).and_then(|reader| reader.hash_at(Position { seq: log.last }));
    Ok(found.map_err(Error::Log)?.is_some_and(|hash| hex(&hash) == log.hash))
}

/// Cuts the restored log at a time. Blocks that existed when the database was copied are kept,
/// whatever their times.
fn cut(database: Option<&StoredLog>, until: Instant, dir: &Path) -> Result<i64> {
    let keep = Position { seq: database.map_or(0, |log| log.at_database) };
    Ok(muriel_log::cut(dir, keep, until).map_err(Error::Log)?.seq)
}

/// Time at which a block was received.
fn received_at(dir: &Path, seq: i64) -> Option<Instant> {
    let reader = LogReader::open(dir).ok()?;
    reader.blocks(Position { seq: seq - 1 }).ok()?.next()?.ok().map(|block| block.received_at)
}
