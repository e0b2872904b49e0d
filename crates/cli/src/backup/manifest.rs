//! Manifests of backups: `backups/<id>.json`.

use super::store::{BackupStore, Digest};
use crate::{Error, Result};
use muriel_domain::Instant;
use muriel_log::{LogId, Segment};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Folder of manifests. A manifest is written last, so a backup is complete once its manifest
/// exists.
pub(super) const BACKUPS: &str = "backups/";
/// Folder of contents. Each file is named by its SHA-256.
pub(super) const FILES: &str = "files/";
/// Format version that this program writes and reads.
const FORMAT: u32 = 2;
/// Maximum size of a manifest, in bytes. An entry takes about 400 bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Manifest: one line of JSON, and its SHA-256 in a second line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: u32,
    /// Time after the database was copied. The copy has no later change, and the event log has at
    /// least every event acknowledged before.
    pub(super) made_at: Instant,
    pub(super) database: Database,
    /// `None` if there was no event log.
    pub(super) log: Option<StoredLog>,
    pub(super) files: Vec<StoredFile>,
}

/// Location of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Database {
    /// In the backup.
    Included,
    /// In a PostgreSQL database, which is backed up separately.
    PostgresqlNotIncluded,
}

/// Event log. Its closed files are among the manifest's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredLog {
    pub(super) id: LogId,
    /// Last block at the time of the database copy, or a later one.
    pub(super) at_database: i64,
    /// Last block.
    pub(super) last: i64,
    /// Hash of the last block, in hexadecimal.
    pub(super) hash: String,
    /// Blocks of the active file, oldest first.
    pub(super) segments: Vec<StoredSegment>,
}

/// Part of the log's active file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredSegment {
    pub(super) segment: Segment,
    pub(super) content: Digest,
}

/// File of the data directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredFile {
    /// Name in the data directory.
    pub(super) name: String,
    pub(super) content: Digest,
    /// Modification time in nanoseconds since 1970 UTC. Retention relies on that of closed log
    /// files.
    pub(super) modified_ns: u64,
    /// State that shows whether the file has been written since it was read. `None` if it was read
    /// too soon after a write to tell.
    pub(super) source: Option<SourceState>,
}

/// Device, inode and change time of a file. Writing to the file or replacing it changes them, even
/// if its name, length and modification time stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceState {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) changed_ns: i64,
}

/// Id of a backup, whose manifest is `backups/2026-03-01T090000Z.json`. Ids sort by time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BackupId(String);

impl BackupId {
    /// Id for a backup made at this time. It sorts after `newest`.
    pub(super) fn new(made_at: Instant, newest: Option<&BackupId>) -> Self {
        let mut second = made_at.us().div_euclid(1_000_000);
        if let Some(newest) = newest.and_then(BackupId::second) {
            second = second.max(newest + 1);
        }
        let text = Instant::from_us(second * 1_000_000).to_string();
        Self(format!("{}Z", text[..19].replace(':', "")))
    }

    /// Parses the id in the name of a file in [`BACKUPS`].
    pub(super) fn parse(name: &str) -> Option<Self> {
        let id = Self(name.strip_suffix(".json")?.to_owned());
        id.second().is_some().then_some(id)
    }

    fn second(&self) -> Option<i64> {
        let text = &self.0;
        if text.len() != 18 || !text.is_ascii() {
            return None;
        }
        let time = format!("{}:{}:{}", &text[..13], &text[13..15], &text[15..]);
        Instant::parse(&time).ok().map(|time| time.us() / 1_000_000)
    }

    pub(super) fn path(&self) -> String {
        format!("{BACKUPS}{}.json", self.0)
    }

    /// Day in UTC: `2026-03-01`.
    pub(super) fn day(&self) -> &str {
        &self.0[..10]
    }
}

impl std::fmt::Display for BackupId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

/// Lists the backups in a store, oldest first.
///
/// # Errors
/// When the store cannot be listed.
pub(super) fn list(store: &dyn BackupStore) -> Result<Vec<BackupId>> {
    let mut ids: Vec<_> = store.list(BACKUPS)?.iter().filter_map(|file| BackupId::parse(&file.name)).collect();
    ids.sort();
    Ok(ids)
}

impl Manifest {
    pub(super) fn new(made_at: Instant, database: Database, log: Option<StoredLog>, files: Vec<StoredFile>) -> Self {
        // Rounded up to milliseconds, the precision of the text form: a time that is too early
        // would promise too much.
        let made_at = Instant::from_us((made_at.us() + 999) / 1_000 * 1_000);
        Self { format: FORMAT, made_at, database, log, files }
    }

