//! Backups of the data directory, made while the server runs, and restoring them.
//!
//! A backup is a directory with `backup.json`, which lists the files with their digests,
//! and `files/`, which has each under its digest. `backup.json` is replaced last and in one
//! step, so a backup that was interrupted leaves the one before it as it was.

mod manifest;
#[cfg(test)]
mod tests;

use crate::config::{Common, StorageSettings};
use crate::say::say;
use crate::{Error, Result};
use clap::{Args, Subcommand};
use manifest::{Database, Manifest, StoredFile, digest};
use muriel_log::LogSnapshot;
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Attempts before a backup gives up because retention deletes the files that it copies.
const MAX_ATTEMPTS: u32 = 3;

/// `muriel backup …`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Backup {
    #[command(subcommand)]
    command: Option<BackupCommand>,
    /// Directory of the backup. A later backup to the same directory replaces it and copies only what is new.
    #[arg(long, value_name = "PATH", required = true)]
    to: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum BackupCommand {
    /// Check every byte of a backup against its checksums.
    Verify {
        /// Directory of the backup.
        path: PathBuf,
    },
}

/// `muriel restore`
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Directory of the backup.
    #[arg(long, value_name = "PATH")]
    from: PathBuf,
    /// The data directory to make. It must be missing or empty.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
}

impl Backup {
    pub(crate) fn run(self) -> Result<()> {
        match (self.command, self.to) {
            (Some(BackupCommand::Verify { path }), _) => {
                let manifest = verify(&path)?;
                say!(
                    "The backup is whole: {} files, events up to block {}.",
                    manifest.files.len(),
                    manifest.log_position
                )
            }
            (None, Some(to)) => back_up(&StorageSettings::load(&self.common)?, &to),
            (None, None) => Err(Error::Refused("name the directory of the backup with --to".to_owned())),
        }
    }
}

impl Restore {
    pub(crate) fn run(self) -> Result<()> {
        let manifest = restore(&self.from, &self.data_dir)?;
        say!("Restored {} with the events up to block {}.", self.data_dir.display(), manifest.log_position)?;
        if manifest.database == Database::PostgresqlNotIncluded {
            say!("The PostgreSQL database is not part of it: restore that with PostgreSQL's own tools.")?;
        }
        if !manifest.files.iter().any(|file| file.name == "pepper") {
            say!("The pepper is not part of it: name its file with --pepper-file, or API keys are refused.")?;
        }
        Ok(())
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { doing, path, source }
}

fn refuse_addresses(path: &Path) -> Result<()> {
    if path.to_string_lossy().starts_with("s3://") {
        let sentence = "backups to S3 addresses are not supported; make the backup in a directory and copy that";
        return Err(Error::Refused(sentence.to_owned()));
    }
    Ok(())
}

fn back_up(place: &StorageSettings, to: &Path) -> Result<()> {
    let (manifest, copied) = make(place, to)?;
    let reused = manifest.files.len() - copied;
    say!("Backed up events up to block {}: {copied} files copied, {reused} unchanged.", manifest.log_position)?;
    if manifest.database == Database::PostgresqlNotIncluded {
        say!("The PostgreSQL database with the experiments and keys is not included: back it up with pg_dump.")?;
    }
    if manifest.files.iter().any(|file| file.name == "pepper") {
        say!("The backup includes the pepper of the API keys: keep it as secret as the data directory.")?;
    } else {
        say!("The pepper of the API keys is not in the data directory and not included: keep a copy of it.")?;
    }
    Ok(())
}

/// Makes or renews the backup in `to`; it and the number of files that were copied.
fn make(place: &StorageSettings, to: &Path) -> Result<(Manifest, usize)> {
    refuse_addresses(to)?;
    let data_dir = &place.data_dir;
    let has_database = data_dir.join("muriel.db").exists();
    if !has_database && place.database_url.is_none() {
        let sentence = format!("there is no Muriel data in {}; name it with --data-dir", data_dir.display());
        return Err(Error::Refused(sentence));
    }
    fs::create_dir_all(to.join("files")).map_err(failed("cannot make", to))?;
    let _lock = lock(to)?;
    // A damaged manifest does not keep a new backup from being made, from nothing.
    let before = Manifest::read(to).ok().flatten().map(|manifest| manifest.files).unwrap_or_default();
    let mut run = Run { data_dir, to, before, files: Vec::new(), copied: 0 };

    // The database first: the log then has every block that the database knows of.
    let database = if place.database_url.is_some() {
        Database::PostgresqlNotIncluded
    } else {
        let partial = run.partial()?;
        let source = data_dir.join("muriel.db");
        muriel_sql::file::copy(&source, &partial)?;
        run.store("muriel.db", &partial, &source)?;
        Database::Included
    };
    if place.pepper_file == data_dir.join("pepper") {
        run.copy_if_present("pepper")?;
    }
    run.copy_if_present("node.json")?;
    let log_position = run.log()?;

    let manifest = Manifest::new(database, log_position, run.files);
    flush_directory(&to.join("files"))?;
    manifest.write(to)?;
    remove_unlisted(to, &manifest)?;
    Ok((manifest, run.copied))
}

/// A backup that is being made.
struct Run<'a> {
    data_dir: &'a Path,
    to: &'a Path,
    before: Vec<StoredFile>,
    files: Vec<StoredFile>,
    copied: usize,
}

