//! A warehouse in DuckDB, inside of this process.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use duckdb::{Config, Connection, params};

use super::answer::{Answer, Traffic, Visitor};
use super::question::{Question, TrafficQuestion, VisitorsQuestion};
use super::row::{ProfileRow, Rows, UrlRow, kind};
use super::sql;
use super::{Error, Mark, Result, Stop, Warehouse, lock};
use crate::log::Position;

/// Counts the changes of the tables and of what is written into them.
const SCHEMA: i32 = 7;
const TABLES: &str = include_str!("schema.sql");
/// Bytes of its write-ahead log before the database moves them to its file.
const CHECKPOINT: &str = "64MB";
/// Addresses, and profiles, that are known to be stored; twice as many of each at most.
const KNOWN: usize = 100_000;

/// How much a warehouse may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory of the database, in bytes. 1 GiB. Larger questions go on on the
    /// disk, beside the file.
    pub memory_bytes: u64,
    /// Threads that answer, of all questions together. As many as there are cores.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        Options { memory_bytes: 1 << 30, threads }
    }
}

/// A warehouse in a file of DuckDB, or in memory.
pub struct DuckWarehouse {
    options: Options,
    /// `None` in memory.
    place: Option<Place>,
    /// Read by whoever asks, for as long as that takes; `None` when the files could
    /// not be exchanged.
    answering: RwLock<Option<Database>>,
    /// The one that is being made beside it.
    growing: Mutex<Option<Database>>,
    /// It has to be opened anew.
    failed: AtomicBool,
    /// That would not help: its file is damaged.
    damaged: AtomicBool,
}

struct Place {
    path: PathBuf,
    /// Held for as long as the warehouse is open: the database's own lock does not
    /// keep the same process out.
    _lock: File,
}

/// An open database. The last connection to it closes it.
struct Database {
    writer: Mutex<Writer>,
    /// Makes connections while the writer is busy.
    door: Mutex<Connection>,
    state: Mutex<State>,
}

struct Writer {
    conn: Connection,
    known: Known,
    known_profiles: Known,
}

#[derive(Clone, Copy, Default)]
struct State {
    log: Option<[u8; 16]>,
    mark: Mark,
}

/// Names of what is stored, with their projects'. Forgets the older half when it is full: storing one
/// again does no harm.
#[derive(Default)]
struct Known {
    young: HashSet<(u64, u64)>,
    old: HashSet<(u64, u64)>,
}

impl Known {
    fn has(&self, name: (u64, u64)) -> bool {
        self.young.contains(&name) || self.old.contains(&name)
    }

