//! Initial state of a story's server: a database with all migrations, created once per process, and the matching
//! pepper.

use crate::{DEADLINE, scratch};
use muriel_cli::config::StorageSettings;
use muriel_cli::open::open;
use muriel_sql::PostgresOptions;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Pepper of all stories: copies of a template database need the pepper it was created with.
const PEPPER: &str = "the-pepper-of-stories-which-is-as-long-as-one-that-was-made-here";

/// Content of a new SQLite database file.
static SQLITE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let dir = migrate(&runtime(), None);
    let file = dir.path().join("data/muriel.db");
    assert!(!file.with_extension("db-wal").exists(), "the migrations are not in the file yet");
    fs::read(file).expect("a database")
});

/// Creates a data directory as after the first start, without events. The one for PostgreSQL contains no database.
///
/// # Panics
/// When it cannot be created.
pub(crate) fn fill(data_dir: &Path, with_database: bool) {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(data_dir).expect("a data directory");
    write(&data_dir.join("pepper"), PEPPER.as_bytes());
    if with_database {
        write(&data_dir.join("muriel.db"), &SQLITE);
    }
}

/// Writes a file as the server does: readable by its owner only.
fn write(path: &Path, bytes: &[u8]) {
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Opens an empty database as a server does at its first start: this PostgreSQL database, or the file
/// in the data directory `data` of the returned directory.
///
/// # Panics
/// When a step fails.
pub(crate) fn migrate(runtime: &Runtime, database_url: Option<String>) -> TempDir {
    let dir = scratch();
    let data_dir = dir.path().join("data");
    fill(&data_dir, false);
    let storage =
        StorageSettings { pepper_file: data_dir.join("pepper"), data_dir, database_url, postgres: patient_postgres() };
    runtime.block_on(async {
        let opened = open(&storage).await.expect("the database opens");
        opened.db.close().await.expect("the database closes");
    });
    dir
}

/// Options with long timeouts, because a slow machine is not a hanging database.
pub(crate) fn patient_postgres() -> PostgresOptions {
    PostgresOptions {
        pool_wait: DEADLINE,
        connect_timeout: DEADLINE,
        statement_timeout: DEADLINE,
        lock_timeout: DEADLINE,
        idle_in_transaction_timeout: DEADLINE,
        transaction_timeout: DEADLINE,
        tcp_user_timeout: DEADLINE,
        ..PostgresOptions::default()
    }
}

/// Creates the asynchronous runtime of a story and its server: two threads.
///
/// # Panics
/// When no thread can be started.
pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}
