//! Verifies every byte of the backups in a store.

use super::manifest::{self, FILES, Manifest};
use super::store::{BackupStore, Digest};
use crate::{Error, Result};
use muriel_domain::Instant;
use std::collections::BTreeMap;
use std::io;

/// Result of a verification without problems.
pub(super) struct VerifiedBackups {
    pub(super) backups: usize,
    pub(super) contents: usize,
    pub(super) bytes: u64,
    /// Time and last block of the newest backup.
    pub(super) newest: (Instant, i64),
}

/// Content with its description and the backups that need it.
struct Needed {
    content: Digest,
    what: String,
    backups: Vec<String>,
}

/// Reads each content that any backup needs, once.
///
/// # Errors
/// [`Error::Refused`] with each damaged or missing file and the backups that need it, and when
/// there is no backup.
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
            let advice = "delete the damaged files and make a new backup, which stores the files that it needs again";
            Err(Error::Refused(format!("{}; {advice}", problems.join("; "))))
        }
        None => Err(no_backup(store)),
        Some(newest) => Ok(VerifiedBackups { backups: ids.len(), contents: needed.len(), bytes, newest }),
    }
}

/// Verifies a content. Returns a message if it is missing or damaged.
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

/// Names the backups that need a content: `the backup A`, or `9 backups, A to B`.
fn which(backups: &[String]) -> String {
    match backups {
        [one] => format!("the backup {one}"),
        [first, .., last] => format!("{} backups, {first} to {last}", backups.len()),
        [] => "no backup".to_owned(),
    }
}

/// Error for a store without a complete backup.
pub(super) fn no_backup(store: &dyn BackupStore) -> Error {
    let place = store.show("");
    match store.list(FILES).map(|files| files.is_empty()) {
        Ok(false) => Error::Refused(format!("there is no complete backup in {place}: one was not finished")),
        _ => Error::Refused(format!("there is no backup in {place}")),
    }
}
