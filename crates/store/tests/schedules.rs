//! Migration 10 on databases of an older release: dates and rules that nothing acted on before.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

mod old;

use muriel_sql::params;
use old::{DRAFT, Old, Place, close, execute, on_both, rows};

on_both![what_is_to_come_acts_and_what_has_passed_does_not];

/// A date that is in the future whenever the test runs.
const FUTURE: &str = "2999-01-01T00:00:00.000Z";
const FUTURE_US: i64 = 32_472_144_000_000_000;

async fn what_is_to_come_acts_and_what_has_passed_does_not(place: &Place) {
    let db = place.old(9).await;
    let past = r#"{"start_test_date":"2026-01-01T00:00:00.000Z","end_test_date":"2026-01-02T00:00:00.000Z","completion_after_period":1}"#;
    let future = r#"{"start_test_date":"2999-01-01T00:00:00.000Z","end_test_date":"2999-01-01T00:00:00.000Z"}"#;
    let rules = r#"{"completion_visitor":5,"completion_stats_significant_flag":1}"#;
    let none: &[(&str, i64)] = &[];
    let of = |kind| vec![(kind, FUTURE_US)];
    assert!(future.contains(FUTURE));
    for (number, (status, serving, configuration, settled, jobs, is_watched)) in [
        ("draft", "never", past, r#"["start_date"]"#, none.to_vec(), 0),
        ("live", "never", past, r#"["start_date","end_date","period"]"#, none.to_vec(), 0),
        ("draft", "never", future, "[]", of("start_date"), 0),
        ("inactive", "stopped", future, "[]", of("start_date"), 0),
        ("live", "never", future, r#"["start_date"]"#, of("end_date"), 0),
        ("live", "winner", future, r#"["start_date"]"#, none.to_vec(), 0),
        ("live", "never", rules, "[]", none.to_vec(), 2),
        ("live", "never", r#"{"completion_visitor":5}"#, "[]", none.to_vec(), 1),
        ("draft", "never", rules, "[]", none.to_vec(), 0),
        ("draft", "never", "{}", "[]", none.to_vec(), 0),
        ("draft", "never", "no JSON", "[]", none.to_vec(), 0),
    ]
    .into_iter()
    .enumerate()
    {
        let key: &'static str = format!("test-{number}").leak();
        let id = Old { key, status, serving, configuration, ..DRAFT }.insert(&db).await;
        execute(&db, "UPDATE experiment SET first_started_at = 1 WHERE experiment_id = $1", params![id]).await;
        // One migration runs for all cases, so the expectations are stored here and compared below.
        execute(
            &db,
            "INSERT INTO setting (name, value) VALUES ($1, $2)",
            params![format!("expect-{id:04}"), format!("{settled} {jobs:?} {is_watched}")],
        )
        .await;
    }
    muriel_store::migrate(&db).await.unwrap();
    let expected = rows(&db, "SELECT value FROM setting WHERE name LIKE 'expect-%' ORDER BY name", params![]).await;
    let found =
        rows(&db, "SELECT experiment_id, schedule, is_watched FROM experiment ORDER BY experiment_id", params![]);
    for (mut expect, mut row) in expected.into_iter().zip(found.await) {
        let id = row.int("experiment_id").unwrap();
        let schedule: serde_json::Value = serde_json::from_str(&row.text("schedule").unwrap()).unwrap();
        let settled = schedule.get("settled").cloned().unwrap_or_else(|| serde_json::json!([]));
        let sql = "SELECT kind, due_at FROM job WHERE object_id = $1 ORDER BY due_at";
        let jobs: Vec<(String, i64)> = rows(&db, sql, params![id])
            .await
            .into_iter()
            .map(|mut job| (job.text("kind").unwrap(), job.int("due_at").unwrap()))
            .collect();
        let found = format!("{settled} {jobs:?} {}", row.int("is_watched").unwrap());
        assert_eq!(found, expect.text("value").unwrap(), "experiment {id}");
    }
    close(db).await;
}
