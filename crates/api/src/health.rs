//! Whether the process lives, and whether it can do its work.

use crate::answer::json;
use crate::app::App;
use crate::error::ApiError;
use crate::metrics::Metrics;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use muriel_events::log;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the database may take to answer.
const PING: Duration = Duration::from_secs(1);
/// How long acknowledged events may wait for the warehouse before that counts as behind.
const BEHIND: Duration = Duration::from_secs(60);

#[derive(Serialize)]
struct Alive {
    status: &'static str,
}

/// 200 while the process answers; never asks a database, so that a supervisor
/// does not end a process that waits for one.
pub(crate) async fn live() -> Result<Response, ApiError> {
    json(StatusCode::OK, &Alive { status: "live" })
}

/// What of a server works. Each part has one word when it does, `ok`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// `ready`; `degraded` while something else here is not `ok`; `not_ready` while no
    /// visitor can be served.
    pub status: &'static str,
    /// `unavailable` while the database does not answer within a second.
    pub database: &'static str,
    /// `stale` while rulesets are not known to be up to date; `unknown` while there is none.
    pub rulesets: &'static str,
    /// `refused` while no event is taken.
    pub events: &'static str,
    /// `short` while less than twice the reserve is free, `full` below the reserve.
    pub disk: &'static str,
    /// `behind` while acknowledged events have not reached the warehouse for a minute;
    /// `unavailable` while it is not open.
    pub warehouse: &'static str,
    /// `damaged` while results lack a block of the event log that is not as it was written,
    /// or is missing.
    pub log: &'static str,
}

/// What [`Readiness`] is made of.
#[derive(Debug, Clone, Copy)]
struct Facts {
    database_answers: bool,
    rulesets_known: bool,
    rulesets_stale: bool,
    takes_events: bool,
    space: Option<log::Space>,
    /// For how long the oldest event has waited for the warehouse, where that is open.
    lag: Option<Duration>,
    damaged_blocks: u64,
}