impl Run<'_> {
    /// The path of a file that is not complete yet; what an interrupted backup left is removed.
    fn partial(&self) -> Result<PathBuf> {
        let path = self.to.join("files/partial");
        for ending in ["", "-journal", "-wal", "-shm"] {
            let left = self.to.join(format!("files/partial{ending}"));
            match fs::remove_file(&left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("cannot remove", &left)(error));
                }
                _ => {}
            }
        }
        Ok(path)
    }

    /// Moves a complete copy of `source` to its final name.
    fn store(&mut self, name: &str, partial: &Path, source: &Path) -> Result<()> {
        let modified_ns = modified_ns(source).map_err(failed("cannot look at", source))?;
        let mut file = File::open(partial).map_err(failed("cannot read", partial))?;
        let digested = digest(&mut file, &mut io::sink()).and_then(|digest| file.sync_all().map(|()| digest));
        let (bytes, sha256) = digested.map_err(failed("cannot read", partial))?;
        let stored = StoredFile { name: name.to_owned(), bytes, sha256, modified_ns };
        fs::rename(partial, stored.path(self.to)).map_err(failed("cannot rename", partial))?;
        self.files.push(stored);
        self.copied += 1;
        Ok(())
    }

    fn copy(&mut self, name: &str) -> Result<()> {
        let (source, partial) = (self.data_dir.join(name), self.partial()?);
        fs::copy(&source, &partial).map_err(failed("cannot copy", &source))?;
        self.store(name, &partial, &source)
    }

    fn copy_if_present(&mut self, name: &str) -> Result<()> {
        match self.copy(name) {
            Err(Error::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Copies the event log; its last block.
    fn log(&mut self) -> Result<i64> {
        let (others, copied) = (self.files.len(), self.copied);
        for _ in 0..MAX_ATTEMPTS {
            self.files.truncate(others);
            self.copied = copied;
            let partial = self.partial()?;
            let Some(snapshot) = muriel_log::snapshot(self.data_dir, &partial).map_err(Error::Log)? else {
                return Ok(0);
            };
            if snapshot.has_active {
                self.store("log.db", &partial, &self.data_dir.join("log.db"))?;
            }
            match self.closed_files(&snapshot) {
                // Retention deleted a file after it was listed.
                Err(Error::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                other => return other.map(|()| snapshot.last.seq),
            }
        }
        let sentence = "files of the event log were deleted while they were copied; make the backup again";
        Err(Error::Refused(sentence.to_owned()))
    }

    fn closed_files(&mut self, snapshot: &LogSnapshot) -> Result<()> {
        for path in &snapshot.closed {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match self.unchanged(&name, path)? {
                Some(stored) => self.files.push(stored),
                None => self.copy(&name)?,
            }
        }
        Ok(())
    }

    /// The copy of a closed file in the backup before, if the file has the same length and
    /// modification time as then.
    fn unchanged(&self, name: &str, path: &Path) -> Result<Option<StoredFile>> {
        let failed = failed("cannot look at", path);
        let Some(stored) = self.before.iter().find(|file| file.name == name) else { return Ok(None) };
        let (now, modified_ns) = fs::metadata(path).and_then(|now| Ok((now, modified_ns(path)?))).map_err(failed)?;
        let is_stored = fs::metadata(stored.path(self.to)).is_ok_and(|file| file.len() == stored.bytes);
        let is_same = now.len() == stored.bytes && modified_ns == stored.modified_ns;
        Ok((is_stored && is_same).then(|| stored.clone()))
    }
}

/// Removes what the backup before had and this one has not.
fn remove_unlisted(dir: &Path, manifest: &Manifest) -> Result<()> {
    let listed: HashSet<&str> = manifest.files.iter().map(|file| &*file.sha256).collect();
    let files = dir.join("files");
    for entry in fs::read_dir(&files).map_err(failed("cannot list", &files))? {
        let entry = entry.map_err(failed("cannot list", &files))?;
        if !entry.file_name().to_str().is_some_and(|name| listed.contains(name)) {
            fs::remove_file(entry.path()).map_err(failed("cannot remove", &entry.path()))?;
        }
    }
    Ok(())
}

/// Keeps two backups from being made in the same directory at once.
fn lock(dir: &Path) -> Result<File> {
    let path = dir.join("lock");
    let file = File::options().create(true).append(true).open(&path).map_err(failed("cannot open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Error::Refused(format!("another backup to {} is being made; wait until it ends", dir.display())))
        }
        Err(TryLockError::Error(error)) => Err(failed("cannot lock", &path)(error)),
    }
}

/// The manifest of a backup.
fn open(dir: &Path) -> Result<Manifest> {
    refuse_addresses(dir)?;
    Manifest::read(dir)?.ok_or_else(|| {
        let sentence = format!("there is no complete backup in {}: backup.json is missing", dir.display());
        Error::Refused(sentence)
    })
}

fn verify(dir: &Path) -> Result<Manifest> {
    let manifest = open(dir)?;
    let mut problems = Vec::new();
    for stored in &manifest.files {
        let path = stored.path(dir);
        let checked = File::open(&path).and_then(|file| stored.copy_checked(file, &mut io::sink()));
        match checked {
            Ok(problem) => problems.extend(problem.map(|problem| format!("{}: {problem}", path.display()))),
            Err(error) => problems.push(format!("{}: {} cannot be read: {error}", path.display(), stored.name)),
        }
    }
    if problems.is_empty() { Ok(manifest) } else { Err(Error::Refused(problems.join("; "))) }
}

fn restore(from: &Path, data_dir: &Path) -> Result<Manifest> {
    let manifest = open(from)?;
    match fs::read_dir(data_dir).map(|mut entries| entries.next().is_some()) {
        Ok(false) => {}
        Ok(true) => {
            let sentence = format!("{} is not empty; name a new directory with --data-dir", data_dir.display());
            return Err(Error::Refused(sentence));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed("cannot list", data_dir)(error)),
    }
    // Made beside and renamed, so that nobody takes a part of it for the whole.
    let path = std::path::absolute(data_dir).map_err(failed("cannot find", data_dir))?;
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(failed("cannot make", parent))?;
    let beside = tempfile::Builder::new().prefix(".muriel-restore-").tempdir_in(parent);
    let beside = beside.map_err(failed("cannot make a directory in", parent))?;
    for stored in &manifest.files {
        restore_file(stored, &stored.path(from), &beside.path().join(&stored.name))?;
    }
    flush_directory(beside.path())?;
    fs::rename(beside.path(), &path).map_err(failed("cannot rename the restored directory to", &path))?;
    flush_directory(parent)?;
    // It has been renamed, so there is nothing to delete.
    let _ = beside.keep();
    Ok(manifest)
}

fn restore_file(stored: &StoredFile, from: &Path, to: &Path) -> Result<()> {
    let source = File::open(from).map_err(failed("cannot read", from))?;
    let mut file = File::create_new(to).map_err(failed("cannot create", to))?;
    if let Some(problem) = stored.copy_checked(source, &mut file).map_err(failed("cannot write", to))? {
        return Err(Error::Refused(format!("the backup cannot be restored: {}: {problem}", from.display())));
    }
    let modified = UNIX_EPOCH.checked_add(Duration::from_nanos(stored.modified_ns)).unwrap_or(SystemTime::now());
    file.set_modified(modified).and_then(|()| file.sync_all()).map_err(failed("cannot write", to))
}

fn modified_ns(path: &Path) -> io::Result<u64> {
    let modified = fs::metadata(path)?.modified()?;
    // Before 1970 counts as 1970; the number of nanoseconds suffices until the year 2554.
    Ok(modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64)
}

/// Flushes a directory, so that created and renamed files survive a power failure.
fn flush_directory(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed("cannot flush", dir))
}
