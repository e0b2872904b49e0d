//! The file format of the log: schema, rows, and the hash that chains the blocks.

use std::borrow::Cow;
use std::sync::Arc;

use muriel_domain::Instant;
use rusqlite::{Connection, Row};
use serde::Deserialize;
use serde::de::Error as _;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::rewrite::{Rewrite, RewriteRow};

/// `application_id` of a log file: "Mlog" in ASCII.
pub(super) const APPLICATION: i32 = 0x4d6c_6f67;
/// Version of the format, stored as `user_version`.
pub(super) const VERSION: i32 = 1;
/// Prefix that is hashed together with the log's id to give the hash before block 1.
const GENESIS: &[u8] = b"muriel event log\n";
/// zstd level. Level 1 is fast, and higher levels gain little on JSON lines.
const ZSTD_LEVEL: i32 = 1;
/// Maximum decompressed size of a body, in bytes. The writer stays far below it; a larger
/// size is damage, and must not make the reader allocate that much.
const MAX_BODY_BYTES: usize = 64 << 20;

/// Tables of a log file.
pub(super) const SCHEMA: &str = "
    -- Which log the file belongs to and where it begins: after the block `after_seq`, whose hash is `after_hash`.
    CREATE TABLE file (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        log BLOB NOT NULL,
        after_seq INTEGER NOT NULL,
        after_hash BLOB NOT NULL
    ) STRICT;
    -- What is small comes first, where it is read without the pages of what is large.
    CREATE TABLE block (
        seq INTEGER PRIMARY KEY,
        received_at INTEGER NOT NULL, -- microseconds since 1970, UTC
        events INTEGER NOT NULL,
        hash BLOB NOT NULL,
        runs TEXT NOT NULL,           -- [[project key, events], …] in the order of the lines
        ids BLOB NOT NULL,            -- 16 bytes for each event
        body BLOB NOT NULL            -- the lines, zstd
    ) STRICT;
    -- The last block that retention has deleted, as known when the file was last written to. No row: none.
    CREATE TABLE pruned (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        last INTEGER NOT NULL
    ) STRICT;";

/// A SHA-256 digest.
pub(super) type Hash = [u8; 32];

/// The last block of the chain: its number and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) seq: i64,
    pub(super) hash: Hash,
}

/// The hash that precedes the first block of the log with this id.
pub(super) fn genesis(log: &[u8; 16]) -> Hash {
    Sha256::new().chain_update(GENESIS).chain_update(log).finalize().into()
}

/// The header of a log file: the log's id, and the block after which the file begins.
pub(super) struct Head {
    pub(super) log: [u8; 16],
    pub(super) after: Tip,
}

impl Head {
    /// Reads the header. The inner `Err` says why the file is not a log file of this
    /// format.
    pub(super) fn read(conn: &Connection) -> rusqlite::Result<Result<Head, String>> {
        let application: i32 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        if application != APPLICATION {
            return Ok(Err("it is not an event log".to_owned()));
        }
        let version: i32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != VERSION {
            return Ok(Err(format!("it has format {version}, but this program reads format {VERSION}")));
        }
        conn.query_row("SELECT log, after_seq, after_hash FROM file", [], |row| {
            Ok(Head { log: row.get(0)?, after: Tip { seq: row.get(1)?, hash: row.get(2)? } })
        })
        .map(Ok)
    }
}

/// Deduplication scope: the events among which an event's id is unique.
///
/// For an event sent with an API key, the scope is all such events of the project. For any
/// other event, it is the events of the same visitor that were sent without a key. So a
/// client that guesses an id cannot make another visitor's event, or a server's, look like a
/// repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DedupScope(i64);

impl DedupScope {
    /// All events of the project that were sent with an API key.
    pub const PROJECT: DedupScope = DedupScope(0);

