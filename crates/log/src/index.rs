//! Which events have been stored, for as long as repeats are recognised.
//!
//! Two SQLite files, `seen-<n>.db`, each for the events of at least
//! [`dedup_window_us`](super::LogOptions::dedup_window_us): when the younger one spans
//! that long, the next is begun and the older one deleted. They are made from the
//! log and can be made again. A commit to them is not flushed; each tells the
//! block up to which it is complete, so what a power cut takes back is read from
//! the log once more.
//!
//! All of this happens while the caller holds the log's write lock, so handles
//! and processes that share the files take turns.

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
const VERSION: i32 = 2;
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
    -- BlockIds begin with their time, so rows of a project mostly come last. For that the id comes before the scope.
    CREATE TABLE seen (
        project INTEGER NOT NULL,
        id BLOB NOT NULL,
        scope INTEGER NOT NULL,      -- 0: vouched for by a key; else the hash of the visitor
        PRIMARY KEY (project, id, scope)
    ) STRICT, WITHOUT ROWID;";
const INSERT: &str = "INSERT OR IGNORE INTO seen VALUES (?1, ?2, ?3)";
const PROBE: &str = "SELECT 1 FROM seen WHERE project = ?1 AND id = ?2 AND scope = ?3";
/// KiB of pages each generation keeps in memory, while it is used.
const CACHE_KIB: i64 = 16_384;
/// Events read from the log with one commit.
const CATCH_UP_COMMIT_EVENTS: u64 = 100_000;

/// What can be wrong with the index.
#[derive(Debug)]
pub(super) enum IndexError {
    /// It has to be made anew.
    Unusable(String),
    /// It cannot be written now.
    Sql(rusqlite::Error),
    /// A file cannot be used.
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

/// A project in the index.
pub(super) fn project_hash(key: &str) -> i64 {
    let hash: Hash = Sha256::digest(key).into();
    let [a, b, c, d, e, f, g, h, ..] = hash;
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
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

/// The row of `span`.
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

/// The generations there are, in order.
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
        // No database at all, where a log file would be one of SQLite's.
        muriel_sql::Error::Unexpected { .. } => IndexError::Unusable(chain(&error)),
        error => IndexError::Log(Error::file("open", path, error)),
    })?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
    Ok(conn)
}

/// Makes the generation `number`, with nothing in it.
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

/// What a generation that exists covers.
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

/// The last block that the index in `dir` has of the log with the id `log`, or of
/// whichever it is of; 0 where there is none or it cannot be read.
///
/// A block is in the index only once the log has it, so a log that ends earlier has lost
/// blocks.
pub(super) fn last_seen(dir: &Path, log: Option<&[u8; 16]>) -> i64 {
    let read = || -> Result<i64> {
        let Some(&number) = numbers(dir)?.last() else { return Ok(0) };
        // Opened to be written, as a reader would leave files beside it.
        let span = span_of(&open(&path(dir, number))?)?;
        Ok(if log.is_none_or(|log| *log == span.log) { span.tip.seq } else { 0 })
    };
    read().unwrap_or_else(|fault| {
        tracing::warn!(problem = fault.to_string(), "the index of events does not say where the log ended");
        0
    })
}

