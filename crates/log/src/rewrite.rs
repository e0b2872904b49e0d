//! Records of rewrites: events removed from a block after it was written.
//!
//! A rewritten block keeps its number and its hash, so the chain after it still verifies.
//! Its new content no longer matches that hash. The last of its records has the digest of
//! the new content, and is signed.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use muriel_domain::Instant;
use rusqlite::{Connection, OptionalExtension, Row};
use sha2::Sha256;
use uuid::Uuid;

use super::format::{Hash, Raw};
use super::scan::is_damage;

/// Table of a closed file with its records. Files without it have none, because it was added
/// without a new format version.
pub(super) const REWRITE_TABLE: &str = "
    CREATE TABLE rewrite (
        seq INTEGER NOT NULL,         -- of the block
        nth INTEGER NOT NULL,         -- from 1, without gaps
        at INTEGER NOT NULL,          -- microseconds since 1970, UTC
        project TEXT NOT NULL,        -- the key of the project whose events were taken out
        reason TEXT NOT NULL,         -- visitor or retention
        job BLOB NOT NULL,            -- 16 bytes: which deletion
        removed INTEGER NOT NULL,     -- number of events
        content BLOB NOT NULL,        -- digest of the block as it is after this rewrite
        mac BLOB NOT NULL,            -- signature of all of this
        PRIMARY KEY (seq, nth)
    ) STRICT, WITHOUT ROWID;";
const COLUMNS: &str = "seq, nth, at, project, reason, job, removed, content, mac";
/// Domain separation: prefixes that keep a MAC of one purpose from being valid for another.
const SIGNATURE: &[u8] = b"muriel rewritten block\n";
const VISITOR: &[u8] = b"muriel visitor\n";

/// Why events were removed from a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RewriteReason {
    /// The data of one visitor was deleted.
    Visitor,
    /// The project keeps its events for a shorter time than the log.
    Retention,
}

impl RewriteReason {
    /// Every reason with its name in files.
    pub const WORDS: [(&'static str, RewriteReason); 2] =
        [("visitor", RewriteReason::Visitor), ("retention", RewriteReason::Retention)];

    /// Name of the reason in files.
    pub fn word(self) -> &'static str {
        match self {
            RewriteReason::Visitor => "visitor",
            RewriteReason::Retention => "retention",
        }
    }
}

/// Removal of events from a block. Does not identify the visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The number of this rewrite of the block, from 1.
    pub nth: i64,
    /// Time of the rewrite, by the server's clock.
    pub at: Instant,
    /// Key of the project whose events were removed.
    pub project_key: Arc<str>,
    /// Reason of the removal.
    pub reason: RewriteReason,
    /// Id of the deletion; nil for retention.
    pub job: Uuid,
    /// Number of events that were removed, at least 1.
    pub removed: u64,
}

/// A row of `rewrite`.
#[derive(Clone, Debug)]
pub(super) struct RewriteRow {
    pub(super) rewrite: Rewrite,
    content: Hash,
    mac: Hash,
}

