//! Lookup of the nodes that run on a database that is not migrated yet.

use muriel_sql::{Db, Error, SqliteOptions, params};
use muriel_store::MIGRATIONS;
use muriel_store::nodes::running_before_migration;

/// Version of the migration that creates the table of nodes.
const NODE_MIGRATION: i64 = 4;

const INSERT: &str = "INSERT INTO node (node_id, session, host, data_dir, blocks, started_at, seen_at, leased_until) \
                      VALUES ('old', 's', 'h', '/data', 0, 0, 0, $1)";

/// Covers future migrations too: one that changes a column that the lookup reads fails here.
#[tokio::test]
async fn running_nodes_are_found_in_every_older_schema() {
    let last = MIGRATIONS.last().unwrap().version;
    for version in 0..=last {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&dir.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        let older: Vec<_> = MIGRATIONS.iter().copied().filter(|migration| migration.version <= version).collect();
        db.migrate(&older).await.unwrap();
        let is_known = version >= NODE_MIGRATION;
        if is_known {
            let insert =
                db.write::<_, Error, _>(|tx| Box::pin(async move { tx.execute(INSERT, params![i64::MAX]).await }));
            insert.await.unwrap();
        }
        let found = running_before_migration(&db, "new").await.unwrap();
        assert_eq!(found.len(), usize::from(is_known && version < last), "schema {version}");
        assert!(running_before_migration(&db, "old").await.unwrap().is_empty(), "schema {version}");
        assert_eq!(db.pending_migrations(MIGRATIONS).await.unwrap().len(), MIGRATIONS.len() - older.len());
        db.close().await.unwrap();
    }
}
