//! Databases in the state of an older release.
#![allow(dead_code, clippy::unwrap_used, reason = "tests; each file uses some of it")]

use muriel_sql::{Db, Error, PostgresOptions, Row, SqliteOptions, Tx, Value, params};
use muriel_store::MIGRATIONS;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Timeout, longer than any operation here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// Place of a test database.
pub(crate) enum Place {
    Sqlite(TempDir),
    Postgres { server: String, name: String },
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    pub(crate) async fn postgres() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)")
        });
        let name = format!("muriel_store_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        execute_on(&server, &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")).await;
        Self::Postgres { server, name }
    }

    pub(crate) async fn open(&self) -> Db {
        match self {
            Place::Sqlite(dir) => Db::sqlite(&dir.path().join("muriel.db"), SqliteOptions::default()).unwrap(),
            Place::Postgres { server, name } => {
                let options = PostgresOptions {
                    pool_wait: DEADLINE,
                    connect_timeout: DEADLINE,
                    statement_timeout: DEADLINE,
                    transaction_timeout: DEADLINE,
                    ..PostgresOptions::default()
                };
                // The last part of the address is the database.
                let (base, _) = server.rsplit_once('/').unwrap_or((server, ""));
                Db::postgres(&format!("{base}/{name}"), options).await.unwrap()
            }
        }
    }

    /// Opens the database with the first `migrations` migrations, a company and a project.
    pub(crate) async fn old(&self, migrations: usize) -> Db {
        let db = self.open().await;
        db.migrate(&MIGRATIONS[..migrations]).await.unwrap();
        execute(&db, "INSERT INTO company (name, created_at) VALUES ('Acme', 1)", params![]).await;
        let sql = "INSERT INTO project (company_id, project_key, name, created_at, backlog_seq, hypotheses, archived) \
                   SELECT company_id, 'prj_shop', 'Shop', 1, 0, 0, 0 FROM company";
        execute(&db, sql, params![]).await;
        db
    }

    pub(crate) async fn remove(self) {
        if let Place::Postgres { server, name } = self {
            execute_on(&server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

async fn execute_on(server: &str, statement: &str) {
    let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(statement).await.unwrap();
}

/// Runs each test on SQLite and on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread")] async fn $name() { super::$name(&$crate::old::Place::sqlite()).await })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread")] async fn $name() {
                let place = $crate::old::Place::postgres().await;
                super::$name(&place).await;
                place.remove().await;
            })*
        }
    };
}

pub(crate) async fn write<T: Send + 'static>(
    db: &Db,
    body: impl for<'t> FnOnce(&'t mut dyn Tx) -> muriel_sql::BoxFuture<'t, Result<T, Error>> + Send + 'static,
) -> T {
    db.write::<_, Error, _>(body).await.unwrap()
}

pub(crate) async fn execute(db: &Db, sql: &'static str, params: Vec<Value>) {
    write(db, move |tx| Box::pin(async move { tx.execute(sql, params).await })).await;
}

pub(crate) async fn rows(db: &Db, sql: &'static str, params: Vec<Value>) -> Vec<Row> {
    db.read::<_, Error, _>(move |tx| Box::pin(async move { tx.query(sql, params).await })).await.unwrap()
}

/// An experiment in the row format of an older release.
pub(crate) struct Old<'a> {
    pub(crate) key: &'static str,
    pub(crate) status: &'static str,
    pub(crate) serving: &'static str,
    pub(crate) plan: &'static str,
    pub(crate) configuration: &'static str,
    /// Code of each variant.
    pub(crate) variants: &'a [&'static str],
    /// `started_at` and `opened_at` of the first epoch.
    pub(crate) epoch: Option<(i64, Option<i64>)>,
    /// Time and `before` of each change, the first of which created it.
    pub(crate) history: &'a [(i64, &'static str)],
}

pub(crate) const DRAFT: Old<'static> = Old {
    key: "draft",
    status: "draft",
    serving: "never",
    plan: r#"{"visitors":500}"#,
    configuration: "{}",
    variants: &["a", "b"],
    epoch: None,
    history: &[],
};

impl Old<'_> {
    pub(crate) async fn insert(&self, db: &Db) -> i64 {
        let sql = "INSERT INTO experiment (project_id, company_id, experiment_key, test_type, name, url, \
             variants_data_key, control_nickname, control_js, control_css, custom_js, custom_css, configuration, \
             targeting, tags, plan, builtin_metrics, event_metrics, status, serving, epoch, revision, created_at, \
             updated_at) \
             SELECT project_id, company_id, $1, 'ab_test', $1, '', '', '', 'control', '', '', '', $5, '{}', '[]', $2, \
             '[]', '[]', $3, $4, 1, 1, 1, 1 FROM project RETURNING experiment_id";
        let values = params![self.key, self.plan, self.status, self.serving, self.configuration];
        let variants: Vec<_> = self.variants.iter().map(|code| (*code).to_owned()).collect();
        let history: Vec<_> = self.history.iter().map(|(at, before)| (*at, (*before).to_owned())).collect();
        let epoch = self.epoch;
        write(db, move |tx| {
            Box::pin(async move {
                let id = tx.query_one(sql, values).await?.int("experiment_id")?;
                for (number, code) in (1i64..).zip(variants) {
                    let sql = "INSERT INTO variant (experiment_id, number, nickname, custom_js, custom_css, changes) \
                               VALUES ($1, $2, '', $3, '', '[]')";
                    tx.execute(sql, params![id, number, code]).await?;
                }
                if let Some((started_at, opened_at)) = epoch {
                    let sql = "INSERT INTO epoch (experiment_id, epoch, started_at, opened_at, reasons, \
                               traffic_allocation, weights) VALUES ($1, 1, $2, $3, '[\"status\"]', 100, '[]')";
                    tx.execute(sql, params![id, started_at, opened_at]).await?;
                }
                for (revision, (at, before)) in (1i64..).zip(history) {
                    let sql = "INSERT INTO experiment_history (experiment_id, revision, at, actor, action, before) \
                               VALUES ($1, $2, $3, 'test', 'update', $4)";
                    tx.execute(sql, params![id, revision, at, before]).await?;
                }
                Ok(id)
            })
        })
        .await
    }
}

pub(crate) async fn close(db: Db) {
    db.close().await.unwrap();
}

pub(crate) use on_both;
