//! Bodies of events, kept unread: many with one flush, each acknowledged after it.
//!
//! Nobody who checks, looks for repeats or makes the events findable can be much faster than this.

use axum::body::Bytes;
use rusqlite::{Connection, Result as Sql};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

/// Bodies that wait at most, and that one flush takes.
const WAITING: usize = 8_192;

type Waiting = (Bytes, oneshot::Sender<bool>);

/// A thread that keeps what it is sent.
pub struct Keeper(mpsc::Sender<Waiting>);

impl Keeper {
    /// Keeps bodies line by line in a file.
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

    /// Keeps bodies as rows of SQLite, with `synchronous` FULL.
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

    /// Whoever waits while a flush is under way shares the next one.
    fn start(mut keep: impl FnMut(&[Waiting]) -> bool + Send + 'static) -> Self {
        let (sender, mut receiver) = mpsc::channel(WAITING);
        std::thread::spawn(move || {
            let mut group = Vec::new();
            while receiver.blocking_recv_many(&mut group, WAITING) > 0 {
                let kept = keep(&group);
                for (_, done) in group.drain(..) {
                    // Whoever went away does not want to know.
                    let _ = done.send(kept);
                }
            }
        });
        Self(sender)
    }

    /// Whether the body is kept, once that is certain.
    pub async fn keep(&self, body: Bytes) -> bool {
        let (done, kept) = oneshot::channel();
        self.0.send((body, done)).await.is_ok() && kept.await.unwrap_or(false)
    }
}
