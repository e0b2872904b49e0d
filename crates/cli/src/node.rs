//! Registration of this server as a node of a shared database.
//!
//! Each node stores only the events that it received, so results of one node lack the events of others. A file in the
//! data directory identifies the node; a table of the database lists the running nodes.

use crate::config::StorageSettings;
use crate::{Error, Result};
use muriel_context::NodeIdentity;
use muriel_context::api_key::random_text;
use muriel_sql::Db;
use muriel_store::nodes::{self, NewNode, Node, Renewal};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Number of renewals within a lease.
const RENEWALS: u32 = 4;
/// Timeout for ending the lease when the server stops.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);

/// Content of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeFile {
    /// Random id, which moves with the data directory.
    node_id: String,
    /// Database that the last server on this directory used for everything except events.
    database: Database,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Database {
    Sqlite,
    Postgresql,
}

impl Database {
    fn of(place: &StorageSettings) -> Self {
        if place.database_url.is_some() { Self::Postgresql } else { Self::Sqlite }
    }
}

impl NodeFile {
    fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("node.json")
    }

    fn read(data_dir: &Path) -> Result<Option<Self>> {
        let path = Self::path(data_dir);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::File { doing: "cannot read", path, source }),
        };
        let file: Self = serde_json::from_str(&text)
            .map_err(|error| Error::Setting(format!("{} is damaged ({error}); delete it", path.display())))?;
        if file.node_id.is_empty()
            || file.node_id.len() > 64
            || !file.node_id.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            return Err(Error::Setting(format!("node_id in {} must be 1 to 64 letters and digits", path.display())));
        }
        Ok(Some(file))
    }

    /// Reads the file of this data directory, which is created if missing.
    ///
    /// A directory with a SQLite database belongs to that database until PostgreSQL has responded ([`Self::settle`]): a
    /// mistyped address must not keep the next start from its own data.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub(crate) fn of(place: &StorageSettings) -> Result<Self> {
        if let Some(file) = Self::read(&place.data_dir)? {
            return Ok(file);
        }
        let has_sqlite = place.data_dir.join("muriel.db").exists();
        let database = if has_sqlite { Database::Sqlite } else { Database::of(place) };
        let file = Self { node_id: random_text(22)?, database };
        file.write_if_possible(&place.data_dir);
        Ok(file)
    }

    /// Records that the directory is now used with this database.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn settle(place: &StorageSettings) -> Result<()> {
        let database = Database::of(place);
        match Self::read(&place.data_dir)? {
            Some(file) if file.database != database => {
                Self { database, ..file }.write_if_possible(&place.data_dir);
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the file if possible. A full disk must not prevent the server from running.
    fn write_if_possible(&self, data_dir: &Path) {
        if let Err(error) = self.write(data_dir) {
            tracing::warn!(
                error = crate::error::sentence(&error),
                "the node's file cannot be written, so the next start may not recognise this node"
            );
        }
    }

    /// Node id of a data directory; `None` before its first use.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn id_in(data_dir: &Path) -> Result<Option<String>> {
        Ok(Self::read(data_dir)?.map(|file| file.node_id))
    }

    /// Writes a temporary file and renames it, so that nobody reads a partial file.
    fn write(&self, data_dir: &Path) -> Result<()> {
        let path = Self::path(data_dir);
        let failed = |source| Error::File { doing: "cannot write", path: path.clone(), source };
        let text = serde_json::to_string(self).map_err(|error| Error::Other(error.into()))?;
        let beside = data_dir.join(".node.json");
        let mut file =
            File::options().create(true).truncate(true).write(true).mode(0o600).open(&beside).map_err(failed)?;
        writeln!(file, "{text}").and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&beside, &path).map_err(failed)
    }
}

/// Refuses to create or use a SQLite database in the data directory of a server that uses PostgreSQL: that server would
/// not see its content.
///
/// # Errors
/// A directory that was last used with PostgreSQL, if no PostgreSQL address is given.
pub(crate) fn check_database(place: &StorageSettings) -> Result<()> {
    if place.database_url.is_some() {
        return Ok(());
    }
    match NodeFile::read(&place.data_dir)? {
        Some(NodeFile { database: Database::Postgresql, .. }) => {
            let directory = std::path::absolute(&place.data_dir).unwrap_or_else(|_| place.data_dir.clone());
            Err(Error::Refused(format!(
                "the server with the data directory {} keeps its projects and keys in PostgreSQL, but this command has \
                 no address of it: add the server's --config or --database-url, or another --data-dir for a new SQLite \
                 database",
                directory.display()
            )))
        }
        _ => Ok(()),
    }
}