    /// All events of the visitor with this id that were sent without an API key.
    pub fn visitor(id: &str) -> DedupScope {
        let hash: Hash = Sha256::digest(id).into();
        let [a, b, c, d, e, f, g, h, ..] = hash;
        // Never 0, which is `PROJECT`.
        DedupScope(i64::from_be_bytes([a, b, c, d, e, f, g, h]) | 1)
    }

    /// Scope of a stored event, from its line. `PROJECT` if the line has no visitor.
    pub fn of_line(line: &[u8]) -> DedupScope {
        #[derive(Deserialize)]
        struct Sender<'l> {
            #[serde(borrow)]
            visitor: Id<'l>,
            #[serde(default)]
            vouched: bool,
        }
        #[derive(Deserialize)]
        struct Id<'l> {
            #[serde(borrow)]
            id: Cow<'l, str>,
        }
        match serde_json::from_slice::<Sender<'_>>(line) {
            Ok(Sender { visitor, vouched: false }) => DedupScope::visitor(&visitor.id),
            _ => DedupScope::PROJECT,
        }
    }

    /// Number that is part of an event's fingerprint: 0 for `PROJECT`, otherwise a hash of
    /// the visitor's id.
    pub(super) fn number(self) -> i64 {
        self.0
    }
}

/// Consecutive events of one project in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Number of events, at least 1.
    pub events: u32,
}

pub(super) fn write_runs(runs: &[Run]) -> String {
    let pairs: Vec<(&str, u32)> = runs.iter().map(|run| (&*run.project_key, run.events)).collect();
    // Serializing pairs of text and number cannot fail.
    serde_json::to_string(&pairs).unwrap_or_default()
}

pub(super) fn read_runs(text: &str) -> serde_json::Result<Vec<Run>> {
    let pairs: Vec<(Arc<str>, u32)> = serde_json::from_str(text)?;
    if pairs.iter().any(|(_, events)| *events == 0) {
        return Err(serde_json::Error::custom("a run without events"));
    }
    Ok(pairs.into_iter().map(|(project_key, events)| Run { project_key, events }).collect())
}

/// An unchecked row of `block`. Columns that were not selected are empty.
pub(super) struct Raw {
    pub(super) seq: i64,
    pub(super) received_at: i64,
    pub(super) events: i64,
    pub(super) hash: Hash,
    pub(super) runs: String,
    pub(super) ids: Vec<u8>,
    pub(super) body: Vec<u8>,
    /// Records of rewrites, in order; empty for a block that was not rewritten.
    pub(super) rewrites: Vec<RewriteRow>,
}

/// The columns of `block` to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// Neither ids nor body.
    Small,
    /// All columns but the body.
    Ids,
    /// All columns.
    All,
}

impl Columns {
    /// The column list for `SELECT`, in the order that [`Raw::read`] expects.
    pub(super) fn list(self) -> &'static str {
        match self {
            Columns::Small => "seq, received_at, events, hash, runs",
            Columns::Ids => "seq, received_at, events, hash, runs, ids",
            Columns::All => "seq, received_at, events, hash, runs, ids, body",
        }
    }
}

impl Raw {
    pub(super) fn read(row: &Row<'_>, columns: Columns) -> rusqlite::Result<Raw> {
        Ok(Raw {
            seq: row.get(0)?,
            received_at: row.get(1)?,
            events: row.get(2)?,
            hash: row.get(3)?,
            runs: row.get(4)?,
            ids: if columns == Columns::Small { Vec::new() } else { row.get(5)? },
            body: if columns == Columns::All { row.get(6)? } else { Vec::new() },
            rewrites: Vec::new(),
        })
    }

