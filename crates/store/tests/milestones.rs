//! Migration 9 on databases of an older release.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

mod old;

use muriel_sql::{Db, Dialect, Error, Migration, SqliteOptions, params};
use muriel_store::MIGRATIONS;
use old::{DRAFT, Old, Place, close, execute, on_both, rows};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

on_both![
    the_columns_are_filled_from_history,
    odd_values_in_history_keep_no_server_from_starting,
    the_whole_of_a_long_history_counts,
    a_fill_that_is_cut_short_leaves_nothing_behind,
    nodes_may_migrate_at_the_same_time,
];

/// Values that the migration stored: the columns of the experiment in the order of the migration, then those of its
/// variants.
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
    let db = place.old(8).await;
    // Without history, only the values of the row are known.
    let silent = DRAFT.insert(&db).await;
    let full = Old {
        configuration: "{}",
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
            // The third variant is removed, and the second is replaced by another.
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
    // The fill leaves a deleted experiment out: nothing reads it.
    assert_eq!(filled(&db, deleted).await, ([None; 7], 0, vec![None, None]));
    close(db).await;
}

async fn odd_values_in_history_keep_no_server_from_starting(place: &Place) {
    let db = place.old(8).await;
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
    let db = place.old(8).await;
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
    // The experiment is paused and started for ten thousand epochs. Each time, arms are renamed and the rollout is
    // widened: these change the fields above, but not what the columns depend on.
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

/// Directory to which the fill of the test below copies a SQLite database, in the state that the end of the process
/// would leave.
static LEFT: OnceLock<PathBuf> = OnceLock::new();

async fn a_fill_that_is_cut_short_leaves_nothing_behind(place: &Place) {
    let db = place.old(8).await;
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
    let db = place.old(8).await;
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
    let last = MIGRATIONS.last().unwrap().version;
    assert_eq!((applied[0].int(0).unwrap(), applied[0].int(1).unwrap()), (last, last));
    close(db).await;
}
