//! Tests that run on SQLite and on PostgreSQL.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use muriel_sql::{
    Db, Dialect, Error, Lock, LockName, Migration, PostgresOptions, Row, SqliteOptions, Tx, Value, params,
};
use tokio::sync::oneshot;
use tokio_postgres::NoTls;

type AnyError = Box<dyn std::error::Error + Send + Sync>;
type Done = Result<(), AnyError>;

/// Generates each test for both databases.
macro_rules! stories {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[test] fn $name() -> crate::Done {
                crate::run_story(async {
                    let place = crate::TestDatabase::sqlite()?;
                    crate::$name(place.clone()).await
                })
            })*
        }
        mod on_postgres {
            $(#[test] fn $name() -> crate::Done {
                crate::run_story(async {
                    let place = crate::TestDatabase::postgres().await?;
                    let joined = tokio::spawn(crate::$name(place.clone())).await;
                    place.remove().await?;
                    joined?
                })
            })*
        }
    };
}

stories![
    writes_and_rolls_back,
    a_read_sees_one_snapshot,
    a_read_cannot_write,
    constraints_have_the_same_names,
    returns_and_upserts,
    values_come_back_as_they_went,
    a_wrong_column_is_named,
    ids_are_never_used_again,
    text_sorts_and_matches_alike,
    a_failed_statement_ends_its_transaction,
    a_panic_harms_nobody_else,
    many_writers_are_all_kept,
    a_dropped_call_leaves_nothing_open,
    locks_exclude,
    migrates_once,
    refuses_migrations_that_do_not_fit,
    a_failed_migration_leaves_nothing,
    a_migration_fills_what_its_statements_leave_open,
    processes_may_migrate_at_once,
    closes,
];

async fn writes_and_rolls_back(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    assert_eq!(db.dialect(), place.dialect());
    db.ping().await?;

    let id = add(&db, "a").await?;
    assert_eq!(names(&db).await?, ["a"]);

    #[derive(Debug)]
    enum Refusal {
        Taken,
        Sql(Error),
    }
    impl From<Error> for Refusal {
        fn from(error: Error) -> Refusal {
            Refusal::Sql(error)
        }
    }
    let refused = db
        .write::<(), Refusal, _>(|tx| {
            Box::pin(async move {
                let sql = "INSERT INTO thing (name) VALUES ($1)";
                assert_eq!(tx.execute(sql, params!["b"]).await?, 1);
                Err(Refusal::Taken)
            })
        })
        .await;
    assert!(matches!(refused, Err(Refusal::Taken)), "{refused:?}");
    let wrong = db.write::<_, Refusal, _>(|tx| Box::pin(async move { Ok(tx.query("WRONG", params![]).await?) })).await;
    assert!(matches!(wrong, Err(Refusal::Sql(Error::Unexpected { .. }))), "{wrong:?}");
    assert_eq!(names(&db).await?, ["a"]);

    let changed = execute(&db, "UPDATE thing SET name = $2 WHERE id = $1", params![id, "c"]);
    assert_eq!(changed.await?, 1);
    let changed = execute(&db, "DELETE FROM thing WHERE id = $1", params![id + 1]);
    assert_eq!(changed.await?, 0);
    assert_eq!(names(&db).await?, ["c"]);
    Ok(())
}

async fn a_read_sees_one_snapshot(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    add(&db, "a").await?;
    let (looked, wait_looked) = std::sync::mpsc::channel();
    let (written, wait_written) = std::sync::mpsc::channel();
    // The reader blocks its own thread, because a body must not await anything but `tx`.
    let reader = tokio::spawn({
        let db = db.clone();
        async move {
            db.read::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let sql = "SELECT count(*) FROM thing";
                    let before = tx.query_one(sql, params![]).await?.int(0)?;
                    let _ = looked.send(());
                    let _ = wait_written.recv_timeout(DEADLINE);
                    let after = tx.query_one(sql, params![]).await?.int(0)?;
                    Ok((before, after))
                })
            })
            .await
        }
    });
    tokio::task::spawn_blocking(move || wait_looked.recv_timeout(DEADLINE)).await??;
    add(&db, "b").await?;
    written.send(())?;
    assert_eq!(reader.await??, (1, 1));
    assert_eq!(names(&db).await?, ["a", "b"]);
    Ok(())
}

