//! A warehouse in an embedded DuckDB database.

mod append;
mod error;
mod files;
mod sql;

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use duckdb::{Config, Connection, params};
use muriel_log::{LogId, Position};

use self::append::{append, append_rewrites};
use self::error::{OpenError, classify_open_error, is_corruption};
use self::files::{beside, lock_exclusively, log_of, move_away, remove, remove_file, sync_dir};
use crate::answer::{
    ActivityAnswer, ExperimentAnswer, PagesAnswer, PairAnswer, SharedAnswer, TrafficAnswer, VisitorTotals,
};
use crate::question::{
    ActivityQuestion, ExperimentQuestion, PagesQuestion, PairQuestion, SharedQuestion, TrafficQuestion,
    VisitorsQuestion,
};
use crate::row::{Rows, kind};
use crate::{Error, LoadTarget, Result, StopToken, WarehouseReader, WarehouseWriter, Watermark, Watermarks, lock};

/// Version of the schema and of the stored values. A file with another version is rebuilt.
const SCHEMA: i32 = 15;
const TABLES: &str = include_str!("schema.sql");
/// Size of the write-ahead log at which DuckDB checkpoints it into the file.
const CHECKPOINT: &str = "64MB";
/// Maximum number of names in each of the two generations of [`StoredNames`].
const MAX_STORED_NAMES: usize = 100_000;

/// Resource limits of a warehouse.
#[derive(Clone, Debug)]
pub struct WarehouseOptions {
    /// Memory limit of the database in bytes; 1 GiB by default. Larger questions spill to disk, into a directory next
    /// to the file.
    pub memory_bytes: u64,
    /// Number of threads for all questions together; the number of cores by default.
    pub threads: usize,
}

impl Default for WarehouseOptions {
    fn default() -> WarehouseOptions {
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        WarehouseOptions { memory_bytes: 1 << 30, threads }
    }
}

/// A warehouse in a DuckDB file, or in memory.
pub struct DuckWarehouse {
    options: WarehouseOptions,
    /// Path of the file; `None` in memory.
    place: Option<DatabasePath>,
    /// Database that answers questions. Questions hold the read lock; `None` after the files could not be swapped.
    answering: RwLock<Option<Database>>,
    /// Database of a running rebuild.
    rebuilding: Mutex<Option<Database>>,
    /// True when DuckDB has invalidated the database, so that it must be reopened.
    failed: AtomicBool,
    /// True when the file itself is damaged, so that reopening would not help.
    damaged: AtomicBool,
}

struct DatabasePath {
    path: PathBuf,
    /// Held while the warehouse is open: DuckDB's own lock does not exclude a second opening by the same process.
    _lock: File,
}

/// An open database. It is closed with its last connection.
struct Database {
    writer: Mutex<Writer>,
    /// Creates connections for questions, also while the writer is busy.
    connector: Mutex<Connection>,
    logs: Mutex<Logs>,
}

struct Writer {
    conn: Connection,
    known: StoredNames,
    known_profiles: StoredNames,
    known_visitors: StoredNames,
}

/// The logs with stored rows, each with its number in the tables and its watermark.
type Logs = BTreeMap<LogId, (u8, Watermark)>;

/// Cache of stored hashes of URLs, profiles or visitors, each with its project. When it is full, the older generation
/// is dropped. Storing a row twice is harmless.
#[derive(Default)]
struct StoredNames {
    young: HashSet<(u64, u64)>,
    old: HashSet<(u64, u64)>,
}

impl StoredNames {
    fn has(&self, name: (u64, u64)) -> bool {
        self.young.contains(&name) || self.old.contains(&name)
    }

