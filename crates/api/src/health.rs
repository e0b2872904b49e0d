//! Whether the process lives, and whether it can do its work.

use crate::answer::json;
use crate::app::App;
use crate::error::ApiError;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
struct Alive {
    status: &'static str,
}

/// 200 while the process answers; never asks a database, so that a supervisor
/// does not end a process that waits for one.
pub(crate) async fn live() -> Result<Response, ApiError> {
    json(StatusCode::OK, &Alive { status: "live" })
}

#[derive(Debug, PartialEq, Serialize)]
struct Readiness {
    status: &'static str,
    database: &'static str,
    rulesets: &'static str,
}

/// 503 while visitors cannot be served, as no ruleset is known. Degraded, and
/// still 200, while the database does not answer within a second or rulesets
/// are stale.
pub(crate) async fn ready(State(app): State<App>) -> Result<Response, ApiError> {
    let answered = tokio::time::timeout(Duration::from_secs(1), app.db.ping()).await;
    let readiness =
        Readiness::of(matches!(answered, Ok(Ok(()))), app.rulesets.are_known(), app.rulesets.stale_s().is_some());
    let status = if app.rulesets.are_known() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    json(status, &readiness)
}

impl Readiness {
    fn of(database_answers: bool, rulesets_known: bool, rulesets_stale: bool) -> Self {
        Self {
            status: match (rulesets_known, database_answers && !rulesets_stale) {
                (false, _) => "not_ready",
                (true, true) => "ready",
                (true, false) => "degraded",
            },
            database: if database_answers { "ok" } else { "unavailable" },
            rulesets: match (rulesets_known, rulesets_stale) {
                (false, _) => "unknown",
                (true, false) => "ok",
                (true, true) => "stale",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness() {
        for (database_answers, known, stale, expect) in [
            (true, true, false, ("ready", "ok", "ok")),
            (false, true, false, ("degraded", "unavailable", "ok")),
            (false, true, true, ("degraded", "unavailable", "stale")),
            (true, true, true, ("degraded", "ok", "stale")),
            (true, false, true, ("not_ready", "ok", "unknown")),
            (false, false, true, ("not_ready", "unavailable", "unknown")),
        ] {
            let Readiness { status, database, rulesets } = Readiness::of(database_answers, known, stale);
            assert_eq!((status, database, rulesets), expect);
        }
    }
}