    fn add(&mut self, name: (u64, u64)) {
        if self.young.len() == KNOWN {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(name);
    }
}

impl DuckWarehouse {
    /// Opens the warehouse at `path`, or begins one there. One that cannot be used
    /// (damaged, of another version) is moved away, to `path` with `.old` at its end,
    /// and an empty one begun. What was moved away is removed by
    /// [`Warehouse::prune`] or the next [`Warehouse::swap`].
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::File`], and whatever the database has against
    /// beginning a new one.
    pub fn open(path: &Path, options: &Options) -> Result<DuckWarehouse> {
        let place = Place { path: path.to_owned(), _lock: take(path)? };
        remove(&beside(path, ".new"))?;
        let database = Database::open_or_begin(path, options)?;
        Ok(DuckWarehouse::of(database, Some(place), options))
    }

    /// An empty one that is gone when it is dropped, and knows no disk.
    ///
    /// # Errors
    /// The database's.
    pub fn in_memory(options: &Options) -> Result<DuckWarehouse> {
        let database = Database::begin(None, options)?;
        Ok(DuckWarehouse::of(database, None, options))
    }

    fn of(database: Database, place: Option<Place>, options: &Options) -> DuckWarehouse {
        DuckWarehouse {
            options: options.clone(),
            place,
            answering: RwLock::new(Some(database)),
            growing: Mutex::new(None),
            failed: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
        }
    }

    /// Gives `read` a connection of its own, which [`Stop::stop`] interrupts. The
    /// temporary tables it makes there go with it.
    pub(super) fn read<T>(&self, stop: &Stop, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let answering = self.answering();
        let database = answering.as_ref().ok_or(Error::Damaged(None))?;
        let conn = lock(&database.door).try_clone()?;
        let handle = conn.interrupt_handle();
        let _watch = stop.watch(move || handle.interrupt());
        stop.check()?;
        let answer = read(&conn);
        stop.check()?;
        self.noted(answer)
    }

    fn answering(&self) -> RwLockReadGuard<'_, Option<Database>> {
        self.answering.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers damage.
    fn noted<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(Error::Damaged(cause)) = &result {
            let damaged = cause.as_ref().is_some_and(|cause| cause.to_string().contains("Corrupt"));
            self.failed.store(true, Ordering::Release);
            self.damaged.fetch_or(damaged, Ordering::AcqRel);
        }
        result
    }

    /// Does `change` to the database that answers.
    fn change<T>(&self, change: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
        let result = self.answering().as_ref().ok_or(Error::Damaged(None)).and_then(change);
        self.noted(result)
    }

    fn state(&self) -> State {
        self.answering().as_ref().map(|database| *lock(&database.state)).unwrap_or_default()
    }
}

impl Warehouse for DuckWarehouse {
    fn mark(&self) -> Mark {
        self.state().mark
    }

    fn log(&self) -> Option<[u8; 16]> {
        self.state().log
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

    fn damaged_blocks(&self, most: usize) -> Result<Vec<i64>> {
        self.read(&Stop::new(), |connection| {
            let sql = format!("SELECT DISTINCT first FROM damage WHERE project IS NULL ORDER BY first LIMIT {most}");
            let mut blocks = connection.prepare(&sql)?;
            let blocks = blocks.query_map([], |row| row.get(0))?;
            Ok(blocks.collect::<duckdb::Result<_>>()?)
        })
    }

    fn ask(&self, question: &Question, stop: &Stop) -> Result<Answer> {
        self.read(stop, |connection| sql::ask(connection, question, stop))
    }

    fn traffic(&self, question: &TrafficQuestion, stop: &Stop) -> Result<Traffic> {
        self.read(stop, |connection| sql::traffic(connection, question, stop))
    }

    fn visitors(&self, question: &VisitorsQuestion, stop: &Stop, tell: &mut dyn FnMut(Visitor)) -> Result<()> {
        self.read(stop, |connection| sql::visitors(connection, question, stop, tell))
    }

    fn load(&self, log: [u8; 16], rows: &Rows, mark: Mark) -> Result<()> {
        self.change(|database| database.load(rows, State { log: Some(log), mark }))
    }

    fn load_beside(&self, log: [u8; 16], rows: &Rows, mark: Mark) -> Result<()> {
        let growing = lock(&self.growing);
        let database = growing.as_ref().ok_or(Error::Damaged(None))?;
        database.load(rows, State { log: Some(log), mark })
    }

    fn prune(&self, oldest: i64) -> Result<u64> {
        let rows = self.change(|database| database.prune(oldest))?;
        // What was moved away may hold what the log has forgotten.
        self.path().map_or(Ok(()), |path| remove(&beside(path, ".old")))?;
        Ok(rows)
    }

    fn reset(&self) -> Result<()> {
        let mut growing = lock(&self.growing);
        *growing = None;
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

    fn begin(&self) -> Result<()> {
        let mut growing = lock(&self.growing);
        *growing = None;
        let path = self.path().map(|path| beside(path, ".new"));
        if let Some(path) = &path {
            remove(path)?;
        }
        *growing = Some(Database::begin(path.as_deref(), &self.options)?);
        Ok(())
    }

    fn abandon(&self) {
        *lock(&self.growing) = None;
    }

    fn swap(&self) -> Result<()> {
        let mut growing = lock(&self.growing);
        let Some(grown) = growing.take() else { return Ok(()) };
        let Some(path) = self.path() else {
            *self.answering.write().unwrap_or_else(PoisonError::into_inner) = Some(grown);
            return Ok(());
        };
        // Whoever asks meanwhile waits, for a moment.
        grown.close()?;
        let mut answering = self.answering.write().unwrap_or_else(PoisonError::into_inner);
        *answering = None;
        let new = beside(path, ".new");
        // The old write-ahead log goes first: it must never meet the new file.
        remove_file(&log_of(path))?;
        fs::rename(&new, path).map_err(|error| Error::file("rename", &new, error))?;
        sync_dir(path)?;
        *answering = Some(Database::open(path, &self.options).map_err(Trouble::into_error)?);
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

/// Why a file cannot be opened.
enum Trouble {
    /// Because of what it is: another one has to be made.
    Unfit(String),
    /// For now.
    Error(Error),
}

impl Trouble {
    fn into_error(self) -> Error {
        match self {
            Trouble::Unfit(problem) => {
                Error::Damaged(Some(duckdb::Error::DuckDBFailure(duckdb::ffi::Error::new(1), Some(problem))))
            }
            Trouble::Error(error) => error,
        }
    }
}

impl Database {
    /// A new one; in memory without a path.
    fn begin(path: Option<&Path>, options: &Options) -> Result<Database> {
        let conn = connect(path, options)?;
        conn.execute_batch("BEGIN")?;
        conn.execute_batch(TABLES)?;
        conn.execute("INSERT INTO loaded VALUES (?, NULL, 0, NULL)", [SCHEMA])?;
        conn.execute_batch("COMMIT")?;
        Database::of(conn, State::default())
    }

    fn of(conn: Connection, state: State) -> Result<Database> {
        let door = Mutex::new(conn.try_clone()?);
        let writer = Mutex::new(Writer { conn, known: Known::default(), known_profiles: Known::default() });
        Ok(Database { writer, door, state: Mutex::new(state) })
    }

    /// The one at `path`, begun if there is none.
    fn open(path: &Path, options: &Options) -> Result<Database, Trouble> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        match file.and_then(|file| file.metadata()).map(|file| file.len()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Trouble::Error(Error::file("open", path, error)));
            }
            // No write-ahead log may meet a file that it is not of.
            Err(_) | Ok(0) => {
                remove(path).map_err(Trouble::Error)?;
                return Database::begin(Some(path), options).map_err(Trouble::Error);
            }
            Ok(_) => {}
        }
        let conn = connect(Some(path), options).map_err(judged)?;
        let state = read_state(&conn).map_err(judged)?;
        let state = state.ok_or_else(|| Trouble::Unfit("it is of another version".to_owned()))?;
        Database::of(conn, state).map_err(Trouble::Error)
    }

    /// The same, or an empty one in its place if it cannot be used.
    fn open_or_begin(path: &Path, options: &Options) -> Result<Database> {
        match Database::open(path, options) {
            Ok(database) => Ok(database),
            Err(Trouble::Unfit(problem)) => {
                tracing::warn!(path = %path.display(), problem, "the warehouse cannot be used, it is made again from the log");
                move_away(path)?;
                Database::begin(Some(path), options)
            }
            Err(Trouble::Error(error)) => Err(error),
        }
    }

    fn load(&self, rows: &Rows, state: State) -> Result<()> {
        let Writer { conn, known, known_profiles } = &mut *lock(&self.writer);
        let urls: Vec<_> = rows.urls.iter().filter(|row| !known.has((row.project, row.url))).collect();
        let profiles: Vec<_> =
            rows.profiles.iter().filter(|row| !known_profiles.has((row.project, row.profile))).collect();
        let transaction = conn.transaction()?;
        append(&transaction, rows, &urls, &profiles)?;
        let hash = state.mark.hash.map(Vec::from);
        transaction.execute(
            "UPDATE loaded SET log = ?, seq = ?, hash = ?",
            params![state.log.map(Vec::from), state.mark.position.seq, hash],
        )?;
        transaction.commit()?;
        for row in urls {
            known.add((row.project, row.url));
        }
        for row in profiles {
            known_profiles.add((row.project, row.profile));
        }
        *lock(&self.state) = state;
        Ok(())
    }

    fn prune(&self, oldest: i64) -> Result<u64> {
        let Writer { conn, known, known_profiles } = &mut *lock(&self.writer);
        let transaction = conn.transaction()?;
        let mut gone = 0;
        for table in ["events", "exposures", "applied"] {
            gone += transaction.execute(&format!("DELETE FROM {table} WHERE seq < ?"), [oldest])?;
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
        transaction.execute("DELETE FROM damage WHERE greatest(first, last) < ?", [oldest])?;
        transaction.commit()?;
        if gone > 0 {
            // Otherwise all of them are still stored, and would be once more.
            *known = Known::default();
            *known_profiles = Known::default();
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

fn connect(path: Option<&Path>, options: &Options) -> Result<Connection> {
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

/// What the table `loaded` says; `None` when it is of another version.
fn read_state(conn: &Connection) -> Result<Option<State>> {
    let version: Vec<i32> =
        conn.prepare("SELECT schema FROM loaded")?.query_map([], |row| row.get(0))?.collect::<duckdb::Result<_>>()?;
    if version != [SCHEMA] {
        return Ok(None);
    }
    let (log, seq, hash): (Option<Vec<u8>>, i64, Option<Vec<u8>>) =
        conn.query_row("SELECT log, seq, hash FROM loaded", [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let log = log.and_then(|log| log.try_into().ok());
    let hash = hash.and_then(|hash| hash.try_into().ok());
    Ok(Some(State { log, mark: Mark { position: Position { seq }, hash } }))
}

/// Whether an error of opening is about the file itself. What may pass by itself
/// must not cost the warehouse.
fn judged(error: Error) -> Trouble {
    match error {
        Error::Database(error) | Error::Damaged(Some(error)) => {
            let text = error.to_string();
            let passing =
                ["Could not set lock", "Cannot open file", "No space left", "Too many open files", "Invalid Input"];
            if passing.iter().any(|passing| text.contains(passing)) {
                return Trouble::Error(Error::Database(error));
            }
            Trouble::Unfit(text.lines().next().unwrap_or_default().to_owned())
        }
        error => Trouble::Error(error),
    }
}

fn append(conn: &Connection, rows: &Rows, urls: &[&UrlRow], profiles: &[&ProfileRow]) -> Result<()> {
    let mut table = conn.appender("events")?;
    for row in &rows.events {
        table.append_row(params![
            row.project,
            row.visitor,
            row.at,
            row.id,
            row.kind,
            row.name,
            row.url,
            row.amount,
            row.unit,
            row.refund_of,
            row.currency,
            row.session,
            row.vouched,
            row.seq
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("exposures")?;
    for row in &rows.exposures {
        table.append_row(params![
            row.project,
            row.test,
            row.visitor,
            row.variant,
            row.epoch,
            row.at,
            row.id,
            row.bot,
            row.vouched,
            row.session,
            row.url,
            row.profile,
            row.landing_page,
            row.referrer,
            row.utm[0],
            row.utm[1],
            row.utm[2],
            row.seq
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("applied")?;
    for row in &rows.applied {
        table.append_row(params![
            row.project,
            row.test,
            row.visitor,
            row.variant,
            row.at,
            row.id,
            row.vouched,
            row.asked,
            row.found,
            row.seq
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("urls")?;
    for row in urls {
        table.append_row(params![row.project, row.url, row.text])?;
    }
    table.flush()?;
    let mut table = conn.appender("profiles")?;
    for row in profiles {
        table.append_row(params![
            row.project,
            row.profile,
            row.device.as_deref(),
            row.browser.as_deref(),
            row.os.as_deref(),
            row.country.as_deref(),
            row.user_type,
            row.source
        ])?;
    }
    table.flush()?;
    let mut table = conn.appender("damage")?;
    for row in &rows.damage {
        table.append_row(params![row.project, row.first, row.last])?;
    }
    table.flush()?;
    Ok(())
}

/// `path` with `ending` at its end.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The database's own write-ahead log.
fn log_of(path: &Path) -> PathBuf {
    beside(path, ".wal")
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", path, error)),
        _ => Ok(()),
    }
}

/// Removes a database and what it keeps beside it.
fn remove(path: &Path) -> Result<()> {
    remove_file(&log_of(path))?;
    remove_file(path)?;
    let temporary = beside(path, ".tmp");
    match fs::remove_dir_all(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", &temporary, error)),
        _ => Ok(()),
    }
}

/// Moves a database to a name with `.old` at its end, over an earlier one.
fn move_away(path: &Path) -> Result<()> {
    let old = beside(path, ".old");
    remove(&old)?;
    for (from, to) in [(log_of(path), log_of(&old)), (path.to_owned(), old)] {
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::file("rename", &from, error)),
            _ => {}
        }
    }
    sync_dir(path)
}

/// Makes the names in the directory of `path` outlive a power cut.
fn sync_dir(path: &Path) -> Result<()> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|error| Error::file("flush", dir, error))
}

/// Keeps every other process, and this one, from opening the warehouse again.
fn take(path: &Path) -> Result<File> {
    let name = beside(path, ".lock");
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&name).map_err(|error| Error::file("open", &name, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(error)) => Err(Error::file("lock", &name, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    #[test]
    fn questions_are_stopped() {
        let options = Options { memory_bytes: 64 << 20, threads: 2 };
        let warehouse = DuckWarehouse::in_memory(&options).unwrap();
        let (stop, other) = (Stop::new(), Stop::new());
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
        let options = Options { memory_bytes: 32 << 20, threads: 2 };
        let asked = "SELECT count(*) FROM (SELECT DISTINCT hash(range) FROM range(4000000))";
        let ask = |warehouse: &DuckWarehouse| {
            warehouse.read(&Stop::new(), |conn| Ok(conn.query_row(asked, [], |row| row.get::<_, i64>(0))?))
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
        let warehouse = DuckWarehouse::open(&dir.path().join("w"), &Options::default()).unwrap();
        let other = dir.path().join("other.csv");
        fs::write(&other, "1\n").unwrap();
        let read = format!("FROM '{}'", other.display());
        let write = format!("COPY (SELECT 1) TO '{}'", dir.path().join("new.csv").display());
        for sql in [&*read, &write, "SET enable_external_access = true", "SET threads = 7", "INSTALL json"] {
            let done = warehouse.read(&Stop::new(), |conn| Ok(conn.execute_batch(sql)?));
            assert!(matches!(done, Err(Error::Database(_))), "{sql}");
        }
    }
}