    fn add(&mut self, name: (u64, u64)) {
        if self.young.len() == MAX_STORED_NAMES {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(name);
    }
}

impl DuckWarehouse {
    /// Opens the warehouse at `path`, or creates it. A file that cannot be used (damaged, another version) is renamed
    /// to `path` with the suffix `.old`, and an empty warehouse is created. [`WarehouseWriter::prune`] and
    /// [`WarehouseWriter::finish_rebuild`] remove the renamed file.
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::File`], and DuckDB's errors when a new file cannot be created.
    pub fn open(path: &Path, options: &WarehouseOptions) -> Result<DuckWarehouse> {
        let place = DatabasePath { path: path.to_owned(), _lock: lock_exclusively(path)? };
        remove(&beside(path, ".new"))?;
        let database = Database::open_or_begin(path, options)?;
        Ok(DuckWarehouse::of(database, Some(place), options))
    }

    /// Creates an empty warehouse in memory, which never uses the disk.
    ///
    /// # Errors
    /// [`Error::Engine`] when DuckDB fails.
    pub fn in_memory(options: &WarehouseOptions) -> Result<DuckWarehouse> {
        let database = Database::begin(None, options)?;
        Ok(DuckWarehouse::of(database, None, options))
    }

    fn of(database: Database, place: Option<DatabasePath>, options: &WarehouseOptions) -> DuckWarehouse {
        DuckWarehouse {
            options: options.clone(),
            place,
            answering: RwLock::new(Some(database)),
            rebuilding: Mutex::new(None),
            failed: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
        }
    }

    /// Calls `read` with a separate connection, which [`StopToken::stop`] interrupts. Its temporary tables are dropped
    /// with the connection.
    pub(super) fn read<T>(&self, stop: &StopToken, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let answering = self.answering();
        let database = answering.as_ref().ok_or(Error::Damaged(None))?;
        let conn = lock(&database.connector).try_clone()?;
        let handle = conn.interrupt_handle();
        let _watch = stop.watch(move || handle.interrupt());
        stop.check()?;
        let answer = read(&conn);
        stop.check()?;
        self.remember_damage(answer)
    }

    fn answering(&self) -> RwLockReadGuard<'_, Option<Database>> {
        self.answering.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `result`, and records it if it means that the database is damaged.
    fn remember_damage<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error @ Error::Damaged(_)) = &result {
            self.failed.store(true, Ordering::Release);
            self.damaged.fetch_or(is_corruption(error), Ordering::AcqRel);
        }
        result
    }

    /// Applies `change` to the answering database or to the one of the rebuild.
    fn target<T>(&self, target: LoadTarget, change: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        match target {
            LoadTarget::Answering => self.change(change),
            LoadTarget::Rebuild => {
                let rebuilding = lock(&self.rebuilding);
                change(rebuilding.as_ref().ok_or(Error::Damaged(None))?)
            }
        }
    }

    /// Applies `change` to the answering database.
    fn change<T>(&self, change: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        let result = self.answering().as_ref().ok_or(Error::Damaged(None)).and_then(change);
        self.remember_damage(result)
    }
}

impl WarehouseReader for DuckWarehouse {
    fn ask_with_networks(
        &self,
        question: &ExperimentQuestion,
        stop: &StopToken,
        wants: &mut dyn FnMut(&ExperimentAnswer) -> bool,
    ) -> Result<ExperimentAnswer> {
        self.read(stop, |connection| sql::ask(connection, question, stop, wants))
    }

    fn pair(&self, question: &PairQuestion, stop: &StopToken) -> Result<PairAnswer> {
        self.read(stop, |connection| sql::pair(connection, question, stop))
    }

    fn shared(&self, question: &SharedQuestion, stop: &StopToken) -> Result<SharedAnswer> {
        self.read(stop, |connection| sql::shared(connection, question, stop))
    }

    fn traffic(&self, question: &TrafficQuestion, stop: &StopToken) -> Result<TrafficAnswer> {
        self.read(stop, |connection| sql::traffic(connection, question, stop))
    }

    fn visitors(
        &self,
        question: &VisitorsQuestion,
        stop: &StopToken,
        each: &mut dyn FnMut(VisitorTotals),
    ) -> Result<()> {
        self.read(stop, |connection| sql::visitors(connection, question, stop, each))
    }

    fn activity(&self, question: &ActivityQuestion, stop: &StopToken) -> Result<ActivityAnswer> {
        self.read(stop, |connection| sql::activity(connection, question, stop))
    }

    fn pages(&self, question: &PagesQuestion, stop: &StopToken) -> Result<PagesAnswer> {
        self.read(stop, |connection| sql::viewed_pages(connection, question, stop))
    }
}

impl WarehouseWriter for DuckWarehouse {
    fn watermarks(&self) -> Watermarks {
        let answering = self.answering();
        let logs = answering.as_ref().map(|database| lock(&database.logs));
        logs.iter().flat_map(|logs| logs.iter()).map(|(log, (_, mark))| (*log, *mark)).collect()
    }

    fn load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Watermark) -> Result<()> {
        self.target(target, |database| database.load(log, rows, mark))
    }

    fn prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        let rows = self.change(|database| database.prune(log, oldest))?;
        // The renamed file may hold events that retention has deleted from the log.
        self.path().map_or(Ok(()), |path| remove(&beside(path, ".old")))?;
        Ok(rows)
    }

    fn rewritten_blocks(&self, target: LoadTarget, log: LogId, first: i64, last: i64) -> Result<Vec<(i64, i64)>> {
        self.target(target, |database| database.rewritten_blocks(log, first, last))
    }

    fn refresh(&self, target: LoadTarget, log: LogId, blocks: &[i64], rows: &Rows) -> Result<()> {
        self.target(target, |database| database.refresh(log, blocks, rows))
    }

    fn remove_unused_texts(&self, target: LoadTarget) -> Result<()> {
        self.target(target, Database::remove_unused_texts)
    }

    fn has_erased_bytes(&self) -> Result<bool> {
        self.change(|database| {
            let writer = lock(&database.writer);
            let found =
                writer.conn.query_row("SELECT count(*) FROM rewritten WHERE in_place", [], |row| row.get::<_, i64>(0));
            Ok(found? > 0)
        })
    }

    fn damaged_blocks(&self, log: LogId, limit: usize) -> Result<Vec<i64>> {
        let number = self.change(|database| Ok(lock(&database.logs).get(&log).map(|(number, _)| *number)))?;
        let Some(number) = number else { return Ok(Vec::new()) };
        self.read(&StopToken::new(), |connection| {
            let sql = format!(
                "SELECT DISTINCT first FROM damage WHERE project IS NULL AND log = {number} ORDER BY first LIMIT {limit}"
            );
            let mut blocks = connection.prepare(&sql)?;
            let blocks = blocks.query_map([], |row| row.get(0))?;
            Ok(blocks.collect::<duckdb::Result<_>>()?)
        })
    }

    fn is_damaged(&self) -> bool {
        self.failed.load(Ordering::Acquire) || self.answering().is_none()
    }

    fn recover(&self) -> Result<()> {
        let Some(path) = self.path().filter(|_| !self.damaged.load(Ordering::Acquire)) else {
            return self.reset();
        };
        let mut answering = self.answering.write().unwrap_or_else(PoisonError::into_inner);
        *answering = None;
        *answering = Some(Database::open_or_begin(path, &self.options)?);
        self.failed.store(false, Ordering::Release);
        Ok(())
    }

    fn reset(&self) -> Result<()> {
        let mut rebuilding = lock(&self.rebuilding);
        *rebuilding = None;
        let mut answering = self.answering.write().unwrap_or_else(PoisonError::into_inner);
        // It must be closed before it is renamed.
        *answering = None;
        if let Some(place) = &self.place {
            remove(&beside(&place.path, ".new"))?;
            move_away(&place.path)?;
        }
        *answering = Some(Database::begin(self.path(), &self.options)?);
        self.failed.store(false, Ordering::Release);
        self.damaged.store(false, Ordering::Release);
        Ok(())
    }

    fn begin_rebuild(&self) -> Result<()> {
        let mut rebuilding = lock(&self.rebuilding);
        *rebuilding = None;
        let path = self.path().map(|path| beside(path, ".new"));
        if let Some(path) = &path {
            remove(path)?;
        }
        *rebuilding = Some(Database::begin(path.as_deref(), &self.options)?);
        Ok(())
    }

    fn abandon_rebuild(&self) {
        *lock(&self.rebuilding) = None;
    }

    fn finish_rebuild(&self) -> Result<()> {
        let mut rebuilding = lock(&self.rebuilding);
        let Some(rebuilt) = rebuilding.take() else { return Ok(()) };
        let Some(path) = self.path() else {
            *self.answering.write().unwrap_or_else(PoisonError::into_inner) = Some(rebuilt);
            return Ok(());
        };
        // Questions wait for this lock, which is held briefly.
        rebuilt.close()?;
        let mut answering = self.answering.write().unwrap_or_else(PoisonError::into_inner);
        *answering = None;
        let new = beside(path, ".new");
        // Remove the old write-ahead log first: it must never be replayed into the new file.
        remove_file(&log_of(path))?;
        fs::rename(&new, path).map_err(|error| Error::file("rename", &new, error))?;
        sync_dir(path)?;
        *answering = Some(Database::open(path, &self.options).map_err(OpenError::into_error)?);
        remove(&beside(path, ".old"))?;
        self.failed.store(false, Ordering::Release);
        self.damaged.store(false, Ordering::Release);
        Ok(())
    }
}

impl DuckWarehouse {
    fn path(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| &*place.path)
    }
}

impl Database {
    /// Creates a database; in memory without a path.
    fn begin(path: Option<&Path>, options: &WarehouseOptions) -> Result<Database> {
        let conn = connect(path, options)?;
        conn.execute_batch("BEGIN")?;
        conn.execute_batch(TABLES)?;
        conn.execute("INSERT INTO version VALUES (?)", [SCHEMA])?;
        conn.execute_batch("COMMIT")?;
        Database::of(conn, Logs::new())
    }

    fn of(conn: Connection, logs: Logs) -> Result<Database> {
        let connector = Mutex::new(conn.try_clone()?);
        let writer = Mutex::new(Writer {
            conn,
            known: StoredNames::default(),
            known_profiles: StoredNames::default(),
            known_visitors: StoredNames::default(),
        });
        Ok(Database { writer, connector, logs: Mutex::new(logs) })
    }

    /// Opens the database at `path`, or creates it.
    fn open(path: &Path, options: &WarehouseOptions) -> Result<Database, OpenError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        match file.and_then(|file| file.metadata()).map(|file| file.len()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(OpenError::Failed(Error::file("open", path, error)));
            }
            // A write-ahead log of another file must not be replayed.
            Err(_) | Ok(0) => {
                remove(path).map_err(OpenError::Failed)?;
                return Database::begin(Some(path), options).map_err(OpenError::Failed);
            }
            Ok(_) => {}
        }
        let conn = connect(Some(path), options).map_err(classify_open_error)?;
        let logs = read_logs(&conn).map_err(classify_open_error)?;
        let logs = logs.ok_or_else(|| OpenError::Unfit("it was made by another version".to_owned()))?;
        Database::of(conn, logs).map_err(OpenError::Failed)
    }

    /// Like [`Database::open`], but replaces the database by an empty one if it cannot be used.
    fn open_or_begin(path: &Path, options: &WarehouseOptions) -> Result<Database> {
        match Database::open(path, options) {
            Ok(database) => Ok(database),
            Err(OpenError::Unfit(problem)) => {
                tracing::warn!(path = %path.display(), problem, "the warehouse cannot be used; it is rebuilt from the log");
                move_away(path)?;
                Database::begin(Some(path), options)
            }
            Err(OpenError::Failed(error)) => Err(error),
        }
    }

    fn load(&self, log: LogId, rows: &Rows, mark: Watermark) -> Result<()> {
        let Writer { conn, known, known_profiles, known_visitors } = &mut *lock(&self.writer);
        let urls: Vec<_> = rows.urls.iter().filter(|row| !known.has((row.project, row.url))).collect();
        let profiles: Vec<_> =
            rows.profiles.iter().filter(|row| !known_profiles.has((row.project, row.profile))).collect();
        let visitors: Vec<_> =
            rows.visitors.iter().filter(|row| !known_visitors.has((row.project, row.visitor))).collect();
        let (number, is_new) = {
            let logs = lock(&self.logs);
            match logs.get(&log) {
                Some((number, _)) => (*number, false),
                // Numbers are assigned in sequence and never reused.
                None => (u8::try_from(logs.len() + 1).map_err(|_| Error::TooManyLogs)?, true),
            }
        };
        let transaction = conn.transaction()?;
        append(&transaction, number, rows, &urls, &profiles, &visitors)?;
        append_rewrites(&transaction, number, &rows.rewrites, false)?;
        let (seq, hash) = (mark.position.seq, mark.hash.map(Vec::from));
        if is_new {
            let id = log.as_bytes().to_vec();
            transaction.execute("INSERT INTO logs VALUES (?, ?, ?, ?)", params![number, id, seq, hash])?;
        } else {
            transaction.execute("UPDATE logs SET seq = ?, hash = ? WHERE number = ?", params![seq, hash, number])?;
        }
        transaction.commit()?;
        for row in urls {
            known.add((row.project, row.url));
        }
        for row in profiles {
            known_profiles.add((row.project, row.profile));
        }
        for row in visitors {
            known_visitors.add((row.project, row.visitor));
        }
        lock(&self.logs).insert(log, (number, mark));
        Ok(())
    }

    fn prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        let Some(log) = lock(&self.logs).get(&log).map(|(number, _)| *number) else { return Ok(0) };
        let Writer { conn, known, known_profiles, known_visitors } = &mut *lock(&self.writer);
        let transaction = conn.transaction()?;
        let mut gone = 0;
        for table in ["events", "exposures", "health"] {
            gone +=
                transaction.execute(&format!("DELETE FROM {table} WHERE log = ? AND seq < ?"), params![log, oldest])?;
        }
        if gone > 0 {
            delete_unused_texts(&transaction)?;
        }
        transaction.execute("DELETE FROM damage WHERE log = ? AND greatest(first, last) < ?", params![log, oldest])?;
        transaction.execute("DELETE FROM rewritten WHERE log = ? AND seq < ?", params![log, oldest])?;
        transaction.commit()?;
        if gone > 0 {
            // The caches may now contain deleted names.
            *known = StoredNames::default();
            *known_profiles = StoredNames::default();
            *known_visitors = StoredNames::default();
            if let Err(error) = conn.execute_batch("CHECKPOINT") {
                // The rows are deleted in any case; a later checkpoint frees their space.
                tracing::debug!(error = &error as &dyn std::error::Error, "the warehouse could not be compacted");
            }
        }
        Ok(gone as u64)
    }

    fn rewritten_blocks(&self, log: LogId, first: i64, last: i64) -> Result<Vec<(i64, i64)>> {
        let Some(log) = lock(&self.logs).get(&log).map(|(number, _)| *number) else { return Ok(Vec::new()) };
        let writer = lock(&self.writer);
        let sql = "SELECT seq, max(nth) FROM rewritten WHERE log = ? AND seq BETWEEN ? AND ? GROUP BY seq ORDER BY seq";
        let mut blocks = writer.conn.prepare(sql)?;
        let blocks = blocks.query_map(params![log, first, last], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(blocks.collect::<duckdb::Result<_>>()?)
    }

    fn refresh(&self, log: LogId, blocks: &[i64], rows: &Rows) -> Result<()> {
        let Some(number) = lock(&self.logs).get(&log).map(|(number, _)| *number) else { return Ok(()) };
        let numbers = blocks.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let writer = &mut *lock(&self.writer);
        let transaction = writer.conn.transaction()?;
        for table in ["events", "exposures", "health"] {
            transaction
                .execute(&format!("DELETE FROM {table} WHERE log = ? AND seq IN ({numbers})"), params![number])?;
        }
        // Events that could not be parsed are among the new rows again.
        let of_events = format!("DELETE FROM damage WHERE log = ? AND project IS NOT NULL AND first IN ({numbers})");
        transaction.execute(&of_events, params![number])?;
        let (urls, profiles, visitors): (Vec<_>, Vec<_>, Vec<_>) =
            (rows.urls.iter().collect(), rows.profiles.iter().collect(), rows.visitors.iter().collect());
        append(&transaction, number, rows, &urls, &profiles, &visitors)?;
        append_rewrites(&transaction, number, &rows.rewrites, true)?;
        transaction.commit()?;
        Ok(())
    }

    fn remove_unused_texts(&self) -> Result<()> {
        let writer = &mut *lock(&self.writer);
        let transaction = writer.conn.transaction()?;
        delete_unused_texts(&transaction)?;
        transaction.commit()?;
        // The caches may now contain deleted names.
        writer.known = StoredNames::default();
        writer.known_profiles = StoredNames::default();
        writer.known_visitors = StoredNames::default();
        Ok(())
    }

    /// Checkpoints the database into its file.
    fn close(self) -> Result<()> {
        let writer = self.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        writer.conn.execute_batch("CHECKPOINT")?;
        Ok(())
    }
}

fn delete_unused_texts(conn: &Connection) -> Result<()> {
    // A URL may identify a visitor, so it is deleted with the last view of its page.
    conn.execute(
        "DELETE FROM urls WHERE (project, url) NOT IN
             (SELECT project, url FROM events WHERE kind = ? AND url IS NOT NULL)",
        [kind::PAGEVIEW],
    )?;
    // A profile is deleted with the last visitor who has it.
    conn.execute("DELETE FROM profiles WHERE (project, profile) NOT IN (SELECT project, profile FROM exposures)", [])?;
    // An id is deleted with the visitor's last event.
    conn.execute("DELETE FROM visitors WHERE (project, visitor) NOT IN (SELECT project, visitor FROM events)", [])?;
    Ok(())
}

fn connect(path: Option<&Path>, options: &WarehouseOptions) -> Result<Connection> {
    let mut config = Config::default()
        .max_memory(&format!("{}B", options.memory_bytes))?
        .threads(i64::try_from(options.threads.max(1)).unwrap_or(i64::MAX))?
        .enable_autoload_extension(false)?
        .with("checkpoint_threshold", CHECKPOINT)?
        // Every statement has its own ORDER BY.
        .with("preserve_insertion_order", "false")?;
    // An in-memory database must not spill to disk.
    let temporary = path.map(|path| beside(path, ".tmp"));
    config = match temporary.as_deref().map(|path| path.to_str().ok_or(path)) {
        None => config.with("temp_directory", "")?,
        Some(Ok(temporary)) => config.with("temp_directory", temporary)?,
        Some(Err(path)) => return Err(duckdb::Error::InvalidPath(path.to_owned()).into()),
    };
    let conn = match path {
        Some(path) => Connection::open_with_flags(path, config)?,
        None => Connection::open_in_memory_with_flags(config)?,
    };
    // No statement accesses other files or changes settings.
    conn.execute_batch("SET enable_external_access = false; SET lock_configuration = true")?;
    Ok(conn)
}

/// The logs whose rows are stored; `None` when the tables have another schema version.
fn read_logs(conn: &Connection) -> Result<Option<Logs>> {
    let version: Vec<i32> =
        conn.prepare("SELECT schema FROM version")?.query_map([], |row| row.get(0))?.collect::<duckdb::Result<_>>()?;
    if version != [SCHEMA] {
        return Ok(None);
    }
    let mut logs = conn.prepare("SELECT number, id, seq, hash FROM logs")?;
    let logs = logs.query_map([], |row| {
        let (number, id, seq, hash): (u8, Vec<u8>, i64, Option<Vec<u8>>) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok((id, number, mark_of(seq, hash)))
    })?;
    let logs = logs.collect::<duckdb::Result<Vec<_>>>()?;
    // This version never writes ids of another length.
    let logs =
        logs.into_iter().map(|(id, number, mark)| Some((LogId::from_bytes(id.try_into().ok()?), (number, mark))));
    Ok(logs.collect())
}

/// Creates a watermark from a row of the table `logs`.
fn mark_of(seq: i64, hash: Option<Vec<u8>>) -> Watermark {
    Watermark { position: Position { seq }, hash: hash.and_then(|hash| hash.try_into().ok()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    #[test]
    fn it_conforms() {
        let options = WarehouseOptions { memory_bytes: 256 << 20, threads: 2 };
        crate::conformance::check(&|| Box::new(DuckWarehouse::in_memory(&options).unwrap()));
    }

    #[test]
    fn questions_are_stopped() {
        let options = WarehouseOptions { memory_bytes: 64 << 20, threads: 2 };
        let warehouse = DuckWarehouse::in_memory(&options).unwrap();
        let (stop, other) = (StopToken::new(), StopToken::new());
        let running = AtomicU32::new(0);
        thread::scope(|scope| {
            let asked = scope.spawn(|| {
                warehouse.read(&stop, |conn| {
                    running.store(1, Ordering::Release);
                    // Runs practically forever.
                    let forever =
                        "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range = b.range + 1";
                    Ok(conn.query_row(forever, [], |row| row.get::<_, i64>(0))?)
                })
            });
            while running.load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            // Repeated, because the first interrupt may come before the statement starts.
            while !asked.is_finished() {
                stop.stop();
                thread::yield_now();
            }
            assert!(matches!(asked.join().unwrap(), Err(Error::Stopped)));
        });
        // Later questions with this token fail immediately.
        assert!(matches!(warehouse.read(&stop, |_| Ok(())), Err(Error::Stopped)));
        assert!(warehouse.read(&other, |_| Ok(())).is_ok());
        assert!(!other.is_stopped());
    }

    #[test]
    fn memory_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let options = WarehouseOptions { memory_bytes: 32 << 20, threads: 2 };
        let asked = "SELECT count(*) FROM (SELECT DISTINCT hash(range) FROM range(4000000))";
        let ask = |warehouse: &DuckWarehouse| {
            warehouse.read(&StopToken::new(), |conn| Ok(conn.query_row(asked, [], |row| row.get::<_, i64>(0))?))
        };
        // Without a disk to spill to, only the large question fails.
        let warehouse = DuckWarehouse::in_memory(&options).unwrap();
        assert!(matches!(ask(&warehouse), Err(Error::Memory)));
        assert!(!warehouse.is_damaged());
        let warehouse = DuckWarehouse::open(&dir.path().join("w"), &options).unwrap();
        assert_eq!(ask(&warehouse).unwrap(), 4_000_000);
    }

    #[test]
    fn nothing_else_is_read_or_written() {
        let dir = tempfile::tempdir().unwrap();
        let warehouse = DuckWarehouse::open(&dir.path().join("w"), &WarehouseOptions::default()).unwrap();
        let other = dir.path().join("other.csv");
        fs::write(&other, "1\n").unwrap();
        let read = format!("FROM '{}'", other.display());
        let write = format!("COPY (SELECT 1) TO '{}'", dir.path().join("new.csv").display());
        for sql in [&*read, &write, "SET enable_external_access = true", "SET threads = 7", "INSTALL json"] {
            let done = warehouse.read(&StopToken::new(), |conn| Ok(conn.execute_batch(sql)?));
            assert!(matches!(done, Err(Error::Engine(_))), "{sql}");
        }
    }
}
