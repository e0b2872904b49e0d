//! PostgreSQL: a connection pool; each transaction uses one connection.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use deadpool_postgres::{Client, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime, Transaction};
use futures_util::TryStreamExt;
use tokio::sync::mpsc;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{AsyncMessage, IsolationLevel};

use crate::address::Credentials;
use crate::budget::{self, Spending};
use crate::connect::Connections;
use crate::dialect::{Dialect, Lock};
use crate::tls::HandshakeError;
use crate::value::{ColumnNames, check_params};
use crate::{BoxFuture, Error, Result, Row, Tx, Value};

/// Options for a PostgreSQL server.
///
/// The address determines how connections are encrypted, as for PostgreSQL's own programs: `sslmode` (`disable`,
/// `prefer`, `require`, `verify-ca`, `verify-full`), `sslrootcert`, `sslcert` and `sslkey`.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Sources of the password if the address has none.
    pub credentials: Credentials,
    /// Maximum number of connections, at least 1. Default: 16.
    pub max_connections: usize,
    /// Timeout for a free connection of the pool. Default: 1 s.
    pub pool_wait: Duration,
    /// Timeout for opening a connection. Default: 3 s.
    pub connect_timeout: Duration,
    /// Timeout of one statement, enforced by the server. Default: 5 s.
    pub statement_timeout: Duration,
    /// Timeout of a statement that waits for a lock. Default: 3 s.
    pub lock_timeout: Duration,
    /// Maximum idle time of a transaction between two statements. Default: 10 s.
    pub idle_in_transaction_timeout: Duration,
    /// Timeout of a transaction that belongs to no request, including the wait for its connection. Default: 30 s.
    /// Transactions of a request use the request's budget, see [`within`](crate::within).
    pub transaction_timeout: Duration,
    /// Maximum time that sent data may stay unacknowledged by the server's machine. Default: 5 s.
    pub tcp_user_timeout: Duration,
}

impl Default for PostgresOptions {
    fn default() -> PostgresOptions {
        PostgresOptions {
            credentials: Credentials::default(),
            max_connections: 16,
            pool_wait: Duration::from_secs(1),
            connect_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(5),
            lock_timeout: Duration::from_secs(3),
            idle_in_transaction_timeout: Duration::from_secs(10),
            transaction_timeout: Duration::from_secs(30),
            tcp_user_timeout: Duration::from_secs(5),
        }
    }
}

/// Connection pool of one database.
#[derive(Clone)]
pub(crate) struct Postgres {
    pool: Pool,
    connections: Connections,
    /// Attempts to begin a transaction: one more than there can be dead connections.
    attempts: usize,
    transaction_timeout: Duration,
}

