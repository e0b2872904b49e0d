//! A warehouse in DuckDB, inside of this process.

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

use self::append::append;
use self::error::{OpenError, classify_open_error, is_corruption};
use self::files::{beside, lock_exclusively, log_of, move_away, remove, remove_file, sync_dir};
use crate::answer::{ExperimentAnswer, TrafficAnswer, VisitorTotals};
use crate::question::{ExperimentQuestion, TrafficQuestion, VisitorsQuestion};
use crate::row::{Rows, kind};
use crate::{Error, LoadTarget, Mark, Marks, Result, StopToken, WarehouseReader, WarehouseWriter, lock};

/// Counts the changes of the tables and of what is written into them.
const SCHEMA: i32 = 8;
const TABLES: &str = include_str!("schema.sql");
/// Bytes of its write-ahead log before the database moves them to its file.
const CHECKPOINT: &str = "64MB";
/// Names that one generation of [`StoredNames`] holds; there are two generations.
const MAX_STORED_NAMES: usize = 100_000;

/// How much a warehouse may use.
#[derive(Clone, Debug)]
pub struct WarehouseOptions {
    /// Memory of the database, in bytes. 1 GiB. Larger questions go on on the
    /// disk, beside the file.
    pub memory_bytes: u64,
    /// Threads that answer, of all questions together. As many as there are cores.
    pub threads: usize,
}

impl Default for WarehouseOptions {
    fn default() -> WarehouseOptions {
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        WarehouseOptions { memory_bytes: 1 << 30, threads }
    }
}

/// A warehouse in a file of DuckDB, or in memory.
pub struct DuckWarehouse {
    options: WarehouseOptions,
    /// `None` in memory.
    place: Option<DatabasePath>,
    /// Read by whoever asks, for as long as that takes; `None` when the files could
    /// not be exchanged.
    answering: RwLock<Option<Database>>,
    /// The one that is being made beside it.
    rebuilding: Mutex<Option<Database>>,
    /// It has to be opened anew.
    failed: AtomicBool,
    /// That would not help: its file is damaged.
    damaged: AtomicBool,
}

struct DatabasePath {
    path: PathBuf,
    /// Held for as long as the warehouse is open: the database's own lock does not
    /// keep the same process out.
    _lock: File,
}

/// An open database. The last connection to it closes it.
struct Database {
    writer: Mutex<Writer>,
    /// Makes connections for questions while the writer is busy.
    connector: Mutex<Connection>,
    logs: Mutex<Logs>,
}

struct Writer {
    conn: Connection,
    known: StoredNames,
    known_profiles: StoredNames,
}

/// The logs whose rows are stored, each with the number that its rows have and up to
/// where they go.
type Logs = BTreeMap<LogId, (u8, Mark)>;

