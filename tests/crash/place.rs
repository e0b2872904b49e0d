//! Data directory and database of a run, with access to them that bypasses the server.

use crate::Result;
use muriel_sql::{Db, Error, PostgresOptions, Row, SqliteOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Database in which experiments are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Database::Sqlite => "sqlite",
            Database::Postgres => "postgres",
        }
    }
}

/// A data directory, and on PostgreSQL a new database. Both are deleted on drop,
/// unless they are kept. A directory that was given is not deleted.
pub(crate) struct DataLocation {
    runtime: Runtime,
    data_dir: Folder,
    postgres: Option<Postgres>,
    is_kept: bool,
}

enum Folder {
    Own(TempDir),
    Given(PathBuf),
}

struct Postgres {
    /// Address of the server, with a database that always exists.
    server: String,
    name: String,
    /// Address of our database.
    url: String,
}

/// Process ids of PostgreSQL's backends.
pub(crate) type Backends = Vec<i64>;

impl DataLocation {
    pub(crate) fn new(database: Database) -> Result<Self> {
        let runtime = runtime()?;
        let data_dir = tempfile::Builder::new().prefix("muriel-crash-").tempdir()?;
        let postgres = match database {
            Database::Sqlite => None,
            Database::Postgres => Some(Postgres::create(&runtime)?),
        };
        Ok(Self { runtime, data_dir: Folder::Own(data_dir), postgres, is_kept: false })
    }

    /// SQLite in a directory that exists or that the server creates.
    pub(crate) fn at(data_dir: PathBuf) -> Result<Self> {
        Ok(Self { runtime: runtime()?, data_dir: Folder::Given(data_dir), postgres: None, is_kept: false })
    }

    pub(crate) fn data_dir(&self) -> &Path {
        match &self.data_dir {
            Folder::Own(folder) => folder.path(),
            Folder::Given(path) => path,
        }
    }

    /// Value of the server's `--database-url`; `None` for SQLite.
    pub(crate) fn database_url(&self) -> Option<&str> {
        self.postgres.as_ref().map(|postgres| postgres.url.as_str())
    }

    /// SQLite's file; `None` for PostgreSQL.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.postgres.is_none().then(|| self.data_dir().join("muriel.db"))
    }

    /// Keeps everything for inspection. Returns its location.
    pub(crate) fn keep(&mut self) -> String {
        self.is_kept = true;
        if let Folder::Own(folder) = &mut self.data_dir {
            folder.disable_cleanup(true);
        }
        match &self.postgres {
            None => self.data_dir().display().to_string(),
            Some(postgres) => format!("{} and database {}", self.data_dir().display(), postgres.name),
        }
    }

    /// Returns the rows of each statement. The database is open only during the call: a
    /// server that starts after a kill has to find the file as the killed one left it.
    pub(crate) fn ask(&self, statements: &[&str]) -> Result<Vec<Vec<Row>>> {
        let statements: Vec<String> = statements.iter().map(|&statement| statement.to_owned()).collect();
        self.runtime.block_on(async {
            let db = self.open().await?;
            let answers = db.read::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let mut answers = Vec::with_capacity(statements.len());
                    for statement in &statements {
                        answers.push(tx.query(statement, Vec::new()).await?);
                    }
                    Ok(answers)
                })
            });
            let answers = answers.await;
            db.close().await?;
            Ok(answers?)
        })
    }

    /// Changes the database directly, without the server.
    pub(crate) fn tamper(&self, script: String) -> Result<()> {
        self.runtime.block_on(async {
            let db = self.open().await?;
            let done = db.write::<_, Error, _>(move |tx| Box::pin(async move { tx.batch(&script).await })).await;
            db.close().await?;
            Ok(done?)
        })
    }

    async fn open(&self) -> Result<Db, Error> {
        match &self.postgres {
            None => Db::sqlite(&self.data_dir().join("muriel.db"), SqliteOptions { readers: 1 }),
            Some(postgres) => {
                let url = format!("{}{}application_name=crash", postgres.url, separator(&postgres.url));
                Db::postgres(&url, PostgresOptions { max_connections: 1, ..PostgresOptions::default() }).await
            }
        }
    }

    /// Backends that work for servers; none for SQLite. Those of a killed server may
    /// still finish a commit that reached them.
    pub(crate) fn backends(&self) -> Result<Backends> {
        if self.postgres.is_none() {
            return Ok(Vec::new());
        }
        let question = "SELECT pid FROM pg_stat_activity \
                        WHERE datname = current_database() AND application_name = 'muriel'";
        let rows = self.ask(&[question])?.remove(0);
        Ok(rows.iter().map(|row| row.int(0)).collect::<Result<_, _>>()?)
    }

    /// Waits until these backends have ended.
    pub(crate) fn wait_for_end(&self, backends: &[i64]) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(180);
        while !backends.is_empty() && self.backends()?.iter().any(|pid| backends.contains(pid)) {
            if Instant::now() > deadline {
                return Err("PostgreSQL still works for a server that was killed three minutes ago".into());
            }
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Problems that SQLite finds in the whole file; empty if it is sound, and for PostgreSQL.
    pub(crate) fn integrity(&self) -> Result<Vec<String>> {
        let Some(file) = self.file() else { return Ok(Vec::new()) };
        // A file may be too broken to be opened.
        let mut rows = match self.ask(&["PRAGMA integrity_check"]) {
            Ok(mut answers) => answers.remove(0),
            Err(error) => return Ok(vec![format!("{} cannot be read: {error}", file.display())]),
        };
        let mut said = rows.iter_mut().map(|row| row.text(0)).collect::<Result<Vec<_>, _>>()?;
        said.retain(|line| line != "ok");
        let strays = self.ask(&["PRAGMA foreign_key_check"]).map_or(0, |answers| answers[0].len());
        if strays > 0 {
            said.push(format!("{strays} rows refer to rows that are not there"));
        }
        Ok(said)
    }
}

impl Drop for DataLocation {
    fn drop(&mut self) {
        if let Some(postgres) = &self.postgres
            && !self.is_kept
            && let Err(error) = postgres.drop_database(&self.runtime)
        {
            eprintln!("crash: the database {} stays behind: {error}", postgres.name);
        }
    }
}

impl Postgres {
    fn create(runtime: &Runtime) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES")
            .map_err(|_| "MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)")?;
        let name = format!("muriel_crash_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let (address, parameters) = server.split_once('?').unwrap_or((&server, ""));
        let (address, _) = address.rsplit_once('/').ok_or("MURIEL_TEST_POSTGRES names no database")?;
        let url = format!("{address}/{name}{}{parameters}", if parameters.is_empty() { "" } else { "?" });
        let postgres = Self { server, name, url };
        postgres.drop_database(runtime)?;
        let make = format!("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", postgres.name);
        postgres.administer(runtime, &make)?;
        Ok(postgres)
    }

    fn drop_database(&self, runtime: &Runtime) -> Result<()> {
        self.administer(runtime, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name))
    }

    fn administer(&self, runtime: &Runtime, statement: &str) -> Result<()> {
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.server, tokio_postgres::NoTls).await?;
            let connection = tokio::spawn(connection);
            let done = client.batch_execute(statement).await;
            drop(client);
            connection.await??;
            Ok(done?)
        })
    }
}

fn runtime() -> Result<Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

fn separator(url: &str) -> char {
    if url.contains('?') { '&' } else { '?' }
}