impl Postgres {
    pub(crate) fn new(url: &str, options: PostgresOptions) -> Result<Postgres> {
        let connections = Connections::new(url, &options)?;
        let manager = Manager::from_connect(
            connections.config().clone(),
            connections.clone(),
            ManagerConfig {
                // Testing each connection would cost a round trip. A dead connection fails at BEGIN, which is then
                // repeated on another one.
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let max_size = options.max_connections.max(1);
        let pool = Pool::builder(manager)
            .max_size(max_size)
            .wait_timeout(Some(options.pool_wait))
            .create_timeout(Some(options.connect_timeout))
            .recycle_timeout(Some(options.connect_timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::unexpected)?;
        Ok(Postgres { pool, connections, attempts: max_size + 1, transaction_timeout: options.transaction_timeout })
    }

    /// Forwards the notifications of `channel`, over a separate connection that is opened again when it is lost.
    pub(crate) fn listen(&self, channel: &'static str) -> mpsc::Receiver<String> {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_NOTIFICATIONS);
        let connections = self.connections.clone();
        tokio::spawn(async move {
            while !sender.is_closed() {
                if let Err(error) = pass_on(&connections, channel, &sender).await {
                    tracing::debug!(error = &error as &dyn std::error::Error, channel, "cannot receive notifications");
                }
                tokio::select! {
                    () = sender.closed() => return,
                    () = tokio::time::sleep(RECONNECT_INTERVAL) => {}
                }
            }
        });
        receiver
    }

    pub(crate) async fn check_sessions(&self) -> Result<()> {
        let time = budget::left().unwrap_or(self.transaction_timeout);
        let checked = tokio::time::timeout(time, self.connections.check_sessions()).await;
        checked.unwrap_or_else(|_| Err(Error::out_of_time()))
    }

    pub(crate) async fn session_lock(&self, name: crate::LockName) -> Result<Option<crate::SessionLock>> {
        crate::SessionLock::take(&self.connections, name).await
    }

    pub(crate) async fn write<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
        E: From<Error>,
    {
        self.run(IsolationLevel::ReadCommitted, false, body).await
    }

    pub(crate) async fn read<T, E, F>(&self, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
        E: From<Error>,
    {
        self.run(IsolationLevel::RepeatableRead, true, body).await
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }

    /// Runs `body` in a transaction, within the remaining budget of the request.
    async fn run<T, E, F>(&self, level: IsolationLevel, read_only: bool, body: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
        E: From<Error>,
    {
        let time = budget::left().unwrap_or(self.transaction_timeout);
        let _spending = Spending::begin();
        let mut client = None;
        let committing = AtomicBool::new(false);
        let ran = self.run_on(&mut client, level, read_only, &committing, body);
        let ran = tokio::time::timeout(time, ran).await;
        ran.unwrap_or_else(|_| {
            // The next user of this connection would have to wait for its unfinished statement, so it is removed from
            // the pool.
            drop(client.map(Client::take));
            let error = if committing.into_inner() && !read_only {
                Error::outcome_unknown("it did not answer the commit in time")
            } else {
                Error::out_of_time()
            };
            Err(error.into())
        })
    }

    async fn client(&self) -> Result<Client> {
        self.pool.get().await.map_err(|e| match e {
            PoolError::Backend(e) => Error::unavailable(e),
            other => Error::unavailable(other),
        })
    }

    /// Runs `body` in a transaction on a connection that is stored in `place` meanwhile. When this future is dropped,
    /// the transaction is dropped too, which sends its `ROLLBACK` before the next use of the connection.
    async fn run_on<T, E, F>(
        &self,
        place: &mut Option<Client>,
        level: IsolationLevel,
        read_only: bool,
        committing: &AtomicBool,
        body: F,
    ) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
        E: From<Error>,
    {
        let mut attempts = self.attempts;
        loop {
            let client = place.insert(self.client().await?);
            attempts -= 1;
            let e = match client.build_transaction().isolation_level(level).read_only(read_only).start().await {
                Ok(transaction) => return run_in(transaction, read_only, committing, body).await,
                Err(e) => error(e),
            };
            // Nothing has run yet, so a dead connection only costs another attempt.
            drop(place.take().map(Client::take));
            if attempts == 0 || !matches!(e, Error::Unavailable { .. }) {
                return Err(e.into());
            }
        }
    }
}

/// Maximum number of notifications queued for a receiver.
const MAX_QUEUED_NOTIFICATIONS: usize = 1_024;
/// Delay before a lost connection is opened again.
const RECONNECT_INTERVAL: Duration = Duration::from_millis(500);

/// Listens until the connection or the receiver is closed.
async fn pass_on(
    connections: &Connections,
    channel: &str,
    sender: &mpsc::Sender<String>,
) -> std::result::Result<(), tokio_postgres::Error> {
    let (client, mut connection) = connections.open().await?;
    let mut messages = pin!(futures_util::stream::poll_fn(move |context| connection.poll_message(context)));
    // The connection works only while it is polled, so both futures run concurrently.
    let listen = format!("LISTEN \"{channel}\"");
    let mut listening = pin!(async {
        connections.begin(&client).await?;
        client.batch_execute(&listen).await
    });
    let mut listens = false;
    let mut missed = false;
    loop {
        let message = tokio::select! {
            () = sender.closed() => return Ok(()),
            listened = &mut listening, if !listens => {
                listened?;
                listens = true;
                // Notifications sent before this point were missed.
                missed = true;
                None
            }
            message = messages.try_next() => match message? {
                Some(AsyncMessage::Notification(notification)) => Some(notification.payload().to_owned()),
                Some(_) => None,
                None => return Ok(()),
            },
        };
        if let Some(payload) = message {
            missed |= sender.try_send(payload).is_err();
        }
        if missed {
            missed = sender.try_send(String::new()).is_err();
        }
    }
}

async fn run_in<T, E, F>(
    transaction: Transaction<'_>,
    read_only: bool,
    committing: &AtomicBool,
    body: F,
) -> Result<T, E>
where
    F: for<'t> FnOnce(&'t mut dyn Tx) -> BoxFuture<'t, Result<T, E>>,
    E: From<Error>,
{
    let mut tx = PostgresTx { transaction, failed: None };
    match body(&mut tx).await {
        Ok(value) => {
            // After a failed statement, COMMIT would roll back and report success.
            tx.check()?;
            committing.store(true, Ordering::Relaxed);
            match tx.transaction.commit().await {
                Ok(()) => Ok(value),
                // The server did not report an error: the connection was lost.
                Err(e) if !read_only && e.as_db_error().is_none() => Err(Error::outcome_unknown(e).into()),
                Err(e) => Err(error(e).into()),
            }
        }
        Err(e) => {
            // The caller's error is more helpful than one of ROLLBACK, and the pool detects a lost connection.
            let _ = tx.transaction.rollback().await;
            Err(e)
        }
    }
}

/// A transaction on one connection.
struct PostgresTx<'c> {
    transaction: Transaction<'c>,
    /// The first failure, after which the server executes nothing more.
    failed: Option<Error>,
}

impl PostgresTx<'_> {
    fn check(&self) -> Result<()> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    fn note<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }
}

impl Tx for PostgresTx<'_> {
    fn query<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<Vec<Row>>> {
        Box::pin(async move {
            self.check()?;
            let result = query(&self.transaction, sql, params).await;
            self.note(result)
        })
    }