    /// The hash that this block must have after a block with the hash `before`.
    pub(super) fn chained(&self, before: &Hash) -> Hash {
        let mut hash = Sha256::new()
            .chain_update(before)
            .chain_update(self.seq.to_be_bytes())
            .chain_update(self.received_at.to_be_bytes())
            .chain_update(self.events.to_be_bytes());
        for part in [self.runs.as_bytes(), &self.ids, &self.body] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// The runs, checked against the number of events and, if they were read, the ids.
    /// `Err` says what is wrong.
    pub(super) fn check_runs(&self, columns: Columns) -> Result<Vec<Run>, String> {
        let runs = read_runs(&self.runs).map_err(|error| format!("its runs cannot be read: {error}"))?;
        let events: u64 = runs.iter().map(|run| u64::from(run.events)).sum();
        if u64::try_from(self.events) != Ok(events) {
            return Err(format!("its runs have {events} events, but its count is {}", self.events));
        }
        if columns != Columns::Small && Some(self.ids.len() as u64) != events.checked_mul(16) {
            return Err(format!("its ids have {} bytes for {events} events", self.ids.len()));
        }
        Ok(runs)
    }

    /// Decompresses the block. `Err` says which part is inconsistent.
    pub(super) fn open(self) -> Result<Block, String> {
        let runs = self.check_runs(Columns::All)?;
        let lines = expand(&self.body)?;
        let count = lines.iter().filter(|byte| **byte == b'\n').count();
        // Only a rewritten block can have no events left.
        let is_empty = lines.is_empty() && !self.rewrites.is_empty();
        if i64::try_from(count) != Ok(self.events) || lines.last() != Some(&b'\n') && !is_empty {
            return Err(format!("it has {count} lines for {} events", self.events));
        }
        let received_at = Instant::from_us(self.received_at);
        let rewrites = self.rewrites.into_iter().map(RewriteRow::into_rewrite).collect();
        Ok(Block { seq: self.seq, received_at, hash: self.hash, runs, ids: self.ids, lines, rewrites })
    }
}

/// Compresses the lines of blocks.
pub(super) struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    pub(super) fn new() -> std::io::Result<Packer> {
        let mut packer = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
        // Detects damage even where the hash of the preceding block is lost.
        packer.include_checksum(true)?;
        Ok(Packer(packer))
    }

    pub(super) fn pack(&mut self, lines: &[u8]) -> std::io::Result<Vec<u8>> {
        self.0.compress(lines)
    }
}

pub(super) fn expand(body: &[u8]) -> Result<Vec<u8>, String> {
    let size = zstd::zstd_safe::get_frame_content_size(body).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= MAX_BODY_BYTES);
    let size = size.ok_or("the length of its lines is not plausible")?;
    zstd::bulk::decompress(body, size).map_err(|error| format!("its lines cannot be decompressed: {error}"))
}

/// The events that were stored with one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Number of the block, from 1, without gaps over all files.
    pub seq: i64,
    /// Time at which the last of its batches was received. The other batches were received
    /// within the second before, or in the same hour of UTC if they were imported.
    pub received_at: Instant,
    /// SHA-256 over the previous block's hash and this block's columns, as first written.
    pub hash: [u8; 32],
    /// The projects of the events, in order.
    pub runs: Vec<Run>,
    /// The ids of the events, 16 bytes each.
    pub(super) ids: Vec<u8>,
    /// One JSON object per event, in order, each ended by a line feed.
    pub lines: Vec<u8>,
    /// Later removals of events from the block, in order.
    pub rewrites: Vec<Rewrite>,
}

/// One event of a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'b> {
    /// Key of the project.
    pub project_key: &'b Arc<str>,
    /// Unique within the project and the event's [`DedupScope`].
    pub id: Uuid,
    /// JSON object of the event, a [`Record`](super::Record), without the line feed.
    pub line: &'b [u8],
}

impl Block {
    /// The events, in order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        let keys = self.runs.iter().flat_map(|run| (0..run.events).map(move |_| &run.project_key));
        let ids = self.ids.as_chunks::<16>().0.iter().map(|id| Uuid::from_bytes(*id));
        let lines = self.lines.split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]);
        keys.zip(ids).zip(lines).map(|((project_key, id), line)| Event { project_key, id, line })
    }

    /// The events of one project, in order.
    pub fn of<'b>(&'b self, project_key: &'b str) -> impl Iterator<Item = Event<'b>> {
        self.events().filter(move |event| **event.project_key == *project_key)
    }
}