/// Opens a generation that exists.
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
    /// The index of the log in `dir`, which has the id `log` and ends at `tip`.
    /// [`Index::begin`] makes it complete.
    pub(super) fn open(dir: &Path, log: [u8; 16], window_us: i64, tip: Tip) -> Result<Index> {
        match Index::find(dir, log, window_us) {
            Ok(Some(index)) => Ok(index),
            Ok(None) => Index::rebuild(dir, log, window_us, tip),
            Err(IndexError::Unusable(problem)) => {
                tracing::warn!(problem, "the index of events is made anew");
                Index::rebuild(dir, log, window_us, tip)
            }
            Err(fault) => Err(fault),
        }
    }

    fn find(dir: &Path, log: [u8; 16], window_us: i64) -> Result<Option<Index>> {
        let Some(&number) = numbers(dir)?.last() else { return Ok(None) };
        let (conn, span) = open_existing(&path(dir, number), &log)?;
        if span.window_us < window_us {
            return Err(IndexError::Unusable("repeats are to be recognised for longer now".to_owned()));
        }
        let current = Generation { number, conn };
        if span.closed {
            // Nobody came to begin the next.
            let next = Span { older: true, since: span.tip.seq, started: None, closed: false, ..span };
            let next = create(dir, number + 1, &next)?;
            remove_before(dir, number)?;
            return Ok(Some(Index { dir: dir.to_owned(), log, window_us, current: next, older: Some(current.conn) }));
        }
        // Left when a turn was cut short.
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

    /// An index that knows what the log has received in the last `window_us`.
    pub(super) fn rebuild(dir: &Path, log: [u8; 16], window_us: i64, tip: Tip) -> Result<Index> {
        let known = numbers(dir)?;
        for number in &known {
            files::remove(&path(dir, *number))?;
        }
        let since = first_of_window(dir, window_us)?;
        // Only the number counts until the first block has been read.
        let none = Tip { seq: since, hash: Hash::default() };
        let span = Span { log, window_us, older: false, since, started: None, tip: none, closed: false };
        // A new number: the old file may be open elsewhere.
        let current = create(dir, known.last().map_or(1, |last| last + 1), &span)?;
        let mut index = Index { dir: dir.to_owned(), log, window_us, current, older: None };
        step(&index.current.conn, "BEGIN IMMEDIATE")?;
        let mut span = index.catch_up(span, tip.seq)?;
        span.tip = tip;
        span.write(&index.current.conn)?;
        step(&index.current.conn, "COMMIT")?;
        Ok(index)
    }

    /// Begins a group that follows the block `tip` of the log and was received at
    /// `received_at`, if there is anything in it: reads from the log what is missing, and turns to the next
    /// generation when it is time.
    ///
    /// `hash_at` tells the hash of a block of the log.
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
            // Another handle has turned to the next generation.
            self.abandon();
            *self = Index::open(&self.dir, self.log, self.window_us, tip)?;
        };
        if span.tip != tip {
            if span.tip.seq > tip.seq || hash_at(span.tip.seq) != Some(span.tip.hash) {
                let (is, should) = (span.tip.seq, tip.seq);
                return Err(IndexError::Unusable(format!(
                    "it is of another past: complete up to {is}, the log ends at {should}"
                )));
            }
            span = self.catch_up(span, tip.seq)?;
            // What of it could be read does not matter, it was looked at.
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

    /// Forgets what was begun and not finished.
    pub(super) fn abandon(&self) {
        for conn in [Some(&self.current.conn), self.older.as_ref()].into_iter().flatten() {
            if !conn.is_autocommit()
                && let Err(error) = step(conn, "ROLLBACK")
            {
                tracing::warn!(error = &error as &dyn std::error::Error, "cannot roll back the index of events");
            }
        }
    }

    /// Adds the events of a block of the log; how many.
    fn add_block(&self, block: &Block) -> Result<u64> {
        let mut insert = self.current.conn.prepare_cached(INSERT)?;
        let mut events = block.events();
        for run in &block.runs {
            let project = project_hash(&run.project_key);
            for event in events.by_ref().take(run.events as usize) {
                insert.execute((project, event.id.as_bytes(), DedupScope::of_line(event.line).number()))?;
            }
        }
        Ok(block.runs.iter().map(|run| u64::from(run.events)).sum())
    }

    fn is_over(&self, span: &Span, received_at: i64) -> bool {
        span.started.is_some_and(|started| received_at.saturating_sub(started) >= self.window_us)
    }

    /// Closes the current generation, whose transaction is open, and opens one in
    /// the next.
    fn rotate(&mut self, mut span: Span) -> Result<Span> {
        span.closed = true;
        span.write(&self.current.conn)?;
        step(&self.current.conn, "COMMIT")?;
        failpoints::hit(&self.dir, "index: closed")?;
        // Nothing will be added, and it has to be whole after a power cut.
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

    /// Reads the blocks after the span up to `until` from the log, within the
    /// transaction that is open.
    fn catch_up(&mut self, mut span: Span, until: i64) -> Result<Span> {
        // With the lines, which say whose scope an id is in.
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
                    // An event that cannot be read is stored when it comes again.
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

/// The block after which everything has to be known, for the last `window_us`
/// before the newest block.
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

/// The events of one block on their way into the index.
pub(super) struct Group<'i> {
    dir: &'i Path,
    conn: &'i Connection,
    older: Option<&'i Connection>,
    span: Span,
    insert: CachedStatement<'i>,
    probe: Option<CachedStatement<'i>>,
}

impl Group<'_> {
    /// Whether the event is new, in which case it is known from now on.
    pub(super) fn add(&mut self, project: i64, id: &[u8; 16], scope: DedupScope) -> Result<bool> {
        let key = (project, id, scope.number());
        if self.insert.execute(key)? == 0 {
            return Ok(false);
        }
        match &mut self.probe {
            Some(probe) => Ok(probe.query_row(key, |_| Ok(())).optional()?.is_none()),
            None => Ok(true),
        }
    }

    /// Keeps the events, which the block `tip` has.
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
