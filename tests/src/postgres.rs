//! Databases for stories in the server that `MURIEL_TEST_POSTGRES` names.
//!
//! The migrations run once per process, in a template that is copied for each story. In the server of
//! `scripts/with-postgres` a copy takes milliseconds, and the template is removed with the server. In
//! any other server the template is dropped when no story has a database, so that nothing is left
//! behind.

use crate::template::{self, runtime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::runtime::Runtime;
use tokio_postgres::{Error, NoTls};

/// Number of databases in use, and the template if there is one.
static IN_USE: Mutex<InUse> = Mutex::new(InUse { count: 0, template: None });

struct InUse {
    count: usize,
    template: Option<String>,
}

fn in_use() -> MutexGuard<'static, InUse> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A database with all migrations applied, otherwise empty when a story gets it.
pub(crate) struct Database {
    pub(crate) url: String,
    server: String,
    name: String,
}

impl Database {
    pub(crate) fn take(runtime: &Runtime) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)")
        });
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let database = Self::named(server, format!("muriel_stories_{}_{number}", std::process::id()));
        let template = {
            let mut in_use = in_use();
            let template = in_use.template.get_or_insert_with(|| make_template(&database.server)).clone();
            in_use.count += 1;
            template
        };
        // Copying files is faster where nothing is flushed, but slower elsewhere, because it needs checkpoints.
        let strategy = if is_private() { "STRATEGY FILE_COPY" } else { "" };
        database.on_server(runtime, &format!("CREATE DATABASE {} TEMPLATE {template} {strategy}", database.name));
        database
    }

    fn named(server: String, name: String) -> Self {
        // The last part of the URL is the database name.
        let (base, _) = server.rsplit_once('/').unwrap_or((&server, ""));
        Self { url: format!("{base}/{name}"), name, server }
    }

    pub(crate) fn give_back(self, runtime: &Runtime) {
        drop_database(runtime, &self.server, &self.name);
        let mut in_use = in_use();
        in_use.count -= 1;
        if in_use.count == 0
            && !is_private()
            && let Some(template) = in_use.template.take()
        {
            drop_database(runtime, &self.server, &template);
        }
    }

    fn on_server(&self, runtime: &Runtime, statement: &str) {
        run(runtime, &self.server, statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

/// True on the server of `scripts/with-postgres`, which is removed with all of its databases.
fn is_private() -> bool {
    std::env::var_os("MURIEL_TEST_POSTGRES_IS_PRIVATE").is_some()
}

/// Creates the template and returns its name.
fn make_template(server: &str) -> String {
    // Uses its own runtime rather than that of the first story: the connections end with the runtime.
    let runtime = runtime();
    let template = Database::named(server.to_owned(), format!("muriel_stories_{}_template", std::process::id()));
    template.on_server(&runtime, &format!("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", template.name));
    drop(template::migrate(&runtime, Some(template.url)));
    template.name
}

fn drop_database(runtime: &Runtime, server: &str, name: &str) {
    let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    if let Err(error) = run(runtime, server, &statement) {
        eprintln!("the database {name} is left behind: {error}");
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
