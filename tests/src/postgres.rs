//! Databases for stories in the server that `MURIEL_TEST_POSTGRES` names.
//!
//! Dropping one makes the server write out everything it holds, which takes
//! longer than most stories. So one that a story is done with is emptied and
//! handed to the next; when no story has any, all of them are dropped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::runtime::Runtime;
use tokio_postgres::{Error, NoTls};

static STOCK: Mutex<Stock> = Mutex::new(Stock { in_use: 0, empty: Vec::new() });

struct Stock {
    in_use: usize,
    empty: Vec<Database>,
}

fn stock() -> MutexGuard<'static, Stock> {
    STOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A database in which nothing is when a story gets it.
pub(crate) struct Database {
    pub(crate) url: String,
    server: String,
    name: String,
}

impl Database {
    pub(crate) fn take(runtime: &Runtime) -> Self {
        let kept = {
            let mut stock = stock();
            stock.in_use += 1;
            stock.empty.pop()
        };
        kept.unwrap_or_else(|| Self::create(runtime))
    }

    fn create(runtime: &Runtime) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)")
        });
        let name = format!("muriel_stories_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        // The last part of the address is the database.
        let (base, _) = server.rsplit_once('/').unwrap_or((&server, ""));
        let database = Self { url: format!("{base}/{name}"), name, server };
        let made = format!("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", database.name);
        run(runtime, &database.server, &made).expect("a database");
        database
    }

    /// Emptied and kept, or dropped with all the others.
    pub(crate) fn give_back(self, runtime: &Runtime) {
        let emptied = self.empty(runtime);
        let dropped = {
            let mut stock = stock();
            stock.in_use -= 1;
            if stock.in_use == 0 {
                stock.empty.drain(..).chain([self]).collect()
            } else if emptied.is_err() {
                vec![self]
            } else {
                stock.empty.push(self);
                Vec::new()
            }
        };
        for database in dropped {
            let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", database.name);
            if let Err(error) = run(runtime, &database.server, &statement) {
                eprintln!("the database {} is left behind: {error}", database.name);
            }
        }
    }

    fn empty(&self, runtime: &Runtime) -> Result<(), Error> {
        let others = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()",
            self.name
        );
        run(runtime, &self.server, &others)?;
        run(runtime, &self.url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    }
}

fn run(runtime: &Runtime, url: &str, statements: &str) -> Result<(), Error> {
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        let connection = tokio::spawn(connection);
        let done = client.batch_execute(statements).await;
        drop(client);
        let _ = connection.await;
        done
    })
}
