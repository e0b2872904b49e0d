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
//! - `LIKE` tells upper from lower case on both. It needs an explicit `ESCAPE`.
//! - `ORDER BY` on text agrees for columns declared `{text}`.
//! - Constraints are immediate. On SQLite a deferred one would be checked only
//!   when the transaction of several callers commits, and fail them all.
//! - Statements are cached by their text, so text holds no values and does not
//!   vary in length.

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

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One transaction on either database.
///
/// A statement that fails ends the transaction: PostgreSQL accepts nothing more
/// in it, and SQLite is made to behave alike. Later statements answer the same
/// error, and a body that returns `Ok` regardless is rolled back with it. To
/// expect a conflict, write `ON CONFLICT`.
pub trait Tx: Send {
    /// The rows a statement returns, in its order.
    ///
    /// `params[i]` is bound to `$(i + 1)`.
    fn query<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<Vec<Row>>>;

    /// The number of rows a statement inserted, updated or deleted.
    fn execute<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<u64>>;

    /// Runs several statements without parameters, as a migration has them.
    fn batch<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Waits for the lock, which is held until the transaction ends.
    ///
    /// Nothing to do on SQLite, whose one writer has every lock already.
    fn lock<'a>(&'a mut self, lock: Lock) -> BoxFuture<'a, Result<()>>;

    /// Tells everybody who listens on `channel`, once the transaction commits.
    ///
    /// Nothing to do on SQLite, whose commits others see by themselves: see
    /// [`Db::foreign_commits`].
    fn notify<'a>(&'a mut self, channel: &'a str, payload: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Which database this is. Statements seldom need to know.
    fn dialect(&self) -> Dialect;
}

impl dyn Tx + '_ {
    /// The first row, or `None` when there is none.
    pub async fn query_opt(&mut self, sql: &str, params: Vec<Value>) -> Result<Option<Row>> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// The first row of a statement that always has one, such as a count.
    ///
    /// # Errors
    /// [`Error::NoRow`] when there is none.
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
    /// The file belongs on a local disk: its locks do not hold over a network.
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

    /// As [`Db::sqlite`], and a file that cannot be opened now is tried again, every
    /// half a second at most, when something is asked of it.
    pub fn sqlite_later(path: &Path, options: SqliteOptions) -> Db {
        Db { engine: Engine::Sqlite(sqlite::Later::new(path, options)) }
    }

    /// Connects to the PostgreSQL database at `url`: see [`PostgresOptions`].
    ///
    /// One connection is made at once, so that a wrong address is reported here.
    ///
    /// # Errors
    /// [`Error::Address`] when `url` or a file that it names cannot be used, [`Error::Unavailable`]
    /// when the server does not answer or refuses us, or one side refuses the other's certificate: see
    /// [`Error::is_refusal`].
    pub async fn postgres(url: &str, options: PostgresOptions) -> Result<Db> {
        let db = Self::postgres_later(url, options)?;
        db.ping().await?;
        Ok(db)
    }

    /// As [`Db::postgres`], without making a connection yet.
    ///
    /// # Errors
    /// [`Error::Address`] when `url` or a file that it names cannot be used.
    pub fn postgres_later(url: &str, options: PostgresOptions) -> Result<Db> {
        let engine = Engine::Postgres(postgres::Postgres::new(url, options)?);
        Ok(Db { engine })
    }

    /// Which of the two this is.
    pub fn dialect(&self) -> Dialect {
        match &self.engine {
            Engine::Sqlite(_) => Dialect::Sqlite,
            Engine::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Brings the schema to the newest of `migrations`; does nothing when it is
    /// there. Several processes may call this at once.
    ///
    /// # Errors
    /// [`Error::Migration`] when an applied migration has been changed, or the
    /// database knows a migration that this list does not.
    pub async fn migrate(&self, migrations: &[Migration]) -> Result<()> {
        migrate::run(self, migrations).await
    }

    /// Those of `migrations` that [`Db::migrate`] would apply, in order. Changes nothing.
    ///
    /// # Errors
    /// As [`Db::migrate`].
    pub async fn pending_migrations(&self, migrations: &[Migration]) -> Result<Vec<Migration>> {
        migrate::pending(self, migrations).await
    }

    /// Runs `body` in one transaction: committed and durable when it returns
    /// `Ok`, rolled back when it returns `Err` or panics. A panic goes on in the
    /// caller.
    ///
    /// On SQLite `body` shares the one writer with all others, so it awaits `tx`
    /// and nothing else. PostgreSQL runs it as `READ COMMITTED`.
    ///
    /// A call that is dropped before it answers leaves no transaction open, but
    /// may have happened: SQLite finishes a body once it is queued, PostgreSQL
    /// rolls back unless the commit is on its way.
    ///
    /// # Errors
    /// What `body` returns, and as `E::from`: [`Error::Unavailable`] when no
    /// connection is to be had or the commit fails, [`Error::Waited`] when
    /// `body` awaited something else on SQLite. A connection that is lost during the
    /// commit itself, and time that is over by then, leave open whether it happened:
    /// [`Error::OutcomeUnknown`].
    pub async fn write<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        match &self.engine {
            Engine::Sqlite(engine) => engine.get()?.write(body).await,
            // Boxed, as callers keep room for the larger of the two.
            Engine::Postgres(engine) => Box::pin(engine.write(body)).await,
        }
    }

    /// Runs `body` over one snapshot, in which nothing can be written.
    ///
    /// On SQLite it runs on the calling thread: reads are short.
    ///
    /// # Errors
    /// What `body` returns, and as `E::from` the same as [`Db::write`].
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

    /// Asks the database for a trivial answer.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it gives none.
    pub async fn ping(&self) -> Result<()> {
        if let Engine::Sqlite(engine) = &self.engine {
            engine.get()?.check_writer()?;
        }
        let question = self.dialect().ping();
        self.read(move |tx| Box::pin(async move { tx.query_one(question, Vec::new()).await.map(drop) })).await
    }

    /// How often the file was found changed by others: another process, or
    /// another `Db` on the same file. `None` on PostgreSQL, which does not tell.
    ///
    /// Looked at before every group of writes and ten times a second. Several
    /// commits between two looks count once, so only a change of this number
    /// means something.
    pub fn foreign_commits(&self) -> Option<u64> {
        match &self.engine {
            Engine::Sqlite(engine) => Some(engine.opened().map_or(0, sqlite::Sqlite::foreign_commits)),
            Engine::Postgres(_) => None,
        }
    }

    /// What [`Tx::notify`] tells on `channel`, by whichever process; `None` on
    /// SQLite. An empty payload says that the connection was lost for a while,
    /// and that anything may have been missed.
    ///
    /// At most 1,024 payloads wait; further ones are replaced by an empty one.
    /// Listening ends when the receiver is dropped.
    pub fn notifications(&self, channel: &'static str) -> Option<tokio::sync::mpsc::Receiver<String>> {
        match &self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(engine) => Some(engine.listen(channel)),
        }
    }

    /// Takes a lock for as long as the result lives; `None` while another process has it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the database cannot be reached.
    pub async fn session_lock(&self, name: LockName) -> Result<Option<SessionLock>> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(Some(SessionLock::alone())),
            Engine::Postgres(engine) => engine.session_lock(name).await,
        }
    }

    /// Finishes the writes that are queued, then gives back every connection.
    /// SQLite's log is moved into its file. Later calls, on clones too, answer
    /// [`Error::Unavailable`].
    ///
    /// # Errors
    /// When SQLite's log could not be moved; nothing is lost by that.
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
