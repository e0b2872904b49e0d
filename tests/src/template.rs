//! The state that a story's server starts with: a database that has had every migration, made once in a process, and the pepper that
//! fits it.

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

/// The pepper of all stories: that of a database's template has to be known to the copies.
const PEPPER: &str = "the-pepper-of-stories-which-is-as-long-as-one-that-was-made-here";

/// The file of a new SQLite database.
static SQLITE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let dir = migrate(&runtime(), None);
    let file = dir.path().join("data/muriel.db");
    assert!(!file.with_extension("db-wal").exists(), "the migrations are not in the file yet");
    fs::read(file).expect("a database")
});

/// Makes a data directory as it is after the first start, without events. That of PostgreSQL has no database in it.
///
/// # Panics
/// When it cannot be made.
pub(crate) fn fill(data_dir: &Path, with_database: bool) {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(data_dir).expect("a data directory");
    write(&data_dir.join("pepper"), PEPPER.as_bytes());
    if with_database {
        write(&data_dir.join("muriel.db"), &SQLITE);
    }
}

/// As the server itself makes files: readable by their owner only.
fn write(path: &Path, bytes: &[u8]) {
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Opens an empty database as a server does at its first start: this PostgreSQL, or the file of the data directory `data` in
/// the directory that comes back.
///
/// # Panics
/// When that fails.
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

/// A slow machine is not a database that hangs.
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

/// The asynchronous runtime of a story and its server: two threads.
///
/// # Panics
/// When there can be no threads.
pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}