impl RewriteRow {
    pub(super) fn into_rewrite(self) -> Rewrite {
        self.rewrite
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<(i64, RewriteRow)> {
        let reason: String = row.get(4)?;
        let reason = RewriteReason::WORDS.into_iter().find(|(word, _)| *word == reason).map(|(_, reason)| reason);
        let removed = u64::try_from(row.get::<_, i64>(6)?).ok();
        let (Some(reason), Some(removed)) = (reason, removed) else {
            let problem = "a record of a rewrite is not valid".into();
            return Err(rusqlite::Error::FromSqlConversionFailure(4, rusqlite::types::Type::Text, problem));
        };
        let rewrite = Rewrite {
            nth: row.get(1)?,
            at: Instant::from_us(row.get(2)?),
            project_key: row.get::<_, String>(3)?.into(),
            reason,
            job: Uuid::from_bytes(row.get(5)?),
            removed,
        };
        Ok((row.get(0)?, RewriteRow { rewrite, content: row.get(7)?, mac: row.get(8)? }))
    }

    pub(super) fn insert(&self, conn: &Connection, seq: i64) -> rusqlite::Result<()> {
        let sql = format!("INSERT INTO rewrite ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
        let Rewrite { nth, at, project_key, reason, job, removed } = &self.rewrite;
        conn.prepare_cached(&sql)?.execute((
            seq,
            nth,
            at.us(),
            &**project_key,
            reason.word(),
            job.as_bytes(),
            removed.cast_signed(),
            self.content,
            self.mac,
        ))?;
        Ok(())
    }
}

/// Returns whether the file has records of rewrites.
pub(super) fn has_records(conn: &Connection) -> rusqlite::Result<bool> {
    let known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'rewrite'";
    Ok(conn.prepare_cached(known)?.query_row([], |_| Ok(())).optional()?.is_some())
}

/// Number of records in the file.
pub(super) fn count(conn: &Connection) -> rusqlite::Result<i64> {
    if !has_records(conn)? {
        return Ok(0);
    }
    conn.query_row("SELECT count(*) FROM rewrite", [], |row| row.get(0))
}

/// Blocks with records, each with the number of its last one.
pub(super) fn last_of_each(conn: &Connection) -> rusqlite::Result<Vec<(i64, i64)>> {
    if !has_records(conn)? {
        return Ok(Vec::new());
    }
    let mut last = conn.prepare_cached("SELECT seq, max(nth) FROM rewrite GROUP BY seq ORDER BY seq")?;
    last.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Number of events removed for visitors, by the deletion's id.
pub(super) fn removed_by_job(conn: &Connection) -> rusqlite::Result<Vec<(Uuid, u64)>> {
    if !has_records(conn)? {
        return Ok(Vec::new());
    }
    let mut sums =
        conn.prepare_cached("SELECT job, sum(removed) FROM rewrite WHERE reason = 'visitor' GROUP BY job")?;
    let sums = sums.query_map([], |row| Ok((Uuid::from_bytes(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs())))?;
    sums.collect()
}

/// The records of the blocks from `first` to `last`, in order. Unreadable records are left
/// out, so that the check of their blocks fails.
pub(super) fn records(conn: &Connection, first: i64, last: i64) -> rusqlite::Result<Vec<(i64, RewriteRow)>> {
    let sql = format!("SELECT {COLUMNS} FROM rewrite WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq, nth");
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query((first, last))?;
    let mut records = Vec::new();
    loop {
        match rows.next() {
            Ok(Some(row)) => match RewriteRow::read(row) {
                Err(error) if !is_damage(&error) => return Err(error),
                record => records.extend(record.ok()),
            },
            Ok(None) => return Ok(records),
            Err(error) if is_damage(&error) => return Ok(records),
            Err(error) => return Err(error),
        }
    }
}

/// The secret that signs rewrites, and that turns a visitor's id into a [`VisitorMark`].
#[derive(Clone)]
pub struct RewriteKey(Hmac<Sha256>);

impl fmt::Debug for RewriteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RewriteKey(…)")
    }
}

/// Pseudonym of a visitor of a project: a MAC of both. The visitor cannot be identified
/// without the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisitorMark(pub [u8; 32]);

impl RewriteKey {
    /// Creates the key from a secret.
    pub fn new(secret: &[u8; 32]) -> RewriteKey {
        // HMAC accepts keys of any length, so the constructor cannot fail.
        RewriteKey(Hmac::new_from_slice(secret).unwrap_or_else(|_| Hmac::new(&Default::default())))
    }

    /// Mark of a visitor of a project.
    pub fn visitor(&self, project_key: &str, visitor_id: &str) -> VisitorMark {
        let mut mac = self.0.clone();
        mac.update(VISITOR);
        update(&mut mac, project_key.as_bytes());
        update(&mut mac, visitor_id.as_bytes());
        VisitorMark(mac.finalize().into_bytes().into())
    }

    /// Signs a rewrite of `block`, which has the new content already. `before` is the
    /// previous record.
    pub(super) fn sign(
        &self,
        log: &[u8; 16],
        block: &Raw,
        rewrite: Rewrite,
        before: Option<&RewriteRow>,
    ) -> RewriteRow {
        let content = block.content();
        let mac = self.mac(log, block, &rewrite, &content, before.map(|row| row.mac)).finalize().into_bytes().into();
        RewriteRow { rewrite, content, mac }
    }

    fn mac(
        &self,
        log: &[u8; 16],
        block: &Raw,
        rewrite: &Rewrite,
        content: &Hash,
        before: Option<Hash>,
    ) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(SIGNATURE);
        mac.update(log);
        for number in [block.seq, rewrite.nth, rewrite.at.us(), rewrite.removed.cast_signed()] {
            mac.update(&number.to_be_bytes());
        }
        update(&mut mac, rewrite.project_key.as_bytes());
        update(&mut mac, rewrite.reason.word().as_bytes());
        mac.update(rewrite.job.as_bytes());
        mac.update(&block.hash);
        mac.update(content);
        mac.update(&before.unwrap_or_default());
        mac
    }
}

fn update(mac: &mut Hmac<Sha256>, text: &[u8]) {
    mac.update(&(text.len() as u64).to_be_bytes());
    mac.update(text);
}

impl Raw {
    /// Digest of the block's current content, tied to the hash that it was written with.
    fn content(&self) -> Hash {
        self.chained(&self.hash)
    }

    /// Checks a rewritten block against its records. Signatures are checked too if `key` and
    /// the id of the log are known. `Err` says what is wrong.
    pub(super) fn check_rewrites(&self, log: Option<&[u8; 16]>, key: Option<&RewriteKey>) -> Result<(), String> {
        let mut before: Option<&RewriteRow> = None;
        for row in &self.rewrites {
            if row.rewrite.nth != before.map_or(0, |row| row.rewrite.nth) + 1 {
                return Err("a record of its rewrites is missing".to_owned());
            }
            if let (Some(log), Some(key)) = (log, key) {
                let mac = key.mac(log, self, &row.rewrite, &row.content, before.map(|row| row.mac));
                if mac.verify_slice(&row.mac).is_err() {
                    return Err("it was rewritten, but its record is not signed with this server's key".to_owned());
                }
            }
            before = Some(row);
        }
        match before {
            Some(last) if last.content == self.content() => Ok(()),
            Some(_) => Err("it was rewritten, and its content does not match its record".to_owned()),
            None => Err("its hash does not match".to_owned()),
        }
    }
}