/// Hashes of addresses, or of profiles, that are stored already, each with its project. When
/// it is full it forgets the older half: storing a row twice does no harm.
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
    /// Opens the warehouse at `path`, or begins one there. One that cannot be used
    /// (damaged, of another version) is moved away, to `path` with `.old` at its end,
    /// and an empty one begun. What was moved away is removed by
    /// [`WarehouseWriter::prune`] or the next [`WarehouseWriter::finish_rebuild`].
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::File`], and whatever the database has against
    /// beginning a new one.
    pub fn open(path: &Path, options: &WarehouseOptions) -> Result<DuckWarehouse> {
        let place = DatabasePath { path: path.to_owned(), _lock: lock_exclusively(path)? };
        remove(&beside(path, ".new"))?;
        let database = Database::open_or_begin(path, options)?;
        Ok(DuckWarehouse::of(database, Some(place), options))
    }

    /// An empty one that is gone when it is dropped, and knows no disk.
    ///
    /// # Errors
    /// The database's.
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

    /// Gives `read` a connection of its own, which [`StopToken::stop`] interrupts. The
    /// temporary tables it makes there go with it.
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

    /// Remembers damage, and passes on what it is given.
    fn remember_damage<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error @ Error::Damaged(_)) = &result {
            self.failed.store(true, Ordering::Release);
            self.damaged.fetch_or(is_corruption(error), Ordering::AcqRel);
        }
        result
    }

    /// Does `change` to the database that answers.
    fn change<T>(&self, change: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        let result = self.answering().as_ref().ok_or(Error::Damaged(None)).and_then(change);
        self.remember_damage(result)
    }
}

impl WarehouseReader for DuckWarehouse {
    fn ask(&self, question: &ExperimentQuestion, stop: &StopToken) -> Result<ExperimentAnswer> {
        self.read(stop, |connection| sql::ask(connection, question, stop))
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
}

impl WarehouseWriter for DuckWarehouse {
    fn marks(&self) -> Marks {
        let answering = self.answering();
        let logs = answering.as_ref().map(|database| lock(&database.logs));
        logs.iter().flat_map(|logs| logs.iter()).map(|(log, (_, mark))| (*log, *mark)).collect()
    }

    fn load(&self, target: LoadTarget, log: LogId, rows: &Rows, mark: Mark) -> Result<()> {
        match target {
            LoadTarget::Answering => self.change(|database| database.load(log, rows, mark)),
            LoadTarget::Rebuild => {
                let rebuilding = lock(&self.rebuilding);
                rebuilding.as_ref().ok_or(Error::Damaged(None))?.load(log, rows, mark)
            }
        }
    }

    fn prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        let rows = self.change(|database| database.prune(log, oldest))?;
        // What was moved away may hold what the log has forgotten.
        self.path().map_or(Ok(()), |path| remove(&beside(path, ".old")))?;
        Ok(rows)
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
        // Closed before it is moved.
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
        // Whoever asks meanwhile waits, for a moment.
        rebuilt.close()?;
        let mut answering = self.answering.write().unwrap_or_else(PoisonError::into_inner);
        *answering = None;
        let new = beside(path, ".new");
        // The old write-ahead log goes first: it must never meet the new file.
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
    /// A new one; in memory without a path.
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
        let writer = Mutex::new(Writer { conn, known: StoredNames::default(), known_profiles: StoredNames::default() });
        Ok(Database { writer, connector, logs: Mutex::new(logs) })
    }

    /// The one at `path`, begun if there is none.
    fn open(path: &Path, options: &WarehouseOptions) -> Result<Database, OpenError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        match file.and_then(|file| file.metadata()).map(|file| file.len()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(OpenError::Failed(Error::file("open", path, error)));
            }
            // No write-ahead log may meet a file that it is not of.
            Err(_) | Ok(0) => {
                remove(path).map_err(OpenError::Failed)?;
                return Database::begin(Some(path), options).map_err(OpenError::Failed);
            }
            Ok(_) => {}
        }
        let conn = connect(Some(path), options).map_err(classify_open_error)?;
        let logs = read_logs(&conn).map_err(classify_open_error)?;
        let logs = logs.ok_or_else(|| OpenError::Unfit("it is of another version".to_owned()))?;
        Database::of(conn, logs).map_err(OpenError::Failed)
    }

    /// The same, or an empty one in its place if it cannot be used.
    fn open_or_begin(path: &Path, options: &WarehouseOptions) -> Result<Database> {
        match Database::open(path, options) {
            Ok(database) => Ok(database),
            Err(OpenError::Unfit(problem)) => {
                tracing::warn!(path = %path.display(), problem, "the warehouse cannot be used, it is made again from the log");
                move_away(path)?;
                Database::begin(Some(path), options)
            }
            Err(OpenError::Failed(error)) => Err(error),
        }
    }

    fn load(&self, log: LogId, rows: &Rows, mark: Mark) -> Result<()> {
        let Writer { conn, known, known_profiles } = &mut *lock(&self.writer);
        let urls: Vec<_> = rows.urls.iter().filter(|row| !known.has((row.project, row.url))).collect();
        let profiles: Vec<_> =
            rows.profiles.iter().filter(|row| !known_profiles.has((row.project, row.profile))).collect();
        let (number, is_new) = {
            let logs = lock(&self.logs);
            match logs.get(&log) {
                Some((number, _)) => (*number, false),
                // Numbers are given out in turn and never back.
                None => (u8::try_from(logs.len() + 1).map_err(|_| Error::TooManyLogs)?, true),
            }
        };
        let transaction = conn.transaction()?;
        append(&transaction, number, rows, &urls, &profiles)?;
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
        lock(&self.logs).insert(log, (number, mark));
        Ok(())
    }

    fn prune(&self, log: LogId, oldest: i64) -> Result<u64> {
        let Some(log) = lock(&self.logs).get(&log).map(|(number, _)| *number) else { return Ok(0) };
        let Writer { conn, known, known_profiles } = &mut *lock(&self.writer);
        let transaction = conn.transaction()?;
        let mut gone = 0;
        for table in ["events", "exposures", "applied"] {
            gone +=
                transaction.execute(&format!("DELETE FROM {table} WHERE log = ? AND seq < ?"), params![log, oldest])?;
        }
        if gone > 0 {
            // An address may say who was there: it goes with the last view of its page.
            transaction.execute(
                "DELETE FROM urls WHERE (project, url) NOT IN
                     (SELECT project, url FROM events WHERE kind = ? AND url IS NOT NULL)",
                [kind::PAGEVIEW],
            )?;
            // And what is known of a visitor with the last who is like that.
            transaction.execute(
                "DELETE FROM profiles WHERE (project, profile) NOT IN (SELECT project, profile FROM exposures)",
                [],
            )?;
        }
        transaction.execute("DELETE FROM damage WHERE log = ? AND greatest(first, last) < ?", params![log, oldest])?;
        transaction.commit()?;
        if gone > 0 {
            // Otherwise all of them are still stored, and would be once more.
            *known = StoredNames::default();
            *known_profiles = StoredNames::default();
            if let Err(error) = conn.execute_batch("CHECKPOINT") {
                // The rows are gone all the same; their space is free a while later.
                tracing::debug!(error = &error as &dyn std::error::Error, "the warehouse was not made smaller");
            }
        }
        Ok(gone as u64)
    }

    /// Puts everything into the one file.
    fn close(self) -> Result<()> {
        let writer = self.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        writer.conn.execute_batch("CHECKPOINT")?;
        Ok(())
    }
}

fn connect(path: Option<&Path>, options: &WarehouseOptions) -> Result<Connection> {
    let mut config = Config::default()
        .max_memory(&format!("{}B", options.memory_bytes))?
        .threads(i64::try_from(options.threads.max(1)).unwrap_or(i64::MAX))?
        .enable_autoload_extension(false)?
        .with("checkpoint_threshold", CHECKPOINT)?
        // Every answer says its order itself.
        .with("preserve_insertion_order", "false")?;
    // In memory nothing is written to any disk.
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
    // No statement of ours reads or writes other files, or needs another setting.
    conn.execute_batch("SET enable_external_access = false; SET lock_configuration = true")?;
    Ok(conn)
}

/// The logs whose rows are stored; `None` when the tables are of another version.
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
    // An id of another length is none that this version wrote.
    let logs =
        logs.into_iter().map(|(id, number, mark)| Some((LogId::from_bytes(id.try_into().ok()?), (number, mark))));
    Ok(logs.collect())
}

/// A mark as the table `logs` has it.
fn mark_of(seq: i64, hash: Option<Vec<u8>>) -> Mark {
    Mark { position: Position { seq }, hash: hash.and_then(|hash| hash.try_into().ok()) }
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
                    // Years of work.
                    let forever =
                        "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range = b.range + 1";
                    Ok(conn.query_row(forever, [], |row| row.get::<_, i64>(0))?)
                })
            });
            while running.load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            // Again and again, for the first may fall before the statement.
            while !asked.is_finished() {
                stop.stop();
                thread::yield_now();
            }
            assert!(matches!(asked.join().unwrap(), Err(Error::Stopped)));
        });
        // From now on it is not even begun.
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
        // Without a disk to go on on, a large question fails, and nothing else does.
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
