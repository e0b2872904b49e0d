//! One transaction type over SQLite and PostgreSQL.
//!
//! SQL is written once, with `$1..$n`, and runs unchanged on both:
//!
//! ```no_run
//! # async fn example() -> Result<(), muriel_sql::Error> {
//! use muriel_sql::{Db, Error, SqliteOptions, params};
//!
//! let db = Db::sqlite("muriel.db".as_ref(), SqliteOptions::default())?;
//! let name = String::from("checkout");
//! let id = db
//!     .write::<i64, Error, _>(move |tx| {
//!         Box::pin(async move {
//!             tx.query_one(
//!                 "INSERT INTO project (name) VALUES ($1) RETURNING id",
//!                 params![name],
//!             )
//!             .await?
//!             .int(0)
//!         })
//!     })
//!     .await?;
//! # let _ = id;
//! # Ok(())
//! # }
//! ```
//!
//! # The shared subset
//!
//! - `RETURNING`, `ON CONFLICT`, `LIMIT`, CTEs and window functions agree. Words
//!   of a migration that differ are written `{id}`, `{int}`: see [`Migration`].
//! - Names of unique constraints follow PostgreSQL's automatic form, because
//!   SQLite reports columns and no name: see [`Error::Unique`].
//! - A sum or an average of integers is `NUMERIC` on PostgreSQL, which no [`Row`]
//!   reads: write `CAST(sum(n) AS BIGINT)`.
//! - `LIKE` is case-sensitive on both. It needs an explicit `ESCAPE`.
//! - `ORDER BY` on text agrees for columns declared `{text}`.
//! - Constraints are immediate. On SQLite a deferred constraint would be checked only when the
//!   shared transaction of several callers commits, and would fail them all.
//! - Statements are cached by their text, so the text contains no values and does not vary in
//!   length.

mod address;
mod budget;
mod connect;
mod dialect;
mod error;
pub mod file;
mod migrate;
mod postgres;
mod session_lock;
mod sqlite;
mod sqlite_error;
mod tls;
mod value;

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;

pub use crate::address::Credentials;
pub use crate::budget::within;
pub use crate::dialect::{Dialect, Lock, LockName};
pub use crate::error::{Error, Result, Source};
pub use crate::migrate::{Fill, Migration};
pub use crate::postgres::PostgresOptions;
pub use crate::session_lock::SessionLock;
pub use crate::sqlite::SqliteOptions;
pub use crate::value::{Column, Row, Value};

/// A boxed future that may be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A transaction on either database.
///
/// A statement that fails ends the transaction: PostgreSQL executes nothing more in it, and
/// SQLite is made to behave in the same way. Later statements return the same error, and a body
/// that returns `Ok` regardless is rolled back with it. To handle an expected conflict, write
/// `ON CONFLICT`.
pub trait Tx: Send {
    /// Returns the rows of a statement, in its order.
    ///
    /// `params[i]` is bound to `$(i + 1)`.
    fn query<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<Vec<Row>>>;

    /// Returns the number of rows that a statement inserted, updated or deleted.
    fn execute<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<u64>>;

    /// Runs several statements without parameters, as in a migration.
    fn batch<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Waits for the lock, which is held until the transaction ends.
    ///
    /// A no-op on SQLite, where the only writer holds every lock already.
    fn lock<'a>(&'a mut self, lock: Lock) -> BoxFuture<'a, Result<()>>;

    /// Notifies all listeners on `channel` when the transaction commits.
    ///
    /// A no-op on SQLite, where other processes detect commits themselves: see
    /// [`Db::foreign_commits`].
    fn notify<'a>(&'a mut self, channel: &'a str, payload: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Returns the kind of database. Statements rarely need it.
    fn dialect(&self) -> Dialect;
}

impl dyn Tx + '_ {
    /// Returns the first row, or `None` without rows.
    pub async fn query_opt(&mut self, sql: &str, params: Vec<Value>) -> Result<Option<Row>> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// Returns the first row of a statement that always has one, such as a count.
    ///
    /// # Errors
    /// [`Error::NoRow`] when there is no row.
    pub async fn query_one(&mut self, sql: &str, params: Vec<Value>) -> Result<Row> {
        self.query_opt(sql, params).await?.ok_or(Error::NoRow)
    }
}

/// A database, SQLite or PostgreSQL. Clones share its connections.
#[derive(Clone)]
pub struct Db {
    engine: Engine,
}

#[derive(Clone)]
enum Engine {
    Sqlite(sqlite::Later),
    Postgres(postgres::Postgres),
}

impl Db {
    /// Opens the SQLite file at `path`, creating it readable by its owner only.
    ///
    /// The file must be on a local disk, because its locks do not work over a network.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the file cannot be opened or is locked.
    pub fn sqlite(path: &Path, options: SqliteOptions) -> Result<Db> {
        let db = Self::sqlite_later(path, options);
        if let Engine::Sqlite(later) = &db.engine {
            later.get()?;
        }
        Ok(db)
    }

    /// Like [`Db::sqlite`], but opens the file when it is first used. Failed attempts are
    /// repeated on use, at most every half second.
    pub fn sqlite_later(path: &Path, options: SqliteOptions) -> Db {
        Db { engine: Engine::Sqlite(sqlite::Later::new(path, options)) }
    }

    /// Connects to the PostgreSQL database at `url`: see [`PostgresOptions`].
    ///
    /// Opens one connection immediately, so that a wrong address is reported here.
    ///
    /// # Errors
    /// [`Error::Address`] when `url` or a file that it names cannot be used,
    /// [`Error::Unavailable`] when the server does not respond or rejects the login, or one
    /// side rejects the other's certificate: see [`Error::is_refusal`].
    pub async fn postgres(url: &str, options: PostgresOptions) -> Result<Db> {
        let db = Self::postgres_later(url, options)?;
        db.ping().await?;
        Ok(db)
    }

