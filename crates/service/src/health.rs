//! Readiness of the parts of the server.

use crate::app::App;
use muriel_log as log;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Timeout of the database's answer.
const PING_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest wait of acknowledged events for the warehouse before it counts as behind.
const MAX_LAG: Duration = Duration::from_secs(60);

/// State of each part of a server: `ok`, or a word for the fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// `ready`; `degraded` while another part is not `ok`; `not_ready` while no visitor can be served.
    pub status: &'static str,
    /// `unavailable` while the database does not answer within a second.
    pub database: &'static str,
    /// `stale` while rulesets may be out of date; `unknown` while none is loaded.
    pub rulesets: &'static str,
    /// `refused` while events are not accepted.
    pub events: &'static str,
    /// `short` while less than twice the reserve is free, `full` below the reserve.
    pub disk: &'static str,
    /// `behind` while acknowledged events have not reached the warehouse for a minute;
    /// `unavailable` while it is not open.
    pub warehouse: &'static str,
    /// `damaged` while results lack a block of the event log that is missing or differs from what was
    /// written.
    pub log: &'static str,
    /// `failing` while a periodic task fails repeatedly.
    pub tasks: &'static str,
}

/// The facts that [`Readiness`] is derived from.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    database_answers: bool,
    rulesets_known: bool,
    rulesets_stale: bool,
    /// True when the event log accepts events.
    pub takes_events: bool,
    /// Free space on the volume of the event log, if the log is open.
    pub space: Option<log::DiskSpace>,
    /// Waiting time of the oldest event for the warehouse, if the warehouse is open.
    pub lag: Option<Duration>,
    /// Number of event log blocks that are missing or differ from what was written.
    pub damaged_blocks: u64,
    /// Number of periodic tasks that fail repeatedly.
    pub failing_tasks: usize,
}

/// Collects the facts of this moment.
///
/// Waits up to a second for the database.
pub async fn facts(app: &App) -> Facts {
    let answered = tokio::time::timeout(PING_TIMEOUT, app.db.ping()).await;
    let lag = app.results().map(|results| {
        let loaded = results.loader().position().seq;
        let head = app.log().map_or(loaded, |log| log.last().seq);
        app.lag.observe(head, loaded, Instant::now())
    });
    Facts {
        database_answers: matches!(answered, Ok(Ok(()))),
        rulesets_known: app.rulesets.are_known(),
        rulesets_stale: app.rulesets.stale_s().is_some(),
        takes_events: app.takes_events(),
        space: app.log().map(log::Log::space),
        lag,
        damaged_blocks: app.results().map_or(0, |results| results.loader().damaged()),
        failing_tasks: app.failing_tasks.load(Ordering::Relaxed),
    }
}

impl Readiness {
    /// Derives the readiness from these facts.
    pub fn of(facts: &Facts) -> Self {
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
                // Only a full disk keeps the log from opening.
                None => "full",
            },
            warehouse: match facts.lag {
                None => "unavailable",
                Some(lag) if lag > MAX_LAG => "behind",
                Some(_) => "ok",
            },
            log: if facts.damaged_blocks == 0 { "ok" } else { "damaged" },
            tasks: if facts.failing_tasks == 0 { "ok" } else { "failing" },
        };
        if !facts.rulesets_known {
            readiness.status = "not_ready";
        } else if readiness.components().iter().any(|(_, word)| *word != "ok") {
            readiness.status = "degraded";
        }
        readiness
    }

    /// Each part with its state.
    pub fn components(&self) -> [(&'static str, &'static str); 7] {
        [
            ("database", self.database),
            ("rulesets", self.rulesets),
            ("events", self.events),
            ("disk", self.disk),
            ("warehouse", self.warehouse),
            ("log", self.log),
            ("tasks", self.tasks),
        ]
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
        space: Some(log::DiskSpace { free: 100, reserve: 10 }),
        lag: Some(Duration::ZERO),
        damaged_blocks: 0,
        failing_tasks: 0,
    };

    fn check(facts: Facts, status: &str, differs: &[(&str, &str)]) {
        let readiness = Readiness::of(&facts);
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
        let space = |free| Some(log::DiskSpace { free, reserve: 10 });
        check(Facts { space: space(20), ..WELL }, "ready", &[]);
        check(Facts { space: space(19), ..WELL }, "degraded", &[("disk", "short")]);
        check(Facts { space: space(9), ..WELL }, "degraded", &[("disk", "full")]);
        check(Facts { space: None, ..WELL }, "degraded", &[("disk", "full")]);
        check(Facts { lag: Some(MAX_LAG), ..WELL }, "ready", &[]);
        check(Facts { lag: Some(2 * MAX_LAG), ..WELL }, "degraded", &[("warehouse", "behind")]);
        check(Facts { lag: None, ..WELL }, "degraded", &[("warehouse", "unavailable")]);
        check(Facts { damaged_blocks: 1, ..WELL }, "degraded", &[("log", "damaged")]);
        check(Facts { failing_tasks: 1, ..WELL }, "degraded", &[("tasks", "failing")]);
    }
}
