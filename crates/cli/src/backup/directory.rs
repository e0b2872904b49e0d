//! Backups in a directory.

use super::store::{BackupStore, Digest, ListedFile, StoreLock};
use crate::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Name of a file that is not complete. Only the holder of the lock writes it.
const PARTIAL: &str = "partial";

pub(super) struct DirectoryStore {
    dir: PathBuf,
}

/// Locked lock file.
struct DirectoryLock {
    _file: File,
}

impl StoreLock for DirectoryLock {
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { doing, path, source }
}

/// Flushes a directory, so that created and renamed files survive a power failure.
pub(super) fn flush_directory(dir: &Path) -> Result<()> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed("cannot flush", dir))
}

impl DirectoryStore {
    pub(super) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// Writes a file under a temporary name and flushes it. Renames it if `write`
    /// returns true, otherwise removes it.
    fn replace(&self, name: &str, write: impl FnOnce(&mut File) -> io::Result<bool>) -> Result<bool> {
        let path = self.dir.join(name);
        let folder = path.parent().unwrap_or(&self.dir);
        fs::create_dir_all(folder).map_err(failed("cannot create", folder))?;
        let partial = folder.join(PARTIAL);
        let mut file = File::create(&partial).map_err(failed("cannot create", &partial))?;
        let is_whole = write(&mut file).and_then(|is_whole| file.sync_all().map(|()| is_whole));
        match is_whole {
            Ok(true) => fs::rename(&partial, &path).map_err(failed("cannot rename", &partial))?,
            Ok(false) => fs::remove_file(&partial).map_err(failed("cannot remove", &partial))?,
            Err(error) => {
                // Do not keep a full disk full.
                let _ = fs::remove_file(&partial);
                return Err(failed("cannot write", &path)(error));
            }
        }
        Ok(is_whole.unwrap_or(false))
    }
}

impl BackupStore for DirectoryStore {
    fn show(&self, name: &str) -> String {
        if name.is_empty() { self.dir.display().to_string() } else { self.dir.join(name).display().to_string() }
    }

    fn lock(&self) -> Result<Box<dyn StoreLock + '_>> {
        fs::create_dir_all(&self.dir).map_err(failed("cannot create", &self.dir))?;
        let path = self.dir.join("lock");
        let file = File::options().create(true).append(true).open(&path).map_err(failed("cannot open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Box::new(DirectoryLock { _file: file })),
            Err(TryLockError::WouldBlock) => Err(Error::Refused(format!(
                "another backup to {} is being made or pruned; wait until it ends",
                self.dir.display()
            ))),
            Err(TryLockError::Error(error)) => Err(failed("cannot lock", &path)(error)),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<ListedFile>> {
        let path = self.dir.join(folder);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(failed("cannot list", &path))?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed("cannot list", &path))?;
            let meta = entry.metadata().map_err(failed("cannot inspect", &entry.path()))?;
            if let (true, Ok(name)) = (meta.is_file(), entry.file_name().into_string()) {
                files.push(ListedFile { name, bytes: meta.len() });
            }
        }
        Ok(files)
    }

    fn open<'s>(&'s self, name: &str, _: u64) -> Result<Box<dyn Read + 's>> {
        let path = self.dir.join(name);
        Ok(Box::new(File::open(&path).map_err(failed("cannot read", &path))?))
    }

    fn read_small(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>> {
        let path = self.dir.join(name);
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed("cannot read", &path))?,
        };
        let mut bytes = Vec::new();
        file.take(max + 1).read_to_end(&mut bytes).map_err(failed("cannot read", &path))?;
        if bytes.len() as u64 > max {
            return Err(Error::Refused(format!("{} is larger than {max} bytes", path.display())));
        }
        Ok(Some(bytes))
    }

    fn put(&self, name: &str, source: &Path, content: &Digest) -> Result<bool> {
        let from = File::open(source).map_err(failed("cannot read", source))?;
        self.replace(name, |file| Ok(Digest::copy(from, file)? == *content))
    }

    fn put_small(&self, name: &str, bytes: &[u8]) -> Result<()> {
        // The directory entries of the files that it lists must be durable before it
        // is.
        for folder in [super::manifest::FILES, ""] {
            let folder = self.dir.join(folder);
            if folder.exists() {
                flush_directory(&folder)?;
            }
        }
        self.replace(name, |file| file.write_all(bytes).map(|()| true))?;
        let path = self.dir.join(name);
        flush_directory(path.parent().unwrap_or(&self.dir))?;
        flush_directory(&self.dir)
    }

    fn remove(&self, name: &str) -> Result<()> {
        let path = self.dir.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("cannot remove", &path)(error)),
            _ => Ok(()),
        }
    }
}