    fn execute<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            self.check()?;
            let result = execute(&self.transaction, sql, params).await;
            self.note(result)
        })
    }

    fn batch<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.check()?;
            let result = self.transaction.batch_execute(sql).await.map_err(error);
            self.note(result)
        })
    }

    fn lock<'a>(&'a mut self, lock: Lock) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let (sql, key) = lock.statement();
            self.execute(sql, vec![Value::Int(key)]).await.map(drop)
        })
    }

    fn notify<'a>(&'a mut self, channel: &'a str, payload: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let params = vec![Value::from(channel), Value::from(payload)];
            self.query("SELECT CAST(pg_notify($1, $2) AS TEXT)", params).await.map(drop)
        })
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

async fn query(tx: &Transaction<'_>, sql: &str, params: Vec<Value>) -> Result<Vec<Row>> {
    check_params(&params)?;
    let statement = tx.prepare_cached(sql).await.map_err(error)?;
    let names = ColumnNames::new(statement.columns().iter().map(|column| column.name()));
    let stream = tx.query_raw(&statement, params).await.map_err(error)?;
    let mut stream = pin!(stream);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await.map_err(error)? {
        let mut values = Vec::with_capacity(row.len());
        for (i, column) in row.columns().iter().enumerate() {
            if !<Value as FromSql>::accepts(column.type_()) {
                return Err(Error::Column {
                    index: i,
                    name: names.name(i).to_owned(),
                    expected: "an integer, a real, text or a blob",
                    found: column.type_().name().to_owned(),
                });
            }
            values.push(row.try_get(i).map_err(error)?);
        }
        rows.push(Row::new(values, names.clone()));
    }
    Ok(rows)
}

async fn execute(tx: &Transaction<'_>, sql: &str, params: Vec<Value>) -> Result<u64> {
    check_params(&params)?;
    let statement = tx.prepare_cached(sql).await.map_err(error)?;
    tx.execute_raw(&statement, params).await.map_err(error)
}

type AnyError = Box<dyn std::error::Error + Sync + Send>;

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Value, AnyError> {
        Ok(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Value::Int(bool::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::FLOAT4 => Value::Real(f32::from_sql(ty, raw)?.into()),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            _ => Value::Text(String::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Value, AnyError> {
        Ok(Value::Null)
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::INT8
                | Type::INT4
                | Type::INT2
                | Type::BOOL
                | Type::FLOAT8
                | Type::FLOAT4
                | Type::BYTEA
                | Type::TEXT
                | Type::VARCHAR
                | Type::BPCHAR
                | Type::NAME
                | Type::UNKNOWN
        )
    }
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        match (self, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(int), &Type::INT8) => int.to_sql(ty, out),
            (Value::Int(int), &Type::INT4) => i32::try_from(*int)?.to_sql(ty, out),
            (Value::Int(int), &Type::INT2) => i16::try_from(*int)?.to_sql(ty, out),
            (Value::Int(int @ 0..=1), &Type::BOOL) => (*int == 1).to_sql(ty, out),
            // SQLite makes the same conversion for a real column.
            (Value::Int(int), &Type::FLOAT8) => (*int as f64).to_sql(ty, out),
            (Value::Real(real), &Type::FLOAT8) => real.to_sql(ty, out),
            (Value::Real(real), &Type::FLOAT4) => (*real as f32).to_sql(ty, out),
            (Value::Text(text), _) if <&str as ToSql>::accepts(ty) => text.to_sql(ty, out),
            (Value::Blob(blob), &Type::BYTEA) => blob.to_sql(ty, out),
            _ => Err(format!("the parameter is {}, but the statement expects {ty}", self.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub(crate) fn error(error: tokio_postgres::Error) -> Error {
    let Some(db_error) = error.as_db_error() else {
        // Neither the server nor this crate's conversions reported the error, so the connection is lost.
        let io = std::error::Error::source(&error).is_some_and(|cause| {
            cause.is::<std::io::Error>()
                || cause.downcast_ref::<HandshakeError>().is_some_and(HandshakeError::is_lost_connection)
        });
        return if error.is_closed() || io { Error::unavailable(error) } else { Error::unexpected(error) };
    };
    let constraint = db_error.constraint().unwrap_or_default().to_owned();
    match *db_error.code() {
        SqlState::UNIQUE_VIOLATION => Error::Unique { constraint },
        SqlState::FOREIGN_KEY_VIOLATION => Error::ForeignKey { constraint },
        SqlState::CHECK_VIOLATION => Error::Check { constraint },
        SqlState::QUERY_CANCELED
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW => Error::unavailable(error),
        // SQLSTATE classes: connection, resources, operating system.
        ref other if ["08", "53", "58"].contains(&&other.code()[..2]) => Error::unavailable(error),
        _ => Error::unexpected(error),
    }
}
