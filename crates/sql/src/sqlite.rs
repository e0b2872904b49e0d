//! SQLite: one writer thread with group commit, and a pool of readers.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit, oneshot};

use crate::budget::{self, Spending};
use crate::dialect::{Dialect, Lock, for_sqlite};
use crate::file::{self, Durability};
use crate::sqlite_error::error;
use crate::value::{ColumnNames, check_params};
use crate::{BoxFuture, Error, Result, Row, Tx, Value};

/// Maximum number of queued or running writes; further ones wait.
const QUEUE: usize = 1024;
/// Maximum number of writes that share one commit.
const GROUP: usize = 256;
/// Minimum time between two attempts to open a file.
const OPEN_AGAIN: Duration = Duration::from_millis(500);
/// Interval at which an idle writer checks for commits of others.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Options for a SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// Maximum number of concurrent reads, at least 1. Default: twice the number of
    /// cores, at least 4.
    pub readers: usize,
}

impl Default for SqliteOptions {
    fn default() -> SqliteOptions {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        SqliteOptions { readers: (2 * cores).max(4) }
    }
}

/// An open file.
#[derive(Clone)]
pub(crate) struct Sqlite {
    shared: Arc<Shared>,
}

/// A file that is opened at its first use.
#[derive(Clone)]
pub(crate) struct Later {
    place: Arc<(PathBuf, SqliteOptions)>,
    opened: Arc<OnceLock<Sqlite>>,
    /// Time and error of the last failed attempt.
    failed: Arc<Mutex<Option<(Instant, Error)>>>,
}

impl Later {
    pub(crate) fn new(path: &Path, options: SqliteOptions) -> Later {
        let place = Arc::new((path.to_owned(), options));
        Later { place, opened: Arc::default(), failed: Arc::default() }
    }

    pub(crate) fn opened(&self) -> Option<&Sqlite> {
        self.opened.get()
    }

    /// Returns the file, opening it first unless an attempt failed a moment ago.
    pub(crate) fn get(&self) -> Result<&Sqlite> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let mut failed = lock(&self.failed);
        if let Some((at, error)) = &*failed
            && at.elapsed() < OPEN_AGAIN
        {
            return Err(error.clone());
        }
        // Another caller may have opened it while this one waited for the lock.
        if self.opened.get().is_none() {
            match Sqlite::open(&self.place.0, self.place.1.clone()) {
                Ok(opened) => drop(self.opened.set(opened)),
                Err(error) => {
                    *failed = Some((Instant::now(), error.clone()));
                    return Err(error);
                }
            }
        }
        drop(failed);
        self.opened.get().ok_or_else(Error::closed)
    }
}

struct Shared {
    /// Dropped before `queue`, because the last connection to close moves the write-ahead
    /// log into the file, which only the writer can.
    readers: Readers,
    /// Permits for the writer's queue.
    places: Arc<Semaphore>,
    /// Messages to the writer thread, which ends when this is dropped.
    queue: Sender<WriterMessage>,
    writer: Mutex<Option<JoinHandle<()>>>,
    foreign_commits: Arc<AtomicU64>,
}

enum WriterMessage {
    Job(Box<dyn Job>),
    Close(oneshot::Sender<Result<()>>),
}

impl Sqlite {
    pub(crate) fn open(path: &Path, options: SqliteOptions) -> Result<Sqlite> {
        file::create_private(path).map_err(Error::unavailable)?;
        let conn = file::writer(path, Durability::Full)?;
        let readers = Readers::open(path, options.readers.max(1))?;

        let (queue, jobs) = mpsc::channel();
        let foreign_commits = Arc::new(AtomicU64::new(0));
        let mut writer = Writer { seen: data_version(&conn)?, conn, foreign_commits: foreign_commits.clone() };
        let writer = thread::Builder::new()
            .name("muriel-sql-writer".to_owned())
            .spawn(move || {
                let asked = writer.serve(&jobs);
                let closed = writer.close();
                if let Some(asked) = asked {
                    // The receiver may have been dropped, which is not an error.
                    let _ = asked.send(closed);
                }
            })
            .map_err(Error::unavailable)?;
        Ok(Sqlite {
            shared: Arc::new(Shared {
                places: Arc::new(Semaphore::new(QUEUE)),
                queue,
                writer: Mutex::new(Some(writer)),
                readers,
                foreign_commits,
            }),
        })
    }