/// Registration of this run of this node.
pub(crate) struct Registration {
    db: Db,
    /// Data that it is registered with.
    node: NewNode,
    identity: Arc<NodeIdentity>,
    lease: Duration,
    /// True when this run is registered in the database.
    is_registered: bool,
    /// Number of other nodes in the last log line.
    others: usize,
    /// True when the log already reported that the event log has become shorter.
    is_shorter: bool,
}

impl Registration {
    /// Prepares a registration, without using the database yet. `None` on SQLite: only one process serves its file,
    /// which the data directory's lock ensures.
    ///
    /// # Errors
    /// When the system provides no randomness.
    pub(crate) fn new(db: &Db, place: &StorageSettings, file: &NodeFile, lease: Duration) -> Result<Option<Self>> {
        if place.database_url.is_none() {
            return Ok(None);
        }
        let directory = std::path::absolute(&place.data_dir).unwrap_or_else(|_| place.data_dir.clone());
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let node = NewNode {
            id: file.node_id.clone(),
            session: random_text(22)?,
            host: shown(host.trim()),
            data_dir: shown(&directory.to_string_lossy()),
            blocks: 0,
        };
        let identity = Arc::new(NodeIdentity::new(&file.node_id));
        Ok(Some(Self { db: db.clone(), node, identity, lease, is_registered: false, others: 0, is_shorter: false }))
    }

    /// Identity of this node, for results.
    pub(crate) fn identity(&self) -> Arc<NodeIdentity> {
        self.identity.clone()
    }

    /// Refuses to start while another node runs and the schema is older than this program's: migrating it would change
    /// the database under the running node. Without a migration, [`Self::register`] decides.
    ///
    /// Nothing is locked in between. A node that starts between this and [`Self::register`] finds the schema migrated.
    ///
    /// # Errors
    /// [`Error::OtherNode`], and when the database cannot be reached.
    pub(crate) async fn check_before_migration(&self) -> Result<()> {
        match nodes::running_before_migration(&self.db, &self.node.id).await?.first() {
            Some(other) => Err(Error::OtherNode(sentence(other))),
            None => Ok(()),
        }
    }

    /// Registers this run. With `insist`, also while other nodes run.
    ///
    /// # Errors
    /// [`Error::OtherNode`] while another node runs, and when the database cannot be reached.
    pub(crate) async fn register(&mut self, insist: bool) -> Result<()> {
        let others = self.registered(insist).await?;
        match others.first() {
            Some(other) if !insist => Err(Error::OtherNode(sentence(other))),
            _ => {
                self.is_registered = true;
                self.report_other_nodes(others.len());
                Ok(())
            }
        }
    }

    async fn registered(&self, insist: bool) -> Result<Vec<Node>> {
        let (node, lease_us) = (self.node.clone(), self.lease_us());
        let register = self.db.write::<_, Error, _>(move |tx| {
            Box::pin(async move { Ok(nodes::register(tx, &node, lease_us, insist).await?) })
        });
        register.await
    }

    fn lease_us(&self) -> i64 {
        i64::try_from(self.lease.as_micros()).unwrap_or(i64::MAX)
    }

    /// Ends the lease, so that another node may start at once. `blocks` is the number of blocks of the event log, if it
    /// is open.
    async fn leave(&self, blocks: Option<i64>) {
        let (NewNode { id, session, .. }, blocks) = (self.node.clone(), blocks.unwrap_or(0));
        let leave = self.db.write::<_, Error, _>(move |tx| {
            Box::pin(async move { Ok(nodes::leave(tx, &id, &session, blocks).await?) })
        });
        if !matches!(tokio::time::timeout(LEAVE_TIMEOUT, leave).await, Ok(Ok(()))) {
            tracing::debug!("the node's lease was not ended; it will expire");
        }
    }

    /// Shares the registration between the task that renews it and the server, which ends it.
    pub(crate) fn shared(self) -> SharedRegistration {
        SharedRegistration { period: self.lease / RENEWALS, registration: Arc::new(tokio::sync::Mutex::new(self)) }
    }

