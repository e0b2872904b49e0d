//! Migration 25 on databases of an older release: people who created experiments or commented on them become watchers.
#![allow(clippy::unwrap_used, reason = "tests")]

mod old;

use muriel_sql::{Db, params};
use muriel_store::MIGRATIONS;
use old::{DRAFT, Old, Place, execute, on_both, rows};

on_both![those_who_had_to_do_with_it_watch];

async fn those_who_had_to_do_with_it_watch(place: &Place) {
    let before = MIGRATIONS.iter().position(|migration| migration.version == 25).unwrap();
    let db = place.old(before).await;
    // Person 1 owns the first and the deleted experiment, 4 the second; 1, 2 and 3 commented. 3 and 4 were removed.
    for (name, deleted_at) in [("a", None), ("b", None), ("c", Some(5)), ("d", Some(5))] {
        let sql = "INSERT INTO person (company_id, email, name, role, limited, totp_step, created_at, deleted_at) \
                   SELECT company_id, $1, $1, 'editor', 0, 0, 1, CAST($2 AS BIGINT) FROM company";
        execute(&db, sql, params![name, deleted_at]).await;
    }
    let made = Old { key: "made", ..DRAFT }.insert(&db).await;
    let orphan = Old { key: "orphan", ..DRAFT }.insert(&db).await;
    let deleted = Old { key: "deleted", ..DRAFT }.insert(&db).await;
    for (id, owner) in [(made, 1), (orphan, 4), (deleted, 1)] {
        execute(&db, "UPDATE experiment SET owner_id = $2 WHERE experiment_id = $1", params![id, owner]).await;
    }
    execute(&db, "UPDATE experiment SET deleted_at = 9 WHERE experiment_id = $1", params![deleted]).await;
    for (kind, id, actor) in [
        ("experiment", made, "person:1"),
        ("experiment", made, "person:2"),
        ("experiment", made, "person:2"),
        ("experiment", made, "person:3"),
        ("experiment", made, "Ab3dE6gH"),
        ("experiment", orphan, "person:2"),
        ("experiment", deleted, "person:2"),
        ("hypothesis", made, "person:2"),
    ] {
        let sql = "INSERT INTO comment (kind, object_id, at, actor, text) VALUES ($1, $2, 1, $3, 'x')";
        execute(&db, sql, params![kind, id, actor]).await;
    }
    db.migrate(MIGRATIONS).await.unwrap();
    assert_eq!(watching(&db).await, [(made, 1), (made, 2), (orphan, 2)]);
}

async fn watching(db: &Db) -> Vec<(i64, i64)> {
    let sql = "SELECT experiment_id, person_id FROM watch WHERE watching = 1 ORDER BY experiment_id, person_id";
    let found = rows(db, sql, params![]).await;
    found.iter().map(|row| (row.int("experiment_id").unwrap(), row.int("person_id").unwrap())).collect()
}
