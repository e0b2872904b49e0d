//! Stores of backups: the operations that directories and S3 buckets have in common.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::directory::DirectoryStore;
use super::interrupt;
use super::manifest::hex;
use super::s3::{S3Flags, S3Store};

/// Store of files. Names have the form `folder/name`. A file appears under its name either complete
/// or not at all.
pub(super) trait BackupStore {
    /// Name of a file for messages; of the store itself for an empty name. Contains no secret.
    fn show(&self, name: &str) -> String;

    /// Acquires the store's lock, which is required for changes.
    ///
    /// # Errors
    /// [`Error::Refused`] when another process holds it.
    fn lock(&self) -> Result<Box<dyn StoreLock + '_>>;

    /// Lists all files in a folder, in no particular order.
    fn list(&self, folder: &str) -> Result<Vec<ListedFile>>;

    /// Opens a file for reading. Read errors name it.
    fn open<'s>(&'s self, name: &str, bytes: u64) -> Result<Box<dyn Read + 's>>;

    /// Reads a file; `None` if it does not exist. A file of more than `max` bytes is an error.
    fn read_small(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>>;

    /// Stores the file at `source`. If its content is not `content`, returns false and stores
    /// nothing.
    fn put(&self, name: &str, source: &Path, content: &Digest) -> Result<bool>;

    /// Stores a small file. It is durable on return, as are all files stored before.
    fn put_small(&self, name: &str, bytes: &[u8]) -> Result<()>;

    /// Removes a file, if there is one.
    fn remove(&self, name: &str) -> Result<()>;
}

/// Lock that is held. Dropping it releases it.
pub(super) trait StoreLock {
    /// Checks that the lock is still held. Otherwise nothing may be changed.
    ///
    /// # Errors
    /// [`Error::Refused`] when it may have been lost.
    fn check(&self) -> Result<()>;
}

/// File in a folder of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedFile {
    /// Name in the folder.
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// Length and SHA-256 of a content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Digest {
    pub(super) bytes: u64,
    /// In hexadecimal, lower case.
    pub(super) sha256: String,
}

impl Digest {
    /// Copies `from` to `to`, and returns the digest of the copied bytes.
    pub(super) fn copy(mut from: impl Read, to: &mut dyn Write) -> io::Result<Self> {
        let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 18]);
        loop {
            interrupt::check_io()?;
            let read = match from.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if read == 0 {
                return Ok(Self { bytes, sha256: hex(&hash.finalize()) });
            }
            hash.update(&buffer[..read]);
            to.write_all(&buffer[..read])?;
            bytes += read as u64;
        }
    }

    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        Self::copy(File::open(path)?, &mut io::sink())
    }

    /// Message about the difference from the expected digest; `None` if they are equal.
    pub(super) fn problem(&self, found: &Self) -> Option<String> {
        if found.bytes != self.bytes {
            Some(format!("it has {} bytes, not {}", found.bytes, self.bytes))
        } else if found.sha256 != self.sha256 {
            Some("it is damaged: its checksum does not match".to_owned())
        } else {
            None
        }
    }
}

/// Opens the store at an address: `s3://bucket/prefix`, or the path of a directory.
///
/// # Errors
/// An invalid address, and missing credentials.
pub(super) fn at(address: &str, flags: &S3Flags) -> Result<Box<dyn BackupStore>> {
    match address.split_once("://") {
        Some(("s3", rest)) => Ok(Box::new(S3Store::open(rest, flags)?)),
        Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => Err(Error::Refused(format!(
            "{scheme}:// is not a place for backups; name a directory or s3://bucket/prefix"
        ))),
        _ if address.is_empty() => Err(Error::Refused("name a directory or s3://bucket/prefix".to_owned())),
        _ => Ok(Box::new(DirectoryStore::new(Path::new(address)))),
    }
}