    async fn renew(&mut self, counted: Option<i64>) -> Result<()> {
        self.node.blocks = counted.unwrap_or(0);
        if !self.is_registered {
            // The node started while the database could not be reached, and already serves visitors.
            return self.register(true).await;
        }
        let (NewNode { id, session, blocks, .. }, lease_us) = (self.node.clone(), self.lease_us());
        let (renewal, others) = self
            .db
            .write::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let renewal = nodes::renew(tx, &id, &session, blocks, lease_us).await?;
                    Ok((renewal, nodes::others(tx, &id).await?))
                })
            })
            .await?;
        match renewal {
            Renewal::Renewed { most_blocks } => {
                self.report_other_nodes(others.iter().filter(|other| other.is_live).count());
                self.report_if_shorter(counted, most_blocks);
                return Ok(());
            }
            Renewal::Unknown => {}
            Renewal::Replaced => {
                tracing::error!(
                    node = self.node.id,
                    "another server runs with a copy of this data directory; the events of the two are kept apart: stop \
                     one of them"
                );
                // From now on they are two nodes with different ids.
                let own = self.node.id.split('~').next().unwrap_or_default();
                self.node.id = format!("{own}~{}", self.node.session);
                self.identity.set(&self.node.id);
            }
        }
        self.register(true).await
    }

    /// Logs that acknowledged events are missing: the log was restored from a backup, or its end was lost.
    fn report_if_shorter(&mut self, counted: Option<i64>, most_blocks: i64) {
        let Some(blocks) = counted.filter(|blocks| *blocks < most_blocks && !self.is_shorter) else { return };
        tracing::error!(
            blocks,
            most_blocks,
            "the event log has fewer blocks than this node had before: it was restored from a backup, or a copy of the \
             data directory received events; results lack the events of the missing blocks"
        );
        self.is_shorter = true;
    }

    /// Logs the number of other running nodes when it changes.
    fn report_other_nodes(&mut self, others: usize) {
        if others > self.others {
            tracing::error!(
                others,
                "other nodes run on this database: each reports only the events that it received itself, and the \
                 health check other_nodes of every result fails"
            );
        }
        self.others = others;
    }
}

/// Registration that a task renews and the server ends.
#[derive(Clone)]
pub(crate) struct SharedRegistration {
    registration: Arc<tokio::sync::Mutex<Registration>>,
    period: Duration,
}

impl SharedRegistration {
    /// Interval at which the lease is to be renewed.
    pub(crate) fn period(&self) -> Duration {
        self.period
    }

    /// Renews the lease, or registers if that was not possible before.
    ///
    /// # Errors
    /// When the database cannot be reached. Other nodes may start once the lease has expired; results then report it.
    pub(crate) async fn renew(&self, blocks: Option<i64>) -> Result<()> {
        self.registration.lock().await.renew(blocks).await
    }

    /// Ends the lease. Waits for a renewal in progress.
    pub(crate) async fn leave(&self, blocks: Option<i64>) {
        self.registration.lock().await.leave(blocks).await;
    }
}

/// Text for a column and a message, without control characters, which terminals would interpret.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(255).collect()
}

fn sentence(node: &Node) -> String {
    format!("{} on {}, data directory {}", node.id, node.host, node.data_dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_sql::PostgresOptions;

    #[test]
    fn a_directory_stays_with_sqlite_until_postgresql_has_answered() {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str, url: Option<&str>| StorageSettings {
            data_dir: dir.path().join(name),
            database_url: url.map(str::to_owned),
            pepper_file: dir.path().join("pepper"),
            postgres: PostgresOptions::default(),
        };
        let url = Some("postgres://127.0.0.1/muriel");
        for (name, has_sqlite) in [("new", false), ("used", true)] {
            fs::create_dir(dir.path().join(name)).unwrap();
            if has_sqlite {
                File::create(dir.path().join(name).join("muriel.db")).unwrap();
            }
            let started = NodeFile::of(&place(name, url)).unwrap();
            assert_eq!(check_database(&place(name, None)).is_ok(), has_sqlite, "{name}");
            NodeFile::settle(&place(name, url)).unwrap();
            assert!(check_database(&place(name, None)).is_err(), "{name}");
            assert_eq!(NodeFile::of(&place(name, url)).unwrap().node_id, started.node_id);
        }
    }
}
