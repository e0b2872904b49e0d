//! Migration 9 on databases that an older release has written.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

use muriel_sql::{Db, Dialect, Error, Migration, PostgresOptions, Row, SqliteOptions, Tx, Value, params};
use muriel_store::MIGRATIONS;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// A database of the release before migration 9.
enum Place {
    Sqlite(TempDir),
    Postgres { server: String, name: String },
}

impl Place {
    fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    async fn postgres() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)")
        });
        let name = format!("muriel_store_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        execute_on(&server, &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")).await;
        Self::Postgres { server, name }
    }

    async fn open(&self) -> Db {
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

    /// Opened, with a company and a project.
    async fn old(&self) -> Db {
        let db = self.open().await;
        db.migrate(&MIGRATIONS[..8]).await.unwrap();
        execute(&db, "INSERT INTO company (name, created_at) VALUES ('Acme', 1)", params![]).await;
        let sql = "INSERT INTO project (company_id, project_key, name, created_at, backlog_seq, hypotheses, archived) \
                   SELECT company_id, 'prj_shop', 'Shop', 1, 0, 0, 0 FROM company";
        execute(&db, sql, params![]).await;
        db
    }

    async fn remove(self) {
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
            $(#[tokio::test(flavor = "multi_thread")] async fn $name() { super::$name(&super::Place::sqlite()).await })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread")] async fn $name() {
                let place = super::Place::postgres().await;
                super::$name(&place).await;
                place.remove().await;
            })*
        }
    };
}

on_both![
    the_columns_are_filled_from_history,
    odd_values_in_history_keep_no_server_from_starting,
    the_whole_of_a_long_history_counts,
    a_fill_that_is_cut_short_leaves_nothing_behind,
    nodes_may_migrate_at_the_same_time,
];

async fn write<T: Send + 'static>(
    db: &Db,
    body: impl for<'t> FnOnce(&'t mut dyn Tx) -> muriel_sql::BoxFuture<'t, Result<T, Error>> + Send + 'static,
) -> T {
    db.write::<_, Error, _>(body).await.unwrap()
}

async fn execute(db: &Db, sql: &'static str, params: Vec<Value>) {
    write(db, move |tx| Box::pin(async move { tx.execute(sql, params).await })).await;
}

async fn rows(db: &Db, sql: &'static str, params: Vec<Value>) -> Vec<Row> {
    db.read::<_, Error, _>(move |tx| Box::pin(async move { tx.query(sql, params).await })).await.unwrap()
}

/// An experiment as the row of an older release has it.
struct Old<'a> {
    key: &'static str,
    status: &'static str,
    serving: &'static str,
    plan: &'static str,
    /// Code of each variant.
    variants: &'a [&'static str],
    /// `started_at` and `opened_at` of the first epoch.
    epoch: Option<(i64, Option<i64>)>,
    /// Moment and `before` of each change, the first of which created it.
    history: &'a [(i64, &'static str)],
}

const DRAFT: Old<'static> = Old {
    key: "draft",
    status: "draft",
    serving: "never",
    plan: r#"{"visitors":500}"#,
    variants: &["a", "b"],
    epoch: None,
    history: &[],
};

