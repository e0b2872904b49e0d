//! Databases for stories in the server that `MURIEL_TEST_POSTGRES` names.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::Runtime;
use tokio_postgres::NoTls;

/// A database that was not there before, and is not there afterwards.
pub(crate) struct Database {
    pub(crate) url: String,
    server: String,
    name: String,
}

impl Database {
    pub(crate) fn create(runtime: &Runtime) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)")
        });
        let name = format!("muriel_stories_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        // The last part of the address is the database.
        let (base, _) = server.rsplit_once('/').unwrap_or((&server, ""));
        let database = Self { url: format!("{base}/{name}"), name, server };
        let made = format!("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", database.name);
        database.administer(runtime, &made).expect("a database");
        database
    }

    pub(crate) fn drop(self, runtime: &Runtime) {
        let dropped = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = self.administer(runtime, &dropped) {
            eprintln!("the database {} is left behind: {error}", self.name);
        }
    }

    fn administer(&self, runtime: &Runtime, statement: &str) -> Result<(), tokio_postgres::Error> {
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.server, NoTls).await?;
            let connection = tokio::spawn(connection);
            let done = client.batch_execute(statement).await;
            drop(client);
            let _ = connection.await;
            done
        })
    }
}
