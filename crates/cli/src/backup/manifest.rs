//! `backup.json`: what a backup consists of.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The file that makes a backup whole: it is renamed into place once all others are there.
const NAME: &str = "backup.json";
/// The format that this program writes and reads.
const FORMAT: u32 = 1;
/// A larger file is not a manifest. One entry takes about 200 bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A backup: one line of JSON, and its SHA-256 in a second line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: u32,
    pub(super) database: Database,
    /// The last block of the event log, 0 if it has none.
    pub(super) log_position: i64,
    pub(super) files: Vec<StoredFile>,
}

/// Where the experiments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Database {
    /// In the backup.
    Included,
    /// In a PostgreSQL database, which has backups of its own.
    PostgresqlNotIncluded,
}

/// One file of the data directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredFile {
    /// Its name in the data directory.
    pub(super) name: String,
    pub(super) bytes: u64,
    /// In hexadecimal; also the name under which `files/` has it.
    pub(super) sha256: String,
    /// Its modification time in nanoseconds since 1970 UTC. Retention relies on that of
    /// closed log files.
    pub(super) modified_ns: u64,
}

impl Manifest {
    pub(super) fn new(database: Database, log_position: i64, files: Vec<StoredFile>) -> Self {
        Self { format: FORMAT, database, log_position, files }
    }

    /// The manifest of the backup in `dir`; `None` if there is none.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or is of another format.
    pub(super) fn read(dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(NAME);
        let failed = |source| Error::File { doing: "cannot read", path: path.clone(), source };
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed)?,
        };
        let mut text = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
        let damaged = || Error::Refused(format!("{} is damaged: its checksum does not fit", path.display()));
        let end = text.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
        let (line, rest) = text.split_at(end);
        if text.len() as u64 > MAX_BYTES || rest != format!("\n{}\n", hex(&Sha256::digest(line))).as_bytes() {
            return Err(damaged());
        }
        let unfit = |problem: String| Error::Refused(format!("{} cannot be used: {problem}", path.display()));
        let manifest: Self = serde_json::from_slice(line).map_err(|error| unfit(error.to_string()))?;
        if manifest.format != FORMAT {
            return Err(unfit(format!("it has format {}, this program knows format {FORMAT}", manifest.format)));
        }
        match manifest.files.iter().find(|file| !file.is_safe()) {
            Some(file) => Err(unfit(format!("{:?} is not the name of a file in a data directory", file.name))),
            None => Ok(Some(manifest)),
        }
    }

    /// Puts the manifest into place, flushed.
    pub(super) fn write(&self, dir: &Path) -> Result<()> {
        let line = serde_json::to_string(self).map_err(|error| Error::Other(error.into()))?;
        let next = dir.join("backup.json.new");
        let failed = |source| Error::File { doing: "cannot write", path: next.clone(), source };
        let mut file = File::create(&next).map_err(failed)?;
        write!(file, "{line}\n{}\n", hex(&Sha256::digest(&line))).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&next, dir.join(NAME)).map_err(failed)?;
        super::flush_directory(dir)
    }
}

impl StoredFile {
    /// Where the backup in `dir` has it.
    pub(super) fn path(&self, dir: &Path) -> PathBuf {
        dir.join("files").join(&self.sha256)
    }

    /// Whether both names stay within their directories, whoever wrote the manifest.
    fn is_safe(&self) -> bool {
        let is_known = matches!(&*self.name, "muriel.db" | "pepper" | "node.json" | "log.db");
        let is_closed = self.name.strip_prefix("log-").and_then(|name| name.strip_suffix(".db"));
        let is_closed = is_closed.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'));
        let is_digest = self.sha256.len() == 64 && self.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_known || is_closed) && is_digest
    }

    /// What is wrong with the bytes that `read` yields, if anything; they also go to `to`.
    pub(super) fn copy_checked(&self, mut read: impl Read, to: &mut dyn Write) -> std::io::Result<Option<String>> {
        let (bytes, sha256) = digest(&mut read, to)?;
        Ok(if bytes != self.bytes {
            Some(format!("{} has {bytes} bytes, not {}", self.name, self.bytes))
        } else if sha256 != self.sha256 {
            Some(format!("{} is damaged: its checksum does not fit", self.name))
        } else {
            None
        })
    }
}

/// Copies `from` to `to`; the number of bytes and their SHA-256 in hexadecimal.
pub(super) fn digest(from: &mut dyn Read, to: &mut dyn Write) -> std::io::Result<(u64, String)> {
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 18]);
    loop {
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if read == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        hash.update(&buffer[..read]);
        to.write_all(&buffer[..read])?;
        bytes += read as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
