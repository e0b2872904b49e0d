//! A straightforward axum and SQLite service for the same requests.
//!
//! `reference FOLDER full|normal`: prints `ready http://ADDRESS`. Nothing is validated or cached. Every write is a
//! separate transaction on one connection. With `normal`, a power cut may lose the last writes; with `full` it cannot.
//! For events, see [`events`].

mod events;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::{Path as Route, State};
use axum::http::StatusCode;
use axum::routing::{get, patch, post};
use axum::{Json, Router};
use events::Keeper;
use rusqlite::{Connection, Result as Sql, params};
use serde::{Deserialize, Serialize};

const SCHEMA: &str = "
    CREATE TABLE experiment (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, url TEXT NOT NULL, status INTEGER NOT NULL, observation TEXT NOT NULL,
        targeting TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
    );
    CREATE TABLE audit (id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, action TEXT NOT NULL, at TEXT NOT NULL);";

const TARGETING: &str = r#"{"country":["US","CA"],"plan":["pro","team"]}"#;

#[derive(Serialize)]
struct Experiment {
    id: i64,
    name: String,
    url: String,
    status: i64,
    observation: String,
    targeting: String,
    created_at: String,
    updated_at: String,
}

#[derive(Serialize)]
struct Page {
    experiments: Vec<Experiment>,
    count: usize,
    total: i64,
}

#[derive(Deserialize)]
struct Change {
    test_name: String,
}

#[derive(Serialize)]
struct Changed {
    success: bool,
    id: i64,
}

struct Store {
    writer: Mutex<Connection>,
    readers: Vec<Mutex<Connection>>,
}

impl Store {
    fn open(folder: &Path, synchronous: &str) -> Sql<Self> {
        let open = || {
            let connection = Connection::open(folder.join("reference.db"))?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", synchronous)?;
            connection.busy_timeout(std::time::Duration::from_secs(5))?;
            Sql::Ok(connection)
        };
        let writer = open()?;
        writer.execute_batch(SCHEMA)?;
        for n in 1..=50 {
            insert(&writer, &format!("Experiment {n}"))?;
        }
        let readers = (0..2).map(|_| open().map(Mutex::new)).collect::<Sql<_>>()?;
        Ok(Self { writer: Mutex::new(writer), readers })
    }

    /// Runs a query on an idle reading connection, or on the first one as soon as it is free.
    fn read<T>(&self, question: impl FnOnce(&Connection) -> Sql<T>) -> Sql<T> {
        let free = self.readers.iter().find_map(|reader| reader.try_lock().ok());
        let reader = free.unwrap_or_else(|| self.readers[0].lock().expect("no reader panics"));
        question(&reader)
    }

    fn write<T>(&self, change: impl FnOnce(&Connection) -> Sql<T>) -> Sql<T> {
        let mut writer = self.writer.lock().expect("no writer panics");
        let transaction = writer.transaction()?;
        let done = change(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

fn insert(connection: &Connection, name: &str) -> Sql<i64> {
    connection
        .prepare_cached(
            "INSERT INTO experiment (name, url, status, observation, targeting, created_at, updated_at)
             VALUES (?1, 'https://example.com/', 1, 'Few visitors reach the form', ?2, datetime('now'), datetime('now'))",
        )?
        .execute(params![name, TARGETING])?;
    Ok(connection.last_insert_rowid())
}

fn audit(connection: &Connection, id: i64, action: &str) -> Sql<()> {
    connection
        .prepare_cached("INSERT INTO audit (experiment, action, at) VALUES (?1, ?2, datetime('now'))")?
        .execute(params![id, action])?;
    Ok(())
}

/// Every error is a server error here.
fn failed(_: rusqlite::Error) -> StatusCode {
    StatusCode::INTERNAL_SERVER_ERROR
}

async fn list(State(store): State<Arc<Store>>) -> Result<Json<Page>, StatusCode> {
    let page = store.read(|connection| {
        let experiments = connection
            .prepare_cached(
                "SELECT id, name, url, status, observation, targeting, created_at, updated_at
                 FROM experiment ORDER BY id DESC LIMIT 50",
            )?
            .query_map([], |row| {
                Ok(Experiment {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    url: row.get(2)?,
                    status: row.get(3)?,
                    observation: row.get(4)?,
                    targeting: row.get(5)?,
                    created_at: row.get(6)?,
                    updated_at: row.get(7)?,
                })
            })?
            .collect::<Sql<Vec<_>>>()?;
        let total = connection.prepare_cached("SELECT count(*) FROM experiment")?.query_row([], |row| row.get(0))?;
        Ok(Page { count: experiments.len(), experiments, total })
    });
    page.map(Json).map_err(failed)
}

async fn rename(
    State(store): State<Arc<Store>>,
    Route(id): Route<i64>,
    Json(change): Json<Change>,
) -> Result<Json<Changed>, StatusCode> {
    let changed = store.write(|connection| {
        let changed = connection
            .prepare_cached("UPDATE experiment SET name = ?1, updated_at = datetime('now') WHERE id = ?2")?
            .execute(params![change.test_name, id])?;
        audit(connection, id, "rename")?;
        Ok(changed)
    });
    match changed.map_err(failed)? {
        0 => Err(StatusCode::NOT_FOUND),
        _ => Ok(Json(Changed { success: true, id })),
    }
}

async fn create(
    State(store): State<Arc<Store>>,
    Json(change): Json<Change>,
) -> Result<(StatusCode, Json<Changed>), StatusCode> {
    let made = store.write(|connection| {
        let id = insert(connection, &change.test_name)?;
        audit(connection, id, "create")?;
        Ok(id)
    });
    made.map(|id| (StatusCode::CREATED, Json(Changed { success: true, id }))).map_err(failed)
}

/// Reads the body and sends the same response to every visitor, which shows the cost of HTTP.
async fn hello(_: Bytes) -> Json<Changed> {
    Json(Changed { success: true, id: 1 })
}

async fn keep(State(keeper): State<Arc<Keeper>>, body: Bytes) -> StatusCode {
    if keeper.keep(body).await { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: reference FOLDER full|normal")?);
    let synchronous = arguments.next().ok_or("usage: reference FOLDER full|normal")?;
    let store = Arc::new(Store::open(&folder, &synchronous)?);

    let appending = post(keep).with_state(Arc::new(Keeper::appending(&folder)?));
    let inserting = post(keep).with_state(Arc::new(Keeper::inserting(&folder)?));
    let routes = Router::new()
        .route("/hello", post(hello))
        .route("/append", appending)
        .route("/insert", inserting)
        .route("/experiments", get(list))
        .route("/experiment/{id}", patch(rename))
        .route("/create-experiment", post(create))
        .with_state(store);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("ready http://{}", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}