async fn a_read_cannot_write(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    for _ in 0..20 {
        let refused = db
            .read::<_, Error, _>(|tx| {
                Box::pin(async move { tx.execute("INSERT INTO thing (name) VALUES ('a')", params![]).await })
            })
            .await;
        assert!(matches!(refused, Err(Error::Unexpected { .. })), "{refused:?}");
    }
    assert!(names(&db).await?.is_empty());
    Ok(())
}

async fn constraints_have_the_same_names(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let id = add(&db, "a").await?;
    let check = async |sql: &'static str, params: Vec<Value>, expect: &str| {
        let found = match execute(&db, sql, params).await {
            Err(Error::Unique { constraint }) => format!("unique {constraint}"),
            Err(Error::ForeignKey { constraint }) => {
                // SQLite does not report the constraint.
                assert!(["", "part_thing_id_fkey"].contains(&constraint.as_str()));
                "foreign key".to_owned()
            }
            Err(Error::Check { constraint }) => format!("check {constraint}"),
            other => format!("{other:?}"),
        };
        assert_eq!(found, expect, "{sql}");
    };
    let part = "INSERT INTO part (thing_id, place, size) VALUES ($1, $2, $3)";
    execute(&db, part, params![id, 1, 1.5]).await?;
    check(part, params![id, 1, 1.5], "unique part_thing_id_place_key").await;
    check(part, params![id + 1, 1, 1.5], "foreign key").await;
    check(part, params![id, 2, -1.0], "check part_size_positive").await;
    check("INSERT INTO thing (name) VALUES ($1)", params!["a"], "unique thing_name_key").await;
    check("INSERT INTO thing (id, name) VALUES ($1, 'b')", params![id], "unique thing_pkey").await;
    check("INSERT INTO thing (name, nick) VALUES ('b', $1), ('c', $1)", params!["same"], "unique thing_nick_key").await;
    check("DELETE FROM thing WHERE id = $1", params![id], "foreign key").await;
    Ok(())
}

async fn returns_and_upserts(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let upsert = "INSERT INTO thing (name, note) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET note = excluded.note
        RETURNING id, note";
    let mut first = one(&db, upsert, params!["a", "1"]).await?;
    let mut second = one(&db, upsert, params!["a", "2"]).await?;
    assert_eq!(first.int(0)?, second.int(0)?);
    assert_eq!([first.text(1)?, second.text(1)?], ["1", "2"]);
    let ignore = "INSERT INTO thing (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id";
    let none =
        db.write::<_, Error, _>(move |tx| Box::pin(async move { tx.query_opt(ignore, params!["a"]).await })).await?;
    assert!(none.is_none());
    assert!(matches!(one(&db, ignore, params!["a"]).await, Err(Error::NoRow)));
    // The returned rows are ignored, but the statement runs to its end.
    assert_eq!(execute(&db, ignore, params!["b"]).await?, 1);
    // Parameters are numbered independently of the order of their occurrence.
    let swapped = "INSERT INTO thing (note, name) VALUES ($2, $1) RETURNING name, note";
    let mut row = one(&db, swapped, params!["name", "note $1"]).await?;
    assert_eq!([row.text(0)?, row.text(1)?], ["name", "note $1"]);
    Ok(())
}

async fn values_come_back_as_they_went(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let sql = "INSERT INTO every (i, r, t, b) VALUES ($1, $2, $3, $4) RETURNING i, r, t, b";
    for int in [0, 1, -1, i64::MIN, i64::MAX] {
        let mut row = one(&db, sql, params![int, int as f64 / 3.0, "é\u{10ffff}'\"", vec![0u8, 255]]).await?;
        assert_eq!(row.int(0)?, int);
        assert_eq!(row.opt_int(0)?, Some(int));
        assert_eq!(row.real(1)?, int as f64 / 3.0);
        assert_eq!(row.opt_text(2)?.as_deref(), Some("é\u{10ffff}'\""));
        assert_eq!(row.blob(3)?, [0, 255]);
    }
    let mut row = one(&db, sql, params![None::<i64>, None::<f64>, None::<&str>, None::<Vec<u8>>]).await?;
    assert_eq!(row.opt_int(0)?, None);
    assert_eq!(row.opt_real(1)?, None);
    assert_eq!(row.opt_text(2)?, None);
    assert_eq!(row.opt_blob(3)?, None);
    let mut row = one(&db, sql, params![true, f64::INFINITY, "", Vec::new()]).await?;
    assert!(row.flag(0)?);
    assert_eq!(row.real(1)?, f64::INFINITY);
    assert_eq!(row.text(2)?, "");
    assert_eq!(row.opt_blob(3)?, Some(Vec::new()));
    // An integer in a real column.
    let row = one(&db, sql, params![7u32, 3, "x", Vec::new()]).await?;
    assert_eq!((row.int(0)?, row.real(1)?), (7, 3.0));

    let nothing = one(&db, "SELECT count(*) FROM every WHERE i = $1 LIMIT $2", params![None::<i64>, 1]);
    assert_eq!(nothing.await?.int(0)?, 0);
    for (bad, number) in [(params![1, 1.0, "a\0b", Vec::new()], 3), (params![1, f64::NAN, "", Vec::new()], 2)] {
        let refused = one(&db, sql, bad).await.err();
        assert!(matches!(refused, Some(Error::Parameter { number: n, .. }) if n == number), "{refused:?}");
    }
    let refused = one(&db, sql, params![1, 1.0]).await.err();
    assert!(matches!(refused, Some(Error::Unexpected { .. })), "{refused:?}");
    Ok(())
}

