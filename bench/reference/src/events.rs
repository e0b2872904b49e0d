//! Stores the bodies of events without parsing them: many with one flush, each acknowledged after it.
//!
//! A server that validates events, deduplicates them or makes them searchable cannot be much faster than this.

use axum::body::Bytes;
use rusqlite::{Connection, Result as Sql};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

/// Maximum number of bodies in the queue, and in one flush.
const WAITING: usize = 8_192;

type Waiting = (Bytes, oneshot::Sender<bool>);

/// A thread that stores the bodies sent to it.
pub struct Keeper(mpsc::Sender<Waiting>);

impl Keeper {
    /// Appends bodies to a file, one per line.
    pub fn appending(folder: &Path) -> io::Result<Self> {
        let mut file = File::create_new(folder.join("events.log"))?;
        let mut lines = Vec::new();
        Ok(Self::start(move |group| {
            lines.clear();
            for (body, _) in group {
                lines.extend_from_slice(body);
                lines.push(b'\n');
            }
            file.write_all(&lines).and_then(|()| file.sync_data()).is_ok()
        }))
    }

    /// Inserts bodies as rows of SQLite, with `synchronous` FULL.
    pub fn inserting(folder: &Path) -> Sql<Self> {
        let mut connection = Connection::open(folder.join("events.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch("CREATE TABLE event (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")?;
        let mut insert = move |group: &[Waiting]| {
            let transaction = connection.transaction()?;
            {
                let mut insert = transaction.prepare_cached("INSERT INTO event (body) VALUES (?1)")?;
                for (body, _) in group {
                    insert.execute([&body[..]])?;
                }
            }
            transaction.commit()
        };
        Ok(Self::start(move |group| insert(group).is_ok()))
    }

    /// Starts the thread. Bodies that arrive during a flush share the next one.
    fn start(mut keep: impl FnMut(&[Waiting]) -> bool + Send + 'static) -> Self {
        let (sender, mut receiver) = mpsc::channel(WAITING);
        std::thread::spawn(move || {
            let mut group = Vec::new();
            while receiver.blocking_recv_many(&mut group, WAITING) > 0 {
                let kept = keep(&group);
                for (_, done) in group.drain(..) {
                    // The client may have disconnected: the error is ignored.
                    let _ = done.send(kept);
                }
            }
        });
        Self(sender)
    }

    /// Stores a body. Returns true once it is durable, or false if it could not be stored.
    pub async fn keep(&self, body: Bytes) -> bool {
        let (done, kept) = oneshot::channel();
        self.0.send((body, done)).await.is_ok() && kept.await.unwrap_or(false)
    }
}