    pub(crate) async fn write<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let _spending = Spending::begin();
        let place = in_time(self.shared.places.clone().acquire_owned()).await?;
        let place = place.map_err(|_| Error::closed())?;
        let (reply, answer) = oneshot::channel();
        let claimed = Arc::new(AtomicBool::new(false));
        let work = Work { body: Some(body), claimed: claimed.clone(), outcome: None, reply, _place: place };
        let sent = self.shared.queue.send(WriterMessage::Job(Box::new(work)));
        sent.map_err(|_| Error::closed())?;
        let Ok(answer) = in_time(answer).await else {
            // A job that has not begun will not be run.
            let has_begun = claimed.swap(true, Ordering::AcqRel);
            let error = if has_begun {
                Error::outcome_unknown("the write had not finished at the timeout")
            } else {
                Error::out_of_time()
            };
            return Err(error.into());
        };
        match answer {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => Err(Error::closed().into()),
        }
    }

    pub(crate) async fn read<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
        E: From<Error>,
    {
        let _spending = Spending::begin();
        let mut reader = in_time(self.shared.readers.take()).await??;
        let conn = reader.conn()?;
        step(conn, "BEGIN")?;
        run_now(conn, body)
        // Dropping the reader ends its transaction.
    }

    pub(crate) fn check_writer(&self) -> Result<()> {
        match &*lock(&self.shared.writer) {
            Some(writer) if !writer.is_finished() => Ok(()),
            _ => Err(Error::closed()),
        }
    }

    pub(crate) fn foreign_commits(&self) -> u64 {
        self.shared.foreign_commits.load(Ordering::Relaxed)
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.shared.places.close();
        self.shared.readers.close().await;
        let (reply, answer) = oneshot::channel();
        if self.shared.queue.send(WriterMessage::Close(reply)).is_err() {
            return Ok(());
        }
        let closed = answer.await.unwrap_or(Ok(()));
        let writer = lock(&self.shared.writer).take();
        if let Some(writer) = writer {
            // The thread replies as its last action, so this does not block.
            let _ = writer.join();
        }
        closed
    }
}

/// Output of `future`, within the remaining budget of the request.
///
/// # Errors
/// [`Error::Unavailable`] when the budget is used up.
async fn in_time<F: Future>(future: F) -> Result<F::Output> {
    match budget::left() {
        None => Ok(future.await),
        Some(left) => tokio::time::timeout(left, future).await.map_err(|_| Error::out_of_time()),
    }
}

/// The writing connection, on its own thread.
struct Writer {
    conn: Connection,
    /// `data_version` at the last check. It changes only by commits of other connections.
    seen: i64,
    foreign_commits: Arc<AtomicU64>,
}

impl Writer {
    /// Runs jobs until a message asks to close, and returns the reply channel of that
    /// message. `None` when every handle is dropped.
    fn serve(&mut self, queue: &Receiver<WriterMessage>) -> Option<oneshot::Sender<Result<()>>> {
        let mut jobs = VecDeque::new();
        loop {
            let mut next = match queue.recv_timeout(POLL_INTERVAL) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => {
                    self.look();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            };
            let mut asked = None;
            while let Some(message) = next.take() {
                match message {
                    WriterMessage::Job(job) => jobs.push_back(job),
                    WriterMessage::Close(reply) => {
                        asked = Some(reply);
                        break;
                    }
                }
                if jobs.len() < GROUP {
                    next = queue.try_recv().ok();
                }
            }
            while !jobs.is_empty() {
                self.group(&mut jobs);
            }
            if asked.is_some() {
                return asked;
            }
        }
    }