async fn a_wrong_column_is_named(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let sql = "INSERT INTO every (i, t) VALUES (2, 'x') RETURNING i AS number, t AS words, r";
    let mut row = one(&db, sql, params![]).await?;
    let text = |e: Option<Error>| e.map(|e| e.to_string()).unwrap_or_default();
    for (found, expect) in [
        (row.text(0).err(), "column number (number 0) is the integer 2, expected text"),
        (row.int(1).err(), "column words (number 1) is text, expected an integer"),
        (row.real(2).err(), "column r (number 2) is null, expected a real"),
        (row.int(3).err(), "column ? (number 3) is a row of 3, expected a column"),
    ] {
        assert_eq!(text(found), expect);
    }
    let two = one(&db, "SELECT 2 AS answer", params![]).await?;
    assert_eq!(text(two.flag(0).err()), "column answer (number 0) is the integer 2, expected 0 or 1");
    Ok(())
}

async fn ids_are_never_used_again(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let mut last = 0;
    for name in ["a", "b", "c"] {
        let id = add(&db, name).await?;
        assert!(id > last, "{id} after {last}");
        last = id;
        execute(&db, "DELETE FROM thing", params![]).await?;
    }
    Ok(())
}

async fn text_sorts_and_matches_alike(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    for name in ["b", "B", "a_b", "aXb", "é", "Z"] {
        add(&db, name).await?;
    }
    assert_eq!(names(&db).await?, ["B", "Z", "aXb", "a_b", "b", "é"]);
    let like = r"SELECT count(*) FROM thing WHERE name LIKE $1 ESCAPE '\'";
    for (pattern, count) in [("b", 1), ("a_b", 2), (r"a\_b", 1), ("%b", 3)] {
        let found = one(&db, like, params![pattern]).await?.int(0)?;
        assert_eq!(found, count, "{pattern}");
    }
    Ok(())
}

async fn a_failed_statement_ends_its_transaction(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    add(&db, "a").await?;
    let ended = db
        .write::<(), Error, _>(|tx| {
            Box::pin(async move {
                let sql = "INSERT INTO thing (name) VALUES ($1)";
                tx.execute(sql, params!["b"]).await?;
                for name in ["a", "c"] {
                    let failed = tx.execute(sql, params![name]).await;
                    assert!(matches!(failed, Err(Error::Unique { .. })), "{failed:?}");
                }
                // Ignores the failures.
                Ok(())
            })
        })
        .await;
    assert!(matches!(ended, Err(Error::Unique { .. })), "{ended:?}");
    assert_eq!(names(&db).await?, ["a"]);
    Ok(())
}

async fn a_panic_harms_nobody_else(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    // Concurrently, so that on SQLite they share groups.
    let calls: Vec<_> = (0..30)
        .map(|i| {
            let db = db.clone();
            tokio::spawn(async move {
                db.write::<i64, Error, _>(move |tx| {
                    Box::pin(async move {
                        let id = insert(tx, &format!("{i:02}")).await?;
                        assert!(i % 3 != 0, "a panic that is meant to be");
                        Ok(id)
                    })
                })
                .await
            })
        })
        .collect();
    for (i, call) in calls.into_iter().enumerate() {
        match call.await {
            Ok(written) => {
                assert!(i % 3 != 0);
                written?;
            }
            Err(panicked) => assert!(i % 3 == 0 && panicked.is_panic()),
        }
    }
    let reading = tokio::spawn({
        let db = db.clone();
        async move { db.read::<(), Error, _>(|_| panic!("a panic that is meant to be")).await }
    });
    assert!(reading.await.is_err_and(|e| e.is_panic()));
    assert_eq!(names(&db).await?.len(), 20);
    add(&db, "after").await?;
    Ok(())
}