    /// Reads and checks a manifest.
    /// \n
    /// # Errors
    /// A file that is missing, cannot be read, is damaged, or has another format.
    pub(super) fn read(store: &dyn BackupStore, id: &BackupId) -> Result<Self> {
        let place = store.show(&id.path());
        let text = store.read_small(&id.path(), MAX_BYTES)?;
        let text = text.ok_or_else(|| Error::Refused(format!("{place} is missing")))?;
        let damaged = || Error::Refused(format!("{place} is damaged: its checksum does not match"));
        let end = text.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
        let (line, rest) = text.split_at(end);
        if rest != format!("\n{}\n", hex(&Sha256::digest(line))).as_bytes() {
            return Err(damaged());
        }
        let unfit = |problem: String| Error::Refused(format!("{place} cannot be used: {problem}"));
        // Read the format first: other formats have other fields.
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let format: Format = serde_json::from_slice(line).map_err(|error| unfit(error.to_string()))?;
        if format.format != FORMAT {
            return Err(unfit(format!("it has format {}, but this program reads only format {FORMAT}", format.format)));
        }
        let manifest: Self = serde_json::from_slice(line).map_err(|error| unfit(error.to_string()))?;
        if let Some(file) = manifest.files.iter().find(|file| !file.is_safe()) {
            return Err(unfit(format!("{:?} is not the name of a file in a data directory", file.name)));
        }
        if let Some((name, _)) = manifest.contents().find(|(_, content)| !content.is_safe()) {
            return Err(unfit(format!("the checksum of {name} is not a SHA-256")));
        }
        Ok(manifest)
    }

    /// Writes the manifest, which completes the backup.
    pub(super) fn write(&self, store: &dyn BackupStore, id: &BackupId) -> Result<()> {
        let line = serde_json::to_string(self).map_err(|error| Error::Other(error.into()))?;
        let text = format!("{line}\n{}\n", hex(&Sha256::digest(&line)));
        store.put_small(&id.path(), text.as_bytes())
    }

    /// All contents, each with a description.
    pub(super) fn contents(&self) -> impl Iterator<Item = (String, &Digest)> {
        let files = self.files.iter().map(|file| (file.name.clone(), &file.content));
        let segments = self.log.iter().flat_map(|log| &log.segments).map(|stored| {
            let Segment { after, last, .. } = stored.segment;
            (format!("blocks {} to {last} of log.db", after + 1), &stored.content)
        });
        files.chain(segments)
    }

    /// Last block of the event log, or 0 if there is none.
    pub(super) fn log_position(&self) -> i64 {
        self.log.as_ref().map_or(0, |log| log.last)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.contents().map(|(_, content)| content.bytes).sum()
    }
}

impl StoredFile {
    /// Returns whether the name stays within the directory, since the manifest may be forged.
    fn is_safe(&self) -> bool {
        let is_known = matches!(&*self.name, "muriel.db" | "pepper" | "node.json");
        let is_closed = self.name.strip_prefix("log-").and_then(|name| name.strip_suffix(".db"));
        is_known || is_closed.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
    }
}

impl Digest {
    /// Returns whether the name of the content stays within its folder, since the manifest may be
    /// forged.
    fn is_safe(&self) -> bool {
        self.sha256.len() == 64 && self.sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// Path of the content in the store.
    pub(super) fn path(&self) -> String {
        format!("{FILES}{}", self.sha256)
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_times_do() {
        let at = Instant::parse("2026-03-01T09:00:00.700Z").unwrap();
        let first = BackupId::new(at, None);
        assert_eq!(first.to_string(), "2026-03-01T090000Z");
        assert_eq!(first.day(), "2026-03-01");
        // Within the same second, and with a clock that goes backwards.
        let second = BackupId::new(at, Some(&first));
        let third = BackupId::new(at.plus_us(-5_000_000_000), Some(&second));
        assert_eq!([&second, &third].map(ToString::to_string), ["2026-03-01T090001Z", "2026-03-01T090002Z"]);
        assert_eq!(BackupId::parse("2026-03-01T090002Z.json"), Some(third));
        for name in
            ["", ".json", "2026-03-01T090002Z", "../x.json", "2026-13-01T090002Z.json", "2026-03-01T09000éZ.json"]
        {
            assert_eq!(BackupId::parse(name), None, "{name}");
        }
    }
}
