//! The deduplication index: the ids of the events stored within the deduplication window.
//!
//! It has two generations, SQLite files named `seen-<n>.db`. When the current one spans
//! [`dedup_window_us`](super::LogOptions::dedup_window_us), the next is created and the
//! older one deleted, so together they always cover the window. They are derived from the log
//! and can be rebuilt from it. Their commits are not flushed. Each file stores the block up to
//! which it is complete, so entries that a power failure loses are read from the log again.
//!
//! The caller holds the log's write lock during all calls, which serialises handles and
//! processes that share the files.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use muriel_sql::file::{self, Durability};
use rusqlite::{CachedStatement, Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use super::error::{Error, chain};
use super::failpoints;
use super::files::{self, CHECKPOINT_PAGES};
use super::format::{Block, Columns, DedupScope, Hash, Tip};
use super::scan::{Scan, ScanItem};

const APPLICATION: i32 = 0x4d73_6565;
const VERSION: i32 = 3;
const SCHEMA: &str = "
    -- What the generation covers: the blocks after `since`, the first received at `started`, up to `seq`.
    CREATE TABLE span (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        log BLOB NOT NULL,
        window INTEGER NOT NULL,     -- microseconds
        older INTEGER NOT NULL,      -- 1: the generation before is needed too
        since INTEGER NOT NULL,
        started INTEGER,             -- of the first block, once there is one
        seq INTEGER NOT NULL,
        hash BLOB NOT NULL,
        closed INTEGER NOT NULL      -- 1: the next generation has begun
    ) STRICT;
    -- `event` is a fingerprint, which begins with the time of the id, so rows of a project mostly come last.
    CREATE TABLE seen (
        project INTEGER NOT NULL,
        event BLOB NOT NULL,
        PRIMARY KEY (project, event)
    ) STRICT, WITHOUT ROWID;";
const INSERT: &str = "INSERT OR IGNORE INTO seen VALUES (?1, ?2)";
const PROBE: &str = "SELECT 1 FROM seen WHERE project = ?1 AND event = ?2";
/// Leading bytes of an id that its fingerprint begins with: the time, in ids of version 7.
const PREFIX_BYTES: usize = 6;
/// Length of a fingerprint in bytes.
const FINGERPRINT_BYTES: usize = 18;
/// Page cache of each generation, in KiB.
const CACHE_KIB: i64 = 16_384;
/// Events per commit while the index catches up with the log.
const CATCH_UP_COMMIT_EVENTS: u64 = 100_000;

/// Errors of the index.
#[derive(Debug)]
pub(super) enum IndexError {
    /// The index is damaged or does not belong to the log: it must be rebuilt.
    Unusable(String),
    /// The index cannot be read or written at present.
    Sql(rusqlite::Error),
    /// A file of the index or the log cannot be used.
    Log(Error),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> IndexError {
        if super::scan::is_damage(&error) { IndexError::Unusable(chain(&error)) } else { IndexError::Sql(error) }
    }
}

impl From<Error> for IndexError {
    fn from(error: Error) -> IndexError {
        IndexError::Log(error)
    }
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Unusable(problem) => f.write_str(problem),
            IndexError::Sql(error) => f.write_str(&chain(error)),
            IndexError::Log(error) => f.write_str(&chain(error)),
        }
    }
}

type Result<T> = std::result::Result<T, IndexError>;