async fn many_writers_are_all_kept(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let calls: Vec<_> = (0..64)
        .map(|writer| {
            let db = db.clone();
            tokio::spawn(async move {
                for turn in 0..5 {
                    let name = format!("{writer:02}-{turn}");
                    let id = add(&db, &name).await?;
                    // Failures in between do not affect the other writes.
                    let twice = add(&db, &name).await;
                    assert!(matches!(twice, Err(Error::Unique { .. })), "{twice:?}");
                    let mut seen = read_one(&db, "SELECT name FROM thing WHERE id = $1", params![id]).await?;
                    assert_eq!(seen.text(0)?, name);
                }
                Ok::<_, Error>(())
            })
        })
        .collect();
    for call in calls {
        call.await??;
    }
    db.close().await?;
    let again = place.open().await?;
    assert_eq!(names(&again).await?.len(), 320);
    Ok(())
}

async fn a_dropped_call_leaves_nothing_open(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let (begun, has_begun) = oneshot::channel();
    let (go, may_go) = std::sync::mpsc::channel();
    let sqlite = place.dialect() == Dialect::Sqlite;
    let call = tokio::spawn({
        let db = db.clone();
        async move {
            db.write::<(), Error, _>(move |tx| {
                Box::pin(async move {
                    insert(tx, "a").await?;
                    let _ = begun.send(());
                    if sqlite {
                        let _ = may_go.recv_timeout(DEADLINE);
                    } else {
                        std::future::pending::<()>().await;
                    }
                    Ok(())
                })
            })
            .await
        }
    });
    has_begun.await?;
    call.abort();
    assert!(call.await.is_err_and(|e| e.is_cancelled()));
    go.send(()).ok();
    // The next writer does not have to wait, and sees the result of the dropped call.
    add(&db, "b").await?;
    let expect: &[&str] = if sqlite { &["a", "b"] } else { &["b"] };
    assert_eq!(names(&db).await?, expect);
    Ok(())
}

async fn locks_exclude(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    add(&db, "0").await?;
    let name = LockName { kind: 1, id: 7 };
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                db.write::<(), Error, _>(move |tx| {
                    Box::pin(async move {
                        tx.lock(Lock::Exclusive(name)).await?;
                        // Without the lock, updates would be lost.
                        let sql = "SELECT name, id FROM thing";
                        let mut row = tx.query_one(sql, params![]).await?;
                        let count: i64 = row.text(0)?.parse().unwrap_or_default();
                        let sql = "UPDATE thing SET name = $1 WHERE id = $2";
                        let next = (count + 1).to_string();
                        tx.execute(sql, params![next, row.int(1)?]).await?;
                        Ok(())
                    })
                })
                .await
            })
        })
        .collect();
    for call in calls {
        call.await??;
    }
    assert_eq!(names(&db).await?, ["40"]);
    db.read::<_, Error, _>(move |tx| Box::pin(async move { tx.lock(Lock::Shared(name)).await })).await?;
    Ok(())
}

async fn migrates_once(place: TestDatabase) -> Done {
    let db = place.open().await?;
    db.migrate(&[]).await?;
    db.migrate(&SCHEMA[..1]).await?;
    add(&db, "a").await?;
    db.migrate(&SCHEMA).await?;
    db.migrate(&SCHEMA).await?;
    assert_eq!(names(&db).await?, ["a"]);
    let sql = "SELECT count(*), min(applied_at), max(version) FROM schema_migration";
    let row = read_one(&db, sql, params![]).await?;
    assert_eq!((row.int(0)?, row.int(2)?), (2, 2));
    // Later than 2020, in microseconds.
    assert!(row.int(1)? > 1_577_836_800_000_000);
    Ok(())
}

