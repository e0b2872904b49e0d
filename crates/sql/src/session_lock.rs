//! A lock that a process holds for as long as it lives.

use std::time::Duration;

use tokio_postgres::Client;

use crate::connect::Connections;
use crate::{Error, LockName, Result, postgres};

/// How long the database may take to say whether the connection still lives.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// A named lock on the whole database. It ends when this is dropped, when the process dies, and when its
/// connection is lost: then another may take it before this process knows, so that whatever must be done once
/// has to be guarded by more than the lock.
///
/// On SQLite one server works on the file, and every lock is its own.
#[derive(Debug)]
pub struct SessionLock {
    client: Option<Client>,
}

impl SessionLock {
    /// The lock of whoever is alone.
    pub(crate) fn alone() -> Self {
        Self { client: None }
    }

    /// Takes the lock over a connection of its own; `None` when another session has it.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub(crate) async fn take(connections: &Connections, name: LockName) -> Result<Option<Self>> {
        // The task that works on the connection ends with the client.
        let (client, _) = connections.connect().await.map_err(postgres::error)?;
        let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&name.key()]).await.map_err(postgres::error)?;
        let is_taken: bool = row.try_get(0).map_err(Error::unexpected)?;
        Ok(is_taken.then_some(Self { client: Some(client) }))
    }

    /// Whether the connection that holds the lock answers.
    pub async fn is_held(&self) -> bool {
        let Some(client) = &self.client else { return true };
        matches!(tokio::time::timeout(CHECK_TIMEOUT, client.batch_execute("SELECT 1")).await, Ok(Ok(())))
    }
}