    /// Runs `jobs` in one transaction, each in its own savepoint, and replies after the
    /// commit. Failed jobs also wait for it: the effects of earlier jobs that they saw
    /// are valid only once they are committed.
    ///
    /// Remaining jobs have not run and belong to the next group.
    fn group(&mut self, jobs: &mut VecDeque<Box<dyn Job>>) {
        if let Err(error) = step(&self.conn, "BEGIN IMMEDIATE") {
            tracing::warn!(error = &error as &dyn std::error::Error, "a write transaction cannot begin");
            for job in jobs.drain(..) {
                job.answer(Err(error.clone()));
            }
            return;
        }
        self.look();
        let alone = jobs.len() == 1;
        let mut ran = Vec::with_capacity(jobs.len());
        let mut intact = Ok(());
        while let Some(mut job) = jobs.pop_front() {
            intact = if alone { self.run_alone(&mut *job) } else { self.run_in_savepoint(&mut *job) };
            ran.push(job);
            if intact.is_err() {
                break;
            }
        }
        let mut committed = intact.and_then(|()| self.commit());
        if let Err(error) = &committed {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                jobs = ran.len(),
                "a group of writes was rolled back"
            );
            self.roll_back();
            if !alone && !matches!(error, Error::Unavailable { .. }) {
                // The error may come from another job of the group, so its kind does not
                // apply to each caller.
                committed = Err(Error::unavailable(error.clone()));
            }
        }
        for job in ran {
            job.answer(committed.clone());
        }
    }

    /// Runs the only job of a group. It needs no savepoint, because there are no others
    /// to protect.
    fn run_alone(&mut self, job: &mut dyn Job) -> Result<()> {
        if !job.run(&mut self.conn) {
            self.roll_back();
        }
        Ok(())
    }

    /// Runs a job in a savepoint.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the transaction is gone, which SQLite ends by itself,
    /// for example when the disk is full. Then all earlier jobs of the group are lost as
    /// well.
    fn run_in_savepoint(&mut self, job: &mut dyn Job) -> Result<()> {
        step(&self.conn, "SAVEPOINT job")?;
        let keep = job.run(&mut self.conn);
        if self.conn.is_autocommit() {
            return Err(Error::unavailable("a statement ended the transaction"));
        }
        if !keep {
            step(&self.conn, "ROLLBACK TO job")?;
        }
        step(&self.conn, "RELEASE job")
    }

    fn commit(&mut self) -> Result<()> {
        // A job alone in its group may have been rolled back.
        if self.conn.is_autocommit() {
            return Ok(());
        }
        step(&self.conn, "COMMIT")
    }

    fn roll_back(&mut self) {
        if self.conn.is_autocommit() {
            return;
        }
        if let Err(error) = step(&self.conn, "ROLLBACK") {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot roll back");
        }
    }

    /// Detects commits of others.
    fn look(&mut self) {
        match data_version(&self.conn) {
            Ok(version) if version != self.seen => {
                self.seen = version;
                self.foreign_commits.fetch_add(1, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "cannot detect writes of other processes")
            }
        }
    }

    fn close(self) -> Result<()> {
        let moved = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(error);
        self.conn.flush_prepared_statement_cache();
        let closed = self.conn.close().map_err(|(_, e)| error(e));
        moved.and(closed)
    }
}

/// A queued write with erased types.
trait Job: Send {
    /// Runs the job once and returns whether to keep its writes. Does not unwind.
    fn run(&mut self, conn: &mut Connection) -> bool;
    /// Sends the result to the caller, given the result of the group's commit.
    fn answer(self: Box<Self>, committed: Result<()>);
}

/// Result of a job, or the panic that ended it.
type JobResult<T, E> = thread::Result<Result<T, E>>;

