//! Migration 11 on databases of an older release: experiments whose bandit and autopilot begin to act.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

mod old;

use muriel_sql::params;
use old::{DRAFT, Old, Place, close, execute, on_both, rows};

on_both![what_is_live_with_them_is_looked_at];

async fn what_is_live_with_them_is_looked_at(place: &Place) {
    let db = place.old(10).await;
    let (bandit, pilot) = (r#"{"is_mab":1}"#, r#"{"is_autopilot":1}"#);
    let mut expected = Vec::new();
    for (key, status, serving, configuration, watched, expect) in [
        ("bandit", "live", "never", bandit, 0, 3),
        ("pilot", "live", "never", pilot, 0, 2),
        ("both", "live", "stopped", r#"{"is_mab":1,"is_autopilot":1}"#, 0, 2),
        ("rule", "live", "never", pilot, 1, 2),
        ("watched", "live", "never", bandit, 2, 2),
        ("served", "live", "winner", pilot, 0, 0),
        ("draft", "draft", "never", bandit, 0, 0),
        ("paused", "inactive", "never", bandit, 0, 0),
        ("off", "live", "never", r#"{"is_mab":0,"is_autopilot":0}"#, 0, 0),
    ] {
        let id = Old { key, status, serving, configuration, ..DRAFT }.insert(&db).await;
        let sql = "UPDATE experiment SET is_watched = $2 WHERE experiment_id = $1";
        execute(&db, sql, params![id, i64::from(watched)]).await;
        expected.push((key.to_owned(), i64::from(expect)));
    }
    muriel_store::migrate(&db).await.unwrap();
    let sql = "SELECT experiment_key, is_watched FROM experiment ORDER BY experiment_id";
    let found: Vec<(String, i64)> = rows(&db, sql, params![])
        .await
        .into_iter()
        .map(|mut row| (row.text("experiment_key").unwrap(), row.int("is_watched").unwrap()))
        .collect();
    assert_eq!(found, expected);
    close(db).await;
}
