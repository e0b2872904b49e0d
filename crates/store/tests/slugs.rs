//! Migration 18 on databases of an older release: hypotheses get slugs from their texts.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

mod old;

use muriel_sql::params;
use muriel_store::MIGRATIONS;
use old::{Place, close, execute, on_both, rows};

on_both![every_hypothesis_gets_a_slug_of_its_own];

async fn every_hypothesis_gets_a_slug_of_its_own(place: &Place) {
    let before = MIGRATIONS.iter().position(|migration| migration.name == "hypothesis slugs").unwrap();
    let db = place.old(before).await;
    let cases = [
        (Some("Seen"), None, Some("Ask for less!"), "ask-for-less"),
        (Some("Seen"), None, Some(" "), "seen"),
        (None, None, Some("Ask for less"), "ask-for-less-3"),
        // The same slug as the fifth hypothesis has before it gets one from its text.
        (None, Some("Hypothesis 5"), None, "hypothesis-5-4"),
        (None, None, Some("!?"), "hypothesis"),
        (None, None, Some("Ask for less 7"), "ask-for-less-7"),
        // The slug with its id is taken too.
        (None, None, Some("ask for less"), "hypothesis-7"),
    ];
    for (observation, problem, solution, _) in cases {
        let text = |text: Option<&str>| text.map(str::to_owned);
        execute(
            &db,
            "INSERT INTO hypothesis (project_id, observation, problem, solution, archived, created_at, updated_at, \
             revision, seq) SELECT project_id, $1, $2, $3, 0, 1, 1, 1, 1 FROM project",
            params![text(observation), text(problem), text(solution)],
        )
        .await;
    }
    muriel_store::migrate(&db).await.unwrap();
    let found = rows(&db, "SELECT slug FROM hypothesis ORDER BY hypothesis_id", params![]).await;
    let found: Vec<String> = found.into_iter().map(|mut row| row.text("slug").unwrap()).collect();
    let expect: Vec<&str> = cases.iter().map(|(.., slug)| *slug).collect();
    assert_eq!(found, expect);
    close(db).await;
}