async fn refuses_migrations_that_do_not_fit(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let changed = Migration { sql: "SELECT 2", ..SCHEMA[1] };
    let before = Migration { version: 0, ..changed };
    for (list, expect) in [
        (vec![SCHEMA[0], changed], "migration 2 (parts) has been changed since it was applied to the database"),
        (
            vec![SCHEMA[0]],
            "the database has had migration 2, but this program knows migrations up to 1: \
             run a newer program",
        ),
        (
            vec![before, SCHEMA[0], SCHEMA[1]],
            "migration 0 (parts) is missing from the database, which has had the later migration 1",
        ),
        (vec![SCHEMA[1], SCHEMA[0]], "migration 2 is listed before migration 1"),
    ] {
        match db.migrate(&list).await {
            Err(Error::Migration(message)) => assert_eq!(message, expect),
            other => panic!("{other:?} is not {expect}"),
        }
    }
    Ok(())
}

async fn a_failed_migration_leaves_nothing(place: TestDatabase) -> Done {
    let db = place.open().await?;
    let broken = Migration {
        version: 3,
        name: "broken",
        sql: "CREATE TABLE half (id {id}) {strict}; CREATE TABLE thing (id {id}) {strict};",
        fill: None,
    };
    let [first, second] = SCHEMA;
    let failed = db.migrate(&[first, second, broken]).await;
    assert!(matches!(failed, Err(Error::Unexpected { .. })), "{failed:?}");
    // Earlier migrations stay, and the broken one can be corrected.
    let corrected = Migration { sql: "CREATE TABLE half (id {id}) {strict}", ..broken };
    db.migrate(&[first, second, corrected]).await?;
    execute(&db, "DELETE FROM half", params![]).await?;
    Ok(())
}

async fn a_migration_fills_what_its_statements_leave_open(place: TestDatabase) -> Done {
    let db = place.open().await?;
    let [first, second] = SCHEMA;
    db.migrate(&[first, second]).await?;
    execute(&db, "INSERT INTO thing (name) VALUES ('a')", params![]).await?;
    let third = Migration {
        version: 3,
        name: "size",
        sql: "ALTER TABLE thing ADD COLUMN size {int} NOT NULL DEFAULT 0",
        fill: Some(|tx| Box::pin(async move { tx.execute("UPDATE thing SET size = 7", vec![]).await.map(drop) })),
    };
    db.migrate(&[first, second, third]).await?;
    // The fill runs only once.
    execute(&db, "UPDATE thing SET size = size + 1", params![]).await?;
    db.migrate(&[first, second, third]).await?;
    assert_eq!(read_one(&db, "SELECT size FROM thing", params![]).await?.int("size")?, 8);
    Ok(())
}

async fn processes_may_migrate_at_once(place: TestDatabase) -> Done {
    let mut calls = Vec::new();
    for _ in 0..4 {
        let db = place.open().await?;
        calls.push(tokio::spawn(async move { db.migrate(&SCHEMA).await }));
    }
    for call in calls {
        call.await??;
    }
    let sql = "SELECT count(*) FROM schema_migration";
    let row = read_one(&place.open().await?, sql, params![]).await?;
    assert_eq!(row.int(0)?, 2);
    Ok(())
}

async fn closes(place: TestDatabase) -> Done {
    let db = place.ready().await?;
    let done = Arc::new(AtomicU64::new(0));
    let calls: Vec<_> = (0..20)
        .map(|i| {
            let (db, done) = (db.clone(), done.clone());
            tokio::spawn(async move {
                let added = add(&db, &i.to_string()).await;
                done.fetch_add(u64::from(added.is_ok()), Ordering::Relaxed);
                added
            })
        })
        .collect();
    tokio::task::yield_now().await;
    db.clone().close().await?;
    for call in calls {
        match call.await? {
            Ok(_) | Err(Error::Unavailable { .. }) => {}
            Err(other) => return Err(other.into()),
        }
    }
    let closed = [add(&db, "late").await.err(), db.ping().await.err()];
    for error in closed {
        assert!(matches!(error, Some(Error::Unavailable { .. })), "{error:?}");
    }
    db.close().await?;
    let again = place.open().await?;
    assert_eq!(names(&again).await?.len() as u64, done.load(Ordering::Relaxed));
    Ok(())
}

/// Only on SQLite would a waiting body block the other writers.
#[test]
fn on_sqlite_a_body_that_waits_is_an_error() -> Done {
    run_story(async {
        let db = TestDatabase::sqlite()?.ready().await?;
        let waited = db
            .write::<(), Error, _>(|tx| {
                Box::pin(async move {
                    insert(tx, "a").await?;
                    tokio::task::yield_now().await;
                    Ok(())
                })
            })
            .await;
        assert!(matches!(waited, Err(Error::Waited)), "{waited:?}");
        assert!(names(&db).await?.is_empty());
        Ok(())
    })
}