struct Work<T, E, F> {
    body: Option<F>,
    /// Set by the first of two: the writer when it begins the job, or the caller when it
    /// stops waiting. The other one then does nothing.
    claimed: Arc<AtomicBool>,
    outcome: Option<JobResult<T, E>>,
    reply: oneshot::Sender<JobResult<T, E>>,
    _place: OwnedSemaphorePermit,
}

impl<T, E, F> Job for Work<T, E, F>
where
    F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, conn: &mut Connection) -> bool {
        let Some(body) = self.body.take().filter(|_| !self.claimed.swap(true, Ordering::AcqRel)) else {
            return false;
        };
        // Partial writes of a panicked job are rolled back and not read.
        let outcome = catch_unwind(AssertUnwindSafe(|| run_now(conn, body)));
        let keep = matches!(outcome, Ok(Ok(_)));
        self.outcome = Some(outcome);
        keep
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let outcome = match (committed, self.outcome) {
            (Err(error), None | Some(Ok(_))) => Ok(Err(error.into())),
            (_, Some(outcome)) => outcome,
            (Ok(()), None) => return,
        };
        // Dropping a result that the caller no longer waits for may panic too.
        let reply = self.reply;
        let _ = catch_unwind(AssertUnwindSafe(|| drop(reply.send(outcome))));
    }
}

/// Runs `body` to completion in one poll; it must not wait.
fn run_now<T, E, F>(conn: &mut Connection, body: F) -> Result<T, E>
where
    F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
    E: From<Error>,
{
    let mut tx = SqliteTx { conn, failed: None };
    let polled = body(&mut tx).as_mut().poll(&mut Context::from_waker(Waker::noop()));
    match (polled, tx.failed) {
        (Poll::Pending, _) => Err(Error::Waited.into()),
        (Poll::Ready(Ok(_)), Some(error)) => Err(error.into()),
        (Poll::Ready(result), _) => result,
    }
}

/// Pool of reading connections, used on the threads of their callers.
struct Readers {
    path: PathBuf,
    size: u32,
    free: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    fn open(path: &Path, size: usize) -> Result<Readers> {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        // The others are opened when they are first needed.
        let first = file::reader(path)?;
        Ok(Readers { path: path.to_owned(), size, free: Semaphore::new(size as usize), idle: Mutex::new(vec![first]) })
    }

    async fn take(&self) -> Result<PooledReader<'_>> {
        let place = self.free.acquire().await.map_err(|_| Error::closed())?;
        let idle = lock(&self.idle).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => file::reader(&self.path)?,
        };
        Ok(PooledReader { readers: self, conn: Some(conn), _place: place })
    }

    /// Waits for running reads, then closes all connections.
    async fn close(&self) {
        let all = self.free.acquire_many(self.size).await;
        self.free.close();
        lock(&self.idle).clear();
        drop(all);
    }
}

/// A connection taken from the pool. It returns to the pool without an open transaction.
struct PooledReader<'a> {
    readers: &'a Readers,
    conn: Option<Connection>,
    /// Dropped last, when the connection is already back in the pool.
    _place: SemaphorePermit<'a>,
}

impl PooledReader<'_> {
    fn conn(&mut self) -> Result<&mut Connection> {
        self.conn.as_mut().ok_or_else(Error::closed)
    }
}

impl Drop for PooledReader<'_> {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else {
            return;
        };
        if !conn.is_autocommit() && step(&conn, "ROLLBACK").is_err() {
            // Opening a new connection is better than keeping one with an old snapshot.
            return;
        }
        lock(&self.readers.idle).push(conn);
    }
}

/// The open transaction of a connection.
struct SqliteTx<'c> {
    conn: &'c mut Connection,
    /// The first failure, after which nothing more is executed.
    failed: Option<Error>,
}

impl SqliteTx<'_> {
    fn run<T>(&mut self, body: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = body(self.conn);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }
}

