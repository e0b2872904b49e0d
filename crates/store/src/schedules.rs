//! Fills the columns and the table of migration 10 for experiments of older databases.
//!
//! Dates were stored before this migration, but nothing acted on them. Dates that have passed stay without effect,
//! because people have long done without them; future dates take effect. It reads the tables as they are at that
//! migration. Its results must stay the same once it is released.

use muriel_sql::{Result, Tx, params};
use serde_json::{Value, json};

const DAY_US: i64 = 86_400_000_000;
/// Experiments per page.
const PER_PAGE: i64 = 500;

/// Settles rules whose dates have passed, creates jobs for future dates, and marks experiments whose results rules
/// check.
pub(crate) async fn fill(tx: &mut dyn Tx) -> Result<()> {
    let sql = format!("SELECT {} AS now", tx.dialect().now_us());
    let now = tx.query_one(&sql, params![]).await?.int("now")?;
    let mut last = 0;
    loop {
        let rows = tx
            .query(
                "SELECT experiment_id, project_id, configuration, status, first_started_at, concluded_at, serving \
                 FROM experiment WHERE experiment_id > $1 AND deleted_at IS NULL ORDER BY experiment_id LIMIT $2",
                params![last, PER_PAGE],
            )
            .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for mut row in rows {
            last = row.int("experiment_id")?;
            let stored = Stored {
                configuration: serde_json::from_str(&row.text("configuration")?).unwrap_or_default(),
                is_live: row.text("status")? == "live",
                is_open: row.opt_int("concluded_at")?.is_none() && row.text("serving")? != "winner",
                first_started_at: row.opt_int("first_started_at")?,
            };
            let derived = stored.derive(now);
            if derived == Derived::default() {
                continue;
            }
            let project = row.int("project_id")?;
            for (kind, at) in derived.jobs {
                tx.execute(
                    "INSERT INTO job (kind, object_id, project_id, due_at, attempts, term) VALUES ($1, $2, $3, $4, 0, 0)",
                    params![kind, last, project, at],
                )
                .await?;
            }
            let schedule = json!({ "settled": derived.settled }).to_string();
            tx.execute(
                "UPDATE experiment SET schedule = $2, is_watched = $3 WHERE experiment_id = $1",
                params![last, schedule, derived.is_watched],
            )
            .await?;
        }
    }
}

/// The part of an experiment's row that the fill needs.
struct Stored {
    configuration: Value,
    is_live: bool,
    /// True when it is not concluded and no winner is served.
    is_open: bool,
    first_started_at: Option<i64>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Derived {
    settled: Vec<&'static str>,
    jobs: Vec<(&'static str, i64)>,
    is_watched: i64,
}

impl Stored {
    fn derive(&self, now: i64) -> Derived {
        let number = |setting: &str| self.configuration[setting].as_i64().filter(|number| *number > 0);
        let date = |setting: &str| {
            let text = self.configuration[setting].as_str()?;
            Some(muriel_domain::Instant::parse(text).ok()?.us())
        };
        let period_end = number("completion_after_period")
            .zip(self.first_started_at)
            .map(|(days, started_at)| started_at.saturating_add(days.saturating_mul(DAY_US)));
        let mut derived = Derived::default();
        for (kind, at, acts_when_live) in [
            ("start_date", date("start_test_date"), false),
            ("end_date", date("end_test_date"), true),
            ("period", period_end, true),
        ] {
            match at {
                None => {}
                Some(_) if kind == "start_date" && self.is_live => derived.settled.push(kind),
                Some(at) if at <= now && (self.is_live || kind == "start_date") => derived.settled.push(kind),
                Some(at) if self.is_open && self.is_live == acts_when_live => derived.jobs.push((kind, at)),
                Some(_) => {}
            }
        }
        derived.is_watched = match ["completion_visitor", "completion_conversion"].map(|rule| number(rule).is_some()) {
            _ if !(self.is_open && self.is_live) => 0,
            _ if number("completion_stats_significant_flag").is_some() => 2,
            [false, false] => 0,
            _ => 1,
        };
        derived
    }
}