/// PostgreSQL sends notifications instead.
#[test]
fn on_sqlite_foreign_commits_are_seen() -> Done {
    run_story(async {
        let place = TestDatabase::sqlite()?;
        let db = place.ready().await?;
        let before = db.foreign_commits();
        assert!(before.is_some());
        add(&db, "own").await?;
        read_one(&db, "SELECT count(*) FROM thing", params![]).await?;
        assert_eq!(db.foreign_commits(), before);
        let other = place.open().await?;
        add(&other, "foreign").await?;
        let deadline = Instant::now() + DEADLINE;
        while db.foreign_commits() == before {
            assert!(Instant::now() < deadline, "a foreign commit went unseen");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // A write checks before it returns.
        let seen = db.foreign_commits();
        add(&other, "foreign too").await?;
        add(&db, "own too").await?;
        assert_ne!(db.foreign_commits(), seen);
        Ok(())
    })
}

/// Writes that share a commit share its failure: none of them may be reported as stored.
#[test]
fn on_sqlite_a_lost_group_is_told_to_all() -> Done {
    for (harm, ends) in
        [("INSERT OR ROLLBACK INTO thing (name) VALUES ('first')", true), ("PRAGMA defer_foreign_keys = ON", false)]
    {
        run_story(async move {
            let db = TestDatabase::sqlite()?.ready().await?;
            add(&db, "first").await?;
            // While this one holds the writer, the others queue up.
            let (go, may_go) = std::sync::mpsc::channel();
            let (begun, has_begun) = oneshot::channel();
            let holder = tokio::spawn({
                let db = db.clone();
                async move {
                    db.write::<(), Error, _>(move |_| {
                        let _ = begun.send(());
                        let _ = may_go.recv_timeout(DEADLINE);
                        Box::pin(async { Ok(()) })
                    })
                    .await
                }
            });
            has_begun.await?;
            let mut calls = Vec::new();
            for i in 0..3 {
                let db = db.clone();
                let call = async move {
                    db.write::<(), Error, _>(move |tx| {
                        Box::pin(async move {
                            insert(tx, &i.to_string()).await?;
                            if i == 1 {
                                tx.execute(harm, params![]).await?;
                                let orphan = "INSERT INTO part VALUES (99, 1, 1.0)";
                                tx.execute(orphan, params![]).await?;
                            }
                            Ok(())
                        })
                    })
                    .await
                };
                // A call enters the queue when it is first polled, so this determines the
                // order.
                let mut call = Box::pin(call);
                let first = std::future::poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending()));
                assert!(first.await, "the writer is held");
                calls.push(tokio::spawn(call));
            }
            go.send(())?;
            holder.await??;
            let mut kept = vec!["first".to_owned()];
            for (i, call) in calls.into_iter().enumerate() {
                match call.await? {
                    Ok(()) => kept.insert(0, i.to_string()),
                    Err(Error::Unavailable { .. }) => {}
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(names(&db).await?, kept);
            // Writes after the end of the transaction get a new one.
            assert_eq!(kept.len(), if ends { 2 } else { 1 }, "{kept:?}");
            add(&db, "later").await?;
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn on_sqlite_many_may_open_and_close_one_file() -> Done {
    run_story(async {
        let place = TestDatabase::sqlite()?;
        let calls: Vec<_> = (0..8)
            .map(|i| {
                let place = place.clone();
                tokio::spawn(async move {
                    for turn in 0..5 {
                        let db = place.ready().await?;
                        add(&db, &format!("{i}-{turn}")).await?;
                        db.close().await?;
                    }
                    Ok::<_, Error>(())
                })
            })
            .collect();
        for call in calls {
            call.await??;
        }
        assert_eq!(names(&place.open().await?).await?.len(), 40);
        Ok(())
    })
}

#[cfg(unix)]
#[test]
fn on_sqlite_the_file_is_private() -> Done {
    use std::os::unix::fs::PermissionsExt;
    run_story(async {
        let place = TestDatabase::sqlite()?;
        let db = place.ready().await?;
        let TestDatabase::Sqlite(dir) = &place else {
            return Ok(());
        };
        for file in std::fs::read_dir(dir.path())? {
            let file = file?;
            let mode = file.metadata()?.permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", file.path().display());
        }
        db.close().await?;
        // The write-ahead log has been moved into the file.
        assert_eq!(std::fs::read_dir(dir.path())?.count(), 1);
        Ok(())
    })
}

/// Idle connections that died are replaced before anything runs.
#[test]
fn on_postgres_lost_connections_are_replaced() -> Done {
    run_story(async {
        let place = TestDatabase::postgres().await?;
        let db = place.ready().await?;
        let calls: Vec<_> = (0..16)
            .map(|_| {
                let db = db.clone();
                tokio::spawn(async move { one(&db, "SELECT 1 FROM pg_sleep(0.05)", params![]).await })
            })
            .collect();
        for call in calls {
            call.await??;
        }
        let (admin, _) = place.server().await?;
        for _ in 0..3 {
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = $1 AND pid <> pg_backend_pid()";
            let TestDatabase::Postgres { database, .. } = &place else {
                return Ok(());
            };
            admin.query(sql, &[database]).await?;
            db.ping().await?;
            one(&db, "SELECT 1", params![]).await?;
        }
        place.remove().await
    })
}

#[test]
fn on_postgres_a_server_that_is_not_there_is_unavailable() -> Done {
    run_story(async {
        let url = "postgres://muriel@127.0.0.1:1/postgres";
        let refused = Db::postgres(url, PostgresOptions::default()).await;
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
        Ok(())
    })
}

#[test]
fn on_postgres_a_full_pool_and_a_long_wait_are_unavailable() -> Done {
    run_story(async {
        let place = TestDatabase::postgres().await?;
        let short = Duration::from_millis(300);
        let db = place
            .open_with(PostgresOptions {
                max_connections: 1,
                pool_wait: short,
                statement_timeout: short,
                ..PostgresOptions::default()
            })
            .await?;
        let slow = tokio::spawn({
            let db = db.clone();
            async move { one(&db, "SELECT 1 FROM pg_sleep(30)", params![]).await }
        });
        let deadline = Instant::now() + DEADLINE;
        // Both are limited: the statement by the server, the call by the pool.
        let error = slow.await?.err();
        assert!(matches!(error, Some(Error::Unavailable { .. })), "{error:?}");
        assert!(Instant::now() < deadline);

        let (begun, has_begun) = oneshot::channel();
        let holder = tokio::spawn({
            let db = db.clone();
            async move {
                db.write::<(), Error, _>(move |_| {
                    Box::pin(async move {
                        let _ = begun.send(());
                        std::future::pending().await
                    })
                })
                .await
            }
        });
        has_begun.await?;
        let full = db.ping().await;
        assert!(matches!(full, Err(Error::Unavailable { .. })), "{full:?}");
        holder.abort();
        let _ = holder.await;
        db.ping().await?;
        place.remove().await
    })
}

/// SQLite has no limit for transactions.
#[test]
fn on_postgres_a_migration_may_take_longer_than_other_transactions() -> Done {
    run_story(async {
        let place = TestDatabase::postgres().await?;
        let limit = Duration::from_secs(3);
        let db = place.open_with(PostgresOptions { transaction_timeout: limit, ..PostgresOptions::default() }).await?;
        let slow = Migration {
            version: 3,
            name: "slow",
            sql: "CREATE TABLE slow (id {id}) {strict}",
            fill: Some(|tx| Box::pin(async move { tx.batch("SELECT pg_sleep(4)").await })),
        };
        let [first, second] = SCHEMA;
        db.migrate(&[first, second, slow]).await?;
        execute(&db, "DELETE FROM slow", params![]).await?;
        place.remove().await
    })
}

/// Longer than any step of these tests takes, on any machine.
const DEADLINE: Duration = Duration::from_secs(180);

const SCHEMA: [Migration; 2] = [
    Migration {
        version: 1,
        name: "things",
        sql: "CREATE TABLE thing (
                id {id},
                name {text} NOT NULL UNIQUE,
                nick {text},
                note TEXT NOT NULL DEFAULT '{}'
            ) {strict};
            CREATE UNIQUE INDEX thing_nick_key ON thing (nick) WHERE nick IS NOT NULL;",
        fill: None,
    },
    Migration {
        version: 2,
        name: "parts",
        sql: "CREATE TABLE part (
                thing_id {int} NOT NULL REFERENCES thing (id),
                place {int} NOT NULL,
                size {real} NOT NULL CONSTRAINT part_size_positive CHECK (size > 0),
                UNIQUE (thing_id, place)
            ) {strict};
            CREATE TABLE every (i {int}, r {real}, t TEXT, b {blob}) {strict};",
        fill: None,
    },
];

/// A new database for a test.
#[derive(Clone)]
enum TestDatabase {
    Sqlite(Arc<tempfile::TempDir>),
    Postgres { server: String, database: String },
}

impl TestDatabase {
    fn sqlite() -> Result<TestDatabase, AnyError> {
        Ok(TestDatabase::Sqlite(Arc::new(tempfile::tempdir()?)))
    }

    async fn postgres() -> Result<TestDatabase, AnyError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let server = std::env::var("MURIEL_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!(
                "MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres \
                 (make test does)"
            )
        });
        let place = TestDatabase::Postgres {
            server,
            database: format!("muriel_sql_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)),
        };
        let (admin, database) = place.server().await?;
        let sql = format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)");
        admin.batch_execute(&sql).await?;
        let sql = format!("CREATE DATABASE {database} TEMPLATE template0 ENCODING 'UTF8'");
        admin.batch_execute(&sql).await?;
        Ok(place)
    }

    /// A connection to the server's own database, and the name of the test database.
    async fn server(&self) -> Result<(tokio_postgres::Client, &str), AnyError> {
        let TestDatabase::Postgres { server, database } = self else {
            return Err("SQLite has no server".into());
        };
        let (client, connection) = tokio_postgres::connect(server, NoTls).await?;
        tokio::spawn(connection);
        Ok((client, database))
    }

    async fn remove(&self) -> Done {
        let (admin, database) = self.server().await?;
        let sql = format!("DROP DATABASE {database} WITH (FORCE)");
        Ok(admin.batch_execute(&sql).await?)
    }

    fn dialect(&self) -> Dialect {
        match self {
            TestDatabase::Sqlite(_) => Dialect::Sqlite,
            TestDatabase::Postgres { .. } => Dialect::Postgres,
        }
    }

    async fn open(&self) -> Result<Db, Error> {
        self.open_with(PostgresOptions {
            // Long timeouts, because tests may share a busy machine.
            pool_wait: DEADLINE,
            statement_timeout: DEADLINE,
            lock_timeout: DEADLINE,
            connect_timeout: DEADLINE,
            ..PostgresOptions::default()
        })
        .await
    }

    async fn open_with(&self, options: PostgresOptions) -> Result<Db, Error> {
        match self {
            TestDatabase::Sqlite(dir) => Db::sqlite(&dir.path().join("story.db"), SqliteOptions::default()),
            TestDatabase::Postgres { server, database } => {
                // The last part of the address is the database.
                let (base, _) = server.rsplit_once('/').unwrap_or((server, ""));
                Db::postgres(&format!("{base}/{database}"), options).await
            }
        }
    }

    /// Opens the database and creates its tables.
    async fn ready(&self) -> Result<Db, Error> {
        let db = self.open().await?;
        db.migrate(&SCHEMA).await?;
        Ok(db)
    }
}