/// Number of a project in the index: the first 8 bytes of the SHA-256 of its key.
pub(super) fn project_hash(key: &str) -> i64 {
    let hash: Hash = Sha256::digest(key).into();
    let [a, b, c, d, e, f, g, h, ..] = hash;
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Fingerprint of an event in the index: the time of its id, then 12 bytes of a SHA-256 of id
/// and scope.
///
/// The index contains neither the id nor a hash of the visitor alone, so a visitor cannot be
/// found in it without the event. Therefore it does not change when a visitor's events are
/// erased from the log, and an erased event that is sent again is still recognised.
fn fingerprint(id: &[u8; 16], scope: DedupScope) -> [u8; FINGERPRINT_BYTES] {
    let hash: Hash = Sha256::new().chain_update(id).chain_update(scope.number().to_be_bytes()).finalize().into();
    let mut fingerprint = [0; FINGERPRINT_BYTES];
    fingerprint[..PREFIX_BYTES].copy_from_slice(&id[..PREFIX_BYTES]);
    fingerprint[PREFIX_BYTES..].copy_from_slice(&hash[..FINGERPRINT_BYTES - PREFIX_BYTES]);
    fingerprint
}

pub(super) struct Index {
    dir: PathBuf,
    log: [u8; 16],
    window_us: i64,
    current: Generation,
    older: Option<Connection>,
}

struct Generation {
    number: u64,
    conn: Connection,
}

/// The row of `span`: the blocks that a generation covers.
#[derive(Clone, Copy, Debug)]
struct Span {
    log: [u8; 16],
    window_us: i64,
    older: bool,
    since: i64,
    started: Option<i64>,
    tip: Tip,
    closed: bool,
}

impl Span {
    fn read(conn: &Connection) -> Result<Span> {
        let sql = "SELECT log, window, older, since, started, seq, hash, closed FROM span";
        let span = conn.prepare_cached(sql)?.query_row([], |row| {
            Ok(Span {
                log: row.get(0)?,
                window_us: row.get(1)?,
                older: row.get(2)?,
                since: row.get(3)?,
                started: row.get(4)?,
                tip: Tip { seq: row.get(5)?, hash: row.get(6)? },
                closed: row.get(7)?,
            })
        });
        Ok(span?)
    }

    fn write(&self, conn: &Connection) -> Result<()> {
        let mut update = conn.prepare_cached("UPDATE span SET started = ?1, seq = ?2, hash = ?3, closed = ?4")?;
        update.execute((self.started, self.tip.seq, self.tip.hash, self.closed))?;
        Ok(())
    }
}

fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("seen-{number}.db"))
}

/// The numbers of the generations in `dir`, in ascending order.
fn numbers(dir: &Path) -> Result<Vec<u64>> {
    let failed = |error| Error::file("list", dir, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("seen-")?.strip_suffix(".db"));
        found.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    found.sort_unstable();
    Ok(found)
}

fn remove_before(dir: &Path, number: u64) -> Result<()> {
    for old in numbers(dir)?.into_iter().filter(|old| *old < number) {
        files::remove(&path(dir, old))?;
    }
    Ok(())
}

fn step(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.raw_execute().map(drop)
}

fn open(path: &Path) -> Result<Connection> {
    let conn = file::writer(path, Durability::Relaxed).map_err(|error| match error {
        // The file is not a SQLite database.
        muriel_sql::Error::Unexpected { .. } => IndexError::Unusable(chain(&error)),
        error => IndexError::Log(Error::file("open", path, error)),
    })?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
    Ok(conn)
}

/// Creates the generation `number`, empty, replacing an existing file.
fn create(dir: &Path, number: u64, span: &Span) -> Result<Generation> {
    let path = path(dir, number);
    files::remove(&path)?;
    file::create_private(&path).map_err(|error| Error::file("create", &path, error))?;
    let conn = open(&path)?;
    let settings = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
    conn.execute_batch(&format!("BEGIN; {settings} {SCHEMA}"))?;
    let values = (span.log, span.window_us, span.older, span.since, span.started, span.tip.seq, span.tip.hash);
    conn.execute("INSERT INTO span VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)", values)?;
    conn.execute_batch("COMMIT")?;
    Ok(Generation { number, conn })
}

/// The span of an existing generation, after a check of its format version.
fn span_of(conn: &Connection) -> Result<Span> {
    let kind: (i32, i32) = (
        conn.query_row("PRAGMA application_id", [], |row| row.get(0))?,
        conn.query_row("PRAGMA user_version", [], |row| row.get(0))?,
    );
    if kind != (APPLICATION, VERSION) {
        return Err(IndexError::Unusable("it is not an index of this version".to_owned()));
    }
    Span::read(conn)
}

