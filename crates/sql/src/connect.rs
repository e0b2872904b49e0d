//! Connections to a PostgreSQL server. All of them are made here: those of the pool, of locks and of listeners.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, Connection, SimpleQueryMessage, Socket};

use crate::address::Address;
use crate::tls::{Connector, HandshakeError, TlsMode, TlsStream};
use crate::{BoxFuture, Error, PostgresOptions, Result, postgres};

/// The part of a connection that must be polled.
pub(crate) type Wire = Connection<Socket, TlsStream<Socket>>;
type DriverResult<T> = std::result::Result<T, tokio_postgres::Error>;

/// Number of comparisons of two sessions. While a pooler serves other clients, a single comparison may not show that it
/// shares sessions.
const SESSION_CHECKS: usize = 3;

/// Factory of connections to one database.
#[derive(Clone)]
pub(crate) struct Connections {
    config: Arc<Config>,
    tls: Connector,
    mode: TlsMode,
    /// `SET` statements that every connection starts with.
    session: Arc<str>,
}

impl Connections {
    /// Reads the address and the files that it names. Does not connect yet.
    ///
    /// # Errors
    /// [`crate::Error::Address`] when the address or one of its files cannot be used.
    pub(crate) fn new(url: &str, options: &PostgresOptions) -> Result<Connections> {
        let Address { mut config, tls } = Address::read(url, &options.credentials)?;
        config
            .connect_timeout(options.connect_timeout)
            .tcp_user_timeout(options.tcp_user_timeout)
            .keepalives(true)
            .keepalives_idle(Duration::from_secs(30))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        if config.get_application_name().is_none() {
            config.application_name("muriel");
        }
        // Not as startup options of the connection, because PgBouncer rejects those.
        let session = [
            ("statement_timeout", options.statement_timeout),
            ("lock_timeout", options.lock_timeout),
            ("idle_in_transaction_session_timeout", options.idle_in_transaction_timeout),
        ]
        .map(|(name, limit)| format!("SET {name} = {}", limit.as_millis()))
        .join("; ");
        Ok(Connections {
            config: Arc::new(config),
            tls: Connector::new(&tls)?,
            mode: tls.mode,
            session: session.into(),
        })
    }

    /// Settings that the driver uses.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Opens a connection. Its first statements must still be sent: see [`Connections::begin`].
    pub(crate) async fn open(&self) -> DriverResult<(Client, Wire)> {
        match self.config.connect(self.tls.clone()).await {
            Err(error) if self.mode == TlsMode::Prefer && is_refused_tls(&error) => {
                let mut plain = (*self.config).clone();
                plain.ssl_mode(SslMode::Disable);
                // When the attempt without TLS fails too, the first error is more helpful.
                plain.connect(self.tls.clone()).await.map_err(|_| error)
            }
            connected => connected,
        }
    }

    /// Sets the timeouts of the session.
    pub(crate) async fn begin(&self, client: &Client) -> DriverResult<()> {
        client.batch_execute(&self.session).await
    }

    /// Checks that each connection is a session of its own. Some poolers pass a client's next transaction to any of
    /// their sessions. A prepared statement can then be another client's, and nobody holds a session's lock.
    ///
    /// # Errors
    /// [`Error::Address`] when two connections share their sessions.
    pub(crate) async fn check_sessions(&self) -> Result<()> {
        let (one, _) = self.connect().await.map_err(Error::unavailable)?;
        let (other, _) = self.connect().await.map_err(Error::unavailable)?;
        let mut known = None;
        for _ in 0..SESSION_CHECKS {
            // A session that the first client has just given back is the next that a pooler uses.
            let found = (process(&one).await?, process(&other).await?);
            if found.0 == found.1 || *known.get_or_insert_with(|| found.clone()) != found {
                return Err(Error::Address(SHARED_SESSIONS.to_owned()));
            }
        }
        Ok(())
    }

    /// Opens a connection and polls it in a task until its client is dropped.
    pub(crate) async fn connect(&self) -> DriverResult<(Client, JoinHandle<()>)> {
        let (client, wire) = self.open().await?;
        let works = tokio::spawn(async move {
            if let Err(error) = wire.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "a connection to the database is lost");
            }
        });
        self.begin(&client).await?;
        Ok((client, works))
    }
}

impl deadpool_postgres::Connect for Connections {
    fn connect(&self, _: &Config) -> BoxFuture<'_, DriverResult<(Client, JoinHandle<()>)>> {
        Box::pin(Connections::connect(self))
    }
}

const SHARED_SESSIONS: &str = "the connection pooler in front of the database does not give each connection a session of \
                               its own: set pool_mode=session in PgBouncer, or connect to PostgreSQL directly";

/// Returns the id of the server's process behind a connection.
async fn process(client: &Client) -> Result<String> {
    // Without a prepared statement, as that belongs to a session.
    let messages = client.simple_query("SELECT pg_backend_pid()").await.map_err(postgres::error)?;
    let id = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    id.map(str::to_owned).ok_or(Error::NoRow)
}

/// Returns whether the server or the TLS handshake refused a connection that may also be made without TLS.
fn is_refused_tls(error: &tokio_postgres::Error) -> bool {
    let is_handshake = error.source().is_some_and(|cause| cause.is::<HandshakeError>());
    // The server's access rules (`pg_hba.conf`) may allow only connections without TLS.
    is_handshake || error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    async fn message(stream: &mut TcpStream) -> Vec<u8> {
        let length = stream.read_u32().await.unwrap() - 4;
        let mut bytes = vec![0; length as usize];
        stream.read_exact(&mut bytes).await.unwrap();
        bytes
    }

    /// PgBouncer rejects connections with startup parameters that it does not know, `options` among them.
    /// `tests/pgbouncer` runs the server behind a real one.
    #[tokio::test]
    async fn a_connection_begins_with_parameters_that_poolers_take() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("postgres://muriel@{}/muriel", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert_eq!(message(&mut stream).await, 80_877_103_u32.to_be_bytes(), "a request for TLS");
            stream.write_all(b"N").await.unwrap();
            let start = message(&mut stream).await;
            assert_eq!(start[..4], 196_608_u32.to_be_bytes(), "version 3.0 of the protocol");
            let refusal = b"SFATAL\0C08P01\0Mthe pooler has a sentence\0\0";
            let mut answer = vec![b'E'];
            answer.extend((refusal.len() as u32 + 4).to_be_bytes());
            answer.extend(refusal);
            stream.write_all(&answer).await.unwrap();
            String::from_utf8(start[4..].to_vec()).unwrap()
        });
        let connections = Connections::new(&url, &PostgresOptions::default()).unwrap();
        let error = connections.connect().await.map(drop).unwrap_err();
        assert!(error.as_db_error().is_some_and(|error| error.message() == "the pooler has a sentence"), "{error:?}");
        let start = server.await.unwrap();
        let names: Vec<&str> = start.trim_end_matches('\0').split('\0').step_by(2).collect();
        assert_eq!(names, ["client_encoding", "user", "database", "application_name"]);
        for limit in ["statement_timeout = 5000", "lock_timeout = ", "idle_in_transaction_session_timeout = "] {
            assert!(connections.session.contains(&format!("SET {limit}")), "{}", connections.session);
        }
    }
}
