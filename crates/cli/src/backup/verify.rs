//! Checking every byte of the backups in a place.

use super::manifest::{self, FILES, Manifest};
use super::store::{BackupStore, Digest};
use crate::{Error, Result};
use muriel_domain::Instant;
use std::collections::BTreeMap;
use std::io;

/// What was found to be whole.
pub(super) struct VerifiedBackups {
    pub(super) backups: usize,
    pub(super) contents: usize,
    pub(super) bytes: u64,
    /// When the newest was made, and its last block.
    pub(super) newest: (Instant, i64),
}

/// A content, with what it is and the backups that need it.
struct Needed {
    content: Digest,
    what: String,
    backups: Vec<String>,
}

/// Reads each content that a backup needs, once.
///
/// # Errors
/// [`Error::Refused`], which names each file that is damaged or missing and the backups that need
/// it, and when there is no backup.
pub(super) fn verify(store: &dyn BackupStore) -> Result<VerifiedBackups> {
    let ids = manifest::list(store)?;
    let mut problems = Vec::new();
    let (mut needed, mut newest): (BTreeMap<String, Needed>, _) = (BTreeMap::new(), None);
    for id in &ids {
        let manifest = match Manifest::read(store, id) {
            Ok(manifest) => manifest,
            Err(Error::Refused(problem)) => {
                problems.push(problem);
                continue;
            }
            Err(error) => return Err(error),
        };
        newest = Some((manifest.made_at, manifest.log_position()));
        for (what, content) in manifest.contents() {
            let entry = needed.entry(content.sha256.clone());
            let entry = entry.or_insert_with(|| Needed { content: content.clone(), what, backups: Vec::new() });
            entry.backups.push(id.to_string());
        }
    }
    let mut bytes = 0;
    for Needed { content, what, backups } in needed.values() {
        bytes += content.bytes;
        if let Some(problem) = check(store, content)? {
            let place = store.show(&content.path());
            problems.push(format!("{place} ({what} of {}): {problem}", which(backups)));
        }
    }
    match newest {
        _ if !problems.is_empty() => {
            let advice = "delete what is damaged and make a new backup, which stores again what it needs";
            Err(Error::Refused(format!("{}; {advice}", problems.join("; "))))
        }
        None => Err(no_backup(store)),
        Some(newest) => Ok(VerifiedBackups { backups: ids.len(), contents: needed.len(), bytes, newest }),
    }
}

/// What is wrong with a content, if anything.
fn check(store: &dyn BackupStore, content: &Digest) -> Result<Option<String>> {
    let found = store.open(&content.path(), content.bytes).map(|read| Digest::copy(read, &mut io::sink()));
    match found {
        Ok(Ok(found)) => Ok(content.problem(&found)),
        _ if super::interrupt::is_asked() => Err(Error::Interrupted),
        Ok(Err(error)) => Ok(Some(error.to_string())),
        Err(Error::File { source, .. }) => Ok(Some(missing_or(source))),
        Err(Error::Refused(problem)) => Ok(Some(problem)),
        Err(error) => Err(error),
    }
}

fn missing_or(error: io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        "it is missing".to_owned()
    } else {
        format!("it cannot be read: {error}")
    }
}

/// `the backup A`, `the backups A, B and 7 others`.
fn which(backups: &[String]) -> String {
    match backups {
        [one] => format!("the backup {one}"),
        [first, .., last] => format!("{} backups, {first} to {last}", backups.len()),
        [] => "no backup".to_owned(),
    }
}

/// There is no complete backup here.
pub(super) fn no_backup(store: &dyn BackupStore) -> Error {
    let place = store.show("");
    match store.list(FILES).map(|files| files.is_empty()) {
        Ok(false) => Error::Refused(format!("there is no complete backup in {place}: one was begun, and did not end")),
        _ => Error::Refused(format!("there is no backup in {place}")),
    }
}