    /// Like [`Db::postgres`], without opening a connection yet.
    ///
    /// # Errors
    /// [`Error::Address`] when `url` or a file that it names cannot be used.
    pub fn postgres_later(url: &str, options: PostgresOptions) -> Result<Db> {
        let engine = Engine::Postgres(postgres::Postgres::new(url, options)?);
        Ok(Db { engine })
    }

    /// Returns the kind of database.
    pub fn dialect(&self) -> Dialect {
        match &self.engine {
            Engine::Sqlite(_) => Dialect::Sqlite,
            Engine::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Upgrades the schema to the newest of `migrations`; a no-op when it is up to date.
    /// Several processes may call this at the same time.
    ///
    /// # Errors
    /// [`Error::Migration`] when an applied migration has been changed, or the
    /// database knows a migration that this list does not.
    pub async fn migrate(&self, migrations: &[Migration]) -> Result<()> {
        migrate::run(self, migrations).await
    }

    /// Returns those of `migrations` that [`Db::migrate`] would apply, in order. Changes
    /// nothing.
    ///
    /// # Errors
    /// As [`Db::migrate`].
    pub async fn pending_migrations(&self, migrations: &[Migration]) -> Result<Vec<Migration>> {
        migrate::pending(self, migrations).await
    }

    /// Runs `body` in one transaction. It is committed and durable when `body` returns `Ok`,
    /// and rolled back when it returns `Err` or panics. A panic is propagated to the caller.
    ///
    /// On SQLite `body` shares the only writer with all others, so it must await nothing but
    /// `tx`. On PostgreSQL it runs as `READ COMMITTED`.
    ///
    /// A call that is dropped before it returns leaves no transaction open, but may still be
    /// executed: SQLite finishes a body once it is queued, PostgreSQL rolls back unless the
    /// commit has been sent.
    ///
    /// # Errors
    /// The error of `body`, and as `E::from`: [`Error::Unavailable`] when no connection is
    /// available or the commit fails, [`Error::Waited`] when `body` awaited something else on
    /// SQLite. When the connection is lost or the time runs out during the commit itself, the
    /// result is not known: [`Error::OutcomeUnknown`].
    pub async fn write<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.engine {
            Engine::Sqlite(engine) => engine.get()?.write(body).await,
            // Boxed, because callers reserve space for the larger of the two futures.
            Engine::Postgres(engine) => Box::pin(engine.write(body)).await,
        }
    }

    /// Runs `body` on one snapshot, without permission to write.
    ///
    /// On SQLite it runs on the calling thread, because reads are short.
    ///
    /// # Errors
    /// The error of `body`, and as `E::from` the errors of [`Db::write`].
    pub async fn read<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.engine {
            Engine::Sqlite(engine) => engine.get()?.read(body).await,
            Engine::Postgres(engine) => Box::pin(engine.read(body)).await,
        }
    }

    /// Runs a trivial query to check the connection.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it fails.
    pub async fn ping(&self) -> Result<()> {
        if let Engine::Sqlite(engine) = &self.engine {
            engine.get()?.check_writer()?;
        }
        let question = self.dialect().ping();
        self.read(move |tx| Box::pin(async move { tx.query_one(question, Vec::new()).await.map(drop) })).await
    }

    /// Checks that each connection to PostgreSQL is a session of its own, as locks, prepared statements and timeouts
    /// need it.
    ///
    /// # Errors
    /// [`Error::Address`] when a pooler shares sessions between connections, [`Error::Unavailable`] when the database
    /// cannot be reached.
    pub async fn check_sessions(&self) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(engine) => engine.check_sessions().await,
        }
    }

    /// Returns how often commits of others were detected: of another process, or another `Db`
    /// on the same file. `None` on PostgreSQL, which does not report them.
    ///
    /// Checked before every group of writes and ten times a second. Several commits between two
    /// checks count once, so only a change of this number is meaningful.
    pub fn foreign_commits(&self) -> Option<u64> {
        match &self.engine {
            Engine::Sqlite(engine) => Some(engine.opened().map_or(0, sqlite::Sqlite::foreign_commits)),
            Engine::Postgres(_) => None,
        }
    }

    /// Receives the payloads of [`Tx::notify`] on `channel` from all processes; `None` on
    /// SQLite. An empty payload means that the connection was lost for a while and
    /// notifications may have been missed.
    ///
    /// At most 1,024 payloads are queued; further ones are replaced by an empty one. Listening
    /// ends when the receiver is dropped.
    pub fn notifications(&self, channel: &'static str) -> Option<tokio::sync::mpsc::Receiver<String>> {
        match &self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(engine) => Some(engine.listen(channel)),
        }
    }

    /// Takes a lock that is held until the result is dropped; `None` while another process
    /// holds it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the database cannot be reached.
    pub async fn session_lock(&self, name: LockName) -> Result<Option<SessionLock>> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(Some(SessionLock::alone())),
            Engine::Postgres(engine) => engine.session_lock(name).await,
        }
    }

    /// Finishes queued writes, then closes every connection. SQLite's write-ahead log is moved
    /// into the main file. Later calls, also on clones, return [`Error::Unavailable`].
    ///
    /// # Errors
    /// The error of moving SQLite's write-ahead log; no data is lost by it.
    pub async fn close(self) -> Result<()> {
        match self.engine {
            Engine::Sqlite(engine) => match engine.opened() {
                Some(engine) => engine.clone().close().await,
                None => Ok(()),
            },
            Engine::Postgres(engine) => {
                engine.close();
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Db").field(&self.dialect()).finish()
    }
}