/// The last block in the index in `dir`, if the index belongs to `log` or `log` is `None`. 0 if
/// there is no index or it cannot be read.
///
/// A block is added to the index only after it is in the log, so a log that ends before
/// this block has lost blocks.
pub(super) fn last_seen(dir: &Path, log: Option<&[u8; 16]>) -> i64 {
    let read = || -> Result<i64> {
        let Some(&number) = numbers(dir)?.last() else { return Ok(0) };
        // Opened for writing, because a read-only connection would leave `-wal` and `-shm`
        // files.
        let span = span_of(&open(&path(dir, number))?)?;
        Ok(if log.is_none_or(|log| *log == span.log) { span.tip.seq } else { 0 })
    };
    read().unwrap_or_else(|fault| {
        tracing::warn!(problem = fault.to_string(), "the end of the log cannot be read from the index of events");
        0
    })
}

/// Opens an existing generation of the log with the id `log`.
fn open_existing(path: &Path, log: &[u8; 16]) -> Result<(Connection, Span)> {
    if !files::exists(path)? {
        return Err(IndexError::Unusable(format!("{} is missing", path.display())));
    }
    let conn = open(path)?;
    let span = span_of(&conn)?;
    if span.log != *log {
        return Err(IndexError::Unusable("it belongs to another log".to_owned()));
    }
    Ok((conn, span))
}

impl Index {
    /// Opens the index of the log in `dir` with the id `log`, or builds it up to `tip` if no
    /// index is usable. [`Index::begin`] brings an existing one up to date.
    pub(super) fn open(dir: &Path, log: [u8; 16], window_us: i64, tip: Tip) -> Result<Index> {
        match Index::find(dir, log, window_us) {
            Ok(Some(index)) => Ok(index),
            Ok(None) => Index::rebuild(dir, log, window_us, tip),
            Err(IndexError::Unusable(problem)) => {
                tracing::warn!(problem, "the index of events is rebuilt");
                Index::rebuild(dir, log, window_us, tip)
            }
            Err(fault) => Err(fault),
        }
    }

    fn find(dir: &Path, log: [u8; 16], window_us: i64) -> Result<Option<Index>> {
        let Some(&number) = numbers(dir)?.last() else { return Ok(None) };
        let (conn, span) = open_existing(&path(dir, number), &log)?;
        if span.window_us < window_us {
            return Err(IndexError::Unusable("the deduplication window is longer now".to_owned()));
        }
        let current = Generation { number, conn };
        if span.closed {
            // The process that closed this generation ended before it created the next.
            let next = Span { older: true, since: span.tip.seq, started: None, closed: false, ..span };
            let next = create(dir, number + 1, &next)?;
            remove_before(dir, number)?;
            return Ok(Some(Index { dir: dir.to_owned(), log, window_us, current: next, older: Some(current.conn) }));
        }
        // An interrupted rotation leaves old generations.
        remove_before(dir, number.saturating_sub(u64::from(span.older)))?;
        let older = if span.older {
            let (conn, before) = open_existing(&path(dir, number.saturating_sub(1)), &log)?;
            if !before.closed || before.tip.seq != span.since {
                return Err(IndexError::Unusable("the older generation is not complete".to_owned()));
            }
            Some(conn)
        } else {
            None
        };
        Ok(Some(Index { dir: dir.to_owned(), log, window_us, current, older }))
    }

    /// Replaces the index by one built from the blocks that the log received in the last
    /// `window_us`.
    pub(super) fn rebuild(dir: &Path, log: [u8; 16], window_us: i64, tip: Tip) -> Result<Index> {
        let known = numbers(dir)?;
        for number in &known {
            files::remove(&path(dir, *number))?;
        }
        let since = first_of_window(dir, window_us)?;
        // The hash is not used before the first block has been read.
        let none = Tip { seq: since, hash: Hash::default() };
        let span = Span { log, window_us, older: false, since, started: None, tip: none, closed: false };
        // A new number, because another process may have the old file open.
        let current = create(dir, known.last().map_or(1, |last| last + 1), &span)?;
        let mut index = Index { dir: dir.to_owned(), log, window_us, current, older: None };
        step(&index.current.conn, "BEGIN IMMEDIATE")?;
        let mut span = index.catch_up(span, tip.seq)?;
        span.tip = tip;
        span.write(&index.current.conn)?;
        step(&index.current.conn, "COMMIT")?;
        Ok(index)
    }