fn run_story(story: impl Future<Output = Done>) -> Done {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build()?.block_on(story)
}

async fn insert(tx: &mut dyn Tx, name: &str) -> Result<i64, Error> {
    let sql = "INSERT INTO thing (name) VALUES ($1) RETURNING id";
    tx.query_one(sql, params![name]).await?.int(0)
}

async fn add(db: &Db, name: &str) -> Result<i64, Error> {
    let name = name.to_owned();
    db.write(move |tx| Box::pin(async move { insert(tx, &name).await })).await
}

async fn execute(db: &Db, sql: &'static str, params: Vec<Value>) -> Result<u64, Error> {
    db.write(move |tx| tx.execute(sql, params)).await
}

async fn one(db: &Db, sql: &'static str, params: Vec<Value>) -> Result<Row, Error> {
    db.write(move |tx| Box::pin(async move { tx.query_one(sql, params).await })).await
}

async fn read_one(db: &Db, sql: &'static str, params: Vec<Value>) -> Result<Row, Error> {
    db.read(move |tx| Box::pin(async move { tx.query_one(sql, params).await })).await
}

async fn names(db: &Db) -> Result<Vec<String>, Error> {
    let sql = "SELECT name FROM thing ORDER BY name";
    let rows = db.read::<_, Error, _>(move |tx| tx.query(sql, params![])).await?;
    rows.into_iter().map(|mut row| row.text(0)).collect()
}
