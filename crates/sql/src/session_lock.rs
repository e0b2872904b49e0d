//! A lock that a process holds as long as it runs.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use std::time::Duration;

use tokio_postgres::Client;

use crate::connect::Connections;
use crate::{Error, LockName, Result, postgres};

/// Timeout of the check that the connection is still alive.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// A named lock on the whole database. It is released when this is dropped, when the process dies, and when its
/// connection is lost. In that case another process may take it before this one notices, so work that must happen only
/// once needs a further guard.
///
/// On SQLite only one server uses the file, so taking a lock always succeeds.
#[derive(Debug)]
pub struct SessionLock {
    client: Option<Client>,
}

impl SessionLock {
    /// The lock on SQLite, where no other server competes for it.
    pub(crate) fn alone() -> Self {
        Self { client: None }
    }

    /// Takes the lock over a separate connection; `None` when another session holds it.
    pub(crate) async fn take(connections: &Connections, name: LockName) -> Result<Option<Self>> {
        // The task that polls the connection ends when the client is dropped.
        let (client, _) = connections.connect().await.map_err(postgres::error)?;
        let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&name.key()]).await.map_err(postgres::error)?;
        let is_taken: bool = row.try_get(0).map_err(Error::unexpected)?;
        Ok(is_taken.then_some(Self { client: Some(client) }))
    }

    /// Returns whether the connection that holds the lock responds.
    pub async fn is_held(&self) -> bool {
        let Some(client) = &self.client else { return true };
        matches!(tokio::time::timeout(CHECK_TIMEOUT, client.batch_execute("SELECT 1")).await, Ok(Ok(())))
    }
}