    /// Begins adding the events of the block after `tip`, which was received at
    /// `received_at`; `None` for an empty group. Reads blocks that the index lacks from
    /// the log, and rotates to the next generation when the current one spans the window.
    ///
    /// `hash_at` returns the hash of a block of the log.
    pub(super) fn begin(
        &mut self,
        tip: Tip,
        received_at: Option<i64>,
        hash_at: impl Fn(i64) -> Option<Hash>,
    ) -> Result<Group<'_>> {
        let mut span = loop {
            step(&self.current.conn, "BEGIN IMMEDIATE")?;
            let span = Span::read(&self.current.conn)?;
            if !span.closed {
                break span;
            }
            // Another handle has rotated to the next generation.
            self.abandon();
            *self = Index::open(&self.dir, self.log, self.window_us, tip)?;
        };
        if span.tip != tip {
            if span.tip.seq > tip.seq || hash_at(span.tip.seq) != Some(span.tip.hash) {
                let (is, should) = (span.tip.seq, tip.seq);
                return Err(IndexError::Unusable(format!(
                    "it does not match the log: it is complete up to {is}, and the log ends at {should}"
                )));
            }
            span = self.catch_up(span, tip.seq)?;
            // Also after unreadable blocks, so that they are not read again.
            span.tip = tip;
        }
        if received_at.is_some_and(|at| self.is_over(&span, at)) {
            span = self.rotate(span)?;
        }
        failpoints::hit(&self.dir, "index: begun")?;
        span.started = span.started.or(received_at);
        if let Some(older) = &self.older {
            step(older, "BEGIN")?;
        }
        let conn = &self.current.conn;
        Ok(Group {
            dir: &self.dir,
            conn,
            older: self.older.as_ref(),
            span,
            insert: conn.prepare_cached(INSERT)?,
            probe: match &self.older {
                Some(older) => Some(older.prepare_cached(PROBE)?),
                None => None,
            },
        })
    }

    /// Rolls back open transactions.
    pub(super) fn abandon(&self) {
        for conn in [Some(&self.current.conn), self.older.as_ref()].into_iter().flatten() {
            if !conn.is_autocommit()
                && let Err(error) = step(conn, "ROLLBACK")
            {
                tracing::warn!(error = &error as &dyn std::error::Error, "cannot roll back the index of events");
            }
        }
    }

    /// Adds the events of a block of the log. Returns their number.
    fn add_block(&self, block: &Block) -> Result<u64> {
        let mut insert = self.current.conn.prepare_cached(INSERT)?;
        let mut events = block.events();
        for run in &block.runs {
            let project = project_hash(&run.project_key);
            for event in events.by_ref().take(run.events as usize) {
                insert.execute((project, fingerprint(event.id.as_bytes(), DedupScope::of_line(event.line))))?;
            }
        }
        Ok(block.runs.iter().map(|run| u64::from(run.events)).sum())
    }

    fn is_over(&self, span: &Span, received_at: i64) -> bool {
        span.started.is_some_and(|started| received_at.saturating_sub(started) >= self.window_us)
    }

    /// Commits and closes the current generation, creates the next and begins a transaction
    /// in it.
    fn rotate(&mut self, mut span: Span) -> Result<Span> {
        span.closed = true;
        span.write(&self.current.conn)?;
        step(&self.current.conn, "COMMIT")?;
        failpoints::hit(&self.dir, "index: closed")?;
        // It is not written again, so it must be complete even after a power failure.
        files::checkpoint(&self.current.conn)?;
        let next =
            Span { older: true, since: span.tip.seq, started: None, closed: false, window_us: self.window_us, ..span };
        let number = self.current.number;
        let current = create(&self.dir, number + 1, &next)?;
        failpoints::hit(&self.dir, "index: next made")?;
        self.older = Some(std::mem::replace(&mut self.current, current).conn);
        remove_before(&self.dir, number)?;
        step(&self.current.conn, "BEGIN IMMEDIATE")?;
        Ok(next)
    }

    /// Adds the blocks after `span` up to `until` from the log, within the open transaction.
    /// Damaged blocks are logged and skipped.
    fn catch_up(&mut self, mut span: Span, until: i64) -> Result<Span> {
        // The deduplication scope of an event comes from its line.
        let mut scan = Scan::new(&self.dir, Columns::All, span.tip.seq)?;
        let (mut read, mut lost) = (0, 0u64);
        while span.tip.seq < until {
            let raw = match scan.next()? {
                None => break,
                Some(ScanItem::File { seq, hash, .. }) => {
                    if let Some(hash) = hash.filter(|_| seq >= span.tip.seq) {
                        span.tip = Tip { seq, hash };
                    }
                    continue;
                }
                Some(ScanItem::Unreadable { first, last, problem }) => {
                    // Repeats of events in these blocks are stored again.
                    tracing::error!(first, last, problem, "damaged blocks are missing in the index of events");
                    continue;
                }
                Some(ScanItem::Row(raw)) if raw.seq > until => break,
                Some(ScanItem::Row(raw)) => raw,
            };
            let (tip, received_at) = (Tip { seq: raw.seq, hash: raw.hash }, raw.received_at);
            match raw.open() {
                Ok(block) => {
                    if self.is_over(&span, received_at) {
                        span = self.rotate(span)?;
                    }
                    span.started.get_or_insert(received_at);
                    read += self.add_block(&block)?;
                }
                Err(problem) => {
                    lost += 1;
                    tracing::error!(seq = tip.seq, problem, "a damaged block is missing in the index of events");
                }
            }
            span.tip = tip;
            if read >= CATCH_UP_COMMIT_EVENTS {
                read = 0;
                span.write(&self.current.conn)?;
                step(&self.current.conn, "COMMIT")?;
                step(&self.current.conn, "BEGIN IMMEDIATE")?;
            }
        }
        tracing::debug!(seq = span.tip.seq, lost, "the index of events has caught up");
        Ok(span)
    }
}