impl Old<'_> {
    async fn insert(&self, db: &Db) -> i64 {
        let sql = "INSERT INTO experiment (project_id, company_id, experiment_key, test_type, name, url, \
             variants_data_key, control_nickname, control_js, control_css, custom_js, custom_css, configuration, \
             targeting, tags, plan, builtin_metrics, event_metrics, status, serving, epoch, revision, created_at, \
             updated_at) \
             SELECT project_id, company_id, $1, 'ab_test', $1, '', '', '', 'control', '', '', '', '{}', '{}', '[]', $2, \
             '[]', '[]', $3, $4, 1, 1, 1, 1 FROM project RETURNING experiment_id";
        let values = params![self.key, self.plan, self.status, self.serving];
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

/// What the migration stored: the columns of the experiment in the order of the migration, then those of its variants.
type Filled = ([Option<i64>; 7], i64, Vec<Option<i64>>);

async fn filled(db: &Db, id: i64) -> Filled {
    let sql = "SELECT first_started_at, first_opened_at, planned_visitors, deployed_at, ended_at, code_redefined_at, \
               control_redefined_at, most_variants FROM experiment WHERE experiment_id = $1";
    let row = rows(db, sql, params![id]).await.remove(0);
    let sql = "SELECT redefined_at FROM variant WHERE experiment_id = $1 ORDER BY number";
    let variants = rows(db, sql, params![id]).await;
    (
        std::array::from_fn(|column| row.opt_int(column).unwrap()),
        row.int(7).unwrap(),
        variants.iter().map(|row| row.opt_int(0).unwrap()).collect(),
    )
}

async fn the_columns_are_filled_from_history(place: &Place) {
    let db = place.old().await;
    // Without any history: nothing is known but what the row has.
    let silent = DRAFT.insert(&db).await;
    let full = Old {
        key: "full",
        status: "inactive",
        serving: "winner",
        plan: r#"{"visitors":900}"#,
        variants: &["a", "c"],
        epoch: Some((30, Some(40))),
        history: &[
            (10, "{}"),
            (20, r#"{"plan":{"visitors":100}}"#),
            (30, r#"{"status":{"status":"draft"}}"#),
            (40, r#"{"status":{"status":"inactive"},"plan":{"visitors":200}}"#),
            (50, r#"{"plan":{"visitors":300}}"#),
            (60, r#"{"plan":{"visitors":400}}"#),
            // The third variant goes, and another second one comes.
            (
                70,
                r#"{"variants":[{"customJS":"a","customCSS":"","data":[],"targeting":null},{"customJS":"b","customCSS":"","data":[],"targeting":null},{"customJS":"x"}]}"#,
            ),
            (80, r#"{"variants":[{"customJS":"a","customCSS":"","data":[],"targeting":null}]}"#),
            (90, r#"{"control":{"nickname":"Old","customJS":"earlier","customCSS":""}}"#),
            (100, r#"{"control":{"nickname":"New","customJS":"control","customCSS":""}}"#),
            (110, r#"{"custom_css":"","serving":null}"#),
            (120, r#"{"serving":{"variant_id":"1","traffic_allocation":50}}"#),
            (130, r#"{"serving":"stopped"}"#),
            (140, r#"{"serving":{"variant_id":"1","traffic_allocation":50}}"#),
            (150, r#"{"status":{"status":"live","started_at":"1970-01-01T00:00:00Z"}}"#),
        ],
    };
    let full = full.insert(&db).await;
    let live = Old { key: "live", status: "live", epoch: Some((10, None)), history: &[(10, "{}")], ..DRAFT };
    let live = live.insert(&db).await;
    let deleted = Old { key: "deleted", history: &[(10, "{}"), (20, r#"{"custom_js":""}"#)], ..DRAFT };
    let deleted = deleted.insert(&db).await;
    execute(&db, "UPDATE experiment SET deleted_at = 30 WHERE experiment_id = $1", params![deleted]).await;

    muriel_store::migrate(&db).await.unwrap();
    assert_eq!(filled(&db, silent).await, ([None; 7], 2, vec![None, None]));
    let expect = [Some(30), Some(40), Some(300), Some(130), Some(150), Some(110), Some(90)];
    assert_eq!(filled(&db, full).await, (expect, 3, vec![None, Some(80)]));
    let expect = [Some(10), Some(10), Some(500), None, None, None, None];
    assert_eq!(filled(&db, live).await, (expect, 2, vec![None, None]));
    // Nothing reads a deleted one.
    assert_eq!(filled(&db, deleted).await, ([None; 7], 0, vec![None, None]));
    close(db).await;
}

async fn odd_values_in_history_keep_no_server_from_starting(place: &Place) {
    let db = place.old().await;
    let odd = Old {
        key: "odd",
        status: "live",
        plan: "{",
        epoch: Some((20, None)),
        history: &[
            (10, "{}"),
            (20, ""),
            (30, "null"),
            (40, "[1]"),
            (50, "{\"status\""),
            (60, r#"{"status":5,"plan":"x","variants":7,"serving":[],"control":null}"#),
            (
                70,
                r#"{"status":{"status":["live"]},"plan":{"visitors":1.5},"variants":[3,null],"serving":"?","control":[]}"#,
            ),
            (80, r#"{"note":"\"variants\": \"status\": %_\\","custom_js":{}}"#),
            (-90, r#"{"plan":{"visitors":99999999999999999999}}"#),
        ],
        ..DRAFT
    };
    let id = odd.insert(&db).await;
    let fine = DRAFT.insert(&db).await;
    muriel_store::migrate(&db).await.unwrap();
    let (columns, most, variants) = filled(&db, id).await;
    assert_eq!(columns, [Some(20), Some(20), None, None, None, Some(80), Some(70)]);
    assert_eq!((most, variants), (2, vec![Some(70), Some(70)]));
    assert_eq!(filled(&db, fine).await, ([None; 7], 2, vec![None, None]));
    close(db).await;
}

async fn the_whole_of_a_long_history_counts(place: &Place) {
    const CHANGES: i64 = 20_000;
    let db = place.old().await;
    let old = Old {
        key: "long",
        variants: &["b"],
        epoch: Some((4, None)),
        history: &[
            (1, "{}"),
            (2, r#"{"variants":[{"customJS":"a","customCSS":"","data":[],"targeting":null},{}]}"#),
            (3, r#"{"serving":null,"control":{"customJS":"earlier"}}"#),
            (4, r#"{"status":{"status":"draft"}}"#),
        ],
        serving: "winner",
        ..DRAFT
    };
    let id = old.insert(&db).await;
    // It is paused and started for ten thousand epochs; and each time somebody renames arms and widens the rollout, which
    // are changes of the fields above that the columns are not about.
    let sql = "INSERT INTO experiment_history (experiment_id, revision, at, actor, action, before) \
         WITH RECURSIVE change(number) AS (SELECT CAST(5 AS BIGINT) UNION ALL \
           SELECT number + 1 FROM change WHERE number < CAST($2 AS BIGINT)) \
         SELECT CAST($1 AS BIGINT), number, number, 'test', 'update', CASE WHEN number % 2 = 0 \
           THEN '{\"status\":{\"status\":\"inactive\"},\"serving\":{\"variant_id\":\"1\",\"traffic_allocation\":1}}' \
           ELSE '{\"status\":{\"status\":\"live\"},\"control\":{\"nickname\":\"x\",\"customJS\":\"control\",\"customCSS\":\"\"}, \
                \"variants\":[{\"customJS\":\"b\",\"customCSS\":\"\",\"data\":[],\"targeting\":null}]}' END FROM change";
    execute(&db, sql, params![id, CHANGES]).await;
    muriel_store::migrate(&db).await.unwrap();
    let (columns, most, variants) = filled(&db, id).await;
    assert_eq!(columns, [Some(4), Some(4), Some(500), Some(3), Some(CHANGES - 1), None, Some(3)]);
    assert_eq!((most, variants), (2, vec![Some(2)]));
    close(db).await;
}

/// Where the fill of the test below copies a SQLite database to, as the end of the process would leave it.
static LEFT: OnceLock<PathBuf> = OnceLock::new();

async fn a_fill_that_is_cut_short_leaves_nothing_behind(place: &Place) {
    let db = place.old().await;
    for _ in 0..3 {
        let key: &'static str = ["one", "two", "three"][rows(&db, "SELECT 1 FROM experiment", params![]).await.len()];
        Old { key, history: &[(1, "{}"), (2, r#"{"custom_js":""}"#)], ..DRAFT }.insert(&db).await;
    }
    let cut_short = Migration {
        fill: Some(|tx| {
            Box::pin(async move {
                MIGRATIONS[8].fill.unwrap()(tx).await?;
                match (tx.dialect(), LEFT.get()) {
                    (Dialect::Postgres, _) => tx.batch("SELECT pg_terminate_backend(pg_backend_pid())").await,
                    (Dialect::Sqlite, None) => Ok(()),
                    (Dialect::Sqlite, Some(left)) => {
                        copy(left.parent().unwrap(), left);
                        Err(Error::Migration("cut short".to_owned()))
                    }
                }
            })
        }),
        ..MIGRATIONS[8]
    };
    let left = match place {
        Place::Sqlite(dir) => Some(LEFT.get_or_init(|| dir.path().join("left"))),
        Place::Postgres { .. } => None,
    };
    let all: Vec<Migration> = MIGRATIONS[..8].iter().copied().chain([cut_short]).collect();
    let failed = db.migrate(&all).await;
    assert!(failed.is_err(), "{failed:?}");
    let mut places = vec![db];
    places.extend(left.map(|left| Db::sqlite(&left.join("muriel.db"), SqliteOptions::default()).unwrap()));
    for db in places {
        let applied = rows(&db, "SELECT max(version) FROM schema_migration", params![]).await;
        assert_eq!(applied[0].int(0).unwrap(), 8);
        muriel_store::migrate(&db).await.unwrap();
        let redefined = rows(&db, "SELECT code_redefined_at FROM experiment", params![]).await;
        let redefined: Vec<_> = redefined.iter().map(|row| row.opt_int(0).unwrap()).collect();
        assert_eq!(redefined, [Some(2); 3]);
        close(db).await;
    }
}

/// Copies the files of a directory into a new one in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

async fn nodes_may_migrate_at_the_same_time(place: &Place) {
    let db = place.old().await;
    let id = Old { epoch: Some((7, None)), ..DRAFT }.insert(&db).await;
    let mut nodes = Vec::new();
    for _ in 0..4 {
        let node = place.open().await;
        nodes.push(tokio::spawn(async move {
            let migrated = muriel_store::migrate(&node).await;
            close(node).await;
            migrated
        }));
    }
    for node in nodes {
        node.await.unwrap().unwrap();
    }
    assert_eq!(filled(&db, id).await.0[0], Some(7));
    let applied = rows(&db, "SELECT count(*), max(version) FROM schema_migration", params![]).await;
    assert_eq!((applied[0].int(0).unwrap(), applied[0].int(1).unwrap()), (9, 9));
    close(db).await;
}

async fn close(db: Db) {
    db.close().await.unwrap();
}