impl Tx for SqliteTx<'_> {
    fn query<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<Vec<Row>>> {
        Box::pin(async move { self.run(|conn| query(conn, sql, &params)) })
    }

    fn execute<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move { self.run(|conn| execute(conn, sql, &params)) })
    }

    fn batch<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.run(|conn| conn.execute_batch(sql).map_err(error)) })
    }

    fn lock<'a>(&'a mut self, _: Lock) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.run(|_| Ok(())) })
    }

    fn notify<'a>(&'a mut self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.run(|_| Ok(())) })
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

fn query(conn: &Connection, sql: &str, params: &[Value]) -> Result<Vec<Row>> {
    let mut statement = bind(conn, sql, params)?;
    let count = statement.column_count();
    let mut found: Vec<Vec<Value>> = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(error)? {
        let mut values = Vec::with_capacity(count);
        for i in 0..count {
            values.push(owned(row.get_ref(i).map_err(error)?)?);
        }
        found.push(values);
    }
    drop(rows);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let names = ColumnNames::new(statement.column_names());
    let row = |values| Row::new(values, names.clone());
    Ok(found.into_iter().map(row).collect())
}

fn execute(conn: &Connection, sql: &str, params: &[Value]) -> Result<u64> {
    let mut statement = bind(conn, sql, params)?;
    let before = conn.total_changes();
    let mut rows = statement.raw_query();
    while rows.next().map_err(error)?.is_some() {}
    drop(rows);
    // `changes` keeps its value after a statement that changes nothing.
    let changed = conn.total_changes() != before;
    Ok(if changed { conn.changes() } else { 0 })
}

fn bind<'c>(conn: &'c Connection, sql: &str, params: &[Value]) -> Result<CachedStatement<'c>> {
    check_params(params)?;
    let mut statement = conn.prepare_cached(&for_sqlite(sql)).map_err(error)?;
    let wanted = statement.parameter_count();
    if wanted != params.len() {
        return Err(error(rusqlite::Error::InvalidParameterCount(params.len(), wanted)));
    }
    for (i, value) in params.iter().enumerate() {
        statement.raw_bind_parameter(i + 1, value).map_err(error)?;
    }
    Ok(statement)
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(int) => ValueRef::Integer(*int),
            Value::Real(real) => ValueRef::Real(*real),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(blob) => ValueRef::Blob(blob),
        }))
    }
}

fn owned(value: ValueRef<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(int) => Value::Int(int),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Text(text) => {
            let text = str::from_utf8(text).map_err(Error::unexpected)?;
            Value::Text(text.to_owned())
        }
        ValueRef::Blob(blob) => Value::Blob(blob.to_vec()),
    })
}

/// Executes one of the statements that control a transaction.
fn step(conn: &Connection, sql: &str) -> Result<()> {
    let mut statement = conn.prepare_cached(sql).map_err(error)?;
    statement.raw_execute().map(drop).map_err(error)
}

fn data_version(conn: &Connection) -> Result<i64> {
    let mut statement = conn.prepare_cached("PRAGMA data_version").map_err(error)?;
    statement.query_row([], |row| row.get(0)).map_err(error)
}

/// Locks a mutex, even a poisoned one: no code here leaves the content inconsistent when
/// it panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus;

    #[test]
    fn a_cached_statement_is_prepared_once_for_all_values() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("one.db");
        file::create_private(&path).unwrap();
        let conn = file::writer(&path, Durability::Full).unwrap();
        conn.execute_batch("CREATE TABLE t (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)) STRICT")
            .unwrap();
        let sql = "SELECT b FROM t WHERE a = $1 ORDER BY b";
        for value in 0..3 {
            query(&conn, sql, &[Value::Int(value)]).unwrap();
        }
        let statement = conn.prepare_cached(&for_sqlite(sql)).unwrap();
        assert_eq!(statement.get_status(StatementStatus::Run), 3);
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