/// The block after which the index must begin to cover the `window_us` before the newest
/// block.
fn first_of_window(dir: &Path, window_us: i64) -> Result<i64> {
    let mut times = Vec::new();
    let mut scan = Scan::new(dir, Columns::Small, 0)?;
    while let Some(piece) = scan.next()? {
        match piece {
            ScanItem::Row(raw) => times.push((raw.seq, raw.received_at)),
            ScanItem::File { .. } | ScanItem::Unreadable { .. } => {}
        }
    }
    let newest = times.iter().map(|(_, at)| *at).max().unwrap_or(0);
    let since = newest.saturating_sub(window_us);
    let first = times.iter().find(|(_, at)| *at >= since);
    Ok(first.map_or(0, |(seq, _)| seq - 1))
}

/// An open transaction that adds the events of one block.
pub(super) struct Group<'i> {
    dir: &'i Path,
    conn: &'i Connection,
    older: Option<&'i Connection>,
    span: Span,
    insert: CachedStatement<'i>,
    probe: Option<CachedStatement<'i>>,
}

impl Group<'_> {
    /// Adds an event. Returns whether it is new.
    pub(super) fn add(&mut self, project: i64, id: &[u8; 16], scope: DedupScope) -> Result<bool> {
        let key = (project, fingerprint(id, scope));
        if self.insert.execute(key)? == 0 {
            return Ok(false);
        }
        match &mut self.probe {
            Some(probe) => Ok(probe.query_row(key, |_| Ok(())).optional()?.is_none()),
            None => Ok(true),
        }
    }

    /// Commits, after the events have been stored in the log as the block `tip`.
    pub(super) fn finish(mut self, tip: Tip) -> Result<()> {
        failpoints::hit(self.dir, "index: commit")?;
        self.span.tip = tip;
        self.span.write(self.conn)?;
        drop(self.probe);
        if let Some(older) = self.older {
            step(older, "COMMIT")?;
        }
        step(self.conn, "COMMIT")?;
        Ok(())
    }
}