/// 503 while visitors cannot be served, as no ruleset is known. Otherwise 200, whether
/// everything works or not.
pub(crate) async fn ready(State(app): State<App>) -> Result<Response, ApiError> {
    let readiness = app.readiness().await;
    let status = if readiness.status == "not_ready" { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    json(status, &readiness)
}

impl App {
    /// What works at this moment.
    pub async fn readiness(&self) -> Readiness {
        Readiness::of(self.facts().await)
    }

    async fn facts(&self) -> Facts {
        let answered = tokio::time::timeout(PING, self.db.ping()).await;
        let lag = self.results().map(|results| {
            let loaded = results.loader().position().seq;
            let head = self.log().map_or(loaded, |log| log.last().seq);
            self.lag.observe(head, loaded, Instant::now())
        });
        Facts {
            database_answers: matches!(answered, Ok(Ok(()))),
            rulesets_known: self.rulesets.are_known(),
            rulesets_stale: self.rulesets.stale_s().is_some(),
            takes_events: self.takes_events(),
            space: self.log().map(log::Log::space),
            lag,
            damaged_blocks: self.results().map_or(0, |results| results.loader().damaged()),
        }
    }

    /// Tells the metrics what [`App::readiness`] tells.
    pub async fn measure(&self, metrics: &Metrics) {
        let facts = self.facts().await;
        let readiness = Readiness::of(facts);
        for (component, word) in readiness.components() {
            metrics.component(component).set((word == "ok").into());
        }
        metrics.event_log_taking.set(facts.takes_events.into());
        metrics.rulesets_stale_seconds.set(self.rulesets.stale_s().unwrap_or(0));
        let bytes = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        if let Some(space) = facts.space {
            metrics.disk_free_bytes.set(bytes(space.free));
            metrics.disk_reserve_bytes.set(bytes(space.reserve));
        }
        let lag_s = facts.lag.map_or(0, |lag| lag.as_secs());
        metrics.warehouse_lag_seconds.set(bytes(lag_s));
        metrics.event_log_damaged_blocks.set(bytes(facts.damaged_blocks));
    }
}

impl Readiness {
    fn of(facts: Facts) -> Self {
        let mut readiness = Self {
            status: "ready",
            database: if facts.database_answers { "ok" } else { "unavailable" },
            rulesets: match (facts.rulesets_known, facts.rulesets_stale) {
                (false, _) => "unknown",
                (true, false) => "ok",
                (true, true) => "stale",
            },
            events: if facts.takes_events { "ok" } else { "refused" },
            disk: match facts.space {
                Some(space) if space.free < space.reserve => "full",
                Some(space) if space.is_short() => "short",
                Some(_) => "ok",
                // Only a full disk keeps the log from being opened.
                None => "full",
            },
            warehouse: match facts.lag {
                None => "unavailable",
                Some(lag) if lag > BEHIND => "behind",
                Some(_) => "ok",
            },
            log: if facts.damaged_blocks == 0 { "ok" } else { "damaged" },
        };
        if !facts.rulesets_known {
            readiness.status = "not_ready";
        } else if readiness.components().iter().any(|(_, word)| *word != "ok") {
            readiness.status = "degraded";
        }
        readiness
    }

    fn components(&self) -> [(&'static str, &'static str); 6] {
        [
            ("database", self.database),
            ("rulesets", self.rulesets),
            ("events", self.events),
            ("disk", self.disk),
            ("warehouse", self.warehouse),
            ("log", self.log),
        ]
    }
}

/// For how long events have waited for the warehouse.
#[derive(Debug, Default)]
pub(crate) struct Lag {
    /// A block that was the log's last at this moment, and was not loaded then.
    waiting: Mutex<Option<(i64, Instant)>>,
}

impl Lag {
    /// How long the warehouse, which has everything up to `loaded`, has lacked an event
    /// at least. It counts from the first look at which that event was there.
    fn observe(&self, head: i64, loaded: i64, now: Instant) -> Duration {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match *waiting {
            Some((seq, since)) if loaded < seq => now.saturating_duration_since(since),
            _ => {
                *waiting = (loaded < head).then_some((head, now));
                Duration::ZERO
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: Facts = Facts {
        database_answers: true,
        rulesets_known: true,
        rulesets_stale: false,
        takes_events: true,
        space: Some(log::Space { free: 100, reserve: 10 }),
        lag: Some(Duration::ZERO),
        damaged_blocks: 0,
    };

    fn check(facts: Facts, status: &str, differs: &[(&str, &str)]) {
        let readiness = Readiness::of(facts);
        let not_ok: Vec<_> = readiness.components().into_iter().filter(|(_, word)| *word != "ok").collect();
        assert_eq!((readiness.status, &*not_ok), (status, differs), "{facts:?}");
    }

    #[test]
    fn readiness() {
        check(WELL, "ready", &[]);
        check(Facts { database_answers: false, ..WELL }, "degraded", &[("database", "unavailable")]);
        check(Facts { rulesets_stale: true, ..WELL }, "degraded", &[("rulesets", "stale")]);
        check(Facts { rulesets_known: false, ..WELL }, "not_ready", &[("rulesets", "unknown")]);
        check(Facts { takes_events: false, ..WELL }, "degraded", &[("events", "refused")]);
        let space = |free| Some(log::Space { free, reserve: 10 });
        check(Facts { space: space(20), ..WELL }, "ready", &[]);
        check(Facts { space: space(19), ..WELL }, "degraded", &[("disk", "short")]);
        check(Facts { space: space(9), ..WELL }, "degraded", &[("disk", "full")]);
        check(Facts { space: None, ..WELL }, "degraded", &[("disk", "full")]);
        check(Facts { lag: Some(BEHIND), ..WELL }, "ready", &[]);
        check(Facts { lag: Some(2 * BEHIND), ..WELL }, "degraded", &[("warehouse", "behind")]);
        check(Facts { lag: None, ..WELL }, "degraded", &[("warehouse", "unavailable")]);
        check(Facts { damaged_blocks: 1, ..WELL }, "degraded", &[("log", "damaged")]);
    }

    #[test]
    fn lag_is_that_of_the_oldest_event() {
        let (lag, start) = (Lag::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let observed = |head, loaded, seconds| lag.observe(head, loaded, at(seconds)).as_secs();
        assert_eq!([observed(5, 5, 0), observed(6, 5, 10), observed(7, 5, 20), observed(9, 5, 80)], [0, 0, 10, 70]);
        // It goes on loading, and is behind by what came after the first look only.
        assert_eq!([observed(9, 6, 90), observed(9, 8, 100), observed(9, 9, 110)], [0, 10, 0]);
        assert_eq!(observed(9, 9, 500), 0);
    }
}
